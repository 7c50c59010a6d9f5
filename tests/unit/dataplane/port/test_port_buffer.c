/* SPDX-License-Identifier: BSD-3-Clause */
/* What the accounts of a port may hold, by its settings. */
#include "tests/unit/unit.h"

#include "dataplane/config/port_buffer.h"

#define LONGEST 2000u

/* Settings at their defaults, but for the headroom. */
struct lab {
	struct port_settings settings;
	struct port_config config;
	struct port_oper oper;
	struct port_buffer_input in;
	struct port_buffer_quotas quotas;
};

static void lab_init(struct lab *l)
{
	*l = (struct lab){
	    .settings = {.buffer_octets = 400000, .pfc_headroom_octets = 10000},
	    .oper = {.pfc_enable = 0xff},
	    .in = {.settings = &l->settings,
		   .config = &l->config,
		   .oper = &l->oper,
		   .longest = LONGEST},
	};
}

/* pfc.buffer has headroom and one frame first, then as much of the reserve as fits. */
static void test_reserve_within_pfc_buffer(void **state)
{
	static const struct {
		uint32_t buffer, reserve;
		struct buffer_use granted;
		uint32_t limit;
	} rows[] = {
	    {20000, 3000, {3000, 2}, 5000}, {20000, 8000, {8000, 4}, 0},
	    {20000, 50000, {8000, 4}, 0},   {12001, 50000, {1, 1}, 0},
	    {12000, 50000, {0, 0}, 0},      {2000, 50000, {0, 0}, 0},
	};
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(rows); i++) {
		const struct buffer_quota *q = &l.quotas.lossless[3];

		lab_init(&l);
		l.settings.pfc_buffer_octets = rows[i].buffer;
		l.config.buffer[3].reserve_octets = rows[i].reserve;
		port_buffer_quotas(&l.in, &l.quotas);
		assert_int_equal(q->reserve.octets, rows[i].granted.octets);
		assert_int_equal(q->reserve.frames, rows[i].granted.frames);
		assert_int_equal(q->limit_octets, rows[i].limit);
		assert_int_equal(q->headroom.octets, 10000 + LONGEST);
	}
}

/* Without pfc.xon two frames below the threshold, otherwise no more octets than that too. */
static void test_xon_follows_xon_of_each_priority(void **state)
{
	static const struct {
		uint32_t xon, octets, margin, margin_with_reserve;
	} rows[] = {
	    {0, UINT32_MAX, 2 * LONGEST, 2 * LONGEST},
	    {50000, 50000, 2 * LONGEST, 2 * LONGEST},
	    {399000, 399000, 1000, 2 * LONGEST},
	    {401000, 401000, 0, 2 * LONGEST},
	    {500000, 500000, 0, 0},
	};
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(rows); i++) {
		struct buffer_xon plain, with_reserve;

		lab_init(&l);
		l.settings.pfc_xon_octets = rows[i].xon;
		l.config.buffer[6].reserve_octets = 60000;
		port_buffer_quotas(&l.in, &l.quotas);
		plain = port_buffer_xon(&l.settings, &l.quotas.lossless[7], LONGEST);
		with_reserve = port_buffer_xon(&l.settings, &l.quotas.lossless[6], LONGEST);
		assert_int_equal(plain.octets, rows[i].octets);
		assert_int_equal(with_reserve.octets, rows[i].octets);
		assert_int_equal(plain.margin_octets, rows[i].margin);
		assert_int_equal(with_reserve.margin_octets, rows[i].margin_with_reserve);
	}
}

static void check_fits(const struct buffer_quota *q)
{
	assert_true((uint64_t)q->reserve.octets + q->limit_octets + q->headroom.octets + LONGEST <=
		    UINT32_MAX);
}

/* The octets of an account, of up to 68 GB of memory, are a number of 32 bits. */
static void test_largest_quotas_fit_32_bits(void **state)
{
	struct lab l;

	(void)state;
	lab_init(&l);
	l.settings.buffer_octets = 1 << 30;
	l.settings.pfc_headroom_octets = 1 << 30;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		l.config.buffer[i].reserve_octets = 1 << 30; /* the largest of dcbBufferReserve */
	for (unsigned station = 0; station < 2; station++) {
		l.in.station = station;
		port_buffer_quotas(&l.in, &l.quotas);
		for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
			check_fits(&l.quotas.lossless[i]);
			check_fits(&l.quotas.lossy[i]);
			check_fits(&l.quotas.flows[i]);
		}
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reserve_within_pfc_buffer),
	    cmocka_unit_test(test_xon_follows_xon_of_each_priority),
	    cmocka_unit_test(test_largest_quotas_fit_32_bits),
	};

	return cmocka_run_group_tests_name("port_buffer", tests, NULL, NULL);
}
