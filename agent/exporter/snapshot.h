/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of dcbd at one time, for one answer: read page by page, so that other clients are served
 * between two pages, and kept as dcbd sends them until the answer is written. An answer never
 * has rows of an earlier one. Not for use by several threads.
 */
#ifndef DCB_AGENT_EXPORTER_SNAPSHOT_H
#define DCB_AGENT_EXPORTER_SNAPSHOT_H

#include "agent/exporter/collect.h"
#include "lib/mo/mo_client.h"

/*
 * Octets of all rows of a snapshot; 4096 ports with "full" need 70 MB. SERVER_ANSWERS_MAX snapshots
 * and the rest of the program fit in MemoryMax of dcb-exporter.service.
 */
#define SNAPSHOT_OCTETS_MAX  (96u << 20)
#define SNAPSHOT_PORT_OCTETS 32 /* longest name of a port with its zero */

struct snapshot_table {
	struct mo_page *pages; /* in ascending order of their rows */
	unsigned n_pages, room;
};

struct snapshot {
	struct collect collect;
	struct snapshot_table tables[MO_TABLES];
	unsigned reading; /* table that is being read; MO_TABLES: all are read */
	size_t octets;    /* of all pages */
	size_t rows;      /* of all pages */
	uint32_t boot_id; /* of the dcbd that answered; 0: none yet */
	char error[256];  /* after SNAPSHOT_FAILED: the reason */
};

enum snapshot_status { SNAPSHOT_MORE, SNAPSHOT_DONE, SNAPSHOT_FAILED };

/* Begins a snapshot of these objects. Names of ports are always in it. */
void snapshot_init(struct snapshot *s, const struct collect *collect);
/*
 * Reads one page from dcbd, for at most the client's time limit. SNAPSHOT_FAILED: dcbd did not
 * answer, ended meanwhile, or has more rows than fit; nothing of the snapshot is to be used.
 */
enum snapshot_status snapshot_read(struct snapshot *s, struct mo_client *client);
void snapshot_free(struct snapshot *s);

/* Returns the name of a port; NULL: dcbd has no name for it. */
const char *snapshot_name(const struct snapshot *s, uint32_t ifindex,
			  char name[SNAPSHOT_PORT_OCTETS]);
/* Returns the name of a port, or its ifIndex in decimal if dcbd has no name for it. */
const char *snapshot_port(const struct snapshot *s, uint32_t ifindex,
			  char name[SNAPSHOT_PORT_OCTETS]);

#endif
