/* SPDX-License-Identifier: BSD-3-Clause */
/* Reception of TRILL frames, RFC 6325 4.6.2. */
#include "dataplane/rbridge/rbridge_private.h"

/* --- classification ------------------------------------------------------------------ */

/*
 * Returns the priority with which a TRILL frame was on the link. Choice: a frame without outer tag
 * has the priority of its Inner.VLAN: that is what its RBridge had put into the outer tag.
 */
static uint8_t link_priority_of(const struct trill_view *view)
{
	return view->outer.tagged ? view->outer.priority : view->inner.priority;
}

/*
 * Returns the priority of the inner frame. When the outer priority is mapped, the inner one is
 * mapped to the same; otherwise the port maps it like that of a native frame, so that no
 * frame enters a domain inside another (draft-eastlake-trill-cn-00, 2.1).
 */
static uint8_t inner_priority_of(const struct soft_port *in, uint8_t outer, uint8_t inner)
{
	uint8_t mapped = in->cn.map.ingress[outer];

	return mapped != outer ? mapped : in->cn.map.ingress[inner];
}

static void classify(struct soft_port *in, struct rb_frame *f)
{
	struct arrival *a = &f->native;
	uint8_t outer = link_priority_of(&f->trill), inner = f->trill.inner.priority;

	relay_classify(in, a, outer);
	f->outer_priority = a->priority;
	a->priority = inner_priority_of(in, outer, inner);
	a->left_domain |= in->cn.map.leave >> inner & 1;
}

/* Sets the inner frame; classify() sets its priority. */
static void open_inner(struct rb_frame *f, struct dcb_time now)
{
	f->ingress = f->trill.ingress;
	f->native.octets = f->octets + f->trill.inner_offset;
	f->native.len = f->len - f->trill.inner_offset;
	f->native.view = f->trill.inner;
	f->native.vid = f->trill.inner.vid;
	f->native.now = now;
	f->native.now_s = relay_seconds(now);
}

/* --- checks ---------------------------------------------------------------------------- */

/* 4.6.2: returns whether the address is that of the port, or of another link of its aggregation. */
static bool is_link_address(const struct soft_port *in, const uint8_t *da)
{
	const struct soft_port *link = in;

	do {
		if (port_has_mac(link, da))
			return true;
		link = link->ring_next;
	} while (link && link != in);
	return false;
}

/*
 * 4.6.2: returns whether it is the address of a neighbor, at the port or another link of its
 * aggregation. Choice: without IS-IS the neighbors are the next hops of any nickname.
 */
static bool is_adjacent(const struct rbridge *rb, const struct soft_port *in, const uint8_t *sa)
{
	const struct soft_port *link = in;

	do {
		if (nicknames_has_neighbor(&rb->nicknames, link, sa))
			return true;
		link = link->ring_next;
	} while (link && link != in);
	return false;
}

/* Returns the counter of the reason to drop a frame before it is parsed; NULL: none. */
static uint64_t *refusal(const struct rbridge *rb, const struct soft_port *in,
			 const uint8_t *octets, struct trill_port_stats *stats)
{
	if (!rb_config(rb)->trill.nickname)
		return &stats->no_nickname;
	if (!trill_port_is_trunk(rb_port_config(in)))
		return &stats->mode;
	if (eth_is_group(octets)) /* of which adjacency, passes_reverse_path() checks */
		return NULL;
	if (!is_link_address(in, octets))
		return &stats->not_for_us;
	if (!is_adjacent(rb, in, octets + ETH_SA_OFFSET))
		return &stats->not_adjacent;
	return NULL;
}

/* Likewise, after it is parsed. */
static uint64_t *inner_refusal(const struct rbridge *rb, const struct soft_port *in,
			       const struct rb_frame *f, struct trill_port_stats *stats)
{
	const struct arrival *a = &f->native;

	if (f->ingress == rb_config(rb)->trill.nickname)
		return &stats->own_ingress;
	if (a->view.inner_type == ETH_TYPE_CNM && in->cn.map.leave &&
	    relay_is_foreign_cnm(in->cn.map.leave, a->octets, a->len))
		return &stats->forged_cnm;
	return NULL;
}

/*
 * Acceptable frame types and ingress filtering are those of the link: of the outer tag. Choice: an
 * outer VLAN other than the designated one is accepted; without IS-IS the neighbors cannot learn
 * that it has changed.
 */
static bool passes_outer_vlan(struct soft_port *in, const struct eth_view *outer)
{
	struct arrival link;

	if (!in->vlan.ingress)
		return true;
	link = (struct arrival){
	    .view = *outer,
	    .vid = outer->vid == ETH_VID_NONE ? in->base.settings.pvid : outer->vid,
	};
	return relay_passes_ingress(in, &link);
}

/* --- what becomes of it ------------------------------------------------------------------- */

/* 4.8: the source of the inner frame is behind the ingress RBridge. */
static void learn(struct rbridge *rb, const struct rb_nickname *from, const struct rb_frame *f)
{
	fdb_learn(&rb->native.fdb, f->native.vid, f->native.octets + ETH_SA_OFFSET,
		  nicknames_slot(&rb->nicknames, from), f->native.now_s);
}

/* 4.6.2.4: transit of a frame to one RBridge. */
static void transit(struct rbridge *rb, struct rb_frame *f)
{
	struct trill_port_stats *stats = rb_stats(rb, f->in);
	struct rb_nickname *to = nicknames_find(&rb->nicknames, f->trill.egress);

	if (!to) {
		counter_add(&stats->unknown_nickname, 1);
		return;
	}
	if (rb_has_hops(rb, f) && rb_send_to(rb, to, f, f->in))
		counter_add(&stats->transited, 1);
}

/* 4.6.2.4: this RBridge is the egress. The port of arrival may be that of the destination. */
static void egress(struct rbridge *rb, const struct rb_nickname *from, struct rb_frame *f)
{
	if (rb_is_inner_control(&f->native)) {
		counter_add(&rb_stats(rb, f->in)->control, 1);
		return;
	}
	learn(rb, from, f);
	if (rb_deliver(rb, NULL, f))
		counter_add(&rb_stats(rb, f->in)->egressed, 1);
}

/*
 * 4.5.2: a multi-destination frame comes from the RBridge by which its ingress nickname is in the
 * tree, on that link; otherwise it is a copy of another one, or goes round.
 */
static bool passes_reverse_path(const struct rb_nickname *from, const struct rb_frame *f)
{
	const struct rb_hop *tree = from->tree;

	return tree && aggregate_is_same(tree->port, f->in) &&
	       memcmp(tree->mac, f->octets + ETH_SA_OFFSET, ETH_ADDR_OCTETS) == 0;
}

/* 4.6.2.5: copies for the other links of the tree, and for the local ports. */
static void distribute(struct rbridge *rb, struct rb_nickname *from, struct rb_frame *f)
{
	struct trill_port_stats *stats = rb_stats(rb, f->in);

	if (f->trill.egress != rb_config(rb)->trill.tree_root) {
		counter_add(&stats->unknown_nickname, 1);
		return;
	}
	if (!passes_reverse_path(from, f)) {
		counter_add(&stats->rpf, 1);
		return;
	}
	counter_add(&from->stats.frames_from, 1);
	if (rb_send_tree(rb, f->in, f))
		counter_add(&stats->transited, 1);
	egress(rb, from, f);
}

/* f is parsed, classified and passed all checks of its own octets. */
static void dispatch(struct rbridge *rb, struct rb_frame *f)
{
	struct rb_nickname *from = nicknames_find(&rb->nicknames, f->ingress);
	bool for_us = f->trill.egress == rb_config(rb)->trill.nickname;

	if (from && !f->trill.multi) /* for the others, distribute() */
		counter_add(&from->stats.frames_from, 1);
	if (!f->trill.multi && !for_us)
		transit(rb, f);
	else if (!from) /* its answers could not be sent */
		counter_add(&rb_stats(rb, f->in)->unknown_nickname, 1);
	else if (f->trill.multi)
		distribute(rb, from, f);
	else
		egress(rb, from, f);
}

void rb_trill_receive(struct rbridge *rb, struct soft_port *in, struct rb_frame *f,
		      struct dcb_time now)
{
	struct trill_port_stats *stats = rb_stats(rb, in);
	uint64_t *reason = refusal(rb, in, f->octets, stats);
	enum trill_error error;

	if (!reason &&
	    (error = trill_parse(f->octets, f->len, &f->native.view, &f->trill)) != TRILL_OK)
		reason = &stats->malformed[error];
	if (!reason) {
		f->in = in;
		open_inner(f, now);
		reason = inner_refusal(rb, in, f, stats);
	}
	if (reason) {
		counter_add(reason, 1);
		return;
	}
	if (!passes_outer_vlan(in, &f->trill.outer))
		return;
	classify(in, f);
	dispatch(rb, f);
}
