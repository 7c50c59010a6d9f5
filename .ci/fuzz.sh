#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh [SECONDS [FUZZER...]]: every fuzzer of tests/fuzz for that long (10 s),
# with clang's libFuzzer, AddressSanitizer and UBSan. An input that fails is left
# in build/ci/fuzz/found/<codec>/; it goes to tests/fuzz/corpus/ with the fix.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

seconds=${1-10}
[ $# -eq 0 ] || shift
dir=$ci/fuzz

command -v clang >/dev/null || {
	echo "clang is not installed" >&2
	exit 77
}
configure_in "$dir" CC=clang --enable-fuzzer --enable-sanitizers=address,undefined CFLAGS="-O1 -g"
mapfile -t fuzzers < <(make -s -C "$dir" print-fuzzers | tr ' ' '\n' | grep .)
make -C "$dir" -j"$jobs" "${fuzzers[@]}"

# As in sanitizers.sh: some kernels need to be asked for fewer random address bits.
place=()
for _ in 1 2 3 4 5 6 7 8; do
	"$dir/${fuzzers[0]}" -runs=0 >/dev/null 2>&1 || place=(setarch "$(uname -m)" -R)
done

fuzz() { # NAME
	local codec=${1#fuzz_}
	local log=$dir/$1.log
	mkdir -p "$dir/grown/$codec" "$dir/found/$codec"
	say "$1: $seconds s"
	if "${place[@]}" "$dir/tests/fuzz/$1" -max_total_time="$seconds" -max_len=2048 -timeout=5 \
		-artifact_prefix="$dir/found/$codec/" -print_final_stats=1 \
		"$dir/grown/$codec" "tests/fuzz/corpus/$codec" >"$log" 2>&1; then
		sed -n 's/^stat::number_of_executed_units: */executed /p; s/.*\(DONE .*\)/\1/p' "$log"
		result PASS "$1" "$log"
	else
		tail -n 40 "$log"
		result FAIL "$1" "$log"
	fi
}

for fuzzer in "${fuzzers[@]##*/}"; do
	[ $# -eq 0 ] || [[ " $* " == *" $fuzzer "* ]] || continue
	fuzz "$fuzzer"
done
finish
