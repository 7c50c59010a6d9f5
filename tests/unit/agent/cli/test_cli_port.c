/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl pfc, ets, app and so on, status, files of commands, and the common options. */
#include <string.h>
#include <unistd.h>

#include "agent/cli/base/out.h"
#include "agent/cli/port/keywords.h"
#include "lib/mo/mo_view.h"
#include "tests/unit/cli_server.h"

static const char *family;

/* Runs the command for ports of the family. */
static int port(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct cli_command command = *self;

	command.name = family;
	return cmd_port(cli, &command, argc, argv);
}

static int port_statistics(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	cli->statistics = true;
	return port(cli, self, argc, argv);
}

static int port_numeric(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	cli->numeric = true;
	return port(cli, self, argc, argv);
}

/* Only two ports, uplink and sw2, with component 1 and LLDP destination 1. */
static void put_ports(void)
{
	server_clear();
	server_put("dcbPortName", "1", "uplink");
	server_put("dcbPortOperational", "1", "true");
	server_put("dcbPortName", "70002", "sw2");
	server_put("dcbPortOperational", "70002", "false");
	server_put("dcbAgentComponentId", "0", "1");
	server_put("dcbLldpDestination", "0", "1");
}

/* --- keywords -------------------------------------------------------------------------------- */

enum {
	WORDS = 0
/* clang-format off */
#define WORD(...) +1
#include "mibs/all.def"
	/* clang-format on */
};

/*
 * Each keyword has an object in a table with a row for each port. The places of a command's
 * keywords have no gap: behind one, they would not be found.
 */
static void test_keywords_name_objects_of_ports(void **state)
{
	const struct port_family *f;
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; (f = port_family_at(i)); i++)
		for (const struct port_keyword *kw = f->keywords; kw->name; kw++, n++) {
			const struct mo_table *table;
			const struct mo_column *col = port_keyword_column(kw, &table);
			struct mo_index index;
			uint32_t ifindex;
			unsigned priority, p = kw->kind == PORT_MAP || kw->kind == PORT_BY_PRIO
						   ? 3
						   : PORT_PRIORITIES;

			if (!col)
				fail_msg("%s %s: no object %s", f->name, kw->name, kw->object);
			assert_ptr_equal(port_keyword(f, kw->name), kw);
			assert_int_equal(kw->kind == PORT_BITS, col->syntax == MO_BITS);
			mo_index_make(table, &(struct mo_index_of){1, 70002, 1, p}, &index);
			assert_true(mo_index_valid(table, &index));
			assert_true(port_row_of(table, &index, &ifindex, &priority));
			assert_int_equal(ifindex, 70002);
			if (priority != p)
				fail_msg("%s %s: priority %u", f->name, kw->name, priority);
			if (out_is_counter(col) && col->names)
				fail_msg("%s %s: a counter has no names", f->name, kw->name);
		}
	assert_int_equal(n, WORDS);
	assert_true(n > 100);
	assert_null(port_family("neighbors"));
}

static bool has_keyword(const char *command, const struct mo_column *col)
{
	const struct port_family *f;

	for (size_t i = 0; (f = port_family_at(i)); i++)
		for (const struct port_keyword *kw = f->keywords; kw->name; kw++)
			if ((!command || strcmp(f->name, command) == 0) &&
			    strcmp(kw->object, col->name) == 0)
				return true;
	return false;
}

static bool is_forgotten(const struct mo_table *table, const struct mo_column *col)
{
	unsigned views = mo_views(table, col);
	bool forgotten = false;

	if (out_is_counter(col) && !table->optional && !views && !has_keyword(NULL, col)) {
		print_error("%s is seen nowhere: expected VIEW or WORD in its row\n", col->name);
		forgotten = true;
	}
	if (views & MO_VIEWS_OF_WATCH && mo_index_part(table, MO_PART_PORT) < 0) {
		print_error("%s is of no port: dcbctl watch cannot show it\n", col->name);
		forgotten = true;
	}
	if (views & MO_VIEW_LOSSES && !has_keyword("counters", col)) {
		print_error("%s is a loss: expected WORD(counters, ...)\n", col->name);
		forgotten = true;
	}
	return forgotten;
}

/* A new counter says where it is seen; nowhere else is a decision too. */
static void test_no_view_of_a_counter_is_forgotten(void **state)
{
	unsigned forgotten = 0;

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		for (unsigned i = 0; i < table->n_columns; i++)
			forgotten += is_forgotten(table, &table->columns[i]);
	}
	assert_int_equal(forgotten, 0);
}

/* What show prints, set reads, for all named values. */
static void test_named_values_are_read_as_they_are_printed(void **state)
{
	const struct port_family *f;

	(void)state;
	for (size_t i = 0; (f = port_family_at(i)); i++)
		for (const struct port_keyword *kw = f->keywords; kw->name; kw++) {
			const struct mo_table *table;
			const struct mo_column *col = port_keyword_column(kw, &table);

			for (const struct mo_enum *v = col->names; v && v->name; v++) {
				struct mo_value value = {.syntax = col->syntax, .num = v->value};
				char text[64], expected[512];
				bool valid = mo_validate(col, &value) == MO_NO_ERROR;

				if (col->syntax == MO_BITS)
					continue;
				port_keyword_format(kw, &value, false, text, sizeof(text));
				assert_int_equal(port_keyword_parse(kw, text, &value, expected,
								    sizeof(expected)),
						 valid);
				assert_int_equal(value.num, v->value);
			}
		}
}

static void test_words_of_dcb_are_used(void **state)
{
	const struct port_keyword *tsa = port_keyword(port_family("ets"), "tc-tsa");
	const struct port_keyword *mode = port_keyword(port_family("cn"), "admin-defense-mode");
	struct mo_value value;
	char text[64], expected[512];

	(void)state;
	assert_true(port_keyword_parse(tsa, "ets", &value, expected, sizeof(expected)));
	assert_int_equal(value.num, 2);
	assert_string_equal(expected, "one of strict cbs ets vendor");
	assert_true(port_keyword_parse(mode, "interior-ready", &value, expected, sizeof(expected)));
	assert_int_equal(value.num, 3);
	assert_true(
	    port_keyword_parse(mode, "cptInteriorReady", &value, expected, sizeof(expected)));
	assert_int_equal(value.num, 3);
	port_keyword_format(mode, &value, true, text, sizeof(text));
	assert_string_equal(text, "3");
	port_keyword_json_name(port_keyword(port_family("rp"), "max-rate"), text, sizeof(text));
	assert_string_equal(text, "max_rate_megabits_per_second");
}

/* --- show ------------------------------------------------------------------------------------ */

static void put_pfc(void)
{
	put_ports();
	server_put("ieee8021PfcLinkDelayAllowance", "1", "4096");
	server_put("dcbPfcPriorityEnable", "1.3", "true");
	server_put("dcbPfcPriorityEnable", "1.4", "false");
	server_put("dcbPfcPriorityRequests", "1.3", "17");
	server_put("dcbDcbxPortPfcInForce", "1", "pri3");
}

static void test_show_prints_values_and_maps(void **state)
{
	struct ran ran;

	(void)state;
	put_pfc();
	family = "pfc";
	expect_out(RUN(port, false, "show", "dev", "uplink", "delay", "prio-pfc"),
		   "delay 4096\nprio-pfc 3:on 4:off\n");
	expect_out(RUN(port, false, "show", "dev", "1", "in-force"),
		   "in-force 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\n");
	/* Counters are shown with -s, or by name. */
	ran = RUN(port, false, "show", "dev", "uplink");
	assert_null(strstr(ran.out, "requests"));
	free(ran.out);
	ran = RUN(port_statistics, false, "show", "dev", "uplink");
	assert_non_null(strstr(ran.out, "requests 3:17 4:0\n"));
	free(ran.out);
	expect_out(RUN(port, false, "show", "dev", "uplink", "requests"), "requests 3:17 4:0\n");
	/* All ports, or several: each has a heading. */
	ran = RUN(port, false, "show");
	assert_memory_equal(ran.out, "uplink\n  delay 4096\n  prio-pfc 3:on 4:off\n", 42);
	assert_non_null(strstr(ran.out, "\nsw2\n"));
	free(ran.out);
}

static void test_show_json_has_units_in_names(void **state)
{
	json_t *j;
	char *text;

	(void)state;
	put_pfc();
	server_put("ieee8021CnCpQueueSizeSetPoint", "1.1.8", "26001"); /* priority 0 */
	family = "pfc";
	j = expect_json(RUN(port, true, "show", "dev", "uplink", "delay", "requests"));
	text = json_dumps(j, JSON_COMPACT);
	assert_non_null(strstr(text,
			       "\"ifIndex\":1,\"port\":\"uplink\",\"delay_bits\":4096,"
			       "\"requests_frames\":[null,null,null,17,0,null,null,null]}]"));
	free(text);
	json_decref(j);
	family = "cp";
	j = expect_json(RUN(port, true, "show", "dev", "uplink", "set-point"));
	text = json_dumps(j, JSON_COMPACT);
	assert_non_null(
	    strstr(text, "\"priorities\":[{\"priority\":0,\"set_point_octets\":26001}]}]"));
	free(text);
	json_decref(j);
}

static void test_show_storms_only_where_there_was_one(void **state)
{
	(void)state;
	put_ports();
	server_put("dcbPfcStormEnd", "1.3", "none");
	server_put("dcbPfcStormEnd", "1.4", "lasting");
	family = "storms";
	expect_out(RUN(port, false, "show", "dev", "uplink", "end"), "prio 4 end lasting\n");
	expect_out(RUN(port_numeric, false, "show", "dev", "uplink", "end"), "prio 4 end 2\n");
}

static void test_show_errors(void **state)
{
	(void)state;
	put_ports();
	family = "pfc";
	/* All of them at once. */
	expect_error(RUN(port, false, "show", "dev", "uplinc", "sw3", "prio-pcf"), CLI_FAILED,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"uplinc\"; did "
		     "you mean \"uplink\"?\n"
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"sw3\"; did you "
		     "mean \"sw2\"?\n"
		     "dcbctl: pfc: unknown keyword \"prio-pcf\"; did you mean \"prio-pfc\"?\n");
	expect_error(RUN(port, false, "show", "dev", "77"), CLI_FAILED,
		     "dcbctl: 77 is not a port of dcbd\n");
	expect_error(RUN(port, false, "shw"), CLI_USAGE,
		     "dcbctl: pfc: expected show or set, not \"shw\"\n");
}

/* --- set ------------------------------------------------------------------------------------- */

static void expect_set(struct ran ran, const char *const *want)
{
	json_t *j = expect_json(ran);
	size_t n = 0;

	for (; want[n]; n++) {
		json_t *o = json_array_get(j, n);
		json_t *v = json_object_get(o, "value");
		char text[256], number[32];

		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(v));
		snprintf(text, sizeof(text), "%s.%s %s",
			 json_string_value(json_object_get(o, "object")),
			 json_string_value(json_object_get(o, "instance")),
			 json_is_string(v)    ? json_string_value(v)
			 : json_is_boolean(v) ? (json_is_true(v) ? "true" : "false")
					      : number);
		assert_string_equal(text, want[n]);
	}
	assert_int_equal(json_array_size(j), n);
	json_decref(j);
}
#define EXPECT_SET(ran, ...) expect_set(ran, (const char *const[]){__VA_ARGS__, NULL})

static void test_set_is_one_transaction(void **state)
{
	unsigned tests = server.n_test;

	(void)state;
	put_ports();
	family = "pfc";
	/* As in man dcb-pfc: a later element replaces an earlier one. */
	EXPECT_SET(RUN(port, true, "set", "dev", "uplink", "prio-pfc", "all:off", "6:on", "delay",
		       "0x1000"),
		   "dcbPfcPriorityEnable.1.0 false", "dcbPfcPriorityEnable.1.1 false",
		   "dcbPfcPriorityEnable.1.2 false", "dcbPfcPriorityEnable.1.3 false",
		   "dcbPfcPriorityEnable.1.4 false", "dcbPfcPriorityEnable.1.5 false",
		   "dcbPfcPriorityEnable.1.6 true", "dcbPfcPriorityEnable.1.7 false",
		   "ieee8021PfcLinkDelayAllowance.1 4096");
	family = "cp";
	EXPECT_SET(
	    RUN(port, true, "set", "dev", "uplink", "sw2", "prio", "0,3", "set-point", "26000"),
	    "ieee8021CnCpQueueSizeSetPoint.1.1.8 26000",
	    "ieee8021CnCpQueueSizeSetPoint.1.70002.8 26000",
	    "ieee8021CnCpQueueSizeSetPoint.1.1.3 26000",
	    "ieee8021CnCpQueueSizeSetPoint.1.70002.3 26000");
	family = "rp";
	EXPECT_SET(RUN(port, true, "set", "dev", "sw2", "prio", "3", "max-rps", "4", "gd", "7"),
		   "ieee8021CnRpPortPriMaxRps.1.3.70002 4", "ieee8021CnRpgGd.1.3.70002.3 7");
	family = "ets";
	EXPECT_SET(RUN(port, true, "set", "dev", "sw2", "tc-tsa", "0:ets", "tx-enable", "on"),
		   "lldpXdot1dcbxAdminETSConTrafficSelectionAlgorithm.70002.0 "
		   "tsaEnhancedTransmission",
		   "lldpXdot1dcbxConfigETSConfigurationTxEnable.70002.1 true");
	assert_int_equal(server.n_test, tests + 4);
	/* Without -j, success is silent, as in dcb(8). */
	expect_out(RUN(port, false, "set", "dev", "sw2", "willing", "off"), "");
}

static void test_set_reports_all_errors(void **state)
{
	unsigned tests = server.n_test;

	(void)state;
	put_ports();
	family = "pfc";
	expect_error(
	    RUN(port, false, "set", "dev", "sw3", "prio-pfv", "3:on", "delay", "-1", "prio-pfc",
		"9:on", "3:maybe", "pfc-cap", "4", "delay"),
	    CLI_FAILED,
	    "dcbctl: expected the name or ifIndex of a port of dcbd, not \"sw3\"; did you mean "
	    "\"sw2\"?\n"
	    "dcbctl: pfc: unknown keyword \"prio-pfv\"; did you mean \"prio-pfc\"?\n"
	    "dcbctl: pfc delay: expected 0..4294967295 bits, not \"-1\"\n"
	    "dcbctl: pfc prio-pfc: expected 0..7 or all before \":\", not \"9:on\"\n"
	    "dcbctl: pfc prio-pfc: expected on or off, not \"maybe\"\n"
	    "dcbctl: pfc pfc-cap: it is read-only\n"
	    "dcbctl: pfc delay: expected a value\n");
	family = "cp";
	expect_error(
	    RUN(port, false, "set", "dev", "sw2", "weight", "1", "prio", "8", "weight", "11"),
	    CLI_FAILED,
	    "dcbctl: cp weight: expected \"prio\" and its priorities before it\n"
	    "dcbctl: cp prio: expected priorities 0..7, such as 3 or 3,5, or all, not "
	    "\"8\"\n"
	    "dcbctl: cp weight: expected -10..10, not \"11\"\n");
	expect_error(RUN(port, false, "set"), CLI_FAILED,
		     "dcbctl: cp set: expected dev and a port\n");
	expect_error(RUN(port, false, "set", "dev"), CLI_FAILED,
		     "dcbctl: cp: expected a port after dev\n");
	expect_error(RUN(port, false, "set", "dev", "sw2"), CLI_FAILED,
		     "dcbctl: cp set: expected a keyword and its value\n");
	assert_int_equal(server.n_test, tests);
}

static void test_refusal_names_port_and_keyword(void **state)
{
	(void)state;
	put_ports();
	family = "cp";
	server.refuse_test = MO_INCONSISTENT_NAME;
	server.refuse_at = 1;
	/* dcbd names one; the other one is found by a second TEST. */
	expect_error(RUN(port, false, "set", "dev", "uplink", "prio", "3,4", "weight", "1"),
		     CLI_FAILED,
		     "dcbctl: uplink: weight 3: inconsistentName: the row does not exist now, and "
		     "setting this object does not create it; \"dcbctl set "
		     "ieee8021CnComPriRowStatus.1.3 createAndGo\" makes priority 3 a CNPV\n"
		     "dcbctl: uplink: weight 4: inconsistentName: the row does not exist now, and "
		     "setting this object does not create it; \"dcbctl set "
		     "ieee8021CnComPriRowStatus.1.4 createAndGo\" makes priority 4 a CNPV\n");
	/* A reason of dcbd is about the settings of the port: it is printed once. */
	server.refuse_test = MO_INCONSISTENT_VALUE;
	server.refuse_because = "uplink: weights: expected others";
	expect_error(RUN(port, false, "set", "dev", "uplink", "prio", "3,4", "weight", "1"),
		     CLI_FAILED,
		     "dcbctl: uplink: weight 3: inconsistentValue: uplink: weights: expected "
		     "others\n");
	server.refuse_because = NULL;
	server.refuse_test = MO_NO_ERROR;
	server.refuse_at = 0;
}

/* --- app ------------------------------------------------------------------------------------- */

#define APP "lldpXdot1dcbxAdminApplicationPriorityAEPriority"

static void put_apps(void)
{
	put_ports();
	server_put(APP, "1.1.0", "2");
	server_put(APP, "1.1.35078", "3");
	server_put(APP, "1.5.24", "3");
	server_put(APP, "1.5.46", "5");
	server_put(APP, "70002.5.46", "6");
}

static void test_app_shows_entries_by_selector(void **state)
{
	json_t *j, *a;

	(void)state;
	put_apps();
	family = "app";
	expect_out(
	    RUN(port, false, "show", "dev", "uplink", "dscp-prio", "default-prio", "ethtype-prio"),
	    "default-prio 2\nethtype-prio 0x8906:3\ndscp-prio CS3:3 EF:5\n");
	expect_out(RUN(port_numeric, false, "show", "dev", "uplink", "dscp-prio"),
		   "dscp-prio 24:3 46:5\n");
	j = expect_json(RUN(port, true, "show", "dev", "uplink", "dscp-prio"));
	a = json_object_get(json_array_get(j, 0), "dscp_prio");
	assert_int_equal(json_array_size(a), 2);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(a, 1), "protocol")), 46);
	json_decref(j);
}

static void test_app_adds_replaces_and_deletes(void **state)
{
	(void)state;
	put_apps();
	family = "app";
	EXPECT_SET(RUN(port, true, "add", "dev", "uplink", "dscp-prio", "AF41:4",
		       "stream-port-prio", "3260:4"),
		   APP ".1.5.34 4", APP ".1.2.3260 4");
	EXPECT_SET(RUN(port, true, "replace", "dev", "uplink", "sw2", "dscp-prio", "46:7"),
		   APP ".1.5.46 7", APP ".70002.5.46 7");
	EXPECT_SET(RUN(port, true, "del", "dev", "uplink", "dscp-prio", "EF:5"),
		   "dcbDcbxAppRowStatus.1.5.46 destroy");
	EXPECT_SET(RUN(port, true, "flush", "dev", "uplink", "dscp-prio"),
		   "dcbDcbxAppRowStatus.1.5.24 destroy", "dcbDcbxAppRowStatus.1.5.46 destroy");
	expect_error(RUN(port, false, "add", "dev", "uplink", "dscp-prio", "46:1", "64:1",
			 "default-prio", "0:1", "ethtype-prio", "0x5ff:1", "dscp-pri", "x",
			 "port-prio"),
		     CLI_FAILED,
		     "dcbctl: uplink: dscp-prio 46:1: it has priority 5: use replace\n"
		     "dcbctl: app dscp-prio: expected 0..63, the name of a DSCP or all, \":\" and "
		     "a priority 0..7, not \"64:1\"\n"
		     "dcbctl: app default-prio: expected a priority 0..7, not \"0:1\"\n"
		     "dcbctl: app ethtype-prio: expected 1536..65535, \":\" and a priority 0..7, "
		     "not \"0x5ff:1\"\n"
		     "dcbctl: app ethtype-prio: expected 1536..65535, \":\" and a priority 0..7, "
		     "not \"dscp-pri\"\n"
		     "dcbctl: app ethtype-prio: expected 1536..65535, \":\" and a priority 0..7, "
		     "not \"x\"\n"
		     "dcbctl: app port-prio: expected a value\n");
	expect_error(RUN(port, false, "del", "dev", "uplink", "dscp-prio", "46:4"), CLI_FAILED,
		     "dcbctl: uplink: dscp-prio 46:4: there is no such application priority\n");
}

/* --- files of commands ----------------------------------------------------------------------- */

static const char *script;

static int batch(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	char path[] = "/tmp/test_cli_port.XXXXXX";
	int fd = mkstemp(path), rc;

	(void)self;
	(void)argc;
	(void)argv;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, script, strlen(script)), (ssize_t)strlen(script));
	close(fd);
	cli->batch = path;
	rc = cli_batch(cli);
	unlink(path);
	return rc;
}

/* Cuts the random name of the file out of the messages. */
static void expect_batch_errors(const char *text, const char *want)
{
	struct ran ran;
	char got[4096] = "";

	script = text;
	ran = RUN_ALL(batch, false);
	assert_int_equal(ran.rc, CLI_FAILED);
	assert_int_equal(ran.n, 0);
	for (char *line = strtok(ran.err, "\n"); line; line = strtok(NULL, "\n")) {
		char *colon = strchr(strstr(line, "/tmp/"), ':');

		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s\n", colon);
	}
	assert_string_equal(got, want);
	free(ran.out);
}

static void test_batch_is_one_transaction(void **state)
{
	unsigned tests = server.n_test, commits = server.n_commit;

	(void)state;
	put_apps();
	script =
	    "# settings of sw2\n"
	    "set ieee8021CnComPriRowStatus.1.5 createAndGo  # a CNPV\n"
	    "\n"
	    "cp set dev sw2 prio 5 weight 2\n"
	    "cp set dev sw2 prio 5 weight 3\n"
	    "app add dev sw2 dscp-prio 10:1 11:2\n"
	    "app flush dev sw2\n"
	    "app add dev sw2 dscp-prio 10:4 46:1";
	EXPECT_SET(RUN_ALL(batch, true), "ieee8021CnComPriRowStatus.1.5 createAndGo",
		   "ieee8021CnCpFeedbackWeight.1.70002.5 3", APP ".70002.5.10 4",
		   APP ".70002.5.46 1");
	assert_int_equal(server.n_test, tests + 1);
	assert_int_equal(server.n_commit, commits + 1);
	script = "# nothing\n";
	expect_out(RUN_ALL(batch, false), "");
	assert_int_equal(server.n_test, tests + 1);
}

static void test_batch_reports_all_errors_with_lines(void **state)
{
	unsigned tests = server.n_test, commits = server.n_commit;

	(void)state;
	put_ports();
	expect_batch_errors(
	    "pcf set dev uplink\n"
	    "pfc set dev uplink delay 5\n"
	    "set dcbPfcPriorityEnable.sw3.3 true dcbPfcPriorityEnable.1.9 true\n"
	    "\n"
	    "app show dev uplink\n"
	    "set dcbPfcPriorityEnable.1.3\n",
	    ":1: expected set, or pfc, ets, app, apptrust, rewr, ecn, cn, cp, rp, headroom or "
	    "watchdog, "
	    "not \"pcf\"; did you mean \"pfc\"?\n"
	    ":3: ifIndex: expected 1..2147483647 or the name of a port of dcbd, not "
	    "\"sw3\"; did you mean \"sw2\"?\n"
	    ":3: dcbPfcPriority: expected 0..7, not \"9\"\n"
	    ":5: app: expected set, add, del, replace or flush\n"
	    ":6: set: expected pairs of OBJECT.INDEX and VALUE\n"
	    ": 5 errors: nothing was set\n");
	assert_int_equal(server.n_test, tests);
	/* What dcbd refuses has its line, too. */
	server.refuse_test = MO_INCONSISTENT_VALUE;
	server.refuse_at = 1;
	expect_batch_errors("pfc set dev uplink delay 5\n\npfc set dev sw2 delay 5\n",
			    ":1: uplink: delay: inconsistentValue: the value contradicts other "
			    "objects, or the state of the row\n"
			    ":3: sw2: delay: inconsistentValue: the value contradicts other "
			    "objects, or the state of the row\n"
			    ": 2 errors: nothing was set\n");
	server.refuse_test = MO_NO_ERROR;
	server.refuse_at = 0;
	assert_int_equal(server.n_commit, commits);
}

/* --- keywords as output ---------------------------------------------------------------------- */

static void test_keywords_are_listed(void **state)
{
	json_t *j, *o;

	(void)state;
	expect_out(RUN(cmd_keywords, false, "app"),
		   "command  keyword    kind  access      unit  object\n"
		   "app      tx-enable  port  read-write        "
		   "lldpXdot1dcbxConfigApplicationPriorityTxEnable\n");
	j = expect_json(RUN(cmd_keywords, true, "cp"));
	o = json_array_get(j, 1);
	assert_string_equal(json_string_value(json_object_get(o, "keyword")), "set-point");
	assert_string_equal(json_string_value(json_object_get(o, "json")), "set_point_octets");
	json_decref(j);
	expect_error(RUN(cmd_keywords, false, "neighbors"), CLI_FAILED,
		     "dcbctl: unknown command for ports \"neighbors\"; \"dcbctl keywords\" lists "
		     "them\n");
}

/* --- status ---------------------------------------------------------------------------------- */

static void test_status_prints_a_line_for_each_port(void **state)
{
	(void)state;
	put_ports();
	server_put("dcbPortRate", "1", "25000000000");
	server_put("dcbPortRate", "70002", "2500000000");
	server_put("dcbPortDiscardQueue", "1", "5");
	server_put("dcbPortTxErrors", "1", "2");
	server_put("dcbPortDiscardDown", "1", "1000");
	server_put("dcbPortDiscardHost", "1", "2000");
	server_put("dcbPfcPortDiscardTransit", "1", "4000");
	server_put("dcbPfcPriorityDiscards", "1.3", "10");
	server_put("dcbPfcPriorityDiscards", "1.4", "100");
	server_put("dcbDcbxPortPfcInForce", "1", "pri3,pri4");
	server_put("dcbDcbxPortPeer", "1", "2");
	server_put("dcbCnPortDefenseMode", "1.3.1", "cptInteriorReady");
	server_put("dcbCnPortDefenseMode", "1.5.1", "cptEdge");
	server_put("dcbNeighborSystemName", "1.1", "spine1");
	server_put("dcbNeighborSystemName", "1.2", "spine2");
	server_put("dcbNeighborChassisId", "70002.1", "00-1b-21-00-00-01");
	server_put("dcbPfcWatchdogStorms", "1.3", "2");
	server_put("dcbPfcWatchdogStorms", "1.4", "1");
	server_put("dcbPfcWatchdogState", "1.4", "storm");
	server_put("dcbPfcWatchdogState", "70002.4", "off");
	expect_out(RUN(cmd_status, false, NULL),
		   "PORT    STATE  SPEED  PFC  CN                       NEIGHBOR           LOSSES "
		   " STORMS\n"
		   "uplink  up       25G  3,4  3:interior-ready 5:edge  spine2 +             7117 "
		   "  3 now\n"
		   "sw2     down    2.5G  -    -                        00-1b-21-00-00-01       0 "
		   "      0\n");
	expect_out(RUN(cmd_status, false, "dev", "sw2"),
		   "PORT  STATE  SPEED  PFC  CN  NEIGHBOR           LOSSES  STORMS\n"
		   "sw2   down    2.5G  -    -   00-1b-21-00-00-01       0       0\n");
}

/* --- options --------------------------------------------------------------------------------- */

static bool own_option(struct cli *cli, int c, const char *arg)
{
	cli->own_args[0] = arg;
	return c == 'p';
}

static struct cli options(const struct cli_command *command, int want, const char *const *words)
{
	static char copies[8][64];
	struct cli cli = {.socket = CLI_SOCKET, .is_default = true};
	char *argv[10] = {copies[0]};
	int argc = 1;

	for (; words[argc - 1]; argc++) {
		strcpy(copies[argc - 1], words[argc - 1]);
		argv[argc] = copies[argc - 1];
	}
	argv[0] = (char[]){"dcbctl"};
	cli.out = tmpfile();
	assert_int_equal(cli_options(&cli, command, argc, argv), want);
	fclose(cli.out);
	return cli;
}
#define OPTIONS(command, want, ...) options(command, want, (const char *const[]){__VA_ARGS__, NULL})

static void test_options_of_iproute2(void **state)
{
	static const struct cli_command plain = {.name = "command", .args = ""};
	static const struct cli_command own = {
	    .name = "command", .args = "", .options = "p:", .option = own_option};
	struct cli cli;

	(void)state;
	cli = OPTIONS(&plain, 3, "-jp", "-N", "show");
	assert_true(cli.json && cli.pretty && cli.numeric && !cli.statistics);
	/* -s is statistics, unless a path follows. */
	cli = OPTIONS(&plain, 2, "-s", "show");
	assert_true(cli.statistics && cli.is_default);
	cli = OPTIONS(&plain, 2, "-sj", "show");
	assert_true(cli.statistics && cli.json && cli.is_default);
	cli = OPTIONS(&plain, 2, "-s");
	assert_true(cli.statistics && cli.is_default);
	cli = OPTIONS(&plain, 3, "-s", "/run/view", "show");
	assert_true(!cli.statistics && !cli.is_default);
	assert_string_equal(cli.socket, "/run/view");
	cli = OPTIONS(&plain, 2, "-s/run/view", "show");
	assert_true(!cli.statistics);
	assert_string_equal(cli.socket, "/run/view");
	cli = OPTIONS(&plain, 3, "--socket", "view", "show");
	assert_string_equal(cli.socket, "view");
	assert_false(cli.statistics);
	cli = OPTIONS(&plain, 3, "-b", "file", "show");
	assert_string_equal(cli.batch, "file");
	/* The command's own option has the letter. */
	cli = OPTIONS(&own, 4, "-p", "3", "-s", "x");
	assert_true(!cli.pretty && cli.statistics);
	assert_string_equal(cli.own_args[0], "3");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_keywords_name_objects_of_ports),
	    cmocka_unit_test(test_no_view_of_a_counter_is_forgotten),
	    cmocka_unit_test(test_named_values_are_read_as_they_are_printed),
	    cmocka_unit_test(test_words_of_dcb_are_used),
	    cmocka_unit_test(test_show_prints_values_and_maps),
	    cmocka_unit_test(test_show_json_has_units_in_names),
	    cmocka_unit_test(test_show_storms_only_where_there_was_one),
	    cmocka_unit_test(test_show_errors),
	    cmocka_unit_test(test_set_is_one_transaction),
	    cmocka_unit_test(test_set_reports_all_errors),
	    cmocka_unit_test(test_refusal_names_port_and_keyword),
	    cmocka_unit_test(test_app_shows_entries_by_selector),
	    cmocka_unit_test(test_app_adds_replaces_and_deletes),
	    cmocka_unit_test(test_batch_is_one_transaction),
	    cmocka_unit_test(test_batch_reports_all_errors_with_lines),
	    cmocka_unit_test(test_keywords_are_listed),
	    cmocka_unit_test(test_status_prints_a_line_for_each_port),
	    cmocka_unit_test(test_options_of_iproute2),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
