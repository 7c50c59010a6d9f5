#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# VLANs of ports, learning limits and static entries, with frames between five hosts in namespaces.
#
#   h1 - sw1           h2 - sw2 "uplink"   h3 - sw3 VLANs 1 and 10 to 20, by dcbd.conf
#   h4 - sw4 PVID 10   h5 - sw5
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
dcbctl=("$build/dcbctl" -s $T/control)
all='1 2 3 4 5'
for n in $all; do host h$n sw$n; done
ip link set sw2 alias uplink
for n in $all; do start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0; done
interfaces='interfaces = { include = [ "sw*" ]; }; bridge = { fdb_entries = 1000; };'
ports='ports = ( { name = "sw3"; vlans = "1,10-20"; }, { name = "sw4"; pvid = 10; } );'
initial='initial = (
	{ object = "dcbStaticUnicastPort"; index = "10.2.0.0.0.9.1"; port = "sw5"; value = "*"; } );'
start_snmptrapd
dcbd_conf "$interfaces" "$ports" "$initial"
start_dcbd
start_snmpd "${trap_sink[@]}"
start_agent
for n in $all; do
	wait_for 5 "h$n lists frames" logged list$n ready
	declare sw$n="$(ifindex sw$n)"
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
: "${sw1?} ${sw2?} ${sw3?} ${sw4?} ${sw5?}"

mac() { printf '02:00:00:00:%02x:%02x' $(($1 / 256)) $(($1 % 256)); }
index() { printf '%d.2.0.0.0.%d.%d' $1 $(($2 / 256)) $(($2 % 256)); } # VLAN ADDRESS: of a static entry
broadcast=ff:ff:ff:ff:ff:ff
logs=()
for n in $all; do logs+=("${log_of[list$n]}"); done

stream=0
# send HOST [OPTION...]: sends frames by "frames send", when the bridge uses all settings.
send() {
	stream=$((stream + 1))
	wait_for 5 "the settings are in force" in_force
	on h$1 "$frames" send eth0 -i $stream "${@:2}" || fail "cannot send frames"
}
received() { awk -v s="$2" '$6 == s { n++ } END { print n + 0 }' "${log_of[list$1]}"; } # HOST STREAM

# counters NAME.INSTANCE...: puts values into the array $counters, from dcbd and not from
# dcb-agentx's cache.
counters() { mapfile -t counters < <("$probe" get $T/control "$@"); }
counted() { counters "$1" && [ "${counters[0]}" -ge "$2" ]; } # NAME.INSTANCE MINIMUM

# settle HOST: waits until the bridge has read the frames that the host sent before: it discards and
# counts one frame more, to a reserved address.
declare -A markers=() # by host, the reserved frames counted
settle() {
	on h$1 "$frames" raw eth0 0180c2000000020000000001 # a reserved address: goes nowhere
	wait_for 10 "the bridge has read the frames of h$1" marker_read $1
}
marker_read() {
	local port
	port=$(ifindex sw$1)
	counters dcbPortDiscardReserved.$port
	[ "${counters[0]}" -gt "${markers[$1]-0}" ] || return 1
	markers[$1]=${counters[0]}
}

# arrives_at SENDER HOST...: waits until these hosts have received the last stream, and checks that no
# other has: broadcasts of the sender follow it. Each port carries one of their VLANs.
marks=1000000
marks_in=("-v 15" "-v 2000")
arrives_at() {
	local from=$1 n got=() vlan
	shift
	marks=$((marks + 1))
	for vlan in "${marks_in[@]}"; do
		# shellcheck disable=SC2086 # an option and its value
		on h$from "$frames" send eth0 -d $broadcast -s 02:00:00:00:ff:0$from -i $marks $vlan ||
			fail "cannot send frames"
	done
	for n in $all; do
		[ $n = $from ] || wait_for 10 "a mark at h$n" eval "[ \$(received $n $marks) -ge 1 ]"
	done
	for n; do wait_for 10 "stream $stream at h$n" eval "[ \$(received $n $stream) -ge 1 ]"; done
	for n in $all; do [ "$(received $n $stream)" -eq 0 ] || got+=($n); done
	is "hosts that received stream $stream" "${got[*]-}" "$*"
}

test_vlans_of_dcbd_conf() {
	like "dcbctl" "$("${dcbctl[@]}" show dcbVlanPortEgress.sw3)" ' 1,10-20( |$)'
	counters dcbVlanPortEgress.$sw3 dcbVlanPortEgress2k.$sw3 dcbVlanPortEgress.$sw1 dcbVlanPortEgress4k.$sw1
	is "sw3" "${counters[0]} ${counters[1]}" "1,10-20 none"
	is "sw1" "${counters[2]} ${counters[3]}" "1-1023 3072-4094"
	is "VLANs 0 to 23 by SNMP" "$(get_hex dcbVlanPortEgress.$sw3 | cut -c1-6)" 403ff8
	is "PVIDs" "$(get dcbVlanPortPvid.$sw1 dcbVlanPortPvid.$sw4 | xargs)" "1 10"
}

test_frames_leave_by_members_only() {
	send 1 -d $broadcast -v 9
	arrives_at 1 2 4 5
	send 1 -d $broadcast -v 15
	arrives_at 1 2 3 4 5
	send 1 -d $broadcast # VLAN 1
	arrives_at 1 2 3 4 5
	send 4 -d $broadcast # VLAN 10
	arrives_at 4 1 2 3 5
	put dcbVlanPortEgress.$sw2 00
	send 1 -d $broadcast -v 15
	arrives_at 1 3 4 5
	"${dcbctl[@]}" set dcbVlanPortEgress.sw2 1-1023 >/dev/null || fail "dcbctl cannot set VLANs"
	send 1 -d $broadcast -v 15
	arrives_at 1 2 3 4 5
}

# Without ingress filtering, an address is learned on a port that does not send its VLAN.
test_frames_for_other_vlans_are_counted() {
	counters dcbPortDiscardEgress.$sw3
	local before=${counters[0]}
	send 3 -s "$(mac 3)" -d $broadcast -v 30
	arrives_at 3 1 2 4 5
	send 1 -d "$(mac 3)" -v 30 -n 7
	wait_for 5 "seven frames are counted" counted dcbPortDiscardEgress.$sw3 $((before + 7))
	arrives_at 1
	counters dcbPortDiscardEgress.$sw3 dcbPortDiscardIngress.$sw3
	is "counted" "${counters[0]} ${counters[1]}" "$((before + 7)) 0"
}

test_ingress_filtering() {
	put dcbVlanPortIngressFiltering.$sw3 1
	send 3 -s "$(mac 31)" -d $broadcast -v 31 -n 5
	wait_for 5 "five frames are counted" counted dcbPortDiscardIngress.$sw3 5
	send 3 -s "$(mac 31)" -d $broadcast -v 10
	arrives_at 3 1 2 4 5
	for n in $all; do is "frames of VLAN 31 at h$n" "$(received $n $((stream - 1)))" 0; done
	# Its source is not learned in VLAN 31.
	send 1 -d "$(mac 31)" -v 31
	arrives_at 1 2 4 5
	put dcbVlanPortIngressFiltering.$sw3 2
}

test_acceptable_frame_types() {
	put dcbVlanPortAcceptableFrameTypes.$sw1 2
	send 1 -d $broadcast -n 2
	send 1 -d $broadcast -p 5 -n 2
	wait_for 5 "untagged and priority-tagged frames are counted" counted dcbPortDiscardFrameType.$sw1 4
	send 1 -d $broadcast -v 12
	arrives_at 1 2 3 4 5
	put dcbVlanPortAcceptableFrameTypes.$sw1 3
	send 1 -d $broadcast -v 12 -n 2
	wait_for 5 "tagged frames are counted" counted dcbPortDiscardFrameType.$sw1 6
	send 1 -d $broadcast -p 5
	local marks_in=("")
	arrives_at 1 2 3 4 5
	put dcbVlanPortAcceptableFrameTypes.$sw1 1
	counters dcbPortDiscardFrameType.$sw1
	is "counted" "${counters[0]}" 6
}

# A host that sends from 60000 addresses does not keep the bridge from learning those of others.
test_flood_of_sources() {
	local limit n from i bursts=30 frames_of_burst=2000 # fewer than the receive ring holds
	counters dcbVlanPortLearnLimit.$sw1 dcbEngineFdbFailures.0
	limit=${counters[0]}
	is "limit" "$limit" 500
	is "failures before" "${counters[1]}" 0
	counters dcbPortRxFrames.$sw1 dcbPortDiscardKernel.$sw1
	n=${counters[0]}
	# To itself, so that it is not flooded: the first source is the destination.
	send 1 -s 02:00:01:00:00:00 -d 02:00:01:00:00:00
	for ((i = 0; i < bursts; i++)); do
		printf -v from 02:00:01:%02x:00:00 $i
		send 1 -s $from -d 02:00:01:00:00:00 -n $frames_of_burst -a
		settle 1
	done
	counters dcbVlanPortLearned.$sw1 dcbEngineFdbFailures.0 dcbVlanPortLearnRefused.$sw1 dcbPortRxFrames.$sw1
	is "learned" "${counters[0]}" "$limit"
	is "failures" "${counters[1]}" 0
	at_least "frames received" $((counters[3] - n)) $((bursts * frames_of_burst))
	at_least "sources refused" ${counters[2]} $((bursts * frames_of_burst - limit))
	wait_for 10 "a notification" has_traps 1 dcbLearnLimitReached
	is "notifications of the flood" "$(count_traps dcbLearnLimitReached)" 1
	is "learned, by it" "$(trap_value "$(traps dcbLearnLimitReached)" dcbVlanPortLearned)" "$limit"
	wait_for 5 "a line" logged dcbd "event: dcbLearnLimitReached: dcbVlanPortLearned.$sw1 = $limit,"
	# A port of its own learns.
	send 2 -s "$(mac 200)" -d $broadcast
	arrives_at 2 1 3 4 5
	send 4 -s "$(mac 201)" -d "$(mac 200)" -v 1
	arrives_at 4 2
	# One of the refused addresses is flooded, and its frames are forwarded.
	send 1 -s 02:00:01:1d:01:00 -d "$(mac 200)"
	arrives_at 1 2
	send 2 -s "$(mac 200)" -d 02:00:01:1d:01:00
	arrives_at 2 1 3 4 5
	# The link goes down: the port has learned nothing.
	ip link set sw1 down
	wait_for 5 "the port has forgotten them" eval 'counters dcbVlanPortLearned.$sw1; [ "${counters[0]}" -eq 0 ]'
	ip link set sw1 up
	wait_for 5 "sw1 is up" holds dcbPortOperational.$sw1 1
}

test_learn_limit_is_set() {
	put dcbVlanPortLearnLimit.$sw1 3
	counters dcbVlanPortLearnRefused.$sw1
	local before=${counters[0]}
	send 1 -s 02:00:02:00:00:00 -d 02:00:02:00:00:00 -n 10 -a
	wait_for 5 "the others are refused" counted dcbVlanPortLearnRefused.$sw1 $((before + 7))
	counters dcbVlanPortLearned.$sw1
	is "learned" "${counters[0]}" 3
	put dcbVlanPortLearnLimit.$sw1 0
	send 1 -s 02:00:02:00:00:00 -d 02:00:02:00:00:00 -n 10 -a
	wait_for 5 "all are learned" counted dcbVlanPortLearned.$sw1 10
}

static_entries() { # lines "INSTANCE PORT", of dcbd
	local inst
	fresh
	for inst in $(rows dcbStaticUnicastPort); do echo "$inst $(get dcbStaticUnicastPort.$inst)"; done
}

test_static_entry() {
	is "initial entry" "$(static_entries)" "10.2.0.0.0.9.1 $sw5"
	put dcbStaticUnicastPort."$(index 10 500)" $sw2 dcbStaticUnicastRowStatus."$(index 10 500)" 4
	send 1 -d "$(mac 500)" -v 10
	arrives_at 1 2
	# A frame with this source on another port is forwarded, and the entry stays.
	send 5 -s "$(mac 500)" -d $broadcast -v 10
	arrives_at 5 1 2 3 4
	send 1 -d "$(mac 500)" -v 10
	arrives_at 1 2
	send 1 -d "$(mac 500)" -v 11
	arrives_at 1 2 3 4 5
	put dcbStaticUnicastPort."$(index 10 500)" $sw4
	send 1 -d "$(mac 500)" -v 10
	arrives_at 1 4
	put dcbStaticUnicastPort."$(index 10 500)" $sw2
	refused inconsistentValue dcbStaticUnicastPort."$(index 10 500)" 99999
	refused inconsistentName dcbStaticUnicastPort."$(index 10 501)" $sw2
	refused inconsistentValue dcbStaticUnicastRowStatus."$(index 10 501)" 4
	refused noCreation dcbStaticUnicastRowStatus.10.3.0.0.0.0.1 4 dcbStaticUnicastPort.10.3.0.0.0.0.1 $sw2
	like "dcbctl" "$("${dcbctl[@]}" show static_unicast)" "10  02-00-00-00-01-f4 +sw2 +$sw2 "
}

# A port has at most 64 entries: the next one is refused and nothing else changes.
test_full_table() {
	local n list=()
	for ((n = 1; n < 64; n++)); do
		list+=(dcbStaticUnicastPort."$(index 20 $n)" $sw2 dcbStaticUnicastRowStatus."$(index 20 $n)" 4)
	done
	for ((n = 0; n < ${#list[@]}; n += 84)); do put "${list[@]:n:84}"; done
	refused resourceUnavailable dcbStaticUnicastPort."$(index 20 64)" $sw2 dcbStaticUnicastRowStatus."$(index 20 64)" 4
	is "entries" "$(count_rows dcbStaticUnicastPort)" 65
	list=()
	for ((n = 1; n < 64; n++)); do list+=(dcbStaticUnicastRowStatus."$(index 20 $n)" 6); done
	put "${list[@]}"
	is "entries" "$(count_rows dcbStaticUnicastPort)" 2
}

# The entry and the VLANs follow the alias of the interface over a restart with another name.
fdb() { "${dcbctl[@]}" fdb show "$@"; }
# row_of VLAN ADDRESS: its columns of dot1qTpFdbTable, and the ifIndex of the port.
row_of() {
	local status port
	status=$(get dot1qTpFdbStatus."$(index $1 $2)")
	port=$(get dot1qTpFdbPort."$(index $1 $2)")
	echo "$status $(get dot1dBasePortIfIndex.$port)"
}

test_addresses_and_their_ports() {
	"${dcbctl[@]}" fdb flush >/dev/null || fail "dcbctl cannot flush"
	wait_for 5 "nothing is learned" eval '[ -z "$(fdb dynamic)" ]'
	is "static" "$(fdb)" "02:00:00:00:01:f4 dev sw2 vlan 10 static
02:00:00:00:09:01 dev sw5 vlan 10 static"
	send 1 -s "$(mac 300)" -d $broadcast
	send 2 -s "$(mac 301)" -d $broadcast -v 12
	send 1 -s "$(mac 302)" -d $broadcast -v 12
	wait_for 5 "three are learned" eval '[ "$(fdb dynamic | wc -l)" -ge 3 ]'
	is "of sw1 in VLAN 12" "$(fdb dev sw1 vlan 12 | sed 's/used [0-9]*/used N/')" \
		"02:00:00:00:01:2e dev sw1 vlan 12 used N moves 0"
	like "JSON" "$("${dcbctl[@]}" -j fdb show dev sw2 vlan 12)" \
		'^\[\{"version":1,"mac":"02:00:00:00:01:2d","ifIndex":'$sw2',"ifname":"sw2","vlan":12,.*"moves":0,.*\}\]$'
	fresh
	is "learned" "$(row_of 12 302)" "3 $sw1"
	is "static one" "$(row_of 10 500)" "5 $sw2"
	"${dcbctl[@]}" fdb flush dev sw1 vlan 12 >/dev/null || fail "dcbctl cannot flush"
	wait_for 5 "sw1 has forgotten VLAN 12" eval '[ -z "$(fdb dev sw1 vlan 12)" ]'
	at_least "others" "$(fdb dynamic | wc -l)" 2
	at_least "of sw1" "$(fdb dynamic dev sw1 | wc -l)" 1
	! fdb vlan 4095 2>/dev/null || fail "VLAN 4095"
}

# A station that is heard at two ports in turn, as in a loop.
test_moves_are_reported() {
	local i
	counters dcbVlanPortFlaps.$sw1 dcbVlanPortMoves.$sw2
	for ((i = 0; i < 200; i++)); do
		on h1 "$frames" send eth0 -s "$(mac 310)" -d $broadcast -v 12
		on h5 "$frames" send eth0 -s "$(mac 310)" -d $broadcast -v 12
		[ $((i % 20)) != 19 ] || ! has_traps 1 dcbAddressMoves || break
	done
	wait_for 10 "a notification" has_traps 1 dcbAddressMoves
	is "VLAN" "$(trap_value "$(traps dcbAddressMoves | head -n 1)" dcbVlanPortFlapVlan)" 12
	is "other port" "$(trap_value "$(traps dcbAddressMoves | head -n 1)" dcbVlanPortFlapPort)" $sw5
	wait_for 5 "a line" logged dcbd "02-00-00-00-01-36 of VLAN 12 moves between sw1 and sw5, more than 10 times"
	wait_for 5 "its moves" eval 'fdb vlan 12 | grep -E "^02:00:00:00:01:36 dev sw[15] vlan 12 used [0-9]+ moves [0-9]{2,}$"'
}

# Storm control: what the port receives beyond its limit goes nowhere, and is counted.
test_flooded_frames_are_limited() {
	local before discarded kind to=([0]=$broadcast [1]=01:00:5e:00:00:01 [2]=02:00:00:00:77:01) kinds=(Broadcast Multicast Unknown)
	for kind in 0 1 2; do
		counters dcbPortDiscard${kinds[kind]}.$sw2
		before=${counters[0]}
		put dcbVlanPort${kinds[kind]}Limit.$sw2 1
		send 2 -s "$(mac 500)" -d ${to[kind]} -n 50
		settle 2
		counters dcbPortDiscard${kinds[kind]}.$sw2
		discarded=$((counters[0] - before))
		at_least "${kinds[kind]} frames discarded" $discarded 1
		wait_for 5 "the others arrive" eval "[ \$(received 1 $stream) = $((50 - discarded)) ]"
		put dcbVlanPort${kinds[kind]}Limit.$sw2 0
		send 2 -s "$(mac 500)" -d ${to[kind]} -n 50
		wait_for 5 "without limit all arrive" eval "[ \$(received 1 $stream) = 50 ]"
	done
	put dcbVlanPortUnknownLimit.$sw2 1
	send 1 -s "$(mac 501)" -d $broadcast
	send 2 -s "$(mac 500)" -d "$(mac 501)" -n 50
	wait_for 5 "frames for a known address have no limit" eval "[ \$(received 1 $stream) = 50 ]"
	put dcbVlanPortUnknownLimit.$sw2 0
}

test_settings_survive_restart_and_rename() {
	put dcbVlanPortEgress.$sw2 403ff8 dcbVlanPortIngressFiltering.$sw2 1 dcbVlanPortLearnLimit.$sw2 77
	stop dcbd
	ip link set sw2 down
	ip link set sw2 name sw7
	ip link set sw7 up
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	wait_for 5 "sw7 is up" holds dcbPortOperational.$sw2 1
	is "entries" "$(static_entries | xargs)" "10.2.0.0.0.1.244 $sw2 10.2.0.0.0.9.1 $sw5"
	counters dcbVlanPortEgress.$sw2 dcbVlanPortLearnLimit.$sw2 dcbVlanPortEgress.$sw3
	is "settings of sw7" "${counters[0]} ${counters[1]}" "1,10-20 77"
	is "settings of sw3" "${counters[2]}" "1,10-20"
	for n in 1 3 4 5; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
	send 1 -d "$(mac 500)" -v 10
	arrives_at 1 2
	send 1 -d "$(mac 500)" -v 9 # the address is not known in VLAN 9, and sw7 is no member
	arrives_at 1 4 5
	# Deleted with its interface, and restored with one that has its alias.
	ip link del sw7
	wait_for 10 "the entry is deleted" eval '[ "$(static_entries | xargs)" = "10.2.0.0.0.9.1 $sw5" ]'
	ip link add sw8 type veth peer name x8
	ip link set sw8 alias uplink
	ip link set sw8 up
	ip link set x8 up
	wait_for 10 "the entry is restored" eval \
		'[ "$(static_entries | xargs)" = "10.2.0.0.0.1.244 $(ifindex sw8) 10.2.0.0.0.9.1 $sw5" ]'
}

test_malformed_vlans_are_refused() {
	local said status=0
	sed 's/vlans = "1,10-20"/vlans = "1,20-10"/' $T/dcbd.conf >$T/bad.conf
	said=$("$build/dcbd" -t -c $T/bad.conf 2>&1) || status=$?
	is "status" $status 2
	like "message" "$said" 'bad.conf:[0-9]+: ports\[0\].vlans: expected VLANs 1..4094 such as "1,10-20", or "none", not "1,20-10"'
}

run_tests
