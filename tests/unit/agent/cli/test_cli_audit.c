/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl dcbx --audit: output and exit status for given rows. */
#include <string.h>

#include "tests/unit/cli_server.h"

/* Ports of dcbd that have no name. */
#define P "70001"
#define Q "70002"

static int audit(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	assert_true(cli_dcbx_option(cli, cli_dcbx_long_options[0].val, NULL));
	return cmd_dcbx(cli, self, argc, argv);
}

static void put(const char *index, const char *result, const char *expected, const char *told)
{
	server_put("dcbDcbxAuditResult", index, result);
	server_put("dcbDcbxAuditExpected", index, expected);
	server_put("dcbDcbxAuditTold", index, told);
}

static void put_matches(void)
{
	server_clear();
	put(P ".1", "match", "3", "3");
	put(P ".2", "match", "any", "TC 0 (0-7) strict");
	put(P ".3", "notExpected", "", "");
	put(P ".4", "match", "tcp 3260:4", "tcp 3260:4");
	put(P ".5", "notExpected", "", "5");
	put(Q ".1", "notExpected", "", "");
}

#define MATCHES                                                                       \
	"port   feature                 result       expected    told\n"              \
	"70001  pfc                     match        3           3\n"                 \
	"70001  etsConfiguration        match        any         TC 0 (0-7) strict\n" \
	"70001  etsRecommendation       notExpected  -           -\n"                 \
	"70001  applicationPriority     match        tcp 3260:4  tcp 3260:4\n"        \
	"70001  congestionNotification  notExpected  -           5\n"

static void test_one_line_for_each_port_and_feature(void **state)
{
	(void)state;
	put_matches();
	expect_out(RUN_ALL(audit, false),
		   MATCHES "70002  pfc                     notExpected  -           -\n");
	expect_out(RUN(audit, false, P), MATCHES);
}

static void test_json(void **state)
{
	json_t *j;
	char *text;

	(void)state;
	put_matches();
	j = expect_json(RUN(audit, true, P));
	assert_int_equal(json_array_size(j), 5);
	text = json_dumps(json_array_get(j, 1), JSON_COMPACT);
	assert_string_equal(text,
			    "{\"version\":1,\"ifIndex\":70001,\"port\":\"70001\","
			    "\"feature\":\"etsConfiguration\",\"result\":\"match\","
			    "\"expected\":\"any\",\"told\":\"TC 0 (0-7) strict\"}");
	free(text);
	json_decref(j);
}

static void assert_rc(struct ran ran, int rc)
{
	assert_string_equal(ran.err, "");
	assert_int_equal(ran.rc, rc);
	assert_non_null(strstr(ran.out, "result"));
	free(ran.out);
}

/* The other ports of dcbd do not count. */
static void test_exit_status_is_the_result_of_the_ports(void **state)
{
	static const char *const results[] = {"mismatch",   "notTold",       "malformed",
					      "noNeighbor", "manyNeighbors", "8"};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(results); i++) {
		put_matches();
		put(Q ".1", results[i], "3", "");
		assert_rc(RUN(audit, false, P), CLI_OK);
		assert_rc(RUN(audit, false, Q), CLI_FAILED);
		assert_rc(RUN(audit, true, P, Q), CLI_FAILED);
		assert_rc(RUN_ALL(audit, false), CLI_FAILED);
	}
}

static void test_an_audit_that_cannot_be_made_is_no_mismatch(void **state)
{
	char path[sizeof(server.path)];
	struct ran ran;

	(void)state;
	put_matches();
	expect_error(RUN(audit, false, "70003"), CLI_USAGE,
		     "dcbctl: 70003 is not a port of dcbd\n");
	expect_error(RUN(audit, false, "nosuchif"), CLI_USAGE,
		     "dcbctl: expected the name or ifIndex of a port of dcbd, not \"nosuchif\"\n");
	strcpy(path, server.path);
	strcpy(server.path, "/tmp/test_cli.nowhere");
	ran = RUN(audit, true, P);
	strcpy(server.path, path);
	assert_int_equal(ran.rc, CLI_USAGE);
	assert_string_equal(ran.out, "");
	assert_memory_equal(ran.err, "dcbctl: ", 8);
	free(ran.out);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_line_for_each_port_and_feature),
	    cmocka_unit_test(test_json),
	    cmocka_unit_test(test_exit_status_is_the_result_of_the_ports),
	    cmocka_unit_test(test_an_audit_that_cannot_be_made_is_no_mismatch),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
