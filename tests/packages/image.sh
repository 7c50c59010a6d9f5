#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# image.sh DIR PACKAGE-FILE...: makes DIR the root of a small Debian system that boots: the release of
# this machine, from its mirrors. The packages that README says to install, and those on which the
# package files depend, are downloaded there and not installed: apt installs them without a network.
# A DIR that was made for the same dependencies stays as it is. Needs root.
set -euo pipefail
dir=$1
shift
[ $# -gt 0 ] || { echo "image.sh: no package files" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "image.sh: needs root" >&2; exit 1; }

# iproute2, procps: to look into the system. man-db, zsh, bash-completion: they find the pages and the
# completions of the packages. libpam-systemd is not there: a test needs no sessions of users.
base=systemd-sysv,dbus,iproute2,procps,man-db,bash-completion,zsh
later=(snmpd snmp lldpd)

depends() { for file; do dpkg-deb -f "$file" Package Depends Pre-Depends; done | sort; }
key=$({ cat "$0"; depends "$@"; } | sha256sum)
if [ -e "$dir.key" ] && [ "$(<"$dir.key")" = "$key" ] && [ -d "$dir" ]; then
	exit 0
fi
rm -rf "$dir" "$dir.key" "$dir.new"
mkdir -p "$(dirname -- "$dir")"

# sources: the lists of Debian's own packages, as this machine has them.
sources() {
	# shellcheck disable=SC2016 # apt replaces the names
	apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) main' 'Origin: Debian' \
		'Component: main' 'Created-By: Packages' | sort -u
}
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mapfile -t lists < <(sources)

files=/var/cache/packages
download="apt-get -q -y -o APT::Get::Assume-Yes=true --download-only install ${later[*]} $files/*.deb"
# shellcheck disable=SC2016 # mmdebstrap replaces $1
mmdebstrap --quiet --variant=minbase --include=$base --skip=cleanup/apt,cleanup/tmp \
	--aptopt='APT::Install-Recommends "false"' --aptopt='APT::Get::Assume-Yes "true"' \
	--customize-hook='rm -f "$1"/var/cache/apt/archives/*.deb && mkdir "$1"'$files \
	--customize-hook="copy-in ${*@Q} $files" \
	--customize-hook='chroot "$1" sh -c '"'$download && rm -r $files'" \
	--customize-hook='rm -f "$1"/etc/resolv.conf && : >"$1"/etc/machine-id' \
	"$release" "$dir.new" "${lists[@]}"
mv "$dir.new" "$dir"
echo "$key" >"$dir.key"
