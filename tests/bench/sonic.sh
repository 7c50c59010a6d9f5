#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sonic.sh BUILD-DIR [PORTS [TURNS]]: measures what the databases of a SONiC switch cost dcbd, on a redis-server of its
# own with those that tests/sonic/switch.sh prints.
set -eu

build=$(readlink -f -- "$1")
here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=tests/sonic/lab.sh
. "$here/../sonic/lab.sh"
work=$(mktemp -d)
server=
# shellcheck disable=SC2317 # called by trap
cleanup() {
	[ -z "$server" ] || kill "$server"
	rm -rf "$work"
}
trap cleanup EXIT

(sonic_redis "$work/socket" "$work" >"$work/log") &
server=$!
for _ in $(seq 100); do
	[ ! -S "$work/socket" ] || break
	sleep 0.1
done
sonic_config "$work/socket" >"$work/database_config.json"
for kind in mellanox broadcom vs; do
	echo flushall | redis-cli -s "$work/socket" >/dev/null
	sh "$here/../sonic/switch.sh" $kind "${2:-128}" | redis-cli -e -s "$work/socket" >/dev/null
	printf '%s: ' $kind
	"$build/tests/bench/bench_sonic" "$work/database_config.json" "$server" "${3:-60}"
done
