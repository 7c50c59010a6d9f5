/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured delays in the state file: when they are written, restarts, wrong records. */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/persist.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "tests/unit/unit.h"

#define GBIT         UINT64_C(1000000000)
#define ENABLE       "dcbPfcMeasureEnable"
#define CNM_PRIORITY "ieee8021CnGlobalCnmTransmitPriority"

static const struct dcb_config_port *at(const struct mo_world *w, uint32_t ifindex)
{
	size_t pos = managed_find(w->m, ifindex);

	assert_in_range(pos, 0, w->m->config->n_ports - 1);
	return &w->m->config->ports[pos];
}

/* The dataplane has measured this average on the port, with MACsec for data. */
static void measures_unreported(const struct mo_world *w, uint32_t ifindex, uint64_t bps,
				uint32_t average)
{
	struct pfc_measure_stats *stats = &fake_port(at(w, ifindex)->port)->measure;

	stats->measured = 1;
	stats->rate_bps = bps;
	stats->path = HMPDU_PATH_DATA;
	stats->average = average;
	stats->count = 17;
	stats->result = average;
}

/* The same, and the provider has reported it. */
static void measures(const struct mo_world *w, uint32_t ifindex, uint64_t bps, uint32_t average)
{
	measures_unreported(w, ifindex, bps, average);
	managed_measured(w->m, at(w, ifindex)->port->slot);
}

/* Asserts that the port has got this delay at its creation; average 0: none. */
static void assert_given(const struct mo_world *w, uint32_t ifindex, uint64_t bps, uint32_t average)
{
	const struct pfc_measured *is = &at(w, ifindex)->config->pfc_measured;

	assert_int_equal(is->average, average);
	assert_int_equal(is->count, average ? 17 : 0);
	assert_int_equal(is->rate.bps, bps);
	assert_int_equal(is->path, average ? HMPDU_PATH_DATA : 0);
}

static void set_any(struct mo_world *w, const char *value)
{
	assert_int_equal(SET(w, {CNM_PRIORITY, "1", value}), MO_NO_ERROR);
}

/* Starts again with these ports, and loads the state file. */
static void restart(struct mo_world *w)
{
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 12, "other", "uplink"); /* was sw5, ifIndex 5 */
	mo_world_load(w);
}

/* Returns the content of the state file, which the caller frees; NULL: there is none. */
static char *content(const struct mo_world *w)
{
	FILE *f = fopen(w->state, "r");
	char *text;

	if (!f)
		return NULL;
	text = calloc(1, 65536);
	assert_non_null(text);
	(void)fread(text, 1, 65535, f);
	fclose(f);
	return text;
}

static void put_content(const struct mo_world *w, const char *text)
{
	FILE *f = fopen(w->state, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Writes a state file with this text and a valid checksum. */
static void put_with_checksum(const struct mo_world *w, const char *text)
{
	char *whole = strdup(text);
	size_t len = strlen(text);

	assert_non_null(whole);
	assert_true(persist_add_checksum(&whole, &len));
	put_content(w, whole);
	free(whole);
}

/* --- when it is written ----------------------------------------------------------------------- */

static void test_delay_is_written_with_settings(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char *text;

	(void)state;
	measures(w, 5, 25 * GBIT, UINT32_MAX);
	set_any(w, "4");
	text = content(w);
	assert_non_null(strstr(text, "version = 2;"));
	free(text);
	restart(w);
	assert_given(w, 12, 25 * GBIT, UINT32_MAX);
	assert_given(w, 3, 0, 0);
	assert_column(w, CNM_PRIORITY, "1=4");
	/* The port still has initial settings: a SET has not changed them. */
	assert_true(dcb_config_is_initial(w->m->config, managed_find(w->m, 12)));
	mo_world_free(w);
}

/* Another result alone does not write to the disk. */
static void test_delay_alone_is_written_at_the_end(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char *before, *after;
	uint32_t saves;

	(void)state;
	set_any(w, "4");
	before = content(w);
	saves = w->m->state_saves;
	measures(w, 5, 10 * GBIT, 1234);
	managed_measured(w->m, at(w, 5)->port->slot);
	managed_run(w->m, clock_now());
	assert_int_equal(at(w, 5)->oper.pfc_measured_quanta, 1234);
	after = content(w);
	assert_string_equal(after, before);
	assert_int_equal(w->m->state_saves, saves);
	free(after);
	mo_service_save_measured(w->service);
	after = content(w);
	assert_string_not_equal(after, before);
	free(after);
	free(before);
	restart(w);
	assert_given(w, 12, 10 * GBIT, 1234);
	assert_column(w, CNM_PRIORITY, "1=4");
	mo_world_free(w);
}

/* dcbd ends before it has read the provider's event. */
static void test_delay_that_was_not_reported_is_written_at_the_end(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_any(w, "4");
	measures_unreported(w, 5, 10 * GBIT, 1234);
	mo_service_save_measured(w->service);
	restart(w);
	assert_given(w, 12, 10 * GBIT, 1234);
	mo_world_free(w);
}

/* Without a delay, the file is not written at the end. */
static void test_end_without_a_delay_writes_nothing(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct stat before, after;

	(void)state;
	mo_service_save_measured(NULL);
	set_any(w, "4");
	assert_int_equal(stat(w->state, &before), 0);
	mo_service_save_measured(w->service);
	assert_int_equal(stat(w->state, &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	mo_world_free(w);
}

/* Without a state file the next start has the initial settings. */
static void test_end_creates_no_state_file(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	measures(w, 5, 10 * GBIT, 1234);
	mo_service_save_measured(w->service);
	assert_null(content(w));
	mo_world_free(w);
}

/* The operator removes the file, or puts another one there, and restarts dcbd. */
static void test_end_leaves_the_file_of_the_operator(void **state)
{
	static const char other[] = "version = 2;\nobjects = ( );\n";

	(void)state;
	for (int removed = 0; removed <= 1; removed++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		char *text;

		set_any(w, "4");
		measures(w, 5, 10 * GBIT, 1234);
		assert_int_equal(unlink(w->state), 0);
		if (!removed)
			put_with_checksum(w, other);
		mo_service_save_measured(w->service);
		text = content(w);
		if (removed)
			assert_null(text);
		else
			assert_memory_equal(text, other, strlen(other));
		free(text);
		mo_world_free(w);
	}
}

/* The file that was there at the start counts as well as one that was written since. */
static void test_end_writes_to_the_file_of_the_start(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_any(w, "4");
	restart(w);
	measures(w, 3, 10 * GBIT, 99);
	mo_service_save_measured(w->service);
	restart(w);
	assert_given(w, 3, 10 * GBIT, 99);
	mo_world_free(w);
}

static void test_end_logs_a_file_that_cannot_be_written(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char blocker[128];
	struct log_capture c;

	(void)state;
	set_any(w, "4");
	measures(w, 5, 10 * GBIT, 1234);
	/* The name of the new file is that of a directory. */
	snprintf(blocker, sizeof(blocker), "%s.new", w->state);
	assert_int_equal(mkdir(blocker, 0700), 0);
	c = log_watch(LOG_LEVEL_INFO);
	mo_service_save_measured(w->service);
	log_expect(&c, "<3>prog: persist: %s: Is a directory: measured delays not saved\n",
		   w->state);
	assert_int_equal(rmdir(blocker), 0);
	mo_world_free(w);
}

/* A port that has not measured since the start, as its link is down, keeps its record. */
static void test_delay_that_is_not_used_is_saved_again(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	measures(w, 5, 25 * GBIT, 1234);
	set_any(w, "4");
	restart(w);
	set_any(w, "3");
	restart(w);
	assert_given(w, 12, 25 * GBIT, 1234);
	measures(w, 12, 10 * GBIT, 4321);
	set_any(w, "4");
	restart(w);
	assert_given(w, 12, 10 * GBIT, 4321);
	mo_world_free(w);
}

/* --- absent interfaces ------------------------------------------------------------------------ */

static void test_delay_of_absent_interface_is_kept_with_its_settings(void **state)
{
	(void)state;
	for (int keep = 0; keep <= 1; keep++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);

		w->conf.keep_absent = keep;
		measures(w, 5, 10 * GBIT, 1234);
		measures(w, 9, 10 * GBIT, 99);
		assert_int_equal(SET(w, {ENABLE, "5", "always"}), MO_NO_ERROR);
		mo_world_restart(w);
		mo_world_load(w);
		set_any(w, "4");
		mo_world_restart(w);
		mo_world_load(w);
		mo_world_add_port(w, 5, "sw5", "uplink");
		mo_world_add_port(w, 9, "sw9", "");
		assert_given(w, 5, keep ? 10 * GBIT : 0, keep ? 1234 : 0);
		assert_given(w, 9, 0, 0); /* it had no settings */
		mo_world_free(w);
	}
}

static void test_delay_returns_with_the_interface(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char *text;

	(void)state;
	assert_int_equal(SET(w, {ENABLE, "5", "always"}), MO_NO_ERROR);
	measures(w, 5, 10 * GBIT, 1234);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	mo_service_save_measured(w->service);
	text = content(w);
	assert_non_null(strstr(text, "measured"));
	free(text);
	mo_world_add_port(w, 12, "renamed", "uplink");
	assert_given(w, 12, 10 * GBIT, 1234);
	mo_world_free(w);
}

/* sw5 is gone, and sw3 has its alias: the delay of sw5 is not that of sw3. */
static void test_delay_of_a_key_that_a_port_has_now_is_not_written(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(3, "sw3", "uplink");

	(void)state;
	assert_int_equal(SET(w, {ENABLE, "5", "always"}, {ENABLE, "3", "always"}), MO_NO_ERROR);
	measures(w, 5, 10 * GBIT, 1234);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	managed_port_update(w->m, managed_find(w->m, 3), &link);
	set_any(w, "4");
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "uplink");
	mo_world_load(w);
	assert_given(w, 3, 0, 0);
	mo_world_free(w);
}

/* --- wrong records ---------------------------------------------------------------------------- */

#define HEAD             \
	"version = 2;\n" \
	"objects = ( { object = \"" CNM_PRIORITY "\"; index = \"1\"; value = \"4\"; } );\n"
#define RECORD(rest) "{ name = \"sw3\"; " rest " }"

static void test_wrong_record_is_left_out(void **state)
{
	static const struct {
		const char *record, *error;
	} wrong[] = {
	    {"{ rate = 1L; path = 1; average = 1; count = 1; }", "[1]: expected name"},
	    {"{ name = 5; rate = 1L; path = 1; average = 1; count = 1; }",
	     "[1].name: expected a string of 0..255 characters, not 5"},
	    {RECORD("path = 1; average = 1; count = 1;"), "[1]: expected rate"},
	    {RECORD("rate = 0; path = 1; average = 1; count = 1;"),
	     "[1].rate: expected an integer 1..9223372036854775807, not 0"},
	    {RECORD("rate = 1; average = 1; count = 1;"), "[1]: expected path"},
	    {RECORD("rate = 1; path = 4; average = 1; count = 1;"),
	     "[1].path: expected an integer 0..3, not 4"},
	    {RECORD("rate = 1; path = -1; average = 1; count = 1;"),
	     "[1].path: expected an integer 0..3, not -1"},
	    {RECORD("rate = 1; path = 1; average = 0; count = 1;"),
	     "[1].average: expected an integer 1..4294967295, not 0"},
	    {RECORD("rate = 1; path = 1; average = 4294967296L; count = 1;"),
	     "[1].average: expected an integer 1..4294967295, not 4294967296"},
	    {RECORD("rate = 1; path = 1; average = 1; count = \"1\";"),
	     "[1].count: expected an integer 1..4294967295, not \"1\""},
	    {RECORD("rate = 1; path = 1; average = 1;"), "[1]: expected count"},
	    {"7", "[1]: expected name"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(wrong); i++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		char text[1024];
		struct log_capture c;

		snprintf(text, sizeof(text),
			 HEAD
			 "measured = (\n"
			 "{ alias = \"uplink\"; rate = 10000000000L; path = 1; average = 12; "
			 "count = 17; },\n%s );\n",
			 wrong[i].record);
		put_with_checksum(w, text);
		c = log_watch(LOG_LEVEL_INFO);
		mo_world_load(w);
		log_expect(&c,
			   "<4>prog: persist: %s:5: measured%s: this measured delay is not "
			   "restored\n",
			   w->state, wrong[i].error);
		assert_given(w, 3, 0, 0);
		assert_given(w, 5, 10 * GBIT, 12);
		assert_column(w, CNM_PRIORITY, "1=4");
		mo_world_free(w);
	}
}

static void test_list_of_another_type_is_left_out(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;

	(void)state;
	put_with_checksum(w, HEAD "measured = 7;\n");
	c = log_watch(LOG_LEVEL_INFO);
	mo_world_load(w);
	log_expect(&c, "<4>prog: persist: %s:3: measured: expected a list: no delay is restored\n",
		   w->state);
	assert_column(w, CNM_PRIORITY, "1=4");
	mo_world_free(w);
}

static bool accepts_no_delay(const struct dcb_config_port *port)
{
	return port->config->pfc_measured.count == 0;
}

static void test_settings_stay_if_the_delay_is_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;

	(void)state;
	put_with_checksum(
	    w, HEAD "measured = ( " RECORD("rate = 1; path = 1; average = 1; count = 17;") " );\n");
	w->provider.accepts = accepts_no_delay;
	c = log_watch(LOG_LEVEL_INFO);
	mo_world_load(w);
	log_expect(&c,
		   "<4>prog: persist: measured delays are not restored: sw3: fake cannot: "
		   "expected another\n");
	assert_given(w, 3, 0, 0);
	assert_column(w, CNM_PRIORITY, "1=4");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_delay_is_written_with_settings),
	    cmocka_unit_test(test_delay_alone_is_written_at_the_end),
	    cmocka_unit_test(test_delay_that_was_not_reported_is_written_at_the_end),
	    cmocka_unit_test(test_end_without_a_delay_writes_nothing),
	    cmocka_unit_test(test_end_creates_no_state_file),
	    cmocka_unit_test(test_end_leaves_the_file_of_the_operator),
	    cmocka_unit_test(test_end_writes_to_the_file_of_the_start),
	    cmocka_unit_test(test_end_logs_a_file_that_cannot_be_written),
	    cmocka_unit_test(test_delay_that_is_not_used_is_saved_again),
	    cmocka_unit_test(test_delay_of_absent_interface_is_kept_with_its_settings),
	    cmocka_unit_test(test_delay_returns_with_the_interface),
	    cmocka_unit_test(test_delay_of_a_key_that_a_port_has_now_is_not_written),
	    cmocka_unit_test(test_wrong_record_is_left_out),
	    cmocka_unit_test(test_list_of_another_type_is_left_out),
	    cmocka_unit_test(test_settings_stay_if_the_delay_is_refused),
	};

	log_init("test", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests_name("persist_measured", tests, NULL, NULL);
}
