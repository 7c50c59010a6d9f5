#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# MACsec with static keys between two bridges. Programs list what arrives at both ends of the
# protected link: frames of b at ab, frames of a at ba.
#
#   +---+            +---+   MACsec   +---+            +----+
#   | h | ha === ah  | a | ab === ba  | b | bc === cb  | hc |
#   +---+            +---+            +---+            +----+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"

h=02:00:00:00:00:0a hc=02:00:00:00:00:0c
macsec=$src/tests/system/macsec.py
sci_a=02:00:00:00:aa:01 sci_b=02:00:00:00:bb:01

new_key() { # OCTETS: random hexadecimal digits, in $key
	local i digits
	key=
	for ((i = 0; i < $1; i++)); do
		printf -v digits %02x $((RANDOM % 256))
		key+=$digits
	done
}
new_key 16
key0=$key
new_key 16
key1=$key
both_keys="key 0 $key0"$'\n'"key 1 $key1"

# keys NODE IF OWN PEER MODE [KEYS]: writes the key file of a node; by default with both keys.
keys() {
	local channel=false
	[ "$5" != all ] || channel=true
	cat >$T/$1/keys <<-END
		port $2
		mode $5
		pfc_channel $channel
		sci $3/1
		peer_sci $4/1
		${6-$both_keys}
	END
	chmod 600 $T/$1/keys
}
key_files() { # MODE
	keys a ab $sci_a $sci_b "$1"
	keys b ba $sci_b $sci_a "$1"
}

# write_conf NODE: frames keep their priority from bridge to bridge. The ports are slow, so that pauses last for seconds; the headroom is for a machine
# that is busy for as long.
write_conf() {
	node_conf $1 bridge "$1*" 'bridge = { transit_delay = 0; frame_buffers = 300000; };' \
		'defaults = { rate = 20000000L; speed = 20000000L; pvid_tagged = true; pfc = { buffer = 10100000; headroom = 10000000; }; };' \
		"macsec = { key_file = \"$T/$1/keys\"; };"
}

for n in h a b hc; do node $n; done
cable h ha a ah
cable a ab b ba
cable b bc hc cb
key_files data
for n in a b; do
	write_conf $n
	start_node $n
done
for n in "b ba" "a ab" "h ha" "hc cb"; do
	# shellcheck disable=SC2086 # two words
	set -- $n
	more=(-x)
	[[ $2 != *[hc]* ]] || more=()
	start frames-$2 nsenter --net=/run/netns/$1 -- "$frames" list "$2" "${more[@]}"
	wait_for 5 "list of frames at $2" logged frames-$2 ready || die "cannot list frames"
done
up() { wait_for 10 "ports are up" eval 'ports_up a ah ab && ports_up b ba bc'; }
up
ab=$(if_of a ab) ba=$(if_of b ba) ah=$(if_of a ah) bc=$(if_of b bc)

restart_nodes() { # MODE: both, with PFC for priority 5
	stop dcbd-a
	stop dcbd-b
	key_files "$1"
	begin
	start_node a
	start_node b
	up
	set_at a dcbPfcPriorityEnable.$ah.5 1 dcbPfcPriorityEnable.$ab.5 1
	set_at b dcbPfcPriorityEnable.$ba.5 1 dcbPfcPriorityEnable.$bc.5 1
	for n in a b; do wait_for 5 "$n uses all settings" adopted $n; done
}

# begin: the checks of frames on the protected link are about those from here on.
declare -A lines_before
begin() {
	local i
	for i in ab ba; do lines_before[$i]=$(wc -l <"${log_of[frames-$i]}"); done
}
since() { tail -n +$((lines_before[$1] + 1)) "${log_of[frames-$1]}" | grep -v ready; } # IF
# types IF: the EtherTypes of the frames that have arrived there, each once.
types() { since "$1" | awk '{ print $4 }' | sort -u | xargs; }
# scs IF: SCI and AN of the protected frames, each pair once.
scs() { since "$1" | python3 "$macsec" sas; }

stream=0
inject() { # NODE IF [OPTION...]: sends frames of the new stream $stream
	stream=$((stream + 1))
	on "$1" "$frames" send "$2" -i $stream "${@:3}" || fail "cannot send frames"
}
at() { awk -v s=$stream '$6 == s { print $7 }' "${log_of[frames-$1]}"; } # IF: sequence numbers
arrived() { [ "$(at "$1" | sort -u | wc -l)" -ge "$2" ]; }                # IF COUNT
# Frames of crosses on the protected link, of 400 octets and what MACsec adds.
protected() { awk '$4 == "88e5" && $5 >= 400 && $5 < 500' "${log_of[frames-$1]}" | wc -l; } # IF
# crosses WHAT: 20 frames in each direction arrive once each, in order, and the lists of the
# protected link have them: a list can be late, and none of them is to count after the next begin.
crosses() {
	local at_ab at_ba
	at_ab=$(protected ab) at_ba=$(protected ba)
	inject h ha -s $h -d $hc -n 20 -l 400
	wait_for 10 "$1: frames of h arrive" arrived cb 20
	is "$1: frames at hc" "$(at cb | xargs)" "$(seq 0 19 | xargs)"
	inject hc cb -s $hc -d $h -n 20 -l 400
	wait_for 10 "$1: frames of hc arrive" arrived ha 20
	is "$1: frames at h" "$(at ha | xargs)" "$(seq 0 19 | xargs)"
	wait_for 10 "$1: list of frames at ab" eval "[ \$(protected ab) -ge $((at_ab + 20)) ]"
	wait_for 10 "$1: list of frames at ba" eval "[ \$(protected ba) -ge $((at_ba + 20)) ]"
}

test_key_file_is_checked_before_the_start() {
	local out
	out=$(on a "$build/dcbd" -t -c $T/a/dcbd.conf 2>&1) || fail "dcbd -t: $out"
	like "dcbd -t" "$out" 'MACsec of ab: mode data, GCM-AES-128, AN 0 transmits'
	cp $T/a/keys $T/a/saved
	chmod 640 $T/a/keys
	out=$(on a "$build/dcbd" -t -c $T/a/dcbd.conf 2>&1) && fail "dcbd -t accepts a file for others"
	like "file for others" "$out" "$T/a/keys: expected mode 0600, not 0640"
	keys a ab $sci_a $sci_b all
	sed -i 's/^pfc_channel true$//' $T/a/keys
	out=$(on a "$build/dcbd" -t -c $T/a/dcbd.conf 2>&1) && fail "dcbd -t accepts mode all without channel"
	like "mode all" "$out" "$T/a/keys:2: mode all: expected pfc_channel true"
	out=$(on a "$build/dcbd" -c $T/a/dcbd.conf 2>&1) && fail "dcbd starts without channel"
	like "start" "$out" 'macsec: .*expected pfc_channel true'
	mv $T/a/saved $T/a/keys
}

test_frames_are_protected_in_both_directions() {
	logged dcbd-a 'macsec: ab: AN 0 transmits, from packet number 1 on' || fail "no line about AN 0"
	begin
	crosses "mode data"
	is "frames of a" "$(types ba)" 88e5
	is "frames of b" "$(types ab)" 88e5
	is "SAs of a" "$(scs ba)" "02000000aa010001 0"
	is "SAs of b" "$(scs ab)" "02000000bb010001 0"
	# The user data ends with zeros.
	is "frames of a that can be read" "$(since ba | grep -c 0000000000000000000000000000000000000000)" 0
}

# hc pauses bc: b stops a, a stops h, and later every frame arrives.
check_pfc() { # MODE
	local n
	start pfcgen nsenter --net=/run/netns/hc -- "$build/dcb-pfcgen" -p 5 -q 65535 -i 100ms -t 3600s cb
	wait_for 5 "bc is paused" is_value b dcbPfcPriorityPaused.$bc.5 1
	begin
	inject h ha -s $h -d $hc -p 5 -n 150 -l 1000
	wait_for 10 "b pauses a" is_value a dcbPfcPriorityPaused.$ab.5 1
	is "frames to hc while it pauses" "$(at cb | wc -l)" 0
	stop pfcgen
	wait_for 20 "all frames" arrived cb 150
	is "frames at hc" "$(at cb | xargs)" "$(seq 0 149 | xargs)"
	is "discards of a and b" "$(discards a $ah $ab) $(discards b $ba $bc)" "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
	at_least "PFC frames that b sent" "$(value b dcbPfcPriorityRequests.$ba.5)" 1
	at_least "PFC frames that a obeyed" "$(value a dcbPfcPriorityIndications.$ab.5)" 1
	n=$(value a dcbPortTxErrors.$ab)
	is "frames that a could not send" "$n" 0
}
discards() { # NODE IFINDEX...
	local i
	for i in "${@:2}"; do
		value "$1" dcbPortDiscardQueue.$i dcbPortDiscardNoBuffer.$i dcbPortDiscardKernel.$i \
			dcbPfcPriorityDiscards.$i.5 dcbPfcPortDiscardTransit.$i
	done | xargs
}

test_pfc_is_unprotected_in_mode_data() {
	restart_nodes data
	crosses "both nodes again"
	check_pfc data
	is "frames of b" "$(types ab)" "8808"
	is "frames of a" "$(types ba)" "88e5"
}

# P802.1Qdt 36.4.1: each 256th frame is measured, and a delay counts when four in a row have it. The
# setting is for MACsec of a NIC; with the key file it changes nothing.
test_delay_of_the_secy_counts_in_the_headroom() {
	local delay i
	set_at a dcbPfcHeadroomMacsec.$ab 2
	for i in 1 2 3 4 5 6; do # 1800 frames, no more at once than ports take
		inject h ha -s $h -d $hc -n 300 -l 1000
		wait_for 10 "frames, part $i" arrived cb 300
	done
	wait_for 10 "a has measured" eval '[ "$(value a dcbSecyDelay.$ab)" -gt 0 ]'
	wait_for 5 "the headroom uses it" is_value a dcbPfcHeadroomTermSource.$ab.6 5
	delay=$(value a dcbSecyDelay.$ab)
	timed at_most "delay of the SecY of a, ns" "$delay" 20000
	at_least "delay in the headroom, bits" "$(value a dcbPfcHeadroomTermBits.$ab.6)" 1
	is "delay of the neighbor's SecY" "$(value a dcbPfcHeadroomTermSource.$ab.13)" 1
}

# PFC frames have the second SC, whose port is 1 and 4096.
test_pfc_is_protected_in_mode_all() {
	restart_nodes all
	crosses "mode all"
	check_pfc all
	is "frames of b" "$(types ab)" "88e5"
	is "SAs of b" "$(scs ab)" "02000000bb011001 0"
	# A PFC frame without protection has no effect.
	on b "$build/dcb-pfcgen" -p 5 -q 65535 -c 20 ba >/dev/null
	crosses "after unprotected PFC"
	is "pause of ab" "$(value a dcbPfcPriorityPaused.$ab.5)" 2
}

# After a crash too, no packet number is used again, and frames of both ends are accepted at once.
test_packet_numbers_go_on_after_restarts() {
	local signal
	begin
	for signal in TERM KILL TERM; do
		crosses "before SIG$signal"
		stop dcbd-a $signal
		start_node a
		up
		crosses "after SIG$signal"
	done
	since ba | python3 "$macsec" numbers >$T/numbers || fail "frames of a: $(<$T/numbers)"
	since ab | python3 "$macsec" numbers >$T/numbers || fail "frames of b: $(<$T/numbers)"
	for n in "$T"/a/state.pn-*; do is "mode of $n" "$(stat -c %a "$n")" 600; done
	is "files of packet numbers" "$(printf '%s\n' $T/a/state.pn-* | wc -l)" 2
}

test_damaged_numbers_are_not_guessed() {
	local file out
	stop dcbd-a
	for file in "$T"/a/state.pn-*; do cp "$file" "$T/a/saved-${file##*/}"; done
	file=$(grep -l 'lowest = [0-9]*[02-9]' $T/a/state.pn-* | head -n 1)
	sed -i 's/next = ./next = 0/' "$file"
	out=$(on a "$build/dcbd" -c $T/a/dcbd.conf 2>&1) && fail "dcbd starts with a damaged file"
	like "damaged file" "$out" "$file: damaged: .* set another key at both ends"
	for file in "$T"/a/state.pn-*; do cp "$T/a/saved-${file##*/}" "$file"; done
	start_node a
	up
}

# The one that runs goes on, with numbers of its own.
test_second_dcbd_does_not_start() {
	local out before
	before=$(grep -h next $T/a/state.pn-*)
	out=$(on a "$build/dcbd" -c $T/a/dcbd.conf 2>&1) && fail "a second dcbd starts"
	like "second dcbd" "$out" "macsec: $T/a/state.macsec-lock: another dcbd uses these packet numbers"
	is "packet numbers" "$(grep -h next $T/a/state.pn-*)" "$before"
	crosses "beside a second dcbd"
}

# Another system would move the frames of ab without protection.
test_reload_leaves_ports_with_keys() {
	cp $T/a/dcbd.conf $T/a/former-conf
	echo 'ports = ( { name = "ab"; provider = "observe"; } );' >>$T/a/dcbd.conf
	kill -HUP "${pid_of[dcbd-a]}"
	wait_for 10 "refusal" logged dcbd-a 'not read again, nothing is changed: port "ab": expected provider "soft"'
	mv $T/a/former-conf $T/a/dcbd.conf
	crosses "after a reload that is refused"
}

# The last packet numbers of AN 0, then the first ones of AN 1: no frame is lost.
test_key_that_is_used_up_is_followed_by_the_next() {
	local file
	stop dcbd-a
	file=$(python3 "$macsec" file "$key0" $T/a/state)
	[ -f "$file" ] || fail "no file $file"
	python3 "$macsec" set "$file" $((0xffffffff - 9))
	begin
	start_node a
	up
	crosses "rollover"
	is "SAs of a" "$(since ba | python3 "$macsec" sas | grep aa010001 | xargs)" "02000000aa010001 0 02000000aa010001 1"
	wait_for 5 "log" logged dcbd-a 'macsec: ab: the key of AN 0 has no packet numbers left: AN 1 transmits now'
	wait_for 5 "event" logged dcbd-a "event: dcbMacsecPnExhausted: .*dcbPfcHeadroomMacsec.$ab.*dataAndPfc"
	since ba | python3 "$macsec" numbers >$T/numbers || fail "frames of a: $(<$T/numbers)"
	# After a restart the key that is used up stays unused.
	stop dcbd-a
	start_node a
	up
	logged dcbd-a 'macsec: ab: the key of AN 0 has no packet numbers left: AN 1 transmits' ||
		fail "no line about AN 0"
	crosses "restart after rollover"
	since ba | python3 "$macsec" numbers >$T/numbers || fail "frames of a: $(<$T/numbers)"
	# b, for which no number of AN 0 is acceptable any more, starts too.
	stop dcbd-b
	start_node b
	up
	crosses "restart of the peer after rollover"
}

test_wrong_key_delivers_nothing() {
	local sent
	stop dcbd-a
	new_key 16
	keys a ab $sci_a $sci_b all "key 0 $key"
	start_node a
	up
	begin
	inject h ha -s $h -d $hc -n 20 -l 400
	sent=$stream
	wait_for 10 "protected frames at b" eval '[ "$(since ba | grep -c 020000 )" -ge 20 ]'
	key_files all
	stop dcbd-a
	start_node a
	up
	crosses "the right key again"
	stream=$sent
	is "frames with the wrong key at hc" "$(at cb | wc -l)" 0
}

# In the memory of dcbd keys are in locked pages only, and nowhere else.
test_keys_are_secret() {
	local n out k
	for n in a b; do
		out=$(python3 "$macsec" memory "${pid_of[dcbd-$n]}" "$key0" "$key1") || fail "dcbd of $n: $out"
		printf '    %s: %s\n' "$n" "$out"
		like "core files of $n" "$(grep 'core file' /proc/${pid_of[dcbd-$n]}/limits)" 'size +0 +0 '
		ctl $n show >$T/shown.$n 2>&1
	done
	for k in "$key0" "$key1"; do
		out=$(grep -rli "$k" $T --include='*' | grep -vE '/(keys|saved)$')
		is "files with the key" "$out" ""
	done
}

run_tests
