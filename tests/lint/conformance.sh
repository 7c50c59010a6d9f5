#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All files, functions and tests that doc/conformance.md names exist, and each supported item of its
# tables has code and a test. Between backquotes are:
#
#   a/path.c, a/folder/    a file or folder of the source tree
#   name.sh, test_name.c   a test or document: the file has this name anywhere in the tree
#   name()                 a function or macro of the code
#   test_name              a test: a file, a function, or how the names of several functions begin
#   NAME_IN_CAPITALS       a constant
set -eu

cd "$DCB_SRCDIR"
page=${1:-doc/conformance.md}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
complain() {
	echo "$page: $*"
	bad=1
}

# shellcheck disable=SC2046 # no name has blanks
grep -ohE '[A-Za-z_][A-Za-z0-9_]*\(?' $(find agent control dataplane lib lldp sim -name '*.[ch]') | sort -u >"$dir/words"
# shellcheck disable=SC2046
grep -ohE '\btest_[a-z0-9_]+' $(find tests -name '*.c' -o -name '*.sh') | sort -u >"$dir/tests"
find . -path ./build -prune -o -type f -printf '%f\n' | sort -u >"$dir/names"
# shellcheck disable=SC2016 # no command
grep -oE '`[^` ]+`' "$page" | tr -d '`' | sort -u >"$dir/named"

n=0
while read -r name; do
	n=$((n + 1))
	case $name in
	*/) [ -d "$name" ] || complain "no folder $name" ;;
	*/*.*) [ -e "$name" ] || complain "no file $name" ;;
	*'()') grep -qxF -e "${name%)}" "$dir/words" || complain "no function $name" ;;
	*.c | *.h | *.sh | *.scn | *.csv | *.py | *.lua) grep -qxF -- "$name" "$dir/names" || complain "no file $name" ;;
	test_*)
		grep -qxF -- "$name.c" "$dir/names" || grep -qE "^$name(_|\$)" "$dir/tests" ||
			complain "no test $name"
		;;
	*_*[a-z]*) ;;
	[A-Z]*_[A-Z]*) grep -qxF -- "$name" "$dir/words" || complain "no constant $name" ;;
	*) n=$((n - 1)) ;;
	esac
done <"$dir/named"
[ $n -ge 200 ] || complain "$n names of files, functions and tests: expected at least 200"

# Tables of items: | item | feature | status | support | code | test |
awk -F' *[|] *' '
	/^[|] item [|]/ { items = 1; next }
	!/^[|]/ { items = 0 }
	!items || /^[|]-/ { next }
	{
		n++
		if (NF != 8) { print "line " FNR ": expected 6 columns"; next }
		if ($4 !~ /^[MOBE ]+$/) print "line " FNR ": expected M, O, B or E as status"
		if ($5 !~ /^(yes|partial|no)(:.*)?$/) print "line " FNR ": expected yes, partial or no"
		if ($5 ~ /^(partial|no)$/) print "line " FNR ": expected the reason of \"" $5 "\""
		if ($5 !~ /^no/ && ($6 !~ /`/ || $7 !~ /`/)) print "line " FNR ": expected code and test"
	}
	END { if (n < 60) print n + 0 " items: expected at least 60" }
' "$page" >"$dir/wrong"
while read -r line; do complain "$line"; done <"$dir/wrong"

# Each group of objects has an item.
cat mibs/*.txt | sed -nE 's/^([A-Za-z0-9]+) +(OBJECT|NOTIFICATION)-GROUP.*/\1/p' >"$dir/groups"
while read -r group; do
	grep -qw -- "$group" "$page" || complain "no item for the group $group"
done <"$dir/groups"
echo "$n names, $(wc -l <"$dir/groups") groups"
exit $bad
