#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Masters that fail: dcb-agentx has all its roots again as soon as there is a sound master, and
# requests of any length cost neither the session nor memory.
#
#   DCB_DEATHS=N         failures of the scripted master (default: 160)
#   DCB_SNMPD_DEATHS=N   deaths of snmpd while dcb-agentx registers (default: 6)
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

agentx_wait=400
deaths=${DCB_DEATHS:-$((160 / slow))}
snmpd_deaths=${DCB_SNMPD_DEATHS:-$((6 / (slow > 1 ? 2 : 1)))}
cp7=ieee8021CnCpQueueSizeSetPoint

# scripted OPTION...: runs the scripted master; $result has its results by name.
declare -A result=()
scripted() {
	local words
	result=()
	"$build/tests/system/agentx_master" -d $T -s "$DCB_SEED" -l $((3000 * patience)) "$@" \
		"$build/dcb-agentx" -c $T/none -T 400 >$T/out 2>$T/subagents.log ||
		fail "agentx_master $*: $(grep -h 'wedged:\|agentx_master:' $T/out $T/subagents.log | head -n 5)"
	sed 's/^/    /' $T/out
	read -ra words < <(tail -n 1 $T/out)
	[ "${words[0]-}" = rounds ] || return 1
	while [ ${#words[@]} -ge 2 ]; do
		result[${words[0]}]=${words[1]}
		words=("${words[@]:2}")
	done
}

# The master fails at a random octet of the conversation in a random way; the subagent registers
# again with the next sound one.
test_all_roots_return_after_any_failure() {
	scripted -j 20 -n "$deaths" || return
	is "wedged subagents" "${result[wedged]}" 0
	is "rounds" "${result[rounds]}" "$deaths"
	timed at_most "longest ms until all roots are registered" "${result[longest]}" 1500
}

# Each attempt to connect is not a message of its own: one for the loss, one for the session.
test_failures_are_logged_once() {
	local lost opened
	lost=$(grep -c 'warning: agentx: session with the master lost' $T/subagents.log)
	opened=$(grep -c 'dcb-agentx: agentx: session opened' $T/subagents.log)
	at_most "lost sessions logged" "$lost" "$opened"
	at_most "messages" "$(grep -c ': agentx: ' $T/subagents.log)" $((2 * opened + 20))
	! grep 'another subagent' $T/subagents.log || fail "dcb-agentx takes itself for another subagent"
}

test_header_that_announces_4_gb_costs_nothing() {
	scripted -j 6 -k announces -n 6 || return
	at_most "KB of memory that the largest subagent needed more" "${result[memory]}" $((20000 * slow))
}

start_snmpd
start fake "$build/tests/system/fake_dcbd" -n 32 $T/control
wait_for 10 "fake_dcbd listens" test -S $T/control || die "fake_dcbd does not listen"
start_agentx

connected() { # dcb-agentx has more descriptors than without a session
	local fds=("/proc/${pid_of[agentx]}/fd/"*)
	[ ${#fds[@]} -gt "$descriptors" ]
}

# snmpd is killed 0 to 60 ms after dcb-agentx connects, so while it registers.
test_all_roots_return_after_snmpd_dies_during_registration() {
	local i fds longest=0
	wait_for 10 "all objects" served
	fds=("/proc/${pid_of[agentx]}/fd/"*)
	descriptors=$((${#fds[@]} - 1))
	for ((i = 0; i < snmpd_deaths; i++)); do
		stop snmpd KILL
		wait_for 5 "end of the connection" eval '! connected'
		start_snmpd_only
		wait_for 5 "connection" connected
		pause 0.0$((RANDOM % 7))$((RANDOM % 10))
		stop snmpd KILL
		start_snmpd
		wait_for 10 "all objects after death $i" served || return
		[ "$waited" -le $longest ] || longest=$waited
	done
	timed at_most "longest ms until all roots are served" $longest 1500
}
# As start_snmpd, without waiting for an answer.
start_snmpd_only() {
	SNMP_PERSISTENT_DIR=$T/snmp/master start snmpd snmpd -f -LE w -C -c $T/snmpd.conf \
		-I -smux,mteTrigger,mteTriggerConf -p $T/snmpd.pid
}

# get_many N AGENT: a GET of N varbinds by a community that may only read; puts the number of values
# or the error-status into $answer.
get_many() {
	answer=$("$build/tests/system/snmp_batch" -v2c -c public -t 60 -r 0 "$2" <<<"many $1 ${O[$cp7]}.1.1.1" 2>&1)
}
lost_sessions() { grep -c 'session with the master lost' "${log_of[agentx]}"; }

# Net-SNMP's master neither sends nor accepts an AgentX PDU longer than 65536 octets: 909 of these
# varbinds fit into a Response, 963 into a request.
test_long_requests_are_answered_or_too_big() {
	local n before agentx_wait=20000
	stop snmpd
	start_snmpd "agentaddress tcp:$agent"
	stop agentx
	start_agentx
	before=$(lost_sessions)
	for n in 2 850 930 1100 1350 5000; do
		get_many $n "$([ $n -lt 5000 ] || echo tcp:)$agent"
		is "answer to $n varbinds" "$answer" "$([ $n -le 850 ] && echo $n || echo tooBig)"
		served || fail "objects are not served after a GET of $n varbinds"
	done
	is "lost sessions" "$(lost_sessions)" "$before"
}

run_tests
