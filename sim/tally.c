/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tally.h"

#include "dataplane/rbridge/rbridge.h"
#include "dataplane/station/station.h"

/* --- frames ------------------------------------------------------------------------- */

static uint64_t lost_at_port(const struct soft_port *port)
{
	const struct port_stats *s = &port->stats;
	uint64_t sum = s->discard_malformed + s->discard_vlan + s->discard_oversize +
		       s->discard_no_buffer + s->discard_queue + s->discard_host +
		       s->discard_transit + s->tx_errors + s->discard_cnm + s->discard_down +
		       s->discard_frame_type + s->discard_ingress + s->discard_egress;

	for (unsigned kind = 0; kind < FLOOD_KINDS; kind++)
		sum += s->discard_flood[kind];
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		sum += port->pfc.stats[p].pfc_discards;
	return sum;
}

static struct trill_port_stats trill_stats(const struct sim_node *node, uint16_t slot)
{
	struct trill_port_stats stats = {0};

	if (node->kind == SIM_RBRIDGE)
		rbridge_read_port(node->engine, slot, &stats);
	return stats;
}

static uint64_t lost_in_rbridge(const struct sim_node *node, uint16_t slot)
{
	const struct trill_port_stats s = trill_stats(node, slot);
	uint64_t sum = s.cnm_control + s.cnm_bad + s.mode + s.control + s.no_nickname +
		       s.not_for_us + s.unknown_nickname + s.own_ingress + s.no_next_hop + s.rpf +
		       s.not_appointed + s.forged_cnm + s.not_adjacent + s.mtu;

	for (unsigned i = 0; i < TRILL_ERRORS; i++)
		sum += s.malformed[i];
	return sum;
}

uint64_t tally_frames_lost(const struct sim *sim)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		const struct sim_node *node = &sim->nodes[i];

		for (unsigned k = 0; k < node->n_ports; k++)
			sum += lost_at_port(node->ports[k]) + node->links[k]->stats.lost +
			       lost_in_rbridge(node, (uint16_t)k);
	}
	return sum;
}

/* --- CNMs ----------------------------------------------------------------------------- */

static void add_rbridge(const struct trill_port_stats *s, struct tally_cnms *out)
{
	out->own += s->cnm_own;
	out->control += s->cnm_control;
	out->malformed += s->cnm_bad;
	out->forged += s->forged_cnm;
}

static void add_station(const struct sim_node *node, struct tally_cnms *out)
{
	struct cnm_stats s;

	if (node->kind != SIM_STATION || node->n_ports == 0)
		return;
	station_read_cnm(node->ports[0], &s);
	out->received += s.cnm_received;
	out->station += s.cnm_short + s.cnm_bad_length + s.cnm_no_tag + s.cnm_wrong_address +
			s.cnm_wrong_priority + s.cnm_unknown_flow + s.cnm_excess;
}

void tally_cnms(const struct sim *sim, struct tally_cnms *out)
{
	*out = (struct tally_cnms){0};
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		const struct sim_node *node = &sim->nodes[i];

		add_station(node, out);
		for (unsigned k = 0; k < node->n_ports; k++) {
			const struct trill_port_stats s = trill_stats(node, (uint16_t)k);

			for (unsigned p = 0; p < DCB_PRIORITIES; p++)
				out->made += node->ports[k]->cn.cp_stats[p].cp_transmitted_cnms;
			out->edge += node->ports[k]->stats.discard_cnm;
			add_rbridge(&s, out);
		}
	}
}

uint64_t tally_cnms_dropped(const struct tally_cnms *t)
{
	return t->own + t->control + t->malformed + t->forged + t->edge + t->station;
}

uint64_t tally_cnms_missing(const struct tally_cnms *t)
{
	return t->made - t->received - tally_cnms_dropped(t);
}

uint64_t tally_cnms_received(const struct sim_node *node)
{
	struct tally_cnms sum = {0};

	add_station(node, &sum);
	return sum.received;
}
