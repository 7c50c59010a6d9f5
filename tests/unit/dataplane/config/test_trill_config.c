/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/config/trill_config.h"

#include <string.h>

#include "lib/rng.h"
#include "tests/unit/unit.h"

static struct trill_next_hop hop(uint16_t nickname, uint8_t last, bool tree)
{
	return (struct trill_next_hop){
	    .nickname = nickname, .mac = {2, 0, 0, 0, 0, last}, .tree = tree};
}

static void test_nicknames_of_rbridges_end_at_ffbf(void **state)
{
	(void)state;
	assert_false(trill_nickname_is_valid(0));
	assert_true(trill_nickname_is_valid(1));
	assert_true(trill_nickname_is_valid(0xffbf));
	assert_false(trill_nickname_is_valid(0xffc0));
	assert_false(trill_nickname_is_valid(0xffff));
	assert_false(trill_nickname_is_valid(0x10001));
}

static void test_zero_settings_have_values_in_force(void **state)
{
	const struct trill_port_config port = {0};
	const struct trill_config config = {0};

	(void)state;
	assert_int_equal(trill_port_mode(&port), TRILL_ACCESS);
	assert_true(trill_port_is_native(&port));
	assert_false(trill_port_is_trunk(&port));
	assert_int_equal(trill_designated_vlan(&port), 1);
	assert_int_equal(trill_hop_count(&config), 63);
}

static void test_modes_select_native_and_trill_frames(void **state)
{
	const struct trill_port_config trunk = {.mode = TRILL_TRUNK};
	const struct trill_port_config hybrid = {.mode = TRILL_HYBRID};

	(void)state;
	assert_false(trill_port_is_native(&trunk));
	assert_true(trill_port_is_trunk(&trunk));
	assert_true(trill_port_is_native(&hybrid));
	assert_true(trill_port_is_trunk(&hybrid));
}

static void test_next_hop_is_found_by_nickname_and_address(void **state)
{
	static struct trill_next_hops hops;
	const struct trill_next_hop a = hop(0x100, 1, false), b = hop(0x100, 2, true);

	(void)state;
	memset(&hops, 0, sizeof(hops));
	assert_true(trill_next_hop_put(&hops, &b));
	assert_true(trill_next_hop_put(&hops, &a));
	assert_int_equal(hops.n, 2);
	assert_false(trill_next_hop_find(&hops, 0x100, a.mac)->tree);
	assert_true(trill_next_hop_find(&hops, 0x100, b.mac)->tree);
	assert_null(trill_next_hop_find(&hops, 0x101, a.mac));
	assert_null(trill_next_hop_find(&hops, 0xff, b.mac));
	trill_next_hop_drop(&hops, 0x100, a.mac);
	assert_null(trill_next_hop_find(&hops, 0x100, a.mac));
	assert_non_null(trill_next_hop_find(&hops, 0x100, b.mac));
}

static void test_next_hop_put_again_has_the_new_tree(void **state)
{
	static struct trill_next_hops hops;
	struct trill_next_hop a = hop(7, 1, false);

	(void)state;
	memset(&hops, 0, sizeof(hops));
	assert_true(trill_next_hop_put(&hops, &a));
	a.tree = true;
	assert_true(trill_next_hop_put(&hops, &a));
	assert_int_equal(hops.n, 1);
	assert_true(hops.of[0].tree);
}

static void test_full_port_refuses_another_next_hop(void **state)
{
	static struct trill_next_hops hops;
	struct trill_next_hop more = hop(0x900, 1, false);

	(void)state;
	memset(&hops, 0, sizeof(hops));
	for (uint16_t i = TRILL_NEXT_HOPS_MAX; i > 0; i--) {
		const struct trill_next_hop each = hop(i, 1, false);

		assert_true(trill_next_hop_put(&hops, &each));
	}
	assert_false(trill_next_hop_put(&hops, &more));
	assert_int_equal(hops.n, TRILL_NEXT_HOPS_MAX);
	more = hop(1, 1, true);
	assert_true(trill_next_hop_put(&hops, &more)); /* one that it has */
}

/* Ascending without equal elements, zero beyond n: what a copy of the struct compares. */
static void assert_sorted(const struct trill_next_hops *hops)
{
	static const struct trill_next_hop none;

	for (uint32_t i = 1; i < hops->n; i++)
		assert_true(hops->of[i - 1].nickname < hops->of[i].nickname ||
			    (hops->of[i - 1].nickname == hops->of[i].nickname &&
			     memcmp(hops->of[i - 1].mac, hops->of[i].mac, ETH_ADDR_OCTETS) < 0));
	for (uint32_t i = hops->n; i < TRILL_NEXT_HOPS_MAX; i++)
		assert_memory_equal(&hops->of[i], &none, sizeof(none));
}

static void test_next_hops_ascend_after_random_changes(void **state)
{
	static struct trill_next_hops hops;
	bool has[16][16] = {{false}};
	struct dcb_rng rng;
	uint32_t n = 0;

	(void)state;
	memset(&hops, 0, sizeof(hops));
	dcb_rng_seed(&rng, unit_seed(), 0);
	for (unsigned i = 0; i < 5000; i++) {
		unsigned nickname = dcb_rng_next(&rng) % 16, last = dcb_rng_next(&rng) % 16;
		const struct trill_next_hop each =
		    hop((uint16_t)(nickname + 1), (uint8_t)last, i % 2);
		bool add = dcb_rng_next(&rng) % 2;

		if (add)
			assert_true(trill_next_hop_put(&hops, &each));
		else
			trill_next_hop_drop(&hops, each.nickname, each.mac);
		n += (uint32_t)add - (uint32_t)has[nickname][last];
		has[nickname][last] = add;
		assert_int_equal(hops.n, n);
		assert_int_equal(trill_next_hop_find(&hops, each.nickname, each.mac) != NULL, add);
	}
	assert_sorted(&hops);
}

static void test_egress_of_an_address_and_vlan(void **state)
{
	struct trill_egresses e = {.n = 0}, copy;
	const uint8_t mac[] = {2, 0, 0, 0, 0, 1};
	const uint64_t key = static_unicast_key(10, mac), other = static_unicast_key(11, mac);

	(void)state;
	assert_int_equal(trill_egress_find(&e, key), TRILL_NICKNAME_NONE);
	assert_true(trill_egress_copy(&copy, &e));
	assert_null(copy.of);
	assert_true(trill_egress_put(&e, &(struct trill_egress){other, 0x200}));
	assert_true(trill_egress_put(&e, &(struct trill_egress){key, 0x100}));
	assert_int_equal(trill_egress_find(&e, key), 0x100);
	assert_int_equal(trill_egress_find(&e, other), 0x200);
	assert_true(trill_egress_put(&e, &(struct trill_egress){key, 0x300}));
	assert_int_equal(e.n, 2);
	assert_int_equal(trill_egress_find(&e, key), 0x300);
	assert_true(trill_egress_copy(&copy, &e));
	trill_egress_drop(&e, key);
	trill_egress_drop(&e, key);
	assert_int_equal(e.n, 1);
	assert_int_equal(copy.n, 2);
	assert_int_equal(trill_egress_find(&copy, key), 0x300);
	assert_int_equal(trill_egress_find(&e, key), TRILL_NICKNAME_NONE);
	assert_int_equal(trill_egress_find(&e, other), 0x200);
	trill_egress_free(&copy);
	trill_egress_free(&e);
}

static void test_full_table_refuses_another_egress(void **state)
{
	struct trill_egresses e = {.n = 0}, copy;

	(void)state;
	for (uint64_t i = TRILL_EGRESS_MAX; i > 0; i--)
		assert_true(trill_egress_put(&e, &(struct trill_egress){i, 1}));
	assert_false(trill_egress_put(&e, &(struct trill_egress){TRILL_EGRESS_MAX + 1, 1}));
	assert_int_equal(e.n, TRILL_EGRESS_MAX);
	assert_int_equal(trill_egress_at(&e, 1), 0);
	assert_int_equal(trill_egress_at(&e, TRILL_EGRESS_MAX + 1), TRILL_EGRESS_MAX);
	assert_true(trill_egress_copy(&copy, &e));
	assert_false(trill_egress_put(&copy, &(struct trill_egress){TRILL_EGRESS_MAX + 1, 1}));
	for (uint64_t i = 1; i <= TRILL_EGRESS_MAX; i++)
		assert_int_equal(trill_egress_find(&copy, i), 1);
	trill_egress_free(&copy);
	trill_egress_free(&e);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nicknames_of_rbridges_end_at_ffbf),
	    cmocka_unit_test(test_zero_settings_have_values_in_force),
	    cmocka_unit_test(test_modes_select_native_and_trill_frames),
	    cmocka_unit_test(test_next_hop_is_found_by_nickname_and_address),
	    cmocka_unit_test(test_next_hop_put_again_has_the_new_tree),
	    cmocka_unit_test(test_full_port_refuses_another_next_hop),
	    cmocka_unit_test(test_next_hops_ascend_after_random_changes),
	    cmocka_unit_test(test_egress_of_an_address_and_vlan),
	    cmocka_unit_test(test_full_table_refuses_another_egress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
