/* SPDX-License-Identifier: BSD-3-Clause */
/* The row that is found from any index, in all tables. */
#include <string.h>

#include "lib/log.h"
#include "control/objects/mo_edit.h"
#include "dataplane/macsec/port_macsec.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

/* Checks that the place of a row has the port and the priority of its index. */
static void check_place(const struct mo_world *w, enum mo_table_id id, const struct mo_index *at,
			const struct mo_row_at *place)
{
	int part = mo_index_part(mo_table(id), MO_PART_PORT);

	if (part >= 0)
		assert_int_equal(w->m->config->ports[place->pos].port->link.ifindex, at->sub[part]);
	for (unsigned i = 0; i < mo_table(id)->n_index; i++) {
		switch (mo_table(id)->index[i].part) {
		case MO_PART_PRIORITY:
			assert_int_equal(place->priority, at->sub[i]);
			break;
		case MO_PART_CP: /* 8 is priority 0 */
			assert_int_equal(place->priority, at->sub[i] % DCB_PRIORITIES);
			break;
		case MO_PART_RP:
			assert_int_equal(place->rp, at->sub[i]);
			break;
		case MO_PART_FEATURE:
			assert_int_equal(place->feature, at->sub[i]);
			break;
		case MO_PART_TERM:
			assert_int_equal(place->term + 1, at->sub[i]);
			break;
		case MO_PART_CHANNEL:
			assert_int_equal(place->channel + 1, at->sub[i]);
			break;
		case MO_PART_AN:
			assert_int_equal(place->an, at->sub[i]);
			break;
		case MO_PART_POOL:
			assert_int_equal(place->pool, at->sub[i]);
			break;
		default:
			break;
		}
	}
}

/*
 * Checks that a search from random indexes of any length finds the same row as a search
 * in the list of all rows.
 */
static void check_seeks(struct mo_world *w, enum mo_table_id id, struct dcb_rng *rng)
{
	struct mo_index all[512];
	struct mo_row_at place;
	size_t n = 0;

	memset(all, 0, sizeof(all));
	for (struct mo_index at = {0}; mo_read_next(w->m, w->m->config, id, &at, n > 0, &place);
	     n++) {
		assert_true(n < 512);
		all[n] = at;
		assert_true(mo_index_valid(mo_table(id), &at));
		check_place(w, id, &at, &place);
		assert_true(n == 0 || mo_index_compare(&all[n - 1], &at) < 0);
	}
	for (unsigned i = 0; i < 4000; i++) {
		struct mo_index from = n ? all[dcb_rng_uniform(rng, 0, (uint32_t)n - 1)] : all[0];
		bool after = dcb_rng_uniform(rng, 0, 1);
		struct mo_index got;
		size_t want = 0;
		bool found;

		from.n = (uint8_t)dcb_rng_uniform(rng, 0, MO_INDEX_MAX);
		if (from.n > 0 && dcb_rng_uniform(rng, 0, 2))
			from.sub[dcb_rng_uniform(rng, 0, from.n - 1u)] +=
			    dcb_rng_uniform(rng, 0, 2) - 1;
		got = from;
		while (want < n && (mo_index_compare(&all[want], &from) < 0 ||
				    (after && mo_index_compare(&all[want], &from) == 0)))
			want++;
		found = mo_read_next(w->m, w->m->config, id, &got, after, &place);
		assert_int_equal(found, want < n);
		if (found)
			assert_int_equal(mo_index_compare(&got, &all[want]), 0);
		got = from;
		if (mo_read_find(w->m, w->m->config, id, &from, &place))
			assert_int_equal(mo_index_compare(&from, &got), 0);
	}
}

/* Gives the port MACsec with these channels, and keys with these ANs: bit n for AN n. */
static void secure(struct mo_world *w, size_t pos, struct port_macsec *m, uint8_t channels,
		   unsigned ans)
{
	struct fake_port *port = fake_port(w->m->config->ports[pos].port);

	m->secy.config.tx_scs = channels;
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		m->sak[an] = ans >> an & 1 ? (struct sak *)m : NULL;
	port->port.has |= PROVIDER_SECY;
	port->macsec = m;
}

static void test_search_from_any_index(void **state)
{
	struct port_macsec macsec[3] = {0};
	struct mo_world *w = mo_world_new(ROLE_STATION);
	uint64_t seed = 20260101;
	struct dcb_rng rng;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	dcb_rng_seed(&rng, seed, 1);
	w->m->component_id = 4;
	mo_world_add_port(w, 2147483647, "last", "");
	assert_int_equal(SET(w, {STATUS, "4.0", "createAndGo"}, {STATUS, "4.7", "createAndGo"},
			     {STATUS, "4.4", "createAndWait"},
			     {"ieee8021CnPortPriAlternatePriority", "4.4.9", "7"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {"ieee8021CnRpPortPriMaxRps", "4.4.5", "3"},
			     {"ieee8021CnRpPortPriMaxRps", "4.7.2147483647", "100"}),
			 MO_NO_ERROR);
	secure(w, 0, &macsec[0], 1, 0xa);
	secure(w, 2, &macsec[1], 2, 0xf);
	secure(w, 3, &macsec[2], 2, 0x0);
	for (unsigned id = 0; id < MO_TABLES; id++)
		check_seeks(w, (enum mo_table_id)id, &rng);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_search_from_any_index),
	};

	log_init("test_mo_service", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
