#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Users and capabilities as deployed: dcbd changes from root to a user of its own and keeps two
# capabilities; dcb-agentx has another user and no capabilities; only members of the control
# socket's group can connect.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

frames=$build/tests/system/frames
probe=$build/tests/system/mo_probe
user=games group=games # exist on every system
other=65534            # UID of the user without privileges

port() { # NUMBER: makes veth pair sw and x with this number, x is up
	new_address
	ip link add sw$1 address "$address" type veth peer name x$1 || die "cannot make interface sw$1"
	ip link set x$1 up
}

test_start_as_deployed() {
	if ! $many_users; then
		skip "there is only one user in this user namespace"
		return
	fi
	for i in 1 2; do
		port $i
		ip link set sw$i up
	done
	chmod 755 $T
	# dcbd makes both directories and makes its user their owner.
	rm -rf $T/state
	{
		echo 'interfaces = { include = [ "sw*" ]; exclude = [ "sw4", "sw5" ]; };'
		echo 'initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } );'
		echo "user = \"$user\"; state_file = \"$T/state/state\";"
		echo "control = { socket = \"$T/run/control\"; group = \"$group\"; agent_user = \"nobody\";"
		echo "view = \"$T/run/view\"; };"
	} >$T/dcbd.conf
	install_programs
	start dcbd $T/bin/dcbd -c $T/dcbd.conf
	wait_for 10 "dcbd is up" dcbd_up
	running dcbd || die "dcbd has ended"
	start_snmpd "agentXPerms 0660 0755 root $group"
	start agentx setpriv --reuid=$other --regid=$group --clear-groups -- $T/bin/dcb-agentx \
		-x unix:$T/master -c $T/run/control
	wait_for 10 "dcb-agentx serves its objects" served || die "dcb-agentx does not serve its objects"
}

# Copies the programs to a directory that all users may enter.
install_programs() {
	mkdir -p $T/bin
	cp "$build/dcbd" "$build/dcb-agentx" "$build/dcbctl" $T/bin
	[ ! -x "$build/dcb-lldp" ] || cp "$build/dcb-lldp" $T/bin
}

id_of() { awk -v n="$2:" '$1 == n { print $2 }' "/proc/${pid_of[$1]}/status"; }

test_users_and_capabilities() {
	local child
	running dcbd || { skip "not deployed" && return; }
	is "dcbd's user" "$(id_of dcbd Uid)" "$(id -u $user)"
	is "dcbd's group" "$(id_of dcbd Gid)" "$(id -g $user)"
	# CAP_NET_ADMIN 12 and CAP_NET_RAW 13.
	is "dcbd's capabilities" "$(id_of dcbd CapEff) $(id_of dcbd CapPrm)" "0000000000003000 0000000000003000"
	if [ -x $T/bin/dcb-lldp ]; then
		read -r child _ <"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/children"
		pid_of[lldp]=$child
		is "dcb-lldp's program" "$(readlink /proc/$child/exe)" $T/bin/dcb-lldp
		is "dcb-lldp's user" "$(id_of lldp Uid)" "$(id -u $user)"
		is "dcb-lldp's group" "$(id_of lldp Gid)" "$(id -g $user)"
		is "dcb-lldp's capabilities" "$(id_of lldp CapEff) $(id_of lldp CapPrm)" "0000000000000000 0000000000000000"
		unset "pid_of[lldp]"
	fi
	is "dcb-agentx's capabilities" "$(id_of agentx CapEff)" 0000000000000000
	is "owner, group and mode of the control socket" "$(stat -c '%U %G %a' $T/run/control)" "$user $group 660"
	like "owner and mode of the state file" "$(stat -c '%U %a' $T/state/state 2>&1 || true)" "^($user 640|.*No such file.*)$"
}

# confined NAME PID: each thread has a filter of system calls and cannot gain privileges.
confined() {
	is "filters of the threads of $1" "$(sed -n 's/^Seccomp:\t//p' /proc/"$2"/task/*/status | sort -u)" 2
	is "no_new_privs of the threads of $1" "$(sed -n 's/^NoNewPrivs:\t//p' /proc/"$2"/task/*/status | sort -u)" 1
}

test_system_calls_are_filtered() {
	local child
	running dcbd || { skip "not deployed" && return; }
	if ! has_filter; then
		printf '    this build has no filter\n'
		logged dcbd 'confine: system calls are not filtered: built' || fail "dcbd does not say it"
		return
	fi
	at_least "threads of dcbd" "$(find /proc/"${pid_of[dcbd]}"/task -mindepth 1 -maxdepth 1 | wc -l)" 2
	confined dcbd "${pid_of[dcbd]}"
	confined dcb-agentx "${pid_of[agentx]}"
	[ -x $T/bin/dcb-lldp ] || return 0
	read -r child _ <"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/children"
	confined dcb-lldp "$child"
}

# The rules of Landlock are for directories: files that are replaced keep them.
test_programs_and_files_can_be_replaced() {
	local child
	running dcbd || { skip "not deployed" && return; }
	cp $T/dcbd.conf $T/dcbd.conf.new
	mv $T/dcbd.conf.new $T/dcbd.conf
	kill -HUP "${pid_of[dcbd]}"
	wait_for 10 "the file is read again" logged dcbd 'dcbd.conf read again: 2 ports'
	[ -x $T/bin/dcb-lldp ] || return 0
	read -r child _ <"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/children"
	cp $T/bin/dcb-lldp $T/bin/new
	mv $T/bin/new $T/bin/dcb-lldp
	kill -KILL "$child"
	wait_for 10 "a new dcb-lldp" another_child "$child"
}
another_child() {
	local child=''
	read -r child _ <"/proc/${pid_of[dcbd]}/task/${pid_of[dcbd]}/children"
	[ -n "$child" ] && [ "$child" != "$1" ] && [ "$(readlink "/proc/$child/exe")" = $T/bin/dcb-lldp ]
}

# A file that dcbd.conf includes from elsewhere can be read at the start, and not by Landlock later.
test_reload_that_may_not_read_a_file_changes_nothing() {
	local wanted='not read again, nothing is changed: .*/run/elsewhere/more.conf.*: Permission denied'
	running dcbd || { skip "not deployed" && return; }
	if logged dcbd 'confine: access to files is not restricted'; then
		printf '    there is no Landlock\n'
		return
	fi
	mkdir -m 755 /run/elsewhere
	echo 'defaults = { rate = 1000000L; };' >/run/elsewhere/more.conf
	cp $T/dcbd.conf $T/dcbd.conf.before
	echo '@include "/run/elsewhere/more.conf"' >>$T/dcbd.conf
	"$build/dcbd" -t -c $T/dcbd.conf >/dev/null 2>$T/err || fail "dcbd -t: $(cat $T/err)"
	kill -HUP "${pid_of[dcbd]}"
	wait_for 10 "the file is refused" logged dcbd "$wanted"
	is "rate of sw1" "$(get dcbPortRate."$(ifindex sw1)")" 10000000000
	mv $T/dcbd.conf.before $T/dcbd.conf
}

# again OPTION...: root starts dcb-agentx again. Shows its user, groups and capabilities.
again() {
	stop agentx
	start agentx $T/bin/dcb-agentx -x unix:$T/master -c $T/run/control "$@"
	wait_for 10 "dcb-agentx serves its objects" served || die "dcb-agentx does not serve its objects"
	said="$(id_of agentx Uid) $(id_of agentx Gid) $(id_of agentx CapEff) $(id_of agentx CapPrm) $(id_of agentx CapBnd)"
}

test_dcb_agentx_started_by_root_drops_privileges() {
	local out none=0000000000000000 override=0000000000000002 # CAP_DAC_OVERRIDE is 1
	running dcbd || { skip "not deployed" && return; }
	again -u $user
	is "user, group and capabilities with -u $user" "$said" "$(id -u $user) $(id -g $user) $none $none $none"
	again
	is "user, group and capabilities without -u" "$said" "0 0 $override $override $none"
	out=$($T/bin/dcb-agentx -u no-such-user -x unix:$T/other -c $T/run/control 2>&1) &&
		fail "dcb-agentx -u no-such-user runs"
	like "error" "$out" "error: agentx: user no-such-user: no such user: -u expects an existing user"
}

test_set_and_new_interface_without_root() {
	running dcbd || { skip "not deployed" && return; }
	local i before
	i=$(ifindex sw1)
	put ieee8021CnCpQueueSizeSetPoint.1.$i.3 31000
	is "owner of the state file" "$(stat -c '%U' $T/state/state)" $user
	# dcbd can open an interface that is added after it has dropped root.
	port 3
	ip link set sw3 up
	wait_for 5 "sw3 is up" holds dcbPortOperational."$(ifindex sw3)" 1
	i=$(ifindex sw3)
	before=$("$probe" get $T/run/control dcbPortRxFrames.$i)
	"$frames" send x3 -n 20
	wait_for 5 "frames received at sw3" received $i $((before + 20))
	like "promiscuity of sw3" "$(ip -d -o link show dev sw3)" 'promiscuity [1-9]'
}

received() { [ "$(get dcbPortRxFrames."$1")" -ge "$2" ]; }

# start_in DIRECTORY: starts another dcbd with its state file in the directory; $ended: "no" or its
# status.
start_in() {
	{
		echo 'interfaces = { include = [ "none" ]; };'
		echo "user = \"$user\"; state_file = \"$1/state\"; lldp = { enable = false; };"
		echo "control = { socket = \"$T/other.run/control\"; };"
	} >$T/other.conf
	start_other
}
# start_other: starts dcbd with $T/other.conf; $ended is its status, or "no" if it is up.
start_other() {
	start other $T/bin/dcbd -c $T/other.conf
	up_with_status
}
up_with_status() {
	wait_for 10 "dcbd is up or has ended" up_or_ended
	ended=no
	running other && return
	wait "${pid_of[other]}"
	ended=$?
	unset "pid_of[other]"
}
up_or_ended() { logged other 'version .* ports' || ! running other; }
owner_of() { stat -c '%U %a' "$1"; }

# dcbd is the owner of directories that it creates. Others it leaves as they are: state_file =
# "/var/lib/state" does not give /var/lib away.
test_existing_directory_keeps_its_owner() {
	running dcbd || { skip "not deployed" && return; }
	mkdir $T/root $T/all
	chmod 755 $T/root
	chmod 1777 $T/all
	start_in $T/root
	is "status" "$ended" 2
	like "reason" "$(cat "${log_of[other]}")" \
		"error: dcbd: state_file = \"$T/root/state\": user $user has no permission to write in $T/root: expected"
	is "owner of an existing directory" "$(owner_of $T/root)" "root 755"
	start_in $T/all
	is "status" "$ended" no
	is "owner of a directory that all may write to" "$(owner_of $T/all)" "root 1777"
	is "owner of a new directory" "$(owner_of $T/other.run)" "$user 755"
	stop other
	start_in $T/new
	is "status" "$ended" no
	is "owner of a new directory" "$(owner_of $T/new)" "$user 755"
	stop other
	# It exists now, and is the user's.
	start_in $T/new
	is "status" "$ended" no
	[ "$ended" != no ] || stop other
}

# start_default LINE: starts another dcbd without the setting user, but for the line; $ended as above.
start_default() {
	{
		echo 'interfaces = { include = [ "none" ]; }; lldp = { enable = false; };'
		printf '%s\n' "$@" "state_file = \"$T/default/state\";" "control = { socket = \"$T/default/control\"; };"
	} >$T/other.conf
	rm -rf $T/default
	start_other
}

test_default_user_is_dcbd() {
	running dcbd || { skip "not deployed" && return; }
	grep -v '^dcbd:' /etc/passwd >$T/passwd
	grep -v '^dcbd:' /etc/group >$T/group
	mount --bind $T/passwd /etc/passwd && mount --bind $T/group /etc/group || die "cannot replace the accounts"
	start_default
	is "status without the user" "$ended" 2
	like "reason" "$(cat "${log_of[other]}")" \
		'error: dcbd: user dcbd: no such user: create it, or set user in dcbd.conf; with "root" dcbd stays root'
	start_default 'user = "root";'
	is "status with user = root" "$ended" no
	is "user" "$(id_of other Uid) $(owner_of $T/default)" "0 root 755"
	is "capabilities of root" "$(id_of other CapEff) $(id_of other CapPrm)" "0000000000003000 0000000000003000"
	stop other
	echo 'dcbd:x:64321:64322::/nonexistent:/bin/false' >>$T/passwd
	echo 'dcbd:x:64322:' >>$T/group
	start_default
	is "status with the user" "$ended" no
	is "user and group" "$(id_of other Uid) $(id_of other Gid) $(owner_of $T/default)" "64321 64322 dcbd 755"
	is "capabilities" "$(id_of other CapEff) $(id_of other CapPrm)" "0000000000003000 0000000000003000"
	like "dcbd -t" "$($T/bin/dcbd -t -c $T/other.conf 2>&1)" 'user: dcbd'
	stop other
	umount /etc/passwd /etc/group
}

# keys_conf LINE...: another dcbd with MACsec at sw4 by the key file $T/cred/dcbd.keys.
keys_conf() {
	{
		echo 'interfaces = { include = [ "sw4", "sw5" ]; }; lldp = { enable = false; };'
		echo "macsec = { key_file = \"$T/cred/dcbd.keys\"; };"
		printf '%s\n' "$@" "state_file = \"$T/keys/state\";" "control = { socket = \"$T/keys/control\"; };"
	} >$T/other.conf
}
# write_keys OWNER MODE [UID...]: the key file, in a file system that has access control lists, as that of
# credentials; the list is the one of systemd, for these users.
write_keys() {
	rm -f $T/cred/dcbd.keys
	cat >$T/cred/dcbd.keys <<-END
		port sw4
		mode data
		sci 02:00:00:00:00:04/1
		peer_sci 02:00:00:00:00:05/1
		pn_reserve 1000
		key 0 $(printf '%032d' 8)
	END
	chown "$1" $T/cred/dcbd.keys
	chmod "$2" $T/cred/dcbd.keys
	[ $# -eq 2 ] || python3 - $T/cred/dcbd.keys "${@:3}" <<-END || fail "cannot set a list"
		import os, struct, sys
		entries = [(1, 4, -1)] + [(2, 4, int(u)) for u in sys.argv[2:]] + [(4, 0, -1), (16, 4, -1), (32, 0, -1)]
		acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *e) for e in entries)
		os.setxattr(sys.argv[1], "system.posix_acl_access", acl)
	END
}
# start_as_unit: as dcbd.service does, never as root. $ended as of start_other.
start_as_unit() {
	start other setpriv --pdeathsig KILL --reuid=$user --regid=$group --clear-groups --no-new-privs \
		--inh-caps=-all,+net_admin,+net_raw --ambient-caps=-all,+net_admin,+net_raw -- $T/bin/dcbd -c $T/other.conf
	up_with_status
}
next_number() { sed -n 's/^next = \(.*\);/\1/p' "$T"/keys/state.pn-*; }
number_above() { [ "$(next_number)" -gt "$1" ]; }

test_key_file_of_root_serves_another_user() {
	local next f
	running dcbd || { skip "not deployed" && return; }
	command -v python3 >/dev/null || { skip "python3 is not installed" && return; }
	for f in 4 5; do
		port $f
		ip link set sw$f up
	done
	mkdir $T/cred $T/keys
	chown $user $T/keys
	mount -t tmpfs -o mode=755 tmpfs $T/cred || die "cannot mount a tmpfs"
	keys_conf "user = \"$user\";"
	write_keys root 600
	start_other
	is "status of dcbd, started by root" "$ended" no
	is "user" "$(id_of other Uid)" "$(id -u $user)"
	logged other 'macsec: sw4: AN 0 transmits, from packet number 1 on' || fail "no line about AN 0"
	for f in "$T"/keys/state.pn-* $T/keys/state.macsec-lock; do is "$f" "$(owner_of "$f")" "$user 600"; done
	# It reserves more packet numbers while it runs, and needs the key file no more.
	rm $T/cred/dcbd.keys
	wait_for 5 "sw4 and sw5 are up" eval '[ "$("$probe" get $T/keys/control dcbPortOperational.$(ifindex sw4))$("$probe" get $T/keys/control dcbPortOperational.$(ifindex sw5))" = 11 ]'
	"$frames" send x5 -n 600
	wait_for 10 "more packet numbers are reserved" number_above 1001
	kill -HUP "${pid_of[other]}"
	wait_for 10 "the file is read again" logged other 'other.conf read again: 2 ports'
	stop other
	next=$(next_number)
	at_least "next packet number" "$next" 601
	# The unit: systemd has made a credential, the user's or root's with a list.
	keys_conf
	for f in "$user 400" "root 400 $(id -u $user)"; do
		# shellcheck disable=SC2086 # words
		write_keys $f
		start_as_unit
		is "status with a file of $f" "$ended" no
		is "capabilities" "$(id_of other CapEff)" 0000000000003000
		logged other "macsec: sw4: AN 0 transmits, from packet number $next on" || fail "not from packet number $next on"
		[ "$ended" != no ] || stop other
		next=$(next_number)
		# Root checks what the unit accepts.
		keys_conf "user = \"$user\";"
		$T/bin/dcbd -t -c $T/other.conf >$T/check 2>&1 || fail "dcbd -t by root, file of $f: $(cat $T/check)"
		keys_conf
	done
	is "mode of root's credential" "$(owner_of $T/cred/dcbd.keys)" "root 440"
}

test_other_key_files_do_not_serve_another_user() {
	local out
	[ -d $T/keys ] || { skip "not deployed" && return; }
	write_keys root 600
	start_as_unit
	is "status with a file of root" "$ended" 2
	like "reason" "$(cat "${log_of[other]}")" "macsec: $T/cred/dcbd.keys: Permission denied"
	write_keys root 400 "$(id -u $user)" $other
	start_as_unit
	is "status with a file for two" "$ended" 2
	like "reason" "$(cat "${log_of[other]}")" "macsec: $T/cred/dcbd.keys: expected mode 0600, not 0440: others may use the keys"
	keys_conf "user = \"$user\";"
	out=$($T/bin/dcbd -t -c $T/other.conf 2>&1) && fail "dcbd -t by root accepts a file for two"
	like "dcbd -t by root, file for two" "$out" 'expected mode 0600, not 0440: others may use the keys'
	write_keys $other 400
	out=$($T/bin/dcbd -t -c $T/other.conf 2>&1) && fail "dcbd -t by root accepts a file of another user"
	like "dcbd -t by root, file of another user" "$out" "expected root or user $(id -u $user) as owner, not user $other"
	# Packet numbers of another user.
	write_keys root 600
	$T/bin/dcbd -t -c $T/other.conf >/dev/null || fail "dcbd -t refuses files of $user"
	for f in "$T"/keys/state.pn-* $T/keys/state.macsec-lock; do
		chown root "$f"
		out=$($T/bin/dcbd -t -c $T/other.conf 2>&1) && fail "dcbd -t accepts $f of root"
		like "dcbd -t" "$out" "other.conf: $f: cannot be (read|locked): Permission denied"
		start_other
		is "status with $f of root" "$ended" 1
		like "reason" "$(cat "${log_of[other]}")" "macsec: $f: Permission denied"
		chown $user "$f"
	done
	umount $T/cred
}

test_only_the_group_may_connect() {
	running dcbd || { skip "not deployed" && return; }
	local out
	out=$(setpriv --reuid=$other --regid=nogroup --clear-groups -- $T/bin/dcbctl -s $T/run/control show dcbAgent 2>&1) &&
		fail "a user outside the group reads: $out"
	like "message to a user outside the group" "$out" 'Permission denied'
	out=$(setpriv --reuid=$other --regid=$group --clear-groups -- $T/bin/dcbctl -s $T/run/control show dcbAgent 2>&1) ||
		fail "a member of the group: $out"
	like "output for a member of the group" "$out" dcbAgentVersion
}

# by_other COMMAND...: dcbctl of a user without groups; its output is in $out.
by_other() {
	out=$(setpriv --reuid=$other --regid=nogroup --clear-groups -- $T/bin/dcbctl "$@" 2>&1)
}

# What a reader can do, with the sockets at their usual paths.
test_reading_needs_no_group() {
	local args
	running dcbd || { skip "not deployed" && return; }
	mkdir -m 755 /run/dcbd
	ln -s $T/run/control $T/run/view /run/dcbd/
	for args in "show" "show port" "watch -c 1 agent_id" "neighbors" "dcbx" "cn" "buffers" "headroom show" "config" \
		"preset --dry-run iscsi sw1"; do
		by_other $args || fail "dcbctl $args: $out"
		by_other -j $args || fail "dcbctl -j $args: $out"
	done
	start monitor setpriv --reuid=$other --regid=nogroup --clear-groups -- $T/bin/dcbctl monitor -c 1
	wait_for 5 "monitor is connected" is_connected monitor
	! logged monitor dcbctl: || fail "monitor: $(cat "${log_of[monitor]}")"
	stop monitor KILL
	DCBCTL_SOCKET=$T/run/view by_other show dcbAgentRole || fail "DCBCTL_SOCKET: $out"
	by_other -s $T/run/view show dcbAgentRole || fail "-s: $out"
}
is_connected() { [ "$(find /proc/${pid_of[$1]}/fd -lname 'socket:*' | wc -l)" -ge 1 ]; }

# Errors say what to do.
test_setting_needs_the_group() {
	local join="; only root and members of group $group have permission: join group $group with \"usermod -aG $group nobody\" as root, and log in again"
	running dcbd || { skip "not deployed" && return; }
	by_other set dcbNotifyRateLimit.0 7 && fail "a user outside the group sets: $out"
	is "message" "$out" "dcbctl: /run/dcbd/control: connect: Permission denied$join"
	by_other preset iscsi sw1 && fail "a user outside the group sets: $out"
	is "message" "$out" "dcbctl: /run/dcbd/control: connect: Permission denied$join"
	DCBCTL_SOCKET=$T/run/control by_other show && fail "a user outside the group reads the control socket: $out"
	is "message" "$out" "dcbctl: $T/run/control: connect: Permission denied$join"
	by_other -s $T/run/control show port sw1 && fail "a user outside the group reads the control socket: $out"
	is "message" "$out" "dcbctl: $T/run/control: connect: Permission denied$join"
	is "rate limit" "$(get dcbNotifyRateLimit.0)" 120
}

test_dcbd_that_does_not_run() {
	local start='; dcbd is not running: systemctl start dcbd'
	running dcbd || { skip "not deployed" && return; }
	stop dcbd KILL # its sockets stay
	by_other show && fail "dcbctl without dcbd: $out"
	is "message to a reader" "$out" "dcbctl: /run/dcbd/control: connect: Permission denied$start"
	out=$($T/bin/dcbctl set dcbNotifyRateLimit.0 7 2>&1) && fail "dcbctl without dcbd: $out"
	is "message to root" "$out" "dcbctl: /run/dcbd/control: connect: Connection refused$start"
	rm -r /run/dcbd
	by_other show port sw1 && fail "dcbctl without dcbd: $out"
	is "message without sockets" "$out" "dcbctl: /run/dcbd/control: connect: No such file or directory$start"
	by_other -s $T/no show && fail "dcbctl without dcbd: $out"
	is "message about another socket" "$out" \
		"dcbctl: $T/no: connect: No such file or directory; no dcbd that is running has this socket: see control.socket in dcbd.conf(5)"
}

run_tests
