/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal declarations of provider_soft.c, iface_open.c, soft_wire.c, soft_host.c and
 * soft_memory.c (control thread), soft_thread.c and soft_events.c (dataplane thread), soft_macsec.c
 * and soft_addresses.c (both). Without a thread, the caller's thread is both.
 */
#ifndef DCB_DATAPLANE_SOFT_PROVIDER_SOFT_PRIVATE_H
#define DCB_DATAPLANE_SOFT_PROVIDER_SOFT_PRIVATE_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/macsec/port_macsec.h"
#include "dataplane/netio/netio.h"
#include "dataplane/rbridge/rbridge.h"
#include "dataplane/soft/mailbox.h"
#include "dataplane/soft/provider_soft.h"
#include "lib/realtime.h"
#include "lib/ring.h"
#include "dataplane/station/station.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/queue.h>

_Static_assert(offsetof(struct rbridge, native) == 0, "its bridge is struct soft.bridge");

struct soft {
	struct provider base;
	struct provider_ops ops; /* of base: with the name of params */
	struct provider_soft_params params;

	/* Control thread. */
	struct soft_port *open[DCB_SLOTS];
	uint16_t grow_next; /* slot whose ring is considered first */
	uint64_t generation_reported;
	struct port_buffer_sums sums; /* of published, if that has sums_generation */
	uint64_t sums_generation;     /* 0: there are no sums */

	/* Control thread writes, dataplane thread reads. */
	const struct dcb_config *published;
	bool links_changed;
	bool stop;
	bool parks; /* soft_park() */
	sem_t resumed;
	int wake_fd;

	/* Dataplane thread writes, control thread reads. */
	uint64_t generation_adopted;
	sem_t parked;
	struct ring *events;
	uint64_t events_lost;
	uint64_t loops;
	struct realtime realtime; /* of the dataplane thread */
	uint8_t realtime_state;   /* enum provider_rt_state */
	int event_fd;

	/* Dataplane thread. */
	const struct engine_ops *engine;
	struct port_set *ports; /* of the engine; NULL: not initialized yet */
	union {
		struct bridge bridge; /* of a bridge, and that in an RBridge */
		struct rbridge rbridge;
		struct station station;
	};
	struct event_base *loop;
	struct event wake, timer, tick;
	int timer_fd;
	int tick_fd;
	struct dcb_time armed;  /* expiration of timer_fd */
	struct dcb_time ticked; /* without a thread: time of the last bridge_tick() */
	bool pauses;            /* frames arrive in quick succession: RECV_PAUSE_NS */
	bool has_more;          /* a batch was full in this turn: no pause */
	unsigned turn_frames;   /* that were received in this turn */
	bool only_polls;        /* the kernel refused a descriptor since the last tick */
	bool lacks_stamps;      /* a port lacks_stamp */
	LIST_HEAD(watch_list, watch) polled;
	struct watch *polled_then; /* the one after that which soft_poll() serves */
	/* Ports that have PFC, that obey PAUSE, and that measure, in the configuration adopted. */
	size_t pfc_ports, pause_ports, measuring_ports;
	struct soft_iface *secure; /* attached ports with MACsec, by soft_iface.secure_next */
	struct dcb_time last_call; /* without a thread: time of the last call */
	pthread_t thread;
	bool has_thread;
};

/* A side of a port: the interface of its link, or the tap of a station's port. */
struct iface_open {
	/* Dataplane thread while the configuration in force names the port, else control thread. */
	struct watch *watch; /* of the interface in use; NULL: none, or it has no descriptors */

	/* Both threads: opened interfaces, and those to close. */
	struct mailbox mailbox;

	/* Control thread. */
	struct netio *io;      /* opened last; NULL: not open, or memory port */
	unsigned failures;     /* in a row, to open it or to use it */
	struct dcb_time retry; /* when to open it again; DCB_TIME_NEVER: not due */
	char error[128];       /* why it cannot be used; empty: it can */
	/* The closing of io instead of that of from restores what opening changed; or NULL. */
	void (*inherit)(struct netio *io, struct netio *from);
};

/* A port of provider "soft". */
struct soft_iface {
	struct soft_port port; /* first member: soft_iface_of() */
	struct port_peaks peaks;
	struct iface_open wire, host;

	/* Constant. */
	struct port_macsec *macsec; /* NULL: none */

	/* Control thread. */
	struct port_fault fault;
	uint32_t ring_octets;    /* of the interface opened last; 0: none yet */
	uint32_t ring_longest;   /* likewise: frame that the port had, octets */
	uint64_t lost_seen;      /* frames lost in the kernel, when the ring was last considered */
	struct dcb_time grow_at; /* the ring does not grow before: see soft_wire_grow() */

	/* Control thread writes, dataplane thread reads. */
	bool link_up;      /* state of the link */
	uint32_t link_seq; /* number of link updates */

	/* Dataplane thread. */
	uint32_t link_seen;   /* link_seq of the last update that was applied */
	bool received;        /* frames, since the frames lost in the kernel were last read */
	uint64_t lost_before; /* frames lost in the kernel by interfaces that were replaced */
	struct soft_iface *secure_next;
	bool was_secure;       /* the SecY was operational when port_hm last looked */
	uint64_t used_up;      /* port_macsec_stats.used_up that the control thread was told */
	uint64_t secy_ns_told; /* port_macsec_stats.delay_ns likewise */
};

static inline struct soft_iface *soft_iface_of(const struct soft_port *port)
{
	return (struct soft_iface *)port;
}

/* Events of a port with descriptors. */
struct watch {
	struct mailbox_item item; /* first member: watch_of() */
	struct soft *soft;
	struct soft_port *port;
	struct netio *io; /* port->io, or what take_opened() makes it */
	uint32_t slots;   /* of the receive ring of io, at most; 0: it has none */
	struct event recv, send, stamp;

	/* Dataplane thread. */
	int (*receive)(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now);
	bool is_polled;   /* instead of the event recv: soft_poll() */
	bool lacks_stamp; /* epoll has refused the descriptor of the event stamp */
	LIST_ENTRY(watch) polled;
};

static inline struct watch *watch_of(struct mailbox_item *item)
{
	return (struct watch *)item;
}

/* Host functions of the port set. */
extern const struct port_set_ops soft_port_ops;

/* Removes aged addresses. Called about once a second. */
static inline void soft_age(struct soft *s, struct dcb_time now)
{
	if (s->engine->tick)
		s->engine->tick(s->ports, now);
}

/* Receives up to max frames of a port. Returns their number, or -errno. */
int soft_receive(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now);

/* Receives up to max frames that the station's host sends by a port. Returns as above. */
int soft_from_host(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now);

/* (C) So many frames at a time, and more will come at once. */
#define SOFT_SEVERAL 4

/*
 * Serves a port or its host side by w->receive: a limited number of frames, so that others are
 * served. Returns the number of frames that came last, or -errno: then w may be the control
 * thread's.
 */
int soft_serve(struct watch *w);

/*
 * soft_thread.c, dataplane thread. After n frames were served, polls w from now on, or no longer;
 * serves those that are polled, in each turn of the loop; forgets one that gets no frames any more;
 * returns at the end of a turn after how many ns the next one begins.
 */
void soft_poll_after(struct watch *w, int n);
/*
 * Waits for the times at which frames of the port left, if its interface has them. If epoll refuses
 * the descriptor, soft_retry_stamps() tries again: in each tick. Dataplane thread.
 */
void soft_watch_stamp(struct watch *w);
void soft_retry_stamps(struct soft *s);
void soft_poll(struct soft *s);
void soft_poll_forget(struct watch *w);
int64_t soft_pause_ns(struct soft *s);

/* Sends the frames that are due and sets the timer. Returns when to call again. */
struct dcb_time soft_transmit(struct soft *s, struct dcb_time now);

/*
 * soft_memory.c, control thread: checks that the frame memory holds what a configuration
 * promises. Returns false with *why if it does not, unless the configuration in force
 * needs as much, or differs only by ports that it does not have, or config restores.
 */
bool soft_memory_check(struct soft *s, const struct dcb_config *config,
		       struct provider_refusal *why);
/*
 * Makes the frame buffers larger if the longest frame follows the MTU and this permits longer ones.
 * Returns whether it did. Control thread.
 */
bool soft_memory_take_mtu(struct soft *s, uint32_t mtu);
/* The configuration replaces s->published. Control thread. */
void soft_memory_commit(struct soft *s, const struct dcb_config *config);

/*
 * soft_macsec.c. Control thread: gives a port that is being opened the MACsec of its name, which
 * no other port can have at the same time; false: err. Takes it back from a port that is closed.
 * Puts its SecY in front of an opened link; returns io without MACsec, NULL without memory.
 */
bool soft_macsec_find(struct soft *s, struct soft_iface *iface, char *err, size_t errlen);
void soft_macsec_release(struct soft_iface *iface);
struct netio *soft_macsec_open(const struct soft_iface *iface, struct netio *io);
/*
 * Dataplane thread: a port is attached or detached; the MTU of its link may have changed; once
 * each turn, reservations come into force, and the control thread and the measurement get to know
 * changes.
 */
void soft_macsec_attach(struct soft *s, struct soft_iface *iface);
void soft_macsec_detach(struct soft *s, struct soft_iface *iface);
void soft_macsec_take_mtu(struct soft_iface *iface);
void soft_macsec_link_up(struct soft_iface *iface);
void soft_macsec_run(struct soft *s, struct dcb_time now);
/*
 * soft_events.c, dataplane thread. An event that the network cannot cause at any rate; any other,
 * for which there is half of the ring: false, there is no room.
 */
void soft_post_rare(struct soft *s, const struct provider_event *event);
bool soft_post_frequent(struct soft *s, const struct provider_event *event);
/* Packet numbers of the port are needed or used up; it has measured a delay. false: no room. */
bool soft_post_macsec(struct soft *s, const struct soft_port *port);
/* The result is read when the event is processed: the last of several counts. */
bool soft_post_measured(struct soft *s, const struct soft_port *port);

/*
 * soft_thread.c, any thread: sets the members of *out about the real time and the processor of the
 * dataplane thread.
 */
void soft_read_schedule(const struct soft *s, struct provider_stats *out);
/*
 * From soft_park() until soft_resume() the dataplane thread waits between two turns, and the
 * control thread may change its members. Frames wait in the receive rings.
 */
void soft_park(struct soft *s);
void soft_resume(struct soft *s);

/* soft_addresses.c: struct provider_ops.read_addresses. Any thread. */
bool soft_read_addresses(const struct provider *p, struct fdb_addresses *out);

/* Applies the published configuration and link updates of the control thread. */
void soft_apply_updates(struct soft *s);

/* Returns the time; without a thread, the time of the caller's last call. */
struct dcb_time soft_now(const struct soft *s);

/*
 * iface_open.c. Wakes the dataplane thread; tells it that the state of the link or the interface
 * changed. Control thread.
 */
void soft_wake(struct soft *s);
void soft_announce_link(struct soft_iface *iface);

/*
 * iface_open.c, control thread. iface_open_failed() notes that an attempt to open the
 * side failed, iface_open_error() that it cannot be used; both schedule the next attempt, and
 * the second returns the time until then. iface_open_done() notes that it is open: if it
 * fails again before the next attempt is due, the back-off goes on.
 * iface_open_end_retries() ends it.
 */
void iface_open_failed(struct soft_iface *iface, struct iface_open *side, const char *why,
		       struct dcb_time now);
int64_t iface_open_error(struct soft_iface *iface, struct iface_open *side, const char *why,
			 struct dcb_time now);
void iface_open_done(struct soft_iface *iface, struct iface_open *side, struct dcb_time now);
void iface_open_end_fault(struct soft_iface *iface, struct iface_open *side);
void iface_open_end_retries(struct soft_iface *iface, struct iface_open *side);
/*
 * Offers an opened interface to the dataplane thread, NULL: none. Closes those that the
 * dataplane thread does not use. iface_open_collect() puts them in front of the list instead, for
 * soft_close_watch(), which any thread may call; returns their number.
 */
void iface_open_offer(struct iface_open *side, struct watch *w);
void iface_open_close_returned(struct iface_open *side);
unsigned iface_open_collect(struct iface_open *side, struct mailbox_item **list);
void soft_close_watch(struct watch *w);
/* Returns NULL if there is no memory. */
struct watch *soft_new_watch(struct soft_iface *iface, struct netio *io);

/*
 * soft_wire.c: returns the size of a port's receive ring: for the rate of its link, or its share
 * of the memory (octets; 0: any) if that is less. ports: that have to share the memory.
 * soft_ring_grown() returns a greater size than octets for a port that has lost frames, or octets
 * if its link needs no more, or all rings, with used octets, have no more of the memory.
 */
uint32_t soft_ring_octets(uint64_t memory, unsigned ports, struct dcb_rate speed);
uint32_t soft_ring_grown(uint64_t memory, uint64_t used, uint32_t octets, struct dcb_rate speed);

/*
 * soft_wire.c, control thread. Open the port's interface if its link is up; open those of all ports
 * before the first configuration; open it after a change of the link, if it is not open or has
 * another name; note an error that the dataplane thread reported; try again when that is due;
 * close it; close those of all ports, which move no frames any more.
 */
void soft_wire_open(struct soft_iface *iface);
void soft_wire_open_all(struct soft *s);
void soft_wire_close_all(struct soft *s);
void soft_wire_update(struct soft_iface *iface);
void soft_wire_failed(struct soft_iface *iface, int error);
void soft_wire_retry(struct soft_iface *iface, struct dcb_time now);
/*
 * Once each tick: close the interfaces that the dataplane thread gave back; open those of ports
 * that have lost frames again with larger rings, as far as the memory has room.
 */
void soft_wire_close_returned(struct soft *s);
void soft_wire_grow(struct soft *s, struct dcb_time now);
void soft_wire_close(struct soft_iface *iface);

/*
 * soft_host.c, control thread. Create the tap of a station's port; apply a change of the
 * link's address, MTU or state to it (was: before the change); create it again when that
 * is due, or after it was deleted; delete it. soft_host_open() returns false if there is no
 * memory, soft_host_retry() whether the port has its tap, or needs none.
 */
bool soft_host_open(struct soft *s, struct soft_iface *iface);
void soft_host_update(struct soft_iface *iface, const struct link_info *was);
bool soft_host_retry(struct soft_iface *iface, struct dcb_time now);
void soft_host_close(struct soft_iface *iface);

/*
 * Create and free the event loop, start and end the dataplane thread. Control thread.
 * soft_start_thread() returns 0 or an errno.
 */
bool soft_make_loop(struct soft *s);
void soft_free_loop(struct soft *s);
int soft_start_thread(struct soft *s);
void soft_stop_thread(struct soft *s);

#endif
