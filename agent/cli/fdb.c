/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl fdb: the filtering database in the words and the JSON of bridge(8): a line for each
 * address, "02:00:00:00:00:01 dev swp1 vlan 10 used 3 moves 1", or "static" in place of the last
 * ones. Rows are printed as they are read: there may be hundreds of thousands.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/cli.h"
#include "agent/cli/base/fetch.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/port/edit.h"
#include "agent/cli/base/table_rows.h"

enum { COLUMN_PORT, COLUMN_ORIGIN, COLUMN_AGE, COLUMN_MOVES };

struct fdb {
	struct cli *cli;
	struct table_rows_all all;
	uint32_t ifindex, vlan; /* 0: all */
	uint32_t origin;        /* enum mo_fdb_origin; 0: both */
	size_t n;               /* printed */
};

/* --- arguments ------------------------------------------------------------------------------ */

static bool parse_vlan(const char *text, uint32_t *vlan)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*vlan = (uint32_t)n;
	return isdigit((unsigned char)text[0]) && *end == '\0' && n >= 1 && n <= 4094;
}

static bool parse_port(struct fdb *fdb, const char *text)
{
	char hint[64];

	if (table_rows_parse_port(&fdb->all.ports.names, text, &fdb->ifindex))
		return true;
	/*
	 * Message "expected the name or ifIndex of a port of dcbd, not "%s"; did you mean "%s"?":
	 * as "expected the name or ifIndex of a port of dcbd, not "%s"; did you mean "%s"?"
	 */
	cli_fail("expected the name or ifIndex of a port of dcbd, not \"%s\"%s", text,
		 target_ports_hint(&fdb->all.ports.names, text, hint, sizeof(hint)));
	return false;
}

/* Returns CLI_OK, or CLI_USAGE or CLI_FAILED after an error message. */
static int parse(struct fdb *fdb, const struct cli_command *self, bool shows, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (shows && strcmp(argv[i], "static") == 0) {
			fdb->origin = MO_fdb_origin_static;
		} else if (shows && strcmp(argv[i], "dynamic") == 0) {
			fdb->origin = MO_fdb_origin_learned;
		} else if (next && strcmp(argv[i], "dev") == 0) {
			if (!parse_port(fdb, argv[++i]))
				return CLI_FAILED;
		} else if (next && strcmp(argv[i], "vlan") == 0) {
			if (!parse_vlan(argv[++i], &fdb->vlan))
				/* Message: as "--%s: expected one of %s, not "%s"" */
				return cli_fail("vlan: expected 1..4094, not \"%s\"", argv[i]);
		} else {
			return cli_usage(self);
		}
	}
	return CLI_OK;
}

/* --- show ----------------------------------------------------------------------------------- */

static void print_json(const struct fdb *fdb, const char *mac, const char *name,
		       const struct out_row *row)
{
	bool is_static = row->values[COLUMN_ORIGIN].num == MO_fdb_origin_static;
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "version", json_integer(1));
	out_json_put(o, "mac", json_string(mac));
	out_json_put(o, "ifIndex", json_integer(row->values[COLUMN_PORT].num));
	out_json_put(o, "ifname", json_string(name));
	out_json_put(o, "vlan", json_integer(row->index.sub[0]));
	out_json_put(o, "used", json_integer(row->values[COLUMN_AGE].num));
	out_json_put(o, "moves", json_integer(row->values[COLUMN_MOVES].num));
	out_json_put(o, "flags", json_array());
	out_json_put(o, "state", json_string(is_static ? "static" : ""));
	fputs(fdb->n ? ",\n " : "", fdb->cli->out);
	json_dumpf(o, fdb->cli->out, JSON_COMPACT);
	json_decref(o);
}

static void print_row(void *ctx, const struct out_row *row)
{
	struct fdb *fdb = ctx;
	const uint32_t *sub = row->index.sub;
	uint32_t ifindex = (uint32_t)row->values[COLUMN_PORT].num;
	bool is_static = row->values[COLUMN_ORIGIN].num == MO_fdb_origin_static;
	int64_t age = row->values[COLUMN_AGE].num, moves = row->values[COLUMN_MOVES].num;
	char name[TABLE_ROWS_PORT_OCTETS], mac[18];
	FILE *f = fdb->cli->out;

	if ((fdb->ifindex && ifindex != fdb->ifindex) ||
	    (fdb->origin && row->values[COLUMN_ORIGIN].num != fdb->origin))
		return;
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", sub[1] & 0xff, sub[2] & 0xff,
		 sub[3] & 0xff, sub[4] & 0xff, sub[5] & 0xff, sub[6] & 0xff);
	table_rows_port_name(&fdb->all.ports, ifindex, name);
	if (fdb->cli->json)
		print_json(fdb, mac, name, row);
	else if (is_static)
		fprintf(f, "%s dev %s vlan %" PRIu32 " static\n", mac, name, sub[0]);
	else
		fprintf(f, "%s dev %s vlan %" PRIu32 " used %" PRId64 " moves %" PRId64 "\n", mac,
			name, sub[0], age, moves);
	fdb->n++;
}

static int show(struct fdb *fdb)
{
	struct target rows = {.table = mo_table(MO_fdb)};

	if (fdb->vlan)
		rows.index = (struct mo_index){1, {fdb->vlan}};
	if (fdb->cli->json)
		fputc('[', fdb->cli->out);
	if (fetch_rows(fdb->cli->client, &rows, print_row, fdb) != MO_CLIENT_OK)
		return cli_fail_client(fdb->cli);
	if (fdb->cli->json)
		fputs("]\n", fdb->cli->out);
	return CLI_OK;
}

/* --- flush ---------------------------------------------------------------------------------- */

/* Sets all three: a number that differs makes dcbd forget the addresses. */
static int flush(struct fdb *fdb)
{
	static const char *const objects[] = {MO_NAME(dcbFdbFlushNumber), MO_NAME(dcbFdbFlushPort),
					      MO_NAME(dcbFdbFlushVlan)};
	char names[3][32], values[3][12], *words[7] = {NULL};
	struct edit e;
	int rc;

	if (!table_rows_fetch(&fdb->all, (const enum mo_table_id[]){MO_fdb_flush, MO_TABLES}))
		return CLI_FAILED;
	snprintf(values[0], sizeof(values[0]), "%" PRIu32,
		 (uint32_t)table_rows_num(table_rows_at(&fdb->all, MO_fdb_flush, 0), objects[0]) +
		     1);
	snprintf(values[1], sizeof(values[1]), "%" PRIu32, fdb->ifindex);
	snprintf(values[2], sizeof(values[2]), "%" PRIu32, fdb->vlan);
	for (size_t i = 0; i < 3; i++) {
		snprintf(names[i], sizeof(names[i]), "%s.0", objects[i]);
		words[2 * i] = names[i];
		words[2 * i + 1] = values[i];
	}
	if (!edit_open(&e, fdb->cli))
		return CLI_FAILED;
	(void)edit_set(&e, 6, words);
	rc = edit_commit(&e);
	edit_close(&e);
	return rc;
}

int cmd_fdb(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct fdb fdb = {.cli = cli, .all = {.cli = cli}};
	bool shows = argc == 0 || strcmp(argv[0], "show") == 0;
	int rc;

	if (!shows && strcmp(argv[0], "flush") != 0)
		return cli_usage(self);
	if (!table_rows_ports_parse(cli, &fdb.all.ports, 0, NULL))
		return CLI_FAILED;
	rc = parse(&fdb, self, shows, argc - (argc > 0), argv + (argc > 0));
	if (rc == CLI_OK)
		rc = shows ? show(&fdb) : flush(&fdb);
	table_rows_free(&fdb.all);
	return rc;
}
