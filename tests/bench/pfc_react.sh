#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the time from a received PFC frame to the last data frame sent, and the number
# of PFC frames processed per second, of dcbd; and for comparison the time that the kernel
# needs to deliver one frame over a veth cable to a waiting program.
#
#   pfc_react.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1            dcb-bench-sw                dcb-bench-h2
#     data -- in ===== dcbd1  dcbd (core 1)  dcbd2 ===== out -- data, PFC
#     (core 0)                                bare1 ===== bare: one frame, a thread
#
# dcbd runs as dcbd.service starts it: another user, two capabilities, the unit's limit of real-time
# priorities; its dataplane thread takes what dcbd.conf gives by default.
#
# The delivery time is a lower bound for any program. The maximum time of dcbd is the
# value for dcbPfcHeadroomResponse of its neighbor (item h of 36.1.1).
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=10 # rounds
trials=400
seconds=0.6
loads=(20000 100000 0) # frames per second; 0: as fast as possible
h1=dcb-bench-h1 h2=dcb-bench-h2 sw=dcb-bench-sw

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

# seconds_of ROUNDS: a trial takes 5 ms, the delivery of a frame 1 ms.
seconds_of() {
	awk -v n="$1" -v l=${#loads[@]} -v t=$trials -v s=$seconds \
		'BEGIN { print 3 + n * (t * (0.005 * l + 0.001) + 2 * s) }'
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
	mkdir "$work/bin" "$work/dcbd"
	cp "$build/dcbd" "$work/bin"
	[ ! -x "$build/dcb-lldp" ] || cp "$build/dcb-lldp" "$work/bin"
	chown "$user" "$work/dcbd"
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
	local n
	for n in $h1 $h2 $sw; do
		make_namespace "$n"
		ip netns exec "$n" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
			echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6' 2>/dev/null || true
	done
	ip -n $sw link add dcbd1 type veth peer name in netns $h1 || fail "no veth interfaces on this machine"
	ip -n $sw link add dcbd2 type veth peer name out netns $h2
	ip -n $sw link add bare1 type veth peer name bare netns $h2
	for n in "$sw dcbd1" "$sw dcbd2" "$sw bare1" "$h1 in" "$h2 out" "$h2 bare"; do
		ip -n "${n% *}" link set "${n#* }" up
	done
}

ctl() { "$build/dcbctl" -s "$work/dcbd/control" "$@"; }
value() { ctl -j show "$@" | jq -r '.[0].rows[0].values[]'; }
indications() { value ieee8021PfcIndications "$port"; }

start_dcbd() {
	cat >"$work/dcbd.conf" <<-END
		role = "bridge";
		interfaces = { include = [ "dcbd1", "dcbd2" ]; };
		defaults = { rate = 1000000000L; }; # the longest pause at this rate exceeds the observation time
		dataplane = { cpu = 1; };
		state_file = "$work/dcbd/state";
		control = { socket = "$work/dcbd/control"; };
	END
	start dcbd ip netns exec $sw "${as[@]}" "$work/bin/dcbd" -f -c "$work/dcbd.conf"
	dcbd=$started
	await 10 "dcbd" dcbd test -S "$work/dcbd/control"
	port=$(ip netns exec $sw cat /sys/class/net/dcbd2/ifindex)
	await 10 "dcbd2" dcbd ctl set "dcbPfcPriorityEnable.$port.3" true
	mac=$(ip netns exec $h2 cat /sys/class/net/out/address)
	# dcbd learns the address, so that frames are not flooded.
	ip netns exec $h2 "$build/tests/bench/pktgen" -i out -d 02:00:00:00:00:71 -o 64 -n 2
}

run() { taskset -c 0 "$build/tests/bench/pfc_react" "$@" || fail "pfc_react failed"; }

react() { # LOAD ROUND
	local line what value
	line=$(run react $h1 in $h2 out "$mac" $trials "$1")
	for what in stop_p50 stop_p99 stop_max go_p50 go_p99; do
		value=$(field $what "$line")
		[ -z "$value" ] || record $what dcbd "$1" "$2" "$value"
	done
	record late dcbd "$1" "$2" "$(field late "$line")"
	record idle dcbd "$1" "$2" "$(field idle "$line")"
}

deliver() { # ROUND
	local line
	kill -STOP "$dcbd"
	line=$(run deliver $h2 bare $sw bare1 $trials)
	kill -CONT "$dcbd"
	record p50 deliver any "$1" "$(field deliver_p50 "$line")"
	record p99 deliver any "$1" "$(field deliver_p99 "$line")"
}

quotient() { awk -v a="$1" -v b="$2" 'BEGIN { print (b > 0 ? a / b : 0) }'; }

# Measures dcbd, and a thread that only receives.
rate() { # ROUND
	local line before cpu n
	before=$(indications) cpu=$(cpu_ns "$dcbd")
	line=$(run rate $h2 out $seconds)
	n=$(($(indications) - before))
	cpu=$(($(cpu_ns "$dcbd") - cpu))
	record rate dcbd handled "$1" "$(quotient "$n" "$(field seconds "$line")")"
	record rate dcbd offered "$1" "$(quotient "$(field sent "$line")" "$(field seconds "$line")")"
	record_quotient rate dcbd core "$1" "${n}e9" "$cpu"
	kill -STOP "$dcbd"
	line=$(run rate $h2 bare $seconds $sw bare1)
	kill -CONT "$dcbd"
	n=$(field received "$line")
	record rate bare handled "$1" "$(quotient "$n" "$(field seconds "$line")")"
	record rate bare offered "$1" "$(quotient "$(field sent "$line")" "$(field seconds "$line")")"
	record rate bare core "$1" "$(quotient "$n" "$(field cpu_s "$line")")"
}

round() { # ROUND
	local load
	deliver "$1"
	for load in $(in_turn "$1" "${loads[@]}"); do react "$load" "$1"; done
	rate "$1"
}

micro() { awk '!NF { printf "-" } NF { printf "%.1f (%.1f-%.1f)", $1 / 1e3, $2 / 1e3, $3 / 1e3 }' <<<"$1"; }
# headroom NS: print the headroom for a 10 Gb/s link to a neighbor with this response time.
headroom() {
	"$build/dcbctl" headroom --speed 10G --phy 10GBASE-R --response "$1" |
		awk '$1 == "headroom" { print $2 " bits, " $3 " octets" }'
}
load_name() { [ "$1" = 0 ] && echo "full rate" || echo "$(($1 / 1000))k frames/s"; }

report() {
	local load s
	echo
	echo "PFC on veth: microseconds, median of $rounds rounds of $trials trials (min-max)"
	printf '  %-34s%-22s%-24s%s\n' "" median "99th percentile" maximum
	printf '  %-34s%-22s%s\n' "delivery of one frame" "$(micro "$(values p50 deliver any)")" \
		"$(micro "$(values p99 deliver any)")"
	for load in "${loads[@]}"; do
		printf '  %-34s' "XOFF to stop, $(load_name "$load")"
		printf '%-22s' "$(micro "$(values stop_p50 dcbd "$load")")"
		printf '%-24s' "$(micro "$(values stop_p99 dcbd "$load")")"
		micro "$(values stop_max dcbd "$load")"
		printf '\n  %-34s' "XON to resume, $(load_name "$load")"
		printf '%-22s' "$(micro "$(values go_p50 dcbd "$load")")"
		micro "$(values go_p99 dcbd "$load")"
		echo
		awk -v n="$trials" '$3 > 0 { print "    data did not stop within 1.4 ms: up to " $3 " of " n }' \
			<<<"$(values late dcbd "$load")"
		awk -v n="$trials" '$3 > 0 { print "    no data before XOFF, or trial interrupted: up to " $3 " of " n }' \
			<<<"$(values idle dcbd "$load")"
	done
	printf '  real time: %s, priority %s, suspended %s times\n' "$(value dcbEngineRealTime)" \
		"$(value dcbEngineRealTimePriority)" "$(value dcbEngineRealTimeSuspensions)"
	printf '  PFC frames, thousands per second: %-14s%-24s%s\n' offered handled "per CPU second"
	for s in dcbd bare; do
		printf '    %-32s%-14s%-24s%s\n' "$([ $s = dcbd ] && echo dcbd || echo "a bare receiver")" \
			"$(values rate $s offered | awk '{ printf "%.0f", $1 / 1e3 }')" \
			"$(kilo "$(values rate $s handled)")" "$(kilo "$(values rate $s core)")"
	done
	awk 'NF { printf "%.0f\n", $3 }' <<<"$(values stop_max dcbd 0)" | while read -r s; do
		printf '  headroom of its neighbor, 10 Gb/s, response %s ns: %s\n' "$s" "$(headroom "$s")"
	done
	for load in "${loads[@]}"; do
		goal "XOFF to stop, $(load_name "$load"), dcbd / delivery, median" "<=" 2 "" \
			"$(ratios stop_p50 dcbd "$load" p50 deliver any)"
	done
	awk '{ print $1 / 1e3, $2 / 1e3, $3 / 1e3 }' <<<"$(values stop_p99 dcbd 0)" >"$work/p99"
	goal "XOFF to stop, full rate, 99th percentile" "<=" 150 " us" "$(cat "$work/p99")"
	goal "PFC frames handled / offered" ">=" 0.99 "" "$(ratios rate dcbd handled rate dcbd offered)"
	sum_of_goals PFC
}

parse "$@"
check_set_up
make_work
say "flow control: reaction of dcbd, delivery by the kernel"
make_cables
as_unit
start_dcbd
say "measuring: $least to $most rounds"
watched=("stop_p99 dcbd 0" "rate dcbd handled rate dcbd offered")
for load in "${loads[@]}"; do watched+=("stop_p50 dcbd $load p50 deliver any"); done
until_sure $least $most round
report
