/* SPDX-License-Identifier: BSD-3-Clause */
/* A SecY in front of a link: protection, validation and refusal of frames. */
#include <errno.h>

#include "dataplane/core/eth.h"
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/macsec/netio_secy.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/dataplane/macsec/secy_link.h"
#include "tests/unit/macsec_pair.h"

static void make_pfc(struct frame *f)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 8}, .enable = 1, .time = {9}};

	pfc_pdu_encode(&pdu, f->octets);
	f->len = f->wire_octets = PFC_FRAME_OCTETS;
}

static struct netio_sent send_pfc(struct world *w)
{
	struct frame f;
	struct iovec iov;

	make_pfc(&f);
	iov = (struct iovec){f.octets, f.len};
	return netio_send_control(w->io, &iov, pair_start);
}

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

UNIT_MAIN
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
	    cmocka_unit_test(test_the_rest_is_the_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
