#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages on a machine that boots: README's steps as they are written, neighbors with
# their own lldpd, SNMPv3, reboot, SIGKILL, upgrade, removal and purge. Then README's steps from source.
#
#   dcb-h1: eth0 === swp1 +------------------------------+ swp2 === eth0 :dcb-h2
#                         | dcb-sw: systemd, snmpd,      |
#   dcb-h3: eth0 === swp3 | lldpd, dcbd, dcb-agentx      |
#                         +------------------------------+
#
#   boot.sh               the packages in build/ci/packages, or $DCB_DEBS, in a container
#   boot.sh --installed   those of this machine; without reboot, upgrade, removal and purge
#
# The container's image is kept in build/ci/boot. Its packages are from the network, which the test
# itself does not have.
top=$(cd -- "$(dirname -- "$(readlink -f -- "$0")")/../.." && pwd)
image=${DCB_BUILDDIR:-$top/build}/ci/boot/root
packages=${DCB_DEBS:-${DCB_BUILDDIR:-$top/build}/ci/packages}
mapfile -t debs < <(compgen -G "$packages/*.deb" | grep -v -- '-dbgsym_')
if [ "${1-}" != --installed ] && [ -z "${DCB_SYSTEM_TEST-}" ] && [ "$(id -u)" -eq 0 ]; then
	[ ${#debs[@]} -gt 0 ] || { echo "boot.sh: no packages in $packages" >&2; exit 1; }
	"$top/tests/packages/image.sh" "$image" "${debs[@]}" || exit 1
fi
# shellcheck source=tests/system/lib.sh
. "$top/tests/system/lib.sh"
# shellcheck source=tests/system/lldp.sh
. "$src/tests/system/lldp.sh"
# shellcheck source=tests/packages/machine.sh
. "$src/tests/packages/machine.sh"

agent=127.0.0.1 # with snmpd's own port
drop_in=/etc/snmp/snmpd.conf.d/dcb-agent.conf
daemons=(dcbd dcb-agentx)
allowance=ieee8021PfcLinkDelayAllowance

# operator: the program "editor" of the machine makes the changes that README describes.
operator() {
	put_in /run/operator/editor <<-'END'
		#!/bin/sh
		# Called as "editor FILE" by the commands of README.
		set -e
		case $1 in
		*/dcbd.conf) # "list your interfaces in it"
			sed -i '/^interfaces = {/,/^};/d' "$1"
			printf 'interfaces = {\n\tinclude = [ "swp*" ];\n};\n' >>"$1"
			;;
		*/snmpd.conf) # "with createUser lines", which the example has in a comment
			sed -n 's/^# *\(createUser .*\)/\1/p' /etc/snmp/snmpd.conf.d/dcb-agent-users.conf >>"$1"
			;;
		*) echo "editor: README does not say how to edit $1" >&2; exit 1 ;;
		esac
	END
	inside chmod +x /run/operator/editor
}

# by USER LEVEL TOOL ARGUMENT...: SNMPv3 with the passphrases of the drop-in's comment.
declare -A auth=([dcbmon]=change-this-1 [dcbadm]=change-this-3) priv=([dcbmon]=change-this-2 [dcbadm]=change-this-4)
by() {
	on dcb-sw "$3" -v3 -u "$1" -l "$2" -a SHA-256 -A "${auth[$1]}" -x AES -X "${priv[$1]}" -t 10 -r 0 -Oqv "$agent" \
		"${@:4}" 2>&1
}
served() { [[ $(by dcbmon authPriv snmpget "${O[dcbAgentRole]}.0") =~ ^[12]$ ]]; }
wait_until_served() { wait_for 30 "dcb-agentx serves its objects $1" served || fail "$(journal_of dcb-agentx)"; }

# state FILE: all settings that differ from the defaults.
state() { inside dcbctl config --changed >"$1" 2>&1 || fail "dcbctl config: $(<"$1")"; }

# value_of OBJECT PORT
value_of() { inside dcbctl -j show "$1" "$(if_of dcb-sw "$2")" | jq -r '.. | .'"$1"'? // empty' | head -n 1; }

# cross WHAT [N]: TCP passes the bridge, between dcb-h2 and dcb-h1 or dcb-hN.
cross() {
	local n=${2-1}
	start iperf nsenter --net=/run/netns/dcb-h$n -- iperf3 --forceflush -s
	wait_for 10 "iperf3 listens" logged iperf listening
	wait_for 10 "$1: frames pass" on dcb-h2 timeout 20 iperf3 --connect-timeout 1000 -c 192.0.2.$n -n 1M
	kill "${pid_of[iperf]}" 2>/dev/null
	wait "${pid_of[iperf]}"
	unset "pid_of[iperf]"
}

in_domain() { # PORT: the mode of defense is interiorReady
	inside dcbctl show ieee8021CnPortPriAutoDefenseMode 1.3."$(if_of dcb-sw "$1")" | grep -q cptInteriorReady
}
# has_metrics: dcb-exporter, which its socket starts, reads the view socket of dcbd.
has_metrics() {
	local page
	page=$(on dcb-sw timeout 10 bash -c \
		'exec 3<>/dev/tcp/127.0.0.1/9921 && printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && cat <&3') &&
		grep -qx 'dcb_up 1' <<<"$page"
}
works_as_deployed() { # WHEN: all that the steps of README have brought about
	local port
	for daemon in "${daemons[@]}" snmpd lldpd; do
		wait_for 30 "$daemon runs $1" is_active $daemon || fail "$(journal_of $daemon)"
	done
	wait_until_served "$1"
	wait_for 10 "dcb-exporter answers $1" has_metrics || fail "$(journal_of dcb-exporter)"
	for port in swp1 swp2; do wait_for 30 "$port is in the domain $1" in_domain $port; done
	cross "$1"
}

# --- the machine and its neighbors -----------------------------------------------------------

make_machine
for n in 1 2 3; do
	node dcb-h$n
	cable dcb-sw swp$n dcb-h$n eth0
	ip -n dcb-h$n address add 192.0.2.$n/24 dev eth0
done
for n in 1 2; do
	start_lldpd dcb-h$n eth0
	# CN TLV: priority 3 is a CNPV and ready.
	lldp dcb-h$n configure lldp custom-tlv oui 00,80,c2 subtype 8 oui-info 08,08 || die "lldpd of dcb-h$n takes no TLV"
done
boot
operator
# ours: the project's packages.
if contained; then
	mapfile -t ours < <(for deb in "${debs[@]}"; do dpkg-deb -f "$deb" Package; done)
else
	mapfile -t ours < <(inside dpkg-query -W -f '${db:Status-Status} ${source:Package} ${Package}\n' |
		sed -n 's/^installed dcb-agent //p')
fi

test_readme() {
	local n=0
	readme "From packages" "Neighbors"
	while n=$((n + 1)) && [ -e $T/readme/$n ]; do
		if grep -q 'apt install' $T/readme/$n; then
			contained || continue
			! grep -q '\./dcb' $T/readme/$n || everything $T/before
		fi
		run_block $T/readme/$n
	done
	at_least "blocks of commands" $n 6
	[ -s $T/before ] || ! contained || die "no list of files before the packages"
}

# README names the port swp1 only.
test_bridge_of_readme_works() {
	works "CN TLV of swp2" dcbctl set lldpXdot1CnConfigCnTxEnable."$(if_of dcb-sw swp2)".1 true
	works_as_deployed "after the steps of README"
	wait_for 10 "dcb-h1 receives the CN TLV" eval 'heard dcb-h1 eth0 | grep -qx 8:0808'
}

# --- SNMP --------------------------------------------------------------------------------------

# cannot WHAT COMMAND...: the master refuses the request.
cannot() {
	local got
	got=$("${@:2}") && fail "$1: $got"
	like "$1" "$got" 'noAccess|authorizationError|Unsupported security level|Authorization'
}

test_users_of_snmp_have_their_view() {
	local port level root
	port=${O[$allowance]}.$(if_of dcb-sw swp3)
	is "GET by dcbmon" "$(by dcbmon authPriv snmpget "$port")" 0
	cannot "SET by dcbmon" by dcbmon authPriv snmpset "$port" u 7
	for level in authNoPriv noAuthNoPriv; do
		cannot "GET by dcbmon with $level" by dcbmon $level snmpget "$port"
		cannot "GET by dcbadm with $level" by dcbadm $level snmpget "$port"
		cannot "SET by dcbadm with $level" by dcbadm $level snmpset "$port" u 7
	done
	is "SET by dcbadm" "$(by dcbadm authPriv snmpset "$port" u 7)" 7
	is "the same object by dcbctl" "$(value_of $allowance swp3)" 7
	for root in $PFC $LLDP $CN "$AGENT"; do
		like "community public" "$(on dcb-sw snmpwalk -v2c -c public -t 10 -r 0 $agent "$root" 2>&1)" \
			'^[^ ]* = No (Such Object|more variables)'
	done
	like "community public, system" "$(on dcb-sw snmpget -v2c -c public -t 10 -r 0 -Oqv $agent 1.3.6.1.2.1.1.5.0 2>&1)" \
		"$machine_name"
}

# --- operators, pages, completions -------------------------------------------------------------

test_group_decides_who_sets() {
	local object
	object=$allowance.$(if_of dcb-sw swp3)
	works "a new user" useradd -m dcb-operator
	out=$(as dcb-operator dcbctl show port 2>&1) || fail "a user without group cannot read: $out"
	like "ports" "$out" swp3
	out=$(as dcb-operator dcbctl set "$object" 8 2>&1) && fail "a user without group has set: $out"
	is "value" "$(value_of $allowance swp3)" 7
	works "usermod" usermod -aG dcbd dcb-operator
	out=$(as dcb-operator dcbctl set "$object" 8 2>&1) || fail "a member of group dcbd cannot set: $out"
	is "value" "$(value_of $allowance swp3)" 8
	works "userdel" userdel -r dcb-operator
}

# installed PATTERN: files of the project's packages whose path matches.
installed() { inside dpkg -L "${ours[@]}" | grep -E -- "$1" | sort -u; }

test_every_program_has_a_page() {
	local program
	at_least "programs" "$(installed '/s?bin/[^/]+$' | wc -l)" 4
	for program in $(installed '/s?bin/[^/]+$' | sed 's,.*/,,') dcbd.conf; do
		works "page of $program" man -w "$program"
	done
}

test_shells_load_the_completions() {
	local file command
	at_least "completions" "$(installed '/(completions/[^/]+|vendor-completions/_[^/]+)$' | wc -l)" 1
	for file in $(installed '/bash-completion/completions/[^/]+$'); do
		command=${file##*/}
		works "bash" bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader "$0"; complete -p "$0"' "$command"
		like "bash completes $command" "$out" "-F [a-z_]+ $command"
	done
	for file in $(installed '/zsh/.*/_[^/]+$'); do
		command=${file##*/_}
		works "zsh" zsh -fc 'autoload -Uz compinit && compinit -D && echo "$_comps[$1]" && autoload +X "_$1"' zsh "$command"
		is "zsh completes $command" "$out" "_$command"
	done
}

# --- the keys of MACsec --------------------------------------------------------------------------

test_keys_are_a_credential() {
	works "copy" cp -p /etc/dcbd.conf /root/dcbd.conf
	works "key_file" sh -c 'printf "macsec = { key_file = \"/run/credentials/dcbd.service/dcbd.keys\"; };\n" >>/etc/dcbd.conf'
	inside systemctl restart dcbd 2>/dev/null && fail "dcbd starts without the file of the keys"
	like "journal" "$(journal_of dcbd)" 'dcbd.keys:1: expected "port INTERFACE"'
	put_in /etc/dcbd.keys <<-'END'
		port swp3
		mode data
		sci 02:00:00:00:00:01/1
		peer_sci 02:00:00:00:00:02/1
		key 0 000102030405060708090a0b0c0d0e0f
	END
	works "chmod" chmod 600 /etc/dcbd.keys
	works "start with keys" systemctl restart dcbd
	works "the row of the port" dcbctl show secy
	like "the row of the port" "$out" 'data'
	out=$(as daemon cat /run/credentials/dcbd.service/dcbd.keys 2>&1) && fail "another user reads the keys: $out"
	# The check of a reload reads them too.
	works "reload with keys" systemctl reload dcbd
	works "journal" journalctl --no-pager -q -u dcbd
	like "journal" "$out" 'dcbd: version '
	[[ $out != *000102030405* ]] || fail "a key is in the journal"
	works "file without keys" cp -p /root/dcbd.conf /etc/dcbd.conf
	works "rm" rm /etc/dcbd.keys /root/dcbd.conf
	works "start without keys" systemctl restart dcbd
	works_as_deployed "after a start without keys"
}

# --- what a machine goes through ------------------------------------------------------------------

test_reboot_keeps_all() {
	contained || { skip "not with --installed"; return; }
	state $T/state.1
	at_least "settings that are not the default" "$(wc -l <$T/state.1)" 4
	reboot_machine
	works_as_deployed "after a reboot"
	state $T/state.2
	same "settings after a reboot" $T/state.1 $T/state.2
}

is_new() { # UNIT PID: its main process is another one
	local pid
	pid=$(main_pid "$1")
	[ "$pid" -gt 0 ] && [ "$pid" != "$2" ] && is_active "$1"
}
# is_new_lldp PID: dcbd has started dcb-lldp again.
is_new_lldp() {
	local pid
	pid=$(inside pgrep -x dcb-lldp) && [ "$pid" != "$1" ]
}

test_killed_daemons_come_back() {
	local daemon pid
	state $T/state.1
	for daemon in "${daemons[@]}"; do
		pid=$(main_pid $daemon)
		works "kill $daemon" kill -9 "$pid"
		wait_for 20 "$daemon comes back" is_new $daemon "$pid" || fail "$(journal_of $daemon)"
	done
	pid=$(inside pgrep -x dcb-lldp)
	works "kill dcb-lldp" kill -9 "$pid"
	wait_for 20 "dcb-lldp comes back" is_new_lldp "$pid"
	works_as_deployed "after SIGKILL"
	state $T/state.2
	same "settings after SIGKILL" $T/state.1 $T/state.2
}

# repack: makes packages of a higher version, with the same files, in the machine.
repack() {
	local deb old at=$T/later
	for deb in "${debs[@]}"; do
		rm -rf $at
		old=$(dpkg-deb -f "$deb" Version)
		dpkg-deb -R "$deb" $at
		sed -i "s/^Version: .*/Version: $old+later/; s/(= $old)/(= $old+later)/g" $at/DEBIAN/control
		dpkg-deb -Znone -b $at $at.deb >/dev/null || die "cannot repack $deb"
		put_in "/root/later/${deb##*/}" <$at.deb
	done
	rm -rf $at $at.deb
}

test_upgrade_keeps_settings_and_edited_files() {
	local daemon
	local -A pid=()
	contained || { skip "not with --installed"; return; }
	repack
	works "an edited drop-in" sh -c "echo '# edited' >>$drop_in"
	inside cat /etc/dcbd.conf $drop_in >$T/edited.1
	state $T/state.1
	for daemon in "${daemons[@]}"; do pid[$daemon]=$(main_pid $daemon); done
	works "apt install" sh -c 'apt install /root/later/*.deb'
	is "versions" "$(inside dpkg-query -W -f '${db:Status-Status} ${Version}\n' "${ours[@]}" | grep -vc '^installed .*+later$')" 0
	for daemon in "${daemons[@]}"; do
		wait_for 20 "$daemon of the new package runs" is_new $daemon "${pid[$daemon]}" || fail "$(journal_of $daemon)"
	done
	works_as_deployed "after an upgrade"
	state $T/state.2
	same "settings after an upgrade" $T/state.1 $T/state.2
	inside cat /etc/dcbd.conf $drop_in >$T/edited.2
	same "edited files after an upgrade" $T/edited.1 $T/edited.2
	works "rm" rm -r /root/later
}

hears_no_cn() { # lldpd of dcb-h1
	local tlvs
	tlvs=$(heard dcb-h1 eth0) && ! grep -q ^8: <<<"$tlvs"
}
processes() { inside ps -e -o comm= | grep -E '^(dcbd$|dcb-)'; }

test_removal_keeps_settings() {
	contained || { skip "not with --installed"; return; }
	works "apt remove" apt remove "${ours[@]}"
	is "processes" "$(processes)" ''
	for file in /etc/dcbd.conf /var/lib/dcbd/state $drop_in; do works "$file is kept" test -s $file; done
	wait_for 20 "dcb-h1 receives no CN TLV" hears_no_cn
}

test_purge_leaves_nothing() {
	contained || { skip "not with --installed"; return; }
	local removed
	# apt knows no other package of a file.
	mapfile -t removed < <(inside dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${ours[@]}" 2>/dev/null |
		sed -n 's/^config-files //p')
	at_least "packages with files of configuration" ${#removed[@]} 2
	works "apt purge" apt purge "${removed[@]}"
	works "apt autoremove" apt autoremove --purge
	everything $T/after
	same "after purge" $T/before $T/after
	for daemon in snmpd lldpd; do is_active $daemon || fail "$daemon does not run: $(journal_of $daemon)"; done
	like "snmpd" "$(on dcb-sw snmpget -v2c -c public -t 10 -r 0 -Oqv $agent 1.3.6.1.2.1.1.5.0 2>&1)" dcb-sw
}

# --- from source -----------------------------------------------------------------------------------

# libraries: the packages on which those of the project depend.
libraries() {
	dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/[[:space:]]//g'
}

# The machine has no compiler: the build tree of this run is what its "./dev build" would make, and "make
# install" runs outside.
install_build() {
	is "README: build and install" "$(<"$1")" $'./dev build\nmake -C build install'
	make -s -C "$build" install DESTDIR=$root >$T/install.log 2>&1 || fail "make install: $(tail -n 5 $T/install.log)"
}

test_readme_from_source() {
	local n=0 needed
	contained || { skip "not with --installed"; return; }
	mapfile -t needed < <(for deb in "${debs[@]}"; do libraries "$deb"; done | sort -u | grep -vxF -f <(printf '%s\n' "${ours[@]}"))
	works "apt install" apt install "${needed[@]}"
	operator # /run is new since the reboot
	readme "From source"
	while n=$((n + 1)) && [ -e $T/readme/$n ]; do
		if grep -q 'make' $T/readme/$n; then
			install_build $T/readme/$n
		else
			run_block $T/readme/$n
		fi
	done
	is "blocks of commands" $((n - 1)) 6
	for daemon in "${daemons[@]}" snmpd lldpd; do
		wait_for 30 "$daemon runs" is_active $daemon || fail "$(journal_of $daemon)"
	done
	is "program of dcbd" "$(inside readlink "/proc/$(main_pid dcbd)/exe")" /usr/local/sbin/dcbd
	wait_until_served "from source"
	# The example gives untagged frames a CNPV: between neighbors that say they are ready they are tagged.
	cross "from source" 3
}

run_tests
