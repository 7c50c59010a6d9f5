/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_ROWS 256

void snapshot_init(struct snapshot *s, const struct collect *collect)
{
	memset(s, 0, sizeof(*s));
	s->collect = *collect;
}

void snapshot_free(struct snapshot *s)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		for (unsigned p = 0; p < s->tables[id].n_pages; p++)
			mo_page_free(&s->tables[id].pages[p]);
		free(s->tables[id].pages);
		s->tables[id] = (struct snapshot_table){.pages = NULL};
	}
}

static enum snapshot_status failed(struct snapshot *s, const char *reason)
{
	snprintf(s->error, sizeof(s->error), "%s", reason);
	return SNAPSHOT_FAILED;
}

/* Returns an empty page at the end of the table; NULL if out of memory. */
static struct mo_page *add_page(struct snapshot_table *t)
{
	if (t->n_pages == t->room) {
		unsigned room = t->room ? 2 * t->room : 4;
		struct mo_page *p = realloc(t->pages, room * sizeof(*p));

		if (!p)
			return NULL;
		t->pages = p;
		t->room = room;
	}
	t->pages[t->n_pages] = (struct mo_page){.n_rows = 0};
	return &t->pages[t->n_pages++];
}

static bool is_wanted(const struct snapshot *s, unsigned id)
{
	return s->collect.columns[id] || id == MO_port;
}

/* Whether the page fits, and is of the dcbd that sent those before it. */
static enum snapshot_status check_page(struct snapshot *s, const struct mo_page *page,
				       const struct mo_client *client)
{
	uint32_t boot_id = mo_client_boot_id(client);

	if (s->boot_id && s->boot_id != boot_id)
		/* Message: The next answer is complete, unless dcbd(8) ends again. */
		return failed(s, "dcbd was restarted while it was read");
	s->boot_id = boot_id;
	s->rows += page->n_rows;
	s->octets += page->buf_size + page->rows_size * sizeof(*page->rows);
	if (s->octets > SNAPSHOT_OCTETS_MAX)
		/* Message: Ask for fewer tables at a time: `collect[]` of dcb-exporter(8). */
		return failed(s, "dcbd has too many rows for one answer");
	return SNAPSHOT_MORE;
}

enum snapshot_status snapshot_read(struct snapshot *s, struct mo_client *client)
{
	struct snapshot_table *t;
	struct mo_index from = {.n = 0};
	struct mo_page *page;
	unsigned flags = 0;

	while (s->reading < MO_TABLES && !is_wanted(s, s->reading))
		s->reading++;
	if (s->reading == MO_TABLES)
		return SNAPSHOT_DONE;
	t = &s->tables[s->reading];
	if (t->n_pages > 0) {
		page = &t->pages[t->n_pages - 1];
		from = page->rows[page->n_rows - 1].index;
		flags = MO_READ_AFTER;
	}
	page = add_page(t);
	if (!page)
		/* Message: as "out of memory" */
		return failed(s, "out of memory");
	if (mo_client_read(client, (enum mo_table_id)s->reading, flags, &from, PAGE_ROWS, page) !=
	    MO_CLIENT_OK)
		return failed(s, mo_client_strerror(client));
	if (!page->more || page->n_rows == 0)
		s->reading++;
	return check_page(s, page, client);
}

/* --- names of ports --------------------------------------------------------------------- */

static uint32_t first_ifindex(const struct mo_page *page)
{
	return page->n_rows > 0 ? page->rows[0].index.sub[0] : UINT32_MAX;
}

/* Returns the last page that begins at or before this ifIndex; NULL: none. */
static const struct mo_page *page_of_port(const struct snapshot_table *t, uint32_t ifindex)
{
	unsigned low = 0, high = t->n_pages;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (first_ifindex(&t->pages[middle]) <= ifindex)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &t->pages[low - 1] : NULL;
}

static int compare_ifindex(const void *key, const void *row)
{
	uint32_t ifindex = *(const uint32_t *)key;
	uint32_t other = ((const struct mo_page_row *)row)->index.sub[0];

	return (ifindex > other) - (ifindex < other);
}

static const struct mo_column *name_column(void)
{
	const struct mo_table *table;

	return mo_column_by_name(MO_NAME(dcbPortName), &table);
}

const char *snapshot_name(const struct snapshot *s, uint32_t ifindex,
			  char name[SNAPSHOT_PORT_OCTETS])
{
	const struct mo_page *page = page_of_port(&s->tables[MO_port], ifindex);
	const struct mo_page_row *row = NULL;
	struct mo_value value;

	if (page && page->n_rows > 0)
		row = bsearch(&ifindex, page->rows, page->n_rows, sizeof(*row), compare_ifindex);
	if (!row || !mo_page_value(page, (unsigned)(row - page->rows), name_column(), &value) ||
	    value.len == 0 || value.len >= SNAPSHOT_PORT_OCTETS)
		return NULL;
	snprintf(name, SNAPSHOT_PORT_OCTETS, "%.*s", value.len, (char *)value.octets);
	return name;
}

const char *snapshot_port(const struct snapshot *s, uint32_t ifindex,
			  char name[SNAPSHOT_PORT_OCTETS])
{
	if (!snapshot_name(s, ifindex, name))
		snprintf(name, SNAPSHOT_PORT_OCTETS, "%" PRIu32, ifindex);
	return name;
}
