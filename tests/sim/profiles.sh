#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The profiles "standard" and "scaled" from 100 Mb/s to 400 Gb/s, simulated: four stations send to
# one port of a bridge, whose rate falls to a twentieth and returns.
#
#   profiles.sh            test: the rates of $few with one seed; the table of doc/profiles.md
#                          is true, and "scaled" is better where it claims to be
#   profiles.sh --write    all rates with three seeds, writes that table; takes minutes
set -eu

dcbsim=${DCB_BUILDDIR:?}/dcbsim
doc=${DCB_SRCDIR:?}/doc/profiles.md
few='100M 200M 100G'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# rates: name; ms at the full rate before the fall, of which the second half is measured, at a
# twentieth, after the return; ms of the intervals in which recovery is measured; CNM delay.
rates() {
	cat <<-END
		100M 20000 4000 3000 20 40us
		200M 16000 3000 2000 10 40us
		1G    6000 1000 1000  5 40us
		10G   4000  400  300  1 40us
		25G   2000  200  200  1 4us
		40G   1200  120  200  1 4us
		100G   500   60  150  1 4us
		200G   300   40  150  1 4us
		400G   200   20  150  1 4us
	END
}

# scenario PROFILE RATE BEFORE LOW AFTER INTERVAL DELAY
scenario() {
	fall=$3 return=$(($3 + $4)) end=$(($3 + $4 + $5))
	port='link = "sw->sink"'
	steady="from = \"$((fall / 2))ms\"; to = \"${fall}ms\"; min = 0;"
	low="from = \"$((fall + $4 / 2))ms\"; to = \"${return}ms\"; min = 0;"
	twentieth=$(echo "$2" | awk '{ unit = substr($1, length($1)); n = $1 / 20 } unit == "G" { n *= 1000 } { print n "M" }')
	cat <<-END
		duration = "${end}ms";
		trace = "${end}ms";
		cnpvs = [ 3 ];
		nodes = (
			{ name = "sw"; kind = "bridge"; profile = "$1"; },
			{ name = "src%d"; kind = "station"; count = 4; profile = "$1"; },
			{ name = "sink"; kind = "station"; }
		);
		links = (
			{ ends = [ "src%d", "sw" ]; count = 4; rate = "$2"; delay = [ "0ns", "$7" ]; },
			{ ends = [ "sw", "sink" ]; rate = "$2"; delay = "0ns"; buffer = "400k"; }
		);
		flows = ( { name = "f%d"; from = "src%d"; to = "sink"; count = 4; priority = 3; } );
		events = (
			{ at = "${fall}ms"; $port; rate = "$twentieth"; },
			{ at = "${return}ms"; $port; rate = "$2"; }
		);
		assertions = (
			{ metric = "queue_mean"; $port; $steady },
			{ metric = "queue_sd"; $port; $steady },
			{ metric = "utilisation"; $port; $steady },
			{ metric = "jain"; flows = "f*"; $steady },
			{ metric = "queue_max"; $port; $low },
			{ metric = "recovery"; $port; from = "${return}ms"; over = "$6ms"; min = 0; }
		);
	END
}

# measure SEEDS PROFILE RATE ...: prints a row of the table, the means of the seeds.
measure() {
	seeds=$1
	shift
	scenario "$@" >"$work/scn"
	seed=0
	while [ $((seed += 1)) -le "$seeds" ]; do
		"$dcbsim" --quiet --seed $seed "$work/scn" </dev/null || return
	done >"$work/out"
	awk -v rate="$2" -v profile="$1" -v seeds="$seeds" '
		match($0, /[0-9]: [a-z_]+ of /) {
			metric = substr($0, RSTART + 3, RLENGTH - 7)
			sub(/.* s: /, "")
			sum[metric] += $1 == "inf" ? 1e9 : $1
			n++
		}
		END {
			if (n != 6 * seeds) exit 1
			for (m in sum) mean[m] = sum[m] / seeds
			kept = mean["queue_max"] < 395000
			printf "| %s | %s | %.1f | %.1f | %.1f | %.3f | %s | %s |\n", rate, profile,
				mean["queue_mean"] / 1000, mean["queue_sd"] / 1000, mean["utilisation"] * 100, mean["jain"],
				kept ? sprintf("%.0f", mean["queue_max"] / 1000) : "full",
				kept ? sprintf("%.0f", mean["recovery"] * 1000) : "-"
		}' "$work/out"
}

# table SEEDS RATES: the rows of these rates.
table() {
	rates | while read -r rate times; do
		case " $2 " in *" $rate "*) ;; *) continue ;; esac
		for profile in standard scaled; do
			# shellcheck disable=SC2086 # words
			measure "$1" $profile "$rate" $times
		done
	done
}

fail() {
	echo "$*"
	exit 1
}

if [ "${1-}" = --write ]; then
	table 3 "$(rates | awk '{ printf "%s ", $1 }')" >"$work/new"
	[ "$(wc -l <"$work/new")" -eq $(($(rates | wc -l) * 2)) ] || fail "a run failed"
	awk -v rows="$work/new" '
		/^\| [0-9]+[MG] \|/ { if (!done++) while ((getline line <rows) > 0) print line; next }
		{ print }' "$doc" >"$work/doc"
	cat "$work/doc" >"$doc"
	exit
fi
[ $# -eq 0 ] || fail "expected no argument, or --write"

# true_to ROW ROW: whether two rows agree, as the results of other seeds do.
true_to() {
	printf '%s\n%s\n' "$1" "$2" | awk -F' *[|] *' '
		function near(i, share, least) {
			off = a[i] - $i
			if (off < 0) off = -off
			room = share * a[i] > least ? share * a[i] : least
			return off <= room
		}
		NR == 1 { for (i = 2; i <= 9; i++) a[i] = $i; next }
		END {
			kept = a[8] == "full" || $8 == "full" ? a[8] == $8 && a[9] == $9 : near(8, 0.4, 0) && near(9, 0.4, 2)
			exit !(a[2] == $2 && a[3] == $3 && near(4, 0.1, 0) && near(5, 0.5, 1) && near(6, 0, 1) && kept)
		}'
}

table 1 "$few" >"$work/rows"
while read -r row; do
	echo "measured $row"
	start=$(echo "$row" | cut -d'|' -f1-3)
	written=$(grep -F -- "$start|" "$doc") || fail "no such row in $doc"
	echo "written  $written"
	true_to "$written" "$row" || fail "$doc differs: run tests/sim/profiles.sh --write"
done <"$work/rows"
# Each rate has both profiles, "scaled" second. It keeps the queue at its set point, uses the port,
# and controls it at a twentieth of the rate; at 100 Gb/s it recovers several times faster.
awk -F' *[|] *' '
	$3 == "standard" { full = $8 == "full"; recovery = $9; next }
	{
		good = $4 > 23 && $4 < 53 && $5 < 6 && $6 > 99 && $8 != "full"
		if ($2 == "200M") good = good && $4 > 47.9 && $4 < 52.9 && $5 < 4 && full
		if ($2 == "100G") good = good && $9 <= 15 && recovery > 50
		if (!good) { print "expected another result of: " $0; exit 1 }
		n++
	}
	END { if (n != 3) exit 1 }' "$work/rows" || fail "a profile does not do what $doc claims"
echo "ok"
