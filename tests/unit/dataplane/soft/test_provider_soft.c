/* SPDX-License-Identifier: BSD-3-Clause */
/* The dataplane thread on memory ports: configurations change while frames flow. */
#include "lib/clock.h"
#include "dataplane/core/eth.h"
#include "lib/rng.h"
#include "dataplane/netio/netio.h"
#include "dataplane/port/port.h"
#include "dataplane/soft/provider_soft.h"
#include "dataplane/soft/provider_soft_private.h"
#include "tests/unit/dataplane/soft/provider_calls.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PORTS   4
#define CONFIGS 1000

static const struct provider_soft_params params = {
    .frame_buffers = 512,
    .frame_octets = 1600,
    .frame_octets_most = 65536,
    .fdb_entries = 64,
    .fdb_ageing_s = 300,
    .cpu = -1,
    .seed = 1,
};

static const struct port_settings settings = {.buffer_octets = 1 << 20, .pvid = 1, .memory = true};

struct lab {
	struct provider *provider;
	struct port *ports[PORTS];
	struct netio *cables[PORTS];
	struct port_config port_configs[2];
};

static void plug_in(struct lab *lab, unsigned i)
{
	struct link_info link = {.ifindex = i + 1, .up = true};
	struct netio *ends[2];
	char err[256] = "";

	snprintf(link.name, sizeof(link.name), "mem%u", i);
	lab->ports[i] = lab->provider->ops->port_open(lab->provider, (uint16_t)i, &link, &settings,
						      err, sizeof(err));
	assert_non_null(lab->ports[i]);
	assert_true(netio_mem_pair(ends, 256, 1600));
	provider_soft_set_netio(lab->ports[i], ends[0]);
	lab->cables[i] = ends[1];
}

static int set_up(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	char err[256] = "";

	assert_non_null(lab);
	lab->provider = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(lab->provider);
	for (unsigned i = 0; i < PORTS; i++)
		plug_in(lab, i);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		lab->port_configs[0].cp[i] = (struct cp_config){26000, 150000, 1, 0};
		lab->port_configs[1].cp[i] = (struct cp_config){10000, 10000, 0, 0};
		lab->port_configs[0].port_pri[i].cnpd_def_mode_choice = CPC_COMP;
		lab->port_configs[1].port_pri[i].cnpd_def_mode_choice = CPC_COMP;
	}
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	if (lab->provider)
		lab->provider->ops->destroy(lab->provider);
	for (unsigned i = 0; i < PORTS; i++)
		lab->cables[i]->ops->close(lab->cables[i]);
	free(lab);
	return 0;
}

/* Sets defense mode interior on all ports: a received CNPV is not changed. */
static void set_interior(struct dcb_config *c)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		c->com_pri[i].cncp_def_mode_choice = CPC_ADMIN;
		c->com_pri[i].cncp_admin_defense_mode = CPT_INTERIOR_READY;
	}
}

static struct dcb_config *config_of(struct lab *lab, uint64_t generation, unsigned ports,
				    uint8_t cnpv)
{
	struct dcb_config *c;

	c = calloc(1, sizeof(*c) + PORTS * sizeof(c->ports[0]));
	assert_non_null(c);
	c->generation = generation;
	c->cnpv_acting = cnpv;
	set_interior(c);
	for (unsigned i = 0; i < PORTS; i++) {
		if (ports >> i & 1) {
			c->ports[c->n_ports++] = dcb_config_port_alone(
			    lab->ports[i], &lab->port_configs[generation % 2]);
		}
	}
	return c;
}

static void wait_adopted(struct provider *p, uint64_t generation)
{
	struct provider_event ev;

	do {
		assert_true(wait_event(p, &ev));
		assert_int_equal(ev.type, PROVIDER_ADOPTED);
		assert_true(ev.generation <= generation);
	} while (ev.generation < generation);
}

static void adopt(struct lab *lab, const struct dcb_config *config)
{
	commit(lab->provider, config);
	wait_adopted(lab->provider, config->generation);
}

/* Ends the thread, which may read the configuration until then, and frees the latter. */
static void stop(struct lab *lab, struct dcb_config *config)
{
	lab->provider->ops->destroy(lab->provider);
	lab->provider = NULL;
	free(config);
}

/* --- traffic ------------------------------------------------------------- */

struct traffic {
	struct lab *lab;
	bool stop;
	uint64_t received;
	uint64_t bad;
};

static bool is_cnm(const uint8_t *octets, uint32_t len)
{
	struct eth_view view;

	return eth_parse(octets, len, &view) == ETH_OK && eth_is_cnm(&view);
}

static void check(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct traffic *t = ctx;

	__atomic_fetch_add(&t->received, 1, __ATOMIC_RELAXED);
	if (is_cnm(octets, len)) /* from a congestion point, padded */
		t->bad += len != 64 || wire_octets != 64 || octets[63] != 0;
	else
		t->bad += len != wire_octets || len < 64 || octets[len - 1] != (uint8_t)len;
}

/* Sends frames between all stations, to learned and unknown addresses, in all priorities. */
static void *generate(void *ctx)
{
	struct traffic *t = ctx;
	uint8_t frame[1600] = {2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0x81, 0x00};
	struct dcb_rng rng;

	dcb_rng_seed(&rng, 1, 2);
	while (!__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE)) {
		uint32_t r = dcb_rng_next(&rng);
		struct netio *from = t->lab->cables[r % PORTS];
		struct iovec iov = {frame, 68 + (r >> 8) % 1500};

		frame[5] = (uint8_t)(r >> 4) % 8;
		frame[11] = (uint8_t)(r % PORTS);
		frame[14] = (uint8_t)(r >> 24 & 0xe0);
		frame[15] = 5;
		frame[16] = 0x88;
		frame[17] = 0xb5;
		frame[iov.iov_len - 1] = (uint8_t)iov.iov_len;
		from->ops->send(from, &iov, 1, (struct dcb_time){0});
		for (unsigned i = 0; i < PORTS; i++)
			t->lab->cables[i]->ops->recv(t->lab->cables[i], 64, check, t);
	}
	return NULL;
}

static void read_everything(struct lab *lab, unsigned ports)
{
	struct provider *p = lab->provider;
	struct provider_stats provider;
	struct port_stats port;
	struct pfc_stats pfc;
	struct cp_stats cp;

	p->ops->read_provider(p, &provider);
	assert_true(provider.frame_buffers_free <= provider.frame_buffers);
	for (unsigned i = 0; i < PORTS; i++) {
		if (!(ports >> i & 1))
			continue;
		p->ops->read_port(lab->ports[i], &port);
		assert_int_equal(port.discard_malformed, 0);
		p->ops->read_cp(lab->ports[i], 3, &cp);
		p->ops->read_pfc(lab->ports[i], 3, &pfc);
	}
}

static void publish_random(struct lab *lab, struct dcb_rng *rng, uint64_t generation,
			   struct dcb_config **in_force)
{
	struct provider *p = lab->provider;
	unsigned ports = dcb_rng_uniform(rng, 1, (1 << PORTS) - 1);
	struct dcb_config *new;

	new = config_of(lab, generation, ports, (uint8_t)dcb_rng_next(rng));
	commit(p, new);
	read_everything(lab, (1 << PORTS) - 1);
	wait_adopted(p, generation);
	free(*in_force); /* as soon as the provider allows it */
	*in_force = new;
}

/* Closes a port that no configuration in force names, and opens another with its slot. */
static void replace_port(struct lab *lab, const struct dcb_config *in_force, unsigned i)
{
	for (size_t k = 0; k < in_force->n_ports; k++) {
		if (in_force->ports[k].port == lab->ports[i])
			return;
	}
	lab->provider->ops->port_close(lab->ports[i]);
	plug_in(lab, i);
}

static uint64_t received(const struct traffic *t)
{
	return __atomic_load_n(&t->received, __ATOMIC_RELAXED);
}

static void test_configurations_while_frames_flow(void **state)
{
	time_t end = time(NULL) + PROVIDER_DEADLINE_S;
	struct lab *lab = *state;
	struct traffic traffic = {.lab = lab};
	struct dcb_config *in_force = NULL;
	struct link_info link = {.ifindex = 1};
	struct dcb_rng rng;
	pthread_t thread;

	dcb_rng_seed(&rng, unit_seed(), 1);
	assert_int_equal(pthread_create(&thread, NULL, generate, &traffic), 0);
	/* On a busy host the generator may not have run by the last generation. */
	for (uint64_t generation = 1;
	     generation <= CONFIGS || (!received(&traffic) && time(NULL) < end); generation++) {
		publish_random(lab, &rng, generation, &in_force);
		link.up = generation % 4;
		lab->provider->ops->port_update(lab->ports[0], &link);
	}
	__atomic_store_n(&traffic.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	stop(lab, in_force);
	print_message("frames received: %llu\n", (unsigned long long)traffic.received);
	assert_true(traffic.received > 0);
	assert_int_equal(traffic.bad, 0);
}

/* An MTU that grows, step by step, while frames flow; then a frame of that length passes. */
static void test_longest_frame_follows_the_mtu(void **state)
{
	time_t end = time(NULL) + PROVIDER_DEADLINE_S;
	struct lab *lab = *state;
	struct traffic traffic = {.lab = lab};
	struct dcb_config *config = config_of(lab, 1, (1 << PORTS) - 1, 0);
	struct provider *p = lab->provider;
	struct link_info link = lab->ports[0]->link;
	pthread_t thread;

	adopt(lab, config);
	assert_int_equal(pthread_create(&thread, NULL, generate, &traffic), 0);
	for (link.mtu = 1600; link.mtu <= 9000; link.mtu += 100) {
		uint64_t before = received(&traffic);

		p->ops->port_update(lab->ports[0], &link);
		while (!port_takes_mtu(lab->ports[0]) && time(NULL) < end)
			p->ops->tick(p, clock_now());
		while (received(&traffic) == before && time(NULL) < end)
			p->ops->tick(p, clock_now());
		read_everything(lab, (1 << PORTS) - 1);
	}
	__atomic_store_n(&traffic.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_true(port_takes_mtu(lab->ports[0]));
	assert_int_equal(p->frame_octets, 9022);
	assert_int_equal(frame_pool_octets(&((struct soft *)p)->ports->pool) / 64, (9022 + 4) / 64);
	stop(lab, config);
	assert_int_equal(traffic.bad, 0);
}

static void test_closed_port_is_replaced(void **state)
{
	struct lab *lab = *state;
	struct dcb_config *in_force = NULL;
	struct dcb_rng rng;

	dcb_rng_seed(&rng, unit_seed(), 1);
	for (uint64_t generation = 1; generation <= 200; generation++) {
		unsigned i = dcb_rng_uniform(&rng, 0, PORTS - 1);
		struct netio *far_end = lab->cables[i];
		struct port *before = lab->ports[i];

		publish_random(lab, &rng, generation, &in_force);
		replace_port(lab, in_force, i);
		if (lab->cables[i] != far_end)
			far_end->ops->close(far_end);
		else
			assert_ptr_equal(lab->ports[i], before);
	}
	stop(lab, in_force);
}

/* commit() does not wait: a later configuration may replace one before it is adopted. */
static void test_last_configuration_is_adopted(void **state)
{
	struct lab *lab = *state;
	struct dcb_config *configs[50];

	for (uint64_t i = 0; i < UNIT_COUNT(configs); i++) {
		configs[i] = config_of(lab, i + 1, 0xf, 0xff);
		commit(lab->provider, configs[i]);
	}
	wait_adopted(lab->provider, UNIT_COUNT(configs));
	lab->provider->ops->destroy(lab->provider);
	lab->provider = NULL;
	for (size_t i = 0; i < UNIT_COUNT(configs); i++)
		free(configs[i]);
}

/* --- a port whose interface fails ---------------------------------------- */

static int fail_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	(void)io, (void)max, (void)sink, (void)ctx;
	return -ENETDOWN;
}

static void leave_open(struct netio *io)
{
	(void)io;
}

static uint64_t lose_some(struct netio *io)
{
	(void)io;
	return 5;
}

/* An error is reported once; the port is idle until port_update() reports the link up. */
static void test_port_error_is_reported_once(void **state)
{
	static const struct netio_ops failing = {
	    .name = "failing", .recv = fail_recv, .lost = lose_some, .close = leave_open};
	struct lab *lab = *state;
	int fd = eventfd(0, EFD_NONBLOCK); /* always readable once the ports are in force */
	struct netio io = {.ops = &failing, .recv_fd = fd, .send_fd = -1};
	struct link_info link = {.ifindex = 1, .up = true};
	struct dcb_config *config;
	struct provider_event ev;

	assert_true(fd >= 0);
	provider_soft_set_netio(lab->ports[2], &io);
	config = config_of(lab, 1, 0xf, 0);
	adopt(lab, config);
	assert_int_equal(eventfd_write(fd, 1), 0);
	for (int i = 0; i < 3; i++) {
		assert_true(wait_event(lab->provider, &ev));
		assert_int_equal(ev.type, PROVIDER_PORT_ERROR);
		assert_int_equal(ev.error, ENETDOWN);
		assert_int_equal(ev.slot, lab->ports[2]->slot);
		assert_false(lab->provider->ops->next_event(lab->provider, &ev));
		lab->provider->ops->port_update(lab->ports[2], &link);
	}
	stop(lab, config);
	close(fd);
}

/* A station at port 1 sends an LLDPDU; the control thread gets its head and the time. */
static void test_lldpdus_are_events(void **state)
{
	static uint8_t frame[60] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e, 2,    0,    0,
				    0,    0,    7,    0x88, 0xcc, 0x02, 0x02, 0x07, 'c',
				    0x04, 0x02, 0x05, 'p',  0x06, 0x02, 0x00, 0x78};
	struct lab *lab = *state;
	struct iovec iov = {frame, sizeof(frame)};
	struct dcb_time before = clock_now();
	struct dcb_config *config;
	struct provider_event ev;

	config = config_of(lab, 1, 0xf, 0);
	adopt(lab, config);
	lab->cables[1]->ops->send(lab->cables[1], &iov, 1, (struct dcb_time){0});
	assert_true(wait_event(lab->provider, &ev));
	assert_int_equal(ev.type, PROVIDER_LLDPDU);
	assert_int_equal(ev.slot, lab->ports[1]->slot);
	assert_true(ev.lldpdu.nearest);
	assert_int_equal(ev.lldpdu.ttl, 120);
	assert_int_equal(ev.lldpdu.source[5], 7);
	assert_true(ev.lldpdu.msap == lldpdu_msap((struct lldpdu_id){7, 1, (const uint8_t *)"c"},
						  (struct lldpdu_id){5, 1, (const uint8_t *)"p"}));
	assert_false(dcb_time_before(ev.at, before));
	assert_false(dcb_time_before(clock_now(), ev.at));
	stop(lab, config);
}

/* The number of synthetic ports of the largest benchmark. */
static void test_opens_many_ports(void **state)
{
	enum { MANY = 4096 };
	struct lab *lab = *state;
	const struct provider_ops *ops = lab->provider->ops;
	struct dcb_config *c = calloc(1, sizeof(*c) + MANY * sizeof(c->ports[0]));
	char err[256];

	assert_non_null(c);
	c->generation = 1;
	c->n_ports = MANY;
	c->cnpv_acting = 0xff;
	set_interior(c);
	for (uint32_t i = 0; i < MANY; i++) {
		struct link_info link = {.ifindex = 100 + i, .name = "many", .up = true};
		struct port *port = ops->port_open(lab->provider, (uint16_t)(PORTS + i), &link,
						   &settings, err, sizeof(err));

		assert_non_null(port);
		c->ports[i] = dcb_config_port_alone(port, &lab->port_configs[0]);
	}
	adopt(lab, c);
	stop(lab, c);
}

/* --- rate on a real clock ------------------------------------------------ */

static void count(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	(void)octets, (void)len, (void)wire_octets;
	++*(unsigned *)ctx;
}

/* 100 frames of 1250 octets on the wire at 10 Mb/s: 99 intervals of 1 ms. */
static void test_rate_on_real_clock(void **state)
{
	struct lab *lab = *state;
	uint8_t frame[1226] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
	struct iovec iov = {frame, sizeof(frame)};
	struct dcb_config *config;
	struct dcb_time start, took;
	unsigned received = 0;

	lab->ports[1]->settings.rate.bps = 10000000; /* before a configuration names the port */
	config = config_of(lab, 1, 0x3, 0xff);
	adopt(lab, config);
	start = clock_now();
	for (int i = 0; i < 100; i++)
		lab->cables[0]->ops->send(lab->cables[0], &iov, 1, start);
	while (received < 100) {
		struct pollfd pfd = {.fd = lab->cables[1]->recv_fd, .events = POLLIN};

		assert_int_equal(poll(&pfd, 1, PROVIDER_DEADLINE_S * 1000), 1);
		lab->cables[1]->ops->recv(lab->cables[1], 100, count, &received);
	}
	took.ns = dcb_time_diff_ns(clock_now(), start);
	print_message("99 ms of traffic took %.3f ms\n", (double)took.ns / DCB_NS_PER_MS);
	assert_true(took.ns >= 99 * DCB_NS_PER_MS - PORT_CATCH_UP_NS);
	stop(lab, config);
}

/*
 * A driver that discards PFC frames of the host: PFC is refused with the reason, before the
 * configuration is in force; all else is accepted. Other drivers with similar names send.
 */
static void test_pfc_is_refused_where_the_driver_discards_its_frames(void **state)
{
	static const struct {
		const char *driver;
		bool sends;
	} drivers[] = {{"i40e", false}, {"ice", false}, {"iavf", true}, {"ic", true},
		       {"iced", true},  {"veth", true}, {"", true}};
	struct lab *lab = *state;

	for (size_t i = 0; i < UNIT_COUNT(drivers); i++) {
		struct link_info link = {.ifindex = 50, .name = "nic", .up = true};
		struct provider *p = lab->provider;
		struct provider_refusal why = {0};
		struct port_config pfc = lab->port_configs[0];
		struct dcb_config *c;
		struct port *port;
		char err[256];

		strcpy(link.driver, drivers[i].driver);
		port = p->ops->port_open(p, 50, &link, &settings, err, sizeof(err));
		assert_non_null(port);
		assert_int_equal(!!(port->has & PROVIDER_PFC_SEND), drivers[i].sends);
		c = config_of(lab, 1, 0x3, 0);
		c->ports[c->n_ports++] = dcb_config_port_alone(port, &lab->port_configs[0]);
		assert_true(p->ops->prepare(p, c, &why)); /* no PFC */
		pfc.pfc.enable = 1 << 3;
		c->ports[2] = dcb_config_port_alone(port, &pfc);
		assert_int_equal(p->ops->prepare(p, c, &why), drivers[i].sends);
		/* The neighbor's settings (DCBX) are refused as well: managed rejects them. */
		c->ports[2] = dcb_config_port_alone(port, &lab->port_configs[0]);
		c->ports[2].oper.pfc_enable = 1 << 4;
		assert_int_equal(p->ops->prepare(p, c, &why), drivers[i].sends);
		if (!drivers[i].sends) {
			assert_int_equal(why.reason, PROVIDER_CANNOT);
			assert_int_equal(why.about, PROVIDER_PFC);
			assert_ptr_equal(why.port, port);
			assert_non_null(strstr(why.text, drivers[i].driver));
			assert_non_null(strstr(why.text, "discards the PFC frames"));
		}
		/* PFC frames that are only received are none to send. */
		pfc.pfc.receive_only = 1 << 3;
		c->ports[2] = dcb_config_port_alone(port, &pfc);
		assert_true(p->ops->prepare(p, c, &why));
		pfc.pfc.receive_only = 0;
		/* PFC of another port is no reason. */
		c->ports[0] = dcb_config_port_alone(lab->ports[0], &pfc);
		c->ports[2] = dcb_config_port_alone(port, &lab->port_configs[0]);
		assert_true(p->ops->prepare(p, c, &why));
		p->ops->port_close(port);
		free(c);
	}
}

/* All ports together have static entries for half of the database's 64 entries. */
static void test_static_entries_beyond_half_of_the_database_are_refused(void **state)
{
	struct lab *lab = *state;
	struct port_config many[2] = {lab->port_configs[0], lab->port_configs[0]};
	struct dcb_config *c = config_of(lab, 1, 0x3, 0);
	struct provider *p = lab->provider;
	struct provider_refusal why = {0};
	struct provider_stats stats;

	for (uint64_t i = 0; i < 32; i++)
		assert_true(static_unicast_put(&many[i % 2].static_unicast, UINT64_C(1) << 48 | i));
	for (unsigned i = 0; i < 2; i++)
		c->ports[i] = dcb_config_port_alone(lab->ports[i], &many[i]);
	adopt(lab, c);
	p->ops->read_provider(p, &stats);
	assert_int_equal(stats.fdb_entries, 32);
	assert_int_equal(stats.fdb_learn_limit, 32);
	assert_true(static_unicast_put(&many[1].static_unicast, UINT64_C(2) << 48));
	assert_false(p->ops->prepare(p, c, &why));
	assert_int_equal(why.reason, PROVIDER_NO_RESOURCE);
	assert_int_equal(why.about, PROVIDER_VLAN);
	assert_ptr_equal(why.port, lab->ports[1]);
	assert_string_equal(why.text,
			    "expected at most 32 static entries, half of bridge.fdb_entries");
	stop(lab, c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* A ring is for the link's rate, or the port's share of the memory, and never below 128 KiB. */
static void test_rings_share_the_memory(void **state)
{
	const struct dcb_rate unknown = {0}, fast = dcb_rate_from_mbps(10000);
	const uint64_t memory = UINT64_C(64) << 20;

	(void)state;
	assert_int_equal(soft_ring_octets(0, 4096, fast), NETIO_RING_MOST);
	assert_int_equal(soft_ring_octets(memory, 1, fast), NETIO_RING_MOST);
	assert_int_equal(soft_ring_octets(memory, 16, unknown), NETIO_RING_MOST);
	assert_int_equal(soft_ring_octets(memory, 17, fast), 90 << 15);
	assert_int_equal(soft_ring_octets(memory, 64, fast), 24 << 15);
	assert_int_equal(soft_ring_octets(memory, 4096, fast), 1 << 17);
	/* 4 ms of frames of minimum length. */
	assert_int_equal(soft_ring_octets(memory, 1, dcb_rate_from_mbps(1000)), NETIO_RING_MOST);
	assert_int_equal(soft_ring_octets(memory, 1, dcb_rate_from_mbps(100)), 37 << 15);
	assert_int_equal(soft_ring_octets(memory, 1, dcb_rate_from_mbps(10)), 1 << 17);
}

/* The ring of a port that loses frames doubles, as far as memory and the link's rate allow. */
static void test_ring_grows_after_losses(void **state)
{
	const struct dcb_rate fast = dcb_rate_from_mbps(10000), slow = dcb_rate_from_mbps(10);
	const uint64_t memory = UINT64_C(64) << 20;

	(void)state;
	assert_int_equal(soft_ring_grown(memory, memory / 2, 1 << 20, fast), 2 << 20);
	assert_int_equal(soft_ring_grown(memory, memory / 2, 3 << 20, fast), NETIO_RING_MOST);
	assert_int_equal(soft_ring_grown(memory, memory / 2, NETIO_RING_MOST, fast),
			 NETIO_RING_MOST);
	assert_int_equal(soft_ring_grown(memory, memory - (1 << 20), 1 << 20, fast), 2 << 20);
	assert_int_equal(soft_ring_grown(memory, memory - (1 << 20) + 1, 1 << 20, fast), 1 << 20);
	assert_int_equal(soft_ring_grown(0, memory, 1 << 20, fast), 2 << 20);
	assert_int_equal(soft_ring_grown(memory, 0, 1 << 17, slow), 1 << 17);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rings_share_the_memory),
	    cmocka_unit_test(test_ring_grows_after_losses),
	    TEST(test_configurations_while_frames_flow),
	    TEST(test_closed_port_is_replaced),
	    TEST(test_longest_frame_follows_the_mtu),
	    TEST(test_last_configuration_is_adopted),
	    TEST(test_port_error_is_reported_once),
	    TEST(test_lldpdus_are_events),
	    TEST(test_opens_many_ports),
	    TEST(test_pfc_is_refused_where_the_driver_discards_its_frames),
	    TEST(test_static_entries_beyond_half_of_the_database_are_refused),
	    TEST(test_rate_on_real_clock),
	};

	return cmocka_run_group_tests_name("provider_soft", tests, NULL, NULL);
}
