/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of the state file and of dcbd.conf's initial settings, the list of varbinds that they
 * become, and those of a newer version, which are kept as they are. Control thread only.
 */
#ifndef DCB_CONTROL_PERSIST_RECORD_H
#define DCB_CONTROL_PERSIST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/conf/conf_read.h"
#include "control/managed/managed.h"
#include "control/objects/mo_read.h"

/* --- one record ---------------------------------------------------------------------------- */

struct persist_record {
	struct mo_varbind vb; /* with ifIndex 0 until persist_record_set_port() */
	bool has_port;
};

/* Parses a record. false: err says whether object, index or value is wrong and why. */
bool persist_record_parse(const char *object, const char *index, const char *value,
			  struct persist_record *r, char *err, size_t errlen);

/* Returns whether this version has no writable object of this name. */
bool persist_record_is_unknown(const char *object);

/* Sets the port of a record that has one. */
void persist_record_set_port(struct persist_record *r, uint32_t ifindex);

/* --- a growing list of varbinds -------------------------------------------------------------- */

/* All zero: empty. */
struct persist_batch {
	struct mo_varbind *vbs;
	unsigned *lines;
	size_t n, size;
	bool is_initial; /* checked as a SET; else settings that were in force before */
};

/* Adds a varbind of this line of the file. false: out of memory. */
bool persist_batch_add(struct persist_batch *b, const struct mo_varbind *vb, unsigned line);

/* Adds a record whose port is set. A static entry is created by its RowStatus. As above. */
bool persist_batch_record(struct persist_batch *b, const struct persist_record *r, unsigned line);

/* Removes the settings of one port. */
void persist_batch_drop_port(struct persist_batch *b, uint32_t ifindex);

/* Removes the rows of a table. Returns whether there were any. */
bool persist_batch_drop_table(struct persist_batch *b, enum mo_table_id table);

/* Removes the varbinds of a line, and with all_of_object those of the same object as vb. */
void persist_batch_drop(struct persist_batch *b, unsigned line, const struct mo_varbind *vb,
			bool all_of_object);

void persist_batch_free(struct persist_batch *b);

/* --- records of a newer version -------------------------------------------------------------- */

/* Records that are kept, while the state file is read. All zero: none. */
struct persist_keep {
	config_t file;
	config_setting_t *list; /* NULL: file is not initialized */
};

/*
 * Keeps a copy of a record of an unknown object, which has this name and is in this line of the
 * file at path, and logs the first one of each object. false: it has members that are no integers,
 * strings or booleans; or out of memory.
 */
bool persist_keep_record(struct persist_keep *k, const config_setting_t *group, const char *object,
			 const char *path, unsigned line);

/* Makes the records those that m saves beside its settings. false: out of memory. */
bool persist_keep_publish(struct persist_keep *k, struct managed *m);

void persist_keep_free(struct persist_keep *k);

#endif
