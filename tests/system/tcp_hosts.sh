# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced after lib.sh. Hosts with the default offloads of their interfaces: the octets and the
# frames that arrive.

tcp_program=$src/tests/system/offloads.py
tcp_octets=$((5000000 / slow))

# tcp_host NAMESPACE IF N: 10.0.0.N and fd00::N.
tcp_host() {
	on $1 sysctl -qw net.ipv6.conf.$2.disable_ipv6=0
	ip -n $1 address add 10.0.0.$3/24 dev $2
	ip -n $1 address add fd00::$3/64 dev $2 nodad
}
# tcp_serve NAMESPACE IF: the host that receives, from now on, for the functions below.
tcp_serve() {
	tcp_to=$1 tcp_if=$2
	tcp_mac=$(ip -n $1 -j link show dev $2 | jq -r '.[0].address')
	start serve nsenter --net=/run/netns/$1 -- python3 $tcp_program serve
	wait_for 5 "$1 serves" logged serve ready
}

# lines TSHARK-OPTION...: a line for each captured frame.
lines() { tshark -r $T/tcp.pcap -T fields -e frame.number "$@" 2>/dev/null; }
# capture FRAMES: captures so many frames to the host that serves. captured MTU: looks at them.
capture() {
	wanted=$1
	start dumpcap nsenter --net=/run/netns/$tcp_to -- dumpcap -q -B 64 -i $tcp_if -f "ether dst $tcp_mac and (tcp or udp)" -c "$1" -w $T/tcp.pcap
	wait_for 10 "dumpcap captures" logged dumpcap 'File:'
}
captured() {
	local wrong='tcp.checksum.status == 0 || udp.checksum.status == 0 || ip.checksum.status == 0'
	wait_for 10 "frames to $tcp_to" gone "${pid_of[dumpcap]}"
	unset "pid_of[dumpcap]"
	is "frames captured" "$(lines | wc -l)" "$wanted"
	is "frames with wrong checksums" "$(lines -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE \
		-o ip.check_checksum:TRUE -Y "$wrong" | wc -l)" 0
	is "frames longer than the MTU" "$(lines -Y "frame.len > $1 + 14" | wc -l)" 0
}
tcp() { # NAMESPACE N: sends to host N; the same octets arrive by IPv4 and IPv6
	on $1 timeout 300 python3 $tcp_program tcp 10.0.0.$2 $tcp_octets || fail "IPv4"
	on $1 timeout 300 python3 $tcp_program tcp fd00::$2 $tcp_octets || fail "IPv6"
}
