/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports at the start: refused ones, those of memory, and the first configuration. */
#include <stdio.h>
#include <string.h>

#include "lib/log.h"
#include "control/managed/memory.h"
#include "control/managed_conf.h"
#include "control/objects/mo_read.h"
#include "tests/unit/control/provider_world.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

/* A new system with ports 1 to n, collected. memory: the ifIndex of a memory port. */
static struct managed *collect_ports(struct fake_provider *fake, unsigned n, unsigned memory)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct provider *const providers[] = {&fake->provider};
	struct managed *m = managed_conf_new(&conf, providers, 1);
	char err[256];

	assert_non_null(m);
	managed_collect(m);
	for (unsigned i = 1; i <= n; i++) {
		struct port_settings settings = conf.port_default;
		char name[16];
		struct link_info link;

		snprintf(name, sizeof(name), "sw%u", i);
		link = mo_world_link(i, name, "");
		settings.memory = i == memory;
		assert_true(managed_port_add(m, &link, &settings, err, sizeof(err)));
	}
	return m;
}

/* The cost of a start is not the square of the number of ports. */
static void test_start_asks_the_provider_twice_for_any_number_of_ports(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	m = collect_ports(&fake, 100, 0);
	assert_int_equal(fake.n_prepared, 0);
	assert_true(managed_collected(m, err, sizeof(err)));
	assert_int_equal(fake.n_prepared, 1);
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.n_prepared, 2);
	assert_int_equal(fake.n_published, 1);
	assert_int_equal(fake.published->n_ports, 100);
	assert_memory_equal(fake.published->system_address, m->address, sizeof(m->address));
	managed_free(m);
}

static bool is_not_second(const struct dcb_config_port *at)
{
	return at->port->link.ifindex != 2;
}

static bool is_not_first(const struct dcb_config_port *at)
{
	return at->port->link.ifindex != 1;
}

/* A new system with ports 1 to 3, of which the provider accepts those for which accepts is true. */
static struct managed *start_with_refusal(struct fake_provider *fake,
					  bool (*accepts)(const struct dcb_config_port *at),
					  char *log, size_t size)
{
	struct log_capture c;
	struct managed *m;
	char err[256];

	fake_provider_init(fake);
	fake->accepts = accepts;
	fake->refusal = PROVIDER_CANNOT;
	m = collect_ports(fake, 3, 0);
	c = log_capture();
	assert_true(managed_collected(m, err, sizeof(err)));
	log_captured(&c, log, size);
	return m;
}

/* Its address is not that of the system: another system can have the interface. */
static void test_first_port_refused_at_the_start_leaves_no_address(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char log[1024];

	(void)state;
	m = start_with_refusal(&fake, is_not_first, log, sizeof(log));
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.published->n_ports, 2);
	assert_memory_equal(fake.published->system_address, fake.published->ports[0].port->link.mac,
			    sizeof(m->address));
	managed_free(m);
}

static void test_port_refused_at_the_start_is_left_out(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char log[1024];

	(void)state;
	m = start_with_refusal(&fake, is_not_second, log, sizeof(log));
	assert_non_null(strstr(log, "error: port: sw2: "));
	assert_null(strstr(log, "sw1"));
	assert_null(strstr(log, "sw3"));
	assert_int_equal(fake.n_open, 2);
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.published->n_ports, 2);
	assert_int_equal(fake.published->ports[0].ifindex, 1);
	assert_int_equal(fake.published->ports[1].ifindex, 3);
	managed_free(m);
	assert_int_equal(fake.n_open, 0);
}

static void test_start_fails_if_a_memory_port_is_refused(void **state)
{
	struct fake_provider fake;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	fake.accepts = is_not_second;
	fake.refusal = PROVIDER_CANNOT;
	m = collect_ports(&fake, 3, 2);
	assert_false(managed_collected(m, err, sizeof(err)));
	assert_ptr_equal(strstr(err, "sw2: "), err);
	managed_free(m);
	assert_int_equal(fake.n_open, 0);
}

/* CNMs of a provider that is asked nothing have the system's address, too: 32.8.2. */
static void test_start_sets_the_address_without_prepare(void **state)
{
	struct fake_provider fake;
	struct provider_refusal why;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	fake.ops.prepare = NULL;
	m = collect_ports(&fake, 1, 0);
	assert_true(managed_collected(m, err, sizeof(err)));
	assert_true(managed_release(m, &why));
	assert_true(m->has_address);
	assert_memory_equal(fake.published->system_address, m->address, sizeof(m->address));
	managed_free(m);
}

/* dcbd is ready when no thread is missing; a provider without a thread adopts at once. */
static void test_all_providers_have_to_adopt_the_first_configuration(void **state)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct fake_provider fakes[MO_WORLD_PROVIDERS];
	struct provider *providers[MO_WORLD_PROVIDERS];
	struct provider_refusal why;
	struct managed *m;

	(void)state;
	for (unsigned i = 0; i < MO_WORLD_PROVIDERS; i++) {
		fake_provider_init(&fakes[i]);
		providers[i] = &fakes[i].provider;
	}
	fakes[2].ops.event_fd = NULL;
	m = managed_conf_new(&conf, providers, MO_WORLD_PROVIDERS);
	assert_false(managed_is_adopted(m));
	assert_true(managed_release(m, &why));
	assert_false(managed_is_adopted(m));
	managed_adopted(m, providers[0], m->generation);
	assert_false(managed_is_adopted(m));
	managed_adopted(m, providers[1], m->generation);
	assert_true(managed_is_adopted(m));
	managed_free(m);
}

/* Of two providers the second has an engine: its place in the list does not matter. */
static void test_objects_of_the_engine_need_one(void **state)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	static const enum mo_table_id of_engine[] = {MO_engine, MO_buffer_memory, MO_buffer_pool};
	struct provider_refusal why;

	(void)state;
	for (unsigned n = 1; n <= 2; n++) {
		struct fake_provider fakes[2];
		struct provider *const providers[] = {&fakes[0].provider, &fakes[1].provider};
		struct port_settings settings = conf.port_default;
		struct link_info link = mo_world_link(1, "sw1", "");
		struct buffer_memory_stats memory;
		struct managed *m;
		char err[256];

		fake_provider_init(&fakes[0]);
		fake_provider_init(&fakes[1]);
		fakes[0].ops.name = "hardware";
		fakes[0].ops.read_provider = NULL;
		fakes[1].stats.memory.memory_frames = 77;
		m = managed_conf_new(&conf, providers, n);
		for (unsigned i = 0; i < UNIT_COUNT(of_engine); i++) {
			struct mo_index index = {.n = 0};
			struct mo_row_at at;

			assert_int_equal(
			    mo_read_next(m, m->config, of_engine[i], &index, false, &at), n == 2);
		}
		memory_read(m->engine, &memory);
		assert_int_equal(memory.memory_frames, n == 2 ? 77 : 0);
		assert_int_equal(managed_port_add(m, &link, &settings, err, sizeof(err)), n == 2);
		if (n == 1)
			assert_string_equal(err, "sw1: provider \"soft\" was not started");
		link.ifindex = 2;
		settings.provider = "hardware";
		assert_true(managed_port_add(m, &link, &settings, err, sizeof(err)));
		assert_int_equal(fakes[0].n_open, 1);
		assert_true(managed_release(m, &why));
		managed_free(m);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_start_asks_the_provider_twice_for_any_number_of_ports),
	    cmocka_unit_test(test_start_sets_the_address_without_prepare),
	    cmocka_unit_test(test_port_refused_at_the_start_is_left_out),
	    cmocka_unit_test(test_first_port_refused_at_the_start_leaves_no_address),
	    cmocka_unit_test(test_start_fails_if_a_memory_port_is_refused),
	    cmocka_unit_test(test_objects_of_the_engine_need_one),
	    cmocka_unit_test(test_all_providers_have_to_adopt_the_first_configuration),
	};

	log_init("test_provider", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
