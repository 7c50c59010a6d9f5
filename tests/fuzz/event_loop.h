/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces libevent in a fuzzer: events on file descriptors that the fuzzer says are ready, and
 * timers of a clock that only the fuzzer advances. A program that includes this file does not
 * link libevent.
 */
#ifndef DCB_TESTS_FUZZ_EVENT_LOOP_H
#define DCB_TESTS_FUZZ_EVENT_LOOP_H

#include <event2/event.h>
#include <stdbool.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define LOOP_EVENTS 8    /* of one input at a time */
#define LOOP_TURNS  4096 /* callbacks until the loop is idle; more are an endless loop */

/* No feedback for libFuzzer: the branches of the loop are none of the code under test. */
#ifdef __clang__
#define LOOP_FUNCTION static inline __attribute__((no_sanitize("coverage")))
#else
#define LOOP_FUNCTION static inline
#endif

struct event {
	bool used, pending, active;
	evutil_socket_t fd; /* -1: a timer */
	short what;
	event_callback_fn fn;
	void *arg;
	int64_t at_ms, every_ms; /* of a timer */
};

static struct loop {
	struct event events[LOOP_EVENTS];
	int64_t now_ms;
	bool broken; /* event_base_loopbreak() was called */
} loop;

/* Defined by the fuzzer. */
LOOP_FUNCTION bool loop_is_ready(evutil_socket_t fd, short what);

struct event *event_new(struct event_base *base, evutil_socket_t fd, short what,
			event_callback_fn fn, void *arg)
{
	(void)base;
	for (unsigned i = 0; i < LOOP_EVENTS; i++) {
		struct event *ev = &loop.events[i];

		if (ev->used)
			continue;
		*ev = (struct event){.used = true, .fd = fd, .what = what, .fn = fn, .arg = arg};
		return ev;
	}
	FUZZ_ASSERT(!"raise LOOP_EVENTS");
	return NULL;
}

int event_add(struct event *ev, const struct timeval *tv)
{
	FUZZ_ASSERT(ev->used && (tv || ev->fd >= 0));
	ev->pending = true;
	if (tv) {
		int64_t ms = (int64_t)tv->tv_sec * 1000 + tv->tv_usec / 1000;

		ev->at_ms = loop.now_ms + ms;
		ev->every_ms = ev->what & EV_PERSIST ? ms : 0;
	}
	return 0;
}

int event_del(struct event *ev)
{
	FUZZ_ASSERT(ev->used);
	ev->pending = ev->active = false;
	return 0;
}

void event_free(struct event *ev)
{
	event_del(ev);
	ev->used = false;
}

void event_active(struct event *ev, int what, short n)
{
	(void)what;
	(void)n;
	FUZZ_ASSERT(ev->used);
	ev->active = true;
}

int event_pending(const struct event *ev, short what, struct timeval *tv)
{
	(void)tv;
	FUZZ_ASSERT(ev->used);
	return ev->pending ? what : 0;
}

LOOP_FUNCTION bool is_due(const struct event *ev)
{
	if (!ev->used || !(ev->pending || ev->active))
		return false;
	if (ev->active)
		return true;
	return ev->fd < 0 ? ev->at_ms <= loop.now_ms : loop_is_ready(ev->fd, ev->what);
}

LOOP_FUNCTION void call(struct event *ev)
{
	ev->active = false;
	if (ev->every_ms > 0)
		ev->at_ms += ev->every_ms;
	else if (!(ev->what & EV_PERSIST))
		ev->pending = false;
	ev->fn(ev->fd, ev->what, ev->arg);
}

/* Calls the due events, until none is due. */
LOOP_FUNCTION void loop_run(void)
{
	for (unsigned turns = 0, i = 0; i < LOOP_EVENTS && !loop.broken; i++) {
		if (!is_due(&loop.events[i]))
			continue;
		FUZZ_ASSERT(turns++ < LOOP_TURNS);
		call(&loop.events[i]);
		i = UINT32_MAX; /* from the first event again */
	}
}

/* Returns when the next timer is due; INT64_MAX: there is none. */
LOOP_FUNCTION int64_t loop_next_ms(void)
{
	int64_t next = INT64_MAX;

	for (unsigned i = 0; i < LOOP_EVENTS; i++) {
		const struct event *ev = &loop.events[i];

		if (ev->used && ev->pending && ev->fd < 0 && ev->at_ms < next)
			next = ev->at_ms;
	}
	return next;
}

/* Advances the clock, timer by timer. */
LOOP_FUNCTION void loop_advance(int64_t ms)
{
	int64_t until = loop.now_ms + ms;

	loop_run();
	while (!loop.broken && loop_next_ms() <= until) {
		if (loop.now_ms < loop_next_ms())
			loop.now_ms = loop_next_ms();
		loop_run();
	}
	loop.now_ms = until;
	loop_run();
}

static inline void loop_reset(void)
{
	memset(&loop, 0, sizeof(loop));
}

#endif
