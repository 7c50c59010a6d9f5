#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# system.sh [quick]: the programs between real interfaces and a real snmpd and lldpd. quick: one
# test of each kind. Four at a time: the tests wait more than they compute.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

configure_in "$build" CFLAGS="-O2 -g"
build_in "$build"
which=SYSTEM_TESTS
if [ "${1-}" = quick ]; then
	which=SYSTEM_TESTS_QUICK
else
	.ci/guest.sh || say "guest.sh failed: macsec_kernel.sh will fail"
fi
# shellcheck disable=SC2046 # names
check_in "$build" "" 4 $(make_var "$build" $which)
finish
