/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/view/watch_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/fetch.h"
#include "agent/cli/base/names.h"
#include "lib/mo/mo_view.h"

/* --- ports ---------------------------------------------------------------------------------- */

void watch_free(struct watch_model *b)
{
	free(b->ports);
	*b = (struct watch_model){.n = 0};
}

static int compare_ifindex(const void *key, const void *port)
{
	uint32_t a = *(const uint32_t *)key, b = ((const struct watch_port *)port)->ifindex;

	return a < b ? -1 : a > b;
}

static struct watch_port *find(const struct watch_model *b, uint32_t ifindex)
{
	if (b->n == 0)
		return NULL;
	return bsearch(&ifindex, b->ports, b->n, sizeof(*b->ports), compare_ifindex);
}

/* --- reading -------------------------------------------------------------------------------- */

/* One table of a read. */
struct reading {
	struct watch_model *model;
	const struct baseline *base;
	const struct mo_table *table;
	const struct out_row *row;
};

/* Returns the value of an object of the row; 0 if it has none. */
static int64_t value(const struct reading *r, const char *object)
{
	for (unsigned i = 0; i < r->table->n_columns; i++)
		if (strcmp(r->table->columns[i].name, object) == 0)
			return r->row->present >> i & 1 ? r->row->values[i].num : 0;
	return 0;
}

static void take_name(const struct reading *r, struct watch_port *port)
{
	snprintf(port->name, sizeof(port->name), "%" PRIu32, port->ifindex);
	for (unsigned i = 0; i < r->table->n_columns; i++) {
		const struct mo_value *v = &r->row->values[i];

		if (strcmp(r->table->columns[i].name, MO_NAME(dcbPortName)) == 0 &&
		    r->row->present >> i & 1 && v->len > 0)
			snprintf(port->name, sizeof(port->name), "%.*s", v->len,
				 (const char *)v->octets);
	}
	for (char *p = port->name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?'; /* could control the terminal */
}

static uint64_t losses_of(const struct reading *r)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->table->n_columns; i++)
		if (r->row->present >> i & 1 &&
		    mo_views(r->table, &r->table->columns[i]) & MO_VIEW_LOSSES)
			sum += (uint64_t)r->row->values[i].num;
	return sum;
}

/* Those since the counters were cleared. Takes a copy of *r. */
static uint64_t losses_since(struct reading r)
{
	struct mo_value values[OUT_COLUMNS_MAX];
	struct out_row row = *r.row;

	memcpy(values, row.values, r.table->n_columns * sizeof(*values));
	baseline_subtract(r.base, r.table, &row.index, values, row.present);
	row.values = values;
	r.row = &row;
	return losses_of(&r);
}

/* Adds what objects of the row count. */
static void take_counters(const struct reading *r, struct watch_port *port)
{
	static const struct {
		enum mo_view view;
		enum watch_counter counter;
	} views[] = {
	    {MO_VIEW_RX, WATCH_RX_OCTETS},  {MO_VIEW_TX, WATCH_TX_OCTETS},
	    {MO_VIEW_PFC_IN, WATCH_PFC_IN}, {MO_VIEW_PFC_OUT, WATCH_PFC_OUT},
	    {MO_VIEW_LOSSES, WATCH_LOSSES}, {MO_VIEW_PAUSE, WATCH_PAUSE},
	};
	unsigned priority = mo_index_priority(r->table, &r->row->index) & 7;

	for (unsigned i = 0; i < r->table->n_columns; i++) {
		unsigned seen = mo_views(r->table, &r->table->columns[i]);

		for (size_t k = 0; k < sizeof(views) / sizeof(views[0]); k++)
			if (seen & views[k].view && r->row->present >> i & 1)
				port->count[views[k].counter +
					    (views[k].view == MO_VIEW_PAUSE ? priority : 0)] +=
				    (uint64_t)r->row->values[i].num;
	}
	port->lost += losses_since(*r);
}

static void take_port(struct reading *r)
{
	struct watch_model *b = r->model;
	struct watch_port *port;

	if (b->n == b->room) {
		b->room = b->room ? 2 * b->room : 64;
		b->ports = out_alloc_check(realloc(b->ports, b->room * sizeof(*b->ports)));
	}
	port = &b->ports[b->n++];
	*port = (struct watch_port){.ifindex = r->row->index.sub[0]};
	take_name(r, port);
	port->up = value(r, MO_NAME(dcbPortOperational)) == MO_truth_true;
	port->bps = (uint64_t)value(r, MO_NAME(dcbPortRate));
	port->since_ms = (uint64_t)value(r, MO_NAME(dcbPortCounterDiscontinuityTime));
}

/* Keeps the fuller one of two queues. */
static void take_queue(struct watch_port *port, uint32_t queue, uint32_t limit, uint8_t priority)
{
	if (limit == 0 ||
	    (port->limit && (uint64_t)queue * port->limit <= (uint64_t)port->queue * limit))
		return;
	port->queue = queue;
	port->limit = limit;
	port->priority = priority;
}

static void take_pfc(const struct reading *r, struct watch_port *port)
{
	port->paused |= value(r, MO_NAME(dcbPfcPriorityPaused)) == MO_truth_true;
	if (value(r, MO_NAME(dcbPfcPriorityEnable)) == MO_truth_true)
		take_queue(port, (uint32_t)value(r, MO_NAME(dcbPfcPriorityHeld)),
			   (uint32_t)value(r, MO_NAME(dcbPfcPriorityXoff)),
			   (uint8_t)mo_index_priority(r->table, &r->row->index));
}

/*
 * dcbCpTable has the length of a queue, ieee8021CnCpTable its set point, both with the index
 * (component, ifIndex, CpIndex): the rows of the second wait in a list for those of the first.
 */
struct set_points {
	struct reading r;
	size_t n, room, at;
	struct set_point {
		struct mo_index index;
		uint32_t octets;
		uint8_t priority;
	} * of;
};

static void on_set_point(void *ctx, const struct out_row *row)
{
	struct set_points *s = ctx;

	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->of = out_alloc_check(realloc(s->of, s->room * sizeof(*s->of)));
	}
	s->r.row = row;
	s->of[s->n++] = (struct set_point){
	    .index = row->index,
	    .octets = (uint32_t)value(&s->r, MO_NAME(ieee8021CnCpQueueSizeSetPoint)),
	    .priority = (uint8_t)value(&s->r, MO_NAME(ieee8021CnCpPriority)),
	};
}

static void on_queue(void *ctx, const struct out_row *row)
{
	struct set_points *s = ctx;
	struct watch_port *port;

	s->r.row = row;
	while (s->at < s->n && mo_index_compare(&s->of[s->at].index, &row->index) < 0)
		s->at++;
	if (s->at == s->n || mo_index_compare(&s->of[s->at].index, &row->index) != 0)
		return;
	port = find(s->r.model, row->index.sub[1]);
	if (port)
		take_queue(port, (uint32_t)value(&s->r, MO_NAME(dcbCpQueueLength)),
			   s->of[s->at].octets, s->of[s->at].priority);
}

static enum mo_client_status fetch_table(struct mo_client *client, enum mo_table_id id,
					 struct reading *r, fetch_fn fn, void *ctx)
{
	struct target target = {.table = mo_table(id)};

	r->table = target.table;
	return fetch_rows(client, &target, fn, ctx);
}

static enum mo_client_status read_queues(struct watch_model *b, struct mo_client *client)
{
	struct set_points s = {.r = {.model = b}};
	enum mo_client_status status;

	status = fetch_table(client, MO_cn_cp, &s.r, on_set_point, &s);
	if (status == MO_CLIENT_OK)
		status = fetch_table(client, MO_cp, &s.r, on_queue, &s);
	free(s.of);
	return status;
}

static void on_row(void *ctx, const struct out_row *row)
{
	struct reading *r = ctx;
	struct watch_port *port;

	r->row = row;
	if (r->table->id == MO_port)
		take_port(r);
	port = find(r->model, row->index.sub[mo_index_part(r->table, MO_PART_PORT)]);
	if (!port)
		return;
	take_counters(r, port);
	if (r->table->id == MO_pfc_pri)
		take_pfc(r, port);
	else if (r->table->id == MO_pfc_watchdog)
		port->storm |= value(r, MO_NAME(dcbPfcWatchdogState)) == MO_watchdog_state_storm;
}

static bool is_counted(const struct mo_table *table)
{
	unsigned views = 0;

	for (unsigned i = 0; i < table->n_columns; i++)
		views |= mo_views(table, &table->columns[i]);
	return views & MO_VIEWS_OF_WATCH && mo_index_part(table, MO_PART_PORT) >= 0;
}

/* dcbPortTable, which has the ports, then those with rows of a port that count something. */
enum mo_client_status watch_read(struct watch_model *b, struct mo_client *client, double now_s,
				 const struct baseline *base)
{
	struct reading r = {.model = b, .base = base};
	enum mo_client_status status;

	b->n = 0;
	status = fetch_table(client, MO_port, &r, on_row, &r);
	for (unsigned id = 0; id < MO_TABLES && status == MO_CLIENT_OK; id++)
		if (id != MO_port && is_counted(mo_table((enum mo_table_id)id)))
			status = fetch_table(client, (enum mo_table_id)id, &r, on_row, &r);
	if (status == MO_CLIENT_OK)
		status = read_queues(b, client);
	b->at_s = now_s;
	b->boot_id = mo_client_boot_id(client);
	return status;
}

/* --- rates ---------------------------------------------------------------------------------- */

static void compare_port(struct watch_port *port, const struct watch_port *before, double span_s)
{
	port->known = true;
	port->paused_percent = 0;
	for (unsigned i = 0; i < WATCH_COUNTERS; i++) {
		double gained = (double)(port->count[i] - before->count[i]);

		port->per_s[i] = gained / span_s;
		/* The reads take time themselves: a share can exceed 100 by that. */
		if (i >= WATCH_PAUSE && port->per_s[i] / 1e4 > port->paused_percent)
			port->paused_percent = port->per_s[i] / 1e4;
	}
	if (port->paused_percent > 100)
		port->paused_percent = 100;
}

void watch_compare(struct watch_model *b, const struct watch_model *before)
{
	double span_s = b->at_s - before->at_s;

	for (size_t i = 0; i < b->n; i++) {
		struct watch_port *port = &b->ports[i];
		const struct watch_port *was = find(before, port->ifindex);

		port->known = false;
		if (was && b->boot_id == before->boot_id && was->since_ms == port->since_ms &&
		    span_s > 0)
			compare_port(port, was, span_s);
	}
}

/* --- selection ------------------------------------------------------------------------------ */

double watch_fill(const struct watch_port *port)
{
	return port->limit ? (double)port->queue / port->limit : 0;
}

bool watch_is_busy(const struct watch_port *port)
{
	if (port->queue || port->paused || port->storm)
		return true;
	for (unsigned i = 0; port->known && i < WATCH_COUNTERS; i++)
		if (port->per_s[i] > 0)
			return true;
	return false;
}

static double rank(const struct watch_port *port, enum watch_sort sort)
{
	switch (sort) {
	case WATCH_BY_QUEUE:
		return watch_fill(port);
	case WATCH_BY_PFC:
		return port->known ? port->per_s[WATCH_PFC_IN] + port->per_s[WATCH_PFC_OUT] : 0;
	case WATCH_BY_PAUSE:
		return port->known ? port->paused_percent : 0;
	case WATCH_BY_LOSSES:
		return port->known ? port->per_s[WATCH_LOSSES] : 0;
	default:
		return 0;
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct watch_port *p = *(const struct watch_port *const *)a;
	const struct watch_port *q = *(const struct watch_port *const *)b;

	return strverscmp(p->name, q->name);
}

/* A stable insertion by rank: a screen has few busy ports, and names stay in order. */
static void sort_by_rank(const struct watch_port **of, size_t n, enum watch_sort sort)
{
	for (size_t i = 1; i < n; i++) {
		const struct watch_port *port = of[i];
		size_t k = i;

		for (; k > 0 && rank(of[k - 1], sort) < rank(port, sort); k--)
			of[k] = of[k - 1];
		of[k] = port;
	}
}

size_t watch_select(const struct watch_model *b, const struct watch_view *view,
		    const struct watch_port **of)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if ((view->all || watch_is_busy(&b->ports[i])) &&
		    strstr(b->ports[i].name, view->filter))
			of[n++] = &b->ports[i];
	if (n > 1)
		qsort(of, n, sizeof(*of), compare_names);
	if (view->sort != WATCH_BY_NAME)
		sort_by_rank(of, n, view->sort);
	return n;
}
