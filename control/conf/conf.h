/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads dcbd.conf, see dcbd.conf(5), with libconfig. The whole file is checked before any
 * setting is used. An error is reported as "file:line: setting: expected ...". If memory
 * runs out, the program ends. Control thread, at the start and at SIGHUP.
 */
#ifndef DCB_CONTROL_CONF_CONF_H
#define DCB_CONTROL_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "dataplane/core/flow.h"
#include "dataplane/config/provider.h"

#define CONF_CONTROL "/run/dcbd/control"
#define CONF_VIEW    "/run/dcbd/view"

#define CONF_PATTERNS_MAX 32
#define CONF_PORTS_MAX    64
#define CONF_INITIAL_MAX  256

/* provider = "...": the provider of a port. */
#define CONF_PROVIDER_SOFT    "soft"    /* dcbd's own bridge or station */
#define CONF_PROVIDER_STATION "station" /* a station of its own beside the bridge or RBridge */
#define CONF_PROVIDER_KERNEL  "kernel"  /* a NIC or switch ASIC, managed through the kernel */
#define CONF_PROVIDER_OBSERVE "observe" /* managed by dcbd; another system moves its frames */
#define CONF_PROVIDER_SONIC   "sonic"   /* of a switch with SONiC, by its databases */

/* vlans = "1,10-20": initial value of the VLANs of which a port is a member. */
struct conf_vlans {
	bool is_set;
	unsigned line;
	uint8_t member[VLAN_SET_OCTETS]; /* lib/ranges.h, base 0 */
};

/* ports = ( { name = "swp*"; rate = ...; }, ... ): the first entry that matches applies. */
struct conf_port {
	char name[IF_NAMESIZE]; /* fnmatch(3) pattern */
	unsigned line;
	struct port_settings settings;
	struct conf_vlans vlans;
};

/*
 * initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } ):
 * SETs that are applied once, when there is no state file. In the index of a table with an
 * ifIndex, "*" is in its place, because the ifIndex is not known yet; port is then a
 * pattern of interface names. conf_read() checks object, index and value.
 */
struct conf_initial {
	char *object;
	char *index;
	char *port; /* fnmatch(3) pattern of interface names; NULL: no "*" in index */
	char *value;
	unsigned line;
};

struct conf {
	enum dcb_role role;
	uint32_t component_id;
	uint32_t fdb_ageing_s;
	uint32_t transit_delay_ms; /* 0: no limit */
	uint32_t fdb_entries;
	uint32_t frame_buffers;      /* shared by all ports */
	uint32_t frame_octets;       /* size of one frame buffer; 0: conf_frame_octets() */
	uint32_t frame_octets_found; /* longest frame of the interfaces at the start; 0: none */
	uint32_t receive_mib;        /* of all receive rings together, MiB */
	uint32_t memory_ports;       /* number of ports without an interface, for tests */
	bool qdisc_bypass;           /* PACKET_QDISC_BYPASS */
	bool keep_absent;            /* keep the settings of interfaces that are absent at start */
	int dataplane_cpu;           /* of the dataplane thread; -1: any */
	int dataplane_priority;      /* real-time priority; 0: off */
	bool priority_is_set;        /* false: dataplane_priority is the default */
	char *state_file;
	char *control_socket;
	char *control_group;       /* of the control socket; NULL: that of the process */
	char *control_view;        /* path of the view socket, "" for none; see conf_view() */
	char *control_view_group;  /* NULL: everybody can connect to it */
	char *control_agent;       /* user of dcb-agentx; NULL: the default */
	char *user;                /* to run as; NULL: see priv_user() */
	bool lldp_enable;          /* use lldpd */
	bool lldp_hold_new_ports;  /* lldpd sends nothing on a new port before dcbd has set TLVs */
	char *lldp_socket;         /* of lldpd */
	char *lldp_program;        /* path of dcb-lldp; NULL: in the directory of dcbd */
	char *lldp_group;          /* whose members can connect to lldpd */
	char *macsec_key_file;     /* NULL: no MACsec */
	char *sonic_config;        /* database_config.json or database_global.json; NULL: SONiC's */
	bool sonic_writes;         /* by SONiC's generic config updater */
	char *sonic_password_file; /* of redis; NULL: it has none */
	uint16_t lldp_destination; /* index of the LLDP destination address lldpd uses */
	struct port_settings port_default;
	struct conf_vlans vlans_default;
	struct flow_rules flows; /* how a station assigns frames to flows */
	size_t n_include, n_exclude, n_ports, n_initial;
	char include[CONF_PATTERNS_MAX][IF_NAMESIZE];
	char exclude[CONF_PATTERNS_MAX][IF_NAMESIZE];
	struct conf_port ports[CONF_PORTS_MAX];
	struct conf_initial initial[CONF_INITIAL_MAX];
	/* A line "file:line: setting: ..." for each setting without effect in the role. NULL: none.
	 */
	char *ignored;
};

/*
 * Returns the longest frame in octets, with tags and without FCS: as set, else that of the longest
 * MTU at the start, at least CONF_FRAME_OCTETS.
 */
#define CONF_FRAME_OCTETS      2048u
#define CONF_FRAME_OCTETS_MOST 65536u
static inline uint32_t conf_frame_octets(const struct conf *conf)
{
	if (conf->frame_octets)
		return conf->frame_octets;
	return conf->frame_octets_found > CONF_FRAME_OCTETS ? conf->frame_octets_found
							    : CONF_FRAME_OCTETS;
}

/* Sets the defaults of dcbd.conf(5). */
void conf_init(struct conf *conf);
/* Reads the file at path. false: err is "file:line: reason", and conf has the defaults. */
bool conf_read(struct conf *conf, const char *path, char *err, size_t errlen);
void conf_free(struct conf *conf);

/* Returns the name of the role in dcbd.conf. */
const char *conf_role_name(const struct conf *conf);
/*
 * Returns the path of the view socket: control.view, or the default if control.socket has
 * its default. NULL: there is none.
 */
const char *conf_view(const struct conf *conf);
/* Returns whether interfaces.include and interfaces.exclude select this interface name. */
bool conf_manages(const struct conf *conf, const char *ifname);
/* Returns whether a port with these settings has this provider. */
bool conf_is_provider(const struct port_settings *settings, const char *name);
/* Returns whether dcbd moves the frames of a port with these settings. */
bool conf_forwards(const struct port_settings *settings);
/* Returns whether a port with these settings is a port of a station. */
bool conf_is_station(const struct conf *conf, const struct port_settings *settings);
/* Returns whether a port can have this provider. */
bool conf_uses_provider(const struct conf *conf, const char *provider);
/*
 * Returns whether dcbd needs a software provider, with its thread and frame memory: false only if
 * each interface that can be selected has provider "kernel", "observe" or "sonic".
 */
bool conf_moves_frames(const struct conf *conf);
/* Returns the first entry of ports that matches the name of an interface; NULL: none. */
const struct conf_port *conf_port_entry(const struct conf *conf, const char *ifname);
/* Returns the settings of a port: those of the first matching entry, or the defaults. */
const struct port_settings *conf_port_settings(const struct conf *conf, const char *ifname);
/* Returns its initial VLANs likewise; NULL: no entry has any. */
const struct conf_vlans *conf_port_vlans(const struct conf *conf, const char *ifname);

/* --- conf_change.c: dcbd.conf read again while dcbd runs ---------------------------------- */

/*
 * Calls fn for each setting that differs and that a running dcbd does not change, with
 * "setting: why". The other ones are interfaces.include and exclude, defaults and ports.
 */
void conf_each_restart(const struct conf *now, const struct conf *next,
		       void (*fn)(void *ctx, const char *text), void *ctx);
/* Returns whether an interface of this name has other settings as a port. */
bool conf_port_differs(const struct conf *now, const struct conf *next, const char *ifname);
/* Copies to conf the settings of next that a running dcbd changes. */
void conf_take_ports_of(struct conf *conf, const struct conf *next);

#endif
