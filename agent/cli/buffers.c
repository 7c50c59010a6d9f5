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
#include "agent/cli/base/rowset.h"

/* --- columns -------------------------------------------------------------------------------- */

static json_t *amount(struct rowset_at at)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "octets", rowset_json(at, at.col->object));
	out_json_put(o, "buffers", rowset_json(at, at.col->other));
	return o;
}

static void amount_text(struct rowset_at at, char text[ROWSET_CELL_OCTETS])
{
	snprintf(text, ROWSET_CELL_OCTETS, "%" PRId64 "/%" PRId64, rowset_num(at, at.col->object),
		 rowset_num(at, at.col->other));
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

static const char *pool_name(struct rowset_at at)
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

static json_t *pool_json(struct rowset_at at)
{
	return json_string(pool_name(at));
}

static void pool_text(struct rowset_at at, char text[ROWSET_CELL_OCTETS])
{
	snprintf(text, ROWSET_CELL_OCTETS, "%s pool", pool_name(at));
}

static const struct rowset_column pool_columns[] = {
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
static const struct rowset_column lossless_columns[] = ACCOUNT(dcbBufferLossless);
static const struct rowset_column lossy_columns[] = ACCOUNT(dcbBufferLossy);
static const struct rowset_column headroom_columns[] = {
    {.key = "size", .object = MO_NAME(dcbBufferHeadroomSize)},
    {.key = "held", .heading = "held", .object = MO_NAME(dcbBufferHeadroomOctets)},
    {.key = "peak", .heading = "peak", .object = MO_NAME(dcbBufferHeadroomPeak)},
    {.heading = "limit", .object = MO_NAME(dcbBufferHeadroomSize)},
    {.heading = "discards"},
    {0},
};

static bool is_lossless(struct rowset_at at)
{
	return rowset_num(at, MO_NAME(dcbBufferHeadroomSize)) > 0;
}

/* A row of the text is for one account: its data is a column of priority_columns with members. */
static json_t *account_name(struct rowset_at at)
{
	return json_string(((const struct rowset_column *)at.data)->key);
}

static bool has_reserve(struct rowset_at at)
{
	return !at.data || ((const struct rowset_column *)at.data)->members != headroom_columns;
}

static const struct rowset_column priority_columns[] = {
    ROWSET_PORT_CELL,
    {.key = "priority", .heading = "priority", .right = true, .value = rowset_sub, .arg = 1},
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

static const struct rowset_column port_columns[] = {
    ROWSET_PORT,
    {.key = "priorities", .rows = priority_columns, .table = MO_buffer, .arg = 1},
    {0},
};

/* Only ports that have rows. */
static json_t *ports_json(struct rowset_at memory)
{
	json_t *ports = out_alloc_check(json_array());
	uint32_t last = 0;

	ROWSET_EACH (at, memory.all, MO_buffer, 0, NULL) {
		if (at.sub[0] != last)
			out_json_append(ports, rowset_object(at, port_columns));
		last = at.sub[0];
	}
	return ports;
}

/* Those with a heading are rows of the text. */
static const struct rowset_column memory_columns[] = {
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

static void write_status(struct rowset_at m, FILE *f)
{
	int64_t since = rowset_num(m, MO_NAME(dcbBufferWatermarksSince));
	int64_t ratio = rowset_num(m, MO_NAME(dcbBufferHeadroomRatio));

	if (rowset_num(m, MO_NAME(dcbBufferStatus)) == MO_buffer_status_doesNotFit)
		fprintf(f,
			"status: does not fit: %" PRId64 " octets, %" PRId64
			" buffers are missing\n",
			rowset_num(m, MO_NAME(dcbBufferMissingOctets)),
			rowset_num(m, MO_NAME(dcbBufferMissingFrames)));
	else if (rowset_num(m, MO_NAME(dcbBufferStatus)) == MO_buffer_status_nothingShared)
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

static void write_memory(struct rowset_at m, FILE *f)
{
	struct text_table g = {0};
	char text[24];

	rowset_headings(&g, pool_columns);
	for (const struct rowset_column *c = memory_columns; c->key; c++) {
		if (!c->heading)
			continue;
		text_table_cell(&g, c->heading);
		snprintf(text, sizeof(text), "%" PRId64, rowset_num(m, c->object));
		text_table_cell(&g, text);
		snprintf(text, sizeof(text), "%" PRId64, rowset_num(m, c->other));
		text_table_cell(&g, text);
		for (unsigned i = 0; i < 4; i++)
			text_table_cell(&g, "-");
	}
	ROWSET_EACH (at, m.all, MO_buffer_pool, 0, NULL)
		rowset_cells(&g, at, pool_columns);
	rowset_print(&g, f, NULL);
}

static void write_text(const struct rowsets *all, FILE *f)
{
	struct rowset_at memory = rowset_at(all, MO_buffer_memory, 0);
	struct text_table g = {0};

	write_status(memory, f);
	write_memory(memory, f);
	rowset_headings(&g, priority_columns);
	rowset_headings(&g, lossy_columns);
	ROWSET_EACH (at, all, MO_buffer, 0, NULL) {
		for (const struct rowset_column *c = priority_columns; c->key || c->heading; c++) {
			at.data = at.col = c;
			if (!c->members || !rowset_members(at).sub)
				continue;
			rowset_cells(&g, at, priority_columns);
			rowset_cells(&g, at, c->members);
		}
	}
	rowset_print(&g, f, "octets/buffers; discards: for lack of octets/buffers");
}

static const struct rowset_command buffers = {
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
	return rowset_command(cli, &buffers, argc, argv);
}
