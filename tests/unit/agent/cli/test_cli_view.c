/* SPDX-License-Identifier: BSD-3-Clause */
/* What dcbctl prints on a terminal: its width, the columns left out, and the names of ports. */
#include <pty.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/cli/base/text_table.h"
#include "agent/cli/base/out.h"
#include "agent/cli/base/names.h"
#include "agent/cli/settings.h"
#include "agent/cli/base/term.h"
#include "tests/unit/cli_server.h"

/* --- width ------------------------------------------------------------------------------- */

/* A terminal of this many columns; 0: unknown. terminal_close() closes it. */
static int master, slave;

static void terminal_open(unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};

	assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
	term_limit(slave);
}

static void terminal_close(void)
{
	term_limit(-1);
	close(master);
	close(slave);
}

static void test_width_is_that_of_the_terminal(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(term_width(), 0);
	assert_int_equal(pipe(fds), 0);
	term_limit(fds[1]);
	assert_int_equal(term_width(), 0); /* a pipe has no width */
	close(fds[0]);
	close(fds[1]);
	terminal_open(132);
	assert_int_equal(term_width(), 132);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &(struct winsize){.ws_col = 40}), 0);
	assert_int_equal(term_width(), 40);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &(struct winsize){.ws_col = 0}), 0);
	assert_int_equal(setenv("COLUMNS", "57", 1), 0);
	assert_int_equal(term_width(), 57);
	assert_int_equal(setenv("COLUMNS", "none", 1), 0);
	assert_int_equal(term_width(), 80);
	assert_int_equal(unsetenv("COLUMNS"), 0);
	terminal_close();
	assert_int_equal(term_width(), 0);
}

static void expect_folded(const char *text, const char *want)
{
	char *got;
	size_t size;
	FILE *to = open_memstream(&got, &size), *f = term_folded(to);

	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	fclose(to);
	assert_string_equal(got, want);
	free(got);
}

static void test_lines_are_folded_at_blanks(void **state)
{
	(void)state;
	expect_folded("a line of any length without a terminal\n",
		      "a line of any length without a terminal\n");
	terminal_open(20);
	expect_folded("exactly twenty chars\nnext\n", "exactly twenty chars\nnext\n");
	expect_folded("one more than twenty!\n", "one more than\n    twenty!\n");
	expect_folded("01234567890123456789xyz\n", "01234567890123456789\n    xyz\n");
	expect_folded("no newline", "no newline\n");
	expect_folded("\n\n", "\n\n");
	/* A character of several octets is one column, and stays whole. */
	expect_folded(
	    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
	    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
	    "\xc3\xbc\xc3\xbc\xc3\xa4\n",
	    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
	    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
	    "\xc3\xbc\xc3\xbc\n    \xc3\xa4\n");
	terminal_close();
}

/* --- columns ------------------------------------------------------------------------------- */

static void expect_text_table(unsigned width, const char *want)
{
	static const char *const cells[] = {"7", "swp1", "0", "true", "12345", "", "9"};
	static const char *const heads[] = {"Index", "Name",  "Zero", "Paused",
					    "Usual", "Empty", "Last"};
	struct text_table g = {.n_cols = 0};
	char *got;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	for (size_t i = 0; i < UNIT_COUNT(heads); i++) {
		text_table_column(&g, heads[i], false);
		if (i == 1)
			text_table_rank(&g, TEXT_TABLE_ALWAYS);
		if (i == 3)
			text_table_rank(&g, TEXT_TABLE_FIRST);
	}
	for (size_t i = 0; i < UNIT_COUNT(cells); i++)
		text_table_cell(&g, cells[i]);
	text_table_print_within(&g, width, f);
	fclose(f);
	text_table_clear(&g);
	assert_string_equal(got, want);
	free(got);
}

/* Columns without contents go first, then usual ones from the right, then those marked. */
static void test_narrow_tables_lose_columns_by_priority(void **state)
{
	(void)state;
	expect_text_table(0,
			  "Index  Name  Zero  Paused  Usual  Empty  Last\n"
			  "7      swp1  0     true    12345         9\n");
	expect_text_table(45,
			  "Index  Name  Zero  Paused  Usual  Empty  Last\n"
			  "7      swp1  0     true    12345         9\n");
	expect_text_table(44,
			  "Index  Name  Zero  Paused  Usual  Last\n"
			  "7      swp1  0     true    12345  9\n"
			  "(1 column more with -w)\n");
	expect_text_table(37,
			  "Index  Name  Paused  Usual  Last\n"
			  "7      swp1  true    12345  9\n"
			  "(2 columns more with -w)\n");
	expect_text_table(26,
			  "Index  Name  Paused  Usual\n"
			  "7      swp1  true    12345\n"
			  "(3 columns more with -w)\n");
	expect_text_table(25,
			  "Index  Name  Paused\n7      swp1  true\n"
			  "(4 columns more with -w)\n");
	expect_text_table(5, "Index  Name\n7      swp1\n(5 columns more with -w)\n");
}

/* Every table fits 80 columns with the objects that are marked, and what does not fit is counted.
 */
static void test_tables_fit_a_terminal_of_80_columns(void **state)
{
	(void)state;
	terminal_open(80);
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);
		static struct mo_value values[OUT_COLUMNS_MAX];
		struct out_row row = {
		    .index = {.n = t->index_len}, .values = values, .present = ~UINT64_C(0)};
		char *text = NULL, *save = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		struct out *out = out_text_new(f);

		for (unsigned i = 0; i < t->n_columns; i++)
			values[i] =
			    (struct mo_value){.syntax = t->columns[i].syntax, .num = 1234567};
		out->ops->table(out, t, NULL);
		out->ops->row(out, &row);
		out->ops->row(out, &row);
		out->ops->end(out, true);
		fclose(f);
		for (char *line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			if (term_characters(line) > 80)
				fail_msg("%s: %s", t->name, line);
		if (id == MO_port)
			assert_non_null(strstr(text, t->name)); /* the heading */
		free(text);
	}
	terminal_close();
}

/* --- names --------------------------------------------------------------------------------- */

static void test_rows_and_objects_have_the_name_of_their_port(void **state)
{
	struct ran ran;
	json_t *j, *row;

	(void)state;
	server_put("dcbPortName", "7", "swp7");
	server_put("dcbPfcPriorityEnable", "7.3", "true");
	server_put("dcbPfcPriorityEnable", "8.3", "false");
	expect_out(RUN(cmd_show, false, "dcbPfcPriorityEnable"),
		   "dcbPfcPriorityTable: 2 rows\n"
		   "ifIndex  Priority  IfName  Enable\n"
		   "      7         3  swp7    true\n"
		   "      8         3          false\n");
	expect_out(RUN(cmd_show, false, "dcbPfcPriorityEnable.swp7"),
		   "dcbPfcPriorityTable: 1 row, port swp7\n"
		   "dcbPfcPriorityEnable.7.3  true\n");
	j = expect_json(RUN(cmd_show, true, "dcbPfcPriorityEnable"));
	row = json_array_get(json_object_get(json_array_get(j, 0), "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "port")), "swp7");
	row = json_array_get(json_object_get(json_array_get(j, 0), "rows"), 1);
	assert_true(json_is_null(json_object_get(row, "port")));
	json_decref(j);
	j = expect_json(RUN(cmd_show, true, "agent_id"));
	row = json_array_get(json_object_get(json_array_get(j, 0), "rows"), 0);
	assert_null(json_object_get(row, "port")); /* of no port */
	json_decref(j);
	j = expect_json(RUN(cmd_set, true, "ieee8021CnCpQueueSizeSetPoint.1.7.1", "30000"));
	assert_string_equal(json_string_value(json_object_get(json_array_get(j, 0), "port")),
			    "swp7");
	json_decref(j);
	ran = RUN(cmd_watch, true, "dcbPfcPriorityEnable");
	j = json_loads(ran.out, JSON_DISABLE_EOF_CHECK, NULL);
	free(ran.out);
	row = json_array_get(json_object_get(json_array_get(j, 0), "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "port")), "swp7");
	json_decref(j);
	server_clear();
}

#define PORT_EVENT \
	"2025-11-21T16:56:11.050Z dcbErroredPortCreated port sw2: ieee8021CnEpIfIndex.1.4.2 = 2\n"

/* The port of an entry in a table of addresses is a value, not a part of the index. */
static void test_values_that_are_an_ifindex_have_a_name_too(void **state)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name("dcbStaticUnicastPort", &table);
	struct mo_index index = {.n = 7, .sub = {1}};
	struct ran ran;

	(void)state;
	assert_true(names_is_port(table, col));
	assert_true(names_has_port(table));
	assert_int_equal(names_ifindex(table, &index, col, &(struct mo_value){.num = 9}), 9);
	assert_int_equal(names_ifindex(table, &index, NULL, NULL), 0);
	assert_false(names_has_port(mo_table(MO_agent_id)));
	/* An event names the port of its first object that has one. */
	server_put("dcbPortName", "2", "sw2");
	ran = RUN_ALL(cmd_monitor, false);
	assert_string_equal(
	    ran.out,
	    PORT_EVENT "2025-11-21T16:56:11.050Z notification 200 (switched off)\n" PORT_EVENT);
	free(ran.out);
	server_clear();
}

/* Events that follow each other are printed with the names of one read, on one connection. */
static void test_monitor_reads_names_for_many_events(void **state)
{
	struct ran ran;

	(void)state;
	server_put("dcbPortName", "2", "sw2");
	server.repeated = 5;
	server.n_hello = 0;
	ran = RUN_ALL(cmd_monitor, false);
	assert_string_equal(ran.out, PORT_EVENT PORT_EVENT PORT_EVENT);
	assert_int_equal(server.n_hello, 2); /* events, names */
	free(ran.out);
	/* A port without a name is looked for once, too. */
	server_put("dcbPortName", "2", "");
	server_put("dcbPortName", "3", "sw3");
	server.n_hello = 0;
	ran = RUN_ALL(cmd_monitor, false);
	assert_null(strstr(ran.out, "port sw"));
	assert_int_equal(server.n_hello, 2);
	free(ran.out);
	server.repeated = 0;
	server_clear();
}

/* --- files of settings -------------------------------------------------------------------- */

static void test_last_line_of_an_object_counts(void **state)
{
	char text[] =
	    "# settings\n"
	    "set dcbPfcHeadroomCableLength.7 1 dcbPfcHeadroomCableLength.7 2\n"
	    "set dcbPfcHeadroomCableLength.9 30 # not 31\n"
	    "set dcbPfcHeadroomCableLength.7 3 #dcbPfcHeadroomCableLength.7 4\n"
	    "\tset dcbPfcHeadroomCableLength.9 20\n";
	FILE *f = fmemopen(text, strlen(text), "r");
	struct settings s;

	(void)state;
	assert_int_equal(settings_parse(&s, f, "file", NULL), 0);
	fclose(f);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.of[0].index.sub[0], 7);
	assert_int_equal(s.of[0].value.num, 3);
	assert_int_equal(s.of[1].value.num, 20);
	assert_ptr_equal(settings_find(&s, &s.of[1]), &s.of[1]);
	settings_free(&s);
}

/* --- clear counters ------------------------------------------------------------------------ */

static int undo(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	assert_true(cli_clear_option(cli, 'u', NULL));
	return cmd_clear(cli, self, argc, argv);
}

/* Asserts the two counters of port 7 as dcbctl watch shows them first. */
static void expect_watched(const char *discards, const char *failures)
{
	struct ran ran = RUN(cmd_watch, false, "dcbPortDiscardQueue", "dcbPortOpenFailures");
	char want[64];

	assert_int_equal(ran.rc, CLI_OK);
	snprintf(want, sizeof(want), "dcbPortDiscardQueue.7  %s frames\n", discards);
	if (!strstr(ran.out, want))
		fail_msg("expected %s in %s", want, ran.out);
	snprintf(want, sizeof(want), "dcbPortOpenFailures.7  %s attempts\n", failures);
	if (!strstr(ran.out, want))
		fail_msg("expected %s in %s", want, ran.out);
	free(ran.out);
}

static void put_counters(const char *discards, const char *failures)
{
	server_put("dcbPortDiscardQueue", "7", discards);
	server_put("dcbPortOpenFailures", "7", failures);
}

static void test_cleared_counters_begin_at_0_for_this_user(void **state)
{
	char directory[] = "/tmp/test_cli.XXXXXX", command[64];
	struct ran ran;
	json_t *j;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(setenv("XDG_RUNTIME_DIR", directory, 1), 0);
	server_put("dcbPortCounterDiscontinuityTime", "7", "1000");
	put_counters("18446744073709551610", "4294967290");
	expect_watched("18446744073709551610", "4294967290");
	expect_out(RUN(cmd_clear, false, "counters"), "");
	expect_watched("0", "0");
	put_counters("18446744073709551613", "4"); /* the counter of 32 bits has wrapped */
	expect_watched("3", "10");
	/* Programs see the counters of dcbd, and so does show. */
	expect_out(RUN(cmd_show, false, "dcbPortOpenFailures"),
		   "dcbPortTable: 1 row\ndcbPortOpenFailures.7  4 attempts\n");
	ran = RUN(cmd_watch, true, "dcbPortOpenFailures");
	j = json_loads(ran.out, JSON_DISABLE_EOF_CHECK, NULL);
	free(ran.out);
	assert_non_null(j);
	json_decref(j);
	expect_out(RUN(undo, false, "counters"), "");
	expect_watched("18446744073709551613", "4");
	expect_error(RUN(undo, false, "counters"), CLI_FAILED,
		     "dcbctl: no counters of this dcbd are cleared\n");
	/* The counters of the port begin anew, or those of all ports in another run of dcbd. */
	expect_out(RUN(cmd_clear, false, "counters"), "");
	server_put("dcbPortCounterDiscontinuityTime", "7", "2000");
	put_counters("9", "8");
	expect_watched("9", "8");
	server_put("dcbPortCounterDiscontinuityTime", "7", "1000");
	server.boot_id++;
	expect_watched("9", "8");
	server.boot_id--;
	expect_watched("9", "4"); /* less than then without a wrap: the row is a new one */
	expect_error(RUN(cmd_clear, false, "rates"), CLI_USAGE,
		     "usage: dcbctl [-jpsN] [--socket socket] command ARGS\n");
	assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
	server_clear();
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_width_is_that_of_the_terminal),
	    cmocka_unit_test(test_lines_are_folded_at_blanks),
	    cmocka_unit_test(test_narrow_tables_lose_columns_by_priority),
	    cmocka_unit_test(test_tables_fit_a_terminal_of_80_columns),
	    cmocka_unit_test(test_rows_and_objects_have_the_name_of_their_port),
	    cmocka_unit_test(test_values_that_are_an_ifindex_have_a_name_too),
	    cmocka_unit_test(test_monitor_reads_names_for_many_events),
	    cmocka_unit_test(test_last_line_of_an_object_counts),
	    cmocka_unit_test(test_cleared_counters_begin_at_0_for_this_user),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
