/* SPDX-License-Identifier: BSD-3-Clause */
/* A mo_world whose neighbors are reported by an LLDP client that records calls. */
#ifndef DCB_TESTS_LLDP_WORLD_H
#define DCB_TESTS_LLDP_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "control/managed/lldp_ports_private.h"
#include "tests/unit/lldp_remote.h"
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

static inline void agent_set(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
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

static inline void agent_forget(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;

	a->forgets++;
	snprintf(a->ifname, sizeof(a->ifname), "%s", ifname);
}

static inline void agent_refresh(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;

	a->refreshes++;
	snprintf(a->ifname, sizeof(a->ifname), "%s", ifname);
}

static inline void agent_replay(struct lldp_client *c, const char *ifname, bool recent)
{
	struct agent *a = (struct agent *)c;

	a->replays++;
	assert_int_equal(recent, a->expects_recent);
	assert_string_equal(ifname, a->replayed ? a->replayed : recent ? "sw12" : "lan5");
}

static inline void agent_read(const struct lldp_client *c, struct lldp_stats *out)
{
	(void)c;
	*out = (struct lldp_stats){.connects = 7};
}

static inline void agent_destroy(struct lldp_client *c)
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

static inline void agent_wake(void *ctx)
{
	((struct agent *)ctx)->wakes++;
}

struct world {
	struct mo_world *mo;
	struct lldp_ports *lp;
	struct agent agent;
};

static inline struct world *world_new(void)
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

static inline void world_free(struct world *w)
{
	unsigned wakes = w->agent.wakes;

	mo_world_free(w->mo);
	assert_int_equal(w->agent.destroys, 1);
	/* wake() must not be called: its ctx may be freed. */
	assert_int_equal(w->agent.wakes, wakes);
	free(w);
}

static inline struct dcb_time run(struct world *w)
{
	struct dcb_time next = managed_run(w->mo->m, clock_now());

	mo_world_adopt(w->mo);
	return next;
}

static inline const struct dcb_config_port *port_at(struct world *w, uint32_t ifindex)
{
	size_t pos = managed_find(w->mo->m, ifindex);

	assert_true(pos < w->mo->m->config->n_ports);
	return &w->mo->m->config->ports[pos];
}

static inline const struct lldp_port *lldp_at(struct world *w, uint32_t ifindex)
{
	return lldp_ports_at(w->lp, port_at(w, ifindex)->port);
}

static inline unsigned mode(struct world *w, uint32_t ifindex)
{
	return port_at(w, ifindex)->oper.cnpd_auto_defense_mode[CNPV];
}

/* Returns the settings of a port for editing, in a new configuration. */
static inline struct port_config *edit(struct world *w, uint32_t ifindex,
				       struct dcb_config **config)
{
	*config = dcb_config_copy(w->mo->m->config);
	assert_non_null(*config);
	return dcb_config_edit_port(*config, managed_find(w->mo->m, ifindex));
}

static inline void publish(struct world *w, struct dcb_config *config)
{
	struct provider_refusal why;

	assert_true(managed_publish(w->mo->m, config, &why));
	run(w);
}

static inline void send_tlvs(struct world *w, uint32_t ifindex, uint8_t tx_enable)
{
	struct dcb_config *config;

	edit(w, ifindex, &config)->dcbx.tx_enable = tx_enable;
	publish(w, config);
}

/* Makes a port willing to take PFC. */
static inline void make_willing(struct world *w, uint32_t ifindex)
{
	struct dcb_config *config;

	edit(w, ifindex, &config)->dcbx =
	    (struct dcbx_config){.tx_enable = 1u << DCB_TLV_PFC, .pfc_willing = true};
	publish(w, config);
}

static inline void make_cnpv(struct world *w)
{
	assert_int_equal(SET(w->mo, {"ieee8021CnComPriRowStatus", "1.3", "createAndGo"}),
			 MO_NO_ERROR);
	run(w);
}

static inline void update(struct world *w, const struct link_info *link)
{
	managed_port_update(w->mo->m, managed_find(w->mo->m, link->ifindex), link);
	run(w);
}

/* The agent reports a neighbor. */
static inline void report(struct world *w, const struct lldp_remote *r)
{
	lldp_ports_events.remote(w->lp, r);
	run(w);
}

/* The agent reports a neighbor with one of these TLVs. */
static inline void hear(struct world *w, const char *ifname, uint8_t address, enum dcb_tlv which,
			const struct dcb_tlvs *tlvs)
{
	struct lldp_remote r = neighbor(ifname, address);

	says(&r, which, tlvs);
	report(w, &r);
}

static inline void hear_cn(struct world *w, const char *ifname, uint8_t address, uint8_t cnpv,
			   uint8_t ready)
{
	hear(w, ifname, address, DCB_TLV_CN, &(struct dcb_tlvs){.cn = {cnpv, ready}});
}

static inline void hear_pfc(struct world *w, const char *ifname, uint8_t address, bool willing,
			    uint8_t enable)
{
	hear(w, ifname, address, DCB_TLV_PFC,
	     &(struct dcb_tlvs){.pfc = {.willing = willing, .cap = 8, .enable = enable}});
}

static inline void leave(struct world *w, const char *ifname, uint8_t address)
{
	struct lldp_remote r = neighbor(ifname, address);

	lldp_ports_events.gone(w->lp, &r);
	run(w);
}

/* The agent reports a neighbor without TLVs. */
static inline void hear_silent(struct world *w, const char *ifname, uint8_t address, uint32_t ttl)
{
	struct lldp_remote r = neighbor(ifname, address);

	r.ttl = ttl;
	report(w, &r);
}

#define NEAREST   true
#define ELSEWHERE false

/* The head of an LLDPDU of neighbor(ifname, address), with a source address of its own. */
static inline struct lldpdu lldpdu_of(uint8_t address, uint8_t source, bool nearest)
{
	struct lldp_remote r = neighbor("sw5", address);
	struct lldpdu pdu = {.source = {2, 0, 0, 0, 0, source}, .nearest = nearest, .ttl = 120};

	pdu.msap =
	    lldpdu_msap((struct lldpdu_id){r.chassis.subtype, r.chassis.len, r.chassis.octets},
			(struct lldpdu_id){r.port.subtype, r.port.len, r.port.octets});
	return pdu;
}

static inline void see(struct world *w, uint32_t ifindex, struct lldpdu pdu, struct dcb_time at)
{
	lldp_ports_heard(w->lp, port_at(w, ifindex)->port->slot, &pdu, at);
	run(w);
}

static inline const struct lldp_neighbor *neighbor_of(struct world *w, uint32_t ifindex)
{
	size_t n;
	const struct lldp_neighbor *const *of =
	    lldp_ports_neighbors_of(w->lp, port_at(w, ifindex)->port, &n);

	assert_int_equal(n, 1);
	return of[0];
}

#endif
