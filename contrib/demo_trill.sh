#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A demonstration of congestion notification in TRILL on one machine: the campus of doc/trill.md, with
# a dcbd at every hop. A station sends more than the link at PLACE can transmit. At first frames are
# lost. Then priority-based flow control pauses hop by hop, back to the station, and no frame is lost.
# At last the CNMs of PLACE reduce the station to the rate of the link, and no other station. One CNM
# is captured on each link of its way and printed, with all that changes from hop to hop. ./dev demo
# trill builds the programs, then runs this script; needs root.
#
#   demo_trill.sh [PLACE]   b1, rb1, b2, rb2 (the default), c2, rb3 or b3: its port to the east is slow
#
# It runs in a network and a mount namespace of its own, in which it makes all others: the kernel
# removes them when the script and its programs end. Writes demo-trill.png and demo-trill.log to the
# build tree.
place=${1-rb2}
case $place,$# in
b1,1 | rb1,1 | b2,1 | rb2,[01] | c2,1 | rb3,1 | b3,1) ;;
*)
	echo "demo: unknown place '$*': expected one of b1 rb1 b2 rb2 c2 rb3 b3" >&2
	exit 2
	;;
esac
top=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
[ -n "${DCB_SYSTEM_TEST-}" ] || "$top/contrib/demo_check.sh" trill || exit 1
log=${DCB_BUILDDIR:-$top/build}/demo-trill.log
plot=${DCB_PLOT:-${DCB_BUILDDIR:-$top/build}/demo-trill.png} # PNG, or SVG by its extension
buffer=400000 # octets, the default of a port
# shellcheck source=contrib/demo_lib.sh
. "$top/contrib/demo_lib.sh"
# In the namespaces, where lib.sh runs this script again: all output also goes to the log, without
# colors.
if [ -n "${DCB_SYSTEM_TEST-}" ]; then
	: >"$log" || exit 1
	exec > >(trap '' INT TERM HUP && exec sed -u -e 'h; s/\x1b\[[0-9;]*m//g' -e "w $log" -e g) 2>&1
	printer=$!
	# For this mount namespace, which is that of the script.
	if ! allow_settings; then
		warn "/proc/sys is not writable: IPv6 stays on"
	elif [ ${#writable[@]} -gt 0 ]; then
		mount -o remount,bind,rw /proc/sys
	fi
fi
# shellcheck source=tests/system/lib.sh
. "$top/tests/system/lib.sh"
run=$T

# $why has the reason of a failure, which on_exit prints in the last line.
why='' counted=false
die() {
	why=$*
	[ "$BASH_SUBSHELL" -eq 0 ] || printf 'demo: %s\n' "$why"
	exit 1
}
fail() { die "$*"; } # the functions of lib.sh report a timeout so

# shellcheck disable=SC2317 # called by the trap
on_exit() {
	local rc=$? logs
	trap - EXIT
	trap '' INT TERM HUP PIPE
	if [ "$rc" -eq 0 ] || [ "$rc" -eq 130 ]; then
		why=''
	elif $counted; then
		why="$wrong of $((right + wrong)) effects are not as expected"
	else
		why=${why:-status $rc} rc=1
		show_ended
	fi
	logs=${why:+$(keep_logs "${log%.log}-logs" "$T")}
	if [ ${#pid_of[@]} -gt 0 ]; then
		kill -KILL "${pid_of[@]}" 2>/dev/null
		wait "${pid_of[@]}" 2>/dev/null
	fi
	say "removed: all namespaces and processes of the campus; all output: $log"
	[ -z "$why" ] || printf 'demo: failed: %s%s\n' "$why" "$logs"
	exec >/dev/null 2>&1
	wait "$printer"
	exit "$rc"
}
trap on_exit EXIT
trap 'exit 130' INT TERM HUP PIPE
# shellcheck source=tests/system/lldp.sh
. "$top/tests/system/lldp.sh"

picture() {
	local links='esa = b1 = rb1 = b2 = rb2 = c2 = rb3 = b3 = esb' west
	west=${links%%" $place = "*}
	[ "$west" != "$links" ] || west=
	cat <<-PICTURE

		   $(printf '%*s' $((${#west} + ${#place} + 2)) '')v $((rate / 1000000)) Mb/s
		   $links
		                                     |
		                              esd = -+- = rb4 = esc
	PICTURE
}

# --- the objects that are read all the time ---------------------------------------------------------------

# v[node_name] has the value of an object; the discards of all nodes are added up in v[lost], their
# PFC frames in v[pfc], those of a node in v[node_pfc].
declare -A v=() more=() pauses=() at_first=()
define_objects() {
	local l east=${if_index[$place.east]}
	for l in "${links[@]}"; do pauses[${l%.*}]+=" dcbPfcPriorityRequests.${if_index[$l]}.3"; done
	more[esa]="rp=dcbRpCurrentRate.1.${if_index[esa.east]}.3.1 cnms=dcbCnmReceived.${if_index[esa.east]}"
	more[esc]="rps=ieee8021CnRpPortPriCreatedRps.1.3.${if_index[esc.west]} cnms=dcbCnmReceived.${if_index[esc.west]}"
	more[rb3]="esd=dcbPortTxFrames.${if_index[rb3.side]}"
	more[$place]+=" queue=dcbCpQueueLength.$cp feedback=dcbCpFeedback.$cp cnms=ieee8021CnCpTransmittedCnms.$cp
		octets=dcbPortTxOctets.$east frames=dcbPortTxFrames.$east time=dcbAgentUpTime.0"
}

read_all() {
	local n name i names objects values
	v[lost]=0 v[pfc]=0
	for n in "${nodes[@]}"; do
		# shellcheck disable=SC2206 # a word for each object
		objects=(${discards[$n]} ${pauses[$n]} ${more[$n]-})
		mapfile -t values < <(value "$n" "${objects[@]#*=}")
		[ ${#values[@]} -eq ${#objects[@]} ] || die "$n answered ${#values[@]} of ${#objects[@]} objects"
		v[${n}_pfc]=0
		for i in "${!objects[@]}"; do
			name=${objects[i]}
			case $name in
			*=*) v[${n}_${name%%=*}]=${values[i]} ;;
			dcbPfcPriorityRequests.*) v[${n}_pfc]=$((v[${n}_pfc] + values[i])) ;;
			*) v[lost]=$((v[lost] + values[i])) ;;
			esac
		done
		v[pfc]=$((v[pfc] + v[${n}_pfc]))
	done
	v[time]=$((10 * v[${place}_time])) # of the dcbd that counts, in milliseconds
}

# begin: reads the counters at the beginning of a phase, from which "since" counts.
begin() {
	local key
	read_all
	for key in "${!v[@]}"; do at_first[$key]=${v[$key]}; done
}
since() { echo $((v[$1] - at_first[$1])); } # NAME: by how much the counter has increased
seconds_since() { echo $(((v[time] - at_first[time] + 500) / 1000)); }

# watch SECONDS: prints the state of the campus for this time.
watch() {
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "queue of $place" octets cpFb \
		"RP esa" out esc CNMs PFC frames
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "(|: set point)" "" "" Mb/s Mb/s frm/s sent sent lost/s
	watch_more "$1"
}

declare -A last=()
first=0
watch_more() { # SECONDS: as watch, below lines that watch has printed
	local end dt out esc lost rp
	clock # in $now
	end=$((now + $1 * 1000))
	while :; do
		read_all
		rp=$(mbps "${v[esa_rp]}")
		dt=$((v[time] - ${last[time]:-0}))
		if [ -z "${last[time]-}" ]; then
			first=${v[time]}
		elif [ $dt -ge 200 ]; then
			# The rate on the wire: FCS, preamble and gap are 24 octets a frame.
			out=$(mbps $((((v[${place}_octets] - last[octets]) + 24 * (v[${place}_frames] - last[frames])) * 8000 / dt)))
			esc=$(((v[rb3_esd] - last[esd]) * 1000 / dt)) lost=$(((v[lost] - last[lost]) * 1000 / dt))
			printf '%s %7d %7d %6s %6s %6d %6d %6d %6d\n' "$(bar "${v[${place}_queue]}" "$set_point")" \
				"${v[${place}_queue]}" "${v[${place}_feedback]}" "$rp" "$out" $esc "${v[${place}_cnms]}" "${v[pfc]}" $lost
			printf '%s\n' "$((v[time] - first)) ${v[${place}_queue]} $set_point $rp $out $esc ${v[lost]} ${v[pfc]} \
				${v[${place}_cnms]}" >>"$run/samples"
		fi
		last=([time]=${v[time]} [octets]=${v[${place}_octets]} [frames]=${v[${place}_frames]} [esd]=${v[rb3_esd]} [lost]=${v[lost]})
		clock
		[ "$now" -lt "$end" ] || break
		pause 0.3
	done
}

# --- verdicts --------------------------------------------------------------------------------

# esc_verdict: whether no CNM, a reaction point or a PFC frame has slowed the second source, and its
# frames a second since "begin". It offers 100.
esc_verdict() {
	local ms=$((v[time] - at_first[time]))
	verdict "esc: ${v[esc_cnms]} CNMs, ${v[esc_rps]} RPs, ${v[rb4_pfc]} PFC frames; \
		$(((v[rb3_esd] - at_first[rb3_esd]) * 1000 / ms)) frames/s arrive" "not slowed" \
		[ $((v[esc_cnms] + v[esc_rps] + v[rb4_pfc])) -eq 0 ]
}

# pausing: the PFC frames of each node from PLACE to the west, since "begin".
pausing() {
	local n text=''
	for n in "${chain[@]:1}"; do
		text="$n $(since "${n}_pfc")${text:+, $text}"
		[ "$n" != "$place" ] || break
	done
	echo "$text"
}

# shellcheck disable=SC2317 # called by verdict
all_pause() { ! pausing | grep -qE ' 0(,|$)'; }

# mean_rate SECONDS: the mean of esa's reaction point in these seconds before the last sample, Mb/s.
mean_rate() {
	awk -v ms="$1"000 '{ at[NR] = $1; rp[NR] = $4 }
		END { for (i = NR; i > 0 && at[i] > at[NR] - ms; i--) { sum += rp[i]; n++ }; printf "%.1f", sum / n }' "$run/samples"
}

# calm: three samples in a row with the queue near the set point, and no loss between them.
calm() {
	tail -n 3 "$run/samples" | awk -v sp="$set_point" 'NR == 1 { lost = $7 }
		{ near += $2 >= sp / 4 && $2 <= sp * 3; same += $7 == lost } END { exit !(near == 3 && same == 3) }'
}

draw() { # plots the samples
	local terminal=pngcairo
	[ "${plot##*.}" != svg ] || terminal="svg font 'sans-serif,14' background '#ffffff'"
	gnuplot <<-END
		set terminal $terminal size 1000,900
		set output "$plot"
		set multiplot layout 4,1 title "TRILL campus, $((rate / 1000000)) Mb/s to the east of $place"
		set lmargin 12
		set rmargin 22
		set xrange [0:]
		set key outside right
		set ylabel "octets"
		set yrange [0:*]
		plot "$run/samples" using (\$1/1000):2 with lines title "queue of $place", \
		     "" using (\$1/1000):3 with steps title "its set point"
		set ylabel "Mb/s"
		set yrange [0:$((rate * 2 / 1000000))]
		plot "$run/samples" using (\$1/1000):4 with lines title "RP of esa", \
		     "" using (\$1/1000):5 with lines title "sent by $place"
		set ylabel "frames/s"
		set yrange [0:200]
		plot "$run/samples" using (\$1/1000):6 with lines title "from esc to esd"
		set ylabel "frames"
		set yrange [0:1<*]
		set xlabel "seconds"
		plot "$run/samples" using (\$1/1000):7 with lines title "lost", \
		     "" using (\$1/1000):8 with lines title "PFC frames", \
		     "" using (\$1/1000):9 with lines title "CNMs of $place"
		unset multiplot
	END
}

# --- settings --------------------------------------------------------------------------------

reaction_point() { # 1: enabled, 2: disabled
	set_at esa "ieee8021CnRpgEnable.1.3.${if_index[esa.east]}.3" "$1"
	wait_for 10 "esa uses its settings" adopted esa
}
pfc() { # 1: enabled, on all ports, 2: disabled
	local n l sets
	for n in "${nodes[@]}"; do
		sets=()
		for l in "${links[@]}"; do
			[ "${l%.*}" != "$n" ] || sets+=("dcbPfcPriorityEnable.${if_index[$l]}.3" "$1")
		done
		set_at "$n" "${sets[@]}"
	done
	wait_for 10 "all nodes use all settings" all_adopted
}

# --- the demo --------------------------------------------------------------------------------

say "a TRILL campus: RBridges rb1 to rb4, bridges b1, b2, c2, b3; a dcbd each"
start_of_all=$SECONDS
# dcbd may have to wait for a processor: links of 40 Mb/s, headroom of two megabytes, 400 ms, and a set
# point of 40 ms. The receive buffers of the five ports of rb3 need more frame buffers than a bridge
# has by default.
# shellcheck disable=SC2034 # used in trill_lab.sh
station_rate=40000000 bridge_rate=40000000 bridge_port='pfc = { headroom = 2000000; xon = 300000; };' \
	bridge_lines='bridge = { frame_buffers = 131072; };' set_point=100000
# shellcheck source=tests/system/trill_lab.sh
. "$top/tests/system/trill_lab.sh"
picture
start_second
reaction_point 2
pfc 2
slow_down "$place"
define_objects
echo "Up after $((SECONDS - start_of_all)) s. esa sends $((rate * 3 / 2000000)) Mb/s to esb, esc 100 frames a second to esd."

say "no reaction point, no PFC: the queue of $place fills, and frames are lost"
echo "CNMs reach esa, but its reaction point is disabled."
begin
flood
watch 4
deadline=$((SECONDS + 30)) # a busy machine sends less for a while
while [ "$(since lost)" -eq 0 ] && [ $SECONDS -lt $deadline ]; do watch_more 1; done
before=$(since lost)
verdict "$before frames lost without reaction point and PFC" "some" [ "$before" -gt 0 ]
esc_verdict

say "PFC on all ports: each hop pauses the one to its west, back to esa"
begin
pfc 1
watch 2
deadline=$((SECONDS + 30))
while [ "$(since b1_pfc)" -eq 0 ] && [ $SECONDS -lt $deadline ]; do watch_more 1; done
settling=$(since lost) changed=${v[lost]} seconds=$(seconds_since)
watch_more 3
lost=$((v[lost] - changed))
# A dcbd that gets no processor for longer than the headroom lasts loses frames in spite of PFC.
verdict "lost $before before, $settling at the change ($seconds s), $lost since (3 s)" \
	"at most a tenth since" [ $((10 * lost)) -le "$before" ]
verdict "PFC frames: $(pausing)" "some of each" all_pause
esc_verdict

say "the reaction point of esa: CNMs of $place reach it through the campus"
begin
reaction_point 1
watch 3
deadline=$((SECONDS + 15))
until calm || [ $SECONDS -ge $deadline ]; do watch_more 1; done
settling=$(since lost) seconds=$(seconds_since)
cnms=${v[esa_cnms]}
begin
watch_more 5
verdict "lost $before before, $settling while the rate settled ($seconds s), $(since lost) since (5 s)" \
	"at most a tenth since" [ $((10 * $(since lost))) -le "$before" ]
mean=$(mean_rate 5)
verdict "queue $(mean_of_queue 5) octets on average, set point $set_point; RP of esa $mean Mb/s" \
	"RP less than its first rate, $((station_rate / 1000000))" [ "${mean%.*}" -lt $((station_rate / 1000000)) ]
verdict "esa has received ${v[esa_cnms]} CNMs, $((v[esa_cnms] - cnms)) of them since; PFC frames since: $(since pfc)" \
	"CNMs" [ "${v[esa_cnms]}" -gt 0 ]
esc_verdict
stop flood KILL

say "the way of one CNM from $place to esa (+ new, * changed, - gone at this hop)"
capture_cnms "$place"
decoded_way || die "trill_way.py failed"
end_capture "$place"
result "$(tail -n 1 "$T/cnms"): octet by octet as in the draft, hops: $((${#cnm_arguments[@]} - 4))"
read_all
esc_verdict
draw || die "gnuplot failed"
say "picture: $plot"
counted=true
verdicts
exit
