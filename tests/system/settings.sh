#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbctl save and diff: a saved file, set in a dcbd without state and saved again, is the same, with rows
# that SET creates, sets of VLANs and names of ports.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

dcbctl() { "$build/dcbctl" -s $T/control "$@"; }
host h1 sw1
host h2 sw2
host h3 sw.3 # a name with a dot cannot be in an index
dcbd_conf 'interfaces = { include = [ "sw*" ]; };'
start_dcbd
sw2=$(ifindex sw2) sw3=$(ifindex sw.3)

# apply FILE: sets all of a batch file in one transaction.
apply() {
	local words=()
	mapfile -t words < <(sed 's/^set //' "$1" | tr ' ' '\n')
	[ ${#words[@]} -eq 0 ] || dcbctl set "${words[@]}" >/dev/null
}
reset() {
	stop dcbd
	rm -f $T/state/*
	start_dcbd
}
object=lldpXdot1dcbxAdminApplicationPriorityAEPriority

test_defaults_are_not_saved() {
	is "saved" "$(dcbctl save)" ""
	: >$T/empty
	dcbctl diff $T/empty || fail "differs from the defaults"
}

test_saved_settings_are_set_again() {
	local n
	dcbctl set dcbPfcPriorityEnable.sw1.3 true dcbPfcHeadroomCableLength.sw2 50 dcbVlanPortEgress.sw1 1,10-20 \
		ieee8021CnComPriRowStatus.1.3 createAndGo ieee8021CnComPriAlternatePriority.1.3 2 \
		ieee8021CnComPriRowStatus.1.5 createAndWait $object.sw1.1.35078 3 \
		dcbStaticUnicastPort.1.2.0.0.0.0.9 $sw2 dcbStaticUnicastRowStatus.1.2.0.0.0.0.9 createAndGo \
		dcbPfcHeadroomCableLength.$sw3 70 dcbNotifyRateLimit.0 7 >/dev/null || die "cannot set"
	# Rows of a CNPV exist when its row does.
	dcbctl set ieee8021CnCpQueueSizeSetPoint.1.sw1.3 30000 >/dev/null || fail "set point"
	dcbctl save >$T/saved || fail "save"
	cat $T/saved
	for n in 'set dcbPfcPriorityEnable.sw1.3 true' 'set dcbVlanPortEgress.sw1 1,10-20' \
		'set ieee8021CnComPriRowStatus.1.3 createAndGo' 'set ieee8021CnComPriRowStatus.1.5 createAndWait' \
		"set $object.sw1.1.35078 3" "set dcbPfcHeadroomCableLength.$sw3 70" \
		'set ieee8021CnCpQueueSizeSetPoint.1.sw1.3 30000' 'set dcbNotifyRateLimit.0 7'; do
		grep -qxF "$n" $T/saved || fail "not saved: $n"
	done
	dcbctl diff $T/saved || fail "differs from what was saved"
	reset
	is "saved after the reset" "$(dcbctl save)" ""
	dcbctl diff $T/saved >$T/out && fail "no difference after the reset"
	sed 's/^set/-set/' $T/saved | sort >$T/wanted
	grep '^-' $T/out | sort >$T/got
	same "differences" $T/got $T/wanted
	apply $T/saved || fail "cannot set what was saved"
	dcbctl save >$T/again
	same "saved again" $T/saved $T/again
	dcbctl diff $T/saved || fail "differs after it was set"
}

test_diff_prints_both_values() {
	local out
	dcbctl set dcbPfcHeadroomCableLength.sw2 60 >/dev/null
	out=$(dcbctl diff - <$T/saved)
	is "status" $? 1
	is "difference" "$out" $'-set dcbPfcHeadroomCableLength.sw2 50\n+set dcbPfcHeadroomCableLength.sw2 60'
	out=$(dcbctl -j diff $T/saved | tr -d ' \n')
	is "JSON" "$out" '[{"version":1,"object":"dcbPfcHeadroomCableLength","instance":"'$sw2'","file":50,"dcbd":60,"port":"sw2"}]'
	# A line with a default is a difference if dcbd has another value; a comment is none.
	printf '# nothing\n\nset dcbNotifyRateLimit.0 5 dcbPfcPriorityEnable.sw2.3 false\n' >$T/file
	like "default in a file" "$(dcbctl diff $T/file)" '-set dcbNotifyRateLimit.0 5'
	dcbctl set dcbPfcHeadroomCableLength.sw2 50 >/dev/null
	# The last line counts, as with -b, and a comment can be behind a setting.
	{
		echo "set dcbPfcHeadroomCableLength.sw2 1"
		cat $T/saved
		echo "set dcbNotifyRateLimit.0 6"
		echo "set dcbNotifyRateLimit.0 7 # as before"
	} >$T/file
	dcbctl diff $T/file || fail "differs in a line that does not count"
}

test_all_errors_of_a_file_are_printed() {
	local out
	printf 'set nonsense.0 1\nget dcbNotifyRateLimit.0\nset dcbNotifyRateLimit.0\nset dcbPfcPriorityEnable.sw1.3 maybe\n' >$T/bad
	printf 'set dcbPfcPriorityEnable.sw9.3 true\n' >>$T/bad
	out=$(dcbctl diff $T/bad 2>&1)
	is "status" $? 2
	is "errors" "$(grep -o '^dcbctl: /run/dcb/bad:[1-5]: ' <<<"$out" | tr -dc '1-5')" 12345
	like "value" "$out" 'dcbPfcPriorityEnable.sw1.3: expected one of true, false, not "maybe"'
	out=$(dcbctl diff $T/missing 2>&1)
	is "status without file" $? 2
	is "no file" "$out" "dcbctl: $T/missing: No such file or directory"
	out=$(dcbctl -j save 2>&1) && fail "-j save: $out"
}

run_tests
