#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# SETs for ports of two providers, one of which refuses, fails or loses a port. SNMP and dcbctl
# report the error and the variable at fault; objects, state file and providers are as before.
# provider_dcbd.c describes the orders to the providers.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
mkfifo $T/orders

start_double() {
	start double "$build/tests/system/provider_dcbd" $T/control $T/state/state $T/orders
	wait_for 10 "provider_dcbd listens" test -S $T/control || die "provider_dcbd does not listen"
}

# tell ORDER...: sends orders to the providers and waits until they have been read.
tell() {
	local order before
	for order; do
		before=$(count_done)
		printf '%s\n' "$order" >$T/orders
		wait_for 5 "$order" is_done $((before + 1))
	done
}
count_done() { grep -c '^done: ' "${log_of[double]}"; }
is_done() { [ "$(count_done)" -ge "$1" ]; }

start_double
start_snmpd
start_agentx

allowance=ieee8021PfcLinkDelayAllowance
enable=dcbPfcPriorityEnable
watchdog=dcbPfcWatchdogAction
willing=lldpXdot1dcbxAdminPFCWilling
point=ieee8021CnCpQueueSizeSetPoint

# picture NAME: records all objects, the state file, and the providers' configurations.
picture() {
	fresh
	walk_all -Cr100 | settled >"$T/$1.objects"
	cp $T/state/state "$T/$1.state"
	tell "show $T/$1.providers"
}

# unchanged WHAT: all is as in "picture before", the state after the setup, which every test
# restores.
unchanged() {
	local kind
	picture after
	for kind in objects state providers; do same "$1: $kind" "$T/before.$kind" "$T/after.$kind"; done
	! grep -E 'not as in dcbd|prepared' $T/after.providers || fail "$1: a provider's configuration differs from dcbd's"
}

# A SET for ports of both providers succeeds, and another one sets the old values again.
works() {
	put $allowance.101 11 $point.1.103.3 20000 $enable.102.1 1
	tell "show $T/works"
	! grep -E 'not as in dcbd|prepared' $T/works || fail "a provider's configuration differs from dcbd's"
	is "ports of the first provider" "$(grep -c 'port101 allowance 11 .*set point 26000\|port103 .* set point 20000' $T/works)" 2
	is "ports of the second provider" "$(grep -c 'port102 .* pfc 02 ' $T/works)" 1
	is "objects" "$(get $allowance.101 $point.1.103.3 $enable.102.1 | tr '\n' ' ')" '11 20000 1 '
	put $allowance.101 10 $point.1.103.3 26000 $enable.102.1 2
}

# fails WHAT SNMP-ERROR DCBCTL-ERROR INDEX REASON ORDER... -- NAME.INSTANCE VALUE...: while the
# providers follow the orders, the SET fails with these errors for the variable number INDEX, or for
# none if it is 0. REASON is dcbctl's text.
fails() {
	local what=$1 by_snmp=$2 by_dcbctl=$3 index=$4 reason=$5 orders=()
	shift 5
	while [ "$1" != -- ]; do
		orders+=("$1")
		shift
	done
	shift
	tell "${orders[@]}"
	fails_by_snmp "$what" "$by_snmp" "$index" "$@"
	unchanged "$what, SNMP"
	tell obey
	works
	tell "${orders[@]}"
	fails_by_dcbctl "$what" "$by_dcbctl" "$index" "$reason" "$@"
	unchanged "$what, dcbctl"
	tell obey
	works
}

fails_by_snmp() { # WHAT ERROR INDEX NAME.INSTANCE VALUE...
	local what=$1 wanted=$2 index=$3
	shift 3
	try_culprit "$@"
	is "$what: error" "$error" "$wanted"
	if [ "$index" = 0 ]; then
		is "$what: variable" "$culprit" ''
	else
		oids "${@:index * 2 - 1:1}"
		is "$what: variable" "$culprit" ".${oids[0]}"
	fi
}

fails_by_dcbctl() { # WHAT ERROR INDEX REASON NAME.INSTANCE VALUE...
	local what=$1 wanted=$2 index=$3 reason=$4 out where=''
	shift 4
	[ "$index" = 0 ] || where="${*:index * 2 - 1:1}: "
	out=$("$build/dcbctl" -s $T/control set "$@" 2>&1)
	is "$what: status of dcbctl" $? 1
	is "$what: dcbctl" "$out" "dcbctl: $where$wanted: $reason"
}

# Makes a CNPV and a state file.
put ieee8021CnComPriRowStatus.1.3 4 $allowance.101 10 $allowance.102 20 $allowance.103 30
put $point.1.103.3 26000 # works() sets it: the state file has it from then on
picture before
works

# A variable of each port, in four MIB modules.
all=($allowance.101 40 $enable.102.6 1 $point.1.103.3 30000 $willing.104 1)
# Two ports of the first provider, and one of the second.
both=($allowance.101 41 $enable.102.6 1 $allowance.103 43)
cannot='fake cannot: expected another'
fault='fake does not obey'

test_refused_for_each_reason() {
	fails "resource" resourceUnavailable resourceUnavailable 4 "port104: $cannot" \
		"refuse second resource 104 any 0" -- "${all[@]}"
	fails "value" inconsistentValue inconsistentValue 1 "port101: $cannot" \
		"refuse first value 101 any 0" -- "${all[@]}"
}

# The variable at fault is the port's first of the kind that the provider names; without a name its
# first one.
test_error_names_variable_at_fault() {
	local about=($enable.103.2 1 $enable.102.2 1 $allowance.103 50 $allowance.102 60)
	fails "headroom" inconsistentValue inconsistentValue 4 "port102: $cannot" \
		"refuse second value 102 headroom 0" -- "${about[@]}"
	fails "unknown" resourceUnavailable resourceUnavailable 2 "port102: $cannot" \
		"refuse second resource 102 any 0" -- "${about[@]}"
}

# A SET that is accepted in TestSet and refused in CommitSet, for which SNMP has only commitFailed.
test_refused_in_commit() {
	fails "second" commitFailed inconsistentValue 4 "port104: $cannot" \
		"refuse second value 104 pfc 1" -- "${all[@]}"
	fails "first" commitFailed resourceUnavailable 3 "port103: $cannot" \
		"refuse first resource 103 any 1" -- "${all[@]}"
}

test_failed_commit_is_undone() {
	fails "first" commitFailed commitFailed 1 "port101: $fault" \
		"fail first 101 0 1" -- "${all[@]}"
	fails "second, when the first has committed" commitFailed commitFailed 2 "port102: $fault" \
		"fail second 102 0 1" -- "${all[@]}"
}

# The first provider fails to undo its commit when the second one fails, and succeeds in UndoSet.
test_undo_that_fails_once() {
	fails "undo that fails once" commitFailed commitFailed 4 "port104: $fault; not undone yet: $fault" \
		"fail second 104 0 1" "fail first 101 1 1" -- "${all[@]}"
}

# A provider writes its ports one after another: all of them or none.
test_port_that_refuses_leaves_others_unchanged() {
	local fault='fake cannot be written'
	fails "second port" commitFailed commitFailed 3 "port103: $fault" "write 103 0 1" -- "${both[@]}"
	fails "undo that fails once" commitFailed commitFailed 3 "port103: $fault" \
		"write 103 0 1" "write 101 1 1" -- "${both[@]}"
}

# undo_fails REASON INDEX WRONG VARBINDS ORDER...: UNDO fails too, and the ports WRONG do not have
# what dcbd has.
undo_fails() {
	local reason=$1 index=$2 wrong=$3 by kind
	local -n values=$4
	shift 4
	for by in snmp dcbctl; do
		tell "$@"
		if [ $by = snmp ]; then
			try_culprit "${values[@]}"
			is "error" "$error" undoFailed
		else
			fails_by_dcbctl "dcbctl" undoFailed $index "$reason" "${values[@]}"
		fi
		picture after
		for kind in objects state; do same "$by: $kind" $T/before.$kind $T/after.$kind; done
		is "not undone" "$(sed -n 's/^ *\([^ ]*\) .* not as in dcbd$/\1/p' $T/after.providers | tr '\n' ' ')" "$wrong"
		! grep prepared $T/after.providers || fail "$by: prepared"
		tell obey
		works
	done
}

# The first provider also fails in UndoSet: it has a configuration that objects and state file do
# not have, until the next SET. By RFC 3416 the error-index is 0 then, but the master may keep that
# of CommitSet.
test_undo_that_fails_twice() {
	undo_fails "port104: $fault; not undone yet: $fault" 4 "port101 port103 " all \
		"fail second 104 0 1" "fail first 101 1 2"
	undo_fails "port103: fake cannot be written" 3 "port101 " both "write 103 0 1" "write 101 1 2"
}

test_port_without_the_object() {
	fails "no headroom" noCreation noCreation 2 "the row does not exist, and setting this object does not create it" \
		-- $allowance.101 44 $allowance.104 44 $enable.102.6 1
	fails "watchdog that cannot be set" notWritable notWritable 3 "the object is read-only" \
		-- $watchdog.101.1 2 $enable.102.6 1 $watchdog.104.1 2
}

is_gone() { ! has_row $enable "$1.0"; } # PORT

# comes_back PORT: the removed port is added again and has its settings; nothing else has changed.
# Until the state file is written again it has settings of absent ports at its end.
comes_back() {
	wait_for 5 "port $1 is gone" is_gone "$1"
	tell obey
	refused inconsistentName $enable.102.1 1 $watchdog.$1.1 1
	tell "add $1"
	works
	unchanged "port $1 is back"
}

test_port_is_removed_between_test_and_commit() {
	local port index
	for port in 101 104; do
		index=$((port - 100))
			tell "remove $port tested"
		fails_by_snmp "SNMP" commitFailed $index "${all[@]}"
		same "state" $T/before.state $T/state/state
		comes_back $port
			tell "remove $port tested"
		fails_by_dcbctl "dcbctl" inconsistentName $index "the row does not exist now, and setting this object does not create it" "${all[@]}"
		same "state" $T/before.state $T/state/state
		comes_back $port
	done
}

# The provider sees the removal first and fails to commit; at UndoSet the port is gone. In the
# second round UndoSet has something to undo, as the first provider failed to undo its commit.
test_port_is_removed_between_commit_and_undo() {
	local failures
	for failures in 0 1; do
			tell "fail first 101 1 $failures" "fail second 102 0 1" "remove 102 failed"
		fails_by_snmp "SNMP" commitFailed 2 "${all[@]}"
		comes_back 102
	done
}

# With variables in random order and a random failing port, the error is for that port's variable.
test_order_does_not_matter() {
	local order port i k index
	for ((i = 0; i < 6; i++)); do
		order=() port=$((101 + RANDOM % 4))
		for k in $(shuf -i 0-3 --random-source=<(yes "$seed$i")); do
			order+=("${all[2 * k]}" "${all[2 * k + 1]}")
			[ $((101 + k)) -ne $port ] || index=$((${#order[@]} / 2))
		done
			tell "fail $([ $((port % 2)) = 1 ] && echo first || echo second) $port 0 1"
		fails_by_snmp "round $i" commitFailed $index "${order[@]}"
		unchanged "round $i"
	done
	works
}

# After all tests the state file has the values in force.
test_restart_loads_values_in_force() {
	stop double
	start_double
	wait_for 10 "dcb-agentx serves its objects again" served
	unchanged "restart"
	put "${all[@]}"
	is "objects" "$(get "${all[0]}" "${all[2]}" "${all[4]}" "${all[6]}" | tr '\n' ' ')" \
		"${all[1]} ${all[3]} ${all[5]} ${all[7]} "
}

run_tests
