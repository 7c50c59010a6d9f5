/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of chassis IDs, port IDs and system names, with unsafe characters and long ones. */
#include "control/objects/neighbor_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/rng.h"
#include "tests/unit/unit.h"

static struct lldp_id id_of(uint8_t subtype, const void *octets, size_t len)
{
	struct lldp_id id = {.subtype = subtype, .len = (uint8_t)len};

	memcpy(id.octets, octets, len);
	return id;
}

static void expect(bool chassis, uint8_t subtype, const void *octets, size_t len, const char *want)
{
	struct lldp_id id = id_of(subtype, octets, len);
	char text[NEIGHBOR_TEXT_OCTETS];

	(chassis ? neighbor_chassis_text : neighbor_port_text)(&id, text);
	assert_string_equal(text, want);
}
#define CHASSIS(subtype, s, want) expect(true, subtype, s, sizeof(s) - 1, want)
#define PORT(subtype, s, want)    expect(false, subtype, s, sizeof(s) - 1, want)

static void test_identifiers_are_formatted_by_subtype(void **state)
{
	(void)state;
	CHASSIS(4, "\x00\x1b\x21\xff\x00\x01", "00-1b-21-ff-00-01");
	PORT(3, "\x00\x1b\x21\xff\x00\x01", "00-1b-21-ff-00-01");
	CHASSIS(7, "leaf-7", "leaf-7");
	PORT(5, "swp3", "swp3");
	PORT(1, "to the \xc3\xbcpper floor", "to the \xc3\xbcpper floor");
	CHASSIS(5, "\x01\xc0\x00\x02\x01", "192.0.2.1");
	PORT(4, "\x02\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", "2001:db8::1");
	/* A wrong length for the address family, or no address. */
	CHASSIS(5, "\x02\xc0\x00\x02\x01", "02-c0-00-02-01");
	CHASSIS(5, "\x01", "01");
	/* A subtype has different meanings in chassis IDs and port IDs. */
	CHASSIS(3, "swp3", "swp3");
	PORT(6, "swp3", "73-77-70-33");
	/* Reserved subtypes, and empty identifiers. */
	CHASSIS(0, "swp3", "73-77-70-33");
	PORT(255, "swp3", "73-77-70-33");
	CHASSIS(7, "", "");
	PORT(0, "", "");
}

/* An identifier with one unsafe character is formatted in hexadecimal. */
static void test_unsafe_identifiers_are_hexadecimal(void **state)
{
	(void)state;
	PORT(5, "a\nb", "61-0a-62");
	PORT(5, "a\0b", "61-00-62");
	PORT(5, "a\x7f", "61-7f");
	PORT(5, "\x1b[2J", "1b-5b-32-4a");
	PORT(5, "\xff", "ff");
	PORT(5, "\xc0\xaf", "c0-af");               /* overlong */
	PORT(5, "\xe0\x80\xaf", "e0-80-af");        /* overlong */
	PORT(5, "\xf0\x80\x80\xaf", "f0-80-80-af"); /* overlong */
	PORT(5, "\xed\xa0\x80", "ed-a0-80");        /* a surrogate */
	PORT(5, "\xf4\x90\x80\x80", "f4-90-80-80"); /* above U+10FFFF */
	PORT(5, "\xf5\x80\x80\x80", "f5-80-80-80"); /* above U+10FFFF */
	PORT(5, "\xe2\x82", "e2-82");               /* truncated */
	PORT(5, "\xe2\x82z", "e2-82-7a");           /* truncated */
	PORT(5, "\xc2\x9b", "c2-9b");               /* CSI as a character */
	PORT(5,
	     "\xe2\x80\xae"
	     "3pws",
	     "e2-80-ae-33-70-77-73");        /* right-to-left override */
	PORT(5, "\xef\xbb\xbf", "ef-bb-bf"); /* byte order mark */
	PORT(5, "\xef\xbf\xbf", "ef-bf-bf"); /* noncharacter U+FFFF */
}

static void test_unsafe_characters_of_names_are_replaced(void **state)
{
	static const char *const cases[][2] = {
	    {"", ""},
	    {"leaf-7.example", "leaf-7.example"},
	    {"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\"\\",
	     "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\"\\"},
	    {"a\nb\tc\x1b[31m", "a?b?c?[31m"},
	    {"\xff\xfeok\xc3", "??ok?"},
	    {"\xe2\x80\xaex", "???x"},
	};
	char text[NEIGHBOR_TEXT_OCTETS], longest[300];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		neighbor_name_text(cases[i][0], text);
		assert_string_equal(text, cases[i][1]);
	}
	memset(longest, 'x', sizeof(longest));
	neighbor_name_text(longest, text); /* not null-terminated */
	assert_int_equal(strlen(text), NEIGHBOR_TEXT_OCTETS - 1);
}

static void test_long_identifiers_are_truncated(void **state)
{
	char name[LLDP_ID_OCTETS], text[NEIGHBOR_TEXT_OCTETS];
	struct lldp_id id;

	(void)state;
	memset(name, 'n', sizeof(name));
	expect(false, 5, name, 255, memcpy((char[256]){0}, name, 255));
	id = id_of(6, name, 84);
	neighbor_port_text(&id, text);
	assert_int_equal(strlen(text), 84 * 3 - 1);
	id = id_of(6, name, 85);
	neighbor_port_text(&id, text);
	assert_int_equal(strlen(text), 84 * 3 - 1 + 3);
	assert_string_equal(text + strlen(text) - 5, "6e...");
}

static bool is_clean(const char *text)
{
	for (; *text; text++)
		if ((uint8_t)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

static void test_random_identifiers_give_clean_text(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < UNIT_CASES(200000); i++) {
		struct lldp_id id = {.subtype = (uint8_t)(dcb_rng_next(&rng) % 9),
				     .len = (uint8_t)dcb_rng_next(&rng)};
		char text[NEIGHBOR_TEXT_OCTETS], again[NEIGHBOR_TEXT_OCTETS];
		char name[NEIGHBOR_TEXT_OCTETS];

		for (unsigned o = 0; o < id.len; o++)
			id.octets[o] = (uint8_t)dcb_rng_next(&rng);
		neighbor_chassis_text(&id, text);
		assert_true(is_clean(text));
		neighbor_port_text(&id, text);
		assert_true(is_clean(text));
		memcpy(name, id.octets, sizeof(id.octets));
		name[id.len] = '\0';
		neighbor_name_text(name, text);
		assert_int_equal(strlen(text), strlen(name));
		neighbor_name_text(text, again);
		assert_string_equal(text, again); /* the text has safe characters only */
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_identifiers_are_formatted_by_subtype),
	    cmocka_unit_test(test_unsafe_identifiers_are_hexadecimal),
	    cmocka_unit_test(test_unsafe_characters_of_names_are_replaced),
	    cmocka_unit_test(test_long_identifiers_are_truncated),
	    cmocka_unit_test(test_random_identifiers_give_clean_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
