#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The MACsec of dcbd and that of Linux are peers: a virtual machine with Debian's kernel has a link
# for each cipher suite, with and without encryption. Its pings cross macsec_wire.py, which also
# sends forged and replayed frames to both, and the bridge, to h2, which answers them:
#
#   virtual machine: macsec1..8 --- macsec_wire.py w1..w8 --- p1..p8 dcbd p9 --- h2
#
# Another virtual machine has two dcbd, which measure the delay of a link with the kernel's netem
# between them, and two interfaces of a driver with timestamps of the NIC: hm_netem.guest.
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/system/guest.sh
. "$(dirname -- "$0")/guest.sh"

guest_needs jq python3
# What the kernel's MACsec needs, in the order of insmod.
modules=(drivers/net/ethernet/intel/e1000/e1000 crypto/gf128mul crypto/ghash-generic crypto/gcm crypto/ctr drivers/net/macsec)
# What hm_netem.guest needs.
modules+=(drivers/net/ethernet/intel/e1000e/e1000e drivers/net/veth net/sched/sch_netem net/sched/sch_ingress net/sched/cls_matchall net/sched/act_mirred)
suites=(GCM-AES-128 GCM-AES-256 GCM-AES-XPN-128 GCM-AES-XPN-256)
links=(1 2 3 4 5 6 7 8)

random_hex() { # OCTETS: into $hex
	local i octet
	hex=''
	for ((i = 0; i < $1; i++)); do
		printf -v octet %02x $((RANDOM % 256))
		hex+=$octet
	done
}

# Odd links encrypt.
encrypts() { [ $(($1 % 2)) -eq 1 ]; }

# add_link NUMBER: an interface, an entry of the key file, and a line for the virtual machine.
add_link() {
	local suite=${suites[($1 - 1) / 2]} octets=16 salt=- digits='' key0 key1 secret=true crypt=on ssci
	[[ $suite != *256 ]] || octets=32
	encrypts "$1" || secret=false crypt=off
	random_hex $octets
	key0=$hex
	random_hex $octets
	key1=$hex
	if [[ $suite == *XPN* ]]; then
		random_hex 12
		salt=$hex digits=$hex
	fi
	new_address
	ip link add "p$1" address "$address" type veth peer name "w$1"
	ip link set "p$1" up
	ip link set "w$1" up
	cat >>$T/keys <<-END
		port p$1
		mode data
		cipher_suite $suite
		confidentiality $secret
		sci 02:00:00:00:0$1:02/1
		peer_sci 02:00:00:00:0$1:01/1
		key 0 $key0 $digits
		key 1 $key1 $digits
	END
	echo "$1 ${suite,,} $crypt $key0 $key1 $salt" >>$T/links
	[ $salt = - ] && ssci=- || ssci=00000001
	printf '02000000%s020001 %d %s %s %s %s\n' "0$1" 0 "$suite" $key0 $salt $ssci "0$1" 1 "$suite" $key1 $salt $ssci \
		>>$T/own_keys
}

add_links() {
	local link
	(umask 077 && : >$T/keys)
	for link in "${links[@]}"; do add_link "$link"; done
}

# The plain side: answers pings to 10.0.N.2 with one address, and sends no ARP requests.
add_plain() {
	local link
	host h2 p9
	ip -n h2 link set eth0 address 02:00:00:00:00:fe
	for link in "${links[@]}"; do
		ip -n h2 addr add "10.0.$link.2/24" dev eth0
		on h2 ip neigh add "10.0.$link.1" lladdr "02:00:00:00:0$link:01" nud permanent dev eth0
	done
}

make_guest() {
	copy_programs iproute2 ip tc
	copy_programs dcb "$build/dcbd" "$build/tests/system/mo_probe"
	copy_modules "${modules[@]}"
	pack $T/links "$src"/tests/system/{macsec,hm_netem}.guest
}

start_wire() {
	local link spec=()
	for link in "${links[@]}"; do
		spec+=("w$link,02:00:00:00:0$link:01,$T/wire$link,$T/qemu$link")
	done
	start wire python3 "$src/tests/system/macsec_wire.py" "$seed" $T/frames.pcap "${spec[@]}"
	wait_for 10 "macsec_wire.py is ready" logged wire '^ready$'
}

start_macsec() {
	local link nics=()
	for link in "${links[@]}"; do
		nics+=(-netdev "dgram,id=n$link,local.type=unix,local.path=$T/qemu$link,remote.type=unix,remote.path=$T/wire$link"
			-device "e1000,netdev=n$link,mac=02:00:00:00:0$link:01,romfile=")
	done
	start_guest guest macsec.guest ipv6.disable=1 -M pc -accel tcg -m 384 "${nics[@]}"
}

# Time is 2 ns an instruction, and passes at once while the machine is idle.
start_netem() {
	local end nics=()
	for end in c d; do
		nics+=(-netdev "hubport,hubid=1,id=$end" -device "e1000e,netdev=$end,mac=02:00:00:00:00:0$end,romfile=")
	done
	start_guest netem hm_netem.guest ipv6.disable=1 -M q35 -accel tcg -icount shift=1,sleep=off -m 384 "${nics[@]}"
}

add_links
add_plain
make_guest
start_netem
start_wire
start_all 'interfaces = { include = [ "p*" ]; }; bridge = { transit_delay = 0; };' \
	"macsec = { key_file = \"$T/keys\"; };"
start_macsec

# of PROGRAM.LINK.NAME: a number or word that a program has printed for a link. Names of wire are
# guest.NAME and secy.NAME, by direction.
declare -A values=()
of() { of=${values[$1]-none}; }
# Counters by SNMP: all that a SecY can count of frames that it discards, besides the two expected.
discards=(TxTooLongPkts TxNoSAPkts TxNotReservedPkts RxNoTagPkts RxBadTagPkts RxNoSAErrorPkts RxUncontrolledPkts
	MuxNotPfcFrames MuxNotValidFrames MuxUnprotectedFrames)
others=(UncheckedPkts DelayedPkts InvalidPkts)
read_objects_of() { # LINK
	local port names=() name
	port=$(ifindex "p$1")
	for name in TxProtectedPkts TxEncryptedPkts "${discards[@]}"; do names+=("dcbSecy$name.$port"); done
	for name in OKPkts LatePkts NotValidPkts "${others[@]}"; do names+=("dcbSecyRxSC$name.$port.1"); done
	for name in "${names[@]}"; do echo "$name"; done | paste - <(get "${names[@]}") >$T/objects
	while read -r name value; do
		name=${name#dcbSecy}
		values[dcbd.$1.${name%%.*}]=$value
	done <$T/objects
}
read_values() {
	local name value link
	while read -r name value; do values[$name]=$value; done < <(
		sed -n 's/^guest: \([0-9]*\) \([a-z]*\) \([0-9]*\)\r*$/guest.\1.\2 \3/p' "${log_of[guest]}"
		sed -n 's/^guest: [0-9]* counters //p' "${log_of[guest]}" | jq -r '.[0] | .ifname[6:] as $link
			| .rx_sc[0] | to_entries[] | select(.value | type == "number") | "guest.\($link).\(.key) \(.value)"'
		grep '^{' "${log_of[wire]}" | jq -r '.link[1:] as $link | .to as $to
			| to_entries[] | "wire.\($link).\($to).\(.key) \(.value)"'
	)
	for link in "${links[@]}"; do read_objects_of "$link"; done
}

sum() { # LINK NAME...: puts the sum of these values of a link into $total
	local name link=$1
	total=0
	for name in "${@:2}"; do
		of "${name/./.$link.}"
		[ "$of" != none ] || { fail "no value ${name/./.$link.}" && return; }
		total=$((total + of))
	done
}
equal() { # LINK NAME NUMBER|NAME...: the first value is the number, or the sum of the others
	local wanted=$3
	[[ $3 =~ ^[0-9]+$ ]] || { sum "$1" "${@:3}" && wanted=$total; }
	sum "$1" "$2"
	is "link $1: $2" "$total" "$wanted"
}

test_guest_runs_to_its_end() {
	# Idle machine: 25 s.
	guest_ends guest 60
	stop wire
	read_values
	logged guest '^guest: 0 end' || die "the virtual machine has not done all"
	is "failures in the virtual machine" "$(grep -a '^guest: [0-9]* failed' "${log_of[guest]}")" ""
}

test_pings_cross_both_secys() {
	local link
	for link in "${links[@]}"; do
		equal "$link" guest.short 6
		equal "$link" guest.long 3
		equal "$link" guest.rollover 4
		equal "$link" wire.guest.longest 1514
		equal "$link" wire.secy.longest 1514
	done
}

test_frames_are_protected_and_encrypted_as_set() {
	local link to encrypted readable
	for link in "${links[@]}"; do
		for to in guest secy; do
			equal "$link" wire.$to.unprotected 0
			equal "$link" wire.$to.frames 13
			encrypts "$link" && encrypted=13 readable=0 || encrypted=0 readable=13
			equal "$link" wire.$to.encrypted $encrypted
			equal "$link" wire.$to.readable $readable
		done
	done
}

test_both_count_each_frame_forgery_and_replay() {
	local link sent name
	for link in "${links[@]}"; do
		equal "$link" wire.guest.forged 3
		equal "$link" wire.secy.replayed 4
		equal "$link" dcbd.RxSCOKPkts wire.secy.frames
		equal "$link" dcbd.RxSCNotValidPkts wire.secy.forged
		equal "$link" dcbd.RxSCLatePkts wire.secy.replayed
		for name in "${discards[@]}" "${others[@]/#/RxSC}"; do equal "$link" "dcbd.$name" 0; done
		encrypts "$link" && sent=dcbd.TxEncryptedPkts || sent=dcbd.TxProtectedPkts
		equal "$link" $sent wire.guest.frames wire.guest.others
		equal "$link" guest.InPktsOK wire.guest.frames
		equal "$link" guest.InPktsNotValid wire.guest.forged
		equal "$link" guest.InPktsLate wire.guest.replayed
	done
}

# A second implementation of MACsec, which shares no code with the first, validates and decrypts our
# frames, of which each is the answer to a ping.
test_frames_are_decrypted_by_another_implementation() {
	local link
	python3 "$src/tests/unit/dataplane/macsec/oracle.py" read $T/frames.pcap $T/own_keys >$T/decrypted ||
		fail "frames that the other implementation does not read"
	is "frames" "$(wc -l <$T/decrypted)" $((13 * ${#links[@]}))
	for link in "${links[@]}"; do
		is "link $link: answers to pings" "$(grep -cE \
			"^020000000${link}020001 020000000${link}010200000000fe0800.*(5a){48}" $T/decrypted)" 13
	done
}

# of_netem CASE NAME: into $of.
of_netem() {
	of=$(said netem "$@")
	[[ $of =~ ^[0-9]+$ ]] || { fail "netem, $1: no number $2, but \"$of\"" && of=0; }
}

test_netem_guest_runs_to_its_end() {
	# Idle machine: 25 s, beside the other one.
	guest_ends netem 60
	is "failures in the virtual machine" "$(grep -a '^netem: [a-z0-9]* failed' "${log_of[netem]}")" ""
	of_netem 0 end
	is "the last line" "$of" 1
}

# A round trip has the delay twice, and the time of the kernel and dcbd between their timestamps. A
# frame that overtakes others has no delay.
test_measurement_finds_the_delay_of_netem() {
	local name end wanted least
	for name in delay1 delay5 loss reorder; do
		of_netem $name wanted
		wanted=$of
		[ $name = reorder ] && least=$((wanted / 2)) || least=$wanted
		for end in a b; do
			of_netem $name average$end
			at_least "$name: average of $end, quanta" "$of" "$least"
			at_most "$name: average of $end, quanta" "$of" $((wanted * 3 / 2))
		done
	done
	for end in a b; do
		of_netem reorder timestamps$end
		is "timestamps of $end: kernel" "$of" 2
	done
}

# Linux's e1000e has timestamps of the NIC, which dcbd switches on. The times never come.
test_missing_times_of_a_nic_leave_those_of_the_kernel() {
	local end count
	for end in c d; do
		of_netem nic count$end
		count=$of
		at_least "round trips of $end" "$count" 2
		of_netem nic missing$end
		is "round trips of $end without times of the NIC" "$of" "$count"
		of_netem nic timestamps$end
		is "timestamps of $end: kernel" "$of" 2
	done
}

# hm_netem.guest compares them with netem's own count.
test_lost_frames_are_counted_and_requested_again() {
	of_netem loss dropped
	at_least "frames that netem dropped" "$of" 1
	of_netem loss repeated
	at_least "requests that were repeated" "$of" 1
}

run_tests
