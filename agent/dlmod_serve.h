/* SPDX-License-Identifier: BSD-3-Clause */
/* The managed objects in snmpd's process: connections to dcbd, handlers, notifications. */
#ifndef DCB_AGENT_DLMOD_SERVE_H
#define DCB_AGENT_DLMOD_SERVE_H

#include "agent/mib.h"

struct dlmod_config {
	const char *control, *view;         /* sockets of dcbd */
	const char *modules[MIB_ROOTS_MAX]; /* optional modules to serve */
	unsigned n_modules;
	unsigned timeout_ms; /* see dlmod_wait_start() */
};

/*
 * Registers the objects with snmpd and connects to dcbd when the first request
 * needs it. config is used during the call only. false: the log says why; nothing
 * is served.
 */
bool dlmod_serve_start(const struct dlmod_config *config);

/*
 * Ends it: requests that wait for dcbd are answered with genErr, and nothing of
 * the module is left in snmpd. Has no effect if it was not started.
 */
void dlmod_serve_stop(void);

#endif
