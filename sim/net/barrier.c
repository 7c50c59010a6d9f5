/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/barrier.h"

#include "lib/clock.h"

#include <sched.h>
#include <stdint.h>

/* How long a thread tries before it lets others run, and before it sleeps. */
#define TRY_NS   3000
#define YIELD_NS 50000

#define TRIES 64 /* between readings of the clock */

bool barrier_init(struct barrier *b, unsigned n)
{
	b->n = n;
	atomic_init(&b->arrived, 0);
	atomic_init(&b->opened, 0);
	atomic_init(&b->n_asleep, 0);
	if (pthread_mutex_init(&b->mutex, NULL))
		return false;
	if (!pthread_cond_init(&b->woken, NULL))
		return true;
	pthread_mutex_destroy(&b->mutex);
	return false;
}

void barrier_destroy(struct barrier *b)
{
	pthread_cond_destroy(&b->woken);
	pthread_mutex_destroy(&b->mutex);
}

static bool is_open(struct barrier *b, unsigned before)
{
	return atomic_load_explicit(&b->opened, memory_order_acquire) != before;
}

/* Returns false if the barrier has not opened within YIELD_NS. */
static bool try_for_a_while(struct barrier *b, unsigned before)
{
	int64_t began_ns = 0, lasts_ns = 0;

	while (lasts_ns < YIELD_NS) {
		for (unsigned i = 0; i < TRIES; i++) {
			if (is_open(b, before))
				return true;
		}
		if (!began_ns)
			began_ns = clock_now().ns;
		lasts_ns = clock_now().ns - began_ns;
		if (lasts_ns > TRY_NS)
			sched_yield();
	}
	return false;
}

/* The opening thread reads n_asleep after it has written opened, here it is the other way. */
static void sleep_until_open(struct barrier *b, unsigned before)
{
	pthread_mutex_lock(&b->mutex);
	atomic_fetch_add(&b->n_asleep, 1);
	while (atomic_load(&b->opened) == before)
		pthread_cond_wait(&b->woken, &b->mutex);
	atomic_fetch_sub(&b->n_asleep, 1);
	pthread_mutex_unlock(&b->mutex);
}

static void open_barrier(struct barrier *b)
{
	atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
	atomic_fetch_add(&b->opened, 1);
	if (!atomic_load(&b->n_asleep))
		return;
	pthread_mutex_lock(&b->mutex);
	pthread_cond_broadcast(&b->woken);
	pthread_mutex_unlock(&b->mutex);
}

void barrier_wait(struct barrier *b)
{
	unsigned before = atomic_load_explicit(&b->opened, memory_order_relaxed);

	if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->n)
		open_barrier(b);
	else if (!try_for_a_while(b, before))
		sleep_until_open(b, before);
}
