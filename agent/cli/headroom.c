/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl headroom: calculates the headroom that PFC needs on a link (annex N), without dcbd;
 * headroom show prints that of dcbd's ports.
 */
#include "agent/cli/headroom.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/cli/cli.h"

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
		cli_fail(
		    "--speed %s: requires --phy or --interface-delay, because no PHY delay of "
		    "this speed is known; --phy worst is an upper bound for any speed",
		    args[OPT_SPEED]);
	else if (error == PFC_HEADROOM_PHY_SPEED)
		cli_fail("--phy %s: requires the --speed of its name, not %s", args[OPT_PHY],
			 args[OPT_SPEED]);
	else
		cli_fail("%s", pfc_headroom_strerror(error));
	return CLI_USAGE;
}

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

/* --- values of the inputs ------------------------------------------------------------------ */

const char *headroom_name_of(const struct headroom_option *option,
			     const struct pfc_headroom_input *in)
{
	uint8_t value = *((const uint8_t *)in + option->offset);

	for (const struct headroom_name *e = option->names; e && e->name; e++) {
		if (e->value == value)
			return e->name;
	}
	return NULL;
}

uint64_t headroom_number_of(const struct headroom_option *option,
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
