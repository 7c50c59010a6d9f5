/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates as a struct, frame lengths on the LAN, and the conversions between
 * Mb/s, bit/s, octets and times.
 */
#ifndef DCB_LIB_UNITS_H
#define DCB_LIB_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"

#define DCB_PRIORITIES 8

#define PFC_QUANTUM_BITS 512 /* bit times at the receiving port's speed, 36.3.1 */

/*
 * Preamble, start-of-frame delimiter and inter-packet gap: transmitted with
 * each frame besides its own octets and its frame check sequence. The rates
 * of 802.1Q clause 32 include them.
 */
#define DCB_WIRE_OVERHEAD_OCTETS 20
#define DCB_FCS_OCTETS           4

#define DCB_FRAME_MIN_OCTETS 60 /* shorter ones are padded; without the FCS */

/* Returns the octets on the LAN, overhead included, of a frame of len octets without FCS. */
static inline uint32_t dcb_wire_octets(uint32_t len)
{
	return (len < DCB_FRAME_MIN_OCTETS ? DCB_FRAME_MIN_OCTETS : len) + DCB_FCS_OCTETS +
	       DCB_WIRE_OVERHEAD_OCTETS;
}

struct dcb_rate {
	uint64_t bps;
};

/* A rate of 0 means that there is no limit. */
static inline bool dcb_rate_is_unlimited(struct dcb_rate r)
{
	return r.bps == 0;
}

static inline struct dcb_rate dcb_rate_from_mbps(uint32_t mbps)
{
	return (struct dcb_rate){(uint64_t)mbps * 1000000u};
}

/* Returns the rate in Mb/s, rounded down, at most UINT32_MAX. */
static inline uint32_t dcb_rate_to_mbps(struct dcb_rate r)
{
	uint64_t mbps = r.bps / 1000000u;

	return mbps > UINT32_MAX ? UINT32_MAX : (uint32_t)mbps;
}

/* Returns the transmission time of octets at rate r, which is not 0: in ns, rounded up. */
static inline int64_t dcb_rate_octets_to_ns(struct dcb_rate r, uint64_t octets)
{
	return (int64_t)((octets * 8u * (uint64_t)DCB_NS_PER_S + r.bps - 1) / r.bps);
}

#endif
