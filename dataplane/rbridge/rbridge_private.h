/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the RBridge. Dataplane thread.
 *
 *   rbridge.c        configuration; reception of native frames
 *   rbridge_trill.c  reception of TRILL frames: transit, tree, egress
 *   rbridge_send.c   transmission: native and encapsulated copies, routes, and the CNMs that
 *                    the own congestion points and bridges between RBridges cause
 */
#ifndef DCB_DATAPLANE_RBRIDGE_RBRIDGE_PRIVATE_H
#define DCB_DATAPLANE_RBRIDGE_RBRIDGE_PRIVATE_H

#include "dataplane/bridge/relay.h"
#include "dataplane/rbridge/rbridge.h"
#include "dataplane/trill/trill.h"

/*
 * A frame in the RBridge. native is the native frame, or the one inside a TRILL frame: where it is
 * classified, native.ingress and native.link_priority are of the TRILL frame, whose memory the
 * receive buffer counts.
 */
struct rb_frame {
	struct arrival native;
	struct relay_copies copies;
	struct soft_port *in;    /* where it was received; NULL: made here */
	uint8_t outer_priority;  /* of the frame while it is encapsulated */
	uint16_t ingress;        /* nickname of its ingress RBridge */
	const uint8_t *octets;   /* the TRILL frame; NULL: was received as a native frame */
	uint32_t len;            /* of it */
	struct trill_view trill; /* of it */
};

static inline const struct dcb_config *rb_config(const struct rbridge *rb)
{
	return rb->native.ports.config;
}

static inline struct trill_port_stats *rb_stats(struct rbridge *rb, const struct soft_port *port)
{
	return &rb->stats[port->base.slot];
}

static inline const struct trill_port_config *rb_port_config(const struct soft_port *port)
{
	return &port->config->trill;
}

/* Returns a native frame as this RBridge encapsulates it. */
static inline struct rb_frame rb_native_frame(const struct rbridge *rb, struct soft_port *in,
					      const struct arrival *a)
{
	return (struct rb_frame){
	    .native = *a,
	    .in = in,
	    .outer_priority = a->priority,
	    .ingress = rb_config(rb)->trill.nickname,
	};
}

/*
 * RFC 6325 3.6: returns whether the frame may be sent encapsulated, and counts it otherwise.
 * Choice: one that would leave with hop count 0 is dropped here, because every receiver drops it.
 */
static inline bool rb_has_hops(struct rbridge *rb, const struct rb_frame *f)
{
	if (!f->octets || f->trill.hop_count > 1)
		return true;
	counter_add(&rb_stats(rb, f->in)->malformed[TRILL_HOP_COUNT], 1);
	return false;
}

/* 01-80-C2-00-00-40 to -4F, RFC 6325 7.2: never the destination of a native frame. */
static inline bool rb_is_trill_address(const uint8_t *da)
{
	return memcmp(da, trill_all_rbridges, ETH_ADDR_OCTETS - 1) == 0 && (da[5] & 0xf0) == 0x40;
}

/*
 * Returns whether an inner frame does not leave natively: ESADI (4.2.5), which RBridges send each
 * other, and what no RBridge encapsulates. That is forged: it would pause or configure the
 * neighbor of the port where it leaves, also behind tags that other systems remove.
 */
static inline bool rb_is_inner_control(const struct arrival *inner)
{
	switch (inner->view.inner_type) {
	case ETH_TYPE_LLDP:
	case ETH_TYPE_TRILL:
	case ETH_TYPE_L2_ISIS:
		return true;
	default:
		return eth_is_link_control(&inner->view) || rb_is_trill_address(inner->octets);
	}
}

/* Result of rb_route() and its parts: where copies of a frame were queued. */
enum rb_sent { RB_NATIVE = 1, RB_ENCAPSULATED = 2 };

/*
 * RFC 6325 4.6.1: sends a native frame as if port f->in had received it: by the port or to the
 * RBridge of its destination; if that is unknown or a group, by all ports of the VLAN and along
 * the tree. Natively not by port except (may be NULL). Returns enum rb_sent, one bit each.
 */
unsigned rb_route(struct rbridge *rb, const struct soft_port *except, struct rb_frame *f);

/*
 * Sends a frame natively by the port of its destination, or by all ports of the VLAN if
 * that is a group or not at a port; not by port except (may be NULL). Returns whether a port
 * queued it.
 */
bool rb_deliver(struct rbridge *rb, const struct soft_port *except, struct rb_frame *f);

/*
 * Sends a frame to the RBridge with this nickname. Returns false if it was discarded; counts
 * that at port count_at if no next hop is up.
 */
bool rb_send_to(struct rbridge *rb, struct rb_nickname *to, const struct rb_frame *f,
		struct soft_port *count_at);

/*
 * Sends a frame along the tree, except by port except (may be NULL). Returns whether a link
 * queued it.
 */
bool rb_send_tree(struct rbridge *rb, const struct soft_port *except, struct rb_frame *f);

/* Sends a frame to the RBridge egress by this next hop. Returns false if it was discarded. */
bool rb_send_hop(struct rbridge *rb, const struct rb_hop *hop, uint16_t egress,
		 const struct rb_frame *f);

/* A TRILL frame was received: octets, len, and in native.view what port_receive() has set. */
void rb_trill_receive(struct rbridge *rb, struct soft_port *in, struct rb_frame *f,
		      struct dcb_time now);

/* A native CNM to the address of a port of this RBridge was received on port in. */
void rb_cnm_receive(struct rbridge *rb, struct soft_port *in, const struct arrival *a);

#endif
