#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The links between the SecYs of macsec_kernel.sh: interfaces, and the network devices of QEMU.

  macsec_wire.py SEED CAPTURE IF,ADDRESS,OWN-SOCKET,QEMU-SOCKET...

ADDRESS is that of QEMU's device; frames to others are counted and discarded. Before each fourth
frame of a direction it sends a forged copy, with an octet of the Secure Data or the ICV altered,
and after each third frame a replayed copy. Prints "ready". Writes the protected frames from the
interfaces that it passes on to the capture file, without copies, and at SIGTERM prints a line of
JSON for each link and direction.
"""
import json
import random
import selectors
import signal
import socket
import struct
import sys
import time

ETH_P_ALL = 3
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
ETHERTYPE_MACSEC = b"\x88\xe5"
SECTAG_END = 12 + 16  # addresses, and a SecTAG with SCI
ENCRYPTED = 0x0C  # E and C
FRAME_MAX = 65536
PING = b"\x5a" * 16


class Direction:
    """Counts and alters the frames of one direction of a link, those to address if it is set."""

    def __init__(self, link, name, address, rng):
        self.address = address
        self.rng = rng
        self.counts = {"link": link, "to": name, "frames": 0, "forged": 0, "replayed": 0,
                       "unprotected": 0, "encrypted": 0, "readable": 0, "longest": 0, "others": 0}

    def copies(self, frame):
        """Returns what to send for a frame."""
        counts = self.counts
        if frame[12:14] != ETHERTYPE_MACSEC:
            counts["unprotected"] += 1
            return [frame]
        if self.address and frame[:6] != self.address:
            counts["others"] += 1
            return []
        counts["frames"] += 1
        counts["encrypted"] += frame[14] & ENCRYPTED == ENCRYPTED
        counts["readable"] += PING in frame
        counts["longest"] = max(counts["longest"], len(frame))
        out = [frame]
        if counts["frames"] % 4 == 0:
            forged = bytearray(frame)
            forged[self.rng.randrange(SECTAG_END, len(frame))] ^= 1 << self.rng.randrange(8)
            out.insert(0, bytes(forged))
            counts["forged"] += 1
        if counts["frames"] % 3 == 0:
            out.append(frame)
            counts["replayed"] += 1
        return out


class Capture:
    """A classic pcap file with times in microseconds."""

    def __init__(self, path):
        self.file = open(path, "wb", buffering=0)
        self.file.write(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, FRAME_MAX, 1))

    def write(self, frame):
        seconds, fraction = divmod(time.time_ns() // 1000, 1000000)
        self.file.write(struct.pack("=IIII", seconds, fraction, len(frame), len(frame)) + frame)


def interface(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    sock.bind((name, ETH_P_ALL))
    return sock


def main():
    seed, capture, links = sys.argv[1], Capture(sys.argv[2]), sys.argv[3:]
    rng = random.Random(int(seed))
    selector = selectors.DefaultSelector()
    directions = []

    def add(sock, link, address, send):
        direction = Direction(link, "guest" if address else "secy", address, rng)
        directions.append(direction)

        def run():
            frame = sock.recv(FRAME_MAX)
            copies = direction.copies(frame)
            if address and copies:
                capture.write(frame)
            for copy in copies:
                send(copy)
        selector.register(sock, selectors.EVENT_READ, run)

    def end(*_):
        raise SystemExit

    signal.signal(signal.SIGTERM, end)
    for link in links:
        name, address, own, qemu = link.split(",")
        outside = interface(name)
        guest = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        guest.bind(own)
        add(outside, name, bytes.fromhex(address.replace(":", "")),
            lambda frame, s=guest, to=qemu: s.sendto(frame, to))
        add(guest, name, None, outside.send)
    print("ready", flush=True)
    try:
        while True:
            for key, _ in selector.select():
                key.data()
    finally:
        for direction in directions:
            print(json.dumps(direction.counts), flush=True)


main()
