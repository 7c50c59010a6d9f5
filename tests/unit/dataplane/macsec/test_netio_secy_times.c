/* SPDX-License-Identifier: BSD-3-Clause */
/* A SecY in front of a link: PDUs that measure delays, and their times. */
#include "dataplane/core/eth.h"
#include "tests/unit/dataplane/macsec/secy_link.h"
#include "tests/unit/macsec_pair.h"

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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_times_are_those_of_the_link),
	    cmocka_unit_test(test_without_times_of_the_link_there_are_none),
	    cmocka_unit_test(test_mode_data_has_a_path_for_requests_and_one_for_responses),
	    cmocka_unit_test(test_mode_all_accepts_measurement_with_protection_only),
	    cmocka_unit_test(test_delays_of_both_directions_are_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
