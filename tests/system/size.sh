#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# 4096 ports, or 1024 with a sanitizer: dcbd starts, a walk is in order, and a SET for one port and
# a start with a state file of all ports are fast.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

ports=4096
[ $slow -eq 1 ] || ports=1024
step=$((ports / 20 - 5)) # between the twenty ports that are set
# A PDU of fifty rows is fifty exchanges between three processes, each of which may have to wait for
# a processor.
v2c=(-v2c -c private -t 100 -r 0) version=("${v2c[@]}")

test_start_is_fast() {
	dcbd_conf "memory_ports = $ports;" 'initial = (
		{ object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } );'
	start dcbd "$build/dcbd" -c $T/dcbd.conf
	wait_for 10 "dcbd is up" logged dcbd "$ports ports" || die "dcbd does not start"
	printf '    %d ports after %d ms\n' $ports "$waited"
	timed at_most "milliseconds of start" "$waited" 3000
	start_snmpd
	start_agentx
}

resident() { awk '/^VmRSS/ { print $2 }' "/proc/${pid_of[$1]}/status"; }

test_walk_is_complete_and_in_order() {
	local start n where root name last='' tables=0 roots=()
	local counted='dcbPortOperational|dcbCpQueueLength|dcbPfcPriorityRequests|lldpXdot1dcbxAdminETSConTrafficClassBandwidth'
	# The LLDP tables and our own have many similar rows: walk the first column of every fifth.
	for name in "${objects[@]}"; do
		if [[ ${O[$name]} == $LLDP.* || ${O[$name]} == $AGENT.* ]] && [ "${table_of[$name]}" != "$last" ]; then
			tables=$((tables + 1))
			if [ $((tables % 5)) -eq 0 ] || [[ $name =~ ^($counted)$ ]]; then roots+=("${O[$name]}"); fi
		fi
		last=${table_of[$name]}
	done
	at_least "tables" $tables 40
	clock
	start=$now
	# After a walk of a table without rows, as those of neighbors are, the tools send a GET for
	# its root.
	for root in $PFC $CN $(printf "%s\n" "${roots[@]}" | sort -V); do walk "$root" -Cr50; done |
		grep -v ' = No Such Instance ' >$T/walk
	clock
	n=$(wc -l <$T/walk)
	printf '    %d values in %d ms\n' "$n" $((now - start))
	! grep -vE ' = (INTEGER|Gauge32|Counter32|Counter64|Timeticks|STRING|Hex-STRING): ' $T/walk | head -n 3 | grep . ||
		fail "the walk has lines without a value"
	# Rows of PFC, of the component and of each port, and our own.
	for name in ieee8021PfcRequests ieee8021CnPortPriDefModeChoice ieee8021CnCpPriority \
		ieee8021CnCpidToIfIfIndex dcbPortOperational dcbCpQueueLength; do
		is "rows of $name" "$(grep -c "^\.${O[$name]}\." $T/walk)" $ports
	done
	is "rows of dcbPfcPriorityRequests" "$(grep -c "^\.${O[dcbPfcPriorityRequests]}\." $T/walk)" $((8 * ports))
	is "rows of lldpXdot1dcbxAdminETSConTrafficClassBandwidth" \
		"$(grep -c "^\.${O[lldpXdot1dcbxAdminETSConTrafficClassBandwidth]}\." $T/walk)" $((8 * ports))
	# Each of the walked subtrees is in order.
	where=$(grep '^\.1\.3\.111\.2\.802\.1\.1\.13\.' $T/walk | ascending) || fail "$where"
	where=$(grep '^\.1\.3\.111\.2\.802\.1\.1\.18\.' $T/walk | ascending) || fail "$where"
	where=$(grep '^\.1\.3\.6\.' $T/walk | ascending) || fail "$where"
	printf '    dcbd %d KB, dcb-agentx %d KB\n' "$(resident dcbd)" "$(resident agentx)"
}

test_set_of_one_port_is_fast() {
	local i took longest=0 start
	for ((i = 0; i < 20; i++)); do
		start=${EPOCHREALTIME/./}
		put ieee8021CnCpQueueSizeSetPoint.1.$((100001 + step * i)).3 $((30000 + i))
		took=$(((${EPOCHREALTIME/./} - start) / 1000))
		[ $took -le $longest ] || longest=$took
	done
	printf '    at most %d ms a SET\n' $longest
	timed at_most "milliseconds of a SET" $longest 400
	is "value of the last SET" "$(get ieee8021CnCpQueueSizeSetPoint.1.$((100001 + step * 19)).3)" 30019
}

# A CNPV that is created or deleted adds or removes a congestion point on each port.
test_cnpv_on_every_port() {
	local start
	clock
	start=$now
	put ieee8021CnComPriRowStatus.1.5 4
	is "CPs" "$(count_rows ieee8021CnCpPriority)" $((2 * ports))
	put ieee8021CnComPriRowStatus.1.5 6
	is "CPs" "$(count_rows ieee8021CnCpPriority)" $ports
	clock
	printf '    created, walked, deleted, walked in %d ms\n' $((now - start))
}

test_restart_with_settings_of_all_ports() {
	local i list=()
	for ((i = 0; i < ports; i++)); do
		list+=("ieee8021PfcLinkDelayAllowance.$((100001 + i))" $((1 + i)))
		if [ ${#list[@]} -eq 256 ]; then # 128 objects, the maximum of snmpset
			put "${list[@]}"
			list=()
		fi
	done
	stop dcbd
	start dcbd "$build/dcbd" -c $T/dcbd.conf
	wait_for 10 "dcbd is up" logged dcbd "$ports ports"
	printf '    up again after %d ms, state file of %d KB\n' "$waited" $(($(wc -c <$T/state/state) / 1024))
	timed at_most "milliseconds of start" "$waited" 5000
	wait_for 5 "dcb-agentx serves its objects again" served
	walk "${O[ieee8021PfcLinkDelayAllowance]}" -Cr100 | awk '{ print $NF }' >$T/got
	seq 1 $ports >$T/wanted
	same "values" $T/wanted $T/got
}

run_tests
