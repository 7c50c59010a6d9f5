/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl neighbors: the neighbors of each port and the contents of their DCB TLVs.
 *
 *   JSON  [{"ifIndex", "port", "lldp", "neighbors": [{"index", "chassisId", ...}]}]
 */
#include <inttypes.h>
#include <string.h>

#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/out_json.h"
#include "agent/cli/tlv_view.h"

#define CONTENTS_OCTETS (4 * TLV_TEXT_OCTETS)

/* All tables that the output is made of. */
struct neighbors {
	struct cli *cli;
	struct rowset_ports ports;
	struct rowset agent, lldp, port, neighbor;
	struct tlv_tables rem;
};

static bool fetch(struct neighbors *n)
{
	return rowset_fetch(n->cli, MO_agent_id, &n->ports, &n->agent) &&
	       rowset_fetch(n->cli, MO_lldp, &n->ports, &n->lldp) &&
	       rowset_fetch(n->cli, MO_dcbx_port, &n->ports, &n->port) &&
	       rowset_fetch(n->cli, MO_neighbor, &n->ports, &n->neighbor) &&
	       tlv_tables_fetch(n->cli, TLV_REM, &n->ports, &n->rem);
}

static struct tlv_key key_of(const struct neighbors *n, size_t row)
{
	const uint32_t *sub = n->neighbor.rows[row].index.sub;

	return (struct tlv_key){.n = 2, .sub = {sub[0], sub[1]}};
}

/*
 * Returns the time since the neighbor's TLVs changed last, in centiseconds.
 * Both objects count from the start of dcbd.
 */
static uint32_t age_of(const struct neighbors *n, size_t row)
{
	return (uint32_t)rowset_num(&n->agent, 0, MO_NAME(dcbAgentUpTime)) -
	       (uint32_t)rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborTimeMark));
}

static const char *text_at(const struct neighbors *n, size_t row, const char *object)
{
	return rowset_text(&n->neighbor, row, object);
}

/* Returns the MAC address of the neighbor; NULL: unknown. */
static const char *address_of(const struct neighbors *n, size_t row)
{
	const char *text = text_at(n, row, MO_NAME(dcbNeighborAddress));

	return strspn(text, "0-") == strlen(text) ? NULL : text;
}

static uint8_t sends(const struct neighbors *n, size_t row)
{
	return (uint8_t)rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborTlvs));
}

static uint8_t malformed(const struct neighbors *n, size_t row)
{
	return (uint8_t)rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborMalformedTlvs));
}

/* Returns the versions of DCBX that the neighbor speaks. */
static uint8_t dialects(const struct neighbors *n, size_t row)
{
	return (uint8_t)rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborDcbx));
}

/* --- text ----------------------------------------------------------------------------------- */

/* Writes a duration in one unit: "12 s", "3 min", "5 h", "9 d". */
static void age_text(uint32_t centiseconds, char text[TLV_TEXT_OCTETS])
{
	uint32_t s = centiseconds / 100;

	if (s < 120)
		snprintf(text, TLV_TEXT_OCTETS, "%" PRIu32 " s", s);
	else if (s < 120 * 60)
		snprintf(text, TLV_TEXT_OCTETS, "%" PRIu32 " min", s / 60);
	else if (s < 48 * 3600)
		snprintf(text, TLV_TEXT_OCTETS, "%" PRIu32 " h", s / 3600);
	else
		snprintf(text, TLV_TEXT_OCTETS, "%" PRIu32 " d", s / 86400);
}

/* Writes the names of the TLVs, and of the versions of DCBX before the standard. */
static void tlvs_text(uint8_t mask, uint8_t dialects, char text[TLV_TEXT_OCTETS])
{
	const char *old = tlv_old_dcbx(dialects);
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < TLV_BITS; i++)
		if (mask >> i & 1)
			n += (size_t)snprintf(text + n, TLV_TEXT_OCTETS - n, "%s%s", n ? ", " : "",
					      tlv_title((enum tlv_bit)i));
	if (old)
		snprintf(text + n, TLV_TEXT_OCTETS - n, "%s%s", n ? ", " : "", old);
	else if (n == 0)
		snprintf(text, TLV_TEXT_OCTETS, "none");
}

static void write_neighbors(const struct neighbors *n)
{
	static const char *const headers[] = {"port", "neighbor",  "its port", "system",
					      "TTL",  "unchanged", "TLVs"};
	struct grid g = {0};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		grid_column(&g, headers[i], i == 4 || i == 5);
	for (size_t row = 0; row < n->neighbor.n; row++) {
		char name[ROWSET_PORT_OCTETS], text[TLV_TEXT_OCTETS];

		grid_cell(&g,
			  rowset_port_name(&n->ports, n->neighbor.rows[row].index.sub[0], name));
		grid_cell(&g, text_at(n, row, MO_NAME(dcbNeighborChassisId)));
		grid_cell(&g, text_at(n, row, MO_NAME(dcbNeighborPortId)));
		grid_cell(&g, text_at(n, row, MO_NAME(dcbNeighborSystemName)));
		snprintf(text, sizeof(text), "%" PRId64 " s%s",
			 rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborTtl)),
			 rowset_truth(&n->neighbor, row, MO_NAME(dcbNeighborStale)) ? " stale"
										    : "");
		grid_cell(&g, text);
		age_text(age_of(n, row), text);
		grid_cell(&g, text);
		tlvs_text(sends(n, row) | malformed(n, row), dialects(n, row), text);
		grid_cell(&g, text);
	}
	grid_print(&g, n->cli->out);
	grid_clear(&g);
}

static void cn_text(const struct tlv_cn *cn, char text[CONTENTS_OCTETS])
{
	char cnpv[TLV_TEXT_OCTETS], ready[TLV_TEXT_OCTETS];

	tlv_priorities_text(cn->cnpv, cnpv);
	tlv_priorities_text(cn->ready, ready);
	snprintf(text, CONTENTS_OCTETS, "CNPVs %s, of these ready for CN-TAGs: %s", cnpv, ready);
}

static void pfc_text(const struct tlv_pfc *pfc, char text[CONTENTS_OCTETS])
{
	char enable[TLV_TEXT_OCTETS];

	tlv_priorities_text(pfc->enable, enable);
	snprintf(text, CONTENTS_OCTETS, "priorities %s, at most %u; %swilling%s", enable, pfc->cap,
		 pfc->willing ? "" : "not ", pfc->mbc ? "; cannot bypass MACsec" : "");
}

/* Adds the bits of a TLV of length 7, without MBC. */
static void add_pfc_bits(const struct neighbors *n, size_t row, char text[CONTENTS_OCTETS])
{
	uint8_t mask = (uint8_t)rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborPfcBits));
	size_t len = strlen(text);
	char bits[TLV_TEXT_OCTETS];

	mask &= (uint8_t) ~(1u << MO_pfc_bits_mbc);
	if (!mask)
		return;
	tlv_pfc_bits_text(mask, bits);
	snprintf(text + len, CONTENTS_OCTETS - len, "; %s", bits);
}

/* dcbNeighborPfcDelay is 0 for a delay that is not positive. */
static void delay_text(int64_t ns, char text[CONTENTS_OCTETS])
{
	if (ns)
		snprintf(text, CONTENTS_OCTETS, "%" PRId64 " ns", ns);
	else
		snprintf(text, CONTENTS_OCTETS, "not positive: refused");
}

static void ets_text(const struct tlv_ets *ets, char text[CONTENTS_OCTETS])
{
	char classes[TLV_TEXT_OCTETS];

	tlv_ets_text(ets, classes);
	snprintf(text, CONTENTS_OCTETS, "%s; %u traffic classes; %swilling", classes, ets->max_tcs,
		 ets->willing ? "" : "not ");
}

/* Writes the contents of one TLV of the neighbor. */
static void tlv_text(const struct neighbors *n, size_t row, enum tlv_bit tlv,
		     char text[CONTENTS_OCTETS])
{
	struct tlv_key key = key_of(n, row);
	struct tlv_cn cn;
	struct tlv_ets ets;
	struct tlv_pfc pfc;

	snprintf(text, CONTENTS_OCTETS, "?"); /* the TLV has gone since sends() was read */
	switch (tlv) {
	case TLV_CN:
		if (tlv_cn(&n->rem, &key, &cn))
			cn_text(&cn, text);
		break;
	case TLV_ETS:
		if (tlv_ets(&n->rem, &key, &ets))
			ets_text(&ets, text);
		break;
	case TLV_RECO:
		if (tlv_reco(&n->rem, &key, &ets))
			tlv_reco_text(&ets, text);
		break;
	case TLV_PFC:
		if (tlv_pfc(&n->rem, &key, &pfc)) {
			pfc_text(&pfc, text);
			add_pfc_bits(n, row, text);
		}
		break;
	case TLV_APP:
		tlv_apps_text(&n->rem, &key, text);
		break;
	case TLV_APP_VLAN:
		tlv_app_vlans_text(&n->rem, &key, text);
		break;
	case TLV_DELAY:
		delay_text(rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborPfcDelay)), text);
		break;
	case TLV_BITS:
		break;
	}
}

static void write_tlvs(const struct neighbors *n)
{
	static const char *const headers[] = {"port", "neighbor", "TLV", "contents"};
	struct grid g = {0};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		grid_column(&g, headers[i], false);
	for (size_t row = 0; row < n->neighbor.n; row++) {
		for (unsigned tlv = 0; tlv < TLV_BITS; tlv++) {
			char name[ROWSET_PORT_OCTETS], text[CONTENTS_OCTETS];

			if (malformed(n, row) >> tlv & 1)
				snprintf(text, sizeof(text), "malformed: counts as absent");
			else if (sends(n, row) >> tlv & 1)
				tlv_text(n, row, (enum tlv_bit)tlv, text);
			else
				continue;
			grid_cell(&g, rowset_port_name(&n->ports,
						       n->neighbor.rows[row].index.sub[0], name));
			grid_cell(&g, text_at(n, row, MO_NAME(dcbNeighborChassisId)));
			grid_cell(&g, tlv_title((enum tlv_bit)tlv));
			grid_cell(&g, text);
		}
	}
	if (grid_rows(&g) > 0) {
		fputc('\n', n->cli->out);
		grid_print(&g, n->cli->out);
	}
	grid_clear(&g);
}

static void write_text(const struct neighbors *n)
{
	const char *lldp = rowset_name(&n->lldp, 0, MO_NAME(dcbLldpState));

	if (strcmp(lldp, "mismatch") == 0)
		/*
		 * Message "LLDP agent: lldpd and liblldpctl have different versions: see the log of
		 * dcbd": Install the same version of lldpd(8) and of its library liblldpctl, and
		 * restart lldpd(8).
		 */
		lldp = "lldpd and liblldpctl have different versions: see the log of dcbd";
	if (strcmp(lldp, "connected") != 0)
		/*
		 * Message "LLDP agent: off": LLDP is switched off. To use it, set `lldp.enable` to
		 * true in dcbd.conf(5) and restart dcbd(8).
		 */
		/*
		 * Message "LLDP agent: connecting": dcbd(8) has no connection to lldpd(8). Start
		 * lldpd(8), or correct `lldp.socket` and `lldp.group` in dcbd.conf(5).
		 */
		fprintf(n->cli->out, "LLDP agent: %s\n", lldp);
	if (n->neighbor.n == 0) {
		fprintf(n->cli->out, "no neighbors\n");
		return;
	}
	write_neighbors(n);
	write_tlvs(n);
}

/* --- JSON ----------------------------------------------------------------------------------- */

/* Adds the contents of the neighbor's TLVs, null for those it does not send. */
static void put_tlvs(const struct neighbors *n, size_t row, json_t *o)
{
	struct tlv_key key = key_of(n, row);
	uint8_t mask = sends(n, row);
	struct tlv_cn cn;
	struct tlv_ets ets;
	struct tlv_pfc pfc;

	out_json_put(o, "cn", tlv_cn(&n->rem, &key, &cn) ? tlv_cn_json(&cn) : json_null());
	out_json_put(o, "ets", tlv_ets(&n->rem, &key, &ets) ? tlv_ets_json(&ets) : json_null());
	out_json_put(o, "etsRecommendation",
		     tlv_reco(&n->rem, &key, &ets) ? tlv_reco_json(&ets) : json_null());
	out_json_put(o, "pfc", tlv_pfc(&n->rem, &key, &pfc) ? tlv_pfc_json(&pfc) : json_null());
	out_json_put(o, "applicationPriorities", tlv_apps_json(&n->rem, &key));
	out_json_put(o, "applicationVlans", tlv_app_vlans_json(&n->rem, &key));
	out_json_put(o, "pfcDelay",
		     mask >> TLV_DELAY & 1
			 ? json_integer(rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborPfcDelay)))
			 : json_null());
	out_json_put(
	    o, "pfcBits",
	    tlv_names_json(MO_NAME(dcbNeighborPfcBits),
			   (uint8_t)rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborPfcBits))));
}

static json_t *neighbor_json(const struct neighbors *n, size_t row)
{
	json_t *o = out_alloc_check(json_object());
	const char *address = address_of(n, row);

	out_json_put(o, "index", json_integer(n->neighbor.rows[row].index.sub[1]));
	out_json_put(o, "chassisId", out_json_text(text_at(n, row, MO_NAME(dcbNeighborChassisId))));
	out_json_put(o, "portId", out_json_text(text_at(n, row, MO_NAME(dcbNeighborPortId))));
	out_json_put(o, "systemName",
		     out_json_text(text_at(n, row, MO_NAME(dcbNeighborSystemName))));
	out_json_put(o, "address", address ? json_string(address) : json_null());
	out_json_put(
	    o, "addressOrigin",
	    json_string(rowset_name(&n->neighbor, row, MO_NAME(dcbNeighborAddressOrigin))));
	out_json_put(o, "ttl",
		     json_integer(rowset_num(&n->neighbor, row, MO_NAME(dcbNeighborTtl))));
	out_json_put(o, "age", json_real(age_of(n, row) / 100.0));
	out_json_put(o, "stale",
		     json_boolean(rowset_truth(&n->neighbor, row, MO_NAME(dcbNeighborStale))));
	out_json_put(o, "tlvs", tlv_bits_json(sends(n, row)));
	out_json_put(o, "malformed", tlv_bits_json(malformed(n, row)));
	out_json_put(o, "dcbx", tlv_names_json(MO_NAME(dcbNeighborDcbx), dialects(n, row)));
	put_tlvs(n, row, o);
	return o;
}

static void write_json(const struct neighbors *n)
{
	json_t *all = out_alloc_check(json_array());
	const char *lldp = rowset_name(&n->lldp, 0, MO_NAME(dcbLldpState));

	for (size_t p = 0; p < n->port.n; p++) {
		const uint32_t *sub = n->port.rows[p].index.sub;
		json_t *o = out_json_port(&n->ports, sub[0]), *a = out_alloc_check(json_array());

		out_json_put(o, "lldp", json_string(lldp));
		for (size_t row = rowset_find(&n->neighbor, 1, sub);
		     rowset_has(&n->neighbor, row, 1, sub); row++)
			out_json_append(a, neighbor_json(n, row));
		out_json_put(o, "neighbors", a);
		out_json_append(all, o);
	}
	out_json_write(all, n->cli->out);
}

int cmd_neighbors(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct neighbors n = {.cli = cli};
	int rc = CLI_FAILED;

	(void)self;
	if (!rowset_ports_parse(cli, &n.ports, argc, argv))
		return CLI_FAILED;
	if (fetch(&n) && rowset_ports_exist(&n.ports, &n.port)) {
		(cli->json ? write_json : write_text)(&n);
		rc = CLI_OK;
	}
	rowset_ports_free(&n.ports);
	return rc;
}
