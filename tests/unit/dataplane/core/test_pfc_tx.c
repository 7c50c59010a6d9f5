/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_tx.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define FRAME    1522
#define BUFFER   200000
#define HEADROOM 50000
#define XOFF     (BUFFER - HEADROOM - FRAME)
#define XON      (XOFF - PFC_TX_XON_FRAMES * FRAME)

static const struct dcb_time start = {7 * DCB_NS_PER_S};

static struct pfc_tx_config config_of(uint8_t enable)
{
	return (struct pfc_tx_config){
	    .enable = enable,
	    .buffer_octets = BUFFER,
	    .headroom_octets = HEADROOM,
	    .frame_octets = FRAME,
	    .rate = dcb_rate_from_mbps(10000),
	};
}

static void init(struct pfc_tx *tx, uint8_t enable)
{
	struct pfc_tx_config config = config_of(enable);
	struct pfc_tx_params params;

	assert_true(pfc_tx_params_init(&params, &config));
	*tx = (struct pfc_tx){0};
	pfc_tx_configure(tx, &params);
}

/* Sets the octets held for a priority. */
static void hold(struct pfc_tx *tx, unsigned priority, uint32_t octets)
{
	uint32_t *charge;

	if (octets > tx->octets[priority])
		pfc_tx_charge(tx, priority, octets - tx->octets[priority], &charge);
	else
		pfc_tx_release(&tx->octets[priority], tx->octets[priority] - octets);
}

static void assert_sends(struct pfc_tx *tx, struct dcb_time now, uint8_t enable, uint8_t pause)
{
	struct pfc_pdu pdu;

	assert_true(pfc_tx_next(tx, now, &pdu));
	assert_int_equal(pdu.enable, enable);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		assert_int_equal(pdu.time[i], pause >> i & 1 ? PFC_TX_PAUSE_QUANTA : 0);
	pfc_tx_sent(tx, &pdu, now);
}

static void assert_silent(const struct pfc_tx *tx, struct dcb_time now)
{
	struct pfc_pdu pdu;

	assert_false(pfc_tx_next(tx, now, &pdu));
}

static void test_thresholds(void **state)
{
	struct pfc_tx_config config = config_of(1);
	struct pfc_tx_params params;

	(void)state;
	assert_true(pfc_tx_params_init(&params, &config));
	assert_int_equal(params.xoff_octets, XOFF);
	assert_int_equal(params.xon_octets, XON);
	config.xon_octets = 1000;
	assert_true(pfc_tx_params_init(&params, &config));
	assert_int_equal(params.xon_octets, 1000);
	config.xon_octets = XOFF;
	assert_true(pfc_tx_params_init(&params, &config));
	assert_int_equal(params.xon_octets, XOFF - 1);
	/*
	 * Almost only headroom: every frame causes a pause, which ends when the
	 * last one is freed.
	 */
	config.xon_octets = 0;
	config.buffer_octets = HEADROOM + FRAME;
	assert_true(pfc_tx_params_init(&params, &config));
	assert_int_equal(params.xoff_octets, 1);
	assert_int_equal(params.xon_octets, 0);
	config.buffer_octets--;
	assert_false(pfc_tx_params_init(&params, &config));
	assert_int_equal(params.xoff_octets, 1);
	config.headroom_octets = UINT32_MAX;
	assert_false(pfc_tx_params_init(&params, &config));
}

static void test_quanta(void **state)
{
	struct pfc_tx_config config = config_of(1);
	struct pfc_tx_params params;

	(void)state;
	assert_int_equal(pfc_tx_quanta_ns(dcb_rate_from_mbps(10000), 12), 614); /* 614.4 ns */
	assert_int_equal(pfc_tx_quanta_ns(dcb_rate_from_mbps(1), 65535), 33553920000);
	assert_true(pfc_tx_params_init(&params, &config));
	assert_int_equal(params.pause_ns, 3355392);
	assert_true(params.refresh_ns < params.pause_ns);
}

static void test_xoff_and_xon(void **state)
{
	struct pfc_tx tx;
	struct dcb_time now = start;

	(void)state;
	init(&tx, 1 << 3);
	assert_false(pfc_tx_is_busy(&tx));
	assert_int_equal(pfc_tx_deadline(&tx).ns, INT64_MAX);
	hold(&tx, 3, XOFF - 1);
	assert_silent(&tx, now);
	hold(&tx, 3, XOFF);
	assert_true(pfc_tx_is_busy(&tx));
	assert_sends(&tx, now, 1 << 3, 1 << 3);
	assert_silent(&tx, now);
	hold(&tx, 3, XON + 1);
	assert_silent(&tx, now);
	assert_true(pfc_tx_is_busy(&tx));
	hold(&tx, 3, XON);
	now.ns += 5000;
	assert_sends(&tx, now, 1 << 3, 0);
	assert_silent(&tx, now);
	assert_false(pfc_tx_is_busy(&tx));
	hold(&tx, 3, XOFF - 1);
	assert_silent(&tx, now);
	assert_int_equal(tx.paused_ns[3], 5000);
	assert_int_equal(tx.peak[3], XOFF);
}

/* A congestion that ends before the PFC frame is sent causes none. */
static void test_ended_congestion_sends_nothing(void **state)
{
	struct pfc_tx tx;

	(void)state;
	init(&tx, 0xff);
	hold(&tx, 0, XOFF);
	hold(&tx, 0, XOFF - 1);
	assert_silent(&tx, start);
}

static void test_xoff_is_repeated(void **state)
{
	struct pfc_tx tx;
	struct dcb_time now = start;

	(void)state;
	init(&tx, 1 << 5);
	hold(&tx, 5, XOFF);
	assert_sends(&tx, now, 1 << 5, 1 << 5);
	for (int i = 0; i < 10; i++) {
		now.ns = pfc_tx_deadline(&tx).ns - 1;
		assert_silent(&tx, now);
		now.ns++;
		assert_true(now.ns < tx.expires[5].ns);
		assert_sends(&tx, now, 1 << 5, 1 << 5);
	}
	hold(&tx, 5, 0);
	assert_sends(&tx, now, 1 << 5, 0);
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
	hold(&tx, 0, XOFF);
	assert_sends(&tx, now, 1, 1);
	now.ns += 10 * DCB_NS_PER_S;
	assert_sends(&tx, now, 1, 1);
	assert_int_equal(tx.paused_ns[0], tx.params.pause_ns);
	now.ns += 10;
	hold(&tx, 0, 0);
	assert_sends(&tx, now, 1, 0);
	assert_int_equal(tx.paused_ns[0], tx.params.pause_ns + 10);
}

static void test_one_frame_for_all_priorities(void **state)
{
	struct pfc_tx tx;

	(void)state;
	init(&tx, 0x0f);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		hold(&tx, i, XOFF); /* also priorities that are not enabled */
	assert_sends(&tx, start, 0x0f, 0x0f);
	hold(&tx, 1, 0);
	hold(&tx, 2, 0);
	assert_sends(&tx, start, 0x0f, 0x09); /* also repeats XOFF for the others */
	hold(&tx, 1, XOFF);
	hold(&tx, 0, 0);
	assert_sends(&tx, start, 0x0b, 0x0a);
}

static void test_disabled(void **state)
{
	struct pfc_tx_config config = config_of(0);
	struct pfc_tx_params none;
	struct pfc_tx tx;
	struct pfc_pdu pdu;

	(void)state;
	init(&tx, 0x11);
	assert_false(pfc_tx_last(&tx, &pdu));
	hold(&tx, 0, XOFF);
	hold(&tx, 4, XOFF);
	assert_sends(&tx, start, 0x11, 0x11);
	assert_true(pfc_tx_last(&tx, &pdu));
	assert_int_equal(pdu.enable, 0x11);
	assert_int_equal(pdu.time[0] | pdu.time[4], 0);
	config.enable = 0x10;
	pfc_tx_params_init(&none, &config);
	pfc_tx_configure(&tx, &none);
	assert_sends(&tx, start, 0x11, 0x10);
	config.enable = 0;
	pfc_tx_params_init(&none, &config);
	pfc_tx_configure(&tx, &none);
	assert_true(pfc_tx_is_busy(&tx));
	assert_sends(&tx, start, 0x10, 0);
	assert_silent(&tx, start);
	assert_false(pfc_tx_is_busy(&tx));
}

static void test_link_flap(void **state)
{
	struct pfc_tx tx;
	struct dcb_time now = start;

	(void)state;
	init(&tx, 1);
	hold(&tx, 0, XOFF);
	assert_sends(&tx, now, 1, 1);
	now.ns += 100;
	pfc_tx_forget(&tx, now);
	assert_int_equal(tx.paused_ns[0], 100);
	assert_true(pfc_tx_is_busy(&tx));
	now.ns += 100;
	assert_sends(&tx, now, 1, 1);
	/* A change of the rate: XOFF is sent again with quanta of the new rate. */
	{
		struct pfc_tx_config config = config_of(1);
		struct pfc_tx_params params;

		config.rate = dcb_rate_from_mbps(100000);
		pfc_tx_params_init(&params, &config);
		pfc_tx_configure(&tx, &params);
	}
	assert_sends(&tx, now, 1, 1);
	assert_silent(&tx, now);
}

/* --- random events ------------------------------------------------------------------ */

#define RUNS  300
#define STEPS 2000
#define HELD  512

/* A buffer with its frames, and the pauses of the station at the other end of the link. */
struct model {
	struct dcb_rng rng;
	struct pfc_tx tx;
	struct pfc_tx_config config;
	struct dcb_time now;
	struct {
		uint32_t *charge, len;
		unsigned priority;
	} held[HELD];
	unsigned n_held;
	uint32_t octets[DCB_PRIORITIES];
	struct dcb_time pauses_end[DCB_PRIORITIES], paused_from[DCB_PRIORITIES];
	uint64_t paused_ns[DCB_PRIORITIES];
};

static void configure(struct model *m)
{
	struct pfc_tx_params params;

	m->config.enable = (uint8_t)dcb_rng_next(&m->rng);
	m->config.buffer_octets = dcb_rng_uniform(&m->rng, 2000, 300000);
	m->config.headroom_octets = dcb_rng_uniform(&m->rng, 0, m->config.buffer_octets);
	m->config.frame_octets = dcb_rng_uniform(&m->rng, 64, 9216);
	m->config.xon_octets = dcb_rng_uniform(&m->rng, 0, 1) ? 0 : dcb_rng_next(&m->rng);
	(void)pfc_tx_params_init(&params, &m->config);
	assert_true(params.xon_octets < params.xoff_octets);
	pfc_tx_configure(&m->tx, &params);
}

static void frame_in(struct model *m)
{
	unsigned priority = dcb_rng_uniform(&m->rng, 0, 7);
	uint32_t len = dcb_rng_uniform(&m->rng, 60, m->config.frame_octets + 60);
	bool fits = m->octets[priority] + len <= m->config.buffer_octets;

	assert_int_equal(pfc_tx_fits(&m->tx, priority, len), fits);
	if (!fits || m->n_held == HELD || !pfc_tx_is_enabled(&m->tx, priority))
		return;
	m->held[m->n_held].len = len;
	m->held[m->n_held].priority = priority;
	(void)pfc_tx_charge(&m->tx, priority, len, &m->held[m->n_held++].charge);
	m->octets[priority] += len;
}

static void frame_out(struct model *m)
{
	unsigned i;

	if (m->n_held == 0)
		return;
	i = dcb_rng_uniform(&m->rng, 0, m->n_held - 1);
	pfc_tx_release(m->held[i].charge, m->held[i].len);
	m->octets[m->held[i].priority] -= m->held[i].len;
	m->held[i] = m->held[--m->n_held];
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
		if (!(m->config.enable >> p & 1)) {
			assert_true(was_paused >> p & 1);
			assert_int_equal(pdu->time[p], 0);
		}
		end_pause(m, p, m->now);
		if (pdu->time[p] == 0)
			continue;
		m->paused_from[p] = m->now;
		m->pauses_end[p] =
		    dcb_time_add_ns(m->now, pfc_tx_quanta_ns(m->config.rate, pdu->time[p]));
	}
}

/* Properties that hold after pfc_tx_next() and pfc_tx_sent(). */
static void check(struct model *m)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		bool paused = m->paused_from[p].ns && m->now.ns < m->pauses_end[p].ns;

		assert_int_equal(m->tx.octets[p], m->octets[p]);
		assert_int_equal(m->tx.paused >> p & 1, paused);
		if (!(m->config.enable >> p & 1) || m->octets[p] <= m->tx.params.xon_octets)
			assert_false(paused);
		else if (m->octets[p] >= m->tx.params.xoff_octets)
			assert_true(paused);
	}
}

static void serve(struct model *m)
{
	struct pfc_pdu pdu;
	uint8_t was_paused = m->tx.paused;

	if (pfc_tx_next(&m->tx, m->now, &pdu)) {
		pfc_tx_sent(&m->tx, &pdu, m->now);
		receive(m, &pdu, was_paused);
	}
	assert_silent(&m->tx, m->now);
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
	m.config.rate.bps = UINT64_C(1000000000) * dcb_rng_uniform(&m.rng, 1, 400);
	configure(&m);
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned what = dcb_rng_uniform(&m.rng, 0, 99);

		if (what < 50)
			frame_in(&m);
		else if (what < 97)
			frame_out(&m);
		else if (what < 99)
			wait(&m);
		else
			configure(&m);
		if (dcb_rng_uniform(&m.rng, 0, 3) == 0)
			serve(&m);
	}
	serve(&m);
	m.config.enable = 0;
	while (m.n_held > 0)
		frame_out(&m);
	pfc_tx_configure(&m.tx, &(struct pfc_tx_params){.xoff_octets = 1});
	serve(&m);
	assert_false(pfc_tx_is_busy(&m.tx));
	assert_memory_equal(m.tx.paused_ns, m.paused_ns, sizeof(m.paused_ns));
}

static void test_random_events(void **state)
{
	uint64_t seed = unit_seed();

	(void)state;
	for (uint64_t i = 0; i < RUNS; i++)
		run(seed, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_thresholds),
	    cmocka_unit_test(test_quanta),
	    cmocka_unit_test(test_xoff_and_xon),
	    cmocka_unit_test(test_ended_congestion_sends_nothing),
	    cmocka_unit_test(test_xoff_is_repeated),
	    cmocka_unit_test(test_pause_expires_on_late_host),
	    cmocka_unit_test(test_one_frame_for_all_priorities),
	    cmocka_unit_test(test_disabled),
	    cmocka_unit_test(test_link_flap),
	    cmocka_unit_test(test_random_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
