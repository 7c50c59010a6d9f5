/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl headroom: calculates the headroom that PFC needs on a link (annex N), without dcbd;
 * headroom show prints that of dcbd's ports.
 *
 *   JSON        [{"inputs": {...}, "terms": [...], "groups": [...], "headroom": AMOUNT}]
 *   show, JSON  [{"ifIndex", "port", "way", "choice", "basis", "status", "inForce": AMOUNT,
 *                 "linkDelayAllowance": AMOUNT, "allowance": AMOUNT, "calculated": AMOUNT,
 *                 "terms": [...], "groups": [...], "negotiation": {...}, "measurement": {...}}]
 *
 * AMOUNT is {"bits", "octets", "quanta"}.
 */
#include "agent/cli/headroom.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/cli/cli.h"
#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/out_json.h"
#include "agent/cli/rowset.h"
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

/* --- values of the inputs ------------------------------------------------------------------ */

/*
 * The value of an option in *in. The name is NULL if the option was not given
 * and has no default.
 */
static const char *headroom_name_of(const struct headroom_option *option,
				    const struct pfc_headroom_input *in)
{
	uint8_t value = *((const uint8_t *)in + option->offset);

	for (const struct headroom_name *e = option->names; e && e->name; e++) {
		if (e->value == value)
			return e->name;
	}
	return NULL;
}

static uint64_t headroom_number_of(const struct headroom_option *option,
				   const struct pfc_headroom_input *in)
{
	const char *field = (const char *)in + option->offset;
	uint64_t rate;
	uint32_t number;

	if (option->kind == HEADROOM_FLAG)
		return *(const bool *)field;
	if (option->kind == HEADROOM_RATE) {
		memcpy(&rate, field, sizeof(rate));
		return rate;
	}
	memcpy(&number, field, sizeof(number));
	return number;
}

static const char *const group_texts[PFC_DELAY_GROUPS] = {
    "worst-case delay", "internal processing delay", "link delay"};

/* Returns the name of an enum pfc_source; "" for no valid one. */
static const char *headroom_source(uint8_t source)
{
	static const char *const tokens[] = {"",         "standard", "configured",
					     "neighbor", "ptp",      "measured"};

	return source < sizeof(tokens) / sizeof(tokens[0]) ? tokens[source] : "";
}

/* --- text ------------------------------------------------------------------------------ */

static void add_number(struct grid *g, uint64_t n)
{
	char cell[24];

	snprintf(cell, sizeof(cell), "%" PRIu64, n);
	grid_cell(g, cell);
}

static void add_columns(struct grid *g)
{
	grid_column(g, "item", false);
	grid_column(g, "group", false);
	grid_column(g, "delay", false);
	grid_column(g, "source", false);
	grid_column(g, "bits", true);
	grid_column(g, "octets", true);
	grid_column(g, "quanta", true);
}

static void add_row(struct grid *g, const char *item, const char *group, const char *text,
		    const char *source, uint64_t bits)
{
	grid_cell(g, item);
	grid_cell(g, group);
	grid_cell(g, text);
	grid_cell(g, source);
	add_number(g, bits);
	add_number(g, pfc_bits_to_octets(bits));
	add_number(g, pfc_bits_to_quanta(bits));
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

static void add_terms(struct grid *g, const struct pfc_headroom *sum)
{
	for (unsigned i = 0; i < PFC_TERMS; i++) {
		const struct pfc_term_info *info = pfc_term_info((enum pfc_term)i);
		const char item[] = {info->item, '\0'};

		if (is_shown(sum, (enum pfc_term)i))
			add_row(g, item, pfc_delay_group_token((enum pfc_delay_group)info->group),
				info->text, headroom_source(sum->source[i]), sum->term[i]);
	}
	for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++)
		add_row(g, "", pfc_delay_group_token((enum pfc_delay_group)i), group_texts[i], "",
			sum->group[i]);
}

static void headroom_write_text(FILE *f, const struct pfc_headroom_input *in,
				const struct pfc_headroom *sum)
{
	struct grid g = {0};

	(void)in;
	add_columns(&g);
	add_terms(&g, sum);
	add_row(&g, "", "", "headroom", "", sum->total);
	grid_print(&g, f);
	grid_clear(&g);
}

/* --- JSON ------------------------------------------------------------------------------- */

static json_t *put_amount(json_t *o, uint64_t bits)
{
	out_json_put(o, "bits", json_integer((json_int_t)bits));
	out_json_put(o, "octets", json_integer((json_int_t)pfc_bits_to_octets(bits)));
	out_json_put(o, "quanta", json_integer((json_int_t)pfc_bits_to_quanta(bits)));
	return o;
}

static json_t *input_value(const struct headroom_option *option,
			   const struct pfc_headroom_input *in)
{
	uint64_t n;
	const char *name;

	if (option->kind == HEADROOM_NAME) {
		name = headroom_name_of(option, in);
		return name ? json_string(name) : json_null();
	}
	n = headroom_number_of(option, in);
	if (option->kind == HEADROOM_FLAG)
		return json_boolean(n);
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

static json_t *terms(const struct pfc_headroom *sum)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < PFC_TERMS; i++) {
		const struct pfc_term_info *info = pfc_term_info((enum pfc_term)i);
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "item", json_stringn(&info->item, 1));
		out_json_put(o, "group",
			     json_string(pfc_delay_group_token((enum pfc_delay_group)info->group)));
		out_json_put(o, "delay", json_string(info->token));
		out_json_put(o, "source", json_string(headroom_source(sum->source[i])));
		out_json_append(a, put_amount(o, sum->term[i]));
	}
	return a;
}

static json_t *groups(const struct pfc_headroom *sum)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++) {
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "group",
			     json_string(pfc_delay_group_token((enum pfc_delay_group)i)));
		out_json_append(a, put_amount(o, sum->group[i]));
	}
	return a;
}

static void headroom_write_json(FILE *f, const struct pfc_headroom_input *in,
				const struct pfc_headroom *sum)
{
	json_t *all = out_alloc_check(json_array()), *o = out_alloc_check(json_object());

	out_json_put(o, "inputs", inputs(in));
	out_json_put(o, "terms", terms(sum));
	out_json_put(o, "groups", groups(sum));
	out_json_put(o, "headroom", put_amount(out_alloc_check(json_object()), sum->total));
	out_json_append(all, o);
	out_json_write(all, f);
}

/* --- headroom of dcbd's ports ------------------------------------------------------------- */

struct show {
	struct cli *cli;
	struct rowset_ports ports;
	struct rowset port, headroom, term, pfc_if, way, measure;
};

static uint64_t number_of(const struct rowset *set, uint32_t ifindex, const char *object)
{
	return (uint64_t)rowset_num(set, rowset_find(set, 1, &ifindex), object);
}

/* The delays of a row of dcbPfcHeadroomTable, as if they had been calculated here. */
static struct pfc_headroom headroom_of(const struct show *s, uint32_t ifindex)
{
	struct pfc_headroom sum = {
	    .group = {number_of(&s->headroom, ifindex, MO_NAME(dcbPfcHeadroomWorstCase)),
		      number_of(&s->headroom, ifindex, MO_NAME(dcbPfcHeadroomInternal)),
		      number_of(&s->headroom, ifindex, MO_NAME(dcbPfcHeadroomLink))},
	    .total = number_of(&s->headroom, ifindex, MO_NAME(dcbPfcHeadroomCalculated)),
	};

	for (uint32_t i = 0; i < PFC_TERMS; i++) {
		size_t row = rowset_find(&s->term, 2, (uint32_t[]){ifindex, i + 1});

		if (!rowset_has(&s->term, row, 2, (uint32_t[]){ifindex, i + 1}))
			continue;
		sum.term[i] = (uint64_t)rowset_num(&s->term, row, MO_NAME(dcbPfcHeadroomTermBits));
		sum.source[i] =
		    (uint8_t)rowset_num(&s->term, row, MO_NAME(dcbPfcHeadroomTermSource));
	}
	return sum;
}

/* The row of a table that has one for each port with PFC. */
struct port_row {
	const struct rowset *set;
	size_t row;
	bool exists;
};

static struct port_row row_of(const struct rowset *set, uint32_t ifindex)
{
	size_t row = rowset_find(set, 1, &ifindex);

	return (struct port_row){set, row, rowset_has(set, row, 1, &ifindex)};
}

static int64_t measure_num(const struct port_row *m, const char *object)
{
	return rowset_num(m->set, m->row, object);
}

/* Returns whether the calculation uses the measured round trip: 36.8. */
static bool uses_round_trip(const struct pfc_headroom *sum)
{
	return sum->term[PFC_TERM_ROUND_TRIP] > 0;
}

/* "measured: both ends support it (sent: measurement; received: measurement)" */
static void write_way(FILE *f, const struct port_row *way)
{
	char in_use[TLV_TEXT_OCTETS], why[TLV_TEXT_OCTETS];
	char sent[TLV_TEXT_OCTETS], received[TLV_TEXT_OCTETS];

	if (!way->exists)
		return;
	tlv_way_text(way->set, way->row, TLV_WAY_IN_USE, in_use);
	tlv_way_text(way->set, way->row, TLV_WAY_WHY, why);
	tlv_way_text(way->set, way->row, TLV_WAY_SENT, sent);
	tlv_way_text(way->set, way->row, TLV_WAY_RECEIVED, received);
	fprintf(f, "way %s: %s (sent: %s; received: %s)\n", in_use, why, sent, received);
}

static void write_round_trips(FILE *f, const struct port_row *m)
{
	int64_t count = measure_num(m, MO_NAME(dcbPfcMeasureCount));
	int64_t age = measure_num(m, MO_NAME(dcbPfcMeasureAge));

	if (count == 0) {
		fputs("; no round trip", f);
		return;
	}
	fprintf(f,
		"; average %" PRId64 " of %" PRId64 " round trips, the last %" PRId64 ".%03" PRId64
		" s ago",
		measure_num(m, MO_NAME(dcbPfcMeasureAverage)), count, age / 1000, age % 1000);
	/* None since the link came up: the average is older. */
	if (measure_num(m, MO_NAME(dcbPfcMeasureLongest)) == 0)
		return;
	fprintf(f, "; shortest %" PRId64 ", median %" PRId64 ", longest %" PRId64,
		measure_num(m, MO_NAME(dcbPfcMeasureShortest)),
		measure_num(m, MO_NAME(dcbPfcMeasureMedian)),
		measure_num(m, MO_NAME(dcbPfcMeasureLongest)));
}

/* "measurement agreed: 104 quanta in use; average 98 of 12 round trips, ...; timestamps kernel" */
static void write_measurement(FILE *f, const struct port_row *m, bool is_used)
{
	int64_t result;

	if (!m->exists)
		return;
	result = measure_num(m, MO_NAME(dcbPfcMeasureInForce));
	fprintf(f, "measurement %s: ", rowset_name(m->set, m->row, MO_NAME(dcbPfcMeasureEnable)));
	if (result)
		fprintf(f, "%" PRId64 " quanta%s", result, is_used ? " in use" : ", not in use");
	else
		fputs("no result", f);
	write_round_trips(f, m);
	fprintf(f, "; timestamps %s\n",
		rowset_name(m->set, m->row, MO_NAME(dcbPfcMeasureTimestamps)));
}

static void show_text(const struct show *s, size_t row)
{
	const struct rowset *t = &s->headroom;
	uint32_t ifindex = t->rows[row].index.sub[0];
	struct pfc_headroom sum = headroom_of(s, ifindex);
	char name[ROWSET_PORT_OCTETS];
	FILE *f = s->cli->out;
	struct port_row way = row_of(&s->way, ifindex), measure = row_of(&s->measure, ifindex);
	struct grid g = {0};

	fprintf(f, "%s%s: way %s, choice %s, in force %s, status %s\n", row ? "\n" : "",
		rowset_port_name(&s->ports, ifindex, name),
		rowset_name(t, row, MO_NAME(dcbPfcHeadroomWay)),
		rowset_name(t, row, MO_NAME(dcbPfcHeadroomChoice)),
		rowset_name(t, row, MO_NAME(dcbPfcHeadroomBasis)),
		rowset_name(t, row, MO_NAME(dcbPfcHeadroomStatus)));
	write_way(f, &way);
	write_measurement(f, &measure, uses_round_trip(&sum));
	add_columns(&g);
	add_terms(&g, &sum);
	add_row(&g, "", "", "calculated", "", sum.total);
	add_row(&g, "", "", "allowance", "",
		number_of(t, ifindex, MO_NAME(dcbPfcHeadroomAllowance)));
	add_row(&g, "", "", "link delay allowance", "",
		number_of(&s->pfc_if, ifindex, MO_NAME(ieee8021PfcLinkDelayAllowance)));
	add_row(&g, "", "", "in force", "", number_of(t, ifindex, MO_NAME(dcbPfcHeadroomInForce)));
	grid_print(&g, f);
	grid_clear(&g);
}

static void put_name(json_t *o, const char *key, const struct rowset *t, size_t row,
		     const char *object)
{
	out_json_put(o, key, json_string(rowset_name(t, row, object)));
}

static void put_bits(json_t *o, const char *key, uint64_t bits)
{
	out_json_put(o, key, put_amount(out_alloc_check(json_object()), bits));
}

/* Quanta, milliseconds or round trips; null for 0, which stands for none. */
static void put_measured(json_t *o, const char *key, const struct port_row *m, const char *object)
{
	int64_t n = measure_num(m, object);

	out_json_put(o, key, n ? json_integer(n) : json_null());
}

static json_t *measurement_json(const struct port_row *m, bool is_used)
{
	json_t *o = out_alloc_check(json_object());
	bool any = measure_num(m, MO_NAME(dcbPfcMeasureCount)) > 0;

	put_name(o, "enable", m->set, m->row, MO_NAME(dcbPfcMeasureEnable));
	put_measured(o, "result", m, MO_NAME(dcbPfcMeasureInForce));
	out_json_put(o, "inUse", json_boolean(is_used));
	out_json_put(o, "count", json_integer(measure_num(m, MO_NAME(dcbPfcMeasureCount))));
	put_measured(o, "average", m, MO_NAME(dcbPfcMeasureAverage));
	put_measured(o, "shortest", m, MO_NAME(dcbPfcMeasureShortest));
	put_measured(o, "median", m, MO_NAME(dcbPfcMeasureMedian));
	put_measured(o, "longest", m, MO_NAME(dcbPfcMeasureLongest));
	put_measured(o, "last", m, MO_NAME(dcbPfcMeasureLast));
	out_json_put(o, "age_ms",
		     any ? json_integer(measure_num(m, MO_NAME(dcbPfcMeasureAge))) : json_null());
	put_name(o, "timestamps", m->set, m->row, MO_NAME(dcbPfcMeasureTimestamps));
	out_json_put(o, "measuring",
		     json_boolean(rowset_truth(m->set, m->row, MO_NAME(dcbPfcMeasureMeasuring))));
	return o;
}

static json_t *show_json(const struct show *s, size_t row)
{
	const struct rowset *t = &s->headroom;
	uint32_t ifindex = t->rows[row].index.sub[0];
	struct pfc_headroom sum = headroom_of(s, ifindex);
	struct port_row way = row_of(&s->way, ifindex), measure = row_of(&s->measure, ifindex);
	json_t *o = out_json_port(&s->ports, ifindex);

	put_name(o, "way", t, row, MO_NAME(dcbPfcHeadroomWay));
	put_name(o, "choice", t, row, MO_NAME(dcbPfcHeadroomChoice));
	put_name(o, "basis", t, row, MO_NAME(dcbPfcHeadroomBasis));
	put_name(o, "status", t, row, MO_NAME(dcbPfcHeadroomStatus));
	put_bits(o, "inForce", number_of(t, ifindex, MO_NAME(dcbPfcHeadroomInForce)));
	put_bits(o, "linkDelayAllowance",
		 number_of(&s->pfc_if, ifindex, MO_NAME(ieee8021PfcLinkDelayAllowance)));
	put_bits(o, "allowance", number_of(t, ifindex, MO_NAME(dcbPfcHeadroomAllowance)));
	put_bits(o, "calculated", sum.total);
	out_json_put(o, "terms", terms(&sum));
	out_json_put(o, "groups", groups(&sum));
	out_json_put(o, "negotiation", way.exists ? tlv_way_json(way.set, way.row) : json_null());
	out_json_put(o, "measurement",
		     measure.exists ? measurement_json(&measure, uses_round_trip(&sum))
				    : json_null());
	return o;
}

static void show_all(const struct show *s)
{
	json_t *all;

	if (!s->cli->json) {
		for (size_t row = 0; row < s->headroom.n; row++)
			show_text(s, row);
		return;
	}
	all = out_alloc_check(json_array());
	for (size_t row = 0; row < s->headroom.n; row++)
		out_json_append(all, show_json(s, row));
	out_json_write(all, s->cli->out);
}

static bool show_fetch(struct show *s)
{
	return rowset_fetch(s->cli, MO_port, &s->ports, &s->port) &&
	       rowset_fetch(s->cli, MO_pfc_headroom, &s->ports, &s->headroom) &&
	       rowset_fetch(s->cli, MO_pfc_headroom_term, &s->ports, &s->term) &&
	       rowset_fetch(s->cli, MO_pfc_if, &s->ports, &s->pfc_if) &&
	       rowset_fetch(s->cli, MO_pfc_way, &s->ports, &s->way) &&
	       rowset_fetch(s->cli, MO_pfc_measure, &s->ports, &s->measure);
}

/*
 * dcbctl headroom show: prints the headroom of dcbd's ports, argv: all or these. Returns the
 * exit status.
 */
static int headroom_show(struct cli *cli, int argc, char **argv)
{
	struct show s = {.cli = cli};
	int rc = CLI_FAILED;

	if (!rowset_ports_parse(cli, &s.ports, argc, argv))
		return CLI_FAILED;
	if (show_fetch(&s) && rowset_ports_exist(&s.ports, &s.port)) {
		show_all(&s);
		rc = CLI_OK;
	}
	rowset_ports_free(&s.ports);
	return rc;
}

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
		return headroom_show(cli, argc - 1, argv + 1);
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
		headroom_write_text(cli->out, &in, &sum);
	return CLI_OK;
}
