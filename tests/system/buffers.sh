#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The frame memory: what a bridge holds, by dcbctl buffers and SNMP, and its watermarks; a SET whose
# headroom exceeds the memory, which is refused with the sum and changes nothing; a link that exceeds
# it, which is a status, a line of the log and a notification; and dcbd -t.
#
#   h1 === sw1 [dcbd, 600 frame buffers] sw2 === h2, which pauses priority 3 of sw2
#
# sw2 has 1 Mb/s, so that the longest pause is 33 s.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

command -v jq >/dev/null || skip_all "jq is not installed"

frames=$build/tests/system/frames
dcbctl() { "$build/dcbctl" -s $T/control "$@" 2>&1; }
host h1 sw1
host h2 sw2
sw1=$(ifindex sw1) sw2=$(ifindex sw2)
bridge='bridge = { frame_buffers = 600; frame_octets = 2048; transit_delay = 0; };'
ports='interfaces = { include = [ "sw*" ]; };'
start list2 nsenter --net=/run/netns/h2 -- "$frames" list eth0
start_snmptrapd
dcbd_conf "$ports" "$bridge" 'ports = ( { name = "sw2"; rate = 1000000L; speed = 1000000L; } );'
start_dcbd
start_snmpd "${trap_sink[@]}"
start_agentx
wait_for 5 "h2 lists frames" logged list2 ready
for n in $sw1 $sw2; do wait_for 5 "$n is up" holds dcbPortOperational.$n 1; done
# The bridge learns the address of h2, so that frames to it are not flooded.
new_address
h1=$address
new_address
h2=$address
on h2 "$frames" send eth0 -s "$h2" -d ff:ff:ff:ff:ff:ff
wait_for 5 "the bridge learns the address" eval '[ "$(get dcbEngineFdbEntries.0)" -ge 1 ]'

enable=dcbPfcPriorityEnable
insufficient=dcbPfcHeadroomInsufficient
put $enable.$sw1.3 1 $enable.$sw2.3 1

picture() { # FILE: all settings and the state file
	"$build/dcbctl" -s $T/control -j show dcbPfcPriorityEnable >"$1"
	for object in dcbBufferLosslessShare dcbBufferHeadroomRatio dcbBufferPromisedFrames dcbBufferReserve; do
		dcbctl -j show $object >>"$1"
	done
	stat -c '%y %s %i' $T/state/state >>"$1"
	sha256sum <$T/state/state >>"$1"
}

test_set_that_does_not_fit_is_refused_with_the_sum() {
	local said
	wait_for 5 "the configuration is in force" in_force
	picture $T/before
	refused resourceUnavailable dcbBufferLosslessShare.0 70 $enable.$sw1.4 1 $enable.$sw2.4 1
	try_culprit dcbBufferLosslessShare.0 70 $enable.$sw1.4 1 $enable.$sw2.4 1
	is "varbind of the port that does not fit" "$culprit" ".${O[$enable]}.$sw1.4"
	said=$(dcbctl set dcbBufferLosslessShare.0 70 $enable.sw1.4 true $enable.sw2.4 true) && fail "dcbctl: not refused"
	like "dcbctl" "$said" \
		'resourceUnavailable.*sw1: reserves of [0-9]+ and headroom of [0-9]+ frame buffers \(ratio 1\) do not fit: expected bridge\.frame_buffers of [0-9]+ instead of 600'
	logged dcbd 'SET refused: resourceUnavailable: sw1: reserves of ' || fail "not in the log"
	picture $T/after
	same "settings, promises and state file" $T/before $T/after
	is "status" "$(get dcbBufferStatus.0)" 1
	# The number of frame buffers in the reason is sufficient.
	put dcbBufferHeadroomRatio.0 2 $enable.$sw1.4 1 $enable.$sw2.4 1
	refused resourceUnavailable dcbBufferHeadroomRatio.0 1
	put $enable.$sw1.4 2 $enable.$sw2.4 2
	put dcbBufferHeadroomRatio.0 1
}

test_settings_survive_a_restart() {
	local settings=(dcbBufferLosslessShare.0 60 dcbBufferHeadroomRatio.0 3 dcbBufferReserve.$sw2.5 4000
		dcbBufferLosslessAlpha.$sw1.3 -2 dcbBufferLossyAlpha.$sw2.0 4)
	put "${settings[@]}"
	restart_dcbd
	for ((i = 0; i < ${#settings[@]}; i += 2)); do
		is "${settings[i]}" "$(get "${settings[i]}")" "${settings[i + 1]}"
	done
	wait_for 5 "the reserve is in force" holds dcbBufferReserveInForce.$sw2.5 4000
	put dcbBufferLosslessShare.0 50 dcbBufferHeadroomRatio.0 1 dcbBufferReserve.$sw2.5 0 \
		dcbBufferLosslessAlpha.$sw1.3 3 dcbBufferLossyAlpha.$sw2.0 1
	for n in $sw1 $sw2; do wait_for 5 "$n is up" holds dcbPortOperational.$n 1; done
}

held() { # OBJECT: of sw1, priority 3, in JSON
	dcbctl -j buffers sw1 | jq -r ".[0].ports[0].priorities[3].$1"
}

test_held_frames_and_watermarks() {
	since() { dcbctl -j buffers | jq '.[0].watermarksSince'; }
	start pfcgen nsenter --net=/run/netns/h2 -- "$build/dcb-pfcgen" -p 3 -q 65535 -i 100ms -t 3600s eth0
	wait_for 5 "sw2 is paused" holds dcbPfcPriorityPaused.$sw2.3 1
	on h1 "$frames" send eth0 -s "$h1" -d "$h2" -v 1 -p 3 -n 20 -l 504 || fail "cannot send frames"
	wait_for 5 "20 frames are held" eval '[ "$(held lossless.held.buffers)" = 20 ]'
	is "octets held" "$(held lossless.held.octets)" $((20 * 500))
	is "octets of the initiator" "$(get dcbPfcPriorityHeld.$sw1.3)" $((20 * 500))
	fresh
	is "frames of the lossless account" "$(get dcbBufferLosslessFrames.$sw1.3)" 20
	is "frames of the lossy account" "$(get dcbBufferLossyFrames.$sw2.3)" 0
	at_least "limit" "$(held lossless.limit.buffers)" 21
	is "headroom in use" "$(held headroom.held)" 0
	stop pfcgen
	wait_for 5 "no frame is held" eval '[ "$(held lossless.held.buffers)" = 0 ]'
	is "peak" "$(held lossless.peak.buffers)" 20
	is "time of the watermarks" "$(since)" 0
	put dcbBufferWatermarkReset.0 1
	wait_for 5 "the peak is reset" eval '[ "$(held lossless.peak.buffers)" = 0 ]'
	at_least "time of the watermarks" "$(since)" 1
}

test_dcbctl_prints_memory_pools_and_accounts() {
	local said
	said=$(dcbctl buffers)
	like "status" "$said" '^status: fits'
	for part in memory reserves headroom 'lossless pool' 'lossy pool' 'headroom pool'; do
		grep -qE "^$part +[0-9]+ +[0-9]+ " <<<"$said" || fail "no line of $part"
	done
	is "accounts with PFC" "$(grep -cE '^sw[12] +3 +(lossless|headroom) ' <<<"$said")" 4
	is "accounts" "$(grep -cE '^sw[12] +[0-7] +lossy ' <<<"$said")" 16
	is "longest line" "$(awk 'length > 99' <<<"$said")" ""
	is "accounts of sw2" "$(dcbctl buffers sw2 | grep -cE '^sw[12] ')" 10
	is "buffers" "$(dcbctl -j buffers | jq '.[0].memory.buffers')" 600
	said=$(dcbctl buffers nothere) && fail "an unknown port is accepted"
	like "unknown port" "$said" nothere
}

# A larger MTU needs headroom for two longer frames. Nothing can refuse it.
test_link_that_exceeds_the_memory_is_reported_once() {
	forget_traps
	ip link set sw1 mtu 16000 || die "cannot set the MTU"
	wait_for 5 "the memory does not fit" holds dcbBufferStatus.0 2
	fresh
	is "status of the ports" "$(get dcbPfcHeadroomStatus.$sw1 dcbPfcHeadroomStatus.$sw2 | xargs)" "5 5"
	at_least "missing frame buffers" "$(get dcbBufferMissingFrames.0)" 1
	like "dcbctl" "$(dcbctl buffers)" '^status: does not fit: [0-9]+ octets, [0-9]+ buffers are missing'
	wait_for 10 "two notifications" has_traps 2 $insufficient
	for n in $sw1 $sw2; do
		is "notifications of $n" "$(count_traps $insufficient "${O[dcbPfcPriorityHeld]//./\\.}\.$n\.3 = ")" 1
	done
	# A SET must not exceed it by more; other settings are accepted.
	refused resourceUnavailable $enable.$sw1.4 1
	put dcbBufferLosslessShare.0 40
	put dcbBufferLosslessShare.0 50
	is "lines" "$(grep -c 'memory: frame memory of .* buffers more' "${log_of[dcbd]}")" 1
	is "notifications" "$(count_traps $insufficient)" 2
	# dcbd starts with the settings that it had accepted.
	restart_dcbd
	wait_for 5 "the memory does not fit" holds dcbBufferStatus.0 2
	is "PFC" "$(get $enable.$sw2.3)" 1
	wait_for 5 "a line of the sum" logged dcbd 'memory: frame memory of .* buffers more'
	ip link set sw1 mtu 1500
	wait_for 5 "the memory fits" holds dcbBufferStatus.0 1
	wait_for 5 "a line that it fits" logged dcbd 'memory: the reserves and the headroom fit into the frame memory again'
	fresh
	is "status of the ports" "$(get dcbPfcHeadroomStatus.$sw1 dcbPfcHeadroomStatus.$sw2 | xargs)" "1 1"
}

# tested LINE...: exit status of dcbd -t for these lines; $said: its message.
tested() {
	printf '%s\n' "$@" 'user = "root";' >$T/tested.conf
	said=$("$build/dcbd" -t -c $T/tested.conf 2>&1)
}

test_conf_is_tested_with_its_ports() {
	local said initial='initial = ( { object = "dcbPfcPriorityEnable"; index = "*.3"; port = "*"; value = "true"; },
		{ object = "dcbPfcPriorityEnable"; index = "*.4"; port = "*"; value = "true"; } );'
	tested "$ports" "$bridge" || fail "without PFC: $said"
	tested "$ports" "$bridge" "$initial"
	is "exit status" $? 2
	like "sum" "$said" 'tested\.conf: frame memory of [0-9]+ octets, 600 buffers: reserves [0-9]+, [0-9]+ and headroom [0-9]+, [0-9]+ \(divided by dcbBufferHeadroomRatio 1\) need 0 octets, [0-9]+ buffers more: raise bridge\.frame_buffers'
	tested "$ports" 'bridge = { frame_buffers = 1200; };' "$initial" || fail "with more frame buffers: $said"
	tested 'memory_ports = 2;' "$bridge" "$initial" && fail "memory ports are not counted"
	tested 'defaults = { pfc = { buffer = 20000; headroom = 18000; }; };'
	is "exit status" $? 2
	like "buffer" "$said" 'tested\.conf:1: defaults\.pfc\.buffer: .* expected at least 20052'
	"$build/dcbd" -c $T/tested.conf >$T/started 2>&1
	is "exit status of a start" $? 2
	like "start" "$(cat $T/started)" 'defaults\.pfc\.buffer'
}

run_tests
