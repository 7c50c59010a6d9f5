#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The other compiler, and every build that leaves out something optional.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

variant() { # NAME CONFIGURE-ARGUMENT...
	local name=$1 dir=$ci/$1
	shift
	say "$name: configure $*"
	if configure_in "$dir" "$@" && make -C "$dir" -j"$jobs" all &&
		make -C "$dir" -j"$jobs" check TESTS="$(unit_tests "$dir")"; then
		result PASS "features/$name"
	else
		result FAIL "features/$name"
	fi
}

unit_tests() { make -s -C "$1" print-tests | tr ' ' '\n' | grep '^tests/unit/' | tr '\n' ' '; }

variant clang CC=clang CFLAGS="-O2 -g"
variant no-snmp --without-snmp CFLAGS="-O2 -g"
variant no-cmocka --without-cmocka CFLAGS="-O0 -g"
finish
