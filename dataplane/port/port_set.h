/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports of a bridge or an end station: the configuration in force, the frame
 * buffers, the list of ports with queued frames, and transmission.
 *
 *   port_set_adopt()     puts a configuration in force: attaches, detaches, configures ports
 *   port_set_enqueue()   queues a frame on a port
 *   port_set_transmit()  sends the frames that are due, of all ports
 *
 * The owner, bridge or station, forwards frames: struct port_set_hooks.
 * The host, provider "soft", receives frames and polls interfaces: struct port_set_ops.
 *
 * Has no thread and no clock. Allocates memory only in port_set_init(). One thread,
 * the dataplane thread, makes all calls.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_SET_H
#define DCB_DATAPLANE_PORT_PORT_SET_H

#include <sys/queue.h>

#include "dataplane/port/frame_pool.h"
#include "dataplane/port/port.h"
#include "dataplane/port/port_hm.h"
#include "dataplane/port/port_pfc.h"

/* Functions of the host; each may be NULL. */
struct port_set_ops {
	void (*attached)(void *ctx, struct soft_port *port);          /* start to receive */
	void (*detached)(void *ctx, struct soft_port *port);          /* stop to receive */
	void (*blocked)(void *ctx, struct soft_port *port);           /* poll for writable */
	void (*failed)(void *ctx, struct soft_port *port, int error); /* sending failed: errno */
	/* The watchdog detected storms, or they ended: priorities, one bit each. */
	void (*storm)(void *ctx, struct soft_port *port, uint8_t stormed, uint8_t ended);
	/* The port received an LLDPDU. Returns false if there is no room for it. */
	bool (*lldp)(void *ctx, struct soft_port *port, const struct lldpdu *pdu,
		     struct dcb_time now);
	/* hm.stats.result or response_bound_ns of the port changed. Returns false if there is no
	 * room for it. */
	bool (*measured)(void *ctx, struct soft_port *port);
	/* Returns the time; NULL: that of the call in progress is exact. */
	struct dcb_time (*now)(void *ctx);
};

/* Functions of the owner, bridge or station; each may be NULL. */
struct port_set_hooks {
	/* The port's configuration, or its link's speed or address, changed. */
	void (*configured)(void *owner, struct soft_port *port);
	/* The port's link went down; its queues are empty. */
	void (*down)(void *owner, struct soft_port *port);
	/* The configuration in force no longer names the port; its queues are empty. */
	void (*detached)(void *owner, struct soft_port *port);
	/*
	 * Called once for all detached ports, before other ports get their slots: bit
	 * slot % 64 of word slot / 64.
	 */
	void (*gone)(void *owner, const uint64_t *slots);
	/* A configuration is in force, ports included. */
	void (*adopted)(void *owner, const struct dcb_config *config);
};

/*
 * The octets of a frame that the owner of a port set copies. A simulator's frames have zeros
 * behind their headers: of those longer than whole_max octets it copies the first head_octets.
 */
struct frame_extent {
	uint32_t whole_max; /* UINT32_MAX: all octets of every frame */
	/* With all tags that may be added, or stripped; ETH_MIN_OCTETS and tags, or more. */
	uint32_t head_octets;
};

/* Returns how many of len octets are copied. */
static inline uint32_t frame_extent(const struct frame_extent *e, uint32_t len)
{
	return len > e->whole_max ? e->head_octets : len;
}

struct port_set_params {
	uint32_t frame_buffers;
	uint32_t frame_octets;      /* longest received frame, without FCS */
	uint32_t header_octets;     /* octets of tags that may be added to it */
	struct frame_extent extent; /* all zero: all octets of every frame */
	struct frame_store *store;  /* of the frame buffers; NULL: none, they have their own */
	int64_t transit_ns;         /* longest time a frame may be queued; 0: no limit */
	uint32_t slots;             /* slots of the ports are less; 0: DCB_SLOTS */
	bool station;               /* an end station: no PFC initiator, but flow queues */
	uint64_t seed;
	const struct port_set_ops *ops; /* NULL: none */
	void *ctx;
	const struct port_set_hooks *hooks; /* NULL: none */
	void *owner;
};

/* As in struct soft_port: what a frame accesses is together, from hm.due to memory. */
struct port_set {
	const struct port_set_ops *ops;
	void *ctx;
	const struct port_set_hooks *hooks;
	void *owner;
	struct dcb_time shrink_at; /* when headroom in use may be reduced, while memory.shrinks */
	struct port_hm_set hm;
	struct port_pfc_set pfc;
	struct soft_port *backlog;        /* ports with frames queued */
	struct soft_port *pfc_tx_pending; /* ports whose PFC initiator is busy */
	struct dcb_time now;              /* of the last port_set_transmit() */
	bool pfc_is_due; /* a port was scheduled since the last port_set_transmit() */
	uint32_t frame_octets;
	struct frame_extent extent;
	uint32_t slots;
	struct soft_port **by_slot; /* slots of them */
	struct frame_pool pool;
	struct frame_memory memory;
	const struct dcb_config *config; /* in force; NULL before the first */
	uint64_t adoptions;
	int64_t transit_ns;
	struct dcb_rng rng;
};

/* Returns false if there is no memory. */
bool port_set_init(struct port_set *s, const struct port_set_params *params);
/* Detaches the ports. The caller owns them and frees them afterwards. */
void port_set_destroy(struct port_set *s);

/*
 * Frames of up to frame_octets are received from now on, which are more than before. Those that are
 * queued stay. false: no memory, or it was called before and a frame of that time is still queued;
 * then nothing has changed.
 */
bool port_set_grow(struct port_set *s, uint32_t frame_octets);

/* Puts a configuration in force. The previous one is not read after the call. */
void port_set_adopt(struct port_set *s, const struct dcb_config *config, struct dcb_time now);

/* Sends the frames that are due on all ports. Returns when to call again without other events. */
struct dcb_time port_set_transmit(struct port_set *s, struct dcb_time now);

/* The port's link went down: discards its queued frames. */
void port_set_port_down(struct port_set *s, struct soft_port *port, struct dcb_time now);
/* The port's link came up. */
void port_set_port_up(struct port_set *s, struct soft_port *port, struct dcb_time now);
/* The link's speed, MTU or address changed. */
void port_set_port_changed(struct port_set *s, struct soft_port *port, struct dcb_time now);

/* Adds a port to the backlog: port_set_transmit() sends its frames until it has none. */
void port_set_link_backlog(struct port_set *s, struct soft_port *port);
static inline void port_set_backlog_add(struct port_set *s, struct soft_port *port)
{
	if (!port->set.backlog_link)
		port_set_link_backlog(s, port);
}

/*
 * Schedules the port's PFC initiator: port_set_transmit() calls it until it is idle.
 * Called after its configuration or link changed, and by port_set_admit_lossless().
 */
void port_set_schedule_pfc(struct port_set *s, struct soft_port *in);

/* Counts a frame discarded because the headroom was insufficient. */
void port_set_count_lossless(struct port_set *s, struct soft_port *in, uint8_t priority);

/*
 * Takes room for a frame of len octets in the lossless account of port in, where it
 * was received with this priority. Returns the account, for frame->account; NULL if
 * the headroom was insufficient, and then counts a discarded frame.
 */
static inline struct buffer_account *
port_set_admit_lossless(struct port_set *s, struct soft_port *in, uint8_t priority, uint32_t len)
{
	struct buffer_account *account = &in->buffers.lossless[priority];

	switch (buffer_take(account, len)) {
	case BUFFER_FITS:
		return account;
	case BUFFER_CONGESTED:
		if (!(in->pfc.tx.paused >> priority & 1))
			port_set_schedule_pfc(s, in);
		return account;
	default:
		port_set_count_lossless(s, in, priority);
		return NULL;
	}
}

/* Queues an admitted frame by port_enqueue(); port_set_transmit() sends it. */
static inline struct cp_verdict port_set_enqueue(struct port_set *s, struct soft_port *port,
						 struct dcb_frame *frame, struct dcb_time now)
{
	port_set_backlog_add(s, port);
	return port_enqueue(port, frame, now, &s->rng);
}

#endif
