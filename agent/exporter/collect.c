/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/collect.h"

#include <string.h>

#include "lib/mo/mo_view.h"

/*
 * The groups of a scrape without parameters have what alerts and dashboards use: counters and
 * states, no settings but the set point. A port with two CNPVs has at most 160 series of them
 * (our choice); test_default_groups_have_few_series counts. "full" has all objects.
 */
static const struct {
	const char *name;
	enum mo_view view;
} groups[] = {
    {"health", MO_VIEW_HEALTH},
    {"cp", MO_VIEW_CP},
    {"pfc", MO_VIEW_PFC},
    {"watchdog", MO_VIEW_WATCHDOG},
};

void collect_add_table(struct collect *c, const struct mo_table *table)
{
	c->columns[table->id] = UINT64_MAX >> (64 - table->n_columns);
}

void collect_add_all(struct collect *c)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		if (!table->optional)
			collect_add_table(c, table);
	}
}

/*
 * All but dcbFdbTable, dot1qTpFdbTable and dcbTrillFdbTable, which have a row for each learned
 * address: the time series of a metric must not depend on frames. Nor dot1dBasePortTable, which is
 * for readers of the second one, and dcbPfcPauseTable, whose rows are a time series themselves.
 */
static void add_full(struct collect *c)
{
	static const enum mo_table_id without[] = {MO_fdb, MO_base_port, MO_tp_fdb, MO_trill_fdb,
						   MO_pfc_pause};
	uint64_t before[sizeof(without) / sizeof(without[0])];

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		before[i] = c->columns[without[i]];
	collect_add_all(c);
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		c->columns[without[i]] = before[i];
}

static void add_seen(struct collect *c, unsigned views)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		for (unsigned i = 0; i < table->n_columns; i++)
			if (mo_views(table, &table->columns[i]) & views)
				c->columns[id] |= UINT64_C(1) << i;
	}
}

bool collect_add(struct collect *c, const char *group)
{
	if (strcmp(group, "full") == 0) {
		add_full(c);
		return true;
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (strcmp(groups[i].name, group) == 0) {
			add_seen(c, groups[i].view);
			return true;
		}
	}
	return false;
}

void collect_add_default(struct collect *c)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		add_seen(c, groups[i].view);
}
