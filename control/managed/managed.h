/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed system: one component, its ports, the configuration in force and
 * what the managed objects need besides. Control thread only.
 */
#ifndef DCB_CONTROL_MANAGED_MANAGED_H
#define DCB_CONTROL_MANAGED_MANAGED_H

#include "dataplane/config/dcb_config.h"
#include "control/managed/events.h"
#include "dataplane/config/provider.h"

/* dcbAgentStateStatus. */
enum state_status { STATE_OK = 1, STATE_DAMAGED_SET_ASIDE, STATE_WRITE_FAILING };

struct managed_retired;
struct managed_parked;
struct lldp_ports;

#define MANAGED_PROVIDERS_MAX 4

struct managed;

/* Whoever raises notifications is told here, by calls from within others of managed. */
struct managed_ops {
	/* m->config is in force now, in the place of before; NULL: it is the first one. */
	void (*published)(const struct managed *m, const struct dcb_config *before);
	/* The port's DCBX settings have not matched its neighbor's for some time, or do again. */
	void (*mismatch)(const struct managed *m, const struct port *port, bool mismatch,
			 struct dcb_time now);
};

struct managed_params {
	enum dcb_role role;
	uint32_t component_id;
	uint16_t lldp_destination; /* index of the LLDP destination address; 0: nearest bridge */
	const struct managed_ops *ops;
	struct dcb_defaults defaults;
};

/* A configuration that all providers have prepared. */
struct managed_change {
	struct dcb_config *config; /* NULL: there is none */
	struct dcb_config *views[MANAGED_PROVIDERS_MAX];
	struct port *closed; /* it leaves this port out; NULL: none */
};

struct managed {
	enum dcb_role role;
	uint32_t component_id;
	const struct managed_ops *ops;
	struct dcb_defaults defaults;
	struct provider *providers[MANAGED_PROVIDERS_MAX]; /* at least one */
	unsigned n_providers;
	struct dcb_config *config; /* in force */
	/* What each provider has of it: config itself where there is one provider only. */
	struct dcb_config *given[MANAGED_PROVIDERS_MAX];
	struct managed_change next;    /* between managed_prepare() and managed_commit() */
	uint64_t generation;           /* the last one that a configuration was given */
	bool holding;                  /* nothing is published yet: see managed_release() */
	uint64_t closed_port_discards; /* CP discards of ports that are closed: 32.2.3 */
	bool has_address;
	uint8_t address[DCB_MAC_OCTETS]; /* the system's: first part of every CPID */
	uint16_t by_slot[DCB_SLOTS];     /* 1 + position in config->ports; 0: no such port */
	bool slot_is_taken[DCB_SLOTS];   /* by a port that is open, in a configuration or not */
	struct managed_retired *retired;
	struct managed_parked *parked;
	struct events *events;
	struct lldp_ports *lldp; /* what neighbors make of the ports */
	bool neighbors_fail;     /* the log says why they have no effect */
	struct dcb_time started;
	uint8_t state_status; /* enum state_status */
	uint32_t state_saves, state_failures;
};

/* Takes n providers over, the first of which is the default one. NULL: out of memory. */
struct managed *managed_new(const struct managed_params *params, struct provider *const *providers,
			    unsigned n);
void managed_free(struct managed *m);

/* --- configurations come into force: managed_publish.c -----------------------------------------
 */

/*
 * First phase: every provider prepares the configuration, with what the neighbors make
 * of it. m owns config from here on, whatever comes of it. true: managed_commit() or
 * managed_abort() follows at once. false: *why, and nothing is changed. If a provider
 * refuses only what follows from a port's neighbor, the configuration is prepared without
 * that: the port keeps its former struct port_oper.
 */
bool managed_prepare(struct managed *m, struct dcb_config *config, struct provider_refusal *why);
/*
 * Second phase. true: in force; the old one lives until its provider has adopted the
 * successor. false: *why is PROVIDER_FAILED and all providers have what they had before,
 * or PROVIDER_NOT_UNDONE; m->config is what it was either way.
 */
bool managed_commit(struct managed *m, struct provider_refusal *why);
void managed_abort(struct managed *m);

/* Both phases. */
bool managed_publish(struct managed *m, struct dcb_config *config, struct provider_refusal *why);

/*
 * Puts in force what has changed of neighbors and links; what a provider refuses is tried
 * again. When to call again if lldp_ports_use()'s wake() does not say so before.
 */
struct dcb_time managed_run(struct managed *m, struct dcb_time now);
/* Would managed_prepare() succeed? Changes nothing; m owns config from here on. */
bool managed_try(struct managed *m, struct dcb_config *config, struct provider_refusal *why);

/* "PORT: why", for a log or a manager; the answer is buf. */
const char *managed_refusal_text(const struct provider_refusal *why, char *buf, size_t size);

/*
 * Until this is called configurations are prepared but not committed, so that a
 * start with thousands of ports costs the provider one adoption, not thousands.
 * false: *why, and dcbd cannot start.
 */
bool managed_release(struct managed *m, struct provider_refusal *why);
/* The provider has adopted this generation. */
void managed_adopted(struct managed *m, const struct provider *provider, uint64_t generation);
/* For managed_free(): no provider reads anything any more. */
void managed_forget_published(struct managed *m);

/* --- ports --------------------------------------------------------------------------------------
 */

/*
 * A port for this interface, of the provider that settings->provider names; settings an
 * interface of that alias or name left behind come back. false: not managed, err says
 * why, and what was left behind stays for the next attempt.
 */
bool managed_port_add(struct managed *m, const struct link_info *link,
		      const struct port_settings *settings, char *err, size_t errlen);
/*
 * Name, alias, state ... of a managed interface changed. Interfaces are made
 * first and given their alias then: one that nobody has touched takes on what
 * an interface of its new alias or name left behind.
 */
void managed_port_update(struct managed *m, size_t pos, const struct link_info *link);
/*
 * The interface is gone, its settings are kept for its return. false: out of memory, or a
 * provider failed to commit; the port is still there, and the log says why.
 */
bool managed_port_remove(struct managed *m, size_t pos);

/* Close a port that its provider reads no more; its slot is free. */
void managed_close_port(struct managed *m, struct port *port);
/*
 * The same for a port that was to be added, which *why prevented: its provider may have
 * been given it before another one failed.
 */
void managed_drop_port(struct managed *m, struct port *port, const struct provider_refusal *why);

/* Position of a managed interface, or config->n_ports. */
size_t managed_find(const struct managed *m, uint32_t ifindex);

/*
 * The key its settings are kept under: ifAlias if it has one that no other
 * port has, else ifName. *is_alias says which.
 */
const char *managed_port_key(const struct managed *m, const struct port *port, bool *is_alias);

/* Settings of interfaces that are not there now. */
struct managed_parked {
	struct managed_parked *next;
	bool is_alias;
	char key[DCB_ALIAS_OCTETS];
	struct port_config *config;
	uint32_t epoch[DCB_PRIORITIES]; /* rows of a priority whose epoch has moved on are void */
};
bool managed_park(struct managed *m, const char *key, bool is_alias, struct port_config *config);

/* Sum of DiscardedFrames over all congestion points there are or were (32.2.3). */
uint64_t managed_discarded_frames(const struct managed *m);

/* CPID of a port's congestion point (32.8.2): the system's address, slot and priority. */
void managed_cpid(const struct managed *m, const struct port *port, unsigned priority,
		  uint8_t cpid[8]);

#endif
