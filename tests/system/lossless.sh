#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Floods and pauses take nothing from other traffic: the frame memory of a bridge and of a station
# whose other ports or priorities discard.
#
#   h1 - sw1 +--------+ sw2, sw3 slow - h2, h3      floods from h1
#   h4 - sw4 | bridge | sw5           - h5          priority 3 with PFC at sw4 and sw5
#            +--------+ sw6, sw7 slow - h6, h7
#   st: dcb0 - dcbd (station) - eth0 === stw
#
# At 20 Mb/s the longest pause takes 1.7 s. PFC frames repeat it every 20 ms, so that a busy
# processor does not interrupt it.
#
# Each frame is received in the bridge before the next ones are sent, so that the kernel's receive
# buffers lose none.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
slow_rate=100000       # bit/s of sw2 and sw3: slower than frames are offered on a busy machine
paused_rate=20000000   # of sw7 and the station
sw6_buffer=300000
broadcast=ff:ff:ff:ff:ff:ff
mac() { printf '02:00:00:00:00:%02x' "$1"; } # of host N

for n in 1 2 3 4 5 6 7; do
	host h$n sw$n
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
done
start_all 'interfaces = { include = [ "sw*" ]; };' \
	'bridge = { frame_buffers = 2048; transit_delay = 0; };' "ports = (
	{ name = \"sw2\"; rate = ${slow_rate}L; speed = ${slow_rate}L; }, { name = \"sw3\"; rate = ${slow_rate}L; speed = ${slow_rate}L; },
	{ name = \"sw6\"; rate = 500000L; speed = 500000L; buffer = $sw6_buffer; },
	{ name = \"sw7\"; rate = ${paused_rate}L; speed = ${paused_rate}L; } );"
for n in 1 2 3 4 5 6 7; do
	wait_for 5 "h$n lists frames" logged list$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3) sw4=$(ifindex sw4)
sw5=$(ifindex sw5) sw6=$(ifindex sw6) sw7=$(ifindex sw7)
put dcbPfcPriorityEnable.$sw4.3 1 dcbPfcPriorityEnable.$sw5.3 1 dcbPfcPriorityEnable.$sw7.3 1
for n in 1 2 3 4 5 6 7; do on h$n "$frames" send eth0 -s "$(mac $n)" -d $broadcast; done
wait_for 5 "the bridge learns seven addresses" holds dcbEngineFdbEntries.0 7

# counters NAME.INSTANCE...: their values, in $counters. Faster than SNMP, and never cached.
counters() { mapfile -t counters < <("$probe" get $T/control "$@"); }
sum_of() { # NAME.INSTANCE...
	counters "$@"
	local v sum=0
	for v in "${counters[@]}"; do sum=$((sum + v)); done
	printf '%d\n' $sum
}
received() { [ "$(sum_of dcbPortRxFrames.$1)" -ge $2 ]; } # PORT FRAMES
got() { awk -v s="$2" '$6 == s { n++ } END { print n + 0 }' "${log_of[list$1]}"; } # HOST STREAM
has() { [ "$(got $1 $2)" -ge $3 ]; }                                              # HOST STREAM COUNT
discards() { # PORT...: frames that these ports have discarded when they were to be queued
	local p names=()
	for p; do names+=(dcbPortDiscardQueue.$p dcbPortDiscardNoBuffer.$p); done
	sum_of "${names[@]}"
}
discards_more() { [ "$(discards "${@:2}")" -gt $1 ]; } # THAN PORT...

stream=0
# offer FROM TO STREAM PRIORITY OCTETS COUNT: sends frames and waits until the bridge has them.
offer() {
	local port=sw$1 before
	before=$(sum_of dcbPortRxFrames.${!port})
	on h$1 "$frames" send eth0 -i $3 -s "$(mac $1)" -d "$(mac $2)" -v 1 -p $4 -l $5 -n $6 ||
		fail "h$1 cannot send"
	wait_for 10 "frames of h$1 are received" received ${!port} $((before + $6))
}
accounted() { # HOST STREAM PORT DISCARDED-BEFORE SENT: each frame arrived or was counted as discarded
	[ $(($(got $1 $2) + $(discards $3) - $4)) -eq $5 ]
}
kernel_lost_none() {
	is "frames lost by the kernel" "$(sum_of dcbPortDiscardKernel.{$sw1,$sw4})" 0
}

# Frames of least size for two slow ports, more than there are frame buffers, leave enough of them to
# a lossless and to a lossy flow between two other ports. These are not congested: no PFC frame.
test_floods_of_slow_ports_take_nothing_from_other_ports() {
	local i flood2=100 flood3=101 lossless=102 lossy=103 sent=0 before2 before3 chunk=$((300 / slow)) rounds=12
	before2=$(discards $sw2) before3=$(discards $sw3)
	for ((i = 0; i < rounds; i++)); do
		offer 1 2 $flood2 0 60 $chunk
		offer 1 3 $flood3 0 60 $chunk
		sent=$((sent + chunk))
		offer 4 5 $lossless 3 $((60 + RANDOM % 1400)) $chunk
		offer 4 5 $lossy 4 $((60 + RANDOM % 1400)) $chunk
	done
	wait_for 10 "frames of priority 4 at h5" has 5 $lossy $sent
	wait_for 10 "frames of priority 3 at h5" has 5 $lossless $sent
	is "frames that sw5 discarded" "$(discards $sw5)" 0
	is "lossless frames that sw4 discarded" "$(sum_of dcbPfcPriorityDiscards.$sw4.3)" 0
	is "PFC frames to h4" "$(sum_of dcbPfcPriorityRequests.$sw4.3)" 0
	at_least "frames that sw2 and sw3 discarded" $(($(discards $sw2 $sw3) - before2 - before3)) 1
	printf '    %d of %d frames of the floods discarded, none of %d others\n' \
		$(($(discards $sw2 $sw3) - before2 - before3)) $((2 * sent)) $((2 * sent))
	wait_for 60 "all frames to h2 are accounted for" accounted 2 $flood2 $sw2 $before2 $sent
	wait_for 60 "all frames to h3 are accounted for" accounted 3 $flood3 $sw3 $before3 $sent
	kernel_lost_none
}

pause_port() { # NAME INTERFACE [COMMAND...]: pauses priority 3 of the port at the other end
	start "$1" "${@:3}" "$build/dcb-pfcgen" -p 3 -q 65535 -i 20ms -t 3600s "$2"
}

# h7 pauses priority 3. At sw1 it has no PFC, so what comes from h1 is discarded when its part of
# the memory is full; the other priorities of sw7 do not notice.
test_paused_priority_of_a_bridge_takes_nothing_from_others() {
	local p sent=0 flood=200 before full chunk=$((100 / slow))
	before=$(discards $sw7)
	pause_port pause7 eth0 nsenter --net=/run/netns/h7 --
	wait_for 5 "sw7 is paused" holds dcbPfcPriorityPaused.$sw7.3 1
	until discards_more $before $sw7; do
		offer 1 7 $flood 3 1500 $chunk
		sent=$((sent + chunk))
		[ $sent -lt 20000 ] || die "nothing is discarded"
	done
	full=$(discards $sw7)
	for p in 0 1 2 4 5 6 7; do
		offer 4 7 $((flood + 1 + p)) $p $((60 + RANDOM % 900)) $chunk
		wait_for 10 "frames of priority $p at h7" has 7 $((flood + 1 + p)) $chunk
	done
	is "frames that sw7 discarded meanwhile" "$(discards $sw7)" $full
	is "frames of priority 3" "$(got 7 $flood)" 0
	stop pause7
	wait_for 10 "all frames of priority 3 are accounted for" accounted 7 $flood $sw7 $before $sent
	kernel_lost_none
}

# Without ETS. The lower priority holds as much as one may when the frames of the higher one arrive;
# these are a fifth of that.
test_lower_priority_leaves_room_for_a_higher_one() {
	local sent=0 low=300 high=301 more=50 burst=$((sw6_buffer / 5 / 1500)) before received
	low_then_high() {
		local stream
		for stream in "$low 2 $more" "$high 6 $burst"; do
			# shellcheck disable=SC2086 # three words
			set -- $stream
			on h1 "$frames" send eth0 -i $1 -s "$(mac 1)" -d "$(mac 6)" -v 1 -p $2 -l 1500 -n $3 ||
				fail "h1 cannot send"
		done
	}
	before=$(discards $sw6)
	until discards_more $before $sw6; do
		offer 1 6 $low 2 1500 $((100 / slow))
		sent=$((sent + 100 / slow))
		[ $sent -lt 20000 ] || die "nothing is discarded"
	done
	received=$(sum_of dcbPortRxFrames.$sw1)
	while_stopped dcbd low_then_high
	wait_for 10 "frames of both priorities are received" received $sw1 $((received + more + burst))
	wait_for 10 "frames of priority 6" has 6 $high $burst
	wait_for 20 "all frames of priority 2 are accounted for" accounted 6 $low $sw6 $before $((sent + more))
	kernel_lost_none
}

# --- a station --------------------------------------------------------------------------------

value() { "$probe" get $T/st/control "$1"; } # NAME.INSTANCE
is_value() { [ "$(value $1)" = "$2" ]; }
st_discards() { echo $(($(value dcbPortDiscardQueue.$st) + $(value dcbPortDiscardNoBuffer.$st))); }
has_stw() { [ "$(awk -v s="$1" '$6 == s { n++ } END { print n + 0 }' "${log_of[liststw]}")" -ge $2 ]; } # STREAM COUNT

start_station() {
	host st stw
	start liststw "$frames" list stw
	mkdir -p $T/st
	cat >$T/st/dcbd.conf <<-END
		role = "station";
		interfaces = { include = [ "eth0" ]; };
		ports = ( { name = "eth0"; tap = "dcb0"; rate = ${paused_rate}L; speed = ${paused_rate}L; } );
		user = "root";
		$no_real_time
		state_file = "$T/st/state";
		control = { socket = "$T/st/control"; };
	END
	start st nsenter --net=/run/netns/st -- "$build/dcbd" -c $T/st/dcbd.conf
	wait_for 10 "dcbd of the station is up" test -S $T/st/control || die "dcbd of the station does not start"
	wait_for 10 "tap of the station" on st ip link show dcb0
	ip -n st link set dcb0 txqueuelen 10000
	wait_for 5 "stw lists frames" logged liststw ready
	st=$(ip -n st -j link show dev eth0 | jq '.[0].ifindex')
	st_mac=$(ip -n st -j link show dev eth0 | jq -r '.[0].address')
	wait_for 5 "port of the station is up" is_value dcbPortOperational.$st 1
	"$build/dcbctl" -s $T/st/control set dcbPfcPriorityEnable.$st.3 true >/dev/null || fail "cannot enable PFC"
}
from_host() { # STREAM PRIORITY OCTETS COUNT
	on st "$frames" send dcb0 -i $1 -s "$st_mac" -d "$(mac 8)" -v 0 -p $2 -l $3 -n $4 || fail "st cannot send"
}

test_paused_priority_of_a_station_takes_nothing_from_others() {
	local p sent=0 flood=400 chunk=$((100 / slow)) full
	if ! [ -w /dev/net/tun ]; then
		skip "no write access to /dev/net/tun"
		return
	fi
	start_station
	pause_port pausest stw
	wait_for 5 "the station is paused" is_value dcbPfcPriorityPaused.$st.3 1
	until [ "$(st_discards)" -gt 0 ]; do
		from_host $flood 3 1500 $chunk
		# Frames of a higher priority that left: the station has read all before them.
		from_host $((flood + 10)) 7 60 1
		sent=$((sent + 1))
		wait_for 5 "a frame of priority 7" has_stw $((flood + 10)) $sent
		[ $sent -lt 200 ] || die "nothing is discarded"
	done
	full=$(st_discards)
	for p in 0 1 2 4 5 6 7; do
		from_host $((flood + 1 + p)) $p $((60 + RANDOM % 900)) $chunk
		wait_for 10 "frames of priority $p" has_stw $((flood + 1 + p)) $chunk
	done
	is "frames that the station discarded meanwhile" "$(st_discards)" $full
	is "is still paused" "$(value dcbPfcPriorityPaused.$st.3)" 1
	stop pausest
	wait_for 10 "frames of priority 3" has_stw $flood 1
}

run_tests
