/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that few frames need: not inline, so that the common path stays short. */
#include "dataplane/bridge/relay.h"

#include <string.h>

#include "dataplane/core/flow.h"
#include "dataplane/core/ip.h"

bool relay_is_foreign_cnm(uint8_t edge_of, const uint8_t *octets, uint32_t len)
{
	struct octets_in in = octets_in(octets, len);
	const uint8_t *priority;

	(void)octets_in_take(&in, ETH_TYPE_OFFSET);
	while (octets_in_be16(&in) != ETH_TYPE_CNM && !in.overrun)
		(void)octets_in_take(&in, ETH_TAG_OCTETS - 2);
	(void)octets_in_take(&in, CNM_PRIORITY_OFFSET);
	priority = octets_in_take(&in, 1);
	return !priority || edge_of >> (*priority >> 5) & 1;
}

bool relay_passes_ingress(struct soft_port *in, const struct arrival *a)
{
	const struct vlan_port_config *vlan = in->vlan.ingress;
	bool tagged = a->view.vid != ETH_VID_NONE; /* a priority-tagged frame is not */

	if (vlan->frame_types == (tagged ? VLAN_ADMIT_UNTAGGED : VLAN_ADMIT_TAGGED)) {
		counter_add(&in->stats.discard_frame_type, 1);
		return false;
	}
	if (vlan->ingress_filtering && ranges_has(vlan->excluded, a->vid)) {
		counter_add(&in->stats.discard_ingress, 1);
		return false;
	}
	return true;
}

/* Frames of a kind that may come at once: those of this time at the limit, and one. */
#define FLOOD_BURST_NS (DCB_NS_PER_S / 10)

static enum flood_kind flood_kind_of(const uint8_t *da)
{
	static const uint8_t broadcast[ETH_ADDR_OCTETS] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	if (!eth_is_group(da))
		return FLOOD_UNKNOWN;
	return memcmp(da, broadcast, sizeof(broadcast)) == 0 ? FLOOD_BROADCAST : FLOOD_MULTICAST;
}

bool relay_may_flood(struct soft_port *in, const struct arrival *a)
{
	enum flood_kind kind = flood_kind_of(a->octets);
	uint32_t limit = in->floods.limit[kind];
	struct dcb_time *due = &in->floods.due[kind];

	if (!limit)
		return true;
	if (dcb_time_diff_ns(*due, a->now) > FLOOD_BURST_NS) {
		counter_add(&in->stats.discard_flood[kind], 1);
		return false;
	}
	if (dcb_time_before(*due, a->now))
		*due = a->now;
	*due = dcb_time_add_ns(*due, DCB_NS_PER_S / limit);
	return true;
}

/* Returns the priority for the DSCP of the packet in the frame; APP_NONE: it has none. */
static uint8_t priority_of_dscp(const uint8_t by_dscp[APP_DSCPS], const struct arrival *a)
{
	uint32_t ip = ip_find(a->octets, a->len, a->view.payload_offset - 2u);

	return ip ? by_dscp[ip_dscp(a->octets + ip)] : APP_NONE;
}

uint8_t relay_trusted_priority(const uint8_t by_dscp[APP_DSCPS], struct soft_port *in,
			       const struct arrival *a)
{
	bool pcp = a->view.tagged && (in->trust == TRUST_PCP_DSCP || in->trust == TRUST_DSCP_PCP);
	uint8_t dscp = APP_NONE;

	if (in->trust != TRUST_NONE && !(pcp && in->trust == TRUST_PCP_DSCP))
		dscp = priority_of_dscp(by_dscp, a);
	if (dscp != APP_NONE) {
		counter_add(&in->stats.by_dscp, 1);
		return dscp;
	}
	counter_add(pcp ? &in->stats.by_pcp : &in->stats.by_default, 1);
	return pcp ? a->view.priority : in->base.settings.default_priority;
}

/* --- marks ---------------------------------------------------------------------------- */

/* The frame is ECT, or would be marked if it were. */
static enum relay_ecn ecn_of(struct port_set *s, const struct soft_port *out,
			     const struct arrival *a, enum ip_ecn ecn)
{
	const struct ecn_curve *curve = &out->marking.curve[a->priority];
	unsigned queue = out->queues.tclass.queue[a->priority];

	if (ecn == IP_CE)
		return RELAY_CE;
	if (ecn == IP_NOT_ECT && !curve->drops)
		return RELAY_NOT_ECT;
	if (ecn_marks(curve, out->queues.queue[queue].octets, &s->rng))
		return RELAY_MARKED;
	return ecn == IP_NOT_ECT ? RELAY_NOT_ECT : RELAY_UNMARKED;
}

bool relay_decide(struct port_set *s, struct soft_port *out, const struct arrival *a,
		  struct relay_marks *m)
{
	struct ecn_stats *stats = &out->marking.stats[a->priority];
	uint8_t dscp = out->config->rewrite[a->priority].dscp;
	enum ip_ecn ecn;

	m->ip = ip_find(a->octets, a->len, a->view.payload_offset - 2u);
	m->traffic_class = m->ip ? ip_traffic_class(a->octets + m->ip) : 0;
	m->ecn = RELAY_NO_ECN;
	ecn = (enum ip_ecn)(m->traffic_class & IP_ECN_MASK);
	if (out->marking.ecn >> a->priority & 1 && !eth_is_cnm(&a->view))
		m->ecn = ecn_of(s, out, a, ecn);
	if (m->ecn == RELAY_MARKED && ecn == IP_NOT_ECT) {
		if (!a->ingress) {
			counter_add(&stats->not_ect_discards, 1);
			return false;
		}
		m->ecn = RELAY_NOT_ECT;
	}
	if (m->ecn == RELAY_MARKED)
		m->traffic_class |= IP_CE;
	if (dscp)
		m->traffic_class =
		    (uint8_t)((dscp - 1) << IP_DSCP_SHIFT | (m->traffic_class & IP_ECN_MASK));
	return true;
}

static void count_ecn(struct ecn_stats *stats, enum relay_ecn ecn)
{
	switch (ecn) {
	case RELAY_NO_ECN:
		break;
	case RELAY_NOT_ECT:
		counter_add(&stats->not_ect, 1);
		break;
	case RELAY_UNMARKED:
		counter_add(&stats->unmarked, 1);
		break;
	case RELAY_MARKED:
		counter_add(&stats->marked, 1);
		break;
	case RELAY_CE:
		counter_add(&stats->marked_before, 1);
		break;
	}
}

/* Returns the IP header in the frame that was written; NULL: there is none, or it was not copied.
 */
static uint8_t *written_header(const struct port_set *s, const struct arrival *a,
			       const struct departure *d, const struct relay_marks *m,
			       const struct dcb_frame *frame)
{
	uint32_t begin = ETH_TYPE_OFFSET + (d->tagged ? ETH_TAG_OCTETS : 0);
	uint32_t copied = frame_extent(&s->extent, a->len - d->rest);

	if (!m->ip || m->ip - d->rest + IP_V4_OCTETS > copied)
		return NULL;
	return frame->data + begin + (m->ip - d->rest);
}

void relay_mark(const struct port_set *s, struct soft_port *out, const struct arrival *a,
		const struct departure *d, const struct relay_marks *m, struct dcb_frame *frame)
{
	uint8_t lossless = out->oper.pfc_enable | out->cn.map.cnpv;
	uint8_t pcp = out->config->rewrite[a->priority].pcp;
	uint8_t *ip = written_header(s, a, d, m, frame);

	count_ecn(&out->marking.stats[a->priority], m->ecn);
	if (ip && m->traffic_class != ip_traffic_class(ip))
		ip_set_traffic_class(ip, m->traffic_class);
	if (pcp && d->tagged && !(lossless >> a->priority & 1) && !eth_is_cnm(&a->view))
		put_be16(frame->data + ETH_TYPE_OFFSET + 2,
			 (uint16_t)(((pcp - 1u) & 7) << 13 | ((pcp - 1u) >> 3) << 12 | a->vid));
}

void relay_count_no_buffer(struct soft_port *out, const struct arrival *a, uint8_t priority,
			   struct buffer_account *account, uint32_t len)
{
	buffer_release(account, len, 1);
	counter_add(&account->no_frames, 1);
	if (a->ingress)
		counter_add(&a->ingress->pfc.stats[a->link_priority].pfc_discards, 1);
	else
		port_count_no_buffer(out, priority);
}

/* --- copies of one frame -------------------------------------------------------------- */

/*
 * Takes a frame buffer that the receive buffer of the frame counts with this many octets. Returns
 * NULL and counts a discarded frame if there is none.
 */
static struct dcb_frame *take_buffer(struct port_set *s, const struct arrival *a, uint32_t octets)
{
	struct buffer_account *account =
	    port_set_admit_lossless(s, a->ingress, a->link_priority, octets);
	struct dcb_frame *buffer = account ? frame_pool_get(&s->pool) : NULL;

	if (buffer)
		buffer->account = account;
	else if (account)
		relay_count_no_buffer(NULL, a, a->priority, account, octets);
	return buffer;
}

/* Returns room in the group, with a further buffer if it needs one; NULL: none is free. */
static void *take_room(struct port_set *s, const struct arrival *a, struct frame_group *g,
		       uint32_t octets)
{
	void *room = frame_group_room(g, octets);
	struct dcb_frame *buffer;

	if (room || !(buffer = take_buffer(s, a, 0)))
		return room;
	frame_group_extend(g, &s->pool, buffer);
	return frame_group_room(g, octets);
}

static bool begin_copies(struct port_set *s, const struct arrival *a, uint32_t len,
			 struct relay_copies *copies)
{
	struct dcb_frame *buffer = take_buffer(s, a, len);

	if (buffer)
		copies->group = frame_group_begin(&s->pool, buffer, len);
	return buffer;
}

/* A simulator's buffer has the octets of a longer frame that relay_write() copies. */
static void *take_octets(struct port_set *s, const struct arrival *a, struct frame_group *g,
			 uint32_t len)
{
	uint32_t most = frame_pool_octets(&s->pool);

	return take_room(s, a, g, len < most ? len : most);
}

/* Returns a copy of the group; NULL: no frame buffer is free for it. */
static struct frame_copy *make_copy(struct port_set *s, const struct arrival *a, uint32_t len,
				    struct frame_group *g, uint32_t format)
{
	const struct frame_copy *same =
	    format == FRAME_FORMAT_OWN ? NULL : frame_group_find(g, format);
	uint8_t *data = same ? same->frame.data : take_octets(s, a, g, len);
	void *room = data ? take_room(s, a, g, sizeof(struct frame_copy)) : NULL;
	struct frame_copy *copy = room ? frame_group_add(g, room, format) : NULL;

	if (!copy)
		return NULL;
	copy->frame.data = data;
	copy->frame.len = same ? same->frame.len : 0;
	copy->frame.priority = a->priority;
	return copy;
}

/* A frame that is lost after some ports have queued it still leaves by these. */
struct dcb_frame *relay_take_copy(struct port_set *s, const struct arrival *a, uint32_t len,
				  struct relay_copies *copies, uint32_t format)
{
	struct frame_copy *copy = NULL;

	if (copies->lost)
		return NULL;
	if (copies->group || begin_copies(s, a, len, copies))
		copy = make_copy(s, a, len, copies->group, format);
	if (copy)
		return &copy->frame;
	copies->lost = true;
	if (copies->group && copies->group->users == 0)
		frame_group_end(&s->pool, copies->group);
	return NULL;
}

uint64_t relay_flow_hash(const struct arrival *a, uint64_t seed)
{
	uint32_t at = a->view.payload_offset - 2u;
	struct flow_keys keys;

	(void)flow_parse(&keys, a->octets, a->octets + ETH_SA_OFFSET, a->vid, a->octets + at,
			 a->len - at);
	return flow_hash(&keys, seed);
}

bool relay_cnm(const struct dcb_config *config, const struct soft_port *at, uint8_t priority,
	       const struct arrival *a, const struct cp_verdict *verdict,
	       const uint8_t mac[ETH_ADDR_OCTETS], uint8_t octets[CNM_FRAME_MAX],
	       struct arrival *own)
{
	struct cnm cnm;

	if (eth_is_cnm(&a->view))
		return false;
	cnm_of_frame(&cnm, verdict, a->octets, a->len, &a->view, a->priority,
		     at->cn.cp[priority].config.cp_min_header_octets);
	dcb_cpid(config->system_address, at->base.slot, priority, cnm.cpid);
	*own = (struct arrival){
	    .octets = octets,
	    .len = cnm_frame(octets, &cnm, a->octets + ETH_SA_OFFSET, mac, a->view.flow_id),
	    .vid = a->vid,
	    .priority = config->global.cng_cnm_transmit_priority,
	    .now = a->now,
	    .now_s = a->now_s,
	};
	return eth_parse(octets, own->len, &own->view) == ETH_OK;
}
