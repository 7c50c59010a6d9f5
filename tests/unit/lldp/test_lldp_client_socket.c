/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the client of lldpd tries to connect while there is no lldpd. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <event2/event.h>

#include "lldp/client/lldp_client_lldpd.h"

#define OFTEN_MS  1000
#define RARELY_MS 60000

struct world {
	char dir[32], at[48], moved[48], path[64];
	struct event_base *base;
	struct lldp_client *client;
	struct client *c;
};

static void nothing_state(void *ctx, enum lldp_state state)
{
	(void)ctx, (void)state;
}

static const struct lldp_events events = {.state = nothing_state};

/* A client of a socket that does not exist, in a directory that exists or not. */
static void begin(struct world *w, bool has_directory)
{
	strcpy(w->dir, "/tmp/test_lldp_socketXXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->at, sizeof(w->at), "%s/run", w->dir);
	snprintf(w->moved, sizeof(w->moved), "%s/old", w->dir);
	snprintf(w->path, sizeof(w->path), "%s/lldpd", w->at);
	if (has_directory)
		assert_int_equal(mkdir(w->at, 0700), 0);
	w->base = event_base_new();
	w->client = lldp_client_lldpd(w->base, w->path, true, &events, w);
	assert_non_null(w->client);
	w->c = (struct client *)w->client;
}

static void end(struct world *w)
{
	w->client->ops->destroy(w->client);
	event_base_free(w->base);
	unlink(w->path);
	rmdir(w->at);
	rmdir(w->moved);
	assert_int_equal(rmdir(w->dir), 0);
}

/* Returns the interval after many attempts that failed; no time passes. */
static unsigned longest_interval(struct world *w)
{
	for (int i = 0; i < 20; i++) {
		event_active(w->c->retry, EV_TIMEOUT, 0);
		event_base_loop(w->base, EVLOOP_NONBLOCK);
	}
	return w->c->backoff_ms;
}

/* Makes the socket. */
static int make_socket(struct world *w, bool listens)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	strcpy(to.sun_path, w->path);
	unlink(w->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	if (listens)
		assert_int_equal(listen(fd, 4), 0);
	return fd;
}

/* The client connects before its interval is over, because there is a new socket. */
static void expect_connection(struct world *w)
{
	const struct timeval limit = {RARELY_MS / 2 / 1000, 0};
	int listener = make_socket(w, true), fd;

	event_base_loopexit(w->base, &limit);
	while ((fd = accept(listener, NULL, NULL)) < 0 && !event_base_got_exit(w->base))
		event_base_loop(w->base, EVLOOP_ONCE);
	assert_true(fd >= 0);
	close(fd);
	close(listener);
}

static void test_absent_socket_is_tried_rarely(void **state)
{
	struct world w;

	(void)state;
	begin(&w, true);
	assert_int_equal(longest_interval(&w), RARELY_MS);
	expect_connection(&w);
	end(&w);
}

/* lldpd was killed, and its socket is left. */
static void test_socket_without_listener_is_tried_rarely(void **state)
{
	struct world w;
	int fd;

	(void)state;
	begin(&w, true);
	fd = make_socket(&w, false);
	assert_int_equal(longest_interval(&w), RARELY_MS);
	expect_connection(&w);
	close(fd);
	end(&w);
}

static void test_absent_directory_is_tried_often(void **state)
{
	struct world w;

	(void)state;
	begin(&w, false);
	assert_int_equal(longest_interval(&w), OFTEN_MS);
	assert_int_equal(mkdir(w.at, 0700), 0);
	assert_int_equal(longest_interval(&w), RARELY_MS);
	expect_connection(&w);
	end(&w);
}

static void test_directory_that_is_removed_is_tried_often(void **state)
{
	struct world w;

	(void)state;
	begin(&w, true);
	assert_int_equal(longest_interval(&w), RARELY_MS);
	assert_int_equal(rmdir(w.at), 0);
	assert_int_equal(longest_interval(&w), OFTEN_MS);
	assert_int_equal(mkdir(w.at, 0700), 0);
	assert_int_equal(longest_interval(&w), RARELY_MS);
	expect_connection(&w);
	end(&w);
}

/* inotify follows the directory to its new name. */
static void test_directory_that_is_replaced_is_watched(void **state)
{
	struct world w;

	(void)state;
	begin(&w, true);
	assert_int_equal(longest_interval(&w), RARELY_MS);
	assert_int_equal(rename(w.at, w.moved), 0);
	assert_int_equal(mkdir(w.at, 0700), 0);
	assert_int_equal(longest_interval(&w), RARELY_MS);
	expect_connection(&w);
	end(&w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_absent_socket_is_tried_rarely),
	    cmocka_unit_test(test_socket_without_listener_is_tried_rarely),
	    cmocka_unit_test(test_absent_directory_is_tried_often),
	    cmocka_unit_test(test_directory_that_is_removed_is_tried_often),
	    cmocka_unit_test(test_directory_that_is_replaced_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
