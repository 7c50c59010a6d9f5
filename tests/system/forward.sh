#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames through the bridge: five hosts in namespaces, each cabled to a port; what arrives
# where, with which tag, in which order, and what the counters say of it.
#
#   h1 - sw1           h2 - sw2 default priority 5     h3 - sw3 leaves tagged
#   h4 - sw4 20 Mb/s   h5 - sw5 VLAN 7
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
for n in 1 2 3 4 5; do host h$n sw$n; done
for n in 1 2 3 4 5; do
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
done
start_all 'interfaces = { include = [ "sw*" ]; }; bridge = { ageing = 10; };' 'ports = (
	{ name = "sw2"; default_priority = 5; },
	{ name = "sw3"; pvid_tagged = true; },
	{ name = "sw4"; rate = 20000000L; buffer = 300000; },
	{ name = "sw5"; pvid = 7; } );' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
	{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; } );'
for n in 1 2 3 4 5; do
	wait_for 5 "h$n listens" logged list$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw4=$(ifindex sw4)

mac() { printf '02:00:00:00:00:%02x' "$1"; }
broadcast=ff:ff:ff:ff:ff:ff

stream=0 # every call of send has one of its own
# send HOST [OPTION...]: of "frames send"
send() {
	stream=$((stream + 1))
	on h$1 "$frames" send eth0 -i $stream "${@:2}" || fail "frames cannot send"
}
# got HOST STREAM: its lines
got() { awk -v s="$2" '$6 == s' "${log_of[list$1]}"; }
has() { [ "$(got "$1" "$2" | wc -l)" -ge "${3-1}" ]; } # HOST STREAM [COUNT]

# settle: whatever was sent before has arrived or never will: a broadcast of the lowest
# priority from every host has overtaken nothing.
settle() {
	local from to
	for from in 1 2 3 4 5; do
		marks=$((marks + 1))
		on h$from "$frames" send eth0 -d $broadcast -s 02:00:00:00:ff:0$from -v 999 -p 0 -i $marks
		for to in 1 2 3 4 5; do
			[ $from -eq $to ] || wait_for 10 "a broadcast of h$from at h$to" has $to $marks
		done
	done
}
marks=1000000 # streams of their own

# arrived_at STREAM HOST...: exactly there.
arrived_at() {
	local s=$1 n where=''
	shift
	for n in 1 2 3 4 5; do ! has $n $s || where+=" $n"; done
	is "hosts that stream $s came to" "${where# }" "$*"
}

test_learning_and_flooding() {
	send 1 -s "$(mac 1)" -d "$(mac 2)"
	settle
	arrived_at $stream 2 3 4 5
	send 2 -s "$(mac 2)" -d "$(mac 1)"
	settle
	arrived_at $stream 1
	send 1 -s "$(mac 1)" -d "$(mac 2)"
	settle
	arrived_at $stream 2
	# It moves to another port.
	send 3 -s "$(mac 2)" -d "$(mac 1)"
	send 1 -s "$(mac 1)" -d "$(mac 2)"
	settle
	arrived_at $stream 3
	# To itself, by way of the port it came from: nowhere.
	send 3 -s "$(mac 9)" -d "$(mac 2)"
	settle
	arrived_at $stream
	send 1 -s "$(mac 1)" -d $broadcast
	settle
	arrived_at $stream 2 3 4 5
	send 1 -s "$(mac 1)" -d 01:00:5e:00:00:05
	settle
	arrived_at $stream 2 3 4 5
}

test_vlans_learn_apart() {
	send 2 -s "$(mac 20)" -d $broadcast -v 10
	send 1 -s "$(mac 21)" -d "$(mac 20)" -v 10
	settle
	arrived_at $stream 2
	send 1 -s "$(mac 21)" -d "$(mac 20)" -v 20
	settle
	arrived_at $stream 2 3 4 5
	# Untagged, priority-tagged and tagged with its number are one VLAN.
	send 5 -s "$(mac 22)" -d $broadcast
	send 1 -s "$(mac 21)" -d "$(mac 22)" -v 7
	settle
	arrived_at $stream 5
	send 1 -s "$(mac 21)" -d "$(mac 22)"
	settle
	arrived_at $stream 2 3 4 5
}

# tag_at HOST: the last stream's frame there, its tag.
tag_at() { got "$1" $stream | awk '{ print $3 }'; }

test_tags_and_priorities() {
	send 1 -d $broadcast
	settle
	is "untagged, at h2" "$(tag_at 2)" untagged
	is "untagged, at h3" "$(tag_at 3)" 1/0
	is "untagged, at h5" "$(tag_at 5)" 1/0
	send 2 -d $broadcast
	settle
	is "default priority, at h1" "$(tag_at 1)" untagged
	is "default priority, at h3" "$(tag_at 3)" 1/5
	send 2 -d $broadcast -p 6
	settle
	is "priority-tagged, at h1" "$(tag_at 1)" untagged
	is "priority-tagged, at h3" "$(tag_at 3)" 1/6
	send 1 -d $broadcast -v 1 -p 4
	settle
	is "the port's VLAN, at h2" "$(tag_at 2)" untagged
	is "the port's VLAN, at h3" "$(tag_at 3)" 1/4
	send 1 -d $broadcast -v 100 -p 7
	settle
	is "another VLAN, at h2" "$(tag_at 2)" 100/7
	is "another VLAN, at h3" "$(tag_at 3)" 100/7
	is "another VLAN, at h5" "$(tag_at 5)" 100/7
	send 5 -d $broadcast
	settle
	is "VLAN 7, at h1" "$(tag_at 1)" 7/0
	send 1 -d $broadcast -v 7 -p 2
	settle
	is "VLAN 7, at h5" "$(tag_at 5)" untagged
	# As long as it came, and four octets more or less for the tag.
	send 1 -d $broadcast -l 1514
	settle
	is "octets at h2" "$(got 2 $stream | awk '{ print $5 }')" 1514
	is "octets at h3" "$(got 3 $stream | awk '{ print $5 }')" 1518
}

# counter NAME IFINDEX: after a page's time in dcb-agentx.
counter() {
	fresh
	get "$1.$2"
}

test_what_is_not_forwarded() {
	local before last reserved vlan malformed
	reserved=$(counter dcbPortDiscardReserved $sw1)
	before=$stream
	for last in 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f; do
		send 1 -d 01:80:c2:00:00:$last
	done
	last=$stream
	settle
	while [ "$last" -gt "$before" ]; do
		arrived_at "$last"
		last=$((last - 1))
	done
	is "reserved ones counted" "$(counter dcbPortDiscardReserved $sw1)" $((reserved + 16))
	send 1 -d 01:80:c2:00:00:10
	settle
	arrived_at $stream 2 3 4 5
	vlan=$(get dcbPortDiscardVlan.$sw1)
	send 1 -d $broadcast -v 4095 -n 3
	settle
	arrived_at $stream
	is "VLAN 4095 counted" "$(counter dcbPortDiscardVlan $sw1)" $((vlan + 3))
	malformed=$(get dcbPortDiscardMalformed.$sw1)
	send 1 -s 03:00:00:00:00:01 -d $broadcast
	settle
	arrived_at $stream
	is "group source address counted" "$(counter dcbPortDiscardMalformed $sw1)" $((malformed + 1))
}

test_ageing() {
	send 2 -s "$(mac 30)" -d $broadcast
	send 1 -s "$(mac 31)" -d "$(mac 30)"
	settle
	arrived_at $stream 2
	aged() {
		send 1 -s "$(mac 31)" -d "$(mac 30)"
		pause 0.2
		has 3 $stream
	}
	wait_for 16 "flooding again" aged
	printf '    aged after %d ms\n' "$waited"
	at_least "milliseconds" "$waited" 8500
	at_most "milliseconds" "$waited" $((13000 * slow))
}

# Of a long queue for the slow port, what came last but has the higher priority leaves first.
test_strict_priority() {
	local low high after tries=3
	while [ $((tries--)) -gt 0 ]; do
		send 1 -d $broadcast -v 100 -p 0 -l 1500 -n 100
		low=$stream
		send 1 -d $broadcast -v 100 -p 7 -l 1500 -n 5
		high=$stream
		settle
		is "low ones" "$(got 4 $low | wc -l)" 100
		is "high ones" "$(got 4 $high | wc -l)" 5
		after=$(awk -v h=$high -v l=$low '$6 == h { n = 0 } $6 == l { n++ } END { print n }' "${log_of[list4]}")
		[ "$after" -lt 20 ] || break # else: this machine was busy elsewhere for 60 ms
	done
	at_least "low ones that came after all high ones" "$after" 20
	printf '    %d of 100 overtaken by the last of the higher priority\n' "$after"
	# Within a priority nothing is overtaken.
	got 4 $low | awk '{ print $7 }' >$T/got
	sort -n $T/got >$T/wanted
	same "order of the low ones" $T/wanted $T/got
}

point() { get "$1.1.$sw4.3"; }

# Of 1000 frames for the slow port each is sent or counted as discarded, and the congestion
# point, the component, the port and the host at the other end agree.
test_overload_is_accounted() {
	local passed discarded total queue rx rx_octets tx received mbps median
	passed=$(point ieee8021CnCpTransmittedFrames) discarded=$(point ieee8021CnCpDiscardedFrames)
	total=$(get ieee8021CnGlobalDiscardedFrames.1) queue=$(get dcbPortDiscardQueue.$sw4)
	rx=$(get dcbPortRxFrames.$sw1) rx_octets=$(get dcbPortRxOctets.$sw1) tx=$(get dcbPortTxFrames.$sw4)
	# Known at h4, so that it goes nowhere else.
	send 4 -s "$(mac 44)" -d 01:80:c2:00:00:0e -v 100
	send 4 -s "$(mac 44)" -d "$(mac 45)" -v 100
	send 1 -s "$(mac 46)" -d "$(mac 44)" -v 100 -p 3 -l 1500 -n 1000
	wait_for 10 "an empty queue" holds dcbCpQueueLength.1.$sw4.3 0
	pause 0.2
	received=$(got 4 $stream | wc -l)
	passed=$(($(counter ieee8021CnCpTransmittedFrames 1.$sw4.3) - passed))
	discarded=$(($(point ieee8021CnCpDiscardedFrames) - discarded))
	is "received from port 1" $(($(get dcbPortRxFrames.$sw1) - rx)) 1000
	is "octets" $(($(get dcbPortRxOctets.$sw1) - rx_octets)) 1500000
	is "passed and discarded" $((passed + discarded)) 1000
	at_least "discarded" $discarded 500
	is "received by h4" "$received" $passed
	is "sent by port 4" $(($(get dcbPortTxFrames.$sw4) - tx)) $passed
	is "discarded in the component" $(($(get ieee8021CnGlobalDiscardedFrames.1) - total)) $discarded
	is "discarded by the port" $(($(get dcbPortDiscardQueue.$sw4) - queue)) $discarded
	at_most "highest queue length" "$(point dcbCpQueuePeak)" 300000
	at_least "highest queue length" "$(point dcbCpQueuePeak)" 290000
	is "lost before they were seen" "$(get dcbPortDiscardKernel.$sw1)" 0
	mbps=$(got 4 $stream | awk 'NR == 1 { t = $8 } END { print int((NR - 1) * 1500 * 8 / ($8 - t)) }')
	# From frame to frame, half of the times: a stall of the whole machine is not in it.
	median=$(got 4 $stream | awk 'NR > 1 { print $8 - t } { t = $8 }' | sort -n |
		awk '{ gap[NR] = $1 } END { print int(1500 * 8 / gap[int((NR + 1) / 2)]) }')
	printf '    %d passed, %d discarded, at %d Mb/s\n' $passed $discarded "$mbps"
	at_most "Mb/s of the slow port" "$mbps" 21
	[ $slow -gt 1 ] || at_least "Mb/s of the slow port" "$median" 17
}

# The set point is where the congestion point measures from: above it what it finds is bad.
test_set_point_takes_effect() {
	local samples
	put ieee8021CnCpMinSampleBase.1.$sw4.3 10000 ieee8021CnCpQueueSizeSetPoint.1.$sw4.3 1000
	samples=$(point dcbCpSamples)
	send 1 -s "$(mac 46)" -d "$(mac 44)" -v 100 -p 3 -l 1500 -n 150
	wait_for 10 "an empty queue" holds dcbCpQueueLength.1.$sw4.3 0
	at_most "feedback above the set point" "$(counter dcbCpFeedback 1.$sw4.3)" -1
	at_least "samples" $(($(point dcbCpSamples) - samples)) 5
	put ieee8021CnCpQueueSizeSetPoint.1.$sw4.3 4000000
	send 1 -s "$(mac 46)" -d "$(mac 44)" -v 100 -p 3 -l 1500 -n 150
	wait_for 10 "an empty queue" holds dcbCpQueueLength.1.$sw4.3 0
	at_least "feedback below the set point" "$(counter dcbCpFeedback 1.$sw4.3)" 0
	put ieee8021CnCpQueueSizeSetPoint.1.$sw4.3 26000
}

# pfc ENABLE: a PFC frame's octets, pausing these priorities for the longest time.
pfc() {
	local i times=''
	for ((i = 0; i < 8; i++)); do times+=$((($1 >> i & 1) ? 1 : 0)); done
	times=${times//1/ffff}
	times=${times//0/0000}
	printf '0180c2000001020000000077880801010%03x%s' "$1" "$times"
}

test_pfc_frames_are_counted() {
	local i before=() all
	all=$(get ieee8021PfcIndications.$sw1)
	for ((i = 0; i < 8; i++)); do before[i]=$(get dcbPfcPriorityIndications.$sw1.$i); done
	on h1 "$frames" raw eth0 "$(pfc 0x28)" -n 3
	on h1 "$frames" raw eth0 "$(pfc 0x08)"
	settle
	is "indications" "$(counter ieee8021PfcIndications $sw1)" $((all + 4))
	for ((i = 0; i < 8; i++)); do
		case $i in
		3) all=4 ;;
		5) all=3 ;;
		*) all=0 ;;
		esac
		is "of priority $i" "$(get dcbPfcPriorityIndications.$sw1.$i)" $((before[i] + all))
	done
	is "requests" "$(get ieee8021PfcRequests.$sw1)" 0
	is "at another port" "$(get ieee8021PfcIndications.$sw2)" 0
	! grep -q ' 8808 ' "${log_of[list2]}" || fail "a PFC frame was forwarded"
}

test_longer_than_a_buffer() {
	local before
	before=$(get dcbPortDiscardOversize.$sw1)
	ip link set sw1 mtu 4000
	ip -n h1 link set eth0 mtu 4000
	wait_for 5 "sw1 is up" holds dcbPortOperational.$sw1 1
	send 1 -d $broadcast -l 3000 -n 2
	settle
	arrived_at $stream
	is "counted" "$(counter dcbPortDiscardOversize $sw1)" $((before + 2))
	ip -n h1 link set eth0 mtu 1500
	ip link set sw1 mtu 1500
}

# Frames at a steady pace, while a manager changes everything there is to change and
# interfaces come and go: not one is lost.
test_reconfigured_under_traffic() {
	local i s pid
	send 2 -s "$(mac 60)" -d $broadcast
	stream=$((stream + 1))
	s=$stream
	on h1 "$frames" send eth0 -i $s -s "$(mac 61)" -d "$(mac 60)" -v 1 -p 3 -n 10000 -g 150 &
	pid=$!
	for ((i = 0; i < 40; i++)); do
		put ieee8021CnComPriRowStatus.1.5 4
		put ieee8021CnCpQueueSizeSetPoint.1.$sw2.3 $((20000 + i)) ieee8021CnCpFeedbackWeight.1.$sw2.3 $((i % 10))
		put ieee8021CnGlobalMasterEnable.1 2
		put ieee8021CnComPriRowStatus.1.5 6 ieee8021CnGlobalMasterEnable.1 1
		if [ $((i % 10)) -eq 0 ]; then
			ip link add sw9 type veth peer name x9
			ip link set sw9 up
			ip link set x9 up
		elif [ $((i % 10)) -eq 5 ]; then
			ip link del sw9
		fi
	done
	wait $pid
	wait_for 10 "all of them at h2" has 2 $s 10000
	is "frames at h2" "$(got 2 $s | wc -l)" 10000
	got 2 $s | awk '{ print $7 }' >$T/got
	sort -n $T/got >$T/wanted
	same "their order" $T/wanted $T/got
	is "lost before they were seen" "$(get dcbPortDiscardKernel.$sw1)" 0
}

# What is queued for a port that goes down is no frame any more; afterwards all is well.
test_port_down_and_up() {
	send 1 -s "$(mac 46)" -d "$(mac 44)" -v 100 -p 3 -l 1500 -n 200
	ip link set sw4 down
	wait_for 5 "an empty queue" holds dcbCpQueueLength.1.$sw4.3 0
	wait_for 5 "sw4 is down" holds dcbPortOperational.$sw4 2
	ip link set sw4 up
	wait_for 5 "sw4 is up" holds dcbPortOperational.$sw4 1
	send 1 -d $broadcast
	settle
	arrived_at $stream 2 3 4 5
	is "frame buffers free" "$(get dcbEngineFrameBuffersFree.0)" "$(get dcbEngineFrameBuffers.0)"
}

test_interfaces_are_left_as_they_were() {
	stop dcbd
	like "sw1" "$(ip -d -o link show dev sw1)" 'promiscuity 0 '
	start_dcbd
}

run_tests
