#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks every include of every source file against tests/lint/layers.txt.
set -eu

cd "$DCB_SRCDIR"
files=$(find agent control dataplane lib lldp sim tests contrib -name '*.[ch]' | sort)
# shellcheck disable=SC2086 # many names, none with blanks
awk '
	# Pattern to regular expression: * matches any part of a name, ** of a path, [] as in a
	# shell.
	function regex(pattern) {
		gsub(/\./, "\\.", pattern)
		gsub(/\*\*/, "\001", pattern)
		gsub(/\*/, "[^/]*", pattern)
		gsub(/\001/, ".*", pattern)
		return "^" pattern "$"
	}
	function expand(list, name) {
		while (match(list, /\$[a-z]+/)) {
			name = substr(list, RSTART + 1, RLENGTH - 1)
			if (!(name in set)) { print FILENAME ": no set " name; bad = 1 }
			list = substr(list, 1, RSTART - 1) set[name] substr(list, RSTART + RLENGTH)
		}
		return list
	}
	function any(string, list, part, n, i) {
		n = split(list, part, " ")
		for (i = 1; i <= n; i++)
			if (string ~ regex(part[i])) return 1
		return 0
	}
	function layer_of(file, i) {
		for (i = 1; i <= layers; i++)
			if (file ~ regex(layer[i])) return i
		return 0
	}
	FILENAME ~ /layers\.txt$/ {
		if (!match($0, /^(set|layer|only) [^ ]+: /)) {
			if ($0 !~ /^(#.*)?$/) { print FILENAME ":" FNR ": " $0; bad = 1 }
			next
		}
		name = substr($2, 1, length($2) - 1)
		list = expand(substr($0, RLENGTH + 1))
		if ($1 == "set") set[name] = list
		else if ($1 == "layer") { layer[++layers] = name; may[layers] = list }
		else { limited[++limits] = name; users[limits] = list }
		next
	}
	FNR == 1 {
		files++
		at = layer_of(FILENAME)
		if (!at) { print FILENAME ": belongs to no layer of tests/lint/layers.txt"; bad = 1 }
	}
	at && match($0, /^[ \t]*#[ \t]*include[ \t]*["<][^">]*[">]/) {
		header = substr($0, RSTART, RLENGTH)
		sub(/^[^"<]*/, "", header)
		gsub(/"/, "", header)
		includes++
		if (!any(header, may[at])) {
			print FILENAME ":" FNR ": layer " layer[at] " may not include " header
			bad = 1
		}
		for (i = 1; i <= limits; i++)
			if (header ~ regex(limited[i]) && !any(FILENAME, users[i])) {
				print FILENAME ":" FNR ": only " users[i] " may include " header
				bad = 1
			}
	}
	END {
		print files + 0 " files, " includes + 0 " includes"
		exit bad || files < 20
	}
' tests/lint/layers.txt $files
