/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame memory of a port set: the frame buffers, the pools that limit who may
 * hold them, and the accounts of its ports (dataplane/core/buffer.h).
 *
 * A frame buffer counts in the account that its frame->account points to, until
 * port.c releases both. The dataplane thread makes all calls, except
 * frame_memory_read*(), which any thread may call.
 */
#ifndef DCB_DATAPLANE_PORT_FRAME_MEMORY_H
#define DCB_DATAPLANE_PORT_FRAME_MEMORY_H

#include "dataplane/config/port_buffer.h"
#include "dataplane/config/stats.h"
#include "dataplane/core/buffer.h"

/* Accounts of one port: struct soft_port.buffers. */
struct port_buffers {
	struct buffer_pool shared; /* what lossy accounts of the port hold beyond their reserves */
	struct buffer_account lossless[DCB_PRIORITIES];  /* received here, with PFC */
	struct buffer_account lossy[DCB_PRIORITIES + 1]; /* to be sent here; last: control queue */
	struct buffer_account *flows; /* in a station's flow queues, by priority; NULL: a bridge */
	struct buffer_xon xon[DCB_PRIORITIES]; /* of lossless */
	uint32_t automatic_frames;             /* needed for automatic reserves */
	bool shrinks; /* a lossless account has more headroom than configured: it is in use */
};

/*
 * (C) Headroom that is reduced while an account is congested stays until it is not, which is
 * looked at as often as this. The neighbor has not obeyed the pause yet, and frames that are in
 * flight belong to the former link: more of them than the new headroom has can arrive, as after a
 * switch to a shorter path. More headroom is in force at once.
 */
#define FRAME_MEMORY_SHRINK_NS (100 * DCB_NS_PER_MS)

struct frame_memory {
	bool automatic; /* automatic reserves are in force */
	bool overfull;  /* a pool holds more than its size, after that was reduced */
	bool shrinks;   /* of a port: see struct port_buffers */
	struct buffer_pool lossy, lossless, headroom;
	struct port_buffer_memory is;
	struct buffer_promises promises;
	uint64_t automatic_frames; /* of all ports */
	struct buffer_rules rules;
	uint32_t watermark_reset; /* as in the configuration in force */
	bool has_watermark_reset;
	/* Gauges. */
	struct buffer_sum reserved, headroom_promised, missing;
	uint64_t watermarks_since_ns;
};

void frame_memory_init(struct frame_memory *m, const struct port_buffer_memory *is);

/*
 * Another length of the longest frame, with as many buffers. The quotas of all ports are to be put
 * in force again.
 */
void frame_memory_take_longest(struct frame_memory *m, uint32_t longest);

/* Divides the memory again, after promises, rules, or what pools hold changed. */
void frame_memory_divide(struct frame_memory *m);

/*
 * Shows the sums of the promises to other threads. Called when all changes of a configuration
 * or a link are in force: in between, the promises can exceed the memory.
 */
void frame_memory_show(struct frame_memory *m);

/* Puts the division of the memory in force. Returns true if all watermarks are to be reset. */
bool frame_memory_configure(struct frame_memory *m, const struct buffer_memory_config *config,
			    struct dcb_time now);

/* Puts the quotas of a port in force; in->longest, station and automatic are not read. */
void frame_memory_configure_port(struct frame_memory *m, struct port_buffers *port,
				 const struct port_buffer_input *in);

/* Withdraws all promises to the port. What its accounts hold stays counted as shared. */
void frame_memory_withdraw_port(struct frame_memory *m, struct port_buffers *port);

/*
 * Returns true if automatic reserves begin or end to be in force: then the quotas of all
 * ports are to be put in force again.
 */
bool frame_memory_change_automatic(struct frame_memory *m);

/*
 * Called in each turn, before frames are sent: updates the watermarks of the pools, and
 * gives pools the memory that others used beyond their reduced size and that is free now.
 */
void frame_memory_settle(struct frame_memory *m);

/* Sets the watermarks of a port's accounts to their present octets and frames. */
void frame_memory_clear_port_peaks(struct port_buffers *port);

/* Copy statistics. Any thread. */
void frame_memory_read(const struct frame_memory *m, struct buffer_memory_stats *out);
void frame_memory_read_port(const struct port_buffers *port, unsigned priority,
			    struct buffer_stats *out);

#endif
