/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sim/link.h"

#include "dataplane/core/cnm.h"
#include "dataplane/core/octets.h"
#include "dataplane/sim/node.h"
#include "dataplane/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LINK_HEAD_OCTETS >= CNM_FRAME_MAX + ETH_TAG_OCTETS, "a CNM must fit");
_Static_assert(sizeof(struct flight) == 128, "two cache lines");

#define RING_START 4

/* The only allocation while frames flow: it doubles, so it soon ends. */
static void grow(struct sim_link *link)
{
	uint32_t old = link->ring_mask + 1, n = sim_link_in_flight(link);
	struct flight *ring = aligned_alloc(64, 2 * (size_t)old * sizeof(*ring));

	if (!ring) {
		fputs("dcbsim: out of memory for frames in flight\n", stderr);
		exit(2);
	}
	for (uint32_t i = 0; i < n; i++)
		ring[i] = link->ring[(link->head + i) & link->ring_mask];
	free(link->ring);
	link->ring = ring;
	link->ring_mask = 2 * old - 1;
	link->head = 0;
	link->tail = n;
}

static bool is_cnm(const uint8_t *octets, uint32_t len)
{
	struct eth_view view;

	return len <= LINK_HEAD_OCTETS && eth_parse(octets, len, &view) == ETH_OK &&
	       eth_is_cnm(&view);
}

static void count(struct sim_link *link, const struct iovec *frame)
{
	uint32_t len = (uint32_t)frame->iov_len;

	link->stats.frames++;
	link->stats.octets += len;
	link->stats.wire_octets += dcb_wire_octets(len);
	link->stats.cnms += is_cnm(frame->iov_base, len);
}

static void put(struct sim_link *link, const struct iovec *frame, int64_t arrival_ns)
{
	uint32_t len = (uint32_t)frame->iov_len;
	struct flight *f;

	if (sim_link_in_flight(link) > link->ring_mask)
		grow(link);
	f = &link->ring[link->tail++ & link->ring_mask];
	f->arrival_ns = arrival_ns;
	f->len = len;
	if (len >= LINK_HEAD_OCTETS) {
		memcpy(f->head, frame->iov_base, LINK_HEAD_OCTETS);
	} else {
		memcpy(f->head, frame->iov_base, len);
		memset(f->head + len, 0, LINK_HEAD_OCTETS - len);
	}
}

static struct netio_sent link_send(struct netio *io, const struct iovec *frames, unsigned n,
				   struct dcb_time now)
{
	struct sim_link *link = (struct sim_link *)io;
	bool idle = link->head == link->tail;
	int64_t start_ns = now.ns;

	for (unsigned i = 0; i < n; i++) {
		uint32_t wire = dcb_wire_octets((uint32_t)frames[i].iov_len);
		int64_t takes_ns =
		    dcb_rate_is_unlimited(link->rate) ? 0 : dcb_rate_octets_to_ns(link->rate, wire);
		int64_t arrival_ns = start_ns + takes_ns + link->delay_ns;

		if (arrival_ns < link->last_arrival_ns)
			arrival_ns = link->last_arrival_ns;
		link->last_arrival_ns = arrival_ns;
		put(link, &frames[i], arrival_ns);
		count(link, &frames[i]);
		sim_node_frame_left(link->from, frames[i].iov_base, (uint32_t)frames[i].iov_len);
		start_ns += takes_ns;
	}
	if (link->pcap)
		link->pcap->ops->send(link->pcap, frames, n, now);
	if (idle)
		heap_set(&link->sim->heap, link->id, sim_link_next(link));
	return (struct netio_sent){.taken = n};
}

/* Frames are brought by the event loop. */
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

bool sim_link_init(struct sim_link *link)
{
	static const struct netio_ops ops = {
	    .name = "sim",
	    .recv = link_recv,
	    .send = link_send,
	    .lost = link_lost,
	    .close = link_close,
	};

	link->io = (struct netio){.ops = &ops, .recv_fd = -1, .send_fd = -1};
	link->ring_mask = RING_START - 1;
	link->ring = aligned_alloc(64, RING_START * sizeof(*link->ring));
	return link->ring;
}

void sim_link_destroy(struct sim_link *link)
{
	free(link->ring);
	link->ring = NULL;
}

struct dcb_time sim_link_next(const struct sim_link *link)
{
	if (link->head == link->tail)
		return DCB_TIME_NEVER;
	return (struct dcb_time){link->ring[link->head & link->ring_mask].arrival_ns};
}

uint32_t sim_link_take(struct sim_link *link, uint8_t *octets)
{
	const struct flight *f = &link->ring[link->head++ & link->ring_mask];

	memcpy(octets, f->head, LINK_HEAD_OCTETS);
	link->stats.delivered++;
	return f->len;
}

void sim_link_cut(struct sim_link *link)
{
	link->stats.lost += sim_link_in_flight(link);
	link->head = link->tail;
	heap_set(&link->sim->heap, link->id, DCB_TIME_NEVER);
}
