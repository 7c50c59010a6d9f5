/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/host/limits.h"

#include <sys/resource.h>

#include "lib/log.h"

/*
 * Of the rest of dcbd: event loops, netlink, LLDP, the state file, clients of the control
 * socket, and an interface that is open twice for a moment.
 */
#define FILES_OF_REST 256

uint32_t limits_raise_files(uint32_t ports)
{
	const rlim_t wanted = FILES_OF_REST + (rlim_t)LIMITS_FILES_PER_PORT * ports;
	struct rlimit limit, raised;
	uint32_t enough;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return ports;
	raised = limit;
	raised.rlim_cur = wanted;
	if (raised.rlim_max < wanted)
		raised.rlim_max = wanted;
	if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
		return ports;
	raised = limit;
	raised.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &raised) < 0)
		raised = limit;
	if (raised.rlim_cur >= wanted)
		return ports;
	enough = raised.rlim_cur > FILES_OF_REST
		     ? (uint32_t)((raised.rlim_cur - FILES_OF_REST) / LIMITS_FILES_PER_PORT)
		     : 0;
	log_info("dcbd", "the limit of %ju open files is enough for %u ports, not for %u",
		 (uintmax_t)raised.rlim_cur, enough, ports);
	return enough;
}

/* SIGXCPU of the soft limit is blocked in the dataplane thread, SIGKILL of the hard one is not. */
static void end_hanging_thread(void)
{
	const rlim_t us = LIMITS_RT_SECONDS * 1000000;
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTTIME, &limit) == 0 && limit.rlim_max > us)
		(void)setrlimit(RLIMIT_RTTIME, &(struct rlimit){us, us});
}

bool limits_permit_real_time(int priority)
{
	const rlim_t wanted = (rlim_t)priority;
	struct rlimit limit, raised;

	if (priority == 0)
		return true;
	end_hanging_thread();
	if (getrlimit(RLIMIT_RTPRIO, &limit) < 0)
		return false;
	if (limit.rlim_cur >= wanted)
		return true;
	raised = (struct rlimit){wanted, limit.rlim_max < wanted ? wanted : limit.rlim_max};
	return setrlimit(RLIMIT_RTPRIO, &raised) == 0;
}
