/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/tlv_view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"

#define PRIORITIES 8

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

/* --- contents ------------------------------------------------------------------------------- */

/*
 * Returns the first row of a table of the party. The tables of all parties have their columns in
 * the same order.
 */
static struct table_rows_at find(const struct tlv_from *from, const enum mo_table_id table[])
{
	return table_rows_find(from->all, table[from->party], from->n, from->sub);
}
/* clang-format off */
#define FIND(from, which) \
	find(from, (const enum mo_table_id[]){[TLV_LOC] = MO_lldp_loc_##which, \
		[TLV_REM] = MO_lldp_rem_##which, [TLV_ADMIN] = MO_lldp_admin_##which})
/* clang-format on */

static int64_t cell(const struct table_rows_at *at, unsigned column)
{
	return at->set->rows[at->row].cells[column].num;
}

/* Loads a value per priority or traffic class; 0 for those without a row. false: no rows. */
static bool load_each(struct table_rows_at at, const struct tlv_from *from, uint8_t of[PRIORITIES])
{
	bool any = at.sub != NULL;

	memset(of, 0, PRIORITIES);
	for (; at.sub; table_rows_next(&at, from->n, from->sub))
		if (at.sub[from->n] < PRIORITIES)
			of[at.sub[from->n]] = (uint8_t)cell(&at, 0);
	return any;
}

/* There are no settings of the CN TLV: it follows from the CNPVs. */
bool tlv_cn(const struct tlv_from *from, struct tlv_cn *cn)
{
	struct table_rows_at at =
	    table_rows_find(from->all, from->party == TLV_LOC ? MO_lldp_loc_cn : MO_lldp_rem_cn,
			    from->n, from->sub);

	memset(cn, 0, sizeof(*cn));
	if (!at.sub)
		return false;
	cn->cnpv = (uint8_t)cell(&at, 0);
	cn->ready = (uint8_t)cell(&at, 1);
	return true;
}

bool tlv_ets(const struct tlv_from *from, struct tlv_ets *ets)
{
	struct table_rows_at at = FIND(from, ets);

	memset(ets, 0, sizeof(*ets));
	if (!at.sub)
		return false;
	ets->cbs = cell(&at, 0) == 1;
	ets->max_tcs = (uint8_t)cell(&at, 1);
	ets->willing = cell(&at, 2) == 1;
	load_each(FIND(from, ets_pri), from, ets->traffic_class);
	load_each(FIND(from, ets_bw), from, ets->bandwidth);
	load_each(FIND(from, ets_tsa), from, ets->algorithm);
	return true;
}

/*
 * Sets bandwidth and algorithm only: the tables have no priority assignment of a
 * recommendation.
 */
static bool tlv_reco(const struct tlv_from *from, struct tlv_ets *reco)
{
	memset(reco, 0, sizeof(*reco));
	load_each(FIND(from, reco_bw), from, reco->bandwidth);
	return load_each(FIND(from, reco_tsa), from, reco->algorithm);
}

bool tlv_pfc(const struct tlv_from *from, struct tlv_pfc *pfc)
{
	struct table_rows_at at = FIND(from, pfc);
	uint8_t enabled[PRIORITIES];

	memset(pfc, 0, sizeof(*pfc));
	if (!at.sub)
		return false;
	pfc->willing = cell(&at, 0) == 1;
	pfc->mbc = cell(&at, 1) == 1;
	pfc->cap = (uint8_t)cell(&at, 2);
	load_each(FIND(from, pfc_enable), from, enabled);
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (enabled[p] == 1)
			pfc->enable |= (uint8_t)(1u << p);
	return true;
}

/* The first application of a table, each with its priority or VLAN. */
static struct table_rows_at first_app(const struct tlv_from *from, enum tlv_bit tlv)
{
	return tlv == TLV_APP ? FIND(from, app) : FIND(from, app_vlan);
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

static void ets_text(const struct tlv_ets *ets, char text[TLV_TEXT_OCTETS])
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

static void reco_text(const struct tlv_ets *reco, char text[TLV_TEXT_OCTETS])
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

static void apps_text(const struct tlv_from *from, enum tlv_bit tlv, char text[TLV_TEXT_OCTETS])
{
	struct table_rows_at at = first_app(from, tlv);
	size_t n = 0;

	snprintf(text, TLV_TEXT_OCTETS, "none");
	/* 48: an entry of greatest length and the dots */
	for (; at.sub && n <= TLV_TEXT_OCTETS - 48; table_rows_next(&at, from->n, from->sub)) {
		const uint32_t *sub = at.sub + from->n;

		n = add(text, n, sub[0] == 1 ? "%s%s 0x%04" PRIx32 ":%d" : "%s%s %" PRIu32 ":%d",
			n ? ", " : "", selector_text(sub[0]), sub[1], (int)cell(&at, 0));
		if (n > TLV_TEXT_OCTETS - 48)
			n = add(text, n, ", ...");
	}
}

bool tlv_text(const struct tlv_from *from, enum tlv_bit tlv, bool *willing,
	      char text[TLV_TEXT_OCTETS])
{
	struct tlv_ets ets = {.willing = false};
	struct tlv_pfc pfc = {.willing = false};
	bool has = true;

	switch (tlv) {
	case TLV_ETS:
		has = tlv_ets(from, &ets);
		ets_text(&ets, text);
		break;
	case TLV_RECO:
		has = tlv_reco(from, &ets);
		reco_text(&ets, text);
		break;
	case TLV_PFC:
		has = tlv_pfc(from, &pfc);
		tlv_priorities_text(pfc.enable, text);
		break;
	default:
		apps_text(from, tlv, text);
		break;
	}
	*willing = ets.willing || pfc.willing;
	return has;
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

/* --- JSON ----------------------------------------------------------------------------------- */

json_t *tlv_priorities_json(uint8_t mask)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned p = 0; p < PRIORITIES; p++)
		if (mask >> p & 1)
			out_json_append(a, json_integer(p));
	return a;
}

const char *tlv_old_dcbx(uint8_t dialects)
{
	bool cee = dialects >> MO_dcbx_dialect_cee & 1, cin = dialects >> MO_dcbx_dialect_cin & 1;

	return cee && cin ? "CEE and CIN DCBX" : cee ? "CEE DCBX" : cin ? "CIN DCBX" : NULL;
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

static json_t *cn_json(const struct tlv_cn *cn)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "cnpv", tlv_priorities_json(cn->cnpv));
	out_json_put(o, "ready", tlv_priorities_json(cn->ready));
	return o;
}

static json_t *reco_json(const struct tlv_ets *reco)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "bandwidth", numbers(reco->bandwidth));
	out_json_put(o, "algorithm", algorithms(reco->algorithm));
	return o;
}

static json_t *ets_json(const struct tlv_ets *ets)
{
	json_t *o = reco_json(ets);

	out_json_put(o, "trafficClass", numbers(ets->traffic_class));
	out_json_put(o, "willing", json_boolean(ets->willing));
	out_json_put(o, "creditBasedShaper", json_boolean(ets->cbs));
	out_json_put(o, "trafficClassesSupported", json_integer(ets->max_tcs));
	return o;
}

static json_t *pfc_json(const struct tlv_pfc *pfc)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "willing", json_boolean(pfc->willing));
	out_json_put(o, "mbc", json_boolean(pfc->mbc));
	out_json_put(o, "capability", json_integer(pfc->cap));
	out_json_put(o, "enable", tlv_priorities_json(pfc->enable));
	return o;
}

static json_t *apps_json(const struct tlv_from *from, enum tlv_bit tlv)
{
	struct table_rows_at at = first_app(from, tlv);
	json_t *a = out_alloc_check(json_array());

	for (; at.sub; table_rows_next(&at, from->n, from->sub)) {
		const uint32_t *sub = at.sub + from->n;
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "selector", json_string(selector_text(sub[0])));
		out_json_put(o, "protocol", json_integer(sub[1]));
		out_json_put(o, tlv == TLV_APP ? "priority" : "vlan", json_integer(cell(&at, 0)));
		out_json_append(a, o);
	}
	return a;
}

json_t *tlv_json(const struct tlv_from *from, enum tlv_bit tlv)
{
	struct tlv_cn cn;
	struct tlv_ets ets;
	struct tlv_pfc pfc;

	switch (tlv) {
	case TLV_CN:
		return tlv_cn(from, &cn) ? cn_json(&cn) : json_null();
	case TLV_ETS:
		return tlv_ets(from, &ets) ? ets_json(&ets) : json_null();
	case TLV_RECO:
		return tlv_reco(from, &ets) ? reco_json(&ets) : json_null();
	case TLV_PFC:
		return tlv_pfc(from, &pfc) ? pfc_json(&pfc) : json_null();
	case TLV_APP:
	case TLV_APP_VLAN:
		return apps_json(from, tlv);
	default:
		return json_null();
	}
}

/* --- the way in which headroom is found ------------------------------------------------------ */

/* The bits that are set to be sent: those of a TLV of length 7. */
static uint8_t bits_set(struct table_rows_at way)
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

	if (table_rows_num(way, MO_NAME(dcbPfcWayAdvertise)) != MO_pfc_advertise_p8021qdt)
		return 0;
	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (table_rows_truth(way, of[i].object))
			mask |= (uint8_t)(1u << of[i].bit);
	return mask;
}

static json_t *bits_set_json(struct table_rows_at way)
{
	return table_rows_bits(MO_NAME(dcbPfcWayLocalBits), bits_set(way));
}

static void bits_set_text(struct table_rows_at way, char text[TABLE_ROWS_CELL_OCTETS])
{
	tlv_pfc_bits_text(bits_set(way), text);
}

/* "measurement, PTP, delay 100 ns": the bits are the column's object, the delay is the other one.
 */
static void bits_text(struct table_rows_at way, char text[TABLE_ROWS_CELL_OCTETS])
{
	int64_t delay = table_rows_num(way, way.col->other);

	tlv_pfc_bits_text((uint8_t)table_rows_num(way, way.col->object), text);
	if (delay)
		add(text, strlen(text), ", delay %" PRId64 " ns", delay);
}

static void in_use_text(struct table_rows_at way, char text[TABLE_ROWS_CELL_OCTETS])
{
	int64_t in_use = table_rows_num(way, way.col->object);

	strcpy(text, in_use == MO_pfc_way_linkDelays ? "link delays"
		     : in_use == MO_pfc_way_measured ? "measured"
						     : "configured");
}

static json_t *why_way(struct table_rows_at way)
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
	int64_t reason = table_rows_num(way, MO_NAME(dcbPfcWayReason));
	bool known = reason > 0 && reason < (int64_t)(sizeof(texts) / sizeof(texts[0]));

	return json_string(known ? texts[reason] : "unknown");
}

static const struct table_rows_column set_columns[] = {
    {.key = "format", .object = MO_NAME(dcbPfcWayAdvertise)},
    {.key = "bits", .value = bits_set_json},
    {.key = "sendDelay", .object = MO_NAME(dcbPfcWaySendDelay)},
    {0},
};
static const struct table_rows_column sent_columns[] = {
    {.key = "bits", .object = MO_NAME(dcbPfcWayLocalBits)},
    {.key = "delay", .object = MO_NAME(dcbPfcWayLocalDelay), .value = table_rows_nonzero},
    {0},
};
static const struct table_rows_column received_columns[] = {
    {.key = "bits", .object = MO_NAME(dcbPfcWayRemoteBits)},
    {.key = "delay", .object = MO_NAME(dcbPfcWayPeerDelay), .value = table_rows_nonzero},
    {0},
};

const struct table_rows_column tlv_way_columns[] = {
    {.key = "set", .heading = "set", .members = set_columns, .text = bits_set_text},
    {.key = "sent",
     .heading = "sent",
     .members = sent_columns,
     .text = bits_text,
     .object = MO_NAME(dcbPfcWayLocalBits),
     .other = MO_NAME(dcbPfcWayLocalDelay)},
    {.key = "theirs",
     .heading = "received",
     .members = received_columns,
     .text = bits_text,
     .object = MO_NAME(dcbPfcWayRemoteBits),
     .other = MO_NAME(dcbPfcWayPeerDelay)},
    {.key = "agreed", .object = MO_NAME(dcbPfcWayAgreedBits)},
    {.key = "inForce",
     .heading = "in force",
     .object = MO_NAME(dcbPfcWayInUse),
     .text = in_use_text},
    {.key = "reason", .object = MO_NAME(dcbPfcWayReason)},
    {.key = "why", .heading = "why", .value = why_way},
    {0},
};
