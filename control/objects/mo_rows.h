/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One struct per table: a row with all its objects. The field column of mibs/all.def
 * names the members. The member config has the settings; the others are read from the
 * providers and from LLDP.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_ROWS_H
#define DCB_CONTROL_OBJECTS_MO_ROWS_H

#include "lib/mo/mo.h"
#include "control/managed/lldp_ports.h"
#include "control/managed/pause_history.h"
#include "control/objects/neighbor_text.h"
#include "dataplane/config/provider.h"
#include "dataplane/macsec/port_macsec.h"

struct cn_global_row {
	struct cn_global_config config;
	uint64_t cng_discarded_frames;
};

struct cn_errored_port_row {
	uint32_t ifindex;
};

struct cn_com_pri_row {
	struct cn_com_pri_config config;
	uint8_t cncp_auto_alt_pri;
};

struct cn_port_pri_row {
	struct cn_port_pri_config config;
	uint8_t cnpd_auto_defense_mode;
};

struct cn_cp_row {
	struct cp_config config;
	uint8_t cp_priority;
	uint8_t cp_mac_address[DCB_MAC_OCTETS];
	uint8_t cp_id[8];
	struct cp_stats stats;
};

struct cn_cpid_row {
	uint32_t component_id;
	uint32_t ifindex;
	uint32_t cp_index;
};

struct cn_rp_port_pri_row {
	struct rp_port_pri_config config;
	struct rp_port_pri_stats stats;
};

struct cn_rpg_row {
	struct rpg_config config;
};

struct pfc_if_row {
	uint32_t config; /* PFCLinkDelayAllowance, bits */
	uint32_t pfc_requests;
	uint32_t pfc_indications;
};

struct agent_id_row {
	char version[32];
	uint8_t role;
	char provider[32];
	uint32_t uptime; /* centiseconds */
	uint32_t ports;
	uint32_t component_id;
	uint8_t state_status;
	uint32_t state_saves;
	uint32_t state_failures;
};

struct engine_row {
	uint64_t published;
	struct provider_stats stats;
};

struct port_row {
	struct port_trust_config config;
	bool operational;
	uint64_t rate; /* bit/s */
	uint32_t buffer_octets;
	uint8_t cp_variant;       /* ieee8021qau(1), early2007(2) */
	uint8_t rp_threshold;     /* figure(1), pseudoCode(2) */
	uint8_t cn_profile;       /* standard(1), scaled(2) */
	uint64_t cn_profile_rate; /* bit/s */
	uint64_t counters_since_ms;
	uint32_t link_changes;
	bool takes_mtu;
	bool device_pfc;
	char name[IF_NAMESIZE];
	char aggregate[IF_NAMESIZE];
	struct port_fault fault;
	struct port_stats stats;
};

/* Hook mo_settings_rewrite. */
struct rewrite_row {
	int8_t pcp, dscp; /* -1: none */
};

struct ecn_row {
	struct ecn_config config;
	struct ecn_curve in_force;
	struct ecn_stats stats;
};

struct hardware_row {
	struct provider_oper oper;
	uint8_t state; /* confirmed(1), pending(2), refused(3) */
	uint32_t prevention_ms;
};

struct hardware_pri_row {
	uint32_t max_rate_kbps;
	uint8_t buffer;
	uint32_t buffer_octets;
};

struct pfc_pri_row {
	bool enable;
	uint8_t direction; /* MO_pfc_direction_... */
	bool paused;
	uint64_t pause_us;
	uint8_t traffic_class;
	uint32_t held, held_peak, xoff, xon; /* octets */
	uint64_t pause_sent_us, discards;
	uint32_t longest_us, queue_peak; /* of the last interval */
	struct pfc_stats stats;
};

struct pfc_pause_row {
	struct pause_interval interval;
	struct pfc_stats stats; /* those that the port does not know, the interval has not */
};

struct pfc_headroom_row {
	struct pfc_headroom_config config;
	struct pfc_headroom_state state;
	uint32_t missing; /* octets */
	uint8_t way;      /* enum pfc_way */
};

struct pfc_headroom_term_row {
	uint32_t bits;
	uint8_t source; /* enum pfc_source */
};

/* Delays are in quanta. */
struct pfc_measure_row {
	struct pfc_measure_config config;
	uint32_t in_force, average, count, minimum, median, maximum, last;
	uint32_t age_ms;
	uint8_t clock; /* enum netio_clock */
	uint32_t nic_ns;
	bool oper_up, measure;
	uint8_t path;                   /* 1 + enum hmpdu_path */
	uint8_t hr, qp, rp, ct, qt, rt; /* enum hm_state */
	uint64_t busy;
	struct pfc_measure_stats stats;
};

struct cp_row {
	struct cp_stats stats;
};

struct rp_row {
	struct rp_stats stats;
};

struct pfc_port_row {
	uint8_t control_functions; /* pause(1), pfc(2), pauseAndPfc(3) */
	bool paused;
	uint64_t pause_us;
	uint64_t discard_transit;
	struct pfc_port_stats stats;
};

struct cnm_row {
	struct cnm_stats stats;
};

struct pfc_watchdog_row {
	struct pfc_watchdog_config config;
	uint8_t state;
	uint32_t storms;
	uint32_t restores;
	uint64_t dropped_total;
	uint32_t dropped_storm;
	uint32_t restoration_ms; /* in force, with the doublings of the hold-down */
};

struct pfc_storm_row {
	uint32_t detected; /* centiseconds, as agent_id_row.uptime */
	uint32_t ended;
	uint8_t end;
	uint8_t action;
	uint32_t blocked_ms;
	uint32_t queue_octets;
	uint32_t queue_frames;
	uint32_t indications_before;
	uint32_t indications;
	uint32_t paused_ms;
	uint32_t lasted_ms;
	uint8_t cause;
};

struct lldp_row {
	uint16_t destination;
	struct lldp_ports_stats stats;
};

/* A set of priorities or TLVs is a mask, bit n for number n. */
struct dcbx_port_row {
	uint32_t neighbors;
	uint8_t tlvs_sent, mismatch;
	uint8_t pfc_admin, pfc_peer, pfc_in_force, pfc_untagged;
	uint8_t pfc_reason, ets_reason; /* enum dcbx_reason */
	bool pfc_willing, pfc_peer_willing;
	bool ets_in_force, ets_willing, ets_peer_willing;
	uint32_t changes;
	uint64_t updates;
	uint64_t malformed[DCB_TLVS];
	uint32_t peers, peer;
};

struct pfc_way_row {
	struct pfc_way_config config;
	uint8_t local, remote, agreed; /* enum pfc_way_bit, one bit each */
	uint8_t way, reason;           /* enum pfc_way, enum pfc_way_reason */
	uint32_t local_delay_ns, peer_delay_ns;
	uint64_t refused_delays, malformed;
	uint32_t changes;
	uint32_t measured_response_ns;
};

#define AUDIT_TEXT_OCTETS 256 /* with the terminating zero */
struct dcbx_audit_row {
	uint8_t result; /* enum dcbx_audit_result */
	char expected[AUDIT_TEXT_OCTETS], told[AUDIT_TEXT_OCTETS];
};

struct cn_port_row {
	uint8_t state; /* enum cndd_state */
	struct cnd_defense defense;
	uint8_t defense_mode; /* defense.cnpd_defense_mode */
	uint16_t lldp_instance;
	bool rcvd_cnpv, rcvd_ready;
	struct cndd cndd;
	uint32_t mode_changes;
	bool untagged;
};

struct neighbor_row {
	char chassis[NEIGHBOR_TEXT_OCTETS], port[NEIGHBOR_TEXT_OCTETS];
	char sysname[NEIGHBOR_TEXT_OCTETS];
	char management[LLDP_ADDRESS_OCTETS];
	uint8_t address[ETH_ADDR_OCTETS]; /* zero: not known */
	uint32_t ttl;                     /* seconds */
	uint32_t time_mark;               /* centiseconds, as agent_id_row.uptime */
	uint8_t tlvs, malformed;
	bool stale;
	uint32_t pfc_delay_ns;
	uint8_t address_origin; /* enum lldp_address */
	uint8_t dialects;       /* enum dcbx_dialect, one bit each */
	uint8_t pfc_bits;       /* enum pfc_way_bit, one bit each */
};

struct dcbx_app_row {
	uint8_t priority;
	uint8_t row_status;
};

struct dcbx_app_vlan_row {
	uint16_t vlan;
	uint8_t row_status;
};

/* One account of the frame memory; numbers above UINT32_MAX are UINT32_MAX. */
struct buffer_account_row {
	struct buffer_use held, peak, limit;
	uint64_t no_octets, no_frames;
};

struct buffer_row {
	struct buffer_config config;
	struct buffer_use reserve;
	struct buffer_account_row lossless, lossy;
	uint32_t headroom_size, headroom_octets, headroom_peak;
};

struct buffer_memory_row {
	struct buffer_memory_config config;
	uint8_t status; /* enum mo_buffer_status */
	struct buffer_memory_stats memory;
	uint32_t frames, reserved_frames, headroom_frames, missing_frames;
	uint32_t watermarks_since; /* centiseconds, as agent_id_row.uptime */
};

struct buffer_pool_row {
	struct {
		uint64_t size, used, peak;
	} octets;
	struct {
		uint32_t size, used, peak;
	} frames;
};

/* Settings are kept as struct vlan_port_config: hook mo_settings_vlan_port. */
struct vlan_port_row {
	uint16_t pvid;
	bool pvid_untagged, ingress_filtering, learn_limit_is_set;
	uint8_t frame_types; /* enum vlan_admit */
	uint8_t egress[VLAN_SET_OCTETS / MO_VLANS_OCTETS][MO_VLANS_OCTETS];
	uint32_t flood_limit[FLOOD_KINDS];
	uint32_t learn_limit, learned;
	uint64_t learn_refused, moves, flaps;
	uint16_t flap_vlan;
	uint8_t flap_address[ETH_ADDR_OCTETS];
	uint32_t flap_ifindex;
};

struct static_unicast_row {
	uint32_t ifindex;
	uint8_t row_status;
};

struct fdb_flush_row {
	struct fdb_flush_config config;
};

struct fdb_row {
	uint32_t ifindex; /* 0: the port is not there any more */
	uint8_t origin;   /* enum mo_fdb_origin */
	uint32_t age_s, moves;
};

struct tp_fdb_row {
	uint32_t port;  /* as in struct base_port_row; 0: as above */
	uint8_t status; /* enum mo_tp_fdb_status */
};

struct base_port_row {
	uint32_t port, ifindex;
};

struct trill_row {
	struct trill_config config;
	uint32_t egress_entries; /* static ones */
};

/* Settings are kept as struct trill_port_config: hook mo_settings_trill_port. */
struct trill_port_row {
	uint8_t mode; /* enum trill_port_mode */
	uint16_t designated_vlan;
	uint8_t appointed[VLAN_SET_OCTETS / MO_VLANS_OCTETS][MO_VLANS_OCTETS];
	uint8_t tree[VLAN_SET_OCTETS / MO_VLANS_OCTETS][MO_VLANS_OCTETS];
};

struct trill_hop_row {
	bool tree, unicast;
	uint8_t row_status;
};

struct trill_egress_row {
	uint16_t nickname;
	uint8_t row_status;
};

struct trill_nickname_row {
	uint32_t next_hops, next_hops_up, egress_entries, learned;
	uint32_t tree_port; /* ifIndex; 0: none */
	struct trill_nickname_stats stats;
};

struct trill_fdb_row {
	uint16_t nickname;
	uint8_t origin; /* enum mo_trill_origin */
	uint32_t age_s;
};

struct trill_stats_row {
	struct trill_port_stats stats;
};

struct secy_row {
	uint8_t mode;  /* enum pfc_macsec */
	uint8_t suite; /* enum mo_cipher_suite */
	uint8_t sci[8];
	uint8_t validate_frames; /* enum mo_validate_frames */
	bool operational, confidentiality, replay_protect, include_sci;
	uint32_t confidentiality_offset, replay_window, tx_channels, encoding_sa, delay_ns;
	struct secy_stats stats;
	struct secy_tx_sc_stats tx; /* sum of all channels */
	struct port_macsec_stats port;
};

struct secy_rx_row {
	uint8_t sci[8];
	struct secy_rx_sc_stats stats;
};

struct secy_sa_row {
	uint8_t tx_state; /* enum mo_secy_tx_state */
	uint8_t rx_state; /* enum mo_secy_rx_state */
	uint64_t tx_next_pn, tx_reserved_pn, rx_next_pn, rx_lowest_pn;
	struct secy_tx_sc_stats tx;
	struct secy_rx_sc_stats rx;
};

struct notify_row {
	struct notify_config config;
	uint64_t sent;
	uint64_t suppressed;
};
_Static_assert(MO_NOTIFICATIONS <= NOTIFICATIONS_MAX, "raise NOTIFICATIONS_MAX");

/*
 * The tables of LLDP-EXT-DOT1-V2-MIB for settings, for values in force and for neighbors
 * have the same rows.
 */
struct lldp_tx_row {
	bool enable;
};

struct lldp_cn_row {
	uint8_t cnpv, ready; /* bit n for priority n */
};

struct lldp_ets_row {
	bool cbs, willing;
	uint8_t max_tcs;
};

struct lldp_ets_pri_row {
	uint8_t traffic_class;
};

struct lldp_bw_row {
	uint8_t bandwidth;
};

struct lldp_tsa_row {
	uint8_t tsa;
};

struct lldp_pfc_row {
	bool willing, mbc;
	uint8_t cap;
};

struct lldp_pfc_enable_row {
	bool enabled;
};

struct lldp_app_row {
	uint8_t priority;
};

struct lldp_app_vlan_row {
	uint16_t vlan;
};

/* clang-format off */
#define LLDP_ROW(id, shape)  struct lldp_##id##_row { struct lldp_##shape##_row of; };
#define LLDP_ROWS(id, shape) LLDP_ROW(loc_##id, shape) LLDP_ROW(rem_##id, shape)
#define LLDP_ADMIN_ROWS(id, shape) LLDP_ROWS(id, shape) LLDP_ROW(admin_##id, shape)
LLDP_ROW(config_cn, tx)
LLDP_ROW(config_ets, tx)
LLDP_ROW(config_reco, tx)
LLDP_ROW(config_pfc, tx)
LLDP_ROW(config_app, tx)
LLDP_ROW(config_app_vlan, tx)
LLDP_ROWS(cn, cn)
LLDP_ADMIN_ROWS(ets, ets)
LLDP_ADMIN_ROWS(ets_pri, ets_pri)
LLDP_ADMIN_ROWS(ets_bw, bw)
LLDP_ADMIN_ROWS(ets_tsa, tsa)
LLDP_ADMIN_ROWS(reco_bw, bw)
LLDP_ADMIN_ROWS(reco_tsa, tsa)
LLDP_ADMIN_ROWS(pfc, pfc)
LLDP_ADMIN_ROWS(pfc_enable, pfc_enable)
LLDP_ADMIN_ROWS(app, app)
LLDP_ADMIN_ROWS(app_vlan, app_vlan)
/* clang-format on */

/* Rows of an optional module, mibs/cisco.def. */
struct cpfc_if_row {
	struct pfc_stats sum; /* over all priorities */
};

struct cpfc_pri_row {
	struct pfc_stats stats;
};

struct cpfc_queue_row {
	uint8_t state; /* active(1), shutdown(2), notApplicable(3) */
	struct pfc_watchdog_stats stats;
};

#endif
