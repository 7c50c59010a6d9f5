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
# far above the rate of the path: its cost is measured, not its limit. The second and the
# third figure are as in fwd.sh: frames per second of the busier processor, and of the
# element's processor time while its tap always has frames.
#
# The last part measures the accuracy of the limit: dcbd and tbf at the same rate.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=14 # rounds
seconds=0.4
warm_up=0.15
limit=200 # Mb/s on the wire, preamble and gap included
elements=(relay tbf dcbd)
cells=("64" "1500")

parse() {
	[ $# -ge 1 ] || fail "usage: station.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) most=6 seconds=0.2 warm_up=0.1 ;;
	--smoke) least=1 most=1 seconds=0.05 warm_up=0.02 ;;
	*) fail "unknown option $2" ;;
	esac
}

# seconds_of ROUNDS: a round has two measurements of each cell and element, and one of each limited
# rate.
seconds_of() {
	awk -v n="$1" -v c=$((2 * ${#cells[@]} * ${#elements[@]} + 2)) -v t=$seconds -v w=$warm_up \
		'BEGIN { print 4 + n * c * (t + w + 0.1) }'
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

declare -A pid

make_cables() {
	local e
	make_hosts $h1 $h2
	for e in "${elements[@]}" slow slowtbf; do cable $h1 "$e" $h2 "$e"; done
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
		dataplane = { priority = "off"; }; # a busy loop shares its core, and other elements have none
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

# gen ELEMENT OCTETS [OPTION...]: see generate
gen() { generate "$1" "tap-$1" "$2" -d "$(mac_of $h2 "$1")" "${@:3}"; }

measure() { # ELEMENT CELL ROUND
	local line frames
	line=$(gen "$1" "$2" -P "${pid[$1]}")
	record station "$1" "$2" "$3" "$(field received_fps "$line")"
	frames=$(busier "$line")
	[ -z "$frames" ] || record station "$1" "$2.cpu" "$3" "$frames"
	line=$(busy gen "$1" "$2" -P "${pid[$1]}")
	record_quotient station "$1" "$2.core" "$3" "$(field received "$line")" "$(field cpu_s "$line")"
}

# Octets on the wire: 1514 with FCS, 20 of preamble and gap; dcbd adds a priority tag and a CN-TAG.
measure_limit() { # ELEMENT ROUND
	local line wire=1534
	[ "$1" != slow ] || wire=1542
	line=$(gen "$1" 1514 -r 30000)
	record station "$1" rate "$2" "$(awk -v f="$(field received_fps "$line")" -v l=$limit -v w=$wire \
		'BEGIN { print f * w * 8 / (l * 1e6) }')"
}

round() { # ROUND
	local cell e
	for cell in "${cells[@]}"; do
		for e in $(in_turn "$1" "${elements[@]}"); do measure "$e" "$cell" "$1"; done
	done
	for e in $(in_turn "$1" slow slowtbf); do measure_limit "$e" "$1"; done
}

watch() {
	local cell
	for cell in "${cells[@]}"; do
		watched+=("station dcbd $cell.cpu station relay $cell.cpu"
			"station dcbd $cell.core station relay $cell.core")
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
	local cell e of
	echo
	echo "Tap to link: thousands of frames per second, median of $rounds (min-max): by time, by the time of"
	echo "the busier processor, by the element's own processor time"
	printf '  %-30s' ""
	for cell in "${cells[@]}"; do printf '%-60s' "$cell octets"; done
	echo
	for e in "${elements[@]}"; do
		printf '  %-30s' "$(label "$e")"
		for cell in "${cells[@]}"; do
			for of in "" .cpu .core; do printf '%-20s' "$(kilo "$(values station "$e" "$cell$of")")"; done
		done
		echo
	done
	echo
	for cell in "${cells[@]}"; do
		goal "$cell, busier processor, dcbd / bare relay" ">=" 0.9 "" \
			"$(ratios station dcbd "$cell.cpu" station relay "$cell.cpu")"
		goal "$cell, own processor time, dcbd / bare relay" ">=" 0.95 "" \
			"$(ratios station dcbd "$cell.core" station relay "$cell.core")"
		printf '    for comparison, by time: dcbd / bare relay %s, dcbd / relay with tbf %s\n' \
			"$(two "$(ratios station dcbd "$cell" station relay "$cell")")" \
			"$(two "$(ratios station dcbd "$cell" station tbf "$cell")")"
	done
	awk -v l=$limit '{ printf "  received share of %d Mb/s: dcbd %.3f (%.3f-%.3f)", l, $1, $2, $3 }' \
		<<<"$(values station slow rate)"
	awk '{ printf ", tbf %.3f (%.3f-%.3f)\n", $1, $2, $3 }' <<<"$(values station slowtbf rate)"
	sum_of_goals station
}

parse "$@"
takes "end station" "$(seconds_of $least)" "$(seconds_of $most)"
check_set_up
make_work
say "end station: ${elements[*]}"
make_cables
start_burner
for e in "${elements[@]}"; do
	"start_$e"
	await 10 "frames through $(label "$e")" "$e" arrive "$e" 64
done
station slow "rate = ${limit}000000L;"
# tbf counts a frame without FCS, preamble and gap: 1510 of 1534 octets.
in_ns $h1 tc qdisc add dev slowtbf root tbf rate $((limit * 1510000 / 1534))kbit burst 15140 latency 20ms
loop slowtbf -q
for e in slow slowtbf; do await 10 "frames through $e" "$e" arrive "$e" 64; done
say "measuring: $least to $most rounds, $seconds s per measurement"
watch
until_sure $least $most round
report
