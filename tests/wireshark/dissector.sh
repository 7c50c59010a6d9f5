#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# contrib/wireshark/dcb.lua shows the fields of CN-TAGs and CNMs as encoded, and
# reports the same errors of malformed ones as the decoder of dcbd.
set -eu
lua=$DCB_SRCDIR/contrib/wireshark/dcb.lua
program=$DCB_BUILDDIR/tests/wireshark/cnm_capture
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

command -v tshark >/dev/null || {
	echo "tshark not found (Debian: tshark)"
	exit 77
}
tshark --version 2>/dev/null | tr '\n' ' ' | grep -q 'with Lua' || {
	echo "this tshark has no Lua"
	exit 77
}

dissect() { # CAPTURE [ARGUMENT...]
	capture=$1
	shift
	tshark -X "lua_script:$lua" -r "$capture" "$@" 2>"$tmp/err" || {
		cat "$tmp/err"
		fail "tshark cannot read the capture"
	}
}

count() { # CAPTURE FILTER [ARGUMENT...]
	capture=$1 filter=$2
	shift 2
	dissect "$capture" -Y "$filter" "$@" | wc -l
}

expect() { # WHAT GOT EXPECTED
	[ "$2" -eq "$3" ] || fail "$1: $2, expected $3"
}

"$program" whole "$tmp/whole.pcap" >"$tmp/expected"
"$program" cut "$tmp/cut.pcap"
frames=$(wc -l <"$tmp/expected")
[ "$frames" -gt 150 ] || fail "$frames frames, expected more than 150"

dissect "$tmp/whole.pcap" -T fields -e eth.dst -e eth.src -e vlan.id -e vlan.priority \
	-e dcb.cntag.flow_id -e dcb.cnm.version -e dcb.cnm.qntz_fb -e dcb.cnm.cpid \
	-e dcb.cnm.qoffset -e dcb.cnm.qdelta -e dcb.cnm.encap_priority -e dcb.cnm.encap_da \
	-e dcb.cnm.msdu_len -e dcb.cnm.msdu -e _ws.expert.message >"$tmp/seen"
cmp "$tmp/expected" "$tmp/seen" || {
	diff "$tmp/expected" "$tmp/seen" | head -n 20
	fail "tshark shows other fields than encoded"
}

# The frame after a CN-TAG is dissected; the MSDU in a CNM only if the preference is set.
expect "CN-tagged datagrams" "$(count "$tmp/whole.pcap" 'dcb.cntag.etype == 0x0800 && udp.dstport == 9')" 2
expect "CNMs with an IPv4 MSDU" \
	"$(count "$tmp/whole.pcap" 'dcb.cnm.msdu.etype == 0x0800')" 63
expect "datagrams in CNMs, dissect_msdu off" "$(count "$tmp/whole.pcap" 'dcb.cnm && ip')" 0
expect "datagrams in CNMs, dissect_msdu on" \
	"$(count "$tmp/whole.pcap" 'dcb.cnm && udp.dstport == 9' -o dcb.cnm.dissect_msdu:TRUE)" 39

# A frame truncated by the snapshot length is not malformed.
expect "truncated frames reported as malformed" \
	"$(count "$tmp/cut.pcap" 'dcb.cnm.malformed || dcb.cntag.malformed')" 0
expect "truncated CNMs" "$(count "$tmp/cut.pcap" dcb.cnm.cut)" \
	"$(($(count "$tmp/cut.pcap" dcb.cnm) - 1))"
expect "frames truncated in the CN-TAG" "$(count "$tmp/cut.pcap" dcb.cntag.cut)" 4

for capture in whole cut; do
	dissect "$tmp/$capture.pcap" -V -o dcb.cnm.dissect_msdu:TRUE >"$tmp/tree"
	! grep -n -B 3 -A 3 'Lua Error' "$tmp/tree" || fail "Lua errors with $capture.pcap"
done
exit $status
