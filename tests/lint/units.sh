#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# systemd-analyze accepts our units and rates their exposure as low.
set -e
command -v systemd-analyze >/dev/null || { echo "systemd-analyze is not installed"; exit 77; }
worst=25 # maximum exposure level in tenths; the units have 24, 15 and 12
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for unit in dcbd dcb-agentx dcb-exporter; do
	# verify needs programs that exist; ours may not be installed.
	sed "s|^\(Exec[A-Za-z]*\)=[^ ]*/$unit |\1=/bin/true |" contrib/systemd/$unit.service >"$dir/$unit.service"
done
cp contrib/systemd/dcb-exporter.socket "$dir"
# The example is a drop-in of these.
for unit in dcbd dcb-agentx; do
	mkdir "$dir/$unit.service.d"
	cp "$DCB_SRCDIR/contrib/systemd/affinity.conf" "$dir/$unit.service.d"
done
grep -q '^ExecStart=/bin/true' "$dir/dcbd.service"
said=$(systemd-analyze verify --man=no "$dir/dcbd.service" "$dir/dcb-agentx.service" "$dir/dcb-exporter.service" \
	"$dir/dcb-exporter.socket" 2>&1) || {
	echo "$said"
	exit 1
}
[ -z "$said" ] || { echo "$said"; exit 1; }
for unit in dcbd dcb-agentx dcb-exporter; do
	systemd-analyze security --offline=true --threshold=$worst "$dir/$unit.service" || exit 1
done
