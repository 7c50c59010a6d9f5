/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One port of the software dataplane, egress side: eight queues with a congestion
 * point each where the priority is a CNPV, transmission selection, port rate.
 *
 *   port_enqueue() -> limit -> queue[priority] -> port_transmit() -> netio
 *                               cp[priority]       strict priority or ETS, rate
 *
 * No clock and no thread: the host says what time it is and asks for the next
 * deadline. Each part of struct soft_port says whose it is. "Dataplane thread" is
 * the one thread that calls the functions below, but port_take_link() and
 * port_read*(), which are for the control thread; counters and gauges of the
 * parts may be read by any.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_H
#define DCB_DATAPLANE_PORT_PORT_H

#include <sys/queue.h>

#include "dataplane/core/cp.h"
#include "lib/dcbtime.h"
#include "dataplane/core/ets.h"
#include "dataplane/core/limiter.h"
#include "dataplane/core/pfc_rx.h"
#include "dataplane/core/pfc_tx.h"
#include "dataplane/core/pfc_watchdog.h"
#include "dataplane/core/queue.h"
#include "dataplane/core/tclass.h"
#include "lib/counter.h"
#include "dataplane/port/frame_pool.h"
#include "dataplane/netio/netio.h"
#include "dataplane/config/provider.h"

/*
 * How late a backlogged port may be woken without losing rate: it then sends
 * what it owes at once. A few time slices of a busy machine; beyond that the
 * time is lost.
 */
#define PORT_CATCH_UP_NS (10 * DCB_NS_PER_MS)

/*
 * Besides the queues of the priorities there is one for frames that flow control
 * must not delay (36.2.8): flagged PORT_FRAME_CONTROL, they are in no traffic class,
 * are never paused and leave first. The buffer's being full does not stop them,
 * but there may be only so many.
 */
#define PORT_CONTROL        DCB_PRIORITIES
#define PORT_QUEUES         (DCB_PRIORITIES + 1)
#define PORT_FRAME_CONTROL  0x80u /* in dcb_frame.flags */
#define PORT_CONTROL_OCTETS (UINT32_C(1) << 16)

/*
 * Where traffic classes share the link, a queue may have so many times what is left
 * of the buffer. One that sends less than comes for it would else fill the buffer,
 * and the others had as much of the link as they find room there: by what they
 * offer, not by their bandwidths. So there is always room, the less the more queues
 * are full: of three each has two sevenths.
 */
#define PORT_QUEUE_TO_FREE 2

/* Frames handed to the interface in one call. */
#define PORT_SEND_BATCH 64

/*
 * What the dataplane thread has to know of the link: gauges that the control
 * thread sets in port_take_link(). port.c alone looks at them; others ask
 * port_mac(), port_speed() and port_mtu().
 */
struct port_link {
	uint64_t mac; /* address, first octet lowest */
	uint64_t bps; /* speed, 0: not known */
	uint32_t mtu; /* 0: not known */
};

/*
 * Queues, transmission selection (8.6.8) and the port's rate: port.c. Dataplane
 * thread; transit_ns is set by the owner of the port when it comes into force.
 */
struct port_queues {
	uint64_t octets;   /* queued that no ingress buffer answers for ... */
	uint16_t filled;   /* queues with frames */
	uint16_t held;     /* queues that transmission selection skips ... */
	uint8_t paused;    /* ... because these priorities are paused: port_pause() */
	bool backlogged;   /* what comes now has waited elsewhere: an empty queue is not idle */
	bool has_source;   /* the owner can refill the queues */
	bool needs_refill; /* a queue that shares ran empty: refill before the next batch */
	struct dcb_time expires; /* no frame is queued that long before then */
	int64_t transit_ns;      /* frames leave after so long in a queue, or never; 0: no limit */
	struct limiter limiter;
	struct tclass_map tclass;
	struct ets ets;                     /* while oper.ets */
	uint8_t holds[DCB_PRIORITIES];      /* of a queue: priorities of which it may have frames */
	uint32_t queue_octets[PORT_QUEUES]; /* ... octets, of each queue */
	struct dcb_queue queue[PORT_QUEUES];
};

/* Congestion notification, a congestion point for each CNPV (32.9): port.c. Dataplane thread. */
struct port_cn {
	struct cnd_map map; /* its cnpv: priorities with a congestion point */
	struct cp cp[DCB_PRIORITIES];
	struct cp_stats cp_stats[DCB_PRIORITIES];
};

/* The PFC watchdog and what it keeps: port_watchdog.h. Dataplane thread. */
struct port_watchdog {
	struct pfc_watchdog engine;
	struct port_watchdog_base {
		uint64_t indications, paused_ns;
	} base[DCB_PRIORITIES];
	struct pfc_watchdog_stats stats[DCB_PRIORITIES];
};

/* Priority-based flow control (clause 36): port_pfc*.c, port_watchdog.c. Dataplane thread. */
struct port_pfc {
	struct pfc_tx tx; /* initiator: what came in here and is still in the bridge */
	struct pfc_rx rx;
	uint8_t sent; /* priorities that have sent since the watchdog looked */
	struct port_watchdog watchdog;
	struct pfc_stats stats[DCB_PRIORITIES];
	struct pfc_port_stats port_stats;
};

LIST_HEAD(soft_port_list, soft_port);

/* Its places in the lists of struct port_set: port_set.c and port_pfc.c. Dataplane thread. */
struct port_set_entry {
	uint64_t adoption;               /* last one that named this port */
	struct soft_port *backlog_next;  /* in backlog: ports with frames queued ... */
	struct soft_port **backlog_link; /* ... NULL: not in it */
	struct soft_port *pfc_tx_next; /* in pfc_tx_pending: initiators with something to do ... */
	bool pfc_tx_pending;           /* ... whether it is in it */
	LIST_ENTRY(soft_port) paused;  /* in paused; le_prev NULL: not in it */
};

struct soft_port {
	/* Control thread; but base.settings never change, and any thread may read them. */
	struct port base;

	/* Control thread, before the port comes into force; the dataplane thread from then on. */
	struct netio *io;
	struct station_port *station; /* a station's: its reaction points */

	/* Dataplane thread. */
	bool attached;                    /* a configuration in force names it */
	bool up;                          /* carries frames */
	bool blocked;                     /* io takes no more until it is writable */
	const struct port_config *config; /* NULL: none names it */
	struct port_oper oper;            /* all zero while it has no config */
	struct soft_port *ring_next;      /* other links of its bridge port: aggregate.h */
	struct port_set_entry set;
	struct port_queues queues;
	struct port_pfc pfc;
	struct port_cn cn;
	struct port_stats stats;

	/* Control thread to dataplane thread. */
	struct port_link link;
};

static inline struct soft_port *soft_port_of(const struct port *port)
{
	return (struct soft_port *)port;
}

/* Priorities with PFC in force on the port, one bit each. */
static inline uint8_t pfc_enabled(const struct soft_port *port)
{
	return port->oper.pfc_enable;
}

/* base.settings, base.link and io are set already; the rest is all zero. Any thread. */
void port_init(struct soft_port *port);

/* base.link changed: control thread. What of it the dataplane thread reads. */
void port_take_link(struct soft_port *port);
void port_mac(const struct soft_port *port, uint8_t mac[DCB_MAC_OCTETS]);
struct dcb_rate port_speed(const struct soft_port *port);
uint32_t port_mtu(const struct soft_port *port);

/*
 * A configuration is in force, of which this is the port's own part: defense
 * modes are resolved. Priorities that are CNPVs here have a congestion point:
 * new ones start on the queue as it is, known ones take new parameters and keep
 * their state, others end while their frames stay queued.
 */
void port_configure(struct soft_port *port, const struct dcb_config *whole,
		    const struct dcb_config_port *own, struct dcb_rng *rng);

/* Is there room for a frame of len octets? If not, the drop is counted. */
bool port_admit(struct soft_port *port, uint8_t priority, uint32_t len);
bool port_admit_control(struct soft_port *port, uint32_t len);

/* Counts a frame lost for want of a frame buffer. */
void port_count_no_buffer(struct soft_port *port, uint8_t priority);

/*
 * Queues an admitted frame by frame->priority, or as control by frame->flags:
 * EM_UNITDATA.request, 32.9.3.
 */
struct cp_verdict port_enqueue(struct soft_port *port, struct dcb_frame *frame, struct dcb_time now,
			       struct dcb_rng *rng);

/* These priorities, one bit each, and who shares a queue with them send nothing from now on. */
void port_pause(struct soft_port *port, uint8_t paused, struct dcb_time now);

/* ... those that the receiver has paused, less those about which the watchdog does something. */
void port_pause_by_rules(struct soft_port *port, struct dcb_time now);

/*
 * Does the watchdog have frames of this priority discarded, which counts one?
 * To be asked before a frame is admitted.
 */
static inline bool port_discards(struct soft_port *port, unsigned priority)
{
	struct pfc_watchdog_stats *stats = &port->pfc.watchdog.stats[priority];

	if (!(port->pfc.watchdog.engine.dropping >> priority & 1))
		return false;
	counter_add(&stats->dropped_total, 1);
	counter_add(&stats->dropped_storm, 1);
	return true;
}

/* Discards what is queued of a priority: how many frames. */
uint32_t port_discard_priority(struct soft_port *port, struct frame_pool *pool, unsigned priority);

/* Has it frames that are not held back? */
static inline bool port_wants_to_send(const struct soft_port *port)
{
	return port->queues.filled & ~port->queues.held;
}

/* Did it stop for its owner to refill its queues, and has it still something to send? */
static inline bool port_needs_refill(const struct soft_port *port)
{
	return port->queues.needs_refill && port_wants_to_send(port);
}

static inline struct dcb_queue *port_queue(struct soft_port *port, unsigned priority)
{
	return &port->queues.queue[port->queues.tclass.queue[priority]];
}

/*
 * Sends what may leave by now; buffers go back to the pool. 0, or the errno
 * that says the interface is gone or down. Where traffic classes share, a port
 * that has a source stops when a queue is empty: port_needs_refill() is true then,
 * and this is to be called again after the owner has had its turn.
 */
int port_transmit(struct soft_port *port, struct frame_pool *pool, struct dcb_time now);

/* When port_transmit() has something to do again; DCB_TIME_NEVER: after an event. */
struct dcb_time port_deadline(const struct soft_port *port);

/* Frames that count in this ingress buffer no longer do: it is going. */
void port_forget_charges(struct soft_port *port, const struct pfc_tx *of);

/* Empties the queues. */
void port_flush(struct soft_port *port, struct frame_pool *pool);

/* Counters and gauges: for any thread. */
void port_read_cp(const struct soft_port *port, unsigned priority, struct cp_stats *out);
void port_read_pfc(const struct soft_port *port, unsigned priority, struct pfc_stats *out);
void port_read_pfc_watchdog(const struct soft_port *port, unsigned priority,
			    struct pfc_watchdog_stats *out);
void port_read_pfc_port(const struct soft_port *port, struct pfc_port_stats *out);
void port_read(const struct soft_port *port, struct port_stats *out);

#endif
