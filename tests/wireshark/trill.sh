#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# contrib/wireshark/dcb.lua below Wireshark's TRILL dissector: the way of one CNM, as a bridge between
# RBridges sends it, as the RBridge sends it on, and as its destination receives it.
# $DCB_RUN: a command that runs programs of another architecture.
set -eu
lua=$DCB_SRCDIR/contrib/wireshark/dcb.lua
frames="${DCB_RUN-} $DCB_BUILDDIR/tests/unit/dataplane/trill/frames"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# No preferences of the user, and no installed copy of the dissector.
HOME=$tmp XDG_CONFIG_HOME=$tmp WIRESHARK_CONFIG_DIR=$tmp
export HOME XDG_CONFIG_HOME WIRESHARK_CONFIG_DIR
status=0

for tool in tshark text2pcap; do
	command -v $tool >/dev/null || {
		echo "$tool not found (Debian: tshark)"
		exit 77
	}
done
tshark --version 2>/dev/null | tr '\n' ' ' | grep -q 'with Lua' || {
	echo "this tshark has no Lua"
	exit 77
}

esa=020000000a0a esb=020000000b0b b2=02000000b201
rb1=020000000102 rb2=020000000203 rb2_to_rb1=020000000201 rb3=020000000302
# Feedback 42, CPID, -402 and 100 units, priority 3, to RB3, 64 octets: TRILL header, addresses, VLAN
# 100 with priority 3, flow 4711, and an IPv4 datagram's first octets.
datagram=08004500003c00000000401100000a0000010a000002303900090028
pdu_head=002a02000000b2000003fe6e0064
msdu=22f300090a030a01$esb${esa}8100606422e91267${datagram}0102030405060708
cnm=$rb2${b2}8100c00122e9000022e7${pdu_head}6000${rb3}0040$msdu

# The RBridge's own nickname is 0A02 (2562). The verdict 0: transformed.
# shellcheck disable=SC2046 # the words of the answer
set -- $(echo "transform 2562 $cnm" | $frames)
if [ $# -ne 5 ] || [ "$1" -ne 0 ]; then
	echo "transform: $*, expected a CNM"
	exit 1
fi
egress=$2 vid=$3 priority=$4 native=$5
encapsulated=$(echo "encapsulate 1 $rb1 $rb2_to_rb1 1 $priority 0 0 63 $egress 2562" \
	"$vid $priority 0 1 $native" | $frames)
decapsulated=$(echo "decapsulate 1 $vid $priority 0 1 $encapsulated" | $frames)

for frame in "$cnm" "$encapsulated" "$decapsulated"; do
	echo "$frame" | sed 's/../ &/g; s/^/0000/'
done | text2pcap -q - "$tmp/trill.pcap" 2>"$tmp/err" || {
	cat "$tmp/err"
	exit 1
}

dissect() { # ARGUMENT...
	tshark -X "lua_script:$lua" -r "$tmp/trill.pcap" "$@" 2>"$tmp/err" || {
		cat "$tmp/err"
		status=1
	}
}

expect() { # WHAT: standard input against $tmp/got
	cat >"$tmp/expected"
	diff "$tmp/expected" "$tmp/got" || {
		echo "FAIL: $1"
		status=1
	}
}

dissect -T fields -E separator=' ' -e eth.dst -e eth.src -e vlan.id -e vlan.priority -e trill.egress_nick \
	-e trill.ingress_nick -e dcb.cntag.flow_id -e dcb.cnm.qntz_fb -e dcb.cnm.qdelta \
	-e dcb.cnm.encap_priority -e dcb.cnm.encap_da -e dcb.cnm.msdu_len -e dcb.cnm.msdu.etype \
	>"$tmp/got"
expect "fields of the three frames" <<END
02:00:00:00:02:03 02:00:00:00:b2:01 1 6   0 42 100 3 02:00:00:00:03:02 64 0x22f3
02:00:00:00:01:02,02:00:00:00:0a:0a 02:00:00:00:02:01,02:00:00:00:b2:01 1,100 6,6 2561 2562 4711 42 100 3 02:00:00:00:0b:0b 36 0x0800
02:00:00:00:0a:0a 02:00:00:00:b2:01 100 6   4711 42 100 3 02:00:00:00:0b:0b 36 0x0800
END

# The MSDU is dissected on request: the TRILL frame in the first, the datagram in all.
dissect -o dcb.cnm.dissect_msdu:TRUE -T fields -E separator=' ' -e trill.egress_nick \
	-e trill.ingress_nick -e ip.dst -e udp.dstport >"$tmp/got"
expect "fields of the encapsulated MSDU" <<END
2563 2561 10.0.0.2 9
2561 2562 10.0.0.2 9
  10.0.0.2 9
END

dissect -Y 'dcb.cnm.malformed || _ws.malformed' -T fields -e frame.number >"$tmp/got"
expect "no malformed frames" </dev/null
dissect -V -o dcb.cnm.dissect_msdu:TRUE >"$tmp/tree"
! grep -n -B 3 -A 3 'Lua Error' "$tmp/tree" || status=1
exit $status
