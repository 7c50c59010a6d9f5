#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Three links of one bridge port: which frames take which, and what happens when one fails.
#
#   h1 - sw1      h2 - sw2      t1 - sw3 ┐
#                               t2 - sw4 ├ "trunk"
#                               t3 - sw5 ┘
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
hosts=(h1 h2 t1 t2 t3)
n=0
for h in "${hosts[@]}"; do
	n=$((n + 1))
	host $h sw$n
	start list-$h nsenter --net=/run/netns/$h -- "$frames" list eth0
done
start_all 'interfaces = { include = [ "sw*" ]; }; bridge = { transit_delay = 0; };' 'ports = (
	# The longest pause of this rate is a third of a second.
	{ name = "sw[345]"; aggregate = "trunk"; rate = 100000000L; } );'
for h in "${hosts[@]}"; do wait_for 5 "$h listens" logged list-$h ready; done
for n in 1 2 3 4 5; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
logs=()
for h in "${hosts[@]}"; do logs+=("${log_of[list-$h]}"); done
far=02:00:00:00:00:99
flows=30 # that one link gets none of them, by chance, is one in 60000

# send HOST STREAM [OPTION...]: a frame; the stream says which flow it is of.
send() {
	on "$1" "$frames" send eth0 -i "$2" "${@:3}" || fail "frames cannot send"
}
mac() { printf '02:00:00:01:00:%02x' "$1"; }
# at STREAM: hosts it came to, one a line for each frame.
at() {
	awk -v s="$1" '$6 == s { sub(/.*list-/, "", FILENAME); sub(/[.].*/, "", FILENAME); print FILENAME }' "${logs[@]}"
}
came() { [ "$(at "$1" | wc -l)" -ge "$2" ]; }

# send_flows BASE: a frame of each flow from h1 to $far. In $links, the host each came to.
send_flows() {
	local i
	for ((i = 1; i <= flows; i++)); do send h1 $(($1 + i)) -s "$(mac $i)" -d $far; done
	links=()
	for ((i = 1; i <= flows; i++)); do
		wait_for 5 "flow $i" came $(($1 + i)) 1
		links+=("$(at $(($1 + i)))")
	done
}

test_objects() {
	is "of sw1" "$(get dcbPortAggregate."$(ifindex sw1)")" '""'
	is "of sw4" "$(get dcbPortAggregate."$(ifindex sw4)")" '"trunk"'
}

test_one_copy() {
	send t1 1 -s $far -d ff:ff:ff:ff:ff:ff
	wait_for 5 "a broadcast at h1" came 1 2
	is "a broadcast of the trunk came to" "$(at 1 | paste -sd ' ')" "h1 h2"
	send h2 2 -s "$(mac 1)" -d ff:ff:ff:ff:ff:ff
	wait_for 5 "a broadcast at h1" came 2 2
	like "a broadcast of h2 came to" "$(at 2 | paste -sd ' ')" '^h1 t[123]$'
}

test_flows_are_spread() {
	local first
	send_flows 1000
	first=("${links[@]}")
	is "copies of each" "$(printf '%s\n' "${links[@]}" | wc -l)" $flows
	for h in t1 t2 t3; do
		at_least "flows by $h" "$(printf '%s\n' "${links[@]}" | grep -c $h)" 1
	done
	# Wherever the address was heard last.
	send t3 3 -s $far -d ff:ff:ff:ff:ff:ff
	wait_for 5 "a broadcast at h1" came 3 2
	send_flows 2000
	is "links of the same flows" "${links[*]}" "${first[*]}"
}

test_a_link_fails() {
	local first=("${links[@]}") i moved=0
	ip link set sw4 down
	wait_for 5 "sw4 is down" holds dcbPortOperational."$(ifindex sw4)" 2
	send_flows 3000
	for ((i = 0; i < flows; i++)); do
		[ "${links[i]}" != t2 ] || fail "flow $i went into a link that is down"
		[ "${links[i]}" != "${first[i]}" ] || continue
		is "flow $i, which moved, was on" "${first[i]}" t2
		moved=$((moved + 1))
	done
	at_least "flows that moved" $moved 1
	ip link set sw4 up
	wait_for 5 "sw4 is up" holds dcbPortOperational."$(ifindex sw4)" 1
	send_flows 4000
	is "links of the same flows" "${links[*]}" "${first[*]}"
}

# A pause is about one link: 36.7.
test_pause_of_one_link() {
	local first=("${links[@]}") i waiting=0
	put dcbPfcPriorityEnable."$(ifindex sw4)".0 1
	start pauses nsenter --net=/run/netns/t2 -- "$build/dcbctl" pfc-send -p 0 -q 65535 -i 1ms eth0
	wait_for 5 "sw4 is paused" holds dcbPfcPriorityPaused."$(ifindex sw4)".0 1
	for ((i = 1; i <= flows; i++)); do send h1 $((5000 + i)) -s "$(mac $i)" -d $far; done
	for ((i = 1; i <= flows; i++)); do
		if [ "${first[i - 1]}" = t2 ]; then
			waiting=$((waiting + 1))
			is "flow $i came to" "$(at $((5000 + i)))" ""
		else
			wait_for 5 "flow $i" came $((5000 + i)) 1
			is "flow $i came to" "$(at $((5000 + i)))" "${first[i - 1]}"
		fi
	done
	at_least "flows that wait" $waiting 1
	stop pauses INT
	for ((i = 1; i <= flows; i++)); do wait_for 5 "flow $i" came $((5000 + i)) 1; done
}

run_tests
