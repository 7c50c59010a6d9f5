/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/connection.h"
#include "agent/exporter/limits.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

/*
 * By descriptor, of the process. evhttp does not tell when a connection without an answer ends, so
 * the inode, which each socket has for itself, shows that a descriptor is another connection.
 */
static struct connection {
	ino_t inode;
	time_t deadline_s;
} connections[SERVER_DESCRIPTORS];

static time_t now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* Returns the connection, which begins if it is new; NULL: it has no socket. */
static struct connection *connection_of(struct bufferevent *bev)
{
	int fd = bufferevent_getfd(bev);
	struct connection *c;
	struct stat st;

	if (fd < 0 || fd >= SERVER_DESCRIPTORS || fstat(fd, &st) < 0)
		return NULL;
	c = &connections[fd];
	if (c->inode != st.st_ino)
		*c = (struct connection){st.st_ino, now_s() + SERVER_REQUEST_S};
	return c;
}

/* evhttp sees the end of the connection next, as if the client had closed it. */
static void end(struct bufferevent *bev)
{
	(void)shutdown(bufferevent_getfd(bev), SHUT_RDWR);
}

static void on_input(struct evbuffer *input, const struct evbuffer_cb_info *info, void *arg)
{
	const struct connection *c = connection_of(arg);

	if (info->n_added == 0 || !c)
		return;
	if (evbuffer_get_length(input) > SERVER_INPUT_MAX) {
		/* The kernel can have much more: none of it is kept. */
		end(arg);
		(void)evbuffer_drain(input, evbuffer_get_length(input));
	} else if (now_s() >= c->deadline_s) {
		end(arg);
	}
}

static void on_output(struct evbuffer *output, const struct evbuffer_cb_info *info, void *arg)
{
	const struct connection *c = connection_of(arg);

	(void)output;
	if (info->n_deleted > 0 && c && now_s() >= c->deadline_s)
		end(arg);
}

struct bufferevent *connection_new(struct event_base *base)
{
	struct bufferevent *bev = bufferevent_socket_new(base, -1, 0);

	if (!bev)
		return NULL;
	if (evbuffer_add_cb(bufferevent_get_input(bev), on_input, bev) &&
	    evbuffer_add_cb(bufferevent_get_output(bev), on_output, bev))
		return bev;
	bufferevent_free(bev);
	return NULL;
}

void connection_has_request(struct bufferevent *bev)
{
	struct connection *c = connection_of(bev);

	if (c)
		c->deadline_s = now_s() + SERVER_ANSWER_S + SERVER_IDLE_S;
}
