#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# IEEE names map to C names by rule: "_" before an upper-case letter that follows a lower-case
# letter or a digit, then lower case (cpQLenOld, cp_qlen_old). Checks:
#  - headers: a field whose comment begins with the IEEE variable has its name;
#  - mibs/cn.def: the field of a row has the end of the object's name, or the list below gives the
#    variable that the standard uses for the object;
#  - agent/: an object is named by MO_NAME(), of which the compiler refuses a name that no object has.
set -eu

cd "$DCB_SRCDIR"
if sed -nE 's/^COL\([^,]*, *[0-9]+, *([A-Za-z0-9]+),.*/"\1"/p' mibs/*.def | grep -rnF -f - --include='*.[ch]' agent; then
	echo "expected MO_NAME()"
	exit 1
fi
headers=$(find control dataplane lib lldp sim -name '*.h' | sort)
# shellcheck disable=SC2086 # many names, none with blanks
awk '
	BEGIN {
		# MIB object (without ieee8021Cn), variable of clause 32 or field.
		other["CpQueueSizeSetPoint"] = "cpQSp"
		other["CpFeedbackWeight"] = "cp_w_exp" # cpW is 2 to this power
		other["CpMinSampleBase"] = "cpSampleBase"
		other["CpIdentifier"] = "cpId"
		other["RpPortPriCentiseconds"] = "rpppRpCentiseconds"
		prefix = "^(cp|rp|rpg|rppp|cng|cncp|cnpd)_"
	}
	function c_name(ieee, c) {
		while (match(ieee, /[a-z0-9][A-Z]/)) {
			c = c substr(ieee, 1, RSTART) "_"
			ieee = substr(ieee, RSTART + 1)
		}
		return tolower(c ieee)
	}
	function wrong(text) {
		print FILENAME ":" FNR ": " text
		bad = 1
	}
	FILENAME ~ /\.def$/ && /^COL\(/ {
		n = split($0, part, /, */)
		object = part[3]
		sub(/^ieee8021Cn/, "", object)
		field = part[n]
		sub(/\).*/, "", field)
		sub(/.*\./, "", field)
		if (field !~ prefix) next
		rows++
		tail = field
		sub(/^[^_]*_/, "", tail)
		if (object in other) {
			used[object] = 1
			if (field != c_name(other[object])) wrong(object " is " c_name(other[object]) ", not " field)
		} else if (c_name(object) !~ "(^|_)" tail "$") {
			wrong(object " is bound to " field)
		}
	}
	FILENAME ~ /\.h$/ && match($0, /[a-z0-9_]+; *\/\* [a-zA-Z]+[,:]/) {
		text = substr($0, RSTART, RLENGTH - 1)
		field = text
		sub(/;.*/, "", field)
		sub(/.*\/\* /, "", text)
		if (text !~ /^(cp|rp|rpg|rppp|cng|cncp|cnpd|Rp)[A-Z]/) next
		fields++
		if (field != c_name(text)) wrong(text " is " c_name(text) ", not " field)
	}
	END {
		for (object in other) if (!(object in used)) wrong("no object " object)
		print rows + 0 " rows, " fields + 0 " fields"
		exit bad || rows < 30 || fields < 10
	}
' mibs/cn.def $headers
