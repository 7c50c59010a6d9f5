/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/lldp_ports.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "control/managed/lldp_ports_private.h"

/* Hold-off before dcbDcbxMismatch: a mismatch is transient during negotiation. */
#define MISMATCH_SETTLES_NS (2 * DCB_NS_PER_S)

/* cncpDoesEdge and cnpdAcceptsCnTag of the bridge and the station: 32.4.9, 32.4.10. */
#define CNCP_DOES_EDGE      true
#define CNPD_ACCEPTS_CN_TAG true

/* --- undo of a change ------------------------------------------------------------------------ */

/* Makes room for the states of this number of ports. false: out of memory. */
static bool reserve_saved(struct lldp_ports *lp, size_t size)
{
	struct lldp_saved *saved;

	if (size <= lp->size_saved)
		return true;
	saved = realloc(lp->saved, size * sizeof(*saved));
	if (!saved)
		return false;
	lp->saved = saved;
	lp->size_saved = size;
	return true;
}

/* Saves the port's state for lldp_ports_aborted(). false: out of memory. */
static bool save(struct lldp_ports *lp, struct lldp_tracked *t)
{
	if (t->saved)
		return true;
	if (lp->n_saved == lp->size_saved && !reserve_saved(lp, lp->n_saved ? 2 * lp->n_saved : 4))
		return false;
	lp->saved[lp->n_saved++] = (struct lldp_saved){
	    .t = t,
	    .pub = t->pub,
	    .config = t->config,
	    .oper = t->oper,
	    .peer_apps = peer_apps_ref(t->peer_apps),
	    .changed = t->changed,
	    .set_pending = t->set_pending,
	    .rejected = t->rejected,
	};
	lldp_sent_ref(t->pub.sent);
	t->saved = true;
	return true;
}

static void restore(struct lldp_ports *lp, const struct lldp_saved *s)
{
	struct lldp_tracked *t = s->t;

	lldp_sent_unref(lp, t->pub.sent);
	t->pub = s->pub;
	lldp_sent_ref(t->pub.sent);
	t->config = s->config;
	t->oper = s->oper;
	peer_apps_set(&t->peer_apps, s->peer_apps);
	t->changed = s->changed;
	t->set_pending = s->set_pending;
	if (t->rejected != LLDP_REJECTED_NOW)
		t->rejected = s->rejected;
	if (!t->changed) /* else the next evaluation waits: the time can be over */
		lldp_way_wait(lp, t);
	lldp_neighbors_count(t); /* the saved peer may be gone */
}

/* Ends the change: the ports keep their state. */
static void forget_saved(struct lldp_ports *lp)
{
	for (size_t i = 0; i < lp->n_saved; i++) {
		lp->saved[i].t->saved = false;
		peer_apps_unref(lp->saved[i].peer_apps);
		lldp_sent_unref(lp, lp->saved[i].pub.sent);
	}
	free(lp->saved);
	lp->saved = NULL;
	lp->n_saved = lp->size_saved = 0;
}

/* --- evaluation of a port -------------------------------------------------------------------- */

static bool listens(const struct lldp_ports *lp, const struct dcb_config *config,
		    const struct port_config *pc, unsigned priority)
{
	const struct cn_com_pri_config *com_pri = &config->com_pri[priority];
	const struct cn_port_pri_config *port_pri = &pc->port_pri[priority];
	const struct cn_lldp_choice_row component = {com_pri->cncp_lldp_instance_choice,
						     com_pri->cncp_lldp_instance_selector};
	const struct cn_lldp_choice_row port = {port_pri->cnpd_lldp_instance_choice,
						port_pri->cnpd_lldp_instance_selector};

	return cn_lldp_instance(&component, &port) == lp->destination;
}

/* Runs the defense state machine of each priority. Returns the port's CN TLV. */
static struct cn_tlv run_defense(const struct lldp_ports *lp, struct lldp_port *pub,
				 const struct dcb_config *config, struct dcb_config_port *at)
{
	struct cn_tlv sent_cn = {0};

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct cndd *d = &pub->cnd[p];
		uint8_t was = d->cnpd_auto_defense_mode, bit = (uint8_t)(1u << p);
		const struct cndd_inputs in = {
		    .enabled = (config->cnpv_acting & bit) && (at->port->has & PROVIDER_CN),
		    .admin = dcb_config_defense(config, at, p),
		    .cncp_does_edge = CNCP_DOES_EDGE,
		    .cnpd_accepts_cn_tag = CNPD_ACCEPTS_CN_TAG,
		    .has_lldp_instance = listens(lp, config, at->config, p),
		    .cnpd_rcvd_cnpv = pub->rcvd.cnpv & bit,
		    .cnpd_rcvd_ready = pub->rcvd.ready & bit,
		};

		cndd_run(d, &in);
		if (was && d->cnpd_auto_defense_mode != was)
			pub->mode_changes[p]++;
		at->oper.cnpd_auto_defense_mode[p] = d->cnpd_auto_defense_mode;
		sent_cn.cnpv |= d->cnpd_xmit_cnpv_capable ? bit : 0;
		sent_cn.ready |= d->cnpd_xmit_ready ? bit : 0;
	}
	return sent_cn;
}

static bool same_outcome(const struct dcbx_outcome *a, const struct dcbx_outcome *b)
{
	return a->pfc_enable == b->pfc_enable && a->ets == b->ets &&
	       memcmp(&a->ets_tables, &b->ets_tables, sizeof(a->ets_tables)) == 0;
}

/* Sets t->peer_apps to the application priorities in force. false: out of memory. */
static bool take_apps(struct lldp_tracked *t)
{
	const struct app_tlv *taken;
	struct peer_apps *apps;

	if (t->pub.dcbx.app_reason != DCBX_TAKEN) {
		peer_apps_set(&t->peer_apps, NULL);
		return true;
	}
	taken = &t->pub.dcbx_peer->tlvs.app;
	if (t->peer_apps && memcmp(&t->peer_apps->tlv, taken, sizeof(*taken)) == 0)
		return true;
	apps = peer_apps_new(taken);
	if (!apps)
		return false;
	peer_apps_unref(t->peer_apps);
	t->peer_apps = apps;
	return true;
}

/* Sets the values in force. A port on which dcbd does not speak DCBX has its settings. */
static void resolve(struct lldp_port *pub, const struct dcb_config_port *at)
{
	struct dcbx_peers peers = lldp_port_peers(pub);
	struct dcbx_config silent;

	if (at->port->has & PROVIDER_DCBX) {
		dcbx_resolve(&at->config->dcbx, at->config->pfc.enable, at->port->link.mac, &peers,
			     &pub->dcbx);
		return;
	}
	silent = at->config->dcbx;
	silent.tx_enable = 0;
	dcbx_resolve(&silent, at->config->pfc.enable, at->port->link.mac, &peers, &pub->dcbx);
}

static void negotiate(struct lldp_port *pub, struct dcb_config_port *at)
{
	const struct lldp_neighbor *peer = pub->dcbx_peer;
	struct dcbx_outcome was = pub->dcbx;

	resolve(pub, at);
	if (was.pfc_reason && !same_outcome(&was, &pub->dcbx))
		pub->dcbx_changes++;
	if (!(at->port->has & PROVIDER_ETS))
		pub->dcbx.ets = false;
	if (!(at->port->has & PROVIDER_PFC))
		pub->dcbx.pfc_enable = 0;
	at->oper.pfc_enable = pub->dcbx.pfc_enable;
	at->oper.pfc_agreed = 0;
	if (peer && dcb_tlvs_have(&peer->tlvs, DCB_TLV_PFC))
		at->oper.pfc_agreed = pub->dcbx.pfc_enable & peer->tlvs.pfc.enable;
	at->oper.ets = pub->dcbx.ets;
	at->oper.ets_tables = pub->dcbx.ets_tables;
}

uint8_t lldp_port_tlvs(const struct port *port)
{
	unsigned cn = 1u << DCB_TLV_CN, pfc = 1u << DCB_TLV_PFC | 1u << DCB_TLV_PFC_DELAY;
	unsigned ets = 1u << DCB_TLV_ETS | 1u << DCB_TLV_ETS_RECO;
	unsigned app = 1u << DCB_TLV_APP | 1u << DCB_TLV_APP_VLAN;

	return (uint8_t) ~((port->has & PROVIDER_CN ? 0 : cn) |
			   (port->has & PROVIDER_ETS ? 0 : ets) |
			   (port->has & PROVIDER_PFC ? 0 : pfc) |
			   (port->has & PROVIDER_DCBX ? 0 : ets | pfc | app));
}

/* The traffic classes of strict priority are settings of a device. */
static const uint8_t *strict_classes(const struct dcb_config_port *at)
{
	return at->port->has & PROVIDER_HARDWARE ? at->config->dcbx.ets.priority_tc
						 : port_strict_classes(&at->port->settings);
}

void lldp_ports_take_device(const struct provider_oper *oper, uint8_t parts, struct dcb_tlvs *tlvs)
{
	if (oper->pfc_cap && oper->pfc_cap < DCBX_PFC_CAP)
		tlvs->pfc.cap = oper->pfc_cap;
	parts &= oper->has;
	if (parts >> PROVIDER_PART_PFC & 1)
		tlvs->pfc.enable = oper->pfc_enable;
	if (parts >> PROVIDER_PART_ETS & 1)
		tlvs->ets.tables = oper->ets_tables;
}

/*
 * The TLVs have the values in force: those of the device where another program has changed it, and
 * while dcbd writes to it the values written.
 */
static void announce_device(struct lldp_port *pub, const struct port *port, struct dcb_tlvs *sent)
{
	const struct dcb_tlvs *theirs = pub->dcbx_peer ? &pub->dcbx_peer->tlvs : NULL;
	struct provider_oper oper;

	port->provider->ops->read_oper(port, &oper);
	lldp_ports_take_device(&oper, oper.differs, sent);
	if (!theirs || !dcb_tlvs_have(theirs, DCB_TLV_PFC))
		return;
	pub->dcbx.mismatch &= (uint8_t) ~(1u << DCBX_MISMATCH_ENABLE | 1u << DCBX_MISMATCH_CAP);
	pub->dcbx.mismatch |= dcbx_pfc_mismatch(sent->pfc.enable, &theirs->pfc);
}

/* Sets the TLVs that the port sends. false: out of memory. */
static bool advertise(struct lldp_ports *lp, struct lldp_tracked *t,
		      const struct dcb_config_port *at, struct cn_tlv sent_cn)
{
	struct dcbx_peers peers = lldp_port_peers(&t->pub);
	const struct dcb_tlvs *shared;
	struct dcb_tlvs sent;

	dcbx_advertise(&at->config->dcbx, &peers, &t->pub.dcbx, &sent_cn, strict_classes(at),
		       &sent);
	lldp_way_advertise(t, at, &sent);
	if (at->port->has & PROVIDER_HARDWARE)
		announce_device(&t->pub, at->port, &sent);
	sent.present &= lldp_port_tlvs(at->port);
	if (memcmp(&sent, t->pub.sent, sizeof(sent)) == 0)
		return true;
	shared = lldp_sent_share(lp, &sent);
	if (!shared)
		return false;
	lldp_sent_unref(lp, t->pub.sent);
	t->pub.sent = shared;
	t->set_pending = true;
	return true;
}

/* Computes at->oper, t->peer_apps and the port's LLDP state. false: out of memory. */
static bool evaluate(struct lldp_ports *lp, struct lldp_tracked *t, const struct dcb_config *config,
		     struct dcb_config_port *at)
{
	struct lldp_port *pub = &t->pub;
	struct cn_tlv sent_cn;

	assert(state_may_change(lp->lock));
	if (!save(lp, t))
		return false;
	lldp_neighbors_count(t);
	pub->rcvd = (struct cn_tlv){0};
	if (pub->peer && dcb_tlvs_have(&pub->peer->tlvs, DCB_TLV_CN)) {
		pub->rcvd.cnpv = pub->peer->tlvs.cn.cnpv & config->cnpv_acting;
		pub->rcvd.ready = pub->peer->tlvs.cn.ready & pub->rcvd.cnpv;
	}
	sent_cn = run_defense(lp, pub, config, at);
	negotiate(pub, at);
	if (!take_apps(t) || !advertise(lp, t, at, sent_cn))
		return false;
	lldp_way_evaluate(lp, t, at);
	t->config = at->config;
	t->oper = at->oper;
	t->changed = false;
	t->rejected = LLDP_NOT_REJECTED;
	if (t->set_pending || (pub->dcbx.mismatch != 0) != t->notified)
		lldp_ports_make_due(lp, t);
	return true;
}

/* --- ports and configurations ---------------------------------------------------------------- */

static void set_name(struct lldp_ports *lp, struct lldp_tracked *t)
{
	memcpy(t->ifname, t->port->link.name, sizeof(t->ifname));
	HASH_ADD_STR(lp->by_name, ifname, t);
}

/* The agent may have reported neighbors before dcbd saw the netlink message of the interface. */
static void replay_neighbors(struct lldp_ports *lp, const struct lldp_tracked *t, bool recent)
{
	if (lp->client && lp->client->ops->replay)
		lp->client->ops->replay(lp->client, t->ifname, recent);
}

/* NULL: out of memory. */
static struct lldp_tracked *track(struct lldp_ports *lp, const struct port *port)
{
	struct lldp_tracked *t = lp->of[port->slot];

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->port = port;
	t->up = port->link.up;
	t->changed = true;
	t->set_pending = t->refresh_pending = lp->client;
	t->pub.sent = &lldp_sent_none;
	LIST_INSERT_HEAD(&lp->due, t, due);
	set_name(lp, t);
	lp->of[port->slot] = t;
	replay_neighbors(lp, t, true);
	return t;
}

/* Are the settings common to all ports the same? */
static bool same_rules(const struct dcb_config *a, const struct dcb_config *b)
{
	return a->cnpv_acting == b->cnpv_acting &&
	       memcmp(a->com_pri, b->com_pri, sizeof(a->com_pri)) == 0 &&
	       memcmp(a->cncp_auto_alt_pri, b->cncp_auto_alt_pri, sizeof(a->cncp_auto_alt_pri)) ==
		   0;
}

/* Is t->oper still valid? */
static bool is_computed(const struct lldp_ports *lp, const struct lldp_tracked *t,
			const struct dcb_config_port *at)
{
	return lp->same_rules && t->config == at->config && (!t->changed || t->rejected);
}

static void mark(struct dcb_config *config, const struct lldp_tracked *t)
{
	size_t pos = dcb_config_lower_bound(config, t->port->link.ifindex);

	if (pos < config->n_ports && config->ports[pos].port == t->port)
		dcb_config_mark(config, pos);
}

/*
 * Records the ports whose values in force can differ from those in before although their settings
 * are the same: the neighbor or the link has changed, or lldp_ports_evaluate() has found a change.
 */
static void mark_due(const struct lldp_ports *lp, const struct dcb_config *before,
		     struct dcb_config *config)
{
	if (!lp->same_rules || !dcb_config_follows(config, before)) {
		dcb_config_mark_all(config);
		return;
	}
	for (const struct lldp_tracked *t = LIST_FIRST(&lp->due); t; t = LIST_NEXT(t, due))
		if (t->changed)
			mark(config, t);
	for (size_t i = 0; i < lp->n_saved; i++)
		mark(config, lp->saved[i].t);
}

/* Sets the port's values in force. false: out of memory. */
static bool compute_port(struct lldp_ports *lp, const struct dcb_config *config,
			 struct dcb_config_port *at)
{
	struct lldp_tracked *t = track(lp, at->port);
	bool ok = t;

	if (t && is_computed(lp, t, at)) {
		at->oper = t->oper;
	} else {
		at->oper = port_oper_alone(at->config);
		ok = t && evaluate(lp, t, config, at);
	}
	peer_apps_set(&at->peer_apps, t ? t->peer_apps : NULL);
	return ok;
}

bool lldp_ports_compute_oper(struct lldp_ports *lp, const struct dcb_config *before,
			     struct dcb_config *config)
{
	bool ok;

	lp->same_rules = same_rules(before, config);
	ok = lp->same_rules || reserve_saved(lp, config->n_ports);
	mark_due(lp, before, config);
	for (size_t i = dcb_config_next_changed(config, 0); i < config->n_ports;
	     i = dcb_config_next_changed(config, i + 1))
		ok = compute_port(lp, config, &config->ports[i]) && ok;
	return ok;
}

void lldp_ports_aborted(struct lldp_ports *lp)
{
	for (size_t i = 0; i < lp->n_saved; i++)
		restore(lp, &lp->saved[i]);
	forget_saved(lp);
}

static void set_tlvs(struct lldp_ports *lp, struct lldp_tracked *t)
{
	const struct lldp_client_ops *ops = lp->client->ops;
	struct lldp_tlv tlvs[DCB_TLVS];
	unsigned n = lldp_sent_encode(lp, t, tlvs);

	t->set_pending = false;
	if (n > 0)
		ops->set(lp->client, t->ifname, tlvs, n, t->port->link.mtu);
	else if (t->sends)
		ops->forget(lp->client, t->ifname);
	t->sends = n > 0;
	if (t->refresh_pending && t->up)
		ops->refresh(lp->client, t->ifname);
	t->refresh_pending = t->refresh_pending && !t->up;
}

static void set_all_tlvs(struct lldp_ports *lp)
{
	for (struct lldp_tracked *t = LIST_FIRST(&lp->due); lp->client && t; t = LIST_NEXT(t, due))
		if (t->set_pending)
			set_tlvs(lp, t);
}

void lldp_ports_published(struct lldp_ports *lp)
{
	lldp_way_log_pfc(lp);
	lldp_rejected_retry(lp);
	forget_saved(lp);
	set_all_tlvs(lp);
}

void lldp_ports_link(struct lldp_ports *lp, const struct port *port)
{
	struct lldp_tracked *t = lp->of[port->slot];

	if (!t)
		return;
	if (strcmp(t->ifname, port->link.name) != 0) {
		if (lp->client && t->sends)
			lp->client->ops->forget(lp->client, t->ifname);
		lldp_neighbors_clear(lp, t);
		HASH_DEL(lp->by_name, t);
		set_name(lp, t);
		replay_neighbors(lp, t, false);
		t->refresh_pending = true;
	}
	t->refresh_pending = t->refresh_pending || (port->link.up && !t->up);
	/*
	 * Without link there is no neighbor. The agent reports this up to a second later, but
	 * not for neighbors that it does not know any more.
	 */
	if (!port->link.up) {
		lldp_neighbors_drop_stale(lp, t);
		lldp_neighbors_unhear(t);
	}
	t->up = port->link.up;
	t->set_pending = true; /* the MTU may have changed */
	lldp_ports_mark_changed(lp, t);
}

void lldp_ports_device(struct lldp_ports *lp, const struct dcb_config_port *at)
{
	struct lldp_tracked *t = lp->of[at->port->slot];

	/* Without memory the next evaluation makes up for it. */
	if (!t || t->config != at->config || !advertise(lp, t, at, t->pub.sent->cn))
		return;
	if (!t->set_pending && (t->pub.dcbx.mismatch != 0) == t->notified)
		return;
	lldp_ports_make_due(lp, t);
	lldp_ports_wake(lp);
}

void lldp_ports_no_port(struct lldp_ports *lp, const char *ifname)
{
	if (lp->client)
		lp->client->ops->refresh(lp->client, ifname);
}

void lldp_ports_describe(struct lldp_ports *lp, const struct lldp_system *system)
{
	if (lp->client && lp->client->ops->describe)
		lp->client->ops->describe(lp->client, system);
}

void lldp_ports_replay(struct lldp_ports *lp, const struct port *port)
{
	if (lp->of[port->slot])
		replay_neighbors(lp, lp->of[port->slot], false);
}

void lldp_ports_gone(struct lldp_ports *lp, const struct port *port)
{
	struct lldp_tracked *t = lp->of[port->slot];

	if (!t)
		return;
	if (lp->client && t->sends)
		lp->client->ops->forget(lp->client, t->ifname);
	lldp_neighbors_clear(lp, t);
	HASH_DEL(lp->by_name, t);
	if (t->due.le_prev)
		LIST_REMOVE(t, due);
	lp->of[port->slot] = NULL;
	lldp_neighbors_unhear(t);
	peer_apps_unref(t->peer_apps);
	lldp_sent_unref(lp, t->pub.sent);
	free(t);
}

/* --- due ports ------------------------------------------------------------------------------- */

/* Evaluates the port. true: its values in force change, or out of memory. */
static bool reevaluate(struct lldp_ports *lp, struct lldp_tracked *t,
		       const struct dcb_config *config)
{
	size_t pos = dcb_config_lower_bound(config, t->port->link.ifindex);
	struct dcb_config_port at;

	if (pos == config->n_ports || config->ports[pos].port != t->port)
		return false;
	at = config->ports[pos];
	return !evaluate(lp, t, config, &at) || t->peer_apps != at.peer_apps ||
	       !port_oper_equal(&at.oper, &config->ports[pos].oper);
}

bool lldp_ports_evaluate(struct lldp_ports *lp, const struct dcb_config *config,
			 struct dcb_time now)
{
	bool changed = false;

	lldp_neighbors_age(lp, now);
	lldp_way_release(lp, now);
	for (struct lldp_tracked *t = LIST_FIRST(&lp->due); t; t = LIST_NEXT(t, due))
		if (t->changed && !t->rejected && reevaluate(lp, t, config))
			changed = true;
	if (!changed)
		forget_saved(lp);
	return changed;
}

/*
 * Raises dcbDcbxMismatch after the hold-off, dcbDcbxMismatchCleared when the mismatch is
 * over. Returns when the hold-off ends.
 */
static struct dcb_time notify_port(struct lldp_ports *lp, struct lldp_tracked *t,
				   struct dcb_time now)
{
	bool mismatch = t->pub.dcbx.mismatch != 0;
	struct dcb_time at;

	if (mismatch == t->notified) {
		t->notify_pending = false;
		return DCB_TIME_NEVER;
	}
	if (mismatch && !t->notify_pending) {
		t->notify_pending = true;
		t->mismatch_since = now;
	}
	at = dcb_time_add_ns(t->mismatch_since, MISMATCH_SETTLES_NS);
	if (mismatch && dcb_time_before(now, at))
		return at;
	t->notify_pending = false;
	t->notified = mismatch;
	lp->ops->mismatch(lp->owner, t->port, mismatch, now);
	return DCB_TIME_NEVER;
}

/* Notifies of each due port, and removes ports from lp->due that are done. */
static struct dcb_time notify_mismatches(struct lldp_ports *lp, struct dcb_time now)
{
	struct dcb_time next = DCB_TIME_NEVER;
	struct lldp_tracked *t, *following;

	for (t = LIST_FIRST(&lp->due); t; t = following) {
		following = LIST_NEXT(t, due);
		next = dcb_time_min(next, notify_port(lp, t, now));
		if (t->changed || t->set_pending || t->notify_pending)
			continue;
		LIST_REMOVE(t, due);
		t->due.le_prev = NULL;
	}
	return next;
}

struct dcb_time lldp_ports_run(struct lldp_ports *lp, struct dcb_time now)
{
	set_all_tlvs(lp);
	lldp_ports_take_stats(lp);
	return dcb_time_min(dcb_time_min(lp->next_aged, lp->next_release),
			    notify_mismatches(lp, now));
}

void lldp_ports_take_stats(struct lldp_ports *lp)
{
	struct lldp_stats now;

	if (!lp->client)
		return;
	lp->client->ops->read(lp->client, &now);
	state_change_begin(lp->lock);
	lp->stats.client = now;
	state_change_end(lp->lock);
}

/* --- interface to the owner ------------------------------------------------------------------ */

struct lldp_ports *lldp_ports_new(const struct lldp_owner_ops *ops, void *owner,
				  uint16_t destination, struct state_lock *lock)
{
	struct lldp_ports *lp = calloc(1, sizeof(*lp));

	if (!lp)
		return NULL;
	lp->ops = ops;
	lp->owner = owner;
	lp->lock = lock;
	lp->started = ops->now(owner);
	lp->destination = destination ? destination : LLDP_DESTINATION_NEAREST_BRIDGE;
	lp->stats.state = LLDP_OFF;
	return lp;
}

void lldp_ports_use(struct lldp_ports *lp, struct lldp_client *client, void (*wake)(void *ctx),
		    void *ctx)
{
	lp->client = client;
	state_change_begin(lp->lock);
	lp->stats.state = LLDP_CONNECTING;
	state_change_end(lp->lock);
	for (struct lldp_tracked *t = lp->by_name; t; t = t->hh.next) {
		t->set_pending = true;
		lldp_ports_make_due(lp, t);
	}
	lp->wake = wake;
	lp->ctx = ctx;
	lldp_ports_take_stats(lp);
	lldp_ports_wake(lp);
}

void lldp_ports_free(struct lldp_ports *lp)
{
	struct lldp_tracked *t, *next;

	if (!lp)
		return;
	if (lp->client)
		lp->client->ops->destroy(lp->client);
	lp->client = NULL;
	lp->wake = NULL;
	forget_saved(lp);
	state_change_begin(lp->lock);
	for (t = lp->by_name; t; t = next) {
		next = t->hh.next;
		lldp_ports_gone(lp, t->port);
	}
	state_change_end(lp->lock);
	free(lp->sorted);
	free(lp);
}

const struct lldp_port *lldp_ports_at(const struct lldp_ports *lp, const struct port *port)
{
	static const struct lldp_port alone = {
	    .sent = &lldp_sent_none,
	    .dcbx = {.pfc_reason = DCBX_OFF, .ets_reason = DCBX_OFF},
	};
	const struct lldp_tracked *t = lp->of[port->slot];

	return t ? &t->pub : &alone;
}

const struct lldp_neighbor *const *lldp_ports_neighbors(const struct lldp_ports *lp, size_t *n)
{
	*n = lp->n_sorted;
	return lp->sorted;
}

const struct lldp_neighbor *const *lldp_ports_neighbors_of(const struct lldp_ports *lp,
							   const struct port *port, size_t *n)
{
	const struct lldp_tracked *t = lp->of[port->slot];

	*n = t ? t->n_neighbors : 0;
	return t ? t->neighbors : NULL;
}

void lldp_ports_read(const struct lldp_ports *lp, struct lldp_ports_stats *out)
{
	*out = lp->stats;
	out->neighbors = (uint32_t)lp->n_sorted;
}

uint16_t lldp_ports_destination(const struct lldp_ports *lp)
{
	return lp->destination;
}
