# SPDX-License-Identifier: BSD-3-Clause
# awk -v view=SNMP -f seen.awk FILE.def...: the names of the objects that have this view (mo_view.h), one
# a line, in the order of the rows; of a table all of whose objects have it, the table's name. With
# -v each=1, the names of its objects.
{ sub(/^[ \t]+/, "") }
/^TABLE\(/ {
	split($0, part, /[(, ]+/)
	table = part[2]
	match($0, /", *[A-Za-z0-9]+/)
	name[table] = substr($0, RSTART + 1, RLENGTH - 1)
	sub(/^[, ]*/, "", name[table])
}
/^COL\(/ {
	split($0, part, /[(, ]+/)
	name[part[2], part[3]] = part[4]
	if (each && whole[part[2]]) print part[4]
}
/^VIEW\(/ {
	n = split($0, part, /[(), ]+/)
	for (i = 4; i < n; i++) {
		if (part[i] != view) continue
		if (part[3] > 0) print name[part[2], part[3]]
		else if (each) whole[part[2]] = 1
		else print name[part[2]]
	}
}
