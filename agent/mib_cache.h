/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of dcbd, a page at a time.
 *
 * snmpd asks for one successor at a time, even within a GETBULK, so a walk
 * would cost a message to dcbd per varbind. Rows are therefore read a page at
 * a time and kept for MIB_PAGE_MS; how many rows a page takes grows while the
 * accesses go on from where the last page ended, and shrinks when pages expire
 * unused. A SET of ours or another run of dcbd makes every page stale.
 *
 * Time is the caller's: now_ms of a monotonic clock, the same for all
 * varbinds of one request.
 */
#ifndef DCB_AGENT_MIB_CACHE_H
#define DCB_AGENT_MIB_CACHE_H

#include "agent/mib_result.h"
#include "lib/mo/mo_client.h"

#define MIB_PAGE_MS   100  /* age at which a page is read again */
#define MIB_PAGE_ROWS 64   /* rows in the longest page */
#define MIB_HOLD_MS   1000 /* how long a dcbd that let a call time out is left alone */

/* Uses client for as long as it lives, does not own it. NULL: out of memory. */
struct mib_cache *mib_cache_new(struct mo_client *client);
void mib_cache_free(struct mib_cache *c);

/*
 * The first row of table at or after key, which is of the table's index
 * length: MIB_OK, or MIB_END where there is none, or MIB_GEN_ERR. *page is
 * good until the next call.
 */
enum mib_result mib_cache_find(struct mib_cache *c, int64_t now_ms, const struct mo_table *table,
			       const struct mo_index *key, const struct mo_page **page,
			       unsigned *row);

/* Forget every page: what they hold may have changed. */
void mib_cache_drop(struct mib_cache *c);

/*
 * For other users of the same client: is dcbd left alone at the moment, and how
 * a call went (which starts or ends that, and says so in the log).
 */
bool mib_cache_is_held(const struct mib_cache *c, int64_t now_ms);
void mib_cache_note_status(struct mib_cache *c, int64_t now_ms, enum mo_client_status status);

/* To the next index of the same length. false: there is none. */
static inline bool mib_index_increment(struct mo_index *index)
{
	for (unsigned i = index->n; i-- > 0;)
		if (++index->sub[i] != 0)
			return true;
	return false;
}

#endif
