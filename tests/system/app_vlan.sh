#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Application VLANs: set by SNMP, announced through lldpd, received by another system, restored after
# restarts; limits; and no effect on DCBX.
#
#   sw1: dcbd, lldpd, dcb-agentx, snmpd === ba: dcbd, lldpd of b
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

patient_agent
node b
new_address
ip link add sw1 address "$address" type veth peer name ba netns b || die "no veth pair"
ip link set sw1 up
ip -n b link set ba up
sw1=$(ifindex sw1) ba=$(if_of b ba)
start_our_lldpd() {
	start lldpd lldpd -dd -u $T/lldpd -p $T/lldpd.pid -I sw1 -C sw1 -S bridge -L ''
	wait_for 10 "lldpd answers" lldpcli -u $T/lldpd show configuration || die "lldpd does not answer"
	lldpcli -u $T/lldpd configure lldp tx-interval $interval >/dev/null
}
start_our_lldpd
start_lldpd b
start_snmpd
dcbd_conf 'interfaces = { include = [ "sw1" ]; };' "lldp = { socket = \"$T/lldpd\"; };"
start_dcbd
start_agentx
node_conf b bridge ba
start_node b
listen_on b ba

TX=lldpXdot1dcbxConfigApplicationVlanTxEnable
ADMIN=lldpXdot1dcbxAdminApplicationVlanAEVlanId
LOC=lldpXdot1dcbxLocApplicationVlanAEVlanId
REM=lldpXdot1dcbxRemApplicationVlanAEVlanId
STATUS=dcbDcbxAppVlanRowStatus

# The TLV from sw1, in lldpd of b and on the wire.
lldpd_has() { [ "$(heard b ba | grep '^16:')" = "$1" ]; }
wire_has() { [[ " $(last_said ba in) " == *" $1 "* ]]; }
announces() { # WHAT TLV
	wait_for 10 "$1: TLV in lldpd of b" lldpd_has "$2" || fail "$1: $(heard b ba)"
	wait_for 10 "$1: TLV on the wire" wire_has "$2" || fail "$1: $(last_said ba in)"
}
# VLANs of sw1 that b shows: SELECTOR.PROTOCOL=VLAN...
seen_by_b() {
	ctl b -j show $REM | jq -r '.[0].rows[]? |
		(.instance | split(".") | .[4:] | join(".")) + "=" + (.values[] | tostring)' | paste -sd ' '
}
b_sees() { [ "$(seen_by_b)" = "$1" ]; }
# vlans NAME: the same of a table of sw1, over SNMP.
vlans() { walk "${O[$1]}" | sed -nE "s/^\.${O[$1]}\.$sw1\.([0-9.]+) = INTEGER: ([0-9]+)$/\1=\2/p" | paste -sd ' '; }

test_nothing_is_sent_by_default() {
	put $ADMIN.$sw1.4.3260 20
	wait_for 10 "b is a neighbor" is_value b dcbDcbxPortNeighbors.$ba 1
	is "TLV in lldpd of b" "$(heard b ba | grep '^16:')" ''
	is "enabled" "$(get $TX.$sw1.1)" 2
	is "rows of Loc" "$(vlans $LOC)" 4.3260=20
	put $STATUS.$sw1.4.3260 6 $TX.$sw1.1 1
	announces "no application" 16:
	is "TLVs of the neighbor" "$(ctl b -j neighbors $ba | jq -c '.[0].neighbors[0].tlvs')" '["applicationVlan"]'
	wait_for 5 "b has no row" b_sees ''
}

test_neighbor_shows_the_vlans() {
	put $ADMIN.$sw1.4.3260 20 $ADMIN.$sw1.1.35078 1002
	announces "two applications" 16:3ea1890601440cbc
	wait_for 5 "rows of b" b_sees '1.35078=1002 4.3260=20' || fail "$(seen_by_b)"
	is "rows of Loc" "$(vlans $LOC)" '1.35078=1002 4.3260=20'
	is "dcbctl neighbors" "$(ctl b -j neighbors $ba | jq -c '.[0].neighbors[0].applicationVlans')" \
		'[{"selector":"ethertype","protocol":35078,"vlan":1002},{"selector":"tcp/udp","protocol":3260,"vlan":20}]'
	is "dcbctl dcbx" "$(ctl b -j dcbx $ba | jq -c '.[0].applicationVlans | [(.sent, .theirs) | length]')" '[0,2]'
	put $ADMIN.$sw1.1.35078 4094 $STATUS.$sw1.4.3260 6
	announces "another VLAN" 16:ffe18906
	wait_for 5 "rows of b" b_sees '1.35078=4094' || fail "$(seen_by_b)"
}

test_vlans_of_the_neighbor_are_rows() {
	local row
	set_at b $ADMIN.$ba.3.4420 7 $TX.$ba.1 true
	wait_for 10 "a row" eval '[ -n "$(rows $REM)" ]'
	fresh
	row=$(rows $REM)
	like "row" "$row" "^[0-9]+\.$sw1\.1\.[0-9]+\.3\.4420$"
	is "VLAN" "$(get "$REM.$row")" 7
	refused notWritable "$REM.$row" 8
	set_at b $TX.$ba.1 false
	wait_for 10 "no row" eval '[ -z "$(rows $REM)" ]'
}

test_restarts_keep_settings() {
	local how
	for how in TERM KILL; do
		stop lldpd # so that no TLV of before remains in it
		wait_for 10 "b has no row" b_sees ''
		restart_dcbd $how
		start_our_lldpd
		is "rows of Admin after $how" "$(vlans $ADMIN)" '1.35078=4094'
		is "enabled after $how" "$(get $TX.$sw1.1)" 1
		announces "after $how" 16:ffe18906
		wait_for 5 "rows of b" b_sees '1.35078=4094' || fail "$(seen_by_b)"
	done
}

# more FIRST LAST: puts varbinds for these UDP ports into the array $more.
more() {
	local n
	more=()
	for ((n = $1; n <= $2; n++)); do more+=($ADMIN.$sw1.3.$n 5); done
}
test_bad_values_and_too_many_rows_are_refused() {
	local before more
	before=$(vlans $ADMIN)
	refused wrongValue $ADMIN.$sw1.1.1 0
	refused wrongValue $ADMIN.$sw1.1.1 4095
	refused noCreation $ADMIN.$sw1.6.1 1
	refused noCreation $ADMIN.$sw1.1.65536 1
	refused inconsistentName $ADMIN.7777.1.1 1
	refused inconsistentValue $STATUS.$sw1.1.1 4
	# One of several varbinds is refused: none is in force.
	refused wrongValue $ADMIN.$sw1.1.1 1 $STATUS.$sw1.1.35078 6 $ADMIN.$sw1.1.2 4095
	is "rows after refused SETs" "$(vlans $ADMIN)" "$before"
	more 1 32
	put "${more[@]}"
	more 33 63
	put "${more[@]}"
	is "rows" "$(count_rows $ADMIN)" 64
	wait_for 10 "rows of b" eval '[ "$(seen_by_b | wc -w)" = 64 ]' || fail "$(seen_by_b)"
	refused resourceUnavailable $ADMIN.$sw1.3.1 6 $ADMIN.$sw1.3.64 5
	is "VLAN after the refused SET" "$(get $ADMIN.$sw1.3.1)" 5
	put $STATUS.$sw1.3.63 6 $ADMIN.$sw1.3.1 6
	put $ADMIN.$sw1.3.64 5
	is "rows" "$(count_rows $ADMIN)" 64
	restart_dcbd
	is "rows after a restart" "$(count_rows $ADMIN)" 64
	wait_for 10 "rows of b" eval '[ "$(seen_by_b | wc -w)" = 64 ]' || fail "$(seen_by_b)"
}

reason() { get dcbDcbxPortPfcReason.$sw1; }
TAKEN=7
test_dcbx_goes_on() {
	local changes malformed
	set_at b dcbPfcPriorityEnable.$ba.3 true lldpXdot1dcbxConfigPFCTxEnable.$ba.1 true
	put lldpXdot1dcbxConfigPFCTxEnable.$sw1.1 1 lldpXdot1dcbxAdminPFCWilling.$sw1 1
	wait_for 10 "PFC of b" eval '[ "$(reason)" = $TAKEN ]' || fail "reason $(reason)"
	changes=$(get dcbDcbxPortChanges.$sw1)
	malformed=$(get dcbDcbxPortMalformedAppVlan.$sw1)
	set_at b $TX.$ba.1 true
	wait_for 10 "a row" eval '[ "$(count_rows $REM)" = 1 ]'
	put $TX.$sw1.1 2
	wait_for 10 "no row at b" b_sees ''
	# A second neighbor sends this TLV only, first a valid one, then a malformed one.
	speak b ba -t 60 -g 500000 16:0fa11234
	wait_for 10 "two rows" eval '[ "$(count_rows $REM)" = 2 ]'
	is "neighbors, and those with DCBX TLVs" "$(get dcbDcbxPortNeighbors.$sw1 dcbDcbxPortPeers.$sw1 | paste -sd ' ')" "2 1"
	is "reason" "$(reason)" $TAKEN
	speak b ba -t 60 -g 500000 16:0fa112
	wait_for 10 "a malformed TLV" eval '[ "$(get dcbDcbxPortMalformedAppVlan.$sw1)" -gt '"$malformed"' ]'
	wait_for 10 "one row" eval '[ "$(count_rows $REM)" = 1 ]'
	is "reason" "$(reason)" $TAKEN
	is "changes of PFC and ETS" "$(get dcbDcbxPortChanges.$sw1)" "$changes"
	leave b ba
}

run_tests
