/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_field.h"

#include <assert.h>
#include <string.h>

#include "control/objects/mo_rows.h"

enum field_kind { FIELD_BOOL, FIELD_UNSIGNED, FIELD_SIGNED, FIELD_STRING, FIELD_OCTETS };

struct field {
	uint16_t offset;
	uint16_t size;
	uint8_t kind;
	uint16_t is_set; /* 1 + offset of the bool that FOLLOWS() names; 0: no FOLLOWS() */
};

/* clang-format off */
#define FIELD_KIND(lvalue)                                                                         \
	_Generic((lvalue), bool: FIELD_BOOL,                                                       \
		 uint8_t: FIELD_UNSIGNED, uint16_t: FIELD_UNSIGNED, uint32_t: FIELD_UNSIGNED,      \
		 uint64_t: FIELD_UNSIGNED, int8_t: FIELD_SIGNED, int32_t: FIELD_SIGNED,            \
		 char *: FIELD_STRING, uint8_t *: FIELD_OCTETS)

/* The kinds and sizes of fields that can hold a syntax. */
#define KIND_FITS_INTEGER32(k, size)  ((k) == FIELD_SIGNED || ((k) == FIELD_UNSIGNED && (size) <= 4))
#define KIND_FITS_UNSIGNED32(k, size) ((k) == FIELD_UNSIGNED && (size) <= 4)
#define KIND_FITS_COUNTER32(k, size)  ((k) == FIELD_UNSIGNED && (size) == 4)
#define KIND_FITS_COUNTER64(k, size)  ((k) == FIELD_UNSIGNED && (size) == 8)
#define KIND_FITS_GAUGE64(k, size)    ((k) == FIELD_UNSIGNED && (size) == 8)
#define KIND_FITS_TIMETICKS(k, size)  ((k) == FIELD_UNSIGNED && (size) == 4)
#define KIND_FITS_TRUTH(k, size)      ((k) == FIELD_BOOL)
#define KIND_FITS_ENUM(k, size)       ((k) == FIELD_UNSIGNED && (size) == 1)
#define KIND_FITS_ROW_STATUS(k, size) ((k) == FIELD_UNSIGNED && (size) == 1)
#define KIND_FITS_STRING(k, size)     ((k) == FIELD_STRING)
#define KIND_FITS_OCTETS(k, size)     ((k) == FIELD_OCTETS)
#define KIND_FITS_BITS(k, size)       ((k) == FIELD_UNSIGNED && (size) == 1)
#define KIND_FITS_VLANS(k, size)      ((k) == FIELD_OCTETS && (size) == MO_VLANS_OCTETS)

#define FOLLOWED_BY_NONE           NOTHING,
#define FOLLOWED_BY_DEFVAL(x)      NOTHING,
#define FOLLOWED_BY_INITIAL(x)     NOTHING,
#define FOLLOWED_BY_FOLLOWS(field) BOOL, field
#define IS_SET(tab, ...)           IS_SET_(tab, __VA_ARGS__)
#define IS_SET_(tab, kind, field)  IS_SET_##kind(tab, field)
#define IS_SET_NOTHING(tab, field) 0
#define IS_SET_BOOL(tab, field)                                                                    \
	_Generic(AT(tab, field), bool: 1 + offsetof(struct tab##_row, field))

#define AT(tab, field) (((struct tab##_row *)0)->field)
#define TABLE(tab, ...) \
	_Static_assert(sizeof(struct tab##_row) <= MO_ROW_OCTETS, #tab "_row is too large");
#define COL(tab, sub, name, syn, names, acc, lo, hi, init, unit, ref, member)                      \
	_Static_assert(KIND_FITS_##syn(FIELD_KIND(AT(tab, member)), sizeof(AT(tab, member))),      \
		       #name ": the type of the field does not fit its syntax");
#include "mibs/all.def"

/* As in lib/mo/mo.c: each TABLE ends the array of the table before it. */
struct fields_of_no_table {
#define TABLE(tab, ...) }; static const struct field fields_##tab[] = {
#define COL(tab, sub, name, syn, names, acc, lo, hi, init, unit, ref, member)                      \
	{offsetof(struct tab##_row, member), sizeof(AT(tab, member)), FIELD_KIND(AT(tab, member)), \
	 IS_SET(tab, FOLLOWED_BY_##init)},
#include "mibs/all.def"
};

static const struct field *const fields[MO_TABLES] = {
#define TABLE(tab, ...) [MO_##tab] = fields_##tab,
#include "mibs/all.def"
};
/* clang-format on */

/* Rows with a member stats of which provider_ops.unknown() may name members. */
static const struct {
	uint16_t offset, size;
	uint8_t of; /* enum stats_of */
} stats_in[MO_TABLES] = {
#define STATS_IN(tab)                                                                            \
	[MO_##tab] = {offsetof(struct tab##_row, stats), sizeof(((struct tab##_row *)0)->stats), \
		      STATS_OF(((struct tab##_row *)0)->stats)}
    STATS_IN(cn_cp),     STATS_IN(cn_rp_port_pri), STATS_IN(port),     STATS_IN(pfc_pri),
    STATS_IN(cp),        STATS_IN(pfc_port),       STATS_IN(cpfc_pri), STATS_IN(cpfc_queue),
    STATS_IN(pfc_pause),
};

/* Both arrays are expanded from the same rows in the same order. */
static const struct field *field_of(const struct mo_table *table, const struct mo_column *col)
{
	size_t i = (size_t)(col - table->columns);

	assert(i < table->n_columns);
	return &fields[table->id][i];
}

static uint64_t load_unsigned(const uint8_t *p, size_t size)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&u16, p, 2);
		return u16;
	case 4:
		memcpy(&u32, p, 4);
		return u32;
	default:
		memcpy(&u64, p, 8);
		return u64;
	}
}

static int64_t load_signed(const uint8_t *p, size_t size)
{
	int32_t i32;

	if (size == 1)
		return (int8_t)*p;
	memcpy(&i32, p, 4);
	return i32;
}

/* Converts a mask (bit n for number n) to an octet of BITS (bit 7 for number 0), or back. */
static uint8_t bits_reversed(uint8_t mask)
{
	uint8_t out = 0;

	for (unsigned n = 0; n < 8; n++)
		if (mask & 1u << n)
			out |= (uint8_t)(0x80 >> n);
	return out;
}

struct mo_from mo_field_from(const struct mo_table *table, const struct mo_column *col)
{
	size_t size = stats_in[table->id].size;
	size_t at = (size_t)field_of(table, col)->offset - stats_in[table->id].offset;

	if (at < size)
		return (struct mo_from){stats_in[table->id].of, UINT64_C(1)
								    << at / STATS_UNIT(size)};
	switch ((uint32_t)table->id << 16 | col->subid) {
#define FROM(tab, subid, type, member)         \
	case (uint32_t)MO_##tab << 16 | subid: \
		return (struct mo_from){STATS_OF(*(struct type *)0), STATS_MEMBER(type, member)};
#include "mibs/all.def"
	default:
		return (struct mo_from){.member = 0};
	}
}

void mo_field_get(const struct mo_table *table, const struct mo_column *col, const void *row,
		  struct mo_value *value)
{
	const struct field *f = field_of(table, col);
	const uint8_t *p = (const uint8_t *)row + f->offset;

	value->syntax = col->syntax;
	value->num = 0;
	value->len = 0;
	if (col->syntax == MO_BITS) {
		value->len = 1;
		value->octets[0] = bits_reversed(*p);
		return;
	}
	switch ((enum field_kind)f->kind) {
	case FIELD_BOOL:
		value->num = *p ? 1 : 2;
		break;
	case FIELD_UNSIGNED:
		value->num = (int64_t)load_unsigned(p, f->size);
		break;
	case FIELD_SIGNED:
		value->num = load_signed(p, f->size);
		break;
	case FIELD_STRING:
		value->len = (uint8_t)strnlen((const char *)p, f->size);
		memcpy(value->octets, p, value->len);
		break;
	case FIELD_OCTETS:
		value->len = (uint8_t)f->size;
		memcpy(value->octets, p, f->size);
		break;
	}
}

static void store_number(uint8_t *p, size_t size, int64_t num)
{
	uint32_t u32 = (uint32_t)num;
	uint16_t u16 = (uint16_t)num;

	switch (size) {
	case 1:
		*p = (uint8_t)num;
		break;
	case 2:
		memcpy(p, &u16, 2);
		break;
	case 4:
		memcpy(p, &u32, 4);
		break;
	default:
		memcpy(p, &num, 8);
		break;
	}
}

/* Returns whether a column with FOLLOWS() has been set. */
static bool is_set(const struct field *f, const void *row)
{
	return f->is_set && ((const uint8_t *)row)[f->is_set - 1];
}

void mo_field_set(const struct mo_table *table, const struct mo_column *col, void *row,
		  const struct mo_value *value)
{
	const struct field *f = field_of(table, col);
	uint8_t *p = (uint8_t *)row + f->offset;

	if (f->is_set)
		((bool *)row)[f->is_set - 1] = true;
	if (col->syntax == MO_BITS) {
		*p = value->len ? bits_reversed(value->octets[0]) : 0;
		return;
	}
	switch ((enum field_kind)f->kind) {
	case FIELD_BOOL:
		*p = value->num == 1;
		break;
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
		store_number(p, f->size, value->num);
		break;
	case FIELD_STRING:
	case FIELD_OCTETS:
		memset(p, 0, f->size);
		memcpy(p, value->octets, value->len < f->size ? value->len : f->size);
		break;
	}
}

bool mo_field_equal(const struct mo_table *table, const struct mo_column *col, const void *a,
		    const void *b)
{
	const struct field *f = field_of(table, col);

	return is_set(f, a) == is_set(f, b) &&
	       memcmp((const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset, f->size) == 0;
}

void mo_field_defaults(const struct mo_table *table, void *row)
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];
		struct mo_value value = mo_initial(col);

		if (col->has_initial)
			mo_field_set(table, col, row, &value);
	}
}
