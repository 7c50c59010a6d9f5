# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Shared by the system tests. Each test is a bash script that sources this file first, defines
# functions test_..., and ends with "run_tests".
#
# A script runs itself again in a network and a mount namespace of its own, as root or, where that
# is allowed, as the root of a user namespace. There it has its own 127.0.0.1 and /run, so fixed
# ports, sockets and names of namespaces do not conflict with other tests, and the kernel removes
# all of it when the script ends. That namespace is the bridge or station: dcbd, snmpd and
# dcb-agentx run in it. "host" makes others.
#
#   DCB_BUILDDIR   build tree to test; one with sanitizers gets more time
#   DCB_AGENT=module   dcb.so inside snmpd serves the objects, not dcb-agentx
#   DCB_KEEP=DIR   directory that keeps logs, configuration and state
#   DCB_SEED=N     seed of all random values, to repeat a run
#   DCB_TIMED=1    the machine is idle: check the bounds of "timed"
set -uo pipefail
export LC_ALL=C

src=${DCB_SRCDIR:-$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd)}
build=${DCB_BUILDDIR:-$src/build}
export DCB_SEED=${DCB_SEED:-$((SRANDOM % 1000000))}

skip_all() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

if [ -z "${DCB_SYSTEM_TEST-}" ]; then
	spaces=(--net --mount)
	[ "$(id -u)" -eq 0 ] || spaces+=(--map-root-user)
	why=$(unshare "${spaces[@]}" true 2>&1) || skip_all "cannot make namespaces: $why"
	DCB_SYSTEM_TEST=1 exec unshare "${spaces[@]}" bash "$(readlink -f -- "$0")" "$@"
fi

printf 'seed %d (DCB_SEED=%d repeats this run)\n' "$DCB_SEED" "$DCB_SEED"
seed=$DCB_SEED RANDOM=$DCB_SEED

mount -t tmpfs -o mode=755 tmpfs /run || exit 1
T=/run/dcb
mkdir -p $T/snmp/client $T/snmp/master $T/state
# Net-SNMP tools print an octet string in one line.
echo 'hexOutputLength 0' >$T/snmp/snmp.conf
ip link set lo up

# lldpd changes to another user, which a user namespace with a single user does not have.
read -r _ _ users </proc/self/uid_map
[ "$users" -gt 1 ] && many_users=true || many_users=false

# start_snmpd loads dcb.so, and start_agent starts no dcb-agentx.
case ${DCB_AGENT-subagent} in
subagent) by_module=false ;;
module) by_module=true ;;
*) echo "DCB_AGENT: expected subagent or module" >&2 && exit 1 ;;
esac

# Tests divide their load by this: programs with a sanitizer are slower.
slow=1
! grep -q -- '-fsanitize=' "$build/config.status" 2>/dev/null || slow=6
# Factor for the deadlines of wait_for, so that they hold on a busy machine. A deadline only ends a
# test that has failed.
patience=$((slow > 1 ? 20 : 10))

# --- failures, and the end of the script ----------------------------------------------

failed_tests=0 case_failed='' skipped='' failures=0

# fail TEXT: prints the text with the line of the script, for the first twenty failures of a test.
fail() {
	local i=1
	failures=$((failures + 1))
	[ $failures -le 20 ] || return 0
	while [[ ${BASH_SOURCE[i]} = "${BASH_SOURCE[0]%/*}"/@(lib|snmp).sh ]]; do i=$((i + 1)); done
	printf '    line %s: %.600s\n' "${BASH_LINENO[i - 1]}" "$*"
	case_failed=yes
}

# die TEXT: ends the script, for a failure without which the other tests cannot run.
die() {
	fail "$*"
	printf '[  FAILED  ] %s\n' "${current=setup}"
	exit 1
}

is() { # WHAT GOT WANTED
	[ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}

like() { # WHAT GOT EXTENDED-REGULAR-EXPRESSION
	[[ $2 =~ $3 ]] || fail "$1: got '$2', wanted something like '$3'"
}

at_least() { # WHAT GOT MINIMUM
	[[ $2 =~ ^-?[0-9]+$ ]] && [ "$2" -ge "$3" ] || fail "$1: got '$2', wanted $3 or more"
}

at_most() { # WHAT GOT MAXIMUM
	[[ $2 =~ ^-?[0-9]+$ ]] && [ "$2" -le "$3" ] || fail "$1: got '$2', wanted $3 or less"
}

# timed at_most|at_least WHAT GOT LIMIT: prints a duration, or a value that depends on one. Checks
# it only on a machine that is known to be idle: ./dev bench times.
timed() {
	printf '    %s: %s (idle machine: %s %s)\n' "$2" "$3" "${1/_/ }" "$4"
	[ -z "${DCB_TIMED-}" ] || "$@"
}

same() { # WHAT FILE FILE
	local difference
	difference=$(diff -- "$2" "$3" | head -n 10)
	[ -z "$difference" ] || fail "$1:"$'\n'"$difference"
}

# skip REASON: marks the current test as skipped.
skip() {
	printf '    skipped: %s\n' "$*"
	skipped=yes
}

# run_tests: runs every function test_... of the script, in the order of their definition. With dcb.so
# it leaves out those of $subagent_tests, which a script sets: they are about dcb-agentx itself.
subagent_tests=()
run_tests() {
	local names start
	mapfile -t names < <(sed -n 's/^\(test_[a-z0-9_]*\)().*/\1/p' "$0")
	if $by_module; then
		mapfile -t names < <(printf '%s\n' "${names[@]}" | grep -vxF -f <(printf '%s\n' "${subagent_tests[@]}" -))
	fi
	for current in "${names[@]}" programs_end_well; do
		case_failed='' skipped='' failures=0
		start=$EPOCHREALTIME
		printf '[ RUN      ] %s\n' "$current"
		"$current"
		printf '    %d ms\n' $(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
		if [ -n "$case_failed" ]; then
			failed_tests=$((failed_tests + 1))
			printf '[  FAILED  ] %s\n' "$current"
			tails
		elif [ -n "$skipped" ]; then
			printf '[  SKIPPED ] %s\n' "$current"
		else
			printf '[       OK ] %s\n' "$current"
		fi
	done
	unset current
	exit $((failed_tests > 0))
}

# The last test of every script: each program ends with status 0 at SIGTERM, no sanitizer has
# written a report, and the filter of system calls has refused nothing that a program needs.
programs_end_well() {
	local pattern='ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|: runtime error: '
	stop_all
	if grep -lE "$pattern" "$T"/*.log 2>/dev/null; then
		grep -hE -A 40 "$pattern" "$T"/*.log | head -n 200
		fail "sanitizer report"
	fi
	if grep -hE '(dcbd|dcb-agentx|dcb-exporter|dcb-lldp): .*Function not implemented' "$T"/*.log 2>/dev/null; then
		fail "a system call was refused: see lib/confine_lists.c"
	fi
}

tails() {
	local log
	for log in "${log_of[@]}"; do
		[ -s "$log" ] || continue
		printf -- '    ---- %s\n' "${log##*/}"
		tail -n 30 -- "$log" | sed 's/^/    /'
	done
}

# shellcheck disable=SC2317 # called by the trap
at_exit() {
	local rc=$? name
	trap - EXIT
	trap '' INT TERM HUP
	for name in "${!pid_of[@]}"; do kill -KILL "${pid_of[$name]}" 2>/dev/null; done
	[ -z "${current-}" ] || tails
	if [ -n "${DCB_KEEP-}" ]; then
		mkdir -p "$DCB_KEEP" && cp -r $T/. "$DCB_KEEP"
	fi
	[ -z "${on_disk-}" ] || rm -rf "$on_disk"
	exit $rc
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- time ------------------------------------------------------------------------------

exec {never}<> <(:) # never readable: "read -t" on it sleeps without a process
pause() { read -rt "$1" -u "$never" _; }

# clock: the system time in milliseconds, in $now.
clock() { now=$((${EPOCHREALTIME/./} / 1000)); }

# crowd: the processes that want a processor, for each processor of the machine, in $crowd; at least 1.
crowd() {
	local load
	read -r load _ </proc/loadavg
	crowd=$((${load%.*} / processors))
	[ $crowd -gt 0 ] || crowd=1
}
processors=$(nproc)

# wait_for SECONDS WHAT COMMAND...: polls until the command succeeds; $waited gets the milliseconds. It polls
# every 20 ms at first, later after an eighth of the time since the start, at least twice a second: a command
# that starts a program takes processor time from others.
# SECONDS is the maximum on an idle machine. It is multiplied by $patience, and where other programs
# want the processors too, by the number of these.
wait_for() {
	local limit=$(($1 * patience * 1000)) what=$2 start crowd gap
	shift 2
	clock
	start=$now
	until "$@" >/dev/null 2>&1; do
		clock
		if [ $((now - start)) -ge $limit ] && crowd && [ $((now - start)) -ge $((limit * crowd)) ]; then
			waited=$((now - start))
			fail "$what: timeout after $((waited / 1000)) s"
			return 1
		fi
		gap=$(((now - start) / 8))
		[ $gap -ge 20 ] || gap=20
		[ $gap -le 500 ] || gap=500
		printf -v gap 0.%03d $gap
		pause "$gap"
	done
	clock
	waited=$((now - start))
}

# --- processes ---------------------------------------------------------------------------

declare -A pid_of=() log_of=() runs=()

# start NAME COMMAND...: starts a program in the background, with its output in a log. The kernel
# kills the program when the script ends.
start() {
	local name=$1
	shift
	[ -z "${pid_of[$name]-}" ] || die "$name is running"
	runs[$name]=$((${runs[$name]-0} + 1))
	log_of[$name]=$T/$name.${runs[$name]}.log
	setpriv --pdeathsig KILL -- "$@" >"${log_of[$name]}" 2>&1 </dev/null &
	pid_of[$name]=$!
}

running() { [ -n "${pid_of[$1]-}" ] && kill -0 "${pid_of[$1]}" 2>/dev/null; }
# gone PID: the process has ended, so its files and sockets are closed. A zombie counts: its parent
# may wait for it later.
gone() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	[[ ${stat##*) } == [ZX]* ]]
}

# stop NAME [SIGNAL]: sends the signal, TERM by default, and waits for the process and its children:
# lldpd's second process holds its socket. After TERM the status has to be 0, except of lldpd: its
# status is 1 if one of its two processes did not see the other end.
stop() {
	local pid=${pid_of[$1]-} rc child children=''
	[ -n "$pid" ] || return 0
	read -r children 2>/dev/null <"/proc/$pid/task/$pid/children"
	kill "-${2-TERM}" "$pid" 2>/dev/null || fail "$1 is not running"
	wait_for 10 "the end of $1" gone "$pid" || kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	rc=$?
	for child in $children; do wait_for 10 "the end of a child of $1" gone "$child"; done
	unset "pid_of[$1]"
	if [ "${2-TERM}" = TERM ] && [ $rc -ne 0 ] && [[ $1 != lldpd* ]]; then fail "$1 ended with status $rc"; fi
}

# while_stopped NAME COMMAND...: runs the command while the program is stopped by SIGSTOP. All that
# the command sends is queued when the program continues, even if the command is slow.
while_stopped() {
	local rc
	kill -STOP "${pid_of[$1]}"
	wait_for 5 "$1 is stopped" is_stopped "${pid_of[$1]}"
	"${@:2}"
	rc=$?
	kill -CONT "${pid_of[$1]}"
	return $rc
}
is_stopped() { ! grep -h '^State:' "/proc/$1"/task/*/status | grep -qv 'T (stopped)'; }

stop_all() {
	local name
	# Clients before servers, so that they do not see a connection fail.
	for name in agentx dcbd snmpd; do stop $name; done
	for name in "${!pid_of[@]}"; do stop "$name"; done
}

# has_filter: this build filters the system calls of the daemons.
has_filter() { grep -q '^S\["WITH_SECCOMP_TRUE"\]=""' "$build/config.status"; }

# logged NAME REGEX: a line of the program's log matches. Without a process while the log is short, because wait_for
# calls it often.
logged() {
	local line lines
	mapfile -tn 60 lines <"${log_of[$1]}" || return
	for line in "${lines[@]}"; do
		! [[ $line =~ $2 ]] || return 0
	done
	[ ${#lines[@]} -ge 60 ] && grep -qE -- "$2" "${log_of[$1]}"
}

# --- interfaces ----------------------------------------------------------------------------

quiet_ipv6() { # keeps neighbor discovery out of the counted frames
	echo 1 2>/dev/null >/proc/sys/net/ipv6/conf/default/disable_ipv6 || true
	echo 1 2>/dev/null >/proc/sys/net/ipv6/conf/all/disable_ipv6 || true
}
quiet_ipv6

on() { # HOST COMMAND...
	nsenter --net="/run/netns/$1" -- "${@:2}"
}

# new_address: puts a random MAC address, unicast and locally administered, into $address. One in
# four has printable octets only: SNMP tools print such octets as text.
new_address() {
	local i octet least=0 values=256
	[ $((RANDOM % 4)) -gt 0 ] || least=33 values=94
	while :; do
		printf -v address %02x $((RANDOM % values + least))
		[ $((16#$address & 3)) -ne 2 ] || break
	done
	for ((i = 1; i < 6; i++)); do
		printf -v octet %02x $((RANDOM % values + least))
		address+=:$octet
	done
}

# host NAME PORT: makes a namespace NAME with an interface eth0, which a veth pair links to our
# interface PORT.
host() {
	local address ours
	ip netns add "$1" || die "no namespace $1"
	on "$1" bash -c "$(declare -f quiet_ipv6); quiet_ipv6; ip link set lo up"
	new_address
	ours=$address
	new_address
	ip link add "$2" address "$ours" type veth peer name eth0 address "$address" netns "$1" ||
		die "no veth pair to $1"
	ip -n "$1" link set eth0 up
	ip link set "$2" up
}

# ifindex NAME: the interface's ifIndex from the kernel.
ifindex() { ip -o link show dev "$1" | cut -d: -f1; }

# --- the managed objects, by SNMP --------------------------------------------------------

# shellcheck source=tests/system/snmp.sh
. "${BASH_SOURCE[0]%/*}/snmp.sh"

# --- the programs ------------------------------------------------------------------------------------

# module_lines: the lines of snmpd.conf by which snmpd serves dcbd's objects itself. $module_wait: for
# tests of the time limits, milliseconds.
module_lines() {
	echo "dlmod dcb $build/dcb.so"
	echo "dcbSocket $T/control"
	echo "dcbTimeout ${module_wait-$agentx_wait}"
}

# snmpd_program: puts the words that start snmpd into $snmpd_program. The runtime of a sanitizer has
# to be in a program from its start, so it is preloaded for a module that was built with one.
snmpd_program() {
	local runtime
	snmpd_program=(snmpd)
	if $by_module && grep -q -- '-fsanitize=address' "$build/config.status"; then
		runtime=$(ldd "$build/dcb.so" | sed -nE 's/.*libasan[^ ]* => ([^ ]+).*/\1/p')
		# clang links its runtime to programs only, not to a shared library.
		[ -n "$runtime" ] || runtime=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so")
		[ -e "$runtime" ] || die "no runtime of AddressSanitizer for $build/dcb.so"
		# LeakSanitizer would report what snmpd itself leaves at its end.
		snmpd_program=(env LD_PRELOAD="$runtime" ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" snmpd)
	fi
}

# start_snmpd [LINE...]: starts snmpd with these additional lines in its configuration. For another
# one beside it set $snmpd_name, $agent and $agentx_socket. $snmpd_level: least severe messages to log;
# $snmpd_modules: those that it has, or has not.
snmpd_name=snmpd
start_snmpd() {
	local snmpd_program lines=''
	snmpd_program
	! $by_module || lines=$(module_lines)
	mkdir -p "$T/snmp/$snmpd_name"
	cat >"$T/$snmpd_name.conf" <<-END
		agentaddress udp:$agent
		master agentx
		agentXSocket ${agentx_socket-unix:$T/master}
		agentXTimeout $((agentx_wait / 1000 + 1))
		agentXRetries 0
		createUser rw1 SHA-256 "authpass1" AES "privpass1"
		rwuser rw1 priv -V all
		view all included .1
		rocommunity public 127.0.0.1 -V all
		rwcommunity private 127.0.0.1 -V all
		$lines
		$(printf '%s\n' "$@")
	END
	SNMP_PERSISTENT_DIR=$T/snmp/$snmpd_name start "$snmpd_name" "${snmpd_program[@]}" -f -LE "${snmpd_level-w}" \
		-C -c "$T/$snmpd_name.conf" -I "${snmpd_modules--smux,mteTrigger,mteTriggerConf}" -p "$T/$snmpd_name.pid"
	wait_for 10 "snmpd answers" snmpget -v2c -c public -t 0.2 -r 0 $agent 1.3.6.1.2.1.1.3.0 ||
		die "snmpd does not answer"
}

# The line of each dcbd.conf by which dcbd takes no real time, which it would take from this script and from
# other tests. Tests of real time have it empty; privileges.sh has the default as well.
no_real_time='dataplane = { priority = 0; };'
[[ ${0##*/} != *real_time* ]] || no_real_time=

# dcbd_conf LINE...: writes dcbd.conf of these lines and the lines that all tests have. dcbd stays
# root, unless a line sets the user: the user of an installation may not exist, nor have access to
# the build tree and to /dev/net/tun. privileges.sh has the default.
dcbd_conf() {
	{
		printf '%s\n' "$@"
		[[ " $*" =~ [^_a-z]user\ = ]] || echo 'user = "root";'
		[[ " $*" =~ [^_a-z]dataplane\ = ]] || echo "$no_real_time"
		printf 'state_file = "%s";\ncontrol = { socket = "%s"; view = "%s"; };\n' \
			"${state-$T/state/state}" $T/control $T/view
	} >$T/dcbd.conf
}

start_dcbd() { # [OPTION...]
	start dcbd "$build/dcbd" -c $T/dcbd.conf "$@"
	wait_for 20 "dcbd is up" dcbd_up || die "dcbd does not start"
	running dcbd || die "dcbd has ended"
	start_reader
}
# For ThreadSanitizer a client reads all tables over the view socket in all tests.
start_reader() {
	! grep -q -- '-fsanitize=thread' "$build/config.status" || running reader ||
		start reader "$build/tests/system/mo_probe" walk $T/view
}
dcbd_up() { logged dcbd 'version .* ports' || ! running dcbd; }

# in_force: the dataplane uses all settings that were set before the call.
in_force() {
	local generations
	mapfile -t generations < <("$build/tests/system/mo_probe" get $T/control \
		dcbEngineConfigPublished.0 dcbEngineConfigAdopted.0)
	[ ${#generations[@]} -eq 2 ] && [ "${generations[0]}" = "${generations[1]}" ]
}

start_agentx() { # [OPTION...]
	start agentx "$build/dcb-agentx" -x "${agentx_socket-unix:$T/master}" -c $T/control -T $agentx_wait "$@"
	wait_for 10 "dcb-agentx serves its objects" served || die "dcb-agentx does not serve its objects"
}
start_agent() { # dcb-agentx; the module started with snmpd
	if $by_module; then
		wait_for 10 "dcb.so serves its objects" served || die "dcb.so does not serve its objects"
	else
		start_agentx
	fi
}
# others_are_served: some seconds after the end of dcbd its objects do not exist, so that those beside
# them in a request, and behind them in a walk, have values.
others_are_served() {
	local role=${O[dcbAgentRole]}.0 uptime=1.3.6.1.2.1.1.3.0
	wait_for 10 "no objects" eval "[[ \$(snmpget ${v2c[*]} $agent $role 2>&1) =~ 'No Such Object' ]]"
	like "GET beside sysUpTime" "$(snmpget "${v2c[@]}" $agent $uptime $role 2>&1 | tr '\n' ' ')" \
		'Timeticks: .*No Such Object available'
	snmpwalk "${v2c[@]}" -On $agent 1.3.6.1.4.1 >$T/enterprises 2>&1
	! grep genError $T/enterprises || fail "the walk of enterprises ends there"
	! grep "^\.$AGENT\." $T/enterprises || fail "there are objects without dcbd"
	at_least "objects of others" "$(wc -l <$T/enterprises)" 20
}
# served: dcb-agentx answers for dcbd, and the master has registered each of its roots: an instance
# that does not exist is noSuchInstance below a root, noSuchObject elsewhere.
served() {
	local names=("${O[dcbAgentRole]}.0") name values
	local wanted='^[1-3] (No Such Instance currently exists at this OID ){5}$'
	for name in ieee8021CnCpQueueSizeSetPoint ieee8021PfcRequests lldpV2Xdot1LocCNPVIndicators dot1dBasePort dot1qTpFdbPort; do
		names+=("${O[$name]}.0")
	done
	values=$(snmpget "${v2c[@]}" -t 1 -Oqv $agent "${names[@]}" 2>&1 | tr '\n' ' ')
	[[ $values =~ $wanted ]]
}

# start_all LINE-OF-DCBD-CONF...
start_all() {
	dcbd_conf "$@"
	start_dcbd
	start_snmpd
	start_agent
}

restart_dcbd() { # [SIGNAL]
	stop dcbd "${1-TERM}"
	start_dcbd
	wait_for 10 "dcb-agentx serves its objects again" served
}
