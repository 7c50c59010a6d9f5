#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A SET PDU is one transaction over rows, tables and MIB modules: all of it takes effect, in memory,
# in the dataplane's configuration and in the state file, or none.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
dcbctl=$build/dcbctl
ports=({100001..100008})
start_all 'memory_ports = 8;' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriRowStatus"; index = "1.5"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriLldpInstanceChoice"; index = "1.5"; value = "cnlNone"; }
);'

# many N: puts 61 objects of five tables and new values, which depend on N, into $many.
many() {
	local p
	many=(ieee8021CnGlobalCnmTransmitPriority.1 $(($1 % 8))
		ieee8021CnComPriAlternatePriority.1.3 $(($1 % 8))
		ieee8021CnComPriLldpInstanceSelector.1.5 $((1 + $1 % 4096)))
	for p in "${ports[@]}"; do
		many+=("ieee8021CnCpQueueSizeSetPoint.1.$p.3" $(($1 + p))
			"ieee8021CnCpQueueSizeSetPoint.1.$p.5" $(($1 + p + 1))
			"ieee8021CnCpMinSampleBase.1.$p.3" $(($1 + p + 2))
			"ieee8021CnCpMinHeaderOctets.1.$p.5" $(($1 % 65))
			"ieee8021CnPortPriAlternatePriority.1.5.$p" $(($1 % 8))
			"ieee8021CnPortPriLldpInstanceSelector.1.3.$p" $((1 + $1 % 4096))
			"ieee8021PfcLinkDelayAllowance.$p" $(($1 + p + 3)))
	done
	many+=(ieee8021CnPortPriAdminDefenseMode.1.3.100004 $((1 + $1 % 4))
		ieee8021CnCpFeedbackWeight.1.100002.5 $(($1 % 11 - 5)))
}

# all_hold NAME.INSTANCE VALUE...: each object has its value.
all_hold() {
	local names=() values=()
	while [ $# -gt 0 ]; do
		names+=("$1") values+=("$2")
		shift 2
	done
	get "${names[@]}" >$T/got
	printf '%s\n' "${values[@]}" >$T/wanted
	same "values" $T/wanted $T/got
}

picture() { # FILE: records all objects and the state file
	walk_all | still >"$1"
	stat -c '%y %s %i' $T/state/state >>"$1"
	sha256sum <$T/state/state >>"$1"
}

test_sixty_varbinds_apply() {
	many 20000
	is "varbinds" $((${#many[@]} / 2)) 61
	put "${many[@]}"
	all_hold "${many[@]}"
	restart_dcbd
	all_hold "${many[@]}"
}

test_bad_varbind_prevents_whole_set() {
	local kind
	picture $T/before
	for kind in 'wrongValue ieee8021CnCpMinHeaderOctets.1.100008.3 65' \
		'noCreation ieee8021CnCpQueueSizeSetPoint.2.100001.3 30000' \
		'inconsistentName ieee8021CnCpQueueSizeSetPoint.1.100009.3 30000' \
		'inconsistentName ieee8021PfcLinkDelayAllowance.7 1' \
		'notWritable ieee8021CnCpPriority.1.100001.3 3' \
		'inconsistentName ieee8021CnComPriAlternatePriority.1.6 3' \
		'inconsistentValue ieee8021CnComPriRowStatus.1.6 1' \
		'inconsistentValue ieee8021CnComPriRowStatus.1.5 4'; do
		many 30000
		set -- $kind
		refused "$1" "${many[@]}" "$2" "$3"
		refused "$1" "$2" "$3" "${many[@]}"
		picture $T/after
		same "after $kind" $T/before $T/after
	done
	# A wrong type, and a read-only object of the master.
	varbinds "${many[@]}"
	raw_set "${varbinds[@]}" "${O[ieee8021PfcLinkDelayAllowance]}.100001" i 5
	is "wrong type at the end" "$error" wrongType
	raw_set "${varbinds[@]}" 1.3.6.1.2.1.1.3.0 t 5
	is "object of the master" "$error" notWritable
	picture $T/after
	same "after both" $T/before $T/after
}

test_row_and_its_dependents_in_one_set() {
	picture $T/before
	# Other variables of a PDU may refer to rows that it creates; a bad variable prevents the
	# rows.
	refused wrongValue ieee8021CnCpQueueSizeSetPoint.1.100001.6 40000 ieee8021CnComPriRowStatus.1.6 4 \
		ieee8021CnCpMinSampleBase.1.100001.6 9999
	refused inconsistentName ieee8021CnComPriRowStatus.1.3 6 ieee8021CnCpQueueSizeSetPoint.1.100001.3 40000
	picture $T/after
	same "after refusals" $T/before $T/after
	put ieee8021CnCpQueueSizeSetPoint.1.100001.6 40000 ieee8021CnComPriRowStatus.1.6 4 \
		ieee8021CnPortPriAlternatePriority.1.6.100002 2
	all_hold ieee8021CnCpQueueSizeSetPoint.1.100001.6 40000 ieee8021CnComPriRowStatus.1.6 1 \
		ieee8021CnPortPriAlternatePriority.1.6.100002 2
	put ieee8021CnComPriRowStatus.1.6 6
}

test_order_does_not_matter() {
	local round i order
	put ieee8021CnComPriRowStatus.1.6 6
	walk_all | settled >$T/clean
	for round in 1 2 3 4 5 6; do
		many 40000
		many+=(ieee8021CnComPriRowStatus.1.6 4 ieee8021CnComPriAlternatePriority.1.6 7
			ieee8021CnCpQueueSizeSetPoint.1.100003.6 41000 ieee8021CnPortPriDefModeChoice.1.6.100003 2)
		order=()
		for i in $(shuf -i 0-$((${#many[@]} / 2 - 1)) --random-source=<(yes "$seed$round")); do
			order+=("${many[2 * i]}" "${many[2 * i + 1]}")
		done
		put "${order[@]}"
		walk_all | settled >$T/walk.$round
		same "round $round and the first" $T/walk.1 $T/walk.$round
		many 20000
		put "${many[@]}" ieee8021CnComPriRowStatus.1.6 6
		walk_all | settled >$T/back
		[ $round -gt 1 ] || cp $T/back $T/clean
		same "old values after round $round" $T/clean $T/back
	done
}

# manager NUMBER: sends SETs of three objects of three tables to one increasing value.
manager() {
	local i version out
	for ((i = 0; i < 60; i++)); do
		out=$(snmpset "${v2c[@]}" -Oqn $agent \
			"${O[ieee8021CnCpQueueSizeSetPoint]}.1.100001.3" u $((1000 * $1 + i)) \
			"${O[ieee8021PfcLinkDelayAllowance]}.100007" u $((1000 * $1 + i)) \
			"${O[ieee8021CnCpMinSampleBase]}.1.100008.5" u $((10000 + 1000 * $1 + i)) 2>&1) ||
			echo "manager $1: $out"
	done
}

test_sets_of_two_managers_do_not_mix() {
	local one two n=0 v
	manager 1 >$T/manager.1 &
	one=$!
	manager 2 >$T/manager.2 &
	two=$!
	while ! gone $one || ! gone $two; do
		mapfile -t v < <(get ieee8021CnCpQueueSizeSetPoint.1.100001.3 \
			ieee8021PfcLinkDelayAllowance.100007 ieee8021CnCpMinSampleBase.1.100008.5)
		n=$((n + 1))
		[ $n -gt 1 ] || continue # before the first SET
		[ "${v[0]}" -ge 1000 ] && [ "${v[0]}" -lt 3000 ] || continue
		# A GET of one table is a snapshot; one of three tables is not. No GET may return
		# values that no manager has set, and no mix may remain at the end.
		[ "${v[1]}" -ge 1000 ] && [ "${v[2]}" -ge 11000 ] || fail "read $n: ${v[*]}"
	done
	wait $one $two
	[ ! -s $T/manager.1 ] || fail "$(head -n 3 $T/manager.1)"
	[ ! -s $T/manager.2 ] || fail "$(head -n 3 $T/manager.2)"
	mapfile -t v < <(get ieee8021CnCpQueueSizeSetPoint.1.100001.3 \
		ieee8021PfcLinkDelayAllowance.100007 ieee8021CnCpMinSampleBase.1.100008.5)
	is "one PDU's values" "${v[1]} ${v[2]}" "${v[0]} $((v[0] + 10000))"
	like "value of the last SET of one manager" "${v[0]}" '^[12]059$'
	timed at_least "GETs in the meantime" $n 10
}

# SNMP and dcbctl are two clients of one service and do not disturb each other.
test_sets_by_snmp_and_dcbctl_at_once() {
	local pid i out longest=0
	for ((i = 0; i < 100; i++)); do
		snmpset "${v2c[@]}" $agent "${O[ieee8021CnCpQueueSizeSetPoint]}.1.100001.3" u $((5000 + i)) >/dev/null || break
	done 2>$T/manager.1 &
	pid=$!
	for ((i = 0; i < 30; i++)); do
		out=$("$dcbctl" -s $T/control set ieee8021CnCpFeedbackWeight.1.100004.5 $((i % 10)) 2>&1) || fail "dcbctl: $out"
		# dcb-agentx may answer from its cache, up to 100 ms old.
		wait_for 1 "value by dcbctl, read over SNMP" holds ieee8021CnCpFeedbackWeight.1.100004.5 $((i % 10))
		[ "$waited" -le "$longest" ] || longest=$waited
	done
	timed at_most "ms until a value by dcbctl can be read over SNMP" $longest 200
	wait $pid
	[ ! -s $T/manager.1 ] || fail "$(head -n 3 $T/manager.1)"
	holds ieee8021CnCpQueueSizeSetPoint.1.100001.3 5099 || fail "last value set by SNMP is lost"
}

run_tests
