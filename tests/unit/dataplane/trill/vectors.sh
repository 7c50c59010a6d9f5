#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Random TRILL frames that scapy builds: the codec and tshark's TRILL dissector read the same fields,
# and the codec writes the same octets. $DCB_RUN: a command that runs programs of another architecture.
set -eu

here=$DCB_SRCDIR/tests/unit/dataplane/trill
python=
for candidate in python3 /usr/bin/python3; do
	! "$candidate" -c 'import scapy.layers.l2' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || {
	echo "scapy not found (Debian: python3-scapy)"
	exit 77
}
command -v tshark >/dev/null || {
	echo "tshark not found (Debian: tshark)"
	exit 77
}
tshark --version 2>/dev/null | tr '\n' ' ' | grep -q 'with Lua' || {
	echo "this tshark has no Lua"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# No preferences of the user, and no installed copy of the dissector.
HOME=$work XDG_CONFIG_HOME=$work WIRESHARK_CONFIG_DIR=$work
export HOME XDG_CONFIG_HOME WIRESHARK_CONFIG_DIR

seed=${DCB_SEED:-$(date +%s)}
echo "seed: DCB_SEED=$seed"
"$python" "$here/vectors.py" "${DCB_RUN-} $DCB_BUILDDIR/tests/unit/dataplane/trill/frames" \
	"$DCB_SRCDIR/contrib/wireshark/dcb.lua" "$seed" 300 "$work"
