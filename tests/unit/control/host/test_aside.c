/* SPDX-License-Identifier: BSD-3-Clause */
/* Files set aside: their names, their number, and that a copy is made once. */
#include "control/host/aside.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/log.h"
#include "tests/unit/unit.h"

static char top[64], path[96];

static int make_top(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/dcb-test-XXXXXX");
	snprintf(path, sizeof(path), "%s/state", mkdtemp(top));
	return 0;
}

static int remove_top(void **state)
{
	DIR *d = opendir(top);
	struct dirent *e;

	(void)state;
	while ((e = readdir(d)) != NULL)
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	return rmdir(top);
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Makes an older file beside the path. */
static void write_older(const char *name)
{
	char text[160];

	snprintf(text, sizeof(text), "%s/%s", top, name);
	write_file(text, "older");
}

static bool has(const char *name)
{
	char text[160];

	snprintf(text, sizeof(text), "%s/%s", top, name);
	return access(text, F_OK) == 0;
}

static unsigned count(void)
{
	DIR *d = opendir(top);
	unsigned n = 0;

	for (struct dirent *e; (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void assert_name(const char *aside, const char *kind, unsigned long number)
{
	char expected[160], date[9], hour[7];
	unsigned long is;

	snprintf(expected, sizeof(expected), "%s.%s-", path, kind);
	assert_memory_equal(aside, expected, strlen(expected));
	assert_int_equal(sscanf(aside + strlen(expected), "%8[0-9]T%6[0-9]Z-%lu", date, hour, &is),
			 3);
	assert_int_equal(strlen(date) + strlen(hour), 8 + 6);
	assert_int_equal(is, number);
}

static void test_rename_has_time_and_process_in_the_name(void **state)
{
	char aside[256];

	(void)state;
	assert_int_equal(aside_rename(path, ASIDE_DAMAGED, aside, sizeof(aside)), ENOENT);
	assert_int_equal(aside_rename(path, ASIDE_DAMAGED, aside, 20), ENAMETOOLONG);
	write_file(path, "x");
	assert_int_equal(aside_rename(path, ASIDE_DAMAGED, aside, sizeof(aside)), 0);
	assert_name(aside, "damaged", (unsigned long)getpid());
	assert_false(has("state"));
	write_file(path, "y");
	assert_int_equal(aside_rename(path, ASIDE_IGNORED, aside, sizeof(aside)), 0);
	assert_name(aside, "ignored", (unsigned long)getpid());
	assert_int_equal(count(), 2);
}

/* All kinds count, and files with other names stay. */
static void test_oldest_of_nine_files_is_deleted(void **state)
{
	static const char *const others[] = {"state.damaged", "state.damaged-yesterday",
					     "state2.damaged-20200101T000000Z-1", "state.new"};
	char aside[256];

	(void)state;
	write_older("state.damaged-20210101T000000Z-9");
	write_older("state.newer-20200101T000000Z-4294967295");
	for (unsigned i = 0; i < ASIDE_FILES - 2; i++) {
		char name[64];

		snprintf(name, sizeof(name), "state.damaged-2022010%uT000000Z-1", i + 1);
		write_older(name);
	}
	for (size_t i = 0; i < UNIT_COUNT(others); i++)
		write_older(others[i]);
	write_file(path, "x");
	assert_int_equal(aside_rename(path, ASIDE_DAMAGED, aside, sizeof(aside)), 0);
	assert_false(has("state.newer-20200101T000000Z-4294967295"));
	assert_true(has("state.damaged-20210101T000000Z-9"));
	assert_int_equal(count(), ASIDE_FILES + UNIT_COUNT(others));
	write_file(path, "x");
	assert_int_equal(aside_rename(path, ASIDE_IGNORED, aside, sizeof(aside)), 0);
	assert_false(has("state.damaged-20210101T000000Z-9"));
	assert_int_equal(access(aside, F_OK), 0);
	for (size_t i = 0; i < UNIT_COUNT(others); i++)
		assert_true(has(others[i]));
}

/* A clock that was set back makes a file the oldest: it stays when it is new. */
static void test_new_file_is_never_deleted(void **state)
{
	char aside[256];

	(void)state;
	for (unsigned i = 0; i <= ASIDE_FILES; i++) {
		char name[64];

		snprintf(name, sizeof(name), "state.damaged-2999010%uT000000Z-1", i + 1);
		write_older(name);
	}
	write_file(path, "x");
	assert_int_equal(aside_rename(path, ASIDE_DAMAGED, aside, sizeof(aside)), 0);
	assert_int_equal(access(aside, F_OK), 0);
	assert_int_equal(count(), ASIDE_FILES);
}

static void test_copy_with_the_same_mark_is_made_once(void **state)
{
	char aside[256], again[256], text[16] = "";
	bool is_old;
	FILE *f;

	(void)state;
	write_file(path, "text");
	assert_int_equal(
	    aside_copy(path, ASIDE_NEWER, 77, "text", 4, aside, sizeof(aside), &is_old), 0);
	assert_false(is_old);
	assert_name(aside, "newer", 77);
	assert_true(has("state"));
	f = fopen(aside, "r");
	assert_int_equal(fread(text, 1, sizeof(text), f), 4);
	fclose(f);
	assert_string_equal(text, "text");
	assert_int_equal(
	    aside_copy(path, ASIDE_NEWER, 77, "more", 4, again, sizeof(again), &is_old), 0);
	assert_true(is_old);
	assert_string_equal(again, aside);
	assert_int_equal(aside_copy(path, ASIDE_NEWER, 7, "less", 4, again, sizeof(again), &is_old),
			 0);
	assert_false(is_old);
	assert_int_equal(count(), 3);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_rename_has_time_and_process_in_the_name, make_top,
					    remove_top),
	    cmocka_unit_test_setup_teardown(test_oldest_of_nine_files_is_deleted, make_top,
					    remove_top),
	    cmocka_unit_test_setup_teardown(test_new_file_is_never_deleted, make_top, remove_top),
	    cmocka_unit_test_setup_teardown(test_copy_with_the_same_mark_is_made_once, make_top,
					    remove_top),
	};

	log_init("test_aside", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
