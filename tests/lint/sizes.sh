#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A source file, test or script has fewer than 1500 lines.
set -eu

cd "$DCB_SRCDIR"
limit=1500
files=$(find .ci agent contrib control dataplane debian lib lldp mibs sim tests -path tests/fuzz/corpus -prune -o \
	-name node_modules -prune -o -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.js' \) -print | sort)
# shellcheck disable=SC2086 # many names, none with blanks
wc -l dev $files | awk -v limit=$limit '
	$2 == "total" { next }
	{ files++ }
	$1 >= limit { print $2 ": " $1 " lines, expected fewer than " limit; bad = 1 }
	END {
		print files + 0 " files"
		exit bad || files < 500
	}
'
