#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures TCP between two hosts through dcbd, with the offloads of the hosts' interfaces as they are by
# default, where dcbd segments and completes checksums, and without, where the hosts do.
#
#   tcp.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1         dcb-bench-sw         dcb-bench-h2
#     iperf3  eth0 ===== p1  dcbd  p2 ===== eth0  iperf3
#
# One connection, whose hosts share the processors with dcbd.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=12 # rounds
seconds=2
narrow=0.1
elements=(on off)
cells=(1500 9000) # MTU

parse() {
	[ $# -ge 1 ] || fail "usage: tcp.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) most=6 seconds=1 ;;
	--smoke) least=1 most=1 seconds=0.2 ;;
	*) fail "unknown option $2" ;;
	esac
	takes "TCP with offloads" "$(seconds_of $least)" "$(seconds_of $most)"
}
seconds_of() { # ROUNDS
	awk -v n="$1" -v t=$seconds 'BEGIN { print 5 + n * 2 * 2 * (t + 0.6) }'
}

check_set_up() {
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
	[ -x "$build/dcbd" ] || fail "$build/dcbd is not built"
	for p in iperf3 jq ethtool; do
		command -v $p >/dev/null || fail "$p is not installed"
	done
}

start_lab() {
	local n
	make_hosts $h1 $sw $h2
	cable $h1 eth0 $sw p1
	cable $h2 eth0 $sw p2
	ip -n $h1 address add 192.0.2.1/24 dev eth0
	ip -n $h2 address add 192.0.2.2/24 dev eth0
	cat >"$work/dcbd.conf" <<-END
		user = "root";
		bridge = { frame_octets = 9100; };
		interfaces = { include = [ "p*" ]; };
		state_file = "$work/state";
		control = { socket = "$work/control"; };
	END
	start dcbd ip netns exec $sw "$build/dcbd" -c "$work/dcbd.conf"
	start iperf ip netns exec $h2 iperf3 -s
	await 10 "dcbd" dcbd in_ns $h1 iperf3 -c 192.0.2.2 -n 1K --connect-timeout 500
}

set_up() { # on|off MTU
	local n
	for n in $h1 $h2; do in_ns "$n" ethtool -K eth0 tx "$1" tso "$1" gso "$1" >/dev/null; done
	ip -n $h1 link set eth0 mtu "$2"
	ip -n $h2 link set eth0 mtu "$2"
	ip -n $sw link set p1 mtu "$2"
	ip -n $sw link set p2 mtu "$2"
}

measure() { # ROUND
	local mtu e bps
	for mtu in "${cells[@]}"; do
		for e in $(in_turn "$1" "${elements[@]}"); do
			set_up "$e" "$mtu"
			bps=$(in_ns $h1 iperf3 -c 192.0.2.2 -t $seconds -O 0.2 -J | jq .end.sum_received.bits_per_second) ||
				fail "iperf3 failed"
			record tcp "$e" "$mtu" "$1" "$bps"
		done
	done
}

parse "$@"
check_set_up
make_work
start_lab
for mtu in "${cells[@]}"; do watched+=("tcp on $mtu tcp off $mtu"); done
until_sure $least $most measure
for mtu in "${cells[@]}"; do
	goal "MTU $mtu, offloads on / off" ">=" 1 "" "$(ratios tcp on "$mtu" tcp off "$mtu")"
	printf '    Mb/s: on %s, off %s\n' "$(numbers_of tcp on "$mtu" | interval | awk '{ printf "%.0f", $1 / 1e6 }')" \
		"$(numbers_of tcp off "$mtu" | interval | awk '{ printf "%.0f", $1 / 1e6 }')"
done
sum_of_goals "TCP"
