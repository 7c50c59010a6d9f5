#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each log_error() and log_warn() has a comment that explains its message for dcb-messages(7), or
# passes a text on; each such comment is above a text and has a place in the page. The head of
# man/messages.awk has the forms.
set -eu

cd "$DCB_SRCDIR"
# shellcheck disable=SC2046 # many names, none with blanks
LC_ALL=C ${AWK:-awk} -v check=1 -f man/messages.awk man/dcb-messages.7.in \
	$(find agent control dataplane lib lldp sim -name '*.[ch]' | LC_ALL=C sort)

# What the check has to find, and the page of a few messages.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/a"
cat >"$dir/a/bad.c" <<'END'
static void bad(void)
{
	log_warn("x", "no comment");
	if (pass_on)
		log_error("x", "%s", err);
	/* Message: Above no text. */
	return 1;
	/* Message: as "unknown" */
	log_error("x", "as unknown");
}
END
cat >"$dir/a/good.c" <<'END'
#define WHO "the \"disk\""
static void good(void)
{
	/* Message: Free space on the `disk`, see dcbd(8). */
	log_warn_limited(TOKEN, WHO
			 " has %" PRIu64 " octets, %.3f %%",
			 n, x);
	/*
	 * Messages: as "the "disk" has %u octets, %s %"
	 */
	if (n)
		return fail(r, member(r, "no text"), is ? "one\n" : "two");
	log_error("x", "three");
}
END
printf '@messages a/\n' >"$dir/in"
cat >"$dir/expected" <<'END'
a/bad.c:3: expected a comment that explains the message: man/messages.awk has its form
a/bad.c:6: expected a text below this comment, or in it: Message "TEXT": and its explanation
a/bad.c:8: expected a message that has the explanation: "unknown" has none
END
cat >"$dir/page" <<'END'
.Bl -diag
.It "the \(dqdisk\(dq has %u octets, %s %"
.It "one"
.It "two"
.It "three"
Free space on the
.Ql "disk" ,
see
.Xr dcbd 8 .
.El
END
if ${AWK:-awk} -v check=1 -v root="$dir/" -f man/messages.awk "$dir/in" "$dir/a/bad.c" 2>"$dir/found" >/dev/null; then
	echo "expected a failure"
	exit 1
fi
diff "$dir/expected" "$dir/found"
${AWK:-awk} -v root="$dir/" -f man/messages.awk "$dir/in" "$dir/a/good.c" | diff "$dir/page" -
