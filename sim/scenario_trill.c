/* SPDX-License-Identifier: BSD-3-Clause */
/* What RBridges know: nicknames, and the settings tree_root and next_hops. */
#include "sim/scenario_private.h"

#include <stdlib.h>

static bool has_nickname(const struct scenario *scn, uint16_t nickname)
{
	for (size_t i = 0; i < scn->n_nodes; i++) {
		if (scn->nodes[i].nickname == nickname)
			return true;
	}
	return false;
}

void scn_number_rbridges(struct scenario *scn)
{
	uint16_t free_one = 1;

	for (size_t i = 0; i < scn->n_nodes; i++) {
		struct scn_node *node = &scn->nodes[i];

		if (node->kind != SIM_RBRIDGE || node->nickname)
			continue;
		while (has_nickname(scn, free_one))
			free_one++;
		node->nickname = free_one;
	}
}

/* Returns the index of an RBridge, or -1 after it has reported that s names none. */
static int64_t rbridge(struct reader *r, const config_setting_t *s)
{
	const char *name = config_setting_get_string(s);
	int64_t node = name ? scn_find(scn_of(r)->node_by_name, name, strlen(name)) : -1;

	if (node >= 0 && scn_of(r)->nodes[node].kind == SIM_RBRIDGE)
		return node;
	conf_expected(r, s, "the name of an RBridge");
	return -1;
}

bool scn_take_tree_root(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base)
{
	int64_t node = rbridge(r, s);

	(void)row;
	((struct scenario *)base)->tree_root = node;
	return node >= 0;
}

/* --- next hops ------------------------------------------------------------------------- */

static bool take_rbridge(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			 void *base)
{
	int64_t node = rbridge(r, s);

	if (node >= 0)
		*(uint32_t *)(void *)((char *)base + row->offset) = (uint32_t)node;
	return node >= 0;
}

/* clang-format off */
#define RBRIDGE(name, field) {name, take_rbridge, offsetof(struct sim_next_hop, field), sizeof(uint32_t), 0, 0, NULL}
static const struct conf_row hop_rows[] = {
	RBRIDGE("node", at),
	RBRIDGE("to", to),
	RBRIDGE("by", by),
	{NULL, NULL, 0, 0, 0, 0, NULL}
};
static const struct conf_row hop_row = {"", conf_take_group, 0, 0, 0, 0, hop_rows};
/* clang-format on */

static bool take_hop(struct reader *r, const config_setting_t *s, void *base)
{
	struct scenario *scn = base;
	struct sim_next_hop *hop;

	scn->next_hops = scn_grow(scn->next_hops, scn->n_next_hops, 1, sizeof(*scn->next_hops));
	hop = &scn->next_hops[scn->n_next_hops++];
	if (!conf_take_group(r, s, &hop_row, hop))
		return false;
	if (!config_setting_get_member(s, "node") || !config_setting_get_member(s, "to") ||
	    !config_setting_get_member(s, "by"))
		/*
		 * Messages: An entry of `next_hops` names three RBridges; `to` and `by` can be the
		 * same.
		 */
		return conf_fail(r, s, "expected node, to and by");
	if (hop->at == hop->to || hop->at == hop->by)
		return conf_fail(r, s, "expected other RBridges than %s as to and by",
				 scn->nodes[hop->at].name);
	return true;
}

bool scn_take_next_hops(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base)
{
	(void)row;
	return conf_each(r, s, "a list ( { ... }, ... )", take_hop, base);
}
