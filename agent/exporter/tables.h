/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of a snapshot as JSON, in the form of "dcbctl -j show", part by part.
 *
 * The code is dcbctl's.
 */
#ifndef DCB_AGENT_EXPORTER_TABLES_H
#define DCB_AGENT_EXPORTER_TABLES_H

#include "agent/exporter/snapshot.h"

struct evbuffer;

/* The place where the next part begins. Initially zero. */
struct tables {
	unsigned table, page, row;
	bool begun, any; /* the beginning of this table, or any table, is written */
};

/* Adds the beginning of the array of tables. */
void tables_begin(struct evbuffer *out);
/*
 * Adds rows of the snapshot to out, at least "octets" of them if there are as many. Returns whether
 * there is more. Exits with a message if out of memory, as dcbctl does.
 */
bool tables_write(struct tables *t, const struct snapshot *s, struct evbuffer *out, size_t octets);
/* Adds {"error": reason}. */
void tables_write_error(struct evbuffer *out, const char *reason);

#endif
