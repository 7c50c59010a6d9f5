#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Each port receives and sends on the interface with its ifIndex, however names move between
# interfaces, and a port whose interface could not be opened works later without a change of its
# link. Every interface is the link to a host of its own.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
broadcast=ff:ff:ff:ff:ff:ff
for n in 1 2 3; do host h$n sw$n; done
ulimit -Sn 300 # test_limit_of_open_files_is_raised
start_all 'interfaces = { include = [ "sw*" ]; };'
for n in 1 2 3; do
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
	wait_for 5 "h$n lists frames" logged list$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done

stream=$((RANDOM * 1000))
got() { awk -v s="$2" '$6 == s { n++ } END { print n + 0 }' "${log_of[list$1]}"; } # HOST STREAM
# reaches HOST HOST: sends a broadcast until the second host has received it.
reaches() {
	on h$1 "$frames" send eth0 -d $broadcast -s 02:00:00:00:00:0$1 -i $stream || return 1
	pause 0.02
	[ "$(got $2 $stream)" -gt 0 ]
}
# alone HOST IFINDEX OTHER-IFINDEX: frames of the host arrive at the first port only.
alone() {
	local before other
	before=$(get dcbPortRxFrames.$2)
	other=$(get dcbPortRxFrames.$3)
	on h$1 "$frames" send eth0 -d $broadcast -s 02:00:00:00:00:0$1 -i $stream -n 20
	wait_for 5 "frames of h$1 at port $2" at_port $2 $((before + 20))
	is "frames of h$1 at port $3" "$(get dcbPortRxFrames.$3)" "$other"
}
at_port() { [ "$(get dcbPortRxFrames.$1)" -ge "$2" ]; }
# connected HOST IFINDEX HOST IFINDEX: each host is at its port, and frames pass in both directions.
connected() {
	wait_for 10 "port $2 is operational" holds dcbPortOperational.$2 1
	wait_for 10 "port $4 is operational" holds dcbPortOperational.$4 1
	stream=$((stream + 1))
	wait_for 10 "frames from h$1 to h$3" reaches $1 $3
	stream=$((stream + 1))
	wait_for 10 "frames from h$3 to h$1" reaches $3 $1
	fresh
	alone $1 $2 $4
	fresh
	alone $3 $4 $2
}

# exchange NAME NAME: exchanges the names of two interfaces.
exchange() {
	local name
	for name in $1 $2; do ip link set $name down; done
	ip link set $1 name swap
	ip link set $2 name $1
	ip link set swap name $2
	for name in $1 $2; do ip link set $name up; done
}

test_exchanged_names() {
	local i1 i2
	i1=$(ifindex sw1) i2=$(ifindex sw2)
	connected 1 $i1 2 $i2
	exchange sw1 sw2
	connected 1 $i1 2 $i2
	exchange sw1 sw2
	connected 1 $i1 2 $i2
}

# dcbd opens an interface when it comes up. It learns of that only after the name has moved.
come_up_and_exchange() {
	ip link set sw1 up
	exchange sw1 sw2
}
test_names_exchanged_in_a_burst() {
	local i1 i2
	i1=$(ifindex sw1) i2=$(ifindex sw2)
	ip link set sw1 down
	restart_dcbd
	wait_for 5 "port $i1 is down" holds dcbPortOperational.$i1 2
	while_stopped dcbd come_up_and_exchange
	connected 1 $i1 2 $i2
	exchange sw1 sw2
	connected 1 $i1 2 $i2
}

# A renamed interface receives after its link was down.
test_renamed_interface_receives() {
	local i1 i2
	i1=$(ifindex sw1) i2=$(ifindex sw2)
	ip link set sw1 down
	ip link set sw1 name swnew
	ip link set swnew up
	connected 1 $i1 2 $i2
	ip link set swnew down
	wait_for 5 "port $i1 is down" holds dcbPortOperational.$i1 2
	ip link set swnew up
	connected 1 $i1 2 $i2
	ip link set swnew down
	ip link set swnew name sw1
	ip link set sw1 up
	connected 1 $i1 2 $i2
}

# An interface that is renamed while its link is up is open twice for a moment.
test_renaming_duplicates_no_frame() {
	local i1 i2 n numbered name=sw1
	if ! ip link set sw1 name swlive 2>/dev/null; then
		skip "this kernel renames no interface that is up (before Linux 6.2)"
		return
	fi
	ip link set swlive name sw1
	i1=$(ifindex sw1) i2=$(ifindex sw2)
	connected 1 $i1 2 $i2
	stream=$((stream + 1))
	numbered=$stream
	start sends nsenter --net=/run/netns/h1 -- "$frames" send eth0 -d $broadcast -s 02:00:00:00:00:01 \
		-i $stream -n 1000000 -g 100
	for n in {1..20}; do
		wait_for 5 "frames at h2" more_than "$(got 2 $stream)"
		ip link set $name name swlive$n
		name=swlive$n
	done
	stop sends KILL
	ip link set $name name sw1
	connected 1 $i1 2 $i2
	n=$(got 2 $numbered)
	at_least "frames at h2" "$n" 100
	is "frames that h2 has received twice" \
		"$(awk -v s=$numbered '$6 == s { print $7 }' "${log_of[list2]}" | sort | uniq -d | wc -l)" 0
	printf '    %d frames\n' "$n"
}
more_than() { [ "$(got 2 $stream)" -gt $(($1 + 100)) ]; }

# An interface is deleted, and another gets its name, before dcbd opens the first one.
replace() {
	ip link set sw1 up
	ip link del sw1
	ip link set sw3 down
	ip link set sw3 name sw1
	ip link set sw1 up
}
test_other_interface_of_same_name() {
	local i2 i3
	i2=$(ifindex sw2) i3=$(ifindex sw3)
	ip link set sw1 down
	restart_dcbd
	while_stopped dcbd replace
	connected 3 $i3 2 $i2
	wait_for 5 "two ports" holds dcbAgentPorts.0 2
}

# Without file descriptors a port cannot be opened. It says so, and works when there are some,
# without a change of its link.
test_port_that_cannot_be_opened_yet() {
	local i2 i4 files
	i2=$(ifindex sw2)
	files=$(prlimit --pid "${pid_of[dcbd]}" --nofile --noheadings --output SOFT)
	prlimit --pid "${pid_of[dcbd]}" --nofile=10:
	host h4 sw4
	start list4 nsenter --net=/run/netns/h4 -- "$frames" list eth0
	wait_for 5 "h4 lists frames" logged list4 ready
	i4=$(ifindex sw4)
	wait_for 5 "port $i4 cannot be opened" cannot_be_opened $i4
	wait_for 10 "retries" eval "[ \"\$(get dcbPortOpenFailures.$i4)\" -ge 3 ]"
	fresh
	is "operational" "$(get dcbPortOperational.$i4)" 2
	like "reason" "$(get dcbPortOpenError.$i4)" 'sw4: .*Too many open files'
	is "other port" "$(get dcbPortOpenError.$i2)" '""'
	prlimit --pid "${pid_of[dcbd]}" --nofile="$files:"
	wait_for 20 "port $i4 is operational" holds dcbPortOperational.$i4 1
	is "no reason" "$(get dcbPortOpenError.$i4)" '""'
	connected 4 $i4 2 $i2
	logged dcbd 'sw4: receives and sends again' || fail "not logged"
	ip link del sw4
}
cannot_be_opened() { [[ $(get dcbPortOpenError.$1) == *'Too many open files'* ]]; }

# dcbd needs seven descriptors for a port at most.
test_limit_of_open_files_is_raised() {
	local hard soft
	read -r soft hard < <(prlimit --pid "${pid_of[dcbd]}" --nofile --noheadings --output SOFT,HARD)
	[ "$soft" = "$hard" ] || [ "$soft" -ge 57344 ] || fail "soft limit $soft, hard limit $hard"
}

run_tests
