#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What macsec.sh needs to know of MACsec; shares no code with dcbd.

  macsec.py sas               SCI and AN of the frames, each pair once; reads lines of "frames list -x"
  macsec.py numbers           checks that no packet number is repeated or late in an SA
  macsec.py file KEY STATE    the file of packet numbers of a key
  macsec.py set FILE NEXT     sets the next packet number in such a file
  macsec.py memory PID KEY... counts the keys in the writable memory of a process: locked, not locked
"""
import hashlib
import re
import sys
import zlib

ETHERTYPE = "88e5"


def protected():
    """Yields SCI, AN and PN of each protected frame on standard input."""
    for line in sys.stdin:
        octets = line.split()[-1]
        if len(octets) < 56 or octets[24:28] != ETHERTYPE:
            continue
        tci_an = int(octets[28:30], 16)
        if not tci_an & 0x20:
            sys.exit("no SCI: " + line)
        yield octets[40:56], tci_an & 3, int(octets[32:40], 16)


def print_sas():
    for sci, an in sorted({(sci, an) for sci, an, _ in protected()}):
        print(sci, an)


def check_numbers():
    last, n = {}, 0
    for sci, an, pn in protected():
        if pn <= last.get((sci, an), 0):
            sys.exit(f"SCI {sci} AN {an}: {pn} after {last[sci, an]}")
        last[sci, an] = pn
        n += 1
    if n == 0:
        sys.exit("no frames")
    print(n, "frames", last)


def file_of(key, state):
    text = b"dcb-agent packet numbers\0" + bytes.fromhex(key)
    return f"{state}.pn-{hashlib.sha256(text).hexdigest()[:32]}"


def set_next(path, number):
    with open(path, encoding="ascii") as f:
        body = f.read().split("crc32")[0]
    body = re.sub(r"next = \d+;", f"next = {number};", body)
    with open(path, "w", encoding="ascii") as f:
        f.write(f'{body}crc32 = "{zlib.crc32(body.encode()):08x}";\n')


def writable(pid):
    """Yields first address, end, name, and whether it is locked, of each writable mapping."""
    with open(f"/proc/{pid}/smaps", encoding="ascii", errors="replace") as f:
        for line in f:
            m = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)", line)
            if m:
                begin, end, access, name = int(m[1], 16), int(m[2], 16), m[3], m[4]
            elif line.startswith("VmFlags:") and access.startswith("rw"):
                yield begin, end, name, "lo" in line.split()


def places(mem, begin, end, forms):
    """Yields the address and the number of the form of each place."""
    at, before = begin, b""
    while at < end:
        mem.seek(at)
        try:
            part = mem.read(min(1 << 20, end - at))
        except OSError:
            return
        if not part:
            return
        whole = before + part
        for n, form in enumerate(forms):
            i = whole.find(form)
            while i >= 0:
                yield at - len(before) + i, n
                i = whole.find(form, i + 1)
        at += len(part)
        before = whole[-(len(forms[-1]) - 1) :]


def check_memory(pid, keys):
    forms = [f(k) for f in (bytes.fromhex, str.encode, lambda k: k.upper().encode()) for k in keys]
    found, mappings = {True: set(), False: set()}, 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for begin, end, name, locked in writable(pid):
            mappings += 1
            for address, n in places(mem, begin, end, forms):
                found[locked].add(f"form {n} at {address:x} in {name} {begin:x}-{end:x}")
    print(f"{mappings} mappings, keys {len(found[True])} times in locked memory, {len(found[False])} times elsewhere")
    for place in found[False]:
        print(place)
    if found[False] or not found[True]:
        sys.exit(1)


def main(command, *arguments):
    if command == "sas":
        print_sas()
    elif command == "numbers":
        check_numbers()
    elif command == "file":
        print(file_of(*arguments))
    elif command == "set":
        set_next(arguments[0], int(arguments[1]))
    elif command == "memory":
        check_memory(arguments[0], arguments[1:])
    else:
        sys.exit(__doc__)


main(*sys.argv[1:] or ["help"])
