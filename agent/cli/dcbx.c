/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl dcbx: for each port and attribute the setting, the TLV sent, the TLV
 * received from the neighbor, the value in force, and its reason.
 *
 *   JSON  [{"ifIndex", "port", "neighbors", "peer", "peerDcbx": [...], "mismatch": [...],
 *           "pfc": {...}, "headroom": {...}, "ets": {...}, "etsRecommendation": {...},
 *           "applicationPriorities": {...}, "applicationVlans": {...}}]
 *
 * With --audit: for each port and feature the values that its settings lead to expect of the
 * neighbor, those that the neighbor tells, and the result of the comparison.
 *
 *   JSON  [{"ifIndex", "port", "feature", "result", "expected", "told"}]
 */
#include <inttypes.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/tlv_view.h"

/* A port: a row of dcbDcbxPortTable; and the neighbor whose TLVs DCBX uses, dcbDcbxPortPeer. */
static struct table_rows_at peer_of(struct table_rows_at o)
{
	uint32_t peer[] = {o.sub[0], (uint32_t)table_rows_num(o, MO_NAME(dcbDcbxPortPeer))};
	struct table_rows_at neighbor = table_rows_find(o.all, MO_neighbor, 2, peer);

	if (peer[1] == 0)
		neighbor.sub = NULL;
	return neighbor;
}

static uint8_t mask_of(struct table_rows_at at, const char *object)
{
	return (uint8_t)table_rows_num(at, object);
}

/* --- why ------------------------------------------------------------------------------------ */

/* "the neighbor sends no valid PFC TLV" */
static void why_silent(struct table_rows_at o, enum tlv_bit tlv, char text[TLV_TEXT_OCTETS])
{
	struct table_rows_at peer = peer_of(o);
	const char *old = tlv_old_dcbx(mask_of(peer, MO_NAME(dcbNeighborDcbx)));
	bool malformed = mask_of(peer, MO_NAME(dcbNeighborMalformedTlvs)) >> tlv & 1;

	if (!peer.sub)
		snprintf(text, TLV_TEXT_OCTETS, "the neighbors send no %s TLV: local configuration",
			 tlv_title(tlv));
	else
		snprintf(text, TLV_TEXT_OCTETS,
			 "the neighbor %s%s%ssends no %s%s TLV: local configuration",
			 old ? "speaks " : "", old ? old : "", old ? ", and " : "",
			 malformed ? "valid " : "", tlv_title(tlv));
}

/*
 * The reason in words, of the column's object. Its arg is the TLV that the port takes the values
 * from if it is willing.
 */
static json_t *why(struct table_rows_at o)
{
	static const char *const texts[] = {
	    [MO_dcbx_reason_off] = "not negotiated: the port does not send the TLV",
	    [MO_dcbx_reason_noPeer] = "no neighbor: local configuration",
	    [MO_dcbx_reason_notWilling] = "not willing: local configuration",
	    [MO_dcbx_reason_peerTakes] =
		"both willing, the neighbor has the lower MAC address: local configuration",
	    [MO_dcbx_reason_taken] = "willing: the neighbor's configuration",
	    [MO_dcbx_reason_undecided] =
		"both willing, no MAC address to break the tie: local configuration",
	    [MO_dcbx_reason_unusable] =
		"the port does not support the recommendation: local configuration",
	};
	int64_t reason = table_rows_num(o, o.col->object);
	enum tlv_bit tlv = (enum tlv_bit)o.col->arg;
	char text[TLV_TEXT_OCTETS];

	if (reason == MO_dcbx_reason_manyPeers)
		return json_sprintf("%" PRId64
				    " neighbors send DCBX TLVs, expected one: local configuration",
				    table_rows_num(o, MO_NAME(dcbDcbxPortPeers)));
	if (reason == MO_dcbx_reason_peerSilent) {
		why_silent(o, tlv, text);
		return json_string(text);
	}
	if (reason == MO_dcbx_reason_taken && tlv == TLV_RECO)
		return json_string("willing: the neighbor's recommendation");
	if (reason < 0 || (size_t)reason >= sizeof(texts) / sizeof(texts[0]) || !texts[reason])
		return json_string("");
	return json_string(texts[reason]);
}

/* Texts of the bits of dcbDcbxPortMismatch. */
static const char *const mismatches[] = {
    /*
     * Message: Set dcbPfcPriorityEnable to the same values at both ends, or make one end willing
     * with lldpXdot1dcbxAdminPFCWilling.
     */
    [MO_mismatch_enable] = "PFC is enabled for different priorities at the two ends",
    /* Message: Disable PFC for some priorities with dcbPfcPriorityEnable. */
    [MO_mismatch_capability] = "PFC is enabled for more priorities than the neighbor supports",
    /*
     * Message: LLDPDUs with DCBX TLVs of several systems arrive at the port. Connect the port to
     * one system only, and look for a device on the link that forwards LLDPDUs.
     */
    [MO_mismatch_peers] = "more than one neighbor sends DCBX TLVs: DCBX does not negotiate",
    /*
     * Message: The command `neighbors` shows which TLV it is. Correct the configuration of the
     * neighbor, or update its software.
     */
    [MO_mismatch_malformed] = "a TLV of the neighbor is malformed",
    /*
     * Message: Change the recommendation at the neighbor, or make the port not willing with
     * lldpXdot1dcbxAdminETSConWilling.
     */
    [MO_mismatch_ets] = "the port does not support the ETS that the neighbor recommends",
    /* Message: Make one end not willing with lldpXdot1dcbxAdminPFCWilling. */
    [MO_mismatch_undecided] =
	"both ends are willing to take PFC, and no MAC address breaks the tie",
};
#define N_MISMATCHES (sizeof(mismatches) / sizeof(mismatches[0]))

/* --- columns -------------------------------------------------------------------------------- */

/* The arg of a column: the TLV, and whose. */
enum { SET = 0x00, SENT = 0x10, THEIRS = 0x20, IN_FORCE = 0x30, WHOSE = 0x30 };

static enum tlv_bit tlv_of(struct table_rows_at o)
{
	return (enum tlv_bit)(o.col->arg & ~(unsigned)WHOSE);
}

static unsigned whose(struct table_rows_at o)
{
	return o.col->arg & WHOSE;
}

/* The values in force are those that the port sends. */
static struct tlv_from from_of(struct table_rows_at o)
{
	struct table_rows_at peer = peer_of(o);

	if (whose(o) == THEIRS && peer.sub)
		return (struct tlv_from){o.all, TLV_REM, 2, {peer.sub[0], peer.sub[1]}};
	return (struct tlv_from){o.all, whose(o) == SET ? TLV_ADMIN : TLV_LOC, 1, {o.sub[0]}};
}

/* Returns whether the party sends the TLV, or the value is in force. */
static bool is_present(struct table_rows_at o)
{
	switch (whose(o)) {
	case SENT:
		return mask_of(o, MO_NAME(dcbDcbxPortTlvsSent)) >> tlv_of(o) & 1;
	case THEIRS:
		return mask_of(peer_of(o), MO_NAME(dcbNeighborTlvs)) >> tlv_of(o) & 1;
	case IN_FORCE:
		return tlv_of(o) != TLV_ETS || table_rows_truth(o, MO_NAME(dcbDcbxPortEtsInForce));
	default:
		return true;
	}
}

static json_t *contents(struct table_rows_at o)
{
	struct tlv_from from = from_of(o);

	if (is_present(o))
		return tlv_json(&from, tlv_of(o));
	return tlv_of(o) == TLV_APP || tlv_of(o) == TLV_APP_VLAN ? json_array() : json_null();
}

/*
 * Writes the contents and the willing bit; "-" if the party does not send the TLV. The priorities
 * of PFC, and the bit, are also objects of the port.
 */
static void contents_text(struct table_rows_at o, char text[TABLE_ROWS_CELL_OCTETS])
{
	struct tlv_from from = from_of(o);
	bool willing;

	tlv_text(&from, tlv_of(o), &willing, text);
	if (o.col->object)
		tlv_priorities_text(mask_of(o, o.col->object), text);
	if (o.col->other)
		willing = table_rows_truth(o, o.col->other);
	if (!is_present(o))
		strcpy(text, whose(o) == IN_FORCE ? "strict" : "-");
	else if (willing && whose(o) != IN_FORCE)
		strcat(text, " willing");
}

static json_t *priorities(struct table_rows_at o)
{
	return tlv_priorities_json(mask_of(o, o.col->object));
}

static void priorities_text(struct table_rows_at o, char text[TABLE_ROWS_CELL_OCTETS])
{
	tlv_priorities_text(mask_of(o, o.col->object), text);
}

/* Whether the application priorities in force are the settings of the port. */
static json_t *why_apps(struct table_rows_at o)
{
	json_t *set = tlv_json(&(struct tlv_from){o.all, TLV_ADMIN, 1, {o.sub[0]}}, TLV_APP);
	json_t *in_force = tlv_json(&(struct tlv_from){o.all, TLV_LOC, 1, {o.sub[0]}}, TLV_APP);
	bool same = json_equal(set, in_force);

	json_decref(set);
	json_decref(in_force);
	return json_string(same ? "local configuration" : "willing: the neighbor's configuration");
}

static void fixed_text(struct table_rows_at o, char text[TABLE_ROWS_CELL_OCTETS])
{
	strcpy(text, o.col->other);
}

#define PFC_REASON MO_NAME(dcbDcbxPortPfcReason)
#define ETS_REASON MO_NAME(dcbDcbxPortEtsReason)

/* clang-format off */
#define CONTENTS(name, title, of) \
	.key = name, .heading = title, .value = contents, .text = contents_text, .arg = (of)
#define OF_EACH(tlv) \
	{CONTENTS("set", "set", SET | tlv)}, {CONTENTS("sent", "sent", SENT | tlv)}, \
	{CONTENTS("theirs", "received", THEIRS | tlv)}
#define WHY(reason, tlv) \
	{.key = "reason", .object = reason}, \
	{.key = "why", .heading = "why", .value = why, .object = reason, .arg = tlv}

static const struct table_rows_column pfc_columns[] = {
	{CONTENTS("set", "set", SET | TLV_PFC), .object = MO_NAME(dcbDcbxPortPfcAdmin)},
	{CONTENTS("sent", "sent", SENT | TLV_PFC), .other = MO_NAME(dcbDcbxPortPfcWilling)},
	{CONTENTS("theirs", "received", THEIRS | TLV_PFC),
	 .object = MO_NAME(dcbDcbxPortPfcPeer), .other = MO_NAME(dcbDcbxPortPfcPeerWilling)},
	{.key = "inForce", .heading = "in force", .value = priorities, .text = priorities_text,
	 .object = MO_NAME(dcbDcbxPortPfcInForce)},
	{.key = "untagged", .value = priorities, .object = MO_NAME(dcbDcbxPortPfcUntagged)},
	WHY(PFC_REASON, TLV_PFC),
	{0},
};
/* A willing port takes ETS from the neighbor's ETS Recommendation TLV; its own is for the neighbor. */
static const struct table_rows_column ets_columns[] = {
	OF_EACH(TLV_ETS),
	{CONTENTS("inForce", "in force", IN_FORCE | TLV_ETS)},
	WHY(ETS_REASON, TLV_RECO),
	{0},
};
static const struct table_rows_column reco_columns[] = {
	OF_EACH(TLV_RECO),
	{.heading = "in force"},
	{.heading = "why", .text = fixed_text, .other = "recommended to the neighbor"},
	{0},
};
static const struct table_rows_column app_columns[] = {
	OF_EACH(TLV_APP),
	{CONTENTS("inForce", "in force", IN_FORCE | TLV_APP)},
	{.key = "why", .heading = "why", .value = why_apps},
	{0},
};
static const struct table_rows_column app_vlan_columns[] = {
	OF_EACH(TLV_APP_VLAN),
	{.heading = "in force"},
	{.heading = "why", .text = fixed_text, .other = "announced, not negotiated"},
	{0},
};
/* clang-format on */

static json_t *peer(struct table_rows_at o)
{
	struct table_rows_at neighbor = peer_of(o);

	return neighbor.sub ? json_integer(neighbor.sub[1]) : json_null();
}

static json_t *peer_dcbx(struct table_rows_at o)
{
	return table_rows_json(peer_of(o), MO_NAME(dcbNeighborDcbx));
}

/*
 * Return whether the port has PFC or ETS: a port whose frames another system
 * forwards has no ETS.
 */
static bool has_pfc(struct table_rows_at o)
{
	return table_rows_num(o, PFC_REASON) != 0;
}

static bool has_ets(struct table_rows_at o)
{
	return table_rows_num(o, ETS_REASON) != 0;
}

/* Each with members is a row of the text, and its heading is that of the row. */
static const struct table_rows_column port_columns[] = {
    TABLE_ROWS_PORT,
    {.key = "neighbors", .object = MO_NAME(dcbDcbxPortNeighbors)},
    {.key = "peer", .value = peer},
    {.key = "tlvsSent", .object = MO_NAME(dcbDcbxPortTlvsSent)},
    {.key = "peerDcbx", .value = peer_dcbx},
    {.key = "mismatch", .object = MO_NAME(dcbDcbxPortMismatch)},
    {.key = "pfc", .heading = "PFC", .members = pfc_columns, .has = has_pfc},
    {.key = "headroom",
     .heading = "PFC headroom",
     .members = tlv_way_columns,
     .table = MO_pfc_way,
     .arg = 1},
    {.key = "ets", .heading = "ETS", .members = ets_columns, .has = has_ets},
    {.key = "etsRecommendation",
     .heading = "ETS recommendation",
     .members = reco_columns,
     .has = has_ets},
    {.key = "applicationPriorities", .heading = "application priority", .members = app_columns},
    {.key = "applicationVlans", .heading = "application VLAN", .members = app_vlan_columns},
    {0},
};

static json_t *attribute(struct table_rows_at o)
{
	return json_string(((const struct table_rows_column *)o.data)->heading);
}

static const struct table_rows_column row_columns[] = {
    TABLE_ROWS_PORT_CELL,
    {.heading = "attribute", .value = attribute},
    {0},
};

/* --- text ----------------------------------------------------------------------------------- */

/* Writes the beginning of a note, after an empty line before the first one. */
static FILE *begin_note(struct table_rows_at o, bool *first)
{
	char name[TABLE_ROWS_PORT_OCTETS];

	fprintf(o.all->cli->out, "%s%s: ", *first ? "\n" : "",
		table_rows_port_name(&o.all->ports, o.sub[0], name));
	*first = false;
	return o.all->cli->out;
}

/* Writes which of several neighbors DCBX uses. */
static void write_peer(struct table_rows_at o, bool *first)
{
	int64_t neighbors = table_rows_num(o, MO_NAME(dcbDcbxPortNeighbors));
	struct table_rows_at neighbor = peer_of(o);

	if (!neighbor.sub || neighbors < 2)
		return;
	/*
	 * Message: LLDPDUs of several systems arrive at the port, and only this one speaks DCBX.
	 * The others can be the firmware of a NIC, or a device on the link that forwards LLDPDUs.
	 */
	fprintf(begin_note(o, first),
		"%" PRId64 " neighbors: DCBX uses the TLVs of %s (%s), the others send none\n",
		neighbors, table_rows_text(neighbor, MO_NAME(dcbNeighborChassisId)),
		table_rows_text(neighbor, MO_NAME(dcbNeighborPortId)));
}

/*
 * Writes a line for a neighbor that is one of several, each mismatch, and PFC of frames
 * that leave without their priority.
 */
static void write_notes(struct table_rows_at o, bool *first)
{
	uint8_t mask = mask_of(o, MO_NAME(dcbDcbxPortMismatch));
	uint8_t untagged = mask_of(o, MO_NAME(dcbDcbxPortPfcUntagged));
	char text[TLV_TEXT_OCTETS];

	write_peer(o, first);
	for (unsigned i = 0; i < N_MISMATCHES; i++)
		if (mask >> i & 1)
			fprintf(begin_note(o, first), "mismatch: %s\n", mismatches[i]);
	if (!untagged)
		return;
	tlv_priorities_text(untagged, text);
	/*
	 * Message: The port has PFC for these priorities, the neighbor has not, or does not
	 * say so by LLDP. Frames of the port's VLAN leave untagged, and the neighbor
	 * receives them with its default priority. Enable the PFC Configuration TLV at both
	 * ends, or set `pvid_tagged` for the port in dcbd.conf(5).
	 */
	fprintf(begin_note(o, first),
		"frames of priority %s leave untagged: PFC does not protect them at the neighbor\n",
		text);
}

static void add_rows(struct text_table *g, struct table_rows_at o)
{
	struct table_rows_at row;

	for (const struct table_rows_column *c = port_columns; c->key || c->heading; c++) {
		o.data = o.col = c;
		row = c->members ? table_rows_members(o) : (struct table_rows_at){.sub = NULL};
		if (!row.sub)
			continue;
		table_rows_cells(g, o, row_columns);
		table_rows_cells(g, row, c->members);
	}
}

static void write_text(const struct table_rows_all *all, FILE *f)
{
	struct text_table g = {0};
	bool first = true;

	table_rows_headings(&g, row_columns);
	table_rows_headings(&g, pfc_columns);
	TABLE_ROWS_EACH (o, all, MO_dcbx_port, 0, NULL)
		add_rows(&g, o);
	table_rows_print(&g, f, NULL);
	TABLE_ROWS_EACH (o, all, MO_dcbx_port, 0, NULL)
		write_notes(o, &first);
}

static const struct table_rows_command dcbx = {
    .tables = (const enum mo_table_id[]){MO_dcbx_port, MO_neighbor, MO_pfc_way, TLV_TABLES_ADMIN,
					 TLV_TABLES_LOC, TLV_TABLES_REM, MO_TABLES},
    .ports = MO_dcbx_port,
    .text = write_text,
    .rows = MO_dcbx_port,
    .columns = port_columns,
};

/* --- audit ---------------------------------------------------------------------------------- */

const struct option cli_dcbx_long_options[] = {
    {"audit", no_argument, NULL, 'a'},
    {NULL, 0, NULL, 0},
};

bool cli_dcbx_option(struct cli *cli, int c, const char *arg)
{
	(void)c;
	(void)arg;
	cli->own_args[0] = "";
	return true;
}

/* The feature in a row's index. */
static json_t *feature(struct table_rows_at audit)
{
	static const char *const names[] = {
	    [MO_dcbx_feature_pfc] = "pfc",
	    [MO_dcbx_feature_etsConfiguration] = "etsConfiguration",
	    [MO_dcbx_feature_etsRecommendation] = "etsRecommendation",
	    [MO_dcbx_feature_applicationPriority] = "applicationPriority",
	    [MO_dcbx_feature_congestionNotification] = "congestionNotification",
	};
	uint32_t n = audit.sub[1];

	return json_string(n < sizeof(names) / sizeof(names[0]) && names[n] ? names[n] : "unknown");
}

static void told_text(struct table_rows_at audit, char text[TABLE_ROWS_CELL_OCTETS])
{
	const char *told = table_rows_text(audit, audit.col->object);

	snprintf(text, TABLE_ROWS_CELL_OCTETS, "%s", told[0] ? told : "-");
}

static const struct table_rows_column audit_columns[] = {
    TABLE_ROWS_PORT,
    {.key = "feature", .heading = "feature", .value = feature},
    {.key = "result", .heading = "result", .object = MO_NAME(dcbDcbxAuditResult)},
    {.key = "expected",
     .heading = "expected",
     .object = MO_NAME(dcbDcbxAuditExpected),
     .text = told_text},
    {.key = "told", .heading = "told", .object = MO_NAME(dcbDcbxAuditTold), .text = told_text},
    {0},
};

static void write_audit(const struct table_rows_all *all, FILE *f)
{
	struct text_table g = {0};

	table_rows_put(&g, all, MO_dcbx_audit, audit_columns);
	table_rows_print(&g, f, NULL);
}

/* Does each neighbor tell the values expected of it, if there are any? */
static bool all_match(const struct table_rows_all *all)
{
	TABLE_ROWS_EACH (at, all, MO_dcbx_audit, 0, NULL) {
		int64_t result = table_rows_num(at, MO_NAME(dcbDcbxAuditResult));

		if (result != MO_audit_result_match && result != MO_audit_result_notExpected)
			return false;
	}
	return true;
}

/* The status is CLI_FAILED for a difference, CLI_USAGE for an error, as of diff(1) and grep(1). */
static const struct table_rows_command audit = {
    .tables = (const enum mo_table_id[]){MO_dcbx_audit, MO_TABLES},
    .ports = MO_dcbx_audit,
    .text = write_audit,
    .rows = MO_dcbx_audit,
    .columns = audit_columns,
    .good = all_match,
};

int cmd_dcbx(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	(void)self;
	return table_rows_command(cli, cli->own_args[0] ? &audit : &dcbx, argc, argv);
}
