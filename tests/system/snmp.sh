# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=tests/system/lib.sh disable=SC2154 # of lib.sh
# Sourced by lib.sh: the managed objects, and requests of a manager for them by SNMP.

# --- the rows of the managed objects -----------------------------------------------------------

# By object name: the OID is from the MIB modules, the rest from the rows of mibs/*.def, as in the
# programs.
declare -A O=() table_of=() syntax=() access=() least=() most=() initial=() entry=()
objects=() # names, in the order of the rows

read_objects() {
	local a b c d e f g h files
	mapfile -t files < <(sed -n "s,^#include \"\(.*\)\"\$,$src/\1,p" "$src/mibs/all.def" |
		xargs grep -L '^OPTIONAL_TABLE')
	while IFS=$'\t" ' read -r a b; do
		[ -z "$a" ] || O[$a]=$b
	done < <(MIBS=ALL snmptranslate -M "$src/mibs:$src/mibs/base" -m ALL -Tz |
		awk -F'"' '{ print $2 "\t" $4 }')
	while read -r a b c d e f g h; do
		if [ "$a" = TABLE ]; then
			entry[$b]=$c
			continue
		fi
		objects+=("$c")
		[ "$d" != VLANS ] || f=00 g=60 # octets: no VLAN, and the second and third
		table_of[$c]=$b syntax[$c]=$d access[$c]=$e least[$c]=$f most[$c]=$g initial[$c]=$h
		[ -n "${O[$c]-}" ] || die "$c is in mibs/*.def and not in a MIB module"
	done < <(awk -F', *' '
		function number(text) {
			if (text == "UINT32_MAX") return "4294967295"
			if (text == "INT32_MAX") return "2147483647"
			if (text == "INT32_MIN") return "-2147483648"
			return text
		}
		function initial(text) { return gsub(/^(DEFVAL|INITIAL)\(|\)$/, "", text) > 1 ? text : "" }
		/^(TABLE|COL)\(/ { sub(/\(/, ", ") }
		$1 == "TABLE" { print "TABLE", $2, $4 }
		$1 == "COL" { print "COL", $2, $4, $5, $7, number($8), number($9), number(initial($10)) }
	' "${files[@]}")
	[ ${#objects[@]} -ge 80 ] || die "only ${#objects[@]} objects in mibs/*.def"
}
read_objects

CN=1.3.111.2.802.1.1.18 PFC=1.3.111.2.802.1.1.21 LLDP=1.3.111.2.802.1.1.13.1.5.32962
AGENT=${O[dcbAgentMIB]}
# The object takes the fixed allowance and reads as the calculated headroom (12.23).
reads_otherwise() { [ "$1" = dcbPfcHeadroomAllowance ]; }
# app_priority has lines of "initial" that make rows for application priorities and application
# VLANs, which have none by default.
drop_neighbor_objects() { # removes from $objects those that have no row without a neighbor, MACsec, a device or a pause
	local name kept=()
	for name in "${objects[@]}"; do
		[[ ${table_of[$name]} =~ ^(lldp_rem_.*|neighbor|secy|secy_rx|secy_sa|hardware|hardware_pri|pfc_pause)$ ]] || kept+=("$name")
	done
	objects=("${kept[@]}")
}
drop_bridge_objects() { # removes from $objects those that a station does not have
	local name kept=()
	for name in "${objects[@]}"; do
		[[ ${table_of[$name]} =~ ^(vlan_port|static_unicast|base_port|fdb|tp_fdb|rewrite|ecn|trill_.*)$ ]] ||
			[[ $name =~ ^dcbPort(DiscardFrameType|DiscardIngress|DiscardEgress|DiscardBroadcast|DiscardMulticast|DiscardUnknown|Trust|By.*)$ ]] || kept+=("$name")
	done
	objects=("${kept[@]}")
}
app_priority='{ object = "lldpXdot1dcbxAdminApplicationPriorityAEPriority"; index = "*.1.35078"; port = "*"; value = "3"; },
	{ object = "lldpXdot1dcbxAdminApplicationVlanAEVlanId"; index = "*.1.35078"; port = "*"; value = "3"; }'
is_scalar() { [[ ${table_of[$1]} =~ ^(agent_id|engine|notify|lldp|buffer_memory|fdb_flush|trill)$ ]]; }

# --- SNMP ----------------------------------------------------------------------------------------

export MIBS='' SNMPCONFPATH=$T/snmp SNMP_PERSISTENT_DIR=$T/snmp/client
agent=127.0.0.1:1161
v1=(-v1 -c private -t 10 -r 0)
v2c=(-v2c -c private -t 10 -r 0)
v3=(-v3 -u rw1 -l authPriv -a SHA-256 -A authpass1 -x AES -X privpass1 -t 10 -r 0)
version=("${v2c[@]}") # of every SET

# Milliseconds that dcb-agentx waits for dcbd. The master waits a second longer for dcb-agentx.
agentx_wait=4000
# patient_agent: increases these times, for tests that do not stop dcbd. Call it before the programs
# start.
patient_agent() {
	agentx_wait=20000
	v1+=(-t 60) v2c+=(-t 60) v3+=(-t 60)
	version=("${v2c[@]}")
}

# oids NAME.INSTANCE...: puts the OIDs into the array $oids. An argument that starts with a digit is
# an OID already.
oids() {
	local a
	oids=()
	for a; do
		case $a in
		[0-9]*) oids+=("$a") ;;
		*) oids+=("${O[${a%%.*}]?no object ${a%%.*}}.${a#*.}") ;;
		esac
	done
}

# get NAME.INSTANCE...: values without type, one a line.
get() {
	local oids
	oids "$@"
	snmpget "${v2c[@]}" -Oqv $agent "${oids[@]}" 2>&1
}

# get_hex NAME.INSTANCE: an octet string in hexadecimal digits. Without -Ox snmpget prints printable
# octets as text.
get_hex() {
	oids "$1"
	snmpget "${v2c[@]}" -Oqvx $agent "${oids[0]}" 2>&1 | tr -d '" \n' | tr A-F a-f
}

# Waits until dcb-agentx has no cached rows: it caches a page of rows for up to 100 ms, so a change
# that is not by its own SET may be that late to see.
fresh() { pause 0.12; }

# type_of NAME: puts snmpset's letter for the type of the object's values into $type.
type_of() {
	case ${syntax[$1]} in
	INTEGER32 | TRUTH | ENUM | ROW_STATUS) type=i ;;
	UNSIGNED32 | COUNTER32 | COUNTER64) type=u ;;
	# snmpset has no letter for counters, which are read-only.

	TIMETICKS) type=t ;;
	OCTETS | BITS | VLANS) type=x ;;
	*) type=s ;;
	esac
}

# varbinds NAME.INSTANCE VALUE...: puts arguments for snmpset into the array $varbinds.
varbinds() {
	local oids type
	varbinds=()
	while [ $# -gt 0 ]; do
		oids "$1"
		type_of "${1%%.*}"
		varbinds+=("${oids[0]}" "$type" "$2")
		shift 2
	done
}

# raw_set OID TYPE VALUE...: sends a SET and puts the error-status, or noError, into $error.
raw_set() {
	local out
	if out=$(snmpset "${version[@]}" -Oqn $agent "$@" 2>&1); then
		error=noError
	else
		error=${out#*Reason: }
		error=${error%%[[:space:]]*}
		error=${error//[()]/}
		[[ $out == *Reason:* ]] || error=${out%%$'\n'*}
	fi
}

try() { # NAME.INSTANCE VALUE...: as raw_set
	local varbinds
	varbinds "$@"
	raw_set "${varbinds[@]}"
}

try_culprit() { # NAME.INSTANCE VALUE...: as try; $culprit gets the OID of the varbind at fault
	local varbinds out
	varbinds "$@"
	out=$(snmpset "${version[@]}" -On $agent "${varbinds[@]}" 2>&1)
	culprit=$(sed -n 's/^Failed object: //p' <<<"$out")
	error=$(sed -n 's/^Reason: (\{0,1\}\([A-Za-z]*\).*/\1/p' <<<"$out")
}

# ask WANTED get|set WORD...: adds a line for snmp_batch, with numeric OIDs, and an extended regular
# expression for its answer.
# ask_set WANTED NAME.INSTANCE VALUE; ask_get WANTED NAME.INSTANCE
# answers WHAT [OPTION...]: sends all lines in that order, over v2c if there is no option, and
# checks the answers.
ask() {
	printf '%s\n' "$1" >>$T/wanted_answers
	printf '%s\n' "${*:2}" >>$T/questions
}
ask_set() {
	local oids type
	oids "$2"
	type_of "${2%%.*}"
	ask "$1" set "${oids[0]}" $type "$3"
}
ask_get() {
	local oids
	oids "$2"
	ask "$1" get "${oids[0]}"
}
answers() {
	local options=("${@:2}") odd
	[ $# -gt 1 ] || options=("${v2c[@]}")
	"$build/tests/system/snmp_batch" "${options[@]}" $agent <$T/questions >$T/answers 2>&1
	is "$1: answers" "$(wc -l <$T/answers)" "$(wc -l <$T/questions)"
	odd=$(paste -d'\t' $T/answers $T/wanted_answers $T/questions |
		awk -F'\t' '$1 !~ "^(" $2 ")$" { print $3 ": " $1 ", wanted " $2 }' | head -n 10)
	[ -z "$odd" ] || fail "$1:"$'\n'"$odd"
	rm $T/questions $T/wanted_answers
}

put() { # NAME.INSTANCE VALUE...: a SET that has to succeed
	try "$@"
	[ "$error" = noError ] || fail "set $*: $error"
}

refused() { # ERROR-STATUS NAME.INSTANCE VALUE...: a SET that has to fail with this status
	try "${@:2}"
	[[ $error =~ ^($1)$ ]] || fail "set ${*:2}: $error, wanted $1"
}

holds() { # NAME.INSTANCE VALUE: the object has the value
	[ "$(get "$1")" = "$2" ]
}

# walk ROOT [OPTION...]: ".OID = TYPE: value" a line, without the tools' message about the end of
# the MIB.
at_end='No more variables left in this MIB View|^End of MIB$'
walk() {
	snmpbulkwalk "${v2c[@]}" -On -Cr25 "${@:2}" $agent "$1" 2>&1 | grep -vE "$at_end"
}

# Walks all four subtrees of dcb-agentx.
walk_all() {
	local root
	for root in $PFC $LLDP $CN "$AGENT"; do walk "$root" "$@"; done
}

# walk_by TOOL OPTION...: as walk_all, by another tool.
walk_by() {
	local root
	for root in $PFC $LLDP $CN "$AGENT"; do "$@" -On $agent "$root" 2>&1; done | grep -vE "$at_end"
}

# still removes the values that change without a SET, settled also those that every SET changes, and
# what ports send and measure.
still() {
	sed -E -e "s/^(\.${O[dcbAgentUpTime]}|\.${O[dcbEngineLoops]}|\.${O[dcbEngineConfigAdopted]})(\.0) = .*/\1\2/" \
		-e "s/^(\.${O[dcbFdbAge]}\.[0-9.]+) = .*/\1/"
}
settled() {
	still | grep -vE "^\.(${O[dcbAgentStateSaves]}|${O[dcbAgentStateFailures]}|${O[dcbEngineConfigPublished]}|${O[dcbBufferWatermarksSince]}|${O[dcbDcbxPortChanges]}|${O[dcbCnPortModeChanges]}|${O[dcbPortCounterDiscontinuityTime]}|${O[dcbPortTxFrames]}|${O[dcbNotifySent]}|${O[dcbNotifySuppressed]}|${O[dcbPortTxOctets]}|${O[dcbPfcMeasureEnable]%.*}\.(9|[1-9][0-9]))\."
}

# rows NAME: instances of a column, one a line.
rows() {
	walk "${O[$1]}" | sed -nE "s/^\.${O[$1]}\.([0-9.]+) = .*/\1/p" || true
}

count_rows() { rows "$1" | wc -l; }
has_row() { rows "$1" | grep -qxF -- "$2"; }

# Checks that the OIDs in lines of a walk on standard input are strictly ascending, sub-identifier
# by sub-identifier. Prints the first two lines that are not.
ascending() {
	awk '
		{ n = split(substr($1, 2), oid, ".") }
		NR > 1 {
			for (i = 1; i <= n && i <= m && oid[i] == last[i]; i++);
			if (i > n || (i <= m && oid[i] + 0 < last[i] + 0)) { print line " then " $1; exit 1 }
		}
		{ m = n; line = $1; for (i = 1; i <= n; i++) last[i] = oid[i] }
	'
}
