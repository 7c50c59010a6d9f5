#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Each part of ./dev bench runs to its end: its programs start, forward, answer and stop. It measures
# once, for a moment; the numbers are of no use.
. "$(dirname -- "$0")/lib.sh"

[ "$(nproc)" -ge 2 ] || skip_all "the bench needs two processors"

# part NAME TEXT...: lines with each text are in its output.
part() {
	local text name=$1 before=$failures
	TMPDIR=$T "$src/tests/bench/run.sh" "$build" "$name" --smoke --without npm >$T/bench 2>&1 </dev/null ||
		fail "exit status $?"
	for text in "${@:2}"; do
		grep -qF -- "$text" $T/bench || fail "no '$text' in its output"
	done
	[ "$failures" -eq "$before" ] || tail -n 40 $T/bench
}

test_engines() { part engines "bridge, 4096 addresses" "Ring between two threads" GCM-AES-XPN-256 "256 neighbors"; }
test_sim() { part sim "leaf and spine" "simulator goals"; }
test_snmp() { part snmp R50x1 "SNMP goals"; }
test_forward() { part forward "the busier processor" "forwarding goals"; }
test_station() { part station "bare relay" "station goals"; }
test_headroom() { part headroom "headroom measurement goals"; }
test_trill() { part trill "RBridge goals"; }
test_pfc() { part pfc "pace goals" "PFC goals"; }
test_light() { part light "low rate goals"; }
test_share() { part share "share goals"; }
test_kernel() { part kernel "hardware port goals"; }

run_tests
