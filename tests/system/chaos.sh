#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Everything happens at random and at once: programs are killed, ended and stopped, the disk is
# full, file descriptors are exhausted, interfaces come, go and change their names, clients of all
# kinds break the rules; while two managers set objects, one over SNMP, one over the control socket.
# Every few seconds there is quiet: then all objects are back, in two seconds on an idle machine,
# and each has the value of the last SET that was acknowledged, or of a later one whose result the
# manager does not know. The objects of one SET have values of the same SET.
#
#   DCB_CHAOS_SECONDS   duration: 120 s by default, 60 s with a sanitizer
#
# The seed decides the order of the events, not their exact times.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

$many_users || skip_all "lldpd needs a second user, which this user namespace does not have"
command -v lldpd lldpcli prlimit >/dev/null || skip_all "lldpd or prlimit is not installed"

duration=${DCB_CHAOS_SECONDS-$((slow > 1 ? 60 : 120))}
agentx_wait=1000 # dcbd is stopped for longer
control=$T/control
dcbctl=$build/dcbctl

# --- the system: three ports with a neighbor each, a small disk -------------------------------------

ip netns add peer || die "no namespace peer"
on peer bash -c "$(declare -f quiet_ipv6); quiet_ipv6; ip link set lo up"
declare -a name_of=() index_of=() # of the three ports
for i in 0 1 2; do
	new_address
	ours=$address
	new_address
	ip link add p$i address "$ours" type veth peer name e$i address "$address" netns peer || die "no port p$i"
	ip link set p$i alias "stable $i"
	ip link set p$i up
	ip -n peer link set e$i up
	name_of[i]=p$i index_of[i]=$(ifindex p$i)
done
mount -t tmpfs -o size=256k tmpfs $T/state || die "no tmpfs for the state file"
echo 'configure lldp tx-interval 1' >$T/lldpd.conf

run() { # PROGRAM
	case $1 in
	dcbd) start dcbd "$build/dcbd" -c $T/dcbd.conf ;;
	agentx) start agentx "$build/dcb-agentx" -x unix:$T/master -c $control -T $agentx_wait ;;
	snmpd)
		SNMP_PERSISTENT_DIR=$T/snmp/master start snmpd snmpd -f -LE w -C -c $T/snmpd.conf \
			-I -smux,mteTrigger,mteTriggerConf -p $T/snmpd.pid
		;;
	lldpd) start lldpd lldpd -dd -u $T/lldpd -p $T/lldpd.pid -I 'p*' -C 'p*' -S main -O $T/lldpd.conf ;;
	client) start client "$build/tests/system/chaos_client" $control $RANDOM ;;
	esac
}
programs=(dcbd agentx snmpd lldpd)

start lldpd-peer nsenter --net=/run/netns/peer -- lldpd -dd -u $T/lldpd-peer -p $T/lldpd-peer.pid -I 'e*' -C 'e*' \
	-S peer -O $T/lldpd.conf
run lldpd
start_all 'interfaces = { include = [ "p*", "x*" ]; };' "lldp = { socket = \"$T/lldpd\"; };" 'initial = (
	{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
	{ object = "lldpXdot1dcbxConfigPFCTxEnable"; index = "*.1"; port = "*"; value = "true"; },
	{ object = "dcbPfcPriorityEnable"; index = "*.3"; port = "*"; value = "true"; } );'

# --- two managers -------------------------------------------------------------------------------------

# sets MANAGER N: puts the varbinds of the manager's SET number N into $pairs.
sets() {
	case $1 in
	snmp) pairs=(ieee8021PfcLinkDelayAllowance.${index_of[0]} $2
		ieee8021CnCpQueueSizeSetPoint.1.${index_of[1]}.3 $((10000 + $2))
		dcbPfcWatchdogHoldDown.${index_of[2]}.3 $2
		ieee8021CnGlobalCnmTransmitPriority.1 $(($2 % 8))
		lldpXdot1dcbxAdminApplicationPriorityAEPriority.${index_of[0]}.4.3260 $(($2 % 8))) ;;
	control) pairs=(ieee8021PfcLinkDelayAllowance.${index_of[1]} $2
		ieee8021CnCpMinSampleBase.1.${index_of[0]}.3 $((20000 + $2))
		dcbPfcHeadroomCableLength.${index_of[2]} $2
		ieee8021CnComPriAlternatePriority.1.3 $(($2 % 3)) # 3 would make errored ports
		dcbPfcWatchdogDutyCycle.${index_of[1]}.3 $(($2 % 101))) ;;
	esac
}
names_of() { # MANAGER: the objects, in $names
	local i
	sets $1 0
	names=()
	for ((i = 0; i < ${#pairs[@]}; i += 2)); do names+=("${pairs[i]}"); done
}

# send_set MANAGER N: sends it. $result: "ack", "no" if it was refused before anything could change,
# "maybe" if the manager cannot know; with the error.
refusals='wrong[A-Z][A-Za-z]*|no(Creation|Access)|notWritable|inconsistent[A-Z][a-z]*|resourceUnavailable|authorizationError'
send_set() {
	local varbinds out
	sets $1 $2
	case $1 in
	snmp)
		varbinds "${pairs[@]}"
		out=$(snmpset -v2c -c private -t 2 -r 0 -Oqn $agent "${varbinds[@]}" 2>&1) && result=ack && return
		;;
	control)
		out=$("$build/tests/system/mo_probe" set $control "${pairs[@]}" 2>&1) && result=ack && return
		;;
	esac
	if [[ $out =~ ($refusals) ]]; then
		result="no ${BASH_REMATCH[1]}"
	else
		result="maybe $(tr '\n' ' ' <<<"${out:0:120}")"
	fi
}

# manager NAME: sends SETs until $T/enough exists, and rests while $T/pause exists. Its record has a
# line "RESULT N" for each SET.
manager() {
	local n=1 result
	while [ ! -e $T/enough ] && kill -0 $$ 2>/dev/null; do
		if [ -e $T/pause ]; then
			: >$T/rests.$1
			pause 0.02
			continue
		fi
		rm -f $T/rests.$1
		n=$((n + 1))
		send_set $1 $n
		echo "${result%% *} $n ${result#* }" >>$T/sets.$1
	done
}

# readers: walks, monitors and watches until $T/enough exists.
readers() {
	while [ ! -e $T/enough ] && kill -0 $$ 2>/dev/null; do
		walk_all -t 1
		timeout 0.5 "$dcbctl" -s $control monitor
		timeout 0.5 "$dcbctl" -s $control -j buffers
		timeout 0.5 "$dcbctl" -s $control watch ieee8021PfcRequests
	done >/dev/null 2>&1
}

# possible MANAGER: numbers of the SETs that can be in force.
possible() {
	awk '$1 == "ack" || $1 == "is" { delete n; n[$2] } $1 == "maybe" { n[$2] } END { for (i in n) print i }' $T/sets.$1
}
# read_values: reads ${names[@]} into ${values[@]}. A dcbd that gets no processor for as long as
# dcb-agentx waits has not answered.
read_values() {
	mapfile -t values < <(get "${names[@]}")
	[ ${#values[@]} -eq ${#names[@]} ] && [[ ${values[*]} =~ ^[0-9\ ]+$ ]]
}
# in_force MANAGER: the number of the SET with ${values[@]}; "mixed" with all values if there is none.
in_force() {
	local i pairs
	[[ ${values[0]} =~ ^[0-9]+$ ]] || values[0]=0
	sets $1 "${values[0]}"
	for ((i = 0; i < ${#names[@]}; i++)); do
		[ "${values[i]}" = "${pairs[2 * i + 1]}" ] || break
	done
	[ $i -lt ${#names[@]} ] && echo "mixed: ${values[*]}" || echo "${values[0]}"
}
check_model() { # MANAGER
	local now names values
	names_of $1
	wait_for 3 "values of manager $1" read_values
	now=$(in_force $1)
	possible $1 | grep -qxF -- "$now" ||
		fail "manager $1: SET $now is in force, wanted one of: $(possible $1 | tr '\n' ' '); $(tail -n 5 $T/sets.$1)"
	echo "is $now" >>$T/sets.$1
}

# --- chaos --------------------------------------------------------------------------------------------

log_of[chaos]=$T/chaos.log
note() { # WHAT [DETAIL]: counts by WHAT
	clock
	printf '%d.%03d %s\n' $((now / 1000 % 10000)) $((now % 1000)) "$*" >>$T/chaos.log
	count[$1]=$((${count[$1]-0} + 1))
}
declare -A count=()
nap() { pause "$((RANDOM % $1 / 1000)).$(printf %03d $((RANDOM % $1 % 1000)))"; } # MAXIMUM in ms

still_runs() { # PROGRAM: it has not ended by itself
	running $1 && ! gone "${pid_of[$1]}"
}
must_run() {
	local p
	for p in "${programs[@]}"; do
		still_runs $p && continue
		wait "${pid_of[$p]}"
		fail "$p has ended by itself, status $?"
		unset "pid_of[$p]"
		run $p
	done
}

# catches_term PROGRAM: it has its handler of SIGTERM; before, while it starts, the signal ends it.
catches_term() {
	local caught
	caught=$(awk '/^SigCgt:/ { print $2 }' "/proc/${pid_of[$1]}/status" 2>/dev/null)
	[ $((16#${caught:-0} >> 14 & 1)) -eq 1 ]
}

end() { # PROGRAM
	local signal=KILL
	[ $((RANDOM % 3)) -gt 0 ] || ! catches_term $1 || signal=TERM
	note "end $1 by $signal"
	kill -CONT "${pid_of[$1]}"
	stop $1 $signal
	nap 300
	run $1
}

end_dcb_lldp() {
	local pid=''
	# The file has no newline at its end, so the status of "read" is not 0.
	{ read -r pid _ <"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/children"; } 2>/dev/null
	[ -n "$pid" ] || return 0
	note "end dcb-lldp"
	kill -KILL $pid 2>/dev/null
}

stop_for_a_while() { # PROGRAM DEPTH
	note "stop $1"
	kill -STOP "${pid_of[$1]}"
	inner $2
	nap 1500
	kill -CONT "${pid_of[$1]}" 2>/dev/null
	note "continue $1"
}

fill_disk() { # DEPTH
	note "full disk"
	cat /dev/zero >$T/state/fill 2>/dev/null
	inner $1
	nap 800
	rm -f $T/state/fill
	note "room on disk"
}

# has_started PROGRAM: a program that has too few descriptors to start ends, as it should.
has_started() {
	case $1 in
	dcbd) logged dcbd 'version .* ports' ;;
	agentx) logged agentx 'session opened' ;;
	esac
}

exhaust_descriptors() { # PROGRAM DEPTH
	local pid=${pid_of[$1]} open limit
	has_started $1 || return 0
	open=$(find /proc/$pid/fd -type l | wc -l)
	limit=$(awk '/^Max open files/ { print $4 }' /proc/$pid/limits)
	note "descriptors $1" $open
	prlimit --pid $pid --nofile=$((open + RANDOM % 3)): || return 0
	inner $2
	nap 800
	[ "${pid_of[$1]}" != $pid ] || prlimit --pid $pid --nofile=$limit:
}

# rename I NAME: renames the port; the new name may be one that dcbd does not manage.
rename() {
	ip link set ${name_of[$1]} down
	ip link set ${name_of[$1]} name $2 && name_of[$1]=$2
	ip link set ${name_of[$1]} up
}
interface_storm() {
	local i k
	for ((k = 4 + RANDOM % 8; k > 0; k--)); do
		i=$((RANDOM % 6))
		case $((RANDOM % 6)) in
		0 | 1)
			note "link add" x$i
			ip link add x$i type veth peer name y$i && ip link set x$i up && ip link set y$i up
			;;
		2) ip link del x$i ;;
		3) ip link set x$i down && ip link set x$i name x$((10 + RANDOM % 6)) ;;
		4)
			i=$((i % 3))
			note "link flap" ${name_of[i]}
			ip link set ${name_of[i]} down
			nap 50
			ip link set ${name_of[i]} up
			;;
		5)
			i=$((i % 3))
			[ $((RANDOM % 2)) -eq 0 ] && set -- q$i || set -- pr$i
			note "link rename" ${name_of[i]} $1
			rename $i $1
			nap 100
			rename $i p$i
			;;
		esac
	done 2>/dev/null
}

garbage() {
	local k
	note "garbage to snmpd"
	for k in {1..5}; do head -c $((RANDOM % 1400 + 1)) /dev/urandom >/dev/udp/127.0.0.1/1161; done 2>/dev/null
	stop client KILL
	run client
}

read_much() {
	note "read much"
	snmpbulkwalk -v2c -c public -t 0.5 -r 0 -Cr100 $agent "${AGENT}" >/dev/null 2>&1
	timeout 1 "$dcbctl" -s $control show ieee8021CnCpQueueSizeSetPoint >/dev/null 2>&1
}

inner() { # DEPTH: other events meanwhile
	local k
	[ $1 -lt 2 ] || return 0
	for ((k = RANDOM % 3; k > 0; k--)); do event $(($1 + 1)); done
}

event() { # DEPTH
	local p=${programs[RANDOM % ${#programs[@]}]} ours=(dcbd agentx)
	nap 250
	must_run
	case $((RANDOM % 10)) in
	0 | 1) end $p ;;
	2) end_dcb_lldp ;;
	3 | 4) stop_for_a_while $p $1 ;;
	5) fill_disk $1 ;;
	6) exhaust_descriptors ${ours[RANDOM % 2]} $1 ;;
	7) interface_storm ;;
	8) garbage ;;
	9) read_much ;;
	esac
}

# --- quiet ----------------------------------------------------------------------------------------------

# The OIDs of all objects; rows of neighbors, which LLDP needs seconds to report, excluded. A port
# that comes back can have another CPID, so of ieee8021CnCpidToInterfaceTable only the columns.
picture() {
	walk_all | awk '{ print $1 }' | grep -vFf $T/neighbor_oids | sed -E "s/^(\.$CN\.1\.6\.1\.[0-9]+)\..*/\1/"
}
all_back() { picture >$T/now && cmp -s $T/baseline $T/now; }

quiet() {
	local i
	stop client KILL
	: >$T/pause
	for i in {0..15}; do ip link del x$i 2>/dev/null; done
	must_run
	wait_for 2 "all objects are back" all_back || diff $T/baseline $T/now | head -n 20
	[ "$waited" -le $longest ] || longest=$waited
	wait_for 3 "managers rest" eval '[ -e $T/rests.snmp ] && [ -e $T/rests.control ]'
	check_model snmp
	check_model control
	is "port names" "${name_of[*]}" "p0 p1 p2"
	run client
	rm $T/pause
}

acknowledged() { # MANAGER N
	send_set $1 $2
	[ "$result" = ack ]
}
walked_twice() {
	picture >$T/baseline
	all_back
}

for o in "${objects[@]}"; do
	[[ ! ${table_of[$o]} =~ ^(lldp_rem_.*|neighbor)$ ]] || echo ".${O[$o]}."
done >$T/neighbor_oids
[ -s $T/neighbor_oids ] || die "no objects of neighbors"

test_nothing_is_lost_in_chaos() {
	local end longest=0 rounds=0 m managers=() result
	for m in snmp control; do
		wait_for 3 "first SET of manager $m" acknowledged $m 1
		echo "ack 1" >$T/sets.$m
	done
	wait_for 3 "three ports" holds dcbAgentPorts.0 3
	for m in "${index_of[@]}"; do
		wait_for 5 "port $m is operational" holds dcbPortOperational.$m 1
		wait_for 10 "neighbor of port $m" holds dcbDcbxPortNeighbors.$m 1
	done
	wait_for 5 "two walks with the same objects" walked_twice
	at_least "objects" "$(wc -l <$T/baseline)" 200
	for m in snmp control; do
		manager $m &
		managers+=($!)
	done
	readers &
	managers+=($!)
	run client
	end=$((SECONDS + duration))
	while [ $SECONDS -lt $end ] && [ -z "$case_failed" ]; do
		for ((m = 8 + RANDOM % 8; m > 0; m--)); do event 0; done
		quiet
		rounds=$((rounds + 1))
	done
	: >$T/enough
	wait "${managers[@]}"
	stop client KILL
	printf '    %d rounds; objects back after at most %d ms\n' $rounds $longest
	timed at_most "ms until all objects are back" $longest 2000
	for m in snmp control; do
		printf '    manager %s: %d SETs acknowledged, %d refused, %d without a known result\n' $m \
			"$(grep -c ^ack $T/sets.$m)" "$(grep -c ^no $T/sets.$m)" "$(grep -c ^maybe $T/sets.$m)"
		at_least "SETs acknowledged, manager $m" "$(grep -c ^ack $T/sets.$m)" $((rounds * 2))
	done
	for m in "${!count[@]}"; do printf '    %s: %d times\n' "$m" "${count[$m]}"; done | sort
	at_least "rounds" $rounds 1
}

# Both daemons have as many descriptors as new ones would have.
test_no_descriptor_is_left_open() {
	local p n
	for p in dcbd agentx; do
		wait_for 5 "descriptors of $p" eval '[ "$(find /proc/${pid_of[$p]}/fd -type l | wc -l)" -le 60 ]' ||
			ls -l /proc/${pid_of[$p]}/fd
	done
}

run_tests
