#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The dashboards of contrib/grafana are as Grafana 9 to 11 import them: the data source is a variable,
# panels have a place, a description, a unit and thresholds, series have names. Their queries are
# PromQL, and use series that dcb.rules.yml records; each recorded series is used.
set -eu
dir=$DCB_SRCDIR/contrib/grafana
rules=$DCB_SRCDIR/contrib/prometheus/dcb.rules.yml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

command -v jq >/dev/null || {
	echo "jq not found (Debian: jq)"
	exit 77
}

# Prints a line for each violation.
violations() { # FILE
	jq -r '
		def overlaps($a; $b): $a.x < $b.x + $b.w and $b.x < $a.x + $a.w and $a.y < $b.y + $b.h and $b.y < $a.y + $a.h;
		(select(.schemaVersion < 36 or .schemaVersion > 39) | "schemaVersion \(.schemaVersion), expected 36 to 39"),
		(select(.id != null) | "id is not null"),
		(select(.uid != $name or (.title | length) == 0) | "uid \(.uid), expected \($name), and a title"),
		(select(.templating.list[0].type != "datasource" or .templating.list[0].name != "datasource") |
			"the first variable is not the data source"),
		(.templating.list[] | select(.type == "query" and .datasource.uid != "${datasource}") |
			"variable \(.name): data source"),
		(select((.panels | map(.id) | unique | length) != (.panels | length)) | "two panels with one id"),
		(.panels as $p | range($p | length) as $i | range($i) as $j |
			select(overlaps($p[$i].gridPos; $p[$j].gridPos)) | "\($p[$i].title) is on \($p[$j].title)"),
		(.panels[] | select(.gridPos.x + .gridPos.w > 24) | "\(.title) is wider than the page"),
		(.panels[] | select((.title | length) == 0 or (.description | length) == 0) | "panel \(.id): no title or description"),
		(.panels[] | select([.datasource, .targets[].datasource] | any(.type != "prometheus" or .uid != "${datasource}")) |
			"\(.title): data source"),
		(.panels[] | select(.fieldConfig.defaults | (.unit | length) == 0 or (.thresholds.steps | length) == 0) |
			"\(.title): no unit or no thresholds"),
		(.panels[] | select(.type != "table") | select(.targets | any(.legendFormat | length == 0)) |
			"\(.title): a series without name")
	' --arg name "$(basename "$1" .json)" "$1"
}

# queries FILE: a line for each query, also those of variables, with a value in the place of each variable.
queries() {
	jq -r '(.panels[].targets[].expr),
		(.templating.list[] | select(.type == "query") | .query.query |
		capture("^label_values\\((?<series>.*), *[a-z]*\\)$").series)' "$1" |
		sed 's/[$]__range/5m/g; s/[$]\(instance\|port\)/x/g'
}

set -- "$dir"/*.json
for file; do
	violations "$file" >"$tmp/bad"
	sed "s/^/FAIL: $(basename "$file"): /" "$tmp/bad"
	[ ! -s "$tmp/bad" ] || status=1
	queries "$file" >>"$tmp/queries"
done
if [ "$(wc -l <"$tmp/queries")" -lt 40 ] || [ $# -ne 3 ]; then
	echo "FAIL: too few dashboards or queries"
	status=1
fi
if grep -F '$' "$tmp/queries"; then
	echo "FAIL: unknown variable"
	status=1
fi

grep -oE '\<dcb:[a-z0-9_:]+' "$tmp/queries" | sort -u >"$tmp/used"
sed -n 's/^  - record: //p' "$rules" | sort -u >"$tmp/recorded"
comm -23 "$tmp/used" "$tmp/recorded" | sed 's/^/FAIL: not in dcb.rules.yml: /' | grep . && status=1
awk '/- alert:/ { alert = 1 } alert && /^    expr:/' "$rules" | grep -oE '\<dcb:[a-z0-9_:]+' |
	sort -u - "$tmp/used" | comm -13 - "$tmp/recorded" |
	sed 's/^/FAIL: neither an alert nor a dashboard uses /' | grep . && status=1

# promtool parses queries of rules; a JSON string is one of YAML.
if command -v promtool >/dev/null; then
	{
		echo '{groups: [{name: queries, rules: ['
		sort -u "$tmp/queries" | jq -R . | awk '{ printf "  {record: \"q:%d\", expr: %s},\n", NR, $0 }'
		echo ']}]}'
	} >"$tmp/rules.yml"
	promtool check rules "$tmp/rules.yml" || status=1
else
	echo "promtool not found (Debian: prometheus): queries not parsed"
fi
exit $status
