/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reload of dcbd.conf removes and adds thousands of ports: each provider is asked once for all of
 * them, and each port gets its own settings back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/managed/managed_private.h"
#include "control/managed_conf.h"
#include "control/persist.h"
#include "lib/log.h"
#include "lib/rng.h"
#include "tests/unit/fake_provider.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#define N_PORTS 600

static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};

/* Two ports share an alias, others have one of their own or none. */
static struct link_info link_of(uint32_t ifindex)
{
	struct link_info link = mo_world_link(ifindex, "", "");

	snprintf(link.name, sizeof(link.name), "sw%u", ifindex);
	if (ifindex == 7 || ifindex == 8)
		snprintf(link.alias, sizeof(link.alias), "both");
	else if (ifindex % 2)
		snprintf(link.alias, sizeof(link.alias), "lane %u", ifindex);
	return link;
}

static void adopt(struct managed *m, const struct fake_provider *f)
{
	managed_adopted(m, &f->provider, m->generation);
}

/* Adds all ports that are missing. */
static bool add_all(struct managed *m)
{
	char err[256];

	managed_collect(m);
	for (uint32_t i = 1; i <= N_PORTS; i++) {
		struct link_info link = link_of(i);

		if (managed_find(m, i) == m->config->n_ports)
			assert_true(
			    managed_port_add(m, &link, &conf.port_default, err, sizeof(err)));
	}
	return managed_collected(m, err, sizeof(err));
}

static struct managed *start(struct fake_provider *f)
{
	struct provider *const providers[] = {&f->provider};
	struct provider_refusal why;
	struct managed *m;

	fake_provider_init(f);
	m = managed_conf_new(&conf, providers, 1);
	assert_non_null(m);
	assert_true(add_all(m));
	assert_true(managed_release(m, &why));
	adopt(m, f);
	return m;
}

/* Each port but the last one gets settings of its own. */
static struct managed *start_with_settings(struct fake_provider *f)
{
	struct managed *m = start(f);
	struct dcb_config *config = dcb_config_successor(m->config);
	struct provider_refusal why;

	for (size_t pos = 0; pos + 1 < N_PORTS; pos++)
		dcb_config_edit_port(config, pos)->pfc_link_delay_allowance =
		    1000 + config->ports[pos].ifindex;
	assert_true(managed_publish(m, config, &why));
	adopt(m, f);
	f->n_prepared = f->n_published = 0;
	return m;
}

static void assert_settings(const struct managed *m)
{
	assert_int_equal(m->config->n_ports, N_PORTS);
	for (size_t pos = 0; pos + 1 < N_PORTS; pos++)
		assert_int_equal(m->config->ports[pos].config->pfc_link_delay_allowance,
				 1000 + m->config->ports[pos].ifindex);
	assert_true(dcb_config_is_initial(m->config, N_PORTS - 1));
	for (size_t pos = 0; pos < N_PORTS; pos++)
		assert_int_equal(m->by_slot[m->config->ports[pos].port->slot], pos + 1);
}

static void remove_all(struct managed *m)
{
	struct dcb_positions all = {{0}};

	for (size_t pos = 0; pos < m->config->n_ports; pos++)
		dcb_positions_add(&all, pos);
	managed_ports_remove(m, &all);
}

static void test_all_ports_are_replaced_by_two_publications(void **state)
{
	struct fake_provider f;
	struct managed *m = start_with_settings(&f);

	(void)state;
	remove_all(m);
	assert_int_equal(m->config->n_ports, 0);
	assert_int_equal(f.n_prepared, 1);
	assert_int_equal(f.n_published, 1);
	assert_int_equal(f.n_open, N_PORTS); /* the provider may read them */
	assert_true(managed_is_closing(m));
	adopt(m, &f);
	assert_int_equal(f.n_open, 0);
	assert_int_equal(HASH_COUNT(m->absent), N_PORTS - 1);

	assert_true(add_all(m));
	assert_int_equal(f.n_prepared, 2);
	assert_int_equal(f.n_published, 2);
	assert_int_equal(f.n_open, N_PORTS);
	assert_null(m->absent);
	assert_settings(m);
	adopt(m, &f);
	managed_free(m);
	assert_int_equal(f.n_open, 0);
}

static void test_some_ports_are_replaced(void **state)
{
	struct fake_provider f;
	struct managed *m = start_with_settings(&f);
	struct dcb_positions some = {{0}};
	const struct port *stays = m->config->ports[1].port;

	(void)state;
	for (size_t pos = 0; pos < N_PORTS; pos += 3)
		dcb_positions_add(&some, pos);
	managed_ports_remove(m, &some);
	adopt(m, &f);
	assert_int_equal(m->config->n_ports, N_PORTS - N_PORTS / 3);
	assert_int_equal(f.n_open, N_PORTS - N_PORTS / 3);
	assert_ptr_equal(m->config->ports[0].port, stays);
	assert_true(add_all(m));
	assert_int_equal(f.n_published, 2);
	assert_settings(m);
	assert_ptr_equal(m->config->ports[1].port, stays);
	adopt(m, &f);
	managed_free(m);
}

/* The provider fails: they are removed one after another. */
static void test_failure_leaves_other_ports_removed(void **state)
{
	struct fake_provider f;
	struct managed *m = start_with_settings(&f);

	(void)state;
	f.fail_commits = 2; /* of all ports, and of the last one */
	f.fail_ifindex = N_PORTS;
	remove_all(m);
	adopt(m, &f);
	assert_int_equal(m->config->n_ports, 1);
	assert_int_equal(m->config->ports[0].ifindex, N_PORTS);
	assert_int_equal(HASH_COUNT(m->absent), N_PORTS - 1);
	assert_true(add_all(m));
	assert_settings(m);
	adopt(m, &f);
	managed_free(m);
}

static bool is_not_seventh(const struct dcb_config_port *at)
{
	return at->port->link.ifindex != 7;
}

/* A port that is refused keeps its settings for the next attempt. The others are added. */
static void test_refused_port_gets_its_settings_later(void **state)
{
	struct fake_provider f;
	struct managed *m = start_with_settings(&f);
	struct log_capture c;
	char log[1024];

	(void)state;
	remove_all(m);
	adopt(m, &f);
	f.accepts = is_not_seventh;
	f.refusal = PROVIDER_CANNOT;
	c = log_capture();
	assert_true(add_all(m));
	log_captured(&c, log, sizeof(log));
	assert_non_null(strstr(log, "error: port: sw7: "));
	assert_int_equal(m->config->n_ports, N_PORTS - 1);
	assert_int_equal(HASH_COUNT(m->absent), 1);
	f.accepts = NULL;
	adopt(m, &f);
	assert_int_equal(f.n_open, N_PORTS - 1);
	assert_true(add_all(m));
	assert_null(m->absent);
	assert_settings(m);
	adopt(m, &f);
	managed_free(m);
}

static bool is_not_one_of_three(const struct dcb_config_port *at)
{
	return at->ifindex != 7 && at->ifindex != 8 && at->ifindex != 500;
}

/* Each refused port costs one more publication. Two of them have the same alias. */
static void test_each_refused_port_costs_one_publication(void **state)
{
	struct fake_provider f;
	struct managed *m = start_with_settings(&f);
	struct log_capture c;
	char log[1024];

	(void)state;
	remove_all(m);
	adopt(m, &f);
	f.accepts = is_not_one_of_three;
	f.refusal = PROVIDER_CANNOT;
	f.n_prepared = f.n_published = 0;
	c = log_capture();
	assert_true(add_all(m));
	log_captured(&c, log, sizeof(log));
	assert_non_null(strstr(log, "error: port: sw7: "));
	assert_non_null(strstr(log, "error: port: sw8: "));
	assert_non_null(strstr(log, "error: port: sw500: "));
	assert_int_equal(f.n_published, 1);
	assert_int_equal(m->config->n_ports, N_PORTS - 3);
	assert_int_equal(HASH_COUNT(m->absent), 3);
	f.accepts = NULL;
	adopt(m, &f);
	assert_true(add_all(m));
	assert_null(m->absent);
	assert_settings(m);
	adopt(m, &f);
	managed_free(m);
}

/* The refusal names no port: each port is tried, and the refused ones get their own settings. */
static void test_refused_ports_of_one_alias_keep_their_own_settings(void **state)
{
	struct fake_provider f;
	struct managed *m = start_with_settings(&f);

	(void)state;
	remove_all(m);
	adopt(m, &f);
	f.accepts = is_not_one_of_three;
	f.names_no_port = true;
	f.n_published = 0;
	assert_true(add_all(m));
	assert_int_equal(f.n_published, N_PORTS - 3);
	assert_int_equal(HASH_COUNT(m->absent), 3);
	f.accepts = NULL;
	adopt(m, &f);
	assert_true(add_all(m));
	assert_settings(m);
	adopt(m, &f);
	managed_free(m);
}

/* --- a port that another provider refuses ---------------------------------------------------- */

static bool refuses_all(const struct dcb_config_port *at)
{
	(void)at;
	return false;
}

static void collect_one(struct managed *m, const char *provider, size_t n_ports)
{
	struct port_settings settings = conf.port_default;
	struct link_info link = link_of(1);
	char err[256];

	settings.provider = provider;
	managed_collect(m);
	assert_true(managed_port_add(m, &link, &settings, err, sizeof(err)));
	assert_true(managed_collected(m, err, sizeof(err)));
	assert_int_equal(m->config->n_ports, n_ports);
	for (unsigned i = 0; i < m->n_providers; i++)
		managed_adopted(m, m->providers[i], m->generation);
}

/* Settings that the provider cannot have are reset for that attempt only. */
static void test_refused_port_loses_no_setting_of_its_provider(void **state)
{
	struct fake_provider f, other;
	struct provider *const providers[] = {&f.provider, &other.provider};
	struct provider_refusal why;
	struct dcb_config *config;
	struct managed *m;

	(void)state;
	fake_provider_init(&f);
	fake_provider_init(&other);
	other.ops.name = "other";
	other.has &= ~(uint32_t)PROVIDER_VLAN;
	other.accepts = refuses_all;
	m = managed_conf_new(&conf, providers, 2);
	assert_true(managed_release(m, &why));
	collect_one(m, NULL, 1);
	config = dcb_config_successor(m->config);
	dcb_config_edit_port(config, 0)->trust.trust = TRUST_DSCP_PCP;
	assert_true(managed_publish(m, config, &why));
	managed_adopted(m, providers[0], m->generation);
	remove_all(m);
	managed_adopted(m, providers[0], m->generation);
	collect_one(m, "other", 0);
	collect_one(m, NULL, 1);
	assert_int_equal(m->config->ports[0].config->trust.trust, TRUST_DSCP_PCP);
	managed_free(m);
}

static unsigned n_asked;

static bool accepts_once(const struct dcb_config_port *at)
{
	(void)at;
	return n_asked++ == 0;
}

/* One provider has committed both ports, the other one fails; then the first one refuses its. */
static void test_port_of_an_undone_commit_stays_until_the_undo_is_adopted(void **state)
{
	struct fake_provider f, other;
	struct provider *const providers[] = {&f.provider, &other.provider};
	struct port_settings settings = conf.port_default;
	struct link_info links[] = {link_of(1), link_of(2)};
	struct provider_refusal why;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&f);
	fake_provider_init(&other);
	settings.provider = other.ops.name = "other";
	m = managed_conf_new(&conf, providers, 2);
	assert_true(managed_release(m, &why));
	for (unsigned i = 0; i < 2; i++)
		managed_adopted(m, providers[i], m->generation);
	n_asked = 0;
	f.accepts = accepts_once;
	other.fail_commits = 1;
	other.fail_ifindex = 2;
	managed_collect(m);
	assert_true(managed_port_add(m, &links[0], &conf.port_default, err, sizeof(err)));
	assert_true(managed_port_add(m, &links[1], &settings, err, sizeof(err)));
	assert_true(managed_collected(m, err, sizeof(err)));
	assert_int_equal(f.published->n_ports, 0);
	assert_int_equal(f.n_open, 1); /* the provider may read it */
	adopt(m, &f);
	assert_int_equal(f.n_open, 0);
	managed_free(m);
}

/* --- settings that contradict those of a refused port ---------------------------------------- */

#define ONE_KEY  (UINT64_C(1) << 48 | 0x020000000100)
#define NICKNAME 0x1000

static const uint8_t hop_mac[ETH_ADDR_OCTETS] = {2, 0, 0, 0, 0, 9};

/* Keeps a static entry and a next hop in the tree that only one of ports 7, 8 and 9 can have. */
static void keep_contradictions(struct managed *m)
{
	struct trill_next_hop hop = {.nickname = NICKNAME, .tree = true};
	char name[16];

	memcpy(hop.mac, hop_mac, sizeof(hop.mac));
	for (uint32_t i = 7; i <= 9; i++) {
		struct port_config *pc = port_config_dup(m->config->fresh);

		assert_true(static_unicast_put(&pc->static_unicast, ONE_KEY));
		assert_true(static_unicast_put(&pc->static_unicast, ONE_KEY + i));
		assert_true(trill_next_hop_put(&pc->trill_hops, &hop));
		snprintf(name, sizeof(name), "sw%u", i);
		assert_true(managed_absent_add(m, name, false, pc));
		port_config_unref(pc);
	}
}

/* Of those that are there the port i has both, the others only entries of their own. */
static void assert_only_has(const struct managed *m, uint32_t i)
{
	for (uint32_t other = 7; other <= 9; other++) {
		size_t pos = managed_find(m, other);
		const struct port_config *pc;

		if (pos == m->config->n_ports)
			continue;
		pc = m->config->ports[pos].config;
		assert_true(static_unicast_has(&pc->static_unicast, ONE_KEY + other));
		assert_int_equal(static_unicast_has(&pc->static_unicast, ONE_KEY), other == i);
		assert_int_equal(trill_next_hop_find(&pc->trill_hops, NICKNAME, hop_mac)->tree,
				 other == i);
	}
}

static void refuse_first_of_three(bool names_no_port)
{
	struct fake_provider f;
	struct managed *m = start(&f);
	struct log_capture c;
	char log[4096];

	remove_all(m);
	adopt(m, &f);
	keep_contradictions(m);
	f.has |= PROVIDER_TRILL;
	f.sets |= PROVIDER_TRILL;
	f.accepts = is_not_seventh;
	f.refusal = PROVIDER_CANNOT;
	f.names_no_port = names_no_port;
	log_init("test_many_ports", LOG_LEVEL_WARN, false);
	c = log_capture();
	assert_true(add_all(m));
	log_captured(&c, log, sizeof(log));
	log_init("test_many_ports", LOG_LEVEL_ERROR, false);
	assert_int_equal(m->config->n_ports, N_PORTS - 1);
	assert_only_has(m, 8);
	assert_non_null(strstr(log, "sw9: a static entry is not restored: sw8 has it now"));
	assert_non_null(strstr(log, "sw9: the next hop of nickname 4096 is not in the tree: sw8"));
	assert_int_equal(HASH_COUNT(m->absent), 1);
	assert_true(static_unicast_has(&m->absent->config->static_unicast, ONE_KEY));
	f.accepts = NULL;
	adopt(m, &f);
	assert_true(add_all(m));
	assert_only_has(m, 8);
	assert_null(m->absent);
	adopt(m, &f);
	managed_free(m);
}

static void test_port_keeps_what_a_refused_one_would_have_taken(void **state)
{
	(void)state;
	refuse_first_of_three(false);
}

static void test_port_keeps_it_too_if_the_refusal_names_no_port(void **state)
{
	(void)state;
	refuse_first_of_three(true);
}

/* --- text of the state file ------------------------------------------------------------------ */

/* A port gets other settings, or default ones. */
static void change(struct managed *m, struct fake_provider *f, struct dcb_rng *rng)
{
	struct dcb_config *config = dcb_config_successor(m->config);
	size_t pos = dcb_rng_next(rng) % N_PORTS;
	struct provider_refusal why;
	struct port_config *pc;

	if (dcb_rng_next(rng) % 3 == 0) {
		dcb_config_set_port(config, pos, config->fresh);
	} else {
		pc = dcb_config_edit_port(config, pos);
		pc->pfc_link_delay_allowance = 10 + dcb_rng_next(rng) % 100000;
		pc->pfc_measured = (struct pfc_measured){.rate = dcb_rate_from_mbps(10000),
							 .average = 5,
							 .count = dcb_rng_next(rng) % 2};
	}
	assert_true(managed_publish(m, config, &why));
	adopt(m, f);
}

/* A save makes the text of the changed port only, and it is as if all had been made. */
static void test_kept_texts_are_those_of_all_ports(void **state)
{
	struct persist_cache *cache = persist_cache_new();
	struct fake_provider f;
	struct managed *m = start_with_settings(&f);
	struct dcb_rng rng;
	uint64_t made = N_PORTS - 1;
	size_t len, expected_len;
	unsigned line;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	free(persist_text(m, m->config, cache, &len));
	assert_int_equal(persist_cache_made(cache), made);
	for (unsigned i = 0; i < UNIT_CASES(300); i++) {
		char *text, *expected;

		change(m, &f, &rng);
		text = persist_text(m, m->config, cache, &len);
		expected = persist_text(m, m->config, NULL, &expected_len);
		assert_non_null(text);
		assert_non_null(expected);
		assert_int_equal(len, expected_len);
		assert_memory_equal(text, expected, len);
		assert_true(persist_has_checksum(text, len, &line));
		assert_in_range(persist_cache_made(cache), made, made + 1);
		made = persist_cache_made(cache);
		free(text);
		free(expected);
	}
	persist_cache_free(cache);
	managed_free(m);
}

static struct port_config *absent_of(const struct managed *m, const char *name)
{
	struct link_info link = mo_world_link(1, name, "");
	struct managed_absent *p = managed_absent_find(m, &link);

	return p ? p->config : NULL;
}

/* Whatever the size of the hash table, which reverses its chains when it grows. */
static void test_settings_kept_last_under_a_name_are_found(void **state)
{
	struct fake_provider f;
	struct managed *m = start(&f);
	struct port_config *one = m->config->ports[0].config, *two = m->config->ports[1].config;
	char name[16];

	(void)state;
	assert_true(managed_absent_add(m, "sw", false, one));
	assert_true(managed_absent_add(m, "sw", false, two));
	for (unsigned i = 0; i < 2000; i++) {
		assert_ptr_equal(absent_of(m, "sw"), two);
		snprintf(name, sizeof(name), "other%u", i);
		assert_true(managed_absent_add(m, name, false, one));
	}
	managed_absent_remove(m, managed_absent_find(m, &(struct link_info){.name = "sw"}));
	assert_ptr_equal(absent_of(m, "sw"), one);
	managed_free(m);
}

/* Ports of a shared alias by name, the others by alias or name: each gets its own settings. */
static void test_state_file_of_many_ports_is_loaded(void **state)
{
	struct fake_provider before, after;
	struct managed *m = start_with_settings(&before);
	char path[] = "/tmp/dcb-test-XXXXXX", err[256];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(persist_save(m, m->config, path), 0);
	managed_free(m);
	m = start(&after);
	assert_int_equal(persist_load(m, path, false, err, sizeof(err)), PERSIST_LOADED);
	assert_settings(m);
	unlink(path);
	adopt(m, &after);
	managed_free(m);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_ports_are_replaced_by_two_publications),
	    cmocka_unit_test(test_some_ports_are_replaced),
	    cmocka_unit_test(test_failure_leaves_other_ports_removed),
	    cmocka_unit_test(test_refused_port_gets_its_settings_later),
	    cmocka_unit_test(test_each_refused_port_costs_one_publication),
	    cmocka_unit_test(test_refused_ports_of_one_alias_keep_their_own_settings),
	    cmocka_unit_test(test_refused_port_loses_no_setting_of_its_provider),
	    cmocka_unit_test(test_port_keeps_what_a_refused_one_would_have_taken),
	    cmocka_unit_test(test_port_keeps_it_too_if_the_refusal_names_no_port),
	    cmocka_unit_test(test_port_of_an_undone_commit_stays_until_the_undo_is_adopted),
	    cmocka_unit_test(test_settings_kept_last_under_a_name_are_found),
	    cmocka_unit_test(test_kept_texts_are_those_of_all_ports),
	    cmocka_unit_test(test_state_file_of_many_ports_is_loaded),
	};

	log_init("test_many_ports", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
