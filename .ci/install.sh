#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh PACKAGE...: apt-get install without questions. Daemons in the packages are not started.
# Needs root.
set -e

policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
	trap 'rm -f $policy' EXIT
	trap 'exit 1' INT TERM HUP
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod +x $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q -y -o DPkg::Lock::Timeout=300 update
apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
