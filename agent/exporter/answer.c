/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/answer.h"
#include "agent/exporter/limits.h"
#include "agent/exporter/metrics.h"
#include "agent/exporter/tables.h"
#include "lib/log.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOKEN       "http"
#define PART_OCTETS 65536 /* of an answer, formatted at a time */

struct answer {
	LIST_ENTRY(answer) next;
	struct answers *all;
	struct evhttp_request *req;
	const struct answer_form *form;
	struct event *turn, *deadline;
	struct snapshot snapshot;
	double since_s;
	void *state;
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The policy permits the page's own script, style sheet and requests, and nothing else. */
void answer_headers(struct evhttp_request *req, const char *type)
{
	static const char *const headers[][2] = {
	    {"Connection", "close"},
	    {"Cache-Control", "no-store"},
	    {"X-Content-Type-Options", "nosniff"},
	    {"Referrer-Policy", "no-referrer"},
	    {"Content-Security-Policy",
	     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
	     "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	};
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);

	evhttp_add_header(out, "Content-Type", type);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		evhttp_add_header(out, headers[i][0], headers[i][1]);
}

/* --- life ---------------------------------------------------------------------------------- */

static void answer_free(struct answer *a)
{
	LIST_REMOVE(a, next);
	a->all->n--;
	if (a->turn)
		event_free(a->turn);
	if (a->deadline)
		event_free(a->deadline);
	snapshot_free(&a->snapshot);
	free(a->state);
	free(a);
}

/* Takes the request from the answer, which ends here. */
static struct evhttp_request *release(struct answer *a)
{
	struct evhttp_request *req = a->req;
	struct evhttp_connection *con = evhttp_request_get_connection(req);

	if (con)
		evhttp_connection_set_closecb(con, NULL, NULL);
	answer_free(a);
	return req;
}

/*
 * The client has closed the connection, or taken nothing for SERVER_IDLE_S. evhttp has removed the
 * request from the connection; to end the reply then only frees the request.
 */
static void on_close(struct evhttp_connection *con, void *arg)
{
	struct answer *a = arg;
	struct evhttp_request *req = a->req;

	(void)con;
	answer_free(a);
	if (!evhttp_request_get_connection(req))
		evhttp_send_reply_end(req);
}

/* A half answer must not look complete: the connection ends without the last chunk. */
static void on_deadline(evutil_socket_t fd, short what, void *arg)
{
	struct evhttp_request *req = release(arg);

	(void)fd;
	(void)what;
	/* Message: The client reads too slowly. The connection was closed. */
	log_warn_limited(TOKEN, "an answer was not taken within %d s", SERVER_ANSWER_S);
	evhttp_connection_free(evhttp_request_get_connection(req));
}

void answers_init(struct answers *a, struct event_base *base, struct mo_client *client)
{
	*a = (struct answers){.base = base, .client = client};
	LIST_INIT(&a->list);
}

void answers_stop(struct answers *a)
{
	while (!LIST_EMPTY(&a->list))
		(void)release(LIST_FIRST(&a->list));
}

/* --- writing ------------------------------------------------------------------------------- */

static void write_part(struct evhttp_connection *con, void *arg)
{
	struct answer *a = arg;
	struct evbuffer *part = evbuffer_new();
	bool more = false;

	(void)con;
	if (part)
		more = a->form->part(a->state, &a->snapshot, part, PART_OCTETS);
	if (part && more) {
		evhttp_send_reply_chunk_with_cb(a->req, part, write_part, a);
		evbuffer_free(part);
		return;
	}
	if (!part) {
		on_deadline(-1, 0, a);
		return;
	}
	struct evhttp_request *req = release(a);

	evhttp_send_reply_chunk(req, part);
	evhttp_send_reply_end(req);
	evbuffer_free(part);
}

static void start_writing(struct answer *a)
{
	struct evbuffer *begin = evbuffer_new();

	if (!begin) {
		on_deadline(-1, 0, a);
		return;
	}
	answer_headers(a->req, a->form->type);
	evhttp_send_reply_start(a->req, 200, "OK");
	a->form->begin(begin, &a->snapshot, now_s() - a->since_s);
	evhttp_send_reply_chunk_with_cb(a->req, begin, write_part, a);
	evbuffer_free(begin);
}

/* --- reading ------------------------------------------------------------------------------- */

/* A timer of 0 s: the event loop looks at all connections before the next turn. */
static void next_turn(struct answer *a)
{
	static const struct timeval now;

	event_add(a->turn, &now);
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
	struct answer *a = arg;
	char error[sizeof(a->snapshot.error)];

	(void)fd;
	(void)what;
	switch (snapshot_read(&a->snapshot, a->all->client)) {
	case SNAPSHOT_MORE:
		next_turn(a);
		break;
	case SNAPSHOT_DONE:
		start_writing(a);
		break;
	case SNAPSHOT_FAILED: {
		const struct answer_form *form = a->form;

		memcpy(error, a->snapshot.error, sizeof(error));
		/*
		 * Message "dcbd: %s": dcbd(8) did not answer, or was restarted while it was read:
		 * `dcb_up` is 0. Check that it runs and that `-s` is its view socket.
		 */
		log_warn_limited(TOKEN, "dcbd: %s", error);
		form->failed(release(a), error);
	}
	}
}

static void refuse(struct evhttp_request *req)
{
	answer_headers(req, "text/plain; charset=utf-8");
	evhttp_add_header(evhttp_request_get_output_headers(req), "Retry-After", "1");
	evhttp_send_reply(req, 503, "Service Unavailable", NULL);
}

static struct answer *answer_new(struct answers *all, const struct answer_form *form)
{
	struct answer *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->all = all;
	a->form = form;
	LIST_INSERT_HEAD(&all->list, a, next);
	all->n++;
	a->turn = evtimer_new(all->base, on_turn, a);
	a->deadline = evtimer_new(all->base, on_deadline, a);
	a->state = calloc(1, form->state);
	if (a->turn && a->deadline && a->state)
		return a;
	answer_free(a);
	return NULL;
}

void answer_start(struct answers *all, struct evhttp_request *req, const struct answer_form *form,
		  const struct collect *collect)
{
	const struct timeval limit = {.tv_sec = SERVER_ANSWER_S};
	struct answer *a;

	if (evhttp_request_get_command(req) == EVHTTP_REQ_HEAD) {
		answer_headers(req, form->type);
		evhttp_send_reply(req, 200, "OK", NULL);
		return;
	}
	a = all->n < SERVER_ANSWERS_MAX ? answer_new(all, form) : NULL;
	if (!a) {
		/* Message: as "too many connections: new ones have to wait" */
		log_warn_limited(TOKEN, "too many requests at a time: status 503");
		refuse(req);
		return;
	}
	a->req = req;
	a->since_s = now_s();
	snapshot_init(&a->snapshot, collect);
	evhttp_connection_set_closecb(evhttp_request_get_connection(req), on_close, a);
	event_add(a->deadline, &limit);
	next_turn(a);
}

/* --- /metrics ------------------------------------------------------------------------------ */

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

static void metrics_begin(struct evbuffer *out, const struct snapshot *s, double seconds)
{
	metrics_write_up(out, true, s->rows, seconds);
}

static bool metrics_part(void *state, const struct snapshot *s, struct evbuffer *out, size_t octets)
{
	return metrics_write(state, s, out, octets);
}

/* As exporters do: the scrape succeeds, and dcb_up is 0. */
static void metrics_failed(struct evhttp_request *req, const char *error)
{
	struct evbuffer *out = evbuffer_new();

	(void)error;
	answer_headers(req, METRICS_TYPE);
	if (out)
		metrics_write_up(out, false, 0, 0);
	evhttp_send_reply(req, 200, "OK", out);
	if (out)
		evbuffer_free(out);
}

const struct answer_form answer_metrics = {
    .type = METRICS_TYPE,
    .state = sizeof(struct metrics),
    .begin = metrics_begin,
    .part = metrics_part,
    .failed = metrics_failed,
};

/* --- /tables.json -------------------------------------------------------------------------- */

#define TABLES_TYPE "application/json"

static void rows_begin(struct evbuffer *out, const struct snapshot *s, double seconds)
{
	(void)s;
	(void)seconds;
	tables_begin(out);
}

static bool rows_part(void *state, const struct snapshot *s, struct evbuffer *out, size_t octets)
{
	return tables_write(state, s, out, octets);
}

static void rows_failed(struct evhttp_request *req, const char *error)
{
	struct evbuffer *out = evbuffer_new();

	answer_headers(req, TABLES_TYPE);
	if (out)
		tables_write_error(out, error);
	evhttp_send_reply(req, 503, "Service Unavailable", out);
	if (out)
		evbuffer_free(out);
}

const struct answer_form answer_tables = {
    .type = TABLES_TYPE,
    .state = sizeof(struct tables),
    .begin = rows_begin,
    .part = rows_part,
    .failed = rows_failed,
};
