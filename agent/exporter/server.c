/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/server.h"
#include "agent/exporter/answer.h"
#include "agent/exporter/connection.h"
#include "agent/exporter/limits.h"
#include "agent/exporter/page.h"
#include "lib/log.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOKEN         "http"
#define LISTENERS_MAX 8
#define SPARE         4  /* descriptors for the connection to dcbd, the log, and so on */
#define RESUME_MS     50 /* until the number of connections is looked at again */

struct server {
	struct event_base *base;
	struct mo_client *client;
	struct evhttp *http;
	struct evconnlistener *listeners[LISTENERS_MAX];
	unsigned n_listeners;
	struct event *resume; /* pending: the listeners are disabled */
	struct answers answers;
};

/* --- limits -------------------------------------------------------------------------------- */

static unsigned open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < SERVER_DESCRIPTORS; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void enable_listeners(struct server *s, bool enable)
{
	for (unsigned i = 0; i < s->n_listeners; i++) {
		if (enable)
			evconnlistener_enable(s->listeners[i]);
		else
			evconnlistener_disable(s->listeners[i]);
	}
}

/*
 * Called for each new connection. A new descriptor is the lowest free one, so that all are below
 * SERVER_DESCRIPTORS.
 */
static struct bufferevent *on_connection(struct event_base *base, void *arg)
{
	const struct timeval later = {.tv_usec = RESUME_MS * 1000};
	struct server *s = arg;

	if (open_descriptors() + SPARE >= SERVER_DESCRIPTORS) {
		/*
		 * Message: Clients ask more often than they read the answers. Find out which, and
		 * limit them by a firewall.
		 */
		log_warn_limited(TOKEN, "too many connections: new ones have to wait");
		enable_listeners(s, false);
		event_add(s->resume, &later);
	}
	return connection_new(base);
}

static void on_resume(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval later = {.tv_usec = RESUME_MS * 1000};
	struct server *s = arg;

	(void)fd;
	(void)what;
	if (open_descriptors() + SPARE < SERVER_DESCRIPTORS)
		enable_listeners(s, true);
	else
		event_add(s->resume, &later);
}

/* --- answers without rows ------------------------------------------------------------------ */

/* Sends a text that is complete; to HEAD only the header. */
static void reply(struct evhttp_request *req, int status, const char *reason, const char *text)
{
	struct evbuffer *body = evbuffer_new();

	answer_headers(req, "text/plain; charset=utf-8");
	if (body && evhttp_request_get_command(req) != EVHTTP_REQ_HEAD)
		evbuffer_add_printf(body, "%s\n", text);
	evhttp_send_reply(req, status, reason, body);
	if (body)
		evbuffer_free(body);
}

/* --- parameters ---------------------------------------------------------------------------- */

/* Adds what one parameter names. Returns false if it does not exist. */
typedef bool take_fn(struct collect *collect, const char *value);

/*
 * Adds all values of a parameter of the request; libevent decodes values only, not names. Returns
 * NULL, or the first value that take refused, to be freed.
 */
static char *take_all(struct evhttp_request *req, const char *name, take_fn *take,
		      struct collect *collect)
{
	const char *query = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(req));
	struct evkeyvalq parameters;
	struct evkeyval *p;
	char *refused = NULL;

	memset(collect, 0, sizeof(*collect));
	if (!query || evhttp_parse_query_str(query, &parameters) < 0)
		return NULL;
	TAILQ_FOREACH(p, &parameters, next)
	{
		char *key = evhttp_uridecode(p->key, 1, NULL);

		if (!refused && key && strcmp(key, name) == 0 && !take(collect, p->value))
			refused = strdup(p->value);
		free(key);
	}
	evhttp_clear_headers(&parameters);
	return refused;
}

static bool is_empty(const struct collect *collect)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		if (collect->columns[id])
			return false;
	}
	return true;
}

static void refuse_parameter(struct evhttp_request *req, const char *name, char *value,
			     const char *expected)
{
	char text[256];

	snprintf(text, sizeof(text), "%s=%.100s: expected %s", name, value, expected);
	free(value);
	reply(req, 400, "Bad Request", text);
}

/* --- rows ---------------------------------------------------------------------------------- */

static void on_metrics(struct server *s, struct evhttp_request *req)
{
	struct collect collect;
	char *refused = take_all(req, "collect[]", collect_add, &collect);

	if (refused) {
		refuse_parameter(req, "collect[]", refused, COLLECT_GROUPS);
		return;
	}
	if (is_empty(&collect))
		collect_add_default(&collect);
	answer_start(&s->answers, req, &answer_metrics, &collect);
}

static bool take_table(struct collect *collect, const char *name)
{
	const struct mo_table *table = mo_table_by_name(name);

	if (table)
		collect_add_table(collect, table);
	return table != NULL;
}

static void on_tables(struct server *s, struct evhttp_request *req)
{
	struct collect collect;
	char *refused = take_all(req, "table", take_table, &collect);

	if (refused) {
		refuse_parameter(req, "table", refused, "the name of a table, as dcbPortTable");
		return;
	}
	if (is_empty(&collect))
		collect_add_all(&collect);
	answer_start(&s->answers, req, &answer_tables, &collect);
}

/* --- the page ------------------------------------------------------------------------------ */

static bool send_page(struct evhttp_request *req, const char *path)
{
	const struct page *page = page_of(path);
	struct evbuffer *body;

	if (!page)
		return false;
	body = evbuffer_new();
	answer_headers(req, page->type);
	if (body && evhttp_request_get_command(req) != EVHTTP_REQ_HEAD)
		evbuffer_add_reference(body, page->octets, page->len, NULL, NULL);
	evhttp_send_reply(req, 200, "OK", body);
	if (body)
		evbuffer_free(body);
	return true;
}

/* --- paths --------------------------------------------------------------------------------- */

static const struct {
	const char *path;
	void (*handler)(struct server *s, struct evhttp_request *req);
} paths[] = {
    {"/metrics", on_metrics},
    {"/tables.json", on_tables},
};

static void on_request(struct evhttp_request *req, void *arg)
{
	const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(req));
	enum evhttp_cmd_type method = evhttp_request_get_command(req);
	struct server *s = arg;

	connection_has_request(
	    evhttp_connection_get_bufferevent(evhttp_request_get_connection(req)));
	if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD) {
		evhttp_add_header(evhttp_request_get_output_headers(req), "Allow", "GET, HEAD");
		reply(req, 405, "Method Not Allowed", "expected GET or HEAD");
		return;
	}
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (path && strcmp(path, paths[i].path) == 0) {
			paths[i].handler(s, req);
			return;
		}
	}
	if (!path || !send_page(req, path))
		reply(req, 404, "Not Found", "expected /, /metrics or /tables.json");
}

/* --- life ---------------------------------------------------------------------------------- */

struct server *server_new(struct event_base *base, struct mo_client *client)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base = base;
	s->client = client;
	s->http = evhttp_new(base);
	s->resume = evtimer_new(base, on_resume, s);
	if (!s->http || !s->resume) {
		server_free(s);
		return NULL;
	}
	answers_init(&s->answers, base, client);
	/* All that evhttp knows, so that on_request() answers 405. */
	evhttp_set_allowed_methods(s->http, 0xffff);
	evhttp_set_max_headers_size(s->http, SERVER_HEADER_MAX);
	evhttp_set_max_body_size(s->http, SERVER_HEADER_MAX);
	evhttp_set_timeout(s->http, SERVER_IDLE_S);
	evhttp_set_bevcb(s->http, on_connection, s);
	evhttp_set_gencb(s->http, on_request, s);
	return s;
}

bool server_listen(struct server *s, int fd)
{
	struct evconnlistener *listener = NULL;

	if (s->n_listeners < LISTENERS_MAX)
		listener = evconnlistener_new(
		    s->base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, -1, fd);
	if (!listener)
		return false;
	if (!evhttp_bind_listener(s->http, listener)) {
		evconnlistener_free(listener);
		return false;
	}
	s->listeners[s->n_listeners++] = listener;
	return true;
}

void server_free(struct server *s)
{
	if (!s)
		return;
	answers_stop(&s->answers);
	if (s->http)
		evhttp_free(s->http);
	if (s->resume)
		event_free(s->resume);
	free(s);
}
