#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dcbd -t: prints what dcbd would manage, warns of settings without effect, and refuses every file
# with which dcbd would not start.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

user=games # exists on every system

for n in 1 2 3; do
	new_address
	ip link add sw$n address "$address" type veth peer name x$n || die "cannot make interface sw$n"
done
ip link set sw1 up
ip link set x1 up
# dcbd -t reads the state of links once, and the kernel reports a new carrier up to a second later.
wait_for 5 "carrier of sw1" eval 'ip link show dev sw1 | grep -q "state UP"'
chmod 755 $T

# conf LINE...: writes a dcbd.conf for a system without lldpd.
conf() { dcbd_conf 'lldp = { enable = false; };' "$@"; }

# check: runs dcbd -t. $status, and in $T/out and $T/err the lines, without the name of the file.
check() {
	"$build/dcbd" -t -c $T/dcbd.conf >$T/out 2>$T/err
	status=$?
	sed -i "s|$T/dcbd.conf: *||" $T/err
}

# accepted WARNING...: status 0 and exactly these warnings.
accepted() {
	check
	is "status" $status 0
	if [ $# -gt 0 ]; then printf 'dcbd: warning: %s\n' "$@"; fi | sort >$T/wanted
	sort -o $T/err $T/err
	same "warnings" $T/wanted $T/err
}

# rejected TEXT [STATUS]: status 2 with this error, and dcbd ends with status 2, or STATUS.
rejected() {
	check
	is "status" $status 2
	like "error" "$(cat $T/err)" "$1"
	start other "$build/dcbd" -c $T/dcbd.conf
	wait_for 10 "the end of dcbd" ended other
	wait "${pid_of[other]}"
	is "status of dcbd" $? "${2-2}"
	unset "pid_of[other]"
}
ended() { gone "${pid_of[$1]}"; }

test_ports_rates_and_paths_are_printed() {
	conf 'interfaces = { include = [ "sw*" ]; exclude = [ "sw3" ]; };' 'memory_ports = 2;' \
		'ports = ( { name = "sw2"; rate = 2500000000; aggregate = "trunk"; } );'
	accepted
	cat >$T/wanted <<-END
		control socket: $T/control, group of dcbd
		lldpd: not used
		memory ports: 2
		port sw1: provider soft, rate not limited, link 10000 Mb/s, up, settings of defaults
		port sw2: provider soft, rate 2500 Mb/s, link 10000 Mb/s, down, settings of ports[0], aggregation trunk
		role: bridge
		state file: $T/state/state
		user: root
		view socket: $T/view, every user
	END
	sort -o $T/out $T/out
	same "output" $T/wanted $T/out
	conf 'role = "station"; interfaces = { include = [ "sw1" ]; };' \
		'ports = ( { name = "sw1"; provider = "observe"; } );'
	accepted
	like "output" "$(cat $T/out)" 'port sw1: provider observe, rate not limited, .*, settings of ports\[0\]$'
	conf 'role = "station"; interfaces = { include = [ "sw1" ]; };'
	accepted
	like "output" "$(cat $T/out)" 'port sw1: provider soft, .*, settings of defaults, tap dcb%d'
}

test_patterns_without_match_are_warnings() {
	conf 'interfaces = { include = [ "sw*", "eth[0-9]" ]; exclude = [ "sw3", "sw4" ]; };' \
		'ports = ( { name = "sw*"; }, { name = "sw1"; } );' 'memory_ports = 1;' 'initial = (
		{ object = "dcbPfcHeadroomResponse"; index = "*"; port = "mem*"; value = 1; },
		{ object = "dcbPfcHeadroomResponse"; index = "*"; port = "sw3"; value = 1; } );'
	accepted 'interfaces.include: no interface matches "eth[0-9]"' \
		'interfaces.exclude: no interface matches "sw4"' \
		'line 3: ports[1]: "sw1" is the first match of no port' \
		'line 7: initial: no port matches "sw3"'
	conf 'interfaces = { include = [ "none" ]; };'
	accepted 'interfaces.include: no interface matches "none"' \
		'interfaces.include selects no interface: there are no ports'
}

test_settings_without_effect_in_the_role_are_warnings() {
	conf 'memory_ports = 1; flows = ( { port = 5; priority = 1; } );' \
		'defaults = { flow_buffer = 9000;' 'cn = { jitter = false; }; };' 'ports = (' \
		'{ name = "mem*"; tap = "dcb%d"; } );'
	# The memory ports have the settings of defaults.
	accepted 'line 6: ports[0]: "mem*" is the first match of no port' \
		"2: flows: no effect in a bridge" \
		"3: defaults.flow_buffer: no effect in a bridge" \
		"4: defaults.cn.jitter: no effect in a bridge" \
		"6: ports[0].tap: no effect in a bridge"
	conf 'role = "station"; memory_ports = 1;' 'bridge = { ageing = 20; transit_delay = 5;' \
		'fdb_entries = 100; };' \
		'defaults = { regeneration = [ 0, 1, 2, 3, 4, 5, 6, 7 ];' 'pfc = { xon = 5; headroom = 1;' \
		'buffer = 9000; pause = true; }; };'
	accepted "3: bridge.ageing: no effect in a station" \
		"3: bridge.transit_delay: no effect in a station" \
		"4: bridge.fdb_entries: no effect in a station" \
		"5: defaults.regeneration: no effect in a station" \
		"7: defaults.pfc.buffer: no effect in a station" \
		"6: defaults.pfc.headroom: no effect in a station" \
		"6: defaults.pfc.xon: no effect in a station"
	conf 'role = "rbridge"; memory_ports = 1; bridge = { ageing = 20; };' \
		'flows = ( { port = 5; priority = 1; } ); defaults = { regeneration = [ 0, 1, 2, 3, 4, 5, 6, 7 ]; };'
	accepted "3: flows: no effect in an rbridge"
	conf 'role = "station"; memory_ports = 1;' 'bridge = { ageing = 20; };'
	start_dcbd
	wait_for 5 "the warnings in the log" logged dcbd \
		'warning: conf: .*dcbd.conf:3: bridge.ageing: no effect in a station'
	stop dcbd
}

test_unknown_user_and_group_are_errors() {
	conf 'memory_ports = 1; user = "no-such-user";'
	rejected 'user no-such-user: no such user'
	cat >$T/dcbd.conf <<-END
		memory_ports = 1; lldp = { enable = false; }; state_file = "$T/state/state"; user = "root";
		control = { socket = "$T/control"; group = "no-such-group"; };
	END
	rejected 'control.group: expected an existing group, not "no-such-group"'
	conf 'memory_ports = 1;'
	accepted
}

test_directories_are_checked_as_the_user() {
	if ! $many_users; then
		skip "there is only one user in this user namespace"
		return
	fi
	mkdir $T/root $T/user
	chmod 755 $T/root
	chown $user $T/user
	cp "$build/dcbd" $T/dcbd
	conf_in() {
		cat >$T/dcbd.conf <<-END
			memory_ports = 1; user = "$user"; lldp = { enable = false; };
			state_file = "$1"; control = { socket = "$2"; };
		END
	}
	conf_in $T/root/state $T/user/control
	rejected "state_file = \"$T/root/state\": user $user has no permission to write in $T/root"
	conf_in $T/user/state $T/root/control
	rejected "control.socket = \"$T/root/control\": user $user has no permission to write in $T/root"
	conf_in $T/user/state $T/user/control
	accepted
	# dcbd would create one missing directory, but not two.
	conf_in $T/new/state $T/user/control
	accepted
	conf_in $T/no/such/state $T/user/control
	accepted "state_file: $T/no/such does not exist and cannot be created: No such file or directory"
	[ ! -e $T/new ] || fail "dcbd -t has created $T/new"
	echo >$T/user/state
	chown root $T/user/state
	chmod 600 $T/user/state
	conf_in $T/user/state $T/user/control
	rejected "state_file = \"$T/user/state\": cannot be read: Permission denied" 1
}

# dcbd replaces no file that it has not made: neither is it removed, nor what a link leads to.
test_files_of_others_are_errors() {
	files() { # STATE-FILE CONTROL-SOCKET
		cat >$T/dcbd.conf <<-END
			memory_ports = 1; user = "root"; lldp = { enable = false; };
			state_file = "$1"; control = { socket = "$2"; };
		END
	}
	echo precious >$T/precious
	ln -s precious $T/link
	mkdir $T/directory
	files $T/link $T/control
	rejected "state_file = \"$T/link\": expected a regular file or no file, not a symbolic link"
	files $T/directory $T/control
	rejected "state_file = \"$T/directory\": expected a regular file or no file, not a directory"
	files $T/state/state $T/precious
	rejected "control.socket = \"$T/precious\": expected a socket or no file, not a regular file"
	files $T/state/state $T/link
	rejected "control.socket = \"$T/link\": expected a socket or no file, not a symbolic link"
	dcbd_conf 'lldp = { enable = false; };' 'memory_ports = 1;'
	sed -i "s|^control = .*|control = { socket = \"$T/control\"; view = \"$T/precious\"; };|" $T/dcbd.conf
	rejected "control.view = \"$T/precious\": expected a socket or no file, not a regular file"
	is "the file" "$(cat $T/precious)" precious
	is "the link" "$(readlink $T/link)" precious
	# A link in the path of the directory is the administrator's.
	ln -s state $T/other
	files $T/other/state $T/control
	accepted
	start_dcbd
	stop dcbd
	rm -r $T/precious $T/link $T/directory $T/other
}

test_headroom_that_does_not_fit_is_an_error() {
	conf 'interfaces = { include = [ "sw[12]" ]; }; bridge = { frame_buffers = 200; };' 'initial = (
		{ object = "dcbPfcPriorityEnable"; index = "*.3"; port = "sw*"; value = "true"; } );'
	check
	is "status" $status 2
	like "error" "$(cat $T/err)" 'frame memory of .* buffers more: raise bridge.frame_buffers'
	conf 'interfaces = { include = [ "sw[12]" ]; };' 'initial = (
		{ object = "dcbPfcPriorityEnable"; index = "*.3"; port = "sw*"; value = "true"; } );'
	accepted
}

# sw1_conf FRAME-BUFFERS [LINE]: a port with PFC.
sw1_conf() {
	conf 'interfaces = { include = [ "sw1" ]; };' "bridge = { frame_buffers = $1; };" "${2-}" 'initial = (
		{ object = "dcbPfcPriorityEnable"; index = "*.3"; port = "sw1"; value = "true"; } );'
}
# headroom [LINE]: the octets of headroom for which dcbd -t refuses 200 frame buffers, in $octets.
headroom() {
	sw1_conf 200 "$@"
	check
	is "status" $status 2
	octets=$(sed -n 's/.* headroom \([0-9]*\), .* buffers more: .*/\1/p' $T/err)
}
keys() { # MODE: writes a key file for sw1
	local channel=false
	[ "$1" != all ] || channel=true
	cat >$T/keys <<-END
		port sw1
		mode $1
		pfc_channel $channel
		sci 02:00:00:00:00:01/1
		peer_sci 02:00:00:00:00:02/1
		key 0 $(printf '%032d' 7)
	END
	chmod 600 $T/keys
}

# 36.4.1: protected frames are longer, and the SecY delays them. dcbd -t, and a reload, count what the
# port of the running dcbd has.
test_macsec_counts_in_the_headroom() {
	local mode none file="macsec = { key_file = \"$T/keys\"; };"
	headroom
	none=$octets
	keys none
	headroom "$file"
	is "headroom with mode none" "$octets" "$none"
	for mode in data all; do
		keys $mode
		headroom "$file"
		at_least "headroom with mode $mode" "$octets" $((none + 32))
		sw1_conf 20000 "$file"
		accepted
		# LeakSanitizer cannot look into a process that has excluded itself from core files.
		! grep -q -- '-fsanitize=address' "$build/config.status" || continue
		start_dcbd
		is "headroom with mode $mode" "$("$build/tests/system/mo_probe" get $T/control dcbBufferPromisedOctets.0)" "$octets"
		sw1_conf 200 "$file"
		kill -HUP "${pid_of[dcbd]}"
		wait_for 10 "refusal of a reload" logged dcbd "not read again, .* headroom $octets, .* buffers more"
		stop dcbd
	done
}

test_contradicting_trill_settings_are_an_error() {
	local initial='initial = (
		{ object = "dcbTrillPortMode"; index = "*"; port = "mem0"; value = "trunk"; },
		{ object = "dcbTrillNextHopRowStatus"; index = "*.256.2.0.0.0.0.1"; port = "mem0"; value = "createAndGo"; },
		{ object = "dcbTrillNickname"; index = "0"; value ='
	conf 'role = "rbridge"; memory_ports = 2;' "$initial 256; } );"
	rejected "line 5: initial: nickname 256 is this RBridge's own: expected that of another one"
	conf 'role = "rbridge"; memory_ports = 2;' "$initial 257; } );"
	accepted
}

# The only interface of the tree is absent.
test_tree_root_without_next_hop_is_a_warning() {
	conf 'role = "rbridge"; memory_ports = 1;' 'initial = (
		{ object = "dcbTrillNickname"; index = "0"; value = 1; },
		{ object = "dcbTrillTreeRoot"; index = "0"; value = 256; },
		{ object = "dcbTrillPortMode"; index = "*"; port = "sw9"; value = "trunk"; },
		{ object = "dcbTrillNextHopRowStatus"; index = "*.256.2.0.0.0.0.1"; port = "sw9"; value = "createAndGo"; },
		{ object = "dcbTrillNextHopTree"; index = "*.256.2.0.0.0.0.1"; port = "sw9"; value = "true"; } );'
	accepted 'line 5: initial: tree root 256: expected 0, the own nickname 1, or the nickname of a next hop whose dcbTrillNextHopTree is true' \
		'line 6: initial: no port matches "sw9"' 'line 7: initial: no port matches "sw9"' \
		'line 8: initial: no port matches "sw9"'
}

test_errors_of_the_file_have_line_and_setting() {
	conf '' 'defaults = { rate = 1e10; };'
	rejected '^dcbd: 3: defaults.rate: expected a rate of 1k..10T bit/s .*, not 1e\+10$'
	conf 'interfaces = { include = [ "sw1" ]; };' 'initial = (' \
		'{ object = "ieee8021CnComPriAlternatePriority"; index = "1.3"; value = 1; } );'
	rejected 'line 4: initial: '
}

# outputs REASON COMMAND...: the command fails and says so. Its standard output is that of the caller.
outputs() {
	"${@:2}" 2>$T/err
	is "status of ${*:2}" $? 1
	is "error of ${*:2}" "$(tail -n 1 $T/err)" "$(basename "$2"): standard output: $1"
}

# Each program, and the end of a run of those that print.
test_output_that_cannot_be_written_is_an_error() {
	local name
	for name in dcbd dcb-agentx dcb-exporter dcb-lldp dcb-pfcgen dcbctl; do
		outputs 'Bad file descriptor' "$build/$name" -V >&-
		outputs 'No space left on device' "$build/$name" -h >/dev/full
	done
	"$build/dcbsim" -V 2>$T/err >/dev/full
	is "status of dcbsim" $? 2
	conf 'interfaces = { include = [ "sw1" ]; };'
	outputs 'No space left on device' "$build/dcbd" -t -c $T/dcbd.conf >/dev/full
}

# Sockets and files of a program that is started without them get other numbers.
test_standard_descriptors_stay_closed() {
	local fd
	conf 'interfaces = { include = [ "sw1" ]; };'
	start other bash -c 'exec "$@" <&- >&- 2>&-' sh "$build/dcbd" -c $T/dcbd.conf
	wait_for 10 "an answer of dcbd" eval "'$build/dcbctl' -s $T/control show dcbAgent >/dev/null 2>&1"
	for fd in 0 1 2; do
		is "descriptor $fd" "$(readlink "/proc/${pid_of[other]}/fd/$fd")" /dev/null
	done
	outputs 'Bad file descriptor' "$build/dcbctl" -s $T/control show dcbAgent <&- >&-
	stop other
}

# dcbd -t, and the start, say in a line each what the machine lacks, and what helps.
test_lacks_of_the_machine_are_warnings() {
	local tun='dcbd lacks /dev/net/tun, and can make no tap: .*; modprobe tun on the host; a container needs --device=/dev/net/tun'
	dcbd_conf 'role = "station";' 'interfaces = { include = [ "sw*" ]; };' 'lldp = { enable = false; };'
	check
	! grep 'dcbd lacks' $T/err || fail "dcbd lacks something"
	unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/net && exec "$@"' sh "$build/dcbd" -t -c $T/dcbd.conf >/dev/null 2>$T/err
	is "status" $? 0
	grep -q "warning: .*dcbd.conf: $tun" $T/err || fail "dcbd -t: $(<$T/err)"
	setpriv --bounding-set=-net_raw "$build/dcbd" -t -c $T/dcbd.conf >/dev/null 2>$T/err
	grep -q 'dcbd lacks raw sockets, .*--cap-add=NET_RAW' $T/err || fail "dcbd -t: $(<$T/err)"
	start dcbd unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/net && exec "$@"' sh "$build/dcbd" -c $T/dcbd.conf
	wait_for 20 "the warning" logged dcbd "warning: dcbd: $tun"
	wait_for 20 "dcbd is up" dcbd_up # before that, SIGTERM ends it at once
	stop dcbd
}

run_tests
