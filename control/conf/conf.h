/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbd.conf: what dcbd is and which interfaces it has. Parsed by libconfig;
 * everything is checked before anything is used, and a mistake is reported as
 * "file:line: setting: what was expected". Out of memory ends the program.
 */
#ifndef DCB_CONTROL_CONF_CONF_H
#define DCB_CONTROL_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "dataplane/core/flow.h"
#include "dataplane/config/provider.h"

#define CONF_PATTERNS_MAX 32
#define CONF_PORTS_MAX    64
#define CONF_INITIAL_MAX  256

/* provider = "...": whose port an interface becomes. */
#define CONF_PROVIDER_SOFT    "soft"    /* bridge or station of our own */
#define CONF_PROVIDER_OBSERVE "observe" /* another system's: managed, its frames left alone */

/* ports = ( { name = "swp*"; rate = ...; }, ... ): the first whose name matches counts. */
struct conf_port {
	char name[IF_NAMESIZE]; /* fnmatch(3) pattern */
	struct port_settings settings;
};

/*
 * initial = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; } ):
 * SETs done once, when there is no state file yet. Interfaces have no number
 * before they are there: a table that has one in its index has "*" in its
 * place, and port is the pattern of the names meant. When read, object names a
 * writable object, index fits its table and value its range.
 */
struct conf_initial {
	char *object;
	char *index;
	char *port; /* fnmatch(3) pattern of ports for the "*"; NULL: there is none */
	char *value;
	unsigned line;
};

struct conf {
	enum dcb_role role;
	uint32_t component_id;
	uint32_t fdb_ageing_s;
	uint32_t transit_delay_ms; /* 0: no limit */
	uint32_t fdb_entries;
	uint32_t frame_buffers; /* shared by all ports */
	uint32_t frame_octets;  /* size of one */
	uint32_t memory_ports;  /* ports with nothing behind them, for tests and benchmarks */
	bool qdisc_bypass;      /* send past the kernel's queues */
	bool keep_absent;       /* settings of interfaces absent at start are kept, not deleted */
	int dataplane_cpu;      /* -1: any */
	char *state_file;
	char *control_socket;
	char *control_group;       /* NULL: the daemon's own */
	char *user;                /* run as; NULL: as started */
	bool lldp_enable;          /* talk to lldpd ... */
	char *lldp_socket;         /* ... here */
	char *lldp_program;        /* ... by this; NULL: dcb-lldp beside dcbd */
	char *lldp_group;          /* ... whose members may */
	uint16_t lldp_destination; /* index of the LLDP destination address lldpd uses */
	struct port_settings port_default;
	struct flow_rules flows; /* a station's flow select */
	size_t n_include, n_exclude, n_ports, n_initial;
	char include[CONF_PATTERNS_MAX][IF_NAMESIZE];
	char exclude[CONF_PATTERNS_MAX][IF_NAMESIZE];
	struct conf_port ports[CONF_PORTS_MAX];
	struct conf_initial initial[CONF_INITIAL_MAX];
};

/* Defaults as dcbd.conf(5) states them. */
void conf_init(struct conf *conf);
/* false: err holds "file:line: ..."; conf is then as conf_init() left it. */
bool conf_read(struct conf *conf, const char *path, char *err, size_t errlen);
void conf_free(struct conf *conf);

/* Is this interface ours? */
bool conf_manages(const struct conf *conf, const char *ifname);
/* Could a port be this provider's? */
bool conf_uses_provider(const struct conf *conf, const char *provider);
/* Its settings. */
const struct port_settings *conf_port_settings(const struct conf *conf, const char *ifname);

#endif
