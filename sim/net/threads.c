/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/threads.h"

#include "lib/thread.h"
#include "sim/net/barrier.h"
#include "sim/net/link.h"
#include "sim/net/part.h"
#include "sim/net/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_thread {
	struct sim *sim;
	struct sim_part *part;
	pthread_t id;
};

/* Written while the threads wait for the barrier. */
struct sim_threads {
	struct barrier barrier;
	pthread_mutex_t start; /* locked while threads are started */
	bool failed;           /* a thread could not be started: the others end */
	int64_t lookahead_ns;
	int64_t until_ns;
	bool ends;
	uint32_t n_started;
	struct sim_thread of[]; /* by part; of[0] is the caller of sim_threads_run() */
};

/* --- parts ------------------------------------------------------------------------- */

/* Of the other parts: their heaps are small, and sim_prefetch() reads nothing of this one. */
static void leave_out(const struct sim *sim, uint32_t id, uint32_t part)
{
	for (uint32_t i = 0; i < sim->n_parts; i++) {
		if (i != part)
			heap_leave_out(&sim->parts[i].heap, id);
	}
}

static void assign(struct sim *sim, const uint32_t *of)
{
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		sim->nodes[i].part = &sim->parts[of[i]];
		leave_out(sim, i, of[i]);
	}
	for (uint32_t i = 0; i < sim->n_links; i++) {
		struct sim_link *link = &sim->links[i];

		link->part = link->to->part;
		leave_out(sim, link->id, of[link->to->id]);
		if (link->from->part != link->part)
			link->crossings = &link->from->part->crossings[2 * of[link->to->id]];
	}
}

bool sim_threads_divide(struct sim *sim, uint32_t n)
{
	uint32_t *of = malloc(sim->n_nodes * sizeof(*of));
	uint32_t parts = of ? partition_network(sim, n, of) : 0;
	bool ok = parts && sim_parts_init(sim, parts);

	if (ok)
		assign(sim, of);
	free(of);
	return ok;
}

void sim_threads_rate(struct sim *sim)
{
	int64_t least = INT64_MAX;

	if (!sim->threads)
		return;
	for (uint32_t i = 0; i < sim->n_links; i++) {
		const struct sim_link *link = &sim->links[i];

		if (link->crossings && sim_link_least_ns(link) < least)
			least = sim_link_least_ns(link);
	}
	sim->threads->lookahead_ns = least;
}

/* --- windows ------------------------------------------------------------------------ */

/* Returns the time of the earliest event of all parts, as they were at the end of the last window.
 */
static int64_t earliest_ns(const struct sim *sim, unsigned window)
{
	int64_t earliest = INT64_MAX;

	for (uint32_t i = 0; i < sim->n_parts; i++) {
		if (sim->parts[i].next_ns[window] < earliest)
			earliest = sim->parts[i].next_ns[window];
	}
	return earliest;
}

static void process(struct sim *sim, struct sim_part *part, int64_t until_ns)
{
	int64_t next_ns;

	part->window ^= 1;
	part->crossing_ns = INT64_MAX;
	part->is_running = true;
	sim_part_run(sim, part, (struct dcb_time){until_ns});
	part->is_running = false;
	next_ns = heap_time(&part->heap).ns;
	part->next_ns[part->window] = next_ns < part->crossing_ns ? next_ns : part->crossing_ns;
}

/* Takes over the frames that the other parts sent to this one in the window. */
static void take_over(struct sim *sim, const struct sim_part *part)
{
	size_t index = (size_t)(part - sim->parts);

	for (uint32_t i = 0; i < sim->n_parts; i++)
		sim_link_take_over(&sim->parts[i].crossings[2 * index + part->window]);
}

/*
 * What a part writes for the others, next_ns and crossings, exists twice: they read it after the
 * barrier, when the part is in the next window already. All threads calculate the same windows.
 */
static void run_windows(struct sim *sim, struct sim_part *part)
{
	struct sim_threads *t = sim->threads;

	for (;;) {
		int64_t begin_ns = earliest_ns(sim, part->window);
		int64_t rest_ns = t->until_ns - begin_ns;

		if (rest_ns < 0)
			return;
		process(sim, part,
			rest_ns < t->lookahead_ns ? t->until_ns : begin_ns + t->lookahead_ns - 1);
		barrier_wait(&t->barrier);
		take_over(sim, part);
	}
}

void sim_threads_run(struct sim *sim, struct dcb_time until)
{
	struct sim_threads *t = sim->threads;
	unsigned window = sim->parts[0].window;

	for (uint32_t i = 0; i < sim->n_parts; i++)
		sim->parts[i].next_ns[window] = heap_time(&sim->parts[i].heap).ns;
	if (earliest_ns(sim, window) > until.ns)
		return;
	t->until_ns = until.ns;
	barrier_wait(&t->barrier);
	run_windows(sim, &sim->parts[0]);
	barrier_wait(&t->barrier);
}

/* --- threads ------------------------------------------------------------------------ */

static void *run_thread(void *arg)
{
	const struct sim_thread *thread = arg;
	struct sim_threads *t = thread->sim->threads;
	bool all;

	pthread_mutex_lock(&t->start);
	all = !t->failed;
	pthread_mutex_unlock(&t->start);
	while (all) {
		barrier_wait(&t->barrier);
		if (t->ends)
			break;
		run_windows(thread->sim, thread->part);
		barrier_wait(&t->barrier);
	}
	return NULL;
}

bool sim_threads_start(struct sim *sim, char *err, size_t errlen)
{
	uint32_t n = sim->n_parts;
	struct sim_threads *t;

	if (n == 1)
		return true;
	t = calloc(1, sizeof(*t) + n * sizeof(t->of[0]));
	if (!t || !barrier_init(&t->barrier, n)) {
		free(t);
		snprintf(err, errlen, "out of memory");
		return false;
	}
	pthread_mutex_init(&t->start, NULL);
	sim->threads = t;
	sim_threads_rate(sim);
	pthread_mutex_lock(&t->start);
	for (uint32_t i = 1; i < n && !t->failed; i++) {
		int error;

		t->of[i] = (struct sim_thread){.sim = sim, .part = &sim->parts[i]};
		error = thread_start(&t->of[i].id, run_thread, &t->of[i]);
		t->failed = error != 0;
		t->n_started += !error;
		if (error)
			snprintf(err, errlen, "thread %u of %u: %s", i + 1, n, strerror(error));
	}
	pthread_mutex_unlock(&t->start);
	return !t->failed;
}

void sim_threads_destroy(struct sim *sim)
{
	struct sim_threads *t = sim->threads;

	if (!t)
		return;
	if (!t->failed) {
		t->ends = true;
		barrier_wait(&t->barrier);
	}
	for (uint32_t i = 1; i <= t->n_started; i++)
		pthread_join(t->of[i].id, NULL);
	barrier_destroy(&t->barrier);
	pthread_mutex_destroy(&t->start);
	free(t);
	sim->threads = NULL;
}
