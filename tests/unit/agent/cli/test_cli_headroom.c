/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl headroom: options, text and JSON output, error messages. */
#include <string.h>

#include "agent/cli/headroom.h"
#include "tests/unit/cli_server.h"

/* Processes the options first, then the arguments, as main() does. */
static int with_options(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	const struct cli_command headroom = {.name = "headroom",
					     .args = "ARGS",
					     .run = cmd_headroom,
					     .long_options = cli_headroom_long_options,
					     .option = cli_headroom_option};
	char *words[16] = {(char[]){"dcbctl"}};
	int at;

	(void)self;
	for (int i = 0; i < argc && i < 14; i++)
		words[i + 1] = argv[i];
	at = cli_options(cli, &headroom, argc + 1, words);
	if (at < 0)
		return CLI_USAGE;
	return cmd_headroom(cli, &headroom, argc + 1 - at, words + at);
}

#define HEADROOM(...) run(with_options, false, (const char *const[]){__VA_ARGS__, NULL})

static json_t *headroom_json(const char *const *words)
{
	return expect_json(run(with_options, true, words));
}

static json_int_t sum_of(json_t *j)
{
	json_int_t bits, octets, quanta;
	json_error_t error;

	if (json_unpack_ex(j, &error, 0, "[{s:{s:I,s:I,s:I}}]", "headroom", "bits", &bits, "octets",
			   &octets, "quanta", &quanta) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(octets, pfc_bits_to_octets((uint64_t)bits));
	assert_int_equal(quanta, pfc_bits_to_quanta((uint64_t)bits));
	json_decref(j);
	return bits;
}
#define SUM(...) sum_of(headroom_json((const char *const[]){__VA_ARGS__, NULL}))

static void test_text_output(void **state)
{
	(void)state;
	expect_out(
	    HEADROOM("--phy", "10GBASE-T"),
	    "item  group  delay                          source        bits  octets  quanta\n"
	    "a     ID     calculating the buffer         standard         0       0       0\n"
	    "b     ID     initiating PFC                 standard       200      25       1\n"
	    "c     ID     our MAC and PHY, sending       standard     18944    2368      37\n"
	    "d     WD     our frame in progress          standard     16160    2020      32\n"
	    "e     ID     PFC frame                      standard       672      84       2\n"
	    "f     LD     link to the peer               configured    5556     695      11\n"
	    "g     ID     peer's MAC and PHY, receiving  standard     18944    2368      37\n"
	    "h     ID     peer's response                standard      6144     768      12\n"
	    "i     WD     peer's frame in progress       standard     16160    2020      32\n"
	    "i     ID     peer's MAC and PHY, sending    standard     18944    2368      37\n"
	    "j     LD     link from the peer             configured    5556     695      11\n"
	    "k     ID     our MAC and PHY, receiving     standard     18944    2368      37\n"
	    "      WD     worst-case delay                            32320    4040      64\n"
	    "      ID     internal processing delay                   82792   10349     162\n"
	    "      LD     link delay                                  11112    1389      22\n"
	    "             headroom                                   126224   15778     247\n");
}

/* Every option changes its input of the calculation. */
static void test_every_option_sets_its_input(void **state)
{
	(void)state;
	assert_int_equal(SUM("--macsec", "data"), 164944);
	assert_int_equal(SUM("--edition", "2018"), 126024);
	assert_int_equal(SUM("--edition=2018", "--macsec=data"), 145384);
	assert_int_equal(SUM("--speed", "10G", "--phy", "worst"), 126224);
	assert_int_equal(SUM("--speed", "10000M"), 126224);
	assert_int_equal(SUM("--speed", "0.01T"), 126224);
	assert_int_equal(SUM("--frame", "2001"), 126224 + 2 * 8);
	assert_int_equal(SUM("--mtu", "1974"), 126224);
	assert_int_equal(SUM("--pfc-frame", "65"), 126224 + 8);
	assert_int_equal(SUM("--cable", "0"), 126224 - 2 * 5556);
	assert_int_equal(SUM("--medium", "Fibre"), 126224 - 2 * 556);
	assert_int_equal(SUM("--link-delay", "1000"), 126224 + 2 * (10000 - 5556));
	assert_int_equal(SUM("--phy", "none"), 126224 - 4 * 18944);
	assert_int_equal(SUM("--interface-delay", "100"), 126224 + 2 * (1000 - 2 * 18944));
	assert_int_equal(SUM("--calculation", "10"), 126224 + 100);
	assert_int_equal(SUM("--initiation", "30"), 126224 + 100);
	assert_int_equal(SUM("--reception", "10"), 126224 + 100);
	assert_int_equal(SUM("--local-mbc"), 126224 + 19360);
	assert_int_equal(SUM("--peer-mbc"), 126224 + 2 * 19360);
	assert_int_equal(SUM("--peer-mbc", "--secy", "1"), 126224 + 2 * 10);
	assert_int_equal(SUM("--response", "1000"), 126224 + 10000 - 6144);
	assert_int_equal(SUM("--measured", "100"), 200 + 2 * 16160 + 51200);
	assert_int_equal(SUM("--speed", "100G", "--phy", "100GBASE-R"), SUM("--speed", "100G"));
	assert_int_equal(SUM("--peer-delay", "10000"), 126224 - 2 * 18944 - 6144 - 16160 + 100000);
	assert_int_equal(SUM("--speed", "2.5G", "--phy", "none", "--response", "4"),
			 200 + 2 * 16160 + 672 + 2 * 1389 + 10);
}

/* A port whose neighbor's round trip is measured. */
static void put_port(void)
{
	static const char *const objects[][2] = {
	    {"dcbPfcHeadroomChoice", "automatic"},
	    {"dcbPfcHeadroomWay", "measured"},
	    {"dcbPfcHeadroomBasis", "allowance"},
	    {"dcbPfcHeadroomStatus", "atMinimum"},
	    {"dcbPfcHeadroomInForce", "90000"},
	    {"dcbPfcHeadroomAllowance", "90000"},
	    {"dcbPfcHeadroomCalculated", "83720"},
	    {"dcbPfcHeadroomWorstCase", "32320"},
	    {"dcbPfcHeadroomInternal", "51400"},
	    {"dcbPfcHeadroomLink", "0"},
	    {"ieee8021PfcLinkDelayAllowance", "4711"},
	    {"dcbPfcWayAdvertise", "p8021qdt"},
	    {"dcbPfcWayMeasurement", "true"},
	    {"dcbPfcWayLocalBits", "measurement,ptp"},
	    {"dcbPfcWayRemoteBits", "measurement"},
	    {"dcbPfcWayAgreedBits", "measurement"},
	    {"dcbPfcWayInUse", "measured"},
	    {"dcbPfcWayReason", "agreed"},
	    {"dcbPfcWayPeerDelay", "1234"},
	    {"dcbPfcMeasureEnable", "agreed"},
	    {"dcbPfcMeasureInForce", "104"},
	    {"dcbPfcMeasureAverage", "98"},
	    {"dcbPfcMeasureCount", "12"},
	    {"dcbPfcMeasureShortest", "97"},
	    {"dcbPfcMeasureMedian", "99"},
	    {"dcbPfcMeasureLongest", "101"},
	    {"dcbPfcMeasureLast", "100"},
	    {"dcbPfcMeasureAge", "3042"},
	    {"dcbPfcMeasureTimestamps", "kernel"},
	};
	static const char *const terms[][3] = {{"2", "200", "standard"},
					       {"5", "16160", "configured"},
					       {"8", "0", "measured"},
					       {"12", "16160", "configured"},
					       {"17", "51200", "measured"}};

	server_clear();
	server_put("dcbPortOperational", "70001", "true");
	for (size_t i = 0; i < UNIT_COUNT(objects); i++)
		server_put(objects[i][0], "70001", objects[i][1]);
	for (size_t i = 0; i < UNIT_COUNT(terms); i++) {
		char index[16];

		snprintf(index, sizeof(index), "70001.%s", terms[i][0]);
		server_put("dcbPfcHeadroomTermBits", index, terms[i][1]);
		server_put("dcbPfcHeadroomTermSource", index, terms[i][2]);
	}
}

static void test_show_has_terms_of_the_port(void **state)
{
	struct ran ran;
	json_t *j, *o;
	char *text;

	(void)state;
	put_port();
	ran = HEADROOM("show", "70001");
	assert_int_equal(ran.rc, CLI_OK);
	assert_non_null(strstr(ran.out,
			       "70001: way measured, choice automatic, in force "
			       "allowance, status atMinimum\n"));
	assert_non_null(strstr(ran.out, "b     ID     initiating PFC"));
	assert_non_null(strstr(ran.out, "link to the peer               measured"));
	assert_non_null(strstr(ran.out,
			       "-     ID     measured round trip            measured    "
			       "51200    6400     100\n"));
	assert_non_null(strstr(ran.out, "link delay allowance                        4711"));
	assert_non_null(strstr(ran.out, "in force                                   90000"));
	free(ran.out);
	j = headroom_json((const char *const[]){"show", NULL});
	assert_int_equal(json_array_size(j), 1);
	o = json_array_get(j, 0);
	assert_string_equal(json_string_value(json_object_get(o, "way")), "measured");
	assert_string_equal(json_string_value(json_object_get(o, "basis")), "allowance");
	assert_int_equal(json_array_size(json_object_get(o, "terms")), PFC_TERMS);
	text = json_dumps(json_array_get(json_object_get(o, "terms"), PFC_TERM_ROUND_TRIP),
			  JSON_COMPACT);
	assert_string_equal(text,
			    "{\"item\":\"-\",\"group\":\"ID\",\"delay\":\"round-trip\","
			    "\"source\":\"measured\",\"bits\":51200,\"octets\":6400,"
			    "\"quanta\":100}");
	free(text);
	text = json_dumps(json_object_get(o, "inForce"), JSON_COMPACT);
	assert_string_equal(text, "{\"bits\":90000,\"octets\":11250,\"quanta\":176}");
	free(text);
	json_decref(j);
	/* Options are for a calculation. */
	ran = HEADROOM("--speed", "10G", "show");
	assert_int_equal(ran.rc, CLI_USAGE);
	free(ran.out);
}

static char *member_text(const json_t *port, const char *key)
{
	char *text = json_dumps(json_object_get(port, key), JSON_COMPACT | JSON_ENCODE_ANY);

	assert_non_null(text);
	return text;
}

static void expect_member(const char *key, const char *expected)
{
	json_t *j = headroom_json((const char *const[]){"show", NULL});
	char *text = member_text(json_array_get(j, 0), key);

	assert_string_equal(text, expected);
	free(text);
	json_decref(j);
}

static void expect_line(const char *line)
{
	struct ran ran = HEADROOM("show");

	assert_int_equal(ran.rc, CLI_OK);
	if (!strstr(ran.out, line))
		fail_msg("no line \"%s\" in\n%s", line, ran.out);
	free(ran.out);
}

static void test_show_has_way_and_measurement(void **state)
{
	(void)state;
	put_port();
	expect_line(
	    "\nway measured: both ends support it (sent: measurement, PTP; "
	    "received: measurement, delay 1234 ns)\n");
	expect_line(
	    "\nmeasurement agreed: 104 quanta in use; average 98 of 12 round trips, "
	    "the last 3.042 s ago; shortest 97, median 99, longest 101; "
	    "timestamps kernel\n");
	expect_member("measurement",
		      "{\"enable\":\"agreed\",\"result\":104,\"inUse\":true,"
		      "\"count\":12,\"average\":98,\"shortest\":97,"
		      "\"median\":99,\"longest\":101,\"last\":100,"
		      "\"age_ms\":3042,\"timestamps\":\"kernel\","
		      "\"measuring\":false}");
	expect_member("negotiation",
		      "{\"set\":{\"format\":\"p8021qdt\","
		      "\"bits\":[\"measurement\"],\"sendDelay\":false},"
		      "\"sent\":{\"bits\":[\"measurement\",\"ptp\"],"
		      "\"delay\":null},"
		      "\"theirs\":{\"bits\":[\"measurement\"],\"delay\":1234},"
		      "\"agreed\":[\"measurement\"],\"inForce\":\"measured\","
		      "\"reason\":\"agreed\",\"why\":\"both ends support it\"}");
}

/* A result that the calculation does not use, none since the link came up, and none at all. */
static void test_show_says_what_a_result_is_used_for(void **state)
{
	(void)state;
	put_port();
	server_put("dcbPfcHeadroomTermBits", "70001.17", "0");
	server_put("dcbPfcWayInUse", "70001", "configured");
	server_put("dcbPfcWayReason", "70001", "peer2018");
	server_put("dcbPfcMeasureEnable", "70001", "always");
	server_put("dcbPfcMeasureLongest", "70001", "0");
	expect_line("\nway configured: the neighbor's PFC TLV has a length of 6 (sent: ");
	expect_line(
	    "\nmeasurement always: 104 quanta, not in use; average 98 of 12 round trips, "
	    "the last 3.042 s ago; timestamps kernel\n");
	server_put("dcbPfcMeasureInForce", "70001", "0");
	server_put("dcbPfcMeasureAverage", "70001", "0");
	server_put("dcbPfcMeasureCount", "70001", "0");
	server_put("dcbPfcMeasureTimestamps", "70001", "none");
	expect_line("\nmeasurement always: no result; no round trip; timestamps none\n");
}

/* A port whose frames another system forwards has no measurement. */
static void test_show_of_a_port_without_measurement(void **state)
{
	struct ran ran;

	(void)state;
	server_clear();
	server_put("dcbPortOperational", "70001", "true");
	server_put("dcbPfcHeadroomInForce", "70001", "90000");
	server_put("dcbPfcHeadroomTermBits", "70001.2", "200");
	server_put("ieee8021PfcLinkDelayAllowance", "70001", "0");
	server_put("dcbPfcWayInUse", "70002", "measured");
	server_put("dcbPfcMeasureInForce", "70002", "104");
	ran = HEADROOM("show");
	assert_int_equal(ran.rc, CLI_OK);
	assert_null(strstr(ran.out, "\nway "));
	assert_null(strstr(ran.out, "\nmeasurement "));
	free(ran.out);
	expect_member("measurement", "null");
	expect_member("negotiation", "null");
}

static void test_json_output(void **state)
{
	json_t *j = headroom_json((const char *const[]){"--macsec", "data", NULL}), *o, *term;
	json_int_t bits = 0;
	size_t i;
	char *text;

	(void)state;
	o = json_array_get(j, 0);
	assert_int_equal(json_array_size(json_object_get(o, "terms")), PFC_TERMS);
	json_array_foreach(json_object_get(o, "terms"), i, term)
	{
		bits += json_integer_value(json_object_get(term, "bits"));
	}
	assert_int_equal(bits, 164944);
	text = json_dumps(json_object_get(o, "inputs"), JSON_COMPACT);
	assert_string_equal(text,
			    "{\"speed\":10000000000,\"frame\":2000,\"pfc-frame\":64,"
			    "\"cable\":100,\"medium\":\"copper\",\"link-delay\":null,"
			    "\"phy\":null,\"interface-delay\":null,\"calculation\":0,"
			    "\"initiation\":null,\"reception\":0,\"local-mbc\":false,"
			    "\"response\":null,\"peer-delay\":null,\"measured\":null,"
			    "\"peer-mbc\":false,"
			    "\"macsec\":\"data\",\"secy\":null,\"edition\":\"qdt\"}");
	free(text);
	text = json_dumps(json_object_get(o, "groups"), JSON_COMPACT);
	assert_string_equal(text,
			    "[{\"group\":\"WD\",\"bits\":51680,\"octets\":6460,"
			    "\"quanta\":101},"
			    "{\"group\":\"ID\",\"bits\":102152,\"octets\":12769,"
			    "\"quanta\":200},"
			    "{\"group\":\"LD\",\"bits\":11112,\"octets\":1389,"
			    "\"quanta\":22}]");
	free(text);
	text = json_dumps(json_array_get(json_object_get(o, "terms"), PFC_TERM_RESPONSE),
			  JSON_COMPACT);
	assert_string_equal(text,
			    "{\"item\":\"h\",\"group\":\"ID\",\"delay\":\"response\","
			    "\"source\":\"standard\",\"bits\":6144,\"octets\":768,"
			    "\"quanta\":12}");
	free(text);
	json_decref(j);
}

static void test_rejects_bad_arguments(void **state)
{
	static const char *const no_rates[] = {"",
					       "G",
					       "ten",
					       "0",
					       "-1",
					       "1e9",
					       "2.5.G",
					       "2.G",
					       ".5G",
					       "10GG",
					       "10g",
					       "10 G",
					       "10.1T",
					       "11T",
					       "0.5",
					       "0.0000001G",
					       "99999999999999999999999999",
					       "18446744073709551617"};
	static const char *const no_numbers[] = {
	    "", "x", "-1", "1.5", "10000001", "4294967297", "99999999999999999999999", " 1", "1 "};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(no_rates); i++) {
		char err[256];

		snprintf(err, sizeof(err),
			 "dcbctl: --speed: expected a rate of 1 bit/s to 10T, such as 2.5G, not "
			 "\"%s\"\n",
			 no_rates[i]);
		expect_error(HEADROOM("--speed", no_rates[i]), CLI_USAGE, err);
	}
	for (size_t i = 0; i < UNIT_COUNT(no_numbers); i++) {
		char err[256];

		snprintf(err, sizeof(err), "dcbctl: --cable: expected 0..10000000 m, not \"%s\"\n",
			 no_numbers[i]);
		expect_error(HEADROOM("--cable", no_numbers[i]), CLI_USAGE, err);
	}
	expect_error(HEADROOM("--link-delay", "0"), CLI_USAGE,
		     "dcbctl: --link-delay: expected 1..1000000000 ns, not \"0\"\n");
	expect_error(HEADROOM("--medium", "air"), CLI_USAGE,
		     "dcbctl: --medium: expected one of copper, fibre, not \"air\"\n");
	expect_error(HEADROOM("--phy", "800GBASE-R"), CLI_USAGE,
		     "dcbctl: --phy: expected one of 10GBASE-T, 10GBASE-R, 10GBASE-LX4, "
		     "10GBASE-CX4, 25GBASE-R, 40GBASE-R, 50GBASE-R, 100GBASE-R, 200GBASE-R, "
		     "400GBASE-R, worst, none, not \"800GBASE-R\"\n");
	expect_error(HEADROOM("--speed", "10G", "word"), CLI_USAGE,
		     "usage: dcbctl [-jpsN] [--socket socket] headroom ARGS\n");
}

/* Options that are valid one by one and not together. */
static void test_rejects_bad_combinations(void **state)
{
	static const char *const rivals[][4] = {
	    {"--frame", "2000", "--mtu", "1500"},
	    {"--cable", "1", "--link-delay", "1"},
	    {"--medium", "copper", "--link-delay", "1"},
	    {"--phy", "none", "--interface-delay", "1"},
	    {"--response", "1", "--peer-delay", "1"},
	    {"--peer-delay", "1", "--measured", "1"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rivals); i++) {
		char err[128];

		snprintf(err, sizeof(err), "dcbctl: %s and %s: expected one of them, not both\n",
			 rivals[i][0], rivals[i][2]);
		expect_error(HEADROOM(rivals[i][0], rivals[i][1], rivals[i][2], rivals[i][3]),
			     CLI_USAGE, err);
	}
	expect_error(HEADROOM("--speed", "800G"), CLI_USAGE,
		     "dcbctl: --speed 800G: requires --phy or --interface-delay, because no PHY "
		     "delay of this speed is known; --phy worst is an upper bound for any "
		     "speed\n");
	expect_error(HEADROOM("--phy", "10GBASE-R", "--speed", "1G"), CLI_USAGE,
		     "dcbctl: --phy 10GBASE-R: requires the --speed of its name, not 1G\n");
}

/* The manual page and the bash completion have all options and the names of their values. */
static void test_options_are_documented(void **state)
{
	static const char *const files[] = {"man/dcbctl.8", "contrib/bash-completion/dcbctl.in"};
	const char *srcdir = getenv("DCB_SRCDIR");

	(void)state;
	for (size_t f = 0; f < UNIT_COUNT(files); f++) {
		static char text[262144];
		char path[4096], want[64];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", files[f]);
		file = fopen(path, "r");
		if (!file)
			fail_msg("%s", path);
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		for (size_t i = 0; i < headroom_n_options; i++) {
			const struct headroom_option *o = &headroom_options[i];

			snprintf(want, sizeof(want), f == 0 ? "Fl -%s" : "--%s", o->name);
			if (!strstr(text, want))
				fail_msg("%s lacks %s", path, want);
			for (const struct headroom_name *e = o->names; e && e->name; e++) {
				if (!strstr(text, e->name))
					fail_msg("%s lacks %s of %s", path, e->name, want);
			}
		}
	}
}

/* --socket and --statistics have no letter either, as the command's own options. */
static void test_common_options_are_not_those_of_the_calculation(void **state)
{
	static const struct cli_command headroom = {.name = "headroom",
						    .args = "ARGS",
						    .long_options = cli_headroom_long_options,
						    .option = cli_headroom_option};
	char *words[] = {(char[]){"dcbctl"},       (char[]){"--socket"}, (char[]){"/run/view"},
			 (char[]){"--statistics"}, (char[]){"show"},     NULL};
	struct cli cli = {.socket = CLI_SOCKET, .is_default = true};

	(void)state;
	assert_int_equal(cli_options(&cli, &headroom, 5, words), 4);
	assert_string_equal(cli.socket, "/run/view");
	assert_true(cli.statistics);
	for (size_t i = 0; i < headroom_n_options; i++)
		assert_null(cli.own_args[i]);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_output),
	    cmocka_unit_test(test_every_option_sets_its_input),
	    cmocka_unit_test(test_show_has_terms_of_the_port),
	    cmocka_unit_test(test_show_has_way_and_measurement),
	    cmocka_unit_test(test_show_says_what_a_result_is_used_for),
	    cmocka_unit_test(test_show_of_a_port_without_measurement),
	    cmocka_unit_test(test_json_output),
	    cmocka_unit_test(test_rejects_bad_arguments),
	    cmocka_unit_test(test_rejects_bad_combinations),
	    cmocka_unit_test(test_options_are_documented),
	    cmocka_unit_test(test_common_options_are_not_those_of_the_calculation),
	};

	return cmocka_run_group_tests_name("cli_headroom", tests, start_server, stop_server);
}
