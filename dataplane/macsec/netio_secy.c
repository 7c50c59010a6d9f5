/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/netio_secy.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/core/eth.h"
#include "lib/octets.h"

#define BATCH 64 /* frames that are protected before the link sends them */

struct secy_io {
	struct netio io;
	struct netio *link;
	struct secy *secy;
	enum pfc_macsec mode;
	struct pfc_mux_stats stats;
	uint32_t frame_octets;
	size_t room; /* octets of each buffer */
	netio_sink sink;
	void *ctx;
	uint8_t *received; /* a buffer of room octets */
	uint8_t *sent;     /* BATCH buffers */
};

static struct secy_io *to_secy(const struct netio *io)
{
	return (struct secy_io *)io;
}

/* --- reception ------------------------------------------------------------------------------ */

/*
 * Choice: users of the Uncontrolled Port are LLDP, and key agreement when there is one; a bridge
 * does not forward frames to these addresses (802.1Q 8.6.3).
 */
static bool is_uncontrolled(const uint8_t *octets, uint32_t len)
{
	return len >= ETH_HEADER_OCTETS && eth_is_reserved(octets) &&
	       get_be16(octets + ETH_TYPE_OFFSET) == ETH_TYPE_LLDP;
}

/* Validates a frame and passes it to the port. */
static void receive_controlled(struct secy_io *s, const uint8_t *octets, uint32_t len)
{
	struct secy_frame frame;
	bool valid;

	memcpy(s->received, octets, len);
	if (secy_validate(s->secy, s->received, len, &frame, &valid) != SECY_RX_DELIVER ||
	    pfc_mux_controlled(s->mode, frame.octets, frame.len, valid, &s->stats) ==
		PFC_MUX_DISCARD)
		return;
	s->sink(s->ctx, frame.octets, frame.len, frame.len);
}

static void on_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct secy_io *s = ctx;
	enum pfc_mux mux;

	/* Incomplete: it cannot be validated, and the port counts it. */
	if (wire_octets > len || len > s->room) {
		s->sink(s->ctx, octets, len, wire_octets > len ? wire_octets : len + 1);
		return;
	}
	mux = pfc_mux_received(s->mode, octets, len, &s->stats);
	if (mux == PFC_MUX_DISCARD)
		return;
	if (mux == PFC_MUX_CONTROL || is_uncontrolled(octets, len))
		s->sink(s->ctx, octets, len, wire_octets);
	else
		receive_controlled(s, octets, len);
}

static int secy_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	struct secy_io *s = to_secy(io);

	s->sink = sink;
	s->ctx = ctx;
	return s->link->ops->recv(s->link, max, on_frame, s);
}

/* --- transmission -------------------------------------------------------------------------- */

/* Frames of one send call of the link, with their positions in that of the port. */
struct batch {
	struct iovec frames[BATCH];
	unsigned position[BATCH];
	unsigned n;        /* to be sent */
	unsigned taken;    /* positions that are protected or refused */
	unsigned refused;  /* by the SecY */
	uint32_t overhead; /* octets by which the frames grew; the last one's */
};

/* Protects one frame. Returns false if the SecY does not send it. */
static bool protect(struct secy_io *s, unsigned channel, const struct iovec *frame, uint8_t *room,
		    struct iovec *to)
{
	uint32_t len = (uint32_t)frame->iov_len;
	struct secy_frame out;

	if (len > s->frame_octets ||
	    secy_protect(s->secy, channel, frame->iov_base, len, room, &out) != SECY_TX_SEND)
		return false;
	*to = (struct iovec){out.octets, out.len};
	return true;
}

static void protect_batch(struct secy_io *s, const struct iovec *frames, unsigned n,
			  struct batch *b, struct netio_sent *sent)
{
	for (; b->taken < n && b->n < BATCH; b->taken++) {
		const struct iovec *frame = &frames[b->taken];

		if (protect(s, 0, frame, s->sent + b->n * s->room, &b->frames[b->n])) {
			b->overhead = (uint32_t)(b->frames[b->n].iov_len - frame->iov_len);
			b->position[b->n++] = b->taken;
		} else {
			b->refused++;
			sent->refused_octets += (uint32_t)frame->iov_len;
		}
	}
}

/*
 * Adds the result of the link's send call, with lengths as at the port. A frame that the link did
 * not take is protected again when the port sends it again: its packet number is not used
 * twice.
 */
static void add_sent(const struct iovec *frames, const struct batch *b,
		     const struct netio_sent *of_link, struct netio_sent *sent)
{
	sent->refused += of_link->refused;
	sent->refused_octets += of_link->refused_octets - of_link->refused * b->overhead;
	sent->error = of_link->error;
	if (of_link->taken >= b->n) {
		sent->taken = b->taken;
		sent->refused += b->refused;
		return;
	}
	/* Refused by the SecY behind the first frame that was not taken: not taken either. */
	sent->taken = b->position[of_link->taken];
	sent->refused += b->refused;
	for (unsigned at = sent->taken, next = of_link->taken; at < b->taken; at++) {
		if (next < b->n && b->position[next] == at) {
			next++;
			continue;
		}
		sent->refused--;
		sent->refused_octets -= (uint32_t)frames[at].iov_len;
	}
}

static struct netio_sent secy_send(struct netio *io, const struct iovec *frames, unsigned n,
				   struct dcb_time now)
{
	struct secy_io *s = to_secy(io);
	struct netio_sent sent = {.taken = 0}, of_link = {.taken = 0};
	struct batch b;

	do {
		b = (struct batch){.taken = sent.taken};
		protect_batch(s, frames, n, &b, &sent);
		of_link = b.n > 0 ? s->link->ops->send(s->link, b.frames, b.n, now)
				  : (struct netio_sent){.taken = 0};
		add_sent(frames, &b, &of_link, &sent);
	} while (sent.taken < n && of_link.taken == b.n && of_link.error == 0);
	return sent;
}

static struct netio_sent secy_send_control(struct netio *io, const struct iovec *frame,
					   struct dcb_time now)
{
	struct secy_io *s = to_secy(io);
	unsigned channel = s->secy->config.tx_scs - 1u;
	struct netio_sent sent;
	struct iovec to;

	if (!pfc_mux_protects(s->mode))
		return netio_send_control(s->link, frame, now);
	if (!protect(s, channel, frame, s->sent, &to))
		return (struct netio_sent){1, 1, (uint32_t)frame->iov_len, 0};
	sent = channel > 0 ? netio_send_control(s->link, &to, now)
			   : s->link->ops->send(s->link, &to, 1, now);
	if (sent.refused)
		sent.refused_octets = (uint32_t)frame->iov_len;
	return sent;
}

static void secy_set_priority(struct netio *io, unsigned priority)
{
	netio_set_priority(to_secy(io)->link, priority);
}

/* --- the back end ------------------------------------------------------------------------------
 */

static uint64_t secy_lost(struct netio *io)
{
	struct netio *link = to_secy(io)->link;

	return link->ops->lost(link);
}

static void secy_close(struct netio *io)
{
	struct secy_io *s = to_secy(io);

	s->link->ops->close(s->link);
	free(s->received);
	free(s->sent);
	free(s);
}

struct netio *netio_secy_open(struct netio *link, struct secy *secy, enum pfc_macsec mode,
			      uint32_t frame_octets)
{
	static const struct netio_ops ops = {
	    .name = "MACsec",
	    .recv = secy_recv,
	    .send = secy_send,
	    .send_control = secy_send_control,
	    .set_priority = secy_set_priority,
	    .lost = secy_lost,
	    .close = secy_close,
	};
	struct secy_io *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->io = (struct netio){.ops = &ops, .recv_fd = link->recv_fd, .send_fd = link->send_fd};
	s->link = link;
	s->secy = secy;
	s->mode = mode;
	s->frame_octets = frame_octets;
	s->room = frame_octets + NETIO_SECY_OCTETS;
	s->received = malloc(s->room);
	s->sent = calloc(BATCH, s->room);
	if (s->received && s->sent)
		return &s->io;
	free(s->received);
	free(s->sent);
	free(s);
	return NULL;
}

const struct pfc_mux_stats *netio_secy_stats(const struct netio *io)
{
	return &to_secy(io)->stats;
}

struct netio *netio_secy_link(const struct netio *io)
{
	return to_secy(io)->link;
}
