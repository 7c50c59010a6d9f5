/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo.h"

#include "lib/ranges.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names of enumerations ------------------------------------------------ */

#define mo_names_none NULL
/* clang-format off */
/* NAMES closes the array before it and opens its own. */
__attribute__((unused)) static const struct mo_enum mo_names_of_nothing[] = {
#define NAMES(list)             {NULL, 0}}; static const struct mo_enum mo_names_##list[] = {
#define NAME(list, name, value) {#name, value},
#include "mibs/all.def"
	{NULL, 0}
};
/* clang-format on */

/* --- tables expanded from the rows of mibs/all.def --------------------------------------- */

/* clang-format off */
#define CN_ENTRY(n)      1, 3, 111, 2, 802, 1, 1, 18, 1, n, 1
#define PFC_ENTRY(n)     1, 3, 111, 2, 802, 1, 1, 21, 1, n, 1
#define BRIDGE_ENTRY(...)   1, 3, 6, 1, 2, 1, 17, 1, __VA_ARGS__, 1
#define Q_BRIDGE_ENTRY(...) 1, 3, 6, 1, 2, 1, 17, 7, 1, __VA_ARGS__, 1
#define LLDP_ENTRY(...)  1, 3, 111, 2, 802, 1, 1, 13, 1, 5, 32962, __VA_ARGS__, 1
/* netSnmpPlaypen 8021 is the root of DCB-AGENT-MIB; no other C file has this OID. */
#define AGENT_SCALARS(n) 1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 8021, 1, n
#define AGENT_ENTRY(n)   AGENT_SCALARS(n), 1
#define CPFC_ENTRY(n)    1, 3, 6, 1, 4, 1, 9, 9, 813, 1, n, 1
#define AGENT_NOTIFICATION(n) 1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 8021, 0, n
/* clang-format on */

/* clang-format off */
/*
 * The rows of a table follow its TABLE, up to the next TABLE. So TABLE closes the array of
 * the table before it and opens its own; the "};" behind the #include closes the last one.
 */
struct mo_parts_of_no_table {
#define TABLE(tab, ...) }; static const struct mo_index_part mo_parts_##tab[] = {
#define INDEX(tab, name, part, min, max) \
	{#name, MO_PART_##part, MO_PART_IS_OCTETS(MO_PART_##part), min, max},
#include "mibs/all.def"
};

/* One octet for each sub-identifier of an index. */
struct mo_subs_of_no_table {
#define TABLE(tab, ...) }; struct mo_subs_##tab {
#define INDEX(tab, name, part, min, max) uint8_t name[MO_PART_IS_OCTETS(MO_PART_##part) ? max : 1];
#include "mibs/all.def"
};

#define INITIAL_IS_NONE       false, 0, false
#define INITIAL_IS_DEFVAL(x)  true, (x), true
#define INITIAL_IS_INITIAL(x) true, (x), false
#define INITIAL_IS_FOLLOWS(x) false, 0, false

struct mo_columns_of_no_table {
#define TABLE(tab, ...) }; static const struct mo_column mo_columns_##tab[] = {
#define COL(tab, sub, cname, syn, namelist, acc, lo, hi, init, cunit, ref, field)                  \
	{#cname, sub, MO_##syn, MO_##acc, lo, hi, INITIAL_IS_##init, cunit, ref,                   \
	 mo_names_##namelist},
#include "mibs/all.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* The instance of a scalar is .0: one sub-identifier, without INDEX(). */
#define INDEX_LEN(tab) \
	(COUNT(mo_parts_##tab) == 0 ? 1 : sizeof(struct mo_subs_##tab))

#define TABLE(tab, ...) \
	_Static_assert(INDEX_LEN(tab) <= MO_INDEX_MAX, #tab ": raise MO_INDEX_MAX"); \
	_Static_assert((COUNT(mo_parts_##tab) == 0) == MO_HAS_ROWS(tab, SCALAR),                   \
		       #tab ": INDEX_SCALAR() is for scalar groups, and for them only");
#include "mibs/all.def"

static const struct mo_table mo_tables[MO_TABLES] = {
#define MO_TABLE_ROW(is_optional, tab, mod, tname, settings, load, ...)                                            \
	[MO_##tab] = {                                                                             \
		.id = MO_##tab,                                                                    \
		.module = mod,                                                                     \
		.name = #tname,                                                                    \
		.optional = is_optional,                                                           \
		.oid_len = COUNT(((uint32_t[]){__VA_ARGS__})),                                     \
		.oid = {__VA_ARGS__},                                                              \
		.rows = (enum mo_rows)MO_ROWS_OF_##tab,                                         \
		.n_index = COUNT(mo_parts_##tab),                                                  \
		.index_len = INDEX_LEN(tab),                                                       \
		.index = mo_parts_##tab,                                                           \
		.n_columns = COUNT(mo_columns_##tab),                                              \
		.columns = mo_columns_##tab,                                                       \
	},
#define TABLE(...)          MO_TABLE_ROW(false, __VA_ARGS__)
#define OPTIONAL_TABLE(...) MO_TABLE_ROW(true, __VA_ARGS__)
#include "mibs/all.def"
};

static const struct mo_notification mo_notifications[] = {
#define NOTIFY(nid, number, nname, nobjects)                                                       \
	[MO_NOTIFY_##nid] = {#nname, COUNT(((uint32_t[]){AGENT_NOTIFICATION(number)})),            \
			     {AGENT_NOTIFICATION(number)}, nobjects},
#include "mibs/all.def"
};
/* clang-format on */

/* --- look-up ----------------------------------------------------------------- */

const struct mo_table *mo_table(enum mo_table_id id)
{
	return (unsigned)id < MO_TABLES ? &mo_tables[id] : NULL;
}

int mo_index_part(const struct mo_table *table, enum mo_part part)
{
	for (unsigned i = 0; i < table->n_index; i++)
		if (table->index[i].part == part)
			return (int)i;
	return -1;
}

void mo_index_make(const struct mo_table *table, const struct mo_index_of *of,
		   struct mo_index *index)
{
	*index = (struct mo_index){.n = table->index_len};
	for (unsigned i = 0; i < table->n_index; i++) {
		switch (table->index[i].part) {
		case MO_PART_COMPONENT:
			index->sub[i] = of->component;
			break;
		case MO_PART_PORT:
			index->sub[i] = of->ifindex;
			break;
		case MO_PART_DESTINATION:
			index->sub[i] = of->destination;
			break;
		case MO_PART_PRIORITY:
			index->sub[i] = of->priority;
			break;
		case MO_PART_CP:
			index->sub[i] = mo_cp_index(of->priority);
			break;
		default:
			break;
		}
	}
}

unsigned mo_index_priority(const struct mo_table *table, const struct mo_index *index)
{
	int part = mo_index_part(table, MO_PART_PRIORITY);

	if (part >= 0)
		return index->sub[part];
	part = mo_index_part(table, MO_PART_CP);
	return part < 0 ? 0 : mo_cp_index_priority(index->sub[part]);
}

enum mo_table_id mo_settings_table(enum mo_table_id id)
{
	switch (id) {
	case MO_lldp_admin_pfc_enable:
		return MO_pfc_pri;
	case MO_dcbx_app:
		return MO_lldp_admin_app;
	case MO_dcbx_app_vlan:
		return MO_lldp_admin_app_vlan;
	default:
		return id;
	}
}

const struct mo_table *mo_table_by_name(const char *name)
{
	for (size_t i = 0; i < MO_TABLES; i++)
		if (strcmp(mo_tables[i].name, name) == 0)
			return &mo_tables[i];
	return NULL;
}

const struct mo_notification *mo_notification(unsigned id)
{
	return id < MO_NOTIFICATIONS ? &mo_notifications[id] : NULL;
}

const struct mo_column *mo_column(const struct mo_table *table, uint32_t subid)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		if (table->columns[i].subid == subid)
			return &table->columns[i];
	return NULL;
}

const struct mo_column *mo_column_by_name(const char *name, const struct mo_table **table)
{
	for (size_t t = 0; t < MO_TABLES; t++) {
		for (unsigned i = 0; i < mo_tables[t].n_columns; i++) {
			if (strcmp(mo_tables[t].columns[i].name, name) == 0) {
				*table = &mo_tables[t];
				return &mo_tables[t].columns[i];
			}
		}
	}
	return NULL;
}

int mo_index_compare(const struct mo_index *a, const struct mo_index *b)
{
	unsigned n = a->n < b->n ? a->n : b->n;

	for (unsigned i = 0; i < n; i++)
		if (a->sub[i] != b->sub[i])
			return a->sub[i] < b->sub[i] ? -1 : 1;
	return (int)a->n - (int)b->n;
}

const char *mo_strerror(enum mo_error error)
{
	switch (error) {
	case MO_NO_ERROR:
		return "noError";
	case MO_GEN_ERR:
		return "genErr";
	case MO_NO_ACCESS:
		return "noAccess";
	case MO_WRONG_TYPE:
		return "wrongType";
	case MO_WRONG_LENGTH:
		return "wrongLength";
	case MO_WRONG_ENCODING:
		return "wrongEncoding";
	case MO_WRONG_VALUE:
		return "wrongValue";
	case MO_NO_CREATION:
		return "noCreation";
	case MO_INCONSISTENT_VALUE:
		return "inconsistentValue";
	case MO_RESOURCE_UNAVAILABLE:
		return "resourceUnavailable";
	case MO_COMMIT_FAILED:
		return "commitFailed";
	case MO_UNDO_FAILED:
		return "undoFailed";
	case MO_NOT_WRITABLE:
		return "notWritable";
	case MO_INCONSISTENT_NAME:
		return "inconsistentName";
	}
	return "unknown error";
}

/* --- validation ---------------------------------------------------------------- */

enum asn_type { ASN_INT, ASN_GAUGE, ASN_CNT32, ASN_CNT64, ASN_TICKS, ASN_STRING };

static enum asn_type asn_type_of(enum mo_syntax syntax)
{
	switch (syntax) {
	case MO_INTEGER32:
	case MO_TRUTH:
	case MO_ENUM:
	case MO_ROW_STATUS:
		return ASN_INT;
	case MO_UNSIGNED32:
		return ASN_GAUGE;
	case MO_COUNTER32:
		return ASN_CNT32;
	case MO_COUNTER64:
	case MO_GAUGE64:
		return ASN_CNT64;
	case MO_TIMETICKS:
		return ASN_TICKS;
	case MO_OCTETS:
	case MO_STRING:
	case MO_BITS:
	case MO_VLANS:
		break;
	}
	return ASN_STRING;
}

static bool bit_is_set(const struct mo_value *value, int32_t bit)
{
	return bit / 8 < value->len && (value->octets[bit / 8] & 0x80 >> bit % 8);
}

/* Refuses bits outside min..max. A value may have fewer octets: the missing bits are 0. */
static enum mo_error validate_bits(const struct mo_column *col, const struct mo_value *value)
{
	if (value->len > col->max / 8 + 1)
		return MO_WRONG_LENGTH;
	for (int32_t bit = 0; bit < 8 * value->len; bit++)
		if (bit_is_set(value, bit) && (bit < col->min || bit > col->max))
			return MO_WRONG_VALUE;
	return MO_NO_ERROR;
}

/* Refuses VLANs outside min..max. */
static enum mo_error validate_vlans(const struct mo_column *col, const struct mo_value *value)
{
	if (value->len > MO_VLANS_OCTETS)
		return MO_WRONG_LENGTH;
	for (int32_t bit = 0; bit < 8 * value->len; bit++) {
		int64_t vid = (int64_t)mo_vlans_base(col) + bit;

		if (bit_is_set(value, bit) && (vid < col->min || vid > col->max))
			return MO_WRONG_VALUE;
	}
	return MO_NO_ERROR;
}

static bool has_name(const struct mo_column *col, int64_t num)
{
	for (const struct mo_enum *e = col->names; e && e->name; e++)
		if (e->value == num)
			return true;
	return !col->names;
}

enum mo_error mo_validate(const struct mo_column *col, const struct mo_value *value)
{
	if (!mo_is_writable(col))
		return MO_NOT_WRITABLE;
	if (asn_type_of(col->syntax) != asn_type_of(value->syntax))
		return MO_WRONG_TYPE;
	if (col->syntax == MO_BITS)
		return validate_bits(col, value);
	if (col->syntax == MO_VLANS)
		return validate_vlans(col, value);
	if (mo_is_octets(col->syntax))
		return value->len < col->min || value->len > col->max ? MO_WRONG_LENGTH
								      : MO_NO_ERROR;
	if (value->num < col->min || value->num > col->max || !has_name(col, value->num))
		return MO_WRONG_VALUE;
	/* notReady(3) can be read but not set: RFC 2579, RowStatus. */
	if (col->syntax == MO_ROW_STATUS && value->num == 3)
		return MO_WRONG_VALUE;
	return MO_NO_ERROR;
}

struct mo_value mo_initial(const struct mo_column *col)
{
	struct mo_value value = {.syntax = col->syntax, .num = col->initial};

	if (col->syntax != MO_VLANS)
		return value;
	value.len = MO_VLANS_OCTETS;
	for (int64_t vid = col->min; vid <= col->max; vid++)
		ranges_add(value.octets, (uint32_t)vid - mo_vlans_base(col));
	return value;
}

bool mo_index_valid(const struct mo_table *table, const struct mo_index *index)
{
	const uint32_t *sub = index->sub;

	if (index->n != table->index_len)
		return false;
	if (table->n_index == 0)
		return sub[0] == 0;
	for (unsigned p = 0; p < table->n_index; p++) {
		const struct mo_index_part *part = &table->index[p];

		if (!part->octets) {
			if (*sub < part->min || *sub > part->max)
				return false;
			sub++;
			continue;
		}
		for (uint32_t i = 0; i < part->max; i++)
			if (*sub++ > UINT8_MAX)
				return false;
	}
	return true;
}

/* --- text ---------------------------------------------------------------------- */

static int format_hex(const struct mo_value *value, char *buf, size_t size)
{
	int len = 0;

	if (size > 0)
		buf[0] = '\0';
	for (unsigned i = 0; i < value->len; i++) {
		size_t used = (size_t)len < size ? (size_t)len : size;

		len += snprintf(buf + used, size - used, "%s%02x", i ? "-" : "", value->octets[i]);
	}
	return len;
}

static int format_bits(const struct mo_column *col, const struct mo_value *value, char *buf,
		       size_t size)
{
	int len = 0;

	for (const struct mo_enum *e = col->names; e->name; e++) {
		size_t used = (size_t)len < size ? (size_t)len : size;

		if (bit_is_set(value, e->value))
			len += snprintf(buf + used, size - used, "%s%s", len ? "," : "", e->name);
	}
	return len ? len : snprintf(buf, size, "none");
}

int mo_format(const struct mo_column *col, const struct mo_value *value, char *buf, size_t size)
{
	if (col->syntax == MO_BITS)
		return format_bits(col, value, buf, size);
	if (col->syntax == MO_VLANS)
		return ranges_format(value->octets, value->len, mo_vlans_base(col), buf, size);
	if (col->syntax == MO_OCTETS)
		return format_hex(value, buf, size);
	if (col->syntax == MO_STRING)
		return snprintf(buf, size, "%.*s", value->len, (const char *)value->octets);
	for (const struct mo_enum *e = col->names; e && e->name; e++)
		if (e->value == value->num)
			return snprintf(buf, size, "%s", e->name);
	if (asn_type_of(col->syntax) == ASN_CNT64)
		return snprintf(buf, size, "%" PRIu64, (uint64_t)value->num);
	return snprintf(buf, size, "%" PRId64, value->num);
}

/*
 * Reads an octet of one or two hex digits and returns the number of digits, 0 for none.
 * Unlike strtoul() it accepts no sign, blank or "0x".
 */
static size_t parse_octet(const char *text, uint8_t *octet)
{
	char digits[3] = "";
	size_t n = strspn(text, "0123456789abcdefABCDEF");

	if (n > 2)
		n = 2;
	memcpy(digits, text, n);
	*octet = (uint8_t)strtoul(digits, NULL, 16);
	return n;
}

static bool parse_hex(const struct mo_column *col, const char *text, struct mo_value *value)
{
	value->len = 0;
	while (*text) {
		size_t digits;

		if (value->len >= col->max)
			return false;
		digits = parse_octet(text, &value->octets[value->len]);
		if (digits == 0)
			return false;
		value->len++;
		text += digits;
		if (*text == '-' || *text == ':' || *text == ' ')
			text++;
	}
	return value->len >= col->min;
}

static const struct mo_enum *name_find(const struct mo_column *col, const char *text, size_t len)
{
	for (const struct mo_enum *e = col->names; e && e->name; e++)
		if (strlen(e->name) == len && memcmp(e->name, text, len) == 0)
			return e;
	return NULL;
}

static bool parse_bits(const struct mo_column *col, const char *text, struct mo_value *value)
{
	value->len = (uint8_t)(col->max / 8 + 1);
	if (strcmp(text, "none") == 0)
		return true;
	for (;;) {
		size_t len = strcspn(text, ",");
		const struct mo_enum *e = name_find(col, text, len);

		if (!e)
			return false;
		value->octets[e->value / 8] |= (uint8_t)(0x80 >> e->value % 8);
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

static bool parse_vlans(const struct mo_column *col, const char *text, struct mo_value *value)
{
	value->len = MO_VLANS_OCTETS;
	return ranges_parse(text, mo_vlans_base(col), (uint32_t)col->min, (uint32_t)col->max,
			    value->octets);
}

static bool parse_number(const char *text, int64_t *num)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) &&
	    !(text[0] == '-' && isdigit((unsigned char)text[1])))
		return false;
	errno = 0;
	*num = text[0] == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return errno == 0 && *end == '\0';
}

bool mo_parse(const struct mo_column *col, const char *text, struct mo_value *value)
{
	const struct mo_enum *e;

	memset(value, 0, sizeof(*value));
	value->syntax = col->syntax;
	if (col->syntax == MO_OCTETS)
		return parse_hex(col, text, value);
	if (col->syntax == MO_BITS)
		return parse_bits(col, text, value);
	if (col->syntax == MO_VLANS)
		return parse_vlans(col, text, value);
	if (col->syntax == MO_STRING) {
		size_t len = strlen(text);

		if (len > MO_OCTETS_MAX)
			return false;
		memcpy(value->octets, text, len);
		value->len = (uint8_t)len;
		return true;
	}
	e = name_find(col, text, strlen(text));
	if (e) {
		value->num = e->value;
		return true;
	}
	return parse_number(text, &value->num);
}

int mo_index_format(const struct mo_index *index, char *buf, size_t size)
{
	int len = 0;

	if (size > 0)
		buf[0] = '\0';
	for (unsigned i = 0; i < index->n; i++) {
		size_t used = (size_t)len < size ? (size_t)len : size;

		len += snprintf(buf + used, size - used, "%s%" PRIu32, i ? "." : "", index->sub[i]);
	}
	return len;
}

bool mo_index_parse(const char *text, struct mo_index *index)
{
	index->n = 0;
	for (;;) {
		unsigned long sub;
		char *end;

		if (!isdigit((unsigned char)*text) || index->n >= MO_INDEX_MAX)
			return false;
		errno = 0;
		sub = strtoul(text, &end, 10);
		if (errno || sub > UINT32_MAX)
			return false;
		index->sub[index->n++] = (uint32_t)sub;
		if (*end == '\0')
			return true;
		if (*end != '.')
			return false;
		text = end + 1;
	}
}
