/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of the managed objects: tables and columns with OID, syntax, access, range,
 * default, unit and clause, expanded from the rows of mibs/all.def. dcbd, dcb-agentx and
 * dcbctl share them, so this file uses no types of the engines and none of Net-SNMP.
 *
 * The descriptors are constant. Any thread may call the functions below.
 */
#ifndef DCB_LIB_MO_MO_H
#define DCB_LIB_MO_MO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MO_INDEX_MAX  8    /* sub-identifiers in the longest index, a CPID */
#define MO_OID_MAX    20   /* sub-identifiers in the longest entry OID */
#define MO_OCTETS_MAX 255  /* longest OCTET STRING value */
#define MO_VALUE_TEXT 2600 /* longest value as text with its zero: every other VLAN of 1024 */

/* Tables and scalar groups, in the order of mibs/all.def. */
enum mo_table_id {
#define TABLE(id, ...) MO_##id,
#include "mibs/all.def"
	MO_TABLES
};

/* Notifications, in the order of mibs/all.def. */
enum mo_notification_id {
#define NOTIFY(id, ...) MO_NOTIFY_##id,
#include "mibs/all.def"
	MO_NOTIFICATIONS
};

/*
 * For each NAMES(list), an enum mo_<list> with the constants MO_<list>_<name>: named values,
 * or numbers of bits. NAMES closes the enumeration before it and opens its own.
 */
/* clang-format off */
enum mo_no_list {
	MO_NO_NAME,
#define NAMES(list)             }; enum mo_##list {
#define NAME(list, name, value) MO_##list##_##name = value,
#include "mibs/all.def"
};
/* clang-format on */

enum mo_syntax {
	MO_INTEGER32,
	MO_UNSIGNED32, /* Unsigned32 and Gauge32: one ASN.1 type */
	MO_COUNTER32,
	MO_COUNTER64,
	MO_TIMETICKS,
	MO_TRUTH, /* TruthValue: true(1), false(2) */
	MO_ENUM,  /* INTEGER with named numbers */
	MO_ROW_STATUS,
	MO_OCTETS,  /* OCTET STRING: min..max octets */
	MO_STRING,  /* SnmpAdminString: min..max octets */
	MO_GAUGE64, /* CounterBasedGauge64: a Counter64 that may go down */
	MO_BITS,    /* BITS: an octet string, bit 0 the most significant of the first octet */
	MO_VLANS,   /* OCTET STRING: a set of VLANs min..max, see mo_vlans_base() */
};
#define MO_SYNTAX_LAST MO_VLANS

/* What a part of an INDEX clause counts or names: see mibs/index.def. */
enum mo_part {
	MO_PART_COMPONENT,   /* the ComponentIdentifier of dcbd */
	MO_PART_PORT,        /* ifIndex */
	MO_PART_PRIORITY,    /* or traffic class */
	MO_PART_CP,          /* CpIndex or RpgIdentifier: see mo_cp_index() */
	MO_PART_RP,          /* reaction point, from 1 */
	MO_PART_DESTINATION, /* LLDP destination address; dcbd serves one */
	MO_PART_FEATURE,     /* of DCBX */
	MO_PART_TERM,        /* delay of the PFC headroom */
	MO_PART_CHANNEL,     /* Secure Channel, from 1 */
	MO_PART_AN,          /* of the Secure Association */
	MO_PART_POOL,        /* of the frame memory */
	MO_PART_INTERVAL,    /* number of an interval, of time */
	MO_PART_BASE_PORT,   /* number of a bridge's port */
	MO_PART_SELECTOR,    /* of an application */
	MO_PART_PROTOCOL,
	MO_PART_TIME_MARK,     /* of a neighbor */
	MO_PART_NEIGHBOR_PORT, /* ifIndex of the port at which a neighbor is */
	MO_PART_NEIGHBOR,
	MO_PART_VLAN,
	MO_PART_NICKNAME, /* of an RBridge */
	/* Octet strings of fixed length: each octet is a sub-identifier. */
	MO_PART_ADDRESS,
	MO_PART_CPID,
};
#define MO_PART_IS_OCTETS(part) ((part) >= MO_PART_ADDRESS)

/* Which rows a table has. */
enum mo_rows {
	MO_ROWS_SCALAR,      /* one, of a scalar group */
	MO_ROWS_SYSTEM,      /* one, of the component */
	MO_ROWS_SYSTEM_EACH, /* one for each CNPV */
	MO_ROWS_PORT,        /* one for each port */
	/* one for each port and CNPV; in a table without component for each port and priority */
	MO_ROWS_PORT_EACH,
	MO_ROWS_MEMBERS, /* one for each combination of members of the parts, as all above */
	/* Those of a list: */
	MO_ROWS_CPID,
	MO_ROWS_PORT_APP,
	MO_ROWS_PORT_NEIGHBOR,
	MO_ROWS_REM, /* TLVs of neighbors, and their elements */
	MO_ROWS_FDB,
	MO_ROWS_STATIC_UNICAST,
	MO_ROWS_TRILL_HOP,
	MO_ROWS_TRILL_EGRESS,
	MO_ROWS_TRILL_FDB,
	MO_ROWS_TRILL_NICKNAME,
};

/* MO_HAS_ROWS(table, rows): whether a table has these rows, as a constant expression. */
enum {
#define ROWS(id, rows) MO_ROWS_OF_##id = MO_ROWS_##rows,
#include "mibs/all.def"
};
#define MO_HAS_ROWS(id, rows) ((int)MO_ROWS_OF_##id == (int)MO_ROWS_##rows)

/* MO_NAME(dcbPortName): "dcbPortName", if there is an object of this name, as a constant. */
enum {
#define COL(id, subid, name, ...) MO_IS_OBJECT_##name,
#include "mibs/all.def"
};
#define MO_NAME(name) (&#name[0 * MO_IS_OBJECT_##name])

enum mo_access { MO_NA, MO_RO, MO_RW, MO_RC }; /* not-accessible, read-only, -write, -create */

/* error-status values of RFC 3416 that dcbd answers with. */
enum mo_error {
	MO_NO_ERROR = 0,
	MO_GEN_ERR = 5,
	MO_NO_ACCESS = 6,
	MO_WRONG_TYPE = 7,
	MO_WRONG_LENGTH = 8,
	MO_WRONG_ENCODING = 9,
	MO_WRONG_VALUE = 10,
	MO_NO_CREATION = 11,
	MO_INCONSISTENT_VALUE = 12,
	MO_RESOURCE_UNAVAILABLE = 13,
	MO_COMMIT_FAILED = 14,
	MO_UNDO_FAILED = 15,
	MO_NOT_WRITABLE = 17,
	MO_INCONSISTENT_NAME = 18,
};
/* Returns the error's name in RFC 3416, "noAccess" for example. */
const char *mo_strerror(enum mo_error error);

/* A value: numbers of every syntax in num; octets, strings and bits in octets[0..len). */
struct mo_value {
	enum mo_syntax syntax;
	int64_t num; /* COUNTER64, GAUGE64: the same 64 bits, unsigned */
	uint8_t len;
	uint8_t octets[MO_OCTETS_MAX];
};

/* The sub-identifiers of an OID behind the column's: the instance; {0} for a scalar. */
struct mo_index {
	uint8_t n;
	uint32_t sub[MO_INDEX_MAX];
};

/* Compares in lexicographic order. Returns <0, 0 or >0 as memcmp(). */
int mo_index_compare(const struct mo_index *a, const struct mo_index *b);

struct mo_enum {
	const char *name;
	int32_t value;
};

struct mo_index_part {
	const char *name; /* ieee8021CnCpIfIndex */
	enum mo_part part;
	bool octets;       /* MO_PART_IS_OCTETS(part) */
	uint32_t min, max; /* of the value; octets: of the length */
};

struct mo_column {
	const char *name; /* ieee8021CnCpQueueSizeSetPoint */
	uint32_t subid;
	enum mo_syntax syntax;
	enum mo_access access;
	/* Of the value, of the length of octets and strings, of the numbers of bits and VLANs. */
	int64_t min, max;
	bool has_initial;
	int64_t initial;        /* value in a new row; MO_VLANS: any stands for all VLANs */
	bool initial_is_defval; /* initial is the object's DEFVAL clause */
	const char *unit;       /* UNITS clause, "" if there is none */
	const char *clause;
	const struct mo_enum *names; /* of values or bits, ends with name NULL; NULL: none */
};

struct mo_table {
	enum mo_table_id id;
	const char *module; /* IEEE8021-CN-MIB */
	const char *name;   /* ieee8021CnCpTable; a scalar group's name */
	bool optional;      /* served by dcb-agentx -m MODULE only, see mibs/cisco.def */
	uint8_t oid_len;
	uint32_t oid[MO_OID_MAX]; /* of the entry, or of the scalar group */
	enum mo_rows rows;
	uint8_t n_index;   /* elements of index; 0 for a scalar group */
	uint8_t index_len; /* sub-identifiers of an instance */
	const struct mo_index_part *index;
	uint8_t n_columns;
	const struct mo_column *columns; /* accessible columns, ascending subid */
};

/* Returns the table; NULL if id is out of range. */
const struct mo_table *mo_table(enum mo_table_id id);
/* Returns the table or scalar group of this name in its module, NULL if there is none. */
const struct mo_table *mo_table_by_name(const char *name);
/* Returns the table's accessible column of this sub-identifier, NULL if there is none. */
const struct mo_column *mo_column(const struct mo_table *table, uint32_t subid);
/*
 * Returns the table whose settings the rows of this table repeat; the table itself if they repeat
 * none. The state file and the origins of values have these settings only once.
 */
enum mo_table_id mo_settings_table(enum mo_table_id id);
/* Finds an accessible object of any table; *table is set to its table. NULL: none. */
const struct mo_column *mo_column_by_name(const char *name, const struct mo_table **table);

/* Returns the position of a part in an index of the table, from 0; -1: it has none. */
int mo_index_part(const struct mo_table *table, enum mo_part part);

/*
 * CpIndex and RpgIdentifier of a priority: the lowest CNPV served (12.21.4, 12.21.6), and one
 * CP serves one CNPV. The syntax starts at 1: priority 0 has 8.
 */
static inline uint32_t mo_cp_index(unsigned priority)
{
	return priority ? priority : 8;
}

static inline unsigned mo_cp_index_priority(uint32_t cp_index)
{
	return cp_index % 8;
}

/* The values that the index of a row of the system or of a port can have. */
struct mo_index_of {
	uint32_t component, ifindex, destination;
	unsigned priority; /* or traffic class */
};
/* Returns the index of a row of such a table; parts that are not in mo_index_of are 0. */
void mo_index_make(const struct mo_table *table, const struct mo_index_of *of,
		   struct mo_index *index);
/* Returns the priority in an index, of its PRIORITY or CP; 0 if it has neither. */
unsigned mo_index_priority(const struct mo_table *table, const struct mo_index *index);

/*
 * Whether the value of an object is the ifIndex of a port. In the state file and dcbd.conf
 * it is "*", and the port is named beside it.
 */
static inline bool mo_value_is_port(const struct mo_table *table, const struct mo_column *col)
{
	return table->id == MO_static_unicast && col->subid == 3; /* dcbStaticUnicastPort */
}

struct mo_notification {
	const char *name; /* dcbErroredPortCreated */
	uint8_t oid_len;
	uint32_t oid[MO_OID_MAX]; /* value of snmpTrapOID.0 */
	const char *objects;      /* names of its OBJECTS clause, separated by blanks */
};

/* Returns the notification, NULL if id is out of range. */
const struct mo_notification *mo_notification(unsigned id);

/* Whether a value of this syntax is in mo_value.octets, not in num. */
static inline bool mo_is_octets(enum mo_syntax syntax)
{
	return syntax == MO_OCTETS || syntax == MO_STRING || syntax == MO_BITS ||
	       syntax == MO_VLANS;
}

/*
 * A set of VLANs has 1024 bits, the most significant of the first octet for the VID that is
 * a multiple of 1024. Returns that VID. A value may have fewer octets: the missing bits are 0.
 */
#define MO_VLANS_OCTETS 128
static inline uint32_t mo_vlans_base(const struct mo_column *col)
{
	return (uint32_t)col->min & ~UINT32_C(1023);
}

static inline bool mo_is_writable(const struct mo_column *col)
{
	return col->access == MO_RW || col->access == MO_RC;
}

/*
 * Checks access, type, length and range of a value to be set. Returns
 * MO_NO_ERROR, MO_NOT_WRITABLE, MO_WRONG_TYPE, MO_WRONG_LENGTH or
 * MO_WRONG_VALUE. The type is right if it has the same ASN.1 type as the
 * column: MO_INTEGER32 for an enumeration, for example. Does not compare the
 * value with other objects.
 */
enum mo_error mo_validate(const struct mo_column *col, const struct mo_value *value);

/* Returns the value in a new row of a column that has an initial value. */
struct mo_value mo_initial(const struct mo_column *col);

/* Whether the index has the table's number of sub-identifiers, each in its range. */
bool mo_index_valid(const struct mo_table *table, const struct mo_index *index);

/*
 * Writes a value as text: a named number as its name, other numbers in decimal,
 * octets as 00-1b-21-00-00-01, bits as "pri3status,pri5status" or "none",
 * VLANs as "1,10-20" or "none", strings unchanged. Returns the length as snprintf().
 */
int mo_format(const struct mo_column *col, const struct mo_value *value, char *buf, size_t size);
/*
 * Reads such a text; any number also as strtoll() with base 0 does. Returns false if the text
 * is no value of the column's syntax. Ranges are checked by mo_validate().
 */
bool mo_parse(const struct mo_column *col, const char *text, struct mo_value *value);

/* Writes {1,3,2} as "1.3.2". Returns the length as snprintf(). */
int mo_index_format(const struct mo_index *index, char *buf, size_t size);
/* Reads "1.3.2". Returns false for any other form and for more than MO_INDEX_MAX numbers. */
bool mo_index_parse(const char *text, struct mo_index *index);

#endif
