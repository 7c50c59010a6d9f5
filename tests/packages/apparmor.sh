#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The AppArmor profile of package dcbd, enforced by Debian's kernel in a virtual machine: dcbd and
# dcb-lldp of the package do all their work, the kernel denies them nothing, and denies the rest.
# apparmor.guest has the steps.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/../system/lib.sh"
# shellcheck source=tests/system/guest.sh
. "$(dirname -- "$(readlink -f -- "$0")")/../system/guest.sh"

packages=${DCB_DEBS:-$build/ci/packages}
guest_needs apparmor_parser setpriv lldpd

# make_guest: an initramfs of the package dcbd, busybox, other programs, modules, apparmor.guest.
make_guest() {
	local deb file
	mkdir -p $root/usr/{bin,sbin,lib,lib64} $root/{root,etc/apparmor.d}
	for file in bin sbin lib lib64; do ln -s usr/$file $root/$file; done
	for deb in "$packages"/{dcbd,dcbctl}_*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C $root || die "no package $deb"
	done
	copy_programs usr/bin ip setpriv "$build/tests/system/manager"
	copy_programs usr/sbin apparmor_parser lldpd
	cp -r /etc/apparmor.d/{abi,abstractions,tunables} $root/etc/apparmor.d/
	# The parser's settings, and the features of the kernel for which Debian writes its profiles.
	mkdir -p $root/usr/share
	cp -r /etc/apparmor $root/etc/
	cp -r /usr/share/apparmor-features $root/usr/share/
	copy_modules drivers/net/veth drivers/net/tun
	printf '%s\n' root:x:0:0::/:/bin/sh dcbd:x:901:901::/:/bin/sh _lldpd:x:902:902::/:/bin/sh >$root/etc/passwd
	printf '%s\n' root:x:0: dcbd:x:901: _lldpd:x:902:dcbd >$root/etc/group
	# As Debian's: for a name that no file has, the library asks systemd.
	printf '%s\n' 'passwd: files systemd' 'group: files systemd' >$root/etc/nsswitch.conf
	file=$(ldconfig -p | sed -n 's/.*libnss_systemd\.so\.2 .*=> //p' | head -n 1)
	mkdir -p "$root${file%/*}"
	cp -L "$file" "$root$file"
	for file in "$file" $root/usr/sbin/dcb{d,-lldp} $root/usr/bin/dcbctl; do copy_libraries "$file"; done
	pack "$src/tests/packages/apparmor.guest"
}

make_guest
start_guest guest apparmor.guest "apparmor=1 security=apparmor printk.devkmsg=on" -M pc -accel tcg -m 512

value() { said guest "$1"; } # NAME

test_guest_runs_to_its_end() {
	# Idle machine: 20 s.
	guest_ends guest 30
	is "last line" "$(value end)" 1
	is "failures in the virtual machine" "$(value failed)" ""
}

test_profile_is_enforced() {
	is "profile of dcbd" "$(value dcbd)" "dcbd (enforce)"
	is "profile of dcb-lldp" "$(value dcb-lldp)" "dcbd (enforce)"
	is "status with another file" "$(value status)" 2
	is "denials of another file" "$(value denied)" 1
}

test_dcbd_and_dcb_lldp_are_denied_nothing() {
	is "denials" "$(value denial)" ""
}

test_dcbd_does_all_its_work() {
	is "as a service" "$(value service)" "ready reloaded connected saved macsec stopped"
	is "started by root, with taps" "$(value root)" "ready taps quiet stopped"
}

run_tests
