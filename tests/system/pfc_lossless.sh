#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Priority-based flow control end to end: two stations offer for ten seconds twice what a
# bridge's port can send. With PFC every frame arrives, later; without, half of them.
#
#   h1: pktgen - dcb0 - dcbd (station) - eth0 === sw1 +--------+ sw3, slow === eth0 h3
#                                                     |  dcbd  |
#   h2: pktgen - dcb0 - dcbd (station) - eth0 === sw2 +--------+ sw4       === eth0 h4
#
# Priority 3 goes to h3 and has PFC, priority 5 goes from h1 to h4 and has not. A tap cannot
# be paused, so what waits, waits in the stations: their ports have buffers for all of it.
#
# The headroom is made for a machine like this one, not for an Ethernet interface: dcbd may
# get no processor for many milliseconds, here and in the station, and a station that was
# late may catch up with 10 ms of its rate. 2 MB at 100 Mb/s are 160 ms.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "no jq"

pktgen=$build/tests/bench/pktgen
frames=$build/tests/system/frames
link=100000000 # bit/s of h1 and h2
slow_rate=40000000 other_rate=20000000 # of sw3, and of priority 5
octets=1500 # with FCS; 4 more for the tag
seconds=10
# With a sanitizer in them programs are slower than that.
[ $slow -eq 1 ] || slow_rate=$((slow_rate / 4)) other_rate=$((other_rate / 4))
# Each station offers all that sw3 can send; on the wire a frame has 24 octets more.
fps=$((slow_rate / 8 / (octets + 4 + 20)))
other_fps=$((other_rate / 8 / (octets + 4 + 20)))

# station NAME: dcbd with its tap dcb0 in the host's namespace.
station() {
	mkdir -p $T/$1
	cat >$T/$1/dcbd.conf <<-END
		role = "station";
		interfaces = { include = [ "eth0" ]; };
		bridge = { frame_buffers = 65536; };
		ports = ( { name = "eth0"; tap = "dcb0"; rate = ${link}L; buffer = 90000000; } );
		state_file = "$T/$1/state";
		control = { socket = "$T/$1/control"; };
	END
	start "$1" nsenter --net="/run/netns/$1" -- "$build/dcbd" -c "$T/$1/dcbd.conf"
	wait_for 10 "the station $1" test -S "$T/$1/control" || die "no station $1"
	wait_for 10 "its tap" on "$1" ip link show dcb0
	wire[$1]=$(ip -n $1 -j link show dev eth0 | jq '.[0].ifindex')
}
ctl() { "$build/dcbctl" -s "$T/$1/control" "${@:2}"; }
# value HOST OBJECT: of its port, priority 3.
value() { ctl "$1" -j show "$2" ${wire[$1]}.3 2>&1 | jq -r '.[0].rows[0].values[]'; }
# Frames that an interface has taken in.
arrived() { ip -n "$1" -s -j link show dev eth0 | jq '.[0].stats64.rx.packets'; }

declare -A mac wire
for n in 1 2 3 4; do
	host h$n sw$n
	on h$n ethtool -K eth0 tx off tso off gso off gro off >/dev/null 2>&1
	mac[h$n]=$(ip -n h$n -j link show dev eth0 | jq -r '.[0].address')
done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3) sw4=$(ifindex sw4)
start_all 'interfaces = { include = [ "sw*" ]; };' \
	'bridge = { frame_buffers = 16384; transit_delay = 10000; };' "ports = (
	{ name = \"sw3\"; rate = ${slow_rate}L; buffer = 400000; },
	{ name = \"sw4\"; },
	{ name = \"sw*\"; rate = ${link}L; pfc = { buffer = 3000000; headroom = 2000000; }; } );"
station h1
station h2
for n in 1 2 3 4; do wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done
# They are heard of, so that nothing is flooded.
for n in 3 4; do on h$n "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s "${mac[h$n]}"; done

# Before other work of this machine, if we may.
for name in dcbd h1 h2; do
	(cd "/proc/${pid_of[$name]}/task" && renice -n -10 -p -- *) >/dev/null 2>&1 || true
done

pfc() { # 1|2: on or off, everywhere
	put dcbPfcPriorityEnable.$sw1.3 "$1" dcbPfcPriorityEnable.$sw2.3 "$1"
	for h in h1 h2; do
		ctl $h set dcbPfcPriorityEnable.${wire[$h]}.3 "$1" >/dev/null || fail "$h: no PFC"
	done
}

# offer NAME HOST TO PRIORITY FPS SECONDS: in the background.
offer() {
	start "$1" nsenter --net="/run/netns/$2" -- "$pktgen" -i dcb0 -d "${mac[$3]}" -o $octets \
		-v 1.$4 -r "$5" -n $(($5 * $6))
}
ended() { ! running "$1"; }
# overload SECONDS: both stations to h3, h1 to h4 besides. What was to arrive in $want, $want_other,
# and what did in $got and $got_other, of priority 5 a second after it was sent.
overload() {
	local at3 at4
	at3=$(arrived h3) at4=$(arrived h4)
	want=$((2 * fps * $1)) want_other=$((other_fps * $1))
	offer one h1 h3 3 $fps "$1"
	offer two h2 h3 3 $fps "$1"
	offer other h1 h4 5 $other_fps "$1"
	for name in other one two; do wait_for $(($1 + 10)) "$name ends" ended $name; done
	pause 1
	got_other=$(($(arrived h4) - at4))
	[ -z "${2-}" ] || "$2"
	wait_for $((3 * $1)) "the stations are empty" drained
	pause 0.3
	got=$(($(arrived h3) - at3))
	for name in one two other; do
		wait "${pid_of[$name]}" || fail "$name failed"
		unset "pid_of[$name]"
	done
}
# drained: nothing more arrives.
drained() {
	local before
	before=$(arrived h3)
	pause 0.5
	[ "$before" = "$(arrived h3)" ]
}

losses() { # of the bridge, frames that were to go to h3
	get dcbPortDiscardQueue.$sw3 dcbPortDiscardNoBuffer.$sw3 dcbPfcPriorityDiscards.$sw1.3 \
		dcbPfcPriorityDiscards.$sw2.3 dcbPfcPortDiscardTransit.$sw3 dcbPortDiscardKernel.$sw1 \
		dcbPortDiscardKernel.$sw2 | paste -sd ' '
}

waits_in_stations() {
	# Most of the time, that is: in between it sends what makes room for the next frame.
	wait_for 5 "sw1 has paused h1" eval '[ "$(value h1 dcbPfcPriorityPaused)" = true ]'
	at_least "h1 waits with its frames" $((want - $(arrived h3))) 100
}

test_nothing_is_lost_with_pfc() {
	local h sw
	pfc 1
	overload $seconds waits_in_stations
	printf '    priority 3: %d of %d arrived; priority 5: %d of %d\n' \
		$got $want $got_other $want_other
	is "priority 3" $got $want
	is "priority 5, in time" $got_other $want_other
	fresh
	is "losses" "$(losses)" "0 0 0 0 0 0 0"
	for h in 1 2; do
		sw=sw$h
		printf '    sw%d: held at most %d of 3000000 octets, %d PFC frames, %d ms of pause; h%d: %d ms\n' \
			$h "$(get dcbPfcPriorityHeldPeak.${!sw}.3)" "$(get dcbPfcPriorityRequests.${!sw}.3)" \
			$(($(get dcbPfcPriorityPauseSent.${!sw}.3) / 1000)) $h \
			$(($(value h$h dcbPfcPriorityPauseTime) / 1000))
		at_least "sw$h: PFC frames" "$(get dcbPfcPriorityRequests.${!sw}.3)" 4
		is "h$h: what sw$h sent" "$(value h$h dcbPfcPriorityIndications)" \
			"$(get dcbPfcPriorityRequests.${!sw}.3)"
		is "sw$h: no other priority" "$(get ieee8021PfcRequests.${!sw})" \
			"$(get dcbPfcPriorityRequests.${!sw}.3)"
		is "sw$h: of priority 5" "$(get dcbPfcPriorityRequests.${!sw}.5)" 0
		at_least "h$h: transitions" "$(value h$h dcbPfcPriorityTransitions)" 1
		is "sw$h: held in the end" "$(get dcbPfcPriorityHeld.${!sw}.3)" 0
		is "h$h: paused in the end" "$(value h$h dcbPfcPriorityPaused)" false
		at_most "sw$h: held at most" "$(get dcbPfcPriorityHeldPeak.${!sw}.3)" 3000000
		at_least "sw$h: held at most" "$(get dcbPfcPriorityHeldPeak.${!sw}.3)" \
			"$(get dcbPfcPriorityXoff.${!sw}.3)"
	done
}

test_half_is_lost_without() {
	pfc 2
	overload 4
	printf '    priority 3: %d of %d arrived\n' $got $want
	at_most "priority 3" $got $((want * 3 / 4))
	is "priority 5, in time" $got_other $want_other
	fresh
	at_least "the slow port has discarded" "$(get dcbPortDiscardQueue.$sw3)" $((want / 4))
	is "sw1 has no threshold" "$(get dcbPfcPriorityXoff.$sw1.3)" 0
}

run_tests
