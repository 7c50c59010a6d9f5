/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/tables.h"

#include <assert.h>
#include <event2/buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"

static void put(struct evbuffer *out, const char *text)
{
	evbuffer_add(out, text, strlen(text));
}

static void put_json(struct evbuffer *out, json_t *value)
{
	char *text = out_alloc_check(json_dumps(value, JSON_COMPACT));

	put(out, text);
	free(text);
	json_decref(value);
}

static void put_row(struct evbuffer *out, const struct snapshot *s, const struct mo_page *page,
		    unsigned i)
{
	char name[SNAPSHOT_PORT_OCTETS];
	struct mo_value values[OUT_COLUMNS_MAX];
	struct out_row row = {.index = page->rows[i].index, .values = values};
	uint32_t ifindex;
	json_t *r;

	for (unsigned c = 0; c < page->table->n_columns; c++) {
		if (mo_page_value(page, i, &page->table->columns[c], &values[c]))
			row.present |= UINT64_C(1) << c;
	}
	r = out_json_row(page->table, NULL, &row);
	ifindex = out_json_row_ifindex(page->table, &row);
	out_json_put_port(r, ifindex, snapshot_name(s, ifindex, name));
	put_json(out, r);
}

/*
 * Adds the text that dcbctl writes for a table without rows, up to the rows: [{"table": ...,
 * "rows": []}] without its first and its last characters. So all other members are those of dcbctl.
 */
static void begin_table(struct tables *t, const struct mo_table *table, struct evbuffer *out)
{
	static const char end[] = "]}]\n";
	char *text = NULL;
	size_t len = 0;
	FILE *f = out_alloc_check(open_memstream(&text, &len));
	struct out *json = out_json_new(f, true);

	json->ops->table(json, table, NULL);
	json->ops->end(json, true);
	fclose(f);
	out_alloc_check(text);
	assert(len > sizeof(end) && strcmp(text + len - (sizeof(end) - 1), end) == 0);
	put(out, t->any ? ",\n" : "");
	evbuffer_add(out, text + 1, len - 1 - (sizeof(end) - 1));
	free(text);
	t->begun = t->any = true;
}

static void end_table(struct tables *t, struct evbuffer *out)
{
	put(out, "]}");
	t->table++;
	t->page = t->row = 0;
	t->begun = false;
}

/* Writes rows of one table. Returns whether it is complete. */
static bool write_table(struct tables *t, const struct snapshot *s, struct evbuffer *out,
			size_t octets)
{
	const struct snapshot_table *table = &s->tables[t->table];

	for (; t->page < table->n_pages; t->page++, t->row = 0) {
		for (; t->row < table->pages[t->page].n_rows; t->row++) {
			if (evbuffer_get_length(out) >= octets)
				return false;
			if (t->page > 0 || t->row > 0)
				put(out, ",\n");
			put_row(out, s, &table->pages[t->page], t->row);
		}
	}
	return true;
}

void tables_begin(struct evbuffer *out)
{
	put(out, "[");
}

bool tables_write(struct tables *t, const struct snapshot *s, struct evbuffer *out, size_t octets)
{
	while (t->table < MO_TABLES) {
		if (!s->collect.columns[t->table]) {
			t->table++;
			continue;
		}
		if (evbuffer_get_length(out) >= octets)
			return true;
		if (!t->begun)
			begin_table(t, mo_table((enum mo_table_id)t->table), out);
		if (!write_table(t, s, out, octets))
			return true;
		end_table(t, out);
	}
	put(out, "]\n");
	return false;
}

void tables_write_error(struct evbuffer *out, const char *reason)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "error", out_json_text(reason));
	put_json(out, o);
	put(out, "\n");
}
