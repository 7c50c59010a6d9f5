#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures 4096 hardware ports, in a virtual machine whose drivers are the module of tests/kernel: the
# processor time of a round in which dcbd reads all devices, with counters that stay and with counters
# that all change, against a loop of the least requests; and that of a GET of counters of a hardware
# port, against one of a software port.
#
#   kernel.sh BUILD-DIR [--quick|--smoke]
#
# The clock of the virtual machine counts instructions (-icount), 1 ns each: its times do not depend on
# other load, nor on the speed of this machine, and say nothing about caches.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

ports=4096
turns=6 # of all measurements
reads=2000

parse() {
	[ $# -ge 1 ] || fail "usage: kernel.sh BUILD-DIR [--quick|--smoke]"
	build=$(readlink -f -- "$1")
	case ${2-} in
	'') ;;
	--quick) reads=500 ;;
	--smoke) ports=16 turns=1 reads=16 ;;
	*) fail "unknown option $2" ;;
	esac
	takes "hardware ports" "$(seconds_of)" "$(seconds_of)"
}
seconds_of() { awk -v n=$turns -v p=$ports 'BEGIN { print 10 + p / 150 + n * p / 400 }'; }

# What guest.sh needs of tests/system/lib.sh.
use_guest() {
	# shellcheck disable=SC2034 # of guest.sh
	T=$work src=$(readlink -f -- "$here/../..")
	die() { fail "$*"; }
	# shellcheck source=tests/system/guest.sh
	. "$src/tests/system/guest.sh"
	guest_needs ip
	[ -f "$kernel/module/dcb_ports.ko" ] || fail "$kernel/module/dcb_ports.ko does not exist: .ci/guest.sh makes it"
}

# shellcheck disable=SC2154 # root, kernel: of guest.sh
make_guest() {
	copy_programs programs ip "$build"/dcbd "$build/tests/bench/kernel_loop"
	strip --strip-debug -o "$root/programs/dcb_ports.ko" "$kernel/module/dcb_ports.ko"
	printf '%s=%s\n' ports $ports turns $turns reads $reads >"$work/settings"
	pack "$here/kernel.guest" "$work/settings"
}

# heard WORD...: the rest of the lines of the virtual machine that begin with these.
heard() { tr -d '\r' <"$work/guest.log" | sed -n "s/^kernel: $*\( \|\$\)//p"; }

run_guest() {
	start_guest guest kernel.guest ipv6.disable=1 -M pc -accel tcg,thread=single -icount shift=0,sleep=off -smp 1 -m 3072
	await 600 "the virtual machine" guest end_of_guest
	[ -z "$(heard failed)" ] || fail "in the virtual machine: $(heard failed)"
	[ -n "$(heard end)" ] || fail "the virtual machine ended early"
}
end_of_guest() { ! kill -0 "$started"; }

take_turn() { # TURN
	local name
	for name in loop idle moving control get-kernel get-soft; do
		record ns $name all "$1" "$(field ns "$(heard "$name $1")")"
	done
}

# line NAME TEXT: the median and the range, in thousands of instructions.
line() {
	printf '  %-44s%s\n' "$2" "$(values ns "$1" all | awk '{ printf "%.1f (%.1f-%.1f)", $1 / 1e3, $2 / 1e3, $3 / 1e3 }')"
}

report() {
	printf '\nInstructions for %d hardware ports, thousands: median of %d (min-max)\n' $ports $turns
	line loop "a round, bare loop"
	line idle "a round, counters stay"
	line moving "a round, all counters change"
	line control "its reports, control thread"
	line get-kernel "read of a row, hardware port"
	line get-soft "read of a row, software port"
	printf '  start, control thread: %d; dcbd has %d KB then\n' \
		$(($(field cpu_ns "$(heard start)") / 1000)) "$(field rss_kb "$(heard start)")"
	goal "a round, counters stay, at 1 instruction a ns" "<=" 0.5 " s" "$(seconds idle)"
	goal "a round, all counters change, the same" "<=" 0.5 " s" "$(seconds moving)"
	goal "a round, counters stay / bare loop" "<=" 2 "" "$(ratios ns idle all ns loop all)"
	goal "read of counters, hardware / software port" "<=" 1.1 "" "$(ratios ns get-kernel all ns get-soft all)"
	sum_of_goals "hardware port"
}
seconds() { numbers_of ns "$1" all | awk '{ print $1 / 1e9 }' | interval; }

parse "$@"
[ "$(id -u)" -eq 0 ] || fail "needs root (namespaces)"
make_work
use_guest
make_guest
say "hardware ports: $ports, $turns times"
run_guest
for ((turn = 1; turn <= turns; turn++)); do take_turn $turn; done
report
