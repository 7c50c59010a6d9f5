#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures frames per second through an element between two hosts on veth: the
# kernel's bridge, a plain receive-and-send loop, and dcbd with learning, queues and
# congestion points.
#
#   fwd.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1            dcb-bench-sw                dcb-bench-h2
#     pktgen  X ===== X1  element X (core 1)  X2 ===== X   counter of X
#     (core 0)
#
# Every element X has its own pair of cables and runs during the whole benchmark; they
# are measured in turn, at full load. Notes on the numbers:
#
# - On veth, the core that sends a frame also receives it. A program does its own work
#   on core 1, from the receive ring on; the kernel's bridge does everything on the
#   generator's core, and core 1 is idle. "steered" is the same bridge with receive
#   packet steering to core 1, so that it uses two cores.
# - Goals at full load are judged by the processor that needs longer for a frame (busier in
#   lib.sh).
# - dcbd has real time, as its unit gives it. "shared" is dcbd without; the third figure below is of
#   this one, because a busy loop gets no processor beside a thread with real time.
# - The generator needs more time for a frame than a fast element does: core 1 is not
#   fully used, and all fast elements forward all offered frames. Therefore the third
#   figure: a busy loop shares core 1, the ring overflows, the element always
#   receives full batches, and its speed is the number of forwarded frames divided by
#   its own processor time.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=14 # rounds
seconds=0.4
warm_up=0.15
paced=100000                             # frames per second; no frame should be lost at this rate
elements=(kernel steered loop dcbd shared)
cells=("64 untagged" "64 tagged" "1500 untagged" "1500 tagged")

parse() {
	[ $# -ge 1 ] || fail "usage: fwd.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) most=6 seconds=0.2 warm_up=0.1 ;;
	--smoke) least=1 most=1 seconds=0.05 warm_up=0.02 ;;
	*) fail "unknown option $2" ;;
	esac
}

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
	[ "$(nproc)" -ge 2 ] || fail "needs two processors: one for the load, one for the element"
	for p in dcbd tests/bench/pktgen tests/bench/bareloop; do
		[ -x "$build/$p" ] || fail "$build/$p is not built"
	done
}

make_cables() {
	local e
	make_hosts $h1 $h2 $sw
	for e in "${elements[@]}"; do
		cable $sw "${e}1" $h1 "$e"
		cable $sw "${e}2" $h2 "$e"
	done
}

make_bridge() { # ELEMENT
	ip -n $sw link add "br-$1" type bridge
	ip -n $sw link set "br-$1" type bridge forward_delay 0 mcast_snooping 0
	ip -n $sw link set "${1}1" master "br-$1"
	ip -n $sw link set "${1}2" master "br-$1"
	ip -n $sw link set "br-$1" up
}

declare -A mac pid

start_kernel() { make_bridge kernel; }

start_steered() {
	local q
	make_bridge steered
	for q in steered1 steered2; do
		in_ns $sw sh -c "echo 2 >/sys/class/net/$q/queues/rx-0/rps_cpus" ||
			fail "no receive packet steering in this kernel"
	done
}

start_loop() {
	start loop ip netns exec $sw taskset -c 1 "$build/tests/bench/bareloop" loop1 loop2
	pid[loop]=$started
	await 5 "the bare loop" loop grep -qx ready "$work/loop.log"
}

# start_bridge ELEMENT [SETTING]: all frames have priority 3, which has a congestion point.
start_bridge() {
	cat >"$work/$1.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "${1}1", "${1}2" ]; };
		ports = ( { name = "$1*"; default_priority = 3; } );
		user = "root";
		${2-}
		state_file = "$work/$1.state";
		control = { socket = "$work/$1.control"; };
		initial = (
		  { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		  { object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		  { object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; }
		);
	END
	start "$1" ip netns exec $sw taskset -c 1 "$build/dcbd" -f -c "$work/$1.conf"
	pid[$1]=$started
	await 10 "dcbd" "$1" test -S "$work/$1.control"
}
start_dcbd() { start_bridge dcbd; }
start_shared() { start_bridge shared 'dataplane = { priority = "off"; };'; }

tag_of() { # CELL-KIND
	case $1 in tagged) echo "-v 5.3" ;; esac
}

# gen ELEMENT CELL [OPTION...]: see generate
gen() {
	# shellcheck disable=SC2046 # the option and its argument, or nothing
	generate "$1" "$1" "${2% *}" -d "${mac[$1]}" $(tag_of "${2#* }") "${@:3}"
}

# The far host sends in both VLANs, so that its address is learned and frames are not flooded.
learn_address() {
	local e=$1 to
	to=$(mac_of $h1 "$e")
	in_ns $h2 "$build/tests/bench/pktgen" -i "$e" -d "$to" -o 64 -n 2
	in_ns $h2 "$build/tests/bench/pktgen" -i "$e" -d "$to" -o 64 -n 2 -v 5.3
}

passes() { # ELEMENT: succeeds if frames arrive
	learn_address "$1"
	arrive "$1" "64 untagged"
}

# Measures received frames at full load.
driven() { # ELEMENT CELL ROUND
	local e=$1 name=${2/ /-} line frames of_element=()
	[ -z "${pid[$e]-}" ] || of_element=(-P "${pid[$e]}")
	line=$(gen "$e" "$2" "${of_element[@]}")
	record fwd "$e" "$name" "$3" "$(field received_fps "$line")"
	record fwd "$e" "$name.loss" "$3" "$(field loss "$line")"
	frames=$(busier "$line")
	[ -z "$frames" ] || record fwd "$e" "$name.cpu" "$3" "$frames"
}

# Measures forwarded frames per second of the element's processor time, with the ring full.
saturated() { # ELEMENT CELL ROUND
	local line
	line=$(busy gen "$1" "$2" -P "${pid[$1]}")
	record_quotient fwd "$1" "${2/ /-}.core" "$3" "$(field received "$line")" "$(field cpu_s "$line")"
	record fwd "$1" "${2/ /-}.full" "$3" "$(field loss "$line")"
}

round() { # ROUND
	local cell e line
	for cell in "${cells[@]}"; do
		for e in $(in_turn "$1" "${elements[@]}"); do
			learn_address "$e"
			driven "$e" "$cell" "$1"
		done
		for e in $(in_turn "$1" loop shared); do saturated "$e" "$cell" "$1"; done
	done
	for e in "${elements[@]}"; do
		line=$(gen "$e" "64 untagged" -r $paced)
		record fwd "$e" paced.loss "$1" "$(field loss "$line")"
	done
}

# Names the ratios that decide the goals.
watch() {
	local cell name
	for cell in "${cells[@]}"; do
		name=${cell/ /-}
		watched+=("fwd dcbd $name.cpu fwd kernel $name.cpu" "fwd dcbd $name.cpu fwd loop $name.cpu"
			"fwd shared $name.core fwd loop $name.core")
	done
}

percent() { awk '{ printf "%.2g %%", $1 * 100 }' <<<"$1"; }

label() {
	case $1 in
	kernel) echo "kernel bridge" ;;
	steered) echo "kernel bridge with RPS" ;;
	loop) echo "bare loop" ;;
	dcbd) echo "dcbd" ;;
	shared) echo "dcbd without real time" ;;
	esac
}

line_of() { # LABEL ELEMENT SUFFIX FORMAT-FUNCTION
	local cell
	printf '  %-26s' "$1"
	for cell in "${cells[@]}"; do printf '%-20s' "$("$4" "$(values fwd "$2" "${cell/ /-}$3")")"; done
}

table() {
	local e
	echo
	echo "Forwarding on veth: thousands of frames per second, median of $rounds (min-max)"
	printf '  %-26s' ""
	printf '%-20s' "${cells[@]}"
	echo "lost at $((paced / 1000))k/s"
	for e in "${elements[@]}"; do
		line_of "$(label "$e")" "$e" "" kilo
		percent "$(values fwd "$e" paced.loss)"
		echo
	done
	line_of "  lost by dcbd" dcbd .loss percent
	echo
	echo "  per second of the busier processor:"
	for e in kernel loop dcbd shared; do
		line_of "  $(label "$e")" "$e" .cpu kilo
		echo
	done
	echo "  per second of the element's own processor time, its ring always full:"
	for e in loop shared; do
		line_of "  $(label "$e")" "$e" .core kilo
		echo
	done
	line_of "  lost by the bare loop" loop .full percent
	printf '\n\n'
}

report() {
	local cell name
	table
	for cell in "${cells[@]}"; do
		name=${cell/ /-}
		goal "$cell, busier processor, dcbd / kernel bridge" ">=" 1.0 "" \
			"$(ratios fwd dcbd "$name.cpu" fwd kernel "$name.cpu")"
		goal "$cell, busier processor, dcbd / bare loop" ">=" 0.9 "" \
			"$(ratios fwd dcbd "$name.cpu" fwd loop "$name.cpu")"
		goal "$cell, own time, dcbd without real time / bare loop" ">=" 0.98 "" \
			"$(ratios fwd shared "$name.core" fwd loop "$name.core")"
		printf '    for comparison, busier processor, without real time: dcbd / kernel bridge %s\n' \
			"$(two "$(ratios fwd shared "$name.cpu" fwd kernel "$name.cpu")")"
		printf '    for comparison, by time: dcbd / kernel bridge %s, on two cores %s\n' \
			"$(two "$(ratios fwd dcbd "$name" fwd kernel "$name")")" \
			"$(two "$(ratios fwd dcbd "$name" fwd steered "$name")")"
	done
	sum_of_goals forwarding
}

# seconds_of ROUNDS: a round has 6 measurements of each cell, and those at the given rate.
seconds_of() {
	awk -v n="$1" -v c="${#cells[@]}" -v e="${#elements[@]}" -v t=$seconds -v w=$warm_up 'BEGIN {
		print 3 + n * ((e + 2) * c * (t + w + 0.1) + e * (t + w + 0.05)) }'
}

parse "$@"
takes forwarding "$(seconds_of $least)" "$(seconds_of $most)"
check_set_up
make_work
say "forwarding: ${elements[*]}"
make_cables
start_burner
for e in "${elements[@]}"; do
	mac[$e]=$(mac_of $h2 "$e")
	"start_$e"
	await 10 "frames through $(label "$e")" "$e" passes "$e"
done
say "measuring: $least to $most rounds, $seconds s per measurement"
watch
until_sure $least $most round
report
