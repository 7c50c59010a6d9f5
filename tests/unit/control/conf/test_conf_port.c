/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbd.conf: provider, regeneration table and congestion notification variant of a port. */
#include "control/conf/conf.h"

#include <string.h>
#include <unistd.h>

#include "tests/unit/control/conf/conf_file.h"

static void assert_default(const struct port_settings *s)
{
	static const uint8_t identity[] = {0, 1, 2, 3, 4, 5, 6, 7};

	assert_false(s->regenerates);
	assert_memory_equal(s->regeneration, identity, sizeof(identity));
	assert_false(s->early);
	assert_false(s->rp_variant.early);
	assert_int_equal(s->rp_variant.reading, RP_READING_FIG);
	assert_false(s->rp_variant.no_jitter);
	assert_false(s->rp_variant.no_extra_fast_recovery);
	assert_int_equal(s->cp_early.base_probability_ppm, 10000);
	assert_int_equal(s->cp_early.step_probability_ppm, 1400);
	assert_int_equal(s->cp_early.page_octets, 1);
	assert_false(s->cp_early.pages_of_frames);
	assert_false(s->rp_variant.full_hyper_entry);
	assert_int_equal(s->profile, CN_PROFILE_STANDARD);
}

static void test_defaults_are_802_1qau(void **state)
{
	struct conf conf;

	(void)state;
	conf_init(&conf);
	assert_default(&conf.port_default);
	conf_free(&conf);
	read_good(&conf,
		  "defaults = { profile = \"standard\";\n"
		  " cn = { variant = \"802.1Qau\"; threshold = \"figure\";\n"
		  " pages = \"queue\"; first_hyper_cycle = \"half\";\n"
		  " jitter = true; extra_fast_recovery = true; base_probability = 0.01;\n"
		  " step_probability = 0.0014; page_octets = 1; }; };");
	assert_default(&conf.port_default);
	conf_free(&conf);
}

/*
 * The defaults sample 1500-octet frames about as often as 802.1Qau: one in 100 without
 * congestion and at least as in table 32-5, 8 in 100, at the strongest feedback.
 */
static void test_default_probabilities_match_802_1qau(void **state)
{
	uint32_t base = cp_sample_base_for(150000, 0), full = cp_sample_base_for(150000, 63);
	struct conf conf;
	const struct cp_early_config *early = &conf.port_default.cp_early;

	(void)state;
	conf_init(&conf);
	assert_int_equal(early->base_probability_ppm, 1500u * 1000000u / base);
	assert_in_range(early->base_probability_ppm + 63 * early->step_probability_ppm,
			1500u * 1000000u / full, 100000);
	conf_free(&conf);
}

static void test_all_port_settings_are_read(void **state)
{
	static const uint8_t table[] = {7, 6, 5, 4, 3, 2, 1, 0}, other[] = {1, 1, 1, 1, 1, 1, 1, 1};
	const struct port_settings *s;
	struct conf conf;

	(void)state;
	read_good(&conf,
		  "ports = ( { name = \"a\"; regeneration = ( 1, 1, 1, 1, 1, 1, 1, 1 );\n"
		  "            cn = { variant = \"802.1Qau\"; page_octets = 65536; }; },\n"
		  "          { name = \"b\"; profile = \"standard\";\n"
		  "            cn = { pages = \"queue\"; first_hyper_cycle = \"half\"; jitter = "
		  "true; base_probability = 0;\n"
		  "                                 step_probability = 1; }; } );\n"
		  "defaults = { regeneration = [ 7, 6, 5, 4, 3, 2, 1, 0 ]; profile = \"scaled\";\n"
		  "             cn = { variant = \"2007\"; threshold = \"pseudo-code\";\n"
		  "                    jitter = false; extra_fast_recovery = false;\n"
		  "                    base_probability = 0.02; step_probability = 1e-6;\n"
		  "                    page_octets = 256; pages = \"frame\";\n"
		  "                    first_hyper_cycle = \"full\"; }; };");
	s = conf_port_settings(&conf, "c");
	assert_true(s->regenerates);
	assert_memory_equal(s->regeneration, table, sizeof(table));
	assert_true(s->early);
	assert_true(s->rp_variant.early);
	assert_int_equal(s->rp_variant.reading, RP_READING_PSEUDO);
	assert_true(s->rp_variant.no_jitter);
	assert_true(s->rp_variant.no_extra_fast_recovery);
	assert_int_equal(s->cp_early.base_probability_ppm, 20000);
	assert_int_equal(s->cp_early.step_probability_ppm, 1);
	assert_int_equal(s->cp_early.page_octets, 256);
	assert_true(s->cp_early.pages_of_frames);
	assert_true(s->rp_variant.full_hyper_entry);
	assert_int_equal(s->profile, CN_PROFILE_SCALED);

	s = conf_port_settings(&conf, "a");
	assert_memory_equal(s->regeneration, other, sizeof(other));
	assert_false(s->early);
	assert_false(s->rp_variant.early);
	assert_true(s->rp_variant.no_jitter); /* from the defaults */
	assert_int_equal(s->cp_early.base_probability_ppm, 20000);
	assert_int_equal(s->cp_early.page_octets, 65536);

	s = conf_port_settings(&conf, "b");
	assert_memory_equal(s->regeneration, table, sizeof(table));
	assert_true(s->early);
	assert_false(s->rp_variant.no_jitter);
	assert_false(s->cp_early.pages_of_frames);
	assert_false(s->rp_variant.full_hyper_entry);
	assert_int_equal(s->profile, CN_PROFILE_STANDARD);
	assert_int_equal(s->cp_early.base_probability_ppm, 0);
	assert_int_equal(s->cp_early.step_probability_ppm, 1000000);
	conf_free(&conf);
}

/* %s in a message stands for the path of the file. */
static const struct {
	const char *text, *message;
} bad[] = {
    {"defaults = { regeneration = 3; };",
     "%s:1: defaults.regeneration: expected eight priorities [ 0, 1, 2, 3, 4, 5, 6, 7 ]"},
    {"defaults = { regeneration = [ 0, 1, 2, 3, 4, 5, 6 ]; };",
     "%s:1: defaults.regeneration: expected eight priorities [ 0, 1, 2, 3, 4, 5, 6, 7 ]"},
    {"defaults = {\n regeneration = [ 0, 1, 2, 3, 4, 5, 6, 7, 0 ]; };",
     "%s:2: defaults.regeneration: expected eight priorities [ 0, 1, 2, 3, 4, 5, 6, 7 ]"},
    {"defaults = { regeneration = [ 0, 1, 2, 3,\n 8, 5, 6, 7 ]; };",
     "%s:2: defaults.regeneration[4]: expected an integer 0..7, not 8"},
    {"defaults = { regeneration = [ 0, -1, 2, 3, 4, 5, 6, 7 ]; };",
     "%s:1: defaults.regeneration[1]: expected an integer 0..7, not -1"},
    {"defaults = { regeneration = ( 0, 1, 2, 3, 4, 5, 6, \"7\" ); };",
     "%s:1: defaults.regeneration[7]: expected an integer 0..7, not \"7\""},
    {"defaults = { cn = true; };", "%s:1: defaults.cn: expected a group { ... }, not true"},
    {"defaults = { cn = { early = true; }; };",
     "%s:1: defaults.cn.early: unknown setting: expected one of variant, threshold, jitter, "
     "extra_fast_recovery, base_probability, step_probability, page_octets, pages, "
     "first_hyper_cycle"},
    {"defaults = { cn = { pages = \"octets\"; }; };",
     "%s:1: defaults.cn.pages: expected \"queue\" or \"frame\", not \"octets\""},
    {"defaults = { cn = { first_hyper_cycle = true; }; };",
     "%s:1: defaults.cn.first_hyper_cycle: expected \"half\" or \"full\", not true"},
    {"defaults = {\n profile = \"10G\"; };",
     "%s:2: defaults.profile: expected \"standard\" or \"scaled\", not \"10G\""},
    {"defaults = { cn = { variant = 2007; }; };",
     "%s:1: defaults.cn.variant: expected \"802.1Qau\" or \"2007\", not 2007"},
    {"defaults = { cn = { variant = \"qau\"; }; };",
     "%s:1: defaults.cn.variant: expected \"802.1Qau\" or \"2007\", not \"qau\""},
    {"ports = ( { name = \"a\"; },\n { name = \"b\"; cn = {\n threshold = \"fig\"; }; } );",
     "%s:3: ports[1].cn.threshold: expected \"figure\" or \"pseudo-code\", not \"fig\""},
    {"defaults = { cn = { jitter = 1; }; };",
     "%s:1: defaults.cn.jitter: expected true or false, not 1"},
    {"defaults = { cn = { extra_fast_recovery = \"no\"; }; };",
     "%s:1: defaults.cn.extra_fast_recovery: expected true or false, not \"no\""},
    {"defaults = { cn = { base_probability = 1.01; }; };",
     "%s:1: defaults.cn.base_probability: expected a probability 0..1, not 1.01"},
    {"defaults = { cn = { base_probability = -0.01; }; };",
     "%s:1: defaults.cn.base_probability: expected a probability 0..1, not -0.01"},
    {"defaults = { cn = { step_probability = 2; }; };",
     "%s:1: defaults.cn.step_probability: expected a probability 0..1, not 2"},
    {"defaults = { cn = { step_probability = \"1 %\"; }; };",
     "%s:1: defaults.cn.step_probability: expected a probability 0..1, not \"1 %\""},
    {"defaults = { cn = { page_octets = 0; }; };",
     "%s:1: defaults.cn.page_octets: expected an integer 1..65536, not 0"},
    {"defaults = { cn = { page_octets = 65537; }; };",
     "%s:1: defaults.cn.page_octets: expected an integer 1..65536, not 65537"},
};

static void test_errors_name_line_and_expectation(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		char err[512] = "", want[512];
		struct conf conf;

		if (read_text(&conf, bad[i].text, err, sizeof(err)))
			fail_msg("accepted: %s", bad[i].text);
		snprintf(want, sizeof(want), "%s%s", file, bad[i].message + 2);
		assert_string_equal(err, want);
		assert_default(&conf.port_default);
		conf_free(&conf);
	}
}

static void test_provider_is_per_port(void **state)
{
	struct conf conf;

	(void)state;
	read_good(&conf, "");
	assert_true(conf_uses_provider(&conf, CONF_PROVIDER_SOFT));
	assert_false(conf_uses_provider(&conf, CONF_PROVIDER_OBSERVE));
	assert_null(conf.port_default.provider);
	conf_free(&conf);
	read_good(&conf, "ports = ( { name = \"swp*\"; provider = \"observe\"; } );");
	assert_true(conf_uses_provider(&conf, CONF_PROVIDER_OBSERVE));
	assert_string_equal(conf_port_settings(&conf, "swp1")->provider, "observe");
	assert_null(conf_port_settings(&conf, "eth0")->provider);
	conf_free(&conf);
	read_good(&conf,
		  "defaults = { provider = \"observe\"; };\n"
		  "ports = ( { name = \"eth0\"; provider = \"soft\"; tap = \"dcb0\"; } );");
	assert_string_equal(conf_port_settings(&conf, "eth0")->provider, "soft");
	assert_string_equal(conf_port_settings(&conf, "eth1")->provider, "observe");
	conf_free(&conf);
}

static void test_only_observed_ports_need_no_software_provider(void **state)
{
	static const char *const observed[] = {
	    "defaults = { provider = \"observe\"; };",
	    "ports = ( { name = \"*\"; provider = \"observe\"; } );\n"
	    "interfaces = { include = [ \"eth?\" ]; };",
	    "ports = ( { name = \"swp*\"; provider = \"observe\"; } );\n"
	    "interfaces = { include = [ \"swp*\", \"swp1?\", \"swp[5-9]\" ]; };",
	    "ports = ( { name = \"e[01]*\"; provider = \"observe\"; },\n"
	    "  { name = \"eth4\"; provider = \"observe\"; } );\n"
	    "interfaces = { include = [ \"e[01]*\", \"eth4\" ]; };",
	};
	static const char *const moved[] = {
	    "",
	    "defaults = { provider = \"observe\"; };\nmemory_ports = 1;",
	    "ports = ( { name = \"swp*\"; provider = \"observe\"; } );\n"
	    "interfaces = { include = [ \"swp*\", \"sw*\" ]; };",
	    "ports = ( { name = \"swp?\"; provider = \"observe\"; } );\n"
	    "interfaces = { include = [ \"swp*\" ]; };",
	    "ports = ( { name = \"*\"; provider = \"observe\"; },\n"
	    "  { name = \"sw0\"; provider = \"station\"; tap = \"dcb0\"; } );",
	    "defaults = { provider = \"observe\"; };\n"
	    "ports = ( { name = \"eth0\"; provider = \"soft\"; } );",
	};
	struct conf conf;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(observed); i++) {
		read_good(&conf, observed[i]);
		if (conf_moves_frames(&conf))
			fail_msg("moves frames: %s", observed[i]);
		conf_free(&conf);
	}
	for (size_t i = 0; i < UNIT_COUNT(moved); i++) {
		read_good(&conf, moved[i]);
		if (!conf_moves_frames(&conf))
			fail_msg("moves no frames: %s", moved[i]);
		conf_free(&conf);
	}
}

static bool is_station(const struct conf *conf, const char *name)
{
	return conf_is_station(conf, conf_port_settings(conf, name));
}

static void test_station_is_beside_a_bridge_or_rbridge(void **state)
{
	struct conf conf, next;

	(void)state;
	read_good(&conf,
		  "role = \"rbridge\"; flows = ( { port = 5; priority = 1; } );\n"
		  "ports = ( { name = \"in\"; provider = \"station\"; tap = \"dcb0\";\n"
		  "pfc = { xon = 5; }; },\n"
		  "{ name = \"sw*\"; tap = \"dcb%d\"; } );");
	assert_true(is_station(&conf, "in"));
	assert_false(is_station(&conf, "sw1"));
	assert_false(is_station(&conf, "eth0"));
	assert_non_null(strstr(conf.ignored, ":3: ports[0].pfc.xon: no effect in a station\n"));
	assert_non_null(strstr(conf.ignored, ":4: ports[1].tap: no effect in an rbridge\n"));
	assert_null(strstr(conf.ignored, "flows"));
	assert_null(strstr(conf.ignored, "ports[0].tap"));
	read_good(&next, "role = \"rbridge\"; ports = ( { name = \"in\"; tap = \"dcb0\"; } );");
	assert_true(conf_port_differs(&conf, &next, "in"));
	assert_false(conf_port_differs(&conf, &next, "eth0"));
	conf_free(&next);
	conf_free(&conf);
	read_good(&conf,
		  "role = \"station\"; ports = ( { name = \"ob\"; provider = \"observe\"; } );");
	assert_true(is_station(&conf, "eth0"));
	assert_false(is_station(&conf, "ob"));
	conf_free(&conf);
}

/* A port has the defaults whatever its provider is: a warning means that none can have them. */
static void test_defaults_without_effect_are_those_of_no_port(void **state)
{
	static const struct {
		const char *text, *warning; /* NULL: none */
	} cases[] = {
	    {"defaults = { flow_buffer = 9000; };\n"
	     "ports = ( { name = \"inside\"; provider = \"station\"; } );",
	     NULL},
	    {"defaults = { provider = \"station\"; pfc = { xon = 5; }; };\n"
	     "ports = ( { name = \"swp*\"; provider = \"soft\"; } );",
	     NULL},
	    {"defaults = { flow_buffer = 9000; };",
	     ":1: defaults.flow_buffer: no effect in a bridge\n"},
	    {"defaults = { provider = \"station\"; pfc = { xon = 5; }; };",
	     ":1: defaults.pfc.xon: no effect in a station\n"},
	    {"role = \"station\"; defaults = { provider = \"observe\"; flow_buffer = 9000; };\n"
	     "ports = ( { name = \"eth0\"; provider = \"soft\"; } );",
	     NULL},
	    {"role = \"station\"; defaults = { provider = \"observe\"; pfc = { xon = 5; }; };",
	     ":1: defaults.pfc.xon: no effect in a station\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conf conf;

		read_good(&conf, cases[i].text);
		if (!cases[i].warning)
			assert_string_equal(conf.ignored, "");
		else if (!strstr(conf.ignored, cases[i].warning))
			fail_msg("\"%s\": expected \"%s\"", conf.ignored, cases[i].warning);
		conf_free(&conf);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_provider_is_per_port),
	    cmocka_unit_test(test_only_observed_ports_need_no_software_provider),
	    cmocka_unit_test(test_station_is_beside_a_bridge_or_rbridge),
	    cmocka_unit_test(test_defaults_without_effect_are_those_of_no_port),
	    cmocka_unit_test(test_defaults_are_802_1qau),
	    cmocka_unit_test(test_default_probabilities_match_802_1qau),
	    cmocka_unit_test(test_all_port_settings_are_read),
	    cmocka_unit_test(test_errors_name_line_and_expectation),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
