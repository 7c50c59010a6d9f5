/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers with rows of dcbd. The rows are read first, a page in each turn of the event loop; then
 * the text is written in parts, each when the client has taken the one before. So a client that
 * reads slowly costs the rows of one snapshot, no time of dcbd and none of other clients.
 *
 * If dcbd does not answer, or ends between two pages, the answer is "dcb_up 0" and not half of
 * the metrics. A part has 64 KB.
 */
#ifndef DCB_AGENT_EXPORTER_ANSWER_H
#define DCB_AGENT_EXPORTER_ANSWER_H

#include <sys/queue.h>

#include "agent/exporter/snapshot.h"

struct event_base;
struct evbuffer;
struct evhttp_request;
struct answer;

/* All answers that are being read or written. */
struct answers {
	struct event_base *base;
	struct mo_client *client;
	unsigned n;
	LIST_HEAD(answer_list, answer) list;
};

/* The form of an answer. */
struct answer_form {
	const char *type; /* Content-Type */
	size_t state;     /* octets of the writer's state, initially zero */
	/* Adds the beginning. */
	void (*begin)(struct evbuffer *out, const struct snapshot *s, double seconds);
	/* Adds a part of about this many octets. Returns whether there is more. */
	bool (*part)(void *state, const struct snapshot *s, struct evbuffer *out, size_t octets);
	/* Sends the whole answer if dcbd cannot be read. error: the reason. */
	void (*failed)(struct evhttp_request *req, const char *error);
};
extern const struct answer_form answer_metrics, answer_tables;

void answers_init(struct answers *a, struct event_base *base, struct mo_client *client);
/* Ends all answers; their connections are closed next. */
void answers_stop(struct answers *a);
/*
 * Answers the request, later, with the objects of *collect. Status 503 if there are as many answers
 * as permitted already; for HEAD only a header.
 */
void answer_start(struct answers *a, struct evhttp_request *req, const struct answer_form *form,
		  const struct collect *collect);
/* Adds the headers that all answers have. Each connection has one request. */
void answer_headers(struct evhttp_request *req, const char *type);

#endif
