#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcb-agentx with a real snmpd and fake_dcbd, which has any number of rows, refuses certain values,
# and can be stopped and killed.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

start_fake() { # [OPTION...]
	start fake "$build/tests/system/fake_dcbd" "$@" $T/control
	wait_for 10 "fake_dcbd listens" test -S $T/control || die "fake_dcbd does not listen"
}

start_snmpd
start_fake -H -n 32
start_agentx

cp7=ieee8021CnCpQueueSizeSetPoint
delay=ieee8021PfcLinkDelayAllowance

# Thousands of rows with gaps, read in several ways.
test_all_walks_agree() {
	local n
	for n in 1 10 100; do walk_all -Cr$n >$T/walk.$n; done
	walk_by snmpwalk "${v2c[@]}" >$T/walk.next
	for n in 10 100 next; do same "walk of $n and of 1" $T/walk.1 $T/walk.$n; done
	at_least "varbinds" "$(wc -l <$T/walk.1)" 2500
}

# A SET with objects of two registrations: the error has the index of the bad varbind.
test_error_names_the_varbind() {
	local i values
	for i in 1 2 3 4; do
		values=(1001 1002 1003 1004)
		values[i - 1]=666
		try_culprit $delay.1 "${values[0]}" $cp7.1.1.2 "${values[1]}" $delay.2 "${values[2]}" $cp7.1.1.3 "${values[3]}"
		oids $delay.1 $cp7.1.1.2 $delay.2 $cp7.1.1.3
		is "error of varbind $i" "$error" inconsistentValue
		is "varbind at fault" "$culprit" ".${oids[i - 1]}"
		values[i - 1]=777
		try_culprit $delay.1 "${values[0]}" $cp7.1.1.2 "${values[1]}" $delay.2 "${values[2]}" $cp7.1.1.3 "${values[3]}"
		is "error of commit of varbind $i" "$error" commitFailed
		is "varbind at fault" "$culprit" ".${oids[i - 1]}"
	done
	put $delay.1 1001 $cp7.1.1.2 1002 $delay.2 1003
	is "values" "$(get $delay.1 $cp7.1.1.2 $delay.2 | tr '\n' ' ')" "1001 1002 1003 "
}

test_failed_commit_is_undone() {
	put $cp7.1.1.1 500 $delay.1 500
	refused commitFailed $cp7.1.1.1 501 $delay.1 777
	is "values" "$(get $cp7.1.1.1 $delay.1 | tr '\n' ' ')" "500 500 "
	refused undoFailed $cp7.1.1.1 501 $delay.1 888
}

# A varbind of another subagent fails: ours are tested and not committed.
test_failing_varbind_of_another_subagent() {
	local varbinds
	put $cp7.1.1.1 600
	varbinds $cp7.1.1.1 601
	raw_set "${varbinds[@]}" 1.3.6.1.2.1.1.3.0 t 5
	is "SET with sysUpTime in it" "$error" notWritable
	is "value" "$(get $cp7.1.1.1)" 600
	put $cp7.1.1.1 602
}

# Without dcbd requests fail at once; after it starts again they return the right values.
test_requests_without_dcbd_fail_at_once() {
	stop fake KILL
	clock
	local start=$now i
	for i in 1 2 3 4 5; do
		like "GET without dcbd" "$(get $cp7.1.1.1 $delay.1)" genError
		refused genError $cp7.1.1.1 700
	done
	clock
	timed at_most "ms for ten requests" $((now - start)) 1000
	start_fake -n 8
	wait_for 2 "a value again" put_and_hold 701
	is "rows of the new dcbd" "$(count_rows $cp7)" 8
}
put_and_hold() {
	try $cp7.1.1.1 "$1"
	[ "$error" = noError ] && holds $cp7.1.1.1 "$1"
}

# The objects of a dcbd that has ended; not at once, because it may be restarted.
test_objects_of_an_ended_dcbd_do_not_exist() {
	kill -STOP "${pid_of[fake]}" # slow
	pause 6
	like "GET of a stopped dcbd" "$(get $delay.1)" genError
	kill -CONT "${pid_of[fake]}"
	stop fake KILL
	fresh
	like "GET at once" "$(get $delay.1)" genError
	others_are_served
	start_fake -n 8
	wait_for 3 "all objects" served
	put_and_hold 701 || fail "SET"
	is "rows" "$(count_rows $cp7)" 8
}

# If dcbd hangs, the first request waits for the time limit; the next ones fail at once.
test_requests_while_dcbd_hangs() {
	local i start
	stop agentx
	start_agentx -T 400
	wait_for 2 "a value" holds $cp7.1.1.1 701
	kill -STOP "${pid_of[fake]}"
	fresh
	for i in 1 2 3 4 5 6; do
		clock
		start=$now
		like "GET of a hanging dcbd" "$(get $cp7.1.1.1 $delay.1)" genError
		clock
		timed at_most "ms of GET $i" $((now - start)) 700
	done
	refused genError $cp7.1.1.1 702
	kill -CONT "${pid_of[fake]}"
	wait_for 3 "a value again" holds $cp7.1.1.1 701
	# If it hangs in TestSet the SET fails with genErr and does not take effect later.
	refused genError $cp7.1.1.1 999
	wait_for 5 "the old value" holds $cp7.1.1.1 701
	stop agentx
	start_agentx
}

# The master is stopped in the middle of a walk, for longer than dcb-agentx waits for responses to
# its pings, and continues.
test_walk_continues_after_master_was_stopped() {
	local walker
	stop fake
	start_fake -n 8192
	wait_for 3 "rows" has_row $cp7 1.1.1
	walk "${O[$cp7]}" >$T/stopped &
	walker=$!
	wait_for 5 "the first rows" test -s $T/stopped
	kill -STOP "${pid_of[snmpd]}"
	pause 2.5
	kill -CONT "${pid_of[snmpd]}"
	wait $walker
	wait_for 10 "all objects are served again" served
	is "rows after the stop" "$(count_rows $cp7)" 8192
	running agentx || fail "dcb-agentx has ended"
}

test_registers_again_after_master_restarts() {
	local i walker longest=0 fds
	(while :; do walk "${O[$cp7]}" >/dev/null; done) &
	walker=$!
	for i in 1 2 3; do
		if [ $((i % 2)) = 0 ]; then stop snmpd; else stop snmpd KILL; fi
		start_snmpd
		wait_for 10 "served after start $i" served || break
		[ "$waited" -le $longest ] || longest=$waited
		[ $i != 1 ] || fds=$(ls "/proc/${pid_of[agentx]}/fd" | wc -l)
	done
	kill $walker
	wait $walker 2>/dev/null
	printf '    longest time without objects: %d ms\n' "$longest"
	timed at_most "ms without objects" "$longest" 1500
	is "file descriptors" "$(ls "/proc/${pid_of[agentx]}/fd" | wc -l)" "$fds"
}

# A second dcb-agentx for the same socket of the master ends. By another path of the socket it
# starts, the master refuses its registrations, it logs that, and registers when the first one ends.
test_second_dcb_agentx_waits_for_first() {
	local out root
	out=$("$build/dcb-agentx" -x unix:$T/master -c $T/control 2>&1) && fail "a second dcb-agentx runs"
	like "error message" "$out" "another dcb-agentx runs for this master: process [0-9]"
	ln -sf master $T/other-name
	start second "$build/dcb-agentx" -x unix:$T/other-name -c $T/control
	for root in $PFC $LLDP $CN "$AGENT"; do
		wait_for 5 "the error for $root" logged second "error: .*${root}[.0-9]*: another subagent has registered it"
	done
	stop agentx
	wait_for 10 "the second dcb-agentx registers" logged second "$CN.*registered now"
	wait_for 5 "the second dcb-agentx serves its objects" served
	stop second
	start_agentx
}

run_tests
