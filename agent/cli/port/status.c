/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl status: a line for each port, not wider than the terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out_json.h"
#include "agent/cli/port/port.h"
#include "lib/mo/mo_view.h"

#define CELL      80
#define WIDTH_MIN 8 /* of a column that is cut */

enum column { PORT, STATE, SPEED, PFC, CN, NEIGHBOR, LOSSES, STORMS, COLUMNS };

static const char *const headers[COLUMNS] = {"PORT", "STATE",    "SPEED",  "PFC",
					     "CN",   "NEIGHBOR", "LOSSES", "STORMS"};
/* On a narrow terminal these are cut in this order, then left out. */
static const enum column cut_order[] = {NEIGHBOR, CN, PFC};
static const enum column drop_order[] = {SPEED, NEIGHBOR, CN, STATE, PFC, STORMS};

struct line {
	uint32_t ifindex;
	char cells[COLUMNS][CELL];
};

/* Returns the sum of an object in all rows of the port. */
static uint64_t sum_of(struct table_rows_at port, enum mo_table_id table, const char *object)
{
	uint64_t sum = 0;

	TABLE_ROWS_EACH (at, port.all, table, 1, port.sub)
		sum += (uint64_t)table_rows_num(at, object);
	return sum;
}

/* Frames that the port lost, by the tables that are read. */
static uint64_t losses(struct table_rows_at port)
{
	uint64_t sum = 0;

	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table(id);

		for (unsigned c = 0; c < table->n_columns; c++)
			if (mo_views(table, &table->columns[c]) & MO_VIEW_LOSSES)
				sum += sum_of(port, id, table->columns[c].name);
	}
	return sum;
}

static uint64_t storms(struct table_rows_at port, bool *lasting)
{
	*lasting = false;
	TABLE_ROWS_EACH (at, port.all, MO_pfc_watchdog, 1, port.sub)
		*lasting |=
		    table_rows_num(at, MO_NAME(dcbPfcWatchdogState)) == MO_watchdog_state_storm;
	return sum_of(port, MO_pfc_watchdog, MO_NAME(dcbPfcWatchdogStorms));
}

static unsigned pfc_in_force(struct table_rows_at port)
{
	return (unsigned)table_rows_num(table_rows_find(port.all, MO_dcbx_port, 1, port.sub),
					MO_NAME(dcbDcbxPortPfcInForce));
}

/*
 * The neighbor whose TLVs DCBX uses, else the first one. Returns its system name, or chassis ID;
 * "" without neighbor. *more: there are others.
 */
static const char *neighbor_of(struct table_rows_at port, bool *more)
{
	struct table_rows_at first = table_rows_find(port.all, MO_neighbor, 1, port.sub),
			     row = first;
	int64_t peer = table_rows_num(table_rows_find(port.all, MO_dcbx_port, 1, port.sub),
				      MO_NAME(dcbDcbxPortPeer));
	const char *name;

	*more = false;
	TABLE_ROWS_EACH (at, port.all, MO_neighbor, 1, port.sub) {
		if (peer && at.sub[1] == (uint32_t)peer)
			row = at;
		*more |= at.row > first.row;
	}
	name = table_rows_text(row, MO_NAME(dcbNeighborSystemName));
	return *name ? name : table_rows_text(row, MO_NAME(dcbNeighborChassisId));
}

/* Writes bit/s as 10G or 2.5G. */
static void speed_text(uint64_t bps, char *buf, size_t size)
{
	static const struct {
		uint64_t of;
		char suffix;
	} units[] = {
	    {UINT64_C(1000000000000), 'T'}, {1000000000, 'G'}, {1000000, 'M'}, {1000, 'k'}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (bps < units[i].of)
			continue;
		if (bps % units[i].of)
			snprintf(buf, size, "%.1f%c", (double)bps / (double)units[i].of,
				 units[i].suffix);
		else
			snprintf(buf, size, "%" PRIu64 "%c", bps / units[i].of, units[i].suffix);
		return;
	}
	snprintf(buf, size, "%" PRIu64, bps);
}

static void priorities_text(unsigned mask, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned p = 0; p < PORT_PRIORITIES && n < size; p++)
		if (mask >> p & 1)
			n += (size_t)snprintf(buf + n, size - n, "%s%u", n ? "," : "", p);
}

/* --- congestion notification ----------------------------------------------------------------- */

/* Calls fn for each CNPV of the port with its defense mode in force. */
static void each_cnpv(struct table_rows_at port, void *ctx,
		      void fn(void *ctx, unsigned priority, const char *mode))
{
	const struct port_keyword *kw = port_keyword(port_family("cn"), "defense-mode");

	TABLE_ROWS_EACH (at, port.all, MO_cn_port, 1, port.sub) {
		struct mo_value value = {.num = table_rows_num(at, kw->object)};
		char mode[32];

		port_keyword_format(kw, &value, false, mode, sizeof(mode));
		fn(ctx, at.sub[2], mode);
	}
}

static void add_cnpv_text(void *ctx, unsigned priority, const char *mode)
{
	char *cell = ctx;
	size_t n = strlen(cell);

	snprintf(cell + n, CELL - n, "%s%u:%s", n ? " " : "", priority, mode);
}

static void add_cnpv_json(void *ctx, unsigned priority, const char *mode)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "priority", json_integer(priority));
	out_json_put(o, "defense_mode", json_string(mode));
	out_json_append(ctx, o);
}

/* --- text ------------------------------------------------------------------------------------ */

static void fill_line(struct table_rows_at port, struct line *l)
{
	const char *neighbor;
	bool more, lasting;
	uint64_t n;

	memset(l, 0, sizeof(*l));
	l->ifindex = port.sub[0];
	table_rows_port_name(&port.all->ports, port.sub[0], l->cells[PORT]);
	snprintf(l->cells[STATE], CELL, "%s",
		 table_rows_truth(port, MO_NAME(dcbPortOperational)) ? "up" : "down");
	speed_text((uint64_t)table_rows_num(port, MO_NAME(dcbPortRate)), l->cells[SPEED], CELL);
	priorities_text(pfc_in_force(port), l->cells[PFC], CELL);
	each_cnpv(port, l->cells[CN], add_cnpv_text);
	neighbor = neighbor_of(port, &more);
	snprintf(l->cells[NEIGHBOR], CELL, "%.64s%s", neighbor, more ? " +" : "");
	snprintf(l->cells[LOSSES], CELL, "%" PRIu64, losses(port));
	n = storms(port, &lasting);
	snprintf(l->cells[STORMS], CELL, "%" PRIu64 "%s", n, lasting ? " now" : "");
	for (size_t c = 0; c < COLUMNS; c++)
		if (!l->cells[c][0])
			strcpy(l->cells[c], "-");
}

static size_t total(const size_t width[COLUMNS])
{
	size_t sum = 0;

	for (size_t c = 0; c < COLUMNS; c++)
		sum += width[c] ? width[c] + 2 : 0;
	return sum ? sum - 2 : 0;
}

/* Cuts and leaves out columns until a line is not wider than the terminal. */
static void status_fit(size_t width[COLUMNS], size_t terminal)
{
	for (size_t i = 0; i < sizeof(cut_order) / sizeof(cut_order[0]); i++) {
		size_t *w = &width[cut_order[i]], over = total(width) - terminal;

		if (total(width) <= terminal)
			return;
		if (*w > WIDTH_MIN)
			*w = *w > over + WIDTH_MIN ? *w - over : WIDTH_MIN;
	}
	for (size_t i = 0; i < sizeof(drop_order) / sizeof(drop_order[0]); i++)
		if (total(width) > terminal)
			width[drop_order[i]] = 0;
	for (size_t c = 0; c < COLUMNS && total(width) > terminal; c++)
		if (width[c] > WIDTH_MIN)
			width[c] = WIDTH_MIN;
}

static void print_cell(FILE *f, enum column c, const char *text, size_t width)
{
	bool right = c == SPEED || c == LOSSES || c == STORMS;
	size_t len = strlen(text);

	if (len > width)
		fprintf(f, "%.*s~", (int)(width - 1), text);
	else
		fprintf(f, right ? "%*s" : "%-*s", (int)width, text);
}

static void print_line(FILE *f, const size_t width[COLUMNS], const char *const cells[COLUMNS])
{
	bool first = true;

	for (enum column c = 0; c < COLUMNS; c++) {
		if (!width[c])
			continue;
		if (!first)
			fputs("  ", f);
		first = false;
		print_cell(f, c, cells[c], width[c]);
	}
	fputc('\n', f);
}

static void write_text(const struct table_rows_all *all)
{
	size_t n = all->of[MO_port].n;
	struct line *lines = out_alloc_check(calloc(n + 1, sizeof(*lines)));
	size_t width[COLUMNS];

	for (size_t c = 0; c < COLUMNS; c++)
		width[c] = strlen(headers[c]);
	for (size_t i = 0; i < n; i++) {
		fill_line(table_rows_at(all, MO_port, i), &lines[i]);
		for (size_t c = 0; c < COLUMNS; c++)
			if (strlen(lines[i].cells[c]) > width[c])
				width[c] = strlen(lines[i].cells[c]);
	}
	status_fit(width, port_text_width());
	print_line(all->cli->out, width, headers);
	for (size_t i = 0; i < n; i++) {
		const char *cells[COLUMNS];

		for (size_t c = 0; c < COLUMNS; c++)
			cells[c] = lines[i].cells[c];
		print_line(all->cli->out, width, cells);
	}
	free(lines);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *port_json(struct table_rows_at port)
{
	json_t *o = table_rows_port_json(&port.all->ports, port.sub[0]), *a;
	unsigned pfc = pfc_in_force(port);
	const char *neighbor;
	bool more, lasting;
	uint64_t n;

	out_json_put(o, "operational",
		     json_boolean(table_rows_truth(port, MO_NAME(dcbPortOperational))));
	out_json_put(o, "speed_bits_per_second",
		     out_json_unsigned((uint64_t)table_rows_num(port, MO_NAME(dcbPortRate))));
	a = out_alloc_check(json_array());
	for (unsigned p = 0; p < PORT_PRIORITIES; p++)
		if (pfc >> p & 1)
			out_json_append(a, json_integer(p));
	out_json_put(o, "pfc", a);
	a = out_alloc_check(json_array());
	each_cnpv(port, a, add_cnpv_json);
	out_json_put(o, "cn", a);
	neighbor = neighbor_of(port, &more);
	out_json_put(o, "neighbor", *neighbor ? out_json_text(neighbor) : json_null());
	out_json_put(o, "losses_frames", out_json_unsigned(losses(port)));
	n = storms(port, &lasting);
	out_json_put(o, "storms", out_json_unsigned(n));
	out_json_put(o, "storm_lasting", json_boolean(lasting));
	return o;
}

static void write_json(const struct table_rows_all *all)
{
	json_t *a = out_alloc_check(json_array());

	TABLE_ROWS_EACH (port, all, MO_port, 0, NULL)
		out_json_append(a, port_json(port));
	out_json_write_as(a, all->cli->out, !all->cli->pretty);
}

/* --- the command ----------------------------------------------------------------------------- */

int cmd_status(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	static const enum mo_table_id tables[] = {MO_port,         MO_pfc_port, MO_pfc_pri,
						  MO_dcbx_port,    MO_cn_port,  MO_neighbor,
						  MO_pfc_watchdog, MO_TABLES};
	struct table_rows_all all = {.cli = cli};
	int rc = CLI_FAILED, dev = argc > 0 && strcmp(argv[0], "dev") == 0;

	(void)self;
	if (!table_rows_ports_parse(cli, &all.ports, argc - dev, argv + dev))
		return CLI_FAILED;
	if (table_rows_fetch(&all, tables) && table_rows_ports_exist(&all, MO_port)) {
		(cli->json ? write_json : write_text)(&all);
		rc = CLI_OK;
	}
	table_rows_free(&all);
	return rc;
}
