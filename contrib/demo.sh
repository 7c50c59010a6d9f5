#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A demonstration on one machine: the applications of two end stations send through two
# bridges in series, more than a port of the second bridge can transmit. At first frames
# are lost. Then the congestion notification messages of that port cross the first bridge
# and reduce the stations to its rate, and no frame is lost. Bursts are shorter than the
# reaction time: priority-based flow control, from bridge to bridge and from there to the
# stations, prevents their loss. By LLDP the systems learn which of them are in the
# congestion notification domain (the stations and the bridges, not the host at the slow
# port) and which priorities have PFC. All values are read and set by SNMP, and a plot is
# written to the build tree. ./dev demo builds the programs, then runs this script; needs
# root.
#
#   demo.sh          run the demo, then remove everything
#   demo.sh --keep   run the demo, leave it up, print commands to try
#   demo.sh --down   remove a demo that --keep left up
#
# It uses five network namespaces and the directory /run/dcb-demo.
set -euo pipefail

top=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
build=${DCB_BUILD:-$top/build}
run=/run/dcb-demo
plot=${DCB_PLOT:-$build/demo.png} # PNG, or SVG by its extension
rate=200      # Mb/s, of the slow port
buffer=400000 # octets, of the slow port: 16 ms, as dcbd may have to wait for a processor
spaces=(dcb-h1 dcb-h2 dcb-h3 dcb-b1 dcb-b2)
keep=false
export LC_ALL=C
export MIBDIRS=$top/mibs/base:$top/mibs MIBS=IEEE8021-CN-MIB:IEEE8021-PFC-MIB:LLDP-EXT-DOT1-V2-MIB:DCB-AGENT-MIB
export SNMP_PERSISTENT_DIR=$run/snmp SNMPCONFPATH=$run

# shellcheck source=contrib/demo_lib.sh
. "$top/contrib/demo_lib.sh"
die() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}
in_ns() { ip netns exec "$@"; }
show() { # COMMAND...: prints the command as typed in a shell, then runs it
	printf '$ %s\n' "${*/#in_ns/ip netns exec}"
	"$@"
}

# existing: the namespaces of the demo that exist.
existing() { ip netns list 2>/dev/null | awk '$1 ~ /^dcb-(h1|h2|h3|b1|b2)$/ { print $1 }'; }

# signal_ns SIGNAL NAMESPACE: sends it to all processes there; fails if there are none.
signal_ns() {
	local pids
	mapfile -t pids < <(ip netns pids "$2")
	[ ${#pids[@]} -gt 0 ] || return 1
	kill "-$1" "${pids[@]}" 2>/dev/null || true
}

# down: ends all processes in the namespaces of the demo, then removes them with their interfaces.
down() {
	local ns deadline
	for ns in $(existing); do signal_ns TERM "$ns" || true; done
	deadline=$((SECONDS + 3))
	for ns in $(existing); do
		while signal_ns 0 "$ns" && [ $SECONDS -lt $deadline ]; do sleep 0.05; done
		signal_ns KILL "$ns" || true
		ip netns del "$ns"
	done
	remove_run
}

remove_run() {
	! mountpoint -q "$run" || umount -l "$run"
	rm -rf "$run"
}

# shellcheck disable=SC2317 # called by the trap
on_exit() {
	local rc=$?
	trap - EXIT
	trap '' INT TERM HUP PIPE
	if [ "$rc" -ne 0 ] && [ "$rc" -ne 130 ] && [ -d "$run" ]; then
		tail -n 15 "$run"/*.log 2>/dev/null || true
	fi
	if $keep && [ "$rc" -eq 0 ]; then
		exit 0
	fi
	down
	say "removed: the namespaces ${spaces[*]}, their processes and $run"
	exit "$rc"
}

wait_for() { # SECONDS WHAT COMMAND...: until it succeeds; fails if the newest daemon ends
	local deadline=$((SECONDS + $1)) what=$2
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

# cable NAME INTERFACE NAME INTERFACE: connects namespace dcb-NAME with another one.
cable() {
	ip link add "$2" netns "dcb-$1" type veth peer name "$4" netns "dcb-$3"
	port "$1" "$2" "$3"
	port "$3" "$4" "$1"
}

port() { # NAME INTERFACE NEIGHBOR
	ip -n "dcb-$1" link set "$2" alias "to $3" up
	# dcbd needs frames as on the wire: veth has no hardware to complete checksums
	# or to split and merge packets.
	in_ns "dcb-$1" ethtool -K "$2" tx off tso off gso off gro off >/dev/null
}

make_lab() {
	local ns
	for ns in "${spaces[@]}"; do
		ip netns add "$ns" || die "cannot create network namespaces (a container needs --privileged)"
		in_ns "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1 || true
		ip -n "$ns" link set lo up
	done
	cable h1 eth0 b1 b1h1
	cable h2 eth0 b1 b1h2
	cable b1 b1b2 b2 b2b1
	cable b2 b2h3 h3 eth0
	ip -n dcb-h3 addr add 10.80.21.3/24 dev eth0
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

# snmp_conf NAME: writes the configuration of snmpd in namespace dcb-NAME.
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
control = { socket = "$run/$1/control"; };
lldp = { socket = "$run/$1/lldpd"; };
user = "nobody"; # dcbd changes to it once its sockets are open
initial = (
$(dcb_rows)
);
END
}

write_configuration() {
	local n
	mkdir "$run"/{b1,b2,h1,h2,h3}
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
control = { socket = "$run/h$n/control"; };
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

# neighbor NAME INTERFACES: starts lldpd in namespace dcb-NAME with that system name.
neighbor() {
	local dir=$run/$1
	daemon "lldpd-$1" "dcb-$1" unshare --uts sh -c "hostname dcb-$1 && exec \"\$@\"" sh \
		lldpd -dd -u "$dir/lldpd" -p "$dir/lldpd.pid" -I "$2" -C "$2" -L ''
	wait_for 10 "lldpd in dcb-$1" lldpcli -u "$dir/lldpd" show configuration
}

# managed NAME INTERFACES: starts lldpd, dcbd, snmpd and dcb-agentx in namespace dcb-NAME. dcbd has
# a higher CPU priority than the applications, which here run on the same machine.
managed() {
	local ns=dcb-$1 dir=$run/$1
	neighbor "$1" "$2"
	daemon "dcbd-$1" "$ns" nice -n -10 "$build/dcbd" -c "$dir/dcbd.conf"
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
		ip -n dcb-h$n addr add "10.80.21.$n/24" dev dcb0
		# Unacknowledged data of one connection fits into the station's queue.
		in_ns dcb-h$n sysctl -qw net.ipv4.tcp_wmem="4096 131072 2000000"
		# Cubic, the default, ends slow start when the round-trip time grows, and then needs many
		# seconds to fill the buffer; Reno's slow start ends with a loss.
		in_ns dcb-h$n sysctl -qw net.ipv4.tcp_congestion_control=reno
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
		show in_ns dcb-$n "$build/dcbctl" -s "$run/$n/control" cn
	done
}

listener() { # NAME PORT: starts an iperf3 server on host 3
	daemon "$1" dcb-h3 iperf3 --forceflush -s -p "$2"
	wait_for 5 "iperf3" grep -q listening "$run/$1.log"
}

load() { # starts two applications that send one TCP stream each to the slow port
	local n
	for n in 1 2; do
		listener iperf-s$n 520$n
		daemon iperf-$n dcb-h$n iperf3 --forceflush -c 10.80.21.3 -p 520$n -t 3600
		wait_for 10 "a connection from station $n to host 3" grep -q connected "$run/iperf-$n.log"
	done
}

# bursts: two times, from both stations at once, two megabytes of UDP in four flows.
bursts() {
	local n
	for _ in 1 2; do
		sleep 1.5
		for n in 1 2; do
			ip netns exec dcb-h$n timeout 5 iperf3 -u -b 0 -P 4 -l 1400 -n 2M -c 10.80.21.3 -p 521$n &
		done
		wait
	done >>"$run/bursts.log" 2>&1 </dev/null
}

# shellcheck disable=SC2317 # called by wait_for
# read_objects NAME OBJECT...: prints the values, one a line, from snmpd in dcb-NAME.
read_objects() { in_ns "dcb-$1" snmpget -v2c -c public -t 2 -OqvUe 127.0.0.1 "${@:2}"; }

# The objects that are read all the time, by name: v[b2h3.queue] and so on has the value.
declare -A v oids_of
declare -A objects
define_objects() {
	local name
	objects[b2]="queue=dcbCpQueueLength.$cp setpoint=ieee8021CnCpQueueSizeSetPoint.$cp
		feedback=dcbCpFeedback.$cp cnms=ieee8021CnCpTransmittedCnms.$cp
		lost1=ieee8021CnCpDiscardedFrames.$cp octets=dcbPortTxOctets.$b2h3
		frames=dcbPortTxFrames.$b2h3 lost2=dcbPfcPriorityDiscards.$b2b1.3
		lost3=dcbPortDiscardKernel.$b2b1 pfc1=dcbPfcPriorityRequests.$b2b1.3"
	objects[b1]="queue=dcbCpQueueLength.1.$b1b2.3 cnms=ieee8021CnCpTransmittedCnms.1.$b1b2.3
		lost1=ieee8021CnCpDiscardedFrames.1.$b1b2.3
		lost2=dcbPfcPriorityDiscards.$b1h1.3 lost3=dcbPfcPriorityDiscards.$b1h2.3
		lost4=dcbPortDiscardKernel.$b1h1 lost5=dcbPortDiscardKernel.$b1h2
		pfc1=dcbPfcPriorityRequests.$b1h1.3 pfc2=dcbPfcPriorityRequests.$b1h2.3"
	objects[h1]="rate=dcbRpCurrentRate.1.$wire1.3.1 cnms=dcbCnmReceived.$wire1"
	objects[h2]="rate=dcbRpCurrentRate.1.$wire2.3.1 cnms=dcbCnmReceived.$wire2"
	for name in "${!objects[@]}"; do
		# shellcheck disable=SC2086 # a word for each object
		set -- ${objects[$name]}
		# As numbers: snmpget is faster when it reads no MIB modules.
		oids_of[$name]=$(snmptranslate -IR -On "${@#*=}" | paste -sd ' ')
	done
}

# read_all: sets v, and in it the sums lost (frames, in both bridges) and pfc (frames sent). The
# stations are read first, so that they have received no CNM that no bridge has sent.
read_all() {
	local name i keys values
	for name in h1 h2 b1 b2; do
		read -ra keys <<<"${objects[$name]//$'\n'/ }"
		# shellcheck disable=SC2086 # a word for each object
		mapfile -t values < <(MIBS='' in_ns "dcb-$name" snmpget -v2c -c public -t 2 -OqvU 127.0.0.1 ${oids_of[$name]})
		[ ${#values[@]} -eq ${#keys[@]} ] ||
			die "snmpget in dcb-$name answered ${#values[@]} of ${#keys[@]} objects"
		for i in "${!keys[@]}"; do v[${name}_${keys[i]%%=*}]=${values[i]}; done
	done
	v[cnms]=$((v[h1_cnms] + v[h2_cnms]))
	v[lost]=$((v[b1_lost1] + v[b1_lost2] + v[b1_lost3] + v[b1_lost4] + v[b1_lost5] +
		v[b2_lost1] + v[b2_lost2] + v[b2_lost3]))
	v[pfc]=$((v[b1_pfc1] + v[b1_pfc2] + v[b2_pfc1]))
}

# begin: reads the counters at the beginning of a phase, from which "since" counts.
declare -A at_first
begin() {
	local key
	read_all
	for key in "${!v[@]}"; do at_first[$key]=${v[$key]}; done
}
since() { echo $((v[$1] - at_first[$1])); } # NAME: by how much the counter has increased

# watch SECONDS: prints the state of congestion point and reaction points.
watch() {
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "queue of b2h3" octets cpFb \
		"RP h1" "RP h2" out CNMs PFC frames
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "(|: set point)" "" "" Mb/s Mb/s Mb/s sent sent lost/s
	watch_more "$1"
}

watch_more() { # SECONDS: as watch, below lines that watch has printed
	local end now r1 r2 dt out lost
	end=$(($(date +%s%3N) + $1 * 1000))
	while :; do
		now=$(date +%s%3N)
		read_all
		r1=$(mbps "${v[h1_rate]}")
		r2=$(mbps "${v[h2_rate]}")
		dt=$((now - ${last[time]:-0}))
		if [ -z "${last[time]-}" ]; then
			first=$now
		elif [ $dt -ge 200 ]; then
			# The rate on the wire: FCS, preamble and gap are 24 octets a frame.
			out=$(mbps $((((v[b2_octets] - last[octets]) + 24 * (v[b2_frames] - last[frames])) * 8000 / dt)))
			lost=$(((v[lost] - last[lost]) * 1000 / dt))
			printf '%s %7d %7d %6s %6s %6s %6d %6d %6d\n' "$(bar "${v[b2_queue]}" "${v[b2_setpoint]}")" \
				"${v[b2_queue]}" "${v[b2_feedback]}" "$r1" "$r2" "$out" "${v[b2_cnms]}" "${v[pfc]}" "$lost"
			printf '%s\n' "$((now - first)) ${v[b2_queue]} ${v[b2_setpoint]} $r1 $r2 $out ${v[lost]} ${v[pfc]} \
				${v[b1_queue]}" >>"$run/samples"
		fi
		last=([time]=$now [octets]=${v[b2_octets]} [frames]=${v[b2_frames]} [lost]=${v[lost]})
		[ "$now" -lt "$end" ] || break
		sleep "$(awk -v ms=$((now + 400 - $(date +%s%3N))) 'BEGIN { print (ms > 0 ? ms / 1000 : 0) }')"
	done
}
declare -A last=()
first=0

draw() { # plots the samples
	local terminal=pngcairo
	[ "${plot##*.}" != svg ] || terminal="svg font 'sans-serif,14' background '#ffffff'"
	gnuplot <<END
set terminal $terminal size 1000,750
set output "$plot"
set multiplot layout 3,1 title "two applications, two bridges, a bottleneck of $rate Mb/s"
set lmargin 12
set rmargin 20
set xrange [0:]
set key outside right
set ylabel "octets"
set yrange [0:*]
plot "$run/samples" using (\$1/1000):2 with lines title "queue of b2h3", \
     "" using (\$1/1000):3 with steps title "its set point", \
     "" using (\$1/1000):9 with lines title "queue of b1b2"
set ylabel "Mb/s"
set yrange [0:2*$rate]
plot "$run/samples" using (\$1/1000):4 with lines title "RP of h1", \
     "" using (\$1/1000):5 with lines title "RP of h2", \
     "" using (\$1/1000):6 with lines title "sent by b2h3"
set ylabel "frames"
set yrange [0:1<*]
set xlabel "seconds"
plot "$run/samples" using (\$1/1000):7 with lines title "lost", \
     "" using (\$1/1000):8 with lines title "PFC frames"
unset multiplot
END
}

picture() {
	cat <<END

   dcb-h1 application               +---------+        +---------+
     dcb0 - dcbd, station - eth0 ---|b1h1     |        |         |
       10.80.21.1                   | dcb-b1  |        | dcb-b2  |
                                    |     b1b2|--------|b2b1     |
   dcb-h2 application               |  dcbd,  |        |  dcbd,  |      dcb-h3
     dcb0 - dcbd, station - eth0 ---|b1h2     |        |     b2h3|----- eth0
       10.80.21.2                   | bridge  |        | bridge  |  10.80.21.3
                                    +---------+        +---------+
   Links of 1 Gb/s; b2h3 sends $rate Mb/s. Beside each dcbd: snmpd with dcb-agentx
END
}

hints() {
	cat <<END

The demo stays up. Queries in dcb-b2, with the MIB modules of dcb-agent:

  export MIBDIRS=$MIBDIRS MIBS=$MIBS
  ip netns exec dcb-b2 snmpwalk -v2c -c public 127.0.0.1 ieee8021CnMIB
  ip netns exec dcb-b2 snmptable -v2c -c public -Ci 127.0.0.1 ieee8021CnCpTable
  ip netns exec dcb-h1 snmptable -v2c -c public -Ci 127.0.0.1 dcbRpTable
  ip netns exec dcb-b2 snmpset -v2c -c private 127.0.0.1 ieee8021CnCpQueueSizeSetPoint.$cp u 30000
  lldpcli -u $run/b2/lldpd show neighbors

The same without SNMP:
  $build/dcbctl -s $run/b2/control watch dcbCpTable
  $build/dcbctl -s $run/h1/control watch dcbRpTable

CNMs that arrive at h1, with the Wireshark dissector of dcb-agent:
  ip netns exec dcb-h1 tshark -X lua_script:$top/contrib/wireshark/dcb.lua -i eth0 -Y dcb.cnm

The two TCP streams last an hour. More load:
  ip netns exec dcb-h1 iperf3 -c 10.80.21.3 -p 5203 -t 10

Logs and configuration: $run
Remove the demo: $top/dev demo --down
END
}

case ${1-} in
'') ;;
--keep) keep=true ;;
--down)
	[ -n "$(existing)" ] || [ -d "$run" ] || die "there is no demo to remove"
	down
	say "removed: the namespaces ${spaces[*]}, their processes and $run"
	exit 0
	;;
*) die "unknown option $1: expected --keep or --down" ;;
esac
[ "$(id -u)" -eq 0 ] || die "network namespaces need root"
[ -z "$(existing)" ] || die "namespaces of a demo exist already: remove them with ./dev demo --down"

trap on_exit EXIT
trap 'exit 130' INT TERM HUP PIPE
remove_run
mkdir -m 755 "$run"
# In memory, also where /run is not: dcbd answers a SET after its values are on disk, which
# takes seconds if other programs write a lot.
mount -t tmpfs -o mode=755 dcb-demo "$run"
mkdir -p "$run/snmp/cert_indexes" # else Net-SNMP makes it and says so

say "two bridges (dcbd) in series, two end stations (dcbd) and a host, each in a network namespace"
picture
make_lab
ifindex() { in_ns "dcb-$1" cat "/sys/class/net/$2/ifindex"; } # NAME INTERFACE
b1h1=$(ifindex b1 b1h1) b1h2=$(ifindex b1 b1h2) b1b2=$(ifindex b1 b1b2)
b2b1=$(ifindex b2 b2b1) b2h3=$(ifindex b2 b2h3)
wire1=$(ifindex h1 eth0) wire2=$(ifindex h2 eth0)
cp=1.$b2h3.3 # component, ifIndex, congestion point: that of priority 3
define_objects
write_configuration
start_daemons
say "by LLDP stations and bridges form the domain of priority 3; host 3 is not in it: port b2h3 is an edge"
domain

say "applications on stations 1 and 2 send TCP to host 3; all numbers below are read by SNMP"
echo "The congestion point of b2h3 sends CNMs, but the reaction points are disabled: frames are lost."
begin
load
watch 6
deadline=$((SECONDS + 20)) # a busy machine sends less than the slow port for a while
while [ "$(since lost)" -eq 0 ] && [ $SECONDS -lt $deadline ]; do watch_more 1; done
before=$(since lost)
result "$before frames lost without reaction points"

say "reaction points on, by SNMP"
show in_ns dcb-h1 snmpset -v2c -c private 127.0.0.1 "ieee8021CnRpgEnable.1.3.$wire1.3" i true
show in_ns dcb-h2 snmpset -v2c -c private 127.0.0.1 "ieee8021CnRpgEnable.1.3.$wire2.3" i true
begin
watch 3
settling=$(since lost)
begin
watch_more 7
result "$before frames lost before, $settling while the rates settled (3 s), $(since lost) since (7 s)"
result "stations received ${v[cnms]} CNMs; sent by bridge 2: ${v[b2_cnms]}, by bridge 1: ${v[b1_cnms]}"
result "queue $(mean_of_queue 6) octets on average, set point ${v[b2_setpoint]}"

say "another set point of the congestion point, by SNMP"
show in_ns dcb-b2 snmpset -v2c -c private 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp" u 100000
show in_ns dcb-b2 snmpget -v2c -c public 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp"
begin
watch 6
result "queue $(mean_of_queue 4) octets on average, set point ${v[b2_setpoint]}; $(since lost) frames lost"

say "bursts, shorter than the reaction time of congestion notification: frames are lost"
for n in 1 2; do listener iperf-u$n 521$n; done
begin
bursts &
sending=$!
watch 7
wait $sending
result "$(since lost) frames lost in two bursts without PFC"

say "priority-based flow control on at the bridges, by SNMP; the stations are willing and adopt it by DCBX"
for n in "b2 $b2b1" "b1 $b1b2" "b1 $b1h1" "b1 $b1h2"; do
	show in_ns "dcb-${n% *}" snmpset -v2c -c private 127.0.0.1 "dcbPfcPriorityEnable.${n#* }.3" i true
done
for n in "h1 $wire1" "h2 $wire2"; do
	wait_for 30 "PFC in force at ${n% *}" is "${n% *}" "lldpXdot1dcbxLocPFCEnableEnabled.${n#* }.3" 1
done
show in_ns dcb-h1 "$build/dcbctl" -s "$run/h1/control" dcbx
echo "Bridge 2 pauses bridge 1, and that the stations: the same bursts wait there, and no frame is lost."
begin
bursts &
sending=$!
watch 7
wait $sending
result "$(since lost) frames lost in two bursts with PFC"
result "PFC frames of bridge 2: $(since b2_pfc1), of bridge 1: $(($(since b1_pfc1) + $(since b1_pfc2)))"

say "lldpd of bridge 2 sees host 3 as the neighbor of b2h3: bridges do not forward LLDPDUs"
show lldpcli -u "$run/b2/lldpd" -f keyvalue show neighbors ports b2h3 summary
draw
say "plot: $plot"
if $keep; then
	daemon iperf-s3 dcb-h3 iperf3 --forceflush -s -p 5203
	hints
fi
exit 0
