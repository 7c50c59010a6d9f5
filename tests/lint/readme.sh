#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The screens of README.md and doc/trill.md are those that contrib/readme.sh has pasted: markers are
# paired, the text between them has the checksum of the second, and the command exists.
set -eu

[ $# -gt 0 ] || set -- "$DCB_SRCDIR/README.md" "$DCB_SRCDIR/doc/trill.md"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A line for each screen: number of its first line, checksum; the command and the block in files.
awk -v dir="$dir" '
	function check() {
		if (open) wrong("no end of the screen of line " open)
		if (!here) wrong("no screen in the file before")
		open = here = 0
	}
	function wrong(text) { print FILENAME ":" FNR ": " text; bad = 1 }
	/^<!-- screen: .* -->$/ {
		if (open) wrong("a screen in the screen of line " open)
		open = FNR
		n++
		text = $0
		sub(/^<!-- screen: /, "", text)
		sub(/ -->$/, "", text)
		here++
		print text >(dir "/" n ".command")
		block = ""
		next
	}
	/^<!-- end of screen( [0-9]+)? -->$/ {
		if (!open) wrong("the end of no screen")
		sub(/^\n/, "", block)
		sub(/\n+$/, "\n", block)
		printf "%s", block >(dir "/" n ".block")
		print FILENAME ":" open ": " ($5 == "-->" ? "none" : $5) >(dir "/" n ".sum")
		open = 0
		next
	}
	/^<!--.*screen/ { wrong("expected <!-- screen: COMMAND --> or <!-- end of screen CHECKSUM -->") }
	open { block = block $0 "\n" }
	FNR == 1 && NR > 1 { check() }
	END {
		check()
		exit bad
	}
' "$@"

bad=0
screens=0
for command in "$dir"/*.command; do
	base=${command%.command}
	screens=$((screens + 1))
	read -r where sum <"$base.sum"
	found=$(cksum <"$base.block" | cut -d ' ' -f 1)
	if [ "$sum" != "$found" ]; then
		echo "$where edited by hand: expected the output that contrib/readme.sh pastes (checksum $sum, not $found)"
		bad=1
	fi
	# The program: of the source tree, or of the build tree.
	read -r program rest <"$command"
	case $program in
	./*) [ -x "$DCB_SRCDIR/$program" ] || { echo "$where no program $program" && bad=1; } ;;
	build/*)
		[ -x "$DCB_BUILDDIR/${program#build/}" ] || { echo "$where no program $program" && bad=1; }
		;;
	*) echo "$where expected ./PROGRAM or build/PROGRAM, not $program" && bad=1 ;;
	esac
	# The command of dcbctl.
	if [ "$program" = build/dcbctl ]; then
		# shellcheck disable=SC2086 # words
		set -- $rest
		while [ "${1-}" = -s ]; do shift 2; done
		"$DCB_BUILDDIR/dcbctl" help | grep -q "^  ${1-none}\( \|$\)" || { echo "$where no command dcbctl ${1-}" && bad=1; }
	fi
done
echo "$screens screens"
exit $bad
