/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/netio_secy.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/core/eth.h"
#include "lib/counter.h"
#include "lib/octets.h"

#define BATCH 64 /* frames that are protected before the link sends them */

struct secy_io {
	struct netio io;
	struct netio *link;
	struct port_macsec *macsec;
	uint32_t frame_octets;
	size_t room;     /* octets of each buffer */
	bool controlled; /* the sink has a frame of the Controlled Port, with a valid ICV */
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
 * Choice: users of the Uncontrolled Port are LLDP, in mode data HMPDUs with requests, and key
 * agreement when there is one; a bridge does not forward frames to these addresses (802.1Q 8.6.3).
 */
static bool is_uncontrolled(const struct secy_io *s, const uint8_t *octets, uint32_t len)
{
	uint16_t type;

	if (len < ETH_HEADER_OCTETS || !eth_is_reserved(octets))
		return false;
	type = get_be16(octets + ETH_TYPE_OFFSET);
	return type == ETH_TYPE_LLDP ||
	       (type == ETH_TYPE_HMPDU && s->macsec->mode == PFC_MACSEC_DATA);
}

/* Validates a copy of the frame. Returns false if it is not for the Controlled Port. */
static bool validate(struct secy_io *s, const uint8_t *octets, uint32_t len,
		     struct secy_frame *frame, bool *valid)
{
	struct port_macsec *m = s->macsec;
	bool samples = port_macsec_samples(m, PORT_MACSEC_RX);
	struct dcb_time began = samples ? m->clock() : (struct dcb_time){0};

	memcpy(s->received, octets, len);
	if (secy_validate(&m->secy, s->received, len, frame, valid) != SECY_RX_DELIVER)
		return false;
	if (samples)
		port_macsec_measured(m, PORT_MACSEC_RX, len, began);
	return true;
}

/* Validates a frame and passes it to the port. */
static void receive_controlled(struct secy_io *s, const uint8_t *octets, uint32_t len)
{
	struct secy_frame frame;
	bool valid;

	if (!validate(s, octets, len, &frame, &valid) ||
	    pfc_mux_controlled(s->macsec->mode, frame.octets, frame.len, valid,
			       &s->macsec->stats.mux) == PFC_MUX_DISCARD)
		return;
	s->controlled = valid;
	s->sink(s->ctx, frame.octets, frame.len, frame.len);
	s->controlled = false;
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
	mux = pfc_mux_received(s->macsec->mode, octets, len, &s->macsec->stats.mux);
	if (mux == PFC_MUX_DISCARD)
		return;
	if (mux == PFC_MUX_CONTROL || is_uncontrolled(s, octets, len))
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

static bool secy_received_controlled(struct netio *io)
{
	return to_secy(io)->controlled;
}

static struct dcb_time secy_received_at(struct netio *io)
{
	struct netio *link = to_secy(io)->link;

	return link->ops->received_at(link);
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

/*
 * After a frame with the last packet number of its key: the next AN transmits. Without one, nothing
 * is sent any more. The last number that is only reserved is no such frame.
 */
static void roll_over(struct port_macsec *m, unsigned channel, struct dcb_time now)
{
	int next;

	if (!secy_is_used_up(&m->secy, channel))
		return;
	next = secy_next_an(&m->secy, channel);
	if (next >= 0)
		(void)secy_transmit(&m->secy, channel, (unsigned)next, now);
	/* The last: who sees it reports what transmits now. */
	counter_add_release(&m->stats.used_up, 1);
}

/* Protects one frame. Returns false if the SecY does not send it. */
static bool protect(struct secy_io *s, unsigned channel, const struct iovec *frame, uint8_t *room,
		    struct dcb_time now, struct iovec *to)
{
	struct port_macsec *m = s->macsec;
	uint32_t len = (uint32_t)frame->iov_len;
	bool samples = port_macsec_samples(m, PORT_MACSEC_TX);
	struct dcb_time began = samples ? m->clock() : now;
	struct secy_frame out;
	enum secy_tx verdict;

	if (len > s->frame_octets)
		return false;
	verdict = secy_protect(&m->secy, channel, frame->iov_base, len, room, &out);
	if (m->secy.events & SECY_EVENT_PN_EXHAUSTED && verdict != SECY_TX_NO_SA)
		roll_over(m, channel, now);
	if (verdict == SECY_TX_NO_SA && secy_awaits_limit(&m->secy, channel))
		counter_add(&m->stats.not_reserved, 1);
	if (verdict != SECY_TX_SEND)
		return false;
	if (samples)
		port_macsec_measured(m, PORT_MACSEC_TX, len, began);
	*to = (struct iovec){out.octets, out.len};
	return true;
}

static void protect_batch(struct secy_io *s, const struct iovec *frames, unsigned n,
			  struct dcb_time now, struct batch *b, struct netio_sent *sent)
{
	for (; b->taken < n && b->n < BATCH; b->taken++) {
		const struct iovec *frame = &frames[b->taken];

		if (protect(s, 0, frame, s->sent + b->n * s->room, now, &b->frames[b->n])) {
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
		protect_batch(s, frames, n, now, &b, &sent);
		of_link = b.n > 0 ? s->link->ops->send(s->link, b.frames, b.n, now)
				  : (struct netio_sent){.taken = 0};
		add_sent(frames, &b, &of_link, &sent);
	} while (sent.taken < n && of_link.taken == b.n && of_link.error == 0);
	return sent;
}

/* The SC of control frames: the second one, whose frames can overtake, if there are two. */
static unsigned control_channel(const struct secy_io *s)
{
	return s->macsec->secy.config.tx_scs - 1u;
}

static const struct netio_sent refused = {.taken = 1, .refused = 1};

/* The port counts its own octets. */
static struct netio_sent with_length(struct netio_sent sent, const struct iovec *frame)
{
	sent.refused_octets = sent.refused ? (uint32_t)frame->iov_len : 0;
	return sent;
}

static struct netio_sent secy_send_control(struct netio *io, const struct iovec *frame,
					   struct dcb_time now)
{
	struct secy_io *s = to_secy(io);
	unsigned channel = control_channel(s);
	struct iovec to;

	if (!pfc_mux_protects(s->macsec->mode))
		return netio_send_control(s->link, frame, now);
	if (!protect(s, channel, frame, s->sent, now, &to))
		return with_length(refused, frame);
	return with_length(channel > 0 ? netio_send_control(s->link, &to, now)
				       : s->link->ops->send(s->link, &to, 1, now),
			   frame);
}

static struct netio_sent send_with_time(struct secy_io *s, const struct iovec *frame,
					struct dcb_time now, struct netio_stamping *stamping)
{
	stamping->awaits_time = false;
	if (s->link->ops->send_stamped)
		return s->link->ops->send_stamped(s->link, frame, now, stamping);
	return netio_send_control(s->link, frame, now);
}

/*
 * With one transmit SC a protected frame waits behind data frames, because its packet number is
 * beyond theirs, and has the time of the call.
 */
static struct netio_sent secy_send_stamped(struct netio *io, const struct iovec *frame,
					   struct dcb_time now, struct netio_stamping *stamping)
{
	struct secy_io *s = to_secy(io);
	unsigned channel = control_channel(s);
	struct iovec to;

	if (!stamping->controlled)
		return send_with_time(s, frame, now, stamping);
	stamping->awaits_time = false;
	if (!protect(s, channel, frame, s->sent, now, &to))
		return with_length(refused, frame);
	return with_length(channel > 0 ? send_with_time(s, &to, now, stamping)
				       : s->link->ops->send(s->link, &to, 1, now),
			   frame);
}

static bool secy_sent_at(struct netio *io, struct netio_stamp *stamp)
{
	struct netio *link = to_secy(io)->link;

	return link->ops->sent_at(link, stamp);
}

static void secy_set_priority(struct netio *io, unsigned priority)
{
	netio_set_priority(to_secy(io)->link, priority);
}

/* --- the back end ---------------------------------------------------------------------------- */

static uint64_t secy_lost(struct netio *io)
{
	struct netio *link = to_secy(io)->link;

	return link->ops->lost(link);
}

/* Protected HMPDUs have the EtherType of MACsec. */
static bool secy_begin_drop(struct netio *io)
{
	struct netio *link = to_secy(io)->link;

	return link->ops->begin_drop && link->ops->begin_drop(link);
}

static bool secy_end_drop(struct netio *io, uint64_t *dropped)
{
	struct netio *link = to_secy(io)->link;

	return link->ops->end_drop(link, dropped);
}

static uint32_t secy_unsent(struct netio *io)
{
	struct netio *link = to_secy(io)->link;

	return link->ops->unsent ? link->ops->unsent(link) : 0;
}

static void secy_close(struct netio *io)
{
	struct secy_io *s = to_secy(io);

	s->link->ops->close(s->link);
	free(s->received);
	free(s->sent);
	free(s);
}

static enum netio_security secy_security(const struct netio *io)
{
	const struct port_macsec *m = to_secy(io)->macsec;

	if (!port_macsec_transmits(m))
		return NETIO_NOT_SECURE_YET;
	return m->mode == PFC_MACSEC_ALL ? NETIO_SECURES_ALL : NETIO_SECURES_DATA;
}

#define OPS                                                                                        \
	.name = "MACsec", .recv = secy_recv, .send = secy_send, .send_control = secy_send_control, \
	.send_stamped = secy_send_stamped, .received_controlled = secy_received_controlled,        \
	.security = secy_security, .set_priority = secy_set_priority, .lost = secy_lost,           \
	.begin_drop = secy_begin_drop, .end_drop = secy_end_drop, .unsent = secy_unsent,           \
	.close = secy_close

static const struct netio_ops plain_ops = {OPS};
/* In front of a link that has times. */
static const struct netio_ops timed_ops = {OPS, .sent_at = secy_sent_at,
					   .received_at = secy_received_at};

struct netio *netio_secy_open(struct netio *link, struct port_macsec *macsec, uint32_t frame_octets)
{
	struct secy_io *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->io = *link;
	s->io.ops = link->ops->sent_at ? &timed_ops : &plain_ops;
	s->link = link;
	s->macsec = macsec;
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

struct netio *netio_secy_link(struct netio *io)
{
	return io->ops == &plain_ops || io->ops == &timed_ops ? to_secy(io)->link : io;
}
