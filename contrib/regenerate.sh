#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# regenerate.sh [BUILD]: writes the committed files that are made of the rows of mibs/*.def: the objects
# in tests/mib/golden.txt, the JSON schema, the YANG module, the modules for snmp_exporter, and the
# lists of dcbctl(8). Builds dcbctl and a test in BUILD, by default build. tests/mib and tests/lint/man.sh
# compare these files with the rows.
# regenerate.sh --man DCBCTL: prints dcbctl(8) with these lists.
set -eu
cd "$(dirname "$0")/.."

# In dcbctl(8) the keywords of each command for ports, and the objects that count lost frames.
man() { # DCBCTL
	{
		"$1" keywords | awk 'NR > 1 { print "keyword", $1, $2, $NF }'
		awk -v view=LOSSES -f mibs/seen.awk mibs/*.def | sed 's/^/loss /'
	} | awk '
		function put_losses(    i, line, word) {
			for (i = 1; i <= losses; i++) {
				word = loss[i] (i == losses ? "." : i < losses - 1 ? "," : " and")
				if (length(line) + 1 + length(word) > 100) { print line; line = "" }
				line = line (line ? " " : "") word
			}
			print line
		}
		NR == FNR && $1 == "loss" { loss[++losses] = $2; next }
		NR == FNR { of[$2] = of[$2] ".It " $3 "\t" $4 "\n"; next }
		in_losses { if (/\.$/) in_losses = 0; next }
		/^Frames lost are those of$/ { print; put_losses(); in_losses = 1; next }
		/^\.S[hs] / { command = $2 }
		/^\.It / && in_list { next }
		{ print }
		/^\.El/ { in_list = 0 }
		/^\.Bl -column "lldp-instance-selector"/ && (command in of) {
			printf "%s", of[command]
			delete of[command]
			in_list = 1
		}
		END { for (command in of) { print "no list of the keywords of " command | "cat >&2"; exit 1 } }
	' - man/dcbctl.8
}

# Adds the lines of new objects. A change of an OID, type or access of another is no work of a command.
# Other tests of the program compare with the file as it was, and fail.
golden() { # BUILD
	DCB_GOLDEN=$PWD/tests/mib/golden.tmp "$1/tests/unit/agent/test_mib_modules" >/dev/null 2>&1 || :
	if diff tests/mib/golden.txt tests/mib/golden.tmp | grep '^<'; then
		rm tests/mib/golden.tmp
		echo "tests/mib/golden.txt: these objects are others now; if that is intended, edit the file" >&2
		exit 1
	fi
	mv tests/mib/golden.tmp tests/mib/golden.txt
}

if [ "${1-}" = --man ]; then
	man "$2"
	exit
fi
build=$(realpath "${1-build}")
DCB_SRCDIR=$PWD DCB_BUILDDIR=$build
export DCB_SRCDIR DCB_BUILDDIR
make -C "$build" -s dcbctl tests/unit/agent/test_mib_modules
write() { # FILE COMMAND...
	file=$1
	shift
	"$@" >"$file.tmp"
	mv "$file.tmp" "$file"
}
golden "$build"
write man/dcbctl.8 man "$build/dcbctl"
write contrib/json/dcbctl.schema.json python3 contrib/json/gen.py "$build/dcbctl"
write contrib/yang/dcb-agent-pfc-headroom.yang contrib/yang/gen.sh "$build/dcbctl"
contrib/prometheus/gen.sh
