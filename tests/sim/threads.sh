#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --threads: results, time series, captures, errors and exit status are the same octets with any
# number of threads; of scenarios of the project, of a fat tree, and of a network in which links,
# rates and objects change while every node is a part of its own.
set -eu

dcbsim=$DCB_BUILDDIR/dcbsim
here=$(dirname -- "$(readlink -f -- "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "$*"
	exit 1
}

# run NAME THREADS ARGUMENT...: its output is in $work/NAME.*, without the line about fewer threads.
run() {
	local name=$1 threads=$2 rc=0
	shift 2
	"$dcbsim" --threads "$threads" --csv "$work/$name.csv" "$@" >"$work/$name.out" 2>"$work/$name.err" \
		</dev/null || rc=$?
	echo $rc >"$work/$name.status"
	sed -i '/^dcbsim: --threads/d' "$work/$name.err"
}

# same THREADS ARGUMENT...: the same as one thread, whose output is in $work/one.*.
same() {
	local file threads=$1
	shift
	rm -f "$work"/some.*
	run some "$threads" "${@//one.pcap/some.pcap}"
	for file in "$work"/one.*; do
		cmp "$file" "$work/some.${file##*.}" || fail "$* with $threads threads: another ${file##*.}"
	done
}

# compare ARGUMENT...: with 1 thread and with 2, 3 and 4.
compare() {
	local threads
	rm -f "$work"/one.*
	run one 1 "$@"
	for threads in 2 3 4; do same $threads "$@"; done
	echo "$*: exit status $(cat "$work/one.status"), $(stat -c %s "$work/one.out") octets of results"
}

# A ring of three bridges and six stations: nine nodes, each of which can be a part.
cat >"$work/ring.scn" <<'END'
duration = "12ms";
sample = "250us";
trace = "1ms";
lldp = true;
cnpvs = [ 3 ];
pfc = [ 5 ];
nodes = (
	{ name = "b%d"; kind = "bridge"; count = 3; },
	{ name = "h%d"; kind = "station"; count = 5; },
	{ name = "h5"; kind = "host"; }
);
links = (
	{ ends = [ "b%d", "b%d" ]; count = 3; offset = [ 0, 1 ]; modulo = 3; rate = "10G"; delay = [ "2us", "700ns" ]; },
	{ ends = [ "h%d", "b%d" ]; count = 6; modulo = [ 0, 3 ]; rate = "10G"; delay = "500ns"; buffer = [ "unlimited", "150k" ]; }
);
flows = (
	{ name = "cn%d"; from = "h%d"; to = "h0"; count = 4; offset = 1; priority = 3; },
	{ name = "pfc%d"; from = "h%d"; to = "h5"; count = 5; priority = 5; rate = "4G"; on = "100us"; off = "50us"; random = true; },
	{ name = "size"; from = "h5"; to = "h2"; size = "20k"; frame = 64; start = "3ms"; }
);
events = (
	{ at = "2ms"; link = "b0->b1"; rate = "1G"; },
	{ at = "2500001ns"; link = "b2->h5"; up = false; },
	{ at = "3ms"; link = "b2->h5"; up = true; },
	{ at = "4ms"; object = "ieee8021CnGlobalMasterEnable"; node = "b1"; value = "false"; },
	{ at = "4ms"; link = "b0->b1"; rate = "40G"; },
	{ at = "5ms"; link = "b1->b2"; up = false; },
	{ at = "6ms"; link = "b1->b2"; up = true; }
);
assertions = ( { metric = "utilisation"; link = "b0->h0"; from = "1ms"; min = 0.1; },
	{ metric = "queue_max"; link = "b0->h0"; from = "1ms"; max = 1; } );
END
compare --pcap "b0->h0=$work/one.pcap" "$work/ring.scn"
[ "$(cat "$work/one.status")" = 1 ] || fail "expected exit status 1: the queue is not empty"
grep -q "^  b2->h5 .* [1-9][0-9]*\$" "$work/one.out" || fail "the link that goes down loses no frame"
same 9 --pcap "b0->h0=$work/one.pcap" "$work/ring.scn"
"$dcbsim" --threads 9 "$work/ring.scn" 2>"$work/err" </dev/null >"$work/out" || true
[ ! -s "$work/err" ] || fail "expected nine threads: $(cat "$work/err")"
"$dcbsim" --threads 10 --seeds 3 --jobs 2 "$work/ring.scn" 2>"$work/err" </dev/null >"$work/out" || true
[ "$(cat "$work/err")" = "dcbsim: --threads 10: 9 used, the network cannot be divided further" ] ||
	fail "expected one line about 9 threads: $(cat "$work/err")"
"$dcbsim" --seeds 3 "$work/ring.scn" </dev/null 2>&1 | cmp - "$work/out" || fail "another output with --jobs and --threads"

# An event that fails: the frame buffers of a bridge hold its headroom, but not that which the event sets.
sed 's/name = "b%d"; kind = "bridge";/& frame_buffers = 20000;/' "$work/ring.scn" >"$work/room.scn"
run room 2 "$work/room.scn"
[ "$(cat "$work/room.status")" = 1 ] || fail "expected room for the headroom: $(cat "$work/room.err")"
sed 's/^events = (/& { at = "1ms"; object = "ieee8021PfcLinkDelayAllowance"; value = 100000000; },/' \
	"$work/room.scn" >"$work/fails.scn"
compare "$work/fails.scn"
[ "$(cat "$work/one.status")" = 2 ] || fail "expected exit status 2"
grep -q "reserves and headroom" "$work/one.err" || fail "expected an error: $(cat "$work/one.err")"

# A fat tree of 16 stations.
# shellcheck source=tests/bench/fat_tree.sh
. "$here/../bench/fat_tree.sh"
fat_tree 4 >"$work/tree.scn"
compare --pcap "agg0-0->core0-0=$work/one.pcap" "$work/tree.scn"

while read -r scenario duration; do
	compare --duration "$duration" "$here/$scenario.scn"
done <<'END'
domain 310ms
ets 27ms
incast 10ms
leaf-spine-128 1ms
parking-lot 10ms
pfc-chain 10ms
pfc-deadlock 14ms
pfc-deadlock-transit-delay 14ms
trill-campus 20ms
trill-campus-16 10ms
victim 10ms
END

! "$dcbsim" --threads 0 "$work/tree.scn" 2>"$work/err" || fail "expected an error for --threads 0"
grep -qF 'expected a number 1..64, not "0"' "$work/err" || fail "another error: $(cat "$work/err")"
