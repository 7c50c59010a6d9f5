#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# systemd understands our units, and finds them well confined.
set -e
command -v systemd-analyze >/dev/null || { echo "systemd-analyze is not installed"; exit 77; }
worst=25 # tenths of systemd's exposure level; 19 and 15 when this was written
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for unit in dcbd dcb-agentx; do
	# verify wants programs that exist; ours may not be installed.
	sed 's|^ExecStart=[^ ]*|ExecStart=/bin/true|' contrib/systemd/$unit.service >"$dir/$unit.service"
done
grep -q '^ExecStart=/bin/true' "$dir/dcbd.service"
said=$(systemd-analyze verify --man=no "$dir/dcbd.service" "$dir/dcb-agentx.service" 2>&1) || {
	echo "$said"
	exit 1
}
[ -z "$said" ] || { echo "$said"; exit 1; }
for unit in dcbd dcb-agentx; do
	systemd-analyze security --offline=true --threshold=$worst "$dir/$unit.service" || exit 1
done
