/* SPDX-License-Identifier: BSD-3-Clause */
/* PFC, maps of priorities, and schedulers of a port. Pure. */
#ifndef DCB_SONIC_SONIC_QOS_H
#define DCB_SONIC_SONIC_QOS_H

#include "dataplane/sonic/sonic_port.h"

/*
 * Sets masks of PFC, tc, pg and queue of each priority, priorities of DSCPs, and ETS. out has its
 * name.
 *
 * Without a map of priorities to TCs, or of PFC to queues, a priority has the TC and the queue of
 * its number. Without the others the ASIC's default is not known.
 */
void sonic_qos_of(const struct sonic_rows *rows, struct sonic_port *out);

#endif
