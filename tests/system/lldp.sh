# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced after lib.sh. A node is a network namespace with a dcbd and an lldpd. The functions link
# nodes by veth pairs and make neighbors that send raw LLDPDUs.
#
#   node a; node b; cable a ab b ba     a: [ab] === [ba] :b
#   node_conf a bridge ab* LINE...      its dcbd.conf
#   start_lldpd a; start_node a
#
# $T/NAME has the node's files: dcbd.conf, state, control, lldpd's socket. The node's programs are
# dcbd-NAME and lldpd-NAME for "start" and "stop" of lib.sh.
$many_users || skip_all "lldpd needs a second user, which this user namespace does not have"
command -v lldpd lldpcli >/dev/null || skip_all "lldpd is not installed"
command -v jq >/dev/null || skip_all "jq is not installed"
! grep -qF 'S["WITH_LLDPCTL_TRUE"]="#"' "$build/config.status" 2>/dev/null || skip_all "built without liblldpctl"

peer=$build/tests/system/lldp_peer
probe=$build/tests/system/mo_probe
frames=$build/tests/system/frames
# Values of ieee8021CnPortPriAutoDefenseMode.
INTERIOR=2 READY=3 EDGE=4
interval=2 # seconds between the LLDPDUs of an lldpd; their TTL is four times that

node() { # NAME
	ip netns add "$1" || die "no namespace $1"
	on "$1" bash -c "$(declare -f quiet_ipv6); quiet_ipv6; ip link set lo up"
	mkdir -p $T/$1
}

cable() { # NODE IF NODE IF
	local address first
	new_address
	first=$address
	new_address
	ip link add "$2" address "$first" netns "$1" type veth peer name "$4" address "$address" netns "$3" ||
		die "no veth pair from $1 to $3"
	ip -n "$1" link set "$2" up
	ip -n "$3" link set "$4" up
}
uncable() { ip -n "$1" link del "$2"; } # NODE IF

if_of() { ip -n "$1" -o link show dev "$2" | cut -d: -f1; } # NODE IF
mac_of() { ip -n "$1" -j link show dev "$2" | jq -r '.[0].address'; }

# --- lldpd -----------------------------------------------------------------------------------

lldpd_args() { printf '%s\n' -dd -u $T/$1/lldpd -p $T/$1/lldpd.pid -I "$2" -C "$2" -S "$1" -L ''; }

# start_lldpd NODE [PATTERN] [later]: starts lldpd on the interfaces that match, by default all, and
# waits for it unless "later" is given.
declare -A lldpd_pattern=()
start_lldpd() {
	local args
	lldpd_pattern[$1]=${2-${lldpd_pattern[$1]-'*'}}
	mapfile -t args < <(lldpd_args "$1" "${lldpd_pattern[$1]}")
	start lldpd-$1 nsenter --net=/run/netns/$1 -- lldpd "${args[@]}"
	[ "${3-}" = later ] || lldpd_is_up "$1"
}
# Asks lldpd itself: its socket may be left from a killed one.
lldpd_is_up() { wait_for 10 "lldpd of $1 has a tx-interval of $interval s" has_interval $1 || die "lldpd of $1 does not answer"; }
# dcb-lldp, which sets the configuration too, can undo it.
has_interval() {
	lldp $1 configure lldp tx-interval $interval &&
		lldpcli -u $T/$1/lldpd show configuration 2>/dev/null | grep -q "Transmit delay: $interval$"
}
lldp() { lldpcli -u $T/$1/lldpd "${@:2}" >/dev/null 2>&1; } # NODE COMMAND...

# lldpd's worker, which has the sockets: the child of the process that "start" started.
lldpd_worker() {
	local worker
	read -r worker </proc/${pid_of[lldpd-$1]}/task/${pid_of[lldpd-$1]}/children
	echo $worker
}

# crash_lldpd NODE [worker|monitor]: kills both processes, this one first. If it is the monitor, the
# worker may send shutdown LLDPDUs before it ends.
crash_lldpd() {
	local worker
	worker=$(lldpd_worker "$1")
	if [ "${2-worker}" = worker ]; then
		kill -KILL $worker "${pid_of[lldpd-$1]}"
	else
		kill -KILL "${pid_of[lldpd-$1]}" $worker
	fi
	wait "${pid_of[lldpd-$1]}" 2>/dev/null
	unset "pid_of[lldpd-$1]"
	wait_for 5 "the end of lldpd's worker" gone "$worker"
}

# heard NODE IF: a line "SUBTYPE:HEX" for each TLV of neighbors with OUI 00-80-C2, from lldpd.
heard() {
	lldpcli -u $T/$1/lldpd -f json0 show neighbors details 2>/dev/null | jq -r --arg i "$2" '
		.lldp[].interface[]? | select(.name == $i) | .["unknown-tlvs"][]?["unknown-tlv"][]? |
		select(.oui == "00,80,C2") | .subtype + ":" + ((.value // "") | gsub(","; "") | ascii_downcase)'
}
# neighbors NODE IF: the number of its neighbors.
neighbors() {
	lldpcli -u $T/$1/lldpd -f json0 show neighbors 2>/dev/null |
		jq --arg i "$2" '[.lldp[].interface[]? | select(.name == $i)] | length'
}

# --- dcbd ------------------------------------------------------------------------------------

# node_conf NODE ROLE PATTERN LINE...: writes dcbd.conf of these lines and the lines that all nodes
# have.
node_conf() {
	cat >$T/$1/dcbd.conf <<-END
		role = "$2";
		interfaces = { include = [ "$3" ]; };
		$(printf '%s\n' "${@:4}")
		user = "root";
		$no_real_time
		state_file = "$T/$1/state";
		control = { socket = "$T/$1/control"; };
		lldp = { socket = "$T/$1/lldpd"; };
	END
}

start_node() { # NODE [OPTION...]
	start dcbd-$1 nsenter --net=/run/netns/$1 -- "$build/dcbd" -c $T/$1/dcbd.conf "${@:2}"
	wait_for 20 "dcbd of $1 is up" eval "logged dcbd-$1 'version .* ports' || ! running dcbd-$1"
	running dcbd-$1 || die "dcbd of $1 has ended"
}

ctl() { "$build/dcbctl" -s $T/$1/control "${@:2}"; }             # NODE ARGUMENT...
value() { "$probe" get $T/$1/control "${@:2}"; }                 # NODE OBJECT.INDEX...: numbers, one a line
is_value() { [ "$(value "$1" "$2")" = "$3" ]; }                  # NODE OBJECT.INDEX VALUE
# adopted NODE: its dataplane uses all settings and TLVs that were set and received before the call.
adopted() {
	local generations
	mapfile -t generations < <(value "$1" dcbEngineConfigPublished.0 dcbEngineConfigAdopted.0)
	[ "${generations[0]}" = "${generations[1]}" ]
}
# ports_up NODE IF...: its dcbd reports them as operational.
ports_up() {
	local i
	for i in "${@:2}"; do is_value "$1" dcbPortOperational.$(if_of "$1" "$i") 1 || return 1; done
}
set_at() { "$probe" set $T/$1/control "${@:2}" >$T/set 2>&1 || fail "$1: set ${*:2}: $(<$T/set)"; }
refused_at() { # ERROR-STATUS NODE OBJECT.INDEX VALUE...
	local result
	result=$("$probe" set $T/$2/control "${@:3}" 2>&1)
	is "$2: set ${*:3}" "${result##* }" "$1"
}

# --- congestion notification domains ---------------------------------------------------------

# cn_conf [PRIORITY...]: entries of "initial" that create CNPVs and enable the CN TLV on all ports.
cn_conf() {
	local p
	for p; do
		printf '{ object = "ieee8021CnComPriRowStatus"; index = "1.%s"; value = "createAndGo"; },\n' $p
	done
	printf '{ object = "lldpXdot1CnConfigCnTxEnable"; index = "*.1"; port = "*"; value = "true"; }\n'
}

# mode NODE IF [PRIORITY]: automatic defense mode: 2 interior, 3 interiorReady, 4 edge.
mode() { value "$1" ieee8021CnPortPriAutoDefenseMode.1.${3-3}.$(if_of "$1" "$2"); }
is_mode() { [ "$(mode "$1" "$2" "${4-3}")" = "$3" ]; } # NODE IF MODE [PRIORITY]
# ready NODE IF NODE IF...: all of these ports are interiorReady.
ready() {
	while [ $# -gt 0 ]; do
		is_mode "$1" "$2" $READY || return 1
		shift 2
	done
}

# --- on the wire -----------------------------------------------------------------------------

# listen_on NODE IF: lists LLDPDUs there from now on, for said and count_said.
listen_on() {
	start list-$2 nsenter --net=/run/netns/$1 -- "$peer" list "$2"
	wait_for 5 "$2 lists LLDPDUs" logged list-$2 ready || die "cannot list LLDPDUs at $2"
}
# said IF in|out [SINCE]: TLVs of the LLDPDUs received or sent there since that time in
# microseconds.
said() {
	awk -v d="$2" -v t="${3-0}" '$2 == d && $1 >= t { $1 = $2 = $3 = $4 = $5 = ""; sub(/^ +/, ""); print }' \
		"${log_of[list-$1]}"
}
count_said() { said "$@" | wc -l; }
last_said() { said "$@" | tail -n 1; }
# speak NODE IF [OPTION...] TLV...: starts a neighbor that sends raw LLDPDUs with these TLVs. It
# replaces the one before.
speak() {
	stop_peer $2
	start peer-$2 nsenter --net=/run/netns/$1 -- "$peer" send "$2" -n 0 "${@:3}"
}
leave() { # NODE IF: the neighbor sends a shutdown LLDPDU and stops
	stop_peer $2
	on $1 "$peer" send $2 -t 0
}
stop_peer() { [ -z "${pid_of[peer-$1]-}" ] || stop peer-$1; } # IF: stops the neighbor without shutdown LLDPDU
# microseconds since 1970 in $us
time_us() { us=${EPOCHREALTIME/./}; }

# percentiles NAME NUMBER...: prints the count, median, 99th percentile and maximum; puts them into
# $p50 and $p99.
percentiles() {
	local sorted n
	mapfile -t sorted < <(printf '%s\n' "${@:2}" | sort -n)
	n=${#sorted[@]}
	p50=${sorted[n / 2]} p99=${sorted[(n * 99 + 99) / 100 - 1]}
	printf '    %s: %d times, p50 %d us, p99 %d us, maximum %d us\n' "$1" $n $p50 $p99 "${sorted[n - 1]}"
}
