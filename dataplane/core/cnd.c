/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cnd.h"

#include <stddef.h>

unsigned int cnd_count(uint8_t cnpv_mask)
{
	unsigned int n = 0;

	for (unsigned int priority = 0; priority < DCB_PRIORITIES; priority++)
		n += cnd_is_cnpv(cnpv_mask, priority);
	return n;
}

uint8_t cnd_auto_alt_pri(uint8_t cnpv_mask, unsigned int priority)
{
	for (unsigned int lower = priority; lower-- > 0;)
		if (!cnd_is_cnpv(cnpv_mask, lower))
			return (uint8_t)lower;
	for (unsigned int higher = priority + 1; higher < DCB_PRIORITIES; higher++)
		if (!cnd_is_cnpv(cnpv_mask, higher))
			return (uint8_t)higher;
	return (uint8_t)priority;
}

bool cnd_port_is_errored(uint8_t cnpv_mask, unsigned int cncp_alternate_priority,
			 unsigned int cnpd_alternate_priority)
{
	return cnd_is_cnpv(cnpv_mask, cncp_alternate_priority) ||
	       cnd_is_cnpv(cnpv_mask, cnpd_alternate_priority);
}

struct cnd_defense cnd_resolve(const struct cnd_row *component, const struct cnd_row *port,
			       enum cn_defense_mode auto_defense_mode, uint8_t auto_alt_pri)
{
	const struct cnd_row *admin = NULL;

	if (port->def_mode_choice == CPC_ADMIN)
		admin = port;
	else if (port->def_mode_choice == CPC_COMP && component->def_mode_choice == CPC_ADMIN)
		admin = component;
	if (!admin)
		return (struct cnd_defense){false, auto_defense_mode, auto_alt_pri};
	return (struct cnd_defense){true, (enum cn_defense_mode)admin->admin_defense_mode,
				    admin->alternate_priority};
}

static void map_output(struct cnd_map *map, unsigned int priority, enum cn_defense_mode mode)
{
	uint8_t bit = (uint8_t)(1u << priority);

	if (mode == CPT_DISABLED)
		return;
	map->cnpv |= bit;
	if (mode == CPT_INTERIOR_READY)
		map->ready |= bit;
	else
		map->strip |= bit;
	if (mode == CPT_EDGE)
		map->leave |= bit;
	else
		map->interior |= bit;
}

static uint8_t map_input(const struct cnd_map *map, const struct cnd_defense *defense,
			 unsigned int received, unsigned int regenerated)
{
	if (!cnd_is_cnpv(map->cnpv, received)) {
		if (!cnd_is_cnpv(map->cnpv, regenerated))
			return (uint8_t)regenerated;
		return defense[regenerated].alternate_priority;
	}
	if (defense[received].cnpd_defense_mode == CPT_EDGE)
		return defense[received].alternate_priority;
	return (uint8_t)received;
}

void cnd_map(struct cnd_map *map, const struct cnd_defense defense[DCB_PRIORITIES],
	     uint8_t cnpv_mask, const uint8_t *regeneration)
{
	*map = (struct cnd_map){0};
	for (unsigned int priority = 0; priority < DCB_PRIORITIES; priority++)
		if (cnd_is_cnpv(cnpv_mask, priority))
			map_output(map, priority, defense[priority].cnpd_defense_mode);
	for (unsigned int priority = 0; priority < DCB_PRIORITIES; priority++)
		map->ingress[priority] = map_input(
		    map, defense, priority, regeneration ? regeneration[priority] : priority);
}
