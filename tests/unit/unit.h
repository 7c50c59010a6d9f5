/* SPDX-License-Identifier: BSD-3-Clause */
/* Included by every unit test: cmocka with the headers it requires, its main function, and random
 * seeds. */
#ifndef DCB_TESTS_UNIT_H
#define DCB_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define UNIT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#ifndef __has_feature
#define __has_feature(x) 0
#endif

/*
 * Whether this is an ordinary build, in which a test tries all values and all random cases. A build
 * with a sanitizer, without optimization, or for another processor tries a part of them, which the
 * seed chooses.
 */
#if defined(__OPTIMIZE__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !__has_feature(address_sanitizer) &&             \
    !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)
#define UNIT_ALL 1
#else
#define UNIT_ALL 0
#endif
/* The number of cases to try: all of them, or a tenth. */
#define UNIT_CASES(all) (UNIT_ALL ? (all) : ((all) + 9) / 10)

/* The main function of a test. */
struct unit_program {
	const char *file;
	int (*run)(void);
	struct unit_program *next;
};
/* Called by constructors. */
void unit_add(struct unit_program *program);

/*
 * Begins the main function of a test: UNIT_MAIN { ... return cmocka_run_group_tests(...); }. The
 * program is linked from one or more tests, and main() of unit_main.c runs the one by whose name it
 * is called.
 */
#define UNIT_MAIN                                                             \
	static int unit_run(void);                                            \
	static struct unit_program unit_program = {__FILE__, unit_run, NULL}; \
	__attribute__((constructor)) static void unit_register(void)          \
	{                                                                     \
		unit_add(&unit_program);                                      \
	}                                                                     \
	static int unit_run(void)

/* Returns and prints a new seed for each run. DCB_SEED=n in the environment sets it to n. */
static inline uint64_t unit_seed(void)
{
	const char *text = getenv("DCB_SEED");
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = text ? strtoull(text, NULL, 0) : (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
	print_message("seed: DCB_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

#endif
