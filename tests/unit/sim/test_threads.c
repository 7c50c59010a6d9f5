/* SPDX-License-Identifier: BSD-3-Clause */
/* One run in several threads: the barrier, the division of a network, and equal results. */
#include "tests/unit/sim_run.h"

#include "sim/net/barrier.h"
#include "sim/net/partition.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

/* --- barrier --------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS  UNIT_CASES(2000)

struct counters {
	struct barrier barrier;
	unsigned of[THREADS]; /* written by one thread, read by all after the barrier */
};

struct counter {
	struct counters *all;
	unsigned own;
	unsigned wrong; /* counters of other threads that were not in this round */
	pthread_t id;
};

static void *count_rounds(void *arg)
{
	struct counter *c = arg;

	for (unsigned round = 1; round <= ROUNDS; round++) {
		c->all->of[c->own] = round;
		barrier_wait(&c->all->barrier);
		for (unsigned i = 0; i < THREADS; i++)
			c->wrong += c->all->of[i] != round;
		barrier_wait(&c->all->barrier);
	}
	return NULL;
}

static void test_threads_are_in_the_same_round_after_a_barrier(void **state)
{
	static struct counters all;
	struct counter threads[THREADS];

	(void)state;
	assert_true(barrier_init(&all.barrier, THREADS));
	for (unsigned i = 0; i < THREADS; i++) {
		threads[i] = (struct counter){.all = &all, .own = i};
		assert_int_equal(pthread_create(&threads[i].id, NULL, count_rounds, &threads[i]),
				 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i].id, NULL), 0);
		assert_int_equal(threads[i].wrong, 0);
	}
	barrier_destroy(&all.barrier);
}

static void *wait_once(void *arg)
{
	barrier_wait(arg);
	return NULL;
}

static void test_a_late_thread_wakes_those_that_sleep(void **state)
{
	static struct barrier barrier;
	pthread_t early[THREADS - 1];

	(void)state;
	assert_true(barrier_init(&barrier, THREADS));
	for (unsigned i = 0; i < THREADS - 1; i++)
		assert_int_equal(pthread_create(&early[i], NULL, wait_once, &barrier), 0);
	while (atomic_load(&barrier.n_asleep) < THREADS - 1)
		sched_yield();
	barrier_wait(&barrier);
	for (unsigned i = 0; i < THREADS - 1; i++)
		assert_int_equal(pthread_join(early[i], NULL), 0);
	barrier_destroy(&barrier);
}

/* --- division -------------------------------------------------------------------------- */

#define NODES_MAX 64

struct division {
	struct fixture w;
	uint32_t parts;
	uint32_t of[NODES_MAX];
};

static void divide(struct division *d, const char *text, uint32_t n)
{
	start(&d->w, text, 1);
	assert_true(d->w.run.sim.n_nodes <= NODES_MAX);
	d->parts = partition_network(&d->w.run.sim, n, d->of);
	for (uint32_t i = 0; i < d->w.run.sim.n_nodes; i++)
		assert_true(d->of[i] < d->parts);
}

static uint32_t part_of(struct division *d, const char *name)
{
	for (uint32_t i = 0; i < d->w.run.sim.n_nodes; i++) {
		if (strcmp(d->w.run.sim.nodes[i].name, name) == 0)
			return d->of[i];
	}
	fail_msg("no node %s", name);
	return 0;
}

static uint32_t cables_between_parts(const struct division *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->w.run.sim.n_links; i += 2) {
		const struct sim_link *link = &d->w.run.sim.links[i];

		n += d->of[link->from->id] != d->of[link->to->id];
	}
	return n;
}

/* Bridges in a row, each with four hosts; delays of the cables between bridges and to hosts. */
#define ROW(bridge_delay, host_delay)                                                             \
	"duration = \"1ms\"; nodes = ( { name = \"h%d\"; kind = \"host\"; count = 32; },"         \
	"  { name = \"b%d\"; kind = \"bridge\"; count = 8; } );"                                  \
	"links = ( { ends = [ \"h%d\", \"b%d\" ]; count = 32; divide = [ 1, 4 ]; rate = \"10G\";" \
	"    delay = \"" host_delay                                                               \
	"\"; },"                                                                                  \
	"  { ends = [ \"b%d\", \"b%d\" ]; count = 7; offset = [ 0, 1 ]; rate = \"10G\";"          \
	"    delay = \"" bridge_delay "\"; } );"

static void test_a_row_of_bridges_is_cut_once_for_each_further_part(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 8; n++) {
		struct division d;
		uint32_t bridges[8] = {0};

		divide(&d, ROW("1us", "1us"), n);
		assert_int_equal(d.parts, n);
		for (uint32_t i = 32; i < 40; i++)
			bridges[d.of[i]]++;
		for (uint32_t i = 0; n == 2 && i < n; i++)
			assert_int_equal(bridges[i], 4);
		if (n <= 2)
			assert_int_equal(cables_between_parts(&d), n - 1);
		end(&d.w);
	}
}

static void test_only_the_longest_cables_are_between_parts(void **state)
{
	struct division d;

	(void)state;
	/* Even where the shares of the ports would be equal with a host elsewhere. */
	divide(&d, ROW("5us", "100ns"), 4);
	assert_int_equal(d.parts, 4);
	assert_int_equal(cables_between_parts(&d), 3);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(d.of[i], d.of[32 + i / 4]);
	end(&d.w);
}

static void test_ends_of_a_link_without_delay_are_in_one_part(void **state)
{
	struct division d;

	(void)state;
	divide(&d, ROW("0ns", "1us"), 2);
	for (uint32_t i = 33; i < 40; i++)
		assert_int_equal(d.of[i], d.of[32]);
	end(&d.w);
	divide(&d, ROW("0ns", "0ns"), 4);
	assert_int_equal(d.parts, 1);
	end(&d.w);
	/* In one direction. */
	divide(&d,
	       "duration = \"1ms\"; nodes = ( { name = \"h%d\"; kind = \"host\"; count = 2; } );"
	       "links = ( { ends = [ \"h0\", \"h1\" ]; rate = \"10G\"; delay = [ \"1us\", \"0ns\" "
	       "]; } );",
	       2);
	assert_int_equal(d.parts, 1);
	end(&d.w);
}

/* A cable of 5 ns between parts would make windows of 73 ns instead of 10 us. */
static void test_cables_much_shorter_than_the_longest_are_not_between_parts(void **state)
{
	static const char two_bridges[] =
	    "duration = \"1ms\"; nodes = ( { name = \"h%d\"; kind = \"host\"; count = 16; },"
	    "  { name = \"g%d\"; kind = \"host\"; count = 4; },"
	    "  { name = \"b%d\"; kind = \"bridge\"; count = 2; } );"
	    "links = ( { ends = [ \"b0\", \"b1\" ]; rate = \"100G\"; delay = \"10us\"; },"
	    "  { ends = [ \"h%d\", \"b0\" ]; count = 16; rate = \"10G\"; delay = \"5ns\"; },"
	    "  { ends = [ \"g%d\", \"b1\" ]; count = 4; rate = \"10G\"; delay = \"5ns\"; } );";

	(void)state;
	for (uint32_t n = 2; n <= 5; n++) {
		struct division d;

		divide(&d, two_bridges, n);
		assert_int_equal(d.parts, 2);
		assert_int_equal(cables_between_parts(&d), 1);
		assert_int_not_equal(part_of(&d, "b0"), part_of(&d, "b1"));
		end(&d.w);
	}
}

static void test_every_node_can_be_a_part_and_no_part_is_empty(void **state)
{
	struct division d;
	bool used[NODES_MAX] = {0};

	(void)state;
	divide(&d, ROW("1us", "1us"), NODES_MAX);
	assert_int_equal(d.parts, 40);
	for (uint32_t i = 0; i < 40; i++) {
		assert_false(used[d.of[i]]);
		used[d.of[i]] = true;
	}
	end(&d.w);
}

/* Two pairs of hosts that are not connected with each other. */
static void test_separate_networks_are_parts(void **state)
{
	struct division d;

	(void)state;
	divide(&d,
	       "duration = \"1ms\"; nodes = ( { name = \"a%d\"; kind = \"host\"; count = 2; },"
	       "  { name = \"b%d\"; kind = \"host\"; count = 2; } );"
	       "links = ( { ends = [ \"a0\", \"a1\" ]; rate = \"10G\"; delay = \"1us\"; },"
	       "  { ends = [ \"b0\", \"b1\" ]; rate = \"10G\"; delay = \"1us\"; } );",
	       2);
	assert_int_equal(d.parts, 2);
	assert_int_equal(part_of(&d, "a0"), part_of(&d, "a1"));
	assert_int_equal(part_of(&d, "b0"), part_of(&d, "b1"));
	assert_int_not_equal(part_of(&d, "a0"), part_of(&d, "b0"));
	end(&d.w);
}

/* --- runs ------------------------------------------------------------------------------ */

/* Stations send through a row of bridges, in which objects, a rate and a link change. */
static const char changing[] =
    "duration = \"3ms\"; sample = \"100us\"; lldp = true; cnpvs = [ 3 ]; pfc = [ 5 ];"
    "nodes = ( { name = \"b%d\"; kind = \"bridge\"; count = 4; },"
    "  { name = \"s%d\"; kind = \"station\"; count = 8; } );"
    "links = ( { ends = [ \"b%d\", \"b%d\" ]; count = 3; offset = [ 0, 1 ]; rate = \"10G\";"
    "    delay = \"1us\"; },"
    "  { ends = [ \"s%d\", \"b%d\" ]; count = 8; divide = [ 1, 2 ]; rate = \"10G\";"
    "    delay = \"500ns\"; } );"
    "flows = ( { name = \"a%d\"; from = \"s%d\"; to = \"s7\"; count = 6; priority = 3; },"
    "  { name = \"b%d\"; from = \"s%d\"; to = \"s0\"; count = 6; offset = 1; priority = 5;"
    "    rate = \"3G\"; on = \"20us\"; off = \"30us\"; random = true; } );"
    "events = ( { at = \"500us\"; link = \"b0->b1\"; rate = \"1G\"; },"
    "  { at = \"1ms\"; link = \"b1->b2\"; up = false; },"
    "  { at = \"1300us\"; link = \"b1->b2\"; up = true; },"
    "  { at = \"1500us\"; link = \"b0->b1\"; rate = \"40G\"; },"
    "  { at = \"2ms\"; object = \"ieee8021CnGlobalMasterEnable\"; node = \"b3\"; value = "
    "\"false\"; "
    "} );";

static void run_in(struct fixture *w, const char *text, uint32_t threads)
{
	read_text(&w->scn, text);
	assert_true(run_init(&w->run, &w->scn, 1, threads, w->err, sizeof(w->err)));
	assert_int_equal(w->run.sim.n_parts, threads);
	run(w);
}

static void assert_same(const struct sim *a, const struct sim *b)
{
	assert_int_equal(a->frame_events, b->frame_events);
	for (uint32_t i = 0; i < a->n_links; i++)
		assert_memory_equal(&a->links[i].stats, &b->links[i].stats,
				    sizeof(a->links[i].stats));
	for (uint32_t i = 0; i < a->n_flows; i++)
		assert_memory_equal(&a->flows[i].stats, &b->flows[i].stats,
				    sizeof(a->flows[i].stats));
}

static void test_links_and_flows_have_the_same_counters_with_threads(void **state)
{
	static const uint32_t threads[] = {2, 3, 5, 12};
	struct fixture one;

	(void)state;
	run_in(&one, changing, 1);
	assert_true(link_of(&one, "b1", "b2")->stats.lost > 0);
	for (unsigned i = 0; i < UNIT_COUNT(threads); i++) {
		struct fixture several;

		run_in(&several, changing, threads[i]);
		assert_same(&one.run.sim, &several.run.sim);
		end(&several);
	}
	end(&one);
}

/* The cable between the parts gets faster: frames arrive earlier, and windows have to be shorter.
 */
static void test_windows_follow_a_rate_that_rises(void **state)
{
	static const char star[] =
	    "duration = \"2ms\"; sample = \"50us\";"
	    "nodes = ( { name = \"h%d\"; kind = \"host\"; count = 3; },"
	    "  { name = \"b0\"; kind = \"bridge\"; } );"
	    "links = ( { ends = [ \"h1\", \"b0\" ]; rate = \"1G\"; delay = \"500ns\"; },"
	    "  { ends = [ \"h0\", \"b0\" ]; rate = \"1G\"; delay = \"500ns\"; },"
	    "  { ends = [ \"b0\", \"h2\" ]; rate = \"1G\"; delay = \"500ns\"; } );"
	    "flows = ( { name = \"f%d\"; from = \"h%d\"; to = \"h2\"; count = 2; frame = 64;"
	    "  rate = \"450M\"; on = \"7us\"; off = \"3us\"; random = true; } );"
	    "events = ( { at = \"100us\"; link = \"h1->b0\"; rate = \"100G\"; } );";
	struct fixture one, two;

	(void)state;
	run_in(&one, star, 1);
	run_in(&two, star, 2);
	assert_non_null(link_of(&two, "h1", "b0")->crossings);
	assert_null(link_of(&two, "h0", "b0")->crossings);
	assert_same(&one.run.sim, &two.run.sim);
	end(&two);
	end(&one);
}

/* Each part has so many nodes and links that what the next events access is loaded ahead. */
static void test_parts_of_a_large_network_load_ahead_side_by_side(void **state)
{
	static const char large[] =
	    "duration = \"60us\"; sample = \"20us\";"
	    "nodes = ( { name = \"b%d\"; kind = \"bridge\"; count = 8; },"
	    "  { name = \"h%d\"; kind = \"host\"; count = 800; frame_buffers = 300; } );"
	    "links = ( { ends = [ \"h%d\", \"b%d\" ]; count = 800; divide = [ 1, 100 ];"
	    "    rate = \"10G\"; delay = \"1us\"; },"
	    "  { ends = [ \"b%d\", \"b%d\" ]; count = 8; offset = [ 0, 1 ]; modulo = 8;"
	    "    rate = \"400G\"; delay = \"1us\"; } );"
	    "flows = ( { name = \"f%d\"; from = \"h%d\"; to = \"h%d\"; count = 800;"
	    "    offset = [ 0, 300 ]; modulo = 800; rate = \"1G\"; } );";
	struct fixture one, two;

	(void)state;
	run_in(&one, large, 1);
	run_in(&two, large, 2);
	for (unsigned i = 0; i < 2; i++)
		assert_true(two.run.sim.parts[i].heap.n >= HEAP_LARGE);
	assert_true(one.run.sim.frame_events > 4000);
	assert_same(&one.run.sim, &two.run.sim);
	end(&two);
	end(&one);
}

static void test_network_that_never_ran_ends_its_threads(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		struct fixture w;

		read_text(&w.scn, changing);
		assert_true(run_init(&w.run, &w.scn, 1, 4, w.err, sizeof(w.err)));
		end(&w);
	}
}

/* The linker replaces pthread_create() by this (option --wrap). */
static int threads_left = -1; /* that can be started; -1: any number */
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start_at)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start_at)(void *),
			  void *arg);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start_at)(void *),
			  void *arg)
{
	if (threads_left == 0)
		return EAGAIN;
	if (threads_left > 0)
		threads_left--;
	return __real_pthread_create(id, attr, start_at, arg);
}

static void test_too_few_threads_are_an_error(void **state)
{
	struct fixture w;

	(void)state;
	read_text(&w.scn, changing);
	threads_left = 2;
	assert_false(run_init(&w.run, &w.scn, 1, 4, w.err, sizeof(w.err)));
	threads_left = -1;
	assert_string_equal(w.err, "thread 4 of 4: Resource temporarily unavailable");
	end(&w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_threads_are_in_the_same_round_after_a_barrier),
	    cmocka_unit_test(test_a_late_thread_wakes_those_that_sleep),
	    cmocka_unit_test(test_a_row_of_bridges_is_cut_once_for_each_further_part),
	    cmocka_unit_test(test_only_the_longest_cables_are_between_parts),
	    cmocka_unit_test(test_ends_of_a_link_without_delay_are_in_one_part),
	    cmocka_unit_test(test_cables_much_shorter_than_the_longest_are_not_between_parts),
	    cmocka_unit_test(test_every_node_can_be_a_part_and_no_part_is_empty),
	    cmocka_unit_test(test_separate_networks_are_parts),
	    cmocka_unit_test(test_links_and_flows_have_the_same_counters_with_threads),
	    cmocka_unit_test(test_windows_follow_a_rate_that_rises),
	    cmocka_unit_test(test_parts_of_a_large_network_load_ahead_side_by_side),
	    cmocka_unit_test(test_network_that_never_ran_ends_its_threads),
	    cmocka_unit_test(test_too_few_threads_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
