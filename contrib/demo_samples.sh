# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What demo.sh observes: the objects it reads by SNMP while the lab of demo_lab.sh works, the live
# lines, and the plot. $run/samples has a line for each sample, $run/phases the beginning of each phase.

# shellcheck disable=SC2317 # called by wait_for
# read_objects NAME OBJECT...: prints the values, one a line, from snmpd of NAME.
read_objects() { in_ns "$lab-$1" snmpget -v2c -c public -t 2 -OqvUe 127.0.0.1 "${@:2}"; }

# is NAME OBJECT VALUE: whether the object has the value; enumerations are numbers.
# shellcheck disable=SC2317 # called by wait_for
is() { [ "$(read_objects "$1" "$2")" = "$3" ]; }

# The objects that are read all the time, by system and name: v[b2_queue] and so on has the value.
# Times and rates are by dcbAgentUpTime of bridge 2, which is read with its counters.
declare -A v oids_of
declare -A objects
define_objects() {
	local name
	objects[b2]="time=dcbAgentUpTime.0 queue=dcbCpQueueLength.$cp setpoint=ieee8021CnCpQueueSizeSetPoint.$cp
		feedback=dcbCpFeedback.$cp cnms=ieee8021CnCpTransmittedCnms.$cp
		lost1=ieee8021CnCpDiscardedFrames.$cp octets=dcbPortTxOctets.$b2h3
		frames=dcbPortTxFrames.$b2h3 lost2=dcbPfcPriorityDiscards.$b2b1.3
		lost3=dcbPortDiscardKernel.$b2b1 pfc1=dcbPfcPriorityRequests.$b2b1.3"
	objects[b1]="queue=dcbCpQueueLength.1.$b1b2.3 cnms=ieee8021CnCpTransmittedCnms.1.$b1b2.3
		lost1=ieee8021CnCpDiscardedFrames.1.$b1b2.3
		lost2=dcbPfcPriorityDiscards.$b1h1.3 lost3=dcbPfcPriorityDiscards.$b1h2.3
		lost4=dcbPortDiscardKernel.$b1h1 lost5=dcbPortDiscardKernel.$b1h2
		pfc1=dcbPfcPriorityRequests.$b1h1.3 pfc2=dcbPfcPriorityRequests.$b1h2.3
		paused=dcbPfcPriorityPauseTime.$b1b2.3"
	objects[h1]="rate=dcbRpCurrentRate.1.$wire1.3.1 cnms=dcbCnmReceived.$wire1
		rps=ieee8021CnRpPortPriCreatedRps.1.3.$wire1"
	objects[h2]="rate=dcbRpCurrentRate.1.$wire2.3.1 cnms=dcbCnmReceived.$wire2
		rps=ieee8021CnRpPortPriCreatedRps.1.3.$wire2"
	for name in "${!objects[@]}"; do
		# shellcheck disable=SC2086 # a word for each object
		set -- ${objects[$name]}
		# As numbers: snmpget is faster when it reads no MIB modules.
		oids_of[$name]=$(snmptranslate -IR -On "${@#*=}" | paste -sd ' ')
	done
}

# get_all NAME: reads the objects of a system into values. Fails if one is no number: on a busy machine
# dcbd may answer too late.
get_all() {
	# shellcheck disable=SC2086 # a word for each object
	mapfile -t values < <(MIBS='' in_ns "$lab-$1" snmpget -v2c -c public -t 2 -OqvUt 127.0.0.1 ${oids_of[$1]} 2>>"$run/snmpget.log")
	! printf '%s\n' "${values[@]}" | grep -qvE '^-?[0-9]+$'
}

# read_all: sets v, and in it the sums lost (frames, in both bridges), pfc (frames sent) and rps. The
# stations are read first, so that they have received no CNM that no bridge has sent.
read_all() {
	local name i keys values deadline
	for name in h1 h2 b1 b2; do
		read -ra keys <<<"${objects[$name]//$'\n'/ }"
		deadline=$((SECONDS + 20))
		until get_all "$name" && [ ${#values[@]} -eq ${#keys[@]} ]; do
			[ $SECONDS -lt $deadline ] || die "snmpget in $lab-$name: no answer"
		done
		for i in "${!keys[@]}"; do v[${name}_${keys[i]%%=*}]=${values[i]}; done
	done
	v[cnms]=$((v[h1_cnms] + v[h2_cnms]))
	v[lost]=$((v[b1_lost1] + v[b1_lost2] + v[b1_lost3] + v[b1_lost4] + v[b1_lost5] +
		v[b2_lost1] + v[b2_lost2] + v[b2_lost3]))
	v[b1_pfc]=$((v[b1_pfc1] + v[b1_pfc2]))
	v[pfc]=$((v[b1_pfc] + v[b2_pfc1]))
	v[rps]=$((v[h1_rps] + v[h2_rps]))
}

# begin [NAME]: reads the counters at the beginning of a phase, from which "since" counts. NAME: in
# the picture.
declare -A at_first
begin() {
	local key
	read_all
	[ $# -eq 0 ] || printf '%s\t%s\n' "${v[b2_time]}" "$1" >>"$run/phases"
	for key in "${!v[@]}"; do at_first[$key]=${v[$key]}; done
}
since() { echo $((v[$1] - at_first[$1])); } # NAME: by how much the counter has increased

# lossy_lines: "N of M lines": how many of the live lines since "begin" have a loss. A dcbd that gets
# no processor for longer than the buffer lasts loses frames with reaction points, too, in a line or two.
lossy_lines() {
	awk -v from=$((10 * (at_first[b2_time] - first))) '$1 > from { all++; n += $7 > 0 }
		END { print n + 0 " of " all + 0 " lines" }' "$run/samples"
}
# few "N of M lines": whether N is at most a quarter of M, or a single line.
# shellcheck disable=SC2317 # called by verdict
few() { awk '{ exit !($3 > 1 && (4 * $1 <= $3 || $1 == 1)) }' <<<"$1"; }

# watch SECONDS: prints the state of congestion point and reaction points, rates a second.
watch() {
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "queue of b2h3" octets cpFb \
		"RP h1" "RP h2" out CNMs PFC frames
	printf '%-15s %7s %7s %6s %6s %6s %6s %6s %6s\n' "(|: set point)" "" "" Mb/s Mb/s Mb/s sent/s sent/s lost/s
	watch_more "$1"
}

# watch_more SECONDS: as watch, below lines that watch has printed. On a busy machine longer, until there
# is a line for each second.
watch_more() {
	local end=$((${EPOCHREALTIME/./} / 1000 + $1 * 1000)) due lines=0
	while :; do
		due=$((${EPOCHREALTIME/./} / 1000 + 400))
		read_all
		sample
		lines=$((lines + 1))
		[ $((due - 400)) -lt "$end" ] || [ $lines -le "$1" ] || break
		sleep "$(awk -v ms=$((due - ${EPOCHREALTIME/./} / 1000)) 'BEGIN { print (ms > 0 ? ms / 1000 : 0) }')"
	done
}

# rate NAME: how much the counter has increased a second since the last sample.
rate() { echo $(((v[$1] - last[$1]) * 100 / dt)); }

# sample: prints the values of v, and the rates since the last sample, if there is one.
declare -A last=()
first=
sample() {
	local key r1 r2 out dt=$((v[b2_time] - ${last[b2_time]:-v[b2_time]}))
	: "${first:=${v[b2_time]}}"
	if [ ${#last[@]} -gt 0 ]; then
		[ $dt -ge 20 ] || return 0
		r1=$(mbps "${v[h1_rate]}")
		r2=$(mbps "${v[h2_rate]}")
		# The rate on the wire: FCS, preamble and gap are 24 octets a frame.
		out=$(mbps $((8 * ($(rate b2_octets) + 24 * $(rate b2_frames)))))
		printf '%s %7d %7d %6s %6s %6s %6d %6d %6d\n' "$(bar "${v[b2_queue]}" "${v[b2_setpoint]}")" \
			"${v[b2_queue]}" "${v[b2_feedback]}" "$r1" "$r2" "$out" "$(($(rate b2_cnms) + $(rate b1_cnms)))" \
			"$(rate pfc)" "$(rate lost)"
		printf '%s\n' "$((10 * (v[b2_time] - first))) ${v[b2_queue]} ${v[b2_setpoint]} $r1 $r2 $out $(rate lost) \
			$(rate b2_pfc1) $(rate b1_pfc) ${v[b1_queue]} $(rate b2_cnms) $(rate b1_cnms) ${v[rps]} \
			$(rate b1_paused)" >>"$run/samples"
	fi
	for key in "${!v[@]}"; do last[$key]=${v[$key]}; done
}

# draw: plots the samples in five bands, with a line at the beginning of each phase.
draw() {
	local terminal="pngcairo font 'sans-serif,10'" time name phases='' labels=''
	[ "${plot##*.}" != svg ] || terminal="svg font 'sans-serif,13' background '#ffffff'"
	while IFS=$'\t' read -r time name; do
		time=$(awk -v t=$((time - first)) 'BEGIN { print (t > 0 ? t / 100 : 0) }')
		phases+="set arrow from $time, graph 0 to $time, graph 1 nohead back dt 2 lc rgb '#808080'"$'\n'
		labels+="set label '$name' at $time, graph 1.12 offset 0.4, 0"$'\n'
	done <"$run/phases"
	gnuplot <<END
set terminal $terminal size 1000,1000
set output "$plot"
set multiplot layout 5,1 margins 0.09,0.74,0.06,0.92 spacing 0,0.035 title \
	"two applications, two bridges, a bottleneck of $rate Mb/s"
s = "$run/samples"
set xrange [0:$(tail -n 1 "$run/samples" | cut -d ' ' -f 1)/1000.0]
set key at graph 1.1, 1 left top reverse Left
set style fill solid 0.6 noborder
set format x ""
set ytics nomirror
$phases
$labels
set ylabel "rates\nMb/s"
set yrange [0:2*$rate]
plot s using (\$1/1000):4 with lines lw 1.5 title "RP of h1", \
     "" using (\$1/1000):5 with lines lw 1.5 title "RP of h2", \
     "" using (\$1/1000):6 with lines lw 2 lc rgb "black" title "sent by b2h3"
unset label
set ylabel "queues\nkilooctets"
set yrange [0:$buffer/1000]
plot s using (\$1/1000):(\$2/1000) with filledcurves y1=0 lc rgb "#88bbee" title "queue of b2h3", \
     "" using (\$1/1000):(\$3/1000) with steps lw 2 lc rgb "#c06000" title "its set point", \
     "" using (\$1/1000):(\$10/1000) with lines lc rgb "#006060" title "queue of b1b2"
set ylabel "CN\nCNMs a second"
set yrange [0:*]
set y2label "RPs created"
set y2range [0:*]
set y2tics
plot s using (\$1/1000):11 with lines lw 1.5 title "CNMs of b2", \
     "" using (\$1/1000):12 with lines lw 1.5 title "CNMs of b1", \
     "" using (\$1/1000):13 axes x1y2 with steps lw 2 lc rgb "black" title "RPs (right)"
set ylabel "PFC\nframes a second"
set yrange [0:1<*]
set y2label "paused, %"
set y2range [0:100]
plot s using (\$1/1000):8 with lines lw 1.5 title "PFC frames of b2", \
     "" using (\$1/1000):9 with lines lw 1.5 title "PFC frames of b1", \
     "" using (\$1/1000):(\$14/10000) axes x1y2 with filledcurves y1=0 lc rgb "#b0b0b0" title "b1b2 paused (right)"
unset y2label
unset y2tics
set ylabel "losses\nframes a second"
set logscale y
set yrange [1:10<*]
set format x "%g"
set xlabel "seconds"
plot s using (\$1/1000):(\$7 > 0 ? \$7 : NaN):(0.4) with boxes lc rgb "#cc0000" title "frames lost"
unset multiplot
END
}
