#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Comments and texts use the terms of doc/glossary.md: no second spelling of a term, no
# words that leave open who acts on what.
set -eu

cd "$DCB_SRCDIR"
bad=0

spelling='neighbour|behaviour|colour|defence'
# Pronouns and verbs that do not name the actor.
vague='nobody|somebody|whoever|whom|hungry|heed(s|ed|ing)?|till|has no say|(tell|tells|told) of'

account='nobody\\?"|nobody:? ?nogroup|reuid=nobody' # the Unix account

# shellcheck disable=SC2046 # many names, none with blanks
set -- $(find .ci agent contrib control dataplane debian dev doc lib lldp man mibs sim tests ./*.md NEWS configure.ac Makefile.am \
	-path tests/fuzz/corpus -prune -o -name words.sh -prune -o -name node_modules -prune -o -type f -print | sort)

if grep -nIEi "($spelling)" "$@"; then
	echo "expected the American spelling, as in IEEE 802.1Q"
	bad=1
fi
if grep -nIEiw "($vague)" "$@" | grep -vE "$account"; then
	echo "expected the subject by its name: port, manager, neighbor, control thread ..."
	bad=1
fi
# In comments of code: "what is sent" has a name of its own.
# shellcheck disable=SC2046 # many names, none with blanks
if grep -nIE '(/\*|^[[:space:]]*\*|^[[:space:]]*#[^i!]).*\<[Ww]hat (is|it|they|there|was) ' \
	$(printf '%s\n' "$@" | grep -E '\.(c|h|def|sh|am|py)$'); then
	echo "expected the term for it, see doc/glossary.md"
	bad=1
fi
echo "$# files"
exit $bad
