/* SPDX-License-Identifier: BSD-3-Clause */
/* A station with one port between two cables, in memory and virtual time. */
#include "dataplane/core/cnm.h"
#include "dataplane/core/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/dcb_config.h"
#include "dataplane/netio.h"
#include "dataplane/station_private.h"
#include "tests/unit/unit.h"

#include <string.h>

#define OURS   UINT64_C(0x020000000001)
#define PEER   UINT64_C(0x020000000002)
#define OTHER  UINT64_C(0x020000000003)
#define CNPV   3
#define OCTETS 2000
#define DEPTH  4096
#define MBPS   UINT64_C(1000000)

struct frame {
	uint8_t octets[OCTETS + 16];
	uint32_t len;
	struct eth_view view;
};

struct lab {
	struct station st;
	struct soft_port port;
	struct netio *host, *wire; /* far ends */
	struct netio *ends[2];
	struct port_config port_config;
	struct dcb_config *config;
	struct dcb_time now, next;
};

static uint8_t f[OCTETS + 16];
static struct frame out;

/* --- the lab --------------------------------------------------------------- */

static const struct rpg_config rpg_defaults = {
    .rpg_enable = true,
    .rpg_min_dec_fac = 50,
    .rpg_time_reset = 15,
    .rpg_byte_reset = 150000,
    .rpg_threshold = 5,
    .rpg_ai_rate = 5,
    .rpg_hai_rate = 50,
    .rpg_gd = 7,
    .rpg_min_rate = 5,
};

static void configure(struct lab *l, uint8_t cnpv)
{
	struct dcb_config *old = l->config;

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
	l->config->ports[0].port = &l->port.base;
	l->config->ports[0].config = malloc(sizeof(l->port_config));
	assert_non_null(l->config->ports[0].config);
	*l->config->ports[0].config = l->port_config;
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
		l->port_config.rp_port_pri[p].rppp_max_rps = 1;
		l->port_config.port_pri[p].cnpd_def_mode_choice = CPC_COMP;
	}
	configure(l, 1 << CNPV);
}

static const struct port_settings plain = {.buffer_octets = 400000, .pvid = 1};
static const struct station_params plenty = {
    .frame_buffers = 4096,
    .frame_octets = OCTETS,
    .seed = 1,
};

static int set_up(void **state)
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

static int tear_down(void **state)
{
	struct lab *l = *state;

	station_port_down(&l->st, &l->port, l->now);
	assert_int_equal(l->st.ports.pool.n_free, l->st.ports.pool.size); /* nothing leaks */
	stop(l);
	free(l);
	return 0;
}

static void restart(struct lab *l, const struct station_params *params,
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

/* tci < 0: no tag. */
static uint32_t make(uint64_t da, uint64_t sa, int tci, uint16_t ethertype, uint32_t len)
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

#define TCI(priority, vid) ((priority) << 13 | (vid))

/* Frame number n of a flow to an address, in the CNPV. */
static uint32_t make_flow(uint64_t da, uint16_t flow, uint32_t len)
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

static bool take(struct netio *io, struct frame *frame)
{
	return io->ops->recv(io, 1, keep, frame) == 1;
}

static void host_sends(struct lab *l, uint32_t len)
{
	station_from_host(&l->st, &l->port, f, len, len, l->now);
}

static void turn(struct lab *l)
{
	l->next = station_transmit(&l->st, l->now);
}

/* Everything that happens until then, at its time. */
static void run_until(struct lab *l, struct dcb_time end)
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

static void run_ms(struct lab *l, int64_t ms)
{
	run_until(l, dcb_time_add_ns(l->now, ms * DCB_NS_PER_MS));
}

static struct flow_queue *fq_of(struct lab *l, unsigned index)
{
	return &station_port_of(&l->port)->fq[CNPV][index];
}

static struct cnm_stats cnms(const struct lab *l)
{
	struct cnm_stats s;

	station_read_cnm(&l->port, &s);
	return s;
}

static struct rp_stats rp_stats(const struct lab *l, unsigned index)
{
	struct rp_stats s;

	station_read_rp(&l->port, CNPV, index, &s);
	return s;
}

static struct rp_port_pri_stats pri_stats(const struct lab *l)
{
	struct rp_port_pri_stats s;

	station_read_rp_port_pri(&l->port, CNPV, &s);
	return s;
}

static struct port_stats port_stats(const struct lab *l)
{
	struct port_stats s;

	port_read(&l->port, &s);
	return s;
}

/* --- CNMs ------------------------------------------------------------------ */

static const struct cnm a_cnm = {
    .qntz_fb = 32, .encap_priority = CNPV, .encap_da = {2, 0, 0, 0, 0, 2}};

static uint32_t make_cnm(const struct cnm *cnm, uint64_t da, uint64_t sa, uint16_t flow_id)
{
	uint8_t to[6], from[6];

	put_mac(to, da);
	put_mac(from, sa);
	return cnm_frame(f, cnm, to, from, flow_id);
}

static void wire_brings(struct lab *l, uint32_t len)
{
	station_receive(&l->st, &l->port, f, len, len, l->now);
}

/* A flow to PEER is known, and a CNM about it arrives. */
static void slow_down(struct lab *l, uint8_t fb)
{
	struct cnm cnm = a_cnm;

	cnm.qntz_fb = fb;
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
}

static void know_peer(struct lab *l)
{
	host_sends(l, make_flow(PEER, 1, 100));
	turn(l);
	assert_true(take(l->wire, &out));
}

/* Flow queue 0 always has something to send: octets on the wire in so many ms. */
static uint64_t send_for(struct lab *l, int64_t ms, uint32_t len)
{
	struct dcb_time end = dcb_time_add_ns(l->now, ms * DCB_NS_PER_MS);
	uint64_t octets = 0;

	for (;;) {
		while (fq_of(l, 0)->queue.frames < 2)
			host_sends(l, make_flow(PEER, 1, len));
		turn(l);
		while (take(l->wire, &out))
			octets += dcb_wire_octets(out.len);
		if (!dcb_time_before(l->next, end))
			break;
		if (dcb_time_before(l->now, l->next))
			l->now = l->next;
	}
	l->now = end;
	return octets;
}

/* --- from the host --------------------------------------------------------- */

static void test_straight_through(void **state)
{
	struct lab *l = *state;
	uint32_t len = make(PEER, OURS, -1, 0x88b5, 100);

	host_sends(l, len);
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.len, len);
	assert_memory_equal(out.octets, f, len);
	assert_int_equal(l->next.ns, DCB_TIME_NEVER.ns);
	assert_int_equal(port_stats(l).tx_frames, 1);
	assert_int_equal(l->port.cp_stats[0].cp_transmitted_frames, 0);
	/* Through a flow queue it leaves the same way. */
	len = make(PEER, OURS, TCI(CNPV, 5), 0x88b5, 100);
	host_sends(l, len);
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.len, len);
	assert_memory_equal(out.octets, f, len);
	assert_int_equal(rp_stats(l, 1).frames, 1);
	assert_int_equal(rp_stats(l, 1).octets, 100);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 10000 * MBPS);
	assert_int_equal(l->port.cp_stats[CNPV].cp_transmitted_frames, 1);
	assert_int_equal(l->next.ns, DCB_TIME_NEVER.ns);
	assert_null(l->st.busy);
}

static void test_tags_outwards(void **state)
{
	static const struct {
		int in;
		uint8_t default_priority;
		bool pvid_tagged;
		int out;
	} rows[] = {
	    {-1, 0, false, -1},
	    {-1, 4, false, TCI(4, 0)},
	    {-1, CNPV, false, TCI(CNPV, 0)},
	    {-1, 0, true, TCI(0, 1)},
	    {TCI(0, 0), 4, false, -1},
	    {TCI(5, 0), 0, false, TCI(5, 0)},
	    {TCI(5, 1), 0, false, TCI(5, 0)},
	    {TCI(5, 1), 0, true, TCI(5, 1)},
	    {TCI(CNPV, 9), 0, false, TCI(CNPV, 9)},
	    {TCI(2, 9) | 0x1000, 0, false, TCI(2, 9) | 0x1000},
	};
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(rows); i++) {
		struct port_settings *settings = &l->port.base.settings;
		uint32_t len = make(PEER, OURS, rows[i].in, 0x88b5, 100);
		bool in = rows[i].in >= 0, tagged = rows[i].out >= 0;

		settings->default_priority = rows[i].default_priority;
		settings->pvid_tagged = rows[i].pvid_tagged;
		host_sends(l, len);
		turn(l);
		assert_true(take(l->wire, &out));
		assert_int_equal(out.len, len - 4 * in + 4 * tagged);
		assert_int_equal(out.view.tagged, tagged);
		if (tagged)
			assert_int_equal(get_be16(out.octets + 14), rows[i].out);
		assert_memory_equal(out.octets + 12 + 4 * tagged, f + 12 + 4 * in,
				    len - 12 - 4 * in);
	}
}

static void test_not_from_the_host(void **state)
{
	struct lab *l = *state;

	host_sends(l, make_cnm(&a_cnm, PEER, OURS, 0));
	host_sends(l, make(PEER, OURS, TCI(1, 1), ETH_TYPE_CNM, 80));
	host_sends(l, make(PEER, OURS, -1, ETH_TYPE_MAC_CONTROL, 60));
	host_sends(l, make(PEER, OURS, TCI(0, 4095), 0x88b5, 60));
	host_sends(l, make(PEER, UINT64_C(0x030000000001), -1, 0x88b5, 60));
	host_sends(l, 13);
	make(PEER, OURS, -1, 0x88b5, OCTETS);
	host_sends(l, OCTETS + 1);
	turn(l);
	assert_false(take(l->wire, &out));
	assert_int_equal(cnms(l).cnm_from_host, 2);
	assert_int_equal(port_stats(l).discard_reserved, 1);
	assert_int_equal(port_stats(l).discard_vlan, 1);
	assert_int_equal(port_stats(l).discard_malformed, 2);
	assert_int_equal(port_stats(l).discard_oversize, 1);
	/* The longest, with all tags that can be added. */
	l->port.base.settings.default_priority = CNPV;
	l->port_config.port_pri[CNPV] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = CPT_INTERIOR_READY,
	};
	configure(l, 1 << CNPV);
	host_sends(l, OCTETS);
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.len, OCTETS + 8);
	assert_memory_equal(out.octets + 20, f + 12, OCTETS - 12);
}

static void test_rules_classify(void **state)
{
	static const struct flow_rules flows = {
	    .n = 2,
	    .rule = {{.match = FLOW_PORT,
		      .port = 5201,
		      .sets_priority = true,
		      .priority = CNPV,
		      .reaction_point = 7},
		     {.match = FLOW_ETHERTYPE,
		      .ethertype = 0x88b5,
		      .sets_priority = true,
		      .priority = 5}},
	};
	struct station_params params = plenty;
	struct lab *l = *state;
	uint32_t len;

	params.flows = &flows;
	restart(l, &params, &plain);
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 10;
	configure(l, 1 << CNPV);
	host_sends(l, make(PEER, OURS, -1, 0x88b5, 100));
	turn(l);
	assert_true(take(l->wire, &out) && out.view.priority == 5);
	host_sends(l, make(PEER, OURS, TCI(2, 0), 0x88b5, 100)); /* its tag says */
	turn(l);
	assert_true(take(l->wire, &out) && out.view.priority == 2);
	host_sends(l, make(PEER, OURS, -1, 0x88b6, 100));
	turn(l);
	assert_true(take(l->wire, &out) && !out.view.tagged);
	len = make_flow(PEER, 1, 100);
	memmove(f + 12, f + 16, len - 16); /* untagged */
	host_sends(l, len - 4);
	turn(l);
	assert_true(take(l->wire, &out) && out.view.priority == CNPV);
	assert_int_equal(rp_stats(l, 7).frames, 1);
	host_sends(l, make_flow(PEER, 1, 100)); /* as it is tagged, its reaction point the same */
	turn(l);
	assert_int_equal(rp_stats(l, 7).frames, 2);
}

/* Full: what is more is lost and counted, as a queueing discipline would. */
static void test_overflow(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;

	settings.flow_buffer_octets = 10000;
	restart(l, &plenty, &settings);
	know_peer(l);
	slow_down(l, 63);
	for (int i = 0; i < 20; i++)
		host_sends(l, make_flow(PEER, 1, 1000));
	assert_in_range(rp_stats(l, 1).queue_octets, 9000, 10000);
	assert_in_range(rp_stats(l, 1).discards, 10, 11);
	assert_int_equal(l->port.cp_stats[CNPV].cp_discarded_frames, 0);
	run_ms(l, 100);
	assert_int_equal(rp_stats(l, 1).queue_octets, 0);
	assert_int_equal(rp_stats(l, 1).frames + rp_stats(l, 1).discards, 21);
}

/* One flow does not take all the buffers there are. */
static void test_buffers_are_shared(void **state)
{
	struct station_params params = plenty;
	struct lab *l = *state;

	params.frame_buffers = 100;
	restart(l, &params, &plain);
	know_peer(l);
	slow_down(l, 63);
	for (int i = 0; i < 200; i++)
		host_sends(l, make_flow(PEER, 1, 60));
	assert_int_equal(fq_of(l, 0)->queue.frames, 50);
	host_sends(l, make(PEER, OURS, -1, 0x88b5, 60));
	assert_int_equal(port_stats(l).discard_no_buffer, 0);
}

/* --- to the host ----------------------------------------------------------- */

static void host_gets(struct lab *l, uint32_t len, const uint8_t *rest, uint32_t rest_at)
{
	wire_brings(l, len);
	assert_true(take(l->host, &out));
	assert_int_equal(out.len, rest_at + (uint32_t)(f + len - rest));
	assert_memory_equal(out.octets, f, 12);
	assert_memory_equal(out.octets + rest_at, rest, (size_t)(f + len - rest));
}

static void test_tags_inwards(void **state)
{
	struct lab *l = *state;
	uint32_t len;

	host_gets(l, make(OURS, PEER, -1, 0x88b5, 60), f + 12, 12);
	host_gets(l, make(OURS, PEER, TCI(CNPV, 0), 0x88b5, 64), f + 16, 12);
	host_gets(l, make(OURS, PEER, TCI(CNPV, 1), 0x88b5, 64), f + 16, 12);
	host_gets(l, make(OURS, PEER, TCI(CNPV, 2), 0x88b5, 64), f + 12, 12);
	len = make(OURS, PEER, -1, ETH_TYPE_CN_TAG, 68);
	put_be16(f + 16, 0x88b5);
	host_gets(l, len, f + 16, 12);
	len = make(OURS, PEER, TCI(CNPV, 0), ETH_TYPE_CN_TAG, 68);
	host_gets(l, len, f + 20, 12);
	len = make(OURS, PEER, TCI(CNPV, 2), ETH_TYPE_CN_TAG, 68);
	host_gets(l, len, f + 20, 16);
	assert_memory_equal(out.octets + 12, f + 12, 4);
	/* To others and to groups, reserved ones as well: the host's to judge. */
	host_gets(l, make(OTHER, PEER, -1, 0x88b5, 60), f + 12, 12);
	host_gets(l, make(UINT64_C(0x0180c200000e), PEER, -1, ETH_TYPE_LLDP, 60), f + 12, 12);
	assert_int_equal(port_stats(l).rx_frames, 9);
}

static void test_not_to_the_host(void **state)
{
	struct lab *l = *state;
	uint8_t pfc[60] = {0x01, 0x80, 0xc2, 0,    0, 1, 2, 0, 0,
			   0,    0,    2,    0x88, 8, 1, 1, 0, 1 << CNPV};

	station_receive(&l->st, &l->port, pfc, 60, 60, l->now);
	assert_int_equal(port_stats(l).pfc_frames_received, 1);
	assert_int_equal(l->port.pfc_stats[CNPV].pfc_indications, 1);
	wire_brings(l, make(OURS, UINT64_C(0x030000000001), -1, 0x88b5, 60));
	wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, 0));
	assert_false(take(l->host, &out));
	assert_int_equal(port_stats(l).discard_malformed, 1);
	station_port_down(&l->st, &l->port, l->now);
	wire_brings(l, make(OURS, PEER, -1, 0x88b5, 60));
	assert_false(take(l->host, &out));
	station_port_up(&l->st, &l->port, l->now);
	wire_brings(l, make(OURS, PEER, -1, 0x88b5, 60));
	assert_true(take(l->host, &out));
}

/* --- CNMs that count, and that do not -------------------------------------- */

static void test_malformed_cnms(void **state)
{
	struct lab *l = *state;
	struct cnm_stats want = {0}, have;
	struct cnm cnm = a_cnm;
	struct rp before;
	uint32_t len;

	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 4;
	configure(l, 1 << CNPV);
	host_sends(l, make(PEER, OURS, TCI(CNPV, 0), 0x88b5, 100));
	turn(l);
	for (unsigned i = 0; i < 4; i++)
		before = fq_of(l, i)->used ? fq_of(l, i)->rp : before;
#define BAD(field, length)                                       \
	do {                                                     \
		wire_brings(l, length);                          \
		want.field++;                                    \
		have = cnms(l);                                  \
		assert_memory_equal(&have, &want, sizeof(want)); \
	} while (0)
	BAD(cnm_wrong_address, make_cnm(&cnm, PEER, OTHER, 0));
	BAD(cnm_wrong_address, make_cnm(&cnm, UINT64_C(0xffffffffffff), OTHER, 0));
	BAD(cnm_wrong_address, make_cnm(&cnm, OURS, OURS, 0));
	BAD(cnm_wrong_address, make_cnm(&cnm, OURS, UINT64_C(0x030000000003), 0));
	len = make_cnm(&cnm, OURS, OTHER, 0);
	memmove(f + 12, f + 16, len - 16);
	BAD(cnm_no_tag, len);
	(void)make_cnm(&cnm, OURS, OTHER, 0);
	for (uint32_t octets = 18; octets < 18 + CNM_PDU_MIN_OCTETS; octets++)
		BAD(cnm_short, octets);
	(void)make_cnm(&cnm, OURS, OTHER, 0);
	put_be16(f + 18 + 22, 65);
	BAD(cnm_bad_length, 18 + 24 + 64);
	put_be16(f + 18 + 22, 64);
	BAD(cnm_bad_length, 18 + 24 + 63);
	put_be16(f + 18 + 22, 0xffff);
	BAD(cnm_bad_length, 18 + 24 + 64);
	for (cnm.encap_priority = 0; cnm.encap_priority < 8; cnm.encap_priority++) {
		if (cnm.encap_priority != CNPV)
			BAD(cnm_wrong_priority, make_cnm(&cnm, OURS, OTHER, 0));
	}
	cnm = a_cnm;
	cnm.encap_da[5] = 99; /* nobody sent there */
	BAD(cnm_unknown_flow, make_cnm(&cnm, OURS, OTHER, 0));
	cnm = a_cnm;
	for (uint32_t flow_id = 1; flow_id < 0x10000; flow_id += flow_id < 1000 ? 1 : 997) {
		if (flow_id < 1 + CNPV * 100 || flow_id > CNPV * 100 + 4)
			BAD(cnm_unknown_flow, make_cnm(&cnm, OURS, OTHER, (uint16_t)flow_id));
	}
	for (unsigned i = 0; i < 4; i++) {
		if (!fq_of(l, i)->used)
			BAD(cnm_unknown_flow,
			    make_cnm(&cnm, OURS, OTHER, (uint16_t)(1 + CNPV * 100 + i)));
	}
#undef BAD
	for (unsigned i = 0; i < 4; i++) {
		if (fq_of(l, i)->used)
			assert_memory_equal(&fq_of(l, i)->rp, &before, sizeof(before));
	}
	assert_int_equal(pri_stats(l).rppp_created_rps, 0);
	assert_false(take(l->host, &out));
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0)); /* the test can fail: this one counts */
	assert_int_equal(cnms(l).cnm_received, 1);
	assert_int_equal(pri_stats(l).rppp_created_rps, 1);
}

static void test_cnm_without_effect(void **state)
{
	struct lab *l = *state;
	struct rp before;

	know_peer(l);
	before = fq_of(l, 0)->rp;
	slow_down(l, 0);
	assert_int_equal(cnms(l).cnm_received, 1);
	assert_int_equal(cnms(l).cnm_no_effect, 1);
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	l->port_config.rpg[CNPV].rpg_enable = false;
	configure(l, 1 << CNPV);
	slow_down(l, 63);
	assert_int_equal(cnms(l).cnm_received, 2);
	assert_int_equal(cnms(l).cnm_no_effect, 2);
	assert_int_equal(rp_stats(l, 1).cnms, 1);
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	assert_int_equal(pri_stats(l).rppp_created_rps, 0);
}

/* Which of ten flows to one destination: by flow identifier, by headers, by who was last. */
static void test_cnm_finds_its_flow(void **state)
{
	struct lab *l = *state;
	struct cnm cnm = a_cnm;
	unsigned queue[10], last = 0;

	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 100;
	configure(l, 1 << CNPV);
	for (uint16_t flow = 0; flow < 10; flow++) {
		uint64_t frames[100];

		for (unsigned i = 0; i < 100; i++)
			frames[i] = rp_stats(l, i + 1).frames;
		host_sends(l, make_flow(PEER, flow, 100));
		turn(l);
		for (unsigned i = 0; i < 100; i++)
			last = rp_stats(l, i + 1).frames > frames[i] ? i : last;
		queue[flow] = last;
	}
	for (uint16_t flow = 0; flow < 10; flow++) {
		uint64_t n = rp_stats(l, queue[flow] + 1).cnms;

		wire_brings(l,
			    make_cnm(&cnm, OURS, OTHER, (uint16_t)(1 + CNPV * 100 + queue[flow])));
		assert_int_equal(rp_stats(l, queue[flow] + 1).cnms, n + 1);
		make_flow(PEER, flow, 100);
		cnm.msdu_len = 26;
		memcpy(cnm.msdu, f + 16, 26);
		wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
		assert_int_equal(rp_stats(l, queue[flow] + 1).cnms, n + 2);
		n = rp_stats(l, last + 1).cnms;
		cnm.msdu_len = 25; /* one octet of the ports is missing */
		wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
		assert_int_equal(rp_stats(l, last + 1).cnms, n + 1);
	}
	assert_int_equal(cnms(l).cnm_received, 30);
	assert_int_equal(cnms(l).cnm_unknown_flow, 0);
	/* Long after, nobody is known to have sent there. */
	l->now.ns += 2 * STATION_SEEN_NS;
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, (uint16_t)(1 + CNPV * 100 + last)));
	assert_int_equal(cnms(l).cnm_unknown_flow, 1);
}

/* --- reaction points ------------------------------------------------------- */

static void test_life_of_an_rp(void **state)
{
	struct lab *l = *state;
	struct rp_stats rp;

	know_peer(l);
	slow_down(l, 63);
	rp = rp_stats(l, 1);
	assert_true(rp.rp_enabled);
	assert_int_equal(rp.state, RPR_FAST_RECOVERY);
	assert_int_equal(rp.rp_fb, 63);
	assert_int_equal(rp.rp_current_rate, 10000 * MBPS / 128 * 65); /* 1 - 63 / 128 */
	assert_int_equal(rp.cnms, 1);
	assert_int_equal(pri_stats(l).rppp_created_rps, 1);
	slow_down(l, 63);
	assert_true(rp_stats(l, 1).rp_current_rate < rp.rp_current_rate);
	assert_int_equal(pri_stats(l).rppp_created_rps, 1);
	/* Nothing to send: RpWhile alone brings it back, and then it ends. */
	run_ms(l, 2000);
	rp = rp_stats(l, 1);
	assert_false(rp.rp_enabled);
	assert_int_equal(rp.rp_current_rate, 10000 * MBPS);
	assert_int_equal(l->next.ns, DCB_TIME_NEVER.ns);
	assert_null(l->st.busy);
	slow_down(l, 63);
	assert_int_equal(pri_stats(l).rppp_created_rps, 2);
}

/* Each centisecond, one for each that is enabled; whoever asks when. */
static void test_centiseconds(void **state)
{
	struct lab *l = *state;

	l->port_config.rpg[CNPV].rpg_time_reset = 100000;
	configure(l, 1 << CNPV);
	know_peer(l);
	run_ms(l, 50);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 0);
	slow_down(l, 63);
	run_ms(l, 9);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 0);
	run_ms(l, 1);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 1);
	run_ms(l, 990);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 100);
	l->now.ns += 10 * DCB_NS_PER_S; /* the host was late */
	turn(l);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 1100);
	l->port_config.rpg[CNPV].rpg_enable = false;
	configure(l, 1 << CNPV);
	run_ms(l, 1000);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 1100);
}

/* To 1 % or one frame over any 100 ms, from 1 Mb/s to 10 Gb/s. */
static void test_rate_is_exact(void **state)
{
	static const uint32_t mbps[] = {1, 5, 10, 123, 1000, 2500, 10000};
	static const uint32_t lengths[] = {1518, 64, 333};
	struct lab *l = *state;

	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 20000;
	l->port_config.rpg[CNPV].rpg_time_reset = 1000000;
	l->port_config.rpg[CNPV].rpg_byte_reset = UINT32_MAX;
	for (unsigned i = 0; i < UNIT_COUNT(mbps); i++) {
		for (unsigned k = 0; k < UNIT_COUNT(lengths); k++) {
			uint32_t len = lengths[k], frame = dcb_wire_octets(len);
			int64_t want = (int64_t)mbps[i] * 12500;

			if (mbps[i] == 10000 && len != 1518)
				continue; /* a second's worth of the test's own time */
			/* Cut down to rpgMinRate, where it stays. */
			l->port_config.rpg[CNPV].rpg_min_rate = mbps[i];
			configure(l, 1 << CNPV);
			know_peer(l);
			for (int cut = 0; cut < 40; cut++)
				slow_down(l, 63);
			assert_int_equal(rp_stats(l, 1).rp_current_rate, mbps[i] * MBPS);
			(void)send_for(l, 20, len);
			for (int window = 0; window < 3; window++) {
				int64_t sent = (int64_t)send_for(l, 100, len);
				int64_t off = sent > want ? sent - want : want - sent;

				if (off > frame && off * 100 > want)
					fail_msg("%u Mb/s, %u octets: %lld in 100 ms, not %lld",
						 mbps[i], len, (long long)sent, (long long)want);
			}
			station_port_down(&l->st, &l->port, l->now);
			station_port_up(&l->st, &l->port, l->now);
		}
	}
}

/* One that is late catches up a millisecond and no more; one that had nothing to send nothing. */
static void test_no_bursts(void **state)
{
	struct lab *l = *state;
	unsigned n = 0;

	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 1000;
	l->port_config.rpg[CNPV].rpg_min_rate = 1000;
	configure(l, 1 << CNPV);
	know_peer(l);
	slow_down(l, 63);
	l->now.ns += 5 * DCB_NS_PER_MS;
	for (int i = 0; i < 500; i++)
		host_sends(l, make_flow(PEER, 1, 1226)); /* 10 us */
	turn(l);
	while (take(l->wire, &out))
		n++;
	assert_int_equal(n, 1);
	l->now.ns += 5 * DCB_NS_PER_MS;
	turn(l);
	while (take(l->wire, &out))
		n++;
	assert_in_range(n, 101, 103);
}

/* While PFC holds the priority its reaction points stand still. */
static void test_freeze(void **state)
{
	struct lab *l = *state;
	struct rp before;

	know_peer(l);
	slow_down(l, 63);
	run_ms(l, 1);
	port_pause(&l->port, 1 << CNPV, l->now);
	turn(l);
	assert_true(fq_of(l, 0)->rp.rp_freeze);
	before = fq_of(l, 0)->rp;
	run_ms(l, 1000);
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 100);
	for (int i = 0; i < 100; i++)
		host_sends(l, make_flow(PEER, 1, 1500));
	run_ms(l, 100);
	assert_false(take(l->wire, &out));
	assert_int_equal(l->port.cp_stats[CNPV].cp_transmitted_cnms, 0);
	port_pause(&l->port, 0, l->now);
	run_ms(l, 2000);
	assert_false(rp_stats(l, 1).rp_enabled);
	assert_int_equal(rp_stats(l, 1).queue_octets, 0);
}

static void pfc_comes(struct lab *l, uint16_t quanta)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 2}, .enable = 1 << CNPV};
	uint8_t frame[PFC_FRAME_OCTETS];

	pdu.time[CNPV] = quanta;
	pfc_pdu_encode(&pdu, frame);
	station_receive(&l->st, &l->port, frame, sizeof(frame), sizeof(frame), l->now);
	turn(l);
}

/* ... from a PFC frame until its time is over; nobody else has to tell them. */
static void test_pfc_freezes(void **state)
{
	struct lab *l = *state;
	struct dcb_time start;
	struct rp before;

	l->port_config.pfc.enable = 1 << CNPV;
	configure(l, 1 << CNPV);
	know_peer(l);
	slow_down(l, 63);
	run_ms(l, 1);
	start = l->now;
	pfc_comes(l, 50000); /* 2.56 ms */
	assert_true(fq_of(l, 0)->rp.rp_freeze);
	before = fq_of(l, 0)->rp;
	host_sends(l, make_flow(PEER, 1, 1500));
	run_until(l, dcb_time_add_ns(start, 2559999));
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	assert_false(take(l->wire, &out));
	run_until(l, dcb_time_add_ns(start, 2560000));
	assert_false(fq_of(l, 0)->rp.rp_freeze);
	assert_true(take(l->wire, &out));
	assert_int_equal(l->port.pfc_stats[CNPV].pfc_transitions, 1);
	assert_int_equal(l->port.pfc_stats[CNPV].pfc_paused_ns, 2560000);
	/* XON, and a link that goes down. */
	pfc_comes(l, 50000);
	assert_true(fq_of(l, 0)->rp.rp_freeze);
	pfc_comes(l, 0);
	assert_false(fq_of(l, 0)->rp.rp_freeze);
	pfc_comes(l, 50000);
	station_port_down(&l->st, &l->port, l->now);
	station_port_up(&l->st, &l->port, l->now);
	host_sends(l, make_flow(PEER, 1, 1500));
	turn(l);
	assert_true(take(l->wire, &out));
	assert_false(fq_of(l, 0)->rp.rp_freeze);
}

/* PFC for so many ms, refreshed in time; what the station has sent meanwhile. */
static unsigned storm_ms(struct lab *l, unsigned ms)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ms; i++) {
		pfc_comes(l, 65535);
		run_ms(l, 1);
		while (take(l->wire, &out))
			n++;
	}
	return n;
}

/* Frames wait in flow queues as well, and are dropped or sent from there. */
static void test_watchdog(void **state)
{
	struct lab *l = *state;
	struct pfc_watchdog_stats stats;

	for (unsigned action = PFC_WATCHDOG_DROP; action <= PFC_WATCHDOG_FORWARD; action++) {
		bool drops = action == PFC_WATCHDOG_DROP;

		l->port_config.pfc.enable = 1 << CNPV;
		l->port_config.pfc_watchdog[CNPV] =
		    (struct pfc_watchdog_config){(uint8_t)action, 100, 200};
		configure(l, 1 << CNPV);
		know_peer(l);
		while (take(l->wire, &out))
			;
		assert_int_equal(storm_ms(l, 5), 0);
		for (int i = 0; i < 40; i++)
			host_sends(l, make_flow(PEER, 1, 1500));
		assert_int_equal(storm_ms(l, 95), 0);
		assert_int_equal(storm_ms(l, 30), drops ? 0 : 40);
		port_read_pfc_watchdog(&l->port, CNPV, &stats);
		assert_int_equal(stats.state, PFC_WATCHDOG_STORM);
		assert_int_equal(stats.dropped_storm, drops ? 40 : 0);
		assert_int_equal(rp_stats(l, 1).queue_octets, 0);
		host_sends(l, make_flow(PEER, 1, 1500));
		assert_int_equal(storm_ms(l, 300), drops ? 0 : 1);
		port_read_pfc_watchdog(&l->port, CNPV, &stats);
		assert_int_equal(stats.dropped_storm, drops ? 41 : 0);
		run_ms(l, 250);
		port_read_pfc_watchdog(&l->port, CNPV, &stats);
		assert_int_equal(stats.state, PFC_WATCHDOG_WATCHING);
		assert_int_equal(stats.storms, drops ? 1 : 2);
		host_sends(l, make_flow(PEER, 1, 1500));
		run_ms(l, 1);
		assert_true(take(l->wire, &out));
	}
}

/* LLDP of the host is not data: no pause, no reaction point, no full queue is in its way. */
static void test_control_is_not_paused(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;

	settings.buffer_octets = 4000;
	settings.default_priority = CNPV;
	restart(l, &plenty, &settings);
	l->port_config.pfc.enable = 0xff;
	configure(l, 0);
	pfc_comes(l, 65535);
	for (int i = 0; i < 10; i++)
		host_sends(l, make_flow(PEER, 1, 1500));
	turn(l);
	assert_false(take(l->wire, &out));
	host_sends(l, make(UINT64_C(0x0180c200000e), OURS, -1, ETH_TYPE_LLDP, 200));
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.view.ethertype, ETH_TYPE_LLDP);
	assert_false(out.view.tagged);
	assert_false(take(l->wire, &out));
	configure(l, 1 << CNPV);
	host_sends(l, make(UINT64_C(0x0180c200000e), OURS, -1, ETH_TYPE_LLDP, 200));
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.view.ethertype, ETH_TYPE_LLDP);
	assert_false(out.view.tagged);
}

/* A SET counts at once, for reaction points that are there and those to come. */
static void test_parameters(void **state)
{
	struct lab *l = *state;

	know_peer(l);
	slow_down(l, 63);
	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 100;
	configure(l, 1 << CNPV);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 100 * MBPS);
	assert_int_equal(rp_stats(l, 2).rp_current_rate, 100 * MBPS);
	l->port_config.rpg[CNPV].rpg_enable = false;
	configure(l, 1 << CNPV);
	assert_false(rp_stats(l, 1).rp_enabled);
	l->port_config.rpg[CNPV].rpg_max_rate_is_set = false;
	configure(l, 1 << CNPV);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 10000 * MBPS);
	/* The port's speed, where it changes or is not known. */
	l->port.base.link.speed = dcb_rate_from_mbps(2500);
	port_take_link(&l->port);
	station_port_changed(&l->st, &l->port, l->now);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 2500 * MBPS);
	l->port.base.link.speed = (struct dcb_rate){0};
	port_take_link(&l->port);
	station_port_changed(&l->st, &l->port, l->now);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, RP_UNKNOWN_SPEED_MBPS * MBPS);
	l->port.base.settings.rate = dcb_rate_from_mbps(400);
	station_port_changed(&l->st, &l->port, l->now);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 400 * MBPS);
}

/* Queues beyond the new number send what they have, and their reaction points end. */
static void test_max_rps(void **state)
{
	struct lab *l = *state;
	unsigned queues = 0;

	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 50;
	configure(l, 1 << CNPV);
	for (uint16_t flow = 0; flow < 200; flow++)
		host_sends(l, make_flow(PEER, flow, 100));
	turn(l);
	for (unsigned i = 0; i < 50; i++) {
		queues += fq_of(l, i)->used;
		wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, (uint16_t)(1 + CNPV * 100 + i)));
	}
	assert_in_range(queues, 40, 50);
	assert_int_equal(pri_stats(l).rppp_created_rps, queues);
	assert_int_equal(station_port_of(&l->port)->enabled, queues);
	for (uint16_t flow = 0; flow < 400; flow++)
		host_sends(l, make_flow(PEER, flow, 1500));
	while (take(l->wire, &out))
		;
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 2;
	configure(l, 1 << CNPV);
	run_ms(l, 1);
	assert_in_range(station_port_of(&l->port)->enabled, 0, 2);
	assert_int_equal(station_port_of(&l->port)->pri[CNPV].queued, 0);
	wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, 1 + CNPV * 100 + 30));
	assert_int_equal(cnms(l).cnm_unknown_flow, 1 + 50 - queues);
	for (uint16_t flow = 0; flow < 200; flow++)
		host_sends(l, make_flow(PEER, flow, 100));
	assert_false(dcb_queue_is_empty(&fq_of(l, 0)->queue));
	assert_false(dcb_queue_is_empty(&fq_of(l, 1)->queue));
	for (unsigned i = 2; i < 50; i++)
		assert_true(dcb_queue_is_empty(&fq_of(l, i)->queue));
}

/* A priority that is a CNPV no longer: nothing is lost or overtaken, all reaction points end. */
static void test_cnpv_goes(void **state)
{
	struct lab *l = *state;
	unsigned n = 0;

	know_peer(l);
	slow_down(l, 63);
	slow_down(l, 63);
	for (int i = 0; i < 100; i++) {
		make_flow(PEER, 1, 1000);
		f[999] = (uint8_t)i;
		host_sends(l, 1000);
		if (i == 49)
			configure(l, 0);
	}
	assert_false(rp_stats(l, 1).rp_enabled);
	turn(l);
	while (take(l->wire, &out))
		assert_int_equal(out.octets[out.len - 1], n++);
	assert_int_equal(n, 100);
	slow_down(l, 63);
	assert_int_equal(cnms(l).cnm_wrong_priority, 1);
	host_sends(l, make_flow(PEER, 1, 1000));
	turn(l);
	assert_int_equal(rp_stats(l, 1).frames, 101);
}

/* --- CN-TAGs --------------------------------------------------------------- */

static void set_mode(struct lab *l, uint8_t mode)
{
	l->port_config.port_pri[CNPV] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = mode,
	};
	configure(l, 1 << CNPV);
}

static void test_cn_tags(void **state)
{
	struct lab *l = *state;

	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 100;
	for (uint8_t mode = CPT_INTERIOR; mode <= CPT_INTERIOR_READY; mode++) {
		set_mode(l, mode);
		host_sends(l, make_flow(PEER, 1, 100));
		turn(l);
		assert_true(take(l->wire, &out));
		assert_int_equal(out.view.cn_tagged, mode == CPT_INTERIOR_READY);
		assert_int_equal(out.len, mode == CPT_INTERIOR_READY ? 104 : 100);
		assert_memory_equal(out.octets + out.len - 82, f + 18, 82);
	}
	assert_in_range(out.view.flow_id, 1 + CNPV * 100, CNPV * 100 + 100);
	assert_true(fq_of(l, out.view.flow_id - 1u - CNPV * 100)->used);
	/* Other priorities have none. */
	host_sends(l, make(PEER, OURS, TCI(5, 0), 0x88b5, 100));
	turn(l);
	assert_true(take(l->wire, &out) && !out.view.cn_tagged);
	/* One that the host put on is not its to put on. */
	set_mode(l, CPT_INTERIOR);
	make(PEER, OURS, TCI(CNPV, 0), ETH_TYPE_CN_TAG, 100);
	put_be16(f + 20, 0x88b5);
	host_sends(l, 100);
	turn(l);
	assert_true(take(l->wire, &out) && !out.view.cn_tagged);
	assert_int_equal(out.len, 96);
}

/* The mode that counts is that of the moment a frame leaves. */
static void test_cn_tags_of_queued_frames(void **state)
{
	struct lab *l = *state;

	for (int ready = 0; ready < 2; ready++) {
		set_mode(l, ready ? CPT_INTERIOR : CPT_INTERIOR_READY);
		host_sends(l, make_flow(PEER, 1, 100));
		make(PEER, OURS, TCI(CNPV, 77), 0x88b5, 200);
		host_sends(l, 200);
		set_mode(l, ready ? CPT_INTERIOR_READY : CPT_INTERIOR);
		turn(l);
		for (int i = 0; i < 2; i++) {
			assert_true(take(l->wire, &out));
			assert_int_equal(out.len, (i + 1) * 100 + 4 * ready);
			assert_int_equal(out.view.cn_tagged, ready);
			assert_int_equal(out.view.vid, i ? 77 : 0);
		}
		assert_int_equal(out.view.ethertype, 0x88b5);
		assert_memory_equal(out.octets + out.len - 182, f + 18, 182);
	}
}

/* --- sharing the port ------------------------------------------------------ */

/* Frames of ten flows that fill a slow port, one of them limited by the network to less. */
static void test_turns(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	uint64_t before[100], least = UINT64_MAX, most = 0;

	settings.rate = dcb_rate_from_mbps(1000);
	restart(l, &plenty, &settings);
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 100;
	configure(l, 1 << CNPV);
	for (int ms = 0; ms < 200; ms++) {
		for (int i = 0; i < 10; i++) {
			for (uint16_t flow = 0; flow < 10; flow++)
				host_sends(l, make_flow(PEER, flow, 1500));
		}
		run_ms(l, 1);
		while (take(l->wire, &out))
			;
		for (unsigned i = 0; i < 100 && ms == 100; i++)
			before[i] = rp_stats(l, i + 1).frames;
	}
	for (unsigned i = 0; i < 100; i++) {
		uint64_t n = rp_stats(l, i + 1).frames - before[i];

		if (n > 0) {
			least = n < least ? n : least;
			most = n > most ? n : most;
		}
	}
	assert_in_range(most - least, 0, 1);
	assert_int_equal(l->port.cp_stats[CNPV].cp_discarded_frames, 0);
	assert_int_equal(l->port.cp_stats[CNPV].cp_transmitted_cnms, 0);
	assert_true(l->port.cp_stats[CNPV].cp_qlen_peak <= 26000 / 3 + 1508);
}

/*
 * A host that looks in every millisecond only does not cost a slow port its rate,
 * however little its own queue holds; a port that had nothing to send saves up none.
 */
static void test_late_host(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	unsigned n = 0;

	settings.rate = dcb_rate_from_mbps(200);
	restart(l, &plenty, &settings);
	l->now.ns += DCB_NS_PER_S;
	for (int ms = 0; ms <= 100; ms++) {
		for (int i = 0; i < 30; i++)
			host_sends(l, make_flow(PEER, 1, 1510));
		turn(l);
		while (take(l->wire, &out))
			n++;
		if (ms == 0)
			assert_int_equal(n, 1);
		l->now.ns += DCB_NS_PER_MS;
	}
	/* 61.36 us each. */
	assert_in_range(n, 1629, 1631);
}

/* Reaction points alone ask for more than the port can send: its own CP slows them down. */
static void test_own_congestion_point(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;
	uint64_t sum = 0;

	settings.rate = dcb_rate_from_mbps(1000);
	restart(l, &plenty, &settings);
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 2;
	configure(l, 1 << CNPV);
	host_sends(l, make_flow(PEER, 1, 100));
	host_sends(l, make_flow(PEER, 2, 100));
	host_sends(l, make_flow(PEER, 3, 100));
	host_sends(l, make_flow(PEER, 4, 100));
	turn(l);
	assert_true(fq_of(l, 0)->used && fq_of(l, 1)->used);
	for (uint16_t i = 0; i < 2; i++)
		wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, 1 + CNPV * 100 + i));
	for (int ms = 0; ms < 300; ms++) {
		for (int i = 0; i < 100; i++)
			host_sends(l, make_flow(PEER, (uint16_t)(i % 4 + 1), 1500));
		run_ms(l, 1);
		while (take(l->wire, &out))
			sum += ms >= 200 ? dcb_wire_octets(out.len) : 0;
	}
	assert_true(l->port.cp_stats[CNPV].cp_transmitted_cnms > 0);
	assert_int_equal(l->port.cp_stats[CNPV].cp_discarded_frames, 0);
	assert_true(rp_stats(l, 1).cnms > 1 && rp_stats(l, 2).cnms > 1);
	assert_true(sum * 8 * 10 > 950 * MBPS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(test_straight_through),
	    TEST(test_tags_outwards),
	    TEST(test_not_from_the_host),
	    TEST(test_rules_classify),
	    TEST(test_overflow),
	    TEST(test_buffers_are_shared),
	    TEST(test_tags_inwards),
	    TEST(test_not_to_the_host),
	    TEST(test_malformed_cnms),
	    TEST(test_cnm_without_effect),
	    TEST(test_cnm_finds_its_flow),
	    TEST(test_life_of_an_rp),
	    TEST(test_centiseconds),
	    TEST(test_rate_is_exact),
	    TEST(test_no_bursts),
	    TEST(test_freeze),
	    TEST(test_pfc_freezes),
	    TEST(test_watchdog),
	    TEST(test_control_is_not_paused),
	    TEST(test_parameters),
	    TEST(test_max_rps),
	    TEST(test_cnpv_goes),
	    TEST(test_cn_tags),
	    TEST(test_cn_tags_of_queued_frames),
	    TEST(test_turns),
	    TEST(test_late_host),
	    TEST(test_own_congestion_point),
	};

	return cmocka_run_group_tests_name("station", tests, NULL, NULL);
}
