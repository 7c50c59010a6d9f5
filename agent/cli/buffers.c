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

#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/out_json.h"
#include "agent/cli/rowset.h"

#define CELL 48

/* All tables that the output is made of. */
struct buffers {
	struct cli *cli;
	struct rowset_ports ports;
	struct rowset port, memory, pool, buffer;
};

static bool fetch(struct buffers *b)
{
	return rowset_fetch(b->cli, MO_port, &b->ports, &b->port) &&
	       rowset_fetch(b->cli, MO_buffer_memory, &b->ports, &b->memory) &&
	       rowset_fetch(b->cli, MO_buffer_pool, &b->ports, &b->pool) &&
	       rowset_fetch(b->cli, MO_buffer, &b->ports, &b->buffer);
}

struct amount {
	int64_t octets, buffers;
};

/* Two objects of a row, whose names differ only in "Octets" and "Frames" at the end. */
struct amount_names {
	const char *octets, *frames;
};
#define AMOUNT_NAMES(prefix)                                     \
	{                                                        \
		MO_NAME(prefix##Octets), MO_NAME(prefix##Frames) \
	}
#define AMOUNT(prefix) (&(const struct amount_names)AMOUNT_NAMES(prefix))

/* What a priority has in the lossless or the lossy part of the memory. */
enum { HELD, PEAK, LIMIT, DISCARDS, ACCOUNT_AMOUNTS };
#define ACCOUNT(prefix)                                                                       \
	{                                                                                     \
		[HELD] = AMOUNT_NAMES(prefix), [PEAK] = AMOUNT_NAMES(prefix##Peak),           \
		[LIMIT] = AMOUNT_NAMES(prefix##Limit), [DISCARDS] = AMOUNT_NAMES(prefix##No), \
	}
static const struct amount_names lossless_account[ACCOUNT_AMOUNTS] = ACCOUNT(dcbBufferLossless);
static const struct amount_names lossy_account[ACCOUNT_AMOUNTS] = ACCOUNT(dcbBufferLossy);

static struct amount amount_of(const struct rowset *set, size_t row,
			       const struct amount_names *names)
{
	return (struct amount){rowset_num(set, row, names->octets),
			       rowset_num(set, row, names->frames)};
}

/* The reserve in force has another name, and of the headroom only octets are shown. */
static struct amount reserve_of(const struct buffers *b, size_t row)
{
	return (struct amount){rowset_num(&b->buffer, row, MO_NAME(dcbBufferReserveInForce)),
			       rowset_num(&b->buffer, row, MO_NAME(dcbBufferReserveFrames))};
}

static bool is_lossless(const struct buffers *b, size_t row)
{
	return rowset_num(&b->buffer, row, MO_NAME(dcbBufferHeadroomSize)) > 0;
}

static const char *pool_name(const struct buffers *b, size_t row)
{
	switch (b->pool.rows[row].index.sub[0]) {
	case MO_buffer_pool_lossless:
		return "lossless";
	case MO_buffer_pool_lossy:
		return "lossy";
	default:
		return "headroom";
	}
}

/* --- text ----------------------------------------------------------------------------------- */

static void add_number(struct grid *g, int64_t n)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%" PRId64, n);
	grid_cell(g, text);
}

static void add_columns(struct grid *g, struct amount a)
{
	add_number(g, a.octets);
	add_number(g, a.buffers);
}

static void add_part(struct grid *g, const char *name, struct amount size)
{
	grid_cell(g, name);
	add_columns(g, size);
	for (unsigned i = 0; i < 4; i++)
		grid_cell(g, "-");
}

static void add_pool(struct grid *g, const struct buffers *b, size_t row)
{
	char name[CELL];

	snprintf(name, sizeof(name), "%s pool", pool_name(b, row));
	grid_cell(g, name);
	add_columns(g, amount_of(&b->pool, row, AMOUNT(dcbBufferPoolSize)));
	add_columns(g, amount_of(&b->pool, row, AMOUNT(dcbBufferPoolUsed)));
	add_columns(g, amount_of(&b->pool, row, AMOUNT(dcbBufferPoolPeak)));
}

static void write_status(const struct buffers *b)
{
	struct amount missing = amount_of(&b->memory, 0, AMOUNT(dcbBufferMissing));
	int64_t since = rowset_num(&b->memory, 0, MO_NAME(dcbBufferWatermarksSince));
	FILE *f = b->cli->out;

	if (rowset_num(&b->memory, 0, MO_NAME(dcbBufferStatus)) == MO_buffer_status_doesNotFit)
		fprintf(f,
			"status: does not fit: %" PRId64 " octets, %" PRId64
			" buffers are missing\n",
			missing.octets, missing.buffers);
	else if (rowset_num(&b->memory, 0, MO_NAME(dcbBufferStatus)) ==
		 MO_buffer_status_nothingShared)
		fputs("status: fits, nothing is left to share\n", f);
	else
		fputs("status: fits\n", f);
	fprintf(f, "headroom ratio: %" PRId64 "%s\n",
		rowset_num(&b->memory, 0, MO_NAME(dcbBufferHeadroomRatio)),
		rowset_num(&b->memory, 0, MO_NAME(dcbBufferHeadroomRatio)) > 1
		    ? ", the headroom is not guaranteed"
		    : "");
	if (since)
		fprintf(f, "peaks since: %" PRId64 ".%02d s after the start of dcbd\n", since / 100,
			(int)(since % 100));
	else
		fputs("peaks since: the start of dcbd\n", f);
}

static void write_memory(const struct buffers *b)
{
	static const char *const headers[] = {"part",        "octets",       "buffers",
					      "used octets", "used buffers", "peak octets",
					      "peak buffers"};
	struct grid g = {0};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		grid_column(&g, headers[i], i > 0);
	add_part(&g, "memory", amount_of(&b->memory, 0, AMOUNT(dcbBufferMemory)));
	add_part(&g, "reserves", amount_of(&b->memory, 0, AMOUNT(dcbBufferReserved)));
	add_part(&g, "headroom", amount_of(&b->memory, 0, AMOUNT(dcbBufferPromised)));
	for (size_t row = 0; row < b->pool.n; row++)
		add_pool(&g, b, row);
	grid_print(&g, b->cli->out);
	grid_clear(&g);
}

static void add_pair(struct grid *g, struct amount a)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%" PRId64 "/%" PRId64, a.octets, a.buffers);
	grid_cell(g, text);
}

static void add_head(struct grid *g, const struct buffers *b, size_t row, const char *account)
{
	const uint32_t *sub = b->buffer.rows[row].index.sub;
	char text[CELL];

	grid_cell(g, rowset_port_name(&b->ports, sub[0], text));
	snprintf(text, sizeof(text), "%u", sub[1]);
	grid_cell(g, text);
	grid_cell(g, account);
}

static void add_account(struct grid *g, const struct buffers *b, size_t row, const char *account,
			const struct amount_names names[ACCOUNT_AMOUNTS])
{
	add_head(g, b, row, account);
	add_pair(g, reserve_of(b, row));
	for (size_t i = 0; i < ACCOUNT_AMOUNTS; i++)
		add_pair(g, amount_of(&b->buffer, row, &names[i]));
}

static void add_headroom(struct grid *g, const struct buffers *b, size_t row)
{
	add_head(g, b, row, "headroom");
	grid_cell(g, "-");
	add_number(g, rowset_num(&b->buffer, row, MO_NAME(dcbBufferHeadroomOctets)));
	add_number(g, rowset_num(&b->buffer, row, MO_NAME(dcbBufferHeadroomPeak)));
	add_number(g, rowset_num(&b->buffer, row, MO_NAME(dcbBufferHeadroomSize)));
	grid_cell(g, "-");
}

static void write_ports(const struct buffers *b)
{
	static const char *const headers[] = {"port", "priority", "account", "reserve",
					      "held", "peak",     "limit",   "discards"};
	struct grid g = {0};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		grid_column(&g, headers[i], i == 1 || i > 2);
	for (size_t row = 0; row < b->buffer.n; row++) {
		if (is_lossless(b, row)) {
			add_account(&g, b, row, "lossless", lossless_account);
			add_headroom(&g, b, row);
		}
		add_account(&g, b, row, "lossy", lossy_account);
	}
	if (grid_rows(&g) > 0) {
		fputs("\noctets/buffers; discards: for lack of octets/buffers\n", b->cli->out);
		grid_print(&g, b->cli->out);
	}
	grid_clear(&g);
}

static void write_text(const struct buffers *b)
{
	write_status(b);
	write_memory(b);
	write_ports(b);
}

/* --- JSON ----------------------------------------------------------------------------------- */

static json_t *amount_json(struct amount a)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "octets", out_json_unsigned((uint64_t)a.octets));
	out_json_put(o, "buffers", out_json_unsigned((uint64_t)a.buffers));
	return o;
}

static void put_amount(json_t *o, const char *key, const struct rowset *set, size_t row,
		       const struct amount_names *names)
{
	out_json_put(o, key, amount_json(amount_of(set, row, names)));
}

static json_t *account_json(const struct buffers *b, size_t row,
			    const struct amount_names names[ACCOUNT_AMOUNTS])
{
	static const char *const keys[ACCOUNT_AMOUNTS] = {"held", "peak", "limit", "discards"};
	json_t *o = out_alloc_check(json_object());

	for (size_t i = 0; i < ACCOUNT_AMOUNTS; i++)
		put_amount(o, keys[i], &b->buffer, row, &names[i]);
	return o;
}

static json_t *headroom_json(const struct buffers *b, size_t row)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "size",
		     json_integer(rowset_num(&b->buffer, row, MO_NAME(dcbBufferHeadroomSize))));
	out_json_put(o, "held",
		     json_integer(rowset_num(&b->buffer, row, MO_NAME(dcbBufferHeadroomOctets))));
	out_json_put(o, "peak",
		     json_integer(rowset_num(&b->buffer, row, MO_NAME(dcbBufferHeadroomPeak))));
	return o;
}

static json_t *priority_json(const struct buffers *b, size_t row)
{
	json_t *o = out_alloc_check(json_object());
	bool lossless = is_lossless(b, row);

	out_json_put(o, "priority", json_integer(b->buffer.rows[row].index.sub[1]));
	out_json_put(o, "reserve", amount_json(reserve_of(b, row)));
	out_json_put(o, "lossless",
		     lossless ? account_json(b, row, lossless_account) : json_null());
	out_json_put(o, "headroom", lossless ? headroom_json(b, row) : json_null());
	out_json_put(o, "lossy", account_json(b, row, lossy_account));
	return o;
}

static json_t *pools_json(const struct buffers *b)
{
	json_t *a = out_alloc_check(json_array());

	for (size_t row = 0; row < b->pool.n; row++) {
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "pool", json_string(pool_name(b, row)));
		put_amount(o, "size", &b->pool, row, AMOUNT(dcbBufferPoolSize));
		put_amount(o, "used", &b->pool, row, AMOUNT(dcbBufferPoolUsed));
		put_amount(o, "peak", &b->pool, row, AMOUNT(dcbBufferPoolPeak));
		out_json_append(a, o);
	}
	return a;
}

/* Rows are in the order of ports, eight of each. */
static json_t *ports_json(const struct buffers *b)
{
	json_t *ports = out_alloc_check(json_array());

	for (size_t row = 0; row < b->buffer.n;) {
		uint32_t ifindex = b->buffer.rows[row].index.sub[0];
		json_t *port = out_json_port(&b->ports, ifindex);
		json_t *a = out_alloc_check(json_array());

		for (; row < b->buffer.n && b->buffer.rows[row].index.sub[0] == ifindex; row++)
			out_json_append(a, priority_json(b, row));
		out_json_put(port, "priorities", a);
		out_json_append(ports, port);
	}
	return ports;
}

static void write_json(const struct buffers *b)
{
	json_t *all = out_alloc_check(json_array()), *o = out_alloc_check(json_object());
	const struct rowset *m = &b->memory;

	out_json_put(o, "status", json_string(rowset_name(m, 0, MO_NAME(dcbBufferStatus))));
	put_amount(o, "memory", m, 0, AMOUNT(dcbBufferMemory));
	put_amount(o, "reserves", m, 0, AMOUNT(dcbBufferReserved));
	put_amount(o, "headroom", m, 0, AMOUNT(dcbBufferPromised));
	put_amount(o, "missing", m, 0, AMOUNT(dcbBufferMissing));
	out_json_put(o, "headroomRatio",
		     json_integer(rowset_num(m, 0, MO_NAME(dcbBufferHeadroomRatio))));
	out_json_put(o, "losslessShare",
		     json_integer(rowset_num(m, 0, MO_NAME(dcbBufferLosslessShare))));
	out_json_put(o, "watermarksSince",
		     json_integer(rowset_num(m, 0, MO_NAME(dcbBufferWatermarksSince))));
	out_json_put(o, "pools", pools_json(b));
	out_json_put(o, "ports", ports_json(b));
	out_json_append(all, o);
	out_json_write(all, b->cli->out);
}

int cmd_buffers(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct buffers b = {.cli = cli};
	int rc = CLI_FAILED;

	(void)self;
	if (!rowset_ports_parse(cli, &b.ports, argc, argv))
		return CLI_FAILED;
	if (fetch(&b) && rowset_ports_exist(&b.ports, &b.port)) {
		(cli->json ? write_json : write_text)(&b);
		rc = CLI_OK;
	}
	rowset_ports_free(&b.ports);
	return rc;
}
