/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library for LD_PRELOAD. The kernel permits SCHED_FIFO to a thread of the program twice, as dcbd
 * asks at its start and when a port needs it, refuses it at the third time, and permits it again:
 * RLIMIT_RTPRIO was lowered meanwhile, and raised.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	static int (*next)(pid_t, int, const struct sched_param *);
	static atomic_int times;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "sched_setscheduler");
	if ((policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO && atomic_fetch_add(&times, 1) == 2) {
		errno = EPERM;
		return -1;
	}
	return next(pid, policy, param);
}
