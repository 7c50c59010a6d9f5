#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames that a bridge's port receives are for dcbd alone: the host does not answer ARP, a kernel bridge
# does not forward them a second time, and a second dcbd on the same interfaces is refused. When dcbd has
# ended, also by SIGKILL, the host has the interfaces again.
#
#   h1 10.77.0.9 - sw1 10.77.0.1 +------+ sw2 - h2 10.77.0.8
#                                | dcbd |
# An interface that a bridge has, or with an address of the host, is a warning. The settings of the
# interface are those of the operator again, also if a run in between was killed.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"

frames=$build/tests/system/frames
for n in 1 2; do
	host h$n sw$n
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0
	wait_for 5 "h$n lists frames" logged list$n ready
done
ip addr add 10.77.0.1/24 dev sw1
ip -n h1 addr add 10.77.0.9/24 dev eth0
ip -n h2 addr add 10.77.0.8/24 dev eth0
start_all 'interfaces = { include = [ "sw*" ]; };'
sw1=$(ifindex sw1) sw2=$(ifindex sw2)
up() { for n in 1 2; do wait_for 10 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1; done; }
up

# ask ADDRESS: h1 sends ARP requests for it until there is an answer, or none to three of them. The host
# has no entry of h1: it would send an ARP request of its own, which h1 takes for an answer.
ask() {
	ip neigh flush all
	ip -n h1 neigh flush dev eth0
	on h1 bash -c "echo >/dev/udp/$1/9" 2>/dev/null
	wait_for 20 "ARP of $1 ends" neighbor_is $1 'REACHABLE|STALE|DELAY|PROBE|FAILED'
}
state_of() { ip -n h1 -j neigh show $1 dev eth0 | jq -r '.[0].state[0]'; }
neighbor_is() { [[ $(state_of $1) =~ ^($2)$ ]]; }
answers() { ask $1 && neighbor_is $1 'REACHABLE|STALE|DELAY|PROBE'; }
got() { awk -v s="$2" '$6 == s { n++ } END { print n + 0 }' "${log_of[list$1]}"; } # HOST STREAM

test_host_does_not_answer() {
	answers 10.77.0.8 || fail "frames do not pass from h1 to h2"
	answers 10.77.0.1 && fail "the host answers ARP at sw1"
}

test_frames_of_a_kernel_bridge_are_not_doubled() {
	local i
	ip link add br0 type bridge
	ip link set br0 up
	for i in 1 2; do ip link set sw$i master br0; done
	wait_for 40 "the kernel bridge forwards" eval 'ip -j -d link show sw1 | jq -e ".[0].linkinfo.info_slave_data.state == \"forwarding\""'
	up
	for i in 71 72 73; do on h1 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -i $i -n 10; done
	wait_for 5 "the last frames" eval '[ "$(got 2 73)" -ge 10 ]'
	answers 10.77.0.8 || fail "frames do not pass from h1 to h2"
	is "frames at h2" "$(got 2 71) $(got 2 72) $(got 2 73)" "10 10 10"
	for i in 1 2; do ip link set sw$i nomaster; done
	ip link del br0
}

# warns INTERFACE TEXT: a line of the log of dcbd has this warning, and dcbd -t has it, too.
warns() {
	wait_for 10 "the warning of $1" logged dcbd "warning: port: $1: $2, which receives no frames of a port"
	like "dcbd -t" "$("$build/dcbd" -t -c $T/dcbd.conf 2>&1 >/dev/null)" "interfaces: $1 $2, which will receive no frames of a port"
}

# When it happens, at the start, and not of an observed port; of the address that is there.
test_use_by_the_host_is_a_warning() {
	local lines
	warns sw1 'has the address 10.77.0.1 of the host'
	logged dcbd 'port: sw2: has the address' && fail "a warning of sw2, which has no address"
	ip addr add 10.78.0.1/24 dev sw2
	warns sw2 'has the address 10.78.0.1 of the host'
	ip link add br1 type bridge
	ip link set sw2 master br1
	warns sw2 'is part of br1'
	stop dcbd
	start_dcbd
	up
	warns sw1 'has the address 10.77.0.1 of the host'
	warns sw2 'has the address 10.78.0.1 of the host'
	warns sw2 'is part of br1'
	lines=$(grep -c 'frames of a port' "${log_of[dcbd]}")
	ip addr del 10.78.0.1/24 dev sw2
	ip link del br1
	ip link set sw2 mtu 1500
	ip link add br2 type bridge
	ip link set sw2 master br2
	warns sw2 'is part of br2'
	is "lines of the log about sw1 and sw2" "$(grep -c 'frames of a port' "${log_of[dcbd]}")" $((lines + 1))
	ip link del br2
	sed 's/interfaces/ports = ( { name = "sw1"; provider = "observe"; } ); interfaces/' $T/dcbd.conf >$T/observe.conf
	"$build/dcbd" -t -c $T/observe.conf 2>&1 >/dev/null | grep 'frames of a port' && fail "a warning of an observed port"
	return 0
}

test_second_dcbd_is_refused() {
	local reason="another dcbd, process ${pid_of[dcbd]}, receives the frames of this interface"
	mkdir -p $T/second
	sed "s|$T/|$T/second/|g" $T/dcbd.conf >$T/second/dcbd.conf
	mkdir -p $T/second/state
	start second "$build/dcbd" -c $T/second/dcbd.conf
	wait_for 10 "the second dcbd says so" logged second "sw1: cannot receive or send.*$reason"
	is "reason" "$("$build/dcbctl" -s $T/second/control -j show dcbPortOpenError $sw1 |
		jq -r '.[0].rows[0].values[]')" "sw1: $reason"
	on h1 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -i 81 -n 10
	wait_for 5 "frames at h2" eval '[ "$(got 2 81)" -ge 10 ]'
	answers 10.77.0.8 || fail "frames do not pass from h1 to h2"
	is "frames at h2" "$(got 2 81)" 10
	# It takes the interfaces over when the first one has ended.
	stop dcbd
	wait_for 20 "the second dcbd has sw1" eval '[ -z "$("$build/dcbctl" -s $T/second/control -j show \
		dcbPortOpenError $sw1 | jq -r ".[0].rows[0].values[]")" ]'
	answers 10.77.0.1 && fail "the host answers ARP at sw1"
	stop second
	answers 10.77.0.1 || fail "the host does not answer ARP at sw1 although dcbd has ended"
	start_dcbd
	up
}

test_host_answers_after_sigkill() {
	answers 10.77.0.1 && fail "the host answers ARP at sw1"
	stop dcbd KILL
	answers 10.77.0.1 || fail "the host does not answer ARP at sw1 although dcbd has ended"
	start_dcbd
	up
	answers 10.77.0.1 && fail "the host answers ARP at sw1"
	return 0
}

gro_of() { ethtool -k $1 | awk '$1 == "generic-receive-offload:" { print $2 }'; }

# Killed twice: what the second run finds is not what the operator has set.
test_settings_of_the_operator_come_back() {
	local was
	stop dcbd
	ethtool -K sw1 gro on >/dev/null || fail "cannot switch GRO on"
	ethtool -K sw2 gro off >/dev/null || fail "cannot switch GRO off"
	was="$(gro_of sw1) $(gro_of sw2) $(sysctl -n net.ipv4.conf.sw1.rp_filter net.ipv6.conf.sw1.disable_ipv6 | tr '\n' ' ')"
	for _ in 1 2; do
		start_dcbd
		up
		is "GRO while dcbd runs" "$(gro_of sw1) $(gro_of sw2)" "off off"
		[ -s "$T/interface-$(stat -Lc %i /proc/self/ns/net)-$sw1" ] || fail "no file of sw1"
		stop dcbd KILL
		is "GRO after SIGKILL" "$(gro_of sw1)" off
	done
	start_dcbd
	up
	stop dcbd
	is "settings of the operator" \
		"$(gro_of sw1) $(gro_of sw2) $(sysctl -n net.ipv4.conf.sw1.rp_filter net.ipv6.conf.sw1.disable_ipv6 | tr '\n' ' ')" "$was"
	is "files" "$(find $T -name 'interface-*')" ""
	start_dcbd
	up
}

# Since Linux 6.16 the kernel finds the chain's interface by name.
test_renamed_port_has_no_host() {
	ip link set sw1 down
	ip link set sw1 name sw9
	ip link set sw9 up
	wait_for 10 "sw9 is up" holds dcbPortOperational.$sw1 1
	ip addr replace 10.77.0.1/24 dev sw9
	answers 10.77.0.8 || fail "frames do not pass from h1 to h2"
	answers 10.77.0.1 && fail "the host answers ARP at sw9"
	ip link set sw9 down
	ip link set sw9 name sw1
	ip link set sw1 up
	up
}

run_tests
