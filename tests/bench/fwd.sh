#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures frames per second through an element between two hosts on veth: the
# kernel's bridge, a plain receive-and-send loop, and dcbd with learning, queues and
# congestion points.
#
#   fwd.sh BUILD-DIR [--quick]
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
# - The generator needs more time for a frame than a fast element does: core 1 is not
#   fully used, and all fast elements forward all offered frames. Therefore the second
#   figure: a busy loop shares core 1, the ring overflows, the element always
#   receives full batches, and its speed is the number of forwarded frames divided by
#   its own processor time.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

repetitions=5
seconds=0.6
warm_up=0.25
paced=100000                             # frames per second; no frame should be lost at this rate
elements=(kernel steered loop dcbd)
cells=("64 untagged" "64 tagged" "1500 untagged" "1500 tagged")
h1=dcb-bench-h1 h2=dcb-bench-h2 sw=dcb-bench-sw

parse() {
	[ $# -ge 1 ] || fail "usage: fwd.sh BUILD-DIR [--quick]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) repetitions=3 seconds=0.4 ;;
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

in_ns() { ip netns exec "$@"; }

make_cables() {
	local n e
	for n in "$h1" "$h2" "$sw"; do
		make_namespace "$n"
		in_ns "$n" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
			echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6' 2>/dev/null || true
	done
	for e in "${elements[@]}"; do
		ip -n $sw link add "${e}1" type veth peer name "$e" netns $h1 ||
			fail "no veth interfaces on this machine"
		ip -n $sw link add "${e}2" type veth peer name "$e" netns $h2
		for n in "$sw ${e}1" "$sw ${e}2" "$h1 $e" "$h2 $e"; do
			ip -n "${n% *}" link set "${n#* }" up
		done
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
burner=

start_burner() {
	start burner taskset -c 1 sh -c 'while :; do :; done'
	burner=$started
	kill -STOP "$burner"
}

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

# All frames have priority 3, which has a congestion point.
start_dcbd() {
	cat >"$work/dcbd.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "dcbd1", "dcbd2" ]; };
		ports = ( { name = "dcbd*"; default_priority = 3; } );
		user = "root";
		state_file = "$work/state";
		control = { socket = "$work/control"; };
		initial = (
		  { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		  { object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		  { object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; }
		);
	END
	start dcbd ip netns exec $sw taskset -c 1 "$build/dcbd" -f -c "$work/dcbd.conf"
	pid[dcbd]=$started
	await 10 "dcbd" dcbd test -S "$work/control"
}

mac_of() { in_ns "$1" cat "/sys/class/net/$2/address"; }

tag_of() { # CELL-KIND
	case $1 in tagged) echo "-v 5.3" ;; esac
}

# gen ELEMENT CELL [OPTION...]: run pktgen; print its result line.
gen() {
	local e=$1 octets=${2% *} kind=${2#* }
	shift 2
	# shellcheck disable=SC2046 # the option and its argument, or nothing
	in_ns $h1 taskset -c 0 "$build/tests/bench/pktgen" -i "$e" -d "${mac[$e]}" -o "$octets" \
		$(tag_of "$kind") -t "$seconds" -w "$warm_up" -N $h2 -I "$e" "$@" ||
		fail "$e: the generator failed; log of the element: $(tail -n 3 "$work/$e.log" 2>/dev/null)"
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
	gen "$1" "64 untagged" -r 1000 -t 0.1 -w 0 | grep -qv 'received=0 '
}

# Measures received frames at full load.
driven() { # ELEMENT CELL REPETITION
	local line
	line=$(gen "$1" "$2")
	record fwd "$1" "${2/ /-}" "$3" "$(field received_fps "$line")"
	record fwd "$1" "${2/ /-}.loss" "$3" "$(field loss "$line")"
}

# Measures forwarded frames per second of the element's processor time, with the ring full.
saturated() { # ELEMENT CELL REPETITION
	local line
	kill -CONT "$burner"
	line=$(gen "$1" "$2" -P "${pid[$1]}")
	kill -STOP "$burner"
	record fwd "$1" "${2/ /-}.core" "$3" \
		"$(awk -v n="$(field received "$line")" -v s="$(field cpu_s "$line")" 'BEGIN { print n / s }')"
	record fwd "$1" "${2/ /-}.full" "$3" "$(field loss "$line")"
}

measure() {
	local rep cell e line
	for ((rep = 1; rep <= repetitions; rep++)); do
		for cell in "${cells[@]}"; do
			for e in "${elements[@]}"; do
				learn_address "$e"
				driven "$e" "$cell" "$rep"
			done
			for e in "${!pid[@]}"; do saturated "$e" "$cell" "$rep"; done
		done
		for e in "${elements[@]}"; do
			line=$(gen "$e" "64 untagged" -r $paced)
			record fwd "$e" paced.loss "$rep" "$(field loss "$line")"
		done
	done
}

percent() { awk '{ printf "%.2g %%", $1 * 100 }' <<<"$1"; }

label() {
	case $1 in
	kernel) echo "kernel bridge" ;;
	steered) echo "kernel bridge with RPS" ;;
	loop) echo "bare loop" ;;
	dcbd) echo "dcbd" ;;
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
	echo "Forwarding on veth: thousands of frames per second, median of $repetitions (min-max)"
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
	for e in loop dcbd; do
		line_of "per CPU second, $(label "$e")" "$e" .core kilo
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
		goal "$cell, dcbd / kernel bridge" ">=" 1.0 "" "$(ratios fwd dcbd "$name" fwd kernel "$name")"
		goal "$cell, dcbd / bare loop" ">=" 0.9 "" "$(ratios fwd dcbd "$name" fwd loop "$name")"
		goal "$cell, dcbd / bare loop, per CPU second" ">=" 0.9 "" \
			"$(ratios fwd dcbd "$name.core" fwd loop "$name.core")"
		awk -v c="$cell" '{ printf "    for comparison: %s, dcbd / kernel bridge on two cores %.2f\n", c, $1 }' \
			<<<"$(ratios fwd dcbd "$name" fwd steered "$name")"
	done
	printf '  forwarding goals: %d met, %d missed\n' "$goals_met" "$goals_missed"
}

parse "$@"
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
say "measuring: $repetitions repetitions, $seconds s per measurement"
measure
report
