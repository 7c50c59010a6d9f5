#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dcbsim --compare: QCN, DCQCN and PFC alone on four networks. In each, all that is sent arrives,
# none of it twice; congestion control leaves the queue shorter than PFC alone does, and the ports
# paused for less of the time. Also a network that loses frames, which are sent again.
set -eu

dcbsim=$DCB_BUILDDIR/dcbsim
scenarios=$DCB_SRCDIR/tests/sim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	cat "$work/out" "$work/err"
	echo "$*"
	exit 1
}
refuses() { # TEXT ARGUMENT...
	text=$1
	shift
	rc=0
	"$dcbsim" "$@" >"$work/out" 2>"$work/err" </dev/null || rc=$?
	[ $rc -eq 2 ] || fail "exit status $rc, expected 2: $*"
	grep -qF -- "$text" "$work/err" || fail "not in the messages: $text"
}

"$dcbsim" --compare --seeds "${DCB_SIM_SEEDS:-1}" --jobs 2 --plot "$work/all.svg" "$scenarios"/compare-*.scn \
	>"$work/out" 2>"$work/err" || fail "the comparison failed"
cat "$work/out"
grep -q 'compare-fat-tree dcqcn' "$work/all.svg" || fail "the plot lacks a scenario"
# Columns: name, variant, queue, max, used, goodput, Jain, complete, 99 %, paused, resent, lost.
awk '
	function bad(text) { print $1, $2 ": " text; failed = 1 }
	NR <= 2 { next }
	{
		rows++
		queue[$1, $2] = $3
		paused[$1, $2] = $10
		if ($11 != 0 || $12 != 0) bad("frames lost or sent again")
		if ($7 == "-" && ($8 !~ /^[0-9.]+$/ || $9 < $8)) bad("a flow is not complete")
		if ($7 != "-" && $2 == "dcqcn" && $7 < 0.9) bad("shares are not fair")
		if ($7 != "-" && $5 < 95) bad("the link is not used")
		nets[$1] = 1
	}
	END {
		if (rows != 12) { print rows " rows, expected 12"; failed = 1 }
		for (net in nets) {
			$1 = net
			for (i = 1; i <= 2; i++) {
				$2 = i == 1 ? "qcn" : "dcqcn"
				if (queue[net, $2] >= queue[net, "pfc"] / 2) bad("long queue")
				if (paused[net, $2] >= paused[net, "pfc"] / 4) bad("long pauses")
			}
		}
		exit failed
	}' "$work/out" || exit 1

# The comparison with several processes is that with one, octet for octet.
mv "$work/out" "$work/all"
"$dcbsim" --compare "$scenarios/compare-incast.scn" >"$work/one" 2>"$work/err"
"$dcbsim" --compare --jobs 3 "$scenarios/compare-incast.scn" >"$work/out" 2>"$work/err"
cmp -s "$work/one" "$work/out" || fail "--jobs changes the result"

refuses 'expected a variant named hpcc' --variant hpcc "$scenarios/compare-incast.scn"
refuses 'expected a variant named qcn' --variant qcn "$scenarios/incast.scn"
refuses 'usage:' --compare
refuses 'usage:' --compare --variant qcn "$scenarios/compare-incast.scn"
refuses 'expected a duration, nodes and links' --compare /dev/null
refuses 'expected watch' --compare --duration 1us "$scenarios/compare-incast.scn" \
	"$scenarios/compare-bottleneck.scn"
"$dcbsim" --variant dcqcn "$scenarios/compare-incast.scn" >"$work/out"
grep -q '^incast at 40 Gb/s, dcqcn, seed 1' "$work/out" || fail "no title"
awk '/^RoCEv2/ { on = 1; next } /^links/ { on = 0 } on { n++; cnps += $3 } END { exit n != 32 || !cnps }' \
	"$work/out" || fail "no CNPs"
