#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mutation testing: changes one source line at a time and reports changes that no test detects.

A mutant is one change of one source line: an operator or a constant replaced, a
condition negated or made constant, a statement deleted, a return value changed. The
mutant is compiled. Then the unit tests, the fuzzers with their corpus and the short
scenarios whose programs contain the line run until one fails.

A mutant is not counted if it does not compile or compiles to the object code of the
original: the next one of the seed's sequence replaces it. The same seed, sources and
--files give the same mutants. The number in front of a mutant is its place in the
sequence, for --only.

The checkout is not modified. The directory --build gets a copy of it, built with
AddressSanitizer and UBSan as by ./dev test asan, and one more copy for each worker.
Tests that fail or are skipped with the unmodified sources are named and left out.
tests/system, tests/mib and tests/lint do not run.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True  # the checkout is not modified

from mutants import ROOT, Source, sequence  # noqa: E402

DEFAULT_FILES = [
    "lib/counter.h", "lib/deadlines.h", "lib/mo/*.c",
    "dataplane/core/*.[ch]", "lldp/dcb_tlv.c", "lldp/cn_defense.c", "lldp/dcbx.c",
    "dataplane/config/*.c", "dataplane/port/*.[ch]", "dataplane/station/*.[ch]",
    "control/objects/*.[ch]", "control/managed/*.c", "control/persist*.c",
    "control/event_watch.c", "control/mo_service.c",
]

TIMEOUT_FACTOR = 10  # times the duration of the test with the unmodified sources
TIMEOUT_LEAST_S = 10
QUICK_SCENARIO_S = 10  # scenarios that take longer are left out
MEMORY_LIMIT_MB = 3072  # resident memory: dcbsim reserves far more address space
FILE_LIMIT = 256 << 20

# --- the unmodified build ----------------------------------------------------

def tracked_files():
    try:
        names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"],
                               check=True, capture_output=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):  # a tarball
        names = []
        for folder, subfolders, files in os.walk(ROOT):
            subfolders[:] = [d for d in subfolders if not re.match(r"build|\.git|.*\.cache", d)]
            names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(n for n in names if n and os.path.isfile(os.path.join(ROOT, n)))


def digest(name):
    with open(os.path.join(ROOT, name), "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def single_links(program, command):
    """The command that links each program; of the program of several unit tests, one for each of these tests."""
    tests = re.findall(r"\S+/test_\w+\.o\b", command)
    if program != "tests/unit/unit":
        return {program: command}
    rest = re.sub(r"\S+/test_\w+\.o\b", "", command)
    return {t[:-2]: re.sub(r" -o \S+", " -o %s %s" % (t[:-2], t), rest, count=1) for t in tests}


class Base:
    """The unmodified tree: the command for each object, and the objects in each test program."""

    def __init__(self, build, say):
        self.say = say
        self.top = os.path.join(build, "base")
        self.obj = os.path.join(self.top, "obj")
        self.log = os.path.join(self.top, "make.log")
        self.make()
        self.read_commands()
        self.read_links()

    def make(self):
        now = {name: digest(name) for name in tracked_files()}
        stamp = os.path.join(self.top, "stamp")
        old = {}
        if os.path.exists(stamp):
            with open(stamp, encoding="utf-8") as f:
                old = dict(reversed(line.rstrip("\n").split(" ", 1)) for line in f)
        changed = [n for n in now if now[n] != old.get(n)]
        gone = [n for n in old if n not in now]
        if old and not changed and not gone:
            return
        if not old or gone or any(n.endswith((".ac", ".m4")) for n in changed):
            shutil.rmtree(self.top, ignore_errors=True)
            changed = list(now)
        elif os.path.exists(stamp):
            os.unlink(stamp)
            for obj in set().union(*(self.including(n) for n in changed)):
                os.unlink(os.path.join(self.obj, obj))  # make does not track headers
        for name in changed:
            to = os.path.join(self.top, "src", name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), to)
        self.say("building the unmodified tree in %s" % self.top)
        os.makedirs(self.obj, exist_ok=True)
        if not os.path.exists(os.path.join(self.obj, "Makefile")):
            self.run("cd ../src && autoreconf -fi")
            self.run("../src/configure --disable-werror --disable-dependency-tracking"
                     " --enable-sanitizers CFLAGS='-O1 -g0 -MMD'")
        self.run("make V=1 -j2 all && make V=1 -j2 check TESTS=")
        with open(stamp, "w", encoding="utf-8") as f:
            f.writelines("%s %s\n" % (now[name], name) for name in sorted(now))

    def run(self, command):
        with open(self.log, "ab") as log:
            if subprocess.run(command, shell=True, cwd=self.obj, stdin=subprocess.DEVNULL,
                              stdout=log, stderr=log).returncode:
                sys.exit("%s: failed; see %s" % (command, self.log))

    def read_commands(self):
        self.compile, self.archive, self.link = {}, {}, {}
        with open(self.log, encoding="utf-8", errors="replace") as f:
            log = f.read().replace("\\\n", " ")
        for line in log.splitlines():
            match = re.search(r" -o (\S+)", line)
            if " -c " in line and match and match.group(1).endswith(".o"):
                self.compile[match.group(1)] = line
            elif line.startswith("ar cr "):
                words = line.split()
                for member in words[3:]:
                    self.archive[os.path.basename(member), words[2]] = member
            elif match and re.match(r"\S*(gcc|clang|cc)\S* ", line) and "conftest" not in line:
                self.link.update(single_links(match.group(1), line))

    def read_links(self):
        """Finds the objects that the linker takes from the archives for each program."""
        self.parts = {}
        for program, command in self.link.items():
            if not (program.startswith(("tests/unit/", "tests/fuzz/")) or program == "dcbsim"):
                continue
            trial = re.sub(r" -o \S+", " -o trial", command, count=1) + " -Wl,-t -Wl,-t"
            out = subprocess.run(trial, shell=True, cwd=self.obj, capture_output=True, text=True)
            if out.returncode:
                sys.exit("%s:\n%s" % (trial, out.stderr))
            parts = set(re.findall(r"(\S+\.o)\b", re.sub(r"\(.*", "", command)))
            parts = {p for p in parts if p in self.compile}
            for archive, member in re.findall(r"^\((\S+)\)(\S+\.o)$", out.stdout, re.M):
                if (member, archive) in self.archive:
                    parts.add(self.archive[member, archive])
            self.parts[program] = parts

    def including(self, path):
        """Returns the objects whose source includes this file, from the compiler's .d files."""
        found = set()
        for folder, _, files in os.walk(self.obj):
            for name in files:
                if not name.endswith(".d"):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    if "../src/" + path in f.read().split():
                        found.add(os.path.relpath(os.path.join(folder, name[:-1] + "o"), self.obj))
        return found

    def dependents(self, path):
        """Returns the objects compiled from this source file or header."""
        if path.endswith(".c"):
            return {o for o, c in self.compile.items() if c.endswith("`" + path)}
        return self.including(path) & set(self.compile)


# --- running tests -----------------------------------------------------------

class Test:
    def __init__(self, name, program, arguments=()):
        self.name = name
        self.program = program
        self.arguments = list(arguments)
        self.seconds = 0.0

    def limit(self):
        return max(TIMEOUT_LEAST_S, TIMEOUT_FACTOR * self.seconds)


def limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def resident_mb(pid):
    try:
        with open("/proc/%d/statm" % pid, encoding="ascii") as f:
            return int(f.read().split()[1]) * resource.getpagesize() >> 20
    except (OSError, IndexError):
        return 0


def run_test(test, top, limit):
    """Returns the exit status, None after the time limit. Kills all processes of the test."""
    obj = os.path.join(top, "obj")
    tmp = os.path.join(top, "tmp")
    os.makedirs(tmp, exist_ok=True)
    env = dict(os.environ, DCB_SRCDIR=os.path.join(top, "src"), DCB_BUILDDIR=obj, CC="gcc",
               NM="nm", CMOCKA_MESSAGE_OUTPUT="stdout", TMPDIR=tmp)
    # Without address randomization: some kernels map programs into AddressSanitizer's shadow.
    command = ["setarch", "-R", os.path.join(obj, test.program)] + test.arguments
    child = subprocess.Popen(command, cwd=obj, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True, preexec_fn=limits)
    end = time.monotonic() + limit
    try:
        while True:
            try:
                return child.wait(0.2)
            except subprocess.TimeoutExpired:
                if time.monotonic() > end:
                    return None
                if resident_mb(child.pid) > MEMORY_LIMIT_MB:
                    return "out of memory"
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()


def measure(test, top):
    start = time.monotonic()
    status = run_test(test, top, 300)
    test.seconds = time.monotonic() - start
    return status


def find_tests(base, workers, say):
    tests = []
    for program in sorted(base.parts):
        name = os.path.basename(program)
        if program.startswith("tests/unit/"):
            tests.append(Test(name, program))
        elif program.startswith("tests/fuzz/"):
            corpus = os.path.join(ROOT, "tests/fuzz/corpus", name[len("fuzz_"):])
            tests.append(Test(name, program,
                              [os.path.join(corpus, f) for f in sorted(os.listdir(corpus))]))
        else:
            folder = os.path.join(base.top, "src/tests/sim")
            tests += [Test(f, program, ["--quiet", "--seeds", "1", os.path.join(folder, f)])
                      for f in sorted(os.listdir(folder)) if f.endswith(".scn")]
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        statuses = list(pool.map(lambda test: measure(test, base.top), tests))
    usable = []
    for test, status in zip(tests, statuses):
        if status:
            say("left out, status %s with the unmodified sources: %s" % (status, test.name))
        elif test.program == "dcbsim" and test.seconds > QUICK_SCENARIO_S:
            say("left out, takes %.0f s: %s" % (test.seconds, test.name))
        else:
            usable.append(test)
    say("%d tests, %.0f s together" % (len(usable), sum(t.seconds for t in usable)))
    return usable


class Worker:
    """A copy of the tree in which one mutant at a time is built and tested."""

    def __init__(self, base, tests, longest, top):
        self.base, self.tests, self.longest, self.top = base, tests, longest, top
        self.obj = os.path.join(top, "obj")
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(base.top, top, symlinks=True,
                        ignore=shutil.ignore_patterns("tmp", "autom4te.cache"))

    def order(self, path):
        module = "test_" + os.path.splitext(os.path.basename(path))[0]

        def distance(test):
            return 0 if test.name == module else 1 if test.name.startswith(module + "_") else 2

        return sorted((t for t in self.tests if distance(t) < 2 or t.seconds <= self.longest),
                      key=lambda t: (distance(t), t.seconds))

    def command(self, command):
        return subprocess.run(command, shell=True, cwd=self.obj, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False).returncode == 0

    def same(self, name, extra=""):
        """Returns whether an object equals that of the unmodified tree."""
        pair = []
        for top in (self.top, self.base.top):
            with open(os.path.join(top, "obj", name + extra), "rb") as f:
                pair.append(f.read())
        return pair[0] == pair[1]

    def run(self, mutant):
        """Returns 'invalid', 'equivalent', 'survived' or the name of the test that failed."""
        path = os.path.join(self.top, "src", mutant.source.path)
        stale = self.base.dependents(mutant.source.path)
        altered = set()
        with open(path, "w", encoding="utf-8") as f:
            f.write(mutant.source.apply(mutant.change))
        try:
            return self.judge(mutant, stale, altered)
        finally:
            shutil.copy(os.path.join(self.base.top, "src", mutant.source.path), path)
            for name in altered:
                shutil.copy(os.path.join(self.base.obj, name), os.path.join(self.obj, name))
            for archive in {a for (_, a), o in self.base.archive.items() if o in altered}:
                shutil.copy(os.path.join(self.base.obj, archive), os.path.join(self.obj, archive))

    def judge(self, mutant, stale, altered):
        linked, affected = set(), stale
        stale = set(stale)
        for test in self.order(mutant.source.path):
            needed = self.base.parts[test.program] & affected
            for name in sorted(needed & stale):
                stale.discard(name)
                if not self.command(self.base.compile[name]):
                    altered.add(name)
                    return "invalid"
                if not self.same(name):
                    altered.add(name)
                    for (_, archive), member in self.base.archive.items():
                        if member == name:
                            self.command("ar r %s %s" % (archive, name))
            if not needed & altered:
                continue
            if test.program not in linked:
                if not self.command(self.base.link[test.program]):
                    return "invalid"
                linked.add(test.program)
            status = run_test(test, self.top, test.limit())
            if status is None:
                return test.name + " (time limit)"
            # A test that fails with the unmodified sources too has not detected the mutant.
            if status and run_test(test, self.base.top, 2 * test.limit()) == 0:
                return test.name
        if not altered or all(self.same_optimized(name) for name in altered):
            return "equivalent"
        return "survived"

    def same_optimized(self, name):
        """Compares objects compiled with -O2, which makes more equivalent mutants equal."""
        command = re.sub(r" -o (\S+)\.o ", r" -O2 -o \1.o2 ", self.base.compile[name])
        command = re.sub(r" -O1 | -fsanitize=\S+", " ", command)
        for obj in (self.obj, self.base.obj):
            subprocess.run(command, shell=True, cwd=obj, capture_output=True, check=True)
        return self.same(name[:-1] + "o2")


# --- main program ------------------------------------------------------------

class Run:
    def __init__(self, mutants, count, report):
        self.waiting = collections.deque(mutants)
        self.count, self.report = count, report
        self.done, self.busy = 0, 0
        self.changed = threading.Condition()
        self.failure = None

    def work(self, worker):
        try:
            while True:
                with self.changed:
                    # Start no mutant beyond count: the mutants of a seed must not depend on
                    # the number of workers.
                    while self.busy and self.done + self.busy >= self.count and not self.failure:
                        self.changed.wait()
                    if self.done >= self.count or not self.waiting or self.failure:
                        return
                    mutant = self.waiting.popleft()
                    self.busy += 1
                verdict = worker.run(mutant)
                with self.changed:
                    self.busy -= 1
                    if verdict not in ("invalid", "equivalent"):
                        self.done += 1
                    self.report(mutant, verdict)
                    self.changed.notify_all()
        except BaseException as failure:  # pylint: disable=broad-except
            with self.changed:
                self.failure = failure
                self.changed.notify_all()


def show(mutant):
    before, after = mutant.source.describe(mutant.change)
    return "%4d %s:%d: %s: %s -> %s" % (mutant.number, mutant.source.path, mutant.line,
                                        mutant.change.kind, before, after)


def percent(caught, total):
    return "%5.1f %%" % (100.0 * caught / total) if total else "    -"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="seed of the random choice (random)")
    parser.add_argument("--count", type=int, default=50, help="number of mutants to count (50)")
    parser.add_argument("--build", metavar="DIR", default=os.path.join(ROOT, "build", "mutate"),
                        help="build directory, kept for the next run (build/mutate)")
    parser.add_argument("--files", nargs="+", metavar="GLOB", default=DEFAULT_FILES,
                        help="files to change (%s)" % " ".join(DEFAULT_FILES))
    parser.add_argument("--every", action="store_true",
                        help="every change of a line, not a random one")
    parser.add_argument("--only", metavar="N,N...",
                        help="only the mutants with these numbers of the seed's sequence")
    parser.add_argument("--workers", type=int, default=2, help="mutants tested at the same time (2)")
    parser.add_argument("--longest", type=float, default=float("inf"), metavar="SECONDS",
                        help="leave out longer tests, except those named after the changed file")
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT",
                        help="exit status 1 if fewer mutants are caught")
    parser.add_argument("--list", action="store_true",
                        help="print the first --count mutants without building them")
    args = parser.parse_args()

    def say(text):
        print(text, flush=True)

    paths = [p for p in tracked_files() if any(fnmatch.fnmatch(p, g) for g in args.files)
             and p.endswith((".c", ".h"))]
    if not paths:
        parser.error("no such files: %s" % " ".join(args.files))
    seed = random.SystemRandom().randrange(1000000) if args.seed is None else args.seed
    mutants = sequence([Source(p) for p in paths], seed, args.every)
    say("seed %d: %d files, %d mutants in the sequence" % (seed, len(paths), len(mutants)))
    if args.only:
        numbers = {int(n) for n in args.only.split(",")}
        mutants = [m for m in mutants if m.number in numbers]
        args.count = len(mutants)
    if args.list:
        for mutant in mutants[:args.count]:
            say(show(mutant))
        return 0

    build = os.path.abspath(args.build)
    os.makedirs(build, exist_ok=True)
    base = Base(build, say)
    tests = find_tests(base, args.workers, say)
    total, caught = collections.Counter(), collections.Counter()
    replaced = collections.Counter()

    def report(mutant, verdict):
        if verdict in ("invalid", "equivalent"):
            replaced[verdict] += 1
            if args.only:
                say("%s: %s" % (show(mutant), verdict))
            return
        folder = os.path.dirname(mutant.source.path)
        total[folder] += 1
        if verdict != "survived":
            caught[folder] += 1
        say("%s: %s" % (show(mutant),
                        "SURVIVED" if verdict == "survived" else "caught by " + verdict))

    run = Run(mutants, args.count, report)
    workers = [Worker(base, tests, args.longest, os.path.join(build, "w%d" % i))
               for i in range(args.workers)]
    threads = [threading.Thread(target=run.work, daemon=True, args=(w,)) for w in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if run.failure:
        raise run.failure
    say("\nseed %d; not counted: %d that do not compile, %d with unchanged object code" %
        (seed, replaced["invalid"], replaced["equivalent"]))
    say("%-16s %7s %6s %7s" % ("folder", "mutants", "caught", "percent"))
    for folder in sorted(total):
        say("%-16s %7d %6d %s" % (folder, total[folder], caught[folder],
                                  percent(caught[folder], total[folder])))
    say("%-16s %7d %6d %s" % ("all", sum(total.values()), sum(caught.values()),
                              percent(sum(caught.values()), sum(total.values()))))
    return int(100.0 * sum(caught.values()) < args.least * sum(total.values()))


if __name__ == "__main__":
    sys.exit(main())
