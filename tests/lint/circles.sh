#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No file includes or calls a file that includes or calls it, directly or by others, and no folder calls a
# folder that calls it. For includes, X.c, X.h and X_private.h count as one file; calls are the symbols of
# the objects in the build tree.
set -eu

cd "$DCB_SRCDIR"
folders="agent control dataplane lib lldp sim"
bad=0

# ordered WHAT: fails if the pairs on standard input, of one that uses and one that is used, have no order.
ordered() {
	if ! loop=$(tsort 2>&1 >/dev/null); then
		echo "circular $1:"
		echo "$loop" | sed -n 's/^tsort: \([^ ]*\/\)/\t\1/p'
		bad=1
	fi
}

# shellcheck disable=SC2046,SC2086 # many names, none with blanks
includes=$(awk '
	function unit(path) {
		sub(/(_private)?\.[ch]$/, "", path)
		return path
	}
	match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*\.h"/) {
		header = substr($0, RSTART, RLENGTH)
		gsub(/^[^"]*"|"$/, "", header)
		if (unit(header) != unit(FILENAME)) print unit(FILENAME), unit(header)
	}
' $(find $folders -name '*.[ch]' | sort))
ordered includes <<END
$includes
END

# Objects have the name of the program or library before that of the source. Of several the newest counts:
# others can be of a former source. Those of sources that have been removed stay in a build tree.
# shellcheck disable=SC2046,SC2086
calls=$(cd "$DCB_BUILDDIR" && ${NM:-nm} -A -g $(find $folders -name '*.o' -printf '%T@ %p\n' | sort -rn | cut -d' ' -f2) 2>/dev/null | awk -v src="$DCB_SRCDIR/" '
	{
		split($0, part, /:/)
		path = part[1]
		n = split(part[2], field, " ")
		if (!(path in source)) {
			file = path
			sub(/\/[A-Za-z0-9_]+-/, "/", file)
			sub(/\.o$/, ".c", file)
			source[path] = !seen[file]++ && (getline line <(src file)) > 0 ? file : ""
			close(src file)
		}
		if (source[path] == "") next
		if (field[n - 1] == "U") uses[source[path] " " field[n]] = 1
		else if (n == 3) of[field[n]] = source[path]
	}
	END {
		for (use in uses) {
			split(use, part, " ")
			if (part[2] in of && of[part[2]] != part[1]) print part[1], of[part[2]]
		}
	}' | sort -u)
ordered "calls between files" <<END
$calls
END
ordered "calls between folders" <<END
$(echo "$calls" | sed -E 's,/[^/ ]*( |$),\1,g' | awk '$1 != $2' | sort -u)
END
echo "$(echo "$includes" | wc -l) includes, $(echo "$calls" | wc -l) calls between files"
exit $bad
