#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# make check in build/: what needs neither root nor network.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

configure_in "$build" CFLAGS="-O2 -g"
check_in "$build" "" check
finish
