#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbd's ECN marking with Linux's DCTCP, and beside it Linux's own, by sch_red: in a virtual machine with
# Debian's kernel, where ecn_kernel.guest sends TCP and datagrams through a port of each.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/system/guest.sh
. "$(dirname -- "$0")/guest.sh"

guest_needs ethtool ip iperf3 tc
# In the order of insmod.
modules=(drivers/net/veth net/ipv4/tcp_dctcp net/sched/sch_tbf net/sched/sch_red net/sched/sch_ingress
	net/sched/cls_matchall net/sched/act_mirred)
copy_programs programs ethtool ip iperf3 tc "$build"/dcb{d,ctl} "$build"/tests/system/{frames,mo_probe}
copy_modules "${modules[@]}"
pack "$src/tests/system/ecn_kernel.guest"
# Time is 2 ns an instruction, and passes at once while the machine is idle.
start_guest ecn ecn_kernel.guest ipv6.disable=1 -M q35 -accel tcg -icount shift=1,sleep=off -m 384

# Those of ecn_kernel.guest.
rate=10000000 threshold=30000

# of CASE NAME: a number of the virtual machine, into $of.
of() {
	of=$(said ecn "$@")
	[[ $of =~ ^[0-9]+$ ]] || { fail "$1: no number $2, but \"$of\"" && of=0; }
}
# similar NAME: with DCTCP both ports have this number, and neither more than four times the other's.
similar() {
	local dcbd
	of dcbd-dctcp "$1"
	dcbd=$of
	of red-dctcp "$1"
	at_least "$1 of dcbd, red has $of" $((4 * dcbd)) "$of"
	at_most "$1 of dcbd, red has $of" "$dcbd" $((4 * of))
	at_least "$1 of dcbd" "$dcbd" 1
}

test_guest_runs_to_its_end() {
	local case name line
	# Idle machine: 60 s.
	guest_ends ecn 120
	is "failures in the virtual machine" "$(grep -a '^ecn: [a-z0-9-]* failed' "${log_of[ecn]}")" ""
	of 0 end
	is "the last line" "$of" 1
	for case in dcbd-dctcp red-dctcp; do
		line=''
		for name in shortest mean longest rate permille persecond; do
			of $case $name
			line+=" $name $of"
		done
		echo "    $case:$line"
	done
}

# The packets are the same, ECT, and the flows too.
test_without_marks_the_queue_is_long() {
	of dcbd-off peak
	echo "    longest queue, by its watermark: $of"
	at_least "longest queue" "$of" $((4 * threshold))
	of dcbd-off ect
	at_least "ECT packets at h2" "$of" 1
	of dcbd-off marked
	is "marks" "$of" 0
	of dcbd-off ce
	is "packets with CE" "$of" 0
}

# The frames of both flows that are under way fill the queue up to the threshold, and no further. Octets
# of frames are 98 % of the rate, which has their preambles and gaps too.
test_dctcp_keeps_the_queue_at_the_threshold() {
	of dcbd-dctcp peak
	echo "    longest queue, by its watermark: $of"
	at_most "longest queue" "$of" $((2 * threshold))
	at_least "longest queue" "$of" $threshold
	of dcbd-dctcp mean
	at_least "mean of the queue" "$of" $((threshold / 2))
	of dcbd-dctcp rate
	at_least "bit/s at h2" "$of" $((rate * 85 / 100))
	at_most "bit/s at h2" "$of" $((rate * 105 / 100))
}

test_marks_and_queue_are_as_with_red() {
	local name
	for name in permille persecond mean longest; do similar $name; done
}

# A mark is counted once, and arrives: h2 counts packets with CE itself.
test_marks_arrive_and_nothing_is_lost() {
	local case marked
	for case in {dcbd,red}-{dctcp,pass,drop}; do
		of $case marked
		marked=$of
		[[ $case != *-dctcp ]] || at_least "$case: marks" "$marked" 1
		of $case ce
		is "$case: packets with CE" "$of" "$marked"
	done
	for case in {dcbd,red}-dctcp; do
		of $case lost
		is "$case: frames lost" "$of" 0
		of $case repeated
		is "$case: segments sent again" "$of" 0
	done
}

# ecn_kernel.guest compares the octets of the frames.
test_datagrams_without_ect_pass_unaltered() {
	local bridge name
	for bridge in dcbd red; do
		for name in sent arrived; do
			of $bridge-pass $name
			is "$bridge: $name" "$of" 80
		done
		of $bridge-pass altered
		is "$bridge: altered" "$of" 0
	done
	# The queue was as long as it takes.
	of dcbd-pass peak
	at_least "longest queue" "$of" $threshold
	of red-pass overlimits
	at_least "frames that red would have marked" "$of" 1
}

# The queue takes datagrams up to the threshold, here of 1442 octets.
test_datagrams_without_ect_are_discarded_if_that_is_asked() {
	local bridge arrived
	for bridge in dcbd red; do
		of $bridge-drop sent
		is "$bridge: sent" "$of" 80
		of $bridge-drop arrived
		arrived=$of
		at_least "$bridge: arrived" "$of" $((threshold / 1442))
		of $bridge-drop refused
		at_least "$bridge: discarded" "$of" 1
		is "$bridge: arrived or discarded" $((arrived + of)) 80
		of $bridge-drop altered
		is "$bridge: altered" "$of" 0
	done
}

run_tests
