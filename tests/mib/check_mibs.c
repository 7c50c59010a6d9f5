/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_mibs DIRS FACTS: compares the rows of mibs/all.def, the MIB modules in
 * DIRS and the standard's facts in FACTS. The rows are compared as the
 * descriptors of lib/mo/mo.h, the modules as Net-SNMP's parser reads them.
 * Prints each difference and fails if there are any.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mo/mo.h"
#include "tests/mib/facts.h"
#include "tests/mib/mibtree.h"

static const char *const modules[] = {"IEEE8021-CN-MIB",
				      "IEEE8021-PFC-MIB",
				      "LLDP-EXT-DOT1-V2-MIB",
				      "DCB-AGENT-MIB",
				      "BRIDGE-MIB",
				      "Q-BRIDGE-MIB",
				      NULL};

/* Nodes that are not objects: above the tables and of conformance; all listed in arcs[]. */
#define LLDP_ARCS 33

static const struct facts_expected facts[] = {
    {"IEEE8021-CN-MIB", "ieee8021-cn-mib.csv", "ieee8021CnMIBObjects", 79, 44, 0},
    {"IEEE8021-PFC-MIB", "ieee8021-pfc-mib.csv", "ieee8021PfcMIBObjects", 5, 3, 0},
    {"LLDP-EXT-DOT1-V2-MIB", "lldp-ext-dot1-v2-mib.csv", "lldpV2Xdot1MIB", 158, 52, LLDP_ARCS},
};

/* Nodes that neither rows nor facts have. */
static const struct {
	const char *module, *name, *oid;
} arcs[] = {
    {"IEEE8021-TC-MIB", "ieee8021TcMib", "1.3.111.2.802.1.1.1"},
    {"LLDP-V2-TC-MIB", "lldpV2TcMIB", "1.3.111.2.802.1.1.12"},
    {"IEEE8021-CN-MIB", "ieee8021CnMib", "1.3.111.2.802.1.1.18"},
    {"IEEE8021-CN-MIB", "ieee8021CnCompliances", "1.3.111.2.802.1.1.18.2.1"},
    {"IEEE8021-CN-MIB", "ieee8021CnGroups", "1.3.111.2.802.1.1.18.2.2"},
    {"IEEE8021-PFC-MIB", "ieee8021PFCMib", "1.3.111.2.802.1.1.21"},
    {"IEEE8021-PFC-MIB", "ieee8021PfcCompliances", "1.3.111.2.802.1.1.21.2.1"},
    {"IEEE8021-PFC-MIB", "ieee8021PfcGroups", "1.3.111.2.802.1.1.21.2.2"},
    {"LLDP-V2-MIB", "lldpV2MIB", "1.3.111.2.802.1.1.13"},
    {"LLDP-V2-MIB", "lldpV2PortConfigEntry", "1.3.111.2.802.1.1.13.1.1.8.1"},
    {"LLDP-V2-MIB", "lldpV2LocPortIfIndex", "1.3.111.2.802.1.1.13.1.3.7.1.1"},
    {"LLDP-V2-MIB", "lldpV2RemTimeMark", "1.3.111.2.802.1.1.13.1.4.1.1.1"},
    {"LLDP-V2-MIB", "lldpV2RemIndex", "1.3.111.2.802.1.1.13.1.4.1.1.4"},
    {"RMON2-MIB", "rmon", "1.3.6.1.2.1.16"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpV2Xdot1MIB", "1.3.111.2.802.1.1.13.1.5.32962"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnMIB", "1.3.111.2.802.1.1.13.1.5.32962.3"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnObjects", "1.3.111.2.802.1.1.13.1.5.32962.3.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnConfig", "1.3.111.2.802.1.1.13.1.5.32962.3.1.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnLocalData", "1.3.111.2.802.1.1.13.1.5.32962.3.1.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnRemoteData", "1.3.111.2.802.1.1.13.1.5.32962.3.1.3"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnConformance", "1.3.111.2.802.1.1.13.1.5.32962.4"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnCompliances", "1.3.111.2.802.1.1.13.1.5.32962.4.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnGroups", "1.3.111.2.802.1.1.13.1.5.32962.4.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxMIB", "1.3.111.2.802.1.1.13.1.5.32962.5"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxObjects", "1.3.111.2.802.1.1.13.1.5.32962.5.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxConfig", "1.3.111.2.802.1.1.13.1.5.32962.5.1.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxLocalData", "1.3.111.2.802.1.1.13.1.5.32962.5.1.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxLocETSConfiguration",
     "1.3.111.2.802.1.1.13.1.5.32962.5.1.2.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxLocETSReco", "1.3.111.2.802.1.1.13.1.5.32962.5.1.2.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxLocPFC", "1.3.111.2.802.1.1.13.1.5.32962.5.1.2.3"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxRemoteData", "1.3.111.2.802.1.1.13.1.5.32962.5.1.3"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxRemETSConfiguration",
     "1.3.111.2.802.1.1.13.1.5.32962.5.1.3.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxRemETSReco", "1.3.111.2.802.1.1.13.1.5.32962.5.1.3.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxRemPFC", "1.3.111.2.802.1.1.13.1.5.32962.5.1.3.3"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxAdminData", "1.3.111.2.802.1.1.13.1.5.32962.5.1.4"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxAdminETSConfiguration",
     "1.3.111.2.802.1.1.13.1.5.32962.5.1.4.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxAdminETSReco", "1.3.111.2.802.1.1.13.1.5.32962.5.1.4.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxAdminPFC", "1.3.111.2.802.1.1.13.1.5.32962.5.1.4.3"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxConformance", "1.3.111.2.802.1.1.13.1.5.32962.6"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxCompliances", "1.3.111.2.802.1.1.13.1.5.32962.6.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxGroups", "1.3.111.2.802.1.1.13.1.5.32962.6.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnCompliance", "1.3.111.2.802.1.1.13.1.5.32962.4.1.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1CnGroup", "1.3.111.2.802.1.1.13.1.5.32962.4.2.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxCompliance", "1.3.111.2.802.1.1.13.1.5.32962.6.1.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxETSGroup", "1.3.111.2.802.1.1.13.1.5.32962.6.2.1"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxPFCGroup", "1.3.111.2.802.1.1.13.1.5.32962.6.2.2"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxApplicationPriorityGroup",
     "1.3.111.2.802.1.1.13.1.5.32962.6.2.3"},
    {"LLDP-EXT-DOT1-V2-MIB", "lldpXdot1dcbxApplicationVlanGroup",
     "1.3.111.2.802.1.1.13.1.5.32962.6.2.4"},
    {"Q-BRIDGE-MIB", "qBridgeMIB", "1.3.6.1.2.1.17.7"},
};

static void check_arcs(void)
{
	for (size_t i = 0; i < sizeof(arcs) / sizeof(arcs[0]); i++) {
		const struct tree *node = mib_find(arcs[i].module, arcs[i].name);
		char oid[MIB_TEXT_MAX];

		if (!node)
			continue;
		mib_oid(node, oid);
		expect_text(arcs[i].name, "OID", oid, arcs[i].oid);
	}
}

/* Whether an object of the parser's type has the row's syntax. */
static bool type_fits(const struct tree *node, enum mo_syntax syntax)
{
	bool named = node->enums != NULL;

	switch (syntax) {
	case MO_INTEGER32:
		return !named && (node->type == TYPE_INTEGER || node->type == TYPE_INTEGER32);
	case MO_UNSIGNED32:
		return node->type == TYPE_UNSIGNED32 || node->type == TYPE_GAUGE;
	case MO_COUNTER32:
		return node->type == TYPE_COUNTER;
	case MO_COUNTER64:
	case MO_GAUGE64:
		return node->type == TYPE_COUNTER64;
	case MO_TIMETICKS:
		return node->type == TYPE_TIMETICKS;
	case MO_TRUTH:
	case MO_ENUM:
	case MO_ROW_STATUS:
		return named && node->type == TYPE_INTEGER;
	case MO_OCTETS:
	case MO_STRING:
	case MO_VLANS:
		return node->type == TYPE_OCTETSTR;
	case MO_BITS:
		return named && node->type == TYPE_BITSTRING;
	}
	return false;
}

/* Checks the textual convention, for those syntaxes that stand for one. */
static void check_convention(const struct tree *node, enum mo_syntax syntax)
{
	const char *tc = node->tc_index >= 0 ? get_tc_descriptor(node->tc_index) : "";

	if (syntax == MO_TRUTH)
		expect_text(node->label, "textual convention", tc, "TruthValue");
	if (syntax == MO_ROW_STATUS)
		expect_text(node->label, "textual convention", tc, "RowStatus");
	if (syntax == MO_STRING)
		expect_text(node->label, "textual convention", tc, "SnmpAdminString");
	if (syntax == MO_COUNTER64)
		expect_text(node->label, "textual convention", tc, "");
	if (syntax == MO_GAUGE64)
		expect_text(node->label, "textual convention", tc, "CounterBasedGauge64");
}

static const char *name_of(const struct mo_column *col, int64_t value)
{
	for (const struct mo_enum *e = col->names; e && e->name; e++)
		if (e->value == value)
			return e->name;
	return NULL;
}

static void check_range(const struct tree *node, const struct mo_column *col)
{
	int64_t low = 0, high = 0;

	if (col->syntax == MO_COUNTER32 || col->syntax == MO_COUNTER64 ||
	    col->syntax == MO_GAUGE64) {
		if (node->ranges || col->min || col->max)
			fail("%s: is a counter with a range", col->name);
		return;
	}
	if (col->syntax == MO_VLANS) { /* the row has the range of the VLANs */
		if (!mib_range(node, &low, &high) || low != 0 || high != MO_VLANS_OCTETS)
			fail("%s: expected 0..%d octets", col->name, MO_VLANS_OCTETS);
		return;
	}
	if (!mib_range(node, &low, &high) || low != col->min || high != col->max)
		fail("%s: range is %" PRId64 "..%" PRId64 ", row has %" PRId64 "..%" PRId64,
		     col->name, low, high, col->min, col->max);
}

/*
 * Compares the named values in the row's range. Its list may have more: the object may
 * allow only some values of a textual convention. There may be gaps between values.
 */
static void check_names(const struct tree *node, const struct mo_column *col)
{
	char got[MIB_TEXT_MAX], want[MIB_TEXT_MAX] = "";
	size_t len = 0;

	if (!node->enums && !col->names)
		return;
	for (int64_t v = col->min; v <= col->max && len < sizeof(want); v++) {
		const char *name = name_of(col, v);

		if (name)
			len += (size_t)snprintf(want + len, sizeof(want) - len, "%s%s(%" PRId64 ")",
						len ? "," : "", name, v);
	}
	mib_enums(node, got);
	expect_text(col->name, "enumeration", got, want);
}

static void check_defval(const struct tree *node, const struct mo_column *col)
{
	char want[MIB_TEXT_MAX] = "";
	const char *name = name_of(col, col->initial);

	if (col->has_initial && col->initial_is_defval) {
		if (name)
			snprintf(want, sizeof(want), "%s", name);
		else
			snprintf(want, sizeof(want), "%" PRId64, col->initial);
	}
	expect_text(col->name, "DEFVAL", node->defaultValue, want);
	if (col->has_initial && (col->initial < col->min || col->initial > col->max))
		fail("%s: initial value %" PRId64 " of the row is out of range", col->name,
		     col->initial);
}

/* Whether the clause is in a list of mib_clauses(); "" is in an empty list only. */
static bool has_clause(const char *clauses, const char *clause)
{
	size_t len = strlen(clause);

	for (const char *p = clauses; (p = strstr(p, clause)) && len; p += len)
		if ((p == clauses || p[-1] == ' ') && strchr("; ", p[len]))
			return true;
	return !len && !clauses[0];
}

/* The row's clause is in the REFERENCE of the object, or of its table if that has none. */
static void check_clause(const struct tree *node, const struct mo_column *col)
{
	const struct tree *table = node->parent->parent;
	char clauses[MIB_TEXT_MAX];

	mib_clauses(node->reference, clauses);
	if (!clauses[0] && table)
		mib_clauses(table->reference, clauses);
	if (!has_clause(clauses, col->clause))
		fail("%s: REFERENCE has '%s', row has '%s'", col->name, clauses, col->clause);
}

static void check_column(const struct mo_table *table, const char *entry_oid,
			 const struct mo_column *col)
{
	static const char *const access[] = {
	    [MO_NA] = "not-accessible",
	    [MO_RO] = "read-only",
	    [MO_RW] = "read-write",
	    [MO_RC] = "read-create",
	};
	const struct tree *node = mib_find(table->module, col->name);
	char got[MIB_TEXT_MAX], want[MIB_TEXT_MAX + 16];

	if (!node)
		return;
	mib_oid(node, got);
	snprintf(want, sizeof(want), "%s.%" PRIu32, entry_oid, col->subid);
	expect_text(col->name, "OID", got, want);
	if (!type_fits(node, col->syntax))
		fail("%s: type %d does not fit the row's syntax", col->name, node->type);
	check_convention(node, col->syntax);
	expect_text(col->name, "MAX-ACCESS", mib_access(node), access[col->access]);
	expect_text(col->name, "UNITS", node->units, col->unit);
	check_range(node, col);
	check_names(node, col);
	check_defval(node, col);
	check_clause(node, col);
}

/* Compares the range: of the length for a string of fixed length, else of the value. */
static void check_index_part(const struct mo_table *table, const struct mo_index_part *part)
{
	/* -1: any module; an index may be of another one, ifIndex of IF-MIB for example. */
	const struct tree *node = find_tree_node(part->name, -1);
	int64_t low = 0, high = 0;

	if (!node) {
		fail("%s: index %s is not in any module", table->name, part->name);
		return;
	}
	if (part->octets != (node->type == TYPE_OCTETSTR))
		fail("%s: row and module disagree whether index %s is a string", table->name,
		     part->name);
	if (!mib_range(node, &low, &high) || low != part->min || high != part->max)
		fail("%s: index %s is %" PRId64 "..%" PRId64 ", row has %" PRIu32 "..%" PRIu32,
		     table->name, part->name, low, high, part->min, part->max);
	if (part->octets && part->min != part->max)
		fail("%s: index %s has no fixed length", table->name, part->name);
}

static void check_index(const struct mo_table *table, const struct tree *entry)
{
	char got[MIB_TEXT_MAX], want[MIB_TEXT_MAX] = "";
	size_t len = 0;

	for (unsigned i = 0; i < table->n_index && len < sizeof(want); i++) {
		len += (size_t)snprintf(want + len, sizeof(want) - len, "%s%s", len ? ", " : "",
					table->index[i].name);
		check_index_part(table, &table->index[i]);
	}
	mib_index(entry, table->module, got);
	expect_text(table->name, "INDEX", got, want);
}

static void dotted(const struct mo_table *table, char buf[MIB_TEXT_MAX])
{
	size_t len = 0;

	for (unsigned i = 0; i < table->oid_len && len < MIB_TEXT_MAX; i++)
		len += (size_t)snprintf(buf + len, MIB_TEXT_MAX - len, "%s%" PRIu32, i ? "." : "",
					table->oid[i]);
}

/* Returns the node above the columns: the table's entry, or the scalar group. */
static const struct tree *find_entry(const struct mo_table *table)
{
	const struct tree *node = mib_find(table->module, table->name);

	if (!node || table->n_index == 0)
		return node;
	if (!node->child_list || node->child_list->next_peer) {
		fail("%s: does not have one child, the entry", table->name);
		return NULL;
	}
	return node->child_list;
}

static void check_table(const struct mo_table *table)
{
	const struct tree *entry = find_entry(table);
	char got[MIB_TEXT_MAX], want[MIB_TEXT_MAX] = "";

	if (!entry)
		return;
	dotted(table, want);
	mib_oid(entry, got);
	expect_text(table->name, "OID of the entry", got, want);
	check_index(table, entry);
	for (unsigned i = 0; i < table->n_columns; i++)
		check_column(table, want, &table->columns[i]);
}

/* Checks that all accessible nodes at and below this one have rows; returns their number. */
static unsigned check_have_rows(const struct tree *node)
{
	const struct mo_table *table;
	unsigned n = 0;

	if (mib_is_accessible(node)) {
		n++;
		if (!mo_column_by_name(node->label, &table))
			fail("%s: is in the module, but has no row", node->label);
	}
	for (const struct tree *child = node->child_list; child; child = child->next_peer)
		n += check_have_rows(child);
	return n;
}

static void check_module(const char *module, const char *objects, unsigned n_accessible)
{
	const struct tree *node = mib_find(module, objects);
	unsigned rows = 0, nodes;

	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		if (strcmp(table->module, module) != 0)
			continue;
		rows += table->n_columns;
		check_table(table);
	}
	if (!node)
		return;
	nodes = check_have_rows(node);
	if (rows != nodes || (n_accessible && rows != n_accessible))
		fail("%s: %u accessible objects in the module, %u rows", module, nodes, rows);
	printf("%s: %u rows\n", module, rows);
}

/* Compares a notification's OID and OBJECTS clause. */
static void check_notification(const struct mo_notification *n)
{
	const struct tree *node = mib_find("DCB-AGENT-MIB", n->name);
	char got[MIB_TEXT_MAX], want[MIB_TEXT_MAX] = "";
	size_t len = 0;

	if (!node)
		return;
	for (unsigned i = 0; i < n->oid_len; i++)
		len += (size_t)snprintf(want + len, sizeof(want) - len, "%s%" PRIu32, i ? "." : "",
					n->oid[i]);
	mib_oid(node, got);
	expect_text(n->name, "OID", got, want);
	if (node->type != TYPE_NOTIFTYPE)
		fail("%s: is not a notification", n->name);
	got[0] = '\0';
	len = 0;
	for (const struct varbind_list *v = node->varbinds; v; v = v->next)
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%s", len ? " " : "",
					v->vblabel);
	expect_text(n->name, "OBJECTS", got, n->objects);
}

static void check_notifications(void)
{
	const struct tree *parent = mib_find("DCB-AGENT-MIB", "dcbAgentNotifications");
	unsigned rows = 0, nodes = 0;

	for (; mo_notification(rows); rows++)
		check_notification(mo_notification(rows));
	for (const struct tree *t = parent ? parent->child_list : NULL; t; t = t->next_peer)
		nodes++;
	if (rows != nodes)
		fail("%u notifications in the module, %u rows", nodes, rows);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s DIR[:DIR...] FACTS\n", argv[0]);
		return EXIT_FAILURE;
	}
	mib_load(argv[1], modules);
	if (facts_load_conventions(argv[2])) {
		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
			facts_check(argv[2], &facts[i]);
			check_module(facts[i].module, facts[i].objects, facts[i].n_accessible);
		}
		facts_check_conventions();
	}
	check_arcs();
	check_module("DCB-AGENT-MIB", "dcbAgentObjects", 0);
	check_module("BRIDGE-MIB", "dot1dBase", 0);
	check_module("Q-BRIDGE-MIB", "dot1qTp", 0);
	check_notifications();
	if (failures())
		printf("%u differences\n", failures());
	return failures() ? EXIT_FAILURE : EXIT_SUCCESS;
}
