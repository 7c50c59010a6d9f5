# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The output that demonstrations have in common. $run/samples has a line for each sample:
# milliseconds, octets in the queue, its set point, and others.
color=no
[ ! -t 1 ] || [ -n "${NO_COLOR-}" ] || color=yes

say() { printf '\n== %s\n' "$*"; }
result() { printf '=> %s\n' "$*"; }

bar() { # OCTETS SETPOINT: a bar of 15 columns for the port's buffer, with a mark at the set point
	awk -v q="$1" -v sp="$2" -v full="$buffer" -v color="$color" 'BEGIN {
		w = 15
		for (i = 0; i < w; i++) {
			c = i < q * w / full ? "#" : "."
			if (i == int(sp * w / full)) c = "|"
			s = s c
		}
		if (color == "yes") s = (q > 2 * sp ? "\033[31m" : "\033[32m") s "\033[0m"
		print s
	}'
}

mbps() { # BIT/S
	awk -v r="$1" 'BEGIN { printf "%.1f", r / 1e6 }'
}

# mean_of_queue SECONDS: the mean of the queue in these seconds before the last sample.
mean_of_queue() {
	awk -v ms="$1"000 '{ at[NR] = $1; queue[NR] = $2 }
		END { for (i = NR; i > 0 && at[i] > at[NR] - ms; i--) { sum += queue[i]; n++ }; printf "%.0f", sum / n }' "$run/samples"
}
