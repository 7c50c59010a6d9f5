/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration: the values of the managed objects as the dataplane reads
 * them.
 *
 * A struct dcb_config is immutable once published. A SET builds a new one,
 * which shares every unchanged port_config with its predecessor; exchanging one
 * pointer puts it in force. Only the control thread counts references. The
 * dataplane thread only reads.
 *
 * A successor records the ports that differ, for a comparison with the configuration of that
 * generation only. All other comparisons are over all ports: when ports come and go, when rules
 * for all ports change, and when the dataplane thread has missed a generation.
 */
#ifndef DCB_DATAPLANE_CONFIG_DCB_CONFIG_H
#define DCB_DATAPLANE_CONFIG_DCB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dataplane/core/app.h"
#include "dataplane/core/buffer.h"
#include "dataplane/core/cnd.h"
#include "dataplane/core/cp.h"
#include "dataplane/core/ecn.h"
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "dataplane/core/pfc_headroom.h"
#include "dataplane/core/pfc_watchdog.h"
#include "dataplane/core/rp.h"
#include "lib/units.h"
#include "dataplane/config/port_settings.h"
#include "dataplane/config/bridge_config.h"
#include "dataplane/config/trill_config.h"
#include "dataplane/core/tclass.h"
#include "lldp/dcbx.h"
#include "lldp/pfc_way.h"

/* Values of the textual conventions. */
enum dcb_role { ROLE_BRIDGE = 1, ROLE_STATION, ROLE_RBRIDGE }; /* dcbAgentRole */
enum cn_creation { CNCP_AUTO_ENABLE = 1, CNCP_AUTO_DISABLE };
enum row_status {
	ROW_ABSENT = 0,
	ROW_ACTIVE,
	ROW_NOT_IN_SERVICE,
	ROW_NOT_READY,
	ROW_CREATE_AND_GO,
	ROW_CREATE_AND_WAIT,
	ROW_DESTROY
};

/* ieee8021CnGlobalEntry: 32.2. */
struct cn_global_config {
	bool cng_master_enable;
	uint8_t cng_cnm_transmit_priority;
};

/* ieee8021CnCompntPriEntry: 32.3. With row_status ROW_ABSENT the priority is not a CNPV. */
struct cn_com_pri_config {
	uint8_t row_status;
	uint8_t cncp_def_mode_choice;
	uint8_t cncp_alternate_priority;
	uint8_t cncp_admin_defense_mode;
	uint8_t cncp_creation;
	uint8_t cncp_lldp_instance_choice;
	uint16_t cncp_lldp_instance_selector;
};

/* ieee8021CnPortPriEntry: 32.4. */
struct cn_port_pri_config {
	uint8_t cnpd_def_mode_choice;
	uint8_t cnpd_admin_defense_mode;
	uint8_t cnpd_lldp_instance_choice;
	uint8_t cnpd_alternate_priority;
	uint16_t cnpd_lldp_instance_selector;
};

/* Priority-based flow control of one port: clause 36. */
struct pfc_config {
	uint8_t enable; /* bit n: PFC is enabled for priority n */
	/*
	 * Bit n: of priority n PFC frames are obeyed, and none sent; or sent, and none obeyed.
	 * Without both PFC is in both directions. Beyond 802.1Q, which has one vector.
	 */
	uint8_t receive_only, transmit_only;
};

/* Measurement of the PFC headroom of one port: P802.1Qdt 36.9. */
enum pfc_measure_enable {
	PFC_MEASURE_OFF = 1, /* the neighbor's requests are answered, none is sent */
	PFC_MEASURE_AGREED,  /* while both ends have agreed on it: PFC_WAY_MEASURED */
	PFC_MEASURE_ALWAYS,
};

struct pfc_measure_config {
	uint8_t enable;            /* enum pfc_measure_enable */
	bool separate;             /* requests and responses in frames of their own */
	uint32_t minimum, maximum; /* of a result, quanta; maximum 0: PFC_MEASURE_MAX_NS */
	uint32_t initial;          /* result before the first measurement, quanta; 0: none */
	uint32_t halt_ns;          /* h of 36.1.1, of this port; 0: see port_halt_ns() */
	uint32_t transmit_ns;      /* from a transmit timestamp to the wire */
	uint32_t receive_ns;       /* from the wire to a receive timestamp */
	uint32_t restart;          /* a change begins a measurement */
	uint32_t interval_s;       /* between the begins of measurements; 0: no limit */
};

/*
 * Choice: the draft has no default of the maximum round trip. This is 100 km of fibre, and
 * what kernels and schedulers of two busy hosts add.
 */
#define PFC_MEASURE_MAX_NS  (20 * DCB_NS_PER_MS)
#define PFC_MEASURE_HALT_NS 615 /* limit of 36.3.3, 614.4 ns */
/*
 * Choice: item h of a port on a host until it has been measured. Kernel and scheduler of a host
 * that is not overloaded take less.
 */
#define PFC_MEASURE_HALT_HOST_NS 200000

/*
 * What the port had measured before it was created: before dcbd started, or before its interface
 * was gone. No setting. It counts while the port has the rate; the path is compared by the engine.
 */
struct pfc_measured {
	struct dcb_rate rate; /* of the link */
	uint32_t average;     /* quanta of this rate */
	uint32_t count;       /* round trips measured; 0: none */
	uint8_t path;         /* enum hmpdu_path */
};

/* Frame memory of one port and priority, as receiver (lossless) and as sender (lossy). */
struct buffer_config {
	uint32_t reserve_octets; /* 0: automatic, see dataplane/config/port_buffer.h */
	int8_t alpha_lossless;   /* exponents: alpha is 2 to this power */
	int8_t alpha_lossy;
};

/* Division of the frame memory. */
struct buffer_memory_config {
	struct buffer_rules rules;
	uint32_t watermark_reset; /* a change sets all watermarks to the present values */
};

/* Removal of learned addresses. */
struct fdb_flush_config {
	uint32_t number; /* a change removes them */
	uint32_t port;   /* ifIndex of their port; 0: of all, and those behind other RBridges */
	uint16_t vlan;   /* 0: all */
};

/* Notifications to send, by enum mo_notification_id, and their maximum per minute; 0: no limit. */
#define NOTIFICATIONS_MAX 16
struct notify_config {
	bool enabled[NOTIFICATIONS_MAX];
	uint32_t rate_limit;
};

/* In port_config.initial: no manager has set any, and the first ones were those of the device. */
#define PORT_CONFIG_ADOPTED UINT32_MAX

/*
 * All settings of one port, for all eight priorities. The rows of a priority
 * that is not a CNPV have their default values.
 */
struct port_config {
	uint32_t refs;    /* control thread only */
	uint32_t initial; /* dcb_config_is_initial() */
	/*
	 * By the SET that made this copy, also to the values that they had: enum provider_part, and
	 * priorities of PROVIDER_PART_PFC and _RP, a bit each. A device can have others meanwhile.
	 */
	uint8_t set_parts, set_pfc, set_rp;
	struct dcb_rate profile_rate;        /* as port_profile_rate() */
	uint8_t profile_set[DCB_PRIORITIES]; /* enum cn_profile_object that were set, a bit each */
	uint32_t pfc_link_delay_allowance;   /* bits: 12.23 */
	struct pfc_config pfc;
	struct dcbx_config dcbx;
	struct pfc_headroom_config pfc_headroom;
	struct pfc_way_config pfc_way;
	struct pfc_watchdog_config pfc_watchdog[DCB_PRIORITIES];
	struct pfc_measure_config pfc_measure;
	struct pfc_measured pfc_measured;
	struct buffer_config buffer[DCB_PRIORITIES];
	struct cn_port_pri_config port_pri[DCB_PRIORITIES];
	struct cp_config cp[DCB_PRIORITIES];
	struct rp_port_pri_config rp_port_pri[DCB_PRIORITIES];
	struct rpg_config rpg[DCB_PRIORITIES];
	struct port_trust_config trust;
	struct rewrite_config rewrite[DCB_PRIORITIES];
	struct ecn_config ecn[DCB_PRIORITIES];
	struct vlan_port_config vlan;
	struct static_unicast_config static_unicast;
	struct trill_port_config trill;
	struct trill_next_hops trill_hops;
};

/* Initial values of the managed objects. */
struct dcb_defaults {
	struct cn_global_config global;
	struct notify_config notify;
	struct buffer_memory_config buffer_memory;
	struct trill_config trill;
	struct fdb_flush_config fdb_flush;
	struct port_config port; /* the rows of all priorities, as if each were a CNPV */
};

/*
 * The values in force of a port that depend on its neighbor: derived from the
 * port's settings, the neighbor's TLVs and the measured delay. They are neither set nor saved.
 */
struct port_oper {
	uint8_t cnpd_auto_defense_mode[DCB_PRIORITIES]; /* enum cn_defense_mode: 32.4.3 */
	uint8_t pfc_enable;                             /* one bit a priority */
	uint8_t pfc_agreed; /* of these, priorities with PFC in the neighbor's PFC TLV */
	bool ets;           /* transmission selection by ets_tables; false: strict priority */
	struct ets_tables ets_tables;
	uint8_t pfc_way; /* enum pfc_way */
	struct pfc_peer pfc_peer;
	uint32_t pfc_measured_quanta; /* average response delay of 36.9.6; 0: no result */
	/* Limit of the headroom, as the frame memory does not hold what the neighbor's word asks
	 * for; 0: none. */
	uint32_t headroom_cap_octets;
	uint32_t pfc_interruptions; /* times the neighbor was lost or replaced: 36.9.6 b) */
	uint32_t secy_ns;           /* measured delay of the port's SecY; 0: none */
};
_Static_assert(offsetof(struct port_oper, pfc_way) ==
		   DCB_PRIORITIES + 3 + sizeof(struct ets_tables),
	       "no padding before pfc_way, for port_oper_equal()");

static inline bool port_oper_equal(const struct port_oper *a, const struct port_oper *b)
{
	return memcmp(a, b, offsetof(struct port_oper, pfc_way)) == 0 && a->pfc_way == b->pfc_way &&
	       pfc_peer_equal(&a->pfc_peer, &b->pfc_peer) &&
	       a->pfc_measured_quanta == b->pfc_measured_quanta &&
	       a->headroom_cap_octets == b->headroom_cap_octets &&
	       a->pfc_interruptions == b->pfc_interruptions && a->secy_ns == b->secy_ns;
}

/* Application priorities of a neighbor. Not changed after they are published. */
struct peer_apps {
	uint32_t refs; /* control thread only */
	struct app_tlv tlv;
};

struct dcb_config_port {
	struct port *port;
	struct port_config *config;
	struct port_oper oper;
	uint32_t ifindex;            /* of port; valid even after the port is closed */
	struct peer_apps *peer_apps; /* in force in place of config->dcbx.apps; NULL: those are */
};

/*
 * Returns the priorities with PFC in force for which the port obeys PFC frames (36.3.2), one bit
 * each.
 */
static inline uint8_t port_pfc_obeyed(const struct port_config *config,
				      const struct port_oper *oper)
{
	return (uint8_t)(oper->pfc_enable & ~config->pfc.transmit_only);
}

/*
 * Returns the priorities with PFC in force for which the port sends PFC frames (36.3.1), one bit
 * each. Frames that come with them are lossless.
 */
static inline uint8_t port_pfc_sent(const struct port_config *config, const struct port_oper *oper)
{
	return (uint8_t)(oper->pfc_enable & ~config->pfc.receive_only);
}

/* Returns whether the port sends requests to measure its headroom: P802.1Qdt 36.9. */
static inline bool port_measures(const struct port_config *config, const struct port_oper *oper)
{
	return config->pfc_measure.enable == PFC_MEASURE_ALWAYS ||
	       (config->pfc_measure.enable == PFC_MEASURE_AGREED &&
		oper->pfc_way == PFC_WAY_MEASURED);
}

/* Prepares the application priorities in force. */
static inline void port_app_map(struct app_map *map, const struct port_config *config,
				const struct peer_apps *peer_apps)
{
	if (peer_apps)
		app_map_init(map, peer_apps->tlv.of, peer_apps->tlv.n);
	else
		app_map_init(map, config->dcbx.apps, config->dcbx.n_apps);
}

/* Returns the traffic class of each priority while ETS is not in force: of dcbd.conf. */
static inline const uint8_t *port_strict_classes(const struct port_settings *settings)
{
	return settings->classified ? settings->traffic_class : tclass_recommended;
}

/* Returns the traffic class of each priority: of ETS if in force, else of dcbd.conf. */
static inline const uint8_t *port_classes(const struct port_settings *settings,
					  const struct port_oper *oper)
{
	return oper->ets ? oper->ets_tables.priority_tc : port_strict_classes(settings);
}

/*
 * Returns the values in force without a neighbor: the port's settings; without
 * a CN TLV the port is an edge.
 */
static inline struct port_oper port_oper_alone(const struct port_config *config)
{
	struct port_oper oper = {
	    .pfc_enable = config->pfc.enable,
	    .ets = ets_tables_share(&config->dcbx.ets),
	    .ets_tables = config->dcbx.ets,
	    .pfc_way = PFC_WAY_CONFIGURED,
	};

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		oper.cnpd_auto_defense_mode[p] = CPT_EDGE;
	return oper;
}

static inline struct dcb_config_port dcb_config_port_alone(struct port *port,
							   struct port_config *config)
{
	return (struct dcb_config_port){port, config, port_oper_alone(config), port->link.ifindex,
					NULL};
}

struct dcb_config {
	uint32_t refs; /* beside that of the owner; control thread only */
	uint64_t generation;
	/*
	 * Ports, by position, that may differ from those of the configuration with the generation
	 * base, which has the same ports. base 0: any port may differ. See
	 * dcb_config_next_changed_from().
	 */
	uint64_t base;
	uint64_t changed[DCB_SLOTS / 64];
	bool restores; /* the settings were in force before: a SET or a commit is undone */
	const struct dcb_defaults *defaults;
	struct cn_global_config global;
	struct notify_config notify;
	struct buffer_memory_config buffer_memory;
	struct trill_config trill;
	struct fdb_flush_config fdb_flush;
	struct trill_egresses trill_egress;
	struct cn_com_pri_config com_pri[DCB_PRIORITIES];
	/* Number of creations and deletions of the row: identifies settings of a former row. */
	uint32_t com_pri_epoch[DCB_PRIORITIES];
	/* Priorities in force as CNPVs: active rows while cngMasterEnable is TRUE. */
	uint8_t cnpv_acting;
	uint8_t cncp_auto_alt_pri[DCB_PRIORITIES]; /* cncpAutoAltPri: 32.3.3 */
	uint8_t system_address[ETH_ADDR_OCTETS];   /* first six octets of every CPID */
	/* Default settings, shared by all ports that have no others. */
	struct port_config *fresh;
	size_t n_claims; /* ports with a claim to frame memory: control/managed/headroom_cap.c */
	size_t n_ports;
	struct dcb_config_port ports[]; /* ascending ifIndex */
};

/* --- values -------------------------------------------------------------------- */

/* Returns the priorities with a row in ieee8021CnCompntPriTable, one bit each. */
uint8_t dcb_config_cnpvs(const struct dcb_config *c);
/*
 * Returns those that count for the automatic alternate priority: with eight
 * rows the active ones.
 */
uint8_t dcb_config_cnpvs_for_alternate(const struct dcb_config *c);
/* Returns the number of active rows. */
unsigned dcb_config_active_rows(const struct dcb_config *c);

/*
 * Returns whether the port at pos has the settings that a new port with its
 * rate of the profile would have, and no manager has set any. Each version of
 * fresh has a number in port_config.initial; 0: set by a manager.
 */
static inline bool dcb_config_is_initial(const struct dcb_config *c, size_t pos)
{
	return c->ports[pos].config->initial == c->fresh->initial;
}

/*
 * Returns RowStatus as a manager reads it. A row that is not active is notReady
 * while seven others are active, else notInService (12.21.2).
 */
enum row_status dcb_config_row_status(const struct dcb_config *c, unsigned priority);

/* --- comparing: any thread that may read both --------------------------------------- */

/* Returns whether c was made from this configuration, and has its ports at the same positions. */
static inline bool dcb_config_follows(const struct dcb_config *c, const struct dcb_config *from)
{
	return from && from->generation && c->base == from->generation;
}

/* Returns whether both have the same ports at the same positions. a may be NULL: false. */
static inline bool dcb_config_same_ports(const struct dcb_config *a, const struct dcb_config *b)
{
	if (!a || a->n_ports != b->n_ports)
		return false;
	if (dcb_config_follows(b, a))
		return true;
	for (size_t i = 0; i < a->n_ports; i++)
		if (a->ports[i].port != b->ports[i].port)
			return false;
	return true;
}

/* Returns the first position not below pos whose port may have changed; n_ports: none. */
static inline size_t dcb_config_next_changed(const struct dcb_config *c, size_t pos)
{
	uint64_t word;

	if (!c->base)
		return pos;
	while (pos < c->n_ports) {
		word = c->changed[pos / 64] >> pos % 64;
		if (word) {
			pos += (size_t)__builtin_ctzll(word);
			break;
		}
		pos = (pos / 64 + 1) * 64;
	}
	return pos < c->n_ports ? pos : c->n_ports;
}

/*
 * The same for a comparison with from, which may be NULL. A change of one port costs a walk over
 * the changed ports, not over thousands: all walks of a publication have to use this.
 */
static inline size_t dcb_config_next_changed_from(const struct dcb_config *c,
						  const struct dcb_config *from, size_t pos)
{
	return dcb_config_follows(c, from) ? dcb_config_next_changed(c, pos) : pos;
}

/* Returns the first position with an ifIndex not below ifindex; n_ports if there is none. */
size_t dcb_config_lower_bound(const struct dcb_config *c, uint32_t ifindex);

/* Returns the defense of one CNPV on a port: tables 32-2 and 32-3. */
static inline struct cnd_defense
dcb_config_defense(const struct dcb_config *c, const struct dcb_config_port *at, unsigned priority)
{
	const struct cn_com_pri_config *com_pri = &c->com_pri[priority];
	const struct cn_port_pri_config *port_pri = &at->config->port_pri[priority];
	const struct cnd_row component = {
	    .def_mode_choice = com_pri->cncp_def_mode_choice,
	    .admin_defense_mode = com_pri->cncp_admin_defense_mode,
	    .alternate_priority = com_pri->cncp_alternate_priority,
	};
	const struct cnd_row own = {
	    .def_mode_choice = port_pri->cnpd_def_mode_choice,
	    .admin_defense_mode = port_pri->cnpd_admin_defense_mode,
	    .alternate_priority = port_pri->cnpd_alternate_priority,
	};

	return cnd_resolve(&component, &own,
			   (enum cn_defense_mode)at->oper.cnpd_auto_defense_mode[priority],
			   c->cncp_auto_alt_pri[priority]);
}

/* Sets the CPID of a port's congestion point (32.8.2): system address, slot and priority. */
static inline void dcb_cpid(const uint8_t system_address[ETH_ADDR_OCTETS], uint16_t slot,
			    unsigned priority, uint8_t cpid[8])
{
	for (unsigned i = 0; i < ETH_ADDR_OCTETS; i++)
		cpid[i] = system_address[i];
	put_be16(cpid + ETH_ADDR_OCTETS, (uint16_t)(slot * DCB_PRIORITIES + priority));
}

/* --- editing: control thread only; NULL or false if out of memory ----------------- */

/* Returns a configuration without ports or rows. defaults must outlive it and its copies. */
struct dcb_config *dcb_config_new(const struct dcb_defaults *defaults);
/* Returns a copy that the caller may change, and restores nothing. It shares every port_config. */
struct dcb_config *dcb_config_copy(const struct dcb_config *c);
/*
 * Returns such a copy of the configuration in force, which records the ports that are changed:
 * those that the functions below change, and those for which dcb_config_mark() is called. Each port
 * keeps its values in force until dcb_config_compute_oper().
 */
struct dcb_config *dcb_config_successor(const struct dcb_config *c);
/* Takes a reference, which dcb_config_free() drops. Returns c, which may no longer be changed. */
struct dcb_config *dcb_config_ref(struct dcb_config *c);
/* Drops a reference. Frees a configuration and its references with the last one. c may be NULL. */
void dcb_config_free(struct dcb_config *c);

/* Records that the port at pos has changed. */
static inline void dcb_config_mark(struct dcb_config *c, size_t pos)
{
	c->changed[pos / 64] |= UINT64_C(1) << pos % 64;
}

/* Records that any port may have changed. */
static inline void dcb_config_mark_all(struct dcb_config *c)
{
	c->base = 0;
}

/* Returns the settings of the port at pos for writing. Copies them first if they are shared. */
struct port_config *dcb_config_edit_port(struct dcb_config *c, size_t pos);
/* Replaces the settings of the port at pos, and takes a reference to the new ones. */
void dcb_config_set_port(struct dcb_config *c, size_t pos, struct port_config *config);

/* A set of ports, by position, one bit each. */
struct dcb_positions {
	uint64_t bits[DCB_SLOTS / 64];
};

static inline void dcb_positions_add(struct dcb_positions *set, size_t pos)
{
	set->bits[pos / 64] |= UINT64_C(1) << pos % 64;
}

static inline bool dcb_positions_have(const struct dcb_positions *set, size_t pos)
{
	return set->bits[pos / 64] >> pos % 64 & 1;
}

/*
 * Return a copy with a port added, or without these ports. config NULL: default settings;
 * otherwise the copy takes a reference.
 */
struct dcb_config *dcb_config_with_port(const struct dcb_config *c, struct port *port,
					struct port_config *config);
struct dcb_config *dcb_config_without_ports(const struct dcb_config *c,
					    const struct dcb_positions *ports);
/*
 * Adds a port in place to a configuration that nothing else refers to. Returns the configuration,
 * which may have moved; NULL: out of memory, and c is as it was. config: as above.
 */
struct dcb_config *dcb_config_insert_port(struct dcb_config *c, struct port *port,
					  struct port_config *config);

/* Returns a copy with only the ports of one provider. */
struct dcb_config *dcb_config_of_provider(const struct dcb_config *c,
					  const struct provider *provider);

/*
 * Returns a copy of before, which restores it, with the ports of current: undoes a SET although
 * ports were opened or closed meanwhile. Ports that before does not have keep
 * their settings. Ports of before may be closed.
 */
struct dcb_config *dcb_config_restore(const struct dcb_config *current,
				      const struct dcb_config *before);

/*
 * Resets the port rows of a priority to defaults on every port. Call it after
 * setting the new row of the priority.
 */
bool dcb_config_create_cnpv(struct dcb_config *c, unsigned priority);
/* Deletes the row of a priority. Resets its port rows to defaults on every port. */
bool dcb_config_destroy_cnpv(struct dcb_config *c, unsigned priority);
/*
 * Called after cncpCreation of an existing row changed: ports added from now on get other
 * default settings, and existing ports keep theirs (32.3.5). Returns false if out of memory.
 */
bool dcb_config_change_creation(struct dcb_config *c, unsigned priority);

/*
 * Sets the derived values: cnpv_acting, cncp_auto_alt_pri, and the values in
 * force of all ports as without neighbors; in a successor, those of its changed ports. Call it
 * after all changes.
 */
void dcb_config_compute_oper(struct dcb_config *c);

/* Returns application priorities with one reference. */
struct peer_apps *peer_apps_new(const struct app_tlv *tlv);
/* Takes a reference. Returns apps, which may be NULL. */
struct peer_apps *peer_apps_ref(struct peer_apps *apps);
/* Drops a reference. Frees apps with the last one. apps may be NULL. */
void peer_apps_unref(struct peer_apps *apps);
/* Sets *to, which may be NULL before, to a new reference to apps, which may be NULL. */
void peer_apps_set(struct peer_apps **to, struct peer_apps *apps);

/*
 * Returns the initial settings of a port, with a reference; NULL if out of
 * memory. rate: as port_profile_rate().
 */
struct port_config *dcb_config_initial(const struct dcb_config *c, struct dcb_rate rate);

/* Takes a reference. Returns pc. */
struct port_config *port_config_ref(struct port_config *pc);
/* Drops a reference. Frees pc with the last one. pc may be NULL. */
void port_config_unref(struct port_config *pc);
/* Returns a copy with one reference. */
struct port_config *port_config_dup(const struct port_config *pc);
/*
 * Sets the initial settings of a port with the CNPVs of c. The reference count
 * and the profile's rate stay.
 */
void port_config_init(struct port_config *pc, const struct dcb_config *c);
/* Gives the objects that no manager has set the initial values for another rate of the profile. */
void port_config_follow(struct port_config *pc, const struct dcb_config *c, struct dcb_rate rate);
/* Resets the rows of one priority. DefModeChoice depends on the CNPV's Creation (32.3.5). */
void port_config_reset(struct port_config *pc, unsigned priority, const struct dcb_config *c);

#endif
