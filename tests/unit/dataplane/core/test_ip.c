/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/ip.h"

#include <string.h>

#include "dataplane/core/eth.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#define HEADER_MAX 60

/* RFC 1071, over the whole header: independent of the update that the module makes. */
static uint16_t checksum(const uint8_t *ip)
{
	unsigned octets = (ip[0] & 0xfu) * 4;
	uint32_t sum = 0;

	for (unsigned i = 0; i < octets; i += 2)
		if (i != 10)
			sum += get_be16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Writes n tags of a kind in turn, EtherType and header. Returns the length of the frame. */
static uint32_t frame(uint8_t f[128], unsigned tags, uint16_t type, const uint8_t *header,
		      uint32_t octets)
{
	static const uint16_t kinds[] = {ETH_TYPE_STAG, ETH_TYPE_CTAG, ETH_TYPE_CN_TAG,
					 ETH_TYPE_QINQ_91};
	uint8_t *p = f + ETH_TYPE_OFFSET;

	memset(f, 2, 128);
	for (unsigned i = 0; i < tags; i++, p += 4)
		put_be16(p, kinds[i % UNIT_COUNT(kinds)]);
	put_be16(p, type);
	memcpy(p + 2, header, octets);
	return (uint32_t)(p + 2 - f) + octets;
}

static void test_header_is_found_behind_tags(void **state)
{
	static const uint8_t v4[IP_V4_OCTETS] = {0x45, 26 << 2 | IP_ECT_0};
	static const uint8_t v6[IP_V6_OCTETS] = {0x60 | 26 >> 2, (26 & 3) << 6 | IP_CE << 4};
	uint8_t f[128];

	(void)state;
	for (unsigned tags = 0; tags < 5; tags++) {
		uint32_t at = ETH_TYPE_OFFSET + 4 * tags + 2;
		uint32_t len = frame(f, tags, IP_TYPE_V4, v4, sizeof(v4));

		assert_int_equal(ip_find(f, len, ETH_TYPE_OFFSET), at);
		assert_int_equal(ip_dscp(f + at), 26);
		assert_int_equal(ip_ecn(f + at), IP_ECT_0);
		for (uint32_t cut = ETH_TYPE_OFFSET; cut < len; cut++)
			assert_int_equal(ip_find(f, cut, ETH_TYPE_OFFSET), 0);
		len = frame(f, tags, IP_TYPE_V6, v6, sizeof(v6));
		assert_int_equal(ip_find(f, len, ETH_TYPE_OFFSET), at);
		assert_int_equal(ip_dscp(f + at), 26);
		assert_int_equal(ip_ecn(f + at), IP_CE);
		for (uint32_t cut = ETH_TYPE_OFFSET; cut < len; cut++)
			assert_int_equal(ip_find(f, cut, ETH_TYPE_OFFSET), 0);
	}
}

static void test_other_headers_are_none(void **state)
{
	static const struct {
		uint16_t type;
		uint8_t first;
	} of[] = {
	    {IP_TYPE_V4, 0x44}, /* shorter than a header */
	    {IP_TYPE_V4, 0x65}, /* the other version */
	    {IP_TYPE_V6, 0x45}, {0x0806, 0x45}, {ETH_TYPE_CTAG, 0x45}, {0x0026, 0x45},
	};
	uint8_t f[128], header[IP_V6_OCTETS] = {0};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(of); i++) {
		header[0] = of[i].first;
		assert_int_equal(
		    ip_find(f, frame(f, 0, of[i].type, header, sizeof(header)), ETH_TYPE_OFFSET),
		    0);
	}
}

/* All traffic classes, before and after, in headers with options and any other octets. */
static void test_checksum_stays_right(void **state)
{
	struct dcb_rng rng;
	uint8_t ip[HEADER_MAX], before[HEADER_MAX];

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < 0x10000; i++) {
		for (unsigned j = 0; j < HEADER_MAX; j++)
			ip[j] = (uint8_t)dcb_rng_next(&rng);
		ip[0] = (uint8_t)(0x40 | dcb_rng_uniform(&rng, 5, 15));
		ip[1] = (uint8_t)(i >> 8);
		put_be16(ip + 10, checksum(ip));
		memcpy(before, ip, sizeof(ip));
		ip_set_traffic_class(ip, (uint8_t)i);
		assert_int_equal(ip_traffic_class(ip), i & 0xff);
		/* 0 and ffff are the same number: RFC 1624, 3. */
		if (get_be16(ip + 10) != 0xffff || checksum(ip) != 0)
			assert_int_equal(get_be16(ip + 10), checksum(ip));
		ip[1] = before[1];
		memcpy(ip + 10, before + 10, 2);
		assert_memory_equal(ip, before, sizeof(ip));
	}
}

static void test_ipv6_keeps_flow_label(void **state)
{
	uint8_t ip[IP_V6_OCTETS];

	(void)state;
	for (unsigned tc = 0; tc < 256; tc++) {
		memset(ip, 0xa5, sizeof(ip));
		ip[0] = 0x6a;
		ip_set_traffic_class(ip, (uint8_t)tc);
		assert_int_equal(ip_traffic_class(ip), tc);
		assert_int_equal(ip[0] >> 4, 6);
		assert_int_equal(ip[1] & 0xf, 0x5);
		for (unsigned i = 2; i < sizeof(ip); i++)
			assert_int_equal(ip[i], 0xa5);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_header_is_found_behind_tags),
	    cmocka_unit_test(test_other_headers_are_none),
	    cmocka_unit_test(test_checksum_stays_right),
	    cmocka_unit_test(test_ipv6_keeps_flow_label),
	};

	return cmocka_run_group_tests_name("ip", tests, NULL, NULL);
}
