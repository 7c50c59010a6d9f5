/* SPDX-License-Identifier: BSD-3-Clause */
/* What provider_soft.c (control thread) and soft_thread.c (dataplane thread) share. */
#ifndef DCB_DATAPLANE_SOFT_PROVIDER_SOFT_PRIVATE_H
#define DCB_DATAPLANE_SOFT_PROVIDER_SOFT_PRIVATE_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/netio/netio.h"
#include "dataplane/soft/provider_soft.h"
#include "lib/ring.h"
#include "dataplane/station/station.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <pthread.h>

struct soft {
	struct provider base;
	struct provider_soft_params params;

	/* Control thread. */
	struct soft_port *open[DCB_SLOTS];
	uint64_t generation_reported;

	/* Control to dataplane thread. */
	const struct dcb_config *published;
	bool links_changed;
	bool stop;
	int wake_fd;

	/* Dataplane to control thread. */
	uint64_t generation_adopted;
	struct ring *events;
	uint64_t events_lost;
	uint64_t loops;
	int event_fd;

	/* Dataplane thread. */
	struct port_set *ports; /* of whichever of the two it is; NULL: not made yet */
	union {
		struct bridge bridge;
		struct station station;
	};
	struct event_base *loop;
	struct event wake, timer, tick;
	int timer_fd;
	struct dcb_time armed; /* what timer_fd is set to */
	struct dcb_time ticked;
	bool uses_pfc;          /* any port, by the configuration in force */
	struct dcb_time turned; /* without a thread: what time it was last */
	pthread_t thread;
	bool has_thread;
};

/* A port, and what its provider has besides. */
struct soft_iface {
	struct soft_port port; /* first: soft_iface_of() */

	/* Control thread, but the dataplane thread while a configuration in force names it. */
	struct watch *watch;           /* for port.io; NULL: it has no descriptors */
	struct host_watch *host_watch; /* for a station's other side */

	/* Control thread. */
	bool waiting; /* the interface is down: port.io is nothing yet */

	/* Control thread to dataplane thread. */
	struct watch *opened; /* of an interface now up: soft_take_opened() */
	bool link_up;         /* the link's state ... */
	uint32_t link_seq;    /* ... and how often something of the link was given */

	/* Dataplane thread. */
	uint32_t link_seen; /* link_seq that was acted on */
};

static inline struct soft_iface *soft_iface_of(const struct soft_port *port)
{
	return (struct soft_iface *)port;
}

/* The event loop's view of a port with descriptors. */
struct watch {
	struct soft *soft;
	struct soft_port *port;
	struct netio *io; /* of an interface that was opened late: see soft_take_opened() */
	struct event recv, send;
};

/* ... and of the host side of a station's port. */
struct host_watch {
	struct soft *soft;
	struct soft_port *port;
	struct netio *io;
	struct event recv;
};

/* What the ports ask of their host. */
extern const struct port_set_ops soft_port_ops;

/* Up to max frames of a port arrive: how many, or -errno. */
int soft_receive(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now);

/* Up to max frames that the station's host sends by a port: how many, or -errno. */
int soft_from_host(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now);

/* Sends what is due; when to call again, for which the timer is set. */
struct dcb_time soft_transmit(struct soft *s, struct dcb_time now);

/* Acts on what the control thread published and said of links. */
void soft_follow(struct soft *s);

/* The time: without a thread, as it was when the caller last said. */
struct dcb_time soft_now(const struct soft *s);

/* Takes over what the control thread opened late. false: nothing. */
bool soft_take_opened(struct soft_iface *iface);

/* soft_host.c: a station's port gets its tap; loses it; the interface changed. */
bool soft_open_host(struct soft *s, struct soft_iface *iface, char *err, size_t errlen);
void soft_close_host(struct soft_iface *iface);
void soft_follow_wire(struct soft_port *port, const struct link_info *was);

/* The event loop, and the thread in it. start: 0 or an errno. */
bool soft_make_loop(struct soft *s);
void soft_free_loop(struct soft *s);
int soft_start_thread(struct soft *s);
void soft_stop_thread(struct soft *s);

#endif
