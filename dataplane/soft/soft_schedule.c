/* SPDX-License-Identifier: BSD-3-Clause */
/* Real time of the dataplane thread of provider "soft", and when it waits. */
#include "dataplane/soft/provider_soft_private.h"

#include "lib/clock.h"
#include "lib/counter.h"
#include "lib/log.h"

#include <string.h>
#include <sys/eventfd.h>

static const char *name_of(const struct soft *s)
{
	return s->params.name ? s->params.name : "soft";
}

/* A default that is not permitted is no fault: containers and other users start dcbd, too. */
static void log_refusal(const struct soft *s, int priority, int error)
{
	if (s->params.priority_is_default)
		/*
		 * Message: The kernel does not permit it, see dcbd(8). Other programs can delay
		 * frames, so PFC needs more headroom. Raise RLIMIT_RTPRIO, as with LimitRTPRIO of
		 * the unit, or set `dataplane.priority` to "off".
		 */
		log_info("dataplane", "%s: no real time: priority %d is not permitted: %s",
			 name_of(s), priority, strerror(error));
	else
		/* Message: as "%s: no real time: priority %d is not permitted: %s" */
		log_warn("dataplane",
			 "%s: no real time: dataplane.priority = %d is not permitted: %s",
			 name_of(s), priority, strerror(error));
}

static bool needs_real_time(const struct soft *s)
{
	return soft_is_prompt(s) || s->measuring_ports;
}

void soft_take_real_time(struct soft *s)
{
	int priority = s->params.priority, error;

	if (priority == 0) {
		/* That with which dcbd was started. */
		gauge_set(&s->realtime.priority, realtime_priority());
		return;
	}
	s->realtime.kind = RT_GUARD_TAKES_PAUSES;
	error = realtime_begin(&s->realtime, priority, clock_now());
	if (error) {
		gauge_set(&s->realtime_state, PROVIDER_RT_NOT_PERMITTED);
		log_refusal(s, priority, error);
		return;
	}
	realtime_end(&s->realtime);
	gauge_set(&s->realtime_state, PROVIDER_RT_NOT_NEEDED);
	/* Message: The kernel permits real time to the dataplane thread of this provider. */
	log_info("dataplane",
		 "%s: real time: SCHED_FIFO, priority %d, while a port obeys PFC or PAUSE, or "
		 "measures its headroom",
		 name_of(s), priority);
}

void soft_adjust_real_time(struct soft *s, struct dcb_time now)
{
	bool needs = needs_real_time(s), has = s->realtime_state == PROVIDER_RT_IN_FORCE;

	if (s->realtime_state == PROVIDER_RT_OFF || needs == has)
		return;
	if (!needs) {
		realtime_end(&s->realtime);
		gauge_set(&s->realtime_state, PROVIDER_RT_NOT_NEEDED);
	} else if (s->realtime_state == PROVIDER_RT_NOT_NEEDED) {
		int error = realtime_begin(&s->realtime, s->params.priority, now);

		gauge_set(&s->realtime.refused, error != 0);
		gauge_set(&s->realtime_state, PROVIDER_RT_IN_FORCE);
	}
}

/* Of a thread that asked for real time and does not have it now. */
static uint8_t state_without(const struct soft *s)
{
	if (gauge_get(&s->realtime.refused))
		return PROVIDER_RT_NOT_PERMITTED;
	return gauge_get(&s->realtime.reason) == RT_GUARD_OVERLOAD ? PROVIDER_RT_SUSPENDED
								   : PROVIDER_RT_YIELDED;
}

void soft_read_schedule(const struct soft *s, struct provider_stats *out)
{
	out->rt_state = gauge_get(&s->realtime_state);
	out->rt_priority = (uint32_t)gauge_get(&s->realtime.priority);
	out->rt_yields = gauge_get(&s->realtime.yields);
	out->rt_suspensions = gauge_get(&s->realtime.overloads) + out->rt_yields;
	out->cpu = s->has_thread ? s->params.cpu : -1;
	if (out->rt_state == PROVIDER_RT_IN_FORCE && out->rt_priority == 0)
		out->rt_state = state_without(s);
}

/* --- a thread that waits ----------------------------------------------------------------- */

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0)
		; /* EINTR */
}

void soft_wait_if_parked(struct soft *s)
{
	if (!__atomic_load_n(&s->parks, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&s->parks, false, __ATOMIC_RELAXED);
	sem_post(&s->parked);
	wait_for(&s->resumed);
}

void soft_park(struct soft *s)
{
	if (!s->has_thread)
		return;
	__atomic_store_n(&s->parks, true, __ATOMIC_RELEASE);
	(void)eventfd_write(s->wake_fd, 1);
	wait_for(&s->parked);
}

void soft_resume(struct soft *s)
{
	if (s->has_thread)
		sem_post(&s->resumed);
}
