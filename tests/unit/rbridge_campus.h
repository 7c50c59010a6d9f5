/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of forwarding by RBridge 1 of rbridge_world_campus() have in common. */
#ifndef DCB_TESTS_RBRIDGE_CAMPUS_H
#define DCB_TESTS_RBRIDGE_CAMPUS_H

#include "tests/unit/rbridge_world.h"
#include "tests/unit/unit.h"

#define A     UINT64_C(0x020000000001) /* a station at port 0 */
#define B     UINT64_C(0x020000000002) /* another at port 1 */
#define FAR   UINT64_C(0x020000000003) /* behind another RBridge */
#define GROUP UINT64_C(0x01005e000001)
#define ALL   UINT64_C(0x0180c2000040) /* All-RBridges */
#define M2    RBW_M2
#define M3    RBW_M3

#define TCI(priority, vid) ((priority) << 13 | (vid))

static uint8_t f[WORLD_OCTETS], expected[WORLD_OCTETS];
static struct world_frame out;

static inline int set_up(void **state)
{
	struct rbridge_world *w = malloc(sizeof(*w));

	assert_non_null(w);
	rbridge_world_campus(w);
	*state = w;
	return 0;
}

static inline int tear_down(void **state)
{
	rbridge_world_free(*state);
	free(*state);
	return 0;
}

static inline struct trill_port_stats stats_of(const struct rbridge_world *w, unsigned port)
{
	struct trill_port_stats stats;

	rbridge_read_port(&w->rb, w->ports[port]->base.slot, &stats);
	return stats;
}

/* Checks that the frame left by these ports; out is the frame at the last one. */
static inline void check_ports(struct rbridge_world *w, unsigned in, uint32_t len, unsigned ports)
{
	assert_int_equal(rbridge_world_forward(w, in, f, len, &out), ports);
}

static inline void check_out(uint32_t len)
{
	assert_int_equal(out.len, len);
	assert_memory_equal(out.octets, expected, len);
}

/* world_frame() with zeros after the EtherType, as rbridge_world_trill() writes it. */
static inline uint32_t native(void *octets, uint64_t da, uint64_t sa, int tci)
{
	uint32_t head = tci < 0 ? 14 : 18, len = head + 62;

	world_frame(octets, da, sa, tci, len);
	memset((uint8_t *)octets + head, 0, 62);
	return len;
}

/* A frame from RBridge ingress to 1, received at port 2 from RBridge 2, with VLAN 5 inside. */
static inline struct trill_text to_us(uint16_t ingress)
{
	return (struct trill_text){
	    .da = rbridge_world_mac(1, 2),
	    .sa = M2,
	    .tci = TCI(3, 20),
	    .header = 10,
	    .egress = 1,
	    .ingress = ingress,
	    .inner_da = A,
	    .inner_sa = FAR,
	    .inner_tci = TCI(3, 5),
	    .flow_id = -1,
	};
}

#define DROP(member) offsetof(struct trill_port_stats, member)

static inline uint64_t value_of(const struct trill_port_stats *stats, size_t counter)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)stats + counter, sizeof(value));
	return value;
}

static inline uint64_t sum_of(const struct trill_port_stats *stats)
{
	uint64_t sum = 0;

	for (size_t at = 0; at < sizeof(*stats); at += sizeof(sum))
		sum += value_of(stats, at);
	return sum;
}

/* Sends it to port 2, where exactly this counter goes up and nothing leaves. */
static inline void check_dropped(struct rbridge_world *w, const struct trill_text *text,
				 size_t counter)
{
	struct trill_port_stats before = stats_of(w, 2), after;

	check_ports(w, 2, rbridge_world_trill(f, text), 0);
	after = stats_of(w, 2);
	assert_int_equal(value_of(&after, counter), value_of(&before, counter) + 1);
	assert_int_equal(sum_of(&after), sum_of(&before) + 1);
}

#endif
