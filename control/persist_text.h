/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of the state file: what persist.c writes and persist_load.c reads. */
#ifndef DCB_CONTROL_PERSIST_TEXT_H
#define DCB_CONTROL_PERSIST_TEXT_H

#include "control/objects/mo_bind.h"

#define PERSIST_VERSION 1

/* "1.*.3": a star in the place of the ifIndex. */
void persist_index_format(enum mo_table_id table, const struct mo_index *index, char *buf,
			  size_t size);

/*
 * The reverse; the ifIndex is left 0 and *has_port says whether there is one.
 * false: not an index of this table.
 */
bool persist_index_parse(enum mo_table_id table, const char *text, struct mo_index *index,
			 bool *has_port);

/* Append the checksum line to a text from malloc. false: out of memory, the text is as it was. */
bool persist_seal(char **text, size_t *len);

/* Does the last line's checksum fit the rest? *line: the number of the last line. */
bool persist_sealed(const char *text, size_t len, unsigned *line);

#endif
