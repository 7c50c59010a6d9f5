#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Ports whose NIC does PFC and ETS itself, in a virtual machine with Debian's kernel: the module of
# tests/kernel plays their drivers. Each test here is a function of the same name in hardware.guest,
# which runs there; all of them in one boot.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/system/guest.sh
. "$(dirname -- "$0")/guest.sh"

guest_needs dcb ethtool ip lldpd snmpd snmpget snmpset
[ -f "$kernel/module/dcb_ports.ko" ] || die "$kernel/module/dcb_ports.ko does not exist: .ci/guest.sh makes it"

make_guest() {
	local name
	copy_programs programs dcb ethtool ip lldpd snmpd snmpget snmpset "$build"/dcb{d,-agentx,-lldp,ctl} \
		"$build"/tests/system/{mo_probe,kernel_cases}
	strip --strip-debug -o $root/programs/dcb_ports.ko "$kernel/module/dcb_ports.ko"
	mkdir -p $root/etc
	printf '%s\n' root:x:0:0::/:/bin/sh _lldpd:x:902:902::/:/bin/sh >$root/etc/passwd
	printf '%s\n' root:x:0: _lldpd:x:902: >$root/etc/group
	sed -n 's/^\(test_[a-z0-9_]*\)() { passed; }$/\1/p' "$0" | grep -- "${only-}" >$T/tests
	# The OID and the letter of snmpset for each object.
	for name in "${!table_of[@]}"; do
		type_of "$name"
		printf 'oid_%s=%s type_%s=%s\n' "$name" "${O[$name]}" "$name" "$type"
	done >$T/objects
	pack "$src/tests/system/hardware.guest" $T/tests $T/objects
}

[ "${1-}" != demo ] || only=test_demo_shows_its_effects
make_guest
start_guest hardware hardware.guest ipv6.disable=1 -M pc -accel tcg,thread=multi -smp 2 -m 512

# ./dev demo hardware: the demonstration alone, as the virtual machine goes on.
if [ -n "${only-}" ]; then
	tail -n +1 -f --pid="${pid_of[hardware]}" "${log_of[hardware]}" | tr -d '\r' | sed -nu 's/^demo: //p'
	guest_ends hardware 30
	exit
fi

# passed: the test of this name has run in the virtual machine, without a failure.
# shellcheck disable=SC2154 # of lib.sh
passed() {
	is "failures in the virtual machine" "$(said hardware $current failed)" ""
	like "duration" "$(said hardware $current ms)" '^[0-9]+$'
}

test_guest_runs_to_its_end() {
	# Idle machine: 50 s.
	guest_ends hardware 90
	is "the last line" "$(said hardware end)" 1
}

test_module_has_what_dcb_sets() { passed; }
test_module_counts_by_names_of_drivers() { passed; }
test_module_without_setter_reports_success() { passed; }
test_module_refuses_as_it_is_told() { passed; }
test_module_firmware_decides_until_the_flag_is_off() { passed; }
test_module_resets_its_link() { passed; }
test_module_holds_rtnl() { passed; }
test_module_can_be_unplugged() { passed; }
test_module_forwards_frames() { passed; }
test_report_is_complete() { passed; }
test_kernel_passes_the_cases_of_its_double() { passed; }

test_set_reaches_the_kernel() { passed; }
test_restart_erases_nothing() { passed; }
test_change_in_the_kernel_is_seen_and_kept() { passed; }
test_set_of_two_ports_is_all_or_none() { passed; }
test_port_of_firmware_is_not_writable() { passed; }
test_success_without_effect_is_no_success() { passed; }
test_counters_are_those_of_the_driver() { passed; }
test_prevention_of_storms_is_that_of_the_driver() { passed; }
test_rates_and_buffers_are_those_of_the_device() { passed; }
test_reaction_points_are_those_of_the_device() { passed; }
test_get_does_not_wait_for_rtnl() { passed; }
test_reset_of_the_link_is_survived() { passed; }
test_kill_between_set_and_read_back() { passed; }
test_two_managers_at_once() { passed; }
test_unplugged_port_comes_back() { passed; }
test_dcbx_between_hardware_and_software_port() { passed; }
test_demo_shows_its_effects() { passed; }

run_tests
