#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# sanitizers.sh asan|tsan: builds with AddressSanitizer and UBSan, or with ThreadSanitizer, and runs
# tests. asan: all unit tests and fuzz corpora, in the build by clang. tsan: the unit tests with a second
# thread (tests/unit/unit.am), in a build by gcc. tests/system/system.am lists the system tests of each.
# A sanitizer's report ends the program, so the test fails.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

kind=${1-asan}
case $kind in
asan) list=address,undefined unit=unit_tests compiler=clang ;;
tsan) list=thread unit=unit_tests_threads compiler=gcc ;;
*) die "asan or tsan, not $kind" ;;
esac
dir=$ci/$kind

# If the kernel randomizes more address bits than the sanitizer's runtime expects, programs stop at
# their start. Run them without address randomization then.
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'int main(void) { return 0; }' >"$probe/p.c"
$compiler -fsanitize="$list" -o "$probe/p" "$probe/p.c"
for _ in 1 2 3 4 5 6 7 8; do
	"$probe/p" 2>/dev/null || place=(setarch "$(uname -m)" -R)
done
"${place[@]}" "$probe/p" || die "$kind programs do not run on this machine, not even without address randomization"
[ ${#place[@]} -eq 0 ] || say "this kernel randomizes more address bits than $kind supports: running under ${place[*]}"
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
# libconfig's scanner does not free the text of a string that a damaged file does not end.
mkdir -p "$dir"
echo 'leak:strbuf_append' >"$dir/leaks"
export LSAN_OPTIONS=suppressions=$dir/leaks:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
export G_SLICE=always-malloc

configure_in "$dir" CC=$compiler --enable-sanitizers="$list" CFLAGS="-O1 -g1"
read -ra unit < <(make_var "$dir" $unit)
[ "$kind" = asan ] || link_only "$dir" "${unit[@]}"
# Scripts that compile with the compiler of the build, or run programs of it; and the fuzzers that one of them runs.
scripts=() fuzzers=()
if [ "$kind" = asan ]; then
	mapfile -t scripts < <(make_var "$dir" TESTS | tr ' ' '\n' | grep -E '^tests/(unit|fuzz)/.*\.sh$' |
		grep -vxF tests/unit/table/refused.sh) # only compiles: stage check
	read -ra fuzzers < <(make_var "$dir" fuzz_programs)
fi
read -ra system < <(make_var "$dir" "SYSTEM_TESTS_${kind^^}")
build_in "$dir" "${unit[@]}" "${fuzzers[@]}"
check_in "$dir" "$kind/" "$unit_jobs" "${unit[@]}" "${scripts[@]}"
check_in "$dir" "$kind/" "$system_jobs" "${system[@]}"
finish
