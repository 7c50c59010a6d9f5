#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The template of contrib/zabbix on Debian's Zabbix server, with a database and a frontend of the
# test's own: it is imported as users import it, monitors a bridge over SNMPv3, discovers its ports,
# and raises and ends problems.
#
#   h1 - sw1       h2 - sw2       data from h1, PFC frames from h2
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

template=$src/contrib/zabbix/dcb-agent-6.0.yaml
schema=/usr/share/zabbix-server-pgsql
frontend=/usr/share/zabbix
postgres=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
[ -d $schema ] || skip_all "zabbix_server not found (Debian: zabbix-server-pgsql)"
[ -d $frontend ] || skip_all "Zabbix' frontend not found (Debian: zabbix-frontend-php)"
[ -x "$postgres/initdb" ] || skip_all "initdb not found (Debian: postgresql)"
for program in php jq zabbix_js; do
	command -v $program >/dev/null || skip_all "$program not found"
done
$many_users || skip_all "postgres needs a user other than root"

# --- Zabbix ----------------------------------------------------------------------------------------

Z=$T/zabbix
web=127.0.0.1:8080
mkdir -m 755 $Z $Z/etc
chown nobody:nogroup $Z
# The mount namespace hides the machine's configuration.
mount --bind $Z/etc /etc/zabbix || die "cannot replace /etc/zabbix"
printf '%s\n' '<?php' "\$DB = ['TYPE' => 'POSTGRESQL', 'SERVER' => '$Z', 'PORT' => '5432'," \
	"'DATABASE' => 'zabbix', 'USER' => 'zabbix', 'PASSWORD' => '', 'SCHEMA' => ''," \
	"'ENCRYPTION' => false, 'DOUBLE_IEEE754' => true];" \
	"\$ZBX_SERVER = '127.0.0.1'; \$ZBX_SERVER_PORT = '10051'; \$ZBX_SERVER_NAME = 'test';" \
	"\$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;" >$Z/etc/zabbix.conf.php
cat >$Z/etc/zabbix_server.conf <<-END
	LogType=console
	PidFile=$Z/server.pid
	SocketDir=$Z
	ListenIP=127.0.0.1
	DBHost=$Z
	DBName=zabbix
	DBUser=zabbix
	CacheUpdateFrequency=1
	HousekeepingFrequency=0
	StartPollers=2
	StartPollersUnreachable=1
	StartPreprocessors=1
	StartHistoryPollers=1
	StartDBSyncers=1
	StartEscalators=1
	StartAlerters=1
	StartTrappers=1
	StartPingers=0
	StartDiscoverers=0
	StartHTTPPollers=0
	StartODBCPollers=0
	Timeout=20
END

# Both servers have child processes: each server is process 1 of a namespace, whose end is the end of
# all its processes. SIGTERM goes to process 1 itself.
unprivileged=(setpriv --reuid=nobody --regid=nogroup --clear-groups --pdeathsig KILL --)
start_server() { # NAME COMMAND...
	start "$1" unshare --pid --fork -- "${unprivileged[@]}" "${@:2}"
}
stop_server() { # NAME SIGNAL
	local pid=${pid_of[$1]} first
	read -r first <"/proc/$pid/task/$pid/children"
	kill "-$2" "$first"
	wait_for 20 "the end of $1" gone "$pid" || kill -KILL "$first"
	wait "$pid" || fail "$1 ended with status $?"
	unset "pid_of[$1]"
}

sql() { "$postgres/psql" -qX -v ON_ERROR_STOP=1 -h $Z -U zabbix "$@"; }
start_database() {
	"${unprivileged[@]}" "$postgres/initdb" --no-sync -A trust -U zabbix -E UTF8 --locale=C $Z/data \
		>$T/initdb.log 2>&1 || die "initdb: $(tail -n 5 $T/initdb.log)"
	start_server postgres "$postgres/postgres" -D $Z/data -k $Z -c listen_addresses= -c fsync=off \
		-c full_page_writes=off -c synchronous_commit=off -c autovacuum=off
	wait_for 10 "the database answers" sql -d postgres -c 'SELECT 1' || die "the database does not answer"
	sql -d postgres -c 'CREATE DATABASE zabbix' || die "no database"
	# The settings of a new server, without the templates that come with it.
	{
		zcat $schema/schema.sql.gz
		zcat $schema/data.sql.gz | sed '/^INSERT INTO hosts /Q'
		echo 'COMMIT;'
	} | sql -d zabbix >$T/schema.log 2>&1 || die "schema: $(tail -n 5 $T/schema.log)"
}
start_zabbix() {
	SNMP_PERSISTENT_DIR=$Z start_server zabbix zabbix_server -f -c /etc/zabbix/zabbix_server.conf
	start php "${unprivileged[@]}" php -d session.save_path=$Z -d post_max_size=16M -d max_execution_time=300 \
		-d memory_limit=256M -S $web -t $frontend
}

# api METHOD PARAMETERS: a call of Zabbix' API; its result is in $T/result. $token is the session. Fails if
# there is no answer within two minutes: the import of the template takes seconds on an idle machine.
token=null
api() {
	local server status
	: >$T/answer
	jq -nc --arg method "$1" --argjson params "$2" --argjson auth "$token" \
		'{jsonrpc: "2.0", id: 1, $method, $params, $auth}' >$T/request
	exec {server}<>"/dev/tcp/${web/://}" || return
	{
		printf 'POST /api_jsonrpc.php HTTP/1.0\r\nContent-Type: application/json-rpc\r\n'
		printf 'Content-Length: %d\r\n\r\n' "$(wc -c <$T/request)"
		cat $T/request
	} >&"$server"
	timeout 120 cat <&"$server" >$T/http
	status=$?
	exec {server}>&-
	[ $status -eq 0 ] || return
	sed '1,/^\r$/d' $T/http >$T/answer
	jq -e '.result' $T/answer >$T/result
}
# must METHOD PARAMETERS: a call that has to succeed.
must() { api "$@" || fail "$1: $(head -c 500 $T/answer)"; }
# value FILTER: of the last result.
value() { jq -r "$1" $T/result; }
logged_in() { api user.login '{"username": "Admin", "password": "zabbix"}'; }

# import: the template as the frontend imports it.
import() {
	jq -Rs '{format: "yaml", source: ., rules: ({
		groups: "c", templates: "cu", items: "cud", discoveryRules: "cud", triggers: "cud", graphs: "cud",
		templateDashboards: "cud", valueMaps: "cud"} | with_entries(.value |= {
			createMissing: contains("c"), updateExisting: contains("u"), deleteMissing: contains("d")
		} | if .key == "groups" or .key == "templates" then .value |= del(.deleteMissing) else . end)
	)}' $template >$T/import
	api configuration.import "$(<$T/import)"
}

# problems ALERT: names of the problems of this trigger that last.
problems() {
	api problem.get "$(jq -nc --arg alert "$1" '{output: ["name", "severity"],
		tags: [{tag: "alert", value: $alert, operator: 1}]}')" && value '.[].name'
}
raised() { [ "$(problems "$1")" = "$2" ]; } # ALERT NAME-OF-PROBLEM
ended() { # ALERT
	local names
	names=$(problems "$1") && [ -z "$names" ]
}

# last_value KEY: of the item with this key.
last_value() {
	api item.get "$(jq -nc --arg key "$1" '{output: ["lastvalue"], filter: {key_: $key}}')" &&
		value '.[].lastvalue'
}
has_value() { [ "$(last_value "$1")" = "$2" ]; }
counted() { [[ $(last_value "$1") == [1-9]* ]]; } # KEY: the value is not 0

# --- the bridge --------------------------------------------------------------------------------------

start_database
start_zabbix
for n in 1 2; do host h$n sw$n; done
# At 10 Mb/s a PFC frame pauses for 3.4 s.
dcbd_conf 'interfaces = { include = [ "sw*" ]; };' 'defaults = { rate = 10000000L; speed = 10000000L; };' \
	'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.5"; value = "createAndGo"; },' \
	'{ object = "dcbPfcPriorityEnable"; port = "*"; index = "*.3"; value = "true"; } );'
patient_agent
start_dcbd
start_snmpd
start_agentx
sw1=$(ifindex sw1) sw2=$(ifindex sw2)
wait_for 10 "the frontend answers" logged_in || die "no login: $(head -c 500 $T/answer)"
token=$(<$T/result)

# --- tests -----------------------------------------------------------------------------------------

test_template_is_imported() {
	import || die "import: $(head -c 1000 $T/answer)"
	must template.get '{"output": ["name"], "filter": {"host": "DCB Agent by SNMP"}}'
	is "templates" "$(value '.[].name')" "DCB Agent by SNMP"
	template_id=$(value '.[].templateid')
}

# Nothing of the file was ignored, and changes made in the frontend come as a small difference.
test_export_is_the_file() {
	must configuration.export "{\"format\": \"yaml\", \"options\": {\"templates\": [$template_id]}}"
	value . | sed '/^  date: /d' >$T/exported
	sed '/^#/d; /^  date: /d' $template >$T/file
	same "the file and the export" $T/file $T/exported
}

test_ports_are_discovered() {
	must hostgroup.create '{"name": "bridges"}'
	must host.create "$(jq -nc --argjson group "$(value '.groupids[0]')" --argjson template "$template_id" \
		--arg port "${agent#*:}" '{
		host: "bridge", groups: [{groupid: $group}], templates: [{templateid: $template}],
		interfaces: [{type: 2, main: 1, useip: 1, ip: "127.0.0.1", dns: "", $port, details: {
			version: 3, bulk: 1, securityname: "rw1", securitylevel: 2, authprotocol: 3,
			authpassphrase: "authpass1", privprotocol: 1, privpassphrase: "privpass1"}}],
		macros: ({"{$DCB.INTERVAL}": "1s", "{$DCB.DISCOVERY.INTERVAL}": "2s", "{$DCB.DOWN.TIME}": "3s"} |
			to_entries | map({macro: .key, value: .value}))}')"
	printf 'dcb.%s\n' cp.queue[dcbCpQueueLength.1.{$sw1,$sw2}.5] \
		port.mismatch[dcbDcbxPortMismatch.{$sw1,$sw2}] \
		watchdog.state[dcbPfcWatchdogState.{$sw1,$sw2}.3] | sort >$T/wanted
	wait_for 20 "ports, their priorities and congestion points" discovered
	discovered || same "discovered items" $T/wanted $T/items
}
# wait_for calls it and all_read, which therefore call "api": an error of the API is no failure yet.
discovered() {
	api discoveryrule.get '{"output": ["key_"], "filter": {"state": 1}, "monitored": true}' || return
	[ "$(value length)" = 0 ] || return
	api item.get '{"output": ["key_"], "monitored": true}' || return
	value '.[].key_' | grep -E '^dcb.(cp.queue|port.mismatch|watchdog.state)\[' | sort >$T/items
	cmp -s $T/wanted $T/items
}

test_each_item_has_a_value() {
	wait_for 30 "values of all items" all_read || fail "without value: $(jq '.[:5]' $T/unread)"
	has_value "dcb.port.operational[dcbPortOperational.$sw1]" 1 || fail "sw1 is not operational"
	is "set point" "$(last_value "dcb.cp.set_point[ieee8021CnCpQueueSizeSetPoint.1.$sw1.5]")" \
		"$(get ieee8021CnCpQueueSizeSetPoint.1.$sw1.5)"
	is "XOFF" "$(last_value "dcb.pfc.xoff[dcbPfcPriorityXoff.$sw2.3]")" "$(get dcbPfcPriorityXoff.$sw2.3)"
	must item.get '{"output": ["name"], "filter": {"key_": "dcb.port.rx[dcbPortRxFrames.'$sw2']"}}'
	is "name of an item" "$(value '.[].name')" "Port sw2: Frames received"
	is "problems" "$(must problem.get '{"output": ["name"]}' && value '.[].name')" ""
}
# all_read: each item has a value. The server is told to read those without one now instead of when it is
# their time, at each call: it drops the request for an item that its copy of the database, a second
# old, does not have yet.
all_read() {
	local requests
	api item.get '{"output": ["itemid", "type", "name", "key_", "error", "state", "lastclock"],
		"monitored": true}' || return
	value '[.[] | select(.state != "0" or .lastclock == "0")]' >$T/unread
	[ "$(<$T/unread)" = '[]' ] && return
	requests=$(jq -c '[.[] | select(.type == "20") | {type: "6", request: {itemid}}]' $T/unread)
	[ "$requests" = '[]' ] || api task.create "$requests"
	return 1
}

test_bits_are_read_as_net_snmp_prints_them() {
	local printed
	must itemprototype.get "{\"templateids\": [$template_id], \"selectPreprocessing\": \"extend\",
		\"search\": {\"key_\": \"dcb.port.mismatch\"}}"
	value '.[].preprocessing[0].params' >$T/script
	while IFS= read -r printed; do
		is "octet printed as '${printed#* }'" \
			"$(zabbix_js -s $T/script -p "${printed#* }" | tr -d '\n')" "${printed%% *}"
	done <<-'END'
		0 00
		0 "00 "
		128 80
		192 "C0 "
		64 "@"
		96 `
		32 " "
		32 ""
	END
}

test_storm_raises_a_problem_and_ends_it() {
	start storm nsenter --net=/run/netns/h2 -- "$build/dcb-pfcgen" -p 3 -q 65535 -i 20ms -t 3600s eth0
	wait_for 5 "the priority is paused" holds dcbPfcPriorityPaused.$sw2.3 1
	# A pause is a storm if frames wait in it.
	on h1 "$build/tests/system/frames" send eth0 -d ff:ff:ff:ff:ff:ff -v 1 -p 3 -n 5
	wait_for 20 "the problem" raised DcbPfcWatchdogStorm "Port sw2 priority 3: PFC storm"
	timed at_most "ms from the storm to the problem" $waited 5000
	must problem.get '{"output": ["severity"], "tags": [{"tag": "port", "value": "sw2", "operator": 1}]}'
	is "severity" "$(value '.[0].severity')" 4
	wait_for 20 "PFC frames received" counted "dcb.pfc.in[dcbPfcPriorityIndications.$sw2.3]"
	stop storm
	wait_for 20 "the end of the problem" ended DcbPfcWatchdogStorm
}

# The row exists while the error lasts.
test_errored_port_raises_a_problem_and_ends_it() {
	put ieee8021CnComPriRowStatus.1.2 4
	put ieee8021CnPortPriDefModeChoice.1.5.$sw1 1 ieee8021CnPortPriAlternatePriority.1.5.$sw1 2
	wait_for 20 "the problem" raised DcbErroredPort \
		"Port sw1 priority 5: alternate priority of a CNPV is a CNPV itself"
	put ieee8021CnPortPriAlternatePriority.1.5.$sw1 1
	wait_for 20 "the end of the problem" ended DcbErroredPort
}

test_dcbd_that_is_down_raises_a_problem() {
	stop dcbd
	wait_for 20 "the problem" raised DcbAgentDown "dcb-agent does not answer"
	start_dcbd
	wait_for 20 "the end of the problem" ended DcbAgentDown
}

# Before the daemons that it reads: its log has no errors of a database that has gone.
test_server_ends() {
	stop_server zabbix TERM
	stop php INT
	stop_server postgres INT
}

run_tests
