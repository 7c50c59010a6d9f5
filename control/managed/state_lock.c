/* SPDX-License-Identifier: BSD-3-Clause */
/* A ticket lock whose threads sleep: the mutex is held only to take a ticket or to go on. */
#include "control/managed/state_lock.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct state_lock {
	pthread_mutex_t mutex;
	pthread_cond_t next_turn;
	uint64_t tickets; /* given */
	uint64_t turn;    /* the ticket that has the lock; equal to tickets: none has it */
	unsigned depth;   /* changes of the control thread that have begun; its own */
	bool is_shared;   /* constant when there are two threads */
};

struct state_lock *state_lock_new(void)
{
	struct state_lock *lock = calloc(1, sizeof(*lock));

	if (!lock)
		return NULL;
	pthread_mutex_init(&lock->mutex, NULL);
	pthread_cond_init(&lock->next_turn, NULL);
	return lock;
}

void state_lock_free(struct state_lock *lock)
{
	if (!lock)
		return;
	pthread_cond_destroy(&lock->next_turn);
	pthread_mutex_destroy(&lock->mutex);
	free(lock);
}

void state_lock_share(struct state_lock *lock)
{
	assert(lock->depth == 0);
	lock->is_shared = true;
}

static void take(struct state_lock *lock)
{
	uint64_t ticket;

	pthread_mutex_lock(&lock->mutex);
	ticket = lock->tickets++;
	while (lock->turn != ticket)
		pthread_cond_wait(&lock->next_turn, &lock->mutex);
	pthread_mutex_unlock(&lock->mutex);
}

static void give(struct state_lock *lock)
{
	pthread_mutex_lock(&lock->mutex);
	if (++lock->turn != lock->tickets)
		pthread_cond_broadcast(&lock->next_turn);
	pthread_mutex_unlock(&lock->mutex);
}

void state_change_begin(struct state_lock *lock)
{
	if (lock && lock->depth++ == 0 && lock->is_shared)
		take(lock);
}

void state_change_end(struct state_lock *lock)
{
	if (!lock)
		return;
	assert(lock->depth > 0);
	if (--lock->depth == 0 && lock->is_shared)
		give(lock);
}

bool state_may_change(const struct state_lock *lock)
{
	return !lock || !lock->is_shared || lock->depth > 0;
}

void state_read_begin(struct state_lock *lock)
{
	if (lock && lock->is_shared)
		take(lock);
}

void state_read_end(struct state_lock *lock)
{
	if (lock && lock->is_shared)
		give(lock);
}

unsigned state_lock_waiting(struct state_lock *lock)
{
	uint64_t ahead;

	pthread_mutex_lock(&lock->mutex);
	ahead = lock->tickets - lock->turn;
	pthread_mutex_unlock(&lock->mutex);
	return ahead > 1 ? (unsigned)(ahead - 1) : 0;
}
