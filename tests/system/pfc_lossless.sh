#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Priority-based flow control end to end: two stations offer more than a bridge's port can send; for
# some time the port can send nothing. With PFC every frame arrives later; without PFC only the
# frames that fit into the port's buffer.
#
#   h1: pktgen - dcb0 - dcbd (station) - eth0 === sw1 +--------+ sw3, slow === eth0 h3
#                                                     |  dcbd  |
#   h2: pktgen - dcb0 - dcbd (station) - eth0 === sw2 +--------+ sw4       === eth0 h4
#
# Priority 3 goes to h3 and has PFC, priority 5 goes from h1 to h4 and has none. h3 pauses sw3
# first, so that on every machine more frames arrive than leave. A tap cannot be paused, so frames
# wait in the stations: taps and ports have buffers for all of them.
#
# The headroom is for a busy machine, not for a real link: dcbd of bridge and station may get no
# processor for seconds. 10 MB at 20 Mb/s are 4 s.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"

pktgen=$build/tests/bench/pktgen
frames=$build/tests/system/frames
link=20000000      # bit/s of h1 and h2
slow_rate=10000000 # of sw3
octets=1500        # with FCS; 4 more for the tag
half=500           # frames of each station, offered twice
sw3_buffer=400000 headroom=10000000 threshold=100000

# station NAME: starts dcbd as station with tap dcb0 in the host's namespace.
station() {
	mkdir -p $T/$1
	cat >$T/$1/dcbd.conf <<-END
		role = "station";
		interfaces = { include = [ "eth0" ]; };
		bridge = { frame_buffers = 65536; };
		ports = ( { name = "eth0"; tap = "dcb0"; rate = ${link}L; speed = ${link}L; buffer = 90000000; } );
		user = "root";
		$no_real_time
		state_file = "$T/$1/state";
		control = { socket = "$T/$1/control"; };
	END
	start "$1" nsenter --net="/run/netns/$1" -- "$build/dcbd" -c "$T/$1/dcbd.conf"
	wait_for 10 "dcbd of $1 is up" test -S "$T/$1/control" || die "dcbd of $1 does not start"
	wait_for 10 "tap of $1" on "$1" ip link show dcb0
	ip -n $1 link set dcb0 txqueuelen 10000
	wire[$1]=$(ip -n $1 -j link show dev eth0 | jq '.[0].ifindex')
}
ctl() { "$build/dcbctl" -s "$T/$1/control" "${@:2}"; }
# value HOST OBJECT: the object's value for its port and priority 3.
value() { ctl "$1" -j show "$2" ${wire[$1]}.3 2>&1 | jq -r '.[0].rows[0].values[]'; }
# arrived HOST: frames that its interface has received.
arrived() { ip -n "$1" -s -j link show dev eth0 | jq '.[0].stats64.rx.packets'; }
# sent_by HOST: frames that its dcbd has sent.
sent_by() { ctl "$1" -j show dcbPortTxFrames ${wire[$1]} | jq -r '.[0].rows[0].values[]'; }

declare -A mac wire
for n in 1 2 3 4; do
	host h$n sw$n
	mac[h$n]=$(ip -n h$n -j link show dev eth0 | jq -r '.[0].address')
done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3) sw4=$(ifindex sw4)
start_all 'interfaces = { include = [ "sw*" ]; };' \
	'bridge = { frame_buffers = 300000; transit_delay = 0; };' "ports = (
	{ name = \"sw3\"; rate = ${slow_rate}L; speed = ${slow_rate}L; buffer = $sw3_buffer; },
	{ name = \"sw4\"; },
	{ name = \"sw*\"; rate = ${link}L; speed = ${link}L; pfc = { buffer = $((headroom + threshold)); headroom = $headroom; }; } );"
station h1
station h2
for n in 1 2 3 4; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
put dcbPfcPriorityEnable.$sw3.3 1
# The bridge learns their addresses, so that frames to them are not flooded.
for n in 3 4; do on h$n "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s "${mac[h$n]}"; done
wait_for 5 "the bridge learns two addresses" holds dcbEngineFdbEntries.0 2

pfc() { # 1|2: enables or disables PFC between bridge and stations
	put dcbPfcPriorityEnable.$sw1.3 "$1" dcbPfcPriorityEnable.$sw2.3 "$1"
	for h in h1 h2; do
		ctl $h set dcbPfcPriorityEnable.${wire[$h]}.3 "$1" >/dev/null || fail "$h: cannot set PFC"
	done
}
pfc_in_force() { # the dataplanes of bridge and stations have the configuration
	local h
	in_force || return 1
	for h in h1 h2; do
		[ "$(ctl $h -j show dcbEngineConfigPublished | jq '.[0].rows[0].values[]')" = \
			"$(ctl $h -j show dcbEngineConfigAdopted | jq '.[0].rows[0].values[]')" ] || return 1
	done
}

# offer FROM TO PRIORITY FRAMES: queues the frames in the station's dcbd at once.
offer() {
	on $1 "$pktgen" -i dcb0 -d "${mac[$2]}" -o $octets -v 1.$3 -n $4 || fail "$1: cannot send frames"
}
# h3 pauses sw3 until resume_sw3.
pause_sw3() {
	start pfcgen nsenter --net=/run/netns/h3 -- "$build/dcb-pfcgen" -p 3 -q 65535 -i 100ms -t 3600s eth0
	wait_for 5 "sw3 is paused" holds dcbPfcPriorityPaused.$sw3.3 1
}
resume_sw3() { stop pfcgen; }
has_arrived() { [ "$(arrived $1)" -ge $2 ]; } # HOST FRAMES

losses() { # counters of lost frames to h3, in the bridge
	get dcbPortDiscardQueue.$sw3 dcbPortDiscardNoBuffer.$sw3 dcbPfcPriorityDiscards.$sw1.3 \
		dcbPfcPriorityDiscards.$sw2.3 dcbPfcPortDiscardTransit.$sw3 dcbPortDiscardKernel.$sw1 \
		dcbPortDiscardKernel.$sw2 | paste -sd ' '
}

test_nothing_is_lost_with_pfc() {
	local h sw at3 at4 left
	pfc 1
	wait_for 5 "PFC is in force" pfc_in_force
	pause_sw3
	at3=$(arrived h3) at4=$(arrived h4)
	for h in h1 h2; do offer $h h3 3 $half; done
	for h in h1 h2; do
		wait_for 20 "$h is paused" eval '[ "$(value $h dcbPfcPriorityPaused)" = true ]'
	done
	# Frames of priority 3 now wait in the stations, frames of priority 5 do not.
	left=$(($(sent_by h1) + $(sent_by h2)))
	for h in h1 h2; do offer $h h3 3 $half; done
	offer h1 h4 5 $half
	wait_for 20 "frames of priority 5 arrive" has_arrived h4 $((at4 + half))
	is "frames of priority 5" $(($(arrived h4) - at4)) $half
	is "frames of priority 3 that left the stations when paused" $(($(sent_by h1) + $(sent_by h2) - left - half)) 0
	is "frames of priority 3 that arrived" $(($(arrived h3) - at3)) 0
	for h in h1 h2; do is "$h: paused once" "$(value $h dcbPfcPriorityTransitions)" 1; done
	# Both stations share sw3, whose rate is half of theirs.
	resume_sw3
	wait_for 20 "frames of priority 3 arrive" has_arrived h3 $((at3 + 4 * half))
	is "frames of priority 3" $(($(arrived h3) - at3)) $((4 * half))
	fresh
	is "lost frames" "$(losses)" "0 0 0 0 0 0 0"
	for h in 1 2; do
		sw=sw$h
		wait_for 5 "sw$h: buffer is empty" holds dcbPfcPriorityHeld.${!sw}.3 0
		wait_for 5 "h$h: is not paused" eval '[ "$(value h$h dcbPfcPriorityPaused)" = false ]'
		fresh
		printf '    sw%d: held at most %d octets, %d PFC frames, %d ms of pause; h%d: %d ms, paused %d times\n' \
			$h "$(get dcbPfcPriorityHeldPeak.${!sw}.3)" "$(get dcbPfcPriorityRequests.${!sw}.3)" \
			$(($(get dcbPfcPriorityPauseSent.${!sw}.3) / 1000)) $h \
			$(($(value h$h dcbPfcPriorityPauseTime) / 1000)) "$(value h$h dcbPfcPriorityTransitions)"
		at_least "sw$h: PFC frames" "$(get dcbPfcPriorityRequests.${!sw}.3)" 2
		is "h$h: indications against requests of sw$h" "$(value h$h dcbPfcPriorityIndications)" \
			"$(get dcbPfcPriorityRequests.${!sw}.3)"
		is "sw$h: requests of all priorities" "$(get ieee8021PfcRequests.${!sw})" \
			"$(get dcbPfcPriorityRequests.${!sw}.3)"
		# Each of them is a MAC control frame, none a PAUSE frame.
		is "sw$h: MAC control frames sent, PAUSE frames sent" \
			"$(get dcbPfcPort{ControlSent,PauseSent}.${!sw} | paste -sd ' ')" \
			"$(get ieee8021PfcRequests.${!sw}) 0"
		is "sw$h: requests of priority 5" "$(get dcbPfcPriorityRequests.${!sw}.5)" 0
		at_most "sw$h: peak of octets held" "$(get dcbPfcPriorityHeldPeak.${!sw}.3)" $((headroom + threshold))
		at_least "sw$h: peak of octets held" "$(get dcbPfcPriorityHeldPeak.${!sw}.3)" \
			"$(get dcbPfcPriorityXoff.${!sw}.3)"
	done
}

# held_once SINCE: as many octets are held as frames have arrived at h4 since then, which h3 has not got;
# with a tag or without.
held_once() {
	local n=$(($(arrived h4) - $1)) held
	fresh
	held=$(get dcbPfcPriorityHeld.$sw1.3)
	[ $n -gt 0 ] && { [ "$held" = $((n * octets)) ] || [ "$held" = $((n * (octets - 4))) ]; }
}

test_flooded_frames_are_held_once() {
	local at3 at4 before
	pfc 1
	wait_for 5 "PFC is in force" pfc_in_force
	fresh
	before=$(losses)
	mac[unknown]=02:00:00:00:00:99
	pause_sw3
	at3=$(arrived h3) at4=$(arrived h4)
	offer h1 unknown 3 $half
	wait_for 20 "h1 is paused" eval '[ "$(value h1 dcbPfcPriorityPaused)" = true ]'
	wait_for 20 "sw1 holds each frame once" held_once $at4
	fresh
	printf '    sw1: holds %d octets of %d frames for h2, h3 and h4\n' \
		"$(get dcbPfcPriorityHeld.$sw1.3)" $(($(arrived h4) - at4))
	is "frames that arrived at h3" $(($(arrived h3) - at3)) 0
	resume_sw3
	wait_for 20 "the frames arrive at h3" has_arrived h3 $((at3 + half))
	wait_for 20 "the frames arrive at h4" has_arrived h4 $((at4 + half))
	wait_for 5 "sw1: buffer is empty" holds dcbPfcPriorityHeld.$sw1.3 0
	fresh
	is "lost frames" "$(losses)" "$before"
}

test_excess_frames_are_lost_without_pfc() {
	local h at3 at4 lost fit=$((sw3_buffer / (octets - 4))) # kept without FCS and tag
	pfc 2
	wait_for 5 "PFC is not in force" pfc_in_force
	pause_sw3
	at3=$(arrived h3) at4=$(arrived h4)
	for h in h1 h2; do offer $h h3 3 $half; done
	offer h1 h4 5 $half
	wait_for 20 "frames of priority 5 arrive" has_arrived h4 $((at4 + half))
	is "frames of priority 5" $(($(arrived h4) - at4)) $half
	wait_for 20 "excess frames are counted as discarded" holds dcbPortDiscardQueue.$sw3 $((2 * half - fit))
	lost=$(get dcbPortDiscardQueue.$sw3)
	resume_sw3
	wait_for 20 "other frames arrive" has_arrived h3 $((at3 + 2 * half - lost))
	printf '    priority 3: %d of %d arrived\n' $(($(arrived h3) - at3)) $((2 * half))
	is "arrived and lost" $(($(arrived h3) - at3 + $(get dcbPortDiscardQueue.$sw3))) $((2 * half))
	is "XOFF threshold of sw1" "$(get dcbPfcPriorityXoff.$sw1.3)" 0
}

run_tests
