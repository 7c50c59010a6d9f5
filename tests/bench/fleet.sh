#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures Prometheus collecting a fleet: agents with a dcbd, dcb-agentx, snmpd and dcb-exporter each, in
# a network namespace each, behind one collector with Prometheus, its rules, and snmp_exporter. Reports
# the time of a scrape, and the processor time of each program, for each way to collect.
#
#   fleet.sh BUILD-DIR [--quick]
#
# Ports are memory ports; interfaces with the same ifIndex give them the names that snmpd reports.
# Module dcb_full is measured with fewer agents: Prometheus needs about 4 KB for each of its series.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

agents=50 full_agents=4
ports=64
memory_ifindex_base=100000
interval=10 # seconds, of scrapes and rules
scrapes=6   # measured of each way; two more come before
prometheus=127.0.0.1:9090

parse() {
	[ $# -ge 1 ] || fail "usage: fleet.sh BUILD-DIR [--quick]"
	build=$(readlink -f -- "$1")
	shift
	case ${1-} in
	'') ;;
	--quick) agents=8 full_agents=2 scrapes=3 ;;
	*) fail "unknown option $1" ;;
	esac
}

check_set_up() {
	local p
	[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces, private snmpd without privileges)"
	for p in snmpd snmpget prometheus prometheus-snmp-exporter jq ip nsenter setpriv; do
		command -v "$p" >/dev/null || fail "$p is not installed"
	done
	for p in dcbd dcb-agentx; do [ -x "$build/$p" ] || fail "$build/$p is not built"; done
}

within() { # NAMESPACE COMMAND...
	nsenter --net="/run/netns/$1" -- "${@:2}"
}
address() { echo "10.99.0.$((100 + $1))"; } # AGENT

# --- setup -------------------------------------------------------------------------

declare -A pids_of # by program: its processes, in the order of the agents
collector=dcb-fleet

make_collector() {
	make_namespace $collector
	ip -n $collector link add name br0 type bridge
	ip -n $collector addr add 10.99.0.1/24 dev br0
	ip -n $collector link set br0 up
	start snmp_exporter nsenter --net=/run/netns/$collector -- prometheus-snmp-exporter \
		--config.file="$here/../../contrib/prometheus/snmp-0.21.yml" --web.listen-address=127.0.0.1:9116 \
		--log.level=error
	pids_of[snmp_exporter]=$started
}

# These interfaces have the ifIndex and the name of the memory ports (control/managed_conf.c).
make_network() { # AGENT
	local ns=$collector-$1 p
	make_namespace "$ns"
	for ((p = 0; p < ports; p++)); do
		echo "link add name mem$p index $((memory_ifindex_base + 1 + p)) type bridge"
	done | ip -n "$ns" -batch -
	ip link add name "fleet$1" netns $collector type veth peer name eth0 netns "$ns"
	ip -n $collector link set "fleet$1" master br0 up
	ip -n "$ns" addr add "$(address "$1")/24" dev eth0
	ip -n "$ns" link set eth0 up
}

start_agent() { # AGENT
	local d=$work/$1 ns=$collector-$1
	mkdir -p "$d/sock" "$d/persist"
	chown nobody:nogroup "$d/sock" "$d/persist"
	cat >"$d/snmpd.conf" <<-END
		agentaddress udp:161
		master agentx
		agentXSocket unix:$d/sock/master
		agentXPerms 0666 0755 nobody nogroup
		agentXTimeout 10
		agentXRetries 0
		view all included .1
		rocommunity public default -V all
	END
	cat >"$d/dcbd.conf" <<-END
		interfaces = { include = []; };
		memory_ports = $ports;
		user = "root";
		state_file = "$d/state";
		control = { socket = "$d/control"; view = "$d/view"; };
		initial = (
		  { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		  { object = "dcbPfcPriorityEnable"; index = "*.4"; port = "*"; value = "true"; }
		);
	END
	start "snmpd-$1" nsenter --net="/run/netns/$ns" -- env SNMPCONFPATH="$d" SNMP_PERSISTENT_DIR="$d/persist" \
		MIBS= setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=+net_bind_service \
		--ambient-caps=+net_bind_service snmpd -f -LF w "$d/persist/snmpd.log" -C -c "$d/snmpd.conf" \
		-I -smux,mteTrigger,mteTriggerConf -p "$d/persist/snmpd.pid"
	pids_of[snmpd]+=" $started"
	start "dcbd-$1" nsenter --net="/run/netns/$ns" -- "$build/dcbd" -f -c "$d/dcbd.conf"
	pids_of[dcbd]+=" $started"
	await 20 "dcbd $1" "dcbd-$1" test -S "$d/view"
	start "dcb-agentx-$1" nsenter --net="/run/netns/$ns" -- "$build/dcb-agentx" -x "unix:$d/sock/master" \
		-c "$d/control"
	pids_of[dcb-agentx]+=" $started"
	[ -x "$build/dcb-exporter" ] || return 0
	start "dcb-exporter-$1" nsenter --net="/run/netns/$ns" -- "$build/dcb-exporter" -s "$d/view" \
		-l "$(address "$1"):9921"
	pids_of[dcb-exporter]+=" $started"
}

# The last port of the last column that the modules read.
serves() { # AGENT
	within $collector snmpget -v2c -c public -t 2 -r 0 -Oqv "$(address "$1")" \
		1.3.6.1.4.1.8072.9999.9999.8021.1.1.5.0 | grep -qx $ports
}

# --- measuring ----------------------------------------------------------------------

# ask PATH: prints the answer of Prometheus.
ask() {
	# shellcheck disable=SC2016 # expanded by bash
	within $collector bash -c '
		exec 3<>"/dev/tcp/${0/://}"
		printf "GET %s HTTP/1.0\r\n\r\n" "$1" >&3
		sed "1,/^\r$/d" <&3
	' $prometheus "$1"
}
query() { ask "/api/v1/query?query=$(jq -rn --arg q "$1" '$q | @uri')" | jq -r '.data.result[]? | .value[1]'; }

# targets COUNT PORT: a list of targets.
targets() {
	local n
	for ((n = 1; n <= $1; n++)); do printf "'%s%s', " "$(address "$n")" "${2-}"; done
}

# start_prometheus WAY: WAY is a module of snmp_exporter, or dcb-exporter.
start_prometheus() {
	local count=$agents
	[ "$1" != dcb_full ] || count=$full_agents
	{
		echo "global: {scrape_interval: ${interval}s, scrape_timeout: ${interval}s, evaluation_interval: ${interval}s}"
		echo "rule_files: ['$(readlink -f -- "$here/../../contrib/prometheus/dcb.rules.yml")']"
		echo "scrape_configs:"
		if [ "$1" = dcb-exporter ]; then
			echo "- {job_name: dcb-exporter, static_configs: [{targets: [$(targets "$count" :9921)]}]}"
		else
			cat <<-END
				- job_name: $1
				  static_configs: [{targets: [$(targets "$count")]}]
				  metrics_path: /snmp
				  params: {module: [$1]}
				  relabel_configs:
				  - {source_labels: [__address__], target_label: __param_target}
				  - {source_labels: [__param_target], target_label: instance}
				  - {target_label: __address__, replacement: '127.0.0.1:9116'}
			END
		fi
	} >"$work/prometheus.yml"
	rm -rf "$work/tsdb"
	start "prometheus-$1" nsenter --net=/run/netns/$collector -- prometheus \
		--config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
		--web.listen-address=$prometheus --log.level=warn
	pids_of[prometheus]=$started
	await 20 Prometheus "prometheus-$1" ask /-/ready
}

# Prints a line "- NANOSECONDS", the time, and a line "PROGRAM NANOSECONDS" for each program.
times() {
	local program
	echo "- ${EPOCHREALTIME/./}000"
	for program in "${!pids_of[@]}"; do
		# shellcheck disable=SC2086 # a list of pids
		printf '%s %s\n' "$program" "$(cpu_ns ${pids_of[$program]})"
	done
}

measure() { # WAY, or "idle" for no collector
	local count=$agents busy
	[ "$1" != dcb_full ] || count=$full_agents
	[ "$1" = idle ] || start_prometheus "$1"
	sleep $((2 * interval))
	times >"$work/before"
	busy=$(head -n 1 /proc/stat)
	sleep $((scrapes * interval))
	times >"$work/after"
	busy=$(printf '%s\n' "$busy" "$(head -n 1 /proc/stat)" | awk '{
		idle = $5 + $6 - last_idle; last_idle = $5 + $6; all = -last; last = 0
		for (i = 2; i <= 9; i++) last += $i
		all += last
	} END { printf "%d", 100 * (1 - idle / all) }')
	printf '\n%s: %d agents of %d ports, each %d s (all processors %d %% busy)\n' "$1" "$count" $ports $interval "$busy"
	if [ "$1" != idle ]; then
		report_scrapes
		kill "${pids_of[prometheus]}"
		end_of "${pids_of[prometheus]}" || true
		unset 'pids_of[prometheus]' 'pids[-1]'
	fi
	report_times "$count"
}

report_scrapes() {
	local over=$((scrapes * interval))s
	printf '  scrapes that failed: %s; series of an agent: %.0f\n' \
		"$(query "sum(count_over_time(up[$over])) - sum(sum_over_time(up[$over]))")" \
		"$(query "max(scrape_samples_scraped)")"
	printf '  time of a scrape: median %.0f ms, longest %.0f ms\n' \
		"$(query "1000 * quantile(0.5, avg_over_time(scrape_duration_seconds[$over]))")" \
		"$(query "1000 * max(max_over_time(scrape_duration_seconds[$over]))")"
	printf '  evaluation of the rules: %.0f ms\n' \
		"$(ask /api/v1/rules | jq '[.data.groups[].evaluationTime] | add * 1000')"
}

# On a busy machine the measurement takes longer than it should.
report_times() { # AGENTS
	awk -v agents="$1" -v interval=$interval '
		NR == FNR { before[$1] = $2; next }
		$1 == "-" { scrapes = ($2 - before[$1]) / 1e9 / interval; next }
		{
			ms = ($2 - before[$1]) / 1e6
			sum += ms
			printf "  %-14s %8.2f ms of a processor for an agent and scrape, %5.1f %% of a processor in all\n",
				$1, ms / agents / scrapes, ms / scrapes / interval / 10
		}
		END { printf "  %-14s %8.2f ms, %5.1f %%\n", "together", sum / agents / scrapes, sum / scrapes / interval / 10 }
	' <(sort "$work/before") <(sort "$work/after")
}

parse "$@"
ways=(idle dcb dcb_full)
if [ -x "$build/dcb-exporter" ]; then ways+=(dcb-exporter); else say "dcb-exporter is not built: not measured"; fi
# Two scrapes come before those that are measured.
duration=$((${#ways[@]} * (scrapes + 2) * interval + agents))
takes fleet $duration $duration
check_set_up
make_work
say "fleet: $agents agents of $ports ports, scraped every $interval s ($full_agents by module dcb_full)"
make_collector
for ((n = 1; n <= agents; n++)); do
	make_network "$n"
	start_agent "$n"
done
for ((n = 1; n <= agents; n++)); do await 60 "objects of agent $n" "dcb-agentx-$n" serves "$n"; done
for way in "${ways[@]}"; do measure "$way"; done
