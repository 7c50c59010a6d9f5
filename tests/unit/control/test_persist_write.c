/* SPDX-License-Identifier: BSD-3-Clause */
/* Saving of the state file: errors of system calls, and SETs whose save fails. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "control/persist.h"
#include "tests/unit/control/state_file.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

/* Errors of the system calls that the linker replaces by functions below (option --wrap). */
static struct {
	unsigned interrupted; /* number of write() calls that fail with EINTR */
	unsigned limit;       /* octets that one write() takes; 0: all */
	int write_error;      /* errno of each write(); 0: none */
	int close_error;      /* errno of each close(); 0: none */
	unsigned syncs;       /* number of fsync() calls that succeed before sync_error */
	int sync_error;       /* errno of an fsync(); 0: none */
	unsigned exchanges;   /* number of renameat2() calls that succeed before exchange_error */
	int exchange_error;   /* errno of each renameat2() after them; 0: none */
	unsigned settings;    /* the config_setting_add() call that fails; 0: none */
	bool stream_full;     /* fclose() fails with ENOMEM, as that of a memory stream */
} faults;

ssize_t __real_write(int fd, const void *octets, size_t n);
int __real_close(int fd);
int __real_fsync(int fd);
int __real_fclose(FILE *f);
int __real_renameat2(int fd, const char *from, int to_fd, const char *to, unsigned flags);
ssize_t __wrap_write(int fd, const void *octets, size_t n);
int __wrap_close(int fd);
int __wrap_fsync(int fd);
int __wrap_fclose(FILE *f);
int __wrap_renameat2(int fd, const char *from, int to_fd, const char *to, unsigned flags);

struct config_setting_t; /* of libconfig */
struct config_setting_t *__real_config_setting_add(struct config_setting_t *parent,
						   const char *name, int type);
struct config_setting_t *__wrap_config_setting_add(struct config_setting_t *parent,
						   const char *name, int type);

struct config_setting_t *__wrap_config_setting_add(struct config_setting_t *parent,
						   const char *name, int type)
{
	if (faults.settings > 0 && --faults.settings == 0)
		return NULL;
	return __real_config_setting_add(parent, name, type);
}

static int fails(int error)
{
	errno = error;
	return -1;
}

ssize_t __wrap_write(int fd, const void *octets, size_t n)
{
	if (faults.interrupted > 0) {
		faults.interrupted--;
		return fails(EINTR);
	}
	if (faults.write_error)
		return fails(faults.write_error);
	return __real_write(fd, octets, faults.limit && n > faults.limit ? faults.limit : n);
}

int __wrap_close(int fd)
{
	int result = __real_close(fd);

	return faults.close_error ? fails(faults.close_error) : result;
}

int __wrap_fsync(int fd)
{
	if (faults.sync_error && faults.syncs-- == 0)
		return fails(faults.sync_error);
	return __real_fsync(fd);
}

int __wrap_renameat2(int fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	if (faults.exchange_error && faults.exchanges == 0)
		return fails(faults.exchange_error);
	if (faults.exchanges > 0)
		faults.exchanges--;
	return __real_renameat2(fd, from, to_fd, to, flags);
}

int __wrap_fclose(FILE *f)
{
	int result = __real_fclose(f);

	return faults.stream_full ? fails(ENOMEM) : result;
}

/* Returns the name that the file has while it is written. */
static const char *new_file(const struct mo_world *w)
{
	static char path[sizeof(w->state) + 4];

	snprintf(path, sizeof(path), "%s.new", w->state);
	return path;
}

static void test_set_fails_if_file_cannot_be_written(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;
	char *before, *after;
	size_t len, len_after;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	before = read_file(w->state, &len);
	/* A directory with the name of the temporary file: open() fails for root, too. */
	assert_int_equal(mkdir(new_file(w), 0700), 0);
	c = log_watch(LOG_LEVEL_INFO);
	assert_int_equal(SET(w, {QSP, "1.5.3", "31000"}), MO_COMMIT_FAILED);
	log_expect(&c, "<3>prog: persist: %s: Is a directory: settings not saved\n", w->state);
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_column(w, "dcbAgentStateStatus", "0=writeFailing");
	assert_column(w, "dcbAgentStateFailures", "0=1");
	after = read_file(w->state, &len_after);
	assert_int_equal(len, len_after);
	assert_memory_equal(before, after, len);
	assert_int_equal(rmdir(new_file(w)), 0);
	c = log_watch(LOG_LEVEL_INFO);
	assert_int_equal(SET(w, {QSP, "1.5.3", "31000"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {QSP, "1.5.3", "32000"}), MO_NO_ERROR);
	log_expect(&c, "<6>prog: persist: %s can be written again\n", w->state);
	assert_column(w, "dcbAgentStateStatus", "0=ok");
	free(before);
	free(after);
	mo_world_free(w);
}

/* Interrupted and short writes are continued until the whole file is written. */
static void test_interrupted_and_short_writes_are_continued(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char *before, *after;
	size_t len, len_after;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	before = read_file(w->state, &len);
	assert_int_equal(unlink(w->state), 0);
	faults.interrupted = 3;
	faults.limit = 7;
	assert_int_equal(persist_save(w->m, w->m->config, w->state), 0);
	faults.limit = 0;
	assert_int_equal(faults.interrupted, 0);
	after = read_file(w->state, &len_after);
	assert_int_equal(len, len_after);
	assert_memory_equal(before, after, len);
	free(before);
	free(after);
	mo_world_free(w);
}

/* If close() or the memory stream fails, the temporary file is not renamed. */
static void test_failed_close_or_stream_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	faults.close_error = EIO;
	assert_int_equal(persist_save(w->m, w->m->config, w->state), EIO);
	faults.close_error = 0;
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(access(w->state, F_OK), -1);
	faults.stream_full = true;
	assert_int_equal(persist_save(w->m, w->m->config, w->state), ENOMEM);
	faults.stream_full = false;
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(access(w->state, F_OK), -1);
	mo_world_free(w);
}

/* If adding any of the records fails, the former file stays unchanged. */
static void test_incomplete_file_is_not_written(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);
	char *before, *after;
	size_t len, len_after;
	unsigned n = 0;
	int error;

	(void)state;
	w->conf.keep_absent = true;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {CNM_PRIORITY, "1", "4"},
			     {QSP, "1.5.3", "31000"}, {ALLOWANCE, "9", "99"},
			     {"lldpXdot1dcbxAdminApplicationPriorityAEPriority", "3.1.46", "5"},
			     {"lldpXdot1dcbxAdminApplicationVlanAEVlanId", "3.1.46", "5"}),
			 MO_NO_ERROR);
	fake_port(w->m->config->ports[0].port)->measure =
	    (struct pfc_measure_stats){.measured = 1, .rate_bps = 1, .average = 1, .count = 1};
	managed_measured(w->m, w->m->config->ports[0].port->slot);
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	assert_int_equal(persist_save(w->m, w->m->config, w->state), 0);
	before = read_file(w->state, &len);
	do {
		faults.settings = ++n;
		error = persist_save(w->m, w->m->config, w->state);
		assert_int_equal(error, faults.settings == 0 ? ENOMEM : 0);
		after = read_file(w->state, &len_after);
		assert_string_equal(after, before);
		free(after);
	} while (error != 0);
	assert_non_null(strstr(before, "measured"));
	assert_in_range(n, 20, 200);
	faults.settings = 0;
	free(before);
	mo_world_free(w);
}

/* Lets the process open one more file, or as many as before. */
static void limit_files(bool to_one)
{
	static struct rlimit before;
	struct rlimit limit;
	int next = dup(STDERR_FILENO);

	assert_true(next >= 0);
	__real_close(next);
	if (to_one)
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	if (to_one)
		limit.rlim_cur = (rlim_t)next + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

struct save_failure {
	const char *at;
	int error; /* of persist_save() */
	int write_error, close_error, sync_error, exchange_error;
	unsigned syncs; /* that succeed before sync_error */
	bool no_file;   /* the file cannot be created */
};

static const struct save_failure save_failures[] = {
    {"the new file is created", EMFILE, .no_file = true},
    {"the new file is written, full disk", ENOSPC, .write_error = ENOSPC},
    {"the new file is written, quota", EDQUOT, .write_error = EDQUOT},
    {"the new file is synchronized", EIO, .sync_error = EIO},
    {"the new file is closed", EIO, .close_error = EIO},
    {"the directory is synchronized", EIO, .sync_error = EIO, .syncs = 1},
};

static void let_fail(const struct save_failure *f)
{
	faults.write_error = f->write_error;
	faults.close_error = f->close_error;
	faults.sync_error = f->sync_error;
	faults.syncs = f->syncs;
	if (f->no_file)
		limit_files(true);
}

static void let_succeed(const struct save_failure *f)
{
	if (f->no_file)
		limit_files(false);
	memset(&faults, 0, sizeof(faults));
}

/* Returns the content of a file; NULL: it does not exist. */
static char *content_of(const char *path)
{
	size_t len;

	return access(path, F_OK) == 0 ? read_file(path, &len) : NULL;
}

static void assert_same_content(const char *path, const char *want, const char *at)
{
	char *is = content_of(path);

	if (!want != !is || (want && strcmp(want, is) != 0))
		fail_msg("%s: %s has \"%s\", expected \"%s\"", at, path, is ? is : "no file",
			 want ? want : "no file");
	free(is);
}

/* Wherever a save fails, the SET is refused, and neither dcbd nor its restart has its value. */
static void test_refused_set_has_no_effect_after_restart(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * UNIT_COUNT(save_failures); i++) {
		const struct save_failure *f = &save_failures[i / 2];
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		enum mo_error expected = f->error == ENOSPC || f->error == EDQUOT
					     ? MO_RESOURCE_UNAVAILABLE
					     : MO_COMMIT_FAILED;
		char *before = NULL;

		if (i % 2 == 0) {
			assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
			before = content_of(w->state);
		}
		let_fail(f);
		assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}), expected);
		faults.syncs = f->syncs;
		assert_int_equal(persist_save(w->m, w->m->config, w->state), f->error);
		let_succeed(f);
		assert_same_content(w->state, before, f->at);
		assert_same_content(new_file(w), NULL, f->at);
		assert_value(w, ALLOWANCE, "3", before ? "33" : "0");
		mo_world_restart(w);
		mo_world_add_port(w, 3, "sw3", "");
		if (before)
			mo_world_load(w);
		assert_value(w, ALLOWANCE, "3", before ? "33" : "0");
		assert_int_equal(SET(w, {ALLOWANCE, "3", "88"}), MO_NO_ERROR);
		assert_same_content(new_file(w), NULL, f->at);
		free(before);
		mo_world_free(w);
	}
}

/* A file system without exchange replaces the file: a save succeeds as on others. */
static void test_save_succeeds_without_exchange_of_names(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	faults.exchange_error = EINVAL;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}), MO_NO_ERROR);
	faults.exchange_error = 0;
	mo_world_reload(w);
	assert_column(w, ALLOWANCE, "3=77 5=0 9=0");
	mo_world_free(w);
}

/* If the former file cannot get its name back, the log says that the file has refused settings. */
static void test_refused_settings_left_in_the_file_are_logged(void **state)
{
	static const struct {
		const char *at;
		unsigned exchanges; /* that succeed */
	} cases[] = {{"no exchange", 0}, {"the exchange cannot be reversed", 1}};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		char text[2048], want[512];
		struct log_capture c;

		print_message("%s\n", cases[i].at);
		assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
		c = log_watch(LOG_LEVEL_INFO);
		faults.exchange_error = EROFS;
		faults.exchanges = cases[i].exchanges;
		faults.sync_error = EIO;
		faults.syncs = 1;
		assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}), MO_COMMIT_FAILED);
		memset(&faults, 0, sizeof(faults));
		log_captured(&c, text, sizeof(text));
		log_init("test_persist", LOG_LEVEL_ERROR, false);
		snprintf(want, sizeof(want),
			 "<3>prog: persist: %s has settings that were refused: they come into "
			 "force at a restart unless a later SET succeeds\n",
			 w->state);
		assert_memory_equal(text, want, strlen(want)); /* that it failed has a limit */
		assert_column(w, ALLOWANCE, "3=33 5=0 9=0");
		assert_column(w, "dcbAgentStateStatus", "0=writeFailing");
		/* The next SET that succeeds corrects the file. */
		assert_int_equal(SET(w, {ALLOWANCE, "5", "55"}), MO_NO_ERROR);
		assert_int_equal(access(new_file(w), F_OK), -1);
		mo_world_reload(w);
		assert_column(w, ALLOWANCE, "3=33 5=55 9=0");
		mo_world_free(w);
	}
}

/* A save does not write through a link that has the name of the new file. */
static void test_link_with_the_name_of_the_new_file_is_replaced(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char victim[128];

	(void)state;
	snprintf(victim, sizeof(victim), "%s/victim", w->dir);
	write_file(victim, "precious", 8);
	assert_int_equal(symlink(victim, new_file(w)), 0);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
	assert_same_content(victim, "precious", "symbolic link");
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(unlink(victim), 0);
	mo_world_free(w);
}

static void test_failed_rename_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(mkdir(w->state, 0700), 0);
	assert_int_equal(persist_save(w->m, w->m->config, w->state), EISDIR);
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(rmdir(w->state), 0);
	mo_world_free(w);
}

static void test_invalid_path_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char path[PATH_MAX + 1];

	(void)state;
	snprintf(path, sizeof(path), "%s/missing/state", w->dir);
	assert_int_equal(persist_save(w->m, w->m->config, path), ENOENT);
	/* The path fits in PATH_MAX, but not with the suffix of the temporary file. */
	memset(path, 'x', sizeof(path));
	path[PATH_MAX - 1 - strlen(".new") + 1] = '\0';
	assert_int_equal(persist_save(w->m, w->m->config, path), ENAMETOOLONG);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_set_fails_if_file_cannot_be_written),
	    cmocka_unit_test(test_interrupted_and_short_writes_are_continued),
	    cmocka_unit_test(test_failed_close_or_stream_is_an_error),
	    cmocka_unit_test(test_incomplete_file_is_not_written),
	    cmocka_unit_test(test_refused_set_has_no_effect_after_restart),
	    cmocka_unit_test(test_save_succeeds_without_exchange_of_names),
	    cmocka_unit_test(test_refused_settings_left_in_the_file_are_logged),
	    cmocka_unit_test(test_link_with_the_name_of_the_new_file_is_replaced),
	    cmocka_unit_test(test_failed_rename_is_an_error),
	    cmocka_unit_test(test_invalid_path_is_an_error),
	};

	log_init("test_persist", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
