#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rows of optional modules, whose texts are not ours to ship, against the facts: names,
# object identifiers, syntax and access of every accessible object of every table that there
# is. And nothing lists them that was not asked for them by name.
set -eu
dcbctl=$DCB_BUILDDIR/dcbctl
facts=$DCB_SRCDIR/tests/mib/facts/cisco-pfc-ext-mib.csv
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

# "table object oid syntax access" of every accessible object; syntax as dcbctl has it.
awk '
	NR > 1 {
		n = split($0, part, "\"")
		line = ""
		for (i = 1; i <= n; i++) {
			if (i % 2 == 0) gsub(/,/, ";", part[i])
			line = line part[i]
		}
		split(line, field, ",")
		sub(/[ ({].*/, "", field[3])
		if (field[1] ~ /Table$/) table = field[1]
		else if (field[5] != "not-accessible") print table, field[1], field[2], field[3], field[5]
	}' "$facts" >"$tmp/facts"

cut -d' ' -f1 "$tmp/facts" | sort -u >"$tmp/tables"
while read -r table; do
	if ! "$dcbctl" objects "$table" >"$tmp/objects" 2>&1; then
		echo "not served: $table"
		continue
	fi
	awk -v table="$table" 'NR > 1 { print table, $1, $NF, $2, $3 }' "$tmp/objects" >>"$tmp/rows"
	grep "^$table " "$tmp/facts" >>"$tmp/wanted"
done <"$tmp/tables"

diff -u "$tmp/wanted" "$tmp/rows" || status=1
[ "$(wc -l <"$tmp/rows")" -ge 4 ] || {
	echo "FAIL: no rows to speak of"
	status=1
}
if "$dcbctl" objects | grep -i cpfc; then
	echo "FAIL: listed without being asked for"
	status=1
fi
echo "$(wc -l <"$tmp/rows") objects as in the facts"
exit $status
