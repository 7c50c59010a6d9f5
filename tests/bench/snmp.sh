#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures requests of a manager to dcbd's objects, which dcb-agentx serves to a master and dcb.so
# inside another snmpd, and to other subagents of the same master: lldpd, one that uses the npm
# package net-snmp, and the floor (floor_agentx.c), a minimal subagent.
#
#   snmp.sh BUILD-DIR [--quick|--smoke] [--without PEER]...     PEER: lldpd, npm
#
# Every number of ports has its own dcbd, master, dcb-agentx and snmpd with dcb.so, and all of them
# run at the same time. All subjects are measured in turn within each round, on one core and on all.
# The processor time of a varbind is that of all processes that serve it: snmpd, the agent and dcbd,
# not the manager. Absolute numbers depend on the machine; ratios are comparable.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

ports=(32 512 4096)       # memory ports of each dcbd; each has eight rows of dcbPfcPriorityTable
peer_ports=512            # number of ports of the dcbd whose master has the other subagents
lldpd_veths=400
least=6 most=20           # rounds
seconds=0.15              # of each measurement
peers=(lldpd npm floor)

dcb=1.3.6.1.4.1.8072.9999.9999.8021.1
cn=1.3.111.2.802.1.1.18.1
pfc_pri=$dcb.4.1          # columns 2, 3; ifIndex, priority
cn_cp=$cn.5.1             # columns 4..13; component, ifIndex, CP
lldp_rx=1.0.8802.1.1.2.1.2.7.1
npm_table=1.3.6.1.4.1.8072.9999.9999.97
floor_table=1.3.6.1.4.1.8072.9999.9999.99

parse() {
	[ $# -ge 1 ] || fail "usage: snmp.sh BUILD-DIR [--quick|--smoke] [--without PEER]..."
	build=$(readlink -f -- "$1")
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--quick) most=6 seconds=0.1 ;;
		--smoke) ports=(8 16) peer_ports=16 lldpd_veths=4 least=1 most=1 seconds=0.02 ;;
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
	for p in dcbd dcb-agentx dcb.so tests/bench/snmp_bench tests/bench/floor_agentx; do
		[ -x "$build/$p" ] || fail "$build/$p is not built"
	done
}

# --- setup -------------------------------------------------------------------------

# By the number of ports. A subject is measured at $port of its snmpd: "module-512" at that of the
# snmpd with dcb.so. $serves has the processes that serve a subject, snmpd first.
declare -A port rows dcbd agentx module serves
all=()                    # all of these processes

# Prints a free UDP and TCP port.
free_port() {
	local p
	for ((p = 21000 + RANDOM % 20000; ; p++)); do
		ss -Hnltu "sport = :$p" | grep -q . || break
	done
	echo "$p"
}

answers() { # PORT-OF COLUMN ROWS
	[ "$("$build/tests/bench/snmp_bench" -p "${port[$1]}" -m rows "$2" 2>/dev/null)" -ge "$3" ]
}

# start_snmpd NAME LINE...: starts an snmpd without privileges, with these lines in its configuration.
start_snmpd() {
	local d=$work/$1
	mkdir -p "$d/sock" "$d/persist"
	chown nobody:nogroup "$d/sock" "$d/persist"
	port[$1]=$(free_port)
	{
		echo "agentaddress udp:127.0.0.1:${port[$1]}"
		echo "view all included .1"
		echo "rocommunity public 127.0.0.1 -V all"
		echo "rwcommunity private 127.0.0.1 -V all"
		printf '%s\n' "${@:2}"
	} >"$d/snmpd.conf"
	start "snmpd-$1" env SNMPCONFPATH="$d" SNMP_PERSISTENT_DIR="$d/persist" MIBS= \
		setpriv --reuid=nobody --regid=nogroup --clear-groups \
		snmpd -f -LF w "$d/persist/snmpd.log" -C -c "$d/snmpd.conf" \
		-I -smux,mteTrigger,mteTriggerConf -p "$d/persist/snmpd.pid"
	serves[$1]=$started
	all+=("$started")
	await 10 "snmpd of $1" "snmpd-$1" listens "${port[$1]}"
}
listens() { ss -Hnlu "sport = :$1" | grep -q .; }

# The master of dcb-agentx and of the other subagents: npm's needs TCP.
start_master() { # SIZE
	local d=$work/agentx-$1 tcp
	tcp=$(free_port)
	start_snmpd "agentx-$1" "master agentx" "agentXSocket unix:$d/sock/master,tcp:127.0.0.1:$tcp" \
		"agentXPerms 0666 0755 nobody nogroup" "agentXTimeout 10" "agentXRetries 0"
	[ "$1" != "$peer_ports" ] || npm_port=$tcp
	master=${serves[agentx-$1]}
	await 10 "snmpd for $1 ports" "snmpd-agentx-$1" test -S "$d/sock/master"
}

# write_dcbd_conf DIR PORTS CNPV...: of a dcbd with the user of snmpd, so that dcb.so can set.
write_dcbd_conf() {
	local d=$1 p
	mkdir -p "$d"
	chown nobody:nogroup "$d"
	cat >"$d/dcbd.conf" <<-END
		role = "bridge";
		interfaces = { include = []; };
		memory_ports = $2;
		user = "nobody";
		state_file = "$d/state";
		control = { socket = "$d/control"; view = "$d/view"; agent_user = "nobody"; };
		initial = ($(for p in "${@:3}"; do
			printf '{ object = "ieee8021CnComPriRowStatus"; index = "1.%d"; value = "createAndGo"; }' "$p"
			[ "$p" = "${*: -1}" ] || echo ,
		done));
	END
}

start_dcbd() { # SIZE
	write_dcbd_conf "$work/$1" "$1" 1 2 3 4 5 6 7
	start "dcbd-$1" "$build/dcbd" -f -c "$work/$1/dcbd.conf"
	dcbd[$1]=$started
	all+=("$started")
	await 20 "dcbd with $1 ports" "dcbd-$1" test -S "$work/$1/view"
}

start_agentx() { # SIZE
	start "dcb-agentx-$1" "$build/dcb-agentx" -x "unix:$work/agentx-$1/sock/master" -c "$work/$1/control"
	agentx[$1]=$started
	all+=("$started")
	serves[agentx-$1]="$master $started ${dcbd[$1]}"
	await_rows "agentx-$1" "$1"
}

start_module() { # SIZE
	start_snmpd "module-$1" "dlmod dcb $build/dcb.so" "dcbSocket $work/$1/control"
	module[$1]=$started
	serves[module-$1]="$started ${dcbd[$1]}"
	await_rows "module-$1" "$1"
}

await_rows() { # PORT-OF SIZE
	await 20 "$((8 * $2)) rows of dcbPfcPriorityTable" "snmpd-$1" answers "$1" $pfc_pri.2 $((8 * $2))
	await 20 "$((7 * $2)) rows of ieee8021CnCpTable" "snmpd-$1" answers "$1" $cn_cp.7 $((7 * $2))
}

# Prints the number of rows of all tables, counted by their first accessible column, and of those
# that exist for CNPVs.
count_rows() { # SIZE
	"$build/tests/bench/snmp_bench" -p "${port[module-$1]}" -m rows $cn.3.1.3 $cn.4.1.4 $cn_cp.4 $cn.6.1.2 \
		$cn.7.1.4 $cn.8.1.5 1.3.111.2.802.1.1.21.1.1.1.1 $dcb.3.1.1 $pfc_pri.2 $dcb.5.1.1 |
		awk '{ for (i = 1; i <= NF; i++) n += $i; print n, n - $7 - $8 - $9 }'
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
		-S bench -L "" -X "$work/agentx-$peer_ports/sock/master"
	port[lldpd]=${port[agentx-$peer_ports]}
	await 60 "$lldpd_veths rows of lldpd" lldpd answers lldpd $lldp_rx.4 $lldpd_veths
	peer lldpd "$started $(ps -o pid= --ppid "$started" | xargs)"
}

# peer NAME PIDS: another subagent of the master with $peer_ports ports.
peer() {
	serves[$1]="${serves[agentx-$peer_ports]%% *} $2"
	# shellcheck disable=SC2206 # a list
	all+=($2)
}

start_npm() {
	start npm env NODE_PATH="$build/npm/bench/node_modules" \
		node "$here/peer_npm.js" "$npm_port" $((8 * peer_ports)) $npm_table
	port[npm]=${port[agentx-$peer_ports]}
	await 60 "the net-snmp subagent's $((8 * peer_ports)) rows" npm grep -qx ready "$work/npm.log"
	await 10 "the net-snmp subagent's table" npm answers npm $npm_table.1.2 $((8 * peer_ports))
	peer npm "$started"
}

start_floor() {
	local n
	for n in "${ports[@]}"; do
		start "floor-$n" "$build/tests/bench/floor_agentx" -x "$work/agentx-$n/sock/master" -n $((8 * n)) -o $floor_table
		port[floor-$n]=${port[agentx-$n]}
		serves[floor-$n]="${serves[agentx-$n]%% *} $started"
		all+=("$started")
		await 10 "the floor's $((8 * n)) rows" "floor-$n" answers "floor-$n" $floor_table.1.2 $((8 * n))
	done
}

# --- measuring ----------------------------------------------------------------------

# bench SUBJECT ARGUMENT...: prints a result line of snmp_bench.
bench() {
	local options=() pid
	for pid in ${serves[$1]}; do options+=(-P "$pid"); done
	taskset -c "$cpus" "$build/tests/bench/snmp_bench" -p "${port[$1]}" -t "$seconds" "${options[@]}" "${@:2}" ||
		fail "$1 could not be measured: ${*:2}"
}

# cell GROUP SUBJECT ROUND NAME ARGUMENT...: measures a cell, unless the rounds that all have are over
# and no goal waits for it.
cell() {
	local group=$1 subject=$2 round=$3 name=$4 line cpu i
	[ "$round" -le "$least" ] || [[ "${watched[*]}" == *"$group $subject $name.cpu"* ]] || return 0
	line=$(bench "$subject" "${@:5}")
	record "$group" "$subject" "$name" "$round" "$(field vbps "$line")"
	record "$group" "$subject" "$name.p50" "$round" "$(field p50_us "$line")"
	record "$group" "$subject" "$name.p99" "$round" "$(field p99_us "$line")"
	IFS=, read -ra cpu < <(field cpu_ns "$line")
	record "$group" "$subject" "$name.cpu" "$round" "$(printf '%s\n' "${cpu[@]}" | awk '{ n += $1 } END { print n }')"
	for i in "${!cpu[@]}"; do record "$group" "$subject" "$name.cpu$i" "$round" "${cpu[i]}"; done
}

# cells GROUP SUBJECT ROUND BULK-COLUMN "TEN COLUMNS" SET-COLUMN-OR-EMPTY
cells() {
	local a=("$1" "$2" "$3")
	cell "${a[@]}" R50x1 -m bulk -r 50 "$4"
	# shellcheck disable=SC2086 # a list of columns
	cell "${a[@]}" R10x10 -m bulk -r 10 $5
	cell "${a[@]}" NEXT -m next "$4"
	cell "${a[@]}" GET -m get "$4"
	[ -z "$6" ] || cell "${a[@]}" SET -m set -c private -v 26000,27000 "$6"
}

columns() { # ENTRY FIRST LAST
	local c
	for ((c = $2; c <= $3; c++)); do printf '%s ' "$1.$c"; done
}

subject() { # GROUP SUBJECT ROUND
	case $2 in
	agentx-* | module-*) cells "$@" $pfc_pri.2 "$(columns $cn_cp 4 13)" $cn_cp.7 ;;
	floor-*) cells "$@" $floor_table.1.2 "$(columns $floor_table.1 2 11)" $floor_table.1.3 ;;
	lldpd) cells "$@" $lldp_rx.4 "$(columns $lldp_rx 2 7)" "" ;;
	npm) cells "$@" $npm_table.1.2 "$(columns $npm_table.1 2 11)" $npm_table.1.3 ;;
	esac
}

# list_subjects: prints all, those that are compared next to each other.
list_subjects() {
	local n
	for n in "${ports[@]}"; do
		printf '%s\n' "agentx-$n" "module-$n"
		! has_peer floor || echo "floor-$n"
		[ "$n" = $peer_ports ] || continue
		! has_peer lldpd || echo lldpd
		! has_peer npm || echo npm
	done
}

round() { # ROUND
	local group subject
	for group in one all; do
		[ $group = one ] && cpus=0 || cpus=0-$(($(nproc) - 1))
		on "$cpus" "${all[@]}"
		for subject in $(in_turn "$1" "${subjects[@]}"); do subject $group "$subject" "$1"; done
	done
}

# Goals: text, operator, limit, and two cells: the processor time of a varbind of the first one,
# divided by that of the second one.
goals=()
set_of_dcbd=
list_goals() {
	local ours="one agentx-$peer_ports" within="one module-$peer_ports" big=${ports[-1]} small=${ports[0]} c
	set_of_dcbd="one agentx-$big SET.cpu2" # the third process of serves
	if has_peer lldpd; then
		goals+=("one core, R50x1, dcb.so / lldpd|>=|10|one lldpd R50x1|$within R50x1"
			"one core, R50x1, dcb-agentx / lldpd|>=|2.0|one lldpd R50x1|$ours R50x1"
			"unpinned, R50x1, dcb-agentx / lldpd|>=|3.0|all lldpd R50x1|all agentx-$peer_ports R50x1")
	fi
	goals+=("one core, R50x1, dcb.so / dcb-agentx|>=|4|$ours R50x1|$within R50x1"
		"one core, time of a GET, dcb.so / dcb-agentx|<=|0.75|$within GET|$ours GET")
	! has_peer floor ||
		goals+=("one core, R50x1, dcb-agentx / floor|>=|0.8|one floor-$peer_ports R50x1|$ours R50x1")
	for c in R50x1 R10x10; do
		goals+=("one core, $c, time of a varbind, $((8 * big)) / $((8 * small)) rows|<=|1.3|one agentx-$big $c|one agentx-$small $c")
	done
}

# watch: all goals are worth more rounds.
watch() {
	local g first second
	for g in "${goals[@]}"; do
		IFS='|' read -r _ _ _ first second <<<"$g"
		watched+=("$first.cpu $second.cpu")
	done
	watched+=("$set_of_dcbd")
}

# seconds_of ROUNDS: how long the script takes: setup, rounds with all cells, rounds with those of
# goals, and the walk. A cell needs 0.05 s beside its measurement. GET and SET walk the table first.
seconds_of() {
	awk -v n="$1" -v least=$least -v s=${#subjects[@]} -v watched=$((2 * ${#watched[@]})) -v t=$seconds \
		-v ports="${ports[*]}" 'BEGIN {
		k = split(ports, p, " ")
		for (i = 1; i <= k; i++) rows += 8 * p[i]
		print 24 + least * (0.3 + 10 * s * (t + 0.05) + 4 * rows * 25e-6) + \
			(n - least) * (0.3 + watched * (t + 0.05)) + p[k] * 2e-3 }'
}

# The walk takes too long to be repeated.
whole_walk() {
	local big=${ports[-1]} agent line
	cpus=0
	on 0 "${all[@]}"
	for agent in agentx module; do
		line=$(bench "$agent-$big" -m walk -r 50 1.3.111.2.802.1.1.18)
		walked[$agent]="$(field varbinds "$line") varbinds, $(awk -v n="$(field varbinds "$line")" \
			-v t="$(field seconds "$line")" -v c="$(field cpu_ns "$line")" 'BEGIN {
				k = split(c, ns, ","); for (i = 1; i <= k; i++) sum += ns[i]
				printf "%.1f s of processor time, %.1f s passed", sum * n / 1e9, t }')"
	done
}
declare -A walked

# --- report ---------------------------------------------------------------------------

rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

# shown GROUP SUBJECT CELL: thousands of varbinds per second, and microseconds of a varbind.
shown() {
	awk '{ if (NF < 6) print "-"; else printf "%.1f %.2f", $1 / 1e3, $4 / 1e3 }' \
		<<<"$(values "$@") $(values "$1" "$2" "$3.cpu")"
}

# latency GROUP SUBJECT CELL: percentiles, and the processor time.
latency() {
	awk '{ if (NF < 9) print "-"; else printf "%.0f/%.0f %.1f", $1, $4, $7 / 1e3 }' \
		<<<"$(values "$1" "$2" "$3.p50") $(values "$1" "$2" "$3.p99") $(values "$1" "$2" "$3.cpu")"
}

row() { # GROUP SUBJECT LABEL ROWS
	printf '  %-22s %6s  %-13s %-13s %-13s %-15s %s\n' "$3" "$4" "$(shown "$1" "$2" R50x1)" \
		"$(shown "$1" "$2" R10x10)" "$(shown "$1" "$2" NEXT)" "$(latency "$1" "$2" GET)" "$(latency "$1" "$2" SET)"
}

table() { # GROUP TITLE
	local n agent
	printf '\n  %-22s %6s  %-13s %-13s %-13s %-15s %s\n' "$2" rows R50x1 R10x10 GETNEXT GET SET
	for n in "${ports[@]}"; do row "$1" "agentx-$n" dcb-agentx $((8 * n)); done
	for n in "${ports[@]}"; do row "$1" "module-$n" dcb.so $((8 * n)); done
	! has_peer lldpd || row "$1" lldpd "lldpd (6 columns)" $lldpd_veths
	! has_peer npm || row "$1" npm "npm net-snmp" $((8 * peer_ports))
	! has_peer floor || for n in "${ports[@]}"; do row "$1" "floor-$n" "the floor" $((8 * n)); done
}

# share SUBJECT CELL NUMBER: microseconds of one of the processes of a subject, on one core.
share() { awk '{ printf "%.2f", $1 / 1e3 }' <<<"$(values one "$1" "$2.cpu$3")"; }

# --- memory ---------------------------------------------------------------------------

declare -A rss
take_memory() {
	local n
	for n in "${ports[0]}" "${ports[-1]}"; do
		rss[dcbd-$n]=$(rss_kb "${dcbd[$n]}")
		rss[dcb-agentx-$n]=$(rss_kb "${agentx[$n]}")
		rss[snmpd-$n]=$(rss_kb "${module[$n]}")
	done
	rss_without_cnpvs
}

# A dcbd with the most ports and no CNPV, so that only rows differ.
rss_without_cnpvs() {
	local n=${ports[-1]} d=$work/none
	write_dcbd_conf "$d" "$n"
	start dcbd-none "$build/dcbd" -f -c "$d/dcbd.conf"
	await 20 "dcbd without CNPVs" dcbd-none test -S "$d/view"
	rss[none]=$(rss_kb "$started")
	kill "$started"
}

# octets_per KB-BIG KB-SMALL NUMBER: as a goal takes them. The three values are one: memory does not
# depend on other programs, so that the number is exact and needs no rounds.
octets_per() {
	awk -v b="$1" -v s="$2" -v n="$3" 'BEGIN { v = (b - s) * 1024 / n; print v, v, v }'
}

report_memory() {
	local small=${ports[0]} big=${ports[-1]} p
	for p in dcbd dcb-agentx; do
		goal "$p, octets per row ($((rows[$big])) of ten tables)" "<=" 400 "" \
			"$(octets_per "${rss[$p-$big]}" "${rss[$p-$small]}" $((rows[$big] - rows[$small])))"
	done
	# Two configurations that differ in rows alone. The settings of these rows are in the struct of
	# their port, so this is no goal. The eight rows of dcbPfcPriorityTable exist with their port: no
	# configuration has the one without the other.
	printf '    dcbd, octets of each of %s rows that CNPVs add: %s\n' "$cnpv_rows" \
		"$(octets_per "${rss[dcbd-$big]}" "${rss[none]}" "$cnpv_rows" | awk '{ print $1 }')"
	printf '    dcbd, octets of a port with its rows of dcbPfcPriorityTable, without CNPVs: %s\n' \
		"$(octets_per "${rss[none]}" "${rss[dcbd-$small]}" $((big - small)) | awk '{ printf "%.0f", $1 }')"
	for p in dcbd dcb-agentx snmpd; do
		printf '    %s resident: %s KB with %s ports, %s KB with %s\n' "${p/snmpd/snmpd with dcb.so}" \
			"${rss[$p-$small]}" "$small" "${rss[$p-$big]}" "$big"
	done
}

# Prints the processor time of an idle process, in percent of a core.
idle_cpu() { # PID
	local before
	before=$(cpu_ns "$1")
	sleep 1
	awk -v a="$before" -v b="$(cpu_ns "$1")" 'BEGIN { printf "%.2f", (b - a) / 1e7 }'
}

# --- results ----------------------------------------------------------------------------

report_goals() {
	local g text operator limit first second
	for g in "${goals[@]}"; do
		IFS='|' read -r text operator limit first second <<<"$g"
		# shellcheck disable=SC2086 # group, subject and cell
		goal "$text" "$operator" "$limit" "" "$(ratios $first.cpu $second.cpu)"
	done
	# shellcheck disable=SC2086 # group, subject and cell
	goal "one core, SET with ${ports[-1]} ports, time of dcbd" "<=" 0.6 " ms" \
		"$(numbers_of $set_of_dcbd | awk '{ print $1 / 1e6 }' | interval)"
}

# compare TEXT CELL CELL: as a goal with ">=", the processor time of the second cell by that of the
# first one.
compare() {
	# shellcheck disable=SC2086 # group, subject and cell
	printf '    for comparison: %s %s\n' "$1" "$(awk '{ printf "%.2f", $1 }' <<<"$(ratios $3.cpu $2.cpu)")"
}

report_comparisons() {
	local ours="one agentx-$peer_ports" floor="one floor-$peer_ports" cell
	if has_peer floor; then
		for cell in R10x10 GET; do compare "one core, $cell, dcb-agentx / floor" "$ours $cell" "$floor $cell"; done
		! has_peer lldpd || compare "one core, R50x1, the floor / lldpd" "$floor R50x1" "one lldpd R50x1"
	fi
	! has_peer npm || compare "one core, R50x1, dcb-agentx / npm net-snmp" "$ours R50x1" "one npm R50x1"
	for cell in R10x10 NEXT SET; do
		compare "one core, $cell, dcb.so / dcb-agentx" "one module-$peer_ports $cell" "$ours $cell"
	done
	printf '    us of a varbind, one core, R50x1: dcb-agentx: snmpd %s, dcb-agentx %s, dcbd %s; dcb.so: snmpd %s, dcbd %s\n' \
		"$(share "agentx-$peer_ports" R50x1 0)" "$(share "agentx-$peer_ports" R50x1 1)" \
		"$(share "agentx-$peer_ports" R50x1 2)" "$(share "module-$peer_ports" R50x1 0)" \
		"$(share "module-$peer_ports" R50x1 1)"
}

report() {
	local big=${ports[-1]} agent
	echo
	echo "SNMP: medians of $rounds rounds. Thousands of varbinds per second, and microseconds of processor time of"
	echo "a varbind, in snmpd, the agent and dcbd; GET, SET: microseconds p50/p99 until the response, and of processor"
	echo "time. R50x1: GETBULK of 50 repetitions, one column; R10x10: 10 of ten columns. dcbd answers a SET after it is"
	echo "on disk."
	table one "one core"
	table all "$(nproc) cores, unpinned"
	echo
	echo "  Ratios of processor time, and one time, with the 95 % interval of their median:"
	report_goals
	report_comparisons
	for agent in agentx module; do
		printf '    walk of IEEE8021-CN-MIB with %s ports by %s: %s\n' "$big" "$agent" "${walked[$agent]}"
	done
	report_memory
	printf '    idle, %s ports: dcbd %s %%, dcb-agentx %s %%, snmpd with dcb.so %s %% of a core\n' "$big" \
		"$(idle_cpu "${dcbd[$big]}")" "$(idle_cpu "${agentx[$big]}")" "$(idle_cpu "${module[$big]}")"
	sum_of_goals SNMP
}

parse "$@"
mapfile -t subjects < <(list_subjects)
list_goals
watch
takes SNMP "$(seconds_of $least)" "$(seconds_of $most)"
check_set_up
make_work
say "SNMP: agents of ${ports[*]} memory ports; peers: ${peers[*]}"
for n in "${ports[@]}"; do
	start_master "$n"
	start_dcbd "$n"
	start_agentx "$n"
	start_module "$n"
	read -r "rows[$n]" cnpv_rows < <(count_rows "$n")
done
for p in "${peers[@]}"; do "start_$p"; done
say "measuring: $least to $most rounds, $seconds s per measurement"
until_sure $least $most round
whole_walk
take_memory
report
