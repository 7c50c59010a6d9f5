#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbd under a service manager: it is ready when it forwards, says when it reads dcbd.conf again, and
# feeds the watchdog only while both of its threads run. In the journal its lines have their level,
# and an error of the configuration has an exit status of its own.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
manager=$build/tests/system/manager
for n in 1 2; do host h$n sw$n; done
# The kernel drops what an interface sends until it has noticed its carrier.
has_carrier() { ! "$@" ip -o link show type veth | grep -v 'state UP' | grep -q .; }
for at in 'on h1' 'on h2' env; do
	# shellcheck disable=SC2086 # two words
	wait_for 5 "carrier" has_carrier $at
done
watchdog_s=$((3 * slow))

conf() { dcbd_conf 'lldp = { enable = false; };' 'interfaces = { include = [ "sw*" ]; };' "$@"; }
conf
start manager "$manager" listen $T/notify
wait_for 5 "the service manager listens" logged manager ready

messages() { grep -cE "^[0-9]+ $1" "${log_of[manager]}"; }
more() { [ "$(messages "$1")" -gt "$2" ]; } # MESSAGE NUMBER
# serve: starts dcbd as a service.
serve() {
	start dcbd env NOTIFY_SOCKET=$T/notify WATCHDOG_USEC=$((watchdog_s * 1000000)) "$build/dcbd" -c $T/dcbd.conf
}

test_ready_when_it_forwards() {
	start list nsenter --net=/run/netns/h2 -- "$frames" list eth0
	wait_for 5 "h2 lists frames" logged list ready
	serve
	wait_for 20 "READY" more 'READY=1[|]STATUS=2 ports$' 0
	# The first frame after READY is forwarded.
	on h1 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s 02:00:00:00:00:01 -i 77
	wait_for 10 "the first frame arrives" logged list ' 77 0 '
	is "READY" "$(messages READY=1)" 1
}

# As after the installation of a package: dcbd.conf selects no interface.
test_ready_without_interfaces() {
	stop dcbd
	dcbd_conf 'lldp = { enable = false; };'
	serve
	wait_for 20 "READY" more 'READY=1[|]STATUS=0 ports$' 0
	is "READY without ports" "$(messages 'READY=1[|]STATUS=0 ports$')" 1
}

test_dcbd_that_cannot_start_is_never_ready() {
	local before
	stop dcbd
	before=$(messages READY=1)
	conf 'initial = ( { object = "ieee8021CnComPriAlternatePriority"; index = "1.3"; value = 1; } );'
	serve
	wait_for 10 "the end of dcbd" ended dcbd
	wait "${pid_of[dcbd]}"
	is "status" $? 2
	unset "pid_of[dcbd]"
	is "READY" "$(messages READY=1)" "$before"
	conf
	serve
	wait_for 20 "READY" more READY=1 "$before"
}
ended() { gone "${pid_of[$1]}"; }

test_reload_is_announced() {
	local ready reloading
	ready=$(messages 'READY=1[|]STATUS=2 ports$') reloading=$(messages 'RELOADING=1[|]MONOTONIC_USEC=[0-9]+$')
	kill -HUP "${pid_of[dcbd]}"
	wait_for 10 "RELOADING" more 'RELOADING=1[|]MONOTONIC_USEC=[0-9]+$' "$reloading"
	wait_for 10 "READY" more 'READY=1[|]STATUS=2 ports$' "$ready"
	conf 'color = 1;'
	kill -HUP "${pid_of[dcbd]}"
	wait_for 10 "READY" more 'READY=1[|]STATUS=.*dcbd.conf not read again: .*:3: color: unknown setting' 0
	conf
	is "RELOADING" "$(messages RELOADING=1)" $((reloading + 2))
}

# feeds: waits for another WATCHDOG=1.
feeds() { wait_for $((watchdog_s * 2)) "WATCHDOG" more WATCHDOG=1 "$(messages WATCHDOG=1)"; }

test_idle_threads_feed_the_watchdog() {
	local longest
	for _ in 1 2 3; do feeds; done
	longest=$(awk '/WATCHDOG=1$/ { if (last && $1 - last > most) most = $1 - last; last = $1 } END { print most + 0 }' "${log_of[manager]}")
	timed at_most "milliseconds between two messages" "$longest" $((watchdog_s * 1000))
}

# frozen THREAD: the watchdog is not fed while the thread does not run, however long that is.
frozen() {
	local before i
	start freeze "$manager" freeze "${pid_of[dcbd]}" "$1"
	wait_for 5 "$1 is stopped" logged freeze 'ready|manager: '
	if ! logged freeze ready; then
		skip "cannot stop a thread: $(cat "${log_of[freeze]}")"
		kill "${pid_of[freeze]}" 2>/dev/null
		unset "pid_of[freeze]"
		return 1
	fi
	# A turn of before, and one message that was on its way.
	pause 1
	before=$(messages WATCHDOG=1)
	for ((i = 0; i < 2 * watchdog_s; i++)); do pause 1; done
	at_most "messages while $1 is stopped" $(($(messages WATCHDOG=1) - before)) 1
	"${@:2}"
	stop freeze
	feeds
}

test_hung_dataplane_does_not_feed() {
	frozen dataplane wait_for 10 "the line of the log" logged dcbd \
		'error: dcbd: a dataplane thread does not run since [0-9]+ ms: the watchdog is not fed' || return
	# It was stopped, not ended: frames pass again.
	on h1 "$frames" send eth0 -d ff:ff:ff:ff:ff:ff -s 02:00:00:00:00:01 -i 78
	wait_for 10 "a frame arrives" logged list ' 78 0 '
}

test_hung_control_thread_does_not_feed() {
	frozen dcbd true
}

test_stop_is_announced() {
	stop dcbd
	wait_for 5 "STOPPING" more 'STOPPING=1$' 0
}

test_lines_of_the_journal_have_their_level() {
	conf 'color = 1;'
	JOURNAL_STREAM=1:2 "$build/dcbd" -c $T/dcbd.conf 2>$T/err
	is "status" $? 2
	like "error" "$(cat $T/err)" '^<3>dcbd: .*dcbd.conf:3: color: unknown setting'
	JOURNAL_STREAM=1:2 "$build/dcbd" -t -c $T/dcbd.conf >/dev/null 2>$T/err
	is "status" $? 2
	like "error" "$(cat $T/err)" '^<3>dcbd: .*dcbd.conf:3: color: unknown setting'
	conf 'ports = ( { name = "no*"; tap = "a%d"; } );'
	JOURNAL_STREAM=1:2 "$build/dcbd" -t -c $T/dcbd.conf >/dev/null 2>$T/err
	is "status" $? 0
	like "warning" "$(cat $T/err)" '<4>dcbd: .*: line [0-9]+: ports\[0\]: "no\*" is the first match of no port'
	like "warning" "$(cat $T/err)" '<4>dcbd: .*:3: ports\[0\].tap: no effect in a bridge'
	conf 'user = "no-such-user";'
	JOURNAL_STREAM=1:2 "$build/dcbd" -c $T/dcbd.conf 2>$T/err
	is "status" $? 2
	like "error" "$(cat $T/err)" '<3>dcbd: dcbd: user no-such-user: no such user'
}

# The units name the options and files that the programs have, and systemd accepts them.
test_units_are_valid() {
	local unit=$build/contrib/systemd/dcbd.service
	[ -e "$unit" ] || make -s -C "$build" contrib/systemd/dcbd.service || fail "no unit"
	for line in 'Type=notify' 'ExecStartPre=.*/dcbd -t -c .*/dcbd.conf' \
		'ExecReload=[+]/usr/bin/nsenter --mount --target \$MAINPID -- .*/dcbd -t -c .*/dcbd.conf' 'ExecReload=/bin/kill -HUP \$MAINPID' \
		'WatchdogSec=[0-9]+' 'RestartPreventExitStatus=2' 'LimitNOFILE=[0-9]+' 'StateDirectory=dcbd' \
		'LoadCredential=dcbd.keys:.*/dcbd.keys'; do
		grep -qxE "$line" "$unit" || fail "not in the unit: $line"
	done
	# limits_raise_files() of all ports.
	is "LimitNOFILE" "$(sed -n 's/^LimitNOFILE=//p' "$unit")" $((256 + 7 * 8192))
	# SECRET_OCTETS, and what libcrypto locks beside it.
	at_least "LimitMEMLOCK in MiB" "$(sed -n 's/^LimitMEMLOCK=\(.*\)M$/\1/p' "$unit")" 2
	# Without a key file the credential is no key file either: no port starts without its protection.
	sed -n 's/^SetCredential=dcbd.keys://p' "$unit" >$T/keys
	like "text without a key file" "$(cat $T/keys)" '^there is no file /.*/dcbd.keys$'
	chmod 400 $T/keys
	conf "macsec = { key_file = \"$T/keys\"; };"
	"$build/dcbd" -t -c $T/dcbd.conf >/dev/null 2>$T/err
	is "status without a key file" $? 2
	like "error" "$(cat $T/err)" "$T/keys:1: expected \"port INTERFACE\""
	conf
	if ! command -v systemd-analyze >/dev/null; then
		printf '    systemd-analyze is not installed: units not verified\n'
		return
	fi
	mkdir -p $T/units
	sed "s|^\(Exec[A-Za-z]*=\)[^ ]*/dcbd |\1$build/dcbd |" "$unit" >$T/units/dcbd.service
	systemd-analyze verify --man=no $T/units/dcbd.service >$T/verify 2>&1
	is "systemd-analyze verify" "$(grep -F dcbd.service $T/verify)" ''
}

run_tests
