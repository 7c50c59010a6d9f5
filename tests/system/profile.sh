#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Profile of a port: initial values for its rate on real interfaces; a link that changes its speed;
# values that a manager has set win, also after a restart.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
objects6='ieee8021CnCpQueueSizeSetPoint ieee8021CnCpMinSampleBase ieee8021CnRpgTimeReset
	ieee8021CnRpgAiRate ieee8021CnRpgHaiRate ieee8021CnRpgMinRate'
standard='26000 150000 15 5 50 5'
at_200m='50000 75000 50 1 5 1'
at_100g='26000 150000 2 50 500 5'

# values PORT: of the six objects, priority 3, in one line.
values() {
	local name index i
	i=$(ifindex "$1")
	for name in $objects6; do
		index=1.3.$i.3
		[[ $name != *CnCp* ]] || index=1.$i.3
		get "$name.$index"
	done | paste -sd' '
}
values_are() { [ "$(values "$1")" = "$2" ]; } # PORT VALUES
speed() { ethtool -s "$1" speed "$2" duplex full || die "cannot set the speed of $1"; }

# A tap has the speed that ethtool sets; p1 and p2 have that of veth, 10 Gb/s.
for p in p1 p2; do
	ip link add $p type veth peer name x$p
	ip link set $p up
	ip link set x$p up
done
ip tuntap add p3 mode tap
ip link set p3 up
speed p3 200
start_all 'role = "station";' 'interfaces = { include = [ "p?" ]; };' 'ports = (
	{ name = "p1"; profile = "standard"; rate = "200M"; },
	{ name = "p2"; profile = "scaled"; rate = "200M"; },
	{ name = "p3"; profile = "scaled"; } );' \
	'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		{ object = "ieee8021CnRpgMinRate"; index = "1.3.*.3"; port = "p2"; value = 2; } );'

test_initial_values_are_those_of_the_rate() {
	is "standard" "$(values p1)" "$standard"
	is "scaled, rate of dcbd.conf, MinRate of initial" "$(values p2)" "${at_200m% *} 2"
	is "scaled, speed of the link" "$(values p3)" "$at_200m"
	is "rate of the values" "$(get dcbPortCnProfileRate."$(ifindex p3)")" 200000000
	logged dcbd 'p3: profile "scaled": initial values for 200 Mb/s' || fail "no line in the log"
}

# dcbctl prints the values that dcbd has set.
test_dcbctl_prints_the_same_values() {
	local name printed=
	for name in $objects6; do
		printed+=" $("$build/dcbctl" -j cn-profile 200M |
			jq -r --arg name "$name" '.[0].objects[] | select(.object == $name).value')"
	done
	is "dcbctl cn-profile" "${printed# }" "$at_200m"
}

test_initial_values_follow_the_speed_and_set_ones_stay() {
	put ieee8021CnRpgAiRate.1.3."$(ifindex p3)".3 1
	speed p3 100000
	wait_for 10 "values for 100 Gb/s" values_are p3 "${at_100g/ 50 / 1 }" ||
		fail "values of p3: $(values p3)"
	is "p2" "$(values p2)" "${at_200m% *} 2"
	restart_dcbd
	is "p3 after a restart" "$(values p3)" "${at_100g/ 50 / 1 }"
	is "p2 after a restart" "$(values p2)" "${at_200m% *} 2"
	speed p3 200
	wait_for 10 "values for 200 Mb/s" values_are p3 "$at_200m" || fail "values of p3: $(values p3)"
}

run_tests
