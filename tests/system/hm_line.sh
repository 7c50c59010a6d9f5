#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The headroom measurement of dcbd (36.9) against a participant that shares no code with it, and of
# two dcbd, over a delay line that stamps the frames: every result is compared with the times of the
# frames that it is from. Each lost frame, and each kind of bad frame.
#
#   dcbd - sw1 === eth0 - delay_line - lb === eth0 - hm_peer.py or a second dcbd
#                  |------ l ---------------|         |--- p ---|
#   and likewise sw4 and sw5, the links of an aggregation.
#
# Ports have 1 Gb/s, so that a quantum is 512 ns. Results are not shorter than the line's times:
# their sender stamps frames before the line does. The difference is the time between these
# stamps, a microsecond for each end of the line.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"
peer=$src/tests/system/hm_peer.py oracle=$src/tests/system/hm_oracle.py
frames=$build/tests/system/frames
off=1 always=3 # dcbPfcMeasureEnable
true=1 false=2
maximum=195312 # quanta: 100 ms

host l sw1
host h2 sw2
host h3 sw3
# far_end L P: makes a namespace P, which a veth pair links to lb of L.
far_end() {
	ip netns add $2 || die "no namespace $2"
	on $2 bash -c "$(declare -f quiet_ipv6); quiet_ipv6; ip link set lo up"
	new_address
	ip link add lb netns $1 type veth peer name eth0 address "$address" netns $2 || die "no veth pair to $2"
	ip -n $1 link set lb up
	ip -n $2 link set eth0 up
}
far_end l p
for n in 4 5; do
	host l$n sw$n
	far_end l$n p$n
done
start_all 'interfaces = { include = [ "sw*" ]; };' 'ports = ( { name = "sw1"; rate = 1000000000L; speed = 1000000000L; },
	{ name = "sw[45]"; rate = 1000000000L; speed = 1000000000L; aggregate = "trunk"; } );'
sw1=$(ifindex sw1)
wait_for 5 "sw1 is up" holds dcbPortOperational.$sw1 1
put dcbPfcMeasureMaximum.$sw1 $maximum dcbPfcMeasureHaltDelay.$sw1 615

m() { get "dcbPfcMeasure$1.$sw1"; }
all() { # OBJECT...: their values in one line
	local names=("${@/#/dcbPfcMeasure}")
	get "${names[@]/%/.$sw1}" | paste -sd ' '
}

# start_line [OPTION...] MICROSECONDS MICROSECONDS: starts the line. sw1 goes down, so that all round
# trips over this line are after the link comes up.
start_line() {
	local n=$#
	ip link set sw1 down
	wait_for 5 "hmOperUp is FALSE" holds dcbPfcMeasureOperUp.$sw1 $false
	start line nsenter --net=/run/netns/l -- "$build/tests/system/delay_line" "${@:1:n-2}" eth0 lb "${@:n-1}"
	wait_for 5 "the line is ready" logged line ready || die "no delay line"
}

peer() { # [OPTION...]
	start peer nsenter --net=/run/netns/p -- python3 "$peer" run eth0 --stay \
		--seconds $((60 * patience)) --seed "$seed.${runs[peer]-0}" --max-round-trip 250 "$@"
	wait_for 5 "the peer is ready" logged peer ready || die "the peer does not start"
}

peer_done() {
	wait_for 20 "the peer has its results" eval 'logged peer "\"done\"" || ! running peer'
	running peer || die "the peer has ended"
}

peer_summary() { jq -rc "select(.event == \"summary\") | $1" "${log_of[peer]}"; }
line_end() { jq -rc "select(.event == \"end\" and .way == \"$1\") | $2" "${log_of[line]}"; } # ab|ba FILTER

# link_up: sw1 comes up, which begins a measurement (36.9.6 a). measure: and waits for its end.
link_up() {
	ip link set sw1 up
	wait_for 5 "hmOperUp is TRUE" holds dcbPfcMeasureOperUp.$sw1 $true
}
measure() {
	local rounds
	rounds=$(m Rounds)
	link_up
	wait_for 10 "a measurement has begun" eval "[ \$(m Rounds) -gt $rounds ]"
	wait_for 20 "measure is FALSE" holds dcbPfcMeasureMeasuring.$sw1 $false
	fresh
}

# truth END: the round trips of an end of the line, for round_trips. Longer ones than the maximum
# count as the maximum (36.9.6).
truth() { python3 "$oracle" truth "${log_of[${2-line}]}" --end $1 >$T/truth; } # END [LINE]
round_trips() { # FILTER
	jq -sc "map(select(.event == \"round trip\") | [.quanta, $maximum] | min) | $1" $T/truth
}
middle_half='.[-8:] | sort | .[2:6] | add / 4 | round' upper_half='.[-8:] | sort | .[4:8] | add / 4 | round'

# close_to WHAT GOT TRUTH: not shorter than the truth by more than rounding. How much longer a single
# round trip is depends on the machine, which may take the processor away between two stamps.
close_to() {
	at_least "$1, truth $3" "$2" $(($3 - 1))
	timed at_most "$1: quanta longer than $3" $(($2 - $3)) 8
}

# beyond VALUE: prints by how many quanta it exceeds the longest round trip that is not longer.
beyond() { round_trips "map($1 - .) | map(select(. >= -1)) | min // \"none\""; }

# agrees DROPS SHORTEST MEDIAN LONGEST LAST AVERAGE: these values of an end are from its round trips
# since the link came up, by the line's times, and of the last eight if the end has dropped no
# response: a busy machine receives more than two PDUs at once (36.9.7).
agrees() {
	local value average
	printf '    drops, values: %s; truth: %s\n' "$*" "$(round_trips .)"
	for value in $2 $4 $5; do
		at_least "quanta of $value beyond a round trip" "$(beyond $value)" -1
		timed at_most "quanta of $value beyond a round trip" "$(beyond $value)" 100
	done
	at_least "median" "$3" "$2"
	at_most "median" "$3" "$4"
	at_least "average" "$6" "$2"
	at_most "average" "$6" "$4"
	[ "$1" -eq 0 ] || return
	close_to "shortest" "$2" "$(round_trips '.[-8:] | min')"
	close_to "longest" "$4" "$(round_trips '.[-8:] | max')"
	close_to "last" "$5" "$(round_trips '.[-1]')"
	[ "$(round_trips length)" -ge 8 ] || return
	average=$(round_trips "$middle_half")
	close_to "average" "$6" "$average"
	# On a busy machine, up to two of the eight can be longer by any time: they move the middle half up.
	at_most "average, truth $average" "$6" $(($(round_trips "$upper_half") + 100))
}

# measured: the first arguments of "agrees", of dcbd; drops: responses dropped until now.
drops() { echo $(($(m DropBusy) + $(m DropUnexpected))); }
measured() { printf '%d %s' $(($(drops) - $1)) "$(all Shortest Median Longest Last Average)"; } # DROPS

test_results_are_those_of_the_line() {
	local strategy before
	enable $always
	for strategy in combined separate answer; do
		start_line 3000 1000
		peer --strategy $strategy --results 8 --compensate --wait
		before=$(drops)
		measure
		[ $strategy = answer ] || peer_done
		stop line
		stop peer
		truth a
		agrees $(measured $before)
		is "$strategy: kernel's times" "$(m Timestamps)" 2
		is "$strategy: dropped by the peer" "$(peer_summary .dropped)" '{}'
	done
}

# The adjustments of both ends are part of the result, whatever the tuple.
test_adjustments_of_the_peer_count() {
	local before
	start_line 500 500
	peer --results 8 --wait --swap --response-adjustment 2000 --request-adjustment -9
	before=$(drops)
	measure
	peer_done
	stop line
	stop peer
	truth a
	agrees $(measured $before)
	at_least "shortest" "$(m Shortest)" $((1000000 / 512 + 2000))
	is "request adjustment of the peer, reflected" \
		"$(python3 "$oracle" truth "${log_of[line]}" --end b | jq -sc 'map(.request_adjustment // empty) | unique')" '[-9]'
}

# dcbd answers whatever its own setting is, and its response adjustment takes out the time it took.
test_answers_of_dcbd() {
	local out truth strategy asked
	enable $off
	fresh
	asked=$(m RequestsSent)
	for strategy in combined separate; do
		start_line 1000 3000
		link_up
		peer --strategy $strategy --results 50
		peer_done
		stop peer
		stop line
		out=$(python3 "$oracle" compare "${log_of[line]}" "${log_of[peer]}" --end b)
		is "$strategy: without truth, wrong" "$(jq -c '[.without_truth, .wrong]' <<<"$out")" "[0,0]"
		at_least "$strategy: results" "$(jq .count <<<"$out")" 50
		truth=$(python3 "$oracle" truth "${log_of[line]}" --end b | jq -c 'select(.event == "summary")')
		printf '    result, link, beyond the link: %s\n' \
			"$(jq -c '[.median, .link.median, .beyond.median]' <<<"$truth")"
		at_least "$strategy: beyond the link, median in quanta" \
			"$(jq '.beyond.median | floor' <<<"$truth")" 0
		timed at_most "$strategy: beyond the link, median in quanta" \
			"$(jq '.beyond.median | ceil' <<<"$truth")" 20
	done
	is "requests that dcbd sent while off" "$(m RequestsSent)" "$asked"
	enable $always
}

# A measurement ends although one frame is lost, whichever it is.
test_each_lost_frame_is_made_up_for() {
	local strategy n way
	for strategy in combined separate answer; do
		for n in 1 2; do
			for way in -x -y; do
				start_line $way $n 3000 1000
				peer --strategy $strategy --results 2 --wait
				measure
				[ $strategy = answer ] || peer_done
				at_least "$strategy $way $n: longest" "$(m Longest)" $((4000000 / 512))
				stop peer
				stop line
				is "$strategy $way $n: lost frames" "$(($(line_end ab .lost) + $(line_end ba .lost)))" 1
			done
		done
	done
}

counters=(DropPath DropBusy DropMalformed DropShort DropTagged DropSubtype DropDestination DropSource
	DropLooped DropUnexpected DropImplausible Below Above RequestsReceived ResponsesReceived Count)
# count: puts the values of the counters into the array $before. changes: those that differ now, and
# by how much.
count() { fresh; read -ra before <<<"$(all "${counters[@]}")"; }
changes() {
	local i now
	fresh
	read -ra now <<<"$(all "${counters[@]}")"
	for i in "${!counters[@]}"; do
		[ "${now[i]}" = "${before[i]}" ] || printf '%s %d\n' "${counters[i]}" $((now[i] - before[i]))
	done | paste -sd ,
}

# Each bad frame is counted by its reason and changes nothing else.
test_bad_frames_have_their_counter() {
	local kind n=20 average got
	local -A reason=([short]=DropShort [tagged]=DropTagged [destination]=DropDestination
		[source]=DropSource [subtype]=DropSubtype [twice]=DropMalformed [unasked]=DropUnexpected
		[path]=DropPath)
	enable $off
	fresh
	average=$(m Average)
	start_line 100 100
	link_up
	for kind in "${!reason[@]}"; do
		count
		peer --strategy silent --bad $kind --times $n --gap 5
		peer_done
		wait_for 5 "$kind: $n are counted" eval '[[ $(changes) =~ '$n'$ ]]'
		is "$kind" "$(changes)" "${reason[$kind]} $n"
		stop peer
	done
	for kind in junk empty; do
		count
		peer --strategy silent --bad $kind --times $n --gap 20
		peer_done
		pause 0.2
		printf '    %s: %s; %s\n' $kind "$(changes)" "$(grep -c '"response"' "${log_of[peer]}") responses"
		stop peer
	done
	is "average" "$(m Average)" "$average"
	stop line
	enable $always
}

# Bad answers while dcbd measures.
test_bad_answers_have_their_counter() {
	local kind
	local -A reason=([replay]=DropUnexpected [future]=DropUnexpected [echo]=DropLooped)
	for kind in replay future echo; do
		start_line 2000 2000
		peer --strategy answer --bad $kind --times 1
		count
		measure
		stop line
		stop peer
		printf '    %s: %s\n' $kind "$(changes)"
		like "$kind" "$(changes)" "${reason[$kind]} [0-9]+"
		truth a
		agrees $(measured 0)
	done
}

# An answer of which the result is out of bounds does not move the average out of them.
test_liar_stays_within_the_bounds() {
	local adjustment
	put dcbPfcMeasureMinimum.$sw1 1000
	for adjustment in -32768 32767 -3000 5000; do
		start_line 500 500
		peer --strategy answer --response-adjustment $adjustment
		count
		link_up
		wait_for 10 "$adjustment: answers are counted" eval \
			'[[ $(changes) =~ (DropImplausible|Below|Above|Count)\ [1-9] ]]'
		printf '    %d: %s: %s\n' $adjustment "$(changes)" "$(all Shortest Median Longest Last Average)"
		at_least "$adjustment: average" "$(m Average)" 1000
		at_most "$adjustment: average" "$(m Average)" $maximum
		stop peer
		stop line
	done
	put dcbPfcMeasureMinimum.$sw1 1
}

test_second_neighbor_is_counted() {
	start_line 500 500
	start second nsenter --net=/run/netns/p -- python3 "$peer" run eth0 --stay \
		--seconds $((60 * patience)) --strategy answer --source 02:00:00:00:00:99
	wait_for 5 "the second neighbor is ready" logged second ready
	peer --strategy answer
	count
	measure
	like "second answers" "$(changes)" 'DropUnexpected [0-9]+'
	stop second
	stop peer
	stop line
}

test_flood_leaves_other_ports_alone() {
	local sent n=2000 busy
	start listh3 nsenter --net=/run/netns/h3 -- "$frames" list eth0
	wait_for 5 "h3 lists frames" logged listh3 ready
	start_line -q 50 50
	link_up
	count
	on h2 "$frames" send eth0 -i 7 -n $n -g 500 -d ff:ff:ff:ff:ff:ff &
	sent=$(on p python3 "$peer" flood eth0 --pps 100000 --seconds 2 | jq .sent)
	wait $!
	wait_for 10 "the last frame at h3" grep -q " 7 $((n - 1)) " "${log_of[listh3]}"
	at_least "frames that arrived beside $sent HMPDUs" "$(grep -c ' 88b5 60 7 ' "${log_of[listh3]}")" $n
	printf '    %s\n' "$(changes)"
	like "dropped, or answered" "$(changes)" '(DropBusy|RequestsReceived) [0-9]+'
	stop line
	stop listh3
}

# --- two dcbd -------------------------------------------------------------------------------

ctl() { "$build/dcbctl" -s $T/p/control "$@"; }
pm() { ctl -j show dcbPfcMeasure$1 $pif | jq -r '.[0].rows[0].values[]'; }
is_pm() { [ "$(pm $1)" = "$2" ]; }

start_second() {
	mkdir -p $T/p
	cat >$T/p/dcbd.conf <<-END
		role = "bridge";
		interfaces = { include = [ "eth0" ]; };
		ports = ( { name = "eth0"; rate = 1000000000L; speed = 1000000000L; } );
		user = "root";
		$no_real_time
		state_file = "$T/p/state";
		control = { socket = "$T/p/control"; };
	END
	start p nsenter --net=/run/netns/p -- "$build/dcbd" -c $T/p/dcbd.conf
	wait_for 10 "the second dcbd is up" test -S $T/p/control || die "the second dcbd does not start"
	pif=$(ip -n p -j link show dev eth0 | jq '.[0].ifindex')
	wait_for 5 "its port is up" eval "[ \$(ctl -j show dcbPortOperational $pif | jq -r '.[0].rows[0].values[]') = true ]"
	ctl set dcbPfcMeasureMaximum.$pif $maximum dcbPfcMeasureEnable.$pif always >/dev/null ||
		fail "cannot set the second dcbd"
}

test_two_dcbd_agree_with_the_line() {
	local delays rounds before second
	start_second
	for delays in '50 50' '5000 200' '3000 1000' '5000 5000'; do
		start_line $delays
		rounds=$(pm Rounds)
		ip -n p link set eth0 down
		wait_for 5 "hmOperUp is FALSE" is_pm OperUp false
		ip -n p link set eth0 up
		before=$(drops) second=$(($(pm DropBusy) + $(pm DropUnexpected)))
		measure
		wait_for 10 "the second measurement has begun" eval "[ \$(pm Rounds) -gt $rounds ]"
		wait_for 20 "the second measurement has ended" is_pm Measuring false
		stop line
		fresh
		printf '    delays %s\n' "$delays"
		truth a
		agrees $(measured $before)
		at_least "shortest" "$(m Shortest)" $(((${delays/ /+}) * 1000 / 512))
		truth b
		agrees $(($(pm DropBusy) + $(pm DropUnexpected) - second)) $(pm Shortest) $(pm Median) \
			$(pm Longest) $(pm Last) $(pm Average)
	done
	stop p
}

# --- accuracy ---------------------------------------------------------------------------------

probe() { "$build/tests/system/mo_probe" "$1" $T/control "${@:2}"; }
pv() { probe get "${@/%/.$sw1}" | paste -sd ' '; } # OBJECT...: values, not by way of the cache
is_pv() { [ "$(pv $1)" = "$2" ]; }
enable() {
	probe set dcbPfcMeasureEnable.$sw1 $1 >/dev/null
	wait_for 5 "the setting is in use" in_force
}
result=(dcbPfcMeasureCount dcbPfcMeasureAverage dcbPfcMeasureDropBusy dcbPfcMeasureDropUnexpected)
# sample COUNT DROPS: one more measurement, which begins without the round trips of the one before:
# "FIRST COUNT AVERAGE DROPS", for the oracle. The arguments are the values before the link came
# up. The line has a round trip of each dropped response, too: those of earlier samples are added to
# FIRST and COUNT. The dataplane may change values while they are read: they have to be the same
# twice.
ended() { is_pv dcbPfcMeasureMeasuring $false && [ "$(pv dcbPfcMeasureRounds)" -gt "$1" ]; }
steady() {
	values=$(pv "${result[@]}")
	[ "$values" = "$(pv "${result[@]}")" ]
}
sample() {
	local rounds first count average busy unexpected before
	enable $off
	wait_for 5 "a result that stays" steady
	rounds=$(pv dcbPfcMeasureRounds)
	read -r first _ busy unexpected <<<"$values"
	before=$((busy + unexpected - $2))
	enable $always
	wait_for 20 "the end of a measurement" ended "$rounds"
	wait_for 5 "a result that stays" steady
	read -r count average busy unexpected <<<"$values"
	echo $((first - $1 + before)) $((count - $1 + before)) $average $((busy + unexpected - $2 - before)) >>$T/samples
}

# Frames that pass the line in both directions, until stop_load: they share ports, queues, and the
# line with the measurement.
start_load() {
	local from
	for from in h2 p; do
		start load-$from nsenter --net=/run/netns/$from -- "$frames" send eth0 -i 9 -n 100000000 -g 200 \
			-l 1000 -d ff:ff:ff:ff:ff:ff
	done
}
stop_load() {
	stop load-h2 KILL
	stop load-p KILL
}

# The error of an average is the time between two stamps of one frame, that of its sender and that of
# the line, at each end of the line. Both are taken in one system call: a busy machine makes a
# few of these times long, and not half of them, so the median has a bound on any machine. It is
# 8 quanta, 4 us, only on an idle one.
test_accuracy_idle_and_loaded() {
	local delays load i before out n=16
	start_second
	ctl set dcbPfcMeasureEnable.$pif off >/dev/null || fail "cannot set the second dcbd"
	for delays in '50 50' '5000 5000' '5000 200'; do
		for load in idle loaded; do
			rm -f $T/samples
			enable $off
			start_line $delays
			wait_for 5 "a result that stays" steady
			before=$(awk '{ print $1, $3 + $4 }' <<<"$values")
			link_up
			[ $load = idle ] || start_load
			for ((i = 0; i < n; i++)); do sample $before; done
			[ $load = idle ] || stop_load
			stop line
			out=$(python3 "$oracle" accuracy "${log_of[line]}" $T/samples)
			printf '    %s us, %s: %s\n' "$delays" $load \
				"$(jq -r '"bias \(.average), p50 \(.median), p99 \(.p99) quanta; beyond the line \(.link.average), \(.link.median), \(.link.p99); \(.count) averages, \(.left_out) left out"' <<<"$out")"
			is "$delays, $load: averages" "$(jq '.count + .left_out' <<<"$out")" $n
			[ $load = loaded ] || at_least "$delays, idle: averages compared" "$(jq .count <<<"$out")" 1
			[ "$(jq .count <<<"$out")" -gt 0 ] || continue
			is "$delays, $load: median is from -1 to 100 quanta" "$(jq '.median >= -1 and .median <= 100' <<<"$out")" true
			[ $load = loaded ] || timed at_most "$delays: average error" "$(jq '.average | ceil' <<<"$out")" 8
		done
	done
	stop p
}

# --- aggregation ------------------------------------------------------------------------------

# 36.9: HMPDUs are exchanged on each link of an aggregation. Links of the same bridge port have their
# own round trips, and one that goes down leaves the other one as it is.
test_each_link_of_an_aggregation_is_measured() {
	local n drops values
	local -A sw delay=([4]='500 500' [5]='3000 3000')
	for n in 4 5; do
		sw[$n]=$(ifindex sw$n)
		is "aggregate of sw$n" "$(get dcbPortAggregate.${sw[$n]})" '"trunk"'
		put dcbPfcMeasureMaximum.${sw[$n]} $maximum
		start line-$n nsenter --net=/run/netns/l$n -- "$build/tests/system/delay_line" eth0 lb ${delay[$n]}
		start peer-$n nsenter --net=/run/netns/p$n -- python3 "$peer" run eth0 --stay --strategy answer \
			--seconds $((60 * patience))
		wait_for 5 "the line of sw$n is ready" logged line-$n ready
		wait_for 5 "the peer of sw$n is ready" logged peer-$n ready
	done
	put dcbPfcMeasureEnable.${sw[4]} $always dcbPfcMeasureEnable.${sw[5]} $always
	link_result() { # N COLUMN...
		local names=("${@:2}")
		names=("${names[@]/#/dcbPfcMeasure}")
		probe get "${names[@]/%/.${sw[$1]}}" | paste -sd ' '
	}
	link_ended() { [ "$(link_result $1 Measuring)" = $false ] && [ "$(link_result $1 Rounds)" -gt $2 ]; }
	for n in 4 5; do wait_for 20 "sw$n has measured" link_ended $n 0; done
	ip link set sw4 down
	is_down() { [ "$(link_result 4 OperUp)" = $false ]; }
	wait_for 5 "hmOperUp of sw4 is FALSE" is_down
	is "hmOperUp of sw5" "$(link_result 5 OperUp)" $true
	put dcbPfcMeasureEnable.${sw[4]} $off dcbPfcMeasureEnable.${sw[5]} $off
	wait_for 5 "the setting is in use" in_force
	for n in 4 5; do
		passed() { [ "$(grep -c '"way":"ab"' "${log_of[line-$n]}")" = "$(link_result $n FramesSent)" ]; }
		wait_for 5 "all HMPDUs of sw$n, and no others, are on its line" passed
		stop line-$n
		stop peer-$n
		is "addresses that send them" "$(jq -r 'select(.event == "hmpdu" and .way == "ab") | .octets[12:24]' "${log_of[line-$n]}" | sort -u)" \
			"$(ip -j link show dev sw$n | jq -r '.[0].address | gsub(":"; "")')"
		read -r drops values <<<"$(link_result $n DropUnexpected Shortest Median Longest Last Average)"
		truth a line-$n
		# shellcheck disable=SC2086 # several values
		agrees $((drops + $(link_result $n DropBusy))) $values
	done
}

run_tests
