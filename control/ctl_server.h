/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket: a SOCK_SEQPACKET unix socket on which dcb-agentx and
 * dcbctl talk to the managed-object service. Who may connect is decided by the
 * socket file's group and mode (0660).
 */
#ifndef DCB_CONTROL_CTL_SERVER_H
#define DCB_CONTROL_CTL_SERVER_H

#include <stddef.h>

#include "control/mo_service.h"

struct event_base;
struct ctl_server;

/*
 * Replaces a socket file that nobody listens on. group NULL: as created.
 * NULL: err says why, "already served" included.
 */
struct ctl_server *ctl_server_new(struct event_base *base, struct mo_service *service,
				  const char *path, const char *group, char *err, size_t errlen);
/* Ends all sessions and removes the socket file. */
void ctl_server_free(struct ctl_server *s);

#endif
