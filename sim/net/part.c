/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/part.h"

#include "sim/net/prefetch.h"
#include "sim/net/cacheline.h"
#include "sim/net/link.h"
#include "sim/net/node.h"

#include <stdlib.h>

static bool part_init(struct sim_part *part, const struct sim *sim, uint32_t n_parts)
{
	part->arriving = cacheline_new(1, sim->frame_octets + LINK_HEAD_OCTETS);
	part->leaving = cacheline_new(1, sim->frame_octets + LINK_HEAD_OCTETS);
	part->captured = cacheline_new(1, sim->frame_octets + LINK_HEAD_OCTETS);
	part->crossings = cacheline_new(2 * n_parts, sizeof(*part->crossings));
	return part->arriving && part->leaving && part->captured && part->crossings &&
	       heap_init(&part->heap, sim->n_nodes + sim->n_links);
}

static void part_destroy(struct sim_part *part, uint32_t n_parts)
{
	for (uint32_t i = 0; part->crossings && i < 2 * n_parts; i++)
		free(part->crossings[i].frames);
	free(part->crossings);
	heap_destroy(&part->heap);
	free(part->arriving);
	free(part->leaving);
	free(part->captured);
}

bool sim_parts_init(struct sim *sim, uint32_t n)
{
	sim_parts_destroy(sim);
	sim->parts = cacheline_new(n, sizeof(*sim->parts));
	if (!sim->parts)
		return false;
	sim->n_parts = n;
	for (uint32_t i = 0; i < n; i++) {
		if (!part_init(&sim->parts[i], sim, n))
			return false;
	}
	return true;
}

void sim_parts_destroy(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->n_parts; i++)
		part_destroy(&sim->parts[i], sim->n_parts);
	free(sim->parts);
	sim->parts = NULL;
	sim->n_parts = 0;
}

/* --- events ----------------------------------------------------------------------- */

/* A small network stays in the cache: there heap.n_risen is 0. */
static inline void look_ahead(struct sim *sim, struct sim_part *part)
{
	if (part->heap.n_risen)
		sim_prefetch(sim, &part->heap);
}

static void arrive(struct sim *sim, struct sim_part *part, struct sim_link *link)
{
	uint32_t len = sim_link_take(link, part->arriving);

	part->frame_events++;
	heap_set(&part->heap, link->id, sim_link_next(link));
	look_ahead(sim, part);
	sim_node_receive(link->to, link->in, part->arriving, len, part->now);
}

void sim_part_run(struct sim *sim, struct sim_part *part, struct dcb_time until)
{
	while (!dcb_time_before(until, heap_time(&part->heap))) {
		uint32_t id = heap_id(&part->heap);

		part->now = heap_time(&part->heap);
		look_ahead(sim, part);
		if (id < sim->n_nodes)
			sim_node_run(&sim->nodes[id], part->now);
		else
			arrive(sim, part, &sim->links[id - sim->n_nodes]);
	}
}
