/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/port/keywords.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mo/mo_expect.h"

enum {
	pfc,
	ets,
	app,
	apptrust,
	rewr,
	ecn,
	cn,
	cp,
	rp,
	headroom,
	watchdog,
	storms,
	counters,
	N_FAMILIES
};
#define PLACES   32 /* of keywords of a command, and of one that ends them */
#define P_ALWAYS false
#define P_STATS  true

/*
 * The keywords of each command in the order in which it shows them. Where iproute2's dcb(8) has the
 * setting, as there: man dcb-pfc, dcb-ets, dcb-app, dcb-apptrust, dcb-rewr. dcb-ets also has pg-bw,
 * which dcbd has not, and a recommended prio-tc, which no TLV has. pfc: requests, indications:
 * frames sent and received, here of each priority. app.c has the application priorities. storms:
 * the last one of each priority.
 */
static const struct port_keyword keywords[N_FAMILIES][PLACES] = {
#define WORD(family, place, word, kind, object, when) \
	[family][place] = {word, PORT_##kind, MO_NAME(object), P_##when},
#include "mibs/all.def"
};

#define FAMILY(command, only_rows) [command] = {#command, keywords[command], only_rows}
static const struct port_family families[N_FAMILIES] = {
    FAMILY(pfc, NULL),      FAMILY(ets, NULL),      FAMILY(app, NULL),
    FAMILY(apptrust, NULL), FAMILY(rewr, NULL),     FAMILY(ecn, NULL),
    FAMILY(cn, NULL),       FAMILY(cp, NULL),       FAMILY(rp, NULL),
    FAMILY(headroom, NULL), FAMILY(watchdog, NULL), FAMILY(storms, MO_NAME(dcbPfcStormEnd)),
    FAMILY(counters, NULL),
};

const struct port_family *port_family(const char *command)
{
	for (size_t i = 0; i < N_FAMILIES; i++)
		if (strcmp(families[i].name, command) == 0)
			return &families[i];
	return NULL;
}

const struct port_family *port_family_at(size_t n)
{
	return n < N_FAMILIES ? &families[n] : NULL;
}

const struct port_keyword *port_keyword(const struct port_family *family, const char *name)
{
	for (const struct port_keyword *kw = family->keywords; kw->name; kw++)
		if (strcmp(kw->name, name) == 0)
			return kw;
	return NULL;
}

const struct mo_column *port_keyword_column(const struct port_keyword *kw,
					    const struct mo_table **table)
{
	return mo_column_by_name(kw->object, table);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

const char *port_keyword_unit(const struct port_keyword *kw)
{
	/* Those that the modules do not have, and that JSON has beside the same word. */
	static const struct {
		const char *object, *unit;
	} units[] = {
	    {MO_NAME(ieee8021PfcLinkDelayAllowance), "bits"},
	    {MO_NAME(lldpXdot1dcbxAdminETSConTrafficClassBandwidth), "percent"},
	    {MO_NAME(lldpXdot1dcbxAdminETSRecoTrafficClassBandwidth), "percent"},
	    {MO_NAME(dcbPfcHeadroomCableLength), "meters"},
	    {MO_NAME(dcbCnPortModeChanges), "changes"},
	    {MO_NAME(ieee8021CnCpTransmittedFrames), "frames"},
	    {MO_NAME(ieee8021CnCpDiscardedFrames), "frames"},
	    {MO_NAME(dcbPfcWatchdogStorms), "storms"},
	};
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].object, kw->object) == 0)
			return units[i].unit;
	if (col->syntax == MO_TIMETICKS)
		return "centiseconds";
	return ends_with(kw->name, col->unit) ? "" : col->unit; /* rx-frames */
}

void port_keyword_json_name(const struct port_keyword *kw, char *buf, size_t size)
{
	const char *unit = port_keyword_unit(kw);

	/* The only unit that is no word. */
	if (strcmp(unit, "Mb/s") == 0)
		unit = "megabits_per_second";
	snprintf(buf, size, "%s%s%s", kw->name, *unit ? "_" : "", unit);
	for (char *p = buf; *p; p++)
		if (*p == '-' || *p == ' ')
			*p = '_';
}

/* --- values ---------------------------------------------------------------------------------- */

/* man dcb-ets has other words for the transmission selection algorithms, and so has dcb-apptrust.
 */
static const char *dcb_word(const struct mo_enum *e)
{
	static const struct {
		const char *name, *word;
	} words[] = {
	    {"tsaStrictPriority", "strict"},
	    {"tsaCreditBasedShaper", "cbs"},
	    {"tsaEnhancedTransmission", "ets"},
	    {"tsaVendorSpecific", "vendor"},
	    {"pcpDscp", "pcp dscp"},
	    {"dscpPcp", "dscp pcp"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].name, e->name) == 0)
			return words[i].word;
	return NULL;
}

/* Returns the name without the beginning that the names of its list have. */
static const char *without_prefix(const char *name)
{
	static const char *const prefixes[] = {"cpc", "cpt", "cnl", "tsa"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], 3) == 0)
			return name + 3;
	return name;
}

/* Writes cptInteriorReady as interior-ready; a name without prefix stays as it is. */
static void word_of(const struct mo_enum *e, char *buf, size_t size)
{
	const char *dcb = dcb_word(e), *name = without_prefix(e->name);
	size_t n = 0;

	if (dcb || name == e->name) {
		snprintf(buf, size, "%s", dcb ? dcb : name);
		return;
	}
	for (const char *p = name; *p && n + 2 < size; p++) {
		if (isupper((unsigned char)*p) && p > name)
			buf[n++] = '-';
		buf[n++] = (char)tolower((unsigned char)*p);
	}
	buf[n] = '\0';
}

bool port_keyword_word(const struct port_keyword *kw, size_t n, char *buf, size_t size)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);
	const struct mo_enum *e = col->names;

	if (col->syntax == MO_TRUTH || col->syntax == MO_BITS)
		snprintf(buf, size, "%s", n == 0 ? "on" : "off");
	else if (!e)
		return false;
	while (e->name && n-- > 0)
		e++;
	if (e->name && col->syntax != MO_TRUTH && col->syntax != MO_BITS)
		word_of(e, buf, size);
	return e->name != NULL;
}

/* --- values of rewr --------------------------------------------------------------------------- */

static bool is_object(const struct port_keyword *kw, const char *object)
{
	return strcmp(kw->object, object) == 0;
}

static bool is_rewrite(const struct port_keyword *kw)
{
	return is_object(kw, MO_NAME(dcbRewritePcp)) || is_object(kw, MO_NAME(dcbRewriteDscp));
}

void port_dscp_name(uint32_t dscp, char *buf, size_t size)
{
	if (dscp % 8 == 0)
		snprintf(buf, size, "CS%" PRIu32, dscp / 8);
	else if (dscp == 46)
		snprintf(buf, size, "EF");
	else if (dscp == 44)
		snprintf(buf, size, "VOICE-ADMIT");
	else if (dscp >= 10 && dscp <= 38 && dscp % 8 <= 6 && dscp % 2 == 0)
		snprintf(buf, size, "AF%" PRIu32 "%" PRIu32, dscp / 8, dscp % 8 / 2);
	else
		snprintf(buf, size, "%" PRIu32, dscp);
}

bool port_dscp_parse(const char *text, uint32_t *dscp)
{
	char name[16];

	for (*dscp = 0; *dscp < 64; ++*dscp) {
		port_dscp_name(*dscp, name, sizeof(name));
		if (strcmp(name, text) == 0)
			return true;
	}
	return false;
}

/* As man dcb-rewr: 3nd, 3de with the DEI; a code point by its name. */
static void format_rewrite(const struct port_keyword *kw, int64_t value, bool numeric, char *buf,
			   size_t size)
{
	if (value < 0)
		snprintf(buf, size, "none");
	else if (is_object(kw, MO_NAME(dcbRewritePcp)))
		snprintf(buf, size, "%" PRId64 "%s", value & 7, value & 8 ? "de" : "nd");
	else if (numeric)
		snprintf(buf, size, "%" PRId64, value);
	else
		port_dscp_name((uint32_t)value, buf, size);
}

static bool parse_rewrite(const struct port_keyword *kw, const char *text, struct mo_value *value)
{
	bool pcp = is_object(kw, MO_NAME(dcbRewritePcp));
	uint32_t dscp;

	*value = (struct mo_value){.syntax = MO_INTEGER32, .num = -1};
	if (strcmp(text, "none") == 0)
		return true;
	if (pcp && text[0] >= '0' && text[0] <= '7' &&
	    (strcmp(text + 1, "nd") == 0 || strcmp(text + 1, "de") == 0)) {
		value->num = (text[0] - '0') + (text[1] == 'd' ? 8 : 0);
		return true;
	}
	if (!pcp && port_dscp_parse(text, &dscp)) {
		value->num = dscp;
		return true;
	}
	return false;
}

void port_keyword_format(const struct port_keyword *kw, const struct mo_value *value, bool numeric,
			 char *buf, size_t size)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);

	if (col->syntax == MO_TRUTH) {
		snprintf(buf, size, "%s", value->num == MO_truth_true ? "on" : "off");
		return;
	}
	if (is_rewrite(kw)) {
		format_rewrite(kw, value->num, numeric, buf, size);
		return;
	}
	for (const struct mo_enum *e = col->names; e && e->name; e++) {
		if (e->value != value->num)
			continue;
		if (numeric)
			snprintf(buf, size, "%" PRId64, value->num);
		else
			word_of(e, buf, size);
		return;
	}
	mo_format(col, value, buf, size);
}

static bool parse_truth(const char *text, struct mo_value *value)
{
	bool on = strcmp(text, "on") == 0;

	*value = (struct mo_value){.syntax = MO_TRUTH, .num = on ? MO_truth_true : MO_truth_false};
	return on || strcmp(text, "off") == 0;
}

static bool parse_word(const struct mo_column *col, const char *text, struct mo_value *value)
{
	char word[64];

	for (const struct mo_enum *e = col->names; e && e->name; e++) {
		word_of(e, word, sizeof(word));
		*value = (struct mo_value){.syntax = col->syntax, .num = e->value};
		if (strcmp(word, text) == 0)
			return true;
	}
	return false;
}

static void expect(const struct port_keyword *kw, const struct mo_column *col, char *buf,
		   size_t size)
{
	char word[64];
	size_t n;

	if (!mo_is_writable(col))
		snprintf(buf, size, "no value: it is read-only");
	else if (col->syntax == MO_TRUTH)
		snprintf(buf, size, "on or off");
	else if (is_object(kw, MO_NAME(dcbRewritePcp)))
		snprintf(buf, size, "a PCP as 3nd, 3de with the DEI, or none");
	else if (is_object(kw, MO_NAME(dcbRewriteDscp)))
		snprintf(buf, size, "0..63, the name of a DSCP or none");
	else if (!col->names)
		snprintf(buf, size, "%" PRId64 "..%" PRId64 "%s%s", col->min, col->max,
			 *port_keyword_unit(kw) ? " " : "", port_keyword_unit(kw));
	else {
		n = (size_t)snprintf(buf, size, "one of");
		for (const struct mo_enum *e = col->names; e->name && n < size; e++) {
			word_of(e, word, sizeof(word));
			if (mo_enum_settable(col, e))
				n += (size_t)snprintf(
				    buf + n, size - n, "%s %s",
				    kw->kind == PORT_LIST && e > col->names ? "," : "", word);
		}
	}
}

bool port_keyword_parse(const struct port_keyword *kw, const char *text, struct mo_value *value,
			char *expected, size_t size)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);
	bool parsed = (col->syntax == MO_TRUTH && parse_truth(text, value)) ||
		      (is_rewrite(kw) && parse_rewrite(kw, text, value)) ||
		      parse_word(col, text, value) || mo_parse(col, text, value);

	expect(kw, col, expected, size);
	return parsed && mo_validate(col, value) == MO_NO_ERROR;
}

/* --- rows ------------------------------------------------------------------------------------ */

bool port_row_of(const struct mo_table *table, const struct mo_index *index, uint32_t *ifindex,
		 unsigned *priority)
{
	*priority = PORT_PRIORITIES;
	if (table->rows != MO_ROWS_PORT && table->rows != MO_ROWS_PORT_EACH)
		return false;
	*ifindex = index->sub[mo_index_part(table, MO_PART_PORT)];
	if (table->rows == MO_ROWS_PORT_EACH)
		*priority = mo_index_priority(table, index);
	return true;
}

/* --- application priorities ------------------------------------------------------------------ */

const struct port_app_keyword port_app_keywords[] = {
    {"default-prio", PORT_APP_ETHERTYPE, 0, 0},
    {"ethtype-prio", PORT_APP_ETHERTYPE, 0x600, 0xffff},
    {"stream-port-prio", PORT_APP_STREAM, 1, 0xffff},
    {"dgram-port-prio", PORT_APP_DATAGRAM, 1, 0xffff},
    {"port-prio", PORT_APP_PORT, 1, 0xffff},
    {"dscp-prio", PORT_APP_DSCP, 0, 63},
    {NULL, 0, 0, 0},
};

const struct port_app_keyword *port_app_keyword(const char *name)
{
	for (const struct port_app_keyword *kw = port_app_keywords; kw->name; kw++)
		if (strcmp(kw->name, name) == 0)
			return kw;
	return NULL;
}
