/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/saver.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/thread.h"

enum saver_state {
	SAVER_IDLE,
	SAVER_WRITING, /* the job belongs to the thread */
	SAVER_WRITTEN, /* the result waits for the control thread */
	SAVER_ENDING,
};

struct saver {
	pthread_t thread;
	pthread_mutex_t lock; /* of state */
	pthread_cond_t changed;
	enum saver_state state;
	const char *path;
	char *text;
	size_t len;
	struct file_written written;
	int bell; /* an eventfd: wakes the control thread */
	struct event *event;
	saver_write_fn write;
	saver_done_fn done;
	void *ctx;
};

static void set_state(struct saver *s, enum saver_state state)
{
	pthread_mutex_lock(&s->lock);
	s->state = state;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* Waits until the state is another, which it returns. */
static enum saver_state wait_while(struct saver *s, enum saver_state state)
{
	enum saver_state now;

	pthread_mutex_lock(&s->lock);
	while (s->state == state)
		pthread_cond_wait(&s->changed, &s->lock);
	now = s->state;
	pthread_mutex_unlock(&s->lock);
	return now;
}

static enum saver_state state_of(struct saver *s)
{
	enum saver_state now;

	pthread_mutex_lock(&s->lock);
	now = s->state;
	pthread_mutex_unlock(&s->lock);
	return now;
}

static void ring(struct saver *s)
{
	const uint64_t one = 1;

	(void)!write(s->bell, &one, sizeof(one)); /* fails only at 2^64 - 1 */
}

/* The thread. It waits until the control thread has taken the result. */
static void *run(void *arg)
{
	struct saver *s = arg;
	enum saver_state state = SAVER_IDLE;

	pthread_setname_np(pthread_self(), "saver");
	while ((state = wait_while(s, state)) != SAVER_ENDING) {
		if (state != SAVER_WRITING)
			continue;
		s->written = s->write(s->path, s->text, s->len);
		state = SAVER_WRITTEN;
		set_state(s, state);
		ring(s);
	}
	return NULL;
}

static void take_result(struct saver *s)
{
	struct file_written w;

	if (state_of(s) != SAVER_WRITTEN)
		return; /* saver_wait() has taken it */
	w = s->written;
	free(s->text);
	s->text = NULL;
	set_state(s, SAVER_IDLE);
	s->done(s->ctx, &w);
}

static void on_bell(evutil_socket_t fd, short what, void *arg)
{
	uint64_t rings;

	(void)what;
	(void)!read(fd, &rings, sizeof(rings));
	take_result(arg);
}

void saver_start(struct saver *s, const char *path, char *text, size_t len, saver_done_fn done,
		 void *ctx)
{
	s->path = path;
	s->text = text;
	s->len = len;
	s->done = done;
	s->ctx = ctx;
	set_state(s, SAVER_WRITING);
}

void saver_wait(struct saver *s)
{
	(void)wait_while(s, SAVER_WRITING);
	take_result(s);
}

struct saver *saver_new(struct event_base *base, saver_write_fn write)
{
	struct saver *s = calloc(1, sizeof(*s));
	int error = ENOMEM;

	if (!s)
		goto no_saver;
	s->write = write;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->bell < 0) {
		error = errno;
		goto no_bell;
	}
	s->event = event_new(base, s->bell, EV_READ | EV_PERSIST, on_bell, s);
	if (!s->event || event_add(s->event, NULL) < 0)
		goto no_event;
	error = thread_start(&s->thread, run, s);
	if (error == 0)
		return s;
no_event:
	if (s->event)
		event_free(s->event);
	close(s->bell);
no_bell:
	free(s);
no_saver:
	errno = error;
	return NULL;
}

void saver_free(struct saver *s)
{
	if (!s)
		return;
	set_state(s, SAVER_ENDING);
	pthread_join(s->thread, NULL);
	event_free(s->event);
	close(s->bell);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
