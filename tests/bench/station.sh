#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures frames per second from a tap to a link: a plain read-and-send loop, the same
# loop with the kernel's token bucket (tbf) on the link, and dcbd as an end station with
# flow select, reaction point and congestion point for every frame.
#
#   station.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1                                   dcb-bench-h2
#     pktgen -> tap-X  element X (core 1)  X ===== X   counter of X
#     (core 0)
#
# Each element has its own tap and cable; they are measured in turn. The rate of tbf is
# far above the rate of the path: its cost is measured, not its limit. The second
# figure is as in fwd.sh: frames per second of the element's processor time, while
# its tap always has frames.
#
# The third part measures the accuracy of the limit: dcbd and tbf at the same rate.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

repetitions=5
seconds=0.6
warm_up=0.25
limit=200 # Mb/s on the wire, preamble and gap included
elements=(relay tbf dcbd)
cells=("64" "1500")
h1=dcb-bench-h1 h2=dcb-bench-h2

parse() {
	[ $# -ge 1 ] || fail "usage: station.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) repetitions=3 seconds=0.4 ;;
	--smoke) repetitions=1 seconds=0.05 warm_up=0.02 ;;
	*) fail "unknown option $2" ;;
	esac
	# Two measurements of each cell and element, and one of each limited rate
	set -- "$(awk -v n=$repetitions -v c=$((2 * ${#cells[@]} * ${#elements[@]} + 2)) -v t=$seconds \
		-v w=$warm_up 'BEGIN { print 4 + n * c * (t + w + 0.05) }')"
	takes "end station" "$1" "$1"
}

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
	[ "$(nproc)" -ge 2 ] || fail "needs two processors: one for the load, one for the element"
	[ -c /dev/net/tun ] || fail "no /dev/net/tun"
	for p in dcbd tests/bench/pktgen tests/bench/taploop; do
		[ -x "$build/$p" ] || fail "$build/$p is not built"
	done
}

in_ns() { ip netns exec "$@"; }

declare -A pid
burner=

make_cables() {
	local n e
	for n in "$h1" "$h2"; do
		make_namespace "$n"
		in_ns "$n" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
			echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6' 2>/dev/null || true
	done
	for e in "${elements[@]}" slow slowtbf; do
		ip -n $h1 link add "$e" type veth peer name "$e" netns $h2 ||
			fail "no veth interfaces on this machine"
		ip -n $h1 link set "$e" up
		ip -n $h2 link set "$e" up
	done
}

start_burner() {
	start burner taskset -c 1 sh -c 'while :; do :; done'
	burner=$started
	kill -STOP "$burner"
}

# loop NAME [-q]
loop() {
	start "$1" ip netns exec $h1 taskset -c 1 "$build/tests/bench/taploop" "${@:2}" "tap-$1" "$1"
	pid[$1]=$started
	await 5 "the loop" "$1" grep -qx ready "$work/$1.log"
}

start_relay() { loop relay; }

start_tbf() {
	in_ns $h1 tc qdisc add dev tbf root tbf rate 100gbit burst 16mb latency 20ms ||
		fail "no tbf in this kernel"
	loop tbf -q
}

# station NAME PORT-SETTINGS
station() {
	cat >"$work/$1.conf" <<-END
		role = "station";
		interfaces = { include = [ "$1" ]; };
		ports = ( { name = "$1"; tap = "tap-$1"; default_priority = 3; $2 } );
		user = "root";
		state_file = "$work/$1.state";
		control = { socket = "$work/$1.control"; };
		initial = (
		  { object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		  { object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; },
		  { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; }
		);
	END
	start "$1" ip netns exec $h1 taskset -c 1 "$build/dcbd" -f -c "$work/$1.conf"
	pid[$1]=$started
	await 10 "dcbd" "$1" test -S "$work/$1.control"
}

start_dcbd() { station dcbd ""; }

mac_of() { in_ns "$1" cat "/sys/class/net/$2/address"; }

# gen ELEMENT OCTETS [OPTION...]: run pktgen; print its result line.
gen() {
	local e=$1 octets=$2
	shift 2
	in_ns $h1 taskset -c 0 "$build/tests/bench/pktgen" -i "tap-$e" -d "$(mac_of $h2 "$e")" \
		-o "$octets" -t "$seconds" -w "$warm_up" -N $h2 -I "$e" "$@" ||
		fail "$e: the generator failed; log of the element: $(tail -n 3 "$work/$e.log" 2>/dev/null)"
}

passes() { # ELEMENT: succeeds if frames arrive
	gen "$1" 64 -r 1000 -t 0.1 -w 0 | grep -qv 'received=0 '
}

measure() {
	local rep cell e line wire
	for ((rep = 1; rep <= repetitions; rep++)); do
		for cell in "${cells[@]}"; do
			for e in "${elements[@]}"; do
				line=$(gen "$e" "$cell")
				record station "$e" "$cell" "$rep" "$(field received_fps "$line")"
				kill -CONT "$burner"
				line=$(gen "$e" "$cell" -P "${pid[$e]}")
				kill -STOP "$burner"
				record station "$e" "$cell.core" "$rep" "$(awk -v n="$(field received "$line")" \
					-v s="$(field cpu_s "$line")" 'BEGIN { print n / s }')"
			done
		done
		for e in slow slowtbf; do
			line=$(gen "$e" 1514 -r 30000)
			# Octets on the wire: 1514 with FCS, 20 of preamble and gap; dcbd adds a
			# priority tag and a CN-TAG.
			[ "$e" = slow ] && wire=1542 || wire=1534
			record station "$e" rate "$rep" "$(awk -v f="$(field received_fps "$line")" -v l=$limit \
				-v w=$wire 'BEGIN { print f * w * 8 / (l * 1e6) }')"
		done
	done
}

label() {
	case $1 in
	relay) echo "bare relay" ;;
	tbf) echo "bare relay, tbf on the link" ;;
	dcbd) echo "dcbd, station" ;;
	esac
}

report() {
	local cell e
	echo
	echo "Tap to link: thousands of frames per second, median of $repetitions (min-max)"
	printf '  %-30s' ""
	for cell in "${cells[@]}"; do printf '%-20s%-20s' "$cell octets" "per CPU second"; done
	echo
	for e in "${elements[@]}"; do
		printf '  %-30s' "$(label "$e")"
		for cell in "${cells[@]}"; do
			printf '%-20s%-20s' "$(kilo "$(values station "$e" "$cell")")" \
				"$(kilo "$(values station "$e" "$cell.core")")"
		done
		echo
	done
	echo
	for cell in "${cells[@]}"; do
		goal "$cell, dcbd / bare relay" ">=" 0.9 "" "$(ratios station dcbd "$cell" station relay "$cell")"
		goal "$cell, dcbd / bare relay, per CPU second" ">=" 0.9 "" \
			"$(ratios station dcbd "$cell.core" station relay "$cell.core")"
		awk -v c="$cell" '{ printf "    for comparison: %s, dcbd / relay with tbf %.2f\n", c, $1 }' \
			<<<"$(ratios station dcbd "$cell" station tbf "$cell")"
	done
	awk -v l=$limit '{ printf "  received share of %d Mb/s: dcbd %.3f (%.3f-%.3f)", l, $1, $2, $3 }' \
		<<<"$(values station slow rate)"
	awk '{ printf ", tbf %.3f (%.3f-%.3f)\n", $1, $2, $3 }' <<<"$(values station slowtbf rate)"
	printf '  station goals: %d met, %d missed\n' "$goals_met" "$goals_missed"
}

parse "$@"
check_set_up
make_work
say "end station: ${elements[*]}"
make_cables
start_burner
for e in "${elements[@]}"; do
	"start_$e"
	await 10 "frames through $(label "$e")" "$e" passes "$e"
done
station slow "rate = ${limit}000000L;"
# tbf counts a frame without FCS, preamble and gap: 1510 of 1534 octets.
in_ns $h1 tc qdisc add dev slowtbf root tbf rate $((limit * 1510000 / 1534))kbit burst 15140 latency 20ms
loop slowtbf -q
for e in slow slowtbf; do await 10 "frames through $e" "$e" passes "$e"; done
say "measuring: $repetitions repetitions, $seconds s per measurement"
measure
report
