#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Receive rings that share a memory: six ports have 128 KiB each, for 64 frames, and the rest of
# 1 MiB is enough for two of them to grow.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
hosts="1 2 3 4 5 6"
for n in $hosts; do host h$n sw$n; done
dcbd_conf 'interfaces = { include = [ "sw*" ]; }; bridge = { receive_memory = 1; };'
start_dcbd
discards=()
for n in $hosts; do discards+=("dcbPortDiscardKernel.$(ifindex sw$n)"); done
lost() { mapfile -t lost < <("$probe" get $T/control "${discards[@]}"); }
operational() {
	local n up
	for n in $hosts; do
		up=$("$probe" get $T/control "dcbPortOperational.$(ifindex sw$n)") && [ "$up" = 1 ] || return 1
	done
}
wait_for 5 "all ports are up" operational

# burst COUNT HOST...: each host sends as many frames while dcbd is stopped.
burst() {
	local n
	for n in "${@:2}"; do
		on h$n "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -n "$1" || fail "cannot send frames"
	done
}
grown() { [ "$(grep -c 'frames were lost, receive ring of 0.2 MiB' "${log_of[dcbd]}")" -ge "$1" ]; }
count_sockets() { find "/proc/${pid_of[dcbd]}/fd" -lname 'socket:*' | wc -l; }
has_sockets() { [ "$(count_sockets)" -eq "$1" ]; }
have_lost() { lost && [ "${lost[0]}" -gt 0 ] && [ "${lost[1]}" -gt 0 ] && [ "${lost[2]}" -gt 0 ]; }

# All three lose frames, and the memory has room for two. With the larger rings none is lost.
test_rings_of_several_ports_grow() {
	local before sockets
	sockets=$(count_sockets)
	while_stopped dcbd burst 150 1 2 3
	wait_for 10 "frames lost at three ports" have_lost
	wait_for 10 "two rings have grown" grown 2
	wait_for 10 "the former rings are closed" has_sockets "$sockets"
	is "frames lost at other ports" "${lost[*]:3}" "0 0 0"
	before=${lost[*]}
	while_stopped dcbd burst 100 $(grep -o 'sw[0-9]: frames were lost' "${log_of[dcbd]}" | grep -o '[0-9]')
	while_stopped dcbd burst 40 4 5 6
	# Losses are read once in a second: those of port 4 afterwards are read later than any before.
	while_stopped dcbd burst 150 4
	wait_for 10 "frames lost at port 4" port_4_lost
	is "frames lost at ports 1 to 3, 5 and 6" "${lost[*]:0:3} ${lost[*]:4}" "${before% 0 0 0} 0 0"
	is "rings that have grown" "$(grep -c 'receive ring of 0.2 MiB' "${log_of[dcbd]}")" 2
}
port_4_lost() { lost && [ "${lost[3]}" -gt 0 ]; }

run_tests
