#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every manual page is correct mdoc: mandoc reports no warning. dcbctl(8) has the keywords and the counters
# of lost frames of the rows.
if ! "${srcdir:-.}/contrib/regenerate.sh" --man "${DCB_BUILDDIR:-.}/dcbctl" | diff "${srcdir:-.}/man/dcbctl.8" -; then
	echo "man/dcbctl.8 differs: run contrib/regenerate.sh"
	exit 1
fi
command -v mandoc >/dev/null || { echo "mandoc is not installed"; exit 77; }
set -- "${srcdir:-.}"/man/*.[1-9] "${DCB_BUILDDIR:-.}"/man/dcb-messages.7
for page; do
	[ -s "$page" ] || { echo "$page: no manual page"; exit 1; }
done
exec mandoc -T lint -W warning "$@"
