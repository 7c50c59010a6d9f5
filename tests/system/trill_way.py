# SPDX-License-Identifier: BSD-3-Clause
"""One CNM of a TRILL campus on each link of its way, decoded.

trill_way.py NAMES STREAM CPID SOURCE TRIGGERS HOP...

NAMES: a file with lines "MAC-ADDRESS NODE PORT" and "NICKNAME NODE". The other arguments are those
of trill_cnm.py. Prints, below 80 columns, the frame that caused the CNM, then the CNM at each hop,
a field a line. The first column compares it with the hop before: + a new field, * another value,
- a field that is gone.
"""
import sys

sys.dont_write_bytecode = True  # the source tree may be read-only
from trill_cnm import C_TAG, CNM, CN_TAG, TRILL, Frame, sequence_of  # noqa: E402

COLUMNS = 16  # octets of an MSDU in a line


def read_names(name):
    names = {}
    with open(name, encoding="ascii") as lines:
        for line in lines:
            key, *words = line.split()
            names[key] = " ".join(words)
    return names


def captured(name):
    """The frames of a list, each with its time of reception in microseconds."""
    with open(name, encoding="ascii") as lines:
        for words in map(str.split, lines):
            if len(words) == 9:
                yield int(words[7]), Frame(bytes.fromhex(words[8]))


def number(octets):
    return int.from_bytes(octets, "big")


class Decoder:
    """Fields of a frame: (name, text, octets to print below it)."""

    def __init__(self, names):
        self.names = names

    def address(self, octets):
        name = self.names.get(octets.hex(":"), "not an address of the campus")
        return f"{octets.hex('-')}  {name}"

    def nickname(self, octets):
        return f"{number(octets)} ({self.names.get(str(number(octets)), 'unknown')})"

    def header(self, frame, prefix):
        yield prefix + "DA", self.address(frame.da), b""
        yield prefix + "SA", self.address(frame.sa), b""
        if frame.octets[12:14] == C_TAG:
            yield prefix + "C-TAG", f"priority {frame.priority}, VLAN {number(frame.octets[14:16]) & 0xfff}", b""
        if frame.flow is not None:
            yield prefix + "CN-TAG", f"flow {frame.flow.hex()}", b""

    def trill_header(self, octets):
        """RFC 6325 3: version, M and hop count in the first two octets."""
        first = number(octets[:2])
        return (f"egress {self.nickname(octets[2:4])}, ingress {self.nickname(octets[4:6])}, "
                f"hops {first & 0x3f}, {'multi-destination' if first & 0x800 else 'unicast'}")

    def fields(self, frame):
        if frame.inner:
            yield from self.header(frame, "outer ")
            yield "TRILL", self.trill_header(frame.msdu[2:8]), b""
            frame = frame.inner
        yield from self.header(frame, "")
        if frame.type == CNM:
            yield from self.cnm(frame.msdu[2:])
        else:
            yield "type", frame.type.hex(), b""

    def cnm(self, pdu):
        """IEEE 802.1Q 33.4."""
        version_to_feedback, offset, delta = number(pdu[:2]), pdu[10:12], pdu[12:14]
        msdu = pdu[24:24 + number(pdu[22:24])]
        yield "CPID", pdu[2:10].hex("-"), b""
        yield "feedback", (f"{version_to_feedback & 0x3f}, cnmQOffset {signed(offset)}, "
                           f"cnmQDelta {signed(delta)}; version {version_to_feedback >> 12}"), b""
        yield "about", f"a frame of priority {pdu[14] >> 5} to {self.names.get(pdu[16:22].hex(':'), '?')}", b""
        yield "MSDU", f"{len(msdu)} octets, {self.msdu_text(msdu)}", msdu
        yield "padding", f"{len(pdu) - 24 - len(msdu)} octets", b""

    def msdu_text(self, msdu):
        """The tags and TRILL header at its beginning."""
        at, parts = 0, []
        while True:
            kind = msdu[at:at + 2]
            if kind == TRILL:
                parts.append("a TRILL header")
                at += 8
                if len(msdu) >= at + 12:
                    parts.append("addresses")
                    at += 12
            elif kind in (C_TAG, CN_TAG):
                parts.append("a C-TAG" if kind == C_TAG else "a CN-TAG")
                at += 4
            else:
                parts.append(f"type {kind.hex()}" if len(kind) == 2 else "nothing")
                return ", ".join(parts)


def signed(octets):
    return int.from_bytes(octets, "big", signed=True)


def print_frame(fields, before):
    now = {name for name, _, _ in fields}
    old = {name: (text, octets) for name, text, octets in before or []}
    for name in [name for name in old if name not in now]:
        print(f"  - {name}")
    for name, text, octets in fields:
        mark = " "
        if before is not None and name not in old:
            mark = "+"
        elif before is not None and old[name] != (text, octets):
            mark = "*"
        print(f"  {mark} {name:11} {text}")
        if before is None or mark != " ":
            for at in range(0, len(octets), COLUMNS):
                print(f"{'':16}{octets[at:at + COLUMNS].hex(' ')}")


def find_cnm(hop, cpid, stream, sequence=None):
    """The first CNM there, or that for this frame: its time, the frame, the sequence number."""
    for time, frame in captured(hop[0]):
        data = frame.data()
        if data.type == CNM and data.msdu[4:12] == cpid:
            of = sequence_of(data.msdu[26:], stream)
            if of is not None and sequence in (None, of):
                return time, frame, of
    sys.exit(f"{hop[0]}: no CNM of {cpid.hex()} for a frame of the stream")


def node_of(list_name):
    """The lists of node rb1 are list-rb1.NUMBER.log."""
    return list_name.rsplit("list-", 1)[-1].split(".")[0]


def main():
    decoder = Decoder(read_names(sys.argv[1]))
    stream, cpid, triggers = int(sys.argv[2]), bytes.fromhex(sys.argv[3]), sys.argv[5]
    hops = [argument.split(",") for argument in sys.argv[6:]]
    first, _, sequence = find_cnm(hops[0], cpid, stream)
    place, start, before, octets = node_of(triggers), None, None, b""
    for time, frame in captured(triggers):
        if sequence_of(frame.data().msdu[:10], stream) == sequence:
            start = time
            print(f"Its cause, as it arrives at {place}: frame {sequence + 1} of a burst, "
                  f"{len(frame.octets)} octets")
            print_frame(list(decoder.fields(frame)), None)
    if start is None:
        sys.exit(f"{triggers}: not the frame {sequence} that the CNM is for")
    sender = place
    for hop in hops:
        time, frame, _ = find_cnm(hop, cpid, stream, sequence)
        kind = "in a TRILL frame" if frame.inner else "native"
        if frame.octets == octets:
            kind += ", unchanged"
        print(f"\n{sender} -> {node_of(hop[0])}: {kind}, {len(frame.octets)} octets, "
              f"{(time - start) / 1000:.1f} ms after the frame")
        fields = list(decoder.fields(frame))
        print_frame(fields, before)
        before, octets, sender = fields, frame.octets, node_of(hop[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
