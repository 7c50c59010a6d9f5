#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# repeat.sh COUNT [SCRIPT...]: runs all system tests, or these, COUNT times each, four at a time, to
# find those that fail now and then. Logs of failed runs stay in build/repeat; the first line of
# each has the seed that repeats it. Logs of passed runs are removed. DCB_BUILDDIR selects another
# build.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
export DCB_BUILDDIR=${DCB_BUILDDIR:-$here/../../build}
count=${1:?usage: repeat.sh COUNT [SCRIPT...]}
shift
make -s -C "$DCB_BUILDDIR" all
make -s -C "$DCB_BUILDDIR" check TESTS= >/dev/null # builds programs that only tests need
[ $# -gt 0 ] || mapfile -t names < <(make -s -C "$DCB_BUILDDIR" print-SYSTEM_TESTS | tr ' ' '\n')
export logs=$DCB_BUILDDIR/repeat
rm -rf "$logs"
mkdir -p "$logs"

# shellcheck disable=SC2016,SC2317 # expanded and called by the shells of xargs
once() { # SCRIPT ROUND
	local name=${1##*/} rc=0
	local log=$logs/${name%.sh}.$2
	"$1" >"$log" 2>&1 </dev/null || rc=$?
	echo "$rc $name" >>"$logs/results"
	[ $rc -ne 0 ] || rm -f "$log"
}
export -f once

for ((round = 1; round <= count; round++)); do
	for name in "${@:-${names[@]}}"; do printf '%s\0%s\0' "$here/${name##*/}" $round; done
done | xargs -0 -n 2 -P 4 bash -c 'once "$@"' _
awk '{ runs[$2]++; failed[$2] += $1 != 0; all++; bad += $1 != 0 }
	END {
		for (name in runs) if (failed[name]) printf "%s: %d of %d failed\n", name, failed[name], runs[name]
		printf "%d runs, %d failed\n", all, bad
		exit bad > 0
	}' "$logs/results"
