#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames whose segmentation and checksums hosts leave to their interfaces, over a link between two
# bridges that encapsulates them: TRILL, and MACsec.
#
#   +---+            +---+            +---+            +---+
#   | p | pa === ap  | a | ab === ba  | b | bq === qb  | q |
#   +---+            +---+            +---+            +---+
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/rbridges.sh
. "$(dirname -- "$(readlink -f -- "$0")")/rbridges.sh"
# shellcheck source=tests/system/tcp_hosts.sh
. "$(dirname -- "$(readlink -f -- "$0")")/tcp_hosts.sh"

for n in p a b q; do node $n; done
cable p pa a ap
cable a ab b ba
cable b bq q qb
ip -n a link set ab mtu 1600
ip -n b link set ba mtu 1600
tcp_host p pa 1
tcp_host q qb 2
tcp_serve q qb

# crosses PROTOCOL: TCP by IPv4 and IPv6, in frames of that protocol on the link only.
crosses() {
	local n
	for n in a b; do start_node $n; done
	wait_for 10 "ports are up" eval 'ports_up a ap ab && ports_up b ba bq' || return
	start link nsenter --net=/run/netns/b -- dumpcap -q -B 64 -i ba -f 'greater 200' -w $T/link.pcap
	wait_for 10 "dumpcap captures on the link" logged link 'File:'
	capture $((2 * tcp_octets / 1500))
	tcp p 2
	captured 1500
	stop link INT
	at_least "frames of $1" "$(tshark -r $T/link.pcap -Y "$1" 2>/dev/null | wc -l)" $((2 * tcp_octets / 1500))
	is "other frames" "$(tshark -r $T/link.pcap -Y "!$1" 2>/dev/null | wc -l)" 0
	for n in a b; do stop dcbd-$n; done
}

test_trill() {
	node_conf a rbridge 'a*' "initial = ( $(own 256; trunk ab; by ab 512 b ba) );"
	node_conf b rbridge 'b*' "initial = ( $(own 512; trunk ba; by ba 256 a ab) );"
	crosses trill
}

keys() { # NODE IF OWN PEER
	cat >$T/$1/keys <<-END
		port $2
		mode data
		sci $3/1
		peer_sci $4/1
		key 0 000102030405060708090a0b0c0d0e0f
	END
	chmod 600 $T/$1/keys
	node_conf $1 bridge "$1*" "macsec = { key_file = \"$T/$1/keys\"; };"
}
test_macsec() {
	keys a ab 02:00:00:00:aa:01 02:00:00:00:bb:01
	keys b ba 02:00:00:00:bb:01 02:00:00:00:aa:01
	crosses macsec
	stop serve KILL
}

run_tests
