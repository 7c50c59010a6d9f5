#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Settings are kept: after a restart, after kill -9 at any time, on a full disk, under another name
# or ifIndex of the port. A damaged state file is never overwritten.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

patient_agent
state=$T/state/state
initial='initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } );'
interfaces='interfaces = { include = [ "p*" ]; };'

port() { # NAME [ALIAS]
	local ours
	new_address
	ours=$address
	new_address
	ip link add "$1" address "$ours" type veth peer name "x$1" address "$address" || die "cannot make interface $1"
	[ $# -eq 1 ] || ip link set "$1" alias "$2"
	ip link set "$1" up
	ip link set "x$1" up
}
qsp() { get "ieee8021CnCpQueueSizeSetPoint.1.$(ifindex "$1").3"; }
set_qsp() { put "ieee8021CnCpQueueSizeSetPoint.1.$(ifindex "$1").3" "$2"; }
qsp_is() { [ "$(qsp "$1")" = "$2" ]; } # PORT VALUE

port p0
port p1 "spine 1"
port p2
# The kernel reports a new carrier up to a second later. dcbd numbers ports in the order of the
# messages of the kernel, and the CPIDs have these numbers.
for p in p0 p1 p2; do wait_for 5 "carrier of $p" eval 'ip link show dev '$p' | grep -q "state UP"'; done
start_all "$interfaces" "$initial"

# restart_with LINE...: restarts dcbd with another configuration, and with the state file that
# $state names, if it exists.
restart_with() {
	stop dcbd
	dcbd_conf "$@"
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
}

test_restart_keeps_every_setting() {
	local name inst
	put ieee8021CnComPriRowStatus.1.5 5 ieee8021CnGlobalCnmTransmitPriority.1 2
	put lldpXdot1dcbxAdminApplicationPriorityAEPriority."$(ifindex p1)".4.3260 7 \
		lldpXdot1dcbxAdminApplicationPriorityAEPriority."$(ifindex p1)".1.35078 3 \
		lldpXdot1dcbxAdminApplicationVlanAEVlanId."$(ifindex p1)".4.3260 4094
	for name in "${objects[@]}"; do
		[[ ${access[$name]} =~ ^R[WC]$ ]] && [ "${syntax[$name]}" != ROW_STATUS ] || continue
		for inst in $(rows "$name"); do
			ask_set noError "$name.$inst" "${least[$name]}"
		done
	done
	answers "least values"
	walk_all -Ox | settled >$T/before
	restart_dcbd
	walk_all -Ox | settled >$T/after
	same "all rows" $T/before $T/after
	is "status of the state" "$(get dcbAgentStateStatus.0)" 1
	restart_dcbd KILL
	walk_all -Ox | settled >$T/after
	same "after kill -9" $T/before $T/after
	stop dcbd
	rm $state
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
}

# role ROLE: restarts dcbd in this role with three ports in memory and without a state file.
role() {
	stop dcbd
	rm -f $state
	dcbd_conf "role = \"$1\"; memory_ports = 3;" "$initial"
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
}

# The least, the greatest and the initial value of every writable object, in both roles. Other
# settings exclude some of them, which a SET then refuses.
test_restart_keeps_least_greatest_and_initial_values() {
	local role kind name inst value
	role station
	put ieee8021CnRpgMaxRate.1.3.100001.3 0
	restart_dcbd
	is "rate of 0, set alone" "$(get ieee8021CnRpgMaxRate.1.3.100001.3)" 0
	for role in bridge station; do
		role $role
		for kind in least most initial; do
			local -n values=$kind
			for name in "${objects[@]}"; do
				value=${values[$name]}
				# The initial value of a set of VLANs stands for 128 octets.
				[ $kind.${syntax[$name]} != initial.VLANS ] || continue
				[[ ${access[$name]} =~ ^R[WC]$ ]] && [ "${syntax[$name]}" != ROW_STATUS ] && [ -n "$value" ] || continue
				for inst in $(rows "$name" | tail -n 1); do
					ask_set 'noError|inconsistentValue|resourceUnavailable' "$name.$inst" "$value"
				done
			done
			unset -n values
			answers "$kind values of a $role"
			at_least "values that a SET accepted" "$(grep -c noError $T/answers)" 50
			walk_all -Ox | settled >$T/before
			restart_dcbd
			walk_all -Ox | settled >$T/after
			same "$kind values of a $role" $T/before $T/after
		done
	done
	stop dcbd
	rm $state
	dcbd_conf "$interfaces" "$initial"
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
}

# A restart of dcbd, during which snmpd and its sysUpTime go on, is in an object of each port, and so
# is an interface that is created again.
test_discontinuity_time_says_when_counters_restarted() {
	local i before other start
	i=dcbPortCounterDiscontinuityTime.$(ifindex p0) other=dcbPortCounterDiscontinuityTime.$(ifindex p1)
	before=$(get "$i")
	put ieee8021PfcLinkDelayAllowance."${i#*.}" 77
	is "time after a SET" "$(get "$i")" "$before"
	clock
	start=$now
	restart_dcbd
	clock
	at_least "time after a restart" "$(get "$i")" $((start > before ? start : before + 1))
	at_most "time after a restart" "$(get "$i")" "$now"
	before=$(get "$other")
	clock
	start=$now
	ip link del p0
	port p0
	i=dcbPortCounterDiscontinuityTime.$(ifindex p0)
	wait_for 5 "row of the new p0" has_row dcbPortCounterDiscontinuityTime "${i#*.}"
	at_least "time of the new interface" "$(get "$i")" "$start"
	is "time of the other port" "$(get "$other")" "$before"
}

# Initial settings apply only without a state file.
test_initial_settings_without_state_file() {
	is "initial row" "$(get ieee8021CnComPriRowStatus.1.3)" 1
	put ieee8021CnComPriRowStatus.1.3 6
	restart_dcbd
	like "initial row after its deletion" "$(get ieee8021CnComPriRowStatus.1.3)" 'No Such'
	put ieee8021CnComPriRowStatus.1.3 4
}

# config ARGUMENT...: lines of dcbctl config, with one blank between the words.
config() { "$build/dcbctl" -s $T/view config "$@" 2>&1 | tr -s ' '; }

# What dcbctl config tells, as text and as JSON, before and after a restart.
test_config_says_where_values_come_from() {
	local i json line point=ieee8021CnCpQueueSizeSetPoint
	i=$(ifindex p0)
	line=$(($(grep -n "^initial" $T/dcbd.conf | cut -d: -f1)))
	set_qsp p0 26001
	for _ in 1 2; do
		is "set value" "$(config $point 1.p0.3)" $'OBJECT PORT VALUE ORIGIN\n'"$point.1.$i.3 p0 26001 SET"
		is "default" "$(config $point "1.$(ifindex p1).3")" \
			$'OBJECT PORT VALUE ORIGIN\n'"$point.1.$(ifindex p1).3 p1 26000 default"
		is "value of the file" "$(config ieee8021CnComPriRowStatus)" \
			$'OBJECT PORT VALUE ORIGIN\n'"ieee8021CnComPriRowStatus.1.3 active file, line $line"
		is "changed values of p1" "$(config --changed $point "1.$(ifindex p1)")" ''
		json=$("$build/dcbctl" -j -s $T/view config --changed $point)
		is "JSON" "$(jq -c ".[] | select(.instance == \"1.$i.3\") | [.object, .value, .origin, .line]" <<<"$json")" \
			"[\"$point\",26001,\"SET\",null]"
		json=$("$build/dcbctl" -j -s $T/view config)
		at_least "settings" "$(jq length <<<"$json")" 300
		is "origins" "$(jq -r '.[].origin' <<<"$json" | sort -u | xargs)" "SET default file"
		is "lines" "$(jq -c '[.[] | select(.origin == "file") | .line] | unique' <<<"$json")" "[$line]"
		restart_dcbd
	done
	restart_with "$interfaces" 'initial = (' \
		'{ object = "ieee8021CnCpQueueSizeSetPoint"; index = "1.*.3"; port = "p0"; value = "50000"; } );'
	is "value that is not in force" "$(config $point 1.p0.3)" \
		$'OBJECT PORT VALUE ORIGIN\n'"$point.1.$i.3 p0 26001 SET; the file has another value, line 3"
	is "index without a row" "$(config $point 1.p0.7 && echo printed)" "dcbctl: ieee8021CnCpTable has no row 1.$i.7"
	like "unknown object" "$(config no_such)" 'unknown table or object "no_such"'
	restart_with "$interfaces" "$initial"
}

# storm N: sends SETs of three objects to values derived from one increasing number, until $T/enough
# exists.
storm() {
	local n=$1 i
	i=$(ifindex p0)
	while [ ! -e $T/enough ]; do
		n=$((n + 1))
		echo "try $n" >>$T/storm
		snmpset "${v2c[@]}" -Oqn $agent "${O[ieee8021CnCpQueueSizeSetPoint]}.1.$i.3" u $((10000 + n)) \
			"${O[ieee8021PfcLinkDelayAllowance]}.$i" u $n \
			"${O[ieee8021CnCpMinSampleBase]}.1.$i.3" u $((20000 + n)) >/dev/null 2>&1 &&
			echo "ack $n" >>$T/storm
	done
	return 0
}

# After a kill the value is the last acknowledged one or one of a SET that was not answered yet, all
# three objects agree, and the file can be read.
test_kill_at_any_instant() {
	local round rounds=15 pid v n=0 tried acked kept=0 i
	on_disk=$(mktemp -d "${TMPDIR:-/tmp}/dcb-test.XXXXXX") || die "cannot make a temporary directory"
	state=$on_disk/state restart_with "$interfaces" "$initial"
	i=$(ifindex p0)
	for ((round = 1; round <= rounds; round++)); do
		rm -f $T/enough
		: >$T/storm
		storm $n &
		pid=$!
		wait_for 5 "a SET in round $round" grep -q ack $T/storm
		pause "0.0$((RANDOM % 90 + 10))"
		kill -KILL "${pid_of[dcbd]}"
		: >$T/enough
		wait $pid
		wait "${pid_of[dcbd]}" 2>/dev/null
		unset 'pid_of[dcbd]'
		start_dcbd
		wait_for 10 "dcb-agentx serves its objects again" served
		mapfile -t v < <(get ieee8021PfcLinkDelayAllowance.$i ieee8021CnCpQueueSizeSetPoint.1.$i.3 \
			ieee8021CnCpMinSampleBase.1.$i.3 dcbAgentStateStatus.0)
		acked=$(sed -n 's/ack //p' $T/storm | tail -n 1)
		tried=$(sed -n 's/try //p' $T/storm | tail -n 1)
		n=${v[0]}
		at_least "round $round: value against last acknowledged" "$n" "$acked"
		at_most "round $round: value against last sent" "$n" "$tried"
		is "round $round: one PDU's values" "${v[1]} ${v[2]}" "$((10000 + n)) $((20000 + n))"
		is "round $round: status of the state" "${v[3]}" 1
		! logged dcbd 'persist: ' || fail "round $round: $(grep persist: "${log_of[dcbd]}")"
		[ "$n" = "$acked" ] || kept=$((kept + 1))
		n=$tried
	done
	printf '    %d kills over %d SETs; %d times a SET without answer had been saved\n' $rounds "$n" "$kept"
	# dcbd is killed while it starts.
	put ieee8021PfcLinkDelayAllowance.$i 77
	for ((round = 0; round < 6; round++)); do
		stop dcbd KILL
		start dcbd "$build/dcbd" -c $T/dcbd.conf
		pause "0.0$((RANDOM % 30 + 10))"
	done
	stop dcbd KILL
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	is "value after kills at the start" "$(get ieee8021PfcLinkDelayAllowance.$i)" 77
	restart_with "$interfaces" "$initial"
}

test_sets_fail_on_a_full_disk() {
	local before failures i
	mkdir -p $T/tiny
	mount -t tmpfs -o size=64k tmpfs $T/tiny || die "cannot mount a tmpfs"
	state=$T/tiny/state restart_with "$interfaces" "$initial"
	i=$(ifindex p1)
	put ieee8021PfcLinkDelayAllowance.$i 5
	cp $T/tiny/state $T/before
	failures=$(get dcbAgentStateFailures.0)
	dd if=/dev/zero of=$T/tiny/filler bs=4096 2>/dev/null
	refused 'commitFailed|resourceUnavailable' ieee8021PfcLinkDelayAllowance.$i 6
	refused 'commitFailed|resourceUnavailable' ieee8021CnComPriRowStatus.1.6 4
	cmp -s $T/before $T/tiny/state || fail "the state file changed"
	is "the value" "$(get ieee8021PfcLinkDelayAllowance.$i)" 5
	like "no row" "$(get ieee8021CnComPriRowStatus.1.6)" 'No Such'
	is "failures" "$(get dcbAgentStateFailures.0)" $((failures + 2))
	is "status: write failing" "$(get dcbAgentStateStatus.0)" 3
	logged dcbd 'state: No space left on device' || fail "not logged"
	# After a kill the old value is there too.
	restart_dcbd KILL
	is "the value after kill -9" "$(get ieee8021PfcLinkDelayAllowance.$i)" 5
	rm $T/tiny/filler
	put ieee8021PfcLinkDelayAllowance.$i 7
	is "status: good again" "$(get dcbAgentStateStatus.0)" 1
	restart_dcbd
	is "the value" "$(get ieee8021PfcLinkDelayAllowance.$i)" 7
	# The same with a read-only file system.
	mount -o remount,ro $T/tiny && refused 'commitFailed|resourceUnavailable' ieee8021PfcLinkDelayAllowance.$i 8
	is "the value" "$(get ieee8021PfcLinkDelayAllowance.$i)" 7
	mount -o remount,rw $T/tiny
	put ieee8021PfcLinkDelayAllowance.$i 8
	restart_with "$interfaces" "$initial"
	umount $T/tiny
}

test_settings_follow_rename_while_running() {
	set_qsp p0 40000
	set_qsp p1 41000
	ip link set p0 down
	ip link set p0 name pnew || die "cannot rename p0"
	ip link set pnew up
	wait_for 5 "the port's new name in the state file" grep -q '"pnew"' $state
	is "setting under the new name" "$(qsp pnew)" 40000
	restart_dcbd
	is "setting after a restart" "$(qsp pnew)" 40000
	is "setting of the other port" "$(qsp p1)" 41000
	ip link set pnew down
	ip link set pnew name p0
	ip link set p0 up
	wait_for 5 "the port's old name in the state file" grep -q '"p0"' $state
}

# Renamed while dcbd does not run: dcbd finds the port by its alias. Without an alias it is a new
# port.
test_settings_follow_alias_while_stopped() {
	set_qsp p1 42000
	set_qsp p0 43000
	stop dcbd
	for p in p0 p1; do
		ip link set $p down
		ip link set $p name ${p}new
		ip link set ${p}new up
	done
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	is "setting of the port with an alias" "$(qsp p1new)" 42000
	is "setting of the port without an alias" "$(qsp p0new)" 26000
	logged dcbd 'no interface with name "p0"' || fail "not logged"
	stop dcbd
	for p in p0 p1; do
		ip link set ${p}new down
		ip link set ${p}new name $p
		ip link set $p up
	done
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
}

# A port that is deleted and made again has another ifIndex and the same alias.
test_settings_follow_alias_to_another_ifindex() {
	local before after when
	for when in running stopped; do
		set_qsp p1 44000
		before=$(ifindex p1)
		[ $when = running ] || stop dcbd
		ip link del p1
		[ $when = stopped ] || wait_for 5 "the row of the old ifIndex is gone" eval "! has_row ieee8021PfcRequests $before"
		new_address
		ip link add pafter address "$address" type dummy
		port p1 "spine 1"
		after=$(ifindex p1)
		[ "$after" != "$before" ] || fail "the kernel gave the same ifIndex"
		if [ $when = stopped ]; then
			start_dcbd
			wait_for 10 "dcb-agentx serves its objects again" served
		fi
		wait_for 5 "$when: the setting, at ifIndex $after" qsp_is p1 44000
		like "$when: the old row" "$(get ieee8021CnCpQueueSizeSetPoint.1.$before.3)" 'No Such Instance'
		ip link del pafter
		restart_dcbd
		is "$when: after a restart" "$(qsp p1)" 44000
	done
}

test_settings_follow_name_to_another_alias() {
	set_qsp p1 45000
	ip link set p1 alias "leaf 7"
	wait_for 5 "the new alias in the state file" grep -q '"leaf 7"' $state
	is "the setting" "$(qsp p1)" 45000
	restart_dcbd
	is "setting after a restart" "$(qsp p1)" 45000
	# An alias with characters that the state file has to quote.
	ip link set p1 alias $'a "quoted" \\ \xc3\xa9 alias; // ('
	wait_for 5 "that alias in the state file" grep -q 'quoted' $state
	restart_dcbd
	is "setting after a restart" "$(qsp p1)" 45000
	is "status of the state" "$(get dcbAgentStateStatus.0)" 1
	# If two interfaces have the same alias, their names decide.
	ip link set p1 alias same
	ip link set p2 alias same
	set_qsp p2 46000
	wait_for 5 "names in the state file" grep -q '"p2"' $state
	restart_dcbd
	is "setting of p1 with the same alias" "$(qsp p1)" 45000
	is "setting of p2 with the same alias" "$(qsp p2)" 46000
	ip link set p1 alias "spine 1"
	ip link set p2 alias ""
	wait_for 5 "the alias in the state file" grep -q '"spine 1"' $state
}

test_settings_of_absent_port() {
	set_qsp p2 47000
	stop dcbd
	ip link del p2
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	logged dcbd 'no interface with name "p2"' || fail "not logged"
	port p2
	wait_for 5 "row of p2" has_row ieee8021PfcRequests "$(ifindex p2)"
	is "settings are gone, by 12.21" "$(qsp p2)" 26000
	# With keep_absent in dcbd.conf they are kept.
	set_qsp p2 48000
	stop dcbd
	ip link del p2
	dcbd_conf 'interfaces = { include = [ "p*" ]; keep_absent = true; };' "$initial"
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	set_qsp p0 26001 # writes the state file again
	restart_dcbd
	port p2
	wait_for 5 "the setting" qsp_is p2 48000
	restart_with "$interfaces" "$initial"
}

# sealed: adds the checksum to a text on standard input.
sealed() {
	local text sum
	text=$(cat)$'\n'
	sum=$(printf %s "$text" | gzip -c | tail -c 8 | od -An -N4 -tx4 | tr -d ' ')
	printf '%scrc32 = "%s";\n' "$text" "$sum"
}

random_octets() { # COUNT
	local i octets=''
	for ((i = 0; i < $1; i++)); do printf -v octets '%s\\x%02x' "$octets" $((RANDOM % 256)); done
	printf %b "$octets"
}

# damage FILE KIND: writes a damaged state file; $wrong_line gets the line number that dcbd has to
# log.
kinds='truncated flipped garbage empty unsealed version list'
damage() {
	local file=$1 good=$T/good
	lines=$(wc -l <$good)
	body() { grep -v '^crc32' $good; }
	line() { wrong_line=$(grep -n -- "$1" $file | head -n 1 | cut -d: -f1); }
	case $2 in
	truncated)
		head -c $(($(wc -c <$good) / 2)) $good >$file
		wrong_line='[0-9]+'
		;;
	flipped)
		sed 's/49000/59000/' $good >$file
		wrong_line=$lines
		;;
	garbage)
		random_octets 3000 >$file
		wrong_line='[0-9]+'
		;;
	empty)
		: >$file
		wrong_line='[0-9]+'
		;;
	unsealed)
		body >$file
		wrong_line='[0-9]+'
		;;
	version)
		body | sed 's/version = 2/version = 0/' | sealed >$file
		wrong_line=1
		;;
	list)
		body | sed 's/^objects/things/' | sealed >$file
		wrong_line=1
		;;
	esac
}

# 12.23: in files of version 1 PFCLinkDelayAllowance did not count while the choice was automatic.
test_file_of_version_1_keeps_its_headroom() {
	local i
	i=$(ifindex p0)
	put ieee8021PfcLinkDelayAllowance.$i 7777
	stop dcbd
	grep -v '^crc32' $state | sed 's/version = 2/version = 1/' | sealed >$T/old
	grep -q 'version = 1;' $T/old || fail "no version"
	cp $T/old $state
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	is "choice and basis" "$(get dcbPfcHeadroomChoice.$i dcbPfcHeadroomBasis.$i | xargs)" "3 1"
	put dcbPfcHeadroomChoice.$i 1
	grep -q 'version = 2;' $state || fail "the file has its former version"
	restart_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	is "choice and basis of version 2" "$(get dcbPfcHeadroomChoice.$i dcbPfcHeadroomBasis.$i | xargs)" "1 2"
	put ieee8021PfcLinkDelayAllowance.$i 0
}

# The settings of a newer version have no effect, and stay in the file; all others are in force.
test_file_of_newer_version_keeps_its_settings() {
	local i aside kept
	i=$(ifindex p0)
	set_qsp p0 49000
	put ieee8021PfcLinkDelayAllowance.$i 7777
	stop dcbd
	rm -f $T/state/state.*
	grep -v '^crc32' $state | sed 's/^objects = (/&{ object = "dcbLaterColor"; index = "*"; name = "p0"; value = "red"; }, /
		s/"49000"/"many"/' | sealed >$T/newer
	cp $T/newer $state
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
	is "a setting" "$(get ieee8021PfcLinkDelayAllowance.$i)" 7777
	is "a value that is not understood" "$(qsp p0)" 26000
	is "status of the state" "$(get dcbAgentStateStatus.0)" 1
	logged dcbd 'object "dcbLaterColor" is unknown to this version: its settings are kept in the file' ||
		fail "the object is not logged"
	logged dcbd 'value "many": not a value of ieee8021CnCpQueueSizeSetPoint: this setting is not restored' ||
		fail "the value is not logged"
	aside=$(ls $T/state/state.newer-*)
	cmp "$aside" $T/newer || fail "the copy differs"
	for kept in 1 2; do
		put ieee8021PfcLinkDelayAllowance.$i 777$kept
		grep -A 4 dcbLaterColor $state | grep -q '"red"' || fail "the setting is not kept"
		restart_dcbd
		is "a setting" "$(get ieee8021PfcLinkDelayAllowance.$i)" 777$kept
	done
	is "copies: the first, and one of the file without the value" "$(find $T/state -name 'state.newer-*' | wc -l)" 2
	# Another format.
	stop dcbd
	grep -v '^crc32' $T/newer | sed 's/version = 2/version = 3/' | sealed >$state
	cp $state $T/newer
	start dcbd "$build/dcbd" -c $T/dcbd.conf
	wait_for 10 "the end of dcbd" eval '! running dcbd'
	wait "${pid_of[dcbd]}" 2>/dev/null
	is "status" $? 2
	unset 'pid_of[dcbd]'
	logged dcbd "$state:[0-9]+: the state file has format 3, this dcbd reads formats 1 to 2" || fail "not logged"
	cmp $state $T/newer || fail "the file has changed"
	start dcbd "$build/dcbd" -c $T/dcbd.conf --ignore-state
	wait_for 10 "dcb-agentx serves its objects again" served
	is "initial settings" "$(get ieee8021CnComPriRowStatus.1.3 ieee8021PfcLinkDelayAllowance.$i | xargs)" "1 0"
	cmp $T/state/state.ignored-* $T/newer || fail "the file is not set aside"
	put ieee8021PfcLinkDelayAllowance.$i 8
	restart_dcbd
	is "a setting" "$(get ieee8021PfcLinkDelayAllowance.$i)" 8
	put ieee8021PfcLinkDelayAllowance.$i 0
	rm -f $T/state/state.*
}

test_damaged_file_is_renamed() {
	local kind asides=0 aside lines wrong_line
	# "sealed" has to compute the same checksum as dcbd, or the test would prove nothing.
	set_qsp p0 49000
	stop dcbd
	cp $state $T/good
	grep -v '^crc32' $T/good | sealed | cmp -s - $T/good || fail "checksum of sealed differs from dcbd's"
	for kind in $kinds; do
		rm -rf $T/state/*
		damage $state $kind
		cp $state $T/bad
		start_dcbd
		wait_for 10 "dcb-agentx serves its objects again" served
		logged dcbd "$state:$wrong_line: " || fail "$kind: no line number $wrong_line in the log"
		is "$kind: status" "$(get dcbAgentStateStatus.0)" 2
		aside=$(ls $T/state/state.damaged-* 2>/dev/null)
		[ -n "$aside" ] && logged dcbd "$aside" || fail "$kind: not renamed, or not logged"
		is "$kind: initial settings" "$(get ieee8021CnComPriRowStatus.1.3)" 1
		is "$kind: settings of the damaged file" "$(qsp p0)" 26000
		# A new state file does not overwrite the damaged one.
		set_qsp p0 50000
		cmp -s "$aside" $T/bad || fail "$kind: the damaged file has changed"
		restart_dcbd
		is "$kind: setting of the new file" "$(qsp p0)" 50000
		cmp -s "$aside" $T/bad || fail "$kind: the damaged file has changed after a restart"
		stop dcbd
		asides=$((asides + 1))
	done
	is "kinds of damage" $asides 7
	# A second damaged file is kept besides the first.
	rm -rf $T/state/*
	for kind in garbage truncated; do
		damage $state $kind
		start_dcbd
		stop dcbd
	done
	is "damaged files kept" "$(find $T/state -name 'state.damaged-*' | wc -l)" 2
	# There are eight of them at most.
	for kind in 1 2 3 4 5 6 7; do touch $T/state/state.damaged-2020010${kind}T000000Z-1; done
	damage $state garbage
	start_dcbd
	stop dcbd
	is "files set aside" "$(find $T/state -name 'state.damaged-*' | wc -l)" 8
	is "oldest of them" "$(basename "$(find $T/state -name 'state.damaged-*' | sort | head -n 1)")" \
		state.damaged-20200103T000000Z-1
	# If the damaged file cannot be renamed, dcbd does not start. For root only a read-only
	# mount prevents that.
	damage $state garbage
	cp $state $T/bad
	mount --bind -o ro $T/state $T/state && mount -o remount,bind,ro $T/state
	start dcbd "$build/dcbd" -c $T/dcbd.conf
	wait_for 10 "the end of dcbd" eval '! running dcbd'
	wait "${pid_of[dcbd]}" 2>/dev/null
	is "status" $? 1
	unset 'pid_of[dcbd]'
	logged dcbd 'cannot be renamed' || fail "not logged"
	umount $T/state
	cmp -s $state $T/bad || fail "the damaged file has changed"
	rm -rf $T/state/*
	start_dcbd
}

run_tests
