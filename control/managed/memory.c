/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "dataplane/config/port_headroom.h"

void memory_read(const struct managed *m, struct buffer_memory_stats *out)
{
	const struct provider *p = m->providers[0];
	struct provider_stats stats = {0};

	if (p->ops->read_provider)
		p->ops->read_provider(p, &stats);
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

/*
 * A station has no initiator: its receive buffer is the host's, and it promises nothing. Nor
 * does a port whose link is down.
 */
enum memory_verdict memory_holds(const struct managed *m, const struct dcb_config_port *at,
				 const struct buffer_memory_stats *memory)
{
	uint32_t buffer = at->port->settings.pfc_buffer_octets;

	if (m->role != ROLE_BRIDGE || at->port->provider != m->providers[0])
		return MEMORY_HOLDS;
	if (buffer && needed_of_port(at, memory) > buffer)
		return MEMORY_OF_PORT;
	return at->oper.pfc_enable && at->port->link.up && !memory_fits(memory) ? MEMORY_TOO_SMALL
										: MEMORY_HOLDS;
}

const char *memory_sum_text(const struct buffer_memory_stats *memory, unsigned ratio, char *buf,
			    size_t size)
{
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

	snprintf(buf, size,
		 "%s: pfc.buffer %u of dcbd.conf is less than the headroom of %" PRIu64
		 " octets and a frame of %u: raise it by %" PRIu64 ", or leave it out",
		 at->port->link.name, at->port->settings.pfc_buffer_octets,
		 needed - longest_frame(memory), longest_frame(memory),
		 needed - at->port->settings.pfc_buffer_octets);
	return buf;
}
