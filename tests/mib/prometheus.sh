#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# contrib/prometheus has a metric for each row of mibs/*.def and no others, with
# the row's OID and type, in both layouts; index columns of octets have the length of the row. Its
# alerts pass their tests.
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

# The table that has a row for each learned address has no metrics.
without_metrics='^dcbTrillFdb'

# Lines "name type" from the rows, without optional modules.
sed -n "s,^#include \"\(.*\)\"\$,$DCB_SRCDIR/\1,p" "$mibs/all.def" |
	xargs grep -L '^OPTIONAL_TABLE' |
	xargs sed -n 's/^COL([^,]*, *[0-9]*, *\([A-Za-z0-9]*\), *\([A-Z0-9_]*\),.*/\1 \2/p' |
	grep -v "$without_metrics" |
	awk '{ print $1, $2 ~ /^COUNTER/ ? "counter" : "other" }' >"$tmp/rows"
cut -d' ' -f1 "$tmp/rows" |
	xargs snmptranslate -M "$mibs/base:$mibs" -m ALL -IR -On | grep . | sed 's/^\.//' >"$tmp/oids"
paste -d' ' "$tmp/rows" "$tmp/oids" | sort >"$tmp/expected"

awk '
	/^  - name: / { name = $3 }
	/^    oid: / { oid = $2 }
	/^    type: / { print name, $2 == "counter" ? "counter" : "other", oid }
' "$dir/snmp-0.21.yml" | sort >"$tmp/metrics"
if [ "$(wc -l <"$tmp/expected")" -lt 47 ]; then
	echo "FAIL: too few rows"
	status=1
fi
diff -u "$tmp/expected" "$tmp/metrics" || {
	echo "FAIL: run contrib/prometheus/gen.sh"
	status=1
}

# Lines "name length" of index columns that are octets, expanded from the rows, and as the module has
# them. Each metric with such an index has the length: an instance does not.
printf '%s\n' '#define TABLE(...)' '#define OPTIONAL_TABLE(...)' '#include "mibs/all.def"' |
	sed '1i #define INDEX(id, name, kind, min, max) INDEX name kind max' |
	${CC:-cc} -E -P -I "$DCB_SRCDIR" -x c - | grep -o 'INDEX [A-Za-z0-9]* OCTETS [0-9]*' |
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
	echo "FAIL: fixed_size of index columns: run contrib/prometheus/gen.sh"
	status=1
}

"$dir/gen.sh" --wrap <"$dir/snmp-0.21.yml" | diff -u "$dir/snmp-0.23.yml" - || {
	echo "FAIL: snmp-0.23.yml differs from snmp-0.21.yml converted by gen.sh --wrap"
	status=1
}

# Every metric and label in an alert exists.
used=$(grep -o '\(dcb\|ieee8021\)[A-Z][A-Za-z0-9]*' "$dir/dcb.rules.yml" | sort -u)
for metric in $used; do
	grep -q "\(name\|labelname\): $metric\$" "$dir/snmp-0.21.yml" || {
		echo "FAIL: dcb.rules.yml uses unknown metric $metric"
		status=1
	}
done
if command -v promtool >/dev/null; then
	promtool test rules "$dir/dcb.rules.test.yml" || status=1
else
	echo "promtool not found (Debian: prometheus): alerts not tested"
fi
exit $status
