/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the frame memory holds what the ports were promised. The provider with the engine has
 * the memory (dataplane/core/buffer.h); it recalculates the promises when the configuration or
 * a link changes. It is the argument engine, NULL if there is none. Control thread only.
 */
#ifndef DCB_CONTROL_MANAGED_MEMORY_H
#define DCB_CONTROL_MANAGED_MEMORY_H

#include "dataplane/config/dcb_config.h"
#include "dataplane/config/provider.h"

/* Reads the statistics of the frame memory; all zero if engine is NULL: the system has none. */
void memory_read(const struct provider *engine, struct buffer_memory_stats *out);

/* Returns whether the memory is enough for all reserves and the headroom pool. */
static inline bool memory_fits(const struct buffer_memory_stats *memory)
{
	return memory->missing_octets == 0 && memory->missing_frames == 0;
}

/*
 * Returns whether the memory that the promises leave has room for a frame without PFC in the
 * shared lossy pool; true if there is no memory.
 */
bool memory_shares(const struct buffer_memory_stats *memory, const struct buffer_rules *rules);

enum memory_verdict {
	MEMORY_HOLDS,
	MEMORY_TOO_SMALL, /* the promises exceed the memory, and the port has PFC in force */
	MEMORY_OF_PORT,   /* pfc.buffer of dcbd.conf is less than the headroom and one frame */
	MEMORY_OF_POOL,   /* the headroom pool, divided by the ratio, is less than that */
	MEMORY_OF_CLAIM,  /* the memory does not hold what the neighbor's word asks for */
	MEMORY_OF_DEVICE, /* the device of a hardware port has less than the calculated headroom */
};

/* Returns whether a port has the headroom that it needs (36.1.1), and why it does not. */
enum memory_verdict memory_holds(enum dcb_role role, const struct provider *engine,
				 const struct dcb_config_port *at,
				 const struct buffer_memory_stats *memory);

/*
 * Writes to buf which promises exceed the memory, by how much, and what to change. ratio:
 * dcbBufferHeadroomRatio. Returns buf.
 */
const char *memory_sum_text(const struct buffer_memory_stats *memory, unsigned ratio, char *buf,
			    size_t size);
#define MEMORY_TEXT_OCTETS 400

/*
 * Writes to buf by how much the port's pfc.buffer, the headroom pool, the device, or the memory for
 * the delay of a neighbor, is too small. Returns buf.
 */
const char *memory_port_text(const struct dcb_config_port *at,
			     const struct buffer_memory_stats *memory, char *buf, size_t size);
const char *memory_device_text(const struct dcb_config_port *at, char *buf, size_t size);
const char *memory_claim_text(const struct dcb_config_port *at, char *buf, size_t size);
const char *memory_pool_text(const struct dcb_config_port *at,
			     const struct buffer_memory_stats *memory, unsigned ratio, char *buf,
			     size_t size);

#endif
