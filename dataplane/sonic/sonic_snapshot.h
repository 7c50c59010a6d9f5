/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the tables of an instance into memory. For one thread. */
#ifndef DCB_SONIC_SONIC_SNAPSHOT_H
#define DCB_SONIC_SONIC_SNAPSHOT_H

#include "dataplane/sonic/sonic_db.h"
#include "dataplane/sonic/sonic_tables.h"

/* More is a failure: it would be no configuration of a switch. */
#define SONIC_SNAPSHOT_OCTETS (64 * 1024 * 1024)

struct sonic_snapshot;

/*
 * Reads all tables from the databases of an instance. The keys of CONFIG_DB are scanned; those of
 * APPL_DB, which also has all routes, only without before, a snapshot whose keys are read again.
 * NULL: err says why.
 */
struct sonic_snapshot *sonic_snapshot_read(struct sonic_db *const dbs[SONIC_DBS],
					   const struct sonic_instance_conf *conf,
					   const struct sonic_snapshot *before, char *err,
					   size_t errlen);
/* Returns the rows, valid as long as the snapshot. */
const struct sonic_rows *sonic_snapshot_rows(const struct sonic_snapshot *s);
void sonic_snapshot_free(struct sonic_snapshot *s);

#endif
