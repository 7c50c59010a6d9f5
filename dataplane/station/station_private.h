/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal declarations of station.c (configuration, frames to the host), station_host.c
 * (frames from the host), station_queue.c (flow queues, their flows and reaction points) and
 * station_cnm.c (destinations of the frames sent, and the reaction point of a CNM). All
 * functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_STATION_STATION_PRIVATE_H
#define DCB_DATAPLANE_STATION_STATION_PRIVATE_H

#include "dataplane/core/limiter.h"
#include "dataplane/core/rp.h"
#include "lib/counter.h"
#include "lib/deadlines.h"
#include "dataplane/station/destinations.h"
#include "dataplane/station/station.h"

/* dcb_frame.flags: the frame has a CN-TAG. */
#define FRAME_CN_TAGGED 1u

/*
 * A flow queue that has no frames, is not limited, and was not used for this time is
 * given back: the next flow without one gets it. The CNMs for its last frames have come
 * by then.
 */
#define FLOW_QUEUE_AGE_NS DCB_NS_PER_S

/*
 * The table of flows of a priority: FLOW_SETS sets of FLOW_WAYS entries, a cache line
 * each. A set has one entry of a flow at most.
 */
#define FLOW_SET_BITS 12
#define FLOW_SETS     (1u << FLOW_SET_BITS)
#define FLOW_WAYS     4

/* A flow, and the flow queue that it is assigned to. */
struct flow_entry {
	uint64_t flow;  /* station_flow_hash(); 0: free */
	uint32_t last;  /* flow_queue.pushed after the flow's last frame */
	uint16_t epoch; /* flow_queue.epoch then; different now: the queue was given back */
	uint8_t seen;   /* time of the flow's last frame, in units of 2^27 ns */
	uint8_t queue;  /* index of the flow queue */
};
_Static_assert(sizeof(struct flow_entry) * FLOW_WAYS == 64, "a set is a cache line");

/* A set of flow queues of a priority, a bit each. */
struct fq_set {
	uint64_t bits[2];
};
_Static_assert(RPPP_MAX_RPS_LIMIT <= 128, "struct fq_set has a bit for each");

enum fq_place {
	FQ_UNSCHEDULED, /* empty, or unscheduled while it is processed */
	FQ_READY,       /* in the ready ring: may send now */
	FQ_WAITING      /* in owner->waiting: its limiter allows the next frame later */
};

/* A flow queue and its reaction point. */
struct flow_queue {
	struct flow_queue *next, *prev; /* ring station_pri.ready */
	struct station_port *owner;
	uint8_t priority, index;
	uint8_t place; /* enum fq_place */
	bool used;     /* initialized by fq_get(); read by all threads */
	bool limited;  /* counted in station_pri.enabled: rpEnabled is TRUE */
	/* Flows that are assigned to it. */
	uint16_t flows;          /* entries of the table that name it */
	uint16_t epoch;          /* never 0; another one after it was given back */
	uint32_t pushed;         /* frames queued so far, modulo 2^32 */
	struct dcb_time sent_at; /* time of its last frame, or when it was assigned */
	struct deadline age;     /* in owner->ages while it is assigned */
	struct dcb_queue queue;
	struct limiter limiter;
	struct dcb_rate rate; /* rate of the limiter; 0: not limited */
	struct rp rp;
	struct deadline send;  /* in owner->waiting */
	struct deadline timer; /* in owner->timers */
	struct rp_stats stats;
};

/*
 * What a priority needs to have more than one flow queue. Pages never used occupy no memory.
 */
struct flow_table {
	struct flow_queue fq[RPPP_MAX_RPS_LIMIT - 1]; /* all but the first */
	struct destination_senders senders;
	struct flow_entry flows[FLOW_SETS][FLOW_WAYS];
	/* flow_entry.last of the flows of a set that have no entry, in queue 0. */
	uint32_t unlisted_last[FLOW_SETS];
};

/* Flow queues of one priority. */
struct station_pri {
	struct flow_table *table;          /* NULL: there is one flow queue; any thread reads it */
	struct destinations *destinations; /* NULL: the priority was never a CNPV */
	struct flow_queue *ready;  /* ring of flow queues that may send, the next one first */
	uint32_t ready_unlimited;  /* number of them that are not limited */
	struct dcb_time contended; /* overfill(): start of contention; see station_port.contended */
	uint32_t queued;           /* frames in all flow queues */
	uint32_t enabled;          /* reaction points with rpEnabled TRUE */
	uint32_t push_limit;       /* the port's queue is refilled up to this, octets */
	uint8_t rppp_max_rps;      /* rpppMaxRps: 32.10.1 */
	uint8_t rule_rps;          /* rules that name a reaction point up to this one apply */
	uint8_t n_pool;            /* flow queues for flows without a rule: their indices */
	uint8_t pool[RPPP_MAX_RPS_LIMIT];
	struct fq_set exclusive;   /* of the pool: no rule names them */
	struct fq_set free;        /* of these: not assigned to a flow */
	uint32_t moved_last;       /* flow_entry.last of frames that were moved to queue 0 */
	struct flow_entry *recent; /* entry of the last frame: the next one is often of its flow */
	uint8_t used;              /* index of the first flow queue never used */
	bool adds_cn_tags;         /* the defense mode is interiorReady */
	struct rp_params params;
	uint64_t max_rate_bps; /* gauge: rpg_max_rate of params, for other threads */
	struct rp_port_pri_stats stats;
};

#define STATION_HEAPS 3 /* waiting, timers, ages */

/*
 * Memory for flow queues: the control thread allocates it before a configuration that needs it
 * is published, the dataplane thread uses it from that configuration on.
 */
struct station_memory {
	struct destinations *destinations[DCB_PRIORITIES];
	struct flow_table *table[DCB_PRIORITIES];
	struct deadline **heaps; /* STATION_HEAPS of STATION_QUEUES; NULL: there is no table */
};
#define STATION_QUEUES (DCB_PRIORITIES * RPPP_MAX_RPS_LIMIT)

struct station_port {
	struct soft_port *port;
	struct netio *host;
	LIST_ENTRY(station_port) busy; /* le_prev NULL: not in station's busy */
	uint8_t mac[ETH_ADDR_OCTETS];
	uint8_t paused;      /* paused priorities at the last apply_pause() */
	uint8_t ready;       /* priorities that have flow queues in station_pri.ready */
	uint8_t contended;   /* priorities whose station_pri.contended is valid */
	uint32_t enabled;    /* enabled reaction points of all priorities */
	int64_t centisecond; /* rpppRpCentiseconds is counted up to this time */
	struct deadlines waiting, timers, ages;
	struct app_map apps; /* application priorities in force */
	struct cnm_stats cnm;
	struct buffer_account buffers[DCB_PRIORITIES]; /* frames in the flow queues of a priority */
	struct station_pri pri[DCB_PRIORITIES];
	struct flow_queue first[DCB_PRIORITIES];               /* the first of each priority */
	struct deadline *heaps[STATION_HEAPS][DCB_PRIORITIES]; /* while there is no table */
	struct station_memory memory;                          /* of both threads: atomic */
	bool has_secrets; /* flow_id and destination_key are set */
	uint64_t destination_key[DCB_PRIORITIES];
	uint16_t flow_id[DCB_PRIORITIES][RPPP_MAX_RPS_LIMIT];
};

/* Returns a flow queue, initialized or not. index: below rppp_max_rps or used. */
static inline struct flow_queue *fq_at(struct station_port *sp, unsigned priority, unsigned index)
{
	return index ? &sp->pri[priority].table->fq[index - 1] : &sp->first[priority];
}

/*
 * Returns the first flow queue of the priority that is initialized, from *index on, and sets *index
 * to that of the next one; NULL: there is none.
 */
static inline struct flow_queue *fq_next_used(struct station_port *sp, unsigned priority,
					      unsigned *index)
{
	while (*index < sp->pri[priority].used) {
		struct flow_queue *fq = fq_at(sp, priority, (*index)++);

		if (fq->used)
			return fq;
	}
	return NULL;
}

static inline struct station_pri *fq_pri(const struct flow_queue *fq)
{
	return &fq->owner->pri[fq->priority];
}

/* Returns the flow identifier for CN-TAGs, 33.2: random, never 0, unique on the port. */
static inline uint16_t fq_flow_id(const struct flow_queue *fq)
{
	return fq->owner->flow_id[fq->priority][fq->index];
}

static inline bool station_is_cnpv(const struct soft_port *port, unsigned priority)
{
	return port->cn.map.cnpv >> priority & 1;
}

/*
 * Returns a destination (destination_of()) as that of the flow queue's present flows: a
 * CNM for those of an earlier epoch is not accepted. Sixteen epochs take longer than
 * destinations are remembered.
 */
static inline uint64_t fq_destination(const struct flow_queue *fq, uint64_t to)
{
	_Static_assert(16 * FLOW_QUEUE_AGE_NS > DESTINATION_SEEN_NS, "epochs are not confused");
	return (uint64_t)(fq->epoch % 16) << 60 | to;
}

/* Returns the hash that stands for a flow, not 0. */
static inline uint64_t station_flow_hash(const struct station *st, const struct flow_keys *keys)
{
	return flow_hash(keys, st->flow_seed) | 1;
}

/* --- station_queue.c --- */

/* Initializes a flow queue: fq_get(). */
struct flow_queue *fq_init(struct station_port *sp, unsigned priority, unsigned index);

/* Returns a flow queue; initializes it at its first use. */
static inline struct flow_queue *fq_get(struct station_port *sp, unsigned priority, unsigned index)
{
	struct flow_queue *fq = fq_at(sp, priority, index);

	return fq->used ? fq : fq_init(sp, priority, index);
}

/*
 * Takes room for a frame of len octets, including tags, in a flow queue. Returns the
 * account, for frame->account; NULL if there is no room, and then counts a discarded
 * frame.
 */
struct buffer_account *fq_admit(struct flow_queue *fq, uint32_t len);
/* Queues an admitted frame. */
void fq_enqueue(struct station *st, struct flow_queue *fq, struct dcb_frame *frame);

/* Passes a CNM's quantized feedback to the reaction point. */
void fq_receive_cnm(struct station *st, struct flow_queue *fq, uint8_t qntz_fb);

/* Applies the parameters of the priority after they changed. */
void fq_reconfigure(struct station *st, struct flow_queue *fq);

/* Discards the queued frames and resets the reaction point. */
void fq_reset(struct station *st, struct flow_queue *fq);

/* Removes the port from the station's list of busy ports. */
void station_port_idle(struct station_port *sp);

/*
 * Applies a value of rpppMaxRps, 1 to RPPP_MAX_RPS_LIMIT. If it is lower than before, the
 * frames beyond it move to queue 0; new flows get that one too until they have left.
 */
void flow_queues_configure(struct station *st, struct station_port *sp, unsigned priority,
			   uint8_t rppp_max_rps);

/*
 * Returns the flow queue of a frame, of a flow that no rule assigns to one. If the
 * frame is queued, the caller sets **last to the queue's pushed.
 */
struct flow_queue *flow_queues_assign(struct station *st, struct station_port *sp,
				      unsigned priority, uint64_t hash, uint32_t **last);

/* Returns the index of the flow queue to which a flow is assigned. */
unsigned flow_queues_find(const struct station_port *sp, unsigned priority, uint64_t hash);

/*
 * Applies the rules that name a flow queue which a higher rpppMaxRps added. No frames of
 * the priority are queued: those of such flows would be in other flow queues.
 */
void flow_queues_apply_rules(const struct station *st, struct station_port *sp, unsigned priority);

/* Returns the index of the flow queue to which the rule assigns its flows; -1: none. */
static inline int flow_queues_rule(const struct station *st, struct station_port *sp,
				   unsigned priority, const struct flow_rule *rule)
{
	const struct station_pri *pri = &sp->pri[priority];

	if (pri->rule_rps < pri->rppp_max_rps && !pri->queued)
		flow_queues_apply_rules(st, sp, priority);
	return flow_rule_index(rule, pri->rule_rps);
}

/* --- station_cnm.c --- */

/* Draws the port's flow identifiers and the keys of its destinations, once. */
void station_cnm_set_secrets(struct station_port *sp, uint64_t seed);

/* Checks a received CNM and passes it to its reaction point, or discards and counts it. */
void station_cnm_receive(struct station *st, struct soft_port *port, const uint8_t *octets,
			 uint32_t len, const struct eth_view *view);

/* Returns the VID of a frame on this port: its tag's, or the PVID. */
static inline uint16_t station_vid(const struct soft_port *port, const struct eth_view *view)
{
	return view->vid == ETH_VID_NONE ? port->base.settings.pvid : view->vid;
}

#endif
