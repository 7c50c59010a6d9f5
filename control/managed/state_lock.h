/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of the managed state: struct managed, its ports, neighbors and events. The control
 * thread alone changes the state; another thread reads it. Therefore the control thread takes
 * the lock only to change something, not to read: neither reading a file nor a check of a
 * copy delays the other thread.
 *
 * Threads get the lock in the order in which they ask for it, which a mutex does not promise:
 * each of two threads waits for one turn of the other at most.
 *
 * All that takes long happens before a change: reading dcbd.conf and its dry run, the edit of a
 * SET on a copy, the text of the state file, opening the interface of a new port (opening one
 * again, after a failure, is within). The wait for the disk and for files is outside, too. A
 * publication is one change: settling the values of all ports, prepare, commit and the exchange of
 * m->config; so is a batch of neighbors and links, or the update of one port.
 *
 * The functions of control/managed that change the state take the lock themselves, so that no
 * caller can forget it; assertions and ThreadSanitizer detect one that does not.
 *
 * Functions whose lock is NULL do nothing, for systems that only one thread uses; so do those
 * of a lock that is not shared yet, except that changes are counted.
 */
#ifndef DCB_CONTROL_MANAGED_STATE_LOCK_H
#define DCB_CONTROL_MANAGED_STATE_LOCK_H

#include <stdbool.h>

struct state_lock;

/* NULL: out of memory. */
struct state_lock *state_lock_new(void);
/* No thread has the lock or waits for it. lock may be NULL. */
void state_lock_free(struct state_lock *lock);

/* From now on there is a thread that reads, which starts after this call. Control thread. */
void state_lock_share(struct state_lock *lock);

/*
 * Around a change of the state, by the control thread. A change can have others within it; the
 * outermost takes the lock, so a reader sees all of it or nothing. No waiting for a disk, a
 * file or a process in between.
 */
void state_change_begin(struct state_lock *lock);
void state_change_end(struct state_lock *lock);
/* Returns whether the control thread is within a change: for assertions. */
bool state_may_change(const struct state_lock *lock);

/* Around reading the state, by a thread other than the control thread. Not nested. */
void state_read_begin(struct state_lock *lock);
void state_read_end(struct state_lock *lock);

/* Returns the number of threads that wait for the lock, which the caller has; for tests. */
unsigned state_lock_waiting(const struct state_lock *lock);

#endif
