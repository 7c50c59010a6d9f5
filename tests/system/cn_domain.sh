#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Congestion notification domains that form by LLDP: three bridges in a row, each a dcbd with its
# lldpd, an end station, and a neighbor that sends raw frames.
#
#   s: dcb0 - dcbd (station) - sa === as +---+        +---+        +---+
#                                        | a | ab==ba | b | bc==cb | c | ch === hc
#   h (raw LLDP and frames)  ha ==== ah +---+        +---+        +---+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

soon=2000 # ms from the last configuration to a complete domain, on an idle machine
tagged='ports = ( { name = "*"; pvid_tagged = true; } );' # frames keep their priority in a tag
tag=0042 # flow identifier of the CN-TAGs that are sent

for n in h s a b c hc; do node $n; done
cable s sa a as
cable h ha a ah
cable a ab b ba
cable b bc c cb
cable c ch hc hh
for n in a b c; do start_lldpd $n; done
start_lldpd s sa # not on its tap, whose frames go to the same neighbor
listen_on a ab
listen_on a ah

# by_hand NODE IF MODE: sets the defense mode of a port whose neighbor does not send LLDPDUs.
by_hand() {
	local i
	i=$(if_of "$1" "$2")
	set_at $1 ieee8021CnPortPriDefModeChoice.1.3.$i 1 ieee8021CnPortPriAdminDefenseMode.1.3.$i "$3"
}

# quick SECONDS WHAT COMMAND...: as wait_for; also checks how long the domain took to form.
quick() { wait_for "$1" "${@:2}" && timed at_most "$2, ms" $waited $soon; }

test_two_bridges() {
	node_conf a bridge 'a*' "$tagged" "initial = ( $(cn_conf 3) );"
	node_conf b bridge 'b*' "$tagged" "initial = ( $(cn_conf 3) );"
	start_node a
	wait_for 5 "a sends CNPV indicators" eval '[ "$(last_said ab out)" = 8:0800 ]'
	is "mode of a without a neighbor" "$(mode a ab)" $EDGE
	start_node b
	quick 10 "a and b form a domain" ready a ab b ba
	wait_for 5 "a sends ready indicators" eval '[ "$(last_said ab out)" = 8:0808 ]'
	wait_for 5 "b sends ready indicators" eval '[ "$(last_said ab in)" = 8:0808 ]'
	is "mode of b's port without a neighbor in the domain" "$(mode b bc)" $EDGE
	# CNPV indicators first, ready indicators after them.
	is "TLVs of a, in order" "$(said ab out | grep . | uniq | paste -sd ' ')" "8:0800 8:0808"
}

test_three_bridges() {
	node_conf c bridge 'c*' "$tagged"
	start_node c
	wait_for 5 "b has c as neighbor" eval '[ "$(neighbors b bc)" = 1 ]'
	is "mode of b while c has no CNPV" "$(mode b bc)" $EDGE
	is "modes of a and b" "$(mode a ab) $(mode b ba)" "$READY $READY"
	set_at c ieee8021CnComPriRowStatus.1.3 createAndGo
	wait_for 5 "c is interior to b" is_mode c cb $INTERIOR
	is "mode of b while c sends no CN TLV" "$(mode b bc)" $EDGE
	set_at c lldpXdot1CnConfigCnTxEnable.$(if_of c cb).1 true
	quick 10 "three bridges form a domain" ready a ab b ba b bc c cb
}

# --- frames on the wire ------------------------------------------------------------------------

stream=0
# inject NODE IF [OPTION...]: sends a broadcast frame with the new stream number $stream, after the
# dataplanes of bridges and station have adopted their configuration.
inject() {
	local n
	stream=$((stream + 1))
	for n in a b c s; do
		[ -z "${pid_of[dcbd-$n]-}" ] || wait_for 5 "dataplane of $n adopts the configuration" adopted $n
	done
	on $1 "$frames" send "$2" -i $stream -d ff:ff:ff:ff:ff:ff "${@:3}" || fail "cannot send frames"
}
# sees IF: how the frame of $stream arrived there, as "PRIORITY TYPE", or "untagged TYPE".
sees() { awk -v s="$stream" '$6 == s { sub(/.*\//, "", $3); print $3, $4 }' "${log_of[frames-$1]}" | head -n 1; }
has_come() { [ -n "$(sees "$1")" ]; }
arrives() { # WHAT IF WANTED
	wait_for 5 "$1: frame arrives" has_come "$2"
	is "$1" "$(sees "$2")" "$3"
}
listen_frames() { # NODE IF
	start frames-$2 nsenter --net=/run/netns/$1 -- "$frames" list "$2"
	wait_for 5 "list of frames at $2" logged frames-$2 ready || die "cannot list frames"
}

says() { speak h ha -t 30 -g 500000 "$@"; }

test_mode_decides_tag_and_priority() {
	listen_frames h ha
	listen_frames b ba
	listen_frames hc hh
	by_hand c ch $READY
	wait_for 5 "ports are up" eval 'ports_up a ah as ab && ports_up b ba bc && ports_up c cb ch'
	says
	# Not in the domain: frames with priority 3 get the alternate priority, and frames leave
	# without CN-TAG.
	wait_for 5 "a has mode edge" is_mode a ah $EDGE
	inject hc hh -v 1 -p 3 -f 0x$tag
	arrives "to an edge" ha "3 88b5"
	inject h ha -v 1 -p 3 -f 0x$tag
	arrives "from an edge" ba "2 88b5"
	arrives "... at hc" hh "2 88b5"
	# In the domain, and not ready for CN-TAGs.
	says 8:0800
	wait_for 5 "a has mode interior" is_mode a ah $INTERIOR
	wait_for 5 "a sends ready indicators" eval '[ "$(last_said ah out)" = 8:0808 ]'
	inject hc hh -v 1 -p 3 -f 0x$tag
	arrives "to a neighbor that is not ready" ha "3 88b5"
	inject h ha -v 1 -p 3
	arrives "from a neighbor that is not ready" ba "3 88b5"
	# Ready.
	says 8:0808
	wait_for 5 "a has mode interiorReady" is_mode a ah $READY
	inject hc hh -v 1 -p 3 -f 0x$tag
	arrives "to a neighbor that is ready" ha "3 $tag+88b5"
	inject h ha -v 1 -p 3 -f 0x$tag
	arrives "from a neighbor that is ready" ba "3 $tag+88b5"
	arrives "... at hc" hh "3 $tag+88b5"
	inject h ha -v 1 -p 2
	arrives "another priority" ba "2 88b5"
	# The neighbor has another CNPV.
	says 8:1010
	wait_for 5 "a has mode edge to a neighbor with another CNPV" is_mode a ah $EDGE
	wait_for 5 "a sends no ready indicators" eval '[ "$(last_said ah out)" = 8:0800 ]'
	inject hc hh -v 1 -p 3 -f 0x$tag
	arrives "to an edge again" ha "3 88b5"
	leave h ha
}

# A neighbor that runs lldpd without dcbd is not in the domain.
test_neighbor_without_cn_tlv_is_outside() {
	start_lldpd h
	wait_for 5 "a has h as neighbor" eval '[ "$(neighbors a ah)" = 1 ]'
	is "mode of a" "$(mode a ah)" $EDGE
	inject h ha -v 1 -p 3
	arrives "frame of h" ba "2 88b5"
	stop lldpd-h
}

test_station_joins_and_leaves() {
	if ! [ -w /dev/net/tun ]; then
		skip "no write access to /dev/net/tun"
		return
	fi
	listen_frames a as
	node_conf s station sa 'ports = ( { name = "sa"; tap = "dcb0"; default_priority = 3; } );'
	start_node s
	wait_for 10 "tap is up" eval '[ -n "$(on s ip link show up dev dcb0)" ]'
	wait_for 5 "port is up" ports_up s sa
	inject s dcb0 -v 0 -p 3
	arrives "without a CNPV" as "3 88b5"
	set_at s ieee8021CnComPriRowStatus.1.3 createAndGo
	inject s dcb0 -v 0 -p 3
	arrives "without a neighbor in the domain" as "3 88b5"
	is "mode of a" "$(mode a as)" $EDGE
	set_at s lldpXdot1CnConfigCnTxEnable.$(if_of s sa).1 true
	quick 10 "a station joins the domain" ready s sa a as
	inject s dcb0 -v 0 -p 3
	wait_for 5 "frame arrives" has_come as
	like "frame to the domain" "$(sees as)" '^3 [0-9a-f]{4}\+88b5$'
	# The station leaves the domain.
	set_at s ieee8021CnComPriRowStatus.1.3 destroy
	wait_for 5 "a has mode edge again" is_mode a as $EDGE
	inject s dcb0 -v 0 -p 3
	arrives "out of the domain" as "3 88b5"
}

# --- time to change modes ---------------------------------------------------------------------

# lldpd limits the LLDPDUs that a port sends after changes: one a second, and a few in a row. The
# links take turns, so that each may send at once and the limit is not part of the time. Without
# DCB_TIMED the test checks only the events and their order.
#
#   d: [d1] === [e1] :e   for each link
links=3
turns=2  # changes of each link: half to the edge mode, half back
rounds=2 # changes of all links at once
[ -z "${DCB_TIMED-}" ] || links=6 turns=10 rounds=6
idle() { [ -z "${DCB_TIMED-}" ] || pause "$1"; } # lets lldpd's limit recover

mode_objects=() at_e=() # by LINK: object of d's mode, object that the test sets at e
# first_after LINK TIME MODE: the time when d's port got that mode. said_after LINK TIME TLV: the
# time when that TLV arrived at d. Both print nothing before that.
first_after() {
	awk -v o="${mode_objects[$1]}" -v t="$2" -v v="$3" '$1 >= t && $2 == o && $3 == v { print $1; exit }' \
		"${log_of[modes]}"
}
said_after() {
	awk -v t="$2" -v v="$3" '$1 >= t && $2 == "in" && $6 == v { print $1; exit }' "${log_of[list-d$1]}"
}
# follows LINK SINCE MODE TLV: adds the time from SINCE to d's mode to $took, and the time from the
# TLV to the mode to $reacted.
took=() reacted=()
follows() {
	local t on_wire
	wait_for 5 "d$1: mode $3" eval '[ -n "$(first_after '"$1 $2 $3"')" ]' || return
	wait_for 5 "d$1: $4" eval '[ -n "$(said_after '"$1 $2 $4"')" ]' || return
	t=$(first_after $1 $2 $3)
	on_wire=$(said_after $1 $2 $4)
	took+=($((t - $2)))
	reacted+=($((t - on_wire)))
	at_least "d$1: from the TLV to the mode, us" "${reacted[-1]}" 0
}
# set_at_e OBJECT.INDEX VALUE: sets the object; $set_us gets the time.
set_at_e() {
	local error
	read -r set_us _ error < <("$probe" set $T/e/control "$@")
	is "e: set $*" "$error" noError
}
to_edge=(cnlNone $EDGE 8:0000) to_ready=(cnlComponent $READY 8:0808)

test_time_to_change_modes() {
	local i l all=() change
	node d
	node e
	for ((l = 1; l <= links; l++)); do cable d d$l e e$l; done
	for n in d e; do
		start_lldpd $n
		node_conf $n bridge "$n*" "initial = ( $(cn_conf 3) );"
		start_node $n
	done
	for ((l = 1; l <= links; l++)); do
		listen_on d d$l
		all+=(d d$l e e$l)
		mode_objects[l]=ieee8021CnPortPriAutoDefenseMode.1.3.$(if_of d d$l)
		at_e[l]=ieee8021CnPortPriLldpInstanceChoice.1.3.$(if_of e e$l)
	done
	wait_for 10 "domain on $links links" ready "${all[@]}" || return
	start modes "$probe" watch $T/d/control "${mode_objects[@]}"
	for ((l = 1; l <= links; l++)); do
		wait_for 5 "mode of d$l is recorded" eval '[ -n "$(first_after '$l' 0 '$READY')" ]' || return
	done
	idle 2
	for ((i = 0; i < turns; i++)); do
		change=("${to_edge[@]}")
		[ $((i % 2)) -eq 0 ] || change=("${to_ready[@]}")
		for ((l = 1; l <= links; l++)); do
			set_at_e "${at_e[l]}" ${change[0]}
			follows $l $set_us ${change[1]} ${change[2]}
			idle 0.15
		done
	done
	is "measured times" ${#took[@]} $((links * turns))
	percentiles "SET at one end to the mode at the other" "${took[@]}"
	timed at_most "p99, us" $p99 500000
	percentiles "TLV on the wire to the mode" "${reacted[@]}"
	timed at_most "p99, us" $p99 500000
	# All links at once.
	took=() reacted=()
	for ((i = 0; i < rounds; i++)); do
		idle 1
		if [ $((i % 2)) -eq 0 ]; then
			set_at_e ieee8021CnComPriRowStatus.1.3 destroy
			change=("${to_edge[@]}")
		else
			set_at_e ieee8021CnComPriRowStatus.1.3 createAndGo
			change=("${to_ready[@]}")
		fi
		for ((l = 1; l <= links; l++)); do follows $l $set_us ${change[1]} ${change[2]}; done
	done
	is "measured times" ${#took[@]} $((links * rounds))
	percentiles "a CNPV created or destroyed, on $links links" "${took[@]}"
	timed at_most "p99, us" $p99 $((soon * 1000))
	stop modes KILL
}

run_tests
