#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# PFC between two bridges whose ports transmit at less than the speed of their link: quanta and
# headroom are of the link's speed, which both ends have in common. So no frame is lost, whichever
# end has a rate.
#
#   +----+           +----+           +----+           +----+
#   | h1 | h1 === p1 | b1 | p2 === q1 | b2 | q2 === h2 | h2 |    q2: 20 Mb/s
#   +----+           +----+           +----+           +----+
#
# b2 pauses b1 for most of the time. h1 obeys no PFC, but has less than the headroom of p1.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

h1=02:00:00:00:00:0a h2=02:00:00:00:00:0b
burst=250 bursts=8 # frames, that the ring of p1 holds
limited='rate = 100000000L;'
for n in h1 b1 b2 h2; do node $n; done
cable h1 h1 b1 p1
cable b1 p2 b2 q1
cable b2 q2 h2 h2
start list nsenter --net=/run/netns/h2 -- "$frames" list h2
wait_for 5 "h2 lists frames" logged list ready || die "cannot list frames"
p1=$(if_of b1 p1) p2=$(if_of b1 p2) q1=$(if_of b2 q1) q2=$(if_of b2 q2)

response=4000000 # ns
start_bridge() { # NODE PATTERN PORTS
	rm -f $T/$1/state
	node_conf $1 bridge "$2" 'bridge = { transit_delay = 0; frame_buffers = 150000; };' 'defaults = { pvid_tagged = true; };' \
		"ports = ( $3 );" 'initial = (
		{ object = "dcbPfcPriorityEnable"; index = "*.3"; port = "*"; value = "true"; },
		{ object = "dcbPfcHeadroomResponse"; index = "*"; port = "*"; value = "'$response'"; } );'
	start_node $1
}
lost_by() { # NODE IFINDEX...
	local i
	for i in "${@:2}"; do
		value "$1" dcbPortDiscardQueue.$i dcbPortDiscardNoBuffer.$i dcbPortDiscardKernel.$i \
			dcbPfcPriorityDiscards.$i.3 dcbPfcPortDiscardTransit.$i
	done | xargs
}
arrived() { awk -v s="$1" '$6 == s { n++ } END { print n + 0 }' "${log_of[list]}"; } # STREAM
received() { [ "$(value b1 dcbPortRxFrames.$p1)" -ge "$1" ]; }                       # FRAMES

stream=0
# loses_nothing SETTINGS-OF-p2 SETTINGS-OF-q1: sends the frames, and compares the headrooms.
loses_nothing() {
	local i before all=$((burst * bursts)) requests
	start_bridge b1 'p*' "{ name = \"p2\"; $1 }"
	start_bridge b2 'q*' "{ name = \"q1\"; $2 }, { name = \"q2\"; rate = 20000000L; }"
	wait_for 10 "ports are up" eval 'ports_up b1 p1 p2 && ports_up b2 q1 q2'
	on h2 "$frames" send h2 -i 0 -s $h2 -d ff:ff:ff:ff:ff:ff
	wait_for 5 "b1 learns h2" is_value b1 dcbEngineFdbEntries.0 1
	for n in b1 b2; do wait_for 5 "$n uses all settings" adopted $n; done
	stream=$((stream + 1)) before=$(value b1 dcbPortRxFrames.$p1)
	for ((i = 1; i <= bursts; i++)); do
		on h1 "$frames" send h1 -i $stream -s $h1 -d $h2 -v 1 -p 3 -l 1000 -n $burst || fail "cannot send"
		wait_for 10 "p1 receives the frames" received $((before + i * burst))
	done
	wait_for 30 "$all frames arrive" eval '[ "$(arrived $stream)" -ge '$all' ]'
	is "frames that arrived" "$(arrived $stream)" $all
	is "lost by b1" "$(lost_by b1 $p1 $p2)" "0 0 0 0 0 0 0 0 0 0"
	is "lost by b2" "$(lost_by b2 $q1 $q2)" "0 0 0 0 0 0 0 0 0 0"
	requests=$(value b2 dcbPfcPriorityRequests.$q1.3)
	at_least "PFC frames of b2" "$requests" 2
	headroom=$(value b2 dcbPfcHeadroomCalculated.$q1)
	printf '    PFC frames of b2: %d, headroom of q1: %d\n' "$requests" "$headroom"
	stop dcbd-b1
	stop dcbd-b2
}

test_no_rate() {
	loses_nothing '' ''
	of_the_link=$headroom
}
test_rate_at_the_end_that_pauses() {
	loses_nothing '' "$limited"
	is "headroom" "$headroom" "$of_the_link"
}
test_rate_at_the_end_that_is_paused() {
	loses_nothing "$limited" ''
	is "headroom" "$headroom" "$of_the_link"
}
test_rate_at_both_ends() {
	loses_nothing "$limited" "$limited"
	is "headroom" "$headroom" "$of_the_link"
}

# Both count at 100 Mb/s, as they say. The headroom covers 100 ms: dcbd may wait for a processor.
test_speed_at_both_ends() {
	response=100000000
	loses_nothing "$limited speed = 100000000L;" "$limited speed = 100000000L;"
	# The bits of 100 ms, and less than 2 % for the rest of the link.
	at_least "headroom" "$headroom" 10000000
	at_most "headroom" "$headroom" 10200000
}

run_tests
