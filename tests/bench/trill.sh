#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures what a frame costs an RBridge: one that it encapsulates, one in transit, one that it
# decapsulates; and what the same frame, in native form, costs dcbd as a bridge.
#
#   trill.sh BUILD-DIR [--quick|--smoke]
#
#   dcb-bench-h1            dcb-bench-sw            dcb-bench-h2
#     pktgen  X ===== X1  dcbd X (core 1)  X2 ===== X   counter of X
#     (core 0)
#
# Each element X has its own dcbd and its own pair of cables; hosts stand for the RBridges beyond
# them. Elements are measured in turn.
#
# Processor time is measured while a busy loop shares core 1, as in hm.sh: dcbd then always receives
# full batches, as it does at the limit of its throughput.
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

least=6 most=14 # rounds
seconds=0.5
warm_up=0.15
elements=(bridge encapsulate transit decapsulate)
cells=("64" "1500") # octets of the native frame
tag=5.3             # of the native frame; priority 3 has a congestion point
outer_tag=1.3
own=256 west=512 east=768 # nicknames: of dcbd, of the host on the left, on the right

[ $# -ge 1 ] || fail "usage: trill.sh BUILD-DIR [--quick|--smoke]"
build=$(readlink -f -- "$1")
case ${2-} in
'') ;;
--quick) most=6 seconds=0.3 ;;
--smoke) least=1 most=1 seconds=0.05 warm_up=0.02 ;;
*) fail "unknown option $2" ;;
esac
# seconds_of ROUNDS: a round has one measurement of each cell and element.
seconds_of() {
	awk -v n="$1" -v c=$((${#cells[@]} * ${#elements[@]})) -v t=$seconds -v w=$warm_up \
		'BEGIN { print 4 + n * c * (t + w + 0.1) }'
}
takes RBridge "$(seconds_of $least)" "$(seconds_of $most)"
[ "$(id -u)" -eq 0 ] || fail "needs root (network namespaces)"
[ "$(nproc)" -ge 2 ] || fail "needs two processors: one for the load, one for dcbd"
for p in dcbd tests/bench/pktgen; do
	[ -x "$build/$p" ] || fail "$build/$p is not built"
done

# A TRILL frame is 28 octets longer than the native frame.
make_cables() {
	local e
	make_hosts $h1 $h2 $sw
	for e in "${elements[@]}"; do
		cable $sw "${e}1" $h1 "$e" mtu 1600
		cable $sw "${e}2" $h2 "$e" mtu 1600
	done
}

# trunk PORT NICKNAME HOST: entries of "initial" for a link to that RBridge
trunk() {
	local hop octet
	hop=$2
	for octet in $(mac_of "$3" "${1%?}" | tr : ' '); do hop+=.$((16#$octet)); done
	cat <<-END
		, { object = "dcbTrillPortMode"; index = "*"; port = "$1"; value = "trunk"; },
		{ object = "dcbTrillNextHopRowStatus"; index = "*.$hop"; port = "$1"; value = "createAndGo"; }
	END
}

settings_of() { # ELEMENT: entries of "initial"
	[ "$1" = bridge ] || echo ", { object = \"dcbTrillNickname\"; index = \"0\"; value = \"$own\"; }"
	case $1 in
	encapsulate) trunk "${1}2" $east $h2 ;;
	decapsulate) trunk "${1}1" $west $h1 ;;
	transit)
		trunk "${1}1" $west $h1
		trunk "${1}2" $east $h2
		;;
	esac
}

declare -A pid
start_dcbd() { # ELEMENT
	local role=rbridge
	[ "$1" != bridge ] || role=bridge
	cat >"$work/$1.conf" <<-END
		role = "$role";
		interfaces = { include = [ "${1}1", "${1}2" ]; };
		user = "root";
		dataplane = { priority = "off"; }; # a busy loop shares its core, and other elements have none
		state_file = "$work/$1.state";
		control = { socket = "$work/$1.control"; };
		initial = (
		  { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
		  { object = "ieee8021CnComPriDefModeChoice"; index = "1.3"; value = "cpcAdmin"; },
		  { object = "ieee8021CnComPriAdminDefenseMode"; index = "1.3"; value = "cptInteriorReady"; }
		  $(settings_of "$1")
		);
	END
	start "$1" ip netns exec $sw taskset -c 1 "$build/dcbd" -f -c "$work/$1.conf"
	pid[$1]=$started
	await 10 "dcbd, $1" "$1" test -S "$work/$1.control"
}

# form_of ELEMENT: options of pktgen for its frames to the far host
form_of() {
	local far
	far=$(mac_of $h2 "$1")
	case $1 in
	bridge | encapsulate) echo "-d $far -v $tag" ;;
	transit) echo "-d $(mac_of $sw "${1}1") -v $outer_tag -T $east.$west -D $far -V $tag" ;;
	decapsulate) echo "-d $(mac_of $sw "${1}1") -v $outer_tag -T $own.$west -D $far -V $tag" ;;
	esac
}

# A frame from the far host, natively or from its RBridge, so that its address is learned.
learn_address() { # ELEMENT
	local near form
	near=$(mac_of $h1 "$1")
	case $1 in
	bridge | decapsulate) form="-d $near -v $tag" ;;
	encapsulate) form="-d $(mac_of $sw "${1}2") -v $outer_tag -T $own.$east -D $near -V $tag" ;;
	transit) return ;; # does not depend on addresses
	esac
	# shellcheck disable=SC2086 # several options
	in_ns $h2 "$build/tests/bench/pktgen" -i "$1" $form -o 64 -n 2
}

# gen ELEMENT OCTETS [OPTION...]: see generate
gen() {
	# shellcheck disable=SC2046 # several options
	generate "$1" "$1" "$2" $(form_of "$1") "${@:3}"
}

passes() { # ELEMENT: succeeds if frames arrive
	learn_address "$1"
	arrive "$1" 64
}

# cost ELEMENT CELL ROUND: nanoseconds of processor time per forwarded frame. Nothing is recorded
# if the machine was so busy that dcbd forwarded less than 1000 frames.
cost() {
	local line n
	learn_address "$1"
	line=$(busy gen "$1" "$2" -P "${pid[$1]}")
	n=$(field received "$line")
	[ "$n" -lt 1000 ] ||
		record trill "$1" "$2" "$3" "$(awk -v c="$(field cpu_s "$line")" -v n="$n" 'BEGIN { print c / n * 1e9 }')"
}

round() { # ROUND
	local cell e
	for cell in "${cells[@]}"; do
		for e in $(in_turn "$1" "${elements[@]}"); do cost "$e" "$cell" "$1"; done
	done
}

watch() {
	local cell e
	for cell in "${cells[@]}"; do
		for e in "${elements[@]:1}"; do watched+=("trill bridge $cell trill $e $cell"); done
	done
}

report() {
	local e cell
	echo
	echo "RBridge: ns of processor time per forwarded frame, median of $rounds (min-max)"
	printf '  %-14s' ""
	for cell in "${cells[@]}"; do printf '%-22s' "$cell octets"; done
	echo
	for e in "${elements[@]}"; do
		printf '  %-14s' "$e"
		for cell in "${cells[@]}"; do
			printf '%-22s' "$(awk '{ printf "%.0f (%.0f-%.0f)", $1, $2, $3 }' <<<"$(values trill "$e" "$cell")")"
		done
		echo
	done
	echo
	for cell in "${cells[@]}"; do
		for e in "${elements[@]:1}"; do
			goal "$cell, frames per CPU second, $e / bridge" ">=" 0.8 "" \
				"$(ratios trill bridge "$cell" trill "$e" "$cell")"
		done
	done
	sum_of_goals RBridge
}

make_work
say "RBridge: ${elements[*]}"
make_cables
start_burner
for e in "${elements[@]}"; do
	start_dcbd "$e"
	await 10 "frames through $e" "$e" passes "$e"
done
say "measuring: $least to $most rounds, $seconds s per measurement"
watch
until_sure $least $most round
report
