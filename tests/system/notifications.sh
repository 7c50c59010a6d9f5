#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Notifications from dcbd through dcb-agentx and snmpd to a snmptrapd: while one of the programs
# restarts or hangs, with the enabling objects, and with the rate limit.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

start_snmptrapd
dcbd_conf 'memory_ports = 40;'
start_dcbd
start_snmpd "${trap_sink[@]}"
start_agentx

alternate=ieee8021CnPortPriAlternatePriority
status=ieee8021CnComPriRowStatus
first=100001
created=dcbErroredPortCreated deleted=dcbErroredPortDeleted

# about PRIORITY PORT: a pattern for the object of these notifications.
about() { printf '%s\\.1\\.%s\\.%s = ' "${O[ieee8021CnEpIfIndex]//./\\.}" "$1" "$2"; }

err() { put $alternate.1.3.$1 4; }  # PORT
mend() { put $alternate.1.3.$1 0; } # PORT

put $status.1.3 4 $status.1.4 4

test_created_and_deleted() {
	local line
	err $first
	wait_for 5 "a notification" has_traps 1 $created || return
	line=$(traps $created)
	like "objects" "$line" "^TRAP \.1\.3\.6\.1\.2\.1\.1\.3\.0 = .*$(about 3 $first)INTEGER: $first"
	mend $first
	wait_for 5 "another" has_traps 1 $deleted || return
	like "objects" "$(traps $deleted)" "$(about 3 $first)INTEGER: $first"
	is "sent" "$(get dcbNotifySent.0)" 2
	logged dcbd "$created: ieee8021CnEpIfIndex.1.3.$first = $first" || fail "not in dcbd's log"
}

test_switches() {
	forget_traps
	put dcbNotifyErroredPortCreated.0 2
	err $first
	mend $first
	wait_for 5 "what is on" has_traps 1 $deleted
	is "what is off" "$(count_traps $created)" 0
	put dcbNotifyErroredPortCreated.0 1
	err $first
	wait_for 5 "on again" has_traps 1 $created
	mend $first
	wait_for 5 "both" has_traps 2 $deleted
}

# While snmpd restarts, each notification is sent exactly once.
test_master_restarts() {
	local i how
	for how in TERM KILL; do
		forget_traps
		wait_for 10 "all is registered" all_served
		stop snmpd $how
		# dcbd does not wait for snmpd.
		"$build/dcbctl" -s $T/control set $alternate.1.3.$first 4 >/dev/null || fail "set"
		"$build/dcbctl" -s $T/control set $alternate.1.3.$first 0 >/dev/null || fail "set"
		start_snmpd "${trap_sink[@]}"
		wait_for 5 "created, after $how" has_traps 1 $created
		wait_for 5 "deleted, after $how" has_traps 1 $deleted
		fresh
		is "sent once each" "$(count_traps $created) $(count_traps $deleted)" "1 1"
	done
	wait_for 10 "served" all_served
	for i in 1 2 3 4 5; do err $((first + i)); done
	wait_for 5 "all the others" has_traps 6 $created
	for i in 1 2 3 4 5; do mend $((first + i)); done
	wait_for 5 "all the others" has_traps 6 $deleted
}

test_subagent_restarts() {
	local how
	for how in TERM KILL; do
		forget_traps
		err $first
		wait_for 5 "created" has_traps 1 $created
		stop agentx $how
		"$build/dcbctl" -s $T/control set $alternate.1.3.$first 0 >/dev/null || fail "set"
		start_agentx
		wait_for 5 "what happened meanwhile" has_traps 1 $deleted
		err $first
		wait_for 5 "what comes then" has_traps 2 $created
		mend $first
		wait_for 5 "... twice" has_traps 2 $deleted
		is "nothing twice" "$(count_traps $created) $(count_traps $deleted)" "2 2"
	done
}

# dcbd notifies once of rows that exist at its start.
test_dcbd_restarts() {
	local how
	err $first
	wait_for 5 "before" has_traps 1 $created
	for how in TERM KILL; do
		forget_traps
		stop dcbd $how
		start_dcbd
		wait_for 5 "created, after $how" has_traps 1 $created
		wait_for 5 "served" served
		is "once" "$(count_traps $created) $(count_traps $deleted)" "1 0"
	done
	mend $first
	wait_for 5 "deleted" has_traps 1 $deleted
	is "once" "$(count_traps $created) $(count_traps $deleted)" "1 1"
}

test_rate_limit() {
	local i set=() sent suppressed start
	forget_traps
	clock
	start=$now
	put dcbNotifyRateLimit.0 10
	sent=$(get dcbNotifySent.0)
	for ((i = 0; i < 40; i++)); do set+=($alternate.1.3.$((first + i)) 4); done
	put "${set[@]}"
	fresh
	suppressed=$(get dcbNotifySuppressed.0)
	sent=$(($(get dcbNotifySent.0) - sent))
	is "sent and suppressed" $((sent + suppressed)) 40
	# Up to ten at once, and one more every 6 s.
	clock
	at_most "sent" $sent $((10 + (now - start) / 6000))
	wait_for 5 "those" has_traps $sent $created
	fresh
	is "no more" "$(count_traps $created)" $sent
	put dcbNotifyRateLimit.0 0
	for ((i = 0; i < 40; i++)); do set[2 * i + 1]=0; done
	put "${set[@]}"
	wait_for 5 "all without a limit" has_traps 40 $deleted
	is "suppressed" "$(get dcbNotifySuppressed.0)" $suppressed
	put dcbNotifyRateLimit.0 120
}

# snmpd stops for some seconds: no notification is lost, and dcb-agentx continues.
test_master_hangs() {
	forget_traps
	kill -STOP "${pid_of[snmpd]}"
	"$build/dcbctl" -s $T/control set $alternate.1.3.$first 4 >/dev/null || fail "set"
	pause 2.5
	kill -CONT "${pid_of[snmpd]}"
	wait_for 10 "at least once" has_traps 1 $created
	wait_for 10 "served again" served
	mend $first
	wait_for 10 "the next" has_traps 1 $deleted
	at_most "tries" "$(count_traps $created)" 3
}

# Eight subscribers that do not read: dcbd neither waits for them nor keeps their events in memory.
test_dead_subscribers() {
	local i set=() before
	put dcbNotifyRateLimit.0 0
	for i in 1 2 3 4 5 6 7 8; do start monitor$i "$build/dcbctl" -s $T/control monitor; done
	for i in 1 2 3 4 5 6 7 8; do
		wait_for 5 "monitor $i is there" told $i || break
		kill -STOP "${pid_of[monitor$i]}"
	done
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/${pid_of[dcbd]}/status")
	for ((i = 0; i < 40; i++)); do set+=($alternate.1.3.$((first + i)) 4); done
	forget_traps
	put "${set[@]}"
	wait_for 10 "the first" has_traps 40 $created
	for i in 1 2 3 4 5 6 7 8 9 10; do
		put $status.1.4 6
		wait_for 10 "turn $i" has_traps $((i * 40)) $deleted || break
		put $status.1.4 4
		wait_for 10 "turn $i" has_traps $((i * 40 + 40)) $created || break
	done
	timed at_most "KiB more" $(($(awk '/^VmRSS/ { print $2 }' "/proc/${pid_of[dcbd]}/status") - before)) 4096
	for i in 1 2 3 4 5 6 7 8; do
		kill -CONT "${pid_of[monitor$i]}"
		wait_for 5 "monitor $i goes on" logged monitor$i "$deleted"
		stop monitor$i KILL
	done
	put dcbNotifyRateLimit.0 120
}
# told N: causes an event and succeeds once monitor N has printed one, so it has subscribed.
told() {
	"$build/dcbctl" -s $T/control set $alternate.1.3.$first 4
	"$build/dcbctl" -s $T/control set $alternate.1.3.$first 0
	pause 0.02
	logged monitor"$1" $created
}

run_tests
