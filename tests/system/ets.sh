#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Enhanced transmission selection with real frames of different lengths. The test queues frames
# while the bridge's port is paused; the order in which they leave afterwards is exact, as long as
# each class has frames. The shares of four priorities that together offer more than the rate depend
# on the time that senders and bridge get from the processor, and are "timed".
#
#   h1 - eth0 === sw1 |dcbd| sw2, slow === eth0 h2
#
#   priority   2, 3      4     5     6
#   class         0      1     2     7
#                50 %  30 %  20 %  strict
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
pktgen=$build/tests/bench/pktgen
probe=$build/tests/system/mo_probe
rate=4000000 # bit/s of sw2; the longest pause is 65535 times 512 bits: 8 s
[ $slow -eq 1 ] || rate=$((rate / 4))
declare -A octets=([2]=1000 [3]=1500 [4]=1200 [5]=300 [6]=500) # of frames of each priority, with their tag
others=24 # other octets on the wire: FCS, preamble, gap

for n in 1 2; do
	host h$n sw$n
done
start list nsenter --net=/run/netns/h2 -- "$frames" list eth0
h2=$(ip -n h2 -o link show dev eth0 | sed -E 's/.* link\/ether ([0-9a-f:]*).*/\1/')
start_all 'interfaces = { include = [ "sw*" ]; };' 'lldp = { enable = false; };' \
	'bridge = { frame_buffers = 16384; transit_delay = 0; };' \
	"ports = ( { name = \"sw2\"; rate = ${rate}L; speed = ${rate}L; buffer = 400000; } );"
sw1=$(ifindex sw1) sw2=$(ifindex sw2)
for n in 1 2; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
wait_for 5 "h2 lists frames" logged list ready

# now NAME.INSTANCE...: numbers, one a line.
now() { "$probe" get $T/control "$@"; }
is_now() { [ "$(now "$1")" -eq "$2" ]; }
at_least_now() { [ "$(now "$1")" -ge "$2" ]; }

# The bridge has learned h2's address, so that frames to it are not flooded.
learns_h2() {
	on h2 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s "$h2"
	at_least_now dcbEngineFdbEntries.0 1
}
wait_for 5 "the bridge learns h2" learns_h2

# pfc TIME: sends a PFC frame for priorities 2 to 6 from h2.
pfc() {
	local i times=''
	for ((i = 0; i < 8; i++)); do times+=$1; done
	on h2 "$frames" raw eth0 "0180c200000102000000007788080101007c$times"
}

mark=0     # lines of the list from earlier tests
total=0    # frames sent by this test
count=()   # by priority: frames sent
percent=() # by class: share
class_of=(0 1 2 3 4 5 6 7)

# pause_port: pauses the port until release.
pause_port() {
	wait_for 5 "the priorities are paused" are_paused
	mark=$(wc -l <"${log_of[list]}") total=0 count=()
}
are_paused() {
	pfc ffff
	[ "$(now dcbPfcPriorityPaused.$sw2.{2..6} | tr -d '\n')" = 11111 ]
}
# queue PRIORITY COUNT: sends COUNT frames from h1 and waits until they are in the queue of the
# paused port.
queue() {
	local rx
	pfc ffff
	rx=$(now dcbPortRxFrames.$sw1)
	on h1 "$frames" send eth0 -d "$h2" -v 10 -p "$1" -l "${octets[$1]}" -n "$2" || fail "cannot send frames"
	wait_for 5 "frames of priority $1 received" at_least_now dcbPortRxFrames.$sw1 $((rx + $2))
	total=$((total + $2)) count[$1]=$2
}
arrived() { tail -n +$((mark + 1)) "${log_of[list]}" | grep ' 10/'; }
all_arrived() { [ "$(arrived | wc -l)" -ge "$total" ]; }
release() {
	is "frames that left the paused port" "$(arrived | wc -l)" 0
	pfc 0000
	wait_for 10 "$total frames at h2" all_arrived
	arrived >$T/order
}

# shared: checks that frames of priority 6 came first, and that each other class had its share, give
# or take two frames, until one of them had no more frames.
shared() {
	awk -v count="${count[*]/%/ }" -v priorities="${!count[*]}" -v classes="${class_of[*]}" \
		-v percents="${percent[*]}" -v others=$others '
		BEGIN {
			n = split(priorities, p); split(count, c); split(classes, class); split(percents, percent)
			for (i = 1; i <= n; i++)
				left[class[p[i] + 1]] += c[i]
			for (i in left)
				if (i < 3) whole += percent[i + 1]
		}
		{
			split($3, tag, "/")
			i = class[tag[2] + 1]
			if (i == 7 && sum > 0) print "a frame of priority 6 after others"
			if (i == 7 || over) next
			octets[i] += $5 + others
			sum += $5 + others
			if (--left[i] == 0) over = 1
		}
		END {
			for (i in octets) {
				share = sum * percent[i + 1] / whole
				printf "class %d: %d octets of %d, its share is %d\n", i, octets[i], sum, share
				if (octets[i] > share + 2 * 1524 || octets[i] < share - 2 * 1524) print "not its share"
			}
		}' $T/order >$T/shares
	sed 's/^/    /' $T/shares
	! grep -vq '^class' $T/shares || fail "shares are wrong"
}

classes() { # CLASS-OF-PRIORITY 0...7
	local p=0 class sets=()
	class_of=("$@")
	for class; do
		sets+=("lldpXdot1dcbxAdminETSConPriTrafficClass.$sw2.$p" "$class")
		p=$((p + 1))
	done
	put "${sets[@]}"
	wait_for 5 "classes are in force" in_force
}

shares() { # PERCENT of classes 0, 1 and 2
	local class=0 sets=()
	percent=("$@")
	for class in 0 1 2; do
		sets+=("lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$sw2.$class" "${percent[class]}"
			"lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.$sw2.$class" 2)
	done
	put "${sets[@]}"
	wait_for 5 "shares are in force" in_force
}

test_classes_get_their_shares() {
	local p
	# By default each priority has a class of its own.
	is "class of priority 5" "$(get dcbPfcPriorityTrafficClass.$sw2.5)" 5
	classes 0 0 0 0 1 2 7 7
	shares 50 30 20
	is "class of priority 3" "$(now dcbPfcPriorityTrafficClass.$sw2.3)" 0
	is "class of priority 5" "$(now dcbPfcPriorityTrafficClass.$sw2.5)" 2
	for p in 2 3 4 5 6; do put dcbPfcPriorityEnable.$sw2.$p 1; done
	wait_for 5 "PFC is in force" in_force
	pause_port
	queue 3 60
	queue 4 45
	queue 5 100
	queue 6 10
	release
	shared
}

# The shares change while frames are queued.
test_shares_change_with_queued_frames() {
	pause_port
	queue 3 20
	queue 4 80
	queue 5 150
	queue 6 10
	shares 10 60 30
	release
	shared
}

# The other classes use the share of a class without frames; two priorities of one class have one
# share.
test_share_of_idle_class_is_used() {
	shares 50 30 20
	pause_port
	queue 2 40
	queue 3 40
	queue 5 100
	queue 6 10
	release
	shared
	is "order of priorities of one class" "$(sed -nE 's/.* 10\/([23]) .*/\1/p' $T/order | uniq | tr -d '\n')" 23
}

# offer PRIORITY PERCENT: sends frames at this share of the port's rate, in the background.
offer() {
	local fps=$((rate * $2 / 100 / 8 / (octets[$1] + others)))
	start "offer$1" nsenter --net=/run/netns/h1 -- "$pktgen" -i eth0 -d "$h2" \
		-o "${octets[$1]}" -v 10.$1 -r $fps -n $((fps * 600))
}

# has PRIORITY PERMILLE: checks the priority's share of the rate, give or take a twentieth.
has() {
	timed at_least "permille of priority $1" "${share[$1]-0}" $(($2 * 95 / 100))
	timed at_most "permille of priority $1" "${share[$1]-0}" $(($2 * 105 / 100))
}

# When all priorities offer more than their share and the buffer is full, the shares also depend on
# which frames get into the buffer.
test_shares_hold_under_overload() {
	local p permille discarded all=0 share=()
	discarded=$(now dcbPortDiscardQueue.$sw2)
	for p in 3 4 5; do offer $p 120; done
	offer 6 10
	wait_for 10 "the buffer is full" at_least_now dcbPortDiscardQueue.$sw2 $((discarded + 100))
	mark=$(wc -l <"${log_of[list]}") total=1000
	wait_for 10 "$total frames at h2" all_arrived
	arrived >$T/order
	while read -r p permille; do
		[ "$p" != all ] || all=$permille
		[ "$p" = all ] || share[p]=$permille
	done < <(awk -v rate=$rate -v others=$others '
		NR == 1 { first = $8; next }
		{ split($3, tag, "/"); bits[tag[2]] += ($5 + others) * 8; all += ($5 + others) * 8; last = $8 }
		END {
			for (p in bits)
				print p, int(bits[p] / (last - first) * 1e6 / rate * 1000 + 0.5)
			# The maximum is what the rate allows in this time and 20 ms: the port may
			# be 10 ms late when it selects the first frame, and 10 ms when it sends
			# that.
			print "all", int(all / (last - first + 20000) * 1e6 / rate * 1000)
		}' $T/order)
	at_most "permille of the rate that were sent" $all 1000
	has 6 100
	has 3 450
	has 4 270
	has 5 180
	timed at_least "permille of the rate that were sent" $all 970
	for p in 3 4 5 6; do stop offer$p KILL; done
}

run_tests
