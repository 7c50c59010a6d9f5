#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Pastes the screens of README.md and doc/trill.md and draws doc/demo.svg, all from one run of each
# demo. A screen is the output of a command, indented, between two lines:
#
#   <!-- screen: COMMAND -->
#   <!-- end of screen CHECKSUM -->
#
# The command runs in the top directory while the demo is up. For "./dev demo" and "./dev demo trill" stands
# the output of the run. tests/lint/readme.sh notices screens that were edited by hand. Needs root, and a build in
# build/.
set -euo pipefail

cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
export COLUMNS=79
die() {
	echo "readme: $*" >&2
	exit 1
}
# shellcheck disable=SC2317 # called by the trap
on_exit() {
	local lab
	# That of the run: a user may have started another demo since.
	lab=$(sed -nE 's/^== (dcb-demo[2-9]?): .*/\1/p' "$work/demo" 2>/dev/null) || true
	[ -z "$lab" ] || [ ! -e "/run/$lab.pid" ] || contrib/demo.sh --down "$lab" >/dev/null || true
	rm -rf "$work"
}

# screen COMMAND: prints its output.
screen() {
	case $1 in
	"./dev demo trill"*) bash -c "cat $work/trill${1#./dev demo trill}" ;;
	"./dev demo"*) bash -c "cat $work/demo${1#./dev demo}" ;;
	*) bash -c "$1" ;;
	esac
}

# paste FILE: copies it with new screens. Trailing blanks, blank lines at the end and the path of this
# directory are left out.
paste() {
	local line command
	while IFS= read -r line; do
		case $line in
		'<!-- screen: '*' -->')
			command=${line#<!-- screen: }
			command=${command% -->}
			screen "$command" >"$work/screen" || die "$command: status $?"
			[ -s "$work/screen" ] || die "$command: no output"
			printf '%s\n\n' "$line"
			printf '%s\n' "$(sed -E "s|$PWD/||g; s/[[:blank:]]+\$//; s/^(.)/    \\1/" "$work/screen")" >"$work/block"
			cat "$work/block"
			while IFS= read -r line && [[ $line != '<!-- end of screen'* ]]; do :; done
			[ -n "$line" ] || die "$command: no end of screen"
			printf '\n<!-- end of screen %s -->\n' "$(cksum <"$work/block" | cut -d ' ' -f 1)"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$1"
}

[ "$(id -u)" -eq 0 ] || die "network namespaces need root"
[ ! -e /run/dcb-demo ] || die "a demo is up: remove it with ./dev demo --down"
work=$(mktemp -d)
trap on_exit EXIT
trap 'exit 130' INT TERM HUP
contrib/demo_trill.sh >"$work/trill" 2>&1 || {
	cat "$work/trill"
	die "the demo of TRILL failed"
}
DCB_PLOT=$PWD/doc/demo.svg contrib/demo.sh --keep >"$work/demo" 2>&1 || {
	cat "$work/demo"
	die "the demo failed"
}
grep -q '^== dcb-demo: ' "$work/demo" || die "the demo has other names than README.md"
for page in README.md doc/trill.md; do
	paste "$page" >"$work/page"
	cat "$work/page" >"$page"
	echo "readme: $page: $(grep -c '^<!-- screen: ' "$page") screens"
done
