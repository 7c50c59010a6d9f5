/* SPDX-License-Identifier: BSD-3-Clause */
/* Raises events when managed objects change. Control thread only. */
#ifndef DCB_CONTROL_EVENT_WATCH_H
#define DCB_CONTROL_EVENT_WATCH_H

#include "control/managed/managed.h"

/*
 * published: raises dcbErroredPortCreated and dcbErroredPortDeleted for the rows of
 * ieee8021CnErroredPortTable (32.2.4) that the new configuration creates and deletes.
 * mismatch: raises dcbDcbxMismatch or dcbDcbxMismatchCleared, see struct dcbx_outcome.
 */
extern const struct managed_ops event_watch_ops;

struct event_poll;

/* Seconds without a discard before event_poll() raises the event again for a priority or port. */
#define EVENT_POLL_QUIET_S 60

/* Quanta by which the headroom has to change for event_poll() to raise an event. */
#define EVENT_HEADROOM_QUANTA 8

/*
 * The counters that event_poll() read last. transit_ms: the maximum bridge transit delay,
 * 0: none. event_poll_new() returns NULL if out of memory.
 */
struct event_poll *event_poll_new(uint32_t transit_ms);
void event_poll_free(struct event_poll *poll);
/*
 * Reads the counters of all ports; to be called once a second. Raises
 * dcbPfcHeadroomChanged for a port with PFC whose headroom in force, its basis or its way
 * changed, also if that was while its link was down or it had no PFC, dcbPfcHeadroomInsufficient
 * for a priority with PFC whose input buffer discards frames, dcbLearnLimitReached for a port that
 * does not learn an address because of its limit, and for a port with PFC when the
 * frame memory or pfc.buffer of dcbd.conf begins to be less than its headroom needs; logs the sum
 * then, and once when it fits again. Logs, once for each port, priority, buffer and rate, that
 * frames exceeded the transit delay (36.2.5) without being paused, if a full queue lasts longer
 * than that at this rate.
 */
void event_poll(struct event_poll *poll, const struct managed *m, struct dcb_time now);

/*
 * The counters of the port in this slot do not continue: those that it has now are no events, and
 * the next call of event_poll() compares with them.
 */
void event_poll_discontinuity(struct event_poll *poll, const struct managed *m, uint16_t slot);

/*
 * What the device of the port in this slot has, or whether values are in force, may have changed:
 * raises dcbHardwareChanged, and logs it, when values begin or cease to be refused or to differ.
 */
void event_poll_hardware(struct event_poll *poll, const struct managed *m, uint16_t slot,
			 struct dcb_time now);

/*
 * Raises dcbPfcStorm for the priorities in stormed and dcbPfcStormRestored for those in
 * ended, one bit each, of the port in this slot.
 */
void event_watch_storm(const struct managed *m, uint16_t slot, uint8_t stormed, uint8_t ended,
		       struct dcb_time now);

/* Raises dcbMacsecPnExhausted for the port with this MACsec: a key has no packet numbers left. */
void event_watch_macsec(const struct managed *m, const struct port_macsec *macsec,
			struct dcb_time now);

#endif
