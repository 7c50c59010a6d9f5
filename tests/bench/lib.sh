# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Functions for the benchmark scripts of this directory: start programs, clean up on exit and on
# Ctrl-C, read processor times, compute medians, their intervals, and ratios of results.
#
# A script measures its subjects in turn within each round (record), compares them within each round
# (ratios), and repeats rounds until the intervals of the ratios that decide its goals are narrow
# (until_sure). Goals are judged by processor time (cpu_ns), which other programs of the machine
# change less than they change the time that passes. Before it measures, a script says how long it
# takes (takes).
set -euo pipefail

# shellcheck disable=SC2034 # used by scripts that source this file
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
export LC_ALL=C

say() { printf '== %s\n' "$*"; }
# Ends the benchmark: its setup failed. A missed speed goal is a result, not a failure.
fail() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

pids=()
declare -A names=()
namespaces=()
work=

cleanup() {
	local rc=$? i n
	trap - EXIT INT TERM HUP
	# In reverse order: a subagent closes its session while its master still runs.
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" 2>/dev/null || true
		kill -CONT "${pids[i]}" 2>/dev/null || true
		end_of "${pids[i]}" || rc=1
	done
	for n in "${namespaces[@]}"; do ip netns delete "$n" 2>/dev/null || true; done
	if [ -n "$work" ]; then
		# BENCH_KEEP=1 keeps logs and configurations.
		if [ -n "${BENCH_KEEP-}" ]; then echo "kept: $work"; else rm -rf "$work"; fi
	fi
	exit "$rc"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# end_of PID: wait at most 5 s for a child that got SIGTERM, then kill it. A child
# that ended by SIGSEGV or a similar signal crashed: the run fails.
end_of() {
	local i rc=0
	for ((i = 0; i < 500; i++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.01
	done
	kill -KILL "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || rc=$?
	case $rc in
	132 | 134 | 135 | 136 | 139)
		printf '%s: %s crashed: signal %d\n' "${0##*/}" "${names[$1]-}" $((rc - 128)) >&2
		return 1
		;;
	esac
}

# Only one benchmark may run: two would disturb each other and use the same namespaces.
# BENCH_SMOKE=SECONDS: waits that long for another one, and has no priority, because the results are of
# no use.
make_work() {
	local busy
	exec 9>"${TMPDIR:-/tmp}/dcb-bench.lock"
	flock -w "${BENCH_SMOKE:-0}" 9 || fail "another benchmark is running on this machine"
	work=$(mktemp -d "${TMPDIR:-/tmp}/dcb-bench.XXXXXX")
	chmod 755 "$work"
	results=$work/results
	: >"$results"
	[ -z "${BENCH_SMOKE-}" ] || return 0
	busy=$(machine_busy)
	# Priority over other processes of the machine; child processes inherit it.
	renice -n -15 -p $$ >/dev/null
	[ "$busy" -lt 10 ] || say "other processes use $busy % of the processors: absolute numbers and" \
		"unpinned results are not reliable"
}

# Prints the load of all processors during the next second, in percent.
machine_busy() {
	{
		head -n 1 /proc/stat
		sleep 1
		head -n 1 /proc/stat
	} | awk '{
		idle = $5 + $6 - last_idle
		last_idle = $5 + $6
		all = -last_all
		last_all = 0
		for (i = 2; i <= 9; i++) last_all += $i
		all += last_all
	} END { printf "%d\n", 100 * (1 - idle / all) }'
}

# start NAME COMMAND...: start a program in the background, with its output in
# $work/NAME.log and its pid in $started. Not for functions: their pid is a shell's.
start() {
	local name=$1
	shift
	"$@" >"$work/$name.log" 2>&1 </dev/null 9>&- &
	started=$!
	pids+=("$started")
	names[$started]=$name
}

# await SECONDS WHAT LOG COMMAND...: poll until the command succeeds.
await() {
	local limit=$1 what=$2 log=$3 end
	shift 3
	end=$((SECONDS + limit))
	until "$@" >/dev/null 2>&1; do
		if ((SECONDS >= end)); then
			[ ! -s "$work/$log.log" ] || tail -n 15 "$work/$log.log" >&2
			fail "$what: not ready after $limit s"
		fi
		sleep 0.1
	done
}

make_namespace() {
	ip netns delete "$1" 2>/dev/null || true
	ip netns add "$1"
	namespaces+=("$1")
	ip -n "$1" link set lo up
}

in_ns() { ip netns exec "$@"; }
mac_of() { in_ns "$1" cat "/sys/class/net/$2/address"; } # NAMESPACE INTERFACE

# make_hosts NAMESPACE...: makes namespaces without IPv6, so that they send no frames on their own.
make_hosts() {
	local n
	for n; do
		make_namespace "$n"
		in_ns "$n" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
			echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6' 2>/dev/null || true
	done
}

# cable NAMESPACE END NAMESPACE END [LINK-OPTION...]: both ends have the options.
cable() {
	ip -n "$1" link add "$2" "${@:5}" type veth peer name "$4" "${@:5}" netns "$3" ||
		fail "no veth interfaces on this machine"
	ip -n "$1" link set "$2" up
	ip -n "$3" link set "$4" up
}

# start_burner: starts a busy loop on core 1, stopped. $burner is its pid.
burner=
start_burner() {
	start burner taskset -c 1 sh -c 'while :; do :; done'
	burner=$started
	kill -STOP "$burner"
}

# busy COMMAND...: runs it while the busy loop shares core 1. A program there then always has full
# batches.
busy() {
	kill -CONT "$burner"
	"$@"
	kill -STOP "$burner"
}

# on CPUS PID...: move every thread of these processes and of their children.
on() {
	local cpus=$1 p child
	shift
	for p in "$@"; do
		for child in "$p" $(ps -o pid= --ppid "$p"); do
			taskset -a -p -c "$cpus" "$child" >/dev/null ||
				fail "process $child ended: see its log with BENCH_KEEP=1"
		done
	done
}

# The generator's namespace, the counter's, and that of elements between them.
h1=dcb-bench-h1 h2=dcb-bench-h2 sw=dcb-bench-sw

# generate ELEMENT INTERFACE OCTETS OPTION...: runs pktgen on core 0, from an interface in $h1 to
# interface ELEMENT in $h2, for $seconds after $warm_up; prints its result line.
# shellcheck disable=SC2154 # of the script
generate() {
	in_ns $h1 taskset -c 0 "$build/tests/bench/pktgen" -i "$2" -o "$3" -t "$seconds" -w "$warm_up" \
		-N $h2 -I "$1" "${@:4}" ||
		fail "$1: the generator failed; log of the element: $(tail -n 3 "$work/$1.log" 2>/dev/null)"
}

# arrive GEN-ARGUMENT...: whether frames of the script's function gen arrive, a few of them
arrive() { gen "$@" -r 1000 -t 0.1 -w 0 | grep -qv 'received=0 '; }

# in_turn ROUND NAME...: prints the names, in every second round backwards, so that a change of the
# machine's load within a round favors none.
in_turn() {
	local all=("${@:2}") i
	for ((i = 0; i < ${#all[@]}; i++)); do
		echo "${all[$1 % 2 ? i : ${#all[@]} - 1 - i]}"
	done
}

# field KEY "KEY=VALUE ...": print the value of KEY in the output of a measuring program.
field() {
	awk -v k="$1=" '{
		for (i = 1; i <= NF; i++) if (index($i, k) == 1) print substr($i, length(k) + 1)
	}' <<<"$2"
}

# cpu_ns PID...: prints the nanoseconds that all threads of these processes, and of their children,
# have run. The time of threads that ended is not in it. Fails if a process has ended.
cpu_ns() {
	local p thread child children files=()
	for p; do
		[ -r "/proc/$p/schedstat" ] || fail "process $p ended: see its log with BENCH_KEEP=1"
		for thread in "/proc/$p/task"/*; do
			files+=("$thread/schedstat")
			children=()
			# A thread may end in between. The list has no end of line.
			read -r -a children 2>/dev/null <"$thread/children" || true
			for child in "${children[@]}"; do files+=("/proc/$child/task"/*/schedstat); done
		done
	done
	cat "${files[@]}" 2>/dev/null | awk '{ n += $1 } END { printf "%.0f\n", n }' || true
}

# takes NAME LEAST MOST: says how long this part takes, in seconds: LEAST if no round is repeated, and
# MOST with all repetitions. run.sh sets BENCH_ESTIMATE to get only the numbers. Call it after the
# options are known, and before anything is started.
takes() {
	if [ -n "${BENCH_ESTIMATE-}" ]; then
		printf '%.0f %.0f\n' "$2" "$3"
		exit 0
	fi
	say "$1: takes $(duration "$2" "$3")"
}

# duration LEAST MOST: prints two numbers of seconds as a text.
duration() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		unit = "s"
		if (b >= 100) { unit = "minutes"; a /= 60; b /= 60 }
		x = sprintf(unit == "s" || a >= 10 ? "%.0f" : "%.1f", a)
		y = sprintf(unit == "s" || b >= 10 ? "%.0f" : "%.1f", b)
		print (x == y ? x : x " to " y) " " unit }'
}

# busier LINE: prints received frames per second of the processor that needs longer, from a result
# line of pktgen: what two idle processors, one for the generator and one for the element, would
# do. The kernel's work for a frame is part of the two processor times, because it is done in the
# context of the sender. If frames were lost although the element used less than 90 % of a processor,
# prints received frames per second of the time that passed: a frame dropped at a full ring costs the
# generator less than one that is received. Other programs can cause such a loss and lower the result;
# nothing raises it. Prints nothing if they left the generator less than 80 % of a processor: it sent
# in short bursts, which the element receives at a higher cost.
busier() {
	awk -v sent="$(field sent "$1")" -v received="$(field received "$1")" \
		-v seconds="$(field seconds "$1")" -v own="$(field own_cpu_s "$1")" \
		-v cpu="$(field cpu_s "$1")" 'BEGIN {
		if (own < 0.8 * seconds) exit
		if (cpu == 0 || received >= 0.98 * sent) print received / (cpu > own ? cpu : own)
		else print received / (cpu > 0.9 * seconds ? cpu : seconds) }'
}

# --- results: lines of "group subject cell round value" ---------------------------

record() { printf '%s\n' "$*" >>"$results"; }
# record_quotient GROUP SUBJECT CELL ROUND A B: record A / B, or nothing if B is 0: a program that did
# not run, because the machine was too busy.
record_quotient() {
	awk -v key="$1 $2 $3 $4" -v a="$5" -v b="$6" 'BEGIN { if (b > 0) print key, a / b }' >>"$results"
}

spread() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)], v[1], v[NR] }'; }

# interval: prints the median of the numbers on standard input, and the least and the greatest value
# of its 95 % interval, whatever the distribution: the k-th number from below and from above, where
# the median is beyond each with a probability of at most 2.5 % (binomial distribution). Fewer
# than 6 numbers have no such interval: prints "-" for its values. Prints "- - -" for no numbers.
interval() {
	sort -g | awk '{ v[NR] = $1 } END {
		if (!NR) { print "- - -"; exit }
		p = sum = 0.5 ^ NR
		for (k = 0; sum <= 0.025; sum += p) p *= (NR - k) / ++k
		median = (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2
		print median, (k ? v[k] : "-"), (k ? v[NR + 1 - k] : "-") }'
}

# values GROUP SUBJECT CELL: print median, minimum, maximum of the rounds.
values() { numbers_of "$@" | spread; }

numbers_of() {
	awk -v g="$1" -v s="$2" -v c="$3" '$1 == g && $2 == s && $3 == c { print $5 }' "$results"
}

# ratios GROUP SUBJECT CELL GROUP SUBJECT CELL: print median and 95 % interval of the ratios within
# each round. Subjects are measured in turn within a round, so changes of the machine's load affect
# both.
ratios() {
	awk -v a="$1 $2 $3" -v b="$4 $5 $6" '
		{ k = $1 " " $2 " " $3 }
		k == a { x[$4] = $5 }
		k == b { y[$4] = $5 }
		END { for (r in x) if (r in y && y[r] > 0) print x[r] / y[r] }' "$results" | interval
}

# What until_sure looks at: elements are the arguments of ratios, or "GROUP SUBJECT CELL" for a value.
watched=()
narrow=0.05
rounds=0

# until_sure LEAST MOST FUNCTION: calls FUNCTION ROUND with 1, 2, ... at least LEAST times, until each
# element of $watched has an interval of less than $narrow of its median, at most MOST times. Leaves
# the number of rounds in $rounds. LEAST is at least 6: see interval.
until_sure() {
	for ((rounds = 1; ; rounds++)); do
		"$3" "$rounds"
		((rounds >= $1)) || continue
		((rounds < $2)) || break
		! all_narrow || break
	done
	say "measured: $rounds rounds"
}

all_narrow() {
	local w median low high
	for w in "${watched[@]}"; do
		# shellcheck disable=SC2086 # several words
		read -r median low high < <(if [ "$(wc -w <<<"$w")" -gt 3 ]; then ratios $w; else
			numbers_of $w | interval
		fi)
		[ "$low" != - ] && awk -v m="$median" -v l="$low" -v h="$high" -v n=$narrow \
			'BEGIN { exit !(h - l < n * (m < 0 ? -m : m)) }' || return 1
	done
}

goals_met=0
goals_missed=0
goals_undecided=0
# goal TEXT OPERATOR LIMIT UNIT "MEDIAN LOW HIGH": print a result with its interval, and whether it
# meets its goal. It is undecided if the limit is inside the interval, or if there is no interval.
# "- - -": not measured, because the machine was too busy.
goal() {
	local verdict median low high
	read -r median low high <<<"$5" || fail "no measurement for: $1"
	verdict=$(awk -v m="$median" -v a="$low" -v b="$high" -v l="$3" -v o="$2" 'BEGIN {
		if (a == "-") print "undecided"
		else if (o == ">=") print (a >= l ? "met" : b < l ? "MISSED" : "undecided")
		else print (b <= l ? "met" : a > l ? "MISSED" : "undecided") }')
	case $verdict in
	met) goals_met=$((goals_met + 1)) ;;
	MISSED) goals_missed=$((goals_missed + 1)) ;;
	*) goals_undecided=$((goals_undecided + 1)) ;;
	esac
	awk -v w="$1" -v m="$median" -v lo="$low" -v hi="$high" -v o="$2" -v l="$3" -v u="$4" \
		-v v="$verdict" 'BEGIN {
		f = m == "-" ? "%s" : m >= 100 ? "%.0f" : "%.2f"
		within = m == "-" ? "(the machine was too busy)" : lo == "-" ? "(too few rounds)" : \
			sprintf("(" f "-" f ")", lo, hi)
		printf "  %-54s " f "%s %s  goal %s %s  %s\n", w, m, u, within, o, l, v }'
}

# sum_of_goals NAME: prints how many goals were met, missed, and are undecided.
sum_of_goals() {
	printf '  %s goals: %d met, %d missed, %d undecided\n' "$1" "$goals_met" "$goals_missed" "$goals_undecided"
}

# two "MEDIAN ...": print the median with two decimals, or "-".
two() { awk '{ printf ($1 == "-" ? "-" : "%.2f"), $1 }' <<<"$1"; }

# kilo "MEDIAN LOW HIGH": print them in thousands, as "85.1 (80-90)"; "-" for no measurement.
kilo() {
	awk '!NF { printf "-" } NF { printf ($2 == "-" ? "%.1f" : "%.1f (%.0f-%.0f)"), $1 / 1e3, $2 / 1e3, $3 / 1e3 }' <<<"$1"
}
