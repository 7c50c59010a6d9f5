#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# switch.sh mellanox|broadcom|vs [PORTS [ROUND]]: prints the databases of a SONiC switch with this many ports, 2 by
# default, as commands for redis-cli. ROUND is added to each counter.
#
#   mellanox   a new image: buffers in APPL_DB, time stamps of syncd, map of PFC to PGs, pause durations in us
#   broadcom   an older image: references in brackets, buffers in CONFIG_DB only, transitions in place of durations
#   vs         the virtual switch: no priority groups, no watermarks
set -eu

awk -v kind="$1" -v ports="${2:-2}" -v round="${3:-0}" '
function hset(key, fields) { print "HSET " key " " fields }
function name(i) { return "Ethernet" 4 * i }
function reference(table, of) { return older ? "[" table "|" of "]" : of }
# Object identifiers of SAI: the type, and a number.
function oid(type, number) { return sprintf("oid:0x%x%012x", type, number) }
function port_oid(i) { return oid(1, i + 2) }
function queue_oid(i, q) { return oid(21, i * 8 + q + 100) }
function pg_oid(i, q) { return oid(26, i * 8 + q + 100) }
function identity(n,   i, text) {
	for (i = 0; i < n; i++)
		text = text i " " i " "
	return text
}

function common(   i, text) {
	print "SELECT 4"
	hset("DEVICE_METADATA|localhost", "hwsku TEST-" kind " platform x86_64-test_" kind "-r0 mac 02:00:5e:00:53:01 " \
		"hostname tor asic_name asic0 buffer_model " (older ? "traditional" : "dynamic"))
	hset("TC_TO_PRIORITY_GROUP_MAP|AZURE", "0 0 1 0 2 0 3 3 4 4 5 0 6 0 7 7")
	hset("TC_TO_QUEUE_MAP|AZURE", identity(8))
	hset("MAP_PFC_PRIORITY_TO_QUEUE|AZURE", identity(8))
	for (i = 0; i < 64; i++)
		text = text i " " (i == 3 || i == 4 ? i : i == 46 ? 5 : i == 8 ? 0 : 1) " "
	hset("DSCP_TO_TC_MAP|AZURE", text)
	if (kind == "mellanox")
		hset("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP|AZURE", "3 3 4 4")
	hset("SCHEDULER|scheduler.0", "type DWRR weight 14")
	hset("SCHEDULER|scheduler.1", "type DWRR weight 15")
	hset("SCHEDULER|scheduler.2", "type STRICT")
	hset("PFC_WD|GLOBAL", "POLL_INTERVAL 200")
	hset("FLEX_COUNTER_TABLE|PORT", "FLEX_COUNTER_STATUS enable")
	hset("FLEX_COUNTER_TABLE|PFCWD", "FLEX_COUNTER_STATUS enable")
	hset("FLEX_COUNTER_TABLE|PG_WATERMARK", "FLEX_COUNTER_STATUS enable POLL_INTERVAL 30000")
	hset("FLEX_COUNTER_TABLE|QUEUE_WATERMARK", "FLEX_COUNTER_STATUS disable")
	hset("PORTCHANNEL_MEMBER|PortChannel0001|Ethernet0", "NULL NULL")
	hset("PORT_QOS_MAP|global", "dscp_to_tc_map " reference("DSCP_TO_TC_MAP", "AZURE"))
	# Rows of other tables, which are not read.
	hset("VLAN|Vlan1000", "vlanid 1000")
	hset("ACL_RULE|DATAACL|RULE_1", "PRIORITY 9999")
}

function buffers(   i, profile, pool, pg, separator) {
	print older ? "SELECT 4" : "SELECT 0"
	profile = older ? "BUFFER_PROFILE|" : "BUFFER_PROFILE_TABLE:"
	pool = older ? "BUFFER_POOL|" : "BUFFER_POOL_TABLE:"
	pg = older ? "BUFFER_PG|" : "BUFFER_PG_TABLE:"
	separator = older ? "|" : ":"
	hset(pool "ingress_lossless_pool", "size 33554432 type ingress mode dynamic" (older ? "" : " xoff 4194304"))
	hset(pool "egress_lossy_pool", "size 12582912 type egress mode dynamic")
	hset(profile "pg_lossless_100000_5m_profile", "size 19456 xon 18432 xoff 165888 dynamic_th -1 pool " \
		reference("BUFFER_POOL", "ingress_lossless_pool"))
	hset(profile "ingress_lossy_profile", "size 0 dynamic_th 3 pool " \
		reference("BUFFER_POOL", "ingress_lossless_pool"))
	for (i = 0; i < ports; i++) {
		hset(pg name(i) separator "3-4", "profile " reference("BUFFER_PROFILE", "pg_lossless_100000_5m_profile"))
		hset(pg name(i) separator "0", "profile " reference("BUFFER_PROFILE", "ingress_lossy_profile"))
	}
}

function config(i,   q) {
	hset("PORT|" name(i), "alias etp" i + 1 " lanes " 4 * i " speed 100000 mtu 9100 admin_status up")
	hset("PORT_QOS_MAP|" name(i), "pfc_enable 3,4 pfcwd_sw_enable 3,4" \
		" tc_to_pg_map " reference("TC_TO_PRIORITY_GROUP_MAP", "AZURE") \
		" tc_to_queue_map " reference("TC_TO_QUEUE_MAP", "AZURE") \
		" pfc_to_queue_map " reference("MAP_PFC_PRIORITY_TO_QUEUE", "AZURE") \
		(kind == "mellanox" ? " pfc_to_pg_map AZURE" : ""))
	hset("CABLE_LENGTH|AZURE", name(i) " 5m")
	hset("PFC_WD|" name(i), "action drop detection_time 200 restoration_time 400")
	for (q = 0; q < 8; q++)
		hset("QUEUE|" name(i) "|" q, "scheduler " \
			reference("SCHEDULER", "scheduler." (q == 7 ? 2 : q == 3 || q == 4 ? 1 : 0)))
}

function counters(i,   p, text) {
	for (p = 0; p < 8; p++) {
		text = text " SAI_PORT_STAT_PFC_" p "_RX_PKTS " 1000 * (i + 1) + 10 * p + round
		text = text " SAI_PORT_STAT_PFC_" p "_TX_PKTS " 2000 * (i + 1) + 10 * p + round
	}
	# The watchdog alone has these polled, of the priorities that it watches.
	for (p = 3; p <= 4; p++)
		text = text (kind == "broadcom" ? " SAI_PORT_STAT_PFC_" p "_ON2OFF_RX_PKTS " 40 + p + round \
			: " SAI_PORT_STAT_PFC_" p "_RX_PAUSE_DURATION_US " 500000 + p + round)
	hset("COUNTERS:" port_oid(i), "SAI_PORT_STAT_IF_IN_OCTETS 4711 SAI_PORT_STAT_PAUSE_RX_PKTS " 7 + round \
		" SAI_PORT_STAT_PAUSE_TX_PKTS " 8 + round text)
	for (p = 0; p < 8; p++) {
		text = "SAI_QUEUE_STAT_PACKETS 5"
		if (p == 3 || p == 4)
			text = text " PFC_WD_STATUS operational PFC_WD_ACTION drop PFC_WD_DETECTION_TIME 200000" \
				" PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED " 2 + round \
				" PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED " 2 + round \
				" PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS " 30 + round \
				" PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS " 31 + round
		hset("COUNTERS:" queue_oid(i, p), text)
		if (kind == "vs")
			continue
		hset("COUNTERS:" pg_oid(i, p), "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS " p + round)
		hset("USER_WATERMARKS:" pg_oid(i, p), \
			"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES " 1000 + p " " \
			"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES " 2000 + p)
		hset("USER_WATERMARKS:" queue_oid(i, p), "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES " 3000 + p)
	}
}

function maps(i,   p) {
	hset("COUNTERS_PORT_NAME_MAP", name(i) " " port_oid(i))
	for (p = 0; p < 8; p++) {
		hset("COUNTERS_QUEUE_NAME_MAP", name(i) ":" p " " queue_oid(i, p))
		if (kind != "vs")
			hset("COUNTERS_PG_NAME_MAP", name(i) ":" p " " pg_oid(i, p))
	}
}

BEGIN {
	older = kind == "broadcom"
	common()
	for (i = 0; i < ports; i++)
		config(i)
	if (kind != "vs")
		buffers()
	print "SELECT 0"
	hset("PORT_TABLE:PortConfigDone", "count " ports)
	for (i = 0; i < ports; i++)
		hset("PORT_TABLE:" name(i), "alias etp" i + 1 " speed 100000 mtu 9100 admin_status up oper_status " \
			(i == 1 ? "down" : "up"))
	print "SELECT 6"
	for (i = 0; i < ports; i++)
		hset("PORT_TABLE|" name(i), "state ok host_tx_ready true speed " (i == 1 ? "N/A" : 100000))
	print "SELECT 1"
	for (i = 0; i < ports; i++)
		hset("ASIC_STATE:SAI_OBJECT_TYPE_PORT:" port_oid(i), "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL 24")
	print "SELECT 2"
	for (i = 0; i < ports; i++) {
		maps(i)
		counters(i)
	}
	if (kind == "mellanox")
		hset("COUNTERS:TIME_STAMP", "PORT_STAT_COUNTER_Port_Counter_time_stamp " 1000 + round \
			" PFC_WD_Port_Counter_time_stamp " 1000 + round)
}'
