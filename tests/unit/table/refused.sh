#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Rows that do not fit their structs or settings do not compile, and the compiler's message
# says why. Each case is test_table's three edits with one mistake.
set -eu
rows=$DCB_SRCDIR/tests/unit/table
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/mibs" "$tmp/control/objects" "$tmp/dataplane/config"
status=0

# try SED-SCRIPT MESSAGE: compile with SED-SCRIPT applied to the three edits and expect an
# error message that matches MESSAGE; if MESSAGE is "", expect no error.
try() {
	for file in mibs/agent.def control/objects/mo_rows.h dataplane/config/dcb_config.h; do
		from=$rows
		[ -e "$rows/$file" ] || from=$DCB_BUILDDIR/tests/unit/table
		sed "$1" "$from/$file" >"$tmp/$file"
	done
	rc=0
	: >"$tmp/log"
	for source in lib/mo/mo.c control/objects/mo_field.c control/objects/mo_settings.c; do
		$CC -std=gnu11 -fsyntax-only -iquote "$tmp" -I"$DCB_SRCDIR" -I"$DCB_BUILDDIR" \
			-include config.h "$DCB_SRCDIR/$source" >>"$tmp/log" 2>&1 || rc=1
	done
	if [ -z "$2" ] && [ $rc -eq 0 ]; then
		return
	fi
	if [ -z "$2" ] || [ $rc -eq 0 ] || ! grep -q "$2" "$tmp/log"; then
		echo "FAIL: with '$1' expected '$2', got:"
		head -20 "$tmp/log"
		status=1
	fi
}

try '' ''
# Mistakes in INDEX.
try '/^INDEX_PORT_PRIORITY(trial/d' 'MO_ROWS_OF_trial'
try '/^INDEX_PORT_PRIORITY(trial/s/.*/INDEX_SCALAR(trial) INDEX(trial, x, PRIORITY, 0, 7)/' \
	'trial: INDEX_SCALAR() is for scalar groups'
try '/^INDEX_PORT_PRIORITY(trial/s/.*/ROWS(trial, PORT_EACH)/' \
	'trial: INDEX_SCALAR() is for scalar groups'
# Mistakes in the table's settings.
try 's/PORT_EACH(trial)/PORT_EACH(trail)/' 'trail'
try 's/PORT_EACH(trial)/PORT_EACH(cp)/' 'trial_row.config is not of the type of port_config.cp\[\]'
try 's/trial\[DCB_PRIORITIES\]/trial[7]/' 'port_config.trial must have DCB_PRIORITIES elements'
try 's/PORT(trial_port)/PORT(refs)/' 'trial_port_row.config is not of the type of port_config.refs'
try 's/INDEX_PORT_PRIORITY(trial, ifIndex, .*/INDEX_PORT(trial, ifIndex)/' \
	'trial: PORT_EACH() does not fit its INDEX'
try 's/INDEX_PORT(trial_port, ifIndex)/INDEX_PORT_PRIORITY(trial_port, ifIndex, x)/' \
	'trial_port: PORT() does not fit its INDEX'
try 's/INDEX_PORT(trial_port, ifIndex)/INDEX_COMPONENT(trial_port, x)/' \
	'trial_port: PORT() does not fit its INDEX'
try 's/PORT_EACH(trial), CONFIG_ONLY/NONE, LOAD/' \
	'dcbTrialLimit: read-write in a table without settings'
try 's/struct trial_config config;/& uint32_t counter;/' 'trial_row has members besides config: use LOAD'
# Mistakes in columns.
try 's/config.enable/config.limit_ms/' 'dcbTrialEnable: the type of the field does not fit its syntax'
try 's/config.enable/config.enabled/' 'enabled'
try 's/DEFVAL(400)/FOLLOWS(config.limit_ms)/' '_Generic'
try 's/struct trial_config config;/struct trial_config config; char text[2048];/' \
	'trial_row is too large'
try 's/trial_action, drop, 3/trial_action, drop, 3) NAME(trial_action, drop, 4/' 'MO_trial_action_drop'
exit $status
