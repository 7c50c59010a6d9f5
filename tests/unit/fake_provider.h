/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port provider that moves nothing: it remembers what is published, adopts
 * when told to, and lets a test write the counters it will be asked for.
 */
#ifndef DCB_TESTS_FAKE_PROVIDER_H
#define DCB_TESTS_FAKE_PROVIDER_H

#include "dataplane/config/provider.h"

struct fake_port {
	struct port port;
	struct cp_stats cp[DCB_PRIORITIES];
	struct pfc_stats pfc[DCB_PRIORITIES];
	struct pfc_watchdog_stats watchdog[DCB_PRIORITIES];
	struct pfc_port_stats pfc_port;
	struct rp_port_pri_stats rp_port_pri[DCB_PRIORITIES];
	struct rp_stats rp[DCB_PRIORITIES][RPPP_MAX_RPS_LIMIT]; /* index 1 first */
	struct cnm_stats cnm;
	struct port_stats stats;
};

struct fake_provider {
	struct provider provider;
	const struct dcb_config *published;
	unsigned n_published, n_open;
	struct fake_port *by_slot[DCB_SLOTS];
};

void fake_provider_init(struct fake_provider *f);

static inline struct fake_port *fake_port(const struct port *port)
{
	return (struct fake_port *)(uintptr_t)port;
}

#endif
