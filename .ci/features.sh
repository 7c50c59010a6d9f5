#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds with clang, without optimization, and without each optional library.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

variant() { # NAME CONFIGURE-ARGUMENT...
	local name=$1 log=$ci/log/features-$1.log
	say "$name: configure ${*:2}"
	if build_and_check "$ci/$name" "${@:2}" >"$log" 2>&1; then
		result PASS "features/$name" "$log"
	else
		result FAIL "features/$name" "$log"
	fi
}

build_and_check() {
	configure_in "$@" && build_in "$1" && make -C "$1" -j"$jobs" check-TESTS TESTS="$(unit_tests "$1")"
}

# Unit tests and fuzz corpora.
unit_tests() { make_var "$1" TESTS | tr ' ' '\n' | grep -E '^tests/(unit|fuzz)/' | tr '\n' ' '; }

variant clang CC=clang CFLAGS="-O2 -g"
variant O0 CFLAGS="-O0 -g"
variant no-snmp --without-snmp --without-lldpctl --without-seccomp --without-landlock CFLAGS="-O2 -g"
variant no-cmocka --without-cmocka --without-ncurses CFLAGS="-O0 -g"
finish
