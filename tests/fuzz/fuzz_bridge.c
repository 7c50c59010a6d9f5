/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any frames at any port. Input: for each frame a port, its length in two
 * octets, and the frame. Properties: a frame leaves unchanged except for its
 * tags and priority, which depend on the defense modes of its ports, and for
 * zeros up to 60 octets, and never by the port it came from. Whatever tags are
 * removed from it later, it is not MAC control. Its VLAN is one of the port that
 * it leaves by, and one that the port it came from accepts. A congestion
 * notification message is valid, is addressed to the frame's source, and does not
 * leave by the port of the congestion point. A PFC frame is valid, has only
 * priorities with PFC, and every pause ends. Every buffer
 * returns to the pool.
 */
#include "dataplane/bridge/bridge.h"
#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "lib/ranges.h"
#include "dataplane/port/port_pfc_tx.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/snapshot.h"

#define PORTS   4
#define LONGEST 600

struct fuzz_port {
	struct netio io;
	struct soft_port port;
};

static struct fuzz_port ports[PORTS];
static struct bridge bridge;
static struct snapshot first;

/* Priorities whose senders are paused. Received PFC is tested in fuzz_port_receive. */
#define PFC 0x2a
static uint8_t paused[PORTS];

/* Port 2 is a member of the VLANs that are no multiple of 4, and accepts no others. */
#define SELECTIVE 2

static bool is_member(unsigned port, uint16_t vid)
{
	return port != SELECTIVE || vid % 4 != 0;
}

/* The current frame. */
static const uint8_t *in;
static uint32_t in_len;
static unsigned in_port;

/* CNPVs 2 to 5. Each port has a different defense mode. The alternate priority is 1. */
#define CNPVS     0x3c
#define ALTERNATE 1
static const enum cn_defense_mode modes[PORTS] = {CPT_INTERIOR_READY, CPT_INTERIOR, CPT_EDGE,
						  CPT_DISABLED};

static bool is_cnpv(unsigned priority, unsigned port)
{
	return CNPVS >> priority & 1 && modes[port] != CPT_DISABLED;
}

static unsigned index_of(const struct soft_port *port)
{
	return (unsigned)(port->base.slot);
}

/* Port TRUSTING gives these priorities to DSCPs. */
#define TRUSTING 1
static const struct app_priority apps[] = {{APP_DSCP, 3, 26}, {APP_DSCP, 6, 48}};

/* Returns the offset of the IP header of the current frame, behind tags; 0: it has none. */
static uint32_t ip_of(const struct eth_view *view)
{
	uint32_t at = view->payload_offset;
	unsigned type = get_be16(in + at - 2);

	for (; eth_is_tag((uint16_t)type) && in_len >= at + 4; at += 4)
		type = get_be16(in + at + 2);
	if (type == 0x0800 && in_len >= at + 20 && in[at] >= 0x45 && in[at] <= 0x4f)
		return at;
	return type == 0x86dd && in_len >= at + 40 && in[at] >> 4 == 6 ? at : 0;
}

static unsigned traffic_class(const uint8_t *ip)
{
	return ip[0] >> 4 == 4 ? ip[1] : (ip[0] & 15u) << 4 | ip[1] >> 4;
}

/* Returns the DSCP of the current frame; 64: it has none. */
static unsigned dscp_of(const struct eth_view *view)
{
	uint32_t ip = ip_of(view);

	return ip ? traffic_class(in + ip) >> 2 : 64;
}

/* Port ALTERING marks, and sends frames of priority p with PCP and DEI 2 p, and DSCP 9 p. */
#define ALTERING (PORTS - 1)

/* Returns the priority of the current frame on the link. */
static unsigned received_priority(const struct eth_view *view)
{
	for (unsigned i = 0; in_port == TRUSTING && i < sizeof(apps) / sizeof(apps[0]); i++)
		if (dscp_of(view) == apps[i].protocol)
			return apps[i].priority;
	if (view->tagged)
		return view->priority;
	return ports[in_port].port.base.settings.default_priority;
}

/* Returns the priority of the current frame inside the bridge. */
static unsigned priority_inside(const struct eth_view *view)
{
	unsigned p = received_priority(view);

	return is_cnpv(p, in_port) && modes[in_port] == CPT_EDGE ? ALTERNATE : p;
}

/* Returns whether an edge has mapped the priority of the current frame to the alternate. */
static bool left_domain(const struct eth_view *view)
{
	unsigned p = received_priority(view);

	return is_cnpv(p, in_port) && modes[in_port] == CPT_EDGE;
}

/* Returns whether the port sends the current frame with a VLAN tag in the PVID too. */
static bool keeps_tag(const struct soft_port *out, unsigned priority, const struct eth_view *view)
{
	unsigned mode = modes[index_of(out)];

	return out->base.settings.pvid_tagged || eth_is_cnm(view) ||
	       (is_cnpv(priority, index_of(out)) && mode != CPT_EDGE);
}

/* Returns true if f is a CNM for the current frame. */
static bool is_own_cnm(const uint8_t *f, uint32_t len)
{
	struct eth_view before, after;

	return eth_parse(f, len, &after) == ETH_OK && eth_is_cnm(&after) &&
	       eth_parse(in, in_len, &before) == ETH_OK && !eth_is_cnm(&before) &&
	       memcmp(f, in + ETH_SA_OFFSET, ETH_ADDR_OCTETS) == 0 &&
	       memcmp(f + ETH_SA_OFFSET, "\x02\xdc\xb0", 3) == 0;
}

/* Returns the VLAN of the current frame. */
static uint16_t vid_of(const struct eth_view *view)
{
	return view->vid ? view->vid : ports[in_port].port.base.settings.pvid;
}

static void check_cnm(const struct soft_port *out, const uint8_t *f, uint32_t len)
{
	unsigned from = f[11];
	struct eth_view before, view;
	struct cnm cnm;

	FUZZ_ASSERT(eth_parse(in, in_len, &before) == ETH_OK && !eth_is_cnm(&before));
	FUZZ_ASSERT(eth_parse(f, len, &view) == ETH_OK && view.cn_tagged);
	FUZZ_ASSERT(view.flow_id == before.flow_id);
	FUZZ_ASSERT(memcmp(f, in + ETH_SA_OFFSET, ETH_ADDR_OCTETS) == 0);
	FUZZ_ASSERT(from < PORTS && from != in_port && from != index_of(out));
	FUZZ_ASSERT(is_member(index_of(out), vid_of(&before)));
	FUZZ_ASSERT(cnm_decode(f + view.payload_offset, len - view.payload_offset, &cnm) == CNM_OK);
	FUZZ_ASSERT(cnm.qntz_fb > 0 && cnm.msdu_len <= 64);
	FUZZ_ASSERT(cnm.cpid[7] == from * 8 + cnm.encap_priority);
	FUZZ_ASSERT(is_cnpv(cnm.encap_priority, from));
	FUZZ_ASSERT(cnm.encap_priority == priority_inside(&before));
	FUZZ_ASSERT(memcmp(cnm.encap_da, in, 6) == 0);
	FUZZ_ASSERT(memcmp(cnm.msdu, in + before.payload_offset - 2, cnm.msdu_len) == 0);
}

static uint32_t header_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 20; i += 2)
		sum += get_be16(ip + i);
	return sum % 0xffff;
}

/* Checks a header that left with this DSCP, and makes it equal to that of the current frame. */
static void check_header(uint8_t *now, const uint8_t *was, unsigned dscp)
{
	unsigned ecn = traffic_class(was) & 3;

	FUZZ_ASSERT(traffic_class(now) >> 2 == dscp);
	FUZZ_ASSERT((traffic_class(now) & 3) == ecn || (ecn % 3 && (traffic_class(now) & 3) == 3));
	if (was[0] >> 4 == 4) {
		FUZZ_ASSERT(header_sum(now) == header_sum(was));
		memcpy(now + 10, was + 10, 2);
		now[1] = was[1];
	} else {
		now[0] = (uint8_t)((now[0] & 0xf0) | (was[0] & 0x0f));
		now[1] = (uint8_t)((now[1] & 0x0f) | (was[1] & 0xf0));
	}
}

/*
 * From offset at, f is the current frame from offset rest, padded with zeros to 60 octets. dscp:
 * with which an IP packet leaves; 64: as it came.
 */
static void check_rest(const uint8_t *frame, uint32_t len, uint32_t at, uint32_t rest,
		       unsigned dscp)
{
	uint32_t end = at + in_len - rest, ip;
	uint8_t f[LONGEST + ETH_TAG_OCTETS];
	struct eth_view view;

	FUZZ_ASSERT(len == (end < ETH_MIN_OCTETS ? ETH_MIN_OCTETS : end));
	FUZZ_ASSERT(eth_parse(in, in_len, &view) == ETH_OK);
	memcpy(f, frame, len);
	ip = ip_of(&view);
	if (ip && dscp < 64)
		check_header(f + at + ip - rest, in + ip, dscp);
	FUZZ_ASSERT(memcmp(f + at, in + rest, in_len - rest) == 0);
	for (; end < len; end++)
		FUZZ_ASSERT(f[end] == 0);
}

static void check_departure(const struct soft_port *out, const uint8_t *f, uint32_t len)
{
	struct eth_view before, after;
	unsigned priority, dscp, pcp;
	uint32_t rest;
	uint16_t vid;

	FUZZ_ASSERT(fuzz_bare_type(f, len) != 0x8808);
	if (is_own_cnm(f, len)) {
		check_cnm(out, f, len);
		return;
	}
	FUZZ_ASSERT(out != &ports[in_port].port);
	FUZZ_ASSERT(eth_parse(in, in_len, &before) == ETH_OK);
	FUZZ_ASSERT(len <= LONGEST + ETH_TAG_OCTETS);
	vid = vid_of(&before);
	FUZZ_ASSERT(is_member(index_of(out), vid) && is_member(in_port, vid));
	priority = pcp = priority_inside(&before);
	dscp = index_of(out) == ALTERING ? 9 * priority : 64;
	if (index_of(out) == ALTERING && !eth_is_cnm(&before) && !(out->oper.pfc_enable >> pcp & 1))
		pcp = 2 * priority & 7; /* it has no CNPV */
	/* Offset of the first octet that leaves unchanged. */
	rest = eth_cn_tag_offset(&before);
	if (before.cn_tagged && !eth_is_cnm(&before) &&
	    (left_domain(&before) ||
	     (is_cnpv(priority, index_of(out)) && modes[index_of(out)] != CPT_INTERIOR_READY)))
		rest += ETH_TAG_OCTETS;
	/* After the removed tag there may be another one, which is payload: not parsed. */
	if (vid == out->base.settings.pvid && !keeps_tag(out, priority, &before)) {
		FUZZ_ASSERT(memcmp(f, in, ETH_TYPE_OFFSET) == 0);
		check_rest(f, len, ETH_TYPE_OFFSET, rest, dscp);
		return;
	}
	FUZZ_ASSERT(eth_parse(f, len, &after) == ETH_OK);
	FUZZ_ASSERT(after.tagged && after.vid == vid && vid > 0 && vid < 4095);
	FUZZ_ASSERT(after.priority == pcp);
	FUZZ_ASSERT(memcmp(f, in, ETH_TYPE_OFFSET) == 0);
	check_rest(f, len, ETH_TYPE_OFFSET + ETH_TAG_OCTETS, rest, dscp);
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

static struct netio_sent take_control(struct netio *io, const struct iovec *frame,
				      struct dcb_time now)
{
	const struct fuzz_port *p = (const struct fuzz_port *)io;
	uint8_t *mask = &paused[index_of(&p->port)];
	struct pfc_pdu pdu;

	(void)now;
	FUZZ_ASSERT(pfc_pdu_decode(frame->iov_base, frame->iov_len, &pdu) == PFC_PDU_OK);
	FUZZ_ASSERT(pdu.enable && !(pdu.enable & ~PFC));
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (pdu.enable >> i & 1)
			*mask = (uint8_t)((*mask & ~(1u << i)) | (pdu.time[i] ? 1u << i : 0));
	}
	return (struct netio_sent){.taken = 1};
}

/* Samples often: the queues of the test are much shorter than real ones. */
static void configure_priority(struct port_config *pc, unsigned port, unsigned priority)
{
	pc->cp[priority] = (struct cp_config){.cp_qsp = 100,
					      .cp_sample_base = 200,
					      .cp_w_exp = 1,
					      .cp_min_header_octets = (uint8_t)(16 * port)};
	pc->buffer[priority] = (struct buffer_config){.alpha_lossless = 3, .alpha_lossy = 1};
	pc->port_pri[priority] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = (uint8_t)modes[port],
	    .cnpd_alternate_priority = ALTERNATE,
	};
}

static void start(void)
{
	static const struct netio_ops ops = {
	    .name = "fuzz", .send = take, .send_control = take_control};
	static const struct bridge_params params = {.frame_buffers = 8,
						    .frame_octets = LONGEST,
						    .fdb_entries = 16,
						    .fdb_ageing_s = 3,
						    .seed = 1};
	/* Tables of the last port: three classes share, two are strict. */
	static const struct ets_tables shares = {
	    .priority_tc = {0, 0, 1, 2, 2, 5, 1, 7},
	    .bandwidth = {60, 40},
	    .tsa = {TSA_ETS, TSA_ETS, TSA_ETS},
	};
	static struct port_config port_config[PORTS];
	static uint64_t
	    memory[(sizeof(struct dcb_config) + PORTS * sizeof(struct dcb_config_port)) / 8];
	struct dcb_config *config = (struct dcb_config *)memory;

	*config = (struct dcb_config){
	    .generation = 1, .cnpv_acting = CNPVS, .n_ports = PORTS, .system_address = {2}};
	config->buffer_memory.rules = (struct buffer_rules){50, 1};
	config->global.cng_cnm_transmit_priority = 4; /* a CNPV: permitted, not recommended */
	for (unsigned i = 0; i < DCB_PRIORITIES * PORTS; i++)
		configure_priority(&port_config[i / DCB_PRIORITIES], i / DCB_PRIORITIES,
				   i % DCB_PRIORITIES);
	port_config[PORTS - 1].dcbx.ets = shares;
	for (uint32_t vid = 4; vid < ETH_VID_RESERVED; vid += 4)
		ranges_add(port_config[SELECTIVE].vlan.excluded, vid);
	port_config[SELECTIVE].vlan.ingress_filtering = true;
	port_config[TRUSTING].trust.trust = TRUST_DSCP_PCP;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		struct port_config *at = &port_config[ALTERING];

		at->ecn[i] = (struct ecn_config){.enable = true,
						 .minimum = 1,
						 .maximum = 300,
						 .not_ect = (uint8_t)(1 + i % 2),
						 .probability_ppm = ECN_CERTAIN};
		at->rewrite[i] = (struct rewrite_config){.pcp = (uint8_t)(2 * i + 1),
							 .dscp = (uint8_t)(9 * i + 1)};
	}
	port_config[TRUSTING].dcbx.n_apps = sizeof(apps) / sizeof(apps[0]);
	memcpy(port_config[TRUSTING].dcbx.apps, apps, sizeof(apps));
	if (!bridge_init(&bridge, &params, NULL, NULL))
		abort();
	for (unsigned i = 0; i < PORTS; i++) {
		struct fuzz_port *p = &ports[i];

		*p = (struct fuzz_port){.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1}};
		p->port.io = &p->io;
		p->port.base.slot = (uint16_t)i;
		p->port.base.link.up = true;
		memcpy(p->port.base.link.mac, (uint8_t[]){2, 0xdc, 0xb0, 0, 0, (uint8_t)i}, 6);
		p->port.base.settings = (struct port_settings){
		    .buffer_octets = 1000,
		    .pfc_buffer_octets = 700 * (i + 1), /* for one frame, or for several */
		    .pfc_headroom_octets = 100,
		    .pvid = (uint16_t)(1 + i / 2),
		    .pvid_tagged = i == 1,
		    .default_priority = (uint8_t)(2 * i),
		};
		port_init(&p->port);
		config->ports[i] = dcb_config_port_alone(&p->port.base, &port_config[i]);
	}
	port_set_adopt(&bridge.ports, config, (struct dcb_time){0});
	for (unsigned i = 0; i < PORTS; i++) {
		ports[i].port.oper.pfc_enable = PFC;
		port_set_port_changed(&bridge.ports, &ports[i].port, (struct dcb_time){0});
		paused[i] = 0;
	}
	snapshot_add(&first, &bridge, sizeof(bridge));
	snapshot_add(&first, ports, sizeof(ports));
	snapshot_add(&first, bridge.ports.hm.due.heap, PORTS * sizeof(struct deadline *));
	snapshot_add(&first, bridge.fdb.buckets,
		     (bridge.fdb.mask + 1) * sizeof(*bridge.fdb.buckets));
	snapshot_add(&first, bridge.fdb.ports, FDB_SLOTS * sizeof(*bridge.fdb.ports));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in input = octets_in(data, size);
	struct dcb_time now = {0};

	if (first.n == 0)
		start();
	snapshot_restore(&first);
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
		for (unsigned i = 0; i < PORTS; i++)
			FUZZ_ASSERT(!paused[i] && !port_pfc_tx_is_busy(&ports[i].port));
		bridge_tick(&bridge, now);
		FUZZ_ASSERT(bridge.fdb.entries <= 16);
	}
	return 0;
}
