/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_tx.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

static const struct dcb_time start = {7 * DCB_NS_PER_S};

static const struct dcb_rate rate = {UINT64_C(10000000000)};

static void init(struct pfc_tx *tx, uint8_t enable)
{
	*tx = (struct pfc_tx){0};
	pfc_tx_configure(tx, enable, rate);
}

static void assert_sends(struct pfc_tx *tx, uint8_t congested, struct dcb_time now, uint8_t enable,
			 uint8_t pause)
{
	struct pfc_pdu pdu;

	assert_true(pfc_tx_next(tx, congested, now, &pdu));
	assert_int_equal(pdu.enable, enable);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		assert_int_equal(pdu.time[i], pause >> i & 1 ? PFC_TX_PAUSE_QUANTA : 0);
	pfc_tx_sent(tx, &pdu, now);
}

static void assert_silent(const struct pfc_tx *tx, uint8_t congested, struct dcb_time now)
{
	struct pfc_pdu pdu;

	assert_false(pfc_tx_next(tx, congested, now, &pdu));
}

static void test_quanta(void **state)
{
	struct pfc_tx tx;

	(void)state;
	assert_int_equal(pfc_tx_quanta_ns(dcb_rate_from_mbps(10000), 12), 614); /* 614.4 ns */
	assert_int_equal(pfc_tx_quanta_ns(dcb_rate_from_mbps(1), 65535), 33553920000);
	init(&tx, 1);
	assert_int_equal(tx.pause_ns, 3355392);
	assert_true(tx.refresh_ns < tx.pause_ns);
}

static void test_xoff_and_xon(void **state)
{
	struct pfc_tx tx;
	struct dcb_time now = start;

	(void)state;
	init(&tx, 1 << 3);
	assert_int_equal(pfc_tx_deadline(&tx).ns, INT64_MAX);
	assert_silent(&tx, 0, now);
	assert_sends(&tx, 1 << 3, now, 1 << 3, 1 << 3);
	assert_silent(&tx, 1 << 3, now);
	now.ns += 5000;
	assert_sends(&tx, 0, now, 1 << 3, 0);
	assert_silent(&tx, 0, now);
	assert_int_equal(tx.paused_ns[3], 5000);
}

static void test_xoff_is_repeated(void **state)
{
	struct pfc_tx tx;
	struct dcb_time now = start;

	(void)state;
	init(&tx, 1 << 5);
	assert_sends(&tx, 1 << 5, now, 1 << 5, 1 << 5);
	for (int i = 0; i < 10; i++) {
		now.ns = pfc_tx_deadline(&tx).ns - 1;
		assert_silent(&tx, 1 << 5, now);
		now.ns++;
		assert_true(now.ns < tx.expires[5].ns);
		assert_sends(&tx, 1 << 5, now, 1 << 5, 1 << 5);
	}
	assert_sends(&tx, 0, now, 1 << 5, 0);
	assert_int_equal(pfc_tx_deadline(&tx).ns, INT64_MAX);
	assert_int_equal(tx.paused_ns[5], now.ns - start.ns);
}

/* A late host: the pause expired, and is counted up to the expiry. */
static void test_pause_expires_on_late_host(void **state)
{
	struct pfc_tx tx;
	struct dcb_time now = start;

	(void)state;
	init(&tx, 1);
	assert_sends(&tx, 1, now, 1, 1);
	now.ns += 10 * DCB_NS_PER_S;
	assert_sends(&tx, 1, now, 1, 1);
	assert_int_equal(tx.paused_ns[0], tx.pause_ns);
	now.ns += 10;
	assert_sends(&tx, 0, now, 1, 0);
	assert_int_equal(tx.paused_ns[0], tx.pause_ns + 10);
}

static void test_one_frame_for_all_priorities(void **state)
{
	struct pfc_tx tx;

	(void)state;
	init(&tx, 0x0f);
	assert_sends(&tx, 0xff, start, 0x0f, 0x0f); /* not those that are not enabled */
	assert_sends(&tx, 0xf9, start, 0x0f, 0x09); /* also repeats XOFF for the others */
	assert_sends(&tx, 0xfa, start, 0x0b, 0x0a);
}

static void test_disabled(void **state)
{
	struct pfc_tx tx;
	struct pfc_pdu pdu;

	(void)state;
	init(&tx, 0x11);
	assert_false(pfc_tx_last(&tx, &pdu));
	assert_sends(&tx, 0x11, start, 0x11, 0x11);
	assert_true(pfc_tx_last(&tx, &pdu));
	assert_int_equal(pdu.enable, 0x11);
	assert_int_equal(pdu.time[0] | pdu.time[4], 0);
	pfc_tx_configure(&tx, 0x10, rate);
	assert_sends(&tx, 0x11, start, 0x11, 0x10);
	pfc_tx_configure(&tx, 0, rate);
	assert_sends(&tx, 0x11, start, 0x10, 0);
	assert_silent(&tx, 0x11, start);
}

static void test_link_flap(void **state)
{
	struct pfc_tx tx;
	struct dcb_time now = start;

	(void)state;
	init(&tx, 1);
	assert_sends(&tx, 1, now, 1, 1);
	now.ns += 100;
	pfc_tx_forget(&tx, now);
	assert_int_equal(tx.paused_ns[0], 100);
	now.ns += 100;
	assert_sends(&tx, 1, now, 1, 1);
	/* A change of the rate: XOFF is sent again with quanta of the new rate. */
	pfc_tx_configure(&tx, 1, dcb_rate_from_mbps(100000));
	assert_sends(&tx, 1, now, 1, 1);
	assert_silent(&tx, 1, now);
}

/* --- random events ------------------------------------------------------------------ */

#define RUNS  300
#define STEPS 2000

/* Priorities that become congested or not, and the pauses of the station at the other end. */
struct model {
	struct dcb_rng rng;
	struct pfc_tx tx;
	struct dcb_rate rate;
	uint8_t enable, congested;
	struct dcb_time now;
	struct dcb_time pauses_end[DCB_PRIORITIES], paused_from[DCB_PRIORITIES];
	uint64_t paused_ns[DCB_PRIORITIES];
};

static void configure(struct model *m)
{
	m->enable = (uint8_t)dcb_rng_next(&m->rng);
	pfc_tx_configure(&m->tx, m->enable, m->rate);
}

static void end_pause(struct model *m, unsigned p, struct dcb_time now)
{
	struct dcb_time end = dcb_time_min(now, m->pauses_end[p]);

	if (m->paused_from[p].ns && end.ns > m->paused_from[p].ns)
		m->paused_ns[p] += (uint64_t)(end.ns - m->paused_from[p].ns);
	m->paused_from[p].ns = 0;
}

static void receive(struct model *m, const struct pfc_pdu *pdu, uint8_t was_paused)
{
	assert_int_not_equal(pdu->enable, 0);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (!(pdu->enable >> p & 1)) {
			assert_int_equal(pdu->time[p], 0);
			continue;
		}
		if (!(m->enable >> p & 1)) {
			assert_true(was_paused >> p & 1);
			assert_int_equal(pdu->time[p], 0);
		}
		end_pause(m, p, m->now);
		if (pdu->time[p] == 0)
			continue;
		m->paused_from[p] = m->now;
		m->pauses_end[p] = dcb_time_add_ns(m->now, pfc_tx_quanta_ns(m->rate, pdu->time[p]));
	}
}

/* Properties that hold after pfc_tx_next() and pfc_tx_sent(). */
static void check(struct model *m)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		bool paused = m->paused_from[p].ns && m->now.ns < m->pauses_end[p].ns;

		assert_int_equal(m->tx.paused >> p & 1, paused);
		assert_int_equal(m->congested & m->enable & 1u << p ? 1 : 0, paused);
	}
}

static void serve(struct model *m)
{
	struct pfc_pdu pdu;
	uint8_t was_paused = m->tx.paused;

	if (pfc_tx_next(&m->tx, m->congested, m->now, &pdu)) {
		pfc_tx_sent(&m->tx, &pdu, m->now);
		receive(m, &pdu, was_paused);
	}
	assert_silent(&m->tx, m->congested, m->now);
	check(m);
}

/* Advances the time. Serves the deadline on the way. */
static void wait(struct model *m)
{
	struct dcb_time until =
	    dcb_time_add_ns(m->now, dcb_rng_uniform(&m->rng, 0, 4 * DCB_NS_PER_MS));

	while (!dcb_time_before(until, pfc_tx_deadline(&m->tx))) {
		m->now = pfc_tx_deadline(&m->tx);
		serve(m);
	}
	m->now = until;
}

static void run(uint64_t seed, uint64_t stream)
{
	struct model m = {.now = start};

	dcb_rng_seed(&m.rng, seed, stream);
	m.rate.bps = UINT64_C(1000000000) * dcb_rng_uniform(&m.rng, 1, 400);
	configure(&m);
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned what = dcb_rng_uniform(&m.rng, 0, 99);

		if (what < 95)
			m.congested ^= (uint8_t)(1u << dcb_rng_uniform(&m.rng, 0, 7));
		else if (what < 99)
			wait(&m);
		else
			configure(&m);
		if (dcb_rng_uniform(&m.rng, 0, 3) == 0)
			serve(&m);
	}
	serve(&m);
	m.enable = 0;
	pfc_tx_configure(&m.tx, 0, m.rate);
	serve(&m);
	assert_int_equal(m.tx.paused, 0);
	assert_memory_equal(m.tx.paused_ns, m.paused_ns, sizeof(m.paused_ns));
}

static void test_random_events(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (uint64_t i = 0; i < RUNS; i++)
		run(seed, i);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quanta),
	    cmocka_unit_test(test_xoff_and_xon),
	    cmocka_unit_test(test_xoff_is_repeated),
	    cmocka_unit_test(test_pause_expires_on_late_host),
	    cmocka_unit_test(test_one_frame_for_all_priorities),
	    cmocka_unit_test(test_disabled),
	    cmocka_unit_test(test_link_flap),
	    cmocka_unit_test(test_random_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
