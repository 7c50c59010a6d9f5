/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define ADDRESSES 0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01

static void test_untagged(void **state)
{
	const uint8_t frame[] = {ADDRESSES, 0x08, 0x00, 0x45};
	struct eth_view view;

	(void)state;
	assert_int_equal(eth_parse(frame, sizeof(frame), &view), ETH_OK);
	assert_false(view.tagged);
	assert_false(view.cn_tagged);
	assert_false(view.drop_eligible);
	assert_int_equal(view.vid, ETH_VID_NONE);
	assert_int_equal(view.priority, 0);
	assert_int_equal(view.flow_id, 0);
	assert_int_equal(view.ethertype, 0x0800);
	assert_int_equal(view.payload_offset, 14);
	assert_int_equal(eth_cn_tag_offset(&view), 12);
}

static void test_vlan_tag(void **state)
{
	uint8_t frame[] = {ADDRESSES, 0x81, 0x00, 0x00, 0x00, 0x86, 0xdd};
	struct eth_view view;

	(void)state;
	for (unsigned int tci = 0; tci <= 0xffff; tci++) {
		frame[14] = (uint8_t)(tci >> 8);
		frame[15] = (uint8_t)tci;
		assert_int_equal(eth_parse(frame, sizeof(frame), &view), ETH_OK);
		assert_true(view.tagged);
		assert_int_equal(view.priority, tci >> 13);
		assert_int_equal(view.drop_eligible, (tci >> 12) & 1);
		assert_int_equal(view.vid, tci & 0xfff);
	}
	assert_int_equal(view.ethertype, 0x86dd);
	assert_int_equal(view.payload_offset, 18);
	assert_int_equal(eth_cn_tag_offset(&view), 16);
}

static void test_cn_tag(void **state)
{
	const uint8_t plain[] = {ADDRESSES, 0x22, 0xe9, 0x12, 0x34, 0x08, 0x00};
	const uint8_t both[] = {ADDRESSES, 0x81, 0x00, 0x6a, 0xbc, 0x22,
				0xe9,      0xff, 0xfe, 0x22, 0xe7};
	struct eth_view view;

	(void)state;
	assert_int_equal(eth_parse(plain, sizeof(plain), &view), ETH_OK);
	assert_false(view.tagged);
	assert_true(view.cn_tagged);
	assert_int_equal(view.flow_id, 0x1234);
	assert_int_equal(view.ethertype, 0x0800);
	assert_int_equal(view.payload_offset, 18);
	assert_false(eth_is_cnm(&view));

	assert_int_equal(eth_parse(both, sizeof(both), &view), ETH_OK);
	assert_true(view.tagged);
	assert_true(view.cn_tagged);
	assert_int_equal(view.priority, 3);
	assert_int_equal(view.vid, 0xabc);
	assert_int_equal(view.flow_id, 0xfffe);
	assert_int_equal(view.payload_offset, 22);
	assert_true(eth_is_cnm(&view));
}

/* Further tags are payload. */
static void test_further_tags_are_payload(void **state)
{
	const uint8_t twice[] = {ADDRESSES, 0x81, 0, 0, 1, 0x81, 0, 0, 2, 0x08, 0};
	const uint8_t service[] = {ADDRESSES, 0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 0x08, 0};
	const uint8_t reversed[] = {ADDRESSES, 0x22, 0xe9, 0, 1, 0x81, 0, 0, 2, 0x08, 0};
	const uint8_t cn_twice[] = {ADDRESSES, 0x22, 0xe9, 0, 1, 0x22, 0xe9, 0, 2, 0x08, 0};
	struct eth_view view;

	(void)state;
	assert_int_equal(eth_parse(twice, sizeof(twice), &view), ETH_OK);
	assert_int_equal(view.vid, 1);
	assert_int_equal(view.ethertype, ETH_TYPE_CTAG);
	assert_int_equal(eth_parse(service, sizeof(service), &view), ETH_OK);
	assert_false(view.tagged);
	assert_int_equal(view.ethertype, ETH_TYPE_STAG);
	assert_int_equal(eth_parse(reversed, sizeof(reversed), &view), ETH_OK);
	assert_false(view.tagged);
	assert_int_equal(view.ethertype, ETH_TYPE_CTAG);
	assert_int_equal(eth_parse(cn_twice, sizeof(cn_twice), &view), ETH_OK);
	assert_int_equal(view.flow_id, 1);
	assert_int_equal(view.ethertype, ETH_TYPE_CN_TAG);
}

/* inner_type is the EtherType behind any number of tags of any kind, CN-TAGs among them. */
static void test_inner_type_is_behind_all_tags(void **state)
{
	static const uint16_t tags[] = {0x8100, 0x88a8, 0x22e9, 0x9100, 0x9200, 0x9300};
	static const uint16_t inner[] = {0x8808, 0x22e7, 0x0800, 0x88cc, 0x0040, 0x88a7, 0x9101};
	uint8_t frame[14 + 4 * 20] = {ADDRESSES};
	struct eth_view view;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned int i = 0; i < 100000; i++) {
		unsigned int n = dcb_rng_uniform(&rng, 0, 20);
		uint16_t expected = inner[dcb_rng_uniform(&rng, 0, UNIT_COUNT(inner) - 1)];
		unsigned int cn_tags = 0;

		for (unsigned int t = 0; t < n; t++) {
			uint8_t *tag = frame + 12 + 4 * t;

			put_be16(tag, tags[dcb_rng_uniform(&rng, 0, UNIT_COUNT(tags) - 1)]);
			put_be16(tag + 2, (uint16_t)dcb_rng_next(&rng));
			cn_tags += tag[0] == 0x22;
		}
		put_be16(frame + 12 + 4 * n, expected);
		assert_int_equal(eth_parse(frame, 14 + 4 * n, &view), ETH_OK);
		assert_int_equal(view.inner_type, expected);
		assert_int_equal(view.inner_cn_tagged, cn_tags > view.cn_tagged);
		if (view.payload_offset == 14 + 4 * n)
			assert_int_equal(view.ethertype, expected);
	}
}

/* No octet beyond the end is read. */
static void test_inner_type_of_cut_tags_is_the_last(void **state)
{
	const uint8_t whole[] = {ADDRESSES, 0x88, 0xa8, 0, 1, 0x91, 0, 0, 2, 0x88, 0x08};
	static const struct {
		size_t len;
		uint16_t inner;
	} rows[] = {{14, 0x88a8}, {15, 0x88a8}, {17, 0x88a8}, {18, 0x9100},
		    {19, 0x9100}, {21, 0x9100}, {22, 0x8808}};
	struct eth_view view;

	(void)state;
	for (unsigned int i = 0; i < UNIT_COUNT(rows); i++) {
		uint8_t *exact = malloc(rows[i].len);

		assert_non_null(exact);
		memcpy(exact, whole, rows[i].len);
		assert_int_equal(eth_parse(exact, rows[i].len, &view), ETH_OK);
		free(exact);
		assert_int_equal(view.inner_type, rows[i].inner);
	}
}

/* Every truncation is reported, no octet beyond the end is read, and the view is not written. */
static void test_rejects_every_truncation(void **state)
{
	const uint8_t whole[] = {ADDRESSES, 0x81, 0x00, 0x6a, 0xbc, 0x22,
				 0xe9,      0xff, 0xfe, 0x08, 0x00};
	const struct eth_view untouched = {.ethertype = 0x5555};

	(void)state;
	for (size_t len = 0; len <= sizeof(whole); len++) {
		uint8_t *exact = malloc(len ? len : 1);
		struct eth_view view = untouched;
		enum eth_error error;

		assert_non_null(exact);
		memcpy(exact, whole, len);
		error = eth_parse(exact, len, &view);
		free(exact);
		if (len < 14)
			assert_int_equal(error, ETH_SHORT);
		else if (len < sizeof(whole))
			assert_int_equal(error, ETH_BAD_TAG);
		else
			assert_int_equal(error, ETH_OK);
		assert_int_equal(view.ethertype == 0x5555, error != ETH_OK);
	}
}

static void test_rejects_group_source(void **state)
{
	uint8_t frame[] = {ADDRESSES, 0x08, 0x00};
	struct eth_view view;

	(void)state;
	frame[6] = 0x01;
	assert_int_equal(eth_parse(frame, sizeof(frame), &view), ETH_GROUP_SOURCE);
	frame[6] = 0xff;
	assert_int_equal(eth_parse(frame, sizeof(frame), &view), ETH_GROUP_SOURCE);
	frame[6] = 0xfe;
	assert_int_equal(eth_parse(frame, sizeof(frame), &view), ETH_OK);
}

static void test_addresses(void **state)
{
	uint8_t address[ETH_ADDR_OCTETS] = {0x01, 0x80, 0xc2, 0, 0, 0};

	(void)state;
	for (unsigned int last = 0; last <= 0xff; last++) {
		address[5] = (uint8_t)last;
		assert_int_equal(eth_is_reserved(address), last <= 0x0f);
	}
	address[5] = 0;
	for (unsigned int i = 0; i < 5; i++) {
		address[i] ^= 2;
		assert_false(eth_is_reserved(address));
		address[i] ^= 2;
	}
	assert_true(eth_is_group(address));
	address[0] = 0x02;
	assert_false(eth_is_group(address));
}

static void test_mac_control_is_untagged(void **state)
{
	const uint8_t plain[] = {ADDRESSES, 0x88, 0x08, 0x01, 0x01};
	const uint8_t tagged[] = {ADDRESSES, 0x81, 0, 0, 0, 0x88, 0x08, 0x01, 0x01};
	struct eth_view view;

	(void)state;
	assert_int_equal(eth_parse(plain, sizeof(plain), &view), ETH_OK);
	assert_true(eth_is_mac_control(&view));
	assert_int_equal(eth_parse(tagged, sizeof(tagged), &view), ETH_OK);
	assert_false(eth_is_mac_control(&view));
}

static void test_strerror(void **state)
{
	(void)state;
	for (int error = 0; error < ETH_ERRORS; error++) {
		assert_non_null(eth_strerror(error));
		assert_string_not_equal(eth_strerror(error), "unknown");
	}
	assert_string_equal(eth_strerror(ETH_ERRORS), "unknown");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_untagged),
	    cmocka_unit_test(test_vlan_tag),
	    cmocka_unit_test(test_cn_tag),
	    cmocka_unit_test(test_further_tags_are_payload),
	    cmocka_unit_test(test_inner_type_is_behind_all_tags),
	    cmocka_unit_test(test_inner_type_of_cut_tags_is_the_last),
	    cmocka_unit_test(test_rejects_every_truncation),
	    cmocka_unit_test(test_rejects_group_source),
	    cmocka_unit_test(test_addresses),
	    cmocka_unit_test(test_mac_control_is_untagged),
	    cmocka_unit_test(test_strerror),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
