/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port provider that moves no frames. It keeps the committed configuration, writes it to its
 * ports one after another, adopts it when the test says so, and returns counters that the test
 * sets. It refuses and fails as the test requests, and asserts that the caller keeps the contract
 * of provider.h.
 */
#ifndef DCB_TESTS_FAKE_PROVIDER_H
#define DCB_TESTS_FAKE_PROVIDER_H

#include "dataplane/config/provider.h"

/* What commit() writes to the hardware of a port. */
struct fake_hardware {
	uint32_t allowance; /* ieee8021PfcLinkDelayAllowance */
	uint8_t pfc_enable; /* in force */
};

struct fake_port {
	struct port port;
	uint64_t unknown[STATS_ECN + 1][DCB_PRIORITIES]; /* of unknown() */
	struct fake_hardware hardware, was;              /* was: before the last commit() */
	bool is_written; /* false: hardware is not known to the provider */
	/* Of the next writes to the hardware, write_after succeed, then fail_writes fail. */
	unsigned write_after, fail_writes;
	struct cp_stats cp[DCB_PRIORITIES];
	struct ecn_stats ecn[DCB_PRIORITIES];
	struct pfc_stats pfc[DCB_PRIORITIES];
	struct pfc_watchdog_stats watchdog[DCB_PRIORITIES];
	struct pfc_measure_stats measure;
	struct buffer_stats buffer[DCB_PRIORITIES];
	struct pfc_port_stats pfc_port;
	struct rp_port_pri_stats rp_port_pri[DCB_PRIORITIES];
	struct rp_stats rp[DCB_PRIORITIES][RPPP_MAX_RPS_LIMIT]; /* index 1 first */
	struct cnm_stats cnm;
	struct port_stats stats;
	struct learning_stats learning;
	const struct port_fault *fault; /* NULL: none */
	struct trill_port_stats trill;
	struct port_macsec *macsec; /* with PROVIDER_SECY */
	struct provider_oper oper;  /* with PROVIDER_HARDWARE */
};

struct fake_provider {
	struct provider provider;
	struct provider_ops ops; /* provider.ops; the test can change .name before use */
	uint32_t has;            /* for ports that are opened later */
	uint16_t sets;           /* the same */
	const struct dcb_config *published, *prepared;
	unsigned n_published, n_prepared, n_aborted, n_failed, n_open;
	bool is_known; /* the ports have the settings of published */
	struct fake_port *by_slot[DCB_SLOTS];
	struct provider_stats stats;
	uint16_t nickname; /* that has these counters */
	struct trill_nickname_stats of_nickname;
	struct fdb_addresses addresses; /* of read_addresses() */
	bool addresses_fail;
	unsigned addresses_reads;

	/* commit() hands over the configuration, and fake_provider_finish() writes it. */
	bool hands_over;
	enum provider_outcome outcome;
	struct provider_refusal why;

	/* prepare() refuses the first port for which this is false; NULL: accepts all. */
	bool (*accepts)(const struct dcb_config_port *at);
	enum provider_reason refusal;
	uint32_t about;
	bool names_no_port; /* the refusal's port is NULL */
	/* commit() succeeds fail_after times, then fails fail_commits times for fail_ifindex. */
	unsigned fail_commits, fail_after;
	enum provider_reason failure;
	uint32_t fail_ifindex;
};

/* Makes a provider "fake". Its ports have all capabilities but those of reaction points. */
void fake_provider_init(struct fake_provider *f);

/* Writes the configuration handed over last, as the thread of a provider would. */
void fake_provider_finish(struct fake_provider *f);

static inline struct fake_port *fake_port(const struct port *port)
{
	return (struct fake_port *)(uintptr_t)port;
}

#endif
