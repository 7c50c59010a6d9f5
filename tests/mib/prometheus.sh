#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Module dcb_full of contrib/prometheus has a metric for each row of mibs/*.def and no others, with
# the row's OID and type, in both layouts, and module dcb those with VIEW(..., SNMP); index columns of octets have
# the length of the row. The rules use metrics of module dcb, and their alerts pass their tests.
set -eu
dir=$DCB_SRCDIR/contrib/prometheus
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

# The tables that have a row for each learned address have no metrics, nor the numbers of ports.
without_metrics='^dcbPfcPause\|^dcbTrillFdb\|^dcbFdb[^F]\|^dot1'

# Lines "name type" from the rows, without optional modules.
sed -n "s,^#include \"\(.*\)\"\$,$DCB_SRCDIR/\1,p" "$mibs/all.def" |
	xargs grep -L '^OPTIONAL_TABLE' |
	xargs sed -n 's/^COL([^,]*, *[0-9]*, *\([A-Za-z0-9]*\), *\([A-Z0-9_]*\),.*/\1 \2/p' |
	grep -v "$without_metrics" |
	awk '{ print $1, $2 ~ /^COUNTER/ ? "counter" : "other" }' >"$tmp/rows"
cut -d' ' -f1 "$tmp/rows" |
	xargs snmptranslate -M "$mibs/base:$mibs" -m ALL -IR -On | grep . | sed 's/^\.//' >"$tmp/oids"
paste -d' ' "$tmp/rows" "$tmp/oids" | sort >"$tmp/expected"

# metrics_of MODULE: lines "name type OID".
metrics_of() {
	awk -v wanted="$1:" '
		/^[^ #]/ { module = $1 }
		module != wanted { next }
		/^  - name: / { name = $3 }
		/^    oid: / { oid = $2 }
		/^    type: / { print name, $2 == "counter" ? "counter" : "other", oid }
	' "$dir/snmp-0.21.yml" | sort
}
metrics_of dcb_full >"$tmp/metrics"
metrics_of dcb >"$tmp/few"
if [ "$(wc -l <"$tmp/expected")" -lt 47 ]; then
	echo "FAIL: too few rows"
	status=1
fi
diff -u "$tmp/expected" "$tmp/metrics" || {
	echo "FAIL: run contrib/regenerate.sh"
	status=1
}
# Module dcb has the objects with VIEW(..., SNMP).
awk -v view=SNMP -v each=1 -f "$mibs/seen.awk" "$mibs"/*.def | sort >"$tmp/seen"
cut -d' ' -f1 "$tmp/few" | diff -u "$tmp/seen" - || {
	echo "FAIL: module dcb: run contrib/regenerate.sh"
	status=1
}

# Lines "name length" of index columns that are octets, expanded from the rows, and as the module has
# them. Each metric with such an index has the length: an instance does not.
printf '%s\n' '#define TABLE(...)' '#define OPTIONAL_TABLE(...)' '#include "mibs/all.def"' |
	sed '1i #define INDEX(id, name, kind, min, max) INDEX name kind max' |
	${CC:-cc} -E -P -I "$DCB_SRCDIR" -x c - | grep -oE 'INDEX [A-Za-z0-9]+ (ADDRESS|CPID) [0-9]+' |
	cut -d' ' -f2,4 | grep -v "$without_metrics" | sort -u >"$tmp/lengths"
awk '
	size_is_due { print label, $1 == "fixed_size:" ? $2 : "without fixed_size" }
	{ size_is_due = is_label && $2 ~ /^(OctetString|PhysAddress48)$/; is_label = 0 }
	/^    - labelname: / { label = $3; is_label = 1 }
' "$dir/snmp-0.21.yml" | sort -u >"$tmp/sizes"
grep -q '^ieee8021CnCpidToIfCpid 8$' "$tmp/lengths" || {
	echo "FAIL: no length of a CPID in the rows"
	status=1
}
diff -u "$tmp/lengths" "$tmp/sizes" || {
	echo "FAIL: fixed_size of index columns: run contrib/regenerate.sh"
	status=1
}

"$dir/gen.sh" --wrap <"$dir/snmp-0.21.yml" | diff -u "$dir/snmp-0.23.yml" - || {
	echo "FAIL: snmp-0.23.yml differs from snmp-0.21.yml converted by gen.sh --wrap"
	status=1
}

# Every SNMP metric of a rule is in module dcb, and every label in the module too. Comments and texts
# for people name other objects.
rules=$dir/dcb.rules.yml
used=$(grep -vE '^ *(#|summary:|description:)' "$rules" |
	grep -o '\<\(dcb\|ieee8021\)[A-Z][A-Za-z0-9]*' | sort -u)
for name in $used; do
	sed -n '/^dcb:/,/^dcb_full:/p' "$dir/snmp-0.21.yml" | grep -q "\(name\|labelname\): $name\$" || {
		echo "FAIL: dcb.rules.yml uses $name, which module dcb does not have"
		status=1
	}
done
[ "$(echo "$used" | wc -l)" -gt 30 ] || {
	echo "FAIL: too few metrics in dcb.rules.yml"
	status=1
}

# Alerts use recorded series only, have a severity and a section of doc/operating.md, and are tested
# both with and without their fault.
awk '/- alert:/ { print $3 }' "$rules" >"$tmp/alerts"
awk '/- alert:/ { alert = 1 } alert && /^    expr:/' "$rules" | grep -oE '\<dcb:[a-z0-9_:]+' | sort -u |
	while read -r series; do
		grep -qx "  - record: $series" "$rules" || echo "FAIL: an alert uses unknown series $series"
	done | grep . && status=1
while read -r alert; do
	sed -n "/- alert: $alert\$/,/runbook_url/p" "$rules" >"$tmp/alert"
	section=$(echo "$alert" | tr '[:upper:]' '[:lower:]')
	for wanted in 'severity: (info|warning|critical)}$' "runbook_url: doc/operating.md#$section\$"; do
		grep -qE "$wanted" "$tmp/alert" || {
			echo "FAIL: $alert: expected $wanted"
			status=1
		}
	done
	grep -q "alertname: $alert, exp_alerts: \[\]}" "$dir/dcb.rules.test.yml" || {
		echo "FAIL: $alert is not tested without its fault"
		status=1
	}
	grep -A 2 "alertname: $alert\$" "$dir/dcb.rules.test.yml" | grep -q exp_labels || {
		echo "FAIL: $alert is not tested with its fault"
		status=1
	}
done <"$tmp/alerts"
[ "$(wc -l <"$tmp/alerts")" -ge 16 ] || {
	echo "FAIL: too few alerts"
	status=1
}

if command -v promtool >/dev/null; then
	promtool test rules "$dir/dcb.rules.test.yml" || status=1
else
	echo "promtool not found (Debian: prometheus): alerts not tested"
fi
exit $status
