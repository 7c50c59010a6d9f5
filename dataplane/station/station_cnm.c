/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CNM demultiplexer, 802.1Q 31.2. Any station on the LAN can send CNMs, so a CNM
 * is accepted only if it refers to a frame that this station sent: its destination
 * is the port's address, its priority is a CNPV of the port, its flow queue exists,
 * and that flow queue recently sent to the encapsulated destination address. Clause
 * 33.4.11 has the validation that the standard requires.
 */
#include "dataplane/station/station_private.h"

#include "dataplane/core/cnm.h"

#include <string.h>

/* Finds the flow queue by the encapsulated part of the frame; NULL: the part is too short. */
static struct flow_queue *by_content(struct station *st, struct station_port *sp,
				     const struct cnm *cnm, uint16_t vid)
{
	struct station_pri *pri = &sp->pri[cnm->encap_priority];
	struct flow_queue *fqs = sp->fq[cnm->encap_priority];
	struct flow_keys keys;

	if (pri->rppp_max_rps == 1)
		return &fqs[0];
	if (!flow_parse(&keys, cnm->encap_da, sp->mac, vid, cnm->msdu, cnm->msdu_len))
		return NULL;
	keys.priority = cnm->encap_priority;
	return &fqs[flow_select(flow_find_rule(&st->flows, &keys), &keys, st->flow_seed,
				pri->rppp_max_rps)];
}

/* Finds the flow queue that last sent to the destination address. */
static struct flow_queue *by_destination(struct station_port *sp, unsigned priority,
					 uint64_t address)
{
	uint64_t sender = sp->pri[priority].sender[flow_address_hash(address) % STATION_SENDERS];

	if (!sender || sender >> 16 != address)
		return NULL;
	return &sp->fq[priority][(sender & 0xffff) - 1];
}

/* Finds the flow queue by the flow identifier of the CN-TAG; NULL: not one of this priority. */
static struct flow_queue *by_flow_id(struct station_port *sp, unsigned priority, uint16_t flow_id)
{
	unsigned n = flow_id - 1u;

	if (n / RPPP_MAX_RPS_LIMIT != priority)
		return NULL;
	return &sp->fq[priority][n % RPPP_MAX_RPS_LIMIT];
}

static struct flow_queue *find_flow(struct station *st, struct station_port *sp,
				    const struct cnm *cnm, const struct eth_view *view)
{
	uint64_t address = flow_address(cnm->encap_da);
	struct flow_queue *fq;

	if (view->flow_id) {
		fq = by_flow_id(sp, cnm->encap_priority, view->flow_id);
	} else {
		fq = by_content(st, sp, cnm, station_vid(sp->port, view));
		if (!fq)
			fq = by_destination(sp, cnm->encap_priority, address);
	}
	if (!fq || !fq->used || fq->index >= sp->pri[cnm->encap_priority].rppp_max_rps ||
	    !fq_has_seen(fq, address, st->now))
		return NULL;
	return fq;
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
	struct flow_queue *fq;
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
	fq = find_flow(st, sp, &cnm, view);
	if (!fq) {
		counter_add(&stats->cnm_unknown_flow, 1);
		return;
	}
	fq_receive_cnm(st, fq, cnm.qntz_fb);
}
