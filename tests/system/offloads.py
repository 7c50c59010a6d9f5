#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of a host, and a virtual machine on a tap, for offloads.sh.

  offloads.py serve                  TCP and UDP on port 5000: see "tcp" and "udp"
  offloads.py tcp ADDRESS OCTETS     sends random octets, and compares the hash that the server returns
  offloads.py udp ADDRESS N OCTETS   sends N datagrams of OCTETS by one call (UDP_SEGMENT); the server
                                     prints one line for each: octets, and whether they are right
  offloads.py vm TAP MAC MAC         creates a tap as a virtual machine has it. For each line of the
                                     standard input writes one frame: "good", of 20000 octets for fifteen
                                     wire frames of TCP, or "bad", of which a fragment is to be segmented
"""
import fcntl
import hashlib
import os
import random
import select
import socket
import struct
import sys

PORT = 5000
SOL_UDP, UDP_SEGMENT = 17, 103  # <linux/udp.h>
TUNSETIFF, TUNSETOFFLOAD = 0x400454ca, 0x400454d0  # <linux/if_tun.h>
IFF_TAP, IFF_NO_PI, IFF_VNET_HDR = 0x0002, 0x1000, 0x4000


def pattern(number, octets):
    return bytes((number + i) & 0xff for i in range(octets))


def serve_tcp(listener):
    client, _ = listener.accept()
    digest, left = hashlib.sha256(), struct.unpack("!Q", client.recv(8, socket.MSG_WAITALL))[0]
    while left:
        octets = client.recv(min(left, 1 << 20))
        if not octets:
            return
        digest.update(octets)
        left -= len(octets)
    client.sendall(digest.digest())
    client.close()


def serve():
    tcp = socket.create_server(("::", PORT), family=socket.AF_INET6, dualstack_ipv6=True)
    udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    udp.bind(("::", PORT))
    print("ready", flush=True)
    while True:
        for ready in select.select([tcp, udp], [], [])[0]:
            if ready is tcp:
                serve_tcp(tcp)
            else:
                octets = udp.recv(65536)
                print("udp", len(octets), octets == pattern(octets[0], len(octets)), flush=True)


def send_tcp(address, octets):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    data = random.randbytes(octets)
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.connect((address, PORT))
        s.sendall(struct.pack("!Q", octets) + data)
        if s.recv(32, socket.MSG_WAITALL) != hashlib.sha256(data).digest():
            sys.exit("the server has other octets")


def send_udp(address, n, octets):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.setsockopt(SOL_UDP, UDP_SEGMENT, octets)
        s.sendto(b"".join(pattern(i, octets) for i in range(n)), (address, PORT))


def checksum(octets):
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def frame_of_vm(da, sa, fragment):
    """Returns a struct virtio_net_hdr and an unfinished TCP segment, for 15 wire frames."""
    payload = bytes(20000)
    addresses = bytes([10, 0, 0, 1, 10, 0, 0, 2])
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + len(payload), 1, 0x2000 if fragment else 0, 64, 6, 0) + addresses
    ip = ip[:10] + struct.pack("!H", ~checksum(ip) & 0xffff) + ip[12:]
    pseudo = checksum(addresses + struct.pack("!HH", 6, 20 + len(payload)))
    tcp = struct.pack("!HHIIBBHHH", 7, 9, 0, 0, 0x50, 0x10, 1000, pseudo, 0)
    header = struct.pack("<BBHHHH", 1, 1, 54, 1400, 34, 16)
    return header + da + sa + b"\x08\x00" + ip + tcp + payload


def vm(name, da, sa):
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH14x", name.encode(), IFF_TAP | IFF_NO_PI | IFF_VNET_HDR))
    fcntl.ioctl(tap, TUNSETOFFLOAD, 0)
    print("ready", flush=True)
    addresses = [bytes.fromhex(a.replace(":", "")) for a in (da, sa)]
    for line in sys.stdin:
        os.write(tap, frame_of_vm(*addresses, line.strip() == "bad"))


def main():
    command, *arguments = sys.argv[1:]
    if command == "serve":
        serve()
    elif command == "tcp":
        send_tcp(arguments[0], int(arguments[1]))
    elif command == "udp":
        send_udp(arguments[0], int(arguments[1]), int(arguments[2]))
    elif command == "vm":
        vm(*arguments)


main()
