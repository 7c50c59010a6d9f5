/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/app.h"

#include "dataplane/core/ip.h"
#include "lib/octets.h"

#include <stdlib.h>
#include <string.h>

#define UDP_OCTETS     8
#define IP_OFFSET      (ETH_TYPE_OFFSET + ETH_TAG_OCTETS + 2)
#define UDP_OFFSET     (IP_OFFSET + IP_V4_OCTETS)
#define PAYLOAD_OFFSET (UDP_OFFSET + UDP_OCTETS)
#define STAMP_OCTETS   16 /* flow, frame number, time in ns */
#define TIME_OCTETS    6  /* time in ns, after a BTH */
#define CNP_OCTETS     (PAYLOAD_OFFSET + ROCE_BTH_OCTETS + ROCE_CNP_OCTETS + ROCE_ICRC_OCTETS)
#define ACK_OCTETS     (PAYLOAD_OFFSET + ROCE_BTH_OCTETS + ROCE_AETH_OCTETS + ROCE_ICRC_OCTETS)
#define CNP_PRIORITY   6 /* as most configurations of NICs have it (choice) */

_Static_assert(PAYLOAD_OFFSET + STAMP_OCTETS <= SIM_FRAME_OCTETS_MIN, "headers fit");
_Static_assert(PAYLOAD_OFFSET + ROCE_BTH_OCTETS + TIME_OCTETS <= SIM_FRAME_OCTETS_MIN,
	       "headers fit");

/* --- frames --------------------------------------------------------------- */

/* Writes the headers of a frame of the flow, up to that of UDP. p: zeros. */
static void put_headers(uint8_t *p, const struct sim_flow *flow, const struct sim_node *from,
			const struct sim_node *to, uint8_t priority, uint32_t frame_octets)
{
	uint16_t octets = (uint16_t)(frame_octets - IP_OFFSET);
	uint8_t *ip = p + IP_OFFSET, *udp = p + UDP_OFFSET;
	uint32_t sum = 0;

	memcpy(p + ETH_DA_OFFSET, to->mac, ETH_ADDR_OCTETS);
	memcpy(p + ETH_SA_OFFSET, from->mac, ETH_ADDR_OCTETS);
	put_be16(p + ETH_TYPE_OFFSET, ETH_TYPE_CTAG);
	put_be16(p + ETH_TYPE_OFFSET + 2, (uint16_t)(priority << 13 | SIM_VID));
	put_be16(p + ETH_TYPE_OFFSET + 4, IP_TYPE_V4);
	ip[0] = 0x45;
	put_be16(ip + 2, octets);
	ip[8] = 64;
	ip[9] = 17;
	put_be32(ip + 12, 0x0a000000 | from->id);
	put_be32(ip + 16, 0x0a000000 | to->id);
	for (unsigned i = 0; i < IP_V4_OCTETS; i += 2)
		sum += get_be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	put_be16(ip + IP_V4_CHECKSUM, (uint16_t) ~(sum + (sum >> 16)));
	put_be16(udp, (uint16_t)(1024 + flow->id % 64000));
	put_be16(udp + 2, ROCE_UDP_PORT);
	put_be16(udp + 4, (uint16_t)(octets - IP_V4_OCTETS));
}

static void make_head(struct sim_flow *flow)
{
	uint8_t *p = flow->head;

	memset(p, 0, sizeof(flow->head));
	put_headers(p, flow, flow->from, flow->to, flow->params.priority,
		    flow->params.frame_octets);
	if (flow->params.dcqcn)
		ip_set_traffic_class(p + IP_OFFSET, IP_ECT_0);
	if (!flow->params.roce)
		put_be32(p + PAYLOAD_OFFSET, flow->id);
}

/* A frame of an application. */
struct packet {
	struct sim_flow *flow;
	const uint8_t *ip, *payload;
	struct roce_bth bth; /* opcode 0: the flow is not RoCE */
};

/* Returns false if the frame is not of an application. */
static bool parse(struct sim *sim, const uint8_t *octets, uint32_t len, struct packet *p)
{
	struct eth_view view;
	uint32_t id;

	if (eth_parse(octets, len, &view) != ETH_OK || view.ethertype != IP_TYPE_V4)
		return false;
	p->ip = octets + view.payload_offset;
	p->payload = p->ip + IP_V4_OCTETS + UDP_OCTETS;
	p->bth = roce_get_bth(p->payload);
	/* The number of a flow has 24 bits: the octet before them is the opcode in a BTH. */
	id = p->bth.opcode ? p->bth.qp : get_be32(p->payload);
	if (id >= sim->n_flows)
		return false;
	p->flow = &sim->flows[id];
	return true;
}

/* Returns whether a packet is one of those that its flow's source sends to its destination. */
static bool is_data(const struct packet *p)
{
	return p->bth.opcode == 0 || p->bth.opcode == ROCE_RC_SEND_ONLY;
}

/* Sends a CNP or an acknowledgment for the flow from its destination. */
static void answer(struct sim_node *node, const struct sim_flow *flow, uint8_t priority,
		   const struct roce_bth *bth, bool negative, struct dcb_time now)
{
	uint8_t p[CNP_OCTETS] = {0};
	uint32_t len = bth->opcode == ROCE_CNP ? CNP_OCTETS : ACK_OCTETS;

	_Static_assert(ACK_OCTETS <= CNP_OCTETS, "both fit");
	put_headers(p, flow, node, flow->from, priority, len);
	roce_put_bth(p + PAYLOAD_OFFSET, bth);
	if (bth->opcode == ROCE_RC_ACKNOWLEDGE)
		roce_put_aeth(p + PAYLOAD_OFFSET + ROCE_BTH_OCTETS, negative);
	(void)node->ops->from_host(node, p, len, now);
}

static uint64_t frames_of_size(const struct sim_flow_params *p)
{
	return p->size_octets ? (p->size_octets + p->frame_octets - 1) / p->frame_octets
			      : UINT64_MAX;
}

/* Returns the number of the flow's next frame, and of those before it. */
static uint64_t next_frame(const struct sim_flow *flow)
{
	return flow->params.roce ? flow->sender.next : flow->stats.made_frames;
}

static bool make_frame(struct sim_node *node, struct sim_flow *flow, struct dcb_time now)
{
	uint8_t *frame = node->part->leaving;
	uint8_t *stamp = frame + PAYLOAD_OFFSET;
	uint64_t number = next_frame(flow);
	struct roce_bth bth = {
	    .opcode = ROCE_RC_SEND_ONLY, .qp = flow->id, .sequence = (uint32_t)number};

	memcpy(frame, flow->head, sizeof(flow->head));
	if (flow->params.roce) {
		bth.acknowledge =
		    roce_asks(&flow->sender, number + 1 == frames_of_size(&flow->params), now);
		roce_put_bth(stamp, &bth);
		put_be16(stamp + ROCE_BTH_OCTETS, (uint16_t)(now.ns >> 32));
		put_be32(stamp + ROCE_BTH_OCTETS + 2, (uint32_t)now.ns);
	} else {
		put_be32(stamp + 4, (uint32_t)number);
		put_be64(stamp + 8, (uint64_t)now.ns);
	}
	if (!node->ops->from_host(node, frame, flow->params.frame_octets, now))
		return false;
	if (flow->params.roce)
		roce_sent(&flow->sender, bth.acknowledge, now);
	if (flow->stats.first_ns < 0)
		flow->stats.first_ns = now.ns;
	flow->stats.made_frames++;
	flow->outstanding++;
	return true;
}

/* --- when a flow sends ------------------------------------------------------ */

static int64_t period(struct sim_flow *flow, int64_t mean_ns)
{
	uint64_t most_ns = (uint64_t)mean_ns * 2, part;

	if (!flow->params.random)
		return mean_ns;
	part = dcb_rng_next(&flow->rng);
	/* most_ns * part >> 32, half by half: the product may need 96 bits. */
	return (int64_t)((most_ns >> 32) * part + ((most_ns & UINT32_MAX) * part >> 32));
}

/* Moves the flow to the on or off period that contains now. */
static void follow_pattern(struct sim_flow *flow, struct dcb_time now)
{
	const struct sim_flow_params *p = &flow->params;

	while (!dcb_time_before(now, flow->period_end)) {
		int64_t lasts_ns;

		if (p->on_ns == 0) {
			flow->sending = true;
			flow->period_end = DCB_TIME_NEVER;
			return;
		}
		flow->sending = !flow->sending;
		lasts_ns = period(flow, flow->sending ? p->on_ns : p->off_ns);
		flow->period_end = dcb_time_add_ns(flow->period_end, lasts_ns > 0 ? lasts_ns : 1);
	}
}

static bool has_stopped(const struct sim_flow *flow, struct dcb_time now)
{
	return now.ns >= flow->params.stop_ns;
}

/* Returns whether the flow has no frame to send now. It can have one again if one was lost. */
static bool has_ended(const struct sim_flow *flow, struct dcb_time now)
{
	return has_stopped(flow, now) || next_frame(flow) >= frames_of_size(&flow->params);
}

static void pace(struct sim_flow *flow, struct dcb_time now)
{
	uint32_t wire = dcb_wire_octets(flow->params.frame_octets);
	struct dcb_rate rate = flow->params.rate;

	if (flow->params.dcqcn) {
		dcqcn_rp_advance(&flow->rp, now);
		dcqcn_rp_sent(&flow->rp, flow->params.frame_octets, now);
		if (dcb_rate_is_unlimited(rate) || dcqcn_rp_rate(&flow->rp).bps < rate.bps)
			rate = dcqcn_rp_rate(&flow->rp);
	}
	if (dcb_rate_is_unlimited(rate))
		return;
	/* A flow that the station has held up does not exceed its rate later to make up for it. */
	if (dcb_time_before(flow->next, now))
		flow->next = now;
	flow->next = dcb_time_add_ns(flow->next, dcb_rate_octets_to_ns(rate, wire));
}

/* Makes the frames that are due, and sets wake if the flow waits for a time, not a window. */
static void run_flow(struct sim_node *node, struct sim_flow *flow, struct dcb_time now)
{
	follow_pattern(flow, now);
	flow->wake = DCB_TIME_NEVER;
	if (has_stopped(flow, now))
		return;
	roce_advance(&flow->sender, now);
	while (flow->sending && flow->outstanding < flow->window && !has_ended(flow, now) &&
	       !dcb_time_before(now, flow->next)) {
		if (!make_frame(node, flow, now))
			break;
		pace(flow, now);
	}
	flow->wake = flow->sender.expiry;
	if (has_ended(flow, now))
		return;
	flow->wake = dcb_time_min(flow->wake, flow->period_end);
	if (flow->sending && dcb_time_before(now, flow->next))
		flow->wake = dcb_time_min(flow->wake, flow->next);
}

static void make_ready(struct sim_app *app, struct sim_flow *flow)
{
	if (flow->is_ready)
		return;
	flow->is_ready = true;
	flow->ready_next = app->ready;
	app->ready = flow;
}

static void wake_flows(struct sim_app *app, struct dcb_time now)
{
	if (dcb_time_before(now, app->wake))
		return;
	for (unsigned i = 0; i < app->n_flows; i++) {
		if (!dcb_time_before(now, app->flows[i]->wake))
			make_ready(app, app->flows[i]);
	}
}

static struct dcb_time earliest(const struct sim_app *app)
{
	struct dcb_time wake = DCB_TIME_NEVER;

	for (unsigned i = 0; i < app->n_flows; i++)
		wake = dcb_time_min(wake, app->flows[i]->wake);
	return wake;
}

void sim_app_run(struct sim_node *node, struct dcb_time now)
{
	struct sim_app *app = &node->app;
	bool timed = false;

	app->starved = false;
	wake_flows(app, now);
	while (app->ready) {
		struct sim_flow *flow = app->ready;
		struct dcb_time before = flow->wake;

		app->ready = flow->ready_next;
		flow->is_ready = false;
		run_flow(node, flow, now);
		timed |= flow->wake.ns != before.ns;
	}
	if (timed)
		app->wake = earliest(app);
}

/* --- frames that left and arrived ---------------------------------------------- */

void sim_app_frame_left(struct sim_node *node, const uint8_t *octets, uint32_t len)
{
	struct packet p;

	if (!parse(node->sim, octets, len, &p) || p.flow->from_id != node->id || !is_data(&p))
		return;
	p.flow->stats.left_frames++;
	if (p.flow->outstanding)
		p.flow->outstanding--;
	node->app.starved |= p.flow->outstanding == 0;
	make_ready(&node->app, p.flow);
}

/* Counts a frame that was delivered. made_ns: when it was made. */
static void deliver(struct sim_flow *flow, uint64_t made_ns, struct dcb_time now)
{
	int64_t latency_ns = now.ns - (int64_t)made_ns;

	flow->stats.frames++;
	flow->stats.octets += flow->params.frame_octets;
	flow->stats.latency_ns += (uint64_t)latency_ns;
	if (latency_ns > flow->stats.latency_max_ns)
		flow->stats.latency_max_ns = latency_ns;
	if (flow->stats.frames == frames_of_size(&flow->params))
		flow->stats.complete_ns = now.ns;
}

/* Takes a frame at its destination. Returns whether it was answered. */
static bool take_data(struct sim_node *node, const struct packet *p, struct dcb_time now)
{
	const uint8_t *made = p->payload + ROCE_BTH_OCTETS;
	struct roce_bth reply = {.qp = p->flow->id};
	enum roce_answer roce;
	bool in_order, marked;

	marked =
	    p->flow->params.dcqcn && ip_ecn(p->ip) == IP_CE && dcqcn_np_marked(&p->flow->np, now);
	if (marked) {
		reply.opcode = ROCE_CNP;
		answer(node, p->flow, CNP_PRIORITY, &reply, false, now);
	}
	if (!p->flow->params.roce) {
		deliver(p->flow, get_be64(p->payload + 8), now);
		return marked;
	}
	roce = roce_received(&p->flow->receiver, &p->bth, &in_order, &reply.sequence);
	if (in_order)
		deliver(p->flow, (uint64_t)get_be16(made) << 32 | get_be32(made + 2), now);
	if (roce == ROCE_SILENT)
		return marked;
	reply.opcode = ROCE_RC_ACKNOWLEDGE;
	answer(node, p->flow, p->flow->params.priority, &reply, roce == ROCE_NAK, now);
	return true;
}

/* Takes an answer at the source of the flow. Returns whether it may send more frames now. */
static bool take_answer(struct sim_node *node, const struct packet *p, struct dcb_time now)
{
	const uint8_t *aeth = p->payload + ROCE_BTH_OCTETS;

	if (p->bth.opcode == ROCE_CNP) {
		p->flow->cnps++;
		dcqcn_rp_cnp(&p->flow->rp, now);
		return false;
	}
	if (p->bth.opcode != ROCE_RC_ACKNOWLEDGE ||
	    !roce_answered(&p->flow->sender, p->bth.sequence, roce_is_negative(aeth), now))
		return false;
	make_ready(&node->app, p->flow);
	return true;
}

void sim_app_receive(struct sim_node *node, const uint8_t *octets, uint32_t len,
		     struct dcb_time now)
{
	bool sends = false;
	struct packet p;

	if (parse(node->sim, octets, len, &p)) {
		if (is_data(&p) && p.flow->to == node)
			sends = take_data(node, &p, now);
		else if (!is_data(&p) && p.flow->from_id == node->id)
			sends = take_answer(node, &p, now);
	}
	node->app.received += !sends;
}

void sim_app_frames_discarded(struct sim_node *node)
{
	for (unsigned i = 0; i < node->app.n_flows; i++) {
		node->app.flows[i]->outstanding = 0;
		make_ready(&node->app, node->app.flows[i]);
	}
}

/* --- creation ------------------------------------------------------------------- */

bool sim_app_add(struct sim_flow *flow, uint64_t seed)
{
	struct sim_app *app = &flow->from->app;
	struct sim_flow **flows =
	    realloc(app->flows, (app->n_flows + 1) * sizeof(struct sim_flow *));

	if (!flows)
		return false;
	app->flows = flows;
	app->flows[app->n_flows++] = flow;
	dcb_rng_seed(&flow->rng, seed, (UINT64_C(1) << 32) + flow->id);
	make_head(flow);
	flow->from_id = flow->from->id;
	flow->window = dcb_rate_is_unlimited(flow->params.rate) ? SIM_WINDOW : SIM_WINDOW_PACED;
	dcqcn_rp_init(&flow->rp, flow->from->ports[0]->base.link.speed);
	dcqcn_np_init(&flow->np);
	roce_sender_init(&flow->sender);
	flow->stats.first_ns = flow->stats.complete_ns = -1;
	flow->period_end = flow->wake = (struct dcb_time){flow->params.start_ns};
	app->wake = earliest(app);
	return true;
}

void sim_app_destroy(struct sim_app *app)
{
	free(app->flows);
	app->flows = NULL;
	app->n_flows = 0;
}
