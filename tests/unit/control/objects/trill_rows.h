/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects and rows of a managed RBridge with two trunk ports. */
#ifndef DCB_TESTS_TRILL_ROWS_H
#define DCB_TESTS_TRILL_ROWS_H

#include "tests/unit/mo_world.h"

#define OWN      "dcbTrillNickname"
#define ROOT     "dcbTrillTreeRoot"
#define MODE     "dcbTrillPortMode"
#define TREE     "dcbTrillNextHopTree"
#define UNICAST  "dcbTrillNextHopUnicast"
#define H_STATUS "dcbTrillNextHopRowStatus"
#define NICKNAME "dcbTrillEgressNickname"
#define E_STATUS "dcbTrillEgressRowStatus"
/* Next hops: nickname 256 by ports 3 and 5, 512 by port 5. */
#define A3 "3.256.2.0.0.0.1.3"
#define A5 "5.256.2.0.0.0.1.5"
#define B5 "5.512.2.0.0.0.1.5"
#define B9 "9.512.2.0.0.0.1.9"
#define X  "10.2.0.0.0.0.33" /* VLAN 10, address 02-00-00-00-00-21 */
#define Y  "10.2.0.0.0.0.255"
#define Z  "4094.0.0.0.0.0.1"

/* An RBridge with trunk ports 3 and 5, and an access port 9. */
static inline struct mo_world *world(void)
{
	struct mo_world *w = mo_world_new(ROLE_RBRIDGE);

	assert_int_equal(SET(w, {OWN, "0", "1"}, {MODE, "3", "trunk"}, {MODE, "5", "hybrid"}),
			 MO_NO_ERROR);
	return w;
}

static inline const struct port_config *config_of(const struct mo_world *w, uint32_t ifindex)
{
	return w->m->config->ports[managed_find(w->m, ifindex)].config;
}

#endif
