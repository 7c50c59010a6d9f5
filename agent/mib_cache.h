/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cache of rows read from dcbd, in pages of consecutive rows of one table.
 *
 * snmpd asks a subagent for one successor at a time, even within a GETBULK.
 * Without a cache, a walk would cost one message to dcbd per varbind. A page is
 * used for MIB_PAGE_MS. The number of rows read into a page grows while reads
 * continue where the last page ended, and shrinks when pages expire before all
 * their rows were used. A SET by this subagent, or a restart of dcbd,
 * invalidates all pages.
 *
 * now_ms is the time of a monotonic clock, the same for all varbinds of one
 * request.
 */
#ifndef DCB_AGENT_MIB_CACHE_H
#define DCB_AGENT_MIB_CACHE_H

#include "agent/mib_result.h"
#include "lib/mo/mo_client.h"

#define MIB_PAGE_MS   100 /* a page is used for so long */
#define MIB_PAGE_ROWS 64  /* most rows of a page */

/* client has to exist until mib_cache_free(); the caller frees it. NULL: out of memory. */
struct mib_cache *mib_cache_new(struct mo_client *client);
void mib_cache_free(struct mib_cache *c);

/*
 * Finds the first row of table whose index is key or greater, in the cache or
 * from dcbd. key has the length of the table's index. Returns MIB_OK, MIB_END
 * if there is no such row, MIB_GEN_ERR if dcbd did not answer, or MIB_LATE. *page and
 * *row are valid until the next call of a function of this cache.
 */
enum mib_result mib_cache_find(struct mib_cache *c, int64_t now_ms, const struct mo_table *table,
			       const struct mo_index *key, const struct mo_page **page,
			       unsigned *row);

/*
 * For a client of mo_client_wait_slices(). From now on mib_cache_find() returns MIB_LATE
 * when a reply has not come in time, and then for all rows that are not in the
 * cache, until mib_cache_resume(). The first call after that has to be for the
 * row that was late first.
 */
void mib_cache_allow_late(struct mib_cache *c);
void mib_cache_resume(struct mib_cache *c);

/* Returns the boot id of the dcbd that answered last: see mo_client_boot_id(). */
uint32_t mib_cache_boot_id(const struct mib_cache *c);

/* Invalidates all pages; call after a SET. */
void mib_cache_drop(struct mib_cache *c);

/*
 * Takes the result of a call of a client, and logs when dcbd stops and resumes answering.
 * *is_down: kept for this client, initially false.
 */
void mib_note_status(bool *is_down, const struct mo_client *client, enum mo_client_status status);

/* Increments index, of the same length, in lexicographic order. false: it was the greatest. */
static inline bool mib_index_increment(struct mo_index *index)
{
	for (unsigned i = index->n; i-- > 0;)
		if (++index->sub[i] != 0)
			return true;
	return false;
}

#endif
