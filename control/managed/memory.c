/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "dataplane/config/port_headroom.h"

void memory_read(const struct provider *engine, struct buffer_memory_stats *out)
{
	struct provider_stats stats = {0};

	if (engine)
		engine->ops->read_provider(engine, &stats);
	*out = stats.memory;
}

/* Octets of a frame buffer: the longest frame; 0: there is no memory. */
static uint32_t longest_frame(const struct buffer_memory_stats *memory)
{
	return memory->memory_frames ? (uint32_t)(memory->memory_octets / memory->memory_frames)
				     : 0;
}

static uint64_t needed_of_port(const struct dcb_config_port *at,
			       const struct buffer_memory_stats *memory)
{
	return (uint64_t)pfc_headroom_octets_of(at) + longest_frame(memory);
}

static uint64_t left_of(uint64_t memory, uint64_t reserved, uint64_t headroom, unsigned ratio)
{
	uint64_t promised = reserved + headroom / ratio + (headroom % ratio > 0);

	return memory > promised ? memory - promised : 0;
}

bool memory_shares(const struct buffer_memory_stats *memory, const struct buffer_rules *rules)
{
	unsigned ratio = rules->headroom_ratio ? rules->headroom_ratio : 1;
	unsigned lossy = memory->headroom_octets ? 100u - rules->lossless_percent : 100;
	uint64_t octets =
	    left_of(memory->memory_octets, memory->reserved_octets, memory->headroom_octets, ratio);
	uint64_t frames =
	    left_of(memory->memory_frames, memory->reserved_frames, memory->headroom_frames, ratio);

	return octets / 100 * lossy + octets % 100 * lossy / 100 >= longest_frame(memory) &&
	       (frames * lossy / 100 > 0 || !memory->memory_frames);
}

/*
 * The ratio leaves less than the headroom of this port alone. The promises are what the
 * provider has put in force; until they have the port's, there is nothing to compare.
 */
static bool is_pool_too_small(const struct dcb_config_port *at,
			      const struct buffer_memory_stats *memory)
{
	uint64_t needed = needed_of_port(at, memory);

	return memory_fits(memory) && memory->headroom_octets >= needed &&
	       memory->headroom.size_octets < needed;
}

/* The device of a port says how much it can receive after XOFF: its other memory is not known. */
static enum memory_verdict device_holds(const struct dcb_config_port *at)
{
	struct pfc_headroom_state state;

	port_headroom_of(at, &state);
	if (state.basis != PFC_BASIS_DEVICE || !port_pfc_sent(at->config, &at->oper) ||
	    !at->port->link.up)
		return MEMORY_HOLDS;
	return port_headroom_missing(&state) ? MEMORY_OF_DEVICE : MEMORY_HOLDS;
}

/*
 * A station has no initiator: its receive buffer is the host's, and it promises nothing. Nor
 * does a port whose link is down.
 */
enum memory_verdict memory_holds(enum dcb_role role, const struct provider *engine,
				 const struct dcb_config_port *at,
				 const struct buffer_memory_stats *memory)
{
	uint32_t buffer = at->port->settings.pfc_buffer_octets;

	if (at->port->has & PROVIDER_HARDWARE)
		return device_holds(at);
	if (role == ROLE_STATION || at->port->provider != engine)
		return MEMORY_HOLDS;
	if (buffer && needed_of_port(at, memory) > buffer)
		return MEMORY_OF_PORT;
	if (!port_pfc_sent(at->config, &at->oper) || !at->port->link.up)
		return MEMORY_HOLDS;
	if (!memory_fits(memory))
		return MEMORY_TOO_SMALL;
	if (at->oper.headroom_cap_octets)
		return MEMORY_OF_CLAIM;
	return is_pool_too_small(at, memory) ? MEMORY_OF_POOL : MEMORY_HOLDS;
}

const char *memory_sum_text(const struct buffer_memory_stats *memory, unsigned ratio, char *buf,
			    size_t size)
{
	/*
	 * Message: The frame memory does not hold the reserves and the headroom, and frames of PFC
	 * priorities can be lost. A faster link, a larger MTU, a new port, a way to find the
	 * headroom that the neighbor does not support any more, a measured delay or settings read
	 * at the start are the cause, because a SET that exceeds the memory is refused. `dcbctl
	 * buffers` and dcbBufferStatus show how long this lasts; the message `the reserves and the
	 * headroom fit into the frame memory again` ends it.
	 */
	snprintf(buf, size,
		 "frame memory of %" PRIu64 " octets, %" PRIu64 " buffers: reserves %" PRIu64
		 ", %" PRIu64 " and headroom %" PRIu64 ", %" PRIu64
		 " (divided by "
		 "dcbBufferHeadroomRatio %u) need %" PRIu64 " octets, %" PRIu64
		 " buffers more: raise bridge.frame_buffers or the ratio, or reduce reserves, "
		 "cable lengths or priorities with PFC",
		 memory->memory_octets, memory->memory_frames, memory->reserved_octets,
		 memory->reserved_frames, memory->headroom_octets, memory->headroom_frames, ratio,
		 memory->missing_octets, memory->missing_frames);
	return buf;
}

const char *memory_port_text(const struct dcb_config_port *at,
			     const struct buffer_memory_stats *memory, char *buf, size_t size)
{
	uint64_t needed = needed_of_port(at, memory);

	/*
	 * Message: The link of the port has become faster, or its frames longer, than `pfc.buffer`
	 * allows.
	 */
	snprintf(buf, size,
		 "%s: pfc.buffer %u of dcbd.conf is less than the headroom of %" PRIu64
		 " octets and a frame of %u: raise it by %" PRIu64 ", or leave it out",
		 at->port->link.name, at->port->settings.pfc_buffer_octets,
		 needed - longest_frame(memory), longest_frame(memory),
		 needed - at->port->settings.pfc_buffer_octets);
	return buf;
}

const char *memory_device_text(const struct dcb_config_port *at, char *buf, size_t size)
{
	struct pfc_headroom_state state;

	port_headroom_of(at, &state);
	/*
	 * Message: The buffer that the switch ASIC has after XOFF for a priority with PFC is less
	 * than what the speed of the link, its length and the delay of the neighbor need. Frames
	 * can be lost when the neighbor is paused. Enlarge `xoff` of the buffer profile, or correct
	 * the length of the cable. The message `its device has the headroom again` ends it.
	 */
	snprintf(buf, size,
		 "%s: its device has %" PRIu64
		 " octets for frames after XOFF, the link needs %" PRIu64
		 ": enlarge xoff of the buffer profile by %" PRIu32
		 ", or correct the length of the cable",
		 at->port->link.name, pfc_bits_to_octets(state.in_force),
		 pfc_bits_to_octets(state.calculated), port_headroom_missing(&state));
	return buf;
}

const char *memory_claim_text(const struct dcb_config_port *at, char *buf, size_t size)
{
	/*
	 * Message: The neighbor sends a Local Delay, or answers a measurement, that asks for more
	 * than what the headroom of the other ports, all reserves and one frame leave. The link is
	 * very long, or the neighbor is in error; frames of this port can be lost. The message `the
	 * frame memory holds the headroom for its neighbor again` ends it.
	 */
	snprintf(buf, size,
		 "%s: the delay of its neighbor needs a headroom of %" PRIu32
		 " octets, the frame memory has %" PRIu32
		 " left for it: raise bridge.frame_buffers, or limit dcbPfcMeasureMaximum or "
		 "dcbPfcHeadroomMaximum",
		 at->port->link.name, pfc_headroom_uncapped_octets_of(at),
		 pfc_headroom_octets_of(at));
	return buf;
}

const char *memory_pool_text(const struct dcb_config_port *at,
			     const struct buffer_memory_stats *memory, unsigned ratio, char *buf,
			     size_t size)
{
	/*
	 * Message: With a ratio above the number of priorities with PFC, the pool is less than the
	 * headroom of one. The message `the headroom pool holds its headroom again` ends it.
	 */
	snprintf(buf, size,
		 "%s: the headroom pool of %" PRIu64
		 " octets (divided by dcbBufferHeadroomRatio %u) is less than the headroom of "
		 "%" PRIu64 " octets and a frame of %u: reduce the ratio",
		 at->port->link.name, memory->headroom.size_octets, ratio,
		 needed_of_port(at, memory) - longest_frame(memory), longest_frame(memory));
	return buf;
}
