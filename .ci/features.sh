#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Unit tests and fuzz corpora in a build without optimization and without the optional libraries. Stage
# asan has the build with clang, stage dist that without cmocka.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

dir=$ci/minimal
configure_in "$dir" --without-snmp --without-lldpctl --without-seccomp --without-landlock --without-ncurses \
	CFLAGS=-O0
build_in "$dir"
mapfile -t tests < <(make_var "$dir" TESTS | tr ' ' '\n' | grep -E '^tests/(unit|fuzz)/')
check_in "$dir" minimal/ "$unit_jobs" "${tests[@]}"
finish
