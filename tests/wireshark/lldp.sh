#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The LLDP dissector of Wireshark shows the TLVs of dcbd as encoded. It does not
# dissect the Application VLAN TLV and the PFC delay: the octets of these are compared.
# contrib/wireshark/dcb.lua shows both forms of the PFC TLV, and the PFC delay.
set -eu
lua=$DCB_SRCDIR/contrib/wireshark/dcb.lua
program=$DCB_BUILDDIR/tests/wireshark/lldp_capture
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# No preferences of the user.
HOME=$tmp XDG_CONFIG_HOME=$tmp WIRESHARK_CONFIG_DIR=$tmp
export HOME XDG_CONFIG_HOME WIRESHARK_CONFIG_DIR

fail() {
	echo "FAIL: $*"
	exit 1
}

command -v tshark >/dev/null || {
	echo "tshark not found (Debian: tshark)"
	exit 77
}

tshark --version 2>/dev/null | tr '\n' ' ' | grep -q 'with Lua' || {
	echo "this tshark has no Lua"
	exit 77
}

eight() { # FIELD...: -e for FIELD0 to FIELD7
	for field; do
		for n in 0 1 2 3 4 5 6 7; do
			printf ' -e %s%d' "$field" "$n"
		done
	done
}

"$program" "$tmp/lldp.pcap" >"$tmp/expected"
[ "$(wc -l <"$tmp/expected")" -eq 500 ] || fail "expected 500 LLDPDUs"

# shellcheck disable=SC2046 # many arguments are wanted
tshark -r "$tmp/lldp.pcap" -T fields \
	$(eight lldp.ieee.802_1qau.cnpv.prio lldp.ieee.802_1qau.ready.prio) \
	-e lldp.dcbx.ieee.willing -e lldp.dcbx.ieee.ets.cbs -e lldp.dcbx.ieee.ets.maxtcs \
	$(eight lldp.dcbx.feature.pg.pgid_prio lldp.dcbx.feature.pg.per lldp.dcbx.ieee.ets.tsa) \
	-e lldp.dcbx.ieee.pfc.mbc -e lldp.dcbx.ieee.pfc.numtcs \
	$(eight lldp.dcbx.feature.pfc.prio) \
	-e lldp.dcbx.ieee.app.prio -e lldp.dcbx.iee.app.sf -e lldp.dcbx.feature.app.proto \
	>"$tmp/fields" 2>"$tmp/err" || {
	cat "$tmp/err"
	fail "tshark cannot read the capture"
}
# The PFC delay is the last TLV before the End Of LLDPDU TLV of two octets, and behind the
# Application VLAN TLV.
tshark -r "$tmp/lldp.pcap" -x -Y 'lldp.ieee.802_1.subtype == 0x17' 2>"$tmp/err" |
	awk '/^[0-9a-f]+  / { octets = octets substr($0, 7, 47) }
		/^$/ && octets { print_octets() }
		function print_octets(    vlans) {
			gsub(/ /, "", octets)
			vlans = substr(octets, 1, length(octets) - 32)
			sub(/.*0080c210/, "", vlans)
			print vlans "\t" substr(octets, length(octets) - 19, 16)
			octets = ""
		}
		END { if (octets) print_octets() }' >"$tmp/octets"
tshark -X "lua_script:$lua" -r "$tmp/lldp.pcap" -T fields \
	-e dcb.lldp.pfc.willing -e dcb.lldp.pfc.mbc -e dcb.lldp.pfc.cap -e dcb.lldp.pfc.enable \
	-e dcb.lldp.pfc.macsec -e dcb.lldp.pfc.privacy -e dcb.lldp.pfc.rtm -e dcb.lldp.pfc.ptp \
	-e dcb.lldp.pfc_delay >"$tmp/lua" 2>"$tmp/err" || {
	cat "$tmp/err"
	fail "tshark cannot read the capture"
}
paste "$tmp/fields" "$tmp/octets" "$tmp/lua" >"$tmp/seen"
cmp "$tmp/expected" "$tmp/seen" || {
	diff "$tmp/expected" "$tmp/seen" | head -n 20
	fail "tshark shows other fields than encoded"
}
reported=$(tshark -r "$tmp/lldp.pcap" -T fields -e frame.number \
	-Y '_ws.malformed || lldp.incorrect_length || lldp.excess_length' 2>"$tmp/err") || {
	cat "$tmp/err"
	fail "tshark cannot read the capture"
}
[ -z "$reported" ] || fail "expert messages for frames $reported"

# frames CAPTURE FILTER: how many frames dcb.lua shows with it.
frames() { tshark -X "lua_script:$lua" -r "$1" -Y "$2" 2>"$tmp/err" | wc -l; }

negative=$(awk -F '\t' '$NF < 0' "$tmp/expected" | wc -l)
[ "$negative" -gt 100 ] || fail "$negative negative delays, expected more than 100"
[ "$(frames "$tmp/lldp.pcap" dcb.lldp.negative)" -eq "$negative" ] || fail "expected $negative negative delays"
[ "$(frames "$tmp/lldp.pcap" dcb.lldp.malformed)" -eq 0 ] || fail "valid TLVs are shown as malformed"
# Eight of ten lengths of the PFC TLV are valid, and two of the PFC delay.
"$program" "$tmp/lengths.pcap" lengths
[ "$(frames "$tmp/lengths.pcap" dcb.lldp)" -eq 20 ] || fail "expected 20 TLVs"
[ "$(frames "$tmp/lengths.pcap" dcb.lldp.malformed)" -eq 10 ] || fail "expected 10 malformed TLVs"
[ "$(frames "$tmp/lengths.pcap" 'dcb.lldp.pfc.rtm == 0 || dcb.lldp.pfc.reserved == 0 || dcb.lldp.pfc_delay == 0')" -eq 10 ] ||
	fail "expected 10 valid TLVs"
for capture in lldp lengths; do
	tshark -X "lua_script:$lua" -r "$tmp/$capture.pcap" -V >"$tmp/tree" 2>"$tmp/err"
	! grep -n -B 3 -A 3 'Lua Error' "$tmp/tree" || fail "Lua errors with $capture.pcap"
done
