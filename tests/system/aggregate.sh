#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Aggregation of three links into one bridge port: which link each flow takes, and what happens when
# a link fails.
#
#   h1 - sw1      h2 - sw2      t1 - sw3 ┐
#                               t2 - sw4 ├ "trunk"
#                               t3 - sw5 ┘
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
hosts=(h1 h2 t1 t2 t3)
n=0
for h in "${hosts[@]}"; do
	n=$((n + 1))
	host $h sw$n
	start list-$h nsenter --net=/run/netns/$h -- "$frames" list eth0
done
start_all 'interfaces = { include = [ "sw*" ]; }; bridge = { transit_delay = 0; };' 'ports = (
	# The longest pause of this rate is 33 seconds.
	{ name = "sw[345]"; aggregate = "trunk"; rate = 1000000L; speed = 1000000L; } );'
for h in "${hosts[@]}"; do wait_for 5 "$h lists frames" logged list-$h ready; done
for n in 1 2 3 4 5; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
logs=()
for h in "${hosts[@]}"; do logs+=("${log_of[list-$h]}"); done
far=02:00:00:00:00:99
flows=200 # the probability that chance gives one link none of them is 10^-34

# send HOST STREAM [OPTION...]: sends a frame with stream number STREAM.
send() {
	on "$1" "$frames" send eth0 -i "$2" "${@:3}" || fail "cannot send frames"
}
mac() { printf '02:00:00:01:00:%02x' "$1"; }
# at STREAM: the hosts that received the stream, one line for each frame.
at() {
	awk -v s="$1" '$6 == s { sub(/.*list-/, "", FILENAME); sub(/[.].*/, "", FILENAME); print FILENAME }' "${logs[@]}"
}
came() { [ "$(at "$1" | wc -l)" -ge "$2" ]; }

# offer_flows BASE: sends a frame of each flow from h1 to $far, with the stream numbers after BASE.
offer_flows() {
	send h1 $(($1 + 1)) -s "$(mac 1)" -d $far -n $flows -a
}
# came_of BASE: puts the number of its flows that have arrived into $came, and for each flow the
# host, or "", into $links.
came_of() {
	local flow host
	links=()
	for ((flow = 1; flow <= flows; flow++)); do links+=(""); done
	while read -r flow host; do
		links[flow - 1]+=$host
	done < <(awk -v s="$1" -v n=$flows '$6 > s && $6 <= s + n {
			host = FILENAME
			sub(/.*list-/, "", host)
			sub(/[.].*/, "", host)
			print $6 - s, host
		}' "${logs[@]}")
	came=$(printf '%s\n' "${links[@]}" | grep -c .)
}
all_came() { came_of "$1" && [ "$came" -ge "$2" ]; } # BASE COUNT

# send_flows BASE: as offer_flows; waits, and puts the host that received each flow into $links.
send_flows() {
	offer_flows "$1"
	wait_for 5 "all flows arrive" all_came "$1" $flows
}

test_aggregate_names() {
	is "aggregate of sw1" "$(get dcbPortAggregate."$(ifindex sw1)")" '""'
	is "aggregate of sw4" "$(get dcbPortAggregate."$(ifindex sw4)")" '"trunk"'
}

test_aggregate_gets_one_copy_of_a_broadcast() {
	send t1 1 -s $far -d ff:ff:ff:ff:ff:ff
	wait_for 5 "a broadcast arrives at two hosts" came 1 2
	is "hosts that received a broadcast of the trunk" "$(at 1 | paste -sd ' ')" "h1 h2"
	send h2 2 -s "$(mac 1)" -d ff:ff:ff:ff:ff:ff
	wait_for 5 "a broadcast arrives at two hosts" came 2 2
	like "hosts that received a broadcast of h2" "$(at 2 | paste -sd ' ')" '^h1 t[123]$'
}

test_flows_use_all_links() {
	local first
	send_flows 1000
	first=("${links[@]}")
	is "flows that did not arrive at exactly one host" "$(printf '%s\n' "${links[@]}" | grep -cvE '^t[123]$')" 0
	for h in t1 t2 t3; do
		at_least "flows to $h" "$(printf '%s\n' "${links[@]}" | grep -c $h)" 1
	done
	# The link of a flow does not depend on the link by which its address was learned.
	send t3 3 -s $far -d ff:ff:ff:ff:ff:ff
	wait_for 5 "a broadcast arrives at two hosts" came 3 2
	send_flows 2000
	is "links of the same flows" "${links[*]}" "${first[*]}"
}

test_only_flows_of_a_failed_link_move() {
	local first=("${links[@]}") i moved=0
	ip link set sw4 down
	wait_for 5 "sw4 is down" holds dcbPortOperational."$(ifindex sw4)" 2
	send_flows 3000
	for ((i = 0; i < flows; i++)); do
		[ "${links[i]}" != t2 ] || fail "flow $i was sent to a link that is down"
		[ "${links[i]}" != "${first[i]}" ] || continue
		is "old link of flow $i, which moved" "${first[i]}" t2
		moved=$((moved + 1))
	done
	at_least "flows that moved" $moved 1
	ip link set sw4 up
	wait_for 5 "sw4 is up" holds dcbPortOperational."$(ifindex sw4)" 1
	send_flows 4000
	is "links of the same flows" "${links[*]}" "${first[*]}"
}

# send_pause TIME: sends a PFC frame for priority 0 from t2. TIME has 4 hexadecimal digits.
send_pause() { on t2 "$frames" raw eth0 "0180c2000001020000000077880801010001$1"; }
# Succeeds once PFC is in force on sw4.
sends_pause() {
	send_pause ffff
	[ "$("$probe" get $T/control dcbPfcPriorityPaused."$(ifindex sw4)".0)" -eq 1 ]
}

# A PFC frame pauses only the link that received it: 36.7.
test_pause_stops_flows_of_one_link() {
	local first=("${links[@]}") i waiting wanted=()
	put dcbPfcPriorityEnable."$(ifindex sw4)".0 1
	waiting=$(printf '%s\n' "${first[@]}" | grep -c t2)
	at_least "flows of the paused link" $waiting 1
	wait_for 5 "sw4 is paused" sends_pause
	offer_flows 5000
	wait_for 5 "the flows of other links arrive" all_came 5000 $((flows - waiting))
	for ((i = 0; i < flows; i++)); do wanted+=("${first[i]/t2/}"); done
	is "hosts that received the flows" "${links[*]/%/,}" "${wanted[*]/%/,}"
	send_pause 0000
	wait_for 5 "all flows arrive" all_came 5000 $flows
	is "links of the same flows" "${links[*]}" "${first[*]}"
}

run_tests
