/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that wait to be sent to dcbd, in order, at most one for each neighbor: a later
 * one takes the place of an earlier one, so that however much happens while dcbd
 * does not read, the memory is that of the neighbors there are.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_OUTBOX_H
#define DCB_LLDP_PROCESS_LLDP_OUTBOX_H

#include "lldp/process/lldp_msg.h"

struct lldp_outbox; /* NULL is an empty one */

/* m is an event. A STATE other than connected takes the place of all that waits. false: out of
 * memory. */
bool lldp_outbox_put(struct lldp_outbox **box, const struct lldp_msg *m);
/* The octets of the first; 0: there is none. They are valid till the next call. */
size_t lldp_outbox_first(const struct lldp_outbox *box, const uint8_t **octets);
void lldp_outbox_drop_first(struct lldp_outbox **box);
void lldp_outbox_clear(struct lldp_outbox **box);

#endif
