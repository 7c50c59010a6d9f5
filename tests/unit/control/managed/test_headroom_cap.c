/* SPDX-License-Identifier: BSD-3-Clause */
/* Caps of many ports: the memory is shared out while the state is locked. */
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "control/managed/headroom_cap.h"
#include "dataplane/config/port_buffer.h"

#define PORTS         4096
#define FRAME_OCTETS  2048
#define FRAME_BUFFERS (PORTS * 4000)

static unsigned calculations;
static bool no_memory; /* for calloc() */

/* The linker replaces the functions by these (option --wrap). */
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __real_pfc_headroom_compute(const struct pfc_headroom_config *config,
				 uint32_t link_delay_allowance,
				 const struct pfc_headroom_link *link,
				 struct pfc_headroom_state *out);
void __wrap_pfc_headroom_compute(const struct pfc_headroom_config *config,
				 uint32_t link_delay_allowance,
				 const struct pfc_headroom_link *link,
				 struct pfc_headroom_state *out);

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : __real_calloc(n, size);
}

void __wrap_pfc_headroom_compute(const struct pfc_headroom_config *config,
				 uint32_t link_delay_allowance,
				 const struct pfc_headroom_link *link,
				 struct pfc_headroom_state *out)
{
	calculations++;
	__real_pfc_headroom_compute(config, link_delay_allowance, link, out);
}

/* Ports that are like the first one of before, with claims of many lengths. */
static struct dcb_config *config_of_many(const struct dcb_config *before)
{
	struct dcb_config *c = calloc(1, sizeof(*c) + PORTS * sizeof(c->ports[0]));

	assert_non_null(c);
	*c = *before;
	c->n_ports = PORTS;
	for (uint32_t i = 0; i < PORTS; i++) {
		c->ports[i] = before->ports[0];
		c->ports[i].ifindex = 1000 + i;
		c->ports[i].oper.pfc_enable = 0xff;
		c->ports[i].oper.pfc_way = PFC_WAY_MEASURED;
		c->ports[i].oper.pfc_measured_quanta = 200 + 8 * i;
	}
	return c;
}

static struct buffer_plan plan_of(const struct dcb_config *c)
{
	static const struct port_buffer_memory memory = {
	    .size = {UINT64_C(1) * FRAME_BUFFERS * FRAME_OCTETS, FRAME_BUFFERS},
	    .longest = FRAME_OCTETS,
	};
	struct buffer_promises sum;

	return port_buffer_plan(c, &memory, &sum);
}

/* Claims of which the memory holds some only. */
static void test_headroom_of_a_port_is_calculated_a_few_times(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct dcb_config *c = config_of_many(w->m->config);
	struct buffer_plan plan;
	unsigned met = 0;
	uint32_t cap = 0;

	(void)state;
	w->provider.stats.memory.memory_octets = UINT64_C(1) * FRAME_BUFFERS * FRAME_OCTETS;
	w->provider.stats.memory.memory_frames = FRAME_BUFFERS;
	no_memory = true;
	assert_false(headroom_cap_set(w->m->role, w->m->providers[0], w->m->config, c));
	no_memory = false;
	calculations = 0;
	assert_true(headroom_cap_set(w->m->role, w->m->providers[0], w->m->config, c));
	assert_in_range(calculations, 1, 4 * PORTS);
	plan = plan_of(c);
	assert_true(buffer_plan_fits(&plan));
	for (size_t i = 0; i < PORTS; i++) {
		if (!c->ports[i].oper.headroom_cap_octets)
			met++;
		else
			cap = c->ports[i].oper.headroom_cap_octets;
	}
	assert_in_range(met, 1, PORTS - 1);
	/* The last one has no room for more, and all with caps have the same. */
	for (size_t i = met; i < PORTS; i++) {
		assert_int_equal(c->ports[i].oper.headroom_cap_octets, cap);
		c->ports[i].oper.headroom_cap_octets = cap + 1;
	}
	plan = plan_of(c);
	assert_true(!buffer_plan_fits(&plan) || plan.lossy.octets < FRAME_OCTETS);
	free(c);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_headroom_of_a_port_is_calculated_a_few_times),
	};

	return cmocka_run_group_tests_name("headroom_cap", tests, NULL, NULL);
}
