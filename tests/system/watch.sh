#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbctl watch without a table, in terminals of 80x24 and 40x10: a port that PFC frames pause and
# that loses frames, one that holds frames and sends PFC frames, a dcbd that is started anew, keys, and
# the terminal afterwards.
#
#   h1 - sw1   h1 sends PFC frames        h2 - sw2   h2 sends more frames to h1 than can wait
#
# watch_screen.py is the terminal, and prints the next step of the test.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

has_screen=$(grep -c '^S\["WITH_NCURSES_TRUE"\]=""' "$build/config.status")
[ "$has_screen" = 1 ] || skip_all "dcbctl is built without ncurses"
# Debian's modules are those of Debian's python3, which need not be the first one.
for python in python3 /usr/bin/python3 none; do
	! "$python" -c 'import pexpect, pyte' 2>/dev/null || break
done
[ $python != none ] || skip_all "needs python3-pexpect and python3-pyte"
frames=$build/tests/system/frames
dcbctl() { "$build/dcbctl" -s $T/control "$@"; }
host h1 sw1
host h2 sw2
dcbd_conf 'interfaces = { include = [ "sw*" ]; };' 'defaults = { rate = 10000000L; speed = 10000000L; };' \
	'initial = ( { object = "dcbPfcPriorityEnable"; index = "*.3"; port = "*"; value = "true"; },
	{ object = "dcbPfcPriorityEnable"; index = "*.5"; port = "sw1"; value = "true"; } );'
start_dcbd

up() { [ "$(dcbctl -j show dcbPortOperational | grep -c '"dcbPortOperational": \(true\|"true"\)')" = 2 ]; }
wait_for 5 "both ports are up" up
start pauses nsenter --net=/run/netns/h1 -- "$build/dcb-pfcgen" -p all -q 65535 -i 20ms -t 3600s eth0
# Frames to an address of h1 that the bridge does not know: those of priority 3 wait at sw1 and are
# held for sw2, those of priority 5 are lost when the queue is full. Frames are discarded after a second:
# one burst alone is more than may be held.
start flood nsenter --net=/run/netns/h2 -- bash -c "trap 'exit 0' TERM; while :; do
	for p in 3 5; do $frames send eth0 -d 02:00:00:00:00:77 -v 1 -p \$p -n 400 -l 1400 || exit; done
	sleep 0.1; done"

# says LINE: the terminal has printed it, or has ended without.
says() { grep -qxF -- "$1" "${log_of[screen]}" || ! running screen; }

# on_a_screen COLUMNS LINES
on_a_screen() {
	start screen "$python" -B "$src/tests/system/watch_screen.py" $1 $2 $((4 * patience)) \
		"$build/dcbctl" -s $T/view watch -n 0.2
	wait_for 60 "watch shows the ports" says "stop dcbd"
	stop dcbd
	wait_for 60 "watch shows that dcbd does not answer" says "start dcbd"
	start_dcbd
	wait_for 60 "the end of watch" gone "${pid_of[screen]}" || kill "${pid_of[screen]}"
	unset 'pid_of[screen]'
	[ "$(tail -n 1 "${log_of[screen]}")" = ok ] || fail "$(cat "${log_of[screen]}")"
}
test_80_columns() { on_a_screen 80 24; }
test_40_columns() { on_a_screen 40 10; }

test_pipe_and_json_are_refused() {
	local out
	out=$(dcbctl watch 2>&1 </dev/null) && fail "not refused: $out"
	is "pipe" "$out" "dcbctl: watch: without tables it needs a terminal; to a pipe or file, name tables"
	out=$(dcbctl -j watch 2>&1) && fail "not refused: $out"
	is "JSON" "$out" "dcbctl: watch: without tables it fills the screen; with -j, name tables"
}

# The view socket is for everybody: watch needs neither the control socket nor its group.
test_tables_fit_a_terminal() {
	local out
	out=$("$python" -B "$src/tests/system/watch_screen.py" lines 80 "$build/dcbctl" -s $T/view show port) ||
		fail "wider than 80 columns: $out"
	like "columns" "$out" 'sw1.*\([0-9]+ columns more with -w\)'
	out=$("$python" -B "$src/tests/system/watch_screen.py" lines 80 "$build/dcbctl" -s $T/view -w show port) &&
		fail "-w: not wider than 80 columns: $out"
	like "-w" "$out" 'DiscardMalformed'
	out=$("$build/dcbctl" -s $T/view show port)
	like "pipe" "$out" 'DiscardMalformed'
}

run_tests
