#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcb-exporter beside a bridge with frames and a PFC storm: its metrics are dcbctl's values, promtool
# accepts them, a browser shows them, and it goes on when dcbd ends and when clients misbehave. It runs as a user of no
# group, on a socket that systemd's program passes.
#
#   h1 - swp1  bridge  swp2 - h2, which sends PFC frames
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

for program in promtool systemd-socket-activate curl jq chromium; do
	command -v $program >/dev/null || skip_all "$program is not installed"
done

port=9921
url=http://127.0.0.1:$port
other=65534
user=(--clear-groups)
! $many_users || user=(--reuid=$other --regid=$other --clear-groups)
$many_users || user=()
bin=$T/bin
frames=$build/tests/system/frames
export DCBCTL_SOCKET=$T/control

# A program in a directory that all users may enter.
mkdir -p $bin
chmod 755 $T
cp "$build/dcb-exporter" $bin

for n in 1 2; do host h$n swp$n; done
# At 10 Mb/s a PFC frame pauses for up to 3.4 s.
dcbd_conf 'interfaces = { include = [ "swp*" ]; }; defaults = { rate = 10000000L; speed = 10000000L; };' \
	'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },' \
	'{ object = "dcbPfcPriorityEnable"; index = "*.4"; port = "*"; value = "true"; },' \
	'{ object = "dcbPfcWatchdogDetectionTime"; index = "*.4"; port = "*"; value = "100"; } );'
start_dcbd

# start_exporter [OPTION...]: with its own listening socket.
start_exporter() {
	start exporter setpriv "${user[@]}" --bounding-set=-all --inh-caps=-all -- $bin/dcb-exporter -s $T/view \
		-l 127.0.0.1:$port "$@"
	wait_for 10 "dcb-exporter listens" logged exporter 'listening at' || die "dcb-exporter does not start"
}
start_exporter

# fetch PATH [OPTION...]: the body in $T/body, the headers in $T/head, the status in $status.
fetch() {
	status=$(curl -sg --max-time 60 -D $T/head -o $T/body -w '%{http_code}' "${@:2}" "$url$1")
}
# sample NAME{LABELS}: the value of a sample of $T/body.
sample() { awk -v s="$1" '$1 == s { print $2 }' $T/body; }
# shown NAME.INSTANCE: dcbctl's value.
shown() { "$build/dcbctl" show "$1" | awk 'NR == 2 { print $2 }'; }
# metric NAME{LABELS} VALUE: the next scrape has the value.
metric() {
	fetch /metrics
	[ "$(sample "$1")" = "$2" ]
}
# lint FILE: promtool's findings, without those about bits: the standard and rates have bits.
lint() { promtool check metrics <"$1" 2>&1 | grep -vF 'use base unit "bytes" instead of "bits"'; }

test_metrics_are_the_values_of_dcbctl() {
	local i p name
	i=$(ifindex swp1)
	for n in 1 2; do
		wait_for 5 "swp$n is up" metric "dcb_port_operational{port=\"swp$n\"}" 1
	done
	on h1 "$frames" send eth0 -n 50 -l 200 -d ff:ff:ff:ff:ff:ff
	wait_for 5 "swp1 has 50 frames" metric 'dcb_port_rx_frames_total{port="swp1"}' 50
	is "status" "$status" 200
	like "type" "$(grep -i '^content-type' $T/head)" 'text/plain; version=0\.0\.4; charset=utf-8'
	is "dcb_up" "$(sample dcb_up)" 1
	is "dcbctl's frames" "$(shown dcbPortRxFrames.$i)" 50
	is "octets" "$(sample 'dcb_port_rx_octets_bytes_total{port="swp1"}')" "$(shown dcbPortRxOctets.$i)"
	is "rate" "$(sample 'dcb_port_rate_bits_per_second{port="swp1"}')" "$(shown dcbPortRate.$i)"
	is "set point" "$(sample 'dcb_cn_cp_queue_size_set_point_bytes{port="swp1",cn_cp_index="3"}')" \
		"$(shown ieee8021CnCpQueueSizeSetPoint.1.$i.3)"
	is "ports" "$(sample dcb_agent_ports)" 2
	is "version" "$(sample "dcb_agent_version_info{text=\"$("$build/dcbctl" -V | cut -d' ' -f2)\"}")" 1
	lint $T/body >$T/lint
	is "findings of promtool" "$(cat $T/lint)" ""
	for p in $(seq 0 7); do
		name="dcb_pfc_watchdog_state{port=\"swp2\",pfc_priority=\"$p\",state=\"storm\"}"
		is "$name" "$(sample "$name")" 0
	done
}

# Every object that dcbctl shows for a row is a metric, without those of tables of addresses, and each
# metric appears once.
test_full_has_all_objects() {
	local columns
	fetch '/metrics?collect[]=full'
	is "status" "$status" 200
	lint $T/body >$T/lint
	is "findings of promtool" "$(cat $T/lint)" ""
	sed -n 's/^# HELP dcb_[a-z0-9_]* \([A-Za-z0-9]*\) of .*/\1/p' $T/body | sort >$T/helped
	"$build/dcbctl" -j show | jq -r '(.tables? // .)[] | select(.rows | length > 0) |
		.rows[0].values | keys[]' 2>/dev/null |
		grep -vE '^(dcbFdb[^F]|dcbTrillFdb|dot1)' | sort >$T/shown
	columns=$(wc -l <$T/shown)
	at_least "objects of dcbctl" "$columns" 300
	same "objects" $T/shown $T/helped
	is "metrics with two heads" "$(grep '^# TYPE' $T/body | cut -d' ' -f3 | sort | uniq -d)" ""
	is "samples twice" "$(grep -v '^#' $T/body | cut -d' ' -f1 | sort | uniq -d)" ""
	fetch '/metrics?collect%5B%5D=cp&collect[]=watchdog'
	is "metrics of pfc" "$(grep -c '^dcb_pfc_priority' $T/body)" 0
	at_least "metrics of cp" "$(grep -c '^dcb_cp_' $T/body)" 4
	at_least "metrics of watchdog" "$(grep -c '^dcb_pfc_watchdog_' $T/body)" 4
	fetch '/metrics?collect[]=all'
	is "status for a group that does not exist" "$status" 400
	is "text" "$(cat $T/body)" 'collect[]=all: expected health, cp, pfc, watchdog or full'
}

test_a_storm_is_seen_while_it_lasts() {
	local i labels='{port="swp2",pfc_priority="4"'
	i=$(ifindex swp2)
	start storm nsenter --net=/run/netns/h2 -- "$build/dcb-pfcgen" -p 4 -q 65535 -i 20ms -t 3600s eth0
	wait_for 20 "the pause" metric "dcb_pfc_priority_paused$labels}" 1
	# Only a priority with waiting frames is blocked.
	on h1 "$frames" send eth0 -v 1 -p 4 -n 5 -l 200 -d ff:ff:ff:ff:ff:ff
	wait_for 20 "the storm" metric "dcb_pfc_watchdog_state$labels,state=\"storm\"}" 1
	is "state watching" "$(sample "dcb_pfc_watchdog_state$labels,state=\"watching\"}")" 0
	is "paused" "$(sample "dcb_pfc_priority_paused$labels}")" 1
	stop storm
	wait_for 20 "the end of the storm" metric "dcb_pfc_watchdog_state$labels,state=\"watching\"}" 1
	wait_for 20 "the end of the pause" metric "dcb_pfc_priority_paused$labels}" 0
	is "storms" "$(sample "dcb_pfc_watchdog_storms_total$labels}")" "$(shown dcbPfcWatchdogStorms.$i.4)"
	is "PFC frames" "$(sample "dcb_pfc_priority_indications_total$labels}")" \
		"$(shown dcbPfcPriorityIndications.$i.4)"
	is "pause time in microseconds" \
		"$(sample "dcb_pfc_priority_pause_time_seconds_total$labels}" | awk '{ printf "%.0f", $1 * 1e6 }')" \
		"$(shown dcbPfcPriorityPauseTime.$i.4)"
	is "PFC frames of the port" "$(sample 'dcb_pfc_indications_total{port="swp2"}')" \
		"$(shown ieee8021PfcIndications.$i)"
}

# The form is that of dcbctl, apart from blanks.
test_tables_are_those_of_dcbctl() {
	fetch '/tables.json?table=dcbPortTable'
	is "status" "$status" 200
	like "type" "$(grep -i '^content-type' $T/head)" 'application/json'
	jq -S . $T/body >$T/tables
	"$build/dcbctl" -j show dcbPortTable | jq -S . >$T/shown
	same "dcbPortTable" $T/shown $T/tables
	fetch '/tables.json?table=dcbBufferPoolTable&table=dcbCpTable'
	is "tables" "$(jq -c '[(.tables? // .)[].table]' $T/body 2>/dev/null || jq -c '[.[].table]' $T/body)" \
		'["dcbCpTable","dcbBufferPoolTable"]'
	fetch '/tables.json?table=dcbPort'
	is "status for a table that does not exist" "$status" 400
	is "text" "$(cat $T/body)" 'table=dcbPort: expected the name of a table, as dcbPortTable'
	fetch /tables.json
	jq -r '.. | .table? // empty' $T/body >$T/tables
	"$build/dcbctl" -j show | jq -r '.. | .table? // empty' >$T/shown
	at_least "tables" "$(wc -l <$T/shown)" 60
	same "tables" $T/shown $T/tables
}

# in_browser SCRIPT [WIDTHxHEIGHT...]: evaluates the expression in the page until it is not null, in
# windows of these sizes. A line of JSON for each in $T/seen, a screenshot in build/page.
in_browser() {
	local size shots=()
	for size in "${@:2}"; do shots+=("$size=$build/page/$size.png"); done
	mkdir -p "$build/page"
	HOME=$T "$src/tests/system/browser.py" $T/chromium $url/ "$1" $((20 * patience)) "${shots[@]}" >$T/seen ||
		fail "the browser failed"
}

# Widths, ports, and cells of swp2, when the page has rates. Then the same page with a neighbor of
# swp2 whose texts are long, and markup.
page_values='(() => {
	const cell = (key) => document.querySelector(`tr[data-port=swp2] td[data-key=${key}]`);
	if (!cell("rx") || !/bit/.test(cell("rx").textContent) || !document.querySelector("#storms tbody tr") ||
		!document.querySelector("#pauses tbody rect")) return null;
	const cp = cell("queue").querySelector(".cp").dataset;
	const seen = {
		scroll: document.documentElement.scrollWidth, width: document.documentElement.clientWidth,
		ports: [...document.querySelectorAll("#ports tbody tr")].map((tr) => tr.dataset.port),
		rate: cell("rate").textContent, pfc: cell("pfc").innerText.replace(/[^0-9]/g, ""),
		storms: cell("storms").textContent, setPoint: cp.setPoint, queue: cp.queue,
		pauses: document.querySelector("#pauses tbody tr").innerText.split(/\s+/).slice(0, 2),
		storm: document.querySelector("#storms tbody tr").innerText.split(/\s+/).slice(0, 2),
		live: document.body.className, facts: document.getElementById("facts").textContent,
	};
	const port = [...state.ports.values()].find((p) => p.name === "swp2").index;
	const row = {index: {ifIndex: port, dcbNeighborIndex: 1}, values: {
		dcbNeighborSystemName: "<img src=x>" + "x".repeat(200), dcbNeighborPortId: "Ethernet7",
		dcbNeighborChassisId: "02-00-00-00-00-01", dcbNeighborTlvs: "ets,pfc", dcbNeighborMalformedTlvs: "none"}};
	state.slow = {...state.slow, dcbNeighborTable: [row, {...row, index: {...row.index, dcbNeighborIndex: 2}}]};
	show();
	const heard = document.querySelector("#neighbors tbody tr");
	seen.neighbor = cell("neighbor").textContent.replace(/x{200}/, "...");
	seen.heard = [...heard.cells].map((td) => td.textContent.replace(/x{200}/, "..."));
	seen.markup = document.querySelectorAll("img").length;
	seen.wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
	return seen;
})()'

test_page_shows_the_values_of_dcbctl() {
	local i size
	i=$(ifindex swp2)
	in_browser "$page_values" 1280x800 390x844
	is "windows" "$(wc -l <$T/seen)" 2
	for size in 1280x800 390x844; do
		jq -c --arg size $size 'select(.size == $size)' $T/seen >$T/window
		seen() { jq -r ".value.$1 | if type == \"array\" then join(\" \") else . end" $T/window; }
		at_most "$size: width of the window" "$(seen width)" "${size%x*}" # less with a scroll bar
		is "$size: width of the page" "$(seen scroll)" "$(seen width)"
		is "$size: ports" "$(seen ports)" "swp1 swp2"
		is "$size: rate" "$(seen rate)" "10 Mbit/s"
		is "$size: priorities with PFC" "$(seen pfc)" 4
		is "$size: storms" "$(seen storms)" "$(shown dcbPfcWatchdogStorms.$i.4)"
		is "$size: last storm" "$(seen storm)" "swp2 4"
		is "$size: priorities with pauses" "$(seen pauses)" "swp2 4"
		is "$size: set point" "$(seen setPoint)" "$(shown ieee8021CnCpQueueSizeSetPoint.1.$i.3)"
		is "$size: queue" "$(seen queue)" "$(shown dcbCpQueueLength.1.$i.3)"
		is "$size: state" "$(seen live)" up
		like "$size: facts" "$(seen facts)" '^bridge, 2 ports, version '
		is "$size: neighbor of swp2" "$(seen neighbor)" "<img src=x>... Ethernet7, 1 more"
		is "$size: neighbors" "$(seen heard)" "swp2 <img src=x>... Ethernet7 02-00-00-00-00-01 ets, pfc heard"
		is "$size: elements made of a neighbor's text" "$(seen markup)" 0
		is "$size: pixels to scroll to the right because of long texts" "$(seen wider)" 0
		is "$size: errors" "$(jq -c .errors $T/window)" '[]'
		at_least "$size: requests" "$(jq '.requests | length' $T/window)" 5
		is "$size: requests to others" \
			"$(jq -r --arg url $url/ '.requests[] | select(startswith($url) | not)' $T/window)" ""
		at_least "$size: octets of the screenshot" "$(wc -c <"$build/page/$size.png")" 10000
	done
}

# A page from elsewhere cannot include it, and it can load nothing from elsewhere.
test_page_has_a_strict_policy() {
	local path policy
	for path in / /page.js /page.css /page.svg; do
		fetch $path
		is "status of $path" "$status" 200
		policy=$(grep -i '^content-security-policy:' $T/head)
		like "policy of $path" "$policy" "default-src 'none'; script-src 'self'; style-src 'self'"
		[[ ! $policy =~ unsafe|\*|http|data: ]] || fail "$path: $policy"
	done
	fetch /
	is "addresses of others" "$(grep -c '//' $T/body)" 0
	is "scripts and styles within" "$(grep -ciE '<style|style=|<script>| on[a-z]+=' $T/body)" 0
}

test_other_methods_and_paths_are_refused() {
	fetch /metrics -I
	is "status of HEAD" "$status" 200
	is "octets of its body" "$(wc -c <$T/body)" "$(wc -c <$T/head)"
	fetch /metrics -X POST -d x
	is "status of POST" "$status" 405
	like "Allow" "$(grep -i '^allow' $T/head)" 'GET, HEAD'
	fetch /metrics -X DELETE
	is "status of DELETE" "$status" 405
	fetch /../etc/passwd --path-as-is
	is "status of another path" "$status" 404
	fetch /metrics/
	is "status of a longer path" "$status" 404
	fetch "/metrics?$(printf 'x%.0s' {1..9000})"
	like "status of a long request" "$status" '^(4..|000)$'
	fetch /metrics
	is "status after all of these" "$status" 200
}

# say TEXT: opens a connection, $client, and sends the text. dcb-exporter can close it before the end of a
# wrong one: in the shell itself, printf would end the test by SIGPIPE.
say() {
	exec {client}<>/dev/tcp/127.0.0.1/$port || return
	(printf %b "$1") 2>/dev/null 1>&"$client" || true
}
scrapes() { metric dcb_up "${1-1}" && [ "$status" = 200 ]; }
# connections: those that dcb-exporter has open.
connections() {
	local names
	names=$(readlink /proc/"${pid_of[exporter]}"/fd/* | grep -c '^socket:')
	echo $((names - 2)) # the listening socket, and the one to dcbd
}
none_connected() { [ "$(connections)" -le 0 ]; }

test_slow_clients_delay_no_other() {
	local open=() i
	# Half a request, garbage, two requests in one segment, and one whose answer is not read.
	for i in 'GET /met' '\x00\xff\xfe\r\n\r\n' 'GET /metrics HTTP/1.1\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n' \
		'GET /metrics?collect[]=full HTTP/1.1\r\nHost: x\r\n\r\n'; do
		say "$i"
		open+=("$client")
	done
	clock
	i=$now
	scrapes || fail "no scrape beside slow clients: $status"
	clock
	timed at_most "ms of a scrape beside slow clients" $((now - i)) 500
	for client in "${open[@]}"; do exec {client}>&-; done
	wait_for 20 "the connections are closed" none_connected
	scrapes || fail "no scrape after slow clients: $status"
}

test_connections_are_limited() {
	local open=() i
	for ((i = 0; i < 100; i++)); do
		say 'GET /met'
		open+=("$client")
	done
	wait_for 10 "connections wait" logged exporter 'too many connections'
	at_most "open files" "$(ls /proc/"${pid_of[exporter]}"/fd | wc -l)" 64
	# A client that waits is served when others leave.
	exec {waiting}<>/dev/tcp/127.0.0.1/$port
	printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$waiting"
	for client in "${open[@]}"; do exec {client}>&-; done
	timeout $((30 * patience)) cat <&"$waiting" >$T/waited
	exec {waiting}>&-
	is "dcb_up of the client that waited" "$(awk '$1 == "dcb_up" { print $2 }' $T/waited)" 1
	wait_for 30 "the connections are closed" none_connected
}

test_goes_on_while_dcbd_is_stopped() {
	say 'GET /met' # for test_idle_connections_are_closed
	idle=$client
	while_stopped dcbd scrapes 0 || fail "stopped dcbd: status $status, dcb_up $(sample dcb_up)"
	is "metrics" "$(grep -cv '^#' $T/body)" 1
	wait_for 10 "dcbd answers again" scrapes 1
}

test_dcbd_may_end_and_start_again() {
	stop dcbd
	scrapes 0 || fail "without dcbd: status $status, dcb_up $(sample dcb_up)"
	is "metrics" "$(grep -cv '^#' $T/body)" 1
	lint $T/body >$T/lint
	is "findings of promtool" "$(cat $T/lint)" ""
	fetch /tables.json
	is "status of the tables" "$status" 503
	like "reason" "$(jq -r .error $T/body)" "^$T/view: "
	in_browser 'document.body.className === "down" ? document.getElementById("live-text").textContent : null' 1024x600
	like "page" "$(jq -r .value $T/seen)" "^no rows of dcbd since .*: $T/view: "
	start_dcbd
	wait_for 10 "a scrape of the new dcbd" scrapes 1
	is "frames of the new dcbd" "$(sample 'dcb_port_rx_frames_total{port="swp1"}')" 0
}

test_has_no_privileges() {
	local pid=${pid_of[exporter]}
	! $many_users || is "user and groups" "$(sed -n 's/^\(Uid\|Groups\):\s*//p' /proc/$pid/status | tr '\t\n' '  ' | sed 's/ *$//')" \
		"$other $other $other $other"
	is "capabilities" "$(sed -n 's/^Cap\(Prm\|Eff\|Bnd\):\s*//p' /proc/$pid/status | sort -u)" 0000000000000000
	is "no_new_privs" "$(sed -n 's/^NoNewPrivs:\s*//p' /proc/$pid/status)" 1
	! has_filter || is "seccomp" "$(sed -n 's/^Seccomp:\s*//p' /proc/$pid/status)" 2
}

test_reports_errors_of_the_command_line() {
	is "address in use" "$($bin/dcb-exporter -l 127.0.0.1:$port 2>&1 | sed 's/.*exporter: //')" \
		"127.0.0.1:$port: Address already in use"
	like "name of a host" "$($bin/dcb-exporter -l localhost:$port 2>&1)" \
		"localhost:$port: expected ADDRESS:PORT, for example 127\.0\.0\.1:9921"
	like "level" "$($bin/dcb-exporter -L loud 2>&1)" '^dcb-exporter: -L loud: expected error, warn'
}

test_idle_connections_are_closed() {
	local rc=0
	read -rt $((30 * patience)) _ <&"$idle" || rc=$?
	is "status of read at the end of the connection" $rc 1
	exec {idle}>&-
}

# Of 64 ports an answer is longer than what the kernel takes for a client that does not read.
test_answers_are_limited_and_complete() {
	local open=() i
	stop dcbd
	dcbd_conf 'memory_ports = 64;'
	start_dcbd
	for i in {1..8}; do
		say 'GET /metrics?collect[]=full HTTP/1.1\r\nHost: x\r\n\r\n'
		open+=("$client")
	done
	too_many() { fetch /metrics && [ "$status" = 503 ]; }
	wait_for 10 "status 503" too_many
	# Within SERVER_IDLE_S, so nothing else comes before.
	timeout $((30 * patience)) cat <&"${open[0]}" >$T/late
	is "Retry-After" "$(grep -ci '^retry-after: 1' $T/head)" 1
	fetch /
	is "status of the page" "$status" 200
	is "end of the answer that was read late" "$(tail -n 2 $T/late | tr -d '\r')" "0"
	at_least "its samples" "$(grep -c '^dcb_' $T/late)" 50000
	for client in "${open[@]}"; do exec {client}>&-; done
	wait_for 20 "the connections are closed" none_connected
	scrapes || fail "no scrape after slow clients: $status"
	is "ports" "$(sample dcb_agent_ports)" 64
}

# resident: the memory of dcb-exporter, in KiB.
resident() { awk '/^VmRSS/ { print $2 }' /proc/"${pid_of[exporter]}"/status; }
# flood TEXT: sends the text and 128 MiB of zeros, until dcb-exporter closes the connection.
flood() {
	local before
	before=$(resident)
	say "$1"
	{ timeout $((30 * patience)) head -c 128M /dev/zero >&"$client"; } 2>/dev/null &&
		fail "all zeros were taken after $1"
	at_most "KiB of memory after $1" $(($(resident) - before)) 32768
	exec {client}>&-
}

# The length of a chunk has no end; then a client sends without end while it does not read its
# answer, of 64 ports.
test_input_is_limited() {
	flood 'GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'
	flood 'GET /metrics?collect[]=full HTTP/1.1\r\nHost: x\r\n\r\n'
	wait_for 20 "the connections are closed" none_connected
	scrapes || fail "no scrape after the floods: $status"
}

# Octet by octet, never idle, a request is not complete in time.
test_requests_have_a_deadline() {
	local sent=0 start
	say 'GET /'
	clock
	start=$now
	while [ $((now - start)) -lt $((60000 * patience)) ] && ! read -rt 0 -u "$client" &&
		printf x >&"$client"; do
		sent=$((sent + 1))
		pause 0.5
		clock
	done 2>/dev/null
	exec {client}>&-
	at_least "ms of the request" $((now - start)) 15000
	at_most "ms of the request" $((now - start)) $((60000 * patience - 1))
	at_least "its octets" $sent 1
	scrapes || fail "no scrape after the slow request: $status"
}

# As with dcb-exporter.socket: the first connection starts the program.
test_takes_the_socket_of_systemd() {
	stop exporter
	start activate setpriv "${user[@]}" -- systemd-socket-activate -l 127.0.0.1:$port $bin/dcb-exporter -s $T/view
	wait_for 10 "systemd-socket-activate listens" logged activate Listening
	wait_for 10 "a scrape" scrapes 1
	logged activate "listening at 127.0.0.1:$port" || fail "dcb-exporter did not take the socket"
	stop activate
}

run_tests
