/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be set survives a restart (12.21, 12.23): one state file, keyed by
 * ifAlias or ifName, written whole to a temporary file, synchronised and
 * renamed over the old one, with a checksum in its last line.
 *
 *   version = 1;
 *   objects = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
 *               { object = "ieee8021CnCpQueueSizeSetPoint"; index = "1.*.3"; alias = "spine 1";
 *                 value = "30000"; } );
 *   crc32 = "89abcdef";
 *
 * Only what differs from its default is written. "*" stands where the ifIndex
 * of the interface belongs.
 */
#ifndef DCB_CONTROL_PERSIST_H
#define DCB_CONTROL_PERSIST_H

#include "control/conf/conf.h"
#include "control/managed/managed.h"

/* Write config's and the parked settings. 0 or an errno; the old file is then as it was. */
int persist_save(const struct managed *m, const struct dcb_config *config, const char *path);

enum persist_result {
	PERSIST_LOADED,
	PERSIST_NONE,    /* there is no state file */
	PERSIST_DAMAGED, /* err says "file:line: ..."; nothing was applied */
	PERSIST_FAILED,  /* cannot be read: err says why */
};

/*
 * Read the state file and publish what it says. Settings of interfaces that
 * are not there are dropped with a log line, as 12.21 demands, unless
 * keep_absent has them wait for the interface.
 */
enum persist_result persist_load(struct managed *m, const char *path, bool keep_absent, char *err,
				 size_t errlen);

/* Move a damaged file out of the way; its new name is left in aside. 0 or an errno. */
int persist_set_aside(const char *path, char *aside, size_t size);

/* dcbd.conf's initial settings, for a system without a state file. false: err says what is wrong.
 */
bool persist_initial(struct managed *m, const struct conf *conf, char *err, size_t errlen);

#endif
