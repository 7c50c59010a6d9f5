#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbctl's output about neighbors of a real lldpd: names, values in force and the reasons; and about
# neighbors with malformed TLVs and with control characters in their names.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$src/tests/system/lldp.sh"

node a
node b
node p # without daemons: sends raw LLDPDUs
cable a ab b ba
cable a ap p pa
node_conf a bridge 'a*' "initial = ( $(cn_conf 3 5) );"
node_conf b bridge 'b*' "initial = ( $(cn_conf 3) );"
for n in a b; do
	start_lldpd $n
	start_node $n
done
lldp b configure lldp tx-hold 50 # b does not expire during the test
ab=$(if_of a ab) ba=$(if_of b ba)

# json COMMAND PORT FILTER: dcbctl's JSON output of a port of a, filtered by jq.
json() { ctl a -j "$1" "$(if_of a "$2")" | jq -c ".[0] | $3"; }
says() { [ "$(json "$1" "$2" "$3")" = "$4" ]; } # COMMAND PORT FILTER WANTED
why() { ctl a -j cn "$(if_of a "$1")" | jq -r ".[0].cnpvs[] | select(.priority == $2) | .why"; }
is_why() { [ "$(why "$1" "$2")" = "$3" ]; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
# text_tlv TYPE TEXT: a TLV of IEEE Std 802.1AB in the octets that lldp_peer expects.
text_tlv() { printf '=%04x%s' $(($1 << 9 | ${#2})) "$(printf %s "$2" | hex)"; }
# clean FILE: checks for valid UTF-8 without terminal control characters.
clean() {
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || fail "not UTF-8: $(hex <"$1")"
	! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1" || fail "control characters: $(hex <"$1")"
}

test_neighbors_are_listed() {
	local mac
	mac=$(mac_of b ba)
	wait_for 10 "b is a neighbor" says neighbors ab '.neighbors | length' 1
	is "port" "$(json neighbors ab '[.port, .lldp]')" '["ab","connected"]'
	is "address" "$(json neighbors ab '.neighbors[0].address')" "\"${mac//:/-}\""
	wait_for 10 "CN TLV of b" says neighbors ab '.neighbors[0].cn.cnpv' '[3]'
	is "neighbors of ap" "$(json neighbors ap '.neighbors')" '[]'
	like "text" "$(ctl a neighbors)" "${mac//:/-}"
}

test_pfc_in_force_and_reason() {
	set_at a dcbPfcPriorityEnable.$ab.3 1 lldpXdot1dcbxConfigPFCTxEnable.$ab.1 1 \
		lldpXdot1dcbxAdminPFCWilling.$ab 1
	set_at b dcbPfcPriorityEnable.$ba.3 1 dcbPfcPriorityEnable.$ba.5 1 lldpXdot1dcbxConfigPFCTxEnable.$ba.1 1
	wait_for 10 "b's PFC is in force" says dcbx ab '.pfc.inForce' '[3,5]'
	is "PFC" "$(json dcbx ab '[.pfc.set.enable, .pfc.sent.enable, .pfc.theirs.enable, .pfc.reason, .mismatch]')" \
		'[[3],[3,5],[3,5],"taken",[]]'
	set_at a lldpXdot1dcbxAdminPFCWilling.$ab 2
	is "not willing" "$(json dcbx ab '[.pfc.inForce, .pfc.reason, .mismatch]')" '[[3],"notWilling",["enable"]]'
	like "text" "$(ctl a dcbx $ab)" "PFC is enabled for different priorities at the two ends"
	# Different tables create and delete application priorities.
	set_at a lldpXdot1dcbxAdminApplicationPriorityAEPriority.$ab.1.35078 3 lldpXdot1dcbxConfigApplicationPriorityTxEnable.$ab.1 1
	is "applications" "$(json dcbx ab '.applicationPriorities.sent')" '[{"selector":"ethertype","protocol":35078,"priority":3}]'
	set_at a dcbDcbxAppRowStatus.$ab.1.35078 6
	is "applications" "$(json dcbx ab '.applicationPriorities.set')" '[]'
	set_at a lldpXdot1dcbxAdminApplicationVlanAEVlanId.$ab.2.3260 20 lldpXdot1dcbxConfigApplicationVlanTxEnable.$ab.1 1
	is "applications" "$(json dcbx ab '.applicationVlans.sent')" '[{"selector":"tcp","protocol":3260,"vlan":20}]'
	set_at a dcbDcbxAppVlanRowStatus.$ab.2.3260 6
	is "applications" "$(json dcbx ab '.applicationVlans.set')" '[]'
}

test_defense_mode_and_reason() {
	wait_for 10 "reason for priority 3" is_why ab 3 "interiorReady: the neighbor is ready too"
	is "CN-TAGs" "$(json cn ab '[.cnpvs[] | .cnTags]')" '["kept","stripped"]'
	is "reason for priority 5" "$(why ab 5)" "edge: priority 5 is not a CNPV of the neighbor"
	is "reason without neighbor" "$(why ap 3)" "edge: no neighbor"
	set_at a ieee8021CnPortPriDefModeChoice.1.5.$ab 1 ieee8021CnPortPriAdminDefenseMode.1.5.$ab 2
	is "reason of an administrative mode" "$(why ab 5)" "set by management"
	ip -n a link set ap down
	wait_for 5 "reason with link down" is_why ap 3 "edge: the link is down"
	ip -n a link set ap up
}

test_control_characters_are_not_printed() {
	local evil=$'\e[2J\e]0;x\a"\\<b>&\xff\xc0\xaf\xe2\x80\xae\xc2\x9b31m'
	speak p pa -t 60 -c "$evil" -o $'swp\n1' -g 200000 "$(text_tlv 5 "$evil")" "$(text_tlv 6 "$evil")" 8:0808
	wait_for 10 "p is a neighbor" says neighbors ap '.neighbors | length' 1
	wait_for 5 "reason for priority 3" is_why ap 3 "interiorReady: the neighbor is ready too"
	for command in neighbors dcbx cn 'show neighbor'; do
		# shellcheck disable=SC2086 # words
		ctl a $command >$T/said || fail "$command"
		clean $T/said
		# shellcheck disable=SC2086
		ctl a -j $command >$T/said || fail "$command"
		jq -e . $T/said >/dev/null || fail "$command: $(cat $T/said)"
		clean $T/said
	done
	printf '    names as printed: %s\n' "$(json neighbors ap '.neighbors[0] | [.chassisId, .portId, .systemName]')"
}

test_malformed_tlvs_count_as_absent() {
	# A CN TLV that is too short, a PFC TLV twice, and an ETS TLV that is too short.
	speak p pa -t 60 -g 200000 8:08 9:00 11:8838 11:8838
	wait_for 10 "malformed TLVs" says neighbors ap '[.neighbors[] | .malformed] | flatten | unique' '["cn","ets","pfc"]'
	like "text" "$(ctl a neighbors)" 'PFC +malformed: counts as absent'
	wait_for 5 "reason" eval 'why ap 3 | grep -qE "malformed|[0-9] neighbors"'
}

test_several_neighbors() {
	speak p pa -t 60 -N 3 -g 100000 8:0808
	wait_for 10 "reason with several neighbors" eval 'why ap 3 | grep -qE "^edge: [345] neighbors, expected one$"'
	at_least "neighbors listed" "$(json neighbors ap '.neighbors | length')" 3
	stop_peer pa
}

# reload_a PATTERN: has dcbd of a manage these interfaces.
reload_a() {
	local wanted='dcbd.conf read again' before
	node_conf a bridge "$1" "initial = ( $(cn_conf 3 5) );"
	before=$(grep -c "$wanted" "${log_of[dcbd-a]}")
	kill -HUP "${pid_of[dcbd-a]}"
	wait_for 10 "reload" eval '[ "$(grep -c "$wanted" "${log_of[dcbd-a]}")" -gt $before ]'
}

# lldpd reports a neighbor when it changes, and this one does not.
test_port_of_a_reload_has_the_old_neighbors_of_its_interface() {
	local since
	speak p pa -t 300 -g 500000 8:0808
	wait_for 10 "neighbor of ap" eval '[ "$(neighbors a ap)" -ge 1 ]'
	reload_a ab
	since=$EPOCHSECONDS
	wait_for 5 "the neighbor is not new" eval '[ $EPOCHSECONDS -ge $((since + 4)) ]'
	reload_a 'a*'
	wait_for 10 "neighbor after a reload" says neighbors ap '[.neighbors[] | select(.cn.ready == [3])] | length > 0' true
	stop_peer pa
}

test_neighbors_are_stale_without_lldpd() {
	crash_lldpd a
	wait_for 5 "connecting" says neighbors ab '.lldp' '"connecting"'
	is "stale" "$(json neighbors ab '.neighbors[0].stale')" true
	like "text" "$(ctl a neighbors)" 'LLDP agent: connecting'
	start_lldpd a
	wait_for 15 "connected" says neighbors ab '[.lldp, .neighbors[0].stale]' '["connected",false]'
}

# What lldpd of a says of the system: the capabilities that are enabled, then the management addresses.
announced() {
	lldpcli -u $T/a/lldpd -f json0 show chassis | jq -r '.["local-chassis"][].chassis[] |
		[(.capability[] | select(.enabled) | .type), (.["mgmt-ip"][]?.value)] | join(" ")'
}
announces() { [ "$(announced)" = "$1" ]; }
# is_managed_at ADDRESS: where b's dcbd finds a.
is_managed_at() { [ "$(ctl b -j neighbors ba | jq -r '.[0].neighbors[].managementAddress')" = "$1" ]; }
configured() { lldpcli -u $T/a/lldpd -f json0 show configuration | jq -r --arg name "$1" '.configuration[].config[][$name][].value'; }
test_lldpd_announces_the_bridge_and_where_it_is_managed() {
	local writers=()
	wait_for 10 "a bridge" announces Bridge || fail "announced: $(announced)"
	# lldpcli sets all of the configuration as it had read it, without that of dcbd in between.
	stop dcbd-a
	for _ in 1 2 3 4 5 6; do
		(for _ in {1..30}; do lldp a configure lldp tx-interval $interval; done) &
		writers+=($!)
	done
	start_node a
	wait "${writers[@]}"
	wait_for 10 "a bridge beside lldpcli" announces Bridge || fail "announced: $(announced)"
	ip -n a addr add 10.77.0.1/24 dev ap
	cable a m0 p m1
	ip -n a addr add 10.78.0.1/24 dev m0
	wait_for 10 "the management address" announces 'Bridge 10.78.0.1' || fail "announced: $(announced)"
	wait_for 10 "the management address at b" is_managed_at 10.78.0.1
	# An lldpd that starts again has forgotten it.
	stop lldpd-a KILL
	start_lldpd a
	wait_for 15 "the management address again" announces 'Bridge 10.78.0.1' || fail "announced: $(announced)"
	ip -n a addr del 10.78.0.1/24 dev m0
	wait_for 10 "no management address" announces Bridge || fail "announced: $(announced)"
	wait_for 10 "no management address at b" is_managed_at null
	# Without dcbd, lldpd decides by itself.
	stop dcbd-a
	is "pattern without dcbd" "$(configured mgmt-pattern)" '(none)'
	wait_for 40 "a station" announces 'Station 10.77.0.1' || fail "announced: $(announced)"
	# lldpd is paused while it reads its configuration.
	lldp a pause
	start_node a
	wait_for 10 "connected" is_value a dcbLldpState.0 3
	is "pattern of a paused lldpd" "$(configured mgmt-pattern)" '(none)'
	lldp a resume
	wait_for 10 "a bridge after the pause" announces Bridge || fail "announced: $(announced)"
	stop dcbd-a
	# What the operator has set stays.
	lldp a configure system capabilities enabled router
	lldp a configure system ip management pattern '10.77.*'
	start_node a
	wait_for 10 "neighbor of ab" eval '[ "$(neighbors a ab)" -ge 1 ]'
	is "the operator's pattern" "$(configured mgmt-pattern)" '10.77.*'
	wait_for 40 "the operator's description" announces 'Router 10.77.0.1' || fail "announced: $(announced)"
	stop dcbd-a
	is "the operator's pattern at the end" "$(configured mgmt-pattern)" '10.77.*'
	lldp a unconfigure system capabilities enabled
	lldp a unconfigure system ip management pattern
	ip -n a addr del 10.77.0.1/24 dev ap
	start_node a
}

# status NODE IF: that of the port in its lldpd.
status() {
	lldpcli -u $T/$1/lldpd -f json0 show interfaces details | jq -r --arg i "$2" \
		'.lldp[].interface[]? | select(.name == $i) | .status[0].value'
}
is_status() { [ "$(status "$1" "$2")" = "$3" ]; }
# rename NODE IF NAME
rename() {
	ip -n $1 link set $2 down
	ip -n $1 link set $2 name $3
	ip -n $1 link set $3 up
}
# What lldpd does on an interface that is new to it: makes one, which stays.
new_status_is() {
	cable a $1 p p$1
	wait_for 10 "lldpd knows $1" eval '[ -n "$(status a '$1')" ]'
	wait_for "${3-1}" "status of the new $1" is_status a $1 "$2" || fail "status of $1: $(status a $1)"
}

# lldpd makes a new port for each name, and so for an interface that is made anew.
test_no_lldpdu_goes_without_tlvs() {
	local i since said name=ab
	set_at a lldpXdot1dcbxConfigPFCTxEnable.$ab.1 1
	listen_on b ba
	wait_for 10 "the PFC TLV" eval '[[ " $(last_said ba in)" == *" 11:"* ]]'
	time_us
	since=$us
	for i in 1 2 3 4 5 6 7 8; do
		rename a $name a$i
		name=a$i
		[ $((i % 4)) -ne 0 ] || continue # two in a row
		time_us
		wait_for 10 "LLDPDU after rename $i" eval '[ "$(count_said ba in '$us')" -ge 1 ]'
		printf '    LLDPDU %d ms after rename %d\n' $waited $i
		is "status" "$(status a $name)" 'RX and TX'
		is "TLVs that are no TLVs of 802.1" "$(local_others a $name)" ''
	done
	rename a $name ab
	time_us
	wait_for 10 "LLDPDU with the former name" eval '[ "$(count_said ba in '$us')" -ge 1 ]'
	said=$(awk -v t=$since '$1 >= t && $2 == "in" && $5 != 0 && !/ 11:/' "${log_of[list-ba]}")
	is "LLDPDUs without PFC TLV of $(count_said ba in $since)" "$said" ''
	stop list-ba
}
local_others() { # NODE IF: custom TLVs of its port that are not of 802.1
	lldpcli -u $T/$1/lldpd -f json0 show interfaces details | jq -r --arg i "$2" \
		'.lldp[].interface[]? | select(.name == $i) | .["unknown-tlvs"][]?["unknown-tlv"][]? |
			select(.oui != "00,80,C2") | .oui'
}

test_other_interfaces_send_lldpdus() {
	new_status_is f0 'RX and TX' 3
	printf '    after %d ms\n' $waited
	is "TLVs" "$(local_others a f0)" ''
	listen_on p pf0
	wait_for 10 "LLDPDUs of an interface that is no port" eval '[ "$(count_said pf0 in)" -ge 1 ]'
	# One of the same name, and a port without TLVs.
	uncable a f0
	new_status_is f0 'RX and TX' 3
	new_status_is ap1 'RX and TX' 3
	# dcbd learns of it, and lldpd later.
	kill -STOP "$(lldpd_worker a)"
	cable a f1 p pf1
	pause 4
	kill -CONT "$(lldpd_worker a)"
	wait_for 15 "status of f1" is_status a f1 'RX and TX'
}

# new_status_is is asked when dcbd cannot have opened the port.
test_status_of_new_ports_is_the_operators_again() {
	stop dcbd-a
	new_status_is e0 'RX and TX'
	# Killed with dcb-lldp: what lldpd has is left to the next run.
	start_node a
	wait_for 10 "connected" is_value a dcbLldpState.0 3
	wait_for 10 "new ports are held" holds
	kill_node
	new_status_is e2 'RX only'
	start_node a
	wait_for 15 "what was left is opened" is_status a e2 'RX and TX'
	wait_for 10 "new ports are held" holds
	# dcbd alone: dcb-lldp sees it.
	stop dcbd-a KILL
	new_status_is e4 'RX and TX'
	start_node a
	wait_for 10 "new ports are held" holds
	# The operator's new value counts.
	lldp a configure lldp status disabled
	lldp a configure ports ab,ap lldp status rx-and-tx
	wait_for 20 "the operator's value" eval '! holds'
	new_status_is e5 disabled
	lldp a configure lldp status tx-only
	lldp a configure ports ab,ap lldp status rx-and-tx
	wait_for 20 "new ports are held" holds
	stop dcbd-a
	new_status_is e6 'TX only'
	lldp a configure lldp status rx-and-tx
	sed -i 's/lldp = { /&hold_new_ports = false; /' $T/a/dcbd.conf
	start_node a
	wait_for 10 "neighbor of ab" eval '[ "$(neighbors a ab)" -ge 1 ]'
	new_status_is e7 'RX and TX'
}
# Does dcb-lldp hold new ports? Of one that lldpd meets while dcb-lldp is stopped.
holds() {
	local child held
	read -r child <"/proc/${pid_of[dcbd-a]}/task/${pid_of[dcbd-a]}/children"
	child=${child%% *}
	kill -STOP "${pid_of[dcbd-a]}" "$child"
	probes=$((${probes-0} + 1))
	cable a h$probes p ph$probes
	wait_for 10 "lldpd knows h$probes" eval '[ -n "$(status a h'$probes')" ]'
	held=$(status a h$probes)
	kill -CONT "$child" "${pid_of[dcbd-a]}"
	[ "$held" = 'RX only' ]
}
kill_node() { # dcbd of a and its dcb-lldp, that first
	local child
	read -r child <"/proc/${pid_of[dcbd-a]}/task/${pid_of[dcbd-a]}/children"
	kill -STOP "${pid_of[dcbd-a]}"
	kill -KILL "${child%% *}"
	stop dcbd-a KILL
}

test_bad_ports_are_refused() {
	like "name of no interface" "$(ctl a neighbors nosuchif 2>&1)" \
		'expected the name or ifIndex of a port of dcbd, not "nosuchif"'
	like "ifIndex of no port" "$(ctl a cn 77 2>&1)" '77 is not a port of dcbd'
	# dcbctl runs in another network namespace than dcbd.
	is "port by its name" "$(ctl a -j neighbors ab | jq -c '.[0] | [.ifIndex, .port]')" "[$ab,\"ab\"]"
}

run_tests
