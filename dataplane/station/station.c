/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/station/station_private.h"

#include "dataplane/config/dcb_config.h"
#include "dataplane/port/port_receive.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- configuration --------------------------------------------------------- */

/*
 * Octets up to which flow queues refill the port's queue without a CNM of its
 * congestion point: with cpQSp - cpQLen >= cpW * cpQLen, cpFb is not negative even
 * if the queue was empty at the last sample.
 */
static uint32_t push_limit(const struct cp_config *cp)
{
	uint64_t qsp = cp->cp_qsp;

	if (cp->cp_w_exp >= 0)
		return (uint32_t)(qsp / (1u + (UINT64_C(1) << cp->cp_w_exp)));
	return (uint32_t)((qsp << -cp->cp_w_exp) / (1u + (UINT64_C(1) << -cp->cp_w_exp)));
}

static uint8_t max_rps_of(const struct rp_port_pri_config *config)
{
	if (config->rppp_max_rps > RPPP_MAX_RPS_LIMIT)
		return RPPP_MAX_RPS_LIMIT;
	return config->rppp_max_rps ? config->rppp_max_rps : 1;
}

/* Moves the deadlines to heaps that have room for those of all flow queues. */
static void use_heaps(struct station_port *sp, struct deadline **heaps)
{
	struct deadlines *all[STATION_HEAPS] = {&sp->waiting, &sp->timers, &sp->ages};

	for (unsigned i = 0; i < STATION_HEAPS; i++) {
		struct deadline **heap = heaps + (size_t)i * STATION_QUEUES;

		if (all[i]->heap == heap)
			continue;
		memcpy(heap, all[i]->heap, all[i]->n * sizeof(*heap));
		all[i]->heap = heap;
	}
}

/* Uses the memory that station_port_prepare() has allocated since the last configuration. */
static void use_memory(struct station_port *sp, unsigned p)
{
	struct station_pri *pri = &sp->pri[p];

	if (!pri->destinations) {
		pri->destinations = __atomic_load_n(&sp->memory.destinations[p], __ATOMIC_ACQUIRE);
		if (pri->destinations)
			pri->destinations->key = sp->destination_key[p];
	}
	if (!pri->table) {
		struct flow_table *table = __atomic_load_n(&sp->memory.table[p], __ATOMIC_ACQUIRE);

		if (table)
			use_heaps(sp, __atomic_load_n(&sp->memory.heaps, __ATOMIC_ACQUIRE));
		__atomic_store_n(&pri->table, table, __ATOMIC_RELEASE);
	}
}

static void configure_priority(struct station *st, struct station_port *sp, unsigned p)
{
	const struct port_settings *settings = &sp->port->base.settings;
	const struct port_config *config = sp->port->config;
	struct station_pri *pri = &sp->pri[p];
	struct dcb_rate speed = port_rate(settings, port_speed(sp->port));
	struct flow_queue *fq;

	rp_params_init(&pri->params, &config->rpg[p], &settings->rp_variant, speed);
	gauge_set(&pri->max_rate_bps, pri->params.rpg_max_rate.bps);
	pri->push_limit = push_limit(&config->cp[p]);
	pri->adds_cn_tags = cnd_is_cnpv(sp->port->cn.map.ready, p);
	use_memory(sp, p);
	flow_queues_configure(st, sp, p, pri->table ? max_rps_of(&config->rp_port_pri[p]) : 1);
	for (unsigned i = 0; (fq = fq_next_used(sp, p, &i));)
		fq_reconfigure(st, fq);
}

static void on_configured(void *owner, struct soft_port *port)
{
	struct station *st = owner;
	struct station_port *sp = port->station;

	if (!sp)
		return;
	station_cnm_set_secrets(sp, st->flow_seed);
	port_mac(port, sp->mac);
	port_app_map(&sp->apps, port->config, port->peer_apps);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		configure_priority(st, sp, p);
}

/* Discards queued frames and resets the reaction points: their rates were for the lost link. */
static void on_down(void *owner, struct soft_port *port)
{
	struct station *st = owner;
	struct station_port *sp = port->station;
	struct flow_queue *fq;

	if (!sp)
		return;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		for (unsigned i = 0; (fq = fq_next_used(sp, p, &i));)
			fq_reset(st, fq);
	}
	station_port_idle(sp);
}

bool station_init(struct station *st, const struct station_params *params,
		  const struct port_set_ops *ops, void *ctx)
{
	static const struct port_set_hooks hooks = {
	    .configured = on_configured,
	    .down = on_down,
	    .detached = on_down,
	};
	const struct port_set_params set = {
	    .frame_buffers = params->frame_buffers,
	    .frame_octets = params->frame_octets,
	    .header_octets = 2 * ETH_TAG_OCTETS, /* C-TAG and CN-TAG */
	    .extent = params->extent,
	    .store = params->store,
	    .slots = params->slots,
	    .station = true,
	    .seed = params->seed,
	    .ops = ops,
	    .ctx = ctx,
	    .hooks = &hooks,
	    .owner = st,
	};

	memset(st, 0, sizeof(*st));
	if (params->flows)
		st->flows = *params->flows;
	st->flow_seed = params->seed;
	st->scratch = malloc(params->frame_octets + 1);
	if (!st->scratch)
		return false;
	if (port_set_init(&st->ports, &set))
		return true;
	free(st->scratch);
	return false;
}

void station_destroy(struct station *st)
{
	port_set_destroy(&st->ports);
	free(st->scratch);
}

bool station_grow(struct station *st, uint32_t frame_octets)
{
	uint8_t *scratch = realloc(st->scratch, frame_octets + 1);

	if (scratch)
		st->scratch = scratch;
	return scratch && port_set_grow(&st->ports, frame_octets);
}

void station_adopt(struct station *st, const struct dcb_config *config, struct dcb_time now)
{
	st->now = now;
	port_set_adopt(&st->ports, config, now);
}

/* --- ports ----------------------------------------------------------------- */

bool station_port_new(struct soft_port *port, struct netio *host)
{
	struct station_port *sp = calloc(1, sizeof(*sp));

	if (!sp)
		return false;
	sp->port = port;
	sp->host = host;
	sp->waiting.heap = sp->heaps[0];
	sp->timers.heap = sp->heaps[1];
	sp->ages.heap = sp->heaps[2];
	port->station = sp;
	port->buffers.flows = sp->buffers;
	return true;
}

/* Allocates a part of struct station_memory, unless there is one. */
#define PREPARE(member, allocate) \
	(*(member) || (__atomic_store_n((member), (allocate), __ATOMIC_RELEASE), *(member) != NULL))

bool station_port_prepare(struct soft_port *port, uint8_t cnpvs, const struct port_config *config,
			  uint32_t destinations)
{
	struct station_memory *m = &port->station->memory;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (!(cnpvs >> p & 1))
			continue;
		if (!PREPARE(&m->destinations[p], destinations_new(destinations)))
			return false;
		if (max_rps_of(&config->rp_port_pri[p]) == 1)
			continue;
		if (!PREPARE(&m->heaps,
			     calloc((size_t)STATION_HEAPS * STATION_QUEUES, sizeof(*m->heaps))) ||
		    !PREPARE(&m->table[p], calloc(1, sizeof(*m->table[p]))))
			return false;
	}
	return true;
}

void station_port_free(struct soft_port *port)
{
	struct station_port *sp = port->station;

	port->buffers.flows = NULL;
	for (unsigned p = 0; sp && p < DCB_PRIORITIES; p++) {
		free(sp->memory.destinations[p]);
		free(sp->memory.table[p]);
	}
	if (sp)
		free(sp->memory.heaps);
	free(sp);
	port->station = NULL;
}

struct netio *station_port_host(const struct soft_port *port)
{
	return port->station ? port->station->host : NULL;
}

void station_port_set_host(struct soft_port *port, struct netio *host)
{
	port->station->host = host;
}

void station_port_down(struct station *st, struct soft_port *port, struct dcb_time now)
{
	st->now = now;
	port_set_port_down(&st->ports, port, now);
}

void station_port_up(struct station *st, struct soft_port *port, struct dcb_time now)
{
	st->now = now;
	port_set_port_up(&st->ports, port, now);
}

void station_port_changed(struct station *st, struct soft_port *port, struct dcb_time now)
{
	st->now = now;
	port_set_port_changed(&st->ports, port, now);
}

/* --- to the host ----------------------------------------------------------- */

/* Removes the CN-TAG, and the C-TAG if its VID is 0 or the PVID, and pads the frame. */
static struct iovec untag(struct station *st, const struct soft_port *port, const uint8_t *octets,
			  uint32_t len, const struct eth_view *view)
{
	bool keep =
	    view->tagged && view->vid != ETH_VID_NONE && view->vid != port->base.settings.pvid;
	uint32_t head = ETH_TYPE_OFFSET + (keep ? ETH_TAG_OCTETS : 0u);
	uint32_t rest = view->payload_offset - 2u;

	if (head == rest)
		return (struct iovec){(void *)octets, len};
	memcpy(st->scratch, octets, head);
	memcpy(st->scratch + head, octets + rest, frame_extent(&st->ports.extent, len - rest));
	return (struct iovec){st->scratch, eth_pad(st->scratch, head + len - rest)};
}

static void to_host(struct station *st, struct soft_port *port, const uint8_t *octets, uint32_t len,
		    const struct eth_view *view)
{
	struct netio *host = port->station->host;
	struct iovec iov = untag(st, port, octets, len, view);
	struct netio_sent sent;

	if (!host)
		return;
	sent = host->ops->send(host, &iov, 1, st->now);
	if (sent.taken == 0 || sent.refused)
		counter_add(&port->stats.discard_host, 1);
}

void station_receive(struct station *st, struct soft_port *port, const uint8_t *octets,
		     uint32_t len, uint32_t wire_octets, struct dcb_time now)
{
	struct station_port *sp = port->station;
	struct eth_view view;

	st->now = now;
	if (!sp || !port->attached || !port->up)
		return;
	switch (port_receive(&st->ports, port, octets, len, wire_octets, now, &view)) {
	case PORT_FRAME:
		if (eth_is_cnm(&view))
			station_cnm_receive(st, port, octets, len, &view);
		else
			to_host(st, port, octets, len, &view);
		break;
	case PORT_CNM_FROM_GROUP:
		counter_add(&sp->cnm.cnm_wrong_address, 1);
		break;
	case PORT_CONSUMED:
		break;
	}
}

/* --- struct engine_ops ------------------------------------------------------ */

_Static_assert(offsetof(struct station, ports) == 0, "see struct engine_ops");

static struct station *station_of(struct port_set *engine)
{
	return (struct station *)engine;
}

static void engine_destroy(struct port_set *engine)
{
	station_destroy(station_of(engine));
}

static void engine_receive(struct port_set *engine, struct soft_port *port, const uint8_t *octets,
			   uint32_t len, uint32_t wire_octets, struct dcb_time now)
{
	station_receive(station_of(engine), port, octets, len, wire_octets, now);
}

static struct dcb_time engine_transmit(struct port_set *engine, struct dcb_time now)
{
	return station_transmit(station_of(engine), now);
}

static void engine_adopt(struct port_set *engine, const struct dcb_config *config,
			 struct dcb_time now)
{
	station_adopt(station_of(engine), config, now);
}

static void engine_port_up(struct port_set *engine, struct soft_port *port, struct dcb_time now)
{
	station_port_up(station_of(engine), port, now);
}

static void engine_port_down(struct port_set *engine, struct soft_port *port, struct dcb_time now)
{
	station_port_down(station_of(engine), port, now);
}

static void engine_port_changed(struct port_set *engine, struct soft_port *port,
				struct dcb_time now)
{
	station_port_changed(station_of(engine), port, now);
}

static bool engine_grow(struct port_set *engine, uint32_t frame_octets)
{
	return station_grow(station_of(engine), frame_octets);
}

const struct engine_ops station_engine = {
    .lacks = PROVIDER_VLAN | PROVIDER_TRILL | PROVIDER_REWRITE | PROVIDER_ECN,
    .destroy = engine_destroy,
    .receive = engine_receive,
    .transmit = engine_transmit,
    .adopt = engine_adopt,
    .port_up = engine_port_up,
    .port_down = engine_port_down,
    .port_changed = engine_port_changed,
    .grow = engine_grow,
};

/* --- statistics ------------------------------------------------------------ */

void station_read_rp_port_pri(const struct soft_port *port, unsigned priority,
			      struct rp_port_pri_stats *out)
{
	const struct station_port *sp = port->station;
	const struct rp_port_pri_stats *s;

	*out = (struct rp_port_pri_stats){0};
	if (!sp)
		return;
	s = &sp->pri[priority].stats;
	out->rppp_created_rps = gauge_get(&s->rppp_created_rps);
	out->rppp_rp_centiseconds = gauge_get(&s->rppp_rp_centiseconds);
}

void station_read_rp(const struct soft_port *port, unsigned priority, unsigned index,
		     struct rp_stats *out)
{
	const struct station_port *sp = port->station;
	const struct flow_table *table;
	const struct flow_queue *fq;

	*out = (struct rp_stats){.state = RPR_RESET};
	if (!sp || index < 1 || index > RPPP_MAX_RPS_LIMIT)
		return;
	fq = &sp->first[priority];
	if (index > 1) {
		table = __atomic_load_n(&sp->pri[priority].table, __ATOMIC_ACQUIRE);
		fq = table ? &table->fq[index - 2] : NULL;
	}
	if (!fq || !__atomic_load_n(&fq->used, __ATOMIC_ACQUIRE)) {
		out->rp_target_rate = out->rp_current_rate =
		    gauge_get(&sp->pri[priority].max_rate_bps);
		return;
	}
	*out = (struct rp_stats){
	    .rp_enabled = gauge_get(&fq->stats.rp_enabled),
	    .state = gauge_get(&fq->stats.state),
	    .rp_fb = gauge_get(&fq->stats.rp_fb),
	    .rp_target_rate = gauge_get(&fq->stats.rp_target_rate),
	    .rp_current_rate = gauge_get(&fq->stats.rp_current_rate),
	    .rp_byte_stage = gauge_get(&fq->stats.rp_byte_stage),
	    .rp_time_stage = gauge_get(&fq->stats.rp_time_stage),
	    .cnms = gauge_get(&fq->stats.cnms),
	    .frames = gauge_get(&fq->stats.frames),
	    .octets = gauge_get(&fq->stats.octets),
	    .discards = gauge_get(&fq->stats.discards),
	    .queue_octets = gauge_get(&fq->stats.queue_octets),
	};
}

void station_read_cnm(const struct soft_port *port, struct cnm_stats *out)
{
	const struct station_port *sp = port->station;

	*out = (struct cnm_stats){0};
	if (sp)
		counters_copy(out, &sp->cnm, sizeof(*out));
}
