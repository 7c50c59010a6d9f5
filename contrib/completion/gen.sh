#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fills in a completion of dcbctl: gen.sh DCBCTL MIBS TEMPLATE. Prints the template with these
# lines replaced:
#   @TABLES@     short names of the tables: the ids of the rows in mibs/*.def
#   @OBJECTS@    names of the objects; @SETTABLE@ those that can be set
#   @COMMANDS@   the commands; @DESCRIPTIONS@ 'command:description' for zsh
#   @ARGUMENTS@  a case of the shell for each command: $offered, the words of its usage, and $ports,
#                which is set if it takes ports
#   @KEYWORDS@   a case for each command for ports: $verbs, and the keywords behind them, $shown for
#                show, and $settable for the others
set -eu
dcbctl=$1 mibs=$2 template=$3

tables() { sed -nE 's/^(OPTIONAL_)?TABLE\(([a-z0-9_]+),.*/\2/p' "$mibs"/*.def; }
objects() { "$dcbctl" objects | awk -v access="$1" 'NR > 1 && $0 ~ access { print $1 }'; }
commands() { # "command, tab, arguments, tab, description" a line
	"$dcbctl" help | awk '
		/^  [a-z]/ { name = $1; $1 = ""; arguments = substr($0, 2) }
		/^        [a-z]/ && name { sub(/^ +/, ""); print name "\t" arguments "\t" $0; name = "" }'
}
arguments() {
	commands | awk -F'\t' '{
		words = ""
		n = split($2, word, /[^A-Za-z0-9-]+/)
		for (i = 1; i <= n; i++)
			if (word[i] ~ /^(--[a-z-]+|[a-z][a-z0-9-]+)$/ && !(($1, word[i]) in seen)) {
				seen[$1, word[i]]
				words = words (words ? " " : "") word[i]
			}
		print "\t" $1 ") offered=\047" words "\047 ports=" ($2 ~ /PORT/ ? "yes" : "") " ;;"
	}'
}
keywords() {
	{
		commands
		"$dcbctl" keywords | awk 'NR > 1 { print "\t" $1 "\t" $2 "\t" $3 "\t" $4 }'
	} | awk -F'\t' '
		$1 { usage[$1] = $2; next }
		!($2 in shown) { families[++n] = $2 }
		{ shown[$2] = shown[$2] " " $3 }
		$5 == "read-write" { settable[$2] = settable[$2] " " $3 }
		$4 == "prio" && $5 == "read-write" { prio[$2] = " prio" }
		END {
			for (i = 1; i <= n; i++) {
				verbs = ""
				count = split(usage[families[i]], word, /[^a-z]+/)
				for (k = 1; k <= count; k++)
					if (word[k] ~ /^(show|set|add|del|replace|flush)$/ && !((i, word[k]) in seen)) {
						seen[i, word[k]]
						verbs = verbs " " word[k]
					}
				f = families[i]
				print "\t" f ") verbs=\047" substr(verbs, 2) "\047 shown=\047" substr(shown[f], 2) \
					"\047 settable=\047" substr(settable[f] prio[f], 2) "\047 ;;"
			}
		}'
}

while IFS= read -r line; do
	case $line in
	@TABLES@) tables ;;
	@OBJECTS@) objects . ;;
	@SETTABLE@) objects 'read-(write|create)' ;;
	@COMMANDS@) commands | cut -f1 ;;
	@DESCRIPTIONS@) commands | awk -F'\t' '{ gsub(/\047/, "", $3); print "\t\047" $1 ":" $3 "\047" }' ;;
	@ARGUMENTS@) arguments ;;
	@KEYWORDS@) keywords ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$template"
