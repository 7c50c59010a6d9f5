/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the next frame may leave at a given rate. Every bit on the LAN counts
 * (802.1Q clause 32: preamble and gap included), and what does not fill a whole
 * nanosecond is kept for the next frame, so the long-run rate is exact.
 */
#ifndef DCB_CORE_LIMITER_H
#define DCB_CORE_LIMITER_H

#include "dataplane/core/dcbtime.h"
#include "dataplane/core/units.h"

/* All zero: a frame may leave at once. */
struct limiter {
	struct dcb_time next; /* the next frame may leave */
	uint64_t rest;        /* bit-nanoseconds per second owed besides, below the rate */
};

static inline bool limiter_is_due(const struct limiter *l, struct dcb_time now)
{
	return !dcb_time_before(now, l->next);
}

/*
 * The host was busy elsewhere or had nothing to send: rate older than
 * catch_up_ns is lost. 0 for a queue that was empty.
 */
static inline void limiter_forget(struct limiter *l, struct dcb_time now, int64_t catch_up_ns)
{
	struct dcb_time earliest = dcb_time_add_ns(now, -catch_up_ns);

	if (dcb_time_before(l->next, earliest))
		*l = (struct limiter){.next = earliest};
}

/* A frame of so many octets on the wire (dcb_wire_octets()) left; the rate is limited. */
static inline void limiter_charge(struct limiter *l, struct dcb_rate rate, uint32_t wire_octets)
{
	uint64_t owed = (uint64_t)wire_octets * 8u * (uint64_t)DCB_NS_PER_S + l->rest;

	l->next = dcb_time_add_ns(l->next, (int64_t)(owed / rate.bps));
	l->rest = owed % rate.bps;
}

#endif
