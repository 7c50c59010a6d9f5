/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dataplane thread as a station, on memory ports: configurations, links and ports
 * change while the host sends frames and CNMs arrive.
 */
#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/rng.h"
#include "dataplane/netio/netio.h"
#include "dataplane/port/port.h"
#include "dataplane/soft/provider_soft.h"
#include "tests/unit/dataplane/soft/provider_calls.h"
#include "tests/unit/unit.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>

#define PORTS   2
#define CNPV    3
#define CONFIGS 400

struct lab {
	struct provider *provider;
	struct port *ports[PORTS];
	struct netio *wires[PORTS], *hosts[PORTS]; /* far ends */
};

static void plug_in(struct lab *lab, unsigned i)
{
	static const struct port_settings settings = {
	    .buffer_octets = 1 << 20, .pvid = 1, .memory = true, .default_priority = CNPV};
	struct link_info link = {.ifindex = i + 1,
				 .up = true,
				 .speed = {1000000000},
				 .mac = {2, 0, 0, 0, 0, (uint8_t)i}};
	struct netio *ends[2];
	char err[256] = "";

	snprintf(link.name, sizeof(link.name), "mem%u", i);
	lab->ports[i] = lab->provider->ops->port_open(lab->provider, (uint16_t)i, &link, &settings,
						      err, sizeof(err));
	assert_non_null(lab->ports[i]);
	assert_true(netio_mem_pair(ends, 256, 1616));
	provider_soft_set_netio(lab->ports[i], ends[0]);
	lab->wires[i] = ends[1];
	assert_true(netio_mem_pair(ends, 256, 1616));
	provider_soft_set_host(lab->ports[i], ends[0]);
	lab->hosts[i] = ends[1];
}

static int set_up(void **state)
{
	static const struct provider_soft_params params = {
	    .station = true,
	    .frame_buffers = 512,
	    .frame_octets = 1600,
	    .cpu = -1,
	    .seed = 1,
	};
	struct lab *lab = calloc(1, sizeof(*lab));
	char err[256] = "";

	assert_non_null(lab);
	lab->provider = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(lab->provider);
	for (unsigned i = 0; i < PORTS; i++)
		plug_in(lab, i);
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	if (lab->provider)
		lab->provider->ops->destroy(lab->provider);
	for (unsigned i = 0; i < PORTS; i++) {
		lab->wires[i]->ops->close(lab->wires[i]);
		lab->hosts[i]->ops->close(lab->hosts[i]);
	}
	free(lab);
	return 0;
}

/* --- configurations -------------------------------------------------------- */

static void random_port_config(struct port_config *c, struct dcb_rng *rng)
{
	c->pfc.enable = (uint8_t)(dcb_rng_next(rng) & dcb_rng_next(rng));
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		c->cp[p] = (struct cp_config){dcb_rng_uniform(rng, 100, 50000), 10000, 1, 0};
		c->port_pri[p].cnpd_def_mode_choice = CPC_COMP;
		c->rp_port_pri[p].rppp_max_rps = (uint8_t)dcb_rng_uniform(rng, 1, 100);
		c->rpg[p] = (struct rpg_config){
		    .rpg_enable = dcb_rng_uniform(rng, 0, 7) > 0,
		    .rpg_min_dec_fac = 50,
		    .rpg_time_reset = (int32_t)dcb_rng_uniform(rng, 0, 20),
		    .rpg_byte_reset = 150000,
		    .rpg_threshold = 5,
		    .rpg_ai_rate = 5,
		    .rpg_hai_rate = 50,
		    .rpg_gd = 7,
		    .rpg_min_rate = 5,
		    .rpg_max_rate_is_set = dcb_rng_next(rng) & 1,
		    .rpg_max_rate = dcb_rng_uniform(rng, 10, 2000),
		};
	}
}

struct whole {
	struct port_config port[PORTS];
	struct dcb_config *config;
};

static struct whole *make_config(struct lab *lab, uint64_t generation, unsigned ports, uint8_t cnpv,
				 struct dcb_rng *rng)
{
	struct whole *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->config = calloc(1, sizeof(*w->config) + PORTS * sizeof(w->config->ports[0]));
	assert_non_null(w->config);
	w->config->generation = generation;
	w->config->cnpv_acting = cnpv;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		w->config->com_pri[p].cncp_def_mode_choice = CPC_ADMIN;
		w->config->com_pri[p].cncp_admin_defense_mode =
		    dcb_rng_next(rng) & 1 ? CPT_INTERIOR : CPT_INTERIOR_READY;
	}
	for (unsigned i = 0; i < PORTS; i++) {
		random_port_config(&w->port[i], rng);
		if (ports >> i & 1)
			w->config->ports[w->config->n_ports++] =
			    dcb_config_port_alone(lab->ports[i], &w->port[i]);
	}
	return w;
}

/* For the last configuration: fixed settings, so that the checks at the end can succeed. */
static void enable_reaction_points(struct whole *w)
{
	for (unsigned i = 0; i < PORTS; i++) {
		struct rpg_config *rpg = &w->port[i].rpg[CNPV];

		w->config->ports[i].oper.pfc_enable &= (uint8_t) ~(1u << CNPV);
		rpg->rpg_enable = true;
		rpg->rpg_time_reset = 20;
		rpg->rpg_max_rate_is_set = false;
	}
}

static void free_config(struct whole *w)
{
	if (w)
		free(w->config);
	free(w);
}

static void wait_adopted(struct provider *p, uint64_t generation)
{
	struct provider_event ev = {0};

	while (ev.generation < generation)
		assert_true(wait_event(p, &ev));
}

/* --- traffic --------------------------------------------------------------- */

struct traffic {
	struct lab *lab;
	bool stop;
	uint64_t to_wire, to_host, bad;
};

static void check_wire(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct traffic *t = ctx;
	struct eth_view view;

	__atomic_fetch_add(&t->to_wire, 1, __ATOMIC_RELAXED);
	t->bad += len != wire_octets || eth_parse(octets, len, &view) != ETH_OK ||
		  view.ethertype != 0x0800 || view.priority != CNPV ||
		  octets[len - 1] != (uint8_t)(len - view.payload_offset);
}

static void check_host(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct traffic *t = ctx;

	__atomic_fetch_add(&t->to_host, 1, __ATOMIC_RELAXED);
	t->bad += len != wire_octets || octets[12] != 0x88 || octets[13] != 0xb5;
}

static void send_one(struct netio *io, void *octets, uint32_t len)
{
	struct iovec iov = {octets, len};

	io->ops->send(io, &iov, 1, (struct dcb_time){0});
}

static void host_sends(struct traffic *t, unsigned i, uint32_t r)
{
	uint8_t f[1600] = {2, 0, 0, 0, 1, 9, 2, 0, 0, 0, 0, (uint8_t)i, 0x08, 0x00, 0x45};
	uint32_t len = 60 + r % 1400;

	f[23] = 17;
	f[35] = (uint8_t)(r >> 16); /* source port */
	f[len - 1] = (uint8_t)(len - 14);
	send_one(t->lab->hosts[i], f, len);
}

static void wire_brings(struct traffic *t, unsigned i, uint32_t r)
{
	uint8_t ours[] = {2, 0, 0, 0, 0, (uint8_t)i}, f[CNM_FRAME_MAX];
	const struct cnm cnm = {
	    .qntz_fb = r % 64, .encap_priority = CNPV, .encap_da = {2, 0, 0, 0, 1, 9}};
	uint8_t data[60] = {2, 0, 0, 0, 0, (uint8_t)i, 2, 0, 0, 0, 1, 9, 0x88, 0xb5};

	send_one(t->lab->wires[i], f,
		 cnm_frame(f, &cnm, ours, cnm.encap_da, r & 64 ? (uint16_t)(r >> 20) : 0));
	send_one(t->lab->wires[i], data, sizeof(data));
}

/* PFC frames: short and long pauses of random priorities, and XON. */
static void wire_pauses(struct traffic *t, unsigned i, uint32_t r)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 1, 9}, .enable = (uint8_t)(r >> 8)};
	uint8_t f[PFC_FRAME_OCTETS];

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		pdu.time[p] = r >> p & 1 ? (uint16_t)(r >> 4) : 0;
	pfc_pdu_encode(&pdu, f);
	send_one(t->lab->wires[i], f, sizeof(f));
}

static void *generate(void *ctx)
{
	struct traffic *t = ctx;
	struct dcb_rng rng;

	dcb_rng_seed(&rng, 1, 2);
	while (!__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE)) {
		uint32_t r = dcb_rng_next(&rng);

		host_sends(t, r % PORTS, r >> 1);
		if (r >> 28 == 0)
			wire_brings(t, r % PORTS, r >> 1);
		if (r >> 28 == 1)
			wire_pauses(t, r % PORTS, r >> 1);
		for (unsigned i = 0; i < PORTS; i++) {
			t->lab->wires[i]->ops->recv(t->lab->wires[i], 64, check_wire, t);
			t->lab->hosts[i]->ops->recv(t->lab->hosts[i], 64, check_host, t);
		}
	}
	return NULL;
}

/* Sums over all reaction points of a port. */
struct sums {
	uint64_t cnms, frames, created, centiseconds;
};

static struct sums read_everything(struct lab *lab, unsigned i)
{
	const struct provider_ops *ops = lab->provider->ops;
	struct rp_port_pri_stats pri;
	struct sums sums = {0};
	struct pfc_stats pfc;
	struct cnm_stats cnm;
	struct rp_stats rp;

	ops->read_rp_port_pri(lab->ports[i], CNPV, &pri);
	ops->read_cnm(lab->ports[i], &cnm);
	assert_int_equal(cnm.cnm_short + cnm.cnm_bad_length + cnm.cnm_no_tag +
			     cnm.cnm_wrong_address + cnm.cnm_from_host,
			 0);
	for (unsigned index = 1; index <= RPPP_MAX_RPS_LIMIT; index++) {
		ops->read_rp(lab->ports[i], CNPV, index, &rp);
		assert_true(rp.state >= RPR_RESET && rp.state <= RPR_HYPER_TIME);
		sums.cnms += rp.cnms;
		sums.frames += rp.frames;
	}
	ops->read_pfc(lab->ports[i], CNPV, &pfc);
	assert_true(pfc.pfc_paused <= 1);
	sums.created = pri.rppp_created_rps;
	sums.centiseconds = pri.rppp_rp_centiseconds;
	return sums;
}

static void change_link(struct lab *lab, struct dcb_rng *rng, bool up)
{
	struct link_info link = {.ifindex = 1,
				 .up = up,
				 .mac = {2},
				 .speed = {(uint64_t)dcb_rng_uniform(rng, 1, 40) << 28}};

	strcpy(link.name, "mem0");
	lab->provider->ops->port_update(lab->ports[0], &link);
}

static void test_changes_while_frames_flow(void **state)
{
	struct lab *lab = *state;
	struct traffic traffic = {.lab = lab};
	struct whole *in_force = NULL, *next;
	struct sums sums = {0};
	struct dcb_rng rng;
	pthread_t thread;

	dcb_rng_seed(&rng, unit_seed(), 1);
	assert_int_equal(pthread_create(&thread, NULL, generate, &traffic), 0);
	for (uint64_t generation = 1; generation <= CONFIGS; generation++) {
		unsigned ports = generation == CONFIGS ? 3 : dcb_rng_uniform(&rng, 1, 3);
		uint8_t cnpv = generation == CONFIGS ? 1 << CNPV : (uint8_t)dcb_rng_next(&rng);

		next = make_config(lab, generation, ports, cnpv, &rng);
		if (generation == CONFIGS)
			enable_reaction_points(next);
		commit(lab->provider, next->config);
		(void)read_everything(lab, generation % PORTS);
		wait_adopted(lab->provider, generation);
		free_config(in_force);
		in_force = next;
		change_link(lab, &rng, generation % 4 || generation == CONFIGS);
	}
	/* The station still works: CNMs arrive, frames are sent and received. */
	for (time_t end = time(NULL) + PROVIDER_DEADLINE_S; time(NULL) < end;) {
		sums = read_everything(lab, 1);
		if (sums.cnms > 10 && sums.frames > 1000 && sums.created > 0 &&
		    sums.centiseconds > 0 &&
		    __atomic_load_n(&traffic.to_host, __ATOMIC_RELAXED) > 10)
			break;
		poll(NULL, 0, 1);
	}
	__atomic_store_n(&traffic.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_true(sums.cnms > 10 && sums.frames > 1000 && sums.created > 0);
	assert_true(sums.centiseconds > 0);
	assert_true(traffic.to_wire > 1000 && traffic.to_host > 10);
	assert_int_equal(traffic.bad, 0);
	lab->provider->ops->destroy(lab->provider);
	lab->provider = NULL;
	free_config(in_force);
}

/* Statistics of a station are zero on a bridge. */
static void test_bridge_has_zero_station_statistics(void **state)
{
	static const struct provider_soft_params params = {
	    .frame_buffers = 64, .frame_octets = 1600, .fdb_entries = 16, .cpu = -1};
	static const struct port_settings settings = {.pvid = 1, .memory = true};
	static const struct cnm_stats none;
	struct link_info link = {.ifindex = 1, .name = "mem0"};
	struct rp_port_pri_stats pri;
	struct provider *p;
	struct cnm_stats cnm;
	struct rp_stats rp;
	struct port *port;
	char err[256];

	(void)state;
	p = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(p);
	port = p->ops->port_open(p, 0, &link, &settings, err, sizeof(err));
	assert_non_null(port);
	assert_null(provider_soft_tap(port));
	assert_false(provider_soft_is_tap(p, 1));
	p->ops->read_rp_port_pri(port, 3, &pri);
	p->ops->read_rp(port, 3, 1, &rp);
	p->ops->read_cnm(port, &cnm);
	assert_int_equal(pri.rppp_created_rps + pri.rppp_rp_centiseconds, 0);
	assert_false(rp.rp_enabled);
	assert_int_equal(rp.state, RPR_RESET);
	assert_memory_equal(&cnm, &none, sizeof(cnm));
	p->ops->destroy(p);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_changes_while_frames_flow, set_up, tear_down),
	    cmocka_unit_test(test_bridge_has_zero_station_statistics),
	};

	return cmocka_run_group_tests_name("provider_station", tests, NULL, NULL);
}
