#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Enhanced transmission selection with real frames: four priorities offer each as much as
# a bridge's port can send, or more than all of its share, with frames of different lengths.
#
#   h1: pktgen, four of them - eth0 === sw1 |dcbd| sw2, slow === eth0 h2
#
#   priority   2, 3      4     5     6
#   class         0      1     2     7
#                50 %  30 %  20 %  strict: a tenth of the port's rate is all it offers
#
# What is measured is octets on the wire as they arrive, by priority.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
pktgen=$build/tests/bench/pktgen
rate=24000000 # bit/s of sw2
[ $slow -eq 1 ] || rate=$((rate / 4))
seconds=3 # of each measurement
declare -A octets=([2]=1000 [3]=1500 [4]=1200 [5]=300 [6]=500) # of its frames, FCS included
declare -A share=()
all=0
others=24 # octets on the wire besides: tag, preamble, gap

for n in 1 2; do
	host h$n sw$n
	on h$n ethtool -K eth0 tx off tso off gso off gro off >/dev/null 2>&1
done
h2=$(ip -n h2 -o link show dev eth0 | sed -E 's/.* link\/ether ([0-9a-f:]*).*/\1/')
start_all 'interfaces = { include = [ "sw*" ]; };' 'lldp = { enable = false; };' \
	'bridge = { frame_buffers = 16384; };' \
	"ports = ( { name = \"sw2\"; rate = ${rate}L; buffer = 400000; } );"
sw2=$(ifindex sw2)
for n in 1 2; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
on h2 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff # it is heard of, so that nothing is flooded

# offer PRIORITY PERCENT: of the port's rate, in the background.
offer() {
	local fps=$((rate * $2 / 100 / 8 / (octets[$1] + others)))
	start "offer$1" nsenter --net=/run/netns/h1 -- "$pktgen" -i eth0 -d "$h2" \
		-o "${octets[$1]}" -v 10.$1 -r $fps -n $((fps * 60))
}

# measure: of each priority, permille of the port's rate that arrive, in $share; $all: together.
measure() {
	local priority permille
	pause 0.5 # until queues are full
	start list nsenter --net=/run/netns/h2 -- "$frames" list eth0
	wait_for 5 "h2 listens" logged list ready
	pause $seconds
	stop list
	share=() all=0
	while read -r priority permille; do
		printf '    priority %s: %d.%d %%\n' "$priority" $((permille / 10)) $((permille % 10))
		share[$priority]=$permille all=$((all + permille))
	done < <(awk -v rate=$rate -v others=$others '
		$3 !~ /^10\// { next }
		!first { first = $8 }
		{ split($3, tag, "/"); sum[tag[2]] += $5 + others; last = $8 }
		END {
			for (p in sum)
				print p, int(sum[p] * 8 / (last - first) * 1e6 / rate * 1000 + 0.5)
		}' "${log_of[list]}" | sort)
}

# has PRIORITY PERMILLE: of the rate, give or take a twentieth of it.
has() {
	local got=${share[$1]-0}
	[ $((got * 100)) -ge $(($2 * 95)) ] && [ $((got * 100)) -le $(($2 * 105)) ] ||
		fail "priority $1 has $got permille of the rate, wanted $2"
}

classes() { # CLASS-OF-PRIORITY 0...7
	local p=0 class sets=()
	for class; do
		sets+=("lldpXdot1dcbxAdminETSConPriTrafficClass.$sw2.$p" "$class")
		p=$((p + 1))
	done
	put "${sets[@]}"
}

shares() { # PERCENT of classes 0, 1 and 2
	local class=0 percent sets=()
	for percent; do
		sets+=("lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$sw2.$class" "$percent"
			"lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.$sw2.$class" 2)
		class=$((class + 1))
	done
	put "${sets[@]}"
}

test_shares() {
	local p
	for p in 3 4 5; do offer $p 120; done
	offer 6 10
	# As long as nobody says otherwise each priority has a class of its own.
	is "class of priority 5" "$(get dcbPfcPriorityTrafficClass.$sw2.5)" 5
	classes 0 0 0 0 1 2 7 7
	shares 50 30 20
	fresh
	is "class of priority 3" "$(get dcbPfcPriorityTrafficClass.$sw2.3)" 0
	is "class of priority 5" "$(get dcbPfcPriorityTrafficClass.$sw2.5)" 2
	measure
	has 6 100
	has 3 450
	has 4 270
	has 5 180
	at_least "the port is never idle" $all 970
}

# They change while frames are queued.
test_other_shares() {
	shares 10 60 30
	measure
	has 6 100
	has 3 90
	has 4 540
	has 5 270
}

# Who has nothing to send leaves its share to the others; two of one class have one share.
test_idle_class() {
	local p
	stop offer4 KILL
	shares 50 30 20
	offer 2 120
	measure
	has 6 100
	share[3]=$((${share[2]-0} + ${share[3]-0}))
	has 3 643
	has 5 257
	at_least "the port is never idle" $all 970
	for p in 2 3 5 6; do stop offer$p KILL; done
}

run_tests
