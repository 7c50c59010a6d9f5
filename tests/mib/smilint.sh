#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# smilint -l 5 has nothing to say of our modules, over the stand-ins.
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

# lint LEVEL HIDDEN FILE...: smilint always succeeds, so its words decide. An
# empty configuration, lest the system's hides or preloads anything.
lint() {
	level=$1
	hidden=$2
	shift 2
	for file; do
		# shellcheck disable=SC2086 # an option and its word, or nothing
		smilint -c /dev/null -l "$level" -s -m $hidden "$file" >"$tmp/out" 2>&1 || status=1
		if grep . "$tmp/out"; then
			echo "FAIL: $file"
			status=1
		fi
	done
}

lint 5 "" "$mibs/IEEE8021-CN-MIB.txt" "$mibs/IEEE8021-PFC-MIB.txt" "$mibs/DCB-AGENT-MIB.txt" \
	"$mibs/LLDP-EXT-DOT1-V2-MIB.txt"
# Modules of conventions: all they define is for others to use.
lint 5 "-i type-unref" "$mibs/IEEE8021-TC-MIB.txt" "$mibs/LLDP-V2-TC-MIB.txt"
# The stand-ins keep the names and forms of the originals, warnings included;
# SNMPv2-SMI defines the very types that smilint is built on and cannot be linted.
for file in "$mibs"/base/*.txt; do
	[ "${file##*/}" = SNMPv2-SMI.txt ] || lint 3 "" "$file"
done

# And it would say something: a row without its index, a name not imported.
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
