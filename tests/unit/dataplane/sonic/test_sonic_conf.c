/* SPDX-License-Identifier: BSD-3-Clause */
/* database_config.json and database_global.json. */
#include "dataplane/sonic/sonic_conf.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[40], path[64], err[SONIC_CONF_ERROR];
static struct sonic_conf conf;

#define REDIS(socket)                                                                          \
	"{\"INSTANCES\":{\"redis\":{\"hostname\":\"127.0.0.1\",\"unix_socket_path\":\"" socket \
	"\"}},"
#define DB(name, id, separator) \
	"\"" name "\":{\"id\":" id ",\"separator\":\"" separator "\",\"instance\":\"redis\"}"
#define DBS(config)                                                                   \
	"\"DATABASES\":{" DB("APPL_DB", "0", ":") "," DB("ASIC_DB", "1", ":") "," DB( \
	    "COUNTERS_DB", "2", ":") "," config "," DB("STATE_DB", "6", "|") "}}"
#define CONFIG DB("CONFIG_DB", "4", "|")

static void write_file(const char *name, const char *text)
{
	char file[128];
	FILE *to;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	to = fopen(file, "w");
	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

static int begin(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/dcb-conf-XXXXXX");
	snprintf(path, sizeof(path), "%s/file", mkdtemp(dir));
	memset(&conf, 0x5a, sizeof(conf));
	err[0] = '\0';
	return 0;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void test_numbers_separators_and_sockets(void **state)
{
	(void)state;
	write_file("file", REDIS("/run/redis/redis.sock") DBS(DB("CONFIG_DB", "14", "||")));
	assert_true(sonic_conf_read(path, &conf, err, sizeof(err)));
	assert_int_equal(conf.n, 1);
	assert_string_equal(conf.instance[0].space, "");
	assert_string_equal(conf.instance[0].error, "");
	assert_int_equal(conf.instance[0].db[SONIC_DB_APPL].number, 0);
	assert_int_equal(conf.instance[0].db[SONIC_DB_COUNTERS].number, 2);
	assert_int_equal(conf.instance[0].db[SONIC_DB_CONFIG].number, 14);
	assert_string_equal(conf.instance[0].db[SONIC_DB_CONFIG].separator, "||");
	assert_int_equal(conf.instance[0].db[SONIC_DB_STATE].number, 6);
	assert_string_equal(conf.instance[0].db[SONIC_DB_STATE].separator, "|");
	for (unsigned i = 0; i < SONIC_DBS; i++)
		assert_string_equal(conf.instance[0].db[i].socket, "/run/redis/redis.sock");
}

/* Each text names the file. */
static void test_errors(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
	    {"", "line 1: '[' or '{' expected near end of file"},
	    {"[]", "expected a JSON object"},
	    {"{}", "no APPL_DB in DATABASES, or it has no \"instance\""},
	    {REDIS("/s") DBS(DB("CONFIG_DB", "-4", "|")),
	     "CONFIG_DB: expected an \"id\" of 0 to 255"},
	    {REDIS("/s") DBS(DB("CONFIG_DB", "256", "|")),
	     "CONFIG_DB: expected an \"id\" of 0 to 255"},
	    {REDIS("/s") DBS(DB("CONFIG_DB", "\"4\"", "|")),
	     "CONFIG_DB: expected an \"id\" of 0 to 255"},
	    {REDIS("/s") DBS(DB("CONFIG_DB", "4", "")),
	     "CONFIG_DB: expected a \"separator\" such as \":\""},
	    {REDIS("/s") DBS(DB("CONFIG_DB", "4", "||||")),
	     "CONFIG_DB: expected a \"separator\" such as \":\""},
	    {REDIS("s") DBS(CONFIG),
	     "instance \"redis\" of APPL_DB: expected a \"unix_socket_path\" from / on"},
	    {"{" DBS(CONFIG),
	     "instance \"redis\" of APPL_DB: expected a \"unix_socket_path\" from / on"},
	    {"{\"INCLUDES\":{}}", "INCLUDES: expected an array"},
	    {"{\"INCLUDES\":[]}", "INCLUDES: expected the file of an ASIC"},
	    {"{\"INCLUDES\":[{\"namespace\":\"asic0\"}]}",
	     "INCLUDES: expected an \"include\", and a \"namespace\" of at most 15 characters"},
	    {"{\"INCLUDES\":[{\"include\":\"x\",\"namespace\":\"0123456789abcdef\"}]}",
	     "INCLUDES: expected an \"include\", and a \"namespace\" of at most 15 characters"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		char text[256];

		write_file("file", rows[i].text);
		assert_false(sonic_conf_read(path, &conf, err, sizeof(err)));
		snprintf(text, sizeof(text), "%s: %s", path, rows[i].error);
		assert_string_equal(err, text);
		assert_int_equal(conf.n, 0);
	}
}

static void test_missing_file_is_an_error(void **state)
{
	char text[256];

	(void)state;
	assert_false(sonic_conf_read(path, &conf, err, sizeof(err)));
	snprintf(text, sizeof(text),
		 "%s: No such file or directory; expected the database_config.json of SONiC", path);
	assert_string_equal(err, text);
	assert_false(sonic_conf_read(dir, &conf, err, sizeof(err)));
	assert_non_null(strstr(err, "expected a file of at most 1048576 octets"));
}

static void test_default_files_are_in_the_directory_of_sonic(void **state)
{
	(void)state;
	if (access(SONIC_CONF_DIRECTORY "database_config.json", F_OK) == 0)
		skip();
	assert_false(sonic_conf_read(NULL, &conf, err, sizeof(err)));
	assert_string_equal(err,
			    "/var/run/redis/sonic-db/database_config.json: No such file or "
			    "directory; expected the database_config.json of SONiC");
}

/* Paths are relative to the global file. Entries of DPUs are none of ASICs. */
static void test_several_asics(void **state)
{
	char sub[64];

	(void)state;
	snprintf(sub, sizeof(sub), "%s/redis0", dir);
	assert_int_equal(mkdir(sub, 0755), 0);
	write_file("host.json", REDIS("/run/redis/s") DBS(CONFIG));
	write_file("redis0/c.json", REDIS("/run/redis0/s") DBS(CONFIG));
	write_file("file",
		   "{\"INCLUDES\":[{\"include\":\"host.json\"},"
		   "{\"namespace\":\"asic0\",\"include\":\"redis0/c.json\"},"
		   "{\"container_name\":\"dpu0\",\"include\":\"none.json\"},"
		   "{\"database_type\":\"dpudb\",\"include\":\"none.json\"},"
		   "{\"namespace\":\"asic1\",\"include\":\"redis1/c.json\"}]}");
	assert_true(sonic_conf_read(path, &conf, err, sizeof(err)));
	assert_int_equal(conf.n, 3);
	assert_string_equal(conf.instance[0].space, "");
	assert_string_equal(conf.instance[0].db[0].socket, "/run/redis/s");
	assert_string_equal(conf.instance[1].space, "asic0");
	assert_string_equal(conf.instance[1].db[0].socket, "/run/redis0/s");
	assert_string_equal(conf.instance[1].error, "");
	/* One that is not there yet does not hinder the others. */
	assert_string_equal(conf.instance[2].space, "asic1");
	assert_non_null(strstr(conf.instance[2].error, "redis1/c.json: No such file or directory"));
}

static void test_too_many_asics_are_an_error(void **state)
{
	char text[2048] = "{\"INCLUDES\":[{\"include\":\"x\"}";

	(void)state;
	for (unsigned i = 0; i < SONIC_INSTANCES; i++)
		strcat(text, ",{\"include\":\"x\"}");
	strcat(text, "]}");
	write_file("file", text);
	assert_false(sonic_conf_read(path, &conf, err, sizeof(err)));
	assert_non_null(strstr(err, "INCLUDES: expected at most 16 files"));
}

UNIT_MAIN
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_numbers_separators_and_sockets, begin, end),
	    cmocka_unit_test_setup_teardown(test_errors, begin, end),
	    cmocka_unit_test_setup_teardown(test_missing_file_is_an_error, begin, end),
	    cmocka_unit_test_setup_teardown(test_default_files_are_in_the_directory_of_sonic, begin,
					    end),
	    cmocka_unit_test_setup_teardown(test_several_asics, begin, end),
	    cmocka_unit_test_setup_teardown(test_too_many_asics_are_an_error, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
