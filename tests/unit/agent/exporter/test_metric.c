/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, units, numbers and labels of the metrics that the rows of mibs become. */
#include <ctype.h>
#include <string.h>

#include "agent/exporter/metric.h"
#include "tests/unit/unit.h"

static struct metric metric(const char *object)
{
	const struct mo_table *table = NULL;
	const struct mo_column *col = mo_column_by_name(object, &table);
	struct metric m;

	assert_non_null(col);
	metric_of(col, &m);
	return m;
}

static void test_names_have_prefix_unit_and_total(void **state)
{
	static const char *const names[][2] = {
	    {"dcbPortRxFrames", "dcb_port_rx_frames_total"},
	    {"dcbPortRate", "dcb_port_rate_bits_per_second"},
	    {"dcbPfcPriorityPauseTime", "dcb_pfc_priority_pause_time_seconds_total"},
	    {"ieee8021PfcIndications", "dcb_pfc_indications_total"},
	    {"ieee8021CnCpQueueSizeSetPoint", "dcb_cn_cp_queue_size_set_point_bytes"},
	    {"ieee8021CnRpPortPriCentiseconds", "dcb_cn_rp_port_pri_seconds_total"},
	    {"ieee8021CnRpgMaxRate", "dcb_cn_rpg_max_rate_bits_per_second"},
	    {"lldpXdot1dcbxLocETSConWilling", "dcb_dcbx_loc_ets_con_willing"},
	    {"lldpXdot1CnConfigCnTxEnable", "dcb_cn_lldp_config_cn_tx_enable"},
	    {"lldpV2Xdot1LocCNPVIndicators", "dcb_cn_lldp_loc_cnpv_indicators"},
	    {"dcbPfcWatchdogDroppedTotal", "dcb_pfc_watchdog_dropped_total"},
	    {"dcbPfcWatchdogDutyCycle", "dcb_pfc_watchdog_duty_cycle_ratio"},
	    {"dcbPfcHeadroomCableLength", "dcb_pfc_headroom_cable_length_meters"},
	    {"dcbAgentUpTime", "dcb_agent_up_time_seconds"},
	    {"dcbAgentVersion", "dcb_agent_version_info"},
	    {"dcbSecyTxUsedUpSAs", "dcb_secy_tx_used_up_sas_total"},
	    {"dcbSecySATxNextPN", "dcb_secy_sa_tx_next_pn_total"},
	    {"dcbPfcMeasureCount", "dcb_pfc_measure_round_trips"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(metric(names[i][0]).name, names[i][1]);
}

static bool is_snake(const char *name)
{
	for (const char *p = name; *p; p++) {
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
			return false;
		if (*p == '_' && (p[1] == '_' || !p[1]))
			return false;
	}
	return islower((unsigned char)name[0]);
}

/* All samples of one name are one metric, so no two objects can share it. */
static void test_each_object_has_a_name_of_its_own(void **state)
{
	enum { ROOM = 2048 };
	static struct metric all[ROOM];
	unsigned n = 0;

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		for (unsigned i = 0; i < table->n_columns && !table->optional; i++) {
			struct metric *m = &all[n];

			metric_of(&table->columns[i], m);
			assert_true(is_snake(m->name));
			assert_true(strlen(m->name) + 1 < METRIC_NAME_OCTETS);
			for (unsigned j = 0; j < n; j++)
				assert_string_not_equal(all[j].name, m->name);
			assert_true(++n < ROOM);
		}
	}
	assert_true(n > 500);
}

static void assert_number(const char *object, int64_t num, const char *expected)
{
	const struct mo_table *table = NULL;
	const struct mo_column *col = mo_column_by_name(object, &table);
	struct mo_value value = {.num = num};
	struct metric m = metric(object);
	char text[METRIC_VALUE_OCTETS];

	value.syntax = col->syntax;
	metric_number(&m, &value, text);
	assert_string_equal(text, expected);
}

static void test_numbers_are_exact_in_base_units(void **state)
{
	(void)state;
	assert_number("dcbPfcPriorityPauseTime", 0, "0");
	assert_number("dcbPfcPriorityPauseTime", 1, "0.000001");
	assert_number("dcbPfcPriorityPauseTime", 1500000, "1.5");
	assert_number("dcbPfcPriorityPauseTime", -1, "18446744073709.551615");
	assert_number("dcbPfcWatchdogDetectionTime", 200, "0.2");
	assert_number("dcbPfcHeadroomLinkDelay", 5, "0.000000005");
	assert_number("dcbAgentUpTime", 12345, "123.45");
	assert_number("dcbPfcWatchdogDutyCycle", 90, "0.9");
	assert_number("dcbPfcWatchdogDutyCycle", 100, "1");
	assert_number("ieee8021CnRpgMaxRate", UINT32_MAX, "4294967295000000");
	assert_number("dcbPortRate", 10000000000, "10000000000");
	assert_number("dcbPortRxFrames", -1, "18446744073709551615");
	assert_number("dcbCpFeedback", -26000, "-26000");
	assert_number("ieee8021CnRpgGd", INT32_MIN, "-2147483648");
	assert_number("dcbPortOperational", 1, "1");
	assert_number("dcbPortOperational", 2, "0");
}

static void assert_escaped(const char *octets, size_t len, const char *expected)
{
	char text[64];

	assert_int_equal(metric_escape(octets, len, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void test_labels_are_escaped_and_valid_utf8(void **state)
{
	char small[9];

	(void)state;
	assert_escaped("swp1", 4, "swp1");
	assert_escaped("a\"b\\c\nd", 7, "a\\\"b\\\\c\\nd");
	assert_escaped("a\tb\x7f", 4, "a?b?");
	assert_escaped("K\xc3\xb6ln \xe2\x82\xac", 9, "K\xc3\xb6ln \xe2\x82\xac");
	/* Latin-1, a lone surrogate, two ways to write '/', a cut character, beyond Unicode. */
	assert_escaped("K\xf6ln", 4, "K?ln");
	assert_escaped("\xed\xa0\x80", 3, "???");
	assert_escaped("\xc0\xaf", 2, "??");
	assert_escaped("\xe0\x80\xaf", 3, "???");
	assert_escaped("\xe2\x82", 2, "??");
	assert_escaped("\xf5\x80\x80\x80", 4, "????");
	/* Only whole characters are written. */
	memset(small, 'x', sizeof(small));
	assert_int_equal(metric_escape("\n\n\n\n", 4, small, sizeof(small)), 8);
	assert_string_equal(small, "\\n\\n\\n\\n");
}

static void assert_label(enum mo_table_id id, unsigned part, const char *expected)
{
	char label[METRIC_LABEL_OCTETS];

	metric_label(&mo_table(id)->index[part], label);
	assert_string_equal(label, expected);
}

static void test_index_columns_become_labels(void **state)
{
	(void)state;
	assert_label(MO_cn_cp, 0, "");
	assert_label(MO_cn_cp, 1, "port");
	assert_label(MO_cn_cp, 2, "cn_cp_index");
	assert_label(MO_pfc_pri, 0, "port");
	assert_label(MO_pfc_pri, 1, "pfc_priority");
	assert_label(MO_lldp_rem_pfc, 0, "");
	assert_label(MO_lldp_rem_pfc, 1, "port");
	assert_label(MO_lldp_rem_pfc, 3, "rem_index");
	assert_label(MO_buffer_pool, 0, "buffer_pool");
}

/* A duplicate label would make the whole scrape invalid. */
static void test_labels_of_a_table_differ(void **state)
{
	char labels[MO_INDEX_MAX][METRIC_LABEL_OCTETS];

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		for (unsigned i = 0; i < table->n_index; i++) {
			metric_label(&table->index[i], labels[i]);
			assert_true(!labels[i][0] || is_snake(labels[i]));
			for (unsigned j = 0; j < i && labels[i][0]; j++)
				assert_string_not_equal(labels[i], labels[j]);
		}
	}
}

/* Alerts and dashboards work with the metrics of snmp_exporter, too. */
static void test_enumerations_are_states_as_in_snmp_exporter(void **state)
{
	char path[512], line[256], object[128] = "";
	unsigned n = 0;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/contrib/prometheus/generator.yml", getenv("DCB_SRCDIR"));
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		bool set = strstr(line, "type: EnumAsStateSet") != NULL;

		if (set || strstr(line, "type: EnumAsInfo")) {
			assert_int_equal(metric(object).form, set ? METRIC_STATES : METRIC_NAMED);
			n++;
		} else if (strcspn(line, ":") < sizeof(object)) {
			snprintf(object, sizeof(object), "%.*s",
				 (int)(strcspn(line, ":") - strspn(line, " ")),
				 line + strspn(line, " "));
		}
	}
	fclose(f);
	assert_true(n >= 14);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_have_prefix_unit_and_total),
	    cmocka_unit_test(test_each_object_has_a_name_of_its_own),
	    cmocka_unit_test(test_numbers_are_exact_in_base_units),
	    cmocka_unit_test(test_labels_are_escaped_and_valid_utf8),
	    cmocka_unit_test(test_index_columns_become_labels),
	    cmocka_unit_test(test_labels_of_a_table_differ),
	    cmocka_unit_test(test_enumerations_are_states_as_in_snmp_exporter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
