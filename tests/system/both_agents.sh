#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two snmpd serve the objects of one dcbd, with the optional module: one by dcb-agentx, the other one
# by dcb.so. Their responses are the same: values, types, exceptions, error-status, error-index, order
# and number of varbinds.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
subagent=127.0.0.1:1161 module=127.0.0.1:1261
cisco=CISCO-PFC-EXT-MIB CISCO=1.3.6.1.4.1.9.9.813
roots=($PFC $LLDP $CN "$AGENT" $CISCO)

dcbd_conf 'role = "station"; memory_ports = 3;' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriRowStatus"; index = "1.5"; value = "createAndGo"; },
	{ object = "ieee8021CnPortPriDefModeChoice"; index = "1.3.*"; port = "mem0"; value = "cpcAdmin"; },
	{ object = "ieee8021CnPortPriAlternatePriority"; index = "1.3.*"; port = "mem0"; value = "5"; },
	'"$app_priority"'
);'
start_dcbd
start_snmpd
start_agentx -m $cisco
by_module=true agent=$module snmpd_name=snmpd_module agentx_socket=unix:$T/unused
start_snmpd "dcbModules $cisco"
start_agent
wait_for 10 "$cisco by both" eval "agent=$subagent walk $CISCO | grep -q = && agent=$module walk $CISCO | grep -q ="
by_module=false agent=$subagent snmpd_name=snmpd
unset agentx_socket
drop_neighbor_objects
drop_bridge_objects

# question WORD...: adds a request for snmp_batch.
question() { printf '%s\n' "whole $*" >>$T/questions; }

# ours: on standard input, responses of snmp_batch. Replaces varbinds that are not dcbd's, because a
# GETNEXT goes on to objects in which two snmpd differ, and values that change without a SET.
ours() {
	awk -v roots="${roots[*]}" \
		-v changing="${O[dcbAgentUpTime]}.0 ${O[dcbEngineLoops]}.0 ${O[dcbEngineConfigAdopted]}.0" '
		BEGIN { n = split(roots, root, " "); m = split(changing, name, " ") }
		{
			for (f = 3; f <= NF; f++) {
				for (i = 1; i <= n && index($f, "." root[i] ".") != 1; i++);
				if (i > n) $f = "other"
				for (i = 1; i <= m; i++)
					if (index($f, "." name[i] "=") == 1) sub(/:.*/, "", $f)
			}
			print
		}'
}

# same_responses WHAT LEAST [OPTION...]: sends the questions to both, over v2c if there is no option.
same_responses() {
	local what=$1 options=("${@:3}") differing kind
	[ $# -gt 2 ] || options=("${v2c[@]}")
	at_least "$what: requests" "$(wc -l <$T/questions)" "$2"
	for kind in subagent module; do
		"$build/tests/system/snmp_batch" "${options[@]}" "${!kind}" <$T/questions 2>&1 | ours >$T/$kind
		is "$what: responses by the $kind" "$(grep -cE '^[0-9]+ [0-9]+' $T/$kind)" "$(wc -l <$T/questions)"
	done
	differing=$(paste -d'\n' $T/questions $T/subagent $T/module |
		awk 'NR % 3 == 1 { q = $0 } NR % 3 == 2 { s = $0 } NR % 3 == 0 && $0 != s {
			print substr(q, 1, 200) "\n  subagent: " substr(s, 1, 300) "\n  module:   " substr($0, 1, 300) }')
	[ -z "$differing" ] || fail "$what:"$'\n'"$(head -n 12 <<<"$differing")"
	rm $T/questions
}

# same_walks WHAT TOOL OPTION...: walks all subtrees of both.
same_walks() {
	local kind root
	for kind in subagent module; do
		for root in "${roots[@]}"; do "${@:2}" -On "${!kind}" "$root" 2>&1; done |
			grep -vE "$at_end" | still >$T/$kind
	done
	at_least "$1: varbinds" "$(wc -l <$T/subagent)" 150
	is "$1: subtrees" "$(for root in "${roots[@]}"; do grep -c "^\.$root\." $T/module; done | grep -cvx 0)" ${#roots[@]}
	same "$1" $T/subagent $T/module
}

walk_all -Ox | still >$T/walk
{ cat $T/walk && walk $CISCO; } | cut -d' ' -f1 | cut -c2- >$T/names
declare -A last_instance=()
for name in "${objects[@]}"; do
	last_instance[$name]=$(sed -n "s/^${O[$name]}\.//p" $T/names | tail -n 1)
done

test_walks_are_the_same() {
	same_walks "GETBULK of 25" snmpbulkwalk "${v2c[@]}" -Ox -Cr25
	same_walks "GETBULK of 3" snmpbulkwalk "${v2c[@]}" -Ox -Cr3
	same_walks "GETNEXT" snmpwalk "${v2c[@]}" -Ox
	same_walks "v1" snmpwalk "${v1[@]}" -Ox
	same_walks "v3" snmpbulkwalk "${v3[@]}" -Ox -Cr50
}

test_get_is_the_same() {
	local n name last
	# Varbinds in order and in reverse order.
	for n in 1 7 40; do
		{ cat $T/names && tac $T/names; } | awk -v n=$n '
			{ line = line " " $1 }
			NR % n == 0 { print "whole get" line; line = "" }
			END { if (line != "") print "whole get" line }' >>$T/questions
	done
	for name in "${objects[@]}"; do
		last=${last_instance[$name]}
		question get "${O[$name]}"
		question get "${O[$name]}.$last.0"
		question get "${O[$name]}.9.9.9.9"
		question get "${O[$name]}.4294967295"
		question get "${O[$name]%.*}.99.$last"
		# Values, exceptions and an object of snmpd in one PDU.
		question get "${O[$name]}.$last" "${O[$name]}" 1.3.6.1.2.1.1.2.0 "${O[$name]%.*}.99.$last" \
			"${O[$name]}.$last.7" "${O[$name]}.$last"
	done
	for name in "${roots[@]}" $CN.1 $CN.1.99 $PFC.2; do question get $name; done
	same_responses "GET" 500
}

test_getnext_is_the_same() {
	local name last root
	for name in "${objects[@]}"; do
		last=${last_instance[$name]}
		question next "${O[$name]}"
		question next "${O[$name]}.$last"
		question next "${O[$name]}.${last%.*}"
		question next "${O[$name]}.$last.0"
		question next "${O[$name]}.0"
		question next "${O[$name]}.4294967295"
		question next "${O[$name]}.$last" "${O[$name]}" "${O[$name]}.${last%.*}.4294967295" "${O[$name]}.$last"
	done
	for root in "${roots[@]}"; do
		question next "${root%.*}"
		question next $root $root.1 $root.1.1 $root.2 $root.99
	done
	same_responses "GETNEXT" 500
	question next "${O[dcbAgentRole]}" "${O[ieee8021CnCpPriority]}"
	question next "${O[ieee8021CnCpDiscardedFrames]}" # the next one of another type than Counter64
	same_responses "GETNEXT over v1" 2 "${v1[@]}"
}

test_getbulk_is_the_same() {
	local name i shape columns=() last
	for name in "${objects[@]}"; do
		last=${last_instance[$name]}
		question bulk 0 4 "${O[$name]}"
		question bulk 0 3 "${O[$name]}.$last" "${O[$name]}"
		[[ ${table_of[$name]} != cn_port_pri ]] || columns+=("${O[$name]}")
	done
	for shape in "0 0" "0 1" "0 6" "0 7" "0 30" "1 0" "1 5" "3 5" "99 5" "0 2000"; do
		question bulk "$shape" "${columns[@]}"
	done
	# A column twice, in another order, of several tables, and beyond the end of a module.
	question bulk 0 9 "${columns[1]}" "${columns[0]}" "${columns[1]}"
	question bulk 2 12 "${O[dcbAgentRole]}" "${O[ieee8021CnCpPriority]}" "${O[ieee8021PfcRequests]}" \
		"${O[dcbPfcPriorityEnable]}" "${O[lldpXdot1dcbxAdminETSConTrafficClassBandwidth]}"
	for i in "${roots[@]}"; do
		question bulk 0 40 "$i"
		question bulk 1 20 "$i" "$i.1" "$i.99"
	done
	same_responses "GETBULK" 180
}

writable() { [[ ${access[$1]} =~ ^R[WC]$ ]]; }

# Each is alone, and behind a SET that would succeed: the error-index tells which one it was.
wrong_set() { # OID TYPE VALUE
	question set "$@"
	question set "${O[ieee8021PfcLinkDelayAllowance]}.100001" u 7 "$@"
}

test_errors_of_sets_are_the_same() {
	local name last wrong
	for name in "${objects[@]}"; do
		last=${last_instance[$name]}
		if ! writable "$name"; then
			wrong_set "${O[$name]}.$last" i 1
			question set "${O[$name]}.$last" a 1.2.3.4
			question set "${O[$name]}.9.9" u 1
			continue
		fi
		type_of "$name"
		for wrong in 'C 5' 'c 5' 't 5' 'x 05' 'a 0.0.0.5' 'o 1.3.6' 'i 1' 'u 1'; do
			# shellcheck disable=SC2086 # a type and a value
			[ "${wrong%% *}" = "$type" ] || question set "${O[$name]}.$last" $wrong
		done
		[ "$type" = x ] && wrong=000102030405060708090a0b0c0d0e0f || wrong=4000000000
		[ "$type" != i ] || wrong=2000000000
		[[ ${most[$name]} =~ ^(2147483647|4294967295)$ ]] || wrong_set "${O[$name]}.$last" "$type" "$wrong"
		wrong_set "${O[$name]}.$last.1" "$type" "${most[$name]}"
		wrong_set "${O[$name]}" "$type" "${most[$name]}"
		question set "${O[$name]}.4294967295" "$type" "${most[$name]}"
	done
	wrong_set "${O[ieee8021CnComPriRowStatus]}.1.3" i 4
	wrong_set "${O[ieee8021CnComPriRowStatus]}.1.8" i 4
	wrong_set "${O[ieee8021CnComPriRowStatus]}.1.6" i 1
	wrong_set "${O[ieee8021CnComPriAlternatePriority]}.1.6" u 3
	wrong_set $CN.1.5.1.99.1.1.1 u 3
	wrong_set $PFC i 1
	wrong_set 1.3.6.1.2.1.1.3.0 t 5 # the master's own sysUpTime
	same_responses "SETs over v2c" 500
	question set "${O[ieee8021CnGlobalCnmTransmitPriority]}.1" u 8
	question set "${O[ieee8021CnCpPriority]}.1.100001.3" u 3
	question set "${O[ieee8021CnComPriAlternatePriority]}.1.6" u 3
	same_responses "SETs over v1" 3 "${v1[@]}"
	walk_all -Ox | settled >$T/now
	settled <$T/walk >$T/before
	same "walk after refused SETs" $T/before $T/now
}

# A SET by one is read by the other one; both find the same rows after each.
test_sets_of_one_are_read_by_the_other() {
	local i kind other object=ieee8021CnCpQueueSizeSetPoint.1.100001.3
	for i in 1 2 3; do
		for kind in subagent module; do
			[ $kind = module ] && other=$subagent || other=$module
			agent=${!kind} put $object $((20000 + 2 * i + (${#kind} & 1))) \
				ieee8021CnComPriRowStatus.1.6 4 ieee8021CnCpQueueSizeSetPoint.1.100002.6 $((30000 + i))
			fresh
			agent=$other holds $object $((20000 + 2 * i + (${#kind} & 1))) || fail "round $i: value of the $kind"
			agent=$other has_row ieee8021CnCpPriority 1.100002.6 || fail "round $i: row of the $kind"
			same_walks "round $i, after a SET by the $kind" snmpbulkwalk "${v2c[@]}" -Ox -Cr25
			agent=$other put ieee8021CnComPriRowStatus.1.6 6
		done
	done
}

run_tests
