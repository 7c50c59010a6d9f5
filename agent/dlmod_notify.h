/* SPDX-License-Identifier: BSD-3-Clause */
/* Notifications of the module: events of dcbd, sent by snmpd to its trap receivers. */
#ifndef DCB_AGENT_DLMOD_NOTIFY_H
#define DCB_AGENT_DLMOD_NOTIFY_H

#include "agent/mib.h"

/*
 * Subscribes to the events of dcbd at socket_path, and again whenever the
 * connection is lost. snmpd has all that it needs to send a notification when it
 * is acknowledged to dcbd. false: out of memory, or path too long. Hides the objects of mib while
 * dcbd has ended, which means: not even at view_path.
 */
bool dlmod_notify_start(const char *socket_path, const char *view_path, struct mib *mib);
/* Ends the subscription. Has no effect if there is none. */
void dlmod_notify_stop(void);

#endif
