#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gen.py DCBCTL: prints dcbctl.schema.json, the JSON Schema of all JSON outputs of dcbctl.

Objects and keywords are those of the rows, as "dcbctl objects" and "dcbctl keywords" print them;
the rest is written here, with what a member means where its name does not say it: dcbctl(8) refers to
the schema. tests/mib/schema.sh compares the result with the committed schema, and
tests/system/json.sh validates each output.
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


def said(text, schema):
    """The schema with what the member means."""
    return {"description": text, **schema}


def value_named(name):
    """A member that has the value of this object."""
    return said("Value of " + name + ".", STR)


def names_in(name):
    """A member that has the names of the bits of this object that are set."""
    return said("Names as of " + name + ".", array(STR))


def obj(properties, optional=()):
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


VERSION = said("Changes if another member is removed or gets another meaning or type, not if one is added.",
               {"const": 1})
PORT = {"ifIndex": UINT, "port": said("Name of the port.", STR)}
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
    text = ("A member is a keyword with _ in place of -, and its unit at the end if there is one. Values of "
            "priorities or traffic classes are an array of eight, null for those that have none; those after prio "
            "are in priorities. Named values have their words, with -N their numbers.")
    defs = {}
    for k in dcbctl("keywords"):
        d = defs.setdefault("port-" + k["command"], ({}, {}))
        value = nullable(keyword_value(k, objects_by_name))
        if k["kind"] == "prio":
            d[1][k["json"]] = value
        elif k["kind"] == "port":
            d[0][k["json"]] = value
        elif k["kind"] == "list":
            words = dict.fromkeys(w for text in k["words"] for w in text.split())
            words.pop("none", None)
            d[0][k["json"]] = nullable(array(enum(*words)))
        else:
            d[0][k["json"]] = array(value, minItems=8, maxItems=8)
    for name, (members, by_priority) in defs.items():
        members = dict(members)
        if by_priority:
            members["priorities"] = array(obj({"priority": PRIORITY, **by_priority}, by_priority))
        if name == "port-app":
            entry = obj({"protocol": said("EtherType, port or DSCP.",
                                          {"type": "integer", "minimum": 0, "maximum": 65535}),
                         "priority": PRIORITY})
            for kind in ("default", "ethtype", "stream_port", "dgram_port", "port", "dscp"):
                members[kind + "_prio"] = array(entry)
        defs[name] = said(text, output({**PORT, **members}, members))
    return defs


# --- the other commands ------------------------------------------------------------------------------

NAMED = {"port": said("Name of the port whose ifIndex is in the index, or is the value; null: dcbd has no port of it.",
                      nullable(STR))}
ASSIGNMENT = {"object": STR, "instance": STR, "value": ref("value"), **NAMED}
AMOUNT = {"bits": UINT, "octets": UINT, "quanta": UINT}
WHY = said("The reason as text.", STR)


def parts():
    """What several outputs have."""
    names = array(STR)
    ets = {"bandwidth": said("Percent, by traffic class.", array(UINT)),
           "algorithm": said("Transmission selection algorithm, by traffic class.", names)}
    whole_ets = {**ets, "trafficClass": said("By priority.", array(PRIORITY)), "willing": BOOL,
                 "creditBasedShaper": BOOL, "trafficClassesSupported": UINT}
    app = {"selector": said("ethertype, tcp, udp, tcp/udp or dscp.", STR), "protocol": UINT}
    bits = {"bits": names_in("dcbPfcWayLocalBits"), "delay": said("Nanoseconds.", nullable(UINT))}
    mine, their = said("Of the PFC TLVs sent.", obj(bits)), said("Of those received from the neighbor.", obj(bits))
    return {
        "unsigned64": {
            "description": "Above 9223372036854775807, which most readers of JSON cannot have as an integer, a "
                           "string of decimal digits.",
            "anyOf": [{"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
                      {"type": "string", "pattern": "^(9[2-9][0-9]{17}|1[0-9]{19})$"}],
        },
        "value": {"description": "A value of any object.", "type": ["boolean", "integer", "string"]},
        "cnTlv": obj({"cnpv": PRIORITIES, "ready": PRIORITIES}),
        "pfcTlv": obj({"willing": BOOL, "mbc": said("Set if there is no MACsec bypass.", BOOL), "capability": UINT,
                       "enable": PRIORITIES}),
        "recoTlv": obj(ets),
        "etsTlv": obj(whole_ets),
        "applications": array(obj({**app, "priority": PRIORITY})),
        "applicationVlans": array(obj({**app, "vlan": UINT})),
        "way": said("How both ends find the headroom.", obj({
            "set": obj({"format": STR, "bits": names_in("dcbPfcWayLocalBits"), "sendDelay": BOOL}), "sent": mine,
            "theirs": their, "agreed": said("Bits that both ends have.", names),
            "inForce": value_named("dcbPfcWayInUse"), "reason": value_named("dcbPfcWayReason"), "why": WHY})),
        "amount": said("Of the frame memory.", obj({"octets": ref("unsigned64"), "buffers": ref("unsigned64")})),
        "terms": said("The delays of the sum.", array(obj({
            "item": said("Of IEEE Std 802.1Q, 36.1.1.", STR),
            "group": said("Of annex N: WD, ID or LD.", STR), "delay": said("Its name.", STR),
            "source": said("Of its value.", STR), **AMOUNT}))),
        "groups": said("The sums of WD, ID and LD.", array(obj({"group": STR, **AMOUNT}))),
    }


def dcbx():
    text = ("set is the configuration, sent and theirs are the TLVs sent and received from the neighbor, inForce is "
            "used now. A value is null or an empty array if the TLV is not sent, a feature null if the port does not "
            "support it.")
    pfc = nullable(ref("pfcTlv"))
    ets, reco = nullable(ref("etsTlv")), nullable(ref("recoTlv"))
    apps, vlans = ref("applications"), ref("applicationVlans")
    return said(text, output({
        **PORT, "neighbors": said("Their number.", UINT),
        "peer": said("Index of the neighbor whose TLVs DCBX uses; null: none.", nullable(UINT)),
        "tlvsSent": array(STR), "peerDcbx": names_in("dcbNeighborDcbx"), "mismatch": names_in("dcbDcbxPortMismatch"),
        "pfc": nullable(obj({"set": pfc, "sent": pfc, "theirs": pfc, "inForce": PRIORITIES,
                             "untagged": said("Priorities of dcbDcbxPortPfcUntagged.", PRIORITIES),
                             "reason": value_named("dcbDcbxPortPfcReason"), "why": WHY})),
        "headroom": nullable(ref("way")),
        "ets": nullable(obj({"set": ets, "sent": ets, "theirs": ets,
                             "inForce": said("Null with strict priority.", ets),
                             "reason": value_named("dcbDcbxPortEtsReason"), "why": WHY})),
        "etsRecommendation": nullable(obj({"set": reco, "sent": reco, "theirs": reco})),
        "applicationPriorities": obj({"set": apps, "sent": apps, "theirs": apps, "inForce": apps, "why": WHY}),
        "applicationVlans": obj({"set": vlans, "sent": vlans, "theirs": vlans}),
    }))


def neighbors():
    tlvs = ("Of cn, ets, etsRecommendation, pfc, applicationPriority, pfcDelay, applicationVlan", array(STR))
    each = array(obj({
        "index": UINT, "chassisId": STR, "portId": STR, "systemName": STR,
        "address": said("Null if unknown.", nullable(MAC)), "addressOrigin": value_named("dcbNeighborAddressOrigin"),
        "ttl": said("Seconds.", UINT), "age": said("Seconds since the TLVs changed last.", NUMBER),
        "stale": said("Not received since the connection to the LLDP agent was lost.", BOOL),
        "tlvs": said(tlvs[0] + ".", tlvs[1]), "malformed": said(tlvs[0] + ": these are malformed.", tlvs[1]),
        "dcbx": said("Versions of DCBX that it speaks: ieee, cee, cin.", array(STR)), "cn": nullable(ref("cnTlv")),
        "ets": nullable(ref("etsTlv")), "etsRecommendation": nullable(ref("recoTlv")),
        "pfc": nullable(ref("pfcTlv")), "applicationPriorities": ref("applications"),
        "applicationVlans": ref("applicationVlans"), "pfcDelay": said("Nanoseconds.", nullable(UINT)),
        "pfcBits": names_in("dcbNeighborPfcBits"),
        "managementAddress": said("IPv4 or IPv6; null: it announces none.", nullable(STR)),
    }))
    return said("A TLV that the neighbor does not send is null, or an empty array.", output({
        **PORT, "lldp": said("Connection to the LLDP agent: off, connecting, connected or mismatch.", STR),
        "neighbors": each}))


def storms_trace():
    neighbor = obj({"systemName": STR, "chassisId": STR, "portId": STR,
                    "managementAddress": said("Null: it announces none.", nullable(STR))})
    hop = obj({
        "system": said("Its name, or chassis ID.", STR), "chassisId": said("Null: not known.", nullable(STR)),
        "address": said("At which it was asked; null: it is the local one.", nullable(STR)), **PORT,
        "paused": said("At one of two reads, or between them.", BOOL),
        "storm": said("One lasts; told only of the local system.", BOOL),
        "pausedPercent": said("Of the second between the reads; null: not known.", nullable(NUMBER)),
        "pfcFramesPerSecond": said("Received; null: not known.", nullable(NUMBER)),
        "ofAllPriorities": said("The PFC frames are of the port, not of the priority alone.", BOOL),
        "otherPorts": said("Ports of the system that are paused, too, but for a shorter time.", UINT),
        "neighbor": said("It pauses the port; null: not known.", nullable(neighbor))})
    end = obj({
        "reason": enum("source", "cycle", "notPaused", "noNeighbor", "noAddress", "noAnswer", "noTool", "noObjects",
                       "tooFar"),
        "cycle": said("Number of the hop, from 1, to which the way returns; null: to none.", nullable(UINT)),
        "text": said("The same in words.", STR)})
    return said("A member for each port and priority at which a way begins.", output({
        **PORT, "priority": PRIORITY, "hops": array(hop, minItems=1, maxItems=32), "end": end}))


def cn():
    indicators = obj({"cnpv": BOOL, "ready": BOOL})
    return output({**PORT, "cnpvs": array(obj({
        "priority": PRIORITY, "state": value_named("dcbCnPortState"),
        "administrative": said("The defense mode is set by management.", BOOL),
        "defenseMode": value_named("dcbCnPortDefenseMode"), "alternatePriority": PRIORITY,
        "receivedAs": said("Priority that frames received with the CNPV get; a station maps none.", PRIORITY),
        "untagged": said("Frames of the CNPV leave untagged: dcbCnPortUntagged.", BOOL),
        "cnTags": said("kept, stripped, or null if the CNPV is not in use.", nullable(STR)),
        "lldpInstance": said("Null: none.", nullable(UINT)),
        "sent": said("Null: the port sends no CN TLV.", nullable(indicators)),
        "theirs": said("Received from the neighbor.", indicators), "modeChanges": UINT, "why": WHY}))})


def buffers():
    amount = ref("amount")
    account = obj({"held": amount, "peak": amount, "limit": said("At this moment.", amount),
                   "discards": said("Frames discarded for lack of octets and of buffers.", amount)})
    headroom = said("Octets.", obj({"size": UINT, "held": UINT, "peak": UINT}))
    only_pfc = "Null if PFC is not in force for the priority."
    return output({
        "status": value_named("dcbBufferStatus"), "memory": amount, "reserves": amount,
        "headroom": said("Promised to all priorities with PFC.", amount), "missing": amount,
        "headroomRatio": UINT, "losslessShare": UINT,
        "watermarksSince": said("Hundredths of a second since the start of dcbd; 0: the start.", UINT),
        "pools": array(obj({"pool": said("lossless, lossy or headroom.", STR), "size": amount, "used": amount,
                            "peak": amount})),
        "ports": array(obj({**PORT, "priorities": array(obj({
            "priority": PRIORITY, "reserve": amount, "lossless": said(only_pfc, nullable(account)),
            "headroom": said(only_pfc, nullable(headroom)), "lossy": account}))})),
    }, maxItems=1)


def hardware():
    return output({
        **PORT, "driver": STR, "owner": value_named("dcbHardwareOwner"), "policy": value_named("dcbHardwarePolicy"),
        "state": value_named("dcbHardwareState"), "pfc": names_in("dcbHardwarePfc"), "ets": BOOL,
        "differs": names_in("dcbHardwareDiffers"),
        "differsSince": said("Milliseconds since 1970-01-01 00:00 UTC; null: nothing differs.", nullable(UINT)),
        "pfcCap": said("Null: the driver does not say.", nullable(UINT)), "parts": names_in("dcbHardwareParts"),
        "resetsLink": names_in("dcbHardwareResetsLink"), "dcbx": names_in("dcbHardwareDcbx"), "writes": UINT,
        "failures": UINT, "otherChanges": UINT, "age": said("Milliseconds.", UINT),
        "preventionTime": said("Milliseconds; 0: off; 65535: auto; null: the driver has none.", nullable(UINT)),
        "stormWarnings": nullable(ref("unsigned64")), "stormErrors": nullable(ref("unsigned64")), "reason": WHY})


def hardware_report():
    u64, eight = ref("unsigned64"), {"minItems": 8, "maxItems": 8}
    octets = array({"type": "integer", "minimum": 0, "maximum": 255}, **eight)
    numbers, wide = array(UINT, **eight), array(u64, **eight)
    ets = nullable(obj({"willing": UINT, "ets_cap": UINT, "cbs": UINT, **{name: octets for name in (
        "prio_tc", "tc_tsa", "tc_tx_bw", "tc_rx_bw", "reco_prio_tc", "tc_reco_tsa", "tc_reco_bw")}}))
    pfc = nullable(obj({"pfc_cap": UINT, "pfc_en": UINT, "mbc": UINT, "delay": UINT, "requests": wide,
                        "indications": wide}))
    qcn = obj({"rpg_enable": octets, **{name: numbers for name in (
        "rppp_max_rps", "rpg_time_reset", "rpg_byte_reset", "rpg_threshold", "rpg_max_rate", "rpg_ai_rate",
        "rpg_hai_rate", "rpg_gd", "rpg_min_dec_fac", "rpg_min_rate", "cndd_state_machine")}})
    apps = nullable(array(obj({"selector": UINT, "protocol": UINT, "priority": UINT})))
    row = said("What the counter is part of.", STR)
    return said("The members of ets to peerApps have the names of linux/dcbnl.h; null is an attribute that the kernel's "
                "answer does not have.", output({
        "interface": STR, "ifIndex": UINT, "kernel": STR, "dcbctl": STR, "driver": STR, "driverVersion": STR,
        "firmware": STR, "known": said("The driver whose counters are looked for, or \"unknown driver\".", STR),
        "delayUnit": said("Of the delay of pfc: none, bits or metres.", STR),
        "resetsLink": names_in("dcbHardwareResetsLink"),
        "hostFlag": said("Private flag of ethtool that gives DCBX to the host.", nullable(STR)),
        "owner": value_named("dcbHardwareOwner"), "dcbx": nullable(names_in("dcbHardwareDcbx")),
        "countersFrom": said("names of the counters, or pfc.", STR), "ets": ets, "pfc": pfc,
        "maxrate": nullable(obj({"tc_maxrate": wide})), "qcn": nullable(qcn),
        "qcnStats": nullable(obj({"rppp_rp_centiseconds": wide, "rppp_created_rps": numbers})),
        "buffer": nullable(obj({"prio2buffer": octets, "buffer_size": numbers, "total_size": UINT})),
        "apps": apps, "peerEts": ets, "peerPfc": pfc, "peerApps": apps,
        "counters": array(obj({"name": STR, "value": u64, "priority": nullable(PRIORITY), "object": nullable(row)})),
        "notFound": said("Counters of this driver that it does not have now.", array(obj({
            "name": STR, "priorities": said("Null: a total of the port.", nullable(PRIORITIES)), "object": row}))),
    }, maxItems=1))


def trill():
    hop = obj({**PORT, "address": MAC, "unicast": said("For unicast frames.", BOOL),
               "tree": said("In the distribution tree.", BOOL), "inUse": BOOL})
    u64 = ref("unsigned64")
    return output({
        "nickname": UINT, "treeRoot": UINT, "hopCount": UINT,
        "nicknames": array(obj({"nickname": UINT, "nextHops": array(hop),
                                "egressEntries": said("Addresses behind it by dcbTrillEgressTable.", UINT),
                                "learned": said("Addresses learned behind it.", UINT), "framesTo": u64,
                                "framesFrom": u64})),
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
    index = said("Its parts by name.", {"type": "object", "additionalProperties": {"type": ["integer", "string"]}})
    instance = said("The index with dots between its numbers.", STR)
    row = {"instance": instance, "index": index, "values": ref("values"), **NAMED}
    rates = said("Increase per second of each counter; null if the last output did not have the row, and after a "
                 "restart of dcbd.", {"type": "object", "additionalProperties": nullable({"type": "number"})})
    table = {"table": ref("table"), "module": STR}
    inputs = said("By the names of the options; null: the value of the standard.", {
        "type": "object", "additionalProperties": {"type": ["integer", "string", "boolean", "null"]}})
    amount = obj(AMOUNT)
    text = "A text; empty where the table has -."
    none = "Null: there is no value, or it is the default."
    ns = nullable(obj({"min_ns": INT, "median_ns": INT, "p99_ns": INT, "max_ns": INT}))
    return {
        "show": output({**table, "rows": array(obj(row, NAMED))}),
        "watch": output({**table, "rows": array(obj({**row, "rates": rates}, NAMED))}),
        "objects": output({
            "object": STR, "table": ref("table"), "module": STR, "oid": {"type": "string", "pattern": "^[0-9.]+$"},
            "syntax": STR, "access": enum("read-only", "read-write", "read-create"),
            "min": said("Null for a counter.", nullable(INT)), "max": said("Null for a counter.", nullable(INT)),
            "names": said("Of values, with their numbers.", {"type": "object", "additionalProperties": INT}),
            "default": said("In a new row, or null.", nullable(ref("value"))),
            "defval": said("The MIB module has the default as DEFVAL.", BOOL), "unit": STR, "clause": STR}),
        "set": output(ASSIGNMENT, NAMED),
        "config": output({
            **ASSIGNMENT, "origin": enum("default", "file", "SET"), "line": said(
            "Of dcbd.conf, of this value or of one that is not in force; null: it has none.", nullable(UINT))}, NAMED),
        "diff": output({"object": STR, "instance": STR, "file": said(none, nullable(ref("value"))),
                        "dcbd": said(none, nullable(ref("value"))), **NAMED}, NAMED),
        "monitor": output({
            "event": said("Its name.", STR),
            "number": said("Counts from 1 in each run of dcbd; if one is missing, that event was lost.",
                           ref("unsigned64")),
            "time": said("Seconds since 1970.", NUMBER),
            "notification": said("False if the notification is switched off.", BOOL),
            "objects": array(obj(ASSIGNMENT, NAMED))}),
        "keywords": output({
            "command": STR, "keyword": STR, "kind": enum("port", "list", "map", "bits", "prio"),
            "access": enum("read-only", "read-write"), "unit": STR, "object": STR, "statistics": BOOL,
            "json": said("Its name in JSON.", STR), "words": said("Of its values.", array(STR))}),
        "status": output({
            **PORT, "operational": BOOL, "speed_bits_per_second": ref("unsigned64"), "pfc": PRIORITIES,
            "cn": array(obj({"priority": PRIORITY, "defense_mode": STR})), "neighbor": nullable(STR),
            "losses_frames": ref("unsigned64"), "storms": ref("unsigned64"), "storm_lasting": BOOL}),
        "neighbors": neighbors(),
        "dcbx": dcbx(),
        "audit": output({**PORT, "feature": STR, "result": STR, "expected": said(text, STR), "told": said(text, STR)}),
        "cn": cn(),
        "buffers": buffers(),
        "pauses": output({
            **PORT, "priority": PRIORITY, "interval": said("Seconds from the start of dcbd to its end.", UINT),
            "duration_milliseconds": UINT,
            **{name: said("Null: the port does not know it.", nullable(UINT)) for name in (
                "requests", "indications", "paused_microseconds", "pausing_microseconds", "longest_microseconds",
                "queue_octets")}}),
        "hardware": hardware(),
        "hardware-report": hardware_report(),
        "storms-trace": storms_trace(),
        "fdb": output({
            "mac": {"type": "string", "pattern": "^[0-9a-f]{2}(:[0-9a-f]{2}){5}$"}, "ifIndex": UINT, "ifname": STR,
            "vlan": UINT, "used": said("Seconds since the last frame.", UINT), "moves": said(
                "From port to port; 255: as often or more.", UINT), "flags": array(STR),
            "state": {"enum": ["", "static"]}}),
        "trill": trill(),
        "trill-egress": output({"vlan": UINT, "address": MAC, "nickname": UINT, "origin": STR, "ageSeconds": UINT}),
        "cn-profile": output({"rate": UINT, "objects": array(obj({
            "object": STR, "value": INT, "default": nullable(INT), "unit": STR}))}, maxItems=1),
        "headroom": output({"inputs": inputs, "terms": ref("terms"), "groups": ref("groups"),
                            "headroom": said("The sum of all delays.", amount)}, maxItems=1),
        "headroom-port": output({
            **PORT, "way": value_named("dcbPfcHeadroomWay"), "choice": value_named("dcbPfcHeadroomChoice"),
            "basis": value_named("dcbPfcHeadroomBasis"), "status": value_named("dcbPfcHeadroomStatus"),
            "inForce": amount, "linkDelayAllowance": amount, "allowance": amount, "calculated": amount,
            "missing": amount, "terms": ref("terms"),
            "groups": ref("groups"), "negotiation": nullable(ref("way")),
            "measurement": said("Null: the port has none.", nullable(obj({
                "enable": value_named("dcbPfcMeasureEnable"), "result": said("Null: there is none.", nullable(UINT)),
                "inUse": said("The calculation uses it.", BOOL), "count": UINT,
                **{name: said("Quanta of 512 bit times.", nullable(UINT))
                   for name in ("average", "shortest", "median", "longest", "last")},
                "age_ms": nullable(UINT), "timestamps": value_named("dcbPfcMeasureTimestamps"),
                "measuring": BOOL})))}),
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
        "description": "Each output is an array of objects with the version of their format, one for each table, "
                       "setting, event, port or other subject of the command. watch and monitor print one array on "
                       "each line. $defs has the definition of each command, port-pfc for \"pfc show\" for example, "
                       "and pfcgen that of dcb-pfcgen. A TruthValue is a boolean, an enumeration the name of its "
                       "value, an octet string hexadecimal as 00-1b-21-00-00-01; null is a value that does not "
                       "exist.",
        "anyOf": [ref(name) for name in sorted(outputs)],
        "$defs": {**parts(), **row_parts(rows), **outputs},
    }
    json.dump(schema, sys.stdout, indent=1)
    print()


main()
