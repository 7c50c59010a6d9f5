#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbd on a switch whose ports all have provider "observe": no dataplane thread and no frame memory,
# none of their objects, and all else as with a dataplane: service manager, SETs, state file, reload.
#
#   h1 === [ob1 ob2] kernel's bridge, observed by dcbd
#   h2 ===
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

manager=$build/tests/system/manager
host h1 ob1
host h2 ob2
ip link add name other type bridge || die "cannot make a bridge in the kernel"
ip link set other up
ip link set ob1 master other
ip link set ob2 master other
ob1=$(ifindex ob1)

# conf PROVIDER-OF-OB2. A frame memory of this size would have 1.6 GB.
conf() {
	dcbd_conf 'interfaces = { include = [ "ob*" ]; };' 'lldp = { enable = false; };' \
		'bridge = { frame_buffers = 1048576; };' 'ports = (
		{ name = "ob2"; provider = "'"$1"'"; },
		{ name = "ob*"; provider = "observe"; } );'
}
conf observe
watchdog_s=$((3 * slow))
start manager "$manager" listen $T/notify
wait_for 5 "the service manager listens" logged manager ready
messages() { grep -cE "^[0-9]+ $1" "${log_of[manager]}"; }
more() { [ "$(messages "$1")" -gt "$2" ]; } # MESSAGE NUMBER

start dcbd env NOTIFY_SOCKET=$T/notify WATCHDOG_USEC=$((watchdog_s * 1000000)) "$build/dcbd" -c $T/dcbd.conf
wait_for 20 "dcbd is up" dcbd_up
start_snmpd
start_agentx

threads() { cat /proc/"${pid_of[dcbd]}"/task/*/comm | sort | tr '\n' ' '; }

test_no_thread_and_no_memory() {
	local size
	wait_for 20 "READY" more 'READY=1[|]STATUS=2 ports$' 0
	is "threads" "$(threads | tr ' ' '\n' | grep -cE '^(dataplane|station|observer)$')" 0
	size=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB$/\1/p' /proc/"${pid_of[dcbd]}"/status)
	# AddressSanitizer does not return freed memory.
	at_most "resident memory, kB" "$size" $((60000 * slow))
	size=$(sed -n 's/^VmData:[^0-9]*\([0-9]*\) kB$/\1/p' /proc/"${pid_of[dcbd]}"/status)
	[ $slow -gt 1 ] || at_most "data, kB" "$size" 1000000
}

test_watchdog_is_fed() {
	local n
	n=$(messages WATCHDOG=1)
	wait_for 20 "WATCHDOG" more WATCHDOG=1 $((n + 1))
}

test_objects_of_the_engine_do_not_exist() {
	local name
	for name in dcbEngineLoops.0 dcbEngineRealTime.0 dcbBufferStatus.0 dcbBufferPoolSizeOctets.1; do
		like "$name" "$(get $name)" 'No Such (Instance|Object)'
	done
	refused 'noCreation|notWritable|inconsistentName' dcbBufferHeadroomRatio.0 2
	is "ports" "$(get dcbAgentPorts.0)" 2
	is "provider" "$(get dcbAgentProvider.0)" '"observe"'
	! walk_all | grep -E '(timeout|genErr)' || fail "walk"
	is "dcbctl buffers" "$("$build/dcbctl" -s $T/control buffers)" "no frame memory: dcbd moves no frames"
	is "dcbctl buffers --json" "$("$build/dcbctl" -s $T/control buffers --json)" "[]"
}

test_settings_survive_a_restart() {
	put dcbPfcPriorityEnable.$ob1.3 1
	restart_dcbd
	is "PFC" "$(get dcbPfcPriorityEnable.$ob1.3)" 1
	put dcbPfcPriorityEnable.$ob1.3 2
}

test_port_of_another_provider_needs_a_restart() {
	conf soft
	kill -HUP "${pid_of[dcbd]}"
	wait_for 20 "reload" logged dcbd 'read again: 2 ports'
	logged dcbd 'provider "soft" needs a restart of dcbd' || fail "no warning"
	is "ports" "$(get dcbAgentPorts.0)" 2
	host h3 ob3
	is "threads" "$(threads | tr ' ' '\n' | grep -cx dataplane)" 0
	restart_dcbd
	is "threads" "$(threads | tr ' ' '\n' | grep -cx dataplane)" 1
	is "engine" "$(get dcbEngineRealTime.0 | grep -c .)" 1
	conf observe
}

test_check_of_the_file_needs_no_privileges() {
	local out
	conf observe
	out=$("$build/dcbd" -t -c $T/dcbd.conf 2>&1) || fail "dcbd -t: $out"
	like "output" "$out" 'port ob1: provider observe'
}

run_tests
