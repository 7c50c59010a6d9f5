# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced after lib.sh: a snmptrapd and functions for the notifications that it has received. Start
# snmpd with "${trap_sink[@]}" as lines of its configuration.
command -v snmptrapd >/dev/null || skip_all "snmptrapd is not installed"

trap_port=1162
trap_sink=("trap2sink 127.0.0.1:$trap_port public")

# Writes a line for each notification: its varbinds as ".OID = TYPE: value", separated by blanks.
start_snmptrapd() {
	printf 'disableAuthorization yes\n' >$T/snmptrapd.conf
	start snmptrapd snmptrapd -f -n -a -A -C -c $T/snmptrapd.conf -On -Lf $T/traps \
		-F 'TRAP %v\n' udp:127.0.0.1:$trap_port
	wait_for 10 "snmptrapd listens" listens $trap_port || die "snmptrapd does not listen"
	: >>$T/traps
}
listens() { grep -qi ":$(printf %04X "$1") " /proc/net/udp; }

# traps NAME [PATTERN]: lines of this notification that match the pattern.
traps() {
	grep -aE "^TRAP .*\.1\.3\.6\.1\.6\.3\.1\.1\.4\.1\.0 = OID: \.${O[$1]//./\\.}([[:space:]]|\$)" $T/traps |
		grep -aE "${2-}" || true
}
count_traps() { traps "$@" | wc -l; }
has_traps() { [ "$(count_traps "$2" "${3-}")" -ge "$1" ]; } # COUNT NAME [PATTERN]

# trap_value LINE NAME: the value of this object in a line of traps.
trap_value() {
	sed -nE "s/.*\.${O[$2]//./\\.}\.[0-9.]+ = [A-Za-z0-9]+: ([0-9a-z()-]+).*/\1/p" <<<"$1"
}

forget_traps() { : >$T/traps; }
