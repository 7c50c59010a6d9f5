#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Notifications from dcbd through the agent and snmpd to a snmptrapd: while one of the programs
# restarts or hangs, with the enabling objects, and with the rate limit.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

start_snmptrapd
dcbd_conf 'memory_ports = 40;'
start_dcbd
start_snmpd "${trap_sink[@]}"
start_agent
subagent_tests=(test_no_loss_when_dcb_agentx_restarts)

alternate=ieee8021CnPortPriAlternatePriority
status=ieee8021CnComPriRowStatus
first=100001
created=dcbErroredPortCreated deleted=dcbErroredPortDeleted

# about PRIORITY PORT: a pattern for the object of these notifications.
about() { printf '%s\\.1\\.%s\\.%s = ' "${O[ieee8021CnEpIfIndex]//./\\.}" "$1" "$2"; }

make_errored() { put $alternate.1.3.$1 4; } # PORT: makes it an errored port
end_errored() { put $alternate.1.3.$1 0; }  # PORT: ends that

put $status.1.3 4 $status.1.4 4

test_both_notifications_are_sent() {
	local line
	make_errored $first
	wait_for 5 "a notification" has_traps 1 $created || return
	line=$(traps $created)
	like "objects" "$line" "^TRAP \.1\.3\.6\.1\.2\.1\.1\.3\.0 = .*$(about 3 $first)INTEGER: $first"
	end_errored $first
	wait_for 5 "the second notification" has_traps 1 $deleted || return
	like "objects" "$(traps $deleted)" "$(about 3 $first)INTEGER: $first"
	is "notifications sent" "$(get dcbNotifySent.0)" 2
	logged dcbd "$created: ieee8021CnEpIfIndex.1.3.$first = $first" || fail "not in dcbd's log"
}

test_disabled_notifications_are_not_sent() {
	forget_traps
	put dcbNotifyErroredPortCreated.0 2
	make_errored $first
	end_errored $first
	wait_for 5 "enabled notification" has_traps 1 $deleted
	is "disabled notifications" "$(count_traps $created)" 0
	put dcbNotifyErroredPortCreated.0 1
	make_errored $first
	wait_for 5 "notification that is enabled again" has_traps 1 $created
	end_errored $first
	wait_for 5 "both notifications" has_traps 2 $deleted
}

# While snmpd restarts, each notification is sent exactly once.
test_no_loss_when_snmpd_restarts() {
	local i how
	for how in TERM KILL; do
		forget_traps
		wait_for 10 "all objects are served" served
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
	wait_for 10 "all objects are served again" served
	for i in 1 2 3 4 5; do make_errored $((first + i)); done
	wait_for 5 "5 more rows created" has_traps 6 $created
	for i in 1 2 3 4 5; do end_errored $((first + i)); done
	wait_for 5 "5 more rows deleted" has_traps 6 $deleted
}

test_no_loss_when_dcb_agentx_restarts() {
	local how
	for how in TERM KILL; do
		forget_traps
		make_errored $first
		wait_for 5 "created" has_traps 1 $created
		stop agentx $how
		"$build/dcbctl" -s $T/control set $alternate.1.3.$first 0 >/dev/null || fail "set"
		start_agentx
		wait_for 5 "event during the restart" has_traps 1 $deleted
		make_errored $first
		wait_for 5 "event after the restart" has_traps 2 $created
		end_errored $first
		wait_for 5 "second deletion" has_traps 2 $deleted
		is "sent once each" "$(count_traps $created) $(count_traps $deleted)" "2 2"
	done
}

# dcbd notifies once of rows that exist at its start.
test_rows_at_start_of_dcbd_are_notified_once() {
	local how
	make_errored $first
	wait_for 5 "created" has_traps 1 $created
	for how in TERM KILL; do
		forget_traps
		stop dcbd $how
		start_dcbd
		wait_for 5 "created, after $how" has_traps 1 $created
		wait_for 5 "served" served
		is "sent once each" "$(count_traps $created) $(count_traps $deleted)" "1 0"
	done
	end_errored $first
	wait_for 5 "deleted" has_traps 1 $deleted
	is "sent once each" "$(count_traps $created) $(count_traps $deleted)" "1 1"
}

test_rate_limit_suppresses_notifications() {
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
	at_most "notifications sent" $sent $((10 + (now - start) / 6000))
	wait_for 5 "notifications that were sent" has_traps $sent $created
	fresh
	is "notifications received" "$(count_traps $created)" $sent
	put dcbNotifyRateLimit.0 0
	for ((i = 0; i < 40; i++)); do set[2 * i + 1]=0; done
	put "${set[@]}"
	wait_for 5 "all notifications without a limit" has_traps 40 $deleted
	is "suppressed" "$(get dcbNotifySuppressed.0)" $suppressed
	put dcbNotifyRateLimit.0 120
}

# snmpd stops for some seconds: no notification is lost, and dcb-agentx continues.
test_no_loss_when_snmpd_hangs() {
	forget_traps
	kill -STOP "${pid_of[snmpd]}"
	"$build/dcbctl" -s $T/control set $alternate.1.3.$first 4 >/dev/null || fail "set"
	pause 2.5
	kill -CONT "${pid_of[snmpd]}"
	wait_for 10 "notification after the hang" has_traps 1 $created
	wait_for 10 "served again" served
	end_errored $first
	wait_for 10 "next notification" has_traps 1 $deleted
	at_most "repetitions" "$(count_traps $created)" 3
}

# Eight subscribers that do not read: dcbd neither waits for them nor keeps their events in memory.
test_subscribers_that_do_not_read() {
	local i set=() before
	put dcbNotifyRateLimit.0 0
	for i in 1 2 3 4 5 6 7 8; do start monitor$i "$build/dcbctl" -s $T/control monitor; done
	for i in 1 2 3 4 5 6 7 8; do
		wait_for 5 "monitor $i has subscribed" told $i || break
		kill -STOP "${pid_of[monitor$i]}"
	done
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/${pid_of[dcbd]}/status")
	for ((i = 0; i < 40; i++)); do set+=($alternate.1.3.$((first + i)) 4); done
	forget_traps
	put "${set[@]}"
	wait_for 10 "first 40 notifications" has_traps 40 $created
	for i in 1 2 3 4 5 6 7 8 9 10; do
		put $status.1.4 6
		wait_for 10 "round $i" has_traps $((i * 40)) $deleted || break
		put $status.1.4 4
		wait_for 10 "round $i" has_traps $((i * 40 + 40)) $created || break
	done
	timed at_most "growth of dcbd in KiB" $(($(awk '/^VmRSS/ { print $2 }' "/proc/${pid_of[dcbd]}/status") - before)) 4096
	for i in 1 2 3 4 5 6 7 8; do
		kill -CONT "${pid_of[monitor$i]}"
		wait_for 5 "monitor $i continues" logged monitor$i "$deleted"
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
