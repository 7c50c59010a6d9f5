/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue of events to dcbd, at most one for each neighbor: a later event replaces an
 * earlier one in its place, so that the queue is bounded by the number of neighbors if
 * dcbd does not read.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_OUTBOX_H
#define DCB_LLDP_PROCESS_LLDP_OUTBOX_H

#include "lldp/process/lldp_msg.h"

struct lldp_outbox; /* NULL: empty */

/*
 * Queues an event. A STATE other than connected replaces all queued events. false: out of
 * memory.
 */
bool lldp_outbox_put(struct lldp_outbox **box, const struct lldp_msg *m);
/* Returns the octets of the first event, valid until the next call; 0: the queue is empty. */
size_t lldp_outbox_first(const struct lldp_outbox *box, const uint8_t **octets);
void lldp_outbox_drop_first(struct lldp_outbox **box);
void lldp_outbox_clear(struct lldp_outbox **box);

#endif
