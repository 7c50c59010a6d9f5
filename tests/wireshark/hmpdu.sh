#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# contrib/wireshark/dcb.lua shows the fields of HMPDUs as tests/system/hm_oracle.py encodes them,
# which shares no code with dcbd, and reports those that break a rule of the draft.
set -eu
lua=$DCB_SRCDIR/contrib/wireshark/dcb.lua
oracle=$DCB_SRCDIR/tests/system/hm_oracle.py
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# No preferences of the user, and no installed copy of the dissector.
HOME=$tmp XDG_CONFIG_HOME=$tmp WIRESHARK_CONFIG_DIR=$tmp
export HOME XDG_CONFIG_HOME WIRESHARK_CONFIG_DIR
status=0

fail() {
	echo "FAIL: $*"
	status=1
}

skip() {
	echo "$*"
	exit 77
}

command -v python3 >/dev/null || skip "python3 not found (Debian: python3)"
command -v tshark >/dev/null || skip "tshark not found (Debian: tshark)"
tshark --version 2>/dev/null | tr '\n' ' ' | grep -q 'with Lua' || skip "this tshark has no Lua"

dissect() { # CAPTURE [ARGUMENT...]
	capture=$1
	shift
	tshark -X "lua_script:$lua" -r "$capture" "$@" 2>"$tmp/err" || {
		cat "$tmp/err"
		fail "tshark cannot read the capture"
	}
}

DCB_SEED=${DCB_SEED:-1} python3 "$oracle" write "$tmp/hmpdu.pcap" >"$tmp/expected"
frames=$(wc -l <"$tmp/expected")
[ "$frames" -eq 291 ] || fail "$frames frames, expected 291"

dissect "$tmp/hmpdu.pcap" -T fields -e eth.dst -e eth.src -e dcb.hmpdu.version \
	-e dcb.hmpdu.subtype -e dcb.hmpdu.first -e dcb.hmpdu.second -e dcb.hmpdu.path \
	-e dcb.hmpdu.reserved -e dcb.hmpdu.timestamp -e dcb.hmpdu.request_adjustment \
	-e dcb.hmpdu.response_adjustment -e _ws.expert.message >"$tmp/seen"
cmp "$tmp/expected" "$tmp/seen" || {
	diff "$tmp/expected" "$tmp/seen" | head -n 20
	fail "tshark shows other fields than encoded"
}

# A frame truncated by the snapshot length is not malformed.
dissect "$tmp/hmpdu.pcap" -Y 'dcb.hmpdu.first == 3 && dcb.hmpdu.second == 2 && frame.number < 256' \
	-w "$tmp/whole.pcap"
for octets in 15 16 20 24 25 31; do
	editcap -s "$octets" "$tmp/whole.pcap" "$tmp/cut.pcap"
	malformed=$(dissect "$tmp/cut.pcap" -Y dcb.hmpdu.malformed -T fields -e frame.number)
	[ -z "$malformed" ] || fail "frames of $octets octets reported as malformed: $malformed"
	cut=$(dissect "$tmp/cut.pcap" -Y dcb.hmpdu.cut | wc -l)
	[ "$cut" -eq 16 ] || fail "$cut frames of $octets octets reported as truncated, expected 16"
done

dissect "$tmp/hmpdu.pcap" -V >"$tmp/tree"
! grep -n -B 3 -A 3 'Lua Error' "$tmp/tree" || fail "Lua errors"
exit $status
