/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two SOCK_SEQPACKET unix sockets through which dcb-agentx and dcbctl reach the
 * managed-object service. Over the control socket clients read and set; its group and mode
 * (0660) decide who can connect. Over the view socket clients read and get events; everybody
 * can connect (0666), or a group. A server has one of them or both, and belongs to the thread
 * of its event loop: that of the control socket to the control thread; a server of the view
 * socket alone can have another one (view.h).
 *
 * No client can keep the others out, or waiting. Of the connections of each socket a user
 * has at most CTL_USER_CLIENTS; some are kept for root, dcbd's user and the user of
 * dcb-agentx, who alone can acknowledge notifications (SO_PEERCRED). A client that is silent
 * after it connected, or that has sent no request for long and has not subscribed to events,
 * or does not read its events, is disconnected. A SET that its client has committed and not
 * ended blocks other SETs for CTL_HOLD_MS.
 *
 * Clients that only read try the view socket first. One message is one request; it is answered
 * before the next is read. A message that is no request, or longer than 64 KiB, is answered by a
 * CLOSE message with the reason, and its client is disconnected. When accept() has no file
 * descriptor, it is tried again after 100 ms, or when a client leaves. mo_client connects again
 * by itself. A SET that is overdue keeps its values when it is ended, and its UNDO is refused,
 * because it would take the other SET away.
 */
#ifndef DCB_CONTROL_CTL_SERVER_H
#define DCB_CONTROL_CTL_SERVER_H

#include <stddef.h>

#include "control/mo_service.h"

/* Of each socket: */
#define CTL_CLIENTS       64 /* connections at a time */
#define CTL_AGENT_CLIENTS 4  /* of these for dcb-agentx only, and as many again for root */
#define CTL_USER_CLIENTS  16 /* of a user other than these */

#define CTL_AGENT_USER "Debian-snmp" /* of dcb-agentx.service */

#define CTL_FIRST_MS 2000   /* from the connection to the first request */
#define CTL_IDLE_MS  300000 /* from a request to the next */
#define CTL_HOLD_MS  300    /* less than dcb-agentx waits for an answer */

struct event_base;
struct ctl_server;

struct ctl_server_config {
	const char *control;       /* path of the control socket; NULL: not by this server */
	const char *control_group; /* of the socket file; NULL: as created */
	const char *view;          /* path of the view socket; NULL: there is none */
	const char *view_group;    /* NULL: everybody can connect */
	const char *agent;         /* user of dcb-agentx; NULL: CTL_AGENT_USER, if it exists */
	unsigned first_ms, idle_ms, hold_ms; /* 0: CTL_FIRST_MS and so on */
};

/*
 * Creates the sockets and serves them from base's event loop. Replaces a socket file that
 * no process listens on. Returns NULL on failure, with the reason in err; a dcbd that
 * listens on one of the paths is a failure too. The strings are not used afterwards.
 */
struct ctl_server *ctl_server_new(struct event_base *base, struct mo_service *service,
				  const struct ctl_server_config *config, char *err, size_t errlen);
/* Returns the number of connections, of both sockets. */
unsigned ctl_server_clients(const struct ctl_server *s);
/* Closes all connections and removes the socket files. */
void ctl_server_free(struct ctl_server *s);

#endif
