/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port provider "observe": manages interfaces whose frames another system moves, for
 * example a switch ASIC with its own driver, or the kernel's bridge.
 *
 * Such a port has a link state, neighbors and an LLDP advertisement. The operator
 * configures the priorities that the other system has PFC enabled for; LLDP advertises
 * them, and a neighbor with other values is a mismatch (dcbDcbxMismatch). The provider
 * cannot apply a neighbor's values, so the port cannot be willing. It has no counters,
 * congestion points, buffers or transmission selection: those objects do not exist.
 *
 * The provider has no socket and no thread, and allocates only ports. A committed
 * configuration is in force at once. The control thread calls the operations, see
 * dataplane/config/provider.h.
 */
#ifndef DCB_DATAPLANE_OBSERVE_PROVIDER_OBSERVE_H
#define DCB_DATAPLANE_OBSERVE_PROVIDER_OBSERVE_H

#include "dataplane/config/provider.h"

/* Returns NULL if there is no memory. */
struct provider *provider_observe_new(void);

#endif
