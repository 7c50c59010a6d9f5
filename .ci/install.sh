#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh PACKAGE...: apt-get install without questions. Daemons in packages that are new on this
# system are not started, now or at a reboot, also if apt-get fails or is interrupted: the machine
# must not begin to send LLDPDUs or to answer SNMP. Packages that the system has stay as they are; a
# package that is not configured completely is new. Needs root.
set -e

policy=/usr/sbin/policy-rc.d

status_of() { # PACKAGE
	dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null || true
}

# stays_off PACKAGE: disables the units and the init scripts of a package, and stops the units: a
# policy of the system can have allowed their start. The helper of package scripts also works where
# there is no systemctl. Returns 1 if one of them is still enabled.
stays_off() {
	case $(status_of "$1") in '' | not-installed | config-files) return 0 ;; esac
	files=$(dpkg -L "$1") || return 1
	on=0
	for unit in $(echo "$files" | sed -nE 's,^(/usr)?/lib/systemd/system/([^/@]+\.(service|socket|timer|path))$,\2,p'); do
		DPKG_MAINTSCRIPT_PACKAGE=$1 deb-systemd-helper disable "$unit" >/dev/null || on=1
		[ ! -d /run/systemd/system ] || systemctl stop "$unit" || true
	done
	for script in $(echo "$files" | sed -n 's,^/etc/init\.d/\([^/]*\)$,\1,p'); do
		# shellcheck disable=SC2144 # one link at most in each directory
		! [ -L /etc/rc2.d/S??"$script" ] || update-rc.d "$script" disable || on=1
	done
	return $on
}

# shellcheck disable=SC2317 # called by the trap
at_exit() {
	rc=$?
	trap - EXIT
	trap '' INT TERM HUP
	for package in $new; do
		stays_off "$package" && continue
		echo "install.sh: $package: its daemons may start at a reboot: cannot disable them" >&2
		[ $rc -ne 0 ] || rc=1
	done
	[ -z "$made" ] || rm -f "$made"
	exit $rc
}

made='' # the policy, if it is of this script
new=$(for package; do [ "$(status_of "$package")" = installed ] || echo "$package"; done)
trap at_exit EXIT
trap 'exit 1' INT TERM HUP
if [ ! -e $policy ]; then
	made=$policy
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod +x $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q -y -o DPkg::Lock::Timeout=300 update
apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
