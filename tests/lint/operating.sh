#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doc/operating.md has one section for each alert of contrib/prometheus and for each notification of
# the MIB modules, under the anchor that runbook_url has; links of the page lead to a section. Objects and commands of dcbctl that it names exist.
set -eu

cd "$DCB_SRCDIR"
page=doc/operating.md
rules=contrib/prometheus/dcb.rules.yml
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
complain() {
	echo "$page: $*"
	bad=1
}

# Sections of alarms. Their anchors are the names in lower case.
sed -n 's/^### //p' "$page" >"$dir/sections"
tr '[:upper:]' '[:lower:]' <"$dir/sections" | sort >"$dir/anchors"
for twice in $(uniq -d "$dir/anchors"); do complain "two sections #$twice"; done

sed -nE 's/^ *- alert: *//p' "$rules" >"$dir/alarms"
n_alerts=$(wc -l <"$dir/alarms")
cat mibs/*.txt | sed -nE 's/^([A-Za-z0-9]+) +NOTIFICATION-TYPE.*/\1/p' >>"$dir/alarms"
if [ "$n_alerts" -lt 13 ] || [ "$(wc -l <"$dir/alarms")" -lt $((n_alerts + 9)) ]; then
	echo "found $n_alerts alerts of $(wc -l <"$dir/alarms") alarms"
	bad=1
fi
while read -r name; do
	grep -qixF -- "$name" "$dir/sections" || complain "no section \"### $name\""
done <"$dir/alarms"
sed -nE 's|^ *runbook_url: *.*doc/operating\.md#([A-Za-z0-9-]+).*|\1|p' "$rules" >"$dir/urls"
while read -r url; do
	grep -qxF -- "$url" "$dir/anchors" || complain "no section for the runbook_url #$url"
done <"$dir/urls"
for link in $(grep -oE '\]\(#[^)]*\)' "$page" | tr -d ']()#'); do
	grep -qxF -- "$link" "$dir/anchors" || complain "no section for the link #$link"
done

# Each section says what the alarm means and what shows it, or leads to the section that does.
awk '
	function check() { if (name != "" && !(shows && (means || leads))) { print name; } }
	/^## / { check(); name = "" }
	/^### / { check(); name = $2; means = leads = shows = 0 }
	/^- Meaning: / { means = 1 }
	/\]\(#/ { leads = 1 }
	/^The mismatch of|^A row of/ { leads = 1 } # ends of an alarm
	/dcbctl [a-z]/ { shows = 1 }
	END { check() }
' "$page" >"$dir/short"
while read -r name; do complain "$name: expected its meaning, and a dcbctl command that shows it"; done <"$dir/short"

# Names of objects, also of notifications, in any module.
grep -oE '\b(dcb[A-Z]|ieee8021[A-Z]|lldpX|lldpV2X)[A-Za-z0-9]+' "$page" | sort -u >"$dir/objects"
while read -r object; do
	grep -qw -- "$object" mibs/*.txt || complain "no object $object"
done <"$dir/objects"
for command in $(grep -oE 'dcbctl [a-z][a-z-]*' "$page" | sort -u | tr ' ' '='); do
	"$DCB_BUILDDIR/dcbctl" help | grep -qE "^  ${command#dcbctl=}( |$)" || complain "no command dcbctl ${command#dcbctl=}"
done
echo "$(wc -l <"$dir/alarms") alarms, $(wc -l <"$dir/sections") sections"
exit $bad
