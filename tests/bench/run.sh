#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs all benchmarks: engines, ring, MACsec, RBridge, simulator, SNMP, forwarding, end station,
# headroom measurement, pace of sent PFC frames, reaction to received ones. Called by ./dev bench, as root.
#
#   run.sh BUILD-DIR [--quick] [--without lldpd|npm]...
#
# Takes about seven minutes, four with --quick. A missed goal is reported but is no
# failure, because the numbers depend on the machine and its load. A failed setup or a
# crash is a failure.
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
[ $# -ge 1 ] || {
	echo "usage: run.sh BUILD-DIR [--quick] [--without lldpd|npm]..." >&2
	exit 2
}
build=$1
shift
quick=()
without=()
while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=(--quick) ;;
	--without)
		without+=(--without "${2-}")
		shift
		;;
	*)
		echo "run.sh: unknown option $1" >&2
		exit 2
		;;
	esac
	shift
done

# The running benchmark cleans up; the next one is not started.
trap 'exit 130' INT
trap 'exit 143' TERM HUP
rc=0
"$build/tests/bench/bench_core" || rc=1
echo
"$build/tests/bench/bench_ring" || rc=1
echo
"$build/tests/bench/bench_macsec" || rc=1
echo
"$build/tests/bench/bench_trill" || rc=1
echo
"$here/sim.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/snmp.sh" "$build" "${quick[@]}" "${without[@]}" || rc=1
echo
"$here/fwd.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/station.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/hm.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/trill.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/pace.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/pfc_react.sh" "$build" "${quick[@]}" || rc=1
exit $rc
