#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcb-pfcgen on a link: the frames that arrive at the other end as tshark decodes them, the
# times between them, and its report.
#
#   dcb-pfcgen - p0 ======= eth0 (h) - dumpcap
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

for program in tshark dumpcap jq setpriv; do
	command -v $program >/dev/null || skip_all "$program is not installed"
done
export HOME=$T XDG_CONFIG_HOME=$T WIRESHARK_CONFIG_DIR=$T

pfcgen=$build/dcb-pfcgen
capture=$T/frames.pcapng
host h p0
wait_for 5 "p0 is up" eval 'ip link show p0 | grep -q LOWER_UP'

frames=$build/tests/system/frames

# Frames with a number mark begin and end of the capture. No octet of it is 10, where grep ends a
# line.
mark=32
captured() { # NUMBER
	local octets
	printf -v octets '\\x%s' 88 b5 $(printf %08x "$1" | sed 's/../& /g')
	"$frames" send p0 -i "$1" && grep -qaP "$octets" $capture
}

# pfcgen [ARGUMENT...]: runs dcb-pfcgen. Its JSON report is in $T/report, the frames are in
# $T/fields, one a line: seconds, vector, eight times, source, destination, opcode, length, tshark's
# expert message.
pfcgen() {
	mark=$((mark + 2))
	rm -f $capture
	start dumpcap nsenter --net=/run/netns/h -- dumpcap -q -P -i eth0 -B 64 -w $capture
	wait_for 10 "the capture has begun" captured $((mark - 1)) || return 1
	"$pfcgen" -j "$@" p0 >$T/report 2>$T/error
	rc=$?
	wait_for 10 "the capture has the last frame" captured $mark
	stop dumpcap
	local c time=()
	for c in 0 1 2 3 4 5 6 7; do time+=(-e "macc.cbfc.pause_time.c$c"); done
	tshark -r $capture -Y macc -T fields -e frame.time_epoch -e macc.cbfc.enbv "${time[@]}" \
		-e eth.src -e eth.dst -e macc.opcode -e frame.len -e _ws.expert.message >$T/fields 2>$T/tshark
	is "expert messages of tshark" "$(cut -f15 $T/fields | sort -u)" ""
}

# pfc_listen [ARGUMENT...]: the same without tshark; the times of all PFC frames, the last of them
# XON, are in $T/times, in microseconds.
pfc_listen() {
	mark=$((mark + 2))
	start list nsenter --net=/run/netns/h -- "$frames" list eth0 -x
	wait_for 5 "h lists frames" logged list ready || return 1
	"$pfcgen" -j "$@" p0 >$T/report 2>$T/error
	rc=$?
	"$frames" send p0 -i $mark
	wait_for 10 "the last frame is listed" logged list " 88b5 .* $mark 0 "
	stop list
	awk '$4 == "8808" { print $8 }' "${log_of[list]}" >$T/times
}

# The messages without the one about real time, which root of a user namespace does not have.
without_note() {
	if chrt -f 1 true 2>/dev/null; then
		cat $T/error
	else
		grep -vx 'dcb-pfcgen: note: no real time: .*: other programs can delay frames' $T/error
	fi
}

said() { jq -r ".[0].$1" $T/report; }
sent() { wc -l <$T/fields; }
field() { awk -F'\t' -v n="$1" '{ print $n }' $T/fields; } # NUMBER

test_fields_of_the_frames() {
	pfcgen -p 3,5:1000 -i 2ms -c 20 -a 02:00:00:00:00:77
	is "status" $rc 0
	is "frames and an XON" "$(sent)" 21
	is "vectors" "$(field 2 | sort -u)" 0x0028
	is "opcodes" "$(field 13 | sort -u)" 0x0101
	is "sources" "$(field 11 | sort -u)" 02:00:00:00:00:77
	is "destinations" "$(field 12 | sort -u)" 01:80:c2:00:00:01
	is "lengths" "$(field 14 | sort -u)" 60
	is "times of priority 3" "$(field 6 | uniq -c | xargs)" "20 65535 1 0"
	is "times of priority 5" "$(field 8 | uniq -c | xargs)" "20 1000 1 0"
	# A frame has eight times; those of other priorities are 0.
	is "other times" "$(for c in 3 4 5 7 9 10; do field $c; done | sort -u)" 0
	is "frames by dcb-pfcgen" "$(said frames)" 20
	is "xon by dcb-pfcgen" "$(said xon)" true
	# 1000 quanta of 512 bits on 10 Gb/s veth are 51.2 us: shorter than the interval.
	is "pause" "$(said pause_ns)" 51200
	# A late frame shortens the interval to the next one, but two intervals in a row are never
	# short.
	at_least "pauses that lapsed" "$(said lapsed)" 9
	like "warning" "$(cat $T/error)" 'the shortest pause ends after 51.200 us'
}

test_all_priorities() {
	pfcgen -p all -q 30000 -c 3
	is "vectors" "$(field 2 | sort -u)" 0x00ff
	is "times" "$(cut -f3-10 $T/fields | tr '\t' ' ' | uniq -c | sed 's/^ *//')" \
		"3 30000 30000 30000 30000 30000 30000 30000 30000"$'\n'"1 0 0 0 0 0 0 0 0"
	is "source is the interface's" "$(field 11 | sort -u)" "$(ip -o link show p0 | sed 's/.*ether \([^ ]*\).*/\1/')"
	# Two frames for each pause of 30000 * 512 bits at 10 Gb/s.
	is "interval" "$(said interval_ns)" 768000
	is "warnings" "$(without_note)" ""
}

# During the run it has real time where that is permitted; otherwise it says so, and sends as well.
test_real_time() {
	if chrt -f 1 true 2>/dev/null; then
		"$pfcgen" -p 3 -i 10ms -t 60s p0 >/dev/null &
		wait_for 5 "dcb-pfcgen has real time" has_policy $! 'SCHED_FIFO|SCHED_RESET_ON_FORK' 1
		kill -INT $!
		wait $! || fail "dcb-pfcgen ends with status $?"
	fi
	pfcgen -p 3 -i 2ms -c 5
	is "status" $rc 0
	"${without_nice[@]}" "$pfcgen" -p 3 -i 2ms -c 5 p0 >$T/report 2>$T/error || fail "status $?"
	like "report" "$(<$T/report)" 'frames +5'
	is "note" "$(<$T/error)" \
		"dcb-pfcgen: note: no real time: Operation not permitted: other programs can delay frames"
}
without_nice=(prlimit --rtprio=0 setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice)
has_policy() { # PID POLICY PRIORITY
	[ "$(chrt -p "$1" | sed 's/.*: //' | xargs)" = "$2 $3" ]
}

# dcb-pfcgen sends the XON one interval after the last frame, not at once.
test_xon_follows_after_one_interval() {
	local started=${EPOCHREALTIME/./} times
	pfc_listen -p 3 -i 50ms -c 1
	mapfile -t times <$T/times
	is "frames" ${#times[@]} 2
	like "last frame is XON" "$(grep ' 8808 ' "${log_of[list]}" | tail -n 1)" ' 0180c2000001.{12}8808010100080{16}'
	at_least "microseconds from the start to XON" $((times[1] - started)) 50000
	at_least "nanoseconds by dcb-pfcgen" "$(said elapsed_ns)" 50000000
	timed at_least "microseconds of pause" $((times[1] - times[0])) 49000
}

test_xon_can_be_omitted() {
	pfcgen -p 3 -i 1ms -c 5 -X
	is "times" "$(field 6 | uniq -c | xargs)" "5 65535"
	is "xon by dcb-pfcgen" "$(said xon)" false
}

# median: microseconds between frames, without the last one, XON.
median() {
	head -n -1 $T/times | awk 'NR > 1 { print $1 - last } { last = $1 }' | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}

# On any machine each frame is sent or counted as missed. On a machine with an idle processor the
# median of the intervals, as received and by dcb-pfcgen, is the requested one.
test_intervals_between_frames() {
	local interval wait n off
	for wait in auto busy sleep; do
		for interval in 200 2000; do
			pfc_listen -p 3 -i ${interval}us -t 300ms -w $wait
			n=$(said frames)
			is "$wait, $interval us: frames that arrived" "$(wc -l <$T/times)" $((n + 1))
			is "$wait, $interval us: sent and missed" $((n + $(said missed))) $((300000 / interval))
			at_least "$wait, $interval us: elapsed" "$(said elapsed_ns)" 300000000
			printf '    %-5s %4d us: %d frames, median %d us at the other end; by dcb-pfcgen: %s\n' $wait $interval "$n" \
				"$(median)" "$(jq -c '.[0] | [.intervals[], .late, .missed, .sleeps]' $T/report)"
			off=$(($(median) - interval))
			timed at_most "$wait, $interval us: deviation as received, us" ${off#-} $((interval / 20))
			off=$(($(said intervals.median_ns) - interval * 1000))
			timed at_most "$wait, $interval us: deviation by dcb-pfcgen, ns" ${off#-} $((interval * 50))
		done
	done
}

test_duration_limits_frames() {
	pfc_listen -p 3 -i 10ms -t 95ms
	is "sent and missed" $(($(said frames) + $(said missed))) 10
	at_least "elapsed" "$(said elapsed_ns)" 95000000
}

# A signal ends dcb-pfcgen: it sends XON at once and prints its report.
test_signal_sends_xon_and_report() {
	local signal
	for signal in INT TERM; do
		start list nsenter --net=/run/netns/h -- "$frames" list eth0 -x
		wait_for 5 "h lists frames" logged list ready
		start send "$pfcgen" -j -p 3 -i 20s p0
		wait_for 5 "the first frame" logged list '8808.* 0180c2000001.{12}880801010008'
		stop send $signal
		sed -n '/^\[/,$p' "${log_of[send]}" >$T/report # after a warning
		is "frames by dcb-pfcgen" "$(said frames)" 1
		is "xon by dcb-pfcgen" "$(said xon)" true
		wait_for 5 "the XON" logged list ' 0180c2000001.{12}8808010100080{16}'
		stop list
	done
}

# refuses STATUS MESSAGE ARGUMENT...
refuses() {
	local out
	out=$("$pfcgen" "${@:3}" 2>&1 >/dev/null)
	is "status of ${*:3}" $? "$1"
	like "message of ${*:3}" "$out" "$2"
}

test_bad_arguments_are_refused() {
	refuses 2 'usage: dcb-pfcgen' -p 3
	refuses 2 '-p: expected priorities 0\.\.7' p0
	refuses 2 '-p: expected priorities 0\.\.7.*, not "8"' -p 8 p0
	refuses 2 '-i: expected 1us\.\.60s.*, not "84"' -p 3 -i 84 p0
	refuses 2 '-q: expected 0\.\.65535 quanta, not "65536"' -p 3 --quanta 65536 p0
	refuses 2 "invalid option -- 'n'" -n 1 -p 3 p0
	refuses 1 'nowhere: no such interface' -p 3 nowhere
	refuses 1 'lo: not an Ethernet interface' -p 3 lo
	ip link set p0 down
	refuses 1 'p0: .*Network is down' -p 3 -c 1 p0
	ip link set p0 up
	is "message without CAP_NET_RAW" "$(setpriv --bounding-set=-net_raw --inh-caps=-net_raw "$pfcgen" -p 3 p0 2>&1)" \
		"dcb-pfcgen: packet socket: Operation not permitted: sending PFC frames requires CAP_NET_RAW, which root has"
}

run_tests
