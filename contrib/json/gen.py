#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gen.py DCBCTL: prints dcbctl.schema.json, the JSON Schema of all JSON outputs of dcbctl.

Objects and keywords are those of the rows, as "dcbctl objects" and "dcbctl keywords" print them;
the rest is written here. tests/mib/schema.sh compares the result with the committed schema,
and tests/system/json.sh validates each output.
"""
import json
import subprocess
import sys

OPTIONAL = ("cpfc_if", "cpfc_pri", "cpfc_queue")


def dcbctl(*words):
    return json.loads(subprocess.run([sys.argv[1], "-j", *words], check=True, capture_output=True).stdout)


# --- building blocks ---------------------------------------------------------------------------

BOOL = {"type": "boolean"}
STR = {"type": "string"}
NULL = {"type": "null"}
UINT = {"type": "integer", "minimum": 0}
INT = {"type": "integer"}
NUMBER = {"type": "number", "minimum": 0}
PRIORITY = {"type": "integer", "minimum": 0, "maximum": 7}
MAC = {"type": "string", "pattern": "^[0-9a-f]{2}(-[0-9a-f]{2}){5}$"}


def ref(name):
    return {"$ref": "#/$defs/" + name}


def either(*schemas):
    return {"anyOf": list(schemas)}


def nullable(schema):
    return either(schema, NULL)


def array(items, **more):
    return {"type": "array", "items": items, **more}


def enum(*values):
    return {"enum": list(values)}


def obj(properties, optional=()):
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


VERSION = {"const": 1}
PORT = {"ifIndex": UINT, "port": STR}
PRIORITIES = array(PRIORITY, maxItems=8)


def output(properties, optional=(), **more):
    """An output: an array of objects with the version."""
    return array(obj({"version": VERSION, **properties}, optional), **more)


# --- objects -------------------------------------------------------------------------------------

def value_of(o):
    """The value of an object, by its row."""
    syntax, names = o["syntax"], list(o["names"])
    if syntax == "TruthValue":
        return BOOL
    if syntax in ("Counter64", "CounterBasedGauge64"):
        return ref("unsigned64")
    if syntax == "Counter32":
        return {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}
    if syntax in ("OCTET STRING", "SnmpAdminString", "BITS"):
        return STR
    if names:
        return either(enum(*names), INT)  # a number without a name stays one
    return {"type": "integer", "minimum": o["min"], "maximum": o["max"]}


def objects():
    rows = dcbctl("objects")
    for table in OPTIONAL:
        rows += dcbctl("objects", table)
    return rows


# --- commands for ports ----------------------------------------------------------------------------

def keyword_value(k, objects_by_name):
    o = objects_by_name[k["object"]]
    if k["kind"] == "bits" or o["syntax"] == "TruthValue":
        return BOOL
    if k["words"]:
        return either(enum(*k["words"]), INT)  # with -N, the number
    return value_of(o)


def port_commands(objects_by_name):
    """A definition for each command; which members there are depends on keywords and options."""
    defs = {}
    for k in dcbctl("keywords"):
        d = defs.setdefault("port-" + k["command"], ({}, {}))
        value = nullable(keyword_value(k, objects_by_name))
        if k["kind"] == "prio":
            d[1][k["json"]] = value
        elif k["kind"] == "port":
            d[0][k["json"]] = value
        else:
            d[0][k["json"]] = array(value, minItems=8, maxItems=8)
    for name, (members, by_priority) in defs.items():
        members = dict(members)
        if by_priority:
            members["priorities"] = array(obj({"priority": PRIORITY, **by_priority}, by_priority))
        if name == "port-app":
            entry = obj({"protocol": {"type": "integer", "minimum": 0, "maximum": 65535},
                         "priority": PRIORITY})
            for kind in ("default", "ethtype", "stream_port", "dgram_port", "port", "dscp"):
                members[kind + "_prio"] = array(entry)
        defs[name] = output({**PORT, **members}, members)
    return defs


# --- the other commands ------------------------------------------------------------------------------

# The name of the port whose ifIndex is in the index, or is a value; null: dcbd has no port of it.
NAMED = {"port": nullable(STR)}
ASSIGNMENT = {"object": STR, "instance": STR, "value": ref("value"), **NAMED}
AMOUNT = {"bits": UINT, "octets": UINT, "quanta": UINT}


def parts():
    """What several outputs have."""
    names = array(STR)
    ets = {"bandwidth": array(UINT), "algorithm": array(STR)}
    whole_ets = {**ets, "trafficClass": array(PRIORITY), "willing": BOOL, "creditBasedShaper": BOOL,
                 "trafficClassesSupported": UINT}
    app = {"selector": STR, "protocol": UINT}
    bits = obj({"bits": names, "delay": nullable(UINT)})
    return {
        "unsigned64": {
            "description": "Above 9223372036854775807 a string of decimal digits.",
            "anyOf": [{"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
                      {"type": "string", "pattern": "^(9[2-9][0-9]{17}|1[0-9]{19})$"}],
        },
        "value": {"description": "A value of any object.", "type": ["boolean", "integer", "string"]},
        "cnTlv": obj({"cnpv": PRIORITIES, "ready": PRIORITIES}),
        "pfcTlv": obj({"willing": BOOL, "mbc": BOOL, "capability": UINT, "enable": PRIORITIES}),
        "recoTlv": obj(ets),
        "etsTlv": obj(whole_ets),
        "applications": array(obj({**app, "priority": PRIORITY})),
        "applicationVlans": array(obj({**app, "vlan": UINT})),
        "way": obj({"set": obj({"format": STR, "bits": names, "sendDelay": BOOL}), "sent": bits,
                    "theirs": bits, "agreed": names, "inForce": STR, "reason": STR, "why": STR}),
        "amount": obj({"octets": ref("unsigned64"), "buffers": ref("unsigned64")}),
        "terms": array(obj({"item": STR, "group": STR, "delay": STR, "source": STR, **AMOUNT})),
        "groups": array(obj({"group": STR, **AMOUNT})),
    }


def dcbx():
    feature = {"reason": STR, "why": STR}
    pfc = nullable(ref("pfcTlv"))
    ets, reco = nullable(ref("etsTlv")), nullable(ref("recoTlv"))
    apps, vlans = ref("applications"), ref("applicationVlans")
    return output({
        **PORT, "neighbors": UINT, "peer": nullable(UINT), "tlvsSent": array(STR),
        "peerDcbx": array(STR), "mismatch": array(STR),
        "pfc": nullable(obj({"set": pfc, "sent": pfc, "theirs": pfc, "inForce": PRIORITIES,
                             "untagged": PRIORITIES, **feature})),
        "headroom": nullable(ref("way")),
        "ets": nullable(obj({"set": ets, "sent": ets, "theirs": ets, "inForce": ets, **feature})),
        "etsRecommendation": nullable(obj({"set": reco, "sent": reco, "theirs": reco})),
        "applicationPriorities": obj({"set": apps, "sent": apps, "theirs": apps, "inForce": apps, "why": STR}),
        "applicationVlans": obj({"set": vlans, "sent": vlans, "theirs": vlans}),
    })


def neighbors():
    each = array(obj({
        "index": UINT, "chassisId": STR, "portId": STR, "systemName": STR, "address": nullable(MAC),
        "addressOrigin": STR, "ttl": UINT, "age": NUMBER, "stale": BOOL, "tlvs": array(STR),
        "malformed": array(STR), "dcbx": array(STR), "cn": nullable(ref("cnTlv")),
        "ets": nullable(ref("etsTlv")), "etsRecommendation": nullable(ref("recoTlv")),
        "pfc": nullable(ref("pfcTlv")), "applicationPriorities": ref("applications"),
        "applicationVlans": ref("applicationVlans"), "pfcDelay": nullable(UINT), "pfcBits": array(STR),
    }))
    return output({**PORT, "lldp": STR, "neighbors": each})


def cn():
    indicators = obj({"cnpv": BOOL, "ready": BOOL})
    return output({**PORT, "cnpvs": array(obj({
        "priority": PRIORITY, "state": STR, "administrative": BOOL, "defenseMode": STR,
        "alternatePriority": PRIORITY, "receivedAs": PRIORITY, "untagged": BOOL, "cnTags": nullable(STR),
        "lldpInstance": nullable(UINT), "sent": nullable(indicators), "theirs": indicators,
        "modeChanges": UINT, "why": STR}))})


def buffers():
    amount = ref("amount")
    account = obj({"held": amount, "peak": amount, "limit": amount, "discards": amount})
    headroom = obj({"size": UINT, "held": UINT, "peak": UINT})
    return output({
        "status": STR, "memory": amount, "reserves": amount, "headroom": amount, "missing": amount,
        "headroomRatio": UINT, "losslessShare": UINT, "watermarksSince": UINT,
        "pools": array(obj({"pool": STR, "size": amount, "used": amount, "peak": amount})),
        "ports": array(obj({**PORT, "priorities": array(obj({
            "priority": PRIORITY, "reserve": amount, "lossless": nullable(account),
            "headroom": nullable(headroom), "lossy": account}))})),
    }, maxItems=1)


def trill():
    hop = obj({**PORT, "address": MAC, "unicast": BOOL, "tree": BOOL, "inUse": BOOL})
    u64 = ref("unsigned64")
    return output({
        "nickname": UINT, "treeRoot": UINT, "hopCount": UINT,
        "nicknames": array(obj({"nickname": UINT, "nextHops": array(hop), "egressEntries": UINT,
                                "learned": UINT, "framesTo": u64, "framesFrom": u64})),
        "egress": array(obj({"vlan": UINT, "address": MAC, "nickname": UINT})),
        "ports": array(obj({**PORT, "mode": STR, "designatedVlan": UINT,
                            "counters": {"type": "object", "additionalProperties": u64}})),
    }, maxItems=1)


def row_parts(rows):
    """The names and values of the objects; null stands for a value that the row does not have."""
    return {
        "table": enum(*sorted({o["table"] for o in rows})),
        "values": {"type": "object", "properties": {o["object"]: nullable(value_of(o)) for o in rows},
                   "additionalProperties": False},
    }


def commands():
    index = {"type": "object", "additionalProperties": {"type": ["integer", "string"]}}
    row = {"instance": STR, "index": index, "values": ref("values"), **NAMED}
    rates = {"type": "object", "additionalProperties": nullable({"type": "number"})}
    table = {"table": ref("table"), "module": STR}
    inputs = {"type": "object", "additionalProperties": {"type": ["integer", "string", "boolean", "null"]}}
    amount = obj(AMOUNT)
    ns = nullable(obj({"min_ns": INT, "median_ns": INT, "p99_ns": INT, "max_ns": INT}))
    return {
        "show": output({**table, "rows": array(obj(row, NAMED))}),
        "watch": output({**table, "rows": array(obj({**row, "rates": rates}, NAMED))}),
        "objects": output({
            "object": STR, "table": ref("table"), "module": STR, "oid": {"type": "string", "pattern": "^[0-9.]+$"},
            "syntax": STR, "access": enum("read-only", "read-write", "read-create"),
            "min": nullable(INT), "max": nullable(INT),
            "names": {"type": "object", "additionalProperties": INT}, "default": nullable(ref("value")),
            "defval": BOOL, "unit": STR, "clause": STR}),
        "set": output(ASSIGNMENT, NAMED),
        "config": output({**ASSIGNMENT, "origin": enum("default", "file", "SET"), "line": nullable(UINT)}, NAMED),
        "diff": output({"object": STR, "instance": STR, "file": nullable(ref("value")),
                        "dcbd": nullable(ref("value")), **NAMED}, NAMED),
        "monitor": output({"event": STR, "number": ref("unsigned64"), "time": NUMBER, "notification": BOOL,
                           "objects": array(obj(ASSIGNMENT, NAMED))}),
        "keywords": output({
            "command": STR, "keyword": STR, "kind": enum("port", "map", "bits", "prio"),
            "access": enum("read-only", "read-write"), "unit": STR, "object": STR, "statistics": BOOL,
            "json": STR, "words": array(STR)}),
        "status": output({
            **PORT, "operational": BOOL, "speed_bits_per_second": ref("unsigned64"), "pfc": PRIORITIES,
            "cn": array(obj({"priority": PRIORITY, "defense_mode": STR})), "neighbor": nullable(STR),
            "losses_frames": ref("unsigned64"), "storms": ref("unsigned64"), "storm_lasting": BOOL}),
        "neighbors": neighbors(),
        "dcbx": dcbx(),
        "audit": output({**PORT, "feature": STR, "result": STR, "expected": STR, "told": STR}),
        "cn": cn(),
        "buffers": buffers(),
        "fdb": output({
            "mac": {"type": "string", "pattern": "^[0-9a-f]{2}(:[0-9a-f]{2}){5}$"}, "ifIndex": UINT, "ifname": STR,
            "vlan": UINT, "used": UINT, "moves": UINT, "flags": array(STR), "state": {"enum": ["", "static"]}}),
        "trill": trill(),
        "trill-egress": output({"vlan": UINT, "address": MAC, "nickname": UINT, "origin": STR, "ageSeconds": UINT}),
        "cn-profile": output({"rate": UINT, "objects": array(obj({
            "object": STR, "value": INT, "default": nullable(INT), "unit": STR}))}, maxItems=1),
        "headroom": output({"inputs": inputs, "terms": ref("terms"), "groups": ref("groups"),
                            "headroom": amount}, maxItems=1),
        "headroom-port": output({
            **PORT, "way": STR, "choice": STR, "basis": STR, "status": STR, "inForce": amount,
            "linkDelayAllowance": amount, "allowance": amount, "calculated": amount, "terms": ref("terms"),
            "groups": ref("groups"), "negotiation": nullable(ref("way")),
            "measurement": nullable(obj({
                "enable": STR, "result": nullable(UINT), "inUse": BOOL, "count": UINT,
                **{name: nullable(UINT) for name in ("average", "shortest", "median", "longest", "last")},
                "age_ms": nullable(UINT), "timestamps": STR, "measuring": BOOL}))}),
        "pfcgen": output({
            "interface": STR, "source": MAC, "speed_bps": UINT,
            "priorities": array(obj({"priority": PRIORITY, "quanta": UINT})), "pause_ns": UINT,
            "interval_ns": UINT, "intervals": ns, "frames": UINT, "late": UINT, "missed": UINT, "lapsed": UINT,
            "refused": UINT, "sleeps": UINT, "elapsed_ns": UINT, "xon": BOOL}, maxItems=1),
    }


def main():
    rows = objects()
    outputs = {**commands(), **port_commands({o["object"]: o for o in rows})}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "JSON outputs of dcbctl and dcb-pfcgen",
        "description": "Each output is an array of objects with the version of their format. watch and "
                       "monitor print one on each line. $defs has the definition of each command, "
                       "port-pfc for \"pfc show\" for example, and pfcgen that of dcb-pfcgen.",
        "anyOf": [ref(name) for name in sorted(outputs)],
        "$defs": {**parts(), **row_parts(rows), **outputs},
    }
    json.dump(schema, sys.stdout, indent=1)
    print()


main()
