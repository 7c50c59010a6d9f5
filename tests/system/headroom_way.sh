#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# PFC headroom by measurement (P802.1Qdt 36.8 b), from the bits of both PFC TLVs to the buffer: two
# bridges with an lldpd each, over a delay line. Round trips are not shorter than the line makes
# them on any machine; on a busy one they are longer.
#
#   a [dcbd, lldpd]  ab === la  m [delay_line]  lb === ba  b [dcbd, lldpd]
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

long=5000 short=500     # microseconds, each way
quantum=512             # bits; as many nanoseconds at 1 Gb/s
accuracy=8              # quanta: 36.9.1, added to the result in force
terms=17 round_trip=17  # rows of dcbPfcHeadroomTermTable
configured=1 measured=3 # dcbPfcWayInUse
no_peer=2 agreed=8      # dcbPfcWayReason
by_measurement=5        # dcbPfcHeadroomTermSource
true=1 false=2
most=4294967295

for n in a m b; do node $n; done
cable a ab m la
cable m lb b ba

start_line() { # MICROSECONDS: both ways
	start line nsenter --net=/run/netns/m -- "$build/tests/system/delay_line" la lb $1 $1
	wait_for 5 "the line is ready" logged line ready || die "no delay line"
}
start_line $long
# The memory holds the headroom of the longest delay, 20 ms: what a busy machine makes of this line
# has to be in force, and not what fits.
for n in a b; do
	start_lldpd $n
	node_conf $n bridge "$n*" 'bridge = { frame_buffers = 65536; };' "ports = ( { name = \"$n*\"; rate = 1000000000L; speed = 1000000000L; } );"
	start_node $n
done
wait_for 5 "ports are up" eval 'ports_up a ab && ports_up b ba' || die "ports are not up"
declare -A port=([a]=$(if_of a ab) [b]=$(if_of b ba)) name=([a]=ab [b]=ba)

of() { value $1 $2.${port[$1]}; }                            # NODE OBJECT
is_of() { [ "$(of $1 $2)" = "$3" ]; }                         # NODE OBJECT VALUE
# beyond NODE: the octets that the buffer reserves for priority 3 beyond the headroom in force.
beyond() {
	value $1 dcbBufferHeadroomSize.${port[$1]}.3 dcbPfcHeadroomInForce.${port[$1]} |
		awk 'NR == 1 { size = $1 } NR == 2 { print size - int(($1 + 7) / 8) }'
}
reserves() { [ "$(beyond $1)" = "$extra" ]; } # NODE: the buffer follows the headroom
quanta_of() { echo $((2 * $1 * 1000 / quantum)); }            # MICROSECONDS: of both directions

# way NODE WAY REASON
way() { is_of $1 dcbPfcWayInUse $2 && is_of $1 dcbPfcWayReason $3; }
wait_way() { wait_for 10 "way $2 of $1" way "$@" || ctl $1 dcbx ${name[$1]}; }

# views NODE: dcbPfcHeadroomInForce, dcbPfcHeadroomAllowance, and the sum of the terms, bits; of the
# round trip the bits, those of the measured result, and the source; by dcbctl the headroom, the sum
# of the terms, and the way.
views() {
	local i p=${port[$1]} names=()
	for ((i = 1; i <= terms; i++)); do names+=(dcbPfcHeadroomTermBits.$p.$i); done
	value $1 dcbPfcHeadroomInForce.$p dcbPfcHeadroomAllowance.$p dcbPfcMeasureInForce.$p \
		dcbPfcHeadroomTermSource.$p.$round_trip "${names[@]}" |
		awk -v q=$quantum -v accuracy=$accuracy '
			NR <= 2 { printf "%s ", $1 }
			NR == 3 { result = q * ($1 + accuracy) }
			NR == 4 { source = $1 }
			NR > 4 { sum += $1; last = $1 }
			END { print sum, last, result, source }'
	ctl $1 -j headroom show ${name[$1]} |
		jq -r '.[0] | "\(.inForce.bits) \(.terms | map(.bits) | add) \(.way)"'
}
# views_agree NODE: all of them have the same; the source is the measurement.
views_agree() {
	local v
	read -ra v <<<"$(views $1 | paste -sd ' ')"
	[ "${v[*]}" = "${v[0]} ${v[0]} ${v[0]} ${v[3]} ${v[3]} $by_measurement ${v[0]} ${v[0]} measured" ]
}

# within NODE LEAST MOST: its measurement has ended, with a result in force in this range, quanta. A
# busy machine can make the round trips longer: then another measurement begins, long before the next
# one is due.
within() {
	local result
	is_of $1 dcbPfcMeasureMeasuring $false || return
	result=$(of $1 dcbPfcMeasureInForce)
	[ $result -lt $2 ] || [ $result -gt $3 ] || return 0
	set_at $1 dcbPfcMeasureRestart.${port[$1]} $(($(of $1 dcbPfcMeasureRestart) + 1))
	return 1
}

# swap_line MICROSECONDS: another cable. A SET ends the hold of a neighbor that comes and goes, as
# an operator would who plugs it.
swap_line() {
	local n end
	for n in a b; do set_at $n dcbPfcWayMeasurement.${port[$n]} $true; done
	for end in la lb; do ip -n m link set $end down; done
	for n in a b; do wait_for 5 "hmOperUp of $n is FALSE" is_of $n dcbPfcMeasureOperUp $false; done
	stop line
	start_line $1
	for end in la lb; do ip -n m link set $end up; done
	for n in a b; do
		wait_way $n $measured $agreed
		wait_for 5 "hmOperUp of $n is TRUE" is_of $n dcbPfcMeasureOperUp $true
	done
}

# changes NODE: the headroom before and after each dcbPfcHeadroomChanged, bits, one a line.
changes() {
	sed -nE "s/.*${name[$1]}: the headroom changed from ([0-9]+) to ([0-9]+) bits.*/\1 \2/p" "${log_of[dcbd-$1]}"
}
# reported NODE: the last change ends with the headroom in force, within the accuracy.
reported() {
	local last now
	last=$(changes $1 | tail -n 1) now=$(of $1 dcbPfcHeadroomInForce)
	[ -n "$last" ] && [ $((${last#* } - now)) -lt $((accuracy * quantum)) ] &&
		[ $((now - ${last#* })) -lt $((accuracy * quantum)) ]
}
# looked NODE: waits until dcbd has looked for changes, which it does once a second.
looked() {
	local until
	until=$(($(value $1 dcbAgentUpTime.0) + 200))
	up_for() { [ "$(value $1 dcbAgentUpTime.0)" -ge $2 ]; }
	wait_for 10 "two seconds of $1" up_for $1 $until
}

test_way_is_measured_once_both_ends_offer_it() {
	local n
	for n in a b; do
		set_at $n lldpXdot1dcbxConfigPFCTxEnable.${port[$n]}.1 true \
			lldpXdot1dcbxAdminPFCEnableEnabled.${port[$n]}.3 true
		wait_for 5 "PFC of $n" is_value $n dcbPfcPriorityEnable.${port[$n]}.3 1
		wait_for 5 "$n uses the setting" adopted $n
	done
	extra=$(beyond a)
	at_least "octets for one frame" "$extra" 1500
	is "way of a" "$(of a dcbPfcWayInUse)" $configured
	set_at a dcbPfcWayAdvertise.${port[a]} p8021qdt dcbPfcWayMeasurement.${port[a]} true
	wait_for 10 "b knows that a measures" is_of b dcbPfcWayRemoteBits measurement
	is "requests of a before" "$(of a dcbPfcMeasureRequestsSent)" 0
	set_at b dcbPfcWayAdvertise.${port[b]} p8021qdt dcbPfcWayMeasurement.${port[b]} true
	for n in a b; do
		wait_way $n $measured $agreed
		wait_for 20 "$n has measured the long line" within $n "$(quanta_of $long)" $most
		printf '    %s: result in force %s quanta, line %s\n' $n "$(of $n dcbPfcMeasureInForce)" "$(quanta_of $long)"
	done
}

# A SET of dcbPfcMeasureRestart begins a measurement only if it changes the value: within() has to
# change it each time.
test_result_out_of_range_is_measured_again() {
	local rounds restart
	rounds=$(of a dcbPfcMeasureRounds) restart=$(of a dcbPfcMeasureRestart)
	asked_twice() {
		! within a $most 0 && [ "$(of a dcbPfcMeasureRestart)" -ge $((restart + 2)) ] &&
			[ "$(of a dcbPfcMeasureRounds)" -ge $((rounds + 2)) ]
	}
	wait_for 10 "two more measurements" asked_twice
	wait_for 10 "the end of the last one" is_of a dcbPfcMeasureMeasuring $false
}

test_all_views_have_the_measured_headroom() {
	local n
	for n in a b; do
		wait_for 20 "views of $n" views_agree $n || fail "views of $n: $(views $n | paste -sd ' ')"
		printf '    %s: %s\n' $n "$(views $n | paste -sd ' ')"
		wait_for 10 "buffer of $n" reserves $n || fail "octets beyond the headroom: $(beyond $n), wanted $extra"
	done
}

# The buffer of a shorter line has as many octets less as the headroom, a longer one as many more.
test_other_lines_change_the_buffer_by_their_difference() {
	local n line
	for line in $short $long; do
		for n in a b; do looked $n; done
		swap_line $line
		for n in a b; do
			if [ $line = $short ]; then
				wait_for 20 "$n has measured the short line" within $n "$(quanta_of $short)" "$(quanta_of $(((long + short) / 2)))"
			else
				wait_for 20 "$n has measured the long line" within $n "$(quanta_of $long)" $most
			fi
			wait_for 20 "views of $n" views_agree $n || fail "views of $n: $(views $n | paste -sd ' ')"
			wait_for 10 "buffer of $n" reserves $n || fail "octets beyond the headroom: $(beyond $n), wanted $extra"
			wait_for 10 "the change of $n is reported" reported $n
			printf '    %s: line of %d us: headroom %d octets in the buffer\n' $n $line \
				"$(value $n dcbBufferHeadroomSize.${port[$n]}.3)"
		done
	done
}

# Each event begins with the headroom that the event before ended with, so no change is missing or
# reported twice. Usually there is one for each line; dcbd may look while no way is agreed, too.
test_each_change_is_one_event() {
	local n odd half
	for n in a b; do
		wait_for 10 "the last change of $n is reported" reported $n
		printf '    %s: %s\n' $n "$(changes $n | tr ' ' '>' | paste -sd ' ')"
		odd=$(changes $n | awk 'NR > 1 && $1 != last { print "from " $1 ", after " last } { last = $2 }')
		is "$n: events that do not continue the one before" "$odd" ""
		half=$((quantum * $(quanta_of $(((long + short) / 2)))))
		at_least "$n: events for the shorter line" "$(changes $n | awk -v h=$half '$1 > h && $2 < h' | wc -l)" 1
		at_least "$n: events for the longer line" "$(changes $n | awk -v h=$half '$1 < h && $2 > h' | wc -l)" 1
	done
}

test_way_is_configured_while_the_neighbor_is_silent() {
	local before
	set_at a dcbPfcWayMeasurement.${port[a]} true
	crash_lldpd b
	wait_for 20 "the TTL ends" way a $configured $no_peer || ctl a dcbx ab
	before=$(of a dcbPfcMeasureRequestsSent)
	is "bits of the round trip" "$(value a dcbPfcHeadroomTermBits.${port[a]}.$round_trip)" 0
	at_most "headroom of the settings: 100 m of cable, bits" "$(of a dcbPfcHeadroomInForce)" $((quantum * $(quanta_of $short)))
	wait_for 5 "the setting is in use" adopted a
	start_lldpd b
	wait_way a $measured $agreed
	wait_for 20 "a measures again" eval "[ \$(of a dcbPfcMeasureRequestsSent) -gt $before ]"
	wait_for 20 "a has measured the long line" within a "$(quanta_of $long)" $most
	wait_for 20 "views of a" views_agree a || fail "views of a: $(views a | paste -sd ' ')"
}

run_tests
