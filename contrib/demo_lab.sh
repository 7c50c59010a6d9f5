# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The lab of demo.sh: its network namespaces with their cables, the configuration and the daemons in
# them, and the removal of all this. $lab is the beginning of the names of the namespaces, $run the
# directory of logs and configuration.
systems=(h1 h2 h3 b1 b2)
labs_max=9
lab='' run='' # see claim()
newest='' newest_name='' # the daemon that was started last: its process, its name

# existing LAB: the namespaces with the names of this demo that exist.
existing() {
	local names
	names=$(printf "$1-%s\n" "${systems[@]}")
	ip netns list 2>/dev/null | awk '{ print $1 }' | grep -xF "$names" || true
}

# claim: sets lab and run to names that nothing uses, and makes the directory.
claim() {
	local i
	for ((i = 1; i <= labs_max; i++)); do
		lab=dcb-demo${i#1} run=/run/dcb-demo${i#1}
		[ -z "$(existing "$lab")" ] || continue
		[ ! -e "$run" ] || continue
		# Exclusive: two demos may start at once.
		(set -C && echo $$ >"$run.pid") 2>/dev/null || continue
		mkdir -m 755 "$run"
		return 0
	done
	die "namespaces or directories dcb-demo to dcb-demo$labs_max exist already: ./dev demo --down removes those of demos"
}

# is_running LAB: whether its script has not ended.
is_running() {
	local pid
	pid=$(cat "/run/$1.pid" 2>/dev/null) && grep -qs 'demo\.sh' "/proc/$pid/cmdline"
}

# down_all [LAB]: removes all demos whose script has ended, or only this one.
down_all() {
	local file name n=0
	for file in /run/dcb-demo*.pid; do
		[ -f "$file" ] || continue
		name=$(basename "$file" .pid)
		[ "${1-$name}" = "$name" ] || continue
		n=$((n + 1))
		if is_running "$name"; then
			say "$name is running: not removed"
		else
			down "$name"
			say "removed: $name, its namespaces and processes"
		fi
	done
	[ $n -gt 0 ] || die "there is no demo ${1-to remove}"
}

# signal_ns SIGNAL NAMESPACE: sends it to all processes there; fails if there are none.
signal_ns() {
	local pids
	mapfile -t pids < <(ip netns pids "$2")
	[ ${#pids[@]} -gt 0 ] || return 1
	kill "-$1" "${pids[@]}" 2>/dev/null || true
}

# end_pages LAB: ends the programs that serve its pages. They are in no namespace of the demo.
end_pages() {
	local file pid
	for file in "/run/$1"/page-*.pid; do
		[ -f "$file" ] || continue
		pid=$(cat "$file")
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != dcb-exporter ] || kill "$pid" 2>/dev/null || true
	done
}

# down LAB: ends all its processes, then removes its namespaces with their interfaces.
down() {
	local ns deadline
	end_pages "$1"
	for ns in $(existing "$1"); do signal_ns TERM "$ns" || true; done
	deadline=$((SECONDS + 3))
	for ns in $(existing "$1"); do
		while signal_ns 0 "$ns" && [ $SECONDS -lt $deadline ]; do sleep 0.05; done
		signal_ns KILL "$ns" || true
		ip netns del "$ns"
	done
	! mountpoint -q "/run/$1" || umount -l "/run/$1"
	rm -rf "/run/$1" "/run/$1.pid"
}

# wait_for SECONDS WHAT COMMAND...: until it succeeds; fails if the newest daemon ends. A busy machine
# has four times as long.
wait_for() {
	local deadline=$((SECONDS + 4 * $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		kill -0 "$newest" 2>/dev/null || die "$newest_name ended while the demo waited for $what"
		[ $SECONDS -lt $deadline ] || die "timeout waiting for $what"
		sleep 0.05
	done
}

daemon() { # NAME NAMESPACE COMMAND...: runs it in the background, log in $run/NAME.log
	local name=$1 ns=$2
	shift 2
	ip netns exec "$ns" "$@" >"$run/$name.log" 2>&1 </dev/null &
	newest=$! newest_name=$name
	pid_of[$name]=$newest log_of[$name]=$run/$name.log
	disown
}

# cable NAME INTERFACE NAME INTERFACE: connects the namespace of NAME with another one.
cable() {
	ip link add "$2" netns "$lab-$1" type veth peer name "$4" netns "$lab-$3"
	port "$1" "$2" "$3"
	port "$3" "$4" "$1"
}

port() { # NAME INTERFACE NEIGHBOR
	ip -n "$lab-$1" link set "$2" alias "to $3" up
}

# settings NAMESPACE NAME=VALUE...: changes settings in /proc/sys. Where that is not permitted, they keep
# their defaults, with which the effects are the same; allow_settings() has warned then.
settings() { in_ns "$1" "${writable[@]}" sysctl -qw "${@:2}" 2>>"$run/sysctl.log" || true; }

make_lab() {
	local ns
	for ns in "${systems[@]/#/$lab-}"; do
		ip netns add "$ns"
		# Without IPv6 hosts send fewer frames that no application has sent.
		[ ! -e /proc/sys/net/ipv6 ] ||
			settings "$ns" net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
		ip -n "$ns" link set lo up
	done
	cable h1 eth0 b1 b1h1
	cable h2 eth0 b1 b1h2
	cable b1 b1b2 b2 b2b1
	cable b2 b2h3 h3 eth0
	ip -n "$lab-h3" addr add 10.80.21.3/24 dev eth0
}

# Priority 3 of component 1 is a CNPV; ports send the congestion notification and PFC
# configuration TLVs.
dcb_rows() {
	cat <<END
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "lldpXdot1CnConfigCnTxEnable"; index = "*.1"; port = "*"; value = "true"; },
	{ object = "lldpXdot1dcbxConfigPFCTxEnable"; index = "*.1"; port = "*"; value = "true"; }
END
}

# snmp_conf NAME: writes the configuration of snmpd of a system.
snmp_conf() {
	cat >"$run/$1/snmpd.conf" <<END
agentAddress udp:127.0.0.1:161
# Views, AgentX timing and users of dcb-agent:
includeFile $top/contrib/snmpd/dcb-agent.conf
# A socket for this namespace, and communities, which are shorter to type than users.
agentXSocket unix:$run/$1/agentx
agentXPerms 0660 0755 nobody nogroup
rocommunity public 127.0.0.1 -V dcb
rwcommunity private 127.0.0.1 -V dcb
END
}

# bridge_conf NAME [ENTRY-OF-PORTS]: writes the configuration of a bridge.
bridge_conf() {
	cat >"$run/$1/dcbd.conf" <<END
role = "bridge";
interfaces = { include = [ "$1*" ]; };
bridge = { frame_buffers = 131072; }; # the headroom of three ports, also in frames of 64 octets
defaults = { profile = "scaled"; }; # set point, sampling, increases for the rate of each port
ports = (
${2-}
	# With PFC: XOFF at 150000 octets from a link, and headroom of two megabytes, 16 ms, for
	# the frames that still arrive after it.
	{ name = "$1*"; rate = 1000000000L; speed = 1000000000L; pfc = { buffer = 2150000; headroom = 2000000; }; }
);
state_file = "$run/$1/state";
control = { socket = "$run/$1/control"; view = "$run/$1/view"; };
lldp = { socket = "$run/$1/lldpd"; };
user = "nobody"; # dcbd changes to it once its sockets are open
initial = (
$(dcb_rows)
);
END
}

write_configuration() {
	local n
	mkdir "$run"/{b1,b2,h1,h2,h3,bin}
	# dcbd of a bridge starts dcb-lldp, which is beside it, as a user who may have no access to the
	# build tree.
	cp "$build"/{dcbd,dcb-lldp} "$run/bin/"
	# The bridges save their state there as this user.
	chown "nobody" "$run"/{b1,b2}
	bridge_conf b1
	bridge_conf b2 "	# The slow port, which is the bottleneck.
	{ name = \"b2h3\"; rate = ${rate}000000L; speed = 1000000000L; buffer = $buffer; },"
	for n in 1 2; do
		cat >"$run/h$n/dcbd.conf" <<END
role = "station";
interfaces = { include = [ "eth0" ]; };
defaults = { profile = "scaled"; };
ports = (
	# Applications use the interface dcb0; their frames get priority 3.
	{ name = "eth0"; tap = "dcb0"; rate = 1000000000L; speed = 1000000000L; default_priority = 3; flow_buffer = 4000000; }
);
# TCP has the reaction point 1, which is shown below; nine are for the other flows.
flows = ( { protocol = "tcp"; reaction_point = 1; } );
user = "root"; # has access to /dev/net/tun on any system
state_file = "$run/h$n/state";
control = { socket = "$run/h$n/control"; view = "$run/h$n/view"; };
lldp = { socket = "$run/h$n/lldpd"; };
initial = (
$(dcb_rows),
	# Willing: the station adopts the PFC configuration of the bridge.
	{ object = "lldpXdot1dcbxAdminPFCWilling"; index = "*"; port = "*"; value = "true"; },
	{ object = "ieee8021CnRpPortPriMaxRps"; index = "1.3.*"; port = "*"; value = "10"; },
	# Reaction points are disabled at the start.
	{ object = "ieee8021CnRpgEnable"; index = "1.3.*.3"; port = "*"; value = "false"; }
);
END
	done
	for n in b1 b2 h1 h2; do snmp_conf $n; done
	: >"$run/snmp.conf"
}

# neighbor NAME INTERFACES: starts lldpd of a system, with the name of its namespace.
neighbor() {
	local dir=$run/$1
	daemon "lldpd-$1" "$lab-$1" unshare --uts sh -c "hostname $lab-$1 && exec \"\$@\"" sh \
		lldpd -dd -u "$dir/lldpd" -p "$dir/lldpd.pid" -I "$2" -C "$2" -L ''
	wait_for 10 "lldpd in $lab-$1" lldpcli -u "$dir/lldpd" show configuration
}

# managed NAME INTERFACES: starts lldpd, dcbd, snmpd and dcb-agentx of a system. dcbd has
# a higher CPU priority than the applications, which here run on the same machine.
managed() {
	local ns=$lab-$1 dir=$run/$1
	neighbor "$1" "$2"
	daemon "dcbd-$1" "$ns" "${writable[@]}" nice -n -10 "$run/bin/dcbd" -c "$dir/dcbd.conf"
	wait_for 10 "dcbd in $ns" test -S "$dir/control"
	daemon "snmpd-$1" "$ns" snmpd -f -Lo -C -c "$dir/snmpd.conf" -I -smux,mteTrigger,mteTriggerConf \
		-p "$dir/snmpd.pid"
	wait_for 10 "snmpd in $ns" test -S "$dir/agentx"
	daemon "dcb-agentx-$1" "$ns" "$build/dcb-agentx" -x "unix:$dir/agentx" -c "$dir/control"
	wait_for 15 "the objects of dcb-agentx in snmpd in $ns" read_objects "$1" dcbAgentRole.0
}

start_daemons() {
	local n
	managed b1 'b1*'
	managed b2 'b2*'
	for n in 1 2; do
		managed h$n eth0
		# Cubic, the default, ends slow start when the round-trip time grows, and then needs many
		# seconds to fill the buffer; Reno's slow start ends with a loss.
		# A route selects it also where /proc/sys is not writable.
		ip -n "$lab-h$n" addr add "10.80.21.$n/24" dev dcb0 noprefixroute
		ip -n "$lab-h$n" route add 10.80.21.0/24 dev dcb0 src "10.80.21.$n" congctl reno
		# Unacknowledged data of one connection fits into the station's queue.
		settings "$lab-h$n" net.ipv4.tcp_wmem="4096 131072 2000000"
	done
	neighbor h3 eth0
}
