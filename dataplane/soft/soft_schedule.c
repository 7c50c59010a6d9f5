/* SPDX-License-Identifier: BSD-3-Clause */
/* Real time of the dataplane thread of provider "soft". */
#include "dataplane/soft/provider_soft_private.h"

#include "lib/clock.h"
#include "lib/counter.h"
#include "lib/log.h"

#include <string.h>

static const char *name_of(const struct soft *s)
{
	return s->params.name ? s->params.name : "soft";
}

/* A default that is not permitted is no fault: containers and other users start dcbd, too. */
static void log_refusal(const struct soft *s, int priority, int error)
{
	if (s->params.priority_is_default)
		log_info("dataplane", "%s: no real time: priority %d is not permitted: %s",
			 name_of(s), priority, strerror(error));
	else
		log_warn("dataplane",
			 "%s: no real time: dataplane.priority = %d is not permitted: %s",
			 name_of(s), priority, strerror(error));
}

void soft_take_real_time(struct soft *s)
{
	int priority = s->params.priority, error;

	if (priority == 0) {
		/* That with which dcbd was started. */
		gauge_set(&s->realtime.priority, realtime_priority());
		return;
	}
	error = realtime_begin(&s->realtime, priority, clock_now());
	gauge_set(&s->realtime_state, error ? PROVIDER_RT_NOT_PERMITTED : PROVIDER_RT_IN_FORCE);
	if (error)
		log_refusal(s, priority, error);
	else
		log_info("dataplane", "%s: real time: SCHED_FIFO, priority %d", name_of(s),
			 priority);
}

void soft_read_schedule(const struct soft *s, struct provider_stats *out)
{
	out->rt_state = gauge_get(&s->realtime_state);
	out->rt_priority = (uint32_t)gauge_get(&s->realtime.priority);
	out->rt_suspensions = gauge_get(&s->realtime.given_up);
	out->cpu = s->has_thread ? s->params.cpu : -1;
	if (out->rt_state == PROVIDER_RT_IN_FORCE && out->rt_priority == 0)
		out->rt_state = gauge_get(&s->realtime.refused) ? PROVIDER_RT_NOT_PERMITTED
								: PROVIDER_RT_SUSPENDED;
}
