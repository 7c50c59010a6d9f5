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

#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/out_json.h"
#include "agent/cli/tlv_view.h"

#define PFC_REASON MO_NAME(dcbDcbxPortPfcReason)
#define ETS_REASON MO_NAME(dcbDcbxPortEtsReason)

/* All tables that the output is made of. */
struct dcbx {
	struct cli *cli;
	struct rowset_ports ports;
	struct rowset port, neighbor, way;
	struct tlv_tables admin, loc, rem;
};

static bool fetch(struct dcbx *d)
{
	return rowset_fetch(d->cli, MO_dcbx_port, &d->ports, &d->port) &&
	       rowset_fetch(d->cli, MO_neighbor, &d->ports, &d->neighbor) &&
	       rowset_fetch(d->cli, MO_pfc_way, &d->ports, &d->way) &&
	       tlv_tables_fetch(d->cli, TLV_ADMIN, &d->ports, &d->admin) &&
	       tlv_tables_fetch(d->cli, TLV_LOC, &d->ports, &d->loc) &&
	       tlv_tables_fetch(d->cli, TLV_REM, &d->ports, &d->rem);
}

/* One port: its row, the index of its own tables and of those of its neighbor. */
struct port_dcbx {
	const struct dcbx *d;
	size_t row;
	uint32_t ifindex;
	struct tlv_key own, peer;
	bool has_peer;       /* a neighbor whose TLVs DCBX uses: dcbDcbxPortPeer */
	size_t neighbor_row; /* of that neighbor */
	uint8_t sent, received, malformed;
	uint8_t dialects; /* of the peer: dcbNeighborDcbx */
};

static struct port_dcbx port_dcbx_at(const struct dcbx *d, size_t row)
{
	struct port_dcbx o = {.d = d, .row = row, .ifindex = d->port.rows[row].index.sub[0]};
	uint32_t peer[] = {o.ifindex,
			   (uint32_t)rowset_num(&d->port, row, MO_NAME(dcbDcbxPortPeer))};
	size_t at = rowset_find(&d->neighbor, 2, peer);

	o.own = (struct tlv_key){.n = 1, .sub = {o.ifindex}};
	o.sent = (uint8_t)rowset_num(&d->port, row, MO_NAME(dcbDcbxPortTlvsSent));
	o.has_peer = peer[1] != 0 && rowset_has(&d->neighbor, at, 2, peer);
	if (!o.has_peer)
		return o;
	o.neighbor_row = at;
	o.peer = (struct tlv_key){.n = 2, .sub = {peer[0], peer[1]}};
	o.received = (uint8_t)rowset_num(&d->neighbor, at, MO_NAME(dcbNeighborTlvs));
	o.malformed = (uint8_t)rowset_num(&d->neighbor, at, MO_NAME(dcbNeighborMalformedTlvs));
	o.dialects = (uint8_t)rowset_num(&d->neighbor, at, MO_NAME(dcbNeighborDcbx));
	return o;
}

static uint8_t mask_of(const struct port_dcbx *o, const char *object)
{
	return (uint8_t)rowset_num(&o->d->port, o->row, object);
}

static bool is(const struct port_dcbx *o, const char *object)
{
	return rowset_truth(&o->d->port, o->row, object);
}

/*
 * Returns whether the port has PFC or ETS: a port whose frames another system
 * forwards has no ETS.
 */
static bool has(const struct port_dcbx *o, const char *reason)
{
	return rowset_num(&o->d->port, o->row, reason) != 0;
}

/* --- why ------------------------------------------------------------------------------------ */

/* "the neighbor sends no valid PFC TLV" */
static void why_silent(const struct port_dcbx *o, enum tlv_bit tlv, char text[TLV_TEXT_OCTETS])
{
	const char *old = tlv_old_dcbx(o->dialects);
	const char *valid = o->malformed >> tlv & 1 ? "valid " : "";

	if (!o->has_peer)
		snprintf(text, TLV_TEXT_OCTETS, "the neighbors send no %s TLV: local configuration",
			 tlv_title(tlv));
	else if (old)
		snprintf(text, TLV_TEXT_OCTETS,
			 "the neighbor speaks %s, and sends no %s%s TLV: local configuration", old,
			 valid, tlv_title(tlv));
	else
		snprintf(text, TLV_TEXT_OCTETS,
			 "the neighbor sends no %s%s TLV: local configuration", valid,
			 tlv_title(tlv));
}

/* The reason in words. tlv is the TLV that the port takes the values from if it is willing. */
static void why(const struct port_dcbx *o, int64_t reason, enum tlv_bit tlv,
		char text[TLV_TEXT_OCTETS])
{
	text[0] = '\0';
	switch ((enum mo_dcbx_reason)reason) {
	case MO_dcbx_reason_off:
		snprintf(text, TLV_TEXT_OCTETS, "not negotiated: the port does not send the TLV");
		break;
	case MO_dcbx_reason_noPeer:
		snprintf(text, TLV_TEXT_OCTETS, "no neighbor: local configuration");
		break;
	case MO_dcbx_reason_manyPeers:
		snprintf(text, TLV_TEXT_OCTETS,
			 "%" PRId64 " neighbors send DCBX TLVs, expected one: local configuration",
			 rowset_num(&o->d->port, o->row, MO_NAME(dcbDcbxPortPeers)));
		break;
	case MO_dcbx_reason_peerSilent:
		why_silent(o, tlv, text);
		break;
	case MO_dcbx_reason_notWilling:
		snprintf(text, TLV_TEXT_OCTETS, "not willing: local configuration");
		break;
	case MO_dcbx_reason_peerTakes:
		snprintf(
		    text, TLV_TEXT_OCTETS,
		    "both willing, the neighbor has the lower MAC address: local configuration");
		break;
	case MO_dcbx_reason_taken:
		snprintf(text, TLV_TEXT_OCTETS, "willing: %s",
			 tlv == TLV_RECO ? "the neighbor's recommendation"
					 : "the neighbor's configuration");
		break;
	case MO_dcbx_reason_undecided:
		snprintf(text, TLV_TEXT_OCTETS,
			 "both willing, no MAC address to break the tie: local configuration");
		break;
	case MO_dcbx_reason_unusable:
		snprintf(text, TLV_TEXT_OCTETS,
			 "the port does not support the recommendation: local configuration");
		break;
	}
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

/* --- text ----------------------------------------------------------------------------------- */

static void begin_row(struct grid *g, const struct port_dcbx *o, enum tlv_bit tlv)
{
	char name[ROWSET_PORT_OCTETS];

	grid_cell(g, rowset_port_name(&o->d->ports, o->ifindex, name));
	grid_cell(g, tlv_title(tlv));
}

/* Adds the contents of a TLV and the willing bit; "-" if the party does not send the TLV. */
static void tlv_cell(struct grid *g, bool present, const char *text, bool willing)
{
	char cell[TLV_TEXT_OCTETS + 16];

	snprintf(cell, sizeof(cell), "%s%s", present ? text : "-",
		 present && willing ? " willing" : "");
	grid_cell(g, cell);
}

static void pfc_row(struct grid *g, const struct port_dcbx *o)
{
	char text[TLV_TEXT_OCTETS];
	struct tlv_pfc pfc = {0};

	begin_row(g, o, TLV_PFC);
	tlv_pfc(&o->d->admin, &o->own, &pfc);
	tlv_priorities_text(mask_of(o, MO_NAME(dcbDcbxPortPfcAdmin)), text);
	tlv_cell(g, true, text, pfc.willing);
	tlv_pfc(&o->d->loc, &o->own, &pfc);
	tlv_priorities_text(pfc.enable, text);
	tlv_cell(g, o->sent >> TLV_PFC & 1, text, is(o, MO_NAME(dcbDcbxPortPfcWilling)));
	tlv_priorities_text(mask_of(o, MO_NAME(dcbDcbxPortPfcPeer)), text);
	tlv_cell(g, o->received >> TLV_PFC & 1, text, is(o, MO_NAME(dcbDcbxPortPfcPeerWilling)));
	tlv_priorities_text(mask_of(o, MO_NAME(dcbDcbxPortPfcInForce)), text);
	grid_cell(g, text);
	why(o, rowset_num(&o->d->port, o->row, PFC_REASON), TLV_PFC, text);
	grid_cell(g, text);
}

/* Sets *row to the port's row of dcbPfcWayTable. false: the port has none. */
static bool find_way(const struct port_dcbx *o, size_t *row)
{
	*row = rowset_find(&o->d->way, 1, &o->ifindex);
	return rowset_has(&o->d->way, *row, 1, &o->ifindex);
}

/* How the headroom is found: bits of the PFC TLV, and the PFC delay TLV. */
static void way_row(struct grid *g, const struct port_dcbx *o)
{
	char name[ROWSET_PORT_OCTETS], text[TLV_TEXT_OCTETS];
	size_t row;

	if (!find_way(o, &row))
		return;
	grid_cell(g, rowset_port_name(&o->d->ports, o->ifindex, name));
	grid_cell(g, "PFC headroom");
	for (unsigned cell = TLV_WAY_SET; cell <= TLV_WAY_WHY; cell++) {
		tlv_way_text(&o->d->way, row, (enum tlv_way_cell)cell, text);
		grid_cell(g, text);
	}
}

static void ets_cell(struct grid *g, const struct tlv_tables *t, const struct tlv_key *key,
		     bool present)
{
	char text[TLV_TEXT_OCTETS];
	struct tlv_ets ets;

	tlv_ets(t, key, &ets);
	tlv_ets_text(&ets, text);
	tlv_cell(g, present, text, ets.willing);
}

/*
 * A willing port takes ETS from the neighbor's ETS Recommendation TLV; its own
 * is for the neighbor.
 */
static void ets_row(struct grid *g, const struct port_dcbx *o)
{
	char text[TLV_TEXT_OCTETS];
	struct tlv_ets ets;

	begin_row(g, o, TLV_ETS);
	ets_cell(g, &o->d->admin, &o->own, true);
	ets_cell(g, &o->d->loc, &o->own, o->sent >> TLV_ETS & 1);
	ets_cell(g, &o->d->rem, &o->peer, o->received >> TLV_ETS & 1);
	tlv_ets(&o->d->loc, &o->own, &ets);
	tlv_ets_text(&ets, text);
	grid_cell(g, is(o, MO_NAME(dcbDcbxPortEtsInForce)) ? text : "strict");
	why(o, rowset_num(&o->d->port, o->row, ETS_REASON), TLV_RECO, text);
	grid_cell(g, text);
}

static void reco_cell(struct grid *g, const struct tlv_tables *t, const struct tlv_key *key,
		      bool present)
{
	char text[TLV_TEXT_OCTETS];
	struct tlv_ets reco;

	tlv_reco(t, key, &reco);
	tlv_reco_text(&reco, text);
	tlv_cell(g, present, text, false);
}

static void reco_row(struct grid *g, const struct port_dcbx *o)
{
	begin_row(g, o, TLV_RECO);
	reco_cell(g, &o->d->admin, &o->own, true);
	reco_cell(g, &o->d->loc, &o->own, o->sent >> TLV_RECO & 1);
	reco_cell(g, &o->d->rem, &o->peer, o->received >> TLV_RECO & 1);
	grid_cell(g, "-");
	grid_cell(g, "recommended to the neighbor");
}

/* Returns whether the application priorities in force are the settings of the port. */
static bool has_own_apps(const struct port_dcbx *o)
{
	json_t *set = tlv_apps_json(&o->d->admin, &o->own);
	json_t *in_force = tlv_apps_json(&o->d->loc, &o->own);
	bool same = json_equal(set, in_force);

	json_decref(set);
	json_decref(in_force);
	return same;
}

static const char *why_apps(const struct port_dcbx *o)
{
	return has_own_apps(o) ? "local configuration" : "willing: the neighbor's configuration";
}

static void app_row(struct grid *g, const struct port_dcbx *o)
{
	char text[TLV_TEXT_OCTETS];

	begin_row(g, o, TLV_APP);
	tlv_apps_text(&o->d->admin, &o->own, text);
	grid_cell(g, text);
	tlv_apps_text(&o->d->loc, &o->own, text);
	tlv_cell(g, o->sent >> TLV_APP & 1, text, false);
	tlv_apps_text(&o->d->rem, &o->peer, text);
	tlv_cell(g, o->received >> TLV_APP & 1, text, false);
	tlv_apps_text(&o->d->loc, &o->own, text);
	grid_cell(g, text);
	grid_cell(g, why_apps(o));
}

static void app_vlan_row(struct grid *g, const struct port_dcbx *o)
{
	char text[TLV_TEXT_OCTETS];

	begin_row(g, o, TLV_APP_VLAN);
	tlv_app_vlans_text(&o->d->admin, &o->own, text);
	grid_cell(g, text);
	tlv_app_vlans_text(&o->d->loc, &o->own, text);
	tlv_cell(g, o->sent >> TLV_APP_VLAN & 1, text, false);
	tlv_app_vlans_text(&o->d->rem, &o->peer, text);
	tlv_cell(g, o->received >> TLV_APP_VLAN & 1, text, false);
	grid_cell(g, "-");
	grid_cell(g, "announced, not negotiated");
}

/* Writes the beginning of a note, after an empty line before the first one. */
static FILE *begin_note(const struct port_dcbx *o, bool *first)
{
	char name[ROWSET_PORT_OCTETS];

	fprintf(o->d->cli->out, "%s%s: ", *first ? "\n" : "",
		rowset_port_name(&o->d->ports, o->ifindex, name));
	*first = false;
	return o->d->cli->out;
}

/* Writes which of several neighbors DCBX uses. */
static void write_peer(const struct port_dcbx *o, bool *first)
{
	int64_t neighbors = rowset_num(&o->d->port, o->row, MO_NAME(dcbDcbxPortNeighbors));

	if (!o->has_peer || neighbors < 2)
		return;
	/*
	 * Message: LLDPDUs of several systems arrive at the port, and only this one speaks DCBX.
	 * The others can be the firmware of a NIC, or a device on the link that forwards LLDPDUs.
	 */
	fprintf(begin_note(o, first),
		"%" PRId64 " neighbors: DCBX uses the TLVs of %s (%s), the others send none\n",
		neighbors,
		rowset_text(&o->d->neighbor, o->neighbor_row, MO_NAME(dcbNeighborChassisId)),
		rowset_text(&o->d->neighbor, o->neighbor_row, MO_NAME(dcbNeighborPortId)));
}

/*
 * Writes a line for a neighbor that is one of several, each mismatch, and PFC of frames
 * that leave without their priority.
 */
static void write_notes(const struct dcbx *d)
{
	bool first = true;

	for (size_t row = 0; row < d->port.n; row++) {
		struct port_dcbx o = port_dcbx_at(d, row);
		uint8_t mask = mask_of(&o, MO_NAME(dcbDcbxPortMismatch));
		uint8_t untagged = mask_of(&o, MO_NAME(dcbDcbxPortPfcUntagged));
		char text[TLV_TEXT_OCTETS];

		write_peer(&o, &first);
		for (unsigned i = 0; i < N_MISMATCHES; i++)
			if (mask >> i & 1)
				fprintf(begin_note(&o, &first), "mismatch: %s\n", mismatches[i]);
		if (!untagged)
			continue;
		tlv_priorities_text(untagged, text);
		/*
		 * Message: The port has PFC for these priorities, the neighbor has not, or does not
		 * say so by LLDP. Frames of the port's VLAN leave untagged, and the neighbor
		 * receives them with its default priority. Enable the PFC Configuration TLV at both
		 * ends, or set `pvid_tagged` for the port in dcbd.conf(5).
		 */
		fprintf(begin_note(&o, &first),
			"frames of priority %s leave untagged: PFC does not protect them at the "
			"neighbor\n",
			text);
	}
}

static void write_text(const struct dcbx *d)
{
	static const char *const headers[] = {"port",     "attribute", "set", "sent",
					      "received", "in force",  "why"};
	struct grid g = {0};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		grid_column(&g, headers[i], false);
	for (size_t row = 0; row < d->port.n; row++) {
		struct port_dcbx o = port_dcbx_at(d, row);

		if (has(&o, PFC_REASON))
			pfc_row(&g, &o);
		way_row(&g, &o);
		if (has(&o, ETS_REASON)) {
			ets_row(&g, &o);
			reco_row(&g, &o);
		}
		app_row(&g, &o);
		app_vlan_row(&g, &o);
	}
	grid_print(&g, d->cli->out);
	grid_clear(&g);
	write_notes(d);
}

/* --- JSON ----------------------------------------------------------------------------------- */

static void put_why(const struct port_dcbx *o, json_t *to, const char *object, enum tlv_bit tlv)
{
	char text[TLV_TEXT_OCTETS];

	why(o, rowset_num(&o->d->port, o->row, object), tlv, text);
	out_json_put(to, "reason", json_string(rowset_name(&o->d->port, o->row, object)));
	out_json_put(to, "why", json_string(text));
}

static json_t *pfc_or_null(const struct tlv_tables *t, const struct tlv_key *key, bool present)
{
	struct tlv_pfc pfc;

	return present && tlv_pfc(t, key, &pfc) ? tlv_pfc_json(&pfc) : json_null();
}

static json_t *pfc_json(const struct port_dcbx *o)
{
	json_t *to = out_alloc_check(json_object());

	out_json_put(to, "set", pfc_or_null(&o->d->admin, &o->own, true));
	out_json_put(to, "sent", pfc_or_null(&o->d->loc, &o->own, o->sent >> TLV_PFC & 1));
	out_json_put(to, "theirs", pfc_or_null(&o->d->rem, &o->peer, o->received >> TLV_PFC & 1));
	out_json_put(to, "inForce",
		     tlv_priorities_json(mask_of(o, MO_NAME(dcbDcbxPortPfcInForce))));
	out_json_put(to, "untagged",
		     tlv_priorities_json(mask_of(o, MO_NAME(dcbDcbxPortPfcUntagged))));
	put_why(o, to, PFC_REASON, TLV_PFC);
	return to;
}

static json_t *ets_or_null(const struct tlv_tables *t, const struct tlv_key *key, bool present)
{
	struct tlv_ets ets;

	return present && tlv_ets(t, key, &ets) ? tlv_ets_json(&ets) : json_null();
}

static json_t *ets_json(const struct port_dcbx *o)
{
	json_t *to = out_alloc_check(json_object());

	out_json_put(to, "set", ets_or_null(&o->d->admin, &o->own, true));
	out_json_put(to, "sent", ets_or_null(&o->d->loc, &o->own, o->sent >> TLV_ETS & 1));
	out_json_put(to, "theirs", ets_or_null(&o->d->rem, &o->peer, o->received >> TLV_ETS & 1));
	out_json_put(to, "inForce",
		     ets_or_null(&o->d->loc, &o->own, is(o, MO_NAME(dcbDcbxPortEtsInForce))));
	put_why(o, to, ETS_REASON, TLV_RECO);
	return to;
}

static json_t *reco_or_null(const struct tlv_tables *t, const struct tlv_key *key, bool present)
{
	struct tlv_ets reco;

	return present && tlv_reco(t, key, &reco) ? tlv_reco_json(&reco) : json_null();
}

static json_t *reco_json(const struct port_dcbx *o)
{
	json_t *to = out_alloc_check(json_object());

	out_json_put(to, "set", reco_or_null(&o->d->admin, &o->own, true));
	out_json_put(to, "sent", reco_or_null(&o->d->loc, &o->own, o->sent >> TLV_RECO & 1));
	out_json_put(to, "theirs", reco_or_null(&o->d->rem, &o->peer, o->received >> TLV_RECO & 1));
	return to;
}

static json_t *apps_or_empty(const struct tlv_tables *t, const struct tlv_key *key, bool present)
{
	return present ? tlv_apps_json(t, key) : json_array();
}

static json_t *app_json(const struct port_dcbx *o)
{
	json_t *to = out_alloc_check(json_object());

	out_json_put(to, "set", apps_or_empty(&o->d->admin, &o->own, true));
	out_json_put(to, "sent", apps_or_empty(&o->d->loc, &o->own, o->sent >> TLV_APP & 1));
	out_json_put(to, "theirs", apps_or_empty(&o->d->rem, &o->peer, o->received >> TLV_APP & 1));
	out_json_put(to, "inForce", apps_or_empty(&o->d->loc, &o->own, true));
	out_json_put(to, "why", json_string(why_apps(o)));
	return to;
}

static json_t *app_vlans_or_empty(const struct tlv_tables *t, const struct tlv_key *key,
				  bool present)
{
	return present ? tlv_app_vlans_json(t, key) : json_array();
}

static json_t *app_vlan_json(const struct port_dcbx *o)
{
	json_t *to = out_alloc_check(json_object());

	out_json_put(to, "set", app_vlans_or_empty(&o->d->admin, &o->own, true));
	out_json_put(to, "sent",
		     app_vlans_or_empty(&o->d->loc, &o->own, o->sent >> TLV_APP_VLAN & 1));
	out_json_put(to, "theirs",
		     app_vlans_or_empty(&o->d->rem, &o->peer, o->received >> TLV_APP_VLAN & 1));
	return to;
}

static void write_json(const struct dcbx *d)
{
	json_t *all = out_alloc_check(json_array());

	for (size_t row = 0; row < d->port.n; row++) {
		struct port_dcbx o = port_dcbx_at(d, row);
		json_t *to = out_json_port(&d->ports, o.ifindex);
		size_t way;

		out_json_put(
		    to, "neighbors",
		    json_integer(rowset_num(&d->port, row, MO_NAME(dcbDcbxPortNeighbors))));
		out_json_put(to, "peer", o.has_peer ? json_integer(o.peer.sub[1]) : json_null());
		out_json_put(to, "tlvsSent", tlv_bits_json(o.sent));
		out_json_put(to, "peerDcbx", tlv_names_json(MO_NAME(dcbNeighborDcbx), o.dialects));
		out_json_put(to, "mismatch",
			     tlv_names_json(MO_NAME(dcbDcbxPortMismatch),
					    mask_of(&o, MO_NAME(dcbDcbxPortMismatch))));
		out_json_put(to, "pfc", has(&o, PFC_REASON) ? pfc_json(&o) : json_null());
		out_json_put(to, "headroom",
			     find_way(&o, &way) ? tlv_way_json(&d->way, way) : json_null());
		out_json_put(to, "ets", has(&o, ETS_REASON) ? ets_json(&o) : json_null());
		out_json_put(to, "etsRecommendation",
			     has(&o, ETS_REASON) ? reco_json(&o) : json_null());
		out_json_put(to, "applicationPriorities", app_json(&o));
		out_json_put(to, "applicationVlans", app_vlan_json(&o));
		out_json_append(all, to);
	}
	out_json_write(all, d->cli->out);
}

/* --- audit ---------------------------------------------------------------------------------- */

#define RESULT   MO_NAME(dcbDcbxAuditResult)
#define EXPECTED MO_NAME(dcbDcbxAuditExpected)
#define TOLD     MO_NAME(dcbDcbxAuditTold)

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

/* Returns the name of the feature in a row's index. */
static const char *feature_name(const struct rowset *audit, size_t row)
{
	static const char *const names[] = {
	    [MO_dcbx_feature_pfc] = "pfc",
	    [MO_dcbx_feature_etsConfiguration] = "etsConfiguration",
	    [MO_dcbx_feature_etsRecommendation] = "etsRecommendation",
	    [MO_dcbx_feature_applicationPriority] = "applicationPriority",
	    [MO_dcbx_feature_congestionNotification] = "congestionNotification",
	};
	uint32_t feature = audit->rows[row].index.sub[1];

	return feature < sizeof(names) / sizeof(names[0]) && names[feature] ? names[feature]
									    : "unknown";
}

static void text_cell(struct grid *g, const struct rowset *audit, size_t row, const char *object)
{
	const char *text = rowset_text(audit, row, object);

	grid_cell(g, text[0] ? text : "-");
}

static void write_audit_text(const struct rowset_ports *ports, const struct rowset *audit, FILE *f)
{
	static const char *const headers[] = {"port", "feature", "result", "expected", "told"};
	struct grid g = {0};
	char name[ROWSET_PORT_OCTETS];

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		grid_column(&g, headers[i], false);
	for (size_t row = 0; row < audit->n; row++) {
		grid_cell(&g, rowset_port_name(ports, audit->rows[row].index.sub[0], name));
		grid_cell(&g, feature_name(audit, row));
		grid_cell(&g, rowset_name(audit, row, RESULT));
		text_cell(&g, audit, row, EXPECTED);
		text_cell(&g, audit, row, TOLD);
	}
	grid_print(&g, f);
	grid_clear(&g);
}

static void write_audit_json(const struct rowset_ports *ports, const struct rowset *audit, FILE *f)
{
	json_t *all = out_alloc_check(json_array());

	for (size_t row = 0; row < audit->n; row++) {
		json_t *to = out_json_port(ports, audit->rows[row].index.sub[0]);

		out_json_put(to, "feature", json_string(feature_name(audit, row)));
		out_json_put(to, "result", json_string(rowset_name(audit, row, RESULT)));
		out_json_put(to, "expected", out_json_text(rowset_text(audit, row, EXPECTED)));
		out_json_put(to, "told", out_json_text(rowset_text(audit, row, TOLD)));
		out_json_append(all, to);
	}
	out_json_write(all, f);
}

/* Does each neighbor tell the values expected of it, if there are any? */
static bool all_match(const struct rowset *audit)
{
	for (size_t row = 0; row < audit->n; row++) {
		int64_t result = rowset_num(audit, row, RESULT);

		if (result != MO_audit_result_match && result != MO_audit_result_notExpected)
			return false;
	}
	return true;
}

/* Returns CLI_FAILED for a difference, CLI_USAGE for an error, as diff(1) and grep(1) do. */
static int run_audit(struct cli *cli, int argc, char **argv)
{
	struct rowset_ports ports = {0};
	struct rowset rows;
	int rc = CLI_USAGE;

	if (!rowset_ports_parse(cli, &ports, argc, argv))
		return CLI_USAGE;
	if (rowset_fetch(cli, MO_dcbx_audit, &ports, &rows) && rowset_ports_exist(&ports, &rows)) {
		(cli->json ? write_audit_json : write_audit_text)(&ports, &rows, cli->out);
		rc = all_match(&rows) ? CLI_OK : CLI_FAILED;
	}
	rowset_ports_free(&ports);
	return rc;
}

int cmd_dcbx(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct dcbx d = {.cli = cli};
	int rc = CLI_FAILED;

	(void)self;
	if (cli->own_args[0])
		return run_audit(cli, argc, argv);
	if (!rowset_ports_parse(cli, &d.ports, argc, argv))
		return CLI_FAILED;
	if (fetch(&d) && rowset_ports_exist(&d.ports, &d.port)) {
		(cli->json ? write_json : write_text)(&d);
		rc = CLI_OK;
	}
	rowset_ports_free(&d.ports);
	return rc;
}
