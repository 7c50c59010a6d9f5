#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An RBridge that is an end point: the host of RBridge a sends by a station of the same dcbd, which is
# linked to an access port of the RBridge. The port of RBridge b to the destination is the bottleneck:
# its CNMs reach the reaction points of a.
#
#   dcb0 - inside (station) === host +---+          +---+
#                                    | a | ab == ba | b | bd ===== d
#                                    +---+          +---+
#                          nickname   256            512 (root)
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/rbridges.sh
. "$(dirname -- "$(readlink -f -- "$0")")/rbridges.sh"
[ -w /dev/net/tun ] || skip_all "no write access to /dev/net/tun"

pktgen=$build/tests/bench/pktgen
rate=20000000 # bit/s of the bottleneck
[ $slow -eq 1 ] || rate=5000000
set_point=60000 # octets

for n in a b d; do node $n; done
cable a host a inside
cable a ab b ba
cable b bd d dd
ip -n a link set ab mtu 1600
ip -n b link set ba mtu 1600
ip -n a link set inside address 02:00:00:00:0a:01
ip -n d link set dd address 02:00:00:00:0d:01

# The settings of doc/trill.md; those of stations for the station's port.
domain='{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
	{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; },
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; }'
rpg() { printf ',{ object = "ieee8021CnRpg%s"; index = "1.3.*.3"; port = "inside"; value = "%s"; }' "$@"; }
node_conf a rbridge '[hia]*' "ports = ( { name = \"inside\"; provider = \"station\"; tap = \"dcb0\";
	rate = 1000000000L; default_priority = 3; pvid_tagged = true; },
	{ name = \"*\"; pvid_tagged = true; } );" \
	"initial = ( $(own 256; trunk ab; by ab 512 b ba), $domain$(rpg AiRate 1 HaiRate 5 MinRate 1 TimeReset 100) );"
node_conf b rbridge 'b*' "ports = ( { name = \"bd\"; rate = ${rate}L; pvid_tagged = true; },
	{ name = \"*\"; pvid_tagged = true; } );" \
	"initial = ( $(own 512; trunk ba; by ba 256 a ab), $domain );"
manager=$build/tests/system/manager
start manager "$manager" listen $T/notify
wait_for 5 "the service manager listens" logged manager ready
export NOTIFY_SOCKET=$T/notify WATCHDOG_USEC=3000000
start_node a
unset NOTIFY_SOCKET WATCHDOG_USEC
start_node b
# A dcbd that gets no processor for longer than a buffer lasts loses frames.
for n in a b; do
	(cd "/proc/${pid_of[dcbd-$n]}/task" && renice -n -10 -p -- *) >/dev/null 2>&1 || true
done
inside=$(if_of a inside) bd=$(if_of b bd) host=$(if_of a host)
wait_for 10 "ports are up" eval 'ports_up a inside host ab && ports_up b ba bd' || die "ports are down"
cp=1.$bd.3 rp=1.$inside.3
set_at b ieee8021CnCpQueueSizeSetPoint.$cp $set_point ieee8021CnCpMinSampleBase.$cp 20000
for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done

test_station_is_a_port_of_the_rbridges_agent() {
	is "role" "$(value a dcbAgentRole.0)" 3
	is "ports with reaction points" "$(ctl a -j show ieee8021CnRpgEnable | jq -r '.[0].rows[].instance' | xargs)" "1.3.$inside.3"
	is "ports of the RBridge" "$(ctl a -j show dcbTrillPortMode | jq -r '.[0].rows[].instance' | xargs)" "$host $(if_of a ab)"
	like "log" "$(<"${log_of[dcbd-a]}")" "inside: managed.*, tap dcb0"
}

stream=0
# sent FROM IF DA SA LIST: sends a frame; have any of ours arrived at that list?
sent() {
	stream=$((stream + 1))
	on $1 "$frames" send $2 -d $3 -s $4 -i $stream
	pause 0.1
	grep -q '88b5 ' "${log_of[$5]}"
}
# The first frames make both RBridges learn the addresses.
test_frames_of_the_host_cross_the_campus() {
	start at-d nsenter --net=/run/netns/d -- "$frames" list dd
	start at-host nsenter --net=/run/netns/a -- "$frames" list dcb0
	for n in d host; do wait_for 5 "list of frames" logged at-$n ready || die "cannot list frames"; done
	wait_for 20 "a broadcast of the host" sent a dcb0 ff:ff:ff:ff:ff:ff 02:00:00:00:0a:01 at-d
	wait_for 20 "an answer" sent d dd 02:00:00:00:0a:01 02:00:00:00:0d:01 at-host
	wait_for 5 "a has d behind b" is_value a dcbTrillFdbNickname.1.2.0.0.0.13.1 512
	wait_for 5 "b has the host behind a" is_value b dcbTrillFdbNickname.1.2.0.0.0.10.1 256
	stop at-d KILL
	stop at-host KILL
}

mean_queue() { # in $mean, in about half a second
	local i sum=0
	for ((i = 0; i < 10; i++)); do
		sum=$((sum + $(value b dcbCpQueueLength.$cp)))
		pause 0.04
	done
	mean=$((sum / 10))
}
passed() { value b ieee8021CnCpTransmittedFrames.$cp; }
# settled: three times in a row frames pass, and the queue is near the set point.
settled() {
	local i before
	for i in 1 2 3; do
		before=$(passed)
		mean_queue
		[ $(($(passed) - before)) -ge 50 ] && [ $mean -ge $((set_point / 4)) ] &&
			[ $mean -le $((set_point * 3)) ] || return
	done
}
test_bottleneck_of_another_rbridge_slows_the_host() {
	local fps=$((rate * 3 / 2 / 8 / 1524)) i
	is "rate of the reaction point" "$(value a dcbRpCurrentRate.$rp.1)" 1000000000
	start flood nsenter --net=/run/netns/a -- "$pktgen" -i dcb0 -d 02:00:00:00:0d:01 -o 1500 -r $fps -n $((fps * 3600))
	wait_for 20 "CNMs at the station" eval "[ \$(value a dcbCnmReceived.$inside) -ge 5 ]"
	wait_for 20 "the host slows down" eval "[ \$(value a dcbRpCurrentRate.$rp.1) -le $((rate * 5 / 4)) ]"
	wait_for 30 "the queue of b settles" settled
	printf '    queue %d octets after %d ms\n' $mean $waited
	at_least "reaction points" "$(value a ieee8021CnRpPortPriCreatedRps.1.3.$inside)" 1
	# b has sent each CNM in a TRILL frame; a has sent it natively to the station, and used none itself.
	is "CNMs for the RBridge itself" "$(value a dcbTrillPortStatsCnmsOwn.$(if_of a ab))" 0
	is "CNMs that a refused" "$(value a dcbTrillPortStatsDropForgedCnm.$(if_of a ab))" 0
	at_least "native CNMs sent" "$(value a dcbTrillPortStatsEgressed.$(if_of a ab))" 5
	stop flood KILL
}

# One of two dataplane threads is stopped: the other one alone does not feed the watchdog.
test_hung_station_does_not_feed_the_watchdog() {
	fed() { [ "$(grep -c WATCHDOG=1 "${log_of[manager]}")" -gt "$1" ]; }
	wait_for 5 "WATCHDOG" fed 0
	start freeze "$manager" freeze "${pid_of[dcbd-a]}" station
	wait_for 5 "the thread is stopped" logged freeze 'ready|manager: '
	if ! logged freeze ready; then
		skip "cannot stop a thread: $(cat "${log_of[freeze]}")"
		kill "${pid_of[freeze]}" 2>/dev/null
		unset "pid_of[freeze]"
		return
	fi
	wait_for 20 "the line of the log" logged dcbd-a \
		'error: dcbd: a dataplane thread does not run since [0-9]+ ms: the watchdog is not fed'
	stop freeze
	wait_for 10 "WATCHDOG" fed "$(grep -c WATCHDOG=1 "${log_of[manager]}")"
}

lines() { grep -c "$2" "${log_of[dcbd-$1]}"; }
test_reload_makes_the_port_anew() {
	local before
	before=$(lines a 'inside: managed')
	sed -i 's/rate = 1000000000L/rate = 500000000L/' $T/a/dcbd.conf
	like "dcbd -t" "$(on a "$build/dcbd" -t -c $T/a/dcbd.conf 2>&1)" 'port inside: provider station, rate 500 Mb/s.*, tap dcb0'
	kill -HUP "${pid_of[dcbd-a]}"
	wait_for 10 "the port is added again" eval "[ \$(lines a 'inside: managed') -gt $before ]"
	wait_for 10 "the port is up" ports_up a inside
	is "rate of the reaction point" "$(value a dcbRpCurrentRate.$rp.1)" 500000000
	# b has started without a station.
	sed -i 's/name = "bd";/name = "bd"; provider = "station"; tap = "dcb%d";/' $T/b/dcbd.conf
	kill -HUP "${pid_of[dcbd-b]}"
	wait_for 10 "the warning" logged dcbd-b 'provider "station" needs a restart of dcbd: it was not used at the start'
	is "the port stays" "$(value b dcbPortOperational.$bd)" 1
}

run_tests
