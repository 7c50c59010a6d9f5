#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tables that have rows for neighbors: each object, the order of a walk, every read path, and
# changed TLVs. get_set.sh tests the other tables.
#
#   h1 (raw LLDPDUs): eth0 === sw1: dcbd, lldpd, dcb-agentx, snmpd
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

patient_agent
host h1 sw1
sw1=$(ifindex sw1)
start lldpd lldpd -dd -u $T/lldpd -p $T/lldpd.pid -I sw1 -C sw1 -S bridge -L ''
wait_for 10 "lldpd answers" lldpcli -u $T/lldpd show configuration || die "lldpd does not answer"
start_snmpd
dcbd_conf "interfaces = { include = [ \"sw1\" ]; }; lldp = { socket = \"$T/lldpd\"; };"
start_dcbd
start_agentx

# Willing, credit-based shaper, 3 classes; priorities to classes 0 1 2 0 1 2 0 1; 50, 30 and 20 %.
ets=9:c301201201321e1400000000000202020000000000
# 100 % for class 1, and a shaper for class 2.
reco=10:000000000000640000000000000002010000000000
# Two applications, the lower one last.
app=12:00840cbc618906
app_vlan=16:01440cbc3ea18906
# CN: CNPVs 0 and 3, the latter ready. PFC: willing, MBC, 15 classes, priorities 0 and 7.
speak h1 eth0 -t 20 -g 1000000 8:0908 $ets $reco 11:cf81 $app $app_vlan

about_neighbors=()
for name in "${objects[@]}"; do
	[[ ${table_of[$name]} =~ ^(lldp_rem_.*|neighbor)$ ]] && about_neighbors+=("$name")
done
rem=lldpV2Xdot1RemCNPVIndicators
heard_it() { [ -n "$(rows $rem)" ]; }
wait_for 10 "rows of the neighbor" heard_it || die "no neighbor"
fresh
rem_walk() { walk_all -Ox "$@" | grep -E "^\.($LLDP\.3\.1\.3|$LLDP\.5\.1\.3|${O[dcbNeighborTable]})\." | grep -vE "^\.${O[dcbNeighborTtl]}\."; }

test_every_object_has_an_instance() {
	local name
	walk_all >$T/walk
	for name in "${about_neighbors[@]}"; do
		grep -q "^\.${O[$name]}\." $T/walk || fail "$name: no instance"
	done
	at_least "objects" ${#about_neighbors[@]} 25
	! grep -E 'No Such|Error|Timeout' $T/walk || fail "the walk has lines without a value"
}

# value_of NAME [REST]: the value in the neighbor's only row, or in the row whose index ends with
# REST.
value_of() { walk "${O[$1]}" -Ox | sed -nE "s/^\.${O[$1]}\.[0-9]+\.$sw1\.1\.[0-9]+${2-} = [^:]*: //p" | tr -d '" '; }

test_values_are_those_of_the_tlvs() {
	local con=lldpXdot1dcbxRemETSCon reco=lldpXdot1dcbxRemETSReco pfc=lldpXdot1dcbxRemPFC
	is "CNPVs" "$(value_of $rem)" 90
	is "ready" "$(value_of lldpV2Xdot1RemReadyIndicators)" 10
	is "willing" "$(value_of ${con}Willing)$(value_of ${pfc}Willing)" 11
	is "shaper" "$(value_of ${con}CreditBasedShaperSupport)" 1
	is "classes" "$(value_of ${con}TrafficClassesSupported)" 3
	is "class of 5" "$(value_of ${con}PriTrafficClass '\.5')" 2
	is "share of 1" "$(value_of ${con}TrafficClassBandwidth '\.1')" 30
	is "algorithm of 2 and 3" "$(value_of ${con}TrafficSelectionAlgorithm '\.2')$(value_of ${con}TrafficSelectionAlgorithm '\.3')" 20
	is "share recommended" "$(value_of ${reco}TrafficClassBandwidth '\.1')" 100
	is "algorithm recommended" "$(value_of ${reco}TrafficSelectionAlgorithm '\.2')" 1
	is "MBC" "$(value_of ${pfc}MBC)" 1
	is "PFC classes, at most 8" "$(value_of ${pfc}Cap)" 8
	is "PFC for 7 and 6" "$(value_of ${pfc}EnableEnabled '\.7')$(value_of ${pfc}EnableEnabled '\.6')" 12
	is "FCoE" "$(value_of lldpXdot1dcbxRemApplicationPriorityAEPriority '\.1\.35078')" 3
	is "iSCSI" "$(value_of lldpXdot1dcbxRemApplicationPriorityAEPriority '\.4\.3260')" 4
	is "VLAN of FCoE" "$(value_of lldpXdot1dcbxRemApplicationVlanAEVlanId '\.1\.35078')" 1002
	is "VLAN of iSCSI" "$(value_of lldpXdot1dcbxRemApplicationVlanAEVlanId '\.4\.3260')" 20
}

test_walks_return_the_same() {
	local n where
	rem_walk >$T/walk
	where=$(grep "^\.$LLDP\." $T/walk | ascending) || fail "$where"
	for n in 1 7 50; do
		rem_walk -Cr$n >$T/other
		same "GETBULK of $n" $T/walk $T/other
	done
}

test_objects_can_be_read_and_not_set() {
	local name oid type oids=()
	while read -r oid _; do oids+=("${oid#.}"); done <$T/walk
	snmpget "${v2c[@]}" -On -Ox $agent "${oids[@]:0:100}" >$T/other 2>&1
	head -n 100 $T/walk >$T/wanted
	same "GET" $T/wanted $T/other
	for name in "${about_neighbors[@]}"; do
		oid=$(rows "$name" | head -n 1)
		type_of "$name"
		[ $type != x ] || continue
		refused notWritable "$name.$oid" 1
	done
}

# The neighbor's TLVs change: its rows get a new time mark, the first index, and the same other
# indices.
test_changed_tlvs_get_a_new_time_mark() {
	local before after
	before=$(rows $rem)
	stop_peer eth0
	speak h1 eth0 -t 20 -g 1000000 8:0800
	wait_for 10 "rows with a new time mark" eval '[ "$(rows $rem)" != "$before" ] && heard_it'
	fresh
	after=$(rows $rem)
	is "index without the time mark" "${after#*.}" "${before#*.}"
	at_least "time mark" "${after%%.*}" $((${before%%.*} + 1))
	like "row with the old time mark" "$(get $rem.$before)" 'No Such Instance'
	is "CNPVs" "$(value_of $rem)" 10
	is "rows of a TLV that is no longer sent" "$(count_rows lldpXdot1dcbxRemPFCWilling)" 0
}

test_no_rows_without_neighbor() {
	stop_peer eth0
	stop lldpd
	stop dcbd KILL
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	is "rows" "$(count_rows $rem)" 0
}

run_tests
