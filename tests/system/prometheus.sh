#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's snmp_exporter with the module of contrib/prometheus reads bridges whose MAC addresses
# begin with 00 and 02. A CPID begins with the address: an exporter that takes the first octet for
# the length of the CPID has the same labels for all congestion points, and answers with status 500.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

exporter=127.0.0.1:9116
command -v prometheus-snmp-exporter >/dev/null ||
	skip_all "prometheus-snmp-exporter not found (Debian: prometheus-snmp-exporter)"

# http PATH: $status gets the status, $T/body the body of the answer.
http() {
	local line server
	status=none
	exec {server}<>"/dev/tcp/${exporter/://}" || return
	printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&"$server"
	read -r _ status _ <&"$server"
	while read -r line <&"$server" && [ "$line" != $'\r' ]; do :; done
	cat <&"$server" >$T/body
	exec {server}>&-
}
answers_http() {
	http / 2>/dev/null
	[ "$status" = 200 ]
}

# start_exporter: as Debian's unit starts it, with the module as its only configuration.
start_exporter() {
	start exporter prometheus-snmp-exporter --config.file="$src/contrib/prometheus/snmp-0.21.yml" \
		--web.listen-address=$exporter
	wait_for 10 "the exporter answers" answers_http || die "the exporter does not answer"
}

# by_snmp: lines "CPID ifIndex" of ieee8021CnCpidToInterfaceTable; by_exporter: the same of the scrape.
by_snmp() {
	walk "${O[ieee8021CnCpidToIfIfIndex]}" |
		sed -n "s/^\.${O[ieee8021CnCpidToIfIfIndex]}\.\([0-9.]*\) = INTEGER: \([0-9]*\)$/\1 \2/p" |
		while IFS=' .' read -ra n; do printf '0x%02X%02X%02X%02X%02X%02X%02X%02X %d\n' "${n[@]}"; done
}
by_exporter() {
	sed -n 's/^ieee8021CnCpidToIfIfIndex{ieee8021CnCpidToIfCpid="\(0x[0-9A-F]*\)"} \([0-9]*\)$/\1 \2/p' $T/body
}

# scrape_bridge OCTET: of a bridge with two ports, two CNPVs and a static entry, whose addresses begin
# with this octet.
scrape_bridge() {
	local i entry="$1:16:3e:00:00:99" row
	for i in 1 2; do
		ip link set sw$i down
		ip link set sw$i address "$1:16:3e:00:00:0$i" up || die "no address of sw$i"
	done
	rm -f $T/state/state
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects" served
	i=$(ifindex sw2)
	row=1.$((16#$1)).22.62.0.0.153
	put dcbStaticUnicastPort.$row "$i" dcbStaticUnicastRowStatus.$row 4
	http "/snmp?target=$agent&module=dcb"
	is "status of the scrape" "$status" 200
	[ "$status" = 200 ] || fail "body: $(head -c 400 $T/body)"
	by_snmp | sort >$T/cpids
	by_exporter | sort >$T/labels
	is "congestion points" "$(wc -l <$T/cpids)" 4
	is "CPIDs that begin with ${1}163E" "$(grep -c "^0x${1}163E" $T/cpids)" 4
	same "CPIDs of the exporter" $T/cpids $T/labels
	like "static entry" "$(grep '^dcbStaticUnicastPort{' $T/body)" \
		"dcbStaticUnicastAddress=\"${entry^^}\",dcbStaticUnicastVlan=\"1\"} $i$"
	like "name of a port" "$(grep '^dcbPortOperational{' $T/body)" 'ifName="sw1"'
	stop dcbd
}

for i in 1 2; do
	ip link add sw$i type veth peer name x$i || die "cannot make an interface"
	ip link set x$i up
done
patient_agent
dcbd_conf 'interfaces = { include = [ "sw*" ]; };' \
	'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },' \
	'{ object = "ieee8021CnComPriRowStatus"; index = "1.5"; value = "createAndGo"; } );'
start_snmpd
start agentx "$build/dcb-agentx" -x unix:$T/master -c $T/control -T $agentx_wait
start_exporter

test_addresses_that_begin_with_00() { scrape_bridge 00; }
test_addresses_that_begin_with_02() { scrape_bridge 02; }

# The end of snmp_exporter at SIGTERM has status 143.
test_exporter_runs_until_the_end() {
	running exporter || fail "the exporter has ended"
	stop exporter KILL
}

run_tests
