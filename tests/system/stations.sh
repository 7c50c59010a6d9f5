#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Congestion notification end to end: two stations offer more than a bridge's port, slower than
# their own, can send. Their reaction points find its rate.
#
#   h1: pktgen - dcb0 - dcbd (station) - eth0 === sw1 +--------+
#                                                     |  dcbd  | sw3, slow   === eth0 h3
#   h2: pktgen - dcb0 - dcbd (station) - eth0 === sw2 +--------+
#
# The stations have 1 Gb/s. Rates of increase are a tenth of their defaults, which are for 10 Gb/s:
# 32.11.6 and 32.11.7 leave them to the operator.
#
# Use of the link, fairness and queue length depend on processor time and are "timed". On any
# machine: frames are lost without reaction points; with them the loss ends at some time and the
# queue is near its set point; and each frame and CNM is counted.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
pktgen=$build/tests/bench/pktgen
probe=$build/tests/system/mo_probe
dissector=$src/contrib/wireshark/dcb.lua
rate=60000000 # bit/s of sw3
[ $slow -eq 1 ] || rate=20000000
set_point=100000 # octets
buffer=800000

cn_rows() { # entries of "initial" of bridge and stations
	cat <<-END
		{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; },
		{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; }
	END
}

# station NAME: starts dcbd as station with tap dcb0 in the host's namespace.
station() {
	mkdir -p $T/$1
	cat >$T/$1/dcbd.conf <<-END
		role = "station";
		interfaces = { include = [ "eth0" ]; };
		ports = ( { name = "eth0"; tap = "dcb0"; rate = 1000000000L; default_priority = 3; } );
		user = "root";
		$no_real_time
		state_file = "$T/$1/state";
		control = { socket = "$T/$1/control"; };
		initial = (
		$(cn_rows),
		{ object = "ieee8021CnRpgAiRate"; index = "1.3.*.3"; port = "*"; value = "1"; },
		{ object = "ieee8021CnRpgHaiRate"; index = "1.3.*.3"; port = "*"; value = "5"; },
		{ object = "ieee8021CnRpgMinRate"; index = "1.3.*.3"; port = "*"; value = "1"; },
		{ object = "ieee8021CnRpgTimeReset"; index = "1.3.*.3"; port = "*"; value = "100"; } );
	END
	start "$1" nsenter --net="/run/netns/$1" -- "$build/dcbd" -c "$T/$1/dcbd.conf"
	wait_for 10 "dcbd of $1 is up" test -S "$T/$1/control" || die "dcbd of $1 does not start"
	wait_for 10 "tap of $1" on "$1" ip link show dcb0
}

# ctl HOST ARGUMENT...: dcbctl with the host's dcbd.
ctl() { "$build/dcbctl" -s "$T/$1/control" "${@:2}"; }
# value HOST OBJECT.INDEX...: numbers, one a line. now: of the bridge, from dcbd and not from
# dcb-agentx's cache.
value() { "$probe" get "$T/$1/control" "${@:2}"; }
now() { "$probe" get $T/control "$@"; }
is_value() { [ "$(value "$1" "$2")" -eq "$3" ]; }       # HOST OBJECT.INDEX VALUE
at_least_value() { [ "$(value "$1" "$2")" -ge "$3" ]; } # HOST OBJECT.INDEX VALUE
at_most_value() { [ "$(value "$1" "$2")" -le "$3" ]; }  # HOST OBJECT.INDEX VALUE
above() { [ "$(now "$1")" -gt "$2" ]; }                 # OBJECT.INDEX VALUE

for n in 1 2 3; do
	host h$n sw$n
done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3)
start_all 'interfaces = { include = [ "sw*" ]; };' "ports = (
	{ name = \"sw3\"; rate = ${rate}L; buffer = $buffer; default_priority = 3; },
	{ name = \"sw*\"; default_priority = 0; } );" "initial = ( $(cn_rows) );"
cp=1.$sw3.3
# sw3 is interior: frames leave it without CN-TAG.
put ieee8021CnPortPriDefModeChoice.1.3.$sw3 1 ieee8021CnPortPriAdminDefenseMode.1.3.$sw3 2
# The DEFVALs are for 10 Gb/s: at this rate reaction points would recover faster than the congestion
# point samples.
put ieee8021CnCpQueueSizeSetPoint.$cp $set_point ieee8021CnCpMinSampleBase.$cp 20000
station h1
station h2
declare -A mac wire rp
for n in 1 2 3; do mac[h$n]=$(ip -n h$n -j link show dev eth0 | jq -r '.[0].address'); done
for n in 1 2; do
	wire[h$n]=$(ip -n h$n -j link show dev eth0 | jq '.[0].ifindex')
	rp[h$n]=1.${wire[h$n]}.3.1
done
# prefer NAME: raises the program's priority, if allowed. A dcbd that gets no processor for longer
# than the buffer lasts loses frames in spite of congestion notification.
prefer() {
	(cd "/proc/${pid_of[$1]}/task" && renice -n -10 -p -- *) >/dev/null 2>&1 || true
}

for name in dcbd h1 h2; do prefer $name; done
for h in h1 h2; do wait_for 5 "$h is up" is_value $h dcbPortOperational.${wire[$h]} 1; done

# The bridge learns h3's address, so that frames to it are not flooded.
bridge_is_ready() {
	local i
	for i in $sw1 $sw2 $sw3; do wait_for 5 "ports are up" holds dcbPortOperational.$i 1; done
	on h3 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s "${mac[h3]}"
	wait_for 5 "the bridge learns h3" above dcbEngineFdbEntries.0 0
}
bridge_is_ready

# flood HOST: sends frames to h3 through its tap, at one and a half times the slow port's rate.
flood() {
	local fps=$((rate * 3 / 2 / 8 / 1524))
	start flood-$1 nsenter --net=/run/netns/$1 -- "$pktgen" -i dcb0 -d "${mac[h3]}" -o 1500 \
		-r $fps -n $((fps * 3600))
}
# no_flood: stops the floods and waits until all their frames have arrived at h3: the last frame
# follows them.
no_flood() {
	local h
	stop flood-h1 KILL
	stop flood-h2 KILL
	start list3 nsenter --net=/run/netns/h3 -- "$frames" list eth0
	wait_for 5 "h3 lists frames" logged list3 ready
	for h in h1 h2; do wait_for 20 "the last frame of $h at h3" last_one $h; done
	stop list3 KILL
}
last_one() {
	on $1 "$frames" send dcb0 -d "${mac[h3]}" -s "${mac[$1]}" -i 99
	awk -v sa="${mac[$1]}" '$2 == sa && $6 == 99 { found = 1 } END { exit !found }' "${log_of[list3]}"
}

# enable_rps 1|2: rpgEnable of both stations.
enable_rps() {
	local h
	for h in h1 h2; do
		ctl $h set ieee8021CnRpgEnable.1.3.${wire[$h]}.3 "$1" >/dev/null || fail "$h: cannot set rpgEnable"
	done
}

# mean_queue: puts the mean of ten samples of the queue length, in about half a second, into $mean.
mean_queue() {
	local i sum=0
	for ((i = 0; i < 10; i++)); do
		sum=$((sum + $(now dcbCpQueueLength.$cp)))
		pause 0.04
	done
	mean=$((sum / 10))
}

# measure HALF-SECONDS: the used share of the slow port and the fairness in permille, the discards,
# and the mean of the queue, in $used, $jain, $discards and $mean.
measure() {
	local a b start sum=0 i
	counters_of() {
		now dcbPortTxOctets.$sw3 dcbPortTxFrames.$sw3 ieee8021CnCpDiscardedFrames.$cp
		value h1 dcbRpOctets.${rp[h1]}
		value h2 dcbRpOctets.${rp[h2]}
	}
	mapfile -t a < <(counters_of)
	clock
	start=$now
	for ((i = 0; i < $1; i++)); do
		mean_queue
		sum=$((sum + mean))
	done
	mean=$((sum / $1))
	mapfile -t b < <(counters_of)
	clock
	read -r used jain discards < <(awk -v a="${a[*]}" -v b="${b[*]}" -v ms=$((now - start)) -v r=$rate 'BEGIN {
		split(a, x); split(b, y)
		for (i = 1; i <= 5; i++) d[i] = y[i] - x[i]
		# All bits on the wire: FCS, preamble and gap are 24 octets a frame.
		used = (d[1] + 24 * d[2]) * 8 / (r * ms / 1000)
		jain = (d[4] + d[5]) ^ 2 / (2 * (d[4] ^ 2 + d[5] ^ 2) + 1e-9)
		printf "%d %d %d\n", used * 1000, jain * 1000, d[3] }')
}
# Bounds that hold on any machine need no long measurement.
[ -n "${DCB_TIMED-}" ] && long=10 || long=1

test_frames_are_lost_without_reaction_points() {
	local h
	enable_rps 2
	flood h1
	flood h2
	wait_for 20 "discards" above ieee8021CnCpDiscardedFrames.$cp 1000
	measure $long
	timed at_least "permille of the slow port used" "$used" 950
	timed at_least "discards" "$discards" $((500 * long))
	at_most "peak of the queue" "$(now dcbCpQueuePeak.$cp)" $buffer
	at_least "CNMs sent" "$(now ieee8021CnCpTransmittedCnms.$cp)" 1
	for h in h1 h2; do
		is "$h: RPs created" "$(value $h ieee8021CnRpPortPriCreatedRps.1.3.${wire[$h]})" 0
		is "$h: RP enabled" "$(value $h dcbRpEnabled.${rp[$h]})" 2
	done
}

# settled_down: frames pass, none is lost, and the queue is below three times its set point.
settled_down() {
	local was is
	mapfile -t was < <(now ieee8021CnCpDiscardedFrames.$cp ieee8021CnCpTransmittedFrames.$cp)
	mean_queue
	mapfile -t is < <(now ieee8021CnCpDiscardedFrames.$cp ieee8021CnCpTransmittedFrames.$cp)
	[ "${was[0]}" = "${is[0]}" ] && [ $((is[1] - was[1])) -ge 200 ] && [ "$mean" -lt $((3 * set_point)) ]
}

test_no_frames_are_lost_with_reaction_points() {
	local h
	enable_rps 1
	wait_for 20 "the queue settles" settled_down
	for h in h1 h2; do
		wait_for 20 "$h: CNMs received" at_least_value $h dcbCnmReceived.${wire[$h]} 5
		wait_for 20 "$h: RPs created" at_least_value $h ieee8021CnRpPortPriCreatedRps.1.3.${wire[$h]} 1
		wait_for 20 "$h: rate" at_most_value $h dcbRpCurrentRate.${rp[$h]} $rate
		wait_for 20 "$h: centiseconds" at_least_value $h ieee8021CnRpPortPriCentiseconds.1.3.${wire[$h]} 100
		at_most "$h: target rate" "$(value $h dcbRpTargetRate.${rp[$h]})" 1000000000
	done
	measure $long
	timed at_most "discards" "$discards" 0
	timed at_least "mean of the queue" "$mean" $((set_point / 2))
	timed at_most "mean of the queue" "$mean" $((set_point * 2))
	timed at_least "permille of the slow port used" "$used" 950
	timed at_least "permille of fairness" "$jain" 900
	at_most "peak of the queue" "$(now dcbCpQueuePeak.$cp)" $buffer
}

mean_at_least() { mean_queue && [ "$mean" -ge "$1" ]; }
mean_at_most() { mean_queue && [ "$mean" -le "$1" ] && [ "$mean" -gt 0 ]; }

test_queue_length_follows_set_point() {
	put ieee8021CnCpQueueSizeSetPoint.$cp $((3 * set_point))
	wait_for 20 "mean of the queue, set point $((3 * set_point))" mean_at_least $((2 * set_point))
	printf '    queue %d octets after %d ms\n' "$mean" "$waited"
	put ieee8021CnCpQueueSizeSetPoint.$cp $set_point
	wait_for 20 "mean of the queue, set point $set_point" mean_at_most $((3 * set_point / 2))
	printf '    queue %d octets after %d ms\n' "$mean" "$waited"
}

# A frame that bypasses the queueing discipline is visible only at the other end.
test_tags_and_cnms_on_the_wire() {
	local address
	fields() { # FILE FIELD...: distinct lines
		tshark -X lua_script:"$dissector" -r "$1" -T fields "${@:2}" 2>$T/tshark.log | sort -u
	}
	address=$(ip -o link show dev sw3 | sed 's/.*link.ether \([^ ]*\).*/\1/')
	# The queue is always longer than this set point: each sample makes a CNM.
	put ieee8021CnCpQueueSizeSetPoint.$cp 100
	start data tshark -q -i sw1 -f "ether src ${mac[h1]}" -c 20 -w $T/data.pcap
	start cnm nsenter --net=/run/netns/h1 -- tshark -q -i eth0 -f "ether src $address" -c 3 -w $T/cnm.pcap
	start list3 nsenter --net=/run/netns/h3 -- "$frames" list eth0
	wait_for 20 "20 frames of h1" gone "${pid_of[data]}"
	wait_for 20 "CNMs to h1" gone "${pid_of[cnm]}"
	wait_for 20 "frames at h3" logged list3 " 1500 "
	stop list3 KILL
	unset 'pid_of[data]' 'pid_of[cnm]'
	put ieee8021CnCpQueueSizeSetPoint.$cp $set_point
	IFS=$'\t' read -r flow tag < <(fields $T/data.pcap -e dcb.cntag.flow_id -e vlan.id -e vlan.priority)
	like "flow identifiers of frames of h1" "$flow" '^[1-9][0-9]*$'
	is "distinct flow identifiers, VLANs and priorities" "$(fields $T/data.pcap -e dcb.cntag.flow_id \
		-e vlan.id -e vlan.priority | wc -l)" 1
	is "VLAN and priority of frames of h1" "$tag" "0"$'\t'"3"
	is "CNMs to h1" "$(fields $T/cnm.pcap -e eth.dst -e dcb.cntag.flow_id -e dcb.cnm.version \
		-e dcb.cnm.encap_priority -e dcb.cnm.encap_da -e dcb.cnm.msdu_len)" \
		"$(printf '%s\t%s\t0\t3\t%s\t0' "${mac[h1]}" "$flow" "${mac[h3]}")"
	is "EtherTypes at h3" "$(awk 'NF >= 8 && $1 == "'"${mac[h3]}"'" { print $3, $4 }' "${log_of[list3]}" |
		sort -u)" "1/3 88b5"
}

test_reaction_points_recover_without_bridge() {
	local h
	stop dcbd KILL
	for h in h1 h2; do wait_for 30 "$h has its full rate again" is_value $h dcbRpCurrentRate.${rp[$h]} 1000000000; done
	start_dcbd
	prefer dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	bridge_is_ready
	wait_for 30 "the queue settles" settled_down
}

hex() { printf '%s' "${1//:/}"; }
# keep_sending DA...: h1 sends a frame to each of these addresses ten times a second until
# end_sending: a station forgets a destination 8 s, and a flow 1 s, after the last frame.
keep_sending() {
	local da
	for da; do
		start "keep-$da" nsenter --net=/run/netns/h1 -- "$frames" send dcb0 -d "$da" \
			-s "${mac[h1]}" -g 100000 -n 1000000
	done
}
end_sending() { # DA...
	local da
	for da; do stop "keep-$da" KILL; done
}
# forge REASON-OBJECT HEX: h1 counts the frame in this object and makes no reaction point.
forge() {
	local was created
	was=$(value h1 "$1.${wire[h1]}")
	created=$(value h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]})
	on h3 "$frames" raw eth0 "$2"
	wait_for 5 "$1 counts the CNM" is_value h1 "$1.${wire[h1]}" $((was + 1))
	is "$1: RPs created" "$(value h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]})" "$created"
}

test_invalid_cnms_are_only_counted() {
	local head pdu was created sent excess
	head=$(hex "${mac[h1]}")$(hex "${mac[h3]}")
	flow=$(printf '%04x' "$flow")
	# Feedback 63, a CPID, offsets 0, priority 3, the destination that h1 sent to, no MSDU.
	pdu=003f0000000000000001000000006000$(hex "${mac[h3]}")
	# Disabled reaction points end at once. The bridge sends no more CNMs for frames of the
	# flood.
	enable_rps 2
	no_flood
	wait_for 5 "RP of h1 is disabled" is_value h1 dcbRpEnabled.${rp[h1]} 2
	forge dcbCnmNoTag "${head}22e7${pdu}0000"
	enable_rps 1
	keep_sending "${mac[h3]}"
	forge dcbCnmUnknownFlow "${head}22e9fffe22e7${pdu}0000"
	forge dcbCnmUnknownFlow "${head}22e9${flow}22e7003f00000000000000010000000060000200000000990000"
	forge dcbCnmUnknownFlow "${head}8100c00722e9${flow}22e7${pdu}0000" # VLAN 7
	forge dcbCnmBadLength "${head}22e9${flow}22e7${pdu}0041"
	forge dcbCnmBadLength "${head}22e9${flow}22e7${pdu}0040"
	forge dcbCnmNoTag "${head}22e7${pdu}0000"
	forge dcbCnmWrongPriority "${head}22e9${flow}22e7${pdu/6000/a000}0000"
	forge dcbCnmWrongAddress "020000000099$(hex "${mac[h3]}")22e9${flow}22e7${pdu}0000"
	# A CNM from a program on h1 through the tap is not from the network.
	on h1 "$frames" raw dcb0 "${head}22e9${flow}22e7${pdu}0000"
	wait_for 5 "dcbCnmFromHost counts the CNM" is_value h1 dcbCnmFromHost.${wire[h1]} 1
	# A correct CNM for a recent frame makes a reaction point, as soon as the frames of the flow are enough
	# for another sample: CNMs of the flood can have taken those before.
	was=$(cnms_of_flow) sent=0
	created=$(value h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]})
	wait_for 5 "a correct CNM makes an RP" cnm_makes_rp "${head}22e9${flow}22e7${pdu}0000" $((created + 1))
	wait_for 5 "each correct CNM arrives" cnms_are $((was + sent))
	# Of 300 CNMs for frames that the flow did send, only as many count as there can be samples.
	was=$(cnms_of_flow)
	excess=$(value h1 dcbCnmExcess.${wire[h1]})
	on h3 "$frames" raw eth0 "${head}22e9${flow}22e7${pdu}0000" -n 300
	wait_for 5 "all CNMs arrive" cnms_are $((was + 300))
	at_least "CNMs beyond the samples" $(($(value h1 dcbCnmExcess.${wire[h1]}) - excess)) 200
	end_sending "${mac[h3]}"
}
cnm_makes_rp() { # FRAME NUMBER-OF-RPS: sends the frame, and counts it in sent
	on h3 "$frames" raw eth0 "$1" && sent=$((sent + 1))
	is_value h1 ieee8021CnRpPortPriCreatedRps.1.3.${wire[h1]} "$2"
}
# CNMs for the flow of h1: accepted, and discarded because of their number.
cnms_of_flow() { value h1 dcbCnmReceived.${wire[h1]} dcbCnmExcess.${wire[h1]} | awk '{ n += $1 } END { print n }'; }
cnms_are() { [ "$(cnms_of_flow)" -eq "$1" ]; }

# Who knows the address of h1 and its CNPV, but not where it sends, has to guess.
test_blind_cnms_move_no_rate() {
	local head i unknown
	head=$(hex "${mac[h1]}")$(hex "${mac[h3]}")
	enable_rps 2
	wait_for 5 "RP of h1 is disabled" is_value h1 dcbRpEnabled.${rp[h1]} 2
	enable_rps 1
	# The bridge sends no CNMs of its own for these frames.
	put ieee8021CnCpQueueSizeSetPoint.$cp 100000000
	wait_for 5 "the configuration is in force" in_force
	on h1 "$frames" send dcb0 -d "${mac[h3]}" -s "${mac[h1]}" -l 1500 -n 100
	unknown=$(value h1 dcbCnmUnknownFlow.${wire[h1]})
	for ((i = 0; i < 64; i++)); do
		on h3 "$frames" raw eth0 "$head$(printf \
			'22e9%04x22e7003f00000000000000010000000060000200000001%02x0000' $((i % 2 * 301)) $i)" -n 10
	done
	wait_for 5 "640 CNMs are discarded" is_value h1 dcbCnmUnknownFlow.${wire[h1]} $((unknown + 640))
	is "RP of h1 is enabled" "$(value h1 dcbRpEnabled.${rp[h1]})" 2
	is "rate of h1" "$(value h1 dcbRpCurrentRate.${rp[h1]})" 1000000000
	put ieee8021CnCpQueueSizeSetPoint.$cp $set_point
}

# frames_of_rps: puts the frames that each of ten reaction points of h1 let pass into ${passed[@]}.
frames_of_rps() { mapfile -t passed < <(value h1 $(printf "dcbRpFrames.1.${wire[h1]}.3.%d " {1..10})); }
# gained N: the reaction point, in $number, that let N frames more pass than in ${before[@]}.
gained() {
	frames_of_rps
	for ((number = 10; number > 0; number--)); do
		[ $((passed[number - 1] - before[number - 1])) -lt "$1" ] || return 0
	done
	return 1
}
# send_flow N: h1 sends 200 frames of a flow, many more than keep_sending does meanwhile; its
# reaction point is put into $number.
send_flow() {
	local before
	frames_of_rps
	before=("${passed[@]}")
	on h1 "$frames" send dcb0 -d 02:00:00:00:01:0$1 -s "${mac[h1]}" -l 200 -n 200
	wait_for 5 "frames of flow $1 pass a reaction point" gained 200
}

# Five flows, and ten reaction points: a CNM for one flow limits the rate of no other.
test_each_flow_has_its_reaction_point() {
	local flow number assigned sharing aged head pdu numbers=() tries=20 flows=(02:00:00:00:01:0{1..5})
	ctl h1 set ieee8021CnRpPortPriMaxRps.1.3.${wire[h1]} 10 >/dev/null || fail "cannot set rpppMaxRps"
	# The bridge floods these frames to both other ports: it sends no CNMs of its own for them.
	put ieee8021CnCpQueueSizeSetPoint.$cp 100000000 ieee8021CnCpQueueSizeSetPoint.1.$sw2.3 100000000
	wait_for 5 "the configuration is in force" in_force
	assigned=$(value h1 dcbPortFlowsAssigned.${wire[h1]})
	sharing=$(value h1 dcbPortFlowsSharing.${wire[h1]})
	aged=$(value h1 dcbPortFlowsAged.${wire[h1]})
	keep_sending "${flows[@]}"
	until [ ${#numbers[@]} -eq 5 ] && [ "$(printf '%s\n' "${numbers[@]}" | sort -u | wc -l)" -eq 5 ]; do
		[ $((tries--)) -gt 0 ] || die "five flows do not have five reaction points: ${numbers[*]}"
		numbers=()
		for flow in 1 2 3 4 5; do
			send_flow $flow
			numbers+=("$number")
		done
	done
	at_least "flows with a queue of their own" $(($(value h1 dcbPortFlowsAssigned.${wire[h1]}) - assigned)) 5
	is "flows that share a queue" "$(value h1 dcbPortFlowsSharing.${wire[h1]})" "$sharing"
	head=$(hex "${mac[h1]}")$(hex "${mac[h3]}")
	pdu=003f0000000000000001000000006000
	on h3 "$frames" raw eth0 "${head}22e9000022e7${pdu}0200000001030000"
	wait_for 5 "a CNM makes an RP of flow 3" is_value h1 dcbRpEnabled.1.${wire[h1]}.3.${numbers[2]} 1
	for number in "${numbers[@]}"; do
		[ "$number" = "${numbers[2]}" ] ||
			is "RP $number is enabled" "$(value h1 dcbRpEnabled.1.${wire[h1]}.3.$number)" 2
	done
	end_sending "${flows[@]}"
	# Unused queues are free after a second.
	wait_for 10 "flow queues are given back" aged_after $((aged + 4))
	put ieee8021CnCpQueueSizeSetPoint.$cp $set_point ieee8021CnCpQueueSizeSetPoint.1.$sw2.3 26000
	ctl h1 set ieee8021CnRpPortPriMaxRps.1.3.${wire[h1]} 1 >/dev/null || fail "cannot set rpppMaxRps"
}
# aged_after N: after a frame of h1, N flow queues have been given back.
aged_after() {
	on h1 "$frames" send dcb0 -d 02:00:00:00:01:09 -s "${mac[h1]}"
	at_least_value h1 dcbPortFlowsAged.${wire[h1]} "$1"
}

# An edge of the domain: h3 is not in it, and its CNMs for the CNPV do not enter the bridge.
test_cnms_do_not_enter_at_edge() {
	local head pdu unknown
	head=$(hex "${mac[h1]}")$(hex "${mac[h3]}")
	pdu=003f000000000000000100000000600002000000000100000000
	unknown=$(value h1 dcbCnmUnknownFlow.${wire[h1]})
	put ieee8021CnPortPriAdminDefenseMode.1.3.$sw3 4
	wait_for 5 "the configuration is in force" in_force
	on h3 "$frames" raw eth0 "${head}22e9000022e7$pdu" -n 5
	on h3 "$frames" raw eth0 "${head}8100c0018100c00122e9000022e9000022e7$pdu" -n 5
	wait_for 5 "the bridge discards the CNMs" above dcbPortDiscardCnm.$sw3 9
	put ieee8021CnPortPriAdminDefenseMode.1.3.$sw3 2
	wait_for 5 "the configuration is in force" in_force
	on h3 "$frames" raw eth0 "${head}22e9000022e7$pdu"
	wait_for 5 "h1 discards this CNM only" is_value h1 dcbCnmUnknownFlow.${wire[h1]} $((unknown + 1))
	is "CNMs discarded at the edge" "$(now dcbPortDiscardCnm.$sw3)" 10
}

# The bridge received all frames that the stations sent; its slow port sent or discarded all of
# them; h3 received those that were sent; and the stations received each CNM.
test_every_frame_is_counted() {
	local was
	mapfile -t was < <(balance)
	wait_for 5 "no frames are in transit" still_now
	mapfile -t was < <(balance)
	flood h1
	flood h2
	wait_for 20 "the queue settles" settled_down
	no_flood
	wait_for 5 "no frames are in transit" still_now
	# dcbd reads the number of frames dropped by the kernel once a second.
	wait_for 5 "all counters agree" balanced "${was[@]}" ||
		is "sent, received, passed, sent on, at h3; CNMs made, received" "$(balances "${was[@]}")" "all equal"
	read -r -a was <<<"$(balances "${was[@]}")"
	printf '    %d frames, %d CNMs\n' "${was[0]}" "${was[5]}"
	at_least "frames" "${was[0]}" 200
	at_least "CNMs" "${was[5]}" 1
}
balance() { # 19 counters, one a line
	value h1 dcbPortTxFrames.${wire[h1]} dcbCnmReceived.${wire[h1]} dcbPortDiscardKernel.${wire[h1]} \
		dcbRpQueueLength.${rp[h1]}
	value h2 dcbPortTxFrames.${wire[h2]} dcbCnmReceived.${wire[h2]} dcbPortDiscardKernel.${wire[h2]} \
		dcbRpQueueLength.${rp[h2]}
	now dcbPortRxFrames.$sw1 dcbPortRxFrames.$sw2 dcbPortDiscardKernel.$sw1 dcbPortDiscardKernel.$sw2 \
		ieee8021CnCpTransmittedFrames.$cp ieee8021CnCpDiscardedFrames.$cp dcbPortTxFrames.$sw3 \
		dcbPortTxErrors.$sw3 ieee8021CnCpTransmittedCnms.$cp dcbCpQueueLength.$cp
	ip -n h3 -s -j link show dev eth0 | jq '.[0].stats64.rx.packets'
}
balances() { # BALANCE: differences since that balance
	local now
	mapfile -t now < <(balance)
	awk -v a="$*" -v b="${now[*]}" 'BEGIN {
		split(a, x); split(b, y)
		for (i in x) d[i] = y[i] - x[i]
		print d[1] + d[5], d[9] + d[10] + d[11] + d[12], d[13] + d[14] + d[11] + d[12], \
			d[15] + d[16] + d[14] + d[11] + d[12], d[19] + d[16] + d[14] + d[11] + d[12], \
			d[17], d[2] + d[6] + d[3] + d[7]
	}'
}
balanced() {
	local n
	read -r -a n <<<"$(balances "$@")"
	[ "${n[0]}" -eq "${n[1]}" ] && [ "${n[0]}" -eq "${n[2]}" ] && [ "${n[0]}" -eq "${n[3]}" ] &&
		[ "${n[0]}" -eq "${n[4]}" ] && [ "${n[5]}" -eq "${n[6]}" ]
}
still_now() {
	local a b
	a=$(balance)
	pause 0.2
	b=$(balance)
	[ "$a" = "$b" ] && is_value h1 dcbRpQueueLength.${rp[h1]} 0 && is_value h2 dcbRpQueueLength.${rp[h2]} 0 &&
		[ "$(now dcbCpQueueLength.$cp)" -eq 0 ]
}

test_master_enable_off_stops_congestion_point() {
	local was discarded
	put ieee8021CnGlobalMasterEnable.1 2
	wait_for 5 "the configuration is in force" in_force
	was=$(now ieee8021CnCpTransmittedFrames.$cp)
	discarded=$(now dcbPortDiscardQueue.$sw3)
	flood h1
	flood h2
	wait_for 20 "discards" above dcbPortDiscardQueue.$sw3 $((discarded + 1000))
	is "frames passed by the CP" "$(now ieee8021CnCpTransmittedFrames.$cp)" "$was"
	put ieee8021CnGlobalMasterEnable.1 1
	wait_for 20 "the queue settles" settled_down
	no_flood
}

run_tests
