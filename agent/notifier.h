/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads events from dcbd and sends them as notifications. The notifier has its
 * own connection to dcbd's control socket and reconnects when it is lost. It
 * takes one event at a time, hands it to the sender, and acknowledges it to
 * dcbd when the sender has reported success. Events not taken yet wait in dcbd,
 * which limits their number.
 */
#ifndef DCB_AGENT_NOTIFIER_H
#define DCB_AGENT_NOTIFIER_H

#include "lib/mo/mo_msg.h"

struct event_base;
struct notifier;

/* An event older than this, in milliseconds, is discarded instead of sent. */
#define NOTIFIER_AGE_MS 300000
/* Attempts to send a notification that the master does not confirm. */
#define NOTIFIER_TRIES 3

/*
 * Sends a notification of ev. If it returns true, the caller of notifier_new()
 * reports the result later by notifier_done(), with the same ticket. false: it
 * cannot be sent now, the notifier tries again after a second.
 */
typedef bool (*notifier_send_fn)(const struct mo_event *ev, uint32_t ticket);

/*
 * Creates a notifier that reads events from dcbd at socket_path and sends them
 * with send. It begins with no session: see notifier_resume(). NULL: out of
 * memory, or path too long.
 */
struct notifier *notifier_new(struct event_base *base, const char *socket_path,
			      notifier_send_fn send);
void notifier_free(struct notifier *n);

/*
 * A session with the master has begun: send from now on. The session is lost:
 * stop sending, and ignore the result for the current ticket; the event is sent
 * again after notifier_resume().
 */
void notifier_resume(struct notifier *n);
void notifier_suspend(struct notifier *n);

enum notifier_result { NOTIFIER_SENT, NOTIFIER_REFUSED, NOTIFIER_TIMEOUT };
/*
 * Reports the result for a ticket. Ignored if the ticket is not the current
 * one. Does not call the sender before it returns.
 */
void notifier_done(struct notifier *n, uint32_t ticket, enum notifier_result result);

#endif
