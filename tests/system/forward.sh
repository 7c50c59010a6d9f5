#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames through the bridge, with five hosts in namespaces, each linked to a port: which hosts
# receive a frame, with which tag, in which order, and what the counters show.
#
#   h1 - sw1           h2 - sw2 default priority 5     h3 - sw3 leaves tagged
#   h4 - sw4 20 Mb/s   h5 - sw5 VLAN 7
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
for n in 1 2 3 4 5; do host h$n sw$n; done
for n in 1 2 3 4 5; do
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
done
start_all 'interfaces = { include = [ "sw*" ]; }; bridge = { ageing = 10; frame_octets = 2048; };' 'ports = (
	{ name = "sw2"; default_priority = 5; },
	{ name = "sw3"; pvid_tagged = true; },
	{ name = "sw4"; rate = 20000000L; buffer = 300000; },
	{ name = "sw5"; pvid = 7; } );' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
	{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; } );'
for n in 1 2 3 4 5; do
	wait_for 5 "h$n lists frames" logged list$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw4=$(ifindex sw4)

mac() { printf '02:00:00:00:00:%02x' "$1"; } # below 100
broadcast=ff:ff:ff:ff:ff:ff

logs=()
for n in 1 2 3 4 5; do logs+=("${log_of[list$n]}"); done

stream=0           # number of the last call of send, in its frames
declare -A sent=() # hosts that have sent since the last settle
# send HOST [OPTION...]: sends frames by "frames send".
send() {
	stream=$((stream + 1))
	sent[$1]=yes
	on h$1 "$frames" send eth0 -i $stream "${@:2}" || fail "cannot send frames"
}
# got HOST STREAM: lines of the frames of STREAM that the host received.
got() { awk -v s="$2" '$6 == s' "${log_of[list$1]}"; }
has() { awk -v s="$2" -v n="${3-1}" '$6 == s { i++ } END { exit i + 0 < n }' "${log_of[list$1]}"; } # HOST STREAM [COUNT]

# settle: waits until all frames sent before have arrived or are discarded: a broadcast of the
# lowest priority from each host that has sent frames overtakes none of them, and arrives at the
# four others.
marks=1000000 # stream numbers of these broadcasts
settle() {
	local from first=$((marks + 1))
	for from in "${!sent[@]}"; do
		marks=$((marks + 1))
		on h$from "$frames" send eth0 -d $broadcast -s 02:00:00:00:ff:0$from -v 999 -p 0 -i $marks ||
			fail "cannot send frames"
	done
	wait_for 10 "the last broadcasts at all hosts" settled_since $first $((4 * ${#sent[@]}))
	sent=()
}
settled_since() {
	awk -v s="$1" -v n="$2" '$6 >= s { seen[FILENAME " " $6] } END { for (i in seen) n--; exit n > 0 }' "${logs[@]}"
}

# arrived_at STREAM HOST...: checks that exactly these hosts received the stream.
arrived_at() {
	is "hosts that received stream $1" "$(awk -v s="$1" '
		FNR == 1 { host++ }
		$6 == s && !seen[host]++ { where = where " " host }
		END { print substr(where, 2) }' "${logs[@]}")" "${*:2}"
}

# The address ages for 10 s, the minimum, while other tests run: test_address_ages checks it.
test_address_is_learned() {
	clock
	ageing_since=$now
	send 2 -s "$(mac 30)" -d $broadcast
	settle
	send 1 -s "$(mac 31)" -d "$(mac 30)"
	settle
	arrived_at $stream 2
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
	# The address moves to another port.
	send 3 -s "$(mac 2)" -d "$(mac 1)"
	send 1 -s "$(mac 1)" -d "$(mac 2)"
	settle
	arrived_at $stream 3
	# A frame is not sent to the port that received it.
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

test_vlans_learn_separately() {
	send 2 -s "$(mac 20)" -d $broadcast -v 10
	send 1 -s "$(mac 21)" -d "$(mac 20)" -v 10
	settle
	arrived_at $stream 2
	send 1 -s "$(mac 21)" -d "$(mac 20)" -v 20
	settle
	arrived_at $stream 2 3 4 5
	# Untagged, priority-tagged and VLAN-tagged frames are in one VLAN.
	send 5 -s "$(mac 22)" -d $broadcast
	send 1 -s "$(mac 21)" -d "$(mac 22)" -v 7
	settle
	arrived_at $stream 5
	send 1 -s "$(mac 21)" -d "$(mac 22)"
	settle
	arrived_at $stream 2 3 4 5
}

# tag_at HOST: the tag with which the last stream arrived there.
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
	# The length changes only by the four octets of the tag.
	send 1 -d $broadcast -l 1514
	settle
	is "octets at h2" "$(got 2 $stream | awk '{ print $5 }')" 1514
	is "octets at h3" "$(got 3 $stream | awk '{ print $5 }')" 1518
	# Without its tag, the shortest frame is padded.
	send 1 -d $broadcast -v 1 -l 60
	settle
	is "octets of the shortest frame at h2" "$(got 2 $stream | awk '{ print $5 }')" 60
	is "octets of the shortest frame at h3" "$(got 3 $stream | awk '{ print $5 }')" 60
}

# counters NAME.INSTANCE...: puts values into the array $counters, from dcbd and not from
# dcb-agentx's cache.
counters() { mapfile -t counters < <("$probe" get $T/control "$@"); }
is_now() { counters "$1" && [ "${counters[0]}" = "$2" ]; } # NAME.INSTANCE VALUE

test_discards_are_counted() {
	local before last was
	counters dcbPortDiscardReserved.$sw1 dcbPortDiscardVlan.$sw1 dcbPortDiscardMalformed.$sw1
	was=("${counters[@]}")
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
	send 1 -d 01:80:c2:00:00:10
	settle
	arrived_at $stream 2 3 4 5
	send 1 -d $broadcast -v 4095 -n 3
	settle
	arrived_at $stream
	send 1 -s 03:00:00:00:00:01 -d $broadcast
	settle
	arrived_at $stream
	counters dcbPortDiscardReserved.$sw1 dcbPortDiscardVlan.$sw1 dcbPortDiscardMalformed.$sw1
	is "reserved addresses counted" $((counters[0] - was[0])) 16
	is "VLAN 4095 counted" $((counters[1] - was[1])) 3
	is "group source address counted" $((counters[2] - was[2])) 1
}

# Octets on the wire of a frame of 1500: with FCS, preamble, gap and tag; bit/s of the port.
wire=$((1500 + 24)) rate=20000000
# A port that got no processor time may exceed its rate by 10 ms, here in frames.
caught_up=$((rate / 100 / 8 / wire + 1))

# Frames of the higher priority leave the slow port first, even if they came last into a long queue.
test_higher_priority_leaves_first() {
	local low high after
	one_after_the_other() {
		send 1 -d $broadcast -v 100 -p 0 -l 1500 -n 100
		low=$stream
		send 1 -d $broadcast -v 100 -p 7 -l 1500 -n 5
		high=$stream
	}
	while_stopped dcbd one_after_the_other
	settle
	is "frames of priority 0" "$(got 4 $low | wc -l)" 100
	is "frames of priority 7" "$(got 4 $high | wc -l)" 5
	# dcbd receives 64 frames at a time. Before it receives the high ones, one low frame has
	# left, and those of twice the 10 ms.
	after=$(awk -v h=$high -v l=$low '$6 == h { n = 0 } $6 == l { n++ } END { print n }' "${log_of[list4]}")
	at_least "frames of priority 0 after all of priority 7" "$after" $((99 - 2 * caught_up))
	printf '    %d of 100 frames overtaken by all of the higher priority\n' "$after"
	# Within a priority nothing is overtaken.
	got 4 $low | awk '{ print $7 }' >$T/got
	sort -n $T/got >$T/wanted
	same "order of priority 0" $T/wanted $T/got
}

point() { get "$1.1.$sw4.3"; }

# fill COUNT: when the settings are in force, queues COUNT frames of the CNPV from h1 for the slow port at once, and waits until all
# have left or are discarded.
fill() {
	wait_for 5 "the settings are in force" in_force
	counters dcbPortRxFrames.$sw1
	while_stopped dcbd send 1 -s "$(mac 46)" -d "$(mac 44)" -v 100 -p 3 -l 1500 -n "$1"
	wait_for 10 "$1 frames received" received_since ${counters[0]} "$1"
	wait_for 10 "the queue is empty" is_now dcbCpQueueLength.1.$sw4.3 0
	settle
}
received_since() { counters dcbPortRxFrames.$sw1 && [ $((counters[0] - $1)) -ge "$2" ]; }

# Each of 1000 frames for the slow port is sent or counted as discarded. The congestion point, the
# component, the port and the host at the other end agree.
test_overload_is_counted() {
	local now was filled i names=("ieee8021CnCpTransmittedFrames.1.$sw4.3" "ieee8021CnCpDiscardedFrames.1.$sw4.3"
		ieee8021CnGlobalDiscardedFrames.1 "dcbPortDiscardQueue.$sw4" "dcbPortTxFrames.$sw4"
		"dcbPortRxFrames.$sw1" "dcbPortRxOctets.$sw1" "dcbCpQueuePeak.1.$sw4.3" "dcbPortDiscardKernel.$sw1")
	# The bridge learns the address at h4, so that frames to it are not flooded.
	send 4 -s "$(mac 44)" -d "$(mac 45)" -v 100
	settle
	counters "${names[@]}"
	was=("${counters[@]}")
	fill 1000
	filled=$stream
	counters "${names[@]}"
	for i in 0 1 2 3 4 5 6; do now[i]=$((counters[i] - was[i])); done
	is "passed and discarded" $((now[0] + now[1])) 1000
	# The buffer, and 10 ms of frames for each of the 16 times that dcbd receives.
	at_most "passed" ${now[0]} $((300000 / 1500 + 16 * caught_up))
	is "received by h4" "$(got 4 $filled | wc -l)" ${now[0]}
	is "discarded in the component" ${now[2]} ${now[1]}
	is "discarded by the port" ${now[3]} ${now[1]}
	# Both counters include a broadcast of h1 from "settle".
	is "sent by port 4" ${now[4]} $((now[0] + 1))
	is "received from port 1" ${now[5]} 1001
	is "octets" ${now[6]} $((1000 * 1500 + 60))
	at_most "highest queue length" ${counters[7]} 300000
	at_least "highest queue length" ${counters[7]} $((300000 - 1500))
	is "frames dropped by the kernel" ${counters[8]} 0
	slow_port_sends_at_its_rate $filled
}

slow_port_sends_at_its_rate() { # STREAM
	local frames us excess median
	read -r frames us < <(got 4 "$1" | awk 'NR == 1 { t = $8 } END { print NR - 1, $8 - t }')
	# At most what the rate allows in this time and 10 ms.
	excess=$((frames * wire * 8 - (us + 10000) * rate / 1000000))
	at_most "bits sent too early" "$excess" 0
	# The median time between frames, which a stall of the whole machine does not change.
	median=$(got 4 "$1" | awk 'NR > 1 { print $8 - t } { t = $8 }' | sort -n |
		awk '{ gap[NR] = $1 } END { print gap[int((NR + 1) / 2)] }')
	printf '    %d passed in %d ms\n' $((frames + 1)) $((us / 1000))
	timed at_most "microseconds from frame to frame" "$median" 705
}

# Feedback is negative while the queue is longer than the set point.
test_feedback_follows_set_point() {
	local samples feedback=dcbCpFeedback.1.$sw4.3
	put ieee8021CnCpMinSampleBase.1.$sw4.3 10000 ieee8021CnCpQueueSizeSetPoint.1.$sw4.3 1000
	counters dcbCpSamples.1.$sw4.3
	samples=${counters[0]}
	fill 150
	counters $feedback dcbCpSamples.1.$sw4.3
	at_most "feedback above the set point" ${counters[0]} -1
	at_least "samples" $((counters[1] - samples)) 5
	put ieee8021CnCpQueueSizeSetPoint.1.$sw4.3 4000000
	fill 150
	counters $feedback
	at_least "feedback below the set point" ${counters[0]} 0
	put ieee8021CnCpQueueSizeSetPoint.1.$sw4.3 26000
}

# pfc ENABLE: the octets of a PFC frame that pauses these priorities for the longest time.
pfc() {
	local i times=''
	for ((i = 0; i < 8; i++)); do times+=$((($1 >> i & 1) ? 1 : 0)); done
	times=${times//1/ffff}
	times=${times//0/0000}
	printf '0180c2000001020000000077880801010%03x%s' "$1" "$times"
}

test_pfc_frames_are_counted() {
	local i was names=("ieee8021PfcIndications.$sw1" "ieee8021PfcRequests.$sw1" "ieee8021PfcIndications.$sw2")
	for ((i = 0; i < 8; i++)); do names+=("dcbPfcPriorityIndications.$sw1.$i"); done
	counters "${names[@]}"
	was=("${counters[@]}")
	on h1 "$frames" raw eth0 "$(pfc 0x28)" -n 3
	on h1 "$frames" raw eth0 "$(pfc 0x08)"
	sent[1]=yes
	settle
	counters "${names[@]}"
	for ((i = 0; i < ${#names[@]}; i++)); do was[i]=$((counters[i] - was[i])); done
	is "indications, requests, indications of another port, and of each priority" "${was[*]}" "4 0 0 0 0 0 4 0 3 0 0"
	is "requests" ${counters[1]} 0
	! grep -q ' 8808 ' "${log_of[list2]}" || fail "a PFC frame was forwarded"
}

test_oversize_frames_are_discarded() {
	local before
	counters dcbPortDiscardOversize.$sw1
	before=${counters[0]}
	ip link set sw1 mtu 4000
	ip -n h1 link set eth0 mtu 4000
	send 1 -d $broadcast -l 3000 -n 2
	settle
	arrived_at $stream
	counters dcbPortDiscardOversize.$sw1
	is "oversize frames counted" ${counters[0]} $((before + 2))
	ip -n h1 link set eth0 mtu 1500
	ip link set sw1 mtu 1500
}

# Frames at a steady rate, while a manager changes every setting and interfaces come and go: no
# frame is lost.
test_reconfiguration_loses_no_frame() {
	local i=0 burst pid
	send 2 -s "$(mac 60)" -d $broadcast
	settle
	# Each burst fits the receive ring, so that the kernel drops no frame if dcbd gets no
	# processor time.
	for burst in 1 2 3 4; do
		stream=$((stream + 1))
		on h1 "$frames" send eth0 -i $stream -s "$(mac 61)" -d "$(mac 60)" -v 1 -p 3 -n 2000 -g 100 &
		pid=$!
		while running_or_few $pid $((burst * 4)); do reconfigure; done
		wait $pid || fail "cannot send frames"
		wait_for 10 "all frames at h2" has 2 $stream 2000
		is "frames at h2" "$(got 2 $stream | wc -l)" 2000
		got 2 $stream | awk '{ print $7 }' >$T/got
		sort -n $T/got >$T/wanted
		same "order of the frames" $T/wanted $T/got
	done
	printf '    %d reconfigurations\n' $i
	ip link del sw9 2>/dev/null
	is "frames dropped by the kernel" "$(get dcbPortDiscardKernel.$sw1)" 0
}
running_or_few() { kill -0 "$1" 2>/dev/null || [ $i -lt "$2" ]; }
reconfigure() {
	put ieee8021CnComPriRowStatus.1.5 4
	put ieee8021CnCpQueueSizeSetPoint.1.$sw2.3 $((20000 + i)) ieee8021CnCpFeedbackWeight.1.$sw2.3 $((i % 10))
	put ieee8021CnGlobalMasterEnable.1 2
	put ieee8021CnComPriRowStatus.1.5 6 ieee8021CnGlobalMasterEnable.1 1
	case $((i % 4)) in
	0)
		new_address
		ip link add sw9 address "$address" type veth peer name x9
		ip link set sw9 up
		ip link set x9 up
		;;
	2) ip link del sw9 ;;
	esac
	i=$((i + 1))
}

# A port that goes down discards its queue; after it comes up it forwards frames.
test_port_down_and_up() {
	send 1 -s "$(mac 46)" -d "$(mac 44)" -v 100 -p 3 -l 1500 -n 200
	ip link set sw4 down
	wait_for 5 "the queue is empty" is_now dcbCpQueueLength.1.$sw4.3 0
	wait_for 5 "sw4 is down" holds dcbPortOperational.$sw4 2
	ip link set sw4 up
	wait_for 5 "sw4 is up" holds dcbPortOperational.$sw4 1
	send 1 -d $broadcast
	settle
	arrived_at $stream 2 3 4 5
	wait_for 5 "all frame buffers are free" holds dcbEngineFrameBuffersFree.0 "$(get dcbEngineFrameBuffers.0)"
}

# The address that test_address_is_learned uses, and that has sent no frame since.
test_address_ages() {
	aged() {
		on h1 "$frames" send eth0 -i $stream -s "$(mac 31)" -d "$(mac 30)"
		has 3 $stream
	}
	stream=$((stream + 1))
	wait_for 16 "frames to the address are flooded" aged
	clock
	printf '    aged after at most %d ms\n' $((now - ageing_since))
	# dcbd counts whole seconds, and the last of the ten may be short.
	at_least "milliseconds until it aged" $((now - ageing_since)) 9000
}

test_promiscuous_mode_ends_with_dcbd() {
	stop dcbd
	like "promiscuity of sw1" "$(ip -d -o link show dev sw1)" 'promiscuity 0 '
	start_dcbd
}

# A port that cannot send in time what its buffer holds: the log names the configuration once.
test_transit_delay_is_explained_once() {
	local line
	sed -i 's/ageing = 10;/ageing = 10; transit_delay = 100;/; s/20000000L/4000000L/' $T/dcbd.conf
	restart_dcbd
	wait_for 5 "sw1 is up" holds dcbPortOperational.$sw1 1
	wait_for 5 "sw4 is up" holds dcbPortOperational.$sw4 1
	too_much 3
	wait_for 5 "frames of priority 3 are explained" explained 3
	too_much 3
	too_much 5 # dcbd reads the counters of a port at once: it has seen those of priority 3
	wait_for 5 "frames of priority 5 are explained" explained 5
	is "lines about priority 3" "$(grep -c "$(explanation 3)" "${log_of[dcbd]}")" 1
	line=$(grep "$(explanation 3)" "${log_of[dcbd]}")
	like "the line" "$line" 'transit_delay \(100 ms\): a full queue of 300000 octets lasts up to 840 ms at 4000000 bit/s'
}
# too_much PRIORITY: frames for sw4 that take half a second, and waits for the first discard.
too_much() {
	local before
	fresh
	before=$(get dcbPfcPortDiscardTransit.$sw4)
	send 1 -d $broadcast -v 100 -p $1 -l 1400 -n 180
	wait_for 5 "discards" more_than dcbPfcPortDiscardTransit.$sw4 "$before"
}
more_than() { [ "$(get $1)" -gt $2 ]; }
explanation() { printf 'sw4: frames of priority %s were discarded' $1; } # PRIORITY
explained() { logged dcbd "$(explanation $1)"; }

run_tests
