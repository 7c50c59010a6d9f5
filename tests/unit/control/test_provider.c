/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several providers in one system, by the control protocol: a change that one of them
 * refuses or fails to commit is in no port, no provider and no state file, and the answer
 * says why.
 */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "control/objects/mo_bind.h"
#include "control/managed_conf.h"

#define ENABLE    "dcbPfcPriorityEnable"
#define ALLOWANCE "ieee8021PfcLinkDelayAllowance"
#define WATCHDOG  "dcbPfcWatchdogAction"

/* --- state before and after a change ------------------------------------------------------ */

struct snapshot {
	char *state; /* the state file */
	const struct dcb_config *config;
	unsigned n_published[MO_WORLD_PROVIDERS];
};

static char *read_state(const struct mo_world *w)
{
	char *text = calloc(1, 65536);
	FILE *f = fopen(w->state, "re");

	if (f) {
		assert_true(fread(text, 1, 65535, f) < 65535);
		fclose(f);
	}
	return text;
}

static struct snapshot take_snapshot(struct mo_world *w)
{
	struct snapshot s = {.state = read_state(w), .config = w->m->config};

	for (unsigned i = 0; i < w->n_providers; i++)
		s.n_published[i] = mo_world_provider(w, i)->n_published;
	return s;
}

/* The providers' configurations are those of the managed objects. */
static void check_in_force(struct mo_world *w)
{
	unsigned ports = 0;

	for (unsigned i = 0; i < w->n_providers; i++) {
		const struct dcb_config *c = mo_world_provider(w, i)->published;

		assert_null(mo_world_provider(w, i)->prepared);
		assert_non_null(c);
		assert_memory_equal(c->com_pri, w->m->config->com_pri, sizeof(c->com_pri));
		assert_int_equal(c->cnpv_acting, w->m->config->cnpv_acting);
		ports += (unsigned)c->n_ports;
		for (size_t k = 0; k < c->n_ports; k++) {
			size_t pos = managed_find(w->m, c->ports[k].port->link.ifindex);

			assert_ptr_equal(c->ports[k].port->provider,
					 &mo_world_provider(w, i)->provider);
			assert_true(pos < w->m->config->n_ports);
			assert_ptr_equal(c->ports[k].config, w->m->config->ports[pos].config);
			assert_memory_equal(&c->ports[k].oper, &w->m->config->ports[pos].oper,
					    sizeof(c->ports[k].oper));
		}
	}
	assert_int_equal(ports, w->m->config->n_ports);
}

static void check_state(const struct mo_world *w, const char *expected)
{
	char *state = read_state(w);

	assert_string_equal(state, expected);
	free(state);
}

/* Nothing is changed, and no provider has been given a configuration. */
static void check_untouched(struct mo_world *w, struct snapshot *s)
{
	assert_ptr_equal(w->m->config, s->config);
	for (unsigned i = 0; i < w->n_providers; i++)
		assert_int_equal(mo_world_provider(w, i)->n_published, s->n_published[i]);
	check_in_force(w);
	check_state(w, s->state);
	free(s->state);
}

/* Settings on all three ports. */
static struct mo_world *make_world(unsigned providers)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, providers);

	assert_int_equal(
	    SET(w, {ALLOWANCE, "3", "33"}, {ALLOWANCE, "5", "55"}, {ALLOWANCE, "9", "99"}),
	    MO_NO_ERROR);
	check_in_force(w);
	return w;
}

/* --- ports of each provider ---------------------------------------------------------------- */

static void test_each_provider_has_its_ports(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= MO_WORLD_PROVIDERS; n++) {
		struct mo_world *w = make_world(n);

		assert_int_equal(w->provider.published->n_ports, n == 1 ? 3 : 1);
		assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
		check_in_force(w);
		assert_column(w, "ieee8021CnCpidToIfIfIndex",
			      "2.0.0.0.0.3.0.3=3 2.0.0.0.0.3.0.11=5 2.0.0.0.0.3.0.19=9");
		assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
		mo_world_adopt(w);
		check_in_force(w);
		mo_world_add_port(w, 5, "sw5", "uplink");
		assert_value(w, ALLOWANCE, "5", "55");
		check_in_force(w);
		mo_world_free(w);
	}
}

static void test_unknown_provider_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(7, "sw7", "");
	struct port_settings settings = {.provider = "absent"};
	char err[128];

	(void)state;
	assert_false(managed_port_add(w->m, &link, &settings, err, sizeof(err)));
	assert_string_equal(err, "sw7: unknown provider \"absent\"");
	mo_world_free(w);
}

static void test_dcb_agent_provider_lists_names(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);

	(void)state;
	assert_column(w, "dcbAgentProvider", "0=fake, other");
	mo_world_free(w);
}

/* --- refusals ----------------------------------------------------------------------------- */

static bool has_no_pfc_on_7(const struct dcb_config_port *at)
{
	return !(at->oper.pfc_enable & 0x80);
}

static bool has_little_delay(const struct dcb_config_port *at)
{
	return at->config->pfc_link_delay_allowance < 1000;
}

static bool is_not_administered(const struct dcb_config_port *at)
{
	return at->config->port_pri[4].cnpd_def_mode_choice != CPC_ADMIN;
}

static void test_refusal_has_reason_varbind_and_text(void **state)
{
	static const struct {
		enum provider_reason reason;
		enum mo_error error;
	} reasons[] = {
	    {PROVIDER_NO_RESOURCE, MO_RESOURCE_UNAVAILABLE},
	    {PROVIDER_CANNOT, MO_INCONSISTENT_VALUE},
	};

	(void)state;
	for (unsigned n = 1; n <= MO_WORLD_PROVIDERS; n++) {
		for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
			struct mo_world *w = make_world(n);
			struct fake_provider *last = mo_world_provider(w, n - 1);
			struct snapshot before = take_snapshot(w);

			last->accepts = has_no_pfc_on_7;
			last->refusal = reasons[i].reason;
			last->about = PROVIDER_PFC;
			assert_int_equal(SET(w, {ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"},
					     {ENABLE, "9.7", "true"}, {ENABLE, "3.1", "true"}),
					 reasons[i].error);
			assert_int_equal(w->bad, 3);
			assert_string_equal(w->reason, "sw9: fake cannot: expected another");
			check_untouched(w, &before);
			assert_value(w, ENABLE, "9.7", "false");
			assert_value(w, ALLOWANCE, "3", "33");
			assert_int_equal(SET(w, {ENABLE, "9.6", "true"}), MO_NO_ERROR);
			check_in_force(w);
			mo_world_free(w);
		}
	}
}

/* If the provider does not name an object, the error index is that of a varbind of the port. */
static void test_refusal_without_subject(void **state)
{
	struct mo_world *w = make_world(2);

	(void)state;
	w->others[0].accepts = has_no_pfc_on_7;
	assert_int_equal(SET(w, {ENABLE, "3.7", "true"}, {ENABLE, "9.7", "true"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	w->others[0].names_no_port = true;
	assert_int_equal(SET(w, {ENABLE, "3.7", "true"}, {ENABLE, "9.7", "true"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 0);
	assert_string_equal(w->reason, "fake cannot: expected another");
	mo_world_free(w);
}

/* If the cause is an object common to all ports, the error index is that object's varbind. */
static void test_refusal_of_object_common_to_ports(void **state)
{
	struct mo_world *w = make_world(2);
	struct snapshot before = take_snapshot(w);
	struct log_capture c;

	(void)state;
	w->others[0].accepts = is_not_administered;
	c = log_watch(LOG_LEVEL_WARN);
	assert_int_equal(SET(w, {ENABLE, "3.1", "true"},
			     {"ieee8021CnComPriCreation", "1.4", "cncpAutoDisable"},
			     {STATUS, "1.4", "createAndGo"}),
			 MO_INCONSISTENT_VALUE);
	log_expect(&c,
		   "<4>prog: provider: SET refused: inconsistentValue: sw5: "
		   "fake cannot: expected another\n");
	assert_int_equal(w->bad, 2);
	check_untouched(w, &before);
	mo_world_free(w);
}

/* The provider accepts the change in TestSet and refuses it in CommitSet. */
static void test_refusal_between_test_and_commit(void **state)
{
	static const char *const set[][3] = {{ENABLE, "3.7", "true"}, {ENABLE, "9.7", "true"}};
	struct mo_world *w = make_world(2);
	struct snapshot before;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	before = take_snapshot(w);
	w->others[0].accepts = has_no_pfc_on_7;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	check_untouched(w, &before);
	mo_world_free(w);
}

/* --- failed commits ----------------------------------------------------------------------- */

static void fail_next_commit(struct fake_provider *f, uint32_t ifindex)
{
	f->fail_commits = 1;
	f->fail_ifindex = ifindex;
}

static void test_commit_fails_at_each_port(void **state)
{
	static const char *const set[][3] = {
	    {ALLOWANCE, "3", "34"},
	    {ALLOWANCE, "5", "56"},
	    {ALLOWANCE, "9", "98"},
	    {STATUS, "1.4", "createAndGo"},
	};
	static const uint32_t ports[] = {3, 5, 9};

	(void)state;
	for (unsigned n = 1; n <= MO_WORLD_PROVIDERS; n++) {
		for (unsigned i = 0; i < n; i++) {
			struct mo_world *w = make_world(n);
			char *file = read_state(w);

			assert_int_equal(mo_world_test(w, set, 4), MO_NO_ERROR);
			fail_next_commit(mo_world_provider(w, i), ports[i]);
			assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
			assert_int_equal(w->bad, i + 1);
			assert_non_null(strstr(w->reason, ": fake does not obey"));
			assert_int_equal(mo_world_provider(w, i)->n_failed, 1);
			check_in_force(w);
			check_state(w, file);
			assert_column(w, STATUS, "");
			assert_column(w, ALLOWANCE, "3=33 5=55 9=99");
			/* The master sends UndoSet; there is nothing left to undo. */
			assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
			check_state(w, file);
			mo_world_adopt(w);
			check_in_force(w);
			assert_int_equal(mo_world_set(w, set, 4), MO_NO_ERROR);
			assert_column(w, ALLOWANCE, "3=34 5=56 9=98");
			check_in_force(w);
			free(file);
			mo_world_free(w);
		}
	}
}

/* The last provider fails, and the first cannot be restored: UNDO tries again. */
static void test_undo_retries_failed_restore(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};

	(void)state;
	for (unsigned failures = 1; failures <= 2; failures++) {
		struct mo_world *w = make_world(3);
		char *file = read_state(w);

		assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
		fail_next_commit(&w->others[1], 9);
		w->provider.fail_after = 1;
		w->provider.fail_commits = failures;
		assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
		assert_string_equal(w->reason,
				    "sw9: fake does not obey; not undone yet: "
				    "fake does not obey");
		assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
		assert_int_equal(mo_world_phase(w, MO_OP_UNDO),
				 failures == 1 ? MO_NO_ERROR : MO_UNDO_FAILED);
		check_state(w, file);
		/* The next configuration that is published is complete in all providers. */
		assert_int_equal(SET(w, {ENABLE, "5.1", "true"}), MO_NO_ERROR);
		check_in_force(w);
		assert_column(w, ALLOWANCE, "3=33 5=55 9=99");
		free(file);
		mo_world_free(w);
	}
}

/* Without UNDO the end of the session undoes the change. */
static void test_half_committed_session_ends(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	fail_next_commit(&w->others[0], 9);
	w->provider.fail_after = 1;
	w->provider.fail_commits = 1;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	check_in_force(w);
	mo_world_free(w);
}

/* Nor does it keep the others from setting: the next COMMIT undoes the change first. */
static void test_half_committed_session_is_overtaken(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);
	struct mo_session *silent = w->session, *other = mo_session_new(w->service, MO_MAY_ALL);
	uint32_t txid;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	fail_next_commit(&w->others[0], 9);
	w->provider.fail_after = 1;
	w->provider.fail_commits = 1;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
	txid = w->txid;
	mo_service_overdue(w->service);
	w->session = other;
	assert_int_equal(SET(w, {ENABLE, "5.1", "true"}), MO_NO_ERROR);
	check_in_force(w);
	assert_column(w, ALLOWANCE, "3=33 5=55 9=99");
	w->session = silent;
	w->txid = txid;
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR); /* it is undone */
	assert_value(w, ENABLE, "5.1", "true");
	mo_session_free(other);
	mo_world_free(w);
}

static void test_undo_that_is_refused(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "9", "100"}};
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "9", "5000"}), MO_NO_ERROR);
	assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	w->others[0].accepts = has_little_delay;
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_UNDO_FAILED);
	check_in_force(w);
	assert_value(w, ALLOWANCE, "9", "100");
	mo_world_restart(w);
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_value(w, ALLOWANCE, "9", "100");
	mo_world_free(w);
}

/* If UNDO fails to commit, the state file is restored to the configuration in force. */
static void test_undo_that_fails_to_commit(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);
	char *file;

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	file = read_state(w);
	fail_next_commit(&w->others[0], 9);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_UNDO_FAILED);
	check_in_force(w);
	check_state(w, file);
	assert_value(w, ALLOWANCE, "3", "34");
	free(file);
	mo_world_free(w);
}

/* --- removed ports ------------------------------------------------------------------------ */

static void test_port_vanishes_between_test_and_commit(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}};
	struct mo_world *w = make_world(2);

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_INCONSISTENT_NAME);
	assert_int_equal(w->bad, 2);
	mo_world_phase(w, MO_OP_CLEANUP);
	mo_world_adopt(w);
	check_in_force(w);
	assert_column(w, ALLOWANCE, "3=33 5=55");
	mo_world_add_port(w, 9, "sw9", "");
	assert_value(w, ALLOWANCE, "9", "99");
	mo_world_free(w);
}

/*
 * UNDO restores the ports that exist: those at another position since a port was closed, and
 * one that has returned. A new port keeps its settings.
 */
static void test_ports_come_and_go_between_commit_and_undo(void **state)
{
	static const char *const set[][3] = {{ALLOWANCE, "3", "34"},
					     {ALLOWANCE, "5", "56"},
					     {ALLOWANCE, "9", "98"},
					     {STATUS, "1.4", "createAndGo"}};
	struct mo_world *w = make_world(3);

	(void)state;
	assert_true(managed_port_remove(w->m, managed_find(w->m, 3)));
	mo_world_adopt(w);
	assert_int_equal(mo_world_test(w, set + 1, 3), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 7, "sw7", "");
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_adopt(w);
	mo_world_add_port(w, 9, "sw9", "");
	assert_column(w, ALLOWANCE, "3=33 7=0 9=98");
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	mo_world_adopt(w);
	check_in_force(w);
	assert_column(w, ALLOWANCE, "3=33 7=0 9=99");
	assert_ptr_equal(w->m->config->ports[1].config, w->m->config->fresh);
	mo_world_free(w);
}

/* The provider notices in its commit that the interface is gone. */
static void test_port_vanishes_between_prepare_and_commit(void **state)
{
	struct mo_world *w = make_world(2);

	(void)state;
	fail_next_commit(&w->others[0], 9);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"}), MO_COMMIT_FAILED);
	assert_int_equal(w->bad, 2);
	check_in_force(w);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_adopt(w);
	check_in_force(w);
	assert_int_equal(w->others[0].n_open, 1);
	mo_world_free(w);
}

static void test_port_whose_removal_fails_is_still_there(void **state)
{
	struct mo_world *w = make_world(2);
	struct log_capture c;

	(void)state;
	fail_next_commit(&w->others[0], 9);
	c = log_watch(LOG_LEVEL_WARN);
	assert_false(managed_port_remove(w->m, managed_find(w->m, 9)));
	log_expect(&c,
		   "<3>prog: port: sw9: port not removed: "
		   "fake does not obey\n");
	check_in_force(w);
	assert_null(w->m->parked);
	assert_value(w, ALLOWANCE, "9", "99");
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_free(w);
}

/* --- added interfaces --------------------------------------------------------------------- */

static void test_refused_interface_is_retried(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);
	struct link_info link = mo_world_link(9, "sw9", "");
	struct port_settings settings = {.provider = "other"};
	char err[256];

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "9", "5000"}), MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_adopt(w);
	w->others[0].accepts = has_little_delay;
	for (unsigned i = 0; i < 2; i++) {
		assert_false(managed_port_add(w->m, &link, &settings, err, sizeof(err)));
		assert_string_equal(err, "sw9: fake cannot: expected another");
		assert_int_equal(w->others[0].n_open, 1);
		check_in_force(w);
	}
	w->others[0].accepts = NULL;
	mo_world_add_port(w, 9, "sw9", "");
	assert_value(w, ALLOWANCE, "9", "5000");
	mo_world_free(w);
}

/*
 * Another provider fails when a port is added: the port's own provider has committed it, and
 * may read it until it has adopted the restored or a later configuration.
 */
static void test_port_not_added_if_another_provider_fails(void **state)
{
	(void)state;
	for (unsigned failures = 0; failures <= 1; failures++) {
		struct mo_world *w = make_world(2);
		struct link_info link = mo_world_link(7, "sw7", "");
		struct port_settings settings = {.provider = "fake"};
		char err[256];

		fail_next_commit(&w->others[0], 9);
		w->provider.fail_after = 1;
		w->provider.fail_commits = failures;
		assert_false(managed_port_add(w->m, &link, &settings, err, sizeof(err)));
		assert_memory_equal(err, "sw7: sw9: fake does not obey", 28);
		assert_int_equal(w->provider.n_open, 2);
		assert_int_equal(w->provider.published->n_ports, 1 + failures);
		mo_world_adopt(w);
		assert_int_equal(w->provider.n_open, 1 + failures);
		assert_int_equal(SET(w, {ENABLE, "5.1", "true"}), MO_NO_ERROR);
		assert_int_equal(w->provider.n_open, 1);
		check_in_force(w);
		mo_world_add_port(w, 7, "sw7", "");
		check_in_force(w);
		mo_world_free(w);
	}
}

/* The provider refuses the settings parked under a new alias: the port keeps its own. */
static void test_refused_settings_stay_parked(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);
	struct link_info link = mo_world_link(5, "sw5", "uplink");

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "5", "5000"}), MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	mo_world_adopt(w);
	mo_world_add_port(w, 5, "sw5", "");
	w->others[0].accepts = has_little_delay;
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	assert_value(w, ALLOWANCE, "5", "0");
	check_in_force(w);
	w->others[0].accepts = NULL;
	link.alias[0] = '\0';
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	snprintf(link.alias, sizeof(link.alias), "uplink");
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	assert_value(w, ALLOWANCE, "5", "5000");
	mo_world_adopt(w);
	mo_world_free(w);
}

/* A provider refuses a port's settings in the state file: the other ports get theirs. */
static void test_refused_state_leaves_other_ports(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);

	(void)state;
	assert_int_equal(
	    SET(w, {ALLOWANCE, "9", "5000"}, {ALLOWANCE, "3", "5000"}, {ENABLE, "5.1", "true"}),
	    MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	w->others[0].accepts = has_little_delay;
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, ALLOWANCE, "3=5000 5=0 9=0");
	assert_value(w, ENABLE, "5.1", "true");
	check_in_force(w);
	mo_world_free(w);
}

static void test_release_fails_with_reason(void **state)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct link_info link = mo_world_link(3, "sw3", "");
	struct fake_provider fake;
	struct provider *const providers[] = {&fake.provider};
	struct provider_refusal why;
	struct managed *m;
	char err[128];

	(void)state;
	fake_provider_init(&fake);
	m = managed_conf_new(&conf, providers, 1);
	assert_true(managed_port_add(m, &link, &conf.port_default, err, sizeof(err)));
	assert_int_equal(fake.n_published, 0);
	assert_int_equal(fake.n_prepared, fake.n_aborted);
	fail_next_commit(&fake, 3);
	assert_false(managed_release(m, &why));
	assert_string_equal(managed_refusal_text(&why, err, sizeof(err)),
			    "sw3: fake does not obey");
	managed_free(m);
	assert_int_equal(fake.n_open, 0);
}

/* A new system with ports 1 to n, collected. memory: the ifIndex of a memory port. */
static struct managed *collect_ports(struct fake_provider *fake, unsigned n, unsigned memory)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct provider *const providers[] = {&fake->provider};
	struct managed *m = managed_conf_new(&conf, providers, 1);
	char err[256];

	assert_non_null(m);
	managed_collect(m);
	for (unsigned i = 1; i <= n; i++) {
		struct port_settings settings = conf.port_default;
		char name[16];
		struct link_info link;

		snprintf(name, sizeof(name), "sw%u", i);
		link = mo_world_link(i, name, "");
		settings.memory = i == memory;
		assert_true(managed_port_add(m, &link, &settings, err, sizeof(err)));
	}
	return m;
}

/* The cost of a start is not the square of the number of ports. */
static void test_start_asks_the_provider_twice_for_any_number_of_ports(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	m = collect_ports(&fake, 100, 0);
	assert_int_equal(fake.n_prepared, 0);
	assert_true(managed_collected(m, err, sizeof(err)));
	assert_int_equal(fake.n_prepared, 1);
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.n_prepared, 2);
	assert_int_equal(fake.n_published, 1);
	assert_int_equal(fake.published->n_ports, 100);
	assert_memory_equal(fake.published->system_address, m->address, sizeof(m->address));
	managed_free(m);
}

static bool is_not_second(const struct dcb_config_port *at)
{
	return at->port->link.ifindex != 2;
}

static bool is_not_first(const struct dcb_config_port *at)
{
	return at->port->link.ifindex != 1;
}

/* A new system with ports 1 to 3, of which the provider accepts those for which accepts is true. */
static struct managed *start_with_refusal(struct fake_provider *fake,
					  bool (*accepts)(const struct dcb_config_port *at),
					  char *log, size_t size)
{
	struct log_capture c;
	struct managed *m;
	char err[256];

	fake_provider_init(fake);
	fake->accepts = accepts;
	fake->refusal = PROVIDER_CANNOT;
	m = collect_ports(fake, 3, 0);
	c = log_capture();
	assert_true(managed_collected(m, err, sizeof(err)));
	log_captured(&c, log, size);
	return m;
}

/* Its address is not that of the system: another system can have the interface. */
static void test_first_port_refused_at_the_start_leaves_no_address(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char log[1024];

	(void)state;
	m = start_with_refusal(&fake, is_not_first, log, sizeof(log));
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.published->n_ports, 2);
	assert_memory_equal(fake.published->system_address, fake.published->ports[0].port->link.mac,
			    sizeof(m->address));
	managed_free(m);
}

static void test_port_refused_at_the_start_is_left_out(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char log[1024];

	(void)state;
	m = start_with_refusal(&fake, is_not_second, log, sizeof(log));
	assert_non_null(strstr(log, "error: port: sw2: "));
	assert_null(strstr(log, "sw1"));
	assert_null(strstr(log, "sw3"));
	assert_int_equal(fake.n_open, 2);
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.published->n_ports, 2);
	assert_int_equal(fake.published->ports[0].ifindex, 1);
	assert_int_equal(fake.published->ports[1].ifindex, 3);
	managed_free(m);
	assert_int_equal(fake.n_open, 0);
}

static void test_start_fails_if_a_memory_port_is_refused(void **state)
{
	struct fake_provider fake;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	fake.accepts = is_not_second;
	fake.refusal = PROVIDER_CANNOT;
	m = collect_ports(&fake, 3, 2);
	assert_false(managed_collected(m, err, sizeof(err)));
	assert_ptr_equal(strstr(err, "sw2: "), err);
	managed_free(m);
	assert_int_equal(fake.n_open, 0);
}

/* CNMs of a provider that is asked nothing have the system's address, too: 32.8.2. */
static void test_start_sets_the_address_without_prepare(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	fake.ops.prepare = NULL;
	m = collect_ports(&fake, 1, 0);
	assert_true(managed_collected(m, err, sizeof(err)));
	assert_true(managed_release(m, &why));
	assert_true(m->has_address);
	assert_memory_equal(fake.published->system_address, m->address, sizeof(m->address));
	managed_free(m);
}

/* dcbd is ready when no thread is missing; a provider without a thread adopts at once. */
static void test_all_providers_have_to_adopt_the_first_configuration(void **state)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct fake_provider fakes[MO_WORLD_PROVIDERS];
	struct provider *providers[MO_WORLD_PROVIDERS];
	struct provider_refusal why;
	struct managed *m;

	(void)state;
	for (unsigned i = 0; i < MO_WORLD_PROVIDERS; i++) {
		fake_provider_init(&fakes[i]);
		providers[i] = &fakes[i].provider;
	}
	fakes[2].ops.event_fd = NULL;
	m = managed_conf_new(&conf, providers, MO_WORLD_PROVIDERS);
	assert_false(managed_is_adopted(m));
	assert_true(managed_release(m, &why));
	assert_false(managed_is_adopted(m));
	managed_adopted(m, providers[0], m->generation);
	assert_false(managed_is_adopted(m));
	managed_adopted(m, providers[1], m->generation);
	assert_true(managed_is_adopted(m));
	managed_free(m);
}

/* --- another provider for a port ------------------------------------------------------------ */

#define S_PORT   "dcbStaticUnicastPort"
#define S_STATUS "dcbStaticUnicastRowStatus"
#define TREE     "dcbTrillNextHopTree"
#define H_STATUS "dcbTrillNextHopRowStatus"
#define X        "10.2.0.0.0.0.33" /* VLAN 10, address 02-00-00-00-00-21 */

/* Rules of a bridge's port must not stay in force on a port that has no objects for them. */
static void test_settings_without_objects_are_not_restored(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_RBRIDGE, 2);
	struct log_capture c;
	char log[1024];

	(void)state;
	assert_int_equal(
	    SET(w, {ALLOWANCE, "9", "99"}, {S_PORT, X, "9"}, {S_STATUS, X, "createAndGo"},
		{"dcbVlanPortIngressFiltering", "9", "true"}, {"dcbTrillPortMode", "9", "hybrid"},
		{H_STATUS, "9.256.2.0.0.0.1.3", "createAndGo"},
		{TREE, "9.256.2.0.0.0.1.3", "true"}),
	    MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_adopt(w);
	w->others[0].has = w->others[0].sets =
	    (uint16_t)(PROVIDER_CAPS_ALL & ~(PROVIDER_VLAN | PROVIDER_TRILL));
	c = log_watch(LOG_LEVEL_WARN);
	mo_world_add_port(w, 9, "sw9", "");
	log_watched(&c, log, sizeof(log));
	assert_string_equal(
	    log,
	    "<4>prog: mo: sw9: dcbVlanPortTable is not restored: provider \"other\" "
	    "cannot set it\n"
	    "<4>prog: mo: sw9: dcbStaticUnicastTable is not restored: provider \"other\" "
	    "cannot set it\n"
	    "<4>prog: mo: sw9: dcbTrillPortTable is not restored: provider \"other\" "
	    "cannot set it\n"
	    "<4>prog: mo: sw9: dcbTrillNextHopTable is not restored: provider \"other\" "
	    "cannot set it\n");
	assert_value(w, ALLOWANCE, "9", "99");
	/* Nothing that no manager can delete stands against these. */
	assert_int_equal(SET(w, {S_PORT, X, "3"}, {S_STATUS, X, "createAndGo"},
			     {"dcbTrillPortMode", "3", "hybrid"},
			     {H_STATUS, "3.256.2.0.0.0.1.3", "createAndGo"},
			     {TREE, "3.256.2.0.0.0.1.3", "true"}),
			 MO_NO_ERROR);
	assert_column(w, S_PORT, X "=3");
	check_in_force(w);
	mo_world_free(w);
}

/* --- capabilities ------------------------------------------------------------------------- */

/* sw9 has all capabilities but cap. */
static struct mo_world *world_without(uint16_t cap)
{
	struct mo_world *w = mo_world_of_providers(ROLE_STATION, 3);

	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_adopt(w);
	w->others[1].has = w->others[1].sets = (uint16_t)(PROVIDER_CAPS_ALL & ~cap);
	mo_world_add_port(w, 9, "sw9", "");
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	return w;
}

static void test_absent_objects_have_no_instance(void **state)
{
	static const struct {
		uint16_t cap;
		const char *object, *with, *index;
	} rows[] = {
	    {PROVIDER_CN, "ieee8021CnPortPriAlternatePriority", "1.3.5=0", "1.3.9"},
	    {PROVIDER_CN, "lldpXdot1CnConfigCnTxEnable", "5.1=false", "9.1"},
	    {PROVIDER_CP, QSP, "1.5.3=26000", "1.9.3"},
	    {PROVIDER_RP, "ieee8021CnRpPortPriMaxRps", "1.3.5=1", "1.3.9"},
	    {PROVIDER_RP, "ieee8021CnRpgEnable", "1.3.5.3=true", "1.3.9.3"},
	    {PROVIDER_PFC, ENABLE, "5.7=false", "9.7"},
	    {PROVIDER_PFC, "lldpXdot1dcbxAdminPFCWilling", "5=false", "9"},
	    {PROVIDER_HEADROOM, ALLOWANCE, "5=0", "9"},
	    {PROVIDER_HEADROOM, "dcbPfcHeadroomCableLength", "5=100", "9"},
	    {PROVIDER_WATCHDOG, WATCHDOG, "5.7=alert", "9.7"},
	    {PROVIDER_ETS, "lldpXdot1dcbxAdminETSConWilling", "5=false", "9"},
	    {PROVIDER_VLAN, "dcbVlanPortIngressFiltering", "5=false", "9"},
	    {PROVIDER_VLAN, "dcbVlanPortEgress", "5=1-1023", "9"},
	    {PROVIDER_TRILL, "dcbTrillPortMode", "5=access", "9"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mo_world *w = world_without(rows[i].cap);
		const struct mo_table *table;
		const struct mo_column *col = mo_column_by_name(rows[i].object, &table);
		struct mo_value value;
		char text[4096], absent[64];
		char *is;

		mo_world_column(w, rows[i].object, text, sizeof(text));
		if (!strstr(text, rows[i].with))
			fail_msg("%s: no %s in %s", rows[i].object, rows[i].with, text);
		snprintf(absent, sizeof(absent), " %s=", rows[i].index);
		assert_null(strstr(text, absent));
		/* The value of sw5 has the right type. */
		is = strchr(strstr(text, rows[i].with), '=') + 1;
		is[strcspn(is, " ")] = '\0';
		assert_true(mo_parse(col, is, &value));
		assert_int_equal(SET(w, {rows[i].object, rows[i].index, is}), MO_NO_CREATION);
		assert_int_equal(w->bad, 1);
		mo_world_free(w);
	}
}

/* A walk skips absent objects of a row that has others. */
static void test_absent_columns_are_left_out(void **state)
{
	struct mo_world *w = world_without(PROVIDER_FRAMES | PROVIDER_PFC_STATE | PROVIDER_CP);
	char text[256];

	(void)state;
	fake_port(w->m->config->ports[2].port)->stats.up = 1;
	assert_column(w, "dcbPortRxFrames", "3=0 5=0");
	assert_column(w, "dcbPortOperational", "3=false 5=false 9=true");
	mo_world_column(w, "dcbPortCounterDiscontinuityTime", text, sizeof(text));
	assert_non_null(strstr(text, " 9="));
	assert_column(w, "dcbPortName", "3=sw3 5=sw5 9=sw9");
	assert_column(w, ALLOWANCE, "3=0 5=0 9=0");
	assert_column(w, "ieee8021PfcRequests", "3=0 5=0");
	assert_column(w, "dcbPfcPortPauseIgnored", "3=0 5=0");
	assert_column(w, "ieee8021CnCpidToIfIfIndex", "2.0.0.0.0.3.0.3=3 2.0.0.0.0.3.0.11=5");
	assert_value(w, ENABLE, "9.7", "false");
	mo_world_free(w);
}

/* A walk of each table is in order whatever capability is absent. */
static void test_walk_is_in_order_without_capability(void **state)
{
	(void)state;
	for (unsigned bit = 0; 1u << bit <= PROVIDER_CAPS_ALL; bit++) {
		struct mo_world *w = world_without((uint16_t)(1u << bit));

		for (unsigned table = 0; table < MO_TABLES; table++) {
			struct mo_index at = {0}, last;
			struct mo_place place;

			for (last = at; mo_world_next(w, table, &at); last = at) {
				assert_true(mo_index_compare(&last, &at) < 0);
				assert_true(mo_bind_find(w->m, w->m->config,
							 (enum mo_table_id)table, &at, &place));
			}
		}
		mo_world_free(w);
	}
}

static void test_fixed_objects_are_not_writable(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 3);

	(void)state;
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_adopt(w);
	w->others[1].sets = PROVIDER_CAPS_ALL & ~PROVIDER_WATCHDOG;
	mo_world_add_port(w, 9, "sw9", "");
	assert_value(w, WATCHDOG, "9.1", "alert");
	assert_int_equal(SET(w, {WATCHDOG, "5.1", "drop"}, {WATCHDOG, "9.1", "drop"}),
			 MO_NOT_WRITABLE);
	assert_int_equal(w->bad, 2);
	assert_value(w, WATCHDOG, "5.1", "alert");
	mo_world_free(w);
}

/* A state file with settings of objects that the port does not have any more (12.21). */
static void test_state_of_absent_objects_is_ignored(void **state)
{
	struct mo_world *w = make_world(3);

	(void)state;
	mo_world_restart(w);
	w->others[1].has = PROVIDER_CAPS_ALL & ~PROVIDER_HEADROOM;
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, ALLOWANCE, "3=33");
	mo_world_free(w);
}

/* A dry run with thousands of ports: one configuration, whatever the order of the ports. */
static void test_dry_run_asks_the_provider_once(void **state)
{
	static const uint32_t ifindexes[] = {5, 3, 9, 4};
	const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct fake_provider fake;
	struct provider *const providers[] = {&fake.provider};
	struct provider_refusal why;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	m = managed_conf_new(&conf, providers, 1);
	assert_non_null(m);
	managed_collect(m);
	for (unsigned i = 0; i < 4; i++) {
		struct link_info link = mo_world_link(ifindexes[i], "sw", "");

		assert_true(managed_port_add(m, &link, &conf.port_default, err, sizeof(err)));
	}
	assert_int_equal(fake.n_prepared, 0);
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.n_prepared, 1);
	assert_int_equal(m->config->n_ports, 4);
	for (size_t pos = 0; pos < 4; pos++) {
		const struct port *port = m->config->ports[pos].port;

		assert_int_equal(managed_find(m, port->link.ifindex), pos);
		assert_int_equal(m->by_slot[port->slot], pos + 1);
		assert_true(pos == 0 ||
			    port->link.ifindex > m->config->ports[pos - 1].port->link.ifindex);
	}
	managed_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dry_run_asks_the_provider_once),
	    cmocka_unit_test(test_start_asks_the_provider_twice_for_any_number_of_ports),
	    cmocka_unit_test(test_start_sets_the_address_without_prepare),
	    cmocka_unit_test(test_port_refused_at_the_start_is_left_out),
	    cmocka_unit_test(test_first_port_refused_at_the_start_leaves_no_address),
	    cmocka_unit_test(test_start_fails_if_a_memory_port_is_refused),
	    cmocka_unit_test(test_each_provider_has_its_ports),
	    cmocka_unit_test(test_unknown_provider_is_an_error),
	    cmocka_unit_test(test_dcb_agent_provider_lists_names),
	    cmocka_unit_test(test_refusal_has_reason_varbind_and_text),
	    cmocka_unit_test(test_refusal_without_subject),
	    cmocka_unit_test(test_refusal_of_object_common_to_ports),
	    cmocka_unit_test(test_refusal_between_test_and_commit),
	    cmocka_unit_test(test_commit_fails_at_each_port),
	    cmocka_unit_test(test_undo_retries_failed_restore),
	    cmocka_unit_test(test_half_committed_session_ends),
	    cmocka_unit_test(test_half_committed_session_is_overtaken),
	    cmocka_unit_test(test_undo_that_is_refused),
	    cmocka_unit_test(test_undo_that_fails_to_commit),
	    cmocka_unit_test(test_port_vanishes_between_test_and_commit),
	    cmocka_unit_test(test_ports_come_and_go_between_commit_and_undo),
	    cmocka_unit_test(test_port_vanishes_between_prepare_and_commit),
	    cmocka_unit_test(test_port_whose_removal_fails_is_still_there),
	    cmocka_unit_test(test_refused_interface_is_retried),
	    cmocka_unit_test(test_port_not_added_if_another_provider_fails),
	    cmocka_unit_test(test_refused_settings_stay_parked),
	    cmocka_unit_test(test_all_providers_have_to_adopt_the_first_configuration),
	    cmocka_unit_test(test_settings_without_objects_are_not_restored),
	    cmocka_unit_test(test_refused_state_leaves_other_ports),
	    cmocka_unit_test(test_release_fails_with_reason),
	    cmocka_unit_test(test_absent_objects_have_no_instance),
	    cmocka_unit_test(test_absent_columns_are_left_out),
	    cmocka_unit_test(test_walk_is_in_order_without_capability),
	    cmocka_unit_test(test_fixed_objects_are_not_writable),
	    cmocka_unit_test(test_state_of_absent_objects_is_ignored),
	};

	log_init("test_provider", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
