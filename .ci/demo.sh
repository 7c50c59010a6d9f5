#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The demo does what it says: frames move, the set point is read back as set, and
# nothing is left behind, at its end or when it is interrupted. Needs root.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

if [ "$(id -u)" -ne 0 ]; then
	echo "named network namespaces need root"
	exit 77
fi
make_configure
configure_in "$build" CFLAGS="-O2 -g"
make -C "$build" -j"$jobs" all
mkdir -p "$ci/log"
out=$ci/log/demo-output.log

verdict() { # NAME COMMAND...
	if "${@:2}"; then
		result PASS "demo: $1" "$out"
	else
		result FAIL "demo: $1" "$out"
	fi
}
demonstrate() { contrib/demo.sh >"$out" 2>&1; }
nothing_left() { [ ! -e /run/dcb-demo ] && ! ip netns list | grep -qE '^dcb-(h1|h2|h3|sw)( |$)'; }
# Live lines end in two counters; the first of them goes up.
frames_move() {
	awk '/^[#.|]+ +[0-9]+ / { if (!n++) first = $(NF - 1); last = $(NF - 1) }
		END { exit !(n >= 20 && last > first + 1000) }' "$out"
}
read_back() { [ "$(grep -c 'ieee8021CnCpQueueSizeSetPoint.*: 100000\b' "$out")" -eq 2 ]; }
sees_neighbour() { grep -q 'chassis.name=host3$' "$out"; }
interrupted() {
	local pid
	contrib/demo.sh >"$ci/log/demo-interrupted.log" 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		grep -q 'of sw3, priority 3' "$ci/log/demo-interrupted.log" && break
		kill -0 $pid 2>/dev/null || return 1
		sleep 0.1
	done
	kill -TERM $pid && ! wait $pid && nothing_left
}

verdict "runs to its end" demonstrate
verdict "frames move" frames_move
verdict "the set point is read back" read_back
verdict "lldpd sees its neighbour" sees_neighbour
verdict "leaves nothing behind" nothing_left
verdict "interrupted, leaves nothing behind" interrupted
finish
