#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the processor time of a frame at low rates, where each frame wakes a program: of a plain
# receive-and-send loop, and of dcbd as it is by default, without PFC and with PFC in force, for
# which it has real time.
#
#   light.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1            dcb-bench-sw                dcb-bench-h2
#     pktgen  X ===== X1  element X (core 1)  X2 ===== X   counter of X
#     (core 0)
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=14 # rounds
seconds=1
warm_up=0.2
elements=(loop plain pfc)
cells=(1000 5000 20000 100000) # frames per second

parse() {
	[ $# -ge 1 ] || fail "usage: light.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) most=6 seconds=0.5 ;;
	--smoke) least=1 most=1 seconds=0.1 warm_up=0.02 ;;
	*) fail "unknown option $2" ;;
	esac
	takes "low rates" "$(seconds_of $least)" "$(seconds_of $most)"
}
seconds_of() { # ROUNDS
	awk -v n="$1" -v c="${#cells[@]}" -v e="${#elements[@]}" -v t=$seconds -v w=$warm_up \
		'BEGIN { print 3 + n * c * e * (t + w + 0.1) }'
}

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
	[ "$(nproc)" -ge 2 ] || fail "needs two processors: one for the load, one for the element"
	for p in dcbd dcbctl tests/bench/pktgen tests/bench/bareloop; do
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

declare -A pid mac
start_loop() {
	start loop ip netns exec $sw taskset -c 1 "$build/tests/bench/bareloop" loop1 loop2
	pid[loop]=$started
	await 5 "the bare loop" loop grep -qx ready "$work/loop.log"
}

start_bridge() { # ELEMENT [SETTING]
	cat >"$work/$1.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "${1}1", "${1}2" ]; };
		ports = ( { name = "*"; default_priority = 3; } );
		user = "root";
		${2-}
		state_file = "$work/$1.state";
		control = { socket = "$work/$1.control"; };
	END
	start "$1" ip netns exec $sw taskset -c 1 "$build/dcbd" -f -c "$work/$1.conf"
	pid[$1]=$started
	await 10 "dcbd" "$1" test -S "$work/$1.control"
}
start_plain() { start_bridge plain; }
start_pfc() {
	start_bridge pfc 'initial = ( { object = "dcbPfcPriorityEnable"; index = "*.3"; port = "*"; value = "true"; } );'
}

gen() { generate "$1" "$1" 64 -d "${mac[$1]}" "${@:2}"; } # ELEMENT OPTION...
passes() { # ELEMENT: succeeds if frames arrive. The address of the far host is learned.
	in_ns $h2 "$build/tests/bench/pktgen" -i "$1" -d "$(mac_of $h1 "$1")" -o 64 -n 2
	arrive "$1"
}

round() { # ROUND
	local cell e line
	for cell in "${cells[@]}"; do
		for e in $(in_turn "$1" "${elements[@]}"); do
			line=$(gen "$e" -r "$cell" -P "${pid[$e]}")
			record_quotient ns "$e" "$cell" "$1" "$(field cpu_s "$line")e9" "$(field received "$line")"
		done
	done
}

label() {
	case $1 in
	loop) echo "bare loop" ;;
	plain) echo "dcbd" ;;
	pfc) echo "dcbd with PFC, real time" ;;
	esac
}

report() {
	local cell e
	echo
	echo "Processor time of a frame, us: median of $rounds (min-max)"
	printf '  %-26s' "frames/s"
	printf '%-20s' "${cells[@]}"
	echo
	for e in "${elements[@]}"; do
		printf '  %-26s' "$(label "$e")"
		for cell in "${cells[@]}"; do
			values ns "$e" "$cell" | awk '{ printf "%-20s", sprintf("%.1f (%.1f-%.1f)", $1 / 1e3, $2 / 1e3, $3 / 1e3) }'
		done
		echo
	done
	for e in plain pfc; do
		for cell in "${cells[@]}"; do
			goal "$(label $e), $cell frames/s, / bare loop" "<=" 1.1 "" "$(ratios ns "$e" "$cell" ns loop "$cell")"
		done
	done
	sum_of_goals "low rate"
}

parse "$@"
check_set_up
make_work
say "low rates: ${elements[*]}"
make_cables
for e in "${elements[@]}"; do
	mac[$e]=$(mac_of $h2 "$e")
	"start_$e"
	await 10 "frames through $(label "$e")" "$e" passes "$e"
done
say "measuring: $least to $most rounds, $seconds s per measurement"
for e in plain pfc; do
	for cell in "${cells[@]}"; do watched+=("ns $e $cell ns loop $cell"); done
done
until_sure $least $most round
report
