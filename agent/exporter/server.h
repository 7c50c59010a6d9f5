/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The HTTP server: paths, limits, and answers that are written part by part. One thread. libevent's
 * evhttp parses requests; this is the only file that knows it.
 *
 * Clients are strangers: connections, requests, the octets that wait, all times and the number
 * of answers are limited (limits.h), and the process can open no file.
 */
#ifndef DCB_AGENT_EXPORTER_SERVER_H
#define DCB_AGENT_EXPORTER_SERVER_H

#include <stdbool.h>

struct event_base;
struct mo_client;
struct server;

/* Returns a server that reads by this client; NULL: out of memory. */
struct server *server_new(struct event_base *base, struct mo_client *client);
/* Serves a listening socket, which the server then owns. Returns false if out of memory. */
bool server_listen(struct server *s, int fd);
/* Closes all connections. s may be NULL. */
void server_free(struct server *s);

#endif
