/* SPDX-License-Identifier: BSD-3-Clause */
/* A station: frames between host and link, and their tags. */
#include "lib/octets.h"
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#include <string.h>

/* --- from the host --------------------------------------------------------- */

static void test_frame_from_host_is_unchanged(void **state)
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
	assert_int_equal(l->port.cn.cp_stats[0].cp_transmitted_frames, 0);
	/* A frame of a CNPV passes a flow queue unchanged. */
	len = make(PEER, OURS, TCI(CNPV, 5), 0x88b5, 100);
	host_sends(l, len);
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(out.len, len);
	assert_memory_equal(out.octets, f, len);
	assert_int_equal(rp_stats(l, 1).frames, 1);
	assert_int_equal(rp_stats(l, 1).octets, 100);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 10000 * MBPS);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_transmitted_frames, 1);
	assert_int_equal(l->next.ns, DCB_TIME_NEVER.ns);
	assert_true(LIST_EMPTY(&l->st.busy));
}

static void test_tags_of_sent_frames(void **state)
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

static void test_discards_invalid_frames_of_host(void **state)
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
	/* The longest frame, with all tags that the station may add. */
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

/* Builds a frame of 100 octets with these tags, in words of 16 bits, and EtherType type. */
static uint32_t make_behind(const char *tags, uint16_t type)
{
	uint32_t len = make(PEER, OURS, -1, 0, 100);
	uint8_t *p = f + ETH_TYPE_OFFSET;
	char *end;

	for (; *tags; tags = end, p += 2)
		put_be16(p, (uint16_t)strtoul(tags, &end, 16));
	put_be16(p, type);
	return len;
}

/* The station removes tags of the host, and other systems may remove further ones. */
static void test_discards_mac_control_and_cnms_behind_any_tags(void **state)
{
	static const char *const tags[] = {
	    "",
	    "8100 0000",
	    "8100 e009",
	    "22e9 0001",
	    "8100 0000 22e9 0001",
	    "8100 0000 8100 a009",
	    "22e9 0001 8100 6000",
	    "22e9 0001 22e9 0002",
	    "8100 0001 22e9 0000 22e9 0002",
	    "88a8 c00a",
	    "9100 000a",
	    "9200 0000",
	    "9300 0000",
	    "8100 0000 88a8 000a 22e9 0000",
	    "88a8 0001 9100 0002 88a8 0003 8100 0004 22e9 0005 8100 0006",
	};
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(tags); i++) {
		host_sends(l, make_behind(tags[i], ETH_TYPE_MAC_CONTROL));
		assert_int_equal(port_stats(l).discard_reserved, 2 * i + 1);
		host_sends(l, make_behind(tags[i], ETH_TYPE_HMPDU));
		assert_int_equal(port_stats(l).discard_reserved, 2 * i + 2);
		host_sends(l, make_behind(tags[i], ETH_TYPE_CNM));
		assert_int_equal(cnms(l).cnm_from_host, i + 1);
		turn(l);
		assert_false(take(l->wire, &out));
	}
	assert_int_equal(port_stats(l).discard_malformed, 0);
}

/* The station answers the neighbor's request; the host sees nothing of it, tagged or not. */
static void test_headroom_measurement_does_not_reach_the_host(void **state)
{
	const struct hmpdu pdu = {
	    .source = {2, 0, 0, 0, 0, 2},
	    .tuple = {{.use = HMPDU_REQUEST, .timestamp = 4711}},
	};
	struct lab *l = *state;
	struct hmpdu answer;

	hmpdu_encode(&pdu, f);
	wire_brings(l, HMPDU_FRAME_OCTETS);
	turn(l);
	assert_true(take(l->wire, &out));
	assert_int_equal(hmpdu_decode(out.octets, out.len, &answer), HMPDU_OK);
	assert_int_equal(answer.tuple[0].timestamp, 4711);
	wire_brings(l, add_tag(HMPDU_FRAME_OCTETS, TCI(3, 1)));
	turn(l);
	assert_false(take(l->wire, &out));
	assert_false(take(l->host, &out));
	assert_int_equal(l->port.hm.stats.bad[HMPDU_TAGGED], 1);
}

/*
 * The station removes one C-TAG and one CN-TAG of the host, a bridge removes the C-TAG of
 * the station. A CN-TAG that follows would then be taken for the station's.
 */
static void test_discards_further_cn_tags_of_host(void **state)
{
	static const char *const tags[] = {
	    "22e9 0001 22e9 0002",           "8100 0001 22e9 0000 22e9 0002",
	    "8100 0000 8100 6001 22e9 0002", "22e9 0001 8100 6001 22e9 0002",
	    "88a8 0001 22e9 0002",           "8100 6000 9100 0001 8100 6000 22e9 0002",
	};
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(tags); i++) {
		host_sends(l, make_behind(tags[i], 0x88b5));
		turn(l);
		assert_false(take(l->wire, &out));
		assert_int_equal(port_stats(l).discard_malformed, i + 1);
	}
}

/* A second C-TAG stays behind the first: its VID and priority are not the frame's. */
static void test_second_vlan_tag_of_host_stays_second(void **state)
{
	static const struct {
		const char *tags, *out;
	} rows[] = {
	    {"8100 0000 8100 6009", "8100 0000 8100 6009"},
	    {"8100 0001 8100 0fff", "8100 0000 8100 0fff"},
	    {"22e9 0007 8100 6000", "8100 0000 8100 6000"},
	    {"8100 0001 22e9 0007 8100 6000", "8100 0000 8100 6000"},
	    {"8100 2009 8100 6000", "8100 2009 8100 6000"},
	    {"88a8 0001 8100 6000", "88a8 0001 8100 6000"},
	};
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(rows); i++) {
		uint32_t len = make_behind(rows[i].tags, 0x88b5);

		host_sends(l, len);
		turn(l);
		assert_true(take(l->wire, &out));
		make_behind(rows[i].out, 0x88b5);
		assert_memory_equal(out.octets, f, 22);
		assert_int_equal(out.view.inner_type, 0x88b5);
	}
	assert_int_equal(rp_stats(l, 1).frames, 0);
}

static void test_flow_rules_set_priority(void **state)
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
	host_sends(l, make(PEER, OURS, TCI(2, 0), 0x88b5,
			   100)); /* the tag has precedence over the rules */
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
	host_sends(
	    l, make_flow(PEER, 1, 100)); /* the tag has the priority, the rule the reaction point */
	turn(l);
	assert_int_equal(rp_stats(l, 7).frames, 2);
}

/* --- application priorities --------------------------------------------------- */

/* An untagged TCP packet to PEER. Returns its length. */
static uint32_t make_tcp(uint16_t port, uint8_t dscp)
{
	uint32_t len = make_flow(PEER, 40000, 100) - ETH_TAG_OCTETS;

	memmove(f + ETH_TYPE_OFFSET, f + ETH_TYPE_OFFSET + ETH_TAG_OCTETS, len - ETH_TYPE_OFFSET);
	f[15] = (uint8_t)(dscp << 2);
	f[23] = 6;
	put_be16(f + 36, port);
	return len;
}

/* Sends the frame in f. Returns its priority on the wire; -1: it is untagged. */
static int sent_priority(struct lab *l, uint32_t len)
{
	host_sends(l, len);
	turn(l);
	assert_true(take(l->wire, &out));
	return out.view.tagged ? out.view.priority : -1;
}

static void use_apps(struct lab *l, const struct app_priority *apps, uint8_t n)
{
	l->port_config.dcbx.n_apps = n;
	memcpy(l->port_config.dcbx.apps, apps, n * sizeof(*apps));
	configure(l, 1 << CNPV);
}

static void test_application_priorities_classify(void **state)
{
	static const struct app_priority apps[] = {{APP_ETHERTYPE, 7, 0x8906},
						   {APP_TCP, 4, 3260},
						   {APP_TCP, CNPV, 5000},
						   {APP_DSCP, 6, 48}};
	struct lab *l = *state;

	assert_int_equal(sent_priority(l, make_tcp(3260, 0)), -1);
	use_apps(l, apps, UNIT_COUNT(apps));
	assert_int_equal(sent_priority(l, make_tcp(3260, 0)), 4);
	assert_int_equal(out.view.vid, 0); /* priority-tagged: 6.9.2 */
	assert_int_equal(sent_priority(l, make_tcp(80, 48)), 6);
	assert_int_equal(sent_priority(l, make_tcp(80, 0)), -1);
	assert_int_equal(sent_priority(l, make(PEER, OURS, -1, 0x8906, 100)), 7);
	/* The host's own tag decides, also a priority of 0. */
	assert_int_equal(sent_priority(l, add_tag(make_tcp(3260, 0), TCI(1, 0))), 1);
	assert_int_equal(sent_priority(l, add_tag(make_tcp(3260, 0), TCI(0, 7))), 0);
	/* A CNPV: the frame passes the reaction point. */
	assert_int_equal(sent_priority(l, make_tcp(5000, 0)), CNPV);
	assert_int_equal(rp_stats(l, 1).frames, 1);
	/* Frames of control protocols stay untagged. */
	assert_int_equal(sent_priority(l, make(0x0180c200000e, OURS, -1, 0x88cc, 100)), -1);
	use_apps(l, apps, 0);
	assert_int_equal(sent_priority(l, make_tcp(3260, 0)), -1);
}

/* The operator's rules come first, dcbd.conf's default priority last. */
static void test_rules_come_before_application_priorities(void **state)
{
	static const struct flow_rules flows = {
	    .n = 2,
	    .rule = {{.match = FLOW_PORT, .port = 3260, .sets_priority = true, .priority = 2},
		     {.match = FLOW_PORT, .port = 80, .reaction_point = 1}},
	};
	static const struct app_priority apps[] = {{APP_TCP, 4, 80}, {APP_TCP, 4, 3260}};
	static const struct app_priority with_default[] = {{APP_ETHERTYPE, 6, 0}, {APP_TCP, 4, 80}};
	struct station_params params = plenty;
	struct port_settings settings = plain;
	struct lab *l = *state;

	params.flows = &flows;
	settings.default_priority = 1;
	restart(l, &params, &settings);
	use_apps(l, apps, 2);
	assert_int_equal(sent_priority(l, make_tcp(3260, 0)), 2);
	assert_int_equal(sent_priority(l, make_tcp(80, 0)), 4); /* the rule sets no priority */
	assert_int_equal(sent_priority(l, make_tcp(81, 0)), 1);
	use_apps(l, with_default, 2);
	assert_int_equal(sent_priority(l, make_tcp(81, 0)), 6);
}

/* Puts a configuration in force in which only these differ. */
static void use_peer_apps(struct lab *l, struct peer_apps *apps)
{
	size_t size = sizeof(*l->config) + sizeof(l->config->ports[0]);
	struct dcb_config *old = l->config;

	l->config = malloc(size);
	assert_non_null(l->config);
	memcpy(l->config, old, size);
	l->config->ports[0].peer_apps = apps;
	station_adopt(&l->st, l->config, l->now);
	free(old);
}

/* Those of the neighbor are in force in place of the port's own. */
static void test_application_priorities_of_the_neighbor(void **state)
{
	static const struct app_priority own[] = {{APP_TCP, 4, 80}};
	struct peer_apps theirs = {.refs = 1, .tlv = {.n = 1, .of = {{APP_TCP, 5, 3260}}}};
	struct lab *l = *state;

	use_apps(l, own, 1);
	use_peer_apps(l, &theirs);
	assert_int_equal(sent_priority(l, make_tcp(80, 0)), -1);
	assert_int_equal(sent_priority(l, make_tcp(3260, 0)), 5);
	use_peer_apps(l, NULL);
	assert_int_equal(sent_priority(l, make_tcp(80, 0)), 4);
}

/* A full flow queue discards and counts further frames. */
static void test_full_flow_queue_discards(void **state)
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
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_discarded_frames, 0);
	run_ms(l, 100);
	assert_int_equal(rp_stats(l, 1).queue_octets, 0);
	assert_int_equal(rp_stats(l, 1).frames + rp_stats(l, 1).discards, 21);
}

/* One flow does not use all frame buffers. */
static void test_one_flow_leaves_frame_buffers(void **state)
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

/* The memory holds less than the accounts: the discard counts in the account of the frame, too. */
static void test_discard_without_a_frame_buffer_is_counted(void **state)
{
	struct lab *l = *state;
	struct dcb_frame *first = NULL, *frame;
	struct buffer_stats stats;

	while ((frame = frame_pool_get(&l->st.ports.pool))) {
		frame->next = first;
		first = frame;
	}
	host_sends(l, make(PEER, OURS, TCI(5, 0), 0x88b5, 100));
	host_sends(l, make_flow(PEER, 1, 100));
	while ((frame = first)) {
		first = frame->next;
		frame_pool_put(&l->st.ports.pool, frame);
	}
	assert_int_equal(port_stats(l).discard_no_buffer, 2);
	port_read_buffer(&l->port, 5, &stats);
	assert_int_equal(stats.lossy.no_frames, 1);
	assert_int_equal(stats.lossy.frames, 0);
	port_read_buffer(&l->port, CNPV, &stats);
	assert_int_equal(stats.lossy.no_frames, 1);
	assert_int_equal(stats.lossy.frames, 0);
}

/* 802.3 3.2.8: the station's tags replace the host's; the frame has 60 octets at least. */
static void test_pads_frames_of_host_with_zeros(void **state)
{
	static const uint8_t zeros[ETH_MIN_OCTETS];
	struct lab *l = *state;

	for (uint32_t len = 18; len <= 70; len++) {
		make(PEER, OURS, TCI(0, 1), 0x88b5, 200);
		memset(f + 18, 0xff, 182);
		host_sends(l, 200); /* fills the buffer */
		turn(l);
		assert_true(take(l->wire, &out));
		host_sends(l, len);
		turn(l);
		assert_true(take(l->wire, &out));
		assert_int_equal(out.len, len - 4 < ETH_MIN_OCTETS ? ETH_MIN_OCTETS : len - 4);
		assert_memory_equal(out.octets + 12, f + 16, len - 16);
		assert_memory_equal(out.octets + len - 4, zeros, out.len - (len - 4));
	}
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

static void test_tags_of_received_frames(void **state)
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
	/* Frames to other stations and to groups, including reserved addresses, reach the host. */
	host_gets(l, make(OTHER, PEER, -1, 0x88b5, 60), f + 12, 12);
	host_gets(l, make(UINT64_C(0x0180c200000e), PEER, -1, ETH_TYPE_LLDP, 60), f + 12, 12);
	assert_int_equal(port_stats(l).rx_frames, 9);
}

/* A frame of minimum length stays one when its tags are removed. */
static void test_pads_frames_to_host_with_zeros(void **state)
{
	static const uint8_t zeros[ETH_MIN_OCTETS];
	struct lab *l = *state;

	for (uint32_t len = 22; len <= 70; len++) {
		make(OURS, PEER, TCI(CNPV, 1), ETH_TYPE_CN_TAG, 200);
		put_be16(f + 20, 0x88b5);
		memset(f + 22, 0xff, 178);
		wire_brings(l, 200); /* fills the station's memory */
		assert_true(take(l->host, &out));
		wire_brings(l, len);
		assert_true(take(l->host, &out));
		assert_int_equal(out.len, len - 8 < ETH_MIN_OCTETS ? ETH_MIN_OCTETS : len - 8);
		assert_memory_equal(out.octets + 12, f + 20, len - 20);
		assert_memory_equal(out.octets + len - 8, zeros, out.len - (len - 8));
	}
	/* An untagged frame is not touched. */
	wire_brings(l, make(OURS, PEER, -1, 0x88b5, 42));
	assert_true(take(l->host, &out));
	assert_int_equal(out.len, 42);
}

static void test_discards_invalid_received_frames(void **state)
{
	struct lab *l = *state;
	uint8_t pfc[60] = {0x01, 0x80, 0xc2, 0,    0, 1, 2, 0, 0,
			   0,    0,    2,    0x88, 8, 1, 1, 0, 1 << CNPV};

	station_receive(&l->st, &l->port, pfc, 60, 60, l->now);
	assert_int_equal(port_stats(l).pfc_frames_received, 1);
	assert_int_equal(l->port.pfc.stats[CNPV].pfc_indications, 1);
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

/* --- CN-TAGs --------------------------------------------------------------- */

static void set_mode(struct lab *l, uint8_t mode)
{
	l->port_config.port_pri[CNPV] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = mode,
	};
	configure(l, 1 << CNPV);
}

static void test_interior_ready_adds_cn_tags(void **state)
{
	struct lab *l = *state;
	unsigned queue = 0;

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
	while (queue < 100 && flow_id_of(l, queue) != out.view.flow_id)
		queue++;
	assert_in_range(queue, 0, 99);
	assert_true(fq_of(l, queue)->used);
	/* Frames of other priorities get no CN-TAG. */
	host_sends(l, make(PEER, OURS, TCI(5, 0), 0x88b5, 100));
	turn(l);
	assert_true(take(l->wire, &out) && !out.view.cn_tagged);
	/* A CN-TAG of the host is removed. */
	set_mode(l, CPT_INTERIOR);
	make(PEER, OURS, TCI(CNPV, 0), ETH_TYPE_CN_TAG, 100);
	put_be16(f + 20, 0x88b5);
	host_sends(l, 100);
	turn(l);
	assert_true(take(l->wire, &out) && !out.view.cn_tagged);
	assert_int_equal(out.len, 96);
}

/* The defense mode at transmission decides about the CN-TAG. */
static void test_mode_at_transmission_decides_about_cn_tag(void **state)
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

/* Whatever the octets of a buffer are rounded up to, the frame in the next buffer is unchanged. */
static void test_longest_frame_has_room_for_a_later_cn_tag(void **state)
{
	struct station_params params = plenty;
	struct lab *l = *state;

	for (uint32_t octets = 1536; octets < 1536 + 64; octets++) {
		params.frame_octets = octets;
		restart(l, &params, &plain);
		set_mode(l, CPT_INTERIOR);
		make_flow(PEER, 1, octets);
		for (int i = 0; i < 3; i++)
			host_sends(l, octets);
		set_mode(l, CPT_INTERIOR_READY);
		turn(l);
		for (int i = 0; i < 3; i++) {
			assert_true(take(l->wire, &out) && out.view.cn_tagged);
			assert_int_equal(out.len, octets + 4);
			assert_memory_equal(out.octets, f, ETH_TYPE_OFFSET);
			assert_memory_equal(out.octets + 22, f + 18, octets - 18);
		}
	}
}

/* A frame of minimum length whose CN-TAG is removed while it is queued. */
static void test_pads_when_cn_tag_is_removed_later(void **state)
{
	static const uint8_t zeros[4];
	struct lab *l = *state;

	set_mode(l, CPT_INTERIOR_READY);
	l->port.base.settings.default_priority = CNPV;
	make(PEER, OURS, -1, 0x88b5, 52);
	memset(f + 14, 0xff, 38);
	host_sends(l, 52);
	set_mode(l, CPT_INTERIOR);
	turn(l);
	assert_true(take(l->wire, &out) && !out.view.cn_tagged);
	assert_int_equal(out.len, ETH_MIN_OCTETS);
	assert_memory_equal(out.octets + 16, f + 12, 40);
	assert_memory_equal(out.octets + 56, zeros, 4);
	assert_int_equal(rp_stats(l, 1).octets, ETH_MIN_OCTETS);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_frame_from_host_is_unchanged),
	    TEST(test_tags_of_sent_frames),
	    TEST(test_discards_invalid_frames_of_host),
	    TEST(test_discards_mac_control_and_cnms_behind_any_tags),
	    TEST(test_headroom_measurement_does_not_reach_the_host),
	    TEST(test_discards_further_cn_tags_of_host),
	    TEST(test_second_vlan_tag_of_host_stays_second),
	    TEST(test_flow_rules_set_priority),
	    TEST(test_application_priorities_classify),
	    TEST(test_rules_come_before_application_priorities),
	    TEST(test_application_priorities_of_the_neighbor),
	    TEST(test_full_flow_queue_discards),
	    TEST(test_one_flow_leaves_frame_buffers),
	    TEST(test_discard_without_a_frame_buffer_is_counted),
	    TEST(test_pads_frames_of_host_with_zeros),
	    TEST(test_tags_of_received_frames),
	    TEST(test_pads_frames_to_host_with_zeros),
	    TEST(test_discards_invalid_received_frames),
	    TEST(test_interior_ready_adds_cn_tags),
	    TEST(test_mode_at_transmission_decides_about_cn_tag),
	    TEST(test_longest_frame_has_room_for_a_later_cn_tag),
	    TEST(test_pads_when_cn_tag_is_removed_later),
	};

	return cmocka_run_group_tests_name("station", tests, NULL, NULL);
}
