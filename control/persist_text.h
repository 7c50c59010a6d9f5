/* SPDX-License-Identifier: BSD-3-Clause */
/* Indexes, ports and the checksum in the text of the state file, for the files persist*.c. */
#ifndef DCB_CONTROL_PERSIST_TEXT_H
#define DCB_CONTROL_PERSIST_TEXT_H

#include "control/managed/managed.h"
#include "control/objects/mo_bind.h"

/*
 * Version of the files that dcbd writes. Those of version 1 are read too: there
 * ieee8021PfcLinkDelayAllowance did not count while dcbPfcHeadroomChoice was automatic.
 */
#define PERSIST_VERSION 2

/* Formats an index as "1.*.3", with "*" in the place of the ifIndex. */
void persist_index_format(enum mo_table_id table, const struct mo_index *index, char *buf,
			  size_t size);

/*
 * Parses an index in this format. The ifIndex becomes 0; *has_port: the table has an
 * ifIndex in its index. Returns false if text is not an index of this table.
 */
bool persist_index_parse(enum mo_table_id table, const char *text, struct mo_index *index,
			 bool *has_port);

/* Returns the port with this alias or name in the state file. NULL: its interface is absent. */
const struct port *persist_port(const struct managed *m, const char *key, bool is_alias);

/* Appends the checksum line to a text from malloc. false: out of memory, text unchanged. */
bool persist_add_checksum(char **text, size_t *len);

/* Returns whether the last line is the checksum of the others. *line: its line number. */
bool persist_has_checksum(const char *text, size_t len, unsigned *line);

#endif
