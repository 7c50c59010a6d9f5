# SPDX-License-Identifier: BSD-3-Clause
"""The PFC headroom measurement of P802.1Qdt clause 36.9, for hm_peer.py and hm_oracle.py.

Written from the text of the draft alone: it shares no code with dcbd, and its author has not read
dcbd's. Times are arguments, in nanoseconds; quanta are 512 bit times of a rate.
"""
import argparse
import dataclasses
import json
import math
import random
import statistics
import struct

NEIGHBOR_GROUP = bytes.fromhex("0180c2000001")  # 36.9.2
ETHERTYPE = 0x89A2
SUBTYPE = 1
HEADER = 14
OCTETS_MIN = 60  # of a frame, without FCS
QUANTUM_BITS = 512

# Use of a tuple (36.9.5): bits 8 and 7 of the Format Identifier, or bits 6 and 5.
UNUSED, RESPONSE_ZERO, RESPONSE, REQUEST = range(4)
PATH_DATA_MACSEC = 1  # requests and responses take different paths
ADJUSTMENT_MIN, ADJUSTMENT_MAX = -32768, 32767


class Dropped(Exception):
    """The reason why a received HMPDU has no effect."""


# --- HMPDUs ---------------------------------------------------------------------------


@dataclasses.dataclass
class Tuple:
    use: int = UNUSED
    timestamp: int = 0
    request_adjustment: int = 0
    response_adjustment: int = 0

    def octets(self) -> bytes:
        return struct.pack(">Ihh", self.timestamp, self.request_adjustment,
                           self.response_adjustment)


@dataclasses.dataclass
class Hmpdu:
    first: Tuple
    second: Tuple
    low_bits: int = 0  # bits 4 to 1 of the Format Identifier
    version: int = 0
    subtype: int = SUBTYPE

    @property
    def path(self) -> int:
        return self.low_bits >> 2

    @property
    def tuples(self) -> list:
        return [self.first, self.second]

    def find(self, *uses: int) -> list:
        return [t for t in self.tuples if t.use in uses]

    def octets(self, second_present: bool = False) -> bytes:
        """From the EtherType on. An unused second tuple need not be present."""
        form = self.first.use << 6 | self.second.use << 4 | self.low_bits
        octets = struct.pack(">HBB", ETHERTYPE, self.version << 4 | self.subtype, form)
        octets += self.first.octets()
        if second_present or self.second.use != UNUSED:
            octets += self.second.octets()
        return octets

    def frame(self, source: bytes, destination: bytes = NEIGHBOR_GROUP, **kw) -> bytes:
        return (destination + source + self.octets(**kw)).ljust(OCTETS_MIN, b"\0")

    def shown(self) -> dict:
        names = ["", "response", "response", "request"]
        tuples = [{"use": names[t.use], "timestamp": t.timestamp,
                   "request_adjustment": t.request_adjustment,
                   "response_adjustment": t.response_adjustment if t.use == RESPONSE else 0}
                  for t in self.tuples if t.use != UNUSED]
        return {"version": self.version, "path": self.path, "tuples": tuples}


def decode(frame: bytes) -> Hmpdu:
    """Decodes an untagged frame with the EtherType 89-A2. Raises Dropped."""
    if len(frame) < HEADER + 2:
        raise Dropped("short")
    form = frame[HEADER + 1]
    tuples = []
    for i, use in enumerate([form >> 6, form >> 4 & 3]):
        octets = frame[HEADER + 2 + 8 * i:HEADER + 10 + 8 * i]
        if len(octets) == 8:
            tuples.append(Tuple(use, *struct.unpack(">Ihh", octets)))
        elif use == UNUSED and i == 1:
            tuples.append(Tuple())
        else:
            raise Dropped("short")
    return Hmpdu(tuples[0], tuples[1], form & 15, frame[HEADER] >> 4, frame[HEADER] & 15)


def check(frame: bytes, tagged: bool, own: bytes) -> Hmpdu:
    """Returns the HMPDU of a frame with the EtherType 89-A2. Raises Dropped (36.9.2, 36.9.5)."""
    if tagged:
        raise Dropped("tagged")
    if frame[0:6] != NEIGHBOR_GROUP:
        raise Dropped("destination")
    if frame[6] & 1 or frame[6:12] == bytes(6):
        raise Dropped("source")
    if frame[6:12] == own:
        raise Dropped("own")
    if len(frame) > HEADER and frame[HEADER] & 15 != SUBTYPE:
        raise Dropped("subtype")
    pdu = decode(frame)
    requests, responses = pdu.find(REQUEST), pdu.find(RESPONSE, RESPONSE_ZERO)
    if len(requests) > 1 or len(responses) > 1:
        raise Dropped("twice")
    if not requests and not responses:
        raise Dropped("empty")
    return pdu


# --- the participant: no clock, no socket ---------------------------------------------


@dataclasses.dataclass
class Settings:
    strategy: str = "combined"  # or separate, answer, silent
    source: bytes = bytes([2, 0, 0, 0, 0, 1])
    rate: int = 10**9  # bit/s
    results: int = 2  # "measure" is TRUE until so many responses (36.10); -1: always
    path: int = 0
    version: int = 0
    minimum: int = 0  # bounds of a result, in quanta (36.9.6)
    maximum: int = 2**31 - 1
    max_round_trip_ns: int = 10**9  # a request without response is repeated after it
    request_adjustment: int = 0
    response_adjustment: int = 0
    compensate: bool = False  # the response adjustment deducts the time the answer took
    liar: int = 0  # added to the response adjustment
    swap: bool = False  # own requests in the second tuple
    deaf: int = 0  # HMPDUs that arrive before it is ready


@dataclasses.dataclass
class Out:
    """A frame to send, and the timestamp of its request, if it has one."""
    pdu: Hmpdu
    timestamp: int | None = None


class Participant:
    """The protocol entity of one end (36.10). Times are arguments, in nanoseconds."""

    def __init__(self, settings: Settings, rng: random.Random, event) -> None:
        self.set, self.rng, self.event = settings, rng, event
        self.quantum_ns = QUANTUM_BITS * 10**9 / settings.rate
        self.outstanding: dict = {}  # request timestamp: when it left, whose clock
        self.asked_at: int | None = None
        self.unanswered = 0  # successive requests of the neighbor without a response (36.9.7)
        self.heard = 0
        self.delays: list = []  # results, in quanta
        self.counts: dict = {}
        self.dropped: dict = {}

    @property
    def measure(self) -> bool:
        wanted = self.set.results
        return (self.set.strategy in ("combined", "separate") and
                (wanted < 0 or len(self.delays) < wanted))

    def begin(self, now: int) -> list:
        return [self.request(now)] if self.measure else []

    def timer(self, now: int) -> list:
        """Asks again if no response has come for the maximum round trip (36.9.6)."""
        if not self.measure or self.asked_at is None or now < self.next_time():
            return []
        return [self.request(now)]

    def next_time(self) -> int | None:
        if not self.measure or self.asked_at is None:
            return None
        return self.asked_at + self.set.max_round_trip_ns

    def departed(self, timestamp: int, at: int, stamp: str) -> None:
        """The frame with this request has left. The kernel's time replaces an earlier one."""
        self.outstanding[timestamp] = (at, stamp)

    def receive(self, frame: bytes, tagged: bool, rx: int, now: int, stamp: str) -> list:
        """Processes a frame. Returns the frames to send."""
        self.heard += 1
        try:
            if self.heard <= self.set.deaf:
                raise Dropped("deaf")
            pdu = check(frame, tagged, self.set.source)
            if pdu.path != self.set.path:
                raise Dropped("path")
            if pdu.path == PATH_DATA_MACSEC and len(pdu.find(UNUSED)) != 1:
                raise Dropped("path")
        except Dropped as reason:
            self.drop(str(reason), frame)
            return []
        self.event("received", at=rx, **pdu.shown())
        return self.process(pdu, rx, now, stamp)

    def process(self, pdu: Hmpdu, rx: int, now: int, stamp: str) -> list:
        responses = pdu.find(RESPONSE, RESPONSE_ZERO)
        requests = pdu.find(REQUEST)
        prompt = False
        for response in responses:
            self.count("responses_received")
            self.unanswered = 0
            prompt = self.result(response, rx, stamp) and self.measure
        if requests:
            self.count("requests_received")
            if not responses:
                self.unanswered += 1
        if self.unanswered >= 2 and self.measure:
            prompt = True  # our request was lost
            self.unanswered = 0
        if self.set.strategy == "silent":
            return []
        answer = self.answer(pdu, rx, now) if requests else None
        return self.transmit(answer, prompt, now)

    def transmit(self, answer: Hmpdu | None, prompt: bool, now: int) -> list:
        if answer is None:
            return [self.request(now)] if prompt else []
        if self.set.strategy == "combined" and self.measure and self.set.path != PATH_DATA_MACSEC:
            return [self.ride(answer, now)]
        return [Out(answer)] + ([self.request(now)] if prompt else [])

    def answer(self, pdu: Hmpdu, rx: int, now: int) -> Hmpdu:
        """The response: in the tuple of its request, bits 4 to 1 unchanged (36.9.6)."""
        adjustment = self.set.response_adjustment + self.set.liar
        if self.set.compensate:
            adjustment -= to_quanta(now - rx, self.quantum_ns)
        adjustment = max(ADJUSTMENT_MIN, min(ADJUSTMENT_MAX, adjustment))
        tuples = [Tuple(), Tuple()]
        for i, asked in enumerate(pdu.tuples):
            if asked.use == REQUEST:
                tuples[i] = dataclasses.replace(
                    asked, use=RESPONSE if adjustment else RESPONSE_ZERO,
                    response_adjustment=adjustment)
        return Hmpdu(*tuples, pdu.low_bits, self.set.version)

    def ride(self, answer: Hmpdu, now: int) -> Out:
        """Adds a request to a response (36.9.6)."""
        mine = self.new_request(now)
        if answer.first.use == UNUSED:
            answer.first = mine
        else:
            answer.second = mine
        return Out(answer, mine.timestamp)

    def request(self, now: int) -> Out:
        mine = self.new_request(now)
        tuples = [Tuple(), mine] if self.set.swap else [mine, Tuple()]
        return Out(Hmpdu(*tuples, self.set.path << 2, self.set.version), mine.timestamp)

    def new_request(self, now: int) -> Tuple:
        # Any value will do that the requestor understands (36.9.4): a random one is no clock.
        timestamp = self.rng.randrange(2**32)
        self.outstanding[timestamp] = (now, "program")
        while len(self.outstanding) > 8:
            del self.outstanding[next(iter(self.outstanding))]
        self.asked_at = now
        return Tuple(REQUEST, timestamp, self.set.request_adjustment)

    def result(self, response: Tuple, rx: int, stamp: str) -> bool:
        """Calculates a round trip (36.9.4). Returns false for a response never asked for."""
        if response.timestamp not in self.outstanding:
            self.drop("unasked")
            return False
        left, left_stamp = self.outstanding.pop(response.timestamp)
        quanta = to_quanta(rx - left, self.quantum_ns) + response.request_adjustment
        if response.use == RESPONSE:
            quanta += response.response_adjustment
        bounded = max(self.set.minimum, min(self.set.maximum, quanta))
        if bounded != quanta:
            self.count("out_of_bounds")
        self.delays.append(bounded)
        self.event("result", timestamp=response.timestamp, ns=rx - left, quanta=bounded,
                   calculated=quanta, stamp=stamp if left_stamp == stamp else "program")
        return True

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by

    def drop(self, reason: str, frame: bytes = b"") -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + 1
        self.event("dropped", reason=reason, octets=frame.hex())

    def summary(self) -> dict:
        return {**self.counts, "dropped": self.dropped, **spread(self.delays)}


def to_quanta(ns: int, quantum_ns: float) -> int:
    return math.floor(ns / quantum_ns + 0.5)


def spread(values: list) -> dict:
    if not values:
        return {"count": 0}
    ordered = sorted(values)
    return {"count": len(values), "min": ordered[0], "median": statistics.median(ordered),
            "p99": ordered[math.ceil(len(ordered) * 99 / 100) - 1], "max": ordered[-1],
            "average": round(statistics.fmean(values), 2)}


def print_event(event: str, **fields) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


# --- frames that break the rules --------------------------------------------------------


def other(values: list, i: int, value):
    """The value that the command line gives, or the next one of the list."""
    return values[i % len(values)] if value is None else value


class Bad:
    """Makes the frames of --bad, each the Nth of its kind."""

    ALONE = ("short", "tagged", "destination", "source", "subtype", "twice", "empty", "unasked",
             "path", "junk")
    ANSWER = ("replay", "future", "late", "echo")

    def __init__(self, settings: Settings, rng: random.Random) -> None:
        self.set, self.rng = settings, rng
        self.neighbor = bytes.fromhex("020000000002")

    def request(self, **kw) -> Hmpdu:
        kw.setdefault("low_bits", self.set.path << 2)
        return Hmpdu(Tuple(REQUEST, self.rng.randrange(2**32)), kw.pop("second", Tuple()), **kw)

    def frame(self, kind: str, i: int, value: str | None) -> bytes:
        return getattr(self, kind)(i, value)

    def short(self, i: int, value: str | None) -> bytes:
        """Truncated at each octet: one tuple needs 24 octets, two need 32."""
        octets = other(list(range(HEADER, HEADER + 10)) + list(range(HEADER + 10, HEADER + 18)), i,
                       value and int(value))
        second = Tuple(RESPONSE_ZERO, 1) if octets >= HEADER + 10 else Tuple()
        return self.request(second=second).frame(self.set.source)[:octets]

    def tagged(self, i: int, value: str | None) -> bytes:
        frame = self.request().frame(self.set.source)
        tag = other([0x6000, 0x0000, 0x6064, 0xE001], i, value and int(value, 0))
        return frame[:12] + struct.pack(">HH", 0x8100, tag) + frame[12:]

    def destination(self, i: int, value: str | None) -> bytes:
        others = [bytes.fromhex("0180c200000e"), bytes.fromhex("0180c2000002"),
                  bytes.fromhex("0180c2000000"), self.neighbor]
        return self.request().frame(self.set.source, other(others, i, value and mac(value)))

    def source(self, i: int, value: str | None) -> bytes:
        group = bytes([self.set.source[0] | 1]) + self.set.source[1:]
        others = [group, b"\xff" * 6, NEIGHBOR_GROUP]
        return self.request().frame(other(others, i, value and mac(value)))

    def subtype(self, i: int, value: str | None) -> bytes:
        others = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        return self.request(subtype=other(others, i, value and int(value))).frame(self.set.source)

    def twice(self, i: int, value: str | None) -> bytes:
        uses = other([(REQUEST, REQUEST), (RESPONSE, RESPONSE), (RESPONSE, RESPONSE_ZERO),
                      (RESPONSE_ZERO, RESPONSE_ZERO)], i, None)
        return Hmpdu(Tuple(uses[0], 1), Tuple(uses[1], 2), self.set.path << 2).frame(self.set.source)

    def empty(self, i: int, value: str | None) -> bytes:
        return Hmpdu(Tuple(UNUSED, 1), Tuple(UNUSED, 2)).frame(self.set.source)

    def unasked(self, i: int, value: str | None) -> bytes:
        """A response with a timestamp that the neighbor has, almost certainly, never sent."""
        use = other([RESPONSE, RESPONSE_ZERO], i, None)
        response = Tuple(use, self.rng.randrange(2**32), 0, ADJUSTMENT_MAX)
        return Hmpdu(response, Tuple(), self.set.path << 2).frame(self.set.source)

    def path(self, i: int, value: str | None) -> bytes:
        paths = [p for p in range(4) if p != self.set.path]
        low = other(paths, i, value and int(value)) << 2
        use = other([REQUEST, RESPONSE], i, None)
        return Hmpdu(Tuple(use, self.rng.randrange(2**32)), Tuple(), low).frame(self.set.source)

    def junk(self, i: int, value: str | None) -> bytes:
        """A valid request: the fields of the unused tuple are to be ignored, as bits 2 and 1."""
        junk = Tuple(UNUSED, 0xFFFFFFFF, ADJUSTMENT_MIN, ADJUSTMENT_MIN)
        pdu = self.request(second=junk, low_bits=self.set.path << 2 | 3)
        pdu.first.response_adjustment = ADJUSTMENT_MIN  # not a parameter of a request
        if i % 2:
            pdu.first, pdu.second = pdu.second, pdu.first
        return pdu.frame(self.set.source, second_present=True)


def mac(text: str) -> bytes:
    octets = bytes.fromhex(text.replace(":", ""))
    if len(octets) != 6:
        raise argparse.ArgumentTypeError(f"{text}: expected a MAC address")
    return octets
