#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dcbd -t accepts the example configurations and refuses a broken one.
set -e
dcbd=${DCB_BUILDDIR:?}/dcbd
conf=${DCB_SRCDIR:?}/contrib/dcbd.conf
"$dcbd" -t -c "$conf"
"$dcbd" -t -c "$DCB_SRCDIR/contrib/dcbd-station.conf"

broken=$(mktemp)
trap 'rm -f "$broken"' EXIT
sed 's/^role = .*/role = "router";/' "$conf" >"$broken"
status=0
said=$("$dcbd" -t -c "$broken" 2>&1) || status=$?
echo "$said"
[ $status -eq 2 ]
echo "$said" | grep -q "$broken:[0-9]*: role"
