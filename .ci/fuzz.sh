#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh [SECONDS]: runs each decoder under libFuzzer with AddressSanitizer and UBSan, for 10
# seconds by default, starting from its corpus. A failing input stays in build/ci/fuzz/found: add it
# to tests/fuzz/corpus together with the fix.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

seconds=${1-10}
dir=$ci/fuzz

fuzz() { # PROGRAM
	local name=${1##*/fuzz_} log
	log=$ci/log/fuzz-$name.log
	mkdir -p "$dir/corpus/$name" "$dir/found" "$ci/log"
	if "$dir/$1" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix="$dir/found/$name-" \
		"$dir/corpus/$name" "$top/tests/fuzz/corpus/$name" >"$log" 2>&1; then
		result PASS "fuzz/$name $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs" "$log"
	else
		result FAIL "fuzz/$name" "$log"
	fi
}

configure_in "$dir" CC=clang --enable-fuzzer --enable-sanitizers=address,undefined \
	CFLAGS="-O1 -g -fsanitize=fuzzer-no-link"
mapfile -t fuzzers < <(make_var "$dir" fuzz_programs | tr ' ' '\n')
[ ${#fuzzers[@]} -gt 0 ] || die "no fuzzers"
make -C "$dir" -j"$jobs" "${fuzzers[@]}"
say "${#fuzzers[@]} decoders, $seconds s each, $jobs at a time"
running=0
for program in "${fuzzers[@]}"; do
	if [ $running -ge "$jobs" ]; then
		wait -n || failures=1
		running=$((running - 1))
	fi
	(fuzz "$program" && finish) &
	running=$((running + 1))
done
while [ $running -gt 0 ]; do
	wait -n || failures=1
	running=$((running - 1))
done
finish
