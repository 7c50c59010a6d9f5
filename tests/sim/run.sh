#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh SCENARIO: its assertions hold with five seeds in a row. $DCB_SIM_SEEDS: with so many.
set -e
case $1 in
*/leaf-spine-128.scn) seeds=1 ;; # it is about size, and takes as long as five of the others
*) seeds=${DCB_SIM_SEEDS:-5} ;;
esac
exec "$DCB_BUILDDIR/dcbsim" --quiet --seeds "$seeds" "$1"
