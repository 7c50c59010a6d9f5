#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Groups and compliance statements are those of the facts. MIBS: directory of the modules.
set -eu
mibs=${MIBS:-$DCB_SRCDIR/mibs}
tests=$DCB_SRCDIR/tests/mib
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# In the order of the facts: for each module, groups and then compliance.
for module in CN PFC; do
	awk -f "$tests/groups.awk" "$mibs/IEEE8021-$module-MIB.txt" >"$tmp/all"
	grep '^group' "$tmp/all" || :
	grep -v '^group' "$tmp/all" || :
done >"$tmp/modules"
diff -u "$tests/facts/groups-and-compliance.txt" "$tmp/modules"
