/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_response.h"

#include "dataplane/config/dcb_config.h"

#define GROUP (PORT_RESPONSE_SAMPLES / PORT_RESPONSE_GROUPS) /* times in a group */

static uint32_t twice_rounded_up(uint32_t ns)
{
	uint32_t bound = 1;

	while (bound < PORT_RESPONSE_BOUND_MAX_NS && bound / 2 < ns)
		bound <<= 1;
	return bound;
}

static void raise_bound(struct port_response *r)
{
	uint32_t bound = r->longest_ns ? twice_rounded_up(r->longest_ns) : 0;

	if (r->n < PORT_RESPONSE_SAMPLES && bound <= PFC_MEASURE_HALT_HOST_NS)
		return;
	if (bound > r->bound_ns)
		r->bound_ns = bound;
}

void port_response_add(struct port_response *r, int64_t ns)
{
	uint32_t last = ns < 0 ? 0 : ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
	uint32_t is = last < r->last_ns ? last : r->last_ns;
	uint32_t *group = &r->group_ns[r->next / GROUP];

	r->last_ns = last;
	if (r->next % GROUP == 0 || is > *group)
		*group = is;
	r->next = (uint8_t)((r->next + 1) % PORT_RESPONSE_SAMPLES);
	if (r->n < PORT_RESPONSE_SAMPLES)
		r->n++;
	if (is > r->longest_ns)
		r->longest_ns = is;
	raise_bound(r);
}

void port_response_restart(struct port_response *r)
{
	r->longest_ns = r->bound_ns = 0;
	for (unsigned i = 0; i < PORT_RESPONSE_GROUPS; i++)
		if (r->group_ns[i] > r->longest_ns)
			r->longest_ns = r->group_ns[i];
	raise_bound(r);
}
