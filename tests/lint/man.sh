#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every manual page is correct mdoc: mandoc reports no warning.
command -v mandoc >/dev/null || { echo "mandoc is not installed"; exit 77; }
set -- "${srcdir:-.}"/man/*.[1-9]
[ -e "$1" ] || { echo "no manual pages in ${srcdir:-.}/man"; exit 1; }
exec mandoc -T lint -W warning "$@"
