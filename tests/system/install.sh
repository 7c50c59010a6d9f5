#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# .ci/install.sh, by which ./dev installs Debian packages, on a copy of this system: snmpd and lldpd do
# not run after it, nor after a reboot, unless the system had them before. The packages are made of
# the files and the scripts of those installed here, so that the test needs no network.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

root=/run/copy/root # not in $T, which DCB_KEEP copies
for package in snmpd lldpd; do
	[ -f /var/lib/dpkg/info/$package.postinst ] || skip_all "package $package is not installed"
done
$many_users || skip_all "there is only one user in this user namespace: dpkg cannot set owners"

# inside COMMAND...: runs a command in the copy, with processes of its own: no script of a package
# finds the daemons of this machine.
inside() {
	unshare --pid --fork --kill-child -- chroot $root sh -c 'mount -t proc proc /proc && "$@"
		rc=$?; umount /proc; exit $rc' sh "$@" >$T/inside.log 2>&1
}

# files_of PACKAGE: without the links /lib and /sbin.
files_of() {
	local path
	dpkg -L "$1" | while read -r path; do [ -d "$path" ] || echo ".$path"; done
}

# repack PACKAGE: makes a package of the installed one, in the copy's /repo. Its configuration ends
# with the commands of the copy's /repo/hook.
repack() {
	local at=$T/package/$1 info=/var/lib/dpkg/info/$1 script
	mkdir -p $at/DEBIAN
	dpkg -s "$1" | sed '/^Status:/d; /^Conffiles:/,/^[^ ]/ { /^Conffiles:/d; /^ /d }' >$at/DEBIAN/control
	for script in preinst postinst prerm postrm config templates conffiles; do
		[ ! -f $info.$script ] || cp -p $info.$script $at/DEBIAN/$script
	done
	sed -i '$i [ ! -e /repo/hook ] || . /repo/hook' $at/DEBIAN/postinst
	# Images of containers lack documentation.
	tar -c -C / --no-recursion --ignore-failed-read --files-from=<(files_of "$1") 2>/dev/null | tar -x -C $at
	dpkg-deb -Znone -b $at $root/repo/$1.deb >/dev/null || die "cannot make a package of $1"
	dpkg-deb -f $root/repo/$1.deb >>$root/repo/Packages
	printf 'Filename: ./%s.deb\nSize: %d\nSHA256: %s\n\n' "$1" "$(stat -c %s $root/repo/$1.deb)" \
		"$(sha256sum <$root/repo/$1.deb | cut -d' ' -f1)" >>$root/repo/Packages
}

# purge: neither of both is installed.
purge() {
	printf '#!/bin/sh\nexit 101\n' >$root/usr/sbin/policy-rc.d
	chmod +x $root/usr/sbin/policy-rc.d
	inside dpkg --purge --force-depends snmpd lldpd || die "not purged: $(tail -n 5 $T/inside.log)"
	rm $root/usr/sbin/policy-rc.d
}

# copy_system: the copy has the packages and nothing else to install; neither of both is installed.
copy_system() {
	local package
	mkdir -p /run/copy/upper /run/copy/work $root
	mount -t overlay overlay -o lowerdir=/,upperdir=/run/copy/upper,workdir=/run/copy/work $root || die "no copy of /"
	mount --rbind /dev $root/dev || die "no /dev"
	mkdir -p $root/repo
	rm -rf $root/etc/apt/sources.list $root/etc/apt/sources.list.d $root/run/systemd
	rm -rf $root/var/lib/apt/lists/* $root/var/lib/man-db/auto-update
	echo 'deb [trusted=yes] file:/repo ./' >$root/etc/apt/sources.list
	cp $src/.ci/install.sh $root/repo/
	for package in snmpd lldpd; do repack $package; done
	purge
}

# by_dev PACKAGE...: as ./dev installs them. Daemons that run after that are in $T/inside.log.
by_dev() {
	inside sh -c '/repo/install.sh "$@" && { ! pgrep -x "snmpd|lldpd" | sed "s/^/runs: /" | grep .; }' sh "$@" ||
		fail "install.sh $*: $(tail -n 5 $T/inside.log)"
}

# enabled UNIT WANTED: "enabled" or "disabled", by systemd and by init scripts.
enabled() {
	local links
	is "$1 at a reboot" "$(systemctl --root=$root is-enabled $1.service 2>&1)" $2
	links=$(cd $root/etc && compgen -G "rc[2-5].d/S*$1" | wc -l)
	is "links to start $1" $((links > 0)) $([ $2 = enabled ] && echo 1 || echo 0)
}

# Debian's scripts enable a daemon at its installation.
test_daemons_of_the_system_are_left_alone() {
	inside dpkg -i --no-triggers /repo/lldpd.deb || fail "dpkg: $(tail -n 5 $T/inside.log)"
	enabled lldpd enabled
	by_dev lldpd snmpd
	enabled lldpd enabled
}

test_daemons_that_dev_brings_stay_off() {
	enabled snmpd disabled
	[ ! -e $root/usr/sbin/policy-rc.d ] || fail "policy-rc.d is left"
}

# A reinstallation runs the same scripts as an upgrade.
test_upgrade_leaves_them_off() {
	inside dpkg -i --no-triggers /repo/snmpd.deb || fail "dpkg: $(tail -n 5 $T/inside.log)"
	enabled snmpd disabled
}

test_operator_can_enable_them() {
	systemctl --root=$root -q enable snmpd.service || fail "cannot enable"
	is "snmpd at a reboot" "$(systemctl --root=$root is-enabled snmpd.service)" enabled
}

status_of() { dpkg-query --admindir=$root/var/lib/dpkg -W -f '${db:Status-Status}' $1; }

# The second installation finds one package installed, the other one not configured.
test_daemons_stay_off_after_a_failure() {
	local package
	purge
	echo '[ $DPKG_MAINTSCRIPT_PACKAGE != lldpd ] || exit 1' >$root/repo/hook
	! inside /repo/install.sh snmpd lldpd || fail "install.sh has not failed"
	rm $root/repo/hook
	is "snmpd" "$(status_of snmpd)" installed
	is "lldpd" "$(status_of lldpd)" half-configured
	for package in snmpd lldpd; do enabled $package disabled; done
	[ ! -e $root/usr/sbin/policy-rc.d ] || fail "policy-rc.d is left"
	by_dev snmpd lldpd
	is "lldpd after the second installation" "$(status_of lldpd)" installed
	for package in snmpd lldpd; do enabled $package disabled; done
}

test_daemons_stay_off_after_an_interruption() {
	local package
	purge
	echo 'kill -TERM $(cat /repo/pid)' >$root/repo/hook
	! inside sh -c 'echo $$ >/repo/pid && exec /repo/install.sh snmpd lldpd' || fail "install.sh was not interrupted"
	rm $root/repo/hook
	for package in snmpd lldpd; do
		is "$package" "$(status_of $package)" installed
		enabled $package disabled
	done
	[ ! -e $root/usr/sbin/policy-rc.d ] || fail "policy-rc.d is left"
}

# A daemon that cannot be disabled is an error, though apt-get installs its package.
test_daemon_that_stays_on_is_an_error() {
	purge
	mv $root/usr/bin/deb-systemd-helper $root/repo/
	printf '#!/bin/sh\n[ "$1" != disable ]\n' >$root/usr/bin/deb-systemd-helper
	chmod +x $root/usr/bin/deb-systemd-helper
	! inside /repo/install.sh snmpd lldpd || fail "install.sh has not failed"
	is "snmpd" "$(status_of snmpd)" installed
	grep -q 'install.sh: snmpd: its daemons may start' $T/inside.log || fail "no error: $(tail -n 5 $T/inside.log)"
	mv $root/repo/deb-systemd-helper $root/usr/bin/
}

copy_system
run_tests
