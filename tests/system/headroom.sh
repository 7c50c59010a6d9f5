#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The PFC headroom of a bridge port, by SNMP and dcbctl: the sums of annex N.6 from the MTU of the
# interface on, each delay with its source, the value that 12.23 puts in force, and the memory that a
# shorter link frees.
#
#   h1 === sw1 [dcbd, a bridge]
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"

host h1 sw1
sw1=$(ifindex sw1)
patient_agent
start_all 'interfaces = { include = [ "sw*" ]; };' 'ports = ( { name = "sw1"; rate = 10000000000L; } );'
wait_for 5 "sw1 is up" holds dcbPortOperational.$sw1 1
put dcbPfcPriorityEnable.$sw1.3 1

# show FILTER: jq on the headroom of sw1
show() { "$build/dcbctl" -s $T/control -j headroom show sw1 | jq -rc ".[0]$1"; }

# set_mtu OCTETS FRAME: of both ends of the link; waits until dcbd assumes frames of this length.
set_mtu() {
	ip -n h1 link set eth0 mtu "$1"
	ip link set sw1 mtu "$1"
	wait_for 5 "MTU $1" holds dcbPfcHeadroomMaxFrame.$sw1 "$2"
}

terms() { # prints the sum of all rows of dcbPfcHeadroomTermTable of sw1
	local i names=()
	for i in {1..17}; do names+=("dcbPfcHeadroomTermBits.$sw1.$i"); done
	get "${names[@]}" | awk '{ sum += $1 } END { print sum }'
}

has() { # IN-FORCE: each of SNMP, the terms and dcbctl has this headroom
	is "dcbPfcHeadroomInForce" "$(get dcbPfcHeadroomInForce.$sw1)" "$1"
	is "dcbPfcHeadroomAllowance" "$(get dcbPfcHeadroomAllowance.$sw1)" "$1"
	is "sum of dcbPfcHeadroomTermBits" "$(terms)" "$1"
	is "dcbctl headroom show" "$(show .inForce.bits)" "$1"
	is "terms of dcbctl" "$(show '.terms | map(.bits) | add')" "$1"
}

test_annex_n6() {
	# Frames of 2000 octets, 100 m of Cat6.
	set_mtu 1974 2000
	has 126224
	is "way" "$(get dcbPfcHeadroomWay.$sw1)" 1
	like "text" "$("$build/dcbctl" -s $T/control headroom show sw1)" \
		'sw1: way configured, choice automatic, in force allowance, status calculated'
	# With MACsec on data: SecTAG and ICV are a part of the 2000 octets.
	put dcbPfcHeadroomMacsec.$sw1 2
	set_mtu 1942 2000
	has 164944
	is "delay of the neighbor's SecY" "$(get dcbPfcHeadroomTermBits.$sw1.13)" 19360
	put dcbPfcHeadroomMacsec.$sw1 1
	set_mtu 1974 2000
}

test_each_delay_has_its_source() {
	is "response, standard" "$(get dcbPfcHeadroomTermBits.$sw1.11 dcbPfcHeadroomTermSource.$sw1.11 | xargs)" "6144 1"
	put dcbPfcHeadroomResponse.$sw1 1000 dcbPfcHeadroomPtpDelay.$sw1 500
	is "response, configured" "$(get dcbPfcHeadroomTermBits.$sw1.11 dcbPfcHeadroomTermSource.$sw1.11 | xargs)" "10000 2"
	is "link, of IEEE 1588" "$(get dcbPfcHeadroomTermBits.$sw1.8 dcbPfcHeadroomTermSource.$sw1.8 | xargs)" "5000 4"
	is "dcbctl" "$(show '.terms[] | select(.delay == "link-to-peer") | [.source, .bits]')" '["ptp",5000]'
	put dcbPfcHeadroomResponse.$sw1 0 dcbPfcHeadroomPtpDelay.$sw1 0
	refused wrongValue dcbPfcHeadroomPtpDelay.$sw1 1000000001
}

# 12.23: PFCLinkDelayAllowance is in force until both ends agree on a calculation, once it is set.
has_run() { [ "$(snmpget "${v2c[@]}" -Oqvt $agent "${O[dcbAgentUpTime]}.0")" -ge "$1" ]; } # HUNDREDTHS of a second
test_link_delay_allowance_is_in_force_once_it_is_set() {
	local was
	# dcbd compares with the headroom of a second before: it has to have looked once.
	wait_for 10 "dcbd has run for two seconds" has_run 200
	put ieee8021PfcLinkDelayAllowance.$sw1 0
	was=$(grep -c 'event: dcbPfcHeadroomChanged:' "${log_of[dcbd]}")
	put ieee8021PfcLinkDelayAllowance.$sw1 200000
	is "in force" "$(get dcbPfcHeadroomInForce.$sw1 dcbPfcHeadroomBasis.$sw1 dcbPfcHeadroomAllowance.$sw1 | xargs)" \
		"200000 2 126224"
	is "dcbctl" "$(show '| [.basis, .inForce.bits, .linkDelayAllowance.bits, .allowance.bits]')" \
		'["linkDelayAllowance",200000,200000,126224]'
	wait_for 5 "the event" eval '[ "$(grep -c "event: dcbPfcHeadroomChanged:" "${log_of[dcbd]}")" -gt '"$was"' ]'
	logged dcbd 'sw1: the headroom changed from [0-9]+ to 200000 bits' || fail "no line in the log"
	restart_dcbd
	wait_for 5 "sw1 is up" holds dcbPortOperational.$sw1 1
	is "after a restart" "$(get dcbPfcHeadroomInForce.$sw1 dcbPfcHeadroomChoice.$sw1 | xargs)" "200000 1"
	put dcbPfcHeadroomChoice.$sw1 3
	is "calculated" "$(get dcbPfcHeadroomInForce.$sw1 dcbPfcHeadroomBasis.$sw1 | xargs)" "126224 1"
	put dcbPfcHeadroomChoice.$sw1 1 ieee8021PfcLinkDelayAllowance.$sw1 0
	has 126224
}

measured() { [ "$(show .measurement.result)" = "$1" ]; } # QUANTA, or null

# The neighbor agrees to no measurement: its result, here the initial value, has no effect.
test_measurement_without_agreement_is_not_in_use() {
	local text
	is "before" "$(show '.measurement | [.enable, .result, .inUse, .count, .timestamps]')" '["agreed",null,false,0,"none"]'
	put dcbPfcMeasureInitial.$sw1 100 dcbPfcMeasureEnable.$sw1 3
	wait_for 5 "the initial value, a multiple of 8 quanta" measured 104
	is "result by SNMP" "$(get dcbPfcMeasureInForce.$sw1)" 104
	is "in use" "$(show .measurement.inUse)" false
	is "reason of the way" "$(show '.negotiation | [.inForce, .reason]')" '["configured","off"]'
	has 126224
	text=$("$build/dcbctl" -s $T/control headroom show sw1)
	like "text" "$text" 'way configured: not negotiated: the port offers no other way \(sent: none; received: none\)'
	like "text" "$text" 'measurement always: 104 quanta, not in use; no round trip; timestamps none'
	put dcbPfcMeasureInitial.$sw1 0 dcbPfcMeasureEnable.$sw1 2
	wait_for 5 "no result" measured null
}

reserved() { [ "$(get dcbBufferHeadroomSize.$sw1.3)" -eq "$1" ]; }

test_shorter_link_frees_the_difference() {
	local long
	# 10 km of fiber, then 1 km: 45 us less in each direction, 112500 octets.
	put dcbPfcHeadroomCableMedium.$sw1 2 dcbPfcHeadroomCableLength.$sw1 10000
	wait_for 5 "the headroom of 10 km" eval '[ "$(get dcbBufferHeadroomSize.$sw1.3)" -gt 125000 ]'
	long=$(get dcbBufferHeadroomSize.$sw1.3)
	put dcbPfcHeadroomCableLength.$sw1 1000
	wait_for 5 "the headroom of 1 km" reserved $((long - 112500))
	put dcbPfcHeadroomCableMedium.$sw1 1 dcbPfcHeadroomCableLength.$sw1 100
}

run_tests
