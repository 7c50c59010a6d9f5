/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of provider "soft" to the control thread, in a ring with a descriptor. Dataplane thread.
 */
#include "dataplane/soft/provider_soft_private.h"

#include <sys/eventfd.h>

#include "lib/counter.h"

/* Returns false if the ring has no room for it: the event is lost. */
static bool post(struct soft *s, const struct provider_event *event)
{
	struct provider_event *ev = ring_reserve(s->events);

	if (!ev)
		return false;
	*ev = *event;
	ring_commit(s->events);
	(void)eventfd_write(s->event_fd, 1);
	return true;
}

void soft_post_rare(struct soft *s, const struct provider_event *event)
{
	if (!post(s, event))
		counter_add(&s->events_lost, 1);
}

bool soft_post_frequent(struct soft *s, const struct provider_event *event)
{
	return !ring_is_half_full(s->events) && post(s, event);
}

bool soft_post_measured(struct soft *s, const struct soft_port *port)
{
	return soft_post_frequent(
	    s, &(struct provider_event){.type = PROVIDER_MEASURED, .slot = port->base.slot});
}

bool soft_post_macsec(struct soft *s, const struct soft_port *port)
{
	return soft_post_frequent(
	    s, &(struct provider_event){.type = PROVIDER_MACSEC, .slot = port->base.slot});
}
