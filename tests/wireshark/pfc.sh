#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The MAC control dissector of Wireshark shows the PFC frames of dcbd as encoded,
# and reports the one with a wrong destination address.
set -eu
program=$DCB_BUILDDIR/tests/wireshark/pfc_capture
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# No preferences of the user.
HOME=$tmp XDG_CONFIG_HOME=$tmp WIRESHARK_CONFIG_DIR=$tmp
export HOME XDG_CONFIG_HOME WIRESHARK_CONFIG_DIR

command -v tshark >/dev/null || {
	echo "tshark not found (Debian: tshark)"
	exit 77
}

"$program" "$tmp/pfc.pcap" >"$tmp/expected"
frames=$(wc -l <"$tmp/expected")
[ "$frames" -eq 1025 ] || {
	echo "FAIL: $frames frames, expected 1025"
	exit 1
}
tshark -r "$tmp/pfc.pcap" -T fields -e eth.dst -e eth.src -e macc.opcode -e macc.cbfc.enbv \
	-e macc.cbfc.pause_time.c0 -e macc.cbfc.pause_time.c1 -e macc.cbfc.pause_time.c2 \
	-e macc.cbfc.pause_time.c3 -e macc.cbfc.pause_time.c4 -e macc.cbfc.pause_time.c5 \
	-e macc.cbfc.pause_time.c6 -e macc.cbfc.pause_time.c7 -e macc.dst_address_invalid \
	>"$tmp/seen" 2>"$tmp/err" || {
	cat "$tmp/err"
	echo "FAIL: tshark cannot read the capture"
	exit 1
}
cmp "$tmp/expected" "$tmp/seen" || {
	diff "$tmp/expected" "$tmp/seen" | head -n 20
	echo "FAIL: tshark shows other fields than encoded"
	exit 1
}
reported=$(tshark -r "$tmp/pfc.pcap" -Y _ws.expert -T fields -e frame.number 2>/dev/null)
[ "$reported" = 1025 ] || {
	echo "FAIL: expert messages for frames $reported, expected 1025 only"
	exit 1
}
