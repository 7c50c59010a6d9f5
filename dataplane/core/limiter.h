/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rate limiter: computes when the next frame may leave. Counts every bit on the
 * LAN (802.1Q clause 32: preamble and gap included). The remainder below a
 * nanosecond carries over to the next frame, so the long-run rate is exact.
 *
 * A frame is charged when it leaves, at the current rate. Call
 * limiter_change_rate() when the rate changes: otherwise a frame charged at 1
 * Mb/s blocks the queue for its 12 ms although the new rate may be line rate.
 */
#ifndef DCB_CORE_LIMITER_H
#define DCB_CORE_LIMITER_H

#include "lib/dcbtime.h"
#include "lib/units.h"

/* All zero: a frame may leave at once. */
struct limiter {
	struct dcb_time next; /* earliest time of the next frame */
	uint64_t rest;        /* remainder in 10^-9 bit: less than a ns at the last rate */
};

/* Returns true if a frame may leave at now. */
static inline bool limiter_is_due(const struct limiter *l, struct dcb_time now)
{
	return !dcb_time_before(now, l->next);
}

/*
 * Limits the credit of an idle or late sender: credit older than catch_up_ns is
 * lost, newer credit may be used for a burst. 0 for a queue that was empty: the
 * rate applies from now. Never makes a frame leave earlier.
 */
static inline void limiter_forget(struct limiter *l, struct dcb_time now, int64_t catch_up_ns)
{
	struct dcb_time earliest = dcb_time_add_ns(now, -catch_up_ns);

	if (dcb_time_before(l->next, earliest))
		*l = (struct limiter){.next = earliest};
}

/*
 * Charges a frame of wire_octets (dcb_wire_octets()) that left. rate must be
 * limited. 2^30 octets at any rate of rpgMaxRate do not overflow. If the rate
 * fell, the remainder is cut to less than a nanosecond of the new rate.
 */
static inline void limiter_charge(struct limiter *l, struct dcb_rate rate, uint32_t wire_octets)
{
	uint64_t rest = l->rest < rate.bps ? l->rest : rate.bps - 1;
	uint64_t owed = (uint64_t)wire_octets * 8u * (uint64_t)DCB_NS_PER_S + rest;

	l->next = dcb_time_add_ns(l->next, (int64_t)(owed / rate.bps));
	l->rest = owed % rate.bps;
}

/*
 * Converts the charge that is left at now to another rate: the number of bits
 * stays the same. Both rates must be limited. Has no effect if a frame may
 * leave at now.
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
