#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A build without optimization and without the optional libraries: the unit tests of the folders that use
# them, and fuzz corpora. The engines (dataplane, sim) use none; stage asan has their tests, and the build
# with clang, stage dist the build without cmocka.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

dir=$ci/minimal
configure_in "$dir" --without-snmp --without-lldpctl --without-seccomp --without-landlock --without-ncurses \
	--without-hiredis CFLAGS=-O0
mapfile -t tests < <(make_var "$dir" TESTS | tr ' ' '\n' |
	grep -E '^tests/(unit/(agent|control|lib|lldp)|fuzz)/')
read -ra fuzzers < <(make_var "$dir" fuzz_programs)
read -ra unit < <(make_var "$dir" unit_tests | tr ' ' '\n' | grep -xF -f <(printf '%s\n' "${tests[@]}") | xargs)
link_only "$dir" "${unit[@]}"
build_in "$dir" "${unit[@]}" "${fuzzers[@]}"
check_in "$dir" minimal/ "$unit_jobs" "${tests[@]}"
finish
