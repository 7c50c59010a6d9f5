# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Shared by dev and the scripts in .ci. Bash sources it; it changes to the top directory of the
# source tree.
set -euo pipefail

cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
top=$PWD
build=$top/build      # the default build tree
ci=$build/ci          # builds with other flags, logs and results of ./dev test
jobs=$(nproc 2>/dev/null || echo 2)
# Tests at a time. Some unit tests only wait; system tests wait more than they compute.
# shellcheck disable=SC2034 # used by scripts
unit_jobs=$((2 * jobs)) system_jobs=6
export LC_ALL=C
unset MAKEFLAGS MFLAGS
# In a container another user owns the mounted checkout; git refuses to read it unless told
# otherwise.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$top

say() { printf '== %s\n' "$*"; }
die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# Debian packages for each purpose; need() reads these variables by name.
# shellcheck disable=SC2034
{
	packages_build=(autoconf automake make gcc libc6-dev pkgconf xz-utils libsnmp-dev libpcap-dev
		libmnl-dev liblldpctl-dev libevent-dev libjansson-dev libconfig-dev libcap-ng-dev
		libseccomp-dev libssl-dev zlib1g-dev uthash-dev libcmocka-dev
		libncurses-dev libhiredis-dev libsystemd-dev)
	packages_demo=(snmpd snmp lldpd iproute2 iperf3 procps gnuplot-nox)
	packages_trill=(jq python3)
	packages_sonic=(redis-server snmptrapd)
	packages_guest=(qemu-system-x86 busybox-static cpio ethtool)
	packages_test=("${packages_demo[@]}" "${packages_guest[@]}" "${packages_sonic[@]}" clang libclang-rt-dev clang-format cppcheck shellcheck mandoc
		smitools tshark jq python3 python3-scapy dbus-daemon python3-dbus python3-gi systemd prometheus
		prometheus-snmp-exporter git nodejs npm ccache lldpad
		libyang2-tools libyuma-base linuxptp
		zabbix-server-pgsql zabbix-frontend-php php-cli php-pgsql postgresql postgresql-common
		curl chromium python3-pexpect python3-pyte python3-jsonschema zsh)
	packages_test+=(build-essential debhelper dh-apparmor dpkg-dev apparmor lintian rpm) # for .ci/packages.sh
	packages_test+=(systemd-container mmdebstrap) # for tests/packages/boot.sh
	packages_ports=(gcc-s390x-linux-gnu gcc-arm-linux-gnueabihf gcc-aarch64-linux-gnu qemu-user)
	packages_bench=("${packages_demo[@]}" ethtool jq nodejs npm)
	packages_fleet=(snmpd snmp iproute2 procps jq prometheus prometheus-snmp-exporter)
}

# need SET...: installs the missing packages of these sets. Does not start the daemons that they
# contain (snmpd, lldpd), and leaves them disabled: the machine must not begin to send LLDPDUs.
need() {
	local set names log missing=()
	command -v dpkg-query >/dev/null || {
		say "not a Debian system: configure will report missing libraries"
		return 0
	}
	names=$(for set; do
		local -n list=packages_$set
		printf '%s\n' "${list[@]}"
	done | sort -u | comm -23 - <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' |
		sed -n 's/^installed //p' | sort -u))
	# A command counts as installed whichever package it is from: node of its own repository
	# includes npm.
	mapfile -t missing < <(for set in $names; do command -v "$set" >/dev/null || echo "$set"; done)
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing Debian packages: ${missing[*]}"
	log=$(mktemp)
	if ! as_root .ci/install.sh "${missing[@]}" >"$log" 2>&1 </dev/null; then
		tail -n 30 "$log"
		rm -f "$log"
		die "could not install: ${missing[*]}"
	fi
	rm -f "$log"
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo -n "$@"
	else
		die "needs root: $* (and there is no sudo)"
	fi
}

# use_ccache: compiles by ccache, if it is installed. All build trees share build/ci/ccache, so that
# a source is compiled once for each set of flags. Which headers it reads is known from the compilation:
# a preprocessor before it would take 4 % of the time of a first run.
use_ccache() {
	[ -d /usr/lib/ccache ] || return 0
	export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=$ci/ccache CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
}

# make_configure: runs autoreconf if configure is missing or older than its sources.
make_configure() {
	if [ ! -x configure ] || [ ! -f Makefile.in ] || [ configure.ac -nt configure ] ||
		[ -n "$(find . -path ./build -prune -o -name '*.am' -newer Makefile.in -print -quit)" ]; then
		autoreconf -fi
	fi
}

# configure_in DIR [ARGUMENT...]: configures DIR, unless it is already configured with these
# arguments.
configure_in() {
	local dir=$1
	shift
	make_configure
	mkdir -p "$dir"
	if [ ! -f "$dir/Makefile" ] || [ "$(cat "$dir/.configured" 2>/dev/null)" != "$*" ] ||
		[ configure -nt "$dir/Makefile" ]; then
		(cd "$dir" && "$top/configure" -q "$@")
		printf '%s\n' "$*" >"$dir/.configured"
	fi
}

# result PASS|FAIL|SKIP NAME [LOG]: prints a result and appends it to $DCB_RESULTS, which ./dev test
# adds up.
result() {
	printf '%s: %s\n' "$1" "$2"
	[ -z "${DCB_RESULTS-}" ] || printf '%s\t%s\t%s\n' "$1" "$2" "${3-}" >>"$DCB_RESULTS"
	results=$((${results-0} + 1))
	[ "$1" != FAIL ] || failures=$((${failures-0} + 1))
}

# make, by the command ${place[@]}, with the argument ${only[@]}.
place=() only=()
make() { command "${place[@]}" make "$@" "${only[@]}"; }

# link_only DIR TEST...: the shared program of unit tests gets only these of its tests from now on.
link_only() {
	local objects
	objects=$(printf '%s\n' "${@:2}" | grep -xF -f <(make_var "$1" unit_shared | tr ' ' '\n') | sed 's/$/.o/')
	only=(am_tests_unit_unit_OBJECTS="${objects//$'\n'/ }")
}

# make_var DIR NAME: prints a variable of the makefile in DIR.
make_var() { make -s -C "$1" "print-$2"; }

# build_in DIR [TEST...]: builds the programs, those that only tests need, and all unit tests and fuzzers, or only
# these of them.
build_in() {
	local programs
	mapfile -t programs < <(make_var "$1" check_PROGRAMS | tr ' ' '\n'; make_var "$1" check_SCRIPTS | tr ' ' '\n')
	if [ $# -gt 1 ]; then
		mapfile -t programs < <(printf '%s\n' "${programs[@]}" | grep -vE '^tests/(unit|fuzz)/')
	fi
	# Two invocations: "all" runs a make of its own.
	make -C "$1" -j"$jobs" all && make -C "$1" -j"$jobs" "${programs[@]}" "${@:2}"
}

# check_in DIR PREFIX JOBS TEST...: runs these automake tests, JOBS at a time, and records their
# results; for a cmocka program or a system test, one result for each test function. The programs
# must be built already: stages that run at the same time share build/.
check_in() {
	local dir=$1 prefix=$2 at_once=$3 test trs verdict name log before
	shift 3
	for test; do rm -f "$dir/${test%.*}.trs"; done
	DCB_TIMES_PREFIX=$prefix make -C "$dir" -j"$at_once" -k check-TESTS TESTS="$*" TEST_SUITE_LOG="suite-$$.log" \
		LOG_COMPILER="$top/.ci/timed.sh ${LOG_COMPILER-}" SH_LOG_COMPILER="$top/.ci/timed.sh" || true
	for test; do
		trs=$dir/${test%.*}.trs
		before=${results-0}
		[ ! -f "$trs" ] || while IFS=$'\t' read -r verdict name log; do
			result "$verdict" "$prefix$name" "$log"
		done < <(read_trs "$dir" "$trs")
		[ "${results-0}" -gt "$before" ] || result FAIL "$prefix$test: no result"
	done
}

# read_trs DIR FILE: prints a line "verdict TAB name TAB log" for each result.
read_trs() {
	local log=${2%.trs}.log
	local name=${2#"$1"/}
	touch "$log"
	awk -v name="${name%.trs}" -v log_file="$log" '
		function out(v, n) { printf "%s\t%s\t%s\n", v, n, log_file }
		FNR == NR {
			if (match($0, /^\[ +(OK|FAILED|SKIPPED) +\] /)) {
				test = substr($0, RLENGTH + 1)
				sub(/: .*/, "", test)
				if (test ~ /^[0-9]+ test\(s\)/ || (test in seen)) next
				seen[test] = 1
				v = $0 ~ /^\[ +OK/ ? "PASS" : $0 ~ /^\[ +FAILED/ ? "FAIL" : "SKIP"
				count[v]++
				rows[++n] = v "\t" name ": " test
			}
			next
		}
		/^:test-result:/ {
			v = $2
			sub(/^XFAIL$/, "PASS", v)
			sub(/^(XPASS|ERROR)$/, "FAIL", v)
			what = name
			for (i = 3; i <= NF; i++) what = what " " $i
			if (n == 0 || v == "SKIP" || NF > 2) { out(v, what); next }
			for (i = 1; i <= n; i++) { split(rows[i], r, "\t"); out(r[1], r[2]) }
			if (v == "FAIL" && !count["FAIL"]) out("FAIL", what)
		}
	' "$log" "$2"
}

# show_log FILE: prints the lines with errors and the end of a log, for a person to read.
show_log() {
	printf -- '---- %s\n' "$1"
	{
		head -n -40 -- "$1" | grep -nE 'error|Error [0-9]|\*\*\*|^(FAIL|ERROR)|[Ss]anitizer|warning:' |
			head -n 30
		tail -n 40 -- "$1"
	} 2>/dev/null || true
	printf -- '----\n'
}

# finish: returns 0 if no result was FAIL.
finish() { [ "${failures-0}" -eq 0 ]; }
