/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl cn-profile: text, JSON, entries for dcbd.conf, error messages. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/conf/conf.h"
#include "dataplane/core/cn_profile.h"
#include "tests/unit/cli_server.h"

/* Processes the options first, then the arguments, as main() does. */
static int with_options(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	const struct cli_command command = {.name = "cn-profile",
					    .args = "ARGS",
					    .run = cmd_cn_profile,
					    .options = "i:",
					    .long_options = cli_cn_profile_long_options,
					    .option = cli_cn_profile_option};
	char *words[16] = {(char[]){"dcbctl"}};
	int at;

	(void)self;
	for (int i = 0; i < argc && i < 14; i++)
		words[i + 1] = argv[i];
	at = cli_options(cli, &command, argc + 1, words);
	if (at < 0)
		return CLI_USAGE;
	return cmd_cn_profile(cli, &command, argc + 1 - at, words + at);
}

#define PROFILE(...) run(with_options, false, (const char *const[]){__VA_ARGS__, NULL})

static void test_text_has_all_objects_and_units(void **state)
{
	(void)state;
	expect_out(PROFILE("200M"),
		   "object                         scaled  standard  unit\n"
		   "ieee8021CnCpQueueSizeSetPoint   50000     26000  octets\n"
		   "ieee8021CnCpFeedbackWeight          1         1  \n"
		   "ieee8021CnCpMinSampleBase       75000    150000  octets\n"
		   "ieee8021CnCpMinHeaderOctets         0         0  octets\n"
		   "ieee8021CnRpgTimeReset             50        15  milliseconds\n"
		   "ieee8021CnRpgByteReset         150000    150000  octets\n"
		   "ieee8021CnRpgThreshold              5         5  \n"
		   "ieee8021CnRpgMaxRate              200         -  Mb/s\n"
		   "ieee8021CnRpgAiRate                 1         5  Mb/s\n"
		   "ieee8021CnRpgHaiRate                5        50  Mb/s\n"
		   "ieee8021CnRpgGd                     7         7  \n"
		   "ieee8021CnRpgMinDecFac             50        50  percent\n"
		   "ieee8021CnRpgMinRate                1         5  Mb/s\n");
}

/* The names in the code fit the objects of the profile. */
static void test_json_has_the_values_of_the_profile(void **state)
{
	static const struct {
		const char *object;
		enum cn_profile_object profile;
	} objects[] = {
	    {"ieee8021CnCpQueueSizeSetPoint", CN_PROFILE_QUEUE_SIZE_SET_POINT},
	    {"ieee8021CnCpMinSampleBase", CN_PROFILE_MIN_SAMPLE_BASE},
	    {"ieee8021CnRpgTimeReset", CN_PROFILE_TIME_RESET},
	    {"ieee8021CnRpgAiRate", CN_PROFILE_AI_RATE},
	    {"ieee8021CnRpgHaiRate", CN_PROFILE_HAI_RATE},
	    {"ieee8021CnRpgMinRate", CN_PROFILE_MIN_RATE},
	};
	json_t *j = expect_json(run(with_options, true, (const char *const[]){"100G", NULL}));
	json_t *o = json_array_get(j, 0), *e;
	size_t i, found = 0;
	char *text;

	(void)state;
	assert_int_equal(json_array_size(j), 1);
	assert_int_equal(json_integer_value(json_object_get(o, "rate")), 100000000000);
	assert_int_equal(json_array_size(json_object_get(o, "objects")), 13);
	json_array_foreach(json_object_get(o, "objects"), i, e)
	{
		for (size_t k = 0; k < UNIT_COUNT(objects); k++) {
			const char *name = json_string_value(json_object_get(e, "object"));

			if (strcmp(name, objects[k].object) != 0)
				continue;
			found++;
			assert_int_equal(
			    json_integer_value(json_object_get(e, "value")),
			    cn_profile_value(objects[k].profile, dcb_rate_from_mbps(100000)));
		}
	}
	assert_int_equal(found, CN_PROFILE_OBJECTS);
	text = json_dumps(json_array_get(json_object_get(o, "objects"), 4), JSON_COMPACT);
	assert_string_equal(text,
			    "{\"object\":\"ieee8021CnRpgTimeReset\",\"value\":2,"
			    "\"default\":15,\"unit\":\"milliseconds\"}");
	free(text);
	text = json_dumps(json_array_get(json_object_get(o, "objects"), 7), JSON_COMPACT);
	assert_string_equal(text,
			    "{\"object\":\"ieee8021CnRpgMaxRate\",\"value\":100000,"
			    "\"default\":null,\"unit\":\"Mb/s\"}");
	free(text);
	json_decref(j);
}

static void test_initial_has_what_differs_from_the_defvals(void **state)
{
	(void)state;
	expect_out(PROFILE("-i", "3", "100G"),
		   "initial = (\n"
		   "\t{ object = \"ieee8021CnRpgTimeReset\"; index = \"1.3.*.3\"; port = \"*\"; "
		   "value = 2; },\n"
		   "\t{ object = \"ieee8021CnRpgAiRate\"; index = \"1.3.*.3\"; port = \"*\"; "
		   "value = 50; },\n"
		   "\t{ object = \"ieee8021CnRpgHaiRate\"; index = \"1.3.*.3\"; port = \"*\"; "
		   "value = 500; }\n"
		   ");\n");
	expect_out(PROFILE("--initial=3", "10G"), "initial = (\n);\n");
}

/* dcbd reads the entries; CpIndex and RpgIdentifier of priority 0 are 8. */
static void test_initial_is_accepted_by_dcbd(void **state)
{
	static const char *const priorities[] = {"0", "7"};
	char name[] = "/tmp/test_cli_cn_profile.XXXXXX", err[256] = "";
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < UNIT_COUNT(priorities); i++) {
		struct ran r = PROFILE("-i", priorities[i], "200M");
		FILE *f = fopen(name, "w");
		struct conf conf;

		assert_non_null(f);
		assert_true(fputs(r.out, f) >= 0);
		assert_int_equal(fclose(f), 0);
		conf_init(&conf);
		if (!conf_read(&conf, name, err, sizeof(err)))
			fail_msg("%s", err);
		assert_int_equal(conf.n_initial, CN_PROFILE_OBJECTS);
		assert_string_equal(conf.initial[0].index, i ? "1.*.7" : "1.*.8");
		assert_string_equal(conf.initial[5].index, i ? "1.7.*.7" : "1.0.*.8");
		conf_free(&conf);
		free(r.out);
	}
	unlink(name);
}

static void test_errors(void **state)
{
	static const char *const rates[] = {"", "fast", "0", "11T", "1.5"};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rates); i++) {
		char err[128];

		snprintf(err, sizeof(err),
			 "dcbctl: expected a rate of 1 bit/s to 10T, such as 2.5G, not \"%s\"\n",
			 rates[i]);
		expect_error(PROFILE(rates[i]), CLI_USAGE, err);
	}
	expect_error(PROFILE("-i", "8", "10G"), CLI_USAGE,
		     "dcbctl: --initial: expected a priority 0..7, not \"8\"\n");
	expect_error(PROFILE("-i", "", "10G"), CLI_USAGE,
		     "dcbctl: --initial: expected a priority 0..7, not \"\"\n");
	expect_error(PROFILE("10G", "25G"), CLI_USAGE,
		     "usage: dcbctl [-jpsN] [--socket socket] cn-profile ARGS\n");
	expect_error(run(with_options, true, (const char *const[]){"-i", "3", "10G", NULL}),
		     CLI_USAGE, "usage: dcbctl [-jpsN] [--socket socket] cn-profile ARGS\n");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_has_all_objects_and_units),
	    cmocka_unit_test(test_json_has_the_values_of_the_profile),
	    cmocka_unit_test(test_initial_has_what_differs_from_the_defvals),
	    cmocka_unit_test(test_initial_is_accepted_by_dcbd),
	    cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests_name("cli_cn_profile", tests, NULL, NULL);
}
