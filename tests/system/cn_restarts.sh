#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The parts of a congestion notification domain fail and come back: lldpd, dcbd, the link, the
# interface, the neighbor; in each defense mode.
#
#   pe (sends no CN TLV)     ep === ae +---+        +---+
#   pi (has the CNPV)        ip === ai | a | ab==ba | b |
#   pr (is ready)            rp === ar +---+        +---+
#
# a has one port in each defense mode, and one to a bridge in the same domain.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

again=8 # s until all modes are right again: lldpd ignores a link for a second after each change
ttl=60  # s, TTL of the raw neighbors: long enough for a busy machine
declare -A tlv=([ae]=8:0800 [ai]=8:0808 [ar]=8:0808 [ab]=8:0808) # CN TLVs that a sends
declare -A right=([ae]=$EDGE [ai]=$INTERIOR [ar]=$READY [ab]=$READY)
# Modes that a port may have during a change.
declare -A allowed=([ae]="$EDGE" [ai]="$EDGE|$INTERIOR" [ar]="$EDGE|$INTERIOR|$READY"
	[ab]="$EDGE|$INTERIOR|$READY")
declare -A far=([ae]="pe ep" [ai]="pi ip" [ar]="pr rp" [ab]="b ba")
ports=(ae ai ar ab)

for n in a b pe pi pr; do node $n; done
cable a ab b ba
for p in ae ai ar; do
	read -r n i <<<"${far[$p]}"
	cable $n $i a $p
done
start_lldpd a
start_lldpd b

all_speak() {
	speak pe ep -t $ttl -g 400000 -s 02:00:00:00:01:01
	speak pi ip -t $ttl -g 400000 -s 02:00:00:00:02:01 8:0800
	speak pr rp -t $ttl -g 400000 -s 02:00:00:00:03:01 8:0808
}

for n in a b; do
	node_conf $n bridge "$n*" "initial = ( $(cn_conf 3) );"
	start_node $n
done
all_speak

# Puts the object of each port's mode into $mode_of; an interface that is made anew has another
# ifIndex.
declare -A mode_of=()
number_ports() {
	local p
	for p in "${ports[@]}"; do mode_of[$p]=ieee8021CnPortPriAutoDefenseMode.1.3.$(if_of a $p); done
	mode_of[ba]=ieee8021CnPortPriAutoDefenseMode.1.3.$(if_of b ba)
}
number_ports
wanted=$(for p in "${ports[@]}"; do echo ${right[$p]}; done)

# All ports have the right mode, and a sends the right TLVs, since $since.
since=0
all_right() {
	local p
	[ "$(value a "${mode_of[ae]}" "${mode_of[ai]}" "${mode_of[ar]}" "${mode_of[ab]}")" = "$wanted" ] || return 1
	is_value b "${mode_of[ba]}" $READY || return 1
	for p in "${ports[@]}"; do
		[ "$(last_said $p out $since)" = ${tlv[$p]} ] || return 1
	done
}

listen_all() {
	local p
	for p in "${ports[@]}"; do
		[ -n "${pid_of[list-$p]-}" ] || listen_on a $p
	done
}
listen_all
wait_for 10 "all modes are right" all_right || die "modes are not right"

# Records all changes of modes from now on until "afterwards".
watch_modes() {
	local p
	time_us
	since=$us
	start modes "$probe" watch $T/a/control "${mode_of[ae]}" "${mode_of[ai]}" "${mode_of[ar]}" "${mode_of[ab]}"
	for p in "${ports[@]}"; do wait_for 5 "mode of $p is recorded" grep -qF "${mode_of[$p]} " "${log_of[modes]}"; done
}
seen() { # PORT: modes in order, "-" while dcbd did not run
	awk -v o="${mode_of[$1]}" '$2 == o { print $3 }' "${log_of[modes]}" | paste -sd ' '
}
# afterwards WHAT: all modes are right again in time, and no port had a mode that is not allowed in
# the meantime.
afterwards() {
	local p
	wait_for $again "$1: all modes are right" all_right
	printf '    %s: all modes right after %d ms;' "$1" $waited
	for p in "${ports[@]}"; do
		printf ' %s %s' $p "$(seen $p | tr -d ' ')"
		like "$1: modes of $p" "$(seen $p)" "^((${allowed[$p]}|-)( |\$))+\$"
	done
	printf '\n'
	stop modes KILL
}

test_lldpd_restarts() {
	local first
	for first in worker monitor; do
		watch_modes
		crash_lldpd a $first
		start_lldpd a
		afterwards "lldpd killed, $first first"
	done
	watch_modes
	stop lldpd-a
	start_lldpd a
	afterwards "lldpd stopped"
}

# second [OPTION...]: LLDPDUs of a second system at ar, which is not in the domain.
second() { on pr "$peer" send rp -s 02:00:00:00:03:02 -t $ttl "$@"; }
neighbors_of() { # PORT STALE: the numbers of its neighbors that are stale, or not
	ctl a -j neighbors "$(if_of a $1)" | jq "[.[0].neighbors[] | select(.stale == $2)] | length"
}
is_stale() { [ "$(neighbors_of ar true) $(neighbors_of ar false)" = "$1 $2" ]; } # STALE NOT-STALE

kill_dcb_lldp() {
	local pid
	read -r pid _ <"/proc/${pid_of[dcbd-a]}/task/${pid_of[dcbd-a]}/children"
	kill -KILL "$pid"
}

# The second neighbor speaks rarely, as one with the interval of 30 s: after a restart the agent
# reports the one that is in the domain first. The port stays an edge.
test_port_with_two_neighbors_stays_an_edge() {
	local what before
	for what in lldpd dcb-lldp; do
		wait_for 10 "both neighbors are heard" eval 'second -n 1 && is_stale 0 2'
		wait_for 5 "an edge with two neighbors" is_mode a ar $EDGE
		watch_modes
		before=$(value a dcbLldpConnects.0)
		if [ $what = lldpd ]; then
			crash_lldpd a
			start_lldpd a
		else
			kill_dcb_lldp
		fi
		wait_for 10 "$what: connected again" eval '[ "$(value a dcbLldpConnects.0)" -gt '$before' ]'
		wait_for 10 "$what: one or both neighbors are heard" eval 'is_stale 1 1 || is_stale 0 2'
		is "$what: modes of ar" "$(seen ar)" $EDGE
		stop modes KILL
	done
	watch_modes
	wait_for 10 "the second neighbor is heard" eval 'second -n 1 && is_stale 0 2'
	second -n 1 -t 0
	afterwards "the second neighbor left"
}

test_lldpd_of_neighbor_restarts() {
	local first
	for first in worker monitor; do
		watch_modes
		crash_lldpd b $first
		start_lldpd b
		afterwards "b's lldpd killed, $first first"
	done
}

without_tlvs() {
	lldp a unconfigure ports ar,ab lldp custom-tlv
	pause 0.1
	said ab out $since | grep -qx ""
}
# Users in lldpd's group may remove TLVs, and lldpd sends no event: dcb-lldp checks at intervals.
test_removed_tlvs_are_sent_again() {
	watch_modes
	# Until an LLDPDU is sent before dcb-lldp has checked: it may check at once.
	wait_for 2 "an LLDPDU without TLVs" without_tlvs
	afterwards "TLVs removed"
}

test_dcbd_restarts() {
	local how
	for how in KILL TERM; do
		watch_modes
		stop dcbd-a $how
		start_node a
		afterwards "dcbd ended by $how"
	done
	watch_modes
	stop dcbd-b KILL
	start_node b
	afterwards "b's dcbd killed"
}

# dcbd and lldpd start in either order.
test_lldpd_and_dcbd_restart() {
	watch_modes
	crash_lldpd a
	stop dcbd-a KILL
	start_node a
	start_lldpd a
	afterwards "both killed, dcbd starts first"
	watch_modes
	stop dcbd-a KILL
	crash_lldpd a
	start_lldpd a
	start_node a
	afterwards "both killed, lldpd starts first"
}

test_links_go_down() {
	local p n i
	watch_modes
	for p in "${ports[@]}"; do ip -n a link set $p down; done
	for p in "${ports[@]}"; do wait_for 5 "$p: mode edge while it is down" is_mode a $p $EDGE; done
	for p in "${ports[@]}"; do ip -n a link set $p up; done
	afterwards "interfaces of a were down"
	watch_modes
	for p in "${ports[@]}"; do
		read -r n i <<<"${far[$p]}"
		ip -n $n link set $i down
	done
	for p in "${ports[@]}"; do wait_for 5 "$p: mode edge without carrier" is_mode a $p $EDGE; done
	for p in "${ports[@]}"; do
		read -r n i <<<"${far[$p]}"
		ip -n $n link set $i up
	done
	afterwards "interfaces of the neighbors were down"
}

# For 0 to 90 ms: some changes are too short to be noticed.
test_link_flaps() {
	local i p
	watch_modes
	for ((i = 0; i < 10; i++)); do
		for p in "${ports[@]}"; do ip -n a link set $p down; done
		for p in "${ports[@]}"; do ip -n a link set $p up; done
		pause 0.0$i
	done
	afterwards "links flapped"
}

test_interface_is_renamed() {
	ip -n a link set ar down
	ip -n a link set ar name ax
	ip -n a link set ax up
	wait_for $again "mode under another name" is_mode a ax $READY
	ip -n a link set ax down
	ip -n a link set ax name ar
	ip -n a link set ar up
	watch_modes
	afterwards "renamed"
	# Too quick for lldpd to see a change.
	watch_modes
	ip -n a link set ar down
	ip -n a link set ar name ax
	ip -n a link set ax name ar
	ip -n a link set ar up
	afterwards "renamed and back"
}

# An interface with another ifIndex and another address gets its settings by its name.
test_interface_is_made_anew() {
	for p in ar ab; do
		read -r n i <<<"${far[$p]}"
		stop_peer $i
		stop list-$p KILL
		uncable a $p
		cable a $p $n $i
	done
	number_ports
	listen_all
	all_speak
	watch_modes
	afterwards "interfaces made anew"
}

# tagged_at_rp STREAM MODE: checks whether a frame of the domain from b arrives at rp with its
# CN-TAG: in mode ready only.
tagged_at_rp() {
	local type=88b5
	[ "$2" != $READY ] || type=0042+88b5
	wait_for 5 "the domain of a and b" is_mode a ab $READY # else a changes its priority
	wait_for 5 "dataplane of a adopts the configuration" adopted a
	on b "$frames" send ba -i $1 -d ff:ff:ff:ff:ff:ff -v 1 -p 3 -f 0x42
	wait_for 5 "frame $1 arrives at rp" grep -qE "(88b5) [0-9]+ $1 0 " "${log_of[frames]}"
	is "EtherTypes of frame $1 at rp" "$(awk -v s=$1 '$6 == s { print $4 }' "${log_of[frames]}")" $type
}

# all_live_for SECONDS: gives the raw neighbors this TTL from now on, and waits until dcbd has it.
all_live_for() {
	local ttl=$1
	all_speak
	for p in ai ar; do wait_for 5 "the time to live of $p" lives_for $p $ttl; done
}
lives_for() { # PORT SECONDS
	[ "$(ctl a -j neighbors "$(if_of a $1)" | jq '.[0].neighbors[0].ttl')" = "$2" ]
}
# silent PORT SINCE SECONDS: its mode became edge at least SECONDS after time SINCE.
silent() {
	local edge
	edge=$(awk -v o="${mode_of[$1]}" -v v=$EDGE '$2 == o && $3 == v { t = $1 } END { print t ? t : 0 }' "${log_of[modes]}")
	[ $((edge - $2)) -ge $(($3 * 1000000 - 10000)) ]
}
heard_before() { # PORT TIME: when the last LLDPDU before this time arrived
	awk -v t=$2 '$2 == "in" && $1 <= t { heard = $1 } END { print heard }' "${log_of[list-$1]}"
}
last_heard() { awk '$2 == "in" { t = $1 } END { print t }' "${log_of[list-$1]}"; } # PORT
is_long() { [ "$(awk '$2 == "in" { t = $5 } END { print t + 0 }' "${log_of[list-$1]}")" -ge $2 ]; } # PORT SECONDS

# However often lldpd and dcb-lldp restart meanwhile, the port becomes an edge when the TTL expires.
test_dead_neighbor_does_not_outlive_its_ttl() {
	local heard long=8 n=0 edge
	all_live_for $long
	watch_modes
	stop_peer rp
	heard=$(last_heard ar)
	while is_mode a ar $READY && [ $n -lt 20 ]; do
		n=$((n + 1))
		if [ $((n % 2)) -eq 1 ]; then
			crash_lldpd a
			start_lldpd a
		else
			kill_dcb_lldp
			wait_for 5 "dcb-lldp is connected" is_value a dcbLldpState.0 3
		fi
		pause 0.5
	done
	is "mode when the TTL has expired" "$(mode a ar)" $EDGE
	edge=$(awk -v o="${mode_of[ar]}" -v v=$EDGE '$2 == o && $3 == v { t = $1 } END { print t }' "${log_of[modes]}")
	printf '    edge %d ms after the last LLDPDU, with %d restarts\n' $(((edge - heard) / 1000)) $n
	at_least "ms from the last LLDPDU to mode edge" $(((edge - heard) / 1000)) $((long * 1000 - 10))
	at_most "ms from the last LLDPDU to mode edge" $(((edge - heard) / 1000)) $(((long + 3) * 1000))
	all_speak
	afterwards "a neighbor that had died"
}

# A neighbor whose TTL expires is no longer in the domain.
test_neighbor_expires_and_shuts_down() {
	local p short=2
	start frames nsenter --net=/run/netns/pr -- "$frames" list rp
	wait_for 5 "list of frames at rp" logged frames ready
	tagged_at_rp 1 $READY
	watch_modes
	all_live_for $short
	stop_peer rp
	stop_peer ip
	wait_for $((short + 2)) "mode edge at ar" is_mode a ar $EDGE
	wait_for $((short + 2)) "mode edge at ai" is_mode a ai $EDGE
	# lldpd counts whole seconds.
	for p in ar ai; do
		wait_for 2 "$p: mode edge not before the TTL expired" silent $p "$(last_heard $p)" $((short - 1))
	done
	wait_for 2 "a sends no ready indicators" eval '[ "$(last_said ar out)" = 8:0800 ]'
	tagged_at_rp 2 $EDGE
	all_speak
	afterwards "neighbors that had expired"
	# Without lldpd a receives no LLDPDUs. The TTL of b is long, so that b is still a neighbor
	# afterwards; b's lldpd starts anew, as another chassis ID would make it another neighbor: the
	# interface of its chassis ID was made anew.
	stop lldpd-b
	start_lldpd b
	wait_for 10 "all modes are right" all_right
	watch_modes
	lldp b configure lldp tx-hold 50
	wait_for 5 "TTL of b is long" is_long ab $((50 * interval))
	all_live_for $short
	time_us
	crash_lldpd a
	stop_peer rp
	crash_lldpd b # without a shutdown LLDPDU
	wait_for $((short + 2)) "mode edge without lldpd" is_mode a ar $EDGE
	wait_for 2 "mode edge not before the TTL expired" silent ar "$(heard_before ar $us)" $short
	tagged_at_rp 3 $EDGE
	start_lldpd a
	all_speak
	start_lldpd b
	afterwards "neighbors that had expired without lldpd"
	# A shutdown LLDPDU, with TTL 0.
	watch_modes
	stop_peer rp
	on pr "$peer" send rp -t 0 -s 02:00:00:00:03:01
	wait_for 1 "mode edge at once" is_mode a ar $EDGE
	all_speak
	afterwards "a neighbor that had shut down"
}

run_tests
