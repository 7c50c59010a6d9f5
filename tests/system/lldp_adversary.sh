#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Neighbors that send malformed, contradicting, repeated and rapidly changing TLVs, and managers
# that change settings rapidly. No program ends, the rate of our LLDPDUs stays limited, and
# afterwards dcbd has the right values in force.
#
#   h (raw LLDPDUs)  ha ==== ah +---+        +---+
#                               | a | ab==ba | b |
#                               +---+        +---+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

# quiet SECONDS: the maximum of LLDPDUs sent in this time: one each interval, one a second for
# changes, one a second for new neighbors, and what lldpd's transmission credit adds.
quiet() { echo $((10 + 3 * $1)); }
# at_worst SECONDS: the same on a busy machine: a change has up to four TLVs, and lldpd may send an
# LLDPDU after each of them.
at_worst() { echo $((4 * (6 + $1) + 2 * ($1 + 2))); }
soon=2 # s until the right values are in force again
ttl=30 # s: neighbors do not expire during a test
memory=8192 # KiB by which a daemon may grow; AddressSanitizer keeps freed memory
[ $slow -eq 1 ] && dcbd_memory=$memory || dcbd_memory=600000
# s until both ends agree after rapid changes: there is no transmission credit left, so each end
# sends one LLDPDU a second, and each reacts to the other up to twice.
settling=4

for n in h a b; do node $n; done
cable h ha a ah
cable a ab b ba
for n in a b; do
	start_lldpd $n
	node_conf $n bridge "$n*" "initial = ( $(cn_conf 3) );"
	start_node $n
done
ah=$(if_of a ah)
listen_on a ah
# The port under test: in the domain, willing, with PFC, ETS and application priorities.
set_at a lldpXdot1dcbxConfigPFCTxEnable.$ah.1 true lldpXdot1dcbxAdminPFCWilling.$ah true \
	lldpXdot1dcbxAdminPFCEnableEnabled.$ah.1 true
set_at a lldpXdot1dcbxConfigETSConfigurationTxEnable.$ah.1 true lldpXdot1dcbxAdminETSConWilling.$ah true \
	lldpXdot1dcbxConfigApplicationPriorityTxEnable.$ah.1 true

ets=00112233460a1400000000000202020000000000 # classes, shares, algorithms
good_ets=9:00$ets
good_reco=10:00$ets
good=(8:0808 $good_ets $good_reco 11:0830 12:00820cbc 23:0000000000010000)
send_good() { speak h ha -t $ttl -g 500000 "${good[@]}"; }

pfc_of() {
	value a lldpXdot1dcbxLocPFCEnableEnabled.$ah.{0..7} |
		awk '{ if ($1 == 1) m += 2 ^ (NR - 1) } END { printf "%02x\n", m }'
}
neighbor_values() { # in the domain, and the neighbor's PFC and ETS in force
	is_mode a ah $READY && [ "$(pfc_of)" = 30 ] && [ "$(value a dcbDcbxPortEtsReason.$ah)" = 7 ]
}
own_values() { # not in the domain, and our own PFC and ETS in force
	is_mode a ah $EDGE && [ "$(pfc_of)" = 02 ] && [ "$(value a dcbDcbxPortEtsReason.$ah)" != 7 ]
}
recovers() { # WHAT
	send_good
	wait_for $soon "$1: right values in force again" neighbor_values || fail "$(mode a ah) $(pfc_of)"
	printf '    %s: right values in force again after %d ms\n' "$1" $waited
}

memory_of() { awk '/^RssAnon/ { print $2 }' "/proc/$1/status"; }
# before records the processes, their memory and the number of LLDPDUs sent; after checks them.
before() {
	time_us
	since=$us
	dcbd_kib=$(memory_of "${pid_of[dcbd-a]}") lldpd_kib=$(memory_of $(lldpd_worker a))
	dcbd_pid=${pid_of[dcbd-a]} lldpd_pid=$(lldpd_worker a)
}
after() { # WHAT
	local n seconds
	time_us
	seconds=$(((us - since) / 1000000 + 1))
	n=$(count_said ah out $since)
	printf '    %s: %d LLDPDUs out in %d s\n' "$1" $n $seconds
	timed at_most "$1: LLDPDUs out" $n $(quiet $seconds)
	at_most "$1: LLDPDUs out" $n $(at_worst $seconds)
	running dcbd-a || die "dcbd has ended"
	running lldpd-a || die "lldpd has ended"
	is "$1: process of lldpd's worker" "$(lldpd_worker a)" "$lldpd_pid"
	dcbd_kib=$(($(memory_of $dcbd_pid) - dcbd_kib)) lldpd_kib=$(($(memory_of $lldpd_pid) - lldpd_kib))
	printf '    %s: dcbd has grown by %d KiB, lldpd by %d\n' "$1" $dcbd_kib $lldpd_kib
	at_most "$1: KiB growth of dcbd" $dcbd_kib $dcbd_memory
	at_most "$1: KiB growth of lldpd" $lldpd_kib $memory
}

malformed() { value a dcbDcbxPortMalformed$1.$ah; }

# send_malformed KIND TLV...: sends the good TLVs with these in the place of one of them. dcbd
# counts them as malformed and treats them as missing.
send_malformed() {
	local kind=$1 was tlvs=() t sub=${2%%:*}
	shift
	was=$(malformed $kind)
	for t in "${good[@]}"; do [ "${t%%:*}" = "$sub" ] || tlvs+=("$t"); done
	speak h ha -t $ttl -g 500000 "${tlvs[@]}" "$@"
	wait_for 2 "$*: counted as malformed" eval '[ "$(malformed '$kind')" -gt '$was' ]'
	case $kind in
	Cn) wait_for 2 "$*: mode edge" is_mode a ah $EDGE ;;
	Pfc) wait_for 2 "$*: our own PFC" eval '[ "$(pfc_of)" = 02 ]' ;;
	Reco) wait_for 2 "$*: our own ETS" eval '[ "$(value a dcbDcbxPortEtsReason.$ah)" = 4 ]' ;;
	esac
}

test_malformed_tlvs_count_as_missing() {
	send_good
	wait_for 5 "neighbor's values in force" neighbor_values || die "$(mode a ah) $(pfc_of) $(value a dcbDcbxPortEtsReason.$ah)"
	before
	send_malformed Cn 8:
	send_malformed Cn 8:08
	send_malformed Cn 8:0808 8:0808 # a TLV that may occur only once
	send_malformed Pfc 11:
	send_malformed Pfc 11:08
	send_malformed Pfc 11:0830 11:0840
	send_malformed Reco 10:
	send_malformed Reco ${good_reco%00}
	send_malformed Reco $good_reco $good_reco
	send_malformed Ets 9:
	send_malformed Ets ${good_ets%00}
	send_malformed App 12:
	send_malformed App 12:0082
	send_malformed App 12:00820cbc00
	send_malformed App 12:00820cbc 12:00820cbc
	send_malformed AppVlan 16:3e
	send_malformed AppVlan 16:3ea189060a
	send_malformed AppVlan 16:3ea18906 16:3ea18906
	send_malformed Delay 23:
	send_malformed Delay 23:00
	recovers "malformed TLVs"
	after "malformed TLVs"
}

# 802.1AB: octets after the fields of a TLV, as a later version may have, are ignored.
test_longer_tlvs_are_as_good() {
	local kind was='' is='' long
	before
	printf -v long '%0200d' 0
	for kind in Cn Ets Reco Pfc Delay; do was+=" $(malformed $kind)"; done
	speak h ha -t $ttl -g 500000 8:0000
	wait_for $soon "the neighbor's values are gone" is_mode a ah $EDGE
	speak h ha -t $ttl -g 500000 8:0808$long ${good_ets}00 ${good_reco}ff$long 11:083000ffff 23:000000000001000000
	wait_for $soon "the neighbor's values in force" neighbor_values || fail "$(mode a ah) $(pfc_of)"
	for kind in Cn Ets Reco Pfc Delay; do is+=" $(malformed $kind)"; done
	is "malformed TLVs" "$is" "$was"
	recovers "longer TLVs"
	after "longer TLVs"
}

# Recommendations that no port can follow; TLVs that contradict each other.
test_contradicting_tlvs_are_not_followed() {
	local reco
	before
	# Shares with a sum of 90 percent, of 110; a share of a class without ETS; the credit-based
	# shaper, a vendor's algorithm, an unknown algorithm.
	for reco in 001122333c0a1400000000000202020000000000 001122335a0a0a00000000000202020000000000 \
		00112233460a1400000000000200020000000000 00112233460a1400000000000201020000000000 \
		0011223346001e000000000002ff020000000000 0011223346001e000000000002030200000000aa; do
		send_good
		wait_for 5 "neighbor's values in force" neighbor_values
		speak h ha -t $ttl -g 500000 8:0808 $good_ets 10:00$reco 11:0830
		wait_for 2 "$reco: our own ETS" eval '[[ "$(value a dcbDcbxPortEtsReason.'$ah')" =~ [49] ]]'
		is "$reco: ETS in force" "$(value a dcbDcbxPortEtsInForce.$ah)" 2
		wait_for 2 "$reco: mismatch" eval '[[ "$(value a dcbDcbxPortMismatch.'$ah')" =~ ets|malformed ]]'
	done
	# A ready indicator without a CNPV; PFC for more priorities than the neighbor's PFC
	# capability.
	speak h ha -t $ttl -g 500000 8:0008 11:01ff
	wait_for 2 "mode edge with ready indicator alone" is_mode a ah $EDGE
	recovers "contradictions"
	after "contradictions"
}

# dcbd ignores TLVs of other organizations. lldpd discards broken LLDPDUs.
test_foreign_tlvs_and_broken_lldpdus_are_ignored() {
	local cut unknown
	mapfile -t unknown < <(printf '001234/%d:0011223344\n' {100..160})
	before
	speak h ha -t $ttl -g 500000 0012bb/8:0808 0080c3/8:0808 00120f/11:0830
	wait_for 4 "our own values with TLVs of another OUI" own_values
	# More TLVs of other organizations than lldpd keeps, before ours; unknown 802.1 TLVs after
	# them.
	speak h ha -t $ttl -g 500000 "${unknown[@]}" "${good[@]}" $(printf ' %d:0011223344' {100..160})
	wait_for 2 "neighbor's values in force with unknown TLVs" neighbor_values || fail "$(mode a ah) $(pfc_of)"
	# TLVs that end after the LLDPDU's end, or are shorter than an OUI.
	for cut in =fe060080c2 =fe01 =fe0300 =ffff0080c208 =fe =01; do
		on h "$peer" send ha -n 50 -g 1000 8:0000 "$cut"
	done
	recovers "broken LLDPDUs"
	after "foreign TLVs and broken LLDPDUs"
}

test_own_values_with_many_neighbors() {
	before
	stop_peer ha
	speak h ha -t $ttl -g 10000 -N 40 "${good[@]}"
	wait_for 5 "our own values with 40 neighbors" own_values || fail "$(mode a ah) $(pfc_of)"
	wait_for 5 "at least 30 neighbors" eval '[ "$(value a dcbDcbxPortNeighbors.'$ah')" -ge 30 ]'
	at_most "neighbors" "$(value a dcbDcbxPortNeighbors.$ah)" 32
	stop_peer ha
	on h "$peer" send ha -t 0 -g 1000 -n 40 -N 40 # shutdown LLDPDUs
	wait_for 6 "no neighbors" eval '[ "$(value a dcbDcbxPortNeighbors.'$ah')" = 0 ]'
	recovers "40 neighbors"
	after "40 neighbors"
}

heard_more() { [ "$(count_said ah in)" -ge $(($1 + $2)) ]; } # COUNT THAN
test_flood_of_lldpdus() {
	local said
	before
	# The same LLDPDU a thousand times a second, then another one each time.
	said=$(count_said ah in)
	speak h ha -t $ttl -g 1000 "${good[@]}"
	wait_for 5 "a thousand LLDPDUs" heard_more 1000 $said
	neighbor_values || fail "neighbor's values not in force during the flood: $(mode a ah) $(pfc_of)"
	said=$(count_said ah in)
	speak h ha -t $ttl -g 1000 8:0808 11:0830 / 8:0800 11:0810 / 11:0820 / 8:1010 11:0840 / 8:0000 12:00820cbc / \
		8:0808 8:0808 / 11:88ff / "${good[@]}"
	wait_for 5 "a thousand LLDPDUs" heard_more 1000 $said
	recovers "a flood"
	after "a flood"
}

test_flapping_cnpv_indicators() {
	local changes
	before
	changes=$(value a dcbCnPortModeChanges.1.3.$ah)
	speak h ha -t $ttl -g 10000 8:0808 11:0830 / 8:0000 11:0810
	wait_for 10 "100 changes of the mode" eval \
		'[ "$(value a dcbCnPortModeChanges.1.3.'$ah')" -ge $(('$changes' + 100)) ]'
	recovers "flapping indicators"
	after "flapping indicators"
}

# dcbd is stopped while lldpd has notifications for it; lldpd is stopped while its client waits for
# it.
test_stopped_dcbd_and_lldpd() {
	before
	kill -STOP "${pid_of[dcbd-a]}"
	on h "$peer" send ha -n 500 -g 1000 8:0808 / 8:0000
	kill -CONT "${pid_of[dcbd-a]}"
	recovers "dcbd was stopped"
	kill -STOP $(lldpd_worker a)
	like "dcbd answers while lldpd is stopped" "$(value a dcbLldpState.0)" '^[23]$'
	set_at a lldpXdot1dcbxAdminPFCEnableEnabled.$ah.1 false
	set_at a lldpXdot1dcbxAdminPFCEnableEnabled.$ah.1 true
	pause 0.3 # the client waits for an answer of lldpd
	kill -CONT $(lldpd_worker a)
	recovers "lldpd was stopped"
	after "stopped programs"
}

# --- managers ----------------------------------------------------------------------------------

# storm NODE IFINDEX SEED: sends random SETs at full speed, in the background.
sets=$((6000 / slow))
storm() {
	"$probe" storm $T/$1/control $sets $3 \
		ieee8021CnPortPriLldpInstanceChoice.1.3.$2=cnlNone,cnlComponent \
		lldpXdot1CnConfigCnTxEnable.$2.1=true,false \
		lldpXdot1dcbxConfigPFCTxEnable.$2.1=true,false \
		lldpXdot1dcbxAdminPFCWilling.$2=true,false \
		lldpXdot1dcbxAdminPFCEnableEnabled.$2.4=true,false \
		lldpXdot1dcbxAdminPFCEnableEnabled.$2.5=true,false \
		ieee8021CnPortPriDefModeChoice.1.3.$2=cpcAdmin,cpcAuto,cpcComp \
		ieee8021CnComPriRowStatus.1.5=createAndGo,destroy \
		>$T/storm.$1 2>&1 &
}
# set_known NODE IFINDEX WILLING PFC-OF-4: sets the objects that storm has changed to known values.
set_known() {
	set_at $1 ieee8021CnPortPriLldpInstanceChoice.1.3.$2 cnlComponent ieee8021CnPortPriDefModeChoice.1.3.$2 cpcComp \
		lldpXdot1CnConfigCnTxEnable.$2.1 true lldpXdot1dcbxConfigPFCTxEnable.$2.1 true \
		lldpXdot1dcbxAdminPFCWilling.$2 $3 lldpXdot1dcbxAdminPFCEnableEnabled.$2.4 $4 \
		lldpXdot1dcbxAdminPFCEnableEnabled.$2.5 true
}
pfc45() { value $1 lldpXdot1dcbxLocPFCEnableEnabled.$2.{4,5} | paste -sd ' '; }
ends_agree() {
	ready a ab b ba && [ "$(pfc45 a $ab) $(pfc45 b $ba)" = "1 1 1 1" ]
}

test_rapid_changes_at_both_ends() {
	local storms=()
	ab=$(if_of a ab) ba=$(if_of b ba)
	listen_on a ab
	before
	storm a $ab $seed
	storms+=($!)
	storm b $ba $((seed + 1))
	storms+=($!)
	wait "${storms[@]}"
	printf '    accepted and refused: %s, %s\n' "$(<$T/storm.a)" "$(<$T/storm.b)"
	for n in a b; do is "SETs of $n" $(($(tr ' ' + <$T/storm.$n))) $sets; done
	at_least "SETs accepted" "$(cut -d' ' -f1 $T/storm.a)" $((sets / 2))
	set_known a $ab true false
	set_known b $ba false true
	wait_for $settling "both ends agree" ends_agree || fail "$(mode a ab) $(mode b ba) $(pfc45 a $ab) $(pfc45 b $ba)"
	printf '    both ends agree after %d ms\n' $waited
	time_us
	for n in out in; do
		at_most "LLDPDUs $n during the changes" "$(count_said ab $n $since)" "$(at_worst $(((us - since) / 1000000 + 1)))"
	done
	after "rapid changes"
}

run_tests
