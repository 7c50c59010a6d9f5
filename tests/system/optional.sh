#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# CISCO-PFC-EXT-MIB, the optional module of dcb-agentx: not served by default; with -m the same
# counters as our own tables and their sums, equal to the frames on the wire; not served while
# another subagent has registered any part of it.
#
#   h1 - sw1 PFC      h2 - sw2 5 Mb/s
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
dcbctl=$build/dcbctl
frames=$build/tests/system/frames
cisco=CISCO-PFC-EXT-MIB
root=1.3.6.1.4.1.9.9.813
requests=$root.1.1.1.1 indications=$root.1.1.1.2
pri_requests=$root.1.2.1.2 pri_indications=$root.1.2.1.3

for n in 1 2; do host h$n sw$n; done
start_all 'interfaces = { include = [ "sw*" ]; };' 'ports = (
	{ name = "sw1"; pfc = { buffer = 40000; }; },
	{ name = "sw2"; rate = 5000000L; speed = 5000000L; } );'
for n in 1 2; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
sw1=$(ifindex sw1) sw2=$(ifindex sw2)

restart_agentx() { # [OPTION...]
	stop agentx
	start_agentx "$@"
}
value() { snmpget "${v2c[@]}" -Oqv $agent "$1" 2>&1; } # OID
counts() { [[ $(value "$1") =~ ^[0-9]+$ ]]; }
served_too() { counts $indications."$sw1"; }
not_served() { ! served_too; }
other_serves() { walk "$1" | grep -q ' = Gauge32: '; } # NODE: our objects have no Gauge32

test_off_by_default() {
	local oid
	for oid in $indications.$sw1 $pri_indications.$sw1.3 $root.1; do
		like "$oid" "$(value $oid)" 'No Such Object'
	done
	is "objects of the module" "$(walk $root | grep -v 'No Such Object')" ""
	like "output of dcbctl" "$("$dcbctl" -s $T/control show)" dcbPfcPriorityTable
	[[ $("$dcbctl" -s $T/control show) != *cpfc* ]] || fail "dcbctl shows the module by default"
}

test_unknown_module_is_refused() {
	local out
	out=$("$build/dcb-agentx" -m IEEE8021-CN-MIB 2>&1)
	is "status" $? 1
	like "message" "$out" '-m IEEE8021-CN-MIB: expected CISCO-PFC-EXT-MIB'
}

# agrees PORT: compares the columns with dcbPfcPriorityTable, and the sums over all eight
# priorities.
agrees() {
	local port=$1 p what ours theirs sum
	for what in Requests Indications; do
		sum=0
		for p in 0 1 2 3 4 5 6 7; do
			ours=$(get dcbPfcPriority$what.$port.$p)
			if ! [[ $ours =~ ^[0-9]+$ ]]; then
				fail "$what of priority $p: $ours"
				return
			fi
			[ $what = Requests ] && theirs=$pri_requests || theirs=$pri_indications
			is "$what of priority $p" "$(value "$theirs.$port.$p")" "$ours"
			sum=$((sum + ours))
		done
		[ $what = Requests ] && theirs=$requests || theirs=$indications
		is "$what of all priorities" "$(value "$theirs.$port")" $sum
	done
}

# A received PFC frame is an indication of its priorities at its port.
test_received_pfc_frames_are_counted() {
	local before
	restart_agentx -m $cisco
	wait_for 10 "$cisco" served_too || return
	logged agentx "$cisco: registered" || fail "not logged"
	before=$(value $requests.$sw1)
	on h1 "$build/dcb-pfcgen" -j -p 3:100,5:100 -i 1ms -c 20 -X eth0 >$T/sent
	on h1 "$build/dcb-pfcgen" -j -p 0,7 -q 100 -i 1ms -c 7 -X eth0 >>$T/sent
	is "frames sent" "$(jq '.[0].frames' $T/sent | xargs)" "20 7"
	wait_for 5 "all frames are counted" eval "[ \"\$(value $indications.$sw1)\" = 54 ]"
	fresh
	is "indications by priority" "$(for p in 0 1 2 3 4 5 6 7; do value $pri_indications.$sw1.$p; done | xargs)" \
		"7 0 0 20 0 20 0 7"
	is "indications of the other port" "$(value $indications.$sw2)" 0
	is "requests" "$(value $requests.$sw1)" "$before" # requests and indications are not swapped
	agrees $sw1
	agrees $sw2
}

# asked PRIORITY: the number of PFC frames that h1 received for this priority.
asked() { # PRIORITY
	local vector n=0
	while read -r vector; do n=$((n + (16#$vector >> $1 & 1))); done < <(awk '$4 == "8808" { print substr($9, 33, 4) }' "${log_of[list]}")
	echo $n
}
# all_counted PRIORITY: the last PFC frame was an XON, and all are counted.
all_counted() { # PRIORITY
	grep ' 8808 ' "${log_of[list]}" | tail -n 1 | grep -q '8808010100..0*$' &&
		[ "$(asked "$1")" -ge 2 ] && [ "$(value $pri_requests.$sw1.$1)" = "$(asked "$1")" ]
}

# More frames than sw2 can send are held at sw1, which sends PFC frames to the sender.
test_sent_pfc_frames_are_counted() {
	local p before
	before=$(value $indications.$sw1)
	put dcbPfcPriorityEnable.$sw1.3 1 dcbPfcPriorityEnable.$sw1.6 1
	wait_for 5 "PFC is in force" in_force
	start list nsenter --net=/run/netns/h1 -- "$frames" list eth0 -x
	wait_for 5 "h1 lists frames" logged list ready
	on h2 "$frames" send eth0 -s 02:00:00:00:00:0b -d ff:ff:ff:ff:ff:ff
	wait_for 5 "the bridge learns h2" logged list 02:00:00:00:00:0b
	for p in 3 6; do
		on h1 "$frames" send eth0 -d 02:00:00:00:00:0b -v 1 -p $p -n 60 -l 1400
		wait_for 10 "PFC frames to h1 for priority $p are counted" all_counted $p
	done
	fresh
	printf '    %d and %d frames sent to h1\n' "$(asked 3)" "$(asked 6)"
	is "requests of both priorities" "$(value $requests.$sw1)" $(($(asked 3) + $(asked 6)))
	is "indications" "$(value $indications.$sw1)" "$before" # requests and indications are not swapped
	agrees $sw1
	agrees $sw2
	stop list
}

# queue PORT.PRIORITY: state, shutdowns, restores, dropped frames in total and in the last storm.
queue() { # PORT.PRIORITY
	local c
	for c in 2 3 4 5 6; do value "$root.1.3.1.$c.$1"; done | xargs
}
watchdog() { # PORT.PRIORITY: the same counters of our own table
	get dcbPfcWatchdogStorms."$1" dcbPfcWatchdogRestores."$1" dcbPfcWatchdogDroppedTotal."$1" \
		dcbPfcWatchdogDroppedStorm."$1" | xargs
}
queue_is() { [ "$(value "$root.1.3.1.2.$1")" = "$2" ]; } # PORT.PRIORITY STATE

# A queue that is paused for too long is shut down and drops its frames.
test_watchdog_columns() {
	local q=$sw2.3
	is "queue without watchdog" "$(queue "$q")" "3 0 0 0 0"
	put dcbPfcPriorityEnable."$q" 1 dcbPfcWatchdogDetectionTime."$q" 100 \
		dcbPfcWatchdogRestorationTime."$q" 100 dcbPfcWatchdogAction."$q" 3
	wait_for 5 "queue with watchdog" queue_is "$q" 1
	# 65535 quanta at 5 Mb/s are 6.7 s.
	on h2 "$build/dcb-pfcgen" -p 3 -c 1 -i 1ms -X eth0 >/dev/null
	on h1 "$frames" send eth0 -d 02:00:00:00:00:0b -v 1 -p 3 -n 20 -l 200
	wait_for 5 "queue is shut down" queue_is "$q" 2
	on h1 "$frames" send eth0 -d 02:00:00:00:00:0b -v 1 -p 3 -n 10 -l 200
	on h2 "$build/dcb-pfcgen" -p 3:0 -c 1 -i 1ms -X eth0 >/dev/null
	wait_for 5 "queue is active again" queue_is "$q" 1
	fresh
	is "columns as in our own table" "$(queue "$q")" "1 $(watchdog "$q")"
	like "one storm and its dropped frames" "$(queue "$q")" '^1 1 1 ([1-9][0-9]*) \1$'
	is "queue of another priority" "$(queue "$sw2.4")" "3 0 0 0 0"
}

test_types_and_instances() {
	walk $root >$T/rows
	is "rows" "$(wc -l <$T/rows)" $((2 * (2 + 2 * 8 + 5 * 8)))
	is "types" "$(sed 's/.* = \([A-Za-z0-9]*\):.*/\1/' $T/rows | sort -u | xargs)" "Counter64 INTEGER"
	ascending <$T/rows || fail "walk is not in order"
	like "no such row" "$(value $indications.99999)" 'No Such Instance'
	like "index column" "$(value $root.1.2.1.1.$sw1.0)" 'No Such'
	like "priority 8" "$(value $pri_requests.$sw1.8)" 'No Such Instance'
	raw_set $indications.$sw1 u 5
	like "error of a SET" "$error" 'notWritable|noAccess|wrongType'
	is "output of dcbctl for the module" "$("$dcbctl" -s $T/control -j show cpfc_if | jq -c '[.[0].rows[].values.cpfcIfIndications]')" "[54,2]"
}

test_all_walks_agree() {
	local n
	wait_for 10 "$cisco" served_too || return
	for n in 1 25; do walk $root -Cr$n >$T/walk.$n; done
	snmpwalk "${v2c[@]}" -On $agent $root | grep -vE "$at_end" >$T/walk.next
	for n in 25 next; do same "walk of $n and of 1" $T/walk.1 $T/walk.$n; done
}

test_served_again_after_snmpd_restarts() {
	stop snmpd
	start_snmpd
	wait_for 10 "dcb-agentx serves its objects" served
	wait_for 10 "$cisco" served_too
	agrees $sw1
}

# beside_another [OPTION...]: starts dcb-agentx, which registers its modules three times before it
# believes that another subagent has them, within the time that it waits for dcbd: not that of
# patient_agent.
beside_another() { start_agentx -m $cisco -T 4000 "$@"; }

# Another subagent has registered a part: the module, all tables, a table, an entry.
test_not_served_beside_another_subagent() {
	local node
	for node in $root $root.1 $root.1.1 $root.1.2 $root.1.3 $root.1.1.1 $root.1.2.1 $root.1.3.1; do
		stop agentx
		start other "$build/tests/bench/floor_agentx" -x $T/master -n 2 -o $node
		wait_for 5 "another subagent serves $node" other_serves $node
		beside_another
		wait_for 5 "log of another subagent at $node" logged agentx \
			"error: .*$cisco: another subagent has registered $node; not served" || continue
		not_served || fail "$node: both subagents serve it"
		walk $root >$T/rows
		is "$node: rows of dcb-agentx" "$(grep -cE "^\.($requests|$indications)\.[0-9]+ = |^\.($pri_requests|$pri_indications|$root\.1\.3\.1\.[2-6])\.[0-9]+\.[0-7] = " $T/rows)" 0
		other_serves $node || fail "$node: the other subagent is no longer served"
		has_row dcbPfcPriorityIndications "$sw1.3" || fail "$node: our own tables are not served"
		has_row ieee8021PfcRequests "$sw1" || fail "$node: our own tables are not served"
		is "$node: errors logged" "$(grep -c 'error: ' "${log_of[agentx]}")" 1
		stop other KILL
		wait_for 15 "$cisco without the other subagent at $node" served_too
	done
	agrees $sw1
}

# dcb-agentx tries again without another log line, and registers no part as long as it fails.
test_retries_are_not_logged() {
	local node=$root.1.2 n
	stop agentx
	start other "$build/tests/bench/floor_agentx" -x $T/master -n 2 -o $node
	wait_for 5 "another subagent serves $node" other_serves $node
	beside_another -L debug
	wait_for 5 "log of another subagent" logged agentx "$cisco: another subagent"
	# dcb-agentx tries twice in 4 s.
	for n in 1 2 3 4 5 6 7 8; do
		pause 0.5
		not_served || fail "both subagents serve it"
		other_serves $node || fail "the other subagent is no longer served"
	done
	is "errors logged" "$(grep -c 'error: ' "${log_of[agentx]}")" 1
	stop other KILL
	restart_agentx
}

run_tests
