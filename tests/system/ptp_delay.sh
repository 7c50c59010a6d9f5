#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# contrib/ptp/dcb-ptp-delay: link delays of ptp4l in the PFC headroom, by a pmc that prints what the
# test says, then by ptp4l at both ends of the link with software timestamps.
#
#   h1 === sw1 [dcbd, a bridge] sw2 === h2
# shellcheck source=tests/system/lib.sh
. "$(dirname -- "$(readlink -f -- "$0")")/lib.sh"

for tool in ptp4l pmc; do
	command -v $tool >/dev/null || skip_all "$tool is not installed (Debian: linuxptp)"
done
real_pmc=$(command -v pmc)
host h1 sw1
host h2 sw2
sw1=$(ifindex sw1) sw2=$(ifindex sw2)
dcbd_conf 'interfaces = { include = [ "sw*" ]; };' 'ports = ( { name = "sw*"; rate = 10000000000L; } );'
start_dcbd
probe=$build/tests/system/mo_probe
value() { "$probe" get $T/control "$@"; }
is_value() { [ "$(value "$1")" = "$2" ]; } # OBJECT.INDEX VALUE
delay() { is_value dcbPfcHeadroomPtpDelay.$1 "$2"; } # PORT NS
ports_up() { is_value dcbPortOperational.$sw1 1 && is_value dcbPortOperational.$sw2 1; }
wait_for 5 "the ports are up" ports_up

mkdir $T/bin
cat >$T/bin/pmc <<-END
	#!/bin/sh
	echo "\$*" >>$T/readings
	cat $T/answer 2>/dev/null
END
cat >$T/bin/dcbctl <<-END
	#!/bin/sh
	[ ! -e $T/slow ] || sleep 0.3
	exec "$build/dcbctl" "\$@"
END
chmod +x $T/bin/pmc $T/bin/dcbctl
PATH=$T/bin:$build:$PATH

# answer [NUMBER STATE DELAY MECHANISM]...: what pmc prints, in the format of linuxptp 3.1, in one piece
answer() {
	{
		echo "sending: GET PORT_DATA_SET"
		while [ $# -gt 0 ]; do
			printf '\t%s seq 0 RESPONSE MANAGEMENT PORT_DATA_SET\n' "ce8d75.fffe.38ac8b-$1"
			printf '\t\t%-23s %s\n' portIdentity "ce8d75.fffe.38ac8b-$1" portState "$2" \
				logMinDelayReqInterval 0 peerMeanPathDelay "$3" logAnnounceInterval 1 delayMechanism "$4"
			shift 4
		done
	} >$T/answer.new
	mv $T/answer.new $T/answer
}
read_again() { # the script has taken this answer: it began to read again twice
	local n
	n=$(wc -l <$T/readings)
	wait_for 10 "two readings" eval '[ "$(wc -l <$T/readings)" -ge '$((n + 2))' ]'
}
run_script() { start delays "$src/contrib/ptp/dcb-ptp-delay" -s $T/control -i 0.1 "$@"; }

test_delays_are_set_by_the_number_of_the_port() {
	answer 1 MASTER 1181 2 2 SLAVE 4950 2
	run_script -u $T/ptp4l sw1 sw2
	wait_for 10 "delay of sw1, rounded up to 50 ns" delay $sw1 1200
	wait_for 10 "delay of sw2" delay $sw2 4950
	is "call of pmc" "$(head -n 1 $T/readings)" "-u -b 0 -s $T/ptp4l GET PORT_DATA_SET"
	is "bits and source" "$(value dcbPfcHeadroomTermBits.$sw1.8 dcbPfcHeadroomTermSource.$sw1.8 | xargs)" "12000 4"
	logged delays 'sw1: link delay 1200 ns' || fail "no line of the delay"
}

test_longer_delay_is_set_at_once_a_shorter_one_by_two_steps() {
	answer 1 MASTER 1110 2 2 SLAVE 4951 2
	wait_for 10 "a longer delay" delay $sw2 5000
	read_again
	is "a little shorter" "$(value dcbPfcHeadroomPtpDelay.$sw1)" 1200
	answer 1 MASTER 1100 2 2 SLAVE 4951 2
	wait_for 10 "shorter by two steps" delay $sw1 1100
}

test_bad_delays_are_refused_and_counted() {
	local bad
	answer 1 MASTER -1181 2 2 SLAVE 5001 2
	wait_for 10 "the first one is printed" \
		logged delays 'sw1: peerMeanPathDelay -1181 refused, expected 0 to 500000 ns; refused so far: 1$'
	for bad in -1181 500001 1e3 99999999999999999999; do
		answer 1 MASTER $bad 2 2 SLAVE 5001 2
		read_again
		is "delay of sw1 after $bad" "$(value dcbPfcHeadroomPtpDelay.$sw1)" 1100
	done
	wait_for 10 "another port goes on" delay $sw2 5050
	wait_for 10 "the count" logged delays 'refused so far: 8'
}

test_delay_that_is_no_longer_known() {
	answer 1 FAULTY 1100 2 2 SLAVE 5001 1
	wait_for 10 "faulty port" delay $sw1 0
	wait_for 10 "no peer delay mechanism" delay $sw2 0
	answer 1 MASTER 1181 2 2 SLAVE 0 2
	wait_for 10 "delay of sw1" delay $sw1 1200
	rm $T/answer
	wait_for 10 "no answer" delay $sw1 0
	is "source" "$(value dcbPfcHeadroomTermSource.$sw1.8)" 2
}

# Nothing is lost while dcbd is away.
test_delay_is_set_when_dcbd_is_back() {
	local before
	answer 1 MASTER 1181 2 2 SLAVE 4950 2
	wait_for 10 "delay of sw1" delay $sw1 1200
	stop dcbd
	answer 1 MASTER 2000 2 2 SLAVE 4950 2
	wait_for 10 "an error" logged delays 'sw1: dcbPfcHeadroomPtpDelay 2000: dcbctl: '
	read_again
	is "lines of the error" "$(grep -c 'PtpDelay 2000' "${log_of[delays]}")" 1
	start_dcbd
	wait_for 10 "delay of sw1" delay $sw1 2000
}

# No subscript of the script is the name of an interface: bash may expand it again.
strange='a$(>expanded)'
test_created_interface_has_its_own_ifindex() {
	local before=$sw2
	cd $T || die "no directory $T"
	ip link add name "$strange" type veth peer name far || fail "no interface $strange"
	stop delays
	answer 1 MASTER 2000 2 2 SLAVE 4950 2 3 MASTER -1 2
	run_script sw1 sw2 "$strange"
	wait_for 10 "delay of sw2" delay $sw2 4950
	wait_for 10 "a value of the strange interface is refused" logged delays 'refused so far: 2$'
	ip link del sw2
	host h3 sw2
	sw2=$(ifindex sw2)
	[ $before != $sw2 ] || fail "the ifIndex is the same: $sw2"
	wait_for 10 "the new sw2 is up" is_value dcbPortOperational.$sw2 1
	answer 1 MASTER 2000 2 2 SLAVE 6000 2 3 MASTER -1 2
	wait_for 10 "delay of the new sw2" delay $sw2 6000
	[ ! -e expanded ] || fail "the name of an interface was expanded"
	cd / && ip link del "$strange"
}

# ptp4l has ended: nothing measures the link.
test_delays_are_not_known_when_the_script_ends_or_starts() {
	stop delays
	is "delays after SIGTERM" "$(value dcbPfcHeadroomPtpDelay.$sw1 dcbPfcHeadroomPtpDelay.$sw2 | xargs)" "0 0"
	answer 1 MASTER 2000 2 2 SLAVE 4950 2
	run_script sw1 sw2
	wait_for 10 "delay of sw2" delay $sw2 4950
	stop delays KILL
	is "delay after SIGKILL" "$(value dcbPfcHeadroomPtpDelay.$sw2)" 4950
	rm $T/answer
	: >$T/readings
	run_script -i 100 sw1 sw2
	wait_for 10 "the first reading" test -s $T/readings
	is "delays at the start" "$(value dcbPfcHeadroomPtpDelay.$sw1 dcbPfcHeadroomPtpDelay.$sw2 | xargs)" "0 0"
	stop delays
}

# The signal comes while the script waits for a time that is shorter than its SETs take.
test_script_ends_although_dcbctl_is_slow() {
	answer 1 MASTER 2000 2 2 SLAVE 4950 2
	run_script sw1 sw2
	wait_for 10 "delay of sw2" delay $sw2 4950
	read_again
	: >$T/slow
	stop delays
	is "delays" "$(value dcbPfcHeadroomPtpDelay.$sw1 dcbPfcHeadroomPtpDelay.$sw2 | xargs)" "0 0"
	rm $T/slow
}

# Bash handles a signal that comes just before "read" waits when that wait has ended. This one comes at
# the end of the first wait.
test_script_ends_although_the_signal_comes_before_the_wait() {
	cat >$T/read <<-END
		read() {
			local rc=0
			builtin read "\$@" || rc=\$?
			[[ \$1 != -rt || \$2 = 0 || -e $T/sent ]] || { : >$T/sent && kill \$\$; }
			return \$rc
		}
	END
	answer 1 MASTER 2000 2 2 SLAVE 4950 2
	start delays env BASH_ENV=$T/read "$src/contrib/ptp/dcb-ptp-delay" -s $T/control -i 999999 sw1 sw2
	wait_for 10 "the script ends" gone "${pid_of[delays]}"
	wait "${pid_of[delays]}"
	is "status" $? 0
	unset "pid_of[delays]"
	is "delays" "$(value dcbPfcHeadroomPtpDelay.$sw1 dcbPfcHeadroomPtpDelay.$sw2 | xargs)" "0 0"
}

expect_usage() { # TEXT ARGUMENT...
	local out rc=0
	out=$("$src/contrib/ptp/dcb-ptp-delay" "${@:2}" 2>&1) || rc=$?
	is "status of dcb-ptp-delay ${*:2}" $rc 2
	like "error" "$out" "$1"
}

test_bad_arguments() {
	expect_usage 'expected a port'
	expect_usage '-i x: expected seconds' -i x sw1
	expect_usage '-i 0: expected seconds' -i 0 sw1
	expect_usage '-i 0.0: expected seconds' -i 0.0 sw1
	expect_usage '-m 0: expected 1 to 999999999 ns' -m 0 sw1
	expect_usage 'expected options' -z
	like "error" "$("$src/contrib/ptp/dcb-ptp-delay" nosuch 2>&1)" 'nosuch: no such interface'
}

# Both ends have the same clock, so the delay is not negative; how long depends on the machine.
test_ptp4l_measures_the_link() {
	local n
	for n in sw1 h1; do
		cat >$T/ptp4l-$n.conf <<-END
			[global]
			free_running 1
			time_stamping software
			network_transport L2
			delay_mechanism P2P
			logMinPdelayReqInterval -3
			uds_address $T/ptp4l-$n
		END
	done
	start ptp4l-sw1 ptp4l -f $T/ptp4l-sw1.conf -i sw1 -m
	start ptp4l-h1 nsenter --net=/run/netns/h1 -- ptp4l -f $T/ptp4l-h1.conf -i eth0 -m
	rm $T/bin/pmc
	hash -r
	value_is_new() { [ "$(value dcbPfcHeadroomPtpDelay.$sw1)" -gt 0 ]; }
	"$build/dcbctl" -s $T/control set dcbPfcHeadroomPtpDelay.$sw1 0 >/dev/null || fail "cannot set"
	run_script -u $T/ptp4l-sw1 -m 999999999 sw1
	wait_for 20 "a delay that ptp4l has measured" value_is_new
	is "source" "$(value dcbPfcHeadroomTermSource.$sw1.8)" 4
	like "pmc" "$("$real_pmc" -u -b 0 -s $T/ptp4l-sw1 'GET PORT_DATA_SET' 2>&1)" 'delayMechanism +2'
}

run_tests
