#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# guest.sh: unpacks Debian's kernel, for the virtual machines of system tests, into
# build/guest/VERSION, with its headers, and compiles the module of tests/kernel for it;
# build/guest/kernel is a link to it. Installs nothing. The machines' programs are those of this
# system, so the kernel is of the same architecture.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

guest=$build/guest
# Stages that run at the same time need it.
mkdir -p "$build"
exec 9>>"$build/guest.lock"
flock 9
[ "$(dpkg --print-architecture)" = amd64 ] || die "the virtual machine is amd64, this system is not"

# depends PACKAGE: prints the packages of the kernel that this one needs.
depends() { apt-cache depends "$1" | sed -n 's/^ *Depends: \(linux-[a-z].*[0-9].*\)/\1/p'; }
# kernel_package: prints the name of the package that has the current kernel.
kernel_package() { depends linux-image-amd64 | grep '^linux-image-[0-9]' | head -n 1; }
# download PACKAGE...: into the current directory, which is of this user: that need not be the one of
# APT's sandbox. The lists can be older than the archive, which has only the newest version of a package.
download() {
	local options=(-q -o APT::Sandbox::User=root)
	apt-get "${options[@]}" download "$@" || { as_root apt-get -q update && apt-get "${options[@]}" download "$@"; }
}

# unpack_kernel: into $work/tree. Debian 13 has the modules in usr/lib, compressed.
unpack_kernel() {
	# An asterisk matches slashes too.
	dpkg-deb --fsys-tarfile "$work/$package"_*.deb | tar -x -C "$work/tree" --wildcards './boot/vmlinuz-*' \
		'./*lib/modules/*/crypto/*.ko*' './*lib/modules/*/drivers/net/*.ko*' './*lib/modules/*/net/sched/*.ko*' \
		'./*lib/modules/*/net/ipv4/tcp_*.ko*'
	[ ! -d "$work/tree/usr/lib" ] || mv "$work/tree/usr/lib" "$work/tree/lib"
	find "$work/tree" -name '*.ko.xz' -exec xz -d {} +
	mv "$work/tree/boot/vmlinuz-$version" "$work/tree/vmlinuz"
}
# unpack_headers: into $work/tree/usr. Links between these packages are relative, but for one file.
unpack_headers() {
	local deb
	for deb in "$work"/*.deb; do
		[[ $deb == */"$package"_* ]] || dpkg-deb -x "$deb" "$work/tree"
	done
	sed -i 's|^include /usr/src/|include ../|' "$work/tree/usr/src/linux-headers-$version/Makefile"
}

[ -n "$(kernel_package)" ] || as_root apt-get -q update
package=$(kernel_package) || true # fails if APT does not know the name
[ -n "$package" ] || die "apt-cache knows no linux-image-amd64"
version=${package#linux-image-}
headers=linux-headers-$version
# The directory of modules that unpack_kernel has added last: a tree of an older guest.sh lacks it.
if [ ! -d "$guest/$version/lib/modules/$version/kernel/net/ipv4" ] || [ ! -d "$guest/$version/usr/src/$headers" ]; then
	work=$guest/download
	rm -rf "$work"
	mkdir -p "$work/tree"
	mapfile -t packages < <(printf '%s\n' "$package" "$headers" && depends "$headers")
	(cd "$work" && download "${packages[@]}")
	unpack_kernel
	unpack_headers
	rm -rf "${guest:?}/$version"
	mv "$work/tree" "$guest/$version"
	rm -rf "$work"
fi
# make compiles it again if it has changed.
mkdir -p "$guest/$version/module"
cp -u tests/kernel/Kbuild tests/kernel/dcb_ports.c "$guest/$version/module"
make -s -C "$guest/$version/usr/src/$headers" M="$guest/$version/module" modules
ln -sfn "$version" "$guest/kernel"
