#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbctl's commands for ports, in the words of dcb(8): each setting is set, read back and visible as
# the object by SNMP's names; a file of commands is one transaction, and all its errors are reported
# with their lines; status is not wider than the terminal.
#
#   h1 === swp1 [dcbd, a bridge] swp2 === h2
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

host h1 swp1
host h2 swp2
swp1=$(ifindex swp1)
dcbd_conf 'interfaces = { include = [ "swp*" ]; };' \
	'ports = ( { name = "swp1"; rate = 10000000000L; }, { name = "swp2"; rate = 25000000000L; } );' \
	'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } );'
ctl() { DCBCTL_SOCKET=$T/control "$build/dcbctl" "$@"; }
start_dcbd
wait_for 5 "swp1 is up" eval 'ctl status dev swp1 | grep -q "^swp1 *up "'

value() { "$build/tests/system/mo_probe" get $T/control "$1"; }

# sets COMMAND OBJECT.INDEX VALUE: the command, which is silent, gives the object this value, a number.
sets() {
	local out
	# shellcheck disable=SC2086 # words
	out=$(ctl $1 2>&1) || fail "dcbctl $1: status $?"
	is "output of dcbctl $1" "$out" ''
	is "$2 after dcbctl $1" "$(value "$2")" "$3"
}

test_each_command_sets_its_objects() {
	sets "pfc set dev swp1 prio-pfc 3:on 4:off" dcbPfcPriorityEnable.$swp1.3 1
	sets "pfc set dev swp1 prio-direction 3:receive 4:transmit" dcbPfcPriorityDirection.$swp1.4 3
	is "direction of 3" "$(value dcbPfcPriorityDirection.$swp1.3)" 2
	is "direction" "$(ctl pfc show dev swp1 prio-direction)" "prio-direction 0:both 1:both 2:both 3:receive \
4:transmit 5:both 6:both 7:both"
	sets "pfc set dev swp1 prio-direction all:both" dcbPfcPriorityDirection.$swp1.3 1
	sets "pfc set dev swp1 delay 0x1000" ieee8021PfcLinkDelayAllowance.$swp1 4096
	sets "pfc set dev swp1 prio-pfc all:off" dcbPfcPriorityEnable.$swp1.3 2
	sets "ets set dev swp1 tc-tsa 0:ets 1:ets tc-bw 0:50 1:50 prio-tc 0:0 1:1" \
		lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.$swp1.1 2
	is "bandwidth" "$(value lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$swp1.1)" 50
	is "traffic class" "$(value lldpXdot1dcbxAdminETSConPriTrafficClass.$swp1.1)" 1
	sets "app add dev swp1 dscp-prio 46:5" lldpXdot1dcbxAdminApplicationPriorityAEPriority.$swp1.5.46 5
	sets "apptrust set dev swp1 order dscp pcp" dcbPortTrust.$swp1 3
	sets "rewr add dev swp1 prio-dscp 3:AF31" dcbRewriteDscp.$swp1.3 26
	sets "ecn set dev swp1 prio 3 enable on min 1000 max 2000" dcbEcnMaximum.$swp1.3 2000
	sets "cn set dev swp1 prio 3 def-mode-choice admin admin-defense-mode interior-ready" \
		ieee8021CnPortPriAdminDefenseMode.1.3.$swp1 3
	sets "cp set dev swp1 prio 3 set-point 26001" ieee8021CnCpQueueSizeSetPoint.1.$swp1.3 26001
	sets "headroom set dev swp1 cable-length 200 cable-medium fibre" dcbPfcHeadroomCableLength.$swp1 200
	sets "watchdog set dev swp1 prio 3,4 action drop detection-time 300" \
		dcbPfcWatchdogDetectionTime.$swp1.4 300
}

test_show_prints_what_set_reads() {
	local family keys now
	is "pfc" "$(ctl pfc show dev swp1 delay prio-pfc)" \
		"$(printf 'delay 4096\nprio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off')"
	is "ets" "$(ctl ets show dev swp1 tc-tsa)" \
		"tc-tsa 0:ets 1:ets 2:strict 3:strict 4:strict 5:strict 6:strict 7:strict"
	is "cn" "$(ctl cn show dev swp1 admin-defense-mode defense-mode)" \
		"prio 3 admin-defense-mode interior-ready defense-mode interior-ready"
	is "dscp by name" "$(ctl app show dev swp1 dscp-prio)" "dscp-prio EF:5"
	is "dscp by number" "$(ctl -N app show dev swp1 dscp-prio)" "dscp-prio 46:5"
	# The output of show, as arguments of set, changes nothing.
	for family in "ets tc-tsa tc-bw prio-tc willing" "pfc prio-pfc delay willing tx-enable" \
		"headroom phy choice maximum measure" "cp set-point weight" \
		"watchdog action window hold-down"; do
		keys=${family#* } family=${family%% *}
		# shellcheck disable=SC2086 # words
		now=$(ctl $family show dev swp1 $keys)
		# shellcheck disable=SC2086 # words
		ctl $family set dev swp1 $now || fail "$family set: $now"
		# shellcheck disable=SC2086 # words
		is "$family after set" "$(ctl $family show dev swp1 $keys)" "$now"
	done
	like "counters" "$(ctl counters show dev swp1)" '^rx-frames [0-9]+ rx-octets '
	is "counters of pfc" "$(ctl pfc show dev swp1 | grep -c requests)" 0
	is "counters of pfc, -s" "$(ctl -s pfc show dev swp1 | grep -c requests)" 1
	is "no storm" "$(ctl storms show dev swp1)" ''
	like "report of headroom" "$(ctl headroom show swp1)" 'way configured, choice automatic'
	like "reasons of cn" "$(ctl cn swp1)" 'set by management'
}

test_replace_del_and_flush() {
	local out
	out=$(ctl app add dev swp1 dscp-prio 46:6 2>&1) && fail "a second priority was added: $out"
	is "add" "$out" 'dcbctl: swp1: dscp-prio 46:6: it has priority 5: use replace'
	ctl app replace dev swp1 dscp-prio 46:6 10:1 default-prio 2
	out=$(ctl app del dev swp1 dscp-prio 46:5 2>&1) && fail "another priority was deleted: $out"
	ctl app del dev swp1 dscp-prio 46:6
	is "after del" "$(ctl app show dev swp1 dscp-prio default-prio)" "$(printf 'default-prio 2\ndscp-prio AF11:1')"
	ctl app flush dev swp1 dscp-prio
	is "after flush of one" "$(ctl app show dev swp1 dscp-prio default-prio)" "default-prio 2"
	ctl app flush dev swp1
	is "after flush" "$(ctl app show dev swp1 default-prio)" ''
}

test_file_of_commands_is_one_transaction() {
	local published swp2
	swp2=$(ifindex swp2)
	published=$(value dcbEngineConfigPublished.0)
	cat >$T/good <<-END
		# a CNPV, and the settings of its congestion point, which exists with it
		set ieee8021CnComPriRowStatus.1.5 createAndGo
		cp set dev swp1 prio 5 set-point 30000   # octets
		app add dev swp1 dscp-prio 10:1 11:2
		app flush dev swp1
		app add dev swp1 dscp-prio 12:4
		set dcbPfcPriorityEnable.swp2.3 true dcbPfcPriorityEnable.swp2.4 true
		pfc set dev swp2 prio-pfc 4:off
		rewr add dev swp2 prio-dscp 3:AF31 4:AF41
		rewr del dev swp2 prio-dscp 4:AF41
	END
	is "output" "$(ctl -b $T/good 2>&1)" ''
	is "configurations published" "$(($(value dcbEngineConfigPublished.0) - published))" 1
	is "set point" "$(value ieee8021CnCpQueueSizeSetPoint.1.$swp1.5)" 30000
	is "applications" "$(ctl app show dev swp1 dscp-prio)" "dscp-prio AF12:4"
	is "PFC" "$(ctl pfc show dev swp2 prio-pfc)" "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off"
	is "DSCPs" "$(value dcbRewriteDscp.$swp2.3) $(value dcbRewriteDscp.$swp2.4)" "26 -1"
	like "add to an assignment before it" "$(printf '%s\n' "rewr flush dev swp2" "rewr add dev swp2 prio-dscp 3:EF" \
		"rewr add dev swp2 prio-dscp 3:AF31" | ctl -b - 2>&1)" 'prio-dscp 3: it has EF: use replace'
	is "DSCP" "$(value dcbRewriteDscp.$swp2.3)" 26
	# -j prints the objects set.
	is "JSON" "$(echo "pfc set dev swp2 delay 99" | ctl -j -b - | jq -c '.[0] | [.object, .value]')" \
		'["ieee8021PfcLinkDelayAllowance",99]'
}

test_all_errors_of_a_file_are_reported_and_nothing_is_set() {
	local out published
	published=$(value dcbEngineConfigPublished.0)
	cat >$T/bad <<-END
		pfc set dev swp1 delay 77
		pfc set dev swp3 delay 77 prio-pcf 3:on
		cp set dev swp1 prio 3 set-point 99
		wach dcbPortTable
	END
	out=$(ctl -b $T/bad 2>&1) && fail "a file with errors: status 0"
	is "errors" "$out" "$(
		cat <<-END
			dcbctl: $T/bad:2: expected the name or ifIndex of a port of dcbd, not "swp3"; did you mean "swp1"?
			dcbctl: $T/bad:2: pfc: unknown keyword "prio-pcf"; did you mean "prio-pfc"?
			dcbctl: $T/bad:3: cp set-point: expected 100..4294967295 octets, not "99"
			dcbctl: $T/bad:4: expected set, or pfc, ets, app, apptrust, rewr, ecn, cn, cp, rp, headroom or watchdog, not "wach"
			dcbctl: $T/bad: 4 errors: nothing was set
		END
	)"
	# dcbd refuses two of the lines: neither CNPV exists.
	cat >$T/refused <<-END
		cp set dev swp1 prio 6 set-point 30000
		pfc set dev swp1 delay 77
		cp set dev swp2 prio 7 set-point 30000
	END
	out=$(ctl -b $T/refused 2>&1) && fail "a refused file: status 0"
	like "errors of dcbd" "$out" "refused:1: swp1: set-point 6: inconsistentName: .*; \"dcbctl set ieee8021CnComPriRowStatus.1.6 createAndGo\" makes .*refused:3: swp2: set-point 7: inconsistentName"
	is "delay" "$(value ieee8021PfcLinkDelayAllowance.$swp1)" 4096
	is "configurations published" "$(value dcbEngineConfigPublished.0)" "$published"
}

# on_terminal WIDTH ARGUMENT...: what dcbctl prints on a terminal.
on_terminal() {
	DCBCTL_SOCKET=$T/control script -qec "stty cols $1; $build/dcbctl ${*:2}" /dev/null </dev/null | tr -d '\r'
}

test_status_fits_the_terminal() {
	local width longest out
	like "status" "$(ctl status)" $'swp1 +up +10G +- +3:interior-ready 5:edge +- +0 +0\nswp2 +up +25G +3 +'
	# script makes a terminal; with no terminal, all columns are printed.
	for width in 120 60 40; do
		DCBCTL_SOCKET=$T/control script -qec "stty cols $width; $build/dcbctl status; $build/dcbctl cp show; $build/dcbctl watchdog show" \
			/dev/null </dev/null >$T/terminal || fail "script: $(cat $T/terminal)"
		longest=$(tr -d '\r' <$T/terminal | awk '{ if (length($0) > n) n = length($0) } END { print n }')
		at_most "columns at a width of $width" "$longest" $width
		is "ports at a width of $width" "$(grep -cE '^swp[12] +[^ ]' $T/terminal)" 2
		# A line for each port and one above them: nothing is folded.
		out=$(on_terminal $width status)
		is "lines at a width of $width" "$(wc -l <<<"$out")" 3
		is "words at a width of $width" "$(awk '{ print $1 }' <<<"$out" | xargs)" "PORT swp1 swp2"
	done
	is "status -w" "$(on_terminal 40 -w status)" "$(ctl status)"
	is "cp -w" "$(on_terminal 40 -w cp show)" "$(ctl cp show)"
}

# For people only: JSON and objects have the counters of dcbd.
test_cleared_counters_begin_at_zero() {
	local all send="nsenter --net=/run/netns/h1 -- $build/tests/system/frames send eth0 -d ff:ff:ff:ff:ff:ff -n"
	export XDG_RUNTIME_DIR=$T/run
	mkdir -p $T/run
	shown() { ctl counters show dev swp1 rx-frames | tail -n 1; }
	$send 5 || fail "cannot send frames"
	wait_for 5 "five frames are counted" eval '[ "$(value dcbPortRxFrames.$swp1)" -ge 5 ]'
	all=$(value dcbPortRxFrames.$swp1)
	is "before" "$(shown)" "rx-frames $all"
	ctl clear counters || fail "cannot clear the counters"
	like "cleared" "$(ctl counters show dev swp1 rx-frames)" $'^counters since [0-9TZ:-]*\nrx-frames 0$'
	is "JSON" "$(ctl -j counters show dev swp1 rx-frames | jq '.[0].rx_frames')" "$all"
	$send 3 || fail "cannot send frames"
	wait_for 5 "three frames are shown" eval '[ "$(shown)" = "rx-frames 3" ]'
	ctl clear --undo counters || fail "cannot undo"
	is "undone" "$(ctl counters show dev swp1 rx-frames)" "rx-frames $((all + 3))"
}

run_tests
