/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl set, objects and monitor, the names of tables and objects, and error messages. */
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "agent/cli/base/text_table.h"
#include "agent/cli/base/out.h"
#include "agent/cli/port/edit.h"
#include "agent/cli/base/target.h"
#include "tests/unit/cli_server.h"

/* --- set -------------------------------------------------------------------------------- */

static void test_set_prints_assignments(void **state)
{
	unsigned before = server.n_cleanup;
	json_t *j;
	char *text;

	(void)state;
	expect_out(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "30000",
		       "ieee8021CnCpFeedbackWeight.1.1.1", "-3"),
		   "ieee8021CnCpQueueSizeSetPoint.1.1.1 = 30000 octets\n"
		   "ieee8021CnCpFeedbackWeight.1.1.1 = -3\n");
	assert_int_equal(server.set_point, 30000);
	/* The server has read CLEANUP when the next request on a new connection is answered. */
	j = expect_json(RUN(cmd_set, true, "ieee8021CnComPriRowStatus.1.3", "createAndGo"));
	text = json_dumps(j, JSON_COMPACT);
	assert_string_equal(text,
			    "[{\"version\":1,\"object\":\"ieee8021CnComPriRowStatus\","
			    "\"instance\":\"1.3\",\"value\":\"createAndGo\"}]");
	free(text);
	json_decref(j);
	assert_int_equal(server.n_cleanup, before + 2);
	assert_int_equal(server.n_undo, 0);
}

static void test_set_rejects_bad_arguments(void **state)
{
	unsigned before = server.n_test;

	(void)state;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "30000",
			 "ieee8021CnCpQueueSizeSetPoint.1.2.1", "99"),
		     CLI_FAILED,
		     "dcbctl: ieee8021CnCpQueueSizeSetPoint.1.2.1: wrongValue: expected "
		     "100..4294967295 octets, not \"99\"\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnComPriDefModeChoice.1.3", "cpcComp"),
		     CLI_FAILED,
		     "dcbctl: ieee8021CnComPriDefModeChoice.1.3: wrongValue: expected one of "
		     "cpcAdmin, cpcAuto, not \"cpcComp\"\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnCpTransmittedCnms.1.1.1", "0"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpTransmittedCnms.1.1.1: notWritable: the object is "
		     "read-only\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1", "200"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpQueueSizeSetPoint.1.1: expected OBJECT.INDEX, with all "
		     "3 numbers of the index\n");
	expect_error(RUN(cmd_set, false, "cn_cp.1.1.1", "200"), CLI_FAILED,
		     "dcbctl: cn_cp.1.1.1: expected OBJECT.INDEX, with all 3 numbers of the "
		     "index\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1"), CLI_USAGE,
		     "usage: dcbctl [-jpsN] [--socket socket] command ARGS\n");
	/* Nothing was sent to dcbd. */
	assert_int_equal(server.n_test, before);
}

static void test_set_explains_errors_of_dcbd(void **state)
{
	unsigned commits = server.n_commit, undos = server.n_undo;

	(void)state;
	server.refuse_test = MO_INCONSISTENT_VALUE;
	server.refuse_at = 2;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "31000",
			 "ieee8021CnComPriRowStatus.1.4", "active"),
		     CLI_FAILED,
		     "dcbctl: ieee8021CnComPriRowStatus.1.4: inconsistentValue: the value "
		     "contradicts other objects, or the state of the row\n");
	assert_int_equal(server.n_commit, commits);
	server.refuse_test = MO_NO_ERROR;
	server.refuse_commit = MO_COMMIT_FAILED;
	server.refuse_at = 0;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "31000"),
		     CLI_FAILED,
		     "dcbctl: commitFailed: nothing was changed; dcbd's log says why\n");
	assert_int_equal(server.n_undo, undos + 1);
	server.refuse_commit = MO_NO_ERROR;
}

/* dcbd's reason is printed instead of the explanation, without control characters. */
static void test_set_prints_reason_of_dcbd(void **state)
{
	(void)state;
	server.refuse_because = "swp1: willing: expected \x1b not willing";
	server.refuse_test = MO_INCONSISTENT_VALUE;
	server.refuse_at = 1;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "31000"),
		     CLI_FAILED,
		     "dcbctl: ieee8021CnCpQueueSizeSetPoint.1.1.1: inconsistentValue: "
		     "swp1: willing: expected ? not willing\n");
	server.refuse_test = MO_NO_ERROR;
	server.refuse_commit = MO_COMMIT_FAILED;
	server.refuse_at = 0;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "31000"),
		     CLI_FAILED, "dcbctl: commitFailed: swp1: willing: expected ? not willing\n");
	server.refuse_commit = MO_NO_ERROR;
	server.refuse_because = NULL;
}

/* --- preset --------------------------------------------------------------------------------- */

#define APP_OBJECT "lldpXdot1dcbxAdminApplicationPriorityAEPriority"

static int dry_run(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	assert_true(cli_preset_option(cli, 'd', NULL));
	return cmd_preset(cli, self, argc, argv);
}

static void test_preset_sets_application_priorities(void **state)
{
	unsigned tests = server.n_test, commits = server.n_commit;
	struct ran ran;

	(void)state;
	server_put("dcbPortName", "1", "uplink");
	server_put("dcbPortName", "70002", "sw2");
	expect_out(RUN(cmd_preset, false, "rocev2", "uplink"),
		   APP_OBJECT ".1.3.4791 = 3\n" APP_OBJECT ".1.5.26 = 3\n" APP_OBJECT
			      ".1.5.48 = 6\ndcbPortTrust.1 = dscpPcp\n");
	expect_out(RUN(cmd_preset, false, "iscsi", "uplink", "70002"),
		   APP_OBJECT ".1.2.3260 = 4\n" APP_OBJECT ".70002.2.3260 = 4\n");
	expect_out(RUN(cmd_preset, false, "fcoe", "priority=5", "sw2"),
		   APP_OBJECT ".70002.1.35078 = 5\n" APP_OBJECT ".70002.1.35092 = 5\n");
	/* Congestion notification packets keep a priority of their own. */
	expect_out(RUN(cmd_preset, false, "rocev2", "priority=0", "uplink"),
		   APP_OBJECT ".1.3.4791 = 0\n" APP_OBJECT ".1.5.26 = 0\n" APP_OBJECT
			      ".1.5.48 = 6\ndcbPortTrust.1 = dscpPcp\n");
	/* Each is one transaction. */
	assert_int_equal(server.n_test, tests + 4);
	assert_int_equal(server.n_commit, commits + 4);
	ran = RUN(cmd_preset, false, "dscp", "sw2");
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out, APP_OBJECT ".70002.5.0 = 0\n"));
	assert_non_null(strstr(ran.out, APP_OBJECT ".70002.5.46 = 5\n"));
	assert_non_null(strstr(ran.out, APP_OBJECT ".70002.5.56 = 7\n"));
	free(ran.out);
	server_clear();
}

static void test_preset_dry_run_sets_nothing(void **state)
{
	unsigned tests = server.n_test;

	(void)state;
	server_put("dcbPortName", "1", "uplink");
	expect_out(RUN(dry_run, false, "iscsi", "priority=7", "uplink"),
		   APP_OBJECT ".1.2.3260 = 7\n");
	assert_int_equal(server.n_test, tests);
	server_clear();
}

static void test_preset_errors(void **state)
{
	static const char usage[] = "usage: dcbctl [-jpsN] [--socket socket] command ARGS\n";
	unsigned tests = server.n_test;

	(void)state;
	server_put("dcbPortName", "1", "uplink");
	expect_error(RUN(cmd_preset, false, "iscsi"), CLI_USAGE, usage);
	expect_error(RUN(cmd_preset, false, "iscsi", "priority=4"), CLI_USAGE, usage);
	expect_error(RUN(cmd_preset, false, "nfs", "uplink"), CLI_FAILED,
		     "dcbctl: unknown preset \"nfs\"; expected rocev2, iscsi, fcoe or dscp\n");
	expect_error(RUN(cmd_preset, false, "iscsi", "priority=8", "uplink"), CLI_FAILED,
		     "dcbctl: priority=8: expected a priority 0..7\n");
	expect_error(RUN(cmd_preset, false, "iscsi", "priority=", "uplink"), CLI_FAILED,
		     "dcbctl: priority=: expected a priority 0..7\n");
	expect_error(RUN(cmd_preset, false, "dscp", "priority=3", "uplink"), CLI_FAILED,
		     "dcbctl: priority=3: the preset \"dscp\" has a priority for each DSCP\n");
	expect_error(RUN(cmd_preset, false, "iscsi", "uplink", "eth9"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"eth9\"\n");
	expect_error(RUN(dry_run, false, "iscsi", "eth9"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"eth9\"\n");
	assert_int_equal(server.n_test, tests);
	server.refuse_test = MO_RESOURCE_UNAVAILABLE;
	server.refuse_at = 2;
	expect_error(RUN(cmd_preset, false, "fcoe", "uplink"), CLI_FAILED,
		     "dcbctl: " APP_OBJECT
		     ".1.1.35092: resourceUnavailable: dcbd is out of memory or disk space\n");
	server.refuse_test = MO_NO_ERROR;
	server.refuse_at = 0;
	server_clear();
}

/* Without the assignment before, a sum is another one: the reason is the same. */
static void test_reason_is_new_if_dcbd_expects_other_values(void **state)
{
	static const char *const reasons[] = {"uplink: sum: expected 100, not 90",
					      "uplink: sum: expected 100, not 40",
					      "uplink: sum: expected 10, not 40"};
	struct edit e = {.n = 0};

	(void)state;
	assert_true(edit_is_new_reason(&e, reasons[0]));
	assert_false(edit_is_new_reason(&e, reasons[1]));
	assert_true(edit_is_new_reason(&e, reasons[2]));
	assert_true(edit_is_new_reason(&e, ""));
	assert_true(edit_is_new_reason(&e, ""));
	edit_close(&e);
}

/* --- objects, names, connection ------------------------------------------------------------ */

static void test_objects_prints_descriptors(void **state)
{
	json_t *j = expect_json(RUN_ALL(cmd_objects, true));
	unsigned columns = 0;
	char *text;

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		columns += t->optional ? 0 : t->n_columns;
	}
	assert_int_equal(json_array_size(j), columns);
	json_decref(j);
	j = expect_json(RUN(cmd_objects, true, "cpfcIfPriorityTable"));
	assert_int_equal(json_array_size(j), 2);
	json_decref(j);

	j = expect_json(RUN(cmd_objects, true, "CnComPriDefModeChoice"));
	text = json_dumps(j, JSON_COMPACT);
	assert_string_equal(
	    text,
	    "[{\"version\":1,\"object\":\"ieee8021CnComPriDefModeChoice\","
	    "\"table\":\"ieee8021CnCompntPriTable\",\"module\":\"IEEE8021-CN-MIB\","
	    "\"oid\":\"1.3.111.2.802.1.1.18.1.3.1.3\",\"syntax\":\"INTEGER\","
	    "\"access\":\"read-create\",\"min\":1,\"max\":2,"
	    "\"names\":{\"cpcAdmin\":1,\"cpcAuto\":2,\"cpcComp\":3},"
	    "\"default\":\"cpcAuto\",\"defval\":true,\"unit\":\"\",\"clause\":\"32.3.1\"}]");
	free(text);
	json_decref(j);
	expect_out(RUN(cmd_objects, false, "ieee8021PfcLinkDelayAllowance"),
		   "object                         syntax      range          default  access      "
		   "unit  clause  oid\n"
		   "ieee8021PfcLinkDelayAllowance  Unsigned32  0..4294967295  0        read-write  "
		   "      12.23   1.3.111.2.802.1.1.21.1.1.1.1\n");
}

/*
 * The name of a port is that in dcbd's namespace: here "lo" has ifIndex 1, in dcbd's
 * namespace ifIndex 70002.
 */
static void test_name_of_a_port_is_looked_up_in_dcbd(void **state)
{
	json_t *j, *rows;

	(void)state;
	assert_int_equal(if_nametoindex("lo"), 1);
	server_put("dcbPortName", "1", "uplink");
	server_put("dcbPortName", "70002", "lo");
	server_put("dcbPfcPriorityEnable", "1.3", "false");
	server_put("dcbPfcPriorityEnable", "70002.3", "true");
	expect_out(RUN(cmd_set, false, "dcbPfcPriorityEnable.lo.3", "true",
		       "ieee8021CnCpQueueSizeSetPoint.1.uplink.1", "30000"),
		   "dcbPfcPriorityEnable.70002.3 = true\n"
		   "ieee8021CnCpQueueSizeSetPoint.1.1.1 = 30000 octets\n");
	j = expect_json(RUN(cmd_show, true, "dcbPfcPriorityEnable.lo"));
	rows = json_object_get(json_array_get(j, 0), "rows");
	assert_int_equal(json_array_size(rows), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "instance")),
			    "70002.3");
	json_decref(j);
	/* The 34th column of the table. */
	j = expect_json(RUN(cmd_show, true, "port", "lo"));
	rows = json_object_get(json_array_get(j, 0), "rows");
	assert_string_equal(json_string_value(json_object_get(
				json_object_get(json_array_get(rows, 0), "values"), "dcbPortName")),
			    "lo");
	json_decref(j);
	expect_error(RUN(cmd_set, false, "dcbPfcPriorityEnable.eth9.3", "true"), CLI_FAILED,
		     "dcbctl: ifIndex: expected 1..2147483647 or the name of a port of dcbd, not "
		     "\"eth9\"\n");
	expect_error(RUN(cmd_watch, false, "dcbPfcPriorityEnable.eth9"), CLI_FAILED,
		     "dcbctl: ifIndex: expected 1..2147483647 or the name of a port of dcbd, not "
		     "\"eth9\"\n");
	server_clear();
}

/* target_parse() finds every table and object by its names. */
static void test_targets_are_found_by_name(void **state)
{
	struct target target;
	char err[256];

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		assert_true(target_parse(target_alias(t), NULL, &target, err, sizeof(err)));
		assert_ptr_equal(target.table, t);
		assert_null(target.col);
		assert_true(target_parse(t->name, NULL, &target, err, sizeof(err)));
		assert_ptr_equal(target.table, t);
		for (unsigned i = 0; i < t->n_columns; i++) {
			assert_true(
			    target_parse(t->columns[i].name, NULL, &target, err, sizeof(err)));
			assert_ptr_equal(target.col, &t->columns[i]);
		}
	}
	assert_true(target_parse("cn_cpid.0.27.33.0.0.1.0.3", NULL, &target, err, sizeof(err)));
	assert_int_equal(target.index.n, 8);
	assert_false(target_parse("cn_cpid.256", NULL, &target, err, sizeof(err)));
	assert_false(target_parse("cn_cp.", NULL, &target, err, sizeof(err)));
	assert_false(target_parse("cn_cp.1..2", NULL, &target, err, sizeof(err)));
	assert_false(target_parse("", NULL, &target, err, sizeof(err)));
	/* Without a connection to dcbd there are no names of ports. */
	assert_false(target_parse("cn_cp.1.lo", NULL, &target, err, sizeof(err)));
	assert_string_equal(err, "ieee8021CnCpIfIndex: expected 1..2147483647, not \"lo\"");
}

/* Column headings begin at a word of the name, and are unique within a table. */
static void test_column_headings_are_unique(void **state)
{
	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);
		static struct mo_value values[OUT_COLUMNS_MAX];
		struct out_row row = {.index = {.n = t->index_len}, .values = values};
		char *text = NULL, *save = NULL, *heads[TEXT_TABLE_COLUMNS_MAX], *head;
		size_t size, n = 0;
		FILE *f = open_memstream(&text, &size);
		struct out *out = out_text_new(f);

		out->ops->table(out, t, NULL);
		out->ops->row(out, &row);
		out->ops->row(out, &row);
		out->ops->end(out, true);
		fclose(f);
		head = strtok_r(strchr(text, '\n') + 1, "\n", &save);
		for (head = strtok_r(head, " ", &save); head; head = strtok_r(NULL, " ", &save)) {
			if (strcmp(head, "ifIndex") != 0)
				assert_in_range(head[0], 'A', 'Z');
			for (size_t i = 0; i < n; i++)
				assert_string_not_equal(head, heads[i]);
			heads[n++] = head;
		}
		/* An index object that is also accessible is shown once. */
		assert_int_equal(n, t->n_index + t->n_columns -
					(id == MO_cn_errored_port || id == MO_base_port));
		free(text);
	}
}

/* Events that the server sends. */
#define LINE1 "2025-11-21T16:56:11.050Z dcbErroredPortCreated: ieee8021CnEpIfIndex.1.4.2 = 2\n"
#define LINE2 "2025-11-21T16:56:11.050Z notification 200 (switched off)\n"

/* The server closes the connection after two events; monitor goes on with the third. */
static void test_monitor_reconnects_and_goes_on(void **state)
{
	struct ran ran = RUN_ALL(cmd_monitor, false);
	char lost[256];
	json_t *j;

	(void)state;
	snprintf(lost, sizeof(lost), "dcbctl: %s: dcbd closed the connection\n", server.path);
	assert_int_equal(ran.rc, CLI_OK);
	assert_string_equal(ran.err, lost);
	assert_string_equal(ran.out, LINE1 LINE2 LINE1);
	assert_int_equal(server.subscribed, 3);
	free(ran.out);

	ran = RUN_ALL(cmd_monitor, true);
	j = json_loads(ran.out, JSON_DISABLE_EOF_CHECK, NULL);
	assert_true(json_is_array(j));
	assert_string_equal(json_string_value(json_object_get(json_array_get(j, 0), "event")),
			    "dcbErroredPortCreated");
	assert_true(json_is_true(json_object_get(json_array_get(j, 0), "notification")));
	assert_int_equal(
	    json_integer_value(json_object_get(
		json_array_get(json_object_get(json_array_get(j, 0), "objects"), 0), "value")),
	    2);
	json_decref(j);
	j = json_loads(strchr(ran.out, '\n'), JSON_DISABLE_EOF_CHECK, NULL);
	assert_string_equal(json_string_value(json_object_get(json_array_get(j, 0), "event")),
			    "notification 200");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(j, 0), "number")), 2);
	json_decref(j);
	free(ran.out);
	expect_error(RUN(cmd_monitor, false, "cp"), CLI_USAGE,
		     "usage: dcbctl [-jpsN] [--socket socket] command ARGS\n");
}

static void test_aliases_are_documented(void **state)
{
	static const char *const files[] = {"man/dcbctl.8"};
	const char *srcdir = getenv("DCB_SRCDIR");

	(void)state;
	for (size_t f = 0; f < UNIT_COUNT(files); f++) {
		static char text[262144];
		char path[4096], want[256];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", files[f]);
		file = fopen(path, "r");
		if (!file)
			fail_msg("%s", path);
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		for (unsigned id = 0; id < MO_TABLES; id++) {
			const struct mo_table *t = mo_table((enum mo_table_id)id);

			snprintf(want, sizeof(want), "\n.It %s\t%s\n", target_alias(t), t->name);
			if (!strstr(text, want))
				fail_msg("%s lacks %s, %s", path, target_alias(t), t->name);
		}
	}
}

static void test_unreachable_dcbd_is_reported(void **state)
{
	char path[sizeof(server.path)], want[512];
	struct ran ran;

	(void)state;
	strcpy(path, server.path);
	strcat(server.path, ".no");
	snprintf(want, sizeof(want),
		 "dcbctl: %s: connect: No such file or directory; no dcbd that is running has "
		 "this socket: see control.socket in dcbd.conf(5)\n",
		 server.path);
	ran = RUN(cmd_show, false, "cn_cp");
	assert_int_equal(ran.n, 0); /* no output */
	expect_error(ran, CLI_FAILED, want);
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "30000"),
		     CLI_FAILED, want);
	strcpy(server.path, path);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_prints_assignments),
	    cmocka_unit_test(test_set_rejects_bad_arguments),
	    cmocka_unit_test(test_set_explains_errors_of_dcbd),
	    cmocka_unit_test(test_set_prints_reason_of_dcbd),
	    cmocka_unit_test(test_reason_is_new_if_dcbd_expects_other_values),
	    cmocka_unit_test(test_preset_sets_application_priorities),
	    cmocka_unit_test(test_preset_dry_run_sets_nothing),
	    cmocka_unit_test(test_preset_errors),
	    cmocka_unit_test(test_objects_prints_descriptors),
	    cmocka_unit_test(test_name_of_a_port_is_looked_up_in_dcbd),
	    cmocka_unit_test(test_targets_are_found_by_name),
	    cmocka_unit_test(test_column_headings_are_unique),
	    cmocka_unit_test(test_monitor_reconnects_and_goes_on),
	    cmocka_unit_test(test_aliases_are_documented),
	    cmocka_unit_test(test_unreachable_dcbd_is_reported),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
