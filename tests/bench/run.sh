#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every benchmark: engines, ring, simulator, SNMP, forwarding, end station, pace of
# PFC frames and how soon they are heeded. What ./dev bench runs, as root.
#
#   run.sh BUILD-DIR [--quick] [--without lldpd|npm]...
#
# About four minutes; --quick, two. A goal that is missed is said and is no
# failure: a benchmark measures this machine and this hour. What cannot be set up
# or crashes is one.
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

# The benchmark that is running cleans up by itself; the next does not start.
trap 'exit 130' INT
trap 'exit 143' TERM HUP
rc=0
"$build/tests/bench/bench_core" || rc=1
echo
"$build/tests/bench/bench_ring" || rc=1
echo
"$here/sim.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/snmp.sh" "$build" "${quick[@]}" "${without[@]}" || rc=1
echo
"$here/fwd.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/station.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/pace.sh" "$build" "${quick[@]}" || rc=1
echo
"$here/pfc_react.sh" "$build" "${quick[@]}" || rc=1
exit $rc
