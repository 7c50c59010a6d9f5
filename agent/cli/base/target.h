/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the names of tables, objects, rows and ports on the command line. */
#ifndef DCB_AGENT_CLI_BASE_TARGET_H
#define DCB_AGENT_CLI_BASE_TARGET_H

#include "lib/mo/mo_client.h"

struct target {
	const struct mo_table *table;
	const struct mo_column *col; /* NULL: all columns */
	struct mo_index index;       /* n 0: all rows; may be a prefix of an index */
};

/*
 * The ports of dcbd and their names in its network namespace, where this process need not
 * be: the kernel's own answer can be another interface.
 */
#define TARGET_PORT_OCTETS 16 /* IFNAMSIZ */
struct target_port {
	uint32_t ifindex;
	char name[TARGET_PORT_OCTETS];
};
struct target_ports {
	size_t n, room;
	struct target_port *of;
};

/*
 * Reads the ports from dcbd into *ports, which target_ports_free() frees. If the result is
 * not MO_CLIENT_OK, *ports is empty and mo_client_strerror() has the reason.
 */
enum mo_client_status target_ports_read(struct mo_client *client, struct target_ports *ports);
void target_ports_free(struct target_ports *ports);
/* Returns the ifIndex of the port with this name; 0: none, or more than one. */
uint32_t target_ports_find(const struct target_ports *ports, const char *name);
/* Returns the name of the port; NULL: there is none. */
const char *target_ports_name(const struct target_ports *ports, uint32_t ifindex);

/* Writes "; did you mean \"PORT\"?", or "" if no port has a name near text. Returns buf. */
const char *target_ports_hint(const struct target_ports *ports, const char *text, char *buf,
			      size_t size);

/* The names of ports for several indexes: read when the first name needs them, and only once. */
struct target_names {
	struct mo_client *client;  /* set by the caller, the rest is zero */
	bool is_read, failed;      /* failed: client has the reason */
	struct target_ports ports; /* the caller frees it */
};

/* Returns the short name of a table: its id in mibs/all.def. */
const char *target_alias(const struct mo_table *table);

/*
 * Parses the name of a table or an object, optionally with a dot and an index:
 * "cn_cp", "ieee8021CnCpTable", "ieee8021CnCpPriority.1.3.2". Names of MIB
 * modules are accepted in any case, and without their prefix "ieee8021" or
 * "lldpXdot1dcbx". client: as target_parse_index(). false: err says why.
 */
bool target_parse(const char *text, struct mo_client *client, struct target *target, char *err,
		  size_t errlen);

/*
 * Parses an index or a prefix of one into target->index: "1.swp3.2". The name
 * of a port of dcbd stands for its ifIndex, unless it has a dot; client asks dcbd
 * for it, and only if there is a name. NULL: names are not accepted. false: err
 * says why.
 */
bool target_parse_index(const char *text, struct mo_client *client, struct target *target,
			char *err, size_t errlen);

/* The same as target_parse(), for several names with one reading of the ports. */
bool target_parse_names(const char *text, struct target_names *names, struct target *target,
			char *err, size_t errlen);

/* Returns whether index begins with target->index. */
bool target_has(const struct target *target, const struct mo_index *index);

#endif
