#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# RoCEv2 through two bridges that trust DSCPs, beside lossy traffic. h1 and h2 offer more than b3
# sends: PFC loses none of their frames, and with ECN, which they follow, pauses are rare.
#
#   h1 (RoCE)       === a1 +---+           +---+
#   h2 (RoCE)       === a2 | a | ab === ba | b | b3, slow === h3
#   h4 (background) === a4 +---+           +---+
#
# RoCE has DSCP 26 and so priority 3, with PFC at a1, a2, ab and ba, and 60 % of b3. The background
# has priority 0, and what RoCE leaves of b3. The head of roce_flow.c says what the hosts do.
#
# On a busy machine, dcbd may get no processor for a time. Then frames wait in a receive ring of the
# kernel, which has 2048, and no PFC frame is sent. The windows of all flows together fit into one
# ring, and those of RoCE into the headroom, so the result does not depend on the processor. They
# are larger than the XOFF thresholds together: PFC holds the senders, not their windows.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

flow=$build/tests/system/roce_flow
probe=$build/tests/system/mo_probe
frames=$build/tests/system/frames
total=1000000 fewer=250000 fewest=20000 # frames of both senders: with ECN, without, without PFC
octets=200 window=800                   # of a flow of RoCE: octets without FCS, frames
others=1500 other_window=400            # of the background
line=100000000                          # bit/s of each sender, and of b3
fast=200000000                          # bit/s between the bridges
headroom=$((2 * window * octets))
xoff_a=40000 xoff_b=120000
lossy_buffer=100000 # of b3: less than the windows

mac_of() { ip -n "$1" -o link show dev eth0 | sed -E 's/.* link\/ether ([0-9a-f:]*).*/\1/'; }
for n in 1 2 4; do host h$n a$n; done
host h3 b3
new_address
first=$address
new_address
ip link add ab address $first type veth peer name ba address $address || die "no link between the bridges"
ip link set ab up
ip link set ba up

bridge() { # NAME LINE...
	mkdir -p $T/$1
	cat >$T/$1/dcbd.conf <<-END
		interfaces = { include = [ "$1?" ]; };
		bridge = { transit_delay = 0; frame_octets = 1536; };
		lldp = { enable = false; };
		$(printf '%s\n' "${@:2}")
		user = "root";
		$no_real_time
		state_file = "$T/$1/state";
		control = { socket = "$T/$1/control"; };
	END
	start dcbd-$1 "$build/dcbd" -c $T/$1/dcbd.conf
	wait_for 20 "dcbd of $1 is up" test -S $T/$1/control || die "dcbd of $1 does not start"
}
pfc_of() { echo "pfc = { buffer = $((headroom + $1)); headroom = $headroom; };"; } # XOFF
bridge a "ports = ( { name = \"a[12]\"; speed = ${line}L; $(pfc_of $xoff_a) }, { name = \"ab\"; speed = ${fast}L; } );"
bridge b "ports = ( { name = \"ba\"; speed = ${fast}L; $(pfc_of $xoff_b) },
	{ name = \"b3\"; rate = ${line}L; speed = ${line}L; buffer = $lossy_buffer; } );"

ctl() { "$build/dcbctl" -s $T/$1/control "${@:2}" >$T/ctl 2>&1 || fail "$*: $(<$T/ctl)"; } # BRIDGE ARGUMENT...
value() { "$probe" get $T/$1/control "${@:2}"; }                                           # BRIDGE OBJECT.INDEX...
sum() { value "$@" | awk '{ n += $1 } END { print n + 0 }'; }                              # of the values
is_value() { [ "$(value $1 $2)" = "$3" ]; }
adopted() { # BRIDGE: its dataplane uses all settings
	local generations
	mapfile -t generations < <(value $1 dcbEngineConfigPublished.0 dcbEngineConfigAdopted.0)
	[ "${generations[0]}" = "${generations[1]}" ]
}

a1=$(ifindex a1) a2=$(ifindex a2) a4=$(ifindex a4) ab=$(ifindex ab) ba=$(ifindex ba) b3=$(ifindex b3)
for n in $a1 $a2 $a4 $ab; do wait_for 5 "the ports of a are up" is_value a dcbPortOperational.$n 1; done
for n in $ba $b3; do wait_for 5 "the ports of b are up" is_value b dcbPortOperational.$n 1; done
h3=$(mac_of h3)
for n in 1 2 3 4; do on h$n "$frames" send eth0 -s "$(mac_of h$n)" -d ff:ff:ff:ff:ff:ff; done
for n in a b; do wait_for 5 "$n learns four addresses" is_value $n dcbEngineFdbEntries.0 4; done
ctl a preset rocev2 a1 a2 a4 ab
ctl b preset rocev2 ba b3
ctl b ets set dev b3 prio-tc 0:0 1:0 2:0 3:1 4:2 5:2 6:2 7:2 tc-tsa 0:ets 1:ets tc-bw 0:40 1:60

settle() { for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done; }
pfc() { # on|off
	ctl a pfc set dev a1 a2 ab prio-pfc 3:$1
	ctl b pfc set dev ba prio-pfc 3:$1
	settle
}
ecn() { # on|off
	ctl a ecn set dev ab prio 3 enable $1 min 20000 max 80000 probability 100000
	ctl b ecn set dev b3 prio 3 enable $1 min 20000 max 80000 probability 100000
	settle
}

# Microseconds of pause that the bridges have sent, to the hosts and to each other.
pauses() { echo $(($(sum a dcbPfcPriorityPauseSent.{$a1,$a2}.3) + $(sum b dcbPfcPriorityPauseSent.$ba.3))); }
# Frames of priority 3 that the bridges have discarded, and frames that the rings had no room for.
discards() {
	local of_a of_b
	of_a=$(sum a dcbPfcPriorityDiscards.{$a1,$a2,$ab}.3 dcbPortDiscardKernel.{$a1,$a2,$ab})
	of_b=$(sum b dcbPfcPriorityDiscards.$ba.3 dcbPortDiscardKernel.{$ba,$b3})
	echo $((of_a + of_b))
}
marks() { echo $(($(value a dcbEcnMarked.$ab.3) + $(value b dcbEcnMarked.$b3.3))); }

# number WORD FLOW...: the sum of what the receiver printed behind this word.
number() {
	awk -v word="$1" -v flows=" ${*:2} " '$1 == "flow" && index(flows, " " $2 " ") {
		for (i = 3; i < NF; i += 2) if ($i == word) n += $(i + 1)
	} END { print n + 0 }' "${log_of[sink]}"
}
# ends NAME: the program ends by itself. The kernel can take seconds to close its sockets.
ends() {
	wait_for 10 "the end of $1" gone "${pid_of[$1]}" || return
	wait "${pid_of[$1]}" || fail "$1: status $?"
	unset "pid_of[$1]"
}

# offer FRAMES: sends these to h3, a half from h1 and from h2 each, beside the background. Sets
# $paused, $discarded and $marked, the increase of pauses, discards and marks.
offer() {
	local n
	paused=$(pauses) discarded=$(discards) marked=$(marks)
	start sink nsenter --net=/run/netns/h3 -- "$flow" receive eth0 $line
	wait_for 5 "h3 receives" logged sink ready
	start other nsenter --net=/run/netns/h4 -- "$flow" send eth0 $h3 4 0 $others $other_window $line background
	for n in 1 2; do
		start roce$n nsenter --net=/run/netns/h$n -- \
			"$flow" send eth0 $h3 $n $(($1 / 2)) $octets $window $line roce
	done
	for n in 1 2; do wait_for 120 "h$n has sent all frames" logged roce$n '^flow'; done
	stop other
	for n in 1 2; do ends roce$n; done
	for n in $a1 $a2; do wait_for 5 "a holds no frame" is_value a dcbPfcPriorityHeld.$n.3 0; done
	paused=$(($(pauses) - paused)) discarded=$(($(discards) - discarded)) marked=$(($(marks) - marked))
	stop sink
	sed 's/^/    /' "${log_of[roce1]}" "${log_of[roce2]}" "${log_of[other]}" "${log_of[sink]}"
	printf '    %d ms of pause, %d marks\n' $((paused / 1000)) $marked
	is "frames received and lost" $(($(number received 1 2) + $(number lost 1 2))) $1
}

test_frames_are_lost_without_pfc() {
	offer $fewest
	at_least "frames lost" "$(number lost 1 2)" 1
	is "pause" $paused 0
}

test_pfc_alone_loses_nothing() {
	pfc on
	offer $fewer
	is "frames received" "$(number received 1 2)" $fewer
	is "frames that the bridges discarded" $discarded 0
	at_least "frames of the background lost" "$(number lost 4)" 1
	is "frames with CE" "$(number ce 1 2)" 0
	at_least "PFC frames from b to a" "$(value a dcbPfcPriorityIndications.$ab.3)" 1
	for n in $a1 $a2; do at_least "PFC frames from a to a host" "$(value a dcbPfcPriorityRequests.$n.3)" 1; done
	paused_alone=$paused
}

test_ecn_spares_nine_of_ten_pauses() {
	ecn on
	offer $total
	is "frames received" "$(number received 1 2)" $total
	is "frames that the bridges discarded" $discarded 0
	at_least "frames of the background lost" "$(number lost 4)" 1
	at_least "frames with CE" "$(number ce 1 2)" 1
	is "frames that the bridges marked" $marked "$(number ce 1 2)"
	at_least "CNPs" "$(number cnps 1 2)" 1
	# PFC alone pauses at all times, so for more frames in proportion.
	at_most "ten times the pause" $((10 * paused)) $((paused_alone * (total / fewer) - 1))
}

run_tests
