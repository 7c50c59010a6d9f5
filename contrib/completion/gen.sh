#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fills in a completion of dcbctl: gen.sh DCBCTL MIBS TEMPLATE. Prints the template with these
# lines replaced:
#   @TABLES@     short names of the tables: the ids of the rows in mibs/*.def
#   @OBJECTS@    names of the objects; @SETTABLE@ those that can be set
#   @COMMANDS@   the commands; @DESCRIPTIONS@ 'command:description' for zsh
#   @ARGUMENTS@  a case of the shell for each command: $offered, the words of its usage, and $ports,
#                which is set if it takes ports
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

while IFS= read -r line; do
	case $line in
	@TABLES@) tables ;;
	@OBJECTS@) objects . ;;
	@SETTABLE@) objects 'read-(write|create)' ;;
	@COMMANDS@) commands | cut -f1 ;;
	@DESCRIPTIONS@) commands | awk -F'\t' '{ gsub(/\047/, "", $3); print "\t\047" $1 ":" $3 "\047" }' ;;
	@ARGUMENTS@) arguments ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$template"
