#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Protected frames by the SecY and by a second implementation in Python (oracle.py), both ways; that
# one first shows that it makes the frames of the standard. $DCB_RUN: a command that runs
# programs of another architecture.
set -eu

here=$DCB_SRCDIR/tests/unit/dataplane/macsec
frames="${DCB_RUN-} $DCB_BUILDDIR/tests/unit/dataplane/macsec/frames"
command -v python3 >/dev/null || {
	echo "python3: not found"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seed=${DCB_SEED:-$(date +%s)}
echo "seed: DCB_SEED=$seed"
python3 "$here/oracle.py" vectors "$DCB_SRCDIR/tests/vectors/macsec.csv"
$frames make "$seed" 200 >"$work/ours"
[ "$(wc -l <"$work/ours")" -eq 200 ]
python3 "$here/oracle.py" check <"$work/ours"
python3 "$here/oracle.py" make "$seed" 200 >"$work/theirs"
[ "$(wc -l <"$work/theirs")" -eq 200 ]
$frames check <"$work/theirs"
