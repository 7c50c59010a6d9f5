#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# SETs over ports of two providers, one of which refuses, fails or loses a port: by SNMP and by
# dcbctl the error and the variable are the ones that it is about, and objects, state file and
# providers are what they were before. What the providers do is said to provider_dcbd.c.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
mkfifo $T/orders

start_double() {
	start double "$build/tests/system/provider_dcbd" $T/control $T/state/state $T/orders
	wait_for 10 "provider_dcbd listens" test -S $T/control || die "no provider_dcbd"
}

# tell ORDER...: what the providers do from now on; returns when they have been told.
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

# picture NAME: of all objects, of the state file, and of what the providers have.
picture() {
	fresh
	walk_all | settled >"$T/$1.objects"
	cp $T/state/state "$T/$1.state"
	tell "show $T/$1.providers"
}

# unchanged WHAT: since "picture before".
unchanged() {
	local kind
	picture after
	for kind in objects state providers; do same "$1: $kind" "$T/before.$kind" "$T/after.$kind"; done
	! grep -E 'not as in dcbd|prepared' $T/after.providers || fail "$1: a provider has something else"
}

# A SET of objects of both providers works, on all ports that are there.
round=0
works() {
	local held
	round=$((round + 1))
	put $allowance.101 $((1000 + round)) $point.1.103.3 $((20000 + round)) $enable.102.1 $((1 + round % 2))
	tell "show $T/works"
	! grep -E 'not as in dcbd|prepared' $T/works || fail "a provider has something else than dcbd"
	like "first" "$(cat $T/works)" "port101 allowance $((1000 + round)) "
	is "objects" "$(get $allowance.101 $point.1.103.3 $enable.102.1 | tr '\n' ' ')" \
		"$((1000 + round)) $((20000 + round)) $((1 + round % 2)) "
}

# fails WHAT SNMP-ERROR DCBCTL-ERROR INDEX REASON ORDER... -- NAME.INSTANCE VALUE...: the SET is
# refused with these errors, for the variable of this index, 0 being none, while the providers do
# as ordered. REASON is that of dcbctl.
fails() {
	local what=$1 by_snmp=$2 by_dcbctl=$3 index=$4 reason=$5 orders=()
	shift 5
	while [ "$1" != -- ]; do
		orders+=("$1")
		shift
	done
	shift
	picture before
	tell "${orders[@]}"
	fails_by_snmp "$what" "$by_snmp" "$index" "$@"
	unchanged "$what, SNMP"
	tell obey
	works
	picture before
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

# A CNPV, and a state file.
put ieee8021CnComPriRowStatus.1.3 4 $allowance.101 10 $allowance.102 20 $allowance.103 30
works

# One variable of each port, in four tables of four modules.
set_of() { # NUMBER
	all=($allowance.101 $((40 + $1)) $enable.102.6 1 $point.1.103.3 $((30000 + $1)) $willing.104 1)
}
set_of 0
cannot='fake cannot: expected another'
fault='fake does not obey'

test_refused_for_each_reason() {
	fails "resource" resourceUnavailable resourceUnavailable 4 "port104: $cannot" \
		"refuse second resource 104 any 0" -- "${all[@]}"
	fails "value" inconsistentValue inconsistentValue 1 "port101: $cannot" \
		"refuse first value 101 any 0" -- "${all[@]}"
}

run_tests
