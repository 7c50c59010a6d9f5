/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A SecY in front of a link, with a link whose every call the test decides. Each test program has
 * its own.
 */
#ifndef DCB_TESTS_SECY_LINK_H
#define DCB_TESTS_SECY_LINK_H

#include "dataplane/macsec/netio_secy.h"
#include "lib/octets.h"
#include "tests/unit/macsec_pair.h"

#define FRAME_OCTETS 1600
#define FRAMES_MAX   512

struct frame {
	uint8_t octets[FRAME_OCTETS + NETIO_SECY_OCTETS + 8];
	uint32_t len, wire_octets;
};

/* A link: keeps the frames sent, and receives those of inbox. */
struct link {
	struct netio io;
	struct frame sent[FRAMES_MAX], inbox[16];
	unsigned n_sent, n_control, n_inbox;
	unsigned calls;    /* of send */
	unsigned take_max; /* frames that the next send calls take */
	unsigned refuse;   /* every refuse-th frame is refused; 0: none */
	unsigned seen;     /* frames that refuse counts */
	int error;
	unsigned closed, priority;
	unsigned n_stamped; /* frames of link_send_stamped() */
	bool has_stamp;
};

static inline struct link *to_link(struct netio *io)
{
	return (struct link *)io;
}

static inline int link_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	struct link *l = to_link(io);
	unsigned n = 0;

	for (; n < l->n_inbox && n < max; n++)
		sink(ctx, l->inbox[n].octets, l->inbox[n].len, l->inbox[n].wire_octets);
	l->n_inbox = 0;
	return (int)n;
}

static inline struct netio_sent link_send(struct netio *io, const struct iovec *frames, unsigned n,
					  struct dcb_time now)
{
	struct link *l = to_link(io);
	struct netio_sent sent = {.error = l->error};

	(void)now;
	l->calls++;
	for (; sent.taken < n && sent.taken < l->take_max; sent.taken++) {
		const struct iovec *frame = &frames[sent.taken];

		if (l->refuse && ++l->seen % l->refuse == 0) {
			sent.refused++;
			sent.refused_octets += (uint32_t)frame->iov_len;
			continue;
		}
		assert_true(l->n_sent < FRAMES_MAX);
		assert_in_range(frame->iov_len, 1, sizeof(l->sent[0].octets));
		memcpy(l->sent[l->n_sent].octets, frame->iov_base, frame->iov_len);
		l->sent[l->n_sent].len = (uint32_t)frame->iov_len;
		l->n_sent++;
	}
	return sent;
}

static inline struct netio_sent link_send_control(struct netio *io, const struct iovec *frame,
						  struct dcb_time now)
{
	to_link(io)->n_control++;
	return link_send(io, frame, 1, now);
}

static inline struct netio_sent link_send_stamped(struct netio *io, const struct iovec *frame,
						  struct dcb_time now,
						  struct netio_stamping *stamping)
{
	struct link *l = to_link(io);

	stamping->awaits_time = l->has_stamp = true;
	stamping->id = 40 + l->n_stamped++;
	return link_send(io, frame, 1, now);
}

static inline bool link_sent_at(struct netio *io, struct netio_stamp *stamp)
{
	struct link *l = to_link(io);
	bool has = l->has_stamp;

	*stamp = (struct netio_stamp){.id = 39 + l->n_stamped, .at = {777}};
	l->has_stamp = false;
	return has;
}

static inline struct dcb_time link_received_at(struct netio *io)
{
	(void)io;
	return (struct dcb_time){555};
}

static inline void link_set_priority(struct netio *io, unsigned priority)
{
	to_link(io)->priority = priority;
}

static inline uint64_t link_lost(struct netio *io)
{
	(void)io;
	return 5;
}

static inline uint32_t link_unsent(struct netio *io)
{
	(void)io;
	return 1500;
}

static inline void link_close(struct netio *io)
{
	to_link(io)->closed++;
}

struct world {
	struct macsec_pair pair; /* left: the port's SecY until it starts; right: the other end */
	struct port_macsec macsec;
	struct link link;
	struct netio *io;
	struct frame got[16];
	bool controlled[16]; /* received_controlled() */
	unsigned n_got;
};

static inline void on_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct world *w = ctx;

	assert_true(w->n_got < UNIT_COUNT(w->got));
	memcpy(w->got[w->n_got].octets, octets, len);
	w->got[w->n_got].len = len;
	w->got[w->n_got].wire_octets = wire_octets;
	w->controlled[w->n_got] = w->io->ops->received_controlled(w->io);
	w->n_got++;
}

static const struct netio_ops timed_ops = {
    .name = "test with times",
    .recv = link_recv,
    .send = link_send,
    .send_control = link_send_control,
    .send_stamped = link_send_stamped,
    .sent_at = link_sent_at,
    .received_at = link_received_at,
    .lost = link_lost,
    .unsent = link_unsent,
    .close = link_close,
};

/* Starts a port in this mode, with this number of transmit SCs. */
static inline struct world *start_on(enum pfc_macsec mode, unsigned channels, bool timed)
{
	static const struct netio_ops ops = {
	    .name = "test",
	    .recv = link_recv,
	    .send = link_send,
	    .send_control = link_send_control,
	    .set_priority = link_set_priority,
	    .lost = link_lost,
	    .close = link_close,
	};
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	pair_init(&w->pair);
	w->pair.config.tx_scs = (uint8_t)channels;
	pair_start_at(&w->pair, 1);
	if (channels > 1) {
		assert_int_equal(
		    secy_install_tx(&w->pair.left, 1, 0, w->pair.sak[0], 2, 1, SECY_PN_ALL),
		    SECY_OK);
		assert_int_equal(secy_transmit(&w->pair.left, 1, 0, pair_start), SECY_OK);
		assert_int_equal(secy_add_rx_sc(&w->pair.right, PAIR_LEFT | 0x1000), SECY_OK);
		assert_int_equal(secy_install_rx(&w->pair.right, PAIR_LEFT | 0x1000, 0,
						 w->pair.sak[0], 2, 1, pair_start),
				 SECY_OK);
	}
	/* The other end's frames. */
	assert_int_equal(secy_install_tx(&w->pair.right, 0, 1, w->pair.sak[1], 3, 1, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_transmit(&w->pair.right, 0, 1, pair_start), SECY_OK);
	assert_int_equal(secy_add_rx_sc(&w->pair.left, PAIR_RIGHT), SECY_OK);
	assert_int_equal(
	    secy_install_rx(&w->pair.left, PAIR_RIGHT, 1, w->pair.sak[1], 3, 1, pair_start),
	    SECY_OK);

	w->link.io = (struct netio){
	    .ops = timed ? &timed_ops : &ops, .recv_fd = 7, .send_fd = 8, .stamp_fd = 9};
	w->link.take_max = UINT32_MAX;
	w->macsec.mode = mode;
	w->macsec.secy = w->pair.left;
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		w->macsec.reserved[an] = UINT32_MAX;
	w->io = netio_secy_open(&w->link.io, &w->macsec, FRAME_OCTETS);
	assert_non_null(w->io);
	return w;
}

static inline struct world *start(enum pfc_macsec mode, unsigned channels)
{
	return start_on(mode, channels, false);
}

static inline void end(struct world *w)
{
	w->io->ops->close(w->io);
	assert_int_equal(w->link.closed, 1);
	pair_free(&w->pair);
	free(w);
}

static inline void make_frame(struct frame *f, uint32_t len, uint16_t type, uint32_t number)
{
	static const uint8_t addresses[] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8};

	memset(f->octets, (int)number, len);
	memcpy(f->octets, addresses, sizeof(addresses));
	put_be16(f->octets + 12, type);
	put_be32(f->octets + 14, number);
	f->len = f->wire_octets = len;
}

static inline struct netio_sent send_frames(struct world *w, const struct frame *frames, unsigned n)
{
	struct iovec iov[FRAMES_MAX];

	for (unsigned i = 0; i < n; i++)
		iov[i] = (struct iovec){(void *)frames[i].octets, frames[i].len};
	return w->io->ops->send(w->io, iov, n, pair_start);
}

/* The other end validates a frame of the link. */
static inline bool arrives(struct world *w, const struct frame *sent, struct pair_frame *got)
{
	struct secy_frame frame = {(uint8_t *)sent->octets, sent->len};
	bool valid;

	return pair_validate(&w->pair, &frame, got, &valid) == SECY_RX_DELIVER && valid;
}

/* Receives a frame, protected by the other end if that is said. Returns whether the port gets it.
 */
static inline bool receives(struct world *w, const struct frame *f, bool is_protected)
{
	struct frame *in = &w->link.inbox[0];
	struct pair_frame room;
	struct secy_frame out;

	*in = *f;
	if (is_protected) {
		memcpy(room.room + SECY_HEADROOM, f->octets, f->len);
		assert_int_equal(secy_protect(&w->pair.right, 0, room.room + SECY_HEADROOM, f->len,
					      room.room, &out),
				 SECY_TX_SEND);
		memcpy(in->octets, out.octets, out.len);
		in->len = in->wire_octets = out.len;
	}
	w->link.n_inbox = 1;
	w->n_got = 0;
	assert_int_equal(w->io->ops->recv(w->io, 10, on_frame, w), 1);
	return w->n_got == 1;
}

#endif
