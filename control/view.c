/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/thread.h"

struct view {
	struct managed *m;
	struct event_base *base;
	struct ctl_server *server;
	pthread_t thread;
	bool has_thread;
	int bell; /* an eventfd: the thread is to end */
	struct event *end;
};

static void on_end(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	event_base_loopbreak(arg);
}

static void *run(void *arg)
{
	pthread_setname_np(pthread_self(), "view");
	event_base_dispatch(((struct view *)arg)->base);
	return NULL;
}

static bool make_loop(struct view *v)
{
	v->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	v->base = event_base_new();
	if (v->bell >= 0 && v->base)
		v->end = event_new(v->base, v->bell, EV_READ, on_end, v->base);
	return v->end && event_add(v->end, NULL) == 0;
}

struct view *view_new(struct managed *m, struct mo_service *service,
		      const struct ctl_server_config *config, char *err, size_t errlen)
{
	struct ctl_server_config own = *config;
	struct view *v = calloc(1, sizeof(*v));

	own.control = NULL;
	if (!v || !make_loop(v)) {
		snprintf(err, errlen, "%s: out of memory", config->view);
	} else {
		v->m = m;
		v->server = ctl_server_new(v->base, service, &own, err, errlen);
	}
	if (v && v->server)
		return v;
	view_free(v);
	return NULL;
}

bool view_start(struct view *v)
{
	state_lock_share(v->m->lock);
	errno = thread_start(&v->thread, run, v);
	v->has_thread = errno == 0;
	return v->has_thread;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	if (v->has_thread) {
		(void)eventfd_write(v->bell, 1);
		pthread_join(v->thread, NULL);
	}
	ctl_server_free(v->server);
	if (v->end)
		event_free(v->end);
	if (v->base)
		event_base_free(v->base);
	if (v->bell >= 0)
		close(v->bell);
	free(v);
}
