#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs every fuzzer on the inputs in its corpus: known errors must not come back.
# The programs are built with fuzz_main.c or with libFuzzer. $DCB_RUN: a command
# that runs programs of another architecture.
set -eu

for program in $DCB_FUZZERS; do
	fuzzer=$(basename "$program")
	corpus=$DCB_SRCDIR/tests/fuzz/corpus/${fuzzer#fuzz_}
	program=$DCB_BUILDDIR/$program
	[ -x "$program" ] || {
		echo "$program: not built" >&2
		exit 1
	}
	set -- "$corpus"/*
	[ -f "$1" ] || {
		echo "$corpus: no inputs" >&2
		exit 1
	}
	echo "$fuzzer: $# inputs"
	# shellcheck disable=SC2086 # the command and its arguments
	${DCB_RUN-} "$program" "$@"
done
