#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two bridges in series with default settings: frames of the PVID leave untagged, except CNMs and
# the priorities that the neighbor has as CNPV or with PFC. So these keep their priority from bridge
# to bridge.
#
#   +---+            +---+            +---+            +----+
#   | h | ha === ah  | a | ab === ba  | b | bc === cb  | hc |
#   +---+            +---+            +---+            +----+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

h=02:00:00:00:00:0a hc=02:00:00:00:00:0c
for n in h a b hc; do node $n; done
cable h ha a ah
cable a ab b ba
cable b bc hc cb
for n in a b; do
	start_lldpd $n
	node_conf $n bridge "$n*" 'ports = ( { name = "bc"; rate = 20000000L; buffer = 300000; } );' \
		"initial = ( $(cn_conf 3) );"
	start_node $n
done
for n in "b ba" "a ab" "h ha" "hc cb"; do
	# shellcheck disable=SC2086 # two words
	set -- $n
	start frames-$2 nsenter --net=/run/netns/$1 -- "$frames" list "$2"
	wait_for 5 "list of frames at $2" logged frames-$2 ready || die "cannot list frames"
done
wait_for 10 "domain of a and b" ready a ab b ba
wait_for 5 "ports are up" eval 'ports_up a ah ab && ports_up b ba bc'
ab=$(if_of a ab) ba=$(if_of b ba) ah=$(if_of a ah) bc=$(if_of b bc)

stream=0
# inject NODE IF [OPTION...]: sends frames of the new stream $stream.
inject() {
	stream=$((stream + 1))
	for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done
	on "$1" "$frames" send "$2" -i $stream "${@:3}" || fail "cannot send frames"
}
# at IF: the frames of $stream there, each as "PRIORITY TYPE" or "untagged TYPE".
at() { awk -v s=$stream '$6 == s { sub(/.*\//, "", $3); print $3, $4 }' "${log_of[frames-$1]}"; }
arrived() { [ "$(at "$1" | wc -l)" -ge "${2-1}" ]; } # IF [COUNT]
arrives() { # WHAT IF WANTED
	wait_for 5 "$1: arrives" arrived "$2"
	is "$1" "$(at "$2" | sort -u)" "$3"
}
passed_cp() { value b ieee8021CnCpTransmittedFrames.1.$bc.3; } # frames of the second CP
cnms() { awk '$4 ~ /\+22e7$/ { print $3, $4 }' "${log_of[frames-$1]}"; } # IF: "VID/PRIORITY TYPE"

# h is a neighbor in the domain that a manager declares; it sends priority-tagged frames.
test_cnpv_keeps_its_priority() {
	local passed
	set_at a ieee8021CnPortPriDefModeChoice.1.3.$ah 1 ieee8021CnPortPriAdminDefenseMode.1.3.$ah $READY
	inject hc cb -s $hc -d ff:ff:ff:ff:ff:ff
	arrives "priority 0 to the domain" ha "untagged 88b5"
	passed=$(passed_cp)
	inject h ha -s $h -d $hc -p 3 -f 0x42 -n 10
	wait_for 5 "10 frames of the CNPV" eval 'arrived ba 10 && arrived cb 10'
	is "between the bridges" "$(at ba | sort -u)" "3 0042+88b5"
	is "to the edge" "$(at cb | sort -u)" "untagged 88b5"
	is "frames of the second congestion point" "$(passed_cp)" $((passed + 10))
	inject h ha -s $h -d $hc -p 4
	arrives "another priority between the bridges" ba "untagged 88b5"
}

test_cnm_keeps_its_priority() {
	# The frames wait in the socket of ba, then fill the queue of bc at once.
	while_stopped dcbd-b on h "$frames" send ha -s $h -d $hc -p 3 -f 0x42 -n 200 -l 1000
	wait_for 10 "a CNM between the bridges and at h" eval '[ -n "$(cnms ab)" ] && [ -n "$(cnms ha)" ]'
	is "CNMs between the bridges" "$(cnms ab | sort -u)" "1/6 0042+22e7"
	is "CNMs at h" "$(cnms ha | sort -u)" "1/6 0042+22e7"
}

# At the edge the frame leaves the domain: no port sends it with its CN-TAG any more.
test_edge_removes_cn_tag() {
	set_at a ieee8021CnPortPriAdminDefenseMode.1.3.$ah $EDGE
	inject h ha -s $h -d $hc -p 3 -f 0x42
	arrives "from an edge to the domain" ba "untagged 88b5"
	wait_for 5 "frame at hc" arrived cb
	is "to another edge" "$(at cb)" "untagged 88b5"
}

cn_of() { ctl "$1" -j cn "$2" | jq -e ".[0].cnpvs[0] | $3"; } # NODE IFINDEX CONDITION

# The CNPV ends where the neighbor is not known to have it, and dcbctl says so.
test_cn_names_lost_priorities() {
	cn_of b $bc '.untagged and .receivedAs == 2' >$T/cn || fail "bc: $(ctl b -j cn $bc)"
	cn_of b $ba '(.untagged | not) and .receivedAs == 3' >$T/cn || fail "ba: $(ctl b -j cn $ba)"
	like "note of bc" "$(ctl b cn)" \
		"bc: frames of priority 3 leave untagged: the neighbor receives them with its default priority"
}

dcbx_of_a() { ctl a -j dcbx $ab | jq -e ".[0] | $1"; } # CONDITION: of port ab

test_agreed_pfc_keeps_its_priority() {
	local n i
	inject h ha -s $h -d $hc -p 5
	arrives "without PFC" ba "untagged 88b5"
	set_at a lldpXdot1dcbxAdminPFCEnableEnabled.$ab.5 true
	inject h ha -s $h -d $hc -p 5
	arrives "PFC at this end only" ba "untagged 88b5"
	wait_for 5 "dcbctl says so" dcbx_of_a '.pfc.untagged == [5]'
	for n in "a $ab" "b $ba"; do
		i=${n#* }
		set_at "${n% *}" lldpXdot1dcbxAdminPFCEnableEnabled.$i.5 true lldpXdot1dcbxConfigPFCTxEnable.$i.1 true
	done
	wait_for 10 "a has received the PFC of b" dcbx_of_a '.pfc.theirs.enable == [5]'
	inject h ha -s $h -d $hc -p 5
	arrives "with PFC at both ends" ba "5 88b5"
	wait_for 5 "dcbctl has no untagged priority" dcbx_of_a '.pfc.untagged == []'
	set_at b lldpXdot1dcbxAdminPFCEnableEnabled.$ba.5 false
	wait_for 10 "a has received that b has no PFC" dcbx_of_a '.pfc.theirs.enable == []'
	inject h ha -s $h -d $hc -p 5
	arrives "PFC at this end only again" ba "untagged 88b5"
}

# hc pauses bc: b stops a, a stops h, and later every frame arrives. The ports between are slow, so
# that their pauses last for seconds; the headroom is for a machine that is busy for as long.
test_pfc_from_bridge_to_bridge_loses_nothing() {
	local n first
	for n in a b; do
		stop dcbd-$n
		node_conf $n bridge "$n*" 'bridge = { transit_delay = 0; frame_buffers = 300000; };' \
			'defaults = { rate = 20000000L; speed = 20000000L; pfc = { buffer = 10100000; headroom = 10000000; }; };'
		start_node $n
	done
	wait_for 5 "ports are up" eval 'ports_up a ah ab && ports_up b ba bc'
	set_at a dcbPfcPriorityEnable.$ah.5 1 dcbPfcPriorityEnable.$ab.5 1
	set_at b dcbPfcPriorityEnable.$ba.5 1 dcbPfcPriorityEnable.$bc.5 1
	wait_for 10 "a has received the PFC of b" dcbx_of_a '.pfc.theirs.enable == [5]'
	for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done
	start pfcgen nsenter --net=/run/netns/hc -- "$build/dcb-pfcgen" -p 5 -q 65535 -i 100ms -t 3600s cb
	wait_for 5 "bc is paused" is_value b dcbPfcPriorityPaused.$bc.5 1
	inject h ha -s $h -d $hc -p 5 -n 150 -l 1000
	first=$stream
	wait_for 5 "b pauses a" is_value a dcbPfcPriorityPaused.$ab.5 1
	inject h ha -s $h -d $hc -p 5 -n 200 -l 1000
	wait_for 5 "a pauses h" eval '[ "$(value a dcbPfcPriorityRequests.$ah.5)" -gt 0 ]'
	is "frames to hc while it pauses" "$(at cb | wc -l)" 0
	stop pfcgen
	wait_for 10 "200 frames" arrived cb 200
	is "frames between the bridges" "$(at ba | sort | uniq -c | xargs)" "200 5 88b5"
	is "the last 200 frames" "$(at cb | wc -l)" 200
	stream=$first
	is "frames between the bridges" "$(at ba | sort | uniq -c | xargs)" "150 5 88b5"
	is "the first 150 frames" "$(at cb | wc -l)" 150
	stream=$((first + 1))
	is "discards of a" "$(discards_of a $ah $ab)" "0 0 0 0 0 0 0 0 0 0"
	is "discards of b" "$(discards_of b $ba $bc)" "0 0 0 0 0 0 0 0 0 0"
	printf '    PFC frames of b: %d, of a: %d\n' "$(value b dcbPfcPriorityRequests.$ba.5)" \
		"$(value a dcbPfcPriorityRequests.$ah.5)"
}
discards_of() { # NODE IFINDEX...
	local i
	for i in "${@:2}"; do
		value "$1" dcbPortDiscardQueue.$i dcbPortDiscardNoBuffer.$i dcbPortDiscardKernel.$i \
			dcbPfcPriorityDiscards.$i.5 dcbPfcPortDiscardTransit.$i
	done | xargs
}

run_tests
