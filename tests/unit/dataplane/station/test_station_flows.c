/* SPDX-License-Identifier: BSD-3-Clause */
/* A station: to which flow queues it assigns flows, and when it gives the queues back. */
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#include <string.h>

#define AGE_MS (FLOW_QUEUE_AGE_NS / DCB_NS_PER_MS)

static struct dcb_rng rng;

static const struct flow_rules second_is_reserved = {
    .n = 1,
    .rule = {{.match = FLOW_SOURCE_PORT, .source_port = 9999, .reaction_point = 2}},
};

static void set_queues(struct lab *l, uint8_t max_rps)
{
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = max_rps;
	configure(l, 1 << CNPV);
}

/* Discards the frames that the station has sent. */
static void empty_wire(struct lab *l)
{
	while (take(l->wire, &out))
		;
}

static void send_one(struct lab *l, uint16_t flow)
{
	host_sends(l, make_flow(PEER, flow, 1000));
	turn(l);
	empty_wire(l);
}

/* Returns the flow queue in which the flow's next frame is. */
static unsigned queue_of(struct lab *l, uint16_t flow)
{
	uint32_t before[RPPP_MAX_RPS_LIMIT];
	unsigned queue = 0;

	for (unsigned i = 0; i < RPPP_MAX_RPS_LIMIT; i++)
		before[i] = fq_of(l, i)->queue.frames;
	host_sends(l, make_flow(PEER, flow, 1000));
	while (queue < RPPP_MAX_RPS_LIMIT && fq_of(l, queue)->queue.frames == before[queue])
		queue++;
	assert_in_range(queue, 0, RPPP_MAX_RPS_LIMIT - 1);
	turn(l);
	empty_wire(l);
	return queue;
}

/* CNMs for n frames of the flow arrive, with the headers of the frame. */
static void congest(struct lab *l, uint16_t flow, unsigned n)
{
	struct cnm cnm = a_cnm;

	cnm.qntz_fb = 63;
	for (unsigned i = 0; i < n; i++) {
		host_sends(l, make_flow(PEER, flow, 1000));
		run_ms(l, 2); /* a frame at rpgMinRate takes 1 ms */
		empty_wire(l);
		make_flow(PEER, flow, 1000);
		cnm.msdu_len = 26;
		memcpy(cnm.msdu, f + 16, 26);
		wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
	}
}

/* --- a flow of its own --------------------------------------------------------- */

static uint64_t hash_of(const struct lab *l, uint16_t flow)
{
	struct flow_keys keys;

	(void)make_flow(PEER, flow, 100);
	assert_true(flow_parse(&keys, f, f + ETH_SA_OFFSET, 1, f + 16, 84));
	keys.priority = CNPV;
	return flow_hash(&keys, l->st.flow_seed);
}

/* Returns the queue of ten to which a fixed hash of the flow would assign it. */
static unsigned fixed_queue(const struct lab *l, uint16_t flow)
{
	return (unsigned)((hash_of(l, flow) >> 32) * 10 >> 32);
}

/* Two flows with the same hash, and free queues: CNMs for one do not slow down the other. */
static void test_innocent_flow_is_not_slowed_down(void **state)
{
	struct lab *l = *state;
	unsigned n[2] = {0};
	uint16_t flow[2];

	set_queues(l, 10);
	flow[0] = flow[1] = (uint16_t)dcb_rng_uniform(&rng, 1, 30000);
	do
		flow[1]++;
	while (fixed_queue(l, flow[1]) != fixed_queue(l, flow[0]));
	print_message("flows %u and %u\n", flow[0], flow[1]);
	l->port_config.rpg[CNPV].rpg_time_reset = 100000;
	configure(l, 1 << CNPV);
	send_one(l, flow[1]);
	congest(l, flow[0], 30);
	assert_int_equal(pri_stats(l).rppp_created_rps, 1);
	run_ms(l, 10);
	empty_wire(l);
	for (unsigned i = 0; i < 100; i++) {
		host_sends(l, make_flow(PEER, flow[0], 1000));
		host_sends(l, make_flow(PEER, flow[1], 1000));
	}
	run_ms(l, 1);
	while (take(l->wire, &out))
		n[get_be16(out.octets + 38) == flow[1]]++;
	assert_int_equal(n[1], 100);
	assert_in_range(n[0], 0, 5);
}

/* Flows share only if there are more of them than queues. */
static void test_each_flow_has_a_queue_while_there_are_enough(void **state)
{
	struct lab *l = *state;
	unsigned queues = dcb_rng_uniform(&rng, 2, RPPP_MAX_RPS_LIMIT);
	unsigned used[RPPP_MAX_RPS_LIMIT] = {0};

	print_message("%u queues\n", queues);
	set_queues(l, (uint8_t)queues);
	for (unsigned i = 0; i < queues; i++)
		used[queue_of(l, (uint16_t)i)]++;
	for (unsigned i = 0; i < queues; i++)
		assert_int_equal(used[i], 1);
	assert_int_equal(port_stats(l).flows_assigned, queues);
	assert_int_equal(port_stats(l).flows_sharing, 0);
	/* The same flows again are not counted again. */
	for (unsigned i = 0; i < queues; i++)
		send_one(l, (uint16_t)i);
	for (unsigned i = 0; i < 50; i++)
		assert_in_range(queue_of(l, (uint16_t)(1000 + i)), 0, queues - 1);
	assert_int_equal(port_stats(l).flows_assigned, queues);
	assert_int_equal(port_stats(l).flows_sharing, 50);
	assert_int_equal(port_stats(l).flows_aged, 0);
	assert_int_equal(port_stats(l).flows_unlisted, 0);
}

/* A flow that must share does so with flows that are not rate-limited, if it can. */
static void test_new_flow_avoids_limited_queues(void **state)
{
	struct lab *l = *state;
	unsigned limited = 0;

	l->port_config.rpg[CNPV].rpg_time_reset = 100000;
	set_queues(l, 20);
	for (uint16_t flow = 0; flow < 20; flow++)
		send_one(l, flow);
	for (uint16_t flow = 0; flow < 10; flow++)
		congest(l, flow, 1);
	assert_int_equal(pri_stats(l).rppp_created_rps, 10);
	for (uint16_t flow = 0; flow < 400; flow++)
		limited += rp_stats(l, 1 + queue_of(l, (uint16_t)(1000 + flow))).rp_enabled;
	/* Both of two random queues are limited for a quarter of the flows; a half without choice.
	 */
	assert_in_range(limited, 50, 150);
}

/* A rule's queue is for its flows alone, until rules name all queues. */
static void test_queue_of_a_rule_is_not_assigned_to_others(void **state)
{
	struct flow_rules flows = {
	    .n = 3,
	    .rule = {{.match = FLOW_SOURCE_PORT, .source_port = 7, .reaction_point = 1},
		     {.match = FLOW_SOURCE_PORT, .source_port = 8, .reaction_point = 3},
		     {.match = FLOW_SOURCE_PORT, .source_port = 9, .reaction_point = 50}},
	};
	struct station_params params = plenty;
	struct lab *l = *state;

	params.flows = &flows;
	restart(l, &params, &plain);
	set_queues(l, 4);
	assert_int_equal(queue_of(l, 100), 1);
	assert_int_equal(queue_of(l, 7), 0);
	assert_int_equal(queue_of(l, 8), 2);
	assert_int_equal(queue_of(l, 9), 3); /* its rule names none of these four */
	for (uint16_t flow = 101; flow < 150; flow++)
		assert_int_equal(queue_of(l, flow) % 2, 1);
	assert_int_equal(queue_of(l, 7), 0);
	assert_int_equal(port_stats(l).flows_assigned, 2);
	assert_int_equal(port_stats(l).flows_sharing, 49);
	flows.n = 2;
	flows.rule[1].reaction_point = 2;
	restart(l, &params, &plain);
	set_queues(l, 2);
	for (uint16_t flow = 100; flow < 150; flow++)
		assert_in_range(queue_of(l, flow), 0, 1);
	assert_int_equal(port_stats(l).flows_assigned, 0);
	assert_int_equal(port_stats(l).flows_sharing, 50);
}

/* Lower rpppMaxRps brought flows into the queue of a rule: they leave it when it is higher. */
static void test_flow_leaves_the_queue_of_a_rule(void **state)
{
	static const struct flow_rules flows = {
	    .n = 1,
	    .rule = {{.match = FLOW_SOURCE_PORT, .source_port = 7, .reaction_point = 1}},
	};
	struct station_params params = plenty;
	struct lab *l = *state;

	params.flows = &flows;
	restart(l, &params, &plain);
	set_queues(l, 3);
	l->port.blocked = true;
	for (unsigned i = 0; i < 40; i++)
		host_sends(l, make_flow(PEER, 100, 1000));
	turn(l);
	assert_int_equal(rp_stats(l, 2).queue_octets, fq_of(l, 1)->queue.octets);
	assert_true(fq_of(l, 1)->queue.frames > 20);
	set_queues(l, 1);
	assert_true(dcb_queue_is_empty(&fq_of(l, 1)->queue));
	set_queues(l, 3);
	assert_int_equal(queue_of(l, 100), 0);
	l->port.blocked = false;
	run_ms(l, 1);
	empty_wire(l);
	assert_int_equal(queue_of(l, 100), 1);
}

/* --- ageing -------------------------------------------------------------------- */

/* A second after its last frame, and not earlier, a queue is free again. */
static void test_unused_queue_is_given_back(void **state)
{
	struct lab *l = *state;

	for (int aged = 0; aged < 2; aged++) {
		restart(l, &plenty, &plain);
		set_queues(l, 2);
		send_one(l, 1);
		send_one(l, 2);
		run_until(l, dcb_time_add_ns(l->now, FLOW_QUEUE_AGE_NS - !aged));
		assert_int_equal(port_stats(l).flows_aged, 0);
		send_one(l, 3);
		send_one(l, 4);
		assert_int_equal(port_stats(l).flows_assigned, aged ? 4 : 2);
		assert_int_equal(port_stats(l).flows_sharing, aged ? 0 : 2);
		assert_int_equal(port_stats(l).flows_aged, aged ? 2 : 0);
		assert_int_equal(queue_of(l, 3) != queue_of(l, 4) || !aged, 1);
		/* The earlier flows share with the new ones. */
		send_one(l, 1);
		assert_int_equal(port_stats(l).flows_sharing, aged ? 1 : 2);
	}
}

/* A flow that sends from time to time keeps its queue, although another needs one. */
static void test_used_queue_is_not_given_back(void **state)
{
	struct lab *l = *state;

	set_queues(l, 2);
	send_one(l, 1);
	send_one(l, 2);
	for (unsigned i = 0; i < 20; i++) {
		run_ms(l, AGE_MS - 1);
		assert_int_equal(queue_of(l, 1), 0);
		assert_int_equal(queue_of(l, 2), 1);
		send_one(l, (uint16_t)(10 + i));
	}
	assert_int_equal(port_stats(l).flows_assigned, 2);
	assert_int_equal(port_stats(l).flows_aged, 0);
}

/* Frames wait in the queue while PFC pauses the priority: it is in use. */
static void test_queue_with_frames_is_not_given_back(void **state)
{
	struct lab *l = *state;

	set_queues(l, 2);
	port_pause(&l->port, 1 << CNPV, l->now);
	for (unsigned i = 0; i < 20; i++)
		host_sends(l, make_flow(PEER, 1, 1000));
	run_ms(l, 5 * AGE_MS);
	assert_false(dcb_queue_is_empty(&fq_of(l, 0)->queue));
	host_sends(l, make_flow(PEER, 2, 1000));
	host_sends(l, make_flow(PEER, 3, 1000));
	assert_int_equal(port_stats(l).flows_assigned, 2);
	assert_int_equal(port_stats(l).flows_sharing, 1);
	assert_int_equal(port_stats(l).flows_aged, 0);
	port_pause(&l->port, 0, l->now);
	run_ms(l, 1);
	empty_wire(l);
	run_ms(l, AGE_MS);
	assert_int_equal(queue_of(l, 4), 0);
	assert_int_equal(queue_of(l, 5), 1);
	assert_int_equal(port_stats(l).flows_aged, 2);
}

/* A rate-limited queue keeps its flow until the reaction point ends. */
static void test_limited_queue_is_not_given_back(void **state)
{
	struct lab *l = *state;

	l->port_config.rpg[CNPV].rpg_time_reset = 100000;
	set_queues(l, 2);
	congest(l, 1, 10);
	assert_true(rp_stats(l, 1).rp_enabled);
	for (unsigned i = 0; i < 5; i++) {
		run_ms(l, 2 * AGE_MS);
		assert_int_equal(queue_of(l, (uint16_t)(10 + i)), 1);
	}
	assert_true(rp_stats(l, 1).rp_enabled);
	assert_int_equal(queue_of(l, 1), 0);
	l->port_config.rpg[CNPV].rpg_enable = false;
	configure(l, 1 << CNPV);
	run_ms(l, 2 * AGE_MS);
	assert_int_equal(queue_of(l, 20), 0);
}

/* A flow that shares gets a queue that becomes free, unless its queue is rate-limited. */
static void test_sharing_ends_when_a_queue_is_free(void **state)
{
	struct lab *l = *state;

	for (unsigned limited = 0; limited < 2; limited++) {
		unsigned shared;

		restart(l, &plenty, &plain);
		l->port_config.rpg[CNPV].rpg_time_reset = 100000;
		set_queues(l, 2);
		send_one(l, 1);
		send_one(l, 2);
		shared = queue_of(l, 3);
		if (limited)
			congest(l, 3, 10);
		for (unsigned i = 0; i < 3; i++) { /* the other flow ends */
			run_ms(l, AGE_MS / 2);
			send_one(l, (uint16_t)(shared + 1));
			send_one(l, 3);
		}
		assert_int_equal(queue_of(l, (uint16_t)(shared + 1)) == queue_of(l, 3), limited);
		assert_int_equal(port_stats(l).flows_assigned, limited ? 2 : 3);
	}
}

/* --- CNMs ---------------------------------------------------------------------- */

static bool accepts(struct lab *l, uint64_t to, uint16_t flow_id)
{
	uint64_t received = cnms(l).cnm_received;
	struct cnm cnm = a_cnm;

	put_be16(cnm.encap_da, (uint16_t)(to >> 32));
	put_be32(cnm.encap_da + 2, (uint32_t)to);
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, flow_id));
	return cnms(l).cnm_received > received;
}

/* CNMs for frames of the flow that had the queue before do not slow down its present flow. */
static void test_cnm_for_the_previous_flow_is_discarded(void **state)
{
	const uint64_t first = 0x0200000000aa, second = 0x0200000000bb;
	struct station_params params = plenty;
	struct lab *l = *state;

	params.flows = &second_is_reserved;
	restart(l, &params, &plain);
	set_queues(l, 2);
	for (uint16_t i = 0; i < 40; i++) {
		host_sends(l, make_flow(first, 2 * i, 1000));
		run_ms(l, 1);
		assert_true(accepts(l, first, flow_id_of(l, 0)));
		host_sends(l, make_flow(first, 2 * i, 1000));
		run_ms(l, 3 * AGE_MS);
		assert_false(rp_stats(l, 1).rp_enabled);
		host_sends(l, make_flow(second, 2 * i + 1, 1000));
		run_ms(l, 1);
		assert_int_equal(port_stats(l).flows_assigned, 2 * i + 2);
		assert_false(accepts(l, first, flow_id_of(l, 0)));
		assert_false(accepts(l, first, 0));
		assert_true(accepts(l, second, flow_id_of(l, 0)));
		run_ms(l, 3 * AGE_MS);
		empty_wire(l);
	}
	assert_int_equal(rp_stats(l, 1).frames, 120);
}

/* --- more flows than the table has room for -------------------------------------- */

/* Sends every queued frame. Returns their number. */
static unsigned send_all(struct lab *l)
{
	unsigned n = 0;

	while (l->port.station->pri[CNPV].queued || l->port.queues.filled) {
		run_until(l, dcb_time_add_ns(l->now, 100 * DCB_NS_PER_US));
		while (take(l->wire, &out))
			n++;
	}
	return n;
}

static void test_flows_without_an_entry_share_the_first_queue(void **state)
{
	enum { FLOWS = 16000, MEAN = 2987 };
	struct station_params params = plenty;
	struct port_settings settings = plain;
	struct lab *l = *state;
	uint64_t unlisted;

	params.frame_buffers = 2 * FLOWS;
	settings.rate = dcb_rate_from_mbps(10000);
	restart(l, &params, &settings);
	set_queues(l, 100);
	for (uint16_t flow = 0; flow < FLOWS; flow++)
		host_sends(l, make_flow(PEER, flow, 60));
	unlisted = port_stats(l).flows_unlisted;
	/* FLOW_SETS * E(max(X - 4, 0)), where X has a Poisson distribution. */
	assert_in_range(unlisted, MEAN * 9 / 10, MEAN * 11 / 10);
	assert_in_range(fq_of(l, 0)->queue.frames, unlisted, unlisted + FLOWS / 50);
	assert_int_equal(port_stats(l).flows_assigned, 100);
	assert_int_equal(port_stats(l).flows_sharing, FLOWS - unlisted - 100);
	assert_int_equal(send_all(l), FLOWS);
	/* After their frames have left, all flows have entries again. */
	for (uint16_t flow = 0; flow < FLOWS; flow++) {
		send_one(l, flow);
		l->now.ns += DCB_NS_PER_US;
	}
	assert_int_equal(port_stats(l).flows_unlisted, unlisted);
}

/* --- order ----------------------------------------------------------------------- */

#define FLOWS 2000
#define DENSE 40 /* the first flows: more than their three sets of the table have room for */

struct order {
	uint16_t port[FLOWS];                /* their source ports */
	uint32_t queued[FLOWS], sent[FLOWS]; /* numbers of the last frames */
	unsigned few;                        /* flows 0 to few - 1 send more often */
};

static void choose_ports(struct lab *l, struct order *o)
{
	unsigned dense = 0, rest = DENSE;

	for (unsigned port = 1; port < UINT16_MAX; port++) {
		if (hash_of(l, (uint16_t)port) >> (64 - FLOW_SET_BITS) < 3 && dense < DENSE)
			o->port[dense++] = (uint16_t)port;
		else if (rest < FLOWS)
			o->port[rest++] = (uint16_t)port;
	}
	assert_in_range(dense, 20, DENSE); /* 48 on average */
	for (; dense < DENSE; dense++)
		o->port[dense] = (uint16_t)(UINT16_MAX - dense);
}

/* A frame of a random flow, which has the numbers of flow and frame behind the headers. */
static void send_random(struct lab *l, struct order *o)
{
	bool often = dcb_rng_uniform(&rng, 0, 3);
	unsigned flow = dcb_rng_uniform(&rng, 0, (often ? o->few : FLOWS) - 1);
	unsigned queued = l->port.station->pri[CNPV].queued;
	uint32_t len = make_flow(PEER, o->port[flow], dcb_rng_uniform(&rng, 60, 1500));

	put_be32(f + 50, o->queued[flow] + 1);
	put_be32(f + 54, flow);
	host_sends(l, len);
	if (l->port.station->pri[CNPV].queued > queued)
		o->queued[flow]++; /* the queue was not full */
}

static void check_order(struct lab *l, struct order *o)
{
	while (take(l->wire, &out)) {
		unsigned cn_tag = out.view.cn_tagged ? ETH_TAG_OCTETS : 0;
		unsigned flow = get_be32(out.octets + 54 + cn_tag);

		assert_in_range(flow, 0, FLOWS - 1);
		assert_int_equal(get_be32(out.octets + 50 + cn_tag), o->sent[flow] + 1);
		o->sent[flow]++;
	}
}

static bool contains(const struct fq_set *set, unsigned index)
{
	return set->bits[index / 64] >> index % 64 & 1;
}

/* Each flow queue has as many flows as entries name it; it is free, assigned, or a rule's. */
static void check_table(struct lab *l)
{
	struct station_port *sp = l->port.station;
	const struct flow_table *table = sp->pri[CNPV].table;
	const struct flow_entry *e = table ? table->flows[0] : NULL;
	unsigned flows[RPPP_MAX_RPS_LIMIT] = {0};

	for (unsigned i = 0; e && i < FLOW_SETS * FLOW_WAYS; i++)
		flows[e[i].queue] += e[i].flow && e[i].epoch == fq_at(sp, CNPV, e[i].queue)->epoch;
	for (unsigned i = 0; i < (e ? RPPP_MAX_RPS_LIMIT : 1); i++) {
		const struct flow_queue *fq = fq_at(sp, CNPV, i);
		bool is_free = contains(&sp->pri[CNPV].free, i) && sp->pri[CNPV].rppp_max_rps > 1;

		assert_int_equal(fq->flows, flows[i]);
		assert_true(!is_free || (dcb_queue_is_empty(&fq->queue) && !fq->limited));
		assert_true(!is_free || (fq->flows == 0 && !fq->age.pos));
		if (contains(&sp->pri[CNPV].exclusive, i) && sp->pri[CNPV].rppp_max_rps > 1)
			assert_true(is_free || fq->age.pos);
	}
}

/* A CNM for a flow that sends often. */
static void congest_random(struct lab *l, const struct order *o)
{
	struct cnm cnm = a_cnm;

	cnm.qntz_fb = (uint8_t)dcb_rng_uniform(&rng, 1, 63);
	make_flow(PEER, o->port[dcb_rng_uniform(&rng, 0, o->few - 1)], 100);
	cnm.msdu_len = 26;
	memcpy(cnm.msdu, f + 16, 26);
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
}

/* Sets rpppMaxRps, and whether frames have CN-TAGs, at random. */
static void configure_random(struct lab *l)
{
	static const uint8_t max_rps[] = {1, 1, 1, 2, 3, 5, 10, 50, 100};

	l->port_config.port_pri[CNPV] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode =
		dcb_rng_uniform(&rng, 0, 1) ? CPT_INTERIOR : CPT_INTERIOR_READY,
	};
	set_queues(l, max_rps[dcb_rng_uniform(&rng, 0, UNIT_COUNT(max_rps) - 1)]);
}

static void step_random(struct lab *l, struct order *o)
{
	unsigned kind = dcb_rng_uniform(&rng, 0, 999);

	if (kind < 900) {
		send_random(l, o);
	} else if (kind < 960) {
		run_until(l, dcb_time_add_ns(l->now, dcb_rng_uniform(&rng, 100, 200000)));
	} else if (kind < 990) {
		congest_random(l, o);
	} else if (kind < 994) {
		port_pause(&l->port, (uint8_t)(dcb_rng_uniform(&rng, 0, 1) << CNPV), l->now);
	} else if (kind < 996) {
		l->port.blocked = dcb_rng_uniform(&rng, 0, 1);
	} else if (kind < 998) {
		configure_random(l);
	} else if (kind < 999) {
		run_ms(l, dcb_rng_uniform(&rng, 1, 3 * AGE_MS));
	} else {
		o->few = dcb_rng_uniform(&rng, 1, 100);
	}
	check_order(l, o);
}

/* Starts a station with up to four rules, each for one of the first flows. */
static void start_random(struct lab *l, struct order *o)
{
	struct flow_rules flows = {.n = dcb_rng_uniform(&rng, 0, 4)};
	struct station_params params = plenty;
	struct port_settings settings = plain;

	memset(o, 0, sizeof(*o));
	choose_ports(l, o);
	o->few = dcb_rng_uniform(&rng, 1, 100);
	for (unsigned i = 0; i < flows.n; i++)
		flows.rule[i] =
		    (struct flow_rule){.match = FLOW_SOURCE_PORT,
				       .source_port = o->port[i],
				       .reaction_point = (uint8_t)dcb_rng_uniform(&rng, 1, 12)};
	params.flows = &flows;
	settings.flow_buffer_octets = dcb_rng_uniform(&rng, 0, 1) ? 0 : 50000;
	restart(l, &params, &settings);
	configure_random(l);
}

/* Frames that were queued with rpppMaxRps 1 belong to any flow. */
static void test_flow_follows_its_frames_after_max_rps_1(void **state)
{
	struct station_params params = plenty;
	struct lab *l = *state;

	params.flows = &second_is_reserved;
	restart(l, &params, &plain);
	set_queues(l, 2);
	assert_int_equal(queue_of(l, 100), 0);
	assert_int_equal(queue_of(l, 101), 0);
	set_queues(l, 1);
	l->port.blocked = true;
	for (unsigned i = 0; i < 30; i++)
		host_sends(l, make_flow(PEER, 100, 1000));
	turn(l);
	set_queues(l, 3); /* the third is free */
	assert_int_equal(queue_of(l, 101), 0);
	assert_int_equal(queue_of(l, 100), 0);
	l->port.blocked = false;
	run_ms(l, 1);
	assert_int_equal(queue_of(l, 100) + queue_of(l, 101), 0 + 2);
}

/* The first frame after rpppMaxRps has changed does not fit: earlier ones are still queued. */
static void test_flow_follows_its_frames_after_a_discard(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;

	settings.flow_buffer_octets = 20000;
	restart(l, &plenty, &settings);
	set_queues(l, 3);
	l->port.blocked = true;
	for (unsigned i = 0; i < 60; i++)
		host_sends(l, make_flow(PEER, (uint16_t)(100 + i % 3), 1000));
	turn(l);
	set_queues(l, 1);
	set_queues(l, 3);
	assert_true(fq_of(l, 0)->queue.octets > 20000);
	for (unsigned i = 0; i < 6; i++)
		host_sends(l, make_flow(PEER, (uint16_t)(100 + i % 3), 1000));
	assert_true(dcb_queue_is_empty(&fq_of(l, 1)->queue));
	assert_true(dcb_queue_is_empty(&fq_of(l, 2)->queue));
}

/* Whatever the flows, CNMs, pauses and values of rpppMaxRps: no flow's frames are reordered. */
static void test_frames_of_a_flow_are_never_reordered(void **state)
{
	static struct order o;
	struct lab *l = *state;
	uint64_t sent = 0, unlisted = 0;

	for (unsigned round = 0; round < 20; round++) {
		start_random(l, &o);
		for (unsigned i = 0; i < 20000; i++) {
			step_random(l, &o);
			if (i % 100 == 0)
				check_table(l);
		}
		port_pause(&l->port, 0, l->now);
		for (unsigned i = 0; i < 1000 && l->port.station->pri[CNPV].queued; i++) {
			l->port.blocked = false;
			run_ms(l, 10);
			check_order(l, &o);
		}
		for (unsigned flow = 0; flow < FLOWS; flow++) {
			assert_int_equal(o.sent[flow], o.queued[flow]);
			sent += o.sent[flow];
		}
		unlisted += port_stats(l).flows_unlisted;
	}
	print_message("%llu frames, %llu of flows without an entry\n", (unsigned long long)sent,
		      (unsigned long long)unlisted);
	assert_true(unlisted > 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_innocent_flow_is_not_slowed_down),
	    TEST(test_each_flow_has_a_queue_while_there_are_enough),
	    TEST(test_new_flow_avoids_limited_queues),
	    TEST(test_queue_of_a_rule_is_not_assigned_to_others),
	    TEST(test_flow_leaves_the_queue_of_a_rule),
	    TEST(test_unused_queue_is_given_back),
	    TEST(test_used_queue_is_not_given_back),
	    TEST(test_queue_with_frames_is_not_given_back),
	    TEST(test_limited_queue_is_not_given_back),
	    TEST(test_sharing_ends_when_a_queue_is_free),
	    TEST(test_cnm_for_the_previous_flow_is_discarded),
	    TEST(test_flows_without_an_entry_share_the_first_queue),
	    TEST(test_flow_follows_its_frames_after_max_rps_1),
	    TEST(test_flow_follows_its_frames_after_a_discard),
	    TEST(test_frames_of_a_flow_are_never_reordered),
	};

	dcb_rng_seed(&rng, unit_seed(), 1);
	return cmocka_run_group_tests_name("station_flows", tests, NULL, NULL);
}
