/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed objects by object identifier: looks up the objects of Get and
 * GetNext in the descriptors of mo.h and in the rows that dcbd returns.
 * Independent of SNMP and AgentX messages.
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
 * Creates the tree of all modules except the optional ones. cache has to exist
 * until mib_free(); the caller frees it. NULL: out of memory.
 */
struct mib *mib_new(struct mib_cache *cache);
void mib_free(struct mib *mib);

/*
 * Adds an optional module. Adding it again has no effect. false: there is no
 * optional module of this name.
 */
bool mib_add_module(struct mib *mib, const char *module);

/*
 * Hides the objects of a module from mib_get() and mib_next(), or shows them
 * again. mib_roots() and mib_claims() do not depend on it.
 */
void mib_withhold_module(struct mib *mib, const char *module, bool withhold);
/*
 * Hides the objects of all modules, or shows those again that are not withheld: as long as dcbd has
 * ended, objects beside its own in one request are served. Registrations stay: to mib_get() all
 * objects are MIB_NO_SUCH_OBJECT and to mib_next() MIB_END, as without them, and no registration
 * can be refused or lost when dcbd is back.
 */
void mib_hide(struct mib *mib, bool hide);
/* Returns the boot id of the dcbd that answered last: see mo_client_boot_id(). */
uint32_t mib_boot_id(const struct mib *mib);

/* The subtree to register with the master for a module. */
struct mib_root {
	const char *module;
	bool optional;      /* to unregister if another subagent has registered any part of it */
	struct mib_oid oid; /* the deepest node that contains all its tables and scalar groups */
};

/* Fills in one root per module. Returns their number. */
unsigned mib_roots(const struct mib *mib, struct mib_root roots[MIB_ROOTS_MAX]);

/*
 * Fills in the nodes to register besides root, parents before children. Returns
 * their number. A master refuses a registration only if another subagent has
 * registered the very same node. A subagent that serves this module is likely
 * to have registered one of these nodes: the module itself, a table, or the
 * entry of a table.
 */
unsigned mib_claims(const struct mib *mib, const struct mib_root *root,
		    struct mib_oid claims[MIB_CLAIMS_MAX]);

/*
 * Finds the table, the column and the index that oid names. *index may be
 * shorter than the index of the table; it is empty if oid is too long. false:
 * no such object.
 */
bool mib_resolve(const struct mib *mib, const struct mib_oid *oid, const struct mo_table **table,
		 const struct mo_column **col, struct mo_index *index);

/*
 * Reads the instance named oid. now_ms is the time of a monotonic clock, the
 * same for all varbinds of one request. Returns MIB_OK, MIB_NO_SUCH_OBJECT,
 * MIB_NO_SUCH_INSTANCE, MIB_GEN_ERR (dcbd did not answer) or MIB_LATE (it may
 * still answer).
 */
enum mib_result mib_get(struct mib *mib, int64_t now_ms, const struct mib_oid *oid,
			struct mo_value *value);

/*
 * Reads the first instance after start, or at start if include is set, and
 * before end (no limit if end->n is 0); its name goes to *next. now_ms as for
 * mib_get(). Returns MIB_OK, MIB_END (no such instance), MIB_GEN_ERR (dcbd did
 * not answer) or MIB_LATE (it may still answer).
 */
enum mib_result mib_next(struct mib *mib, int64_t now_ms, const struct mib_oid *start, bool include,
			 const struct mib_oid *end, struct mib_oid *next, struct mo_value *value);

#endif
