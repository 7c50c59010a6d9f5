/* SPDX-License-Identifier: BSD-3-Clause */
/* MO_READ_ORIGIN: where the values of settings come from. */
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <string.h>

#include "control/managed_conf.h"
#include "control/objects/mo_origin.h"
#include "control/objects/mo_settings.h"
#include "control/persist.h"
#include "lib/log.h"
#include "lib/ranges.h"

#define EGRESS  "dcbVlanPortEgress"
#define U_PORT  "dcbStaticUnicastPort"
#define APP     "lldpXdot1dcbxAdminApplicationPriorityAEPriority"
#define ENABLED "dcbPfcPriorityEnable"
#define ALLOW   "ieee8021PfcLinkDelayAllowance"

/* dcbd.conf of the tests. */
static struct conf conf;

static void add(const char *object, const char *index, const char *port, const char *value)
{
	struct conf_initial *in = &conf.initial[conf.n_initial++];

	*in = (struct conf_initial){.object = (char *)(uintptr_t)object,
				    .index = (char *)(uintptr_t)index,
				    .port = (char *)(uintptr_t)port,
				    .value = (char *)(uintptr_t)value,
				    .line = (unsigned)(10 + conf.n_initial)};
}

static void use_conf(struct mo_world *w)
{
	assert_true(mo_service_use_origins(w->service, managed_conf_origins(&conf)));
}

/* Starts a system with the file's values, as without a state file. */
static struct mo_world *start(void)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[256];

	if (!persist_initial(w->m, &conf, err, sizeof(err)))
		fail_msg("%s", err);
	mo_world_adopt(w);
	use_conf(w);
	return w;
}

static void restart(struct mo_world *w)
{
	mo_world_reload(w);
	use_conf(w);
}

/* Reads the rows from index on. Returns their number; *in is at the first one. */
static unsigned read_rows(struct mo_world *w, unsigned table, unsigned flags,
			  const struct mo_index *index, struct octets_in *in)
{
	static uint8_t buf[MO_MSG_MAX];
	uint8_t request[256];
	struct octets_out out = mo_world_request(request, sizeof(request), MO_OP_READ, table);
	struct octets_out reply = octets_out(buf, sizeof(buf));
	struct mo_msg_header h;

	octets_out_u8(&out, (uint8_t)(flags | MO_READ_ORIGIN));
	octets_out_be16(&out, 1000);
	mo_msg_put_index(&out, index);
	assert_true(mo_service_handle(w->session, request, out.len, &reply));
	*in = octets_in(buf, reply.len);
	assert_true(mo_msg_get_header(in, &h));
	assert_int_equal(octets_in_u8(in), 0); /* all rows */
	return octets_in_be16(in);
}

/* Asserts the origin of an object: "default", "file 12", "SET", "SET 12", "none". */
static void check(struct mo_world *w, const char *object, const char *instance,
		  const char *expected)
{
	static const char *const names[] = {"none", "default", "file", "SET"};
	struct mo_origin origin = {0};
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);
	struct mo_index index;
	struct mo_value value;
	struct octets_in in;
	char text[32];

	assert_true(mo_index_parse(instance, &index));
	assert_int_equal(read_rows(w, table->id, MO_READ_EXACT, &index, &in), 1);
	mo_msg_get_index(&in, &index);
	for (const struct mo_column *at = table->columns; at <= col; at++)
		if (mo_msg_get_value(&in, &value))
			mo_msg_get_origin(&in, &origin);
	assert_false(in.overrun);
	snprintf(text, sizeof(text), origin.line ? "%s %u" : "%s", names[origin.kind], origin.line);
	if (strcmp(text, expected) != 0)
		fail_msg("%s.%s: %s, expected %s", object, instance, text, expected);
}

/* Every setting of a new system is a default, and nothing else has an origin. */
static void check_defaults(const struct mo_table *table, const struct mo_column *col,
			   const struct mo_origin *origin, unsigned *settings)
{
	bool repeats = mo_settings_scope(table->id) == MO_SCOPE_ALIAS;
	unsigned expected = MO_ORIGIN_NONE;

	if (mo_is_writable(col) && !repeats)
		expected = col->syntax == MO_ROW_STATUS ? MO_ORIGIN_SET : MO_ORIGIN_DEFAULT;
	if (origin->kind != expected || origin->line != 0)
		fail_msg("%s: origin %u, line %u", col->name, origin->kind, origin->line);
	*settings += expected == MO_ORIGIN_DEFAULT;
}

static void test_new_system_has_defaults(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	unsigned settings = 0;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);
		struct mo_index index = {0};
		struct mo_origin origin;
		struct mo_value value;
		struct octets_in in;
		unsigned rows = read_rows(w, id, 0, &index, &in);

		for (unsigned i = 0; i < rows; i++) {
			mo_msg_get_index(&in, &index);
			for (unsigned c = 0; c < table->n_columns; c++) {
				if (!mo_msg_get_value(&in, &value))
					continue;
				mo_msg_get_origin(&in, &origin);
				check_defaults(table, &table->columns[c], &origin, &settings);
			}
		}
		assert_false(in.overrun);
	}
	printf("%u settings\n", settings);
	assert_true(settings > 300);
	mo_world_free(w);
}

static void test_value_of_the_file_has_its_line(void **state)
{
	struct mo_world *w;

	(void)state;
	conf = (struct conf){0};
	add(STATUS, "1.3", NULL, "createAndGo"); /* line 11 */
	add(QSP, "1.*.3", "sw[35]", "31000");
	add(QSP, "1.*.3", "sw5", "32000");
	add("dcbNotifyRateLimit", "0", NULL, "7");
	add(ENABLED, "*.6", "sw9", "true");
	w = start();
	check(w, STATUS, "1.3", "file 11");
	check(w, "ieee8021CnComPriAlternatePriority", "1.3", "default");
	check(w, QSP, "1.3.3", "file 12");
	check(w, QSP, "1.5.3", "file 13"); /* of several values the last one counts */
	check(w, QSP, "1.9.3", "default");
	check(w, "dcbNotifyRateLimit", "0", "file 14");
	check(w, ENABLED, "9.6", "file 15");
	check(w, ENABLED, "9.5", "default");
	check(w, ENABLED, "3.6", "default");
	check(w, "lldpXdot1dcbxAdminPFCEnableEnabled", "9.6", "none"); /* the same setting */
	check(w, "dcbPortName", "3", "none");
	mo_world_free(w);
}

/* The line of a value that is not in force stays, so that an operator finds it. */
static void test_set_replaces_the_value_of_the_file(void **state)
{
	struct mo_world *w;

	(void)state;
	conf = (struct conf){0};
	add(STATUS, "1.3", NULL, "createAndGo");
	add(QSP, "1.*.3", "sw3", "31000"); /* line 12 */
	w = start();
	assert_int_equal(SET(w, {QSP, "1.3.3", "40000"}, {QSP, "1.5.3", "31000"},
			     {ALLOW, "5", "77"}, {"dcbNotifyRateLimit", "0", "9"}),
			 MO_NO_ERROR);
	for (int i = 0; i < 2; i++) { /* and after a restart, from the state file */
		check(w, QSP, "1.3.3", "SET 12");
		check(w, QSP, "1.5.3", "SET");
		check(w, ALLOW, "5", "SET");
		check(w, ALLOW, "3", "default");
		check(w, "dcbNotifyRateLimit", "0", "SET");
		check(w, STATUS, "1.3", "file 11");
		if (i == 0)
			restart(w);
	}
	assert_int_equal(SET(w, {QSP, "1.3.3", "31000"}, {ALLOW, "5", "0"}), MO_NO_ERROR);
	check(w, QSP, "1.3.3", "file 12");
	check(w, ALLOW, "5", "default");
	mo_world_free(w);
}

/* An object of the profile that was set to its initial value does not follow the profile. */
static void test_set_to_the_value_of_the_profile_is_a_set(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	check(w, QSP, "1.3.3", "default");
	assert_int_equal(SET(w, {QSP, "1.3.3", "26000"}), MO_NO_ERROR);
	check(w, QSP, "1.3.3", "SET");
	mo_world_free(w);
}

static void test_rows_that_a_set_creates(void **state)
{
	struct mo_world *w;

	(void)state;
	conf = (struct conf){0};
	add(U_PORT, "10.2.0.0.0.0.1", "sw5", "*"); /* line 11 */
	add(APP, "*.4.3260", "sw3", "4");
	add("lldpXdot1dcbxAdminPFCEnableEnabled", "*.2", "sw3", "true");
	w = start();
	assert_int_equal(SET(w, {U_PORT, "10.2.0.0.0.0.2", "3"},
			     {"dcbStaticUnicastRowStatus", "10.2.0.0.0.0.2", "createAndGo"},
			     {APP, "3.4.4791", "3"}),
			 MO_NO_ERROR);
	check(w, U_PORT, "10.2.0.0.0.0.1", "file 11");
	check(w, "dcbStaticUnicastRowStatus", "10.2.0.0.0.0.1", "file 11");
	check(w, U_PORT, "10.2.0.0.0.0.2", "SET");
	check(w, "dcbStaticUnicastRowStatus", "10.2.0.0.0.0.2", "SET");
	check(w, APP, "3.4.3260", "file 12");
	check(w, APP, "3.4.4791", "SET");
	check(w, ENABLED, "3.2", "file 13");
	assert_int_equal(SET(w, {U_PORT, "10.2.0.0.0.0.1", "9"}), MO_NO_ERROR);
	check(w, U_PORT, "10.2.0.0.0.0.1", "SET 11");
	mo_world_free(w);
}

static void test_vlans_of_ports(void **state)
{
	struct mo_world *w;

	(void)state;
	conf = (struct conf){.n_ports = 2};
	conf.vlans_default = (struct conf_vlans){.is_set = true, .line = 5};
	assert_true(ranges_parse("1-30", 0, 1, 4094, conf.vlans_default.member));
	strcpy(conf.ports[0].name, "sw3");
	conf.ports[0].vlans = (struct conf_vlans){.is_set = true, .line = 7};
	assert_true(ranges_parse("1,10", 0, 1, 4094, conf.ports[0].vlans.member));
	strcpy(conf.ports[1].name, "sw[35]");
	w = start();
	check(w, EGRESS, "3", "file 7");
	check(w, EGRESS, "5", "default"); /* its entry has no VLANs */
	check(w, EGRESS, "9", "file 5");
	check(w, EGRESS "4k", "9", "file 5");
	assert_int_equal(SET(w, {EGRESS, "9", "1-31"}), MO_NO_ERROR);
	check(w, EGRESS, "9", "SET 5");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_new_system_has_defaults),
	    cmocka_unit_test(test_value_of_the_file_has_its_line),
	    cmocka_unit_test(test_set_replaces_the_value_of_the_file),
	    cmocka_unit_test(test_set_to_the_value_of_the_profile_is_a_set),
	    cmocka_unit_test(test_rows_that_a_set_creates),
	    cmocka_unit_test(test_vlans_of_ports),
	};

	log_init("test_mo_origin", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
