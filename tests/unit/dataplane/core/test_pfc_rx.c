/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_rx.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define GBPS(n) dcb_rate_from_mbps((n)*1000)

/* At 1 Gb/s a quantum is 512 ns. */
static const struct dcb_time start = {5 * DCB_NS_PER_S};

static struct dcb_time after(int64_t ns)
{
	return dcb_time_add_ns(start, ns);
}

static struct pfc_rx receiver(uint8_t enabled, bool pause)
{
	struct pfc_rx rx = {0};

	pfc_rx_configure(&rx, enabled, pause, GBPS(1), start);
	return rx;
}

/* Indicates the same time for all priorities in enable. */
static void indicate(struct pfc_rx *rx, uint8_t enable, uint16_t quanta, struct dcb_time now)
{
	struct pfc_pdu pdu = {.enable = enable};

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		pdu.time[i] = quanta;
	pfc_rx_indication(rx, &pdu, now);
}

static void assert_timer(const struct pfc_rx *rx, unsigned n, uint64_t transitions,
			 uint64_t paused_ns)
{
	assert_int_equal(rx->timer[n].transitions, transitions);
	assert_int_equal(rx->timer[n].paused_ns, paused_ns);
}

/*
 * The timer counts in quanta and expires at the exact nanosecond, whenever
 * pfc_rx_advance() runs.
 */
static void test_pause_expires(void **state)
{
	struct pfc_rx rx = receiver(0xff, false);

	(void)state;
	assert_int_equal(pfc_rx_deadline(&rx).ns, INT64_MAX);
	indicate(&rx, 1 << 3, 100, start);
	assert_int_equal(rx.paused, 1 << 3);
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(51200).ns);
	pfc_rx_advance(&rx, after(51199));
	assert_int_equal(rx.paused, 1 << 3);
	assert_timer(&rx, 3, 1, 51199);
	pfc_rx_advance(&rx, after(51200));
	assert_int_equal(rx.paused, 0);
	assert_int_equal(pfc_rx_deadline(&rx).ns, INT64_MAX);
	assert_timer(&rx, 3, 1, 51200);

	indicate(&rx, 1 << 3, 100, after(100000));
	pfc_rx_advance(&rx, after(900000));
	assert_int_equal(rx.paused, 0);
	assert_timer(&rx, 3, 2, 102400);
}

/* Each priority has its own timer; the earliest expiry is the deadline. */
static void test_eight_timers(void **state)
{
	struct pfc_pdu pdu = {.enable = 0xff, .time = {80, 70, 60, 50, 40, 30, 20, 10}};
	struct pfc_rx rx = receiver(0xff, false);

	(void)state;
	pfc_rx_indication(&rx, &pdu, start);
	for (unsigned i = 8; i-- > 0;) {
		assert_int_equal(rx.paused, (1 << (i + 1)) - 1);
		assert_int_equal(pfc_rx_deadline(&rx).ns, after(512 * pdu.time[i]).ns);
		pfc_rx_advance(&rx, pfc_rx_deadline(&rx));
	}
	assert_int_equal(rx.paused, 0);
	for (unsigned i = 0; i < 8; i++)
		assert_timer(&rx, i, 1, 512u * pdu.time[i]);
}

/* A new time replaces the old one, shorter or longer. The pause time is counted once. */
static void test_new_time_replaces_old(void **state)
{
	struct pfc_rx rx = receiver(0xff, false);

	(void)state;
	indicate(&rx, 1, 1000, start);
	indicate(&rx, 1, 10, after(1000));
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(1000 + 5120).ns);
	indicate(&rx, 1, 65535, after(2000));
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(2000 + 65535 * 512).ns);
	indicate(&rx, 2, 65535, after(2500)); /* e[n] of another priority */
	indicate(&rx, 1, 0, after(3000));
	assert_int_equal(rx.paused, 2);
	assert_timer(&rx, 0, 1, 3000);
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(2500 + 65535 * 512).ns);

	/* A timer that expires when a new time arrives has ended first: a second transition. */
	indicate(&rx, 4, 10, after(10000));
	indicate(&rx, 4, 10, after(15120));
	assert_timer(&rx, 2, 2, 5120);
}

static void test_indications_without_effect(void **state)
{
	struct pfc_rx rx = receiver(1 << 3, false), before = rx;

	(void)state;
	indicate(&rx, 0xf7, 65535, start); /* priorities not enabled */
	indicate(&rx, 0, 65535, start);    /* no priority */
	indicate(&rx, 1 << 3, 0, start);   /* not paused */
	assert_memory_equal(&rx, &before, sizeof(rx));
	indicate(&rx, 0xff, 7, start);
	assert_int_equal(rx.paused, 1 << 3);
}

/* A change of the rate keeps the remaining quanta. */
static void test_rate_change_keeps_quanta(void **state)
{
	struct pfc_rx rx = receiver(0xff, false);

	(void)state;
	indicate(&rx, 1, 1000, start);
	pfc_rx_configure(&rx, 0xff, false, GBPS(10), after(512 * 400));
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(512 * 400 + 512 * 60).ns);
	pfc_rx_configure(&rx, 0xff, false, GBPS(1), after(512 * 430));
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(512 * 430 + 512 * 300).ns);
	pfc_rx_advance(&rx, after(DCB_NS_PER_S));
	assert_timer(&rx, 0, 1, 512 * 730);
	/* The longest pause on the slowest and on the fastest link. */
	pfc_rx_configure(&rx, 0xff, false, dcb_rate_from_mbps(1), start);
	indicate(&rx, 1, 65535, start);
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(INT64_C(65535) * 512000).ns);
	pfc_rx_configure(&rx, 0xff, false, GBPS(800), start);
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(41943).ns); /* 41942.4 */
	pfc_rx_configure(&rx, 0xff, false, dcb_rate_from_mbps(1), start);
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(INT64_C(65535) * 512000).ns);
}

/* A time with a fraction of a nanosecond is rounded up; here to the second nanosecond. */
static void test_time_is_rounded_up(void **state)
{
	struct pfc_rx rx = receiver(0xff, false);

	(void)state;
	pfc_rx_configure(&rx, 0xff, false, (struct dcb_rate){UINT64_C(511999999999)}, start);
	indicate(&rx, 1, 1, start); /* 512 bits */
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(2).ns);
	pfc_rx_advance(&rx, after(1));
	assert_int_equal(rx.paused, 1);
	pfc_rx_configure(&rx, 0xff, false, (struct dcb_rate){512 * DCB_NS_PER_S}, start);
	indicate(&rx, 1, 1, start);
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(1).ns);
}

static void test_disabled_while_paused(void **state)
{
	struct pfc_rx rx = receiver(0xff, false);

	(void)state;
	indicate(&rx, 0x0f, 1000, start);
	pfc_rx_configure(&rx, 0xfa, false, GBPS(1), after(700));
	assert_int_equal(rx.paused, 0x0a);
	assert_timer(&rx, 0, 1, 700);
	pfc_rx_configure(&rx, 0xff, false, GBPS(1), after(800)); /* the pause stays ended */
	assert_int_equal(rx.paused, 0x0a);
	pfc_rx_advance(&rx, after(DCB_NS_PER_S));
	assert_timer(&rx, 0, 1, 700);
	assert_timer(&rx, 1, 1, 512000);
}

static void test_link_down(void **state)
{
	struct pfc_rx rx = receiver(0x0f, false);

	(void)state;
	indicate(&rx, 0xff, 1000, start);
	pfc_rx_reset(&rx, after(300));
	assert_int_equal(rx.paused, 0);
	assert_int_equal(pfc_rx_deadline(&rx).ns, INT64_MAX);
	assert_timer(&rx, 0, 1, 300);
	indicate(&rx, 1, 10, after(400)); /* a new pause works as before */
	assert_int_equal(rx.paused, 1);
	assert_timer(&rx, 0, 2, 300);
}

/* PAUSE is obeyed if configured and PFC is disabled, for the whole link. */
static void test_pause_of_whole_link(void **state)
{
	struct pfc_rx rx = receiver(0, false);

	(void)state;
	assert_false(pfc_rx_pause(&rx, 100, start));
	assert_int_equal(rx.paused, 0);
	pfc_rx_configure(&rx, 1, true, GBPS(1), start);
	assert_false(pfc_rx_pause(&rx, 100, start));
	assert_int_equal(rx.paused, 0);
	pfc_rx_configure(&rx, 0, true, GBPS(1), start);
	assert_true(pfc_rx_pause(&rx, 100, start));
	assert_int_equal(rx.paused, 1 << PFC_RX_LINK);
	assert_true(pfc_rx_pause(&rx, 200, after(50)));
	assert_int_equal(pfc_rx_deadline(&rx).ns, after(50 + 200 * 512).ns);
	indicate(&rx, 0xff, 1000, after(60));
	assert_int_equal(rx.paused, 1 << PFC_RX_LINK);
	assert_true(pfc_rx_pause(&rx, 0, after(70)));
	assert_int_equal(rx.paused, 0);
	assert_timer(&rx, PFC_RX_LINK, 1, 70);
	/* PFC is enabled during a pause. */
	assert_true(pfc_rx_pause(&rx, 200, after(100)));
	pfc_rx_configure(&rx, 1 << 5, true, GBPS(1), after(110));
	assert_int_equal(rx.paused, 0);
	assert_timer(&rx, PFC_RX_LINK, 2, 80);
}

/*
 * A model of the same rules that runs in steps of a nanosecond: each step
 * subtracts as many 10^-9 bit from the remaining time as the rate has bits.
 */
struct model {
	int64_t left[PFC_RX_TIMERS];
	uint64_t transitions[PFC_RX_TIMERS], paused_ns[PFC_RX_TIMERS];
	uint8_t enabled;
	bool rx_pause;
	int64_t bps;
};

static void model_wait(struct model *m, int64_t ns)
{
	for (; ns > 0; ns--) {
		for (unsigned n = 0; n < PFC_RX_TIMERS; n++) {
			if (m->left[n] <= 0)
				continue;
			m->paused_ns[n]++;
			m->left[n] -= m->bps;
		}
	}
}

static void model_load(struct model *m, unsigned n, uint16_t quanta)
{
	if (quanta && m->left[n] <= 0)
		m->transitions[n]++;
	m->left[n] = INT64_C(512000000000) * quanta;
}

static void model_configure(struct model *m, uint8_t enabled, bool pause, int64_t bps)
{
	m->enabled = enabled;
	m->rx_pause = pause && enabled == 0;
	m->bps = bps;
	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		if (!(enabled >> n & 1))
			m->left[n] = 0;
	}
	if (!m->rx_pause)
		m->left[PFC_RX_LINK] = 0;
}

static void assert_like(const struct pfc_rx *rx, const struct model *m, struct dcb_time now)
{
	int64_t next = INT64_MAX;

	for (unsigned n = 0; n < PFC_RX_TIMERS; n++) {
		int64_t ns = (m->left[n] + m->bps - 1) / m->bps;

		assert_int_equal(rx->paused >> n & 1, m->left[n] > 0);
		assert_timer(rx, n, m->transitions[n], m->paused_ns[n]);
		if (m->left[n] > 0 && now.ns + ns < next)
			next = now.ns + ns;
	}
	assert_int_equal(pfc_rx_deadline(rx).ns, next);
}

static void random_step(struct pfc_rx *rx, struct model *m, struct dcb_rng *rng,
			struct dcb_time now)
{
	uint8_t mask = (uint8_t)(dcb_rng_next(rng) | dcb_rng_next(rng));
	int64_t bps = (int64_t)dcb_rng_uniform(rng, 1, 1000) * DCB_NS_PER_S +
		      dcb_rng_uniform(rng, 0, 999999999);
	bool pause = dcb_rng_next(rng) & 1;
	struct pfc_pdu pdu = {.enable = mask};
	uint16_t quanta = (uint16_t)dcb_rng_uniform(rng, 0, 4);

	switch (dcb_rng_uniform(rng, 0, 15)) {
	case 0:
		mask = pause ? 0 : mask;
		pfc_rx_configure(rx, mask, pause, (struct dcb_rate){(uint64_t)bps}, now);
		model_configure(m, mask, pause, bps);
		break;
	case 1:
		pfc_rx_reset(rx, now);
		memset(m->left, 0, sizeof(m->left));
		break;
	case 2:
	case 3:
		assert_int_equal(pfc_rx_pause(rx, quanta, now), m->rx_pause);
		if (m->rx_pause)
			model_load(m, PFC_RX_LINK, quanta);
		break;
	case 4: /* pfc_rx_advance() not called */
		return;
	default:
		for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
			pdu.time[n] = (uint16_t)dcb_rng_uniform(rng, 0, 4);
			if (mask & m->enabled & 1 << n)
				model_load(m, n, pdu.time[n]);
		}
		pfc_rx_indication(rx, &pdu, now);
	}
	pfc_rx_advance(rx, now);
	assert_like(rx, m, now);
}

static void test_random_events_against_model(void **state)
{
	struct pfc_rx rx = receiver(0xff, false);
	struct model m = {.enabled = 0xff, .bps = DCB_NS_PER_S};
	struct dcb_time now = start;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int i = 0; i < 20000; i++) {
		int64_t ns = dcb_rng_uniform(&rng, 0, 1) ? dcb_rng_uniform(&rng, 0, 20)
							 : dcb_rng_uniform(&rng, 0, 2000);

		model_wait(&m, ns);
		now.ns += ns;
		random_step(&rx, &m, &rng, now);
	}
	for (unsigned n = 0; n < PFC_RX_TIMERS; n++)
		assert_true(m.transitions[n] > 50);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pause_expires),
	    cmocka_unit_test(test_eight_timers),
	    cmocka_unit_test(test_new_time_replaces_old),
	    cmocka_unit_test(test_indications_without_effect),
	    cmocka_unit_test(test_rate_change_keeps_quanta),
	    cmocka_unit_test(test_disabled_while_paused),
	    cmocka_unit_test(test_link_down),
	    cmocka_unit_test(test_pause_of_whole_link),
	    cmocka_unit_test(test_random_events_against_model),
	    cmocka_unit_test(test_time_is_rounded_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
