#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tarball is complete, builds from a read-only source tree, installs, uninstalls every file, and
# passes its own tests.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

# One seed of each scenario: stage check runs all of them.
export DCB_SIM_SEEDS=1
configure_in "$build" CFLAGS="-O2 -g"
if make -C "$build" -j"$jobs" distcheck; then
	result PASS "make distcheck"
else
	result FAIL "make distcheck"
fi

# Every file of the repository but git's own has to be in the tarball, for builds without the
# repository.
if git rev-parse --git-dir >/dev/null 2>&1; then
	absent=$(comm -23 <(git ls-files | grep -vE '(^|/)\.git' | sort) \
		<(tar -tf "$build"/dcb-agent-*.tar.xz | sed 's|^[^/]*/||' | sort))
	if [ -z "$absent" ]; then
		result PASS "tarball holds every file"
	else
		printf 'not in the tarball: %s\n' "$absent"
		result FAIL "tarball holds every file"
	fi
else
	result SKIP "tarball holds every file: not a git checkout"
fi
finish
