#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The demo shows the intended effects: frames are lost without reaction points and hardly any with
# them, which receive the CNMs of the second bridge through the first; bursts lose frames without
# PFC and none with it, as both bridges pause their neighbors; the set point reads back as set;
# there is a plot. It leaves nothing behind, at its end or when it is interrupted. Needs root.
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
nothing_left() { [ ! -e /run/dcb-demo ] && ! ip netns list | grep -qE '^dcb-(h1|h2|h3|b1|b2)( |$)'; }
# numbers PATTERN: the numbers of the result line ("=> ...") that has the pattern, in one line.
numbers() { sed -nE "/^=> .*$1/ { s/b[0-9]h?[0-9]?|bridge [12]|[(][^)]*[)]//g; s/[^0-9]+/ /g; p }" "$out"; }
lost_at_first() { numbers 'without reaction points' | awk 'END { exit !(NR == 1 && $1 > 0) }'; }
# If dcbd gets no processor for longer than the buffer lasts, frames are lost even with reaction
# points: at most a hundredth of the loss before. Lost: before, while the rates settled, since.
hardly_any_later() {
	numbers 'while the rates settled' | awk 'END { exit !(NR == 1 && $3 * 100 <= $1) }'
}
# More CNMs arrive at the stations than the first bridge has sent, and no more than both have.
cnms_cross() {
	numbers 'stations received' | awk 'END { exit !(NR == 1 && $1 > $3 && $1 <= $2 + $3) }'
}
bursts_are_lost() { numbers 'without PFC' | awk 'END { exit !(NR == 1 && $1 > 0) }'; }
bursts_are_caught() { numbers 'with PFC' | awk 'END { exit !(NR == 1 && $1 == 0) }'; }
both_pause() { numbers 'PFC frames of' | awk 'END { exit !(NR == 1 && $1 > 0 && $2 > 0) }'; }
live_lines() { awk '/^[#.|]+ +[0-9]+ / { n++; wide = wide || length > 79 } END { exit !(n > 40 && !wide) }' "$out"; }
read_back() { [ "$(grep -c 'ieee8021CnCpQueueSizeSetPoint.*: 100000\b' "$out")" -eq 2 ]; }
has_plot() { [ "$(head -c 8 "$build/demo.png" | od -An -tx1)" = " 89 50 4e 47 0d 0a 1a 0a" ]; }
# All ports face stations or bridges, but b2h3.
domain_forms() {
	[ "$(grep -cE '^(b1h1|b1h2|b1b2|b2b1) +3 +interiorReady ' "$out")" -eq 4 ] &&
		[ "$(grep -cE '^b2h3 +3 +edge ' "$out")" -eq 1 ]
}
agreed() { grep -qE '^eth0 +PFC +none willing +3 willing +3 +3 ' "$out"; }
sees_neighbor() { grep -q 'chassis.name=dcb-h3$' "$out"; }
interrupted() {
	local pid
	contrib/demo.sh >"$ci/log/demo-interrupted.log" 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		grep -q 'queue of b2h3' "$ci/log/demo-interrupted.log" && break
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
verdict "CNMs of the second bridge cross the first" cnms_cross
verdict "bursts lose frames without PFC" bursts_are_lost
verdict "bursts lose no frames with PFC" bursts_are_caught
verdict "both bridges send PFC frames" both_pause
verdict "live lines fit into 79 columns" live_lines
verdict "set point reads back as set" read_back
verdict "plot is a PNG file" has_plot
verdict "lldpd sees its neighbor" sees_neighbor
verdict "leaves nothing behind" nothing_left
verdict "leaves nothing behind when interrupted" interrupted
finish
