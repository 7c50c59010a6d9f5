/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether other threads of the machine wait for a processor, for a thread with real time. A thread
 * of normal priority answers the question: that there is no answer for long says that threads of
 * normal priority do not run. It reads the time for which at least one thread waited from
 * /proc/pressure/cpu (pressure stall information, Linux 4.20), with a lock of the kernel that a
 * thread with real time should not wait for.
 */
#ifndef DCB_LIB_RT_OBSERVER_H
#define DCB_LIB_RT_OBSERVER_H

#include <stdbool.h>

#include "lib/dcbtime.h"

#define RT_OBSERVER_FILE "/proc/pressure/cpu"

struct rt_observer;

struct rt_observed {
	struct dcb_time at; /* when it was read: CLOCK_MONOTONIC */
	bool knows;         /* waited_ns; false: this kernel has no such file */
	int64_t waited_ns;  /* since the start of the machine */
};

/*
 * Starts the thread, with the scheduling policy of the calling thread. Returns NULL without memory,
 * or if there can be no thread; errno says why.
 */
struct rt_observer *rt_observer_start(void);
void rt_observer_stop(struct rt_observer *o); /* NULL: nothing */

/*
 * One thread asks; each question has one answer. None of these blocks. rt_observer_answer() may be
 * called if there is an answer, and then once.
 */
void rt_observer_ask(struct rt_observer *o);
bool rt_observer_has_answer(const struct rt_observer *o);
struct rt_observed rt_observer_answer(struct rt_observer *o);

#endif
