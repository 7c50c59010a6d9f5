/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/table_rows.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/fetch.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/base/names.h"

/* --- ports ---------------------------------------------------------------------------------- */

bool table_rows_parse_port(const struct target_ports *names, const char *text, uint32_t *ifindex)
{
	char *end;
	unsigned long long n;

	*ifindex = target_ports_find(names, text);
	if (*ifindex || !isdigit((unsigned char)text[0]))
		return *ifindex != 0;
	n = strtoull(text, &end, 10);
	*ifindex = (uint32_t)n;
	return *end == '\0' && n >= 1 && n <= INT32_MAX;
}

/* Prints an error for each argument that is no port. */
static bool parse_ports(struct table_rows_ports *ports, int argc, char **argv)
{
	bool good = true;
	char hint[64];

	if (argc > TABLE_ROWS_PORTS_MAX) {
		/*
		 * Message: The command has too many arguments. Use fewer; without port, the command
		 * prints all ports.
		 */
		cli_fail("expected at most %u ports", TABLE_ROWS_PORTS_MAX);
		return false;
	}
	for (int i = 0; i < argc; i++) {
		if (table_rows_parse_port(&ports->names, argv[i], &ports->ifindex[ports->n++]))
			continue;
		/*
		 * Message "expected the name or ifIndex of a port of dcbd, not "%s"; did you mean
		 * "%s"?": No port of dcbd(8) has this name, or two have it for a moment because
		 * interfaces are being renamed. `dcbctl show dcbPortName` prints the names.
		 */
		cli_fail("expected the name or ifIndex of a port of dcbd, not \"%s\"%s", argv[i],
			 target_ports_hint(&ports->names, argv[i], hint, sizeof(hint)));
		good = false;
	}
	return good;
}

bool table_rows_ports_parse(struct cli *cli, struct table_rows_ports *ports, int argc, char **argv)
{
	ports->n = 0;
	if (!cli_connect(cli))
		return false;
	if (target_ports_read(cli->client, &ports->names) != MO_CLIENT_OK) {
		cli_fail_client(cli);
		return false;
	}
	if (parse_ports(ports, argc, argv))
		return true;
	table_rows_ports_free(ports);
	return false;
}

void table_rows_ports_free(struct table_rows_ports *ports)
{
	target_ports_free(&ports->names);
}

bool table_rows_ports_have(const struct table_rows_ports *ports, uint32_t ifindex)
{
	for (unsigned i = 0; i < ports->n; i++)
		if (ports->ifindex[i] == ifindex)
			return true;
	return ports->n == 0;
}

const char *table_rows_port_name(const struct table_rows_ports *ports, uint32_t ifindex,
				 char name[TABLE_ROWS_PORT_OCTETS])
{
	const char *own = target_ports_name(&ports->names, ifindex);

	if (own)
		snprintf(name, TABLE_ROWS_PORT_OCTETS, "%s", own);
	else
		snprintf(name, TABLE_ROWS_PORT_OCTETS, "%" PRIu32, ifindex);
	return name;
}

json_t *table_rows_port_json(const struct table_rows_ports *ports, uint32_t ifindex)
{
	json_t *o = out_alloc_check(json_object());
	char name[TABLE_ROWS_PORT_OCTETS];

	out_json_put(o, "ifIndex", json_integer(ifindex));
	out_json_put(o, "port", out_json_text(table_rows_port_name(ports, ifindex, name)));
	return o;
}

/* --- reading -------------------------------------------------------------------------------- */

struct reading {
	struct table_rows *set;
	const struct table_rows_ports *ports;
	bool remote; /* the index begins with lldpV2RemTimeMark */
	unsigned port_part;
};

/*
 * Replaces control characters, which could control the terminal: some values
 * come from neighbors.
 */
static char *replace_controls(char *text)
{
	for (char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	return text;
}

static void take_cell(const struct mo_column *col, const struct mo_value *value,
		      struct table_rows_cell *cell)
{
	char text[MO_VALUE_TEXT];

	cell->has = true;
	cell->num = value->num;
	if (mo_is_octets(col->syntax) && col->syntax != MO_BITS) {
		mo_format(col, value, text, sizeof(text));
		cell->text = out_alloc_check(strdup(replace_controls(text)));
	}
	for (unsigned bit = 0; col->syntax == MO_BITS && bit < 8u * value->len && bit < 63; bit++)
		if (value->octets[bit / 8] & (0x80 >> bit % 8))
			cell->num |= INT64_C(1) << bit;
}

/* Moves the ifIndex to the front, and leaves out lldpV2RemTimeMark and the destination address. */
static struct mo_index port_first(const struct reading *r, struct mo_index index)
{
	uint32_t *sub = index.sub, ifindex;

	if (r->port_part >= index.n)
		return index;
	ifindex = sub[r->port_part];
	memmove(sub + 1, sub, r->port_part * sizeof(*sub));
	sub[0] = ifindex;
	if (r->remote && index.n >= 4) {
		memmove(sub + 1, sub + 3, (index.n - 3u) * sizeof(*sub));
		index.n = (uint8_t)(index.n - 2);
	}
	return index;
}

static void take_row(void *ctx, const struct out_row *from)
{
	struct reading *r = ctx;
	struct table_rows *set = r->set;
	struct table_row *row;

	if (r->port_part < from->index.n &&
	    !table_rows_ports_have(r->ports, from->index.sub[r->port_part]))
		return;
	if (set->n == set->room) {
		set->room = set->room ? 2 * set->room : 64;
		set->rows = out_alloc_check(realloc(set->rows, set->room * sizeof(*set->rows)));
	}
	row = &set->rows[set->n++];
	row->index = port_first(r, from->index);
	row->cells = out_alloc_check(calloc(set->table->n_columns, sizeof(*row->cells)));
	for (unsigned c = 0; c < set->table->n_columns; c++)
		if (from->present >> c & 1)
			take_cell(&set->table->columns[c], &from->values[c], &row->cells[c]);
}

static int compare_rows(const void *a, const void *b)
{
	return mo_index_compare(&((const struct table_row *)a)->index,
				&((const struct table_row *)b)->index);
}

static bool fetch(struct table_rows_all *all, struct table_rows *set)
{
	struct target target = {.table = set->table};
	struct reading r = {.set = set,
			    .ports = &all->ports,
			    .remote = target.table->n_index > 0 &&
				      strcmp(target.table->index[0].name, "lldpV2RemTimeMark") == 0,
			    .port_part = names_port_part(target.table)};

	if (fetch_rows(all->cli->client, &target, take_row, &r) != MO_CLIENT_OK) {
		cli_fail_client(all->cli);
		return false;
	}
	if (set->n > 1)
		qsort(set->rows, set->n, sizeof(*set->rows), compare_rows);
	return true;
}

bool table_rows_fetch(struct table_rows_all *all, const enum mo_table_id *tables)
{
	for (; *tables != MO_TABLES; tables++) {
		all->of[*tables].table = mo_table(*tables);
		if (!fetch(all, &all->of[*tables]))
			return false;
	}
	return true;
}

static void free_rows(struct table_rows *set)
{
	for (size_t i = 0; i < set->n; i++) {
		for (unsigned c = 0; c < set->table->n_columns; c++)
			free(set->rows[i].cells[c].text);
		free(set->rows[i].cells);
	}
	free(set->rows);
}

void table_rows_free(struct table_rows_all *all)
{
	for (unsigned i = 0; i < MO_TABLES; i++)
		free_rows(&all->of[i]);
	table_rows_ports_free(&all->ports);
}

bool table_rows_ports_exist(const struct table_rows_all *all, enum mo_table_id table)
{
	char name[TABLE_ROWS_PORT_OCTETS];

	for (unsigned i = 0; i < all->ports.n; i++) {
		const uint32_t *sub = &all->ports.ifindex[i];

		if (table_rows_find(all, table, 1, sub).sub)
			continue;
		/*
		 * Message: dcbd(8) does not manage this interface. Check `interfaces` in
		 * dcbd.conf(5).
		 */
		cli_fail("%s is not a port of dcbd", table_rows_port_name(&all->ports, *sub, name));
		return false;
	}
	return true;
}

/* --- access --------------------------------------------------------------------------------- */

struct table_rows_at table_rows_at(const struct table_rows_all *all, enum mo_table_id table,
				   size_t row)
{
	const struct table_rows *set = &all->of[table];

	return (struct table_rows_at){.all = all,
				      .set = set,
				      .row = row,
				      .sub = row < set->n ? set->rows[row].index.sub : NULL};
}

static bool begins_with(const struct table_rows_at *at, unsigned n, const uint32_t *sub)
{
	return at->sub && at->set->rows[at->row].index.n >= n &&
	       (n == 0 || memcmp(at->sub, sub, n * sizeof(*sub)) == 0);
}

struct table_rows_at table_rows_find(const struct table_rows_all *all, enum mo_table_id table,
				     unsigned n, const uint32_t *sub)
{
	const struct table_rows *set = &all->of[table];
	struct mo_index index = {.n = (uint8_t)n};
	size_t low = 0, high = set->n;
	struct table_rows_at at;

	if (n)
		memcpy(index.sub, sub, n * sizeof(*sub));
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (mo_index_compare(&set->rows[mid].index, &index) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	at = table_rows_at(all, table, low);
	if (!begins_with(&at, n, sub))
		at.sub = NULL;
	return at;
}

void table_rows_next(struct table_rows_at *at, unsigned n, const uint32_t *sub)
{
	const void *data = at->data;

	*at = table_rows_at(at->all, at->set->table->id, at->row + 1);
	at->data = data;
	if (!begins_with(at, n, sub))
		at->sub = NULL;
}

static const struct table_rows_cell *cell_at(struct table_rows_at at, const char *object,
					     const struct mo_column **col)
{
	static const struct table_rows_cell none;

	for (unsigned c = 0; c < at.set->table->n_columns; c++) {
		*col = &at.set->table->columns[c];
		if (strcmp((*col)->name, object) == 0)
			return at.sub ? &at.set->rows[at.row].cells[c] : &none;
	}
	assert(false); /* the table has no such object */
	return &none;
}

int64_t table_rows_num(struct table_rows_at at, const char *object)
{
	const struct mo_column *col;

	return cell_at(at, object, &col)->num;
}

bool table_rows_truth(struct table_rows_at at, const char *object)
{
	return table_rows_num(at, object) == 1;
}

static const char *text_of(const struct table_rows_cell *cell)
{
	return cell->text ? cell->text : "";
}

const char *table_rows_text(struct table_rows_at at, const char *object)
{
	const struct mo_column *col;

	return text_of(cell_at(at, object, &col));
}

static const char *name_of(const struct mo_column *col, int64_t num)
{
	for (const struct mo_enum *e = col->names; e && e->name; e++)
		if (e->value == num)
			return e->name;
	return "unknown";
}

const char *table_rows_name(struct table_rows_at at, const char *object)
{
	const struct mo_column *col;
	int64_t num = cell_at(at, object, &col)->num;

	return name_of(col, num);
}

json_t *table_rows_bits(const char *object, int64_t mask)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);
	json_t *a = out_alloc_check(json_array());

	for (const struct mo_enum *e = col->names; e->name; e++)
		if (mask >> e->value & 1)
			out_json_append(a, json_string(e->name));
	return a;
}

json_t *table_rows_json(struct table_rows_at at, const char *object)
{
	const struct mo_column *col;
	const struct table_rows_cell *cell = cell_at(at, object, &col);

	if (col->syntax == MO_BITS)
		return table_rows_bits(object, cell->num);
	if (mo_is_octets(col->syntax))
		return out_json_text(text_of(cell));
	if (col->syntax != MO_TRUTH && col->names)
		return json_string(name_of(col, cell->num));
	return out_json_value(col, &(struct mo_value){.num = cell->num});
}

/* --- columns -------------------------------------------------------------------------------- */

bool table_rows_has(struct table_rows_at at)
{
	const struct mo_column *col;

	return cell_at(at, at.col->object, &col)->has;
}

json_t *table_rows_sub(struct table_rows_at at)
{
	return json_integer(at.sub[at.col->arg]);
}

json_t *table_rows_address(struct table_rows_at at)
{
	const uint32_t *sub = at.sub + at.col->arg;

	return json_sprintf("%02x-%02x-%02x-%02x-%02x-%02x", sub[0] & 0xff, sub[1] & 0xff,
			    sub[2] & 0xff, sub[3] & 0xff, sub[4] & 0xff, sub[5] & 0xff);
}

void table_rows_port_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS])
{
	table_rows_port_name(&at.all->ports, at.sub[0], text);
}

json_t *table_rows_port(struct table_rows_at at)
{
	char name[TABLE_ROWS_CELL_OCTETS];

	table_rows_port_text(at, name);
	return out_json_text(name);
}

json_t *table_rows_nonzero(struct table_rows_at at)
{
	return table_rows_num(at, at.col->object) ? table_rows_json(at, at.col->object)
						  : json_null();
}

struct table_rows_at table_rows_members(struct table_rows_at at)
{
	const struct table_rows_column *col = at.col;

	if (col->arg)
		return table_rows_find(at.all, col->table, col->arg, at.sub);
	if (col->has && !col->has(at))
		at.sub = NULL;
	return at;
}

json_t *table_rows_string(struct table_rows_at at)
{
	const char *text;

	memcpy(&text, (const char *)at.data + at.col->arg, sizeof(text));
	return text ? json_string(text) : json_null();
}

json_t *table_rows_integer(struct table_rows_at at)
{
	int64_t n;

	memcpy(&n, (const char *)at.data + at.col->arg, sizeof(n));
	return json_integer(n);
}

static json_t *array_of(const struct table_rows_all *all, enum mo_table_id table, unsigned n,
			const uint32_t *sub, const struct table_rows_column *columns)
{
	json_t *a = out_alloc_check(json_array());

	TABLE_ROWS_EACH (at, all, table, n, sub)
		out_json_append(a, table_rows_object(at, columns));
	return a;
}

static json_t *value_of(struct table_rows_at at)
{
	const struct table_rows_column *col = at.col;
	struct table_rows_at row;

	if (col->has && !col->has(at))
		return json_null();
	if (col->value)
		return col->value(at);
	if (col->members) {
		row = table_rows_members(at);
		return row.sub ? table_rows_object(row, col->members) : json_null();
	}
	if (col->rows)
		return array_of(at.all, col->table, col->arg, at.sub, col->rows);
	return col->object ? table_rows_json(at, col->object) : json_null();
}

json_t *table_rows_object(struct table_rows_at at, const struct table_rows_column *columns)
{
	json_t *o = out_alloc_check(json_object());

	for (at.col = columns; at.col->key || at.col->heading; at.col++)
		if (at.col->key)
			out_json_put(o, at.col->key, value_of(at));
	return o;
}

void table_rows_headings(struct text_table *g, const struct table_rows_column *columns)
{
	for (const struct table_rows_column *c = columns; c->key || c->heading; c++)
		if (c->heading)
			text_table_column(g, c->heading, c->right);
}

/* Writes the names of an array, "-" if it has none. */
static void names_text(const json_t *names, char text[TABLE_ROWS_CELL_OCTETS])
{
	size_t n = 0;

	strcpy(text, "-");
	for (size_t i = 0; i < json_array_size(names) && n < TABLE_ROWS_CELL_OCTETS; i++)
		n += (size_t)snprintf(text + n, TABLE_ROWS_CELL_OCTETS - n, "%s%s", i ? " " : "",
				      json_string_value(json_array_get(names, i)));
}

/* Writes a number, a name, several names, a boolean, or nothing. */
static void json_text(json_t *value, char text[TABLE_ROWS_CELL_OCTETS])
{
	if (json_is_array(value))
		names_text(value, text);
	else if (json_is_integer(value))
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
	else
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%s",
			 json_is_string(value)    ? json_string_value(value)
			 : json_is_boolean(value) ? json_is_true(value) ? "yes" : "no"
						  : "-");
	json_decref(value);
}

static void cell_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS])
{
	const struct table_rows_column *col = at.col;
	const struct table_rows_cell *cell = NULL;
	const struct mo_column *object;

	if (col->object && !col->value)
		cell = cell_at(at, col->object, &object);
	if (col->has && !col->has(at))
		strcpy(text, "-");
	else if (col->text)
		col->text(at, text);
	else if (cell && cell->text) /* as it is: can be no UTF-8 */
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%s", cell->text);
	else
		json_text(out_alloc_check(value_of(at)), text);
}

void table_rows_cells(struct text_table *g, struct table_rows_at at,
		      const struct table_rows_column *columns)
{
	char text[TABLE_ROWS_CELL_OCTETS];

	for (at.col = columns; at.col->key || at.col->heading; at.col++) {
		if (!at.col->heading)
			continue;
		cell_text(at, text);
		text_table_cell(g, text);
	}
}

void table_rows_cell(struct table_rows_at at, const struct table_rows_column *columns,
		     const char *key, char text[TABLE_ROWS_CELL_OCTETS])
{
	at.col = columns;
	while (!at.col->key || strcmp(at.col->key, key) != 0)
		at.col++;
	cell_text(at, text);
}

void table_rows_put(struct text_table *g, const struct table_rows_all *all, enum mo_table_id table,
		    const struct table_rows_column *columns)
{
	table_rows_headings(g, columns);
	TABLE_ROWS_EACH (at, all, table, 0, NULL)
		table_rows_cells(g, at, columns);
}

void table_rows_print(struct text_table *g, FILE *f, const char *title)
{
	if (title && text_table_rows(g) > 0)
		fprintf(f, "\n%s%s", title, title[0] ? "\n" : "");
	if (!title || text_table_rows(g) > 0)
		text_table_print(g, f);
	text_table_clear(g);
}

/* --- commands ------------------------------------------------------------------------------- */

int table_rows_command(struct cli *cli, const struct table_rows_command *command, int argc,
		       char **argv)
{
	struct table_rows_all all = {.cli = cli};
	int rc = command->good ? CLI_USAGE : CLI_FAILED;

	if (!table_rows_ports_parse(cli, &all.ports, argc, argv))
		return rc;
	if (table_rows_fetch(&all, command->tables) && (!command->check || command->check(&all)) &&
	    table_rows_ports_exist(&all, command->ports)) {
		if (cli->json)
			out_json_write(array_of(&all, command->rows, 0, NULL, command->columns),
				       cli->out);
		else
			command->text(&all, cli->out);
		rc = !command->good || command->good(&all) ? CLI_OK : CLI_FAILED;
	}
	table_rows_free(&all);
	return rc;
}
