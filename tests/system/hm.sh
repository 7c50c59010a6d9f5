#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Headroom measurement between a bridge and a station, and of the bridge with a raw neighbor: both
# measure, one answers only, bad frames, loops and a flood. The delays depend on the machine;
# the test asserts what timestamps guarantee on any.
#
#   +---+            +---+            +---+
#   | p | pa === ap  | a | ab === ba  | b |     p, q: no dcbd
#   +---+            +---+            +---+
#   +---+             |
#   | q | qa === aq --+
#   +---+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

for n in a b p q; do node $n; done
cable a ab b ba
cable a ap p pa
cable a aq q qa
node_conf a bridge "a*"
node_conf b station "ba"
for n in p q; do
	start frames-$n nsenter --net=/run/netns/$n -- "$frames" list ${n}a -x
	wait_for 5 "list of frames of $n" logged frames-$n ready || die "cannot list frames"
done
for n in a b; do start_node $n; done
wait_for 5 "ports are up" eval 'ports_up a ab ap aq && ports_up b ba'
ab=$(if_of a ab) ap=$(if_of a ap) ba=$(if_of b ba)
# No measurement begins by itself between two values that are compared.
set_at a dcbPfcMeasureInterval.$ab 0 dcbPfcMeasureInterval.$ap 0
set_at b dcbPfcMeasureInterval.$ba 0
off=1 always=3 # dcbPfcMeasureEnable
none=1 kernel=2 # dcbPfcMeasureTimestamps

m() { value $1 dcbPfcMeasure$3.$2; }                      # NODE PORT COLUMN
# enable NODE PORT VALUE: waits until the dataplane uses it: it may skip a configuration.
enable() {
	set_at $1 dcbPfcMeasureEnable.$2 $3
	wait_for 5 "$1 uses the setting" adopted $1
}
rises() { [ "$(m $1 $2 $3)" -gt $4 ]; }                   # NODE PORT COLUMN FROM
measured() { [ "$(m $1 $2 Measuring)" = 2 ] && rises $1 $2 Count "${3-0}"; } # NODE PORT [FROM]
# raw DA SA REST: a frame from p to a, in hexadecimal digits.
raw() { on p "$frames" raw pa "${1//:/}${2//:/}$3" -n "${4-1}" || fail "cannot send frames"; }
hm_da=01:80:c2:00:00:01 stranger=02:00:00:00:00:77
request=89a201c0000000010000 # with timestamp 1
# hmpdus NODE: HMPDUs that arrived there.
hmpdus() { grep -c ' [^ ]*89a2 ' "${log_of[frames-$1]}"; }
all=ff:ff:ff:ff:ff:ff
# passes: a frame passes from p to q, so that a has processed all frames before it.
stream=0
passes() {
	stream=$((stream + 1))
	on p "$frames" send pa -i $stream -s $stranger -d $all
	wait_for 5 "a frame from p to q" eval "awk -v s=$stream '\$6 == s' ${log_of[frames-q]} | grep -q ."
}

# Without a neighbor's word nothing is sent.
test_default_sends_no_requests() {
	like "the table by its alias" "$(ctl a show pfc_measure ab)" "dcbPfcMeasureEnable.$ab +agreed"
	is "setting" "$(m a $ab Enable)" 2
	is "requests of a" "$(m a $ab RequestsSent)" 0
	is "timestamps" "$(m a $ab Timestamps)" $none
	is "delay in force" "$(m a $ab InForce)" 0
}

test_bridge_and_station_measure() {
	local n port average
	enable a $ab $always
	enable b $ba $always
	for n in a b; do
		[ $n = a ] && port=$ab || port=$ba
		wait_for 10 "$n has measured" measured $n $port 1
		average=$(m $n $port Average)
		at_least "$n: average" $average 1
		at_most "$n: average, 20 ms at 10 Gb/s" $average 390625
		timed at_most "$n: average in quanta of 51.2 ns" $average 4000
		at_least "$n: median" "$(m $n $port Median)" "$(m $n $port Shortest)"
		at_most "$n: median" "$(m $n $port Median)" "$(m $n $port Longest)"
		is "$n: timestamps" "$(m $n $port Timestamps)" $kernel
		is "$n: round trips without times of the NIC, which veth has not" "$(m $n $port NicMissing)" 0
		is "$n: hmOperUp" "$(m $n $port OperUp)" 1
		wait_for 5 "$n: delay in force" rises $n $port InForce 0
		is "$n: delay in force is rounded" $(($(m $n $port InForce) % 8)) 0
		at_least "$n: responses received" "$(m $n $port ResponsesReceived)" 2
		at_least "$n: requests received" "$(m $n $port RequestsReceived)" 2
		at_most "$n: age in ms" "$(m $n $port Age)" 600000
	done
}

test_neighbor_that_answers_only() {
	local asked count sent
	enable b $ba $off
	asked=$(m b $ba RequestsSent) sent=$(m b $ba ResponsesSent)
	enable a $ab $off
	count=$(m a $ab Count)
	enable a $ab $always
	wait_for 10 "a has measured again" measured a $ab $count
	is "requests of b" "$(m b $ba RequestsSent)" $asked
	at_least "responses of b" "$(m b $ba ResponsesSent)" $((sent + 2))
	wait_for 5 "b uses no result" is_value b dcbPfcMeasureInForce.$ba 0
}

test_result_stays_over_flaps() {
	local average rounds
	average=$(m a $ab Average) rounds=$(m a $ab Rounds)
	ip -n b link set ba down
	wait_for 5 "hmOperUp is false" is_value a dcbPfcMeasureOperUp.$ab 2
	is "average while the link is down" "$(m a $ab Average)" $average
	at_least "delay in force while the link is down" "$(m a $ab InForce)" 1
	ip -n b link set ba up
	wait_for 10 "another measurement" rises a $ab Rounds $rounds
	wait_for 10 "its end" is_value a dcbPfcMeasureMeasuring.$ab 2
}

test_manager_and_time_begin_measurements() {
	local rounds
	rounds=$(m a $ab Rounds)
	set_at a dcbPfcMeasureRestart.$ab 7
	wait_for 10 "a measurement after dcbPfcMeasureRestart" rises a $ab Rounds $rounds
	wait_for 10 "its end" is_value a dcbPfcMeasureMeasuring.$ab 2
	rounds=$(m a $ab Rounds)
	set_at a dcbPfcMeasureInterval.$ab 1
	wait_for 20 "two measurements, a second apart" rises a $ab Rounds $((rounds + 1))
	set_at a dcbPfcMeasureInterval.$ab 0
	wait_for 5 "a uses the setting" adopted a
	wait_for 10 "the end of the last one" is_value a dcbPfcMeasureMeasuring.$ab 2
}

test_request_of_raw_neighbor_is_answered() {
	local before
	before=$(hmpdus p)
	raw $hm_da $stranger $request
	wait_for 5 "the response" eval "[ \$(hmpdus p) -gt $before ]"
	like "response" "$(tail -n 1 "${log_of[frames-p]}")" '89a201[48]000000001'
	is "requests of a" "$(m a $ap RequestsSent)" 0
}

# Each bad frame: one counter, no answer, nowhere forwarded.
test_bad_frames_are_only_counted() {
	local before answers result host=02:00:00:00:00:99 bad da sa rest column
	on q "$frames" send qa -s $host -d $all
	wait_for 5 "a learns the address" eval "awk '\$2 == \"$host\"' ${log_of[frames-p]} | grep -q ."
	result="$(m a $ap Average) $(m a $ap RequestsReceived) $(m a $ap ResponsesSent)"
	answers=$(hmpdus p)
	for bad in "$host $stranger $request DropDestination" "$all $stranger $request DropDestination" \
		"$hm_da 03:00:00:00:00:01 $request DropSource" "$hm_da $stranger ${request/89a201/89a202} DropSubtype" \
		"$host $stranger 81006001$request DropTagged" "$host $stranger 88a86001$request DropTagged" \
		"$host $stranger 8100600122e90007$request DropTagged" \
		"$hm_da $stranger ${request/01c0/01f0} DropMalformed" "$hm_da $stranger ${request/01c0/01c4} DropPath" \
		"$hm_da $stranger ${request/01c0/0140} DropUnexpected"; do
		read -r da sa rest column <<<"$bad"
		before=$(m a $ap $column)
		raw $da $sa $rest
		wait_for 5 "$bad: counted" rises a $ap $column $before
	done
	passes
	is "result, requests, responses" "$(m a $ap Average) $(m a $ap RequestsReceived) $(m a $ap ResponsesSent)" "$result"
	is "answers" "$(hmpdus p)" $answers
	is "HMPDUs at q" "$(hmpdus q)" 0
}

test_own_frame_that_returns() {
	local before own
	before=$(m a $ap DropLooped)
	enable a $ap $always
	wait_for 5 "a request at p" eval "tail -n 1 ${log_of[frames-p]} | grep -q 89a201c0"
	enable a $ap $off
	own=$(grep 89a201c0 "${log_of[frames-p]}" | tail -n 1 | awk '{ print $NF }')
	on p "$frames" raw pa "$own"
	wait_for 5 "the frame is counted" rises a $ap DropLooped $before
	is "round trips" "$(m a $ap Count)" 0
}

# A flood is limited to 2000 a second and 64 more; the other ports forward and measure.
test_flood_harms_no_other_port() {
	local n=$((100000 / slow)) began before busy kernel_lost count seen=0 aq others
	aq=$(if_of a aq)
	# Of the port that forwards: requests, answers, drops; frames lost before and in dcbd
	others() {
		value a dcbPfcMeasureRequestsReceived.$aq dcbPfcMeasureResponsesSent.$aq dcbPfcMeasureDropBusy.$aq \
			dcbPortDiscardKernel.$aq dcbPortDiscardNoBuffer.$aq | xargs
	}
	before=$(m a $ap ResponsesSent) busy=$(m a $ap DropBusy) count=$(m a $ab Count)
	kernel_lost=$(value a dcbPortDiscardKernel.$ap) others=$(others)
	clock
	began=$now
	start flood nsenter --net=/run/netns/p -- "$frames" raw pa "${hm_da//:/}${stranger//:/}$request" -n $n
	on q "$frames" send qa -i 77 -s 02:00:00:00:00:98 -d $all -n 200 -g 1000
	enable a $ab $off
	enable a $ab $always
	wait_for 10 "a measures on another port" measured a $ab $count
	wait_for 20 "the end of the flood" gone "${pid_of[flood]}"
	wait "${pid_of[flood]}" || fail "cannot send frames"
	unset "pid_of[flood]"
	lost() { value a dcbPortDiscardKernel.$ap; }
	handled() {
		seen=$(($(m a $ap ResponsesSent) - before + $(m a $ap DropBusy) - busy + $(lost) - kernel_lost))
		[ $seen -ge $n ]
	}
	wait_for 20 "all are answered or dropped" handled
	clock
	is "answered or dropped" $seen $n
	at_most "answers" $(($(m a $ap ResponsesSent) - before)) $((65 + 2 * (now - began + 1)))
	at_least "dropped as too many" $(($(m a $ap DropBusy) - busy)) 1
	wait_for 5 "all frames from q at b or p" eval "[ \$(awk '\$6 == 77' ${log_of[frames-p]} | wc -l) -ge 200 ]"
	is "counters of the port that forwards" "$(others)" "$others"
}

test_settings_survive_a_restart() {
	set_at a dcbPfcMeasureMaximum.$ab 300000 dcbPfcMeasureHaltDelay.$ab 25000
	stop dcbd-a
	start_node a
	is "settings" "$(m a $ab Enable) $(m a $ab Maximum) $(m a $ab HaltDelay)" "$always 300000 25000"
	wait_for 10 "a has measured" measured a $ab 1
	refused_at inconsistentValue a dcbPfcMeasureMinimum.$ab 300001
}

# b is stopped, so that a has the former delay in force.
test_result_survives_a_restart_before_the_neighbor_answers() {
	local average count n
	wait_for 10 "the end of a measurement" is_value a dcbPfcMeasureMeasuring.$ab 2
	stop dcbd-b
	passes
	for n in 1 2; do
		# kill -9 keeps the file of the orderly end before it.
		average=$(m a $ab Average) count=$(m a $ab Count)
		at_least "round trips before the restart" $count 2
		if [ $n = 1 ]; then stop dcbd-a; else stop dcbd-a KILL; fi
		start_node a
		wait_for 5 "delay in force" is_value a dcbPfcMeasureInForce.$ab $(((average + 7) / 8 * 8))
		is "average and round trips" "$(m a $ab Average) $(m a $ab Count)" "$average $count"
		is "responses of the neighbor" "$(m a $ab ResponsesReceived)" 0
	done
	start_node b
	wait_for 10 "a has measured again" measured a $ab $count
}

# Results alone write nothing while dcbd runs. The SET is the last save.
test_results_do_not_write_the_state_file() {
	local saves rounds
	set_at a dcbPfcMeasureInterval.$ab 1
	saves=$(value a dcbAgentStateSaves.0) rounds=$(m a $ab Rounds)
	wait_for 20 "two measurements" rises a $ab Rounds $((rounds + 1))
	is "saves" "$(value a dcbAgentStateSaves.0)" $saves
}

run_tests
