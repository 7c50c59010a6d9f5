/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/suggest.h"
#include "tests/unit/unit.h"

#include <string.h>

/* Offers three names, and asserts the one that is near; NULL: none. */
static void check(const char *text, const char *expected)
{
	struct suggest n = {.text = text};

	suggest_offer(&n, "show");
	suggest_offer(&n, "ieee8021CnCpQueueSizeSetPoint");
	suggest_offer(&n, "cn_cp");
	suggest_offer(&n, "cn_cpid");
	if (!expected)
		assert_null(n.best);
	else
		assert_string_equal(n.best ? n.best : "", expected);
}

static void test_nearest_name_is_found(void **state)
{
	(void)state;
	check("shwo", "show"); /* exchanged */
	check("sho", "show");
	check("SHOW", "show");
	check("cn_cq", "cn_cp");
	check("cn_cpd", "cn_cp"); /* equally near: the first one */
	check("cn_cpidd", "cn_cpid");
	check("ieee8021CnCpQueSizeSetpont", "ieee8021CnCpQueueSizeSetPoint");
}

static void test_other_names_are_not_near(void **state)
{
	char lengthy[200];

	(void)state;
	check("", NULL);
	check("x", NULL);
	check("halt", NULL);
	check("pfc_watchdog", NULL);
	memset(lengthy, 's', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	check(lengthy, NULL);
}

static void test_hint(void **state)
{
	struct suggest n = {.text = "shwo"};
	char buf[64], cut[8];

	(void)state;
	assert_string_equal(suggest_hint(&n, buf, sizeof(buf)), "");
	suggest_offer(&n, "show");
	assert_string_equal(suggest_hint(&n, buf, sizeof(buf)), "; did you mean \"show\"?");
	assert_string_equal(suggest_hint(&n, cut, sizeof(cut)), "; did y");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nearest_name_is_found),
	    cmocka_unit_test(test_other_names_are_not_near),
	    cmocka_unit_test(test_hint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
