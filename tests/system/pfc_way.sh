#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The way in which two bridges find PFC headroom: PFC TLVs of length 6 and 7 and PFC delay TLVs
# through real lldpds, and what dcbd does with wrong ones of a neighbor that sends raw LLDPDUs.
#
#   h (raw LLDPDUs)  ha ==== ah +---+        +---+
#                               | a | ab==ba | b |
#                               +---+        +---+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

for n in h a b; do node $n; done
cable h ha a ah
cable a ab b ba
a=$(if_of a ab) b=$(if_of b ba) ah=$(if_of a ah)
for n in a b; do
	start_lldpd $n
	node_conf $n bridge "$n*"
	start_node $n
done
listen_on a ab
listen_on a ah
wait_for 5 "neighbors" eval '[ "$(neighbors a ab)$(neighbors b ba)" = 11 ]'
# PFC for priority 3, and the TLV, at all ports.
pfc_on() { # NODE IFINDEX
	set_at $1 lldpXdot1dcbxConfigPFCTxEnable.$2.1 true lldpXdot1dcbxAdminPFCEnableEnabled.$2.3 true
}
pfc_on a $a
pfc_on a $ah
pfc_on b $b

port_of() { if [ $1 = a ]; then echo $a; else echo $b; fi; }
# way NODE IFINDEX: bits sent, bits received, way in use and its reason.
way() {
	ctl $1 -j dcbx $2 | jq -r '.[0].headroom |
		"\(.sent.bits | join("+")) \(.theirs.bits | join("+")) \(.inForce) \(.reason)"'
}
is_way() { [ "$(way $1 $2)" = "$3" ]; }
wait_way() { # WHAT NODE IFINDEX WAY
	wait_for 5 "$1: $2" is_way $2 $3 "$4" || fail "$1: $2 has '$(way $2 $3)', wanted '$4'"
}
both() { # WHAT WAY-OF-A WAY-OF-B
	wait_way "$1" a $a "$2"
	wait_way "$1" b $b "$3"
}
# offer NODE FORMAT MEASUREMENT PTP. A SET also ends the hold of a port.
offer() {
	local p
	p=$(port_of $1)
	set_at $1 dcbPfcWayAdvertise.$p $2 dcbPfcWayMeasurement.$p $3 dcbPfcWayPtp.$p $4
}
said_last() { [ "$(last_said ab $1)" = "$2" ]; } # in|out TLVS

# --- two dcbd ----------------------------------------------------------------------------------

test_length_6_by_default() {
	wait_for 5 "TLV of a" said_last out 11:0808 || last_said ab out
	wait_for 5 "TLV of b" said_last in 11:0808 || last_said ab in
	both "by default" "  configured off" "  configured off"
	is "audit of a" "$(ctl a dcbx --audit ab | awk '$2 == "pfc" { print $3 }')" match
}

test_length_7_and_6() {
	offer a p8021qdt true false
	wait_for 5 "TLV of a" said_last out 11:080880 || last_said ab out
	both "7 and 6" "measurement  configured peer2018" " measurement configured off"
	wait_for 5 "lldpd of b has it" eval '[ "$(heard b ba)" = 11:080880 ]' || heard b ba
	is "PFC in force at b" "$(value b dcbPfcPriorityEnable.$b.3)" 1
	is "audit of b" "$(ctl b dcbx --audit ba | awk '$2 == "pfc" { print $3 }')" match
	like "neighbors of b" "$(ctl b neighbors ba)" 'PFC +priorities 3, at most 8; not willing; measurement'
	is "TLVs that b has found malformed" "$(value b dcbPfcWayMalformed.$b)" 0
}

test_length_7_at_both_ends() {
	offer a p8021qdt true false
	offer b p8021qdt false true
	both "different bits" "measurement ptp configured notCommon" "ptp measurement configured notCommon"
	offer b p8021qdt true true
	both "one in common" "measurement measurement+ptp measured agreed" "measurement+ptp measurement measured agreed"
	offer a p8021qdt true true
	both "both in common" "measurement+ptp measurement+ptp measured preferred" \
		"measurement+ptp measurement+ptp measured preferred"
	offer a p8021qdt false true
	both "PTP in common" "ptp measurement+ptp linkDelays agreed" "measurement+ptp ptp linkDelays agreed"
	like "dcbctl of a" "$(ctl a dcbx ab | tr -s ' ')" 'ab PFC headroom PTP PTP measurement, PTP link delays both ends support it'
}

test_port_that_does_not_measure() {
	set_at a dcbPfcMeasureEnable.$a off dcbPfcWayMeasurement.$a true
	both "a does not measure, PTP in common" "ptp measurement+ptp linkDelays agreed" \
		"measurement+ptp ptp linkDelays agreed"
	set_at a dcbPfcWayPtp.$a false
	both "a does not measure" " measurement+ptp configured notMeasuring" \
		"measurement+ptp  configured notCommon"
	like "dcbctl of a" "$(ctl a dcbx ab | tr -s ' ')" 'only measurement is left, and dcbPfcMeasureEnable'
	set_at a dcbPfcMeasureEnable.$a agreed dcbPfcWayPtp.$a true
	both "a measures" "measurement+ptp measurement+ptp measured preferred" \
		"measurement+ptp measurement+ptp measured preferred"
	offer a p8021qdt false true
	both "PTP in common again" "ptp measurement+ptp linkDelays agreed" "measurement+ptp ptp linkDelays agreed"
}

test_pfc_of_no_priority_needs_no_way() {
	set_at b lldpXdot1dcbxAdminPFCEnableEnabled.$b.3 false
	both "no PFC at b" "ptp measurement+ptp configured noPfc" "measurement+ptp ptp configured noPfc"
	set_at b lldpXdot1dcbxAdminPFCEnableEnabled.$b.3 true
	both "PFC at b" "ptp measurement+ptp linkDelays agreed" "measurement+ptp ptp linkDelays agreed"
}

# The delay of a: PHY 18944 and 18944 bits, 1000 ns, a frame of 1546 octets, at 10 Gb/s.
test_local_delay() {
	set_at a dcbPfcWaySendDelay.$a true
	is "until the response time is measured" "$(value a dcbPfcWayLocalDelay.$a)" 205026
	wait_for 5 "b uses it" is_value b dcbPfcWayPeerDelay.$b 205026 || ctl b dcbx ba
	set_at a dcbPfcWayResponse.$a 1000
	is "delay of a" "$(value a dcbPfcWayLocalDelay.$a)" 6026
	wait_for 5 "b uses it" is_value b dcbPfcWayPeerDelay.$b 6026 || ctl b dcbx ba
	wait_for 5 "TLVs of a" said_last out "11:080840 23:00000000178a0000" || last_said ab out
	like "neighbors of b" "$(ctl b neighbors ba)" 'PFC delay +6026 ns'
	is "delay in JSON" "$(ctl b -j dcbx ba | jq '.[0].headroom.theirs.delay')" 6026
	set_at a dcbPfcWaySendDelay.$a false
	wait_for 5 "b has no delay" is_value b dcbPfcWayPeerDelay.$b 0
}

# The time that dcbd takes to obey a PFC frame of h: a bound of it is part of the delay. It depends
# on the machine, and is rounded up to a power of two.
test_local_delay_has_the_measured_response() {
	local i longest bound=1 told most=67108864
	local head=0180c200000102000000000a88080101
	local xoff=${head}0008000000000000ffff xon=${head}00080000000000000000
	set_at a dcbPfcWaySendDelay.$ah true
	is "nothing was measured" "$(value a dcbPfcWayMeasuredResponse.$ah)" 0
	is "delay before" "$(value a dcbPfcWayLocalDelay.$ah)" 205026
	for ((i = 0; i < 80; i++)); do
		on h "$frames" raw ha $xoff
		on h "$frames" raw ha $xon
	done
	wait_for 5 "all are received" eval '[ "$(value a dcbPfcPriorityIndications.$ah.3)" = 160 ]'
	longest=$(value a dcbPfcWayMeasuredResponse.$ah)
	while [ $bound -lt $((2 * longest)) ] && [ $bound -lt $most ]; do bound=$((2 * bound)); done
	printf '    response at most %d ns, told %d ns\n' $longest $bound
	at_least "longest response" $longest 1
	wait_for 5 "delay with it" is_value a dcbPfcWayLocalDelay.$ah $((5026 + bound))
	told=$(value a dcbPfcWayLocalDelay.$ah)
	set_at a dcbPfcWayResponse.$ah $bound
	is "the same as if it were set" "$(value a dcbPfcWayLocalDelay.$ah)" $told
	set_at a dcbPfcWayResponse.$ah 0 dcbPfcWaySendDelay.$ah false
}

test_neighbor_that_stops_sending() {
	offer a p8021qdt true false
	offer b p8021qdt true false
	both "before" "measurement measurement measured agreed" "measurement measurement measured agreed"
	set_at b lldpXdot1dcbxConfigPFCTxEnable.$b.1 false
	both "b sends no TLV" "measurement  configured peerSilent" " measurement configured off"
	set_at b lldpXdot1dcbxConfigPFCTxEnable.$b.1 true
	both "b sends it again" "measurement measurement measured agreed" "measurement measurement measured agreed"
	stop lldpd-b
	wait_way "without lldpd of b" a $a "measurement  configured noPeer"
	start_lldpd b
	wait_way "with lldpd of b" a $a "measurement measurement measured agreed"
}

# The settings are saved, and both ends agree again.
test_restarts() {
	local how
	for how in TERM KILL; do
		stop dcbd-a $how
		start_node a
		both "after $how" "measurement measurement measured agreed" "measurement measurement measured agreed"
	done
}

# --- raw LLDPDUs --------------------------------------------------------------------------------

heard_raw() { # TLV...: the neighbor of ah sends these from now on
	speak h ha -t 60 -g 300000 "$@"
}
peer_delay() { is_value a dcbPfcWayPeerDelay.$ah $1; }
more() { [ "$(value a $1.$ah)" -gt $2 ]; } # COUNTER THAN

test_mbc_bit_of_both_lengths() {
	set_at a dcbPfcWayAdvertise.$ah p8021qdt dcbPfcWayMeasurement.$ah true
	heard_raw 11:4808
	wait_way "MBC, length 6" a $ah "measurement mbc configured peer2018"
	heard_raw 11:780880
	wait_way "MBC, length 7" a $ah "measurement mbc+macsec+privacy+measurement measured agreed"
	heard_raw 11:4808bf
	wait_way "reserved bits" a $ah "measurement mbc+measurement measured agreed"
}

# 802.1AB: octets after the fields, as a later version may have, are ignored.
test_longer_tlvs() {
	local before
	before=$(value a dcbPfcWayMalformed.$ah)
	set_at a dcbPfcWayMeasurement.$ah true
	heard_raw 11:08
	wait_way "without a TLV" a $ah "measurement  configured peerSilent"
	before=$(value a dcbPfcWayMalformed.$ah)
	heard_raw 11:08088000ffff 23:000000001388000000
	wait_way "length 10" a $ah "measurement measurement measured agreed"
	wait_for 5 "delay of a TLV with a length of 13" peer_delay 5000
	is "malformed TLVs" "$(value a dcbPfcWayMalformed.$ah)" $before
}

# Shorter ones count as absent.
test_short_tlvs() {
	local tlv before
	for tlv in 11: 11:08 11:080880 11:08; do
		set_at a dcbPfcWayMeasurement.$ah true
		before=$(value a dcbPfcWayMalformed.$ah)
		heard_raw $tlv
		[ $tlv = 11:080880 ] || wait_for 5 "$tlv is malformed" more dcbPfcWayMalformed $before
		if [ $tlv = 11:080880 ]; then
			wait_way "$tlv" a $ah "measurement measurement measured agreed"
		else
			wait_way "$tlv" a $ah "measurement  configured peerSilent"
		fi
	done
	for tlv in 23: 23:00 23:00000000200000; do
		before=$(value a dcbPfcWayMalformed.$ah)
		heard_raw 11:080880 $tlv
		wait_for 5 "$tlv is malformed" more dcbPfcWayMalformed $before
		is "$tlv: delay in use" "$(value a dcbPfcWayPeerDelay.$ah)" 0
		set_at a dcbPfcWayMeasurement.$ah true
		wait_way "$tlv" a $ah "measurement measurement measured agreed"
	done
}

# Negative, zero, shorter than a frame, longer than 100 ms: refused, and nothing else changes.
test_implausible_delays() {
	local delay before
	for delay in ffffffffec780000 ffffffffffffffff 0000000000000000 0000000004d40000 00005f5e10000001 \
		7fffffffffffffff 8000000000000000; do
		set_at a dcbPfcWayMeasurement.$ah true
		heard_raw 11:080880 23:0000000013880000
		wait_for 5 "delay before $delay" peer_delay 5000
		before=$(value a dcbPfcWayRefusedDelays.$ah)
		heard_raw 11:080880 23:$delay
		wait_for 5 "$delay is refused" more dcbPfcWayRefusedDelays $before
		wait_for 5 "$delay is not used" peer_delay 0
		is "way with $delay" "$(way a $ah)" "measurement measurement measured agreed"
	done
	logged dcbd-a "ah: the neighbor's PFC local delay of -5000 ns is refused, expected 1237 to 100000000 ns" ||
		fail "no message about a refused delay"
}

# A neighbor whose TLV comes and goes changes the way a few times; a SET ends the hold.
test_flapping_is_bounded() {
	local before i
	heard_raw 11:080880
	set_at a dcbPfcWayMeasurement.$ah true
	wait_way "before" a $ah "measurement measurement measured agreed"
	before=$(value a dcbPfcWayChanges.$ah)
	for i in 1 2 3; do
		heard_raw 11:0808
		wait_way "length 6, $i" a $ah "measurement  configured peer2018"
		heard_raw 11:080880
		[ $i = 3 ] || wait_way "length 7, $i" a $ah "measurement measurement measured agreed"
	done
	wait_way "held" a $ah "measurement measurement configured held"
	like "dcbctl" "$(ctl a dcbx ah)" 'the neighbor changes its TLVs too often: held until it is quiet for a minute'
	for i in 1 2 3; do
		heard_raw 11:0808
		wait_way "length 6, held, $i" a $ah "measurement  configured peer2018"
		heard_raw 11:080880
		wait_way "length 7, held, $i" a $ah "measurement measurement configured held"
	done
	is "changes" "$(value a dcbPfcWayChanges.$ah)" $((before + 5))
	set_at a dcbPfcWayMeasurement.$ah true
	wait_way "after a SET" a $ah "measurement measurement measured agreed"
	leave h ha
	wait_way "the neighbor has left" a $ah "measurement  configured noPeer"
	is "way of the other port" "$(way a $a)" "measurement measurement measured agreed"
}

run_tests
