/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of relaying a native frame that a bridge and an RBridge share: admission of a
 * received frame, its format on an egress port, queueing it there, the CNM of a sampled
 * frame. bridge.c and dataplane/rbridge decide by which ports a frame leaves.
 *
 * A frame that is shorter than 60 octets without its tags is padded with zeros, in a station, too.
 * Queues and rates count the octets that are sent. Untagged frames of the priorities that the
 * neighbor has as CNPV or with PFC would have another priority there: relay_leaves_tagged().
 *
 * The steps of the per-frame path are inline: the compiler then makes the same code of
 * bridge_receive() as if they were in its file. Dataplane thread.
 */
#ifndef DCB_DATAPLANE_BRIDGE_RELAY_H
#define DCB_DATAPLANE_BRIDGE_RELAY_H

#include <string.h>

#include "dataplane/core/app.h"
#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "dataplane/port/aggregate.h"
#include "dataplane/port/port_set.h"
#include "lib/counter.h"
#include "lib/octets.h"
#include "lib/ranges.h"

#define RELAY_DEI_BIT 0x10 /* in the first octet of a C-TAG's control information */

/* A received frame, parsed and classified: 8.6.1, 6.9.3. */
struct arrival {
	const uint8_t *octets;
	uint32_t len;
	struct eth_view view;
	uint16_t vid;
	uint8_t priority;
	uint8_t link_priority;     /* received priority, before regeneration (6.9.4) */
	bool left_domain;          /* an edge has mapped link_priority, a CNPV, to another */
	struct soft_port *ingress; /* receiving port if it has PFC for link_priority, else NULL */
	struct dcb_time now;
	uint32_t now_s; /* now in seconds, for the filtering database */
};

static inline uint32_t relay_seconds(struct dcb_time t)
{
	return (uint32_t)(t.ns / DCB_NS_PER_S);
}

/* --- reception --------------------------------------------------------------------- */

/*
 * 32.1: a congestion point of the domain of a CNPV is not beyond an edge of the domain.
 * A CNM that arrives there, and names a CNPV of the mask edge_of or is too short to name
 * one, is forged. Tags before it do not hide it: bridges on the path remove some of them.
 * The frame has inner_type ETH_TYPE_CNM.
 */
bool relay_is_foreign_cnm(uint8_t edge_of, const uint8_t *octets, uint32_t len);

/*
 * Acceptable frame types (6.9) and ingress filtering (8.6.2) of a port that has such a
 * rule. Returns false and counts the frame if the port discards it.
 */
bool relay_passes_ingress(struct soft_port *in, const struct arrival *a);

/*
 * Returns the priority of a frame at a port with another order of trust than TRUST_PCP, and counts
 * its origin. by_dscp: the port's priority for each DSCP, or APP_NONE.
 */
uint8_t relay_trusted_priority(const uint8_t by_dscp[APP_DSCPS], struct soft_port *in,
			       const struct arrival *a);

/*
 * Returns whether the limit of the port allows to send a received frame to all other ports, and
 * counts it if not. in->floods.limit is set.
 */
bool relay_may_flood(struct soft_port *in, const struct arrival *a);

/*
 * 6.9.3: returns the received priority; that of an untagged frame is the port's choice. by_dscp: by
 * slot, as above.
 */
static inline uint8_t relay_priority_of(uint8_t (*by_dscp)[APP_DSCPS], struct soft_port *in,
					const struct arrival *a)
{
	if (in->trust)
		return relay_trusted_priority(by_dscp[in->base.slot], in, a);
	return a->view.tagged ? a->view.priority : in->base.settings.default_priority;
}

/* Sets what the priority on the link decides: PFC (36.2), the priority in use, defense. */
static inline void relay_classify(struct soft_port *in, struct arrival *a, uint8_t link_priority)
{
	a->link_priority = link_priority;
	a->ingress = pfc_tx_is_enabled(&in->pfc.tx, link_priority) ? in : NULL;
	a->priority = in->cn.map.ingress[link_priority];
	a->left_domain = in->cn.map.leave >> link_priority & 1;
}

/*
 * Filters and classifies a frame that port_receive() found valid; octets, len and view
 * are set. by_dscp: as above. Returns false and counts the frame if the port discards it.
 */
static inline bool relay_accept(uint8_t (*by_dscp)[APP_DSCPS], struct soft_port *in,
				struct arrival *a)
{
	if (eth_is_reserved(a->octets)) {
		counter_add(&in->stats.discard_reserved, 1);
		return false;
	}
	if (a->view.inner_type == ETH_TYPE_CNM && in->cn.map.leave &&
	    relay_is_foreign_cnm(in->cn.map.leave, a->octets, a->len)) {
		counter_add(&in->stats.discard_cnm, 1);
		return false;
	}
	a->vid = a->view.vid == ETH_VID_NONE ? in->base.settings.pvid : a->view.vid;
	if (in->vlan.ingress && !relay_passes_ingress(in, a))
		return false;
	relay_classify(in, a, relay_priority_of(by_dscp, in, a));
	return true;
}

/* --- transmission ------------------------------------------------------------------ */

/* Format of a frame on an egress port: addresses, a C-TAG or none (6.9.2), copied octets. */
struct departure {
	bool tagged;
	uint32_t rest; /* offset in the received frame from where octets are copied unchanged */
	uint32_t len;  /* before padding */
};

/*
 * 32.1: a port in defense mode edge or interior removes the CN-TAG of frames of the
 * CNPV, because the neighbor may not support CN-TAGs. Every port removes it from a
 * frame that has left the domain, where an edge mapped its priority to another. The
 * CN-TAG of a CNM is part of its format and stays; the priority of CNMs should not be
 * a CNPV. priority: of the frame on that port.
 */
static inline bool relay_strips_cn_tag(const struct soft_port *out, const struct arrival *a,
				       uint8_t priority)
{
	return a->view.cn_tagged && (a->left_domain || out->cn.map.strip >> priority & 1) &&
	       !eth_is_cnm(&a->view);
}

/*
 * The untagged set of a port is its PVID or empty. Bridges send no priority-tagged
 * frames (6.9.2), so CNMs and the priorities that the neighbor uses have a VLAN tag.
 */
static inline bool relay_leaves_tagged(const struct soft_port *out, const struct arrival *a)
{
	const struct port_settings *settings = &out->base.settings;

	return a->vid != settings->pvid || settings->pvid_tagged ||
	       out->cn.tagged >> a->priority & 1 || eth_is_cnm(&a->view);
}

static inline struct departure relay_departure(const struct soft_port *out, const struct arrival *a)
{
	struct departure d = {
	    .tagged = relay_leaves_tagged(out, a),
	    .rest = eth_cn_tag_offset(&a->view),
	};

	if (relay_strips_cn_tag(out, a, a->priority))
		d.rest += ETH_TAG_OCTETS;
	d.len = ETH_TYPE_OFFSET + (d.tagged ? ETH_TAG_OCTETS : 0) + a->len - d.rest;
	return d;
}

/*
 * Copies of a frame with the same format have the same octets. A congestion point that marks
 * frames changes its copies, and so does relay_mark().
 */
static inline uint32_t relay_format(const struct soft_port *out, const struct departure *d)
{
	return out->base.settings.early || out->alters ? FRAME_FORMAT_OWN
						       : d->rest << 1 | d->tagged;
}

/* What a port with out->alters does with a frame. */
struct relay_marks {
	uint32_t ip;           /* offset of the IP header in the received frame; 0: it has none */
	uint8_t traffic_class; /* with which it leaves */
	enum relay_ecn { RELAY_NO_ECN, RELAY_NOT_ECT, RELAY_UNMARKED, RELAY_MARKED, RELAY_CE } ecn;
};

/*
 * Decides whether the frame is marked as its queue is now (RFC 3168), and about its DSCP. Returns
 * false and counts the frame if it is discarded in place of being marked: its sender does not know
 * ECN. A frame with PFC is not.
 */
bool relay_decide(struct port_set *s, struct soft_port *out, const struct arrival *a,
		  struct relay_marks *m);

/*
 * Alters and counts a frame that was written for port out. A tag keeps the priority of a CNPV, and
 * of a priority with PFC, by which the neighbor pauses it.
 */
void relay_mark(const struct port_set *s, struct soft_port *out, const struct arrival *a,
		const struct departure *d, const struct relay_marks *m, struct dcb_frame *frame);

/* Sets the header of the frame buffer last, so that the compiler knows it in what follows. */
static inline void relay_write(struct dcb_frame *frame, const struct arrival *a,
			       const struct departure *d, const struct frame_extent *extent)
{
	uint8_t *p = frame->data;

	memcpy(p, a->octets, ETH_TYPE_OFFSET);
	p += ETH_TYPE_OFFSET;
	if (d->tagged) {
		put_be32(p, (uint32_t)ETH_TYPE_CTAG << 16 | (uint32_t)a->priority << 13 |
				(uint32_t)a->view.drop_eligible << 12 | a->vid);
		p += ETH_TAG_OCTETS;
	}
	memcpy(p, a->octets + d->rest, frame_extent(extent, a->len - d->rest));
	frame->len = eth_pad(frame->data, d->len);
	frame->priority = a->priority;
}

/* Counts a frame that fits its account, but no frame buffer was free: the promises are too big. */
void relay_count_no_buffer(struct soft_port *out, const struct arrival *a, uint8_t priority,
			   struct buffer_account *account, uint32_t len);

/* The copies of a lossless frame that may leave by several ports. All zero: none yet. */
struct relay_copies {
	struct frame_group *group;
	bool lost; /* counted once, as discarded: no further port gets the frame */
};

/*
 * Takes room for a copy of len octets, which has the same octets as others of this format. The
 * ingress port's receive buffer limits the frame, which is counted once. Returns a copy with the
 * octets of the others (relay_is_written()), or without octets; NULL: the frame is discarded.
 */
struct dcb_frame *relay_take_copy(struct port_set *s, const struct arrival *a, uint32_t len,
				  struct relay_copies *copies, uint32_t format);

/* Returns whether a frame that was taken has its octets already. */
static inline bool relay_is_written(const struct dcb_frame *frame)
{
	return frame->flags & PORT_FRAME_COPY && frame->len;
}

/*
 * Takes room and a buffer for a frame of len octets that leaves by port out with this
 * priority. With PFC, the ingress port's receive buffer limits the frame; otherwise the
 * egress port. copies: the frame may leave by other ports too; NULL: it does not. format: as in
 * relay_take_copy(). Returns NULL and counts the frame if it is discarded.
 */
static inline struct dcb_frame *__attribute__((always_inline))
relay_take(struct port_set *s, struct soft_port *out, const struct arrival *a, uint8_t priority,
	   uint32_t len, struct relay_copies *copies, uint32_t format)
{
	struct buffer_account *account;
	struct dcb_frame *frame;

	if (port_discards(out, priority))
		return NULL;
	if (copies && a->ingress)
		return relay_take_copy(s, a, len, copies, format);
	account = a->ingress ? port_set_admit_lossless(s, a->ingress, a->link_priority, len)
			     : port_admit(out, priority, len);
	if (!account)
		return NULL;
	frame = frame_pool_get(&s->pool);
	if (frame) {
		frame->account = account;
		frame->flags = 0;
	} else {
		relay_count_no_buffer(out, a, priority, account, len);
	}
	return frame;
}

/*
 * Queues the frame on port out and sets *verdict, that of its congestion point. copies: as in
 * relay_take(). Returns false if the frame was discarded.
 */
static inline bool __attribute__((always_inline))
relay_forward(struct port_set *s, struct soft_port *out, const struct arrival *a,
	      struct relay_copies *copies, struct cp_verdict *verdict)
{
	struct departure d = relay_departure(out, a);
	struct relay_marks marks;
	struct dcb_frame *frame;

	if (__builtin_expect(out->alters, 0) && !relay_decide(s, out, a, &marks))
		return false;
	frame = relay_take(s, out, a, a->priority, eth_padded_octets(d.len), copies,
			   relay_format(out, &d));
	if (!frame)
		return false;
	if (!relay_is_written(frame))
		relay_write(frame, a, &d, &s->extent);
	if (__builtin_expect(out->alters, 0))
		relay_mark(s, out, a, &d, &marks, frame);
	*verdict = port_set_enqueue(s, out, frame, a->now);
	if (verdict->mark && d.tagged)
		frame->data[ETH_TYPE_OFFSET + 2] |= RELAY_DEI_BIT;
	return true;
}

/* --- egress ports ------------------------------------------------------------------ */

/*
 * Returns the hash of a flow, whose frames must stay in order: addresses, VLAN, and the
 * ports of IP packets. The priority is not included: frames of different priorities may
 * overtake each other in any case. seed: random.
 */
uint64_t relay_flow_hash(const struct arrival *a, uint64_t seed);

/*
 * Returns the link for the frame among the links of out's bridge port; NULL: not forwarded. in:
 * where it was received, may be NULL. seed: of relay_flow_hash().
 */
static inline struct soft_port *relay_link_for(const struct soft_port *in, struct soft_port *out,
					       const struct arrival *a, uint64_t seed)
{
	if (!out->ring_next)
		return out != in && out->up ? out : NULL;
	return aggregate_is_same(out, in) ? NULL : aggregate_choose(out, relay_flow_hash(a, seed));
}

/* 8.6.4: a port sends the frames of the VLANs of which it is a member. */
static inline bool relay_carries(const struct soft_port *out, uint16_t vid)
{
	return !out->vlan.excluded || !ranges_has(out->vlan.excluded, vid);
}

/*
 * GenerateCnmPdu(), 32.9.4: writes the CNM to the source of the sampled frame a, of the
 * congestion point for this priority of port at, to octets, and sets *own to it. mac: the
 * CNM's source address. Returns false if there is none: a CNM never causes another CNM,
 * even if the priority of CNMs is a CNPV.
 */
bool relay_cnm(const struct dcb_config *config, const struct soft_port *at, uint8_t priority,
	       const struct arrival *a, const struct cp_verdict *verdict,
	       const uint8_t mac[ETH_ADDR_OCTETS], uint8_t octets[CNM_FRAME_MAX],
	       struct arrival *own);

#endif
