#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A terminal for dcbctl.

  watch_screen.py COLUMNS LINES SECONDS COMMAND...   dcbctl watch, for watch.sh
  watch_screen.py lines COLUMNS COMMAND...           prints what COMMAND prints; the status is 1 if a
                                                     line is wider than the terminal

Prints "stop dcbd" and "start dcbd" when the test has to do so, "ok" at the end, and "expected ..." with
the screen if something is not on it within SECONDS.
"""
import signal
import sys
import termios
import time

import pexpect
import pyte


class Terminal:
    """Of type "screen": pyte does not know all control sequences of xterm."""

    def __init__(self, columns, lines, seconds, command):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.seconds = seconds
        self.raw = b""
        self.child = pexpect.spawn(command[0], command[1:], dimensions=(lines, columns),
                                   env={"TERM": "screen", "LC_ALL": "C", "PATH": "/bin"})

    def read(self):
        """Returns False at the end of the output."""
        try:
            data = self.child.read_nonblocking(65536, timeout=0.1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self.stream.feed(data)
        return True

    def wait(self, what, condition):
        end = time.monotonic() + self.seconds
        while not condition():
            if time.monotonic() > end or not self.read():
                print(f"expected {what}, on this screen:", *self.screen.display, sep="\n")
                self.child.close(force=True)
                sys.exit(1)

    def line(self, begin):
        """Returns the number of the line that begins so; None if there is none."""
        for y, text in enumerate(self.screen.display):
            if text.startswith(begin):
                return y
        return None

    def has(self, text):
        return any(text in line for line in self.screen.display)

    def cell(self, port, title):
        """Returns a port's text below a heading that is aligned to the right, and its color."""
        head, y = self.screen.display[1], self.line(port + " ")
        at = head.find(title)
        if y is None or at < 0:
            return "", ""
        end = at + len(title)
        text = self.screen.display[y][:end].split(" ")[-1]
        return text, self.screen.buffer[y][end - 1].fg

    def is_restored(self):
        """The program has left the alternate screen; the terminal edits lines, and echoes."""
        _, output, _, local, _, _, _ = termios.tcgetattr(self.child.child_fd)
        return (self.raw.find(b"\x1b[?1049l") > self.raw.find(b"\x1b[?1049h") >= 0 and
                local & termios.ICANON and local & termios.ECHO and output & termios.OPOST)

    def finish(self, what):
        end = time.monotonic() + self.seconds
        while self.read():
            if time.monotonic() > end:
                print("expected the end after", what)
                sys.exit(1)
        if not self.is_restored():
            print("expected the terminal as before after", what)
            sys.exit(1)
        self.child.close()


def watch(columns, lines, seconds, command):
    t = Terminal(columns, lines, seconds, command)
    t.wait("a paused port", lambda: t.cell("sw1", "PAUSE")[0].endswith("%"))
    t.wait("losses in red", lambda: t.cell("sw1", "LOSS/s")[0].strip("-. 0") != "" and
           t.cell("sw1", "LOSS/s")[1] == "red")
    t.wait("PFC frames in", lambda: float(t.cell("sw1", "PFCin")[0].strip(".-k") or 0) > 0)
    t.wait("a bar", lambda: "#" in t.screen.display[t.line("sw2 ") or 0])
    if columns >= 80:
        t.wait("PFC frames out", lambda: t.cell("sw2", "PFCout")[0].strip("-. 0") != "")
    t.wait("keys in the last line", lambda: t.screen.display[-1].startswith("q quit"))
    t.child.send("l")
    t.wait("the port with losses first", lambda: t.line("sw1 ") == 2)
    t.child.send("an")
    t.wait("all ports", lambda: t.line("sw2 ") == 3)
    t.child.send("/2")
    t.wait("the filter", lambda: t.screen.display[-1].startswith("filter: 2_"))
    t.wait("only sw2", lambda: t.line("sw2 ") == 2 and t.line("sw1 ") is None)
    t.child.send("\r")
    t.wait("keys again", lambda: t.screen.display[-1].startswith("q quit"))
    t.child.send("/\x1b")
    t.wait("both ports", lambda: t.line("sw1 ") == 2 and t.line("sw2 ") == 3)

    print("stop dcbd", flush=True)
    t.wait("dcbd does not answer", lambda: t.has("dcbd does not answer"))
    t.wait("the ports as they were", lambda: t.line("sw1 ") == 2)
    print("start dcbd", flush=True)
    t.wait("dcbd answers", lambda: not t.has("does not answer") and t.has("2 of 2 ports"))
    t.wait("rates of the new dcbd", lambda: t.cell("sw1", "PAUSE")[0].endswith("%"))

    t.screen.resize(12, 60)
    t.child.setwinsize(12, 60)
    t.wait("a width of 60", lambda: t.screen.display[-1].startswith("q quit") and
           t.screen.display[1].rstrip().endswith("RXbit/s"))
    t.child.send("q")
    t.finish("q")
    if t.child.exitstatus != 0:
        print("expected status 0 after q, not", t.child.exitstatus)
        sys.exit(1)

    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        t = Terminal(columns, lines, seconds, command)
        t.wait("ports", lambda: t.has("ports"))
        t.child.kill(number)
        t.finish(number.name)
        if t.child.signalstatus != number:
            print("expected the end by", number.name, "not", t.child.signalstatus)
            sys.exit(1)
    print("ok")


def lines(columns, command):
    child = pexpect.spawn(command[0], command[1:], dimensions=(24, columns), encoding="utf-8",
                          timeout=60)
    text = child.read()
    print(text)
    child.close()
    return max(len(line.rstrip("\r")) for line in text.split("\n")) > columns or child.exitstatus


if __name__ == "__main__":
    if sys.argv[1] == "lines":
        sys.exit(int(lines(int(sys.argv[2]), sys.argv[3:])))
    # A shell starts its background jobs with SIGINT ignored, and a child would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    watch(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
