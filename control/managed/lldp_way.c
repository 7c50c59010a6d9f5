/* SPDX-License-Identifier: BSD-3-Clause */
/* The way in which headroom is found (36.8), from the TLVs of a port and its neighbor. */
#include <inttypes.h>

#include "dataplane/config/port_headroom.h"
#include "lib/log.h"
#include "lib/ranges.h"
#include "control/managed/lldp_ports_private.h"

static struct dcb_rate rate_of(const struct port *port)
{
	return port_bit_rate(&port->settings, port->link.speed);
}

static uint32_t min_delay_ns(const struct port *port, const struct pfc_headroom_config *config)
{
	return pfc_peer_delay_min_ns(config, rate_of(port), port->link.mtu);
}

/* Returns g + h + i of a station with the properties of the port. */
static uint32_t delay_ns(const struct dcb_config_port *at, uint32_t response_ns, bool mbc)
{
	const struct pfc_headroom_config headroom =
	    port_headroom_config(&at->port->settings, at->config);

	return pfc_way_delay_ns(&headroom, response_ns, mbc, rate_of(at->port), at->port->link.mtu);
}

/* Choice: without requests of its own, a port has no result that both ends could agree on. */
static bool withholds_rtm(const struct port_config *config)
{
	return config->pfc_way.advertise == PFC_ADVERTISE_QDT && config->pfc_way.rtm &&
	       config->pfc_measure.enable == PFC_MEASURE_OFF;
}

void lldp_way_advertise(const struct lldp_tracked *t, const struct dcb_config_port *at,
			struct dcb_tlvs *tlvs)
{
	struct pfc_way_config way = port_way_config(&at->port->settings, at->config);
	uint32_t halt_ns = port_halt_ns(&at->port->settings, at->config, t->response_ns);

	if (withholds_rtm(at->config))
		way.rtm = false;
	pfc_way_advertise(&way, delay_ns(at, halt_ns, tlvs->pfc.mbc), tlvs);
}

void lldp_ports_response(struct lldp_ports *lp, const struct port *port, uint32_t bound_ns)
{
	struct lldp_tracked *t = lp->of[port->slot];

	if (!t || t->response_ns == bound_ns)
		return;
	state_change_begin(lp->lock);
	t->response_ns = bound_ns;
	lldp_ports_mark_changed(lp, t);
	state_change_end(lp->lock);
}

/*
 * 36.9.6 b), choice: connectivity was interrupted when the only neighbor is lost or another one has
 * replaced it. An interruption of the link itself has its own trigger.
 */
static void note_interruption(struct lldp_tracked *t)
{
	const struct lldp_port *pub = &t->pub;
	uint64_t msap = pub->peer ? pub->peer->msap : 0;

	if (t->up && pub->n_neighbors > 1)
		return;
	if (t->up && t->only_msap && t->only_msap != msap)
		t->interruptions++;
	t->only_msap = msap;
}

void lldp_way_evaluate(struct lldp_ports *lp, struct lldp_tracked *t, struct dcb_config_port *at)
{
	const struct pfc_headroom_config headroom =
	    port_headroom_config(&at->port->settings, at->config);
	struct dcbx_peers peers = lldp_port_peers(&t->pub);
	struct pfc_way_said said;

	if (t->config != at->config)
		pfc_way_forgive(&t->pub.way);
	t->min_delay_ns = min_delay_ns(at->port, &headroom);
	pfc_way_find(t->pub.sent, &peers, t->min_delay_ns, &said);
	if (withholds_rtm(at->config))
		pfc_way_withhold(&said);
	pfc_way_settle(&t->pub.way, &said, delay_ns(at, headroom.response_ns, headroom.peer_mbc),
		       lp->ops->now(lp->owner));
	lldp_way_wait(lp, t);
	at->oper.pfc_way = t->pub.way.way;
	at->oper.pfc_peer = t->pub.way.peer;
	note_interruption(t);
	at->oper.pfc_interruptions = t->interruptions;
}

static const char *priorities(uint8_t mask, char *buf, size_t size)
{
	uint8_t set = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (mask >> p & 1)
			ranges_add(&set, p);
	ranges_format(&set, 1, 0, buf, size);
	return buf;
}

void lldp_way_log_pfc(struct lldp_ports *lp)
{
	char now[32], before[32];

	for (size_t i = 0; i < lp->n_saved; i++) {
		const struct lldp_saved *was = &lp->saved[i];
		struct lldp_tracked *t = was->t;
		bool taken = t->pub.dcbx.pfc_reason == DCBX_TAKEN;

		/* With other settings it can be the manager's change. */
		if (t->oper.pfc_enable == was->oper.pfc_enable || t->config != was->config ||
		    (!taken && was->pub.dcbx.pfc_reason != DCBX_TAKEN))
			continue;
		if (log_level < LOG_LEVEL_INFO || log_level_here < LOG_LEVEL_INFO)
			continue;
		/*
		 * Message: The neighbor of a willing port has switched PFC on or off, or is gone:
		 * then the port's own setting is in force. Expected when the neighbor is configured
		 * or ends.
		 */
		log_line_limited(&t->pfc_limit, LOG_LEVEL_INFO, "lldp",
				 "%s: PFC %s: priorities %s, before %s", t->ifname,
				 taken ? "as its neighbor" : "no longer as its neighbor",
				 priorities(t->oper.pfc_enable, now, sizeof(now)),
				 priorities(was->oper.pfc_enable, before, sizeof(before)));
	}
}

void lldp_way_check_delay(struct lldp_tracked *t, const struct dcb_tlvs *tlvs)
{
	static const struct pfc_headroom_config plain = {.macsec = PFC_MACSEC_NONE};
	/* The neighbors of a new port are reported before the port is evaluated. */
	uint32_t min_ns = t->min_delay_ns ? t->min_delay_ns : min_delay_ns(t->port, &plain);

	if (!dcb_tlvs_have(tlvs, DCB_TLV_PFC_DELAY) ||
	    pfc_peer_delay_ns(tlvs->pfc_delay, min_ns) != 0)
		return;
	t->pub.refused_delays++;
	/*
	 * Message: The delay is implausible, and is not used to find the headroom of the port.
	 * Correct it at the neighbor.
	 */
	log_warn_limited("lldp",
			 "%s: the neighbor's PFC local delay of %" PRId64
			 " ns is refused, expected %" PRIu32 " to %" PRIu32 " ns",
			 t->ifname, tlvs->pfc_delay / 65536, min_ns, PFC_PEER_DELAY_MAX_NS);
}

void lldp_way_release(struct lldp_ports *lp, struct dcb_time now)
{
	struct dcb_time next = DCB_TIME_NEVER;

	if (dcb_time_before(now, lp->next_release))
		return;
	for (struct lldp_tracked *t = lp->by_name; t; t = t->hh.next) {
		struct dcb_time at = pfc_way_next(&t->pub.way);

		/* A refused change is tried again with another one: lldp_rejected_retry(). */
		if (t->rejected || t->changed) /* changed: it is evaluated anyway */
			continue;
		if (dcb_time_before(now, at)) {
			next = dcb_time_min(next, at);
		} else {
			pfc_way_forgive(&t->pub.way);
			lldp_ports_mark_changed(lp, t);
		}
	}
	lp->next_release = next;
}
