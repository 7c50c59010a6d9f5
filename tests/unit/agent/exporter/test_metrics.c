/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots of a dcbd that serves a few rows, and their text for Prometheus. */
#include <event2/buffer.h>
#include <string.h>

#include "agent/exporter/metrics.h"
#include "tests/unit/cli_server.h"
#include "tests/unit/unit.h"

static struct mo_client *client;

static int setup(void **state)
{
	if (start_server(state) != 0)
		return -1;
	client = mo_client_new(server.path, 60000);
	return client ? 0 : -1;
}

static int teardown(void **state)
{
	mo_client_free(client);
	return stop_server(state);
}

static void take(struct snapshot *s, const struct collect *collect)
{
	enum snapshot_status status;

	snapshot_init(s, collect);
	do
		status = snapshot_read(s, client);
	while (status == SNAPSHOT_MORE);
	assert_int_equal(status, SNAPSHOT_DONE);
}

/* Returns the text of a scrape of these objects, written in parts of this size. */
static char *scrape(const struct collect *collect, size_t part_octets)
{
	struct evbuffer *all = evbuffer_new(), *part = evbuffer_new();
	struct metrics m = {.table = 0};
	struct snapshot s;
	bool more = true;
	char *text;
	size_t n;

	take(&s, collect);
	while (more) {
		more = metrics_write(&m, &s, part, part_octets);
		assert_true(!more || evbuffer_get_length(part) >= part_octets);
		evbuffer_add_buffer(all, part);
	}
	snapshot_free(&s);
	n = evbuffer_get_length(all);
	text = calloc(1, n + 1);
	assert_non_null(text);
	evbuffer_remove(all, text, n);
	evbuffer_free(all);
	evbuffer_free(part);
	return text;
}

static struct collect table_of(enum mo_table_id id)
{
	struct collect c = {.columns = {0}};

	collect_add_table(&c, mo_table(id));
	return c;
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	/* Not strstr(), of which AddressSanitizer makes a look at all the rest in each call. */
	for (const char *p = text; *p; p++)
		n += strncmp(p, part, strlen(part)) == 0;
	return n;
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%.3000s", line, text);
}

static void test_rows_of_all_pages_are_samples(void **state)
{
	struct collect c = table_of(MO_cn_cp);
	char *text = scrape(&c, 65536);

	(void)state;
	assert_has(text,
		   "# HELP dcb_cn_cp_queue_size_set_point_bytes ieee8021CnCpQueueSizeSetPoint "
		   "of IEEE8021-CN-MIB, in octets there (clause 32.8.3)\n"
		   "# TYPE dcb_cn_cp_queue_size_set_point_bytes gauge\n"
		   "dcb_cn_cp_queue_size_set_point_bytes{port=\"1\",cn_cp_index=\"1\"} 26000\n");
	assert_has(text, "# TYPE dcb_cn_cp_discarded_frames_total counter\n");
	assert_has(text,
		   "dcb_cn_cp_transmitted_cnms_total{port=\"7\",cn_cp_index=\"1\"} "
		   "18446744073709551615\n");
	assert_has(text,
		   "dcb_cn_cp_identifier_info{port=\"1\",cn_cp_index=\"1\","
		   "text=\"00-1b-21-00-00-01-00-03\"} 1\n");
	assert_int_equal(count(text, "dcb_cn_cp_queue_size_set_point_bytes{"), SERVER_ROWS);
	/* A value that the row does not have is no sample. */
	assert_null(strstr(text, "dcb_cn_cp_min_header_octets_bytes{"));
	free(text);
}

/* The order of samples does not depend on where a part ends. */
static void test_parts_of_any_size_give_the_same_text(void **state)
{
	static const size_t sizes[] = {1, 100, 4096};
	struct collect c = table_of(MO_cn_cp);
	char *whole = scrape(&c, SIZE_MAX);

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(sizes); i++) {
		char *text = scrape(&c, sizes[i]);

		/* The counter of the server increases at each scrape. */
		assert_int_equal(count(text, "\n"), count(whole, "\n"));
		assert_int_equal(count(text, "# TYPE"), count(whole, "# TYPE"));
		free(text);
	}
	free(whole);
}

static void test_ports_have_their_names(void **state)
{
	struct collect c = table_of(MO_pfc_pri);
	char *text;

	(void)state;
	server_put("dcbPortName", "7", "sw\"p7");
	server_put("dcbPfcPriorityPauseTime", "7.3", "1500000");
	server_put("dcbPfcPriorityPauseTime", "8.3", "1");
	text = scrape(&c, 4096);
	assert_has(text,
		   "dcb_pfc_priority_pause_time_seconds_total{port=\"sw\\\"p7\","
		   "pfc_priority=\"3\"} 1.5\n");
	/* dcbd has no name for the port. */
	assert_has(text, "{port=\"8\",pfc_priority=\"3\"} 0.000001\n");
	/* The names were read, and are no metric of this scrape. */
	assert_null(strstr(text, "dcb_port_name"));
	free(text);
	server_clear();
}

static void test_states_and_bits_have_a_sample_for_each_name(void **state)
{
	struct collect c = {.columns = {0}};
	char *text;

	(void)state;
	assert_true(collect_add(&c, "watchdog"));
	assert_true(collect_add(&c, "health"));
	server_put("dcbPortName", "7", "swp7");
	server_put("dcbPfcWatchdogState", "7.3", "storm");
	server_put("dcbDcbxPortMismatch", "7", "ets");
	text = scrape(&c, 4096);
	assert_has(text,
		   "dcb_pfc_watchdog_state{port=\"swp7\",pfc_priority=\"3\",state=\"off\"} 0\n");
	assert_has(
	    text,
	    "dcb_pfc_watchdog_state{port=\"swp7\",pfc_priority=\"3\",state=\"watching\"} 0\n");
	assert_has(text,
		   "dcb_pfc_watchdog_state{port=\"swp7\",pfc_priority=\"3\",state=\"storm\"} 1\n");
	assert_has(text, "dcb_dcbx_port_mismatch{port=\"swp7\",bit=\"ets\"} 1\n");
	assert_has(text, "dcb_dcbx_port_mismatch{port=\"swp7\",bit=\"enable\"} 0\n");
	assert_int_equal(count(text, "dcb_dcbx_port_mismatch{"), 6);
	free(text);
	server_clear();
}

static unsigned series_of(const struct mo_column *col)
{
	struct metric m;
	unsigned n = 0;

	metric_of(col, &m);
	if (m.form != METRIC_STATES && m.form != METRIC_BITS)
		return 1;
	for (const struct mo_enum *e = col->names; e && e->name; e++)
		n++;
	return n;
}

/* Rows of a port with two CNPVs. */
static unsigned rows_of_port(const struct mo_table *table)
{
	if (mo_index_part(table, MO_PART_PORT) < 0)
		return 0;
	if (table->rows == MO_ROWS_PORT)
		return 1;
	if (table->rows != MO_ROWS_PORT_EACH)
		fail_msg("%s: how many rows does a port have?", table->name);
	return mo_index_part(table, MO_PART_COMPONENT) < 0 ? 8 : 2;
}

static void test_default_groups_have_few_series(void **state)
{
	struct collect c = {.columns = {0}}, sum = {.columns = {0}};
	static const char *const groups[] = {"health", "cp", "pfc", "watchdog"};
	unsigned n = 0;

	(void)state;
	collect_add_default(&c);
	for (size_t i = 0; i < UNIT_COUNT(groups); i++)
		assert_true(collect_add(&sum, groups[i]));
	assert_memory_equal(&c, &sum, sizeof(c));
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		for (unsigned i = 0; i < table->n_columns; i++) {
			if (c.columns[id] >> i & 1)
				n += rows_of_port(table) * series_of(&table->columns[i]);
		}
	}
	print_message("%u series a port\n", n);
	assert_in_range(n, 100, 160);
}

static void test_full_has_all_but_addresses_and_intervals(void **state)
{
	struct collect c = {.columns = {0}};

	(void)state;
	assert_false(collect_add(&c, "Full"));
	assert_false(collect_add(&c, ""));
	assert_true(collect_add(&c, "full"));
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);
		bool left_out = table->optional || table->id == MO_fdb || table->id == MO_tp_fdb ||
				table->id == MO_base_port || table->id == MO_trill_fdb ||
				table->id == MO_pfc_pause;

		assert_int_equal(__builtin_popcountll(c.columns[id]),
				 left_out ? 0 : table->n_columns);
	}
}

/* Rows of two runs of dcbd are no answer, and neither are half of the rows of one. */
static void test_restarted_dcbd_gives_no_rows(void **state)
{
	struct mo_client *nowhere = mo_client_new("/nonexistent/view", 1000);
	struct collect c = table_of(MO_cn_cp);
	struct snapshot s;

	(void)state;
	snapshot_init(&s, &c);
	assert_int_equal(snapshot_read(&s, client), SNAPSHOT_MORE);
	assert_int_equal(snapshot_read(&s, nowhere), SNAPSHOT_FAILED);
	assert_non_null(strstr(s.error, "/nonexistent/view"));
	snapshot_free(&s);
	mo_client_free(nowhere);
	snapshot_init(&s, &c);
	assert_int_equal(snapshot_read(&s, client), SNAPSHOT_MORE);
	s.boot_id++;
	assert_int_equal(snapshot_read(&s, client), SNAPSHOT_FAILED);
	assert_string_equal(s.error, "dcbd was restarted while it was read");
	snapshot_free(&s);
}

static void test_up_is_always_there(void **state)
{
	struct evbuffer *out = evbuffer_new();
	char text[1024] = "";

	(void)state;
	metrics_write_up(out, false, 7, 1);
	evbuffer_remove(out, text, sizeof(text) - 1);
	assert_has(text, "# TYPE dcb_up gauge\ndcb_up 0\n");
	assert_null(strstr(text, "dcb_scrape_rows"));
	memset(text, 0, sizeof(text));
	metrics_write_up(out, true, 7, 0.25);
	evbuffer_remove(out, text, sizeof(text) - 1);
	assert_has(text, "\ndcb_up 1\n");
	assert_has(text, "\ndcb_scrape_rows 7\n");
	assert_has(text, "\ndcb_scrape_duration_seconds 0.250000\n");
	evbuffer_free(out);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_of_all_pages_are_samples),
	    cmocka_unit_test(test_parts_of_any_size_give_the_same_text),
	    cmocka_unit_test(test_ports_have_their_names),
	    cmocka_unit_test(test_states_and_bits_have_a_sample_for_each_name),
	    cmocka_unit_test(test_default_groups_have_few_series),
	    cmocka_unit_test(test_full_has_all_but_addresses_and_intervals),
	    cmocka_unit_test(test_restarted_dcbd_gives_no_rows),
	    cmocka_unit_test(test_up_is_always_there),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
