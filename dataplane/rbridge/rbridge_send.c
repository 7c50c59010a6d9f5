/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/rbridge/rbridge_private.h"

#include "dataplane/trill/trill_cnm.h"

/* A CNM is sent as any frame is, and a sent frame can cause a CNM. */

/* The congestion point of port at has sampled a native frame. */
static void notify_native(struct rbridge *rb, struct soft_port *at, const struct rb_frame *f,
			  const struct cp_verdict *verdict);
/* The congestion point of port at has sampled an encapsulated frame. */
static void notify_trill(struct rbridge *rb, struct soft_port *at, const struct rb_frame *f,
			 const struct cp_verdict *verdict);

/*
 * Counts a copy of len octets if it exceeds the port's MTU, and returns false then. The kernel has
 * room for a header and one C-TAG beside the MTU. In a frame that a SecY protects the tag is
 * behind the SecTAG: soft_macsec_take_mtu().
 */
static inline bool fits(struct rbridge *rb, const struct soft_port *out, uint32_t len)
{
	uint32_t mtu = port_mtu(out); /* 0: unknown */
	uint32_t tag = out->link_octets ? 0 : ETH_TAG_OCTETS;

	if (!mtu || len + out->link_octets <= mtu + ETH_HEADER_OCTETS + tag)
		return true;
	counter_add(&rb_stats(rb, out)->mtu, 1);
	return false;
}

/* --- native copies -------------------------------------------------------------------- */

/* 4.2.4.3: a port sends native frames of the VLANs whose appointed forwarder it is. */
static bool sends_native(const struct soft_port *out, uint16_t vid)
{
	const struct trill_port_config *config = rb_port_config(out);

	return trill_port_is_native(config) && !ranges_has(config->not_appointed, vid) &&
	       relay_carries(out, vid);
}

/* copies: as in relay_take(). Returns false if the frame was discarded. */
static bool forward(struct rbridge *rb, struct soft_port *out, const struct rb_frame *f,
		    struct relay_copies *copies)
{
	struct cp_verdict verdict;

	if (f->octets && !fits(rb, out, relay_departure(out, &f->native).len))
		return false;
	if (!relay_forward(&rb->native.ports, out, &f->native, copies, &verdict))
		return false;
	if (verdict.cnm)
		notify_native(rb, out, f, &verdict);
	return true;
}

static bool flood(struct rbridge *rb, const struct soft_port *except, struct rb_frame *f)
{
	const struct dcb_config *config = rb_config(rb);
	const struct arrival *a = &f->native;
	bool any = false;

	for (size_t i = 0; i < config->n_ports; i++) {
		struct soft_port *out = soft_port_of(config->ports[i].port);

		if (sends_native(out, a->vid) &&
		    relay_link_for(except, out, a, rb->native.flow_seed) == out)
			any |= forward(rb, out, f, &f->copies);
	}
	return any;
}

/* Sends a frame by the port at which its destination is. */
static bool deliver_to(struct rbridge *rb, const struct soft_port *except, uint16_t slot,
		       const struct rb_frame *f)
{
	struct soft_port *out = relay_link_for(except, rb->native.ports.by_slot[slot], &f->native,
					       rb->native.flow_seed);

	if (!out)
		return false;
	if (!sends_native(out, f->native.vid)) {
		counter_add(&out->stats.discard_egress, 1);
		return false;
	}
	return forward(rb, out, f, NULL);
}

static uint16_t look_up(const struct rbridge *rb, const struct arrival *a)
{
	return eth_is_group(a->octets) ? FDB_NO_SLOT
				       : fdb_lookup(&rb->native.fdb, a->vid, a->octets, a->now_s);
}

/*
 * 4.6.2.4 and 4.6.2.5. Choice: a frame whose destination is behind another RBridge here was sent
 * with older knowledge; it is not encapsulated again, but given to all local ports like one
 * whose destination is not known.
 */
bool rb_deliver(struct rbridge *rb, const struct soft_port *except, struct rb_frame *f)
{
	uint16_t slot = look_up(rb, &f->native);

	return slot < FDB_SLOTS ? deliver_to(rb, except, slot, f) : flood(rb, except, f);
}

/* --- encapsulated copies ----------------------------------------------------------------- */

/*
 * The outer tag, 4.1.2 and 4.2.4: designated VLAN of the link and the priority. Choice: there is
 * always one, because PFC and congestion points of the link need the priority. Sets *outer in
 * place: a struct of small members is slow to copy.
 */
static inline void set_outer(struct trill_outer *outer, const struct soft_port *out,
			     const uint8_t da[ETH_ADDR_OCTETS], const struct rb_frame *f)
{
	memcpy(outer->da, da, ETH_ADDR_OCTETS);
	port_mac(out, outer->sa);
	outer->vid = trill_designated_vlan(rb_port_config(out));
	outer->priority = f->outer_priority;
	outer->drop_eligible =
	    f->octets ? f->trill.outer.drop_eligible : f->native.view.drop_eligible;
	outer->tagged = true;
}

/* The inner CN-TAG is stripped by the outer priority: draft-eastlake-trill-cn-00, 2.1, 3.2.2. */
static struct trill_tags tags_of(const struct soft_port *out, const struct rb_frame *f)
{
	return (struct trill_tags){
	    .vid = f->native.vid,
	    .priority = f->native.priority,
	    .drop_eligible = f->native.view.drop_eligible,
	    .tagged = true,
	    .keep_cn_tag = !relay_strips_cn_tag(out, &f->native, f->outer_priority),
	};
}

/* Writes a native frame that this RBridge encapsulates. Returns its octets. */
static uint32_t encapsulate(uint8_t *to, const struct rbridge *rb, const struct trill_outer *outer,
			    const struct trill_tags *tags, uint16_t egress, const struct arrival *a)
{
	uint32_t n = frame_extent(&rb->native.ports.extent, a->len);
	const struct trill_config *config = &rb_config(rb)->trill;
	const struct trill_header header = {
	    .egress = egress,
	    .ingress = config->nickname,
	    .hop_count = trill_hop_count(config),
	    .multi = eth_is_group(outer->da), /* next hops have individual addresses */
	};

	return trill_encapsulate(to, outer, &header, tags, a->octets, n, &a->view) + (a->len - n);
}

/* Writes a TRILL frame for the next hop. Returns its octets. */
static uint32_t transit(uint8_t *to, const struct rbridge *rb, const struct trill_outer *outer,
			const struct trill_tags *tags, const struct rb_frame *f)
{
	uint32_t n = frame_extent(&rb->native.ports.extent, f->len);

	return trill_transit(to, outer, tags, f->octets, n, &f->trill) + (f->len - n);
}

/*
 * Queues a copy on port out, to the outer address da; egress: its egress nickname if this RBridge
 * is the ingress; copies: as in relay_take(). Returns false if it was discarded.
 */
static bool send_copy(struct rbridge *rb, struct soft_port *out, const uint8_t da[ETH_ADDR_OCTETS],
		      uint16_t egress, const struct rb_frame *f, struct relay_copies *copies)
{
	const struct trill_tags tags = tags_of(out, f);
	const struct arrival *a = &f->native;
	struct trill_outer outer;
	struct cp_verdict verdict;
	struct dcb_frame *frame;
	uint32_t len;

	set_outer(&outer, out, da, f);
	len = f->octets ? trill_transit_octets(&outer, &tags, f->len, &f->trill)
			: trill_encapsulated_octets(&outer, &tags, a->len, &a->view);
	if (!fits(rb, out, len))
		return false;
	frame = relay_take(&rb->native.ports, out, a, f->outer_priority, eth_padded_octets(len),
			   copies, FRAME_FORMAT_OWN);
	if (!frame)
		return false;
	frame->priority = f->outer_priority;
	frame->len = f->octets ? transit(frame->data, rb, &outer, &tags, f)
			       : encapsulate(frame->data, rb, &outer, &tags, egress, a);
	verdict = port_set_enqueue(&rb->native.ports, out, frame, a->now);
	if (verdict.mark)
		frame->data[ETH_TYPE_OFFSET + 2] |= RELAY_DEI_BIT;
	if (verdict.cnm)
		notify_trill(rb, out, f, &verdict);
	return true;
}

bool rb_send_hop(struct rbridge *rb, const struct rb_hop *hop, uint16_t egress,
		 const struct rb_frame *f)
{
	return send_copy(rb, hop->port, hop->mac, egress, f, NULL);
}

bool rb_send_to(struct rbridge *rb, struct rb_nickname *to, const struct rb_frame *f,
		struct soft_port *count_at)
{
	const struct rb_hop *hop = to->hops;

	if (to->n_hops != 1)
		hop = nicknames_choose(to, relay_flow_hash(&f->native, rb->native.flow_seed));
	else if (!hop->port->up)
		hop = NULL;
	if (!hop) {
		counter_add(to->n_hops ? &rb_stats(rb, count_at)->no_next_hop
				       : &rb_stats(rb, count_at)->unknown_nickname,
			    1);
		return false;
	}
	if (!rb_send_hop(rb, hop, to->nickname, f))
		return false;
	counter_add(&to->stats.frames_to, 1);
	return true;
}

/* 4.5.3: a copy for each link of the tree that leads to ports of the VLAN. */
bool rb_send_tree(struct rbridge *rb, const struct soft_port *except, struct rb_frame *f)
{
	uint16_t tree_root = rb_config(rb)->trill.tree_root;
	struct rb_nickname *root = nicknames_find(&rb->nicknames, tree_root);
	bool any = false;

	for (size_t i = 0; i < rb->nicknames.n_tree_ports; i++) {
		struct soft_port *out = rb->nicknames.tree_port[i];

		if (!out->up || ranges_has(rb_port_config(out)->pruned, f->native.vid) ||
		    aggregate_is_same(out, except))
			continue;
		if (!rb_has_hops(rb, f))
			return false;
		any |= send_copy(rb, out, trill_all_rbridges, tree_root, f, &f->copies);
	}
	if (any && root)
		counter_add(&root->stats.frames_to, 1);
	return any;
}

/* --- routes --------------------------------------------------------------------------------- */

static unsigned send_everywhere(struct rbridge *rb, const struct soft_port *except,
				struct rb_frame *f)
{
	unsigned sent = flood(rb, except, f) ? RB_NATIVE : 0;

	if (rb_config(rb)->trill.nickname && rb_config(rb)->trill.tree_root &&
	    rb_send_tree(rb, NULL, f))
		sent |= RB_ENCAPSULATED;
	return sent;
}

unsigned rb_route(struct rbridge *rb, const struct soft_port *except, struct rb_frame *f)
{
	uint16_t slot = look_up(rb, &f->native);

	if (slot == FDB_NO_SLOT) {
		if (f->in && f->in->floods.limit && !relay_may_flood(f->in, &f->native))
			return 0;
		return send_everywhere(rb, except, f);
	}
	if (slot < FDB_SLOTS)
		return deliver_to(rb, except, slot, f) ? RB_NATIVE : 0;
	if (!rb_config(rb)->trill.nickname) {
		counter_add(&rb_stats(rb, f->in)->no_nickname, 1);
		return 0;
	}
	return rb_send_to(rb, nicknames_of_slot(&rb->nicknames, slot), f, f->in) ? RB_ENCAPSULATED
										 : 0;
}

/* --- congestion notification: draft-eastlake-trill-cn-00, section 3 ------------------------ */

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
static void notify_native(struct rbridge *rb, struct soft_port *at, const struct rb_frame *f,
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
static void notify_trill(struct rbridge *rb, struct soft_port *at, const struct rb_frame *f,
			 const struct cp_verdict *verdict)
{
	if (!f->octets)
		notify_native(rb, at, f, verdict);
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
