/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One port of the software dataplane, egress side: eight queues with a congestion
 * point each where the priority is a CNPV, transmission selection, port rate.
 *
 *   port_enqueue() -> limit -> queue[priority] -> port_transmit() -> netio
 *                               cp[priority]       strict priority, rate
 *
 * No clock and no thread: the host says what time it is and asks for the next
 * deadline. Everything here belongs to the dataplane thread, except base, which
 * is the control thread's (settings never change and may be read by both), the
 * link_* words, and the counters, which anyone may read.
 */
#ifndef DCB_DATAPLANE_PORT_H
#define DCB_DATAPLANE_PORT_H

#include "dataplane/core/cp.h"
#include "dataplane/core/dcbtime.h"
#include "dataplane/core/queue.h"
#include "dataplane/frame_pool.h"
#include "dataplane/netio.h"
#include "dataplane/provider.h"

/*
 * How late a backlogged port may be woken without losing rate: it then sends
 * what it owes at once. A few time slices of a busy machine; beyond that the
 * time is lost.
 */
#define PORT_CATCH_UP_NS (10 * DCB_NS_PER_MS)

/* Frames handed to the interface in one call. */
#define PORT_SEND_BATCH 64

struct soft_port {
	struct port base;
	struct netio *io;
	void *watch;        /* the host's, for io's descriptors */
	void *opened;       /* control thread's word: io and watch of an interface now up */
	bool waiting;       /* control thread: the interface was down, io is nothing yet */
	bool attached;      /* a configuration in force names it */
	bool up;            /* carries frames */
	bool blocked;       /* io takes no more until it is writable */
	uint8_t cnpv;       /* priorities with a congestion point */
	uint8_t filled;     /* queues with frames */
	bool link_up;       /* control thread's word on the link ... */
	uint32_t link_seq;  /* ... and how often it was given */
	uint32_t link_seen; /* what of it was acted on */
	uint64_t adoption;  /* last one that named this port */
	const struct port_config *config;
	uint64_t queued_octets;
	struct dcb_time next_send;
	struct soft_port *backlog_next,
	    **backlog_link; /* bridge's list of ports with frames queued */
	struct dcb_queue queues[DCB_PRIORITIES];
	struct cp cp[DCB_PRIORITIES];
	struct cp_stats cp_stats[DCB_PRIORITIES];
	struct pfc_stats pfc_stats[DCB_PRIORITIES];
	struct port_stats stats;
};

static inline struct soft_port *soft_port_of(const struct port *port)
{
	return (struct soft_port *)port;
}

/* base.settings, base.link and io are set already; the rest is all zero. */
void port_init(struct soft_port *port);

/*
 * A configuration is in force: priorities in cnpv have a congestion point. New
 * ones start on the queue as it is, known ones take new parameters and keep
 * their state, others end while their frames stay queued.
 */
void port_configure(struct soft_port *port, const struct port_config *config, uint8_t cnpv,
		    struct dcb_rng *rng);

/* Is there room for a frame of len octets? If not, the drop is counted. */
bool port_admit(struct soft_port *port, uint8_t priority, uint32_t len);

/* Counts a frame lost for want of a frame buffer. */
void port_count_no_buffer(struct soft_port *port, uint8_t priority);

/* Queues an admitted frame by frame->priority: EM_UNITDATA.request, 32.9.3. */
struct cp_verdict port_enqueue(struct soft_port *port, struct dcb_frame *frame, struct dcb_time now,
			       struct dcb_rng *rng);

/*
 * Sends what may leave by now; buffers go back to the pool. 0, or the errno
 * that says the interface is gone or down.
 */
int port_transmit(struct soft_port *port, struct frame_pool *pool, struct dcb_time now);

/* When port_transmit() has something to do again; DCB_TIME_NEVER: after an event. */
struct dcb_time port_deadline(const struct soft_port *port);

/* Empties the queues. */
void port_flush(struct soft_port *port, struct frame_pool *pool);

/* Counters and gauges: for any thread. */
void port_read_cp(const struct soft_port *port, unsigned priority, struct cp_stats *out);
void port_read_pfc(const struct soft_port *port, unsigned priority, struct pfc_stats *out);
void port_read(const struct soft_port *port, struct port_stats *out);

#endif
