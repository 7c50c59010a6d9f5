# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=tests/system/lib.sh disable=SC2154 # of lib.sh
# Sourced after lib.sh. Virtual machines with Debian's kernel, and an initramfs as root: busybox,
# programs of this system, modules, and scripts of busybox's shell. guest.init is its first process;
# copy_programs and copy_modules fill $root, pack makes $T/initramfs of it, start_guest starts a machine.
#
# QEMU without KVM: its clock says nothing about speed. On a busy host the kernel can miss the ticks
# of its timer check and panic: no_timer_check. .ci/guest.sh unpacks the kernel.
kernel=$build/guest/kernel
root=$T/guest

# guest_needs PROGRAM...: ends the script if one is missing.
guest_needs() {
	local program
	for program in qemu-system-x86_64 busybox cpio "$@"; do
		command -v $program >/dev/null || die "$program is not installed: ./dev test installs it"
	done
	[ -f "$kernel/vmlinuz" ] || die "$kernel/vmlinuz does not exist: .ci/guest.sh makes it"
}

# copy_programs DIRECTORY PROGRAM...: copies programs, and the libraries that they need.
copy_programs() {
	local to=$root/$1 file
	shift
	mkdir -p "$to"
	for file; do
		file=$(readlink -f "$(command -v "$file")") || die "no program $file"
		cp "$file" "$to/"
		# With debug information they would take the memory of the machine.
		[[ $file != "$build"/* ]] || strip "$to/${file##*/}"
		copy_libraries "$file"
	done
}
copy_libraries() { # FILE
	local file
	for file in $(ldd "$1" | grep -o '[[:space:]]/[^ :]*' | sort -u); do
		mkdir -p "$root${file%/*}"
		[ -e "$root$file" ] || cp -L "$file" "$root$file"
	done
}

# copy_modules PATH...: of the kernel, in the order of insmod.
copy_modules() {
	local file number=10
	mkdir -p $root/modules
	for file; do
		cp "$kernel"/lib/modules/*/kernel/"$file.ko" "$root/modules/$number-${file##*/}.ko" || die "no module $file"
		number=$((number + 1))
	done
}

# pack SCRIPT...: the initramfs, with these scripts. guest.init runs the one that the command line of
# the kernel names.
pack() {
	mkdir -p $root/{bin,proc,sys,dev,etc,run,tmp,modules}
	[ -e $root/etc/passwd ] || echo "root:x:0:0::/:/bin/sh" >$root/etc/passwd
	[ -e $root/etc/group ] || echo "root:x:0:" >$root/etc/group
	cp "$(command -v busybox)" $root/bin/busybox
	cp "$src/tests/system/guest.init" $root/init
	chmod 755 $root/init
	cp "$@" $root/
	(cd $root && find . | cpio -o -H newc --quiet) >$T/initramfs
}

# start_guest NAME SCRIPT "WORD OF THE KERNEL..." [OPTION OF QEMU...]: its console is the log of NAME.
start_guest() {
	start "$1" qemu-system-x86_64 -cpu max -nodefaults -no-user-config -display none -serial stdio -no-reboot \
		-kernel "$kernel/vmlinuz" -initrd $T/initramfs "${@:4}" \
		-append "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off random.trust_cpu=on $3 script=$2"
}

# guest_ends NAME SECONDS: waits for the end of the virtual machine.
guest_ends() {
	wait_for "$2" "the end of the virtual machine $1" gone "${pid_of[$1]}" || die "the virtual machine does not end"
	unset "pid_of[$1]"
	is "modules that do not load" "$(grep -a '^insmod .*failed' "${log_of[$1]}")" ""
}

# said NAME WORD...: the rest of the lines of the console that begin with "NAME: WORD...".
said() { tr -d '\r' <"${log_of[$1]}" | sed -n "s/^$1: ${*:2}\( \|\$\)//p"; }
