/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Managed-object descriptors: what tables and columns there are, with OID,
 * syntax, access, range, default, unit and clause, all expanded from
 * the rows of mibs/all.def. Knows no engine type and no Net-SNMP type; dcbd, dcb-agentx and
 * dcbctl are driven by the same rows.
 */
#ifndef DCB_LIB_MO_MO_H
#define DCB_LIB_MO_MO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MO_INDEX_MAX  8   /* sub-identifiers in the longest instance suffix (a CPID) */
#define MO_OID_MAX    20  /* sub-identifiers in the longest entry OID */
#define MO_OCTETS_MAX 255 /* longest OCTET STRING value */

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
 * enum mo_<list> of MO_<list>_<name>: values that have names, and numbers of bits. Each
 * NAMES begins an enumeration and ends the one before it.
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
};
#define MO_SYNTAX_LAST MO_BITS

/* Which rows a table has, and what their index is made of: mibs/index.def. */
enum mo_shape {
	MO_SHAPE_SCALAR,        /* .0 */
	MO_SHAPE_COMPONENT,     /* component */
	MO_SHAPE_PRIORITY,      /* component, priority */
	MO_SHAPE_PRIORITY_PORT, /* component, priority, ifIndex [, identifier] */
	MO_SHAPE_PORT_CP,       /* component, ifIndex, CpIndex */
	MO_SHAPE_CPID,          /* eight octets */
	MO_SHAPE_PORT,          /* ifIndex */
	MO_SHAPE_PORT_PRIORITY, /* ifIndex, priority or traffic class */
	MO_SHAPE_RP,            /* component, ifIndex, priority, reaction point */
	MO_SHAPE_PORT_ADDRESS,  /* ifIndex, LLDP destination address */
	MO_SHAPE_PORT_APP,      /* ifIndex, selector, protocol */
	MO_SHAPE_REM,           /* time mark, ifIndex, LLDP destination address, neighbor */
	MO_SHAPE_REM_PRIORITY,  /* ..., priority or traffic class */
	MO_SHAPE_REM_APP,       /* ..., selector, protocol */
	MO_SHAPE_PORT_NEIGHBOR, /* ifIndex, neighbor */
};

/* A table's shape as a constant. */
enum {
#define SHAPE(id, shape) MO_SHAPE_OF_##id = MO_SHAPE_##shape,
#include "mibs/all.def"
};
#define MO_HAS_SHAPE(id, shape) ((int)MO_SHAPE_OF_##id == (int)MO_SHAPE_##shape)

enum mo_access { MO_NA, MO_RO, MO_RW, MO_RC }; /* not-accessible, read-only, -write, -create */

/* SNMPv2 error-status values of RFC 3416 that a managed object can answer. */
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
const char *mo_strerror(enum mo_error error);

/* A value. Integers of every kind are in num; octets, strings and bits in octets[0..len). */
struct mo_value {
	enum mo_syntax syntax;
	int64_t num; /* COUNTER64, GAUGE64: the same 64 bits, unsigned */
	uint8_t len;
	uint8_t octets[MO_OCTETS_MAX];
};

/* The instance part of an OID, one sub-identifier each; {0} for a scalar. */
struct mo_index {
	uint8_t n;
	uint32_t sub[MO_INDEX_MAX];
};

/* <0, 0, >0 in lexicographic order. */
int mo_index_compare(const struct mo_index *a, const struct mo_index *b);

struct mo_enum {
	const char *name;
	int32_t value;
};

struct mo_index_part {
	const char *name;  /* ieee8021CnCpIfIndex */
	bool octets;       /* a fixed-length string: one sub-identifier an octet */
	uint32_t min, max; /* value, or length where octets */
};

struct mo_column {
	const char *name; /* ieee8021CnCpQueueSizeSetPoint */
	uint32_t subid;
	enum mo_syntax syntax;
	enum mo_access access;
	int64_t min, max; /* value, length of octets and strings, or number of a bit */
	bool has_initial;
	int64_t initial;        /* of a new row */
	bool initial_is_defval; /* ... and the module says so in a DEFVAL clause */
	const char *unit;       /* "" where the module names none */
	const char *clause;
	const struct mo_enum *names; /* of values, MO_BITS: of bits; NULL name ends it */
};

struct mo_table {
	enum mo_table_id id;
	const char *module; /* IEEE8021-CN-MIB */
	const char *name;   /* ieee8021CnCpTable; a scalar group's name */
	bool optional;      /* of a module that is served where asked for, see mibs/cisco.def */
	uint8_t oid_len;
	uint32_t oid[MO_OID_MAX]; /* of the entry, or of the scalar group */
	enum mo_shape shape;
	uint8_t n_index;   /* parts; 0 for a scalar group */
	uint8_t index_len; /* sub-identifiers they take together */
	const struct mo_index_part *index;
	uint8_t n_columns;
	const struct mo_column *columns; /* accessible columns, ascending subid */
};

const struct mo_table *mo_table(enum mo_table_id id);
const struct mo_table *mo_table_by_name(const char *name);
const struct mo_column *mo_column(const struct mo_table *table, uint32_t subid);
/* Any accessible object by its name; *table gets its table. */
const struct mo_column *mo_column_by_name(const char *name, const struct mo_table **table);

struct mo_notification {
	const char *name; /* dcbErroredPortCreated */
	uint8_t oid_len;  /* of the notification itself, its snmpTrapOID */
	uint32_t oid[MO_OID_MAX];
	const char *objects; /* names of its objects, blanks between */
};

/* NULL: there is no such one. */
const struct mo_notification *mo_notification(unsigned id);

/* Is a value's content in its octets? */
static inline bool mo_is_octets(enum mo_syntax syntax)
{
	return syntax == MO_OCTETS || syntax == MO_STRING || syntax == MO_BITS;
}

static inline bool mo_is_writable(const struct mo_column *col)
{
	return col->access == MO_RW || col->access == MO_RC;
}

/*
 * Type, length and range of a value somebody wants to set: MO_NO_ERROR,
 * MO_NOT_WRITABLE, MO_WRONG_TYPE, MO_WRONG_LENGTH or MO_WRONG_VALUE.
 * A value's syntax need only be of the column's ASN.1 type: INTEGER for an
 * enumeration, say. Whether it fits other objects is not looked at.
 */
enum mo_error mo_validate(const struct mo_column *col, const struct mo_value *value);

/* Are the instance's sub-identifiers in the ranges of the index parts? */
bool mo_index_valid(const struct mo_table *table, const struct mo_index *index);

/*
 * Text form: "interior(2)" style names without the number, MACs as
 * 00-1b-21-..., octets in hex, bits as "pri3status,pri5status" or "none", numbers
 * plain. Returns the length as snprintf.
 */
int mo_format(const struct mo_column *col, const struct mo_value *value, char *buf, size_t size);
/* The reverse; an enumeration takes its name or number. false: not a value of this column. */
bool mo_parse(const struct mo_column *col, const char *text, struct mo_value *value);

/* "1.3.2" from {1,3,2}; as snprintf. */
int mo_index_format(const struct mo_index *index, char *buf, size_t size);
bool mo_index_parse(const char *text, struct mo_index *index);

#endif
