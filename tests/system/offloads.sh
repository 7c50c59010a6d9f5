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
# shellcheck source=tests/system/tcp_hosts.sh
. "$(dirname -- "$(readlink -f -- "$0")")/tcp_hosts.sh"

probe=$build/tests/system/mo_probe
for n in 1 2; do
	host h$n sw$n
	tcp_host h$n eth0 $n
done
tcp_serve h2 eth0
mkfifo $T/frames
exec {frames}<>$T/frames
start vm bash -c "exec python3 $tcp_program vm sw3 $tcp_mac 02:00:00:00:00:03 <$T/frames"
wait_for 5 "the tap of the virtual machine" logged vm ready
ip link set sw3 up
start_all 'interfaces = { include = [ "sw*" ]; };'
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3)
for n in $sw1 $sw2 $sw3; do wait_for 5 "ports are up" holds dcbPortOperational.$n 1; done

now() { "$probe" get $T/control "$@"; }
test_default_offloads_are_on() {
	like "offloads of h1" "$(on h1 ethtool -k eth0)" 'tcp-segmentation-offload: on'
	like "offloads of h1" "$(on h1 ethtool -k eth0)" 'tx-checksumming: on'
}

test_tcp() {
	capture $((2 * tcp_octets / 1500))
	tcp h1 2
	captured 1500
}

# Each datagram of one call is a frame of its own.
test_udp_segments() {
	capture 70
	on h1 python3 $tcp_program udp 10.0.0.2 40 1400
	on h1 python3 $tcp_program udp fd00::2 30 900
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
	on h1 python3 $tcp_program udp 10.0.0.2 40 1400
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
	capture $((2 * tcp_octets / 1500))
	tcp h1 2
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
	capture $((2 * tcp_octets / 9000))
	tcp h1 2
	captured 9000
	at_least "long frames" "$(lines -Y 'frame.len > 8000' | wc -l)" $((tcp_octets / 9000))
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
