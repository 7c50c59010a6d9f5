/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/dcb_tlv.h"
#include "lib/octets.h"

#define CN_OCTETS        2
#define ETS_OCTETS       21
#define PFC_OCTETS       2
#define PFC_QDT_OCTETS   3
#define APP_HEAD_OCTETS  1
#define APP_ENTRY_OCTETS 3
#define PFC_DELAY_OCTETS 8
#define APP_VLAN_OCTETS  4 /* an entry; the TLV has no other octets */

#define ETS_WILLING 0x80
#define ETS_CBS     0x40
#define ETS_MAX_TCS 0x07

#define PFC_WILLING 0x80
#define PFC_MBC     0x40
#define PFC_MACSEC  0x20 /* P802.1Qdt; reserved in 802.1Q */
#define PFC_PRIVACY 0x10
#define PFC_CAP     0x0f
#define PFC_RTM     0x80 /* in the third octet */
#define PFC_PTP     0x40

#define APP_PRIORITY_SHIFT 5
#define APP_SELECTOR       0x07
#define APP_SELECTOR_MIN   1
#define APP_SELECTOR_MAX   5
#define APP_VLAN_SHIFT     4 /* VID, a reserved bit, selector */

#define BANDWIDTH_MAX 100

const uint8_t dcb_tlv_oui[DCB_TLV_OUI_OCTETS] = {0x00, 0x80, 0xc2};

static const uint8_t subtypes[DCB_TLVS] = {
    [DCB_TLV_CN] = 0x08,       [DCB_TLV_ETS] = 0x09, [DCB_TLV_ETS_RECO] = 0x0a,
    [DCB_TLV_PFC] = 0x0b,      [DCB_TLV_APP] = 0x0c, [DCB_TLV_PFC_DELAY] = 0x17,
    [DCB_TLV_APP_VLAN] = 0x10,
};

enum dcb_tlv dcb_tlv_find(const uint8_t oui[DCB_TLV_OUI_OCTETS], uint8_t subtype)
{
	unsigned tlv = 0;

	if (memcmp(oui, dcb_tlv_oui, DCB_TLV_OUI_OCTETS) != 0)
		return DCB_TLVS;
	while (tlv < DCB_TLVS && subtypes[tlv] != subtype)
		tlv++;
	return (enum dcb_tlv)tlv;
}

uint8_t dcb_tlv_subtype(enum dcb_tlv tlv)
{
	return tlv < DCB_TLVS ? subtypes[tlv] : 0;
}

/* --- tables ---------------------------------------------------------------------- */

bool ets_tables_share(const struct ets_tables *ets)
{
	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++)
		if (ets->tsa[tc] == TSA_ETS)
			return true;
	return false;
}

unsigned ets_tables_sum(const struct ets_tables *ets)
{
	unsigned sum = 0;

	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++)
		if (ets->tsa[tc] == TSA_ETS)
			sum += ets->bandwidth[tc];
	return sum;
}

bool ets_tables_add_up(const struct ets_tables *ets)
{
	return ets_tables_sum(ets) == 100 || !ets_tables_share(ets);
}

/* --- decoding ---------------------------------------------------------------------- */

/*
 * Choice: returns whether a TLV of this length has all its fields. IEEE Std 802.1AB: octets that
 * follow the last known field, as a later version of a TLV may have, are ignored (10.3.2.1 of
 * the 2005 edition). An incomplete entry of a table is no such field.
 */
static bool has_fields(size_t len, size_t octets)
{
	return len >= octets && len <= DCB_TLV_INFO_OCTETS;
}

static bool decode_cn(struct cn_tlv *cn, const uint8_t *info, size_t len)
{
	if (!has_fields(len, CN_OCTETS))
		return false;
	cn->cnpv = info[0];
	cn->ready = info[1];
	return true;
}

/*
 * Decodes the traffic classes of all priorities, then bandwidths and algorithms
 * of all classes. A class above 7 or a bandwidth above 100 % is an error.
 * Unknown algorithms and a wrong sum of bandwidths are not: dcbx.h checks
 * those.
 */
static bool decode_tables(struct ets_tables *ets, const uint8_t *p)
{
	bool valid = true;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		ets->priority_tc[i] = i % 2 ? p[i / 2] & 0x0f : p[i / 2] >> 4;
		valid &= ets->priority_tc[i] < DCB_PRIORITIES;
	}
	memcpy(ets->bandwidth, p + DCB_PRIORITIES / 2, DCB_PRIORITIES);
	memcpy(ets->tsa, p + DCB_PRIORITIES / 2 + DCB_PRIORITIES, DCB_PRIORITIES);
	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++)
		valid &= ets->bandwidth[tc] <= BANDWIDTH_MAX;
	return valid;
}

static bool decode_ets(struct ets_tlv *ets, const uint8_t *info, size_t len)
{
	if (!has_fields(len, ETS_OCTETS))
		return false;
	ets->willing = info[0] & ETS_WILLING;
	ets->cbs = info[0] & ETS_CBS;
	ets->max_tcs = info[0] & ETS_MAX_TCS;
	if (!ets->max_tcs)
		ets->max_tcs = DCB_PRIORITIES;
	return decode_tables(&ets->tables, info + 1);
}

static bool decode_reco(struct ets_tables *reco, const uint8_t *info, size_t len)
{
	return has_fields(len, ETS_OCTETS) && decode_tables(reco, info + 1);
}

/*
 * The third octet identifies the format of P802.1Qdt, which defines two more
 * bits of the first octet.
 */
static bool decode_pfc(struct pfc_tlv *pfc, const uint8_t *info, size_t len)
{
	if (!has_fields(len, PFC_OCTETS))
		return false;
	pfc->willing = info[0] & PFC_WILLING;
	pfc->mbc = info[0] & PFC_MBC;
	pfc->cap = info[0] & PFC_CAP;
	pfc->enable = info[1];
	pfc->qdt = len >= PFC_QDT_OCTETS;
	if (pfc->qdt) {
		pfc->macsec = info[0] & PFC_MACSEC;
		pfc->privacy = info[0] & PFC_PRIVACY;
		pfc->rtm = info[2] & PFC_RTM;
		pfc->ptp = info[2] & PFC_PTP;
	}
	return true;
}

static bool is_app_selector(unsigned selector)
{
	return selector >= APP_SELECTOR_MIN && selector <= APP_SELECTOR_MAX;
}

static int app_compare(const struct app_priority *a, const struct app_priority *b)
{
	return a->selector != b->selector ? a->selector - b->selector : a->protocol - b->protocol;
}

/* Inserts an entry in order, unless there is one for the same application. */
static void app_insert(struct app_tlv *app, struct app_priority entry)
{
	unsigned at = app->n;

	while (at > 0 && app_compare(&entry, &app->of[at - 1]) < 0)
		at--;
	if (at > 0 && app_compare(&entry, &app->of[at - 1]) == 0)
		return;
	memmove(&app->of[at + 1], &app->of[at], (app->n - at) * sizeof(entry));
	app->of[at] = entry;
	app->n++;
}

/*
 * Ignores entries with a reserved selector, which later receivers may know, and
 * further entries for the same application. They do not make the TLV invalid.
 */
static bool decode_app(struct app_tlv *app, const uint8_t *info, size_t len)
{
	if (len < APP_HEAD_OCTETS || len > DCB_TLV_INFO_OCTETS ||
	    (len - APP_HEAD_OCTETS) % APP_ENTRY_OCTETS != 0)
		return false;
	for (size_t at = APP_HEAD_OCTETS; at < len; at += APP_ENTRY_OCTETS) {
		struct app_priority entry = {
		    .selector = info[at] & APP_SELECTOR,
		    .priority = info[at] >> APP_PRIORITY_SHIFT,
		    .protocol = get_be16(info + at + 1),
		};

		if (is_app_selector(entry.selector))
			app_insert(app, entry);
	}
	return true;
}

static int app_vlan_compare(const struct app_vlan *a, const struct app_vlan *b)
{
	return a->selector != b->selector ? a->selector - b->selector : a->protocol - b->protocol;
}

/* Inserts an entry in order, unless there is one for the same application. */
static void app_vlan_insert(struct app_vlan_tlv *app, struct app_vlan entry)
{
	unsigned at = app->n;

	while (at > 0 && app_vlan_compare(&entry, &app->of[at - 1]) < 0)
		at--;
	if (at > 0 && app_vlan_compare(&entry, &app->of[at - 1]) == 0)
		return;
	memmove(&app->of[at + 1], &app->of[at], (app->n - at) * sizeof(entry));
	app->of[at] = entry;
	app->n++;
}

/*
 * Choice: the standard's text was not available. As in other implementations of D.2.14, an
 * entry is the VID (12 bits), a reserved bit, the selector (3 bits) and the protocol (16
 * bits), and no octet precedes the first entry.
 */
static struct app_vlan get_app_vlan(const uint8_t *p)
{
	uint16_t head = get_be16(p);

	return (struct app_vlan){
	    .selector = head & APP_SELECTOR,
	    .vlan = head >> APP_VLAN_SHIFT,
	    .protocol = get_be16(p + 2),
	};
}

/*
 * Ignores the entries that decode_app() would ignore, and those with VID 0 or 4095, which
 * identify no VLAN (9.6). An empty table is valid: the neighbor has no application VLANs.
 */
static bool decode_app_vlan(struct app_vlan_tlv *app, const uint8_t *info, size_t len)
{
	if (len > DCB_TLV_INFO_OCTETS || len % APP_VLAN_OCTETS != 0)
		return false;
	for (size_t at = 0; at < len; at += APP_VLAN_OCTETS) {
		struct app_vlan entry = get_app_vlan(info + at);

		if (is_app_selector(entry.selector) && entry.vlan >= APP_VLAN_ID_MIN &&
		    entry.vlan <= APP_VLAN_ID_MAX)
			app_vlan_insert(app, entry);
	}
	return true;
}

static bool decode_pfc_delay(int64_t *delay, const uint8_t *info, size_t len)
{
	if (!has_fields(len, PFC_DELAY_OCTETS))
		return false;
	*delay = (int64_t)get_be64(info);
	return true;
}

static bool decode(struct dcb_tlvs *tlvs, enum dcb_tlv tlv, const uint8_t *info, size_t len)
{
	switch (tlv) {
	case DCB_TLV_CN:
		return decode_cn(&tlvs->cn, info, len);
	case DCB_TLV_ETS:
		return decode_ets(&tlvs->ets, info, len);
	case DCB_TLV_ETS_RECO:
		return decode_reco(&tlvs->reco, info, len);
	case DCB_TLV_PFC:
		return decode_pfc(&tlvs->pfc, info, len);
	case DCB_TLV_APP:
		return decode_app(&tlvs->app, info, len);
	case DCB_TLV_PFC_DELAY:
		return decode_pfc_delay(&tlvs->pfc_delay, info, len);
	case DCB_TLV_APP_VLAN:
		return decode_app_vlan(&tlvs->app_vlan, info, len);
	case DCB_TLVS:
		break;
	}
	return false;
}

/*
 * Sets the values of a TLV to zero, padding included, so that structs can be
 * compared by memcmp().
 */
static void erase(struct dcb_tlvs *tlvs, enum dcb_tlv tlv)
{
	switch (tlv) {
	case DCB_TLV_CN:
		memset(&tlvs->cn, 0, sizeof(tlvs->cn));
		break;
	case DCB_TLV_ETS:
		memset(&tlvs->ets, 0, sizeof(tlvs->ets));
		break;
	case DCB_TLV_ETS_RECO:
		memset(&tlvs->reco, 0, sizeof(tlvs->reco));
		break;
	case DCB_TLV_PFC:
		memset(&tlvs->pfc, 0, sizeof(tlvs->pfc));
		break;
	case DCB_TLV_APP:
		memset(&tlvs->app, 0, sizeof(tlvs->app));
		break;
	case DCB_TLV_PFC_DELAY:
		tlvs->pfc_delay = 0;
		break;
	case DCB_TLV_APP_VLAN:
		memset(&tlvs->app_vlan, 0, sizeof(tlvs->app_vlan));
		break;
	case DCB_TLVS:
		break;
	}
}

bool dcb_tlvs_take(struct dcb_tlvs *tlvs, const uint8_t oui[DCB_TLV_OUI_OCTETS], uint8_t subtype,
		   const uint8_t *info, size_t len)
{
	enum dcb_tlv tlv = dcb_tlv_find(oui, subtype);
	uint8_t bit = (uint8_t)(1u << tlv);

	if (tlv == DCB_TLVS)
		return false;
	if (!((tlvs->present | tlvs->malformed) & bit) && decode(tlvs, tlv, info, len)) {
		tlvs->present |= bit;
		return true;
	}
	erase(tlvs, tlv);
	tlvs->present &= (uint8_t)~bit;
	tlvs->malformed |= bit;
	return false;
}

/* --- encoding ---------------------------------------------------------------------- */

static uint8_t flag(bool set, uint8_t bit)
{
	return set ? bit : 0;
}

static void encode_cn(const struct cn_tlv *cn, struct octets_out *out)
{
	octets_out_u8(out, cn->cnpv);
	octets_out_u8(out, cn->ready);
}

static void encode_tables(const struct ets_tables *ets, struct octets_out *out)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i += 2)
		octets_out_u8(out, (uint8_t)((ets->priority_tc[i] & 0x0f) << 4 |
					     (ets->priority_tc[i + 1] & 0x0f)));
	octets_out_bytes(out, ets->bandwidth, DCB_PRIORITIES);
	octets_out_bytes(out, ets->tsa, DCB_PRIORITIES);
}

static void encode_ets(const struct ets_tlv *ets, struct octets_out *out)
{
	octets_out_u8(out, flag(ets->willing, ETS_WILLING) | flag(ets->cbs, ETS_CBS) |
			       (ets->max_tcs & ETS_MAX_TCS));
	encode_tables(&ets->tables, out);
}

static void encode_reco(const struct ets_tables *reco, struct octets_out *out)
{
	octets_out_u8(out, 0);
	encode_tables(reco, out);
}

/* Sends the third octet only if needed: a peer of 802.1Q-2018 may accept only two octets. */
static void encode_pfc(const struct pfc_tlv *pfc, struct octets_out *out)
{
	octets_out_u8(out, flag(pfc->willing, PFC_WILLING) | flag(pfc->mbc, PFC_MBC) |
			       flag(pfc->qdt && pfc->macsec, PFC_MACSEC) |
			       flag(pfc->qdt && pfc->privacy, PFC_PRIVACY) | (pfc->cap & PFC_CAP));
	octets_out_u8(out, pfc->enable);
	if (pfc->qdt)
		octets_out_u8(out, flag(pfc->rtm, PFC_RTM) | flag(pfc->ptp, PFC_PTP));
}

static void encode_app(const struct app_tlv *app, struct octets_out *out)
{
	octets_out_u8(out, 0);
	for (unsigned i = 0; i < app->n && i < APP_TLV_MAX; i++) {
		octets_out_u8(out, (uint8_t)(app->of[i].priority << APP_PRIORITY_SHIFT |
					     (app->of[i].selector & APP_SELECTOR)));
		octets_out_be16(out, app->of[i].protocol);
	}
}

/* The inverse of get_app_vlan(). */
static void encode_app_vlan(const struct app_vlan_tlv *app, struct octets_out *out)
{
	for (unsigned i = 0; i < app->n && i < APP_VLAN_TLV_MAX; i++) {
		octets_out_be16(out, (uint16_t)(app->of[i].vlan << APP_VLAN_SHIFT |
						(app->of[i].selector & APP_SELECTOR)));
		octets_out_be16(out, app->of[i].protocol);
	}
}

size_t dcb_tlvs_encode(const struct dcb_tlvs *tlvs, enum dcb_tlv tlv, uint8_t *buf)
{
	struct octets_out out = octets_out(buf, DCB_TLV_INFO_OCTETS);

	switch (tlv) {
	case DCB_TLV_CN:
		encode_cn(&tlvs->cn, &out);
		break;
	case DCB_TLV_ETS:
		encode_ets(&tlvs->ets, &out);
		break;
	case DCB_TLV_ETS_RECO:
		encode_reco(&tlvs->reco, &out);
		break;
	case DCB_TLV_PFC:
		encode_pfc(&tlvs->pfc, &out);
		break;
	case DCB_TLV_APP:
		encode_app(&tlvs->app, &out);
		break;
	case DCB_TLV_PFC_DELAY:
		octets_out_be64(&out, (uint64_t)tlvs->pfc_delay);
		break;
	case DCB_TLV_APP_VLAN:
		encode_app_vlan(&tlvs->app_vlan, &out);
		break;
	case DCB_TLVS:
		break;
	}
	return out.len;
}
