#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gen.sh [GENERATOR]: make snmp-0.21.yml and snmp-0.23.yml from generator.yml and
# our MIB modules. Both have to be committed; tests/mib/prometheus.sh compares.
# gen.sh --wrap: the one layout on standard input, the other on standard output.
set -eu
cd "$(dirname "$0")"

# Since 0.23 a module has no credentials: they are apart, and modules are one
# level down. The rest of a module has stayed the same.
wrap() {
	cat <<'END'
# SPDX-License-Identifier: BSD-3-Clause
# Module for snmp_exporter 0.23 and later. Made by gen.sh, not by hand.
auths:
  # Put your own here, above all if it is more than a reader.
  dcb_v2:
    version: 2
    community: public
modules:
END
	sed -e '/^#/d' -e 's/^./  &/'
}

if [ "${1:-}" = --wrap ]; then
	wrap
	exit
fi
MIBDIRS=$PWD/../../mibs/base:$PWD/../../mibs "${1:-prometheus-snmp-generator}" generate \
	--fail-on-parse-errors --log.level=warn -o snmp-0.21.yml
{
	echo '# SPDX-License-Identifier: BSD-3-Clause'
	echo '# Module for snmp_exporter up to 0.22 (Debian 12). Made by gen.sh, not by hand.'
	sed '/^#/d' snmp-0.21.yml
} >snmp.tmp
mv snmp.tmp snmp-0.21.yml
wrap <snmp-0.21.yml >snmp-0.23.yml
