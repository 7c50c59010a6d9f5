/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the next frame may leave at a given rate. Every bit on the LAN counts
 * (802.1Q clause 32: preamble and gap included), and what does not fill a whole
 * nanosecond is kept for the next frame, so the long-run rate is exact.
 *
 * A frame is paid for when it leaves, at the rate of that moment. A host whose
 * rate changes says so by limiter_change_rate(); without that, a frame priced at
 * 1 Mb/s holds back for its 12 ms a queue that may meanwhile send at full speed.
 */
#ifndef DCB_CORE_LIMITER_H
#define DCB_CORE_LIMITER_H

#include "lib/dcbtime.h"
#include "lib/units.h"

/* All zero: a frame may leave at once. */
struct limiter {
	struct dcb_time next; /* the next frame may leave */
	uint64_t rest;        /* owed besides, in 10^-9 bit: less than a ns at the last rate */
};

static inline bool limiter_is_due(const struct limiter *l, struct dcb_time now)
{
	return !dcb_time_before(now, l->next);
}

/*
 * The host was busy elsewhere or had nothing to send: what it could have sent
 * more than catch_up_ns ago is lost, the rest may be caught up with. 0 for a
 * queue that was empty: the rate begins now. Never lets a frame leave earlier.
 */
static inline void limiter_forget(struct limiter *l, struct dcb_time now, int64_t catch_up_ns)
{
	struct dcb_time earliest = dcb_time_add_ns(now, -catch_up_ns);

	if (dcb_time_before(l->next, earliest))
		*l = (struct limiter){.next = earliest};
}

/*
 * A frame of so many octets on the wire (dcb_wire_octets()) left; the rate is
 * limited, 2^30 octets and rates an rpgMaxRate can name do not overflow. The
 * rest of a higher rate would be more than a nanosecond at a lower one: it stays
 * less than one.
 */
static inline void limiter_charge(struct limiter *l, struct dcb_rate rate, uint32_t wire_octets)
{
	uint64_t rest = l->rest < rate.bps ? l->rest : rate.bps - 1;
	uint64_t owed = (uint64_t)wire_octets * 8u * (uint64_t)DCB_NS_PER_S + rest;

	l->next = dcb_time_add_ns(l->next, (int64_t)(owed / rate.bps));
	l->rest = owed % rate.bps;
}

/*
 * What is still owed at now is owed at another rate from here on, the same number
 * of bits; both rates are limited. Nothing to do if the queue was free to send.
 */
static inline void limiter_change_rate(struct limiter *l, struct dcb_rate from, struct dcb_rate to,
				       struct dcb_time now)
{
	uint64_t owed;

	if (from.bps == to.bps || limiter_is_due(l, now))
		return;
	owed = (uint64_t)dcb_time_diff_ns(l->next, now) * from.bps + l->rest;
	l->next = dcb_time_add_ns(now, (int64_t)(owed / to.bps));
	l->rest = owed % to.bps;
}

#endif
