#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the frames lost at the receive rings of a bridge with 64 ports, whose rings share the
# memory that is the default (bridge.receive_memory), and of one whose ports have 4 MiB each.
#
#   rings.sh BUILD-DIR [--quick|--smoke] [--former DCBD]
#
#   dcb-bench-h1                   dcb-bench-sw         dcb-bench-h2
#     pktgen  X1 ... X64 ===== X1 ... X64  dcbd  Xout ===== X   counter of X
#     (core 0)                              (core 1)
#
# 100000 frames/s together, into one port evenly, and into all ports in a burst each millisecond. Both
# bridges run during the whole benchmark, and are measured in turn. --former: the second one is this
# program, with its own defaults, to compare with another release.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 # rounds
seconds=1
ports=64
rate=100000 # frames per second, together
elements=(shared full)
cells=("64 one" "1500 one" "64 all" "1500 all")
former=
h1=dcb-bench-h1 h2=dcb-bench-h2 sw=dcb-bench-sw

parse() {
	[ $# -ge 1 ] || fail "usage: rings.sh BUILD-DIR [--quick|--smoke] [--former DCBD]"
	build=$(readlink -f -- "$1")
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--quick) seconds=0.5 ;;
		--smoke) least=1 seconds=0.1 ports=3 ;;
		--former)
			former=$(readlink -f -- "${2-}")
			[ -x "$former" ] || fail "no program: ${2-}"
			shift
			;;
		*) fail "unknown option $1" ;;
		esac
		shift
	done
}

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
	[ "$(nproc)" -ge 2 ] || fail "needs two processors: one for the load, one for the bridge"
	for p in dcbd tests/bench/pktgen; do
		[ -x "$build/$p" ] || fail "$build/$p is not built"
	done
}

make_cables() {
	local e i
	make_hosts $h1 $h2 $sw
	for e in "${elements[@]}"; do
		for ((i = 1; i <= ports; i++)); do cable $sw "$e$i" $h1 "$e$i"; done
		cable $sw "${e}out" $h2 "$e"
	done
}

# The program and the memory for receive rings of an element.
program_of() { if [ "$1" = full ] && [ -n "$former" ]; then echo "$former"; else echo "$build/dcbd"; fi; }
memory_of() { if [ "$1" = full ] && [ -z "$former" ]; then echo "bridge = { receive_memory = $((6 * ports)); };"; fi; }

declare -A mac

start_bridge() { # ELEMENT
	cat >"$work/$1.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "$1*" ]; };
		$(memory_of "$1")
		user = "root";
		state_file = "$work/$1.state";
		control = { socket = "$work/$1.control"; };
	END
	start "$1" ip netns exec $sw taskset -c 1 "$(program_of "$1")" -f -c "$work/$1.conf"
	await 20 "dcbd" "$1" test -S "$work/$1.control"
	mac[$1]=$(mac_of $h2 "$1")
}

# The far host sends, so that its address is learned and frames are not flooded.
learn_address() { # ELEMENT
	in_ns $h2 "$build/tests/bench/pktgen" -i "$1" -d "$(mac_of $h1 "${1}1")" -o 64 -n 2
}

arrived() { in_ns $h2 cat "/sys/class/net/$1/statistics/rx_packets"; } # ELEMENT

passes() { # ELEMENT: succeeds if a frame arrives
	local before
	learn_address "$1"
	before=$(arrived "$1")
	in_ns $h1 "$build/tests/bench/pktgen" -i "${1}1" -d "${mac[$1]}" -o 64 -n 1
	sleep 0.05
	[ "$(arrived "$1")" -eq $((before + 1)) ]
}

# send_into ELEMENT CELL: sends $each frames into each port of the cell. Prints their number.
send_into() {
	local octets=${2% *} n=1 i each senders=()
	[ "${2#* }" = one ] || n=$ports
	each=$(awk -v r=$rate -v s=$seconds -v n="$n" 'BEGIN { printf "%d\n", r * s / n }')
	for ((i = 1; i <= n; i++)); do
		in_ns $h1 taskset -c 0 "$build/tests/bench/pktgen" -i "$1$i" -d "${mac[$1]}" -o "$octets" \
			-n "$each" -r $((rate / n)) &
		senders+=($!)
	done
	wait "${senders[@]}" || fail "$1: a generator failed"
	echo $((each * n))
}

# settled ELEMENT: waits until no more frames arrive. Prints the counter.
settled() {
	local last=-1 now
	now=$(arrived "$1")
	while [ "$now" -ne "$last" ]; do
		sleep 0.1
		last=$now
		now=$(arrived "$1")
	done
	echo "$now"
}

measure() { # ELEMENT CELL ROUND
	local before sent now
	learn_address "$1"
	before=$(settled "$1")
	sent=$(send_into "$1" "$2")
	now=$(settled "$1")
	record rings "$1" "${2/ /-}" "$3" "$(awk -v s="$sent" -v r=$((now - before)) 'BEGIN { print 1e6 * (s - r) / s }')"
}

round() { # ROUND
	local cell e
	for cell in "${cells[@]}"; do
		for e in $(in_turn "$1" "${elements[@]}"); do measure "$e" "$cell" "$1"; done
	done
}

# differences CELL: median and 95 % interval of what more was lost with the shared memory.
differences() {
	awk -v c="$1" '$3 == c && $2 == "shared" { x[$4] = $5 }
		$3 == c && $2 == "full" { y[$4] = $5 }
		END { for (r in x) if (r in y) print x[r] - y[r] }' "$results" | interval
}

report() {
	local cell e name other="4 MiB each"
	[ -z "$former" ] || other=$former
	echo
	echo "Frames lost of a million at $((rate / 1000)) k/s, $ports ports: median of $rounds (least-greatest)"
	printf '  %-14s%-28s%s\n' "" "shared memory" "$other"
	for cell in "${cells[@]}"; do
		name=${cell/ /-}
		printf '  %-14s' "$cell"
		for e in "${elements[@]}"; do
			printf '%-28s' "$(values rings "$e" "$name" | awk '{ printf "%.0f (%.0f-%.0f)", $1, $2, $3 }')"
		done
		echo
	done
	for e in "${elements[@]}"; do
		printf '  %s: rings that have grown: %d\n' "$e" "$(grep -c 'frames were lost, receive ring' "$work/$e.log")"
	done
	for cell in "${cells[@]}"; do
		goal "$cell, lost of a million, shared - $other" "<=" 0 "" "$(differences "${cell/ /-}")"
	done
	sum_of_goals rings
}

parse "$@"
estimate=$(awk -v s=$seconds -v n=$least -v p=$ports 'BEGIN { print 4 + p / 6 + n * 8 * (s + 0.6) }')
takes rings "$estimate" "$estimate"
check_set_up
make_work
say "receive rings: $ports ports, ${elements[*]}"
make_cables
for e in "${elements[@]}"; do
	start_bridge "$e"
	await 20 "frames through $e" "$e" passes "$e"
done
say "measuring: $least rounds, $seconds s per measurement"
until_sure $least $least round
report
