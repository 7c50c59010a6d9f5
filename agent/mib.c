/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/mib.h"

#include "agent/mib_cache.h"

#include <stdlib.h>
#include <string.h>

/* One per COL row. */
enum {
#define COL(tab, sub, name, ...) MIB_OBJECT_##name##_##tab,
#include "mibs/all.def"
	MIB_OBJECTS
};

struct mib_object {
	const struct mo_table *table;
	const struct mo_column *col;
};

struct mib {
	struct mib_cache *cache;
	bool tables[MO_TABLES];   /* tables that are served */
	bool withheld[MO_TABLES]; /* of these, tables that are hidden */
	bool hides;               /* all of them */
	unsigned n_objects;
	struct mib_object objects[MIB_OBJECTS]; /* in ascending order of OID */
};

/* --- objects in OID order ------------------------------------------------- */

static int table_oid_compare(const struct mo_table *a, const struct mo_table *b)
{
	unsigned n = a->oid_len < b->oid_len ? a->oid_len : b->oid_len;

	for (unsigned i = 0; i < n; i++)
		if (a->oid[i] != b->oid[i])
			return a->oid[i] < b->oid[i] ? -1 : 1;
	return a->oid_len - b->oid_len;
}

static int object_compare(const void *pa, const void *pb)
{
	const struct mib_object *a = pa, *b = pb;

	if (a->table != b->table)
		return table_oid_compare(a->table, b->table);
	return a->col->subid < b->col->subid ? -1 : a->col->subid > b->col->subid;
}

/*
 * Compares an object's subtree with oid: negative if all of it is before oid, 0
 * if oid is in it, positive if all of it is after oid.
 */
static int subtree_compare(const struct mib_object *object, const struct mib_oid *oid)
{
	const struct mo_table *t = object->table;

	for (unsigned i = 0; i < t->oid_len; i++) {
		if (i >= oid->n || t->oid[i] > oid->sub[i])
			return 1;
		if (t->oid[i] < oid->sub[i])
			return -1;
	}
	if (t->oid_len >= oid->n || object->col->subid > oid->sub[t->oid_len])
		return 1;
	return object->col->subid < oid->sub[t->oid_len] ? -1 : 0;
}

/* Returns the first object whose subtree is not entirely before oid; n_objects if none. */
static unsigned first_object(const struct mib *mib, const struct mib_oid *oid)
{
	unsigned low = 0, high = mib->n_objects;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (subtree_compare(&mib->objects[mid], oid) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void object_oid(const struct mib_object *object, const struct mo_index *index,
		       struct mib_oid *oid)
{
	const struct mo_table *t = object->table;

	memcpy(oid->sub, t->oid, t->oid_len * sizeof(oid->sub[0]));
	oid->sub[t->oid_len] = object->col->subid;
	memcpy(&oid->sub[t->oid_len + 1], index->sub, index->n * sizeof(oid->sub[0]));
	oid->n = (uint8_t)(t->oid_len + 1 + index->n);
}

static void gather_objects(struct mib *mib)
{
	mib->n_objects = 0;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		if (!mib->tables[id] || mib->withheld[id] || mib->hides)
			continue;
		for (unsigned i = 0; i < t->n_columns; i++)
			mib->objects[mib->n_objects++] = (struct mib_object){t, &t->columns[i]};
	}
	qsort(mib->objects, mib->n_objects, sizeof(mib->objects[0]), object_compare);
}

struct mib *mib_new(struct mib_cache *cache)
{
	struct mib *mib = calloc(1, sizeof(*mib));

	if (!mib)
		return NULL;
	mib->cache = cache;
	for (unsigned id = 0; id < MO_TABLES; id++)
		mib->tables[id] = !mo_table((enum mo_table_id)id)->optional;
	gather_objects(mib);
	return mib;
}

bool mib_add_module(struct mib *mib, const char *module)
{
	bool found = false;

	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		if (t->optional && strcmp(t->module, module) == 0)
			found = mib->tables[id] = true;
	}
	gather_objects(mib);
	return found;
}

void mib_withhold_module(struct mib *mib, const char *module, bool withhold)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		if (strcmp(mo_table((enum mo_table_id)id)->module, module) == 0)
			mib->withheld[id] = withhold;
	}
	gather_objects(mib);
}

void mib_hide(struct mib *mib, bool hide)
{
	mib->hides = hide;
	gather_objects(mib);
}

uint32_t mib_boot_id(const struct mib *mib)
{
	return mib_cache_boot_id(mib->cache);
}

void mib_free(struct mib *mib)
{
	free(mib);
}

/*
 * Returns the length of the OID of the table or scalar group. t->oid is that of fooTable.fooEntry,
 * or of the scalar group. A module of which one table is served is registered at this table, so
 * that other subagents may serve the rest; otherwise at the node above all its tables.
 */
static unsigned root_length(const struct mo_table *t)
{
	return t->oid_len - (t->n_index ? 1u : 0u);
}

/* Returns the position of the root of the table's module; n: none yet. */
static unsigned root_of(const struct mo_table *t, const struct mib_root *roots, unsigned n)
{
	unsigned r = 0;

	while (r < n && strcmp(roots[r].module, t->module) != 0)
		r++;
	return r;
}

unsigned mib_roots(const struct mib *mib, struct mib_root roots[MIB_ROOTS_MAX])
{
	unsigned n = 0;

	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);
		unsigned len = root_length(t), r = root_of(t, roots, n), common = 0;
		struct mib_oid *root;

		if (!mib->tables[id])
			continue;
		if (r == MIB_ROOTS_MAX)
			abort(); /* raise MIB_ROOTS_MAX */
		root = &roots[r].oid;
		if (r == n) {
			roots[n++] =
			    (struct mib_root){.module = t->module, .optional = t->optional};
			root->n = (uint8_t)len;
			memcpy(root->sub, t->oid, len * sizeof(t->oid[0]));
		}
		while (common < len && common < root->n && root->sub[common] == t->oid[common])
			common++;
		root->n = (uint8_t)common;
	}
	return n;
}

static void add_claim(struct mib_oid claims[MIB_CLAIMS_MAX], unsigned *n, const uint32_t *sub,
		      unsigned len)
{
	for (unsigned i = 0; i < *n; i++)
		if (claims[i].n == len && memcmp(claims[i].sub, sub, len * sizeof(*sub)) == 0)
			return;
	if (*n == MIB_CLAIMS_MAX)
		abort(); /* raise MIB_CLAIMS_MAX */
	claims[*n].n = (uint8_t)len;
	memcpy(claims[(*n)++].sub, sub, len * sizeof(*sub));
}

unsigned mib_claims(const struct mib *mib, const struct mib_root *root,
		    struct mib_oid claims[MIB_CLAIMS_MAX])
{
	unsigned n = 0;

	/* The root is the objects node of its module, its parent is the module. */
	add_claim(claims, &n, root->oid.sub, root->oid.n - 1u);
	for (unsigned len = root->oid.n + 1u; len <= MO_OID_MAX; len++) {
		for (unsigned id = 0; id < MO_TABLES; id++) {
			const struct mo_table *t = mo_table((enum mo_table_id)id);

			if (mib->tables[id] && t->oid_len >= len &&
			    strcmp(t->module, root->module) == 0)
				add_claim(claims, &n, t->oid, len);
		}
	}
	return n;
}

bool mib_resolve(const struct mib *mib, const struct mib_oid *oid, const struct mo_table **table,
		 const struct mo_column **col, struct mo_index *index)
{
	unsigned at = first_object(mib, oid);
	const struct mib_object *object = &mib->objects[at];
	unsigned prefix;

	if (at == mib->n_objects || subtree_compare(object, oid) != 0)
		return false;
	*table = object->table;
	*col = object->col;
	prefix = object->table->oid_len + 1u;
	/* An index that is too long becomes empty: no row has either. */
	index->n = (uint8_t)(oid->n - prefix);
	if (index->n > object->table->index_len)
		index->n = 0;
	memcpy(index->sub, &oid->sub[prefix], index->n * sizeof(index->sub[0]));
	return true;
}

/* --- Get and GetNext -------------------------------------------------------- */

enum mib_result mib_get(struct mib *mib, int64_t now_ms, const struct mib_oid *oid,
			struct mo_value *value)
{
	const struct mo_table *table;
	const struct mo_column *col;
	const struct mo_page *page;
	struct mo_index index;
	enum mib_result result;
	unsigned row;

	if (!mib_resolve(mib, oid, &table, &col, &index))
		return MIB_NO_SUCH_OBJECT;
	if (index.n != table->index_len)
		return MIB_NO_SUCH_INSTANCE;
	result = mib_cache_find(mib->cache, now_ms, table, &index, &page, &row);
	if (result == MIB_GEN_ERR || result == MIB_LATE)
		return result;
	if (result != MIB_OK || mo_index_compare(&page->rows[row].index, &index) != 0 ||
	    !mo_page_value(page, row, col, value))
		return MIB_NO_SUCH_INSTANCE;
	return MIB_OK;
}

/*
 * Sets *key to the least index that an instance of this object after oid (or at
 * oid, if include) can have. The object's subtree is not entirely before oid.
 * false: there is none.
 */
static bool first_key(const struct mib_object *object, const struct mib_oid *oid, bool include,
		      struct mo_index *key)
{
	unsigned prefix = object->table->oid_len + 1u;
	unsigned have;

	memset(key, 0, sizeof(*key));
	key->n = object->table->index_len;
	if (subtree_compare(object, oid) != 0)
		return true;
	have = oid->n - prefix;
	memcpy(key->sub, &oid->sub[prefix], (have < key->n ? have : key->n) * sizeof(key->sub[0]));
	if (have < key->n || (have == key->n && include))
		return true;
	return mib_index_increment(key);
}

/*
 * Reads the object's first instance with index *key or greater, and sets *key
 * to its index. Returns as mib_cache_find().
 */
static enum mib_result next_in_object(struct mib *mib, int64_t now_ms,
				      const struct mib_object *object, struct mo_index *key,
				      struct mo_value *value)
{
	for (;;) {
		const struct mo_page *page;
		enum mib_result result;
		unsigned row;

		result = mib_cache_find(mib->cache, now_ms, object->table, key, &page, &row);
		if (result != MIB_OK)
			return result;
		*key = page->rows[row].index;
		if (mo_page_value(page, row, object->col, value))
			return MIB_OK;
		if (!mib_index_increment(key))
			return MIB_END;
	}
}

enum mib_result mib_next(struct mib *mib, int64_t now_ms, const struct mib_oid *start, bool include,
			 const struct mib_oid *end, struct mib_oid *next, struct mo_value *value)
{
	for (unsigned i = first_object(mib, start); i < mib->n_objects; i++) {
		const struct mib_object *object = &mib->objects[i];
		enum mib_result result;
		struct mo_index key;

		if (!first_key(object, start, include, &key))
			continue;
		object_oid(object, &key, next);
		if (end->n && mib_oid_compare(next, end) >= 0)
			return MIB_END;
		result = next_in_object(mib, now_ms, object, &key, value);
		if (result == MIB_GEN_ERR || result == MIB_LATE)
			return result;
		if (result == MIB_END)
			continue;
		object_oid(object, &key, next);
		return end->n && mib_oid_compare(next, end) >= 0 ? MIB_END : MIB_OK;
	}
	return MIB_END;
}
