/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port provider "observe": interfaces that are managed and whose frames are left to
 * another system, be it a switch ASIC with a driver of its own or the kernel's bridge.
 *
 * Such a port has its link state, its neighbors, and what it tells them: which
 * priorities the other system has PFC enabled for, an operator says here, so that LLDP
 * can advertise it and a neighbor that differs is a mismatch (dcbDcbxMismatch). Nobody
 * would follow a neighbor, so the port cannot be willing. It counts nothing, and has no
 * congestion points, buffers or transmission selection: those objects do not exist.
 *
 * No socket, no thread, no memory but the ports: what is committed is in force at once.
 * Operations are those of dataplane/config/provider.h, by the control thread.
 */
#ifndef DCB_DATAPLANE_OBSERVE_PROVIDER_OBSERVE_H
#define DCB_DATAPLANE_OBSERVE_PROVIDER_OBSERVE_H

#include "dataplane/config/provider.h"

/* NULL: out of memory. */
struct provider *provider_observe_new(void);

#endif
