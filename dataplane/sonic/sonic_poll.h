/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what changes at any time: states of links, counters. For one thread. */
#ifndef DCB_SONIC_SONIC_POLL_H
#define DCB_SONIC_SONIC_POLL_H

#include "dataplane/sonic/sonic_rows.h"
#include "dataplane/sonic/sonic_snapshot.h"

#define SONIC_STAMP_OCTETS 24

/* A port whose counters are read. */
struct sonic_polled {
	struct sonic_port port;
	struct sonic_oids oids;
};

/* Values that syncd writes when it has polled a group; empty: none. */
struct sonic_stamps {
	char of[SONIC_GROUPS][SONIC_STAMP_OCTETS];
};

struct sonic_poll;

/*
 * Prepares the commands for n ports, which keep their oids, as the snapshot does its rows, as long
 * as the result is used. NULL: out of memory.
 */
struct sonic_poll *sonic_poll_new(const struct sonic_instance_conf *conf,
				  const struct sonic_snapshot *s,
				  struct sonic_polled *const ports[], unsigned n);
void sonic_poll_free(struct sonic_poll *p);

/* These return false, and sonic_poll_error() says why; values that they have set are then no whole.
 */
const char *sonic_poll_error(const struct sonic_poll *p);
/* *changed: a state of a link is not that of the snapshot. */
bool sonic_poll_links(struct sonic_poll *p, struct sonic_db *appl, bool *changed);
/* Sets what SAI has got. */
bool sonic_poll_asic(struct sonic_poll *p, struct sonic_db *asic);
/*
 * Sets the counters that change often. *changed: the names of ports are not those of the snapshot,
 * and the counters may be those of other objects.
 */
bool sonic_poll_often(struct sonic_poll *p, struct sonic_db *counters, struct sonic_stamps *stamps,
		      bool *changed);
/* Sets those that syncd polls at intervals of 10 s and more, and queues without watchdog. */
bool sonic_poll_rarely(struct sonic_poll *p, struct sonic_db *counters);

#endif
