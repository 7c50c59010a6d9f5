#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# contrib/zabbix: the OIDs are those of the objects that the keys name, in the MIB modules and in the
# golden tree; value maps have the names of the modules; each alert of contrib/prometheus has a
# trigger. tests/system/zabbix.sh imports the template into Zabbix.
set -eu
template=$DCB_SRCDIR/contrib/zabbix/dcb-agent-6.0.yaml
golden=$DCB_SRCDIR/tests/mib/golden.txt
mibs=$DCB_SRCDIR/mibs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/cert_indexes"
SNMPCONFPATH=$tmp SNMP_PERSISTENT_DIR=$tmp
export SNMPCONFPATH SNMP_PERSISTENT_DIR
status=0

command -v snmptranslate >/dev/null || {
	echo "snmptranslate not found (Debian: snmp)"
	exit 77
}
translate() { snmptranslate -M "$mibs/base:$mibs" -m ALL "$@"; }
fail() {
	echo "FAIL: $*"
	status=1
}

# Lines "OBJECT OID" of items: the key has the object and the index in brackets.
sed -n "s/^ *snmp_oid: '*\([^']*\)'*\$/oid \1/p; s/^ *key: '*\([^']*\)'*\$/key \1/p" "$template" >"$tmp/lines"
awk '
	$1 == "oid" && $2 ~ /^[0-9.]+(\.[{]#[A-Z]+[}])?$/ { oid = $2; next }
	$1 == "key" && oid { sub(/^[^[]*\[/, "", $2); sub(/\]$/, "", $2); print $2, oid }
	{ oid = "" }
' "$tmp/lines" >"$tmp/items"
[ "$(wc -l <"$tmp/items")" -ge 50 ] || fail "only $(wc -l <"$tmp/items") items"
cut -d. -f1 "$tmp/items" | xargs snmptranslate -M "$mibs/base:$mibs" -m ALL -IR -On | grep . | sed 's/^\.//' |
	paste -d' ' "$tmp/items" - >"$tmp/compared"
# Fields: object and index, OID, OID of the object in the module.
awk '{ index_part = $1; sub(/^[^.]*\./, "", index_part); if ($2 != $3 "." index_part) print }' "$tmp/compared" |
	while read -r key oid object; do
		echo "FAIL: $key has OID $oid, $object in the module"
	done >"$tmp/wrong"
cat "$tmp/wrong"
[ ! -s "$tmp/wrong" ] || status=1
while read -r key oid object; do
	grep -q "^\.$object\.[0-9.]* ${key%%.*} " "$golden" || fail "$key with OID $oid is not in golden.txt"
done <"$tmp/compared"

# Columns of discovery rules.
sed -n 's/^oid discovery\[\(.*\)\]$/\1/p' "$tmp/lines" | tr ',' '\n' | grep '^[0-9]' | sort -u >"$tmp/columns"
[ -s "$tmp/columns" ] || fail "no discovery rules"
while read -r oid; do
	grep -q "^\.$oid\.[0-9]" "$golden" || fail "discovery of $oid, which is not in golden.txt"
done <"$tmp/columns"

# Lines "MODULE::OBJECT VALUE NAME" of value maps, and the same from the modules. A value of BITS is
# the first octet.
awk '
	/^      valuemaps:$/ { inside = 1 }
	inside && $1 == "name:" { gsub(/\047/, ""); map = $2 }
	inside && $1 == "value:" { gsub(/\047/, ""); value = $2 }
	inside && $1 == "newvalue:" && value != "" { gsub(/\047/, ""); print map, value, $2; value = "" }
	/^[^ ]|^  [^ ]/ { inside = 0 }
' "$template" | sort >"$tmp/maps"
cut -d' ' -f1 "$tmp/maps" | sort -u >"$tmp/map_names"
while read -r map; do
	# TruthValue is not an object: one with this syntax.
	object=$map
	[ "$map" != SNMPv2-TC::TruthValue ] || object=DCB-AGENT-MIB::dcbPortOperational
	translate -Td "$object" | tr -d '\n' | sed -n 's/.*SYNTAX[^{]*\(BITS\|INTEGER\)[^{]*{\([^}]*\)}.*/\1 \2/p' |
		awk -v map="$map" '{
			bits = $1 == "BITS"
			if (bits) print map, 0, "none"
			gsub(/[ ,]+/, " "); n = split($0, names, " ")
			for (i = 2; i <= n; i++) {
				split(names[i], part, /[()]/)
				print map, bits ? 2 ^ (7 - part[2]) : part[2], part[1]
			}
		}'
done <"$tmp/map_names" | sort >"$tmp/module_maps"
[ -s "$tmp/module_maps" ] || fail "no value maps"
diff -u "$tmp/module_maps" "$tmp/maps" || fail "value maps differ from the modules"

sed -n 's/^  - alert: //p' "$DCB_SRCDIR/contrib/prometheus/dcb.rules.yml" | sort >"$tmp/alerts"
[ -s "$tmp/alerts" ] || fail "no alerts in dcb.rules.yml"
awk '$1 == "value:" && tag == "alert" { print $2 } { tag = $1 == "tag:" ? $2 : "" }' "$template" | sort >"$tmp/triggers"
comm -23 "$tmp/alerts" "$tmp/triggers" | grep . && fail "alerts of dcb.rules.yml without a trigger"
uniq -d "$tmp/triggers" | grep . && fail "alerts with several triggers"

sed -n 's/^ *\(- \)*uuid: //p' "$template" | sort | uniq -d | grep . && fail "uuid used twice"
exit $status
