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
keep=false kept=false page=false counted=false
export LC_ALL=C COLUMNS=79
export MIBDIRS=$top/mibs/base:$top/mibs MIBS=IEEE8021-CN-MIB:IEEE8021-PFC-MIB:LLDP-EXT-DOT1-V2-MIB:DCB-AGENT-MIB

# shellcheck source=contrib/demo_lib.sh
. "$top/contrib/demo_lib.sh"
# shellcheck source=contrib/demo_lab.sh
. "$top/contrib/demo_lab.sh"
# shellcheck source=contrib/demo_samples.sh
. "$top/contrib/demo_samples.sh"
# $why has the reason of a failure, which on_exit prints in the last line, once it is the EXIT trap.
why='' claimed=false
die() {
	why=$*
	! $claimed || [ "$BASH_SUBSHELL" -gt 0 ] || exit 1
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

# shellcheck disable=SC2317 # called by the trap
on_exit() {
	local rc=$? logs
	set +e
	trap - EXIT ERR
	trap '' INT TERM HUP PIPE
	! $kept || exit "$rc"
	if [ "$rc" -eq 0 ] || [ "$rc" -eq 130 ]; then
		why=''
	elif $counted; then
		why="$wrong of $((right + wrong)) effects are not as expected"
	else
		why=${why:-status $rc} rc=1
		show_ended
	fi
	logs=${why:+$(keep_logs "$build/demo${lab#dcb-demo}-logs" "$run")}
	down "$lab"
	say "removed: $lab, its namespaces and processes, and $run"
	[ -z "$why" ] || printf 'demo: failed: %s%s\n' "$why" "$logs" >&2
	exit "$rc"
}
# failed_command LINE COMMAND ARGUMENT...: a command fails that the script does not expect to, in a function
# with these arguments. Those of in_ns are the command.
# shellcheck disable=SC2317 # called by the trap
failed_command() {
	local place="${BASH_SOURCE[1]##*/}, line $1" text=${2%%$'\n'*}
	if [ "${FUNCNAME[1]}" = in_ns ]; then
		place="${BASH_SOURCE[2]##*/}, line ${BASH_LINENO[1]}" text="ip netns exec ${*:3}"
	fi
	why="$place: $(printf %s "${text:0:200}" | tr -s '[:space:]' ' ')"
}

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
		newest=$! newest_name=page-$n
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
"$top/contrib/demo_check.sh" || exit 1

claim
plot=${DCB_PLOT:-$build/demo${lab#dcb-demo}.png} # PNG, or SVG by its extension
claimed=true
trap on_exit EXIT
trap 'exit 130' INT TERM HUP PIPE
set -E
trap 'failed_command $LINENO "$BASH_COMMAND" "$@"' ERR
# In memory, also where /run is not: dcbd answers a SET after its values are on disk, which
# takes seconds if other programs write a lot.
mount -t tmpfs -o mode=755 "$lab" "$run"
mkdir -p "$run/snmp/cert_indexes" # else Net-SNMP makes it and says so
export SNMP_PERSISTENT_DIR=$run/snmp SNMPCONFPATH=$run

say "$lab: two bridges (dcbd) in series, two end stations (dcbd) and a host, each in a network namespace"
picture
allow_settings || warn "/proc/sys is not writable: IPv6 stays on, tcp_wmem has its default"
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
counted=true
verdicts
