#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The drop-in files for snmpd, contrib/snmpd/*.conf, as they are, and the users that they say how to
# create: one reads and cannot set, the other one sets, both with encryption only.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

drop_in=$src/contrib/snmpd/dcb-agent.conf
users=$src/contrib/snmpd/dcb-agent-users.conf
agentx_socket=unix:/run/agentx/master
allowance=${O[ieee8021PfcLinkDelayAllowance]} value=0
declare -A auth=() priv=()

# create_users: appends the createUser lines of the comment in $users to the file that snmpd
# keeps, and puts the passphrases into $auth and $priv.
create_users() {
	local line words
	while read -r line; do
		read -ra words <<<"${line//\"/}"
		auth[${words[1]}]=${words[3]} priv[${words[1]}]=${words[5]}
		printf '%s\n' "$line" >>$T/var/snmpd.conf
	done < <(sed -n 's/^# *\(createUser .*\)/\1/p' "$users")
	is "users" "$(printf '%s\n' "${!auth[@]}" | sort | xargs)" \
		"$(sed -n 's/^r[ow]user \([^ ]*\) .*/\1/p' "$users" | sort | xargs)"
}

# by USER LEVEL TOOL ARGUMENT...
by() {
	"$3" -v3 -u "$1" -l "$2" -a SHA-256 -A "${auth[$1]-change-this-0}" -x AES -X "${priv[$1]-change-this-0}" \
		-t 10 -r 0 -Oqv "$agent" "${@:4}" 2>&1
}
served() { [[ $(by dcbmon authPriv snmpget "${O[dcbAgentRole]}.0") =~ ^[12]$ ]]; }
allowance_is() { is "allowance $1" "$(by dcbadm authPriv snmpget "$allowance.$i")" "$value"; }

# start_master: as Debian starts snmpd, with the start of Debian's snmpd.conf. The directory of the
# persistent file has to be in a path that is not the default.
start_master() {
	local snmpd_program
	snmpd_program
	SNMPCONFPATH=$T/etc:$T/var SNMP_PERSISTENT_DIR=$T/var start snmpd "${snmpd_program[@]}" -f -LE w -I -smux,mteTrigger,mteTriggerConf \
		-p $T/snmpd.pid
	wait_for 10 "snmpd answers" snmpget -v2c -c public -t 0.2 -r 0 $agent 1.3.6.1.2.1.1.3.0 || die "snmpd does not answer"
}

# cannot WHAT USER LEVEL TOOL ARGUMENT...: the master refuses the request, and nothing has changed.
cannot() {
	local out
	out=$(by "${@:2}") && fail "$1: $out"
	like "$1" "$out" 'noAccess|authorizationError|Unsupported security level|Authorization'
	allowance_is "after: $1"
}

mkdir -p /run/agentx $T/etc/snmpd.conf.d $T/var
chmod 700 $T/var
cat >$T/etc/snmpd.conf <<-END
	agentaddress udp:$agent
	view systemonly included .1.3.6.1.2.1.1
	rocommunity public default -V systemonly
	rouser authPrivUser authpriv -V systemonly
	includeDir $T/etc/snmpd.conf.d
END
cp "$drop_in" "$users" $T/etc/snmpd.conf.d/
! $by_module || module_lines >$T/etc/snmpd.conf.d/module.conf
create_users
ip link add sw1 type veth peer name xsw1 || die "cannot make an interface"
ip link set sw1 up
ip link set xsw1 up
i=$(ifindex sw1)
dcbd_conf 'interfaces = { include = [ "sw*" ]; };'
start_dcbd
start_master
start_agent

# The first file alone, as the package installs it, gives no user access.
test_drop_in_has_no_users() {
	! grep -E '^(rouser|rwuser|rocommunity|rwcommunity|createUser|access|com2sec)' "$drop_in" || fail "users in $drop_in"
}

test_monitoring_user_reads_and_cannot_set() {
	local level
	is "object of the agent" "$(by dcbmon authPriv snmpget "$allowance.$i")" $value
	is "name of the interface" "$(by dcbmon authPriv snmpget 1.3.6.1.2.1.31.1.1.1.1."$i")" '"sw1"'
	for level in authPriv authNoPriv noAuthNoPriv; do
		cannot "SET by dcbmon with $level" dcbmon $level snmpset "$allowance.$i" u 7
	done
	for level in authNoPriv noAuthNoPriv; do
		cannot "GET by dcbmon with $level" dcbmon $level snmpget "$allowance.$i"
	done
}

test_writer_sets_with_encryption_only() {
	local level
	for level in authNoPriv noAuthNoPriv; do
		cannot "SET by dcbadm with $level" dcbadm $level snmpset "$allowance.$i" u 7
		cannot "GET by dcbadm with $level" dcbadm $level snmpget "$allowance.$i"
	done
	is "SET by dcbadm" "$(by dcbadm authPriv snmpset "$allowance.$i" u 7)" 7
	value=7
	allowance_is "after a SET"
}

test_others_have_no_access() {
	local out
	out=$(snmpget -v2c -c public -t 10 -r 0 $agent "$allowance.$i" 2>&1)
	like "community public" "$out" 'No Such'
	out=$(snmpset -v2c -c public -t 10 -r 0 $agent "$allowance.$i" u 8 2>&1) && fail "SET by community public: $out"
	out=$(by another authPriv snmpget "$allowance.$i") && fail "GET by an unknown user: $out"
	allowance_is "after SETs of others"
}

# snmpd replaces the lines by keys; the users are the same after a restart.
test_passphrases_are_not_kept() {
	stop agentx
	stop snmpd
	! grep -q '^createUser' $T/var/snmpd.conf || fail "the lines are still there"
	! grep -q change-this $T/var/snmpd.conf || fail "a passphrase is in the file"
	start_master
	start_agent
	is "object" "$(by dcbmon authPriv snmpget "$allowance.$i")" $value
	cannot "SET by dcbmon after a restart" dcbmon authPriv snmpset "$allowance.$i" u 7
}

# The line that net-snmp-create-v3-user adds to another snmpd.conf, and this file had recommended: it
# makes the monitoring user a writer without encryption. So the tests above notice it.
test_line_of_net_snmp_create_v3_user_makes_a_writer() {
	stop agentx
	stop snmpd
	echo 'rwuser dcbmon' >$T/etc/snmpd.conf.d/created.conf
	start_master
	start_agent
	is "SET by dcbmon without encryption" "$(by dcbmon authNoPriv snmpset "$allowance.$i" u 9)" 9
	value=9
	stop agentx
	stop snmpd
	rm $T/etc/snmpd.conf.d/created.conf
	start_master
	start_agent
	cannot "SET by dcbmon without that line" dcbmon authNoPriv snmpset "$allowance.$i" u 7
}

run_tests
