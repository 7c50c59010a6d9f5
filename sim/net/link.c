/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/link.h"

#include "dataplane/core/cnm.h"
#include "dataplane/trill/trill.h"
#include "lib/octets.h"
#include "sim/net/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LINK_HEAD_OCTETS >= CNM_FRAME_MAX + ETH_TAG_OCTETS + TRILL_ENCAPSULATION_MAX,
	       "a CNM must fit");
_Static_assert(sizeof(struct flight) == 192, "three cache lines");
_Static_assert(SIM_STAMPS >= PORT_HM_SENT, "a port may await so many");

/* On a short cable: frames of a larger ring would be in lines not used lately. */
#define RING_START      2
#define CROSSINGS_START 64

static uint32_t in_flight(const struct flights *f)
{
	return f->tail - f->head;
}

static int64_t next_ns(const struct flights *f)
{
	return in_flight(f) ? f->ring[f->head & f->mask].arrival_ns : INT64_MAX;
}

struct dcb_time sim_link_next(const struct sim_link *link)
{
	int64_t data = next_ns(&link->data), control = next_ns(&link->control);

	return (struct dcb_time){data <= control ? data : control};
}

static void schedule(struct sim_link *link)
{
	heap_set(&link->part->heap, link->id, sim_link_next(link));
}

static void __attribute__((noreturn)) out_of_memory(void)
{
	fputs("dcbsim: out of memory for frames in flight\n", stderr);
	exit(2);
}

/* Doubles the ring. This and crossings are the only allocations for frames during a run. */
static void grow(struct flights *f)
{
	uint32_t old = f->mask + 1, n = in_flight(f);
	struct flight *ring = aligned_alloc(64, 2 * (size_t)old * sizeof(*ring));

	if (!ring)
		out_of_memory();
	for (uint32_t i = 0; i < n; i++)
		ring[i] = f->ring[(f->head + i) & f->mask];
	free(f->ring);
	f->ring = ring;
	f->mask = 2 * old - 1;
	f->head = 0;
	f->tail = n;
}

static void count(struct sim_link *link, const struct iovec *frame)
{
	uint32_t len = (uint32_t)frame->iov_len;

	link->stats.frames++;
	link->stats.octets += len;
	link->stats.wire_octets += dcb_wire_octets(len);
}

static struct flight *new_flight(struct flights *flights)
{
	if (in_flight(flights) > flights->mask)
		grow(flights);
	return &flights->ring[flights->tail++ & flights->mask];
}

/*
 * Returns whether the other end is a part that may process events at the same time. Between
 * windows it does not: frames go straight into the ring.
 */
static bool crosses(const struct sim_link *link)
{
	return link->crossings && link->from->part->is_running;
}

static struct flight *new_crossing(struct sim_link *link, struct flights *flights,
				   int64_t arrival_ns)
{
	struct sim_part *part = link->from->part;
	struct sim_crossings *c = &link->crossings[part->window];
	struct sim_crossing *crossing;

	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : CROSSINGS_START;
		c->frames = realloc(c->frames, c->room * sizeof(*c->frames));
		if (!c->frames)
			out_of_memory();
	}
	if (arrival_ns < part->crossing_ns)
		part->crossing_ns = arrival_ns;
	crossing = &c->frames[c->n++];
	crossing->link = link;
	crossing->flights = flights;
	return &crossing->flight;
}

void sim_link_take_over(struct sim_crossings *crossings)
{
	for (uint32_t i = 0; i < crossings->n; i++) {
		const struct sim_crossing *c = &crossings->frames[i];
		bool first = in_flight(c->flights) == 0;

		*new_flight(c->flights) = c->flight;
		if (first)
			schedule(c->link);
	}
	crossings->n = 0;
}

/* Returns how many octets of a frame are stored: the others are zero. */
static uint32_t stored_octets(const struct sim_link *link, uint32_t len)
{
	return len > LINK_HEAD_OCTETS ? link->head_octets : len;
}

/* Appends a frame. It does not arrive before those sent earlier, even if the rate has risen. */
static void append(struct sim_link *link, struct flights *flights, const struct iovec *frame,
		   int64_t arrival_ns)
{
	uint32_t len = (uint32_t)frame->iov_len, octets;
	struct flight *f;

	if (arrival_ns < flights->last_arrival_ns)
		arrival_ns = flights->last_arrival_ns;
	flights->last_arrival_ns = arrival_ns;
	f = crosses(link) ? new_crossing(link, flights, arrival_ns) : new_flight(flights);
	f->arrival_ns = arrival_ns;
	f->len = len;
	octets = stored_octets(link, len);
	memcpy(f->head, frame->iov_base, octets);
	if (octets == len)
		memset(f->head + len, 0, LINK_HEAD_OCTETS - len);
}

static int64_t sending_ns(const struct sim_link *link, const struct iovec *frame)
{
	uint32_t wire = dcb_wire_octets((uint32_t)frame->iov_len);

	return dcb_rate_is_unlimited(link->rate) ? 0 : dcb_rate_octets_to_ns(link->rate, wire);
}

/* A frame buffer has nothing but the extent of a frame; the capture file has zeros behind it. */
static void capture(const struct sim_link *link, const struct iovec *frame, struct dcb_time now)
{
	uint8_t *octets = link->from->part->captured;
	uint32_t n = stored_octets(link, (uint32_t)frame->iov_len);
	const struct iovec whole = {octets, frame->iov_len};

	memcpy(octets, frame->iov_base, n);
	memset(octets + n, 0, LINK_HEAD_OCTETS - n);
	link->pcap->ops->send(link->pcap, &whole, 1, now);
}

int64_t sim_link_least_ns(const struct sim_link *link)
{
	return link->delay_ns + sending_ns(link, &(struct iovec){.iov_len = 0});
}

static void record_and_schedule(struct sim_link *link, const struct iovec *frames, unsigned n,
				bool idle, struct dcb_time now)
{
	for (unsigned i = 0; link->pcap && i < n; i++)
		capture(link, &frames[i], now);
	if (idle)
		schedule(link);
}

static struct netio_sent link_send(struct netio *io, const struct iovec *frames, unsigned n,
				   struct dcb_time now)
{
	struct sim_link *link = (struct sim_link *)io;
	bool idle = !crosses(link) && in_flight(&link->data) == 0;

	link->busy_ns = now.ns;
	for (unsigned i = 0; i < n; i++) {
		link->busy_ns += sending_ns(link, &frames[i]);
		append(link, &link->data, &frames[i], link->busy_ns + link->delay_ns);
		count(link, &frames[i]);
		if (link->has_source)
			sim_app_frame_left(link->from, frames[i].iov_base,
					   (uint32_t)frames[i].iov_len);
	}
	record_and_schedule(link, frames, n, idle, now);
	return (struct netio_sent){.taken = n};
}

/*
 * Sends a MAC control frame after the frame in transmission, which the port has
 * handed over already. It is delivered response_ns after its arrival, when it takes
 * effect; data frames are not delayed by that.
 */
static struct netio_sent link_send_control(struct netio *io, const struct iovec *frame,
					   struct dcb_time now)
{
	struct sim_link *link = (struct sim_link *)io;

	if (link->busy_ns < now.ns)
		link->busy_ns = now.ns;
	link->busy_ns += sending_ns(link, frame);
	append(link, &link->control, frame, link->busy_ns + link->delay_ns + link->response_ns);
	count(link, frame);
	link->stats.controls++;
	record_and_schedule(link, frame, 1, !crosses(link), now);
	return (struct netio_sent){.taken = 1};
}

/*
 * Sends a headroom measurement PDU after the frame in transmission, as a MAC control frame.
 * It is delivered when it arrives: received_at() is exact. Its time is that of its first
 * bit: the delay that it measures includes its transmission.
 */
static struct netio_sent link_send_stamped(struct netio *io, const struct iovec *frame,
					   struct dcb_time now, struct netio_stamping *stamping)
{
	struct sim_link *link = (struct sim_link *)io;
	bool idle = !crosses(link) && in_flight(&link->data) == 0;

	if (link->busy_ns < now.ns)
		link->busy_ns = now.ns;
	stamping->awaits_time = true;
	stamping->id = link->stamp_tail++;
	link->stamps[stamping->id % SIM_STAMPS] =
	    (struct netio_stamp){.id = stamping->id, .at = {link->busy_ns}};
	if (link->stamp_tail - link->stamp_head > SIM_STAMPS)
		link->stamp_head++;
	link->busy_ns += sending_ns(link, frame);
	append(link, &link->data, frame, link->busy_ns + link->delay_ns);
	count(link, frame);
	record_and_schedule(link, frame, 1, idle, now);
	return (struct netio_sent){.taken = 1};
}

/* A time is known when it has come: a frame may wait for the one in transmission. */
static bool link_sent_at(struct netio *io, struct netio_stamp *stamp)
{
	struct sim_link *link = (struct sim_link *)io;

	if (link->stamp_head == link->stamp_tail)
		return false;
	*stamp = link->stamps[link->stamp_head % SIM_STAMPS];
	if (dcb_time_before(link->from->part->now, stamp->at))
		return false;
	link->stamp_head++;
	return true;
}

/* The sink has the frame when it arrives. */
static struct dcb_time link_received_at(struct netio *io)
{
	return ((struct sim_link *)io)->from->part->now;
}

/* Frames are delivered by sim_run_until() instead. */
static int link_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	(void)io;
	(void)max;
	(void)sink;
	(void)ctx;
	return 0;
}

static uint64_t link_lost(struct netio *io)
{
	(void)io;
	return 0;
}

static void link_close(struct netio *io)
{
	(void)io;
}

static bool flights_init(struct flights *f)
{
	f->mask = RING_START - 1;
	f->ring = aligned_alloc(64, RING_START * sizeof(*f->ring));
	return f->ring;
}

bool sim_link_init(struct sim_link *link)
{
	static const struct netio_ops ops = {
	    .name = "sim",
	    .recv = link_recv,
	    .send = link_send,
	    .send_control = link_send_control,
	    .send_stamped = link_send_stamped,
	    .sent_at = link_sent_at,
	    .received_at = link_received_at,
	    .lost = link_lost,
	    .close = link_close,
	};

	link->io = (struct netio){.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1};
	return flights_init(&link->data) && flights_init(&link->control);
}

void sim_link_destroy(struct sim_link *link)
{
	free(link->data.ring);
	free(link->control.ring);
	link->data.ring = link->control.ring = NULL;
}

uint32_t sim_link_take(struct sim_link *link, uint8_t *octets)
{
	struct flights *flights =
	    next_ns(&link->data) <= next_ns(&link->control) ? &link->data : &link->control;
	const struct flight *f = &flights->ring[flights->head++ & flights->mask];
	uint32_t n;

	n = stored_octets(link, f->len);
	memcpy(octets, f->head, n);
	memset(octets + n, 0, LINK_HEAD_OCTETS - n);
	link->delivered++;
	return f->len;
}

void sim_link_cut(struct sim_link *link)
{
	link->stats.lost += sim_link_in_flight(link);
	link->data.head = link->data.tail;
	link->control.head = link->control.tail;
	heap_set(&link->part->heap, link->id, DCB_TIME_NEVER);
}
