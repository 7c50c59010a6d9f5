/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket: a SOCK_SEQPACKET unix socket. dcb-agentx and dcbctl reach
 * the managed-object service through it. The group and mode (0660) of the socket
 * file decide which users can connect. Control thread only.
 */
#ifndef DCB_CONTROL_CTL_SERVER_H
#define DCB_CONTROL_CTL_SERVER_H

#include <stddef.h>

#include "control/mo_service.h"

struct event_base;
struct ctl_server;

/*
 * Creates the control socket at path and serves it from base's event loop. Replaces
 * a socket file that no process listens on. The socket file gets this group; NULL
 * leaves it as created. Returns NULL on failure, with the reason in err; a dcbd that
 * listens on path is a failure too.
 */
struct ctl_server *ctl_server_new(struct event_base *base, struct mo_service *service,
				  const char *path, const char *group, char *err, size_t errlen);
/* Closes all connections and removes the socket file. */
void ctl_server_free(struct ctl_server *s);

#endif
