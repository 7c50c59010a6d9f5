#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# lldpd sends our TLVs and is a subagent of the same snmpd as dcb-agentx. Both subagents report the
# same neighbor, each in its own MIB modules, and both survive a restart of the master.
#
#   h1 (raw LLDPDUs): eth0 === sw1: dcbd, lldpd -X, dcb-agentx, snmpd
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/traps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/traps.sh"

patient_agent
host h1 sw1
sw1=$(ifindex sw1)
start_lldpd_here() {
	start lldpd lldpd -dd -u $T/lldpd -p $T/lldpd.pid -I sw1 -C sw1 -S bridge -L '' -x -X $T/master
	wait_for 10 "lldpd answers" lldpcli -u $T/lldpd show configuration || die "lldpd does not answer"
	lldpcli -u $T/lldpd configure lldp tx-interval 2 >/dev/null
}
start_snmptrapd
start_snmpd "${trap_sink[@]}" 'agentXPerms 0666 0755'
start_lldpd_here
dcbd_conf "interfaces = { include = [ \"sw1\" ]; }; lldp = { socket = \"$T/lldpd\"; };" "initial = ( $(cn_conf 3) );"
start_dcbd
start_agentx
listen_on_sw1() {
	start list-sw1 "$peer" list sw1
	wait_for 5 "sw1 lists LLDPDUs" logged list-sw1 ready || die "cannot list LLDPDUs"
}
listen_on_sw1
speak h1 eth0 -t 10 -g 1000000 8:0800 11:0830

dot1=1.0.8802.1.1.2.1.4.4.1.4 # lldpRemOrgDefInfo
# The neighbor's CN TLV as lldpd's subagent reports it, and as dcb-agentx does, whose BITS are in
# reverse order.
lldpd_says() { walk $dot1 -Ox | sed -nE "s/.*\.0\.128\.194\.8\.[0-9]+ = Hex-STRING: //p" | tr -d ' '; }
agentx_says() { walk "${O[lldpV2Xdot1RemCNPVIndicators]}" -Ox | sed -nE 's/.* = Hex-STRING: //p' | tr -d ' '; }
both_report() { [ -n "$(lldpd_says)" ] && [ "$(agentx_says)" = 10 ]; }

test_both_subagents_report_neighbor() {
	wait_for 5 "lldpd sends our TLV" eval '[ "$(last_said sw1 out)" = 8:0808 ]'
	wait_for 10 "both subagents report the neighbor" both_report || fail "lldpd '$(lldpd_says)', dcb-agentx '$(agentx_says)'"
	is "defense mode" "$(get ieee8021CnPortPriAutoDefenseMode.1.3.$sw1)" $INTERIOR
}

# lldpd tries to connect to its master every fifteen seconds.
test_master_restarts() {
	stop snmpd KILL
	time_us
	start_snmpd "${trap_sink[@]}" 'agentXPerms 0666 0755'
	wait_for 5 "dcb-agentx serves its objects" served
	printf '    dcb-agentx after %d ms\n' $waited
	wait_for 40 "both subagents report the neighbor" both_report
	printf '    both after %d ms\n' $waited
	is "our TLVs since the master ended" "$(said sw1 out $us | uniq)" 8:0808
}

# lldpd restarts, and with it its connections to snmpd and to dcb-lldp.
test_lldpd_restarts() {
	local how
	for how in KILL TERM; do
		stop lldpd $how
		is "our objects without lldpd" "$(get ieee8021CnGlobalMasterEnable.1)" 1
		start_lldpd_here
		time_us
		wait_for 5 "lldpd sends our TLV after $how" eval '[ "$(last_said sw1 out '$us')" = 8:0808 ]'
		wait_for 20 "both subagents report the neighbor after $how" both_report
		printf '    both after %d ms\n' $waited
	done
}

test_mismatch_is_notified() {
	local line
	# PFC differs from the neighbor's for longer than the hold-off of dcbDcbxMismatch.
	put lldpXdot1dcbxConfigPFCTxEnable.$sw1.1 1 lldpXdot1dcbxAdminPFCEnableEnabled.$sw1.3 1
	wait_for 8 "a notification" has_traps 1 dcbDcbxMismatch || return
	line=$(traps dcbDcbxMismatch)
	printf '    %.300s\n' "$line"
	put lldpXdot1dcbxAdminPFCWilling.$sw1 1
	wait_for 5 "a notification that the mismatch is over" has_traps 1 dcbDcbxMismatchCleared
	is "notifications of a mismatch" "$(count_traps dcbDcbxMismatch)" 1
}

run_tests
