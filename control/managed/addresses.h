/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of the filtering database, for reading them in ascending order, those at ports and
 * those behind other RBridges each for itself: a copy of what the providers know, because the
 * filtering database has another order and changes with frames. The copy is made anew when
 * addresses_refresh() is called and it is older than
 *
 *   1 s + 10 us for each address
 *
 * so that one who reads 100 000 addresses one by one causes a copy every two seconds, not one for
 * each. The control thread and the view thread may call at the same time; one waits for the other.
 *
 * A copy takes some ms of the thread that reads, with 100 000 addresses; every request is answered
 * from it by a binary search. It is made before the request takes the lock of the managed state,
 * so that the control thread does not wait for it.
 *
 * dcbFdbTable, dot1qTpFdbTable and, of an RBridge, dcbTrillFdbTable are read from it; the rows
 * that can be set are in the configuration.
 */
#ifndef DCB_CONTROL_MANAGED_ADDRESSES_H
#define DCB_CONTROL_MANAGED_ADDRESSES_H

#include "dataplane/config/provider.h"

#define ADDRESSES_AGE_NS      DCB_NS_PER_S
#define ADDRESSES_AGE_EACH_NS (10 * DCB_NS_PER_US)

struct addresses;

/* NULL: out of memory. */
struct addresses *addresses_new(void);
/* addresses may be NULL. */
void addresses_free(struct addresses *addresses);

/*
 * Makes the copy anew if it is old, from the first of n providers that has addresses. Takes 1 to 2
 * ms for 8192 addresses, 15 to 20 ms for 100 000: the caller has no other lock. If no copy can be
 * made, that is logged and the former one stays until it has its age again: a reader of many
 * addresses does not wait for another failure at each of them.
 */
void addresses_refresh(struct addresses *addresses, struct provider *const *providers, unsigned n,
		       struct dcb_time now);

/* Has the next refresh make the copy anew: slots stand for other ports. */
void addresses_forget(struct addresses *addresses);

/*
 * Finds the first address at ports, or of those behind other RBridges, whose key is not less than
 * from, in the copy. Returns false if there is none.
 */
enum addresses_where { ADDRESSES_AT_PORTS, ADDRESSES_BEHIND };
bool addresses_find(struct addresses *addresses, enum addresses_where where, uint64_t from,
		    struct fdb_address *out);

#endif
