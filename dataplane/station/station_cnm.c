/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CNM demultiplexer, 802.1Q 31.2. Any station on the LAN can send CNMs, so a CNM
 * is accepted only if it refers to frames that this station sent: its destination is
 * the port's address, its priority is a CNPV of the port, its flow identifier is that
 * of a flow queue or 0, that flow queue recently sent to the encapsulated destination
 * address in the VLAN of the CNM, and enough frames that each sample can have caused
 * one CNM. Clause 33.4.11 has the validation that the standard requires.
 *
 * Who sees the frames of a flow, or knows its destination and VLAN, can forge the CNMs
 * of a congestion point, and slow the flow down as that one could. Flow identifier 0
 * must be accepted: a bridge on the path may have removed the CN-TAG.
 *
 * A destination counts for 8 s, and a CNM for each 1000 octets and each frame sent there, the
 * smallest distance of two samples. So a sender who knows no individual destination changes no
 * rate by chance (48 bits of address). Group addresses are known to all: a CNM for one needs 1000
 * octets that were sent to it. A bridge discards CNMs for a CNPV that arrive at an edge of its
 * domain, because no congestion point is there (relay_is_foreign_cnm()).
 */
#include "dataplane/station/station_private.h"

#include "dataplane/core/cnm.h"
#include "lib/octets.h"
#include "lib/rng.h"

#include <string.h>

/* Random sequences of ports, from this number; that of the station itself has number 1. */
#define SECRETS_STREAM (UINT64_C(1) << 40)

static uint64_t random_u64(struct dcb_rng *rng)
{
	uint64_t high = dcb_rng_next(rng);

	return high << 32 | dcb_rng_next(rng);
}

/* Returns a flow identifier, not 0, that *drawn does not contain, and adds it. */
static uint16_t draw_flow_id(struct dcb_rng *rng, uint8_t drawn[8192])
{
	uint16_t id;

	do
		id = (uint16_t)dcb_rng_next(rng);
	while (id == 0 || drawn[id / 8] >> id % 8 & 1);
	drawn[id / 8] |= (uint8_t)(1 << id % 8);
	return id;
}

void station_cnm_set_secrets(struct station_port *sp, uint64_t seed)
{
	uint8_t drawn[8192] = {0};
	struct dcb_rng rng;

	if (sp->has_secrets)
		return;
	sp->has_secrets = true;
	dcb_rng_seed(&rng, seed, SECRETS_STREAM + sp->port->base.slot);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		sp->destination_key[p] = random_u64(&rng);
		for (unsigned i = 0; i < RPPP_MAX_RPS_LIMIT; i++)
			sp->flow_id[p][i] = draw_flow_id(&rng, drawn);
	}
}

/* Finds the flow queue by the encapsulated part of the frame; NULL: the part is too short. */
static struct flow_queue *by_content(struct station *st, struct station_port *sp,
				     const struct cnm *cnm, uint16_t vid)
{
	unsigned priority = cnm->encap_priority;
	struct flow_keys keys;
	int index;

	if (sp->pri[priority].rppp_max_rps == 1)
		return &sp->first[priority];
	if (!flow_parse(&keys, cnm->encap_da, sp->mac, vid, cnm->msdu, cnm->msdu_len))
		return NULL;
	keys.priority = cnm->encap_priority;
	index = flow_queues_rule(st, sp, priority, flow_find_rule(&st->flows, &keys));
	if (index < 0)
		index = (int)flow_queues_find(sp, priority, station_flow_hash(st, &keys));
	return fq_at(sp, priority, (unsigned)index);
}

/* Finds the flow queue that last sent to the destination; there is more than one. */
static struct flow_queue *by_destination(struct station_port *sp, unsigned priority, uint64_t to)
{
	const struct station_pri *pri = &sp->pri[priority];
	int index = destinations_sender(&pri->table->senders, pri->destinations->key, to);

	return index < 0 ? NULL : fq_at(sp, priority, (unsigned)index);
}

/* Finds the flow queue by the flow identifier of the CN-TAG; NULL: not one of this priority. */
static struct flow_queue *by_flow_id(struct station_port *sp, unsigned priority, uint16_t flow_id)
{
	for (unsigned i = 0; i < sp->pri[priority].rppp_max_rps; i++) {
		if (sp->flow_id[priority][i] == flow_id)
			return fq_at(sp, priority, i);
	}
	return NULL;
}

static struct flow_queue *find_flow(struct station *st, struct station_port *sp,
				    const struct cnm *cnm, const struct eth_view *view, uint64_t to)
{
	struct flow_queue *fq;

	if (view->flow_id) {
		fq = by_flow_id(sp, cnm->encap_priority, view->flow_id);
	} else {
		fq = by_content(st, sp, cnm, station_vid(sp->port, view));
		if (!fq)
			fq = by_destination(sp, cnm->encap_priority, to);
	}
	if (!fq || !fq->used || fq->index >= sp->pri[cnm->encap_priority].rppp_max_rps)
		return NULL;
	return fq;
}

/* Counts and discards a CNM that does not refer to frames that this station sent. */
static void demultiplex(struct station *st, struct station_port *sp, const struct cnm *cnm,
			const struct eth_view *view)
{
	uint64_t to = destination_of(flow_address(cnm->encap_da), station_vid(sp->port, view));
	enum destination_verdict verdict = DESTINATION_UNKNOWN;
	struct flow_queue *fq = find_flow(st, sp, cnm, view, to);

	if (fq)
		verdict = destinations_accept(fq_pri(fq)->destinations, fq_destination(fq, to),
					      fq->index, cnm->qntz_fb != 0, st->now);
	if (verdict == DESTINATION_ACCEPTED)
		fq_receive_cnm(st, fq, cnm->qntz_fb);
	else if (verdict == DESTINATION_EXCESS)
		counter_add(&sp->cnm.cnm_excess, 1);
	else
		counter_add(&sp->cnm.cnm_unknown_flow, 1);
}

static bool is_for_us(const struct station_port *sp, const uint8_t *octets)
{
	return memcmp(octets, sp->mac, ETH_ADDR_OCTETS) == 0 && !eth_is_group(sp->mac) &&
	       memcmp(octets + ETH_SA_OFFSET, sp->mac, ETH_ADDR_OCTETS) != 0;
}

static uint64_t *count_of(struct cnm_stats *stats, enum cnm_error error)
{
	return error == CNM_SHORT ? &stats->cnm_short : &stats->cnm_bad_length;
}

void station_cnm_receive(struct station *st, struct soft_port *port, const uint8_t *octets,
			 uint32_t len, const struct eth_view *view)
{
	struct station_port *sp = port->station;
	struct cnm_stats *stats = &sp->cnm;
	enum cnm_error error;
	struct cnm cnm;

	if (!is_for_us(sp, octets)) {
		counter_add(&stats->cnm_wrong_address, 1);
		return;
	}
	if (!view->cn_tagged) {
		counter_add(&stats->cnm_no_tag, 1);
		return;
	}
	error = cnm_decode(octets + view->payload_offset, len - view->payload_offset, &cnm);
	if (error != CNM_OK) {
		counter_add(count_of(stats, error), 1);
		return;
	}
	if (!station_is_cnpv(port, cnm.encap_priority)) {
		counter_add(&stats->cnm_wrong_priority, 1);
		return;
	}
	demultiplex(st, sp, &cnm, view);
}
