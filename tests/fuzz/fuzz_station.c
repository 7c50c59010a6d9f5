/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any frames from hosts and wires at the ports of a station. Input: for each frame an
 * octet with the port and its origin, its length in two octets, and the frame.
 * Properties, judged on the frames as they leave by the wire: each one is a frame of
 * the host that its receiver assigns to the VLAN and priority which the station
 * assigned it to; whatever tags are removed from it, it is neither MAC control nor a
 * CNM; its only CN-TAG is the station's; behind its tags it is unchanged, and padded with
 * zeros to 60 octets. A frame of the host leaves or is counted once. No frame of a wire leaves by a
 * wire, and none to the host is MAC control. Every buffer returns to the pool.
 */
#include "dataplane/core/eth.h"
#include "dataplane/station/station_private.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/snapshot.h"
#include "tests/unit/rpg_defaults.h"

#define PORTS     4
#define LONGEST   600
#define CNPVS     0x0c
#define FROM_HOST 4 /* in the octet before a frame */

struct fuzz_port {
	struct netio wire, host;
	struct soft_port port;
};

static struct fuzz_port ports[PORTS];
static struct station station;
static struct snapshot first;

/* The current frame, and the number of frames that left by a wire since it arrived. */
static const uint8_t *in;
static uint32_t in_len;
static const struct fuzz_port *in_port;
static bool from_host;
static unsigned sent;

static const enum cn_defense_mode modes[PORTS] = {CPT_INTERIOR, CPT_INTERIOR_READY,
						  CPT_INTERIOR_READY, CPT_DISABLED};

/* Returns whether the flow identifier is one of the port's flow queues of the priority. */
static bool is_own_flow_id(uint8_t priority, uint16_t flow_id)
{
	const struct station_port *sp = in_port->port.station;

	for (unsigned i = 0; i < RPPP_MAX_RPS_LIMIT; i++)
		if (sp->flow_id[priority][i] == flow_id)
			return flow_id != 0;
	return false;
}

/* The application priorities of port CLASSIFYING. */
#define CLASSIFYING 1
static const struct app_priority apps[] = {
    {APP_ETHERTYPE, 4, 0x88b5}, {APP_TCP, 2, 3260}, {APP_UDP, 3, 4791}, {APP_DSCP, 6, 48}};
#define N_APPS (sizeof(apps) / sizeof(apps[0]))

/* Returns whether the port can give this priority to an untagged frame. */
static bool is_possible(uint8_t priority)
{
	for (unsigned i = 0; in_port == &ports[CLASSIFYING] && i < N_APPS; i++)
		if (apps[i].priority == priority)
			return true;
	return priority == in_port->port.base.settings.default_priority;
}

/* The neighbor assigns untagged frames to the PVID and to priority 0. */
static void check_classification(const struct eth_view *before, const struct eth_view *after)
{
	const struct port_settings *s = &in_port->port.base.settings;
	uint16_t vid = before->vid ? before->vid : s->pvid;
	uint8_t priority = before->tagged ? before->priority : after->priority;

	if (eth_is_reserved(in) && !before->tagged)
		priority = 0;
	else if (!before->tagged)
		FUZZ_ASSERT(is_possible(priority));
	FUZZ_ASSERT((after->vid ? after->vid : s->pvid) == vid);
	FUZZ_ASSERT(after->vid != ETH_VID_RESERVED);
	FUZZ_ASSERT(after->priority == priority);
	FUZZ_ASSERT(after->drop_eligible == before->drop_eligible);
	FUZZ_ASSERT(!after->inner_cn_tagged);
	if (after->cn_tagged) {
		FUZZ_ASSERT(modes[in_port - ports] == CPT_INTERIOR_READY && CNPVS >> priority & 1);
		FUZZ_ASSERT(is_own_flow_id(priority, after->flow_id));
	}
}

/* Compares the octets behind the tags. frame_len: of the whole frame that leaves. */
static void check_payload(const uint8_t *after, uint32_t len, const uint8_t *before, uint32_t was,
			  uint32_t frame_len)
{
	FUZZ_ASSERT(len >= was && memcmp(after, before, was) == 0);
	FUZZ_ASSERT(len == was || frame_len == ETH_MIN_OCTETS);
	FUZZ_ASSERT(frame_len >= ETH_MIN_OCTETS);
	for (uint32_t i = was; i < len; i++)
		FUZZ_ASSERT(after[i] == 0);
}

static struct netio_sent to_wire(struct netio *io, const struct iovec *frames, unsigned n,
				 struct dcb_time now)
{
	(void)now;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *f = frames[i].iov_base;
		uint32_t len = (uint32_t)frames[i].iov_len, rest, was;
		struct eth_view before, after;

		FUZZ_ASSERT(from_host && io == &in_port->wire);
		FUZZ_ASSERT(eth_parse(in, in_len, &before) == ETH_OK);
		FUZZ_ASSERT(eth_parse(f, len, &after) == ETH_OK);
		FUZZ_ASSERT(fuzz_bare_type(f, len) != 0x8808 && fuzz_bare_type(f, len) != 0x22e7);
		FUZZ_ASSERT(memcmp(f, in, ETH_TYPE_OFFSET) == 0);
		check_classification(&before, &after);
		rest = after.payload_offset - 2u;
		was = before.payload_offset - 2u;
		check_payload(f + rest, len - rest, in + was, in_len - was, len);
		sent++;
	}
	return (struct netio_sent){.taken = n};
}

static struct netio_sent to_host(struct netio *io, const struct iovec *frames, unsigned n,
				 struct dcb_time now)
{
	(void)now;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *f = frames[i].iov_base;
		uint32_t len = (uint32_t)frames[i].iov_len;

		FUZZ_ASSERT(!from_host && io == &in_port->host);
		FUZZ_ASSERT(memcmp(f, in, ETH_TYPE_OFFSET) == 0);
		FUZZ_ASSERT(len == in_len || len >= ETH_MIN_OCTETS);
		FUZZ_ASSERT(len <= in_len || len == ETH_MIN_OCTETS);
		FUZZ_ASSERT(fuzz_bare_type(f, len) != 0x8808);
	}
	return (struct netio_sent){.taken = n};
}

static void configure_priority(struct port_config *pc, unsigned port, unsigned priority)
{
	pc->cp[priority] =
	    (struct cp_config){.cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1};
	pc->rpg[priority] = rpg_defaults;
	pc->rp_port_pri[priority].rppp_max_rps = 3;
	pc->port_pri[priority] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = (uint8_t)modes[port],
	};
}

static void start_port(unsigned i, const struct port_config *config)
{
	static const struct netio_ops wire = {.name = "wire", .send = to_wire};
	static const struct netio_ops host = {.name = "host", .send = to_host};
	struct fuzz_port *p = &ports[i];

	*p = (struct fuzz_port){.wire = {.ops = &wire, .recv_fd = -1, .send_fd = -1},
				.host = {.ops = &host, .recv_fd = -1, .send_fd = -1}};
	p->port.io = &p->wire;
	p->port.base.slot = (uint16_t)i;
	p->port.base.link.up = true;
	p->port.base.link.speed = dcb_rate_from_mbps(10000);
	memcpy(p->port.base.link.mac, (uint8_t[]){2, 0xdc, 0xb0, 0, 0, (uint8_t)i}, 6);
	p->port.base.settings = (struct port_settings){
	    .buffer_octets = 10000,
	    .pvid = (uint16_t)(1 + i / 2),
	    .pvid_tagged = i == 1,
	    .default_priority = (uint8_t)(i == 2 ? 3 : i),
	};
	port_init(&p->port);
	if (!station_port_new(&p->port, &p->host) ||
	    !station_port_prepare(&p->port, CNPVS, config, 0))
		abort();
}

static void add_memory(struct station_port *sp)
{
	snapshot_add(&first, sp, sizeof(*sp));
	if (sp->memory.heaps)
		snapshot_add(&first, sp->memory.heaps,
			     (size_t)STATION_HEAPS * STATION_QUEUES * sizeof(*sp->memory.heaps));
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (sp->memory.destinations[p])
			snapshot_add(&first, sp->memory.destinations[p],
				     destinations_octets(sp->memory.destinations[p]));
		if (sp->memory.table[p])
			snapshot_add(&first, sp->memory.table[p], sizeof(*sp->memory.table[p]));
	}
}

static void start(void)
{
	static const struct station_params params = {
	    .frame_buffers = 8, .frame_octets = LONGEST, .seed = 1};
	static struct port_config port_config[PORTS];
	static uint64_t
	    memory[(sizeof(struct dcb_config) + PORTS * sizeof(struct dcb_config_port)) / 8];
	struct dcb_config *config = (struct dcb_config *)memory;

	*config = (struct dcb_config){.generation = 1, .cnpv_acting = CNPVS, .n_ports = PORTS};
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		config->com_pri[i].row_status = CNPVS >> i & 1 ? ROW_ACTIVE : ROW_ABSENT;
	if (!station_init(&station, &params, NULL, NULL))
		abort();
	for (unsigned i = 0; i < PORTS; i++) {
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			configure_priority(&port_config[i], i, p);
		if (i == CLASSIFYING) {
			port_config[i].dcbx.n_apps = N_APPS;
			memcpy(port_config[i].dcbx.apps, apps, sizeof(apps));
		}
		start_port(i, &port_config[i]);
		config->ports[i] = dcb_config_port_alone(&ports[i].port.base, &port_config[i]);
	}
	station_adopt(&station, config, (struct dcb_time){0});
	snapshot_add(&first, &station, sizeof(station));
	snapshot_add(&first, ports, sizeof(ports));
	snapshot_add(&first, station.ports.hm.due.heap, PORTS * sizeof(struct deadline *));
	for (unsigned i = 0; i < PORTS; i++)
		add_memory(ports[i].port.station);
}

static uint64_t discards(const struct soft_port *port)
{
	const struct port_stats *s = &port->stats;

	return s->discard_malformed + s->discard_reserved + s->discard_vlan + s->discard_oversize +
	       port->station->cnm.cnm_from_host;
}

static void arrive(struct soft_port *port, uint32_t wire_octets, struct dcb_time now)
{
	uint64_t before = discards(port);

	sent = 0;
	if (from_host)
		station_from_host(&station, port, in, in_len, wire_octets, now);
	else
		station_receive(&station, port, in, in_len, wire_octets, now);
	(void)station_transmit(&station, now);
	if (from_host)
		FUZZ_ASSERT(sent + discards(port) - before == 1);
	FUZZ_ASSERT(station.ports.pool.n_free == station.ports.pool.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in input = octets_in(data, size);
	struct dcb_time now = {0};

	if (first.n == 0)
		start();
	snapshot_restore(&first);
	while (input.left >= 3) {
		uint8_t head = octets_in_u8(&input);
		uint32_t len = octets_in_be16(&input);

		in_port = &ports[head % PORTS];
		from_host = head & FROM_HOST;
		in_len = len < input.left ? len : (uint32_t)input.left;
		in = octets_in_take(&input, in_len);
		/* By then any reaction point allows a frame. */
		now.ns += DCB_NS_PER_S;
		arrive(&ports[head % PORTS].port, len, now);
	}
	return 0;
}
