#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# PFC headroom of real interfaces: it follows them, is set over SNMP, kept, and is
# what dcbctl calculates without dcbd.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

host h1 sw1
host h2 sw2
host h3 sw3
start_all 'interfaces = { include = [ "sw*" ]; };' 'ports = (
	{ name = "sw2"; rate = "2.5G"; },
	{ name = "sw3"; pfc = { headroom = 20000; }; } );
	initial = ( { object = "dcbPfcHeadroomResponse"; index = "*"; port = "sw3"; value = "50000"; } );'
p1=$(ifindex sw1) p2=$(ifindex sw2) p3=$(ifindex sw3)
calculated=dcbPfcHeadroomCalculated force=dcbPfcHeadroomInForce

# What dcbctl says of these inputs, in bits.
planned() { "$build/dcbctl" -j headroom "$@" | sed -n '/"headroom": {/,$ s/.*"bits": \([0-9]*\).*/\1/p'; }

# veths say 10 Gb/s and 1500 octets.
test_is_what_was_planned() {
	is "sw1" "$(get $calculated."$p1")" "$(planned --mtu 1500)"
	is "sw2" "$(get $calculated."$p2")" "$(planned --mtu 1500 --speed 2.5G --phy worst)"
	is "sw1, in force" "$(get $force."$p1")" "$(planned --mtu 1500)"
	is "sw3, calculated" "$(get $calculated."$p3")" "$(planned --mtu 1500 --response 50000)"
	is "sw3, by dcbd.conf" "$(get $force."$p3")" 160000
	put dcbPfcHeadroomResponse."$p1" 80000 dcbPfcHeadroomCableLength."$p1" 20 \
		dcbPfcHeadroomCableMedium."$p1" 2 dcbPfcHeadroomPhy."$p1" 2
	is "a software peer" "$(get $force."$p1")" \
		"$(planned --mtu 1500 --response 80000 --cable 20 --medium fibre --phy none)"
}

test_follows_the_mtu() {
	local wanted
	wanted=$(planned --mtu 9000 --response 80000 --cable 20 --medium fibre --phy none)
	ip link set sw1 mtu 9000
	wait_for 5 "the headroom of 9000 octets" holds $force."$p1" "$wanted"
	ip link set sw1 mtu 1500
	wait_for 5 "the old one" holds $force."$p1" $((wanted - 2 * 8 * 7500))
}

test_bounds() {
	refused inconsistentValue dcbPfcHeadroomMaximum."$p1" 1000 dcbPfcHeadroomMinimum."$p1" 1001
	is "minimum" "$(get dcbPfcHeadroomMinimum."$p1")" 0
	put dcbPfcHeadroomMaximum."$p1" 1000
	is "in force" "$(get $force."$p1")" 1000
	is "status" "$(get dcbPfcHeadroomStatus."$p1")" 3
	refused inconsistentValue dcbPfcHeadroomMinimum."$p1" 1001
	put dcbPfcHeadroomMaximum."$p1" 4294967295
}

test_manual_and_kept() {
	put ieee8021PfcLinkDelayAllowance."$p2" 7777 dcbPfcHeadroomChoice."$p2" 2
	is "by hand" "$(get $force."$p2")" 7777
	restart_dcbd
	wait_for 5 "the ports" holds $force."$p2" 7777
	is "response" "$(get dcbPfcHeadroomResponse."$p1")" 80000
	put dcbPfcHeadroomChoice."$p2" 1
	is "calculated" "$(get $force."$p2")" "$(planned --mtu 1500 --speed 2.5G --phy worst)"
}

run_tests
