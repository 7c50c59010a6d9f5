#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures how far the intervals of dcb-pfcgen differ from the requested interval,
# compared with a plain loop around clock_nanosleep(2) that uses the same socket in turn, and with
# dcb-pfcgen where real time is not permitted.
#
#   pace.sh BUILD-DIR [--quick|--smoke]
#
#   bench_pace - p0 ======= p1
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=10 # rounds
seconds=0.6
intervals=(84 200 1000) # microseconds
net=dcb-bench-pace

parse() {
	[ $# -ge 1 ] || fail "usage: pace.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) most=6 seconds=0.3 ;;
	--smoke) least=1 most=1 seconds=0.02 ;;
	*) fail "unknown option $2" ;;
	esac
	takes "intervals of PFC frames" "$(seconds_of $least)" "$(seconds_of $most)"
}

# seconds_of ROUNDS: a plain loop, dcb-pfcgen with and without real time
seconds_of() {
	awk -v n="$1" -v i=${#intervals[@]} -v t=$seconds 'BEGIN { print 2 + n * i * (3 * t + 0.05) }'
}

round() { # ROUND
	local us line lines s what
	for us in $(in_turn "$1" "${intervals[@]}"); do
		lines=$(ip netns exec $net "$build/tests/bench/bench_pace" p0 "$us" $seconds 1) || fail "bench_pace failed"
		while read -r line; do
			s=$(field subject "$line")
			for what in median p99 max frames missed cpu_ns; do
				record "$what" "$s" "$us" "$1" "$(field $what "$line")"
			done
		done <<<"$lines"
	done
}

micro() { awk '{ printf "%.1f (%.1f-%.1f)", $1 / 1e3, $2 / 1e3, $3 / 1e3 }' <<<"$1"; }

report() {
	local us s what
	local -A name=([plain]="plain loop" [ordinary]="no real time" [pace]=dcb-pfcgen)
	echo
	echo "PFC frames: difference from the requested interval in microseconds, median of $rounds (min-max)"
	printf '  %-26s%-24s%-24s%-28s%s\n' "" median "99th percentile" maximum frames
	for us in "${intervals[@]}"; do
		for s in plain ordinary pace; do
			[ -n "$(values median $s "$us")" ] || continue
			printf '  %-26s' "$us us, ${name[$s]}"
			for what in median p99; do printf '%-24s' "$(micro "$(values $what $s "$us")")"; done
			printf '%-28s' "$(micro "$(values max $s "$us")")"
			awk '{ print $1 }' <<<"$(values frames $s "$us")"
		done
	done
	awk 'NF { printf "  processor time of a frame of dcb-pfcgen at 1000 us: %.1f us (%.1f-%.1f)\n", $1 / 1e3, $2 / 1e3, $3 / 1e3 }' \
		<<<"$(values cpu_ns pace 1000)"
	echo
	for us in "${intervals[@]}"; do
		goal "$us us, no real time / plain loop, median" "<=" 0.5 "" \
			"$(ratios median ordinary "$us" median plain "$us")"
		goal "$us us, no real time / plain loop, 99th percentile" "<=" 1 "" \
			"$(ratios p99 ordinary "$us" p99 plain "$us")"
	done
	goal "1000 us, dcb-pfcgen, 99th percentile" "<=" 100 " us" \
		"$(numbers_of p99 pace 1000 | awk '{ print $1 / 1e3 }' | interval)"
	sum_of_goals pace
}

parse "$@"
[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
[ -x "$build/tests/bench/bench_pace" ] || fail "$build/tests/bench/bench_pace is not built"
make_work
make_namespace $net
ip -n $net link add name p0 type veth peer name p1 || fail "no veth interfaces on this machine"
ip -n $net link set p0 up
ip -n $net link set p1 up
say "intervals of PFC frames: $least to $most rounds, $seconds s per interval"
watched=("p99 pace 1000")
for us in "${intervals[@]}"; do
	watched+=("median ordinary $us median plain $us" "p99 ordinary $us p99 plain $us")
done
until_sure $least $most round
report
