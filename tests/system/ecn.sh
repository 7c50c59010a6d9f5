#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ECN marking and rewritten DSCPs with the TCP of two hosts: h1 sends more than sw2 may.
#
#   h1 eth0 --- sw1 [dcbd] sw2 (20 Mb/s) --- eth0 h2
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/tcp_hosts.sh
. "$(dirname -- "$(readlink -f -- "$0")")/tcp_hosts.sh"

probe=$build/tests/system/mo_probe
tcp_octets=5000000 # two seconds at this rate
for n in 1 2; do
	host h$n sw$n
	tcp_host h$n eth0 $n
	on h$n sysctl -qw net.ipv4.tcp_ecn=1
	# cubic can leave slow start by the delay, before the queue is long.
	on h$n sysctl -qw net.ipv4.tcp_congestion_control=reno
done
tcp_serve h2 eth0
# shellcheck disable=SC2119
start_all 'interfaces = { include = [ "sw*" ]; };' \
	'ports = ( { name = "sw2"; rate = 20000000L; speed = 20000000L; buffer = 400000; } );'
sw1=$(ifindex sw1) sw2=$(ifindex sw2)
for n in $sw1 $sw2; do wait_for 5 "ports are up" holds dcbPortOperational.$n 1; done

now() { "$probe" get $T/control "$@"; }
ctl() { "$build/dcbctl" --socket $T/control "$@"; }
# ce: packets with CE that h2 has received. sums of the counters of all priorities.
ce() {
	on h2 awk '$1 == "IpExt:" && at { print $at }
		$1 == "IpExt:" && !at { for (i = 2; i <= NF; i++) if ($i == "InCEPkts") at = i }' /proc/net/netstat
}
sum() { for p in 0 1 2 3 4 5 6 7; do now dcbEcn$1.$sw2.$p; done | awk '{ n += $1 } END { print n }'; }
reset=0
reset_peaks() {
	reset=$((reset + 1))
	"$probe" set $T/control dcbBufferWatermarkReset.0 $reset >/dev/null
}

# Without marks TCP fills the queue; with them it stays near the threshold, and nothing is lost.
test_marks_keep_the_queue_short() {
	local peak marked before lost tcp
	reset_peaks
	on h1 timeout 300 python3 $tcp_program tcp 10.0.0.2 $tcp_octets || fail "TCP without marks"
	peak=$(now dcbBufferLossyPeakOctets.$sw2.0)
	at_least "longest queue without marks" "$peak" 120000
	is "marks" "$(sum Marked)" 0
	before=$(ce)
	ctl ecn set dev sw2 prio all enable on min 30000 max 30000 || fail "ecn set"
	is "minimum in force" "$(now dcbEcnMinimumInForce.$sw2.0)" 30000
	lost=$(now dcbPortDiscardQueue.$sw2)
	on h1 timeout 300 python3 $tcp_program tcp 10.0.0.2 $tcp_octets &
	tcp=$!
	wait_for 10 "the first mark, in slow start" eval '[ "$(sum Marked)" -ge 1 ]'
	wait_for 10 "the queue is short" eval '[ "$(now dcbBufferLossyOctets.$sw2.0)" -lt 30000 ]'
	reset_peaks
	wait $tcp || fail "TCP with marks"
	marked=$(sum Marked)
	at_least "marks" "$marked" 1
	is "packets with CE at h2" $(($(ce) - before)) "$marked"
	is "frames lost" $(($(now dcbPortDiscardQueue.$sw2) - lost)) 0
	at_most "longest queue with marks" "$(now dcbBufferLossyPeakOctets.$sw2.0)" $((peak / 2))
	at_least "packets that were not marked" "$(sum Unmarked)" 1000
}

# The same by the time that the queue takes, and by IPv6.
test_threshold_is_a_time() {
	local marks
	marks=$(sum Marked)
	ctl ecn set dev sw2 prio all unit nanoseconds min 10000000 max 14000000 probability 1000000 || fail "ecn set"
	is "minimum in force" "$(now dcbEcnMinimumInForce.$sw2.0)" 25000
	is "maximum in force" "$(now dcbEcnMaximumInForce.$sw2.0)" 35000
	on h1 timeout 300 python3 $tcp_program tcp fd00::2 $tcp_octets || fail "TCP by IPv6"
	at_least "marks" $(($(sum Marked) - marks)) 1
}

# Datagrams of a sender that does not know ECN are not altered, and discarded if that is asked.
test_frames_without_ect() {
	local before
	before=$(sum Marked)
	on h1 python3 $tcp_program udp 10.0.0.2 40 1400
	wait_for 10 "datagrams" eval '[ "$(grep -c "^udp 1400 True" "${log_of[serve]}")" -eq 40 ]'
	is "marks" "$(sum Marked)" "$before"
	at_least "frames without ECT" "$(sum NotEctFrames)" 40
	ctl ecn set dev sw2 prio all not-ect drop || fail "ecn set"
	on h1 python3 $tcp_program udp 10.0.0.2 40 1400
	wait_for 10 "discards" eval '[ "$(sum NotEctDiscards)" -ge 1 ]'
	wait_for 10 "all datagrams are counted" eval \
		'[ $(($(sum NotEctDiscards) + $(grep -c "^udp 1400 True" "${log_of[serve]}"))) -ge 80 ]'
}

test_ecn_survives_a_restart_and_ends() {
	local before
	stop dcbd KILL
	start_dcbd
	wait_for 10 "the ports are up" eval '[ "$(now dcbPortOperational.$sw1 dcbPortOperational.$sw2)" = $'"'1\n1'"' ]'
	is "unit" "$(ctl -j ecn show dev sw2 unit | jq -r '.[0].priorities[7].unit')" nanoseconds
	ctl ecn set dev sw2 prio all enable off not-ect pass || fail "ecn set"
	before=$(ce)
	on h1 timeout 300 python3 $tcp_program tcp 10.0.0.2 $tcp_octets || fail "TCP"
	is "packets with CE at h2" "$(ce)" "$before"
}

test_impossible_thresholds_are_refused() {
	local out
	out=$(ctl ecn set dev sw1 prio 3 min 2000 max 1000 2>&1) && fail "minimum beyond the maximum: $out"
	like "reason" "$out" 'sw1: priority 3: expected a minimum of at most the maximum'
	out=$(ctl ecn set dev sw1 prio 3 max 1000 always 999 2>&1) && fail "maximum beyond always: $out"
	out=$(ctl ecn set dev sw1 prio 3 probability 1000001 2>&1) && fail "probability: $out"
	is "maximum" "$(now dcbEcnMaximum.$sw1.3)" 0
}

# What leaves has another DSCP, right checksums, and the ECN field that TCP has set.
test_dscp_is_rewritten() {
	ctl rewr add dev sw2 prio-dscp all:AF31 || fail "rewr add"
	like "rewr show" "$(ctl rewr show dev sw2 prio-dscp)" '^prio-dscp 0:AF31 .*7:AF31$'
	capture $((2 * tcp_octets / 1500))
	tcp h1 2
	captured 1500
	is "other DSCPs" "$(lines -Y 'ip.dsfield.dscp != 26 || ipv6.tclass.dscp != 26' | wc -l)" 0
	at_least "ECT" "$(lines -Y 'ip.dsfield.ecn == 2 || ipv6.tclass.ecn == 2' | wc -l)" 1000
	! ctl rewr add dev sw2 prio-dscp 3:EF 2>/dev/null || fail "add changes a DSCP"
	ctl rewr replace dev sw2 prio-dscp 3:EF || fail "rewr replace"
	! ctl rewr del dev sw2 prio-dscp 3:AF31 2>/dev/null || fail "del of another DSCP"
	ctl rewr del dev sw2 prio-dscp 3:EF || fail "rewr del"
	is "DSCP of priority 3" "$(now dcbRewriteDscp.$sw2.3)" -1
	ctl rewr replace dev sw2 prio-pcp 2:5de || fail "rewr prio-pcp"
	is "PCP of priority 2" "$(now dcbRewritePcp.$sw2.2)" 13
	ctl rewr flush dev sw2 || fail "rewr flush"
	stop serve KILL
	is "rewr after flush" "$(ctl -j rewr show dev sw2 | jq -c '.[0] | [.prio_pcp, .prio_dscp] | flatten | unique')" '[-1]'
}

run_tests
