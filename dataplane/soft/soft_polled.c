/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interfaces that are polled. Dataplane thread.
 *
 * While an interface's descriptor is in the set of epoll, the kernel notes each arriving frame
 * there, under a lock: in the context of the sender, and for a twelfth of what receiving the frame
 * costs. So an interface from which several frames come at a time is taken out of the set, and
 * served in each turn of the loop, which then does not block, until fewer come. Between two turns
 * the loop pauses: RECV_PAUSE_NS.
 *
 * Not with PFC or PAUSE, as there is no pause either: the loop would use the processor all the
 * time.
 */
#include "dataplane/soft/provider_soft_private.h"

static void begin(struct watch *w)
{
	event_del(&w->recv);
	w->is_polled = true;
	LIST_INSERT_HEAD(&w->soft->polled, w, polled);
}

void soft_poll_forget(struct watch *w)
{
	if (!w->is_polled)
		return;
	w->is_polled = false;
	if (w->soft->polled_then == w)
		w->soft->polled_then = LIST_NEXT(w, polled);
	LIST_REMOVE(w, polled);
}

void soft_poll_after(struct watch *w, int n)
{
	bool several;

	if (n < 0)
		return;
	several = n >= SOFT_SEVERAL && !soft_is_prompt(w->soft);
	if (several && !w->is_polled && w->port->up)
		begin(w);
	if (several || !w->is_polled)
		return;
	soft_poll_forget(w);
	event_add(&w->recv, NULL);
}

void soft_poll(struct soft *s)
{
	struct watch *w;

	for (w = LIST_FIRST(&s->polled); w; w = s->polled_then) {
		s->polled_then = LIST_NEXT(w, polled);
		soft_poll_after(w, soft_serve(w));
	}
}
