/* SPDX-License-Identifier: BSD-3-Clause */
/* A bridge with a CNPV, and frames of it. Each test program has its own. */
#ifndef DCB_TESTS_BRIDGE_CN_H
#define DCB_TESTS_BRIDGE_CN_H

#include <string.h>

#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#define A    UINT64_C(0x020000000001)
#define B    UINT64_C(0x020000000002)
#define CNPV 3
#define SLOW 1 /* the port with the tested congestion point */

#define TCI(priority, vid) ((priority) << 13 | (vid))

static uint8_t f[WORLD_OCTETS + 100];
static struct world_frame out;

static inline int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, 4, NULL);
	world_configure(w, 4, 1 << CNPV);
	*state = w;
	return 0;
}

static inline struct cp_stats cp_of(const struct world *w, unsigned port, unsigned priority)
{
	struct cp_stats stats;

	port_read_cp(w->ports[port], priority, &stats);
	return stats;
}

/* world_frame() with a CN-TAG after the C-TAG; len includes the CN-TAG. */
static inline uint32_t cn_frame(uint8_t *octets, uint64_t da, uint64_t sa, int tci, int flow_id,
				uint32_t len)
{
	uint32_t at = ETH_TYPE_OFFSET + (tci >= 0 ? ETH_TAG_OCTETS : 0);

	world_frame(octets, da, sa, tci, len - (flow_id >= 0 ? ETH_TAG_OCTETS : 0));
	if (flow_id < 0)
		return len;
	memmove(octets + at + ETH_TAG_OCTETS, octets + at, len - ETH_TAG_OCTETS - at);
	put_be16(octets + at, ETH_TYPE_CN_TAG);
	put_be16(octets + at + 2, (uint16_t)flow_id);
	return len;
}

/* Sets the defense mode of one port, in force after the next world_configure(). */
static inline void set_mode(struct world *w, unsigned port, enum cn_defense_mode mode,
			    uint8_t alternate)
{
	static struct port_config own[WORLD_PORTS][2];
	struct port_config *pc = &own[port][w->own[port] == &own[port][0]];

	*pc = w->port_config;
	pc->port_pri[CNPV] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = (uint8_t)mode,
	    .cnpd_alternate_priority = alternate,
	};
	w->own[port] = pc;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

#endif
