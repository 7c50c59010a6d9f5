#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MACsec frames by a second implementation, which shares no code with the SecY and libcrypto.

AES from FIPS 197, GCM from NIST SP 800-38D, frames from IEEE Std 802.1AE clauses 9 and 14.

  oracle.py vectors FILE   protects the frames of tests/vectors/macsec.csv
  oracle.py check          validates the frames that the program frames has made
  oracle.py make SEED N    makes N frames for the program frames
  oracle.py read PCAP KEYS validates the frames of a capture file, and prints for each its SCI
                           and the frame without protection

KEYS has a line for each key: SCI, AN, cipher suite, key, salt, SSCI. PCAP is a classic capture file
of frames with SCI, whose packet numbers are below 2^32.

A frame is a line: cipher suite, key, salt, SCI, SSCI, packet number, confidentiality offset or "-"
for integrity only, the frame, the protected frame; hexadecimal, "-" if the suite has none.
"""
import random
import struct
import sys

XPN = {"GCM-AES-128": False, "GCM-AES-256": False, "GCM-AES-XPN-128": True, "GCM-AES-XPN-256": True}
KEY_OCTETS = {"GCM-AES-128": 16, "GCM-AES-256": 32, "GCM-AES-XPN-128": 16, "GCM-AES-XPN-256": 32}

# --- AES, FIPS 197 -----------------------------------------------------------------------------


def xtime(a):
    return (a << 1 ^ (0x11b if a & 0x80 else 0)) & 0xff


def multiply(a, b):
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = xtime(a), b >> 1
    return product


def make_sbox():
    box = []
    for a in range(256):
        inverse = next((b for b in range(256) if multiply(a, b) == 1), 0)
        bits = inverse
        for shift in range(1, 5):
            bits ^= (inverse << shift | inverse >> 8 - shift) & 0xff
        box.append(bits ^ 0x63)
    return box


SBOX = make_sbox()
TWICE = [xtime(a) for a in range(256)]


def expand_key(key):
    """Returns the round keys, 16 octets each."""
    n = len(key) // 4
    words = [list(key[4 * i : 4 * i + 4]) for i in range(n)]
    constant = 1
    for i in range(n, 4 * (n + 7)):
        word = list(words[-1])
        if i % n == 0:
            word = [SBOX[octet] for octet in word[1:] + word[:1]]
            word[0] ^= constant
            constant = xtime(constant)
        elif n > 6 and i % n == 4:
            word = [SBOX[octet] for octet in word]
        words.append([a ^ b for a, b in zip(word, words[-n])])
    return [sum(words[i : i + 4], []) for i in range(0, len(words), 4)]


def mix_column(c):
    every = c[0] ^ c[1] ^ c[2] ^ c[3]
    return [c[i] ^ every ^ TWICE[c[i] ^ c[(i + 1) % 4]] for i in range(4)]


def encrypt_block(rounds, block):
    state = [a ^ b for a, b in zip(block, rounds[0])]
    for number, key in enumerate(rounds[1:], 1):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]  # SubBytes, ShiftRows
        if number < len(rounds) - 1:
            state = sum((mix_column(state[i : i + 4]) for i in range(0, 16, 4)), [])
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


# --- GCM, SP 800-38D, with an IV of 96 bits ---------------------------------------------------------


def gf_multiply(x, y):
    product = 0
    for bit in range(127, -1, -1):
        if x >> bit & 1:
            product ^= y
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return product


def ghash(h, data):
    y = 0
    for i in range(0, len(data), 16):
        y = gf_multiply(y ^ int.from_bytes(data[i : i + 16], "big"), h)
    return y


def padded(data):
    return data + bytes(-len(data) % 16)


def gctr(rounds, iv, counter, data):
    out = bytearray()
    for i in range(0, len(data), 16):
        stream = encrypt_block(rounds, iv + (counter + i // 16).to_bytes(4, "big"))
        out += bytes(a ^ b for a, b in zip(data[i : i + 16], stream))
    return bytes(out)


def tag_of(rounds, iv, a, c):
    h = int.from_bytes(encrypt_block(rounds, bytes(16)), "big")
    lengths = (8 * len(a)).to_bytes(8, "big") + (8 * len(c)).to_bytes(8, "big")
    s = ghash(h, padded(a) + padded(c) + lengths)
    return gctr(rounds, iv, 1, s.to_bytes(16, "big"))


# --- MACsec -------------------------------------------------------------------------------------------


def iv_of(suite, salt, sci, ssci, pn):
    """14.5 to 14.8."""
    if not XPN[suite]:
        return sci + (pn & 0xFFFFFFFF).to_bytes(4, "big")
    mask = ssci + pn.to_bytes(8, "big")
    return bytes(a ^ b for a, b in zip(salt, mask))


class Frame:
    """A line."""

    def __init__(self, fields):
        self.suite, key, salt, sci, ssci, pn, offset, plain, secured = fields
        self.rounds = expand_key(bytes.fromhex(key))
        assert len(key) == 2 * KEY_OCTETS[self.suite]
        self.salt, self.ssci = (bytes.fromhex(t.replace("-", "")) for t in (salt, ssci))
        self.sci, self.pn = bytes.fromhex(sci), int(pn, 16)
        self.offset = None if offset == "-" else int(offset)
        self.plain, self.secured = bytes.fromhex(plain), bytes.fromhex(secured)
        self.iv = iv_of(self.suite, self.salt, self.sci, self.ssci, self.pn)

    def protect(self, tag):
        data = self.plain[12:]
        clear = len(data) if self.offset is None else min(self.offset, len(data))
        a = self.plain[:12] + tag + data[:clear]
        c = gctr(self.rounds, self.iv, 2, data[clear:])
        return a + c + tag_of(self.rounds, self.iv, a, c)

    def validate(self):
        """Returns the frame without SecTAG and ICV; fails if anything of it is wrong."""
        frame = self.secured
        assert frame[12:14] == b"\x88\xe5"
        tci, sl = frame[14], frame[15]
        assert not tci & 0x80 and sl < 48
        assert bool(tci & 0x08) == bool(tci & 0x04) == (self.offset is not None)
        assert int.from_bytes(frame[16:20], "big") == self.pn & 0xFFFFFFFF
        data = 28 if tci & 0x20 else 20
        if tci & 0x20:
            assert frame[20:28] == self.sci
        if tci & 0x40:
            assert frame[6:12] + b"\x00\x01" == self.sci
        octets = len(frame) - data - 16
        assert sl == (octets if octets < 48 else 0)
        clear = octets if self.offset is None else min(self.offset, octets)
        a, c, icv = frame[: data + clear], frame[data + clear : -16], frame[-16:]
        assert tag_of(self.rounds, self.iv, a, c) == icv
        return frame[:12] + frame[data : data + clear] + gctr(self.rounds, self.iv, 2, c)


# --- commands ----------------------------------------------------------------------------------------


def vectors(path):
    n = 0
    with open(path, encoding="ascii") as rows:
        next(rows)
        for row in rows:
            name, _, inputs, outputs = row.strip().split(",")
            v = dict(pair.split("=") for pair in inputs.split(";"))
            secured = outputs.split("=")[1]
            tci = int(secured[28:30], 16)
            tag = bytes.fromhex(secured[24 : 24 + (32 if tci & 0x20 else 16)])
            offset = "0" if tci & 0x08 else "-"
            frame = Frame(
                [v["suite"], v["key"], v.get("salt", "-"), v["sci"], v.get("ssci", "-"), v["pn"]]
                + [offset, v["frame"], secured]
            )
            assert frame.protect(tag) == frame.secured, name
            assert frame.validate() == frame.plain, name
            n += 1
    assert n == 32
    print(f"oracle: the {n} frames of the standard")


def check():
    n = 0
    for n, line in enumerate(sys.stdin, 1):
        frame = Frame(line.split())
        assert frame.validate() == frame.plain, line
    assert n > 0
    print(f"oracle: {n} frames of the SecY are valid")


def make_line(rng):
    suite = rng.choice(sorted(XPN))
    octets = rng.randbytes
    pn = rng.randrange(1, 1 << (64 if XPN[suite] else 32))
    offset = rng.choice(["-", "0"] if XPN[suite] else ["-", "0", "30", "50"])
    data = octets(rng.choice([rng.randint(1, 130), rng.randint(1, 1502)]))
    sci = octets(6) + rng.randint(1, 0xFFFF).to_bytes(2, "big")
    plain = octets(12) + data
    xpn = [octets(12).hex(), octets(4).hex()] if XPN[suite] else ["-", "-"]
    fields = [suite, octets(KEY_OCTETS[suite]).hex(), xpn[0], sci.hex(), xpn[1], f"{pn:016x}"]
    frame = Frame(fields + [offset, plain.hex(), ""])
    with_sci = rng.random() < 0.5
    tci = (0x20 if with_sci else 0) | (0 if offset == "-" else 0x0C) | rng.randrange(4)
    tag = bytes([0x88, 0xE5, tci, len(data) if len(data) < 48 else 0])
    tag += (pn & 0xFFFFFFFF).to_bytes(4, "big") + (sci if with_sci else b"")
    return fields + [offset, plain.hex(), frame.protect(tag).hex()]


def make(seed, n):
    rng = random.Random(seed)
    for _ in range(n):
        print(*make_line(rng))


def captured(path):
    """Yields the frames of a capture file with the byte order of this machine."""
    with open(path, "rb") as file:
        assert struct.unpack("=I", file.read(24)[:4]) == (0xA1B2C3D4,), path
        while head := file.read(16):
            _, _, octets, on_link = struct.unpack("=IIII", head)
            assert octets == on_link
            yield file.read(octets)


def read(path, keys_path):
    with open(keys_path, encoding="ascii") as lines:
        keys = {(sci, int(an)): rest for sci, an, *rest in map(str.split, lines)}
    for frame in captured(path):
        sci, tci = frame[20:28].hex(), frame[14]
        assert tci & 0x20, frame.hex()
        suite, key, salt, ssci = keys[sci, tci & 3]
        fields = [suite, key, salt, sci, ssci, frame[16:20].hex(), "0" if tci & 8 else "-", ""]
        print(sci, Frame([*fields, frame.hex()]).validate().hex())


if __name__ == "__main__":
    if sys.argv[1:2] == ["vectors"] and len(sys.argv) == 3:
        vectors(sys.argv[2])
    elif sys.argv[1:] == ["check"]:
        check()
    elif sys.argv[1:2] == ["make"] and len(sys.argv) == 4:
        make(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["read"] and len(sys.argv) == 4:
        read(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
