/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/ranges.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define OCTETS 512

/* Reads the text as VLANs 1..4094 and asserts the text that it is written as. */
static void assert_reads_as(const char *text, const char *expected)
{
	uint8_t octets[OCTETS] = {0};
	char back[100];

	assert_true(ranges_parse(text, 0, 1, 4094, octets));
	assert_int_equal(ranges_format(octets, OCTETS, 0, back, sizeof(back)), strlen(expected));
	assert_string_equal(back, expected);
}

static void test_sets_are_written_in_order(void **state)
{
	(void)state;
	assert_reads_as("1", "1");
	assert_reads_as("1,10-20", "1,10-20");
	assert_reads_as("10-20,1", "1,10-20");
	assert_reads_as("1-4094", "1-4094");
	assert_reads_as("4094,1,2,3,5,5-6,4-4", "1-6,4094");
	assert_reads_as("none", "none");
	assert_reads_as("0007", "7");
}

static void test_malformed_sets_are_refused(void **state)
{
	static const char *const bad[] = {
	    "",       " ",   "0",      "4095",   "1,",   ",1",         "1-",
	    "-1",     "2-1", "1--2",   "1-2-3",  "1, 2", "1;2",        "all",
	    "none,1", "0x1", "1-4095", "1,none", "+1",   "4294967297", "99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		uint8_t octets[OCTETS] = {0};

		if (ranges_parse(bad[i], 0, 1, 4094, octets))
			fail_msg("\"%s\" is accepted", bad[i]);
	}
}

/* Bit 0x80 of the first octet stands for the base. */
static void test_base_is_the_first_bit(void **state)
{
	uint8_t octets[128] = {0};
	char text[20];

	(void)state;
	assert_true(ranges_parse("1024,1031,2047", 1024, 1024, 2047, octets));
	assert_int_equal(octets[0], 0x81);
	assert_int_equal(octets[127], 0x01);
	ranges_format(octets, sizeof(octets), 1024, text, sizeof(text));
	assert_string_equal(text, "1024,1031,2047");
	assert_false(ranges_parse("1023", 1024, 1024, 2047, octets));
	assert_false(ranges_parse("2048", 1024, 1024, 2047, octets));
}

static void test_text_is_cut_as_by_snprintf(void **state)
{
	uint8_t octets[2] = {0xff, 0x05};
	char text[6] = "xxxxx";

	(void)state;
	assert_int_equal(ranges_format(octets, 2, 0, text, sizeof(text)), strlen("0-7,13,15"));
	assert_string_equal(text, "0-7,1");
	assert_int_equal(ranges_format(octets, 2, 0, text, 0), strlen("0-7,13,15"));
}

static void test_random_sets_are_read_back(void **state)
{
	static char text[30000];
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned n = 0; n < 200; n++) {
		uint8_t octets[OCTETS] = {0}, back[OCTETS] = {0};
		uint32_t density = dcb_rng_uniform(&rng, 1, 100);

		for (uint32_t vid = 1; vid <= 4094; vid++)
			if (dcb_rng_uniform(&rng, 1, 100) <= density)
				ranges_add(octets, vid);
		assert_true(ranges_format(octets, OCTETS, 0, text, sizeof(text)) <
			    (int)sizeof(text));
		assert_true(ranges_parse(text, 0, 1, 4094, back));
		assert_memory_equal(back, octets, OCTETS);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sets_are_written_in_order),
	    cmocka_unit_test(test_malformed_sets_are_refused),
	    cmocka_unit_test(test_base_is_the_first_bit),
	    cmocka_unit_test(test_text_is_cut_as_by_snprintf),
	    cmocka_unit_test(test_random_sets_are_read_back),
	};

	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
