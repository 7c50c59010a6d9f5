/* SPDX-License-Identifier: BSD-3-Clause */
/* mo_settings_store() and mo_settings_load() of every table. */
#include "control/objects/mo_settings.h"

#include <string.h>

#include "control/objects/mo_read.h"
#include "control/objects/mo_defaults.h"
#include "control/objects/mo_field.h"
#include "tests/unit/unit.h"

struct row {
	_Alignas(8) uint8_t octets[MO_ROW_OCTETS];
};

static bool is_setting(const struct mo_column *col)
{
	return mo_is_writable(col) && col->syntax != MO_ROW_STATUS;
}

/* Returns a row in which every writable column has a value other than the initial one. */
static struct row other_row(enum mo_table_id id)
{
	const struct mo_table *table = mo_table(id);
	struct row row = {0};

	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];
		struct mo_value value = {.syntax = col->syntax, .num = col->max};

		if (col->has_initial && col->initial == col->max)
			value.num = col->min;
		if (is_setting(col))
			mo_field_set(table, col, &row, &value);
	}
	return row;
}

static void assert_same_settings(enum mo_table_id id, const struct row *a, const struct row *b)
{
	const struct mo_table *table = mo_table(id);

	for (unsigned i = 0; i < table->n_columns; i++)
		if (is_setting(&table->columns[i]) &&
		    !mo_field_equal(table, &table->columns[i], a, b))
			fail_msg("%s has changed", table->columns[i].name);
}

/* Returns the priorities for which the table has rows of one port or of the system. */
static unsigned rows_of(enum mo_table_id id)
{
	switch (mo_settings_scope(id)) {
	case MO_SCOPE_NONE:
		return 0;
	case MO_SCOPE_SYSTEM:
		return 1;
	case MO_SCOPE_SYSTEM_EACH:
		return 0xff;
	case MO_SCOPE_PORT:
	case MO_SCOPE_ALIAS:
		break;
	}
	return mo_read_port_rows(id, 0xff);
}

static void test_stored_settings_are_loaded(void **state)
{
	unsigned rows = 0;

	(void)state;
	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		const struct row other = other_row(id);

		for (unsigned p = 0; rows_of(id) >> p; p++, rows++) {
			struct port_config pc = {0};
			struct dcb_config config = {0};
			struct row row = {0};

			mo_settings_store(&config, &pc, id, p, &other);
			mo_settings_load(&config, &pc, id, p, &row);
			assert_same_settings(id, &row, &other);
		}
	}
	assert_in_range(rows, 100, 1000);
}

/* A store changes nothing in a table without settings or in rows of other priorities. */
/* A difference that is not seen would be missing in the state file. */
static void test_different_settings_are_not_equal(void **state)
{
	unsigned columns = 0;

	(void)state;
	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table(id);
		const struct row other = other_row(id);

		if (mo_settings_scope(id) != MO_SCOPE_PORT)
			continue;
		for (unsigned i = 0; i < table->n_columns; i++) {
			struct port_config initial = {0}, pc = {0};
			struct dcb_config config = {0};
			struct row row = {0};
			struct mo_value value;

			if (!is_setting(&table->columns[i]))
				continue;
			assert_true(mo_settings_are_equal(&initial, &pc, id, 0));
			mo_settings_load(&config, &pc, id, 0, &row);
			if (mo_field_equal(table, &table->columns[i], &row, &other))
				continue;
			mo_field_get(table, &table->columns[i], &other, &value);
			mo_field_set(table, &table->columns[i], &row, &value);
			mo_settings_store(&config, &pc, id, 0, &row);
			assert_false(mo_settings_are_equal(&initial, &pc, id, 0));
			columns++;
		}
	}
	print_message("%u columns\n", columns);
	assert_true(columns > 0);
}

static void test_store_changes_no_other_settings(void **state)
{
	(void)state;
	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		const struct row other = other_row(id);
		struct port_config pc = {0}, zero = {0};
		struct dcb_config config = {0}, zeros = {0};
		struct row row = {0}, fresh = {0};

		mo_settings_store(&config, &pc, id, 3, &other);
		if (rows_of(id) == 0) {
			assert_memory_equal(&pc, &zero, sizeof(pc));
			assert_memory_equal(&config, &zeros, sizeof(config));
		} else if (rows_of(id) == 0xff) {
			mo_settings_load(&config, &pc, id, 2, &row);
			mo_settings_load(&zeros, &zero, id, 4, &fresh);
			assert_same_settings(id, &row, &fresh);
			mo_settings_load(&config, &pc, id, 4, &row);
			assert_same_settings(id, &row, &fresh);
		}
	}
}

static void assert_defaults(const struct dcb_config *c, enum mo_table_id id)
{
	struct row row = {0}, fresh = {0};

	mo_settings_load(c, c->ports[0].config, id, 3, &row);
	mo_settings_load(c, &c->defaults->port, id, 3, &fresh);
	assert_same_settings(id, &row, &fresh);
}

/*
 * 32.3, 32.4: the rows of a CNPV are deleted with it. If this fails for a new table, add
 * its settings to port_config_reset().
 */
static void test_recreated_cnpv_has_defaults(void **state)
{
	struct port port = {.link = {.ifindex = 3}};
	struct dcb_defaults defaults;
	struct dcb_config *without, *c;
	unsigned tables = 0;

	(void)state;
	mo_defaults(&defaults);
	without = dcb_config_new(&defaults);
	c = dcb_config_with_port(without, &port, NULL);
	assert_non_null(c);
	c->com_pri[3].row_status = ROW_ACTIVE;
	assert_true(dcb_config_create_cnpv(c, 3));
	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		const struct row other = other_row(id);

		if (mo_settings_scope(id) != MO_SCOPE_PORT || mo_read_port_rows(id, 0) != 0)
			continue;
		tables++;
		mo_settings_store(c, dcb_config_edit_port(c, 0), id, 3, &other);
		assert_true(dcb_config_destroy_cnpv(c, 3));
		assert_defaults(c, id);
		c->com_pri[3].row_status = ROW_ACTIVE;
		assert_true(dcb_config_create_cnpv(c, 3));
		assert_defaults(c, id);
	}
	assert_in_range(tables, 4, MO_TABLES);
	dcb_config_free(c);
	dcb_config_free(without);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stored_settings_are_loaded),
	    cmocka_unit_test(test_different_settings_are_not_equal),
	    cmocka_unit_test(test_store_changes_no_other_settings),
	    cmocka_unit_test(test_recreated_cnpv_has_defaults),
	};

	return cmocka_run_group_tests_name("mo_settings", tests, NULL, NULL);
}
