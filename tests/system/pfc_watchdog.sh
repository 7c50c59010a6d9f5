#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The PFC watchdog on wires: storms of PFC frames on two ports and all priorities. Each storm is
# detected once and in time, the action takes effect, and a snmptrapd receives the notifications.
# Also the notification for a neighbor that ignores our PFC frames, and a storming port that becomes
# an observed one.
#
#   h1 - sw1       h2 - sw2       h3 - sw3       data from h1, PFC from h2 and h3
#
# dcbd.conf gives ports 10 Mb/s: the longest pause takes 3.4 s. PFC frames repeat it every 20 ms, so
# that a busy processor does not interrupt it. Durations are those of dcbd's clock; the test
# compares them with its own clock only for bounds that hold on every machine.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

frames=$build/tests/system/frames
for n in 1 2 3; do
	host h$n sw$n
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
done
start_snmptrapd
dcbd_conf 'interfaces = { include = [ "sw*" ]; };' 'bridge = { transit_delay = 0; };' \
	'defaults = { rate = 10000000L; speed = 10000000L; };' 'ports = ( { name = "later"; provider = "observe"; } );'
start_dcbd
start_snmpd "${trap_sink[@]}"
start_agentx
for n in 1 2 3; do
	wait_for 5 "h$n lists frames" logged list$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw2=$(ifindex sw2) sw3=$(ifindex sw3)
sw1=$(ifindex sw1)
station=()
for n in 1 2 3; do
	new_address
	station[n]=$address
done
a=${station[1]} b=${station[2]} c=${station[3]}
# heard HOST...: the bridge learns their addresses, so that frames to them are not flooded.
heard() {
	local n
	for n; do on h$n "$frames" send eth0 -s "${station[n]}" -d ff:ff:ff:ff:ff:ff; done
	wait_for 5 "the bridge learns three addresses" holds dcbEngineFdbEntries.0 3
}

none=1 alert=2 drop=3 forward=4         # dcbPfcWatchdogAction
detection=200 restoration=300           # ms
longest=60000                           # ms: the longest dcbPfcWatchdogDetectionTime
enough=$((detection + 2 * restoration)) # ms after which a flapping storm would have ended
put dcbNotifyRateLimit.0 0
heard 1 2 3

# all_priorities PORT COLUMN VALUE: arguments for put.
all_priorities() {
	local p
	for p in 0 1 2 3 4 5 6 7; do printf '%s.%s.%s %s ' "$2" "$1" $p "$3"; done
}
for port in $sw2 $sw3; do
	put $(all_priorities $port dcbPfcPriorityEnable 1)
	put $(all_priorities $port dcbPfcWatchdogDetectionTime $detection)
	put $(all_priorities $port dcbPfcWatchdogRestorationTime $restoration)
	put $(all_priorities $port dcbPfcWatchdogHoldDown 0) # tests repeat storms
done

dog() { get "dcbPfcWatchdog$1.$2.$3"; } # COLUMN PORT PRIORITY
evidence() { get "dcbPfcStorm$1.$2.$3"; }
set_action() { put $(all_priorities "$1" dcbPfcWatchdogAction "$2"); } # PORT ACTION

# storm HOST PRIORITIES: sends PFC frames until "end_storm HOST", which sends XON.
storm() {
	start storm$1 nsenter --net=/run/netns/h$1 -- "$build/dcb-pfcgen" -p "$2" -q 65535 \
		-i 20ms -t 3600s eth0
}
end_storm() { stop storm$1; }
# all PORT COLUMN VALUE: the column has this value for all priorities.
all() {
	local p names=()
	for p in 0 1 2 3 4 5 6 7; do names+=("$2.$1.$p"); done
	[ "$(get "${names[@]}" | sort -u)" = "$3" ]
}
paused() { [ "$(get dcbPfcPriorityPaused.$1.$2)" = 1 ]; } # PORT PRIORITY
all_paused() { all $1 dcbPfcPriorityPaused 1; }           # PORT
# By dcbd's clock: lasts: a storm has lasted MS; paused_for: a priority has been paused for MS.
lasts() { [ "$(evidence Lasted $1 $2)" -ge $3 ]; }                          # PORT PRIORITY MS
paused_for() { [ "$(get dcbPfcPriorityPauseTime.$1.$2)" -ge $(($3 * 1000)) ]; } # PORT PRIORITY MS

stream=100
# offer TO PRIORITY COUNT [OCTETS]: sends frames from h1 at once; $stream gets their stream number.
offer() {
	stream=$((stream + 1))
	on h1 "$frames" send eth0 -i $stream -s $a -d $1 -v 1 -p $2 -n $3 -l "${4-200}"
	offered=$((offered + $3))
}
# taken: dcbd has received all offered frames, whether they wait or not.
offered=1 # the frame of h1 from which the bridge learned its address
taken() { holds dcbPortRxFrames.$sw1 $offered; }
got() { awk -v s="$2" '$6 == s' "${log_of[list$1]}" | wc -l; } # HOST STREAM
arrived() { [ "$(got $1 $2)" -ge $3 ]; }                        # HOST STREAM COUNT

# about PORT PRIORITY OBJECT: a pattern for lines of traps.
about() { printf '\\.%s\\.%s\\.%s = ' "${O[$3]//./\\.}" $1 $2; }
# stormed PORT PRIORITY COUNT: COUNT notifications of storms were received; restored: of their ends.
stormed() { has_traps "$3" dcbPfcStorm "$(about $1 $2 dcbPfcStormAction)"; }
restored() { has_traps "$3" dcbPfcStormRestored "$(about $1 $2 dcbPfcStormEnd)"; }

# dcbPfcWatchdogAction has its default.
test_is_on_wherever_pfc_is() {
	all $sw2 dcbPfcWatchdogState 2 || fail "sw2 has PFC, but is not watched"
	all $sw1 dcbPfcWatchdogState 1 || fail "sw1 has no PFC, but is watched"
	all $sw2 dcbPfcWatchdogAction $alert || fail "another action than alert"
	put dcbPfcPriorityEnable.$sw1.3 1
	wait_for 5 "priority 3 is watched with PFC" holds dcbPfcWatchdogState.$sw1.3 2
	put dcbPfcPriorityEnable.$sw1.3 2
	wait_for 5 "and no longer without" holds dcbPfcWatchdogState.$sw1.3 1
}

# Eight priorities on two ports at once.
test_every_storm_is_detected_once() {
	local port to n p line since began calmed indications first=$stream
	set_action $sw2 $alert
	set_action $sw3 $alert
	storm 2 all
	storm 3 all
	for port in $sw2 $sw3; do
		wait_for 5 "$port is paused" all_paused $port
		wait_for 5 "$port is paused for long" paused_for $port 7 $((2 * detection))
		all $port dcbPfcWatchdogState 2 || fail "$port: a storm without queued frames"
	done
	# Frames are queued before the watchdog is enabled, so that their number at detection is
	# known.
	set_action $sw2 $none
	set_action $sw3 $none
	for p in 0 1 2 3 4 5 6 7; do offer $b $p 5; offer $c $p 7; done
	wait_for 5 "all frames are received" taken
	clock
	since=$now
	set_action $sw2 $alert
	set_action $sw3 $alert
	wait_for 5 "all notifications" has_traps 16 dcbPfcStorm
	clock
	began=$now
	# The storms continue without flapping.
	wait_for 5 "the storm continues" lasts $sw2 0 $enough
	wait_for 5 "the storm continues" lasts $sw3 7 $enough
	is "notifications" "$(count_traps dcbPfcStorm) $(count_traps dcbPfcStormRestored)" "16 0"
	n=5
	for port in $sw2 $sw3; do
		all $port dcbPfcWatchdogState 3 || fail "$port: not all are in a storm"
		all $port dcbPfcWatchdogStorms 1 || fail "$port: not one storm each"
		all $port dcbPfcWatchdogRestores 0 || fail "$port: a storm is over"
		all $port dcbPfcStormEnd 2 || fail "$port: a storm has an end"
		for p in 0 1 2 3 4 5 6 7; do
			line=$(traps dcbPfcStorm "$(about $port $p dcbPfcStormAction)")
			is "$port $p: notifications" "$(grep -c . <<<"$line")" 1
			is "$port $p: action" "$(trap_value "$line" dcbPfcStormAction)" $alert
			is "$port $p: queued frames" "$(trap_value "$line" dcbPfcStormQueueFrames)" $n
			is "$port $p: queued octets" "$(trap_value "$line" dcbPfcStormQueueOctets)" $((n * 196))
			is "$port $p: storms" "$(trap_value "$line" dcbPfcWatchdogStorms)" 1
			at_least "$port $p: ms blocked" "$(trap_value "$line" dcbPfcStormBlockedTime)" $detection
			at_most "$port $p: ms blocked" "$(trap_value "$line" dcbPfcStormBlockedTime)" $((began - since))
			timed at_most "$port $p: ms blocked" "$(trap_value "$line" dcbPfcStormBlockedTime)" \
				$((detection + 100))
			timed at_least "$port $p: indications" \
				"$(trap_value "$line" dcbPfcStormIndicationsBefore)" 3
		done
		n=7
	done
	is "frames that left" "$(awk '$6 > 100' "${log_of[list2]}" "${log_of[list3]}" | wc -l)" 0
	is "storms in dcbd's log" "$(grep -c 'event: dcbPfcStorm: ' "${log_of[dcbd]}")" 16
	clock
	calmed=$now
	end_storm 2
	end_storm 3
	wait_for 5 "notifications of all ends" has_traps 16 dcbPfcStormRestored
	clock
	at_least "ms until all storms are over" $((now - calmed)) $restoration
	timed at_most "ms until all storms are over" $((now - calmed)) $((restoration + 200))
	for n in 0 1 2 3 4 5 6 7; do
		wait_for 5 "frames for h2" arrived 2 $((first + 1 + 2 * n)) 5
		wait_for 5 "frames for h3" arrived 3 $((first + 2 + 2 * n)) 7
		line=$(traps dcbPfcStormRestored "$(about $sw2 $n dcbPfcStormEnd)")
		is "$n: end" "$(trap_value "$line" dcbPfcStormEnd)" 3
		at_least "$n: ms of the storm" "$(trap_value "$line" dcbPfcStormLasted)" $((calmed - began + restoration))
		at_least "$n: ms paused" "$(trap_value "$line" dcbPfcStormPauseTime)" $((calmed - began))
		timed at_least "$n: indications" "$(trap_value "$line" dcbPfcStormIndications)" 20
		indications=$(($(trap_value "$line" dcbPfcStormIndications) + $(evidence IndicationsBefore $sw2 $n)))
		at_most "$n: indications of the storm" $indications "$(get dcbPfcPriorityIndications.$sw2.$n)"
		is "$n: dropped frames" "$(trap_value "$line" dcbPfcWatchdogDroppedStorm)" 0
	done
	fresh
	all $sw3 dcbPfcWatchdogState 2 || fail "not all storms are over"
}

# Action drop: queued frames and new ones of this priority and port are dropped, no others.
test_drop_discards_only_this_priority_and_port() {
	local line
	forget_traps
	set_action $sw2 $drop
	storm 2 3
	wait_for 5 "paused" paused $sw2 3
	offer $b 3 5
	wait_for 5 "the storm" stormed $sw2 3 1
	offer $b 3 10
	wait_for 5 "all frames are dropped" holds dcbPfcWatchdogDroppedStorm.$sw2.3 15
	is "dropped in total" "$(dog DroppedTotal $sw2 3)" 15
	is "lost in dcbctl status" "$("$build/dcbctl" -s $T/control -j status sw2 | jq '.[0].losses_frames // .ports[0].losses_frames')" 15
	like "in the counters of the port" "$("$build/dcbctl" -s $T/control counters show dev sw2 watchdog-discards)" ' 3:15 '
	offer $b 4 5
	wait_for 5 "frames of another priority arrive" arrived 2 $stream 5
	offer $c 3 5
	wait_for 5 "frames for another port arrive" arrived 3 $stream 5
	wait_for 5 "the storm continues" lasts $sw2 3 $enough
	is "storms, ends of storms" "$(count_traps dcbPfcStorm) $(count_traps dcbPfcStormRestored)" "1 0"
	end_storm 2
	wait_for 5 "the storm is over" restored $sw2 3 1
	line=$(traps dcbPfcStormRestored)
	is "dropped frames in the notification" "$(trap_value "$line" dcbPfcWatchdogDroppedStorm)" 15
	offer $b 3 5
	wait_for 5 "frames pass again" arrived 2 $stream 5
	is "dropped in this storm" "$(dog DroppedStorm $sw2 3)" 15
	# The counter of the storm starts from 0 again, the total continues.
	storm 2 3
	wait_for 5 "paused" paused $sw2 3
	offer $b 3 2
	wait_for 5 "the second storm" stormed $sw2 3 2
	wait_for 5 "dropped in the second storm" holds dcbPfcWatchdogDroppedStorm.$sw2.3 2
	is "dropped in total" "$(dog DroppedTotal $sw2 3)" 17
	end_storm 2
	wait_for 5 "the storm is over" restored $sw2 3 2
}

# Action forward: frames are sent in order during the pause, which is counted further.
test_forward_sends_paused_frames() {
	local waited_for
	forget_traps
	set_action $sw2 $forward
	put dcbPfcWatchdogDetectionTime.$sw2.5 $longest
	storm 2 5,6
	wait_for 5 "paused" paused $sw2 5
	offer $b 5 5
	waited_for=$stream
	wait_for 5 "all frames are received" taken
	offer $b 4 1
	wait_for 5 "a later frame of another priority arrives" arrived 2 $stream 1
	is "frames that arrived before the storm" "$(got 2 $waited_for)" 0
	put dcbPfcWatchdogDetectionTime.$sw2.5 $detection
	wait_for 5 "the storm" stormed $sw2 5 1
	wait_for 5 "queued frames arrive" arrived 2 $waited_for 5
	offer $b 5 200
	wait_for 5 "new frames arrive" arrived 2 $stream 200
	paused $sw2 5 || fail "priority 5 is not paused"
	offer $b 6 1 # priority 6 had no frames until now
	wait_for 5 "the storm of priority 6" stormed $sw2 6 1
	wait_for 5 "the storm continues" lasts $sw2 6 $enough
	is "storms and restores of priority 5" "$(dog Storms $sw2 5) $(dog Restores $sw2 5)" "2 1"
	is "storms and restores of priority 6" "$(dog Storms $sw2 6) $(dog Restores $sw2 6)" "2 1"
	is "dropped in this storm" "$(dog DroppedStorm $sw2 5)" 0
	end_storm 2
	wait_for 5 "the storm of priority 5 is over" restored $sw2 5 1
	wait_for 5 "the storm of priority 6 is over" restored $sw2 6 1
}

# Pauses with breaks between them are normal flow control. Two that follow each other take at most 2
# * 1700 quanta, 174 ms, and end before the next frames are offered.
test_pauses_with_breaks_are_no_storm() {
	local i storms
	forget_traps
	set_action $sw2 $alert
	storms=$(get $(all_priorities $sw2 dcbPfcWatchdogStorms ''))
	for i in 1 2 3 4 5 6 7 8; do
		on h2 "$build/dcb-pfcgen" -p all -q 1700 -i 50ms -c 2 -X eth0 >/dev/null 2>&1 || fail "dcb-pfcgen"
		offer $b $((i % 8)) 3
		wait_for 5 "frames of round $i arrive" arrived 2 $stream 3
	done
	fresh
	is "storms" "$(get $(all_priorities $sw2 dcbPfcWatchdogStorms ''))" "$storms"
	is "notifications" "$(count_traps dcbPfcStorm)" 0
}

# The link goes down and up during pauses with queued frames: the time blocked begins anew each
# time.
test_link_down_ends_storm() {
	local i since
	forget_traps
	put dcbPfcWatchdogDetectionTime.$sw2.2 $longest
	storm 2 all
	for i in 1 2 3 4; do
		wait_for 5 "paused, round $i" paused $sw2 2
		offer $b 2 3
		pause 0.1 # blocked for 100 ms
		ip link set sw2 down
		wait_for 5 "down, round $i" holds dcbPortOperational.$sw2 2
		clock
		since=$now
		ip link set sw2 up
	done
	# A storm begins after the last change of the link, and ends when the link goes down.
	wait_for 5 "paused" paused $sw2 2
	offer $b 2 3
	put dcbPfcWatchdogDetectionTime.$sw2.2 $detection
	wait_for 5 "the storm" stormed $sw2 2 1
	clock
	at_most "ms blocked" "$(trap_value "$(traps dcbPfcStorm)" dcbPfcStormBlockedTime)" $((now - since))
	is "storms" "$(count_traps dcbPfcStorm)" 1
	ip link set sw2 down
	wait_for 5 "the storm ends with the link" restored $sw2 2 1
	is "reason of the end" "$(trap_value "$(traps dcbPfcStormRestored)" dcbPfcStormEnd)" 4
	ip link set sw2 up
	wait_for 5 "sw2 is up" holds dcbPortOperational.$sw2 1
	end_storm 2
	heard 2 # the bridge forgets addresses of a port that goes down
}

test_disabled_and_limited_notifications() {
	local p suppressed since storms
	forget_traps
	put dcbNotifyPfcStorm.0 2
	storm 2 1
	wait_for 5 "paused" paused $sw2 1
	offer $b 1 3
	wait_for 5 "storm without notification" holds dcbPfcWatchdogState.$sw2.1 3
	put dcbPfcWatchdogAction.$sw2.1 $none
	wait_for 5 "notification of its end" restored $sw2 1 1
	is "reason of the end" "$(trap_value "$(traps dcbPfcStormRestored)" dcbPfcStormEnd)" 5
	is "notifications of the storm" "$(count_traps dcbPfcStorm)" 0
	is "state of the watchdog" "$(dog State $sw2 1)" 1
	end_storm 2
	wait_for 5 "is not paused" holds dcbPfcPriorityPaused.$sw2.1 2
	clock
	since=$now
	put dcbNotifyPfcStorm.0 1 dcbNotifyPfcStormRestored.0 2 dcbNotifyRateLimit.0 3 \
		dcbPfcWatchdogAction.$sw2.1 $alert
	suppressed=$(get dcbNotifySuppressed.0)
	storm 2 all
	wait_for 5 "is paused" all_paused $sw2
	for p in 0 1 2 3 4 5 6 7; do offer $b $p 1; done
	wait_for 5 "eight storms" all $sw2 dcbPfcWatchdogState 3
	wait_for 5 "all storms are notified or suppressed" told 8 $suppressed
	clock
	# Up to three at once, and one more every 20 s.
	at_least "notifications" "$(count_traps dcbPfcStorm)" 3
	at_most "notifications" "$(count_traps dcbPfcStorm)" $((3 + (now - since) / 20000))
	end_storm 2
	wait_for 5 "all are over" all $sw2 dcbPfcWatchdogState 2
	put dcbNotifyRateLimit.0 0 dcbNotifyPfcStormRestored.0 1
	# Notifications are sent in order: a wrong one would be received before the next storm's.
	storms=$(count_traps dcbPfcStorm)
	storm 2 1
	wait_for 5 "paused" paused $sw2 1
	offer $b 1 1
	wait_for 5 "another storm" has_traps $((storms + 1)) dcbPfcStorm
	is "notifications of ends" "$(count_traps dcbPfcStormRestored)" 1
	end_storm 2
	wait_for 5 "notification of the next end" has_traps 2 dcbPfcStormRestored
}
# told COUNT SUPPRESSED: COUNT storms were notified, or counted as suppressed since the counter had
# this value.
told() { [ $(($(count_traps dcbPfcStorm) + $(get dcbNotifySuppressed.0) - $2)) -eq $1 ]; }

# A neighbor ignores PFC frames: its frames are lost, and one notification is sent for each
# priority.
test_lost_frames_are_notified_once() {
	local line lost
	forget_traps
	set_action $sw2 $none
	put dcbPfcPriorityEnable.$sw1.3 1 dcbPfcPriorityEnable.$sw1.4 1
	storm 2 3,4
	wait_for 5 "paused" paused $sw2 3
	wait_for 5 "paused" paused $sw2 4
	overflow 3 1000
	wait_for 5 "a notification" has_traps 1 dcbPfcHeadroomInsufficient
	lost=$(get dcbPfcPriorityDiscards.$sw1.3)
	at_least "frames lost" "$lost" 1
	overflow 3 10
	is "frames lost of ten more" $(($(get dcbPfcPriorityDiscards.$sw1.3) - lost)) 10
	# dcbd checks priorities in order: a notification of priority 4 means that it has checked
	# priority 3.
	overflow 4 1000
	wait_for 5 "a notification of priority 4" has_traps 1 dcbPfcHeadroomInsufficient "$(about $sw1 4 dcbPfcPriorityHeld)"
	is "notifications" "$(count_traps dcbPfcHeadroomInsufficient)" 2
	line=$(traps dcbPfcHeadroomInsufficient "$(about $sw1 3 dcbPfcPriorityHeld)")
	at_least "octets held" "$(trap_value "$line" dcbPfcPriorityHeldPeak)" 100000
	at_least "headroom" "$(trap_value "$line" dcbPfcHeadroomInForce)" 1
	end_storm 2
}
# overflow PRIORITY COUNT: sends more frames of a paused priority than the buffer takes.
overflow() { # PRIORITY COUNT
	offer $b $1 $2 1400
	wait_for 5 "$2 frames of priority $1 are received" taken
	fresh
}

# Pauses of 30 ms with gaps of 10 ms, in which frames are sent: no pause is as long as the detection
# time, also not one that dcbd sees as one pause because it got no processor in the gaps. 586 quanta
# at 10 Mb/s are 30 ms.
test_short_pauses_with_gaps_are_a_storm() {
	set_action $sw2 $alert
	put dcbPfcWatchdogDetectionTime.$sw2.3 $longest dcbPfcWatchdogWindow.$sw2.3 1000 \
		dcbPfcWatchdogDutyCycle.$sw2.3 50
	heard 2
	forget_traps
	start storm2 nsenter --net=/run/netns/h2 -- "$build/dcb-pfcgen" -p 3 -q 586 -i 40ms -t 3600s eth0
	start flow nsenter --net=/run/netns/h1 -- "$frames" send eth0 -i 99 -s $a -d $b -v 1 -p 3 -n 100000 -g 5000
	wait_for 10 "a storm" stormed $sw2 3 1
	is "its cause" "$(evidence Cause $sw2 3)" 3
	at_least "ms blocked" "$(evidence BlockedTime $sw2 3)" 500
	at_most "ms blocked" "$(evidence BlockedTime $sw2 3)" 1000
	is "storms of the other priorities" "$(count_traps dcbPfcStorm)" 1
	stop flow KILL
	end_storm 2
	wait_for 10 "its end" restored $sw2 3 1
}

# The storm ends with the port; the port that is observed instead has no watchdog.
test_storming_port_becomes_observed() {
	forget_traps
	set_action $sw2 $alert
	storm 2 5
	wait_for 5 "paused" paused $sw2 5
	offer $b 5 3
	wait_for 5 "the storm" stormed $sw2 5 1
	sed -i 's/"later"/"sw2"/' $T/dcbd.conf
	kill -HUP "${pid_of[dcbd]}"
	wait_for 10 "the reload" logged dcbd 'dcbd.conf read again: 3 ports'
	wait_for 5 "sw2 is observed" holds dcbPortOperational.$sw2 1
	end_storm 2
	is "ends of storms" "$(count_traps dcbPfcStormRestored)" 0
}

run_tests
