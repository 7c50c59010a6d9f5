#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sonic.sh BUILD-DIR [PORTS [TURNS]]: measures what the databases of a SONiC switch cost dcbd, on a redis-server of its
# own with those that tests/sonic/switch.sh prints.
set -eu

build=$(readlink -f -- "$1")
here=$(dirname -- "$(readlink -f -- "$0")")
work=$(mktemp -d)
server=
# shellcheck disable=SC2317 # called by trap
cleanup() {
	[ -z "$server" ] || kill "$server"
	rm -rf "$work"
}
trap cleanup EXIT

redis-server --port 0 --unixsocket "$work/socket" --save '' --dir "$work" --databases 32 \
	--notify-keyspace-events AKE >"$work/log" &
server=$!
for _ in $(seq 100); do
	[ ! -S "$work/socket" ] || break
	sleep 0.1
done
db() { printf '"%s": {"id": %s, "separator": "%s", "instance": "redis"}' "$@"; }
cat >"$work/database_config.json" <<-END
	{"INSTANCES": {"redis": {"unix_socket_path": "$work/socket"}},
	"DATABASES": {$(db APPL_DB 0 :), $(db COUNTERS_DB 2 :), $(db CONFIG_DB 4 '|'), $(db STATE_DB 6 '|')}}
END
for kind in mellanox broadcom vs; do
	echo flushall | redis-cli -s "$work/socket" >/dev/null
	sh "$here/../sonic/switch.sh" $kind "${2:-128}" | redis-cli -e -s "$work/socket" >/dev/null
	printf '%s: ' $kind
	"$build/tests/bench/bench_sonic" "$work/database_config.json" "$server" "${3:-60}"
done
