#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the machine or the container permits a demonstration, before anything is built or started.
# Prints one line for the first thing that is missing, and what helps; the status is 1 then. All that the
# check makes is in namespaces of its own, which the kernel removes when the check ends. What dcbd itself
# needs says dcbd -t, once it is built.
#
#   demo_check.sh [trill]   the needs of demo_trill.sh, otherwise those of demo.sh
set -uo pipefail
export LC_ALL=C
self=$(readlink -f -- "${BASH_SOURCE[0]}")
dcbd=${DCB_BUILD:-${DCB_BUILDDIR:-${self%/contrib/*}/build}}/dcbd

# missing WHAT HELP
missing() {
	printf 'demo: %s; %s\n' "$1" "$2" >&2
	exit 1
}

limits="sysctl user.max_net_namespaces, user.max_mnt_namespaces and user.max_uts_namespaces have the limits"
# attempt WHAT HELP COMMAND...: what the command does is missing if it fails.
attempt() {
	local why
	why=$("${@:3}" 2>&1 >/dev/null </dev/null) && return 0
	why=$(sed -n '/./h; $ { g; s/^.*: line [0-9]*: //; p }' <<<"$why")
	case $why in
	# ENOSPC of unshare(), EPERM of setns() to the network namespace of another user namespace
	*"No space left on device") set -- "$1" "$limits" ;;
	setns*) set -- "$1" "a container needs a network namespace of its own, not that of the host" ;;
	esac
	missing "cannot $1${why:+: $why}" "$2"
}

# capabilities NAME:NUMBER...: root has these capabilities. The numbers are those of linux/capability.h.
capabilities() {
	local effective name lacks='' options=''
	effective=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	for name; do
		(((16#$effective >> ${name#*:}) & 1)) && continue
		lacks+=" CAP_${name%:*}" options+=" --cap-add=${name%:*}"
	done
	[ -z "$lacks" ] || missing "root lacks$lacks" "a container needs$options, or --privileged"
}

users="a user namespace needs the user and group IDs 0 to 65534"
# As tests/system/lib.sh: for demo_trill.sh it is enough that there are others.
several_users() { awk '{ n += $3 } END { exit !(n > 1) }' /proc/self/uid_map; }
# What a station's dcbd lacks in a new network namespace: the first of the lines.
dcbd_lacks() {
	cat >/run/check.conf <<-'END'
		role = "station";
		user = "root";
		interfaces = { include = [ "check" ]; };
		state_file = "/run/state";
		control = { socket = "/run/control"; };
		lldp = { enable = false; };
	END
	unshare --net "$dcbd" -t -c /run/check.conf 2>&1 >/dev/null </dev/null | sed -n 's/^.*: \(dcbd lacks .*\)/\1/p' |
		head -n 1
}

# inside DEMO: in the namespaces of the check, which have another /run.
inside() {
	local lack
	attempt "mount a tmpfs" "a container needs --security-opt apparmor=unconfined, or --privileged" \
		mount -t tmpfs -o mode=755 tmpfs /run
	if [ "$1" = trill ]; then
		attempt "find another user" "$users" several_users
	else
		attempt "change to another user" "$users" setpriv --reuid=65534 --regid=65534 --clear-groups true
	fi
	[ ! -x "$dcbd" ] || lack=$(dcbd_lacks)
	[ -z "${lack-}" ] || missing "${lack%%; *}" "${lack#*; }"
	# ./dev demo installs it after the first check.
	command -v ip >/dev/null || return 0
	attempt "make a named network namespace" "a container needs --security-opt apparmor=unconfined, or --privileged" ip netns add check
	[ "$1" = trill ] || attempt "run a program in a named network namespace" "a container needs --privileged" \
		ip netns exec check true
	attempt "make a veth interface" "modprobe veth on the host" \
		unshare --net ip link add check0 type veth peer name check1
	attempt "make a tap interface" "modprobe tun on the host; a container needs --privileged" \
		unshare --net ip tuntap add dev check0 mode tap
}

case $*,${DCB_DEMO_INSIDE-} in
,1 | trill,1) inside "$*" ;;
, | trill,)
	[ "$(id -u)" -eq 0 ] || missing "network namespaces need root" "start the demo as root"
	needs=(NET_ADMIN:12 NET_RAW:13 SYS_ADMIN:21)
	# For snmpd, lldpd, and dcbd of a bridge, which changes to another user.
	[ "$*" = trill ] || needs+=(CHOWN:0 DAC_OVERRIDE:1 SETGID:6 SETUID:7 SETPCAP:8 NET_BIND_SERVICE:10 SYS_CHROOT:18)
	capabilities "${needs[@]}"
	[ "$*" = trill ] || [ -w /run ] || missing "/run is not writable" "a container needs --tmpfs=/run"
	attempt "make a network, a mount and a UTS namespace" "a container needs --security-opt seccomp=unconfined, or --privileged" \
		unshare --net --mount --uts true
	# demo_trill.sh makes its named namespaces in a network namespace of its own.
	spaces=(--mount --uts)
	[ "$*" != trill ] || spaces+=(--net)
	DCB_DEMO_INSIDE=1 exec unshare "${spaces[@]}" bash "$self" "$@"
	;;
*)
	echo "usage: demo_check.sh [trill]" >&2
	exit 2
	;;
esac
