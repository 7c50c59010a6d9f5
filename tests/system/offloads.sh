#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Hosts and virtual machines leave segmentation and checksums to their interfaces, as is the default:
# the bridge forwards what a link would have, whole segments with right checksums.
#
#   h1 eth0 --- sw1 +------+
#                   | dcbd | sw2 --- eth0 h2
#   vm  tap --- sw3 +------+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

program=$src/tests/system/offloads.py
probe=$build/tests/system/mo_probe
for n in 1 2; do
	host h$n sw$n
	on h$n sysctl -qw net.ipv6.conf.eth0.disable_ipv6=0
	ip -n h$n address add 10.0.0.$n/24 dev eth0
	ip -n h$n address add fd00::$n/64 dev eth0 nodad
done
mac2=$(ip -n h2 -j link show dev eth0 | jq -r '.[0].address')
mkfifo $T/frames
exec {frames}<>$T/frames
start vm bash -c "exec python3 $program vm sw3 $mac2 02:00:00:00:00:03 <$T/frames"
wait_for 5 "the tap of the virtual machine" logged vm ready
ip link set sw3 up
start_all 'interfaces = { include = [ "sw*" ]; };'
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3)
for n in $sw1 $sw2 $sw3; do wait_for 5 "ports are up" holds dcbPortOperational.$n 1; done
start serve nsenter --net=/run/netns/h2 -- python3 $program serve
wait_for 5 "h2 serves" logged serve ready
octets=$((5000000 / slow))

now() { "$probe" get $T/control "$@"; }
# lines TSHARK-OPTION...: a line for each frame.
lines() { tshark -r $T/h2.pcap -T fields -e frame.number "$@" 2>/dev/null; }
# capture FRAMES: captures so many frames to h2. captured MTU: looks at them.
capture() {
	wanted=$1
	start dumpcap nsenter --net=/run/netns/h2 -- dumpcap -q -B 64 -i eth0 -f "ether dst $mac2" -c "$1" -w $T/h2.pcap
	wait_for 10 "dumpcap captures" logged dumpcap 'File:'
}
captured() {
	local wrong='tcp.checksum.status == 0 || udp.checksum.status == 0 || ip.checksum.status == 0'
	wait_for 10 "frames to h2" gone "${pid_of[dumpcap]}"
	unset "pid_of[dumpcap]"
	is "frames captured" "$(lines | wc -l)" "$wanted"
	is "frames with wrong checksums" "$(lines -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE \
		-o ip.check_checksum:TRUE -Y "$wrong" | wc -l)" 0
	is "frames longer than the MTU" "$(lines -Y "frame.len > $1 + 14" | wc -l)" 0
}
tcp() { # the same octets arrive by IPv4 and IPv6
	on h1 timeout 300 python3 $program tcp 10.0.0.2 $octets || fail "IPv4"
	on h1 timeout 300 python3 $program tcp fd00::2 $octets || fail "IPv6"
}

test_default_offloads_are_on() {
	like "offloads of h1" "$(on h1 ethtool -k eth0)" 'tcp-segmentation-offload: on'
	like "offloads of h1" "$(on h1 ethtool -k eth0)" 'tx-checksumming: on'
}

test_tcp() {
	capture $((2 * octets / 1500))
	tcp
	captured 1500
}

# Each datagram of one call is a frame of its own.
test_udp_segments() {
	capture 70
	on h1 python3 $program udp 10.0.0.2 40 1400
	on h1 python3 $program udp fd00::2 30 900
	wait_for 10 "datagrams" eval '[ "$(grep -c "^udp" "${log_of[serve]}")" -eq 70 ]'
	is "datagrams of IPv4" "$(grep -c '^udp 1400 True' "${log_of[serve]}")" 40
	is "datagrams of IPv6" "$(grep -c '^udp 900 True' "${log_of[serve]}")" 30
	captured 1500
}

# Counters of both ports have frames of the link: what arrives at one leaves by the other.
test_counters_have_wire_frames() {
	local rx rx_octets tx tx_octets
	rx=$(now dcbPortRxFrames.$sw1) rx_octets=$(now dcbPortRxOctets.$sw1)
	tx=$(now dcbPortTxFrames.$sw2) tx_octets=$(now dcbPortTxOctets.$sw2)
	on h1 python3 $program udp 10.0.0.2 40 1400
	wait_for 10 "frames at sw2" eval '[ $(($(now dcbPortTxFrames.$sw2) - tx)) -ge 40 ]'
	at_least "frames received" $(($(now dcbPortRxFrames.$sw1) - rx)) 40
	at_most "frames received" $(($(now dcbPortRxFrames.$sw1) - rx)) 45
	at_least "octets received" $(($(now dcbPortRxOctets.$sw1) - rx_octets)) $((40 * 1442))
	at_least "octets sent" $(($(now dcbPortTxOctets.$sw2) - tx_octets)) $((40 * 1442))
}

# Another program can switch on again what dcbd has switched off.
test_merging_by_the_port() {
	ethtool -K sw1 gro on >/dev/null || fail "cannot switch GRO on"
	ethtool -K sw2 gro on >/dev/null || fail "cannot switch GRO on"
	capture $((2 * octets / 1500))
	tcp
	captured 1500
}

# The MTU is raised while dcbd runs, as network scripts do after they made an interface.
test_jumbo_frames() {
	local n
	for n in 1 2; do
		ip link set sw$n mtu 9000
		wait_for 5 "the new MTU" logged dcbd "sw$n: MTU 9000"
		is "takes frames of the MTU" "$(now dcbPortTakesMtu."$(ifindex sw$n)")" 1
		ip -n h$n link set eth0 mtu 9000
	done
	capture $((2 * octets / 9000))
	tcp
	captured 9000
	at_least "long frames" "$(lines -Y 'frame.len > 8000' | wc -l)" $((octets / 9000))
	for n in 1 2; do
		ip link set sw$n mtu 1500
		ip -n h$n link set eth0 mtu 1500
	done
}

# A virtual machine can write any octets: a fragment of IP cannot be segmented.
test_virtual_machine() {
	local malformed
	malformed=$(now dcbPortDiscardMalformed.$sw3)
	capture 30
	echo good >&$frames
	wait_for 5 "frames of the virtual machine" eval '[ $(now dcbPortRxFrames.$sw3) -ge 15 ]'
	echo bad >&$frames
	wait_for 5 "discarded frame" eval '[ $(now dcbPortDiscardMalformed.$sw3) -eq $((malformed + 1)) ]'
	echo good >&$frames
	wait_for 5 "frames after it" eval '[ $(now dcbPortRxFrames.$sw3) -ge 31 ]'
	captured 1500
	is "frames of the virtual machine" "$(lines -Y 'tcp.srcport == 7' | wc -l)" 30
	exec {frames}>&-
	stop vm KILL
	stop serve KILL
}

run_tests
