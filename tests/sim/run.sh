#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh SCENARIO: its assertions hold with five seeds, or as many as $DCB_SIM_SEEDS says.
set -e
case $1 in
*/leaf-spine-128.scn) seeds=1 ;; # a test of size, which takes as long as the others with five seeds
*/trill-campus-16.scn | */trill-campus-2048.scn)
	# Each seed has a process of its own: the second run of one uses ten times the memory of the
	# first, because it clears all tables of the stations. A seed with 2048 takes four seconds.
	case $1 in
	*-2048.scn) seeds=2 ;;
	*) seeds=3 ;;
	esac
	for seed in $(seq "${DCB_SIM_SEEDS:-$seeds}"); do
		echo "seed $seed"
		"$DCB_BUILDDIR/dcbsim" --quiet --seed "$seed" "$1"
	done
	exit
	;;
*) seeds=${DCB_SIM_SEEDS:-5} ;;
esac
exec "$DCB_BUILDDIR/dcbsim" --quiet --seeds "$seeds" "$1"
