/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl neighbors: the neighbors of each port and the contents of their DCB TLVs.
 *
 *   JSON  [{"ifIndex", "port", "lldp", "neighbors": [{"index", "chassisId", ...}]}]
 */
#include <inttypes.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/tlv_view.h"

static struct tlv_from from_of(struct table_rows_at n)
{
	return (struct tlv_from){
	    .all = n.all, .party = TLV_REM, .n = 2, .sub = {n.sub[0], n.sub[1]}};
}

static uint8_t mask_of(struct table_rows_at n, const char *object)
{
	return (uint8_t)table_rows_num(n, object);
}

/* Returns the MAC address of the neighbor; null: unknown. */
static json_t *address(struct table_rows_at n)
{
	const char *text = table_rows_text(n, n.col->object);

	return strspn(text, "0-") == strlen(text) ? json_null() : json_string(text);
}

static json_t *management(struct table_rows_at n)
{
	return *table_rows_text(n, n.col->object) ? table_rows_json(n, n.col->object) : json_null();
}

static void ttl_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRId64 " s%s", table_rows_num(n, n.col->object),
		 table_rows_truth(n, MO_NAME(dcbNeighborStale)) ? " stale" : "");
}

/*
 * Returns the time since the neighbor's TLVs changed last, in centiseconds.
 * Both objects count from the start of dcbd.
 */
static uint32_t age_of(struct table_rows_at n)
{
	return (uint32_t)table_rows_num(table_rows_at(n.all, MO_agent_id, 0),
					MO_NAME(dcbAgentUpTime)) -
	       (uint32_t)table_rows_num(n, MO_NAME(dcbNeighborTimeMark));
}

static json_t *age_json(struct table_rows_at n)
{
	return json_real(age_of(n) / 100.0);
}

/* Writes a duration in one unit: "12 s", "3 min", "5 h", "9 d". */
static void age_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	uint32_t s = age_of(n) / 100;

	if (s < 120)
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRIu32 " s", s);
	else if (s < 120 * 60)
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRIu32 " min", s / 60);
	else if (s < 48 * 3600)
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRIu32 " h", s / 3600);
	else
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRIu32 " d", s / 86400);
}

/* Writes the names of the TLVs, and of the versions of DCBX before the standard. */
static void tlvs_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS])
{
	const char *old = tlv_old_dcbx(mask_of(at, MO_NAME(dcbNeighborDcbx)));
	uint8_t mask =
	    mask_of(at, MO_NAME(dcbNeighborTlvs)) | mask_of(at, MO_NAME(dcbNeighborMalformedTlvs));
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < TLV_BITS; i++)
		if (mask >> i & 1)
			n += (size_t)snprintf(text + n, TABLE_ROWS_CELL_OCTETS - n, "%s%s",
					      n ? ", " : "", tlv_title((enum tlv_bit)i));
	if (old)
		snprintf(text + n, TABLE_ROWS_CELL_OCTETS - n, "%s%s", n ? ", " : "", old);
	else if (n == 0)
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "none");
}

/* --- contents of TLVs: text of the column whose arg is the TLV -------------------------------- */

static json_t *contents(struct table_rows_at n)
{
	struct tlv_from from = from_of(n);

	return tlv_json(&from, (enum tlv_bit)n.col->arg);
}

static void cn_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	char cnpv[TLV_TEXT_OCTETS], ready[TLV_TEXT_OCTETS];
	struct tlv_from from = from_of(n);
	struct tlv_cn cn;

	if (!tlv_cn(&from, &cn))
		return;
	tlv_priorities_text(cn.cnpv, cnpv);
	tlv_priorities_text(cn.ready, ready);
	snprintf(text, TABLE_ROWS_CELL_OCTETS, "CNPVs %s, of these ready for CN-TAGs: %s", cnpv,
		 ready);
}

/* Of applications and an ETS recommendation. */
static void contents_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	struct tlv_from from = from_of(n);
	char contents[TLV_TEXT_OCTETS];
	bool willing;

	if (tlv_text(&from, (enum tlv_bit)n.col->arg, &willing, contents))
		strcpy(text, contents);
}

static void ets_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	struct tlv_from from = from_of(n);
	struct tlv_ets ets;

	if (!tlv_ets(&from, &ets))
		return;
	contents_text(n, text);
	snprintf(text + strlen(text), TLV_TEXT_OCTETS, "; %u traffic classes; %swilling",
		 ets.max_tcs, ets.willing ? "" : "not ");
}

/* With the bits of a TLV of length 7, without MBC. */
static void pfc_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	uint8_t mask = mask_of(n, MO_NAME(dcbNeighborPfcBits)) & (uint8_t) ~(1u << MO_pfc_bits_mbc);
	char enable[TLV_TEXT_OCTETS], bits[TLV_TEXT_OCTETS];
	struct tlv_from from = from_of(n);
	struct tlv_pfc pfc;

	if (!tlv_pfc(&from, &pfc))
		return;
	tlv_priorities_text(pfc.enable, enable);
	tlv_pfc_bits_text(mask, bits);
	snprintf(text, TABLE_ROWS_CELL_OCTETS, "priorities %s, at most %u; %swilling%s%s%s", enable,
		 pfc.cap, pfc.willing ? "" : "not ", pfc.mbc ? "; cannot bypass MACsec" : "",
		 mask ? "; " : "", mask ? bits : "");
}

/* dcbNeighborPfcDelay is 0 for a delay that is not positive. */
static void delay_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	int64_t ns = table_rows_num(n, n.col->object);

	if (ns)
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRId64 " ns", ns);
	else
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "not positive: refused");
}

static json_t *delay_json(struct table_rows_at n)
{
	return mask_of(n, MO_NAME(dcbNeighborTlvs)) >> TLV_DELAY & 1
		   ? table_rows_json(n, n.col->object)
		   : json_null();
}

/* --- columns -------------------------------------------------------------------------------- */

static const struct table_rows_column neighbor_columns[] = {
    TABLE_ROWS_PORT_CELL,
    {.key = "index", .value = table_rows_sub, .arg = 1},
    {.key = "chassisId", .heading = "neighbor", .object = MO_NAME(dcbNeighborChassisId)},
    {.key = "portId", .heading = "its port", .object = MO_NAME(dcbNeighborPortId)},
    {.key = "systemName", .heading = "system", .object = MO_NAME(dcbNeighborSystemName)},
    {.key = "address", .object = MO_NAME(dcbNeighborAddress), .value = address},
    {.key = "addressOrigin", .object = MO_NAME(dcbNeighborAddressOrigin)},
    {.key = "ttl",
     .heading = "TTL",
     .right = true,
     .object = MO_NAME(dcbNeighborTtl),
     .text = ttl_text},
    {.key = "age", .heading = "unchanged", .right = true, .value = age_json, .text = age_text},
    {.key = "stale", .object = MO_NAME(dcbNeighborStale)},
    {.key = "tlvs", .heading = "TLVs", .object = MO_NAME(dcbNeighborTlvs), .text = tlvs_text},
    {.key = "malformed", .object = MO_NAME(dcbNeighborMalformedTlvs)},
    {.key = "dcbx", .object = MO_NAME(dcbNeighborDcbx)},
    {.key = "cn", .value = contents, .text = cn_text, .arg = TLV_CN},
    {.key = "ets", .value = contents, .text = ets_text, .arg = TLV_ETS},
    {.key = "etsRecommendation", .value = contents, .text = contents_text, .arg = TLV_RECO},
    {.key = "pfc", .value = contents, .text = pfc_text, .arg = TLV_PFC},
    {.key = "applicationPriorities", .value = contents, .text = contents_text, .arg = TLV_APP},
    {.key = "applicationVlans", .value = contents, .text = contents_text, .arg = TLV_APP_VLAN},
    {.key = "pfcDelay",
     .object = MO_NAME(dcbNeighborPfcDelay),
     .value = delay_json,
     .text = delay_text,
     .arg = TLV_DELAY},
    {.key = "pfcBits", .object = MO_NAME(dcbNeighborPfcBits)},
    {.key = "managementAddress", .object = MO_NAME(dcbNeighborManagement), .value = management},
    {0},
};

static json_t *lldp_json(struct table_rows_at port)
{
	return table_rows_json(table_rows_at(port.all, MO_lldp, 0), MO_NAME(dcbLldpState));
}

static const struct table_rows_column port_columns[] = {
    TABLE_ROWS_PORT,
    {.key = "lldp", .value = lldp_json},
    {.key = "neighbors", .rows = neighbor_columns, .table = MO_neighbor, .arg = 1},
    {0},
};

/* A row for each TLV of a neighbor: data is its column of neighbor_columns. */
static enum tlv_bit tlv_of(struct table_rows_at n)
{
	return (enum tlv_bit)((const struct table_rows_column *)n.data)->arg;
}

static json_t *title(struct table_rows_at n)
{
	return json_string(tlv_title(tlv_of(n)));
}

static void row_text(struct table_rows_at n, char text[TABLE_ROWS_CELL_OCTETS])
{
	if (mask_of(n, MO_NAME(dcbNeighborMalformedTlvs)) >> tlv_of(n) & 1) {
		strcpy(text, "malformed: counts as absent");
		return;
	}
	strcpy(text, "?"); /* the TLV has gone since dcbNeighborTlvs was read */
	n.col = n.data;
	n.col->text(n, text);
}

static const struct table_rows_column tlv_columns[] = {
    TABLE_ROWS_PORT_CELL,
    {.heading = "neighbor", .object = MO_NAME(dcbNeighborChassisId)},
    {.heading = "TLV", .value = title},
    {.heading = "contents", .text = row_text},
    {0},
};

/* --- text ----------------------------------------------------------------------------------- */

static void add_tlvs(struct text_table *g, struct table_rows_at n)
{
	uint8_t mask =
	    mask_of(n, MO_NAME(dcbNeighborTlvs)) | mask_of(n, MO_NAME(dcbNeighborMalformedTlvs));

	for (unsigned tlv = 0; tlv < TLV_BITS; tlv++) {
		const struct table_rows_column *c = neighbor_columns;

		while (c->heading || !c->text || c->arg != tlv)
			c++;
		n.data = c;
		if (mask >> tlv & 1)
			table_rows_cells(g, n, tlv_columns);
	}
}

static void write_text(const struct table_rows_all *all, FILE *f)
{
	const char *lldp = table_rows_name(table_rows_at(all, MO_lldp, 0), MO_NAME(dcbLldpState));
	struct text_table g = {0};

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
		fprintf(f, "LLDP agent: %s\n", lldp);
	if (all->of[MO_neighbor].n == 0) {
		fprintf(f, "no neighbors\n");
		return;
	}
	table_rows_put(&g, all, MO_neighbor, neighbor_columns);
	table_rows_print(&g, f, NULL);
	table_rows_headings(&g, tlv_columns);
	TABLE_ROWS_EACH (at, all, MO_neighbor, 0, NULL)
		add_tlvs(&g, at);
	table_rows_print(&g, f, "");
}

static const struct table_rows_command neighbors = {
    .tables = (const enum mo_table_id[]){MO_agent_id, MO_lldp, MO_dcbx_port, MO_neighbor,
					 TLV_TABLES_REM, MO_TABLES},
    .ports = MO_dcbx_port,
    .text = write_text,
    .rows = MO_dcbx_port,
    .columns = port_columns,
};

int cmd_neighbors(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	(void)self;
	return table_rows_command(cli, &neighbors, argc, argv);
}
