/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of a daemon beside its main thread, which receives the signals. */
#ifndef DCB_LIB_THREAD_H
#define DCB_LIB_THREAD_H

#include <pthread.h>

/*
 * Starts a thread in which all signals are blocked. name: at most 15 octets, as ps -L shows it.
 * Returns 0 or an errno.
 */
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *arg), void *arg);

#endif
