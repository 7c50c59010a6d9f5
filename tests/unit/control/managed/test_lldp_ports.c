/* SPDX-License-Identifier: BSD-3-Clause */
/* Effect of neighbors on ports, and TLVs of ports: with an LLDP client that records calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/rng.h"
#include "control/managed/lldp_ports_private.h"
#include "dataplane/config/dcbx_config.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#define CNPV 3
#define BIT  (1u << CNPV)

struct agent {
	struct lldp_client client;
	unsigned destroys, sets, forgets, replays, refreshes, wakes;
	uint32_t mtu;
	bool expects_recent; /* expected arguments of replay() */
	const char *replayed;
	char ifname[IF_NAMESIZE]; /* of the last call */
	struct dcb_tlvs tlvs;     /* of the last set() */
};

static void agent_set(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		      size_t n, uint32_t mtu)
{
	struct agent *a = (struct agent *)c;

	a->sets++;
	a->mtu = mtu;
	snprintf(a->ifname, sizeof(a->ifname), "%s", ifname);
	memset(&a->tlvs, 0, sizeof(a->tlvs));
	for (size_t i = 0; i < n; i++)
		assert_true(dcb_tlvs_take(&a->tlvs, tlvs[i].oui, tlvs[i].subtype, tlvs[i].info,
					  tlvs[i].len));
}

static void agent_forget(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;

	a->forgets++;
	snprintf(a->ifname, sizeof(a->ifname), "%s", ifname);
}

static void agent_refresh(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;

	a->refreshes++;
	snprintf(a->ifname, sizeof(a->ifname), "%s", ifname);
}

static void agent_replay(struct lldp_client *c, const char *ifname, bool recent)
{
	struct agent *a = (struct agent *)c;

	a->replays++;
	assert_int_equal(recent, a->expects_recent);
	assert_string_equal(ifname, a->replayed ? a->replayed : recent ? "sw12" : "lan5");
}

static void agent_read(const struct lldp_client *c, struct lldp_stats *out)
{
	(void)c;
	*out = (struct lldp_stats){.connects = 7};
}

static void agent_destroy(struct lldp_client *c)
{
	((struct agent *)c)->destroys++;
}

static const struct lldp_client_ops agent_ops = {
    .set = agent_set,
    .refresh = agent_refresh,
    .replay = agent_replay,
    .forget = agent_forget,
    .read = agent_read,
    .destroy = agent_destroy,
};

static void agent_wake(void *ctx)
{
	((struct agent *)ctx)->wakes++;
}

struct world {
	struct mo_world *mo;
	struct lldp_ports *lp;
	struct agent agent;
};

static struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));

	w->mo = mo_world_new(ROLE_BRIDGE);
	w->lp = w->mo->m->lldp;
	w->agent.client.ops = &agent_ops;
	lldp_ports_use(w->lp, &w->agent.client, agent_wake, &w->agent);
	lldp_ports_events.state(w->lp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(w->lp);
	return w;
}

static void world_free(struct world *w)
{
	unsigned wakes = w->agent.wakes;

	mo_world_free(w->mo);
	assert_int_equal(w->agent.destroys, 1);
	assert_int_equal(w->agent.wakes,
			 wakes); /* wake() must not be called: its ctx may be freed */
	free(w);
}

static struct dcb_time run(struct world *w)
{
	struct dcb_time next = managed_run(w->mo->m, clock_now());

	mo_world_adopt(w->mo);
	return next;
}

static const struct dcb_config_port *port_at(struct world *w, uint32_t ifindex)
{
	size_t pos = managed_find(w->mo->m, ifindex);

	assert_true(pos < w->mo->m->config->n_ports);
	return &w->mo->m->config->ports[pos];
}

static const struct lldp_port *lldp_at(struct world *w, uint32_t ifindex)
{
	return lldp_ports_at(w->lp, port_at(w, ifindex)->port);
}

static unsigned mode(struct world *w, uint32_t ifindex)
{
	return port_at(w, ifindex)->oper.cnpd_auto_defense_mode[CNPV];
}

/* Returns the settings of a port for editing, in a new configuration. */
static struct port_config *edit(struct world *w, uint32_t ifindex, struct dcb_config **config)
{
	*config = dcb_config_copy(w->mo->m->config);
	assert_non_null(*config);
	return dcb_config_edit_port(*config, managed_find(w->mo->m, ifindex));
}

static void publish(struct world *w, struct dcb_config *config)
{
	struct provider_refusal why;

	assert_true(managed_publish(w->mo->m, config, &why));
	run(w);
}

static void send_tlvs(struct world *w, uint32_t ifindex, uint8_t tx_enable)
{
	struct dcb_config *config;

	edit(w, ifindex, &config)->dcbx.tx_enable = tx_enable;
	publish(w, config);
}

static void make_cnpv(struct world *w)
{
	assert_int_equal(
	    mo_world_set(
		w->mo,
		(const char *const[][3]){{"ieee8021CnComPriRowStatus", "1.3", "createAndGo"}}, 1),
	    MO_NO_ERROR);
	run(w);
}

static void hear_cn(struct world *w, const char *ifname, uint8_t address, uint8_t cnpv,
		    uint8_t ready)
{
	struct dcb_tlvs tlvs = {.cn = {cnpv, ready}};
	struct lldp_remote r = neighbor(ifname, address);

	says(&r, DCB_TLV_CN, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	run(w);
}

static void hear_pfc(struct world *w, const char *ifname, uint8_t address, bool willing,
		     uint8_t enable)
{
	struct dcb_tlvs tlvs = {.pfc = {.willing = willing, .cap = 8, .enable = enable}};
	struct lldp_remote r = neighbor(ifname, address);

	says(&r, DCB_TLV_PFC, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	run(w);
}

static void leave(struct world *w, const char *ifname, uint8_t address)
{
	struct lldp_remote r = neighbor(ifname, address);

	lldp_ports_events.gone(w->lp, &r);
	run(w);
}

/* --- congestion notification domains -----------------------------------------------------------
 */

static void test_defense_mode_follows_cn_tlv(void **state)
{
	struct world *w = world_new();
	unsigned sets;

	(void)state;
	make_cnpv(w);
	assert_int_equal(w->agent.sets, 0); /* transmission of the CN TLV is disabled by default */
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	assert_int_equal(w->agent.sets, 1);
	assert_string_equal(w->agent.ifname, "sw5");
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_CN);
	assert_int_equal(w->agent.tlvs.cn.cnpv, BIT);
	assert_int_equal(w->agent.tlvs.cn.ready, 0);
	assert_int_equal(w->agent.mtu, 1500);
	assert_int_equal(mode(w, 5), CPT_EDGE);

	hear_cn(w, "sw5", 9, BIT | 0x80, 0x80); /* priority 7 is no CNPV */
	assert_int_equal(mode(w, 5), CPT_INTERIOR);
	assert_int_equal(mode(w, 3), CPT_EDGE);
	assert_int_equal(w->agent.tlvs.cn.ready, BIT);
	assert_int_equal(lldp_at(w, 5)->rcvd.cnpv, BIT);
	assert_int_equal(lldp_at(w, 5)->rcvd.ready, 0);

	sets = w->agent.sets;
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	assert_int_equal(w->agent.sets, sets); /* the port's TLVs have not changed */
	assert_int_equal(lldp_at(w, 5)->mode_changes[CNPV], 2);

	leave(w, "sw5", 9);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(w->agent.tlvs.cn.ready, 0);
	world_free(w);
}

/* A neighbor's change without effect on the port publishes no configuration. */
static void test_change_without_effect_publishes_nothing(void **state)
{
	struct world *w = world_new();
	uint64_t generation;
	unsigned sets;

	(void)state;
	make_cnpv(w);
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	hear_cn(w, "sw5", 9, BIT, BIT);
	generation = w->mo->m->config->generation;
	sets = w->agent.sets;
	hear_cn(w, "sw5", 9, BIT | 1, BIT | 1); /* priority 0 is no CNPV */
	assert_int_equal(w->mo->m->config->generation, generation);
	assert_int_equal(w->agent.sets, sets);
	assert_int_equal(lldp_at(w, 5)->updates, 2);
	world_free(w);
}

static void test_two_neighbors_are_an_edge(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	hear_cn(w, "sw5", 8, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 2);
	assert_null(lldp_at(w, 5)->peer);
	leave(w, "sw5", 9);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	assert_int_equal(lldp_at(w, 5)->peer->address[5], 8);
	world_free(w);
}

/* With an LLDP instance that is not in use the CN TLV is empty, and received ones are ignored. */
static void test_unused_lldp_instance_ignores_cn_tlv(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;
	struct port_config *pc;

	(void)state;
	make_cnpv(w);
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	hear_cn(w, "sw5", 9, BIT, BIT);
	pc = edit(w, 5, &config);
	pc->port_pri[CNPV].cnpd_lldp_instance_choice = CNL_ADMIN; /* its selector is 3 */
	publish(w, config);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_CN);
	assert_int_equal(w->agent.tlvs.cn.cnpv, 0);
	pc = edit(w, 5, &config);
	pc->port_pri[CNPV].cnpd_lldp_instance_selector = LLDP_DESTINATION_NEAREST_BRIDGE;
	publish(w, config);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	world_free(w);
}

static void test_master_enable_disables_defense(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(
	    mo_world_set(
		w->mo, (const char *const[][3]){{"ieee8021CnGlobalMasterEnable", "1", "false"}}, 1),
	    MO_NO_ERROR);
	assert_int_equal(lldp_at(w, 5)->cnd[CNPV].state, CNDD_DISABLED);
	assert_int_equal(
	    mo_world_set(
		w->mo, (const char *const[][3]){{"ieee8021CnGlobalMasterEnable", "1", "true"}}, 1),
	    MO_NO_ERROR);
	assert_int_equal(lldp_at(w, 5)->cnd[CNPV].state, CNDD_INTERIOR_READY);
	world_free(w);
}

/* --- refusals of a provider --------------------------------------------------------------------
 */

static uint8_t pfc_possible = 0x7f;

static bool can(const struct dcb_config_port *at)
{
	return (at->oper.pfc_enable & ~pfc_possible) == 0;
}

static struct world *world_that_refuses(void)
{
	struct world *w = world_new();
	struct dcb_config *config;

	for (uint32_t ifindex = 3; ifindex <= 5; ifindex += 2) {
		edit(w, ifindex, &config)->dcbx =
		    (struct dcbx_config){.tx_enable = 1u << DCB_TLV_PFC, .pfc_willing = true};
		publish(w, config);
	}
	pfc_possible = 0x7f;
	w->mo->provider.accepts = can;
	w->mo->provider.about = PROVIDER_PFC;
	return w;
}

static enum mo_error set_delay(struct world *w, const char *port, const char *value)
{
	enum mo_error error = mo_world_set(
	    w->mo, (const char *const[][3]){{"ieee8021PfcLinkDelayAllowance", port, value}}, 1);

	run(w);
	return error;
}

/* PFC is agreed for the priorities that both ends have in force, whichever end is willing. */
static void test_pfc_is_agreed_where_neighbor_has_it(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;
	struct port_config *port = edit(w, 5, &config);

	(void)state;
	port->pfc.enable = 0x0a;
	port->dcbx = (struct dcbx_config){.tx_enable = 1u << DCB_TLV_PFC};
	publish(w, config);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0);
	hear_pfc(w, "sw5", 9, false, 0x22);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x0a);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0x02);
	port = edit(w, 5, &config);
	port->dcbx.pfc_willing = true;
	publish(w, config);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0x22);
	leave(w, "sw5", 9);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x0a);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0);
	world_free(w);
}

/*
 * The former configuration stays in force and advertised, other ports are not affected, and
 * the neighbor's settings are tried again later.
 */
static void test_refused_neighbor_is_kept_back(void **state)
{
	struct world *w = world_that_refuses();
	uint64_t generation;

	(void)state;
	hear_pfc(w, "sw5", 9, false, 0x02);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x02);
	hear_pfc(w, "sw5", 9, false, 0x80);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x02);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_enable, 0x02);
	assert_int_equal(lldp_at(w, 5)->dcbx_changes, 1);
	assert_int_equal(lldp_at(w, 5)->sent->pfc.enable, 0x02);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x02);
	assert_int_equal(lldp_at(w, 5)->peer->tlvs.pfc.enable, 0x80);
	generation = w->mo->m->generation;
	run(w);
	assert_int_equal(w->mo->m->generation, generation); /* nothing has changed since */
	/* Other neighbors and SETs are not affected. */
	hear_pfc(w, "sw3", 8, false, 0x04);
	assert_int_equal(port_at(w, 3)->oper.pfc_enable, 0x04);
	assert_int_equal(set_delay(w, "3", "30"), MO_NO_ERROR);
	assert_int_equal(set_delay(w, "5", "50"), MO_INCONSISTENT_VALUE);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x02);
	generation = w->mo->m->generation;
	run(w);
	assert_int_equal(w->mo->m->generation, generation);
	/* The provider accepts it now: the next published configuration includes it. */
	pfc_possible = 0xff;
	assert_int_equal(set_delay(w, "3", "31"), MO_NO_ERROR);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x80);
	world_free(w);
}

/* Publishing a configuration wakes managed_run(), which tries the neighbor kept back again. */
static void test_publishing_retries_neighbor_kept_back(void **state)
{
	struct world *w = world_that_refuses();
	struct provider_refusal why;
	struct dcb_config *config;

	(void)state;
	hear_pfc(w, "sw5", 9, false, 0x80);
	w->agent.wakes = 0;
	run(w);
	assert_int_equal(w->agent.wakes, 0);
	pfc_possible = 0xff;
	edit(w, 9, &config)->dcbx.tx_enable = 0;
	assert_true(managed_publish(w->mo->m, config, &why));
	assert_true(w->agent.wakes > 0);
	run(w);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	world_free(w);
}

/* A refused SET does not undo the mismatch that a neighbor has caused. */
static void test_refused_set_keeps_mismatch(void **state)
{
	struct world *w = world_new();

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_int_not_equal(lldp_at(w, 5)->dcbx.mismatch, 0);
	pfc_possible = 0;
	w->mo->provider.accepts = can;
	assert_int_equal(
	    mo_world_set(w->mo, (const char *const[][3]){{"dcbPfcPriorityEnable", "3.4", "true"}},
			 1),
	    MO_INCONSISTENT_VALUE);
	assert_int_not_equal(lldp_at(w, 5)->dcbx.mismatch, 0);
	world_free(w);
}

/* Of two changes at once one is refused; then the refused neighbor leaves. */
static void test_refusal_affects_one_of_two_neighbors(void **state)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 0x80}};
	struct world *w = world_that_refuses();
	struct lldp_remote r = neighbor("sw5", 9);

	(void)state;
	says(&r, DCB_TLV_PFC, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	hear_pfc(w, "sw3", 8, false, 0x04);
	assert_int_equal(port_at(w, 3)->oper.pfc_enable, 0x04);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	assert_non_null(lldp_at(w, 5)->peer);
	leave(w, "sw5", 9);
	assert_null(lldp_at(w, 5)->peer);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_NO_PEER);
	world_free(w);
}

/* A neighbor that is reported but not yet evaluated does not make a SET fail. */
static void test_unevaluated_neighbor_does_not_fail_set(void **state)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 0x80}};
	struct world *w = world_that_refuses();
	struct lldp_remote r = neighbor("sw5", 9);

	(void)state;
	says(&r, DCB_TLV_PFC, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	assert_int_equal(set_delay(w, "3", "30"), MO_NO_ERROR);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	world_free(w);
}

/* If the refusal names no port, no neighbor can be kept back: all are tried again later. */
static void test_refusal_without_port_is_retried(void **state)
{
	struct world *w = world_that_refuses();
	struct dcb_time now = clock_now(), next;

	(void)state;
	w->mo->provider.names_no_port = true;
	hear_pfc(w, "sw5", 9, false, 0x80);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	next = run(w);
	assert_true(dcb_time_before(now, next));
	assert_true(next.ns != DCB_TIME_NEVER.ns);
	pfc_possible = 0xff;
	run(w);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	/* The same for a commit that fails. */
	w->mo->provider.fail_commits = 1;
	hear_pfc(w, "sw5", 9, false, 0x40);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	run(w);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x40);
	world_free(w);
}

/* A refusal is logged once for each change of the neighbor, not for each attempt. */
static void test_refusal_is_logged_once(void **state)
{
	static const char line[] =
	    "<4>prog: provider: sw5: settings of its neighbor not applied: "
	    "fake cannot: expected another\n";
	struct world *w = world_that_refuses();
	struct log_capture c;
	char text[1024], want[1024];

	(void)state;
	log_init("prog", LOG_LEVEL_WARN, true);
	c = log_capture();
	hear_pfc(w, "sw5", 9, false, 0x80);
	send_tlvs(w, 9, 0);
	send_tlvs(w, 9, 0);
	send_tlvs(w, 9, 0);
	hear_pfc(w, "sw5", 9, false, 0x01);
	hear_pfc(w, "sw5", 9, false, 0x80);
	log_captured(&c, text, sizeof(text));
	log_init("test_lldp_ports", LOG_LEVEL_ERROR, false);
	snprintf(want, sizeof(want), "%s%s", line, line);
	assert_string_equal(text, want);
	world_free(w);
}

/* A failure is logged once, and again if it comes back after a success. */
static void test_failure_is_logged_once(void **state)
{
	struct world *w = world_that_refuses();
	struct log_capture c;
	char text[1024];

	(void)state;
	w->mo->provider.names_no_port = true;
	log_init("prog", LOG_LEVEL_ERROR, true);
	c = log_capture();
	hear_pfc(w, "sw5", 9, false, 0x80);
	run(w);
	run(w);
	hear_pfc(w, "sw5", 9, false, 0x40);
	hear_pfc(w, "sw5", 9, false, 0x80);
	log_captured(&c, text, sizeof(text));
	assert_string_equal(text,
			    "<3>prog: lldp: neighbor change not applied: fake cannot: "
			    "expected another; retry in 1 s\n"
			    "<3>prog: lldp: neighbor change not applied: fake cannot: "
			    "expected another; retry in 1 s\n");
	world_free(w);
}

/* --- links, interfaces, LLDP agent --------------------------------------------------------------
 */

/* Without link a port has no neighbor, also while the agent still reports one. */
static void test_port_without_link_has_no_neighbor(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	link.up = false;
	managed_port_update(w->mo->m, managed_find(w->mo->m, 5), &link);
	run(w);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	link.up = true;
	managed_port_update(w->mo->m, managed_find(w->mo->m, 5), &link);
	run(w);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	world_free(w);
}

static void update(struct world *w, const struct link_info *link)
{
	managed_port_update(w->mo->m, managed_find(w->mo->m, link->ifindex), link);
	run(w);
}

/* When a link comes up, refresh() is called if the port has TLVs. */
static void test_link_up_calls_refresh(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink"), silent;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	link.up = false;
	update(w, &link);
	assert_int_equal(w->agent.refreshes, 0);
	link.up = true;
	update(w, &link);
	assert_int_equal(w->agent.refreshes, 1);
	assert_string_equal(w->agent.ifname, "sw5");
	update(w, &link);
	assert_int_equal(w->agent.refreshes, 1);
	silent = mo_world_link(3, "sw3", "");
	silent.up = false;
	update(w, &silent);
	silent.up = true;
	update(w, &silent);
	assert_int_equal(w->agent.refreshes, 1);
	world_free(w);
}

/* A changed MTU is given to the client, as the length of the LLDP frame depends on it. */
static void test_changed_mtu_is_set(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");
	unsigned sets;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	sets = w->agent.sets;
	link.mtu = 9000;
	update(w, &link);
	assert_int_equal(w->agent.sets, sets + 1);
	assert_int_equal(w->agent.mtu, 9000);
	run(w);
	assert_int_equal(w->agent.sets, sets + 1);
	world_free(w);
}

/* forget() is called once when the last TLV goes, and not for a port that never had one. */
static void test_last_tlv_removed_calls_forget(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(3, "lan5", "");

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	send_tlvs(w, 5, 0);
	assert_int_equal(w->agent.forgets, 1);
	assert_string_equal(w->agent.ifname, "sw5");
	update(w, &link); /* sw3 is renamed; it has no TLVs */
	assert_true(managed_port_remove(w->mo->m, managed_find(w->mo->m, 5)));
	assert_int_equal(w->agent.forgets, 1);
	world_free(w);
}

static void test_new_port_replays_neighbors(void **state)
{
	struct world *w = world_new();

	(void)state;
	w->agent.expects_recent = true;
	mo_world_add_port(w->mo, 12, "sw12", "");
	assert_int_equal(w->agent.replays, 1);
	run(w);
	assert_int_equal(w->agent.replays, 1);
	world_free(w);
}

/* An interface that a reload selects was there before, and so were its neighbors. */
static void test_port_of_old_interface_replays_all_neighbors(void **state)
{
	struct world *w = world_new();

	(void)state;
	w->agent.expects_recent = true;
	w->agent.replayed = "sw5";
	mo_world_add_port(w->mo, 5, "sw5", "");
	w->agent.expects_recent = false;
	w->agent.replays = 0;
	lldp_ports_replay(w->mo->m->lldp, w->mo->m->config->ports[managed_find(w->mo->m, 5)].port);
	assert_int_equal(w->agent.replays, 1);
	world_free(w);
}

/* A client that is set later gets the TLVs of the ports. */
static void test_late_client_gets_tlvs(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	(void)state;
	w->mo = mo_world_new(ROLE_BRIDGE);
	w->lp = w->mo->m->lldp;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	w->agent.client.ops = &agent_ops;
	lldp_ports_use(w->lp, &w->agent.client, agent_wake, &w->agent);
	assert_true(w->agent.wakes > 0);
	run(w);
	assert_int_equal(w->agent.sets, 1);
	assert_string_equal(w->agent.ifname, "sw5");
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_PFC);
	world_free(w);
}

static void assert_woken(struct world *w)
{
	assert_true(w->agent.wakes > 0);
	run(w);
	w->agent.wakes = 0;
}

/* Each change calls the owner's wake(); one of an interface that is no port does not. */
static void test_each_change_wakes(void **state)
{
	struct dcb_tlvs tlvs = {.cn = {BIT, BIT}};
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");
	struct lldp_remote r = neighbor("sw5", 9), other = neighbor("eth0", 9);

	(void)state;
	assert_woken(w);
	says(&r, DCB_TLV_CN, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	assert_woken(w);
	lldp_ports_events.remote(w->lp, &other);
	lldp_ports_events.gone(w->lp, &other);
	assert_int_equal(w->agent.wakes, 0);
	lldp_ports_events.gone(w->lp, &r);
	assert_woken(w);
	lldp_ports_events.gone(w->lp, &r);
	assert_int_equal(w->agent.wakes, 0);
	managed_port_update(w->mo->m, managed_find(w->mo->m, 5), &link);
	assert_woken(w);
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	assert_woken(w);
	lldp_ports_events.all_reported(w->lp);
	assert_woken(w);
	world_free(w);
}

/* The neighbor's address is its port ID if that is a MAC address. Each MSAP is a neighbor. */
static void test_address_is_port_id(void **state)
{
	struct world *w = world_new();
	struct lldp_remote r = neighbor("sw5", 9);
	const struct lldp_neighbor *const *of;
	size_t n;

	(void)state;
	lldp_ports_events.remote(w->lp, &r);
	of = lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n);
	assert_int_equal(n, 1);
	assert_true(of[0]->has_address);
	assert_memory_equal(of[0]->address, r.port.octets, ETH_ADDR_OCTETS);
	assert_int_equal(of[0]->ifindex, 5);
	assert_int_equal(of[0]->ttl, r.ttl);
	assert_string_equal(of[0]->sysname, r.sysname);
	lldp_ports_events.gone(w->lp, &r);
	r.port.len = ETH_ADDR_OCTETS - 1;
	lldp_ports_events.remote(w->lp, &r);
	assert_false(lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n)[0]->has_address);
	lldp_ports_events.gone(w->lp, &r);
	r.port.len = ETH_ADDR_OCTETS;
	r.port.subtype++;
	lldp_ports_events.remote(w->lp, &r);
	assert_false(lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n)[0]->has_address);
	/* The same octets with another subtype are another neighbor. */
	r.port.subtype--;
	lldp_ports_events.remote(w->lp, &r);
	lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n);
	assert_int_equal(n, 2);
	r.chassis.octets[0] ^= 1;
	lldp_ports_events.remote(w->lp, &r);
	lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n);
	assert_int_equal(n, 3);
	world_free(w);
}

static void test_rename_and_removal_drop_neighbors(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "lan5", "uplink");
	size_t n;

	(void)state;
	make_cnpv(w);
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	hear_cn(w, "sw5", 9, BIT, BIT);
	managed_port_update(w->mo->m, managed_find(w->mo->m, 5), &link);
	run(w);
	assert_int_equal(w->agent.forgets, 1);
	assert_string_equal(w->agent.ifname, "lan5");
	assert_int_equal(w->agent.replays,
			 1); /* neighbors may have been reported under the new name */
	assert_int_equal(mode(w, 5), CPT_EDGE);
	hear_cn(w, "sw5", 9, BIT, BIT); /* no port has this name any more */
	assert_int_equal(mode(w, 5), CPT_EDGE);
	hear_cn(w, "lan5", 9, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	assert_true(managed_port_remove(w->mo->m, managed_find(w->mo->m, 5)));
	assert_int_equal(w->agent.forgets, 2);
	lldp_ports_neighbors(w->lp, &n);
	assert_int_equal(n, 0);
	world_free(w);
}

static void lose_agent(struct world *w)
{
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	run(w);
}

static void find_agent(struct world *w)
{
	lldp_ports_events.state(w->lp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(w->lp);
	run(w);
}

/* The agent reports a neighbor without TLVs. */
static void hear_silent(struct world *w, const char *ifname, uint8_t address, uint32_t ttl)
{
	struct lldp_remote r = neighbor(ifname, address);

	r.ttl = ttl;
	lldp_ports_events.remote(w->lp, &r);
	run(w);
}

static unsigned stale_of(struct world *w, uint32_t ifindex)
{
	size_t n;
	const struct lldp_neighbor *const *of =
	    lldp_ports_neighbors_of(w->lp, port_at(w, ifindex)->port, &n);
	unsigned stale = 0;

	for (size_t i = 0; i < n; i++)
		stale += of[i]->stale;
	return stale;
}

/* After the agent restarts, neighbors stay in effect until their time to live ends. */
static void test_neighbors_survive_agent_restart(void **state)
{
	struct world *w = world_new();
	struct lldp_ports_stats stats;
	struct dcb_time next;

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw3", 7, BIT, BIT);
	hear_cn(w, "sw5", 9, BIT, BIT);
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	next = run(w);
	assert_in_range(dcb_time_diff_ns(next, clock_now()), 110 * DCB_NS_PER_S,
			120 * DCB_NS_PER_S);
	find_agent(w);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	hear_cn(w, "sw5", 8, BIT, 0); /* another neighbor */
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 2);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(mode(w, 3), CPT_INTERIOR_READY);
	managed_run(w->mo->m, dcb_time_add_ns(clock_now(), 121 * DCB_NS_PER_S));
	assert_int_equal(mode(w, 5), CPT_INTERIOR);
	assert_int_equal(mode(w, 3), CPT_EDGE);
	lldp_ports_read(w->lp, &stats);
	assert_int_equal(stats.aged, 2);
	assert_int_equal(stats.neighbors, 1);
	assert_int_equal(stats.client.connects, 7);
	world_free(w);
}

/*
 * Of two neighbors one is in the domain. Reported alone after a restart of the agent, it
 * would make the port interior.
 */
static void test_second_neighbor_survives_report_of_first(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	hear_silent(w, "sw5", 8, 120);
	hear_cn(w, "sw5", 9, BIT, BIT);
	for (int restart = 0; restart < 3; restart++) {
		lose_agent(w);
		assert_int_equal(stale_of(w, 5), 2);
		find_agent(w);
		hear_cn(w, "sw5", 9, BIT, BIT);
		assert_int_equal(stale_of(w, 5), 1);
		assert_int_equal(lldp_at(w, 5)->n_neighbors, 2);
		assert_int_equal(mode(w, 5), CPT_EDGE);
		assert_int_equal(lldp_at(w, 5)->mode_changes[CNPV], 0);
	}
	hear_silent(w, "sw5", 8, 120);
	assert_int_equal(stale_of(w, 5), 0);
	leave(w, "sw5", 8);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	world_free(w);
}

/* However often the connection is lost, the time to live begins at the first loss. */
static void test_lost_connections_do_not_prolong_life(void **state)
{
	struct world *w = world_new();
	const struct lldp_neighbor *n;
	struct dcb_time until;
	size_t count;

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	lose_agent(w);
	n = lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &count)[0];
	until = n->until;
	for (int i = 0; i < 3; i++) {
		struct dcb_time before = clock_now();

		while (clock_now().ns == before.ns)
			;
		find_agent(w);
		lose_agent(w);
		assert_int_equal(n->until.ns, until.ns);
	}
	managed_run(w->mo->m, until);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	world_free(w);
}

/* The agent that heard them is gone: without link, only dcbd can drop stale neighbors. */
static void test_link_down_drops_stale_neighbors(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw3", 7, BIT, BIT);
	hear_cn(w, "sw5", 9, BIT, BIT);
	lose_agent(w);
	link.up = false;
	managed_port_update(w->mo->m, managed_find(w->mo->m, 5), &link);
	run(w);
	link.up = true;
	managed_port_update(w->mo->m, managed_find(w->mo->m, 5), &link);
	run(w);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 0);
	assert_int_equal(mode(w, 3), CPT_INTERIOR_READY);
	world_free(w);
}

/* If a port has the most neighbors, a new one replaces the stale one that ages out first. */
static void test_stale_neighbors_make_room(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	for (uint8_t i = 1; i <= LLDP_NEIGHBORS_MAX; i++)
		hear_silent(w, "sw3", i, i == 7 ? 20 : i == 8 ? 30 : 60);
	assert_int_equal(lldp_at(w, 3)->n_neighbors, LLDP_NEIGHBORS_MAX);
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	lldp_ports_events.state(w->lp, LLDP_MISMATCH);
	lldp_ports_events.state(w->lp, LLDP_CONNECTED);
	hear_cn(w, "sw3", 200, BIT, BIT);
	assert_int_equal(lldp_at(w, 3)->n_neighbors, LLDP_NEIGHBORS_MAX);
	assert_int_equal(stale_of(w, 3), LLDP_NEIGHBORS_MAX - 1);
	managed_run(w->mo->m, dcb_time_add_ns(clock_now(), 25 * DCB_NS_PER_S));
	assert_int_equal(lldp_at(w, 3)->n_neighbors, LLDP_NEIGHBORS_MAX);
	managed_run(w->mo->m, dcb_time_add_ns(clock_now(), 61 * DCB_NS_PER_S));
	assert_int_equal(lldp_at(w, 3)->n_neighbors, 1);
	assert_int_equal(mode(w, 3), CPT_INTERIOR_READY);
	world_free(w);
}

/* --- DCBX
 * ------------------------------------------------------------------------------------------ */

static void test_willing_port_takes_pfc(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;
	struct port_config *pc;

	(void)state;
	pc = edit(w, 5, &config);
	pc->pfc.enable = 0x01;
	pc->dcbx.tx_enable = 1u << DCB_TLV_PFC;
	pc->dcbx.pfc_willing = true;
	publish(w, config);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x01);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x01);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x18);
	assert_true(w->agent.tlvs.pfc.willing);
	assert_int_equal(port_at(w, 5)->config->pfc.enable, 0x01);
	assert_int_equal(lldp_at(w, 5)->dcbx.mismatch, 0);
	assert_int_equal(port_at(w, 3)->oper.pfc_enable, 0);
	leave(w, "sw5", 9);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x01);
	assert_int_equal(lldp_at(w, 5)->dcbx_changes, 3); /* set, from neighbor, own again */
	world_free(w);
}

static void hear_apps(struct world *w, const struct app_tlv *apps)
{
	struct lldp_remote r = neighbor("sw5", 9);
	struct dcb_tlvs tlvs = {.app = *apps};

	says(&r, DCB_TLV_APP, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	run(w);
}

/* Returns the priority of a TCP port by the application priorities in force on port 5. */
static unsigned tcp_priority(struct world *w, uint16_t port)
{
	const struct flow_keys keys = {
	    .ethertype = 0x0800, .protocol = 6, .port = port, .is_ip = true, .has_ports = true};
	const struct dcb_config_port *at = port_at(w, 5);
	struct app_map map;

	port_app_map(&map, at->config, at->peer_apps);
	return app_map_find(&map, &keys);
}

#define APP(party) "lldpXdot1dcbx" party "ApplicationPriorityAEPriority"

static void test_willing_port_takes_application_priorities(void **state)
{
	const struct app_tlv apps = {.n = 2, .of = {{APP_TCP, 4, 3260}, {APP_DSCP, 6, 48}}};
	struct world *w = world_new();
	const struct peer_apps *taken;
	struct dcb_config *config;
	struct port_config *pc;
	uint64_t generation;

	(void)state;
	pc = edit(w, 5, &config);
	pc->dcbx.tx_enable = 1u << DCB_TLV_PFC | 1u << DCB_TLV_APP;
	pc->dcbx.n_apps = 1;
	pc->dcbx.apps[0] = (struct app_priority){APP_TCP, 5, 80};
	publish(w, config);
	hear_apps(w, &apps);
	assert_null(port_at(w, 5)->peer_apps); /* not willing */
	assert_int_equal(tcp_priority(w, 80), 5);
	assert_int_equal(w->agent.tlvs.app.of[0].protocol, 80);
	edit(w, 5, &config)->dcbx.pfc_willing = true;
	publish(w, config);
	taken = port_at(w, 5)->peer_apps;
	assert_non_null(taken);
	assert_int_equal(tcp_priority(w, 3260), 4);
	assert_int_equal(tcp_priority(w, 80), APP_NONE);
	assert_int_equal(w->agent.tlvs.app.n, 2); /* those in force, as for PFC */
	assert_column(w->mo, APP("Loc"), "5.2.3260=4 5.5.48=6");
	assert_column(w->mo, APP("Admin"), "5.2.80=5");
	assert_column(w->mo, "dcbDcbxAppPriority", "5.2.80=5");
	/* A change of another port, or the same TLV again, changes nothing here. */
	edit(w, 3, &config)->pfc.enable = 1;
	publish(w, config);
	assert_ptr_equal(port_at(w, 5)->peer_apps, taken);
	generation = w->mo->m->generation;
	hear_apps(w, &apps);
	assert_int_equal(w->mo->m->generation, generation);
	/* Other values: one publication. */
	hear_apps(w, &(struct app_tlv){.n = 1, .of = {{APP_TCP, 2, 3260}}});
	assert_int_equal(w->mo->m->generation, generation + 1);
	assert_int_equal(tcp_priority(w, 3260), 2);
	leave(w, "sw5", 9);
	assert_int_equal(w->mo->m->generation, generation + 2);
	assert_null(port_at(w, 5)->peer_apps);
	assert_int_equal(tcp_priority(w, 80), 5);
	assert_column(w->mo, APP("Loc"), "5.2.80=5");
	world_free(w);
}

/* Makes port 5 willing to take PFC. */
static void make_willing(struct world *w)
{
	struct dcb_config *config;

	edit(w, 5, &config)->dcbx =
	    (struct dcbx_config){.tx_enable = 1u << DCB_TLV_PFC, .pfc_willing = true};
	publish(w, config);
}

/* The firmware of a NIC beside the neighbor's LLDP agent does not end DCBX with the neighbor. */
static void test_neighbor_without_dcbx_does_not_count(void **state)
{
	struct world *w = world_new();
	const struct lldp_port *port;

	(void)state;
	make_willing(w);
	make_cnpv(w);
	hear_silent(w, "sw5", 1, 120);
	port = lldp_at(w, 5);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_PEER_SILENT);
	assert_int_equal(port->dcbx_peer->port.octets[5], 1);
	hear_pfc(w, "sw5", 9, false, 0x18);
	hear_cn(w, "sw5", 2, BIT, BIT); /* no DCBX TLV either */
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	assert_int_equal(port->dcbx.mismatch, 0);
	assert_int_equal(port->dcbx_peer->port.octets[5], 9);
	assert_int_equal(port->n_neighbors, 3);
	assert_int_equal(port->n_dcbx, 1);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0x18);
	/* The domain of the CNPV needs a single neighbor. */
	assert_null(port->peer);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	leave(w, "sw5", 9);
	assert_null(port->dcbx_peer);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_PEER_SILENT);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	world_free(w);
}

/* Two neighbors that send DCBX TLVs: none of them counts, as before. */
static void test_two_neighbors_with_dcbx_do_not_count(void **state)
{
	struct world *w = world_new();
	const struct lldp_port *port;
	struct dcb_tlvs tlvs = {.app = {.n = 1, .of = {{1, 3, 0x8906}}}};
	struct lldp_remote r = neighbor("sw5", 8);

	(void)state;
	make_willing(w);
	hear_pfc(w, "sw5", 9, false, 0x18);
	port = lldp_at(w, 5);
	says(&r, DCB_TLV_APP, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	run(w);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_MANY_PEERS);
	assert_int_equal(port->dcbx.mismatch, 1u << DCBX_MISMATCH_PEERS);
	assert_int_equal(port->n_dcbx, 2);
	assert_null(port->dcbx_peer);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	/* A malformed TLV is one that was sent. */
	r.tlvs[0].len = 2;
	lldp_ports_events.remote(w->lp, &r);
	run(w);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_MANY_PEERS);
	leave(w, "sw5", 8);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	world_free(w);
}

/*
 * The Application VLAN TLV is sent with its settings, or empty. It is no TLV that DCBX
 * negotiates with: a second neighbor that sends only it changes nothing.
 */
static void test_application_vlan_tlv_is_informational(void **state)
{
	struct world *w = world_new();
	const struct lldp_port *port;
	struct dcb_tlvs tlvs = {.app_vlan = {.n = 1, .of = {{1, 1002, 0x8906}}}};
	struct lldp_remote r = neighbor("sw5", 8);
	struct dcb_config *config;

	(void)state;
	make_willing(w);
	hear_pfc(w, "sw5", 9, false, 0x18);
	port = lldp_at(w, 5);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	send_tlvs(w, 5, 1u << DCB_TLV_PFC | 1u << DCB_TLV_APP_VLAN);
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_PFC | 1u << DCB_TLV_APP_VLAN);
	assert_int_equal(w->agent.tlvs.app_vlan.n, 0);
	dcbx_config_put_app_vlan(&edit(w, 5, &config)->dcbx, &tlvs.app_vlan.of[0]);
	publish(w, config);
	assert_memory_equal(&w->agent.tlvs.app_vlan, &tlvs.app_vlan, sizeof(tlvs.app_vlan));
	says(&r, DCB_TLV_APP_VLAN, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	run(w);
	assert_int_equal(port->n_neighbors, 2);
	assert_int_equal(port->n_dcbx, 1);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	assert_int_equal(port->dcbx.mismatch, 0);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	world_free(w);
}

/* Objects are read between the report that a neighbor is gone and the port's evaluation. */
static void test_gone_neighbor_is_no_peer(void **state)
{
	struct world *w = world_new();
	struct lldp_remote r = neighbor("sw5", 9);

	(void)state;
	make_willing(w);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_non_null(lldp_at(w, 5)->peer);
	lldp_ports_events.gone(w->lp, &r);
	assert_null(lldp_at(w, 5)->peer);
	assert_null(lldp_at(w, 5)->dcbx_peer);
	world_free(w);
}

/* oper is not part of the settings: UNDO of a SET does not restore it. */
static void test_undo_does_not_restore_oper(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;

	(void)state;
	edit(w, 5, &config)->dcbx =
	    (struct dcbx_config){.tx_enable = 1u << DCB_TLV_PFC, .pfc_willing = true};
	publish(w, config);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_int_equal(
	    mo_world_test(
		w->mo, (const char *const[][3]){{"ieee8021PfcLinkDelayAllowance", "5", "1000"}}, 1),
	    MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w->mo, MO_OP_COMMIT), MO_NO_ERROR);
	hear_pfc(w, "sw5", 9, false, 0x21);
	assert_int_equal(mo_world_phase(w->mo, MO_OP_UNDO), MO_NO_ERROR);
	assert_int_equal(port_at(w, 5)->config->pfc_link_delay_allowance, 0);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x21);
	world_free(w);
}

/* A mismatch is notified after the hold-off and when it is over; a transient one is not. */
static void test_lasting_mismatch_is_notified(void **state)
{
	struct world *w = world_new();
	struct dcb_time next;
	uint64_t before;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	before = events_next(w->mo->m->events);
	hear_pfc(w, "sw5", 9, false, 0x18);
	hear_pfc(w, "sw5", 9, false, 0x00);
	assert_int_equal(events_next(w->mo->m->events), before);
	hear_pfc(w, "sw5", 9, false, 0x18);
	next = run(w);
	assert_int_equal(events_next(w->mo->m->events), before);
	assert_in_range(dcb_time_diff_ns(next, clock_now()), DCB_NS_PER_S, 2 * DCB_NS_PER_S);
	managed_run(w->mo->m, next);
	assert_int_equal(events_next(w->mo->m->events), before + 1);
	managed_run(w->mo->m, dcb_time_add_ns(next, DCB_NS_PER_S));
	assert_int_equal(events_next(w->mo->m->events), before + 1);
	hear_pfc(w, "sw5", 9, false, 0x00);
	assert_int_equal(events_next(w->mo->m->events), before + 2);
	world_free(w);
}

/* The hold-off starts again if the mismatch was over in between. */
static void test_hold_off_restarts(void **state)
{
	struct world *w = world_new();
	struct dcb_tlvs on = {.pfc = {.cap = 8, .enable = 0x18}}, off = {.pfc = {.cap = 8}};
	struct lldp_remote r = neighbor("sw5", 9);
	struct dcb_time start = clock_now();
	uint64_t before;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	before = events_next(w->mo->m->events);
	for (int64_t ms = 0; ms <= 4500; ms += 1500) {
		struct dcb_time now = dcb_time_add_ns(start, ms * DCB_NS_PER_MS);

		r.n_tlvs = 0;
		says(&r, DCB_TLV_PFC, &on);
		lldp_ports_events.remote(w->lp, &r);
		managed_run(w->mo->m, now);
		assert_int_equal(managed_run(w->mo->m, now).ns, now.ns + 2 * DCB_NS_PER_S);
		r.n_tlvs = 0;
		says(&r, DCB_TLV_PFC, &off);
		lldp_ports_events.remote(w->lp, &r);
		managed_run(w->mo->m, dcb_time_add_ns(now, DCB_NS_PER_S));
	}
	assert_int_equal(events_next(w->mo->m->events), before);
	world_free(w);
}

/* Both willing: the port with the lower MAC address uses the peer's PFC (clause 38). */
static void test_lower_address_takes(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;

	(void)state;
	edit(w, 5, &config)->dcbx.tx_enable = 1u << DCB_TLV_PFC;
	dcb_config_edit_port(config, managed_find(w->mo->m, 5))->dcbx.pfc_willing = true;
	publish(w, config);
	hear_pfc(w, "sw5", 0xff, true, 0x18);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_TAKEN);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	leave(w, "sw5", 0xff);
	hear_pfc(w, "sw5", 0, true, 0x18);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_PEER_TAKES);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	world_free(w);
}

/* --- LLDPDUs that a port received
 * ---------------------------------------------------------------------- */

#define NEAREST   true
#define ELSEWHERE false

/* The head of an LLDPDU of neighbor(ifname, address), with a source address of its own. */
static struct lldpdu lldpdu_of(uint8_t address, uint8_t source, bool nearest)
{
	struct lldp_remote r = neighbor("sw5", address);
	struct lldpdu pdu = {.source = {2, 0, 0, 0, 0, source}, .nearest = nearest, .ttl = 120};

	pdu.msap =
	    lldpdu_msap((struct lldpdu_id){r.chassis.subtype, r.chassis.len, r.chassis.octets},
			(struct lldpdu_id){r.port.subtype, r.port.len, r.port.octets});
	return pdu;
}

static void see(struct world *w, uint32_t ifindex, struct lldpdu pdu, struct dcb_time at)
{
	lldp_ports_heard(w->lp, port_at(w, ifindex)->port->slot, &pdu, at);
	run(w);
}

static const struct lldp_neighbor *neighbor_of(struct world *w, uint32_t ifindex)
{
	size_t n;
	const struct lldp_neighbor *const *of =
	    lldp_ports_neighbors_of(w->lp, port_at(w, ifindex)->port, &n);

	assert_int_equal(n, 1);
	return of[0];
}

/*
 * Both willing: the source address decides, not the port ID. The port's own address ends
 * in 5 (mo_world_link()). The frame arrives before lldpd's report or after it.
 */
static void test_source_address_breaks_the_tie(void **state)
{
	uint8_t own;

	(void)state;
	for (int before = 0; before < 2; before++) {
		struct world *w = world_new();

		make_willing(w);
		own = port_at(w, 5)->port->link.mac[5];
		assert_in_range(own, 1, 0xfe);
		if (before)
			see(w, 5, lldpdu_of(0xff, own - 1, NEAREST), clock_now());
		hear_pfc(w, "sw5", 0xff, true, 0x18);
		if (!before) {
			assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_TAKEN);
			assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_PORT_ID);
			see(w, 5, lldpdu_of(0xff, own - 1, NEAREST), clock_now());
		}
		assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_PEER_TAKES);
		assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
		assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_SOURCE);
		assert_int_equal(neighbor_of(w, 5)->address[5], own - 1);
		/* A frame to another group address does not change it, one to the nearest does. */
		see(w, 5, lldpdu_of(0xff, own + 1, ELSEWHERE), clock_now());
		assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_PEER_TAKES);
		see(w, 5, lldpdu_of(0xff, own + 1, NEAREST), clock_now());
		assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_TAKEN);
		/* lldpd's next report keeps it. */
		hear_pfc(w, "sw5", 0xff, true, 0x28);
		assert_int_equal(neighbor_of(w, 5)->address[5], own + 1);
		assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x28);
		/* Another neighbor's frames and those of another port do not count. */
		see(w, 5, lldpdu_of(0xfe, own - 1, NEAREST), clock_now());
		see(w, 3, lldpdu_of(0xff, own - 1, NEAREST), clock_now());
		assert_int_equal(neighbor_of(w, 5)->address[5], own + 1);
		world_free(w);
	}
}

/* The nearest bridge is another system: nothing is known about the address of this one. */
static void test_frames_to_other_addresses_break_no_tie(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_willing(w);
	see(w, 5, lldpdu_of(0xff, 0xff, ELSEWHERE), clock_now());
	hear_pfc(w, "sw5", 0xff, true, 0x18);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_UNDECIDED);
	assert_int_equal(lldp_at(w, 5)->dcbx.mismatch >> DCBX_MISMATCH_UNDECIDED & 1, 1);
	assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_ELSEWHERE);
	assert_false(neighbor_of(w, 5)->has_address);
	world_free(w);
}

/* The time to live of a stale neighbor begins with its last LLDPDU, not with the loss. */
static void test_stale_neighbor_lives_from_its_last_lldpdu(void **state)
{
	struct world *w = world_new();
	struct dcb_time start = clock_now(), heard = dcb_time_add_ns(start, -100 * DCB_NS_PER_S);
	struct lldpdu pdu = lldpdu_of(9, 9, ELSEWHERE);

	(void)state;
	make_cnpv(w);
	see(w, 5, pdu, dcb_time_add_ns(heard, -30 * DCB_NS_PER_S));
	hear_cn(w, "sw5", 9, BIT, BIT);
	see(w, 5, pdu, heard);
	lose_agent(w);
	assert_int_equal(neighbor_of(w, 5)->until.ns, heard.ns + 120 * DCB_NS_PER_S);
	/* LLDPDUs that no agent decoded do not prolong it: they may have other contents. */
	see(w, 5, pdu, start);
	assert_int_equal(neighbor_of(w, 5)->until.ns, heard.ns + 120 * DCB_NS_PER_S);
	find_agent(w);
	lose_agent(w);
	assert_int_equal(neighbor_of(w, 5)->until.ns, heard.ns + 120 * DCB_NS_PER_S);
	managed_run(w->mo->m, dcb_time_add_ns(heard, 119 * DCB_NS_PER_S));
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	managed_run(w->mo->m, dcb_time_add_ns(heard, 120 * DCB_NS_PER_S));
	assert_int_equal(mode(w, 5), CPT_EDGE);
	world_free(w);
}

/* lldpd does not report the shutdown of a neighbor that it did not know after its restart. */
static void test_shutdown_lldpdu_ends_stale_neighbor(void **state)
{
	struct world *w = world_new();
	struct lldpdu pdu = lldpdu_of(9, 9, NEAREST);

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	pdu.ttl = 0;
	see(w, 5, pdu, clock_now()); /* the agent reports the end of a neighbor that it knows */
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	pdu.ttl = 120;
	see(w, 5, pdu, clock_now());
	lose_agent(w);
	find_agent(w);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	pdu.ttl = 0;
	see(w, 5, pdu, clock_now());
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 0);
	world_free(w);
}

/* LLDPDUs of many identifiers do not displace those of neighbors. */
static void test_flood_of_identifiers_spares_neighbors(void **state)
{
	struct world *w = world_new();
	struct lldpdu pdu = lldpdu_of(9, 0x77, NEAREST);

	(void)state;
	see(w, 5, pdu, clock_now());
	hear_silent(w, "sw5", 9, 120);
	for (unsigned i = 0; i < 1000; i++) {
		pdu.msap = i;
		see(w, 5, pdu, clock_now());
	}
	/* lldpd reports the neighbor once more. */
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_SOURCE);
	assert_int_equal(neighbor_of(w, 5)->address[5], 0x77);
	world_free(w);
}

/* An event of a port that has been closed, or was never opened, has no effect. */
static void test_lldpdu_of_no_port_is_ignored(void **state)
{
	struct world *w = world_new();
	struct lldpdu pdu = lldpdu_of(9, 9, NEAREST);

	(void)state;
	lldp_ports_heard(w->lp, DCB_SLOTS - 1, &pdu, clock_now());
	lldp_ports_heard(w->lp, UINT16_MAX, &pdu, clock_now());
	run(w);
	world_free(w);
}

/* --- table of neighbors
 * ----------------------------------------------------------------------- */

static void test_neighbors_in_order(void **state)
{
	static const char *const names[] = {"sw3", "sw5", "sw9"};
	struct world *w = world_new();
	struct dcb_rng rng;
	const struct lldp_neighbor *const *all;
	struct lldp_ports_stats stats;
	size_t n, of_port;

	(void)state;
	dcb_rng_seed(&rng, 1, 0);
	for (unsigned i = 0; i < 200; i++) {
		unsigned r = dcb_rng_next(&rng) >> 8;

		if (r % 5 == 0)
			leave(w, names[r % 3], (uint8_t)(r / 16 % 40));
		else
			hear_cn(w, names[r % 3], (uint8_t)(r / 16 % 40), (uint8_t)r, 0);
		all = lldp_ports_neighbors(w->lp, &n);
		of_port = 0;
		for (unsigned k = 0; k < 3; k++) {
			size_t some;

			lldp_ports_neighbors_of(
			    w->lp, port_at(w, 3 + 2 * k + (k == 2 ? 2 : 0))->port, &some);
			of_port += some;
		}
		assert_int_equal(n, of_port);
		for (size_t k = 1; k < n; k++) {
			const struct lldp_neighbor *a = all[k - 1], *b = all[k];

			assert_true(a->time_mark < b->time_mark ||
				    (a->time_mark == b->time_mark &&
				     (a->ifindex < b->ifindex ||
				      (a->ifindex == b->ifindex && a->index < b->index))));
		}
	}
	for (unsigned i = 0; i < 60; i++)
		hear_cn(w, "sw3", (uint8_t)(100 + i), 0, 0);
	lldp_ports_neighbors_of(w->lp, port_at(w, 3)->port, &n);
	assert_int_equal(n, LLDP_NEIGHBORS_MAX);
	lldp_ports_read(w->lp, &stats);
	assert_true(stats.neighbors_refused >= 28);
	world_free(w);
}

/* lldpV2RemTimeMark: dcbAgentUpTime in centiseconds of the neighbor's last change. */
static void test_time_mark_is_that_of_the_last_change(void **state)
{
	struct dcb_time before = clock_now(), made;
	struct world *w = world_new();
	const struct lldp_neighbor *const *all;
	int64_t least;
	size_t n;

	(void)state;
	made = clock_now();
	hear_cn(w, "sw5", 9, BIT, BIT);
	while (dcb_time_diff_ns(clock_now(), made) < 30 * DCB_NS_PER_MS)
		;
	least = dcb_time_diff_ns(clock_now(), made) / (10 * DCB_NS_PER_MS);
	hear_cn(w, "sw5", 9, BIT, 0);
	all = lldp_ports_neighbors(w->lp, &n);
	assert_int_equal(n, 1);
	assert_in_range(all[0]->time_mark, least,
			dcb_time_diff_ns(clock_now(), before) / (10 * DCB_NS_PER_MS));
	world_free(w);
}

static void test_malformed_tlv_is_counted(void **state)
{
	struct world *w = world_new();
	struct lldp_remote r = neighbor("sw5", 9);
	struct dcb_tlvs tlvs = {.cn = {BIT, BIT}};

	(void)state;
	make_cnpv(w);
	says(&r, DCB_TLV_CN, &tlvs);
	r.tlvs[0].len = 1;
	lldp_ports_events.remote(w->lp, &r);
	run(w);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->malformed[DCB_TLV_CN], 1);
	assert_int_equal(lldp_at(w, 5)->malformed[DCB_TLV_PFC], 0);
	world_free(w);
}

/* --- memory of thousands of ports
 * -------------------------------------------------------------- */

static void test_state_of_a_port_is_small(void **state)
{
	(void)state;
	print_message("struct lldp_tracked: %zu octets\n", sizeof(struct lldp_tracked));
	assert_true(sizeof(struct lldp_tracked) <= 544);
}

/* Also after a change, its undo, and a neighbor that comes and goes. */
static void test_ports_share_equal_tlvs(void **state)
{
	struct world *w = world_new();
	const struct dcb_tlvs *both = lldp_at(w, 3)->sent;
	struct dcb_config *config;
	struct provider_refusal why;

	(void)state;
	assert_ptr_equal(lldp_at(w, 5)->sent, both);
	edit(w, 5, &config)->dcbx.pfc_willing = true;
	assert_true(managed_prepare(w->mo->m, config, &why));
	assert_ptr_not_equal(lldp_at(w, 5)->sent, both);
	managed_abort(w->mo->m);
	assert_ptr_equal(lldp_at(w, 5)->sent, both);

	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	assert_int_equal(lldp_at(w, 5)->sent->present, 1u << DCB_TLV_PFC);
	assert_int_equal(lldp_at(w, 3)->sent->present, 0);
	send_tlvs(w, 3, 1u << DCB_TLV_PFC);
	assert_ptr_equal(lldp_at(w, 5)->sent, lldp_at(w, 3)->sent);
	edit(w, 5, &config)->dcbx.pfc_willing = true;
	publish(w, config);
	assert_true(lldp_at(w, 5)->sent->pfc.willing);
	assert_false(lldp_at(w, 3)->sent->pfc.willing);
	hear_pfc(w, "sw5", 9, false, 0x02);
	assert_int_equal(lldp_at(w, 5)->sent->pfc.enable, 0x02);
	assert_int_equal(lldp_at(w, 3)->sent->pfc.enable, 0);
	leave(w, "sw5", 9);
	edit(w, 5, &config)->dcbx.pfc_willing = false;
	publish(w, config);
	assert_ptr_equal(lldp_at(w, 5)->sent, lldp_at(w, 3)->sent);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_state_of_a_port_is_small),
	    cmocka_unit_test(test_ports_share_equal_tlvs),
	    cmocka_unit_test(test_defense_mode_follows_cn_tlv),
	    cmocka_unit_test(test_change_without_effect_publishes_nothing),
	    cmocka_unit_test(test_two_neighbors_are_an_edge),
	    cmocka_unit_test(test_unused_lldp_instance_ignores_cn_tlv),
	    cmocka_unit_test(test_master_enable_disables_defense),
	    cmocka_unit_test(test_pfc_is_agreed_where_neighbor_has_it),
	    cmocka_unit_test(test_refused_neighbor_is_kept_back),
	    cmocka_unit_test(test_publishing_retries_neighbor_kept_back),
	    cmocka_unit_test(test_refused_set_keeps_mismatch),
	    cmocka_unit_test(test_refusal_affects_one_of_two_neighbors),
	    cmocka_unit_test(test_unevaluated_neighbor_does_not_fail_set),
	    cmocka_unit_test(test_refusal_without_port_is_retried),
	    cmocka_unit_test(test_refusal_is_logged_once),
	    cmocka_unit_test(test_failure_is_logged_once),
	    cmocka_unit_test(test_port_without_link_has_no_neighbor),
	    cmocka_unit_test(test_link_up_calls_refresh),
	    cmocka_unit_test(test_changed_mtu_is_set),
	    cmocka_unit_test(test_last_tlv_removed_calls_forget),
	    cmocka_unit_test(test_new_port_replays_neighbors),
	    cmocka_unit_test(test_port_of_old_interface_replays_all_neighbors),
	    cmocka_unit_test(test_late_client_gets_tlvs),
	    cmocka_unit_test(test_each_change_wakes),
	    cmocka_unit_test(test_address_is_port_id),
	    cmocka_unit_test(test_rename_and_removal_drop_neighbors),
	    cmocka_unit_test(test_neighbors_survive_agent_restart),
	    cmocka_unit_test(test_second_neighbor_survives_report_of_first),
	    cmocka_unit_test(test_lost_connections_do_not_prolong_life),
	    cmocka_unit_test(test_link_down_drops_stale_neighbors),
	    cmocka_unit_test(test_stale_neighbors_make_room),
	    cmocka_unit_test(test_willing_port_takes_pfc),
	    cmocka_unit_test(test_willing_port_takes_application_priorities),
	    cmocka_unit_test(test_lower_address_takes),
	    cmocka_unit_test(test_neighbor_without_dcbx_does_not_count),
	    cmocka_unit_test(test_two_neighbors_with_dcbx_do_not_count),
	    cmocka_unit_test(test_application_vlan_tlv_is_informational),
	    cmocka_unit_test(test_gone_neighbor_is_no_peer),
	    cmocka_unit_test(test_source_address_breaks_the_tie),
	    cmocka_unit_test(test_frames_to_other_addresses_break_no_tie),
	    cmocka_unit_test(test_stale_neighbor_lives_from_its_last_lldpdu),
	    cmocka_unit_test(test_shutdown_lldpdu_ends_stale_neighbor),
	    cmocka_unit_test(test_flood_of_identifiers_spares_neighbors),
	    cmocka_unit_test(test_lldpdu_of_no_port_is_ignored),
	    cmocka_unit_test(test_undo_does_not_restore_oper),
	    cmocka_unit_test(test_lasting_mismatch_is_notified),
	    cmocka_unit_test(test_hold_off_restarts),
	    cmocka_unit_test(test_neighbors_in_order),
	    cmocka_unit_test(test_time_mark_is_that_of_the_last_change),
	    cmocka_unit_test(test_malformed_tlv_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
