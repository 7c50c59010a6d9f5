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

#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/out_json.h"
#include "agent/cli/rowset.h"

#define CELL 64

/* All tables that the output is made of. */
struct trill {
	struct cli *cli;
	struct rowset_ports ports;
	struct rowset agent, port, trill, trill_port, hop, egress, nickname, stats;
};

static bool fetch(struct trill *t)
{
	return rowset_fetch(t->cli, MO_agent_id, &t->ports, &t->agent) &&
	       rowset_fetch(t->cli, MO_port, &t->ports, &t->port) &&
	       rowset_fetch(t->cli, MO_trill, &t->ports, &t->trill) &&
	       rowset_fetch(t->cli, MO_trill_port, &t->ports, &t->trill_port) &&
	       rowset_fetch(t->cli, MO_trill_hop, &t->ports, &t->hop) &&
	       rowset_fetch(t->cli, MO_trill_egress, &t->ports, &t->egress) &&
	       rowset_fetch(t->cli, MO_trill_nickname, &t->ports, &t->nickname) &&
	       rowset_fetch(t->cli, MO_trill_stats, &t->ports, &t->stats);
}

/* --- values --------------------------------------------------------------------------------- */

/* Writes six sub-identifiers as an address. */
static const char *address(const uint32_t *sub, char text[CELL])
{
	snprintf(text, CELL, "%02x-%02x-%02x-%02x-%02x-%02x", sub[0] & 0xff, sub[1] & 0xff,
		 sub[2] & 0xff, sub[3] & 0xff, sub[4] & 0xff, sub[5] & 0xff);
	return text;
}

static bool is_up(const struct trill *t, uint32_t ifindex)
{
	size_t row = rowset_find(&t->port, 1, &ifindex);

	return rowset_has(&t->port, row, 1, &ifindex) &&
	       rowset_truth(&t->port, row, MO_NAME(dcbPortOperational));
}

static bool is_unicast(const struct trill *t, size_t hop)
{
	return rowset_truth(&t->hop, hop, MO_NAME(dcbTrillNextHopUnicast));
}

static bool is_in_tree(const struct trill *t, size_t hop)
{
	return rowset_truth(&t->hop, hop, MO_NAME(dcbTrillNextHopTree));
}

/* Returns whether frames are sent to a next hop. */
static bool is_in_use(const struct trill *t, size_t hop)
{
	return is_up(t, t->hop.rows[hop].index.sub[0]) &&
	       (is_unicast(t, hop) || is_in_tree(t, hop));
}

/* Returns the name of a counter without that of its table: "dropHopCount". */
static const char *counter_name(const struct mo_column *col, char text[CELL])
{
	snprintf(text, CELL, "%s", col->name + strlen("dcbTrillPortStats"));
	text[0] = (char)tolower((unsigned char)text[0]);
	return text;
}

/* --- text ----------------------------------------------------------------------------------- */

static void begin(struct grid *g, const char *const *headers, size_t n, size_t left)
{
	*g = (struct grid){0};
	for (size_t i = 0; i < n; i++)
		grid_column(g, headers[i], i != left);
}

/* Prints a table with its title if it has rows. */
static void end(struct grid *g, FILE *f, const char *title)
{
	if (grid_rows(g) > 0) {
		fprintf(f, "\n%s\n", title);
		grid_print(g, f);
	}
	grid_clear(g);
}

static void add_number(struct grid *g, int64_t n)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%" PRId64, n);
	grid_cell(g, text);
}

static void write_head(const struct trill *t)
{
	int64_t own = rowset_num(&t->trill, 0, MO_NAME(dcbTrillNickname));
	int64_t root = rowset_num(&t->trill, 0, MO_NAME(dcbTrillTreeRoot));
	FILE *f = t->cli->out;

	if (own)
		fprintf(f, "nickname: %" PRId64 "\n", own);
	else
		fputs("nickname: none, TRILL frames are discarded\n", f);
	if (root)
		fprintf(f, "tree root: %" PRId64 "%s\n", root, root == own ? ", this RBridge" : "");
	else
		fputs("tree root: none, frames for groups stay here\n", f);
	fprintf(f, "hop count: %" PRId64 "\n", rowset_num(&t->trill, 0, MO_NAME(dcbTrillHopCount)));
}

static void write_nicknames(const struct trill *t)
{
	static const char *const headers[] = {"nickname", "next hops", "in use",
					      "learned",  "frames to", "frames from"};
	struct grid g;

	begin(&g, headers, sizeof(headers) / sizeof(headers[0]), SIZE_MAX);
	for (size_t row = 0; row < t->nickname.n; row++) {
		add_number(&g, t->nickname.rows[row].index.sub[0]);
		add_number(&g, rowset_num(&t->nickname, row, MO_NAME(dcbTrillNicknameNextHops)));
		add_number(&g, rowset_num(&t->nickname, row, MO_NAME(dcbTrillNicknameNextHopsUp)));
		add_number(&g, rowset_num(&t->nickname, row, MO_NAME(dcbTrillNicknameLearned)));
		add_number(&g, rowset_num(&t->nickname, row, MO_NAME(dcbTrillNicknameFramesTo)));
		add_number(&g, rowset_num(&t->nickname, row, MO_NAME(dcbTrillNicknameFramesFrom)));
	}
	end(&g, t->cli->out, "nicknames");
}

static void write_hops(const struct trill *t)
{
	static const char *const headers[] = {"port",    "nickname", "address",
					      "unicast", "tree",     "in use"};
	struct grid g;
	char text[CELL];

	begin(&g, headers, sizeof(headers) / sizeof(headers[0]), 0);
	for (size_t row = 0; row < t->hop.n; row++) {
		const uint32_t *sub = t->hop.rows[row].index.sub;

		grid_cell(&g, rowset_port_name(&t->ports, sub[0], text));
		add_number(&g, sub[1]);
		grid_cell(&g, address(sub + 2, text));
		grid_cell(&g, is_unicast(t, row) ? "yes" : "no");
		grid_cell(&g, is_in_tree(t, row) ? "yes" : "no");
		grid_cell(&g, is_in_use(t, row) ? "yes" : "no");
	}
	end(&g, t->cli->out, "next hops");
}

static void write_egress(const struct trill *t)
{
	static const char *const headers[] = {"VLAN", "address", "nickname"};
	struct grid g;
	char text[CELL];

	begin(&g, headers, sizeof(headers) / sizeof(headers[0]), SIZE_MAX);
	for (size_t row = 0; row < t->egress.n; row++) {
		const uint32_t *sub = t->egress.rows[row].index.sub;

		add_number(&g, sub[0]);
		grid_cell(&g, address(sub + 1, text));
		add_number(&g, rowset_num(&t->egress, row, MO_NAME(dcbTrillEgressNickname)));
	}
	end(&g, t->cli->out, "static egress nicknames");
}

static void write_ports(const struct trill *t)
{
	static const char *const headers[] = {"port", "mode", "designated VLAN"};
	struct grid g;
	char text[CELL];

	begin(&g, headers, sizeof(headers) / sizeof(headers[0]), 0);
	for (size_t row = 0; row < t->trill_port.n; row++) {
		uint32_t ifindex = t->trill_port.rows[row].index.sub[0];

		grid_cell(&g, rowset_port_name(&t->ports, ifindex, text));
		grid_cell(&g, rowset_name(&t->trill_port, row, MO_NAME(dcbTrillPortMode)));
		add_number(&g,
			   rowset_num(&t->trill_port, row, MO_NAME(dcbTrillPortDesignatedVlan)));
	}
	end(&g, t->cli->out, "ports");
}

/* Counters that are 0 are left out: each port has more than 30. */
static void write_counters(const struct trill *t)
{
	static const char *const headers[] = {"port", "counter", "frames"};
	const struct mo_table *table = mo_table(MO_trill_stats);
	struct grid g;
	char text[CELL];

	begin(&g, headers, sizeof(headers) / sizeof(headers[0]), 0);
	for (size_t row = 0; row < t->stats.n; row++) {
		for (unsigned i = 0; i < table->n_columns; i++) {
			int64_t n = rowset_num(&t->stats, row, table->columns[i].name);

			if (n == 0)
				continue;
			grid_cell(
			    &g, rowset_port_name(&t->ports, t->stats.rows[row].index.sub[0], text));
			grid_cell(&g, counter_name(&table->columns[i], text));
			add_number(&g, n);
		}
	}
	end(&g, t->cli->out, "counters other than 0");
}

static void write_text(const struct trill *t)
{
	write_head(t);
	write_nicknames(t);
	write_hops(t);
	write_egress(t);
	write_ports(t);
	write_counters(t);
}

/* --- JSON ----------------------------------------------------------------------------------- */

static void put_num(json_t *o, const char *key, const struct rowset *set, size_t row,
		    const char *object)
{
	out_json_put(o, key, out_json_unsigned((uint64_t)rowset_num(set, row, object)));
}

static json_t *hops_json(const struct trill *t, uint32_t nickname)
{
	json_t *a = out_alloc_check(json_array());
	char text[CELL];

	for (size_t row = 0; row < t->hop.n; row++) {
		const uint32_t *sub = t->hop.rows[row].index.sub;
		json_t *o;

		if (sub[1] != nickname)
			continue;
		o = out_json_port(&t->ports, sub[0]);
		out_json_put(o, "address", json_string(address(sub + 2, text)));
		out_json_put(o, "unicast", json_boolean(is_unicast(t, row)));
		out_json_put(o, "tree", json_boolean(is_in_tree(t, row)));
		out_json_put(o, "inUse", json_boolean(is_in_use(t, row)));
		out_json_append(a, o);
	}
	return a;
}

static json_t *nicknames_json(const struct trill *t)
{
	json_t *a = out_alloc_check(json_array());

	for (size_t row = 0; row < t->nickname.n; row++) {
		uint32_t nickname = t->nickname.rows[row].index.sub[0];
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "nickname", json_integer(nickname));
		out_json_put(o, "nextHops", hops_json(t, nickname));
		put_num(o, "egressEntries", &t->nickname, row,
			MO_NAME(dcbTrillNicknameEgressEntries));
		put_num(o, "learned", &t->nickname, row, MO_NAME(dcbTrillNicknameLearned));
		put_num(o, "framesTo", &t->nickname, row, MO_NAME(dcbTrillNicknameFramesTo));
		put_num(o, "framesFrom", &t->nickname, row, MO_NAME(dcbTrillNicknameFramesFrom));
		out_json_append(a, o);
	}
	return a;
}

static json_t *egress_json(const struct trill *t)
{
	json_t *a = out_alloc_check(json_array());
	char text[CELL];

	for (size_t row = 0; row < t->egress.n; row++) {
		const uint32_t *sub = t->egress.rows[row].index.sub;
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "vlan", json_integer(sub[0]));
		out_json_put(o, "address", json_string(address(sub + 1, text)));
		put_num(o, "nickname", &t->egress, row, MO_NAME(dcbTrillEgressNickname));
		out_json_append(a, o);
	}
	return a;
}

static json_t *counters_json(const struct trill *t, uint32_t ifindex)
{
	const struct mo_table *table = mo_table(MO_trill_stats);
	json_t *o = out_alloc_check(json_object());
	size_t row = rowset_find(&t->stats, 1, &ifindex);
	char text[CELL];

	for (unsigned i = 0; i < table->n_columns; i++)
		put_num(o, counter_name(&table->columns[i], text), &t->stats, row,
			table->columns[i].name);
	return o;
}

static json_t *ports_json(const struct trill *t)
{
	json_t *a = out_alloc_check(json_array());

	for (size_t row = 0; row < t->trill_port.n; row++) {
		uint32_t ifindex = t->trill_port.rows[row].index.sub[0];
		json_t *o = out_json_port(&t->ports, ifindex);

		out_json_put(
		    o, "mode",
		    json_string(rowset_name(&t->trill_port, row, MO_NAME(dcbTrillPortMode))));
		put_num(o, "designatedVlan", &t->trill_port, row,
			MO_NAME(dcbTrillPortDesignatedVlan));
		out_json_put(o, "counters", counters_json(t, ifindex));
		out_json_append(a, o);
	}
	return a;
}

static void write_json(const struct trill *t)
{
	json_t *all = out_alloc_check(json_array()), *o = out_alloc_check(json_object());

	put_num(o, "nickname", &t->trill, 0, MO_NAME(dcbTrillNickname));
	put_num(o, "treeRoot", &t->trill, 0, MO_NAME(dcbTrillTreeRoot));
	put_num(o, "hopCount", &t->trill, 0, MO_NAME(dcbTrillHopCount));
	out_json_put(o, "nicknames", nicknames_json(t));
	out_json_put(o, "egress", egress_json(t));
	out_json_put(o, "ports", ports_json(t));
	out_json_append(all, o);
	out_json_write(all, t->cli->out);
}

static bool is_rbridge(const struct trill *t)
{
	if (rowset_num(&t->agent, 0, MO_NAME(dcbAgentRole)) == MO_role_rbridge)
		return true;
	/* Message: `trill` and `trill egress` are for an RBridge. */
	cli_fail("dcbd has the role %s: expected rbridge",
		 rowset_name(&t->agent, 0, MO_NAME(dcbAgentRole)));
	return false;
}

/* --- trill egress --------------------------------------------------------------------------- */

static void fdb_text(const struct rowset *fdb, FILE *f)
{
	static const char *const headers[] = {"VLAN", "address", "nickname", "origin", "age"};
	struct grid g;
	char text[CELL];

	begin(&g, headers, sizeof(headers) / sizeof(headers[0]), 3);
	for (size_t row = 0; row < fdb->n; row++) {
		const uint32_t *sub = fdb->rows[row].index.sub;
		const char *origin = rowset_name(fdb, row, MO_NAME(dcbTrillFdbOrigin));

		add_number(&g, sub[0]);
		grid_cell(&g, address(sub + 1, text));
		add_number(&g, rowset_num(fdb, row, MO_NAME(dcbTrillFdbNickname)));
		grid_cell(&g, origin);
		snprintf(text, sizeof(text), "%" PRId64 " s",
			 rowset_num(fdb, row, MO_NAME(dcbTrillFdbAge)));
		grid_cell(&g, strcmp(origin, "static") == 0 ? "-" : text);
	}
	grid_print(&g, f);
	grid_clear(&g);
}

static void fdb_json(const struct rowset *fdb, FILE *f)
{
	json_t *all = out_alloc_check(json_array());
	char text[CELL];

	for (size_t row = 0; row < fdb->n; row++) {
		const uint32_t *sub = fdb->rows[row].index.sub;
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "vlan", json_integer(sub[0]));
		out_json_put(o, "address", json_string(address(sub + 1, text)));
		put_num(o, "nickname", fdb, row, MO_NAME(dcbTrillFdbNickname));
		out_json_put(o, "origin",
			     json_string(rowset_name(fdb, row, MO_NAME(dcbTrillFdbOrigin))));
		put_num(o, "ageSeconds", fdb, row, MO_NAME(dcbTrillFdbAge));
		out_json_append(all, o);
	}
	out_json_write(all, f);
}

static int print_egress(struct cli *cli)
{
	struct trill t = {.cli = cli};
	struct rowset fdb = {.n = 0};
	int rc = CLI_FAILED;

	if (cli_connect(cli) && rowset_fetch(cli, MO_agent_id, &t.ports, &t.agent) &&
	    is_rbridge(&t) && rowset_fetch(cli, MO_trill_fdb, &t.ports, &fdb)) {
		(cli->json ? fdb_json : fdb_text)(&fdb, cli->out);
		rc = CLI_OK;
	}
	rowset_ports_free(&t.ports);
	return rc;
}

/* A port whose name is "egress" is selected by its ifIndex. */
int cmd_trill(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct trill t = {.cli = cli};
	int rc = CLI_FAILED;

	(void)self;
	if (argc == 1 && strcmp(argv[0], "egress") == 0)
		return print_egress(cli);
	if (!rowset_ports_parse(cli, &t.ports, argc, argv))
		return CLI_FAILED;
	if (fetch(&t) && is_rbridge(&t) && rowset_ports_exist(&t.ports, &t.port)) {
		(cli->json ? write_json : write_text)(&t);
		rc = CLI_OK;
	}
	rowset_ports_free(&t.ports);
	return rc;
}
