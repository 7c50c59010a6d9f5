#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The demo shows the intended effects: frames are lost without reaction points and hardly any with
# them, which receive the CNMs of the second bridge through the first; bursts lose frames without
# PFC and none with it, as both bridges pause their neighbors; the set point reads back as set;
# there is a plot. That of the TRILL campus: frames are lost without PFC and reaction point, hardly any
# with one of them; every hop pauses the one before; the second source is not slowed; a CNM is decoded
# on each link of its way. They leave nothing behind, at their end or when interrupted. Their exit
# status says whether all effects are as expected. Another demo, or namespaces with their names, are
# not touched. Where something is missing that they need, they say so in one line and make nothing; what
# fails later is in the last line. Needs root.
# shellcheck source=.ci/lib.sh
. "$(dirname -- "$0")/lib.sh"

if [ "$(id -u)" -ne 0 ]; then
	echo "named network namespaces need root"
	exit 77
fi
unset DCB_BUILD DCB_BUILDDIR DCB_PLOT # another build, which the caller tests by hand
make_configure
configure_in "$build" CFLAGS="-O2 -g"
make -C "$build" -j"$jobs" all
mkdir -p "$ci/log"
out=$ci/log/demo-output.log

verdict() { # NAME COMMAND...
	if "${@:2}"; then
		result PASS "demo: $1" "$out"
	else
		result FAIL "demo: $1" "$out"
	fi
}
demonstrate() {
	rm -f "$build/demo.png"
	contrib/demo.sh >"$out" 2>&1
}
lab_of() { sed -nE 's/^== (dcb-demo[0-9]*): .*/\1/p' "$1"; } # LOG
nothing_left() { # LOG
	local lab
	lab=$(lab_of "$1")
	[ -n "$lab" ] && [ ! -e "/run/$lab" ] && [ ! -e "/run/$lab.pid" ] &&
		! ip netns list | grep -qE "^$lab-(h1|h2|h3|b1|b2)( |$)"
}
# numbers PATTERN: the numbers of the result line ("=> ...") that has the pattern, in one line.
numbers() { results | sed -nE "/^=> .*$1/ { s/b[0-9]h?[0-9]?|bridge [12]|[(][^)]*[)]//g; s/[^0-9]+/ /g; p }"; }
lost_at_first() { numbers 'without reaction points' | awk 'END { exit !(NR == 1 && $1 > 0) }'; }
# If dcbd gets no processor for longer than the buffer lasts, frames are lost even with reaction
# points: at most a hundredth of the loss before. Lost: before, while the rates settled, since.
hardly_any_later() {
	numbers 'while the rates settled' | awk 'END { exit !(NR == 1 && $3 * 100 <= $1) }'
}
# More CNMs arrive at the stations than the first bridge has sent, and no more than both have.
cnms_cross() {
	numbers 'stations received' | awk 'END { exit !(NR == 1 && $1 > $3 && $1 <= $2 + $3) }'
}
bursts_are_lost() { numbers 'without PFC' | awk 'END { exit !(NR == 1 && $1 > 0) }'; }
# Lost: before, since.
bursts_are_caught() { numbers 'with PFC' | awk 'END { exit !(NR == 1 && $1 > 0 && $2 == 0) }'; }
both_pause() { numbers 'PFC frames of' | awk 'END { exit !(NR == 1 && $1 > 0 && $2 > 0) }'; }
narrow() { ! grep -vF "$build" "$out" | grep -E '.{80}'; }
# Columns: bar, queue, cpFb, RP, RP, sent by b2h3, whose rate is 200 Mb/s; ... By the clock of a shell,
# which waits for a processor between two reads, the rate was up to three times as high.
live_lines() { awk '/^[#.|]+ +[0-9]+ / { n++; fast = fast || $6 > 400 } END { exit !(n > 30 && !fast) }' "$out"; }
all_right() { [ "$(grep -c ': right' < <(results))" -eq 8 ] && grep -qx '=> 8 of 8 effects as expected' "$out"; }
# results: the result lines, each in one line.
results() { awk '/^=>/ { go = 1; printf "%s%s", n++ ? "\n" : "", $0; next } /^   / && go { sub(/^ +/, " "); printf "%s", $0; next } { go = 0 } END { print "" }' "$out"; }
# The functions of the verdicts, with effects that are not as expected.
wrong_verdicts() {
	local text
	text=$(bash -c '. contrib/demo_lib.sh
		verdict "0 frames lost" some [ 0 -gt 0 ]
		verdict "5 * frames lost" some [ 5 -gt 0 ]
		verdicts && echo "status 0"') || true
	diff <(echo "$text") - <<-'END'
		=> 0 frames lost: WRONG (expected: some)
		=> 5 * frames lost: right (expected: some)
		=> 1 of 2 effects as expected
	END
}
read_back() { [ "$(grep -c 'ieee8021CnCpQueueSizeSetPoint.*: 100000\b' "$out")" -eq 2 ]; }
has_plot() { [ "$(head -c 8 "$build/demo.png" | od -An -tx1)" = " 89 50 4e 47 0d 0a 1a 0a" ]; }
# All ports face stations or bridges, but b2h3.
domain_forms() {
	[ "$(grep -cE '^(b1h1|b1h2|b1b2|b2b1) +3 +interiorReady ' "$out")" -eq 4 ] &&
		[ "$(grep -cE '^b2h3 +3 +edge ' "$out")" -eq 1 ]
}
agreed() { grep -qE '^eth0 +PFC +none willing +3 willing +3 +3 ' "$out"; }
sees_neighbor() { grep -q "chassis.name=$(lab_of "$out")-h3$" "$out"; }

# A demo beside a namespace that has one of its names, with pages, of programs that only root reaches, as
# in a checkout below /root, ended by SIGTERM.
beside=$ci/log/demo-beside.log
begin_beside() {
	local option=--page private=$ci/private program
	taken=
	if ip netns add dcb-demo-b2 2>/dev/null; then taken=dcb-demo-b2; fi
	[ -x "$build/dcb-exporter" ] || option=--keep
	rm -rf "$private"
	mkdir -m 700 "$private"
	for program in dcbd dcb-lldp dcb-agentx dcb-exporter dcbctl; do
		[ ! -x "$build/$program" ] || cp "$build/$program" "$private/"
	done
	DCB_BUILD=$private contrib/demo.sh $option >"$beside" 2>&1 &
	beside_pid=$!
	for _ in $(seq 300); do
		grep -q 'queue of b2h3' "$beside" && return
		kill -0 "$beside_pid" 2>/dev/null || return
		sleep 0.1
	done
	return 1
}
other_names() { [ "$(lab_of "$beside")" != dcb-demo ] && ip netns list | grep -qE '^dcb-demo-b2( |$)'; }
# get ADDRESS:PORT PATH: the answer to a GET.
get() {
	exec 3<>"/dev/tcp/${1%:*}/${1#*:}" || return
	printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3
	timeout 20 cat <&3
	exec 3>&-
}
pages() { sed -nE 's#^  (b1|b2|h1|h2) http://([0-9.:]+)/$#\2#p' "$beside"; }
has_page() {
	local address
	if [ ! -x "$build/dcb-exporter" ]; then
		{ contrib/demo.sh --page 2>&1 || true; } | grep -q -- "--page needs $build/dcb-exporter"
		return
	fi
	[ "$(pages | wc -l)" -eq 4 ] || return # b2 first
	for address in $(pages); do
		get "$address" / >"$ci/log/demo-page.log" && grep -qi '<html' "$ci/log/demo-page.log" || return
	done
	address=$(pages | head -n 1)
	get "$address" /metrics >"$ci/log/demo-page.log" && grep -q '^dcb_.*port="b2h3"' "$ci/log/demo-page.log"
}
no_page() {
	local address
	for address in $(pages); do
		! get "$address" / >/dev/null 2>&1 || return
	done
}
# By its name: a demo that a user keeps stays up.
is_not_removed() {
	local lab
	lab=$(lab_of "$beside")
	[ -n "$lab" ] && ./dev demo --down "$lab" >"$ci/log/demo-down.log" 2>&1 &&
		grep -q "^== $lab is running: not removed" "$ci/log/demo-down.log" && kill -0 "$beside_pid"
}
# With a name that no demo has, --down removes nothing.
down_needs_name() {
	local rc=0
	./dev demo --down dcb-demo10 >"$ci/log/demo-down.log" 2>&1 || rc=$?
	[ $rc -eq 2 ] && grep -q 'demo --down \[NAME\]' "$ci/log/demo-down.log" || return
	rc=0
	contrib/demo.sh --down dcb-demo10 >"$ci/log/demo-down.log" 2>&1 || rc=$?
	[ $rc -eq 1 ] && grep -qx 'demo: there is no demo dcb-demo10' "$ci/log/demo-down.log"
}
interrupted() {
	kill -TERM "$beside_pid" && ! wait "$beside_pid" && nothing_left "$beside" && no_page && ! grep -q WRONG "$beside"
}
end_beside() { [ -z "$taken" ] || { ip netns list | grep -q '^dcb-demo-b2' && ip netns del "$taken"; }; }

# --- the TRILL campus ---

# trill LOG [PLACE]: starts the demo; $trill_pid and $trill_space are its process and mount namespace,
# which all of its processes are in.
trill() {
	local own
	own=$(readlink /proc/self/ns/mnt)
	contrib/demo_trill.sh "${@:2}" >"$1" 2>&1 &
	trill_pid=$!
	for _ in $(seq 600); do
		trill_space=$(readlink "/proc/$trill_pid/ns/mnt") || return 1
		[ "$trill_space" = "$own" ] || return 0
		sleep 0.05
	done
	return 1
}
trill_demonstrate() {
	local start=$SECONDS
	rm -f "$build/demo-trill.png"
	trill "$out" && wait "$trill_pid" && echo "demo trill: $((SECONDS - start)) s"
}
# A process that was killed may need a moment to end.
trill_nothing_left() {
	for _ in $(seq 100); do
		grep -qxF "$trill_space" < <(find /proc -maxdepth 3 -path '/proc/[0-9]*/ns/mnt' -printf '%l\n' 2>/dev/null) || return 0
		sleep 0.1
	done
	return 1
}
trill_lost() { numbers 'without reaction point and PFC' | awk 'END { exit !(NR == 1 && $1 > 0) }'; }
# A dcbd that gets no processor for longer than the headroom lasts loses frames in spite of PFC. Without
# an effect on the sender the loss would stay about the same.
trill_hardly_any() { numbers "$1" | awk 'END { exit !(NR == 1 && $3 * 10 <= $1) }'; } # PATTERN
trill_all_pause() {
	results | grep -q '^=> PFC frames: rb2 [0-9]*, b2 [0-9]*, rb1 [0-9]*, b1 [0-9]*: right' &&
		numbers 'PFC frames: rb2' | awk 'END { exit !(NR == 1 && NF == 4 && $1 > 0 && $2 > 0 && $3 > 0 && $4 > 0) }'
}
# The rate of the reaction point, which begins with 40 Mb/s.
trill_source_slows() {
	numbers 'RP of esa' | awk 'END { exit !(NR == 1 && $3 < 35) }' &&
		numbers 'esa has received' | awk 'END { exit !(NR == 1 && $1 > 0) }'
}
trill_second_source() {
	[ "$(grep -c '^=> esc: 0 CNMs, 0 RPs, 0 PFC frames; [1-9].*: right' < <(results))" -eq 4 ]
}
trill_all_right() { [ "$(grep -c ': right' < <(results))" -eq 10 ] && ! grep -q WRONG "$out"; }
# At each hop: its kind, the outer header that comes and goes, a field that stays, and its octets.
trill_way() {
	[ "$(sed -nE 's/^(\w+ -> \w+: .*), ([0-9]+) octets, .*/\1 \2/p' "$out" | paste -sd '|')" = \
		'rb2 -> b2: in a TRILL frame 134|b2 -> rb1: in a TRILL frame, unchanged 134|rb1 -> b1: native 110|b1 -> esa: native, unchanged 110' ] &&
		[ "$(grep -cE '^    TRILL +egress 256 [(]rb1[)], ingress 512 [(]rb2[)], hops 63' "$out")" -eq 2 ] &&
		[ "$(grep -cE '^  - (outer (DA|SA|C-TAG)|TRILL)$' "$out")" -eq 4 ] &&
		[ "$(grep -E '^    CN-TAG +flow ' "$out" | sort -u | wc -l)" -eq 1 ] &&
		[ "$(grep -cE '^    MSDU +64 octets' "$out")" -eq 4 ] &&
		grep -q '^=> .* CNMs, 0 wrong: .*, hops: 4$' "$out"
}
trill_log() { cmp "$out" "$build/demo-trill.log"; }
trill_plot() { [ "$(head -c 8 "$build/demo-trill.png" | od -An -tx1)" = " 89 50 4e 47 0d 0a 1a 0a" ]; }
trill_bad_place() {
	local rc=0
	./dev demo trill rb4 >"$ci/log/demo-trill-usage.log" 2>&1 || rc=$?
	[ $rc -eq 2 ] && grep -q 'rb2 (the default), c2' "$ci/log/demo-trill-usage.log" || return
	rc=0
	contrib/demo_trill.sh rb4 >"$ci/log/demo-trill-usage.log" 2>&1 || rc=$?
	[ $rc -eq 2 ] && grep -q "unknown place 'rb4': expected one of b1 " "$ci/log/demo-trill-usage.log"
}
trill_interrupted() {
	local log=$ci/log/demo-trill-interrupted.log
	trill "$log" c2 || return 1
	for _ in $(seq 1200); do
		grep -q 'queue of c2' "$log" && break
		kill -0 "$trill_pid" 2>/dev/null || return 1
		sleep 0.1
	done
	kill -TERM "$trill_pid" && ! wait "$trill_pid" && trill_nothing_left
}

# --- restricted environments ---

# refused PATTERN WORD...: each demo, started by these words where something is missing, prints nothing but
# a line with this pattern, makes nothing, and exits with status 1.
refused() {
	local log=$ci/log/demo-refused.log command rc before
	before=$(traces)
	for command in "./dev demo" "./dev demo trill" contrib/demo.sh contrib/demo_trill.sh; do
		rc=0
		# shellcheck disable=SC2086 # the command and its arguments
		"${@:2}" $command >"$log" 2>&1 </dev/null || rc=$?
		if [ $rc -ne 1 ] || ! grep -qE "^demo: $1" "$log" || [ "$(wc -l <"$log")" -ne 1 ] || [ "$(traces)" != "$before" ]; then
			echo "$command: status $rc"
			show_log "$log"
			return 1
		fi
	done
}
# traces: the names and mounts in /run, and the names of network namespaces.
traces() {
	ls /run /run/netns 2>/dev/null
	grep ' /run' /proc/self/mountinfo
}
# in_private SCRIPT WORD...: runs the words in a mount namespace, after the script has changed it.
in_private() { unshare --mount sh -c "$1"' && exec "$@"' sh "${@:2}"; }
without_tun() { in_private 'mount -t tmpfs tmpfs /dev/net' "$@"; }
# The file is there, but no device of this kind.
other_tun() { in_private 'mount --bind /dev/null /dev/net/tun' "$@"; }
# Root of a user namespace that has all capabilities, but a limit of 0.
limited() { unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_net_namespaces && exec "$@"' sh "$@"; }
# Root of a user namespace that has no other user.
without_users() { unshare --user --net --map-root-user "$@"; }
read_only() { in_private 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys' "$@"; }
# Settings in /proc/sys are optional. Where it is read-only the demos mount it again if they may; the root
# of a user namespace may not.
settings_by_mount() {
	local got
	read_only contrib/demo_check.sh || return
	# shellcheck disable=SC2016 # expanded by the shell there
	got=$(read_only unshare --net bash -c '. contrib/demo_lib.sh
		! sysctl -qw net.ipv4.tcp_congestion_control=reno 2>/dev/null && allow_settings &&
			"${writable[@]}" sysctl -qw net.ipv4.tcp_congestion_control=reno &&
			sysctl -n net.ipv4.tcp_congestion_control') && [ "$got" = reno ]
}
# shellcheck disable=SC2016
settings_are_not_permitted() {
	read_only unshare --user --net --map-root-user bash -c '. contrib/demo_lib.sh
		! allow_settings && [ ${#writable[@]} -eq 0 ]'
}
# A demo in which dcbd ends at once.
last_line() {
	local log=$ci/log/demo-failed.log rc=0 broken=$ci/broken
	rm -rf "$broken"
	mkdir "$broken"
	cp "$build"/{dcb-lldp,dcb-agentx,dcbctl} "$broken/"
	printf '#!/bin/sh\necho no license >&2\nexit 1\n' >"$broken/dcbd"
	chmod 755 "$broken/dcbd"
	DCB_BUILD=$broken contrib/demo.sh >"$log" 2>&1 </dev/null || rc=$?
	[ $rc -eq 1 ] && nothing_left "$log" && grep -qx 'no license' "$log" && [ "$(wc -l <"$log")" -lt 40 ] &&
		tail -n 1 "$log" | grep -qE '^demo: failed: dcbd-b1 ended .*; logs: [^ ]+$' &&
		grep -qx 'no license' "$(sed -n '$ s/.*; logs: //p' "$log")/dcbd-b1.log"
}

verdict "names missing raw sockets" refused 'root lacks CAP_NET_RAW; .*--cap-add=NET_RAW' setpriv --bounding-set=-net_raw
verdict "names missing permission for namespaces" refused 'root lacks CAP_SYS_ADMIN; .*--cap-add=SYS_ADMIN' \
	setpriv --bounding-set=-sys_admin
verdict "names the limit of namespaces" refused 'cannot make .*: No space left on device; .*user.max_net_namespaces' limited
verdict "names missing /dev/net/tun" refused 'dcbd lacks /dev/net/tun, .*--device=/dev/net/tun' without_tun
verdict "names a /dev/net/tun of another kind" refused 'dcbd lacks /dev/net/tun, .*: Inappropriate ioctl' other_tun
verdict "names missing users" refused 'cannot (change to|find) another user.*; a user namespace needs ' without_users
verdict "mounts a read-only /proc/sys for its settings" settings_by_mount
verdict "knows where it may not mount /proc/sys" settings_are_not_permitted
verdict "says in the last line why it failed" last_line
verdict "exits with status 0" demonstrate
verdict "congestion notification domain forms by LLDP" domain_forms
verdict "willing station takes PFC from its neighbor by DCBX" agreed
verdict "frames are lost without reaction points" lost_at_first
verdict "hardly any frames are lost with reaction points" hardly_any_later
verdict "CNMs of the second bridge cross the first" cnms_cross
verdict "bursts lose frames without PFC" bursts_are_lost
verdict "bursts lose no frames with PFC" bursts_are_caught
verdict "both bridges send PFC frames" both_pause
verdict "all effects are right" all_right
verdict "wrong effects are counted" wrong_verdicts
verdict "output fits into 79 columns" narrow
verdict "live lines have rates of the bridge's clock" live_lines
verdict "set point reads back as set" read_back
verdict "plot is a PNG file" has_plot
verdict "lldpd sees its neighbor" sees_neighbor
verdict "leaves nothing behind" nothing_left "$out"
verdict "starts beside a namespace with its name" begin_beside
verdict "takes other names then" other_names
verdict "serves pages" has_page
verdict "--down does not remove a demo that runs" is_not_removed
verdict "--down refuses an unknown name" down_needs_name
verdict "leaves nothing behind when interrupted" interrupted
verdict "leaves the other namespace alone" end_beside

out=$ci/log/demo-trill-output.log
verdict "trill exits with status 0" trill_demonstrate
verdict "trill loses frames without reaction point and PFC" trill_lost
verdict "trill loses hardly any frames with PFC" trill_hardly_any 'at the change'
verdict "trill has PFC frames of every hop" trill_all_pause
verdict "trill loses hardly any frames with the reaction point" trill_hardly_any 'while the rate settled'
verdict "trill slows the source" trill_source_slows
verdict "trill does not slow the second source" trill_second_source
verdict "trill decodes a CNM on each link" trill_way
verdict "trill has all effects" trill_all_right
verdict "trill fits into 79 columns" narrow
verdict "trill has the same output in its log" trill_log
verdict "trill plot is a PNG file" trill_plot
verdict "trill leaves nothing behind" trill_nothing_left
verdict "trill refuses an unknown place" trill_bad_place
verdict "trill leaves nothing behind when interrupted" trill_interrupted
finish
