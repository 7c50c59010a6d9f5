#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# smilint -l 5 prints nothing for the modules, with the stand-ins.
set -eu
mibs=$DCB_SRCDIR/mibs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
SMIPATH=$mibs:$mibs/base
export SMIPATH
status=0

command -v smilint >/dev/null || {
	echo "smilint not found (Debian: smitools)"
	exit 77
}

# lint LEVEL HIDDEN FILE...: run smilint and expect no output; its exit status is
# always 0. With an empty configuration, because the system's may hide errors or
# load other modules.
lint() {
	level=$1
	hidden=$2
	shift 2
	for file; do
		# shellcheck disable=SC2086 # HIDDEN is an option with its argument, or empty
		smilint -c /dev/null -l "$level" -s -m $hidden "$file" >"$tmp/out" 2>&1 || status=1
		if grep . "$tmp/out"; then
			echo "FAIL: $file"
			status=1
		fi
	done
}

lint 5 "" "$mibs/IEEE8021-CN-MIB.txt" "$mibs/IEEE8021-PFC-MIB.txt" "$mibs/DCB-AGENT-MIB.txt" \
	"$mibs/LLDP-EXT-DOT1-V2-MIB.txt"
# Modules of textual conventions do not use their own definitions.
lint 5 "-i type-unref" "$mibs/IEEE8021-TC-MIB.txt" "$mibs/LLDP-V2-TC-MIB.txt"
# The stand-ins have the names and forms of the originals, for which smilint has
# warnings above level 3. It cannot check SNMPv2-SMI, which defines its own base types.
for file in "$mibs"/base/*.txt; do
	[ "${file##*/}" = SNMPv2-SMI.txt ] || lint 3 "" "$file"
done

# smilint reports errors: an unknown index, a name that is not imported.
mkdir "$tmp/bad"
sed '/^ieee8021CnCpEntry OBJECT-TYPE/,/::=/s/ieee8021CnCpIndex }/ieee8021CnCpIndx }/' \
	"$mibs/IEEE8021-CN-MIB.txt" >"$tmp/bad/IEEE8021-CN-MIB.txt"
sed 's/^    ifIndex$/    ifName/' "$mibs/DCB-AGENT-MIB.txt" >"$tmp/bad/DCB-AGENT-MIB.txt"
for file in "$tmp"/bad/*.txt; do
	smilint -c /dev/null -l 5 -s -m "$file" 2>&1 | grep -q . || {
		echo "FAIL: smilint finds nothing in $file"
		status=1
	}
done
exit $status
