#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A demonstration on one machine: the applications of two end stations send through two
# bridges in series, more than a port of the second bridge can transmit. At first frames
# are lost. Then the congestion notification messages of that port cross the first bridge
# and reduce the stations to its rate, and hardly any frame is lost. Bursts are shorter than the
# reaction time: priority-based flow control, from bridge to bridge and from there to the
# stations, prevents their loss. By LLDP the systems learn which of them are in the
# congestion notification domain (the stations and the bridges, not the host at the slow
# port) and which priorities have PFC. All values are read and set by SNMP. Each effect has a
# line "=> ...: right" or "WRONG", with the effect that is expected; a plot is written to the
# build tree. ./dev demo builds the programs, then runs this script; needs root.
#
#   demo.sh          run the demo, then remove everything
#   demo.sh --keep   run the demo, leave it up, print commands to try
#   demo.sh --page   as --keep; dcb-exporter serves a page of each dcbd from the beginning on
#   demo.sh --down [NAME]  remove the demos that were left up, or only this one: dcb-demo, dcb-demo2 ...
#
# Exit status: 0: all effects are as expected; 1: one is not, or the demo failed. It uses five
# network namespaces, dcb-demo-h1 and so on, and the directory /run/dcb-demo. If one of these
# names is in use, by another demo for example, it takes dcb-demo2, dcb-demo3 ...
set -euo pipefail

top=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
build=${DCB_BUILD:-$top/build}
rate=200      # Mb/s, of the slow port
buffer=400000 # octets, of the slow port: 16 ms, as dcbd may have to wait for a processor
systems=(h1 h2 h3 b1 b2)
labs_max=9
lab='' run='' # name of this demo and its directory, see claim()
keep=false kept=false page=false
export LC_ALL=C COLUMNS=79
export MIBDIRS=$top/mibs/base:$top/mibs MIBS=IEEE8021-CN-MIB:IEEE8021-PFC-MIB:LLDP-EXT-DOT1-V2-MIB:DCB-AGENT-MIB

# shellcheck source=contrib/demo_lib.sh
. "$top/contrib/demo_lib.sh"
die() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}
in_ns() { ip netns exec "$@"; }
show() { # COMMAND...: prints the command as typed in a shell, then runs it
	local text="${*/#in_ns/ip netns exec}"
	wrap '$' '     ' " \\" "${text//"$PWD/"/}"
	"$@"
}
# narrow: copies a table of dcbctl, its first 79 columns; text that follows it, with its lines folded.
narrow() { awk '/^$/ { text = 1 } { print text ? $0 : substr($0, 1, 79) }' | fold -s -w 79; }

# --- names, start and end -------------------------------------------------------------------------

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

# shellcheck disable=SC2317 # called by the trap
on_exit() {
	local rc=$?
	trap - EXIT
	trap '' INT TERM HUP PIPE
	! $kept || exit "$rc"
	if [ "$rc" -ne 0 ] && [ "$rc" -ne 130 ] && [ "$wrong" -eq 0 ]; then
		tail -n 15 "$run"/*.log 2>/dev/null || true
	fi
	down "$lab"
	say "removed: $lab, its namespaces and processes, and $run"
	exit "$rc"
}

# wait_for SECONDS WHAT COMMAND...: until it succeeds; fails if the newest daemon ends. A busy machine
# has four times as long.
wait_for() {
	local deadline=$((SECONDS + 4 * $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		kill -0 "$newest" 2>/dev/null || die "$what: a process ended, see its log"
		[ $SECONDS -lt $deadline ] || die "timeout waiting for $what"
		sleep 0.05
	done
}

daemon() { # NAME NAMESPACE COMMAND...: runs it in the background, log in $run/NAME.log
	local name=$1 ns=$2
	shift 2
	ip netns exec "$ns" "$@" >"$run/$name.log" 2>&1 </dev/null &
	newest=$!
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
	# dcbd needs frames as on the wire: veth has no hardware to complete checksums
	# or to split and merge packets.
	in_ns "$lab-$1" ethtool -K "$2" tx off tso off gso off gro off >/dev/null
}

make_lab() {
	local ns
	for ns in "${systems[@]/#/$lab-}"; do
		ip netns add "$ns" || die "cannot create network namespaces (a container needs --privileged)"
		in_ns "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1 || true
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
	{ name = "$1*"; rate = 1000000000L; pfc = { buffer = 2150000; headroom = 2000000; }; }
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
	{ name = \"b2h3\"; rate = ${rate}000000L; buffer = $buffer; },"
	for n in 1 2; do
		cat >"$run/h$n/dcbd.conf" <<END
role = "station";
interfaces = { include = [ "eth0" ]; };
defaults = { profile = "scaled"; };
ports = (
	# Applications use the interface dcb0; their frames get priority 3.
	{ name = "eth0"; tap = "dcb0"; rate = 1000000000L; default_priority = 3; flow_buffer = 4000000; }
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
	daemon "dcbd-$1" "$ns" nice -n -10 "$run/bin/dcbd" -c "$dir/dcbd.conf"
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
		ip -n "$lab-h$n" addr add "10.80.21.$n/24" dev dcb0
		# Unacknowledged data of one connection fits into the station's queue.
		in_ns "$lab-h$n" sysctl -qw net.ipv4.tcp_wmem="4096 131072 2000000"
		# Cubic, the default, ends slow start when the round-trip time grows, and then needs many
		# seconds to fill the buffer; Reno's slow start ends with a loss.
		in_ns "$lab-h$n" sysctl -qw net.ipv4.tcp_congestion_control=reno
	done
	neighbor h3 eth0
}

# is NAME OBJECT VALUE: whether the object has the value; enumerations are numbers.
# shellcheck disable=SC2317 # called by wait_for
is() { [ "$(read_objects "$1" "$2")" = "$3" ]; }

domain() { # waits until LLDP has put all ports but b2h3 into the domain, then shows the bridges
	local n
	for n in "b1 $b1h1" "b1 $b1h2" "b1 $b1b2" "b2 $b2b1" "h1 $wire1" "h2 $wire2"; do
		wait_for 30 "the defense mode of ${n/ /, ifIndex }" \
			is "${n% *}" "ieee8021CnPortPriAutoDefenseMode.1.3.${n#* }" 3 # cptInteriorReady
	done
	for n in b1 b2; do
		show in_ns "$lab-$n" "$build/dcbctl" -s "$run/$n/control" cn | narrow
	done
}

listener() { # NAME PORT: starts an iperf3 server on host 3
	daemon "$1" "$lab-h3" iperf3 --forceflush -s -p "$2"
	wait_for 5 "iperf3" grep -q listening "$run/$1.log"
}

load() { # starts two applications that send one TCP stream each to the slow port
	local n
	for n in 1 2; do
		listener iperf-s$n 520$n
		daemon iperf-$n "$lab-h$n" iperf3 --forceflush -c 10.80.21.3 -p 520$n -t 3600
		wait_for 10 "a connection from station $n to host 3" grep -q connected "$run/iperf-$n.log"
	done
}

# watch_bursts: prints the state while bursts are sent, and sends more of them, for some time, until
# COMMAND succeeds: on a busy machine they are longer and lower.
watch_bursts() { # COMMAND...
	local deadline=$((SECONDS + 60)) sending
	bursts &
	sending=$!
	watch 7
	wait $sending
	until "$@" || [ $SECONDS -ge $deadline ]; do
		bursts &
		sending=$!
		watch_more 6
		wait $sending
	done
	read_all
}
# shellcheck disable=SC2317 # arguments of watch_bursts
has_lost() { [ "$(since lost)" -gt 0 ]; }
# shellcheck disable=SC2317
both_pause() { [ "$(since b2_pfc1)" -gt 0 ] && [ "$(since b1_pfc)" -gt 0 ]; }

# bursts: two times, from both stations at once, two megabytes of UDP in four flows.
bursts() {
	local n
	for _ in 1 2; do
		sleep 1.5
		for n in 1 2; do
			ip netns exec "$lab-h$n" timeout 20 iperf3 -u -b 0 -P 4 -l 1400 -n 2M -c 10.80.21.3 -p 521$n &
		done
		wait
	done >>"$run/bursts.log" 2>&1 </dev/null
}

# shellcheck disable=SC2317 # called by wait_for
# read_objects NAME OBJECT...: prints the values, one a line, from snmpd of NAME.
read_objects() { in_ns "$lab-$1" snmpget -v2c -c public -t 2 -OqvUe 127.0.0.1 "${@:2}"; }

# The objects that are read all the time, by name: v[b2h3.queue] and so on has the value.
# Times and rates are by dcbAgentUpTime of bridge 2, which is read with its counters.
declare -A v oids_of
declare -A objects
define_objects() {
	local name
	objects[b2]="time=dcbAgentUpTime.0 queue=dcbCpQueueLength.$cp setpoint=ieee8021CnCpQueueSizeSetPoint.$cp
		feedback=dcbCpFeedback.$cp cnms=ieee8021CnCpTransmittedCnms.$cp
		lost1=ieee8021CnCpDiscardedFrames.$cp octets=dcbPortTxOctets.$b2h3
		frames=dcbPortTxFrames.$b2h3 lost2=dcbPfcPriorityDiscards.$b2b1.3
		lost3=dcbPortDiscardKernel.$b2b1 pfc1=dcbPfcPriorityRequests.$b2b1.3"
	objects[b1]="queue=dcbCpQueueLength.1.$b1b2.3 cnms=ieee8021CnCpTransmittedCnms.1.$b1b2.3
		lost1=ieee8021CnCpDiscardedFrames.1.$b1b2.3
		lost2=dcbPfcPriorityDiscards.$b1h1.3 lost3=dcbPfcPriorityDiscards.$b1h2.3
		lost4=dcbPortDiscardKernel.$b1h1 lost5=dcbPortDiscardKernel.$b1h2
		pfc1=dcbPfcPriorityRequests.$b1h1.3 pfc2=dcbPfcPriorityRequests.$b1h2.3
		paused=dcbPfcPriorityPauseTime.$b1b2.3"
	objects[h1]="rate=dcbRpCurrentRate.1.$wire1.3.1 cnms=dcbCnmReceived.$wire1
		rps=ieee8021CnRpPortPriCreatedRps.1.3.$wire1"
	objects[h2]="rate=dcbRpCurrentRate.1.$wire2.3.1 cnms=dcbCnmReceived.$wire2
		rps=ieee8021CnRpPortPriCreatedRps.1.3.$wire2"
	for name in "${!objects[@]}"; do
		# shellcheck disable=SC2086 # a word for each object
		set -- ${objects[$name]}
		# As numbers: snmpget is faster when it reads no MIB modules.
		oids_of[$name]=$(snmptranslate -IR -On "${@#*=}" | paste -sd ' ')
	done
}

# get_all NAME: reads the objects of a system into values. Fails if one is no number: on a busy machine
# dcbd may answer too late.
get_all() {
	# shellcheck disable=SC2086 # a word for each object
	mapfile -t values < <(MIBS='' in_ns "$lab-$1" snmpget -v2c -c public -t 2 -OqvUt 127.0.0.1 ${oids_of[$1]} 2>>"$run/snmpget.log")
	! printf '%s\n' "${values[@]}" | grep -qvE '^-?[0-9]+$'
}

# read_all: sets v, and in it the sums lost (frames, in both bridges), pfc (frames sent) and rps. The
# stations are read first, so that they have received no CNM that no bridge has sent.
read_all() {
	local name i keys values deadline
	for name in h1 h2 b1 b2; do
		read -ra keys <<<"${objects[$name]//$'\n'/ }"
		deadline=$((SECONDS + 20))
		until get_all "$name" && [ ${#values[@]} -eq ${#keys[@]} ]; do
			[ $SECONDS -lt $deadline ] || die "snmpget in $lab-$name: no answer, see $run/snmpget.log"
		done
		for i in "${!keys[@]}"; do v[${name}_${keys[i]%%=*}]=${values[i]}; done
	done
	v[cnms]=$((v[h1_cnms] + v[h2_cnms]))
	v[lost]=$((v[b1_lost1] + v[b1_lost2] + v[b1_lost3] + v[b1_lost4] + v[b1_lost5] +
		v[b2_lost1] + v[b2_lost2] + v[b2_lost3]))
	v[b1_pfc]=$((v[b1_pfc1] + v[b1_pfc2]))
	v[pfc]=$((v[b1_pfc] + v[b2_pfc1]))
	v[rps]=$((v[h1_rps] + v[h2_rps]))
}

# begin [NAME]: reads the counters at the beginning of a phase, from which "since" counts. NAME: in
# the picture.
declare -A at_first
begin() {
	local key
	read_all
	[ $# -eq 0 ] || printf '%s\t%s\n' "${v[b2_time]}" "$1" >>"$run/phases"
	for key in "${!v[@]}"; do at_first[$key]=${v[$key]}; done
}
since() { echo $((v[$1] - at_first[$1])); } # NAME: by how much the counter has increased

# lossy_lines: "N of M lines": how many of the live lines since "begin" have a loss. A dcbd that gets
# no processor for longer than the buffer lasts loses frames with reaction points, too, in a line or two.
lossy_lines() {
	awk -v from=$((10 * (at_first[b2_time] - first))) '$1 > from { all++; n += $7 > 0 }
		END { print n + 0 " of " all + 0 " lines" }' "$run/samples"
}
# few "N of M lines": whether N is at most a quarter of M, or a single line.
# shellcheck disable=SC2317 # called by verdict
few() { awk '{ exit !($3 > 1 && (4 * $1 <= $3 || $1 == 1)) }' <<<"$1"; }

# watch SECONDS: prints the state of congestion point and reaction points, rates a second.
watch() {
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "queue of b2h3" octets cpFb \
		"RP h1" "RP h2" out CNMs PFC frames
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "(|: set point)" "" "" Mb/s Mb/s Mb/s sent/s sent/s lost/s
	watch_more "$1"
}

# watch_more SECONDS: as watch, below lines that watch has printed. On a busy machine longer, until there
# is a line for each second.
watch_more() {
	local end=$((${EPOCHREALTIME/./} / 1000 + $1 * 1000)) due lines=0
	while :; do
		due=$((${EPOCHREALTIME/./} / 1000 + 400))
		read_all
		sample
		lines=$((lines + 1))
		[ $((due - 400)) -lt "$end" ] || [ $lines -le "$1" ] || break
		sleep "$(awk -v ms=$((due - ${EPOCHREALTIME/./} / 1000)) 'BEGIN { print (ms > 0 ? ms / 1000 : 0) }')"
	done
}

# rate NAME: how much the counter has increased a second since the last sample.
rate() { echo $(((v[$1] - last[$1]) * 100 / dt)); }

# sample: prints the values of v, and the rates since the last sample, if there is one.
declare -A last=()
first=
sample() {
	local key r1 r2 out dt=$((v[b2_time] - ${last[b2_time]:-v[b2_time]}))
	: "${first:=${v[b2_time]}}"
	if [ ${#last[@]} -gt 0 ]; then
		[ $dt -ge 20 ] || return 0
		r1=$(mbps "${v[h1_rate]}")
		r2=$(mbps "${v[h2_rate]}")
		# The rate on the wire: FCS, preamble and gap are 24 octets a frame.
		out=$(mbps $((8 * ($(rate b2_octets) + 24 * $(rate b2_frames)))))
		printf '%s %7d %7d %6s %6s %6s %6d %6d %6d\n' "$(bar "${v[b2_queue]}" "${v[b2_setpoint]}")" \
			"${v[b2_queue]}" "${v[b2_feedback]}" "$r1" "$r2" "$out" "$(($(rate b2_cnms) + $(rate b1_cnms)))" \
			"$(rate pfc)" "$(rate lost)"
		printf '%s\n' "$((10 * (v[b2_time] - first))) ${v[b2_queue]} ${v[b2_setpoint]} $r1 $r2 $out $(rate lost) \
			$(rate b2_pfc1) $(rate b1_pfc) ${v[b1_queue]} $(rate b2_cnms) $(rate b1_cnms) ${v[rps]} \
			$(rate b1_paused)" >>"$run/samples"
	fi
	for key in "${!v[@]}"; do last[$key]=${v[$key]}; done
}

# draw: plots the samples in five bands, with a line at the beginning of each phase.
draw() {
	local terminal="pngcairo font 'sans-serif,10'" time name phases='' labels=''
	[ "${plot##*.}" != svg ] || terminal="svg font 'sans-serif,13' background '#ffffff'"
	while IFS=$'\t' read -r time name; do
		time=$(awk -v t=$((time - first)) 'BEGIN { print (t > 0 ? t / 100 : 0) }')
		phases+="set arrow from $time, graph 0 to $time, graph 1 nohead back dt 2 lc rgb '#808080'"$'\n'
		labels+="set label '$name' at $time, graph 1.12 offset 0.4, 0"$'\n'
	done <"$run/phases"
	gnuplot <<END
set terminal $terminal size 1000,1000
set output "$plot"
set multiplot layout 5,1 margins 0.09,0.74,0.06,0.92 spacing 0,0.035 title \
	"two applications, two bridges, a bottleneck of $rate Mb/s"
s = "$run/samples"
set xrange [0:$(tail -n 1 "$run/samples" | cut -d ' ' -f 1)/1000.0]
set key at graph 1.1, 1 left top reverse Left
set style fill solid 0.6 noborder
set format x ""
set ytics nomirror
$phases
$labels
set ylabel "rates\nMb/s"
set yrange [0:2*$rate]
plot s using (\$1/1000):4 with lines lw 1.5 title "RP of h1", \
     "" using (\$1/1000):5 with lines lw 1.5 title "RP of h2", \
     "" using (\$1/1000):6 with lines lw 2 lc rgb "black" title "sent by b2h3"
unset label
set ylabel "queues\nkilooctets"
set yrange [0:$buffer/1000]
plot s using (\$1/1000):(\$2/1000) with filledcurves y1=0 lc rgb "#88bbee" title "queue of b2h3", \
     "" using (\$1/1000):(\$3/1000) with steps lw 2 lc rgb "#c06000" title "its set point", \
     "" using (\$1/1000):(\$10/1000) with lines lc rgb "#006060" title "queue of b1b2"
set ylabel "CN\nCNMs a second"
set yrange [0:*]
set y2label "RPs created"
set y2range [0:*]
set y2tics
plot s using (\$1/1000):11 with lines lw 1.5 title "CNMs of b2", \
     "" using (\$1/1000):12 with lines lw 1.5 title "CNMs of b1", \
     "" using (\$1/1000):13 axes x1y2 with steps lw 2 lc rgb "black" title "RPs (right)"
set ylabel "PFC\nframes a second"
set yrange [0:1<*]
set y2label "paused, %"
set y2range [0:100]
plot s using (\$1/1000):8 with lines lw 1.5 title "PFC frames of b2", \
     "" using (\$1/1000):9 with lines lw 1.5 title "PFC frames of b1", \
     "" using (\$1/1000):(\$14/10000) axes x1y2 with filledcurves y1=0 lc rgb "#b0b0b0" title "b1b2 paused (right)"
unset y2label
unset y2tics
set ylabel "losses\nframes a second"
set logscale y
set yrange [1:10<*]
set format x "%g"
set xlabel "seconds"
plot s using (\$1/1000):(\$7 > 0 ? \$7 : NaN):(0.4) with boxes lc rgb "#cc0000" title "frames lost"
unset multiplot
END
}

picture() {
	cat <<END

   h1   application               +---------+        +---------+
     dcb0 - dcbd, station - eth0 -|b1h1     |        |         |
       10.80.21.1                 |   b1    |        |   b2    |
                                  |     b1b2|--------|b2b1     |
   h2   application               |  dcbd,  |        |  dcbd,  |        h3
     dcb0 - dcbd, station - eth0 -|b1h2     |        |     b2h3|----- eth0
       10.80.21.2                 | bridge  |        | bridge  |  10.80.21.3
                                  +---------+        +---------+
   Links of 1 Gb/s; b2h3 sends $rate Mb/s. Beside each dcbd: snmpd, dcb-agentx.
   Network namespaces: $lab-h1, $lab-b1 and so on.
END
}

hints() {
	cat <<END

The demo stays up. Queries in $lab-b2, with the MIB modules of dcb-agent:

  export MIBDIRS=$top/mibs/base:$top/mibs
  export MIBS=IEEE8021-CN-MIB:IEEE8021-PFC-MIB
  export MIBS=\$MIBS:LLDP-EXT-DOT1-V2-MIB:DCB-AGENT-MIB
  ip netns exec $lab-b2 bash
  snmpwalk -v2c -c public 127.0.0.1 ieee8021CnMIB
  snmptable -v2c -c public -Ci 127.0.0.1 ieee8021CnCpTable
  snmpset -v2c -c private 127.0.0.1 ieee8021CnCpQueueSizeSetPoint.$cp u 30000
  exit
  ip netns exec $lab-h1 snmptable -v2c -c public -Ci 127.0.0.1 dcbRpTable
  lldpcli -u $run/b2/lldpd show neighbors

The same without SNMP:
  $build/dcbctl -s $run/b2/view watch dcbCpTable
  $build/dcbctl -s $run/h1/view watch dcbRpTable

CNMs that arrive at h1, with the Wireshark dissector of dcb-agent:
  ip netns exec $lab-h1 tshark -i eth0 -Y dcb.cnm \\
      -X lua_script:$top/contrib/wireshark/dcb.lua

The two TCP streams last an hour. More load:
  ip netns exec $lab-h1 iperf3 -c 10.80.21.3 -p 5203 -t 10

Logs and configuration: $run
Remove the demo: $top/dev demo --down
END
	! $page || page_hints
}

# --- pages ----------------------------------------------------------------------------------------

# start_pages: serves a page of each dcbd on a TCP port of the loopback interface, from 9921 on, in
# the network namespace of this script: that of the user's browser. A page needs the view socket only,
# a file, and no access to the namespaces of the demo. Root starts the program, which changes its user
# itself: another user may have no access to the build tree.
start_pages() {
	local n port=9921
	for n in b2 b1 h1 h2; do
		while is_listening $port; do port=$((port + 1)); done
		"$build/dcb-exporter" -u "nobody" -s "$run/$n/view" -l "127.0.0.1:$port" \
			>"$run/page-$n.log" 2>&1 </dev/null &
		newest=$!
		disown
		echo $newest >"$run/page-$n.pid"
		wait_for 10 "the page of $n on TCP port $port" is_listening $port
		printf '%s http://127.0.0.1:%d/\n' $n $port >>"$run/pages"
	done
}
is_listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; } # PORT

page_hints() {
	printf '\nPages of the four dcbd, in the network namespace in which the demo was started:\n'
	sed 's/^/  /' "$run/pages"
	printf 'From another machine: ssh -L 9921:127.0.0.1:9921 %s, then the same address.\n' "$(uname -n)"
}

case ${1-} in
'') ;;
--keep) keep=true ;;
--page)
	keep=true page=true
	[ -x "$build/dcb-exporter" ] || die "--page needs $build/dcb-exporter, which does not exist: ./dev build"
	;;
--down)
	down_all "${@:2}"
	exit 0
	;;
*) die "unknown option $1: expected --keep, --page or --down" ;;
esac
[ "$(id -u)" -eq 0 ] || die "network namespaces need root"

claim
plot=${DCB_PLOT:-$build/demo${lab#dcb-demo}.png} # PNG, or SVG by its extension
trap on_exit EXIT
trap 'exit 130' INT TERM HUP PIPE
# In memory, also where /run is not: dcbd answers a SET after its values are on disk, which
# takes seconds if other programs write a lot.
mount -t tmpfs -o mode=755 "$lab" "$run"
mkdir -p "$run/snmp/cert_indexes" # else Net-SNMP makes it and says so
export SNMP_PERSISTENT_DIR=$run/snmp SNMPCONFPATH=$run

say "$lab: two bridges (dcbd) in series, two end stations (dcbd) and a host, each in a network namespace"
picture
make_lab
ifindex() { in_ns "$lab-$1" cat "/sys/class/net/$2/ifindex"; } # NAME INTERFACE
b1h1=$(ifindex b1 b1h1) b1h2=$(ifindex b1 b1h2) b1b2=$(ifindex b1 b1b2)
b2b1=$(ifindex b2 b2b1) b2h3=$(ifindex b2 b2h3)
wire1=$(ifindex h1 eth0) wire2=$(ifindex h2 eth0)
cp=1.$b2h3.3 # component, ifIndex, congestion point: that of priority 3
define_objects
write_configuration
start_daemons
if $page; then
	start_pages
	page_hints
fi
say "by LLDP stations and bridges form the domain of priority 3; host 3 is not in it: port b2h3 is an edge"
domain

say "applications on stations 1 and 2 send TCP to host 3; all numbers below are read by SNMP"
echo "The congestion point of b2h3 sends CNMs; no reaction point: frames are lost."
begin "no RPs"
load
watch 6
deadline=$((SECONDS + 20)) # a busy machine sends less than the slow port for a while
while [ "$(since lost)" -eq 0 ] && [ $SECONDS -lt $deadline ]; do watch_more 1; done
before=$(since lost)
verdict "$before frames lost without reaction points" "some" [ "$before" -gt 0 ]

say "reaction points on, by SNMP"
show in_ns "$lab-h1" snmpset -v2c -c private 127.0.0.1 "ieee8021CnRpgEnable.1.3.$wire1.3" i true
show in_ns "$lab-h2" snmpset -v2c -c private 127.0.0.1 "ieee8021CnRpgEnable.1.3.$wire2.3" i true
begin "RPs on"
watch 3
settling=$(since lost)
begin
watch_more 7
lines=$(lossy_lines)
verdict "$before frames lost before, $settling while the rates settled (3 s), $(since lost) since (7 s) in $lines" \
	"in a quarter of the lines at most" few "$lines"
verdict "stations received ${v[cnms]} CNMs; sent by bridge 2: ${v[b2_cnms]}, by bridge 1: ${v[b1_cnms]}" \
	"those of bridge 2 cross bridge 1" \
	test "${v[cnms]}" -gt "${v[b1_cnms]}" -a "${v[cnms]}" -le $((v[b1_cnms] + v[b2_cnms]))
queue=$(mean_of_queue 6)
verdict "queue $queue octets on average, set point ${v[b2_setpoint]}" \
	"less than half of the buffer of $buffer" [ "$queue" -lt $((buffer / 2)) ]

say "another set point of the congestion point, by SNMP"
show in_ns "$lab-b2" snmpset -v2c -c private 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp" u 100000
show in_ns "$lab-b2" snmpget -v2c -c public 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp"
begin "set point"
watch 6
lines=$(lossy_lines)
reads_back() { [ "${v[b2_setpoint]}" -eq 100000 ] && few "$lines"; }
verdict "queue $(mean_of_queue 4) octets on average, set point ${v[b2_setpoint]}; $(since lost) frames lost in $lines" \
	"set point 100000, loss in a quarter of the lines at most" reads_back

say "bursts, shorter than the reaction time of congestion notification: frames are lost"
for n in 1 2; do listener iperf-u$n 521$n; done
begin "bursts"
watch_bursts has_lost
before=$(since lost)
verdict "$before frames lost in bursts without PFC" "some" has_lost

say "priority-based flow control on at the bridges, by SNMP; the stations are willing and adopt it by DCBX"
for n in "b2 $b2b1" "b1 $b1b2" "b1 $b1h1" "b1 $b1h2"; do
	show in_ns "$lab-${n% *}" snmpset -v2c -c private 127.0.0.1 "dcbPfcPriorityEnable.${n#* }.3" i true
done
for n in "h1 $wire1" "h2 $wire2"; do
	wait_for 30 "PFC in force at ${n% *}" is "${n% *}" "lldpXdot1dcbxLocPFCEnableEnabled.${n#* }.3" 1
done
show in_ns "$lab-h1" "$build/dcbctl" -s "$run/h1/control" dcbx | narrow
echo "Bridge 2 pauses bridge 1, and that the stations: the same bursts wait there."
begin "bursts, PFC"
watch_bursts both_pause
# A dcbd that gets no processor for longer than the headroom lasts loses frames in spite of PFC.
verdict "$before frames lost in bursts before, $(since lost) since with PFC" "at most a tenth" \
	[ $((10 * $(since lost))) -le "$before" ]
verdict "PFC frames of bridge 2: $(since b2_pfc1), of bridge 1: $(since b1_pfc)" "some of each" \
	both_pause

say "lldpd of bridge 2 sees host 3 as the neighbor of b2h3: bridges do not forward LLDPDUs"
show lldpcli -u "$run/b2/lldpd" -f keyvalue show neighbors ports b2h3 summary
draw
say "plot: $plot"
if $keep; then
	daemon iperf-s3 "$lab-h3" iperf3 --forceflush -s -p 5203
	hints
	kept=true
fi
verdicts
