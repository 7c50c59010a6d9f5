/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an RBridge makes of saved and initial settings that do not fit or contradict each other.
 * The provider is dcbd's own, without its thread.
 */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/managed_conf.h"
#include "control/persist.h"
#include "lib/log.h"

#define OWN      "dcbTrillNickname"
#define ROOT     "dcbTrillTreeRoot"
#define MODE     "dcbTrillPortMode"
#define TREE     "dcbTrillNextHopTree"
#define H_STATUS "dcbTrillNextHopRowStatus"
#define ENTRIES  "dcbTrillEgressEntries"
#define S_PORT   "dcbStaticUnicastPort"
#define S_STATUS "dcbStaticUnicastRowStatus"
#define NICKNAME "dcbTrillEgressNickname"
#define E_STATUS "dcbTrillEgressRowStatus"
#define X        "10.2.0.0.0.0.33" /* VLAN 10, address 02-00-00-00-00-21 */
#define Y        "10.2.0.0.0.0.34"
#define A3       "3.256.2.0.0.0.1.3"

/* Starts an RBridge without ports. */
static void start(struct mo_world *w)
{
	struct provider_soft_params params = managed_conf_soft(&w->conf, w->conf.role, true, 1);
	char err[256];
	struct provider *soft = provider_soft_new(&params, err, sizeof(err));
	struct provider_refusal why;

	assert_non_null(soft);
	w->m = managed_conf_new(&w->conf, &soft, 1);
	assert_non_null(w->m);
	assert_true(managed_release(w->m, &why));
	w->service = mo_service_new(w->m, w->state, 7);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
}

static void stop(struct mo_world *w)
{
	mo_session_free(w->session);
	mo_service_free(w->service);
	managed_free(w->m);
}

static void add(struct mo_world *w, uint32_t ifindex, const char *name)
{
	struct port_settings settings = w->conf.port_default;
	struct link_info link = mo_world_link(ifindex, name, "");
	char err[256];

	settings.memory = true;
	if (!managed_port_add(w->m, &link, &settings, err, sizeof(err)))
		fail_msg("%s", err);
	mo_world_adopt(w);
}

/* Restarts, with ports 3 and 5; log gets the warnings. */
static void restart(struct mo_world *w, char *log, size_t size)
{
	enum persist_result result;
	struct log_capture c;
	char err[256] = "";

	stop(w);
	start(w);
	add(w, 3, "sw3");
	add(w, 5, "sw5");
	log_init("prog", LOG_LEVEL_WARN, true);
	c = log_capture();
	result = persist_load(w->m, w->state, false, err, sizeof(err));
	log_captured(&c, log, size);
	log_level = LOG_LEVEL_ERROR;
	if (result != PERSIST_LOADED)
		fail_msg("%s", err);
	mo_world_adopt(w);
}

/* An RBridge with nickname 1 and trunk port 3. */
static struct mo_world *make(uint32_t fdb_entries)
{
	struct mo_world *w = calloc(1, sizeof(*w));

	conf_init(&w->conf);
	w->conf.role = ROLE_RBRIDGE;
	w->conf.fdb_entries = fdb_entries;
	snprintf(w->dir, sizeof(w->dir), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->state, sizeof(w->state), "%s/state", w->dir);
	start(w);
	add(w, 3, "sw3");
	add(w, 5, "sw5");
	assert_int_equal(SET(w, {OWN, "0", "1"}, {MODE, "3", "hybrid"},
			     {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"}),
			 MO_NO_ERROR);
	return w;
}

static void end(struct mo_world *w)
{
	stop(w);
	conf_free(&w->conf);
	unlink(w->state);
	rmdir(w->dir);
	free(w);
}

/* Adds entries of nickname 256 to dcbTrillEgressTable, and saves them by a SET. */
static void put_egress(struct mo_world *w, uint32_t n)
{
	struct dcb_config *config = dcb_config_copy(w->m->config);
	struct provider_refusal why;

	for (uint64_t i = 1; i <= n; i++)
		assert_true(trill_egress_put(
		    &config->trill_egress, &(struct trill_egress){(UINT64_C(20) << 48) + i, 256}));
	dcb_config_compute_oper(config);
	assert_true(managed_publish(w->m, config, &why));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {"dcbTrillHopCount", "0", "9"}), MO_NO_ERROR);
}

static void put_static(struct mo_world *w, const char *port, unsigned n)
{
	for (unsigned i = 1; i <= n; i++) {
		char index[40];

		snprintf(index, sizeof(index), "30.2.0.0.0.%s.%u", port, i);
		assert_int_equal(SET(w, {"dcbStaticUnicastPort", index, port},
				     {"dcbStaticUnicastRowStatus", index, "createAndGo"}),
				 MO_NO_ERROR);
	}
}

static void assert_logged(const char *log, const char *text)
{
	if (!strstr(log, text))
		fail_msg("log \"%s\": expected \"%s\"", log, text);
}

/* bridge.fdb_entries was reduced: only the egress entries are lost. */
static void test_egress_entries_without_room_are_not_restored(void **state)
{
	struct mo_world *w = make(2048);
	char log[4096];

	(void)state;
	put_egress(w, 600);
	put_static(w, "5", 3);
	restart(w, log, sizeof(log));
	assert_value(w, ENTRIES, "0", "600");
	assert_string_equal(log, "");
	w->conf.fdb_entries = 1024;
	restart(w, log, sizeof(log));
	assert_logged(log, "the rows of dcbTrillEgressTable are not restored: expected at most ");
	assert_value(w, ENTRIES, "0", "0");
	assert_value(w, OWN, "0", "1");
	assert_value(w, "dcbTrillHopCount", "0", "9");
	assert_column(w, TREE, A3 "=true");
	assert_column(w, "dcbStaticUnicastPort",
		      "30.2.0.0.0.5.1=5 30.2.0.0.0.5.2=5 30.2.0.0.0.5.3=5");
	/* The next SET saves the settings in force. */
	assert_int_equal(SET(w, {"dcbTrillHopCount", "0", "8"}), MO_NO_ERROR);
	restart(w, log, sizeof(log));
	assert_string_equal(log, "");
	end(w);
}

/* Static entries alone have no room: their port has defaults, as in a bridge. */
static void test_port_of_static_entries_without_room_has_defaults(void **state)
{
	struct mo_world *w = make(128);
	char log[4096];

	(void)state;
	put_egress(w, 4);
	put_static(w, "5", 20);
	w->conf.fdb_entries = 32;
	restart(w, log, sizeof(log));
	assert_logged(log, "sw5: its settings are not restored: expected at most 16 static");
	assert_null(strstr(log, "dcbTrill"));
	assert_value(w, ENTRIES, "0", "4");
	assert_column(w, TREE, A3 "=true");
	assert_column(w, "dcbStaticUnicastPort", "");
	end(w);
}

/* --- static entries and egress entries ------------------------------------------------------- */

static void assert_reason(const struct mo_world *w, unsigned bad)
{
	assert_int_equal(w->bad, bad);
	assert_string_equal(w->reason,
			    "expected an entry in dcbStaticUnicastTable, as that of port sw5, or "
			    "in dcbTrillEgressTable, as that of nickname 256, not in both");
}

static void test_set_gives_an_address_to_a_port_or_an_rbridge(void **state)
{
	struct mo_world *w = make(64), *bridge;

	(void)state;
	assert_int_equal(SET(w, {S_PORT, X, "5"}, {S_STATUS, X, "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(
	    SET(w, {MODE, "5", "hybrid"}, {NICKNAME, X, "256"}, {E_STATUS, X, "createAndGo"}),
	    MO_INCONSISTENT_VALUE);
	assert_reason(w, 2);
	assert_int_equal(SET(w, {NICKNAME, Y, "256"}, {E_STATUS, Y, "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {S_PORT, Y, "5"}, {S_STATUS, Y, "createAndGo"}),
			 MO_INCONSISTENT_VALUE);
	assert_reason(w, 1);
	/* Both rows change places in one SET. */
	assert_int_equal(SET(w, {S_STATUS, X, "destroy"}, {E_STATUS, Y, "destroy"},
			     {S_PORT, Y, "5"}, {S_STATUS, Y, "createAndGo"}, {NICKNAME, X, "256"},
			     {E_STATUS, X, "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, S_PORT, Y "=5");
	assert_column(w, NICKNAME, X "=256");
	/* Both in one SET. */
	assert_int_equal(SET(w, {S_STATUS, Y, "destroy"}, {E_STATUS, X, "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {S_PORT, X, "5"}, {S_STATUS, X, "createAndGo"},
			     {NICKNAME, X, "256"}, {E_STATUS, X, "createAndGo"}),
			 MO_INCONSISTENT_VALUE);
	assert_reason(w, 1);
	assert_column(w, S_PORT, "");
	end(w);
	/* In a bridge egress entries have no effect. */
	bridge = mo_world_new(ROLE_BRIDGE);
	assert_int_equal(SET(bridge, {S_PORT, X, "5"}, {S_STATUS, X, "createAndGo"},
			     {NICKNAME, X, "256"}, {E_STATUS, X, "createAndGo"}),
			 MO_NO_ERROR);
	mo_world_restart(bridge);
	mo_world_add_port(bridge, 5, "sw5", "uplink");
	mo_world_load(bridge);
	assert_column(bridge, S_PORT, X "=5");
	mo_world_free(bridge);
}

/* While the interface was away, its address was set behind an RBridge. */
static void test_returning_interface_loses_an_address(void **state)
{
	struct mo_world *w = make(64);
	struct log_capture c;
	char log[4096];

	(void)state;
	assert_int_equal(SET(w, {S_PORT, X, "5"}, {S_STATUS, X, "createAndGo"}, {S_PORT, Y, "5"},
			     {S_STATUS, Y, "createAndGo"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {NICKNAME, X, "256"}, {E_STATUS, X, "createAndGo"}), MO_NO_ERROR);
	/* It is back at a restart: the state file has both. */
	restart(w, log, sizeof(log));
	assert_string_equal(log,
			    "<4>prog: mo: sw5: a static entry is not set: dcbTrillEgressTable "
			    "has the address, of nickname 256\n");
	assert_column(w, S_PORT, Y "=5");
	/* It is back while dcbd runs. */
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {NICKNAME, Y, "256"}, {E_STATUS, Y, "createAndGo"}), MO_NO_ERROR);
	log_init("prog", LOG_LEVEL_WARN, true);
	c = log_capture();
	add(w, 5, "sw5");
	log_captured(&c, log, sizeof(log));
	log_level = LOG_LEVEL_ERROR;
	assert_logged(log, "sw5: a static entry is not set");
	assert_column(w, S_PORT, "");
	assert_column(w, NICKNAME, X "=256 " Y "=256");
	end(w);
}

/* --- initial settings ----------------------------------------------------------------------- */

struct initial_row {
	const char *object, *index, *port, *value;
};

/* Applies "initial" of dcbd.conf, with its entries on lines 1, 2 ...; log gets the warnings. */
static void initial(struct mo_world *w, const struct initial_row *rows, size_t n, char *log,
		    size_t size)
{
	static struct conf conf;
	struct log_capture c;
	char err[512] = "";
	bool ok;

	memset(&conf, 0, sizeof(conf));
	for (; conf.n_initial < n; conf.n_initial++)
		conf.initial[conf.n_initial] = (struct conf_initial){
		    .object = (char *)(uintptr_t)rows[conf.n_initial].object,
		    .index = (char *)(uintptr_t)rows[conf.n_initial].index,
		    .port = (char *)(uintptr_t)rows[conf.n_initial].port,
		    .value = (char *)(uintptr_t)rows[conf.n_initial].value,
		    .line = (unsigned)conf.n_initial + 1,
		};
	log_init("prog", LOG_LEVEL_WARN, true);
	c = log_capture();
	ok = persist_initial(w->m, &conf, err, sizeof(err));
	log_captured(&c, log, size);
	log_level = LOG_LEVEL_ERROR;
	if (!ok)
		fail_msg("%s", err);
	mo_world_adopt(w);
}

/* The interface of the tree is absent: the RBridge starts with its other settings. */
static void test_initial_root_may_be_behind_an_absent_interface(void **state)
{
	static const struct initial_row rows[] = {
	    {ROOT, "0", NULL, "512"},
	    {H_STATUS, "*.512.2.0.0.0.1.9", "sw9", "createAndGo"},
	    {TREE, "*.512.2.0.0.0.1.9", "sw9", "true"},
	    {"dcbTrillHopCount", "0", NULL, "9"},
	};
	struct mo_world *w = make(64);
	char log[4096];

	(void)state;
	initial(w, rows, sizeof(rows) / sizeof(rows[0]), log, sizeof(log));
	assert_logged(log,
		      "<4>prog: conf: line 1: initial: tree root 512: expected 0, the own "
		      "nickname 1, or the nickname of a next hop");
	assert_value(w, ROOT, "0", "512");
	assert_value(w, "dcbTrillHopCount", "0", "9");
	/* SETs refuse another wrong root, and no other values. */
	assert_int_equal(SET(w, {ROOT, "0", "300"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {"dcbTrillHopCount", "0", "8"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {ROOT, "0", "256"}), MO_NO_ERROR);
	initial(w, (const struct initial_row[]){{ROOT, "0", NULL, "1"}}, 1, log, sizeof(log));
	assert_string_equal(log, "");
	end(w);
}

static void test_initial_static_entry_gives_way_to_an_egress_entry(void **state)
{
	static const struct initial_row rows[] = {
	    {S_PORT, X, "sw5", "*"},
	    {S_PORT, Y, "sw5", "*"},
	    {NICKNAME, X, NULL, "256"},
	    {E_STATUS, X, NULL, "createAndGo"},
	};
	struct mo_world *w = make(64);
	char log[4096];

	(void)state;
	initial(w, rows, sizeof(rows) / sizeof(rows[0]), log, sizeof(log));
	assert_logged(log, "sw5: a static entry is not set");
	assert_column(w, S_PORT, Y "=5");
	assert_column(w, NICKNAME, X "=256");
	end(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_egress_entries_without_room_are_not_restored),
	    cmocka_unit_test(test_port_of_static_entries_without_room_has_defaults),
	    cmocka_unit_test(test_set_gives_an_address_to_a_port_or_an_rbridge),
	    cmocka_unit_test(test_returning_interface_loses_an_address),
	    cmocka_unit_test(test_initial_static_entry_gives_way_to_an_egress_entry),
	    cmocka_unit_test(test_initial_root_may_be_behind_an_absent_interface),
	};

	log_init("test_trill_restore", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
