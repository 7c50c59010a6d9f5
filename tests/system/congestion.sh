#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Congestion notification in the bridge, on wires: every octet of the CNMs that a congestion point
# sends on overload; and the effect of the defense modes on priorities and CN-TAGs as a manager
# changes them.
#
#   h1 - sw1           h2 - sw2 20 Mb/s           h3 - sw3 default priority 3, table 5 -> 3
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
for n in 1 2 3; do
	host h$n sw$n
	start list$n nsenter --net=/run/netns/h$n -- "$frames" list eth0 -x
done
start_all 'interfaces = { include = [ "sw*" ]; };' 'ports = (
	{ name = "sw2"; rate = 20000000L; buffer = 300000; },
	{ name = "sw3"; default_priority = 3; regeneration = [ 0, 1, 2, 3, 4, 3, 6, 7 ]; } );' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
	{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; } );'
for n in 1 2 3; do
	wait_for 5 "h$n lists frames" logged list$n ready
	wait_for 5 "sw$n is up" holds dcbPortOperational."$(ifindex sw$n)" 1
done
sw1=$(ifindex sw1) sw2=$(ifindex sw2) sw3=$(ifindex sw3)
cp=1.$sw2.3
a=02:00:00:00:00:0a b=02:00:00:00:00:0b c=02:00:00:00:00:0c

stream=0 # number of the last call of send, in its frames
send() { # HOST [OPTION...]: sends frames by "frames send"
	stream=$((stream + 1))
	on h$1 "$frames" send eth0 -i $stream "${@:2}" || fail "cannot send frames"
}
got() { awk -v s="$2" '$6 == s' "${log_of[list$1]}"; } # HOST STREAM
has() { awk -v s="$2" -v n="${3-1}" '$6 == s { i++ } END { exit i + 0 < n }' "${log_of[list$1]}"; } # HOST STREAM [COUNT]

# cnms HOST: the CNMs that arrived there since the last call of mark.
seen=(0 0 0 0)
mark() {
	local h
	for h in 1 2 3; do seen[h]=$(wc -l <"${log_of[list$h]}"); done
}
cnms() { tail -n "+$((seen[$1] + 1))" "${log_of[list$1]}" | grep '+22e7 '; } # HOST
count_cnms() { cnms "$1" | wc -l; }

# now NAME.INSTANCE...: numbers, one a line, from dcbd and not from dcb-agentx's cache.
now() { "$probe" get $T/control "$@"; }
# points NAME...: puts these objects of the congestion point into the array $points.
points() { mapfile -t points < <(now "${@/%/.$cp}"); }
# last HOST: sends a broadcast of the lowest priority from the host and waits for it, so that all
# earlier frames have arrived.
last() {
	local to
	send "$1" -s "02:00:00:00:00:0$(tr 123 abc <<<"$1")" -d ff:ff:ff:ff:ff:ff -p 0
	for to in 1 2 3; do
		[ "$1" -eq $to ] || wait_for 10 "the last frame of h$1 at h$to" has $to $stream
	done
}
# overload HOST COUNT [OPTION...]: queues COUNT frames of 1000 octets with the CNPV to b at once,
# and waits until all have left or are discarded.
overload() {
	local rx
	wait_for 5 "the settings are in force" in_force
	rx=$(now dcbPortRxFrames."$(ifindex sw$1)")
	while_stopped dcbd send "$1" -d $b -n "$2" -l 1000 "${@:3}"
	wait_for 10 "$2 frames received" received_from sw$1 $((rx + $2))
	wait_for 10 "the queue is empty" is_empty
	last "$1"
	last 2
}
received_from() { [ "$(now dcbPortRxFrames."$(ifindex "$1")")" -ge "$2" ]; }
is_empty() { [ "$(now dcbCpQueueLength.$cp)" -eq 0 ]; }
# Let the bridge learn the addresses, in both VLANs.
for n in 1 2 3; do
	case $n in 1) s=$a ;; 2) s=$b ;; 3) s=$c ;; esac
	send $n -s $s -d ff:ff:ff:ff:ff:ff -p 0
	send $n -s $s -d ff:ff:ff:ff:ff:ff -v 100 -p 0
done

# hex TEXT: hexadecimal digits in lower case, without separators.
hex() { tr -d ' :"\n' <<<"$1" | tr A-F a-f; }
signed() { echo $(((16#$1 ^ 0x8000) - 0x8000)); } # of four digits

# check_pdu HEX DA MSDU: checks a CNM from its EtherType on, for a frame of the default CNPV to DA.
check_pdu() {
	local p=$1 qntz_fb qoffset qdelta expected
	is "EtherType" "${p:0:4}" 22e7
	is "Version, ReservedV" $((16#${p:4:4} >> 6)) 0
	qntz_fb=$((16#${p:4:4} & 63))
	is "CPID" "${p:8:16}" "$cpid"
	qoffset=$(signed "${p:24:4}") qdelta=$(signed "${p:28:4}")
	# The fields are in units of 64 octets, so that this may be one off; cpW is 2.
	expected=$(((2 * qdelta - qoffset) * 64 * 63 / (set_point * 5)))
	[ $expected -le 63 ] || expected=63
	at_least "Quantized Feedback" $qntz_fb $((expected > 1 ? expected - 1 : 1))
	at_most "Quantized Feedback" $qntz_fb $((expected + 1))
	feedbacks+=("$qntz_fb")
	is "Encapsulated priority" "${p:32:4}" 6000
	is "Encapsulated destination" "${p:36:12}" "$(hex $2)"
	is "Encapsulated MSDU length" "${p:48:4}" "$(printf %04x $((${#3} / 2)))"
	is "Encapsulated MSDU" "${p:52:${#3}}" "$3"
}

# Every octet of every CNM, and the counters.
test_octets_of_cnms() {
	local line tag type octets sent rx n=0 feedbacks=() mac cpid set_point=100000 overloading
	put ieee8021CnCpMinSampleBase.$cp 10000 ieee8021CnCpQueueSizeSetPoint.$cp $set_point \
		ieee8021CnCpMinHeaderOctets.$cp 8
	mac=$(get_hex ieee8021CnCpMacAddress.$cp) cpid=$(get_hex ieee8021CnCpIdentifier.$cp)
	is "MAC address" "$mac" "$(hex "$(ip -o link show dev sw2 | sed 's/.*link.ether \([^ ]*\).*/\1/')")"
	points ieee8021CnCpTransmittedCnms
	sent=${points[0]} rx=$(now dcbPortRxFrames.$sw2)
	mark
	overloading=$((stream + 1))
	overload 1 290 -s $a -v 100 -p 3 -f 0x1234
	while read -r _ _ tag type octets _ _ _ line; do
		n=$((n + 1))
		is "destination, source" "${line:0:24}" "$(hex $a)$mac"
		is "VLAN and priority" "$tag" 100/6
		is "C-TAG, CN-TAG" "${line:24:16}" 8100c06422e91234
		is "octets" "$octets" $((${#line} / 2))
		check_pdu "${line:40}" $b "88b5$(printf %08x $overloading)${line:104:4}"
	done < <(cnms 1)
	at_least "CNMs" $n 10
	at_least "different feedback values" "$(printf '%s\n' "${feedbacks[@]}" | sort -u | wc -l)" 3
	printf '    %d CNMs of 290 frames, feedback %s to %s\n' $n "$(printf '%s\n' "${feedbacks[@]}" | sort -n | head -n 1)" \
		"$(printf '%s\n' "${feedbacks[@]}" | sort -n | tail -n 1)"
	points ieee8021CnCpTransmittedCnms
	is "CNMs counted" $((points[0] - sent)) $n
	is "CNMs at the host whose port is congested" "$(count_cnms 2)" 0
	is "CNMs at a host that sent nothing" "$(count_cnms 3)" 0
	# Only the frame of "last" was received there.
	is "frames received at the congested port" $(($(now dcbPortRxFrames.$sw2) - rx)) 1
	is "frames that arrived" "$(got 2 $overloading | wc -l)" 290
	is "frames that arrived with their CN-TAG" "$(got 2 $overloading | awk '$3 == "100/3" && $4 == "1234+88b5"' | wc -l)" 290
}

# The CPID of a CNM leads to its congestion point.
test_cpid_leads_back() {
	local line cpid oid digit
	line=$(cnms 1 | head -n 1 | cut -d' ' -f9)
	cpid=${line:48:16}
	oid=''
	for ((digit = 0; digit < 16; digit += 2)); do oid+=.$((16#${cpid:digit:2})); done
	is "ieee8021CnCpidToIfIfIndex" "$(get ieee8021CnCpidToIfIfIndex$oid)" "$sw2"
	is "ieee8021CnCpidToIfCpIndex" "$(get ieee8021CnCpidToIfCpIndex$oid)" 3
}

# More frames than the port's buffer takes: received, discarded and counted frames agree.
test_counters_agree() {
	local passed discarded total was overloading arrived
	total=$(now ieee8021CnGlobalDiscardedFrames.1)
	points ieee8021CnCpTransmittedFrames ieee8021CnCpDiscardedFrames ieee8021CnCpTransmittedCnms
	was=("${points[@]}")
	mark
	overloading=$((stream + 1))
	overload 1 1000 -s $a -v 100 -p 3
	points ieee8021CnCpTransmittedFrames ieee8021CnCpDiscardedFrames ieee8021CnCpTransmittedCnms
	passed=$((points[0] - was[0])) discarded=$((points[1] - was[1]))
	arrived=$(got 2 $overloading | wc -l)
	# The buffer, and 10 ms for each of the 16 times that dcbd receives 64 of them.
	at_most "arrived" "$arrived" $((300 + 16 * 25))
	is "passed" $passed "$arrived"
	is "discarded" $discarded $((1000 - arrived))
	is "discarded in the component" $(($(now ieee8021CnGlobalDiscardedFrames.1) - total)) $discarded
	is "CNMs" $((points[2] - was[2])) "$(count_cnms 1)"
	is "flow of CNMs without CN-TAG" "$(cnms 1 | awk '{ print $4 }' | sort -u)" 0000+22e7
	printf '    %d of 1000 arrived, %d CNMs\n' "$arrived" "$(count_cnms 1)"
}

# Untagged frames have the CNPV by their port's default priority; their CNMs have the tag of the
# PVID, for the priority, and are padded.
test_cnms_for_untagged_frames() {
	mark
	put ieee8021CnCpMinHeaderOctets.$cp 0
	overload 3 290 -s $c
	at_least "CNMs" "$(count_cnms 3)" 10
	is "CNMs at h1" "$(count_cnms 1)" 0
	is "destination, tags, octets" "$(cnms 3 | cut -d' ' -f1,3-5 | sort -u)" "$c 1/6 0000+22e7 64"
	is "padding" "$(cnms 3 | cut -d' ' -f9 | cut -c93- | sort -u)" 000000000000000000000000000000000000
}

# ieee8021CnGlobalCnmTransmitPriority, which may be the CNPV itself.
test_priority_of_cnms() {
	local priority sent
	for priority in 2 3; do
		put ieee8021CnGlobalCnmTransmitPriority.1 $priority
		points ieee8021CnCpTransmittedCnms
		sent=${points[0]}
		mark
		overload 1 290 -s $a -v 100 -p 3
		at_least "CNMs" "$(count_cnms 1)" 10
		is "priority of the CNMs" "$(cnms 1 | awk '{ print $3 }' | sort -u)" 100/$priority
		points ieee8021CnCpTransmittedCnms
		is "CNMs counted" $((points[0] - sent)) "$(count_cnms 1)"
	done
	put ieee8021CnGlobalCnmTransmitPriority.1 6
}

# change NAME.INSTANCE VALUE...: sets the objects and waits until the dataplane has the
# configuration.
change() {
	put "$@"
	wait_for 2 "$* is in force" in_force
}
# probe HOST PRIORITY: puts into $probed how a CN-tagged frame of the host leaves the port to h2.
probe() {
	send "$1" -s "02:00:00:00:00:0$(tr 13 ac <<<"$1")" -d $b -v 100 -p "$2" -f 0x42
	wait_for 5 "a frame at h2" has 2 $stream || return
	probed=$(got 2 $stream | awk '{ print $3, $4 }')
}
leaves() { # WHAT HOST PRIORITY TAG TYPE
	probe "$2" "$3"
	is "$1" "$probed" "$4 $5"
}
component=ieee8021CnComPri port=ieee8021CnPortPri

test_modes_of_the_component() {
	local passed
	change ${component}AlternatePriority.1.3 5
	leaves "interior ready" 1 3 100/3 0042+88b5
	change ${component}AdminDefenseMode.1.3 2
	leaves "interior" 1 3 100/3 88b5
	leaves "interior, another priority" 1 4 100/4 0042+88b5
	points ieee8021CnCpTransmittedFrames
	passed=${points[0]}
	change ${component}AdminDefenseMode.1.3 4
	leaves "edge" 1 3 100/5 88b5
	change ${component}AlternatePriority.1.3 1
	leaves "edge, another alternate" 1 3 100/1 88b5
	change ${component}AdminDefenseMode.1.3 1
	leaves "disabled" 1 3 100/3 0042+88b5
	points ieee8021CnCpTransmittedFrames
	is "frames passed by the congestion point in other modes" "${points[0]}" "$passed"
	change ${component}DefModeChoice.1.3 2
	leaves "automatic" 1 3 100/2 88b5
	change ${component}DefModeChoice.1.3 1 ${component}AdminDefenseMode.1.3 3
	leaves "interior ready again" 1 3 100/3 0042+88b5
	points ieee8021CnCpTransmittedFrames
	is "frames passed by the congestion point" "${points[0]}" $((passed + 1))
}

# A port uses its own row if its choice says so.
test_modes_of_ports() {
	change ${port}DefModeChoice.1.3.$sw1 1 ${port}AdminDefenseMode.1.3.$sw1 4 ${port}AlternatePriority.1.3.$sw1 7
	leaves "from an edge" 1 3 100/7 88b5
	leaves "from the interior" 3 3 100/3 0042+88b5
	change ${port}DefModeChoice.1.3.$sw2 1 ${port}AdminDefenseMode.1.3.$sw2 2
	leaves "from an edge to the interior" 1 3 100/7 88b5
	leaves "from interior to interior" 3 3 100/3 88b5
	change ${port}DefModeChoice.1.3.$sw1 3
	leaves "as the component" 1 3 100/3 88b5
	change ${port}DefModeChoice.1.3.$sw2 3
	leaves "all as the component" 1 3 100/3 0042+88b5
}

# sw3's table maps 5 to 3: with a CNPV 3 no other priority may be mapped to it.
test_regeneration_table() {
	change ${component}AlternatePriority.1.3 1
	leaves "into a CNPV" 3 5 100/1 0042+88b5
	leaves "the CNPV" 3 3 100/3 0042+88b5
	leaves "another port's" 1 5 100/5 0042+88b5
	change ${component}AdminDefenseMode.1.3 1
	leaves "disabled" 3 5 100/3 0042+88b5
	change ${component}AdminDefenseMode.1.3 3
}

# Without congestion notification: no CNM, no CN-TAG removed, no priority changed except by the
# regeneration table.
test_master_enable_off() {
	local sent
	change ${component}AdminDefenseMode.1.3 4 ieee8021CnGlobalMasterEnable.1 2
	leaves "with it off" 1 3 100/3 0042+88b5
	leaves "by the table" 3 5 100/3 0042+88b5
	points ieee8021CnCpTransmittedCnms
	sent=${points[0]}
	mark
	while_stopped dcbd send 1 -s $a -d $b -v 100 -p 3 -n 200 -l 1000
	wait_for 10 "all of them at h2" has 2 $stream 200
	last 2 # follows any CNM to h1
	is "CNMs" "$(count_cnms 1)" 0
	points ieee8021CnCpTransmittedCnms
	is "CNMs counted" "${points[0]}" "$sent"
	change ieee8021CnGlobalMasterEnable.1 1
	leaves "with it on" 1 3 100/1 88b5
	change ${component}AdminDefenseMode.1.3 3
}

run_tests
