# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Sourced: a redis-server as that of a SONiC switch.

# sonic_config SOCKET: prints a database_config.json whose databases are in the redis-server of this socket.
sonic_config() {
	printf '{"INSTANCES": {"redis": {"unix_socket_path": "%s"}}, "DATABASES": {' "$1"
	printf '"%s": {"id": %s, "separator": "%s", "instance": "redis"}, ' APPL_DB 0 : ASIC_DB 1 : COUNTERS_DB 2 : CONFIG_DB 4 '|'
	printf '"STATE_DB": {"id": 6, "separator": "|", "instance": "redis"}}}\n'
}

# sonic_bus DIR: becomes the system bus of the host, at DIR/bus.
sonic_bus() {
	cat >"$1/bus.conf" <<-EOF
		<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
		 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
		<busconfig>
		  <type>system</type>
		  <listen>unix:path=$1/bus</listen>
		  <auth>EXTERNAL</auth>
		  <policy context="default"><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy>
		</busconfig>
	EOF
	exec dbus-daemon --config-file="$1/bus.conf" --nofork --nopidfile --nosyslog
}

# sonic_redis SOCKET DIR [OPTION...]: becomes the redis-server, which keeps nothing.
sonic_redis() {
	socket=$1 dir=$2
	shift 2
	exec redis-server --port 0 --unixsocket "$socket" --save '' --dir "$dir" --databases 32 \
		--notify-keyspace-events AKE "$@"
}
