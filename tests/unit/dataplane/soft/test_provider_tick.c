/* SPDX-License-Identifier: BSD-3-Clause */
/* The software provider without its thread: an absent interface is retried, events in order. */
#include <string.h>

#include "dataplane/soft/provider_soft.h"
#include "dataplane/soft/provider_soft_private.h"
#include "tests/unit/dataplane/soft/provider_calls.h"
#include "tests/unit/unit.h"

static struct provider *without_thread(void)
{
	static const struct provider_soft_params params = {
	    .frame_buffers = 512,
	    .frame_octets = 1600,
	    .fdb_entries = 64,
	    .fdb_ageing_s = 300,
	    .cpu = -1,
	    .seed = 1,
	    .no_thread = true,
	};
	struct provider *p;
	char err[256] = "";

	p = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(p);
	return p;
}

/* Calls tick() each second until the interface has been tried again. Returns the seconds. */
static int64_t seconds_to_retry(struct provider *p, const struct port *port, struct dcb_time *now)
{
	uint32_t before = provider_fault(port)->failures;
	int64_t start = now->ns;

	while (provider_fault(port)->failures == before) {
		assert_true(now->ns - start <= 100 * DCB_NS_PER_S);
		*now = dcb_time_add_ns(*now, DCB_NS_PER_S);
		p->ops->tick(p, *now);
	}
	assert_int_equal(provider_fault(port)->failures, before + 1);
	return (now->ns - start) / DCB_NS_PER_S;
}

static bool is_up(const struct port *port)
{
	struct port_stats stats;

	port->provider->ops->read_port(port, &stats);
	return stats.up;
}

/* The port exists, is not operational, and says why; the back-off doubles up to a minute. */
static void test_absent_interface_is_retried(void **state)
{
	static const int64_t seconds[] = {1, 2, 4, 8, 16, 32, 60, 60};
	static const struct port_settings wire = {.buffer_octets = 1 << 20, .pvid = 1};
	struct link_info link = {.ifindex = 0x7ffffff0, .name = "absent", .up = true};
	struct dcb_config *c = calloc(1, sizeof(*c) + sizeof(c->ports[0]));
	static struct port_config settings_of_port;
	struct dcb_time now = {0};
	struct provider *p = without_thread();
	struct port *port;
	char err[256] = "";

	(void)state;
	port = p->ops->port_open(p, 0, &link, &wire, err, sizeof(err));
	assert_non_null(port);
	assert_non_null(c);
	c->generation = c->n_ports = 1;
	c->ports[0].port = port;
	c->ports[0].config = &settings_of_port;
	commit(p, c);
	assert_false(is_up(port));
	assert_int_equal(provider_fault(port)->failures, 1);
	assert_non_null(strstr(provider_fault(port)->text, "absent: "));
	for (size_t i = 0; i < UNIT_COUNT(seconds); i++)
		assert_int_equal(seconds_to_retry(p, port, &now), seconds[i]);
	assert_false(is_up(port));
	/* Nothing is retried while the link is down. */
	link.up = false;
	p->ops->port_update(port, &link);
	assert_string_equal(provider_fault(port)->text, "");
	now = dcb_time_add_ns(now, 100 * DCB_NS_PER_S);
	p->ops->tick(p, now);
	assert_int_equal(provider_fault(port)->failures, 1 + UNIT_COUNT(seconds));
	/* A change of the link is an attempt at once, and the first of a new series. */
	(void)provider_soft_advance(p, now);
	link.up = true;
	p->ops->port_update(port, &link);
	assert_int_equal(provider_fault(port)->failures, 2 + UNIT_COUNT(seconds));
	assert_non_null(strstr(provider_fault(port)->text, "absent: "));
	assert_int_equal(seconds_to_retry(p, port, &now), 1);
	assert_int_equal(seconds_to_retry(p, port, &now), 2);
	p->ops->destroy(p);
	free(c);
}

/*
 * The last event of a port comes before the generation without the port: its slot can belong to
 * another port afterwards.
 */
static void test_events_of_a_removed_port_precede_the_adoption(void **state)
{
	struct link_info link = {.ifindex = 1, .name = "mem", .up = true};
	struct dcb_config *with = calloc(1, sizeof(*with) + sizeof(with->ports[0]));
	struct dcb_config without = {.generation = 2};
	static const struct port_settings memory = {
	    .buffer_octets = 1 << 20, .pvid = 1, .memory = true};
	static struct port_config settings_of_port;
	const struct port_watchdogs *watchdogs;
	struct provider_event ev;
	struct provider *p = without_thread();
	char err[256] = "";

	(void)state;
	assert_non_null(with);
	with->generation = 1;
	with->n_ports = 1;
	with->ports[0].port = p->ops->port_open(p, 0, &link, &memory, err, sizeof(err));
	with->ports[0].config = &settings_of_port;
	assert_non_null(with->ports[0].port);
	commit(p, with);
	assert_true(p->ops->next_event(p, &ev));
	assert_int_equal(ev.type, PROVIDER_ADOPTED);
	watchdogs = &((struct soft *)p)->ports->pfc.watchdogs;
	watchdogs->storm(watchdogs->ctx, soft_port_of(with->ports[0].port), 0, 1 << 3);
	commit(p, &without); /* adopted at once: there is no thread */
	assert_true(p->ops->next_event(p, &ev));
	assert_int_equal(ev.type, PROVIDER_PFC_STORM);
	assert_int_equal(ev.slot, 0);
	assert_int_equal(ev.ended, 1 << 3);
	assert_true(p->ops->next_event(p, &ev));
	assert_int_equal(ev.type, PROVIDER_ADOPTED);
	assert_int_equal(ev.generation, 2);
	assert_false(p->ops->next_event(p, &ev));
	p->ops->destroy(p);
	free(with);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_absent_interface_is_retried),
	    cmocka_unit_test(test_events_of_a_removed_port_precede_the_adoption),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
