/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/rpg_defaults.h"
#include "tests/unit/station_world.h"

#include "lib/octets.h"
#include "dataplane/config/dcb_config.h"
#include "tests/unit/unit.h"

#include <string.h>

#define DEPTH 4096

uint8_t f[OCTETS + 16];
struct frame out;

/* --- the lab --------------------------------------------------------------- */

void configure(struct lab *l, uint8_t cnpv)
{
	struct dcb_config *old = l->config;
	struct port_config *own;

	l->config = calloc(1, sizeof(*l->config) + sizeof(l->config->ports[0]));
	assert_non_null(l->config);
	l->config->generation = old ? old->generation + 1 : 1;
	l->config->n_ports = 1;
	l->config->cnpv_acting = cnpv;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		l->config->com_pri[p].row_status = cnpv >> p & 1 ? ROW_ACTIVE : ROW_ABSENT;
		l->config->com_pri[p].cncp_def_mode_choice = CPC_ADMIN;
		l->config->com_pri[p].cncp_admin_defense_mode = CPT_INTERIOR;
	}
	own = malloc(sizeof(*own));
	assert_non_null(own);
	*own = l->port_config;
	l->config->ports[0] = dcb_config_port_alone(&l->port.base, own);
	assert_true(station_port_prepare(&l->port, cnpv, own, 0));
	station_adopt(&l->st, l->config, l->now);
	if (old)
		free(old->ports[0].config);
	free(old);
}

static void start_with(struct lab *l, const struct station_params *params,
		       const struct port_settings *settings)
{
	struct netio *ends[2];

	memset(l, 0, sizeof(*l));
	l->now.ns = DCB_NS_PER_S;
	assert_true(station_init(&l->st, params, NULL, NULL));
	assert_true(netio_mem_pair(ends, DEPTH, OCTETS + 16));
	l->port.io = l->ends[0] = ends[0];
	l->wire = ends[1];
	assert_true(netio_mem_pair(ends, DEPTH, OCTETS + 16));
	l->ends[1] = ends[0];
	l->host = ends[1];
	l->port.base.settings = *settings;
	l->port.base.link.up = true;
	l->port.base.link.speed = dcb_rate_from_mbps(10000);
	memcpy(l->port.base.link.mac, "\x02\0\0\0\0\x01", 6);
	port_init(&l->port);
	assert_true(station_port_new(&l->port, l->ends[1]));
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		l->port_config.cp[p] =
		    (struct cp_config){.cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1};
		l->port_config.rpg[p] = rpg_defaults;
		l->port_config.buffer[p].alpha_lossy = 1;
		l->port_config.rp_port_pri[p].rppp_max_rps = 1;
		l->port_config.port_pri[p].cnpd_def_mode_choice = CPC_COMP;
	}
	configure(l, 1 << CNPV);
}

const struct port_settings plain = {.buffer_octets = 400000, .pvid = 1};
const struct station_params plenty = {
    .frame_buffers = 4096,
    .frame_octets = OCTETS,
    .seed = 1,
};

int set_up(void **state)
{
	struct lab *l = malloc(sizeof(*l));

	assert_non_null(l);
	start_with(l, &plenty, &plain);
	*state = l;
	return 0;
}

static void stop(struct lab *l)
{
	station_destroy(&l->st);
	station_port_free(&l->port);
	for (int i = 0; i < 2; i++)
		l->ends[i]->ops->close(l->ends[i]);
	l->host->ops->close(l->host);
	l->wire->ops->close(l->wire);
	free(l->config->ports[0].config);
	free(l->config);
}

int tear_down(void **state)
{
	struct lab *l = *state;

	station_port_down(&l->st, &l->port, l->now);
	assert_int_equal(l->st.ports.pool.n_free, l->st.ports.pool.size); /* nothing leaks */
	stop(l);
	free(l);
	return 0;
}

void restart(struct lab *l, const struct station_params *params,
	     const struct port_settings *settings)
{
	stop(l);
	start_with(l, params, settings);
}

/* --- frames ---------------------------------------------------------------- */

static void put_mac(uint8_t *p, uint64_t mac)
{
	put_be16(p, (uint16_t)(mac >> 32));
	put_be32(p + 2, (uint32_t)mac);
}

uint32_t make(uint64_t da, uint64_t sa, int tci, uint16_t ethertype, uint32_t len)
{
	uint32_t at = ETH_TYPE_OFFSET;

	put_mac(f, da);
	put_mac(f + ETH_SA_OFFSET, sa);
	if (tci >= 0) {
		put_be16(f + at, ETH_TYPE_CTAG);
		put_be16(f + at + 2, (uint16_t)tci);
		at += ETH_TAG_OCTETS;
	}
	put_be16(f + at, ethertype);
	for (at += 2; at < len; at++)
		f[at] = (uint8_t)at;
	return len;
}

uint32_t make_flow(uint64_t da, uint16_t flow, uint32_t len)
{
	make(da, OURS, TCI(CNPV, 0), 0x0800, len);
	memset(f + 18, 0, 24);
	f[18] = 0x45;
	f[27] = 17;
	put_be16(f + 38, flow);
	put_be16(f + 40, 5201);
	return len;
}

static void keep(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct frame *frame = ctx;

	(void)wire_octets;
	memcpy(frame->octets, octets, len);
	frame->len = len;
	(void)eth_parse(octets, len, &frame->view);
}

bool take(struct netio *io, struct frame *frame)
{
	return io->ops->recv(io, 1, keep, frame) == 1;
}

void host_sends(struct lab *l, uint32_t len)
{
	const struct iovec frame = {f, len};
	struct netio_sent sent = l->host->ops->send(l->host, &frame, 1, l->now);

	assert_int_equal(sent.taken - sent.refused, 1);
	assert_int_equal(station_read_host(&l->st, &l->port, 2, l->now), 1);
}

void turn(struct lab *l)
{
	l->next = station_transmit(&l->st, l->now);
}

void run_until(struct lab *l, struct dcb_time end)
{
	turn(l);
	while (dcb_time_before(l->next, end)) {
		assert_true(dcb_time_before(l->now, l->next)); /* time passes */
		l->now = l->next;
		turn(l);
	}
	l->now = end;
	turn(l);
}

void run_ms(struct lab *l, int64_t ms)
{
	run_until(l, dcb_time_add_ns(l->now, ms * DCB_NS_PER_MS));
}

struct flow_queue *fq_of(struct lab *l, unsigned index)
{
	return fq_at(l->port.station, CNPV, index);
}

struct cnm_stats cnms(const struct lab *l)
{
	struct cnm_stats s;

	station_read_cnm(&l->port, &s);
	return s;
}

struct rp_stats rp_stats(const struct lab *l, unsigned index)
{
	struct rp_stats s;

	station_read_rp(&l->port, CNPV, index, &s);
	return s;
}

struct rp_port_pri_stats pri_stats(const struct lab *l)
{
	struct rp_port_pri_stats s;

	station_read_rp_port_pri(&l->port, CNPV, &s);
	return s;
}

struct port_stats port_stats(const struct lab *l)
{
	struct port_stats s;

	port_read(&l->port, &s);
	return s;
}

/* --- CNMs ------------------------------------------------------------------ */

const struct cnm a_cnm = {.qntz_fb = 32, .encap_priority = CNPV, .encap_da = {2, 0, 0, 0, 0, 2}};

uint32_t make_cnm(const struct cnm *cnm, uint64_t da, uint64_t sa, uint16_t flow_id)
{
	uint8_t to[6], from[6];

	put_mac(to, da);
	put_mac(from, sa);
	return cnm_frame(f, cnm, to, from, flow_id);
}

uint32_t add_tag(uint32_t len, uint16_t tci)
{
	uint8_t *p = f + ETH_TYPE_OFFSET;

	memmove(p + ETH_TAG_OCTETS, p, len - ETH_TYPE_OFFSET);
	put_be16(p, ETH_TYPE_CTAG);
	put_be16(p + 2, tci);
	return len + ETH_TAG_OCTETS;
}

void wire_brings(struct lab *l, uint32_t len)
{
	station_receive(&l->st, &l->port, f, len, len, l->now);
}

uint16_t flow_id_of(const struct lab *l, unsigned index)
{
	return l->port.station->flow_id[CNPV][index];
}

void earn_cnm(struct lab *l, uint64_t to, unsigned index)
{
	to = destination_of(to, l->port.base.settings.pvid);
	destinations_sent(l->port.station->pri[CNPV].destinations,
			  fq_destination(fq_of(l, index), to), index, DESTINATION_CNM_OCTETS, 0,
			  l->now);
}

void slow_down(struct lab *l, uint8_t fb)
{
	struct cnm cnm = a_cnm;

	cnm.qntz_fb = fb;
	earn_cnm(l, PEER, 0);
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
}

void know_peer(struct lab *l)
{
	host_sends(l, make_flow(PEER, 1, 100));
	turn(l);
	assert_true(take(l->wire, &out));
}
