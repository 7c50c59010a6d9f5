#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcb-lldp, the process with liblldpctl: killed, stopped, or replaced by one that sends invalid
# messages; and an lldpd with another struct layout; while frames pass through the bridge.
#
#   lldpd :h [ha] === [ah] a [ag] === [ga] g: frames both ways
#
# DCB_ROUNDS: repetitions of each test; by default 25, with a sanitizer 5, and 8 for failures that
# dcbd detects by a timer.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

[ $slow -eq 1 ] && rounds=${DCB_ROUNDS-25} || rounds=${DCB_ROUNDS-5}
[ $slow -eq 1 ] && slow_rounds=${DCB_ROUNDS-8} || slow_rounds=$rounds
recovery=2000 # ms until the neighbor is right again
flat=2048     # KiB by which dcbd may grow

for n in h a g; do node $n; done
cable h ha a ah
cable a ag g ga
start_lldpd h
start_lldpd a
# The neighbor's CN TLV: in the domain of priority 3.
lldp h configure ports ha lldp custom-tlv add oui 00,80,c2 subtype 8 oui-info 08,08
start proxy bash -c "exec '$build/tests/system/lldp_proxy' $T/a/proxy $T/a/lldpd < <(exec tail -f -n +1 --pid=\$\$ $T/a/proxy.in)"
: >$T/a/proxy.in
wait_for 5 "the proxy is ready" logged proxy ready || die "the proxy does not start"
node_conf a bridge 'a?' "initial = ( $(cn_conf 3) );"
# dcbd can execute programs of one directory only.
bin=$T/bin
mkdir $bin
cp "$build/tests/system/lldp_double" "$build/dcb-lldp" $bin
sed -i "s|^lldp = .*|lldp = { socket = \"$T/a/proxy\"; program = \"$bin/lldp_double\"; };|" $T/a/dcbd.conf
start_node a
wait_for 10 "the ports are up" ports_up a ah ag || die "the ports are not up"
ah=$(if_of a ah)

# child: the process that dcbd has started; fails if there is none.
child() {
	local pid=''
	read -r pid _ <"/proc/${pid_of[dcbd-a]}/task/${pid_of[dcbd-a]}/children"
	[ -n "$pid" ] && echo $pid
}
# who: the neighbors and their CN TLVs.
who() {
	ctl a -j neighbors 2>/dev/null |
		jq -c '[.[].neighbors[] | [.chassisId, .portId, .systemName, .cn]] | unique'
}
stale() { value a dcbNeighborStale.$ah."$(neighbor_index)"; }
neighbor_index() { ctl a -j neighbors 2>/dev/null | jq -r '[.[].neighbors[].index] | max // 0'; }
right() {
	is_value a dcbLldpState.0 3 && is_mode a ah $READY && [ "$(stale)" = 2 ] &&
		{ [ -z "${it-}" ] || [ "$(who)" = "$it" ]; }
}

lldp h update
wait_for 20 "the neighbor is right" right || die "no neighbor: $(mode a ah)"
it=$(who)
like "the only neighbor" "$it" '^\[\[[^[]*\{"cnpv":\[3\],"ready":\[3\]\}\]\]$'

# --- frames during the tests -------------------------------------------------------------------

start list-g nsenter --net=/run/netns/g -- "$frames" list ga
start list-h nsenter --net=/run/netns/h -- "$frames" list ha
for n in g h; do wait_for 5 "$n lists frames" logged list-$n ready; done

# Sends streams of 200 frames, one a ms, until the end. Prints a line for each, so that the log has
# as many lines as streams.
streams() { # NODE IF SA DA
	local i=0
	while [ ! -e $T/enough ]; do
		i=$((i + 1))
		on $1 "$frames" send $2 -s $3 -d $4 -i $i -n 200 -g 1000 || exit 1
		echo $i
	done
}
sent() { wc -l <"${log_of[send-$1]}"; }
got() { awk '$4 == "88b5"' "${log_of[list-$1]}" | wc -l; }

frames_on() {
	rm -f $T/enough
	on h "$frames" send ha -s 02:00:00:00:00:01 -d 02:00:00:00:00:02 -i 999999
	on g "$frames" send ga -s 02:00:00:00:00:02 -d 02:00:00:00:00:01 -i 999999
	wait_for 5 "the bridge learns both hosts" eval '[ "$(got g)" -ge 1 ] && [ "$(got h)" -ge 1 ]'
	before_g=$(got g) before_h=$(got h)
	export -f streams on
	export T frames
	start send-h bash -c "streams h ha 02:00:00:00:00:01 02:00:00:00:00:02"
	start send-g bash -c "streams g ga 02:00:00:00:00:02 02:00:00:00:00:01"
}
# frames_off WHAT: stops the streams and checks that no frame was lost.
frames_off() {
	: >$T/enough
	wait_for 10 "the last frames are sent" eval 'gone ${pid_of[send-h]} && gone ${pid_of[send-g]}'
	for n in h g; do
		wait "${pid_of[send-$n]}" || fail "cannot send frames"
		unset "pid_of[send-$n]"
	done
	wait_for 5 "all frames of h at g" eval '[ $(($(got g) - before_g)) -ge $((200 * $(sent h))) ]'
	wait_for 5 "all frames of g at h" eval '[ $(($(got h) - before_h)) -ge $((200 * $(sent g))) ]'
	is "$1: frames of h at g" $(($(got g) - before_g)) $((200 * $(sent h)))
	is "$1: frames of g at h" $(($(got h) - before_h)) $((200 * $(sent g)))
	printf '    %s: %d frames, none lost\n' "$1" $((200 * ($(sent h) + $(sent g))))
}

# --- replaced processes ------------------------------------------------------------------------

memory() { awk '/^RssAnon/ { print $2 }' "/proc/${pid_of[dcbd-a]}/status"; }
another() { local now; now=$(child) && [ "$now" != "$1" ]; }

# again WHAT COMMAND...: ends the process by COMMAND in each round; dcbd has to start another one,
# and the neighbor has to be right again.
again() {
	local what=$1 round old kib changes took=()
	shift
	changes=$(value a dcbCnPortModeChanges.1.3.$ah)
	frames_on
	for ((round = 1; round <= rounds; round++)); do
		# Measure after the first rounds, which fill caches.
		[ $round -ne $((rounds / 10 + 1)) ] || kib=$(memory)
		old=$(child)
		"$@" "$old" $round
		wait_for 2 "$what, round $round: another process" another "$old" || break
		wait_for 2 "$what, round $round: the neighbor is right" right || break
		took+=($(($(now_ms) - began)))
		running dcbd-a || die "dcbd has ended"
	done
	frames_off "$what"
	mapfile -t took < <(printf '%s\n' "${took[@]}" | sort -n)
	printf '    %s: %d times, ms until the neighbor was right: median %s\n' "$what" ${#took[@]} "${took[${#took[@]} / 2]}"
	timed at_most "$what: ms until the neighbor was right" "${took[-1]}" $recovery
	kib=$(($(memory) - kib))
	printf '    %s: dcbd has grown by %d KiB\n' "$what" $kib
	[ $slow -gt 1 ] || at_most "$what: KiB growth of dcbd" $kib $flat
	# dcbd has kept the neighbor all the time.
	is "$what: changes of the defense mode" "$(value a dcbCnPortModeChanges.1.3.$ah)" "$changes"
	is "processes of dcbd" "$(wc -w <"/proc/${pid_of[dcbd-a]}/task/${pid_of[dcbd-a]}/children")" 1
}
now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }

send_signal() { # SIGNAL PID ROUND
	began=$(now_ms)
	kill -$1 $2
}
be_double() { # ORDER PID ROUND: the next process is lldp_double with this order, the one after it dcb-lldp
	echo "${1/ROUND/${3-}}" >$T/a/proxy.double
	began=$(now_ms)
	kill -KILL $2
	wait_for 2 "lldp_double has read its order" eval '[ ! -e $T/a/proxy.double ]'
}

test_privileges_of_dcb_lldp() {
	local pid status
	pid=$(child)
	status=$(</proc/$pid/status)
	like "capabilities" "$status" 'CapPrm:[[:space:]]0000000000000000'
	like "no_new_privs" "$status" 'NoNewPrivs:[[:space:]]1'
	like "effective capabilities" "$status" 'CapEff:[[:space:]]0000000000000000'
	is "user and groups" "$(grep -E '^(Uid|Gid|Groups):' /proc/$pid/status)" \
		"$(grep -E '^(Uid|Gid|Groups):' "/proc/${pid_of[dcbd-a]}/status")"
	is "program of the process" "$(basename "$(readlink /proc/$pid/exe)")" dcb-lldp
	[[ $(ldd "$build/dcbd") != *lldpctl* ]] || fail "dcbd is linked with liblldpctl"
	like "libraries of dcb-lldp" "$(ldd "$build/dcb-lldp")" liblldpctl
	# Descriptors from dcbd: standard input, output and error, and one end of the socket pair.
	like "descriptors from dcbd" "$(readlink /proc/$pid/fd/{0..3} | tr '\n' ' ')" '^/dev/null /.* /.* socket:'
	is "sockets other than Unix ones" $(($(readlink /proc/$pid/fd/* | grep -c socket:) - $(own_sockets $pid))) 0
}
# own_sockets PID: the number of the process's Unix sockets.
own_sockets() {
	local inode n=0
	for inode in $(readlink /proc/$1/fd/* | sed -n 's/^socket:\[\(.*\)\]$/\1/p'); do
		! grep -q " $inode\( \|$\)" /proc/$1/net/unix || n=$((n + 1))
	done
	echo $n
}

test_recovery_from_kill() { again "killed" send_signal KILL; }
test_recovery_from_stop() { rounds=$slow_rounds again "stopped" send_signal STOP; }
test_recovery_from_flood_of_messages() { rounds=$slow_rounds again "flooding" be_double "flood ag"; }
test_recovery_from_invalid_messages() { again "invalid messages" be_double "lie ROUND"; }
test_recovery_from_silence() { rounds=5 again "silent" be_double mute; }

# A process that sends valid messages without end: dcbd still serves its clients.
test_dcbd_serves_clients_of_busy_process() {
	local old i took=()
	old=$(child)
	be_double busy $old
	wait_for 2 "the busy process" another $old
	old=$(child)
	for i in {1..100}; do
		time_us
		value a dcbLldpState.0 >/dev/null || fail "dcbd does not answer"
		took+=($((${EPOCHREALTIME/./} - us)))
	done
	percentiles "read of an object with a busy process" "${took[@]}"
	is "the busy process" "$(child)" $old
	kill -KILL $old
	wait_for 2 "the neighbor is right" right
}

# --- lldpd of another version ----------------------------------------------------------------------

proxy() { # COMMAND...
	local n
	n=$(grep -c 'done' "${log_of[proxy]}")
	echo "$*" >>$T/a/proxy.in
	wait_for 2 "the proxy has executed the command" eval '[ "$(grep -c done "${log_of[proxy]}")" -gt '$n' ]'
}
# The neighbor changes a TLV; lldpd notifies its clients.
news=0
say_news() {
	news=$((news + 1))
	lldp h configure ports ha lldp custom-tlv replace oui 00,80,c2 subtype 99 oui-info $(printf %02x $news)
}
never_wrong() {
	local now
	now=$(who)
	[ "$now" = "$it" ] || is "$*: neighbors" "$now" "[]"
}
# other_version WHAT COMMAND...: the proxy changes lldpd's structs by COMMAND; dcbd has to report
# another version and no wrong neighbor.
other_version() {
	local what=$1 i
	shift
	proxy "$@"
	wait_for 5 "$what: state" is_value a dcbLldpState.0 4
	like "$what: output of dcbctl" "$(ctl a neighbors)" 'lldpd and liblldpctl have different versions'
	for i in {1..10}; do
		say_news
		never_wrong "$what"
		is_value a dcbLldpState.0 4 || fail "$what: the state is $(value a dcbLldpState.0)"
		pause 0.05
	done
	proxy pass
	wait_for 5 "$what: neighbor is right again" right
	is "$what: neighbor" "$(who)" "$it"
}

# Members that 1.0.18, 1.0.20 and 1.0.21 have added, and others. "insert" is an lldpd newer than the
# library, "cut" an older one.
test_lldpd_of_another_version() {
	frames_on
	other_version "all structs longer" insert 0 24 8
	logged dcbd-a 'lldpd and liblldpctl have different versions: .* layout of liblldpctl' ||
		fail "not logged"
	other_version "all structs shorter" cut 0 24 8
	other_version "configuration longer" insert 1 40 4
	other_version "chassis longer" insert 5 40 8
	other_version "interface longer" insert 3 40 8
	other_version "port longer" insert 6 64 8
	other_version "port shorter" cut 6 64 8
	frames_off "another layout"
}

# The library may have been upgraded: a new process loads it again.
test_another_process_loads_library_again() {
	local old
	old=$(child)
	proxy insert 0 24 8
	wait_for 5 "the state" is_value a dcbLldpState.0 4
	wait_for 15 "another process" another "$old"
	wait_for 5 "the process is running" eval '[ "$(child)" -gt 0 ]'
	is "the state" "$(value a dcbLldpState.0)" 4
	proxy pass
	wait_for 5 "the neighbor is right again" right
}

# Only the struct of notifications has another layout: dcbd detects it when the neighbor's TLVs
# change.
test_other_layout_of_notifications() {
	proxy insert 10 24 8
	wait_for 5 "connected" is_value a dcbLldpState.0 3
	say_news
	wait_for 5 "log of another layout" logged dcbd-a 'connection lost: messages of lldpd do not have the layout'
	never_wrong "notifications"
	proxy pass
	wait_for 5 "the neighbor is right again" right
	is "the neighbor" "$(who)" "$it"
}

test_random_layout() {
	local i type at
	for ((i = 0; i < rounds; i++)); do
		type=$((RANDOM % 11)) at=$((RANDOM % 120 * 4))
		proxy insert $type $at $((RANDOM % 4 * 4 + 4))
		say_news
		wait_for 5 "insert $type $at: dcbd answers" value a dcbLldpState.0
		never_wrong "insert $type $at"
	done
	proxy pass
	wait_for 5 "the neighbor is right again" right
	is "the neighbor" "$(who)" "$it"
}

# The process ends each time after its start, as it does if the library fails on another layout.
test_process_that_fails_at_start() {
	frames_on
	echo fail >$T/a/proxy.double
	kill -KILL "$(child)"
	wait_for 10 "the state" is_value a dcbLldpState.0 4
	logged dcbd-a 'has failed 3 times in a row' || fail "not logged"
	never_wrong "failing"
	rm $T/a/proxy.double
	wait_for 5 "the neighbor is right again" right
	frames_off "failing"
}

test_dcb_lldp_is_not_installed() {
	local program=$bin/lldp_double
	stop dcbd-a
	! grep -E 'Sanitizer|runtime error' $T/dcbd-a.*.log || fail "sanitizer report of dcb-lldp"
	sed -i "s|$program|/nowhere/dcb-lldp|" $T/a/dcbd.conf
	start_node a
	wait_for 5 "log of the missing program" logged dcbd-a '/nowhere/dcb-lldp: cannot be started: it is not installed'
	is "the state" "$(value a dcbLldpState.0)" 2
	is "neighbors" "$(who)" "[]"
}

run_tests
