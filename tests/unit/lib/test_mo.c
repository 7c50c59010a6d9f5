/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of managed objects: validation, text form, encoding in messages. */
#include <string.h>

#include "lib/mo/mo.h"
#include "lib/mo/mo_event.h"
#include "lib/mo/mo_expect.h"
#include "lib/mo/mo_msg.h"
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

static void test_bits_are_parsed_validated_and_formatted(void **state)
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
	/* Values from SNMP: fewer octets are valid; more octets or a bit above max are not. */
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 0};
	assert_int_equal(mo_validate(&bits, &value), MO_NO_ERROR);
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), 4);
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 3};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_LENGTH);
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 2, .octets = {0, 0x40}};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_VALUE);
	value = (struct mo_value){.syntax = MO_INTEGER32};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_TYPE);
	/* Bit 0 is the most significant; the length returned may exceed the buffer. */
	value = (struct mo_value){.syntax = MO_BITS, .len = 2, .octets = {0x40, 0x80}};
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), 9);
	assert_string_equal(back, "one,eig");
}

/* An enumeration accepts its named numbers only, not those between them. */
static void test_enumeration_refuses_unnamed_numbers(void **state)
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

/* --- text ------------------------------------------------------------------------ */

static const struct mo_column number = {
    .name = "number", .syntax = MO_INTEGER32, .access = MO_RW, .min = -10, .max = 1000};
static const struct mo_column hex = {
    .name = "hex", .syntax = MO_OCTETS, .access = MO_RW, .min = 2, .max = 4};
static const struct mo_column string = {
    .name = "string", .syntax = MO_STRING, .access = MO_RW, .min = 1, .max = 5};

static void test_number_text(void **state)
{
	static const struct {
		const char *text;
		int64_t num;
	} good[] = {{"0", 0},       {"9", 9},
		    {"-1", -1},     {"-9", -9},
		    {"0x10", 16},   {"9223372036854775807", INT64_MAX},
		    {"-0x10", -16}, {"18446744073709551615", -1},
		    {"0012", 10}};
	static const char *const bad[] = {"",
					  "-",
					  "+1",
					  " 1",
					  "1 ",
					  "1a",
					  "--1",
					  "a",
					  "18446744073709551616",
					  "-9223372036854775809"};
	struct mo_value value;
	char text[32];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(good); i++) {
		assert_true(mo_parse(&number, good[i].text, &value));
		assert_int_equal(value.syntax, MO_INTEGER32);
		assert_int_equal(value.num, good[i].num);
	}
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		assert_false(mo_parse(&number, bad[i], &value));
	value = (struct mo_value){.syntax = MO_INTEGER32, .num = -1};
	assert_int_equal(mo_format(&number, &value, text, sizeof(text)), 2);
	assert_string_equal(text, "-1");
}

/* Counter64 and CounterBasedGauge64 are unsigned. */
static void test_counter64_text(void **state)
{
	static const enum mo_syntax syntaxes[] = {MO_COUNTER64, MO_GAUGE64};
	struct mo_value value = {.num = -1};
	char text[32];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(syntaxes); i++) {
		struct mo_column col = {.syntax = syntaxes[i]};

		assert_int_equal(mo_format(&col, &value, text, sizeof(text)), 20);
		assert_string_equal(text, "18446744073709551615");
	}
}

static void test_octets_text(void **state)
{
	static const char *const good[] = {"0a-1B-ff", "0a:1b:ff", "0a 1b ff", "0a1bff", "a-1b-ff"};
	static const char *const bad[] = {"",       "0a", "0a-1b-2c-3d-4e", "0a-xy", "g",
					  "0a--1b", "-0a"};
	struct mo_value value;
	char text[16];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(good); i++) {
		assert_true(mo_parse(&hex, good[i], &value));
		assert_int_equal(value.len, 3);
		assert_memory_equal(value.octets, "\x0a\x1b\xff", 3);
	}
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		assert_false(mo_parse(&hex, bad[i], &value));
	assert_true(mo_parse(&hex, "01-02", &value));
	assert_true(mo_parse(&hex, "01-02-03-04", &value));
	assert_int_equal(mo_format(&hex, &value, text, sizeof(text)), 11);
	assert_string_equal(text, "01-02-03-04");
	assert_int_equal(mo_format(&hex, &value, text, 5), 11);
	assert_string_equal(text, "01-0");
	value.len = 0;
	assert_int_equal(mo_format(&hex, &value, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	text[0] = 'x';
	assert_int_equal(mo_format(&hex, &value, text, 0), 0);
	assert_int_equal(text[0], 'x');
}

/* The first bit stands for the multiple of 1024 at or below the first VLAN. */
static void test_vlans_text(void **state)
{
	static const struct mo_column first = {
	    .name = "f", .syntax = MO_VLANS, .access = MO_RW, .min = 1, .max = 1023};
	static const struct mo_column last = {
	    .name = "l", .syntax = MO_VLANS, .access = MO_RW, .min = 3072, .max = 4094};
	struct mo_value value;
	char text[40];

	(void)state;
	assert_true(mo_parse(&first, "8,1-2", &value));
	assert_int_equal(value.len, MO_VLANS_OCTETS);
	assert_memory_equal(value.octets, "\x60\x80\0", 3);
	mo_format(&first, &value, text, sizeof(text));
	assert_string_equal(text, "1-2,8");
	assert_true(mo_parse(&last, "3072,4094", &value));
	assert_int_equal(value.octets[0], 0x80);
	assert_int_equal(value.octets[127], 0x02);
	mo_format(&last, &value, text, sizeof(text));
	assert_string_equal(text, "3072,4094");
	assert_true(mo_parse(&last, "none", &value));
	value.len = 0;
	mo_format(&last, &value, text, sizeof(text));
	assert_string_equal(text, "none");
	assert_false(mo_parse(&first, "0", &value));
	assert_false(mo_parse(&first, "1024", &value));
	value = mo_initial(&last);
	assert_int_equal(mo_validate(&last, &value), MO_NO_ERROR);
	mo_format(&last, &value, text, sizeof(text));
	assert_string_equal(text, "3072-4094");
}

static void test_string_text(void **state)
{
	struct mo_value value;
	char longest[MO_OCTETS_MAX + 2], text[MO_OCTETS_MAX + 2];

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[MO_OCTETS_MAX + 1] = '\0';
	assert_false(mo_parse(&string, longest, &value));
	longest[MO_OCTETS_MAX] = '\0';
	assert_true(mo_parse(&string, longest, &value));
	assert_int_equal(value.len, MO_OCTETS_MAX);
	assert_int_equal(mo_format(&string, &value, text, sizeof(text)), MO_OCTETS_MAX);
	assert_string_equal(text, longest);
	assert_true(mo_parse(&string, "", &value));
	assert_int_equal(value.len, 0);
}

static void test_index_text(void **state)
{
	static const char *const bad[] = {"",
					  ".",
					  "1.",
					  ".1",
					  "1..2",
					  "a",
					  "1a",
					  "1.a",
					  "+1",
					  "-1",
					  " 1",
					  "1 ",
					  "4294967296",
					  "18446744073709551616",
					  "1.2.3.4.5.6.7.8.9"};
	struct mo_index index;
	char text[32];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		assert_false(mo_index_parse(bad[i], &index));
	assert_true(mo_index_parse("1.2.3.4.5.6.7.8", &index));
	assert_int_equal(index.n, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(index.sub[i], i + 1);
	assert_int_equal(mo_index_format(&index, text, sizeof(text)), 15);
	assert_string_equal(text, "1.2.3.4.5.6.7.8");
	assert_int_equal(mo_index_format(&index, text, 4), 15);
	assert_string_equal(text, "1.2");
	assert_true(mo_index_parse("4294967295.010", &index));
	assert_int_equal(index.n, 2);
	assert_int_equal(index.sub[0], UINT32_MAX);
	assert_int_equal(index.sub[1], 10);
	index.n = 0;
	assert_int_equal(mo_index_format(&index, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	text[0] = 'x';
	assert_int_equal(mo_index_format(&index, text, 0), 0);
	assert_int_equal(text[0], 'x');
}

/* --- order and ranges --------------------------------------------------------------- */

/* Lexicographic: by the first sub-identifier that differs, else the shorter index first. */
static void test_index_order(void **state)
{
	static const struct mo_index order[] = {{0, {0}},       {1, {1}}, {2, {1, 0}}, {2, {1, 2}},
						{3, {1, 2, 1}}, {1, {2}}, {2, {2, 0}}};

	(void)state;
	for (unsigned a = 0; a < UNIT_COUNT(order); a++) {
		for (unsigned b = 0; b < UNIT_COUNT(order); b++) {
			int sign = mo_index_compare(&order[a], &order[b]);

			assert_int_equal(sign < 0, a < b);
			assert_int_equal(sign > 0, a > b);
		}
	}
}

static void assert_index(enum mo_table_id table, const char *text, bool valid)
{
	struct mo_index index;

	assert_true(mo_index_parse(text, &index));
	assert_int_equal(mo_index_valid(mo_table(table), &index), valid);
}

static void test_index_ranges(void **state)
{
	(void)state;
	assert_index(MO_agent_id, "0", true);
	assert_index(MO_agent_id, "1", false);
	assert_index(MO_agent_id, "0.0", false);
	assert_index(MO_cn_com_pri, "1.0", true);
	assert_index(MO_cn_com_pri, "4294967295.7", true);
	assert_index(MO_cn_com_pri, "0.0", false);
	assert_index(MO_cn_com_pri, "1.8", false);
	assert_index(MO_cn_com_pri, "1", false);
	assert_index(MO_cn_com_pri, "1.0.0", false);
	assert_index(MO_cn_cp, "1.2147483647.4096", true);
	assert_index(MO_cn_cp, "1.2147483648.4096", false);
	assert_index(MO_cn_cp, "1.1.4097", false);
	assert_index(MO_cn_cpid, "0.1.2.3.4.5.6.255", true);
	assert_index(MO_cn_cpid, "0.1.2.3.4.5.6.256", false);
	assert_index(MO_cn_cpid, "256.1.2.3.4.5.6.7", false);
	assert_index(MO_cn_cpid, "0.1.2.3.4.5.6", false);
}

static void assert_valid(const struct mo_column *col, enum mo_syntax syntax, int64_t num,
			 enum mo_error expected)
{
	struct mo_value value = {.syntax = syntax, .num = num, .len = (uint8_t)num};

	assert_int_equal(mo_validate(col, &value), expected);
}

static void test_validate_checks_access_and_range(void **state)
{
	static const struct mo_column read_only = {.syntax = MO_INTEGER32, .access = MO_RO};
	static const struct mo_column hidden = {.syntax = MO_INTEGER32, .access = MO_NA};
	static const struct mo_column created = {
	    .syntax = MO_ROW_STATUS, .access = MO_RC, .min = 1, .max = 6};

	(void)state;
	assert_valid(&number, MO_INTEGER32, -11, MO_WRONG_VALUE);
	assert_valid(&number, MO_INTEGER32, -10, MO_NO_ERROR);
	assert_valid(&number, MO_INTEGER32, 1000, MO_NO_ERROR);
	assert_valid(&number, MO_INTEGER32, 1001, MO_WRONG_VALUE);
	assert_valid(&hex, MO_OCTETS, 1, MO_WRONG_LENGTH);
	assert_valid(&hex, MO_OCTETS, 2, MO_NO_ERROR);
	assert_valid(&hex, MO_OCTETS, 4, MO_NO_ERROR);
	assert_valid(&hex, MO_OCTETS, 5, MO_WRONG_LENGTH);
	assert_valid(&string, MO_STRING, 0, MO_WRONG_LENGTH);
	assert_valid(&string, MO_STRING, 5, MO_NO_ERROR);
	assert_valid(&string, MO_STRING, 6, MO_WRONG_LENGTH);
	assert_valid(&read_only, MO_INTEGER32, 0, MO_NOT_WRITABLE);
	assert_valid(&hidden, MO_INTEGER32, 0, MO_NOT_WRITABLE);
	for (int64_t status = 0; status <= 7; status++)
		assert_valid(&created, MO_INTEGER32, status,
			     status >= 1 && status <= 6 && status != 3 ? MO_NO_ERROR
								       : MO_WRONG_VALUE);
}

/* Syntaxes with the same ASN.1 type, INTEGER for example, are accepted for each other. */
static void test_validate_compares_asn1_types(void **state)
{
	static const unsigned type[MO_SYNTAX_LAST + 1] = {
	    [MO_INTEGER32] = 0,  [MO_TRUTH] = 0,     [MO_ENUM] = 0,      [MO_ROW_STATUS] = 0,
	    [MO_UNSIGNED32] = 1, [MO_COUNTER32] = 2, [MO_COUNTER64] = 3, [MO_GAUGE64] = 3,
	    [MO_TIMETICKS] = 4,  [MO_OCTETS] = 5,    [MO_STRING] = 5,    [MO_BITS] = 5,
	    [MO_VLANS] = 5,
	};

	(void)state;
	for (enum mo_syntax a = 0; a <= MO_SYNTAX_LAST; a++) {
		const struct mo_column col = {.syntax = a, .access = MO_RW, .max = 10};

		for (enum mo_syntax b = 0; b <= MO_SYNTAX_LAST; b++)
			assert_valid(&col, b, 1, type[a] == type[b] ? MO_NO_ERROR : MO_WRONG_TYPE);
	}
}

/* --- look-up -------------------------------------------------------------------------- */

static void test_lookup_by_id_and_by_name(void **state)
{
	const struct mo_table *table = mo_table_by_name("ieee8021CnCpTable"), *of = NULL;
	const struct mo_column *col;

	(void)state;
	assert_ptr_equal(table, mo_table(MO_cn_cp));
	assert_int_equal(table->id, MO_cn_cp);
	assert_null(mo_table(MO_TABLES));
	assert_null(mo_table_by_name("ieee8021CnCp"));
	for (unsigned t = 0; t < MO_TABLES; t++) {
		table = mo_table((enum mo_table_id)t);
		assert_ptr_equal(mo_table_by_name(table->name), table);
		for (unsigned i = 0; i < table->n_columns; i++) {
			col = &table->columns[i];
			assert_ptr_equal(mo_column(table, col->subid), col);
		}
		assert_null(mo_column(table, 0));
		assert_null(mo_column(table, table->columns[table->n_columns - 1].subid + 1));
	}
	col = mo_column_by_name("ieee8021CnRpgTimeReset", &of);
	assert_ptr_equal(of, mo_table(MO_cn_rpg));
	assert_string_equal(col->name, "ieee8021CnRpgTimeReset");
	assert_null(mo_column_by_name("ieee8021CnRpg", &of));
	assert_string_equal(mo_notification(MO_NOTIFY_pfc_storm)->name, "dcbPfcStorm");
	assert_null(mo_notification(MO_NOTIFICATIONS));
}

static void test_error_names(void **state)
{
	static const char *const names[] = {
	    [0] = "noError",
	    [5] = "genErr",
	    [6] = "noAccess",
	    [7] = "wrongType",
	    [8] = "wrongLength",
	    [9] = "wrongEncoding",
	    [10] = "wrongValue",
	    [11] = "noCreation",
	    [12] = "inconsistentValue",
	    [13] = "resourceUnavailable",
	    [14] = "commitFailed",
	    [15] = "undoFailed",
	    [17] = "notWritable",
	    [18] = "inconsistentName",
	    [19] = NULL,
	};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(names); i++)
		assert_string_equal(mo_strerror((enum mo_error)i),
				    names[i] ? names[i] : "unknown error");
}

static void assert_expected(const struct mo_column *col, const char *expected)
{
	char text[128];

	assert_int_equal(mo_expected(col, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
	assert_int_equal(mo_expected(col, text, 8), strlen(expected));
	assert_memory_equal(text, expected, 7);
	assert_int_equal(text[7], '\0');
}

static void test_text_of_accepted_values(void **state)
{
	static const struct mo_enum states[] = {
	    {"active", 1}, {"notReady", 3}, {"destroy", 6}, {NULL, 0}};
	static const struct mo_column status = {.syntax = MO_ROW_STATUS,
						.access = MO_RC,
						.min = 1,
						.max = 6,
						.names = states,
						.unit = ""};
	struct mo_column col = number;

	(void)state;
	col.unit = "";
	assert_expected(&col, "-10..1000");
	col.unit = "octets";
	assert_expected(&col, "-10..1000 octets");
	col.access = MO_RO;
	assert_expected(&col, "no value: the object is read-only");
	col = hex;
	col.unit = "";
	assert_expected(&col, "2..4 octets in hex");
	col.min = col.max;
	assert_expected(&col, "4 octets in hex");
	col = string;
	col.unit = "";
	assert_expected(&col, "1..5 characters");
	col = bits;
	col.unit = "";
	assert_expected(&col, "none, or names of bits separated by commas: one,...");
	assert_expected(&status, "one of active, destroy"); /* notReady cannot be set */
}

/* --- messages --------------------------------------------------------------------------- */

static void test_header_is_checked(void **state)
{
	uint8_t buf[MO_MSG_HEADER];
	struct mo_msg_header in = {.op = MO_OP_READ, .table = 0x1234, .seq = 0x56789abc}, out;

	(void)state;
	for (unsigned op = 0; op <= UINT8_MAX; op++) {
		unsigned request = op & 0x7f;
		struct octets_out o = octets_out(buf, sizeof(buf));
		struct octets_in i = octets_in(buf, sizeof(buf));

		in.op = (uint8_t)op;
		mo_msg_put_header(&o, &in);
		assert_int_equal(o.len, MO_MSG_HEADER);
		assert_int_equal(mo_msg_get_header(&i, &out),
				 request >= MO_OP_HELLO && request <= MO_OP_LAST);
		assert_int_equal(out.op, op);
		assert_int_equal(out.table, 0x1234);
		assert_int_equal(out.seq, 0x56789abc);
	}
	buf[1] = MO_OP_HELLO;
	for (size_t len = 0; len <= sizeof(buf); len++) {
		struct octets_in i = octets_in(buf, len);

		assert_int_equal(mo_msg_get_header(&i, &out), len == sizeof(buf));
	}
	buf[0] = MO_MSG_VERSION + 1;
	assert_false(mo_msg_get_header(&(struct octets_in){.p = buf, .left = sizeof(buf)}, &out));
}

static void test_varbind_encoding(void **state)
{
	struct mo_varbind vb = {.table = MO_cn_cp,
				.subid = 0x01020304,
				.index = {3, {1, 0xffffffff, 7}},
				.value = {.syntax = MO_STRING, .len = 3, .octets = "abc"}},
			  back;
	uint8_t buf[64];
	struct octets_out out = octets_out(buf, sizeof(buf));
	struct octets_in in;

	(void)state;
	mo_msg_put_varbind(&out, &vb);
	in = octets_in(buf, out.len);
	memset(&back, 0, sizeof(back));
	mo_msg_get_varbind(&in, &back);
	assert_false(in.overrun);
	assert_int_equal(in.left, 0);
	assert_int_equal(back.table, MO_cn_cp);
	assert_int_equal(back.subid, 0x01020304);
	assert_int_equal(back.index.n, 3);
	assert_memory_equal(back.index.sub, vb.index.sub, 3 * sizeof(uint32_t));
	assert_int_equal(back.value.syntax, MO_STRING);
	assert_int_equal(back.value.len, 3);
	assert_memory_equal(back.value.octets, "abc", 3);
	for (size_t len = 0; len < out.len; len++) {
		in = octets_in(buf, len);
		mo_msg_get_varbind(&in, &back);
		assert_true(in.overrun);
	}
	put_be16(buf, MO_TABLES - 1);
	in = octets_in(buf, out.len);
	mo_msg_get_varbind(&in, &back);
	assert_false(in.overrun);
	put_be16(buf, MO_TABLES);
	in = octets_in(buf, out.len);
	mo_msg_get_varbind(&in, &back);
	assert_true(in.overrun);
}

static void test_index_too_long_is_malformed(void **state)
{
	uint8_t buf[1 + 4 * (MO_INDEX_MAX + 1)] = {MO_INDEX_MAX};
	struct octets_in in = octets_in(buf, sizeof(buf));
	struct mo_index index;

	(void)state;
	mo_msg_get_index(&in, &index);
	assert_false(in.overrun);
	assert_int_equal(index.n, MO_INDEX_MAX);
	assert_int_equal(in.left, 4);
	buf[0]++;
	in = octets_in(buf, sizeof(buf));
	mo_msg_get_index(&in, &index);
	assert_true(in.overrun);
	assert_int_equal(index.n, 0);
}

static void test_value_decoding(void **state)
{
	uint8_t buf[9] = {MO_MSG_NO_VALUE};
	struct octets_in in = octets_in(buf, sizeof(buf));
	struct mo_value value;

	(void)state;
	assert_false(mo_msg_get_value(&in, &value)); /* no value, but well-formed */
	assert_false(in.overrun);
	assert_int_equal(in.left, sizeof(buf) - 1);
	buf[0] = MO_COUNTER64;
	put_be32(buf + 1, 0xfedcba98);
	put_be32(buf + 5, 0x76543210);
	in = octets_in(buf, sizeof(buf));
	assert_true(mo_msg_get_value(&in, &value));
	assert_true((uint64_t)value.num == UINT64_C(0xfedcba9876543210));
	assert_int_equal(value.len, 0);
	buf[0] = MO_SYNTAX_LAST + 1;
	in = octets_in(buf, sizeof(buf));
	assert_false(mo_msg_get_value(&in, &value));
	assert_true(in.overrun);
	buf[0] = MO_OCTETS;
	buf[1] = sizeof(buf) - 2;
	in = octets_in(buf, sizeof(buf));
	assert_true(mo_msg_get_value(&in, &value));
	assert_int_equal(value.len, sizeof(buf) - 2);
	assert_int_equal(value.num, 0);
	buf[1]++;
	in = octets_in(buf, sizeof(buf));
	assert_false(mo_msg_get_value(&in, &value));
	assert_true(in.overrun);
}

/* --- events ------------------------------------------------------------------------------ */

static struct mo_event make_event(unsigned n)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name("ieee8021CnEpIfIndex", &table);
	struct mo_event ev = {.number = UINT64_C(0x123456789), .real_ms = 11, .mono_ms = 22};

	ev.flags = MO_EVENT_NOTIFY;
	ev.id = MO_NOTIFY_errored_port_created;
	ev.n = (uint8_t)n;
	for (unsigned i = 0; i < n; i++) {
		ev.vbs[i].table = table->id;
		ev.vbs[i].subid = col->subid;
		ev.vbs[i].index = (struct mo_index){3, {1, 3, i}};
		ev.vbs[i].value = (struct mo_value){.syntax = MO_INTEGER32, .num = i};
	}
	return ev;
}

static void test_event_encoding(void **state)
{
	struct mo_event ev = make_event(MO_EVENT_VARBINDS), back;
	uint8_t buf[1024];
	struct octets_out out = octets_out(buf, sizeof(buf));
	struct octets_in in;

	(void)state;
	mo_msg_put_event(&out, &ev);
	in = octets_in(buf, out.len);
	memset(&back, 0, sizeof(back));
	mo_msg_get_event(&in, &back);
	assert_false(in.overrun);
	assert_int_equal(in.left, 0);
	assert_true(back.number == ev.number && back.real_ms == 11 && back.mono_ms == 22);
	assert_int_equal(back.flags, MO_EVENT_NOTIFY);
	assert_int_equal(back.id, ev.id);
	assert_int_equal(back.n, MO_EVENT_VARBINDS);
	assert_int_equal(back.vbs[MO_EVENT_VARBINDS - 1].value.num, MO_EVENT_VARBINDS - 1);
	in = octets_in(buf, out.len - 1);
	mo_msg_get_event(&in, &back);
	assert_true(in.overrun);
	buf[3 * 8 + 2] = MO_EVENT_VARBINDS + 1;
	in = octets_in(buf, out.len);
	mo_msg_get_event(&in, &back);
	assert_true(in.overrun);
	assert_int_equal(back.n, 0);
}

static void test_event_text(void **state)
{
	struct mo_event ev = make_event(2);
	char text[128];

	(void)state;
	mo_event_name(&ev, text, sizeof(text));
	assert_string_equal(text, "dcbErroredPortCreated");
	ev.id = MO_NOTIFICATIONS;
	mo_event_name(&ev, text, sizeof(text));
	assert_string_equal(text, "notification 12");
	mo_event_objects(&ev, text, sizeof(text));
	assert_string_equal(text, "ieee8021CnEpIfIndex.1.3.0 = 0, ieee8021CnEpIfIndex.1.3.1 = 1");
	for (size_t size = 1; size < strlen("ieee8021CnEpIfIndex.1.3.0 = 0, ieee"); size++) {
		memset(text, 'x', sizeof(text));
		mo_event_objects(&ev, text, size);
		assert_int_equal(strlen(text), size - 1);
	}
	ev.vbs[0].subid = 999;
	mo_event_objects(&ev, text, sizeof(text));
	assert_string_equal(text, "?, ieee8021CnEpIfIndex.1.3.1 = 1");
	ev.n = 0;
	mo_event_objects(&ev, text, sizeof(text));
	assert_string_equal(text, "");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bits_are_parsed_validated_and_formatted),
	    cmocka_unit_test(test_enumeration_refuses_unnamed_numbers),
	    cmocka_unit_test(test_number_text),
	    cmocka_unit_test(test_counter64_text),
	    cmocka_unit_test(test_octets_text),
	    cmocka_unit_test(test_vlans_text),
	    cmocka_unit_test(test_string_text),
	    cmocka_unit_test(test_index_text),
	    cmocka_unit_test(test_index_order),
	    cmocka_unit_test(test_index_ranges),
	    cmocka_unit_test(test_validate_checks_access_and_range),
	    cmocka_unit_test(test_validate_compares_asn1_types),
	    cmocka_unit_test(test_lookup_by_id_and_by_name),
	    cmocka_unit_test(test_error_names),
	    cmocka_unit_test(test_text_of_accepted_values),
	    cmocka_unit_test(test_header_is_checked),
	    cmocka_unit_test(test_varbind_encoding),
	    cmocka_unit_test(test_index_too_long_is_malformed),
	    cmocka_unit_test(test_value_decoding),
	    cmocka_unit_test(test_event_encoding),
	    cmocka_unit_test(test_event_text),
	};

	return cmocka_run_group_tests_name("mo", tests, NULL, NULL);
}
