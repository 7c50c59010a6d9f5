/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes of the receive rings, for provider "soft".
 *
 * Receive rings share a memory, bridge.receive_memory: a port has 4 MiB, less below 350 Mb/s, or
 * its share if that is less. A quarter is kept for ports that lose frames: up to 8 in a second get
 * a ring of twice the size (soft_wire.c).
 *
 * A ring longer than the processor's second-level cache costs the sender's processor more, but a
 * port with PFC must not lose the burst after which its ring would grow: doc/decisions.md has the
 * times.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "dataplane/core/eth.h"

/* A slot for frames of the common MTU: netio_packet.c. */
#define SLOT_OCTETS 2048

/* A frame of minimum length on the link, with FCS, preamble and gap. */
#define LEAST_FRAME_BITS 672

/*
 * Time for which a ring holds frames of minimum length that arrive at the link's rate. Above
 * 344 Mb/s, NETIO_RING_MOST holds them for less: 1.4 ms at 1 Gb/s.
 */
#define RING_NS (4 * DCB_NS_PER_MS)

#define STEP_OCTETS (UINT32_C(32) << 10)

/* 64 frames of the common MTU, what the dataplane thread takes at once; 8 of 9216 octets. */
#define LEAST_OCTETS (UINT32_C(64) * SLOT_OCTETS)

/* Returns the size for the link's rate, which may be unknown. */
static uint64_t size_for(struct dcb_rate speed)
{
	uint64_t most = NETIO_RING_MOST, frames;

	if (dcb_rate_is_unlimited(speed) || speed.bps > UINT64_C(1000000000))
		return most;
	frames = speed.bps * (uint64_t)(RING_NS / 1000000) / 1000 / LEAST_FRAME_BITS;
	return frames < most / SLOT_OCTETS ? frames * SLOT_OCTETS : most;
}

uint32_t soft_ring_octets(uint64_t memory, unsigned ports, struct dcb_rate speed)
{
	uint64_t octets = size_for(speed), n = ports ? ports : 1, share = memory / n;

	/* A quarter is kept for ports that lose frames. */
	if (memory && octets > share)
		octets = memory / 4 * 3 / n;
	octets = octets / STEP_OCTETS * STEP_OCTETS;
	return octets < LEAST_OCTETS ? LEAST_OCTETS : (uint32_t)octets;
}

uint32_t soft_ring_grown(uint64_t memory, uint64_t used, uint32_t octets, struct dcb_rate speed)
{
	uint64_t most = size_for(speed), next = (uint64_t)octets * 2 < most ? octets * 2 : most;

	return next <= octets || (memory && used + next - octets > memory) ? octets
									   : (uint32_t)next;
}
