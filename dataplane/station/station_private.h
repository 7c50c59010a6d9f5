/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of a station share: station.c (frames from and to the host,
 * configuration), station_queue.c (flow queues and their reaction points) and
 * station_cnm.c (which reaction point a CNM is for).
 */
#ifndef DCB_DATAPLANE_STATION_STATION_PRIVATE_H
#define DCB_DATAPLANE_STATION_STATION_PRIVATE_H

#include "dataplane/core/limiter.h"
#include "dataplane/core/rp.h"
#include "lib/counter.h"
#include "lib/deadlines.h"
#include "dataplane/station/station.h"

/* dcb_frame.flags: a CN-TAG is in it. */
#define FRAME_CN_TAGGED 1u

/* How many destinations the flow queues of a priority remember to have sent to last. */
#define STATION_SENDERS 256

/*
 * A destination counts as sent to for this long and as long again: a CNM comes
 * back within milliseconds, whatever happened in between.
 */
#define STATION_SEEN_NS (8 * DCB_NS_PER_S)

enum fq_place {
	FQ_NOWHERE, /* nothing to send, or being seen to */
	FQ_READY,   /* may send now */
	FQ_WAITING  /* its limiter says later */
};

/* A flow queue and its reaction point. */
struct flow_queue {
	struct flow_queue *next, *prev; /* among the ready ones of its priority, a ring */
	struct station_port *owner;
	uint8_t priority, index;
	uint8_t place; /* enum fq_place */
	bool used;     /* the rest means something; also for other threads */
	bool limited;  /* counted as having rpEnabled TRUE */
	struct dcb_queue queue;
	struct limiter limiter;
	struct dcb_rate rate; /* limiter goes by it; 0: not limited */
	struct rp rp;
	struct deadline send;  /* in owner->waiting */
	struct deadline timer; /* in owner->timers */
	uint32_t seen_epoch;
	uint64_t seen[2]; /* destinations, one bit of 64 each: since seen_epoch, and before */
	struct rp_stats stats;
};

/* Flow queues of one priority. */
struct station_pri {
	struct flow_queue *ready;  /* next to send; a ring */
	uint32_t ready_unlimited;  /* of these, how many are not limited */
	struct dcb_time contended; /* since then they find the port full; NEVER: they do not */
	uint32_t queued;           /* frames in all of them */
	uint32_t enabled;          /* reaction points with rpEnabled TRUE */
	uint32_t push_limit;       /* octets in the port's queue that are enough */
	uint8_t rppp_max_rps;      /* rpppMaxRps: 32.10.1 */
	uint8_t used;              /* flow queues from here on were never used */
	bool adds_cn_tags;         /* the defense mode is InteriorReady */
	struct rp_params params;
	uint64_t max_rate_bps; /* of params, for other threads */
	struct rp_port_pri_stats stats;
	uint64_t sender[STATION_SENDERS]; /* destination << 16 | flow queue index + 1 */
};

struct station_port {
	struct soft_port *port;
	struct netio *host;
	LIST_ENTRY(station_port) busy; /* le_prev NULL: not in station's busy */
	uint8_t mac[ETH_ADDR_OCTETS];
	uint8_t paused;      /* as last seen */
	uint32_t enabled;    /* of all priorities */
	int64_t centisecond; /* counted up to */
	struct deadlines waiting, timers;
	struct cnm_stats cnm;
	struct station_pri pri[DCB_PRIORITIES];
	struct deadline *heaps[2][DCB_PRIORITIES * RPPP_MAX_RPS_LIMIT];
	struct flow_queue fq[DCB_PRIORITIES][RPPP_MAX_RPS_LIMIT];
};

static inline struct station_pri *fq_pri(const struct flow_queue *fq)
{
	return &fq->owner->pri[fq->priority];
}

/* Flow identifiers in our CN-TAGs: 0 would be none. Opaque to all others (33.2). */
static inline uint16_t fq_flow_id(const struct flow_queue *fq)
{
	return (uint16_t)(1 + fq->priority * RPPP_MAX_RPS_LIMIT + fq->index);
}

static inline bool station_is_cnpv(const struct soft_port *port, unsigned priority)
{
	return port->cn.map.cnpv >> priority & 1;
}

/* --- station_queue.c --- */

/* The flow queue, made ready for use. */
struct flow_queue *fq_get(struct station_port *sp, unsigned priority, unsigned index);

/* A frame for it: takes it over, or counts a discard and leaves it. len: as it will leave. */
bool fq_admit(struct station *st, struct flow_queue *fq, uint32_t len);
void fq_enqueue(struct station *st, struct flow_queue *fq, struct dcb_frame *frame);

/* A CNM with this feedback is for it. */
void fq_receive_cnm(struct station *st, struct flow_queue *fq, uint8_t qntz_fb);

/* Has it sent to this address lately? */
bool fq_has_seen(const struct flow_queue *fq, uint64_t address, struct dcb_time now);

/* Its priority's parameters changed. */
void fq_reconfigure(struct station *st, struct flow_queue *fq);

/* Frames are lost, the reaction point ends. */
void fq_reset(struct station *st, struct flow_queue *fq);

/* No longer among the busy ones. */
void station_port_rest(struct station_port *sp);

/* --- station_cnm.c --- */

/* A CNM arrived. */
void station_cnm_receive(struct station *st, struct soft_port *port, const uint8_t *octets,
			 uint32_t len, const struct eth_view *view);

/* VLAN of a frame of this port. */
static inline uint16_t station_vid(const struct soft_port *port, const struct eth_view *view)
{
	return view->vid == ETH_VID_NONE ? port->base.settings.pvid : view->vid;
}

#endif
