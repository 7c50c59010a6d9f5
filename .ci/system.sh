#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs as they are installed, between real interfaces and a real snmpd.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

configure_in "$build" CFLAGS="-O2 -g"
make -C "$build" -j"$jobs" all
check_in "$build" "" check-system
finish
