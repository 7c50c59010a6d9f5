#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Application priorities classify frames: a willing station takes those that a bridge announces, and
# its TCP connections leave with them. A bridge that trusts DSCPs gives untagged packets their
# priority, which decides about PFC.
#
#   host of s: dcb0 - s: dcbd, lldpd - s0 === b0 +---------------+ b1 === c0 c
#                                                | b: dcbd,lldpd |
#                                     d d0 === b2 +---------------+
#
# The tap dcb0 has 10.9.0.1; c is 10.9.0.2 and does not answer. dcbd.conf gives b1 10 Mb/s, so that
# the longest pause is 3.3 s.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

[ -w /dev/net/tun ] || skip_all "no write access to /dev/net/tun"

for n in s b c d; do node $n; done
cable s s0 b b0
cable b b1 c c0
cable b b2 d d0
s0=$(if_of s s0) b0=$(if_of b b0) b1=$(if_of b b1) b2=$(if_of b b2)
for n in s b; do start_lldpd $n "${n}[0-9]"; done
node_conf s station s0 'ports = ( { name = "s0"; tap = "dcb0"; } );' \
	'flows = ( { protocol = "tcp"; port = 22; priority = 2; } );'
node_conf b bridge 'b?' 'bridge = { transit_delay = 0; };' \
	'ports = ( { name = "b1"; rate = 10000000L; speed = 10000000L; }, { name = "b2"; pfc = { buffer = 40000; headroom = 20000; }; } );'
for n in s b; do start_node $n; done
wait_for 10 "the ports are up" eval 'ports_up s s0 && ports_up b b0 b1 b2' || die "the ports are not up"
wait_for 10 "dcb0" on s ip link show dcb0 || die "no tap"
ip -n s link set dcb0 up
ip -n s addr add 10.9.0.1/24 dev dcb0
ip -n s neigh add 10.9.0.2 lladdr "$(mac_of c c0)" dev dcb0
wait_for 10 "s hears b" eval '[ "$(neighbors s s0)" = 1 ]'

APP=lldpXdot1dcbxAdminApplicationPriorityAEPriority
apps() { ctl $1 -j dcbx $2 | jq -c '.[0].applicationPriorities'"${3-}"; } # NODE PORT [FILTER]
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

test_preset_sets_the_rows_of_an_application() {
	local before rows
	before=$(ctl b -j show $APP | jq -c .)
	like "dry run" "$(ctl b preset --dry-run fcoe b0)" "^$APP.$b0.1.35078 = 3"
	is "rows after a dry run" "$(ctl b -j show $APP | jq -c .)" "$before"
	ctl b preset iscsi priority=6 b0 >$T/preset 2>&1 || fail "$(<$T/preset)"
	wait_for 10 "the station has it" in_force s s0 ethertype/0/1 tcp/22/6 tcp/3260/6 || apps s s0
	expect_tag "preset" 3260 0/6
	ctl b preset rocev2 b1 b2 >$T/preset 2>&1 || fail "$(<$T/preset)"
	rows=$(value b $APP.$b1.3.4791 $APP.$b1.5.26 $APP.$b1.5.48 $APP.$b2.3.4791 $APP.$b2.5.26 $APP.$b2.5.48 | paste -sd ' ')
	is "RoCEv2 on two ports" "$rows" "3 3 6 3 3 6"
	ctl s preset --dry-run rocev2 s0 >$T/preset 2>&1 || fail "$(<$T/preset)"
	like "RoCEv2 at a station" "$(<$T/preset)" "^$APP.[0-9]*.3.4791 = 3"
	! grep -q dcbPortTrust $T/preset || fail "order of trust of a station"
	is "order of trust" "$(ctl b apptrust show dev b2)" "order dscp pcp"
	ctl b apptrust set dev b1 b2 order pcp || fail "apptrust"
}

# --- DSCP in the bridge --------------------------------------------------------------------------

c_mac=$(mac_of c c0) d_mac=$(mac_of d d0)
# packets COUNT DSCP [TAG]: d sends UDP packets of 1000 octets to c, untagged or with this tag.
packets() {
	local header
	printf -v header '%s%s%s0800%02x%02x03da0000000040110000%s%s%s' "${c_mac//:/}" "${d_mac//:/}" "${3-}" \
		$((0x45)) $(($2 << 2)) 0a090003 0a090002 c00012b703c60000
	on d "$frames" raw d0 "$(printf '%-2000s' "$header" | tr ' ' 0)" -n $1
}
# arrived DSCP: packets of d with this DSCP that c has received.
arrived() {
	awk -v sa="$d_mac" -v tos="$(printf %02x $(($1 << 2)))" '$2 == sa && $4 == "0800" {
		ip = substr($9, $3 == "untagged" ? 29 : 37)
		if (substr(ip, 3, 2) == tos) n++
	} END { print n + 0 }' "${log_of[list-c0]}"
}
has_arrived() { [ "$(arrived $1)" -ge $2 ]; } # DSCP COUNT
# passes WHAT COUNT: the packets that d sent with DSCP 26 before have arrived, COUNT of them. A
# packet with DSCP 0, whose priority is never paused, follows them.
zeros=0
passes() {
	zeros=$((zeros + 1))
	packets 1 0
	wait_for 10 "$1: a packet with DSCP 0" has_arrived 0 $zeros
	is "$1: packets with DSCP 26" "$(arrived 26)" $2
}
pfc_of() { value b dcbPfcPriority$1.$b2.$2; }
trust() { # pcp, pcpDscp, dscpPcp: 1, 2, 3
	set_at b dcbPortTrust.$b2 $1
	wait_for 5 "the change is in force" adopted b
}

test_dscp_decides_which_priority_waits() {
	local held before
	start list-c0 nsenter --net=/run/netns/c -- "$frames" list c0 -x
	wait_for 5 "c0 lists frames" logged list-c0 ready
	before=$(value b dcbEngineFdbEntries.0)
	on c "$frames" send c0 -d ff:ff:ff:ff:ff:ff -s $c_mac
	wait_for 5 "the bridge learns c" eval '[ "$(value b dcbEngineFdbEntries.0)" -gt '$before' ]'
	set_at b dcbPfcPriorityEnable.$b1.3 true dcbPfcPriorityEnable.$b2.3 true
	start pfcgen nsenter --net=/run/netns/c -- "$build/dcb-pfcgen" -p 3 -q 65535 -i 100ms -t 3600s c0
	wait_for 5 "b1 is paused" is_value b dcbPfcPriorityPaused.$b1.3 1
	packets 2 26
	passes "pcp is trusted" 2
	trust 2
	is "trust" "$(ctl b -j show dcbPortTrust b2 | jq -r '.[0].rows[0].values[]')" pcpDscp
	packets 2 26
	passes "dscp is trusted, b1 is paused" 2
	held=$(pfc_of Held 3)
	at_least "octets held of priority 3" "$held" 2000
	# A packet with a tag keeps its priority.
	packets 1 26 81000001
	passes "tagged" 3
	is "octets held of priority 3" "$(pfc_of Held 3)" "$held"
	# Unless the DSCP counts before it.
	trust 3
	packets 1 26 81000001
	passes "tagged, but the DSCP is trusted" 3
	at_least "octets held of priority 3" "$(pfc_of Held 3)" $((held + 900))
	# The neighbor that sends too many is told to stop sending this priority, and no other.
	packets 30 26
	wait_for 5 "PFC frames for priority 3" eval '[ "$(pfc_of Requests 3)" -ge 1 ]'
	is "PFC frames for priority 0" "$(pfc_of Requests 0)" 0
	passes "more packets" 3
	stop pfcgen
	wait_for 10 "the packets arrive when the pause ends" has_arrived 26 36
	is "lost packets" "$(pfc_of Discards 3)" 0
}

test_trust_survives_a_restart_and_is_set_back() {
	start pfcgen nsenter --net=/run/netns/c -- "$build/dcb-pfcgen" -p 3 -q 65535 -i 100ms -t 3600s c0
	stop dcbd-b KILL
	start_node b
	wait_for 10 "the ports are up" ports_up b b0 b1 b2
	wait_for 5 "b1 is paused" is_value b dcbPfcPriorityPaused.$b1.3 1
	packets 1 26
	passes "dscp is trusted" 36
	trust 1
	packets 1 26
	passes "pcp is trusted again" 37
	stop pfcgen
	wait_for 10 "the packet that waited" has_arrived 26 38
}

run_tests
