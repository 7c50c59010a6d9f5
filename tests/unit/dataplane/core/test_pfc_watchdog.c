/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watchdog in virtual time: detection, restoration, pauses that are not
 * storms, and random pauses compared with a model that keeps the whole history.
 */
#include "dataplane/core/pfc_watchdog.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P3 (1 << 3)

static struct dcb_time ms(double t)
{
	return (struct dcb_time){(int64_t)(t * 1e6)};
}

static void configure(struct pfc_watchdog *w, uint8_t action, double now)
{
	struct pfc_watchdog_config config[DCB_PRIORITIES];

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		config[i] = (struct pfc_watchdog_config){action, 400, 2000};
	pfc_watchdog_configure(w, config, ms(now));
}

static struct pfc_watchdog started(uint8_t action)
{
	struct pfc_watchdog w = {0};

	configure(&w, action, 0);
	return w;
}

static struct pfc_watchdog_verdict look(struct pfc_watchdog *w, uint8_t paused, uint8_t waiting,
					double now)
{
	struct pfc_watchdog_view view = {.paused = paused, .waiting = waiting};

	return pfc_watchdog_look(w, &view, ms(now));
}

#define assert_verdict(v, s, e)                     \
	do {                                        \
		struct pfc_watchdog_verdict v_ = v; \
		assert_int_equal(v_.stormed, s);    \
		assert_int_equal(v_.ended, e);      \
	} while (0)

static void test_storm_and_restoration(void **state)
{
	struct pfc_watchdog w = started(PFC_WATCHDOG_DROP);

	(void)state;
	assert_int_equal(pfc_watchdog_state(&w, 3), PFC_WATCHDOG_WATCHING);
	assert_int_equal(w.pri[3].end, PFC_STORM_NONE);
	assert_verdict(look(&w, P3, P3, 100), 0, 0);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, ms(500).ns);
	assert_verdict(look(&w, P3, P3, 499.999), 0, 0);
	assert_verdict(look(&w, P3, P3, 500), P3, 0);
	assert_int_equal(pfc_watchdog_state(&w, 3), PFC_WATCHDOG_STORM);
	assert_int_equal(w.dropping, P3);
	assert_int_equal(w.forwarding, 0);
	assert_int_equal(w.pri[3].blocked.ns, ms(100).ns);
	assert_int_equal(w.pri[3].detected.ns, ms(500).ns);
	assert_int_equal(w.pri[3].end, PFC_STORM_LASTS);
	/* An empty queue does not end a storm. */
	assert_verdict(look(&w, P3, 0, 600), 0, 0);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, DCB_TIME_NEVER.ns);
	assert_verdict(look(&w, P3, 0, 90000), 0, 0);
	/* A break shorter than the restoration time, then a longer one. */
	assert_verdict(look(&w, 0, 0, 90000), 0, 0);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, ms(92000).ns);
	assert_verdict(look(&w, P3, 0, 91999), 0, 0);
	assert_verdict(look(&w, 0, 0, 92000), 0, 0);
	assert_verdict(look(&w, 0, 0, 93999), 0, 0);
	assert_verdict(look(&w, 0, 0, 94000), 0, P3);
	assert_int_equal(w.dropping, 0);
	assert_int_equal(w.pri[3].end, PFC_STORM_PAUSE_OVER);
	assert_int_equal(w.pri[3].ended.ns, ms(94000).ns);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, DCB_TIME_NEVER.ns);
	/* The next storm needs the whole detection time again. */
	assert_verdict(look(&w, P3, P3, 94000), 0, 0);
	assert_verdict(look(&w, P3, P3, 94399), 0, 0);
	assert_verdict(look(&w, P3, P3, 94400), P3, 0);
}

/* A priority that was paused before it was watched is counted from the configuration on. */
static void test_watched_while_paused(void **state)
{
	struct pfc_watchdog w = started(PFC_WATCHDOG_NONE);

	(void)state;
	assert_verdict(look(&w, P3, P3, 100), 0, 0);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, DCB_TIME_NEVER.ns);
	configure(&w, PFC_WATCHDOG_DROP, 1000);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, ms(1000).ns);
	assert_verdict(look(&w, P3, P3, 1000), 0, 0);
	assert_verdict(look(&w, P3, P3, 1399), 0, 0);
	assert_verdict(look(&w, P3, P3, 1400), P3, 0);
}

static void test_pauses_that_are_no_storm(void **state)
{
	struct pfc_watchdog w = started(PFC_WATCHDOG_FORWARD);
	struct pfc_watchdog_view sent = {.paused = P3, .waiting = P3, .sent = P3};

	(void)state;
	/* Paused without frames waiting. */
	for (double t = 0; t < 5000; t += 20)
		assert_verdict(look(&w, P3, 0, t), 0, 0);
	/* Frames waiting while not paused. */
	for (double t = 5000; t < 10000; t += 20)
		assert_verdict(look(&w, 0, P3, t), 0, 0);
	/* Paused with breaks. */
	for (double t = 10000; t < 20000; t += 400) {
		assert_verdict(look(&w, P3, P3, t), 0, 0);
		assert_verdict(look(&w, P3, P3, t + 399), 0, 0);
		assert_verdict(look(&w, 0, P3, t + 399.5), 0, 0);
	}
	/* Paused, but frames are sent. */
	for (double t = 20000; t < 30000; t += 300) {
		assert_verdict(look(&w, P3, P3, t), 0, 0);
		assert_verdict(pfc_watchdog_look(&w, &sent, ms(t + 299)), 0, 0);
	}
	/* The link goes down and up, paused again at once. */
	for (double t = 30000; t < 40000; t += 399) {
		assert_verdict(look(&w, 0xff, 0xff, t), 0, 0);
		assert_verdict(look(&w, 0xff, 0xff, t + 398), 0, 0);
		assert_verdict(pfc_watchdog_reset(&w, ms(t + 399)), 0, 0);
		assert_int_equal(pfc_watchdog_deadline(&w).ns, DCB_TIME_NEVER.ns);
	}
	/* The watchdog is disabled. */
	w = started(PFC_WATCHDOG_NONE);
	for (double t = 0; t < 5000; t += 20)
		assert_verdict(look(&w, 0xff, 0xff, t), 0, 0);
	assert_int_equal(pfc_watchdog_state(&w, 3), PFC_WATCHDOG_OFF);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, DCB_TIME_NEVER.ns);
}

/* Frames that arrive long after the pause began are found in time. */
static void test_frames_that_arrive_during_a_pause(void **state)
{
	struct pfc_watchdog w = started(PFC_WATCHDOG_ALERT);
	double came = 1234.5, t = 0;
	struct pfc_watchdog_verdict v = {0};

	(void)state;
	while (!v.stormed) {
		v = look(&w, P3, t >= came ? P3 : 0, t);
		assert_true(pfc_watchdog_deadline(&w).ns > ms(t).ns || v.stormed);
		if (!v.stormed)
			t = (double)pfc_watchdog_deadline(&w).ns / 1e6;
	}
	assert_true(t >= came + 400);
	assert_true(t <= came + 400 + 25);
	assert_int_equal(w.dropping | w.forwarding, 0);
}

static void test_reconfigure_in_a_storm(void **state)
{
	struct pfc_watchdog w = started(PFC_WATCHDOG_ALERT);
	struct pfc_watchdog_config config[DCB_PRIORITIES];

	(void)state;
	look(&w, 0xff, 0xff, 0);
	assert_verdict(look(&w, 0xff, 0xff, 400), 0xff, 0);
	assert_int_equal(w.dropping | w.forwarding, 0);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		config[i] = (struct pfc_watchdog_config){(uint8_t)(i % 4 + 1), 400, 1000};
	assert_verdict(pfc_watchdog_configure(&w, config, ms(500)), 0, 0x11);
	assert_int_equal(w.storm, 0xee);
	assert_int_equal(w.dropping, 0x44);
	assert_int_equal(w.forwarding, 0x88);
	assert_int_equal(w.pri[4].end, PFC_STORM_SWITCHED_OFF);
	assert_verdict(look(&w, 0xff, 0xff, 600), 0, 0);
	assert_verdict(look(&w, 0, 0, 700), 0, 0);
	assert_verdict(look(&w, 0, 0, 1700), 0, 0xee); /* the new restoration time applies */
	look(&w, 0xff, 0xff, 2000);
	assert_verdict(look(&w, 0xff, 0xff, 2400), 0xee, 0);
	assert_verdict(pfc_watchdog_reset(&w, ms(2500)), 0, 0xee);
	assert_int_equal(w.pri[7].end, PFC_STORM_LINK_DOWN);
	assert_int_equal(w.dropping | w.forwarding, 0);
}

/* --- against a model --------------------------------------------------------------- */

#define STEPS 4000 /* of 1 ms */

/* History of a priority, per step. */
struct history {
	bool paused[STEPS], waiting[STEPS];
};

/* Returns true if so and and both hold in all steps from first to last. */
static bool all_of(const bool *so, const bool *and, int first, int last)
{
	for (int i = first; i <= last; i++)
		if (i < 0 || !so[i] || (and&&!and[i]))
			return false;
	return true;
}

static bool none_of(const bool *so, int first, int last)
{
	for (int i = first; i <= last; i++)
		if (i < 0 || so[i])
			return false;
	return true;
}

/* Draws long intervals of each state, with short breaks. */
static void draw_history(struct history *h)
{
	bool paused = false, waiting = false;

	for (int i = 0; i < STEPS; i++) {
		if (rand() % 90 == 0)
			paused = !paused;
		if (rand() % 150 == 0)
			waiting = !waiting;
		h->paused[i] = paused;
		h->waiting[i] = waiting;
	}
}

/*
 * Runs the watchdog on all priorities, with a look per step. The model
 * evaluates the whole history since the last change of state at each step.
 */
static void run_model(int detection, int restoration, unsigned *storms)
{
	static struct history h[DCB_PRIORITIES];
	struct pfc_watchdog_config config[DCB_PRIORITIES];
	struct pfc_watchdog w = {0};
	int since[DCB_PRIORITIES] = {0};
	bool storm[DCB_PRIORITIES] = {false};

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		config[p] = (struct pfc_watchdog_config){(uint8_t)(2 + p % 3), (uint32_t)detection,
							 (uint32_t)restoration};
		draw_history(&h[p]);
	}
	pfc_watchdog_configure(&w, config, ms(0));
	for (int i = 0; i < STEPS; i++) {
		struct pfc_watchdog_view view = {0};
		struct pfc_watchdog_verdict v;

		for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
			view.paused |= (uint8_t)(h[p].paused[i] << p);
			view.waiting |= (uint8_t)(h[p].waiting[i] << p);
		}
		v = pfc_watchdog_look(&w, &view, ms(i));
		for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
			int from = i - (storm[p] ? restoration : detection);
			bool turns = from >= since[p] &&
				     (storm[p] ? none_of(h[p].paused, from, i)
					       : all_of(h[p].paused, h[p].waiting, from, i));

			assert_int_equal(v.stormed >> p & 1, turns && !storm[p]);
			assert_int_equal(v.ended >> p & 1, turns && storm[p]);
			if (!turns)
				continue;
			*storms += !storm[p];
			storm[p] = !storm[p];
			since[p] = i + 1;
		}
		assert_int_equal(w.storm & w.dropping, w.dropping);
		assert_int_equal(w.storm & w.forwarding, w.forwarding);
	}
}

static void test_random_pauses_against_model(void **state)
{
	unsigned storms = 0;

	(void)state;
	srand((unsigned)unit_seed());
	for (unsigned i = 0; i < 300; i++)
		run_model(5 + rand() % 120, 5 + rand() % 200, &storms);
	printf("%u storms\n", storms);
	assert_true(storms > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_storm_and_restoration),
	    cmocka_unit_test(test_watched_while_paused),
	    cmocka_unit_test(test_pauses_that_are_no_storm),
	    cmocka_unit_test(test_frames_that_arrive_during_a_pause),
	    cmocka_unit_test(test_reconfigure_in_a_storm),
	    cmocka_unit_test(test_random_pauses_against_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
