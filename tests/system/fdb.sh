#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# 100000 learned addresses: a manager and dcbctl read all of them, each once and in order.
#
#   h1 - sw1   h2 - sw2
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
dcbctl=("$build/dcbctl" -s $T/control)
addresses=100000
for n in 1 2; do host h$n sw$n; done
start_all 'interfaces = { include = [ "sw*" ]; }; bridge = { fdb_entries = 200000; };'
for n in 1 2; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done

learned() { "$probe" get $T/control dcbVlanPortLearned."$(ifindex sw1)"; }

# In bursts that the receive ring holds; the destination is at the same port, so no frame is sent on.
test_addresses_are_learned() {
	local i n=0 burst=2000 from
	put dcbVlanPortLearnLimit."$(ifindex sw1)" 0
	wait_for 5 "the limit is in force" in_force
	for ((i = 0; i < addresses / burst; i++)); do
		printf -v from 02:00:%02x:00:00:00 $i
		n=$((n + burst))
		on h1 "$frames" send eth0 -s $from -d 02:00:00:00:00:00 -n $burst -a
		wait_for 10 "$n addresses" eval "[ \$(learned) -ge $n ]"
	done
}

# Lines "VLAN ADDRESS", octets as decimal numbers, of a walk.
rows_of_walk() {
	snmpbulkwalk "${v2c[@]}" -Cr50 -On $agent "${O[dot1qTpFdbPort]}" | sed -E "s/^\\.${O[dot1qTpFdbPort]//./\\.}\\.([0-9.]+) = .*/\\1/"
}

test_walk_has_each_address_in_order() {
	local began took
	began=$(date +%s%3N)
	rows_of_walk >$T/walk
	took=$(($(date +%s%3N) - began))
	echo "    GETBULK of dot1qTpFdbPort: $took ms"
	is "rows" "$(wc -l <$T/walk)" $addresses
	sort -t. -n -k1,1 -k2,2 -k3,3 -k4,4 -k5,5 -k6,6 -k7,7 -u $T/walk | cmp - $T/walk || fail "rows are not in order"
}

test_dcbctl_prints_each_address() {
	local began took
	began=$(date +%s%3N)
	"${dcbctl[@]}" fdb show dev sw1 dynamic >$T/fdb
	took=$(($(date +%s%3N) - began))
	echo "    dcbctl fdb show: $took ms"
	is "lines" "$(wc -l <$T/fdb)" $addresses
	sort -u $T/fdb | cmp - $T/fdb || fail "lines are not in order"
	"${dcbctl[@]}" -j fdb show >$T/fdb.json
	is "rows of JSON" "$(python3 -c 'import json, sys; print(len(json.load(sys.stdin)))' <$T/fdb.json)" $addresses
	"${dcbctl[@]}" fdb flush dev sw1 >/dev/null || fail "dcbctl cannot flush"
	wait_for 5 "they are forgotten" eval '[ "$(learned)" -eq 0 ]'
}

run_tests
