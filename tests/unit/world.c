/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/world.h"

#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"

static struct soft_port *make_port(struct world *w, unsigned n)
{
	struct soft_port *port = calloc(1, sizeof(*port));
	struct netio *ends[2];

	assert_non_null(port);
	assert_true(netio_mem_pair(ends, 1024, WORLD_OCTETS + 4));
	port->io = ends[0];
	w->cables[n] = ends[1];
	port->base.slot = (uint16_t)(n * 3); /* slots are not positions */
	port->base.link.up = true;
	memcpy(port->base.link.mac, (uint8_t[]){0x02, 0xdc, 0xb0, 0, 1, (uint8_t)n}, 6);
	port->base.settings =
	    (struct port_settings){.buffer_octets = 1 << 20, .pvid = 1, .memory = true};
	port_init(port);
	return port;
}

void world_init(struct world *w, unsigned n_ports, const struct bridge_params *params)
{
	static const struct bridge_params plenty = {
	    .frame_buffers = 4096,
	    .frame_octets = WORLD_OCTETS,
	    .fdb_entries = 1000,
	    .fdb_ageing_s = 300,
	    .seed = 1,
	};

	*w = (struct world){.n_ports = n_ports,
			    .now = {DCB_NS_PER_S},
			    .system_address = {0x02, 0xdc, 0xb0, 0x00, 0x00, 0x01}};
	assert_true(bridge_init(&w->bridge, params ? params : &plenty, NULL, NULL));
	for (unsigned i = 0; i < n_ports; i++)
		w->ports[i] = make_port(w, i);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		w->port_config.cp[i] =
		    (struct cp_config){.cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1};
		w->port_config.port_pri[i].cnpd_def_mode_choice = CPC_COMP;
		w->port_config.buffer[i] =
		    (struct buffer_config){.alpha_lossless = 3, .alpha_lossy = 1};
		w->com_pri[i].cncp_def_mode_choice = CPC_ADMIN;
		w->com_pri[i].cncp_admin_defense_mode = CPT_INTERIOR_READY;
	}
	w->global =
	    (struct cn_global_config){.cng_master_enable = true, .cng_cnm_transmit_priority = 6};
	world_configure(w, n_ports, 0);
}

void world_free(struct world *w)
{
	bridge_destroy(&w->bridge);
	free(w->config);
	for (unsigned i = 0; i < w->n_ports; i++) {
		w->ports[i]->io->ops->close(w->ports[i]->io);
		w->cables[i]->ops->close(w->cables[i]);
		free(w->ports[i]);
	}
}

int world_tear_down(void **state)
{
	struct world *w = *state;

	assert_int_equal(w->bridge.ports.pool.n_free, w->bridge.ports.pool.size);
	world_free(w);
	free(w);
	return 0;
}

struct port_stats world_stats(const struct world *w, unsigned port)
{
	struct port_stats stats;

	port_read(w->ports[port], &stats);
	return stats;
}

void world_configure(struct world *w, unsigned n_ports, uint8_t cnpv)
{
	struct dcb_config *old = w->config;

	w->config = calloc(1, sizeof(*w->config) + n_ports * sizeof(w->config->ports[0]));
	assert_non_null(w->config);
	w->config->generation = old ? old->generation + 1 : 1;
	w->config->n_ports = n_ports;
	w->config->global = w->global;
	w->config->buffer_memory.rules = (struct buffer_rules){50, 1};
	w->config->cnpv_acting = w->global.cng_master_enable ? cnpv : 0;
	memcpy(w->config->com_pri, w->com_pri, sizeof(w->com_pri));
	memcpy(w->config->system_address, w->system_address, sizeof(w->system_address));
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		w->config->cncp_auto_alt_pri[i] = cnd_auto_alt_pri(cnpv, i);
	for (unsigned i = 0; i < n_ports; i++) {
		w->config->ports[i] = dcb_config_port_alone(
		    &w->ports[i]->base, w->own[i] ? w->own[i] : &w->port_config);
	}
	port_set_adopt(&w->bridge.ports, w->config, w->now);
	free(old);
}

void world_send(struct world *w, unsigned port, const void *octets, uint32_t len)
{
	struct iovec iov = {(void *)octets, len};
	struct netio_sent sent = w->cables[port]->ops->send(w->cables[port], &iov, 1, w->now);

	assert_int_equal(sent.refused, 0);
}

struct at_port {
	struct world *w;
	struct soft_port *port;
};

static void arrive(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	const struct at_port *at = ctx;

	bridge_receive(&at->w->bridge, at->port, octets, len, wire_octets, at->w->now);
}

struct dcb_time world_turn(struct world *w)
{
	for (unsigned i = 0; i < w->n_ports; i++) {
		struct at_port at = {w, w->ports[i]};

		while (at.port->io->ops->recv(at.port->io, 64, arrive, &at) > 0)
			;
	}
	return port_set_transmit(&w->bridge.ports, w->now);
}

static void keep(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct world_frame *frame = ctx;

	(void)wire_octets;
	memcpy(frame->octets, octets, len);
	frame->len = len;
}

bool world_recv(struct world *w, unsigned port, struct world_frame *frame)
{
	return w->cables[port]->ops->recv(w->cables[port], 1, keep, frame) == 1;
}

unsigned world_forward(struct world *w, unsigned port, const void *octets, uint32_t len,
		       struct world_frame *out)
{
	unsigned left = 0;

	world_send(w, port, octets, len);
	world_turn(w);
	for (unsigned i = 0; i < w->n_ports; i++) {
		if (world_recv(w, i, out))
			left |= 1u << i;
	}
	return left;
}

static void put_mac(uint8_t *p, uint64_t mac)
{
	put_be16(p, (uint16_t)(mac >> 32));
	put_be32(p + 2, (uint32_t)mac);
}

uint32_t world_frame(void *octets, uint64_t da, uint64_t sa, int tci, uint32_t len)
{
	uint8_t *p = octets;
	uint32_t at = ETH_TYPE_OFFSET;

	put_mac(p, da);
	put_mac(p + ETH_SA_OFFSET, sa);
	if (tci >= 0) {
		put_be16(p + at, ETH_TYPE_CTAG);
		put_be16(p + at + 2, (uint16_t)tci);
		at += ETH_TAG_OCTETS;
	}
	put_be16(p + at, 0x88b5); /* local experimental */
	for (at += 2; at < len; at++)
		p[at] = (uint8_t)at;
	return len;
}
