#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The PFC watchdog on wires: storms of PFC on two ports and all priorities, each found once
# and in time, what is done about them, and what of it a snmptrapd is told. And what it
# is told when a neighbour does not heed ours.
#
#   h1 - sw1       h2 - sw2       h3 - sw3       data from h1, PFC from h2 and h3
#
# Ports have 100 Mb/s by dcbd.conf: the longest pause takes 336 ms, and it is repeated
# every 20 ms, so that a processor that is busy elsewhere does not interrupt it.
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
	'defaults = { rate = 100000000L; };'
start_dcbd
start_snmpd "${trap_sink[@]}"
start_agentx
for n in 1 2 3; do
	wait_for 5 "h$n listens" logged list$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw2=$(ifindex sw2) sw3=$(ifindex sw3)
a=02:00:00:00:00:0a b=02:00:00:00:00:0b c=02:00:00:00:00:0c
for n in 1 2 3; do
	on h$n "$frames" send eth0 -s 02:00:00:00:00:0$(tr 123 abc <<<$n) -d ff:ff:ff:ff:ff:ff
done

none=1 alert=2 drop=3 forward=4 # dcbPfcWatchdogAction
late=$((100 * slow))            # ms that a processor may be elsewhere

# all_priorities PORT COLUMN VALUE: for put.
all_priorities() {
	local p
	for p in 0 1 2 3 4 5 6 7; do printf '%s.%s.%s %s ' "$2" "$1" $p "$3"; done
}
for port in $sw2 $sw3; do
	put $(all_priorities $port dcbPfcPriorityEnable 1)
	put $(all_priorities $port dcbPfcWatchdogRestorationTime 1000)
done

dog() { get "dcbPfcWatchdog$1.$2.$3"; } # COLUMN PORT PRIORITY
evidence() { get "dcbPfcStorm$1.$2.$3"; }
set_action() { put $(all_priorities "$1" dcbPfcWatchdogAction "$2"); } # PORT ACTION

# storm HOST PRIORITIES: PFC without end; calm HOST: its end.
storm() {
	start storm$1 nsenter --net=/run/netns/h$1 -- "$build/dcbctl" pfc-send -p "$2" -q 65535 \
		-i 20ms -t 600s --no-xon eth0
}
calm() { stop storm$1 KILL; }
paused() { [ "$(get dcbPfcPriorityPaused.$1.$2)" = 1 ]; } # PORT PRIORITY

stream=100
# offer TO PRIORITY COUNT: frames from h1, all at once; their number is in $stream.
offer() {
	stream=$((stream + 1))
	on h1 "$frames" send eth0 -i $stream -s $a -d $1 -v 1 -p $2 -n $3 -l 200
}
got() { awk -v s="$2" '$6 == s' "${log_of[list$1]}" | wc -l; } # HOST STREAM
arrived() { [ "$(got $1 $2)" -ge $3 ]; }                        # HOST STREAM COUNT

# about PORT PRIORITY OBJECT: the pattern of a line of traps.
about() { printf '\\.%s\\.%s\\.%s = ' "${O[$3]//./\\.}" $1 $2; }
# stormed PORT PRIORITY COUNT: so many notifications of storms; restored: of their ends.
stormed() { has_traps "$3" dcbPfcStorm "$(about $1 $2 dcbPfcStormAction)"; }
restored() { has_traps "$3" dcbPfcStormRestored "$(about $1 $2 dcbPfcStormEnd)"; }

# Eight priorities on two ports at once.
test_every_storm_is_found_once() {
	local port to n p line first=$stream
	set_action $sw2 $alert
	set_action $sw3 $alert
	storm 2 all
	storm 3 all
	for port in $sw2 $sw3; do
		for p in 0 1 2 3 4 5 6 7; do wait_for 5 "$port $p is paused" paused $port $p; done
	done
	fresh
	is "no storm while nothing waits" "$(get dcbPfcWatchdogState.$sw2.3)" 2
	for p in 0 1 2 3 4 5 6 7; do offer $b $p 5; offer $c $p 7; done
	wait_for 5 "all notifications" has_traps 16 dcbPfcStorm
	pause 3 # a storm is a storm: it does not come and go
	is "notifications" "$(count_traps dcbPfcStorm) $(count_traps dcbPfcStormRestored)" "16 0"
	n=5
	for port in $sw2 $sw3; do
		for p in 0 1 2 3 4 5 6 7; do
			line=$(traps dcbPfcStorm "$(about $port $p dcbPfcStormAction)")
			is "$port $p: notified" "$(grep -c . <<<"$line")" 1
			is "$port $p: action" "$(trap_value "$line" dcbPfcStormAction)" $alert
			is "$port $p: frames waiting" "$(trap_value "$line" dcbPfcStormQueueFrames)" $n
			is "$port $p: octets" "$(trap_value "$line" dcbPfcStormQueueOctets)" $((n * 196))
			is "$port $p: storms" "$(trap_value "$line" dcbPfcWatchdogStorms)" 1
			at_least "$port $p: ms blocked" "$(trap_value "$line" dcbPfcStormBlockedTime)" 400
			at_most "$port $p: ms blocked" "$(trap_value "$line" dcbPfcStormBlockedTime)" \
				$((400 + late))
			at_least "$port $p: indications" \
				"$(trap_value "$line" dcbPfcStormIndicationsBefore)" 5
			is "$port $p: state" "$(dog State $port $p)" 3
			is "$port $p: storms, over" "$(dog Storms $port $p) $(dog Restores $port $p)" "1 0"
			is "$port $p: end" "$(evidence End $port $p)" 2
		done
		n=7
	done
	is "frames that left" "$(got 2 $((first + 1))) $(got 3 $((first + 2)))" "0 0"
	is "dcbd's log" "$(grep -c 'event: dcbPfcStorm: ' "${log_of[dcbd]}")" 16
	calm 2
	calm 3
	clock
	local start=$now
	wait_for 5 "all are over" has_traps 16 dcbPfcStormRestored
	clock
	at_least "ms until then" $((now - start)) 1000
	at_most "ms until then" $((now - start)) $((1000 + 336 + 200 + late))
	for n in 0 1 2 3 4 5 6 7; do
		wait_for 5 "frames for h2" arrived 2 $((first + 1 + 2 * n)) 5
		wait_for 5 "frames for h3" arrived 3 $((first + 2 + 2 * n)) 7
		line=$(traps dcbPfcStormRestored "$(about $sw2 $n dcbPfcStormEnd)")
		is "$n: end" "$(trap_value "$line" dcbPfcStormEnd)" 3
		at_least "$n: ms" "$(trap_value "$line" dcbPfcStormLasted)" 4000
		at_least "$n: ms paused" "$(trap_value "$line" dcbPfcStormPauseTime)" 3000
		at_least "$n: indications" "$(trap_value "$line" dcbPfcStormIndications)" 100
		is "$n: dropped" "$(trap_value "$line" dcbPfcWatchdogDroppedStorm)" 0
	done
	fresh
	is "state" "$(dog State $sw3 7)" 2
}

# Dropped: what waits and what comes, of this priority and port only.
test_drop() {
	local line
	forget_traps
	set_action $sw2 $drop
	storm 2 3
	wait_for 5 "paused" paused $sw2 3
	offer $b 3 5
	wait_for 5 "the storm" stormed $sw2 3 1
	offer $b 3 10
	fresh
	wait_for 5 "all dropped" holds dcbPfcWatchdogDroppedStorm.$sw2.3 15
	is "in total" "$(dog DroppedTotal $sw2 3)" 15
	offer $b 4 5
	wait_for 5 "another priority" arrived 2 $stream 5
	offer $c 3 5
	wait_for 5 "another port" arrived 3 $stream 5
	pause 3
	is "no flapping" "$(count_traps dcbPfcStorm) $(count_traps dcbPfcStormRestored)" "1 0"
	calm 2
	wait_for 5 "it is over" restored $sw2 3 1
	line=$(traps dcbPfcStormRestored)
	is "dropped, by the notification" "$(trap_value "$line" dcbPfcWatchdogDroppedStorm)" 15
	offer $b 3 5
	wait_for 5 "frames pass again" arrived 2 $stream 5
	is "dropped" "$(dog DroppedStorm $sw2 3)" 15
	# The next storm counts from 0, and in total on.
	storm 2 3
	wait_for 5 "paused" paused $sw2 3
	offer $b 3 2
	wait_for 5 "the second storm" stormed $sw2 3 2
	fresh
	is "in this one" "$(dog DroppedStorm $sw2 3)" 2
	is "in total" "$(dog DroppedTotal $sw2 3)" 17
	calm 2
	wait_for 5 "it is over" restored $sw2 3 2
}

# Forwarded: in spite of the pause, in order, and the pause goes on being counted.
test_forward() {
	local waited_for
	forget_traps
	set_action $sw2 $forward
	storm 2 5,6
	wait_for 5 "paused" paused $sw2 5
	offer $b 5 5
	waited_for=$stream
	fresh
	is "they wait" "$(got 2 $waited_for)" 0
	wait_for 5 "the storm" stormed $sw2 5 1
	wait_for 5 "they are sent" arrived 2 $waited_for 5
	offer $b 5 200
	wait_for 5 "and more" arrived 2 $stream 200
	paused $sw2 5 || fail "it is paused all the same"
	offer $b 6 1 # the other one has had nothing to send so far
	pause 3
	is "no flapping" "$(dog Storms $sw2 5) $(dog Restores $sw2 5)" "2 1"
	is "of the other" "$(dog Storms $sw2 6) $(dog Restores $sw2 6)" "2 1"
	is "dropped" "$(dog DroppedStorm $sw2 5)" 0
	calm 2
	wait_for 5 "over" restored $sw2 5 1
	wait_for 5 "over" restored $sw2 6 1
}

# Pauses with breaks are flow control at work, however many.
test_pauses_are_no_storm() {
	local i
	forget_traps
	set_action $sw2 $alert
	for i in 1 2 3 4 5 6 7 8; do
		on h2 "$build/dcbctl" pfc-send -p all -q 40000 -i 100ms -c 2 eth0 >/dev/null 2>&1 || fail "pfc-send"
		offer $b $((i % 8)) 3
		wait_for 5 "frames of turn $i" arrived 2 $stream 3
	done
	fresh
	is "storms" "$(count_traps dcbPfcStorm)" 0
}

# The link goes down and comes up under pauses and waiting frames.
test_link_flap() {
	local i
	forget_traps
	# A machine that has much to do turns slowly: a turn must not be as long as a storm.
	put dcbPfcWatchdogDetectionTime.$sw2.2 1500
	storm 2 all
	for i in 1 2 3 4 5 6; do
		wait_for 5 "paused, turn $i" paused $sw2 2
		offer $b 2 3
		pause 0.15
		ip link set sw2 down
		pause 0.05
		ip link set sw2 up
	done
	fresh
	is "storms" "$(count_traps dcbPfcStorm)" 0
	# But then it is one, which the link ends.
	wait_for 5 "paused" paused $sw2 2
	offer $b 2 3
	wait_for 5 "the storm" stormed $sw2 2 1
	ip link set sw2 down
	wait_for 5 "over with the link" restored $sw2 2 1
	is "why" "$(trap_value "$(traps dcbPfcStormRestored)" dcbPfcStormEnd)" 4
	calm 2
	ip link set sw2 up
	wait_for 5 "sw2 is up" holds dcbPortOperational.$sw2 1
	put dcbPfcWatchdogDetectionTime.$sw2.2 400
}

test_switches_and_limit() {
	local p suppressed
	forget_traps
	put dcbNotifyPfcStorm.0 2
	storm 2 1
	wait_for 5 "paused" paused $sw2 1
	offer $b 1 3
	wait_for 5 "the storm, found all the same" holds dcbPfcWatchdogState.$sw2.1 3
	put dcbPfcWatchdogAction.$sw2.1 $none
	wait_for 5 "the end of it" restored $sw2 1 1
	is "why" "$(trap_value "$(traps dcbPfcStormRestored)" dcbPfcStormEnd)" 5
	is "of the storm" "$(count_traps dcbPfcStorm)" 0
	is "state" "$(dog State $sw2 1)" 1
	calm 2
	put dcbNotifyPfcStorm.0 1 dcbNotifyPfcStormRestored.0 2 dcbNotifyRateLimit.0 3 \
		dcbPfcWatchdogAction.$sw2.1 $alert
	suppressed=$(get dcbNotifySuppressed.0)
	pause 0.5
	storm 2 all
	for p in 0 1 2 3 4 5 6 7; do
		wait_for 5 "$p is paused" paused $sw2 $p
		offer $b $p 1
	done
	for p in 0 1 2 3 4 5 6 7; do
		wait_for 5 "storm $p" holds dcbPfcWatchdogState.$sw2.$p 3
	done
	fresh
	at_least "notifications" "$(count_traps dcbPfcStorm)" 3
	at_most "notifications" "$(count_traps dcbPfcStorm)" 4
	is "all told" $(($(count_traps dcbPfcStorm) + $(get dcbNotifySuppressed.0) - suppressed)) 8
	calm 2
	for p in 0 1 2 3 4 5 6 7; do
		wait_for 5 "$p is over" holds dcbPfcWatchdogState.$sw2.$p 2
	done
	is "of the end" "$(count_traps dcbPfcStormRestored)" 1
	put dcbNotifyRateLimit.0 120 dcbNotifyPfcStormRestored.0 1
}

# A neighbour that does not heed PFC: its frames are lost, and that is told, once.
test_headroom_insufficient() {
	local line sw1 i
	sw1=$(ifindex sw1)
	forget_traps
	set_action $sw2 $none
	put dcbPfcPriorityEnable.$sw1.3 1 dcbPfcPriorityEnable.$sw1.4 1
	storm 2 3
	wait_for 5 "paused" paused $sw2 3
	for i in 1 2 3; do
		on h1 "$frames" send eth0 -i 1 -s $a -d $b -v 1 -p 3 -n 400 -l 1400 -g 10
	done
	wait_for 5 "a notification" has_traps 1 dcbPfcHeadroomInsufficient
	at_least "frames lost" "$(get dcbPfcPriorityDiscards.$sw1.3)" 1
	on h1 "$frames" send eth0 -i 1 -s $a -d $b -v 1 -p 3 -n 400 -l 1400 -g 10
	pause 1.5
	is "notifications" "$(count_traps dcbPfcHeadroomInsufficient)" 1
	line=$(traps dcbPfcHeadroomInsufficient "$(about $sw1 3 dcbPfcPriorityHeld)")
	at_least "held" "$(trap_value "$line" dcbPfcPriorityHeldPeak)" 100000
	at_least "headroom" "$(trap_value "$line" dcbPfcHeadroomInForce)" 1
	calm 2
}

run_tests
