#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# MACsec without XPN whose packet numbers end: the next key follows, after the last key no frame is
# sent. A real snmptrapd gets one notification for each key, and none again after restarts. The
# files of packet numbers say how many are left, as after a long life of the keys.
#
#   +---+            +---+   MACsec   +---+
#   | h | ha === ah  | a | ab === ba  | b |
#   +---+            +---+            +---+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"

macsec=$src/tests/system/macsec.py
sci_a=02:00:00:00:aa:01 sci_b=02:00:00:00:bb:01
left=16 last=$((0xffffffff))
exhausted=dcbMacsecPnExhausted marked=dcbErroredPortCreated
true=1 false=2
in_use=1 not_in_use=2 used_up=3 # dcbSecySATxState

# keys DIGITS: key files with two keys, which end with these digits.
keys() {
	local n
	for n in "a ab $sci_a $sci_b" "b ba $sci_b $sci_a"; do
		# shellcheck disable=SC2086 # words
		set -- "$1" $n
		cat >$T/$2/keys <<-END
			port $3
			mode data
			sci $4/1
			peer_sci $5/1
			key 0 $(printf '0%031d' "$1")
			key 1 $(printf '1%031d' "$1")
		END
		chmod 600 $T/$2/keys
	done
}
up() { wait_for 10 "ports are up" eval 'ports_up a ah ab && ports_up b ba'; }
restart() { # NODE [SIGNAL]
	stop dcbd-$1 "${2-TERM}"
	start_node $1
	up
}

for n in h a b; do node $n; done
cable h ha a ah
cable a ab b ba
keys 1
for n in a b; do
	node_conf $n bridge "$n*" 'bridge = { transit_delay = 0; };' "macsec = { key_file = \"$T/$n/keys\"; };"
done
# The first start makes the files.
start_node a
stop dcbd-a
for n in 0 1; do
	file=$(python3 "$macsec" file "$(printf '%d%031d' $n 1)" $T/a/state)
	[ -f "$file" ] || die "no file $file"
	python3 "$macsec" set "$file" $((last - left + 1))
done
start_snmptrapd
for n in a b; do start_node $n; done
up
start_snmpd "${trap_sink[@]}"
start_agentx -c $T/a/control
start frames nsenter --net=/run/netns/b -- "$frames" list ba -x
wait_for 5 "list of frames" logged frames ready || die "cannot list frames"
ab=$(if_of a ab) ah=$(if_of a ah) ba=$(if_of b ba)
set_at a ieee8021CnComPriRowStatus.1.3 4 ieee8021CnComPriRowStatus.1.4 4

# Frames of a at ba: only those of inject have this length.
protected() { awk '$4 == "88e5" && $5 >= 400 && $5 < 500' "${log_of[frames]}"; }
arrived() { [ "$(protected | wc -l)" -ge "$1" ]; } # COUNT
inject() { on h "$frames" send ha -s 02:00:00:00:00:0a -d 02:00:00:00:00:0b -n "$1" -l 400 || fail "cannot send"; }
# numbers: "SCI AN: last packet number" of each SA.
numbers() { protected | python3 "$macsec" numbers | grep -oE "'[0-9a-f]+', [0-3]\): [0-9]+" | tr -d "',)"; }
of() { value a $1.$ab"${2+.$2}"; } # OBJECT [INDEX]
# accepted AN: frames of this key that b has accepted; of_key AN: those that have arrived there.
accepted() { value b dcbSecySARxOKPkts.$ba.1.$1; }
of_key() { protected | awk -v tci=2$(printf %x $((12 + $1))) 'substr($NF, 29, 2) == tci { n++ } END { print n + 0 }'; }
states() { value a dcbSecySATxState.$ab.1.0 dcbSecySATxState.$ab.1.1 | xargs; }
refused() { [ "$(of dcbSecyTxNoSAPkts)" -ge "$1" ]; } # COUNT: frames without a key
# exactly COUNT: another notification, which is raised after them, has arrived: so have all before.
exactly() {
	local before
	before=$(count_traps $marked)
	wait_for 10 "all objects are served" served
	set_at a ieee8021CnPortPriAlternatePriority.1.3.$ah 4
	wait_for 10 "a later notification" has_traps $((before + 1)) $marked
	set_at a ieee8021CnPortPriAlternatePriority.1.3.$ah 0
	is "notifications of keys that are used up" "$(count_traps $exhausted)" "$1"
}

test_next_key_follows_the_last_packet_number() {
	is "states of the keys" "$(states)" "$in_use $not_in_use"
	inject $((left + 4))
	wait_for 10 "all frames arrive" arrived $((left + 4))
	like "last packet numbers" "$(numbers | xargs)" "^02000000aa010001 0: $last 02000000aa010001 1: [0-9]+$"
	wait_for 10 "a notification" has_traps 1 $exhausted
	like "objects" "$(traps $exhausted)" "\.${O[dcbPfcHeadroomMacsec]//./\\.}\.$ab = INTEGER: 2.*\.${O[dcbPortTxErrors]//./\\.}\.$ab = Counter64: 0"
	logged dcbd-a 'macsec: ab: the key of AN 0 has no packet numbers left: AN 1 transmits now' || fail "not in the log"
	exactly 1
	is "states of the keys" "$(states)" "$used_up $in_use"
	is "frames that b accepts, by key" "$(accepted 0) $(accepted 1)" "$(of_key 0) $(of_key 1)"
	is "frames with both keys" "$(($(of_key 0) + $(of_key 1)))" $((left + 4))
	at_least "frames that a has encrypted with AN 1" "$(of dcbSecySATxEncryptedPkts 1.1)" "$(of_key 1)"
	is "states of the keys of a at b" "$(value b dcbSecySARxState.$ba.1.0 dcbSecySARxState.$ba.1.1 | xargs)" "2 1"
	is "operational" "$(of dcbSecyOperational)" $true
}

test_no_frame_is_sent_after_the_last_key() {
	local sent
	inject $((left + 20))
	wait_for 10 "the last packet number arrives" eval '[[ $(numbers | xargs) == *" 1: $last" ]]'
	wait_for 10 "a notification" has_traps 2 $exhausted
	logged dcbd-a 'error: macsec: ab: the key of AN 1 has no packet numbers left, and no other key has' || fail "not in the log"
	exactly 2
	is "states of the keys" "$(states)" "$used_up $used_up"
	is "operational" "$(of dcbSecyOperational)" $false
	sent=$(protected | wc -l)
	at_most "frames" "$sent" $((2 * left))
	is "frames that b accepts" "$(value b dcbSecyRxSCOKPkts.$ba.1)" "$sent"
	inject 10
	wait_for 10 "they are refused" refused $((2 * left + 4 + 20 + 10 - sent))
	exactly 2
	is "frames after the last one" "$(protected | wc -l)" "$sent"
	is "EtherTypes of a" "$(awk '$1 ~ /^[0-9]/ && $4 { print $4 }' "${log_of[frames]}" | sort -u | xargs)" 88e5
}

test_restart_gives_no_number_back() {
	local signal sent
	sent=$(protected | wc -l)
	for signal in TERM KILL; do
		restart a $signal
		logged dcbd-a 'error: macsec: ab: no key has packet numbers left, and no frame is sent' || fail "not in the log"
		inject 5
		wait_for 10 "frames are refused" refused 5
		is "states of the keys" "$(states)" "$used_up $used_up"
		is "operational" "$(of dcbSecyOperational)" $false
		exactly 2
		is "frames after SIG$signal" "$(protected | wc -l)" "$sent"
	done
}

test_new_keys_end_it() {
	local sent
	sent=$(protected | wc -l)
	keys 2
	restart b
	restart a
	inject 5
	wait_for 10 "frames with the new key" arrived $((sent + 5))
	is "states of the keys" "$(states)" "$in_use $not_in_use"
	is "operational" "$(of dcbSecyOperational)" $true
	exactly 2
}

run_tests
