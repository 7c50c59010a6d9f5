/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl status: a line for each port, not wider than the terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/out_json.h"
#include "agent/cli/port/port.h"
#include "agent/cli/view/losses.h"

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

struct status {
	struct cli *cli;
	struct rowset_ports ports;
	struct rowset port, pfc_port, pfc_pri, dcbx, cn, neighbor, watchdog;
};

/* Returns the sum of an object in all rows of the port. */
static uint64_t sum_of(const struct rowset *set, uint32_t ifindex, const char *object)
{
	uint64_t sum = 0;

	for (size_t i = rowset_find(set, 1, &ifindex); rowset_has(set, i, 1, &ifindex); i++)
		sum += (uint64_t)rowset_num(set, i, object);
	return sum;
}

/* Frames that the port lost. */
static uint64_t losses(const struct status *s, uint32_t ifindex)
{
	const struct rowset *const sets[] = {&s->port, &s->pfc_port, &s->pfc_pri, &s->watchdog};
	uint64_t sum = 0;

	for (size_t i = 0; i < losses_n; i++)
		for (size_t k = 0; k < sizeof(sets) / sizeof(sets[0]); k++)
			if (sets[k]->table->id == losses_counters[i].table)
				sum += sum_of(sets[k], ifindex, losses_counters[i].object);
	return sum;
}

static uint64_t storms(const struct status *s, uint32_t ifindex, bool *lasting)
{
	uint64_t sum = 0;

	*lasting = false;
	for (size_t i = rowset_find(&s->watchdog, 1, &ifindex);
	     rowset_has(&s->watchdog, i, 1, &ifindex); i++) {
		sum += (uint64_t)rowset_num(&s->watchdog, i, MO_NAME(dcbPfcWatchdogStorms));
		*lasting |= rowset_num(&s->watchdog, i, MO_NAME(dcbPfcWatchdogState)) ==
			    MO_watchdog_state_storm;
	}
	return sum;
}

static unsigned pfc_in_force(const struct status *s, uint32_t ifindex)
{
	size_t row = rowset_find(&s->dcbx, 1, &ifindex);

	return rowset_has(&s->dcbx, row, 1, &ifindex)
		   ? (unsigned)rowset_num(&s->dcbx, row, MO_NAME(dcbDcbxPortPfcInForce))
		   : 0;
}

/*
 * The neighbor whose TLVs DCBX uses, else the first one. Returns its system name, or chassis ID;
 * "" without neighbor. *more: there are others.
 */
static const char *neighbor_of(const struct status *s, uint32_t ifindex, bool *more)
{
	size_t dcbx = rowset_find(&s->dcbx, 1, &ifindex), row, first;
	const char *name;
	int64_t peer = 0;

	*more = false;
	if (rowset_has(&s->dcbx, dcbx, 1, &ifindex))
		peer = rowset_num(&s->dcbx, dcbx, MO_NAME(dcbDcbxPortPeer));
	row = first = rowset_find(&s->neighbor, 1, &ifindex);
	if (!rowset_has(&s->neighbor, first, 1, &ifindex))
		return "";
	for (size_t i = first; rowset_has(&s->neighbor, i, 1, &ifindex); i++) {
		if (peer && s->neighbor.rows[i].index.sub[1] == (uint32_t)peer)
			row = i;
		*more |= i > first;
	}
	name = rowset_text(&s->neighbor, row, MO_NAME(dcbNeighborSystemName));
	return *name ? name : rowset_text(&s->neighbor, row, MO_NAME(dcbNeighborChassisId));
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
static void each_cnpv(const struct status *s, uint32_t ifindex, void *ctx,
		      void fn(void *ctx, unsigned priority, const char *mode))
{
	const struct port_keyword *kw = port_keyword(port_family("cn"), "defense-mode");

	for (size_t i = 0; i < s->cn.n; i++) {
		const uint32_t *sub = s->cn.rows[i].index.sub;
		struct mo_value value = {.num = rowset_num(&s->cn, i, kw->object)};
		char mode[32];

		if (sub[2] != ifindex)
			continue;
		port_keyword_format(kw, &value, false, mode, sizeof(mode));
		fn(ctx, sub[1], mode);
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

static void fill_line(const struct status *s, size_t row, struct line *l)
{
	uint32_t ifindex = s->port.rows[row].index.sub[0];
	const char *neighbor;
	bool more, lasting;
	uint64_t n;

	memset(l, 0, sizeof(*l));
	l->ifindex = ifindex;
	rowset_port_name(&s->ports, ifindex, l->cells[PORT]);
	snprintf(l->cells[STATE], CELL, "%s",
		 rowset_truth(&s->port, row, MO_NAME(dcbPortOperational)) ? "up" : "down");
	speed_text((uint64_t)rowset_num(&s->port, row, MO_NAME(dcbPortRate)), l->cells[SPEED],
		   CELL);
	priorities_text(pfc_in_force(s, ifindex), l->cells[PFC], CELL);
	each_cnpv(s, ifindex, l->cells[CN], add_cnpv_text);
	neighbor = neighbor_of(s, ifindex, &more);
	snprintf(l->cells[NEIGHBOR], CELL, "%.64s%s", neighbor, more ? " +" : "");
	snprintf(l->cells[LOSSES], CELL, "%" PRIu64, losses(s, ifindex));
	n = storms(s, ifindex, &lasting);
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

static void write_text(const struct status *s)
{
	struct line *lines = out_alloc_check(calloc(s->port.n + 1, sizeof(*lines)));
	size_t width[COLUMNS];

	for (size_t c = 0; c < COLUMNS; c++)
		width[c] = strlen(headers[c]);
	for (size_t i = 0; i < s->port.n; i++) {
		fill_line(s, i, &lines[i]);
		for (size_t c = 0; c < COLUMNS; c++)
			if (strlen(lines[i].cells[c]) > width[c])
				width[c] = strlen(lines[i].cells[c]);
	}
	status_fit(width, port_text_width());
	print_line(s->cli->out, width, headers);
	for (size_t i = 0; i < s->port.n; i++) {
		const char *cells[COLUMNS];

		for (size_t c = 0; c < COLUMNS; c++)
			cells[c] = lines[i].cells[c];
		print_line(s->cli->out, width, cells);
	}
	free(lines);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *port_json(const struct status *s, size_t row)
{
	uint32_t ifindex = s->port.rows[row].index.sub[0];
	json_t *o = out_json_port(&s->ports, ifindex), *a;
	unsigned pfc = pfc_in_force(s, ifindex);
	const char *neighbor;
	bool more, lasting;
	uint64_t n;

	out_json_put(o, "operational",
		     json_boolean(rowset_truth(&s->port, row, MO_NAME(dcbPortOperational))));
	out_json_put(o, "speed_bits_per_second",
		     out_json_unsigned((uint64_t)rowset_num(&s->port, row, MO_NAME(dcbPortRate))));
	a = out_alloc_check(json_array());
	for (unsigned p = 0; p < PORT_PRIORITIES; p++)
		if (pfc >> p & 1)
			out_json_append(a, json_integer(p));
	out_json_put(o, "pfc", a);
	a = out_alloc_check(json_array());
	each_cnpv(s, ifindex, a, add_cnpv_json);
	out_json_put(o, "cn", a);
	neighbor = neighbor_of(s, ifindex, &more);
	out_json_put(o, "neighbor", *neighbor ? out_json_text(neighbor) : json_null());
	out_json_put(o, "losses_frames", out_json_unsigned(losses(s, ifindex)));
	n = storms(s, ifindex, &lasting);
	out_json_put(o, "storms", out_json_unsigned(n));
	out_json_put(o, "storm_lasting", json_boolean(lasting));
	return o;
}

static void write_json(const struct status *s)
{
	json_t *all = out_alloc_check(json_array());

	for (size_t i = 0; i < s->port.n; i++)
		out_json_append(all, port_json(s, i));
	out_json_write_as(all, s->cli->out, !s->cli->pretty);
}

/* --- the command ----------------------------------------------------------------------------- */

static bool fetch(struct status *s)
{
	return rowset_fetch(s->cli, MO_port, &s->ports, &s->port) &&
	       rowset_fetch(s->cli, MO_pfc_port, &s->ports, &s->pfc_port) &&
	       rowset_fetch(s->cli, MO_pfc_pri, &s->ports, &s->pfc_pri) &&
	       rowset_fetch(s->cli, MO_dcbx_port, &s->ports, &s->dcbx) &&
	       rowset_fetch(s->cli, MO_cn_port, &s->ports, &s->cn) &&
	       rowset_fetch(s->cli, MO_neighbor, &s->ports, &s->neighbor) &&
	       rowset_fetch(s->cli, MO_pfc_watchdog, &s->ports, &s->watchdog);
}

int cmd_status(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct status s = {.cli = cli};
	int rc = CLI_FAILED, dev = argc > 0 && strcmp(argv[0], "dev") == 0;

	(void)self;
	if (!rowset_ports_parse(cli, &s.ports, argc - dev, argv + dev))
		return CLI_FAILED;
	if (fetch(&s) && rowset_ports_exist(&s.ports, &s.port)) {
		(cli->json ? write_json : write_text)(&s);
		rc = CLI_OK;
	}
	rowset_ports_free(&s.ports);
	return rc;
}
