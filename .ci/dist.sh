#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tarball is complete, builds from a read-only source tree, installs and uninstalls every file; in
# that build there is no cmocka. The scripts that check sources and MIB modules pass in it, without git.
# Programs of tests are those of the other stages, because the tarball has every file of the repository.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

configure_in "$build" CFLAGS="-O2 -g"
tests=$(make_var "$build" TESTS | tr ' ' '\n' | grep -E '^tests/(lint|mib)/.*\.sh$')
if make -C "$build" -j"$jobs" distcheck DISTCHECK_CONFIGURE_FLAGS="--without-cmocka CFLAGS=-O0" \
	TESTS="${tests//$'\n'/ }" check_PROGRAMS=tests/mib/check_mibs check_SCRIPTS=; then
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
