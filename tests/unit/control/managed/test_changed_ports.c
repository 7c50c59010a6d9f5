/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A publication after a change of one port does not read the memory of the others. After random
 * changes the values in force are those that a calculation for all ports gives.
 */
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control/managed/lldp_ports.h"
#include "control/managed_conf.h"
#include "control/persist.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/rng.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/unit.h"

#define ALLOWANCE "ieee8021PfcLinkDelayAllowance"

/* --- ports whose memory cannot be read ------------------------------------------------------ */

#define N_PORTS     4096
#define PAGE_OCTETS ((size_t)1 << 12)
#define FIRST       1001 /* ifIndex */

static uint8_t (*pages)[PAGE_OCTETS]; /* struct port of each slot */
_Static_assert(sizeof(struct port) <= PAGE_OCTETS, "a port has a page of its own");

/* Changed ports of the configurations that the provider has prepared. */
static size_t n_prepared, n_changed;

static struct port *page_open(struct provider *p, uint16_t slot, const struct link_info *link,
			      const struct port_settings *settings, char *err, size_t errlen)
{
	struct port *port = (struct port *)(void *)pages[slot];

	(void)err;
	(void)errlen;
	*port = (struct port){
	    .provider = p,
	    .slot = slot,
	    .has = ((struct fake_provider *)p)->has,
	    .sets = ((struct fake_provider *)p)->sets,
	    .link = *link,
	    .settings = *settings,
	};
	return port;
}

static void page_close(struct port *port)
{
	(void)port;
}

static bool page_prepare(struct provider *p, const struct dcb_config *config,
			 struct provider_refusal *why)
{
	struct fake_provider *f = (struct fake_provider *)p;

	(void)why;
	f->prepared = config;
	n_prepared++;
	for (size_t i = dcb_config_next_changed_from(config, f->published, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, f->published, i + 1))
		n_changed++;
	return true;
}

static void set_readable(const struct mo_world *w, bool all, uint32_t ifindex)
{
	(void)w;
	assert_int_equal(
	    mprotect(pages, N_PORTS * PAGE_OCTETS, all ? PROT_READ | PROT_WRITE : PROT_NONE), 0);
	assert_int_equal(mprotect(pages[ifindex - FIRST], PAGE_OCTETS, PROT_READ | PROT_WRITE), 0);
}

static void open_ports(struct mo_world *w)
{
	char err[256];

	managed_collect(w->m);
	for (uint32_t i = 0; i < N_PORTS; i++) {
		struct link_info link = mo_world_link(FIRST + i, "", "");

		snprintf(link.name, sizeof(link.name), "port%u", i);
		snprintf(link.alias, sizeof(link.alias), "lane %u", i);
		assert_true(managed_port_add(w->m, &link, &w->conf.port_default, err, sizeof(err)));
	}
	assert_true(managed_collected(w->m, err, sizeof(err)));
}

static struct mo_world *large_new(void)
{
	struct mo_world *w = calloc(1, sizeof(*w));
	struct provider *provider = &w->provider.provider;
	struct provider_refusal why;

	pages = mmap(NULL, N_PORTS * PAGE_OCTETS, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	w->n_providers = 1;
	w->conf.role = ROLE_BRIDGE;
	w->conf.component_id = 1;
	snprintf(w->dir, sizeof(w->dir), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->state, sizeof(w->state), "%s/state", w->dir);
	fake_provider_init(&w->provider);
	w->provider.ops.port_open = page_open;
	w->provider.ops.port_close = page_close;
	w->provider.ops.prepare = page_prepare;
	w->m = managed_conf_new(&w->conf, &provider, 1);
	assert_non_null(w->m);
	open_ports(w);
	assert_true(managed_release(w->m, &why));
	w->service = mo_service_new(w->m, w->state, 7);
	w->session = mo_session_new(w->service, MO_MAY_ALL);
	mo_world_adopt(w);
	lldp_ports_events.state(w->m->lldp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(w->m->lldp);
	(void)managed_run(w->m, clock_now());
	return w;
}

static void large_free(struct mo_world *w)
{
	set_readable(w, true, FIRST);
	mo_world_free(w);
	munmap(pages, N_PORTS * PAGE_OCTETS);
}

/* From now on only this port can be read. */
static void watch(struct mo_world *w, uint32_t ifindex)
{
	mo_world_adopt(w);
	n_prepared = n_changed = 0;
	set_readable(w, false, ifindex);
}

/* The value was saved, and each phase has looked at one port. */
static void assert_one_port_changed(struct mo_world *w)
{
	set_readable(w, true, FIRST);
	assert_in_range(n_prepared, 1, 2);
	assert_int_equal(n_changed, n_prepared);
}

static void test_set_looks_at_one_port_of_thousands(void **state)
{
	struct mo_world *w = large_new();

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t ifindex = FIRST + i * (N_PORTS - 1) / 2;
		char index[16], cp[32];

		snprintf(index, sizeof(index), "%u", ifindex);
		snprintf(cp, sizeof(cp), "1.%u.3", ifindex);
		watch(w, ifindex);
		assert_int_equal(SET(w, {ALLOWANCE, index, "77"}), MO_NO_ERROR);
		assert_one_port_changed(w);
		watch(w, ifindex);
		assert_int_equal(SET(w, {QSP, cp, "31000"}), MO_NO_ERROR);
		assert_one_port_changed(w);
	}
	large_free(w);
}

static void hear(struct mo_world *w, const char *ifname, uint8_t enable)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = enable}};
	struct lldp_remote r = neighbor(ifname, 9);

	says(&r, DCB_TLV_PFC, &tlvs);
	lldp_ports_events.remote(w->m->lldp, &r);
	(void)managed_run(w->m, clock_now());
}

static void test_neighbor_looks_at_one_port_of_thousands(void **state)
{
	struct mo_world *w = large_new();
	const uint32_t ifindex = FIRST + 2000;
	size_t pos = managed_find(w->m, ifindex);

	(void)state;
	assert_int_equal(SET(w, {"lldpXdot1dcbxAdminPFCWilling", "3001", "true"},
			     {"lldpXdot1dcbxConfigPFCTxEnable", "3001.1", "true"}),
			 MO_NO_ERROR);
	watch(w, ifindex);
	hear(w, "port2000", 0x18);
	assert_one_port_changed(w);
	assert_int_equal(w->m->config->ports[pos].oper.pfc_enable, 0x18);
	watch(w, ifindex);
	hear(w, "port2000", 0x08);
	assert_one_port_changed(w);
	assert_int_equal(w->m->config->ports[pos].oper.pfc_enable, 0x08);
	large_free(w);
}

static void test_measured_delay_looks_at_one_port_of_thousands(void **state)
{
	struct mo_world *w = large_new();
	const uint32_t ifindex = FIRST + 17;
	size_t pos = managed_find(w->m, ifindex);
	struct fake_port *port = fake_port(w->m->config->ports[pos].port);

	(void)state;
	assert_true((uint8_t *)(&port->measure + 1) <= pages[17] + PAGE_OCTETS);
	port->measure.result = 123;
	watch(w, ifindex);
	managed_measured(w->m, w->m->config->ports[pos].port->slot);
	(void)managed_run(w->m, clock_now());
	assert_one_port_changed(w);
	assert_int_equal(w->m->config->ports[pos].oper.pfc_measured_quanta, 123);
	large_free(w);
}

/* --- random changes -------------------------------------------------------------------------- */

#define N_RANDOM 12

/* A system, and the texts that it has kept since its start. */
struct random_world {
	struct mo_world *w;
	struct persist_cache *cache;
	struct dcb_rng rng;
	bool is_up[N_RANDOM];
	unsigned alias[N_RANDOM]; /* few, so that ports share one */
};

static uint32_t below(struct random_world *r, uint32_t n)
{
	return dcb_rng_next(&r->rng) % n;
}

static uint32_t ifindex_of(uint32_t i)
{
	return 20 + i;
}

static struct link_info link_of(const struct random_world *r, uint32_t i)
{
	struct link_info link = mo_world_link(ifindex_of(i), "", "");

	snprintf(link.name, sizeof(link.name), "rnd%u", i);
	if (r->alias[i])
		snprintf(link.alias, sizeof(link.alias), "alias %u", r->alias[i]);
	link.up = r->is_up[i];
	return link;
}

static void set_random(struct random_world *r)
{
	static const struct {
		const char *object, *suffix;
		const char *const values[3];
	} objects[] = {
	    {ALLOWANCE, "", {"0", "77", "5000"}},
	    {"ieee8021CnCpQueueSizeSetPoint", ".3", {"26000", "31000", "32000"}},
	    {"lldpXdot1dcbxAdminPFCWilling", "", {"true", "false", "true"}},
	    {"lldpXdot1dcbxAdminPFCEnableEnabled", ".3", {"true", "false", "true"}},
	    {"ieee8021CnPortPriAlternatePriority", ".3", {"1", "2", "3"}},
	    {"lldpXdot1dcbxConfigPFCTxEnable", ".1", {"true", "false", "true"}},
	    {"dcbPfcWayAdvertise", "", {"p8021qdt", "p8021qdt", "ieee8021q2018"}},
	    {"dcbPfcWayMeasurement", "", {"true", "false", "true"}},
	};
	uint32_t which = below(r, UNIT_COUNT(objects)), ifindex = ifindex_of(below(r, N_RANDOM));
	bool of_component = strncmp(objects[which].object, "ieee8021CnC", 11) == 0;
	bool of_priority = strncmp(objects[which].object, "ieee8021CnPort", 14) == 0;
	char index[40];

	if (of_priority)
		snprintf(index, sizeof(index), "1.3.%u", ifindex);
	else
		snprintf(index, sizeof(index), "%s%u%s", of_component ? "1." : "", ifindex,
			 objects[which].suffix);
	(void)mo_world_set(r->w,
			   (const char *const[][3]){
			       {objects[which].object, index, objects[which].values[below(r, 3)]}},
			   1);
}

/* The port takes what its neighbor says: about PFC, and about delays. */
static void let_listen(struct random_world *r, uint32_t i)
{
	char index[16], of_destination[16];

	snprintf(index, sizeof(index), "%u", ifindex_of(i));
	snprintf(of_destination, sizeof(of_destination), "%u.1", ifindex_of(i));
	assert_int_equal(SET(r->w, {"lldpXdot1dcbxAdminPFCWilling", index, "true"},
			     {"lldpXdot1dcbxConfigPFCTxEnable", of_destination, "true"},
			     {"dcbPfcWayAdvertise", index, "p8021qdt"},
			     {"dcbPfcWayMeasurement", index, "true"},
			     {"dcbPfcWaySendDelay", index, "true"}),
			 MO_NO_ERROR);
}

static void set_common(struct random_world *r)
{
	const char *master = below(r, 2) ? "true" : "false";

	switch (below(r, 3)) {
	case 0:
		(void)SET(r->w, {STATUS, "1.3", below(r, 3) ? "createAndGo" : "destroy"});
		break;
	case 1: /* initial values change, and the settings of ports stay */
		(void)SET(r->w, {"ieee8021CnComPriCreation", "1.3",
				 below(r, 2) ? "cncpAutoEnable" : "cncpAutoDisable"});
		break;
	default:
		(void)SET(r->w, {"ieee8021CnGlobalMasterEnable", "1", master});
	}
}

/* A SET that its manager takes back. */
static void undo_random(struct random_world *r)
{
	char index[16];

	snprintf(index, sizeof(index), "%u", ifindex_of(below(r, N_RANDOM)));
	if (mo_world_test(r->w, (const char *const[][3]){{ALLOWANCE, index, "99"}}, 1) ==
		MO_NO_ERROR &&
	    mo_world_phase(r->w, MO_OP_COMMIT) == MO_NO_ERROR)
		assert_int_equal(mo_world_phase(r->w, MO_OP_UNDO), MO_NO_ERROR);
	(void)mo_world_phase(r->w, MO_OP_CLEANUP);
}

static void hear_random(struct random_world *r)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8,
					.enable = (uint8_t)below(r, 256),
					.qdt = below(r, 2),
					.rtm = below(r, 2)},
				.cn = {(uint8_t)below(r, 256), (uint8_t)below(r, 256)},
				.pfc_delay = (int64_t)below(r, 20000) * 65536};
	struct lldp_remote remote;
	char name[IF_NAMESIZE];

	snprintf(name, sizeof(name), "rnd%u", below(r, N_RANDOM));
	remote = neighbor(name, (uint8_t)below(r, 2));
	says(&remote, DCB_TLV_PFC, &tlvs);
	if (below(r, 2))
		says(&remote, DCB_TLV_CN, &tlvs);
	if (below(r, 2))
		says(&remote, DCB_TLV_PFC_DELAY, &tlvs);
	if (below(r, 4))
		lldp_ports_events.remote(r->w->m->lldp, &remote);
	else
		lldp_ports_events.gone(r->w->m->lldp, &remote);
}

/* Another state, alias, or nothing; the port may have been removed. */
static void change_link(struct random_world *r)
{
	uint32_t i = below(r, N_RANDOM);
	size_t pos = managed_find(r->w->m, ifindex_of(i));
	struct link_info link;

	r->is_up[i] = below(r, 4);
	r->alias[i] = below(r, 4);
	link = link_of(r, i);
	if (pos < r->w->m->config->n_ports)
		managed_port_update(r->w->m, pos, &link);
}

static void measure_random(struct random_world *r)
{
	size_t pos = managed_find(r->w->m, ifindex_of(below(r, N_RANDOM)));
	struct pfc_measure_stats *stats;

	if (pos == r->w->m->config->n_ports)
		return;
	stats = &fake_port(r->w->m->config->ports[pos].port)->measure;
	*stats = (struct pfc_measure_stats){
	    .measured = 1, .rate_bps = 1, .count = 1 + below(r, 9), .result = below(r, 500)};
	stats->average = stats->result + 1;
	managed_measured(r->w->m, r->w->m->config->ports[pos].port->slot);
}

static void add_or_remove(struct random_world *r)
{
	uint32_t i = below(r, N_RANDOM);
	size_t pos = managed_find(r->w->m, ifindex_of(i));
	struct link_info link = link_of(r, i);
	char err[256];

	if (pos < r->w->m->config->n_ports)
		(void)managed_port_remove(r->w->m, pos);
	else
		(void)managed_port_add(r->w->m, &link, &r->w->conf.port_default, err, sizeof(err));
}

static const struct fake_provider *refusing;

/* PFC on priority 7 is refused, except where it is in force. */
static bool begins_no_pfc_on_7(const struct dcb_config_port *at)
{
	const struct dcb_config *now = refusing->published;
	size_t pos = now ? dcb_config_lower_bound(now, at->ifindex) : 0;

	return !(at->oper.pfc_enable >> 7) ||
	       (now && pos < now->n_ports && now->ports[pos].port == at->port &&
		now->ports[pos].oper.pfc_enable >> 7);
}

static void refuse_random(struct random_world *r)
{
	struct fake_provider *f = &r->w->provider;

	refusing = f;
	f->refusal = PROVIDER_CANNOT;
	f->accepts = below(r, 2) ? begins_no_pfc_on_7 : NULL;
	f->failure = PROVIDER_FAILED;
	f->fail_commits = below(r, 8) == 0;
}

static bool (*fake_commit)(struct provider *p, const struct dcb_config *config,
			   struct provider_refusal *why);
static unsigned n_capped;

/* A port that is not recorded as changed is as before. */
static bool checking_commit(struct provider *p, const struct dcb_config *config,
			    struct provider_refusal *why)
{
	const struct dcb_config *before = ((struct fake_provider *)p)->published;
	size_t changed = dcb_config_next_changed_from(config, before, 0);

	for (size_t i = 0; i < config->n_ports; i++) {
		const struct dcb_config_port *is = &config->ports[i], *was;

		n_capped += is->oper.headroom_cap_octets != 0;
		if (i == changed) {
			changed = dcb_config_next_changed_from(config, before, i + 1);
			continue;
		}
		was = &before->ports[i];
		assert_ptr_equal(is->port, was->port);
		assert_ptr_equal(is->config, was->config);
		assert_ptr_equal(is->peer_apps, was->peer_apps);
		assert_true(port_oper_equal(&is->oper, &was->oper));
	}
	return fake_commit(p, config, why);
}

/* Everything that was left out is calculated again, and compared. */
static void check_values(const struct mo_world *w)
{
	struct dcb_config *all = dcb_config_copy(w->m->config);
	struct provider_refusal why;

	assert_non_null(all);
	assert_true(managed_try(w->m, all, &why));
	assert_int_equal(w->m->config->n_claims, all->n_claims);
	for (size_t i = 0; i < all->n_ports; i++) {
		const struct dcb_config_port *is = &w->m->config->ports[i];
		struct port_oper expected = all->ports[i].oper;

		assert_int_equal(w->m->by_slot[is->port->slot], i + 1);
		assert_ptr_equal(is->peer_apps, all->ports[i].peer_apps);
		/* Each publication shares the memory out again: claims in force come first. */
		expected.headroom_cap_octets = is->oper.headroom_cap_octets;
		if (!port_oper_equal(&is->oper, &expected))
			fail_msg("%s has other values in force", is->port->link.name);
	}
	dcb_config_free(all);
}

static void check_text(struct random_world *r)
{
	size_t len, len_of_new;
	char *kept = persist_text(r->w->m, r->w->m->config, r->cache, &len);
	char *made = persist_text(r->w->m, r->w->m->config, NULL, &len_of_new);

	assert_non_null(kept);
	assert_non_null(made);
	assert_string_equal(kept, made);
	free(kept);
	free(made);
}

static void change(struct random_world *r)
{
	static void (*const changes[])(struct random_world *) = {
	    set_random,  set_random,     set_random,    hear_random, hear_random, hear_random,
	    change_link, measure_random, add_or_remove, undo_random, set_common,  refuse_random,
	};

	changes[below(r, UNIT_COUNT(changes))](r);
	if (below(r, 3))
		(void)managed_run(r->w->m, clock_now());
	if (below(r, 3))
		mo_world_adopt(r->w);
}

/*
 * Commits succeed and are adopted, and all ports have been evaluated: until nothing is published
 * any more, which is soon, also with ports that are refused each time.
 */
static void settle(struct random_world *r)
{
	const struct managed *m = r->w->m;
	uint64_t generation;
	unsigned rounds = 0;

	r->w->provider.fail_commits = 0;
	do {
		assert_true(rounds++ <= 2 * N_RANDOM);
		generation = m->config->generation;
		(void)managed_run(r->w->m, clock_now());
	} while (m->config->generation != generation);
	mo_world_adopt(r->w);
}

static void test_random_changes_give_the_values_of_a_full_calculation(void **state)
{
	struct random_world r = {.w = mo_world_new(ROLE_BRIDGE), .cache = persist_cache_new()};

	(void)state;
	log_init("test", LOG_LEVEL_ERROR, false);
	assert_non_null(r.cache);
	/* Without a state file: thousands of SETs need no disk. */
	mo_session_free(r.w->session);
	mo_service_free(r.w->service);
	r.w->service = mo_service_new(r.w->m, NULL, 7);
	r.w->session = mo_session_new(r.w->service, MO_MAY_ALL);
	fake_commit = r.w->provider.ops.commit;
	r.w->provider.ops.commit = checking_commit;
	r.w->provider.stats.memory.memory_frames = 1000; /* less than the claims */
	r.w->provider.stats.memory.memory_octets = 1000 * 1600;
	dcb_rng_seed(&r.rng, unit_seed(), 1);
	for (uint32_t i = 0; i < N_RANDOM; i++) {
		struct link_info link;
		char err[256];

		r.is_up[i] = true;
		link = link_of(&r, i);
		assert_true(
		    managed_port_add(r.w->m, &link, &r.w->conf.port_default, err, sizeof(err)));
	}
	for (uint32_t i = 0; i < N_RANDOM; i++)
		let_listen(&r, i);
	lldp_ports_events.state(r.w->m->lldp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(r.w->m->lldp);
	for (unsigned n = 0; n < 3000; n++) {
		change(&r);
		if (n % 4)
			continue;
		settle(&r);
		check_values(r.w);
		check_text(&r);
	}
	print_message("%u times a claim was limited\n", n_capped);
	persist_cache_free(r.cache);
	mo_world_free(r.w);
}

/* --- texts ----------------------------------------------------------------------------------- */

static void test_text_of_an_unchanged_port_is_made_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct persist_cache *cache = persist_cache_new();
	size_t len;

	(void)state;
	assert_non_null(cache);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}, {ALLOWANCE, "5", "55"}), MO_NO_ERROR);
	free(persist_text(w->m, w->m->config, cache, &len));
	assert_int_equal(persist_cache_made(cache), 2);
	assert_int_equal(SET(w, {ALLOWANCE, "5", "56"}), MO_NO_ERROR);
	free(persist_text(w->m, w->m->config, cache, &len));
	assert_int_equal(persist_cache_made(cache), 3);
	assert_int_equal(SET(w, {"ieee8021CnGlobalCnmTransmitPriority", "1", "4"}), MO_NO_ERROR);
	free(persist_text(w->m, w->m->config, cache, &len));
	assert_int_equal(persist_cache_made(cache), 3);
	/* Rows of all ports come into being. */
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	free(persist_text(w->m, w->m->config, cache, &len));
	assert_int_equal(persist_cache_made(cache), 5);
	persist_cache_free(cache);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_looks_at_one_port_of_thousands),
	    cmocka_unit_test(test_neighbor_looks_at_one_port_of_thousands),
	    cmocka_unit_test(test_measured_delay_looks_at_one_port_of_thousands),
	    cmocka_unit_test(test_random_changes_give_the_values_of_a_full_calculation),
	    cmocka_unit_test(test_text_of_an_unchanged_port_is_made_once),
	};

	return cmocka_run_group_tests_name("changed_ports", tests, NULL, NULL);
}
