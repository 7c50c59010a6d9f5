/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed objects by object identifier: what Get and GetNext need, made
 * of the descriptors of mo.h and of the rows of dcbd. Knows neither SNMP nor
 * AgentX messages.
 */
#ifndef DCB_AGENT_MIB_H
#define DCB_AGENT_MIB_H

#include "agent/mib_oid.h"
#include "agent/mo.h"

#define MIB_ROOTS_MAX 8

enum mib_result {
	MIB_OK,
	MIB_NO_SUCH_OBJECT,
	MIB_NO_SUCH_INSTANCE,
	MIB_END, /* endOfMibView: nothing in the range */
	MIB_GEN_ERR,
};

struct mib;
struct mib_cache;

/* Uses the cache for as long as it lives, does not own it. NULL: out of memory. */
struct mib *mib_new(struct mib_cache *cache);
void mib_free(struct mib *mib);

/*
 * The subtrees to register with the master, one a module: the deepest node
 * above all its tables and scalar groups. Returns their number.
 */
unsigned mib_roots(struct mib_oid roots[MIB_ROOTS_MAX]);

/* Which column of which table, and which instance of it. false: no such object. */
bool mib_resolve(const struct mib *mib, const struct mib_oid *oid, const struct mo_table **table,
		 const struct mo_column **col, struct mo_index *index);

/*
 * now_ms is a monotonic clock's, the same for all varbinds of one request.
 * MIB_OK, MIB_NO_SUCH_OBJECT, MIB_NO_SUCH_INSTANCE or MIB_GEN_ERR.
 */
enum mib_result mib_get(struct mib *mib, int64_t now_ms, const struct mib_oid *oid,
			struct mo_value *value);

/*
 * The first instance after start, or at start where include is set, and before
 * end (none where end->n is 0). MIB_OK, MIB_END or MIB_GEN_ERR.
 */
enum mib_result mib_next(struct mib *mib, int64_t now_ms, const struct mib_oid *start, bool include,
			 const struct mib_oid *end, struct mib_oid *next, struct mo_value *value);

#endif
