/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl clear counters: the values that counters had then, for the views of one user. dcbd's
 * counters go on, for managers and all other users.
 *
 * Choice: a restart of dcbd, or of the counters of a port (dcbPortCounterDiscontinuityTime), makes
 * the values void, because the counters begin at 0 then. JSON has the counters of dcbd: programs
 * must not depend on what a person has cleared.
 *
 * The values are in a file of the user, counters-BOOT_ID.json in the first of these directories
 * that exists and is the user's: $XDG_RUNTIME_DIR/dcbctl, /run/user/UID/dcbctl, ~/.cache/dcbctl.
 */
#ifndef DCB_AGENT_CLI_VIEW_BASELINE_H
#define DCB_AGENT_CLI_VIEW_BASELINE_H

#include <jansson.h>
#include <stdio.h>

#include "lib/mo/mo_client.h"

/* All zero at the start. */
struct baseline {
	uint32_t boot_id; /* of the dcbd that the file was looked for */
	json_t *cleared;  /* NULL: nothing is */
	json_t *since;    /* dcbPortCounterDiscontinuityTime of ports now, by ifIndex */
};

/*
 * Looks for a file for the dcbd that client is connected to, again if that has changed, and reads
 * when the counters of its ports began. Without a file, or if it cannot be read, nothing is
 * subtracted.
 */
enum mo_client_status baseline_begin(struct baseline *b, struct mo_client *client);
void baseline_end(struct baseline *b);
/* Returns when the counters were cleared, in seconds since 1970; 0: they were not. */
double baseline_time(const struct baseline *b);
/* Prints the line "counters since ..." if they were cleared. */
void baseline_print(const struct baseline *b, FILE *f);
/* Subtracts from the counters of a row: present bit i says that it has values[i]. */
void baseline_subtract(const struct baseline *b, const struct mo_table *table,
		       const struct mo_index *index, struct mo_value *values, uint64_t present);

#endif
