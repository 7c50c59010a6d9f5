/* SPDX-License-Identifier: BSD-3-Clause */
/* A SecY in front of a link: packet numbers, used up and reserved. */
#include <pthread.h>
#include <sched.h>

#include "lib/counter.h"
#include "tests/unit/dataplane/macsec/secy_link.h"
#include "tests/unit/macsec_pair.h"

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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_used_up_key_is_followed_by_the_next_one),
	    cmocka_unit_test(test_without_a_next_key_nothing_is_sent),
	    cmocka_unit_test(test_who_sees_a_used_up_key_sees_what_was_before),
	    cmocka_unit_test(test_numbers_are_used_only_when_they_are_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
