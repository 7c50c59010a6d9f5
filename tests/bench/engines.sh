#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the engines without interfaces: per frame and message, MACsec, the RBridge, and the ring
# between two threads; and the rule at the ingress of a port.
#
#   engines.sh BUILD-DIR [--quick|--smoke]
# shellcheck source=tests/bench/lib.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib.sh"

[ $# -ge 1 ] || fail "usage: engines.sh BUILD-DIR [--quick|--smoke]"
bench=$1/tests/bench
operation=0.05 macsec=6 trill=6 elements=200000 ingress=20000 total=38 # seconds; elements of the ring; frames
case ${2-} in
'') ;;
--quick) operation=0.02 macsec=3 trill=3 elements=50000 ingress=5000 total=16 ;;
--smoke) operation=0.001 macsec=0.2 trill=0.1 elements=1000 ingress=64 total=2 ;;
*) fail "unknown option $2" ;;
esac
takes engines $total $total
"$bench/bench_core" $operation
echo
"$bench/bench_ring" $elements
echo
"$bench/bench_macsec" $macsec
"$bench/bench_trill" $trill
echo
"$bench/bench_ingress" $ingress
