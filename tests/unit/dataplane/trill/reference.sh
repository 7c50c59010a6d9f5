#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# 10000 random CNMs to an RBridge, and 10000 TRILL frames that it samples: the same answers by the codec
# and by a second implementation in Python. $DCB_RUN: a command that runs programs of another
# architecture.
set -eu

command -v python3 >/dev/null || {
	echo "python3: not found"
	exit 77
}
seed=${DCB_SEED:-$(date +%s)}
echo "seed: DCB_SEED=$seed"
python3 "$DCB_SRCDIR/tests/unit/dataplane/trill/reference.py" \
	"${DCB_RUN-} $DCB_BUILDDIR/tests/unit/dataplane/trill/frames" "$seed" 10000
