#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A TRILL campus, figure 5 of draft-eastlake-trill-cn-00, with a dcbd at every hop. Each link in turn
# is slower than esa offers frames to esb: its congestion point slows esa, and no other station. The
# CNMs are compared octet by octet on every link of their way. trill_lab.sh has a drawing of it.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/trill_lab.sh
. "$(dirname -- "$(readlink -f -- "$0")")/trill_lab.sh"
start_second

passed() { value $1 ieee8021CnCpTransmittedFrames.$cp; }
# settled NODE: three times in a row frames pass, no node loses any, and the queue is near the set
# point.
settled() {
	local i lost_before passed_before
	for i in 1 2 3; do
		lost_before=$(lost)
		passed_before=$(passed $1)
		mean_queue $1
		[ "$(lost)" = "$lost_before" ] && [ $(($(passed $1) - passed_before)) -ge 50 ] &&
			[ $mean -ge $((set_point / 4)) ] && [ $mean -le $((set_point * 3)) ] || return
	done
}
esd_frames() { ip -n esd -s -j link show dev west | jq '.[0].stats64.rx.packets'; }
esd_gets() { [ "$(esd_frames)" -ge "$1" ]; }

# slows_the_source NODE: esa slows down to the rate, the queue settles, esc does not notice.
slows_the_source() {
	local cnms others
	renew_rp
	slow_down $1
	cnms=$(value esa dcbCnmReceived.${if_index[esa.east]})
	flood
	wait_for 20 "CNMs at esa" at_least_value esa dcbCnmReceived.${if_index[esa.east]} $((cnms + 5))
	wait_for 20 "esa slows down" at_most_value esa dcbRpCurrentRate.1.${if_index[esa.east]}.3.1 $((rate * 5 / 4))
	wait_for 30 "the queue of $1 settles" settled $1
	printf '    queue %d octets after %d ms\n' $mean $waited
	is "RPs that esc has created" "$(value esc ieee8021CnRpPortPriCreatedRps.1.3.${if_index[esc.west]})" 0
	is "CNMs at esc" "$(value esc dcbCnmReceived.${if_index[esc.west]})" 0
	others=$(esd_frames)
	wait_for 20 "frames of esc arrive" esd_gets $((others + 50))
	stop flood KILL
}

# sends_these_cnms NODE: every CNM for a burst of frames, on every link.
sends_these_cnms() {
	local hops changed
	capture_cnms $1
	sed "s,$T/,," $T/cnms
	is "CNMs counted" $cnms_sent "$(sed -n 's/.* frames, \([0-9]*\) CNMs.*/\1/p' $T/cnms)"
	decoded_way >$T/way 2>&1 || fail "trill_way.py: $(tail -n 3 $T/way)"
	hops=$(printf '%s\n' "${cnm_arguments[@]:4}" | cut -d, -f2 | paste -sd ' ')
	is "decoded hops" "$(sed -nE 's/^\w+ -> \w+: (native|in a TRILL frame).*/\1/p' $T/way | paste -sd ' ')" \
		"$(sed 's/caused/native/g; s/trill/in a TRILL frame/g' <<<"$hops")"
	changed=0
	[[ $hops != caused* ]] || changed=4 # the RBridge makes the CNM for the inner frame
	is "decoded changes" $(grep -cE '^  \* (DA|CN-TAG|about|MSDU) ' $T/way) $changed
	end_capture $1
}

test_first_bridge_slows_the_source() { slows_the_source b1; }
test_cnms_of_the_first_bridge() { sends_these_cnms b1; }
test_ingress_rbridge_slows_the_source() { slows_the_source rb1; }
test_cnms_of_the_ingress_rbridge() { sends_these_cnms rb1; }
test_bridge_after_the_ingress_slows_the_source() { slows_the_source b2; }
test_cnms_of_the_bridge_after_the_ingress() { sends_these_cnms b2; }
test_transit_rbridge_slows_the_source() { slows_the_source rb2; }
test_cnms_of_the_transit_rbridge() { sends_these_cnms rb2; }
test_bridge_after_the_transit_rbridge_slows_the_source() { slows_the_source c2; }
test_cnms_of_the_bridge_after_the_transit_rbridge() { sends_these_cnms c2; }
test_egress_rbridge_slows_the_source() { slows_the_source rb3; }
test_cnms_of_the_egress_rbridge() { sends_these_cnms rb3; }
test_last_bridge_slows_the_source() { slows_the_source b3; }
test_cnms_of_the_last_bridge() { sends_these_cnms b3; }

# Of the bridges next to rb1, with the head of a control frame, and at a port without RBridges.
test_cnms_that_no_data_frame_caused_are_discarded() {
	local n head own from from_if body was
	listen esa east
	for n in CnmControl.east.b2.west.22f4 ForgedCnm.west.b1.east.22f3; do
		IFS=. read -r n own from from_if body <<<"$n"
		# Feedback 63, a CPID, offsets 0, priority 3, to rb2: with 64 octets.
		head=$(tr -d : <<<"${mac[rb1.$own]}${mac[$from.$from_if]}")8100c00122e9000022e7003f0000000000000001000000006000
		body=${body}003f03000100$(tr -d : <<<"$esb$esa")81006001$(printf '%080d' 0)
		was=$(value rb1 dcbTrillPortStatsDrop$n.${if_index[rb1.$own]})
		on $from "$frames" raw $from_if ${head}0200000002010040$body
		wait_for 10 "rb1 discards the CNM: $n" is_value rb1 dcbTrillPortStatsDrop$n.${if_index[rb1.$own]} $((was + 1))
	done
	announce esb dcb0 $esb esa
	is "CNMs at esa" "$(grep -c '+22e7 ' "${log_of[list-esa]}")" 0
	unlisten esa
}

# Each end of the link has a second next hop. The path that the flow takes fails under load.
test_flow_leaves_a_failed_link_under_load() {
	local east spare used failed other before cnms n
	set_at rb2 dcbTrillNextHopRowStatus.${if_index[rb2.spare]}.768.2.0.0.0.3.3 4
	set_at rb3 dcbTrillNextHopRowStatus.${if_index[rb3.spare]}.256.2.0.0.0.2.3 4
	renew_rp
	wait_for 10 "all nodes use all settings" all_adopted
	wait_for 10 "two next hops" is_value rb2 dcbTrillNicknameNextHopsUp.768 2
	flood
	east=$(value rb2 dcbPortTxFrames.${if_index[rb2.east]})
	spare=$(value rb2 dcbPortTxFrames.${if_index[rb2.spare]})
	wait_for 20 "300 frames of the flow" eval "[ \$(value rb2 dcbPortTxFrames.${if_index[rb2.east]}) -ge $((east + 300)) ] ||
		[ \$(value rb2 dcbPortTxFrames.${if_index[rb2.spare]}) -ge $((spare + 300)) ]"
	used=spare failed="rb2.spare" other=east
	if at_least_value rb2 dcbPortTxFrames.${if_index[rb2.east]} $((east + 300)); then
		used=east failed="rb2.east rb3.west" other=spare
	fi
	wait_for 30 "the queue of b3 settles" settled b3
	for n in $failed; do ip -n ${n%.*} link set ${n#*.} down; done
	wait_for 10 "rb2 has one next hop" is_value rb2 dcbTrillNicknameNextHopsUp.768 1
	wait_for 10 "rb3 has one next hop" is_value rb3 dcbTrillNicknameNextHopsUp.256 1
	before=$(value rb2 dcbPortTxFrames.${if_index[rb2.$other]})
	cnms=$(value esa dcbCnmReceived.${if_index[esa.east]})
	wait_for 20 "the flow takes the other link" at_least_value rb2 dcbPortTxFrames.${if_index[rb2.$other]} $((before + 300))
	wait_for 30 "the queue of b3 settles again" settled b3
	wait_for 20 "CNMs at esa" at_least_value esa dcbCnmReceived.${if_index[esa.east]} $((cnms + 5))
	printf '    the flow left %s\n' $used
	for n in $failed; do ip -n ${n%.*} link set ${n#*.} up; done
	wait_for 10 "rb2 has both next hops" is_value rb2 dcbTrillNicknameNextHopsUp.768 2
	stop flood KILL
	stop second KILL
}

run_tests
