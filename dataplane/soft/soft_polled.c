/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interfaces that are polled. Dataplane thread.
 *
 * While an interface's descriptor is in the set of epoll, the kernel notes each arriving frame
 * there, under a lock: in the context of the sender, and for a twelfth of what receiving the frame
 * costs. So an interface from which several frames come at a time is taken out of the set, and
 * served in each turn of the loop, which then does not block, until fewer come. The loop pauses
 * after a turn in which several frames came from a link, and no batch was full: RECV_PAUSE_NS. For
 * the frames of a station's host it does not pause: while several come in each turn, the loop uses
 * all of the processor, and when fewer come it waits again.
 *
 * A note of a frame took 6 % of the sender's processor time for the frame, and 4 to 5 % of dcbd's.
 *
 * Not with PFC or PAUSE, as there is no pause either: the loop would use the processor all the
 * time.
 *
 * If the kernel refuses to take a descriptor into the set, for want of memory or of watches of the
 * user, its interface is polled with a pause in each turn. The next attempt is in the next second,
 * as for the descriptor of the times at which frames left, which is not polled.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "lib/log.h"

#include <errno.h>
#include <string.h>

/*
 * (C) After a turn with a batch of several frames and with no full one, the next turn begins this
 * much later, in ns: the sender is slower than this thread, and each few of its next frames would
 * wake it, which costs a sender on this machine more than a frame does. Not with PFC or PAUSE: the
 * time in which a port reacts is part of the neighbor's headroom.
 */
#define RECV_PAUSE_NS 15000

static void begin(struct watch *w)
{
	if (w->is_polled)
		return;
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

void soft_poll_end(struct watch *w)
{
	struct soft *s = w->soft;

	if (!s->only_polls && event_add(&w->recv, NULL) == 0) {
		soft_poll_forget(w);
		return;
	}
	if (!s->only_polls)
		/*
		 * Message: The port works, at the cost of processor time: the kernel refuses to
		 * wake dcbd for its frames, for this reason, such as a limit of watches or of
		 * memory. Raise the limit.
		 */
		log_warn_limited("port", "%s: polled, as epoll refuses its descriptor: %s",
				 w->port->base.link.name, strerror(errno));
	s->only_polls = true;
	s->pauses = true;
	begin(w);
}

void soft_poll_after(struct watch *w, int n)
{
	bool several;

	if (n < 0)
		return;
	several = n >= SOFT_SEVERAL && !soft_is_prompt(w->soft);
	if (several && !w->is_polled && w->port->up) {
		event_del(&w->recv);
		begin(w);
	}
	if (!several && w->is_polled)
		soft_poll_end(w);
}

void soft_poll(struct soft *s)
{
	struct watch *w;

	for (w = LIST_FIRST(&s->polled); w; w = s->polled_then) {
		s->polled_then = LIST_NEXT(w, polled);
		soft_poll_after(w, soft_serve(w));
	}
}

int64_t soft_pause_ns(struct soft *s)
{
	int64_t ns = s->pauses && !s->has_more ? RECV_PAUSE_NS : 0;
	int64_t for_others_ns = realtime_end_turn(&s->realtime, s->turn_frames, s->has_more);

	s->pauses = s->has_more = false;
	s->turn_frames = 0;
	return ns > for_others_ns ? ns : for_others_ns;
}

void soft_watch_stamp(struct watch *w)
{
	w->lacks_stamp = event_initialized(&w->stamp) && event_add(&w->stamp, NULL) < 0;
	if (!w->lacks_stamp)
		return;
	/*
	 * Message: The headroom measurement does without these times meanwhile. Raise the limit
	 * that the reason names.
	 */
	log_warn_limited("port",
			 "%s: no times of its sent frames, as epoll refuses their descriptor: %s; "
			 "retry in 1 s",
			 w->port->base.link.name, strerror(errno));
	w->soft->lacks_stamps = true;
}

void soft_retry_stamps(struct soft *s)
{
	const struct dcb_config *config = s->ports->config;

	if (!s->lacks_stamps)
		return;
	s->lacks_stamps = false;
	for (size_t i = 0; config && i < config->n_ports; i++) {
		struct soft_port *port = soft_port_of(config->ports[i].port);
		struct watch *w = soft_iface_of(port)->wire.watch;

		if (w && w->lacks_stamp)
			soft_watch_stamp(w);
	}
}
