#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Interfaces are added, removed, changed and renamed while dcbd runs. The rows follow, within a
# second on an idle machine, with the kernel's ifIndex. PFC headroom also follows the interfaces; it
# can be set over SNMP, is saved, and equals the calculation of dcbctl without dcbd.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

added() { # NAME: both ends are down
	local ours
	new_address
	ours=$address
	new_address
	ip link add "$1" address "$ours" type veth peer name "x$1" address "$address" || die "cannot make interface $1"
}
port() { # NAME
	added "$1"
	ip link set "$1" up
	ip link set "x$1" up
}
port sw1
port sw2
port other1
port sw7 # test_headroom_settings_survive_restart deletes it
start_all 'interfaces = { include = [ "sw*", "uplink?" ]; exclude = [ "sw9*" ]; };' 'ports = (
	{ name = "sw2"; rate = "2.5G"; speed = "2.5G"; },
	{ name = "sw7"; pfc = { headroom = 20000; }; } );' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "dcbPfcHeadroomResponse"; index = "*"; port = "sw7"; value = "50000"; } );'

managed() { [[ $(get ieee8021PfcRequests."$1") =~ ^[0-9]+$ ]]; }
unmanaged() { [[ $(get ieee8021PfcRequests."$1") == *'No Such Instance'* ]]; }
# within_a_second WHAT COMMAND...
within_a_second() {
	wait_for 3 "$@" || return
	timed at_most "milliseconds to: $1" "$waited" $((1000 * slow))
}

# Every table with rows for ports has rows for exactly these interfaces.
ports_are() { # NAME...
	local column columns=(ieee8021PfcLinkDelayAllowance dcbPortRxFrames ieee8021CnPortPriDefModeChoice ieee8021CnCpPriority)
	local walks=()
	fresh
	for column in "${columns[@]}"; do
		rows $column >$T/$column &
		walks+=($!)
	done
	ip -o link show | awk -F': ' -v names="$*" '
		BEGIN { for (i = split(names, name, " "); i > 0; i--) wanted[name[i]] }
		{ sub(/@.*/, "", $2) }
		$2 in wanted { print $1 }' >$T/wanted
	is "interfaces" "$(wc -l <$T/wanted)" $#
	wait "${walks[@]}"
	for column in "${columns[@]}"; do
		# Component 1, priority 3 before or after ifIndex.
		sed -E 's/^1\.3\.([0-9]+)$/\1/; s/^1\.([0-9]+)\.3$/\1/' $T/$column | sort -n >$T/got
		same "$column" $T/wanted $T/got
	done
	is "dcbAgentPorts" "$(get dcbAgentPorts.0)" $#
}

p1=$(ifindex sw1) p2=$(ifindex sw2) p7=$(ifindex sw7)
calculated=dcbPfcHeadroomCalculated force=dcbPfcHeadroomInForce

# planned OPTION...: the headroom that dcbctl calculates for these inputs, in bits.
planned() { "$build/dcbctl" -j headroom "$@" | sed -n '/"headroom": {/,$ s/.*"bits": \([0-9]*\).*/\1/p'; }

# A veth has 10 Gb/s and an MTU of 1500 octets.
test_headroom_is_as_dcbctl_calculates() {
	is "sw1" "$(get $calculated."$p1")" "$(planned --mtu 1500)"
	is "sw2" "$(get $calculated."$p2")" "$(planned --mtu 1500 --speed 2.5G --phy worst)"
	is "sw1, in force" "$(get $force."$p1")" "$(planned --mtu 1500)"
	is "sw7, calculated" "$(get $calculated."$p7")" "$(planned --mtu 1500 --response 50000)"
	is "sw7, by dcbd.conf" "$(get $force."$p7")" 160000
	put dcbPfcHeadroomResponse."$p1" 80000 dcbPfcHeadroomCableLength."$p1" 20 \
		dcbPfcHeadroomCableMedium."$p1" 2 dcbPfcHeadroomPhy."$p1" 2
	is "sw1 with a software peer" "$(get $force."$p1")" \
		"$(planned --mtu 1500 --response 80000 --cable 20 --medium fibre --phy none)"
}

test_headroom_follows_the_mtu() {
	local wanted
	wanted=$(planned --mtu 9000 --response 80000 --cable 20 --medium fibre --phy none)
	ip link set sw1 mtu 9000
	wait_for 5 "headroom for an MTU of 9000" holds $force."$p1" "$wanted"
	ip link set sw1 mtu 1500
	wait_for 5 "headroom for an MTU of 1500" holds $force."$p1" $((wanted - 2 * 8 * 7500))
}

# The log says what happened to a link, within a limit, and its last state in any case.
test_log_tells_changes_of_a_link() {
	local before lines i
	wait_for 5 "MTU in the log" logged dcbd 'port: sw1: MTU 9000, was 1500'
	before=$(get dcbPortLinkChanges."$p1")
	ip link set xsw1 down
	wait_for 5 "link down" logged dcbd "port: sw1: link down, change $((before + 1))\$"
	ip link set xsw1 up
	wait_for 5 "link up" logged dcbd "port: sw1: link up, 10000 Mb/s, change $((before + 2))\$"
	for ((i = 0; i < 40; i++)); do
		ip link set xsw1 down
		ip link set xsw1 up
	done
	wait_for 5 "changes of sw1" holds dcbPortLinkChanges."$p1" $((before + 82))
	wait_for 20 "the last state" logged dcbd "sw1: link up, 10000 Mb/s, change $((before + 82)) \([0-9]+ "
	lines=$(grep -c 'port: sw1: link ' "${log_of[dcbd]}")
	at_most "lines about the link" "$lines" 20
	is "changes of sw2" "$(get dcbPortLinkChanges."$p2")" 0
}

test_headroom_minimum_and_maximum() {
	refused inconsistentValue dcbPfcHeadroomMaximum."$p1" 1000 dcbPfcHeadroomMinimum."$p1" 1001
	is "minimum" "$(get dcbPfcHeadroomMinimum."$p1")" 0
	put dcbPfcHeadroomMaximum."$p1" 1000
	is "in force" "$(get $force."$p1")" 1000
	is "status" "$(get dcbPfcHeadroomStatus."$p1")" 3
	refused inconsistentValue dcbPfcHeadroomMinimum."$p1" 1001
	put dcbPfcHeadroomMaximum."$p1" 4294967295
}

test_headroom_settings_survive_restart() {
	put ieee8021PfcLinkDelayAllowance."$p2" 7777 dcbPfcHeadroomChoice."$p2" 2
	is "administered allowance" "$(get $force."$p2")" 7777
	restart_dcbd
	wait_for 5 "allowance after the restart" holds $force."$p2" 7777
	is "response" "$(get dcbPfcHeadroomResponse."$p1")" 80000
	put dcbPfcHeadroomChoice."$p2" 1 dcbPfcHeadroomResponse."$p1" 0 ieee8021PfcLinkDelayAllowance."$p2" 0
	is "calculated" "$(get $force."$p2")" "$(planned --mtu 1500 --speed 2.5G --phy worst)"
	ip link del sw7
	within_a_second "row of sw7 goes" unmanaged "$p7"
}

test_interfaces_match_patterns() {
	ports_are sw1 sw2
	unmanaged "$(ifindex other1)" || fail "other1 is managed"
	unmanaged 1 || fail "lo is managed"
}

# snmpd's own IF-MIB and our tables use the same ifIndex, as ieee8021PfcIfTable augments ifTable.
test_ifindex_is_that_of_if_mib() {
	local i name
	for i in $(rows ieee8021PfcRequests); do
		name=$(snmpget "${v2c[@]}" -Oqv $agent 1.3.6.1.2.1.31.1.1.1.1.$i | tr -d '"')
		is "ifIndex of $name" "$(ifindex "$name")" "$i"
	done
	snmpwalk "${v2c[@]}" -Oqv $agent 1.3.6.1.2.1.2.2.1.1 >$T/if-mib
	for i in $(rows ieee8021PfcRequests); do
		grep -qx "$i" $T/if-mib || fail "ifIndex $i is not in ifTable"
	done
}

test_added_interfaces_get_rows() {
	port sw3
	within_a_second "row of sw3" managed "$(ifindex sw3)"
	ports_are sw1 sw2 sw3
	port sw91
	port uplink1
	port uplink22
	within_a_second "row of uplink1" managed "$(ifindex uplink1)"
	ports_are sw1 sw2 sw3 uplink1
}

test_removed_interfaces_lose_rows() {
	local i
	i=$(ifindex sw3)
	put ieee8021CnCpQueueSizeSetPoint.1.$i.3 44000
	ip link del sw3
	within_a_second "row of sw3 goes" unmanaged "$i"
	fresh
	like "CP of sw3" "$(get ieee8021CnCpQueueSizeSetPoint.1.$i.3)" 'No Such Instance'
	refused inconsistentName ieee8021CnCpQueueSizeSetPoint.1.$i.3 44000
	ports_are sw1 sw2 uplink1
	# A new interface with the old name has the old settings.
	port sw3
	i=$(ifindex sw3)
	within_a_second "row of the new sw3" managed "$i"
	fresh
	is "setting of sw3" "$(get ieee8021CnCpQueueSizeSetPoint.1.$i.3)" 44000
	ports_are sw1 sw2 sw3 uplink1
	# One that has its address, under another name, has not.
	address=$(ip -o link show dev sw3 | sed 's/.*link\/ether \([0-9a-f:]*\).*/\1/')
	ip link del sw3
	within_a_second "row of sw3 goes" unmanaged "$i"
	ip link add uplink5 address "$address" type veth peer name xuplink5
	within_a_second "row of uplink5" managed "$(ifindex uplink5)"
	wait_for 5 "warning" logged dcbd 'warning: port: uplink5: initial settings, .* that was sw3: .* name "sw3" are kept'
	ip link del uplink5
	ip link del uplink1
	within_a_second "rows of two ports" eval '[ "$(get dcbAgentPorts.0)" = 2 ]'
	ports_are sw1 sw2
}

operational() { [ "$(get dcbPortOperational."$1")" = "$2" ]; }

test_operational_follows_link() {
	local i
	i=$(ifindex sw1)
	within_a_second "sw1 is up" operational $i 1
	ip link set sw1 down
	within_a_second "sw1 is down" operational $i 2
	managed $i || fail "no row while it is down"
	put ieee8021PfcLinkDelayAllowance.$i 12
	ip link set sw1 up
	within_a_second "sw1 is up" operational $i 1
	# sw1 loses carrier when the other end of the veth goes down.
	ip link set xsw1 down
	within_a_second "sw1 without carrier" operational $i 2
	ip link set xsw1 up
	within_a_second "sw1 with carrier" operational $i 1
	is "value that was set while it was down" "$(get ieee8021PfcLinkDelayAllowance.$i)" 12
}

# An interface that is down when dcbd first sees it has rows, and carries frames after it comes up.
test_interface_that_starts_down() {
	local i before
	added sw3
	within_a_second "row of sw3" managed "$(ifindex sw3)"
	i=$(ifindex sw3)
	operational $i 2 || fail "operational while it is down"
	put ieee8021CnCpQueueSizeSetPoint.1.$i.3 45000
	ports_are sw1 sw2 sw3
	restart_dcbd
	ports_are sw1 sw2 sw3
	is "setting of sw3" "$(get ieee8021CnCpQueueSizeSetPoint.1.$i.3)" 45000
	ip link set xsw3 up
	ip link set sw3 up
	within_a_second "sw3 is up" operational $i 1
	before=$(get dcbPortRxFrames.$i)
	"$build/tests/system/frames" send xsw3 -n 50
	within_a_second "50 frames received" eval "[ \$(get dcbPortRxFrames.$i) -ge $((before + 50)) ]"
	ip link del sw3
	within_a_second "row of sw3 goes" unmanaged $i
}

rename() { # OLD NEW
	ip link set "$1" down
	ip link set "$1" name "$2" || die "cannot rename $1"
	ip link set "$2" up
}

test_rows_of_renamed_interfaces() {
	local i
	i=$(ifindex sw2)
	put ieee8021PfcLinkDelayAllowance.$i 34
	# A row stays if the configuration includes both names. It goes with a name that is not
	# included.
	rename sw2 uplink2
	within_a_second "uplink2 is up" operational $i 1
	is "setting" "$(get ieee8021PfcLinkDelayAllowance.$i)" 34
	ports_are sw1 uplink2
	logged dcbd 'warning: port: sw2: renamed to uplink2: keeps the settings of dcbd.conf for sw2' ||
		fail "the log does not say that dcbd.conf has no settings for uplink2"
	rename uplink2 other2
	within_a_second "no row under the other name" unmanaged $i
	ports_are sw1
	# Another included name: the settings are those of the interface while it exists.
	rename other2 uplink3
	within_a_second "row under a third name" managed $i
	is "setting" "$(get ieee8021PfcLinkDelayAllowance.$i)" 34
	wait_for 5 "record under the third name" grep -q uplink3 $T/state/state
	# Three times in a row, faster than dcbd reads the notifications.
	ip link set uplink3 down
	ip link set uplink3 name uplink4 && ip link set uplink4 name other3 && ip link set other3 name uplink2
	ip link set uplink2 up
	within_a_second "row under its old name" operational $i 1
	is "setting" "$(get ieee8021PfcLinkDelayAllowance.$i)" 34
	# An interface gets an included name; then an excluded one.
	i=$(ifindex other1)
	rename other1 sw5
	within_a_second "row of the former other1" managed $i
	ports_are sw1 uplink2 sw5
	rename sw5 sw95
	within_a_second "excluded" unmanaged $i
	rename sw95 other1
	rename uplink2 sw2
	ports_are sw1 sw2
}

# A port added after a CNPV has its rows, and a CNPV created after a port.
test_cnpv_and_port_in_either_order() {
	put ieee8021CnComPriRowStatus.1.6 4
	port sw4
	within_a_second "row of sw4" managed "$(ifindex sw4)"
	fresh
	has_row ieee8021CnCpPriority 1.$(ifindex sw4).6 || fail "no CP on the port that came after the CNPV"
	put ieee8021CnComPriRowStatus.1.7 4 ieee8021CnComPriCreation.1.7 2
	has_row ieee8021CnCpPriority 1.$(ifindex sw4).7 || fail "no CP of the CNPV that came after the port"
	port sw6
	within_a_second "row of sw6" managed "$(ifindex sw6)"
	fresh
	is "choice by autoDisable" "$(get ieee8021CnPortPriDefModeChoice.1.7.$(ifindex sw6))" 1
	is "choice by autoEnable" "$(get ieee8021CnPortPriDefModeChoice.1.6.$(ifindex sw6))" 3
	put ieee8021CnComPriRowStatus.1.6 6 ieee8021CnComPriRowStatus.1.7 6
	ip link del sw4
	ip link del sw6
	within_a_second "two ports less" eval '[ "$(get dcbAgentPorts.0)" = 2 ]'
}

# Forty interfaces are added and removed at once, during a walk.
test_many_interfaces_at_once() {
	local i walker
	(while [ ! -e $T/enough ]; do walk_all; done >$T/walks 2>&1) &
	walker=$!
	for ((i = 10; i < 50; i++)); do
		new_address
		echo "link add sw$i address $address type veth peer name xsw$i"
	done >$T/batch
	ip -batch $T/batch
	within_a_second "42 ports" eval '[ "$(get dcbAgentPorts.0)" = 42 ]'
	fresh
	is "CPs" "$(count_rows ieee8021CnCpPriority)" 42
	for ((i = 10; i < 50; i++)); do echo "link del sw$i"; done >$T/batch
	ip -batch $T/batch
	within_a_second "two ports" eval '[ "$(get dcbAgentPorts.0)" = 2 ]'
	: >$T/enough
	wait $walker
	! grep -E 'Error|Timeout|not increasing' $T/walks || fail "a walk failed"
	ports_are sw1 sw2
	running dcbd || fail "dcbd has ended"
}

# dcbctl runs in a network namespace whose interfaces have the names and ifIndex values of dcbd's
# ports exchanged: the names are dcbd's.
test_dcbctl_in_another_namespace_uses_names_of_dcbd() {
	local i1 i2 object=dcbPfcPriorityEnable
	i1=$(ifindex sw1) i2=$(ifindex sw2)
	ip netns add elsewhere || die "no namespace"
	on elsewhere ip link add sw2 index "$i1" type veth peer name sw1 index "$i2" ||
		die "cannot make interfaces with index $i1 and $i2"
	is "ifIndex elsewhere" "$(on elsewhere ip -o link show dev sw2 | cut -d: -f1)" "$i1"
	dcbctl() { on elsewhere "$build/dcbctl" -s $T/control "$@" 2>&1; }
	is "set" "$(dcbctl set $object.sw2.3 true)" "$object.$i2.3 = true"
	fresh
	is "PFC of sw2" "$(get $object."$i2".3)" 1
	is "PFC of sw1" "$(get $object."$i1".3)" 2
	like "show" "$(dcbctl show $object.sw2.3)" "$i2\\.3 +true"
	is "ports in dcbx" "$(dcbctl dcbx sw2 | awk '/^sw/ { sub(/:$/, "", $1); print $1 }' | sort -u)" sw2
	is "buffers" "$(dcbctl -j buffers sw2 | jq -c '.[0].ports | map([.ifIndex, .port])')" "[[$i2,\"sw2\"]]"
	is "interface of the other namespace" "$(dcbctl set $object.lo.3 true)" \
		'dcbctl: ifIndex: expected 1..2147483647 or the name of a port of dcbd, not "lo"'
	put $object."$i2".3 2
	# A renamed port.
	ip link set sw2 down
	ip link set sw2 name uplink1
	within_a_second "the new name" eval '[ "$(get dcbPortName.'"$i2"')" = "\"uplink1\"" ]'
	is "set by the new name" "$(dcbctl set $object.uplink1.3 true)" "$object.$i2.3 = true"
	is "set by the old name" "$(dcbctl set $object.sw2.3 false)" \
		'dcbctl: ifIndex: expected 1..2147483647 or the name of a port of dcbd, not "sw2"; did you mean "sw1"?'
	put $object."$i2".3 2
	ip link set uplink1 name sw2
	ip link set sw2 up
	within_a_second "the old name" eval '[ "$(get dcbPortName.'"$i2"')" = "\"sw2\"" ]'
	unset -f dcbctl
	ip netns del elsewhere
}

test_rate_and_mtu_of_interface() {
	local i frame
	i=$(ifindex sw1)
	frame=$(get dcbPfcHeadroomMaxFrame.$i)
	ip link set sw1 mtu 1400
	ip link set xsw1 mtu 1400
	within_a_second "MTU of sw1" holds dcbPfcHeadroomMaxFrame.$i $((frame - 100))
	running dcbd || fail "dcbd has ended"
	operational $i 1 || fail "sw1 is not operational"
	ip link set sw1 mtu 1500
	ip link set xsw1 mtu 1500
	within_a_second "old MTU of sw1" holds dcbPfcHeadroomMaxFrame.$i $frame
	# Without "rate" a port has the speed of the link, 10 Gb/s for a veth.
	is "rate" "$(get dcbPortRate.$i)" 10000000000
}

run_tests
