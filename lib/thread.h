/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of a daemon beside its main thread, which receives the signals. */
#ifndef DCB_LIB_THREAD_H
#define DCB_LIB_THREAD_H

#include <pthread.h>

/*
 * Starts a thread in which all signals are blocked. Returns 0 or an errno. The thread has to
 * set its name itself: for another one it is a file of /proc, which dcbd cannot open.
 */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
