#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Real time of the dataplane thread. All threads of dcbd and all clients have one processor; frames
# come from another one, more than dcbd can flood to a thousand ports, even if the sender does not
# get much of its processor.
#
#   h1 - sw1 [ dcbd ] mem0 ... mem999
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

for program in chrt taskset prlimit setpriv; do
	command -v $program >/dev/null || skip_all "$program is not installed"
done
chrt -f 5 true 2>/dev/null || skip_all "real time is not permitted"

cpus=$(taskset -c -p $$ | sed 's/.*: //')
first=${cpus%%[,-]*} last=${cpus##*[,-]} # the same if there is one
host h1 sw1

pfc='initial = ( { object = "dcbPfcPriorityEnable"; index = "*.3"; port = "sw1"; value = "true"; } );'

# start_with LINE...: dcbd with PFC, on the last processor; $preload: a library.
start_with() { start_plain "$pfc" "$@"; }
start_plain() {
	dcbd_conf 'interfaces = { include = [ "sw1" ]; }; memory_ports = 1000;' "$@"
	start dcbd env ${preload:+LD_PRELOAD="$preload"} taskset -c "$last" "$build/dcbd" -c $T/dcbd.conf
	wait_for 20 "dcbd is up" dcbd_up
	running dcbd || die "dcbd has ended: $(cat "${log_of[dcbd]}")"
}

# ask NAME...: the client shares the processor with dcbd. Its answer has to come in time.
ask() {
	timeout $((5 * patience)) taskset -c "$last" "$build/tests/system/mo_probe" get $T/control "$@" | xargs
}
is_now() { [ "$(ask "$1")" = "$2" ]; }
above() { [ "$(ask "$1")" -gt "$2" ]; }
schedule() { # NAME: policy and priority of the threads of dcbd with this name
	local t
	for t in "/proc/${pid_of[dcbd]}"/task/*; do
		[ "$(<"$t/comm")" != "$1" ] || chrt -p "${t##*/}" | sed 's/.*: //'
	done | xargs
}
logged_by_dcbd() { wait_for 5 "dcbd logs: $1" logged dcbd "$1"; }

test_only_the_dataplane_thread_has_real_time() {
	local child t caps
	start_with
	logged_by_dcbd 'soft: real time: SCHED_FIFO, priority 5, while a port has PFC or obeys PAUSE, or measures its headroom'
	wait_for 5 "PFC is in force" is_now dcbEngineRealTime.0 3
	is "dataplane thread" "$(schedule dataplane)" 'SCHED_FIFO|SCHED_RESET_ON_FORK 5'
	is "control thread" "$(schedule dcbd)" 'SCHED_OTHER 0'
	is "thread that saves" "$(schedule saver)" 'SCHED_OTHER 0'
	is "thread that sees whether others wait" "$(schedule observer)" 'SCHED_OTHER 0'
	is "objects" "$(ask dcbEngineRealTime.0 dcbEngineRealTimePriority.0 dcbEngineProcessor.0)" '3 5 -1'
	# CAP_SYS_NICE is 23: at most the dataplane thread has it.
	for t in "/proc/${pid_of[dcbd]}"/task/*; do
		caps=0000000000003000
		case $(<"$t/comm") in
		dataplane) continue ;;
		observer) caps=0000000000000000 ;;
		esac
		is "capabilities of $(<"$t/comm")" "$(sed -n 's/^CapEff:\t//p' "$t/status")" $caps
	done
	[ -x "$build/dcb-lldp" ] || return 0
	wait_for 5 "dcb-lldp has given up its limit" lldp_has_no_limit
	read -r child _ <"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/children"
	is "dcb-lldp" "$(chrt -p "$child" | sed 's/.*: //' | xargs)" 'SCHED_OTHER 0'
}
lldp_has_no_limit() {
	local child
	read -r child _ <"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/children"
	grep -qE '^Max realtime priority +0 +0 ' "/proc/$child/limits"
}

start_flood() {
	start flood taskset -c "$first" nsenter --net=/run/netns/h1 -- \
		"$build/tests/system/frames" send eth0 -d ff:ff:ff:ff:ff:ff -n 2000000000
}

has_real_time() { [ "$(schedule dataplane)" = 'SCHED_FIFO|SCHED_RESET_ON_FORK 5' ]; }

# On a machine with one processor the sender waits for dcbd, which is never overloaded then.
test_flood_leaves_the_processor_to_others() {
	local n=0
	start_flood
	wait_for 10 "the flood arrives" above dcbPortRxFrames."$(ifindex sw1)" 1000
	[ "$first" = "$last" ] || wait_for 30 "the guard takes real time from the thread" above dcbEngineRealTimeSuspensions.0 0
	while [ $n -lt 10 ]; do
		like "answer to a client" "$(ask dcbEngineRealTime.0)" '^[346]$'
		n=$((n + 1))
	done
	timeout $((5 * patience)) taskset -c "$last" "$build/dcbctl" -s $T/control set dcbNotifyRateLimit.0 77 >$T/set ||
		fail "a SET during the flood: $(cat $T/set)"
	is "value that was set" "$(ask dcbNotifyRateLimit.0)" 77
	stop flood KILL
	printf '    %s suspensions\n' "$(ask dcbEngineRealTimeSuspensions.0)"
	wait_for 70 "real time is in force again" is_now dcbEngineRealTime.0 3
	# While others wait for the processor the guard can take it from the thread again.
	wait_for 70 "real time of the dataplane thread" has_real_time ||
		is "dataplane thread" "$(schedule dataplane)" 'SCHED_FIFO|SCHED_RESET_ON_FORK 5'
	[ "$first" = "$last" ] ||
		logged_by_dcbd 'warning: dataplane: real time (suspended|given up) [0-9]+ times'
}

# processor_ms: what dcbd has used.
processor_ms() { awk '{ n += $1 } END { printf "%d\n", n / 1e6 }' "/proc/${pid_of[dcbd]}"/task/*/schedstat; }

# A thread with real time that does not give way uses four fifths of its processor or more. One that
# does has real time for 80 ms, and competes with another program for 400 ms.
test_others_that_wait_have_half_of_the_processor() {
	local used start
	[ "$first" != "$last" ] || { skip "one processor: dcbd is never overloaded" && return; }
	start busy taskset -c "$last" sh -c 'while :; do :; done'
	start_flood
	wait_for 10 "the flood arrives" above dcbPortRxFrames."$(ifindex sw1)" 1000
	sleep 1 # windows of the guard
	clock
	start=$now used=$(processor_ms)
	sleep 3
	clock
	used=$(($(processor_ms) - used))
	printf '    dcbd used %d of %d ms\n' $used $((now - start))
	at_most "permille of the processor that dcbd uses" $((1000 * used / (now - start))) 650
	stop flood KILL
	stop busy KILL
	stop dcbd
}

# Not even if the kernel gives dcbd real time: without PFC, PAUSE and measurement it does not use it.
test_real_time_is_in_force_while_a_port_needs_it() {
	local i object on off state=$T/state/none
	start_plain
	i=$(ifindex sw1)
	is "states" "$(ask dcbEngineRealTime.0 dcbEngineRealTimePriority.0)" '5 0'
	like "dataplane thread" "$(schedule dataplane)" '^SCHED_OTHER'
	for need in "dcbPfcPriorityEnable.$i.5 true false" "dcbPfcMeasureEnable.$i always off"; do
		read -r object on off <<<"$need"
		"$build/dcbctl" -s $T/control set "$object" "$on" >$T/set || fail "SET: $(cat $T/set)"
		wait_for 5 "$object $on gives real time" is_now dcbEngineRealTime.0 3
		is "dataplane thread" "$(schedule dataplane)" 'SCHED_FIFO|SCHED_RESET_ON_FORK 5'
		"$build/dcbctl" -s $T/control set "$object" "$off" >$T/set || fail "SET: $(cat $T/set)"
		wait_for 5 "$object $off takes it" is_now dcbEngineRealTime.0 5
		like "dataplane thread" "$(schedule dataplane)" '^SCHED_OTHER'
	done
	stop dcbd
	dcbd_conf 'interfaces = { include = [ "sw1" ]; }; ports = ( { name = "sw1"; pfc = { pause = true; }; } );'
	start dcbd "$build/dcbd" -c $T/dcbd.conf
	wait_for 20 "dcbd is up" dcbd_up
	wait_for 5 "PAUSE gives real time" is_now dcbEngineRealTime.0 3
	stop dcbd
}

# rt_loop CASE: prints how often the guard took real time from a thread of a second.
# Status 137: the kernel has ended the program, at 300 ms of processor time without a wait.
rt_loop() {
	timeout $((10 * patience)) taskset -c "$last" "$build/tests/system/rt_loop" "$1" 1000
}

test_overload_is_no_reason_for_the_kernel_to_end_the_thread() {
	local n
	n=$(rt_loop overload) || fail "rt_loop overload ends with status $?"
	at_least "times that the guard took real time from the thread" "$n" 5
	rt_loop less >/dev/null || fail "rt_loop less ends with status $?"
}

# As dcb-pfcgen, if sending takes as long as the interval.
test_thread_that_cannot_sleep_loses_real_time() {
	local n
	n=$(rt_loop late) || fail "rt_loop late ends with status $?"
	at_least "times that the guard took real time from the thread" "$n" 5
}

test_real_time_that_is_not_permitted_again() {
	is "suspensions, and refusal" "$(rt_loop lowered)" "1 refused"
}

# The kernel permits it again later: dcbd asks at its next start.
test_real_time_that_is_not_permitted_after_a_suspension() {
	local preload=$build/tests/system/schedule_shim.so
	[ "$first" != "$last" ] || { skip "one processor: dcbd is never overloaded" && return; }
	start_with
	wait_for 5 "PFC is in force" is_now dcbEngineRealTime.0 3
	start_flood
	wait_for 30 "the kernel refuses real time" is_now dcbEngineRealTime.0 2
	logged_by_dcbd 'warning: dataplane: no real time any more: after a suspension the kernel does not permit it again'
	stop flood KILL
	is "priority, suspensions" "$(ask dcbEngineRealTimePriority.0 dcbEngineRealTimeSuspensions.0)" "0 1"
	is "dataplane thread" "$(schedule dataplane)" 'SCHED_OTHER|SCHED_RESET_ON_FORK 0'
	kill -HUP "${pid_of[dcbd]}"
	logged_by_dcbd 'dcbd.conf read again'
	is "state after a reload" "$(ask dcbEngineRealTime.0)" 2
	is "lines of the log" "$(grep -c 'no real time any more' "${log_of[dcbd]}")" 1
	stop dcbd
	preload=''
	start_with
	wait_for 5 "PFC is in force" is_now dcbEngineRealTime.0 3
	is "state after a restart" "$(ask dcbEngineRealTime.0 dcbEngineRealTimePriority.0)" "3 5"
	stop dcbd
}

test_settings_are_in_force() {
	start_with "dataplane = { priority = 20; cpu = $last; };"
	logged_by_dcbd 'soft: real time: SCHED_FIFO, priority 20,'
	wait_for 5 "PFC is in force" is_now dcbEngineRealTime.0 3
	is "dataplane thread" "$(schedule dataplane)" 'SCHED_FIFO|SCHED_RESET_ON_FORK 20'
	is "objects" "$(ask dcbEngineRealTime.0 dcbEngineRealTimePriority.0 dcbEngineProcessor.0)" "3 20 $last"
	stop dcbd
	start_with 'dataplane = { priority = "off"; };'
	is "objects without real time" "$(ask dcbEngineRealTime.0 dcbEngineRealTimePriority.0)" '1 0'
	is "dataplane thread without real time" "$(schedule dataplane)" 'SCHED_OTHER 0'
	stop dcbd
}

# not_permitted LINE: dcbd, as root that may have no real time.
not_permitted() {
	dcbd_conf 'interfaces = { include = [ "none" ]; };' "$@"
	start dcbd prlimit --rtprio=0:0 setpriv --bounding-set=-sys_nice,-sys_resource --inh-caps=-sys_nice,-sys_resource \
		"$build/dcbd" -c $T/dcbd.conf
	wait_for 20 "dcbd is up" dcbd_up
	wait_for 5 "real time is not permitted" is_now dcbEngineRealTime.0 2
	is "priority" "$(ask dcbEngineRealTimePriority.0)" 0
}

test_real_time_that_is_not_permitted() {
	not_permitted
	logged_by_dcbd ' dcbd: dataplane: soft: no real time: priority 5 is not permitted: Operation not permitted'
	stop dcbd
	not_permitted 'dataplane = { priority = 7; };'
	logged_by_dcbd 'warning: dataplane: soft: no real time: dataplane.priority = 7 is not permitted: Operation'
}

run_tests
