#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# check.sh [quick]: the tests in build/ that need neither root nor network. quick: unit tests, fuzz
# corpora and lint; without it also MIB modules, dissectors and scenarios.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

configure_in "$build" CFLAGS="-O2 -g"
build_in "$build"
tests=$(make_var "$build" TESTS)
[ "${1-}" != quick ] || tests=$(tr ' ' '\n' <<<"$tests" | grep -E '^tests/(unit|fuzz|lint)/')
# shellcheck disable=SC2086 # names
check_in "$build" "" "$unit_jobs" $tests
finish
