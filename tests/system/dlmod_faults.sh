#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcb.so while dcbd is stopped, slow, gone or restarted under walks and SETs: snmpd answers each
# request, its own objects as before, and dcb.so has the right values when dcbd has come back. Then
# reloads of snmpd, and dcb.so loaded and unloaded by a manager.
#
#   DCB_ROUNDS=N   faults of dcbd (default: 100; the requirement: 10000, in ten to fifteen minutes)
# shellcheck source=tests/system/lib.sh
export DCB_AGENT=module
# Freed memory holds no valid pointers: its use by snmpd shows, which has no sanitizer.
export MALLOC_PERTURB_=165 ASAN_OPTIONS=${ASAN_OPTIONS-}:max_free_fill_size=65536:free_fill_byte=165
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

rounds=${DCB_ROUNDS:-$((100 / slow))}
delay=ieee8021PfcLinkDelayAllowance
module_wait=400 # the default
held_ms=50 # in which snmpd is to serve other requests
late_ms=60 # as a client sees it
sys_uptime=1.3.6.1.2.1.1.3.0
trigger_failures=1.3.6.1.2.1.88.1.1.1.0 # mteTriggerFailures

start_fake() { # [OPTION...]
	start fake "$build/tests/system/fake_dcbd" -n 64 "$@" $T/control
	wait_for 10 "fake_dcbd listens" test -S $T/control || die "fake_dcbd does not listen"
}
kill_fake() {
	kill -KILL "${pid_of[fake]}"
	wait "${pid_of[fake]}" 2>/dev/null
	unset "pid_of[fake]"
	rm -f $T/control
}

# walker N: walks until $T/end exists. A walk ends with all values or with genError; snmpd answers
# in time.
walker() {
	local out=$T/walker.$1
	while [ ! -e $T/end ]; do
		snmpbulkwalk -v2c -c private -t $((5 * patience)) -r 0 -On -Cr25 $agent "$PFC" >"$out" 2>&1
		if cmp -s "$out" $T/reference; then
			: >"$out.whole"
		elif ! grep -q genError "$out"; then
			cp "$out" "$out.wrong"
		fi
	done
}

# set_meanwhile: sets the value that the object has.
set_meanwhile() {
	snmpset -v2c -c private -t $((5 * patience)) -r 0 -On $agent "${O[$delay]}.1" u "$value" >$T/set 2>&1 ||
		grep -qE '(genError|commitFailed|undoFailed)' $T/set || fail "SET: $(<$T/set)"
}

# fault: one of them; dcbd is sound afterwards, or will be after the next one.
fault() {
	case $((RANDOM % 8)) in
	0 | 1 | 2)
		kill -STOP "${pid_of[fake]}"
		[ $((RANDOM % 4)) -gt 0 ] || set_meanwhile
		printf -v ms 0.%03d $((RANDOM % 90))
		pause $ms
		kill -CONT "${pid_of[fake]}"
		;;
	3) # restarted
		kill_fake
		start_fake
		;;
	4) # gone
		kill_fake
		pause 0.02
		[ $((RANDOM % 2)) -gt 0 ] || set_meanwhile
		start_fake
		;;
	5) # slow
		kill_fake
		start_fake -d $((RANDOM % 30))
		pause 0.03
		;;
	6) # stopped and ended
		kill -STOP "${pid_of[fake]}"
		pause 0.015
		kill_fake
		start_fake
		;;
	7) set_meanwhile ;;
	esac
}

# beside MS: GETs of sysUpTime from snmpd and, in turn, from the one without the module. A line of
# times for each.
beside() {
	echo "beside $1 $late_ms $sys_uptime $alone" |
		"$build/tests/system/snmp_batch" -v2c -c public -t $((5 * patience)) -r 0 $agent
}
# not_held_up FILE REQUESTS: in the lines of "beside", so many requests had answers, and dcb.so did
# not hold them up. The machine is busy with both snmpd: one without the module has had delays of up
# to 300 ms, and 10 % of the time in delays of more than 60 ms; the module with slices of 60 ms, 34 %.
not_held_up() {
	local n failed most control late control_late
	read -r n failed most control late control_late < <(awk '
		{ side = NR % 2; n += $1; failed += $2; all += $4; late[side] += $5 }
		$3 > most[side] { most[side] = $3 }
		END {
			print n / 2, failed, int(most[1] / 1000), int(most[0] / 1000),
				int(100 * late[1] / (all + 1)), int(100 * late[0] / (all + 1))
		}' "$1")
	at_least "requests for sysUpTime" "$n" "$2"
	is "of these without answer" "$failed" 0
	printf '    %d %% of the time in requests of more than %d ms; without the module %d %%\n' \
		"$late" $late_ms "$control_late"
	at_most "percent of the time" "$late" $((control_late + 25))
	timed at_most "longest ms, $control without the module" "$most" $((control + held_ms))
	at_most "longest ms" "$most" $((control + held_ms + 1000))
}

start_fake
start_snmpd
start_agent
alone=127.0.0.1:1162
by_module=false snmpd_name=alone agent=$alone agentx_socket=unix:$T/alone start_snmpd

test_snmpd_answers_whatever_happens_to_dcbd() {
	local i walkers=()
	snmpbulkwalk -v2c -c private -On -Cr25 $agent "$PFC" >$T/reference 2>&1
	at_least "objects" "$(wc -l <$T/reference)" 100
	value=$(get $delay.1)
	for i in 1 2 3; do
		walker $i &
		walkers+=($!)
	done
	(while [ ! -e $T/end ]; do
		snmpbulkwalk -v2c -c private -t $((5 * patience)) -r 0 -Cr25 $alone 1.3.6.1.2.1 >/dev/null 2>&1
	done) &
	walkers+=($!)
	(while [ ! -e $T/end ]; do beside 1000; done) >$T/times 2>&1 &
	walkers+=($!)
	for ((i = 0; i < rounds; i++)); do fault; done
	kill_fake
	start_fake
	wait_for 10 "a walk that no fault has met" eval 'ls $T/walker.*.whole'
	touch $T/end
	wait "${walkers[@]}"
	rm $T/end
	! ls $T/walker.*.wrong >/dev/null 2>&1 || fail "walk: $(diff $T/reference $T/walker.*.wrong | head -n 5)"
	not_held_up $T/times "$rounds"
}

test_values_are_right_afterwards() {
	wait_for 10 "dcb.so serves its objects" served
	snmpbulkwalk -v2c -c private -On -Cr25 $agent "$PFC" >$T/after 2>&1
	same "walk" $T/after $T/reference
	put $delay.1 4242
	is "value" "$(get $delay.1)" 4242
}

test_objects_of_an_ended_dcbd_do_not_exist() {
	kill -STOP "${pid_of[fake]}" # slow
	pause 6
	like "GET of a stopped dcbd" "$(get $delay.2)" genError
	kill_fake
	like "GET at once" "$(get $delay.2)" genError
	others_are_served
	start_fake
	wait_for 3 "dcb.so serves its objects" served
	put $delay.1 4242
}

# A SET that has no answer in its test phase for two seconds.
test_set_without_answer_ends_in_time() {
	refused genError $delay.1 999
	wait_for 10 "fake_dcbd has answered" served
}

# A dcbd that needs 4 ms for each reply, and one GET of sixty rows, each of which is a reply of its
# own: 240 ms at least if snmpd waits for all. In one of five rounds nothing else holds snmpd up.
test_slow_replies_do_not_add_up() {
	local round best=1000000 most names pid
	mapfile -t names < <(walk "$PFC" | cut -d' ' -f1 | tac | awk 'NR % 2' | head -n 60)
	kill_fake
	start_fake -d 4
	is "objects" "${#names[@]}" 60
	for round in 1 2 3 4 5; do
		fresh
		beside 350 >$T/times &
		pid=$!
		pause 0.05
		snmpget -v2c -c private -t $((5 * patience)) -r 0 $agent "${names[@]}" >$T/get 2>&1
		grep -qE ' = |genError' $T/get || fail "GET: $(<$T/get)"
		wait $pid
		most=$(awk 'NR == 1 { print int($3 / 1000) }' $T/times)
		[ "$most" -ge "$best" ] || best=$most
	done
	timed at_most "longest ms" "$best" $held_ms
	at_most "longest ms" "$best" $((2 * held_ms))
	kill_fake
	start_fake
	wait_for 10 "dcb.so serves its objects" served
}

# lives WHAT: snmpd answers. If it has ended it starts again, for the next test.
lives() {
	if snmpget "${v2c[@]}" $agent $sys_uptime >/dev/null 2>&1; then return; fi
	fail "$1: snmpd does not answer"
	kill -KILL "${pid_of[snmpd]}" 2>/dev/null
	wait "${pid_of[snmpd]}"
	unset "pid_of[snmpd]"
	start_snmpd
}

# The triggers of DISMAN-EVENT-MIB: snmpd asks itself. Until it has answered, for up to 30 s, it calls
# no alarm and watches no descriptor of a module, so that other requests for dcb.so have no answer.
test_snmpd_asks_itself_while_dcbd_is_stopped() {
	stop snmpd
	snmpd_modules=-smux start_snmpd "createUser internal SHA internalpass" "rouser internal noauth -V all" \
		"iquerySecName internal" "monitor -r 1 -u internal -o ${O[$delay]}.1 high ${O[$delay]}.1 > 100000000"
	start_agent
	kill -STOP "${pid_of[fake]}"
	beside 2000 >$T/times # a trigger each second
	not_held_up $T/times 100
	like "GET" "$(get $delay.2)" genError
	at_least "triggers without value" "$(get $trigger_failures)" 1
	kill -CONT "${pid_of[fake]}"
	wait_for 10 "dcb.so serves its objects" served
	stop snmpd
	start_snmpd
	start_agent
}

# memory: the resident memory of snmpd in KiB.
memory() { sed -nE 's/^VmRSS:[[:space:]]+([0-9]+) kB/\1/p' "/proc/${pid_of[snmpd]}/status"; }
descriptors() { find "/proc/${pid_of[snmpd]}/fd" -type l | wc -l; }
dlmod_status=1.3.6.1.4.1.2021.13.14.2.1.5.1
load() { # UNLOAD-OR-LOAD: 5 or 4
	snmpset "${v2c[@]}" $agent $dlmod_status i "$1" >/dev/null 2>&1 || fail "dlmodStatus $1"
}
not_served() { ! served; }

test_module_is_unloaded_and_loaded_under_walks() {
	local i walkers=() before unloaded
	load 5
	unloaded=$(descriptors)
	load 4
	wait_for 10 "dcb.so serves its objects" served
	at_least "descriptors" "$(descriptors)" $((unloaded + 2))
	for i in 1 2; do
		(while [ ! -e $T/end ]; do walk "$PFC" >/dev/null 2>&1; done) &
		walkers+=($!)
	done
	for ((i = 0; i < 40; i++)); do
		load 5
		load 4
		[ $i -ne 10 ] || before=$(memory)
	done
	# AddressSanitizer keeps freed memory.
	[ $slow -gt 1 ] || at_most "KiB that snmpd has grown" $(($(memory) - before)) 1024
	load 5
	not_served || fail "served though it is unloaded"
	# While it answers a walk snmpd has files of /proc open, for a moment.
	wait_for 10 "as many descriptors as before: $unloaded" eval '[ "$(descriptors)" = "$unloaded" ]'
	load 4
	wait_for 10 "dcb.so serves its objects" served
	touch $T/end
	wait "${walkers[@]}"
	rm $T/end
}

# sent COMMAND...: runs the client and waits until its request is in the socket of snmpd, which is
# stopped. The clients are in $clients; $T/sent.N has what client N prints.
sent() {
	local before
	before=$(queue)
	"$@" >"$T/sent.${#clients[@]}" 2>&1 &
	clients+=($!)
	wait_for 10 "request in the socket" eval "[ \$(queue) != $before ]"
}
queue() { awk -v port="$(printf ':%04X' "${agent#*:}")" 'index($2, port) { print $5 }' /proc/net/udp; }

# A GET waits for dcbd, behind it the SET, and behind that other requests.
test_module_is_unloaded_before_requests_in_the_queue() {
	local i round clients
	for round in 1 2 3; do
		clients=()
		kill -STOP "${pid_of[fake]}" "${pid_of[snmpd]}"
		fresh
		wait_for 5 "snmpd is stopped" is_stopped "${pid_of[snmpd]}"
		sent snmpget "${v2c[@]}" $agent "${O[$delay]}.2"
		sent snmpset "${v2c[@]}" $agent $dlmod_status i 5
		for i in 1 2 3; do sent snmpget "${v2c[@]}" $agent $sys_uptime; done
		kill -CONT "${pid_of[snmpd]}"
		wait "${clients[@]}"
		! grep Timeout $T/sent.* || fail "round $round: no answer"
		kill -CONT "${pid_of[fake]}"
		lives "round $round"
		[ -z "$case_failed" ] || return
		not_served || fail "round $round: served though it is unloaded"
		load 4
		wait_for 10 "dcb.so serves its objects" served
	done
}

# In one SET, objects of dcb.so and its unload, which snmpd would do before or after their last phase.
test_set_of_its_objects_does_not_unload_the_module() {
	local before own
	before=$(get $delay.1)
	own=("${O[$delay]}.1" u $((before + 1)))
	raw_set "${own[@]}" $dlmod_status i 5
	is "SET and unload" "$error" inconsistentValue
	raw_set $dlmod_status i 5 "${own[@]}"
	is "unload and SET" "$error" inconsistentValue
	lives "after the SETs"
	is "value" "$(get $delay.1)" "$before"
	served || fail "not served"
	raw_set "${own[@]}" $dlmod_status i 4
	is "SET and load" "$error" noError
	put $delay.1 "$before"
}

cisco=1.3.6.1.4.1.9.9.813
# The last column of the last table: no other subagent here has it.
has_cisco() { [[ $(snmpget "${v2c[@]}" $agent $cisco.1.3.1.6.1.0 2>&1) =~ (INTEGER|Counter64|Gauge32|STRING): ]]; }
fails() { [[ $(snmpget "${v2c[@]}" $agent "${O[dcbAgentRole]}.0" 2>&1) =~ genError ]]; }

# Tokens before and after the dlmod line, and errors in them.
test_reload_follows_the_tokens() {
	is "objects of the optional module" "$(walk $cisco | grep -c Counter64)" 0
	sed -i "1i dcbModules CISCO-PFC-EXT-MIB NO-MIB\ndcbSocket relative" $T/snmpd.conf
	kill -HUP "${pid_of[snmpd]}"
	wait_for 10 "the optional module is served" has_cisco
	logged snmpd "line 1: .*dcbModules NO-MIB: expected CISCO-PFC-EXT-MIB" || fail "no message"
	served || fail "another socket is used"
	sed -i "1,2d; s,^dcbSocket .*,dcbSocket $T/nowhere," $T/snmpd.conf
	kill -HUP "${pid_of[snmpd]}"
	wait_for 10 "no dcbd at the other socket" fails
	sed -i "s,^dcbSocket .*,dcbSocket $T/control," $T/snmpd.conf
	kill -HUP "${pid_of[snmpd]}"
	wait_for 10 "dcb.so serves its objects" served
}

# After "[snmpd]" snmpd handles all lines, also when another reads the file: dlmod again and again.
test_section_of_snmpd_is_no_end() {
	sed -i "1i [snmpd]\ndcbModules CISCO-PFC-EXT-MIB" $T/snmpd.conf
	kill -HUP "${pid_of[snmpd]}"
	wait_for 10 "the optional module is served" eval "logged snmpd 'nested include' || has_cisco"
	! logged snmpd 'nested include' || fail "error in snmpd.conf"
	served || fail "not served"
	sed -i 1,2d $T/snmpd.conf
	lives "after the section"
	kill -HUP "${pid_of[snmpd]}"
	wait_for 10 "not served" eval "! has_cisco"
	wait_for 10 "dcb.so serves its objects" served
}

# Another subagent has registered a part of the optional module: its tables, an entry.
test_optional_module_is_not_served_beside_a_subagent() {
	local node
	for node in $cisco.1 $cisco.1.2.1; do
		start other "$build/tests/bench/floor_agentx" -x $T/master -n 2 -o $node
		wait_for 10 "another subagent serves $node" eval "[[ \$(walk $node) =~ Gauge32 ]]"
		sed -i "1i dcbModules CISCO-PFC-EXT-MIB" $T/snmpd.conf
		kill -HUP "${pid_of[snmpd]}"
		wait_for 10 "message" logged snmpd 'CISCO-PFC-EXT-MIB is not served: a subagent has registered it'
		! has_cisco || fail "$node: both serve it"
		served || fail "$node: the other modules are not served"
		stop other KILL
		wait_for 10 "the module without the other subagent" has_cisco
		sed -i 1d $T/snmpd.conf
		kill -HUP "${pid_of[snmpd]}"
		wait_for 10 "not served" eval "! has_cisco"
		: >"${log_of[snmpd]}"
	done
}

# snmpd unloads and loads dcb.so, which has a request that waits for dcbd.
test_request_that_waits_ends_with_a_reload() {
	local pid
	kill -STOP "${pid_of[fake]}"
	pause 0.12 # longer than rows are cached
	snmpget -v2c -c private -t $((5 * patience)) -r 0 $agent "${O[$delay]}.2" >$T/get 2>&1 &
	pid=$!
	pause 0.05
	kill -HUP "${pid_of[snmpd]}"
	wait $pid
	grep -q genError $T/get || fail "GET: $(<$T/get)"
	kill -CONT "${pid_of[fake]}"
	wait_for 10 "dcb.so serves its objects" served
}

# At a reload snmpd has a request for objects of dcb.so and of a subagent, which has not answered.
test_request_that_waits_for_a_subagent_outlives_a_reload() {
	local round pid node=1.3.6.1.4.1.9.9.999
	start other "$build/tests/bench/floor_agentx" -x $T/master -n 200 -o $node
	for round in 1 2 3; do
		wait_for 10 "the subagent is served" eval "[[ \$(snmpgetnext ${v2c[*]} $agent $node) =~ Counter64 ]]"
		kill -STOP "${pid_of[other]}"
		snmpbulkget "${v2c[@]}" -Cr20 $agent "${O[$delay]}" $node >/dev/null 2>&1 &
		pid=$!
		pause 0.1
		kill -HUP "${pid_of[snmpd]}"
		pause 0.2
		kill -CONT "${pid_of[other]}"
		wait $pid
		lives "round $round"
		[ -z "$case_failed" ] || break
		wait_for 10 "dcb.so serves its objects" served
	done
	stop other KILL
}

# A SET of dcb.so and of a subagent, which has not answered: TestSet, or CommitSet when dcb.so has
# committed. Nothing of the SET is in force after the reload.
test_set_that_waits_for_a_subagent_ends_with_a_reload() {
	local round phase pid before oid node=1.3.6.1.4.1.9.9.999
	cp $T/snmpd.conf $T/snmpd.conf.before
	# dcb.so waits 2 s for dcbd in a SET, and snmpd a minute for a subagent.
	sed -i "s,^dcbTimeout .*,dcbTimeout 30000,; s,^agentXTimeout .*,agentXTimeout 60," $T/snmpd.conf
	reload
	start other "$build/tests/bench/floor_agentx" -x $T/master -n 200 -o $node
	wait_for 10 "the subagent is served" eval "[[ \$(snmpgetnext ${v2c[*]} $agent $node) =~ Counter64 ]]"
	oid=$(snmpgetnext "${v2c[@]}" -On $agent $node.1.3 | sed -nE 's/^\.([0-9.]+) = Gauge32.*/\1/p')
	before="$(get $delay.1) $(get "$oid")"
	for round in test commit; do
		phase='test'
		[ $round = commit ] && kill -STOP "${pid_of[fake]}" || kill -STOP "${pid_of[other]}"
		snmpset "${v2c[@]}" $agent "${O[$delay]}.1" u 4711 "$oid" u 4711 >$T/set 2>&1 &
		pid=$!
		pause 0.5
		if [ $round = commit ]; then
			kill -STOP "${pid_of[other]}"
			kill -CONT "${pid_of[fake]}"
			pause 0.5
			[ "$("$build/tests/system/mo_probe" get $T/control $delay.1)" != 4711 ] || phase=commit
		fi
		printf '    in phase %s\n' $phase
		reload
		wait $pid
		like "answer to the SET" "$(<$T/set)" 'genError|commitFailed'
		kill -CONT "${pid_of[other]}"
		lives "round $round"
		[ -z "$case_failed" ] || break
		wait_for 10 "the subagent answers" eval "[[ \$(get $oid) =~ ^[0-9]+\$ ]]"
		is "values" "$(get $delay.1) $(get "$oid")" "$before"
	done
	stop other KILL
	mv $T/snmpd.conf.before $T/snmpd.conf
	reload
}
reload() {
	kill -HUP "${pid_of[snmpd]}"
	wait_for 10 "dcb.so serves its objects" served
}

run_tests
