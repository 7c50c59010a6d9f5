#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures how far the intervals of dcbctl pfc-send differ from the requested interval,
# compared with a plain loop around clock_nanosleep(2) that uses the same socket in turn.
#
#   pace.sh BUILD-DIR [--quick|--smoke]
#
#   bench_pace - p0 ======= p1
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

repetitions=5
seconds=1
intervals=(84 200 1000) # microseconds
net=dcb-bench-pace

parse() {
	[ $# -ge 1 ] || fail "usage: pace.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) repetitions=3 seconds=0.4 ;;
	--smoke) repetitions=1 seconds=0.02 ;;
	*) fail "unknown option $2" ;;
	esac
	# A plain loop, pfc-send with and without real time
	set -- "$(awk -v n=$repetitions -v i=${#intervals[@]} -v t=$seconds 'BEGIN { print 2 + 3 * n * i * t }')"
	takes "intervals of PFC frames" "$1" "$1"
}

measure() {
	local us line s
	for us in "${intervals[@]}"; do
		while read -r line; do
			s=$(field subject "$line")
			for what in median p99 max frames missed; do
				record "$what" "$s" "$us" "$(field rep "$line")" "$(field $what "$line")"
			done
		done < <(ip netns exec $net "$build/tests/bench/bench_pace" p0 "$us" $seconds $repetitions ||
			echo "subject=failed")
		[ "$s" != failed ] || fail "bench_pace failed"
	done
}

micro() { awk '{ printf "%.1f (%.1f-%.1f)", $1 / 1e3, $2 / 1e3, $3 / 1e3 }' <<<"$1"; }

report() {
	local us s what
	echo
	echo "PFC frames: difference from the requested interval in microseconds, median of $repetitions (min-max)"
	printf '  %-26s%-24s%-24s%-28s%s\n' "" median "99th percentile" maximum frames
	for us in "${intervals[@]}"; do
		for s in plain pace; do
			printf '  %-26s' "$us us, $([ $s = plain ] && echo "plain loop" || echo pfc-send)"
			for what in median p99; do printf '%-24s' "$(micro "$(values $what $s "$us")")"; done
			printf '%-28s' "$(micro "$(values max $s "$us")")"
			awk '{ print $1 }' <<<"$(values frames $s "$us")"
		done
	done
	echo
	for us in "${intervals[@]}"; do
		goal "$us us, pfc-send / plain loop, median" "<=" 0.5 "" \
			"$(ratios median pace "$us" median plain "$us")"
		goal "$us us, pfc-send / plain loop, 99th percentile" "<=" 1 "" \
			"$(ratios p99 pace "$us" p99 plain "$us")"
	done
	printf '  pace goals: %d met, %d missed\n' "$goals_met" "$goals_missed"
}

parse "$@"
[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
[ -x "$build/tests/bench/bench_pace" ] || fail "$build/tests/bench/bench_pace is not built"
make_work
make_namespace $net
ip -n $net link add name p0 type veth peer name p1 || fail "no veth interfaces on this machine"
ip -n $net link set p0 up
ip -n $net link set p1 up
say "intervals of PFC frames: $repetitions repetitions, $seconds s per interval"
measure
report
