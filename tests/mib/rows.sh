#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Rows of mibs/*.def, MIB modules and facts agree. MIBS: directory of the modules.
set -eu
mibs=${MIBS:-$DCB_SRCDIR/mibs}
exec "$DCB_BUILDDIR/tests/mib/check_mibs" "$DCB_SRCDIR/mibs/base:$mibs" "$DCB_SRCDIR/tests/mib/facts"
