#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dcbd -t accepts the example configurations and refuses a broken one. The examples name a group
# and directories that only an installation has, and root changes to a user that only it has.
set -e
dcbd=${DCB_BUILDDIR:?}/dcbd
conf=${DCB_SRCDIR:?}/contrib/dcbd.conf
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for example in "$conf" "$DCB_SRCDIR/contrib/dcbd-station.conf"; do
	sed "s|\"/[a-z/]*/dcbd/|\"$dir/|; s|group = \"dcbd\"|group = \"$(id -gn)\"|" "$example" >"$dir/example"
	echo "user = \"$(id -un)\";" >>"$dir/example"
	"$dcbd" -t -c "$dir/example"
done

broken=$dir/broken
sed 's/^role = .*/role = "router";/' "$conf" >"$broken"
status=0
said=$("$dcbd" -t -c "$broken" 2>&1) || status=$?
echo "$said"
[ $status -eq 2 ]
echo "$said" | grep -q "$broken:[0-9]*: role"
