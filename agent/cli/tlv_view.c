/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/tlv_view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "agent/cli/out.h"
#include "agent/cli/out_json.h"

#define PRIORITIES 8
#define NO_TABLE   MO_TABLES

static const char *const titles[TLV_BITS] = {
    [TLV_CN] = "CN",
    [TLV_ETS] = "ETS",
    [TLV_RECO] = "ETS recommendation",
    [TLV_PFC] = "PFC",
    [TLV_APP] = "application priority",
    [TLV_DELAY] = "PFC delay",
    [TLV_APP_VLAN] = "application VLAN",
};

const char *tlv_title(enum tlv_bit tlv)
{
	return titles[tlv];
}

/* --- tables --------------------------------------------------------------------------------- */

/* clang-format off */
#define TABLES_OF(party) {                                                                         \
	[TLV_TABLE_ETS] = MO_lldp_##party##_ets,                                                   \
	[TLV_TABLE_ETS_CLASS] = MO_lldp_##party##_ets_pri,                                         \
	[TLV_TABLE_ETS_BANDWIDTH] = MO_lldp_##party##_ets_bw,                                      \
	[TLV_TABLE_ETS_ALGORITHM] = MO_lldp_##party##_ets_tsa,                                     \
	[TLV_TABLE_RECO_BANDWIDTH] = MO_lldp_##party##_reco_bw,                                    \
	[TLV_TABLE_RECO_ALGORITHM] = MO_lldp_##party##_reco_tsa,                                   \
	[TLV_TABLE_PFC] = MO_lldp_##party##_pfc,                                                   \
	[TLV_TABLE_PFC_ENABLE] = MO_lldp_##party##_pfc_enable,                                     \
	[TLV_TABLE_APP] = MO_lldp_##party##_app,                                                   \
	[TLV_TABLE_APP_VLAN] = MO_lldp_##party##_app_vlan,                                         \
}
/* clang-format on */

static const enum mo_table_id tables_of[][TLV_TABLES] = {
    [TLV_LOC] = TABLES_OF(loc),
    [TLV_REM] = TABLES_OF(rem),
    [TLV_ADMIN] = TABLES_OF(admin),
};

/* There are no settings of the CN TLV: it follows from the CNPVs. */
static enum mo_table_id table_id(enum tlv_party party, unsigned which)
{
	if (which != TLV_TABLE_CN)
		return tables_of[party][which];
	return party == TLV_LOC ? MO_lldp_loc_cn : party == TLV_REM ? MO_lldp_rem_cn : NO_TABLE;
}

bool tlv_tables_fetch(struct cli *cli, enum tlv_party party, struct rowset_ports *ports,
		      struct tlv_tables *tables)
{
	memset(tables, 0, sizeof(*tables));
	for (unsigned i = 0; i < TLV_TABLES; i++) {
		enum mo_table_id id = table_id(party, i);

		if (id != NO_TABLE && !rowset_fetch(cli, id, ports, &tables->of[i]))
			return false;
	}
	return true;
}

/* --- contents ------------------------------------------------------------------------------- */

/*
 * Returns the row with this key; NULL: none. The tables of all parties have
 * their columns in the same order.
 */
static const struct rowset_row *row_of(const struct tlv_tables *t, enum tlv_table table,
				       const struct tlv_key *key)
{
	const struct rowset *set = &t->of[table];
	size_t row = rowset_find(set, key->n, key->sub);

	return rowset_has(set, row, key->n, key->sub) ? &set->rows[row] : NULL;
}

/* Loads a value per priority or traffic class; 0 for those without a row. false: no rows. */
static bool load_each(const struct tlv_tables *t, enum tlv_table table, const struct tlv_key *key,
		      uint8_t of[PRIORITIES])
{
	const struct rowset *set = &t->of[table];
	size_t first = rowset_find(set, key->n, key->sub);

	memset(of, 0, PRIORITIES);
	for (size_t i = first; rowset_has(set, i, key->n, key->sub); i++) {
		const struct mo_index *index = &set->rows[i].index;

		if (index->n > key->n && index->sub[key->n] < PRIORITIES)
			of[index->sub[key->n]] = (uint8_t)set->rows[i].cells[0].num;
	}
	return rowset_has(set, first, key->n, key->sub);
}

bool tlv_cn(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_cn *cn)
{
	const struct rowset_row *row = row_of(t, TLV_TABLE_CN, key);

	if (!row)
		return false;
	cn->cnpv = (uint8_t)row->cells[0].num;
	cn->ready = (uint8_t)row->cells[1].num;
	return true;
}

bool tlv_ets(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_ets *ets)
{
	const struct rowset_row *row = row_of(t, TLV_TABLE_ETS, key);

	memset(ets, 0, sizeof(*ets));
	if (!row)
		return false;
	ets->cbs = row->cells[0].num == 1;
	ets->max_tcs = (uint8_t)row->cells[1].num;
	ets->willing = row->cells[2].num == 1;
	load_each(t, TLV_TABLE_ETS_CLASS, key, ets->traffic_class);
	load_each(t, TLV_TABLE_ETS_BANDWIDTH, key, ets->bandwidth);
	load_each(t, TLV_TABLE_ETS_ALGORITHM, key, ets->algorithm);
	return true;
}

bool tlv_reco(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_ets *reco)
{
	memset(reco, 0, sizeof(*reco));
	load_each(t, TLV_TABLE_RECO_BANDWIDTH, key, reco->bandwidth);
	return load_each(t, TLV_TABLE_RECO_ALGORITHM, key, reco->algorithm);
}

bool tlv_pfc(const struct tlv_tables *t, const struct tlv_key *key, struct tlv_pfc *pfc)
{
	const struct rowset_row *row = row_of(t, TLV_TABLE_PFC, key);
	uint8_t enabled[PRIORITIES];

	if (!row)
		return false;
	pfc->willing = row->cells[0].num == 1;
	pfc->mbc = row->cells[1].num == 1;
	pfc->cap = (uint8_t)row->cells[2].num;
	pfc->enable = 0;
	load_each(t, TLV_TABLE_PFC_ENABLE, key, enabled);
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (enabled[p] == 1)
			pfc->enable |= (uint8_t)(1u << p);
	return true;
}

/* --- text ----------------------------------------------------------------------------------- */

/* Appends to the n octets in text, as far as it fits. Returns the new length. */
static size_t add(char text[TLV_TEXT_OCTETS], size_t n, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static size_t add(char text[TLV_TEXT_OCTETS], size_t n, const char *fmt, ...)
{
	va_list ap;
	int more;

	va_start(ap, fmt);
	more = vsnprintf(text + n, TLV_TEXT_OCTETS - n, fmt, ap);
	va_end(ap);
	n += more > 0 ? (size_t)more : 0;
	return n < TLV_TEXT_OCTETS ? n : TLV_TEXT_OCTETS - 1;
}

static size_t add_priorities(char text[TLV_TEXT_OCTETS], size_t n, uint8_t mask)
{
	const char *comma = "";

	for (unsigned p = 0; p < PRIORITIES; p++) {
		unsigned last = p;

		if (!(mask >> p & 1))
			continue;
		while (last + 1 < PRIORITIES && (mask >> (last + 1) & 1))
			last++;
		n = last > p ? add(text, n, "%s%u-%u", comma, p, last)
			     : add(text, n, "%s%u", comma, p);
		comma = ",";
		p = last;
	}
	return n;
}

void tlv_priorities_text(uint8_t mask, char text[TLV_TEXT_OCTETS])
{
	if (add_priorities(text, 0, mask) == 0)
		snprintf(text, TLV_TEXT_OCTETS, "none");
}

static size_t add_class(char text[TLV_TEXT_OCTETS], size_t n, const struct tlv_ets *ets,
			unsigned class)
{
	switch (ets->algorithm[class]) {
	case MO_tsa_tsaStrictPriority:
		return add(text, n, ":strict");
	case MO_tsa_tsaCreditBasedShaper:
		return add(text, n, ":shaper");
	case MO_tsa_tsaEnhancedTransmission:
		return add(text, n, ":%u%%", ets->bandwidth[class]);
	default:
		return add(text, n, ":vendor");
	}
}

static bool is_strict(const struct tlv_ets *ets)
{
	for (unsigned class = 0; class < PRIORITIES; class ++)
		if (ets->algorithm[class] != MO_tsa_tsaStrictPriority)
			return false;
	return true;
}

void tlv_ets_text(const struct tlv_ets *ets, char text[TLV_TEXT_OCTETS])
{
	size_t n = 0;

	for (unsigned class = 0; class < PRIORITIES && !is_strict(ets); class ++) {
		uint8_t priorities = 0;

		for (unsigned p = 0; p < PRIORITIES; p++)
			if (ets->traffic_class[p] == class)
				priorities |= (uint8_t)(1u << p);
		if (!priorities)
			continue;
		n = add_priorities(text, add(text, n, "%s", n ? " " : ""), priorities);
		n = add_class(text, n, ets, class);
	}
	if (n == 0)
		snprintf(text, TLV_TEXT_OCTETS, "strict");
}

void tlv_reco_text(const struct tlv_ets *reco, char text[TLV_TEXT_OCTETS])
{
	size_t n = 0;

	for (unsigned class = 0; class < PRIORITIES; class ++)
		if (reco->algorithm[class] != MO_tsa_tsaStrictPriority)
			n = add_class(text, add(text, n, "%sTC %u", n ? " " : "", class), reco,
				      class);
	if (n == 0)
		snprintf(text, TLV_TEXT_OCTETS, "strict");
}

/* LldpXdot1dcbxAppSelector. */
static const char *selector_text(uint32_t selector)
{
	static const char *const texts[] = {"selector 0", "ethertype", "tcp",
					    "udp",        "tcp/udp",   "dscp"};

	return selector < sizeof(texts) / sizeof(texts[0]) ? texts[selector] : "selector ?";
}

/* Writes the applications of a table, each with its priority or VLAN. */
static unsigned apps_text(const struct rowset *set, const struct tlv_key *key,
			  char text[TLV_TEXT_OCTETS])
{
	unsigned all = 0;
	size_t n = 0;

	snprintf(text, TLV_TEXT_OCTETS, "none");
	for (size_t i = rowset_find(set, key->n, key->sub); rowset_has(set, i, key->n, key->sub);
	     i++, all++) {
		const uint32_t *sub = set->rows[i].index.sub + key->n;

		/* 48: an entry of greatest length and the dots */
		if (n > TLV_TEXT_OCTETS - 48)
			continue;
		n = add(text, n, sub[0] == 1 ? "%s%s 0x%04" PRIx32 ":%d" : "%s%s %" PRIu32 ":%d",
			n ? ", " : "", selector_text(sub[0]), sub[1],
			(int)set->rows[i].cells[0].num);
		if (n > TLV_TEXT_OCTETS - 48)
			n = add(text, n, ", ...");
	}
	return all;
}

unsigned tlv_apps_text(const struct tlv_tables *t, const struct tlv_key *key,
		       char text[TLV_TEXT_OCTETS])
{
	return apps_text(&t->of[TLV_TABLE_APP], key, text);
}

unsigned tlv_app_vlans_text(const struct tlv_tables *t, const struct tlv_key *key,
			    char text[TLV_TEXT_OCTETS])
{
	return apps_text(&t->of[TLV_TABLE_APP_VLAN], key, text);
}

void tlv_pfc_bits_text(uint8_t mask, char text[TLV_TEXT_OCTETS])
{
	static const char *const titles_of[] = {
	    [MO_pfc_bits_mbc] = "no MACsec bypass",
	    [MO_pfc_bits_macsec] = "MACsec",
	    [MO_pfc_bits_privacy] = "privacy",
	    [MO_pfc_bits_measurement] = "measurement",
	    [MO_pfc_bits_ptp] = "PTP",
	};
	size_t n = 0;

	snprintf(text, TLV_TEXT_OCTETS, "none");
	for (unsigned i = 0; i < sizeof(titles_of) / sizeof(titles_of[0]); i++)
		if (mask >> i & 1)
			n = add(text, n, "%s%s", n ? ", " : "", titles_of[i]);
}

/* The bits that are set to be sent: those of a TLV of length 7. */
static uint8_t bits_set(const struct rowset *way, size_t row)
{
	static const struct {
		const char *object;
		unsigned bit;
	} of[] = {
	    {MO_NAME(dcbPfcWayMacsec), MO_pfc_bits_macsec},
	    {MO_NAME(dcbPfcWayPrivacy), MO_pfc_bits_privacy},
	    {MO_NAME(dcbPfcWayMeasurement), MO_pfc_bits_measurement},
	    {MO_NAME(dcbPfcWayPtp), MO_pfc_bits_ptp},
	};
	uint8_t mask = 0;

	if (rowset_num(way, row, MO_NAME(dcbPfcWayAdvertise)) != MO_pfc_advertise_p8021qdt)
		return 0;
	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (rowset_truth(way, row, of[i].object))
			mask |= (uint8_t)(1u << of[i].bit);
	return mask;
}

static uint8_t bits_at(const struct rowset *way, size_t row, const char *object)
{
	return (uint8_t)rowset_num(way, row, object);
}

static void bits_and_delay(uint8_t mask, int64_t delay, char text[TLV_TEXT_OCTETS])
{
	tlv_pfc_bits_text(mask, text);
	if (delay)
		add(text, strlen(text), ", delay %" PRId64 " ns", delay);
}

static const char *way_name(int64_t way)
{
	switch ((enum mo_pfc_way)way) {
	case MO_pfc_way_linkDelays:
		return "link delays";
	case MO_pfc_way_measured:
		return "measured";
	default:
		return "configured";
	}
}

static const char *why_way(int64_t reason)
{
	static const char *const texts[] = {
	    [MO_pfc_way_reason_off] = "not negotiated: the port offers no other way",
	    [MO_pfc_way_reason_noPeer] = "no neighbor",
	    [MO_pfc_way_reason_manyPeers] = "several neighbors send DCBX TLVs, expected one",
	    [MO_pfc_way_reason_peerSilent] = "the neighbor sends no valid PFC TLV",
	    [MO_pfc_way_reason_peer2018] = "the neighbor's PFC TLV has a length of 6",
	    [MO_pfc_way_reason_notCommon] = "no way is supported at both ends",
	    [MO_pfc_way_reason_noPfc] = "PFC is enabled for no priority at one end",
	    [MO_pfc_way_reason_agreed] = "both ends support it",
	    [MO_pfc_way_reason_preferred] = "both ends support both ways: measurement is preferred",
	    [MO_pfc_way_reason_held] =
		"the neighbor changes its TLVs too often: held until it is quiet for a minute",
	    [MO_pfc_way_reason_notMeasuring] =
		"only measurement is left, and dcbPfcMeasureEnable of the port is off",
	};

	return reason > 0 && reason < (int64_t)(sizeof(texts) / sizeof(texts[0])) ? texts[reason]
										  : "unknown";
}

void tlv_way_text(const struct rowset *way, size_t row, enum tlv_way_cell cell,
		  char text[TLV_TEXT_OCTETS])
{
	switch (cell) {
	case TLV_WAY_SET:
		tlv_pfc_bits_text(bits_set(way, row), text);
		break;
	case TLV_WAY_SENT:
		bits_and_delay(bits_at(way, row, MO_NAME(dcbPfcWayLocalBits)),
			       rowset_num(way, row, MO_NAME(dcbPfcWayLocalDelay)), text);
		break;
	case TLV_WAY_RECEIVED:
		bits_and_delay(bits_at(way, row, MO_NAME(dcbPfcWayRemoteBits)),
			       rowset_num(way, row, MO_NAME(dcbPfcWayPeerDelay)), text);
		break;
	case TLV_WAY_IN_USE:
		add(text, 0, "%s", way_name(rowset_num(way, row, MO_NAME(dcbPfcWayInUse))));
		break;
	case TLV_WAY_WHY:
		add(text, 0, "%s", why_way(rowset_num(way, row, MO_NAME(dcbPfcWayReason))));
		break;
	}
}

/* --- JSON ----------------------------------------------------------------------------------- */

static json_t *bits_and_delay_json(const char *object, uint8_t mask, int64_t delay)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "bits", tlv_names_json(object, mask));
	out_json_put(o, "delay", delay ? json_integer(delay) : json_null());
	return o;
}

static json_t *way_set_json(const struct rowset *way, size_t row)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "format", json_string(rowset_name(way, row, MO_NAME(dcbPfcWayAdvertise))));
	out_json_put(o, "bits", tlv_names_json(MO_NAME(dcbPfcWayLocalBits), bits_set(way, row)));
	out_json_put(o, "sendDelay",
		     json_boolean(rowset_truth(way, row, MO_NAME(dcbPfcWaySendDelay))));
	return o;
}

json_t *tlv_way_json(const struct rowset *way, size_t row)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "set", way_set_json(way, row));
	out_json_put(o, "sent",
		     bits_and_delay_json(MO_NAME(dcbPfcWayLocalBits),
					 bits_at(way, row, MO_NAME(dcbPfcWayLocalBits)),
					 rowset_num(way, row, MO_NAME(dcbPfcWayLocalDelay))));
	out_json_put(o, "theirs",
		     bits_and_delay_json(MO_NAME(dcbPfcWayRemoteBits),
					 bits_at(way, row, MO_NAME(dcbPfcWayRemoteBits)),
					 rowset_num(way, row, MO_NAME(dcbPfcWayPeerDelay))));
	out_json_put(o, "agreed",
		     tlv_names_json(MO_NAME(dcbPfcWayAgreedBits),
				    bits_at(way, row, MO_NAME(dcbPfcWayAgreedBits))));
	out_json_put(o, "inForce", json_string(rowset_name(way, row, MO_NAME(dcbPfcWayInUse))));
	out_json_put(o, "reason", json_string(rowset_name(way, row, MO_NAME(dcbPfcWayReason))));
	out_json_put(o, "why",
		     json_string(why_way(rowset_num(way, row, MO_NAME(dcbPfcWayReason)))));
	return o;
}

/* Returns the name of a TLV in dcbNeighborTlvs. */
static const char *token(enum tlv_bit tlv)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(MO_NAME(dcbNeighborTlvs), &table);
	const struct mo_enum *e = col->names;

	while (e->value != (int32_t)tlv)
		e++;
	return e->name;
}

json_t *tlv_priorities_json(uint8_t mask)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned p = 0; p < PRIORITIES; p++)
		if (mask >> p & 1)
			out_json_append(a, json_integer(p));
	return a;
}

json_t *tlv_bits_json(uint8_t mask)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < TLV_BITS; i++)
		if (mask >> i & 1)
			out_json_append(a, json_string(token((enum tlv_bit)i)));
	return a;
}

json_t *tlv_names_json(const char *object, uint8_t mask)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);
	json_t *a = out_alloc_check(json_array());

	for (const struct mo_enum *e = col->names; e->name; e++)
		if (mask >> e->value & 1)
			out_json_append(a, json_string(e->name));
	return a;
}

const char *tlv_old_dcbx(uint8_t dialects)
{
	bool cee = dialects >> MO_dcbx_dialect_cee & 1, cin = dialects >> MO_dcbx_dialect_cin & 1;

	return cee && cin ? "CEE and CIN DCBX" : cee ? "CEE DCBX" : cin ? "CIN DCBX" : NULL;
}

json_t *tlv_cn_json(const struct tlv_cn *cn)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "cnpv", tlv_priorities_json(cn->cnpv));
	out_json_put(o, "ready", tlv_priorities_json(cn->ready));
	return o;
}

static json_t *numbers(const uint8_t of[PRIORITIES])
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < PRIORITIES; i++)
		out_json_append(a, json_integer(of[i]));
	return a;
}

static json_t *algorithms(const uint8_t of[PRIORITIES])
{
	const struct mo_column *col = mo_table(MO_lldp_loc_ets_tsa)->columns;
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < PRIORITIES; i++) {
		char text[64];

		mo_format(col, &(struct mo_value){.syntax = col->syntax, .num = of[i]}, text,
			  sizeof(text));
		out_json_append(a, json_string(text));
	}
	return a;
}

json_t *tlv_reco_json(const struct tlv_ets *reco)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "bandwidth", numbers(reco->bandwidth));
	out_json_put(o, "algorithm", algorithms(reco->algorithm));
	return o;
}

json_t *tlv_ets_json(const struct tlv_ets *ets)
{
	json_t *o = tlv_reco_json(ets);

	out_json_put(o, "trafficClass", numbers(ets->traffic_class));
	out_json_put(o, "willing", json_boolean(ets->willing));
	out_json_put(o, "creditBasedShaper", json_boolean(ets->cbs));
	out_json_put(o, "trafficClassesSupported", json_integer(ets->max_tcs));
	return o;
}

json_t *tlv_pfc_json(const struct tlv_pfc *pfc)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "willing", json_boolean(pfc->willing));
	out_json_put(o, "mbc", json_boolean(pfc->mbc));
	out_json_put(o, "capability", json_integer(pfc->cap));
	out_json_put(o, "enable", tlv_priorities_json(pfc->enable));
	return o;
}

static json_t *apps_json(const struct rowset *set, const struct tlv_key *key, const char *what)
{
	json_t *a = out_alloc_check(json_array());

	for (size_t i = rowset_find(set, key->n, key->sub); rowset_has(set, i, key->n, key->sub);
	     i++) {
		const uint32_t *sub = set->rows[i].index.sub + key->n;
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "selector", json_string(selector_text(sub[0])));
		out_json_put(o, "protocol", json_integer(sub[1]));
		out_json_put(o, what, json_integer(set->rows[i].cells[0].num));
		out_json_append(a, o);
	}
	return a;
}

json_t *tlv_apps_json(const struct tlv_tables *t, const struct tlv_key *key)
{
	return apps_json(&t->of[TLV_TABLE_APP], key, "priority");
}

json_t *tlv_app_vlans_json(const struct tlv_tables *t, const struct tlv_key *key)
{
	return apps_json(&t->of[TLV_TABLE_APP_VLAN], key, "vlan");
}
