/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl trill: nicknames, next hops, egress nicknames and counters of an RBridge.
 *
 *   JSON  [{"nickname", "treeRoot", "hopCount",
 *           "nicknames": [{"nickname", "nextHops": [...], "learned", "framesTo", ...}],
 *           "egress": [{"vlan", "address", "nickname"}],
 *           "ports": [{"ifIndex", "port", "mode", "designatedVlan", "counters": {...}}]}]
 *
 * dcbctl trill egress: the addresses behind other RBridges, static and learned.
 *
 *   JSON  [{"vlan", "address", "nickname", "origin", "ageSeconds"}]
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/base/table_rows.h"

/* --- columns -------------------------------------------------------------------------------- */

/* Returns whether frames are sent to a next hop. */
static json_t *in_use(struct table_rows_at hop)
{
	struct table_rows_at port = table_rows_find(hop.all, MO_port, 1, hop.sub);

	return json_boolean(table_rows_truth(port, MO_NAME(dcbPortOperational)) &&
			    (table_rows_truth(hop, MO_NAME(dcbTrillNextHopUnicast)) ||
			     table_rows_truth(hop, MO_NAME(dcbTrillNextHopTree))));
}

/* clang-format off */
#define ADDRESS(part) \
	{.key = "address", .heading = "address", .right = true, .value = table_rows_address, .arg = (part)}
/* clang-format on */

static const struct table_rows_column hop_columns[] = {
    TABLE_ROWS_PORT,
    TABLE_ROWS_INDEX(NULL, "nickname", 1),
    ADDRESS(2),
    TABLE_ROWS_NUMBER("unicast", "unicast", dcbTrillNextHopUnicast),
    TABLE_ROWS_NUMBER("tree", "tree", dcbTrillNextHopTree),
    {.key = "inUse", .heading = "in use", .right = true, .value = in_use},
    {0},
};

static json_t *hops_json(struct table_rows_at nickname)
{
	json_t *a = out_alloc_check(json_array());

	TABLE_ROWS_EACH (hop, nickname.all, MO_trill_hop, 0, NULL)
		if (hop.sub[1] == nickname.sub[0])
			out_json_append(a, table_rows_object(hop, hop_columns));
	return a;
}

static const struct table_rows_column nickname_columns[] = {
    TABLE_ROWS_INDEX("nickname", "nickname", 0),
    {.key = "nextHops", .value = hops_json},
    TABLE_ROWS_NUMBER(NULL, "next hops", dcbTrillNicknameNextHops),
    TABLE_ROWS_NUMBER(NULL, "in use", dcbTrillNicknameNextHopsUp),
    TABLE_ROWS_NUMBER("egressEntries", NULL, dcbTrillNicknameEgressEntries),
    TABLE_ROWS_NUMBER("learned", "learned", dcbTrillNicknameLearned),
    TABLE_ROWS_NUMBER("framesTo", "frames to", dcbTrillNicknameFramesTo),
    TABLE_ROWS_NUMBER("framesFrom", "frames from", dcbTrillNicknameFramesFrom),
    {0},
};

static const struct table_rows_column egress_columns[] = {
    TABLE_ROWS_INDEX("vlan", "VLAN", 0),
    ADDRESS(1),
    TABLE_ROWS_NUMBER("nickname", "nickname", dcbTrillEgressNickname),
    {0},
};

/* Returns the name of a counter without that of its table: "dropHopCount". */
static const char *counter_name(const struct mo_column *col, char text[TABLE_ROWS_CELL_OCTETS])
{
	snprintf(text, TABLE_ROWS_CELL_OCTETS, "%s", col->name + strlen("dcbTrillPortStats"));
	text[0] = (char)tolower((unsigned char)text[0]);
	return text;
}

static json_t *counters_json(struct table_rows_at port)
{
	struct table_rows_at stats = table_rows_find(port.all, MO_trill_stats, 1, port.sub);
	const struct mo_table *table = mo_table(MO_trill_stats);
	json_t *o = out_alloc_check(json_object());
	char name[TABLE_ROWS_CELL_OCTETS];

	for (const struct mo_column *c = table->columns; c < table->columns + table->n_columns; c++)
		out_json_put(o, counter_name(c, name), table_rows_json(stats, c->name));
	return o;
}

static const struct table_rows_column port_columns[] = {
    TABLE_ROWS_PORT,
    TABLE_ROWS_NUMBER("mode", "mode", dcbTrillPortMode),
    TABLE_ROWS_NUMBER("designatedVlan", "designated VLAN", dcbTrillPortDesignatedVlan),
    {.key = "counters", .value = counters_json},
    {0},
};

static const struct table_rows_column trill_columns[] = {
    TABLE_ROWS_NUMBER("nickname", NULL, dcbTrillNickname),
    TABLE_ROWS_NUMBER("treeRoot", NULL, dcbTrillTreeRoot),
    TABLE_ROWS_NUMBER("hopCount", NULL, dcbTrillHopCount),
    {.key = "nicknames", .rows = nickname_columns, .table = MO_trill_nickname},
    {.key = "egress", .rows = egress_columns, .table = MO_trill_egress},
    {.key = "ports", .rows = port_columns, .table = MO_trill_port},
    {0},
};

/* In text a counter, a struct mo_column, is a row. */
static void counter_text(struct table_rows_at stats, char text[TABLE_ROWS_CELL_OCTETS])
{
	counter_name(stats.data, text);
}

static json_t *counter_value(struct table_rows_at stats)
{
	return table_rows_json(stats, ((const struct mo_column *)stats.data)->name);
}

static const struct table_rows_column counter_columns[] = {
    TABLE_ROWS_PORT_CELL,
    {.heading = "counter", .right = true, .text = counter_text},
    {.heading = "frames", .right = true, .value = counter_value},
    {0},
};

/* --- text ----------------------------------------------------------------------------------- */

static void write_head(struct table_rows_at t, FILE *f)
{
	int64_t own = table_rows_num(t, MO_NAME(dcbTrillNickname));
	int64_t root = table_rows_num(t, MO_NAME(dcbTrillTreeRoot));

	if (own)
		fprintf(f, "nickname: %" PRId64 "\n", own);
	else
		fputs("nickname: none, TRILL frames are discarded\n", f);
	if (root)
		fprintf(f, "tree root: %" PRId64 "%s\n", root, root == own ? ", this RBridge" : "");
	else
		fputs("tree root: none, frames for groups stay here\n", f);
	fprintf(f, "hop count: %" PRId64 "\n", table_rows_num(t, MO_NAME(dcbTrillHopCount)));
}

static void write_table(const struct table_rows_all *all, enum mo_table_id table,
			const struct table_rows_column *columns, const char *title, FILE *f)
{
	struct text_table g = {0};

	table_rows_put(&g, all, table, columns);
	table_rows_print(&g, f, title);
}

/* Counters that are 0 are left out: each port has more than 30. */
static void write_counters(const struct table_rows_all *all, FILE *f)
{
	const struct mo_table *table = mo_table(MO_trill_stats);
	struct text_table g = {0};

	table_rows_headings(&g, counter_columns);
	TABLE_ROWS_EACH (at, all, MO_trill_stats, 0, NULL) {
		for (unsigned i = 0; i < table->n_columns; i++) {
			at.data = &table->columns[i];
			if (table_rows_num(at, table->columns[i].name))
				table_rows_cells(&g, at, counter_columns);
		}
	}
	table_rows_print(&g, f, "counters other than 0");
}

static void write_text(const struct table_rows_all *all, FILE *f)
{
	write_head(table_rows_at(all, MO_trill, 0), f);
	write_table(all, MO_trill_nickname, nickname_columns, "nicknames", f);
	write_table(all, MO_trill_hop, hop_columns, "next hops", f);
	write_table(all, MO_trill_egress, egress_columns, "static egress nicknames", f);
	write_table(all, MO_trill_port, port_columns, "ports", f);
	write_counters(all, f);
}

static bool is_rbridge(const struct table_rows_all *all)
{
	struct table_rows_at agent = table_rows_at(all, MO_agent_id, 0);

	if (table_rows_num(agent, MO_NAME(dcbAgentRole)) == MO_role_rbridge)
		return true;
	/* Message: `trill` and `trill egress` are for an RBridge. */
	cli_fail("dcbd has the role %s: expected rbridge",
		 table_rows_name(agent, MO_NAME(dcbAgentRole)));
	return false;
}

static const struct table_rows_command trill = {
    .tables =
	(const enum mo_table_id[]){MO_agent_id, MO_port, MO_trill, MO_trill_port, MO_trill_hop,
				   MO_trill_egress, MO_trill_nickname, MO_trill_stats, MO_TABLES},
    .ports = MO_port,
    .check = is_rbridge,
    .text = write_text,
    .rows = MO_trill,
    .columns = trill_columns,
};

/* --- trill egress --------------------------------------------------------------------------- */

static bool is_learned(struct table_rows_at at)
{
	return strcmp(table_rows_name(at, MO_NAME(dcbTrillFdbOrigin)), "static") != 0;
}

static void age_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS])
{
	if (is_learned(at))
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRId64 " s",
			 table_rows_num(at, at.col->object));
	else
		strcpy(text, "-");
}

static const struct table_rows_column fdb_columns[] = {
    TABLE_ROWS_INDEX("vlan", "VLAN", 0),
    ADDRESS(1),
    TABLE_ROWS_NUMBER("nickname", "nickname", dcbTrillFdbNickname),
    {.key = "origin", .heading = "origin", .object = MO_NAME(dcbTrillFdbOrigin)},
    {.key = "ageSeconds",
     .heading = "age",
     .right = true,
     .object = MO_NAME(dcbTrillFdbAge),
     .text = age_text},
    {0},
};

static void write_fdb(const struct table_rows_all *all, FILE *f)
{
	struct text_table g = {0};

	table_rows_put(&g, all, MO_trill_fdb, fdb_columns);
	table_rows_print(&g, f, NULL);
}

static const struct table_rows_command egress = {
    .tables = (const enum mo_table_id[]){MO_agent_id, MO_trill_fdb, MO_TABLES},
    .ports = MO_agent_id, /* not asked: there are no arguments */
    .check = is_rbridge,
    .text = write_fdb,
    .rows = MO_trill_fdb,
    .columns = fdb_columns,
};

/* A port whose name is "egress" is selected by its ifIndex. */
int cmd_trill(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	(void)self;
	if (argc == 1 && strcmp(argv[0], "egress") == 0)
		return table_rows_command(cli, &egress, 0, NULL);
	return table_rows_command(cli, &trill, argc, argv);
}
