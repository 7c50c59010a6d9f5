#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbd --read --write: the bridge with captures as ports, in virtual time, without any privilege.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
cd $T || exit 1

# Runs dcbd without capabilities, even if root starts it.
offline() { setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$build/dcbd" "$@"; }

cat >conf <<'END'
ports = ( { name = "1"; default_priority = 3; },
	{ name = "3"; rate = 10000000L; buffer = 60000; } );
initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
	{ object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; },
	{ object = "ieee8021CnCpMinSampleBase"; port = "3"; index = "1.*.3"; value = "10000"; } );
END

# random_frames SEED: an hour of traffic at one port: 3000 frames at random times with random tags,
# most of them to unknown addresses.
random_frames() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (i = 0; i < 3000; i++) {
			us += int(rand() < 0.8 ? rand() * 300 : rand() * 12000000)
			tag = rand() < 0.5 ? "untagged" : int(rand() * 3) * 10 "/" int(rand() * 8)
			printf "02:00:00:00:01:%02x 02:00:00:00:01:%02x %s 88b5 %d %d %d %.0f\n", rand() * 60,
				rand() * 20, tag, 64 + rand() * 1400, seed, i, 1700000000000000 + us
		}
		# A last burst that overloads the slow port.
		for (i = 0; i < 100; i++)
			printf "ff:ff:ff:ff:ff:ff 02:00:00:00:01:ff 1/3 88b5 1400 %d %d %.0f\n", seed, 3000 + i, 1700000000000000 + us
	}'
}
random_frames "$seed" | "$frames" write one.pcap
random_frames $((seed + 1)) | "$frames" write two.pcap

# run NAME SEED: forwards both captures between three ports.
run() {
	mkdir -p "$1"
	offline -c conf --read 1=one.pcap --read 2=two.pcap --write 1="$1/1.pcap" --write 2="$1/2.pcap" \
		--write 3="$1/3.pcap" --seed "$2" >"$1/report" 2>"$1/log" || fail "status $?: $(cat "$1/log")"
}

# cnms FILE...: the CNMs of these captures; no_cnms FILE: all other frames.
cnms() { for file; do "$frames" pcap "$file"; done | grep '+22e7 '; }
no_cnms() { "$frames" pcap "$1" | grep -v '+22e7 '; }

test_same_seed_gives_same_octets() {
	local start file
	clock
	start=$now
	run first 7
	run second 7
	clock
	timed at_most "milliseconds for twice an hour of virtual time" $((now - start)) 1000
	for file in 1.pcap 2.pcap 3.pcap report; do
		cmp first/$file second/$file || fail "$file differs"
	done
	run third 8
	for file in 1 2 3; do
		# The seed changes only when congestion points sample, and so the CNMs.
		no_cnms first/$file.pcap >$file.first
		no_cnms third/$file.pcap >$file.third
		same "port $file with another seed" $file.first $file.third
	done
	at_least "CNMs" "$(cnms first/1.pcap first/2.pcap | wc -l)" 2
	is "CNMs that leave the slow port" "$(cnms first/3.pcap | wc -l)" 0
}

test_report_agrees_with_captures() {
	local port sent
	for port in 1 2 3; do
		sent=$("$frames" pcap first/$port.pcap | wc -l)
		like "report of port $port" "$(cat first/report)" "port $port: [0-9]+ frames [0-9]+ octets in, $sent frames"
		at_least "frames of port $port" "$sent" 1000
	done
	like "the slow port" "$(cat first/report)" 'port 3 priority 3: congestion point: [0-9]+ frames passed, [1-9][0-9]* discarded'
}

test_tshark_reads_captures() {
	local n
	command -v tshark >/dev/null || { skip "tshark is not installed" && return; }
	n=$("$frames" pcap first/1.pcap | wc -l)
	tshark -r first/1.pcap -T fields -e frame.protocols >protocols 2>/dev/null
	is "frames tshark sees" "$(wc -l <protocols)" "$n"
	is "malformed frames" "$(grep -c malformed protocols)" 0
}

# line DA SA TAG SEQUENCE MICROSECONDS
line() { printf '02:00:00:00:00:%s 02:00:00:00:00:%s %s 88b5 1500 9 %d %d\n' "$1" "$2" "$3" "$4" "$5"; }
sequence_of() { "$frames" pcap "$1" | awk '{ print $7 }' | paste -sd' '; }

test_captures_merge_in_order_of_time() {
	{
		line 02 01 untagged 1 1000
		line 02 01 untagged 3 3000
	} | "$frames" write a.pcap
	{
		line 01 02 untagged 2 2000
		line 01 02 untagged 4 400000000 # six minutes later, after the ageing time
	} | "$frames" write b.pcap
	offline --read 1=a.pcap --read 2=b.pcap --write 1=oa.pcap --write 2=ob.pcap --write 3=oc.pcap >report 2>&1 ||
		fail "$(cat report)"
	is "port 1" "$(sequence_of oa.pcap)" "2 4"
	is "port 2" "$(sequence_of ob.pcap)" "1 3"
	is "port 3" "$(sequence_of oc.pcap)" "1 4"
}

# 8.8.3: the filtering database removes an address after the ageing time without frames, and not
# before; it counts whole seconds.
test_ageing_in_virtual_time() {
	echo 'bridge = { ageing = 10; };' >ageing.conf
	{
		line 01 02 untagged 0 1000000
		line 01 02 untagged 3 30000000
	} | "$frames" write b.pcap
	{
		line 02 01 untagged 1 10900000
		line 02 01 untagged 2 11000000
		line 02 01 untagged 4 39900000
		line 02 01 untagged 5 40000000
	} | "$frames" write a.pcap
	offline -c ageing.conf --read 1=a.pcap --read 2=b.pcap --write 3=o.pcap >report 2>&1 || fail "$(cat report)"
	is "flooded frames" "$(sequence_of o.pcap)" "0 2 3 5"
}

# 30 frames at once leave a port of 10 Mb/s one after the other, with preamble, FCS and gap.
test_frames_leave_at_the_rate() {
	local i gaps
	for ((i = 0; i < 30; i++)); do line ff 01 untagged $i 5000; done | "$frames" write a.pcap
	offline -c conf --read 1=a.pcap --write 3=o.pcap >report 2>&1 || fail "$(cat report)"
	gaps=$("$frames" pcap o.pcap | awk 'NR > 1 { print $8 - last } { last = $8 }' | sort -n | uniq -c | awk '{ print $2 }' | paste -sd' ')
	is "frames" "$("$frames" pcap o.pcap | wc -l)" 30
	like "microseconds between two of 1500 octets" "$gaps" '^1222 1223$'
	printf '    %s us between two frames of 1500 octets at 10 Mb/s\n' "$gaps"
}

# Untagged packets with DSCP 26 get priority 3, leave with it and with another DSCP, and those that
# meet a queue are marked; packets that are not ECT are not, and tags count after DSCPs.
test_dscp_and_ecn() {
	local out=$T/ip3.pcap
	command -v tshark >/dev/null || { skip "tshark is not installed" && return; }
	cat >ip.conf <<'END'
ports = ( { name = "3"; rate = 10000000L; pvid_tagged = true; } );
initial = ( { object = "dcbPortTrust"; index = "*"; port = "1"; value = "dscpPcp"; },
	{ object = "lldpXdot1dcbxAdminApplicationPriorityAEPriority"; index = "*.5.26"; port = "1"; value = "3"; },
	{ object = "dcbRewriteDscp"; index = "*.3"; port = "3"; value = "34"; },
	{ object = "dcbEcnEnable"; index = "*.3"; port = "3"; value = "true"; },
	{ object = "dcbEcnMinimum"; index = "*.3"; port = "3"; value = "5000"; },
	{ object = "dcbEcnMaximum"; index = "*.3"; port = "3"; value = "5000"; } );
END
	# 20 ECT packets at once, then 20 that are not ECT; DSCP 26, tags of priority 5 at every second one.
	python3 - >ip.pcap <<'END'
import struct, sys
out = sys.stdout.buffer
out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
for i in range(40):
    ecn = 2 if i < 20 else 0
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 26 << 2 | ecn, 986, i, 0, 64, 17, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    total = sum(struct.unpack(">10H", head))
    head = head[:10] + struct.pack(">H", ~(total % 0xffff) & 0xffff) + head[12:]
    tag = struct.pack(">HH", 0x8100, 5 << 13) if i % 2 else b""
    frame = bytes.fromhex("020000000002") + bytes.fromhex("020000000001") + tag + b"\x08\x00" + head + bytes(966)
    out.write(struct.pack("<IIII", 1700000000 + i // 20, 0, len(frame), len(frame)) + frame)
END
	offline -c ip.conf --read 1=ip.pcap --write 3="$out" >ip.report || fail "dcbd: status $?"
	fields() { tshark -r "$out" -o ip.check_checksum:TRUE -Y "$1" -T fields -e frame.number 2>/dev/null | wc -l; }
	is "packets" "$(fields ip)" 40
	is "packets of priority 3 with the new DSCP" "$(fields 'vlan.priority == 3 && ip.dsfield.dscp == 34')" 40
	is "good checksums" "$(fields 'ip.checksum.status == 1')" 40
	# 5000 octets are five packets: the sixth one that waits meets them.
	is "packets that were marked" "$(fields 'ip.dsfield.ecn == 3')" 14
	is "ECT packets that were not" "$(fields 'ip.dsfield.ecn == 2')" 6
	is "packets that are not ECT" "$(fields 'ip.dsfield.ecn == 0')" 20
}

test_bad_input_is_refused() {
	local status
	offline --read 1=nowhere.pcap --write 2=o.pcap >out 2>&1
	is "status without the file" $? 1
	like "error message" "$(cat out)" 'nowhere\.pcap.*No such file'
	echo "this is no capture, whatever its name says" >bad.pcap
	offline --read 1=bad.pcap --write 2=o.pcap >out 2>&1
	is "status with a file that is not a capture" $? 1
	like "error message" "$(cat out)" 'bad\.pcap'
	head -c 5000 one.pcap >cut.pcap
	offline --read 1=cut.pcap --write 2=o.pcap >out 2>&1
	status=$?
	is "status with a truncated capture" $status 1
	like "error message" "$(cat out)" 'cut\.pcap|truncated'
	head -c 24 one.pcap >part.pcap
	printf '\0\0\0\0\0\0\0\0\74\0\0\0\350\3\0\0' >>part.pcap # 60 of 1000 octets
	head -c 60 /dev/zero >>part.pcap
	offline --read 1=part.pcap --write 2=o.pcap >out 2>err
	is "status with a frame captured in part" $? 0
	like "warning" "$(cat err)" 'part.pcap: 1 frames were captured only in part'
	like "not counted" "$(cat out)" 'port 1: 0 frames .* oversize 0'
	offline --read 1=one.pcap --write 2=/nowhere/o.pcap >out 2>&1
	is "status without the output directory" $? 1
	offline --read 1=one.pcap --read 1=two.pcap --write 2=o.pcap >out 2>&1
	is "status with two captures for one port" $? 2
	like "error message" "$(cat out)" 'already has a read file'
	offline --read =one.pcap >out 2>&1
	is "status without a port" $? 2
	offline -c /nowhere --read one.pcap --write o.pcap >out 2>&1
	is "status without the configuration" $? 2
}

# dcbd -t accepts the example configuration. For a broken one it prints the line and the expected
# value.
test_dash_t_checks_configuration() {
	local out
	# Its group is one that only an installation has, as is the default user. The program has no
	# capability here, so it could not change to it.
	sed "s/group = \"dcbd\"/group = \"$(id -gn)\"/" "$src/contrib/dcbd.conf" >example.conf
	out=$(offline -t -c example.conf 2>&1) || fail "contrib/dcbd.conf: $out"
	printf 'role = "bridge";\n\nports = ( { name = "a"; rate = "fast"; } );\n' >bad.conf
	out=$(offline -t -c bad.conf 2>&1)
	is "status" $? 2
	like "error message" "$out" 'bad\.conf:3: .*rate.*expected'
	offline -c bad.conf --read one.pcap --write o.pcap >out 2>&1
	is "status of a run with a broken configuration" $? 2
}

run_tests
