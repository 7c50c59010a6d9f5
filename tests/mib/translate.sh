#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Net-SNMP's tools read the modules without output on standard error, and real
# modules replace the stand-ins. DCB_REAL_MIBS: a directory with real IETF modules,
# tried as well.
set -eu
mibs=$DCB_SRCDIR/mibs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/cert_indexes" # the library logs a message when it creates it
# Use no settings of this machine or user.
SNMPCONFPATH=$tmp SNMP_PERSISTENT_DIR=$tmp
export SNMPCONFPATH SNMP_PERSISTENT_DIR
unset MIBS MIBDIRS || :
status=0

command -v snmptranslate >/dev/null || {
	echo "snmptranslate not found (Debian: snmp)"
	exit 77
}

bad() {
	echo "FAIL: $*"
	status=1
}

# silent DIRS ARGUMENTS: expect that snmptranslate succeeds, with nothing on standard error.
silent() {
	dirs=$1
	shift
	snmptranslate -M "$dirs" "$@" >"$tmp/out" 2>"$tmp/err" || bad "snmptranslate -M $dirs $*"
	# Expected with -Pw: macros are skipped, a real module replaces a stand-in.
	if grep -v 'MACRO (lines .* parsed and ignored)\|^Warning: Module .* now is ' "$tmp/err"; then
		bad "snmptranslate -M $dirs $* prints errors or warnings"
	fi
}

# expect_output TEXT: expect that the output of the last snmptranslate is TEXT.
expect_output() {
	[ "$(cat "$tmp/out")" = "$1" ] || bad "expected $1, got $(cat "$tmp/out")"
}

# expect_match PATTERN: expect that the output of the last snmptranslate matches PATTERN.
expect_match() {
	grep -q "$1" "$tmp/out" || bad "'$1' is missing in: $(cat "$tmp/out")"
}

# try DIRS MODULES: translate objects of all modules with one search path.
try() {
	silent "$1" -m "$2" -IR -On ieee8021CnCpQueueSizeSetPoint
	expect_output .1.3.111.2.802.1.1.18.1.5.1.7
	silent "$1" -m "$2" IEEE8021-PFC-MIB::ieee8021PfcRequests.3
	expect_output IEEE8021-PFC-MIB::ieee8021PfcRequests.3
	silent "$1" -m "$2" .1.3.6.1.4.1.8072.9999.9999.8021.1.4.1.2.7.3
	expect_output DCB-AGENT-MIB::dcbPfcPriorityRequests.7.3
	silent "$1" -m "$2" .1.3.111.2.802.1.1.13.1.5.32962.5.1.3.1.3.1.2.4711.3.1.1.7
	expect_output LLDP-EXT-DOT1-V2-MIB::lldpXdot1dcbxRemETSConTrafficClassBandwidth.4711.3.1.1.7
	silent "$1" -m "$2" .1.3.111.2.802.1.1.18.1.6.1.4.2.0.0.0.0.1.1.3
	expect_output "IEEE8021-CN-MIB::ieee8021CnCpidToIfCpIndex.'........'"
	silent "$1" -m "$2" -Td IEEE8021-CN-MIB::ieee8021CnComPriDefModeChoice
	expect_match 'cpcAdmin(1), cpcAuto(2)}'
	silent "$1" -m "$2" -Tp .1.3.111
	expect_match 'Index: ieee8021CnPortPriComponentId, ieee8021CnPortPriority, ieee8021CnPortPriIfIndex'
	expect_match 'ieee8021PfcIfEntry(1)'
	silent "$1" -m "$2" -Ta
	silent "$1" -m "$2" -Pw -Tp .1.3.6.1.4.1.8072
	expect_match 'dcbCpFeedback'
}

ours=IEEE8021-CN-MIB:IEEE8021-PFC-MIB:LLDP-EXT-DOT1-V2-MIB:DCB-AGENT-MIB
try "$mibs/base:$mibs" ALL
try "$mibs/base:$mibs" $ours

# Modules of the same names later in the path replace the stand-ins.
mkdir "$tmp/real"
for f in "$mibs"/base/*.txt; do
	sed 's/^        "The number of an interface, from 1\."/        "Real."/' "$f" >"$tmp/real/${f##*/}"
done
sed -i 's/^        "Description of the system\."/        "Real."/' "$tmp/real/SNMPv2-MIB.txt"
sed -i "/^ifDescr OBJECT-TYPE/,/::=/s/\"Description.*\"/\"Real.\"/" "$tmp/real/IF-MIB.txt"
try "$mibs/base:$mibs:$tmp/real" ALL
for object in IF-MIB::ifDescr SNMPv2-MIB::sysDescr; do
	silent "$mibs/base:$mibs" -m ALL -Td $object
	! grep -q 'Real\.' "$tmp/out" || bad "$object is that of a real module, but none is in the search path"
	silent "$mibs/base:$mibs:$tmp/real" -m ALL -Td $object
	expect_match 'Real\.'
done

if [ -n "${DCB_REAL_MIBS:-}" ]; then
	try "$mibs/base:$mibs:$DCB_REAL_MIBS" $ours
	silent "$mibs/base:$mibs:$DCB_REAL_MIBS" -m $ours -Td IF-MIB::ifPromiscuousMode
	expect_match 'TruthValue'
else
	echo "DCB_REAL_MIBS is not set: real IETF modules not tested"
fi
exit $status
