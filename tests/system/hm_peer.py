#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A participant in the PFC headroom measurement (P802.1Qdt 36.9) on an interface.

  hm_peer.py run IF [OPTION...]     answers and measures; --bad sends frames that break the rules
  hm_peer.py flood IF [OPTION...]   sends requests, or other HMPDUs, at a rate

Prints one line of JSON for each event and a summary. Times are nanoseconds of CLOCK_REALTIME, and
the kernel's where "stamp" says so; quanta are 512 bit times of --rate. The status of "run" is 0 if
the participant has got the results and given the answers that --results and --answers ask for, 1
if it has not within --seconds.
"""
import argparse
import ctypes
import dataclasses
import heapq
import os
import random
import select
import signal
import socket
import struct
import sys
import time

sys.dont_write_bytecode = True  # the source tree may be read-only
from hm_protocol import (  # noqa: E402
    ADJUSTMENT_MAX, ADJUSTMENT_MIN, Bad, ETHERTYPE, Hmpdu, Out, Participant, REQUEST, RESPONSE,
    RESPONSE_ZERO, Settings, Tuple, mac, print_event)

# --- the socket -----------------------------------------------------------------------

# Values of <linux/net_tstamp.h>, <linux/if_packet.h> and <asm-generic/socket.h>.
SO_ATTACH_FILTER, SO_RCVBUFFORCE, SO_TIMESTAMPING = 26, 33, 37
TX_SOFTWARE, RX_SOFTWARE, SOFTWARE, OPT_TSONLY = 1 << 1, 1 << 3, 1 << 4, 1 << 11
SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 8, 23
ETH_P_ALL = 3
AUXDATA = struct.Struct("=IIIHHHH")
STATUS_VLAN_VALID = 1 << 4
MSG_ERRQUEUE = 0x2000
STAMP_WAIT_S = 0.01
BUFFER_OCTETS = 8 << 20


def only_hmpdus(sock: socket.socket) -> None:
    """Filters by EtherType. A socket bound to it would not see the tag of a tagged frame."""
    program = b"".join(struct.pack("=HBBI", *instruction) for instruction in (
        (0x28, 0, 0, 12), (0x15, 0, 1, ETHERTYPE), (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0)))
    memory = ctypes.create_string_buffer(program)
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                    struct.pack("@HP", 4, ctypes.addressof(memory)))


class Wire:
    """Sends and receives the HMPDUs of an interface, with the kernel's times."""

    def __init__(self, ifname: str) -> None:
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.setblocking(False)
        flags = RX_SOFTWARE | SOFTWARE | OPT_TSONLY
        self.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, flags)
        self.sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_OCTETS)
        only_hmpdus(self.sock)
        self.sock.bind((ifname, ETH_P_ALL))
        self.address = self.sock.getsockname()[4]

    def send(self, frame: bytes, stamped: bool) -> tuple[int, str]:
        """Returns when the frame left, and whose clock it is."""
        self.late_stamps()
        before = time.time_ns()
        if not stamped:
            self.sock.send(frame)
            return before, "program"
        self.sock.sendmsg([frame], [(socket.SOL_SOCKET, SO_TIMESTAMPING,
                                     struct.pack("=I", TX_SOFTWARE))])
        deadline = time.monotonic() + STAMP_WAIT_S
        while time.monotonic() < deadline:
            at = self.stamp(MSG_ERRQUEUE)
            if at:
                return at, "kernel"
        return before, "program"

    def late_stamps(self) -> None:
        while self.stamp(MSG_ERRQUEUE):
            pass

    def stamp(self, flags: int) -> int:
        try:
            _, data, _, _ = self.sock.recvmsg(0, 512, flags | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        return stamp_of(data)

    def receive(self, wait_s: float):
        """Returns (frame, tagged, time, whose clock) or None after the time."""
        try:
            select.select([self.sock], [], [], wait_s)
            frame, data, _, _ = self.sock.recvmsg(65536, 512)
        except BlockingIOError:
            return None
        except OSError:  # the interface is down
            time.sleep(min(wait_s, 0.01))
            return None
        tagged = False
        for level, kind, octets in data:
            if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                tagged = bool(AUXDATA.unpack(octets[:AUXDATA.size])[0] & STATUS_VLAN_VALID)
        at = stamp_of(data)
        return frame, tagged, at or time.time_ns(), "kernel" if at else "program"


def stamp_of(data: list) -> int:
    for level, kind, octets in data:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPING):
            seconds, ns = struct.unpack("@ll", octets[:struct.calcsize("@ll")])
            return seconds * 10**9 + ns
    return 0


# --- run --------------------------------------------------------------------------------


class Runner:
    """A participant on an interface."""

    def __init__(self, args) -> None:
        self.args = args
        self.wire = Wire(args.interface)
        names = {f.name for f in dataclasses.fields(Settings)}
        values = {k: v for k, v in vars(args).items() if k in names}
        values["source"] = args.source or self.wire.address
        values["max_round_trip_ns"] = int(args.max_round_trip * 10**6)
        self.set = Settings(**values)
        self.rng = random.Random(args.seed)
        self.one = Participant(self.set, self.rng, print_event)
        self.bad = Bad(self.set, self.rng)
        self.kind, _, value = (args.bad or "").partition("=")
        self.value = value or None
        if self.kind and self.kind not in Bad.ALONE + Bad.ANSWER:
            sys.exit(f"--bad {self.kind}: expected one of {', '.join(Bad.ALONE + Bad.ANSWER)}")
        self.bad_sent = 0
        self.later: list = []  # heap of (when, number, frame)
        self.ended = self.done = False

    def send(self, frame: bytes, timestamp: int | None = None) -> None:
        try:
            at, stamp = self.wire.send(frame, timestamp is not None)
        except OSError as e:  # the interface is down
            self.one.count("not_sent")
            print_event("not sent", reason=os.strerror(e.errno))
            return
        if timestamp is not None:
            self.one.departed(timestamp, at, stamp)

    def send_pdu(self, out: Out) -> None:
        pdu = out.pdu
        self.send(pdu.frame(self.set.source), out.timestamp)
        for _ in pdu.find(REQUEST):
            self.one.count("requests_sent")
        for _ in pdu.find(RESPONSE, RESPONSE_ZERO):
            self.one.count("responses_sent")
        print_event("sent", at=time.time_ns(), **pdu.shown())

    def send_out(self, out: Out) -> None:
        """Sends a frame of the participant, or the one that --bad makes of a response."""
        responses = out.pdu.find(RESPONSE, RESPONSE_ZERO)
        if not responses or self.kind not in ("replay", "future", "late"):
            self.send_pdu(out)
            return
        self.bad_sent += 1
        if self.kind == "late":
            self.defer(int(float(self.value or 2000) * 10**6), out)
            return
        if self.kind == "future":
            future = dataclasses.replace(responses[0],
                                         timestamp=(responses[0].timestamp + 10**5) % 2**32)
            self.send(Hmpdu(future, Tuple(), out.pdu.low_bits).frame(self.set.source))
        self.send_pdu(out)
        if self.kind == "replay":
            alone = Hmpdu(responses[0], Tuple(), out.pdu.low_bits)
            self.send(alone.frame(self.set.source))

    def defer(self, ns: int, out: Out) -> None:
        heapq.heappush(self.later, (time.time_ns() + ns, self.bad_sent, out))

    def receive(self, frame: bytes, tagged: bool, at: int, stamp: str) -> None:
        if not frame[6] & 1 and frame[6:12] != self.set.source:
            self.bad.neighbor = frame[6:12]
        if self.kind == "echo":
            self.bad_sent += 1
            self.send(frame)
        for out in self.one.receive(frame, tagged, at, time.time_ns(), stamp):
            self.send_out(out)

    def send_bad(self) -> None:
        frame = self.bad.frame(self.kind, self.bad_sent, self.value)
        self.bad_sent += 1
        self.send(frame)
        print_event("bad", kind=self.kind, octets=frame.hex())

    def bad_due(self) -> bool:
        """Bad frames begin when the neighbor has been heard, or has not been for a second."""
        return (self.kind in Bad.ALONE and self.bad_sent < self.args.times and
                (self.one.heard > 0 or time.monotonic() > self.started + 1))

    def satisfied(self) -> bool:
        one, wanted = self.one, max(self.args.results, 0)
        if self.args.strategy in ("answer", "silent"):
            wanted = 0
        return (len(one.delays) >= wanted and
                one.counts.get("responses_sent", 0) >= self.args.answers and
                (not self.kind or self.bad_sent >= self.args.times))

    def wait_s(self) -> float:
        """Until the next thing to do, and not long, to notice a signal."""
        times = [t for t in (self.one.next_time(), self.later[0][0] if self.later else None) if t]
        wait = min([0.05] + [(t - time.time_ns()) / 1e9 for t in times])
        return 0 if self.bad_due() else max(wait, 0)

    def turn(self) -> None:
        got = self.wire.receive(self.wait_s())
        if got:
            self.receive(*got)
            if self.args.wait and self.one.asked_at is None:
                self.begin()
        now = time.time_ns()
        for out in self.one.timer(now):
            self.send_out(out)
        while self.later and self.later[0][0] <= now:
            self.send_pdu(heapq.heappop(self.later)[2])
        if self.bad_due():
            self.send_bad()
            time.sleep(self.args.gap / 1000)
        if not self.done and self.satisfied():
            self.done = True
            print_event("done")

    def run(self) -> int:
        signal.signal(signal.SIGTERM, self.on_signal)
        signal.signal(signal.SIGINT, self.on_signal)
        print_event("ready", address=self.set.source.hex(":"), seed=self.args.seed)
        self.started = time.monotonic()
        if not self.args.wait:
            self.begin()
        while not self.ended and time.monotonic() < self.started + self.args.seconds:
            self.turn()
            if self.done and not self.args.stay:
                break
        print_event("summary", **self.one.summary(), bad=self.bad_sent)
        return 0 if self.done else 1

    def begin(self) -> None:
        for out in self.one.begin(time.time_ns()):
            self.send_out(out)

    def on_signal(self, _number, _frame) -> None:
        self.ended = True


def do_run(args) -> int:
    return Runner(args).run()


def do_flood(args) -> int:
    """Sends frames in bursts of a millisecond. Prints how many, and the rate."""
    wire = Wire(args.interface)
    settings = Settings(source=args.source or wire.address, path=args.path)
    bad = Bad(settings, random.Random(args.seed))
    if args.bad:
        frames = [bad.frame(args.bad, i, None) for i in range(64)]
    else:
        frames = [bad.request().frame(settings.source) for i in range(64)]
    start, sent, failed = time.monotonic(), 0, 0
    while (elapsed := time.monotonic() - start) < args.seconds:
        while sent + failed < elapsed * args.pps:
            try:
                wire.sock.send(frames[sent % 64])
                sent += 1
            except OSError:
                failed += 1
        time.sleep(0.0005)
    print_event("summary", sent=sent, failed=failed,
                per_second=round(sent / (time.monotonic() - start)))
    return 0


# --- the command line -----------------------------------------------------------------------


def adjustment(text: str) -> int:
    value = int(text)
    if not ADJUSTMENT_MIN <= value <= ADJUSTMENT_MAX:
        raise argparse.ArgumentTypeError(f"{text}: expected -32768 to 32767")
    return value


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True)

    def command(name: str, function, *names: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name)
        one.set_defaults(function=function)
        for positional in names:
            one.add_argument(positional)
        one.add_argument("--seed", default=os.environ.get("DCB_SEED", "1"))
        one.add_argument("--rate", type=int, default=10**9, help="bit/s, for quanta")
        return one

    run = command("run", do_run, "interface")
    run.add_argument("--strategy", choices=("combined", "separate", "answer", "silent"),
                     default="combined")
    run.add_argument("--results", type=int, default=2, help="measurements; -1: without end")
    run.add_argument("--answers", type=int, default=0, help="responses to give before it is done")
    run.add_argument("--seconds", type=float, default=60)
    run.add_argument("--stay", action="store_true", help="answers on, until SIGTERM")
    run.add_argument("--source", type=mac, help="another address than the interface's")
    run.add_argument("--path", type=int, choices=range(4), default=0)
    run.add_argument("--version", type=int, choices=range(16), default=0)
    run.add_argument("--minimum", type=int, default=0)
    run.add_argument("--maximum", type=int, default=2**31 - 1)
    run.add_argument("--max-round-trip", type=float, default=1000, help="ms")
    run.add_argument("--request-adjustment", type=adjustment, default=0)
    run.add_argument("--response-adjustment", type=adjustment, default=0)
    run.add_argument("--compensate", action="store_true",
                     help="the response adjustment deducts the time that the answer took")
    run.add_argument("--liar", type=int, default=0, help="quanta, added to the adjustment")
    run.add_argument("--swap", action="store_true", help="requests in the second tuple")
    run.add_argument("--wait", action="store_true", help="begins when it has heard the neighbor")
    run.add_argument("--deaf", type=int, default=0, help="ignores the first HMPDUs")
    run.add_argument("--bad", help="KIND or KIND=VALUE; " + ", ".join(Bad.ALONE) +
                     "; of each response: " + ", ".join(Bad.ANSWER))
    run.add_argument("--times", type=int, default=1, help="bad frames")
    run.add_argument("--gap", type=float, default=1, help="ms between bad frames")
    flood = command("flood", do_flood, "interface")
    flood.add_argument("--pps", type=int, default=10**5)
    flood.add_argument("--seconds", type=float, default=1)
    flood.add_argument("--source", type=mac)
    flood.add_argument("--path", type=int, choices=range(4), default=0)
    flood.add_argument("--bad", choices=Bad.ALONE)
    return top


def main() -> int:
    args = parser().parse_args()
    return args.function(args)


if __name__ == "__main__":
    sys.exit(main())
