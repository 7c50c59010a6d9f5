/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/mib_cache.h"

#include "lib/log.h"

#include <stdlib.h>

#define MIB_PAGES    16
#define MIB_TREND_MS 1000 /* age up to which a page predicts the next reads */

/* Rows of one table, from the index "from" on. */
struct cached_page {
	struct mo_page page;
	struct mo_index from;
	unsigned asked; /* rows that were requested */
	uint32_t boot_id;
	int64_t read_ms;
	uint64_t used; /* value of turn at the last access; 0: invalid */
};

struct mib_cache {
	struct mo_client *client;
	struct cached_page pages[MIB_PAGES];
	uint64_t turn;
	bool is_down; /* the last read failed */
	bool is_shared;
	bool is_held; /* a reply is late, and mib_cache_resume() was not called since */
};

struct mib_cache *mib_cache_new(struct mo_client *client)
{
	struct mib_cache *c = calloc(1, sizeof(*c));

	if (c)
		c->client = client;
	return c;
}

void mib_cache_free(struct mib_cache *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < MIB_PAGES; i++)
		mo_page_free(&c->pages[i].page);
	free(c);
}

void mib_cache_allow_late(struct mib_cache *c)
{
	c->is_shared = true;
}

void mib_cache_resume(struct mib_cache *c)
{
	c->is_held = false;
}

uint32_t mib_cache_boot_id(const struct mib_cache *c)
{
	return mo_client_boot_id(c->client);
}

/* --- is dcbd reachable -------------------------------------------------------- */

void mib_note_status(bool *is_down, const struct mo_client *client, enum mo_client_status status)
{
	bool down = status != MO_CLIENT_OK && status != MO_CLIENT_REFUSED;

	if (down && !*is_down)
		/*
		 * Message: dcbd(8) does not answer. The text has the path of the view socket or of
		 * the control socket and the cause, as in the messages of dcbctl(8). Start dcbd(8),
		 * or correct the path (`-c`), or add the user of dcb-agentx to the group of the
		 * control socket. If the cause is `no answer in time`, check the load of the host,
		 * or use a longer time limit (`-T`).
		 */
		log_warn_limited("mo", "%s; requests fail with genErr until dcbd answers",
				 mo_client_strerror(client));
	if (!down && *is_down)
		log_info_limited("mo", "dcbd answers again");
	*is_down = down;
}

/* --- pages ------------------------------------------------------------------ */

void mib_cache_drop(struct mib_cache *c)
{
	for (unsigned i = 0; i < MIB_PAGES; i++)
		c->pages[i].used = 0;
}

/* Returns the first row of the page with index key or greater; n_rows if none. */
static unsigned page_search(const struct mo_page *page, const struct mo_index *key)
{
	unsigned low = 0, high = page->n_rows;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (mo_index_compare(&page->rows[mid].index, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool page_is_fresh(const struct mib_cache *c, const struct cached_page *p, int64_t now_ms)
{
	return now_ms - p->read_ms < MIB_PAGE_MS && p->boot_id == mo_client_boot_id(c->client);
}

/*
 * Returns whether the page answers which row is the first with index key or
 * greater. *row is then its number, n_rows if the table has none.
 */
static bool page_covers(const struct cached_page *p, const struct mo_index *key, unsigned *row)
{
	if (mo_index_compare(key, &p->from) < 0)
		return false;
	*row = page_search(&p->page, key);
	return *row < p->page.n_rows || !p->page.more;
}

/*
 * Returns how many rows to read from key on, as indicated by an earlier page p
 * of the same table; 0: no indication.
 *
 *   key follows the last row of p       4 times the rows requested for p
 *   key is in p, which has expired      a quarter of them
 *   key is the start of the table and   as many: a walk continues with the next
 *   p reaches its end                   column
 */
static unsigned rows_after(const struct cached_page *p, const struct mo_index *key)
{
	struct mo_index next;
	bool at_start = true;

	for (unsigned i = 0; i < key->n; i++)
		at_start &= key->sub[i] == 0;
	if (at_start)
		return p->page.more ? 0 : p->asked;
	if (p->page.n_rows == 0 || mo_index_compare(key, &p->from) <= 0)
		return 0;
	next = p->page.rows[p->page.n_rows - 1].index;
	if (mo_index_compare(key, &next) <= 0)
		return p->asked < 4 ? 1 : p->asked / 4;
	if (!mib_index_increment(&next) || mo_index_compare(key, &next) > 0)
		return 0;
	return p->asked * 4;
}

/* Chooses the page to replace by the rows of table from key on, and how many rows to read. */
static struct cached_page *page_claim(struct mib_cache *c, int64_t now_ms,
				      const struct mo_table *table, const struct mo_index *key)
{
	struct cached_page *victim = &c->pages[0];
	uint64_t latest = 0; /* used of the page that the number of rows is from */
	unsigned rows = 1;

	for (unsigned i = 0; i < MIB_PAGES; i++) {
		struct cached_page *p = &c->pages[i];

		if (p->used > latest && p->page.table == table &&
		    now_ms - p->read_ms < MIB_TREND_MS && rows_after(p, key)) {
			latest = p->used;
			rows = rows_after(p, key);
		}
		if (p->used < victim->used)
			victim = p;
	}
	victim->from = *key;
	victim->asked = rows < MIB_PAGE_ROWS ? rows : MIB_PAGE_ROWS;
	return victim;
}

/*
 * Checks that the rows are of the table's index length, in ascending order and
 * not before the requested index.
 */
static bool page_is_sound(const struct cached_page *p)
{
	const struct mo_page *page = &p->page;

	for (unsigned i = 0; i < page->n_rows; i++) {
		const struct mo_index *index = &page->rows[i].index;

		if (index->n != page->table->index_len)
			return false;
		if (mo_index_compare(index, i ? &page->rows[i - 1].index : &p->from) < (i ? 1 : 0))
			return false;
	}
	return page->n_rows > 0 || !page->more;
}

/* Reads a page into *result. Returns MIB_OK, MIB_GEN_ERR or MIB_LATE. */
static enum mib_result page_read(struct mib_cache *c, int64_t now_ms, const struct mo_table *table,
				 const struct mo_index *key, struct cached_page **result)
{
	enum mo_client_status status;
	struct cached_page *p;

	if (c->is_held)
		return MIB_LATE;
	p = page_claim(c, now_ms, table, key);
	p->used = 0;
	status = mo_client_read(c->client, table->id, 0, key, p->asked, &p->page);
	/* After a restart of dcbd the first use of the old connection fails: try again once. */
	if (status == MO_CLIENT_UNREACHABLE)
		status = mo_client_read(c->client, table->id, 0, key, p->asked, &p->page);
	c->is_held = c->is_shared && mo_client_late_fd(c->client) >= 0;
	if (c->is_held)
		return MIB_LATE;
	mib_note_status(&c->is_down, c->client, status);
	if (status != MO_CLIENT_OK)
		return MIB_GEN_ERR;
	if (!page_is_sound(p)) {
		/*
		 * Message: dcb-agentx and dcbd(8) are of different versions. Install the same
		 * version of both and restart both.
		 */
		log_error_limited("mo", "dcbd sent rows of %s with a wrong index, or out of order",
				  table->name);
		return MIB_GEN_ERR;
	}
	p->read_ms = now_ms;
	p->boot_id = mo_client_boot_id(c->client);
	p->used = ++c->turn;
	*result = p;
	return MIB_OK;
}

enum mib_result mib_cache_find(struct mib_cache *c, int64_t now_ms, const struct mo_table *table,
			       const struct mo_index *key, const struct mo_page **page,
			       unsigned *row)
{
	enum mib_result result;
	struct cached_page *p;

	for (unsigned i = 0; i < MIB_PAGES; i++) {
		p = &c->pages[i];
		if (p->used && p->page.table == table && page_is_fresh(c, p, now_ms) &&
		    page_covers(p, key, row)) {
			p->used = ++c->turn;
			goto found;
		}
	}
	result = page_read(c, now_ms, table, key, &p);
	if (result != MIB_OK)
		return result;
	*row = 0;
found:
	*page = &p->page;
	return *row < p->page.n_rows ? MIB_OK : MIB_END;
}
