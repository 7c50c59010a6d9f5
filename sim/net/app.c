/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/app.h"

#include "lib/octets.h"

#include <stdlib.h>
#include <string.h>

#define ETH_TYPE_IPV4  0x0800
#define IPV4_OCTETS    20
#define UDP_OCTETS     8
#define STAMP_OFFSET   (IPV4_OCTETS + UDP_OCTETS) /* from the start of the IPv4 header */
#define STAMP_OCTETS   16                         /* flow, frame number, time in ns */
#define PAYLOAD_OFFSET (ETH_TYPE_OFFSET + ETH_TAG_OCTETS + 2)
#define UDP_PORT       4791

_Static_assert(PAYLOAD_OFFSET + STAMP_OFFSET + STAMP_OCTETS <= SIM_FRAME_OCTETS_MIN, "headers fit");

/* --- frames --------------------------------------------------------------- */

static void put_ipv4(uint8_t *p, const struct sim_flow *flow)
{
	uint16_t octets = (uint16_t)(flow->params.frame_octets - PAYLOAD_OFFSET);
	uint32_t sum = 0;

	p[0] = 0x45;
	put_be16(p + 2, octets);
	p[8] = 64;
	p[9] = 17;
	put_be32(p + 12, 0x0a000000 | flow->from->id);
	put_be32(p + 16, 0x0a000000 | flow->to->id);
	for (unsigned i = 0; i < IPV4_OCTETS; i += 2)
		sum += get_be16(p + i);
	sum = (sum & 0xffff) + (sum >> 16);
	put_be16(p + 10, (uint16_t) ~(sum + (sum >> 16)));
	put_be16(p + IPV4_OCTETS, (uint16_t)(1024 + flow->id % 64000));
	put_be16(p + IPV4_OCTETS + 2, UDP_PORT);
	put_be16(p + IPV4_OCTETS + 4, (uint16_t)(octets - IPV4_OCTETS));
}

static void make_head(struct sim_flow *flow)
{
	uint8_t *p = flow->head;

	memset(p, 0, sizeof(flow->head));
	memcpy(p + ETH_DA_OFFSET, flow->to->mac, ETH_ADDR_OCTETS);
	memcpy(p + ETH_SA_OFFSET, flow->from->mac, ETH_ADDR_OCTETS);
	put_be16(p + ETH_TYPE_OFFSET, ETH_TYPE_CTAG);
	put_be16(p + ETH_TYPE_OFFSET + 2, (uint16_t)(flow->params.priority << 13 | SIM_VID));
	put_be16(p + ETH_TYPE_OFFSET + 4, ETH_TYPE_IPV4);
	put_ipv4(p + PAYLOAD_OFFSET, flow);
	put_be32(p + PAYLOAD_OFFSET + STAMP_OFFSET, flow->id);
}

/* Returns the flow of a frame, NULL if it is not of an application. *stamp: its 16 octets. */
static struct sim_flow *flow_of(struct sim *sim, const uint8_t *octets, uint32_t len,
				const uint8_t **stamp)
{
	struct eth_view view;
	uint32_t id;

	if (eth_parse(octets, len, &view) != ETH_OK || view.ethertype != ETH_TYPE_IPV4)
		return NULL;
	*stamp = octets + view.payload_offset + STAMP_OFFSET;
	id = get_be32(*stamp);
	return id < sim->n_flows ? &sim->flows[id] : NULL;
}

static uint64_t frames_of_size(const struct sim_flow_params *p)
{
	return p->size_octets ? (p->size_octets + p->frame_octets - 1) / p->frame_octets
			      : UINT64_MAX;
}

static bool make_frame(struct sim_node *node, struct sim_flow *flow, struct dcb_time now)
{
	uint8_t *frame = node->part->leaving;
	uint8_t *stamp = frame + PAYLOAD_OFFSET + STAMP_OFFSET;

	memcpy(frame, flow->head, sizeof(flow->head));
	put_be32(stamp + 4, (uint32_t)flow->stats.made_frames);
	put_be64(stamp + 8, (uint64_t)now.ns);
	if (!node->ops->from_host(node, frame, flow->params.frame_octets, now))
		return false;
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

static bool has_ended(const struct sim_flow *flow, struct dcb_time now)
{
	return now.ns >= flow->params.stop_ns ||
	       flow->stats.made_frames >= frames_of_size(&flow->params);
}

static void pace(struct sim_flow *flow, struct dcb_time now)
{
	uint32_t wire = dcb_wire_octets(flow->params.frame_octets);

	if (dcb_rate_is_unlimited(flow->params.rate))
		return;
	/* A flow that the station has held up does not exceed its rate later to make up for it. */
	if (dcb_time_before(flow->next, now))
		flow->next = now;
	flow->next = dcb_time_add_ns(flow->next, dcb_rate_octets_to_ns(flow->params.rate, wire));
}

/* Makes the frames that are due, and sets wake if the flow waits for a time, not a window. */
static void run_flow(struct sim_node *node, struct sim_flow *flow, struct dcb_time now)
{
	follow_pattern(flow, now);
	flow->wake = DCB_TIME_NEVER;
	if (has_ended(flow, now))
		return;
	while (flow->sending && flow->outstanding < flow->window && !has_ended(flow, now) &&
	       !dcb_time_before(now, flow->next)) {
		if (!make_frame(node, flow, now))
			break;
		pace(flow, now);
	}
	if (has_ended(flow, now))
		return;
	flow->wake = flow->period_end;
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
	const uint8_t *stamp;
	struct sim_flow *flow = flow_of(node->sim, octets, len, &stamp);

	if (!flow || flow->from_id != node->id)
		return;
	flow->stats.left_frames++;
	if (flow->outstanding)
		flow->outstanding--;
	node->app.starved |= flow->outstanding == 0;
	make_ready(&node->app, flow);
}

void sim_app_receive(struct sim_node *node, const uint8_t *octets, uint32_t len,
		     struct dcb_time now)
{
	const uint8_t *stamp;
	struct sim_flow *flow = flow_of(node->sim, octets, len, &stamp);
	int64_t latency_ns;

	node->app.received++;
	if (!flow || flow->to != node)
		return;
	latency_ns = now.ns - (int64_t)get_be64(stamp + 8);
	flow->stats.frames++;
	flow->stats.octets += flow->params.frame_octets;
	flow->stats.latency_ns += (uint64_t)latency_ns;
	if (latency_ns > flow->stats.latency_max_ns)
		flow->stats.latency_max_ns = latency_ns;
	if (flow->stats.frames == frames_of_size(&flow->params))
		flow->stats.complete_ns = now.ns;
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
