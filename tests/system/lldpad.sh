#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# DCBX with lldpad (Open-LLDP), the LLDP agent of many servers: PFC and ETS in force at the two ends
# of four links, for each combination of willing ends, of the order of their MAC addresses, and of the
# end that changed last. On two links the PFC TLV of dcbd has the length 6 of 802.1Q, on two the length
# 7 of P802.1Qdt.
#
#                     dcbd has the lower address
#   +--------------+  d0 :0a              l0 :0b  +-------------------+
#   | d dcbd lldpd | ============================ | l lldpad with the |
#   |              | ============================ | NICs of           |
#   |              |  d1 :0d              l1 :0c  | lldpad_shim.so    |
#   |              | lldpad has the lower address |                   |
#   |              | ============================ |                   |
#   |              | ============================ |                   |
#   +--------------+  the same with length 7      +-------------------+
#                     d2 :1a l2 :1b, d3 :1d l3 :1c
#
# PFC is symmetric (802.1Q clause 38): a willing end uses the settings of an end that is not
# willing; of two willing ends, the one with the lower MAC address uses those of the other. ETS is
# asymmetric: a willing end uses what the other recommends.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lldp.sh"

command -v lldpad lldptool >/dev/null || skip_all "lldpad is not installed"

# enum dcbx_reason
NOT_WILLING=5 PEER_TAKES=6 TAKEN=7

node d
node l
links=(0 1 2 3)
for i in "${links[@]}"; do cable d d$i l l$i; done
ip -n d link set d0 address 02:00:00:00:00:0a
ip -n l link set l0 address 02:00:00:00:00:0b
ip -n d link set d1 address 02:00:00:00:00:0d
ip -n l link set l1 address 02:00:00:00:00:0c
ip -n d link set d2 address 02:00:00:00:00:1a
ip -n l link set l2 address 02:00:00:00:00:1b
ip -n d link set d3 address 02:00:00:00:00:1d
ip -n l link set l3 address 02:00:00:00:00:1c
lower=(d l d l) length=(6 6 7 7) # by link
for i in "${links[@]}"; do port+=("$(if_of d d$i)"); done

# --- lldpad --------------------------------------------------------------------------------------

# Its shared memory and its PID file have fixed names.
mount -t tmpfs tmpfs /dev/shm || die "no /dev/shm"
mkdir -p $T/l/nic

start_lldpad() {
	start lldpad nsenter --net=/run/netns/l -- env LD_PRELOAD="$build/tests/system/lldpad_shim.so" \
		LLDPAD_NIC=$T/l/nic lldpad -p -t -V 6 -f $T/l/lldpad.conf
	wait_for 10 "lldpad answers" on l lldptool ping || die "lldpad does not answer"
}

# tool WORD...: lldptool, which has to succeed.
tool() { on l lldptool "$@" >$T/tool 2>&1 || fail "lldptool $*: $(<$T/tool)"; }

# The agent of a port exists when lldpad has found its interface.
has_agent() { on l lldptool -L -i $1 adminStatus=rxtx; }

# --- settings ------------------------------------------------------------------------------------

# In hex, as in the NIC's file. Both ends have the same traffic classes and algorithms. They differ
# in the shares of classes 1 and 2, and in the shares that they recommend: 25 and 75, 60 and 40 by
# lldpad, 50 and 50, 30 and 70 by dcbd.
classes=0000010102020303 algorithms=0002020000000000
declare -A shares=([l]=00194b0000000000 [d]=0032320000000000)
declare -A recommended=([l]=003c280000000000 [d]=001e460000000000)
# Whether the end is willing, for PFC and ETS; its only priority with PFC.
declare -A willing=([l]=no [d]=no) pfc=([l]=0 [d]=4)

configure_lldpad() {
	local i
	for i in "${links[@]}"; do
		wait_for 10 "lldpad has l$i" has_agent l$i || die "lldpad has no l$i"
		tool -T -i l$i -V PFC enableTx=yes willing=${willing[l]} enabled=${pfc[l]}
		tool -T -i l$i -V ETS-CFG enableTx=yes willing=${willing[l]} \
			up2tc=0:0,1:0,2:1,3:1,4:2,5:2,6:3,7:3 tsa=1:ets,2:ets tcbw=0,25,75,0,0,0,0,0
		tool -T -i l$i -V ETS-REC enableTx=yes \
			up2tc=0:0,1:0,2:1,3:1,4:2,5:2,6:3,7:3 tsa=1:ets,2:ets tcbw=0,60,40,0,0,0,0,0
	done
}

configure_dcbd() {
	local p i words
	for p in "${port[@]}"; do
		words=()
		for i in {0..7}; do
			words+=(lldpXdot1dcbxAdminETSConPriTrafficClass.$p.$i $((16#${classes:i*2:2}))
				lldpXdot1dcbxAdminETSConTrafficClassBandwidth.$p.$i $((16#${shares[d]:i*2:2}))
				lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.$p.$i $((16#${algorithms:i*2:2}))
				lldpXdot1dcbxAdminETSRecoTrafficClassBandwidth.$p.$i $((16#${recommended[d]:i*2:2}))
				lldpXdot1dcbxAdminETSRecoTrafficSelectionAlgorithm.$p.$i $((16#${algorithms:i*2:2})))
		done
		set_at d "${words[@]}"
		set_at d lldpXdot1dcbxAdminPFCEnableEnabled.$p.${pfc[d]} true \
			lldpXdot1dcbxConfigPFCTxEnable.$p.1 true \
			lldpXdot1dcbxConfigETSConfigurationTxEnable.$p.1 true \
			lldpXdot1dcbxConfigETSRecommendationTxEnable.$p.1 true
	done
	for i in "${links[@]}"; do
		[ ${length[i]} = 6 ] || set_at d dcbPfcWayAdvertise.${port[i]} p8021qdt \
			dcbPfcWayMeasurement.${port[i]} true dcbPfcWayMacsec.${port[i]} true
	done
}

# change l|d yes|no PRIORITY: this end becomes willing or not, and has PFC for another priority.
change() {
	local i p truth=false words=()
	[ $2 = no ] || truth=true
	case $1 in
	l) for i in "${links[@]}"; do
		tool -T -i l$i -V PFC willing=$2 enabled=$3
		tool -T -i l$i -V ETS-CFG willing=$2
	done ;;
	d)
		for p in "${port[@]}"; do
			words+=(lldpXdot1dcbxAdminPFCWilling.$p $truth lldpXdot1dcbxAdminETSConWilling.$p $truth
				lldpXdot1dcbxAdminPFCEnableEnabled.$p.${pfc[d]} false
				lldpXdot1dcbxAdminPFCEnableEnabled.$p.$3 true)
		done
		set_at d "${words[@]}"
		;;
	esac
	willing[$1]=$2 pfc[$1]=$3
}

# --- settings in force, and expected ones ------------------------------------------------------------

other() { [ $1 = d ] && echo l || echo d; }

# uses_peer END LINK: PFC of the other end is in force at this one.
uses_peer() {
	[ ${willing[$1]} = yes ] && { [ ${willing[$(other $1)]} = no ] || [ ${lower[$2]} = $1 ]; }
}
# expected END LINK: priority with PFC in force and ETS shares in force.
expected() {
	local from=$1 bandwidth=${shares[$1]}
	! uses_peer $1 $2 || from=$(other $1)
	[ ${willing[$1]} = no ] || bandwidth=${recommended[$(other $1)]}
	echo "${pfc[$from]} $bandwidth"
}
reason() { # LINK: dcbDcbxPortPfcReason
	if [ ${willing[d]} = no ]; then
		echo $NOT_WILLING
	elif uses_peer d $1; then
		echo $TAKEN
	else
		echo $PEER_TAKES
	fi
}

# at_lldpad LINK PRIORITY SHARES: these are in the NIC, and lldpad has received the PFC TLV that dcbd
# has to send.
at_lldpad() {
	local nic heard want
	read -r nic <$T/l/nic/l$1
	[ "$nic" = "$(printf %02x $((1 << $2))) $classes $3 $algorithms" ] || return 1
	heard=$(on l lldptool -t -n -i l$1 -V PFC | awk '/Willing/ { w = $2 } /PFC enabled/ { print w, $3, $4 }')
	read -r want _ < <(expected d $1)
	[ "${heard% }" = "${willing[d]} $want" ]
}

# at_dcbd LINK PRIORITY SHARES: the same of dcbd, with the reason, and the TLVs that lldpad has to send.
at_dcbd() {
	local p=${port[$1]} v i got=() heard want_pfc want_shares mask=0
	mapfile -t v < <(value d lldpXdot1dcbxLocPFCEnableEnabled.$p.{0..7} \
		lldpXdot1dcbxLocETSConPriTrafficClass.$p.{0..7} \
		lldpXdot1dcbxLocETSConTrafficClassBandwidth.$p.{0..7} \
		lldpXdot1dcbxLocETSConTrafficSelectionAlgorithm.$p.{0..7} dcbDcbxPortPfcReason.$p)
	for i in {0..7}; do [ "${v[i]}" != 1 ] || mask=$((mask | 1 << i)); done
	for i in 8 16 24; do got+=("$(printf %02x "${v[@]:i:8}")"); done
	[ "$mask ${got[*]} ${v[32]}" = "$((1 << $2)) $classes $3 $algorithms $(reason $1)" ] || return 1
	heard=$(ctl d -j neighbors | jq -r ".[] | select(.ifIndex == $p) | .neighbors[] |
		\"\(.pfc.willing) \(.pfc.enable) \(.ets.willing) \(.ets.bandwidth[1:3]) \(.etsRecommendation.bandwidth[1:3])\"")
	read -r want_pfc want_shares < <(expected l $1)
	[ ${willing[l]} = yes ] && v=true || v=false
	[ "$heard" = "$v [$want_pfc] $v [$((16#${want_shares:2:2})),$((16#${want_shares:4:2}))] [60,40]" ]
}

# agree LINK: both ends have in force what the standard expects.
agree() {
	at_lldpad $1 $(expected l $1) && at_dcbd $1 $(expected d $1)
}
show() { # LINK
	printf '%s; dcbd: %s' "$(<$T/l/nic/l$1)" "$(ctl d dcbx ${port[$1]} 2>&1)"
	on l lldptool -t -n -i l$1
}
both_agree() { # WHAT
	local i
	for i in "${links[@]}"; do
		wait_for 10 "$1, lower address at ${lower[i]}, length ${length[i]}: both ends agree" agree $i || show $i
		printf '    %s, lower address at %s, length %d: PFC and ETS in force at lldpad %s, at dcbd %s, after %d ms\n' \
			"$1" ${lower[i]} ${length[i]} "$(expected l $i)" "$(expected d $i)" $waited
	done
}

start_lldpad
start_lldpd d
node_conf d bridge 'd?'
start_node d
wait_for 10 "the ports are up" ports_up d d0 d1 d2 d3 || die "the ports are not up"
configure_dcbd
configure_lldpad

# enum pfc_way_reason: the port offers no way; the neighbor's TLV has the length 6.
WAY_OFF=1 WAY_PEER_2018=5
test_neither_is_willing() {
	both_agree "initially"
	is "reasons of the ways" "$(value d "${port[@]/#/dcbPfcWayReason.}" | paste -sd ' ')" \
		"$WAY_OFF $WAY_OFF $WAY_PEER_2018 $WAY_PEER_2018"
}

# There and back: each of the four combinations is reached by a change of either end, on the link
# of either order of addresses.
test_sixteen_combinations() {
	local step
	local -a steps=("d yes 5" "l yes 1" "d no 6" "l no 2" "l yes 3" "d yes 7" "l no 0" "d no 4")
	for step in "${steps[@]}"; do
		change $step
		both_agree "lldpad willing ${willing[l]}, dcbd willing ${willing[d]}, ${step%% *} changed last"
	done
}

# A willing dcbd uses the application priorities of lldpad: iSCSI has 4, DSCP 48 has 6.
in_force() { # LINK SELECTOR/PROTOCOL/PRIORITY...
	local p=${port[$1]}
	[ "$(ctl d -j dcbx $p | jq -r '.[0].applicationPriorities.inForce |
		map("\(.selector)/\(.protocol)/\(.priority)") | join(" ")')" = "${*:2}" ]
}
test_application_priorities() {
	local i
	change l no 2
	change d yes 5
	for i in "${links[@]}"; do
		tool -T -i l$i -V APP app=4,2,3260
		tool -T -i l$i -V APP app=6,5,48
		tool -T -i l$i -V APP enableTx=yes
		wait_for 10 "dcbd uses those of lldpad" in_force $i tcp/3260/4 dscp/48/6 || show $i
	done
	change d no 4
	for i in "${links[@]}"; do wait_for 10 "dcbd uses its own" in_force $i || show $i; done
}

# Without lldpad dcbd has its own settings in force, and both agree again when it is back.
own_again() { [ "$(value d dcbDcbxPortPfcReason.${port[0]} lldpXdot1dcbxLocPFCEnableEnabled.${port[0]}.${pfc[d]} | paste -sd ' ')" = "2 1" ]; }
test_restarts() {
	change d yes 5
	both_agree "before"
	stop lldpad
	wait_for 5 "dcbd's own PFC" own_again
	start_lldpad
	configure_lldpad
	both_agree "lldpad has restarted"
	stop dcbd-d KILL
	start_node d
	both_agree "dcbd has restarted"
	change l yes 1
	both_agree "both are willing"
}

run_tests
