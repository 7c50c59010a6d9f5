/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interfaces of the links, for provider "soft": opened, opened again after a failure or for
 * a longer ring, and retried with back-off when that failed. Control thread.
 *
 *   soft_wire_open(), soft_wire_open_all() --- watch --> attached, moves frames
 *   soft_wire_update(), soft_wire_retry()
 *        --- offered ---> dataplane thread: takes it in place of the former one
 *        <-- returned --- the former one, closed here: closing blocks
 *
 * Until an interface is open, its port has netio_nothing() and no watch.
 *
 * Each opening and closing waits for the kernel (12 ms, 70 ms). At the start no interface is
 * opened before the first configuration is committed; then all of them are, side by side
 * (lib/parallel.h), and at the end all are closed so. Until a former ring is closed its octets are
 * beyond bridge.receive_memory: otherwise two ports whose rings fit could not grow at the same
 * time. Frames that arrive while the larger ring takes the place of the former one are lost
 * (drain()), once for each step of a ring that has lost frames before.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "dataplane/macsec/netio_secy.h"
#include "lib/counter.h"
#include "lib/log.h"
#include "lib/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct soft *soft_of(const struct soft_iface *iface)
{
	return (struct soft *)iface->port.base.provider;
}

/* A slot of a ring is not shorter: bridge.frame_octets is at least this. */
#define SLOT_LEAST_OCTETS 1536

/* A ring that could not grow is not tried again for this time. */
#define GROW_RETRY_NS (60 * DCB_NS_PER_S)

/*
 * (C) Rings that grow in one tick. The dataplane thread may take over all of them in one turn, and
 * drains each: a ring of 4 MiB has 2048 frames, and no other port is served meanwhile.
 */
#define GROW_AT_ONCE 8

/* --- sizes of receive rings ----------------------------------------------------------------- */

/*
 * Receive rings share a memory, bridge.receive_memory: a port has 4 MiB, less below 350 Mb/s, or
 * its share if that is less. A quarter is kept for ports that lose frames: up to 8 in a second get
 * a ring of twice the size.
 *
 * A ring longer than the processor's second-level cache costs the sender's processor more, but a
 * port with PFC must not lose the burst after which its ring would grow: doc/decisions.md has the
 * times.
 */

/* A slot for frames of the common MTU: netio_packet.c. */
#define COMMON_SLOT_OCTETS 2048

/* A frame of minimum length on the link, with FCS, preamble and gap. */
#define LEAST_FRAME_BITS 672

/*
 * Time for which a ring holds frames of minimum length that arrive at the link's rate. Above
 * 344 Mb/s, NETIO_RING_MOST holds them for less: 1.4 ms at 1 Gb/s.
 */
#define RING_NS (4 * DCB_NS_PER_MS)

#define RING_STEP_OCTETS (UINT32_C(32) << 10)

/* 64 frames of the common MTU, what the dataplane thread takes at once; 8 of 9216 octets. */
#define RING_LEAST_OCTETS (UINT32_C(64) * COMMON_SLOT_OCTETS)

/* Returns the size for the link's rate, which may be unknown. */
static uint64_t ring_for(struct dcb_rate speed)
{
	uint64_t most = NETIO_RING_MOST, frames;

	if (dcb_rate_is_unlimited(speed) || speed.bps > UINT64_C(1000000000))
		return most;
	frames = speed.bps * (uint64_t)(RING_NS / 1000000) / 1000 / LEAST_FRAME_BITS;
	return frames < most / COMMON_SLOT_OCTETS ? frames * COMMON_SLOT_OCTETS : most;
}

uint32_t soft_ring_octets(uint64_t memory, unsigned ports, struct dcb_rate speed)
{
	uint64_t octets = ring_for(speed), n = ports ? ports : 1, share = memory / n;

	/* A quarter is kept for ports that lose frames. */
	if (memory && octets > share)
		octets = memory / 4 * 3 / n;
	octets = octets / RING_STEP_OCTETS * RING_STEP_OCTETS;
	return octets < RING_LEAST_OCTETS ? RING_LEAST_OCTETS : (uint32_t)octets;
}

uint32_t soft_ring_grown(uint64_t memory, uint64_t used, uint32_t octets, struct dcb_rate speed)
{
	uint64_t most = ring_for(speed), next = (uint64_t)octets * 2 < most ? octets * 2 : most;

	return next <= octets || (memory && used + next - octets > memory) ? octets
									   : (uint32_t)next;
}

/* --- opening -------------------------------------------------------------------------------- */

/* An interface, while it is opened. */
struct opening {
	struct soft_iface *iface;
	uint32_t former_octets; /* of the ring that it replaces, when it grows */
	struct netio_packet_params params;
	struct netio *io; /* NULL: err */
	char err[256];
};

/* Returns the number of ports with interfaces. */
static unsigned count_ports(const struct soft *s)
{
	unsigned n = 0;

	for (int slot = 0; slot < DCB_SLOTS; slot++)
		n += s->open[slot] && !s->open[slot]->base.settings.memory;
	return n;
}

/* Returns the longest frame of the port: its MTU and the frame buffers permit it. */
static uint32_t longest_of(const struct soft_iface *iface)
{
	uint32_t octets = port_mtu_octets(iface->port.base.link.mtu);
	uint32_t most = soft_of(iface)->params.frame_octets;

	return octets < most ? octets : most;
}

/* ports: with interfaces. The port's link must not change until it is opened. */
static void prepare(struct opening *o, struct soft_iface *iface, unsigned ports)
{
	const struct soft *s = soft_of(iface);
	const struct link_info *link = &iface->port.base.link;
	uint32_t octets = soft_ring_octets(s->params.receive_memory, ports, link->speed);

	if (octets > iface->ring_octets)
		iface->ring_octets = octets;
	iface->ring_longest = longest_of(iface);
	*o = (struct opening){
	    .iface = iface,
	    .params =
		{
		    .ifname = link->name,
		    .ifindex = link->ifindex,
		    .mtu = link->mtu,
		    .frame_octets =
			s->params.frame_octets + (iface->macsec ? NETIO_SECY_OCTETS : 0),
		    .ring_octets = iface->ring_octets,
		    .qdisc_bypass = s->params.qdisc_bypass,
		    /* Protected HMPDUs have another EtherType: see netio_nic.c. */
		    .nic_times = iface->port.base.settings.nic_times && !iface->macsec,
		},
	};
}

/* Any thread. */
static void open_link(void *ctx, unsigned i)
{
	struct opening *o = &((struct opening *)ctx)[i];

	o->io = netio_packet_open(&o->params, o->err, sizeof(o->err));
}

static void inherit(struct netio *io, struct netio *from)
{
	netio_packet_inherit(netio_secy_link(io), netio_secy_link(from));
}

/* Returns the watch of an opened interface, with the port's SecY in front of it if it has one. */
static struct watch *finish(struct opening *o)
{
	struct netio *secure = o->io ? soft_macsec_open(o->iface, o->io) : NULL;
	struct watch *w = secure ? soft_new_watch(o->iface, secure) : NULL;

	if (w)
		w->slots = o->params.ring_octets / SLOT_LEAST_OCTETS;
	if (!o->io || w)
		return w;
	if (secure)
		o->io = secure;
	o->io->ops->close(o->io);
	snprintf(o->err, sizeof(o->err), "%s: out of memory", o->params.ifname);
	return NULL;
}

/*
 * Offers the opened interface to the dataplane thread, in place of the one it has, if any. Returns
 * false if it was not opened: o->err.
 */
static bool offer(struct opening *o, struct dcb_time now)
{
	struct soft_iface *iface = o->iface;
	struct watch *w = finish(o);

	if (!w)
		return false;
	iface_open_offer(&iface->wire, w);
	iface_open_done(iface, &iface->wire, now);
	return true;
}

static void reopen(struct soft_iface *iface, struct dcb_time now)
{
	struct opening o;

	prepare(&o, iface, count_ports(soft_of(iface)));
	open_link(&o, 0);
	if (!offer(&o, now))
		iface_open_failed(iface, &iface->wire, o.err, now);
}

/* The dataplane thread does not know the port yet. */
static void use(struct opening *o)
{
	struct soft_iface *iface = o->iface;
	struct iface_open *wire = &iface->wire;

	wire->watch = finish(o);
	if (wire->watch)
		wire->io = iface->port.io = wire->watch->io;
	else
		iface_open_failed(iface, wire, o->err, soft_now(soft_of(iface)));
}

static bool is_wanted(const struct soft_iface *iface)
{
	return !iface->port.base.settings.memory && iface->port.base.link.up && !iface->wire.io;
}

/* Until then, interfaces wait for soft_wire_open_all(). */
static bool is_before_first_commit(const struct soft *s)
{
	return !s->published;
}

/* ports: with interfaces. */
static void open_alone(struct soft_iface *iface, unsigned ports)
{
	struct opening o;

	prepare(&o, iface, ports);
	open_link(&o, 0);
	use(&o);
}

void soft_wire_open(struct soft_iface *iface)
{
	iface->wire.retry = DCB_TIME_NEVER;
	iface->wire.inherit = inherit;
	iface->port.io = netio_nothing();
	if (is_wanted(iface) && !is_before_first_commit(soft_of(iface)))
		open_alone(iface, count_ports(soft_of(iface)) + 1); /* it is not in soft.open yet */
}

static void log_rings(const struct opening *all, unsigned n)
{
	uint64_t octets = 0;
	unsigned opened = 0;

	for (unsigned i = 0; i < n; i++) {
		opened += all[i].io != NULL;
		octets += all[i].io ? all[i].params.ring_octets : 0;
	}
	if (opened)
		log_info("port", "interfaces opened: %u, receive rings together: %.1f MiB", opened,
			 (double)octets / (1 << 20));
}

/*
 * Opening waits for the kernel several times, for all readers of the list of sockets: side by side
 * the interfaces wait at the same time. Results are used, and failures logged, in the order of the
 * slots.
 */
void soft_wire_open_all(struct soft *s)
{
	unsigned ports = count_ports(s), n = 0;
	struct opening *all = calloc(ports ? ports : 1, sizeof(*all));

	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		struct soft_iface *iface = s->open[slot] ? soft_iface_of(s->open[slot]) : NULL;

		if (!iface || !is_wanted(iface))
			continue;
		if (all)
			prepare(&all[n++], iface, ports);
		else
			open_alone(iface, ports);
	}
	parallel_run(n, open_link, all);
	for (unsigned i = 0; i < n; i++)
		use(&all[i]);
	log_rings(all, n);
	free(all);
}

static void close_link(void *ctx, unsigned i)
{
	struct netio *io = ((struct netio **)ctx)[i];

	io->ops->close(io);
}

void soft_wire_close_all(struct soft *s)
{
	struct netio **all = calloc(DCB_SLOTS, sizeof(struct netio *));
	unsigned n = 0;

	for (int slot = 0; all && slot < DCB_SLOTS; slot++) {
		if (!s->open[slot])
			continue;
		all[n++] = s->open[slot]->io;
		s->open[slot]->io = netio_nothing();
	}
	parallel_run(n, close_link, all);
	free(all);
}

void soft_wire_update(struct soft_iface *iface)
{
	const struct port *port = &iface->port.base;
	const struct iface_open *wire = &iface->wire;

	if (port->settings.memory || is_before_first_commit(soft_of(iface)))
		return;
	if (wire->io)
		netio_packet_renamed(netio_secy_link(wire->io)); /* compares the names */
	if (!port->link.up)
		iface_open_end_retries(iface, &iface->wire);
	else if (!wire->io || longest_of(iface) > iface->ring_longest) /* larger slots */
		reopen(iface, soft_now(soft_of(iface)));
}

void soft_wire_failed(struct soft_iface *iface, int error)
{
	const struct port *port = &iface->port.base;

	/* Most often the link is down, and netlink will say so. */
	if (!iface->wire.io || !port->link.up || gauge_get(&iface->port.up))
		return;
	iface_open_error(iface, &iface->wire, strerror(error), soft_now(soft_of(iface)));
}

void soft_wire_retry(struct soft_iface *iface, struct dcb_time now)
{
	struct iface_open *wire = &iface->wire;

	if (dcb_time_before(now, wire->retry))
		return;
	if (wire->io && (gauge_get(&iface->port.up) || !wire->error[0])) {
		iface_open_end_retries(iface, wire);
		return;
	}
	reopen(iface, now);
	soft_announce_link(iface);
}

static uint64_t memory_used(const struct soft *s)
{
	uint64_t octets = 0;

	for (int slot = 0; slot < DCB_SLOTS; slot++)
		octets += s->open[slot] ? soft_iface_of(s->open[slot])->ring_octets : 0;
	return octets;
}

static void use_grown(struct opening *o, struct dcb_time now)
{
	struct soft_iface *iface = o->iface;
	const char *name = o->params.ifname;
	double mib = (double)o->params.ring_octets / (1 << 20);

	if (!offer(o, now)) {
		iface->ring_octets = o->former_octets;
		iface->grow_at = dcb_time_add_ns(now, GROW_RETRY_NS);
		/*
		 * Message: The receive ring of the port should grow, because frames were lost, and
		 * cannot for this reason. Free memory.
		 */
		log_warn_limited("port", "%s: frames were lost, no receive ring of %.1f MiB: %s",
				 name, mib, o->err);
		return;
	}
	log_info("port", "%s: frames were lost, receive ring of %.1f MiB", name, mib);
	soft_announce_link(iface);
}

/* Returns the size of the ring that the port should have: a greater one if frames were lost. */
static uint32_t octets_after_losses(struct soft_iface *iface, struct dcb_time now)
{
	const struct soft *s = soft_of(iface);
	const struct link_info *link = &iface->port.base.link;
	uint64_t lost = gauge_get(&iface->port.stats.discard_kernel);

	/* While the link is down, the interface cannot be opened. */
	if (lost == iface->lost_seen || !iface->wire.io || !link->up ||
	    dcb_time_before(now, iface->grow_at))
		return iface->ring_octets;
	iface->lost_seen = lost;
	return soft_ring_grown(s->params.receive_memory, memory_used(s), iface->ring_octets,
			       link->speed);
}

/* Prepares the rings that have to grow. Returns their number, up to GROW_AT_ONCE. */
static unsigned prepare_growth(struct soft *s, struct opening *all, struct dcb_time now)
{
	unsigned first = s->grow_next, ports = count_ports(s), n = 0;

	for (unsigned i = 0; i < DCB_SLOTS && n < GROW_AT_ONCE; i++) {
		unsigned slot = (first + i) % DCB_SLOTS;
		struct soft_iface *iface = s->open[slot] ? soft_iface_of(s->open[slot]) : NULL;
		uint32_t octets = iface ? octets_after_losses(iface, now) : 0, former;

		if (!iface || octets == iface->ring_octets)
			continue;
		former = iface->ring_octets;
		iface->ring_octets = octets;
		prepare(&all[n], iface, ports);
		all[n++].former_octets = former;
		s->grow_next = (uint16_t)((slot + 1) % DCB_SLOTS);
	}
	return n;
}

/*
 * Several rings in each tick, side by side: the control thread waits until all are open, and in the
 * next tick until the former ones are closed. The ports take turns, so that those that go on losing
 * frames do not hold up the others.
 */
void soft_wire_grow(struct soft *s, struct dcb_time now)
{
	struct opening all[GROW_AT_ONCE];
	unsigned n = prepare_growth(s, all, now);

	parallel_run(n, open_link, all);
	for (unsigned i = 0; i < n; i++)
		use_grown(&all[i], now);
}

static void close_returned(void *ctx, unsigned i)
{
	soft_close_watch(((struct watch **)ctx)[i]);
}

void soft_wire_close_returned(struct soft *s)
{
	struct mailbox_item *list = NULL;
	struct watch **all;
	unsigned n = 0;

	for (int slot = 0; slot < DCB_SLOTS; slot++)
		n += s->open[slot] ? iface_open_collect(&soft_iface_of(s->open[slot])->wire, &list)
				   : 0;
	all = n > 1 ? calloc(n, sizeof(struct watch *)) : NULL;
	for (unsigned i = 0; list; i++) {
		struct watch *w = watch_of(list);

		list = list->next;
		if (all)
			all[i] = w;
		else
			soft_close_watch(w);
	}
	if (all)
		parallel_run(n, close_returned, all);
	free(all);
}

void soft_wire_close(struct soft_iface *iface)
{
	struct netio *io = iface->port.io;

	iface_open_offer(&iface->wire, NULL);
	io->ops->close(io);
	free(iface->wire.watch);
}
