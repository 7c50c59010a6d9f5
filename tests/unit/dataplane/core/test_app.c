/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/app.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

static const uint8_t da[] = {2, 0, 0, 0, 0, 1}, sa[] = {2, 0, 0, 0, 0, 2};

#define DSCP 26

/* Writes an IPv4 packet with DSCP 26, with its EtherType. Returns its length. */
static size_t ipv4(uint8_t *p, uint8_t protocol, uint16_t from_port, uint16_t port)
{
	memset(p, 0, 64);
	put_be16(p, 0x0800);
	p[2] = 0x45;
	p[3] = DSCP << 2;
	p[11] = protocol;
	put_be16(p + 22, from_port);
	put_be16(p + 24, port);
	return 30;
}

static size_t ipv6(uint8_t *p, uint8_t next, uint16_t from_port, uint16_t port)
{
	memset(p, 0, 64);
	put_be16(p, 0x86dd);
	put_be16(p + 2, 0x6000 | DSCP << 6);
	p[8] = next;
	put_be16(p + 42, from_port);
	put_be16(p + 44, port);
	return 50;
}

static uint8_t priority_of(const struct app_priority *entries, size_t n, const uint8_t *msdu,
			   size_t len)
{
	struct flow_keys keys;
	struct app_map map;

	memset(&map, 0xee, sizeof(map)); /* every member must be written */
	app_map_init(&map, entries, n);
	(void)flow_parse(&keys, da, sa, 1, msdu, len);
	return app_map_find(&map, &keys);
}

/* An entry for each way in which a frame can be named, ascending. */
static const struct app_priority all[] = {
    {APP_ETHERTYPE, 1, 0}, {APP_ETHERTYPE, 2, 0x0800}, {APP_ETHERTYPE, 3, 0x8906},
    {APP_TCP, 4, 3260},    {APP_UDP, 5, 4791},         {APP_PORT, 6, 3260},
    {APP_PORT, 6, 4791},   {APP_PORT, 6, 5000},        {APP_DSCP, 7, DSCP},
};

static uint8_t of_all(const uint8_t *msdu, size_t len)
{
	return priority_of(all, UNIT_COUNT(all), msdu, len);
}

static void test_most_specific_entry_applies(void **state)
{
	uint8_t p[64];

	(void)state;
	assert_int_equal(of_all(p, ipv4(p, 6, 40000, 3260)), 4);
	assert_int_equal(of_all(p, ipv4(p, 17, 40000, 4791)), 5);
	assert_int_equal(of_all(p, ipv4(p, 17, 40000, 3260)), 6); /* of any protocol */
	assert_int_equal(of_all(p, ipv4(p, 6, 40000, 5000)), 6);
	assert_int_equal(of_all(p, ipv4(p, 6, 40000, 80)), 7);  /* by its DSCP */
	assert_int_equal(of_all(p, ipv4(p, 1, 3260, 3260)), 7); /* ICMP has no ports */
	p[3] = 0;
	assert_int_equal(of_all(p, 30), 2); /* by its EtherType */
	put_be16(p, 0x8906);
	assert_int_equal(of_all(p, 30), 3);
	put_be16(p, 0x8907);
	assert_int_equal(of_all(p, 30), 1); /* default */
}

/* A server answers from its port. The destination port comes first. */
static void test_source_port_counts_after_destination_port(void **state)
{
	static const struct app_priority entries[] = {{APP_TCP, 4, 3260}, {APP_PORT, 2, 80}};
	uint8_t p[64];

	(void)state;
	assert_int_equal(priority_of(entries, 2, p, ipv4(p, 6, 3260, 40000)), 4);
	assert_int_equal(priority_of(entries, 2, p, ipv4(p, 6, 3260, 80)), 2);
	assert_int_equal(priority_of(entries, 2, p, ipv4(p, 6, 80, 3260)), 4);
	assert_int_equal(priority_of(entries, 2, p, ipv6(p, 6, 3260, 40000)), 4);
}

static void test_selectors_have_their_protocols(void **state)
{
	static const struct {
		uint8_t protocol, selector;
	} cases[] = {{6, APP_TCP}, {132, APP_TCP}, {17, APP_UDP}, {33, APP_UDP}};
	uint8_t p[64];

	(void)state;
	for (unsigned protocol = 0; protocol < 256; protocol++) {
		uint8_t selector = 0;

		for (size_t i = 0; i < UNIT_COUNT(cases); i++)
			selector = cases[i].protocol == protocol ? cases[i].selector : selector;
		for (uint8_t s = APP_TCP; s <= APP_PORT; s++) {
			struct app_priority entry = {s, 5, 1234};
			bool matches = selector && (s == selector || s == APP_PORT);

			assert_int_equal(
			    priority_of(&entry, 1, p, ipv4(p, (uint8_t)protocol, 1, 1234)),
			    matches ? 5 : APP_NONE);
		}
	}
}

/* All fragments of a packet have one priority: the first one by its DSCP, too. */
static void test_fragments_are_classified_by_dscp(void **state)
{
	uint8_t p[64];

	(void)state;
	(void)ipv4(p, 6, 40000, 3260);
	put_be16(p + 8, 0x2000); /* more fragments */
	assert_int_equal(of_all(p, 30), 7);
	put_be16(p + 8, 0x0010); /* fragment offset */
	assert_int_equal(of_all(p, 30), 7);
	p[3] = 0;
	assert_int_equal(of_all(p, 30), 2);
	assert_int_equal(of_all(p, ipv6(p, 44, 40000, 3260)), 7);
}

static void test_extension_headers_are_skipped(void **state)
{
	uint8_t p[128] = {0}, plain[64];
	size_t len = ipv6(plain, 6, 40000, 3260);

	(void)state;
	assert_int_equal(of_all(plain, len), 4);
	for (unsigned n = 1; n <= 6; n++) {
		memcpy(p, plain, 42);
		p[8] = 0; /* hop-by-hop */
		for (unsigned i = 0; i < n; i++) {
			memset(p + 42 + 8 * i, 0, 8);
			p[42 + 8 * i] = i + 1 < n ? 60 : 6;
		}
		memcpy(p + 42 + 8 * (size_t)n, plain + 42, 8);
		/* More than four: by the DSCP, as a packet without ports. */
		assert_int_equal(of_all(p, len + 8 * (size_t)n), n <= 4 ? 4 : 7);
	}
}

static void test_cut_off_packet_is_classified_by_ethertype(void **state)
{
	uint8_t p[64];
	size_t whole = ipv4(p, 6, 40000, 3260) - 4;

	(void)state;
	for (size_t len = 2; len < whole; len++)
		assert_int_equal(of_all(p, len), 2);
	assert_int_equal(of_all(p, whole), 4);
}

/* 802.3: a value below 600 hexadecimal is a length, and no EtherType. */
static void test_length_is_no_ethertype(void **state)
{
	static const struct app_priority entries[] = {{APP_ETHERTYPE, 3, 100}};
	const uint8_t p[16] = {0, 100};

	(void)state;
	assert_int_equal(priority_of(entries, 1, p, sizeof(p)), APP_NONE);
}

static void test_values_that_match_nothing(void **state)
{
	static const struct app_priority entries[] = {
	    {0, 1, 0x0800}, {APP_DSCP, 3, 64}, {APP_DSCP, 3, 0xffff}, {6, 2, DSCP}, {255, 2, 0}};
	uint8_t p[64];

	(void)state;
	assert_int_equal(priority_of(entries, UNIT_COUNT(entries), p, ipv4(p, 6, 40000, 3260)),
			 APP_NONE);
	assert_int_equal(priority_of(NULL, 0, p, ipv4(p, 6, 40000, 3260)), APP_NONE);
	assert_int_equal(app_map_find(&(struct app_map){0}, &(struct flow_keys){.is_ip = true}),
			 APP_NONE);
}

/* --- compared with a search of all entries ----------------------------------------- */

static uint8_t entry_of(const struct app_priority *entries, size_t n, unsigned selector,
			unsigned protocol)
{
	for (size_t i = 0; i < n; i++)
		if (entries[i].selector == selector && entries[i].protocol == protocol)
			return entries[i].priority;
	return APP_NONE;
}

static uint8_t expected(const struct app_priority *entries, size_t n, const struct flow_keys *k)
{
	const unsigned port_selector[] = {
	    [6] = APP_TCP, [132] = APP_TCP, [17] = APP_UDP, [33] = APP_UDP};
	unsigned s = k->has_ports && k->protocol <= 132 ? port_selector[k->protocol] : 0;
	uint8_t found[7];
	unsigned i = 0;

	memset(found, APP_NONE, sizeof(found));
	if (s) {
		found[0] = entry_of(entries, n, s, k->port);
		found[1] = entry_of(entries, n, APP_PORT, k->port);
		found[2] = entry_of(entries, n, s, k->source_port);
		found[3] = entry_of(entries, n, APP_PORT, k->source_port);
	}
	if (k->is_ip)
		found[4] = entry_of(entries, n, APP_DSCP, k->dscp);
	if (k->ethertype >= 0x600)
		found[5] = entry_of(entries, n, APP_ETHERTYPE, k->ethertype);
	found[6] = entry_of(entries, n, APP_ETHERTYPE, 0);
	while (i < 6 && found[i] == APP_NONE)
		i++;
	return found[i];
}

static int compare(const void *a, const void *b)
{
	const struct app_priority *x = a, *y = b;

	return x->selector != y->selector ? x->selector - y->selector : x->protocol - y->protocol;
}

/* Entries that are drawn from few values, so that frames match several of them. */
static size_t draw(struct dcb_rng *rng, struct app_priority entries[APP_MAX])
{
	size_t n = dcb_rng_uniform(rng, 0, APP_MAX), kept = 0;

	for (size_t i = 0; i < n; i++)
		entries[i] = (struct app_priority){
		    .selector = (uint8_t)dcb_rng_uniform(rng, 1, 5),
		    .priority = (uint8_t)dcb_rng_uniform(rng, 0, 7),
		    .protocol =
			(uint16_t)(dcb_rng_next(rng) & 1 ? dcb_rng_uniform(rng, 0, 70)
							 : dcb_rng_uniform(rng, 2040, 2060)),
		};
	qsort(entries, n, sizeof(entries[0]), compare);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || compare(&entries[kept - 1], &entries[i]) != 0)
			entries[kept++] = entries[i];
	return kept;
}

static void test_random_entries_and_keys(void **state)
{
	static const uint8_t protocols[] = {6, 17, 33, 132, 136, 1};
	struct app_priority entries[APP_MAX];
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < 20000; i++) {
		size_t n = draw(&rng, entries);
		struct flow_keys k = {
		    .ethertype = (uint16_t)dcb_rng_uniform(&rng, 2040, 2060),
		    .port = (uint16_t)dcb_rng_uniform(&rng, 0, 70),
		    .source_port = (uint16_t)dcb_rng_uniform(&rng, 0, 70),
		    .protocol = protocols[dcb_rng_uniform(&rng, 0, 5)],
		    .is_ip = dcb_rng_next(&rng) & 1,
		    .dscp = (uint8_t)dcb_rng_uniform(&rng, 0, 63),
		};
		struct app_map map;

		k.has_ports = k.is_ip && dcb_rng_next(&rng) & 1;
		app_map_init(&map, entries, n);
		assert_int_equal(app_map_find(&map, &k), expected(entries, n, &k));
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_most_specific_entry_applies),
	    cmocka_unit_test(test_source_port_counts_after_destination_port),
	    cmocka_unit_test(test_selectors_have_their_protocols),
	    cmocka_unit_test(test_fragments_are_classified_by_dscp),
	    cmocka_unit_test(test_extension_headers_are_skipped),
	    cmocka_unit_test(test_cut_off_packet_is_classified_by_ethertype),
	    cmocka_unit_test(test_length_is_no_ethertype),
	    cmocka_unit_test(test_values_that_match_nothing),
	    cmocka_unit_test(test_random_entries_and_keys),
	};

	return cmocka_run_group_tests_name("app", tests, NULL, NULL);
}
