#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's snmp_exporter with the modules of contrib/prometheus reads bridges whose MAC addresses
# begin with 00 and 02. A CPID begins with the address: an exporter that takes the first octet for
# the length of the CPID has the same labels for all congestion points, and answers with status 500.
# Debian's Prometheus with the rules of contrib/prometheus collects the bridge from each source, fires
# an alert at a storm, and has data for each query of the dashboards of contrib/grafana.
#
#   h1 - sw1       h2 - sw2       frames from h1, a storm of PFC frames from h2
#
# dcbd.conf gives ports 10 Mb/s: the longest pause takes 3.4 s.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

exporter=127.0.0.1:9116 prometheus=127.0.0.1:9090
rules=$src/contrib/prometheus/dcb.rules.yml
for program in prometheus-snmp-exporter prometheus jq; do
	command -v $program >/dev/null || skip_all "$program not found (Debian: $program)"
done

# http SERVER PATH: $status gets the status, $T/body the body of the answer. The status is none if the
# answer is not complete within a minute: a scrape of dcb_full takes seconds on a busy machine.
http() {
	local server
	status=none
	: >$T/body
	exec {server}<>"/dev/tcp/${1/://}" || return
	printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&"$server"
	if timeout 60 cat <&"$server" >$T/http; then
		read -r _ status _ <$T/http
		sed '1,/^\r$/d' $T/http >$T/body
	fi
	exec {server}>&-
}
answers_http() { # SERVER PATH
	http "$1" "$2" 2>/dev/null
	[ "$status" = 200 ]
}

# start_exporter: as Debian's unit starts it, with the modules as its only configuration.
start_exporter() {
	start exporter prometheus-snmp-exporter --config.file="$src/contrib/prometheus/snmp-0.21.yml" \
		--web.listen-address=$exporter
	wait_for 10 "the exporter answers" answers_http $exporter / || die "the exporter does not answer"
}

# by_snmp: lines "CPID ifIndex" of ieee8021CnCpidToInterfaceTable; by_exporter: the same of the scrape.
by_snmp() {
	walk "${O[ieee8021CnCpidToIfIfIndex]}" |
		sed -n "s/^\.${O[ieee8021CnCpidToIfIfIndex]}\.\([0-9.]*\) = INTEGER: \([0-9]*\)$/\1 \2/p" |
		while IFS=' .' read -ra n; do printf '0x%02X%02X%02X%02X%02X%02X%02X%02X %d\n' "${n[@]}"; done
}
by_exporter() {
	sed -n 's/^ieee8021CnCpidToIfIfIndex{ieee8021CnCpidToIfCpid="\(0x[0-9A-F]*\)"} \([0-9]*\)$/\1 \2/p' $T/body
}

# scrape MODULE: the body of the answer of snmp_exporter.
scrape() {
	http $exporter "/snmp?target=$agent&module=$1"
	is "status of the scrape of $1" "$status" 200
	[ "$status" = 200 ] || fail "body: $(head -c 400 $T/body)"
}
series_of() { grep -c "ifName=\"$1\"" $T/body; } # PORT

# series_by_rows: lines "OBJECT SERIES" for a port with two CNPVs, of module dcb by the rows of mibs:
# a series for each row, and for each bit of a BITS object. ieee8021CnErroredPortTable has no rows.
series_by_rows() {
	awk -v view=SNMP -v each=1 -f "$src/mibs/seen.awk" "$src"/mibs/*.def >$T/seen
	awk '
		NR == FNR { seen[$1]; next }
		{ split($0, part, /[(, ]+/) }
		/^INDEX_PORT\(/ { rows[part[2]] = 1 }
		/^INDEX_PORT_PRIORITY\(/ { rows[part[2]] = 8 }
		/^INDEX_PORT_CP\(/ { rows[part[2]] = 2 }
		/^NAME\(/ { bits[part[2]] += gsub(/NAME\(/, "") }
		/^COL\(/ && part[4] in seen && part[2] in rows {
			print part[4], rows[part[2]] * (part[5] == "BITS" ? bits[part[6]] : 1)
		}
	' $T/seen "$src"/mibs/*.def
}
# series_by_object PORT: the same of the scrape.
series_by_object() {
	sed -n "s/^\([A-Za-z0-9]*\){.*ifName=\"$1\".*/\1/p" $T/body | sort | uniq -c |
		while read -r n object; do echo "$object $n"; done
}

# scrape_bridge OCTET: of a bridge with two ports, two CNPVs and a static entry, whose addresses begin
# with this octet.
scrape_bridge() {
	local i entry="$1:16:3e:00:00:99" row
	for i in 1 2; do
		ip link set sw$i down
		ip link set sw$i address "$1:16:3e:00:00:0$i" up || die "no address of sw$i"
	done
	rm -f $T/state/state
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects" served
	i=$(ifindex sw2)
	row=1.$((16#$1)).22.62.0.0.153
	put dcbStaticUnicastPort.$row "$i" dcbStaticUnicastRowStatus.$row 4
	scrape dcb_full
	by_snmp | sort >$T/cpids
	by_exporter | sort >$T/labels
	is "congestion points" "$(wc -l <$T/cpids)" 4
	is "CPIDs that begin with ${1}163E" "$(grep -c "^0x${1}163E" $T/cpids)" 4
	same "CPIDs of the exporter" $T/cpids $T/labels
	like "static entry" "$(grep '^dcbStaticUnicastPort{' $T/body)" \
		"dcbStaticUnicastAddress=\"${entry^^}\",dcbStaticUnicastVlan=\"1\"} $i$"
	like "name of a port" "$(grep '^dcbPortOperational{' $T/body)" 'ifName="sw1"'
}

# start_dcb_exporter: prints the job of dcb-exporter.
start_dcb_exporter() {
	sources+=(dcb-exporter)
	start dcb-exporter "$build/dcb-exporter" -s $T/view -l 127.0.0.1:9921
	echo "- {job_name: dcb-exporter, static_configs: [{targets: ['127.0.0.1:9921'], labels: {instance: dcb-exporter}}]}"
}

# start_prometheus: collects the bridge from each source, whose name is the label "instance". A scrape
# may last as long as the interval.
declare -A interval=([dcb]=2s [dcb_full]=5s)
sources=()
start_prometheus() {
	local module
	{
		echo 'global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}'
		echo "rule_files: ['$rules']"
		echo 'scrape_configs:'
		for module in dcb dcb_full; do
			sources+=($module)
			cat <<-END
				- job_name: $module
				  scrape_interval: ${interval[$module]}
				  scrape_timeout: ${interval[$module]}
				  static_configs: [{targets: ['$agent'], labels: {instance: $module}}]
				  metrics_path: /snmp
				  params: {module: [$module]}
				  relabel_configs:
				  - {source_labels: [__address__], target_label: __param_target}
				  - {target_label: __address__, replacement: '$exporter'}
			END
		done
		[ ! -d "$src/agent/exporter" ] || start_dcb_exporter
	} >$T/prometheus.yml
	promtool check rules "$rules" >$T/promtool.log 2>&1 || fail "$(cat $T/promtool.log)"
	start prometheus prometheus --config.file=$T/prometheus.yml --storage.tsdb.path=$T/tsdb \
		--web.listen-address=$prometheus --log.level=warn
	wait_for 20 "Prometheus is ready" answers_http $prometheus /-/ready || die "Prometheus does not start"
}

# query PROMQL: prints a line for each series of the result, its labels and value.
query() {
	http $prometheus "/api/v1/query?query=$(jq -rn --arg q "$1" '$q | @uri')"
	jq -r '.data.result[]? | "\(.metric) \(.value[1])"' $T/body
}
has_data() { query "$1" | grep -q .; }
lacks_data() { query "$1" >$T/result && [ "$status" = 200 ] && [ ! -s $T/result ]; }

# alerts NAME STATE: prints a line "SOURCE PORT PRIORITY" for each alert in this state, sorted.
alerts() {
	http $prometheus /api/v1/alerts
	jq -r --arg name "$1" --arg state "$2" '.data.alerts[] | select(.labels.alertname == $name and .state == $state) |
		"\(.labels.instance) \(.labels.port) \(.labels.priority)"' $T/body | sort
}
fires_at() { # NAME PORT PRIORITY: at the port and nowhere else, by each source
	[ "$(alerts "$1" firing)" = "$(printf "%s $2 $3\n" "${sources[@]}" | sort)" ]
}

host h1 sw1
host h2 sw2
patient_agent
dcbd_conf 'interfaces = { include = [ "sw*" ]; };' 'defaults = { rate = 10000000L; speed = 10000000L; };' \
	'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },' \
	'{ object = "ieee8021CnComPriRowStatus"; index = "1.5"; value = "createAndGo"; } );'
start_snmpd
start agentx "$build/dcb-agentx" -x unix:$T/master -c $T/control -T $agentx_wait
start_exporter

test_addresses_that_begin_with_02() {
	scrape_bridge 02
	stop dcbd
}

# dcbd continues for the tests below.
test_addresses_that_begin_with_00() {
	local port
	scrape_bridge 00
	at_least "series of a port of module dcb_full" "$(series_of sw2)" 500
	scrape dcb
	series_by_rows | sort >$T/rows
	for port in sw1 sw2; do
		series_by_object $port >$T/$port
		same "series of $port of module dcb" $T/rows $T/$port
	done
	like "name of a port" "$(grep '^dcbPortOperational{' $T/body)" 'ifName="sw1"'
}

# Of a port with PFC and two congestion points.
test_module_dcb_has_at_most_80_series_a_port() {
	put dcbPfcPriorityEnable."$(ifindex sw2)".4 1
	scrape dcb
	at_most "series of a port" "$(series_of sw2)" 80
	scrape dcb_full
	printf '    series of a port of module dcb_full: %d\n' "$(series_of sw2)"
}

# series_by SOURCE: names and labels of the series, in $T/series.SOURCE.
series_by() {
	query "{__name__=~\"dcb:.+\", instance=\"$1\"}" | sed "s/\"instance\":\"$1\"//; s/ [^ ]*$//" |
		sort >"$T/series.$1"
}
# same_series SOURCE: as by module dcb, which is read again too: on a busy machine a scrape reaches its
# time limit, and its series are absent until the next one.
same_series() {
	series_by dcb
	series_by "$1"
	[ -s "$T/series.$1" ] && cmp -s $T/series.dcb "$T/series.$1"
}

test_series_are_the_same_from_each_source() {
	local source
	start_prometheus
	for source in "${sources[@]}"; do
		wait_for 10 "the agent is up by $source" has_data "dcb:up{instance=\"$source\"} == 1"
		wait_for 10 "rates by $source" has_data "dcb:cp_cnms:rate2m{instance=\"$source\"}"
		wait_for 10 "the series of dcb by $source" same_series "$source"
		at_least "series by $source" "$(wc -l <"$T/series.$source")" 60
		same "series by $source" $T/series.dcb "$T/series.$source"
	done
}

# Frames to h2 wait, so that the watchdog finds a storm. Their priority is no CNPV: edge ports give
# frames of a CNPV another priority.
test_a_storm_fires_the_alert() {
	local h2
	wait_for 10 "no alert before" lacks_data 'ALERTS{alertname="DcbPfcWatchdogStorm"}'
	h2=$(on h2 cat /sys/class/net/eth0/address)
	on h2 "$build/tests/system/frames" send eth0 -s "$h2" -d ff:ff:ff:ff:ff:ff
	clock
	since=$now
	start storm nsenter --net=/run/netns/h2 -- "$build/dcb-pfcgen" -p 4 -q 65535 -i 100ms -t 3600s eth0
	wait_for 5 "sw2 is paused" holds dcbPfcPriorityPaused."$(ifindex sw2)".4 1
	on h1 "$build/tests/system/frames" send eth0 -d "$h2" -p 4 -n 20 -l 500
	wait_for 15 "the alert" fires_at DcbPfcWatchdogStorm sw2 4
	clock
	timed at_most "ms from the first PFC frame to the alert" $((now - since)) 15000
}

# dashboard_queries SOURCE: a line for each query of a panel or a variable: the query, its percent
# encoding, and its labels that the legend names.
dashboard_queries() {
	jq -r --arg source "$1" '
		(.panels[].targets[] | {expr, legend: .legendFormat}),
		(.templating.list[] | select(.type == "query") | .query.query |
			capture("^label_values\\((?<expr>.*), *(?<label>[a-z]*)\\)$") | {expr, legend: "{{\(.label)}}"}) |
		.expr |= (gsub("[$]instance"; $source) | gsub("[$]port"; "sw2") | gsub("[$]__range"; "5m")) |
		[.expr, (.expr | @uri), ([.legend | scan("{{([a-z]+)}}")[0]] | join(" "))] | join("\t")
	' "$src"/contrib/grafana/*.json | sort -u
}
finds() { # ENCODED-QUERY LABEL...: a series with each of these labels
	local label
	http $prometheus "/api/v1/query?query=$1"
	grep -q '"result":\[{' $T/body || return
	for label in "${@:2}"; do grep -q "\"$label\":" $T/body || return; done
}

test_every_query_of_the_dashboards_has_data() {
	local source expr encoded labels
	for source in "${sources[@]}"; do
		dashboard_queries "$source" >$T/queries
		at_least "queries" "$(wc -l <$T/queries)" 50
		while IFS=$'\t' read -r expr encoded labels; do
			# shellcheck disable=SC2086 # several labels
			wait_for 5 "data of $expr by ${labels:-no label}" finds "$encoded" $labels
		done <$T/queries
	done
}

test_a_storm_that_ends_ends_the_alert() {
	stop storm
	wait_for 15 "no alert" lacks_data 'ALERTS{alertname="DcbPfcWatchdogStorm"}'
}

# The alert needs a minute.
test_an_agent_that_is_down_is_seen() {
	stop agentx
	wait_for 10 "no objects by SNMP" has_data 'dcb:up{instance="dcb"} == 0'
	wait_for 10 "the alert is pending" has_data 'ALERTS{alertname="DcbAgentDown", instance="dcb", alertstate="pending"}'
}

# The end of snmp_exporter at SIGTERM has status 143.
test_collectors_run_until_the_end() {
	running exporter || fail "the exporter has ended"
	running prometheus || fail "Prometheus has ended"
	stop prometheus
	stop exporter KILL
}

run_tests
