#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Congestion notification end to end: two stations send as fast as their taps take it, a
# bridge's port is slower than either, and reaction points find its rate.
#
#   h1: pktgen - dcb0 - dcbd (station) - eth0 === sw1 +--------+
#                                                     |  dcbd  | sw3, slow   === eth0 h3
#   h2: pktgen - dcb0 - dcbd (station) - eth0 === sw2 +--------+
#
# The stations are a Gb/s fast. Rates of increase are a tenth of their defaults, which are
# made for 10 Gb/s: 32.11.6 and 32.11.7 leave them to the operator.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
pktgen=$build/tests/bench/pktgen
dissector=$src/contrib/wireshark/dcb.lua
rate=200000000 # bit/s of sw3
full=950 # permille of it that are to be used
# With a sanitizer in them programs are no measure of what a port can do.
[ $slow -eq 1 ] || rate=60000000 full=700
set_point=100000 # octets: 4 ms, so that a processor that is busy elsewhere leaves no gap

cn_rows() { # what all three have in common
	cat <<-END
		{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; },
		{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; }
	END
}

# station NAME: dcbd with its tap dcb0 in the host's namespace.
station() {
	mkdir -p $T/$1
	cat >$T/$1/dcbd.conf <<-END
		role = "station";
		interfaces = { include = [ "eth0" ]; };
		ports = ( { name = "eth0"; tap = "dcb0"; rate = 1000000000L; default_priority = 3; } );
		state_file = "$T/$1/state";
		control = { socket = "$T/$1/control"; };
		initial = (
		$(cn_rows),
		{ object = "ieee8021CnRpgAiRate"; index = "1.3.*.3"; port = "*"; value = "1"; },
		{ object = "ieee8021CnRpgHaiRate"; index = "1.3.*.3"; port = "*"; value = "5"; },
		{ object = "ieee8021CnRpgMinRate"; index = "1.3.*.3"; port = "*"; value = "1"; } );
	END
	start "$1" nsenter --net="/run/netns/$1" -- "$build/dcbd" -c "$T/$1/dcbd.conf"
	wait_for 10 "the station $1" test -S "$T/$1/control" || die "no station $1"
	wait_for 10 "its tap" on "$1" ip link show dcb0
}

# ctl HOST ARGUMENT...: dcbctl with the host's dcbd.
ctl() { "$build/dcbctl" -s "$T/$1/control" "${@:2}"; }
# value HOST OBJECT.INDEX: a number, or a name.
value() { ctl "$1" -j show "${2%%.*}" "${2#*.}" 2>&1 | jq -r '.[0].rows[0].values[]'; }

for n in 1 2 3; do
	host h$n sw$n
	on h$n ethtool -K eth0 tx off tso off gso off gro off >/dev/null
done
if1=$(ifindex sw1) sw3=$(ifindex sw3)
start_all 'interfaces = { include = [ "sw*" ]; };' "ports = (
	{ name = \"sw3\"; rate = ${rate}L; buffer = 800000; default_priority = 3; },
	{ name = \"sw*\"; default_priority = 0; } );" "initial = ( $(cn_rows) );"
cp=1.$sw3.3
# What leaves the domain is rid of its CN-TAG.
put ieee8021CnPortPriDefModeChoice.1.3.$sw3 1 ieee8021CnPortPriAdminDefenseMode.1.3.$sw3 2
put ieee8021CnCpQueueSizeSetPoint.$cp $set_point
station h1
station h2
declare -A mac wire rp
for n in 1 2 3; do mac[h$n]=$(ip -n h$n -j link show dev eth0 | jq -r '.[0].address'); done
for n in 1 2; do
	wire[h$n]=$(ip -n h$n -j link show dev eth0 | jq '.[0].ifindex')
	rp[h$n]=1.${wire[h$n]}.3.1
done
# prefer NAME: before other work of this machine, if we may. A processor that is elsewhere for
# longer than the buffer lasts is congestion that no congestion notification helps against.
prefer() {
	(cd "/proc/${pid_of[$1]}/task" && renice -n -10 -p -- *) >/dev/null 2>&1 || true
}

for name in dcbd h1 h2; do prefer $name; done
wait_for 5 "sw3 is up" holds dcbPortOperational.$sw3 1
# h3 is heard of, so that nothing is flooded.
on h3 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s "${mac[h3]}"

# flood HOST: everything its tap takes, to h3. Last in turn for the processors, which are
# two on a small machine: what is measured here is not the sender.
flood() {
	start flood-$1 nice -n 19 nsenter --net=/run/netns/$1 -- "$pktgen" -i dcb0 -d "${mac[h3]}" -o 1500 \
		-t 3600 -w 0 -N h3 -I eth0
}
no_flood() {
	stop flood-h1 KILL
	stop flood-h2 KILL
}

# enable_rps 1|2: rpgEnable of both stations.
enable_rps() {
	local h
	for h in h1 h2; do
		ctl $h set ieee8021CnRpgEnable.1.3.${wire[$h]}.3 "$1" >/dev/null || fail "$h: rpgEnable"
	done
}

# queue_over SECONDS: mean of the queue length, ten samples a second, in $mean.
queue_over() {
	"$build/dcbctl" -s $T/control -j watch -n 0.1 -c $(($1 * 10)) dcbCpQueueLength >$T/queue.json
	mean=$(jq -r --arg i "$cp" '.[0].rows[] | select(.instance == $i) | .values.dcbCpQueueLength' \
		$T/queue.json | awk '{ s += $1 } END { printf "%d", NR ? s / NR : -1 }')
}

# measure SECONDS: what of the slow port is used (permille), fairness (permille), discards,
# and the mean of the queue.
measure() {
	local a b start
	counters_of() {
		get dcbPortTxOctets.$sw3 dcbPortTxFrames.$sw3 ieee8021CnCpDiscardedFrames.$cp
		value h1 dcbRpOctets.${rp[h1]}
		value h2 dcbRpOctets.${rp[h2]}
	}
	fresh
	mapfile -t a < <(counters_of)
	clock
	start=$now
	queue_over "$1"
	fresh
	mapfile -t b < <(counters_of)
	clock
	read -r used jain discards < <(awk -v a="${a[*]}" -v b="${b[*]}" -v ms=$((now - start)) -v r=$rate 'BEGIN {
		split(a, x); split(b, y)
		for (i = 1; i <= 5; i++) d[i] = y[i] - x[i]
		# Every bit on the wire: FCS, preamble and gap are 24 octets a frame.
		used = (d[1] + 24 * d[2]) * 8 / (r * ms / 1000)
		jain = (d[4] + d[5]) ^ 2 / (2 * (d[4] ^ 2 + d[5] ^ 2) + 1e-9)
		printf "%d %d %d\n", used * 1000, jain * 1000, d[3] }')
	printf '    queue %d octets, used %d, fair %d permille, %d discards\n' "$mean" "$used" "$jain" "$discards"
}

test_without_notification_frames_are_lost() {
	enable_rps 2
	flood h1
	flood h2
	wait_for 10 "discards" more_discards_than 2000
	for _ in 1 2 3 4 5 6 7 8; do
		measure 2
		[ "$discards" -lt 1000 ] || [ "$used" -lt $full ] || break
	done
	at_least "discards" "$discards" 1000
	at_least "of the slow port used" "$used" $full
}
more_discards_than() { [ "$(get ieee8021CnCpDiscardedFrames.$cp)" -gt "$1" ]; }

# No frame was lost for a second, and the queue is below three times its set point.
settled_down() {
	local was is
	was=$(get ieee8021CnCpDiscardedFrames.$cp)
	queue_over 1
	fresh
	is=$(get ieee8021CnCpDiscardedFrames.$cp)
	[ "$was" = "$is" ] && [ "$mean" -lt $((3 * set_point)) ]
}

test_with_notification_none_is_lost() {
	local h
	enable_rps 1
	wait_for 20 "the queue settles" settled_down
	# The machine may have been busy elsewhere for some of these, but not for all.
	for _ in 1 2 3 4 5 6 7 8; do
		measure 5
		[ "$discards" -gt 0 ] || [ "$used" -lt $full ] || [ "$jain" -lt 900 ] || break
	done
	is "discards" "$discards" 0
	at_least "mean of the queue" "$mean" $((set_point / 2))
	at_most "mean of the queue" "$mean" $((set_point * 2))
	at_least "of the slow port used" "$used" $full
	at_least "fairness" "$jain" 900
	at_least "CNMs sent" "$(get ieee8021CnCpTransmittedCnms.$cp)" 10
	for h in h1 h2; do
		at_least "$h: CNMs received" "$(value $h dcbCnmReceived.${wire[$h]})" 5
		at_least "$h: RPs created" "$(value $h ieee8021CnRpPortPriCreatedRps.1.3.${wire[$h]})" 1
		at_least "$h: centiseconds" "$(value $h ieee8021CnRpPortPriCentiseconds.1.3.${wire[$h]})" 100
		at_most "$h: rate" "$(value $h dcbRpCurrentRate.${rp[$h]})" $((2 * rate))
	done
}

test_set_point_moves_the_queue() {
	put ieee8021CnCpQueueSizeSetPoint.$cp $((3 * set_point))
	pause 1
	queue_over 2
	printf '    queue %d octets\n' "$mean"
	at_least "mean of the queue, set point $((3 * set_point))" "$mean" $((2 * set_point))
	put ieee8021CnCpQueueSizeSetPoint.$cp $set_point
	pause 1
	queue_over 2
	printf '    queue %d octets\n' "$mean"
	at_most "mean of the queue, set point $set_point" "$mean" $((2 * set_point))
}

# A frame that goes out past the queueing discipline shows at its far end only.
test_frames_on_the_wire() {
	fields() { # FILE FILTER FIELD...: distinct lines
		tshark -X lua_script:"$dissector" -r "$1" -Y "$2" -T fields "${@:3}" 2>$T/tshark.log | sort -u
	}
	timeout 20 tshark -q -i sw1 -c 500 -w $T/data.pcap >$T/tshark.log 2>&1
	flow=$(fields $T/data.pcap "eth.src == ${mac[h1]}" -e dcb.cntag.flow_id)
	like "flow identifiers of what h1 sends" "$flow" '^[1-9][0-9]*$'
	is "priorities of what h1 sends" "$(fields $T/data.pcap "dcb.cntag" -e vlan.id -e vlan.priority)" "0"$'\t'"3"
	on h1 timeout 20 tshark -q -i eth0 -c 5 -w $T/cnm.pcap >$T/tshark.log 2>&1
	is "CNMs to h1" "$(fields $T/cnm.pcap "dcb.cnm && eth.dst == ${mac[h1]}" -e dcb.cntag.flow_id \
		-e dcb.cnm.version -e dcb.cnm.encap_priority -e dcb.cnm.encap_da -e dcb.cnm.msdu_len)" \
		"$(printf '%s\t0\t3\t%s\t0' "$flow" "${mac[h3]}")"
	start list3 nsenter --net=/run/netns/h3 -- "$frames" list eth0
	wait_for 10 "frames at h3" logged list3 " $((1500 - 4)) "
	stop list3 KILL
	is "EtherTypes at h3" "$(awk 'NF >= 8 && $1 == "'"${mac[h3]}"'" { print $3, $4 }' "${log_of[list3]}" |
		sort -u)" "untagged 88b5"
}

test_bridge_dies_and_reaction_points_recover() {
	local h
	stop dcbd KILL
	for h in h1 h2; do wait_for 30 "$h is back at full rate" full_rate $h; done
	start_dcbd
	prefer dcbd
	wait_for 10 "the objects are back" served
	on h3 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s "${mac[h3]}"
	wait_for 30 "the queue settles" settled_down
}
full_rate() { [ "$(value "$1" dcbRpCurrentRate.${rp[$1]})" -eq 1000000000 ]; }

hex() { printf '%s' "${1//:/}"; }
# forge REASON-OBJECT HEX: a frame to h1 is counted there, and nothing else happens.
forge() {
	local was created
	was=$(value h1 "$1.${wire[h1]}")
	created=$(value h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]})
	on h3 "$frames" raw eth0 "$2"
	wait_for 5 "$1 counts" counted h1 "$1.${wire[h1]}" $((was + 1))
	is "$1: RPs created" "$(value h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]})" "$created"
}
counted() { [ "$(value "$1" "$2")" -eq "$3" ]; }

test_forged_messages_change_nothing() {
	local head pdu was
	no_flood
	# Not enabled, they are at rest at once.
	enable_rps 2
	wait_for 5 "h1 is at rest" rests h1
	enable_rps 1
	head=$(hex "${mac[h1]}")$(hex "${mac[h3]}")
	flow=$(printf '%04x' "$flow")
	# Feedback 63, a CPID, no offsets, priority 3, the destination that h1 sent to, no MSDU.
	pdu=003f0000000000000001000000006000$(hex "${mac[h3]}")
	forge dcbCnmUnknownFlow "${head}22e9fffe22e7${pdu}0000"
	forge dcbCnmUnknownFlow "${head}22e9${flow}22e7003f00000000000000010000000060000200000000990000"
	forge dcbCnmBadLength "${head}22e9${flow}22e7${pdu}0041"
	forge dcbCnmBadLength "${head}22e9${flow}22e7${pdu}0040"
	forge dcbCnmNoTag "${head}22e7${pdu}0000"
	forge dcbCnmWrongPriority "${head}22e9${flow}22e7${pdu/6000/a000}0000"
	forge dcbCnmWrongAddress "020000000099$(hex "${mac[h3]}")22e9${flow}22e7${pdu}0000"
	# A program on h1 itself is not the network.
	on h1 "$frames" raw dcb0 "${head}22e9${flow}22e7${pdu}0000"
	wait_for 5 "dcbCnmFromHost counts" counted h1 dcbCnmFromHost.${wire[h1]} 1
	# And one that is right, about a frame sent lately, is obeyed.
	on h1 "$frames" send dcb0 -d "${mac[h3]}" -s "${mac[h1]}"
	was=$(value h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]})
	on h3 "$frames" raw eth0 "${head}22e9${flow}22e7${pdu}0000"
	wait_for 5 "a CNM that is right" counted h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]} $((was + 1))
}
rests() { [ "$(value "$1" dcbRpEnabled.${rp[$1]})" = false ]; }

test_without_master_it_is_a_plain_bridge() {
	local was discarded
	put ieee8021CnGlobalMasterEnable.1 2
	fresh
	was=$(get ieee8021CnCpTransmittedFrames.$cp)
	discarded=$(get dcbPortDiscardQueue.$sw3)
	flood h1
	flood h2
	wait_for 10 "discards" more_discarded_by_port $((discarded + 1000))
	fresh
	is "frames the CP saw" "$(get ieee8021CnCpTransmittedFrames.$cp)" "$was"
	put ieee8021CnGlobalMasterEnable.1 1
	wait_for 20 "the queue settles" settled_down
	no_flood
}
more_discarded_by_port() { [ "$(get dcbPortDiscardQueue.$sw3)" -gt "$1" ]; }

run_tests
