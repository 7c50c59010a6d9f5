/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a snapshot as JSON: those of dcbctl show, in parts of any size. */
#include <event2/buffer.h>
#include <jansson.h>
#include <string.h>

#include "agent/exporter/tables.h"
#include "tests/unit/cli_server.h"
#include "tests/unit/unit.h"

/* Returns the JSON of these objects, written in parts of this size. */
static json_t *tables_of(const struct collect *collect, size_t part_octets)
{
	struct mo_client *client = mo_client_new(server.path, 60000);
	struct evbuffer *all = evbuffer_new(), *part = evbuffer_new();
	enum snapshot_status status = SNAPSHOT_MORE;
	struct tables t = {.table = 0};
	struct snapshot s;
	json_error_t error;
	bool more = true;
	json_t *j;

	snapshot_init(&s, collect);
	while (status == SNAPSHOT_MORE)
		status = snapshot_read(&s, client);
	assert_int_equal(status, SNAPSHOT_DONE);
	tables_begin(all);
	while (more) {
		more = tables_write(&t, &s, part, part_octets);
		assert_true(!more || evbuffer_get_length(part) >= part_octets);
		evbuffer_add_buffer(all, part);
	}
	snapshot_free(&s);
	mo_client_free(client);
	j = json_loadb((const char *)evbuffer_pullup(all, -1), evbuffer_get_length(all), 0, &error);
	if (!j)
		fail_msg("%s", error.text);
	evbuffer_free(all);
	evbuffer_free(part);
	return j;
}

/* All tables, with three pages of one of them. */
static void test_are_those_of_dcbctl_show(void **state)
{
	static const size_t sizes[] = {1, 5000, SIZE_MAX};
	struct collect c = {.columns = {0}};

	(void)state;
	server_put("dcbPortName", "7", "sw\"p7");
	server_put("dcbPortRate", "7", "10000000000");
	collect_add_all(&c);
	for (size_t i = 0; i < UNIT_COUNT(sizes); i++) {
		json_t *j, *shown;

		server.transmitted = 100; /* each reading increases it */
		shown = expect_json(RUN_ALL(cmd_show, true));
		server.transmitted = 100;
		j = tables_of(&c, sizes[i]);
		assert_true(json_equal(j, shown));
		json_decref(j);
		json_decref(shown);
	}
	server_clear();
}

static void test_only_wanted_tables_are_written(void **state)
{
	struct collect c = {.columns = {0}};
	json_t *j;

	(void)state;
	collect_add_table(&c, mo_table(MO_cn_cp));
	j = tables_of(&c, 4096);
	assert_int_equal(json_array_size(j), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(j, 0), "table")),
			    "ieee8021CnCpTable");
	assert_int_equal(json_array_size(json_object_get(json_array_get(j, 0), "rows")),
			 SERVER_ROWS);
	json_decref(j);
}

static void test_errors_are_json(void **state)
{
	struct evbuffer *out = evbuffer_new();
	char text[256] = "";

	(void)state;
	tables_write_error(out, "no \"dcbd\"\xff");
	evbuffer_remove(out, text, sizeof(text) - 1);
	assert_string_equal(text, "{\"error\":\"no \\\"dcbd\\\"?\"}\n");
	evbuffer_free(out);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_are_those_of_dcbctl_show),
	    cmocka_unit_test(test_only_wanted_tables_are_written),
	    cmocka_unit_test(test_errors_are_json),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
