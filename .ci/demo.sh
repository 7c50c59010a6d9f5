#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The demo shows the intended effects: frames are lost without reaction points and hardly any with
# them; bursts lose frames without PFC and none with it; the set point reads back as set; there is a
# plot. It leaves nothing behind, at its end or when it is interrupted. Needs root.
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
demonstrate() {
	rm -f "$build/demo.png"
	contrib/demo.sh >"$out" 2>&1
}
nothing_left() { [ ! -e /run/dcb-demo ] && ! ip netns list | grep -qE '^dcb-(h1|h2|h3|sw)( |$)'; }
# The last two columns of the live lines, PFC frames and discards, of one part of the output: before
# reaction points are on, after that, during bursts, and during bursts with PFC.
lines() { # before|after|bursts|pfc
	awk -v want="$1" -v part=before '/^== reaction points on/ { part = "after" }
		/^== bursts/ { part = "bursts" }
		/^== priority-based flow control on/ { part = "pfc" }
		part == want && /^[#.|]+ +[0-9]+ / { print $(NF - 1), $NF }' "$out"
}
lost_at_first() { lines before | awk 'END { exit !($2 > 0) }'; }
# The reaction points need the first quarter of the time to find their rates. If dcbd gets no
# processor for longer than the buffer lasts, frames are lost even then: at most a hundredth of the
# loss before.
hardly_any_later() {
	lines after | awk '{ n[NR] = $2 }
		END { exit !(NR >= 12 && (n[NR] - n[int(NR / 4)]) * 100 <= n[1]) }'
}
bursts_are_lost() { lines bursts | awk 'NR == 1 { was = $2 } END { exit !($2 > was) }'; }
bursts_are_caught() {
	lines pfc | awk 'NR == 1 { was = $2 } END { exit !(NR >= 6 && $2 == was && $1 > 0) }'
}
read_back() { [ "$(grep -c 'ieee8021CnCpQueueSizeSetPoint.*: 100000\b' "$out")" -eq 2 ]; }
has_plot() { [ "$(head -c 8 "$build/demo.png" | od -An -tx1)" = " 89 50 4e 47 0d 0a 1a 0a" ]; }
# sw1 and sw2 face stations, sw3 does not.
domain_forms() {
	[ "$(grep -cE '^sw[12] +3 +interiorReady ' "$out")" -eq 2 ] &&
		[ "$(grep -cE '^sw3 +3 +edge ' "$out")" -eq 1 ]
}
agreed() { grep -qE '^eth0 +PFC +none willing +3 willing +3 +3 ' "$out"; }
sees_neighbor() { grep -q 'chassis.name=dcb-h3$' "$out"; }
interrupted() {
	local pid
	contrib/demo.sh >"$ci/log/demo-interrupted.log" 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		grep -q 'queue of sw3' "$ci/log/demo-interrupted.log" && break
		kill -0 $pid 2>/dev/null || return 1
		sleep 0.1
	done
	kill -TERM $pid && ! wait $pid && nothing_left
}

verdict "exits with status 0" demonstrate
verdict "congestion notification domain forms by LLDP" domain_forms
verdict "willing station takes PFC from its neighbor by DCBX" agreed
verdict "frames are lost without reaction points" lost_at_first
verdict "hardly any frames are lost with reaction points" hardly_any_later
verdict "bursts lose frames without PFC" bursts_are_lost
verdict "bursts lose no frames with PFC" bursts_are_caught
verdict "set point reads back as set" read_back
verdict "plot is a PNG file" has_plot
verdict "lldpd sees its neighbor" sees_neighbor
verdict "leaves nothing behind" nothing_left
verdict "leaves nothing behind when interrupted" interrupted
finish
