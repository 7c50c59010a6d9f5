/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of managed objects as text, and which are any. */
#include <string.h>

#include "agent/mo.h"
#include "tests/unit/unit.h"

static const struct mo_enum bit_names[] = {{"one", 1}, {"eight", 8}, {NULL, 0}};
static const struct mo_column bits = {
    .name = "bits", .syntax = MO_BITS, .access = MO_RW, .max = 8, .names = bit_names};

static void assert_bits(const char *text, uint8_t first, uint8_t second)
{
	struct mo_value value;
	char back[64];

	assert_true(mo_parse(&bits, text, &value));
	assert_int_equal(value.len, 2);
	assert_int_equal(value.octets[0], first);
	assert_int_equal(value.octets[1], second);
	assert_int_equal(mo_validate(&bits, &value), MO_NO_ERROR);
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), strlen(text));
	assert_string_equal(back, text);
}

static void test_bits(void **state)
{
	struct mo_value value = {.syntax = MO_BITS};
	char back[8];

	(void)state;
	assert_bits("none", 0, 0);
	assert_bits("one", 0x40, 0);
	assert_bits("eight", 0, 0x80);
	assert_bits("one,eight", 0x40, 0x80);
	assert_false(mo_parse(&bits, "", &value));
	assert_false(mo_parse(&bits, "two", &value));
	assert_false(mo_parse(&bits, "one,", &value));
	assert_false(mo_parse(&bits, "on", &value));
	/* As from the network: too short is fine, too long is not, nor is a bit behind the last. */
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 0};
	assert_int_equal(mo_validate(&bits, &value), MO_NO_ERROR);
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), 4);
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 3};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_LENGTH);
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 2, .octets = {0, 0x40}};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_VALUE);
	value = (struct mo_value){.syntax = MO_INTEGER32};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_TYPE);
	/* The first bit is the highest; a buffer too small is said so. */
	value = (struct mo_value){.syntax = MO_BITS, .len = 2, .octets = {0x40, 0x80}};
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), 9);
	assert_string_equal(back, "one,eig");
}

/* Between the names of an enumeration there may be numbers that are none. */
static void test_gaps(void **state)
{
	static const struct mo_enum names[] = {{"none", 0}, {"all", 255}, {NULL, 0}};
	static const struct mo_column col = {
	    .name = "gaps", .syntax = MO_ENUM, .access = MO_RW, .max = 255, .names = names};
	struct mo_value value = {.syntax = MO_INTEGER32};

	(void)state;
	for (value.num = -1; value.num <= 256; value.num++)
		assert_int_equal(mo_validate(&col, &value),
				 value.num == 0 || value.num == 255 ? MO_NO_ERROR : MO_WRONG_VALUE);
	assert_true(mo_parse(&col, "all", &value));
	assert_int_equal(value.num, 255);
	assert_true(mo_parse(&col, "0xff", &value));
	assert_int_equal(value.num, 255);
	assert_false(mo_parse(&col, "al", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bits),
	    cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests_name("mo", tests, NULL, NULL);
}
