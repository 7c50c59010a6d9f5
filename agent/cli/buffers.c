/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl buffers: the frame memory, and what the ports hold of it.
 *
 *   JSON  [{"status", "memory": AMOUNT, ..., "pools": [...],
 *           "ports": [{"ifIndex", "port", "priorities": [...]}]}]
 *
 * AMOUNT is {"octets", "buffers"}.
 */
#include <inttypes.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/base/table_rows.h"

/* --- columns -------------------------------------------------------------------------------- */

static json_t *amount(struct table_rows_at at)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "octets", table_rows_json(at, at.col->object));
	out_json_put(o, "buffers", table_rows_json(at, at.col->other));
	return o;
}

static void amount_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS])
{
	snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRId64 "/%" PRId64,
		 table_rows_num(at, at.col->object), table_rows_num(at, at.col->other));
}

/* Two objects of a row, in a cell, or each in one of its own. */
/* clang-format off */
#define AMOUNT_OF(octets, frames) \
	.right = true, .value = amount, .text = amount_text, \
	.object = MO_NAME(octets), .other = MO_NAME(frames)
#define AMOUNT(prefix) AMOUNT_OF(prefix##Octets, prefix##Frames)
#define POOL_AMOUNT(name, title, prefix) \
	{.key = name, AMOUNT(prefix)}, \
	{.heading = title "octets", .right = true, .object = MO_NAME(prefix##Octets)}, \
	{.heading = title "buffers", .right = true, .object = MO_NAME(prefix##Frames)}
/* clang-format on */

static const char *pool_name(struct table_rows_at at)
{
	switch (at.sub[0]) {
	case MO_buffer_pool_lossless:
		return "lossless";
	case MO_buffer_pool_lossy:
		return "lossy";
	default:
		return "headroom";
	}
}

static json_t *pool_json(struct table_rows_at at)
{
	return json_string(pool_name(at));
}

static void pool_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS])
{
	snprintf(text, TABLE_ROWS_CELL_OCTETS, "%s pool", pool_name(at));
}

static const struct table_rows_column pool_columns[] = {
    {.key = "pool", .heading = "part", .value = pool_json, .text = pool_text},
    POOL_AMOUNT("size", "", dcbBufferPoolSize),
    POOL_AMOUNT("used", "used ", dcbBufferPoolUsed),
    POOL_AMOUNT("peak", "peak ", dcbBufferPoolPeak),
    {0},
};

/* What a priority has in the lossless or the lossy part of the memory, and of the headroom. */
/* clang-format off */
#define ACCOUNT(prefix) { \
	{.key = "held", .heading = "held", AMOUNT(prefix)}, \
	{.key = "peak", .heading = "peak", AMOUNT(prefix##Peak)}, \
	{.key = "limit", .heading = "limit", AMOUNT(prefix##Limit)}, \
	{.key = "discards", .heading = "discards", AMOUNT(prefix##No)}, \
	{0}, \
}
/* clang-format on */
static const struct table_rows_column lossless_columns[] = ACCOUNT(dcbBufferLossless);
static const struct table_rows_column lossy_columns[] = ACCOUNT(dcbBufferLossy);
static const struct table_rows_column headroom_columns[] = {
    {.key = "size", .object = MO_NAME(dcbBufferHeadroomSize)},
    {.key = "held", .heading = "held", .object = MO_NAME(dcbBufferHeadroomOctets)},
    {.key = "peak", .heading = "peak", .object = MO_NAME(dcbBufferHeadroomPeak)},
    {.heading = "limit", .object = MO_NAME(dcbBufferHeadroomSize)},
    {.heading = "discards"},
    {0},
};

static bool is_lossless(struct table_rows_at at)
{
	return table_rows_num(at, MO_NAME(dcbBufferHeadroomSize)) > 0;
}

/* A row of the text is for one account: its data is a column of priority_columns with members. */
static json_t *account_name(struct table_rows_at at)
{
	return json_string(((const struct table_rows_column *)at.data)->key);
}

static bool has_reserve(struct table_rows_at at)
{
	return !at.data || ((const struct table_rows_column *)at.data)->members != headroom_columns;
}

static const struct table_rows_column priority_columns[] = {
    TABLE_ROWS_PORT_CELL,
    {.key = "priority", .heading = "priority", .right = true, .value = table_rows_sub, .arg = 1},
    {.heading = "account", .value = account_name},
    {.key = "reserve",
     .heading = "reserve",
     .has = has_reserve,
     AMOUNT_OF(dcbBufferReserveInForce, dcbBufferReserveFrames)},
    {.key = "lossless", .members = lossless_columns, .has = is_lossless},
    {.key = "headroom", .members = headroom_columns, .has = is_lossless},
    {.key = "lossy", .members = lossy_columns},
    {0},
};

static const struct table_rows_column port_columns[] = {
    TABLE_ROWS_PORT,
    {.key = "priorities", .rows = priority_columns, .table = MO_buffer, .arg = 1},
    {0},
};

/* Only ports that have rows. */
static json_t *ports_json(struct table_rows_at memory)
{
	json_t *ports = out_alloc_check(json_array());
	uint32_t last = 0;

	TABLE_ROWS_EACH (at, memory.all, MO_buffer, 0, NULL) {
		if (at.sub[0] != last)
			out_json_append(ports, table_rows_object(at, port_columns));
		last = at.sub[0];
	}
	return ports;
}

/* Those with a heading are rows of the text. */
static const struct table_rows_column memory_columns[] = {
    {.key = "status", .object = MO_NAME(dcbBufferStatus)},
    {.key = "memory", .heading = "memory", AMOUNT(dcbBufferMemory)},
    {.key = "reserves", .heading = "reserves", AMOUNT(dcbBufferReserved)},
    {.key = "headroom", .heading = "headroom", AMOUNT(dcbBufferPromised)},
    {.key = "missing", AMOUNT(dcbBufferMissing)},
    {.key = "headroomRatio", .object = MO_NAME(dcbBufferHeadroomRatio)},
    {.key = "losslessShare", .object = MO_NAME(dcbBufferLosslessShare)},
    {.key = "watermarksSince", .object = MO_NAME(dcbBufferWatermarksSince)},
    {.key = "pools", .rows = pool_columns, .table = MO_buffer_pool},
    {.key = "ports", .value = ports_json},
    {0},
};

/* --- text ----------------------------------------------------------------------------------- */

static void write_status(struct table_rows_at m, FILE *f)
{
	int64_t since = table_rows_num(m, MO_NAME(dcbBufferWatermarksSince));
	int64_t ratio = table_rows_num(m, MO_NAME(dcbBufferHeadroomRatio));

	if (table_rows_num(m, MO_NAME(dcbBufferStatus)) == MO_buffer_status_doesNotFit)
		fprintf(f,
			"status: does not fit: %" PRId64 " octets, %" PRId64
			" buffers are missing\n",
			table_rows_num(m, MO_NAME(dcbBufferMissingOctets)),
			table_rows_num(m, MO_NAME(dcbBufferMissingFrames)));
	else if (table_rows_num(m, MO_NAME(dcbBufferStatus)) == MO_buffer_status_nothingShared)
		fputs("status: fits, nothing is left to share\n", f);
	else
		fputs("status: fits\n", f);
	fprintf(f, "headroom ratio: %" PRId64 "%s\n", ratio,
		ratio > 1 ? ", the headroom is not guaranteed" : "");
	if (since)
		fprintf(f, "peaks since: %" PRId64 ".%02d s after the start of dcbd\n", since / 100,
			(int)(since % 100));
	else
		fputs("peaks since: the start of dcbd\n", f);
}

static void write_memory(struct table_rows_at m, FILE *f)
{
	struct text_table g = {0};
	char text[24];

	table_rows_headings(&g, pool_columns);
	for (const struct table_rows_column *c = memory_columns; c->key; c++) {
		if (!c->heading)
			continue;
		text_table_cell(&g, c->heading);
		snprintf(text, sizeof(text), "%" PRId64, table_rows_num(m, c->object));
		text_table_cell(&g, text);
		snprintf(text, sizeof(text), "%" PRId64, table_rows_num(m, c->other));
		text_table_cell(&g, text);
		for (unsigned i = 0; i < 4; i++)
			text_table_cell(&g, "-");
	}
	TABLE_ROWS_EACH (at, m.all, MO_buffer_pool, 0, NULL)
		table_rows_cells(&g, at, pool_columns);
	table_rows_print(&g, f, NULL);
}

static void write_text(const struct table_rows_all *all, FILE *f)
{
	struct table_rows_at memory = table_rows_at(all, MO_buffer_memory, 0);
	struct text_table g = {0};

	if (!memory.sub) {
		/* Message: All ports have provider `observe` or `kernel`: dcbd has no queues. */
		fputs("no frame memory: dcbd moves no frames\n", f);
		return;
	}
	write_status(memory, f);
	write_memory(memory, f);
	table_rows_headings(&g, priority_columns);
	table_rows_headings(&g, lossy_columns);
	TABLE_ROWS_EACH (at, all, MO_buffer, 0, NULL) {
		for (const struct table_rows_column *c = priority_columns; c->key || c->heading;
		     c++) {
			at.data = at.col = c;
			if (!c->members || !table_rows_members(at).sub)
				continue;
			table_rows_cells(&g, at, priority_columns);
			table_rows_cells(&g, at, c->members);
		}
	}
	table_rows_print(&g, f, "octets/buffers; discards: for lack of octets/buffers");
}

static const struct table_rows_command buffers = {
    .tables =
	(const enum mo_table_id[]){MO_port, MO_buffer_memory, MO_buffer_pool, MO_buffer, MO_TABLES},
    .ports = MO_port,
    .text = write_text,
    .rows = MO_buffer_memory,
    .columns = memory_columns,
};

int cmd_buffers(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	(void)self;
	return table_rows_command(cli, &buffers, argc, argv);
}
