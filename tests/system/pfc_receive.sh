#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The PFC receiver on wires: what waits, from when to when, and what does not; in a bridge
# and in an end station, where the reaction points stand still as well.
#
#   h1 - sw1           h2 - sw2 PFC           h3 - sw3 PAUSE, classes shared
#
#   st: dcb0 - dcbd (station) - eth0 === stw
#
# sw2 and the station have 10 Mb/s by dcbd.conf, so that a quantum is 51.2 us and the
# longest pause 3.3 s; sw3 has ten times that. What pauses comes from raw sockets.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "no jq"

frames=$build/tests/system/frames
for n in 1 2 3; do
	host h$n sw$n
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
	start listsw$n "$frames" list sw$n
done
start_all 'interfaces = { include = [ "sw*" ]; };' 'ports = (
	{ name = "sw2"; rate = 10000000L; },
	{ name = "sw3"; rate = 100000000L; traffic_classes = [ 1, 0, 2, 3, 3, 5, 6, 7 ]; pfc = { pause = true; }; } );'
for n in 1 2 3; do
	wait_for 5 "h$n listens" logged list$n ready
	wait_for 5 "sw$n listens" logged listsw$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw2=$(ifindex sw2) sw3=$(ifindex sw3)
a=02:00:00:00:00:0a b=02:00:00:00:00:0b c=02:00:00:00:00:0c
for n in 1 2 3; do
	on h$n "$frames" send eth0 -s 02:00:00:00:00:0$(tr 123 abc <<<$n) -d ff:ff:ff:ff:ff:ff
done

# A processor that is elsewhere may be late by this much, in microseconds; pauses last for longer.
late=$((60000 * slow))
quantum2=51200 quantum3=5120 # ns
put dcbPfcPriorityEnable.$sw2.3 1

# pfc_hex ENABLE TIME: a PFC frame with that time for all priorities of the mask.
pfc_hex() {
	local i times='' time
	printf -v time %04x "$2"
	for ((i = 0; i < 8; i++)); do times+=$((($1 >> i & 1) ? 1 : 2)); done
	times=${times//2/0000}
	printf '0180c200000102000000007788080101%04x%s' "$1" "${times//1/$time}"
}
pause_hex() { printf '0180c200000102000000007788080001%04x' "$1"; } # TIME
inject() { on "$1" "$frames" raw eth0 "$2" || fail "cannot inject"; } # HOST HEX

# stream HOST TO PRIORITY: 1500 frames in the background, somewhat more than a millisecond
# apart; their number in $stream, and what to wait for in $senders.
stream=0 senders=()
stream() {
	stream=$((stream + 1))
	on "$1" "$frames" send eth0 -i $stream -s $a -d "$2" -v 1 -p "$3" -n 1500 -g 1000 -l 200 &
	senders+=($!)
}
got() { awk -v s="$2" '$6 == s' "${log_of[list$1]}"; } # HOST STREAM
has() { [ "$(got "$1" "$2" | wc -l)" -ge "$3" ]; }     # HOST STREAM COUNT
all_sent() {
	wait "${senders[@]}"
	senders=()
}

# gap_of HOST STREAM: the longest there is between two frames, in $gap, from $last to $first.
gap_of() {
	read -r gap last first < <(got "$1" "$2" | awk '
		NR > 1 && $8 - t > gap { gap = $8 - t; from = t; to = $8 }
		{ t = $8 }
		END { printf "%.0f %.0f %.0f\n", gap, from, to }')
}
# came SW [N]: when the last MAC control frame came in there, or the last but N.
came() {
	awk '$4 == "8808" { print $8 }' "${log_of[list$1]}" | tail -n "$((1 + ${2-0}))" | head -n 1
}

# paused WHAT HOST STREAM FROM TO: nothing arrived between these times, and all did in the end.
paused() {
	wait_for 10 "$1: all arrive" has "$2" "$3" 1500
	gap_of "$2" "$3"
	at_most "$1: frames still come for" $((last - $4)) $late
	at_least "$1: waits until" $((first - $5)) -$late
	at_most "$1: goes on" $((first - $5)) $late
	printf '    %s: still %d us, waited %d us, went on after %d us more\n' "$1" \
		$((last > $4 ? last - $4 : 0)) $gap $((first - $5))
}
# steady WHAT HOST STREAM: not held up.
steady() {
	wait_for 10 "$1: all arrive" has "$2" "$3" 1500
	gap_of "$2" "$3"
	at_most "$1: longest gap" $gap $((3 * late < 500000 ? 3 * late : 500000))
}

pri() { get "dcbPfcPriority$1.$sw2.$2"; } # COLUMN PRIORITY

test_waits_until_its_time_is_over() {
	local three four t indications transitions time
	indications=$(get ieee8021PfcIndications.$sw2) transitions=$(pri Transitions 3) time=$(pri PauseTime 3)
	stream h1 $b 3
	three=$stream
	stream h1 $b 4
	four=$stream
	wait_for 5 "they flow" has 2 $three 100
	inject h2 "$(pfc_hex 0x18 12000)" # 614 ms; priority 4 has no PFC
	wait_for 2 "is paused" eval '[ "$(pri Paused 3)" = 1 ]'
	is "priority 4" "$(pri Paused 4)" 2
	all_sent
	t=$(came sw2)
	paused "priority 3" 2 $three "$t" $((t + 12000 * quantum2 / 1000))
	steady "priority 4" 2 $four
	fresh
	is "paused" "$(pri Paused 3)" 2
	is "indications" $(($(get ieee8021PfcIndications.$sw2) - indications)) 1
	is "of priority 3" "$(pri Indications 3)" 1
	is "of priority 4" "$(pri Indications 4)" 1
	is "transitions" $(($(pri Transitions 3) - transitions)) 1
	is "of priority 4" "$(pri Transitions 4)" 0
	is "microseconds" $(($(pri PauseTime 3) - time)) $((12000 * quantum2 / 1000))
	is "discarded" "$(get dcbPortDiscardQueue.$sw2)" 0
}

test_goes_on_when_told_to() {
	local three t xon time
	time=$(pri PauseTime 3)
	stream h1 $b 3
	three=$stream
	wait_for 5 "it flows" has 2 $three 100
	# Said again before it is over, it is one pause all the same.
	inject h2 "$(pfc_hex 0x08 65535)"
	pause 0.2
	inject h2 "$(pfc_hex 0x08 65535)"
	pause 0.2
	inject h2 "$(pfc_hex 0x08 0)"
	all_sent
	t=$(came sw2 2) xon=$(came sw2)
	paused "priority 3" 2 $three "$t" "$xon"
	fresh
	is "transitions" "$(pri Transitions 3)" 2
	is "indications" "$(pri Indications 3)" 4
	time=$(($(pri PauseTime 3) - time))
	at_least "microseconds" $time $((xon - t - late))
	at_most "microseconds" $time $((xon - t + late))
}

# Frames that are none, or no good, pause nothing, and each is counted.
test_bad_frames() {
	local good reason head
	good=$(pfc_hex 0xff 65535) head=0180c2000001020000000077
	inject h2 "0180c2000002${good:12}"
	inject h2 "0180c200000103${good:14}"
	inject h2 "${head}88080102${good:32}"
	inject h2 "${head}8100e001${good:24}"
	inject h2 "020000000002020000000077810000018808${good:28}" # would go to h1, and lose its tag
	for reason in BadDestination:1 BadSource:1 UnsupportedOpcodes:1 BadTagged:2; do
		wait_for 5 "$reason" holds dcbPfcPort${reason%:*}.$sw2 ${reason#*:}
	done
	is "short ones" "$(get dcbPfcPortBadShort.$sw2)" 0
	is "paused" "$(pri Paused 3)" 2
	! grep -q ' 8808 ' "${log_of[list1]}" || fail "MAC control was forwarded"
}

test_pause_is_ignored_with_pfc() {
	local three
	stream h1 $b 3
	three=$stream
	wait_for 5 "it flows" has 2 $three 100
	inject h2 "$(pause_hex 65535)"
	all_sent
	steady "priority 3" 2 $three
	fresh
	is "ignored" "$(get dcbPfcPortPauseIgnored.$sw2)" 1
	is "honoured" "$(get dcbPfcPortPauseHonoured.$sw2)" 0
	is "functions" "$(get dcbPfcPortControlFunctions.$sw2)" 3
}

# Without PFC, and dcbd.conf asking for it, the whole port.
test_pause_is_heeded_without() {
	local three six t
	stream h1 $c 3
	three=$stream
	stream h1 $c 6
	six=$stream
	wait_for 5 "they flow" has 3 $six 100
	inject h3 "$(pause_hex 60000)"
	[ $slow -gt 1 ] || wait_for 2 "is paused" holds dcbPfcPortPaused.$sw3 1
	all_sent
	t=$(came sw3)
	paused "priority 3" 3 $three "$t" $((t + 60000 * quantum3 / 1000))
	paused "priority 6" 3 $six "$t" $((t + 60000 * quantum3 / 1000))
	fresh
	is "honoured" "$(get dcbPfcPortPauseHonoured.$sw3)" 1
	is "microseconds" "$(get dcbPfcPortPauseTime.$sw3)" $((60000 * quantum3 / 1000))
	is "paused" "$(get dcbPfcPortPaused.$sw3)" 2
}

# Who shares a queue waits for the others.
test_shared_queue() {
	local three four five t
	put dcbPfcPriorityEnable.$sw3.3 1
	is "class of 3" "$(get dcbPfcPriorityTrafficClass.$sw3.3)" 3
	is "class of 4" "$(get dcbPfcPriorityTrafficClass.$sw3.4)" 3
	stream h1 $c 3
	three=$stream
	stream h1 $c 4
	four=$stream
	stream h1 $c 5
	five=$stream
	wait_for 5 "they flow" has 3 $five 100
	inject h3 "$(pfc_hex 0x08 60000)"
	all_sent
	t=$(came sw3)
	paused "priority 3" 3 $three "$t" $((t + 60000 * quantum3 / 1000))
	paused "priority 4" 3 $four "$t" $((t + 60000 * quantum3 / 1000))
	steady "priority 5" 3 $five
	put dcbPfcPriorityEnable.$sw3.3 2
}

# Nobody is held up by what a link said that is no more, or a priority that has no PFC now.
test_ends_with_link_and_setting() {
	local i
	for i in 1 2 3 4; do inject h2 "$(pfc_hex 0x08 65535)"; done
	wait_for 1 "is paused" eval '[ "$(pri Paused 3)" = 1 ]'
	put dcbPfcPriorityEnable.$sw2.3 2
	fresh
	is "disabled" "$(pri Paused 3)" 2
	put dcbPfcPriorityEnable.$sw2.3 1
	inject h2 "$(pfc_hex 0x08 65535)"
	wait_for 1 "is paused" eval '[ "$(pri Paused 3)" = 1 ]'
	ip -n h2 link set eth0 down
	wait_for 5 "sw2 is down" holds dcbPortOperational.$sw2 2
	fresh
	is "link down" "$(pri Paused 3)" 2
	ip -n h2 link set eth0 up
	wait_for 5 "sw2 is up" holds dcbPortOperational.$sw2 1
}

test_is_kept() {
	restart_dcbd
	wait_for 5 "sw2 is up" holds dcbPortOperational.$sw2 1
	is "priority 3" "$(pri Enable 3)" 1
	is "priority 4" "$(pri Enable 4)" 2
	is "transitions" "$(pri Transitions 3)" 0
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
		ports = ( { name = "eth0"; tap = "dcb0"; rate = 10000000L; } );
		state_file = "$T/st/state";
		control = { socket = "$T/st/control"; };
		initial = (
		{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; },
		{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		{ object = "ieee8021CnRpgTimeReset"; index = "1.3.*.3"; port = "*"; value = "400"; } );
	END
	start st nsenter --net=/run/netns/st -- "$build/dcbd" -c $T/st/dcbd.conf
	wait_for 10 "the station" test -S $T/st/control || die "no station"
	wait_for 10 "its tap" on st ip link show dcb0
	wait_for 5 "stw listens" logged listst ready
	st=$(ip -n st -j link show dev eth0 | jq '.[0].ifindex')
	st_mac=$(ip -n st -j link show dev eth0 | jq -r '.[0].address')
	wait_for 5 "its port is up" is_value dcbPortOperational.$st true
	ctl set dcbPfcPriorityEnable.$st.3 true >/dev/null || fail "cannot enable PFC"
}

rp_now() {
	value dcbRpCurrentRate.1.$st.3.1
	value dcbRpTargetRate.1.$st.3.1
	value dcbRpTimeStage.1.$st.3.1
}

# PFC beats congestion notification: a rate that cannot be used is not worked on either.
test_station() {
	local flow before after number=700
	if ! [ -w /dev/net/tun ]; then
		skip "no taps: /dev/net/tun is not for us"
		return
	fi
	start_station
	# Its frame tells the flow, a CNM about that slows it down.
	on st "$frames" send dcb0 -i $number -s "$st_mac" -d $a -v 0 -p 3
	wait_for 5 "a frame" grep -q " $number 0 " "${log_of[listst]}"
	flow=$(awk -v n=$number '$6 == n { print substr($4, 1, 4) }' "${log_of[listst]}")
	"$frames" raw stw "${st_mac//:/}${a//:/}22e9${flow}22e7003f0000000000000001000000006000${a//:/}0000"
	wait_for 5 "its reaction point" is_value dcbRpEnabled.1.$st.3.1 true
	"$frames" raw stw "$(pfc_hex 0x08 65535)"
	wait_for 1 "is paused" is_value dcbPfcPriorityPaused.$st.3 true
	on st "$frames" send dcb0 -i $((number + 1)) -s "$st_mac" -d $a -v 0 -p 3
	on st "$frames" send dcb0 -i $((number + 2)) -s "$st_mac" -d $a -v 0 -p 4
	on st "$frames" send dcb0 -i $((number + 3)) -s "$st_mac" -d 01:80:c2:00:00:0e
	before=$(rp_now)
	pause 1.5 # more than three cycles of its timer
	after=$(rp_now)
	if is_value dcbPfcPriorityPaused.$st.3 true; then
		is "rates and stage while paused" "$after" "$before"
		is "frames of it" "$(grep -c " $((number + 1)) 0 " "${log_of[listst]}")" 0
	else
		skip "this machine is too slow for a pause of 3.3 s"
	fi
	wait_for 2 "another priority" grep -q " $((number + 2)) 0 " "${log_of[listst]}"
	wait_for 2 "LLDP" grep -q " $((number + 3)) 0 " "${log_of[listst]}"
	wait_for 5 "goes on" grep -q " $((number + 1)) 0 " "${log_of[listst]}"
	wait_for 5 "the reaction point goes on" eval '[ "$(rp_now)" != "$before" ]'
	# In the order in which they left: what was paused is the last.
	is "order" "$(awk -v n=$number '$6 > n && $6 <= n + 3 { print $6 - n }' "${log_of[listst]}" | tail -n 1)" 1
	is "transitions" "$(value dcbPfcPriorityTransitions.$st.3)" 1
	wait_for 2 "is not paused" is_value dcbPfcPriorityPaused.$st.3 false
	is "microseconds" "$(value dcbPfcPriorityPauseTime.$st.3)" $((65535 * quantum2 / 1000))
	is "indications" "$(value dcbPfcPriorityIndications.$st.3)" 1
}

run_tests
