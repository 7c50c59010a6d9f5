/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/metrics.h"

#include <event2/buffer.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LABELS_OCTETS 512
#define TEXT_OCTETS   (2 * MO_VALUE_TEXT + 1)

/* --- labels -------------------------------------------------------------------------------- */

static void put_label(char *labels, size_t *n, const char *name, const char *escaped)
{
	*n += (size_t)snprintf(labels + *n, LABELS_OCTETS - *n, "%s%s=\"%s\"", *n ? "," : "", name,
			       escaped);
}

static void part_text(const struct snapshot *s, const struct mo_index_part *part,
		      const uint32_t *sub, bool is_port, char text[METRIC_LABEL_OCTETS])
{
	char name[SNAPSHOT_PORT_OCTETS];
	size_t n = 0;

	if (is_port) {
		snapshot_port(s, sub[0], name);
		metric_escape(name, strlen(name), text, METRIC_LABEL_OCTETS);
	} else if (!part->octets) {
		snprintf(text, METRIC_LABEL_OCTETS, "%" PRIu32, sub[0]);
	} else {
		for (unsigned i = 0; i < part->max; i++)
			n += (size_t)snprintf(text + n, METRIC_LABEL_OCTETS - n, "%s%02" PRIx32,
					      i ? "-" : "", sub[i] & 0xff);
	}
}

/* Writes port="swp1",pfc_priority="3" for a row. Returns the length. */
static size_t row_labels(const struct snapshot *s, const struct mo_table *table,
			 const struct mo_index *index, char labels[LABELS_OCTETS])
{
	char name[METRIC_LABEL_OCTETS], text[METRIC_LABEL_OCTETS];
	const uint32_t *sub = index->sub;
	size_t n = 0;

	labels[0] = '\0';
	for (unsigned i = 0; i < table->n_index; i++) {
		const struct mo_index_part *part = &table->index[i];

		metric_label(part, name);
		if (name[0]) {
			part_text(s, part, sub, strcmp(name, "port") == 0, text);
			put_label(labels, &n, name, text);
		}
		sub += part->octets ? part->max : 1;
	}
	return n;
}

/* --- samples ------------------------------------------------------------------------------- */

static void put_sample(struct evbuffer *out, const char *name, const char *labels,
		       const char *value)
{
	evbuffer_add(out, name, strlen(name));
	if (labels[0]) {
		evbuffer_add(out, "{", 1);
		evbuffer_add(out, labels, strlen(labels));
		evbuffer_add(out, "}", 1);
	}
	evbuffer_add(out, " ", 1);
	evbuffer_add(out, value, strlen(value));
	evbuffer_add(out, "\n", 1);
}

static bool has_name(const struct mo_column *col, const struct mo_value *value,
		     const struct mo_enum *e)
{
	if (col->syntax != MO_BITS)
		return e->value == value->num;
	return e->value / 8 < value->len &&
	       (value->octets[e->value / 8] >> (7 - e->value % 8) & 1) != 0;
}

/* A sample for each name; all: also for those that the value does not have. */
static void put_names(struct evbuffer *out, const struct metric *m, const struct mo_column *col,
		      const struct mo_value *value, char labels[LABELS_OCTETS], size_t n)
{
	for (const struct mo_enum *e = col->names; e && e->name; e++) {
		bool set = has_name(col, value, e);
		size_t end = n;

		if (!set && m->form == METRIC_NAMED)
			continue;
		put_label(labels, &end, m->form == METRIC_BITS ? "bit" : "state", e->name);
		put_sample(out, m->name, labels, set ? "1" : "0");
	}
}

static void put_text(struct evbuffer *out, const struct metric *m, const struct mo_column *col,
		     const struct mo_value *value, char labels[LABELS_OCTETS], size_t n)
{
	char text[MO_VALUE_TEXT], escaped[TEXT_OCTETS];

	if (value->len == 0)
		return;
	mo_format(col, value, text, sizeof(text));
	metric_escape(text, strlen(text), escaped, sizeof(escaped));
	evbuffer_add_printf(out, "%s{%.*s%stext=\"%s\"} 1\n", m->name, (int)n, labels, n ? "," : "",
			    escaped);
}

static void put_row(struct evbuffer *out, const struct metric *m, const struct snapshot *s,
		    const struct mo_page *page, unsigned row, const struct mo_column *col)
{
	char labels[LABELS_OCTETS], number[METRIC_VALUE_OCTETS];
	struct mo_value value;
	size_t n;

	if (!mo_page_value(page, row, col, &value))
		return;
	n = row_labels(s, page->table, &page->rows[row].index, labels);
	switch (m->form) {
	case METRIC_NUMBER:
		metric_number(m, &value, number);
		put_sample(out, m->name, labels, number);
		break;
	case METRIC_TEXT:
		put_text(out, m, col, &value, labels, n);
		break;
	default:
		put_names(out, m, col, &value, labels, n);
	}
}

/* The row of mibs says what the object is; its module has the description. */
static void put_head(struct evbuffer *out, const struct metric *m, const struct mo_table *table,
		     const struct mo_column *col)
{
	evbuffer_add_printf(out, "# HELP %s %s of %s", m->name, col->name, table->module);
	if (col->unit[0])
		evbuffer_add_printf(out, ", in %s there", col->unit);
	if (col->clause[0])
		evbuffer_add_printf(out, " (clause %s)", col->clause);
	evbuffer_add_printf(out, "\n# TYPE %s %s\n", m->name, m->counter ? "counter" : "gauge");
}

/* --- the whole ----------------------------------------------------------------------------- */

static bool is_wanted(const struct snapshot *s, const struct metrics *m)
{
	const struct snapshot_table *t = &s->tables[m->table];

	return (s->collect.columns[m->table] >> m->column & 1) && t->n_pages > 0 &&
	       t->pages[0].n_rows > 0;
}

/* Goes to the next column, of the next table behind the last column. */
static void next_column(struct metrics *m)
{
	m->page = m->row = 0;
	m->begun = false;
	if (++m->column == mo_table((enum mo_table_id)m->table)->n_columns) {
		m->column = 0;
		m->table++;
	}
}

/* Writes rows of one column. Returns whether it is complete. */
static bool write_column(struct metrics *m, const struct snapshot *s, struct evbuffer *out,
			 size_t octets)
{
	const struct mo_table *table = mo_table((enum mo_table_id)m->table);
	const struct mo_column *col = &table->columns[m->column];
	const struct snapshot_table *t = &s->tables[m->table];

	if (!m->begun) {
		metric_of(col, &m->metric);
		put_head(out, &m->metric, table, col);
		m->begun = true;
	}
	for (; m->page < t->n_pages; m->page++, m->row = 0) {
		for (; m->row < t->pages[m->page].n_rows; m->row++) {
			if (evbuffer_get_length(out) >= octets)
				return false;
			put_row(out, &m->metric, s, &t->pages[m->page], m->row, col);
		}
	}
	return true;
}

bool metrics_write(struct metrics *m, const struct snapshot *s, struct evbuffer *out, size_t octets)
{
	while (m->table < MO_TABLES) {
		if (evbuffer_get_length(out) >= octets)
			return true;
		if (is_wanted(s, m) && !write_column(m, s, out, octets))
			return true;
		next_column(m);
	}
	return false;
}

void metrics_write_up(struct evbuffer *out, bool up, size_t rows, double seconds)
{
	evbuffer_add_printf(out,
			    "# HELP dcb_up Whether dcbd has answered: 1, or 0.\n"
			    "# TYPE dcb_up gauge\ndcb_up %d\n",
			    up);
	if (!up)
		return;
	evbuffer_add_printf(out,
			    "# HELP dcb_scrape_rows Rows that dcbd was asked for.\n"
			    "# TYPE dcb_scrape_rows gauge\ndcb_scrape_rows %zu\n"
			    "# HELP dcb_scrape_duration_seconds Time in which dcbd was read.\n"
			    "# TYPE dcb_scrape_duration_seconds gauge\n"
			    "dcb_scrape_duration_seconds %.6f\n",
			    rows, seconds);
}
