/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of an event, for the log and for dcbctl. */
#ifndef DCB_LIB_MO_MO_EVENT_H
#define DCB_LIB_MO_MO_EVENT_H

#include "lib/mo/mo_msg.h"

#define MO_EVENT_TEXT 1024

/* Writes the notification's name; "notification 9" if a newer dcbd sent one unknown here. */
void mo_event_name(const struct mo_event *ev, char *buf, size_t size);
/* Writes the objects as "ieee8021CnEpIfIndex.1.3.2 = 2, ...", cut to size. */
void mo_event_objects(const struct mo_event *ev, char *buf, size_t size);

#endif
