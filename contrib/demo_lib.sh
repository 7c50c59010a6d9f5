# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# The output that demonstrations have in common. $run/samples has a line for each sample:
# milliseconds, octets in the queue, its set point, and others.
color=no
[ ! -t 1 ] || [ -n "${NO_COLOR-}" ] || color=yes

# wrap FIRST NEXT END TEXT: prints the words of the text in lines of at most 79 columns, as far as words
# are not longer. Before the first line is FIRST, before the others NEXT; END is after all but the last.
wrap() {
	local line=$1 next=$2 end=$3 word words
	read -ra words <<<"$4" # without expansion of an asterisk
	for word in "${words[@]}"; do
		if [ $((${#line} + 1 + ${#word} + ${#end})) -gt 79 ] && [ -n "${line// /}" ]; then
			printf '%s%s\n' "$line" "$end"
			line=$next$word
		else
			line+=" $word"
		fi
	done
	printf '%s\n' "$line"
}

say() {
	echo
	wrap '==' '   ' '' "$*"
}
result() { wrap '=>' '   ' '' "$*"; }

warn() { printf 'demo: warning: %s\n' "$*" >&2; }

# allow_settings: whether the demo can change the settings of a network namespace, /proc/sys/net. It is
# read-only in most containers. In that case $writable gets the words before a command that writes there:
# they mount it again, for the command only.
writable=()
# shellcheck disable=SC2016 # the shell that is started expands the parameters
allow_settings() {
	local try=(unshare --net sh -c 'read -r value <"$1" && echo "$value" >"$1"' sh /proc/sys/net/ipv4/tcp_congestion_control)
	"${try[@]}" 2>/dev/null && return
	writable=(unshare --mount sh -c 'mount -o remount,bind,rw /proc/sys && exec "$@"' sh)
	"${writable[@]}" "${try[@]}" 2>/dev/null && return
	writable=()
	return 1
}

# show_ended: prints the end of the logs of programs that have ended, of two at most.
declare -A pid_of=() log_of=()
show_ended() {
	local name shown=0
	for name in "${!pid_of[@]}"; do
		! kill -0 "${pid_of[$name]}" 2>/dev/null && [ $shown -lt 2 ] || continue
		shown=$((shown + 1))
		printf -- '---- end of %s\n' "${log_of[$name]##*/}"
		tail -n 5 "${log_of[$name]}" | cut -c 1-200
	done
}

# keep_logs TO FROM: copies the logs in the directory FROM to the directory TO. Prints where they
# are, for the end of a line, or nothing if that is not possible.
keep_logs() {
	rm -rf "$1" && mkdir -p "$1" && cp "$2"/*.log "$1/" || return 0
	printf '; logs: %s' "$1"
} 2>/dev/null

right=0 wrong=0
# verdict TEXT EXPECTED COMMAND...: prints the result, which is right if the command succeeds, and
# counts it in right or wrong.
verdict() {
	local text=$1 expected=$2
	shift 2
	if "$@"; then
		right=$((right + 1))
		result "$text: right (expected: $expected)"
	else
		wrong=$((wrong + 1))
		result "$text: WRONG (expected: $expected)"
	fi
}

# verdicts: prints their number. Returns 1 if one was wrong.
verdicts() {
	result "$right of $((right + wrong)) effects as expected"
	[ "$wrong" -eq 0 ]
}

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
