/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One port of the software dataplane, egress side: eight queues, a congestion
 * point for each CNPV, transmission selection, port rate.
 *
 *   port_admit() -> port_enqueue() -> queue[priority] -> port_transmit() -> netio
 *                                     cp[priority]       strict priority or ETS, rate
 *
 * Bridge, station and simulator use this one transmission selection: the control queue first,
 * then traffic classes with strict priority, then those that share bandwidth. Without ETS the
 * code walks through the queues in order. A station's port stops at an empty queue until the
 * flow queues have had the opportunity to refill it.
 *
 * The port has no clock and no thread: callers pass the time, and ask for the
 * next deadline. Comments in struct soft_port name the thread that owns each part.
 * The dataplane thread is the one thread that calls the functions below, except
 * port_take_link(), which the control thread calls, and port_read*(), which any
 * thread may call. Any thread may read counters and gauges.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_H
#define DCB_DATAPLANE_PORT_PORT_H

#include <sys/queue.h>

#include "dataplane/core/cp.h"
#include "lib/dcbtime.h"
#include "dataplane/core/ets.h"
#include "dataplane/core/hm.h"
#include "dataplane/core/limiter.h"
#include "dataplane/core/pfc_rx.h"
#include "dataplane/core/pfc_tx.h"
#include "dataplane/core/pfc_watchdog.h"
#include "dataplane/core/queue.h"
#include "dataplane/core/tclass.h"
#include "lib/counter.h"
#include "lib/deadlines.h"
#include "dataplane/port/frame_group.h"
#include "dataplane/port/frame_memory.h"
#include "dataplane/port/frame_pool.h"
#include "dataplane/port/port_nic.h"
#include "dataplane/port/port_response.h"
#include "dataplane/netio/netio.h"
#include "dataplane/config/provider.h"

/*
 * A backlogged port that is called late catches up: it sends at once what the port
 * rate allowed in up to this time. The value covers a few time slices of a busy
 * host. Rate that is older is lost.
 */
#define PORT_CATCH_UP_NS (10 * DCB_NS_PER_MS)

/*
 * Queue for frames that flow control must not delay (36.2.8), besides the queues of
 * the priorities. Frames with the flag PORT_FRAME_CONTROL belong to no traffic
 * class, are never paused and leave first. Their queue has an account of its own in
 * the frame memory, of at most PORT_BUFFER_CONTROL_OCTETS beyond its reserve.
 */
#define PORT_CONTROL       DCB_PRIORITIES
#define PORT_QUEUES        (DCB_PRIORITIES + 1)
#define PORT_FRAME_CONTROL 0x80u /* in dcb_frame.flags */

/* Maximum number of frames in one netio send call. */
#define PORT_SEND_BATCH 64

/*
 * Link attributes for the dataplane thread: gauges that the control thread sets in
 * port_take_link(). Code outside port.c calls port_mac(), port_speed() and
 * port_mtu().
 */
struct port_link {
	uint64_t mac;     /* MAC address, first octet in the lowest bits */
	uint64_t bps;     /* speed, bit/s; 0: unknown */
	uint32_t mtu;     /* octets; 0: unknown */
	bool by_priority; /* the kernel's queueing discipline uses the priority of frames; set
			   * by the provider */
};

/*
 * Queues, transmission selection (8.6.8) and port rate: port.c. Dataplane thread.
 * port_set.c sets transit_ns when it attaches the port.
 */
struct port_queues {
	uint16_t filled;         /* queues with frames, one bit each */
	uint16_t held;           /* queues with a paused priority, one bit each: send nothing */
	uint8_t paused;          /* paused priorities, one bit each: port_pause() */
	bool backlogged;         /* frames waited in flow queues: an empty port queue is not idle */
	bool has_source;         /* the owner can refill the queues */
	bool needs_refill;       /* an ETS queue ran empty: refill before the next batch */
	struct dcb_time expires; /* no queued frame exceeds transit_ns before this time */
	int64_t transit_ns;      /* frames queued for longer are discarded; 0: no limit */
	struct limiter limiter;
	struct tclass_map tclass;
	struct ets ets; /* valid while oper.ets */
	struct dcb_queue queue[PORT_QUEUES];
	uint8_t holds[DCB_PRIORITIES]; /* priorities that a queue may have frames of */
};

/* Congestion notification, a congestion point for each CNPV (32.9): port.c. Dataplane thread. */
struct port_cn {
	struct cnd_map map; /* map.cnpv: priorities with a congestion point */
	uint8_t tagged;     /* priorities whose frames are VLAN-tagged in the PVID too: the neighbor
			     * uses them as CNPV or with PFC; an untagged frame has no priority
			     * there (6.9.3) */
	struct cp cp[DCB_PRIORITIES];
	struct cp_stats cp_stats[DCB_PRIORITIES];
};

/* The PFC watchdog and its statistics: port_watchdog.h. Dataplane thread. */
struct port_watchdog {
	struct pfc_watchdog engine;
	struct port_watchdog_base { /* counters when the priority became blocked */
		uint64_t indications, paused_ns;
	} base[DCB_PRIORITIES];
	struct pfc_watchdog_stats stats[DCB_PRIORITIES];
};

/* Priority-based flow control (clause 36): port_pfc*.c, port_watchdog.c. Dataplane thread. */
struct port_pfc {
	struct pfc_rx rx; /* receiver */
	struct pfc_tx tx; /* initiator; ends with what each frame reads, as the next begins */
	struct port_watchdog watchdog;
	struct pfc_stats stats[DCB_PRIORITIES];
	struct pfc_port_stats port_stats;
};

/*
 * Peaks of PFC in intervals. A priority has two records, for the running interval and the last one:
 * the control thread reads the last one while the dataplane thread writes the other.
 */
struct port_peaks {
	uint64_t interval; /* number of the running one; control thread */
	struct port_peak {
		uint64_t interval;
		struct pfc_peaks is;
	} of[DCB_PRIORITIES][2];
	uint64_t before_ns[DCB_PRIORITIES]; /* paused_ns of the receiver before the running pause */
};

/* A frame that was sent, whose times of transmission may come later. */
struct port_hm_sent {
	struct hm_frame frame;
	uint32_t id;        /* of netio_ops.send_stamped() */
	bool awaits_time;   /* it may come */
	bool has_time;      /* the engine has it */
	bool awaits_nic;    /* the NIC's time may come */
	bool has_nic;       /* it has come */
	struct dcb_time at; /* has_time */
	int64_t nic_ns;     /* has_nic */
};

/* Frames kept for their times: a round trip has at most two. */
#define PORT_HM_SENT 4

/* Headroom measurement (P802.1Qdt 36.9): port_hm.c. Dataplane thread. */
struct port_hm {
	struct hm engine;
	struct deadline deadline; /* in port_hm_set.due; when to call port_hm_run() */
	struct port_hm_sent sent[PORT_HM_SENT];
	unsigned next_sent;
	struct dcb_time permit;          /* limits the frames that are processed */
	struct dcb_time excess_end;      /* of the time that the next two are about */
	uint32_t excess;                 /* frames that were too many */
	bool dropping;                   /* by netio.begin_drop() */
	struct dcb_time result_at;       /* when stats.result was set; 0: not yet */
	struct dcb_time result_next;     /* when to set it again */
	uint32_t restart, interruptions; /* as last seen: dcbPfcMeasureRestart, struct port_oper */
	struct port_response response;   /* of the PFC receiver: item h */
	struct port_nic nic;
	struct pfc_measure_stats stats;
};

/*
 * The VLAN rules in force on a bridge's port, as pointers into its configuration: NULL
 * where there is no rule, so that frames cost one test. Dataplane thread.
 */
/*
 * Limits of flooded frames, as a virtual schedule: the time at which the next frame of a kind is
 * due if the frames before it had come at the limit. Dataplane thread.
 */
struct port_floods {
	const uint32_t *limit; /* by enum flood_kind; NULL: no limit */
	struct dcb_time due[FLOOD_KINDS];
};

struct port_vlan {
	const struct vlan_port_config *ingress; /* rules for received frames */
	const uint8_t *excluded;                /* VLANs that the port does not send */
};

/* How the frames that a bridge's port sends are altered: bridge/relay.c. Dataplane thread. */
struct port_marking {
	uint8_t ecn; /* priorities whose queue marks: curve[].enabled */
	struct ecn_curve curve[DCB_PRIORITIES];
	struct ecn_stats stats[DCB_PRIORITIES];
};

LIST_HEAD(soft_port_list, soft_port);

/* List entries of struct port_set: port_set.c and port_pfc.c. Dataplane thread. */
struct port_set_entry {
	uint64_t adoption;               /* last adoption whose configuration names the port */
	struct soft_port *pfc_tx_next;   /* list port_set.pfc_tx_pending */
	LIST_ENTRY(soft_port) paused;    /* list port_pfc_set.paused; le_prev NULL: not in it */
	struct soft_port *backlog_next;  /* list port_set.backlog */
	struct soft_port **backlog_link; /* pointer to this entry; NULL: not in the list */
};

/*
 * In a large network each frame meets another port, and its cache lines are read from memory. So
 * what a frame accesses is in few of them, if the port begins at one: the settings at the begin of
 * base; link to stats; set.backlog_next to cn.map; the begin and the queues of queues.
 */
struct soft_port {
	/* Control thread. base.settings never change: any thread may read them. */
	struct port base;

	/* Control thread writes, dataplane thread reads. */
	struct port_link link;

	/* Control thread until the port is attached, dataplane thread from then on. */
	struct netio *io;

	/* Dataplane thread. */
	struct port_stats stats;
	struct station_port *station;      /* reaction points; NULL: bridge port. As io */
	struct port_oper oper;             /* all zero while config is NULL */
	const struct port_config *config;  /* NULL: not attached */
	const struct peer_apps *peer_apps; /* as in struct dcb_config_port */
	const struct static_unicast_config *static_unicast; /* entries in the bridge's database */
	struct port_set_entry set;
	bool attached;               /* the configuration in force names the port */
	bool up;                     /* the port sends and receives frames */
	bool blocked;                /* io accepts no frame until it is writable */
	uint8_t trust;               /* enum port_trust of a bridge's port; 0: TRUST_PCP */
	bool alters;                 /* frames that it sends: relay_decide() */
	bool pfc_tx_pending;         /* in the list of set.pfc_tx_next */
	uint8_t sent;                /* priorities that sent frames since port_watchdog_look() */
	uint8_t link_octets;         /* by which protected frames are longer on the link */
	struct port_peaks *peaks;    /* NULL: none are kept */
	struct soft_port *ring_next; /* next link of the bridge port: aggregate.h */
	struct port_vlan vlan;       /* NULL in a station */
	struct port_floods floods;
	struct port_cn cn;
	struct port_queues queues;
	struct port_buffers buffers;
	struct port_pfc pfc;
	struct port_hm hm;
	struct port_marking marking;
	struct dcb_time lldp_next; /* limits the LLDPDUs that are handed over: port_lldp.c */
};

static inline struct soft_port *soft_port_of(const struct port *port)
{
	return (struct soft_port *)port;
}

/* As port_pfc_obeyed() and port_pfc_sent(). Without configuration: none. */
static inline uint8_t pfc_obeyed(const struct soft_port *port)
{
	return port->config ? port_pfc_obeyed(port->config, &port->oper) : 0;
}

static inline uint8_t pfc_sent(const struct soft_port *port)
{
	return port->config ? port_pfc_sent(port->config, &port->oper) : 0;
}

/*
 * Initializes a port whose base.settings, base.link and io are set and whose other
 * members are zero. Any thread.
 */
void port_init(struct soft_port *port);

/* Copies base.link to link, after base.link changed. Control thread. */
void port_take_link(struct soft_port *port);
/* Return the port's MAC address, speed and MTU (octets, 0: unknown) from link. Any thread. */
static inline void port_mac(const struct soft_port *port, uint8_t mac[DCB_MAC_OCTETS])
{
	uint64_t word = gauge_get(&port->link.mac);
	uint32_t high = (uint32_t)(word >> 32); /* the compiler joins stores of parts of one word */

	mac[0] = (uint8_t)word; /* not those of a loop */
	mac[1] = (uint8_t)(word >> 8);
	mac[2] = (uint8_t)(word >> 16);
	mac[3] = (uint8_t)(word >> 24);
	mac[4] = (uint8_t)high;
	mac[5] = (uint8_t)(high >> 8);
}

/*
 * Returns whether it is the port's MAC address. Any thread. Compares words: an address that
 * port_mac() has just written in parts is slow to read.
 */
static inline bool port_has_mac(const struct soft_port *port, const uint8_t mac[DCB_MAC_OCTETS])
{
	uint32_t low = (uint32_t)mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 |
		       (uint32_t)mac[3] << 24;
	uint32_t high = (uint32_t)mac[4] | (uint32_t)mac[5] << 8;

	return gauge_get(&port->link.mac) == ((uint64_t)high << 32 | low);
}

static inline struct dcb_rate port_speed(const struct soft_port *port)
{
	return (struct dcb_rate){gauge_get(&port->link.bps)};
}

static inline uint32_t port_mtu(const struct soft_port *port)
{
	return gauge_get(&port->link.mtu);
}

/*
 * Puts a configuration in force; own is the port's part of whole. Resolves the
 * defense modes (32.4). Each CNPV of the port has a congestion point: a new one
 * starts with the present queue length, an existing one takes the new parameters
 * and keeps its state. A priority that is no CNPV any more loses its congestion
 * point; its frames stay queued.
 */
void port_configure(struct soft_port *port, const struct dcb_config *whole,
		    const struct dcb_config_port *own, struct dcb_rng *rng);

/* Steps of the functions below that few frames need. */
void port_count_refused(struct soft_port *port, unsigned queue, enum buffer_verdict verdict);
void port_begin_backlog(struct soft_port *port, struct dcb_time now);
void port_count_held(struct soft_port *port, struct dcb_frame *frame);
struct cp_verdict port_cp_frame_in(struct soft_port *port, unsigned priority, uint32_t len,
				   struct dcb_rng *rng);

/*
 * Take room for a frame of len octets in the account of its priority, or of the
 * control queue. Return the account, for frame->account; NULL if there is no room, and
 * then count a discarded frame.
 */
static inline struct buffer_account *port_admit_to(struct soft_port *port, unsigned queue,
						   uint32_t len)
{
	struct buffer_account *account = &port->buffers.lossy[queue];
	enum buffer_verdict verdict = buffer_take(account, len);

	if (verdict == BUFFER_FITS || verdict == BUFFER_CONGESTED)
		return account;
	port_count_refused(port, queue, verdict);
	return NULL;
}

static inline struct buffer_account *port_admit(struct soft_port *port, uint8_t priority,
						uint32_t len)
{
	return port_admit_to(port, priority, len);
}

static inline struct buffer_account *port_admit_control(struct soft_port *port, uint32_t len)
{
	return port_admit_to(port, PORT_CONTROL, len);
}

/* Counts a frame discarded because no frame buffer was free. */
void port_count_no_buffer(struct soft_port *port, uint8_t priority);

/* Returns true if a queue that is not paused has frames. */
static inline bool port_wants_to_send(const struct soft_port *port)
{
	return port->queues.filled & ~port->queues.held;
}

/* A CNPV has a queue of its own, with the number of the priority, and a congestion point. */
static inline bool port_has_cp(const struct soft_port *port, unsigned queue)
{
	return port->cn.map.cnpv >> queue & 1;
}

static inline unsigned port_queue_of(const struct soft_port *port, const struct dcb_frame *frame)
{
	return frame->flags & PORT_FRAME_CONTROL ? PORT_CONTROL
						 : port->queues.tclass.queue[frame->priority];
}

/*
 * Queues a frame (EM_UNITDATA.request, 32.9.3) by frame->priority, or in the control
 * queue if frame->flags has PORT_FRAME_CONTROL. frame->account counts it; if that is
 * NULL, the account of its queue does from now on, even beyond its threshold. Returns the
 * congestion point's verdict; all zero if the queue has no congestion point.
 */
static inline struct cp_verdict port_enqueue(struct soft_port *port, struct dcb_frame *frame,
					     struct dcb_time now, struct dcb_rng *rng)
{
	unsigned queue = port_queue_of(port, frame);

	if (!port_wants_to_send(port))
		port_begin_backlog(port, now);
	frame->queued = now;
	dcb_queue_push(&port->queues.queue[queue], frame);
	if (!frame->account)
		port_count_held(port, frame);
	port->queues.filled |= (uint16_t)(1u << queue);
	if (!port_has_cp(port, queue))
		return (struct cp_verdict){0};
	return port_cp_frame_in(port, queue, frame->len, rng);
}

/*
 * Sets the paused priorities, one bit each. Their queues send nothing, including
 * frames of other priorities in the same queue.
 */
void port_pause(struct soft_port *port, uint8_t paused, struct dcb_time now);

/*
 * Pauses the priorities that the PFC receiver has paused, except those that the
 * watchdog drops or forwards.
 */
void port_update_pause(struct soft_port *port, struct dcb_time now);

/* Returns the peaks of the running interval, to write. The port has port->peaks. */
static inline struct pfc_peaks *port_peaks_now(struct port_peaks *p, unsigned priority)
{
	uint64_t interval = gauge_get(&p->interval);
	struct port_peak *peak = &p->of[priority][interval % 2];

	if (peak->interval != interval) {
		gauge_set(&peak->is.longest_ns, UINT64_C(0));
		gauge_set(&peak->is.queue_octets, UINT64_C(0));
		__atomic_store_n(&peak->interval, interval, __ATOMIC_RELEASE);
	}
	return &peak->is;
}

/* Notes how long the queues of these priorities, one bit each, are. */
void port_note_queues(struct soft_port *port, unsigned priorities);

/*
 * Returns true if the watchdog discards frames of this priority, and counts one
 * such frame. Called before a frame is admitted.
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

/* Discards the queued frames of a priority. Returns their number. */
uint32_t port_discard_priority(struct soft_port *port, struct frame_pool *pool, unsigned priority);

/* Returns true if port_transmit() stopped for a refill and the port still has frames to send. */
static inline bool port_needs_refill(const struct soft_port *port)
{
	return port->queues.needs_refill && port_wants_to_send(port);
}

/* Returns the queue that a priority maps to. */
static inline struct dcb_queue *port_queue(struct soft_port *port, unsigned priority)
{
	return &port->queues.queue[port->queues.tclass.queue[priority]];
}

/*
 * Sends the frames that are due at now and returns their buffers to the pool.
 * Returns 0, or an errno if the interface is gone or down. With ETS, a port with
 * has_source stops when a queue is empty: port_needs_refill() is true then, and the
 * caller refills the queues and calls again.
 */
int port_transmit(struct soft_port *port, struct frame_pool *pool, struct dcb_time now);

/*
 * Returns true if frames of the priority could leave without being queued: the port has no frames
 * and no limits, and its interface accepts frames.
 */
static inline bool port_passes(const struct soft_port *port, unsigned priority)
{
	return !port->queues.filled && !port->blocked && port->up && !port->oper.ets &&
	       !(port->queues.held >> port->queues.tclass.queue[priority] & 1) &&
	       !(port->pfc.watchdog.engine.dropping >> priority & 1) &&
	       dcb_rate_is_unlimited(port->base.settings.rate) &&
	       !gauge_get(&port->link.by_priority);
}

/*
 * Sends up to PORT_SEND_BATCH frames of one priority for which port_passes() is true, as if each
 * had been queued and sent before the next one. Returns how many left; the port is blocked if some
 * did not, or port_transmit() will report the error. port_passed() is then to be called for those
 * that left: it counts them in and out of the congestion point, all or up to the first one that
 * causes a CNM. Returns how many it has counted; verdict->cnm tells whether the last one causes a
 * CNM, and then *verdict is that frame's. n is not 0.
 */
unsigned port_pass(struct soft_port *port, const struct iovec *frames, unsigned n,
		   unsigned priority, struct dcb_time now);
unsigned port_passed(struct soft_port *port, const struct iovec *frames, unsigned n,
		     unsigned priority, struct dcb_rng *rng, struct cp_verdict *verdict);

/*
 * Returns false if port_transmit() would send and discard nothing, because the port rate allows
 * no frame yet. Of many ports with frames queued, few are due at the same time.
 */
static inline bool port_is_due(const struct soft_port *port, struct dcb_time now)
{
	const struct port_queues *q = &port->queues;

	return limiter_is_due(&q->limiter, now) || !dcb_time_before(now, q->expires) ||
	       q->needs_refill;
}

/* Returns when to call port_transmit() again; DCB_TIME_NEVER: only after another event. */
struct dcb_time port_deadline(const struct soft_port *port);

/*
 * Before another port is detached: its queued frames here are no longer counted in
 * from, the accounts of that port, but in those of this port.
 */
void port_take_over_frames(struct soft_port *port, struct port_buffers *from);

/* Discards and counts all queued frames: the link went down. */
void port_flush(struct soft_port *port, struct frame_pool *pool);

/* Copy counters and gauges to out. Any thread. */
void port_read_cp(const struct soft_port *port, unsigned priority, struct cp_stats *out);
void port_read_pfc(const struct soft_port *port, unsigned priority, struct pfc_stats *out);
void port_read_ecn(const struct soft_port *port, unsigned priority, struct ecn_stats *out);
/* Reads the peaks since the last call, and begins an interval. Control thread. */
void port_take_peaks(struct soft_port *port, struct pfc_peaks out[DCB_PRIORITIES]);
void port_read_buffer(const struct soft_port *port, unsigned priority, struct buffer_stats *out);
void port_read_pfc_watchdog(const struct soft_port *port, unsigned priority,
			    struct pfc_watchdog_stats *out);
void port_read_pfc_port(const struct soft_port *port, struct pfc_port_stats *out);
void port_read_measure(const struct soft_port *port, struct pfc_measure_stats *out);
void port_read(const struct soft_port *port, struct port_stats *out);

#endif
