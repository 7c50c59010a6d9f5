#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the speed of dcbsim: frames received by nodes per second of CPU time, for a
# bottleneck with ten sources and for a fabric of 128 stations at 10 Gb/s. Median of three
# runs; the two scenarios run in turn, so that other load of the machine affects both.
#
#   sim.sh BUILD-DIR [--quick]
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
build=$1
long=100ms
[ "${2-}" != --quick ] || long=20ms
scenarios=$here/../sim

# Runs dcbsim once; prints "million/s kB".
run() {
	"$build/dcbsim" --quiet --speed "$@" 2>&1 >/dev/null </dev/null |
		sed -n 's/.*CPU s, \([0-9.]*\) million\/s, \([0-9]*\) kB$/\1 \2/p'
}
for _ in 1 2 3; do
	small+=("$(run "$scenarios/bottleneck-n10-tau40.scn")")
	large+=("$(run --duration $long "$scenarios/leaf-spine-128.scn")")
done
median() { printf '%s\n' "$@" | sort -g | sed -n 2p; }
# shellcheck disable=SC2046 # two words each
set -- $(median "${small[@]}") $(median "${large[@]}")

echo "Simulator: million frame events per second on one core, and peak memory"
awk -v small="$1" -v small_kb="$2" -v large="$3" -v large_kb="$4" -v long="$long" 'BEGIN {
	printf "  %-42s %6.2f   %4.0f MB   goal 2, %s\n", "bottleneck, 10 sources, 1.9 s simulated",
		small, small_kb / 1000, (small >= 2 ? "met" : "MISSED")
	printf "  %-42s %6.2f   %4.0f MB\n", "leaf and spine, 128 stations, " long, large, large_kb / 1000
	printf "  cost of a frame event in the fabric: %.2f times the bottleneck'"'"'s   goal below 2, %s\n",
		small / large, (small / large < 2 ? "met" : "MISSED")
}'
