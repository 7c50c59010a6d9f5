#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# guest.sh: unpacks Debian's kernel, for the virtual machines of system tests, into
# build/guest/VERSION; build/guest/kernel is a link to it. Installs nothing. The machines' programs
# are those of this system, so the kernel is of the same architecture.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

guest=$build/guest
# Stages that run at the same time need it.
mkdir -p "$build"
exec 9>>"$build/guest.lock"
flock 9
[ "$(dpkg --print-architecture)" = amd64 ] || die "the virtual machine is amd64, this system is not"

# kernel_package: prints the name of the package that has the current kernel.
kernel_package() {
	apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}
# The directory is of this user, which need not be that of APT's sandbox.
download() { apt-get -q -o APT::Sandbox::User=root download "$package"; }

[ -n "$(kernel_package)" ] || as_root apt-get -q update
package=$(kernel_package) || true # fails if APT does not know the name
[ -n "$package" ] || die "apt-cache knows no linux-image-amd64"
version=${package#linux-image-}
if [ ! -f "$guest/$version/vmlinuz" ]; then
	work=$guest/download
	rm -rf "$work"
	mkdir -p "$work/tree"
	# The lists can be older than the archive, which has only the newest version of a package.
	(cd "$work" && { download || { as_root apt-get -q update && download; }; })
	# Debian 13 has the modules in usr/lib, compressed. An asterisk matches slashes too.
	dpkg-deb --fsys-tarfile "$work"/*.deb | tar -x -C "$work/tree" --wildcards './boot/vmlinuz-*' \
		'./*lib/modules/*/crypto/*.ko*' './*lib/modules/*/drivers/net/*.ko*' './*lib/modules/*/net/sched/*.ko*'
	[ ! -d "$work/tree/usr/lib" ] || mv "$work/tree/usr/lib" "$work/tree/lib"
	find "$work/tree" -name '*.ko.xz' -exec xz -d {} +
	mv "$work/tree/boot/vmlinuz-$version" "$work/tree/vmlinuz"
	rm -rf "${guest:?}/$version"
	mv "$work/tree" "$guest/$version"
	rm -rf "$work"
fi
ln -sfn "$version" "$guest/kernel"
