#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Application priorities classify frames: a willing station takes those that a bridge announces, and
# its TCP connections leave with them.
#
#   host of s: dcb0 - s: dcbd, lldpd - s0 === b0 - b: dcbd, lldpd - b1 === c0 c
#
# The tap dcb0 has 10.9.0.1; c is 10.9.0.2 and does not answer.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

[ -w /dev/net/tun ] || skip_all "no write access to /dev/net/tun"

for n in s b c; do node $n; done
cable s s0 b b0
cable b b1 c c0
s0=$(if_of s s0) b0=$(if_of b b0) b1=$(if_of b b1)
for n in s b; do start_lldpd $n "$n[0-9]"; done
node_conf s station s0 'ports = ( { name = "s0"; tap = "dcb0"; } );' \
	'flows = ( { protocol = "tcp"; port = 22; priority = 2; } );'
node_conf b bridge 'b?'
for n in s b; do start_node $n; done
wait_for 10 "the ports are up" eval 'ports_up s s0 && ports_up b b0 b1' || die "the ports are not up"
wait_for 10 "dcb0" on s ip link show dcb0 || die "no tap"
ip -n s link set dcb0 up
ip -n s addr add 10.9.0.1/24 dev dcb0
ip -n s neigh add 10.9.0.2 lladdr "$(mac_of c c0)" dev dcb0
wait_for 10 "s hears b" eval '[ "$(neighbors s s0)" = 1 ]'

APP=lldpXdot1dcbxAdminApplicationPriorityAEPriority
apps() { ctl $1 -j dcbx $2 | jq -c '.[0].applicationPriorities'"$3"; } # NODE PORT FILTER
# in_force NODE IFINDEX WORD...: these are in force, as SELECTOR/PROTOCOL/PRIORITY, and adopted.
in_force() {
	[ "$(apps $1 $2 '.inForce | map("\(.selector)/\(.protocol)/\(.priority)") | join(" ")')" = "\"${*:3}\"" ] &&
		adopted $1
}

# leaves PORT: the tag of a TCP SYN of s to this port, as it arrives at b0: VID/PRIORITY, or
# untagged.
lists=0
tag_at_b0() { # PORT: the last one in the list
	awk -v port="$(printf %04x $1)" '$4 == "0800" {
		ip = substr($9, $3 == "untagged" ? 29 : 37)
		if (substr(ip, 19, 2) == "06" && substr(ip, 45, 4) == port) tag = $3
	} END { print tag }' "${log_of[list-b0]}"
}
connect() { # PORT: sends at least one SYN, and gives up
	on s timeout 0.2 bash -c "exec 3<>/dev/tcp/10.9.0.2/$1" 2>/dev/null
	[ -n "$(tag_at_b0 $1)" ]
}
leaves() {
	start list-b0 nsenter --net=/run/netns/b -- "$frames" list b0 -x
	wait_for 5 "b0 lists frames" logged list-b0 ready
	wait_for 5 "a SYN to port $1" connect $1
	tag=$(tag_at_b0 $1)
	stop list-b0 KILL
}
expect_tag() { # WHAT PORT TAG
	leaves $2
	is "$1: tag of a connection to port $2" "$tag" "$3"
}

willing() { # TRUE|FALSE
	set_at s lldpXdot1dcbxConfigPFCTxEnable.$s0.1 true lldpXdot1dcbxAdminPFCWilling.$s0 $1
}

test_willing_station_takes_iscsi_priority() {
	expect_tag "initially" 3260 untagged
	set_at b $APP.$b0.2.3260 4 lldpXdot1dcbxConfigApplicationPriorityTxEnable.$b0.1 true
	wait_for 10 "s has the TLV of b" eval '[ "$(apps s s0 ".theirs | length")" = 1 ]'
	expect_tag "not willing" 3260 untagged
	willing true
	wait_for 10 "the priority is in force" in_force s s0 tcp/3260/4 || apps s s0
	expect_tag "willing" 3260 0/4
	expect_tag "another port" 3261 untagged
	expect_tag "a rule of dcbd.conf" 22 0/2
	is "why" "$(apps s s0 .why)" "\"willing: the neighbor's configuration\""
}

test_changes_of_the_neighbor_are_in_force() {
	set_at b $APP.$b0.2.3260 5 $APP.$b0.2.22 6
	wait_for 10 "the change is in force" in_force s s0 tcp/22/6 tcp/3260/5 || apps s s0
	expect_tag "another priority" 3260 0/5
	expect_tag "the rule of dcbd.conf comes first" 22 0/2
	set_at b $APP.$b0.1.0 1
	wait_for 10 "the default is in force" in_force s s0 ethertype/0/1 tcp/22/6 tcp/3260/5 || apps s s0
	expect_tag "default priority" 3261 0/1
}

# Own entries are replaced, not added to, as with PFC, and are back afterwards.
test_own_priorities_are_back() {
	set_at s $APP.$s0.2.80 3
	expect_tag "the neighbor's are in force" 80 0/1
	willing false
	wait_for 10 "its own are in force" in_force s s0 tcp/80/3 || apps s s0
	expect_tag "own" 80 0/3
	expect_tag "own" 3260 untagged
	willing true
	wait_for 10 "the neighbor's again" in_force s s0 ethertype/0/1 tcp/22/6 tcp/3260/5 || apps s s0
	stop lldpd-b
	wait_for 10 "its own without neighbor" in_force s s0 tcp/80/3 || apps s s0
	expect_tag "own" 3260 untagged
	start_lldpd b
	wait_for 10 "the neighbor's again" in_force s s0 ethertype/0/1 tcp/22/6 tcp/3260/5 || apps s s0
	expect_tag "the neighbor's again" 3260 0/5
}

run_tests
