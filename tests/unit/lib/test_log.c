/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of lib/log.h on standard error. */
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "tests/unit/log_capture.h"

static void test_level_names(void **state)
{
	enum log_level level = LOG_LEVEL_INFO;

	(void)state;
	assert_false(log_level_take("warning", &level));
	assert_false(log_level_take("", &level));
	assert_int_equal(level, LOG_LEVEL_INFO);
	assert_true(log_level_take("debug", &level));
	assert_int_equal(level, LOG_LEVEL_DEBUG);
	assert_true(log_level_take("error", &level));
	assert_int_equal(level, LOG_LEVEL_ERROR);
	assert_string_equal(log_level_name(LOG_LEVEL_WARN), "warn");
}

static void test_level_of_an_option(void **state)
{
	enum log_level level = LOG_LEVEL_INFO;
	struct log_capture c = log_capture();
	char buf[256];

	(void)state;
	assert_false(log_level_argument("prog", 'L', "warning", &level));
	assert_true(log_level_argument("prog", 'L', "debug", &level));
	log_captured(&c, buf, sizeof(buf));
	assert_int_equal(level, LOG_LEVEL_DEBUG);
	assert_string_equal(buf, "prog: -L warning: expected error, warn, info or debug\n");
}

static void test_journal_prefixes(void **state)
{
	struct log_capture c;
	char buf[4096];

	(void)state;
	log_init("prog", LOG_LEVEL_DEBUG, true);
	c = log_capture();
	log_error("cp", "%d", 1);
	log_warn("rp", "two");
	log_info("mo", "three");
	log_debug("pfc", "four");
	log_captured(&c, buf, sizeof(buf));
	assert_string_equal(buf,
			    "<3>prog: cp: 1\n<4>prog: rp: two\n<6>prog: mo: three\n"
			    "<7>prog: pfc: four\n");
}

static int evaluated;

static int evaluate(void)
{
	return ++evaluated;
}

static void test_level_filter_and_timestamp(void **state)
{
	struct log_capture c;
	char buf[4096], date[32];

	(void)state;
	log_init("prog", LOG_LEVEL_WARN, false);
	c = log_capture();
	log_info("mo", "%d", evaluate());
	log_warn("mo", "%d", evaluate());
	log_captured(&c, buf, sizeof(buf));
	assert_int_equal(evaluated, 1);
	assert_int_equal(sscanf(buf, "%31[0-9T:.-]Z", date), 1);
	assert_int_equal(strlen(date), strlen("2026-11-21T02:28:11.123"));
	assert_string_equal(buf + strlen(date), "Z prog: warning: mo: 1\n");
}

/* Control characters in a text start no new line; a long text is cut, not its newline. */
static void test_control_characters_are_replaced(void **state)
{
	struct log_capture c;
	char buf[8192], text[4096];
	size_t n;

	(void)state;
	log_init("prog", LOG_LEVEL_INFO, true);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	c = log_capture();
	log_info("mo", "a\nb\033[2Jc\td\x7f%s", "");
	log_info("mo", "%s", text);
	errno = EBADF;
	log_info("mo", "errno stays");
	assert_int_equal(errno, EBADF);
	n = log_captured(&c, buf, sizeof(buf));
	assert_memory_equal(buf, "<6>prog: mo: a?b?[2Jc?d?\n<6>prog: mo: xxx", 41);
	assert_memory_equal(buf + n - strlen("\n<6>prog: mo: errno stays\n"),
			    "\n<6>prog: mo: errno stays\n", strlen("\n<6>prog: mo: errno stays\n"));
	assert_true(n < 1200);
}

#define THREADS 4
#define LINES   500

static void *write_lines(void *arg)
{
	for (int i = 0; i < LINES; i++)
		log_info("mo", "%s %s %s", (char *)arg, (char *)arg, (char *)arg);
	return NULL;
}

static void test_lines_of_threads_do_not_mix(void **state)
{
	struct log_capture c;
	static char buf[1 << 20];
	static char *words[THREADS] = {"aaaa", "bbbb", "cccc", "dddd"};
	pthread_t threads[THREADS];
	char *save = NULL;
	unsigned lines = 0;

	(void)state;
	log_init("p", LOG_LEVEL_INFO, true);
	c = log_capture();
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_lines, words[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	log_captured(&c, buf, sizeof(buf));
	for (char *l = strtok_r(buf, "\n", &save); l; l = strtok_r(NULL, "\n", &save), lines++) {
		char want[64];
		char ch = l[strlen(l) - 1];

		snprintf(want, sizeof(want), "<6>p: mo: %c%c%c%c %c%c%c%c %c%c%c%c", ch, ch, ch, ch,
			 ch, ch, ch, ch, ch, ch, ch, ch);
		assert_string_equal(l, want);
	}
	assert_int_equal(lines, THREADS * LINES);
}

static void test_one_message_per_interval(void **state)
{
	struct log_limit limit = {0};
	unsigned suppressed = 77;

	(void)state;
	assert_true(log_permitted(&limit, 3600000, &suppressed));
	assert_int_equal(suppressed, 0);
	for (int i = 0; i < 5; i++)
		assert_false(log_permitted(&limit, 3600000, &suppressed));
	/* With interval 0 the next message is permitted at once. */
	assert_true(log_permitted(&limit, 0, &suppressed));
	assert_int_equal(suppressed, 5);
	assert_true(log_permitted(&limit, 0, NULL));
}

#define LIMITED_MESSAGES 1000

/* Each message has a limit of its own; the next line has the number of those suppressed. */
static void test_limited_messages(void **state)
{
	struct log_limit limit = {0};
	struct log_capture c;
	struct timespec start, end;
	unsigned lines = 0;
	long allowed;
	char buf[65536];

	(void)state;
	log_init("prog", LOG_LEVEL_INFO, true);
	clock_gettime(CLOCK_MONOTONIC, &start);
	c = log_capture();
	for (int i = 0; i < LIMITED_MESSAGES; i++)
		log_warn_limited("ctl", "one %d", i);
	clock_gettime(CLOCK_MONOTONIC, &end);
	for (int i = 0; i < LOG_LIMIT_BURST; i++)
		log_error_limited("ctl", "two");
	log_captured(&c, buf, sizeof(buf));
	allowed = LOG_LIMIT_BURST + 1 + (end.tv_sec - start.tv_sec) * 1000 / LOG_LIMIT_MS;
	for (const char *p = buf; (p = strstr(p, ": one ")); p++)
		lines++;
	assert_in_range(lines, LOG_LIMIT_BURST, allowed);
	lines = 0;
	for (const char *p = buf; (p = strstr(p, "<3>prog: ctl: two\n")); p++)
		lines++;
	assert_int_equal(lines, LOG_LIMIT_BURST);

	c = log_capture();
	for (int i = 0; i < LOG_LIMIT_BURST + 7; i++)
		log_line_limited(&limit, LOG_LEVEL_INFO, "ctl", "three");
	assert_true(limit.suppressed > 0 && limit.suppressed <= 7);
	limit.suppressed = 7;
	limit.full_ms = 0; /* as a minute later */
	log_line_limited(&limit, LOG_LEVEL_INFO, "ctl", "four");
	log_line_limited(&limit, LOG_LEVEL_INFO, "ctl", "five");
	log_captured(&c, buf, sizeof(buf));
	assert_non_null(strstr(buf,
			       "<6>prog: ctl: four (7 messages suppressed)\n"
			       "<6>prog: ctl: five\n"));
}

static void test_level_is_checked_before_the_limit(void **state)
{
	struct log_capture c;
	char buf[4096];

	(void)state;
	log_init("prog", LOG_LEVEL_WARN, true);
	c = log_capture();
	for (int i = 0; i < 2 * LOG_LIMIT_BURST; i++)
		log_info_limited("ctl", "not shown");
	log_captured(&c, buf, sizeof(buf));
	assert_string_equal(buf, "");
}

/* Returns the text of a file, in buf. */
static const char *text_of(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, size - 1, f) : 0;

	if (f)
		fclose(f);
	buf[n] = '\0';
	return f ? buf : NULL;
}

/* As logrotate does: the log gets another name, and SIGHUP follows. */
static void test_renamed_log_is_opened_again(void **state)
{
	char dir[] = "/tmp/test_log.XXXXXX", path[40], old[40], buf[256];
	int saved = dup(STDERR_FILENO), fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/log", dir);
	snprintf(old, sizeof(old), "%s/log.1", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	assert_true(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	close(fd);
	log_init("p", LOG_LEVEL_INFO, true);
	log_info("a", "first");
	assert_int_equal(rename(path, old), 0);
	log_info("a", "second");
	assert_true(log_reopen());
	log_info("a", "third");
	assert_true(log_reopen());
	log_info("a", "fourth");
	assert_string_equal(text_of(old, buf, sizeof(buf)), "<6>p: a: first\n<6>p: a: second\n");
	assert_string_equal(text_of(path, buf, sizeof(buf)), "<6>p: a: third\n<6>p: a: fourth\n");
	/* The directory is gone: the log stays open. */
	unlink(path);
	unlink(old);
	assert_int_equal(rmdir(dir), 0);
	assert_false(log_reopen());
	assert_int_equal(errno, ENOENT);
	assert_true(fcntl(STDERR_FILENO, F_GETFD) >= 0);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void test_log_without_a_file_stays(void **state)
{
	int ends[2], saved = dup(STDERR_FILENO);
	char buf[64];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	log_init("p", LOG_LEVEL_INFO, true);
	assert_true(log_reopen());
	log_info("a", "first");
	dup2(saved, STDERR_FILENO);
	assert_int_equal(read(ends[0], buf, sizeof(buf)), 15);
	close(ends[0]);
	close(ends[1]);
	close(saved);
}

static void test_plain_lines_have_the_level_in_the_journal(void **state)
{
	struct log_capture c;
	char buf[256];

	(void)state;
	c = log_capture();
	log_init("p", LOG_LEVEL_INFO, true);
	log_plain(LOG_LEVEL_ERROR, "f:%d: bad", 3);
	log_plain(LOG_LEVEL_WARN, "odd");
	log_init("p", LOG_LEVEL_ERROR, false);
	log_plain(LOG_LEVEL_ERROR, "f:%d: bad", 3);
	log_plain(LOG_LEVEL_WARN, "odd\nline");
	log_captured(&c, buf, sizeof(buf));
	assert_string_equal(buf, "<3>p: f:3: bad\n<4>p: odd\np: f:3: bad\np: warning: odd?line\n");
}

static enum log_level taken_level;
static char taken[128];

static void take_line(enum log_level level, const char *line)
{
	taken_level = level;
	snprintf(taken, sizeof(taken), "%s", line);
}

static void test_lines_go_to_a_function(void **state)
{
	struct log_capture c;
	char buf[64];

	(void)state;
	log_init("prog", LOG_LEVEL_INFO, false);
	c = log_capture();
	log_to(take_line);
	log_warn("mo", "two\nlines");
	log_debug("mo", "not logged");
	log_to(NULL);
	assert_int_equal(log_captured(&c, buf, sizeof(buf)), 0);
	assert_int_equal(taken_level, LOG_LEVEL_WARN);
	assert_string_equal(taken, "mo: two?lines");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_level_names),
	    cmocka_unit_test(test_level_of_an_option),
	    cmocka_unit_test(test_journal_prefixes),
	    cmocka_unit_test(test_level_filter_and_timestamp),
	    cmocka_unit_test(test_control_characters_are_replaced),
	    cmocka_unit_test(test_lines_of_threads_do_not_mix),
	    cmocka_unit_test(test_one_message_per_interval),
	    cmocka_unit_test(test_limited_messages),
	    cmocka_unit_test(test_level_is_checked_before_the_limit),
	    cmocka_unit_test(test_renamed_log_is_opened_again),
	    cmocka_unit_test(test_log_without_a_file_stays),
	    cmocka_unit_test(test_plain_lines_have_the_level_in_the_journal),
	    cmocka_unit_test(test_lines_go_to_a_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
