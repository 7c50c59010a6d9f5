#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every C file is formatted as clang-format 14 formats it.
set -eu

command -v clang-format >/dev/null || {
	echo "clang-format is not installed"
	exit 77
}
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
[ "$version" -eq 14 ] || {
	echo ".clang-format needs clang-format 14, found $version"
	exit 77
}
cd "$DCB_SRCDIR"
# shellcheck disable=SC2046 # many names, none with blanks
clang-format --dry-run -Werror $(find agent control dataplane lib lldp sim tests contrib -name '*.[ch]' | sort)
