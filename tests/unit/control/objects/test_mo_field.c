/* SPDX-License-Identifier: BSD-3-Clause */
/* mo_field_set() and mo_field_get() of every column of every table. */
#include "control/objects/mo_field.h"

#include <string.h>

#include "tests/unit/unit.h"

struct row {
	_Alignas(8) uint8_t octets[MO_ROW_OCTETS];
};

static struct mo_value number(const struct mo_column *col, int64_t num)
{
	return (struct mo_value){.syntax = col->syntax, .num = num};
}

/* Sets the column in a row of zeros and in a row of ones: it reads back, others are unchanged. */
static void assert_reads_back(const struct mo_table *table, const struct mo_column *col,
			      const struct mo_value *value)
{
	for (int background = 0; background <= 0xff; background += 0xff) {
		struct row row, before;
		struct mo_value back;

		memset(&row, background, sizeof(row));
		memset(&before, background, sizeof(before));
		mo_field_set(table, col, &row, value);
		mo_field_get(table, col, &row, &back);
		assert_int_equal(back.syntax, col->syntax);
		assert_int_equal(back.num, value->num);
		assert_int_equal(back.len, value->len);
		assert_memory_equal(back.octets, value->octets, value->len);
		for (unsigned i = 0; i < table->n_columns; i++)
			if (&table->columns[i] != col &&
			    !mo_field_equal(table, &table->columns[i], &row, &before))
				fail_msg("%s changes %s", col->name, table->columns[i].name);
		mo_field_set(table, col, &before, value);
		assert_memory_equal(&row, &before, sizeof(row));
	}
}

static void test_number(const struct mo_table *table, const struct mo_column *col)
{
	int64_t values[2] = {col->min, col->max};

	if (col->syntax == MO_COUNTER64 || col->syntax == MO_GAUGE64)
		values[1] = INT64_C(-2); /* all 64 bits */
	else if (col->syntax == MO_COUNTER32)
		values[1] = UINT32_MAX - 1;
	for (unsigned i = 0; i < 2; i++) {
		struct mo_value value = number(col, values[i]);

		assert_reads_back(table, col, &value);
	}
}

static void test_column(const struct mo_table *table, const struct mo_column *col)
{
	struct mo_value value = {.syntax = col->syntax,
				 .octets = "\x5a\x01\x02\x03\x04\x05\x06\x07"};
	struct row row = {0};

	switch (col->syntax) {
	case MO_BITS: /* all objects have one octet */
		value.len = 1;
		assert_reads_back(table, col, &value);
		break;
	case MO_STRING:
		value.len = (uint8_t)(col->max < 3 ? col->max : 3);
		assert_reads_back(table, col, &value);
		break;
	case MO_OCTETS:
	case MO_VLANS:
		mo_field_get(table, col, &row, &value);
		assert_int_equal(value.len, col->syntax == MO_VLANS ? MO_VLANS_OCTETS : col->max);
		memset(value.octets, 0x5a, value.len);
		assert_reads_back(table, col, &value);
		break;
	default:
		test_number(table, col);
	}
}

static void test_every_column_reads_back_its_values(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned t = 0; t < MO_TABLES; t++) {
		const struct mo_table *table = mo_table((enum mo_table_id)t);

		for (unsigned i = 0; i < table->n_columns; i++, n++)
			test_column(table, &table->columns[i]);
	}
	print_message("%u columns\n", n);
}

/* RFC 2579: an empty BITS value has no bit set. */
static void test_empty_bits_clear_all_bits(void **state)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name("dcbDcbxPortPfcAdmin", &table);
	struct mo_value value = {.syntax = MO_BITS, .len = 1, .octets = {0x90}};
	struct row row = {0}, other = {0};

	(void)state;
	mo_field_set(table, col, &row, &value);
	assert_false(mo_field_equal(table, col, &row, &other));
	value.len = 0;
	mo_field_set(table, col, &row, &value);
	assert_true(mo_field_equal(table, col, &row, &other));
	mo_field_get(table, col, &row, &value);
	assert_int_equal(value.len, 1);
	assert_int_equal(value.octets[0], 0);
}

/* A short string replaces all of a longer one; a string that is too long is truncated. */
static void test_string_replaces_former_string(void **state)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name("dcbPortAggregate", &table);
	struct mo_value value = {.syntax = MO_STRING, .len = 200};
	struct row row = {0}, before = {0};

	(void)state;
	memset(value.octets, 'a', sizeof(value.octets));
	mo_field_set(table, col, &row, &value);
	mo_field_get(table, col, &row, &value);
	assert_in_range(value.len, col->max, col->max + 1);
	for (unsigned i = 0; i < table->n_columns; i++)
		if (&table->columns[i] != col)
			assert_true(mo_field_equal(table, &table->columns[i], &row, &before));
	value.len = 2;
	mo_field_set(table, col, &row, &value);
	mo_field_get(table, col, &row, &value);
	assert_int_equal(value.len, 2);
}

static void test_defaults_are_initial_values_of_columns(void **state)
{
	(void)state;
	for (unsigned t = 0; t < MO_TABLES; t++) {
		const struct mo_table *table = mo_table((enum mo_table_id)t);
		struct row row = {0};

		mo_field_defaults(table, &row);
		for (unsigned i = 0; i < table->n_columns; i++) {
			const struct mo_column *col = &table->columns[i];
			struct mo_value value;

			mo_field_get(table, col, &row, &value);
			if (col->has_initial && !mo_is_octets(col->syntax))
				assert_int_equal(value.num, col->initial);
			else if (!mo_is_octets(col->syntax) && col->syntax != MO_TRUTH)
				assert_int_equal(value.num, 0);
		}
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_column_reads_back_its_values),
	    cmocka_unit_test(test_empty_bits_clear_all_bits),
	    cmocka_unit_test(test_string_replaces_former_string),
	    cmocka_unit_test(test_defaults_are_initial_values_of_columns),
	};

	return cmocka_run_group_tests_name("mo_field", tests, NULL, NULL);
}
