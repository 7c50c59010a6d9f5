#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each system test is in one of the lists of tests/system/system.am, and in one only: a stage runs each
# list. With dcb.so in place of dcb-agentx it is a test of its own.
set -eu
cd "${DCB_SRCDIR:-.}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -lx run_tests tests/system/*.sh | sort >"$work/tests"
sed -nE 's/^SYSTEM_TESTS_(TSAN|ASAN|PLAIN) \+= //p' tests/system/system.am | sort >"$work/lists"
[ -s "$work/tests" ]
bad=0
for test in $(uniq -d "$work/lists"); do
	echo "$test: in more than one list of tests/system/system.am" && bad=1
done
for test in $(grep -v /module/ "$work/lists" | sort -u | comm -23 "$work/tests" -); do
	echo "$test: in no list of tests/system/system.am: no stage runs it" && bad=1
done
for test in $(sed 's|/module/|/|' "$work/lists" | sort -u | comm -13 "$work/tests" -); do
	echo "$test: in a list of tests/system/system.am, but no system test" && bad=1
done
echo "$(wc -l <"$work/lists") system tests"
exit $bad
