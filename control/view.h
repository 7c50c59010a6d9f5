/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that serves the view socket: clients read and get events while the control thread
 * is busy, with a reload of dcbd.conf for example. It shares the managed state with the control
 * thread (control/managed/state_lock.h), and has its own event loop and clients. All functions
 * are called by the control thread.
 */
#ifndef DCB_CONTROL_VIEW_H
#define DCB_CONTROL_VIEW_H

#include "control/ctl_server.h"

struct view;

/*
 * Opens the view socket of config, and does not serve it yet. NULL: err has the reason, as of
 * ctl_server_new().
 */
struct view *view_new(struct managed *m, struct mo_service *service,
		      const struct ctl_server_config *config, char *err, size_t errlen);
/* Starts the thread. false: errno. */
bool view_start(struct view *view);
/* Ends the thread, closes all connections and removes the socket file. view may be NULL. */
void view_free(struct view *view);

#endif
