#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A station's port whose TAP interface cannot be created, or is deleted, works again when that is
# possible, without a change of its link; its other ports go on meanwhile.
#
#   dcb1 - st1 === eth0 h1        dcb2 - st2 === eth0 h2
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
[ -w /dev/net/tun ] || skip_all "no write access to /dev/net/tun"
frames=$build/tests/system/frames
for n in 1 2; do
	host h$n st$n
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
	wait_for 5 "h$n lists frames" logged list$n ready
done
st1=$(ifindex st1) st2=$(ifindex st2)
take_name() { ip link add $1 type veth peer name taken; }
give_name() { ip link del $1; }
take_name dcb1
# A pattern matches the tap dcb2: it is no port nevertheless.
start_all 'role = "station"; interfaces = { include = [ "st*", "dcb2" ]; };' \
	'ports = ( { name = "st1"; tap = "dcb1"; }, { name = "st2"; tap = "dcb2"; } );'

stream=$((RANDOM * 1000))
got() { awk -v s="$2" '$6 == s { n++ } END { print n + 0 }' "${log_of[$1]}"; } # LOG STREAM
# sent_until LOG COMMAND...: runs the command, which sends a frame, until the log has one.
sent_until() {
	"${@:2}" || return 1
	pause 0.02
	[ "$(got $1 $stream)" -gt 0 ]
}
# passes N: frames pass between dcbN and hN, in both directions.
lists=0
passes() {
	lists=$((lists + 1))
	wait_for 10 "port st$1 is operational" holds dcbPortOperational."$(ifindex st$1)" 1
	start tap$lists "$frames" list dcb$1
	wait_for 5 "dcb$1 lists frames" logged tap$lists ready
	stream=$((stream + 1))
	wait_for 10 "frames from h$1 to dcb$1" sent_until tap$lists on h$1 "$frames" send eth0 \
		-d ff:ff:ff:ff:ff:ff -i $stream
	stream=$((stream + 1))
	wait_for 10 "frames from dcb$1 to h$1" sent_until list$1 "$frames" send dcb$1 -d ff:ff:ff:ff:ff:ff \
		-s "$(mac_of dcb$1)" -i $stream
	stop tap$lists KILL
	is "reason" "$(get dcbPortOpenError."$(ifindex st$1)")" '""'
}
mac_of() { ip -j link show dev $1 | jq -r '.[0].address'; }
says() { [[ $(get dcbPortOpenError.$1) =~ $2 ]]; }
failed() { [ "$(get dcbPortOpenFailures.$1)" -ge $2 ]; }
descriptors() { find "/proc/${pid_of[dcbd]}/fd" -type l | wc -l; }
has_descriptors() { [ "$(descriptors)" -eq $1 ]; }

test_name_is_taken_at_the_start() {
	is "ports" "$(get dcbAgentPorts.0)" 2
	wait_for 5 "a reason" says $st1 'st1: tap dcb1: cannot create: .*an interface with this name exists'
	wait_for 10 "retries" failed $st1 3
	fresh
	is "operational" "$(get dcbPortOperational.$st1)" 2
	passes 2
	give_name dcb1
	passes 1
	logged dcbd 'st1: tap dcb1 created' || fail "not logged"
	is "address of the tap" "$(mac_of dcb1)" "$(mac_of st1)"
	is "failures of st2" "$(get dcbPortOpenFailures.$st2)" 0
}

test_deleted_tap_is_created_again() {
	local files i
	files=$(descriptors)
	for i in 1 2; do
		ip link del dcb1
		wait_for 5 "st1 is not operational" holds dcbPortOperational.$st1 2
		passes 1
		wait_for 5 "number of descriptors: $files" has_descriptors $files
	done
	logged dcbd 'st1: tap dcb1: deleted, creating it again in 1 s' || fail "not logged"
	logged dcbd 'st1: interface failed: ' || fail "not logged"
	passes 2
}

# Another interface gets the name before dcbd has created its own again.
delete_and_take_name() {
	ip link del dcb1
	take_name dcb1
}
test_name_is_taken_after_the_tap_was_deleted() {
	local files
	files=$(descriptors)
	while_stopped dcbd delete_and_take_name
	wait_for 5 "a reason" says $st1 'tap dcb1: cannot create'
	fresh
	is "operational" "$(get dcbPortOperational.$st1)" 2
	passes 2
	give_name dcb1
	passes 1
	wait_for 5 "number of descriptors: $files" has_descriptors $files
}

# The host's routes over the tap need it while the link is down, too.
test_tap_deleted_while_the_link_is_down() {
	ip link set st1 down
	wait_for 5 "st1 is not operational" holds dcbPortOperational.$st1 2
	ip link del dcb1
	wait_for 5 "dcb1 exists" ip link show dcb1
	ip link set st1 up
	passes 1
}

# dcbd.conf does not select the new name: the port ends, and its tap.
test_tap_of_a_removed_port_is_no_port() {
	ip link set st2 down
	ip link set st2 name away2
	ip link set away2 up
	wait_for 5 "one port" holds dcbAgentPorts.0 1
	wait_for 5 "dcb2 is deleted" eval '! ip link show dcb2'
	ip link set away2 down
	ip link set away2 name st2
	ip link set st2 up
	passes 2
	is "ports" "$(get dcbAgentPorts.0)" 2
	! logged dcbd 'dcb[0-9]: managed' || fail "a tap is a port"
}

test_tap_ends_with_dcbd() {
	stop dcbd
	! ip link show dcb1 2>/dev/null || fail "dcb1 exists"
}

run_tests
