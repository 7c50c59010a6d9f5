#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A source file, test or script has fewer than 700 lines. The files of the list below are longer:
# they may not grow, and leave the list when they are shorter.
set -eu

cd "$DCB_SRCDIR"
limit=700
longer='
contrib/demo.sh 759
'
files=$(find .ci agent contrib control dataplane debian lib lldp mibs sim tests -path tests/fuzz/corpus -prune -o \
	-name node_modules -prune -o -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.js' \) -print | sort)
# shellcheck disable=SC2086 # many names, none with blanks
wc -l dev $files | awk -v limit=$limit -v longer="$longer" '
	BEGIN {
		n = split(longer, part, /[ \n]+/)
		for (i = 1; i + 1 <= n; i++)
			if (part[i] ~ /[.]/) most[part[i]] = part[i + 1]
	}
	$2 == "total" { next }
	{
		files++
		if ($2 in most) {
			seen[$2] = 1
			if ($1 > most[$2]) { print $2 ": " $1 " lines, expected at most " most[$2]; bad = 1 }
			if ($1 < limit) { print $2 ": " $1 " lines: take it from the list of longer files"; bad = 1 }
		} else if ($1 >= limit) {
			print $2 ": " $1 " lines, expected fewer than " limit
			bad = 1
		}
	}
	END {
		for (f in most)
			if (!(f in seen)) { print f ": no such file: take it from the list of longer files"; bad = 1 }
		print files + 0 " files"
		exit bad || files < 500
	}
'
