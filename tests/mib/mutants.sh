#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rows.sh and groups.sh fail on each of the modified modules below, and not on
# the unmodified ones.
set -eu
tests=$DCB_SRCDIR/tests/mib
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/mibs"
MIBS=$tmp/mibs
export MIBS
status=0

fresh() {
	rm -f "$MIBS"/*
	cp "$DCB_SRCDIR"/mibs/*.txt "$MIBS"
	chmod u+w "$MIBS"/*
}

# mutant TEST MODULE SCRIPT: TEST must fail once SCRIPT has edited MODULE.
mutant() {
	fresh
	sed -e "$3" "$DCB_SRCDIR/mibs/$2.txt" >"$MIBS/$2.txt"
	if cmp -s "$DCB_SRCDIR/mibs/$2.txt" "$MIBS/$2.txt"; then
		echo "FAIL: modifies nothing: $2: $3"
		status=1
	elif "$tests/$1.sh" >"$tmp/log" 2>&1; then
		echo "FAIL: $1.sh passes with: $2: $3"
		status=1
	elif ! grep -q . "$tmp/log"; then
		echo "FAIL: $1.sh fails without a message with: $2: $3"
		status=1
	else
		echo "detected: $2: $(echo "$3" | tr '\n' ' '): $(grep -v '^[ @]\|^---\|^+++\| rows$' "$tmp/log" | head -n 1)"
	fi
}

# within OBJECT COMMAND: a sed script that edits one definition only.
within() {
	printf '/^%s OBJECT-TYPE/,/::=/{\n%s\n}' "$1" "$2"
}

fresh
"$tests/rows.sh"
"$tests/groups.sh"

cn=IEEE8021-CN-MIB
mutant rows $cn "$(within ieee8021CnCpQueueSizeSetPoint 's/(100\.\./(101../')"
mutant rows $cn "$(within ieee8021CnCpQueueSizeSetPoint 's/4294967295/4294967294/')"
mutant rows $cn "$(within ieee8021CnCpFeedbackWeight 's/-10\.\./-9../')"
mutant rows $cn "$(within ieee8021CnRpgGd 's/Integer32/Unsigned32/')"
mutant rows $cn "$(within ieee8021CnRpgAiRate 's/Unsigned32/Gauge32/')"
mutant rows $cn "$(within ieee8021CnCpIdentifier 's/SIZE(8)/SIZE(7)/')"
mutant rows $cn "$(within ieee8021CnCpMacAddress 's/SYNTAX .*/SYNTAX OCTET STRING (SIZE(6))/')"
mutant rows $cn "$(within ieee8021CnCpMinSampleBase 's/DEFVAL .*/DEFVAL { 15000 }/')"
mutant rows $cn "$(within ieee8021CnCpMinSampleBase '/DEFVAL/d')"
mutant rows $cn "$(within ieee8021CnRpgMaxRate 's/STATUS .*/&\nDEFVAL { 10000 }/')"
mutant rows $cn "$(within ieee8021CnRpgTimeReset '/^ *UNITS/d')"
mutant rows $cn "$(within ieee8021CnRpgTimeReset 's/milliseconds"/centiseconds"/')"
mutant rows $cn "$(within ieee8021CnRpgEnable 's/read-write/read-only/')"
mutant rows $cn "$(within ieee8021CnCpPriority 's/read-only/read-write/')"
mutant rows $cn "$(within ieee8021CnComPriCreation 's/cncpAutoEnable(1)/cncpAutoEnabled(1)/')"
mutant rows $cn "$(within ieee8021CnComPriDefModeChoice 's/ { cpcAdmin.*}//')"
mutant rows $cn "$(within ieee8021CnComPriLldpInstanceChoice 's/cnlAdmin(2)/cnlAdmin(2), cnlComponent(3)/')"
mutant rows $cn 's/cptEdge(4)$/cptEdge(5)/'
mutant rows $cn "$(within ieee8021CnCpTransmittedCnms 's/Counter64/Counter32/')"
mutant rows $cn "$(within ieee8021CnCpTransmittedCnms 's/32\.8\.14/32.8.15/')"
mutant rows $cn "$(within ieee8021CnCpTransmittedCnms 's/Entry 12 }/Entry 14 }/')"
mutant rows $cn "$(within ieee8021CnErroredPortEntry 's/ieee8021CnEpComponentId,/ieee8021CnEpPriority,/')"
mutant rows $cn "$(within ieee8021CnCpidToIfCpid 's/SIZE(8)/SIZE(0..8)/')"
mutant rows $cn "$(within ieee8021CnRpgIdentifier 's/4096/4095/')"
mutant rows $cn "$(within ieee8021CnCpTable 's/Objects 5/Objects 9/')"
mutant rows $cn 's/^    ::= { ieee802dot1mibs 18 }/    ::= { ieee802dot1mibs 19 }/'
mutant rows $cn 's/ieee8021CnRpgHaiRate/ieee8021CnRpgHyperRate/'
mutant rows $cn "$(within ieee8021CnRpgMinRate 's/MAX-ACCESS/ACCESSIBLE/')"
mutant rows $cn '/^ieee8021CnRpgMinRate OBJECT-TYPE/,/::=/d'
mutant rows $cn 's/^END/ieee8021CnExtra OBJECT IDENTIFIER ::= { ieee8021CnMIBObjects 9 }\nEND/'
mutant rows $cn 's/{ ieee8021CnConformance 2 }/{ ieee8021CnConformance 3 }/'
mutant rows IEEE8021-TC-MIB 's/Unsigned32 (0\.\.7)/Unsigned32 (0..8)/'
mutant rows IEEE8021-TC-MIB 's/DISPLAY-HINT "d"/DISPLAY-HINT "x"/'
mutant rows LLDP-V2-TC-MIB 's/4096/4095/'
mutant rows IEEE8021-PFC-MIB 's/AUGMENTS .*/INDEX { ifIndex }/'
mutant rows IEEE8021-PFC-MIB 's/UNITS       "Requests"/UNITS "requests"/'
mutant rows IEEE8021-PFC-MIB "$(within ieee8021PfcIndications 's/Counter32/Counter64/')"
lldp=LLDP-EXT-DOT1-V2-MIB
mutant rows $lldp 's/pri3status(3)/pri3status(8)/'
mutant rows $lldp 's/pri6status(6)/pri6state(6)/'
mutant rows $lldp 's/tsaVendorSpecific(255)$/tsaVendorSpecific(3)/'
mutant rows $lldp 's/tsaCreditBasedShaper(1),$/&\n tsaOther(4),/'
mutant rows $lldp 's/Unsigned32 (0\.\.100)/Unsigned32 (0..99)/'
mutant rows $lldp 's/Unsigned32 (1\.\.8)/Unsigned32 (0..8)/'
mutant rows $lldp 's/asDSCPValue(5)/asDSCPValue(6)/'
mutant rows $lldp 's/LldpV2CnBitVector$/OCTET STRING/'
mutant rows $lldp "$(within lldpXdot1dcbxConfigPFCEntry 's/AUGMENTS .*/INDEX { lldpV2LocPortIfIndex }/')"
mutant rows $lldp "$(within lldpXdot1dcbxRemPFCEnableEntry 's/lldpV2RemTimeMark,/lldpV2RemIndex,/;s/lldpV2RemIndex$/lldpV2RemTimeMark/')"
mutant rows $lldp "$(within lldpXdot1dcbxAdminPFCWilling 's/{ false }/{ true }/')"
mutant rows $lldp "$(within lldpXdot1dcbxAdminPFCEnableTable 's/D\.2\.10/D.2.9/')"
mutant rows $lldp "$(within lldpXdot1dcbxAdminPFCMBC 's/read-only/read-write/')"
mutant rows $lldp "$(within lldpXdot1dcbxAdminApplicationVlanAppTable 's/D\.2\.14/D.2.11/')"
mutant rows $lldp "$(within lldpXdot1dcbxRemApplicationVlanAEVlanId 's/VlanId$/Integer32 (1..4094)/')"
mutant rows $lldp "$(within lldpXdot1dcbxAdminETSConTrafficClassBandwidth 's/STATUS .*/&\nDEFVAL { 0 }/')"
mutant rows $lldp 's/{ lldpXdot1dcbxObjects 4 }/{ lldpXdot1dcbxObjects 5 }/'
mutant rows $lldp 's/{ lldpV2Xdot1MIB 6 }/{ lldpV2Xdot1MIB 7 }/'
mutant rows $lldp 's/^END/lldpExtra OBJECT IDENTIFIER ::= { lldpXdot1dcbxObjects 9 }\nEND/'
mutant rows DCB-AGENT-MIB 's/AUGMENTS .*/INDEX { ifIndex }/'
mutant rows DCB-AGENT-MIB 's/netSnmpPlaypen 8021/netSnmpPlaypen 8022/'
mutant rows DCB-AGENT-MIB 's/station(2)/host(2)/'
mutant rows DCB-AGENT-MIB 's/ ifIndex, dcbPfcPriority / dcbPfcPriority, ifIndex /'
mutant rows DCB-AGENT-MIB "$(within dcbPortRate 's/CounterBasedGauge64/Counter64/')"
mutant rows DCB-AGENT-MIB "$(within dcbRpFrames 's/Counter64/CounterBasedGauge64/')"
mutant rows DCB-AGENT-MIB "$(within dcbRpState 's/rprHyperIncrease(4)/rprHyperIncrease(5)/')"
mutant rows DCB-AGENT-MIB "$(within dcbRpIndex 's/100/99/')"
mutant rows DCB-AGENT-MIB 's/ifIndex, dcbRpPriority, dcbRpIndex }/ifIndex, dcbRpIndex, dcbRpPriority }/'
mutant rows DCB-AGENT-MIB '/^dcbPortTxErrors OBJECT-TYPE/,/::=/d'
mutant rows DCB-AGENT-MIB '/^dcbErroredPortDeleted NOTIFICATION-TYPE/,/::=/d'
mutant rows DCB-AGENT-MIB 's/OBJECTS     { ieee8021CnEpIfIndex }/OBJECTS { ifIndex }/'
mutant rows DCB-AGENT-MIB 's/{ dcbAgentNotifications 2 }/{ dcbAgentNotifications 9 }/'

mutant groups $cn '/^ieee8021CnCpGroup OBJECT-GROUP/,/::=/{/ieee8021CnCpTransmittedCnms/d}'
mutant groups $cn 's/{ ieee8021CnGroups 11 }/{ ieee8021CnGroups 12 }/'
mutant groups $cn 's/createAndGo(4), destroy(6) }/createAndGo(4), createAndWait(5), destroy(6) }/'
mutant groups $cn '/^ieee8021CnStationCompliance/,/::=/s/GROUP ieee8021CnEplGroup/GROUP ieee8021CnRpGroup/'
mutant groups IEEE8021-PFC-MIB '/MANDATORY-GROUPS/,/}/s/ifGeneralInformationGroup/systemGroup/'
exit $status
