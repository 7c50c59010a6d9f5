/* SPDX-License-Identifier: BSD-3-Clause */
/* A struct mib whose dcbd is a fake one, with rows in arrays. */
#ifndef DCB_TESTS_MIB_WORLD_H
#define DCB_TESTS_MIB_WORLD_H

#include "lib/log.h"
#include "agent/mib.h"
#include "agent/mib_cache.h"
#include "tests/unit/fake_mo_client.h"
#include "tests/unit/unit.h"

#include <string.h>

struct world {
	struct mib_cache *cache;
	struct mib *mib;
	int64_t now;
};

static const struct mib_oid no_end;
static inline int setup(void **state)
{
	static struct world w;

	fake_dcbd_reset();
	w.cache = mib_cache_new(NULL);
	w.mib = mib_new(w.cache);
	w.now = 1000;
	*state = &w;
	log_level = LOG_LEVEL_ERROR;
	return w.mib ? 0 : -1;
}

static inline int teardown(void **state)
{
	struct world *w = *state;

	mib_free(w->mib);
	mib_cache_free(w->cache);
	return 0;
}

static inline struct mib_oid oid_of(const struct mo_table *t, uint32_t subid,
				    const struct mo_index *index)
{
	struct mib_oid oid;

	memcpy(oid.sub, t->oid, t->oid_len * sizeof(oid.sub[0]));
	oid.sub[t->oid_len] = subid;
	memcpy(oid.sub + t->oid_len + 1, index->sub, index->n * sizeof(oid.sub[0]));
	oid.n = (uint8_t)(t->oid_len + 1 + index->n);
	return oid;
}

static inline void assert_oid_equal(const struct mib_oid *a, const struct mib_oid *b)
{
	assert_int_equal(mib_oid_compare(a, b), 0);
}

static inline void fill_every_table(unsigned rows, uint32_t step)
{
	for (unsigned t = 0; t < MO_TABLES; t++)
		fake_dcbd_fill((enum mo_table_id)t,
			       mo_table((enum mo_table_id)t)->n_index ? rows : 1, 1, step);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
