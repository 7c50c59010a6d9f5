# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=tests/system/lib.sh disable=SC2154 # of lib.sh and of boot.sh
#
# Sourced after lib.sh and lldp.sh. A machine that boots: a container of systemd-nspawn with Debian,
# whose network is the namespace dcb-sw. Its root is a copy of the image $image, and all that it writes
# is in memory. The package files ${debs[@]} are in its /root/packages.
#
# Or, with the argument --installed, the machine on which the test runs: a virtual machine of
# autopkgtest, made for this test, with the packages installed. Its network gets the name dcb-sw.
root=/run/copy/root # not in $T, which DCB_KEEP copies
[ "${1-}" = --installed ] && on_host=yes || on_host=''
contained() { [ -z "$on_host" ]; }
contained && machine_name=dcb-sw || machine_name=$(uname -n)

leader=1 # process 1 of the machine

# --- commands in the machine -----------------------------------------------------------------

# inside COMMAND...: as root, without the environment of the test.
inside() {
	timeout 300 nsenter -t "$leader" -m -u -i -n -p -C -- env -i PATH=/run/operator:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}
inside_at() { inside sh -c 'cd "$0" && "$@"' "$@"; } # DIRECTORY COMMAND...

# put_in PATH: writes standard input to a file of the machine.
put_in() { nsenter -t "$leader" -m -- sh -c 'mkdir -p "${0%/*}" && cat >"$0"' "$1"; }

# works WHAT COMMAND...: in the machine; its output is in $out.
works() {
	out=$(inside "${@:2}" 2>&1) || fail "$1: $(tail -n 5 <<<"$out")"
}

# as USER COMMAND...: in the machine.
as() { inside runuser -u "$1" -- "${@:2}"; }

# --- starts and ends -------------------------------------------------------------------------

# make_machine: its root and its network. Ends the script if this system cannot boot one.
make_machine() {
	[ "$(id -u)" -eq 0 ] && $many_users || skip_all "needs root"
	if ! contained; then
		[ -d /run/systemd ] || [ "$(</proc/1/comm)" = systemd ] || die "no systemd on this machine"
		ip netns attach dcb-sw 1 && mkdir -p $T/dcb-sw || die "no name for the network"
		return
	fi
	command -v systemd-nspawn mmdebstrap >/dev/null || skip_all "systemd-nspawn or mmdebstrap is not installed"
	[ -d "$image" ] || die "no image $image"
	mkdir -p /run/copy/upper /run/copy/work $root
	mount -t overlay overlay -o lowerdir="$image",upperdir=/run/copy/upper,workdir=/run/copy/work $root || die "no copy of the image"
	echo dcb-sw >$root/etc/hostname
	echo 127.0.1.1 dcb-sw >>$root/etc/hosts
	mkdir -p $root/root/packages
	cp "${debs[@]}" $root/root/packages/
	node dcb-sw
	on dcb-sw sh -c 'echo 0 >/proc/sys/net/ipv6/conf/lo/disable_ipv6' # Debian's snmpd needs ::1
}

# boot: starts the machine and waits until its services run.
boot() {
	contained || return 0
	# Outside of systemd there is no machined that could register it.
	# Started in its network, because /sys has the interfaces of the network where it is mounted.
	# Landlock is not among the system calls of a container otherwise.
	start machine nsenter --net=/run/netns/dcb-sw -- systemd-nspawn --quiet --boot --register=no --keep-unit --directory=$root --machine=dcb-boot-$$ \
		--network-namespace-path=/run/netns/dcb-sw --capability=CAP_NET_ADMIN \
		--system-call-filter='landlock_create_ruleset landlock_add_rule landlock_restrict_self' \
		--resolv-conf=off --timezone=off --link-journal=no --console=pipe
	wait_for 30 "systemd is up" is_up ||
		die "the machine does not boot: $(tail -n 5 "${log_of[machine]}"; inside systemctl list-jobs 2>&1)"
}
# is_up: process 1 of the machine, the child of systemd-nspawn, has started all services.
is_up() {
	leader=''
	read -r leader <"/proc/${pid_of[machine]}/task/${pid_of[machine]}/children"
	[ -n "$leader" ] && grep -qE '^NSpid:.*\s1$' "/proc/$leader/status" || return 1
	[[ $(inside systemctl is-system-running) =~ ^(running|degraded)$ ]]
}

# reboot_machine: by its own command. Without machined systemd-nspawn ends with this status, and its
# caller starts it again.
reboot_machine() {
	local rc
	inside systemctl --no-block reboot || fail "cannot reboot"
	wait_for 30 "the machine goes down" gone "${pid_of[machine]}" || die "the machine does not go down"
	wait "${pid_of[machine]}"
	rc=$?
	is "status of systemd-nspawn" $rc 133
	unset "pid_of[machine]"
	boot
}

is_active() { [ "$(inside systemctl is-active "$1")" = active ]; }
main_pid() { inside systemctl show -P MainPID "$1"; } # UNIT: in the machine
journal_of() { inside journalctl --no-pager -q -n "${2-15}" -u "$1" 2>&1; }

# --- README ----------------------------------------------------------------------------------

# readme HEADING...: the commands below these headings, as $T/readme/1, 2, ...: a file for each
# indented block.
readme() {
	mkdir -p $T/readme
	rm -f $T/readme/*
	printf '%s\n' "$@" >$T/headings
	awk -v dir=$T/readme -v wanted_sections=$# '
		FNR == NR { wanted[$0]; next }
		/^#/ { sub(/^#+ /, ""); on = $0 in wanted; found += on; code = 0; next }
		on && /^    / { if (!code) n++; code = 1; sub(/^ +/, ""); print >(dir "/" n); next }
		{ code = 0 }
		END { exit found != wanted_sections }
	' $T/headings "$src/README.md" || die "README lacks one of these sections: $*"
}

# run_block FILE: in the machine, as an operator types it. Only the program editor is of the test:
# it makes the changes that the text asks for.
run_block() {
	local at=/root
	! contained || at=/root/packages
	put_in /run/operator/block <"$1"
	out=$(inside_at $at bash -euo pipefail /run/operator/block 2>&1) || fail "README: $(<"$1"): $(tail -n 5 <<<"$out")"
}

# --- the list of all that is installed -------------------------------------------------------

# everything FILE: names of files, users, groups and units. Without logs and caches, without the lists
# that dpkg, apt and systemd rewrite whenever a package comes or goes, and without the copies of
# /etc/passwd and the like that useradd makes, as /etc/passwd-.
everything() {
	inside systemctl daemon-reload # as at a reboot
	{
		inside find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp \
			-o -path /root/packages -o -path /var/log -o -path /var/cache -o -path /var/tmp \
			-o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/lib/systemd/timers \
			-o -path /var/lib/systemd/random-seed -o -path '/etc/*-' \) -prune -o -printf 'file %p %y %u\n'
		inside dpkg-query -W -f 'package ${Package} ${db:Status-Status}\n'
		inside dpkg-divert --list | sed 's/^/diversion /'
		inside dpkg-statoverride --list | sed 's/^/override /'
		inside find /var/lib/dpkg/info /var/lib/dpkg/triggers -name '*dcb*'
		for list in passwd group shadow gshadow; do inside cut -d: -f1,3-4 /etc/$list | sed "s/^/$list /"; done
		inside systemctl list-unit-files --no-legend | awk '{ print "unit", $1, $2 }'
		# Not those of which systemd remembers only the name.
		inside systemctl list-units --all --no-legend --plain 'dcb*' | grep -v ' not-found ' | sed 's/^/unit in memory /'
	} | sort >"$1"
}
