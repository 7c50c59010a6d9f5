#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Each change of a headroom by measurement, and of its way, is one dcbPfcHeadroomChanged, at a real
# snmptrapd and for dcbctl monitor. The bounds of 36.9.6 make the result of the measurement an exact
# one, however long the round trips of this machine are.
#
#   a [dcbd, lldpd, snmpd]  ab === ba  b [dcbd, lldpd]
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

changed=dcbPfcHeadroomChanged
configured=1 measured=3 # dcbPfcWayInUse
first=8000              # quanta

for n in a b; do node $n; done
cable a ab b ba
start_snmptrapd
for n in a b; do
	start_lldpd $n
	node_conf $n bridge "$n*" "ports = ( { name = \"$n*\"; rate = 1000000000L; speed = 1000000000L; } );" "initial = (
		{ object = \"lldpXdot1dcbxConfigPFCTxEnable\"; index = \"*.1\"; port = \"$n*\"; value = \"true\"; },
		{ object = \"lldpXdot1dcbxAdminPFCEnableEnabled\"; index = \"*.3\"; port = \"$n*\"; value = \"true\"; },
		{ object = \"dcbPfcWayAdvertise\"; index = \"*\"; port = \"$n*\"; value = \"p8021qdt\"; },
		{ object = \"dcbPfcWayMeasurement\"; index = \"*\"; port = \"$n*\"; value = \"true\"; },
		{ object = \"dcbPfcMeasureMinimum\"; index = \"*\"; port = \"$n*\"; value = $first; },
		{ object = \"dcbPfcMeasureMaximum\"; index = \"*\"; port = \"$n*\"; value = $first; } );"
	start_node $n
done
wait_for 5 "ports are up" eval 'ports_up a ab && ports_up b ba' || die "ports are not up"
start_snmpd "${trap_sink[@]}"
start_agentx -c $T/a/control
start monitor "$build/dcbctl" -s $T/a/control -j monitor
ab=$(if_of a ab)

of() { value a $1.$ab; } # OBJECT
is_of() { [ "$(of $1)" = "$2" ]; }
way() { is_of dcbPfcWayInUse $1; }
# seen: the numbers of the notifications: snmptrapd's, those of dcbctl monitor.
seen() { echo "$(count_traps $changed) $(grep -c $changed "${log_of[monitor]}")"; }
has_seen() { [ "$(seen)" = "$1 $1" ]; } # COUNT
# looked: waits until dcbd has looked for changes again, which it does once a second.
looked() {
	local until
	until=$(($(value a dcbAgentUpTime.0) + 110))
	up_for() { [ "$(value a dcbAgentUpTime.0)" -ge $1 ]; }
	wait_for 10 "another second" up_for $until
}
# one_more: exactly one more notification, whose objects have the headroom and the way of now, and
# none when dcbd looks again.
one_more() {
	local line
	n=$((n + 1))
	wait_for 10 "notification $n" eval "has_traps $n $changed && [ \$(grep -c $changed \"${log_of[monitor]}\") -ge $n ]"
	looked
	is "notifications" "$(seen)" "$n $n"
	line=$(traps $changed | tail -n 1)
	is "headroom of notification $n" "$(trap_value "$line" dcbPfcHeadroomInForce)" "$(of dcbPfcHeadroomInForce)"
	is "way of notification $n" "$(trap_value "$line" dcbPfcHeadroomWay)" "$(of dcbPfcHeadroomWay)"
}

test_way_by_measurement() {
	wait_for 20 "way" way $measured || ctl a dcbx ab
	wait_for 20 "the result" is_of dcbPfcMeasureInForce $first
	wait_for 10 "b measures too" is_value b dcbPfcWayInUse."$(if_of b ba)" $measured
	looked
	looked
	n=$(count_traps $changed)
	printf '    notifications until the first result: %s\n' "$n"
}

test_each_result_is_one_notification() {
	local quanta before
	for quanta in 9000 15000 $first; do
		before=$(of dcbPfcHeadroomInForce)
		set_at a dcbPfcMeasureMinimum.$ab $quanta dcbPfcMeasureMaximum.$ab $quanta
		wait_for 10 "the result" is_of dcbPfcMeasureInForce $quanta
		one_more
		[ "$(of dcbPfcHeadroomInForce)" != "$before" ] || fail "$quanta quanta: the headroom has not changed"
	done
}

test_each_way_is_one_notification() {
	local value way
	for way in $configured $measured; do
		value=$((way == measured ? 1 : 2))
		set_at a dcbPfcWayMeasurement.$ab $value
		wait_for 10 "way $way" way $way
		one_more
	done
	is "headroom" "$(of dcbPfcMeasureInForce)" $first
}

# Nothing but these: dcbd has looked for changes twice, and had the same measured again.
test_no_change_is_no_notification() {
	local rounds before
	rounds=$(of dcbPfcMeasureRounds) before=$(seen)
	set_at a dcbPfcMeasureRestart.$ab 7
	more_rounds() { [ "$(of dcbPfcMeasureRounds)" -gt $rounds ]; }
	wait_for 10 "another measurement" more_rounds
	looked
	is "notifications" "$(seen)" "$before"
	is "notifications in the log" "$(grep -c "event: $changed" "${log_of[dcbd-a]}")" "${before% *}"
	stop monitor KILL
}

run_tests
