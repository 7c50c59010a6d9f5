#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the parts of the benchmark that are named, or all. Called by ./dev bench, as root.
#
#   run.sh BUILD-DIR [PART...] [--quick|--smoke] [--without lldpd|npm]...
#
# Says at the start how long an idle machine takes; parts repeat measurements while other load
# spreads their results. With --quick, fewer and shorter measurements. With --smoke, one of each, of
# no use as a number: checks only that every part runs. A missed goal is reported but is no failure,
# because the numbers depend on the machine and its load. A failed setup or a crash is a failure.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

all=(engines sim snmp forward tcp station headroom trill pfc light share kernel)
usage() {
	echo "usage: run.sh BUILD-DIR [PART...] [--quick|--smoke] [--without lldpd|npm]...; parts: ${all[*]}" >&2
	exit 2
}

[ $# -ge 1 ] || usage
build=$1
shift
parts=()
mode=()
without=()
while [ $# -gt 0 ]; do
	case $1 in
	--quick) mode=(--quick) ;;
	--smoke)
		mode=(--smoke)
		export BENCH_SMOKE=120
		;;
	--without)
		without+=(--without "${2-}")
		shift
		;;
	*)
		[[ " ${all[*]} " == *" $1 "* ]] || usage
		parts+=("$1")
		;;
	esac
	shift
done
[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}")

# part NAME: runs it.
part() {
	case $1 in
	engines) "$here/engines.sh" "$build" "${mode[@]}" ;;
	sim) "$here/sim.sh" "$build" "${mode[@]}" ;;
	snmp) "$here/snmp.sh" "$build" "${mode[@]}" "${without[@]}" ;;
	forward)
		local failed=0
		"$here/fwd.sh" "$build" "${mode[@]}" || failed=1
		"$here/rings.sh" "$build" "${mode[@]}" || failed=1
		return $failed
		;;
	station) "$here/station.sh" "$build" "${mode[@]}" ;;
	headroom) "$here/hm.sh" "$build" "${mode[@]}" ;;
	kernel | light | share | tcp) "$here/$1.sh" "$build" "${mode[@]}" ;;
	trill) "$here/trill.sh" "$build" "${mode[@]}" ;;
	pfc)
		local bad=0
		"$here/pace.sh" "$build" "${mode[@]}" || bad=1
		"$here/pfc_react.sh" "$build" "${mode[@]}" || bad=1
		return $bad
		;;
	esac
}

times=$(for p in "${parts[@]}"; do BENCH_ESTIMATE=1 part "$p" || exit 1; done) || fail "no duration"
read -r least most < <(awk '{ a += $1; b += $2 } END { printf "%.0f %.0f\n", a, b }' <<<"$times")
say "${parts[*]}: together $(duration "$least" "$most") on an idle machine"
# The running benchmark cleans up; the next one is not started.
rc=0
for p in "${parts[@]}"; do
	echo
	start=$SECONDS
	part "$p" || rc=1
	say "$p: took $((SECONDS - start)) s"
done
exit $rc
