#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every accessible object by GET, GETNEXT, GETBULK and SET, over SNMPv1, v2c and v3. The objects,
# their access and ranges are from the rows of mibs/*.def.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
# A station has rows in all tables. The alternate priority of port 1 is a CNPV, so it has a row of
# errored ports.
start_all 'role = "station"; memory_ports = 3;' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriRowStatus"; index = "1.5"; value = "createAndGo"; },
	{ object = "ieee8021CnPortPriDefModeChoice"; index = "1.3.*"; port = "mem0"; value = "cpcAdmin"; },
	{ object = "ieee8021CnPortPriAlternatePriority"; index = "1.3.*"; port = "mem0"; value = "5"; },
	'"$app_priority"'
);'
drop_neighbor_objects
drop_bridge_objects
subagent_tests=(test_library_path_agrees)
walk_all -Ox | still >$T/walk

# instance OBJECT: puts the instance of its last row into $instance.
declare -A last_instance=()
while read -r name instance; do last_instance[$name]=$instance; done < <(
	for name in "${objects[@]}"; do echo "$name ${O[$name]}"; done | awk '
		NR == FNR { name[$2] = $1; next }
		{
			oid = substr($1, 2)
			for (p = oid; p != ""; sub(/\.?[0-9]+$/, "", p))
				if (p in name) {
					last[name[p]] = substr(oid, length(p) + 2)
					break
				}
		}
		END { for (n in last) print n, last[n] }' - $T/walk
)
instance() {
	instance=${last_instance[$1]-}
	[ -n "$instance" ]
}

test_every_object_has_an_instance() {
	local name
	for name in "${objects[@]}"; do
		instance "$name" || fail "$name: no instance"
	done
	grep -E 'No Such|Error|Timeout' $T/walk && fail "the walk has lines without a value"
	at_least "varbinds" "$(wc -l <$T/walk)" 150
}

test_walks_ascend() {
	local where
	where=$(snmpbulkwalk "${v2c[@]}" -On -Cc -Cr50 $agent 1.3 | grep '^\.' |
		grep -vE "$at_end" | ascending) || fail "$where"
}

# GETNEXT, GETBULK of several lengths, and v3 give the same octets.
test_walks_return_the_same() {
	local n
	for n in 1 2 7 50; do
		walk_all -Ox "-Cr$n" | still >$T/other
		same "GETBULK of $n" $T/walk $T/other
	done
	walk_by snmpwalk "${v2c[@]}" -Ox | still >$T/other
	same "GETNEXT" $T/walk $T/other
	walk_by snmpbulkwalk "${v3[@]}" -Cr25 -Ox | still >$T/other
	same "v3, authPriv" $T/walk $T/other
	walk_by snmpwalk "${v3[@]}" -Ox | still >$T/other
	same "v3, GETNEXT" $T/walk $T/other
}

# SNMPv1 has no Counter64: a walk skips such objects (RFC 3584, 4.2.2.1).
test_v1_walk_skips_counter64() {
	walk_by snmpwalk "${v1[@]}" -Ox | still >$T/other
	grep -v ' = Counter64: ' $T/walk |
		grep -vE "^\.(${O[dcbEngineLoops]}|${O[dcbEngineConfigAdopted]})\.0$" >$T/wanted
	same "v1" $T/wanted $T/other
}

# Several columns in one GETBULK give the same values as each column alone.
test_getbulk_of_several_columns() {
	local name oids=() out
	for name in "${objects[@]}"; do
		[ "${table_of[$name]}" != cn_port_pri ] || oids+=("${O[$name]}")
	done
	snmpbulkget "${v2c[@]}" -On -Ox -Cn0 -Cr6 $agent "${oids[@]}" >$T/out || fail "$(cat $T/out)"
	is "varbinds" "$(wc -l <$T/out)" $((6 * ${#oids[@]}))
	sort -u $T/out >$T/other
	grep -E "^\.${entry[cn_port_pri]+}${O[ieee8021CnPortPriEntry]}\." $T/walk | sort >$T/wanted
	same "columns" $T/wanted $T/other
	# A non-repeater, and a repeater that reaches the end of our objects.
	out=$(snmpbulkget "${v2c[@]}" -On -Cn1 -Cr3 $agent "${O[dcbAgentRole]}" "${O[dcbCnmExcess]}.9")
	is "non-repeater and three" "$(grep -c '^\.' <<<"$out")" 4
}

test_get_of_everything() {
	local options oid list=() n=0
	for options in v2c v3; do
		local -n options_of=$options
		: >$T/other
		n=0 list=()
		while read -r oid _; do
			list+=("$oid")
			if [ ${#list[@]} -eq 100 ]; then
				snmpget "${options_of[@]}" -On -Ox $agent "${list[@]}" >>$T/other 2>&1
				n=$((n + ${#list[@]})) list=()
			fi
		done <$T/walk
		[ ${#list[@]} -eq 0 ] || snmpget "${options_of[@]}" -On -Ox $agent "${list[@]}" >>$T/other 2>&1
		still <$T/other >$T/other.still
		same "GET over $options" $T/walk $T/other.still
	done
	list=()
	while read -r oid _; do list+=("$oid"); done < <(grep -E ' = (INTEGER|Gauge32|Counter32|Timeticks|STRING|Hex-STRING)' $T/walk | head -n 60)
	snmpget "${v1[@]}" -On -Ox $agent "${list[@]:0:30}" >$T/other 2>&1
	for oid in "${list[@]:0:30}"; do grep -F -- "$oid = " $T/walk; done >$T/wanted
	same "GET over v1" $T/wanted $T/other
}

test_get_of_missing_objects() {
	local name last
	for name in "${objects[@]}"; do
		instance "$name"
		ask_get noSuchInstance "$name.$instance.0"
		ask 'noSuchInstance|noSuchObject' get "${O[$name]}"
		if is_scalar "$name"; then
			ask_get noSuchInstance "$name.1"
		else
			ask_get noSuchInstance "$name.9.9.9.9"
			last=${instance##*.}
			ask_get noSuchInstance "$name.${instance%"$last"}$((last + 1000))" # another row
		fi
		ask noSuchObject get "${O[$name]%.*}.99.$instance" # an unknown column
	done
	# Index columns are not-accessible and so not objects for a manager, except one that is
	# read-only.
	ask noSuchObject get "${O[ieee8021CnComPriPriority]}.1.3"
	answers "over v2c"
	ask_get noSuchName ieee8021CnCpPriority.1.7.7
	instance ieee8021CnCpDiscardedFrames
	ask_get noSuchName ieee8021CnCpDiscardedFrames.$instance # a Counter64
	answers "over v1" "${v1[@]}"
}

test_walks_agree_after_a_restart() {
	stop agentx
	start_agentx
	walk_all -Ox -Cr50 | still >$T/other
	same "GETBULK" $T/walk $T/other
	walk_by snmpwalk "${v2c[@]}" -Ox | still >$T/other
	same "GETNEXT" $T/walk $T/other
}

# conflicting NAME VALUE: the value is in range, but other settings exclude it. $conflict: the
# answer, in version 2 and 1 of the protocol.
conflicting() {
	conflict='inconsistentValue|badValue'
	case $1.$2 in
	ieee8021CnComPriLldpInstanceSelector.4096) true ;; # invalid with choice cnlAdmin(2): table 32-1
	lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.255) true ;; # vendor specific
	dcbBufferReserve.1073741824) conflict='resourceUnavailable|genError' ;; # more than the frame memory
	*) false ;;
	esac
}

writable() { [[ ${access[$1]} =~ ^(RW|RC)$ ]]; }

# wrong_types OBJECT: puts pairs of another type and a value into $wrong.
wrong_types() {
	wrong=('a 1.2.3.4' 'x 00112233' 'o 1.3.6' 't 5' 'b 3')
	type_of "$1"
	case $type in
	i) wrong+=('u 1') ;;
	u) wrong+=('i 1') ;;
	x) wrong=('i 1' 'u 1' 't 5') ;;
	esac
}

# The minimum and the maximum can be set and read back, in each version of the protocol; then the
# old value is set again.
test_set_of_every_writable_object() {
	local name value n=0 version=0 list=() old=() i versions=(v1 v2c v3)
	for name in "${objects[@]}"; do
		writable "$name" || continue
		# rows.sh tests its values, which are states and actions.
		[ "${syntax[$name]}" != ROW_STATUS ] || continue
		! reads_otherwise "$name" || continue
		instance "$name" || continue
		list+=("$name.$instance")
	done
	mapfile -t old < <(for name in "${list[@]}"; do echo "get ${O[${name%%.*}]}.${name#*.}"; done |
		"$build/tests/system/snmp_batch" "${v2c[@]}" $agent)
	is "initial values" ${#old[@]} ${#list[@]}
	for version in 0 1 2; do
		local -n chosen=${versions[version]}
		n=0
		for i in "${!list[@]}"; do
			name=${list[i]%%.*}
			for value in "${least[$name]}" "${most[$name]}"; do
				[ $((n++ % 3)) -eq $version ] || continue
				if conflicting "$name" "$value"; then
					ask_set "$conflict" "${list[i]}" "$value"
					continue
				fi
				ask_set noError "${list[i]}" "$value"
				ask_get "$value" "${list[i]}"
				ask_set noError "${list[i]}" "${old[i]}"
			done
		done
		answers "over ${versions[version]}" "${chosen[@]}"
	done
	# Two values of each writable object of "dcbctl objects", except row states, the object
	# that does not read as set, the 22 of a bridge's trust, marks, VLANs and static entries, and the 15 of an
	# RBridge's ports, next hops and egress entries.
	is "values set" $n $((2 * ($("$build/dcbctl" objects | grep -Ec ' read-(write|create) ') - 4 - 22 - 15)))
	walk_all -Ox | settled >$T/now
	settled <$T/walk >$T/before
	same "walk after all old values are set again" $T/before $T/now
}

# There is only one LLDP instance, so no row may use another (table 32-1).
test_only_lldp_instance_1() {
	local com=ieee8021CnComPriLldpInstance port=ieee8021CnPortPriLldpInstance
	local p=1.3.100001 # default: cnlComponent(3), and a selector that is not served
	refused inconsistentValue ${com}Selector.1.3 2
	refused inconsistentValue ${port}Choice.$p 2
	put ${port}Selector.$p 4096
	put ${port}Choice.$p 2 ${port}Selector.$p 1
	refused inconsistentValue ${port}Selector.$p 3
	put ${com}Choice.1.3 1 ${com}Selector.1.3 2
	refused inconsistentValue ${com}Choice.1.3 2
	put ${com}Choice.1.3 2 ${com}Selector.1.3 1
	put ${port}Choice.$p 3 ${port}Selector.$p 3
}

# Shares are checked as they are after all variable bindings of a SET.
test_ets_shares_of_a_whole_set() {
	local con=lldpXdot1dcbxAdminETSCon reco=lldpXdot1dcbxAdminETSReco i=100002
	local bw=TrafficClassBandwidth tsa=TrafficSelectionAlgorithm
	refused inconsistentValue $con$tsa.$i.0 1
	refused inconsistentValue $con$tsa.$i.0 2
	refused inconsistentValue $con$tsa.$i.0 2 $con$bw.$i.0 99
	put $con$tsa.$i.0 2 $con$bw.$i.0 60 $con$bw.$i.5 40 $con$tsa.$i.5 2
	refused inconsistentValue $con$bw.$i.5 41
	is "not in force" "$(get lldpXdot1dcbxLocETSCon$bw.$i.5)" 40
	put $con$bw.$i.5 30 $con$bw.$i.0 70
	is "in force" "$(get lldpXdot1dcbxLocETSCon$bw.$i.5 lldpXdot1dcbxLocETSCon$tsa.$i.5 | xargs)" "30 2"
	refused inconsistentValue $reco$tsa.$i.1 2
	put $reco$tsa.$i.1 2 $reco$bw.$i.1 100 $reco$tsa.$i.2 255
	put $reco$tsa.$i.1 0 $reco$bw.$i.1 0 $reco$tsa.$i.2 0
	put $con$tsa.$i.0 0 $con$bw.$i.0 0 $con$bw.$i.5 0 $con$tsa.$i.5 0
}

# Two objects for one setting.
test_two_objects_for_pfc_enable() {
	put lldpXdot1dcbxAdminPFCEnableEnabled.100001.4 1
	is "the other object" "$(get dcbPfcPriorityEnable.100001.4 lldpXdot1dcbxLocPFCEnableEnabled.100001.4 | xargs)" "1 1"
	put dcbPfcPriorityEnable.100001.4 2
	is "the other object" "$(get lldpXdot1dcbxAdminPFCEnableEnabled.100001.4)" 2
}

test_values_out_of_range_are_refused() {
	local name n=0
	for name in "${objects[@]}"; do
		writable "$name" || continue
		instance "$name"
		if [ "${least[$name]}" -gt 0 ] ||
			{ [ "${least[$name]}" -gt -2147483648 ] && [[ ${syntax[$name]} =~ ^(INTEGER32|ENUM|TRUTH|ROW_STATUS)$ ]]; }; then
			ask_set wrongValue "$name.$instance" $((least[$name] - 1))
			n=$((n + 1))
		fi
		case ${most[$name]} in
		2147483647 | 4294967295) ;;
		*)
			ask_set wrongValue "$name.$instance" $((most[$name] + 1))
			n=$((n + 1))
			;;
		esac
	done
	at_least "values tried" $n 35
	ask_set wrongValue ieee8021CnComPriRowStatus.1.3 3 # notReady is a state
	answers "over v2c"
	ask_set badValue ieee8021CnGlobalCnmTransmitPriority.1 8
	answers "over v1" "${v1[@]}"
}

test_wrong_types_are_refused() {
	local name pair wrong type n=0
	for name in "${objects[@]}"; do
		writable "$name" || continue
		instance "$name"
		wrong_types "$name"
		for pair in "${wrong[@]}"; do
			ask wrongType set "${O[$name]}.$instance" "$pair"
			n=$((n + 1))
		done
	done
	at_least "types tried" $n 150
	answers "over v2c"
	ask badValue set "${O[ieee8021CnGlobalCnmTransmitPriority]}.1" i 3
	answers "over v1" "${v1[@]}"
}

test_read_only_objects_cannot_be_set() {
	local name n=0 value
	for name in "${objects[@]}"; do
		[ "${access[$name]}" = RO ] || continue
		instance "$name"
		value=1
		[[ ! ${syntax[$name]} =~ ^(OCTETS|BITS)$ ]] || value=0011223344556677
		ask_set notWritable "$name.$instance" "$value"
		ask notWritable set "${O[$name]}.$instance" a 1.2.3.4 # of another type
		n=$((n + 1))
	done
	at_least "read-only objects" $n 40
	# Unknown objects and not-accessible indices cannot be written.
	ask notWritable set "$CN.1.5.1.99.1.1.1" u 1
	ask notWritable set "${O[ieee8021CnComPriPriority]}.1.3" u 4
	answers "over v2c"
	ask 'noSuchName|readOnly' set "${O[ieee8021CnCpPriority]}.1.100001.3" u 3
	answers "over v1" "${v1[@]}"
}

test_set_of_missing_rows() {
	local name n=0 inst error
	for name in "${objects[@]}"; do
		writable "$name" || continue
		instance "$name"
		case ${table_of[$name]} in
		cn_com_pri)
			# inconsistentName: the row could be created, but not by this object.
			# noCreation: such a row cannot exist.
			if [ "${syntax[$name]}" = ROW_STATUS ]; then
				ask_set inconsistentValue "$name.1.6" 1
				ask_set noCreation "$name.1.8" 4
				ask_set noCreation "$name.2.3" 4
			else
				ask_set inconsistentName "$name.1.6" "${most[$name]}"
				ask_set noCreation "$name.1.8" "${most[$name]}"
				ask_set noCreation "$name.2.3" "${most[$name]}"
			fi
			;;
		dcbx_app | dcbx_app_vlan) ask_set inconsistentName "$name.77.1.35078" 6 ;; # destroy succeeds for a missing row of an existing port
		lldp_admin_app | lldp_admin_app_vlan) # a row for any application of an existing port could be created
			ask_set inconsistentName "$name.77.1.35078" 3
			ask_set noCreation "$name.100001.6.35078" 3
			ask_set noCreation "$name.100001.1.65536" 3
			ask_set noCreation "$name.$instance.1" 3
			;;
		*)
			inst=${instance%.*}.77
			[ "$inst" != "$instance.77" ] || inst=77
			# A port with ifIndex 77 could exist.
			[[ $instance =~ (^|\.)10000[0-9]$ ]] && error=inconsistentName || error=noCreation
			ask_set $error "$name.$inst" "${most[$name]}"
			ask_set noCreation "$name.$instance.1" "${most[$name]}"
			;;
		esac
		n=$((n + 1))
	done
	at_least "objects tried" $n 29
	answers "over v2c"
}

test_refused_sets_change_nothing() {
	walk_all -Ox | settled >$T/now
	settled <$T/walk >$T/before
	same "walk" $T/before $T/now
}

test_agent_scalars() {
	local first
	is "version" "\"$("$build/dcbd" -V | cut -d' ' -f2)\"" "$(get dcbAgentVersion.0)"
	is "role" "$(get dcbAgentRole.0)" 2
	is "component" "$(get dcbAgentComponentId.0)" 1
	is "ports" "$(get dcbAgentPorts.0)" 3
	is "state" "$(get dcbAgentStateStatus.0)" 1
	is "frame buffers, none in use" "$(get dcbEngineFrameBuffersFree.0)" "$(get dcbEngineFrameBuffers.0)"
	first=$(snmpget "${v2c[@]}" -Oqvt $agent "${O[dcbAgentUpTime]}.0")
	pause 0.3
	# TimeTicks are centiseconds; the value may be 100 ms old, from dcb-agentx's cache.
	at_least "up time" $(($(snmpget "${v2c[@]}" -Oqvt $agent "${O[dcbAgentUpTime]}.0") - first)) 20
	wait_for 5 "the last configuration is adopted" in_force
}

# snmpd's access control comes first: a community with read access gets noAccess.
test_access_control() {
	local version=(-v2c -c public -t 10 -r 0)
	refused noAccess ieee8021CnGlobalCnmTransmitPriority.1 5
}

run_tests
