/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any frames at any port. Input: for each frame a port, its length in two octets,
 * and the frame. What must hold: a frame leaves as it came but for its VLAN tag,
 * never by the port it came from, and every buffer returns to the pool.
 */
#include "dataplane/bridge.h"
#include "dataplane/core/eth.h"
#include "dataplane/core/octets.h"
#include "tests/fuzz/fuzz.h"

#define PORTS   4
#define LONGEST 600

struct fuzz_port {
	struct netio io;
	struct soft_port port;
};

static struct fuzz_port ports[PORTS];
static struct bridge bridge;

/* The frame under way. */
static const uint8_t *in;
static uint32_t in_len;
static unsigned in_port;

static void check_departure(const struct soft_port *out, const uint8_t *f, uint32_t len)
{
	const struct port_settings *from = &ports[in_port].port.base.settings;
	struct eth_view before, after;
	uint16_t vid;

	FUZZ_ASSERT(out != &ports[in_port].port);
	FUZZ_ASSERT(eth_parse(in, in_len, &before) == ETH_OK);
	FUZZ_ASSERT(len <= LONGEST + ETH_TAG_OCTETS);
	vid = before.vid ? before.vid : from->pvid;
	/* A stripped tag may uncover another, which is payload and not ours to look at. */
	if (vid == out->base.settings.pvid && !out->base.settings.pvid_tagged) {
		FUZZ_ASSERT(len == in_len - (before.tagged ? ETH_TAG_OCTETS : 0));
		FUZZ_ASSERT(memcmp(f, in, ETH_TYPE_OFFSET) == 0);
		FUZZ_ASSERT(memcmp(f + ETH_TYPE_OFFSET, in + in_len - (len - ETH_TYPE_OFFSET),
				   len - ETH_TYPE_OFFSET) == 0);
		return;
	}
	FUZZ_ASSERT(eth_parse(f, len, &after) == ETH_OK);
	FUZZ_ASSERT(after.tagged && after.vid == vid && vid > 0 && vid < 4095);
	FUZZ_ASSERT(after.priority == (before.tagged ? before.priority : from->default_priority));
	FUZZ_ASSERT(memcmp(f, in, ETH_TYPE_OFFSET) == 0);
}

static struct netio_sent take(struct netio *io, const struct iovec *frames, unsigned n,
			      struct dcb_time now)
{
	const struct fuzz_port *p = (const struct fuzz_port *)io;

	(void)now;
	for (unsigned i = 0; i < n; i++)
		check_departure(&p->port, frames[i].iov_base, (uint32_t)frames[i].iov_len);
	return (struct netio_sent){.taken = n};
}

static void start(void)
{
	static const struct netio_ops ops = {.name = "fuzz", .send = take};
	static const struct bridge_params params = {.frame_buffers = 8,
						    .frame_octets = LONGEST,
						    .fdb_entries = 16,
						    .fdb_ageing_s = 3,
						    .seed = 1};
	static struct port_config port_config;
	static uint64_t
	    memory[(sizeof(struct dcb_config) + PORTS * sizeof(struct dcb_config_port)) / 8];
	struct dcb_config *config = (struct dcb_config *)memory;

	*config = (struct dcb_config){.generation = 1, .cnpv_acting = 0x3c, .n_ports = PORTS};
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		port_config.cp[i] =
		    (struct cp_config){.cp_qsp = 100, .cp_sample_base = 10000, .cp_w_exp = 1};
	if (!bridge_init(&bridge, &params, NULL, NULL))
		abort();
	for (unsigned i = 0; i < PORTS; i++) {
		struct fuzz_port *p = &ports[i];

		*p = (struct fuzz_port){.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1}};
		p->port.io = &p->io;
		p->port.base.slot = (uint16_t)i;
		p->port.base.link.up = true;
		p->port.base.settings = (struct port_settings){
		    .buffer_octets = 1000,
		    .pvid = (uint16_t)(1 + i / 2),
		    .pvid_tagged = i == 1,
		    .default_priority = (uint8_t)(2 * i),
		};
		port_init(&p->port);
		config->ports[i] = (struct dcb_config_port){&p->port.base, &port_config};
	}
	port_set_adopt(&bridge.ports, config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in input = octets_in(data, size);
	struct dcb_time now = {0};

	start();
	while (input.left >= 3) {
		uint64_t before;
		uint32_t len;

		in_port = octets_in_u8(&input) % PORTS;
		len = octets_in_be16(&input);
		in_len = len < input.left ? len : (uint32_t)input.left;
		in = octets_in_take(&input, in_len);
		before = ports[in_port].port.stats.rx_frames;
		bridge_receive(&bridge, &ports[in_port].port, in, in_len, len, now);
		FUZZ_ASSERT(ports[in_port].port.stats.rx_frames == before + 1);
		now.ns += DCB_NS_PER_S / 2;
		FUZZ_ASSERT(port_set_transmit(&bridge.ports, now).ns == DCB_TIME_NEVER.ns);
		FUZZ_ASSERT(bridge.ports.pool.n_free == bridge.ports.pool.size);
		bridge_tick(&bridge, now);
		FUZZ_ASSERT(bridge.fdb.entries <= 16);
	}
	bridge_destroy(&bridge);
	return 0;
}
