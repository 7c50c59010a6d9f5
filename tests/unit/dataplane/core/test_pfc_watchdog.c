/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watchdog in virtual time: detection, restoration, duty cycle, hold-down, pauses
 * that are not storms, and random pauses compared with a model that keeps the whole history.
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
		config[i] = (struct pfc_watchdog_config){
		    .action = action, .detection_ms = 400, .restoration_ms = 2000};
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
		config[i] = (struct pfc_watchdog_config){
		    .action = (uint8_t)(i % 4 + 1), .detection_ms = 400, .restoration_ms = 1000};
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

/* --- duty cycle -------------------------------------------------------------------- */

#define WINDOW 2000
#define DUTY   90

static struct pfc_watchdog with_duty(uint32_t window, uint32_t percent, uint32_t hold_down)
{
	struct pfc_watchdog_config config[DCB_PRIORITIES];
	struct pfc_watchdog w = {0};

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		config[i] = (struct pfc_watchdog_config){.action = PFC_WATCHDOG_ALERT,
							 .detection_ms = 200,
							 .restoration_ms = 200,
							 .duty_percent = percent,
							 .window_ms = window,
							 .hold_down_ms = hold_down};
	pfc_watchdog_configure(&w, config, ms(0));
	return w;
}

/*
 * Pauses of a length with gaps of another, frames waiting during pauses. Looks at changes and
 * deadlines only. Returns when a storm was detected; 0: not until the end.
 */
static double storm_at(struct pfc_watchdog *w, double pause, double gap, double end)
{
	double t = 0, change = pause;
	bool paused = true;

	while (t < end) {
		if (look(w, paused ? P3 : 0, paused ? P3 : 0, t).stormed)
			return t;
		t = (double)pfc_watchdog_deadline(w).ns / 1e6;
		if (t < change)
			continue;
		t = change;
		if (look(w, paused ? P3 : 0, paused ? P3 : 0, t).stormed) /* the end of the state */
			return t;
		paused = !paused;
		change = t + (paused ? pause : gap);
	}
	return 0;
}

/* Pauses too short for the detection time, with short gaps, for ever. */
static void test_short_pauses_with_shorter_gaps_are_a_storm(void **state)
{
	struct pfc_watchdog w = with_duty(WINDOW, DUTY, 0);

	(void)state;
	assert_true(storm_at(&w, 30, 3, 60000) > 0);
	assert_true((double)w.pri[3].detected.ns / 1e6 <= WINDOW * 9 / 8.0);
	assert_int_equal(w.pri[3].cause, PFC_STORM_DUTY_CYCLE);
	assert_in_range(dcb_time_diff_ns(w.pri[3].detected, w.pri[3].blocked), ms(1800).ns,
			ms(2000).ns);
	assert_int_equal(w.measured, 0);
	/* A smaller share is none, whatever the lengths. */
	for (double pause = 1; pause < 199; pause += 0.7) {
		w = with_duty(WINDOW, DUTY, 0);
		assert_true(storm_at(&w, pause, pause / 4, 20000) == 0);
	}
	/* One long pause has the other reason. */
	w = with_duty(WINDOW, DUTY, 0);
	assert_true(storm_at(&w, 60000, 1, 60000) == 200);
	assert_int_equal(w.pri[3].cause, PFC_STORM_BLOCKED);
	/* Switched off. */
	w = with_duty(WINDOW, 0, 0);
	assert_true(storm_at(&w, 30, 0.1, 60000) == 0);
	assert_int_equal(w.measured, 0);
}

static int64_t in_slots(const struct pfc_watchdog *w)
{
	int64_t ns = 0;

	for (unsigned n = 0; n < PFC_WATCHDOG_SLOTS; n++)
		ns += w->pri[3].duty.blocked_ns[n];
	return ns;
}

/* Pauses without frames that wait, and frames that a pause does not stop, are no storm. */
static void test_duty_cycle_counts_pauses_with_waiting_frames(void **state)
{
	struct pfc_watchdog w = with_duty(WINDOW, DUTY, 0);
	struct pfc_watchdog_view sent = {.paused = P3, .waiting = P3, .sent = P3};

	(void)state;
	for (double t = 0; t < 20000; t += 30) {
		assert_verdict(look(&w, P3, 0, t), 0, 0);
		assert_verdict(look(&w, 0, 0, t + 29), 0, 0);
	}
	assert_int_equal(in_slots(&w), 0);
	for (double t = 20000; t < 40000; t += 30)
		assert_verdict(pfc_watchdog_look(&w, &sent, ms(t)), 0, 0);
	/* A view that is very late: the state before it held all the time. */
	look(&w, 0, 0, 40000);
	look(&w, P3, P3, 50000);
	assert_verdict(look(&w, 0, 0, 50150), 0, 0);
	assert_verdict(look(&w, P3, P3, 90000), 0, 0);
	assert_verdict(look(&w, 0, 0, 90100), 0, 0);
	assert_int_equal(in_slots(&w), ms(100).ns);
	/* Measuring ends with the last pause in the window; then there is no deadline. */
	while (w.measured)
		look(&w, 0, 0, (double)pfc_watchdog_deadline(&w).ns / 1e6);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, DCB_TIME_NEVER.ns);
	/* The link goes down, or the watchdog is disabled: measuring starts again. */
	look(&w, P3, P3, 200000);
	assert_int_equal(w.measured, P3);
	pfc_watchdog_reset(&w, ms(200001));
	assert_int_equal(w.measured, 0);
	look(&w, P3, P3, 200002);
	configure(&w, PFC_WATCHDOG_NONE, 200003);
	assert_int_equal(w.measured, 0);
	assert_int_equal(pfc_watchdog_deadline(&w).ns, DCB_TIME_NEVER.ns);
}

#define HISTORY 6000

/* sum[i]: ms blocked before i. */
static int in_window(const int *sum, int window, int end)
{
	return sum[end] - sum[end - window < 0 ? 0 : end - window];
}

/*
 * Random pauses, of one random share at a time. Found only if a window has the share, and found
 * at the latest when all windows that end in an eighth of it have.
 */
static void run_duty(unsigned *found, unsigned *none)
{
	const int window = 8 * (20 + rand() % 100), percent = 40 + rand() % 61;
	struct pfc_watchdog w = with_duty((uint32_t)window, (uint32_t)percent, 0);
	int sum[HISTORY + 1] = {0}, share = 0;
	bool paused = false, seen = false;

	for (int t = 0; t < HISTORY; t++) {
		bool was = paused;

		if (t % 1500 == 0)
			share = percent - 25 + rand() % 28;
		if (t % 10 == 0 || rand() % 15 == 0)
			paused = rand() % 100 < share && t % 180 != 0;
		if (was != paused || ms(t).ns >= pfc_watchdog_deadline(&w).ns) {
			/* The end of the state before, then the new one: frames wait in pauses. */
			struct pfc_watchdog_verdict v = look(&w, was ? P3 : 0, was ? P3 : 0, t);

			if (!v.stormed)
				v = look(&w, paused ? P3 : 0, paused ? P3 : 0, t);
			if (v.stormed) {
				assert_int_equal(w.pri[3].cause, PFC_STORM_DUTY_CYCLE);
				assert_true(in_window(sum, window, t) * 100 >= window * percent);
				seen = true;
				break;
			}
		}
		for (int k = 0, all = t >= window * 9 / 8; all && k <= window / 8; k++) {
			all = in_window(sum, window, t - k) * 100 >= window * percent;
			assert_false(all && k == window / 8);
		}
		sum[t + 1] = sum[t] + paused;
	}
	*(seen ? found : none) += 1;
}

static void test_random_duty_cycles_are_found_in_time_or_never(void **state)
{
	unsigned found = 0, none = 0;

	(void)state;
	srand((unsigned)unit_seed());
	for (unsigned i = 0; i < 2000; i++)
		run_duty(&found, &none);
	printf("%u storms, %u none\n", found, none);
	assert_true(found > 200);
	assert_true(none > 200);
}

/* --- hold-down ---------------------------------------------------------------------- */

/* Pauses of on ms every on + off ms. Returns the number of storms that ended. */
static unsigned ends_of(struct pfc_watchdog *w, double on, double off, double end)
{
	unsigned ends = 0;

	for (double t = 0; t < end; t += on + off) {
		look(w, P3, P3, t);
		for (double k = 1; k <= on; k++)
			look(w, P3, P3, t + k);
		for (double k = 0; k < off; k++)
			ends += look(w, 0, 0, t + on + k).ended == P3;
	}
	return ends;
}

static void test_bursts_above_both_times_do_not_flap(void **state)
{
	struct pfc_watchdog w = with_duty(WINDOW, 0, 0);

	(void)state;
	assert_int_equal(ends_of(&w, 210, 210, 5000), 12);
	w = with_duty(WINDOW, 0, 60000);
	assert_int_equal(ends_of(&w, 210, 210, 5000), 1);
	assert_int_equal(pfc_watchdog_restoration_ns(&w.pri[3]), ms(400).ns);
}

/* Runs until the next storm, then without pause until its end. Returns its time. */
static double next_end(struct pfc_watchdog *w, double *t)
{
	for (look(w, P3, P3, *t); !look(w, P3, P3, *t).stormed;)
		*t += 1;
	do {
		*t += 1;
	} while (!look(w, 0, 0, *t).ended);
	return *t;
}

/* Who pauses again at once after each end gets ends at distances that double. */
static void test_distances_of_ends_double(void **state)
{
	struct pfc_watchdog w = with_duty(WINDOW, 0, 10000);
	double t = 1000, last = next_end(&w, &t), distance;

	(void)state;
	for (double most = 400; most <= 20000; most *= 2) {
		double restoration = most < 10000 ? most : 10000;

		distance = next_end(&w, &t) - last;
		last = t;
		assert_int_equal(pfc_watchdog_restoration_ns(&w.pri[3]), ms(restoration).ns);
		assert_true(distance >= restoration + 200);
		assert_true(distance <= restoration + 200 + 5);
	}
	/* As long without a storm as the hold-down: back to the restoration time. */
	t += 10000;
	next_end(&w, &t);
	assert_int_equal(pfc_watchdog_restoration_ns(&w.pri[3]), ms(200).ns);
	t += 9000;
	next_end(&w, &t);
	assert_int_equal(pfc_watchdog_restoration_ns(&w.pri[3]), ms(400).ns);
	/* So does switching it off. */
	configure(&w, PFC_WATCHDOG_NONE, t);
	w.pri[3].end = PFC_STORM_SWITCHED_OFF;
	t += 1;
	configure(&w, PFC_WATCHDOG_ALERT, t);
	next_end(&w, &t);
	assert_int_equal(pfc_watchdog_restoration_ns(&w.pri[3]), ms(2000).ns);
}

/* Random pauses: a storm soon after another ends at least twice as late, up to the hold-down. */
static void test_random_bursts_end_ever_later(void **state)
{
	(void)state;
	srand((unsigned)unit_seed());
	for (unsigned run = 0; run < 200; run++) {
		struct pfc_watchdog w = with_duty(WINDOW, 0, 5000);
		double t = 0, last = -1e9, least = 200;
		unsigned n = 0;

		while (t < 100000) {
			double on = t + rand() % 500, off;
			struct pfc_watchdog_verdict v = {0};

			for (; t < on; t++)
				if (look(&w, P3, P3, t).stormed) {
					bool soon = t - last < 5000;

					least = !soon ? 200 : least < 2500 ? 2 * least : 5000;
				}
			off = t + rand() % 3000;
			while (t < off && !(v = look(&w, 0, 0, t)).ended)
				t++;
			if (!v.ended)
				continue;
			assert_true(t - last >= least);
			last = t;
			n++;
		}
		assert_in_range(n, 1, (5 + 2) * (1 + 100000 / 5000));
	}
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
		config[p] = (struct pfc_watchdog_config){.action = (uint8_t)(2 + p % 3),
							 .detection_ms = (uint32_t)detection,
							 .restoration_ms = (uint32_t)restoration};
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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_storm_and_restoration),
	    cmocka_unit_test(test_watched_while_paused),
	    cmocka_unit_test(test_pauses_that_are_no_storm),
	    cmocka_unit_test(test_frames_that_arrive_during_a_pause),
	    cmocka_unit_test(test_reconfigure_in_a_storm),
	    cmocka_unit_test(test_short_pauses_with_shorter_gaps_are_a_storm),
	    cmocka_unit_test(test_duty_cycle_counts_pauses_with_waiting_frames),
	    cmocka_unit_test(test_random_duty_cycles_are_found_in_time_or_never),
	    cmocka_unit_test(test_bursts_above_both_times_do_not_flap),
	    cmocka_unit_test(test_distances_of_ends_double),
	    cmocka_unit_test(test_random_bursts_end_ever_later),
	    cmocka_unit_test(test_random_pauses_against_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
