/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cnd.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <string.h>

/* "[2, 3, 5]" */
static uint8_t mask_of(const char *list)
{
	uint8_t mask = 0;

	for (; *list; list++)
		if (*list >= '0' && *list <= '7')
			mask |= (uint8_t)(1u << (*list - '0'));
	return mask;
}

/* "{2: 1, 3: 1, 5: 4}" has an alternate for every CNPV. */
static void check_alternates(const struct vector *v)
{
	uint8_t mask = mask_of(vector_text(v, v->inputs, "cnpvs"));
	char alternates[VECTOR_TEXT_MAX];
	unsigned int priority, alternate, pairs = 0;

	print_message("%s\n", v->id);
	snprintf(alternates, sizeof(alternates), "%s", vector_text(v, v->outputs, "alt"));
	for (char *at = strtok(alternates, "{,}"); at; at = strtok(NULL, "{,}")) {
		assert_int_equal(sscanf(at, "%u: %u", &priority, &alternate), 2);
		assert_true(cnd_is_cnpv(mask, priority));
		assert_int_equal(cnd_auto_alt_pri(mask, priority), alternate);
		pairs++;
	}
	assert_int_equal(pairs, cnd_count(mask));
}

static void test_alternate_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "auto-alt-pri", check_alternates), 8);
}

/* All sets: free, below if anything below is free, and nothing free in between. */
static void test_alternate_of_every_set(void **state)
{
	(void)state;
	for (unsigned int mask = 0; mask < 255; mask++) {
		for (unsigned int priority = 0; priority < 8; priority++) {
			uint8_t with = (uint8_t)(mask | 1u << priority);
			unsigned int alternate = cnd_auto_alt_pri((uint8_t)mask, priority);
			unsigned int low = alternate < priority ? alternate + 1 : 0;
			unsigned int high = alternate < priority ? priority : alternate;

			if (with == 0xff)
				continue;
			assert_false(cnd_is_cnpv(with, alternate));
			for (unsigned int p = low; p < high; p++)
				assert_true(cnd_is_cnpv(with, p));
		}
	}
	for (unsigned int priority = 0; priority < 8; priority++)
		assert_int_equal(cnd_auto_alt_pri(0xff, priority), priority);
}

static void test_errored_port(void **state)
{
	(void)state;
	assert_false(cnd_port_is_errored(0x08, 0, 2));
	assert_true(cnd_port_is_errored(0x08, 3, 2));
	assert_true(cnd_port_is_errored(0x08, 0, 3));
	assert_true(cnd_port_is_errored(0x88, 7, 0));
	assert_true(cnd_port_is_errored(0x01, 0, 0));
	for (unsigned int priority = 0; priority < 8; priority++)
		assert_false(cnd_port_is_errored(0, priority, priority));
}

static void test_count(void **state)
{
	(void)state;
	assert_int_equal(cnd_count(0), 0);
	assert_int_equal(cnd_count(0x81), 2);
	assert_int_equal(cnd_count(0xfe), CND_MAX_CNPVS);
	assert_int_equal(cnd_count(0xff), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_alternate_vectors),
	    cmocka_unit_test(test_alternate_of_every_set),
	    cmocka_unit_test(test_errored_port),
	    cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
