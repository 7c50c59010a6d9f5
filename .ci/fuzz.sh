#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh [SECONDS [keep]]: runs each decoder under libFuzzer with AddressSanitizer and UBSan, on its
# corpus and on the inputs of earlier runs in build/ci/fuzz/corpus. SECONDS: searches new inputs from
# these, so long for each decoder. Prints the runs and the runs a second. A failing input stays in
# build/ci/fuzz/found: add it to tests/fuzz/corpus together with the fix. keep: adds the inputs that
# reach code which no input in tests/fuzz/corpus reaches. Stage asan runs the corpora in every run of
# ./dev test, this one only ./dev test --long.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

seconds=${1-} keep=${2-}
dir=$ci/fuzz
end=-runs=0 # after the inputs that there are
[ -z "$seconds" ] || end=-max_total_time=$seconds

# Stacks of allocations and a large quarantine cost a third of the runs. A failing input can be run
# again without these options.
export ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=1

# Of libFuzzer's statistics in $log.
stat_of() { sed -n "s/^stat::$1: *//p" "$log"; }

keep_new() { # PROGRAM NAME
	"$dir/$1" -merge=1 -max_len=4096 "$top/tests/fuzz/corpus/$2" "$dir/corpus/$2"
}

fuzz() { # PROGRAM
	local name=${1##*/fuzz_} log options=()
	log=$ci/log/fuzz-$name.log
	[ ! -f "$top/tests/fuzz/$name.dict" ] || options+=("-dict=$top/tests/fuzz/$name.dict")
	mkdir -p "$dir/corpus/$name" "$dir/found" "$ci/log"
	if "$dir/$1" "$end" -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix="$dir/found/$name-" "${options[@]}" \
		"$dir/corpus/$name" "$top/tests/fuzz/corpus/$name" >"$log" 2>&1; then
		[ "$keep" != keep ] || keep_new "$1" "$name" >>"$log" 2>&1
		result PASS "fuzz/$name $(stat_of number_of_executed_units) runs${seconds:+, $(stat_of average_exec_per_sec) a second}" "$log"
	else
		result FAIL "fuzz/$name" "$log"
	fi
}

configure_in "$dir" CC=clang --enable-fuzzer --enable-sanitizers=address,undefined \
	CFLAGS="-O1 -g -fsanitize=fuzzer-no-link"
mapfile -t fuzzers < <(make_var "$dir" fuzz_programs | tr ' ' '\n')
[ ${#fuzzers[@]} -gt 0 ] || die "no fuzzers"
make -C "$dir" -j"$jobs" "${fuzzers[@]}"
say "${#fuzzers[@]} decoders, ${seconds:-0} s of search each, $jobs at a time"
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
