#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every JSON output of dcbctl is valid by dcbctl.schema.json: each command on RBridges with neighbors,
# PFC, ETS, application priorities and VLANs, and on a station with reaction points.
#
#   station s === bs [RBridge b] ba === ab [RBridge a]
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"
# shellcheck source=tests/system/rbridges.sh
. "$(dirname -- "$(readlink -f -- "$0")")/rbridges.sh"
[ -w /dev/net/tun ] || skip_all "no write access to /dev/net/tun"
python3 -c 'import jsonschema' 2>/dev/null || skip_all "python3-jsonschema is not installed"

for n in a b s; do node $n; done
cable a ab b ba
cable s sb b bs
ip -n a link set ab mtu 1600
ip -n b link set ba mtu 1600
domain="$(cn_conf 3)"
node_conf a rbridge 'a*' "initial = ( $(own 256; trunk ab; by ab 512 b ba), $domain );"
node_conf b rbridge 'b*' "initial = ( $(own 512; trunk ba; by ba 256 a ab), $domain );"
node_conf s station 's*' "initial = ( $domain );" "ports = ( { name = \"sb\"; tap = \"tap0\"; } );"
for n in a b; do start_lldpd $n; done
for n in a b s; do start_node $n; done
ab=$(if_of a ab) ba=$(if_of b ba)

mkdir $T/out
outputs=0
# output NAME NODE ARGUMENT...: keeps the JSON of a command for a definition of the schema.
output() {
	local status=0
	outputs=$((outputs + 1))
	ctl "$2" -j "${@:3}" >$T/out/$outputs.$1 2>$T/error || status=$?
	# The status of an audit and of a trace is its result, and 1 that of a difference.
	case $1:$status in
	audit:* | diff:1 | storms-trace:1) ;;
	diff:* | *:[!0]*) fail "dcbctl -j ${*:3}: status $status, $(<$T/error)" ;;
	esac
	[ -s $T/out/$outputs.$1 ] || fail "dcbctl -j ${*:3}: no output"
}

test_settings_are_printed_as_json() {
	local n=$outputs
	output show a show cn_global # the first one, for test_schema_refuses_other_outputs
	output set a pfc set dev ab prio-pfc 3:on willing on tx-enable on
	output set a app add dev ab dscp-prio 46:5 default-prio 1 ethtype-prio 0x8906:3
	output set a set lldpXdot1dcbxAdminApplicationVlanAEVlanId.ab.1.35078 3 \
		lldpXdot1dcbxConfigApplicationVlanTxEnable.ab.1 true
	output set a ets set dev ab tc-tsa 0:ets 1:ets tc-bw 0:60 1:40 prio-tc 3:1 tx-enable on reco-tx-enable on
	output set b pfc set dev ba prio-pfc 3:on 4:on tx-enable on
	output set b app add dev ba stream-port-prio 3260:4
	output set b app set dev ba tx-enable on
	output set b ets set dev ba reco-tc-tsa 0:ets reco-tc-bw 0:100 tx-enable on reco-tx-enable on
	output set a preset --dry-run rocev2 ab
	echo "cp set dev ab prio 3 set-point 26001" >$T/batch
	output set a -b $T/batch
	# Differences with a port and without one, and of either side only.
	echo "set dcbNotifyRateLimit.0 9 dcbPfcPriorityEnable.ab.4 true" >$T/saved
	output diff a diff $T/saved
	like "differences" "$(jq -c '[.[] | [.object, .file, .port]]' $T/out/$outputs.diff)" '"dcbNotifyRateLimit",9,null'
	like "differences" "$(jq -c '[.[] | [.object, .file, .port]]' $T/out/$outputs.diff)" '"dcbPfcPriorityEnable",true,"ab"'
	at_least "outputs" $((outputs - n)) 11
	wait_for 10 "b's TLVs are in force" eval \
		'[ "$(ctl a -j dcbx ab | jq -c "[.[0].pfc.inForce, (.[0].applicationPriorities.theirs | length)]")" = "[[3,4],1]" ]'
}

test_every_command_is_printed_as_json() {
	local node table family
	for node in a s; do
		output show $node show
		output config $node config
		output status $node status
		output watch $node watch -c 1 port pfc_pri cn_cp
		output neighbors $node neighbors
		output dcbx $node dcbx
		output audit $node dcbx --audit
		output cn $node cn
		output buffers $node buffers
		output pauses $node pauses
		output hardware $node hardware
		for family in pfc ets app apptrust rewr ecn cn cp rp headroom watchdog storms counters; do
			[ $family = headroom ] || output port-$family $node -s $family show
			output port-$family $node -Np $family show dev $([ $node = a ] && echo ab || echo sb)
		done
	done
	for table in cpfc_if cpfc_pri cpfc_queue; do output show a show $table; done
	output show a show ieee8021CnCpQueueSizeSetPoint
	output watch a watch -c 2 -n 0.1 dcbPortRxFrames
	output headroom-port a headroom show
	output fdb a fdb show
	output storms-trace a storms --trace dev ab prio 3
	output trill a trill
	output trill-egress a trill egress
	output objects a objects
	output objects a objects cpfc_if
	output keywords a keywords
	output headroom a headroom --speed 25G --phy worst
	output cn-profile a cn-profile 25G
	# A port whose alternate priority is a CNPV is an errored port.
	set_at a ieee8021CnComPriRowStatus.1.4 4
	start monitor "$build/dcbctl" -j -s $T/a/control monitor -c 2
	wait_for 10 "two events" event_of_an_errored_port
	wait "${pid_of[monitor]}" || fail "monitor: status $?"
	unset 'pid_of[monitor]'
	cp "${log_of[monitor]}" $T/out/events.monitor
	"$build/tests/system/report_sample" >$T/out/sample.hardware-report || fail "report_sample"
	on s "$build/dcb-pfcgen" -j -p 3,4:100 -c 3 -i 1ms sb >$T/out/sent.pfcgen || fail "dcb-pfcgen"
}
# event_of_an_errored_port: makes an errored port and ends it, until the monitor has heard of it.
event_of_an_errored_port() {
	set_at a ieee8021CnPortPriAlternatePriority.1.3.$ab 4
	set_at a ieee8021CnPortPriAlternatePriority.1.3.$ab 0
	! running monitor
}

test_outputs_are_valid() {
	# The greatest number, which no counter reaches here.
	jq -c '.[0].rows[0].values.ieee8021CnGlobalDiscardedFrames = "18446744073709551615"' \
		"$(find $T/out -name "*.show" | sort -V | head -n 1)" >$T/out/greatest.show
	python3 "$src/tests/system/json_schema.py" "$src/contrib/json/dcbctl.schema.json" $T/out/* || fail "not valid"
}

# Outputs that the schema has to refuse, made from valid ones.
test_schema_refuses_other_outputs() {
	local n=0 name change
	mkdir $T/changed
	while read -r name change; do
		n=$((n + 1))
		jq -c "$change" "$(find $T/out -name "*.$name" | sort -V | head -n 1)" >$T/changed/$n.$name
	done <<-'END'
		show .[0].version = 2
		show del(.[0].version)
		show .[0].rows[0].values.ieee8021CnGlobalMasterEnable = "true"
		show .[0].rows[0].values.ieee8021CnGlobalDiscardedFrames = 1e30
		show .[0].rows[0].values.ieee8021CnGlobalDiscardedFrames = "1"
		show .[0].rows[0].values.none = 1
		show .[0].rows[0].port = 1
		diff del(.[0].file)
		port-cp .[0].priorities[0].set_point = 5
		port-cp .[0].priorities[0].set_point_octets = 99
		status .[0].operational = "up"
		monitor .[0].number = -1
	END
	is "changes" $n 12
	python3 "$src/tests/system/json_schema.py" --refuse "$src/contrib/json/dcbctl.schema.json" $T/changed/* ||
		fail "accepted"
}

run_tests
