#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The protocol cores call no other library: the undefined symbols of libdcbcore.a are mem*,
# functions that the compiler itself calls, and sanitizer functions if the build has them.
set -eu

archive=$DCB_BUILDDIR/dataplane/core/libdcbcore.a
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${NM:-nm}" -g "$archive" >"$work/nm"
awk 'NF == 3 && $2 != "U" { print $3 }' "$work/nm" | sort -u >"$work/own"
awk 'NF == 2 && $1 == "U" { print $2 }' "$work/nm" | sort -u >"$work/wanted"
[ -s "$work/own" ] || {
	echo "$archive: no symbols found; is it empty?"
	exit 1
}
# clang replaces a memcmp that only tests for equality by bcmp; _GLOBAL_OFFSET_TABLE_ comes with
# -fPIC and -fPIE on some machines.
if comm -23 "$work/wanted" "$work/own" |
	grep -Ev '^(mem(cpy|set|cmp|move)|__mem(cpy|set|move)_chk|bcmp|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$' |
	grep -Ev '^__(asan|ubsan|tsan|msan|sanitizer|sancov|gcov|llvm)_' >"$work/foreign"; then
	echo "$archive: undefined symbols that are not allowed:"
	sed 's/^/  /' "$work/foreign"
	exit 1
fi
echo "$(wc -l <"$work/own") symbols defined, $(wc -l <"$work/wanted") undefined, all of them allowed"
