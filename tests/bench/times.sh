#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# times.sh BUILD-DIR: runs the system tests with bounds of times or link shares, and checks these
# bounds. ./dev test only prints the values, because the bounds need an otherwise idle machine.
set -uo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
export DCB_BUILDDIR=${1:?usage: times.sh BUILD-DIR} DCB_TIMED=1
rc=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
mapfile -t scripts < <(grep -lE '^[[:space:]]*(.*[|&]{2} )?timed ' "$here"/../system/*.sh)
for script in "${scripts[@]}"; do
	printf '== %s\n' "${script##*/}"
	verdict=met
	"$script" >"$out" || verdict='NOT MET' rc=1
	grep -E '\(idle machine: |^    line ' "$out"
	printf '   %s\n' "$verdict"
done
exit $rc
