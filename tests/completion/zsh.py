#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Completes words of dcbctl in an interactive zsh, with the completion of the build tree."""
import sys

import pexpect

SECONDS = 60

# The line before and after <Tab>.
CASES = (
    ("dcbctl monit", "dcbctl monitor "),
    ("dcbctl show dcbPortNam", "dcbctl show dcbPortName "),
    ("dcbctl show static_uni", "dcbctl show static_unicast "),
    ("dcbctl set dcbPfcPriorityEna", "dcbctl set dcbPfcPriorityEnable."),
    ("dcbctl set dcbPfcPriorityEnable.1.3 tr", "dcbctl set dcbPfcPriorityEnable.1.3 true "),
    ("dcbctl clear coun", "dcbctl clear counters "),
    ("dcbctl -s /nonexistent monit", "dcbctl -s /nonexistent monitor "),
    ("dcbctl -s monit", "dcbctl -s monitor "),
    ("dcbctl -p monit", "dcbctl -p monitor "),
    ("dcbctl --prett", "dcbctl --pretty "),
    ("dcbctl --Num", "dcbctl --Numeric "),
    ("dcbctl --stat", "dcbctl --statistics "),
    ("dcbctl -b /etc/passw", "dcbctl -b /etc/passwd"),
    ("dcbctl pfc sho", "dcbctl pfc show "),
    ("dcbctl pfc set de", "dcbctl pfc set dev "),
    ("dcbctl pfc set dev swp1 prio-p", "dcbctl pfc set dev swp1 prio-pfc "),
    ("dcbctl -w cp set dev swp1 prio 3 set-p", "dcbctl -w cp set dev swp1 prio 3 set-point "),
    ("dcbctl -s counters show dev swp1 rx-f", "dcbctl -s counters show dev swp1 rx-frames "),
    ("dcbctl cn show dev swp1 alt", "dcbctl cn show dev swp1 alternate-priority "),
    ("dcbctl cn se", "dcbctl cn set "),
    ("dcbctl headroom set dev swp1 cable-l", "dcbctl headroom set dev swp1 cable-length "),
    ("dcbctl headroom --spe", "dcbctl headroom --speed "),
    ("dcbctl storms sho", "dcbctl storms show "),
    ("dcbctl storms --tra", "dcbctl storms --trace "),
    ("dcbctl storms --trace pri", "dcbctl storms --trace prio "),
    ("dcbctl app add dev swp1 dscp", "dcbctl app add dev swp1 dscp-prio "),
    ("dcbctl clear --un", "dcbctl clear --undo "),
)


def main(build):
    zsh = pexpect.spawn("zsh", ["-f", "-i"], dimensions=(40, 160), timeout=SECONDS,
                        encoding="utf-8",
                        env={"TERM": "dumb", "LC_ALL": "C", "HOME": "/nonexistent",
                             "PATH": build + ":/usr/bin:/bin"})
    # The line before <Tab> stays, and a widget prints the buffer after it.
    zsh.sendline("unsetopt zle_bracketed_paste prompt_sp; PS1='> '; fpath=(%s/contrib/zsh $fpath); "
                 "autoload -Uz compinit && compinit -u -D; "
                 "print-buffer() { print -r -- \"<${BUFFER}>\"; BUFFER=''; }; zle -N print-buffer; "
                 "bindkey '^X' print-buffer; bindkey '^I' complete-word; echo rea''dy" % build)
    zsh.expect("ready")
    bad = False
    for typed, wanted in CASES:
        zsh.send(typed + "\t\x18")
        zsh.expect(r"<([^<>\r\n]*)>")
        if zsh.match.group(1) != wanted:
            print(f"zsh: {typed!r} became {zsh.match.group(1)!r}, expected {wanted!r}")
            bad = True
    zsh.close(force=True)
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
