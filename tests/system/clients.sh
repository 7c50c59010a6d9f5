#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Clients of dcbd's sockets that misbehave, as another user than root: garbage, half messages,
# stopped in the middle of a SET, more connections than there are. Meanwhile dcbctl, mo_probe and
# SNMP read and set as always. Who may read, and who may set.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

$many_users || skip_all "there is only one user in this user namespace"

other=65534   # UID of the user without privileges,
group=games   # member of the control socket's group,
outside=65533 # or of this one
object=ieee8021CnCpQueueSizeSetPoint.1.100001.3
value=20000
bin=$T/bin

# Programs in a directory that all users may enter.
mkdir -p $bin
cp "$build/dcbctl" "$build/tests/system/bad_client" "$build/tests/system/mo_probe" $bin

dcbd_conf 'memory_ports = 64; user = "games";' \
	'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } );'
chown games $T/state
# The sockets have their default paths, in the /run of this test.
sed -i 's/^control = .*/control = { group = "games"; };/' $T/dcbd.conf
ln -s /run/dcbd/control $T/control
ln -s /run/dcbd/view $T/view
start_dcbd
start_snmpd
start_agentx

socket=/run/dcbd/control
as_other() { setpriv --reuid=$other --regid=$group --clear-groups -- "$@"; }
# bad NAME WHAT...: starts a client that misbehaves, as the other user.
bad() { start "$1" setpriv --reuid=$other --regid=$group --clear-groups -- $bin/bad_client $socket "${@:2}"; }
output() { cat "${log_of[$1]}"; }
has_ended() { ! running "$1"; }
# ends NAME: waits for the end of a program that ends by itself.
ends() {
	wait_for 10 "the end of $1" has_ended "$1"
	wait "${pid_of[$1]}"
	is "status of $1" $? 0
	unset "pid_of[$1]"
}

# SETs and GETs of others: by the control socket, by dcbctl, and by SNMP.
others_go_on() { # WHILE-WHAT
	local start out
	clock
	start=$now
	value=$((value + 3))
	out=$($bin/mo_probe set $T/control $object $((value - 2))) || fail "SET while $1: $out"
	is "value while $1" "$($bin/mo_probe get $T/control $object)" $((value - 2))
	clock
	timed at_most "ms of a SET and a GET while $1" $((now - start)) 1000
	out=$($bin/dcbctl set $object $((value - 1)) 2>&1) || fail "dcbctl while $1: $out"
	clock
	start=$now
	put $object $value
	is "value over SNMP while $1" "$(get $object)" $value
	clock
	timed at_most "ms of a SET and a GET over SNMP while $1" $((now - start)) 1000
}

# kill_all NAME...: ends clients that do not end themselves.
kill_all() {
	local name
	for name; do stop "$name" KILL; done
}

test_everybody_reads_and_the_group_sets() {
	local out before group
	before=$($bin/mo_probe get $T/control $object)
	is "group and mode of the control socket" "$(stat -c '%G %a' /run/dcbd/control)" "games 660"
	is "mode of the view socket" "$(stat -c '%a' /run/dcbd/view)" 666
	for group in games $outside; do
		out=$(as_other $bin/dcbctl show dcbAgent 2>&1) || fail "a member of $group reads: $out"
		like "objects for a member of $group" "$out" dcbAgentVersion
	done
	out=$(as_other $bin/dcbctl set $object 21001 2>&1) && fail "a user outside the group sets: $out"
	like "reason" "$out" '^dcbctl: /run/dcbd/control: connect: Permission denied; only root and members of group games have permission: '
	out=$(as_other $bin/dcbctl -s /run/dcbd/view set $object 21001 2>&1) && fail "the view socket sets: $out"
	like "reason" "$out" 'noAccess: the view socket is for reading: objects are set over control.socket'
	out=$($bin/dcbctl -s /run/dcbd/view set $object 21001 2>&1) && fail "the view socket sets, for root: $out"
	is "value after refused SETs" "$($bin/mo_probe get $T/control $object)" "$before"
	group=games
	out=$(as_other $bin/dcbctl set $object 21001 2>&1) || fail "a member of the group sets: $out"
	is "value after the SET of a member" "$($bin/mo_probe get $T/control $object)" 21001
}

test_everybody_gets_events() {
	local group=$outside
	put dcbNotifyRateLimit.0 0 ieee8021CnComPriRowStatus.1.4 4
	start monitor setpriv --reuid=$other --regid=$group --clear-groups -- $bin/dcbctl monitor -c 1
	wait_for 10 "an event" errored_port_reported
	ends monitor
	like "event" "$(output monitor)" dcbErroredPort
	put dcbNotifyRateLimit.0 120 ieee8021CnComPriRowStatus.1.4 6
}
# errored_port_reported: makes an errored port and ends it; the monitor may have connected by now.
errored_port_reported() {
	put ieee8021CnPortPriAlternatePriority.1.3.100001 4
	put ieee8021CnPortPriAlternatePriority.1.3.100001 0
	has_ended monitor
}

test_garbage_disturbs_nobody_and_fills_no_log() {
	garbage_on /run/dcbd/control games
	garbage_on /run/dcbd/view $outside
}

garbage_on() { # SOCKET GROUP
	local socket=$1 group=$2 lines n=0
	lines=$(wc -l <"${log_of[dcbd]}")
	bad garbage garbage 2000 "$seed"
	while running garbage && [ $n -lt 10 ]; do
		others_go_on "a client sends garbage"
		n=$((n + 1))
	done
	ends garbage
	at_least "connections with garbage" "$(output garbage)" 30
	# Ten lines of a message at once, and one in six seconds, of a few messages.
	at_most "lines of the log" $(($(wc -l <"${log_of[dcbd]}") - lines)) 100
	like "reason in the log" "$(output dcbd)" "client of user $other, process [0-9]+: malformed or unknown request: connection closed"
}

test_half_messages_are_refused() {
	bad half half
	wait_for 10 "all parts of a request are sent" has_output half
	is "parts that were not refused" "$(output half)" 0
	others_go_on "a client has connected and sends nothing"
	kill_all half
}
has_output() { [ -s "${log_of[$1]}" ]; }

# As by Ctrl-Z. A client that has committed, and does not go on, has its values in force.
test_stopped_client_blocks_nobody() {
	local phase
	for phase in tested committed; do
		bad stopped $phase $object 19000
		wait_for 10 "a client has stopped" is_stopped "${pid_of[stopped]}"
		[ $phase = tested ] || is "value of the stopped client" "$($bin/mo_probe get $T/control $object)" 19000
		others_go_on "a client that has $phase is stopped"
		kill_all stopped
		is "value of the last SET" "$($bin/mo_probe get $T/control $object)" $value
	done
	bad stopped subscribed
	wait_for 10 "a client has stopped" is_stopped "${pid_of[stopped]}"
	others_go_on "a client that has subscribed is stopped"
	kill_all stopped
}

# At any time of its SET.
test_dcbctl_stopped_at_random_blocks_nobody() {
	local i
	for ((i = 0; i < 20 / slow; i++)); do
		start stopped $bin/dcbctl set $object 18000
		pause 0.0$((RANDOM % 4))$((RANDOM % 10))
		kill -STOP "${pid_of[stopped]}" 2>/dev/null
		others_go_on "dcbctl is stopped"
		kill -KILL "${pid_of[stopped]}" 2>/dev/null
		wait "${pid_of[stopped]}" 2>/dev/null
		unset "pid_of[stopped]"
	done
}

test_connections_of_a_user_are_limited() {
	local other=$((other - 1)) # its former connections may not be closed yet
	bad many open 200
	wait_for 20 "200 connections" has_output many
	is "connections of one user that are served" "$(output many)" 16
	others_go_on "a user has all its connections"
	like "objects for the user, over the view socket" "$(as_other $bin/dcbctl show dcbAgent 2>&1)" \
		dcbAgentVersion
	like "reason for the user" "$(as_other $bin/dcbctl -s $socket show dcbAgent 2>&1)" \
		'dcbd closed the connection: 16 clients of this user, which is the maximum'
	stop agentx
	start_agentx
	others_go_on "a user has all its connections, and dcb-agentx is new"
	kill_all many
	wait_for 5 "the user can connect again" as_other $bin/dcbctl -s $socket show dcbAgent
}

test_flood_of_reads_delays_nobody() {
	flood_on /run/dcbd/control games
	flood_on /run/dcbd/view $outside
}

flood_on() { # SOCKET GROUP
	local socket=$1 group=$2 n=0
	bad flood flood 2000
	while running flood && [ $n -lt 10 ]; do
		others_go_on "a user reads all the time"
		n=$((n + 1))
	done
	ends flood
	timed at_least "replies to the flood" "$(output flood)" 1000
}

test_only_dcb_agentx_acknowledges_notifications() {
	like "answer to another user" "$(as_other $bin/bad_client $T/control notifier)" \
		"^only root, dcbd's user and control.agent_user may send notifications, over control.socket$"
	is "answer to root" "$($bin/bad_client $T/control notifier)" subscribed
	like "answer to root over the view socket" "$($bin/bad_client /run/dcbd/view notifier)" '^only root'
}

run_tests
