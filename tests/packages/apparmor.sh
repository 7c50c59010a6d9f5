#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The AppArmor profile of package dcbd, enforced by Debian's kernel in a virtual machine: dcbd and
# dcb-lldp of the package do all their work, the kernel denies them nothing, and denies the rest.
# apparmor.guest has the steps. QEMU without KVM: .ci/guest.sh unpacks the kernel.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/../system/lib.sh"

kernel=$build/guest/kernel
packages=${DCB_DEBS:-$build/ci/packages}
for program in qemu-system-x86_64 busybox cpio apparmor_parser setpriv lldpd; do
	command -v $program >/dev/null || die "$program is not installed: ./dev test installs it"
done
[ -f "$kernel/vmlinuz" ] || die "$kernel/vmlinuz does not exist: .ci/guest.sh makes it"

root=$T/guest # of the virtual machine

# copy_programs PATH...: with their libraries.
copy_programs() {
	local file
	for file in "$@" $(ldd "$@" | grep -o '[[:space:]]/[^ :]*' | sort -u); do
		mkdir -p "$root${file%/*}"
		cp -L "$file" "$root$file"
	done
}

# make_guest: an initramfs of the package dcbd, busybox, other programs, modules, apparmor.guest.
make_guest() {
	local deb programs=() name
	mkdir -p $root/usr/{bin,sbin,lib,lib64} $root/{modules,proc,sys,dev,run,tmp,root,etc/apparmor.d}
	for name in bin sbin lib lib64; do ln -s usr/$name $root/$name; done
	for deb in "$packages"/{dcbd,dcbctl}_*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C $root || die "no package $deb"
	done
	cp "$(command -v busybox)" $root/bin/busybox
	for name in ip apparmor_parser setpriv lldpd; do programs+=("$(readlink -f "$(command -v $name)")"); done
	copy_programs "${programs[@]}" "$build/tests/system/manager" $root/usr/sbin/dcb{d,-lldp} $root/usr/bin/dcbctl
	cp "$build/tests/system/manager" $root/usr/bin/
	cp -r /etc/apparmor.d/{abi,abstractions,tunables} $root/etc/apparmor.d/
	# The parser's settings, and the features of the kernel for which Debian writes its profiles.
	mkdir -p $root/usr/share
	cp -r /etc/apparmor $root/etc/
	cp -r /usr/share/apparmor-features $root/usr/share/
	for name in veth tun; do
		cp "$kernel"/lib/modules/*/kernel/drivers/net/$name.ko $root/modules/ || die "no module $name"
	done
	printf '%s\n' root:x:0:0::/:/bin/sh dcbd:x:901:901::/:/bin/sh _lldpd:x:902:902::/:/bin/sh >$root/etc/passwd
	printf '%s\n' root:x:0: dcbd:x:901: _lldpd:x:902:dcbd >$root/etc/group
	# As Debian's: for a name that no file has, the library asks systemd.
	printf '%s\n' 'passwd: files systemd' 'group: files systemd' >$root/etc/nsswitch.conf
	copy_programs "$(ldconfig -p | sed -n 's/.*libnss_systemd\.so\.2 .*=> //p' | head -n 1)"
	cp "$src/tests/packages/apparmor.guest" $root/init
	chmod 755 $root/init
	(cd $root && find . | cpio -o -H newc --quiet) >$T/initramfs
}

make_guest
# no_timer_check: as in macsec_kernel.sh.
start guest qemu-system-x86_64 -M pc -accel tcg -cpu max -m 512 -nodefaults -no-user-config -display none -serial stdio \
	-no-reboot -kernel "$kernel/vmlinuz" -initrd $T/initramfs -append "console=ttyS0 quiet panic=-1 no_timer_check \
		mitigations=off random.trust_cpu=on apparmor=1 security=apparmor printk.devkmsg=on"

# value NAME: what the virtual machine has printed.
value() { tr -d '\r' <"${log_of[guest]}" | sed -n "s/^guest: $1 //p"; }

test_guest_runs_to_its_end() {
	# Idle machine: 20 s.
	wait_for 30 "the end of the virtual machine" gone "${pid_of[guest]}" || die "the virtual machine does not end"
	unset 'pid_of[guest]'
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
