/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that two threads hand to each other: each has one owner, and none is lost. */
#include "dataplane/soft/mailbox.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <sched.h>

#define OBJECTS UNIT_CASES(200000)

struct object {
	struct mailbox_item item; /* first member */
	bool ended;
};

struct lab {
	struct mailbox mailbox;
	uint64_t seed;
	bool stop;
	struct object *held; /* by the dataplane thread */
	unsigned taken;
};

/* As soft_thread.c: takes an object in place of the one it has, and returns that a little later. */
static void *dataplane(void *ctx)
{
	struct lab *lab = ctx;
	struct dcb_rng rng;

	dcb_rng_seed(&rng, lab->seed, 1);
	while (!__atomic_load_n(&lab->stop, __ATOMIC_ACQUIRE)) {
		struct mailbox_item *item = mailbox_take(&lab->mailbox);
		struct object *former = lab->held;

		if (!item)
			continue;
		lab->held = (struct object *)item;
		__atomic_store_n(&lab->taken, lab->taken + 1, __ATOMIC_RELEASE);
		if (dcb_rng_uniform(&rng, 0, 3) == 0)
			sched_yield();
		if (former)
			mailbox_return(&lab->mailbox, &former->item);
	}
	return NULL;
}

static unsigned end(struct mailbox_item *list)
{
	unsigned n = 0;

	while (list) {
		struct object *o = (struct object *)list;

		list = list->next;
		assert_false(o->ended);
		o->ended = true;
		n++;
	}
	return n;
}

/* An offer that replaces another at once, and objects that are collected only now and then. */
static void test_each_object_ends_once(void **state)
{
	struct object *objects = calloc(OBJECTS, sizeof(*objects));
	struct lab lab = {.seed = unit_seed()};
	unsigned withdrawn = 0, returned = 0;
	struct dcb_rng rng;
	pthread_t thread;

	(void)state;
	assert_non_null(objects);
	dcb_rng_seed(&rng, lab.seed, 2);
	assert_int_equal(pthread_create(&thread, NULL, dataplane, &lab), 0);
	for (unsigned i = 0; i < OBJECTS; i++) {
		struct mailbox_item *former = mailbox_offer(&lab.mailbox, &objects[i].item);

		if (former)
			former->next = NULL;
		withdrawn += end(former);
		/* The first one is taken: on a busy machine the thread may begin late. */
		while (i == 0 && __atomic_load_n(&lab.taken, __ATOMIC_ACQUIRE) == 0)
			sched_yield();
		if (dcb_rng_uniform(&rng, 0, 7) == 0)
			returned += end(mailbox_collect(&lab.mailbox));
		if (dcb_rng_uniform(&rng, 0, 3) == 0)
			sched_yield();
	}
	__atomic_store_n(&lab.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	withdrawn += end(mailbox_offer(&lab.mailbox, NULL));
	returned += end(mailbox_collect(&lab.mailbox));
	print_message("%u objects taken, %u replaced before\n", lab.taken, withdrawn);
	assert_true(lab.taken > 0);
	/* The dataplane thread has the last one that it took. */
	assert_int_equal(returned, lab.taken - 1);
	assert_int_equal(withdrawn + lab.taken, OBJECTS);
	for (unsigned i = 0; i < OBJECTS; i++)
		assert_true(objects[i].ended == (&objects[i] != lab.held));
	free(objects);
}

/* Two objects are returned before the control thread collects any. */
static void test_returned_objects_are_all_collected(void **state)
{
	struct object a = {0}, b = {0};
	struct mailbox h = {0};

	(void)state;
	assert_null(mailbox_take(&h));
	assert_null(mailbox_collect(&h));
	assert_null(mailbox_offer(&h, &a.item));
	assert_ptr_equal(mailbox_take(&h), &a.item);
	assert_null(mailbox_offer(&h, &b.item));
	assert_ptr_equal(mailbox_take(&h), &b.item);
	mailbox_return(&h, &a.item);
	mailbox_return(&h, &b.item);
	assert_int_equal(end(mailbox_collect(&h)), 2);
	assert_true(a.ended && b.ended);
	assert_null(mailbox_collect(&h));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_returned_objects_are_all_collected),
	    cmocka_unit_test(test_each_object_ends_once),
	};

	return cmocka_run_group_tests_name("mailbox", tests, NULL, NULL);
}
