#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The client of lldpd without dcbd, with real lldpds: the number of LLDPDUs for a change; lldpd
# killed and stopped; TLVs changed by other clients; interfaces removed.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

"$build/tests/system/lldp_driver" /nowhere 2>&1 </dev/null | grep -q 'built without' && skip_all "built without liblldpctl"

interval=3600 # s, the maximum: all counted LLDPDUs are because of changes
driver=$build/tests/system/lldp_driver
declare -A to=()

# start_driver NODE: starts a client of its lldpd. tell NODE COMMAND... sends it a command.
start_driver() {
	local fd
	rm -f "$T/$1/in"
	mkfifo "$T/$1/in"
	start "drv-$1" bash -c "exec '$driver' '$T/$1/lldpd' <'$T/$1/in'"
	exec {fd}>"$T/$1/in"
	to[$1]=$fd
}
tell() { echo "${*:2}" >&"${to[$1]}"; }
stop_driver() {
	tell "$1" quit
	wait "${pid_of[drv-$1]}" || fail "the driver of $1 ended with status $?"
	unset "pid_of[drv-$1]"
}

# told NODE PATTERN: its reports since mark, without the time.
declare -A mark_of=()
mark() { mark_of[$1]=$(wc -l <"${log_of[drv-$1]}"); }
told() { tail -n +$((${mark_of[$1]-0} + 1)) "${log_of[drv-$1]}" | grep -E "^[0-9]+ $2" | cut -d' ' -f2-; }
has_told() { told "$1" "$2" | grep -q .; }
count_told() { told "$1" "$2" | wc -l; }
stat() { # NODE NAME: a counter since the client started
	mark "$1"
	tell "$1" stats
	wait_for 5 "statistics of $1" has_told "$1" stats || return
	told "$1" stats | tr ' ' '\n' | sed -n "s/^$2=//p"
}
connected() { has_told "$1" known; }

# tlvs N: six TLVs that contain the digit N.
tlvs() {
	printf 'b:080%d 8:010%d 9:00112233445566778899001122334455667788990%d ' $1 $1 $1
	printf 'a:00112233445566778899001122334455667788990%d c:00210c0%d 17:000000000000000%d' $1 $1 $1
}
# six N: the same TLVs as the neighbor's client reports them.
six() { tr ' ' '\n' <<<"$(tlvs "$1")" | sed -E 's/^(.):/0\1:/; s/^/0080c2-/' | sort | tr '\n' ' '; }
got_six() { # NODE N
	[ "$(told "$1" remote | tail -n 1 | tr ' ' '\n' | grep 0080c2 | sort | tr '\n' ' ')" = "$(six "$2")" ]
}
local_tlvs() { # NODE IF: the TLVs that lldpd sends, as OUI-SUBTYPE:HEX
	lldpcli -u $T/$1/lldpd -f json0 show interfaces details 2>/dev/null | jq -r --arg i "$2" '
		.lldp[].interface[]? | select(.name == $i) | .["unknown-tlvs"][]?["unknown-tlv"][]? |
		.oui + "-" + .subtype + ":" + ((.value // "") | gsub(","; "") | ascii_downcase)'
}
has_local() { local_tlvs "$1" "$2" | grep -q -- "$3"; }

node a
node b
cable a va b vb
start_lldpd a
start_lldpd b
listen_on b vb
start_driver a
start_driver b
wait_for 10 "clients are connected" eval 'connected a && connected b' || die "clients do not connect"
# The other lldpd may miss the LLDPDUs that an lldpd sends at its start.
see_each_other() {
	lldp a update
	lldp b update
	has_told a "remote va" && has_told b "remote vb"
}
wait_for 10 "both have a neighbor" see_each_other || die "no neighbor"

# settle: waits until all TLVs set so far have been sent and received: the LLDPDU with this TLV,
# whose subtype the test does not use otherwise, is the last.
settled=0
settle() {
	settled=$((settled + 1))
	lldp a configure ports va lldp custom-tlv replace oui 00,80,c2 subtype 98 oui-info "$(printf %x $((settled % 256)))"
	wait_for 5 "the last TLV arrives" eval "[[ \" \$(last_said vb in) \" == *' 98:$(printf %02x $((settled % 256))) '* ]]"
}
# steps_of SUBTYPE SINCE: the values of this TLV that the neighbor received after the first SINCE
# LLDPDUs, without repetitions.
steps_of() {
	said vb in | tail -n +$(($2 + 1)) | tr ' ' '\n' | sed -n "s/^$((16#$1)):.*\(.\)$/\1/p" | uniq | paste -sd ' '
}

# Six TLVs change at once: the neighbor receives the old ones, then the new ones. On a busy machine
# lldpd may send an LLDPDU between two TLVs of a change, up to one for each TLV; but no old value
# follows a new one. The transmission credit allows five changes in a row.
test_one_lldpdu_for_a_change() {
	local i before first n at_once=0 late=() batches subtype
	batches=$(stat a batches)
	first=$(count_said vb in)
	for i in 1 2 3 4 5; do
		mark b
		before=$(count_said vb in)
		time_us
		tell a "set va 1500 $(tlvs $i)"
		wait_for 2 "change $i at the neighbor" got_six b $i || return
		late+=($(($(tail -n 1 "${log_of[drv-b]}" | cut -d' ' -f1) - us / 1000)))
		n=$(($(count_said vb in) - before))
		at_least "LLDPDUs of change $i" $n 1
		[ "$n" -ne 1 ] || is "updates by one LLDPDU" "$(count_told b remote)" 1
		[ "$(count_told b remote)" -ne 1 ] || at_once=$((at_once + 1))
	done
	n=$(($(count_said vb in) - first))
	printf '    %d LLDPDUs; to the neighbor in ms: %s\n' $n "${late[*]}"
	timed at_least "changes of 5 that arrived in one LLDPDU" $at_once 4
	at_most "LLDPDUs, one for each TLV of a change" $n 30
	# One batch for each change, if lldpd accepts a connection for each TLV in time.
	at_least "batches of 5 changes" $(($(stat a batches) - batches)) 5
	timed at_most "batches of 5 changes" $(($(stat a batches) - batches)) 5
	batches=$(stat a batches)
	before=$(count_said vb in)
	tell a "set va 1500 $(tlvs 5)"
	is "batches without a change" "$(stat a batches)" "$batches"
	settle
	is "LLDPDUs without a change, and the last one" $(($(count_said vb in) - before)) 1
	for subtype in b 8 9 a c 17; do is "values of TLV $subtype" "$(steps_of $subtype "$first")" "1 2 3 4 5"; done
}

# Rapid changes cause five LLDPDUs at once and then one a second, and the last state is sent.
test_rate_of_changes_is_limited() {
	local i round before batches deferred start lldpdus
	clock
	start=$now
	batches=$(stat a batches)
	deferred=$(stat a deferred)
	before=$(count_said vb in)
	# A slow machine may gain credit during the changes; then the test repeats them.
	for ((round = 1; round <= 20; round++)); do
		mark b
		for i in {1..199}; do echo "set va 1500 b:08$(printf %02x $i)"; done >&"${to[a]}"
		tell a "set va 1500 b:09$(printf %02x $round)"
		wait_for 5 "the last of 200 changes" has_told b "remote .* 0080c2-0b:09$(printf %02x $round)" || return
		timed at_most "ms until the last change arrived" $waited 3000
		[ "$(stat a deferred)" -eq "$deferred" ] || break
	done
	at_least "deferred changes" "$(stat a deferred)" $((deferred + 1))
	clock
	lldpdus=$(($(count_said vb in) - before))
	batches=$(($(stat a batches) - batches))
	# The first change also removes five TLVs, which may take a connection each.
	at_most "batches in $round rounds" $batches $((5 + (now - start) / 1000 + 1 + 5))
	at_most "LLDPDUs of $batches batches" $lldpdus $((batches + 5))
	lldp a configure lldp tx-interval 30
	lldp b configure lldp tx-interval 30
	interval=30
}

test_changes_of_other_clients_are_repaired() {
	local repairs
	lldp a configure ports va lldp custom-tlv add oui 00,80,c2 subtype 99 oui-info 1,2
	lldp a configure ports va lldp custom-tlv add oui 33,44,55 subtype 11 oui-info 3
	tell a "set va 1500 b:0811 8:0101"
	wait_for 5 "our TLVs" eval 'has_local a va 00,80,C2-8:0101 && has_local a va 00,80,C2-11:0811' || return
	repairs=$(stat a repairs)
	# Another client removes a TLV, changes one, and adds one of a subtype that is ours.
	lldp a unconfigure ports va lldp custom-tlv oui 00,80,c2 subtype 11
	lldp a configure ports va lldp custom-tlv replace oui 00,80,c2 subtype 8 oui-info 9,9
	lldp a configure ports va lldp custom-tlv add oui 00,80,c2 subtype 23 oui-info 7
	wait_for 10 "removed TLV is added again" has_local a va '00,80,C2-11:0811'
	wait_for 10 "changed TLV is set again" has_local a va '00,80,C2-8:0101' || local_tlvs a va
	wait_for 10 "added TLV is removed" eval '! has_local a va 00,80,C2-23' || local_tlvs a va
	at_least "repairs" "$(stat a repairs)" $((repairs + 1))
	has_local a va '00,80,C2-99:0102' || fail "TLV of another client was removed"
	has_local a va '33,44,55-11:03' || fail "TLV of another OUI was removed"
	tell a "set va 1500 b:0811"
	wait_for 5 "our TLV is removed" eval '! has_local a va "00,80,C2-8"'
	has_local a va '00,80,C2-99:0102' || fail "TLV of another client was removed with ours"
}

# lldpd would not send any LLDPDU with too many octets.
test_too_long_tlvs_are_refused() {
	local long refused
	long=$(printf '%01014d' 0)
	refused=$(stat a refused)
	tell a "set va 1500 b:$long 8:$long 9:$long"
	wait_for 5 "log of too many octets" logged drv-a \
		'va: an LLDP frame with the requested TLVs has 1[67][0-9][0-9] octets' || return
	is "refused" "$(stat a refused)" $((refused + 1))
	has_local a va '00,80,C2-11:0811' || fail "old TLVs are not kept: $(local_tlvs a va)"
	tell a "set va 1500 b:0812"
	wait_for 5 "the next change" has_local a va '00,80,C2-11:0812'
}

# The client's estimate of lldpd's own TLVs is not too small, and not much too large.
test_tlvs_that_just_fit_are_sent() {
	local octets here hex refused
	refused=$(stat a refused)
	here=$(tail -n 1 <<<"$(sed -n 's/.*requested TLVs has \([0-9]*\) octets.*/\1/p' "${log_of[drv-a]}")")
	octets=$((1500 - (here - 3 * 513) - 2 * 513 - 6)) # of the third TLV, for a frame of 1500 octets
	hex=$(printf '%01014d' 0)
	tell a "set va 1500 b:$hex 8:$hex 9:$(printf "%0$((2 * octets))d" 0)"
	# The three TLVs, and two that are not ours: 98 and 99.
	wait_for 5 "an LLDPDU of nearly 1500 octets" eval "[[ \" \$(last_said vb in)\" == *' 8:$hex'* ]] && [ \$(last_said vb in | wc -w) -eq 5 ]"
	is "refused" "$(stat a refused)" "$refused"
	tell a "set va 1500 b:0813"
}

# Both processes are killed, in either order: TLVs and neighbors come back.
test_tlvs_and_neighbors_return_after_kill() {
	local order connects n=20
	tell b "set vb 1500" # a port without TLVs
	connects=$(stat a connects)
	for order in worker monitor; do
		n=$((n + 1))
		mark a
		tell a "set va 1500 $(tlvs 7)" # lldpd ends during this change, or before or after
		pause "0.0$((RANDOM % 30 + 10))"
		crash_lldpd a $order
		tell a "set va 1500 b:08$n"
		wait_for 5 "the connection is lost" has_told a 'state connecting'
		mark b
		start_lldpd a
		wait_for 5 "the client is connected again" connected a
		printf '    %s first: connected again after %d ms\n' $order $waited
		wait_for 5 "TLVs at the neighbor" has_told b "remote .* 0080c2-0b:08$n"
		# The neighbor's lldpd has not restarted; it sends an LLDPDU when it sees a new
		# neighbor.
		wait_for 5 "the neighbor is known" has_told a 'remote va'
		mark a
	done
	# If lldpd gets little processor time, the client may time out and connect once more.
	at_least "connections" "$(stat a connects)" $((connects + 2))
	is "lost connections" "$(stat a disconnects)" $(($(stat a connects) - 1))
	tell a "set va 1500 b:0813"
	wait_for 5 "TLV of the next change" has_told b 'remote .* 0080c2-0b:0813'
}

test_neighbor_shuts_down_and_returns() {
	mark a
	mark b
	tell b "set vb 1500 8:0303"
	wait_for 5 "the neighbor's TLV" has_told a 'remote .* 0080c2-08:0303'
	stop lldpd-b KILL # the monitor; the worker sends a shutdown LLDPDU
	wait_for 5 "the neighbor is gone" has_told a 'gone va'
	mark a
	start_lldpd b
	wait_for 10 "the neighbor is back" has_told a 'remote .* 0080c2-08:0303'
	tell b "set vb 1500 8:0404"
	wait_for 10 "the neighbor's next TLV" has_told a 'remote .* 0080c2-08:0404'
	is "reports that a neighbor is gone" "$(count_told a gone)" 0
	wait_for 5 "the neighbor has our TLV" has_told b 'remote .* 0080c2-0b:0813'
}

test_tlvs_after_rename() {
	mark b
	ip -n a link set va down
	ip -n a link set va name vx
	ip -n a link set vx up
	tell a "forget va"
	tell a "set vx 1500 b:0814"
	wait_for 10 "TLVs under the new name" has_told b 'remote .* 0080c2-0b:0814'
	ip -n a link set vx down
	ip -n a link set vx name va
	ip -n a link set va up
	tell a "forget vx"
	tell a "set va 1500 b:0815"
	wait_for 10 "TLVs under the old name" has_told b 'remote .* 0080c2-0b:0815'
}

# "forget" at any step of "set" leaves no TLV, and the next "set" works.
test_forget_during_set() {
	local i
	for i in {0..20}; do
		tell a "set va 1500 $(tlvs $((i % 10)))"
		pause 0.00$((i % 7))
		tell a "forget va"
		pause 0.00$((i % 3))
	done
	wait_for 5 "none of our TLVs is left" eval '! has_local a va "00,80,C2-"'
	mark b
	tell a "set va 1500 b:0818"
	wait_for 5 "TLV of the next set" has_told b 'remote .* 0080c2-0b:0818$'
}

test_tlvs_after_interface_is_made_anew() {
	stop list-vb
	uncable a va
	mark b
	cable a va b vb
	tell a "refresh va"
	tell b "refresh vb"
	wait_for 10 "TLVs on the new interface of this name" has_told b 'remote .* 0080c2-0b:0818'
}

# A stopped lldpd does not block the client, whose memory does not grow.
test_client_of_stopped_lldpd() {
	local worker i before after
	worker=$(lldpd_worker a)
	mark a
	mark b
	before=$(awk '/RssAnon/ { print $2 }' "/proc/${pid_of[drv-a]}/status")
	kill -STOP "$worker"
	for i in {1..2000}; do echo "set va 1500 b:$(printf '09%02x' $((i % 256)))"; done >&"${to[a]}"
	tell a "set va 1500 b:0816"
	tell a stats
	wait_for 1 "the client answers" has_told a stats
	wait_for 12 "the client closes the connection" has_told a 'state connecting'
	printf '    after %d ms\n' $waited
	after=$(awk '/RssAnon/ { print $2 }' "/proc/${pid_of[drv-a]}/status")
	[ $slow -gt 1 ] || at_most "growth in kB" $((after - before)) 2000
	mark a
	kill -CONT "$worker"
	wait_for 5 "the client is connected again" connected a
	wait_for 5 "TLV that was set in the meantime" has_told b 'remote .* 0080c2-0b:0816'
}

# At its end the client removes its TLVs and no others.
test_client_removes_its_tlvs() {
	lldp a configure ports va lldp custom-tlv add oui 00,80,c2 subtype 99 oui-info 1,2
	tell a "set va 1500 b:0817 8:0101 17:0000000000000001"
	wait_for 5 "our three TLVs" has_local a va '00,80,C2-23'
	stop_driver a
	is "TLVs that are left" "$(local_tlvs a va)" "00,80,C2-99:0102"
	stop_driver b
}

run_tests
