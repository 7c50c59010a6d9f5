/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier for threads that wait for each other every few microseconds. pthread_barrier_wait()
 * would put a thread to sleep each time, which takes longer than that. A thread here tries for a
 * while, lets others run that share its processor, and sleeps at last: with more threads than
 * processors, or with other load, the waiting takes no processor from those who work.
 */
#ifndef DCB_SIM_BARRIER_H
#define DCB_SIM_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct barrier {
	unsigned n;            /* threads that wait for each other */
	atomic_uint arrived;   /* of n */
	atomic_uint opened;    /* how often all had arrived */
	atomic_uint n_asleep;  /* threads that wait for woken */
	pthread_mutex_t mutex; /* for n_asleep to become greater, and woken */
	pthread_cond_t woken;
};

/* For n threads, at least one. Returns false without resources. */
bool barrier_init(struct barrier *b, unsigned n);
void barrier_destroy(struct barrier *b);

/*
 * Returns when all threads have called it. What each wrote before, all read after. Any of the
 * threads.
 */
void barrier_wait(struct barrier *b);

#endif
