/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/parallel.h"

#include "lib/thread.h"

#include <stddef.h>

struct job {
	unsigned next, n;
	void (*fn)(void *ctx, unsigned i);
	void *ctx;
};

static void *work(void *arg)
{
	struct job *job = arg;
	unsigned i;

	while ((i = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED)) < job->n)
		job->fn(job->ctx, i);
	return NULL;
}

void parallel_run(unsigned n, void (*fn)(void *ctx, unsigned i), void *ctx)
{
	struct job job = {.n = n, .fn = fn, .ctx = ctx};
	pthread_t threads[PARALLEL_THREADS];
	unsigned started = 0;

	while (started < PARALLEL_THREADS && started + 1 < n &&
	       thread_start(&threads[started], work, &job) == 0)
		started++;
	work(&job);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}
