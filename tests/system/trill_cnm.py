# SPDX-License-Identifier: BSD-3-Clause
"""The CNMs of a congestion point in a TRILL campus, compared octet by octet on each link.

trill_cnm.py STREAM CPID SOURCE TRIGGERS HOP...

Shares no code with dcbd. Files are lists of "frames list -x". TRIGGERS: what the node of the
congestion point received. HOP, from the congestion point to the source of the triggers, is

  FILE,native                  the CNM as a native frame
  FILE,caused,DA               a native CNM that a TRILL frame caused, to the RBridge's address DA
  FILE,trill,DA,SA,HOPS,EGRESS,INGRESS   the CNM in a TRILL frame, with these fields outside

SOURCE is the address from which the CNM comes. Of a CNM at the first hop only the 14 octets from
Version to cnmQDelta are taken, for the frame of STREAM that its MSDU has: all other octets, there
and at all other hops, are made from that frame and from the text of draft-eastlake-trill-cn-00.
Prints the number of CNMs and the octets of one of them at each hop.
"""
import sys

C_TAG, CN_TAG, CNM, TRILL, OWN = b"\x81\x00", b"\x22\xe9", b"\x22\xe7", b"\x22\xf3", b"\x88\xb5"
MSDU_OCTETS = 64  # ieee8021CnCpMinHeaderOctets
CNM_TAG = C_TAG + b"\xc0\x01"  # VLAN 1 with ieee8021CnGlobalCnmTransmitPriority, 6


def be16(value):
    return value.to_bytes(2, "big")


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


class Frame:
    """A frame, or the inner frame of a TRILL frame: its tags, and where its MSDU begins."""

    def __init__(self, octets):
        self.octets, self.da, self.sa = octets, octets[:6], octets[6:12]
        self.priority = self.flow = None
        at = 12
        if octets[at:at + 2] == C_TAG:
            self.priority = octets[at + 2] >> 5
            at += 4
        if octets[at:at + 2] == CN_TAG:
            self.flow = octets[at + 2:at + 4]
            at += 4
        self.msdu = octets[at:]
        self.type = self.msdu[:2]
        self.inner = Frame(self.msdu[8:]) if self.type == TRILL else None

    def data(self):
        return self.inner or self


def frames_of(name):
    with open(name, encoding="ascii") as lines:
        return [Frame(bytes.fromhex(words[8])) for words in map(str.split, lines) if len(words) == 9]


def sequence_of(msdu, stream):
    """Of the frame of this stream whose first octets these are."""
    at = msdu.find(OWN + stream.to_bytes(4, "big"))
    return int.from_bytes(msdu[at + 6:at + 10], "big") if at >= 0 else None


def cnm(destination, source, flow, head, trigger, octets):
    """IEEE 802.1Q 33.3, with the C-TAG of CNMs: for the frame trigger."""
    msdu = trigger.msdu[:octets]
    return (destination + source + CNM_TAG + CN_TAG + flow + CNM + head
            + be16(trigger.priority << 13) + trigger.da + be16(len(msdu)) + msdu)


def expected(hop, made_of_trill, source, head, trigger):
    """The whole frame at a hop; made_of_trill: a bridge that knows nothing of TRILL made the CNM."""
    kind, words = hop[1], hop[2:]
    if kind == "caused":  # figure 6; the tag and the flow are those of the outer frame
        return cnm(mac(words[0]), source, b"\0\0", head, trigger, MSDU_OCTETS)
    native = trigger.data()
    octets = MSDU_OCTETS
    if made_of_trill:  # without TRILL header, inner addresses and tags
        octets -= 8 + 12 + 4 + (4 if native.flow else 0)
    inner = cnm(native.sa, source, native.flow or b"\0\0", head, native, octets)
    if kind == "native":
        return inner
    destination, sender, hops, egress, ingress = words
    return (mac(destination) + mac(sender) + CNM_TAG + TRILL + be16(int(hops)) + be16(int(egress))
            + be16(int(ingress)) + inner)


def main():
    stream, cpid, source = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), mac(sys.argv[3])
    triggers = {}
    for frame in frames_of(sys.argv[4]):
        sequence = sequence_of(frame.data().msdu[:10], stream)
        if sequence is not None:
            triggers[sequence] = frame
    hops = [argument.split(",") for argument in sys.argv[5:]]
    made_of_trill = hops[0][1] == "caused"
    heads, wrong = {}, 0
    for hop in hops:
        got = []
        for frame in frames_of(hop[0]):
            data = frame.data()
            if data.type != CNM or data.msdu[4:12] != cpid:
                continue
            sequence = sequence_of(data.msdu[26:], stream)
            if sequence in triggers:
                got.append((sequence, frame.octets))
                if hop is hops[0]:
                    heads[sequence] = data.msdu[2:16]
            else:
                print(f"{hop[0]}: CNM for no frame of the stream: {frame.octets.hex()}")
                wrong += 1
        if sorted(sequence for sequence, _ in got) != sorted(heads):
            print(f"{hop[0]}: CNMs for frames {[s for s, _ in got]}, expected {list(heads)}")
            wrong += 1
        for sequence, octets in got:
            if sequence not in heads:
                continue
            want = expected(hop, made_of_trill, source, heads[sequence], triggers[sequence])
            if octets != want:
                print(f"{hop[0]}: frame {sequence}\n  got      {octets.hex()}\n  expected {want.hex()}")
                wrong += 1
        if got:
            print(f"    {hop[0].rsplit('/', 1)[-1]} {hop[1]}: {len(got)} CNMs, {got[0][1].hex()}")
    print(f"{len(triggers)} frames, {len(heads)} CNMs, {wrong} wrong")
    return 1 if wrong or len(heads) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
