/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state file keeps settings over restarts (12.21, 12.23). It identifies an
 * interface by ifAlias or ifName. A new file is written, synchronized, and exchanged
 * with the former one; its last line is a checksum. Control thread only.
 *
 *   version = 1;
 *   objects = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
 *               { object = "ieee8021CnCpQueueSizeSetPoint"; index = "1.*.3"; alias = "spine 1";
 *                 value = "30000"; } );
 *   crc32 = "89abcdef";
 *
 * Only values that differ from their defaults are written. "*" is in the place of the
 * ifIndex.
 */
#ifndef DCB_CONTROL_PERSIST_H
#define DCB_CONTROL_PERSIST_H

#include "control/conf/conf.h"
#include "control/managed/managed.h"

/*
 * Writes the settings of config and of absent interfaces. Returns 0 when they are on disk,
 * or an errno: the file then has its former content. If that cannot be restored, because
 * the directory cannot be written any more, a message says so.
 */
int persist_save(const struct managed *m, const struct dcb_config *config, const char *path);

enum persist_result {
	PERSIST_LOADED,
	PERSIST_NONE,    /* there is no state file */
	PERSIST_DAMAGED, /* err is "file:line: reason"; no setting was applied */
	PERSIST_FAILED,  /* the file cannot be read; err is "file: reason" */
};

/*
 * Reads the state file and publishes its settings. The settings of an absent interface
 * are deleted and this is logged (12.21); with keep_absent they wait for the interface.
 */
enum persist_result persist_load(struct managed *m, const char *path, bool keep_absent, char *err,
				 size_t errlen);

/* Renames a damaged file and writes its new name to aside. Returns 0, or an errno. */
int persist_set_aside(const char *path, char *aside, size_t size);

/*
 * Publishes dcbd.conf's initial settings, for a system without a state file. Returns
 * false if one of them fails: err is "line N: initial: reason", and none is applied.
 */
bool persist_initial(struct managed *m, const struct conf *conf, char *err, size_t errlen);

#endif
