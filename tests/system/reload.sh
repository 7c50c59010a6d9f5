#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# SIGHUP: dcbd reads dcbd.conf again. Ports that do not change lose no frame, added and removed ports
# are managed and withdrawn, a file with an error changes nothing, and settings that need a restart
# keep their value. dcbd and dcb-agentx open their logs again.
#
#   h1 - sw1    h2 - sw2    sw3, sw4: changed by reloads
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
for n in 1 2 3 4; do host h$n sw$n; done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3) sw4=$(ifindex sw4)
h1=02:00:00:00:00:01 h2=02:00:00:00:00:02

# The entry of sw1 and sw2 comes first, so that other entries and defaults do not change them.
head='lldp = { enable = false; };'
entry='{ name = "sw[12]"; pvid = 5; }'
# conf PATTERN ENTRIES LINE...: writes dcbd.conf with these interfaces and further entries of ports.
conf() {
	dcbd_conf "$head" "interfaces = { include = [ $1 ]; };" "ports = ( $entry$2 );" "${@:3}"
}
conf '"sw[12]"' ''
start_dcbd
start_snmpd
start_agentx

lines() { grep -cE -- "$1" "${log_of[dcbd]}"; }
more_lines() { [ "$(lines "$1")" -gt "$2" ]; }
# reload [PATTERN]: sends SIGHUP and waits for a line of the log, by default that of a good file.
reload() {
	local wanted=${1-dcbd.conf read again} before
	before=$(lines "$wanted")
	kill -HUP "${pid_of[dcbd]}"
	wait_for 10 "line of the log: $wanted" more_lines "$wanted" "$before"
}
managed() { [[ $("$probe" get $T/control dcbPortRxFrames."$1" 2>&1) =~ ^[0-9]+$ ]]; }
unmanaged() { ! managed "$1"; }
value() { "$probe" get $T/control "$@"; }
up() { [ "$(value dcbPortOperational."$1")" = 1 ]; }

test_added_and_removed_ports_follow_the_file() {
	unmanaged "$sw3" || fail "sw3 is a port"
	conf '"sw[123]"' ''
	reload
	managed "$sw3" || fail "sw3 is no port"
	unmanaged "$sw4" || fail "sw4 is a port"
	logged dcbd "port: sw3: managed, ifIndex $sw3" || fail "no line about sw3"
	put dcbPfcHeadroomResponse."$sw3" 81000
	conf '"sw[124]"' ''
	reload
	unmanaged "$sw3" || fail "sw3 is a port"
	managed "$sw4" || fail "sw4 is no port"
	logged dcbd 'port: sw3: port removed, dcbd.conf does not select it' || fail "no line about sw3"
	# Its settings come back with it.
	conf '"sw*"' ''
	reload
	fresh
	is "dcbPfcHeadroomResponse of sw3" "$(get dcbPfcHeadroomResponse."$sw3")" 81000
	wait_for 5 "sw3 is up" up "$sw3"
}

test_changed_settings_take_effect() {
	local was
	put dcbPfcHeadroomResponse."$sw4" 82000
	was=$(value dcbPortRate."$sw3")
	conf '"sw*"' ', { name = "sw4"; rate = "1G"; }'
	reload
	is "rate of sw4" "$(value dcbPortRate."$sw4")" 1000000000
	is "rate of sw3" "$(value dcbPortRate."$sw3")" "$was"
	is "dcbPfcHeadroomResponse of sw4" "$(value dcbPfcHeadroomResponse."$sw4")" 82000
	wait_for 5 "sw4 is up" up "$sw4"
	conf '"sw*"' '' 'defaults = { rate = "3G"; };'
	reload
	is "rate of sw4" "$(value dcbPortRate."$sw4")" 3000000000
	is "rate of sw3" "$(value dcbPortRate."$sw3")" 3000000000
	# This entry has its rate from defaults, too.
	is "rate of sw1" "$(value dcbPortRate."$sw1")" 3000000000
	for n in 1 2 3 4; do wait_for 5 "sw$n is up" up "$(ifindex sw$n)"; done
	# The ports forward as with the file at the start.
	on h3 "$frames" send eth0 -s 02:00:00:00:00:03 -d ff:ff:ff:ff:ff:ff -n 10
	wait_for 5 "frames sent by sw4" sent_more "$sw4" 9
	conf '"sw*"' ''
	reload
}
sent_more() { [ "$(value dcbPortTxFrames."$1")" -gt "$2" ]; }

# refused TEXT: a reload of a file with this error, which is that of dcbd -t.
refused_reload() {
	local error
	error=$("$build/dcbd" -t -c $T/dcbd.conf 2>&1 >/dev/null | sed -n 's/^dcbd: //p' | head -n 1)
	like "error of dcbd -t" "$error" "$1"
	reload 'error: conf: not read again, nothing is changed: '
	is "line of the log" "$(sed -n 's/.*not read again, nothing is changed: //p' "${log_of[dcbd]}" | tail -n 1)" "$error"
}

test_a_bad_file_changes_nothing() {
	local before rows=(dcbAgentPorts.0 dcbEngineConfigPublished.0 dcbPortRate."$sw1" dcbPortRate."$sw3")
	before=$(value "${rows[@]}")
	conf '"none*"' ', { name = "sw*"; rate = 999; }'
	refused_reload 'dcbd.conf:3: ports\[1\].rate: expected a rate of 1k..10T bit/s .*, not 999'
	conf '"none*"' '' 'color = 5;'
	refused_reload 'dcbd.conf:4: color: unknown setting: expected one of '
	conf '"none*"' '' 'defaults = {'
	refused_reload 'dcbd.conf:4: .* is not closed'
	conf '"sw*"' '' 'bridge = { frame_buffers = 200; };' 'initial = (
		{ object = "dcbPfcPriorityEnable"; index = "*.3"; port = "sw*"; value = "true"; } );'
	refused_reload 'dcbd.conf: .* buffers'
	rm $T/dcbd.conf
	refused_reload 'dcbd.conf: No such file or directory'
	is "values" "$(value "${rows[@]}")" "$before"
	conf '"sw*"' ''
	reload
	is "values after a good file" "$(value "${rows[@]}")" "$before"
}

test_settings_that_need_a_restart_are_named() {
	local before after
	before=$(lines 'warning: conf: ')
	conf '"sw*"' ', { name = "sw4"; rate = "2G"; }' 'bridge = { frame_buffers = 4000; }; dataplane = { priority = 0; cpu = 0; };' \
		'component = 9; user = "games";' 'flows = ( { port = 1; priority = 1; } );' \
		'initial = ( { object = "dcbNotifyRateLimit"; index = "0"; value = 61; } );'
	state=$T/state/other dcbd_conf "$(sed '/^state_file/,$d' $T/dcbd.conf)"
	reload
	for line in 'component: 9 needs a restart of dcbd: it stays 1' \
		'bridge.frame_buffers: 4000 needs a restart of dcbd: it stays 16384' \
		'dataplane.cpu: 0 needs a restart of dcbd: it stays -1' \
		'user: "games" needs a restart of dcbd: it stays "root"' \
		"state_file: \"$T/state/other\" needs a restart of dcbd: it stays \"$T/state/state\"" \
		'flows: the change needs a restart of dcbd' \
		'initial: the change is used only at a start without a state file'; do
		grep -qF "warning: conf: $line" "${log_of[dcbd]}" || fail "not in the log: $line"
	done
	after=$(lines 'warning: conf: ')
	is "warnings" $((after - before)) 8 # flows have no effect in a bridge
	is "frame buffers" "$(value dcbEngineFrameBuffers.0)" 16384
	is "rate of sw4" "$(value dcbPortRate."$sw4")" 2000000000
	put dcbPfcHeadroomResponse."$sw4" 83000
	[ ! -e $T/state/other ] || fail "the state file has moved"
	grep -q 83000 $T/state/state || fail "the state file has not the SET"
	conf '"sw*"' ', { name = "sw4"; provider = "observe"; }'
	reload
	logged dcbd 'warning: conf: provider "observe" needs a restart of dcbd' || fail "no warning"
	is "rate of sw4" "$(value dcbPortRate."$sw4")" 2000000000
	conf '"sw*"' ''
	reload
}

test_unchanged_ports_lose_no_frame() {
	local n=$((100000 / slow)) i rx tx kernel sent=0 before
	local variants=('"sw[12]"' '"sw[123]"' '"sw*"')
	local entries=('' ', { name = "sw3"; rate = "1G"; }' ', { name = "sw*"; rate = "2G"; }' ', { name = "sw4"; pvid = 7; }')
	on h2 "$frames" send eth0 -s $h2 -d $h1
	on h1 "$frames" send eth0 -s $h1 -d $h2
	wait_for 5 "addresses are learned" sent_more "$sw2" 0
	rx=$(value dcbPortRxFrames."$sw1") tx=$(value dcbPortTxFrames."$sw2") kernel=$(value dcbPortDiscardKernel."$sw1")
	before=$(lines 'dcbd.conf read again')
	start sender nsenter --net=/run/netns/h1 -- "$frames" send eth0 -s $h1 -d $h2 -n $n -g 100
	for ((i = 0; i < 100; i++)); do
		conf "${variants[RANDOM % 3]}" "${entries[RANDOM % 4]}"
		reload
		running sender && sent=$((sent + 1))
	done
	is "reloads" $(($(lines 'dcbd.conf read again') - before)) 100
	at_least "reloads while frames were sent" $sent 3
	wait_for 100 "the end of the sender" ended sender
	wait "${pid_of[sender]}"
	is "status of the sender" $? 0
	unset "pid_of[sender]"
	# A busy machine may lose frames in the kernel, before dcbd receives them: those are counted.
	wait_for 10 "all frames are received" all_received $((rx + kernel + n))
	kernel=$(($(value dcbPortDiscardKernel."$sw1") - kernel))
	printf '    %d frames, %d reloads meanwhile, %d discarded by the kernel\n' $n $sent $kernel
	wait_for 10 "all frames are sent" all_sent $((tx + n - kernel))
	timed at_most "frames discarded by the kernel" $kernel 0
	conf '"sw*"' ''
	reload
}
ended() { gone "${pid_of[$1]}"; }
all_received() { [ $(($(value dcbPortRxFrames."$sw1") + $(value dcbPortDiscardKernel."$sw1"))) -ge "$1" ]; }
all_sent() { [ "$(value dcbPortTxFrames."$sw2")" -ge "$1" ]; }

test_many_signals_end_no_program() {
	local i
	for ((i = 0; i < 300; i++)); do
		kill -HUP "${pid_of[dcbd]}" "${pid_of[agentx]}" || break
	done
	reload
	running dcbd || fail "dcbd has ended"
	running agentx || fail "dcb-agentx has ended"
	wait_for 10 "dcb-agentx serves its objects" served
}

test_logs_are_opened_again() {
	local name
	for name in dcbd agentx; do
		mv "${log_of[$name]}" "${log_of[$name]}.1"
		kill -HUP "${pid_of[$name]}"
		wait_for 5 "log of $name" test -s "${log_of[$name]}"
	done
	wait_for 5 "line of dcb-agentx" logged agentx 'SIGHUP: the log is opened again'
	wait_for 5 "line of dcbd" logged dcbd 'dcbd.conf read again: 4 ports'
	served || fail "dcb-agentx does not serve its objects"
}

test_a_station_replaces_changed_ports() {
	local before
	stop dcbd
	dcbd_conf "$head" 'role = "station"; interfaces = { include = [ "sw[12]" ]; };' \
		'ports = ( { name = "sw1"; tap = "one"; }, { name = "sw2"; tap = "two"; } );'
	start_dcbd
	wait_for 5 "taps" ip link show two
	dcbd_conf "$head" 'role = "station"; interfaces = { include = [ "sw[12]" ]; };' \
		'ports = ( { name = "sw1"; tap = "one"; }, { name = "sw2"; tap = "two"; rate = "1G"; } );'
	before=$(ifindex one)
	reload
	is "rate of sw2" "$(value dcbPortRate."$sw2")" 1000000000
	wait_for 5 "sw2 is up" up "$sw2"
	ip link show two >/dev/null || fail "no tap two"
	is "ifIndex of tap one" "$(ifindex one)" "$before"
}

run_tests
