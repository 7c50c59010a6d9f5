#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh PACKAGE...: apt-get install without questions. Daemons in packages that are new on this
# system are not started, now or at a reboot: the machine must not begin to send LLDPDUs or to answer
# SNMP. Packages that the system has stay as they are. Needs root.
set -e

policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
	trap 'rm -f $policy' EXIT
	trap 'exit 1' INT TERM HUP
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod +x $policy
fi

is_installed() { # PACKAGE
	dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# stays_off PACKAGE: disables the units and the init scripts of a package, and stops the units: a
# policy of the system can have allowed their start. The helper of package scripts also works where
# there is no systemctl.
stays_off() {
	dpkg -L "$1" | sed -nE 's,^(/usr)?/lib/systemd/system/([^/@]+\.(service|socket|timer|path))$,\2,p' |
		while read -r unit; do
			DPKG_MAINTSCRIPT_PACKAGE=$1 deb-systemd-helper disable "$unit" >/dev/null
			[ ! -d /run/systemd/system ] || systemctl stop "$unit" || true
		done
	dpkg -L "$1" | sed -n 's,^/etc/init\.d/\([^/]*\)$,\1,p' |
		while read -r script; do
			# shellcheck disable=SC2144 # one link at most in each directory
			! [ -L /etc/rc2.d/S??"$script" ] || update-rc.d "$script" disable
		done
}

new=$(for package; do is_installed "$package" || echo "$package"; done)
export DEBIAN_FRONTEND=noninteractive
apt-get -q -y -o DPkg::Lock::Timeout=300 update
apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
for package in $new; do stays_off "$package"; done
