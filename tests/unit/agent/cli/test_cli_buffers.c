/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl buffers: its text and JSON output for given rows. */
#include <string.h>

#include "tests/unit/cli_server.h"

/* Ports of dcbd that have no name. */
#define P "70001"
#define Q "70002"

static void put_pool(const char *pool, const char *const values[6])
{
	static const char *const objects[] = {"dcbBufferPoolSizeOctets", "dcbBufferPoolSizeFrames",
					      "dcbBufferPoolUsedOctets", "dcbBufferPoolUsedFrames",
					      "dcbBufferPoolPeakOctets", "dcbBufferPoolPeakFrames"};

	for (size_t i = 0; i < UNIT_COUNT(objects); i++)
		server_put(objects[i], pool, values[i]);
}

static void put_memory(void)
{
	server_clear();
	server_put("dcbPortOperational", P, "true");
	server_put("dcbPortOperational", Q, "true");
	server_put("dcbBufferStatus", "0", "fits");
	server_put("dcbBufferLosslessShare", "0", "50");
	server_put("dcbBufferHeadroomRatio", "0", "1");
	server_put("dcbBufferMemoryOctets", "0", "33554432");
	server_put("dcbBufferMemoryFrames", "0", "16384");
	server_put("dcbBufferReservedOctets", "0", "77824");
	server_put("dcbBufferReservedFrames", "0", "38");
	server_put("dcbBufferPromisedOctets", "0", "17806");
	server_put("dcbBufferPromisedFrames", "0", "212");
	put_pool("1",
		 (const char *const[]){"16729401", "8067", "400000", "6000", "7456540", "7011"});
	put_pool("2", (const char *const[]){"16729401", "8067", "0", "0", "1514", "1"});
	put_pool("3", (const char *const[]){"17806", "212", "9000", "150", "17000", "200"});
}

static void put_account(const char *index, const char *const objects[8],
			const char *const values[8])
{
	for (unsigned i = 0; i < 8; i++)
		server_put(objects[i], index, values[i]);
}

static void put_accounts(void)
{
	static const char *const lossless[] = {
	    "dcbBufferLosslessOctets",      "dcbBufferLosslessFrames",
	    "dcbBufferLosslessPeakOctets",  "dcbBufferLosslessPeakFrames",
	    "dcbBufferLosslessLimitOctets", "dcbBufferLosslessLimitFrames",
	    "dcbBufferLosslessNoOctets",    "dcbBufferLosslessNoFrames"};
	static const char *const lossy[] = {
	    "dcbBufferLossyOctets",     "dcbBufferLossyFrames",      "dcbBufferLossyPeakOctets",
	    "dcbBufferLossyPeakFrames", "dcbBufferLossyLimitOctets", "dcbBufferLossyLimitFrames",
	    "dcbBufferLossyNoOctets",   "dcbBufferLossyNoFrames"};

	server_put("dcbBufferReserveInForce", P ".3", "4096");
	server_put("dcbBufferReserveFrames", P ".3", "2");
	put_account(P ".3", lossless,
		    (const char *const[]){"404096", "6002", "7460636", "7013", "14872801", "7171",
					  "12", "7"});
	server_put("dcbBufferHeadroomSize", P ".3", "17806");
	server_put("dcbBufferHeadroomOctets", P ".3", "9000");
	server_put("dcbBufferHeadroomPeak", P ".3", "17000");
	put_account(P ".4", lossy,
		    (const char *const[]){"1", "2", "1514", "1", "600000", "16134", "10", "0"});
	server_put("dcbBufferReserve", Q ".0", "0");
}

static void assert_narrow(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		assert_true(n < 100);
	}
}

static void test_text_has_memory_and_accounts(void **state)
{
	struct ran ran;

	(void)state;
	put_memory();
	put_accounts();
	ran = RUN(cmd_buffers, false, P);
	assert_narrow(ran.out);
	expect_out(ran,
		   "status: fits\n"
		   "headroom ratio: 1\n"
		   "peaks since: the start of dcbd\n"
		   "part             octets  buffers  used octets  used buffers  peak octets  peak "
		   "buffers\n"
		   "memory         33554432    16384            -             -            -       "
		   "      -\n"
		   "reserves          77824       38            -             -            -       "
		   "      -\n"
		   "headroom          17806      212            -             -            -       "
		   "      -\n"
		   "lossless pool  16729401     8067       400000          6000      7456540       "
		   "   7011\n"
		   "lossy pool     16729401     8067            0             0         1514       "
		   "      1\n"
		   "headroom pool     17806      212         9000           150        17000       "
		   "    200\n"
		   "\n"
		   "octets/buffers; discards: for lack of octets/buffers\n"
		   "port   priority  account   reserve         held          peak          limit  "
		   "discards\n"
		   "70001         3  lossless   4096/2  404096/6002  7460636/7013  14872801/7171   "
		   "   12/7\n"
		   "70001         3  headroom        -         9000         17000          17806   "
		   "      -\n"
		   "70001         3  lossy      4096/2          0/0           0/0            0/0   "
		   "    0/0\n"
		   "70001         4  lossy         0/0          1/2        1514/1   600000/16134   "
		   "   10/0\n");
}

static void test_text_of_all_ports(void **state)
{
	struct ran ran;

	(void)state;
	put_memory();
	put_accounts();
	ran = RUN_ALL(cmd_buffers, false);
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out, "\n" Q "         0  lossy "));
	free(ran.out);
}

/* Which sum does not fit, an over-subscribed headroom, and the time of the watermarks. */
static void test_text_says_that_memory_is_missing(void **state)
{
	struct ran ran;

	(void)state;
	put_memory();
	server_put("dcbBufferStatus", "0", "doesNotFit");
	server_put("dcbBufferMissingOctets", "0", "5000000000");
	server_put("dcbBufferMissingFrames", "0", "123");
	server_put("dcbBufferHeadroomRatio", "0", "4");
	server_put("dcbBufferWatermarksSince", "0", "12305");
	ran = RUN_ALL(cmd_buffers, false);
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out,
			       "status: does not fit: 5000000000 octets, 123 buffers are missing\n"
			       "headroom ratio: 4, the headroom is not guaranteed\n"
			       "peaks since: 123.05 s after the start of dcbd\n"));
	assert_null(strstr(ran.out, "discards")); /* there is no row of a port */
	free(ran.out);
}

static json_t *at(json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	assert_non_null(v);
	return v;
}

static void expect_amount(json_t *o, const char *key, int64_t octets, int64_t buffers)
{
	assert_int_equal(json_integer_value(at(at(o, key), "octets")), octets);
	assert_int_equal(json_integer_value(at(at(o, key), "buffers")), buffers);
}

static void test_json_has_all_values(void **state)
{
	json_t *all, *o, *a, *port, *priority;

	(void)state;
	put_memory();
	put_accounts();
	all = expect_json(RUN_ALL(cmd_buffers, true));
	assert_int_equal(json_array_size(all), 1);
	o = json_array_get(all, 0);
	assert_string_equal(json_string_value(at(o, "status")), "fits");
	expect_amount(o, "memory", 33554432, 16384);
	expect_amount(o, "reserves", 77824, 38);
	expect_amount(o, "headroom", 17806, 212);
	expect_amount(o, "missing", 0, 0);
	assert_int_equal(json_integer_value(at(o, "headroomRatio")), 1);
	assert_int_equal(json_integer_value(at(o, "losslessShare")), 50);
	assert_int_equal(json_integer_value(at(o, "watermarksSince")), 0);
	a = at(o, "pools");
	assert_int_equal(json_array_size(a), 3);
	assert_string_equal(json_string_value(at(json_array_get(a, 2), "pool")), "headroom");
	expect_amount(json_array_get(a, 0), "used", 400000, 6000);
	expect_amount(json_array_get(a, 2), "peak", 17000, 200);
	a = at(o, "ports");
	assert_int_equal(json_array_size(a), 2);
	port = json_array_get(a, 0);
	assert_int_equal(json_integer_value(at(port, "ifIndex")), 70001);
	assert_int_equal(json_array_size(at(port, "priorities")), 2);
	priority = json_array_get(at(port, "priorities"), 0);
	assert_int_equal(json_integer_value(at(priority, "priority")), 3);
	expect_amount(priority, "reserve", 4096, 2);
	expect_amount(at(priority, "lossless"), "held", 404096, 6002);
	expect_amount(at(priority, "lossless"), "limit", 14872801, 7171);
	expect_amount(at(priority, "lossless"), "discards", 12, 7);
	assert_int_equal(json_integer_value(at(at(priority, "headroom"), "peak")), 17000);
	priority = json_array_get(at(port, "priorities"), 1);
	assert_true(json_is_null(at(priority, "lossless")));
	assert_true(json_is_null(at(priority, "headroom")));
	expect_amount(at(priority, "lossy"), "peak", 1514, 1);
	json_decref(all);
}

static void test_port_that_does_not_exist_is_an_error(void **state)
{
	struct ran ran;

	(void)state;
	put_memory();
	ran = RUN(cmd_buffers, false, "70003");
	assert_int_equal(ran.rc, CLI_FAILED);
	assert_string_equal(ran.out, "");
	free(ran.out);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_has_memory_and_accounts),
	    cmocka_unit_test(test_text_of_all_ports),
	    cmocka_unit_test(test_text_says_that_memory_is_missing),
	    cmocka_unit_test(test_json_has_all_values),
	    cmocka_unit_test(test_port_that_does_not_exist_is_an_error),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
