/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a connection can cost before it has a request, and while it is answered: evhttp bounds
 * neither the octets that wait to be parsed nor the time until a request is complete. There are no
 * timers: a limit is checked when octets come or go, and a connection without any ends by evhttp's
 * own time limit, SERVER_IDLE_S. One thread.
 */
#ifndef DCB_AGENT_EXPORTER_CONNECTION_H
#define DCB_AGENT_EXPORTER_CONNECTION_H

struct bufferevent;
struct event_base;

/*
 * Returns the bufferevent of a new connection, which evhttp takes over; NULL: out of memory. The
 * connection is shut down if more than SERVER_INPUT_MAX octets wait, or SERVER_REQUEST_S after its
 * first octet without connection_has_request().
 */
struct bufferevent *connection_new(struct event_base *base);
/*
 * The request is complete. The connection is shut down if the client has not taken the answer
 * SERVER_IDLE_S after SERVER_ANSWER_S, at which answers with rows end by themselves.
 */
void connection_has_request(struct bufferevent *bev);

#endif
