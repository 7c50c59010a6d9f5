/* SPDX-License-Identifier: BSD-3-Clause */
/* The copy of the addresses behind other RBridges: its order, its age, its failures. */
#include "control/managed/addresses.h"

#include <string.h>

#include "lib/log.h"
#include "tests/unit/fake_provider.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/unit.h"

#define MANY 100000

static struct dcb_time at_ms(int64_t ms)
{
	return (struct dcb_time){ms * DCB_NS_PER_MS};
}

struct lab {
	struct fake_provider other, rbridge;
	struct provider *of[2];
	struct addresses *addresses;
};

static void set_up(struct lab *lab)
{
	fake_provider_init(&lab->other);
	fake_provider_init(&lab->rbridge);
	lab->other.ops.read_addresses = NULL;
	lab->of[0] = &lab->other.provider;
	lab->of[1] = &lab->rbridge.provider;
	lab->addresses = addresses_new();
	assert_non_null(lab->addresses);
}

/* Returns the key that is found; 0: none. */
static uint64_t find(struct lab *lab, uint64_t from, int64_t ms)
{
	struct fdb_address found = {.key = 0};

	addresses_refresh(lab->addresses, lab->of, 2, at_ms(ms));
	(void)addresses_find(lab->addresses, ADDRESSES_BEHIND, from, &found);
	return found.key;
}

static void test_first_address_from_a_key_is_found(void **state)
{
	struct fdb_address of[] = {{.key = 10, .nickname = 3, .age_s = 7},
				   {.key = 20, .fixed = true},
				   {.key = UINT64_MAX}};
	struct fdb_address found;
	struct lab lab;

	(void)state;
	set_up(&lab);
	assert_int_equal(find(&lab, 0, 0), 0);
	lab.rbridge.addresses = (struct fdb_addresses){of, 3, 0};
	assert_int_equal(find(&lab, 0, 5000), 10);
	assert_int_equal(find(&lab, 10, 5000), 10);
	assert_int_equal(find(&lab, 11, 5000), 20);
	assert_int_equal(find(&lab, 21, 5000), UINT64_MAX);
	assert_int_equal(find(&lab, UINT64_MAX, 5000), UINT64_MAX);
	assert_true(addresses_find(lab.addresses, ADDRESSES_BEHIND, 0, &found));
	assert_int_equal(found.nickname, 3);
	assert_int_equal(found.age_s, 7);
	assert_false(found.fixed);
	addresses_free(lab.addresses);
	addresses_free(NULL);
}

/* A walk of all addresses does not ask the provider for each of them. */
static void test_copy_is_made_anew_when_it_is_old(void **state)
{
	struct fdb_addresses all = {calloc(MANY, sizeof(*all.of)), MANY, 0};
	uint64_t key = 0;
	struct lab lab;
	uint32_t n = 0;

	(void)state;
	set_up(&lab);
	assert_non_null(all.of);
	for (uint32_t i = 0; i < MANY; i++)
		all.of[i].key = 1 + 3 * (uint64_t)i;
	lab.rbridge.addresses = all;
	for (; (key = find(&lab, key + 1, 0)); n++)
		assert_int_equal(key, 1 + 3 * (uint64_t)n);
	assert_int_equal(n, MANY);
	assert_int_equal(lab.rbridge.addresses_reads, 1);
	lab.rbridge.addresses.n = 1;
	assert_int_equal(find(&lab, 2, 1999), 4);
	assert_int_equal(find(&lab, 2, 2000), 0);
	assert_int_equal(find(&lab, 1, 2000 + 999), 1);
	assert_int_equal(lab.rbridge.addresses_reads, 2);
	assert_int_equal(find(&lab, 1, 2000 + 1001), 1);
	assert_int_equal(lab.rbridge.addresses_reads, 3);
	addresses_free(lab.addresses);
	free(all.of);
}

static void test_failed_copy_leaves_the_former_one(void **state)
{
	struct fdb_address one = {.key = 10}, two = {.key = 20};
	struct lab lab;

	(void)state;
	set_up(&lab);
	lab.rbridge.addresses = (struct fdb_addresses){&one, 1, 0};
	assert_int_equal(find(&lab, 0, 0), 10);
	lab.rbridge.addresses.of = &two;
	lab.rbridge.addresses_fail = true;
	assert_int_equal(find(&lab, 0, 5000), 10);
	lab.rbridge.addresses_fail = false;
	assert_int_equal(find(&lab, 0, 10000), 20);
	assert_int_equal(lab.rbridge.addresses_reads, 3);
	addresses_free(lab.addresses);
}

/* The provider can take 0.1 s to fail: a walk must not ask it for each row. */
static void test_failed_copy_is_logged_and_tried_again_when_it_is_old(void **state)
{
	struct fdb_address one = {.key = 10};
	struct log_capture log = log_capture();
	struct lab lab;
	char text[1024];

	(void)state;
	set_up(&lab);
	lab.rbridge.addresses = (struct fdb_addresses){&one, 1, 0};
	lab.rbridge.addresses_fail = true;
	for (int64_t ms = 0; ms < 1000; ms += 10)
		assert_int_equal(find(&lab, 0, ms), 0);
	log_captured(&log, text, sizeof(text));
	assert_int_equal(lab.rbridge.addresses_reads, 1);
	lab.rbridge.addresses_fail = false;
	assert_int_equal(find(&lab, 0, 999), 0);
	assert_int_equal(find(&lab, 0, 1000), 10);
	assert_int_equal(lab.rbridge.addresses_reads, 2);
	assert_non_null(strstr(text, "filtering database: addresses not read: out of memory, or"));
	addresses_free(lab.addresses);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_first_address_from_a_key_is_found),
	    cmocka_unit_test(test_copy_is_made_anew_when_it_is_old),
	    cmocka_unit_test(test_failed_copy_leaves_the_former_one),
	    cmocka_unit_test(test_failed_copy_is_logged_and_tried_again_when_it_is_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
