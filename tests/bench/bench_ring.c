/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the time to pass an element from one thread to another by lib/ring.h, and by
 * the same ring with its former layout: head and tail in the cache line of the constant
 * members, and a read of the other thread's end for each element.
 *
 *   bench_ring [ELEMENTS]
 *
 * Both layouts run in turn in each repetition, each thread on its own processor if there
 * are two. Prints the time, the processor time of both threads together, which poll while they
 * wait, and the median and interval of the ratio of the times within a repetition. The ratio
 * depends on the cost of moving a cache line between processors, which varies with their placement
 * in a virtual machine, and on other load: above 1 with little load, and below 1 has been measured
 * with much.
 */
#include "lib/ring.h"
#include "tests/bench/interval.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REPETITIONS 31
#define SLOTS       4096 /* as in the ring of provider events */
#define ELEMENT     32

/* --- former layout ----------------------------------------------------------- */

struct old_ring {
	uint8_t *slots;
	uint32_t slot_octets;
	uint32_t mask;
	uint32_t head; /* written by the producer */
	uint8_t apart[64];
	uint32_t tail; /* written by the consumer */
};

static void *old_reserve(void *ring)
{
	struct old_ring *r = ring;
	uint32_t tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);

	if (r->head - tail > r->mask)
		return NULL;
	return r->slots + (size_t)(r->head & r->mask) * r->slot_octets;
}

static void old_commit(void *ring)
{
	struct old_ring *r = ring;

	__atomic_store_n(&r->head, r->head + 1, __ATOMIC_RELEASE);
}

static void *old_peek(void *ring)
{
	struct old_ring *r = ring;
	uint32_t head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);

	if (head == r->tail)
		return NULL;
	return r->slots + (size_t)(r->tail & r->mask) * r->slot_octets;
}

static void old_release(void *ring)
{
	struct old_ring *r = ring;

	__atomic_store_n(&r->tail, r->tail + 1, __ATOMIC_RELEASE);
}

/* --- present layout ------------------------------------------------------------ */

static void *new_reserve(void *ring)
{
	return ring_reserve(ring);
}

static void new_commit(void *ring)
{
	ring_commit(ring);
}

static void *new_peek(void *ring)
{
	return ring_peek(ring);
}

static void new_release(void *ring)
{
	ring_release(ring);
}

/* --- measurement -------------------------------------------------------------------- */

static uint64_t elements = 200000;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_ring: %s\n", what);
	exit(1);
}

/* Yields: the other thread may need this processor. */
static void wait_a_little(unsigned *times)
{
	if (++*times % 256 == 0)
		sched_yield();
}

typedef void *slot_fn(void *ring);
typedef void done_fn(void *ring);

static inline __attribute__((always_inline)) void produce(void *ring, slot_fn *reserve,
							  done_fn *commit)
{
	unsigned waited = 0;

	for (uint64_t i = 0; i < elements;) {
		uint64_t *slot = reserve(ring);

		if (!slot) {
			wait_a_little(&waited);
			continue;
		}
		*slot = i++;
		commit(ring);
	}
}

static inline __attribute__((always_inline)) void consume(void *ring, slot_fn *peek,
							  done_fn *release)
{
	unsigned waited = 0;

	for (uint64_t i = 0; i < elements;) {
		const uint64_t *slot = peek(ring);

		if (!slot) {
			wait_a_little(&waited);
			continue;
		}
		if (*slot != i++)
			die("an element differs from the one written");
		release(ring);
	}
}

static void use_processor(unsigned n)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(n % (unsigned)(count > 0 ? count : 1), &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *produce_old(void *ring)
{
	use_processor(1);
	produce(ring, old_reserve, old_commit);
	return NULL;
}

static void *produce_new(void *ring)
{
	use_processor(1);
	produce(ring, new_reserve, new_commit);
	return NULL;
}

struct cost {
	double ns, cpu_ns; /* per element */
};

static struct cost run(bool is_new, void *ring)
{
	double start = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	pthread_t thread;

	if (pthread_create(&thread, NULL, is_new ? produce_new : produce_old, ring) != 0)
		die("no thread");
	if (is_new)
		consume(ring, new_peek, new_release);
	else
		consume(ring, old_peek, old_release);
	pthread_join(thread, NULL);
	return (struct cost){
	    (clock_s(CLOCK_MONOTONIC) - start) * 1e9 / (double)elements,
	    (clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e9 / (double)elements,
	};
}

int main(int argc, char **argv)
{
	struct old_ring before = {.slots = calloc(SLOTS, ELEMENT), ELEMENT, SLOTS - 1};
	struct ring *now = ring_new(SLOTS, ELEMENT);
	double ns[2][REPETITIONS], cpu[2][REPETITIONS], ratio[REPETITIONS];
	struct interval of;

	if (argc > 1)
		elements = strtoull(argv[1], NULL, 10);
	if (elements == 0 || !before.slots || !now)
		die(elements ? "out of memory" : "expected a number of elements above 0");
	use_processor(0);
	for (unsigned i = 0; i < REPETITIONS; i++) {
		for (unsigned is_new = 0; is_new < 2; is_new++) {
			struct cost cost = run(is_new, is_new ? (void *)now : (void *)&before);

			ns[is_new][i] = cost.ns;
			cpu[is_new][i] = cost.cpu_ns;
		}
		ratio[i] = ns[0][i] / ns[1][i];
	}
	of = interval_of(ratio, REPETITIONS);
	printf("Ring between two threads: ns per element (ns of processor time), median of %d\n",
	       REPETITIONS);
	printf(
	    "  former layout %.1f (%.1f), present layout %.1f (%.1f): ratio %.2f (95 %% interval "
	    "%.2f-%.2f)\n",
	    interval_of(ns[0], REPETITIONS).median, interval_of(cpu[0], REPETITIONS).median,
	    interval_of(ns[1], REPETITIONS).median, interval_of(cpu[1], REPETITIONS).median,
	    of.median, of.low, of.high);
	free(before.slots);
	free(now);
	return 0;
}
