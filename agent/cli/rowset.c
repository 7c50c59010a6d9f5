/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/rowset.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/fetch.h"
#include "agent/cli/view/names.h"

/* --- ports ---------------------------------------------------------------------------------- */

bool rowset_parse_port(const struct target_ports *names, const char *text, uint32_t *ifindex)
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
static bool parse_ports(struct rowset_ports *ports, int argc, char **argv)
{
	bool good = true;
	char hint[64];

	if (argc > ROWSET_PORTS_MAX) {
		/*
		 * Message: The command has too many arguments. Use fewer; without port, the command
		 * prints all ports.
		 */
		cli_fail("expected at most %u ports", ROWSET_PORTS_MAX);
		return false;
	}
	for (int i = 0; i < argc; i++) {
		if (rowset_parse_port(&ports->names, argv[i], &ports->ifindex[ports->n++]))
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

bool rowset_ports_parse(struct cli *cli, struct rowset_ports *ports, int argc, char **argv)
{
	ports->n = 0;
	ports->fetched = NULL;
	if (!cli_connect(cli))
		return false;
	if (target_ports_read(cli->client, &ports->names) != MO_CLIENT_OK) {
		cli_fail_client(cli);
		return false;
	}
	if (parse_ports(ports, argc, argv))
		return true;
	rowset_ports_free(ports);
	return false;
}

static void free_rows(struct rowset *set)
{
	for (size_t i = 0; i < set->n; i++) {
		for (unsigned c = 0; c < set->table->n_columns; c++)
			free(set->rows[i].cells[c].text);
		free(set->rows[i].cells);
	}
	free(set->rows);
}

void rowset_ports_free(struct rowset_ports *ports)
{
	for (struct rowset *set = ports->fetched; set; set = set->next)
		free_rows(set);
	ports->fetched = NULL;
	target_ports_free(&ports->names);
}

bool rowset_ports_have(const struct rowset_ports *ports, uint32_t ifindex)
{
	for (unsigned i = 0; i < ports->n; i++)
		if (ports->ifindex[i] == ifindex)
			return true;
	return ports->n == 0;
}

const char *rowset_port_name(const struct rowset_ports *ports, uint32_t ifindex,
			     char name[ROWSET_PORT_OCTETS])
{
	const char *own = target_ports_name(&ports->names, ifindex);

	if (own)
		snprintf(name, ROWSET_PORT_OCTETS, "%s", own);
	else
		snprintf(name, ROWSET_PORT_OCTETS, "%" PRIu32, ifindex);
	return name;
}

/* --- reading -------------------------------------------------------------------------------- */

struct reading {
	struct rowset *set;
	const struct rowset_ports *ports;
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
		      struct rowset_cell *cell)
{
	char text[MO_VALUE_TEXT];

	cell->num = value->num;
	if (mo_is_octets(col->syntax) && col->syntax != MO_BITS) {
		mo_format(col, value, text, sizeof(text));
		cell->text = out_alloc_check(strdup(replace_controls(text)));
	}
	for (unsigned bit = 0; col->syntax == MO_BITS && bit < 8u * value->len && bit < 63; bit++)
		if (value->octets[bit / 8] & (0x80 >> bit % 8))
			cell->num |= INT64_C(1) << bit;
}

static void take_row(void *ctx, const struct out_row *from)
{
	struct reading *r = ctx;
	struct rowset *set = r->set;
	struct rowset_row *row;

	if (r->port_part < from->index.n &&
	    !rowset_ports_have(r->ports, from->index.sub[r->port_part]))
		return;
	if (set->n == set->room) {
		set->room = set->room ? 2 * set->room : 64;
		set->rows = out_alloc_check(realloc(set->rows, set->room * sizeof(*set->rows)));
	}
	row = &set->rows[set->n++];
	row->index = from->index;
	if (r->remote && row->index.n >= 4) {
		row->index.sub[0] = from->index.sub[1];
		memmove(row->index.sub + 1, from->index.sub + 3,
			(from->index.n - 3u) * sizeof(*row->index.sub));
		row->index.n = (uint8_t)(row->index.n - 2);
	}
	row->cells = out_alloc_check(calloc(set->table->n_columns, sizeof(*row->cells)));
	for (unsigned c = 0; c < set->table->n_columns; c++)
		if (from->present >> c & 1)
			take_cell(&set->table->columns[c], &from->values[c], &row->cells[c]);
}

static int compare_rows(const void *a, const void *b)
{
	return mo_index_compare(&((const struct rowset_row *)a)->index,
				&((const struct rowset_row *)b)->index);
}

bool rowset_fetch(struct cli *cli, enum mo_table_id table, struct rowset_ports *ports,
		  struct rowset *set)
{
	struct target target = {.table = mo_table(table)};
	struct reading r = {.set = set,
			    .ports = ports,
			    .remote = target.table->n_index > 0 &&
				      strcmp(target.table->index[0].name, "lldpV2RemTimeMark") == 0,
			    .port_part = names_port_part(target.table)};

	*set = (struct rowset){.table = target.table, .next = ports->fetched};
	ports->fetched = set;
	if (fetch_rows(cli->client, &target, take_row, &r) != MO_CLIENT_OK) {
		cli_fail_client(cli);
		return false;
	}
	if (set->n > 1)
		qsort(set->rows, set->n, sizeof(*set->rows), compare_rows);
	return true;
}

/* --- access --------------------------------------------------------------------------------- */

size_t rowset_find(const struct rowset *set, unsigned n, const uint32_t *sub)
{
	struct mo_index index = {.n = (uint8_t)n};
	size_t low = 0, high = set->n;

	memcpy(index.sub, sub, n * sizeof(*sub));
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (mo_index_compare(&set->rows[mid].index, &index) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool rowset_has(const struct rowset *set, size_t row, unsigned n, const uint32_t *sub)
{
	return row < set->n && set->rows[row].index.n >= n &&
	       memcmp(set->rows[row].index.sub, sub, n * sizeof(*sub)) == 0;
}

static const struct rowset_cell *cell_at(const struct rowset *set, size_t row, const char *object,
					 const struct mo_column **col)
{
	static const struct rowset_cell none;

	for (unsigned c = 0; c < set->table->n_columns; c++) {
		*col = &set->table->columns[c];
		if (strcmp((*col)->name, object) == 0)
			return row < set->n ? &set->rows[row].cells[c] : &none;
	}
	assert(false); /* the table has no such object */
	return &none;
}

int64_t rowset_num(const struct rowset *set, size_t row, const char *object)
{
	const struct mo_column *col;

	return cell_at(set, row, object, &col)->num;
}

bool rowset_truth(const struct rowset *set, size_t row, const char *object)
{
	return rowset_num(set, row, object) == 1;
}

const char *rowset_text(const struct rowset *set, size_t row, const char *object)
{
	const struct mo_column *col;
	const char *text = cell_at(set, row, object, &col)->text;

	return text ? text : "";
}

const char *rowset_name(const struct rowset *set, size_t row, const char *object)
{
	const struct mo_column *col;
	int64_t num = cell_at(set, row, object, &col)->num;

	for (const struct mo_enum *e = col->names; e && e->name; e++)
		if (e->value == num)
			return e->name;
	return "unknown";
}

bool rowset_ports_exist(const struct rowset_ports *ports, const struct rowset *table)
{
	char name[ROWSET_PORT_OCTETS];

	for (unsigned i = 0; i < ports->n; i++) {
		const uint32_t *sub = &ports->ifindex[i];

		if (rowset_has(table, rowset_find(table, 1, sub), 1, sub))
			continue;
		/*
		 * Message: dcbd(8) does not manage this interface. Check `interfaces` in
		 * dcbd.conf(5).
		 */
		cli_fail("%s is not a port of dcbd", rowset_port_name(ports, *sub, name));
		return false;
	}
	return true;
}
