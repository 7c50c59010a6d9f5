#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# system.sh [quick]: the programs between real interfaces and a real snmpd and lldpd, without a
# sanitizer: the tests that no stage with one has. quick: one test of each kind.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

configure_in "$build" CFLAGS="-O2 -g"
build_in "$build"
which=(SYSTEM_TESTS_PLAIN SYSTEM_TESTS_CONFINED)
if [ "${1-}" = quick ]; then
	which=(SYSTEM_TESTS_QUICK)
else
	.ci/guest.sh || say "guest.sh failed: macsec_kernel.sh, hardware.sh and ecn_kernel.sh will fail"
fi
mapfile -t tests < <(for list in "${which[@]}"; do make_var "$build" "$list" | tr ' ' '\n'; done)
check_in "$build" "" "$system_jobs" "${tests[@]}"
finish
