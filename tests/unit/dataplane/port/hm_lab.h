/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bridge whose ports measure headroom; the test is the neighbor. Links have 10 Gb/s, as of a
 * port whose speed is not known: a quantum is 51.2 ns. Each test program has its own.
 */
#ifndef DCB_TESTS_HM_LAB_H
#define DCB_TESTS_HM_LAB_H

#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#define NEIGHBOR UINT64_C(0x02000000000a)

#define DELAY_NS 5120 /* 100 quanta */
#define PORTS    3

struct lab {
	struct world w;
	unsigned handed_over;
	bool full; /* the host has no room */
	int64_t halts_after_ns;
};

static inline bool on_measured(void *ctx, struct soft_port *port)
{
	struct lab *l = ctx;

	(void)port;
	l->handed_over += !l->full;
	return !l->full;
}

static inline void put_in_force(struct lab *l, uint8_t enable)
{
	l->w.port_config.pfc_measure.enable = enable;
	for (unsigned i = 0; i < l->w.n_ports; i++)
		port_hm_update(&l->w.bridge.ports.hm, l->w.ports[i], l->w.now);
}

static inline int set_up(void **state)
{
	struct lab *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	world_init(&l->w, PORTS, NULL);
	l->w.bridge.ports.hm.measured = on_measured;
	l->w.bridge.ports.hm.ctx = l;
	*state = l;
	return 0;
}

static inline int tear_down(void **state)
{
	struct lab *l = *state;

	world_free(&l->w);
	free(l);
	return 0;
}

static inline struct pfc_measure_stats stats_of(const struct lab *l, unsigned port)
{
	struct pfc_measure_stats stats;

	port_read_measure(l->w.ports[port], &stats);
	return stats;
}

static inline void put_address(uint8_t *to, uint64_t address)
{
	for (unsigned i = 0; i < ETH_ADDR_OCTETS; i++)
		to[i] = (uint8_t)(address >> 8 * (ETH_ADDR_OCTETS - 1 - i));
}

/* Builds an HMPDU with a request. Returns its length. */
static inline uint32_t make_request(uint8_t *octets, uint64_t sa, uint32_t timestamp)
{
	struct hmpdu pdu = {
	    .reserved = 2,
	    .tuple = {{.use = HMPDU_REQUEST, .timestamp = timestamp, .request_adjustment = 7}}};

	put_address(pdu.source, sa);
	hmpdu_encode(&pdu, octets);
	return HMPDU_FRAME_OCTETS;
}

/* Sends the response to the request in a frame of the port, if it has one. */
static inline bool answer(struct lab *l, unsigned port, const struct world_frame *asked,
			  uint64_t sa)
{
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct hmpdu in, out = {0};

	assert_int_equal(hmpdu_decode(asked->octets, asked->len, &in), HMPDU_OK);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		if (in.tuple[i].use != HMPDU_REQUEST)
			continue;
		put_address(out.source, sa);
		out.tuple[0] = hmpdu_respond(&in.tuple[i], 0);
		hmpdu_encode(&out, octets);
		world_send(&l->w, port, octets, sizeof(octets));
		return true;
	}
	return false;
}

static inline void advance(struct lab *l, int64_t ns)
{
	l->w.now = dcb_time_add_ns(l->w.now, ns);
}

/* Answers the port's requests after a delay each, until it sends no more. Returns their number. */
static inline unsigned converse(struct lab *l, unsigned port, int64_t delay_ns)
{
	struct world_frame f;
	unsigned n = 0;

	world_turn(&l->w);
	while (world_recv(&l->w, port, &f)) {
		advance(l, delay_ns);
		if (!answer(l, port, &f, NEIGHBOR))
			continue;
		world_turn(&l->w);
		assert_true(++n <= 2 * HM_ROUND_MAX);
	}
	return n;
}

static inline void flush(struct lab *l)
{
	struct world_frame f;

	for (unsigned i = 0; i < l->w.n_ports; i++)
		while (world_recv(&l->w, i, &f))
			;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
