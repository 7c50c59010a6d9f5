# SPDX-License-Identifier: BSD-3-Clause
"""A second implementation of the CNMs of an RBridge, from the text of draft-eastlake-trill-cn-00.

reference.py PROGRAM SEED COUNT

Makes COUNT random CNMs to an RBridge, valid ones and others, and as many TRILL frames that its
congestion point samples. PROGRAM, frames, has to answer each as the functions here do. Numbers in
comments are those of the fields in the list of the draft's section 3.1.
"""
import random
import subprocess
import sys

OWN_NICKNAME = 0x0A02
CN_TAG, CNM, TRILL, ISIS, C_TAG = b"\x22\xe9", b"\x22\xe7", b"\x22\xf3", b"\x22\xf4", b"\x81\x00"
TRANSFORMED, NATIVE, OWN, CONTROL, SHORT, MALFORMED = range(6)


def be16(value):
    return value.to_bytes(2, "big", signed=value < 0)


def number(octets):
    return int.from_bytes(octets, "big")


def padded(frame):
    return frame + bytes(max(0, 60 - len(frame)))


class Short(Exception):
    pass


class Reader:
    """The first octets of a TRILL frame's body."""

    def __init__(self, octets):
        self.octets = octets

    def take(self, count):
        if len(self.octets) < count:
            raise Short
        taken, self.octets = self.octets[:count], self.octets[count:]
        return taken


def cnm_frame(destination, source, flow, head, priority, encapsulated, msdu):
    """The new CNM from its addresses on; it has no C-TAG yet."""
    return padded(destination + source + CN_TAG + be16(flow) + CNM + head + be16(priority << 13)
                  + encapsulated + be16(len(msdu)) + msdu)


def transform(frame):
    """Section 3.1. Returns the verdict, and what to send: egress nickname, VID, priority, frame."""
    source = frame[6:12]  # 2
    outer_priority = frame[14] >> 5  # 3
    received_flow = number(frame[18:20])  # 4
    pdu = frame[22:]
    if len(pdu) < 24 or number(pdu[22:24]) > min(64, len(pdu) - 24):
        return (MALFORMED,)
    body = pdu[24:24 + number(pdu[22:24])]  # 9
    if len(body) < 2:
        return (OWN,) if received_flow else (SHORT,)
    if body[:2] == ISIS:
        return (CONTROL,)
    if body[:2] != TRILL:
        return (OWN,)
    reader = Reader(body)
    try:
        reader.take(2)  # 10
        flags = number(reader.take(2))  # 11
        reader.take(2)  # 12
        ingress = number(reader.take(2))  # 13
        reader.take(4 * ((flags // 64) % 32))  # 14
        destination = reader.take(6)  # 15
        station = reader.take(6)  # 16
        tag = reader.take(4)  # 17
        flow = 0
        if reader.octets[:2] == CN_TAG:  # 18
            flow = number(reader.take(4)[2:])
    except Short:
        return (SHORT,)
    vid = number(tag[2:]) % 4096
    valid = (flags < 0x4000 and 1 <= ingress < 0xFFC0 and tag[:2] == C_TAG
             and 1 <= vid <= 4094 and station[0] % 2 == 0)
    if not valid:
        return (MALFORMED,)
    sent = cnm_frame(station, source, flow, pdu[:14], tag[2] >> 5, destination, reader.octets)  # 6, 19
    return (NATIVE if ingress == OWN_NICKNAME else TRANSFORMED, ingress, vid, outer_priority,
            sent.hex())


def units(octets):
    """Of 64 octets, towards zero, in 16 bits."""
    count = abs(octets) // 64 * (-1 if octets < 0 else 1)
    return max(-32768, min(32767, count))


def sample(words, inner, outer_octets):
    """Section 3.2.2: for the frame inner, which the TRILL frame's outer_octets precede."""
    cpid, feedback, qoffset, qdelta, mac, inner_priority, cnm_priority, most = words
    vid, flow, at = number(inner[14:16]) % 4096, 0, 16
    if inner[16:18] == CN_TAG:
        flow, at = number(inner[18:20]), 20
    head = be16(feedback) + cpid + be16(units(qoffset)) + be16(units(qdelta))
    sent = cnm_frame(inner[6:12], mac, flow, head, inner_priority, inner[:6], inner[at:at + most])
    return (number(outer_octets[-2:]), vid, cnm_priority, sent.hex())


def station_address(rng):
    return b"\x02" + rng.randbytes(5)


def inner_frame(rng):
    tag = C_TAG + be16(rng.randrange(8) << 13 | rng.randrange(2) << 12 | rng.randint(1, 4094))
    flow = CN_TAG + rng.randbytes(2) if rng.randrange(2) else b""
    return (station_address(rng) + station_address(rng) + tag + flow + b"\x08\x00"
            + rng.randbytes(rng.randint(46, 100)))


def trill_header(rng, option_words):
    """Without EtherType; with options that are not critical, and a valid hop count."""
    ingress = rng.choice([OWN_NICKNAME, rng.randint(1, 0xFFBF)])
    options = rng.randbytes(4 * option_words)
    return (be16(rng.randrange(4) << 12 | option_words << 6 | rng.randint(1, 63))
            + be16(rng.randint(1, 0xFFBF)) + be16(ingress),
            bytes([options[0] & 0x3F]) + options[1:] if options else b"")


def spoiled(rng, octets):
    """One octet, or the two of a field, made random, or set to limits."""
    at = rng.randrange(min(len(octets), 30))
    value = rng.choice([b"\x00\x00", b"\xff\xff", b"\x0f\xff", rng.randbytes(2), rng.randbytes(1)])
    return octets[:at] + value + octets[at + len(value):]


def random_cnm(rng):
    """What a bridge between RBridges sends, mostly; and frames that it does not send."""
    fixed, options = trill_header(rng, rng.choice([0, 0, 0, 1, 5, 31]))
    body = TRILL + fixed + options + inner_frame(rng)
    kind = rng.randrange(10)
    if kind == 0:
        body = rng.choice([ISIS, b"\x08\x00", rng.randbytes(2)]) + body[2:]
    elif kind <= 3:
        body = spoiled(rng, body)
    body = body[:64 if rng.randrange(2) else rng.randint(0, 64)]
    length = rng.choice([65, 0xFFFF, len(body) + 61, rng.randrange(65)]) if kind == 4 else len(body)
    flow = rng.randbytes(2) if kind == 5 else b"\x00\x00"
    tag = C_TAG + be16(rng.randrange(8) << 13 | 1)
    pdu = rng.randbytes(14) + rng.randbytes(2) + station_address(rng) + be16(length) + body
    frame = padded(station_address(rng) + station_address(rng) + tag + CN_TAG + flow + CNM + pdu)
    return frame[:rng.randint(22, len(frame))] if kind == 6 else frame


def random_sample(rng):
    fixed, options = trill_header(rng, rng.choice([0, 0, 2]))
    fixed = be16(number(fixed[:2]) & ~0x0800) + fixed[2:]  # M needs another outer address
    inner = inner_frame(rng)
    tag = C_TAG + be16(rng.randrange(65536)) if rng.randrange(2) else b""
    outer = station_address(rng) + station_address(rng) + tag + TRILL + fixed
    words = (rng.randbytes(8), rng.randrange(64), rng.randint(-4000000, 4000000),
             rng.randint(-4000000, 4000000), station_address(rng), rng.randrange(8), rng.randrange(8),
             rng.randrange(65))
    return words, inner, outer, outer + options + inner


def text(words):
    return " ".join(word.hex() if isinstance(word, bytes) else str(word) for word in words)


def main():
    program, seed, count = sys.argv[1:]
    rng = random.Random(int(seed))
    asked, expected, verdicts = [], [], [0] * 6
    for _ in range(int(count)):
        frame = random_cnm(rng)
        answer = transform(frame)
        verdicts[answer[0]] += 1
        asked.append(text(("transform", OWN_NICKNAME, frame)))
        expected.append(text(answer))
        words, inner, outer, frame = random_sample(rng)
        asked.append(text(("sample", *words, frame)))
        expected.append(text(sample(words, inner, outer)))
    done = subprocess.run(program.split(), input="\n".join(asked) + "\n", capture_output=True,
                          text=True, check=True)
    got = done.stdout.splitlines()
    wrong = [i for i in range(len(asked)) if i >= len(got) or got[i] != expected[i]]
    for i in wrong[:5]:
        print(f"{asked[i]}\n  got      {got[i] if i < len(got) else None}\n  expected {expected[i]}")
    print(f"{len(asked)} commands, verdicts {verdicts}, {len(wrong)} differences")
    # Each verdict has to occur, so that each is compared.
    return 1 if wrong or len(got) != len(asked) or 0 in verdicts else 0


sys.exit(main())
