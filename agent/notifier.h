/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads events from dcbd and sends them as notifications, in dcb-agentx and in
 * the module of snmpd, each with its own event loop. The notifier has its own
 * connection to dcbd's control socket and reconnects when it is lost. It
 * takes one event at a time, hands it to the sender, and acknowledges it to
 * dcbd when the sender has reported success. Events not taken yet wait in dcbd,
 * which limits their number.
 *
 * That dcbd has ended, and is not slow, shows in two ways: its connection is closed, and no
 * process listens at either socket. The objects are hidden then, after more than a restart
 * takes: see mib_hide(). The answers are those of a subagent that has ended, but the
 * registrations stay: none can be refused or lost when dcbd is back, and snmpd keeps pointers
 * into those of requests in progress.
 *
 * The next notifier gets the events that were not acknowledged; after five minutes dcbd's events
 * are dropped.
 */
#ifndef DCB_AGENT_NOTIFIER_H
#define DCB_AGENT_NOTIFIER_H

#include "lib/mo/mo_msg.h"

struct notifier;

/* An event older than this, in milliseconds, is discarded instead of sent. */
#define NOTIFIER_AGE_MS 300000
/* A restart of dcbd takes less, milliseconds. */
#define NOTIFIER_ENDED_MS 4000
/* Attempts to send a notification that the master does not confirm. */
#define NOTIFIER_TRIES 3

enum notifier_sending {
	NOTIFIER_BUSY,    /* it cannot be sent now: the notifier tries again after a second */
	NOTIFIER_PENDING, /* notifier_done() reports the result later, with the same ticket */
	NOTIFIER_TAKEN,   /* it is sent, no result follows */
};

struct notifier_ops {
	/* Sends a notification of ev. */
	enum notifier_sending (*send)(const struct mo_event *ev, uint32_t ticket);
	/*
	 * Begins to watch fd: notifier_read() is to be called while it is readable. -1:
	 * ends it, before fd is closed.
	 */
	void (*watch)(int fd);
	/*
	 * true: no dcbd has accepted a connection for NOTIFIER_ENDED_MS: it has ended. It is not
	 * called for a dcbd that is slow, or that refuses this client. false: it is back. Called
	 * by notifier_run().
	 */
	void (*ended)(bool ended);
	/*
	 * Returns the boot id of the dcbd that answered a request last, 0 if none has. Another
	 * one: a dcbd has started since, which may have ended before the notifier tried to connect.
	 */
	uint32_t (*boot_id)(void);
};

/*
 * Creates a notifier that reads events from dcbd at socket_path. It begins with
 * no session: see notifier_resume(). NULL: out of memory, or path too long. dcbd has not ended
 * while it accepts connections at view_path; NULL: there is no other socket.
 *
 * now_ms is always CLOCK_MONOTONIC in milliseconds, which dcbd's events have too.
 */
struct notifier *notifier_new(const char *socket_path, const char *view_path,
			      const struct notifier_ops *ops);
void notifier_free(struct notifier *n);

/*
 * Connects and sends when the time has come. To be called after each other
 * function, and at the time that it returns (INT64_MAX: none). Does not block.
 */
int64_t notifier_run(struct notifier *n, int64_t now_ms);
/* Reads a message from dcbd. */
void notifier_read(struct notifier *n);

/*
 * A session with the master has begun: send from now on. The session is lost:
 * stop sending, and ignore the result for the current ticket; the event is sent
 * again after notifier_resume().
 */
void notifier_resume(struct notifier *n);
void notifier_suspend(struct notifier *n);

enum notifier_result { NOTIFIER_SENT, NOTIFIER_REFUSED, NOTIFIER_TIMEOUT };
/* Reports the result for a ticket. Ignored if the ticket is not the current one. */
void notifier_done(struct notifier *n, uint32_t ticket, enum notifier_result result);

#endif
