#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ieee8021CnCompntPriTable, and the rows of other tables that its rows create and delete (12.21.2).
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
start_all 'memory_ports = 2;'
a=100001 b=100002 # ifIndex of the two ports

status() { get "ieee8021CnComPriRowStatus.1.$1"; } # PRIORITY
create() { local p; for p; do put "ieee8021CnComPriRowStatus.1.$p" 4; done; }
destroy() { local p; for p; do put "ieee8021CnComPriRowStatus.1.$p" 6; done; }
destroy_all() { put $(printf 'ieee8021CnComPriRowStatus.1.%d 6 ' {0..7}); }

# table_has TABLE INSTANCE...: every column of the table has exactly these instances.
table_has() {
	local name entry='' table=$1
	shift
	for name in "${objects[@]}"; do
		[ "${table_of[$name]}" = "$table" ] || continue
		[ $# -eq 0 ] || printf "${O[$name]##*.} %s\n" "$@"
	done | sort >$T/wanted
	for name in "${objects[@]}"; do
		[ "${table_of[$name]}" != "$table" ] || entry=${O[$name]%.*}
	done
	walk "$entry" | sed -nE "s/^\.$entry\.([0-9]+)\.([0-9.]+) = .*/\1 \2/p" | sort >$T/got
	same "rows of $table" $T/wanted $T/got
}

# has_defaults TABLE INSTANCE: the row's columns have the default values of the MIB module.
has_defaults() {
	local name names=()
	for name in "${objects[@]}"; do
		[ "${table_of[$name]}" = "$1" ] && [ -n "${initial[$name]}" ] || continue
		names+=("$name.$2")
	done
	paste -d' ' <(printf '%s\n' "${names[@]}") <(get "${names[@]}") >$T/got
	for name in "${names[@]}"; do echo "$name ${initial[${name%%.*}]}"; done >$T/wanted
	same "defaults of $1" $T/wanted $T/got
}

# The CPID table has the congestion points of the CP table.
cpids_agree() {
	local inst id oid octet
	: >$T/wanted
	while read -r inst id; do
		is "octets of CPID $id" ${#id} 16
		oid=
		for ((octet = 0; octet < 16; octet += 2)); do oid+=.$((16#${id:octet:2})); done
		echo "${oid#.} $inst" >>$T/wanted
	done < <(walk "${O[ieee8021CnCpIdentifier]}" -Ox | sed -nE "s/^\.${O[ieee8021CnCpIdentifier]}\.([0-9.]+) = Hex-STRING: /\1 /p" |
		awk '{ printf "%s ", $1; for (i = 2; i <= NF; i++) printf "%s", $i; print "" }')
	for inst in $(rows ieee8021CnCpidToIfCpIndex); do
		echo "$inst $(get "ieee8021CnCpidToIfComponentId.$inst" "ieee8021CnCpidToIfIfIndex.$inst" \
			"ieee8021CnCpidToIfCpIndex.$inst" | paste -sd.)"
	done >$T/got
	sort -o $T/wanted $T/wanted
	sort -o $T/got $T/got
	same "CPIDs" $T/wanted $T/got
}

test_no_rows_of_cnpvs_at_start() {
	for table in cn_com_pri cn_port_pri cn_cp cn_cpid cn_errored_port cn_rp_port_pri cn_rpg cp; do
		table_has $table
	done
	table_has pfc_if $a $b
	table_has port $a $b
	table_has cn_global 1
	has_defaults cn_global 1
	has_defaults pfc_if $a
}

test_create_and_go() {
	create 3
	is "status" "$(status 3)" 1
	table_has cn_com_pri 1.3
	table_has cn_port_pri 1.3.$a 1.3.$b
	table_has cn_cp 1.$a.3 1.$b.3
	table_has cp 1.$a.3 1.$b.3
	table_has cn_rp_port_pri # a bridge has no reaction points
	table_has cn_rpg
	has_defaults cn_com_pri 1.3
	has_defaults cn_port_pri 1.3.$b
	has_defaults cn_cp 1.$b.3
	is "priority of the CP" "$(get ieee8021CnCpPriority.1.$a.3)" 3
	cpids_agree
}

# CpIndex is the CNPV, and 8 for priority 0, as its syntax starts at 1.
test_cp_index_of_priority_0() {
	create 0
	table_has cn_cp 1.$a.3 1.$a.8 1.$b.3 1.$b.8
	is "priority" "$(get ieee8021CnCpPriority.1.$a.8)" 0
	cpids_agree
	destroy 0
	table_has cn_cp 1.$a.3 1.$b.3
	cpids_agree
}

test_destroy_deletes_rows_and_settings() {
	put ieee8021CnCpQueueSizeSetPoint.1.$a.3 30000 ieee8021CnPortPriAlternatePriority.1.3.$a 6
	destroy 3
	for table in cn_com_pri cn_port_pri cn_cp cn_cpid cp; do table_has $table; done
	destroy 3 # succeeds without the row
	create 3
	# The new rows do not have the old settings.
	has_defaults cn_cp 1.$a.3
	has_defaults cn_port_pri 1.3.$a
	destroy 3
}

test_create_and_wait() {
	put ieee8021CnComPriRowStatus.1.4 5
	is "status" "$(status 4)" 2
	table_has cn_port_pri 1.4.$a 1.4.$b
	table_has cn_cp 1.$a.4 1.$b.4
	put ieee8021CnComPriAlternatePriority.1.4 1
	put ieee8021CnComPriRowStatus.1.4 1
	is "status" "$(status 4)" 1
	is "alternate" "$(get ieee8021CnComPriAlternatePriority.1.4)" 1
	put ieee8021CnComPriRowStatus.1.4 2
	is "status" "$(status 4)" 2
	destroy 4
	table_has cn_port_pri
}

# A row and its columns in one PDU, in any order.
test_row_and_columns_in_one_set() {
	put ieee8021CnComPriAlternatePriority.1.2 7 ieee8021CnComPriRowStatus.1.2 4 \
		ieee8021CnComPriLldpInstanceSelector.1.2 4096 ieee8021CnComPriLldpInstanceChoice.1.2 1
	is "alternate" "$(get ieee8021CnComPriAlternatePriority.1.2)" 7
	is "selector" "$(get ieee8021CnComPriLldpInstanceSelector.1.2)" 4096
	# A bad value of a column prevents the row.
	refused wrongValue ieee8021CnComPriRowStatus.1.1 4 ieee8021CnComPriAlternatePriority.1.1 8
	table_has cn_com_pri 1.2
	refused inconsistentName ieee8021CnComPriRowStatus.1.1 6 ieee8021CnComPriAlternatePriority.1.1 3
	destroy 2
}

# RFC 2579's table of states and requests. No row can become notReady, as all columns have defaults.
test_row_status_transitions() {
	local state want request n
	local -A wanted=(
		[absent]="inconsistentValue inconsistentValue wrongValue 1 2 absent wrongValue"
		[1]="1 2 wrongValue inconsistentValue inconsistentValue absent wrongValue"
		[2]="1 2 wrongValue inconsistentValue inconsistentValue absent wrongValue"
	)
	for state in absent 1 2; do
		n=0
		for want in ${wanted[$state]}; do
			request=$((++n))
			destroy 6
			case $state in
			1) create 6 ;;
			2) put ieee8021CnComPriRowStatus.1.6 5 ;;
			esac
			case $want in
			*Value) refused $want ieee8021CnComPriRowStatus.1.6 $request && want=$state ;;
			*) put ieee8021CnComPriRowStatus.1.6 $request ;;
			esac
			case $want in
			absent) like "after $request in state $state" "$(status 6)" 'No Such Instance' ;;
			*) is "after $request in state $state" "$(status 6)" "$want" ;;
			esac
		done
	done
	destroy 6
}

# alternate PRIORITY CNPVS: the next lower priority that is not a CNPV, or else the next higher.
alternate() {
	local p
	for ((p = $1 - 1; p >= 0; p--)); do [[ $2 == *$p* ]] || { echo $p && return; }; done
	for ((p = $1 + 1; p <= 7; p++)); do [[ $2 == *$p* ]] || { echo $p && return; }; done
}

alternates_are_right() { # CNPVS
	local p names=() lower=()
	for ((p = 0; p < 8; p++)); do
		[[ $1 == *$p* ]] || continue
		names+=("ieee8021CnComPriAutoAltPri.1.$p")
		lower+=("$(alternate $p "$1")")
	done
	is "alternates of CNPVs $1" "$(get "${names[@]}" | xargs)" "${lower[*]}"
}

test_automatic_alternate_priority() {
	local cnpvs='' p
	for p in 3 2 6 1 0 7 4; do
		create $p
		cnpvs+=$p
		alternates_are_right "$cnpvs"
	done
	for p in 1 7 3; do
		destroy $p
		cnpvs=${cnpvs/$p/}
		alternates_are_right "$cnpvs"
	done
	# Neither the status of the rows nor ieee8021CnGlobalMasterEnable changes it.
	put ieee8021CnComPriRowStatus.1.2 2 ieee8021CnGlobalMasterEnable.1 2
	alternates_are_right "$cnpvs"
	put ieee8021CnGlobalMasterEnable.1 1
	destroy_all
}

test_eighth_cnpv_is_refused() {
	local all p request
	create 0 1 2 3 4 5 6
	for request in 4 5; do
		refused inconsistentValue ieee8021CnComPriRowStatus.1.7 $request
		like "no row" "$(status 7)" 'No Such Instance'
	done
	table_has cn_port_pri 1.{0,1,2,3,4,5,6}.{$a,$b}
	cpids_agree
	# The number of rows counts, whatever their status.
	put ieee8021CnComPriRowStatus.1.2 2
	refused inconsistentValue ieee8021CnComPriRowStatus.1.7 4
	is "status of the row that is not in service" "$(status 2)" 2
	put ieee8021CnComPriRowStatus.1.2 1
	# Exchanged in one PDU: the result decides, not the order.
	put ieee8021CnComPriRowStatus.1.7 4 ieee8021CnComPriRowStatus.1.2 6
	is "status of the new row" "$(status 7)" 1
	like "the former row" "$(status 2)" 'No Such Instance'
	destroy_all
	# All eight at once.
	all=()
	for p in 0 1 2 3 4 5 6 7; do all+=(ieee8021CnComPriRowStatus.1.$p 4); done
	refused inconsistentValue "${all[@]}"
	table_has cn_com_pri
}

test_errored_ports() {
	create 3 5
	table_has cn_errored_port
	put ieee8021CnPortPriDefModeChoice.1.3.$a 1 ieee8021CnPortPriAlternatePriority.1.3.$a 5
	table_has cn_errored_port 1.3.$a
	is "read-only index" "$(get ieee8021CnEpIfIndex.1.3.$a)" $a
	destroy 5
	table_has cn_errored_port
	create 5
	table_has cn_errored_port 1.3.$a
	put ieee8021CnPortPriAlternatePriority.1.3.$a 4
	table_has cn_errored_port
	# By the component's row, for every port with choice cpcComp.
	put ieee8021CnPortPriDefModeChoice.1.3.$a 2 ieee8021CnComPriDefModeChoice.1.3 1 \
		ieee8021CnComPriAlternatePriority.1.3 5
	has_row ieee8021CnEpIfIndex 1.3.$b || fail "no row for the port with cpcComp"
	destroy_all
	table_has cn_errored_port
}

test_creation_decides_new_port_rows() {
	put ieee8021CnComPriRowStatus.1.3 4 ieee8021CnComPriCreation.1.3 2
	is "autoDisable: cpcAdmin" "$(get ieee8021CnPortPriDefModeChoice.1.3.$a)" 1
	create 4
	is "autoEnable: cpcComp" "$(get ieee8021CnPortPriDefModeChoice.1.4.$a)" 3
	# Existing rows stay as they are; rows of a new port use the current value.
	put ieee8021CnComPriCreation.1.4 2
	is "existing row" "$(get ieee8021CnPortPriDefModeChoice.1.4.$a)" 3
	destroy_all
}

test_station_has_reaction_points() {
	stop dcbd
	rm -f $T/state/state
	dcbd_conf 'role = "station"; memory_ports = 2;'
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	is "role" "$(get dcbAgentRole.0)" 2
	create 5
	table_has cn_rp_port_pri 1.5.$a 1.5.$b
	table_has cn_rpg 1.5.$a.5 1.5.$b.5
	has_defaults cn_rp_port_pri 1.5.$a
	has_defaults cn_rpg 1.5.$b.5
	is "MaxRate is the port's speed, Mb/s" "$(get ieee8021CnRpgMaxRate.1.5.$a.5)" 10000
	create 0
	table_has cn_rpg 1.0.$a.8 1.0.$b.8 1.5.$a.5 1.5.$b.5
	cpids_agree
	destroy 0 5
	table_has cn_rp_port_pri
	table_has cn_rpg
}

# All rows have the number of another component, none has 1.
test_rows_of_component_7() {
	stop dcbd
	rm -f $T/state/state
	dcbd_conf 'component = 7; memory_ports = 2;'
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	fresh
	is "component" "$(get dcbAgentComponentId.0)" 7
	put ieee8021CnComPriRowStatus.7.3 4
	table_has cn_global 7
	table_has cn_com_pri 7.3
	table_has cn_port_pri 7.3.$a 7.3.$b
	table_has cn_cp 7.$a.3 7.$b.3
	table_has cp 7.$a.3 7.$b.3
	cpids_agree
	refused noCreation ieee8021CnComPriRowStatus.1.4 4
	refused noCreation ieee8021CnGlobalMasterEnable.1 2
	put ieee8021CnCpQueueSizeSetPoint.7.$a.3 27000
	restart_dcbd
	fresh
	is "value after a restart" "$(get ieee8021CnCpQueueSizeSetPoint.7.$a.3)" 27000
}

run_tests
