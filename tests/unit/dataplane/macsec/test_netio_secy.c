/* SPDX-License-Identifier: BSD-3-Clause */
/* A SecY in front of a link, with a link whose every call the test decides. */
#include "dataplane/core/eth.h"
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/macsec/netio_secy.h"
#include "lib/counter.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/macsec_pair.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

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

static struct link *to_link(struct netio *io)
{
	return (struct link *)io;
}

static int link_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	struct link *l = to_link(io);
	unsigned n = 0;

	for (; n < l->n_inbox && n < max; n++)
		sink(ctx, l->inbox[n].octets, l->inbox[n].len, l->inbox[n].wire_octets);
	l->n_inbox = 0;
	return (int)n;
}

static struct netio_sent link_send(struct netio *io, const struct iovec *frames, unsigned n,
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

static struct netio_sent link_send_control(struct netio *io, const struct iovec *frame,
					   struct dcb_time now)
{
	to_link(io)->n_control++;
	return link_send(io, frame, 1, now);
}

static struct netio_sent link_send_stamped(struct netio *io, const struct iovec *frame,
					   struct dcb_time now, struct netio_stamping *stamping)
{
	struct link *l = to_link(io);

	stamping->awaits_time = l->has_stamp = true;
	stamping->id = 40 + l->n_stamped++;
	return link_send(io, frame, 1, now);
}

static bool link_sent_at(struct netio *io, struct netio_stamp *stamp)
{
	struct link *l = to_link(io);
	bool has = l->has_stamp;

	*stamp = (struct netio_stamp){.id = 39 + l->n_stamped, .at = {777}};
	l->has_stamp = false;
	return has;
}

static struct dcb_time link_received_at(struct netio *io)
{
	(void)io;
	return (struct dcb_time){555};
}

static void link_set_priority(struct netio *io, unsigned priority)
{
	to_link(io)->priority = priority;
}

static uint64_t link_lost(struct netio *io)
{
	(void)io;
	return 5;
}

static uint32_t link_unsent(struct netio *io)
{
	(void)io;
	return 1500;
}

static void link_close(struct netio *io)
{
	to_link(io)->closed++;
}

/* --- the port behind the SecY ------------------------------------------------------------------
 */

struct world {
	struct macsec_pair pair; /* left: the port's SecY until it starts; right: the other end */
	struct port_macsec macsec;
	struct link link;
	struct netio *io;
	struct frame got[16];
	bool controlled[16]; /* received_controlled() */
	unsigned n_got;
};

static void on_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
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
static struct world *start_on(enum pfc_macsec mode, unsigned channels, bool timed)
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

static struct world *start(enum pfc_macsec mode, unsigned channels)
{
	return start_on(mode, channels, false);
}

static void end(struct world *w)
{
	w->io->ops->close(w->io);
	assert_int_equal(w->link.closed, 1);
	pair_free(&w->pair);
	free(w);
}

static void make_frame(struct frame *f, uint32_t len, uint16_t type, uint32_t number)
{
	static const uint8_t addresses[] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8};

	memset(f->octets, (int)number, len);
	memcpy(f->octets, addresses, sizeof(addresses));
	put_be16(f->octets + 12, type);
	put_be32(f->octets + 14, number);
	f->len = f->wire_octets = len;
}

static void make_pfc(struct frame *f)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 8}, .enable = 1, .time = {9}};

	pfc_pdu_encode(&pdu, f->octets);
	f->len = f->wire_octets = PFC_FRAME_OCTETS;
}

static struct netio_sent send_frames(struct world *w, const struct frame *frames, unsigned n)
{
	struct iovec iov[FRAMES_MAX];

	for (unsigned i = 0; i < n; i++)
		iov[i] = (struct iovec){(void *)frames[i].octets, frames[i].len};
	return w->io->ops->send(w->io, iov, n, pair_start);
}

static struct netio_sent send_pfc(struct world *w)
{
	struct frame f;
	struct iovec iov;

	make_pfc(&f);
	iov = (struct iovec){f.octets, f.len};
	return netio_send_control(w->io, &iov, pair_start);
}

/* The other end validates a frame of the link. */
static bool arrives(struct world *w, const struct frame *sent, struct pair_frame *got)
{
	struct secy_frame frame = {(uint8_t *)sent->octets, sent->len};
	bool valid;

	return pair_validate(&w->pair, &frame, got, &valid) == SECY_RX_DELIVER && valid;
}

/* Receives a frame, protected by the other end if that is said. Returns whether the port gets it.
 */
static bool receives(struct world *w, const struct frame *f, bool is_protected)
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

/* --- tests
 * ------------------------------------------------------------------------------------------ */

static void test_frames_are_protected_on_the_link(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct frame frames[3];
	struct pair_frame got;
	struct netio_sent sent;

	(void)state;
	make_frame(&frames[0], 60, 0x0800, 1);
	make_frame(&frames[1], FRAME_OCTETS, 0x0800, 2);
	make_frame(&frames[2], 100, 0x0800, 3);
	sent = send_frames(w, frames, 3);
	assert_int_equal(sent.taken, 3);
	assert_int_equal(sent.refused + sent.refused_octets, 0);
	assert_int_equal(w->link.n_sent, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(get_be16(w->link.sent[i].octets + 12), SECTAG_ETHERTYPE);
		assert_true(arrives(w, &w->link.sent[i], &got));
		assert_int_equal(got.at.len, frames[i].len);
		assert_memory_equal(got.at.octets, frames[i].octets, frames[i].len);
	}
	end(w);
}

static void test_received_frames_are_validated(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct frame f;

	(void)state;
	make_frame(&f, 200, 0x0800, 1);
	assert_true(receives(w, &f, true));
	assert_int_equal(w->got[0].len, 200);
	assert_int_equal(w->got[0].wire_octets, 200);
	assert_memory_equal(w->got[0].octets, f.octets, 200);
	assert_false(receives(w, &f, false));
	assert_int_equal(w->macsec.secy.stats.rx_no_tag_pkts, 1);
	end(w);
}

/* The original is sent to several ports: it must stay as it is. */
static void test_sent_frames_are_not_changed(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct frame f, before;

	(void)state;
	make_frame(&f, 500, 0x0800, 1);
	memcpy(&before, &f, sizeof(f));
	assert_int_equal(send_frames(w, &f, 1).taken, 1);
	assert_memory_equal(&f, &before, sizeof(f));
	end(w);
}

static void test_pfc_in_mode_data_is_unprotected(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct frame f;

	(void)state;
	make_pfc(&f);
	assert_int_equal(send_pfc(w).taken, 1);
	assert_int_equal(w->link.n_control, 1);
	assert_int_equal(w->link.sent[0].len, PFC_FRAME_OCTETS);
	assert_memory_equal(w->link.sent[0].octets, f.octets, PFC_FRAME_OCTETS);
	assert_true(receives(w, &f, false));
	assert_memory_equal(w->got[0].octets, f.octets, PFC_FRAME_OCTETS);
	assert_true(receives(w, &f, true));
	assert_int_equal(w->macsec.secy.stats.rx_no_tag_pkts, 0);
	end(w);
}

/* With two channels, PFC frames overtake; with one, the replay check would drop the others. */
static void test_pfc_in_mode_all_is_protected(void **state)
{
	(void)state;
	for (unsigned channels = 1; channels <= 2; channels++) {
		struct world *w = start(PFC_MACSEC_ALL, channels);
		const struct pfc_mux_stats *stats = &w->macsec.stats.mux;
		struct pair_frame got;
		struct frame f;

		make_frame(&f, 100, 0x0800, 1);
		assert_int_equal(send_frames(w, &f, 1).taken, 1);
		make_pfc(&f);
		assert_int_equal(send_pfc(w).taken, 1);
		assert_int_equal(w->link.n_control, channels - 1);
		if (channels == 2)
			assert_true(arrives(w, &w->link.sent[1], &got));
		assert_true(arrives(w, &w->link.sent[0], &got));
		if (channels == 1)
			assert_true(arrives(w, &w->link.sent[1], &got));
		assert_false(receives(w, &f, false));
		assert_int_equal(stats->rx_unprotected, 1);
		assert_true(receives(w, &f, true));
		assert_int_equal(w->got[0].len, PFC_FRAME_OCTETS);
		assert_memory_equal(w->got[0].octets, f.octets, PFC_FRAME_OCTETS);
		put_be16(f.octets + 14, PFC_OPCODE_PAUSE);
		assert_false(receives(w, &f, true));
		assert_int_equal(stats->rx_not_pfc, 1);
		end(w);
	}
}

/* Only to the addresses that no bridge forwards. */
static void test_lldp_needs_no_protection(void **state)
{
	struct world *w = start(PFC_MACSEC_ALL, 1);
	struct frame f;

	(void)state;
	make_frame(&f, 100, ETH_TYPE_LLDP, 1);
	assert_false(receives(w, &f, false));
	memcpy(f.octets, "\x01\x80\xc2\x00\x00\x0e", 6);
	assert_true(receives(w, &f, false));
	assert_memory_equal(w->got[0].octets, f.octets, 100);
	put_be16(f.octets + 12, 0x0800);
	assert_false(receives(w, &f, false));
	end(w);
}

/* The port counts frames whose octets are missing, and does not use them. */
static void test_incomplete_frames_stay_incomplete(void **state)
{
	struct world *w = start(PFC_MACSEC_ALL, 1);
	struct frame f;

	(void)state;
	make_frame(&f, 100, 0x0800, 1);
	f.wire_octets = 101;
	assert_true(receives(w, &f, false));
	assert_int_equal(w->got[0].wire_octets, 101);
	make_frame(&f, FRAME_OCTETS + NETIO_SECY_OCTETS + 1, 0x0800, 1);
	assert_true(receives(w, &f, false));
	assert_true(w->got[0].wire_octets > w->got[0].len);
	end(w);
}

static void test_without_key_frames_are_refused(void **state)
{
	struct world *w = start(PFC_MACSEC_ALL, 1);
	struct frame frames[3];
	struct netio_sent sent;

	(void)state;
	secy_remove_tx(&w->macsec.secy, 0, 0, pair_start);
	for (unsigned i = 0; i < 3; i++)
		make_frame(&frames[i], 100 + i, 0x0800, i);
	sent = send_frames(w, frames, 3);
	assert_int_equal(sent.taken, 3);
	assert_int_equal(sent.refused, 3);
	assert_int_equal(sent.refused_octets, 303);
	sent = send_pfc(w);
	assert_int_equal(sent.refused, 1);
	assert_int_equal(sent.refused_octets, PFC_FRAME_OCTETS);
	assert_int_equal(w->link.n_sent, 0);
	assert_int_equal(w->macsec.secy.stats.tx_no_sa_pkts, 4);
	end(w);
}

static void test_refused_pfc_has_the_length_of_the_port(void **state)
{
	struct world *w = start(PFC_MACSEC_ALL, 2);
	struct netio_sent sent;

	(void)state;
	w->link.refuse = 1;
	sent = send_pfc(w);
	assert_int_equal(sent.taken, 1);
	assert_int_equal(sent.refused, 1);
	assert_int_equal(sent.refused_octets, PFC_FRAME_OCTETS);
	end(w);
}

/* The link says that it is down with the first batch: the rest waits for the port. */
static void test_error_ends_sending(void **state)
{
	static struct frame frames[FRAMES_MAX];
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct netio_sent sent;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		make_frame(&frames[i], 80, 0x0800, i);
	w->link.error = ENETDOWN;
	sent = send_frames(w, frames, 200);
	assert_int_equal(sent.error, ENETDOWN);
	assert_in_range(sent.taken, 1, 199);
	assert_int_equal(sent.taken, w->link.n_sent);
	end(w);
}

/* validateFrames check delivers data of any sender, but PFC of the peer only. */
static void test_forged_pfc_is_discarded(void **state)
{
	struct world *w = start(PFC_MACSEC_ALL, 1);
	struct frame f, *in = &w->link.inbox[0];

	(void)state;
	w->macsec.secy.config.validate_frames = SECY_VALIDATE_CHECK;
	w->pair.right.config.confidentiality = false;
	for (unsigned i = 0; i < 2; i++) {
		make_frame(&f, 100, 0x0800, 1);
		if (i == 1)
			make_pfc(&f);
		assert_true(receives(w, &f, true));
		in->octets[in->len - 1] ^= 1;
		put_be32(in->octets + 16, 50 + i);
		w->link.n_inbox = 1;
		w->n_got = 0;
		assert_int_equal(w->io->ops->recv(w->io, 10, on_frame, w), 1);
		assert_int_equal(w->n_got, i == 0);
	}
	assert_int_equal(w->macsec.stats.mux.rx_not_valid, 1);
	end(w);
}

static void test_frames_longer_than_those_of_the_port_are_refused(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct netio_sent sent;
	struct frame f;

	(void)state;
	make_frame(&f, FRAME_OCTETS + 1, 0x0800, 1);
	sent = send_frames(w, &f, 1);
	assert_int_equal(sent.taken, 1);
	assert_int_equal(sent.refused, 1);
	assert_int_equal(sent.refused_octets, FRAME_OCTETS + 1);
	end(w);
}

static void test_more_frames_than_a_batch(void **state)
{
	static struct frame frames[FRAMES_MAX];
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct pair_frame got;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		make_frame(&frames[i], 80, 0x0800, i);
	assert_int_equal(send_frames(w, frames, 200).taken, 200);
	assert_int_equal(w->link.n_sent, 200);
	for (unsigned i = 0; i < 200; i++) {
		assert_true(arrives(w, &w->link.sent[i], &got));
		assert_int_equal(get_be32(got.at.octets + 14), i);
	}
	end(w);
}

/*
 * A link that takes some frames, refuses others and fails at times, and frames that are too long
 * when they are protected. The port sends those again that were not taken: each frame
 * arrives or is refused, once, in order, and the refused octets are the port's.
 */
static void check_random_run(struct dcb_rng *rng)
{
	static struct frame frames[FRAMES_MAX];
	struct world *w = start(PFC_MACSEC_DATA, 1);
	unsigned n = dcb_rng_uniform(rng, 1, 150), done = 0, refused = 0, arrived = 0;
	uint64_t refused_octets = 0, octets = 0, arrived_octets = 0;
	uint32_t last = 0;

	w->macsec.secy.config.max_octets = 600;
	w->link.refuse = dcb_rng_uniform(rng, 0, 4);
	for (unsigned i = 0; i < n; i++) {
		make_frame(&frames[i], dcb_rng_uniform(rng, 60, 700), 0x0800, i + 1);
		octets += frames[i].len;
	}
	while (done < n) {
		struct netio_sent sent;

		w->link.take_max = dcb_rng_uniform(rng, 0, 70);
		w->link.calls = 0;
		w->link.error = dcb_rng_uniform(rng, 0, 9) == 0 ? ENETDOWN : 0;
		sent = send_frames(w, frames + done, n - done);
		assert_true(sent.taken <= n - done);
		assert_true(sent.refused <= sent.taken);
		/* No frame reaches the link if all are too long. */
		assert_int_equal(sent.error, w->link.calls ? w->link.error : 0);
		done += sent.taken;
		refused += sent.refused;
		refused_octets += sent.refused_octets;
	}
	for (unsigned i = 0; i < w->link.n_sent; i++) {
		struct pair_frame got;

		assert_true(arrives(w, &w->link.sent[i], &got));
		assert_true(get_be32(got.at.octets + 14) > last);
		last = get_be32(got.at.octets + 14);
		arrived++;
		arrived_octets += got.at.len;
	}
	assert_int_equal(arrived + refused, n);
	assert_int_equal(arrived_octets + refused_octets, octets);
	end(w);
}

static void test_each_frame_is_sent_or_refused_once(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < 200; i++)
		check_random_run(&rng);
}

/* --- measurement of delays ---------------------------------------------------------------------
 */

static void make_hmpdu(struct frame *f)
{
	make_frame(f, 60, ETH_TYPE_HMPDU, 1);
	memcpy(f->octets, "\x01\x80\xc2\x00\x00\x01", 6);
}

/* Sends an HMPDU by one of the ports. Returns the result of send_stamped(). */
static struct netio_stamping send_hmpdu(struct world *w, bool controlled)
{
	struct netio_stamping is = {.controlled = controlled};
	struct frame f;
	struct iovec iov = {f.octets, 60};

	make_hmpdu(&f);
	assert_int_equal(w->io->ops->send_stamped(w->io, &iov, pair_start, &is).taken, 1);
	return is;
}

static void test_times_are_those_of_the_link(void **state)
{
	struct world *w = start_on(PFC_MACSEC_ALL, 2, true);
	struct netio_stamping is = send_hmpdu(w, true);
	struct netio_stamp stamp;
	struct pair_frame got;

	(void)state;
	assert_int_equal(w->io->stamp_fd, 9);
	assert_true(is.awaits_time);
	assert_true(w->io->ops->sent_at(w->io, &stamp));
	assert_int_equal(stamp.id, is.id);
	assert_int_equal(stamp.at.ns, 777);
	assert_false(w->io->ops->sent_at(w->io, &stamp));
	assert_int_equal(w->io->ops->received_at(w->io).ns, 555);
	assert_true(arrives(w, &w->link.sent[0], &got));
	end(w);
}

/* A link without times: the frame is sent, and its time is that of the call. */
static void test_without_times_of_the_link_there_are_none(void **state)
{
	struct world *w = start(PFC_MACSEC_ALL, 2);

	(void)state;
	assert_false(send_hmpdu(w, true).awaits_time);
	assert_false(send_hmpdu(w, false).awaits_time);
	assert_int_equal(w->link.n_control, 2);
	assert_null(w->io->ops->sent_at);
	assert_null(w->io->ops->received_at);
	end(w);
}

/* 36.9.5, mode data: requests without protection, responses with it and behind data frames. */
static void test_mode_data_has_a_path_for_requests_and_one_for_responses(void **state)
{
	struct world *w = start_on(PFC_MACSEC_DATA, 1, true);
	struct pair_frame got;
	struct frame f;

	(void)state;
	assert_int_equal(netio_security(w->io), NETIO_SECURES_DATA);
	make_hmpdu(&f);
	assert_true(send_hmpdu(w, false).awaits_time);
	assert_memory_equal(w->link.sent[0].octets, f.octets, 60);
	assert_false(send_hmpdu(w, true).awaits_time);
	assert_int_equal(w->link.n_stamped, 1);
	assert_true(arrives(w, &w->link.sent[1], &got));
	assert_memory_equal(got.at.octets, f.octets, 60);
	assert_true(receives(w, &f, false));
	assert_false(w->controlled[0]);
	assert_true(receives(w, &f, true));
	assert_true(w->controlled[0]);
	end(w);
}

static void test_mode_all_accepts_measurement_with_protection_only(void **state)
{
	struct world *w = start_on(PFC_MACSEC_ALL, 2, true);
	struct frame f;

	(void)state;
	assert_int_equal(netio_security(w->io), NETIO_SECURES_ALL);
	make_hmpdu(&f);
	assert_false(receives(w, &f, false));
	assert_int_equal(w->macsec.secy.stats.rx_no_tag_pkts, 1);
	assert_true(receives(w, &f, true));
	assert_true(w->controlled[0]);
	end(w);
}

/* --- packet numbers ------------------------------------------------------------------------------
 */

/* The last number of a key is followed by the first one of the next AN: no frame is lost. */
static void test_used_up_key_is_followed_by_the_next_one(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct secy *secy = &w->macsec.secy;
	struct frame frames[4];
	struct pair_frame got;

	(void)state;
	secy_remove_tx(secy, 0, 0, pair_start);
	assert_int_equal(
	    secy_install_tx(secy, 0, 0, w->pair.sak[0], 1, UINT32_MAX - 1, SECY_PN_ALL), SECY_OK);
	assert_int_equal(secy_transmit(secy, 0, 0, pair_start), SECY_OK);
	assert_int_equal(secy_install_tx(secy, 0, 2, w->pair.sak[2], 1, 1, 100), SECY_OK);
	assert_int_equal(
	    secy_install_rx(&w->pair.right, PAIR_LEFT, 2, w->pair.sak[2], 1, 1, pair_start),
	    SECY_OK);
	for (unsigned i = 0; i < 4; i++)
		make_frame(&frames[i], 100, 0x0800, i);
	assert_int_equal(send_frames(w, frames, 4).refused, 0);
	assert_int_equal(w->link.n_sent, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_true(arrives(w, &w->link.sent[i], &got));
	assert_int_equal(secy->tx[0].encoding_sa, 2);
	assert_int_equal(secy->tx[0].sa[2].next_pn, 3);
	assert_int_equal(w->macsec.stats.used_up, 1);
	assert_int_equal(netio_security(w->io), NETIO_SECURES_DATA);
	end(w);
}

static void test_without_a_next_key_nothing_is_sent(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct secy *secy = &w->macsec.secy;
	struct frame frames[3];

	(void)state;
	secy_remove_tx(secy, 0, 0, pair_start);
	assert_int_equal(secy_install_tx(secy, 0, 0, w->pair.sak[0], 1, UINT32_MAX, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_transmit(secy, 0, 0, pair_start), SECY_OK);
	for (unsigned i = 0; i < 3; i++)
		make_frame(&frames[i], 100, 0x0800, i);
	assert_int_equal(send_frames(w, frames, 3).refused, 2);
	assert_int_equal(w->macsec.stats.used_up, 1);
	assert_int_equal(w->macsec.stats.not_reserved, 0);
	assert_int_equal(netio_security(w->io), NETIO_NOT_SECURE_YET);
	end(w);
}

struct last_frame {
	struct world *w;
	bool begun; /* written before the frame that uses up the key */
};

/* Reads, without a lock, what the other thread has written before it counts the key. */
static void *await_used_up(void *arg)
{
	struct last_frame *last = arg;

	while (counter_get_acquire(&last->w->macsec.stats.used_up) == 0)
		sched_yield();
	return last->begun ? last : NULL;
}

/* With ThreadSanitizer, which also finds a counter that another CPU can see before the rest. */
static void test_who_sees_a_used_up_key_sees_what_was_before(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct last_frame last = {.w = w};
	struct secy *secy = &w->macsec.secy;
	void *seen = NULL;
	pthread_t thread;
	struct frame f;

	(void)state;
	secy_remove_tx(secy, 0, 0, pair_start);
	assert_int_equal(secy_install_tx(secy, 0, 0, w->pair.sak[0], 1, UINT32_MAX, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_transmit(secy, 0, 0, pair_start), SECY_OK);
	make_frame(&f, 100, 0x0800, 1);
	assert_int_equal(pthread_create(&thread, NULL, await_used_up, &last), 0);
	last.begun = true;
	assert_int_equal(send_frames(w, &f, 1).refused, 0);
	assert_int_equal(w->macsec.stats.used_up, 1); /* else the thread would not end */
	assert_int_equal(pthread_join(thread, &seen), 0);
	assert_ptr_equal(seen, &last);
	end(w);
}

/* Numbers that are not reserved yet are not used, and do not end the key. */
static void test_numbers_are_used_only_when_they_are_reserved(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct secy *secy = &w->macsec.secy;
	struct frame frames[3];

	(void)state;
	secy_remove_tx(secy, 0, 0, pair_start);
	assert_int_equal(secy_install_tx(secy, 0, 0, w->pair.sak[0], 1, 9, 10), SECY_OK);
	assert_int_equal(secy_transmit(secy, 0, 0, pair_start), SECY_OK);
	assert_int_equal(secy_install_tx(secy, 0, 2, w->pair.sak[2], 1, 1, 100), SECY_OK);
	w->macsec.reserved[0] = 10;
	for (unsigned i = 0; i < 3; i++)
		make_frame(&frames[i], 100, 0x0800, i);
	assert_int_equal(send_frames(w, frames, 3).refused, 1);
	assert_int_equal(w->macsec.stats.not_reserved, 1);
	assert_int_equal(w->macsec.stats.used_up, 0);
	assert_true(secy_take_events(secy) & SECY_EVENT_PN_PENDING);
	assert_int_equal(netio_security(w->io), NETIO_NOT_SECURE_YET);
	port_macsec_reserve(&w->macsec, 0, 12);
	port_macsec_extend(&w->macsec);
	assert_int_equal(send_frames(w, frames, 2).refused, 0);
	assert_int_equal(secy->tx[0].sa[0].next_pn, 13);
	assert_int_equal(secy->tx[0].encoding_sa, 0);
	port_macsec_reserve(&w->macsec, 0, 14);
	assert_int_equal(netio_security(w->io), NETIO_SECURES_DATA);
	end(w);
}

static void test_the_rest_is_the_link(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);

	(void)state;
	assert_int_equal(w->io->recv_fd, 7);
	assert_int_equal(w->io->send_fd, 8);
	assert_int_equal(w->io->ops->lost(w->io), 5);
	netio_set_priority(w->io, 6);
	assert_int_equal(w->link.priority, 6);
	assert_ptr_equal(netio_secy_link(w->io), &w->link.io);
	assert_ptr_equal(netio_secy_link(&w->link.io), &w->link.io);
	assert_int_equal(w->io->ops->unsent(w->io), 0);
	end(w);
	w = start_on(PFC_MACSEC_DATA, 1, true);
	assert_int_equal(w->io->ops->unsent(w->io), 1500);
	end(w);
}

static int64_t ticks, tick_ns;

static struct dcb_time ticking_clock(void)
{
	return (struct dcb_time){ticks += tick_ns};
}

/* Four measurements of each direction, of a delay that counts with an eighth more. */
static void test_delays_of_both_directions_are_measured(void **state)
{
	struct world *w = start(PFC_MACSEC_DATA, 1);
	struct frame f;

	(void)state;
	make_frame(&f, 600, 0x0800, 1);
	w->macsec.clock = ticking_clock;
	tick_ns = 800;
	for (unsigned i = 0; i < 4 * PORT_MACSEC_SAMPLE; i++) {
		assert_int_equal(w->macsec.stats.delay_ns, 0);
		w->link.n_sent = 0;
		assert_int_equal(send_frames(w, &f, 1).taken, 1);
	}
	assert_int_equal(w->macsec.stats.delay_ns, 900);
	tick_ns = 1600;
	for (unsigned i = 0; i < 4 * PORT_MACSEC_SAMPLE; i++) {
		assert_int_equal(w->macsec.stats.delay_ns, 900);
		assert_true(receives(w, &f, true));
	}
	assert_int_equal(w->macsec.stats.delay_ns, 1800);
	assert_int_equal(ticks, 4 * 2 * (800 + 1600));
	end(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frames_are_protected_on_the_link),
	    cmocka_unit_test(test_received_frames_are_validated),
	    cmocka_unit_test(test_sent_frames_are_not_changed),
	    cmocka_unit_test(test_pfc_in_mode_data_is_unprotected),
	    cmocka_unit_test(test_pfc_in_mode_all_is_protected),
	    cmocka_unit_test(test_lldp_needs_no_protection),
	    cmocka_unit_test(test_incomplete_frames_stay_incomplete),
	    cmocka_unit_test(test_without_key_frames_are_refused),
	    cmocka_unit_test(test_refused_pfc_has_the_length_of_the_port),
	    cmocka_unit_test(test_error_ends_sending),
	    cmocka_unit_test(test_forged_pfc_is_discarded),
	    cmocka_unit_test(test_frames_longer_than_those_of_the_port_are_refused),
	    cmocka_unit_test(test_more_frames_than_a_batch),
	    cmocka_unit_test(test_each_frame_is_sent_or_refused_once),
	    cmocka_unit_test(test_times_are_those_of_the_link),
	    cmocka_unit_test(test_without_times_of_the_link_there_are_none),
	    cmocka_unit_test(test_mode_data_has_a_path_for_requests_and_one_for_responses),
	    cmocka_unit_test(test_mode_all_accepts_measurement_with_protection_only),
	    cmocka_unit_test(test_used_up_key_is_followed_by_the_next_one),
	    cmocka_unit_test(test_without_a_next_key_nothing_is_sent),
	    cmocka_unit_test(test_who_sees_a_used_up_key_sees_what_was_before),
	    cmocka_unit_test(test_numbers_are_used_only_when_they_are_reserved),
	    cmocka_unit_test(test_delays_of_both_directions_are_measured),
	    cmocka_unit_test(test_the_rest_is_the_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
