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

struct managed;

/* Whoever raises notifications is told here, by calls from within others of managed. */
struct managed_ops {
	/* m->config is in force; before: what was until now, NULL for the first one. */
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

struct managed {
	enum dcb_role role;
	uint32_t component_id;
	const struct managed_ops *ops;
	struct dcb_defaults defaults;
	struct provider *provider;
	struct dcb_config *config;     /* in force */
	bool holding;                  /* nothing is published yet: see managed_release() */
	uint64_t closed_port_discards; /* CP discards of ports that are closed: 32.2.3 */
	bool has_address;
	uint8_t address[DCB_MAC_OCTETS]; /* the system's: first part of every CPID */
	uint16_t by_slot[DCB_SLOTS];     /* 1 + position in config->ports; 0: no such port */
	struct managed_retired *retired;
	struct managed_parked *parked;
	struct events *events;
	struct lldp_ports *lldp; /* what neighbours make of the ports */
	struct dcb_time started;
	uint8_t state_status; /* enum state_status */
	uint32_t state_saves, state_failures;
};

/* Takes the provider over. NULL: out of memory. */
struct managed *managed_new(const struct managed_params *params, struct provider *provider);
void managed_free(struct managed *m);

/*
 * Put a configuration in force; m owns it from here on. The old one lives
 * until the provider has adopted its successor.
 */
void managed_publish(struct managed *m, struct dcb_config *config);
/*
 * Until this is called configurations are built but not published, so that a
 * start with thousands of ports costs the provider one adoption, not thousands.
 */
void managed_release(struct managed *m);
/* The provider has adopted this generation. */
void managed_adopted(struct managed *m, uint64_t generation);

/*
 * A port for this interface; settings an interface of that alias or name left
 * behind come back. false: not managed, err says why.
 */
bool managed_port_add(struct managed *m, const struct link_info *link,
		      const struct port_settings *settings, char *err, size_t errlen);
/*
 * Name, alias, state ... of a managed interface changed. Interfaces are made
 * first and given their alias then: one that nobody has touched takes on what
 * an interface of its new alias or name left behind.
 */
void managed_port_update(struct managed *m, size_t pos, const struct link_info *link);
/* The interface is gone, its settings are kept for its return. false: out of memory. */
bool managed_port_remove(struct managed *m, size_t pos);

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
