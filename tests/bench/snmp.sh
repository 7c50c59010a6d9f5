#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures requests of a manager to dcb-agentx, and to other subagents of the same
# master: lldpd, one that uses the npm package net-snmp, and the floor (floor_agentx.c),
# a minimal subagent.
#
#   snmp.sh BUILD-DIR [--quick] [--without PEER]...     PEER: lldpd, npm
#
# Every number of ports has its own master, dcbd and dcb-agentx, and all of them run
# at the same time. Sizes and subagents are measured in turn within each repetition, on
# one core and on all, so that other load of the machine affects all alike. Absolute
# numbers depend on the machine; ratios are comparable.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

ports=(32 512 4096)       # memory ports of each dcbd; each has eight rows of dcbPfcPriorityTable
peer_ports=512            # number of ports of the dcbd whose master has the other subagents
lldpd_veths=400
repetitions=5
seconds=0.3               # of each measurement
peers=(lldpd npm floor)

dcb=1.3.6.1.4.1.8072.9999.9999.8021.1
cn=1.3.111.2.802.1.1.18.1
pfc_pri=$dcb.4.1          # columns 2, 3; ifIndex, priority
cn_cp=$cn.5.1             # columns 4..13; component, ifIndex, CP
lldp_rx=1.0.8802.1.1.2.1.2.7.1
npm_table=1.3.6.1.4.1.8072.9999.9999.97
floor_table=1.3.6.1.4.1.8072.9999.9999.99

parse() {
	[ $# -ge 1 ] || fail "usage: snmp.sh BUILD-DIR [--quick] [--without PEER]..."
	build=$(readlink -f -- "$1")
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--quick) repetitions=3 seconds=0.2 ;;
		--smoke) ports=(8 16) peer_ports=16 lldpd_veths=4 repetitions=1 seconds=0.02 ;;
		--without)
			shift
			mapfile -t peers < <(printf '%s\n' "${peers[@]}" | grep -vx -- "${1-}")
			;;
		*) fail "unknown option $1" ;;
		esac
		shift
	done
}

has_peer() { [[ " ${peers[*]} " == *" $1 "* ]]; }

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces, private snmpd without privileges)"
	for p in snmpd setpriv taskset ip ps; do
		command -v "$p" >/dev/null || fail "$p is not installed"
	done
	! has_peer lldpd || command -v lldpd >/dev/null || fail "lldpd is not installed (or --without lldpd)"
	! has_peer npm || command -v node >/dev/null || fail "node is not installed (or --without npm)"
	for p in dcbd dcb-agentx tests/bench/snmp_bench tests/bench/floor_agentx; do
		[ -x "$build/$p" ] || fail "$build/$p is not built"
	done
}

# --- setup -------------------------------------------------------------------------

declare -A master dcbd agentx port rows
others=()                 # processes of the other subagents

# Prints a free UDP and TCP port.
free_port() {
	local p
	for ((p = 21000 + RANDOM % 20000; ; p++)); do
		ss -Hnltu "sport = :$p" | grep -q . || break
	done
	echo "$p"
}

answers() { # SIZE COLUMN ROWS
	[ "$("$build/tests/bench/snmp_bench" -p "${port[$1]}" -m rows "$2" 2>/dev/null)" -ge "$3" ]
}

start_master() { # SIZE
	local d=$work/$1
	mkdir -p "$d/sock" "$d/persist"
	chown nobody:nogroup "$d/sock" "$d/persist"
	port[$1]=$(free_port)
	cat >"$d/snmpd.conf" <<-END
		agentaddress udp:127.0.0.1:${port[$1]}
		master agentx
		agentXSocket unix:$d/sock/master,tcp:127.0.0.1:${port[$1]}
		agentXPerms 0666 0755 nobody nogroup
		agentXTimeout 10
		agentXRetries 0
		view all included .1
		rocommunity public 127.0.0.1 -V all
		rwcommunity private 127.0.0.1 -V all
	END
	start "snmpd-$1" env SNMPCONFPATH="$d" SNMP_PERSISTENT_DIR="$d/persist" MIBS= \
		setpriv --reuid=nobody --regid=nogroup --clear-groups \
		snmpd -f -LF w "$d/persist/snmpd.log" -C -c "$d/snmpd.conf" \
		-I -smux,mteTrigger,mteTriggerConf -p "$d/persist/snmpd.pid"
	master[$1]=$started
	await 10 "snmpd for $1 ports" "snmpd-$1" test -S "$d/sock/master"
}

start_ours() { # SIZE
	local d=$work/$1 p
	{
		echo "role = \"bridge\";"
		echo "interfaces = { include = []; };"
		echo "memory_ports = $1;"
		echo "user = \"root\";"
		echo "state_file = \"$d/state\";"
		echo "control = { socket = \"$d/control\"; };"
		echo "initial = ("
		for p in 1 2 3 4 5 6 7; do
			echo "  { object = \"ieee8021CnComPriRowStatus\"; index = \"1.$p\"; value = \"createAndGo\"; }$([ $p = 7 ] || echo ,)"
		done
		echo ");"
	} >"$d/dcbd.conf"
	start "dcbd-$1" "$build/dcbd" -f -c "$d/dcbd.conf"
	dcbd[$1]=$started
	await 20 "dcbd with $1 ports" "dcbd-$1" test -S "$d/control"
	start "dcb-agentx-$1" "$build/dcb-agentx" -x "unix:$d/sock/master" -c "$d/control"
	agentx[$1]=$started
	await 20 "$((8 * $1)) rows of dcbPfcPriorityTable" "dcb-agentx-$1" answers "$1" $pfc_pri.2 $((8 * $1))
	await 20 "$((7 * $1)) rows of ieee8021CnCpTable" "dcb-agentx-$1" answers "$1" $cn_cp.7 $((7 * $1))
	rows[$1]=$(count_rows "$1")
}

# Prints the number of rows of all tables, counted by their first accessible column.
count_rows() {
	"$build/tests/bench/snmp_bench" -p "${port[$1]}" -m rows $cn.3.1.3 $cn.4.1.4 $cn_cp.4 $cn.6.1.2 \
		$cn.7.1.4 $cn.8.1.5 1.3.111.2.802.1.1.21.1.1.1.1 $dcb.3.1.1 $pfc_pri.2 $dcb.5.1.1 |
		awk '{ for (i = 1; i <= NF; i++) n += $i; print n }'
}

# lldpd uses only one end of each pair. Otherwise it would have neighbors and notify the
# master of each, and lldpd 1.0.16 and its master then wait for each other.
start_lldpd() {
	local ns=dcb-bench-lldp i
	make_namespace $ns
	for ((i = 0; i < lldpd_veths; i++)); do
		echo "link add a$i type veth peer name b$i"
		echo "link set a$i up"
		echo "link set b$i up"
	done | ip -n $ns -batch -
	start lldpd ip netns exec $ns lldpd -dd -u "$work/lldpd.sock" -p "$work/lldpd.pid" -I 'a*' -C a0 \
		-S bench -L "" -X "$work/$peer_ports/sock/master"
	others+=("$started")
	await 60 "$lldpd_veths rows of lldpd" lldpd answers $peer_ports $lldp_rx.4 $lldpd_veths
}

start_npm() {
	start npm env NODE_PATH="$build/npm/bench/node_modules" \
		node "$here/peer_npm.js" "${port[$peer_ports]}" $((8 * peer_ports)) $npm_table
	others+=("$started")
	await 60 "the net-snmp subagent's $((8 * peer_ports)) rows" npm grep -qx ready "$work/npm.log"
	await 10 "the net-snmp subagent's table" npm answers $peer_ports $npm_table.1.2 $((8 * peer_ports))
}

start_floor() {
	local n
	for n in "${ports[@]}"; do
		start "floor-$n" "$build/tests/bench/floor_agentx" -x "$work/$n/sock/master" -n $((8 * n)) -o $floor_table
		others+=("$started")
		await 10 "the floor's $((8 * n)) rows" "floor-$n" answers "$n" $floor_table.1.2 $((8 * n))
	done
}

# --- measuring ----------------------------------------------------------------------

# cell GROUP SUBJECT REPETITION SIZE NAME ARGUMENT...
cell() {
	local group=$1 subject=$2 rep=$3 size=$4 name=$5 line
	shift 5
	line=$(taskset -c "$cpus" "$build/tests/bench/snmp_bench" -p "${port[$size]}" -t "$seconds" "$@") ||
		fail "$subject: $name could not be measured"
	record "$group" "$subject" "$name" "$rep" "$(field vbps "$line")"
	record "$group" "$subject" "$name.p50" "$rep" "$(field p50_us "$line")"
	record "$group" "$subject" "$name.p99" "$rep" "$(field p99_us "$line")"
}

# subject GROUP NAME REPETITION SIZE BULK-COLUMN "TEN COLUMNS" SET-COLUMN-OR-EMPTY
subject() {
	local a=("$1" "$2" "$3" "$4")
	cell "${a[@]}" R50x1 -m bulk -r 50 "$5"
	# shellcheck disable=SC2086 # a list of columns
	cell "${a[@]}" R10x10 -m bulk -r 10 $6
	cell "${a[@]}" NEXT -m next "$5"
	cell "${a[@]}" GET -m get "$5"
	[ -z "$7" ] || cell "${a[@]}" SET -m set -c private -v 26000,27000 "$7"
}

columns() { # ENTRY FIRST LAST
	local c
	for ((c = $2; c <= $3; c++)); do printf '%s ' "$1.$c"; done
}

repetition() { # GROUP REPETITION
	local n
	for n in "${ports[@]}"; do
		subject "$1" "ours-$n" "$2" "$n" $pfc_pri.2 "$(columns $cn_cp 4 13)" $cn_cp.7
		! has_peer floor || subject "$1" "floor-$n" "$2" "$n" $floor_table.1.2 \
			"$(columns $floor_table.1 2 11)" $floor_table.1.3
		[ "$n" = "$peer_ports" ] || continue
		! has_peer lldpd || subject "$1" lldpd "$2" "$n" $lldp_rx.4 "$(columns $lldp_rx 2 7)" ""
		! has_peer npm || subject "$1" npm "$2" "$n" $npm_table.1.2 "$(columns $npm_table.1 2 11)" \
			$npm_table.1.3
	done
}

measure() {
	local rep group all
	all=0-$(($(nproc) - 1))
	for ((rep = 1; rep <= repetitions; rep++)); do
		for group in one all; do
			[ $group = one ] && cpus=0 || cpus=$all
			on "$cpus" "${master[@]}" "${dcbd[@]}" "${agentx[@]}" "${others[@]}"
			repetition $group "$rep"
		done
	done
}

# --- report ---------------------------------------------------------------------------

rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

latency() { # GROUP SUBJECT CELL
	local p50 p99
	p50=$(values "$1" "$2" "$3.p50")
	p99=$(values "$1" "$2" "$3.p99")
	[ -n "$p50" ] || { echo - && return; }
	awk '{ printf "%.0f/%.0f", $1, $4 }' <<<"$p50 $p99"
}

row() { # GROUP SUBJECT LABEL ROWS
	printf '  %-22s %6s  %-18s %-18s %-17s %-10s %s\n' "$3" "$4" "$(kilo "$(values "$1" "$2" R50x1)")" \
		"$(kilo "$(values "$1" "$2" R10x10)")" "$(kilo "$(values "$1" "$2" NEXT)")" \
		"$(latency "$1" "$2" GET)" "$(latency "$1" "$2" SET)"
}

table() { # GROUP TITLE
	local n
	printf '\n  %-22s %6s  %-18s %-18s %-17s %-10s %s\n' "$2" rows R50x1 R10x10 GETNEXT GET SET
	for n in "${ports[@]}"; do row "$1" "ours-$n" dcb-agentx $((8 * n)); done
	! has_peer lldpd || row "$1" lldpd "lldpd (6 columns)" $lldpd_veths
	! has_peer npm || row "$1" npm "npm net-snmp" $((8 * peer_ports))
	! has_peer floor || for n in "${ports[@]}"; do row "$1" "floor-$n" "the floor" $((8 * n)); done
}

octets_per() { # KB-BIG KB-SMALL ROWS
	awk -v b="$1" -v s="$2" -v n="$3" 'BEGIN { v = (b - s) * 1024 / n; print v, v, v }'
}

report_memory() {
	local small=${ports[0]} big=${ports[-1]} pfc all p
	pfc=$((8 * (big - small)))
	all=$((rows[$big] - rows[$small]))
	for p in dcbd agentx; do
		goal "$p, octets per row (all $((rows[$big])) rows)" "<=" 400 "" \
			"$(octets_per "${rss[$p-$big]}" "${rss[$p-$small]}" "$all")"
		goal "$p, octets per row of dcbPfcPriorityTable alone" "<=" 400 "" \
			"$(octets_per "${rss[$p-$big]}" "${rss[$p-$small]}" "$pfc")"
		printf '    %s resident: %s KB with %s ports, %s KB with %s\n' "$p" "${rss[$p-$small]}" "$small" \
			"${rss[$p-$big]}" "$big"
	done
}

declare -A rss
take_memory() {
	local n
	for n in "${ports[0]}" "${ports[-1]}"; do
		rss[dcbd-$n]=$(rss_kb "${dcbd[$n]}")
		rss[agentx-$n]=$(rss_kb "${agentx[$n]}")
	done
}

# Prints the processor time of an idle process, in percent of a core.
idle_cpu() { # PID
	local before after
	before=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
	sleep 1
	after=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
	echo $((after - before))
}

report() {
	local big=${ports[-1]} small=${ports[0]} x=ours-$peer_ports
	echo
	echo "SNMP by AgentX: thousands of varbinds per second, median of $repetitions (min-max); GET, SET: us p50/p99"
	echo "R50x1: GETBULK of 50 repetitions, one column; R10x10: 10 of ten columns. dcb-agentx answers a SET after it is on disk."
	table one "one core"
	table all "$(nproc) cores, unpinned"
	echo
	if has_peer lldpd; then
		goal "one core, R50x1, dcb-agentx / lldpd" ">=" 2.0 "" "$(ratios one $x R50x1 one lldpd R50x1)"
		goal "unpinned, R50x1, dcb-agentx / lldpd" ">=" 3.0 "" "$(ratios all $x R50x1 all lldpd R50x1)"
	fi
	if has_peer floor; then
		goal "one core, R50x1, dcb-agentx / floor" ">=" 0.8 "" \
			"$(ratios one $x R50x1 one floor-$peer_ports R50x1)"
		printf '    for comparison: one core, R10x10 %s; GET %s; unpinned, R50x1 %s of the floor\n' \
			"$(two "$(ratios one $x R10x10 one floor-$peer_ports R10x10)")" \
			"$(two "$(ratios one $x GET one floor-$peer_ports GET)")" \
			"$(two "$(ratios all $x R50x1 all floor-$peer_ports R50x1)")"
	fi
	if has_peer floor && has_peer lldpd; then
		printf '    for comparison: R50x1, the floor / lldpd: one core %s, unpinned %s\n' \
			"$(two "$(ratios one floor-$peer_ports R50x1 one lldpd R50x1)")" \
			"$(two "$(ratios all floor-$peer_ports R50x1 all lldpd R50x1)")"
	fi
	! has_peer npm || printf '    for comparison: one core, R50x1, dcb-agentx / npm net-snmp %s\n' \
		"$(two "$(ratios one $x R50x1 one npm R50x1)")"
	for c in R50x1 R10x10; do
		goal "one core, $c, cost per varbind $((8 * big)) / $((8 * small)) rows" "<=" 1.3 "" \
			"$(ratios one "ours-$small" $c one "ours-$big" $c)"
	done
	report_memory
	printf '    idle, %s ports: dcbd %s %%, dcb-agentx %s %% of a core\n' "$big" \
		"$(idle_cpu "${dcbd[$big]}")" "$(idle_cpu "${agentx[$big]}")"
	printf '  SNMP goals: %d met, %d missed\n' "$goals_met" "$goals_missed"
}

two() { awk '{ printf "%.2f", $1 }' <<<"$1"; }

parse "$@"
takes SNMP 140 140
check_set_up
make_work
say "SNMP: masters and agents of ${ports[*]} memory ports; peers: ${peers[*]}"
for n in "${ports[@]}"; do
	start_master "$n"
	start_ours "$n"
done
for p in "${peers[@]}"; do "start_$p"; done
say "measuring: $repetitions repetitions, $seconds s per measurement"
measure
take_memory
report
