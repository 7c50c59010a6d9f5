/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl headroom: calculates the headroom that PFC needs on a link (annex N), without dcbd;
 * headroom show prints that of dcbd's ports.
 *
 *   JSON        [{"inputs": {...}, "terms": [...], "groups": [...], "headroom": AMOUNT}]
 *   show, JSON  [{"ifIndex", "port", "way", "choice", "basis", "status", "inForce": AMOUNT,
 *                 "linkDelayAllowance": AMOUNT, "allowance": AMOUNT, "calculated": AMOUNT,
 *                 "missing": AMOUNT, "terms": [...], "groups": [...], "negotiation": {...},
 *                 "measurement": {...}}]
 *
 * AMOUNT is {"bits", "octets", "quanta"}.
 */
#include "agent/cli/headroom.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/cli/base/cli.h"
#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/base/table_rows.h"
#include "agent/cli/tlv_view.h"

/* --- options ------------------------------------------------------------------------ */

static const struct headroom_name mediums[] = {
    {"copper", PFC_MEDIUM_COPPER}, {"fibre", PFC_MEDIUM_FIBRE}, {NULL, 0}};
static const struct headroom_name phys[] = {
    {"10GBASE-T", PFC_PHY_10GBASE_T},
    {"10GBASE-R", PFC_PHY_10GBASE_R},
    {"10GBASE-LX4", PFC_PHY_10GBASE_LX4},
    {"10GBASE-CX4", PFC_PHY_10GBASE_CX4},
    {"25GBASE-R", PFC_PHY_25GBASE_R},
    {"40GBASE-R", PFC_PHY_40GBASE_R},
    {"50GBASE-R", PFC_PHY_50GBASE_R},
    {"100GBASE-R", PFC_PHY_100GBASE_R},
    {"200GBASE-R", PFC_PHY_200GBASE_R},
    {"400GBASE-R", PFC_PHY_400GBASE_R},
    {"worst", PFC_PHY_WORST},
    {"none", PFC_PHY_NONE},
    {NULL, 0},
};
static const struct headroom_name macsecs[] = {
    {"none", PFC_MACSEC_NONE}, {"data", PFC_MACSEC_DATA}, {"all", PFC_MACSEC_ALL}, {NULL, 0}};
static const struct headroom_name editions[] = {
    {"qdt", PFC_EDITION_QDT}, {"2018", PFC_EDITION_2018}, {NULL, 0}};

#define FRAME_MIN PFC_HEADROOM_FRAME_MIN_OCTETS
#define FRAME_MAX PFC_HEADROOM_FRAME_MAX_OCTETS
#define NS_MAX    PFC_HEADROOM_DELAY_MAX_NS

/* A round trip of a second at the highest speed has more quanta than a number of 32 bits. */
#define MEASURED_MAX UINT32_MAX

/* One row per option: the parser, the JSON output and the tests are derived from it. */
/* clang-format off */
#define OPTION_ROWS(ROW)                                                                           \
	ROW(SPEED,           "speed",           RATE,   speed_bps,        "bit/s",  0, 0, NULL)        \
	ROW(FRAME,           "frame",           NUMBER, max_frame_octets, "octets", FRAME_MIN, FRAME_MAX, NULL) \
	ROW(MTU,             "mtu",             MTU,    max_frame_octets, "octets", 68, 1000000, NULL) \
	ROW(PFC_FRAME,       "pfc-frame",       NUMBER, pfc_frame_octets, "octets", FRAME_MIN, FRAME_MAX, NULL) \
	ROW(CABLE,           "cable",           NUMBER, cable_m,          "m",      0, PFC_HEADROOM_CABLE_MAX_M, NULL) \
	ROW(MEDIUM,          "medium",          NAME,   medium,           "",       0, 0, mediums)     \
	ROW(LINK_DELAY,      "link-delay",      NUMBER, link_delay_ns,    "ns",     1, NS_MAX, NULL)   \
	ROW(PHY,             "phy",             NAME,   phy,              "",       0, 0, phys)        \
	ROW(INTERFACE_DELAY, "interface-delay", NUMBER, interface_ns,     "ns",     1, NS_MAX, NULL)   \
	ROW(CALCULATION,     "calculation",     NUMBER, calculation_ns,   "ns",     0, NS_MAX, NULL)   \
	ROW(INITIATION,      "initiation",      NUMBER, initiation_ns,    "ns",     1, NS_MAX, NULL)   \
	ROW(RECEPTION,       "reception",       NUMBER, reception_ns,     "ns",     0, NS_MAX, NULL)   \
	ROW(LOCAL_MBC,       "local-mbc",       FLAG,   local_mbc,        "",       0, 0, NULL)        \
	ROW(RESPONSE,        "response",        NUMBER, response_ns,      "ns",     1, NS_MAX, NULL)   \
	ROW(PEER_DELAY,      "peer-delay",      NUMBER, peer_delay_ns,    "ns",     1, NS_MAX, NULL)   \
	ROW(MEASURED,        "measured",        NUMBER, measured_quanta,  "quanta", 1, MEASURED_MAX, NULL) \
	ROW(PEER_MBC,        "peer-mbc",        FLAG,   peer_mbc,         "",       0, 0, NULL)        \
	ROW(MACSEC,          "macsec",          NAME,   macsec,           "",       0, 0, macsecs)     \
	ROW(SECY,            "secy",            NUMBER, secy_ns,          "ns",     1, NS_MAX, NULL)   \
	ROW(EDITION,         "edition",         NAME,   edition,          "",       0, 0, editions)

enum {
#define ROW(id, ...) OPT_##id,
	OPTION_ROWS(ROW)
#undef ROW
	OPTIONS
};
_Static_assert((unsigned)OPTIONS <= CLI_OPTIONS_MAX, "raise CLI_OPTIONS_MAX");

const size_t headroom_n_options = OPTIONS;
const struct headroom_option headroom_options[] = {
#define ROW(id, name, kind, field, unit, min, max, names)                                          \
	{name, HEADROOM_##kind, offsetof(struct pfc_headroom_input, field), unit, min, max, names},
    OPTION_ROWS(ROW)
#undef ROW
};

#define OPTION_BASE 0x200 /* greater than any letter and any common option, see cli.c */

const struct option cli_headroom_long_options[] = {
#define ROW(id, name, kind, ...)                                                                   \
	{name, HEADROOM_##kind == HEADROOM_FLAG ? no_argument : required_argument, NULL,           \
	 OPTION_BASE + OPT_##id},
    OPTION_ROWS(ROW)
#undef ROW
    {NULL, 0, NULL, 0},
};
/* clang-format on */

/* Pairs of options that set the same input: only one of them is accepted. */
static const uint8_t exclusive[][2] = {
    {OPT_FRAME, OPT_MTU},           {OPT_CABLE, OPT_LINK_DELAY},    {OPT_MEDIUM, OPT_LINK_DELAY},
    {OPT_PHY, OPT_INTERFACE_DELAY}, {OPT_RESPONSE, OPT_PEER_DELAY}, {OPT_PEER_MBC, OPT_PEER_DELAY},
    {OPT_PEER_DELAY, OPT_MEASURED},
};

bool cli_headroom_option(struct cli *cli, int c, const char *arg)
{
	cli->own_args[c - OPTION_BASE] = arg ? arg : "";
	return true;
}

_Static_assert(CLI_RATE_MAX_BPS == PFC_HEADROOM_SPEED_MAX_BPS, "the range in the error");

/* --- values ---------------------------------------------------------------------------- */

static bool print_expected(const struct headroom_option *option, const char *arg)
{
	char names[256] = "";
	size_t n = 0;

	for (const struct headroom_name *e = option->names; e && e->name; e++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", e->name);
	if (option->names)
		/* Messages: The argument of the option is not valid. Use a value as expected. */
		cli_fail("--%s: expected one of %s, not \"%s\"", option->name, names, arg);
	else if (option->kind == HEADROOM_RATE)
		cli_fail("--%s: expected a rate of 1 bit/s to 10T, such as 2.5G, not \"%s\"",
			 option->name, arg);
	else
		cli_fail("--%s: expected %" PRIu32 "..%" PRIu32 " %s, not \"%s\"", option->name,
			 option->min, option->max, option->unit, arg);
	return false;
}

static bool parse_number(const struct headroom_option *option, const char *text, uint32_t *value)
{
	uint64_t n = 0;

	if (!*text)
		return false;
	for (; isdigit((unsigned char)*text) && n <= UINT32_MAX; text++)
		n = 10 * n + (uint64_t)(*text - '0');
	*value = (uint32_t)n;
	return *text == '\0' && n >= option->min && n <= option->max;
}

static bool parse_name(const struct headroom_option *option, const char *text, uint8_t *value)
{
	for (const struct headroom_name *e = option->names; e->name; e++) {
		if (strcasecmp(e->name, text) == 0) {
			*value = e->value;
			return true;
		}
	}
	return false;
}

static bool take(const struct headroom_option *option, const char *arg,
		 struct pfc_headroom_input *in)
{
	void *field = (char *)in + option->offset;
	uint32_t mtu;
	bool good = true;

	switch (option->kind) {
	case HEADROOM_RATE:
		good = cli_parse_rate(arg, field);
		break;
	case HEADROOM_NUMBER:
		good = parse_number(option, arg, field);
		break;
	case HEADROOM_MTU:
		good = parse_number(option, arg, &mtu);
		if (good)
			in->max_frame_octets = pfc_headroom_frame_octets(mtu);
		break;
	case HEADROOM_NAME:
		good = parse_name(option, arg, field);
		break;
	case HEADROOM_FLAG:
		*(bool *)field = true;
		break;
	}
	return good || print_expected(option, arg);
}

static bool take_all(const char *const *args, struct pfc_headroom_input *in)
{
	for (size_t i = 0; i < sizeof(exclusive) / sizeof(exclusive[0]); i++) {
		if (args[exclusive[i][0]] && args[exclusive[i][1]]) {
			/* Message: One option replaces the other. Omit one. */
			cli_fail("--%s and --%s: expected one of them, not both",
				 headroom_options[exclusive[i][0]].name,
				 headroom_options[exclusive[i][1]].name);
			return false;
		}
	}
	for (size_t i = 0; i < OPTIONS; i++) {
		if (args[i] && !take(&headroom_options[i], args[i], in))
			return false;
	}
	return true;
}

/* Prints why the inputs, each of them valid, cannot be calculated with. Returns CLI_USAGE. */
static int print_error(enum pfc_headroom_error error, const char *const *args)
{
	if (error == PFC_HEADROOM_PHY_UNKNOWN)
		/*
		 * Message: Add `--phy worst` or `--phy none`, or the delay from the data sheet of
		 * the interface with `--interface-delay`.
		 */
		cli_fail(
		    "--speed %s: requires --phy or --interface-delay, because no PHY delay of "
		    "this speed is known; --phy worst is an upper bound for any speed",
		    args[OPT_SPEED]);
	else if (error == PFC_HEADROOM_PHY_SPEED)
		/* Message: Correct one of them, or use `--interface-delay` instead of `--phy`. */
		cli_fail("--phy %s: requires the --speed of its name, not %s", args[OPT_PHY],
			 args[OPT_SPEED]);
	else
		cli_fail("%s", pfc_headroom_strerror(error));
	return CLI_USAGE;
}

/* --- delays --------------------------------------------------------------------------------- */

/* A delay, the sum of a group, or another amount: a line of the text, and data of its cells. */
struct line {
	char item; /* 0: none */
	const char *group, *delay, *text, *source;
	int64_t bits, octets, quanta;
};

static struct line line(const char *group, const char *text, uint64_t bits)
{
	return (struct line){.group = group,
			     .text = text,
			     .source = "",
			     .bits = (int64_t)bits,
			     .octets = (int64_t)pfc_bits_to_octets(bits),
			     .quanta = (int64_t)pfc_bits_to_quanta(bits)};
}

static json_t *item(struct table_rows_at at)
{
	const struct line *l = at.data;

	return json_stringn(&l->item, l->item != 0);
}

/* clang-format off */
#define STRING(field) TABLE_ROWS_STRING(struct line, field)
#define GROUP_COLUMN {.key = "group", .heading = "group", STRING(group)}
#define NUMBER_COLUMN(field) \
	{.key = #field, .heading = #field, .right = true, TABLE_ROWS_INTEGER(struct line, field)}
#define AMOUNT_COLUMNS NUMBER_COLUMN(bits), NUMBER_COLUMN(octets), NUMBER_COLUMN(quanta), {0}
/* clang-format on */

/* The lines of the text have the columns of a delay. */
static const struct table_rows_column delay_columns[] = {
    {.key = "item", .heading = "item", .value = item},
    GROUP_COLUMN,
    {.key = "delay", STRING(delay)},
    {.heading = "delay", STRING(text)},
    {.key = "source", .heading = "source", STRING(source)},
    AMOUNT_COLUMNS,
};
static const struct table_rows_column group_columns[] = {GROUP_COLUMN, AMOUNT_COLUMNS};
static const struct table_rows_column amount_columns[] = {AMOUNT_COLUMNS};

static json_t *line_json(const struct table_rows_column *columns, struct line l)
{
	return table_rows_object((struct table_rows_at){.data = &l}, columns);
}

static json_t *amount_json(uint64_t bits)
{
	return line_json(amount_columns, line(NULL, NULL, bits));
}

static void add_line(struct text_table *g, struct line l)
{
	table_rows_cells(g, (struct table_rows_at){.data = &l}, delay_columns);
}

static struct line delay_line(const struct pfc_headroom *sum, unsigned term)
{
	/* Names of enum pfc_source. */
	static const char *const sources[] = {"",         "standard", "configured",
					      "neighbor", "ptp",      "measured"};
	const struct pfc_term_info *info = pfc_term_info((enum pfc_term)term);
	struct line l = line(pfc_delay_group_token((enum pfc_delay_group)info->group), info->text,
			     sum->term[term]);

	l.item = info->item;
	l.delay = info->token;
	if (sum->source[term] < sizeof(sources) / sizeof(sources[0]))
		l.source = sources[sum->source[term]];
	return l;
}

static struct line group_line(const struct pfc_headroom *sum, unsigned group)
{
	static const char *const texts[PFC_DELAY_GROUPS] = {
	    "worst-case delay", "internal processing delay", "link delay"};

	return line(pfc_delay_group_token((enum pfc_delay_group)group), texts[group],
		    sum->group[group]);
}

/* Text output leaves out the delays of SecYs (MACsec) that are 0, and a round trip of 0. */
static bool is_shown(const struct pfc_headroom *sum, enum pfc_term term)
{
	switch (term) {
	case PFC_TERM_LOCAL_PFC_SECY:
	case PFC_TERM_LOCAL_FRAME_SECY:
	case PFC_TERM_PEER_PFC_SECY:
	case PFC_TERM_PEER_FRAME_SECY:
	case PFC_TERM_ROUND_TRIP:
		return sum->term[term] > 0;
	default:
		return true;
	}
}

static void add_delays(struct text_table *g, const struct pfc_headroom *sum)
{
	table_rows_headings(g, delay_columns);
	for (unsigned i = 0; i < PFC_TERMS; i++)
		if (is_shown(sum, (enum pfc_term)i))
			add_line(g, delay_line(sum, i));
	for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++)
		add_line(g, group_line(sum, i));
}

/*
 * The delays of a row of dcbPfcHeadroomTable, as if they had been calculated here, or data of what
 * has been.
 */
static struct pfc_headroom sum_of(struct table_rows_at at)
{
	struct pfc_headroom sum = {.total = 0};

	if (!at.sub)
		return *(const struct pfc_headroom *)at.data;
	sum.group[PFC_DELAY_WORST_CASE] =
	    (uint64_t)table_rows_num(at, MO_NAME(dcbPfcHeadroomWorstCase));
	sum.group[PFC_DELAY_INTERNAL] =
	    (uint64_t)table_rows_num(at, MO_NAME(dcbPfcHeadroomInternal));
	sum.group[PFC_DELAY_LINK] = (uint64_t)table_rows_num(at, MO_NAME(dcbPfcHeadroomLink));
	for (uint32_t i = 0; i < PFC_TERMS; i++) {
		struct table_rows_at term = table_rows_find(at.all, MO_pfc_headroom_term, 2,
							    (uint32_t[]){at.sub[0], i + 1});

		sum.term[i] = (uint64_t)table_rows_num(term, MO_NAME(dcbPfcHeadroomTermBits));
		sum.source[i] = (uint8_t)table_rows_num(term, MO_NAME(dcbPfcHeadroomTermSource));
	}
	return sum;
}

static json_t *lines_json(struct table_rows_at at, const struct table_rows_column *columns,
			  unsigned n,
			  struct line (*line_of)(const struct pfc_headroom *sum, unsigned i))
{
	struct pfc_headroom sum = sum_of(at);
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < n; i++)
		out_json_append(a, line_json(columns, line_of(&sum, i)));
	return a;
}

static json_t *terms(struct table_rows_at at)
{
	return lines_json(at, delay_columns, PFC_TERMS, delay_line);
}

static json_t *groups(struct table_rows_at at)
{
	return lines_json(at, group_columns, PFC_DELAY_GROUPS, group_line);
}

/* --- output of a calculation ---------------------------------------------------------------- */

/* null for an option that was not given and has no default. */
static json_t *input_value(const struct headroom_option *option,
			   const struct pfc_headroom_input *in)
{
	const char *field = (const char *)in + option->offset;
	uint64_t n = 0;
	uint32_t number;

	switch (option->kind) {
	case HEADROOM_NAME:
		for (const struct headroom_name *e = option->names; e->name; e++)
			if (e->value == *(const uint8_t *)field)
				return json_string(e->name);
		return json_null();
	case HEADROOM_FLAG:
		return json_boolean(*(const bool *)field);
	case HEADROOM_RATE:
		memcpy(&n, field, sizeof(n));
		break;
	default:
		memcpy(&number, field, sizeof(number));
		n = number;
		break;
	}
	/* 0 outside of the range: not given, the standard's value is used */
	return n < option->min ? json_null() : json_integer((json_int_t)n);
}

static json_t *inputs(const struct pfc_headroom_input *in)
{
	json_t *o = out_alloc_check(json_object());

	for (size_t i = 0; i < headroom_n_options; i++) {
		if (headroom_options[i].kind != HEADROOM_MTU)
			out_json_put(o, headroom_options[i].name,
				     input_value(&headroom_options[i], in));
	}
	return o;
}

static void headroom_write_text(FILE *f, const struct pfc_headroom *sum)
{
	struct text_table g = {0};

	add_delays(&g, sum);
	add_line(&g, line("", "headroom", sum->total));
	table_rows_print(&g, f, NULL);
}

static void headroom_write_json(FILE *f, const struct pfc_headroom_input *in,
				const struct pfc_headroom *sum)
{
	json_t *all = out_alloc_check(json_array()), *o = out_alloc_check(json_object());
	struct table_rows_at at = {.data = sum};

	out_json_put(o, "inputs", inputs(in));
	out_json_put(o, "terms", terms(at));
	out_json_put(o, "groups", groups(at));
	out_json_put(o, "headroom", amount_json(sum->total));
	out_json_append(all, o);
	out_json_write(all, f);
}

/* --- headroom of dcbd's ports ------------------------------------------------------------- */

/* Returns whether the calculation uses the measured round trip: 36.8. */
static bool uses_round_trip(struct table_rows_at at)
{
	struct table_rows_at term = table_rows_find(
	    at.all, MO_pfc_headroom_term, 2, (uint32_t[]){at.sub[0], PFC_TERM_ROUND_TRIP + 1});

	return table_rows_num(term, MO_NAME(dcbPfcHeadroomTermBits)) > 0;
}

static json_t *in_use(struct table_rows_at at)
{
	return json_boolean(uses_round_trip(at));
}

static bool is_measured(struct table_rows_at at)
{
	return table_rows_num(at, MO_NAME(dcbPfcMeasureCount)) > 0;
}

/* clang-format off */
/* Quanta, milliseconds or round trips; null for 0, which stands for none. */
#define MEASURED(name, of) {.key = name, .value = table_rows_nonzero, .object = MO_NAME(of)}
/* clang-format on */
static const struct table_rows_column measurement_columns[] = {
    {.key = "enable", .object = MO_NAME(dcbPfcMeasureEnable)},
    MEASURED("result", dcbPfcMeasureInForce),
    {.key = "inUse", .value = in_use},
    {.key = "count", .object = MO_NAME(dcbPfcMeasureCount)},
    MEASURED("average", dcbPfcMeasureAverage),
    MEASURED("shortest", dcbPfcMeasureShortest),
    MEASURED("median", dcbPfcMeasureMedian),
    MEASURED("longest", dcbPfcMeasureLongest),
    MEASURED("last", dcbPfcMeasureLast),
    {.key = "age_ms", .object = MO_NAME(dcbPfcMeasureAge), .has = is_measured},
    {.key = "timestamps", .object = MO_NAME(dcbPfcMeasureTimestamps)},
    {.key = "measuring", .object = MO_NAME(dcbPfcMeasureMeasuring)},
    {0},
};

static uint64_t amount_of(struct table_rows_at at)
{
	return (uint64_t)table_rows_num(table_rows_members(at), at.col->object);
}

static json_t *amount(struct table_rows_at at)
{
	return amount_json(amount_of(at));
}

/* The object has octets. */
static json_t *missing(struct table_rows_at at)
{
	return amount_json(8 * amount_of(at));
}

/* Amounts are lines of the text, in reverse order. */
static const struct table_rows_column headroom_columns[] = {
    TABLE_ROWS_PORT,
    {.key = "way", .object = MO_NAME(dcbPfcHeadroomWay)},
    {.key = "choice", .object = MO_NAME(dcbPfcHeadroomChoice)},
    {.key = "basis", .object = MO_NAME(dcbPfcHeadroomBasis)},
    {.key = "status", .object = MO_NAME(dcbPfcHeadroomStatus)},
    {.key = "inForce",
     .heading = "in force",
     .value = amount,
     .object = MO_NAME(dcbPfcHeadroomInForce)},
    {.key = "linkDelayAllowance",
     .heading = "link delay allowance",
     .value = amount,
     .object = MO_NAME(ieee8021PfcLinkDelayAllowance),
     .table = MO_pfc_if,
     .arg = 1},
    {.key = "allowance",
     .heading = "allowance",
     .value = amount,
     .object = MO_NAME(dcbPfcHeadroomAllowance)},
    {.key = "calculated",
     .heading = "calculated",
     .value = amount,
     .object = MO_NAME(dcbPfcHeadroomCalculated)},
    {.key = "missing", .value = missing, .object = MO_NAME(dcbPfcHeadroomMissing)},
    {.key = "terms", .value = terms},
    {.key = "groups", .value = groups},
    {.key = "negotiation", .members = tlv_way_columns, .table = MO_pfc_way, .arg = 1},
    {.key = "measurement", .members = measurement_columns, .table = MO_pfc_measure, .arg = 1},
    {0},
};

/* "measured: both ends support it (sent: measurement; received: measurement)" */
static void write_way(FILE *f, struct table_rows_at way)
{
	static const char *const keys[] = {"inForce", "why", "sent", "theirs"};
	char texts[4][TABLE_ROWS_CELL_OCTETS];

	if (!way.sub)
		return;
	for (size_t i = 0; i < 4; i++)
		table_rows_cell(way, tlv_way_columns, keys[i], texts[i]);
	fprintf(f, "way %s: %s (sent: %s; received: %s)\n", texts[0], texts[1], texts[2], texts[3]);
}

static void write_round_trips(FILE *f, struct table_rows_at m)
{
	int64_t count = table_rows_num(m, MO_NAME(dcbPfcMeasureCount));
	int64_t age = table_rows_num(m, MO_NAME(dcbPfcMeasureAge));

	if (count == 0) {
		fputs("; no round trip", f);
		return;
	}
	fprintf(f,
		"; average %" PRId64 " of %" PRId64 " round trips, the last %" PRId64 ".%03" PRId64
		" s ago",
		table_rows_num(m, MO_NAME(dcbPfcMeasureAverage)), count, age / 1000, age % 1000);
	/* None since the link came up: the average is older. */
	if (table_rows_num(m, MO_NAME(dcbPfcMeasureLongest)) == 0)
		return;
	fprintf(f, "; shortest %" PRId64 ", median %" PRId64 ", longest %" PRId64,
		table_rows_num(m, MO_NAME(dcbPfcMeasureShortest)),
		table_rows_num(m, MO_NAME(dcbPfcMeasureMedian)),
		table_rows_num(m, MO_NAME(dcbPfcMeasureLongest)));
}

/* "measurement agreed: 104 quanta in use; average 98 of 12 round trips, ...; timestamps kernel" */
static void write_measurement(FILE *f, struct table_rows_at m)
{
	int64_t result;

	if (!m.sub)
		return;
	result = table_rows_num(m, MO_NAME(dcbPfcMeasureInForce));
	fprintf(f, "measurement %s: ", table_rows_name(m, MO_NAME(dcbPfcMeasureEnable)));
	if (result)
		fprintf(f, "%" PRId64 " quanta%s", result,
			uses_round_trip(m) ? " in use" : ", not in use");
	else
		fputs("no result", f);
	write_round_trips(f, m);
	fprintf(f, "; timestamps %s\n", table_rows_name(m, MO_NAME(dcbPfcMeasureTimestamps)));
}

static void write_headroom(struct table_rows_at at, FILE *f)
{
	int64_t octets = table_rows_num(at, MO_NAME(dcbPfcHeadroomMissing));
	struct pfc_headroom sum = sum_of(at);
	char name[TABLE_ROWS_PORT_OCTETS];
	struct text_table g = {0};

	fprintf(f, "%s%s: way %s, choice %s, in force %s, status %s\n", at.row ? "\n" : "",
		table_rows_port_name(&at.all->ports, at.sub[0], name),
		table_rows_name(at, MO_NAME(dcbPfcHeadroomWay)),
		table_rows_name(at, MO_NAME(dcbPfcHeadroomChoice)),
		table_rows_name(at, MO_NAME(dcbPfcHeadroomBasis)),
		table_rows_name(at, MO_NAME(dcbPfcHeadroomStatus)));
	write_way(f, table_rows_find(at.all, MO_pfc_way, 1, at.sub));
	write_measurement(f, table_rows_find(at.all, MO_pfc_measure, 1, at.sub));
	add_delays(&g, &sum);
	for (size_t i = sizeof(headroom_columns) / sizeof(headroom_columns[0]); i > 0; i--) {
		at.col = &headroom_columns[i - 1];
		if (at.col->value == amount)
			add_line(&g, line("", at.col->heading, amount_of(at)));
	}
	if (octets)
		add_line(&g, line("", "missing", 8 * (uint64_t)octets));
	table_rows_print(&g, f, NULL);
}

static void write_text(const struct table_rows_all *all, FILE *f)
{
	TABLE_ROWS_EACH (at, all, MO_pfc_headroom, 0, NULL)
		write_headroom(at, f);
}

static const struct table_rows_command show = {
    .tables = (const enum mo_table_id[]){MO_port, MO_pfc_headroom, MO_pfc_headroom_term, MO_pfc_if,
					 MO_pfc_way, MO_pfc_measure, MO_TABLES},
    .ports = MO_port,
    .text = write_text,
    .rows = MO_pfc_headroom,
    .columns = headroom_columns,
};

/* --- the command ---------------------------------------------------------------------------- */

/* Options are for a calculation, not for what dcbd has calculated. */
static bool has_options(const struct cli *cli)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (cli->own_args[i])
			return true;
	return false;
}

int cmd_headroom(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct pfc_headroom_input in;
	struct pfc_headroom sum;
	enum pfc_headroom_error error;

	if (argc > 0 && has_options(cli))
		return cli_usage(self);
	/* "show dev PORT" and words of settings, as the other commands for ports. */
	if (argc > 0 && (strcmp(argv[0], "set") == 0 || (argc > 1 && strcmp(argv[1], "dev") == 0)))
		return cmd_port(cli, self, argc, argv);
	if (argc > 0 && strcmp(argv[0], "show") == 0)
		return table_rows_command(cli, &show, argc - 1, argv + 1);
	if (argc > 0)
		return cli_usage(self);
	if (!cli->own_args[OPT_SPEED])
		cli->own_args[OPT_SPEED] = "10G";
	pfc_headroom_input_init(&in, 0);
	if (!take_all(cli->own_args, &in))
		return CLI_USAGE;
	error = pfc_headroom_calculate(&in, &sum);
	if (error != PFC_HEADROOM_OK)
		return print_error(error, cli->own_args);
	if (cli->json)
		headroom_write_json(cli->out, &in, &sum);
	else
		headroom_write_text(cli->out, &sum);
	return CLI_OK;
}
