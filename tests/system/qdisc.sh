#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames that dcbd sends have their priority in the kernel where the queueing discipline of the
# interface has classes: each class counts the frames of its priority.
#
#   h1 - sw1      h2 - sw2: eight classes, of prio; of htb with a classifier on kernels without prio
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
command -v tc >/dev/null || skip_all "tc is not installed (Debian: iproute2)"

add_prio() {
	tc qdisc add dev sw2 root handle 1: prio bands 8 priomap 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0
}
add_htb() {
	local n
	if ! mountpoint -q $T/bpf; then
		mkdir $T/bpf && mount -t bpf bpf $T/bpf && "$build/tests/system/class_by_priority" $T/bpf/class ||
			return 1
	fi
	tc qdisc add dev sw2 root handle 1: htb || return 1
	for n in {0..7}; do
		tc class add dev sw2 parent 1: classid 1:1$n htb rate 10gbit quantum 10000 || return 1
	done
	tc filter add dev sw2 parent 1: bpf object-pinned $T/bpf/class
}
# counted PRIORITY: the number of frames that its class has sent.
counted() {
	local class=1:1$1
	[ $kind = htb ] || class=1:$(($1 + 1))
	tc -s class show dev sw2 | awk -v class=$class '
		$1 == "class" { found = $3 == class }
		found && $1 == "Sent" { print $4 }
	'
}
counts() { for n in {0..7}; do counted $n; done | paste -sd ' '; }

for n in 1 2; do host h$n sw$n; done
kind=prio
if ! why=$(add_prio 2>&1); then
	kind=htb
	why+=$'\n'$(add_htb 2>&1) || skip_all "no queueing discipline with classes: $why"
fi
echo "queueing discipline: $kind"
start list2 nsenter --net=/run/netns/h2 -- "$frames" list eth0
start_all 'interfaces = { include = [ "sw*" ]; };' 'bridge = { qdisc_bypass = false; };'
wait_for 5 "h2 lists frames" logged list2 ready
for n in 1 2; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
new_address
a=$address
new_address
b=$address
on h2 "$frames" send eth0 -s $b -d ff:ff:ff:ff:ff:ff
wait_for 5 "the bridge learns h2" holds dcbEngineFdbEntries.0 1

stream=0
send() { # PRIORITY FRAMES
	stream=$((stream + 1))
	on h1 "$frames" send eth0 -s $a -d $b -p $1 -n $2 -i $stream || fail "cannot send frames"
}
arrived() { [ "$(awk -v s=$1 '$6 == s' "${log_of[list2]}" | wc -l)" -ge $2 ]; } # STREAM FRAMES

test_class_counts_the_frames_of_its_priority() {
	local n before after wanted=''
	read -ra before <<<"$(counts)"
	for n in {0..7}; do
		send $n $((10 * (n + 1)))
		wait_for 5 "frames of priority $n" arrived $stream $((10 * (n + 1)))
	done
	read -ra after <<<"$(counts)"
	for n in {0..7}; do wanted+="$((before[n] + 10 * (n + 1))) "; done
	is "frames in the classes" "${after[*]} " "$wanted"
}

# dcbd finds frames of several priorities at once.
alternate() {
	local i n
	for i in {1..20}; do for n in 6 1 3; do send $n 1; done; done
}
test_priorities_that_alternate() {
	local n before after wanted=''
	read -ra before <<<"$(counts)"
	while_stopped dcbd alternate
	# Of priorities 1 and 3: one of them is the last to leave.
	wait_for 5 "the last frames" eval "arrived $((stream - 1)) 1 && arrived $stream 1"
	read -ra after <<<"$(counts)"
	for n in {0..7}; do wanted+="$((before[n] + (n == 6 || n == 1 || n == 3 ? 20 : 0))) "; done
	is "frames in the classes" "${after[*]} " "$wanted"
}

# counted_since PRIORITY FRAMES: sends a frame of the priority; its class has counted one more.
counted_since() {
	send $1 1
	arrived $stream 1 && [ "$(counted $1)" -gt $2 ]
}
# dcbd finds a queueing discipline that is added while it runs.
test_classes_that_are_added_later() {
	tc qdisc del dev sw2 root
	restart_dcbd
	wait_for 5 "sw2 is up" holds dcbPortOperational."$(ifindex sw2)" 1
	on h2 "$frames" send eth0 -s $b -d ff:ff:ff:ff:ff:ff
	wait_for 5 "the bridge learns h2" holds dcbEngineFdbEntries.0 1
	add_$kind || fail "cannot add $kind"
	wait_for 10 "the class of priority 4 counts" counted_since 4 0
	is "frames in the other classes, but that of priority 0" "$(counts | cut -d' ' -f2-4,6-)" "0 0 0 0 0 0"
}

run_tests
