#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two providers in one dcbd: "soft" for ports that it bridges itself, "observe" for ports of the
# kernel's bridge. Objects without a meaning for an observed port have no instance. A SET that the
# provider cannot put in force is refused with the reason, and changes no port.
#
#   h1 === [sw1 sw2] dcbd        h3 (raw LLDPDUs) === [ob1 ob2] kernel's bridge, observed by dcbd
#   h2 ===                       h4 ===
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$src/tests/system/lldp.sh"

patient_agent
dcbctl() { "$build/dcbctl" -s $T/control "$@" 2>&1; }
host h1 sw1
host h2 sw2
host h3 ob1
host h4 ob2
ip link add name other type bridge || die "cannot make a bridge in the kernel"
ip link set other up
ip link set ob1 master other
ip link set ob2 master other
sw1=$(ifindex sw1) sw2=$(ifindex sw2) ob1=$(ifindex ob1) ob2=$(ifindex ob2)
for n in 1 2 3 4; do
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
	wait_for 5 "h$n lists frames" logged list$n ready
done
start lldpd lldpd -dd -u $T/lldpd -p $T/lldpd.pid -I 'sw*,ob*' -C 'sw*,ob*' -S bridge -L ''
wait_for 10 "lldpd answers" lldpcli -u $T/lldpd show configuration || die "lldpd does not answer"

# conf PROVIDER-OF-SW2
conf() {
	dcbd_conf 'interfaces = { include = [ "sw*", "ob*" ]; };' "lldp = { socket = \"$T/lldpd\"; };" 'ports = (
		{ name = "ob*"; provider = "observe"; },
		{ name = "sw2"; provider = "'"$1"'"; } );' 'initial = (
		{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		{ object = "dcbPfcPriorityEnable"; index = "*.4"; port = "*"; value = "true"; },
		{ object = "dcbPfcHeadroomCableLength"; index = "*"; port = "*"; value = "30"; } );'
}
conf soft
start_dcbd
start_snmpd
start_agentx
for n in $sw1 $sw2 $ob1 $ob2; do wait_for 5 "$n is up" holds dcbPortOperational.$n 1; done

willing=lldpXdot1dcbxAdminPFCWilling
enable=dcbPfcPriorityEnable
cable=dcbPfcHeadroomCableLength
broadcast=ff:ff:ff:ff:ff:ff

put $enable.$sw1.2 1 # makes a state file
picture() { # FILE: records all objects and the state file
	walk_all | settled >"$1"
	stat -c '%y %s %i' $T/state/state >>"$1"
	sha256sum <$T/state/state >>"$1"
}

# send HOST: sends ten broadcast frames.
send() { on "$1" "$frames" send eth0 -d $broadcast -s 02:00:00:00:00:0"${1#h}" -n 10 -i 7 >/dev/null || fail "cannot send frames"; }
has_seen() { logged list"${1#h}" " 02:00:00:00:00:0${2#h} "; } # HOST HOST
sockets() { ss -0 -a -H -p | grep '"dcbd"' | grep -c ":$1 "; }  # INTERFACE: packet sockets of dcbd

test_each_port_has_its_provider() {
	is "providers" "$(get dcbAgentProvider.0)" '"soft, observe"'
	is "ports" "$(get dcbAgentPorts.0)" 4
	for port in ob1 ob2; do logged dcbd "$port: managed by provider \"observe\"" || fail "$port: no log of the provider"; done
	for port in sw1 sw2; do logged dcbd "$port: managed, ifIndex" || fail "$port: not logged"; done
}

# dcbd forwards frames between its own ports, the kernel between the others. No frame is forwarded
# by both, or from one bridge to the other.
test_each_bridge_forwards_its_own_frames() {
	send h1
	send h3
	wait_for 5 "h2 receives frames of h1" has_seen h2 h1
	wait_for 5 "h4 receives frames of h3" has_seen h4 h3
	for pair in 'h4 h1' 'h2 h3'; do ! has_seen $pair || fail "first of $pair received frames of the second"; done
	at_least "sockets of dcbd on sw1" "$(sockets sw1)" 1
	is "sockets of dcbd on ob1" "$(sockets ob1)" 0
}

test_absent_objects_have_no_instance() {
	local name ifindex
	walk_all -Ox >$T/walk
	! grep -E 'No Such|Error|Timeout' $T/walk || fail "the walk has lines without a value"
	for name in dcbPortRxFrames dcbPortBuffer ieee8021PfcRequests ieee8021PfcLinkDelayAllowance \
		dcbPfcPriorityRequests dcbPfcPortPauseIgnored $cable dcbPfcWatchdogAction.3 \
		dcbDcbxPortEtsInForce lldpXdot1dcbxAdminETSConWilling lldpXdot1dcbxLocETSConWilling; do
		ifindex=${name%%.*}.$ob1${name#"${name%%.*}"}
		is "$ifindex" "$(get "$ifindex")" "No Such Instance currently exists at this OID"
		rows "${name%%.*}" | grep -q "^$sw1" || fail "$name has no instance on sw1"
		! rows "${name%%.*}" | grep -q "^$ob1" || fail "a walk has $name on ob1"
	done
	is "congestion points" "$(rows ieee8021CnCpQueueSizeSetPoint)" "1.$sw1.3"$'\n'"1.$sw2.3"
	is "CN ports" "$(rows ieee8021CnPortPriAlternatePriority)" "1.3.$sw1"$'\n'"1.3.$sw2"
	is "CPIDs" "$(count_rows ieee8021CnCpidToIfIfIndex)" 2
	for name in dcbPortOperational dcbPortRate dcbPortCounterDiscontinuityTime dcbPortName dcbDcbxPortPfcAdmin lldpXdot1dcbxAdminPFCWilling; do
		is "$name" "$(rows $name)" "$sw1"$'\n'"$sw2"$'\n'"$ob1"$'\n'"$ob2"
	done
	is "initial setting" "$(get $enable.$ob1.4)" 1
}

# All ways to read return the same instances.
test_walks_return_the_same() {
	local root where path
	for root in $PFC $CN $AGENT; do
		where=$(walk "$root" | ascending) || fail "$where"
	done
	walk_all -Ox | still >$T/walk
	walk_all -Ox -Cr1 | still >$T/other
	same "GETBULK of one" $T/walk $T/other
	walk_by snmpwalk "${v2c[@]}" -Ox | still >$T/other
	same "GETNEXT" $T/walk $T/other
}

test_set_of_absent_objects() {
	local kind
	picture $T/before
	for kind in "ieee8021PfcLinkDelayAllowance.$ob1 100" "$cable.$ob2 20" "dcbPfcWatchdogAction.$ob1.3 2" \
		"ieee8021CnCpQueueSizeSetPoint.1.$ob1.3 30000" "lldpXdot1dcbxAdminETSConWilling.$ob1 1" \
		"lldpXdot1CnConfigCnTxEnable.$ob1.1 1"; do
		refused noCreation $cable.$sw1 20 $kind
		refused noCreation $kind $cable.$sw1 20
		picture $T/after
		same "after $kind" $T/before $T/after
	done
}

# A SET for ports of both providers changes all or nothing, and the variable at fault is that of the
# refusing port.
test_refused_set_changes_nothing() {
	local out varbinds
	picture $T/before
	varbinds $cable.$sw1 20 $enable.$ob1.5 1 $willing.$ob2 1 $willing.$sw2 1
	out=$(snmpset "${v2c[@]}" -On $agent "${varbinds[@]}" 2>&1) && fail "the SET is accepted"
	like "reason" "$out" 'inconsistentValue'
	like "variable" "$out" "Failed object: \.${O[$willing]}\.$ob2\$"
	picture $T/after
	same "after the SET" $T/before $T/after
	logged dcbd 'provider: SET refused: inconsistentValue: ob2: .*expected not willing' || fail "reason is not logged"
	put $cable.$sw1 20 $enable.$ob1.5 1 $willing.$ob2 2 $willing.$sw2 1
	is "values" "$(get $cable.$sw1 $enable.$ob1.5 $willing.$ob2 $willing.$sw2 | tr '\n' ' ')" '20 1 2 1 '
	put $cable.$sw1 30 $enable.$ob1.5 2 $willing.$sw2 2
}

test_dcbctl_prints_reason() {
	is "refused" "$(dcbctl set $cable.$sw1 25 $willing.ob1 true)" \
		"dcbctl: $willing.$ob1: inconsistentValue: ob1: provider \"observe\" cannot apply the neighbor's PFC configuration: expected not willing"
	is "absent" "$(dcbctl set $cable.$sw1 25 $cable.ob1 25)" \
		"dcbctl: $cable.$ob1: noCreation: the row does not exist, and setting this object does not create it"
	is "unchanged value" "$(get $cable.$sw1)" 30
}

# The neighbor of an observed port has rows, receives our TLVs, and is checked for a mismatch.
test_neighbor_of_an_observed_port() {
	put lldpXdot1dcbxConfigPFCTxEnable.$ob1.1 1
	speak h3 eth0 -t 20 -g 1000000 11:0821
	heard() { holds dcbDcbxPortNeighbors.$ob1 1; }
	wait_for 10 "ob1 has a neighbor" heard
	fresh
	is "PFC of the neighbor" "$(get_hex dcbDcbxPortPfcPeer.$ob1)" 84
	is "PFC in force" "$(get_hex dcbDcbxPortPfcInForce.$ob1)" 08
	is "mismatch" "$(get_hex dcbDcbxPortMismatch.$ob1)" 80
	put $enable.$ob1.0 1 $enable.$ob1.5 1 $enable.$ob1.4 2
	fresh
	is "mismatch with equal PFC" "$(get_hex dcbDcbxPortMismatch.$ob1)" 00
	like "text" "$(dcbctl neighbors ob1)" 'ob1'
	is "PFC by dcbctl" "$(dcbctl -j dcbx ob1 | jq -c '.[0] | [.pfc.inForce, .pfc.theirs.enable, .ets]')" '[[0,5],[0,5],null]'
	! dcbctl dcbx ob1 | grep -q ETS || fail "ETS of a port that has none"
	dcbctl cn ob1 >$T/out || fail "dcbctl cn: $(cat $T/out)"
	dcbctl headroom >$T/out || fail "dcbctl headroom: $(cat $T/out)"
	! grep -q ob1 $T/out || fail "headroom of a port that has none"
}

test_restart_keeps_observed_settings() {
	put $enable.$ob2.6 1
	restart_dcbd
	is "enabled" "$(get $enable.$ob2.6)" 1
	is "absent object" "$(get $cable.$ob2)" "No Such Instance currently exists at this OID"
}

# sw2 changes to provider "observe": objects and settings that it cannot have are gone.
test_port_changes_its_provider() {
	put $cable.$sw2 70 $enable.$sw2.1 1 $willing.$sw2 1
	conf observe
	restart_dcbd
	wait_for 5 "sw2 is observed" logged dcbd 'sw2: managed by provider "observe"'
	logged dcbd "sw2: $cable is not restored: provider \"observe\" cannot set it" || fail "$cable: not logged"
	logged dcbd 'sw2: its settings are not restored: provider "observe" cannot apply' || fail "willing: not logged"
	is "absent object" "$(get $cable.$sw2)" "No Such Instance currently exists at this OID"
	is "not willing" "$(get $willing.$sw2)" 2
	is "setting of sw1" "$(get $cable.$sw1)" 30
	put $enable.$sw1.3 1 # writes the state file
	! compgen -G "$T/state/state.damaged*" || fail "the state file counts as damaged"
	conf soft
	restart_dcbd
	wait_for 5 "sw2 is up" holds dcbPortOperational.$sw2 1
	is "setting of sw2 with provider soft" "$(get $cable.$sw2)" 100
}

lldpd_has() { # INTERFACE...
	local name interfaces
	interfaces=$(lldpcli -u $T/lldpd -f json0 show interfaces 2>/dev/null |
		jq -r '.lldp[].interface[]?.name')
	for name; do grep -qx "$name" <<<"$interfaces" || return 1; done
}
# Interfaces of both providers are added and removed.
test_interfaces_are_removed_and_added() {
	ip link del ob2
	wait_for 5 "ob2 is gone" holds dcbAgentPorts.0 3
	ip link add ob2 type veth peer name ob3
	ip link set ob3 up
	ip link set ob2 up
	wait_for 5 "ob2 and ob3 are ports" holds dcbAgentPorts.0 5
	ob2=$(ifindex ob2)
	wait_for 5 "ob2 is up" holds dcbPortOperational.$ob2 1
	is "setting of ob2" "$(get $enable.$ob2.6)" 1
	refused inconsistentValue $willing.$ob2 1
	put $enable.$ob2.7 1
	# lldpd 1.0.16 crashes if an interface is deleted before it has opened it.
	wait_for 10 "lldpd has ob2 and ob3" lldpd_has ob2 ob3
	ip link del ob2
	wait_for 5 "ob2 and ob3 are gone" holds dcbAgentPorts.0 3
	wait_for 5 "the dataplane has adopted all configurations" in_force
}

run_tests
