/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbd's events on their way to being notifications: a connection to dcbd's
 * control socket of its own, made again whenever it is lost, from which one
 * event at a time is taken, given to whoever sends notifications, and
 * acknowledged once that has worked. What has not been taken waits in dcbd, where
 * there is a limit; here there is never more than one.
 */
#ifndef DCB_AGENT_NOTIFIER_H
#define DCB_AGENT_NOTIFIER_H

#include "lib/mo/mo_msg.h"

struct event_base;
struct notifier;

/* Older than this, an event is no news and not sent any more. */
#define NOTIFIER_AGE_MS 300000
/* So often a notification is tried that is not confirmed. */
#define NOTIFIER_TRIES 3

/*
 * Sends a notification; how that went is told by notifier_done(), later and with
 * the same ticket. false: it cannot be sent, to be tried again.
 */
typedef bool (*notifier_send_fn)(const struct mo_event *ev, uint32_t ticket);

/* NULL: out of memory, or path too long. */
struct notifier *notifier_new(struct event_base *base, const char *socket_path,
			      notifier_send_fn send);
void notifier_free(struct notifier *n);

/* There is somebody to send to (again); there is nobody any more, the ticket is void. */
void notifier_resume(struct notifier *n);
void notifier_suspend(struct notifier *n);

enum notifier_result { NOTIFIER_SENT, NOTIFIER_REFUSED, NOTIFIER_TIMEOUT };
/* Never calls the sender from within. A ticket that is not the present one is ignored. */
void notifier_done(struct notifier *n, uint32_t ticket, enum notifier_result result);

#endif
