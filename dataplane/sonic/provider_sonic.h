/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port provider "sonic": ports of a switch that runs SONiC, read from its databases. dcbd moves no
 * frames of such a port, and SONiC has its settings: they become those of the port (adopt()), and
 * only what SONiC does not have can be set, such as the delays that the headroom is calculated
 * with.
 *
 * Interfaces are those of SONiC, by its names, with the ifIndex that its SNMP agent gives them
 * (sonic_ifindex()), so that a manager finds them in the same ifTable. Ports of all ASICs of a
 * switch are in one dcbd, whatever the namespace of the kernel that they are in. A LAG is no port:
 * PFC acts on the links of it, whose dcbPortAggregate has its name.
 *
 * Only the worker waits for redis; the control thread gets copies (sonic_worker.h).
 *
 *   SONiC                          objects
 *   PORT_QOS_MAP pfc_enable        dcbPfcPriorityEnable
 *   SCHEDULER, QUEUE               ETS tables; traffic classes are queues
 *   DSCP_TO_TC_MAP                 application priorities with selector DSCP
 *   CABLE_LENGTH                   dcbPfcHeadroomCableLength
 *   BUFFER_PROFILE xoff            dcbPfcHeadroomInForce: the least of a priority with PFC
 *   BUFFER_PROFILE xon, watermarks dcbPfcPriorityXon, dcbPfcPriorityHeldPeak, dcbBufferHeadroomPeak
 *   PFC_WD                         dcbPfcWatchdogTable and its storms
 *   counters                       dcbPfcPriorityTable, ieee8021PfcTable
 */
#ifndef DCB_SONIC_PROVIDER_SONIC_H
#define DCB_SONIC_PROVIDER_SONIC_H

#include "dataplane/config/provider.h"

struct sonic_worker_params;

/* Starts the provider and its worker. NULL: err says why. */
struct provider *provider_sonic_start(const struct sonic_worker_params *params, char *err,
				      size_t errlen);

#endif
