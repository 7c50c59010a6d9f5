#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The disk of the state file does not answer for as long as the test wants, or fails: dcbd serves
# everybody else, and answers a SET when it is on disk. Also: a dcbd that was stopped.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

disk=$T/disk
object=ieee8021PfcLinkDelayAllowance.100001
mkdir $disk

start_dcbd_with_disk() {
	start dcbd env LD_PRELOAD="$build/tests/system/fsync_shim.so" FSYNC_SHIM=$disk \
		"$build/dcbd" -c $T/dcbd.conf
	wait_for 20 "dcbd is up" dcbd_up || die "dcbd does not start"
	running dcbd || die "dcbd has ended"
}
restart_dcbd_with_disk() {
	stop dcbd
	start_dcbd_with_disk
	wait_for 10 "dcb-agentx serves its objects again" served
}
probe() { "$build/tests/system/mo_probe" "$1" $T/control "${@:2}"; }
probed() { [ "$(probe get $object)" = "$1" ]; }

# begin_set VALUE: SETs the object over the control socket, and returns when dcbd waits for the disk.
begin_set() {
	touch $disk/stop
	"$build/tests/system/mo_probe" set $T/control $object "$1" >$T/set 2>&1 &
	setter=$!
	wait_for 10 "dcbd waits for the disk" test -e $disk/waiting
}
end_set() { # WANTED-ERROR
	local result
	rm -f $disk/stop
	wait $setter
	result=$(<$T/set)
	is "result of the SET" "${result##* }" "$1"
}

# answered WHAT NUMBER FAILED P99 GREATEST: all were answered; prints the times.
answered() {
	at_least "$1: requests" "$2" 20
	is "$1: requests without a value" "$3" 0
	timed at_most "$1: 99 % of $2 requests within, microseconds (greatest $5)" "$4" 20000
}

dcbd_conf 'memory_ports = 8;'
start_dcbd_with_disk
start_snmpd
start_agentx

# Until $disk/stop is removed nothing is on disk, however long the requests take.
test_reads_are_answered_while_the_disk_writes() {
	local snmp control
	put $object 100
	begin_set 200
	snmp=$(snmp_times 2000)
	control=$(probe times 2000 $object)
	# shellcheck disable=SC2086 # words
	answered "snmpget" $snmp
	# shellcheck disable=SC2086 # words
	answered "control socket" $control
	# A value that is not on disk is not in force.
	is "value by SNMP" "$(get $object)" 100
	is "value" "$(probe get $object)" 100
	like "dcbctl" "$("$build/dcbctl" -s $T/control show ${object%.*} 2>&1)" '100001.* 100'
	test -e $disk/waiting || fail "the disk did not wait"
	! gone $setter || fail "the SET was answered before it was on disk: $(<$T/set)"
	end_set noError
	is "value" "$(probe get $object)" 200
	fresh
	is "value by SNMP" "$(get $object)" 200
}
snmp_times() { # MS
	local oids
	oids $object
	echo "times $1 ${oids[0]}" | "$build/tests/system/snmp_batch" "${v2c[@]}" $agent
}

test_failed_write_changes_nothing() {
	put $object 300
	begin_set 400
	touch $disk/fail
	end_set commitFailed
	is "value" "$(probe get $object)" 300
	is "status of the state" "$(probe get dcbAgentStateStatus.0)" 3
	rm $disk/fail
	restart_dcbd_with_disk
	is "value after a restart" "$(probe get $object)" 300
}

# snmpd processes no other request while it processes a SET, but dcbd does.
test_set_by_snmp_is_answered_when_it_is_on_disk() {
	local control set
	put $object 500
	touch $disk/stop
	(
		try $object 600
		echo "$error" >$T/error
	) &
	set=$!
	wait_for 10 "dcbd waits for the disk" test -e $disk/waiting
	control=$(probe times 500 $object)
	# shellcheck disable=SC2086 # words
	answered "control socket" $control
	! gone $set || fail "the SET was answered before it was on disk"
	rm $disk/stop
	wait $set
	is "error" "$(<$T/error)" noError
	is "value" "$(probe get $object)" 600
}

# restart_agents MS OPTION...: the master waits a second longer than this for dcb-agentx.
restart_agents() {
	agentx_wait=$1
	stop agentx
	stop snmpd
	start_snmpd
	start_agentx "${@:2}"
}

# dcb-agentx waits five seconds. The values are those of before, now and after a restart, although
# dcbd writes the SET later.
test_set_that_outlasts_dcb_agentx_is_undone() {
	local set before=$agentx_wait
	restart_agents 9000 -T 400
	wait_for 10 "the value" is_set 520
	touch $disk/stop
	(
		version=(-v2c -c private -t 20 -r 0)
		try $object 620
		echo "$error" >$T/error
	) &
	set=$!
	wait_for 10 "dcbd waits for the disk" test -e $disk/waiting
	wait_for 20 "the answer" gone $set
	wait $set
	like "error" "$(<$T/error)" '^(commitFailed|undoFailed)$'
	rm $disk/stop
	probe set ieee8021PfcLinkDelayAllowance.100002 522 >/dev/null # waits for the undo
	is "value" "$(probe get $object)" 520
	restart_dcbd_with_disk
	is "value after a restart" "$(probe get $object)" 520
	restart_agents $before
}

# Two more SETs wait for the first; none is refused.
test_sets_wait_for_each_other() {
	local second third
	begin_set 700
	probe set ieee8021PfcLinkDelayAllowance.100002 702 >$T/second &
	second=$!
	probe set ieee8021PfcLinkDelayAllowance.100003 703 >$T/third &
	third=$!
	pause 0.5
	! gone $second || fail "the second SET: $(<$T/second)"
	! gone $third || fail "the third SET: $(<$T/third)"
	end_set noError
	wait $second $third
	like "the second SET" "$(<$T/second)" ' noError$'
	like "the third SET" "$(<$T/third)" ' noError$'
	is "values" "$(probe get $object ieee8021PfcLinkDelayAllowance.100002 \
		ieee8021PfcLinkDelayAllowance.100003 | tr '\n' ' ')" "700 702 703 "
}

# The client has got no answer: the values are those of before, now and after a restart.
test_client_that_ends_has_set_nothing() {
	put $object 800
	begin_set 900
	kill -KILL $setter
	wait $setter 2>/dev/null
	rm $disk/stop
	wait_for 10 "the log" logged dcbd 'a client has left during its SET: the SET is undone'
	put ieee8021PfcLinkDelayAllowance.100002 802 # waits for the undo
	is "value" "$(probe get $object)" 800
	restart_dcbd_with_disk
	is "value after a restart" "$(probe get $object)" 800
}

test_exit_waits_for_the_disk() {
	begin_set 1000
	kill -TERM "${pid_of[dcbd]}"
	wait_for 10 "dcbd begins to stop" logged dcbd 'Terminated: stopping'
	running dcbd || fail "dcbd has ended without its SET"
	end_set noError
	wait_for 10 "the end of dcbd" gone "${pid_of[dcbd]}"
	wait "${pid_of[dcbd]}"
	is "status of dcbd" $? 0
	unset "pid_of[dcbd]"
	start_dcbd_with_disk
	is "value after a restart" "$(probe get $object)" 1000
	wait_for 10 "dcb-agentx serves its objects again" served
}

# dcbd is silent for longer than dcb-agentx waits. When it has answered others, it has answered
# dcb-agentx too, and the next request succeeds, unless this machine needs as long as dcb-agentx
# waits: five attempts.
test_next_get_after_a_stop_is_answered() {
	local i good=0
	stop agentx
	start_agentx -T 400
	wait_for 5 "the value" is_set 1100
	for i in 1 2 3 4 5; do
		fresh
		while_stopped dcbd ask_stopped
		# The second answer is from another iteration of dcbd's event loop than that to dcb-agentx.
		probe get $object >/dev/null
		probe get $object >/dev/null
		! holds $object 1100 || good=$((good + 1))
		wait_for 5 "the value" holds $object 1100
	done
	printf '    %d of 5 requests after a stop were answered\n' $good
	at_least "requests after a stop that were answered" $good 1
	stop agentx
	start_agentx
}
is_set() { # VALUE
	try $object "$1"
	[ "$error" = noError ]
}
ask_stopped() { like "GET of a stopped dcbd" "$(get $object)" genError; }

run_tests
