/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ports a new configuration configures, attaches or detaches. */
#include "dataplane/config/dcb_config.h"
#include "dataplane/netio/netio.h"
#include "dataplane/port/aggregate.h"
#include "dataplane/port/port_set.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>

#define N_PORTS 4
#define ALL     0xfu

/* Calls of hooks and ops since the last check, one bit for each port. */
struct calls {
	unsigned configured, down, owner_detached, attached, detached;
	uint64_t gone[DCB_SLOTS / 64];
	unsigned n_gone;
};

struct lab {
	struct port_set set;
	struct soft_port *ports[N_PORTS]; /* each in memory pages of its own */
	struct port_config configs[N_PORTS];
	struct cn_com_pri_config com_pri[DCB_PRIORITIES];
	uint8_t cnpv_acting, auto_alt_pri;
	struct port_oper oper;
	uint8_t headroom_ratio;
	uint64_t most_missing; /* frame buffers, in the statistics while ports are configured */
	struct dcb_config *config;
	struct calls calls;
};

static const uint16_t slots[N_PORTS] = {0, 63, 64, DCB_SLOTS - 1};

static unsigned bit_of(const struct soft_port *port)
{
	return 1u << port->base.link.ifindex;
}

static void on_configured(void *owner, struct soft_port *port)
{
	struct lab *l = owner;
	struct buffer_memory_stats memory;

	frame_memory_read(&l->set.memory, &memory);
	if (memory.missing_frames > l->most_missing)
		l->most_missing = memory.missing_frames;
	l->calls.configured |= bit_of(port);
}

static void on_down(void *owner, struct soft_port *port)
{
	struct lab *l = owner;

	l->calls.down |= bit_of(port);
}

static void on_owner_detached(void *owner, struct soft_port *port)
{
	struct lab *l = owner;

	assert_true(l->calls.detached & bit_of(port)); /* reception stopped before */
	l->calls.owner_detached |= bit_of(port);
}

static void on_gone(void *owner, const uint64_t *gone)
{
	struct lab *l = owner;

	assert_int_equal(l->calls.attached, 0);
	memcpy(l->calls.gone, gone, sizeof(l->calls.gone));
	l->calls.n_gone++;
}

static void on_attached(void *ctx, struct soft_port *port)
{
	struct lab *l = ctx;

	assert_non_null(port->config); /* configured before reception starts */
	l->calls.attached |= bit_of(port);
}

static void on_detached(void *ctx, struct soft_port *port)
{
	struct lab *l = ctx;

	l->calls.detached |= bit_of(port);
}

static const struct port_set_hooks hooks = {
    .configured = on_configured,
    .down = on_down,
    .detached = on_owner_detached,
    .gone = on_gone,
};
static const struct port_set_ops ops = {.attached = on_attached, .detached = on_detached};

static struct soft_port *make_port(unsigned n)
{
	struct soft_port *port =
	    mmap(NULL, sizeof(*port), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(port, MAP_FAILED);
	port->base.slot = slots[n];
	port->base.link.ifindex = n;
	port->base.link.up = true;
	port->base.settings.buffer_octets = 1 << 20;
	port->io = netio_nothing();
	port_init(port);
	return port;
}

static void set_reachable(struct lab *l, unsigned n, bool reachable)
{
	assert_int_equal(mprotect(l->ports[n], sizeof(*l->ports[n]),
				  reachable ? PROT_READ | PROT_WRITE : PROT_NONE),
			 0);
}

static int set_up(void **state)
{
	struct lab *l = calloc(1, sizeof(*l));
	const struct port_set_params params = {.frame_buffers = 16,
					       .frame_octets = 1500,
					       .transit_ns = 5,
					       .seed = 1,
					       .ops = &ops,
					       .ctx = l,
					       .hooks = &hooks,
					       .owner = l};

	assert_non_null(l);
	assert_true(port_set_init(&l->set, &params));
	for (unsigned i = 0; i < N_PORTS; i++)
		l->ports[i] = make_port(i);
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *l = *state;

	port_set_destroy(&l->set);
	for (unsigned i = 0; i < N_PORTS; i++) {
		assert_false(l->ports[i]->attached);
		munmap(l->ports[i], sizeof(*l->ports[i]));
	}
	free(l->config);
	free(l);
	return 0;
}

/* Adopts a configuration of these ports, one bit each, and frees the previous one. */
static void adopt(struct lab *l, unsigned ports)
{
	struct dcb_config *c = calloc(1, sizeof(*c) + N_PORTS * sizeof(c->ports[0]));

	assert_non_null(c);
	memcpy(c->com_pri, l->com_pri, sizeof(c->com_pri));
	memset(c->cncp_auto_alt_pri, l->auto_alt_pri, sizeof(c->cncp_auto_alt_pri));
	c->cnpv_acting = l->cnpv_acting;
	c->buffer_memory.rules.headroom_ratio = l->headroom_ratio;
	for (unsigned i = 0; i < N_PORTS; i++) {
		if (ports >> i & 1)
			c->ports[c->n_ports++] = (struct dcb_config_port){
			    .port = &l->ports[i]->base, .config = &l->configs[i], .oper = l->oper};
	}
	port_set_adopt(&l->set, c, (struct dcb_time){0});
	free(l->config);
	l->config = c;
}

static void assert_calls(struct lab *l, unsigned configured, unsigned attached, unsigned detached)
{
	uint64_t gone[DCB_SLOTS / 64] = {0};

	for (unsigned i = 0; i < N_PORTS; i++) {
		if (detached >> i & 1)
			gone[slots[i] / 64] |= UINT64_C(1) << slots[i] % 64;
	}
	assert_int_equal(l->calls.configured, configured);
	assert_int_equal(l->calls.attached, attached);
	assert_int_equal(l->calls.detached, detached);
	assert_int_equal(l->calls.owner_detached, detached);
	assert_int_equal(l->calls.n_gone, detached ? 1 : 0);
	assert_memory_equal(l->calls.gone, gone, sizeof(gone));
	l->calls = (struct calls){0};
}

static void assert_attached(const struct lab *l, unsigned ports)
{
	for (unsigned i = 0; i < N_PORTS; i++) {
		const struct soft_port *port = l->ports[i];
		bool is = ports >> i & 1;
		struct port_stats stats;

		port_read(port, &stats);
		assert_int_equal(port->attached, is);
		assert_int_equal(stats.up, is);
		assert_ptr_equal(port->config, is ? &l->configs[i] : NULL);
		assert_ptr_equal(l->set.by_slot[slots[i]], is ? port : NULL);
		if (is)
			assert_int_equal(port->queues.transit_ns, 5);
	}
}

/* Changes from each set of ports to each other set. */
static void test_attaches_and_detaches_ports(void **state)
{
	struct lab *l = *state;

	for (unsigned before = 0; before <= ALL; before++) {
		for (unsigned after = 0; after <= ALL; after++) {
			adopt(l, before);
			l->calls = (struct calls){0};
			adopt(l, after);
			assert_calls(l, after & ~before, after & ~before, before & ~after);
			assert_attached(l, after);
		}
	}
}

/* A new port gets the slot of a removed one; the number of ports stays. */
static void test_slot_is_reused(void **state)
{
	struct lab *l = *state;

	adopt(l, 1 << 0 | 1 << 1);
	l->ports[2]->base.slot = slots[1];
	l->calls = (struct calls){0};
	adopt(l, 1 << 0 | 1 << 2);
	assert_int_equal(l->calls.detached, 1 << 1);
	assert_int_equal(l->calls.attached, 1 << 2);
	assert_ptr_equal(l->set.by_slot[slots[1]], l->ports[2]);
}

/* A change of the part common to all ports configures all ports. */
static void test_common_change_configures_all_ports(void **state)
{
	struct lab *l = *state;

	adopt(l, ALL);
	l->calls = (struct calls){0};
	adopt(l, ALL);
	assert_calls(l, 0, 0, 0);
	l->cnpv_acting = 1;
	adopt(l, ALL);
	assert_calls(l, ALL, 0, 0);
	l->com_pri[DCB_PRIORITIES - 1].cncp_admin_defense_mode = CPT_INTERIOR;
	adopt(l, ALL);
	assert_calls(l, ALL, 0, 0);
	l->auto_alt_pri = 3;
	adopt(l, ALL);
	assert_calls(l, ALL, 0, 0);
	l->oper.ets_tables.bandwidth[DCB_PRIORITIES - 1] = 7;
	adopt(l, ALL);
	assert_calls(l, ALL, 0, 0);
	assert_int_equal(l->ports[2]->oper.ets_tables.bandwidth[DCB_PRIORITIES - 1], 7);
	l->cnpv_acting = 3;
	adopt(l, ALL & ~1u); /* rules and ports change */
	assert_calls(l, ALL & ~1u, 0, 1);
}

/* A change of one port neither reads nor writes the memory of others. */
static void test_change_of_one_port_does_not_access_others(void **state)
{
	struct lab *l = *state;

	adopt(l, ALL);
	for (unsigned changed = 0; changed < N_PORTS; changed++) {
		struct port_config other = l->configs[changed];
		struct dcb_config *c = malloc(sizeof(*c) + N_PORTS * sizeof(c->ports[0]));

		assert_non_null(c);
		memcpy(c, l->config, sizeof(*c) + N_PORTS * sizeof(c->ports[0]));
		c->ports[changed] = dcb_config_port_alone(&l->ports[changed]->base, &other);
		l->calls = (struct calls){0};
		for (unsigned i = 0; i < N_PORTS; i++)
			set_reachable(l, i, i == changed);
		port_set_adopt(&l->set, c, (struct dcb_time){0});
		assert_calls(l, 1u << changed, 0, 0);
		for (unsigned i = 0; i < N_PORTS; i++)
			set_reachable(l, i, true);
		assert_ptr_equal(l->ports[changed]->config, &other);
		free(l->config);
		l->config = c;
		adopt(l, ALL);
	}
}

/* Of a configuration that follows the one in force, only the changed port is even looked at. */
static void test_only_the_changed_port_of_a_successor_is_read(void **state)
{
	struct lab *l = *state;

	adopt(l, ALL);
	for (unsigned changed = 0; changed < N_PORTS; changed++) {
		struct port_config other = l->configs[changed];
		struct dcb_config *c = malloc(sizeof(*c) + N_PORTS * sizeof(c->ports[0]));

		assert_non_null(c);
		l->config->generation = 7;
		memcpy(c, l->config, sizeof(*c) + N_PORTS * sizeof(c->ports[0]));
		c->base = 7;
		c->generation = 8;
		dcb_config_mark(c, changed);
		c->ports[changed] = dcb_config_port_alone(&l->ports[changed]->base, &other);
		for (unsigned i = 0; i < N_PORTS; i++)
			if (i != changed)
				c->ports[i].port = NULL;
		l->calls = (struct calls){0};
		port_set_adopt(&l->set, c, (struct dcb_time){0});
		assert_calls(l, 1u << changed, 0, 0);
		for (unsigned i = 0; i < N_PORTS; i++)
			c->ports[i].port = &l->ports[i]->base;
		free(l->config);
		l->config = c;
		/* One before the last: what has changed between is not recorded. */
		l->config->generation = 9;
		adopt(l, ALL);
		assert_calls(l, 1u << changed, 0, 0);
	}
}

/*
 * A change that fits as a whole: without PFC the headroom need not be shared. Other threads
 * never see the new rules with the former ports.
 */
static void test_statistics_show_no_change_in_part(void **state)
{
	struct lab *l = *state;
	struct buffer_memory_stats memory;

	for (unsigned i = 0; i < N_PORTS; i++)
		l->ports[i]->base.settings.pfc_headroom_octets = 300; /* 22 frame buffers, of 16 */
	l->oper.pfc_enable = 1 << 3;
	l->headroom_ratio = 16;
	adopt(l, ALL);
	frame_memory_read(&l->set.memory, &memory);
	assert_int_equal(memory.headroom_frames, N_PORTS * 22);
	l->oper.pfc_enable = 0;
	l->headroom_ratio = 1;
	adopt(l, ALL);
	assert_int_equal(l->most_missing, 0);
	l->oper.pfc_enable = 1 << 3;
	adopt(l, ALL);
	frame_memory_read(&l->set.memory, &memory);
	assert_int_equal(memory.missing_frames, N_PORTS * 22 - 16);
}

/* Adopts a headroom of port 0, as from another measurement of its link. */
static void set_headroom(struct lab *l, uint32_t octets)
{
	l->configs[0].pfc_headroom.choice = PFC_HEADROOM_MANUAL;
	l->configs[0].pfc_link_delay_allowance = 8 * octets;
	l->oper.pfc_enable = 1 << 3;
	l->oper.pfc_measured_quanta++;
	adopt(l, 1);
}

/* 36.8: more headroom is in force at once, less not while frames are in it. */
static void test_headroom_in_use_is_not_reduced(void **state)
{
	struct lab *l = *state;
	struct buffer_account *a = &l->ports[0]->buffers.lossless[3];
	struct dcb_time now = {0};
	uint32_t held = 0;

	set_headroom(l, 3000);
	assert_int_equal(a->quota.headroom.octets, 3000 + 1500);
	set_headroom(l, 2000); /* not in use */
	assert_int_equal(a->quota.headroom.octets, 2000 + 1500);
	do
		held++;
	while (buffer_take(a, 100) == BUFFER_FITS);
	assert_true(buffer_is_congested(a));
	set_headroom(l, 300);
	assert_int_equal(a->quota.headroom.octets, 2000 + 1500);
	assert_int_equal(port_set_transmit(&l->set, now).ns, FRAME_MEMORY_SHRINK_NS);
	assert_int_equal(a->quota.headroom.octets, 2000 + 1500);
	set_headroom(l, 6000);
	assert_int_equal(a->quota.headroom.octets, 6000 + 1500);
	set_headroom(l, 300);
	assert_int_equal(a->quota.headroom.octets, 6000 + 1500);
	buffer_release(a, 100 * held, held);
	now.ns = FRAME_MEMORY_SHRINK_NS - 1;
	port_set_transmit(&l->set, now);
	assert_int_equal(a->quota.headroom.octets, 6000 + 1500);
	now.ns = FRAME_MEMORY_SHRINK_NS;
	assert_int_equal(port_set_transmit(&l->set, now).ns, DCB_TIME_NEVER.ns);
	assert_int_equal(a->quota.headroom.octets, 300 + 1500);
	/* PFC that ends needs no headroom. */
	buffer_take(a, 1000);
	l->oper.pfc_enable = 0;
	adopt(l, 1);
	assert_int_equal(a->quota.headroom.octets, 0);
	buffer_release(a, 1000, 1);
}

static void queue_frame(struct lab *l, struct soft_port *port)
{
	struct dcb_frame *frame = frame_pool_get(&l->set.pool);

	assert_non_null(frame);
	frame->len = 100;
	frame->priority = 0;
	frame->flags = 0;
	(void)port_set_enqueue(&l->set, port, frame, (struct dcb_time){0});
	port_set_schedule_pfc(&l->set, port);
}

/* A port detached with queued frames and PFC due may be freed: it is not accessed. */
static void test_detached_port_is_not_accessed(void **state)
{
	struct lab *l = *state;

	for (unsigned gone = 0; gone < N_PORTS; gone++) {
		adopt(l, ALL);
		for (unsigned i = 0; i < N_PORTS; i++) {
			l->ports[i]->blocked = true;
			queue_frame(l, l->ports[i]);
		}
		l->calls = (struct calls){0};
		adopt(l, ALL & ~(1u << gone));
		assert_int_equal(l->set.pool.n_free, l->set.pool.size - (N_PORTS - 1));
		set_reachable(l, gone, false);
		(void)port_set_transmit(&l->set, (struct dcb_time){0});
		set_reachable(l, gone, true);
		l->calls = (struct calls){0};
		adopt(l, 0);
		assert_int_equal(l->set.pool.n_free, l->set.pool.size);
		assert_null(l->set.backlog);
		assert_null(l->set.pfc_tx_pending);
		l->calls = (struct calls){0};
	}
}

/* The removal of a port with PFC due is undone: its PFC initiator can be scheduled again. */
static void test_reattached_port_is_scheduled(void **state)
{
	struct lab *l = *state;

	for (unsigned i = 0; i < N_PORTS; i++) {
		adopt(l, ALL);
		port_set_schedule_pfc(&l->set, l->ports[i]);
		l->calls = (struct calls){0};
		adopt(l, ALL & ~(1u << i));
		assert_null(l->set.pfc_tx_pending);
		l->calls = (struct calls){0};
		adopt(l, ALL);
		port_set_schedule_pfc(&l->set, l->ports[i]);
		assert_ptr_equal(l->set.pfc_tx_pending, l->ports[i]);
		(void)port_set_transmit(&l->set, (struct dcb_time){0}); /* it has nothing to send */
		assert_null(l->set.pfc_tx_pending);
	}
}

/* Attached ports with the same aggregate name are links of one bridge port. */
static void test_ports_with_same_name_are_aggregated(void **state)
{
	static const char *const names[N_PORTS] = {"a", "b", "a", "b"};
	struct lab *l = *state;

	for (unsigned i = 0; i < N_PORTS; i++)
		strcpy(l->ports[i]->base.settings.aggregate, names[i]);
	adopt(l, 1 << 0 | 1 << 1 | 1 << 3);
	assert_ptr_equal(l->ports[0]->ring_next, l->ports[0]);
	assert_true(aggregate_is_same(l->ports[1], l->ports[3]));
	assert_false(aggregate_is_same(l->ports[0], l->ports[1]));
	l->calls = (struct calls){0};
	adopt(l, ALL);
	assert_true(aggregate_is_same(l->ports[0], l->ports[2]));
	assert_true(aggregate_is_same(l->ports[2], l->ports[0]));
	assert_false(aggregate_is_same(l->ports[2], l->ports[3]));
	l->calls = (struct calls){0};
	adopt(l, 1 << 2 | 1 << 3);
	assert_null(l->ports[0]->ring_next);
	assert_ptr_equal(l->ports[2]->ring_next, l->ports[2]);
}

/* The hooks are called for a link that goes down, or changes speed or address. */
static void test_link_changes_call_hooks(void **state)
{
	struct lab *l = *state;
	struct soft_port *port = l->ports[1];
	struct port_stats stats;

	adopt(l, ALL);
	l->calls = (struct calls){0};
	port->blocked = true;
	port_set_port_down(&l->set, port, (struct dcb_time){0});
	assert_int_equal(l->calls.down, 1 << 1);
	assert_false(port->blocked);
	port_read(port, &stats);
	assert_false(stats.up);
	port_set_port_up(&l->set, port, (struct dcb_time){0});
	port_read(port, &stats);
	assert_true(stats.up);
	assert_int_equal(l->calls.configured, 0);
	port_set_port_changed(&l->set, port, (struct dcb_time){0});
	assert_int_equal(l->calls.configured, 1 << 1);
	assert_int_equal(l->calls.down, 1 << 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_attaches_and_detaches_ports),
	    TEST(test_slot_is_reused),
	    TEST(test_common_change_configures_all_ports),
	    TEST(test_change_of_one_port_does_not_access_others),
	    TEST(test_only_the_changed_port_of_a_successor_is_read),
	    TEST(test_statistics_show_no_change_in_part),
	    TEST(test_headroom_in_use_is_not_reduced),
	    TEST(test_detached_port_is_not_accessed),
	    TEST(test_reattached_port_is_scheduled),
	    TEST(test_ports_with_same_name_are_aggregated),
	    TEST(test_link_changes_call_hooks),
	};

	return cmocka_run_group_tests_name("port_set", tests, NULL, NULL);
}
