/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every writable object of mibs/all.def: its minimum, maximum and initial value and every
 * name of an enumeration are kept by the state file, from SET to the load after a restart.
 */
#include "tests/unit/mo_world.h"

#include <string.h>

#include "control/persist.h"
#include "lib/log.h"
#include "tests/unit/unit.h"

#define VALUES_MAX 24

/* Values to set, as text. */
struct values {
	unsigned n;
	char text[VALUES_MAX][MO_VALUE_TEXT];
};

static void add_value(struct values *v, const struct mo_column *col, const struct mo_value *value)
{
	assert_in_range(v->n, 0, VALUES_MAX - 1);
	mo_format(col, value, v->text[v->n++], sizeof(v->text[0]));
}

static void add_number(struct values *v, const struct mo_column *col, int64_t num)
{
	add_value(v, col, &(struct mo_value){.syntax = col->syntax, .num = num});
}

/* Adds an octet string of n octets; bits of the last one: as its octet. */
static void add_octets(struct values *v, const struct mo_column *col, size_t n, uint8_t last)
{
	struct mo_value value = {.syntax = col->syntax, .len = (uint8_t)n};

	memset(value.octets, 'x', sizeof(value.octets));
	if (col->syntax == MO_VLANS || col->syntax == MO_BITS)
		memset(value.octets, 0, sizeof(value.octets));
	if (n > 0 && last)
		value.octets[n - 1] = last;
	add_value(v, col, &value);
}

/* VLANs: none, the first, the last, all. */
static void add_vlans(struct values *v, const struct mo_column *col)
{
	uint32_t base = mo_vlans_base(col), bits[] = {(uint32_t)col->min, (uint32_t)col->max};
	struct mo_value value = mo_initial(col);

	add_value(v, col, &value);
	add_octets(v, col, MO_VLANS_OCTETS, 0);
	for (unsigned i = 0; i < UNIT_COUNT(bits); i++) {
		uint32_t bit = bits[i] - base;

		memset(value.octets, 0, sizeof(value.octets));
		value.octets[bit / 8] = (uint8_t)(0x80 >> bit % 8);
		add_value(v, col, &value);
	}
}

static void values_of(const struct mo_column *col, struct values *v)
{
	size_t octets = (size_t)col->max / 8 + 1;

	v->n = 0;
	switch (col->syntax) {
	case MO_VLANS:
		add_vlans(v, col);
		return;
	case MO_BITS:
		add_octets(v, col, octets, 0);
		add_octets(v, col, octets, (uint8_t)(0x80 >> col->max % 8));
		add_octets(v, col, 1, (uint8_t)(0x80 >> col->min));
		return;
	case MO_STRING:
	case MO_OCTETS:
		add_octets(v, col, (size_t)col->min, 0);
		add_octets(v, col, (size_t)col->max, 'z');
		return;
	default:
		break;
	}
	for (const struct mo_enum *e = col->names; e && e->name; e++)
		if (e->value >= col->min && e->value <= col->max)
			add_number(v, col, e->value);
	if (!col->names) {
		add_number(v, col, col->min);
		add_number(v, col, col->max);
	}
	if (col->has_initial)
		add_number(v, col, col->initial);
}

/* Objects whose value is read as something else: 12.23, the initial allowance. */
static bool reads_otherwise(const struct mo_column *col)
{
	return strcmp(col->name, "dcbPfcHeadroomAllowance") == 0;
}

/* A restart begins the counters of the ports again. */
static bool starts_again(const struct mo_column *col)
{
	return strcmp(col->name, "dcbPortCounterDiscontinuityTime") == 0;
}

enum way { PORTS_THERE, PORTS_LATER, WAYS };

/* Starts the system again with its ports, before or after the state file is loaded. */
static void restart_with_ports(struct mo_world *w, enum way way)
{
	static const struct {
		uint32_t ifindex;
		const char *name, *alias;
	} ports[] = {{3, "sw3", ""}, {5, "sw5", "uplink"}, {9, "sw9", ""}};

	mo_world_restart(w);
	if (way == PORTS_LATER)
		mo_world_load(w);
	for (size_t i = 0; i < UNIT_COUNT(ports); i++)
		mo_world_add_port(w, ports[i].ifindex, ports[i].name, ports[i].alias);
	if (way == PORTS_THERE)
		mo_world_load(w);
}

/* Asserts that all rows of the table are the same after a restart. */
static void assert_kept(struct mo_world *w, const struct mo_table *table,
			const struct mo_column *col, const char *index, const char *value)
{
	static char before[64][65536], after[65536];

	assert_in_range(table->n_columns, 1, UNIT_COUNT(before));
	for (unsigned c = 0; c < table->n_columns; c++)
		mo_world_column(w, table->columns[c].name, before[c], sizeof(before[0]));
	for (enum way way = 0; way < WAYS; way++) {
		restart_with_ports(w, way);
		for (unsigned c = 0; c < table->n_columns; c++) {
			mo_world_column(w, table->columns[c].name, after, sizeof(after));
			if (strcmp(after, before[c]) != 0 && !starts_again(&table->columns[c]))
				fail_msg("%s.%s %s: after a restart %s has %s, expected %s",
					 col->name, index, value, table->columns[c].name, after,
					 before[c]);
		}
		if (!reads_otherwise(col))
			assert_value(w, col->name, index, value);
	}
}

/* Sets each value of an object in one row. Returns how many values a SET accepted. */
static unsigned check_object(struct mo_world *w, const struct mo_table *table,
			     const struct mo_column *col, const char *index)
{
	static struct values v;
	unsigned accepted = 0;

	values_of(col, &v);
	assert_in_range(v.n, 2, VALUES_MAX);
	for (unsigned i = 0; i < v.n; i++) {
		enum mo_error error = SET(w, {col->name, index, v.text[i]});

		if (error == MO_NO_ERROR) {
			accepted++;
			assert_kept(w, table, col, index, v.text[i]);
			continue;
		}
		/* Only combinations are refused: each value alone is in the object's range. */
		if (error != MO_INCONSISTENT_VALUE)
			fail_msg("%s.%s %s: %s", col->name, index, v.text[i], mo_strerror(error));
		print_message("%s.%s %s: %s\n", col->name, index, v.text[i], mo_strerror(error));
	}
	return accepted;
}

/* Objects of which only some values are possible at a time: settings that precede them. */
static void prepare(struct mo_world *w)
{
	w->conf.keep_absent = true;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {STATUS, "1.5", "createAndWait"},
			     {"lldpXdot1dcbxAdminApplicationPriorityAEPriority", "3.1.0", "0"},
			     {"lldpXdot1dcbxAdminApplicationPriorityAEPriority", "3.5.65535", "7"},
			     {"lldpXdot1dcbxAdminApplicationVlanAEVlanId", "3.1.0", "1"},
			     {"lldpXdot1dcbxAdminApplicationVlanAEVlanId", "3.5.65535", "4094"}),
			 MO_NO_ERROR);
}

/* Returns the number of writable objects that have a row. */
static unsigned check_objects(enum dcb_role role)
{
	struct mo_world *w = mo_world_new(role);
	unsigned objects = 0, accepted = 0;

	prepare(w);
	for (unsigned t = 0; t < MO_TABLES; t++) {
		const struct mo_table *table = mo_table((enum mo_table_id)t);

		for (unsigned i = 0; i < table->n_columns; i++) {
			const struct mo_column *col = &table->columns[i];
			struct mo_index at = {0};
			char index[80];
			unsigned n;

			if (!mo_is_writable(col) || col->syntax == MO_ROW_STATUS ||
			    mo_value_is_port(table, col) || !mo_world_next(w, t, &at))
				continue;
			mo_index_format(&at, index, sizeof(index));
			n = check_object(w, table, col, index);
			if (n == 0)
				fail_msg("%s.%s: a SET accepts no value", col->name, index);
			objects++;
			accepted += n;
		}
	}
	print_message("%u objects, %u values\n", objects, accepted);
	mo_world_free(w);
	return objects;
}

static void test_values_of_a_station_survive_a_restart(void **state)
{
	(void)state;
	assert_true(check_objects(ROLE_STATION) >= 75);
}

static void test_values_of_a_bridge_survive_a_restart(void **state)
{
	(void)state;
	assert_true(check_objects(ROLE_BRIDGE) >= 70);
}

/*
 * 32.11.5: 0 is a value as any other, alone on an interface with or without an alias, with
 * both profiles of initial values.
 */
static void test_max_rate_of_zero_alone_survives_a_restart(void **state)
{
	static const char *const rows[] = {"1.3.3.3", "1.3.5.3"};

	(void)state;
	for (size_t i = 0; i < 2 * UNIT_COUNT(rows); i++) {
		struct mo_world *w = mo_world_new(ROLE_STATION);
		const struct mo_table *table;
		const struct mo_column *col = mo_column_by_name("ieee8021CnRpgMaxRate", &table);

		w->conf.keep_absent = true;
		if (i % 2)
			w->conf.port_default.profile = CN_PROFILE_SCALED;
		assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
		restart_with_ports(w, PORTS_THERE);
		assert_int_equal(SET(w, {col->name, rows[i / 2], "0"}), MO_NO_ERROR);
		assert_kept(w, table, col, rows[i / 2], "0");
		mo_world_free(w);
	}
}

/* Bandwidths are percentages of classes with ETS, 100 together: one SET has both tables. */
static void test_bandwidth_of_0_and_100_survives_a_restart(void **state)
{
	static const char bw[] = "lldpXdot1dcbxAdminETSConTrafficClassBandwidth";
	static const char tsa[] = "lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(bw, &table);

	(void)state;
	w->conf.keep_absent = true;
	assert_int_equal(SET(w, {tsa, "5.1", "tsaEnhancedTransmission"}, {bw, "5.1", "100"},
			     {tsa, "5.2", "tsaEnhancedTransmission"}, {bw, "5.2", "0"}),
			 MO_NO_ERROR);
	assert_kept(w, table, col, "5.1", "100");
	assert_value(w, bw, "5.2", "0");
	assert_value(w, tsa, "5.2", "tsaEnhancedTransmission");
	mo_world_free(w);
}

/* RowStatus of the seven rows that a component can have, and both states of a row. */
static void test_row_status_survives_a_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(STATUS, &table);
	char index[8];

	(void)state;
	w->conf.keep_absent = true;
	for (unsigned p = 0; p < DCB_PRIORITIES - 1; p++) {
		snprintf(index, sizeof(index), "1.%u", p);
		assert_int_equal(SET(w, {STATUS, index, p % 2 ? "createAndWait" : "createAndGo"}),
				 MO_NO_ERROR);
	}
	assert_kept(w, table, col, "1.0", "active");
	assert_kept(w, table, col, "1.1", "notInService");
	for (unsigned p = 0; p < DCB_PRIORITIES - 1; p++) {
		snprintf(index, sizeof(index), "1.%u", p);
		assert_int_equal(SET(w, {STATUS, index, p % 2 ? "active" : "notInService"}),
				 MO_NO_ERROR);
	}
	assert_kept(w, table, col, "1.0", "notInService");
	assert_kept(w, table, col, "1.1", "active");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values_of_a_station_survive_a_restart),
	    cmocka_unit_test(test_values_of_a_bridge_survive_a_restart),
	    cmocka_unit_test(test_max_rate_of_zero_alone_survives_a_restart),
	    cmocka_unit_test(test_bandwidth_of_0_and_100_survives_a_restart),
	    cmocka_unit_test(test_row_status_survives_a_restart),
	};

	log_init("test_persist_values", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
