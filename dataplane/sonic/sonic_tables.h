/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of SONiC's databases in memory. */
#ifndef DCB_SONIC_SONIC_TABLES_H
#define DCB_SONIC_SONIC_TABLES_H

#include "dataplane/sonic/sonic_conf.h"

#define SONIC_ERROR_OCTETS 160 /* text about a malformed value, with the terminator */

/* A hash of redis. Strings are terminated and printable. */
struct sonic_field {
	const char *name, *value;
};
struct sonic_row {
	const char *key;                  /* without the table and its separator */
	const struct sonic_field *fields; /* in ascending order of their names by strcmp() */
	unsigned n;
};

/* Tables that are read in full. The comments have the database. */
enum sonic_table {
	SONIC_PORT,               /* CONFIG PORT */
	SONIC_PORT_QOS_MAP,       /* CONFIG PORT_QOS_MAP */
	SONIC_CABLE_LENGTH,       /* CONFIG CABLE_LENGTH */
	SONIC_LAG_MEMBER,         /* CONFIG PORTCHANNEL_MEMBER */
	SONIC_METADATA,           /* CONFIG DEVICE_METADATA */
	SONIC_TC_TO_PG,           /* CONFIG TC_TO_PRIORITY_GROUP_MAP */
	SONIC_PFC_TO_PG,          /* CONFIG PFC_PRIORITY_TO_PRIORITY_GROUP_MAP */
	SONIC_PFC_TO_QUEUE,       /* CONFIG MAP_PFC_PRIORITY_TO_QUEUE */
	SONIC_TC_TO_QUEUE,        /* CONFIG TC_TO_QUEUE_MAP */
	SONIC_DSCP_TO_TC,         /* CONFIG DSCP_TO_TC_MAP */
	SONIC_DOT1P_TO_TC,        /* CONFIG DOT1P_TO_TC_MAP */
	SONIC_QUEUE,              /* CONFIG QUEUE */
	SONIC_SCHEDULER,          /* CONFIG SCHEDULER */
	SONIC_PFC_WD,             /* CONFIG PFC_WD */
	SONIC_FLEX_COUNTER,       /* CONFIG FLEX_COUNTER_TABLE */
	SONIC_BUFFER_PG,          /* CONFIG BUFFER_PG */
	SONIC_BUFFER_PROFILE,     /* CONFIG BUFFER_PROFILE */
	SONIC_BUFFER_POOL,        /* CONFIG BUFFER_POOL */
	SONIC_APP_PORT,           /* APPL PORT_TABLE */
	SONIC_APP_BUFFER_PG,      /* APPL BUFFER_PG_TABLE: those in force, if there are any */
	SONIC_APP_BUFFER_PROFILE, /* APPL BUFFER_PROFILE_TABLE, the same */
	SONIC_APP_BUFFER_POOL,    /* APPL BUFFER_POOL_TABLE, the same */
	SONIC_STATE_PORT,         /* STATE PORT_TABLE: speed of the link */
	SONIC_PORT_NAMES,         /* COUNTERS COUNTERS_PORT_NAME_MAP, one row with key "" */
	SONIC_QUEUE_NAMES,        /* COUNTERS COUNTERS_QUEUE_NAME_MAP, the same */
	SONIC_PG_NAMES,           /* COUNTERS COUNTERS_PG_NAME_MAP, the same */
	SONIC_TABLES
};

/* The database and the name of each. */
struct sonic_table_place {
	enum sonic_db_name db;
	const char *name;
};
extern const struct sonic_table_place sonic_tables[SONIC_TABLES];

/* The rows of each table, in ascending order of their keys by strcmp(). */
struct sonic_rows {
	struct {
		const struct sonic_row *rows;
		unsigned n;
	} of[SONIC_TABLES];
};

#endif
