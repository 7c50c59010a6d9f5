#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rows of optional modules, whose text is not part of dcb-agent, agree with the facts:
# name, object identifier, syntax and access of every accessible object of every table with
# rows. dcbctl lists these objects only by the name of their table.
set -eu
dcbctl=$DCB_BUILDDIR/dcbctl
facts=$DCB_SRCDIR/tests/mib/facts/cisco-pfc-ext-mib.csv
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

# "table object oid syntax access names" of each accessible object, names: active(1)shutdown(2)
named='
	function names(text, all) {
		while (match(text, /[a-zA-Z]+\([0-9]+\)/)) {
			all = all substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
		}
		return all
	}'
awk "$named"'
	NR > 1 {
		n = split($0, part, "\"")
		line = ""
		for (i = 1; i <= n; i++) {
			if (i % 2 == 0) gsub(/,/, ";", part[i])
			line = line part[i]
		}
		split(line, field, ",")
		syntax = field[3]
		sub(/[ ({].*/, "", syntax)
		if (field[1] ~ /Table$/) table = field[1]
		else if (field[5] != "not-accessible")
			print table, field[1], field[2], syntax, field[5], names(field[3])
	}' "$facts" >"$tmp/facts"

cut -d' ' -f1 "$tmp/facts" | sort -u >"$tmp/tables"
while read -r table; do
	if ! "$dcbctl" objects "$table" >"$tmp/objects" 2>&1; then
		echo "not served: $table"
		continue
	fi
	awk -v table="$table" "$named"'
		NR > 1 {
			match($0, /(read-[a-z]+|not-accessible) /)
			print table, $1, $NF, $2, substr($0, RSTART, RLENGTH - 1), names($0)
		}' "$tmp/objects" >>"$tmp/rows"
	grep "^$table " "$tmp/facts" >>"$tmp/wanted"
done <"$tmp/tables"

diff -u "$tmp/wanted" "$tmp/rows" || status=1
[ "$(wc -l <"$tmp/rows")" -ge 9 ] || {
	echo "FAIL: fewer than 9 objects"
	status=1
}
if "$dcbctl" objects | grep -i "^cpfc"; then
	echo "FAIL: dcbctl objects lists optional tables"
	status=1
fi
echo "$(wc -l <"$tmp/rows") objects as in the facts"
exit $status
