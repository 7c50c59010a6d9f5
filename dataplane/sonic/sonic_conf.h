/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the databases of a SONiC switch are: its database_config.json, and for a switch with
 * several ASICs database_global.json, which names one such file for each namespace.
 */
#ifndef DCB_SONIC_SONIC_CONF_H
#define DCB_SONIC_SONIC_CONF_H

#include <stdbool.h>
#include <stddef.h>

#define SONIC_INSTANCES        16
#define SONIC_SPACE_OCTETS     16  /* name of a namespace, with the terminator */
#define SONIC_SOCKET_OCTETS    108 /* sun_path */
#define SONIC_SEPARATOR_OCTETS 4
#define SONIC_CONF_ERROR       200

#define SONIC_CONF_DIRECTORY "/var/run/redis/sonic-db/"

enum sonic_db_name {
	SONIC_DB_APPL,
	SONIC_DB_ASIC,
	SONIC_DB_COUNTERS,
	SONIC_DB_CONFIG,
	SONIC_DB_STATE,
	SONIC_DBS
};

/* A database, by its number in a redis. */
struct sonic_db_conf {
	unsigned number;
	char separator[SONIC_SEPARATOR_OCTETS]; /* between the table and the parts of a key */
	char socket[SONIC_SOCKET_OCTETS];       /* of the redis */
};

/* The databases of one ASIC. */
struct sonic_instance_conf {
	char space[SONIC_SPACE_OCTETS]; /* its namespace; empty: the host's */
	struct sonic_db_conf db[SONIC_DBS];
	char error[SONIC_CONF_ERROR]; /* why its file cannot be used, and db is not set; or empty */
};

struct sonic_conf {
	unsigned n;
	struct sonic_instance_conf instance[SONIC_INSTANCES];
};

/*
 * Reads a file of either kind. path NULL: database_global.json of SONiC's directory, if it is
 * there, else database_config.json. Returns false if there is no instance: err has the file, the
 * error and the expected value. A file of a namespace that cannot be used is an error of that
 * instance. Files of other systems in the switch (container_name, database_type) are left out.
 * Numbers have no default values: SONiC's differ from one version to another. Any thread.
 */
bool sonic_conf_read(const char *path, struct sonic_conf *out, char *err, size_t errlen);

#endif
