#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbd on a SONiC switch: a redis-server with the databases that tests/sonic/switch.sh prints, provider "sonic", snmpd,
# dcb-agentx. Ports and their names, settings, counters, watermarks, headroom, storms and notifications; restarts of
# orchagent, breakout, other images; a redis-server that is killed, stopped, refuses, or has other values. Settings that
# are written by patches, which tests/sonic/host_services.py applies, refuses, or applies late.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/traps.sh
. "$src/tests/system/traps.sh"
# shellcheck source=tests/sonic/lab.sh
. "$src/tests/sonic/lab.sh"
command -v redis-server >/dev/null || skip_all "redis-server is not installed"
grep -q '^#define DCB_SONIC 1' "$build/config.h" || skip_all "dcbd is built without hiredis"

redis=$T/redis.sock
mkdir $T/sonic
sonic_config $redis >$T/sonic/database_config.json
start_redis() { # [OPTION...]
	start redis bash -c '. "$1"; shift; sonic_redis "$@"' - "$src/tests/sonic/lab.sh" $redis $T "$@"
	wait_for 10 "redis-server listens" eval "redis-cli -s $redis ping | grep -qE 'PONG|NOAUTH'" || die "no redis-server"
}
db() { redis-cli -s $redis -n "$@" >/dev/null; } # DATABASE COMMAND...
# load KIND PORTS [ROUND]: without time stamps of syncd, which would stand still.
load() {
	sh "$src/tests/sonic/switch.sh" "$@" | grep -v TIME_STAMP | redis-cli -e -s $redis >/dev/null ||
		die "cannot load $*"
}
reload() { # KIND PORTS: another switch
	db 0 flushall
	load "$@"
}
conf() { # WRITE
	dcbd_conf 'interfaces = { include = [ "Ethernet*" ]; };' 'defaults = { provider = "sonic"; };' \
		'lldp = { enable = false; };' "sonic = { config = \"$T/sonic/database_config.json\"; $1 };"
}
ctl() { "$build/dcbctl" -s $T/control "$@"; }
ports_are() { [ "$(get dcbAgentPorts.0)" = "$1" ]; }
reaches() { wait_for 3 "$1" "${@:2}" || like "$1" "$(get "${@: -2:1}" 2>&1)" "^${*: -1}\$"; } # WHAT holds OBJECT VALUE

start_redis
load mellanox 4
start_snmptrapd
conf 'write = "none";'
start_dcbd
start_snmpd "${trap_sink[@]}"
start_agent
wait_for 20 "four ports" ports_are 4

test_ports_have_names_and_ifindexes_of_sonic() {
	is "ifIndexes" "$(rows dcbPortName | tr '\n' ' ')" "1 5 9 13 "
	is "names" "$(get dcbPortName.1 dcbPortName.13 | tr '\n' ' ')" '"Ethernet0" "Ethernet12" '
	is "provider" "$(get dcbAgentProvider.0)" '"sonic"'
	is "LAG" "$(get dcbPortAggregate.1)" '"PortChannel0001"'
	is "no LAG" "$(get dcbPortAggregate.5)" '""'
	is "up" "$(get dcbPortOperational.1 dcbPortOperational.5 | tr '\n' ' ')" "1 2 "
	is "rate" "$(get dcbPortRate.1)" 100000000000
	is "driver" "$(get dcbHardwareDriver.1)" '"TEST-mellanox"'
	is "threads" "$(cat /proc/"${pid_of[dcbd]}"/task/*/comm | grep -cE '^(dataplane|station|observer)$')" 0
	! walk_all | grep -E '(timeout|genErr)' || fail "walk"
}

test_settings_are_those_of_sonic() {
	local p
	for p in 0 1 2 3 4 5 6 7; do
		is "PFC $p" "$(get dcbPfcPriorityEnable.1.$p)" $((p == 3 || p == 4 ? 1 : 2))
		is "class of $p" "$(get dcbPfcPriorityTrafficClass.1.$p)" $p
	done
	is "shares" "$(ctl ets show dev Ethernet0 tc-bw)" 'tc-bw 0:14 1:14 2:14 3:15 4:15 5:14 6:14 7:0'
	like "DSCP" "$(ctl app show dev Ethernet0)" 'AF11:1 .*EF:5 '
	is "cable" "$(get dcbPfcHeadroomCableLength.1)" 5
	is "watchdog" "$(get dcbPfcWatchdogAction.1.3 dcbPfcWatchdogDetectionTime.1.3 dcbPfcWatchdogAction.1.2 | tr '\n' ' ')" \
		"3 200 1 "
	is "owner, policy, state" "$(get dcbHardwareOwner.1 dcbHardwarePolicy.1 dcbHardwareState.1 | tr '\n' ' ')" "4 3 1 "
	like "no instance" "$(get dcbHardwareStormErrors.1)" 'No Such Instance'
	like "no instance" "$(get dcbHardwarePriorityMaxRate.1.3)" 'No Such Instance'
}

test_settings_of_sonic_are_not_writable() {
	local before
	before=$(redis-cli -s $redis -n 4 hgetall 'PORT_QOS_MAP|Ethernet0')
	refused notWritable dcbPfcPriorityEnable.1.5 1
	refused notWritable dcbPfcHeadroomCableLength.1 100
	refused notWritable dcbPfcWatchdogAction.1.5 3
	is "row" "$(redis-cli -s $redis -n 4 hgetall 'PORT_QOS_MAP|Ethernet0')" "$before"
	is "PFC" "$(get dcbPfcPriorityEnable.1.5)" 2
}

test_counters_of_each_priority() {
	local p sum=0
	for p in 0 1 2 3 4 5 6 7; do
		is "requests $p" "$(get dcbPfcPriorityRequests.5.$p)" $((4000 + 10 * p))
		is "indications $p" "$(get dcbPfcPriorityIndications.5.$p)" $((2000 + 10 * p))
		is "discards $p" "$(get dcbPfcPriorityDiscards.5.$p)" $((p == 3 || p == 4 || p == 7 ? p : 0))
		sum=$((sum + 4000 + 10 * p))
	done
	is "sum" "$(get ieee8021PfcRequests.5)" $sum
	is "time" "$(get dcbPfcPriorityPauseTime.5.3)" 500003
	like "no time" "$(get dcbPfcPriorityPauseTime.5.2)" 'No Such Instance'
	load mellanox 4 7
	reaches "requests" holds dcbPfcPriorityRequests.5.3 4037
	is "indications" "$(get dcbPfcPriorityIndications.5.3)" 2037
}

test_watermarks() {
	is "most octets held" "$(get dcbPfcPriorityHeldPeak.1.3)" 3006
	is "octets before XON" "$(get dcbPfcPriorityXon.1.3)" 18432
}

# 100 Gb/s, 5 m, frames of 9126 octets: 77433 octets by the clauses; the profile has 165888.
test_headroom_is_compared() {
	is "in force" "$(get dcbPfcHeadroomInForce.1)" $((165888 * 8))
	is "allowance" "$(get dcbPfcHeadroomAllowance.1)" 619460
	is "missing" "$(get dcbPfcHeadroomMissing.1)" 0
	db 4 hset 'CABLE_LENGTH|AZURE' Ethernet0 40000m
	reaches "cable" holds dcbPfcHeadroomCableLength.1 40000
	forget_traps
	reaches "status" holds dcbPfcHeadroomStatus.1 5
	is "missing" "$(get dcbPfcHeadroomMissing.1)" $((($(get dcbPfcHeadroomAllowance.1) + 7) / 8 - 165888))
	like "dcbctl" "$(ctl headroom show dev Ethernet0)" 'missing'
	db 4 hset 'CABLE_LENGTH|AZURE' Ethernet0 5m
	reaches "nothing is missing" holds dcbPfcHeadroomMissing.1 0
	# The profile of the port, in one of two priorities.
	db 0 hset 'BUFFER_PROFILE_TABLE:small' size 19456 xon 18432 xoff 40000 dynamic_th -1 pool ingress_lossless_pool
	db 0 del BUFFER_PG_TABLE:Ethernet0:3-4
	db 0 hset BUFFER_PG_TABLE:Ethernet0:3 profile small
	db 0 hset BUFFER_PG_TABLE:Ethernet0:4 profile pg_lossless_100000_5m_profile
	reaches "the smaller one" holds dcbPfcHeadroomInForce.1 320000
	is "missing" "$(get dcbPfcHeadroomMissing.1)" 37433
	# What dcbd alone knows can be set, and is kept.
	put dcbPfcHeadroomResponse.1 10000
	reaches "a slower peer" eval '[ "$(get dcbPfcHeadroomMissing.1)" -gt 37433 ]'
	stop dcbd
	db 4 hset 'PORT_QOS_MAP|Ethernet0' pfc_enable 3,4,6
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	reaches "kept" holds dcbPfcHeadroomResponse.1 10000
	reaches "changed meanwhile" holds dcbPfcPriorityEnable.1.6 1
	db 4 hset 'PORT_QOS_MAP|Ethernet0' pfc_enable 3,4
	put dcbPfcHeadroomResponse.1 0
	db 0 del BUFFER_PG_TABLE:Ethernet0:3 BUFFER_PG_TABLE:Ethernet0:4
	db 0 hset BUFFER_PG_TABLE:Ethernet0:3-4 profile pg_lossless_100000_5m_profile
	reaches "nothing is missing" holds dcbPfcHeadroomMissing.1 0
}

test_changes_by_sonic_are_followed_and_notified() {
	local changes
	changes=$(get dcbHardwareOtherChanges.1)
	db 4 hset 'PORT_QOS_MAP|Ethernet0' pfc_enable 3,4,5
	reaches "PFC" holds dcbPfcPriorityEnable.1.5 1
	at_least "changes" "$(get dcbHardwareOtherChanges.1)" $((changes + 1))
	db 4 hset 'PORT_QOS_MAP|Ethernet0' pfc_enable nonsense
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "pfc_enable.*nonsense"'
	db 4 hset 'PORT_QOS_MAP|Ethernet0' pfc_enable 3,4
	reaches "PFC" holds dcbPfcPriorityEnable.1.5 2
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "SONiC has the settings"'
	db 0 hset PORT_TABLE:Ethernet0 oper_status down
	reaches "down" holds dcbPortOperational.1 2
	db 0 hset PORT_TABLE:Ethernet0 oper_status up
	reaches "up" holds dcbPortOperational.1 1
}

queue_oid() { redis-cli -s $redis -n 2 hget COUNTERS_QUEUE_NAME_MAP "$1"; }
publish() { db 2 publish PFC_WD_ACTION "[\"$(queue_oid "$1")\",\"$2\"]"; } # PORT:QUEUE storm|restore

test_counters_that_syncd_does_not_read_are_stale() {
	db 4 hset 'FLEX_COUNTER_TABLE|PG_WATERMARK' FLEX_COUNTER_STATUS disable
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "does not read these counters any more: PG_WATERMARK"'
	db 2 hset COUNTERS:TIME_STAMP PORT_STAT_COUNTER_Port_Counter_time_stamp 1000
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "any more: PORT PG_WATERMARK"'
	db 2 del COUNTERS:TIME_STAMP
	db 4 hset 'FLEX_COUNTER_TABLE|PG_WATERMARK' FLEX_COUNTER_STATUS enable
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "SONiC has the settings"'
}

test_storms_are_notified() {
	local oid
	forget_traps
	oid=$(queue_oid Ethernet0:3)
	db 2 hset "COUNTERS:$oid" PFC_WD_STATUS stormed PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED 20
	publish Ethernet0:3 storm
	wait_for 20 "storm" has_traps 1 dcbPfcStorm
	reaches "state" holds dcbPfcWatchdogState.1.3 3
	reaches "storms" holds dcbPfcWatchdogStorms.1.3 20
	db 2 hset "COUNTERS:$oid" PFC_WD_STATUS operational PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED 20
	publish Ethernet0:3 restore
	wait_for 20 "end" has_traps 1 dcbPfcStormRestored
	reaches "state" holds dcbPfcWatchdogState.1.3 2
	like "dcbctl" "$(ctl storms show dev Ethernet0)" 'prio 3'
	is "notified once" "$(count_traps dcbPfcStorm) $(count_traps dcbPfcStormRestored)" "1 1"
}

test_missing_counters_have_no_instance() {
	local oid
	oid=$(redis-cli -s $redis -n 2 hget COUNTERS_PORT_NAME_MAP Ethernet4)
	db 2 hdel "COUNTERS:$oid" SAI_PORT_STAT_PFC_3_RX_PKTS
	reaches "no counter" eval 'get dcbPfcPriorityIndications.5.3 | grep -q "No Such Instance"'
	is "its neighbors" "$(get dcbPfcPriorityIndications.5.4)" 2047
	is "walk" "$(rows dcbPfcPriorityIndications | grep -c '^5\.')" 7
	db 2 hset "COUNTERS:$oid" SAI_PORT_STAT_PFC_3_RX_PKTS many
	reaches "reason" eval 'get dcbHardwareReason.5 | grep -q "SAI_PORT_STAT_PFC_3_RX_PKTS"'
	db 2 hset "COUNTERS:$oid" SAI_PORT_STAT_PFC_3_RX_PKTS 5000
	reaches "counter" holds dcbPfcPriorityIndications.5.3 5000
}

# orchagent makes objects with other identifiers, and counters begin at 0.
test_restart_of_orchagent() {
	local since oid
	since=$(get dcbPortCounterDiscontinuityTime.1)
	db 2 del COUNTERS_PORT_NAME_MAP COUNTERS_QUEUE_NAME_MAP COUNTERS_PG_NAME_MAP
	reaches "no counters" eval 'get dcbPfcPriorityIndications.1.3 | grep -q "No Such Instance"'
	ports_are 4 || fail "ports"
	is "PFC" "$(get dcbPfcPriorityEnable.1.3)" 1
	oid=oid:0x1000000000abc
	load mellanox 4
	db 2 hset COUNTERS_PORT_NAME_MAP Ethernet0 $oid
	db 2 hset "COUNTERS:$oid" SAI_PORT_STAT_PFC_3_RX_PKTS 12
	reaches "counter" holds dcbPfcPriorityIndications.1.3 12
	reaches "discontinuity" eval '[ "$(get dcbPortCounterDiscontinuityTime.1)" -gt '"$since"' ]'
	reload mellanox 4
	reaches "counter" holds dcbPfcPriorityIndications.1.3 1030
}

test_breakout_replaces_a_port() {
	local i
	db 2 hdel COUNTERS_PORT_NAME_MAP Ethernet12
	db 4 del 'PORT|Ethernet12' 'PORT_QOS_MAP|Ethernet12'
	db 6 del 'PORT_TABLE|Ethernet12'
	db 0 del PORT_TABLE:Ethernet12
	for i in 12 13 14 15; do
		db 4 hset "PORT|Ethernet$i" alias etp4 lanes $i speed 25000 mtu 9100 admin_status up
		db 0 hset PORT_TABLE:Ethernet$i speed 25000 mtu 9100 admin_status up oper_status up
		db 2 hset COUNTERS_PORT_NAME_MAP Ethernet$i oid:0x1000000000f$i
	done
	wait_for 3 "seven ports" ports_are 7
	is "ifIndexes" "$(rows dcbPortName | tr '\n' ' ')" "1 5 9 13 14 15 16 "
	reaches "rate" holds dcbPortRate.13 25000000000
	is "PFC without a row" "$(get dcbPfcPriorityEnable.13.3)" 2
	reload mellanox 4
	wait_for 3 "four ports" ports_are 4
}

test_redis_that_is_killed_stopped_and_refuses() {
	local age
	stop redis KILL
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -qE "connect|redis"'
	is "values stay" "$(get dcbPfcPriorityIndications.1.3)" 1030
	age=$(get dcbHardwareAge.1)
	reaches "age" eval '[ "$(get dcbHardwareAge.1)" -gt '"$age"' ]'
	start_redis
	load mellanox 4 3
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "SONiC has the settings"'
	reaches "counter" holds dcbPfcPriorityIndications.1.3 1033
	kill -STOP "${pid_of[redis]}"
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "no answer"'
	ports_are 4 || fail "ports"
	kill -CONT "${pid_of[redis]}"
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -q "SONiC has the settings"'
	stop redis KILL
	start_redis --requirepass secret
	reaches "reason" eval 'get dcbHardwareReason.1 | grep -qE "NOAUTH.*password_file"'
	stop redis KILL
	start_redis
	load mellanox 4
	reaches "counter" holds dcbPfcPriorityIndications.1.3 1030
}

test_dcbd_starts_before_redis() {
	stop redis KILL
	restart_dcbd
	is "ports" "$(get dcbAgentPorts.0)" 0
	start_redis
	load mellanox 4
	wait_for 3 "four ports" ports_are 4
}

test_other_images() {
	reload broadcom 2
	restart_dcbd
	wait_for 3 "two ports" ports_are 2
	is "transitions" "$(get dcbPfcPriorityTransitions.1.3)" 43
	like "no time" "$(get dcbPfcPriorityPauseTime.1.3)" 'No Such Instance'
	is "in force" "$(get dcbPfcHeadroomInForce.1)" $((165888 * 8))
	is "class" "$(get dcbPfcPriorityTrafficClass.1.3)" 3
	reload vs 2
	restart_dcbd
	wait_for 3 "two ports" ports_are 2
	is "time" "$(get dcbPfcPriorityPauseTime.1.3)" 500003
	like "no watermark" "$(get dcbPfcPriorityHeldPeak.1.3)" 'No Such Instance'
	is "no buffers" "$(get dcbPfcHeadroomStatus.1 dcbPfcHeadroomMissing.1 | tr '\n' ' ')" "1 0 "
	! walk_all | grep -E '(timeout|genErr)' || fail "walk"
}

# --- settings are written -------------------------------------------------------------------------

service() { echo "$*" >$T/service; } # as tests/sonic/host_services.py has it
patches() { cat $T/patches 2>/dev/null; }
config_of() { redis-cli -s $redis -n 4 hget "$@"; } # KEY FIELD
state() { get dcbHardwareState.1; }                 # 1 confirmed, 2 pending, 3 refused
mask_of() { get dcbPfcPriorityEnable.1.{0..7} | tr '\n' ' '; }

test_settings_are_written_by_patches() {
	service ok
	start bus bash -c '. "$1"; sonic_bus "$2"' - "$src/tests/sonic/lab.sh" $T
	wait_for 10 "the system bus" test -S $T/bus
	export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$T/bus
	start services /usr/bin/python3 "$src/tests/sonic/host_services.py" $redis $T
	wait_for 10 "the host services" dbus-send --system --print-reply --dest=org.freedesktop.DBus / \
		org.freedesktop.DBus.GetNameOwner string:org.SONiC.HostService.gcu
	reload mellanox 4
	stop dcbd
	conf 'write = "patch";'
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	wait_for 20 "four ports" ports_are 4
	pause 2
	is "nothing is written at the start" "$(patches)" ""
	is "policy, state" "$(get dcbHardwarePolicy.1 dcbHardwareState.1 | tr '\n' ' ')" "1 1 "
	put dcbPfcPriorityEnable.1.5 1 dcbPfcPriorityEnable.5.4 2 dcbPfcHeadroomCableLength.1 40
	reaches "state" holds dcbHardwareState.1 1
	is "CONFIG_DB" "$(config_of 'PORT_QOS_MAP|Ethernet0' pfc_enable) $(config_of 'PORT_QOS_MAP|Ethernet4' pfc_enable)" "3,4,5 3"
	is "cable" "$(config_of 'CABLE_LENGTH|AZURE' Ethernet0)" 40m
	is "one patch" "$(patches | wc -l)" 1
	is "writes" "$(get dcbHardwareWrites.1)" 1
	put dcbPfcPriorityEnable.1.3 2 dcbPfcPriorityEnable.1.4 2 dcbPfcPriorityEnable.1.5 2
	reaches "state" holds dcbHardwareState.1 1
	is "no priority" "$(config_of 'PORT_QOS_MAP|Ethernet0' pfc_enable)" ""
	put dcbPfcPriorityEnable.1.3 1 dcbPfcPriorityEnable.1.4 1
	refused notWritable dcbPfcWatchdogAction.1.5 3
}

test_refusals_of_sonic_change_nothing() {
	local before failures_before
	before=$(mask_of)
	failures_before=$(get dcbHardwareFailures.1)
	service refuse
	refused commitFailed dcbPfcPriorityEnable.1.6 1
	is "CONFIG_DB" "$(config_of 'PORT_QOS_MAP|Ethernet0' pfc_enable)" "3,4"
	reaches "state" holds dcbHardwareState.1 3
	like "reason" "$(get dcbHardwareReason.1)" 'apply-patch.*not supported on this platform'
	reaches "failures" holds dcbHardwareFailures.1 $((failures_before + 1))
	is "PFC" "$(mask_of)" "$before"
	service ok
	put dcbPfcPriorityEnable.1.6 1
	reaches "state" holds dcbHardwareState.1 1
	is "written" "$(config_of 'PORT_QOS_MAP|Ethernet0' pfc_enable)" 3,4,6
	put dcbPfcPriorityEnable.1.6 2
	# A port without a row has no lossless queue: SONiC's own command does nothing then.
	db 4 del 'PORT_QOS_MAP|Ethernet8'
	reaches "no row" holds dcbPfcPriorityEnable.9.3 2
	refused inconsistentValue dcbPfcPriorityEnable.9.3 1
	like "text" "$(ctl set dcbPfcPriorityEnable.9.3 1 2>&1)" 'PORT_QOS_MAP'
	load mellanox 4
	reaches "row" holds dcbPfcPriorityEnable.9.3 1
}

# The updater needs longer than managers wait: the SET is answered, and the state says how it ends.
test_slow_patches_are_pending() {
	service slow
	put dcbPfcPriorityEnable.1.6 1
	is "state, CONFIG_DB" "$(state) $(config_of 'PORT_QOS_MAP|Ethernet0' pfc_enable)" "2 3,4"
	is "setting" "$(get dcbPfcPriorityEnable.1.6)" 1
	# Changed again meanwhile: another patch follows.
	put dcbPfcPriorityEnable.1.7 1
	service ok
	wait_for 20 "both are in force" eval '[ "$(config_of "PORT_QOS_MAP|Ethernet0" pfc_enable) $(state)" = "3,4,6,7 1" ]'
	service slow refuse
	put dcbPfcPriorityEnable.1.6 2
	is "pending" "$(state)" 2
	service refuse
	wait_for 20 "refused" holds dcbHardwareState.1 3
	reaches "the setting is that of SONiC" holds dcbPfcPriorityEnable.1.6 1
	service ok
	put dcbPfcPriorityEnable.1.6 2 dcbPfcPriorityEnable.1.7 2
	reaches "state" holds dcbHardwareState.1 1
}

test_values_that_sonic_does_not_put_in_force() {
	local oid
	service no-asic
	put dcbPfcPriorityEnable.1.6 1
	is "pending" "$(state)" 2
	oid=$(redis-cli -s $redis -n 2 hget COUNTERS_PORT_NAME_MAP Ethernet0)
	db 1 hset "ASIC_STATE:SAI_OBJECT_TYPE_PORT:$oid" SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL 88
	reaches "the ASIC has it" holds dcbHardwareState.1 1
	service drop
	put dcbPfcPriorityEnable.1.6 2
	is "pending" "$(state)" 2
	wait_for 40 "refused" holds dcbHardwareState.1 3
	like "reason" "$(get dcbHardwareReason.1)" 'databases do not have them'
	reaches "the setting is that of SONiC" holds dcbPfcPriorityEnable.1.6 1
	service ok
	put dcbPfcPriorityEnable.1.6 2
	reaches "state" holds dcbHardwareState.1 1
}

test_host_services_that_are_not_there() {
	stop services KILL
	refused commitFailed dcbPfcPriorityEnable.1.6 1
	like "reason" "$(get dcbHardwareReason.1)" "host services"
	stop bus KILL
	refused commitFailed dcbPfcPriorityEnable.1.6 1
	like "reason" "$(get dcbHardwareReason.1)" "D-Bus"
	is "PFC" "$(mask_of)" "2 2 2 1 1 2 2 2 "
	stop dcbd
	conf 'write = "none";'
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	wait_for 20 "four ports" ports_are 4
}

# --- the demonstration: its lines begin with "demo: " ---------------------------------------------

step() { echo "demo: "; echo "demo: == $*"; }
show() { # COMMAND...: as an operator has it
	echo "demo: $ $*"
	"$@" 2>&1 | sed 's/^/demo: /'
}
dcbctl() { ctl "$@"; }
# play ROUND: the counters of a second of traffic.
play() { load mellanox 4 "$1"; }

test_demo_shows_its_effects() {
	local round oid before walk=(snmpwalk "${v2c[@]}" -Oqn $agent)
	reload mellanox 4
	reaches "counter" holds dcbPfcPriorityIndications.1.3 1030
	step "the databases of a switch with four ports, as SONiC writes them"
	show redis-cli -s $redis -n 4 hgetall 'PORT_QOS_MAP|Ethernet0'
	step "their ports: SONiC has the settings, dcbd shows them"
	show dcbctl status
	show dcbctl hardware Ethernet0
	step "counters of each priority: dcbPfcPriorityIndications by snmpwalk; the same after 3 s of traffic"
	show "${walk[@]}" "${O[dcbPfcPriorityIndications]}.1"
	before=$(get dcbPfcPriorityIndications.1.3)
	for round in 400 800 1200; do
		play $round
		pause 1
	done
	reaches "traffic" holds dcbPfcPriorityIndications.1.3 $((before + 1200))
	show "${walk[@]}" "${O[dcbPfcPriorityIndications]}.1"
	step "a storm: the watchdog of SONiC drops what is queued at priority 3 of Ethernet0"
	forget_traps
	oid=$(queue_oid Ethernet0:3)
	db 2 hset "COUNTERS:$oid" PFC_WD_STATUS stormed PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS 9999
	publish Ethernet0:3 storm
	wait_for 10 "storm" has_traps 1 dcbPfcStorm
	reaches "state" holds dcbPfcWatchdogState.1.3 3
	show dcbctl storms show dev Ethernet0
	db 2 hset "COUNTERS:$oid" PFC_WD_STATUS operational
	publish Ethernet0:3 restore
	wait_for 10 "end" has_traps 1 dcbPfcStormRestored
	step "a cable of 2 km in place of 5 m: the buffer profile lacks octets after XOFF"
	db 4 hset 'CABLE_LENGTH|AZURE' Ethernet0 2000m
	reaches "cable" holds dcbPfcHeadroomCableLength.1 2000
	reaches "lacks" eval '[ "$(get dcbPfcHeadroomMissing.1)" -gt 0 ]'
	show dcbctl headroom show dev Ethernet0
	db 4 hset 'CABLE_LENGTH|AZURE' Ethernet0 5m
	reaches "nothing is missing" holds dcbPfcHeadroomMissing.1 0
	echo "demo: "
	echo "demo: => notifications: $(count_traps dcbPfcStorm) storm, $(count_traps dcbPfcStormRestored) end of a storm" \
		"(expected: 1, 1)"
}

# ./dev demo sonic: the demonstration alone.
if [ "${1-}" = demo ]; then
	current=test_demo_shows_its_effects
	$current
	[ $failures -eq 0 ] && echo "demo: => all effects as expected" || echo "demo: => WRONG: $failures effects"
	unset current
	stop_all
	exit $((failures > 0))
fi
run_tests
