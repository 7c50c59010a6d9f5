/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port provider that moves nothing: it remembers what is committed, adopts when told
 * to, and lets a test write the counters it will be asked for. It refuses and fails as a
 * test wants it to, and holds its caller to the contract of provider.h.
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
	struct provider_ops ops; /* provider.ops; .name is a test's to change before use */
	uint16_t has, sets;      /* of the ports that are opened from now on */
	const struct dcb_config *published, *prepared;
	unsigned n_published, n_prepared, n_aborted, n_failed, n_open;
	struct fake_port *by_slot[DCB_SLOTS];
	struct provider_stats stats;

	/* prepare() refuses for the first port that this says no to; NULL: for none. */
	bool (*accepts)(const struct dcb_config_port *at);
	enum provider_reason refusal;
	uint16_t about;
	bool names_no_port; /* ... and does not say that it is that port */
	/* How many commits from now on fail, after how many that succeed; of this port. */
	unsigned fail_commits, fail_after;
	enum provider_reason failure;
	uint32_t fail_ifindex;
};

/* A provider "fake" whose ports have everything but reaction points. */
void fake_provider_init(struct fake_provider *f);

static inline struct fake_port *fake_port(const struct port *port)
{
	return (struct fake_port *)(uintptr_t)port;
}

#endif
