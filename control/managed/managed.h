/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed system: one component, its ports, its providers and the configuration in
 * force. Control thread only; other threads read it, and the functions of control/objects that
 * read, while they hold m->lock. Functions here that change it take the lock themselves.
 */
#ifndef DCB_CONTROL_MANAGED_MANAGED_H
#define DCB_CONTROL_MANAGED_MANAGED_H

#include <uthash.h>

#include "dataplane/config/dcb_config.h"
#include "control/managed/addresses.h"
#include "control/managed/events.h"
#include "control/managed/state_lock.h"
#include "dataplane/config/provider.h"
#include "lib/log.h"

/* dcbAgentStateStatus. */
enum state_status { STATE_OK = 1, STATE_DAMAGED_SET_ASIDE, STATE_WRITE_FAILING };

struct managed_deferred_free;
struct managed_absent;
struct lldp_ports;
struct pause_history;

/*
 * Records of the state file whose objects this version does not know: they are saved as they are,
 * for the version that wrote them.
 */
struct managed_kept {
	char *records; /* their text, with commas between them; NULL: none */
	size_t len;    /* of the text, octets */
	/* The file had settings that are not in force; a number for what these are. */
	bool is_incomplete;
	unsigned long mark;
};

#define MANAGED_PROVIDERS_MAX 4

struct managed;

/* Callbacks to the code that raises events, called from within functions of this file. */
struct managed_ops {
	/* m->config has come into force and replaces before; NULL: it is the first one. */
	void (*published)(const struct managed *m, const struct dcb_config *before);
	/* The port has had a DCBX mismatch for the hold-off time, or has it no more. */
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
	struct dcb_config *config;                       /* NULL: no change is prepared */
	struct dcb_config *views[MANAGED_PROVIDERS_MAX]; /* each provider's part of it */
};

/* What the control thread notes of an open port. */
struct managed_record {
	uint64_t counters_since_ms; /* when the port's counters began, in ms since 1970 */
	uint32_t changes;           /* of the link, as seen; the kernel may join its messages */
	uint32_t carrier;           /* link_info.carrier_changes when the port was opened */
	struct log_limit log;       /* of the messages about the link */
	struct link_host host;      /* of the interface, as last logged */
	bool device_pfc;            /* of a software port: the driver of its interface does PFC */
};

struct managed {
	struct state_lock *lock;
	enum dcb_role role;
	uint32_t component_id;
	const struct managed_ops *ops;
	struct dcb_defaults defaults;
	struct provider *providers[MANAGED_PROVIDERS_MAX]; /* at least one */
	unsigned n_providers;
	/*
	 * The first one that has read_provider(): the engine and frame memory of the system. NULL:
	 * none has, and the system has no objects about these.
	 */
	const struct provider *engine;
	struct dcb_config *config; /* in force */
	/* Each provider's view of it: config itself if there is only one provider. */
	struct dcb_config *published[MANAGED_PROVIDERS_MAX];
	uint64_t acknowledged[MANAGED_PROVIDERS_MAX]; /* generation of the last one; 0: none */
	struct managed_change next; /* between managed_prepare() and managed_commit() */
	uint64_t generation;        /* of the last configuration */
	uint64_t names_generation;  /* changes when ports of config, their names or aliases do */
	bool holding;               /* providers have no configuration yet: managed_release() */
	bool collects;              /* after managed_collect() */
	/* While ports are collected after the start: config with these ports; NULL: none yet. */
	struct dcb_config *collected;
	bool had_address;              /* has_address before ports were collected */
	uint64_t closed_port_discards; /* CP discards of ports that are closed: 32.2.3 */
	bool has_address;
	uint8_t address[DCB_MAC_OCTETS]; /* MAC address of the system: first part of every CPID */
	uint16_t by_slot[DCB_SLOTS];     /* 1 + position in config->ports; 0: no such port */
	bool slot_is_taken[DCB_SLOTS];   /* by an open port, in a configuration or not */
	struct managed_record records[DCB_SLOTS];
	struct managed_deferred_free *deferred_free;
	struct managed_absent *absent; /* hash table, by alias or name */
	struct managed_absent *own;    /* those of interfaces that exist, by ifindex */
	uint64_t next_absent;          /* number of the next one */
	struct managed_kept kept;
	struct events *events;
	struct pause_history *pauses;
	struct addresses *addresses; /* has a lock of its own */
	struct lldp_ports *lldp;
	bool neighbors_fail; /* publishing a neighbor's change failed and is logged */
	/* Response delays measured by ports, quanta, 0: none; and slots to read them from. */
	uint32_t measured[DCB_SLOTS];
	uint32_t secy_ns[DCB_SLOTS];                   /* measured delays of SecYs; 0: none */
	uint64_t measured_changed[DCB_SLOTS / 64];     /* to be read again */
	uint64_t measured_unpublished[DCB_SLOTS / 64]; /* changed since config was published */
	/* Slots of ports that have reported a measured delay; the other ports have none. */
	uint64_t has_measured[DCB_SLOTS / 64];
	bool any_has_measured;
	bool measured_is_due; /* measured is to be published; after managed_run(): that failed */
	bool claims_are_due;  /* a link has changed: see headroom_cap_set() */
	struct dcb_time started;
	uint8_t state_status; /* enum state_status */
	uint32_t state_saves, state_failures;
};

/*
 * Creates the system. It owns the n providers from here on. NULL: out of memory, and the caller
 * still owns them.
 */
struct managed *managed_new(const struct managed_params *params, struct provider *const *providers,
			    unsigned n);
/* Frees the system and destroys its providers. */
void managed_free(struct managed *m);

/* --- publishing ----------------------------------------------------------------------------- */

/*
 * First phase: takes m->lock, until the second ends; computes the operational values of config,
 * with each port's struct port_oper from its neighbor, and has every provider prepare it. m owns
 * config from here on, also on failure. true: the caller has to call managed_commit() or
 * managed_abort() next. false: refused for *why, nothing is changed. If a provider refuses only
 * what follows from a port's neighbor, the port keeps its former struct port_oper and the rest is
 * prepared.
 */
bool managed_prepare(struct managed *m, struct dcb_config *config, struct provider_refusal *why);
/*
 * Second phase. true: the configuration is in force; the old one is freed when its provider
 * has adopted the new one. false: m->config is unchanged; *why is PROVIDER_FAILED if all
 * providers have their former configuration, else PROVIDER_NOT_UNDONE.
 */
bool managed_commit(struct managed *m, struct provider_refusal *why);
/* Ends the change without publishing it, and frees the prepared configuration. */
void managed_abort(struct managed *m);

/*
 * Returns whether the configuration committed last is in force in all providers. PROVIDER_REFUSED:
 * *why is set; PROVIDER_PENDING: none has refused, and one has not answered yet.
 */
enum provider_outcome managed_outcome(const struct managed *m, struct provider_refusal *why);
/* How long a SET waits for an outcome that is PROVIDER_PENDING: less than agents wait for dcbd. */
#define MANAGED_CONFIRM_MS 3000

/* Both phases: managed_prepare() and managed_commit(). */
bool managed_publish(struct managed *m, struct dcb_config *config, struct provider_refusal *why);

/*
 * Publishes changes of neighbors and links and measured delays, and retries changes that failed.
 * Returns when to call it again, unless wake() of lldp_ports_use() is called before.
 */
struct dcb_time managed_run(struct managed *m, struct dcb_time now);
/*
 * The provider reports that the measured response delay of the port in this slot has
 * changed. managed_run() publishes it, and is to be called soon.
 */
void managed_measured(struct managed *m, uint16_t slot);
/*
 * The provider reports that the counters of the port in this slot do not continue:
 * dcbPortCounterDiscontinuityTime becomes the time of day, and always another one than before.
 */
void managed_discontinuity(struct managed *m, uint16_t slot);
/*
 * The provider reports that the port in this slot has other capabilities: a SET that was tested
 * before is tested again at COMMIT. Logs it.
 */
void managed_capabilities(struct managed *m, uint16_t slot);
/*
 * The provider reports that what the device of the port in this slot has is another: its TLVs say
 * so, and a port on which nothing can be set has the settings of its device.
 */
void managed_oper(struct managed *m, uint16_t slot);
/*
 * Would managed_prepare() succeed? false: *why. Changes nothing but the operational values in
 * config, which remains the caller's.
 */
bool managed_try(struct managed *m, struct dcb_config *config, struct provider_refusal *why);

/* Writes "PORT: why" to buf, for a log or a manager. Returns buf. */
const char *managed_refusal_text(const struct provider_refusal *why, char *buf, size_t size);

/*
 * Commits the first configuration, at the end of dcbd's start. Before this call
 * configurations are prepared but not committed, so that a start with thousands of ports
 * costs the providers one commit. false: refused for *why, and dcbd cannot start.
 */
bool managed_release(struct managed *m, struct provider_refusal *why);
/* The provider has adopted this generation. */
void managed_adopted(struct managed *m, const struct provider *provider, uint64_t generation);
/* Returns whether every provider has adopted a configuration since the start. */
bool managed_is_adopted(const struct managed *m);
/* Returns whether a removed port is still open, because its provider may read it. */
bool managed_is_closing(const struct managed *m);

/* --- ports ----------------------------------------------------------------------------------- */

/*
 * From managed_collect() on, managed_port_add() asks no provider, so that the cost of thousands of
 * ports is not the square of their number. managed_collected() asks all providers once; after the
 * start it also publishes the ports. If one refuses a new port, that port is closed, with an
 * error in the log, and all are asked again without it; a refusal that names no new port has the
 * ports added one after another. Settings that a port takes stay kept until the port is
 * published. Returns false with the reason in err
 * if memory is exhausted or a memory port was refused. A dry run leaves out managed_collected().
 */
void managed_collect(struct managed *m);
bool managed_collected(struct managed *m, char *err, size_t errlen);

/*
 * Adds a port for an interface, with the provider that settings->provider names, and gives
 * it the settings kept under the interface's alias or name. false: err says why, and the
 * settings stay kept.
 */
bool managed_port_add(struct managed *m, const struct link_info *link,
		      const struct port_settings *settings, char *err, size_t errlen);
/*
 * The name, alias, state or another attribute of a port's interface has changed. As an
 * interface gets its alias after its creation, a port with default settings gets those
 * kept under its new alias or name.
 */
void managed_port_update(struct managed *m, size_t pos, const struct link_info *link);
/*
 * Removes a port, and keeps its settings: they stay those of its interface, under any name, while
 * this exists. false: out of memory, or a provider failed to commit; the port stays, and the log
 * has the reason.
 */
bool managed_port_remove(struct managed *m, size_t pos);
/*
 * The interface, a port or not, does not exist in the network namespace any more: its port is
 * removed, and its settings are those of the next interface with its alias or name. false: as
 * managed_port_remove().
 */
bool managed_interface_gone(struct managed *m, uint32_t ifindex);
/*
 * managed_port_remove() for several ports, by one publication; if that fails, one after another.
 * Those that cannot be removed stay.
 */
void managed_ports_remove(struct managed *m, const struct dcb_positions *ports);

/* Returns the position of the interface's port in config->ports; config->n_ports: none. */
size_t managed_find(const struct managed *m, uint32_t ifindex);

/* The ports with an alias that another one has, a bit for each slot. */
struct managed_shared_aliases {
	uint64_t slots[DCB_SLOTS / 64];
};

/* Finds them. false: out of memory. */
bool managed_find_shared_aliases(const struct managed *m, struct managed_shared_aliases *shared);
/*
 * Returns the key under which the port's settings are saved: ifAlias if it has one that no
 * other port has, else ifName. *is_alias: which one it is. shared was found since ports or aliases
 * changed.
 */
const char *managed_key_of(const struct managed_shared_aliases *shared, const struct port *port,
			   bool *is_alias);

/* Returns the changes of the port's link between up and down since it was opened. With the lock. */
uint32_t managed_link_changes(const struct managed *m, const struct port *port);

/* The alias or name of an interface that is no port now. */
struct managed_absent_key {
	bool is_alias;
	char text[DCB_ALIAS_OCTETS];
};

/* Settings of an absent interface. A hash table in which they are in the order in which they were
 * kept. */
struct managed_absent {
	UT_hash_handle hh, hh_own;
	struct managed_absent_key key;
	uint64_t number; /* ascending */
	struct port_config *config;
	uint32_t ifindex; /* of the interface while it exists; 0: its alias or name decides */
	uint8_t mac[DCB_MAC_OCTETS]; /* of the interface; 0: from the state file */
	char name[IF_NAMESIZE];      /* its name; empty: from the state file */
	const struct port *taken_by; /* a port that is being collected; NULL: none */
	bool is_cut;                 /* it does not get what another port has */
	bool is_hidden;              /* managed_absent_hide() */
	/* com_pri_epoch when kept: if that of a priority has changed, its rows are void */
	uint32_t epoch[DCB_PRIORITIES];
};
/*
 * Removes the next hops of a port, whose settings come back, that contradict those in force: of
 * the own nickname, or in the tree beside a next hop of another port than that at pos. name: of
 * the interface, for the log. Returns whether there was one of another port.
 */
bool managed_trill_reconcile(const struct dcb_config *config, size_t pos, struct port_config *pc,
			     const char *name);

/*
 * Returns the delay that the port has measured, to be saved; if it has none, the one from before it
 * was created. Its count is 0 if there is neither. It is read while the dataplane thread goes on:
 * if the rate changes at that moment, average and rate can be of two rates. The port would use such
 * a result from its creation until the first round trips (36.9.6).
 */
struct pfc_measured managed_delay(const struct dcb_config_port *at);
/*
 * The same for a port whose provider's events have been read, without access to a port that has not
 * reported one: there may be thousands.
 */
struct pfc_measured managed_delay_reported(const struct managed *m,
					   const struct dcb_config_port *at);

/*
 * Removes the static entries of a port of an RBridge, whose settings come back, that have the VLAN
 * and address of an egress entry in config. name: of the interface, for the log.
 */
void managed_trill_drop_static(const struct dcb_config *config, struct port_config *pc,
			       const char *name);

/* Keeps settings under a key. false: out of memory. */
bool managed_absent_add(struct managed *m, const char *key, bool is_alias,
			struct port_config *config);

/*
 * Sets is_hidden of the kept settings under a key that a port has, or under which others were
 * kept later. A restart could not tell their records from those of that port or those others.
 */
void managed_absent_hide(const struct managed *m, const struct managed_shared_aliases *shared);

/* Returns the sum of DiscardedFrames of all congestion points, closed ports included (32.2.3). */
uint64_t managed_discarded_frames(const struct managed *m);

/* Sets cpid to that of a port's congestion point (32.8.2): system address, slot, priority. */
void managed_cpid(const struct managed *m, const struct port *port, unsigned priority,
		  uint8_t cpid[8]);

#endif
