#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A lab on one machine: two hosts send more than a bridge's port takes, and the
# port's congestion point is watched and changed over SNMP. ./dev demo builds
# what this runs, then runs it, as root.
#
#   demo.sh          show it, then remove everything
#   demo.sh --keep   show it, leave it up, say what to try
#   demo.sh --down   remove what --keep left
#
# Everything lives in four network namespaces and in /run/dcb-demo.
set -euo pipefail

top=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
build=${DCB_BUILD:-$top/build}
run=/run/dcb-demo
control=$run/dcbd/control
buffer=150000 # octets, of the slow port
spaces=(dcb-h1 dcb-h2 dcb-h3 dcb-sw)
keep=false
export LC_ALL=C
export MIBDIRS=$top/mibs/base:$top/mibs MIBS=IEEE8021-CN-MIB:IEEE8021-PFC-MIB:DCB-AGENT-MIB
export SNMP_PERSISTENT_DIR=$run/snmp SNMPCONFPATH=$run

say() { printf '\n== %s\n' "$*"; }
die() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}
in_ns() { ip netns exec "$@"; }
show() { # the command as a reader would type it, then its output
	printf '$ %s\n' "${*/#in_ns/ip netns exec}"
	"$@"
}

there() { ip netns list 2>/dev/null | awk '$1 ~ /^dcb-(h1|h2|h3|sw)$/ { print $1 }'; }

# signal_ns SIGNAL NAMESPACE: to every process in there; false: there is none.
signal_ns() {
	local pids
	mapfile -t pids < <(ip netns pids "$2")
	[ ${#pids[@]} -gt 0 ] || return 1
	kill "-$1" "${pids[@]}" 2>/dev/null || true
}

# down: end every process in our namespaces, then the namespaces; interfaces go with them.
down() {
	local ns deadline
	for ns in $(there); do signal_ns TERM "$ns" || true; done
	deadline=$((SECONDS + 3))
	for ns in $(there); do
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

wait_for() { # SECONDS WHAT COMMAND...: until it succeeds, while the newest daemon lives
	local deadline=$((SECONDS + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		kill -0 "$newest" 2>/dev/null || die "$what: a process ended, see its log"
		[ $SECONDS -lt $deadline ] || die "gave up waiting for $what"
		sleep 0.05
	done
}

daemon() { # NAME NAMESPACE COMMAND...: in the background, log in $run/NAME.log
	local name=$1 ns=$2
	shift 2
	ip netns exec "$ns" "$@" >"$run/$name.log" 2>&1 </dev/null &
	newest=$!
	disown
}

host() { # NUMBER: a host, cabled to port swN of the bridge
	local ns=dcb-h$1
	ip link add "sw$1" netns dcb-sw type veth peer name eth0 netns "$ns"
	ip -n dcb-sw link set "sw$1" alias "to host $1" up
	ip -n "$ns" link set lo up
	ip -n "$ns" link set eth0 up
	ip -n "$ns" addr add "10.80.21.$1/24" dev eth0
	# dcbd sees frames as they are on the wire: no checksums left to a card
	# that is not there, no bundles longer than a frame.
	in_ns "$ns" ethtool -K eth0 tx off tso off gso off gro off >/dev/null
	in_ns dcb-sw ethtool -K "sw$1" gro off >/dev/null
}

make_lab() {
	local ns
	for ns in "${spaces[@]}"; do
		ip netns add "$ns" || die "no network namespaces here (in a container: run it --privileged)"
		in_ns "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1 || true
	done
	ip -n dcb-sw link set lo up
	host 1
	host 2
	host 3
}

write_configuration() {
	cat >"$run/dcbd.conf" <<END
role = "bridge";
interfaces = { include = [ "sw*" ]; };
ports = (
	# The slow port, where the queue builds.
	{ name = "sw3"; rate = 100000000L; buffer = $buffer; default_priority = 3; },
	# What the hosts send is untagged; here it becomes priority 3.
	{ name = "sw*"; default_priority = 3; }
);
state_file = "$run/dcbd/state";
control = { socket = "$control"; };
user = "nobody"; # once the sockets are open
initial = (
	# Priority 3 of component 1 is a congestion notification priority.
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	# All ports are inside its domain, and their neighbours take CN-TAGs. Without
	# LLDP to say so each port would be an edge, and keep its frames out of it.
	{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
	{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; }
);
END
	cat >"$run/snmpd.conf" <<END
agentAddress udp:127.0.0.1:161
# The views, the AgentX timing and the users of the drop-in that ships with us,
includeFile $top/contrib/snmpd/dcb-agent.conf
# a socket of our own, and communities so that you have less to type.
agentXSocket unix:$run/agentx
agentXPerms 0660 0755 nobody nogroup
rocommunity public 127.0.0.1 -V dcb
rwcommunity private 127.0.0.1 -V dcb
END
	: >"$run/snmp.conf"
}

start_daemons() {
	daemon dcbd dcb-sw "$build/dcbd" -c "$run/dcbd.conf"
	wait_for 10 "dcbd" test -S "$control"
	daemon snmpd dcb-sw snmpd -f -Lo -C -c "$run/snmpd.conf" -I -smux,mteTrigger,mteTriggerConf \
		-p "$run/snmpd.pid"
	wait_for 10 "snmpd" test -S "$run/agentx"
	daemon dcb-agentx dcb-sw setpriv --reuid=nobody --regid=nogroup --clear-groups \
		"$build/dcb-agentx" -x "unix:$run/agentx" -c "$control"
	daemon lldpd-sw dcb-sw lldpd -dd -u "$run/lldpd-sw" -p "$run/lldpd-sw.pid" -I 'sw*' -L ''
	wait_for 10 "lldpd" lldpcli -u "$run/lldpd-sw" show configuration
	# Its own host name, so that it is known by it.
	daemon lldpd-h3 dcb-h3 unshare --uts sh -c 'hostname host3 && exec "$@"' sh \
		lldpd -dd -u "$run/lldpd-h3" -p "$run/lldpd-h3.pid" -I eth0 -L ''
	wait_for 15 "the objects in snmpd" read_objects ieee8021CnCpQueueSizeSetPoint."$cp"
}

load() { # two TCP streams into the slow port
	daemon iperf-s1 dcb-h3 iperf3 --forceflush -s -p 5201
	daemon iperf-s2 dcb-h3 iperf3 --forceflush -s -p 5202
	wait_for 5 "iperf3" grep -q listening "$run/iperf-s1.log"
	wait_for 5 "iperf3" grep -q listening "$run/iperf-s2.log"
	daemon iperf-1 dcb-h1 iperf3 --forceflush -c 10.80.21.3 -p 5201 -t 3600
	wait_for 10 "a connection from host 1 to host 3" grep -q connected "$run/iperf-1.log"
	daemon iperf-2 dcb-h2 iperf3 --forceflush -c 10.80.21.3 -p 5202 -t 3600
	wait_for 10 "a connection from host 2 to host 3" grep -q connected "$run/iperf-2.log"
}

# read_objects NAME...: bare values, one a line.
read_objects() { in_ns dcb-sw snmpget -v2c -c public -t 2 -OqvUe 127.0.0.1 "$@"; }

bar() { # OCTETS SETPOINT: 23 columns for what the port's buffer takes, the set point marked
	awk -v q="$1" -v sp="$2" -v full="$buffer" -v colour="$colour" 'BEGIN {
		w = 23
		for (i = 0; i < w; i++) {
			c = i < q * w / full ? "#" : "."
			if (i == int(sp * w / full)) c = "|"
			s = s c
		}
		if (colour == "yes") s = (q > sp ? "\033[31m" : "\033[32m") s "\033[0m"
		print s
	}'
}

# watch SECONDS: the congestion point twice a second, every number by SNMP.
watch() {
	local end now last=0 v was=() h1 h2 h3 dt
	local names=(dcbCpQueueLength."$cp" ieee8021CnCpQueueSizeSetPoint."$cp" dcbCpFeedback."$cp"
		ieee8021CnCpTransmittedFrames."$cp" ieee8021CnCpDiscardedFrames."$cp"
		dcbPortRxOctets."$if1" dcbPortRxOctets."$if2" dcbPortTxOctets."$if3")
	printf '%-23s %7s %7s %6s %6s %6s %9s %9s\n' "queue (|: set point)" octets cpFb \
		"in sw1" "in sw2" "to sw3" forwarded discarded
	printf '%-23s %7s %7s %6s %6s %6s %9s %9s\n' "of sw3, priority 3" "" "" Mb/s Mb/s Mb/s frames frames
	end=$(($(date +%s%3N) + $1 * 1000))
	while :; do
		now=$(date +%s%3N)
		mapfile -t v < <(read_objects "${names[@]}")
		[ ${#v[@]} -eq ${#names[@]} ] || die "snmpget answered ${#v[@]} of ${#names[@]} objects"
		if [ ${#was[@]} -gt 0 ]; then
			dt=$((now - last))
			h1=$(((v[5] - was[5]) * 8 / dt))
			h2=$(((v[6] - was[6]) * 8 / dt))
			h3=$(((v[7] - was[7]) * 8 / dt))
			printf '%s %7d %7d %4d.%d %4d.%d %4d.%d %9d %9d\n' "$(bar "${v[0]}" "${v[1]}")" "${v[0]}" \
				"${v[2]}" $((h1 / 1000)) $((h1 % 1000 / 100)) $((h2 / 1000)) $((h2 % 1000 / 100)) \
				$((h3 / 1000)) $((h3 % 1000 / 100)) "${v[3]}" "${v[4]}"
		fi
		was=("${v[@]}") last=$now
		[ "$now" -lt "$end" ] || break
		sleep "$(awk -v ms=$((now + 500 - $(date +%s%3N))) 'BEGIN { print (ms > 0 ? ms / 1000 : 0) }')"
	done
}

picture() {
	cat <<END

   dcb-h1 eth0 ---- sw1 +--------------------+
        10.80.21.1      |  dcb-sw            | sw3 ---- eth0 dcb-h3
                        |  dcbd, the bridge  |  100 Mb/s     10.80.21.3
   dcb-h2 eth0 ---- sw2 |  snmpd, dcb-agentx |
        10.80.21.2      |  lldpd             |
                        +--------------------+
END
}

hints() {
	cat <<END

It stays up. In dcb-sw, with our MIB modules found by name:

  export MIBDIRS=$MIBDIRS MIBS=$MIBS
  ip netns exec dcb-sw snmpwalk -v2c -c public 127.0.0.1 ieee8021CnMIB
  ip netns exec dcb-sw snmptable -v2c -c public -Ci 127.0.0.1 ieee8021CnCpTable
  ip netns exec dcb-sw snmpset -v2c -c private 127.0.0.1 ieee8021CnCpQueueSizeSetPoint.$cp u 30000
  ip netns exec dcb-sw snmpset -v2c -c private 127.0.0.1 ieee8021CnComPriRowStatus.1.5 i createAndGo
  lldpcli -u $run/lldpd-sw show neighbors

The same without SNMP:
  $build/dcbctl -s $control watch dcbCpTable

The two streams go on for an hour. More load:
  ip netns exec dcb-h1 iperf3 -c 10.80.21.3 -p 5203 -t 10

Logs and configuration: $run
Remove all of it: $top/dev demo --down
END
}

case ${1-} in
'') ;;
--keep) keep=true ;;
--down)
	[ -n "$(there)" ] || [ -d "$run" ] || die "there is nothing to remove"
	down
	say "removed: the namespaces ${spaces[*]}, their processes and $run"
	exit 0
	;;
*) die "--keep or --down, not $1" ;;
esac
[ "$(id -u)" -eq 0 ] || die "network namespaces need root"
[ -z "$(there)" ] || die "a demo is up already (or ended badly): ./dev demo --down removes it"

colour=no
[ ! -t 1 ] || [ -n "${NO_COLOR-}" ] || colour=yes

trap on_exit EXIT
trap 'exit 130' INT TERM HUP PIPE
rm -rf "$run"
mkdir -m 755 "$run"
mkdir "$run/snmp"

say "a bridge (dcbd) with a slow port, and three hosts, each in a network namespace"
picture
make_lab
if1=$(in_ns dcb-sw cat /sys/class/net/sw1/ifindex)
if2=$(in_ns dcb-sw cat /sys/class/net/sw2/ifindex)
if3=$(in_ns dcb-sw cat /sys/class/net/sw3/ifindex)
cp=1.$if3.3 # component, ifIndex, congestion point: that of priority 3
write_configuration
start_daemons
say "hosts 1 and 2 send TCP to host 3; every number below is read by SNMP"
load
watch 7
say "the set point, over SNMP"
show in_ns dcb-sw snmpset -v2c -c private 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp" u 100000
show in_ns dcb-sw snmpget -v2c -c public 127.0.0.1 "ieee8021CnCpQueueSizeSetPoint.$cp"
say "the same queue against the new set point: what cpFb says of it is another matter now"
echo "(Nobody slows down for congestion notification messages: these hosts have no reaction points.)"
watch 7
say "LLDP is for the neighbour only: the bridge does not forward it"
show lldpcli -u "$run/lldpd-sw" -f keyvalue show neighbors ports sw3 summary
if $keep; then
	daemon iperf-s3 dcb-h3 iperf3 --forceflush -s -p 5203
	hints
fi
exit 0
