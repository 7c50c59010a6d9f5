#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Jumbo frames: without bridge.frame_octets the longest frame follows the MTU of the interfaces.
# Where it does not, dcbd -t, the log, an object and the losses say so, and the tap of a
# station has an MTU that fits.
#
#   h1 eth0 === sw1 | bridge | sw2 === eth0 h2      MTU 9000
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"

frames=$build/tests/system/frames
for n in 1 2; do
	host h$n sw$n
	ip link set sw$n mtu 9000
	ip -n h$n link set eth0 mtu 9000
done
sw1=$(ifindex sw1)
start list2 nsenter --net=/run/netns/h2 -- "$frames" list eth0
wait_for 5 "h2 lists frames" logged list2 ready
interfaces='interfaces = { include = [ "sw*" ]; };'
start_all "$interfaces"

stream=0
send() { # COUNT: frames of the MTU, with a tag
	stream=$((stream + 1))
	on h1 "$frames" send eth0 -i $stream -s 02:00:00:00:00:0a -d 02:00:00:00:00:0b -v 1 -p 3 -l 9018 -n "$1" || fail "cannot send"
}
arrived() { awk -v s=$stream '$6 == s { n++ } END { print n + 0 }' "${log_of[list2]}"; }
losses() { "$build/dcbctl" -s $T/control -j status sw1 | jq '.. | .losses_frames? // empty'; }
mtu_of() { ip -j link show dev "$1" | jq '.[0].mtu'; }
up() { for n in 1 2; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done; }

test_longest_frame_follows_the_mtu() {
	up
	is "takes the MTU" "$(get dcbPortTakesMtu.$sw1)" 1
	send 20
	wait_for 5 "20 frames arrive" eval '[ "$(arrived)" -eq 20 ]'
	is "losses" "$(losses)" 0
	like "dcbd -t" "$("$build/dcbd" -t -c $T/dcbd.conf 2>&1)" 'port sw1: '
	is "warnings of dcbd -t" "$("$build/dcbd" -t -c $T/dcbd.conf 2>&1 | grep -c 'bridge.frame_octets')" 0
	! logged dcbd 'are discarded until' || fail "dcbd warns"
}

test_mtu_raised_after_the_start() {
	ip link set sw1 mtu 9100
	wait_for 5 "longer frame buffers" logged dcbd 'frame buffers for frames of up to 9122 octets'
	wait_for 5 "object" holds dcbPortTakesMtu.$sw1 1
	! logged dcbd 'warning: port: sw1: the MTU 9100' || fail "a warning, although dcbd takes the MTU"
	ip link set sw1 mtu 9000
}

test_shorter_frame_octets_is_a_warning_and_counts() {
	stop dcbd
	dcbd_conf "$interfaces" 'bridge = { frame_octets = 2048; };'
	like "dcbd -t" "$("$build/dcbd" -t -c $T/dcbd.conf 2>&1)" 'bridge.frame_octets: sw1 has the MTU 9000: .*at least 9022'
	start_dcbd
	up
	logged dcbd 'warning: port: sw1: the MTU 9000 permits frames of 9022 octets: those longer than 2048' || fail "no warning"
	is "takes the MTU" "$(get dcbPortTakesMtu.$sw1)" 2
	send 20
	wait_for 5 "20 losses" eval '[ "$(losses)" -eq 20 ]'
	wait_for 5 "20 too long" holds dcbPortDiscardOversize.$sw1 20
	is "arrived" "$(arrived)" 0
}

# 2048 octets less header, VLAN tag and CN-TAG: 2026, and 4 more that a station may add.
test_tap_has_an_mtu_that_fits() {
	stop dcbd
	dcbd_conf 'role = "station";' "$interfaces" 'bridge = { frame_octets = 2048; };' \
		'ports = ( { name = "sw1"; tap = "tap1"; }, { name = "sw2"; tap = "tap2"; } );'
	start_dcbd
	wait_for 5 "tap" ip link show dev tap1
	is "MTU of the tap" "$(mtu_of tap1)" 2022
}

test_tap_follows_an_mtu_that_is_raised() {
	stop dcbd
	dcbd_conf 'role = "station";' "$interfaces" \
		'ports = ( { name = "sw1"; tap = "tap1"; }, { name = "sw2"; tap = "tap2"; } );'
	start_dcbd
	wait_for 5 "tap" ip link show dev tap1
	is "MTU of the tap" "$(mtu_of tap1)" 8996
	ip link set sw1 mtu 9200
	wait_for 5 "MTU of the tap" eval '[ "$(mtu_of tap1)" = 9196 ]'
	is "MTU of the other tap" "$(mtu_of tap2)" 8996
}

run_tests
