/* SPDX-License-Identifier: BSD-3-Clause */
/* Configuration files with @include: their settings, and the line numbers in errors. */
#include "control/conf/conf.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/conf/conf_read.h"
#include "tests/unit/unit.h"

static char dir[] = "/tmp/test_conf_text.XXXXXX";

static int make_directory(void **state)
{
	char sub[64];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	return mkdir(sub, 0700);
}

static int remove_directory(void **state)
{
	static const char *const names[] = {"main", "a", "sub/b", "sub/c", "sub", ""};
	char path[64];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		remove(path);
	}
	return access(dir, F_OK) == 0 ? -1 : 0;
}

static void write_file(const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool read_main(struct conf *conf, char *err, size_t errlen)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/main", dir);
	conf_init(conf);
	return conf_read(conf, path, err, errlen);
}

/* message: the error without the directory. */
static void assert_refused(const char *text, const char *message)
{
	char err[512] = "", want[512];
	struct conf conf;

	write_file("main", text);
	if (read_main(&conf, err, sizeof(err)))
		fail_msg("accepted: %s", text);
	conf_free(&conf);
	snprintf(want, sizeof(want), "%s/%s", dir, message);
	assert_string_equal(err, want);
}

/* Paths are relative to the including file. The last file does not end with a newline. */
static void test_include_inserts_files(void **state)
{
	struct conf conf;
	char err[512];

	(void)state;
	write_file("main", "component = 5;\n \t@include \"a\"\nmemory_ports = 7;\n");
	write_file("a", "bridge = {\n@include \t\"sub/b\" # c\n};\n");
	write_file("sub/b", "ageing = 77;\n@include\"c\"\n@include \"\\c\" fdb_entries = 99;\n");
	write_file("sub/c", "frame_buffers = 999;");
	/* Without a blank before the quote, libconfig does not accept @include. */
	assert_false(read_main(&conf, err, sizeof(err)));
	assert_non_null(strstr(err, "/sub/b:2: syntax error"));
	conf_free(&conf);
	write_file("sub/b", "ageing = 77;\n@include \"\\c\" fdb_entries = 99;\n");
	if (!read_main(&conf, err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(conf.component_id, 5);
	assert_int_equal(conf.fdb_ageing_s, 77);
	assert_int_equal(conf.frame_buffers, 999);
	assert_int_equal(conf.fdb_entries, 99);
	assert_int_equal(conf.memory_ports, 7);
	conf_free(&conf);
}

/* Editors write a byte order mark in the first line; anywhere else it is an error. */
static void test_byte_order_mark_begins_a_file(void **state)
{
	struct conf conf;
	char err[512];

	(void)state;
	write_file("main",
		   "\xEF\xBB\xBF"
		   "component = 5;\n@include \"a\"\n");
	write_file("a", "\xEF\xBB\xBFmemory_ports = 7;\n");
	if (!read_main(&conf, err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(conf.component_id, 5);
	assert_int_equal(conf.memory_ports, 7);
	conf_free(&conf);
	write_file("main", "\xEF\xBB\xBF");
	assert_true(read_main(&conf, err, sizeof(err)));
	conf_free(&conf);
	assert_refused("\xEF\xBB\xBF\ncomponent = 0;",
		       "main:2: component: expected an integer 1..4294967295, not 0");
	assert_refused("component = 1;\n\xEF\xBB\xBFuser = \"x\";", "main:2: syntax error");
}

static void test_errors_have_the_line_of_their_file(void **state)
{
	char want[128];

	(void)state;
	write_file("a", "bridge = {\n@include \"sub/b\"\n };");
	write_file("sub/b", "ageing = 77;\n\nfdb_entries = 5;");
	assert_refused("\n@include \"a\"\ncomponent = 1;",
		       "sub/b:3: bridge.fdb_entries: expected an integer 16..1048576, not 5");
	write_file("sub/b", "ageing = 77;\nfdb_entries = 16;");
	assert_refused("\n@include \"a\"\ncomponent = 0;",
		       "main:3: component: expected an integer 1..4294967295, not 0");
	assert_refused("\n@include \"a\" component = 0;",
		       "main:2: component: expected an integer 1..4294967295, not 0");
	assert_refused("@include \"a\"\n= 0;", "main:2: syntax error");
	assert_refused("component = 1;\n@include \"a\"\ncomponent = 2;",
		       "main:3: duplicate setting \"component\": line 1 has the first one");
	write_file("a", "bridge = {\n@include \"sub/b\"\n ageing = 5;\n};");
	snprintf(want, sizeof(want),
		 "a:3: duplicate setting \"ageing\": line 1 of %s/sub/b has the first one", dir);
	assert_refused("@include \"a\"\n", want);
	write_file("sub/b", "ageing = \"\n\n77;");
	write_file("a", "bridge = {\n@include \"sub/b\"\n\"; };\nmemory_ports = true;");
	assert_refused(
	    "@include \"a\"\n",
	    "sub/b:1: bridge.ageing: expected an integer 10..1000000, not \"\n\n77;\n\n\"");
}

static void test_included_integers_are_not_truncated(void **state)
{
	(void)state;
	write_file("a", "\ncomponent = 4294967297;");
	assert_refused("@include \"a\"\n",
		       "a:2: component: expected an integer 1..4294967295, not 4294967297");
	write_file("a", "\n\ncomponent = 18446744073709551617;");
	assert_refused("@include \"a\"\n",
		       "a:3: expected an integer of at most 64 bits, not 18446744073709551617");
}

static void test_depth_and_number_of_includes_are_limited(void **state)
{
	char text[CONF_INCLUDES_MAX * 16 + 32] = "";

	(void)state;
	write_file("a", "\n@include \"a\"\n");
	assert_refused("@include \"a\"\n", "a:2: expected at most 10 levels of @include");
	write_file("a", "");
	for (unsigned i = 0; i <= CONF_INCLUDES_MAX; i++)
		strcat(text, "@include \"a\"\n");
	assert_refused(text, "main:257: expected at most 256 times @include");
}

/* The state file is read with conf_open_text(). */
static void test_state_file_refuses_include(void **state)
{
	char err[128] = "";
	struct reader r = {.path = "state", .err = err, .errlen = sizeof(err)};

	(void)state;
	assert_false(conf_open_text(&r, "a = 1;\n@include \"/dev/null\"\n"));
	assert_string_equal(err, "state:2: expected no @include");
	conf_close(&r);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_include_inserts_files),
	    cmocka_unit_test(test_byte_order_mark_begins_a_file),
	    cmocka_unit_test(test_errors_have_the_line_of_their_file),
	    cmocka_unit_test(test_included_integers_are_not_truncated),
	    cmocka_unit_test(test_depth_and_number_of_includes_are_limited),
	    cmocka_unit_test(test_state_file_refuses_include),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
