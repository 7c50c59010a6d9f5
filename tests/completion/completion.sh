#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The completions of dcbctl, by bash and by zsh: all tables, objects and commands, and the words of a
# command's usage. dcbd is not needed.
set -u
dcbctl=$DCB_BUILDDIR/dcbctl
bad=0
fail() {
	printf '%s\n' "$*"
	bad=1
}

# --- bash: complete WORD... completes the last word; the result is in $COMPREPLY.
# shellcheck source=/dev/null
. "$DCB_BUILDDIR/contrib/bash-completion/dcbctl"
# The function of an interactive shell is not there.
# shellcheck disable=SC2317 # the completion calls it
compopt() { :; }
complete_words() {
	COMP_WORDS=("$dcbctl" --socket /nonexistent "$@")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_dcbctl
}
has() { # WHAT WORD...: each is offered
	local what=$1 word
	shift
	for word; do
		printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$word" || fail "bash, $what: $word is not offered"
	done
}

complete_words ''
mapfile -t commands < <("$dcbctl" help | sed -nE 's/^  ([a-z][a-z-]*).*/\1/p')
[ ${#commands[@]} -ge 15 ] || fail "only ${#commands[@]} commands"
has commands "${commands[@]}"
complete_words show ''
mapfile -t tables < <(sed -nE 's/^(OPTIONAL_)?TABLE\(([a-z0-9_]+),.*/\2/p' "$DCB_SRCDIR"/mibs/*.def)
mapfile -t objects < <("$dcbctl" objects | awk 'NR > 1 { print $1 }')
[ ${#objects[@]} -ge 300 ] || fail "only ${#objects[@]} objects"
has "show" "${tables[@]}" "${objects[@]}"
complete_words show dcbPortNa
[ "${COMPREPLY[*]}" = dcbPortName ] || fail "bash: dcbPortNa became ${COMPREPLY[*]}"
complete_words set ''
has "set" dcbPfcPriorityEnable
! printf '%s\n' "${COMPREPLY[@]}" | grep -qx dcbPortName || fail "bash: set offers a read-only object"
complete_words set dcbPfcPriorityEnable.1.3 ''
has "values" true false
complete_words clear ''
has "clear" counters --undo
complete_words headroom --medium ''
has "headroom" copper fibre
complete_words ''
has "options" --json --pretty --Numeric --statistics --wide --socket --batch
# -s is a socket only before a path; -p and -w have no value.
for option in -s -p -w; do
	complete_words $option monit
	[ "${COMPREPLY[*]}" = monitor ] || fail "bash: $option monit became ${COMPREPLY[*]}"
	complete_words $option pfc ''
	has "$option pfc" show set
done
complete_words -s /etc/passw
has "-s" /etc/passwd
complete_words -s /nonexistent monit
[ "${COMPREPLY[*]}" = monitor ] || fail "bash: -s /nonexistent monit became ${COMPREPLY[*]}"
for option in -b --batch; do
	complete_words $option /etc/passw
	has "$option" /etc/passwd
done
for family in pfc ets app cn cp rp headroom watchdog storms counters; do
	complete_words $family ''
	has $family show
	complete_words $family show ''
	has "$family show" dev
	mapfile -t keywords < <("$dcbctl" keywords $family | awk 'NR > 1 { print $2 }')
	[ ${#keywords[@]} -gt 0 ] || fail "$family has no keywords"
	complete_words $family show dev swp1 ''
	has "$family show dev swp1" "${keywords[@]}"
	mapfile -t keywords < <("$dcbctl" keywords $family | awk 'NR > 1 && $4 == "read-write" { print $2 }')
	[ ${#keywords[@]} -gt 0 ] || continue
	complete_words $family ''
	has $family set
	complete_words $family set ''
	has "$family set" dev
	complete_words $family set dev swp1 ''
	has "$family set dev swp1" "${keywords[@]}"
done
complete_words cp set dev swp1 ''
has "cp set dev swp1" prio
! printf '%s\n' "${COMPREPLY[@]}" | grep -qx queue-length || fail "bash: cp set offers a read-only keyword"
complete_words app add dev swp1 ''
has "app add dev swp1" dscp-prio ethtype-prio
complete_words headroom ''
has "headroom" show set --speed
complete_words storms ''
has "storms" show --trace
complete_words storms --trace ''
has "storms --trace" --snmp dev prio
complete_words storms --trace --snmp '-v2c -c public' pri
[ "${COMPREPLY[*]}" = prio ] || fail "bash: storms --trace --snmp ... pri became ${COMPREPLY[*]}"
complete_words show ''
case " ${COMPREPLY[*]} " in *@*) fail "bash: a part of the template is not filled in" ;; esac

# --- bash: dcb-pfcgen
# shellcheck source=contrib/bash-completion/dcb-pfcgen
. "$DCB_SRCDIR/contrib/bash-completion/dcb-pfcgen"
pfcgen_words() {
	COMP_WORDS=(dcb-pfcgen "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_dcb_pfcgen
}
pfcgen_words -p ''
has "dcb-pfcgen -p" 3 all
pfcgen_words -w ''
has "dcb-pfcgen -w" auto busy sleep
pfcgen_words ''
has "dcb-pfcgen" --priority --no-xon

# --- zsh, in a terminal
for python in python3 /usr/bin/python3 none; do
	! "$python" -c 'import pexpect' 2>/dev/null || break
done
if [ "$python" = none ] || ! command -v zsh >/dev/null; then
	echo "SKIP: needs zsh and python3-pexpect"
	[ $bad = 1 ] || exit 77
else
	"$python" -B "$DCB_SRCDIR/tests/completion/zsh.py" "$DCB_BUILDDIR" || bad=1
fi
exit $bad
