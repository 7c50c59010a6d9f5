#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A demonstration on one machine: the applications of two end stations send more than
# a port of a bridge can transmit. At first frames are lost. Then congestion
# notification reduces the stations to the rate of the port, and no frame is lost.
# Bursts are shorter than its reaction time: priority-based flow control prevents
# their loss. By LLDP the systems learn which of them are in the congestion
# notification domain (the stations, not the host at the slow port) and which
# priorities have PFC. All values are read and set by SNMP, and a plot is written to
# the build tree. ./dev demo builds the programs, then runs this script; needs root.
#
#   demo.sh          run the demo, then remove everything
#   demo.sh --keep   run the demo, leave it up, print commands to try
#   demo.sh --down   remove a demo that --keep left up
#
# It uses four network namespaces and the directory /run/dcb-demo.
set -euo pipefail

top=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
build=${DCB_BUILD:-$top/build}
run=/run/dcb-demo
plot=${DCB_PLOT:-$build/demo.png} # PNG, or SVG by its extension
rate=200      # Mb/s, of the slow port
buffer=400000 # octets, of the slow port: 16 ms, as dcbd may have to wait for a processor
spaces=(dcb-h1 dcb-h2 dcb-h3 dcb-sw)
keep=false
export LC_ALL=C
export MIBDIRS=$top/mibs/base:$top/mibs MIBS=IEEE8021-CN-MIB:IEEE8021-PFC-MIB:LLDP-EXT-DOT1-V2-MIB:DCB-AGENT-MIB
export SNMP_PERSISTENT_DIR=$run/snmp SNMPCONFPATH=$run

say() { printf '\n== %s\n' "$*"; }
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
existing() { ip netns list 2>/dev/null | awk '$1 ~ /^dcb-(h1|h2|h3|sw)$/ { print $1 }'; }

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

host() { # NUMBER: makes namespace dcb-hN, connected to port swN of the bridge
	local ns=dcb-h$1
	ip link add "sw$1" netns dcb-sw type veth peer name eth0 netns "$ns"
	ip -n dcb-sw link set "sw$1" alias "to host $1" up
	ip -n "$ns" link set lo up
	ip -n "$ns" link set eth0 up
	# dcbd needs frames as on the wire: veth has no hardware to complete checksums
	# or to split and merge packets.
	in_ns "$ns" ethtool -K eth0 tx off tso off gso off gro off >/dev/null
	in_ns dcb-sw ethtool -K "sw$1" gro off >/dev/null
}

make_lab() {
	local ns
	for ns in "${spaces[@]}"; do
		ip netns add "$ns" || die "cannot create network namespaces (a container needs --privileged)"
		in_ns "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1 || true
	done
	ip -n dcb-sw link set lo up
	host 1
	host 2
	host 3
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

write_configuration() {
	local n
	mkdir "$run"/{sw,h1,h2,h3}
	cat >"$run/sw/dcbd.conf" <<END
role = "bridge";
interfaces = { include = [ "sw*" ]; };
bridge = { frame_buffers = 131072; }; # the headroom of three ports, also in frames of 64 octets
ports = (
	# The slow port, which is the bottleneck.
	{ name = "sw3"; rate = ${rate}000000L; buffer = $buffer; },
	# With PFC: XOFF at 150000 octets from a link, and headroom of two megabytes, 16 ms, for
	# the frames that still arrive after it.
	{ name = "sw*"; rate = 1000000000L; pfc = { buffer = 2150000; headroom = 2000000; }; }
);
state_file = "$run/sw/state";
control = { socket = "$run/sw/control"; };
lldp = { socket = "$run/sw/lldpd"; };
user = "nobody"; # dcbd changes to it once its sockets are open
initial = (
$(dcb_rows),
	{ object = "ieee8021CnCpQueueSizeSetPoint"; index = "1.*.3"; port = "sw3"; value = "50000"; }
);
END
	for n in 1 2; do
		cat >"$run/h$n/dcbd.conf" <<END
role = "station";
interfaces = { include = [ "eth0" ]; };
ports = (
	# Applications use the interface dcb0; their frames get priority 3.
	{ name = "eth0"; tap = "dcb0"; rate = 1000000000L; default_priority = 3; flow_buffer = 4000000; }
);
# TCP has the reaction point 1, which is shown below; other flows share nine by a hash.
flows = ( { protocol = "tcp"; reaction_point = 1; } );
state_file = "$run/h$n/state";
control = { socket = "$run/h$n/control"; };
lldp = { socket = "$run/h$n/lldpd"; };
initial = (
$(dcb_rows),
	# Willing: the station adopts the PFC configuration of the bridge.
	{ object = "lldpXdot1dcbxAdminPFCWilling"; index = "*"; port = "*"; value = "true"; },
	# The defaults are for 10 Gb/s; at this rate the increases must be smaller.
	{ object = "ieee8021CnRpgAiRate"; index = "1.3.*.3"; port = "*"; value = "1"; },
	{ object = "ieee8021CnRpgHaiRate"; index = "1.3.*.3"; port = "*"; value = "5"; },
	{ object = "ieee8021CnRpgMinRate"; index = "1.3.*.3"; port = "*"; value = "1"; },
	{ object = "ieee8021CnRpPortPriMaxRps"; index = "1.3.*"; port = "*"; value = "10"; },
	# Reaction points are disabled at the start.
	{ object = "ieee8021CnRpgEnable"; index = "1.3.*.3"; port = "*"; value = "false"; }
);
END
	done
	for n in sw h1 h2; do snmp_conf $n; done
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
	managed sw 'sw*'
	for n in 1 2; do
		managed h$n eth0
		ip -n dcb-h$n addr add "10.80.21.$n/24" dev dcb0
		# Unacknowledged data of one connection fits into the station's queue.
		in_ns dcb-h$n sysctl -qw net.ipv4.tcp_wmem="4096 131072 2000000"
	done
	neighbor h3 eth0
}

# is NAME OBJECT VALUE: whether the object has the value; enumerations are numbers.
# shellcheck disable=SC2317 # called by wait_for
is() { [ "$(read_objects "$1" "$2")" = "$3" ]; }

domain() { # waits until LLDP has put all four ports into the domain, then shows them
	local n
	for n in "sw $if1" "sw $if2" "h1 $wire1" "h2 $wire2"; do
		wait_for 10 "the defense mode of ${n/ /, ifIndex }" \
			is "${n% *}" "ieee8021CnPortPriAutoDefenseMode.1.3.${n#* }" 3 # cptInteriorReady
	done
	show in_ns dcb-sw "$build/dcbctl" -s "$run/sw/control" cn
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

# read_objects NAME OBJECT...: prints the values, one a line, from snmpd in dcb-NAME.
read_objects() { in_ns "dcb-$1" snmpget -v2c -c public -t 2 -OqvUe 127.0.0.1 "${@:2}"; }

bar() { # OCTETS SETPOINT: a bar of 17 columns for the port's buffer, with a mark at the set point
	awk -v q="$1" -v sp="$2" -v full="$buffer" -v color="$color" 'BEGIN {
		w = 17
		for (i = 0; i < w; i++) {
			c = i < q * w / full ? "#" : "."
			if (i == int(sp * w / full)) c = "|"
			s = s c
		}
		if (color == "yes") s = (q > 2 * sp ? "\033[31m" : "\033[32m") s "\033[0m"
		print s
	}'
}

mbps() { # BIT/S
	awk -v r="$1" 'BEGIN { printf "%.1f", r / 1e6 }'
}

# watch SECONDS: prints the state of congestion point and reaction points, read by SNMP.
watch() {
	local end now v r1 r2 dt out lost pauses
	local names=(dcbCpQueueLength."$cp" ieee8021CnCpQueueSizeSetPoint."$cp" dcbCpFeedback."$cp"
		ieee8021CnCpTransmittedCnms."$cp" ieee8021CnCpDiscardedFrames."$cp"
		dcbPortTxOctets."$if3" dcbPortTxFrames."$if3"
		dcbPfcPriorityDiscards."$if1".3 dcbPfcPriorityDiscards."$if2".3
		dcbPfcPriorityRequests."$if1".3 dcbPfcPriorityRequests."$if2".3)
	printf '%-17s %7s %7s %8s %8s %7s %6s %6s %9s\n' "queue of sw3" octets cpFb \
		"RP of h1" "RP of h2" "sw3 out" CNMs PFC discarded
	printf '%-17s %7s %7s %8s %8s %7s %6s %6s %9s\n' "(|: set point)" "" "" Mb/s Mb/s Mb/s sent sent frames
	end=$(($(date +%s%3N) + $1 * 1000))
	while :; do
		now=$(date +%s%3N)
		mapfile -t v < <(read_objects sw "${names[@]}")
		[ ${#v[@]} -eq ${#names[@]} ] || die "snmpget answered ${#v[@]} of ${#names[@]} objects"
		r1=$(mbps "$(read_objects h1 dcbRpCurrentRate."$rp1")")
		r2=$(mbps "$(read_objects h2 dcbRpCurrentRate."$rp2")")
		dt=$((now - last))
		if [ "$last" -eq 0 ]; then
			first=$now
		elif [ $dt -ge 200 ]; then
			# The rate on the wire: FCS, preamble and gap are 24 octets a frame.
			out=$(mbps $((((v[5] - octets) + 24 * (v[6] - sent)) * 8000 / dt)))
			lost=$((v[4] + v[7] + v[8]))
			pauses=$((v[9] + v[10]))
			printf '%s %7d %7d %8s %8s %7s %6d %6d %9d\n' "$(bar "${v[0]}" "${v[1]}")" "${v[0]}" \
				"${v[2]}" "$r1" "$r2" "$out" "${v[3]}" "$pauses" "$lost"
			printf '%s\n' "$((now - first)) ${v[0]} ${v[1]} $r1 $r2 $out $lost $pauses" >>"$run/samples"
		fi
		octets=${v[5]} sent=${v[6]} last=$now
		[ "$now" -lt "$end" ] || break
		sleep "$(awk -v ms=$((now + 400 - $(date +%s%3N))) 'BEGIN { print (ms > 0 ? ms / 1000 : 0) }')"
	done
}
first=0 last=0 octets=0 sent=0

draw() { # plots the samples
	local terminal=pngcairo
	[ "${plot##*.}" != svg ] || terminal="svg font 'sans-serif,14' background '#ffffff'"
	gnuplot <<END
set terminal $terminal size 1000,750
set output "$plot"
set multiplot layout 3,1 title "two applications, a bottleneck of $rate Mb/s"
set lmargin 12
set rmargin 20
set xrange [0:]
set key outside right
set ylabel "octets"
set yrange [0:*]
plot "$run/samples" using (\$1/1000):2 with lines title "queue", \
     "" using (\$1/1000):3 with steps title "set point"
set ylabel "Mb/s"
set yrange [0:2*$rate]
plot "$run/samples" using (\$1/1000):4 with lines title "RP of h1", \
     "" using (\$1/1000):5 with lines title "RP of h2", \
     "" using (\$1/1000):6 with lines title "sent by sw3"
set ylabel "frames"
set yrange [0:1<*]
set xlabel "seconds"
plot "$run/samples" using (\$1/1000):7 with lines title "discarded", \
     "" using (\$1/1000):8 with lines title "PFC frames"
unset multiplot
END
}

picture() {
	cat <<END

   dcb-h1 application                +--------------------+
     dcb0 - dcbd, station - eth0 --- | sw1                |
       10.80.21.1                    |  dcb-sw        sw3 | --- eth0  dcb-h3
   dcb-h2 application                |  dcbd, bridge      |   10.80.21.3
     dcb0 - dcbd, station - eth0 --- | sw2       $rate Mb/s |
       10.80.21.2                    +--------------------+
   and snmpd with dcb-agentx beside each dcbd
END
}

hints() {
	cat <<END

The demo stays up. Queries in dcb-sw, with the MIB modules of dcb-agent:

  export MIBDIRS=$MIBDIRS MIBS=$MIBS
  ip netns exec dcb-sw snmpwalk -v2c -c public 127.0.0.1 ieee8021CnMIB
  ip netns exec dcb-sw snmptable -v2c -c public -Ci 127.0.0.1 ieee8021CnCpTable
  ip netns exec dcb-h1 snmptable -v2c -c public -Ci 127.0.0.1 dcbRpTable
  ip netns exec dcb-sw snmpset -v2c -c private 127.0.0.1 ieee8021CnCpQueueSizeSetPoint.$cp u 30000
  lldpcli -u $run/sw/lldpd show neighbors

The same without SNMP:
  $build/dcbctl -s $run/sw/control watch dcbCpTable
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

color=no
[ ! -t 1 ] || [ -n "${NO_COLOR-}" ] || color=yes

trap on_exit EXIT
trap 'exit 130' INT TERM HUP PIPE
rm -rf "$run"
mkdir -m 755 "$run"
mkdir "$run/snmp"

say "a bridge (dcbd) with a slow port, two end stations (dcbd), and a host, each in a network namespace"
picture
make_lab
if1=$(in_ns dcb-sw cat /sys/class/net/sw1/ifindex)
if2=$(in_ns dcb-sw cat /sys/class/net/sw2/ifindex)
if3=$(in_ns dcb-sw cat /sys/class/net/sw3/ifindex)
wire1=$(in_ns dcb-h1 cat /sys/class/net/eth0/ifindex)
wire2=$(in_ns dcb-h2 cat /sys/class/net/eth0/ifindex)
cp=1.$if3.3      # component, ifIndex, congestion point: that of priority 3
rp1=1.$wire1.3.1 # component, ifIndex, priority, reaction point
rp2=1.$wire2.3.1
write_configuration
start_daemons
say "by LLDP stations 1 and 2 are in the domain of priority 3; host 3 is not, so port sw3 is an edge"
domain
say "applications on stations 1 and 2 send TCP to host 3; all numbers below are read by SNMP"
echo "The congestion point sends CNMs, but the reaction points are disabled: frames are lost."
load
watch 6
say "reaction points on, by SNMP"
show in_ns dcb-h1 snmpset -v2c -c private 127.0.0.1 "ieee8021CnRpgEnable.1.3.$wire1.3" i true
show in_ns dcb-h2 snmpset -v2c -c private 127.0.0.1 "ieee8021CnRpgEnable.1.3.$wire2.3" i true
watch 10
say "another set point of the congestion point, by SNMP"
show in_ns dcb-sw snmpset -v2c -c private 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp" u 100000
show in_ns dcb-sw snmpget -v2c -c public 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp"
watch 6
say "bursts, shorter than the reaction time of congestion notification: frames are lost"
for n in 1 2; do listener iperf-u$n 521$n; done
bursts &
watch 7
say "priority-based flow control on at the bridge, by SNMP; the stations are willing and adopt it by DCBX"
for n in $if1 $if2; do
	show in_ns dcb-sw snmpset -v2c -c private 127.0.0.1 "dcbPfcPriorityEnable.$n.3" i true
done
for n in "h1 $wire1" "h2 $wire2"; do
	wait_for 5 "PFC in force at ${n% *}" is "${n% *}" "lldpXdot1dcbxLocPFCEnableEnabled.${n#* }.3" 1
done
show in_ns dcb-h1 "$build/dcbctl" -s "$run/h1/control" dcbx
echo "PFC frames pause the stations: the same bursts wait there, and no frame is lost."
bursts &
watch 7
say "lldpd of the bridge sees host 3 as the neighbor of sw3: bridges do not forward LLDPDUs"
show lldpcli -u "$run/sw/lldpd" -f keyvalue show neighbors ports sw3 summary
draw
say "plot: $plot"
if $keep; then
	daemon iperf-s3 dcb-h3 iperf3 --forceflush -s -p 5203
	hints
fi
exit 0
