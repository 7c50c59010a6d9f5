# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Functions for the benchmark scripts of this directory: start programs, clean up on
# exit and on Ctrl-C, compute medians and ratios of results.
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
make_work() {
	local busy
	exec 9>"${TMPDIR:-/tmp}/dcb-bench.lock"
	flock -n 9 || fail "another benchmark is running on this machine"
	work=$(mktemp -d "${TMPDIR:-/tmp}/dcb-bench.XXXXXX")
	chmod 755 "$work"
	results=$work/results
	: >"$results"
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

# field KEY "KEY=VALUE ...": print the value of KEY in the output of a measuring program.
field() {
	awk -v k="$1=" '{
		for (i = 1; i <= NF; i++) if (index($i, k) == 1) print substr($i, length(k) + 1)
	}' <<<"$2"
}

# --- results: lines of "group subject cell repetition value" ----------------------

record() { printf '%s\n' "$*" >>"$results"; }

spread() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)], v[1], v[NR] }'; }

# values GROUP SUBJECT CELL: print median, minimum, maximum of the repetitions.
values() {
	awk -v g="$1" -v s="$2" -v c="$3" '$1 == g && $2 == s && $3 == c { print $5 }' "$results" | spread
}

# ratios GROUP SUBJECT CELL GROUP SUBJECT CELL: print median, minimum, maximum of the
# ratios within each repetition. Subjects are measured in turn within a repetition, so
# changes of the machine's load affect both.
ratios() {
	awk -v a="$1 $2 $3" -v b="$4 $5 $6" '
		{ k = $1 " " $2 " " $3 }
		k == a { x[$4] = $5 }
		k == b { y[$4] = $5 }
		END { for (r in x) if (r in y && y[r] > 0) print x[r] / y[r] }' "$results" | spread
}

goals_met=0
goals_missed=0
# goal TEXT OPERATOR LIMIT UNIT "MEDIAN MIN MAX": print a result and whether it meets its goal.
goal() {
	local verdict median least greatest
	read -r median least greatest <<<"$5" || fail "no measurement for: $1"
	if awk -v v="$median" -v l="$3" -v o="$2" 'BEGIN { exit !(o == ">=" ? v >= l : v <= l) }'; then
		verdict=met
		goals_met=$((goals_met + 1))
	else
		verdict=MISSED
		goals_missed=$((goals_missed + 1))
	fi
	awk -v w="$1" -v m="$median" -v lo="$least" -v hi="$greatest" -v o="$2" -v l="$3" -v u="$4" \
		-v v="$verdict" 'BEGIN {
		f = m >= 100 ? "%.0f" : "%.2f"
		printf "  %-52s " f "%s (" f "-" f ")  goal %s %s  %s\n", w, m, u, lo, hi, o, l, v }'
}

# kilo "MEDIAN MIN MAX": print them in thousands, as "85.1 (80-90)".
kilo() {
	awk '{ printf "%.1f (%.0f-%.0f)", $1 / 1e3, $2 / 1e3, $3 / 1e3 }' <<<"$1"
}
