#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An SNMP client that shares no code with Net-SNMP reads the same values as Net-SNMP's tools and
# gets the same errors. It also sends types that snmpset has no letter for.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
# ./dev test installs the package; builds with other flags share it.
for NODE_PATH in "$build/npm/system/node_modules" "$src/build/npm/system/node_modules" ''; do
	[ ! -d "$NODE_PATH/net-snmp" ] || break
done
export NODE_PATH
[ -n "$NODE_PATH" ] || skip_all "no npm package net-snmp in build/npm/system: ./dev test installs it"

client() { node "$src/tests/system/npm.js" 1161 "$@"; } # VERSION WHAT...

start_all 'role = "station"; memory_ports = 3;' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriRowStatus"; index = "1.5"; value = "createAndGo"; },
	{ object = "ieee8021CnPortPriDefModeChoice"; index = "1.3.*"; port = "mem0"; value = "cpcAdmin"; },
	{ object = "ieee8021CnPortPriAlternatePriority"; index = "1.3.*"; port = "mem0"; value = "5"; },
	'"$app_priority"'
);'
drop_neighbor_objects
drop_bridge_objects
walk_all -Ox | still >$T/walk

test_walks_return_the_same() {
	local how root protocol
	at_least "values" "$(wc -l <$T/walk)" 150
	for protocol in v2c v3; do
		for how in next bulk; do
			for root in $PFC $LLDP $CN "$AGENT"; do client $protocol walk $how "$root"; done | still >$T/got
			same "$protocol, $how" $T/walk $T/got
		done
	done
}

test_get_of_everything() {
	local protocol
	cut -d' ' -f1 $T/walk | cut -c2- >$T/oids
	for protocol in v2c v3; do
		client $protocol get <$T/oids | still >$T/got
		same "$protocol" $T/walk $T/got
	done
	printf '%s\n' $CN.1.1.1.99.1 "${O[ieee8021CnCpPriority]}.1.7.7" >$T/oids
	client v2c get <$T/oids >$T/got
	like "no such column" "$(sed -n 1p $T/got)" NoSuchObject
	like "no such row" "$(sed -n 2p $T/got)" NoSuchInstance
}

instance() { # OBJECT: puts the instance of its last row into $instance
	instance=$(sed -nE "s/^\.${O[$1]}\.([0-9.]+)( = .*)?$/\1/p" $T/walk | tail -n 1)
}

# ask LINE WANTED: adds a SET and its expected result to the next batch.
ask() {
	printf '%s\n' "$1" >>$T/questions
	printf '%s\n' "$2" >>$T/wanted
}
batch() { # VERSION: sends the SETs and compares the results
	client "$1" set <$T/questions >$T/got
	paste -d' ' $T/wanted $T/questions >$T/wanted.lines
	paste -d' ' $T/got $T/questions >$T/got.lines
	same "$1: $(wc -l <$T/questions) SETs" $T/wanted.lines $T/got.lines
	: >$T/questions
	: >$T/wanted
}
writable() { [[ ${access[$1]} =~ ^R[WC]$ ]] && [ "${syntax[$1]}" != ROW_STATUS ]; }

# Other settings exclude the maximum: another LLDP instance (table 32-1), a vendor's transmission
# selection algorithm, and a reserve as large as the frame memory. Prints the error.
conflict() {
	case $1 in
	ieee8021CnComPriLldpInstanceSelector | lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm)
		echo inconsistentValue
		;;
	dcbBufferReserve) echo resourceUnavailable ;;
	*) return 1 ;;
	esac
}

test_set_of_every_writable_object() {
	local name instance protocol type error list=()
	: >$T/questions
	: >$T/wanted
	for protocol in v2c v3; do
		for name in "${objects[@]}"; do
			writable "$name" || continue
			# It may not be below dcbPfcHeadroomMinimum, which is at its maximum by
			# then.
			[ "$name" != dcbPfcHeadroomMaximum ] || continue
			instance "$name"
			type_of "$name"
			ask "${O[$name]}.$instance $type ${least[$name]}" noError
			if error=$(conflict "$name"); then
				ask "${O[$name]}.$instance $type ${most[$name]}" "$error"
				continue
			fi
			ask "${O[$name]}.$instance $type ${most[$name]}" noError
			! reads_otherwise "$name" || continue
			list+=("$name.$instance" "${most[$name]}")
		done
		batch $protocol
		while [ ${#list[@]} -gt 0 ]; do
			holds "${list[0]}" "${list[1]}" || fail "${list[0]}: $(get "${list[0]}"), not ${list[1]}"
			list=("${list[@]:2}")
		done
	done
}

test_wrong_sets_are_refused() {
	local name instance type wrong protocol
	: >$T/questions
	: >$T/wanted
	for protocol in v2c v3; do
		for name in "${objects[@]}"; do
			instance "$name"
			if [ "${access[$name]}" = RO ]; then
				ask "${O[$name]}.$instance C 18446744073709551615" notWritable
				ask "${O[$name]}.$instance c 5" notWritable
				continue
			fi
			type_of "$name"
			for wrong in 'C 5' 'c 5' 't 5' 'x 05' 'a 0.0.0.5' 'i 1' 'u 1'; do
				[ "${wrong%% *}" = "$type" ] || ask "${O[$name]}.$instance $wrong" wrongType
			done
			[[ ${most[$name]} =~ ^(2147483647|4294967295)$ ]] ||
				ask "${O[$name]}.$instance $type $((most[$name] + 1))" wrongValue
		done
		ask "${O[ieee8021CnCpQueueSizeSetPoint]}.1.77.3 u 30000" inconsistentName
		ask "${O[ieee8021CnComPriAlternatePriority]}.1.6 u 3" inconsistentName
		ask "${O[ieee8021CnComPriRowStatus]}.1.3 i 4" inconsistentValue
		ask "$CN.1.5.1.99.1.1.1 u 3" notWritable
		batch $protocol
	done
}

test_set_of_many_is_all_or_nothing() {
	local i line='' bad
	: >$T/questions
	: >$T/wanted
	for i in 1 2 3; do
		line+="${O[ieee8021CnCpQueueSizeSetPoint]}.1.10000$i.3 u 3333$i "
		line+="${O[ieee8021CnCpMinSampleBase]}.1.10000$i.5 u 4444$i "
		line+="${O[ieee8021PfcLinkDelayAllowance]}.10000$i u 5555$i "
	done
	bad="${O[ieee8021CnCpMinHeaderOctets]}.1.100001.3 u 65"
	ask "$line$bad" wrongValue
	batch v3
	holds ieee8021PfcLinkDelayAllowance.100001 55551 && fail "a refused SET changed a value"
	ask "${line% }" noError
	batch v3
	holds ieee8021PfcLinkDelayAllowance.100003 55553 || fail "a SET did not change all values"
	holds ieee8021CnCpQueueSizeSetPoint.1.100002.3 33332 || fail "a SET did not change all values"
}

run_tests
