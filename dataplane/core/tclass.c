/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/tclass.h"

const uint8_t tclass_recommended[DCB_PRIORITIES] = {1, 0, 2, 3, 4, 5, 6, 7};

static unsigned queue_of(const uint8_t classes[DCB_PRIORITIES], uint8_t alone, unsigned priority)
{
	if (alone >> priority & 1)
		return priority;
	for (unsigned i = 0; i < priority; i++) {
		if (classes[i] == classes[priority] && !(alone >> i & 1))
			return i;
	}
	return priority;
}

/* Two queues of one class are ordered as if each priority had a class of its own. */
static unsigned rank_of(const uint8_t classes[DCB_PRIORITIES], unsigned queue)
{
	return classes[queue] * (unsigned)DCB_PRIORITIES + tclass_recommended[queue];
}

void tclass_map(struct tclass_map *map, const uint8_t classes[DCB_PRIORITIES], uint8_t alone)
{
	*map = (struct tclass_map){0};
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		unsigned queue = queue_of(classes, alone, i), place = 0;

		map->queue[i] = (uint8_t)queue;
		map->members[queue] |= (uint8_t)(1u << i);
		for (unsigned j = 0; j < DCB_PRIORITIES; j++)
			place += rank_of(classes, j) > rank_of(classes, i);
		map->order[place] = (uint8_t)i;
	}
}
