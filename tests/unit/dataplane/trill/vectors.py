# SPDX-License-Identifier: BSD-3-Clause
"""TRILL frames that scapy builds, for the codec and for tshark's TRILL dissector.

vectors.py PROGRAM LUA SEED COUNT DIRECTORY

scapy has no TRILL: its layer is defined here by the figures of RFC 6325, 3.1 to 3.5. PROGRAM is
frames, LUA the dissector of CN-TAGs. Of each random frame, scapy's fields, those of
tshark, and those of the codec have to be equal; what the codec writes has to be the octets that
scapy builds.
"""
import random
import subprocess
import sys

from scapy.fields import BitField, ShortField, StrLenField, XShortEnumField
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw, bind_layers
from scapy.utils import wrpcap

ALL_RBRIDGES = "01:80:c2:00:00:40"
TYPES = {"tagged": 0x8100, "cn": 0x22E9, "trill": 0x22F3}


class TRILL(Packet):
    fields_desc = [
        BitField("version", 0, 2),
        BitField("reserved", 0, 2),
        BitField("multi", 0, 1),
        BitField("op_len", 0, 5),
        BitField("hop_count", 0, 6),
        ShortField("egress", 0),
        ShortField("ingress", 0),
        StrLenField("options", b"", length_from=lambda p: 4 * p.op_len),
    ]


class CNTag(Packet):
    fields_desc = [ShortField("flow", 0), XShortEnumField("type", 0, {})]


for lower in (Ether, Dot1Q):
    bind_layers(lower, TRILL, type=TYPES["trill"])
    bind_layers(lower, CNTag, type=TYPES["cn"])
bind_layers(TRILL, Ether)


def mac(rng):
    return ":".join(f"{octet:02x}" for octet in [2] + [rng.randrange(256) for _ in range(5)])


def nickname(rng):
    return rng.randint(1, 0xFFBF)


def tci(rng):
    """VID, PCP, DEI."""
    return (rng.randint(1, 4094), rng.randrange(8), rng.randrange(2))


def random_fields(rng):
    multi = rng.randrange(2)
    options = rng.choice([0, 0, 1, 3, 31])
    data = rng.randbytes(4 * options)
    return {
        "outer_da": ALL_RBRIDGES if multi else mac(rng),
        "outer_sa": mac(rng),
        "outer": rng.choice([None, tci(rng)]),
        "multi": multi,
        "reserved": rng.randrange(4),
        "op_len": options,
        # Neither CHbH nor CItE.
        "options": bytes([data[0] & 0x3F]) + data[1:] if options else b"",
        "hops": rng.randint(2, 63),
        "egress": nickname(rng),
        "ingress": nickname(rng),
        "da": "ff:ff:ff:ff:ff:ff" if multi and rng.randrange(2) else mac(rng),
        "sa": mac(rng),
        "inner": tci(rng),
        "flow": rng.choice([None, rng.randrange(65536)]),
        "type": rng.choice([0x88B5, 0x88B6]),  # local experiments: nothing to dissect
        "body": rng.randbytes(rng.randint(46, 200)),
    }


def dot1q(tag):
    return Dot1Q(vlan=tag[0], prio=tag[1], id=tag[2])


def inner_frame(f, tag, flow):
    frame = Ether(dst=f["da"], src=f["sa"])
    if tag:
        frame /= dot1q(tag)
    if flow is not None:
        frame /= CNTag(flow=flow)
    frame.lastlayer().type = f["type"]
    return frame / Raw(f["body"])


def trill_frame(f):
    frame = Ether(dst=f["outer_da"], src=f["outer_sa"])
    if f["outer"]:
        frame /= dot1q(f["outer"])
    header = TRILL(reserved=f["reserved"], multi=f["multi"], op_len=f["op_len"], hop_count=f["hops"],
                   egress=f["egress"], ingress=f["ingress"], options=f["options"])
    return frame / header / inner_frame(f, f["inner"], f["flow"])


def hexed(frame):
    octets = bytes(frame)
    return (octets + bytes(max(0, 60 - len(octets)))).hex()


def outer_words(f):
    tag = f["outer"] or (0, 0, 0)
    return [int(f["outer"] is not None), f["outer_da"].replace(":", ""),
            f["outer_sa"].replace(":", ""), *tag]


def commands(rng, f):
    """Yields pairs: a command for the codec, and the answer expected."""
    plain = dict(f, reserved=0, op_len=0, options=b"")
    keep, native_tag = rng.randrange(2), rng.choice([None, tci(rng)])
    kept = f["flow"] if keep else None
    yield (["parse", hexed(trill_frame(f))],
           ["ok", f["multi"], f["op_len"], f["hops"], f["egress"], f["ingress"], *f["inner"],
            int(f["flow"] is not None), f["flow"] or 0, f["type"]])
    yield (["encapsulate", *outer_words(f), f["multi"], f["hops"], f["egress"], f["ingress"],
            *f["inner"], keep, hexed(inner_frame(f, native_tag, f["flow"]))],
           [hexed(trill_frame(dict(plain, flow=kept)))])
    changed = random_fields(rng)
    inner = (f["inner"][0], *changed["inner"][1:])
    after = dict(f, outer=changed["outer"], outer_sa=changed["outer_sa"], hops=f["hops"] - 1,
                 inner=inner, flow=kept)
    yield (["transit", *outer_words(after), *inner[1:], keep, hexed(trill_frame(f))],
           [hexed(trill_frame(after))])
    tag = native_tag or (0, 0, 0)
    yield (["decapsulate", int(native_tag is not None), *tag, keep, hexed(trill_frame(f))],
           [hexed(inner_frame(f, native_tag, kept))])


def words(items):
    return " ".join(str(item) for item in items)


def codec_answers(program, asked):
    text = "".join(words(command) + "\n" for command in asked)
    done = subprocess.run(program.split(), input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


TSHARK = ["trill.version", "trill.reserved", "trill.multi_dst", "trill.op_len", "trill.hop_cnt",
          "trill.egress_nick", "trill.ingress_nick", "trill.options", "eth.dst", "eth.src",
          "vlan.id", "vlan.priority", "vlan.dei", "dcb.cntag.flow_id", "_ws.malformed"]


def tshark_lines(lua, capture):
    done = subprocess.run(
        ["tshark", "-X", f"lua_script:{lua}", "-r", capture, "-T", "fields",
         *[word for name in TSHARK for word in ("-e", name)]],
        capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def tshark_expected(f):
    tags = [tag for tag in (f["outer"], f["inner"]) if tag]
    return "\t".join([
        "0", str(f["reserved"]), str(f["multi"]), str(f["op_len"]), str(f["hops"]),
        str(f["egress"]), str(f["ingress"]), f["options"].hex(),
        f"{f['outer_da']},{f['da']}", f"{f['outer_sa']},{f['sa']}",
        *[",".join(str(tag[i]) for tag in tags) for i in range(3)],
        "" if f["flow"] is None else str(f["flow"]), ""])


def differences(what, got, expected):
    count = 0
    for i, (a, b) in enumerate(zip(got, expected)):
        if a != b:
            count += 1
            if count <= 5:
                print(f"{what}: line {i + 1}:\n  got      {a}\n  expected {b}")
    if len(got) != len(expected):
        print(f"{what}: {len(got)} lines, expected {len(expected)}")
        count += 1
    return count


def main():
    program, lua, seed, count, directory = sys.argv[1:]
    rng = random.Random(int(seed))
    frames = [random_fields(rng) for _ in range(int(count))]
    pairs = [pair for f in frames for pair in commands(rng, f)]
    capture = f"{directory}/trill.pcap"
    wrpcap(capture, [bytes(trill_frame(f)) for f in frames], linktype=1)
    wrong = differences("tshark and scapy", tshark_lines(lua, capture),
                        [tshark_expected(f) for f in frames])
    wrong += differences("codec and scapy", codec_answers(program, [command for command, _ in pairs]),
                         [words(answer) for _, answer in pairs])
    print(f"{len(frames)} frames, {len(pairs)} commands, {wrong} differences")
    return 1 if wrong else 0


sys.exit(main())
