/* SPDX-License-Identifier: BSD-3-Clause */
/* An event in words, for logs and people. */
#ifndef DCB_LIB_MO_MO_EVENT_H
#define DCB_LIB_MO_MO_EVENT_H

#include "lib/mo/mo_msg.h"

#define MO_EVENT_TEXT 1024

/* "dcbErroredPortCreated", or "notification 9" of a dcbd that knows more than we do. */
void mo_event_name(const struct mo_event *ev, char *buf, size_t size);
/* "ieee8021CnEpIfIndex.1.3.2 = 2, ..."; cut off where buf ends. */
void mo_event_objects(const struct mo_event *ev, char *buf, size_t size);

#endif
