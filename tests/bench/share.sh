#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures what dcbd with real time leaves to other programs: the share of a processor that a program
# of normal priority gets, and how late the program "true" is, beside four bridges in series, with
# real time as it is by default, and without. Nothing is bound to a processor, but by taskset for the
# whole benchmark.
#
#   share.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-Xh1    dcb-bench-X1 ... dcb-bench-X4    dcb-bench-Xh2
#     pktgen  r0 ===== l1  dcbd  r1 ===== ... r4 ===== l5  pktgen     X: the element
#
# Frames of 500 octets in both directions, each sent when it is due. "plain": no port obeys PFC, so no
# dcbd needs real time; "PFC": all do, for the priority of the frames.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=10 # rounds
seconds=3
warm_up=1 # the guard looks at windows of 100 ms
bridges=4
elements=(shipped off)
cells=("plain 10000" "plain 20000" "PFC 5000" "PFC 10000" "PFC 20000") # frames per second each way

parse() {
	[ $# -ge 1 ] || fail "usage: share.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) most=6 seconds=2 ;;
	--smoke) least=1 most=1 seconds=0.2 warm_up=0.1 ;;
	*) fail "unknown option $2" ;;
	esac
	takes "share of other programs" "$(seconds_of $least)" "$(seconds_of $most)"
}
seconds_of() { # ROUNDS
	awk -v n="$1" -v c="${#cells[@]}" -v t=$seconds -v w=$warm_up 'BEGIN { print 5 + n * c * 2 * (t + w + 0.4) }'
}

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
	for p in dcbd dcbctl tests/bench/pktgen tests/bench/normal; do
		[ -x "$build/$p" ] || fail "$build/$p is not built"
	done
}

ns() { echo "dcb-bench-${1:0:1}$2"; } # ELEMENT NUMBER: 0 and the last one are hosts

make_chain() { # ELEMENT
	local i
	for ((i = 0; i <= bridges + 1; i++)); do make_hosts "$(ns "$1" $i)"; done
	for ((i = 0; i <= bridges; i++)); do cable "$(ns "$1" $i)" r$i "$(ns "$1" $((i + 1)))" l$((i + 1)); done
}

declare -A ports=()
start_bridge() { # ELEMENT NUMBER
	local name=$1$2 setting='' side n
	n=$(ns "$1" "$2")
	[ "$1" = shipped ] || setting='dataplane = { priority = "off"; };'
	cat >"$work/$name.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "l$2", "r$2" ]; };
		ports = ( { name = "*"; default_priority = 3; rate = 1000000000L; speed = 1000000000L; } );
		user = "root";
		$setting
		state_file = "$work/$name.state";
		control = { socket = "$work/$name.control"; };
	END
	start "$name" ip netns exec "$n" "$build/dcbd" -f -c "$work/$name.conf"
	await 10 "$name" "$name" test -S "$work/$name.control"
	for side in l r; do ports[$name]+=" $(in_ns "$n" cat "/sys/class/net/$side$2/ifindex")"; done
}

ctl() { "$build/dcbctl" -s "$work/$1.control" "${@:2}" >/dev/null || fail "$1: dcbctl ${*:2}"; }
pfc() { # ELEMENT true|false
	local i port
	for ((i = 1; i <= bridges; i++)); do
		for port in ${ports[$1$i]}; do ctl "$1$i" set "dcbPfcPriorityEnable.$port.3" "$2"; done
	done
}

# send FROM-NAMESPACE FROM-INTERFACE TO-NAMESPACE TO-INTERFACE RATE SECONDS
send() {
	in_ns "$1" "$build/tests/bench/pktgen" -i "$2" -d "$(mac_of "$3" "$4")" -o 500 -r "$5" -z -t "$6" -w 0 -N "$3" -I "$4"
}

measure() { # ELEMENT CELL ROUND
	local e=$1 h1 h2 end line rate=${2#* } name=${2/ /-} all senders
	end=l$((bridges + 1)) h1=$(ns "$1" 0) h2=$(ns "$1" $((bridges + 1)))
	all=$(awk -v t=$seconds -v w=$warm_up 'BEGIN { print t + w + 0.3 }')
	pfc "$e" "$([ "${2% *}" = PFC ] && echo true || echo false)"
	send "$h1" r0 "$h2" $end "$rate" "$all" >"$work/there" &
	senders=($!)
	send "$h2" $end "$h1" r0 "$rate" "$all" >"$work/back" &
	senders+=($!)
	sleep $warm_up
	line=$("$build/tests/bench/normal" $seconds) || fail "the program of normal priority failed"
	wait "${senders[@]}" || fail "pktgen failed"
	record share "$e" "$name" "$3" "$(field share "$line")"
	record late "$e" "$name" "$3" "$(field late_ms "$line")"
	record loss "$e" "$name" "$3" "$(field loss "$(cat "$work/there")")"
}

round() { # ROUND
	local cell e
	for cell in "${cells[@]}"; do
		for e in $(in_turn "$1" "${elements[@]}"); do measure "$e" "$cell" "$1"; done
	done
}

report() {
	local cell e name
	printf '\nA program of normal priority beside %d bridges in series, %s processors: median of %d (min-max)\n' \
		$bridges "$(nproc)" "$rounds"
	printf '  %-22s%-34s%-34s%s\n' "" "share of a processor" "true, ms late at most" "frames lost"
	for cell in "${cells[@]}"; do
		name=${cell/ /-}
		for e in "${elements[@]}"; do
			printf '  %-22s' "${cell/ /, }, $e"
			values share "$e" "$name" | awk '{ printf "%-34s", sprintf("%.2f (%.2f-%.2f)", $1, $2, $3) }'
			values late "$e" "$name" | awk '{ printf "%-34s", sprintf("%.1f (%.1f-%.1f)", $1, $2, $3) }'
			values loss "$e" "$name" | awk '{ printf "%.2g %%\n", 100 * $1 }'
		done
	done
	for cell in "${cells[@]}"; do
		name=${cell/ /-}
		goal "${cell/ /, } frames/s, share, shipped / off" ">=" 0.7 "" \
			"$(ratios share shipped "$name" share off "$name")"
		goal "${cell/ /, } frames/s, true, shipped" "<=" 250 " ms" "$(numbers_of late shipped "$name" | interval)"
	done
	sum_of_goals share
}

parse "$@"
check_set_up
make_work
renice -n 0 -p $$ >/dev/null # normal priority, as the programs that are measured
say "share of other programs: ${elements[*]}"
for e in "${elements[@]}"; do
	make_chain "$e"
	for ((i = 1; i <= bridges; i++)); do start_bridge "$e" $i; done
done
say "measuring: $least to $most rounds, $seconds s per measurement"
for cell in "${cells[@]}"; do watched+=("share shipped ${cell/ /-} share off ${cell/ /-}"); done
until_sure $least $most round
report
