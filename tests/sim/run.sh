#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh SCENARIO: its assertions hold with five seeds, or as many as $DCB_SIM_SEEDS says.
set -e
case $1 in
*/leaf-spine-128.scn) seeds=1 ;; # a test of size, which takes as long as the others with five seeds
*/trill-campus-16.scn) seeds=3 ;;
*/trill-campus-2048.scn) seeds=2 ;; # a seed takes four seconds
*) seeds=5 ;;
esac
exec "$DCB_BUILDDIR/dcbsim" --quiet --seeds "${DCB_SIM_SEEDS:-$seeds}" --jobs 2 "$1"
