#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# LLDP on the links of two RBridges: the congestion notification domain and the PFC of the link
# between them follow it, as those of bridges do, and what a TRILL frame has inside follows the domain.
#
#   s: dcb0 - dcbd (station) - sa === as +---+         +---+
#                                        | a | ab===ba | b | bh === hb :h (no LLDP)
#                                        +---+         +---+
#                              nickname   256           512 (root)
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/rbridges.sh
. "$(dirname -- "$(readlink -f -- "$0")")/rbridges.sh"
[ -w /dev/net/tun ] || skip_all "no write access to /dev/net/tun"

interval=1 # seconds between the LLDPDUs of an lldpd: neighbors age in four
# enum dcbx_reason
NO_PEER=2 NOT_WILLING=5 TAKEN=7

for n in s a b h; do node $n; done
cable s sa a as
cable a ab b ba
cable b bh h hb
ip -n a link set ab mtu 1600
ip -n b link set ba mtu 1600
for n in a b; do start_lldpd $n; done
start_lldpd s sa # not on its tap, whose frames go to the same neighbor
node_conf s station sa 'ports = ( { name = "sa"; tap = "dcb0"; pvid_tagged = true; } );' "initial = ( $(cn_conf 3) );"
node_conf a rbridge 'a*' 'ports = ( { name = "*"; pvid_tagged = true; } );' \
	"initial = ( $(own 256; trunk ab; by ab 512 b ba), $(cn_conf 3) );"
node_conf b rbridge 'b*' 'ports = ( { name = "*"; pvid_tagged = true; } );' \
	"initial = ( $(own 512; trunk ba; by ba 256 a ab), $(cn_conf 3) );"
for n in a b s; do start_node $n; done
for n in "b ba" "a ab" "h hb"; do
	start frames-${n#* } nsenter --net=/run/netns/${n% *} -- "$frames" list ${n#* } -x
	wait_for 5 "list of frames at ${n#* }" logged frames-${n#* } ready || die "cannot list frames"
done
wait_for 10 "ports are up" eval 'ports_up s sa && ports_up a as ab && ports_up b ba bh'
ab=$(if_of a ab) ba=$(if_of b ba)

stream=0
# inject NODE IF: sends a broadcast frame of priority 3 with the new stream number $stream.
inject() {
	local n
	stream=$((stream + 1))
	for n in s a b; do wait_for 5 "$n uses all settings" adopted $n; done
	on $1 "$frames" send $2 -i $stream -d ff:ff:ff:ff:ff:ff -v 1 -p 3 "${@:3}" || fail "cannot send frames"
}
# outside IF: how the frame of $stream arrived there in a TRILL frame: "OUTER INNER" priorities, and
# "CN-TAG" if it has one inside.
outside() {
	local line tag='8100([0-9a-f])[0-9a-f]{3}'
	line=$(grep -oE "${tag}22f3[0-9a-f]{36}${tag}(22e9[0-9a-f]{4})?88b5$(printf %08x $stream)" "${log_of[frames-$1]}")
	[ -n "$line" ] || return 1
	printf '%d %d%s\n' $((0x${line:4:1} >> 1)) $((0x${line:52:1} >> 1)) \
		"$([ "${line:56:4}" != 22e9 ] || echo ' CN-TAG')"
}
# inside IF: the same of a native frame: "PRIORITY TYPE".
inside() { awk -v s=$stream '$6 == s { sub(/.*\//, "", $3); print $3, $4 }' "${log_of[frames-$1]}"; }
# arrives WHAT outside|inside IF WANTED: it arrives once, like that.
arrives() {
	wait_for 5 "$1: frame arrives" eval '[ -n "$('"$2 $3"')" ]'
	is "$1" "$($2 $3)" "$4"
}
is_in_force() { # A B: whether PFC of priority 3 is in force at ab and at ba: 1 true, 2 false
	is_value a lldpXdot1dcbxLocPFCEnableEnabled.$ab.3 $1 && is_value b lldpXdot1dcbxLocPFCEnableEnabled.$ba.3 $2
}
received() { value a ieee8021PfcIndications.$ab; } # PFC frames
paused() { value a dcbPfcPriorityTransitions.$ab.3; } # how often priority 3 was paused
pfc_frame() { # sends one from b to a, for priority 3, and waits until a has received it
	local before
	before=$(received)
	on b "$frames" raw ba 0180c2000001020000000077880801010008000000000000ffff"$(printf %016d 0)"
	wait_for 5 "PFC frame" eval "[ \$(received) -gt $before ]"
}

# As on a link of two bridges, no mode is configured.
test_domain_forms_on_the_link_of_rbridges() {
	wait_for 10 "all are ready" ready s sa a as a ab b ba
	is "mode of a port without LLDP" "$(mode b bh)" $EDGE
	inject s dcb0
	arrives "on the link" outside ba "3 3 CN-TAG"
	arrives "beyond the domain" inside hb "3 88b5"
	inject h hb
	arrives "from beyond the domain" outside ab "2 2"
}

test_pfc_is_taken_by_the_willing_rbridge() {
	pfc_frame
	is "pauses without PFC" "$(paused)" 0
	set_at a lldpXdot1dcbxConfigPFCTxEnable.$ab.1 true lldpXdot1dcbxAdminPFCWilling.$ab true
	set_at b lldpXdot1dcbxConfigPFCTxEnable.$ba.1 true lldpXdot1dcbxAdminPFCWilling.$ba false \
		lldpXdot1dcbxAdminPFCEnableEnabled.$ba.3 true
	wait_for 5 "PFC in force at both ends" is_in_force 1 1
	is "reasons" "$(value a dcbDcbxPortPfcReason.$ab) $(value b dcbDcbxPortPfcReason.$ba)" "$TAKEN $NOT_WILLING"
	for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done
	pfc_frame
	is "pauses with PFC" "$(paused)" 1
	inject s dcb0
	arrives "after the pause" outside ba "3 3 CN-TAG"
}

# Its LLDPDUs end without a shutdown. Both ends wait for the time to live.
test_domain_and_pfc_end_without_lldp() {
	crash_lldpd b
	wait_for 10 "both are edges" eval 'is_mode a ab $EDGE && is_mode b ba $EDGE'
	wait_for 5 "PFC is that of each RBridge" is_in_force 2 1
	is "reason" "$(value a dcbDcbxPortPfcReason.$ab)" $NO_PEER
	is "mode of the other link" "$(mode a as)" $READY
	# A port in mode edge strips the CN-TAG inside (2.1), and maps both priorities of received frames.
	inject s dcb0
	arrives "without domain" outside ba "3 3"
	arrives "beyond both edges" inside hb "2 88b5"
}

test_domain_and_pfc_form_again_with_lldp() {
	start_lldpd b
	wait_for 10 "all are ready" ready s sa a as a ab b ba
	wait_for 5 "PFC in force at both ends" is_in_force 1 1
	inject s dcb0
	arrives "on the link" outside ba "3 3 CN-TAG"
	arrives "beyond the domain" inside hb "3 88b5"
}

run_tests
