/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters by the names of drivers, and the other rows about drivers. */
#include "dataplane/kernel/kernel_counters.h"
#include "dataplane/kernel/kernel_worker.h"
#include "tests/unit/kernel_responder.h"
#include "tests/unit/unit.h"

#include <string.h>

#define NAMES_MAX 64

static char of[NAMES_MAX][KERNEL_COUNTER_OCTETS];
static struct kernel_names names;
static struct kernel_map map;

static void add(const char *name)
{
	assert_true(names.n < NAMES_MAX);
	snprintf(of[names.n], sizeof(of[0]), "%s", name);
	names.of = of;
	names.n++;
}

static int begin(void **state)
{
	(void)state;
	memset(of, 0, sizeof(of));
	names.n = 0;
	return 0;
}

/* Each meaning of a driver that a name of priority 5 has; the rest are another driver's. */
static void test_names_of_each_driver(void **state)
{
	static const struct {
		const char *driver, *name[KERNEL_MEANINGS];
	} rows[] = {
	    {"mlx5_core",
	     {[KERNEL_TX_FRAMES] = "tx_prio5_pause",
	      [KERNEL_RX_FRAMES] = "rx_prio5_pause",
	      [KERNEL_TX_PAUSE_US] = "tx_prio5_pause_duration",
	      [KERNEL_RX_PAUSE_US] = "rx_prio5_pause_duration",
	      [KERNEL_RX_TRANSITIONS] = "rx_prio5_pause_transition",
	      [KERNEL_DISCARDS] = "rx_prio5_discards"}},
	    {"mlx4_en",
	     {[KERNEL_TX_FRAMES] = "tx_pause_prio_5",
	      [KERNEL_RX_FRAMES] = "rx_pause_prio_5",
	      [KERNEL_TX_PAUSE_US] = "tx_pause_duration_prio_5",
	      [KERNEL_RX_PAUSE_US] = "rx_pause_duration_prio_5",
	      [KERNEL_RX_TRANSITIONS] = "rx_pause_transition_prio_5"}},
	    {"mlxsw_spectrum3",
	     {[KERNEL_TX_FRAMES] = "tx_pause_prio_5",
	      [KERNEL_RX_FRAMES] = "rx_pause_prio_5",
	      [KERNEL_TX_PAUSE_US] = "tx_pause_duration_prio_5",
	      [KERNEL_RX_PAUSE_US] = "rx_pause_duration_prio_5"}},
	    {"ice",
	     {[KERNEL_TX_FRAMES] = "tx_priority_5_xoff.nic",
	      [KERNEL_RX_FRAMES] = "rx_priority_5_xoff.nic",
	      [KERNEL_TX_XON] = "tx_priority_5_xon.nic",
	      [KERNEL_RX_XON] = "rx_priority_5_xon.nic"}},
	    {"i40e",
	     {[KERNEL_TX_FRAMES] = "port.tx_priority_5_xoff_tx",
	      [KERNEL_RX_FRAMES] = "port.rx_priority_5_xoff_rx",
	      [KERNEL_TX_XON] = "port.tx_priority_5_xon_tx",
	      [KERNEL_RX_XON] = "port.rx_priority_5_xon_rx",
	      [KERNEL_RX_TRANSITIONS] = "port.rx_priority_5_xon_2_xoff"}},
	    {"ixgbe",
	     {[KERNEL_TX_FRAMES] = "tx_pb_5_pxoff",
	      [KERNEL_RX_FRAMES] = "rx_pb_5_pxoff",
	      [KERNEL_TX_XON] = "tx_pb_5_pxon",
	      [KERNEL_RX_XON] = "rx_pb_5_pxon"}},
	    {"bnxt_en",
	     {[KERNEL_TX_FRAMES] = "tx_pfc_ena_frames_pri5",
	      [KERNEL_RX_FRAMES] = "rx_pfc_ena_frames_pri5",
	      [KERNEL_TX_PAUSE_US] = "pfc_pri5_tx_duration_us",
	      [KERNEL_RX_PAUSE_US] = "pfc_pri5_rx_duration_us",
	      [KERNEL_RX_TRANSITIONS] = "pfc_pri5_rx_transitions"}},
	    /* cxgb4 pads its names. */
	    {"cxgb4",
	     {[KERNEL_TX_FRAMES] = "tx_ppp5_frames        ",
	      [KERNEL_RX_FRAMES] = "rx_ppp5_frames        "}},
	    {"hns3",
	     {[KERNEL_TX_FRAMES] = "mac_tx_pfc_pri5_pkt_num",
	      [KERNEL_RX_FRAMES] = "mac_rx_pfc_pri5_pkt_num"}},
	};
	uint32_t has;

	for (size_t r = 0; r < UNIT_COUNT(rows); r++) {
		begin(state);
		has = 0;
		add("rx_packets");
		for (unsigned m = 0; m < KERNEL_MEANINGS; m++) {
			if (!rows[r].name[m])
				continue;
			add(rows[r].name[m]);
			has |= 1u << m;
		}
		kernel_map_make(rows[r].driver, &names, &map);
		assert_int_equal(map.n, names.n);
		assert_int_equal(map.port_has, 0);
		for (unsigned p = 0; p < KERNEL_PRIORITIES; p++)
			assert_int_equal(map.has[p], p == 5 ? has : 0);
		for (unsigned m = 0; m < KERNEL_MEANINGS; m++)
			if (rows[r].name[m])
				assert_string_equal(of[map.at[5][m]], rows[r].name[m]);
		/* A driver that is not known has no counters. */
		kernel_map_make("e1000e", &names, &map);
		assert_int_equal(map.has[5], 0);
	}
}

static void test_priorities_and_totals(void **state)
{
	char name[KERNEL_COUNTER_OCTETS];

	(void)state;
	add("tx_pfc_frames");
	add("rx_pfc_frames");
	for (unsigned p = 0; p < 10; p++) {
		snprintf(name, sizeof(name), "tx_pfc_ena_frames_pri%u", p);
		add(name);
	}
	kernel_map_make("bnxt_en", &names, &map);
	assert_int_equal(map.port_has, 1u << KERNEL_TX_FRAMES | 1u << KERNEL_RX_FRAMES);
	assert_int_equal(map.port_at[KERNEL_TX_FRAMES], 0);
	assert_int_equal(map.port_at[KERNEL_RX_FRAMES], 1);
	for (unsigned p = 0; p < KERNEL_PRIORITIES; p++) {
		assert_int_equal(map.has[p], 1u << KERNEL_TX_FRAMES);
		assert_int_equal(map.at[p][KERNEL_TX_FRAMES], 2 + p);
	}
}

/* They are of the port, so that they do not make the names of priorities known. */
static void test_names_of_storms(void **state)
{
	(void)state;
	add("tx_pause_storm_error_events");
	add("tx_pause_storm_warning_events");
	kernel_map_make("mlx5_core", &names, &map);
	assert_int_equal(map.port_has, 1u << KERNEL_STORM_WARNINGS | 1u << KERNEL_STORM_ERRORS);
	assert_int_equal(map.port_at[KERNEL_STORM_ERRORS], 0);
	assert_int_equal(map.port_at[KERNEL_STORM_WARNINGS], 1);
}

/* Names that are nearly those of mlx5, and counters of IEEE 802.3 PAUSE. */
static void test_other_names(void **state)
{
	static const char *others[] = {
	    "",
	    " ",
	    "rx_prio_pause",
	    "rx_prio8_pause",
	    "rx_prio9_pause",
	    "rx_prio-1_pause",
	    "rx_prio10_pause",
	    "rx_prio/_pause",
	    "rx_prio:_pause",
	    "rx_prio3_paus",
	    "rx_prio3_pause2",
	    " rx_prio3_pause",
	    "rx_global_pause",
	    "rx_prio%u_pause",
	    "RX_PRIO3_PAUSE",
	    "rx_prio",
	    "rx_prio3",
	    "rx_pause",
	    "tx_pause_storm_warning_event",
	    "tx_prio3_pause_storm_warning_events",
	    "rx_prio3_pause_durationnnnnnnnn",
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(others); i++)
		add(others[i]);
	kernel_map_make("mlx5_core", &names, &map);
	for (unsigned p = 0; p < KERNEL_PRIORITIES; p++)
		assert_int_equal(map.has[p], 0);
	assert_int_equal(map.port_has, 0);
}

static void test_first_of_equal_names(void **state)
{
	(void)state;
	add("rx_prio3_pause");
	add("rx_prio3_pause");
	kernel_map_make("mlx5_core", &names, &map);
	assert_int_equal(map.at[3][KERNEL_RX_FRAMES], 0);
}

static void test_drivers(void **state)
{
	const struct kernel_driver *d;

	(void)state;
	d = kernel_driver("mlx5_core");
	assert_int_equal(d->delay, KERNEL_DELAY_METRES);
	assert_int_equal(d->resets_link, DCBNL_PFC);
	assert_null(d->host_flag);
	assert_int_equal(kernel_driver("mlxsw_spectrum")->delay, KERNEL_DELAY_BITS);
	assert_int_equal(kernel_driver("mlxsw_spectrum4")->delay, KERNEL_DELAY_BITS);
	assert_int_equal(kernel_driver("mlxsw_switchx")->delay, KERNEL_DELAY_NONE);
	d = kernel_driver("ice");
	assert_int_equal(d->delay, KERNEL_DELAY_NONE);
	assert_string_equal(d->host_flag, "fw-lldp-agent");
	assert_false(d->host_flag_value);
	assert_false(d->swapped);
	d = kernel_driver("i40e");
	assert_string_equal(d->host_flag, "disable-fw-lldp");
	assert_true(d->host_flag_value);
	d = kernel_driver("ixgbe");
	assert_true(d->dcbx_resets);
	assert_true(d->swapped);
	assert_false(d->resets_link & DCBNL_PFC);
	assert_true(kernel_driver("mlx4_en")->dcbx_resets);
	assert_string_equal(kernel_driver("cxgb4")->name, "cxgb4");
	for (unsigned i = 0; i < 4; i++) {
		static const char *unknown[4] = {"", "virtio_net", "icecream", "mlx5"};

		d = kernel_driver(unknown[i]);
		assert_string_equal(d->name, "");
		assert_int_equal(d->delay, KERNEL_DELAY_NONE);
		assert_int_equal(d->resets_link, 0);
	}
}

/* Values of the names that drivers have at that time. */
static void test_values(void **state)
{
	struct kernel_responder *r = kernel_responder_new();
	struct kernel_io *io = kernel_responder_open(r);
	struct ieee_pfc pfc = {.pfc_en = 0x08};
	const struct dcbnl_change change = {.sets = DCBNL_PFC, .pfc = &pfc};
	struct kernel_names read;
	uint64_t values[128];

	(void)state;
	kernel_responder_add(r, "swp1", KERNEL_WORKS, "mlx5_core");
	kernel_responder_count(r, "swp1", "rx_prio3_pause", 33);
	kernel_responder_count(r, "swp1", "rx_prio4_pause", 44);
	assert_int_equal(kernel_io_set(io, "swp1", &change).error, 0);
	assert_int_equal(kernel_io_names(io, "swp1", &read), 0);
	kernel_map_make("mlx5_core", &read, &map);
	free(read.of);
	assert_int_equal(map.has[4], 0);
	assert_int_equal(kernel_io_values(io, "swp1", values, map.n), map.n);
	assert_int_equal(values[map.at[3][KERNEL_RX_FRAMES]], 33);
	/* With one more priority there are more names than the map knows. */
	pfc.pfc_en = 0x18;
	assert_int_equal(kernel_io_set(io, "swp1", &change).error, 0);
	assert_int_not_equal(kernel_io_values(io, "swp1", values, map.n), map.n);
	assert_int_equal(kernel_io_names(io, "swp1", &read), 0);
	kernel_map_make("mlx5_core", &read, &map);
	free(read.of);
	assert_int_equal(kernel_io_values(io, "swp1", values, map.n), map.n);
	assert_int_equal(values[map.at[3][KERNEL_RX_FRAMES]], 33);
	assert_int_equal(values[map.at[4][KERNEL_RX_FRAMES]], 44);
	kernel_io_destroy(io);
	kernel_responder_free(r);
}

/* Returns how many requests it takes to read the counters of an interface. */
static unsigned requests_of(struct kernel_responder *r, struct kernel_io *io, const char *driver,
			    struct kernel_counts *counts)
{
	struct dcbnl_port now;
	unsigned before;

	kernel_responder_read(r, "swp1", &now);
	before = kernel_responder_requests(r);
	kernel_read_counts(io, "swp1", kernel_driver(driver), &now, &map, counts);
	return kernel_responder_requests(r) - before;
}

/*
 * Values come with their number: while it stays, and PFC, only they are asked for, and what limits
 * pauses of mlx5.
 */
static void test_names_are_read_once(void **state)
{
	struct kernel_responder *r = kernel_responder_new();
	struct kernel_io *io = kernel_responder_open(r);
	struct dcbnl_port now;
	struct kernel_counts counts;

	(void)state;
	map = (struct kernel_map){.n = 0};
	kernel_responder_add(r, "swp1", KERNEL_WORKS, "mlx5_core");
	kernel_responder_read(r, "swp1", &now);
	now.pfc.pfc_en = 1 << 3;
	kernel_responder_write(r, "swp1", &now, false);
	assert_true(requests_of(r, io, "mlx5_core", &counts) > 2);
	for (unsigned i = 1; i <= 3; i++) {
		kernel_responder_count(r, "swp1", "rx_prio3_pause", i);
		assert_int_equal(requests_of(r, io, "mlx5_core", &counts), 2);
		assert_int_equal(counts.pfc[3].pfc_indications, i);
	}
	now.pfc.pfc_en = 1 << 4;
	kernel_responder_write(r, "swp1", &now, false);
	kernel_responder_count(r, "swp1", "rx_prio4_pause", 44);
	assert_true(requests_of(r, io, "mlx5_core", &counts) > 2);
	assert_int_equal(counts.pfc[4].pfc_indications, 44);
	assert_int_equal(requests_of(r, io, "mlx5_core", &counts), 2);
	/* Without rows about the driver there is nothing to ask for. */
	map = (struct kernel_map){.n = 0};
	assert_int_equal(requests_of(r, io, "acme", &counts), 0);
	kernel_io_destroy(io);
	kernel_responder_free(r);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_names_of_each_driver, begin),
	    cmocka_unit_test_setup(test_priorities_and_totals, begin),
	    cmocka_unit_test_setup(test_names_of_storms, begin),
	    cmocka_unit_test_setup(test_other_names, begin),
	    cmocka_unit_test_setup(test_first_of_equal_names, begin),
	    cmocka_unit_test_setup(test_drivers, begin),
	    cmocka_unit_test_setup(test_values, begin),
	    cmocka_unit_test_setup(test_names_are_read_once, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
