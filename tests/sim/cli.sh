#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Command line of dcbsim: exit status, time series, plots, captures. Two runs with one seed
# write the same octets, a run with another seed does not.
set -eu

dcbsim=$DCB_BUILDDIR/dcbsim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scn=$work/short.scn
cat >"$scn" <<'END'
title = "it's short";
duration = "20ms";
cnpvs = [ 3 ];
nodes = (
	{ name = "sw"; kind = "bridge"; },
	{ name = "src%d"; kind = "station"; count = 3; },
	{ name = "sink"; kind = "station"; }
);
links = (
	{ ends = [ "src%d", "sw" ]; count = 3; rate = "10G"; delay = "5us"; },
	{ ends = [ "sw", "sink" ]; rate = "10G"; delay = "1us"; buffer = "150k"; }
);
flows = ( { name = "f%d"; from = "src%d"; to = "sink"; count = 3; priority = 3; } );
assertions = ( { metric = "utilisation"; link = "sw->sink"; from = "1ms"; min = 0.5; } );
END

fail() {
	echo "$*"
	exit 1
}
status() { # WANTED COMMAND...
	wanted=$1
	shift
	rc=0
	"$@" >"$work/out" 2>"$work/err" </dev/null || rc=$?
	[ $rc -eq "$wanted" ] || {
		cat "$work/out" "$work/err"
		fail "exit status $rc, expected $wanted: $*"
	}
}
prints() { grep -qF -- "$1" "$work/out" "$work/err" || fail "not in the output: $1"; }

status 0 "$dcbsim" "$scn"
prints "ok     $scn:"
status 0 "$dcbsim" --check "$scn"
[ ! -s "$work/out" ] || fail "--check ran the scenario"
sed 's/min = 0.5/min = 1.5/' "$scn" >"$work/fails.scn"
status 1 "$dcbsim" --quiet "$work/fails.scn"
prints "FAILED $work/fails.scn:"
status 1 "$dcbsim" --seeds 3 "$work/fails.scn"
prints "seed 3    FAILED"
sed 's/cnpvs/cnvps/' "$scn" >"$work/broken.scn"
status 2 "$dcbsim" --check "$work/broken.scn"
prints "$work/broken.scn:3: cnvps: unknown setting"
status 2 "$dcbsim"
status 2 "$dcbsim" --seed x "$scn"
prints 'expected a number 0..4294967295, not "x"'
status 2 "$dcbsim" --pcap "sw->nowhere=$work/x" "$scn"
prints "there is no such link"
status 2 "$dcbsim" --seeds 2 --csv "$work/x" "$scn"
status 2 "$dcbsim" --csv /nonexistent/x "$scn"
prints "/nonexistent/x: No such file or directory"
status 0 "$dcbsim" --help
status 0 "$dcbsim" --version

# Side by side: the same octets and status as one after the other, also of runs that fail.
for scenario in "$scn" "$work/fails.scn"; do
	wanted=0
	[ "$scenario" = "$scn" ] || wanted=1
	status "$wanted" "$dcbsim" --seeds 5 "$scenario"
	mv "$work/out" "$work/serial.out"
	mv "$work/err" "$work/serial.err"
	status "$wanted" "$dcbsim" --seeds 5 --jobs 3 "$scenario"
	cmp "$work/serial.out" "$work/out" || fail "another output with --jobs"
	cmp "$work/serial.err" "$work/err" || fail "other errors with --jobs"
done
status 2 "$dcbsim" --seeds 2 --jobs 0 "$scn"
prints 'expected a number 1..1024, not "0"'
# The buffers of the bridge are too few for the headroom that the event asks for: an error in each run.
sed -e 's/name = "sw"; kind = "bridge";/& frame_buffers = 100;/' "$scn" >"$work/headroom.scn"
cat >>"$work/headroom.scn" <<'END'
pfc = [ 3 ];
events = ( { at = "1ms"; object = "ieee8021PfcLinkDelayAllowance"; node = "sw"; value = 1000000; } );
END
for jobs in 1 3; do
	status 2 "$dcbsim" --seeds 5 --jobs $jobs "$work/headroom.scn"
	prints "reserves and headroom"
	[ "$(wc -l <"$work/err")" -eq 1 ] || fail "expected one error with --jobs $jobs"
done

run() { # NAME SEED
	status 0 "$dcbsim" --seed "$2" --csv "$work/$1.csv" --pcap "sw->sink=$work/$1.pcap" \
		--pcap "sw->src0=$work/$1-cnm.pcap" "$scn"
	mv "$work/out" "$work/$1.out"
}
run once 7
run again 7
run other 8
for file in csv pcap out; do
	cmp "$work/once.$file" "$work/again.$file" || fail "two runs with seed 7 differ: $file"
	! cmp -s "$work/once.$file" "$work/other.$file" || fail "runs with seeds 7 and 8 have the same $file"
done
head -n 1 "$work/once.csv" | grep -q '^"time (s)","queue sw->sink (octets)","rate sw->sink (Mb/s)","goodput f0 (Mb/s)"'
[ "$(wc -l <"$work/once.csv")" -eq 22 ] || fail "expected a heading and 21 rows"
"$dcbsim" --csv - "$scn" 2>/dev/null </dev/null | head -n 1 | grep -q '^"time' || fail "no CSV on stdout"

# The captures contain whole frames, which dcbd reads; that of sw->src0 contains CNMs.
"$DCB_BUILDDIR/dcbd" --read "$work/once.pcap" --write "$work/relayed.pcap" -c /dev/null >"$work/out" 2>&1 || {
	cat "$work/out"
	fail "dcbd cannot read the capture"
}
[ "$(stat -c %s "$work/once-cnm.pcap")" -gt 100 ] || fail "no CNM on sw->src0"

# A run that ends during a pause.
status 1 "$dcbsim" --quiet --duration 5ms --pcap "src0->a=$work/x.pcap" "$(dirname -- "$0")/pfc-chain.scn"

status 2 env PATH=/nonexistent "$dcbsim" --plot "$work/x.png" "$scn"
prints "gnuplot is not installed"
status 2 "$dcbsim" --plot "$work/x.gif" "$scn"
command -v gnuplot >/dev/null || {
	echo "gnuplot is not installed"
	exit 77
}
status 0 "$dcbsim" --plot "$work/x.svg" "$scn"
status 0 "$dcbsim" --plot "$work/x.png" "$scn"
head -c 4 "$work/x.png" | grep -q PNG || fail "no PNG"
grep -q "queue sw" "$work/x.svg" || fail "no SVG of the queue"
