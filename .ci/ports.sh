#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ports.sh [-O0|s390x|armhf|arm64]...: unit tests and fuzz corpora without optimization or for
# another architecture; all four by default. s390x is big endian, armhf has 32 bits. Those for
# another architecture are cross-compiled and run by qemu-user. The libraries they need are unpacked
# under build/ci/ports; no package of another architecture is installed.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

ports=$ci/ports
libraries=(libc6-dev libcap-ng-dev libcmocka-dev libconfig-dev libevent-dev libhiredis-dev
	libjansson-dev liblldpctl-dev libmnl-dev libpcap-dev libseccomp-dev libsnmp-dev libssl-dev libsystemd-dev
	uthash-dev zlib1g-dev)

# What qemu-user cannot run, with the reason: a program, or one test of a program. A process with
# several threads cannot enter a user namespace, and qemu-user has a second thread.
declare -A not_under_qemu=(
	[tests/unit/control/host/test_ifmon]="needs a user namespace"
	[tests/unit/dataplane/netio/test_netio_packet]="needs a user namespace and rings of packet sockets"
	[tests/unit/dataplane/netio/test_netio_packet_names]="needs a user namespace and rings of packet sockets"
	[tests/unit/dataplane/netio/test_netio_tap]="needs a user namespace"
	[tests/unit/control/host/test_priv]="needs a user namespace"
	[tests/unit/dataplane/soft/test_soft_wire]="needs a user namespace"
	["tests/unit/control/conf/test_conf_macsec: test_key_is_in_locked_memory_only"]="needs the system call process_vm_readv"
	["tests/unit/control/conf/test_conf_macsec: test_scan_finds_a_key"]="needs the system call process_vm_readv"
	["tests/unit/dataplane/macsec/test_secret: test_heap_is_not_dumped"]="madvise() has no effect"
	["tests/unit/lldp/test_lldp_process: test_missing_program_fails"]="vfork() does not share memory, so posix_spawn() returns no error"
	["tests/unit/lldp/test_lldp_client: test_sendv_sends_each_message_completely"]="needs the system call io_setup"
)

# Records results as lib.sh does, except those of tests that are expected to skip themselves.
eval "record_$(declare -f result)"
result() {
	local test=${2#ports/*/}
	if [ "$1" = SKIP ] && [ -n "${LOG_COMPILER-}" ] && [ -n "${not_under_qemu[$test]-}" ]; then
		say "$2: left out: ${not_under_qemu[$test]}"
		results=$((${results-0} + 1))
	else
		record_result "$@"
	fi
}

run_tests() { # NAME DIR
	local all test tests=()
	mapfile -t all < <(make_var "$2" TESTS | tr ' ' '\n' | grep -E '^tests/(unit|fuzz)/')
	for test in "${all[@]}"; do
		if [ -n "${LOG_COMPILER-}" ] && [ -n "${not_under_qemu[$test]-}" ]; then
			say "ports/$1/$test: left out: ${not_under_qemu[$test]}"
		else
			tests+=("$test")
		fi
	done
	check_in "$2" "ports/$1/" "$jobs" "${tests[@]}"
}

build_and_check() { # NAME CONFIGURE-ARGUMENT...
	local dir=$ports/$1/build
	if configure_in "$dir" "${@:2}" && build_in "$dir"; then
		run_tests "$1" "$dir"
	else
		result FAIL "ports/$1: make"
	fi
}

# apt-get for another architecture, with the package sources and keys of this machine and
# directories of its own.
foreign_apt() { apt-get -q -y -c "$1/apt.conf" "${@:2}"; } # DIR ARGUMENT...

unpack_libraries() { # DIR ARCHITECTURE
	local dir=$1 arch=$2 names file
	[ "$(cat "$dir/complete" 2>/dev/null)" != "${libraries[*]}" ] || return 0
	say "$arch: fetching libraries"
	rm -rf "$dir"
	mkdir -p "$dir"/{root,debs,lists/partial,cache/archives/partial}
	: >"$dir/status"
	# Hooks of "update" would clean up the machine's own apt directories.
	cat >"$dir/apt.conf" <<-END
		#clear APT::Architectures;
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		APT::Install-Recommends "false";
		Dir::State "$dir";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
	END
	foreign_apt "$dir" update || say "$arch: apt-get update failed for some package sources"
	# Only the libraries among the packages that would be installed; liblldpctl is in package
	# lldpd.
	names=$(foreign_apt "$dir" -s install "${libraries[@]}" |
		sed -nE 's/^Inst ((lib|zlib|linux-libc-|uthash-|lldpd)[^ ]*) .*/\1/p') || return
	# shellcheck disable=SC2086 # a word is a package
	(cd "$dir/debs" && foreign_apt "$dir" download $names) || return
	for file in "$dir"/debs/*.deb; do dpkg -x "$file" "$dir/root" || return; done
	find "$dir/root" -type l -lname '/*' | while read -r file; do
		ln -sfn "$dir/root$(readlink "$file")" "$file"
	done
	rm -r "$dir/debs"
	printf '%s\n' "${libraries[*]}" >"$dir/complete"
}

foreign() ( # ARCHITECTURE GNU-NAME QEMU
	root=$ports/$1/libraries/root
	unpack_libraries "${root%/root}" "$1" || {
		result FAIL "ports/$1: libraries"
		exit 1
	}
	export PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_LIBDIR=$root/usr/lib/$2/pkgconfig:$root/usr/share/pkgconfig
	# LOG_COMPILER is for automake, DCB_RUN for replay.sh.
	export LOG_COMPILER="$3 -L $root" DCB_RUN="$3 -L $root"
	build_and_check "$1" --host="$2" CC="$2-gcc --sysroot=$root" \
		NET_SNMP_CONFIG="$root/usr/bin/net-snmp-config" CFLAGS="-O2 -g"
	finish
)

[ $# -gt 0 ] || set -- -O0 s390x armhf arm64
[ "$*" = -O0 ] || need ports
use_ccache
for port; do
	start=$SECONDS
	say "$port"
	case $port in
	-O0) build_and_check -O0 CFLAGS="-O0 -g" ;;
	s390x) foreign s390x s390x-linux-gnu qemu-s390x || failures=1 ;;
	armhf) foreign armhf arm-linux-gnueabihf qemu-arm || failures=1 ;;
	arm64) foreign arm64 aarch64-linux-gnu qemu-aarch64 || failures=1 ;;
	*) die "-O0, s390x, armhf or arm64, not $port" ;;
	esac
	say "$port: $((SECONDS - start)) s"
done
finish
