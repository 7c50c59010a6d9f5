#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbd's control thread is busy for as long as the test wants: at SIGHUP it reads a file that does
# not come. Objects are read meanwhile. Also: no reader sees half of a SET, whatever else happens.
#
#   h1 - sw1    h2 - sw2
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

probe=$build/tests/system/mo_probe
object=ieee8021PfcLinkDelayAllowance
part=$T/part.conf
for n in 1 2; do host h$n sw$n; done
sw1=$(ifindex sw1) sw2=$(ifindex sw2)

dcbd_conf 'interfaces = { include = [ "sw*" ]; };' 'memory_ports = 6;' 'lldp = { enable = false; };'
echo "@include \"$part\"" >>$T/dcbd.conf
echo '# nothing' >$part
start_dcbd
start_snmpd
start_agentx

# busy: dcbd's control thread waits for the file. A request over the control socket waits too.
busy() {
	rm $part
	mkfifo $part
	kill -HUP "${pid_of[dcbd]}"
	wait_for 10 "dcbd waits for the file" waits_for_file
	"$probe" get $T/control dcbAgentRole.0 >$T/asked &
	asker=$!
}
waits_for_file() { [[ $(<"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/wchan") == *partner* ]]; }
# go_on: gives dcbd the file. The request was not answered before.
go_on() {
	local before
	waits_for_file || fail "dcbd does not wait for the file any more"
	[[ $(<$T/asked) =~ ^-?$ ]] || fail "the control thread was not busy: $(<$T/asked)"
	before=$(grep -c 'dcbd.conf read again' "${log_of[dcbd]}")
	echo '# nothing' >$part
	wait_for 10 "dcbd has read the file" has_read "$before"
	rm $part
	echo '# nothing' >$part
	wait $asker
}
has_read() { [ "$(grep -c 'dcbd.conf read again' "${log_of[dcbd]}")" -gt "$1" ]; }

# answered WHAT NUMBER FAILED P99 GREATEST: all were answered; prints the times.
answered() {
	at_least "$1: requests" "$2" 20
	is "$1: requests without a value" "$3" 0
	timed at_most "$1: 99 % of $2 requests within, microseconds (greatest $5)" "$4" 20000
}
snmp_times() { # MS
	local oids
	oids $object.100001
	echo "times $1 ${oids[0]}" | "$build/tests/system/snmp_batch" "${v2c[@]}" $agent
}
received() { get "dcbPortRxFrames.$sw1"; }
has_received_more() { [ "$(received)" -gt "$1" ]; }

test_reads_are_answered_while_the_control_thread_waits() {
	local snmp view before
	put $object.100001 300
	busy
	snmp=$(snmp_times 2000)
	view=$("$probe" times $T/view 2000 $object.100001)
	# shellcheck disable=SC2086 # words
	answered "snmpget" $snmp
	# shellcheck disable=SC2086 # words
	answered "view socket" $view
	is "value by SNMP" "$(get $object.100001)" 300
	like "dcbctl" "$("$build/dcbctl" -s $T/view show $object 2>&1)" '100001.* 300'
	# Counters are those of now.
	before=$(received)
	on h1 "$build/tests/system/frames" send eth0 -n 10
	wait_for 10 "the frames are counted" has_received_more "$before"
	walk_all >$T/walk
	at_least "lines of a walk" "$(wc -l <$T/walk)" 500
	go_on
	is "value over the control socket" "$("$probe" get $T/control $object.100001)" 300
	put $object.100001 301
	is "value by SNMP" "$(get $object.100001)" 301
}

# The SET has an answer in time, objects are read before and after it, and the next one succeeds.
test_set_fails_while_the_control_thread_waits() {
	put $object.100001 400
	busy
	try $object.100001 401
	[ "$error" != noError ] || fail "a busy control thread has answered a SET"
	is "value by SNMP" "$(get $object.100001)" 400
	go_on
	wait_for 10 "a SET succeeds" is_set 402
	is "value" "$("$probe" get $T/view $object.100001)" 402
}
is_set() { # VALUE
	try $object.100001 "$1"
	[ "$error" = noError ]
}

# 1000 SETs of one object of all ports, while a link goes up and down, and a page of all ports is
# read again and again.
test_no_reader_sees_half_of_a_set() {
	local marcher reader result all=()
	for n in {100001..100006} "$sw1" "$sw2"; do all+=("$object.$n"); done
	"$probe" march $T/control 1 "${all[@]}" >$T/marched
	"$probe" march $T/control $((1000 / slow)) "${all[@]}" >$T/marched &
	marcher=$!
	"$probe" same $T/view 3000 $object >$T/same &
	reader=$!
	until gone $marcher && gone $reader; do
		ip link set sw2 down
		ip link set sw2 up
		kill -HUP "${pid_of[dcbd]}"
	done
	wait $marcher $reader
	is "SETs accepted and refused" "$(<$T/marched)" "$((1000 / slow)) 0"
	read -r -a result <$T/same
	at_least "pages" "${result[0]}" 20
	is "pages that could not be read" "${result[1]}" 0
	is "pages with half of a SET" "${result[2]}" 0
}

run_tests
