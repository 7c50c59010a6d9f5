#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# DCBX between two bridges: which PFC, ETS and application priorities are in force at the two ends
# of a link, and what happens to them when the neighbor is gone.
#
#   +---+  ab 02:00:00:00:00:0a   ba 02:00:00:00:00:0b  +---+
#   | a | ============================================= | b |
#   +---+                                               +---+
#
# dcbd.conf gives ab 1 Mb/s, so that the longest pause is 33 s.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

# enum dcbx_reason
OFF=1 NO_PEER=2 MANY_PEERS=3 PEER_SILENT=4 NOT_WILLING=5 PEER_TAKES=6 TAKEN=7

node a
node b
cable a ab b ba
ip -n a link set ab address 02:00:00:00:00:0a
ip -n b link set ba address 02:00:00:00:00:0b
a=$(if_of a ab) b=$(if_of b ba)
for n in a b; do
	start_lldpd $n
	node_conf $n bridge "$n*" 'ports = ( { name = "a*"; rate = 1000000L; speed = 1000000L; } );'
	start_node $n
done
listen_on a ab
start monitor "$build/dcbctl" -s $T/a/control monitor
wait_for 5 "neighbors" eval '[ "$(neighbors a ab)$(neighbors b ba)" = 11 ]'

# mask NODE OBJECT.INDEX: the true values of the rows of 8 priorities, as a hexadecimal mask.
mask() {
	value "$1" "$2".{0..7} | awk '{ if ($1 == 1) m += 2 ^ (NR - 1) } END { printf "%02x\n", m }'
}
pfc() { if [ $1 = a ]; then mask a lldpXdot1dcbxLocPFCEnableEnabled.$a; else mask b lldpXdot1dcbxLocPFCEnableEnabled.$b; fi; }
is_pfc() { [ "$(pfc a) $(pfc b)" = "$1 $2" ]; }
reason() { value a dcbDcbxPort$1Reason.$a; } # Pfc|Ets
is_reason() { [ "$(reason $1)" = $2 ]; }

# pfc_config NODE IFINDEX TXENABLE WILLING PRIORITY...
pfc_config() {
	local p words=(lldpXdot1dcbxConfigPFCTxEnable.$2.1 $3 lldpXdot1dcbxAdminPFCWilling.$2 $4)
	for p in 0 1 2 3 4 5 6 7; do
		if [[ " ${*:5} " == *" $p "* ]]; then
			words+=(lldpXdot1dcbxAdminPFCEnableEnabled.$2.$p true)
		else
			words+=(lldpXdot1dcbxAdminPFCEnableEnabled.$2.$p false)
		fi
	done
	set_at "$1" "${words[@]}"
}

# agree WHAT A B REASON TLV-OF-A: checks the PFC in force at the two ends, the reason at a, and the
# TLV that a sends.
agree() {
	wait_for 3 "$1: in force at both ends" is_pfc $2 $3 || fail "$1: $(pfc a) $(pfc b)"
	wait_for 2 "$1: reason" is_reason Pfc $4 || fail "$1: reason $(reason Pfc)"
	wait_for 2 "$1: TLV of a" eval '[ "$(last_said ab out)" = "'"$5"'" ]' || fail "$(last_said ab out)"
}

test_no_dcbx_by_default() {
	agree "initially" 00 00 $OFF ''
	pfc_config a $a false true 3
	pfc_config b $b true false 4 5
	agree "a is willing and sends no TLV" 08 30 $OFF ''
	wait_for 5 "a has received the TLV of b" eval '[ "$(last_said ab in)" = 11:0830 ]'
}

# Another address makes another neighbor; lldpd's shutdown LLDPDU removes the old one.
has_address() {
	stop lldpd-a
	ip -n a link set ab address $1
	start_lldpd a
}

# Every combination of willing ends: a has PFC for priority 3, b for 4 and 5.
test_pfc_willing_or_not() {
	pfc_config a $a true false 3
	pfc_config b $b true false 4 5
	agree "neither is willing" 08 30 $NOT_WILLING 11:0808
	pfc_config b $b true true 4 5
	agree "b is willing" 08 08 $NOT_WILLING 11:0808
	pfc_config a $a true true 3
	agree "both are willing, and a has the lower address" 30 30 $TAKEN 11:8830
	pfc_config b $b true false 4 5
	agree "a is willing" 30 30 $TAKEN 11:8830
	pfc_config b $b false false 4 5
	agree "b sends no TLV" 08 30 $PEER_SILENT 11:8808
	pfc_config b $b true true 4 5
	agree "both are willing again" 30 30 $TAKEN 11:8830
	has_address 02:00:00:00:00:0c
	agree "both are willing, and b has the lower address" 08 08 $PEER_TAKES 11:8808
	has_address 02:00:00:00:00:0a
	agree "a's address is the lower one again" 30 30 $TAKEN 11:8830
}

# pfc_hex MASK: the octets of a PFC frame with the longest pause for these priorities.
pfc_hex() {
	local i times=''
	for ((i = 0; i < 8; i++)); do times+=$((0x$1 >> i & 1)); done
	times=${times//0/0000}
	printf '0180c200000102000000007788080101%04x%s' "0x$1" "${times//1/ffff}"
}
paused() { mask a dcbPfcPriorityPaused.$a; }

# The PFC in force, not the administered one, decides which priorities pause.
test_pauses_follow_pfc_in_force() {
	agree "before" 30 30 $TAKEN 11:8830
	wait_for 5 "the dataplane uses it" adopted a
	on b "$frames" raw ba "$(pfc_hex 18)" # PFC of 3 is administered, of 4 in force
	wait_for 2 "priority 4 is paused" eval '[ "$(paused)" = 10 ]' || fail "$(paused)"
	on b "$frames" raw ba "$(pfc_hex 08)"
	is "paused priorities after a PFC frame for priority 3" "$(paused)" 10
	# PFC for the priority ends while it is paused.
	pfc_config b $b true false 3
	agree "another priority" 08 08 $TAKEN 11:8808
	wait_for 5 "the dataplane uses it" adopted a
	wait_for 1 "nothing is paused" eval '[ "$(paused)" = 00 ]'
	on b "$frames" raw ba "$(pfc_hex 18)"
	wait_for 2 "priority 3 is paused" eval '[ "$(paused)" = 08 ]'
	on b "$frames" raw ba 0180c2000001020000000077880801010018$(printf '0%.0s' {1..32}) # times of 0
	wait_for 2 "nothing is paused" eval '[ "$(paused)" = 00 ]'
}

mismatch() { ctl a -j dcbx $a | jq -c '.[0].mismatch'; }
events() { grep -cE " $2( port [^ ]+)?:" "${log_of[$1]}"; } # PROGRAM EVENT: how many of them it has logged
# no_pending_event: there is no mismatch, and the monitor has received all events that a has logged.
no_pending_event() {
	local e
	[ "$(mismatch)" = '[]' ] || return
	for e in dcbDcbxMismatch dcbDcbxMismatchCleared; do
		[ "$(events monitor $e)" = "$(events dcbd-a $e)" ] || return
	done
}

test_mismatch_is_notified() {
	local begun ended
	pfc_config a $a true true 3
	pfc_config b $b true false 4 5
	agree "a is willing" 30 30 $TAKEN 11:8830
	wait_for 5 "events of mismatches before the test" no_pending_event
	begun=$(events monitor dcbDcbxMismatch) ended=$(events monitor dcbDcbxMismatchCleared)
	pfc_config a $a true false 3
	agree "PFC differs" 08 30 $NOT_WILLING 11:0808
	wait_for 2 "mismatch object" eval '[ "$(mismatch)" = "[\"enable\"]" ]'
	wait_for 5 "event of the mismatch" eval '[ "$(events monitor dcbDcbxMismatch)" -gt '$begun' ]'
	is "events of the end while the mismatch continues" "$(events monitor dcbDcbxMismatchCleared)" $ended
	pfc_config a $a true true 3
	wait_for 5 "event of the end" eval '[ "$(events monitor dcbDcbxMismatchCleared)" -gt '$ended' ]'
	is "events of the mismatch" "$(events monitor dcbDcbxMismatch)" $((begun + 1))
	stop monitor KILL
}

ets_of() { # OBJECT
	value a lldpXdot1dcbxLocETSCon$1.$a.{0..7} | paste -sd ' '
}
# b_ets SHARE SHARE ALGORITHM: the ETS of b: classes 0 and 1, for four priorities each.
b_ets() {
	local p words=()
	for p in 0 1 2 3 4 5 6 7; do words+=(lldpXdot1dcbxAdminETSConPriTrafficClass.$b.$p $((p / 4))); done
	for p in 0 1; do
		words+=(lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$b.$p "${@:p+1:1}"
			lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.$b.$p "$3")
	done
	set_at b "${words[@]}"
}
# With only its transmission enabled, the recommendation of b has the settings of b.
test_recommendation_is_what_is_in_force() {
	set_at b lldpXdot1dcbxConfigETSRecommendationTxEnable.$b.1 true
	set_at a lldpXdot1dcbxConfigETSConfigurationTxEnable.$a.1 true lldpXdot1dcbxAdminETSConWilling.$a true
	wait_for 3 "a uses the recommendation" is_reason Ets $TAKEN
	is "classes" "$(ets_of PriTrafficClass)" "1 0 2 3 4 5 6 7"
	is "algorithms" "$(ets_of TrafficSelectionAlgorithm)" "0 0 0 0 0 0 0 0"
	b_ets 40 60 2
	wait_for 3 "a has the shares of b" eval '[ "$(ets_of TrafficClassBandwidth)" = "40 60 0 0 0 0 0 0" ]'
	is "classes" "$(ets_of PriTrafficClass)" "0 0 0 0 1 1 1 1"
	is "algorithms" "$(ets_of TrafficSelectionAlgorithm)" "2 2 0 0 0 0 0 0"
	b_ets 0 0 0
	wait_for 3 "a has strict priority" eval '[ "$(ets_of PriTrafficClass)" = "1 0 2 3 4 5 6 7" ]'
	set_at b lldpXdot1dcbxConfigETSRecommendationTxEnable.$b.1 false
	set_at a lldpXdot1dcbxConfigETSConfigurationTxEnable.$a.1 false lldpXdot1dcbxAdminETSConWilling.$a false
}
# a uses the ETS that b recommends, if a is willing.
test_willing_end_uses_ets_recommendation() {
	local p words=()
	for p in 0 1 2 3 4 5 6 7; do
		words+=(lldpXdot1dcbxAdminETSConPriTrafficClass.$b.$p $((p / 2))
			lldpXdot1dcbxAdminETSRecoTrafficClassBandwidth.$b.$p $((p == 1 ? 70 : p == 2 ? 30 : 0))
			lldpXdot1dcbxAdminETSRecoTrafficSelectionAlgorithm.$b.$p $((p == 1 || p == 2 ? 2 : 0)))
	done
	set_at b "${words[@]}" lldpXdot1dcbxConfigETSRecommendationTxEnable.$b.1 true
	set_at a lldpXdot1dcbxConfigETSConfigurationTxEnable.$a.1 true
	wait_for 3 "a is not willing" is_reason Ets $NOT_WILLING
	is "a has no ETS" "$(value a dcbDcbxPortEtsInForce.$a)" 2
	set_at a lldpXdot1dcbxAdminETSConWilling.$a true
	wait_for 3 "a uses the recommendation" is_reason Ets $TAKEN
	is "a has ETS" "$(value a dcbDcbxPortEtsInForce.$a)" 1
	is "shares" "$(ets_of TrafficClassBandwidth)" "0 70 30 0 0 0 0 0"
	is "algorithms" "$(ets_of TrafficSelectionAlgorithm)" "0 2 2 0 0 0 0 0"
	is "classes" "$(ets_of PriTrafficClass)" "0 0 1 1 2 2 3 3"
	wait_for 2 "TLV of a has the ETS in force" eval \
		'[[ " $(last_said ab out) " == *" 9:800011223300461e00000000000002020000000000 "* ]]' || last_said ab out
	refused_at inconsistentValue b lldpXdot1dcbxAdminETSRecoTrafficClassBandwidth.$b.1 60
	set_at b lldpXdot1dcbxConfigETSRecommendationTxEnable.$b.1 false
	wait_for 3 "no recommendation" is_reason Ets $PEER_SILENT
	is "a has no ETS" "$(value a dcbDcbxPortEtsInForce.$a)" 2
}

test_application_priorities() {
	# iSCSI and FCoE.
	set_at a lldpXdot1dcbxAdminApplicationPriorityAEPriority.$a.2.3260 4 \
		lldpXdot1dcbxAdminApplicationPriorityAEPriority.$a.1.35078 3
	set_at a lldpXdot1dcbxConfigApplicationPriorityTxEnable.$a.1 true
	wait_for 3 "TLV of a" eval '[[ " $(last_said ab out) " == *" 12:00618906820cbc "* ]]' || last_said ab out
	rem_app() {
		ctl b -j show lldpXdot1dcbxRemApplicationPriorityAEPriority | jq -r '.[0].rows[]? |
			(.instance | split(".") | .[4:] | join(".")) + "=" + (.values[] | tostring)' | paste -sd ' '
	}
	wait_for 3 "b has both priorities" eval '[ "$(rem_app)" = "1.35078=3 2.3260=4" ]' || rem_app
	set_at a dcbDcbxAppRowStatus.$a.1.35078 destroy
	wait_for 3 "b has one priority" eval '[ "$(rem_app)" = "2.3260=4" ]'
}

# last_heard FIELD: a field of the last LLDPDU that a received. 1: its time, 5: its TTL.
last_heard() { awk -v n="$1" '$2 == "in" { word = $n } END { print word }' "${log_of[list-ab]}"; }

test_own_settings_without_peer() {
	local heard now_pfc
	pfc_config a $a true true 3
	pfc_config b $b true false 4 5
	wait_for 3 "agreed" is_pfc 30 30
	stop lldpd-b
	wait_for 3 "our own PFC again" is_pfc 08 30
	is "reason" "$(reason Pfc)" $NO_PEER
	start_lldpd b
	wait_for 5 "agreed again" is_pfc 30 30
	ip -n b link set ba down
	wait_for 3 "our own PFC again" is_pfc 08 30
	ip -n b link set ba up
	wait_for 8 "agreed again" is_pfc 30 30
	# b remains a neighbor until its TTL expires, which lldpd counts in whole seconds.
	lldp b configure lldp tx-hold 1
	wait_for 5 "TTL of b" eval '[ "$(last_heard 5)" = '$interval' ]'
	crash_lldpd b
	heard=$(last_heard 1)
	now_pfc=$(pfc a)
	time_us
	[ $((us - heard)) -ge $(((interval - 1) * 1000000)) ] || is "PFC before the TTL expired" "$now_pfc" 30
	wait_for $((interval + 3)) "our own PFC again" is_pfc 08 30
	time_us
	at_least "us from the last LLDPDU to our own PFC" $((us - heard)) $(((interval - 1) * 1000000))
	start_lldpd b
	wait_for 5 "agreed again" is_pfc 30 30
}

test_own_settings_with_two_peers() {
	speak b ba -t 60 -g 500000 11:0840
	wait_for 3 "our own PFC with two neighbors" is_pfc 08 30
	is "reason" "$(reason Pfc)" $MANY_PEERS
	is "neighbors" "$(value a dcbDcbxPortNeighbors.$a)" 2
	is "neighbors that send DCBX TLVs" "$(value a dcbDcbxPortPeers.$a)" 2
	is "neighbor in use" "$(value a dcbDcbxPortPeer.$a)" 0
	leave b ba
	wait_for 6 "agreed with one neighbor again" is_pfc 30 30
	is "reason" "$(reason Pfc)" $TAKEN
}

# A second neighbor at ba without DCBX TLVs, as the firmware of a NIC.
test_neighbor_without_dcbx_does_not_count() {
	local peer_index
	peer_index=$(value a dcbDcbxPortPeer.$a)
	speak b ba -t 60 -g 500000 8:0808
	wait_for 5 "two neighbors" is_value a dcbDcbxPortNeighbors.$a 2
	is "PFC in force" "$(pfc a) $(pfc b)" "30 30"
	is "reason" "$(reason Pfc)" $TAKEN
	is "neighbor in use" "$(value a dcbDcbxPortPeer.$a)" "$peer_index"
	is "neighbor in use, in dcbctl" "$(ctl a -j dcbx $a | jq '.[0].peer')" "$peer_index"
	like "note of dcbctl" "$(ctl a dcbx $a)" ': 2 neighbors: DCBX uses the TLVs of [0-9a-f-]{17} '
	leave b ba
	wait_for 6 "one neighbor" is_value a dcbDcbxPortNeighbors.$a 1
}

# Both are willing. The neighbor's source address decides, and not its chassis ID and port ID; only
# LLDPDUs to the nearest bridge count. a has 02:00:00:00:00:0a.
SOURCE=3 ELSEWHERE=4 UNDECIDED=8
origin() { value a dcbNeighborAddressOrigin.$a."$(value a dcbDcbxPortPeer.$a)"; }
decides() { # WHAT SOURCE PORT-ID DESTINATION REASON ORIGIN
	local who=(-s $2 -c $3 -o $3)
	speak b ba -t 60 -g 200000 "${who[@]}" -d $4 11:8830
	wait_for 5 "$1: reason" is_reason Pfc $5 || fail "$1: reason $(reason Pfc)"
	is "$1: origin of the address" "$(origin)" $6
	stop_peer ba
	on b "$peer" send ba -t 0 "${who[@]}" -d $4
	wait_for 5 "$1: the neighbor has left" is_value a dcbDcbxPortNeighbors.$a 0
}
test_source_address_decides_between_willing_ports() {
	local nearest=01:80:c2:00:00:0e
	pfc_config a $a true true 3
	stop lldpd-b
	wait_for 5 "no neighbor" is_value a dcbDcbxPortNeighbors.$a 0
	decides "higher source address" 02:00:00:00:00:0b 02:00:00:00:00:01 $nearest $TAKEN $SOURCE
	decides "lower source address" 02:00:00:00:00:09 02:00:00:00:00:0f $nearest $PEER_TAKES $SOURCE
	decides "not to the nearest bridge" 02:00:00:00:00:0b 02:00:00:00:00:0e 01:80:c2:00:00:03 $UNDECIDED $ELSEWHERE
	start_lldpd b
	wait_for 5 "agreed again" is_pfc 30 30
}

# CEE DCBX is recognized, and its TLV is no TLV of IEEE DCBX.
test_cee_dcbx_is_named() {
	pfc_config a $a true true 3
	stop lldpd-b
	wait_for 5 "no neighbor" is_value a dcbDcbxPortNeighbors.$a 0
	speak b ba -t 60 -g 500000 001b21/2:02080000000000000001
	wait_for 5 "why" eval '[ "$(ctl a -j dcbx $a | jq -r ".[0].pfc.why")" = \
		"the neighbor speaks CEE DCBX, and sends no PFC TLV: local configuration" ]' || ctl a dcbx $a
	is "versions of DCBX" "$(ctl a -j neighbors $a | jq -c '.[0].neighbors[0].dcbx')" '["cee"]'
	leave b ba
	start_lldpd b
	wait_for 5 "agreed again" is_pfc 30 30
}

# The state file has no values in force: without a neighbor dcbd uses the administered ones.
test_values_in_force_are_not_saved() {
	local how
	for how in TERM KILL; do
		stop dcbd-a $how
		start_node a
		wait_for 5 "agreed again, after $how" is_pfc 30 30
	done
	stop lldpd-b
	stop dcbd-a
	start_node a
	wait_for 5 "our own PFC" eval '[ "$(pfc a)" = 08 ]'
	start_lldpd b
	wait_for 5 "agreed again" is_pfc 30 30
}

# --- audit: the settings of a against the TLVs of b -------------------------------------------------

# same_settings NODE IFINDEX: PFC 3, two classes with ETS, one application priority, CNPV 5.
same_settings() {
	local p words=()
	for p in 0 1 2 3 4 5 6 7; do
		words+=(lldpXdot1dcbxAdminETSConPriTrafficClass.$2.$p $((p / 4))
			lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$2.$p $((p == 0 ? 40 : p == 1 ? 60 : 0))
			lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.$2.$p $((p < 2 ? 2 : 0))
			lldpXdot1dcbxAdminETSRecoTrafficClassBandwidth.$2.$p 0
			lldpXdot1dcbxAdminETSRecoTrafficSelectionAlgorithm.$2.$p 0)
	done
	set_at $1 "${words[@]}" lldpXdot1dcbxAdminETSConWilling.$2 false \
		lldpXdot1dcbxConfigETSConfigurationTxEnable.$2.1 true \
		lldpXdot1dcbxConfigETSRecommendationTxEnable.$2.1 true \
		lldpXdot1dcbxConfigApplicationPriorityTxEnable.$2.1 true \
		lldpXdot1dcbxAdminApplicationPriorityAEPriority.$2.2.3260 4 \
		lldpXdot1CnConfigCnTxEnable.$2.1 true
	set_at $1 ieee8021CnComPriRowStatus.1.5 createAndGo
	pfc_config $1 $2 true false 3
}

# audit_is STATUS RESULT...: of the features in their order.
audit_is() {
	ctl a dcbx --audit ab >$T/audit
	audit_status=$?
	[ $audit_status = $1 ] && [ "$(awk 'NR > 1 { print $3 }' $T/audit | paste -sd ' ')" = "${*:2}" ]
}
wait_audit() { # WHAT STATUS RESULT...
	wait_for 5 "$1" audit_is "${@:2}" || { echo "    status $audit_status" && cat $T/audit; }
}
# differs WHAT FEATURE OBJECT.INDEX VALUE ORIGINAL: a SET at b is a mismatch of the N-th feature.
differs() {
	local wanted=(match match match match match)
	wanted[$2]=mismatch
	set_at b $3 $4
	wait_audit "$1 differs" 1 "${wanted[@]}"
	set_at b $3 $5
	wait_audit "$1 is the same again" 0 match match match match match
}

test_audit_compares_settings_with_the_neighbor() {
	local i line wanted=(
		'ab pfc match 3 3'
		'ab etsConfiguration match TC 0 (0-3) 40%, TC 1 (4-7) 60% TC 0 (0-3) 40%, TC 1 (4-7) 60%'
		'ab etsRecommendation match TC 0 (0-3) 40%, TC 1 (4-7) 60% TC 0 (0-3) 40%, TC 1 (4-7) 60%'
		'ab applicationPriority match tcp 3260:4 tcp 3260:4'
		'ab congestionNotification match 5 5')
	same_settings a $a
	same_settings b $b
	wait_audit "the same settings" 0 match match match match match
	for i in 0 1 2 3 4; do
		line=$(sed -n "$((i + 2))p" $T/audit | tr -s ' ')
		is "line $i" "${line% }" "${wanted[i]}"
	done
	differs "PFC" 0 lldpXdot1dcbxAdminPFCEnableEnabled.$b.4 true false
	differs "application priority" 3 lldpXdot1dcbxAdminApplicationPriorityAEPriority.$b.2.3260 5 4
	set_at b lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$b.0 41 \
		lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$b.1 59
	wait_audit "ETS and its recommendation differ" 1 match mismatch mismatch match match
	set_at b ieee8021CnComPriRowStatus.1.6 createAndGo
	wait_audit "the CNPVs differ" 1 match mismatch mismatch match mismatch
	is "JSON" "$(ctl a -j dcbx --audit ab | jq -c '.[4]')" "$(jq -nc --argjson a $a '{version: 1, ifIndex: $a, port: "ab",
		feature: "congestionNotification", result: "mismatch", expected: "5", told: "5-6"}')"
	is "object" "$(value a dcbDcbxAuditResult.$a.{1..5} | paste -sd ' ')" "1 2 2 1 2"
	set_at b lldpXdot1dcbxConfigPFCTxEnable.$b.1 false
	wait_audit "b sends no PFC TLV" 1 notTold mismatch mismatch match mismatch
}

# A willing port that has taken other values agrees with its neighbor, and differs from its settings.
test_audit_of_a_willing_port() {
	pfc_config a $a true true 3
	pfc_config b $b true false 4
	wait_for 5 "a has taken the PFC of b" is_pfc 10 10
	wait_audit "the PFC set at a" 1 mismatch mismatch mismatch match mismatch
	like "line of PFC" "$(sed -n 2p $T/audit | tr -s ' ')" '^ab pfc mismatch 3 4 ?$'
	pfc_config a $a true true
	wait_audit "no PFC is set at a" 1 match mismatch mismatch match mismatch
	like "line of PFC" "$(sed -n 2p $T/audit | tr -s ' ')" '^ab pfc match any 4 ?$'
}

test_audit_without_neighbor_or_dcbd() {
	stop lldpd-b
	wait_audit "no neighbor" 1 noNeighbor noNeighbor notExpected noNeighbor noNeighbor
	ctl a dcbx --audit nosuchport >$T/audit 2>&1
	is "status with a port that does not exist" $? 2
	like "message" "$(<$T/audit)" 'expected the name or ifIndex of a port of dcbd, not "nosuchport"'
	stop dcbd-a
	ctl a dcbx --audit >$T/audit 2>&1
	is "status without dcbd" $? 2
	is "status of dcbx without dcbd" "$(ctl a dcbx 2>&1 >/dev/null | wc -l) $(ctl a dcbx >/dev/null 2>&1; echo $?)" "1 1"
}

run_tests
