#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# There are no circular includes, direct or indirect.
# X.c, X.h and X_private.h count as one file.
set -eu

cd "$DCB_SRCDIR"
bad=0

# shellcheck disable=SC2046 # many names, none with blanks
pairs=$(awk '
	function unit(path) {
		sub(/(_private)?\.[ch]$/, "", path)
		return path
	}
	match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*\.h"/) {
		header = substr($0, RSTART, RLENGTH)
		gsub(/^[^"]*"|"$/, "", header)
		if (unit(header) != unit(FILENAME)) print unit(FILENAME), unit(header)
	}
' $(find agent control dataplane lib lldp sim -name '*.[ch]' | sort))
if ! loop=$(echo "$pairs" | tsort 2>&1 >/dev/null); then
	echo "circular includes:"
	echo "$loop" | sed -n 's/^tsort: \([^ ]*\/\)/\t\1/p'
	bad=1
fi
echo "$(echo "$pairs" | wc -l) includes between files"
exit $bad
