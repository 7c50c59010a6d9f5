#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# snmpd, dcb-agentx, dcbd and lldpd end, start, hang and are started twice. Settings are kept, and
# managers are served again in time.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

dcbctl=$build/dcbctl
a=100001
conf=('memory_ports = 32;' 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } );')

# The programs can be started in any order.
test_start_in_any_order() {
	dcbd_conf "${conf[@]}"
	start agentx "$build/dcb-agentx" -x unix:$T/master -c $T/control
	wait_for 5 "log of the missing master" logged agentx 'no master at .* yet'
	start_snmpd
	wait_for 5 "an answer without dcbd" eval '[[ $(get dcbAgentRole.0) == *genError* ]]'
	start_dcbd
	wait_for 5 "dcb-agentx serves its objects" served
}

# load: walks until "unload"; output that is not a value goes to $T/odd.
load() {
	# Line-buffered, so that an unbuffered error message does not split a line.
	snmpbulkwalk() { stdbuf -oL snmpbulkwalk "$@"; }
	while [ ! -e $T/enough ]; do
		walk_all 2>&1 | grep -vE '^\.[0-9.]+ = (INTEGER|Gauge32|Counter32|Counter64|Timeticks|STRING|Hex-STRING): |^\.[0-9.]+ = ""$' >>$T/odd
	done
}

unload() { # PID...
	: >$T/enough
	wait "$@" 2>/dev/null
	rm $T/enough
}

descriptors() { find "/proc/${pid_of[$1]}/fd" -type l | wc -l; }
resident() { awk '/^VmRSS/ { print $2 }' "/proc/${pid_of[$1]}/status"; }

# dcb-agentx registers again and no setting is lost; on an idle machine within its ping interval of
# one second after the new master's first answer. agentx_faults.sh has masters that die while it
# registers.
test_registers_again_after_snmpd_restarts() {
	local i walker restarts=12 longest=0 sum=0 before pid=${pid_of[agentx]} fds kb
	before=$(rows ieee8021CnCpQueueSizeSetPoint | wc -l)
	load &
	walker=$!
	for ((i = 1; i <= restarts; i++)); do
		put ieee8021CnCpQueueSizeSetPoint.1.$a.3 $((30000 + i))
		if [ $((i % 2)) -eq 0 ]; then stop snmpd; else stop snmpd KILL; fi
		start_snmpd
		wait_for 10 "objects after restart $i" served
		[ "$waited" -le $longest ] || longest=$waited
		sum=$((sum + waited))
		is "set before restart $i" "$(get ieee8021CnCpQueueSizeSetPoint.1.$a.3)" $((30000 + i))
		if [ $i -eq 4 ]; then fds=$(descriptors agentx) kb=$(resident agentx); fi
	done
	unload $walker
	printf '    registered again after at most %d ms, on average %d ms\n' "$longest" $((sum / restarts))
	timed at_most "milliseconds without our objects" "$longest" 1100
	is "rows" "$(rows ieee8021CnCpQueueSizeSetPoint | wc -l)" "$before"
	is "process of dcb-agentx" "${pid_of[agentx]}" "$pid"
	running agentx || fail "dcb-agentx has ended"
	at_most "file descriptors of dcb-agentx" "$(descriptors agentx)" $((fds + 1))
	timed at_most "growth of dcb-agentx in KB" $(($(resident agentx) - kb)) 1000
}

# snmpd is stopped for longer than dcb-agentx needs to detect it (a ping every second, a second for
# its response). dcbctl must not be delayed.
test_dcbctl_while_snmpd_hangs() {
	local longest=0 n=0 start end took i
	kill -STOP "${pid_of[snmpd]}"
	clock
	end=$((now + 2500))
	while clock && [ "$now" -lt $end ]; do
		start=${EPOCHREALTIME/./}
		"$dcbctl" -s $T/control set ieee8021CnCpQueueSizeSetPoint.1.$a.3 $((40000 + n)) >$T/out 2>&1 ||
			fail "dcbctl: $(cat $T/out)"
		took=$(((${EPOCHREALTIME/./} - start) / 1000))
		[ $took -le $longest ] || longest=$took
		n=$((n + 1))
		pause 0.02
	done
	kill -CONT "${pid_of[snmpd]}"
	wait_for 10 "objects after the hang" served
	printf '    %d SETs by dcbctl in the meantime, at most %d ms each; served again after %d ms\n' $n $longest "$waited"
	timed at_most "milliseconds of a SET by dcbctl" $longest 300
	timed at_least "SETs by dcbctl" $n 30
	wait_for 2 "value of the last SET" holds ieee8021CnCpQueueSizeSetPoint.1.$a.3 $((40000 + n - 1))
	put ieee8021CnCpQueueSizeSetPoint.1.$a.3 26000
}

# Another subagent has registered our subtree: dcb-agentx logs it, and registers as soon as the
# subtree is free.
test_subtree_of_another_subagent() {
	local before
	before=$(wc -l <"${log_of[agentx]}")
	stop snmpd
	start_snmpd "pass .$CN.1 /bin/false"
	wait_for 10 "log of the other subagent" eval \
		"tail -n +$((before + 1)) '${log_of[agentx]}' | grep -q 'error: .*$CN.1: another subagent has registered it'"
	wait_for 5 "the other modules are served" eval '[[ $(get dcbAgentRole.0) =~ ^[12]$ ]]'
	wait_for 5 "rows of PFC are served" has_row ieee8021PfcRequests $a
	stop snmpd
	start_snmpd
	wait_for 5 "our rows" has_row ieee8021CnCpPriority 1.$a.3
}

test_second_dcb_agentx_ends() {
	local rc
	start second "$build/dcb-agentx" -x unix:$T/master -c $T/control
	wait_for 5 "the end of the second" eval '! running second'
	wait "${pid_of[second]}" 2>/dev/null
	rc=$?
	unset 'pid_of[second]'
	is "status of the second" $rc 1
	logged second "another dcb-agentx runs for this master: process ${pid_of[agentx]}" || fail "not logged"
	wait_for 5 "the first dcb-agentx serves its objects" served
	# With another path of the same master it does not find the lock: the master refuses the
	# registration.
	ln -s master $T/alias
	start second "$build/dcb-agentx" -x unix:$T/alias -c $T/control
	wait_for 5 "log of the other subagent" logged second 'another subagent has registered it'
	stop agentx KILL
	wait_for 10 "the second dcb-agentx registers" has_row ieee8021CnCpPriority 1.$a.3
	stop second
	start_agentx
}

# A second dcbd does not change the socket and the state file of the first.
test_second_dcbd_changes_nothing() {
	local before
	put ieee8021CnCpQueueSizeSetPoint.1.$a.3 50000
	before=$(stat -c '%y %i' $T/state/state)
	start second "$build/dcbd" -c $T/dcbd.conf
	wait_for 5 "the end of the second" eval '! running second'
	wait "${pid_of[second]}" 2>/dev/null
	is "status of the second" $? 1
	unset 'pid_of[second]'
	logged second "$T/view: .*(in use|already)" || fail "not logged: $(tail -n 1 "${log_of[second]}")"
	is "the state file" "$(stat -c '%y %i' $T/state/state)" "$before"
	put ieee8021CnCpQueueSizeSetPoint.1.$a.3 50001
	"$dcbctl" -s $T/control show dcbAgent >/dev/null || fail "new clients cannot connect to the first dcbd"
}

# probe: sends GETs without pause until "unload"; a line "MILLISECOND value" for each.
probe() {
	while [ ! -e $T/enough ]; do
		clock
		printf '%d %s\n' "$now" "$(get ieee8021CnCpQueueSizeSetPoint.1.$a.3 | tr '\n' ' ')"
	done >$T/probe
}

# GETs return the right value before and after a restart, and at most genErr in between, for a short
# time.
test_values_during_restarts_of_dcbd() {
	local signal prober walker longest seen
	for signal in TERM KILL; do
		put ieee8021CnCpQueueSizeSetPoint.1.$a.3 51000
		: >$T/odd
		load &
		walker=$!
		probe &
		prober=$!
		wait_for 5 "values" grep -q 51000 $T/probe
		stop dcbd $signal
		start_dcbd
		wait_for 5 "values" served
		seen=$(grep -c ' 51000 ' $T/probe)
		wait_for 5 "more values" eval '[ "$(grep -c " 51000 " $T/probe)" -ge $((seen + 5)) ]'
		unload $walker $prober
		longest=$(awk '$2 == 51000 { if (last && $1 - last > max) max = $1 - last; last = $1 } END { print max + 0 }' $T/probe)
		printf '    %s: at most %d ms between two values, %d errors\n' $signal "$longest" "$(grep -c genError $T/probe)"
		timed at_most "milliseconds between values" "$longest" 1000
		! grep -vE ' 51000 $|genError' $T/probe || fail "neither a value nor genErr"
		# After an empty walk the tools send a GET for the root itself.
		! grep -vE "genError|Reason|Failed object|^ *$|Error in packet|^\.($CN|$PFC|$LLDP|$AGENT) = No Such" $T/odd ||
			fail "other output of the walk"
	done
}

test_values_after_restarts_of_dcb_agentx() {
	local signal
	for signal in TERM KILL; do
		put ieee8021CnCpQueueSizeSetPoint.1.$a.3 52000
		stop agentx $signal
		like "without dcb-agentx" "$(get ieee8021CnCpQueueSizeSetPoint.1.$a.3)" 'No Such|genError'
		start_agentx
		printf '    %s: served %d ms after its start\n' $signal "$waited"
		is "value" "$(get ieee8021CnCpQueueSizeSetPoint.1.$a.3)" 52000
	done
}

test_agentx_over_tcp() {
	local agentx_socket=tcp:127.0.0.1:1705 root
	walk_all | still >$T/unix
	stop agentx
	stop snmpd
	start_snmpd
	start_agentx
	walk_all | still >$T/tcp
	same "walks" $T/unix $T/tcp
	put ieee8021CnCpQueueSizeSetPoint.1.$a.3 53000
	is "value" "$(get ieee8021CnCpQueueSizeSetPoint.1.$a.3)" 53000
	stop snmpd
	start_snmpd
	wait_for 10 "objects after a restart" served
	printf '    registered again after %d ms\n' "$waited"
	stop agentx
	stop snmpd
	unset agentx_socket
	start_snmpd
	start_agentx
}

lldp_answers() { [ "$(snmpget "${v2c[@]}" -Oqv $agent 1.0.8802.1.1.2.1.3.4.0)" = '"bridge"' ]; }

# lldpd is a subagent of the same master; the two do not disturb each other.
test_lldpd_as_second_subagent() {
	local i walker ours
	if ! $many_users; then
		skip "lldpd needs a second user, which this user namespace does not have"
		return
	fi
	stop snmpd
	start_snmpd 'agentXPerms 0666 0755'
	wait_for 10 "objects before lldpd" served
	new_address
	ours=$address
	new_address
	ip link add l0 address "$ours" type veth peer name l1 address "$address"
	ip link set l0 up
	ip link set l1 up
	start lldpd lldpd -dd -u $T/lldpd.sock -p $T/lldpd.pid -I l0 -C l0 -S bridge -L '' -x -X $T/master
	wait_for 20 "lldpd's objects" lldp_answers
	load &
	walker=$!
	for ((i = 0; i < 20; i++)); do
		put ieee8021CnCpQueueSizeSetPoint.1.$a.3 $((54000 + i))
		is "value" "$(get ieee8021CnCpQueueSizeSetPoint.1.$a.3)" $((54000 + i))
		lldp_answers || fail "round $i: lldpd does not answer"
	done
	# Objects of both in one PDU.
	like "an object of each subagent" "$(snmpget "${v2c[@]}" -Oqv $agent 1.0.8802.1.1.2.1.3.4.0 \
		"${O[ieee8021CnCpQueueSizeSetPoint]}.1.$a.3" | tr '\n' ' ')" '^"bridge" 54019 $'
	unload $walker
	stop lldpd KILL
	wait_for 5 "lldpd's objects are gone" eval '! lldp_answers'
	is "value" "$(get ieee8021CnCpQueueSizeSetPoint.1.$a.3)" 54019
	ip link del l0
}

run_tests
