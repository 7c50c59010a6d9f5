#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures what the headroom measurement (P802.1Qdt 36.9) costs a bridge: a flood of requests on a
# port that forwards, a request that is answered, and one that is dropped as too many.
#
#   hm.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1                  dcb-bench-sw            dcb-bench-h2
#     pktgen  dcbd  ===== dcbd1   dcbd (core 1)  dcbd2 ===== dcbd   counter
#   (core 0)  spare ===== spare1
#
# With the flood, the generator sends it on the cable of its other frames; without, on the spare
# cable, whose other end no program reads. Both cost the generator the same, and only dcbd makes a
# difference. Both are measured in turn: with, without, with, without.
#
# Processor time is measured while a busy loop shares core 1, as in fwd.sh: dcbd then always receives
# full batches, as it does at the limit of its throughput. On an idle core it is woken for a few
# frames at a time, and most of the time of a frame is that of the waking.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=14 # rounds
seconds=0.4
warm_up=0.15
flood=100000  # requests per second
answered=1000 # requests per second: half of those that a port answers
cells=("64" "1500")

[ $# -ge 1 ] || fail "usage: hm.sh BUILD-DIR [--quick|--smoke]"
build=$(readlink -f -- "$1")
case ${2-} in
'') ;;
--quick) most=6 seconds=0.2 warm_up=0.1 ;;
--smoke) least=1 most=1 seconds=0.05 warm_up=0.02 ;;
*) fail "unknown option $2" ;;
esac
# seconds_of ROUNDS: a round has four measurements of each cell, and three of requests alone.
seconds_of() {
	awk -v n="$1" -v c="${#cells[@]}" -v t=$seconds -v w=$warm_up 'BEGIN { print 2 + n * (4 * c + 3) * (t + w + 0.1) }'
}
takes "headroom measurement" "$(seconds_of $least)" "$(seconds_of $most)"
[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
[ "$(nproc)" -ge 2 ] || fail "needs two processors: one for the load, one for dcbd"
for p in dcbd dcbctl tests/bench/pktgen; do
	[ -x "$build/$p" ] || fail "$build/$p is not built"
done
command -v jq >/dev/null || fail "jq is not installed"

make_cables() {
	make_hosts $h1 $h2 $sw
	cable $sw dcbd1 $h1 dcbd
	cable $sw dcbd2 $h2 dcbd
	cable $sw spare1 $h1 spare
}

start_dcbd() {
	cat >"$work/dcbd.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "dcbd1", "dcbd2" ]; };
		user = "root";
		dataplane = { priority = "off"; }; # a busy loop shares its core, and other elements have none
		state_file = "$work/state";
		control = { socket = "$work/control"; };
	END
	start dcbd ip netns exec $sw taskset -c 1 "$build/dcbd" -f -c "$work/dcbd.conf"
	pid=$started
	await 10 "dcbd" dcbd test -S "$work/control"
}

# gen OCTETS [OPTION...]: see generate
gen() { generate dcbd dcbd "$1" -d "$far" "${@:2}"; }

# saturated OCTETS [OPTION...]: the same with the busy loop, and dcbd's processor time
saturated() { busy gen "$@" -P "$pid"; }

learn_address() { in_ns $h2 "$build/tests/bench/pktgen" -i dcbd -d "$near" -o 64 -n 2; }

passes() {
	learn_address
	arrive 64
}

# counter COLUMN: of the port dcbd1
counter() {
	"$build/dcbctl" -s "$work/control" -j show "dcbPfcMeasure$1" "$ifindex" |
		jq -e ".[0].rows[0].values.dcbPfcMeasure$1"
}

# Requests of the port dcbd1 that were answered or dropped
handled() { echo $(($(counter DropBusy) + $(counter ResponsesSent))); }

# arrived LINE HANDLED: share of the flood of a result line that dcbd handled
arrived() { awk -v f="$(field flood_all "$1")" -v n="$2" 'BEGIN { print (f > 0 ? n / f : 0) }'; }

# forward CELL ROUND with|without
forward() {
	local line to=spare was frames
	[ "$3" = without ] || to=dcbd
	learn_address
	was=$(handled)
	line=$(gen "$1" -F $flood -J $to -P "$pid")
	record hm "$3" "$1" "$2" "$(field received_fps "$line")"
	frames=$(busier "$line")
	[ -z "$frames" ] || record hm "$3" "$1.busier" "$2" "$frames"
	[ "$3" = without ] || record hm "$3" "$1.arrived" "$2" "$(arrived "$line" $(($(handled) - was)))"
	line=$(saturated "$1" -F $flood -J $to)
	record_quotient hm "$3" "$1.cpu" "$2" "$(field cpu_s "$line")e9" "$(field received "$line")"
}

# Processor time of dcbd by requests alone: none, few enough to be answered, a flood. A port
# answers 2000 a second.
alone() { # ROUND
	local none few many was share
	none=$(field cpu_s "$(saturated 64 -r 0)")
	few=$(saturated 64 -r 0 -F $answered -J dcbd)
	was=$(handled)
	many=$(saturated 64 -r 0 -F $flood -J dcbd)
	share=$(arrived "$many" $(($(handled) - was)))
	awk -v n="$none" -v f="$(field cpu_s "$few")" -v nf="$(field flood "$few")" -v m="$(field cpu_s "$many")" \
		-v nm="$(field flood "$many")" -v share="$share" -v fl=$flood -v r="$1" 'BEGIN {
		if (nf == 0 || nm * share == 0) exit
		print "hm answer us", r, (f - n) / nf * 1e6
		print "hm flood ns", r, (m - n) / (nm * share) * 1e9
		print "hm flood share", r, (m - n) / (nm * share) * fl }' >>"$results"
}

round() { # ROUND
	local cell how
	for cell in "${cells[@]}"; do
		for how in $(in_turn "$1" without with); do forward "$cell" "$1" "$how"; done
	done
	alone "$1"
}

watch() {
	local cell
	watched=("hm flood share")
	for cell in "${cells[@]}"; do
		watched+=("hm with $cell.cpu hm without $cell.cpu" "hm with $cell.busier hm without $cell.busier")
	done
}

print_values() { # TEXT SUBJECT CELL UNIT
	awk -v t="$1" -v u="$4" '{ printf "  %-52s %.2f%s (%.2f-%.2f)\n", t, $1, u, $2, $3 }' <<<"$(values hm "$2" "$3")"
}

# judge TEXT OPERATOR LIMIT RATIOS: a goal, unless the machine is too slow for it
judge() {
	if [ "$slow" = 0 ]; then
		goal "$1" "$2" "$3" "" "$4"
	else
		printf '    for comparison: %s %s\n' "$1" "$(two "$4")"
	fi
}

slow=
report() {
	local cell
	echo
	echo "Flood of $((flood / 1000))k requests/s: thousands of forwarded frames per second, median of $rounds (min-max)"
	for cell in "${cells[@]}"; do
		printf '  %-12s without %-22s with %-22s\n' "$cell octets" \
			"$(kilo "$(values hm without "$cell")")" "$(kilo "$(values hm with "$cell")")"
		print_values "  CPU per frame, without" without "$cell.cpu" " ns"
		print_values "  share of the flood that reached dcbd" with "$cell.arrived" ""
	done
	print_values "CPU of a request that is answered" answer us " us"
	print_values "CPU of a request in the flood" flood ns " ns"
	# The flood would be more than a quarter of all frames.
	slow=$(values hm without 1500.busier | awk -v f=$flood '{ print ($1 < 3 * f) }')
	[ "${slow:=0}" = 0 ] || say "less than $((3 * flood / 1000))k frames/s: ratios only for comparison," \
		"because the generator decides the throughput"
	# The dataplane thread has one processor: what the flood takes of it, forwarding lacks.
	goal "flood of $((flood / 1000))k/s, share of dcbd's processor" "<=" 0.1 "" "$(numbers_of hm flood share | interval)"
	for cell in "${cells[@]}"; do
		judge "$cell, busier processor, with / without flood" ">=" 0.9 \
			"$(ratios hm with "$cell.busier" hm without "$cell.busier")"
		judge "$cell, CPU per forwarded frame with / without" "<=" 1.1 \
			"$(ratios hm with "$cell.cpu" hm without "$cell.cpu")"
	done
	sum_of_goals "headroom measurement"
}

make_work
say "headroom measurement"
make_cables
start_burner
start_dcbd
far=$(mac_of $h2 dcbd) near=$(mac_of $h1 dcbd)
ifindex=$(in_ns $sw cat /sys/class/net/dcbd1/ifindex)
await 10 "frames through dcbd" dcbd passes
await 5 "counters" dcbd counter DropBusy
say "measuring: $least to $most rounds, $seconds s per measurement"
watch
until_sure $least $most round
report
