#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The JSON schema of dcbctl has the objects, types, ranges and names of the rows, and the keywords
# of the commands for ports: it is the output of contrib/json/gen.py.
set -eu

command -v python3 >/dev/null || {
	echo "python3 is not installed"
	exit 77
}
if ! python3 "$DCB_SRCDIR/contrib/json/gen.py" "$DCB_BUILDDIR/dcbctl" |
	diff "$DCB_SRCDIR/contrib/json/dcbctl.schema.json" -; then
	echo "contrib/json/dcbctl.schema.json differs: run contrib/regenerate.sh"
	exit 1
fi
