#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the speed of dcbsim: frames received by nodes per second of processor time, for a
# bottleneck with ten sources, for a fabric of 128 stations at 10 Gb/s, and for a fat tree of 1024
# stations, whose data exceeds the caches, in one thread and in two; and, where ns-3 is installed
# (Debian: libns3-dev), for a bottleneck without congestion notification in both simulators. Each
# round runs them in turn.
#
#   sim.sh BUILD-DIR [--quick|--smoke]
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"
# shellcheck source=tests/bench/fat_tree.sh
. "$here/fat_tree.sh"

least=6 most=14 # rounds
long=20ms       # of the fabric
arity=16        # of the fat tree: ports of a bridge
droptail=0.5    # seconds, of the bottleneck in both simulators
[ $# -ge 1 ] || fail "usage: sim.sh BUILD-DIR [--quick|--smoke]"
build=$(readlink -f -- "$1")
case ${2-} in
'') ;;
--quick) most=6 long=10ms droptail=0.1 ;;
--smoke) least=1 most=1 long=1ms droptail=0.01 arity=4 ;;
*) fail "unknown option $2" ;;
esac
scenarios=$here/../sim
subjects=(bottleneck fabric tree droptail)
ns3=$build/tests/bench/ns3_bottleneck
compiler=${CXX:-g++}

# The libraries by name: those that pkg-config lists beside them need packages that libns3-dev does
# not depend on.
build_ns3() {
	if [ ! -e /usr/include/ns3/csma-module.h ]; then
		say "ns-3 not installed (libns3-dev): dcbsim alone"
		return
	fi
	[ "$ns3" -nt "$here/ns3_bottleneck.cc" ] || "$compiler" -std=c++17 -O2 -g -Wall -Wextra -Werror \
		-o "$ns3" "$here/ns3_bottleneck.cc" -lns3-bridge -lns3-csma -lns3-network -lns3-core ||
		fail "$ns3 cannot be built"
	subjects+=(ns3)
}

# dcbsim NAME ROUND ARGUMENT...: records millions of frame events per second of processor time, and
# of time, and the memory in kB. Assertions are not for these durations.
dcbsim() {
	local name=$1 round=$2 line start=${EPOCHREALTIME/./} events rate memory
	shift 2
	line=$("$build/dcbsim" --speed "$@" 2>&1 </dev/null | tee "$work/$name" | sed -n \
		's/^seed .*: \([0-9]*\) frame events in .*, \([0-9.]*\) million\/s, \([0-9]*\) kB$/\1 \2 \3/p') || true
	[ -n "$line" ] || fail "dcbsim: $(tail -n 3 "$work/$name")"
	read -r events rate memory <<<"$line"
	record sim "$name" rate "$round" "$rate"
	record sim "$name" time "$round" "$(awk -v n="$events" -v us=$((${EPOCHREALTIME/./} - start)) \
		'BEGIN { print n / us }')"
	record sim "$name" memory "$round" "$memory"
}

run_bottleneck() { dcbsim bottleneck "$1" --quiet "$scenarios/bottleneck-n10-tau40.scn"; }
run_fabric() { dcbsim fabric "$1" --quiet --duration $long "$scenarios/leaf-spine-128.scn"; }
run_tree() { dcbsim tree "$1" --quiet "$work/tree.scn"; }
run_tree2() { dcbsim tree2 "$1" --quiet --threads 2 "$work/tree.scn"; }
run_droptail() { dcbsim droptail "$1" --duration ${droptail}s "$here/droptail.scn"; }
run_ns3() {
	local line start=${EPOCHREALTIME/./} us
	line=$("$ns3" $droptail) || fail "$ns3 failed"
	us=$((${EPOCHREALTIME/./} - start))
	echo "$line" >"$work/ns3"
	record sim ns3 rate "$1" "$(awk -v n="$(field events "$line")" -v s="$(field cpu_s "$line")" \
		'BEGIN { print n / s / 1e6 }')"
	record sim ns3 time "$1" "$(awk -v n="$(field events "$line")" -v us=$us 'BEGIN { print n / us }')"
}

round() { # ROUND
	local s
	for s in $(in_turn "$1" "${subjects[@]}"); do "run_$s" "$1"; done
}

# Both simulators deliver the same frames: those that the link carries. The bound is one frame of
# each flow, because their flows start in a different order.
check_same() {
	local of_dcbsim of_ns3
	of_dcbsim=$(awk '$1 == "sw->sink" { print $2 }' "$work/droptail")
	of_ns3=$(field delivered "$(cat "$work/ns3")")
	printf '    frames delivered in both: dcbsim %s, ns-3 %s\n' "$of_dcbsim" "$of_ns3"
	((of_dcbsim - of_ns3 <= 10 && of_ns3 - of_dcbsim <= 10)) ||
		fail "the simulators do not deliver the same frames, but $of_dcbsim and $of_ns3"
}

line_of() { # LABEL SUBJECT
	printf '  %-52s%-20s%-8s%s\n' "$1" \
		"$(awk '{ printf "%.2f (%.2f-%.2f)", $1, $2, $3 }' <<<"$(values sim "$2" rate)")" \
		"$(awk '{ printf "%.2f", $1 }' <<<"$(values sim "$2" time)")" \
		"$(awk '!NF { print "-" } NF { printf "%.0f MB", $1 / 1000 }' <<<"$(values sim "$2" memory)")"
}

report() {
	echo
	echo "Simulator: million frame events per second of a processor, median of $rounds (min-max)"
	printf '  %-52s%-20s%-8s%s\n' "" "processor time" time memory
	line_of "bottleneck, 10 sources, 1.9 s simulated" bottleneck
	line_of "leaf and spine, 128 stations, $long" fabric
	line_of "fat tree, $((arity ** 3 / 4)) stations, 1 ms" tree
	[[ " ${subjects[*]} " != *" tree2 "* ]] || line_of "  in two threads" tree2
	line_of "bottleneck without CN, 10 sources, $droptail s" droptail
	[[ " ${subjects[*]} " != *" ns3 "* ]] || line_of "  the same in ns-3" ns3
	goal "bottleneck, million frame events per CPU second" ">=" 2 "" \
		"$(numbers_of sim bottleneck rate | interval)"
	goal "fat tree, million frame events per CPU second" ">=" 2.2 "" \
		"$(numbers_of sim tree rate | interval)"
	# By time, which other programs change: threads that wait take processor time.
	[[ " ${subjects[*]} " != *" tree2 "* ]] || goal "fat tree, time of one thread / of two" ">=" 1.5 "" \
		"$(ratios sim tree2 time sim tree time)"
	goal "cost of a frame event, fabric / bottleneck" "<=" 2 "" \
		"$(ratios sim bottleneck rate sim fabric rate)"
	if [[ " ${subjects[*]} " == *" ns3 "* ]]; then
		printf '    for comparison: bottleneck without CN, dcbsim / ns-3 %s\n' \
			"$(two "$(ratios sim droptail rate sim ns3 rate)")"
		check_same
	fi
	sum_of_goals simulator
}

# seconds_of ROUNDS: for an idle machine, of these cells
seconds_of() {
	awk -v n="$1" -v long=${long%ms} -v droptail=$droptail -v stations=$((arity ** 3 / 4)) 'BEGIN {
		print 1 + n * (0.75 + long * 0.18 + stations * 0.0022 + droptail * (0.4 + 2.9)) }'
}

takes simulator "$(seconds_of $least)" "$(seconds_of $most)"
make_work
build_ns3
fat_tree $arity >"$work/tree.scn"
watched=("sim bottleneck rate" "sim tree rate" "sim bottleneck rate sim fabric rate")
if (($(nproc) >= 2)); then
	subjects+=(tree2)
	watched+=("sim tree2 time sim tree time")
else
	say "one processor: no run in two threads"
fi
until_sure $least $most round
report
