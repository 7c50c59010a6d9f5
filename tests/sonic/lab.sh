# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Sourced: a redis-server as that of a SONiC switch.

# sonic_config SOCKET: prints a database_config.json whose databases are in the redis-server of this socket.
sonic_config() {
	printf '{"INSTANCES": {"redis": {"unix_socket_path": "%s"}}, "DATABASES": {' "$1"
	printf '"%s": {"id": %s, "separator": "%s", "instance": "redis"}, ' APPL_DB 0 : COUNTERS_DB 2 : CONFIG_DB 4 '|'
	printf '"STATE_DB": {"id": 6, "separator": "|", "instance": "redis"}}}\n'
}

# sonic_redis SOCKET DIR [OPTION...]: becomes the redis-server, which keeps nothing.
sonic_redis() {
	socket=$1 dir=$2
	shift 2
	exec redis-server --port 0 --unixsocket "$socket" --save '' --dir "$dir" --databases 32 \
		--notify-keyspace-events AKE "$@"
}
