/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/octets.h"
#include "lib/units.h"
#include "tests/unit/unit.h"

#include <string.h>

static void test_written_values_are_read_back(void **state)
{
	static const uint8_t expected[] = {0x01, 0xfe, 0xdc, 0x80, 0x00, 0x00, 0x01, 0xff, 0xee,
					   0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88, 'a',  'b'};
	uint8_t buf[sizeof(expected)];
	struct octets_out out = octets_out(buf, sizeof(buf));
	struct octets_in in = octets_in(buf, sizeof(buf));

	(void)state;
	octets_out_u8(&out, 0x01);
	octets_out_be16(&out, 0xfedc);
	octets_out_be32(&out, 0x80000001);
	octets_out_be64(&out, UINT64_C(0xffeeddccbbaa9988));
	octets_out_bytes(&out, "ab", 2);
	assert_false(out.overrun);
	assert_int_equal(out.len, sizeof(expected));
	assert_memory_equal(buf, expected, sizeof(expected));

	assert_int_equal(octets_in_u8(&in), 0x01);
	assert_int_equal(octets_in_be16(&in), 0xfedc);
	assert_int_equal(octets_in_be32(&in), 0x80000001);
	assert_true(octets_in_be64(&in) == UINT64_C(0xffeeddccbbaa9988));
	assert_memory_equal(octets_in_take(&in, 2), "ab", 2);
	assert_int_equal(in.left, 0);
	assert_false(in.overrun);
}

static void test_read_overrun_latches(void **state)
{
	const uint8_t buf[3] = {1, 2, 3};
	struct octets_in in = octets_in(buf, sizeof(buf));

	(void)state;
	assert_int_equal(octets_in_be32(&in), 0);
	assert_true(in.overrun);
	assert_int_equal(octets_in_u8(&in), 0);
	assert_int_equal(octets_in_be16(&in), 0);
	assert_true(octets_in_be64(&in) == 0);
	assert_null(octets_in_take(&in, 1));
	/* 0 octets too: their number may come from a read that failed and gave 0. */
	assert_null(octets_in_take(&in, 0));
	assert_true(in.overrun);
}

static void test_write_overrun_latches(void **state)
{
	uint8_t buf[4] = {0xa5, 0xa5, 0xa5, 0xa5};
	struct octets_out out = octets_out(buf, 3);

	(void)state;
	octets_out_be16(&out, 0x0102);
	octets_out_be16(&out, 0x0304);
	assert_true(out.overrun);
	octets_out_u8(&out, 0x05);
	assert_int_equal(out.len, 2);
	assert_memory_equal(buf, "\x01\x02\xa5\xa5", 4);
}

static void test_rate_conversions(void **state)
{
	(void)state;
	assert_int_equal(dcb_rate_from_mbps(10000).bps, INT64_C(10000000000));
	assert_int_equal(dcb_rate_to_mbps(dcb_rate_from_mbps(UINT32_MAX)), UINT32_MAX);
	assert_int_equal(dcb_rate_octets_to_ns(dcb_rate_from_mbps(1000), 1500), 12000);
	/* Rounded up: 64 octets at 1 Gb/s plus 1 bit/s, and minus 1 bit/s. */
	assert_int_equal(dcb_rate_octets_to_ns((struct dcb_rate){1000000001}, 64), 512);
	assert_int_equal(dcb_rate_octets_to_ns((struct dcb_rate){999999999}, 64), 513);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_written_values_are_read_back),
	    cmocka_unit_test(test_read_overrun_latches),
	    cmocka_unit_test(test_write_overrun_latches),
	    cmocka_unit_test(test_rate_conversions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
