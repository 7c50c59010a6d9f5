/* SPDX-License-Identifier: BSD-3-Clause */
/* Congestion notification in an RBridge: draft-eastlake-trill-cn-00, section 3. */
#include "dataplane/rbridge/rbridge_private.h"

#include "dataplane/trill/trill_cnm.h"

static void count_cnm(struct soft_port *at, uint8_t priority)
{
	counter_add(&at->cn.cp_stats[priority].cp_transmitted_cnms, 1);
}

/*
 * 3.3: the CNM for a native frame is treated as if port at had received it: it goes to the source
 * by a local port, or encapsulated. It is not counted as received and its source is not learned.
 * Port at excludes itself, unless it received the frame natively: the frame left it encapsulated,
 * and its source is there.
 */
void rb_notify_native(struct rbridge *rb, struct soft_port *at, const struct rb_frame *f,
		      const struct cp_verdict *verdict)
{
	uint8_t octets[CNM_FRAME_MAX], mac[ETH_ADDR_OCTETS];
	uint8_t priority = f->native.priority;
	bool is_source_here = !f->octets && aggregate_is_same(at, f->in);
	struct arrival own;
	struct rb_frame cnm;

	port_mac(at, mac);
	if (!relay_cnm(rb_config(rb), at, priority, &f->native, verdict, mac, octets, &own))
		return;
	cnm = rb_native_frame(rb, at, &own);
	if (rb_route(rb, is_source_here ? NULL : at, &cnm))
		count_cnm(at, priority);
}

/* Sets *f to a CNM. a: its receive buffer and time. Returns false if it is no valid frame. */
static bool frame_of(const struct rbridge *rb, struct soft_port *in, const struct arrival *a,
		     const struct trill_cnm *cnm, struct rb_frame *f)
{
	struct arrival own = *a;

	own.octets = cnm->frame;
	own.len = cnm->len;
	own.vid = cnm->vid;
	own.priority = cnm->priority;
	if (eth_parse(cnm->frame, cnm->len, &own.view) != ETH_OK)
		return false;
	*f = rb_native_frame(rb, in, &own);
	return true;
}

/*
 * 3.2.2: the CNM for the inner frame of a frame in transit goes to that frame's ingress RBridge.
 * Inner.MacSA is the address of the port that sends it first (3).
 */
static void notify_ingress(struct rbridge *rb, struct soft_port *at, const struct rb_frame *f,
			   const struct cp_verdict *verdict)
{
	const struct dcb_config *config = rb_config(rb);
	const struct arrival made_here = {.now = f->native.now, .now_s = f->native.now_s};
	struct rb_nickname *to = nicknames_find(&rb->nicknames, f->ingress);
	uint8_t cpid[CNM_CPID_OCTETS], mac[ETH_ADDR_OCTETS];
	const struct rb_hop *hop;
	struct trill_cnm cnm;
	struct rb_frame own;

	hop = to ? nicknames_choose(to, relay_flow_hash(&f->native, rb->native.flow_seed)) : NULL;
	if (!hop)
		return;
	port_mac(hop->port, mac);
	dcb_cpid(config->system_address, at->base.slot, f->outer_priority, cpid);
	trill_cnm_of_frame(&cnm, verdict, cpid, mac, f->octets, f->len, &f->trill,
			   f->native.priority, config->global.cng_cnm_transmit_priority,
			   at->cn.cp[f->outer_priority].config.cp_min_header_octets);
	if (frame_of(rb, at, &made_here, &cnm, &own) && rb_send_hop(rb, hop, to->nickname, &own)) {
		counter_add(&to->stats.frames_to, 1);
		count_cnm(at, f->outer_priority);
	}
}

/* A frame that this RBridge has encapsulated itself was a native frame before: as in a bridge. */
void rb_notify_trill(struct rbridge *rb, struct soft_port *at, const struct rb_frame *f,
		     const struct cp_verdict *verdict)
{
	if (!f->octets)
		rb_notify_native(rb, at, f, verdict);
	else if (!eth_is_cnm(&f->native.view) &&   /* a CNM causes no other */
		 !rb_is_inner_control(&f->native)) /* from an RBridge, not a station */
		notify_ingress(rb, at, f, verdict);
}

/* --- native CNMs to this RBridge ----------------------------------------------------------- */

/*
 * 3.1: sends the CNM for the inner frame. One that names a CNPV of which the port is an edge
 * is forged, as is one from a port at which no TRILL frame is sent.
 */
static void send_transformed(struct rbridge *rb, struct soft_port *in, const struct arrival *a,
			     const struct trill_cnm *cnm, bool native)
{
	struct rb_nickname *to = native ? NULL : nicknames_find(&rb->nicknames, cnm->egress);
	struct trill_port_stats *stats = rb_stats(rb, in);
	struct rb_frame f;

	if (!trill_port_is_trunk(rb_port_config(in)) ||
	    (in->cn.map.leave && relay_is_foreign_cnm(in->cn.map.leave, cnm->frame, cnm->len)))
		counter_add(&stats->forged_cnm, 1);
	else if (!native && !to)
		counter_add(&stats->unknown_nickname, 1);
	else if (frame_of(rb, in, a, cnm, &f) &&
		 (native ? rb_deliver(rb, NULL, &f) : rb_send_to(rb, to, &f, in)))
		counter_add(&stats->cnm_transformed, 1);
}

void rb_cnm_receive(struct rbridge *rb, struct soft_port *in, const struct arrival *a)
{
	struct trill_port_stats *stats = rb_stats(rb, in);
	uint16_t nickname = rb_config(rb)->trill.nickname;
	struct trill_cnm cnm;
	enum trill_cnm_verdict verdict =
	    trill_cnm_transform(a->octets, a->len, &a->view, a->priority, nickname, &cnm);

	switch (verdict) {
	case TRILL_CNM_TRANSFORMED:
	case TRILL_CNM_NATIVE:
		if (nickname)
			send_transformed(rb, in, a, &cnm, verdict == TRILL_CNM_NATIVE);
		else
			counter_add(&stats->no_nickname, 1);
		break;
	case TRILL_CNM_OWN: /* for reaction points of the RBridge itself: it has none yet */
		counter_add(&stats->cnm_own, 1);
		break;
	case TRILL_CNM_CONTROL:
		counter_add(&stats->cnm_control, 1);
		break;
	default:
		counter_add(&stats->cnm_bad, 1);
		break;
	}
}
