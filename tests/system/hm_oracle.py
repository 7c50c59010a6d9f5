#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""True round trips, exchanges and frames of the PFC headroom measurement (P802.1Qdt 36.9).

  hm_oracle.py truth LOG          round trips in the output of tests/system/delay_line
  hm_oracle.py compare LOG RUN    compares the results in the output of "hm_peer.py run" with these
  hm_oracle.py accuracy LOG FILE  compares averages with these: lines "FIRST COUNT AVERAGE DROPS"
  hm_oracle.py figure             the four exchanges of figure 36-14, frame by frame, as its text
                                  tells them; virtual time, no interface
  hm_oracle.py write FILE         a capture file of HMPDUs; prints the fields for a dissector

Prints lines of JSON, "write" lines of fields separated by tabs.
"""
import argparse
import dataclasses
import heapq
import json
import os
import random
import statistics
import struct
import sys

sys.dont_write_bytecode = True  # the source tree may be read-only
from hm_protocol import (  # noqa: E402
    ADJUSTMENT_MAX, ADJUSTMENT_MIN, Dropped, HEADER, Hmpdu, NEIGHBOR_GROUP, Participant,
    QUANTUM_BITS, REQUEST, RESPONSE, RESPONSE_ZERO, SUBTYPE, Settings, Tuple, UNUSED, check,
    print_event, spread, to_quanta)

# --- the line's times ---------------------------------------------------------------------


def events(path: str, kind: str) -> list:
    with open(path, encoding="ascii") as lines:
        return [e for e in map(json.loads, lines) if e["event"] == kind]


def round_trips(path: str, end: str) -> list:
    """Round trips that the requests and responses of one end took, by the line's times.

    From the arrival of the request at the line's end of "end" to the departure of its response
    there: "ns". "link_ns" leaves out the time that the other end took to answer.
    """
    there, back = ("ab", "ba") if end == "a" else ("ba", "ab")
    asked, trips = {}, []
    for e in events(path, "hmpdu"):
        if e["tx"] is None:
            continue
        try:
            pdu = check(bytes.fromhex(e["octets"]), False, b"")
        except Dropped:
            continue
        for t in pdu.find(REQUEST) if e["way"] == there else []:
            asked[t.timestamp] = e
        for t in pdu.find(RESPONSE, RESPONSE_ZERO) if e["way"] == back else []:
            request = asked.pop(t.timestamp, None)
            if request is None:
                continue
            kernel = request["stamp"] == e["stamp"] == "kernel"
            trips.append({
                "timestamp": t.timestamp, "ns": e["tx"] - request["rx"],
                "link_ns": request["tx"] - request["rx"] + e["tx"] - e["rx"],
                "request_adjustment": t.request_adjustment,
                "response_adjustment": t.response_adjustment if t.use == RESPONSE else 0,
                "stamp": "kernel" if kernel else "program"})
    return trips


def do_truth(args) -> int:
    """Prints the round trips in quanta, and by how much they exceed the time on the line, each by
    itself and not rounded: medians of both have the line's jitter between them."""
    quantum_ns = QUANTUM_BITS * 10**9 / args.rate
    quanta, links, beyond = [], [], []
    for trip in round_trips(args.log, args.end):
        adjustments = trip["request_adjustment"] + trip["response_adjustment"]
        trip["quanta"] = to_quanta(trip["ns"], quantum_ns) + adjustments
        quanta.append(trip["quanta"])
        links.append(to_quanta(trip["link_ns"], quantum_ns))
        beyond.append(round((trip["ns"] - trip["link_ns"]) / quantum_ns + adjustments, 2))
        print_event("round trip", **trip)
    print_event("summary", **spread(quanta), link=spread(links), beyond=spread(beyond))
    return 0


def do_compare(args) -> int:
    """Prints, in quanta, by how much the results differ from the line's times."""
    quantum_ns = QUANTUM_BITS * 10**9 / args.rate
    truth = {t["timestamp"]: t for t in round_trips(args.log, args.end)}
    differences, without, program, wrong = [], 0, 0, 0
    for result in events(args.run, "result"):
        trip = truth.get(result["timestamp"])
        if trip is None:
            without += 1
        elif "program" in (trip["stamp"], result["stamp"]):
            program += 1
        else:
            adjustments = trip["request_adjustment"] + trip["response_adjustment"]
            difference = (result["ns"] - trip["ns"]) / quantum_ns
            differences.append(round(difference, 2))
            if result["calculated"] - adjustments != to_quanta(result["ns"], quantum_ns):
                wrong += 1
    print_event("summary", **spread(differences), without_truth=without, program_stamps=program,
                wrong=wrong)
    return 0


def middle_half(values: list) -> float:
    """The filter that dataplane/core/hm.h describes, over the last eight values."""
    ordered = sorted(values[-8:])
    out = (len(ordered) + 1) // 4
    return statistics.fmean(ordered[out:len(ordered) - out])


def do_accuracy(args) -> int:
    """Prints, in quanta, by how much averages exceed those of the line's times.

    "link" is by how much they exceed the time on the line, without the time that the other end
    took to answer: this has the error of its Response Adjustment, and its item h.
    The round trips of an average: after the first FIRST, up to the COUNTth, since the link came up.
    They are not known if responses were dropped meanwhile, DROPS: the average is left out, as it
    is if the line has no times of the kernel.
    """
    quantum_ns = QUANTUM_BITS * 10**9 / args.rate
    trips = round_trips(args.log, args.end)
    own, link, left_out = [], [], 0
    with open(args.file, encoding="ascii") as lines:
        samples = [[int(word) for word in line.split()] for line in lines]
    for first, count, average, drops in samples:
        used = trips[max(first, count - 8):count]
        if drops or not used or count > len(trips) or any(t["stamp"] != "kernel" for t in used):
            left_out += 1
            continue
        adjusted = [t["ns"] / quantum_ns + t["request_adjustment"] + t["response_adjustment"]
                    for t in used]
        own.append(round(average - middle_half(adjusted), 1))
        link.append(round(average - middle_half([t["link_ns"] / quantum_ns for t in used]), 1))
    print_event("summary", **spread(own), link=spread(link), left_out=left_out)
    return 0


# --- figure 36-14 -------------------------------------------------------------------------


class Exchange:
    """Two participants on a link in virtual time. The unit is the one-way delay, in ns."""

    ONE_WAY = 10**6

    def __init__(self, name: str, strategy: str, lag: int, lost: int, results: int) -> None:
        self.name, self.lost, self.queue, self.number = name, lost, [], 0
        settings = Settings(strategy=strategy, results=results, max_round_trip_ns=10**12)
        self.ends = [Participant(dataclasses.replace(settings, source=bytes([2, 0, 0, 0, 0, i])),
                                 random.Random(i), lambda *a, **k: None) for i in range(2)]
        self.results: list = [[], []]  # times
        self.sent: list = [0, 0]
        self.begin = [0, lag]
        for i in range(2):
            self.push(self.begin[i], i, None)

    def push(self, at: int, end: int, pdu: Hmpdu | None) -> None:
        heapq.heappush(self.queue, (at, self.number, end, pdu))
        self.number += 1

    def send(self, at: int, end: int, outs: list) -> None:
        for out in outs:
            self.sent[end] += 1
            self.push(at + self.ONE_WAY, 1 - end, out.pdu)

    def run(self) -> None:
        while self.queue:
            at, _, end, pdu = heapq.heappop(self.queue)
            one = self.ends[end]
            if pdu is None:
                self.send(at, end, one.begin(at))
                continue
            lost = at < self.begin[end] or self.lost > 0
            self.lost -= lost
            words = ["", "response", "response", "request"]
            print_event("frame", exchange=self.name, sent=at / self.ONE_WAY - 1,
                        by="AB"[1 - end], lost=lost,
                        content=[words[t.use] for t in pdu.tuples if t.use])
            if lost:
                continue
            frame = pdu.frame(self.ends[1 - end].set.source)
            before = len(one.delays)
            self.send(at, end, one.receive(frame, False, at, at, "virtual"))
            self.results[end] += [at] * (len(one.delays) - before)

    def when(self, end: int, result: int, since: int = 0) -> float:
        """When the end got this result, in one-way delays; infinite if it did not."""
        times = self.results[end]
        if len(times) < result:
            return float("inf")
        return (times[result - 1] - since) / self.ONE_WAY


def do_figure(_args) -> int:
    """Each claim of the text of 36.9.6 about the examples of figure 36-14."""
    near, late = Exchange.ONE_WAY // 5, Exchange.ONE_WAY * 3
    first = Exchange("first", "separate", near, 0, 2)
    second = Exchange("second", "combined", near, 0, 3)
    third = Exchange("third", "combined", late, 0, 2)
    fourth = Exchange("fourth", "separate", late, 0, 2)
    for one in (first, second, third, fourth):
        one.run()
    claims = [
        ("first: two results each", max(first.when(0, 2), first.when(1, 2)) < float("inf")),
        ("first: all round trips are right", set(sum((e.delays for e in first.ends), [])) ==
         {to_quanta(2 * Exchange.ONE_WAY, first.ends[0].quantum_ns)}),
        ("second: two results sooner", max(second.when(e, 2) for e in (0, 1)) <
         max(first.when(e, 2) for e in (0, 1))),
        ("second: three in the time of two", max(second.when(e, 3) for e in (0, 1)) <=
         max(first.when(e, 2) for e in (0, 1))),
        ("third: two results within three round trips",
         max(third.when(e, 2, late) for e in (0, 1)) < 6),
        ("fourth: A has two results within four round trips", fourth.when(0, 2, late) < 8),
        ("fourth: A asked again after two requests of B", fourth.sent[0] == 5),
        ("no more than two frames a round trip from each end",
         all(max(e.sent) <= 2 * 5 for e in (first, second, third, fourth))),
    ]
    for text, true in claims:
        print_event("claim", text=text, holds=true)
    print_event("summary", claims=len(claims), hold=sum(t for _, t in claims))
    return 0 if all(t for _, t in claims) else 1


# --- captures -----------------------------------------------------------------------------


def expected(frame: bytes) -> str:
    """The fields of a frame, in the order of tests/wireshark/hmpdu.sh, separated by tabs."""
    head = [frame[0:6].hex(":"), frame[6:12].hex(":")]
    message = ""
    head += [str(frame[HEADER] >> 4), str(frame[HEADER] & 15)]
    if head[3] != str(SUBTYPE):
        return "\t".join(head + [""] * 8)
    if len(frame) == HEADER + 1:
        return "\t".join(head + [""] * 7 + ["HMPDU shorter than its fields"])
    form = frame[HEADER + 1]
    head += [str(v) for v in (form >> 6, form >> 4 & 3, form >> 2 & 3, form & 3)]
    columns: list = [[], [], []]
    for i, use in enumerate([form >> 6, form >> 4 & 3]):
        octets = frame[HEADER + 2 + 8 * i:HEADER + 10 + 8 * i]
        if len(octets) < 8:
            if use != UNUSED or i == 0:
                message = "HMPDU shorter than its fields"
            break
        if use != UNUSED:
            for column, value in zip(columns, struct.unpack(">Ihh", octets)):
                if column is not columns[2] or use == RESPONSE:
                    column.append(str(value))
    if not message and form >> 6 and (form >> 6 == REQUEST) == (form >> 4 & 3 == REQUEST) and \
            form >> 4 & 3:
        message = "two requests" if form >> 6 == REQUEST else "two responses"
    if not message and frame[0:6] != NEIGHBOR_GROUP:
        message = "destination address is not 01-80-C2-00-00-01"
    return "\t".join(head + [",".join(c) for c in columns] + [message])


def captures(rng: random.Random) -> list:
    def some(use: int) -> Tuple:
        edge = [0, 1, -1, ADJUSTMENT_MIN, ADJUSTMENT_MAX, rng.randrange(-2**15, 2**15)]
        return Tuple(use, rng.choice([0, 1, 2**31, 2**32 - 1, rng.randrange(2**32)]),
                     rng.choice(edge), rng.choice(edge))

    source = bytes.fromhex("020000000077")
    frames = []
    for form in range(256):
        pdu = Hmpdu(some(form >> 6), some(form >> 4 & 3), form & 15, 0)
        frames.append(pdu.frame(source, second_present=True))
    for octets in range(16):  # versions, and subtypes of other protocols
        frames.append(Hmpdu(some(REQUEST), Tuple(), 0, 0, octets).frame(source))
    for octets in range(HEADER + 1, HEADER + 18):
        frames.append(Hmpdu(some(REQUEST), some(RESPONSE)).frame(source)[:octets])
    frames.append(Hmpdu(some(RESPONSE), Tuple()).frame(source)[:HEADER + 10])
    frames.append(Hmpdu(some(REQUEST), Tuple()).frame(source, bytes.fromhex("0180c200000e")))
    return frames


def do_write(args) -> int:
    with open(args.file, "wb") as out:
        out.write(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(captures(random.Random(args.seed))):
            out.write(struct.pack("=IIII", i, 0, len(frame), len(frame)) + frame)
            print(expected(frame))
    return 0


# --- the command line -----------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True)
    for name, function, names in (("truth", do_truth, ("log",)),
                                  ("compare", do_compare, ("log", "run")),
                                  ("accuracy", do_accuracy, ("log", "file")),
                                  ("figure", do_figure, ()), ("write", do_write, ("file",))):
        one = commands.add_parser(name)
        one.set_defaults(function=function)
        for positional in names:
            one.add_argument(positional)
        one.add_argument("--end", choices="ab", default="a", help="of the line: who measured")
        one.add_argument("--rate", type=int, default=10**9, help="bit/s, for quanta")
        one.add_argument("--seed", default=os.environ.get("DCB_SEED", "1"))
    return top


def main() -> int:
    args = parser().parse_args()
    return args.function(args)


if __name__ == "__main__":
    sys.exit(main())
