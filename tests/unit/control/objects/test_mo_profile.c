/* SPDX-License-Identifier: BSD-3-Clause */
/* Profile of a port: initial values for its rate; SET, state file and changes of the rate. */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <string.h>

#include "control/persist.h"
#include "lib/log.h"
#include "tests/unit/unit.h"

/* Index of the objects of port 11, priority 3. */
#define CP  "1.11.3"
#define RPG "1.3.11.3"

#define SAMPLE_BASE "ieee8021CnCpMinSampleBase"
#define TIME_RESET  "ieee8021CnRpgTimeReset"
#define AI          "ieee8021CnRpgAiRate"
#define HAI         "ieee8021CnRpgHaiRate"
#define MIN_RATE    "ieee8021CnRpgMinRate"

/* The values of the six objects at a rate. */
struct values {
	const char *qsp, *sample_base, *time_reset, *ai, *hai, *min_rate;
};
static const struct values standard = {"26000", "150000", "15", "5", "50", "5"};
static const struct values at_200m = {"50000", "75000", "50", "1", "5", "1"};
static const struct values at_100g = {"26000", "150000", "2", "50", "500", "5"};

static void assert_values(struct mo_world *w, const struct values *v)
{
	assert_value(w, QSP, CP, v->qsp);
	assert_value(w, SAMPLE_BASE, CP, v->sample_base);
	assert_value(w, TIME_RESET, RPG, v->time_reset);
	assert_value(w, AI, RPG, v->ai);
	assert_value(w, HAI, RPG, v->hai);
	assert_value(w, MIN_RATE, RPG, v->min_rate);
}

/* Adds port 11 with a profile and rate of dcbd.conf, and a speed of its link; 0: unknown. */
static void add_port(struct mo_world *w, enum cn_profile profile, uint32_t mbps, uint32_t speed)
{
	struct link_info link = mo_world_link(11, "sw11", "");
	struct port_settings settings = w->conf.port_default;
	char err[256];

	settings.profile = profile;
	settings.rate = dcb_rate_from_mbps(mbps);
	link.speed = dcb_rate_from_mbps(speed);
	if (!managed_port_add(w->m, &link, &settings, err, sizeof(err)))
		fail_msg("%s", err);
	mo_world_adopt(w);
}

static void set_speed(struct mo_world *w, uint32_t speed)
{
	struct link_info link = mo_world_link(11, "sw11", "");

	link.speed = dcb_rate_from_mbps(speed);
	link.up = speed > 0;
	managed_port_update(w->m, managed_find(w->m, 11), &link);
	mo_world_adopt(w);
}

/* A station with the CNPV 3 and the port 11. */
static struct mo_world *with_port(enum cn_profile profile, uint32_t mbps, uint32_t speed)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	add_port(w, profile, mbps, speed);
	return w;
}

/* Restarts the system; port 11 then has another rate. */
static void restart(struct mo_world *w, enum cn_profile profile, uint32_t mbps)
{
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
	add_port(w, profile, mbps, 0);
	mo_world_load(w);
}

static bool file_contains(const struct mo_world *w, const char *text)
{
	static char content[65536];
	FILE *f = fopen(w->state, "r");
	size_t n;

	assert_non_null(f);
	n = fread(content, 1, sizeof(content) - 1, f);
	assert_int_equal(fclose(f), 0);
	content[n] = '\0';
	return strstr(content, text) != NULL;
}

/* --- initial values -------------------------------------------------------------------- */

static void test_standard_has_the_defvals_at_every_rate(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_STANDARD, 200, 0);

	(void)state;
	assert_values(w, &standard);
	mo_world_free(w);
}

static void test_scaled_has_the_values_of_the_rate(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 200, 100000);

	(void)state;
	assert_values(w, &at_200m); /* rate of dcbd.conf, not speed of the link */
	assert_column(w, "dcbPortCnProfile", "3=standard 5=standard 9=standard 11=scaled");
	assert_column(w, "dcbPortCnProfileRate", "3=0 5=0 9=0 11=200000000");
	assert_value(w, QSP, "1.3.3", "26000");
	mo_world_free(w);

	w = with_port(CN_PROFILE_SCALED, 0, 100000);
	assert_values(w, &at_100g);
	/* The other objects do not depend on the rate. */
	assert_value(w, "ieee8021CnCpFeedbackWeight", CP, "1");
	assert_value(w, "ieee8021CnRpgByteReset", RPG, "150000");
	assert_value(w, "ieee8021CnRpgGd", RPG, "7");
	assert_value(w, "ieee8021CnRpgMaxRate", RPG, "100000");
	mo_world_free(w);
}

static void test_rows_created_later_have_the_values_of_the_rate(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	add_port(w, CN_PROFILE_SCALED, 200, 0);
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_values(w, &at_200m);
	assert_int_equal(SET(w, {QSP, CP, "31000"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.3", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_values(w, &at_200m);
	mo_world_free(w);
}

/* --- SET and state file ------------------------------------------------------------------ */

static void test_set_values_survive_a_restart_at_another_rate(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 200, 0);

	(void)state;
	/* AI and HAI: the initial values at 200 Mb/s. MIN_RATE: another value. */
	assert_int_equal(SET(w, {AI, RPG, "1"}, {HAI, RPG, "5"}, {MIN_RATE, RPG, "3"}),
			 MO_NO_ERROR);
	restart(w, CN_PROFILE_SCALED, 100000);
	assert_values(w, &(struct values){"26000", "150000", "2", "1", "5", "3"});
	restart(w, CN_PROFILE_STANDARD, 100000);
	assert_values(w, &(struct values){"26000", "150000", "15", "1", "5", "3"});
	mo_world_free(w);
}

/* The DEFVAL, set while the profile was "standard". */
static void test_defval_that_was_set_survives_another_profile(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_STANDARD, 200, 0);

	(void)state;
	assert_int_equal(SET(w, {QSP, CP, "26000"}), MO_NO_ERROR);
	restart(w, CN_PROFILE_SCALED, 200);
	assert_values(w, &(struct values){"26000", "75000", "50", "1", "5", "1"});
	mo_world_free(w);
}

static void test_initial_values_are_not_saved(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 200, 0);

	(void)state;
	assert_int_equal(SET(w, {QSP, "1.3.3", "31000"}), MO_NO_ERROR);
	assert_true(file_contains(w, QSP));
	assert_false(file_contains(w, "sw11"));
	assert_int_equal(SET(w, {"ieee8021CnCpMinHeaderOctets", CP, "8"}), MO_NO_ERROR);
	assert_true(file_contains(w, "sw11"));
	assert_false(file_contains(w, AI));
	restart(w, CN_PROFILE_SCALED, 100000);
	assert_values(w, &at_100g);
	assert_value(w, "ieee8021CnCpMinHeaderOctets", CP, "8");
	mo_world_free(w);
}

static void test_undone_set_leaves_no_mark(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 0, 200);

	(void)state;
	assert_int_equal(mo_world_test(w, (const char *const[][3]){{AI, RPG, "1"}}, 1),
			 MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	set_speed(w, 100000);
	assert_values(w, &at_100g);
	mo_world_free(w);
}

/* --- changes of the rate ------------------------------------------------------------------- */

static void test_initial_values_follow_the_speed(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 0, 200);

	(void)state;
	assert_int_equal(SET(w, {AI, RPG, "1"}), MO_NO_ERROR);
	set_speed(w, 100000);
	assert_values(w, &(struct values){"26000", "150000", "2", "1", "500", "5"});
	assert_value(w, "dcbPortCnProfileRate", "11", "100000000000");
	set_speed(w, 0); /* the link goes down */
	assert_value(w, "dcbPortCnProfileRate", "11", "100000000000");
	assert_values(w, &(struct values){"26000", "150000", "2", "1", "500", "5"});
	set_speed(w, 200);
	assert_values(w, &at_200m);
	mo_world_free(w);
}

static void test_standard_does_not_follow_the_speed(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_STANDARD, 0, 10000);
	uint64_t generation = w->m->config->generation;

	(void)state;
	set_speed(w, 200);
	assert_values(w, &standard);
	assert_int_equal(w->m->config->generation, generation);
	mo_world_free(w);
}

static void test_unknown_rate_is_logged_and_standard(void **state)
{
	struct log_capture log;
	struct mo_world *w;
	char text[2048];

	(void)state;
	log = log_watch(LOG_LEVEL_INFO);
	w = with_port(CN_PROFILE_SCALED, 0, 0);
	assert_values(w, &standard);
	set_speed(w, 0);
	set_speed(w, 200);
	set_speed(w, 200);
	assert_values(w, &at_200m);
	log_watched(&log, text, sizeof(text));
	assert_string_equal(
	    text,
	    "<4>prog: port: sw11: profile \"scaled\": the rate is not known yet: "
	    "initial values of \"standard\"\n"
	    "<6>prog: port: sw11: profile \"scaled\": initial values for 200 Mb/s\n");
	mo_world_free(w);
}

/* An observed port has no congestion point and no reaction point. */
static void test_port_without_objects_has_no_profile(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);
	struct log_capture log;

	(void)state;
	w->provider.has = 0;
	log = log_watch(LOG_LEVEL_INFO);
	add_port(w, CN_PROFILE_SCALED, 200, 0);
	set_speed(w, 200);
	log_expect(&log, "%s", "");
	assert_ptr_equal(w->m->config->ports[3].config, w->m->config->fresh);
	mo_world_free(w);
}

static bool accepts_none(const struct dcb_config_port *at)
{
	(void)at;
	return false;
}

/* A refused change leaves the values; the next change of the speed is tried again. */
static void test_refused_change_leaves_the_values(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 0, 200);

	(void)state;
	w->provider.accepts = accepts_none;
	w->provider.refusal = PROVIDER_NO_RESOURCE;
	set_speed(w, 100000);
	w->provider.accepts = NULL;
	assert_values(w, &at_200m);
	set_speed(w, 100000);
	assert_values(w, &at_100g);
	mo_world_free(w);
}

/* --- interfaces that come and go -------------------------------------------------------------- */

static void test_returned_interface_has_the_values_of_its_new_rate(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 0, 200);

	(void)state;
	assert_int_equal(SET(w, {QSP, CP, "50000"}, {HAI, RPG, "6"}), MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 11));
	mo_world_adopt(w);
	add_port(w, CN_PROFILE_SCALED, 0, 100000);
	assert_values(w, &(struct values){"50000", "150000", "2", "50", "6", "5"});
	mo_world_free(w);
}

/* Initial values are no settings: those of an absent interface wait for its alias. */
static void test_settings_by_alias_replace_initial_values(void **state)
{
	struct mo_world *w = with_port(CN_PROFILE_SCALED, 0, 200);
	struct link_info link = mo_world_link(11, "sw11", "uplink");

	(void)state;
	assert_int_equal(SET(w, {QSP, "1.5.3", "31000"}), MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	link.speed = dcb_rate_from_mbps(200);
	managed_port_update(w->m, managed_find(w->m, 11), &link);
	mo_world_adopt(w);
	assert_values(w, &(struct values){"31000", "75000", "50", "1", "5", "1"});
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_standard_has_the_defvals_at_every_rate),
	    cmocka_unit_test(test_scaled_has_the_values_of_the_rate),
	    cmocka_unit_test(test_rows_created_later_have_the_values_of_the_rate),
	    cmocka_unit_test(test_set_values_survive_a_restart_at_another_rate),
	    cmocka_unit_test(test_defval_that_was_set_survives_another_profile),
	    cmocka_unit_test(test_initial_values_are_not_saved),
	    cmocka_unit_test(test_undone_set_leaves_no_mark),
	    cmocka_unit_test(test_initial_values_follow_the_speed),
	    cmocka_unit_test(test_standard_does_not_follow_the_speed),
	    cmocka_unit_test(test_unknown_rate_is_logged_and_standard),
	    cmocka_unit_test(test_port_without_objects_has_no_profile),
	    cmocka_unit_test(test_refused_change_leaves_the_values),
	    cmocka_unit_test(test_returned_interface_has_the_values_of_its_new_rate),
	    cmocka_unit_test(test_settings_by_alias_replace_initial_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
