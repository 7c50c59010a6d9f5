#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The PFC receiver on wires: which frames wait, from when to when, and which do not; in a bridge and
# in an end station, whose reaction points also stop.
#
#   h1 - sw1           h2 - sw2 PFC           h3 - sw3 PAUSE, classes shared
#
#   st: dcb0 - dcbd (station) - eth0 === stw
#
# dcbd.conf gives sw2 and sw3 1 Mb/s, so that a quantum is 512 us and the longest pause 33.6 s; the
# station has 2 Mb/s. Even on a busy machine the test has time to check such a pause, and ends it by
# XON. Raw sockets send the PFC frames. Times of frames are the kernel's. dcbd begins to count a
# pause after the PFC frame arrived, so frames that arrive before the end of the pause are always an
# error. How much later they arrive depends on the machine.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"

frames=$build/tests/system/frames
for n in 1 2 3; do
	host h$n sw$n
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
	start listsw$n "$frames" list sw$n
done
start_all 'interfaces = { include = [ "sw*" ]; };' 'bridge = { transit_delay = 0; };' 'ports = (
	{ name = "sw2"; rate = 1000000L; speed = 1000000L; },
	{ name = "sw3"; rate = 1000000L; speed = 1000000L; traffic_classes = [ 1, 0, 2, 3, 3, 5, 6, 7 ]; pfc = { pause = true; }; } );'
for n in 1 2 3; do
	wait_for 5 "h$n lists frames" logged list$n ready
	wait_for 5 "sw$n lists frames" logged listsw$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw2=$(ifindex sw2) sw3=$(ifindex sw3)
a="" b="" c="" source=""
for n in a b c source; do
	new_address
	declare $n=$address
done
# The bridge learns their addresses, so that frames to them are not flooded.
on h1 "$frames" send eth0 -s $a -d ff:ff:ff:ff:ff:ff
on h2 "$frames" send eth0 -s $b -d ff:ff:ff:ff:ff:ff
on h3 "$frames" send eth0 -s $c -d ff:ff:ff:ff:ff:ff
wait_for 5 "the bridge learns three addresses" holds dcbEngineFdbEntries.0 3

quantum=512 longest=65535 # us; quanta
short=400                 # quanta of a pause that expires: 204.8 ms
put dcbPfcPriorityEnable.$sw2.3 1

# pfc_hex ENABLE TIME: the octets of a PFC frame with that time for all priorities of the mask.
pfc_hex() {
	local i times='' time
	printf -v time %04x "$2"
	for ((i = 0; i < 8; i++)); do times+=$((($1 >> i & 1) ? 1 : 2)); done
	times=${times//2/0000}
	printf '0180c2000001%s88080101%04x%s' "${source//:/}" "$1" "${times//1/$time}"
}
pause_hex() { printf '0180c2000001%s88080001%04x' "${source//:/}" "$1"; } # TIME
inject() { # HOST HEX
	wait_for 5 "the settings are in force" in_force
	on "$1" "$frames" raw eth0 "$2" || fail "cannot send a frame"
}

# send HOST TO PRIORITY COUNT: sends frames a millisecond apart; $stream gets their stream number.
stream=0
send() {
	stream=$((stream + 1))
	on "$1" "$frames" send eth0 -i $stream -s $a -d "$2" -v 1 -p "$3" -n "$4" -g 1000 -l 80
}
got() { awk -v s="$2" '$6 == s' "${log_of[list$1]}"; } # HOST STREAM
has() { [ "$(got "$1" "$2" | wc -l)" -ge "$3" ]; }     # HOST STREAM COUNT
# in_order WHAT HOST STREAM COUNT: checks that all frames arrive, once each and in order.
in_order() {
	wait_for 10 "$1: all arrive" has "$2" "$3" "$4"
	is "$1: in order" "$(got "$2" "$3" | awk '{ print $7 }' | paste -sd ' ')" "$(seq 0 $(($4 - 1)) | paste -sd ' ')"
}

# came SW [N]: the time when the last MAC control frame arrived there, or the Nth before it.
came() {
	awk '$4 == "8808" { print $8 }' "${log_of[listsw$1]}" | tail -n "$((1 + ${2-0}))" | head -n 1
}
# control SW: the number of listed MAC control frames. A frame that was sent may be listed later.
control() { awk '$4 == "8808"' "${log_of[listsw$1]}" | wc -l; } # SW
controlled() { [ "$(control $1)" -ge $2 ]; }                    # SW COUNT

# paused WHAT HOST BEGIN END LASTED STREAM...: checks a pause that a frame at time BEGIN began, that
# ended at END at the earliest and took LASTED microseconds by dcbd's clock. Frames of these streams
# arrived before and after it; between them is a gap of at least LASTED.
paused() {
	local streams="${*:6}" gap last first
	read -r gap last first < <(awk -v streams="$streams" -v end="$4" '
		BEGIN { n = split(streams, list, " "); while (n) wanted[list[n--]] = 1 }
		!($6 in wanted) { next }
		t && $8 >= end && $8 - t > gap { gap = $8 - t; from = t; to = $8 }
		{ t = $8 }
		END { printf "%.0f %.0f %.0f\n", gap, from, to }' "${log_of[list$2]}")
	at_least "$1: microseconds without frames" $gap $5
	timed at_most "$1: us from the PFC frame to the pause" $((last > $3 ? last - $3 : 0)) 60000
	timed at_most "$1: us from the end of the pause to the next frame" $((first - $4)) 60000
}

# pri PRIORITY COLUMN...: values of sw2's priority, separated by blanks.
pri() {
	local column names=()
	for column in "${@:2}"; do names+=("dcbPfcPriority$column.$sw2.$1"); done
	get "${names[@]}" | paste -sd ' '
}
is_pri() { [ "$(pri "$1" "$2")" = "$3" ]; } # PRIORITY COLUMN VALUE

test_pause_ends_after_its_time() {
	local three t
	send h1 $b 3 20
	three=$stream
	in_order "before" 2 $three 20
	inject h2 "$(pfc_hex 0x18 $short)" # priority 4 has no PFC
	wait_for 2 "is paused" is_pri 3 Transitions 1
	send h1 $b 3 20
	in_order "priority 3" 2 $stream 20
	wait_for 5 "is not paused" is_pri 3 Paused 2
	fresh
	# By dcbd's clock the pause takes exactly the requested time.
	is "priority 3: transitions, indications, microseconds" "$(pri 3 Transitions Indications PauseTime)" \
		"1 1 $((short * quantum))"
	is "priority 4: transitions, indications, microseconds" "$(pri 4 Transitions Indications PauseTime)" "0 1 0"
	is "indications" "$(get ieee8021PfcIndications.$sw2)" 1
	wait_for 5 "the PFC frame is in the list" controlled 2 1
	t=$(came 2)
	paused "priority 3" 2 "$t" $((t + short * quantum)) $((short * quantum)) $three $stream
	is "frames discarded" "$(get dcbPortDiscardQueue.$sw2)" 0
}

# A pause begins during a stream of frames. Another priority is not paused.
test_xon_ends_pause() {
	local first three four sender t xon time lasted since least controls
	time=$(pri 3 PauseTime) controls=$(control 2)
	send h1 $b 3 150 &
	sender=$!
	first=$((stream = stream + 1))
	wait_for 5 "frames of priority 3 arrive" has 2 $first 10
	inject h2 "$(pfc_hex 0x18 $longest)"
	wait_for 2 "is paused" is_pri 3 Paused 1
	clock
	since=$now
	is "priority 4" "$(pri 4 Paused)" 2
	wait $sender
	send h1 $b 3 10
	three=$stream
	send h1 $b 4 10
	four=$stream
	in_order "priority 4" 2 $four 10
	# A second PFC frame during a pause extends it: still one transition.
	inject h2 "$(pfc_hex 0x08 $longest)"
	wait_for 2 "second PFC frame" is_pri 3 Indications 3
	is "is still paused" "$(pri 3 Paused)" 1
	is "frames of priority 3 during the pause" "$(got 2 $three | wc -l)" 0
	clock
	least=$(((now - since) * 1000))
	inject h2 "$(pfc_hex 0x08 0)"
	in_order "stream in progress" 2 $first 150
	in_order "priority 3" 2 $three 10
	wait_for 2 "is not paused" is_pri 3 Paused 2
	fresh
	is "transitions and indications" "$(pri 3 Transitions Indications)" "2 4"
	wait_for 5 "the PFC frames are in the list" controlled 2 $((controls + 3))
	t=$(came 2 2) xon=$(came 2)
	lasted=$(($(pri 3 PauseTime) - time))
	at_least "microseconds of the pause" $lasted $least
	paused "priority 3" 2 "$t" "$xon" $lasted $first $three
	timed at_most "us more than from XOFF to XON" $((lasted - (xon - t))) 60000
}

# The pause of 204.8 ms before is in the history, whole, in the interval in which it ended.
test_pauses_are_in_the_history() {
	local all
	wait_for 5 "the second pause is in the history" eval \
		'[ "$("$build/dcbctl" -s $T/control -j pauses sw2 | jq "map(.indications) | add")" = "$(pri 3 Indications)" ]'
	fresh
	all=$("$build/dcbctl" -s $T/control -j pauses)
	is "ports and priorities" "$(jq -c 'map([.port, .priority]) | unique' <<<"$all")" '[["sw2",3]]'
	is "time paused" "$(jq 'map(.paused_microseconds) | add' <<<"$all")" "$(pri 3 PauseTime)"
	at_least "longest pause" "$(jq 'map(.longest_microseconds) | max' <<<"$all")" $((short * quantum))
	is "frames sent" "$(jq 'map(.requests) | add' <<<"$all")" "$(pri 3 Requests)"
	# At least the frames that were sent in the pause waited together, each without the tag of its host.
	at_least "longest queue" "$(jq 'map(.queue_octets) | max' <<<"$all")" $((10 * 76))
	is "intervals are of different numbers" "$(jq -c 'map(.interval) | unique | length' <<<"$all")" "$(jq length <<<"$all")"
	like "text" "$("$build/dcbctl" -s $T/control pauses sw2)" '^sw2 priority 3: [0-9]+ PFC frames received, 0 sent'
	is "another port" "$("$build/dcbctl" -s $T/control pauses sw1)" "no pauses"
}

# Invalid MAC control frames pause no priority, and each is counted.
test_invalid_frames_do_not_pause() {
	local good reason head group tags control
	fresh
	control=$(get dcbPfcPortControlReceived.$sw2)
	good=$(pfc_hex 0xff $longest) head=0180c2000001${source//:/}
	group=$(printf %02x $((16#${source:0:2} | 1)))
	inject h2 "0180c2000002${good:12}"
	inject h2 "0180c2000001$group${good:14}"
	inject h2 "${head}88080102${good:32}"
	inject h2 "${head}8100e001${good:24}"
	inject h2 "${a//:/}${source//:/}810000018808${good:28}" # without the check it would be forwarded to h1, untagged
	# These the bridge would forward with the tags, and a system behind it would remove them.
	for tags in 88a8e001 9100e001 88a8e00281000001 8100000188a8e002 22e9000122e90002 810000019100000222e90003; do
		inject h2 "${a//:/}${source//:/}${tags}8808${good:28}"
	done
	for reason in BadDestination:1 BadSource:1 UnsupportedOpcodes:1 BadTagged:8; do
		wait_for 5 "$reason" holds dcbPfcPort${reason%:*}.$sw2 ${reason#*:}
	done
	is "short frames" "$(get dcbPfcPortBadShort.$sw2)" 0
	# The three without a tag are MAC control frames, none of them PAUSE.
	is "MAC control frames" "$(get dcbPfcPortControlReceived.$sw2)" $((control + 3))
	is "PAUSE frames" "$(get dcbPfcPort{PauseReceived,PauseSent}.$sw2 | paste -sd ' ')" "0 0"
	is "paused, transitions" "$(pri 3 Paused Transitions)" "2 2"
	# A later frame of h2 arrives after any of them would have been forwarded.
	on h2 "$frames" send eth0 -i 900 -s $b -d $a
	wait_for 5 "another frame" has 1 900 1
	is "forwarded frames of $source" "$(grep -c " $source " "${log_of[list1]}")" 0
}

test_pause_is_ignored_with_pfc() {
	send h1 $b 3 10
	inject h2 "$(pause_hex $longest)"
	wait_for 2 "PAUSE is ignored" holds dcbPfcPortPauseIgnored.$sw2 1
	send h1 $b 3 10
	in_order "priority 3" 2 $stream 10
	fresh
	is "ignored, honored, microseconds, paused" \
		"$(get dcbPfcPort{PauseIgnored,PauseHonoured,PauseTime,Paused}.$sw2 | paste -sd ' ')" "1 0 0 2"
	is "PAUSE frames" "$(get dcbPfcPortPauseReceived.$sw2)" 1
	is "priority 3: transitions" "$(pri 3 Transitions)" 2
	is "functions" "$(get dcbPfcPortControlFunctions.$sw2)" 3
}

# With direction transmit a PFC frame is counted, and frames go on; receive is as both for them.
test_direction_decides_whether_frames_wait() {
	local before
	put dcbPfcPriorityDirection.$sw2.3 3
	before=$(pri 3 Indications)
	inject h2 "$(pfc_hex 0x08 $longest)"
	wait_for 5 "the PFC frame is counted" is_pri 3 Indications $((before + 1))
	send h1 $b 3 10
	in_order "transmit" 2 $stream 10
	is "paused" "$(pri 3 Paused)" 2
	put dcbPfcPriorityDirection.$sw2.3 2
	inject h2 "$(pfc_hex 0x08 $longest)"
	wait_for 5 "is paused" is_pri 3 Paused 1
	send h1 $b 3 10
	send h1 $b 4 1
	in_order "priority 4" 2 $stream 1
	is "frames of priority 3 during the pause" "$(got 2 $((stream - 1)) | wc -l)" 0
	put dcbPfcPriorityDirection.$sw2.3 3
	in_order "the pause ends with the direction" 2 $((stream - 1)) 10
	put dcbPfcPriorityDirection.$sw2.3 1
}

# Without PFC, and with "pause" in dcbd.conf, a PAUSE frame pauses the whole port.
test_pause_stops_port_without_pfc() {
	local three six t
	send h1 $c 3 10
	three=$stream
	send h1 $c 6 10
	six=$stream
	in_order "priority 3, before" 3 $three 10
	in_order "priority 6, before" 3 $six 10
	inject h3 "$(pause_hex $short)"
	wait_for 2 "PAUSE is counted as honored" holds dcbPfcPortPauseHonoured.$sw3 1
	send h1 $c 3 10
	send h1 $c 6 10
	in_order "priority 3" 3 $((stream - 1)) 10
	in_order "priority 6" 3 $stream 10
	wait_for 5 "is not paused" holds dcbPfcPortPaused.$sw3 2
	fresh
	is "honored" "$(get dcbPfcPortPauseHonoured.$sw3)" 1
	is "microseconds" "$(get dcbPfcPortPauseTime.$sw3)" $((short * quantum))
	wait_for 5 "the PAUSE frame is in the list" controlled 3 1
	t=$(came 3)
	paused "priority 3" 3 "$t" $((t + short * quantum)) $((short * quantum)) $three $((stream - 1))
	paused "priority 6" 3 "$t" $((t + short * quantum)) $((short * quantum)) $six $stream
}

# A pause stops all priorities of a traffic class.
test_pause_stops_traffic_class() {
	local p waits=()
	put dcbPfcPriorityEnable.$sw3.3 1
	is "classes of 3 and 4" "$(get dcbPfcPriorityTrafficClass.$sw3.3 dcbPfcPriorityTrafficClass.$sw3.4 | paste -sd ' ')" "3 3"
	inject h3 "$(pfc_hex 0x08 $longest)"
	wait_for 2 "is paused" holds dcbPfcPriorityPaused.$sw3.3 1
	for p in 3 4 5; do
		send h1 $c $p 10
		waits+=($stream)
	done
	in_order "priority 5" 3 ${waits[2]} 10
	is "is still paused" "$(get dcbPfcPriorityPaused.$sw3.3)" 1
	is "frames of 3 and 4" "$(got 3 ${waits[0]} | wc -l) $(got 3 ${waits[1]} | wc -l)" "0 0"
	inject h3 "$(pfc_hex 0x08 0)"
	in_order "priority 3" 3 ${waits[0]} 10
	in_order "priority 4" 3 ${waits[1]} 10
	put dcbPfcPriorityEnable.$sw3.3 2
}

# A pause ends early if the link goes down or PFC of the priority is disabled; the counter of its
# time shows it.
test_pause_ends_with_link_and_pfc() {
	local time
	time=$(pri 3 PauseTime)
	inject h2 "$(pfc_hex 0x08 $longest)"
	wait_for 1 "is paused" is_pri 3 Paused 1
	put dcbPfcPriorityEnable.$sw2.3 2
	wait_for 1 "is not paused with PFC disabled" is_pri 3 Paused 2
	fresh
	at_most "microseconds of the first pause" $(($(pri 3 PauseTime) - time)) $((longest * quantum - 1))
	put dcbPfcPriorityEnable.$sw2.3 1
	time=$(pri 3 PauseTime)
	inject h2 "$(pfc_hex 0x08 $longest)"
	wait_for 1 "is paused" is_pri 3 Paused 1
	ip -n h2 link set eth0 down
	wait_for 5 "sw2 is down" holds dcbPortOperational.$sw2 2
	wait_for 1 "is not paused with link down" is_pri 3 Paused 2
	fresh
	at_most "microseconds of the second pause" $(($(pri 3 PauseTime) - time)) $((longest * quantum - 1))
	ip -n h2 link set eth0 up
	wait_for 5 "sw2 is up" holds dcbPortOperational.$sw2 1
}

test_pfc_enable_survives_restart() {
	restart_dcbd
	wait_for 5 "sw2 is up" holds dcbPortOperational.$sw2 1
	is "priority 3: enabled, transitions" "$(pri 3 Enable Transitions)" "1 0"
	is "priority 4: enabled" "$(pri 4 Enable)" 2
}

# --- an end station ----------------------------------------------------------------------

ctl() { "$build/dcbctl" -s $T/st/control "$@"; }
value() { ctl -j show "${1%%.*}" "${1#*.}" 2>&1 | jq -r '.[0].rows[0].values[]'; } # OBJECT.INDEX
is_value() { [ "$(value "$1")" = "$2" ]; }

start_station() {
	host st stw
	start listst "$frames" list stw
	mkdir -p $T/st
	cat >$T/st/dcbd.conf <<-END
		role = "station";
		interfaces = { include = [ "eth0" ]; };
		ports = ( { name = "eth0"; tap = "dcb0"; rate = 2000000L; speed = 2000000L; } );
		user = "root";
		$no_real_time
		state_file = "$T/st/state";
		control = { socket = "$T/st/control"; };
		initial = (
		{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; },
		{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		{ object = "ieee8021CnRpgTimeReset"; index = "1.3.*.3"; port = "*"; value = "100"; },
		{ object = "ieee8021CnRpgMinRate"; index = "1.3.*.3"; port = "*"; value = "1"; } );
	END
	start st nsenter --net=/run/netns/st -- "$build/dcbd" -c $T/st/dcbd.conf
	wait_for 10 "dcbd of the station is up" test -S $T/st/control || die "dcbd of the station does not start"
	wait_for 10 "tap of the station" on st ip link show dcb0
	wait_for 5 "stw lists frames" logged listst ready
	st=$(ip -n st -j link show dev eth0 | jq '.[0].ifindex')
	st_mac=$(ip -n st -j link show dev eth0 | jq -r '.[0].address')
	wait_for 5 "port of the station is up" is_value dcbPortOperational.$st true
	ctl set dcbPfcPriorityEnable.$st.3 true >/dev/null || fail "cannot enable PFC"
}

rp_now() {
	value dcbRpCurrentRate.1.$st.3.1
	value dcbRpTargetRate.1.$st.3.1
	value dcbRpTimeStage.1.$st.3.1
}

# While a priority is paused, its reaction points do not change their rates.
test_paused_station_and_reaction_point() {
	local flow before number=700
	if ! [ -w /dev/net/tun ]; then
		skip "no write access to /dev/net/tun"
		return
	fi
	start_station
	# The frame's CN-TAG has the flow identifier; a CNM for that flow makes a reaction point.
	on st "$frames" send dcb0 -i $number -s "$st_mac" -d $a -v 0 -p 3
	wait_for 5 "frame of the flow" grep -q " $number 0 " "${log_of[listst]}"
	flow=$(awk -v n=$number '$6 == n { print substr($4, 1, 4) }' "${log_of[listst]}")
	# Pause first: the reaction point might be gone before the pause begins.
	"$frames" raw stw "$(pfc_hex 0x08 $longest)"
	wait_for 1 "is paused" is_value dcbPfcPriorityPaused.$st.3 true
	"$frames" raw stw "${st_mac//:/}${a//:/}22e9${flow}22e7003f0000000000000001000000006000${a//:/}0000"
	wait_for 5 "reaction point of the flow" is_value dcbRpEnabled.1.$st.3.1 true
	on st "$frames" send dcb0 -i $((number + 1)) -s "$st_mac" -d $a -v 0 -p 3
	on st "$frames" send dcb0 -i $((number + 2)) -s "$st_mac" -d $a -v 0 -p 4
	on st "$frames" send dcb0 -i $((number + 3)) -s "$st_mac" -d 01:80:c2:00:00:0e
	before=$(rp_now)
	pause 0.35 # more than three cycles of the reaction point's timer
	is "rates and stage while paused" "$(rp_now)" "$before"
	wait_for 2 "frame of another priority" grep -q " $((number + 2)) 0 " "${log_of[listst]}"
	wait_for 2 "LLDPDU" grep -q " $((number + 3)) 0 " "${log_of[listst]}"
	is "frames of the paused priority" "$(grep -c " $((number + 1)) 0 " "${log_of[listst]}")" 0
	is "is still paused" "$(value dcbPfcPriorityPaused.$st.3)" true
	"$frames" raw stw "$(pfc_hex 0x08 $short)"
	wait_for 5 "frame of the paused priority" grep -q " $((number + 1)) 0 " "${log_of[listst]}"
	wait_for 5 "reaction point changes its rate" eval '[ "$(rp_now)" != "$before" ]'
	# The paused frame arrives last.
	is "last frame" "$(awk -v n=$number '$6 > n && $6 <= n + 3 { print $6 - n }' "${log_of[listst]}" | tail -n 1)" 1
	wait_for 2 "is not paused" is_value dcbPfcPriorityPaused.$st.3 false
	is "transitions" "$(value dcbPfcPriorityTransitions.$st.3)" 1
	is "indications" "$(value dcbPfcPriorityIndications.$st.3)" 2
}

# What the station refuses of its host depends on the frame as the neighbor sees it, and as others see
# it that remove further tags.
test_host_of_station_cannot_send_mac_control_or_cnms() {
	local forbidden head tags n=0 reserved cnms
	if ! [ -w /dev/net/tun ]; then
		skip "no write access to /dev/net/tun"
		return
	fi
	new_address
	forbidden=$address head=0180c2000001${address//:/}
	reserved=$(value dcbPortDiscardReserved.$st) cnms=$(value dcbCnmFromHost.$st)
	for tags in '' 81000000 22e90001 8100000022e90001 22e9000122e90002 810000008100a009 88a8c00a 9100000a \
		88a80001910000028100000422e90005; do
		on st "$frames" raw dcb0 "$head${tags}8808010100ff$(printf 'ffff%.0s' {1..8})"
		on st "$frames" raw dcb0 "${a//:/}${forbidden//:/}${tags}22e7003f0000000000000001000000006000${a//:/}0000"
		n=$((n + 1))
	done
	wait_for 5 "MAC control frames are counted" is_value dcbPortDiscardReserved.$st $((reserved + n))
	wait_for 5 "CNMs are counted" is_value dcbCnmFromHost.$st $((cnms + n))
	# A permitted frame behind a tag arrives after them.
	on st "$frames" raw dcb0 "${a//:/}${st_mac//:/}88a8c00a88b5000003e700000000"
	wait_for 5 "a permitted frame" grep -q " 999 0 " "${log_of[listst]}"
	is "forbidden frames on the wire" "$(grep -c " $forbidden " "${log_of[listst]}")" 0
}

run_tests
