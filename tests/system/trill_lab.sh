# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced after lib.sh and lldp.sh: makes a TRILL campus, figure 5 of draft-eastlake-trill-cn-00, with
# a dcbd at every hop, and sends frames through it. For trill_campus.sh and contrib/demo_trill.sh.
#
#   esa = b1 = rb1 = b2 = rb2 = c2 = rb3 = b3 = esb      b1, b2, c2, b3: bridges
#                          |          |  |
#                          +-- spare -+  += rb4 = esc    esc sends to esd
#                                     += esd
#
# Towards esb a node has the interface east, towards esa west. The settings are those of
# doc/trill.md. Rates and settings of reaction points are those of stations.sh, for the same reasons.
[ -w /dev/net/tun ] || skip_all "no write access to /dev/net/tun"

pktgen=$build/tests/bench/pktgen
rate=20000000 # bit/s of the bottleneck
[ $slow -eq 1 ] || rate=5000000
set_point=${set_point-60000} # octets
chain=(esa b1 rb1 b2 rb2 c2 rb3 b3 esb)
declare -A nickname=([rb1]=256 [rb2]=512 [rb3]=768)

# block NAME: the entries of "initial" in that example of doc/trill.md.
block() {
	awk -v name="<!-- campus: $1 -->" '$0 == name { found = 1; next }
		found && /^```/ { if (inside) exit; inside = 1; next }
		inside' "$src/doc/trill.md" | grep . || die "doc/trill.md has no settings of $1"
}

# Of nodes and their ports, unless the script that sources this file has others.
station_rate=${station_rate-1000000000} # bit/s
bridge_rate=${bridge_rate-}             # bit/s; empty: the rates of the interfaces
bridge_port=${bridge_port-}             # more settings of each port
bridge_lines=${bridge_lines-}           # more lines

# conf NODE [RATE]: its dcbd.conf; RATE is that of its port east, in bit/s.
conf() {
	local role=bridge rows ports lines="$bridge_lines" common="pvid_tagged = true; $bridge_port"
	ports="{ name = \"*\"; $common ${bridge_rate:+rate = ${bridge_rate}L;} }"
	[ -z "${2-}" ] || ports="{ name = \"east\"; $common rate = ${2}L; }, $ports"
	rows=$(block all),$(block bridges)
	case $1 in
	rb*) role=rbridge rows+=,$(block $1) ;;
	es*)
		role=station rows=$(block all),$(block stations)
		lines='' ports="{ name = \"*\"; tap = \"dcb%d\"; rate = ${station_rate}L; default_priority = 3; }"
		;;
	esac
	node_conf $1 $role '[ewns]*' "ports = ( $ports );" "initial = ( $rows );" "$lines"
}

# address NODE IF ADDRESS: doc/trill.md names these.
address() { ip -n $1 link set $2 address $3; }

for n in "${chain[@]}" rb4 esc esd; do node $n; done
for ((i = 1; i < ${#chain[@]}; i++)); do cable ${chain[i - 1]} east ${chain[i]} west; done
cable rb2 spare rb3 spare
cable rb3 north rb4 west
cable rb4 east esc west
cable rb3 side esd west
address rb1 east 02:00:00:00:01:02
address rb2 west 02:00:00:00:02:01
address rb2 east 02:00:00:00:02:02
address rb2 spare 02:00:00:00:02:03
address rb3 west 02:00:00:00:03:01
address rb3 spare 02:00:00:00:03:03
address rb3 north 02:00:00:00:03:04
address rb4 west 02:00:00:00:04:01
# A frame is 26 octets longer on a link between RBridges, and it is tagged.
for i in "rb1 east" "b2 west" "b2 east" "rb2 west" "rb2 east" "rb2 spare" "c2 west" "c2 east" \
	"rb3 west" "rb3 spare" "rb3 north" "rb4 west"; do
	ip -n ${i% *} link set ${i#* } mtu 1600
done
nodes=("${chain[@]}" rb4 esc)
for n in "${nodes[@]}"; do
	conf $n
	start_node $n
done
# A dcbd that gets no processor for longer than a buffer lasts loses frames in spite of PFC.
for n in "${nodes[@]}"; do
	(cd "/proc/${pid_of[dcbd-$n]}/task" && renice -n -10 -p -- *) >/dev/null 2>&1 || true
done

declare -A if_index=() mac=()
links=() # NODE.IFINDEX
for n in "${nodes[@]}"; do
	for i in $(ip -n $n -o link show type veth | sed 's/^[0-9]*: \([a-z]*\)@.*/\1/'); do
		if_index[$n.$i]=$(if_of $n $i)
		mac[$n.$i]=$(mac_of $n $i)
		links+=("$n.$i")
	done
done
esa=${mac[esa.east]} esb=${mac[esb.west]} esc=${mac[esc.west]} esd=$(mac_of esd west)
all_up() {
	local l
	for l in "${links[@]}"; do is_value ${l%.*} dcbPortOperational.${if_index[$l]} 1 || return 1; done
}
all_adopted() { for n in "${nodes[@]}"; do adopted $n || return 1; done; }

# value NODE OBJECT.INDEX...: as in lldp.sh, and again if a dcbd that got no processor has not
# answered: numbers are added to others.
value() {
	local i got
	for i in 1 2 3 4 5 6; do
		got=$("$probe" get $T/$1/control "${@:2}")
		[[ $got =~ ^(-?[0-9]+[[:space:]]?)+$ ]] && break
	done
	printf '%s\n' "$got"
}

# --- frames ----------------------------------------------------------------------------------

stream=0
# listen NODE IF: lists frames that arrive there, in the log of list-NODE.
listen() {
	start list-$1 nsenter --net=/run/netns/$1 -- "$frames" list $2 -x
	wait_for 5 "list of frames at $1" logged list-$1 ready || die "cannot list frames at $1"
}
unlisten() {
	stop list-$1 KILL
	unset "log_of[list-$1]" # long lines
}
# announce FROM FROM-IF FROM-ADDRESS TO: sends broadcasts until one has arrived at TO, which lists
# frames, so that all nodes between them learn the address. It has the lowest priority, no congestion
# point, and follows all frames that were sent before.
announce() {
	local any='^$'
	announced() {
		stream=$((stream + 1))
		on $1 "$frames" send $2 -s $3 -d ff:ff:ff:ff:ff:ff -p 0 -i $stream
		printf -v any '%s|88b5%08x' "$any" $stream # in a TRILL frame as well
		pause 0.1
		grep -qE "$any" "${log_of[list-$4]}"
	}
	wait_for 20 "a broadcast of $1 at $4" announced "$@" || die "the campus does not forward"
}
learn() {
	wait_for 10 "all ports are up" all_up
	listen esa east
	listen esb west
	announce esb dcb0 $esb esa
	announce esa dcb0 $esa esb
	unlisten esa
	unlisten esb
}

flood() {
	local fps=$((rate * 3 / 2 / 8 / 1524))
	start flood nsenter --net=/run/netns/esa -- "$pktgen" -i dcb0 -d $esb -o 1500 -r $fps -n $((fps * 3600))
}

# start_second: the second source begins to send, 100 frames a second. A bridge that gets no processor
# for a while receives its frames in one piece: the congestion points on its way are not to count
# that as congestion.
start_second() {
	local n
	for n in rb4.west rb3.side; do
		set_at ${n%.*} ieee8021CnCpQueueSizeSetPoint.1.${if_index[$n]}.3 100000000
		wait_for 10 "${n%.*} uses all settings" adopted ${n%.*}
	done
	learn
	listen esd west
	announce esc dcb0 $esc esd
	unlisten esd
	on esd "$frames" send west -s $esd -d ff:ff:ff:ff:ff:ff
	start second nsenter --net=/run/netns/esc -- "$pktgen" -i dcb0 -d $esd -o 500 -r 100 -n 1000000
}

# --- one congestion point --------------------------------------------------------------------

# discards: the objects in which a node counts the frames that it discarded, for any reason.
declare -A discards=()
for l in "${links[@]}"; do
	for i in dcbPort{DiscardQueue,DiscardNoBuffer,DiscardKernel,TxErrors}.${if_index[$l]} \
		dcbPfcPriorityDiscards.${if_index[$l]}.3 dcbPfcPortDiscardTransit.${if_index[$l]}; do
		discards[${l%.*}]+=" $i"
	done
done
# lost: the number of frames that all nodes discarded.
lost() {
	local node n sum=0
	for node in "${nodes[@]}"; do
		for n in $(value $node ${discards[$node]}); do sum=$((sum + n)); done
	done
	echo $sum
}
mean_queue() { # in $mean, in about half a second
	local i sum=0
	for ((i = 0; i < 10; i++)); do
		sum=$((sum + $(value $1 dcbCpQueueLength.$cp)))
		pause 0.04
	done
	mean=$((sum / 10))
}
at_least_value() { [ "$(value "$1" "$2")" -ge "$3" ]; }
at_most_value() { [ "$(value "$1" "$2")" -le "$3" ]; }
lines() { grep -cE -- "$2" "${log_of[dcbd-$1]}"; }
more_lines() { [ "$(lines "$1" "$2")" -gt "$3" ]; }
reload() {
	local before
	before=$(lines $1 'dcbd.conf read again')
	kill -HUP "${pid_of[dcbd-$1]}"
	wait_for 10 "$1 reads its file again" more_lines $1 'dcbd.conf read again' "$before"
}

# drained NODE: esa has sent all that it was offered, and NODE's queue is empty.
drained() {
	listen esb west
	announce esa dcb0 $esa esb
	wait_for 20 "esa has sent all frames" is_value esa dcbRpQueueLength.1.${if_index[esa.east]}.3.1 0
	announce esa dcb0 $esa esb
	unlisten esb
	wait_for 20 "the queue of $1 is empty" is_value $1 dcbCpQueueLength.$cp 0
}

bottleneck=
# slow_down NODE: its port east is the bottleneck, instead of the one before.
slow_down() {
	if [ -n "$bottleneck" ]; then
		conf $bottleneck
		reload $bottleneck
	fi
	bottleneck=$1
	conf $1 $rate
	reload $1
	cp=1.${if_index[$1.east]}.3
	wait_for 10 "all ports are up" all_up
	set_at $1 ieee8021CnCpQueueSizeSetPoint.$cp $set_point ieee8021CnCpMinSampleBase.$cp 20000
	wait_for 10 "all nodes use all settings" all_adopted
	learn
}

# renew_rp: the reaction point of esa ends, and has its full rate again.
renew_rp() {
	local i
	for i in 2 1; do
		set_at esa ieee8021CnRpgEnable.1.3.${if_index[esa.east]}.3 $i
		wait_for 10 "all nodes use all settings" all_adopted
	done
}

# way NODE: the arguments of trill_cnm.py for the CNMs of NODE's port east, into $sender and $hops.
# The lists of frames are those of the nodes west of it.
way() {
	local n at i ingress=$1 left=63
	hops=() sender=${mac[$1.east]}
	[ $1 != rb2 ] || sender=${mac[rb2.west]} # the port that sends the CNM first
	for ((at = 0; at < ${#chain[@]}; at++)); do [ ${chain[at]} != $1 ] || break; done
	case $1 in c2) ingress=rb2 ;; b3) ingress=rb3 ;; esac
	for ((i = at - 1; i >= 0; i--)); do
		n=${chain[i]}
		case $1-$n in
		b2-rb1 | c2-rb2) hops+=("${log_of[list-$n]},caused,${mac[$n.east]}") ;;
		*-esa | *-b1 | b3-rb3) hops+=("${log_of[list-$n]},native") ;;
		*-c2 | *-rb2) # from rb3
			hops+=("${log_of[list-$n]},trill,${mac[rb2.east]},${mac[rb3.west]},63,256,768")
			left=62
			;;
		*) # from rb2
			hops+=("${log_of[list-$n]},trill,${mac[rb1.east]},${mac[rb2.west]},$left,256,${nickname[$ingress]}")
			;;
		esac
	done
}

cnms_at_esa() { awk -v s="$1" '/\+22e7 / { n++ } END { exit n + 0 < s }' "${log_of[list-esa]}"; }
# capture_cnms NODE: a burst of frames, and the CNMs of NODE for them on every link, which trill_cnm.py
# compares with the draft: its output is in $T/cnms, its arguments in $cnm_arguments. $cnms_sent is
# NODE's own number of CNMs. The lists of frames continue until end_capture.
capture_cnms() {
	local n cpid hops sender before sent count=$((200 / slow))
	renew_rp
	drained $1
	set_at $1 ieee8021CnCpQueueSizeSetPoint.$cp 100 ieee8021CnCpMinSampleBase.$cp 10000
	wait_for 10 "all nodes use all settings" all_adopted
	for n in "${chain[@]}"; do
		[ $n != $1 ] || break
		listen $n east
	done
	listen $1 west
	before=$(value $1 ieee8021CnCpTransmittedCnms.$cp)
	sent=$(value esa dcbPortTxFrames.${if_index[esa.east]})
	stream=$((stream + 1))
	cnm_arguments=($stream)
	on esa "$frames" send dcb0 -s $esa -d $esb -l 1000 -n $count -i $stream || fail "cannot send frames"
	wait_for 20 "CNMs at esa" cnms_at_esa 3
	wait_for 20 "esa has sent all frames" at_least_value esa dcbPortTxFrames.${if_index[esa.east]} $((sent + count))
	announce esa dcb0 $esa $1
	wait_for 20 "the queue of $1 is empty" is_value $1 dcbCpQueueLength.$cp 0
	announce esb dcb0 $esb esa
	way $1
	cpid=$(ctl $1 -j show ieee8021CnCpIdentifier $cp | jq -r '.[0].rows[0].values[]' | tr -d '-')
	cnm_arguments+=($cpid $sender "${log_of[list-$1]}" "${hops[@]}")
	python3 "$src/tests/system/trill_cnm.py" "${cnm_arguments[@]}" >$T/cnms 2>&1 ||
		fail "CNMs: $(tail -n 12 $T/cnms)"
	cnms_sent=$(($(value $1 ieee8021CnCpTransmittedCnms.$cp) - before))
	set_at $1 ieee8021CnCpQueueSizeSetPoint.$cp $set_point ieee8021CnCpMinSampleBase.$cp 20000
}
# decoded_way: after capture_cnms, one of these CNMs at each hop, for people to read.
decoded_way() {
	local l n
	{
		for l in "${links[@]}"; do echo ${mac[$l]} ${l/./ }; done
		for n in "${!nickname[@]}"; do echo ${nickname[$n]} $n; done
	} >$T/names
	python3 "$src/tests/system/trill_way.py" $T/names "${cnm_arguments[@]}"
}
end_capture() { # NODE
	local n
	for n in "${chain[@]}"; do
		unlisten $n
		[ $n != $1 ] || break
	done
}
