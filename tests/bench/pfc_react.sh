#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the time from a received PFC frame to the last data frame sent, and the number
# of PFC frames processed per second, of dcbd; and for comparison the time that the kernel
# needs to deliver one frame over a veth cable to a waiting program.
#
#   pfc_react.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1            dcb-bench-sw                dcb-bench-h2
#     data -- X  ===== X1         dcbd X          X2 ===== X -- data, PFC
#     (core 0)                                 bare1 ===== bare: one frame, a thread
#
# dcbd runs as dcbd.service starts it: another user, two capabilities, the unit's limit of real-time
# priorities; its dataplane thread takes what dcbd.conf gives by default, and the kernel chooses its
# core. Times are judged by this dcbd, X = dcbd. On the core of the load, its real-time thread runs
# before sending XOFF returns. The other one, X = pinned, differs in its dataplane's "cpu = 1": its
# times are for comparison, and the rate of PFC frames is judged by it, because the load then has its
# own core and is not slowed. X = off is without real time: its times beside a busy program on each
# processor are compared with those of dcbd.
#
# The delivery time is a lower bound for any program. The maximum time of dcbd is the
# value for dcbPfcHeadroomResponse of its neighbor (item h of 36.1.1).
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=10 # rounds
trials=400
seconds=0.6
loads=(20000 100000 0) # frames per second; 0: as fast as possible
elements=(dcbd pinned off)

parse() {
	[ $# -ge 1 ] || fail "usage: pfc_react.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) most=6 trials=100 seconds=0.3 ;;
	--smoke) least=1 most=1 trials=10 seconds=0.05 ;;
	*) fail "unknown option $2" ;;
	esac
	takes "flow control" "$(seconds_of $least)" "$(seconds_of $most)"
}

# seconds_of ROUNDS: a trial takes 5 ms, the delivery of a frame 1 ms. One load has two elements.
seconds_of() {
	awk -v n="$1" -v l=${#loads[@]} -v t=$trials -v s=$seconds \
		'BEGIN { print 3 + n * (t * (0.005 * (l + 3) + 0.001) + 2 * s) }'
}

# as_unit: sets $as to the command that starts a program as the unit does: its user, or daemon where
# that does not exist, its capabilities, its limit, and nice 0. Root of a container may be unable to
# raise the limit: CAP_SYS_NICE then permits the same, which dcbd leaves to its dataplane thread.
as_unit() {
	local unit=$here/../../contrib/systemd/dcbd.service.in user=dcbd caps limit
	id "$user" >/dev/null 2>&1 || user=daemon
	caps=$(sed -n 's/^AmbientCapabilities=//p' "$unit")
	caps=${caps,,}
	caps=-all,+${caps//[ _]cap_/,+}
	caps=${caps/+cap_/+}
	limit=$(sed -n 's/^LimitRTPRIO=//p' "$unit")
	as=(nice -n 15)
	if prlimit --rtprio="$limit" true 2>/dev/null; then
		as+=(prlimit --rtprio="$limit")
	else
		say "RLIMIT_RTPRIO cannot be raised here: dcbd gets CAP_SYS_NICE instead"
		caps+=,+sys_nice
	fi
	as+=(setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups --no-new-privs
		--inh-caps="$caps" --ambient-caps="$caps" --bounding-set="$caps")
	mkdir "$work/bin" "${elements[@]/#/$work/}"
	cp "$build/dcbd" "$work/bin"
	[ ! -x "$build/dcb-lldp" ] || cp "$build/dcb-lldp" "$work/bin"
	chown "$user" "${elements[@]/#/$work/}"
}

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
	[ "$(nproc)" -ge 2 ] || fail "needs two processors: one for the load, one for dcbd"
	for p in dcbd dcbctl tests/bench/pfc_react tests/bench/pktgen; do
		[ -x "$build/$p" ] || fail "$build/$p is not built"
	done
}

make_cables() {
	local e
	make_hosts $h1 $h2 $sw
	for e in "${elements[@]}"; do
		cable $sw "${e}1" $h1 "$e"
		cable $sw "${e}2" $h2 "$e"
	done
	cable $sw bare1 $h2 bare
}

ctl() { "$build/dcbctl" -s "$work/$1/control" "${@:2}"; } # ELEMENT ARGUMENT...
value() { ctl "$1" -j show "${@:2}" | jq -r '.[0].rows[0].values[]'; }
indications() { value pinned ieee8021PfcIndications "${port[pinned]}"; }

declare -A pid port mac
start_dcbd() { # ELEMENT
	local e=$1 cpu=
	[ "$e" != pinned ] || cpu='dataplane = { cpu = 1; };'
	[ "$e" != off ] || cpu='dataplane = { priority = "off"; };'
	cat >"$work/$e.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "${e}1", "${e}2" ]; };
		defaults = { rate = 1000000000L; speed = 1000000000L; }; # the longest pause at this rate exceeds the observation time
		$cpu
		state_file = "$work/$e/state";
		control = { socket = "$work/$e/control"; };
	END
	start "$e" ip netns exec $sw "${as[@]}" "$work/bin/dcbd" -f -c "$work/$e.conf"
	pid[$e]=$started
	await 10 "$e" "$e" test -S "$work/$e/control"
	port[$e]=$(in_ns $sw cat "/sys/class/net/${e}2/ifindex")
	await 10 "${e}2" "$e" ctl "$e" set "dcbPfcPriorityEnable.${port[$e]}.3" true
	mac[$e]=$(mac_of $h2 "$e")
	# dcbd learns the address, so that frames are not flooded.
	in_ns $h2 "$build/tests/bench/pktgen" -i "$e" -d 02:00:00:00:00:71 -o 64 -n 2
}

run() { taskset -c 0 "$build/tests/bench/pfc_react" "$@" || fail "pfc_react failed"; }

# core_of ELEMENT: prints the core of its thread with SCHED_FIFO, or -1.
core_of() {
	sed 's/.*) //' "/proc/${pid[$1]}/task"/*/stat | awk '$39 == 1 { n = $37 } END { print n == "" ? -1 : n }'
}

react() { # ELEMENT LOAD ROUND [CELL]
	local e=$1 cell=${4-$2} line what value
	line=$(run react $h1 "$e" $h2 "$e" "${mac[$e]}" $trials "$2")
	for what in stop_p50 stop_p99 stop_max go_p50 go_p99 late idle; do
		value=$(field $what "$line")
		[ -z "$value" ] || record $what "$e" "$cell" "$3" "$value"
	done
	record core "$e" "$cell" "$3" "$(core_of "$e")"
}

# start_programs: starts a busy program of normal priority on each processor, and stops it.
programs=()
start_programs() {
	local c
	for c in 0 1; do
		start program$c nice -n 15 taskset -c $c sh -c 'while :; do :; done'
		programs+=("$started")
	done
	kill -STOP "${programs[@]}"
}

react_busy() { # ROUND: XOFF at full rate beside these programs
	local e
	kill -CONT "${programs[@]}"
	sleep 0.5 # windows of the guard
	for e in $(in_turn "$1" dcbd off); do react "$e" 0 "$1" busy; done
	kill -STOP "${programs[@]}"
}

deliver() { # ROUND
	local line
	kill -STOP "${pid[@]}"
	line=$(run deliver $h2 bare $sw bare1 $trials)
	kill -CONT "${pid[@]}"
	record p50 deliver any "$1" "$(field deliver_p50 "$line")"
	record p99 deliver any "$1" "$(field deliver_p99 "$line")"
}

quotient() { awk -v a="$1" -v b="$2" 'BEGIN { print (b > 0 ? a / b : 0) }'; }

# Measures dcbd with cpu = 1, and a thread that only receives.
rate() { # ROUND
	local line before cpu n
	before=$(indications) cpu=$(cpu_ns "${pid[pinned]}")
	line=$(run rate $h2 pinned $seconds)
	n=$(($(indications) - before))
	cpu=$(($(cpu_ns "${pid[pinned]}") - cpu))
	record rate pinned handled "$1" "$(quotient "$n" "$(field seconds "$line")")"
	record rate pinned offered "$1" "$(quotient "$(field sent "$line")" "$(field seconds "$line")")"
	record_quotient rate pinned core "$1" "${n}e9" "$cpu"
	kill -STOP "${pid[@]}"
	line=$(run rate $h2 bare $seconds $sw bare1)
	kill -CONT "${pid[@]}"
	n=$(field received "$line")
	record rate bare handled "$1" "$(quotient "$n" "$(field seconds "$line")")"
	record rate bare offered "$1" "$(quotient "$(field sent "$line")" "$(field seconds "$line")")"
	record rate bare core "$1" "$(quotient "$n" "$(field cpu_s "$line")")"
}

round() { # ROUND
	local load e
	deliver "$1"
	for load in $(in_turn "$1" "${loads[@]}"); do
		for e in $(in_turn "$1" "${elements[@]}"); do
			[ "$e" = dcbd ] || [ "$e,$load" = pinned,0 ] || continue
			react "$e" "$load" "$1"
		done
	done
	react_busy "$1"
	rate "$1"
}

micro() { awk '!NF { printf "-" } NF { printf "%.1f (%.1f-%.1f)", $1 / 1e3, $2 / 1e3, $3 / 1e3 }' <<<"$1"; }
# headroom NS: print the headroom for a 10 Gb/s link to a neighbor with this response time.
headroom() {
	"$build/dcbctl" headroom --speed 10G --phy 10GBASE-R --response "$1" |
		awk '$1 == "headroom" { print $2 " bits, " $3 " octets" }'
}
load_name() { [[ $1 = 0 || $1 = busy ]] && echo "full rate" || echo "$(($1 / 1000))k frames/s"; }

reactions() { # ELEMENT LOAD TEXT
	printf '  %-34s' "XOFF to stop, $(load_name "$2")$3"
	printf '%-22s' "$(micro "$(values stop_p50 "$1" "$2")")"
	printf '%-24s' "$(micro "$(values stop_p99 "$1" "$2")")"
	micro "$(values stop_max "$1" "$2")"
	printf '\n  %-34s' "XON to resume, $(load_name "$2")$3"
	printf '%-22s' "$(micro "$(values go_p50 "$1" "$2")")"
	micro "$(values go_p99 "$1" "$2")"
	echo
	awk -v n="$trials" '$3 > 0 { print "    data did not stop within 1.4 ms: up to " $3 " of " n }' \
		<<<"$(values late "$1" "$2")"
	awk -v n="$trials" '$3 > 0 { print "    no data before XOFF, or trial interrupted: up to " $3 " of " n }' \
		<<<"$(values idle "$1" "$2")"
}

report() {
	local load s
	echo
	echo "PFC on veth: microseconds, median of $rounds rounds of $trials trials (min-max)"
	printf '  %-34s%-22s%-24s%s\n' "" median "99th percentile" maximum
	printf '  %-34s%-22s%s\n' "delivery of one frame" "$(micro "$(values p50 deliver any)")" \
		"$(micro "$(values p99 deliver any)")"
	for load in "${loads[@]}"; do reactions dcbd "$load" ""; done
	reactions pinned 0 ", cpu = 1"
	echo "  a busy program on each processor:"
	reactions dcbd busy ""
	reactions off busy ", no real time"
	printf '  without cpu = 1: on the core of the load after %s of %s measurements\n' \
		"$(grep -c '^core dcbd [0-9]* [0-9]* 0$' "$results" || true)" "$(grep -c '^core dcbd ' "$results")"
	printf '  real time: %s, priority %s, suspended %s times\n' "$(value dcbd dcbEngineRealTime)" \
		"$(value dcbd dcbEngineRealTimePriority)" "$(value dcbd dcbEngineRealTimeSuspensions)"
	printf '  PFC frames, thousands per second: %-14s%-24s%s\n' offered handled "per CPU second"
	for s in pinned bare; do
		printf '    %-32s%-14s%-24s%s\n' "$([ $s = pinned ] && echo "dcbd, cpu = 1" || echo "a bare receiver")" \
			"$(values rate $s offered | awk '{ printf "%.0f", $1 / 1e3 }')" \
			"$(kilo "$(values rate $s handled)")" "$(kilo "$(values rate $s core)")"
	done
	for s in dcbd pinned; do numbers_of stop_max "$s" 0; done | spread | while read -r _ _ s; do
		printf '  headroom of its neighbor, 10 Gb/s, response %s ns: %s\n' "$s" "$(headroom "${s%.*}")"
	done
	for load in "${loads[@]}"; do
		goal "XOFF to stop, $(load_name "$load"), dcbd / delivery, median" "<=" 2 "" \
			"$(ratios stop_p50 dcbd "$load" p50 deliver any)"
	done
	goal "XOFF to stop, full rate, 99th percentile" "<=" 150 " us" \
		"$(numbers_of stop_p99 dcbd 0 | awk '{ print $1 / 1e3 }' | interval)"
	goal "the same, a busy program on each processor, dcbd / off" "<=" 0.333 "" \
		"$(ratios stop_p99 dcbd busy stop_p99 off busy)"
	goal "PFC frames handled / offered" ">=" 0.99 "" "$(ratios rate pinned handled rate pinned offered)"
	sum_of_goals PFC
}

parse "$@"
check_set_up
make_work
say "flow control: reaction of dcbd, delivery by the kernel"
make_cables
as_unit
for e in "${elements[@]}"; do start_dcbd "$e"; done
start_programs
say "measuring: $least to $most rounds"
watched=("stop_p99 dcbd 0" "rate pinned handled rate pinned offered")
for load in "${loads[@]}"; do watched+=("stop_p50 dcbd $load p50 deliver any"); done
until_sure $least $most round
report
