#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Three RBridges in a row and a station at each end: frames of all kinds, what tshark reads on the
# links, counters and SETs over SNMP, a restart. dcb-agentx serves RBridge a.
#
#   +----+            +---+ ab === ba +---+            +---+            +----+
#   | h1 | p1 === a1  | a |           | b | bc === cb  | c | c2 === p2  | h2 |
#   +----+            +---+ az === za +---+            +---+            +----+
#           nickname   256             512 (root)       768
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/rbridges.sh
. "$(dirname -- "$(readlink -f -- "$0")")/rbridges.sh"
command -v tshark text2pcap >/dev/null || skip_all "tshark is not installed"

for n in h1 a b c h2; do node $n; done
cable h1 p1 a a1
cable a ab b ba
cable a az b za
cable b bc c cb
cable c c2 h2 p2
# A frame is 26 octets longer on a link between RBridges, and it is tagged.
for n in "a ab" "b ba" "a az" "b za" "b bc" "c cb"; do
	ip -n ${n% *} link set ${n#* } mtu 1600
done
ip -n h1 address add 10.7.0.1/24 dev p1
ip -n h2 address add 10.7.0.2/24 dev p2
# No host asks again for the address of its neighbor, five seconds after it has used it: the frames
# would be counted.
for n in "h1 p1" "h2 p2"; do
	on ${n% *} bash -c "echo 3600 >/proc/sys/net/ipv4/neigh/${n#* }/delay_first_probe_time" ||
		die "cannot set delay_first_probe_time"
done

node_conf a rbridge 'a*' "initial = ( $(own 256; trunk ab az; by ab 512 b ba; by ab 768 b ba) );"
node_conf b rbridge '[bz]*' "initial = ( $(own 512; trunk ba za bc; by ba 256 a ab; neighbor za 300 a az; by bc 768 c cb) );"
node_conf c rbridge 'c*' "initial = ( $(own 768; trunk cb; by cb 512 b bc; by cb 256 b bc) );"
for n in a b c; do start_node $n; done
for n in "h1 p1" "h2 p2" "b ba" "b za" "c cb"; do
	# shellcheck disable=SC2086 # two words
	set -- $n
	start frames-$2 nsenter --net=/run/netns/$1 -- "$frames" list "$2" -x
	wait_for 5 "list of frames at $2" logged frames-$2 ready || die "cannot list frames"
done
wait_for 5 "ports are up" eval 'ports_up a a1 ab az && ports_up b ba za bc && ports_up c cb c2'
a1=$(if_of a a1) ab=$(if_of a ab) az=$(if_of a az) ba=$(if_of b ba) za=$(if_of b za)
bc=$(if_of b bc) c2=$(if_of c c2)
ln -s $T/a/control $T/control
start_snmpd
start_agentx

stream=0
# inject NODE IF [OPTION...]: sends frames of the new stream $stream.
inject() {
	stream=$((stream + 1))
	for n in a b c; do wait_for 5 "$n uses all settings" adopted $n; done
	on "$1" "$frames" send "$2" -i $stream "${@:3}" || fail "cannot send frames"
}
# at IF: the frames of $stream there, each as "PRIORITY-TAG TYPE".
at() { awk -v s=$stream '$6 == s { print $3, $4 }' "${log_of[frames-$1]}"; }
count_at() { at "$1" | wc -l; }
arrived() { [ "$(count_at "$1")" -ge "$2" ]; }                # IF COUNT
# h2_answers: an ARP request of h1 and the answer pass, then a UDP packet.
h2_answers() {
	ip -n h1 neighbor flush dev p1
	wait_for 20 "h2 answers" resolved
}
resolved() {
	on h1 bash -c 'echo >/dev/udp/10.7.0.2/9'
	ip -n h1 neighbor show to 10.7.0.2 | grep -q lladdr
}
stats() { value "$1" dcbTrillPortStats"$2"."$3"; }            # NODE NAME IFINDEX
# counts MORE NODE NAME IFINDEX COMMAND...: the command has the counter increase by this number.
counts() {
	local before
	before=$(stats "$2" "$3" "$4")
	"${@:5}"
	wait_for 5 "$2: $3 has increased by $1" eval "[ \$(stats $2 $3 $4) -ge $((before + $1)) ]"
	is "$2: $3" "$(stats "$2" "$3" "$4")" $((before + $1))
}

test_stations_reach_each_other() {
	h2_answers
	# As long as on the links of the stations without TRILL.
	inject h1 p1 -d "$(mac_of h2 p2)" -l 1514 -n 3
	wait_for 10 "frames of 1514 octets" eval '[ "$(awk -v s=$stream "\$6 == s && \$5 == 1514" "${log_of[frames-p2]}" | wc -l)" -eq 3 ]'
}

# fields IF NAME...: the fields of TRILL frames with our IP packets there, as tshark reads them.
fields() {
	local f names=()
	for f in "${@:2}"; do names+=(-e "$f"); done
	awk '$5 { printf "000000"; for (i = 1; i < length($9); i += 2) printf " %s", substr($9, i, 2); print "" }' \
		"${log_of[frames-$1]}" | text2pcap -q - $T/$1.pcap 2>/dev/null
	tshark -r $T/$1.pcap -Y 'trill && udp' -T fields "${names[@]}" 2>/dev/null | sort -u
}

# A unicast frame is for the egress RBridge; each RBridge takes one hop. A capture has no frame that
# tshark finds malformed.
test_tshark_reads_the_frames_on_the_links() {
	local names=(trill.version trill.multi_dst trill.op_len trill.hop_cnt trill.egress_nick trill.ingress_nick)
	h2_answers
	wait_for 5 "the UDP packet" eval '[ -n "$(fields cb eth.dst)" ]'
	is "first link" "$(fields ba "${names[@]}" | awk '{ $2 = $2 ~ /1|True/; print }')" \
		"0 0 0 63 768 256"
	is "second link" "$(fields cb "${names[@]}" | awk '{ $2 = $2 ~ /1|True/; print }')" \
		"0 0 0 62 768 256"
	is "outer destination" "$(fields cb eth.dst | cut -d, -f1 | sort -u)" "$(mac_of c cb)"
	is "tshark's complaints" "$(tshark -r $T/cb.pcap -Y _ws.malformed 2>/dev/null)" ""
}

# Each frame arrives once, and none comes back.
test_frames_of_all_kinds_arrive_once() {
	local h2mac unknown=02:00:00:00:99:99 kind
	h2mac=$(mac_of h2 p2)
	for kind in "known -d $h2mac" "unknown -d $unknown" "broadcast -d ff:ff:ff:ff:ff:ff" \
		"group -d 01:00:5e:00:00:07" "tagged -d $h2mac -v 10 -p 3" "priority -d $h2mac -p 5" \
		"group-tagged -d 01:00:5e:00:00:07 -v 10 -p 3" "cn-tag -d $h2mac -v 10 -p 3 -f 0x42"; do
		# shellcheck disable=SC2086 # words
		inject h1 p1 -n 10 ${kind#* }
		wait_for 10 "10 frames, ${kind%% *}" arrived p2 10
		inject h1 p1 -d $h2mac -v 11
		wait_for 10 "the frame behind them" arrived p2 1
		stream=$((stream - 1))
		is "${kind%% *}" "$(at p2 | sort | uniq -c | tr -s ' ')" "$(case ${kind%% *} in
			*tagged) echo " 10 10/3 88b5" ;;
			cn-tag) echo " 10 10/3 0042+88b5" ;;
			*) echo " 10 untagged 88b5" ;;
		esac)"
		is "${kind%% *}, back at h1" "$(count_at p1)" 0
		stream=$((stream + 1))
	done
}

# BPDUs, LLDP and TRILL IS-IS stay on their link, as do frames of a VLAN without appointed forwarder.
test_control_frames_and_other_vlans_stay_on_their_link() {
	local seen f
	for f in 0180c2000000 0180c200000e; do
		on h1 "$frames" raw p1 ${f}0200000000018889
	done
	counts 1 a DropControl $a1 on h1 "$frames" raw p1 0180c200004102000000000122f4
	set_at a dcbTrillPortAppointed.$a1 1-19,21-1023
	counts 5 a DropNotAppointed $a1 inject h1 p1 -n 5 -v 20 -d ff:ff:ff:ff:ff:ff
	inject h1 p1 -d "$(mac_of h2 p2)"
	wait_for 10 "the frame behind them" arrived p2 1
	seen=$(awk '$1 ~ /^01:80:c2/ || $3 ~ /^20\//' "${log_of[frames-p2]}")
	is "frames at h2" "$seen" ""
	set_at a dcbTrillPortAppointed.$a1 1-1023
}

# trill EGRESS INGRESS [HOPS [SOURCE]]: sends a TRILL frame from the trunk link za to b, as hex.
trill() {
	local hops=${3-10} source=${4-$(mac_of a az)}
	on a "$frames" raw az "$(mac_of b za | tr -d :)${source//:/}8100000122f3$(
		printf '%04x%04x%04x' $hops $1 $2)0200000000330200000000448100000188b50000000000000000"
}
test_dropped_frames_are_counted_by_reason() {
	counts 1 b DropHopCount $za trill 768 256 0
	counts 1 b DropUnknownNickname $za trill 700 256
	counts 1 b DropOwnIngress $za trill 768 512
	counts 1 b DropNickname $za trill 65535 256
	counts 1 b DropNotAdjacent $za trill 768 256 10 "$(mac_of a ab)"
	counts 1 a DropMode $a1 on h1 "$frames" raw p1 \
		"$(mac_of a a1 | tr -d :)02000000000122f3000a01000300020000000033020000000044810000010800"
	counts 1 b Transited $za trill 768 256
}

test_counters_are_right_over_snmp() {
	local hops
	hops=768$(hop b ba)
	is "role" "$(get dcbAgentRole.0)" 3
	is "nickname" "$(get dcbTrillNickname.0)" 256
	is "next hop" "$(get dcbTrillNextHopTree.$ab.$hops)" 1
	is "next hops in use" "$(get dcbTrillNicknameNextHopsUp.768)" 1
	is "port of the tree" "$(get dcbTrillNicknameTreePort.768)" $ab
	at_least "learned" "$(get dcbTrillNicknameLearned.768)" 1
	counts 7 a Ingressed $a1 inject h1 p1 -n 7 -d "$(mac_of h2 p2)"
	wait_for 5 "the same over SNMP" holds dcbTrillPortStatsIngressed.$a1 "$(stats a Ingressed $a1)"
	wait_for 5 "of the nickname" holds dcbTrillNicknameFramesTo.768 "$(value a dcbTrillNicknameFramesTo.768)"
}

test_dcbctl_shows_them() {
	ctl a trill >$T/trill || fail "dcbctl trill: status $?"
	like "own nickname" "$(<$T/trill)" '^nickname: 256'
	like "next hop" "$(<$T/trill)" "ab +768 +$(mac_of b ba | tr : -) +yes +yes"
	ctl a -j trill | jq -e '.[0] | .treeRoot == 512 and ([.nicknames[].nickname] == [512, 768]) and
		.ports[0].mode == "access" and .ports[0].counters.ingressed > 0' >$T/jq || fail "JSON: $(<$T/jq)"
}

# The address of h2 is behind 768 at a, by a frame of h2; an address that a SET has put there as well.
test_addresses_behind_others_are_listed() {
	local h2mac row
	h2mac=$(mac_of h2 p2)
	row=1$(hop h2 p2)
	h2_answers
	wait_for 5 "h2 is behind c" is_value a dcbTrillFdbNickname.$row 768
	is "origin" "$(value a dcbTrillFdbOrigin.$row)" 2
	wait_for 5 "the same over SNMP" holds dcbTrillFdbNickname.$row 768
	put dcbTrillEgressNickname.10.2.0.0.0.0.9 768 dcbTrillEgressRowStatus.10.2.0.0.0.0.9 4
	wait_for 5 "the static one" is_value a dcbTrillFdbOrigin.10.2.0.0.0.0.9 1
	ctl a trill egress >$T/egress || fail "dcbctl trill egress: status $?"
	like "learned" "$(<$T/egress)" "1 +${h2mac//:/-} +768 +learned +[0-9]+ s"
	like "static" "$(<$T/egress)" "10 +02-00-00-00-00-09 +768 +static +-"
	ctl a -j trill egress | jq -e --arg m "${h2mac//:/-}" '.[] | select(.address == $m and .vlan == 1) |
		.nickname == 768 and .origin == "learned" and .ageSeconds >= 0' >$T/jq || fail "JSON: $(<$T/jq)"
	is "addresses of own ports" "$(grep -c "$(mac_of h1 p1 | tr : -)" $T/egress)" 0
	put dcbTrillEgressRowStatus.10.2.0.0.0.0.9 6
	wait_for 5 "the static one is gone" eval '! ctl a trill egress | grep -q static'
}

test_contradicting_settings_are_refused() {
	refused inconsistentValue dcbTrillNickname.0 768
	refused inconsistentValue dcbTrillTreeRoot.0 300
	refused inconsistentName dcbTrillNextHopRowStatus.$az.900"$(hop a ab)" 4
	refused inconsistentValue dcbTrillNextHopTree.$az.768"$(hop b za)" 1 \
		dcbTrillNextHopRowStatus.$az.768"$(hop b za)" 4
	refused inconsistentValue dcbTrillPortMode.$ab 1
	like "reason" "$(ctl a set dcbTrillPortMode.ab access 2>&1)" 'port ab has 2 next hops: expected mode trunk or hybrid'
}

# The second link gets the traffic by a SET at each end; the first one has none any more.
test_set_of_a_next_hop_moves_the_traffic() {
	local first second
	set_at b dcbTrillNextHopRowStatus.$za.256"$(hop a az)" 4 dcbTrillNextHopTree.$za.256"$(hop a az)" 1 \
		dcbTrillNextHopRowStatus.$ba.256"$(hop a ab)" 6
	put dcbTrillNextHopRowStatus.$az.768"$(hop b za)" 4 dcbTrillNextHopTree.$az.768"$(hop b za)" 1 \
		dcbTrillNextHopRowStatus.$az.512"$(hop b za)" 4 dcbTrillNextHopTree.$az.512"$(hop b za)" 1 \
		dcbTrillNextHopRowStatus.$ab.768"$(hop b ba)" 6 dcbTrillNextHopRowStatus.$ab.512"$(hop b ba)" 6
	for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done
	first=$(stats b Transited $ba)
	counts 5 b Transited $za inject h1 p1 -n 5 -d "$(mac_of h2 p2)"
	wait_for 10 "frames for a group" eval 'inject h1 p1 -d ff:ff:ff:ff:ff:ff && wait_for 2 "one" arrived p2 1'
	is "frames of the first link" "$(stats b Transited $ba)" "$first"
	h2_answers
}

# Both links have next hops: while one is down, all flows use the other.
test_flows_leave_a_link_that_is_down() {
	set_at b dcbTrillNextHopRowStatus.$ba.256"$(hop a ab)" 4
	put dcbTrillNextHopRowStatus.$ab.768"$(hop b ba)" 4
	for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done
	is "next hops" "$(value a dcbTrillNicknameNextHops.768)" 2
	ip -n a link set az down
	wait_for 10 "one next hop in use" is_value a dcbTrillNicknameNextHopsUp.768 1
	counts 5 b Transited $ba inject h1 p1 -n 5 -d "$(mac_of h2 p2)"
	wait_for 10 "frames by the first link" arrived p2 5
	ip -n a link set az up
	wait_for 10 "both next hops in use" is_value a dcbTrillNicknameNextHopsUp.768 2
}

# Frames to one RBridge take the first link, those for groups the second one: it is in the tree only.
transited() { [ "$(stats b Transited "$1")" -ge "$2" ]; }     # IFINDEX COUNT
test_next_hop_of_the_tree_only_gets_groups() {
	local first second
	put dcbTrillNextHopUnicast.$az.768"$(hop b za)" 2
	wait_for 5 "a uses all settings" adopted a
	is "next hops" "$(value a dcbTrillNicknameNextHops.768)" 1
	like "row of the tree" "$(ctl a trill az)" "az +768 +[0-9a-f-]+ +no +yes +yes"
	first=$(stats b Transited $ba) second=$(stats b Transited $za)
	inject h1 p1 -n 5 -d "$(mac_of h2 p2)"
	wait_for 10 "frames by the first link" transited $ba $((first + 5))
	is "frames of the second link" "$(stats b Transited $za)" "$second"
	inject h1 p1 -n 5 -d ff:ff:ff:ff:ff:ff
	wait_for 10 "frames for a group by the second link" transited $za $((second + 5))
	wait_for 10 "frames for a group" arrived p2 5
	is "frames for a group" "$(count_at p2)" 5
}

settings() { for t in trill trill_port trill_hop trill_egress; do ctl $1 -j show $t; done; }
test_restart_keeps_the_settings() {
	put dcbTrillEgressNickname.10.2.0.0.0.0.9 768 dcbTrillEgressRowStatus.10.2.0.0.0.0.9 4
	settings a >$T/before
	stop dcbd-a
	start_node a
	wait_for 5 "ports are up" ports_up a a1 ab az
	settings a >$T/after
	same "settings" $T/before $T/after
	h2_answers
	wait_for 10 "dcb-agentx serves its objects again" served
	is "nickname" "$(get dcbTrillNickname.0)" 256
}

run_tests
