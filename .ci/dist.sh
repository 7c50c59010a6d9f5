#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tarball: complete, builds with a read-only source, installs and uninstalls
# without a trace, and passes its own tests.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

configure_in "$build" CFLAGS="-O2 -g"
make -C "$build" -j"$jobs" distcheck
result PASS "make distcheck"
