/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back ends for ports without an interface: two connected ends for tests, and
 * "nothing" for synthetic ports, of which there may be thousands.
 */
#include "dataplane/netio/netio.h"

#include "lib/ring.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* --- nothing ------------------------------------------------------------- */

static int nothing_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	(void)io, (void)max, (void)sink, (void)ctx;
	return 0;
}

static struct netio_sent nothing_send(struct netio *io, const struct iovec *frames, unsigned n,
				      struct dcb_time now)
{
	(void)io, (void)frames, (void)now;
	return (struct netio_sent){.taken = n};
}

static uint64_t nothing_lost(struct netio *io)
{
	(void)io;
	return 0;
}

static void nothing_close(struct netio *io)
{
	(void)io;
}

struct netio *netio_nothing(void)
{
	static const struct netio_ops ops = {
	    .name = "nothing",
	    .recv = nothing_recv,
	    .send = nothing_send,
	    .lost = nothing_lost,
	    .close = nothing_close,
	};
	static struct netio nothing = {.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1};

	return &nothing;
}

/* --- two ends ------------------------------------------------------------ */

struct mem_frame {
	struct dcb_time sent;
	uint32_t len;
	uint8_t octets[];
};

/* Freed when the second end is closed. */
struct mem_link {
	struct mem_end {
		struct netio io;
		struct mem_link *link;
		struct mem_end *peer;
		struct ring *inbox;
		struct dcb_time received; /* frame that the sink has now: when it was sent */
		struct netio_stamp stamp; /* of the last stamped frame */
		bool has_stamp;           /* and sent_at() has not taken it */
	} ends[2];
	uint32_t frame_octets;
	int open;
};

static struct mem_end *to_mem(struct netio *io)
{
	return (struct mem_end *)io;
}

static int mem_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	struct mem_end *end = to_mem(io);
	struct mem_frame *frame;
	eventfd_t ignored;
	unsigned n = 0;

	/* Reset before the ring is read: a later frame makes the eventfd readable again. */
	(void)eventfd_read(io->recv_fd, &ignored);
	for (; n < max && (frame = ring_peek(end->inbox)); n++) {
		end->received = frame->sent;
		sink(ctx, frame->octets, frame->len, frame->len);
		ring_release(end->inbox);
	}
	if (n == max)
		(void)eventfd_write(io->recv_fd, 1);
	return (int)n;
}

static int mem_read(struct netio *io, uint8_t *octets, uint32_t size)
{
	struct mem_end *end = to_mem(io);
	struct mem_frame *frame;
	eventfd_t ignored;
	uint32_t len = 0;

	(void)eventfd_read(io->recv_fd, &ignored);
	frame = ring_peek(end->inbox);
	if (!frame)
		return 0;
	len = frame->len < size ? frame->len : size;
	memcpy(octets, frame->octets, len);
	ring_release(end->inbox);
	(void)eventfd_write(io->recv_fd, 1);
	return (int)len;
}

static struct netio_sent mem_send(struct netio *io, const struct iovec *frames, unsigned n,
				  struct dcb_time now)
{
	struct mem_end *peer = to_mem(io)->peer;
	struct netio_sent sent = {.taken = n};

	for (unsigned i = 0; i < n; i++) {
		struct mem_frame *frame = ring_reserve(peer->inbox);

		if (!frame || frames[i].iov_len > peer->link->frame_octets) {
			sent.refused++;
			sent.refused_octets += (uint32_t)frames[i].iov_len;
			continue;
		}
		frame->sent = now;
		frame->len = (uint32_t)frames[i].iov_len;
		memcpy(frame->octets, frames[i].iov_base, frames[i].iov_len);
		ring_commit(peer->inbox);
	}
	(void)eventfd_write(peer->io.recv_fd, 1);
	return sent;
}

/* Memory has no delay: a frame is received when it is sent. */
static struct netio_sent mem_send_stamped(struct netio *io, const struct iovec *frame,
					  struct dcb_time now, struct netio_stamping *stamping)
{
	struct mem_end *end = to_mem(io);

	stamping->awaits_time = true;
	stamping->id = ++end->stamp.id;
	end->stamp.at = now;
	end->has_stamp = true;
	return mem_send(io, frame, 1, now);
}

static bool mem_sent_at(struct netio *io, struct netio_stamp *stamp)
{
	struct mem_end *end = to_mem(io);
	bool has = end->has_stamp;

	*stamp = end->stamp;
	end->has_stamp = false;
	return has;
}

static struct dcb_time mem_received_at(struct netio *io)
{
	return to_mem(io)->received;
}

static void link_free(struct mem_link *link)
{
	for (int i = 0; i < 2; i++) {
		free(link->ends[i].inbox);
		if (link->ends[i].io.recv_fd >= 0)
			close(link->ends[i].io.recv_fd);
	}
	free(link);
}

static void mem_close(struct netio *io)
{
	struct mem_link *link = to_mem(io)->link;

	if (__atomic_sub_fetch(&link->open, 1, __ATOMIC_ACQ_REL) == 0)
		link_free(link);
}

bool netio_mem_pair(struct netio *ends[2], uint32_t depth, uint32_t frame_octets)
{
	static const struct netio_ops ops = {
	    .name = "memory",
	    .recv = mem_recv,
	    .read = mem_read,
	    .send = mem_send,
	    .send_stamped = mem_send_stamped,
	    .sent_at = mem_sent_at,
	    .received_at = mem_received_at,
	    .lost = nothing_lost,
	    .close = mem_close,
	};
	uint32_t slot = (uint32_t)((sizeof(struct mem_frame) + frame_octets + 7) & ~(size_t)7);
	struct mem_link *link = calloc(1, sizeof(*link));
	bool ok = link;

	if (!link)
		return false;
	link->frame_octets = frame_octets;
	link->open = 2;
	for (int i = 0; i < 2; i++) {
		struct mem_end *end = &link->ends[i];

		end->io = (struct netio){.ops = &ops, .send_fd = -1, .stamp_fd = -1};
		end->io.recv_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		end->link = link;
		end->peer = &link->ends[!i];
		end->inbox = ring_new(depth, slot);
		ok = end->inbox && end->io.recv_fd >= 0 && ok;
		ends[i] = &end->io;
	}
	if (!ok)
		link_free(link);
	return ok;
}
