#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbctl storms --trace over three bridges with a real lldpd and snmpd each. x pauses c; frames of s
# fill c, which pauses b, which pauses a.
#
#   s -- as [a] ab == ba [b] bc == cb [c] cx -- x        m0 of each bridge: its management address
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
command -v snmpbulkwalk snmpd >/dev/null || skip_all "Net-SNMP is not installed"

# lldpd serves LLDP-MIB in the agent of its node.
lldpd_args() {
	printf '%s\n' -dd -u $T/$1/lldpd -p $T/$1/lldpd.pid -I "$2" -C "$2" -S "$1" -L '' -x -X unix:$T/$1/master
}

# start_snmp NODE: starts an agent with two communities: "all" sees all objects, "std" none of
# DCB-AGENT-MIB.
start_snmp() {
	cat >$T/$1/snmpd.conf <<-END
		agentaddress udp:161
		master agentx
		agentXSocket unix:$T/$1/master
		view std included .1
		view std excluded .$AGENT
		view all included .1
		rocommunity all default -V all
		rocommunity std default -V std
	END
	mkdir -p $T/snmp/$1
	SNMP_PERSISTENT_DIR=$T/snmp/$1 start snmpd-$1 nsenter --net=/run/netns/$1 -- \
		snmpd -f -LE w -C -c $T/$1/snmpd.conf -I -smux,mteTrigger,mteTriggerConf -p $T/$1/snmpd.pid
	wait_for 10 "snmpd of $1 answers" asked $1 all 1.3.6.1.2.1.1.3.0
}
asked() { snmpget -v2c -c $2 -t 1 -r 0 -Oqv 10.9.${place[$1]}.2 "$3" | grep -v 'No Such'; } # NODE COMMUNITY OID

declare -A place=([a]=1 [b]=2 [c]=3)
for n in s a b c x; do node $n; done
cable s sa a as
cable a ab b ba
cable b bc c cb
cable c cx x xc
rate=100000000    # bit/s: the longest pause takes 335 ms
threshold=20000   # octets from which a bridge pauses its neighbor
headroom=400000   # more than all frames
for n in a b c; do
	ip link add to-$n type veth peer name m0 netns $n || die "no link for the management of $n"
	ip addr add 10.9.${place[$n]}.1/24 dev to-$n
	ip link set to-$n up
	ip -n $n addr add 10.9.${place[$n]}.2/24 dev m0
	ip -n $n link set m0 up
	node_conf $n bridge "$n*" 'bridge = { frame_buffers = 65536; transit_delay = 0; };' \
		"defaults = { rate = ${rate}L; speed = ${rate}L; pfc = { buffer = $((headroom + threshold)); headroom = $headroom; }; };" \
		'initial = ( { object = "dcbPfcPriorityEnable"; index = "*.3"; port = "*"; value = "true"; } );'
done
for n in a b c; do
	start_snmp $n
	start_lldpd $n
	start_node $n
	start agentx-$n "$build/dcb-agentx" -x unix:$T/$n/master -c $T/$n/control
done
for n in a b c; do
	lldp $n configure system hostname sw-$n
	wait_for 10 "dcb-agentx of $n" asked $n all ${O[dcbAgentRole]}.0
	wait_for 10 "LLDP-MIB of $n" asked $n std 1.0.8802.1.1.2.1.3.1.0
done
# knows NODE PORT "NAME ADDRESS": its dcbd has this neighbor there.
knows() { [ "$(ctl $1 -j neighbors $2 | jq -r '.[0].neighbors[] | .systemName + " " + .managementAddress')" = "$3" ]; }
lldp_mib_has() { snmpbulkwalk -v2c -c std 10.9.${place[$1]}.2 1.0.8802.1.1.2.1.4.1.1.9 | grep -q "\"$2\""; } # NODE NAME
for i in "a ab sw-b 10.9.2.2" "b ba sw-a 10.9.1.2" "b bc sw-c 10.9.3.2" "c cb sw-b 10.9.2.2"; do
	# shellcheck disable=SC2086 # words
	set -- $i
	wait_for 20 "neighbor of $2" knows $1 $2 "$3 $4"
	wait_for 20 "LLDP-MIB of $1" lldp_mib_has $1 "$3"
	wait_for 10 "$2 is up" ports_up $1 $2
done

# pauses NODE IF: sends PFC frames there, as the system of the node would, until "stop pfcgen-IF".
pauses() {
	start pfcgen-$2 nsenter --net=/run/netns/$1 -- "$build/dcb-pfcgen" -p 3 -q 65535 -i 50ms -t 3600s $2
}
# trace COMMUNITY ARGUMENT...: what a finds, in $T/trace, and the status in $status; as JSON in $T/traces.json.
trace() {
	status=0
	ctl a -j storms --trace --snmp "-v2c -c $1" "${@:2}" >$T/traces.json 2>$T/error || status=$?
	[ ! -s $T/error ] || fail "trace ${*:2}: $(<$T/error)"
	jq -r '.[] | (.hops[] | .system + " " + .port), .end.reason' $T/traces.json >$T/trace
}
is_paused() { [ "$(value $1 dcbPfcPriorityPaused."$(if_of $1 $2)".3)" = 1 ]; } # NODE IF
# finds STATUS COMMUNITY "LINE,LINE...": a trace from ab has these lines.
finds() {
	trace $2 dev ab prio 3
	[ "$status $(paste -sd, $T/trace)" = "$1 $3" ]
}
# expects WHAT STATUS COMMUNITY "LINE,LINE...": the trace has these lines at last: pauses take time to spread.
expects() {
	wait_for 10 "$1" finds "${@:2}" || cat $T/traces.json
}

test_nothing_is_paused() {
	trace all
	is "status, traces" "$status $(<$T/traces.json)" "1 []"
	like "text" "$(ctl a storms --trace)" '^no port is paused$'
	trace all dev ab prio 3
	is "status, end" "$status $(jq -r '.[0].end.reason' $T/traces.json)" "1 notPaused"
}

test_pause_of_the_far_port_is_found() {
	local text
	pauses x xc
	wait_for 10 "cx is paused" is_paused c cx
	on s "$frames" send sa -v 2 -p 3 -n 300 -l 1400
	wait_for 20 "bc is paused" is_paused b bc
	wait_for 20 "ab is paused" is_paused a ab
	expects "trace" 1 all "sw-a ab,sw-b bc,sw-c cx,noNeighbor"
	text=$(ctl a storms --trace --snmp '-v2c -c all' dev ab prio 3)
	printf '%s\n' "$text" | sed 's/^/    /'
	like "first hop" "$text" '1  .* \(this system\)  ab prio 3: paused [0-9]+ %(, a storm,)? by sw-b \(10\.9\.2\.2\), port '
	like "last hop" "$text" $'\n3  sw-c \\(10\\.9\\.3\\.2\\)  cx prio 3: paused [0-9]+ %\n'
	like "end" "$text" 'LLDP knows no neighbor at cx of sw-c, which is paused from there$'
	at_least "percent at cx" "$(jq '.[0].hops[2].pausedPercent | floor' $T/traces.json)" 20
	# Without arguments, the ports that are paused.
	trace all
	is "traces" "$(jq -c '[.[] | [.port, .priority]]' $T/traces.json)" '[["ab",3]]'
}

test_standard_modules_are_sufficient() {
	expects "trace" 1 std "sw-a ab,sw-b bc,sw-c cx,noNeighbor"
	is "counters" "$(jq -c '[.[0].hops[] | .ofAllPriorities]' $T/traces.json)" '[false,true,true]'
	like "text" "$(ctl a storms --trace --snmp '-v2c -c std' dev ab prio 3)" 'bc prio 3: [0-9]+ PFC frames/s of all priorities by sw-c'
}

test_trace_ends_where_it_cannot_go_on() {
	local command
	trace none dev ab prio 3
	is "another community" "$status $(jq -r '.[0].end.reason' $T/traces.json)" "1 noAnswer"
	like "text" "$(jq -r '.[0].end.text' $T/traces.json)" '^sw-b \(10\.9\.2\.2\) does not answer by SNMP: Timeout'
	stop snmpd-c
	trace all dev ab prio 3
	is "hops without SNMP at c" "$status $(tail -n +2 $T/trace | paste -sd,)" "1 sw-b bc,noAnswer"
	like "text" "$(jq -r '.[0].end.text' $T/traces.json)" '^sw-c \(10\.9\.3\.2\) does not answer'
	start_snmp c
	wait_for 20 "objects of c again" asked c all ${O[dcbAgentRole]}.0
	command=$(command -v snmpbulkwalk)
	mkdir $T/path
	is "without tool" "$(PATH=$T/path "$build/dcbctl" -s $T/a/control -j storms --trace dev ab prio 3 | $(command -v jq) -r '.[0].end.reason')" noTool
	ln -s "$command" $T/path/snmpbulkwalk
	trace "all -v2c" dev ab prio 3
	is "words of --snmp" "$status $(tail -n 1 $T/trace)" "1 noNeighbor"
}

# A neighbor can announce any address. The TLV: 8.5.9 of IEEE Std 802.1AB.
test_addresses_of_neighbors_are_no_arguments() {
	local address
	for address in 7f000001 00000000 e0000001; do
		speak x xc -t 60 -c x -o $'p\e[2J' -g 200000 "=100c0501${address}020000000100"
		wait_for 10 "x is a neighbor" eval '[ "$(ctl c -j neighbors cx | jq ".[0].neighbors | length")" = 1 ]'
		wait_for 10 "trace to x" finds 1 all "sw-a ab,sw-b bc,sw-c cx,noAddress" || cat $T/traces.json
		ctl a storms --trace --snmp '-v2c -c all' dev ab prio 3 >$T/said
		! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' $T/said || fail "control characters: $(<$T/said)"
		stop_peer xc
		on x "$peer" send xc -c x -o $'p\e[2J' -t 0
		wait_for 10 "x is gone" eval '[ "$(ctl c -j neighbors cx | jq ".[0].neighbors | length")" = 0 ]'
	done
}

test_system_that_is_not_paused_is_the_source() {
	stop pfcgen-xc
	wait_for 20 "all frames have left" eval '! is_paused b bc && ! is_paused a ab'
	pauses c cb
	wait_for 10 "bc is paused" is_paused b bc
	on s "$frames" send sa -v 2 -p 3 -n 300 -l 1400
	wait_for 20 "ab is paused" is_paused a ab
	expects "trace" 0 all "sw-a ab,sw-b bc,source"
	like "text" "$(jq -r '.[0].end.text' $T/traces.json)" '^sw-c is the source: '
	expects "trace by the standard modules" 0 std "sw-a ab,sw-b bc,source"
	stop pfcgen-cb
}

test_arguments_are_checked() {
	local words
	while read -r words; do
		# shellcheck disable=SC2086
		ctl a storms $words >$T/said 2>&1
		status=$?
		is "status of storms $words: $(<$T/said)" $status 2
	done <<-'END'
		--snmp x show
		--trace dev
		--trace prio 9
		--trace dev nosuchif
		--trace dev ab prio
		--trace ab
	END
}

run_tests
