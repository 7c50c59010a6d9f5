/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters of frames that a port lost: dcbctl status and dcbctl watch show their sum.
 *
 * Choice: losses are frames that the port should have forwarded and could not. Frames discarded
 * for their contents (malformed, reserved address, VLAN) are no losses of a congested network.
 * Frames longer than dcbd's buffers are losses: a link of this MTU carries them.
 */
#ifndef DCB_AGENT_CLI_VIEW_LOSSES_H
#define DCB_AGENT_CLI_VIEW_LOSSES_H

#include <stddef.h>

#include "lib/mo/mo.h"

/* All rows of the port in the table count, as those of its priorities. */
struct losses_counter {
	enum mo_table_id table;
	const char *object;
};

extern const struct losses_counter losses_counters[];
extern const size_t losses_n;

#endif
