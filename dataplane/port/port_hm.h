/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom measurement of a port (P802.1Qdt 36.9): passes HMPDUs, with their times, to the
 * engine of core/hm.h and sends its own.
 *
 *   port_receive() -> port_hm_receive() -> engine: at most two HMPDUs wait
 *   port_set_transmit() -> port_hm_run() -> engine -> netio send_stamped()
 *                          port_hm_times() <- when they left
 *
 * Received HMPDUs are answered at the end of the turn: the engine compensates the time
 * that they wait. HMPDUs are sent as PFC frames are, ahead of the nine queues and of what
 * waits in the interface's send buffer: they measure the way of PFC frames.
 *
 * The PFC frames that the port obeys measure item h of 36.1.1 with the same times:
 * port_response.h. Back ends of netio without times have those of the calls; links of dcbsim have
 * exact ones. A result goes through the ring of events as a wake-up, is read with the statistics,
 * and becomes a value in force of the port beside those that follow from its neighbor. A longer
 * one is not refused for lack of frame memory, because it is a property of the link:
 * control/managed/headroom_cap.h limits it.
 *
 * A link of an aggregation is a port of its own (36.7). Requests are answered on every
 * port that is up; it sends requests if dcbPfcMeasureEnable says so.
 *
 * All functions: dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_HM_H
#define DCB_DATAPLANE_PORT_PORT_HM_H

#include "dataplane/port/port.h"

/*
 * Limits the HMPDUs of a link that reach the engine: this many at once, then one in each
 * interval. A round trip has two at most. A flood costs little more than other frames.
 */
#define PORT_HM_BURST       64
#define PORT_HM_INTERVAL_NS (500 * DCB_NS_PER_US)

/*
 * If this many in PORT_HM_DROP_NS are too many, the kernel drops further ones for that time: it
 * needs a fraction of the time in which the dataplane thread reads and drops them.
 */
#define PORT_HM_EXCESS  32
#define PORT_HM_DROP_NS (20 * DCB_NS_PER_MS)

/*
 * The result that the control thread gets is rounded up to PORT_HM_STEP quanta, the accuracy
 * that 36.9.1 asks for. A longer delay takes effect at once, at intervals of
 * PORT_HM_GROW_NS; a shorter one if it is shorter by two steps, at intervals of
 * PORT_HM_SHRINK_NS, so that results of a busy host change the headroom rarely.
 */
#define PORT_HM_STEP      HM_AGREE_QUANTA
#define PORT_HM_GROW_NS   (10 * DCB_NS_PER_MS)
#define PORT_HM_SHRINK_NS DCB_NS_PER_S

/* Headroom measurement of a set of ports. */
struct port_hm_set {
	/* hm.stats.result or response_bound_ns of the port changed. Returns false if there is no
	 * room. May be NULL. */
	bool (*measured)(void *ctx, struct soft_port *port);
	/* Returns the time; NULL: that of the call in progress is exact. */
	struct dcb_time (*now)(void *ctx);
	void *ctx;
	struct deadlines due; /* ports with work to do */
};

/* Returns the port that a deadline of port_hm_set.due belongs to. */
static inline struct soft_port *port_hm_port_of(struct deadline *deadline)
{
	return (struct soft_port *)((char *)deadline - offsetof(struct soft_port, hm.deadline));
}

/* Processes a frame whose EtherType is 89-A2, also behind tags. Invalid frames are counted. */
void port_hm_receive(struct port_hm_set *s, struct soft_port *in, const uint8_t *octets,
		     uint32_t len, struct dcb_time now);

/* Counts a discarded frame. */
void port_hm_count_bad(struct soft_port *in, enum hmpdu_error error);

/*
 * Sends the HMPDUs that are due and updates result and statistics. Sets the port's deadline
 * to a time after now. Returns 0, or an errno if the interface is gone or down.
 */
int port_hm_run(struct port_hm_set *s, struct soft_port *port, struct dcb_time now);

/*
 * Measures the response time of the PFC receiver: a PFC frame that is being received has paused a
 * priority, from now on. Frames that the kernel has accepted before still leave. No effect if the
 * back end does not know when it received the frame.
 */
void port_hm_paused(struct port_hm_set *s, struct soft_port *in, struct dcb_time now);

/* Takes times at which HMPDUs left, a limited number. Called when netio.stamp_fd is readable. */
void port_hm_times(struct port_hm_set *s, struct soft_port *port, struct dcb_time now);

/* Applies configuration, state, rate and address of the port after a change. */
void port_hm_update(struct port_hm_set *s, struct soft_port *port, struct dcb_time now);

/* Asks for another measurement: 36.9.6. */
void port_hm_trigger(struct port_hm_set *s, struct soft_port *port, enum hm_trigger trigger,
		     struct dcb_time now);

/* Ends the measurement before the port is detached. */
void port_hm_leave(struct port_hm_set *s, struct soft_port *port, struct dcb_time now);

/*
 * Returns the result to hand over, given the one handed over before at a time (0: not yet)
 * and the present one, both in quanta, 0: none. *next: when to call again if it is not to
 * change yet; DCB_TIME_NEVER: after another result.
 */
uint32_t port_hm_result(uint32_t before, struct dcb_time at, uint32_t quanta, struct dcb_time now,
			struct dcb_time *next);

#endif
