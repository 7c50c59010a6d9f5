/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/rbridge_world.h"

#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"

static void put_mac(uint8_t *p, uint64_t mac)
{
	put_be16(p, (uint16_t)(mac >> 32));
	put_be32(p + 2, (uint32_t)mac);
}

uint64_t rbridge_world_mac(uint16_t nickname, unsigned port)
{
	return UINT64_C(0x02dcb0000000) + ((uint64_t)nickname << 8) + port;
}

static struct soft_port *make_port(struct rbridge_world *w, unsigned n)
{
	struct soft_port *port = calloc(1, sizeof(*port));
	struct netio *ends[2];

	assert_non_null(port);
	assert_true(netio_mem_pair(ends, 1024, WORLD_OCTETS + 64));
	port->io = ends[0];
	w->cables[n] = ends[1];
	port->base.slot = (uint16_t)(n * 3); /* slots are not positions */
	port->base.link.up = true;
	put_mac(port->base.link.mac, rbridge_world_mac(w->trill.nickname, n));
	port->base.settings = (struct port_settings){.buffer_octets = 1 << 20, .pvid = 1};
	port_init(port);
	return port;
}

void rbridge_world_init(struct rbridge_world *w, unsigned n_ports, uint16_t nickname)
{
	static const struct bridge_params params = {
	    .frame_buffers = 4096,
	    .frame_octets = WORLD_OCTETS,
	    .fdb_entries = RBW_ADDRESSES,
	    .fdb_ageing_s = 300,
	    .transit_ns = 100 * DCB_NS_PER_MS,
	    .seed = 1,
	};

	*w = (struct rbridge_world){
	    .n_ports = n_ports, .now = {DCB_NS_PER_S}, .trill.nickname = nickname};
	assert_true(rbridge_init(&w->rb, &params, NULL, NULL));
	for (unsigned i = 0; i < n_ports; i++)
		w->ports[i] = make_port(w, i);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		w->com_pri[i].cncp_def_mode_choice = CPC_ADMIN;
		w->com_pri[i].cncp_admin_defense_mode = CPT_INTERIOR_READY;
		for (unsigned p = 0; p < RBW_PORTS; p++) {
			struct port_config *pc = &w->own[p];

			pc->cp[i] = (struct cp_config){.cp_qsp = 26000,
						       .cp_sample_base = 150000,
						       .cp_w_exp = 1,
						       .cp_min_header_octets = 64};
			pc->port_pri[i].cnpd_def_mode_choice = CPC_COMP;
			pc->buffer[i] =
			    (struct buffer_config){.alpha_lossless = 3, .alpha_lossy = 1};
		}
	}
	rbridge_world_configure(w);
}

void rbridge_world_campus(struct rbridge_world *w)
{
	rbridge_world_init(w, 4, 1);
	w->own[2].trill.mode = w->own[3].trill.mode = TRILL_TRUNK;
	w->own[2].trill.designated_vlan = 20;
	w->own[3].trill.designated_vlan = 30;
	w->trill.tree_root = 1;
	rbridge_world_hop(w, 2, 2, RBW_M2, true);
	rbridge_world_hop(w, 3, 3, RBW_M3, true);
	rbridge_world_hop(w, 2, 4, RBW_M2, true);
	rbridge_world_hop(w, 3, 4, RBW_M3, false);
	rbridge_world_configure(w);
}

static void free_config(struct dcb_config *config)
{
	if (config)
		trill_egress_free(&config->trill_egress);
	free(config);
}

void rbridge_world_free(struct rbridge_world *w)
{
	for (unsigned i = 0; i < w->n_ports; i++) /* empties the queues */
		port_set_port_down(&w->rb.native.ports, w->ports[i], w->now);
	assert_int_equal(w->rb.native.ports.pool.n_free, w->rb.native.ports.pool.size);
	rbridge_destroy(&w->rb);
	trill_egress_free(&w->egress);
	free_config(w->config);
	free(w->in_force);
	for (unsigned i = 0; i < RBW_PORTS && w->ports[i]; i++) {
		w->ports[i]->io->ops->close(w->ports[i]->io);
		w->cables[i]->ops->close(w->cables[i]);
		free(w->ports[i]);
	}
}

void rbridge_world_configure(struct rbridge_world *w)
{
	struct dcb_config *old = w->config;
	struct port_config *before = w->in_force;

	w->in_force = malloc(sizeof(w->own));
	w->config = calloc(1, sizeof(*w->config) + w->n_ports * sizeof(w->config->ports[0]));
	assert_non_null(w->config);
	assert_non_null(w->in_force);
	memcpy(w->in_force, w->own, sizeof(w->own));
	w->config->generation = old ? old->generation + 1 : 1;
	w->config->n_ports = w->n_ports;
	w->config->global =
	    (struct cn_global_config){.cng_master_enable = true, .cng_cnm_transmit_priority = 6};
	w->config->buffer_memory.rules = (struct buffer_rules){50, 1};
	w->config->cnpv_acting = w->cnpv;
	w->config->trill = w->trill;
	assert_true(trill_egress_copy(&w->config->trill_egress, &w->egress));
	memcpy(w->config->com_pri, w->com_pri, sizeof(w->com_pri));
	put_mac(w->config->system_address, UINT64_C(0x02dcb0ff0000) + w->trill.nickname);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		w->config->cncp_auto_alt_pri[i] = cnd_auto_alt_pri(w->cnpv, i);
	for (unsigned i = 0; i < w->n_ports; i++) {
		w->config->ports[i] = dcb_config_port_alone(&w->ports[i]->base, &w->in_force[i]);
		w->config->ports[i].oper.pfc_enable = w->oper[i].pfc_enable;
	}
	assert_true(rbridge_fits(w->config, RBW_ADDRESSES));
	rbridge_adopt(&w->rb, w->config, w->now);
	free_config(old);
	free(before);
}

void rbridge_world_hop(struct rbridge_world *w, unsigned port, uint16_t nickname, uint64_t mac,
		       bool tree)
{
	rbridge_world_row(w, port, nickname, mac, true, tree);
}

void rbridge_world_row(struct rbridge_world *w, unsigned port, uint16_t nickname, uint64_t mac,
		       bool unicast, bool tree)
{
	struct trill_next_hop hop = {.nickname = nickname, .tree = tree, .not_unicast = !unicast};

	put_mac(hop.mac, mac);
	assert_true(trill_next_hop_put(&w->own[port].trill_hops, &hop));
}

void rbridge_world_egress(struct rbridge_world *w, uint16_t vid, uint64_t mac, uint16_t nickname)
{
	struct trill_egress entry = {.key = (uint64_t)vid << 48 | mac, .nickname = nickname};

	assert_true(trill_egress_put(&w->egress, &entry));
}

/* --- frames ----------------------------------------------------------------------------- */

void rbridge_world_send(struct rbridge_world *w, unsigned port, const void *octets, uint32_t len)
{
	struct iovec iov = {(void *)octets, len};
	struct netio_sent sent = w->cables[port]->ops->send(w->cables[port], &iov, 1, w->now);

	assert_int_equal(sent.refused, 0);
}

struct at_port {
	struct rbridge_world *w;
	struct soft_port *port;
};

static void arrive(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	const struct at_port *at = ctx;

	rbridge_receive(&at->w->rb, at->port, octets, len, wire_octets, at->w->now);
}

struct dcb_time rbridge_world_turn(struct rbridge_world *w)
{
	for (unsigned i = 0; i < RBW_PORTS && w->ports[i]; i++) {
		struct at_port at = {w, w->ports[i]};

		while (at.port->io->ops->recv(at.port->io, 64, arrive, &at) > 0)
			;
	}
	return port_set_transmit(&w->rb.native.ports, w->now);
}

static void keep(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct world_frame *frame = ctx;

	(void)wire_octets;
	assert_true(len <= sizeof(frame->octets));
	memcpy(frame->octets, octets, len);
	frame->len = len;
}

bool rbridge_world_recv(struct rbridge_world *w, unsigned port, struct world_frame *frame)
{
	return w->cables[port]->ops->recv(w->cables[port], 1, keep, frame) == 1;
}

unsigned rbridge_world_forward(struct rbridge_world *w, unsigned port, const void *octets,
			       uint32_t len, struct world_frame *out)
{
	unsigned left = 0;

	rbridge_world_send(w, port, octets, len);
	rbridge_world_turn(w);
	for (unsigned i = 0; i < RBW_PORTS && w->ports[i]; i++) {
		if (rbridge_world_recv(w, i, out))
			left |= 1u << i;
	}
	return left;
}

static void tag(struct octets_out *out, unsigned type, int value)
{
	if (value < 0)
		return;
	octets_out_be16(out, (uint16_t)type);
	octets_out_be16(out, (uint16_t)value);
}

static void addresses(struct octets_out *out, uint64_t da, uint64_t sa)
{
	put_mac(octets_out_take(out, ETH_ADDR_OCTETS), da);
	put_mac(octets_out_take(out, ETH_ADDR_OCTETS), sa);
}

uint32_t rbridge_world_trill(void *octets, const struct trill_text *text)
{
	static const uint8_t plain[64] = {0x88, 0xb5};
	struct octets_out out = octets_out(octets, WORLD_OCTETS);

	addresses(&out, text->da, text->sa);
	tag(&out, 0x8100, text->tci);
	octets_out_be16(&out, 0x22f3);
	octets_out_be16(&out, text->header);
	octets_out_be16(&out, text->egress);
	octets_out_be16(&out, text->ingress);
	if (text->header >> 6 & 0x1f)
		octets_out_be32(&out, text->options);
	addresses(&out, text->inner_da, text->inner_sa);
	tag(&out, 0x8100, text->inner_tci);
	tag(&out, 0x22e9, text->flow_id);
	octets_out_bytes(&out, text->msdu ? text->msdu : plain,
			 text->msdu ? text->msdu_len : sizeof(plain));
	assert_false(out.overrun);
	return eth_pad(octets, (uint32_t)out.len);
}
