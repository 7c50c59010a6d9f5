#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Static analysis: gcc -fanalyzer and cppcheck on the pure cores and codecs, there with inconclusive findings,
# cppcheck on all other C files, shellcheck on every script, clang-format. If a tool is missing, its result is SKIP.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

dir=$ci/analyze
configure_in "$dir" CFLAGS="-O2 -g"

# check NAME TOOL COMMAND...: records one result; prints the output if the command fails.
check() {
	local name=$1 tool=$2 log=$dir/$1.log
	shift 2
	if ! command -v "$tool" >/dev/null; then
		echo "$tool is not installed" >"$log"
		result SKIP "$name" "$log"
	elif "$@" >"$log" 2>&1; then
		result PASS "$name" "$log"
	else
		cat "$log"
		result FAIL "$name" "$log"
	fi
}

mapfile -t pure < <(git ls-files 'dataplane/core/*.c' 'dataplane/macsec/*.c' ':!dataplane/macsec/netio_secy.c' \
	'lldp/*.c' ':!lldp/client/*' ':!lldp/process/*' 'lib/mo/*.c')
pure+=(dataplane/sonic/sonic_{buffers,counters,qos,rows,tables,text}.c)
pure+=(dataplane/kernel/dcbnl.c dataplane/kernel/kernel_counters.c lldp/process/lldp_msg.c lldp/process/lldp_order.c)
mapfile -t other < <(git ls-files 'agent/*.c' 'control/*.c' 'dataplane/*.c' 'lib/*.c' 'lldp/*.c' 'sim/*.c' |
	grep -vxF -f <(printf '%s\n' "${pure[@]}"))
mapfile -t scripts < <(git grep -lE '^#!.*\b(sh|bash)\b' -- dev .ci contrib debian tests)

analyzer() { # does not stop at the first file with a warning
	local file bad=0
	for file in "${pure[@]}"; do
		gcc -std=gnu11 -O2 -Wall -Wextra -Wconversion -fanalyzer -Werror -I. -I"$dir" \
			-include config.h -c -o /dev/null "$file" || bad=1
	done
	return $bad
}

# cppcheck 2.10 reports an internal error for a file whose rows expand to _Generic; gcc and clang
# check those files.
cpp_check() {
	cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability \
		--inline-suppr --suppress=missingIncludeSystem '--suppress=internalAstError:mibs/*.def' \
		--error-exitcode=1 -I. "$@"
}

# outline FILE: the shell variables that the file assigns, and the files that it sources.
outline() {
	echo '# shellcheck shell=bash'
	awk '
		source_is_next || /^declare -A/ || /^# shellcheck source=/ {
			print
			source_is_next = /^# shellcheck source=/
			next
		}
		{
			for (line = $0; match(line, /(^|[^A-Za-z0-9_$"{-])((mapfile -t|read -ra) +[A-Za-z_][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*\+?=\(?)/); line = substr(line, RSTART + RLENGTH)) {
				word = substr(line, RSTART, RLENGTH)
				value = word ~ /(-t|-ra) |=\($/ ? "()" : ""
				gsub(/(mapfile -t|read -ra) +|\+?=\(?$|[^A-Za-z0-9_]/, "", word)
				if (!(word in assigned) || value != "") assigned[word] = value
			}
		}
		END {
			for (word in assigned) print word "=" assigned[word] (assigned[word] == "" ? "" : "; : \"${" word "[@]}\"")
		}' "$1"
}

# Each of 90 system tests sources the same helpers: reading outlines of these takes a third of the time. The
# helpers are scripts of the list, too. shellcheck looks for a source below the current directory first.
shell_check() {
	local helper
	for helper in tests/system/{lib,lldp,snmp}.sh; do
		mkdir -p "$dir/${helper%/*}"
		outline "$helper" >"$dir/$helper"
	done
	(cd "$dir" && shellcheck -x -P SCRIPTDIR -P "$top" "${scripts[@]/#/$top/}")
}

check gcc-analyzer gcc analyzer
check cppcheck-cores cppcheck cpp_check --inconclusive "${pure[@]}"
check cppcheck cppcheck cpp_check "${other[@]}"
check shellcheck shellcheck shell_check
check clang-format clang-format env DCB_SRCDIR="$top" tests/lint/format.sh
finish
