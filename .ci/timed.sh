#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# timed.sh COMMAND... TEST: runs a test, and appends a line to the file $DCB_TIMES: seconds of wall time, of
# processor time in user and in system mode, and the name of the test after $DCB_TIMES_PREFIX. The
# processor time includes that of the test's processes, except of those that it did not wait for.
name=${!#}
name=${name#./} name=${name#"${DCB_BUILDDIR-}"/} name=${name#"${DCB_SRCDIR-}"/}
TIMEFORMAT="%R %U %S test ${DCB_TIMES_PREFIX-}${name%.sh}"
exec 3>&2
{ time "$@" 2>&3 3>&-; } 2>>"${DCB_TIMES:-/dev/null}"
