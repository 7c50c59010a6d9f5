/* SPDX-License-Identifier: BSD-3-Clause */
/* What a frame has its priority of, and its PCP, DSCP and ECN field when it leaves. */
#include <string.h>

#include "dataplane/core/eth.h"
#include "dataplane/core/ip.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#define A UINT64_C(0x020000000001)
#define B UINT64_C(0x020000000002)

#define TCI(priority, vid) ((priority) << 13 | (vid))
#define DEI                0x1000
#define LEN                100
#define DSCP               26
#define DEFAULT            2

static uint8_t f[WORLD_OCTETS];
static struct world_frame out;

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, 3, NULL);
	*state = w;
	return 0;
}

/* Another configuration of the port: an equal pointer is not a change. */
static struct port_config *edit(struct world *w, unsigned port)
{
	static struct port_config configs[3][2];
	struct port_config *now = w->own[port] ? w->own[port] : &w->port_config;
	struct port_config *next = &configs[port][now == &configs[port][0]];

	*next = *now;
	w->own[port] = next;
	return next;
}

static uint16_t checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < IP_V4_OCTETS; i += 2)
		sum += get_be16(ip + i);
	return (uint16_t) ~(sum + (sum >> 16));
}

/* Writes an IP packet to B with these EtherTypes of tags before it, of which only 8100 has the TCI.
 */
static void make_packet(const uint16_t *tags, unsigned n, int tci, uint16_t type, uint8_t tc)
{
	uint8_t *p = f + ETH_TYPE_OFFSET;

	(void)world_frame(f, B, A, -1, LEN);
	for (unsigned i = 0; i < n; i++, p += 4) {
		put_be16(p, tags[i]);
		put_be16(p + 2, (uint16_t)tci);
	}
	put_be16(p, type);
	p += 2;
	p[0] = type == IP_TYPE_V4 ? 0x45 : 0x60;
	p[1] = 0;
	put_be16(p + IP_V4_CHECKSUM, 0);
	if (type == IP_TYPE_V4)
		put_be16(p + IP_V4_CHECKSUM, checksum(p));
	ip_set_traffic_class(p, tc);
}

static void make_plain(int tci, uint8_t tc)
{
	static const uint16_t ctag = ETH_TYPE_CTAG;

	make_packet(&ctag, tci >= 0, tci, IP_TYPE_V4, tc);
}

/* Sends f into port 0 and receives it from port 1. */
static void pass(struct world *w)
{
	struct world_frame other;

	world_send(w, 0, f, LEN);
	world_turn(w);
	assert_true(world_recv(w, 1, &out));
	assert_true(world_recv(w, 2, &other));
}

static uint8_t *header(struct world_frame *frame)
{
	uint32_t ip = ip_find(frame->octets, frame->len, ETH_TYPE_OFFSET);

	assert_int_not_equal(ip, 0);
	return frame->octets + ip;
}

/* --- trust ---------------------------------------------------------------------------- */

#define NO_TAG (-1)
enum { PCP = 5, BY_DSCP = 3 };

static void test_order_of_trust(void **state)
{
	static const uint16_t none[] = {0}, one[] = {ETH_TYPE_CTAG},
			      two[] = {ETH_TYPE_CTAG, ETH_TYPE_CTAG}, service[] = {ETH_TYPE_STAG};
	static const struct {
		const char *what;
		const uint16_t *tags;
		unsigned n;
		uint16_t type;
		uint8_t dscp;
		unsigned expected[TRUST_NONE]; /* by order, from TRUST_PCP on */
	} frames[] = {
	    {"tagged IPv4", one, 1, IP_TYPE_V4, DSCP, {PCP, PCP, BY_DSCP, BY_DSCP, DEFAULT}},
	    {"tagged IPv6", one, 1, IP_TYPE_V6, DSCP, {PCP, PCP, BY_DSCP, BY_DSCP, DEFAULT}},
	    {"two tags", two, 2, IP_TYPE_V4, DSCP, {PCP, PCP, BY_DSCP, BY_DSCP, DEFAULT}},
	    {"S-TAG", service, 1, IP_TYPE_V6, DSCP, {DEFAULT, BY_DSCP, BY_DSCP, BY_DSCP, DEFAULT}},
	    {"untagged", none, 0, IP_TYPE_V4, DSCP, {DEFAULT, BY_DSCP, BY_DSCP, BY_DSCP, DEFAULT}},
	    {"tagged, no IP", one, 1, 0x88b5, DSCP, {PCP, PCP, PCP, DEFAULT, DEFAULT}},
	    {"untagged, no IP",
	     none,
	     0,
	     0x88b5,
	     DSCP,
	     {DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT}},
	    {"DSCP without row", one, 1, IP_TYPE_V4, 27, {PCP, PCP, PCP, DEFAULT, DEFAULT}},
	};
	struct world *w = *state;
	uint64_t counted = 0;

	w->ports[0]->base.settings.default_priority = DEFAULT;
	w->ports[1]->base.settings.pvid_tagged = true;
	for (unsigned order = TRUST_PCP; order <= TRUST_NONE; order++) {
		struct port_config *config = edit(w, 0);
		struct port_stats before = world_stats(w, 0), s;

		config->trust.trust = (uint8_t)order;
		config->dcbx.n_apps = 2;
		config->dcbx.apps[0] = (struct app_priority){APP_ETHERTYPE, 7, 0x0800};
		config->dcbx.apps[1] = (struct app_priority){APP_DSCP, BY_DSCP, DSCP};
		world_configure(w, 3, 0);
		for (unsigned i = 0; i < UNIT_COUNT(frames); i++) {
			unsigned expected = frames[i].expected[order - TRUST_PCP];

			print_message("order %u: %s\n", order, frames[i].what);
			make_packet(frames[i].tags, frames[i].n, TCI(PCP, 1), frames[i].type,
				    (uint8_t)(frames[i].dscp << IP_DSCP_SHIFT));
			pass(w);
			assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET + 2) >> 13,
					 expected);
			counted += expected == BY_DSCP;
		}
		s = world_stats(w, 0);
		assert_int_equal(s.by_dscp, counted);
		assert_int_equal(s.by_pcp + s.by_dscp + s.by_default - before.by_pcp -
				     before.by_dscp - before.by_default,
				 order == TRUST_PCP ? 0 : UNIT_COUNT(frames));
	}
}

/* --- rewriting -------------------------------------------------------------------------- */

static void test_frames_leave_with_another_pcp_and_dscp(void **state)
{
	struct world *w = *state;
	struct port_config *config = edit(w, 1);

	w->ports[1]->base.settings.pvid_tagged = true;
	config->rewrite[5] = (struct rewrite_config){.pcp = 1 + 3, .dscp = 1 + 0};
	config->rewrite[4] = (struct rewrite_config){.pcp = 1 + 8 + 6};
	config->rewrite[3] = (struct rewrite_config){.dscp = 1 + 63};
	world_configure(w, 3, 0);
	make_plain(TCI(5, 1) | DEI, DSCP << 2 | IP_ECT_0);
	pass(w);
	assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET + 2), TCI(3, 1));
	assert_int_equal(ip_traffic_class(header(&out)), IP_ECT_0);
	assert_int_equal(checksum(header(&out)), 0);
	make_plain(TCI(4, 1), DSCP << 2);
	pass(w);
	assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET + 2), TCI(6, 1) | DEI);
	assert_int_equal(ip_traffic_class(header(&out)), DSCP << 2);
	make_plain(TCI(3, 1) | DEI, DSCP << 2 | IP_CE);
	pass(w);
	assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET + 2), TCI(3, 1) | DEI);
	assert_int_equal(ip_traffic_class(header(&out)), 63 << 2 | IP_CE);
	assert_int_equal(checksum(header(&out)), 0);
	make_plain(TCI(2, 1), DSCP << 2);
	pass(w);
	assert_memory_equal(out.octets, f, LEN);
}

static void test_packet_is_rewritten_behind_tags(void **state)
{
	static const uint16_t tags[] = {ETH_TYPE_CTAG, ETH_TYPE_STAG};
	struct world *w = *state;

	edit(w, 1)->rewrite[5] = (struct rewrite_config){.pcp = 1, .dscp = 1 + 40};
	world_configure(w, 3, 0);
	make_packet(tags, 2, TCI(5, 1), IP_TYPE_V6, DSCP << 2 | IP_ECT_1);
	pass(w); /* the tag of the PVID is removed */
	assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET), ETH_TYPE_STAG);
	assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET + 2), TCI(5, 1));
	assert_int_equal(ip_traffic_class(header(&out)), 40 << 2 | IP_ECT_1);
}

/* The neighbor pauses and notifies by the PCP that it sees. */
static void test_lossless_priority_keeps_its_pcp(void **state)
{
	struct world *w = *state;
	struct port_config *config = edit(w, 1);

	w->ports[1]->base.settings.pvid_tagged = true;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		config->rewrite[p] = (struct rewrite_config){.pcp = 1, .dscp = 1};
	config->pfc.enable = 1 << 5;
	world_configure(w, 3, 1 << 4);
	for (unsigned p = 3; p <= 5; p++) {
		make_plain(TCI(p, 1), DSCP << 2);
		pass(w);
		assert_int_equal(get_be16(out.octets + ETH_TYPE_OFFSET + 2) >> 13, p == 3 ? 0 : p);
		assert_int_equal(ip_traffic_class(header(&out)), 0);
	}
}

/* --- ECN ---------------------------------------------------------------------------------- */

static struct ecn_stats ecn_of(struct world *w, unsigned port, unsigned priority)
{
	struct ecn_stats s;

	port_read_ecn(w->ports[port], priority, &s);
	return s;
}

/* Marks all frames that find more than these octets in the queue. */
static void mark_beyond(struct world *w, unsigned port, uint32_t octets, enum ecn_not_ect not_ect)
{
	struct port_config *config = edit(w, port);

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		config->ecn[p] = (struct ecn_config){.enable = true,
						     .threshold_unit = ECN_OCTETS,
						     .not_ect = (uint8_t)not_ect,
						     .minimum = octets,
						     .maximum = octets,
						     .probability_ppm = ECN_CERTAIN};
}

/* The frame in f comes, and no queue sends. */
static void receive(struct world *w)
{
	bridge_receive(&w->bridge, w->ports[0], f, LEN, LEN, w->now);
}

static void send_packets(struct world *w, int tci, uint8_t tc, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		make_plain(tci, tc);
		receive(w);
	}
}

/* Asserts that the next frames of the port have this traffic class, and returns their number. */
static unsigned recv_all(struct world *w, unsigned port, uint8_t tc)
{
	unsigned n = 0;

	while (n < 100 && world_recv(w, port, &out) && ip_traffic_class(header(&out)) == tc) {
		assert_int_equal(checksum(header(&out)), 0);
		n++;
	}
	return n;
}

static void test_long_queue_marks(void **state)
{
	struct world *w = *state;
	struct ecn_stats s;

	mark_beyond(w, 1, 4 * LEN, ECN_NOT_ECT_PASS);
	world_configure(w, 3, 0);
	send_packets(w, -1, DSCP << 2 | IP_ECT_0, 10);
	s = ecn_of(w, 1, 0);
	assert_int_equal(s.unmarked, 5); /* they find 0 to 4 others */
	assert_int_equal(s.marked, 5);
	world_turn(w);
	for (unsigned i = 0; i < 10; i++) {
		assert_true(world_recv(w, 1, &out));
		assert_int_equal(ip_ecn(header(&out)), i < 5 ? IP_ECT_0 : IP_CE);
		assert_int_equal(ip_dscp(header(&out)), DSCP);
		assert_int_equal(checksum(header(&out)), 0);
	}
	/* The same frames at a port that does not mark. */
	assert_int_equal(recv_all(w, 2, DSCP << 2 | IP_ECT_0), 10);
	assert_int_equal(ecn_of(w, 2, 0).marked, 0);
}

static void test_frames_are_counted_by_their_ecn_field(void **state)
{
	struct world *w = *state;
	struct ecn_stats s;

	mark_beyond(w, 1, 0, ECN_NOT_ECT_PASS); /* 0: of the rate */
	mark_beyond(w, 2, 1, ECN_NOT_ECT_PASS);
	world_configure(w, 3, 0);
	send_packets(w, -1, IP_NOT_ECT, 2);
	send_packets(w, -1, IP_CE, 3);
	send_packets(w, -1, IP_ECT_1, 4);
	(void)world_frame(f, B, A, -1, LEN); /* no IP */
	receive(w);
	s = ecn_of(w, 1, 0);
	assert_int_equal(s.not_ect, 3);
	assert_int_equal(s.marked_before, 3);
	assert_int_equal(s.unmarked, 4);
	assert_int_equal(s.marked, 0);
	s = ecn_of(w, 2, 0);
	assert_int_equal(s.not_ect, 3);
	assert_int_equal(s.marked_before, 3);
	assert_int_equal(s.marked, 4);
	assert_int_equal(s.not_ect_discards, 0);
	world_turn(w);
	assert_int_equal(recv_all(w, 1, IP_NOT_ECT), 2);
	for (unsigned port = 1; port <= 2; port++)
		while (world_recv(w, port, &out))
			;
}

static void test_frames_without_ect_can_be_discarded(void **state)
{
	struct world *w = *state;

	mark_beyond(w, 1, LEN, ECN_NOT_ECT_DROP);
	world_configure(w, 3, 0);
	send_packets(w, -1, IP_NOT_ECT, 5);
	assert_int_equal(ecn_of(w, 1, 0).not_ect, 2);
	assert_int_equal(ecn_of(w, 1, 0).not_ect_discards, 3);
	send_packets(w, -1, IP_CE, 1);
	send_packets(w, -1, IP_ECT_1, 1);
	assert_int_equal(ecn_of(w, 1, 0).marked_before, 1);
	assert_int_equal(ecn_of(w, 1, 0).marked, 1);
	world_turn(w);
	assert_int_equal(recv_all(w, 1, IP_NOT_ECT), 2);
	assert_int_equal(recv_all(w, 2, IP_NOT_ECT), 5);
	while (world_recv(w, 1, &out) || world_recv(w, 2, &out))
		;
}

/* A frame that was received with PFC is marked, and never discarded: 36.1. */
static void test_lossless_frames_are_not_discarded(void **state)
{
	struct world *w = *state;
	unsigned n = 0;

	edit(w, 0)->pfc.enable = 1 << 3;
	mark_beyond(w, 1, LEN, ECN_NOT_ECT_DROP);
	world_configure(w, 3, 0);
	send_packets(w, TCI(3, 1), IP_NOT_ECT, 5);
	send_packets(w, TCI(3, 1), IP_ECT_0, 5);
	assert_int_equal(ecn_of(w, 1, 3).not_ect_discards, 0);
	assert_int_equal(ecn_of(w, 1, 3).not_ect, 5);
	assert_int_equal(ecn_of(w, 1, 3).marked, 5);
	world_turn(w);
	/* Flooded: each port has its own copy. */
	assert_int_equal(recv_all(w, 1, IP_NOT_ECT), 5);
	while (world_recv(w, 1, &out))
		n += ip_ecn(header(&out)) == IP_CE;
	assert_int_equal(n, 4);
	assert_int_equal(recv_all(w, 2, IP_NOT_ECT), 5);
	n = 1; /* the frame at which recv_all() ended */
	while (world_recv(w, 2, &out))
		n += ip_ecn(header(&out)) == IP_ECT_0;
	assert_int_equal(n, 5);
}

/* The congestion point of the same queue goes on to sample, and its CNMs stay as they are. */
static void test_congestion_point_samples_beside(void **state)
{
	struct world *w = *state;
	struct cp_stats cp;

	mark_beyond(w, 1, 10 * LEN, ECN_NOT_ECT_DROP);
	mark_beyond(w, 0, 1, ECN_NOT_ECT_DROP);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		w->own[1]->cp[p].cp_qsp = 5 * LEN;
		w->own[1]->cp[p].cp_sample_base = 3 * LEN;
	}
	world_configure(w, 3, 1 << 3);
	/* The source is known, so that the CNMs go to port 0 alone. */
	send_packets(w, TCI(3, 1), IP_ECT_0, 100);
	port_read_cp(w->ports[1], 3, &cp);
	assert_int_equal(ecn_of(w, 1, 3).marked, 89);
	assert_true(cp.cp_samples > 10);
	assert_true(cp.cp_transmitted_cnms > 5);
	assert_int_equal(ecn_of(w, 0, 0).not_ect_discards, 0);
	world_turn(w);
	for (unsigned port = 0; port < 3; port++)
		while (world_recv(w, port, &out))
			;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_order_of_trust),
	    TEST(test_frames_leave_with_another_pcp_and_dscp),
	    TEST(test_packet_is_rewritten_behind_tags),
	    TEST(test_lossless_priority_keeps_its_pcp),
	    TEST(test_long_queue_marks),
	    TEST(test_frames_are_counted_by_their_ecn_field),
	    TEST(test_frames_without_ect_can_be_discarded),
	    TEST(test_lossless_frames_are_not_discarded),
	    TEST(test_congestion_point_samples_beside),
	};

	return cmocka_run_group_tests_name("bridge_marking", tests, NULL, NULL);
}
