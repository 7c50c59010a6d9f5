#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# hm_peer.py against itself over a delay line: the oracles of the headroom measurement (36.9), which
# share no code with dcbd, agree with each other before dcbd is compared with them. No daemon runs.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"
peer=$src/tests/system/hm_peer.py oracle=$src/tests/system/hm_oracle.py
ab=3000 ba=1000 # microseconds
link=$(((ab + ba) * 1000 / 512)) # quanta at 1 Gb/s, rounded down
# For an end that begins when the other one answers, and is to ask once for each result even on a busy
# machine.
once='--max-round-trip 3600000'

host a la
host b lb

start_line() { # [OPTION...]
	start line "$build/tests/system/delay_line" "$@" la lb $ab $ba
	wait_for 5 "the line is ready" logged line ready || die "no delay line"
}

peer() { # a|b [OPTION...]
	start "$1" nsenter --net=/run/netns/"$1" -- python3 "$peer" run eth0 --stay \
		--seconds $((60 * patience)) --seed "$seed.$1.${runs[$1]-0}" --max-round-trip 250 "${@:2}"
	wait_for 5 "$1 is ready" logged "$1" ready || die "$1 does not start"
}

is_done() { # a|b
	wait_for 20 "$1 has its results" eval "logged $1 '\"done\"' || ! running $1"
	running "$1" || die "$1 has ended"
}

# done_and_ended [a] [b]: waits until these participants have their results, and ends all of them.
done_and_ended() {
	local name
	for name; do is_done "$name"; done
	for name in a b line; do stop "$name"; done
}

summary() { # a|b|line FILTER
	jq -rc "select(.event == \"summary\") | $2" "${log_of[$1]}"
}

line_end() { # ab|ba FILTER
	jq -rc "select(.event == \"end\" and .way == \"$1\") | $2" "${log_of[line]}"
}

# agrees a|b COUNT: the end has so many results, and each is calculated as 36.9.4 says. They are not
# shorter than the line's times, because a frame is stamped by its sender, then by the line. What
# they are longer is the time between these stamps, a microsecond for each end of the line; for a
# single frame the machine can stop there.
agrees() {
	local out
	out=$(python3 "$oracle" compare "${log_of[line]}" "${log_of[$1]}" --end "$1")
	at_least "$1: results with both times of the kernel" "$(jq .count <<<"$out")" "$2"
	is "$1: results without truth, wrong ones" "$(jq -c '[.without_truth, .wrong]' <<<"$out")" "[0,0]"
	at_least "$1: hundredths of a quantum longer than the truth, minimum" \
		"$(jq '.min * 100 | round' <<<"$out")" 0
	at_most "$1: hundredths of a quantum longer, median" "$(jq '.median * 100 | round' <<<"$out")" 10000
	timed at_most "$1: hundredths of a quantum longer, average" \
		"$(jq '.average * 100 | round' <<<"$out")" 800
}

test_exchanges_of_figure_36_14() {
	local out
	out=$(python3 "$oracle" figure) || fail "$(jq -c 'select(.holds == false)' <<<"$out")"
	is "claims" "$(jq -c 'select(.event == "summary") | [.claims, .hold]' <<<"$out")" "[8,8]"
}

test_line_keeps_order_and_tags() {
	local frames="$build/tests/system/frames" n=2000
	start_line
	start listb nsenter --net=/run/netns/b -- "$frames" list eth0
	start lista nsenter --net=/run/netns/a -- "$frames" list eth0
	wait_for 5 "b lists frames" logged listb ready
	wait_for 5 "a lists frames" logged lista ready
	on a "$frames" send eth0 -i 1 -n $n -g 20 &
	on b "$frames" send eth0 -i 2 -n $n -g 20 -l 1500 -v 5 -p 3
	wait $!
	wait_for 10 "the last frame at b" grep -q " 1 $((n - 1)) " "${log_of[listb]}"
	wait_for 10 "the last frame at a" grep -q " 2 $((n - 1)) " "${log_of[lista]}"
	is "at b, in order" "$(awk '$4 == "88b5" && $3 == "untagged" { print $7 }' "${log_of[listb]}" | cksum)" \
		"$(seq 0 $((n - 1)) | cksum)"
	is "at a, in order, with tags" \
		"$(awk '$4 == "88b5" && $3 == "5/3" && $5 == 1500 { print $7 }' "${log_of[lista]}" | cksum)" \
		"$(seq 0 $((n - 1)) | cksum)"
	stop lista
	stop listb
	stop line
	for way in ab ba; do
		is "$way" "$(line_end $way '[.frames, .failed, .full, .overrun, .lost, .hmpdus]')" "[$n,0,0,0,0,0]"
		timed at_most "$way: microseconds late" "$(line_end $way '.late_max_ns / 1000 | floor')" 2000
	done
}

# All pairs of strategies of which at least one end measures.
test_both_ends_measure_with_any_strategy() {
	local a b first second wait
	for a in combined separate answer; do
		for b in combined separate answer; do
			[ $a$b != answeranswer ] || continue
			printf '    %s, %s\n' $a $b
			start_line
			# The other end answers already when one asks, so that no request is repeated.
			first=a second=b wait=
			[ $b != answer ] || first=b second=a
			[ ${!first} = answer ] || wait=--wait
			peer $first --strategy ${!first} --results 5 --answers 5 $wait $once
			peer $second --strategy ${!second} --results 5 --answers $([ ${!first} = answer ] && echo 0 || echo 5) $once
			done_and_ended a b
			[ $a = answer ] || agrees a 5
			[ $b = answer ] || agrees b 5
			for name in a b; do
				is "$name: dropped" "$(summary $name .dropped)" '{}'
				[ ${!name} = answer ] || at_least "$name: minimum" "$(summary $name .min)" $link
			done
			is "the line was never early" "$(jq -c "select(.event == \"hmpdu\") |
				select(.tx - .rx < {ab: $ab, ba: $ba}[.way] * 1000)" "${log_of[line]}")" ''
		done
	done
}

# No round trip has more than two PDUs of each end: the responses set the pace (36.9.7).
test_responses_pace_the_requests() {
	local sent trips
	start_line
	peer a --results 50
	peer b --results 50
	done_and_ended a b
	agrees a 50
	sent=$(line_end ab .hmpdus)
	trips=$(($(jq -s 'map(select(.event == "hmpdu") | .tx) | (max - min) / 1000 | floor' \
		"${log_of[line]}") / (ab + ba)))
	at_most "HMPDUs of a in $trips round trips" "$sent" $((2 * (trips + 2)))
}

test_adjustments_are_part_of_the_result() {
	start_line
	peer a --results 20 --request-adjustment -7 --response-adjustment 1000
	peer b --results 20 --response-adjustment -300 --swap
	done_and_ended a b
	agrees a 20
	agrees b 20
	is "a: calculated minus measured" "$(jq -r 'select(.event == "result") |
		.calculated - (.ns / 512 | round)' "${log_of[a]}" | sort -u)" -307
	is "b: calculated minus measured" "$(jq -r 'select(.event == "result") |
		.calculated - (.ns / 512 | round)' "${log_of[b]}" | sort -u)" 1000
}

# The response adjustment can take the time out that the other end needed to answer; the rest is
# the link's.
test_compensated_answers_leave_the_link() {
	local truth
	start_line
	peer a --results 30
	peer b --strategy answer --compensate
	done_and_ended a
	truth=$(python3 "$oracle" truth "${log_of[line]}" --end a | jq -c 'select(.event == "summary")')
	at_least "round trip of the link" "$(jq .link.min <<<"$truth")" $link
	timed at_most "median beyond the link's, in quanta" \
		"$(jq '.median - .link.median | fabs | round' <<<"$truth")" 200
}

# Both ends have their results although one frame is lost, whichever it is.
test_each_lost_frame_is_made_up_for() {
	local strategy n way
	for strategy in combined separate; do
		for n in 1 2 3; do
			for way in -x -y; do
				start_line $way $n
				peer b --strategy $strategy --results 3 --answers 3
				peer a --strategy $strategy --results 3 --answers 3
				done_and_ended a b
				is "$strategy $way $n: lost frames" \
					"$(($(line_end ab .lost) + $(line_end ba .lost)))" 1
				agrees a 3
				agrees b 3
			done
		done
	done
}

test_first_request_of_a_is_not_heard() {
	local strategy
	for strategy in combined separate; do
		start_line
		peer b --strategy $strategy --results 3 --deaf 1
		peer a --strategy $strategy --results 3 $once
		done_and_ended a b
		is "$strategy: b, dropped" "$(summary b .dropped)" '{"deaf":1}'
		agrees a 3
	done
}

# Each kind of bad frame is counted by its reason, and changes nothing else.
test_bad_frames_have_their_reason() {
	local kind n=20 wanted=''
	start_line
	# b has its results before: an answer to a request that it had repeated would be unasked, too.
	peer a --strategy answer
	peer b --results 3 $once
	is_done b
	stop a
	for kind in short tagged destination source subtype twice empty unasked path; do
		peer a --strategy answer --bad $kind --times $n
		is_done a
		wait_for 10 "$kind: all are dropped" eval '[ $(grep -c "\"reason\": \"$kind\"" "${log_of[b]}") -ge $n ]'
		stop a
		wanted+="\"$kind\":$n,"
	done
	done_and_ended b
	is "dropped" "$(summary b .dropped)" "{${wanted%,}}"
	is "answers" "$(summary b '.responses_sent // 0')" 0
	agrees b 3
	start_line
	peer b --strategy answer --answers $n
	peer a --strategy answer --bad junk --times $n
	done_and_ended a b
	is "junk: answers" "$(summary b '[.requests_received, .responses_sent]')" "[$n,$n]"
	is "junk: dropped" "$(summary b .dropped)" '{}'
}

test_bad_responses_have_their_reason() {
	local kind
	for kind in replay future; do
		start_line
		peer a --strategy answer --bad $kind --times 10
		peer b --results 10 $once
		wait_for 10 "$kind: all are dropped" eval '[ $(grep -c "\"unasked\"" "${log_of[b]}") -ge 10 ]'
		done_and_ended a b
		is "$kind" "$(summary b '[.count, .dropped]')" '[10,{"unasked":10}]'
		agrees b 10
	done
	start_line
	peer a --strategy answer --bad echo --times 3
	peer b --results 3 $once
	done_and_ended a b
	is "echo" "$(summary b '[.count, .dropped]')" '[3,{"own":3}]'
}

test_results_are_bounded() {
	start_line
	peer a --strategy answer --bad late=50 --times 3
	peer b --results 3 --maximum 8000 --minimum 7900 $once
	done_and_ended a b
	is "late" "$(summary b '[.count, .out_of_bounds, .min, .max]')" '[3,3,8000,8000]'
	start_line
	peer a --strategy answer --response-adjustment -32768
	peer b --results 10 --maximum 1000000000 --minimum 7900 $once
	done_and_ended b
	is "early" "$(summary b '[.count, .min]')" '[10,7900]'
	is "early: out of bounds" "$(summary b .out_of_bounds)" \
		"$(jq -s 'map(select(.event == "result" and .calculated < 7900)) | length' "${log_of[b]}")"
	start_line
	peer b --results 3
	peer a --strategy answer --liar 150
	done_and_ended b
	is "liar" "$(jq -r 'select(.event == "result") | .calculated - (.ns / 512 | round)' "${log_of[b]}" |
		sort -u)" 150
}

# Two neighbors: both answer, one of the two responses to a request counts.
test_second_neighbor_is_heard() {
	start_line
	start second nsenter --net=/run/netns/a -- python3 "$peer" run eth0 --stay \
		--seconds $((60 * patience)) --strategy answer --source 02:00:00:00:00:99
	wait_for 5 "the second neighbor is ready" logged second ready
	peer a --strategy answer
	peer b --results 10 $once
	wait_for 20 "b has its results" logged b '"done"'
	wait_for 5 "all responses have come" eval '[ $(grep -c "\"unasked\"" "${log_of[b]}") -eq 10 ]'
	stop second
	done_and_ended b
	is "b" "$(summary b '[.count, .dropped]')" '[10,{"unasked":10}]'
}

test_flood_is_counted() {
	local sent
	start_line -q
	peer b --strategy answer --answers 1
	sent=$(on a python3 "$peer" flood eth0 --pps 2000 --seconds 1 | jq .sent)
	at_least "sent" "$sent" 100
	wait_for 20 "b has answered all" eval '[ $(grep -c "\"sent\"" "${log_of[b]}") -eq '"$sent"' ]'
	done_and_ended b
	is "requests, answers" "$(summary b '[.requests_received, .responses_sent]')" "[$sent,$sent]"
}

run_tests
