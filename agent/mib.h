/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed objects by object identifier: what Get and GetNext need, made
 * of the descriptors of mo.h and of the rows of dcbd. Knows neither SNMP nor
 * AgentX messages.
 */
#ifndef DCB_AGENT_MIB_H
#define DCB_AGENT_MIB_H

#include "agent/mib_oid.h"
#include "agent/mib_result.h"
#include "lib/mo/mo.h"

#define MIB_ROOTS_MAX  8
#define MIB_CLAIMS_MAX 16

struct mib;
struct mib_cache;

/*
 * All modules but the optional ones. Uses the cache for as long as it lives,
 * does not own it. NULL: out of memory.
 */
struct mib *mib_new(struct mib_cache *cache);
void mib_free(struct mib *mib);

/* Takes in an optional module, once. false: there is none of this name. */
bool mib_add_module(struct mib *mib, const char *module);

/*
 * While a module is withheld none of its objects exists for mib_get() and
 * mib_next(); mib_roots() and mib_claims() are as before.
 */
void mib_withhold_module(struct mib *mib, const char *module, bool withhold);

/* What to register with the master for a module. */
struct mib_root {
	const char *module;
	bool optional;      /* ... and to leave alone where another subagent has some of it */
	struct mib_oid oid; /* the deepest node above all its tables and scalar groups */
};

/* One a module. Returns their number. */
unsigned mib_roots(const struct mib *mib, struct mib_root roots[MIB_ROOTS_MAX]);

/*
 * A master refuses what another subagent has registered only where it is the
 * very same node. These are the others that somebody who serves this module is
 * likely to have registered: from the module itself down to the entries of its
 * tables, what is above going before what is below. Returns their number.
 */
unsigned mib_claims(const struct mib *mib, const struct mib_root *root,
		    struct mib_oid claims[MIB_CLAIMS_MAX]);

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
