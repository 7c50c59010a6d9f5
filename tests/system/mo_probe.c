/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and sets managed objects through the control socket, for tests that
 * measure times or send many SETs. Times are microseconds since 1970; "-" is
 * printed for an object that cannot be read.
 *
 *   mo_probe get SOCKET OBJECT.INDEX...
 *     prints their values, one a line, enumerations as numbers.
 *   mo_probe set SOCKET OBJECT.INDEX VALUE...
 *     one transaction: prints the times before and after it, and its error.
 *   mo_probe watch SOCKET OBJECT.INDEX...
 *     prints a line "TIME OBJECT.INDEX VALUE" for each value and each change, until ended.
 *   mo_probe times SOCKET MS OBJECT.INDEX
 *     reads it each millisecond, and prints the times (times.h).
 *   mo_probe storm SOCKET COUNT SEED OBJECT.INDEX=VALUE,VALUE...
 *     sets one of these at random, COUNT times; prints how many were accepted and refused.
 *   mo_probe march SOCKET COUNT OBJECT.INDEX...
 *     COUNT transactions, each of which sets all of these to the same number, 1 to COUNT; prints
 *     how many were accepted and refused.
 *   mo_probe same SOCKET MS OBJECT
 *     reads the object's table all the time; prints how many pages there were, how many could not
 *     be read, and in how many the object had different values.
 *   mo_probe walk SOCKET
 *     reads all tables, again and again, until SIGTERM.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/mo/mo_client.h"
#include "tests/system/times.h"

#define TIMEOUT_MS  5000
#define COMMIT_MS   600000 /* a test decides how long */
#define SET_MAX     64
#define CHOICES_MAX 32
#define WATCH_MAX   16
#define POLL_NS     300000

struct object {
	const struct mo_table *table;
	const struct mo_column *col;
	struct mo_index index;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "mo_probe: %s\n", what);
	exit(1);
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

static struct object object(const char *text)
{
	struct object o;
	char name[128];
	const char *dot = strchr(text, '.');

	if (!dot || (size_t)(dot - text) >= sizeof(name))
		die(text);
	memcpy(name, text, (size_t)(dot - text));
	name[dot - text] = '\0';
	o.col = mo_column_by_name(name, &o.table);
	if (!o.col || !mo_index_parse(dot + 1, &o.index))
		die(text);
	return o;
}

/* --- reading ---------------------------------------------------------------------- */

static void read_text(struct mo_client *c, const struct object *o, struct mo_page *page, char *buf,
		      size_t size)
{
	struct mo_value v;

	snprintf(buf, size, "-");
	if (mo_client_read(c, o->table->id, MO_READ_EXACT, &o->index, 1, page) != MO_CLIENT_OK ||
	    page->n_rows != 1 || !mo_page_value(page, 0, o->col, &v))
		return;
	if (o->col->syntax == MO_ENUM || o->col->syntax == MO_TRUTH ||
	    o->col->syntax == MO_ROW_STATUS)
		snprintf(buf, size, "%" PRId64, v.num);
	else
		mo_format(o->col, &v, buf, size);
}

static int do_get(struct mo_client *c, char **words)
{
	struct mo_page page = {0};
	char text[MO_VALUE_TEXT];

	for (; *words; words++) {
		struct object o = object(*words);

		read_text(c, &o, &page, text, sizeof(text));
		puts(text);
	}
	mo_page_free(&page);
	return 0;
}

static _Noreturn void do_watch(struct mo_client *c, char **words)
{
	static char last[WATCH_MAX][1024];
	struct object objects[WATCH_MAX];
	struct mo_page page = {0};
	char text[1024];
	unsigned n;

	for (n = 0; words[n] && n < WATCH_MAX; n++)
		objects[n] = object(words[n]);
	setvbuf(stdout, NULL, _IOLBF, 1 << 12);
	for (;; nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL)) {
		for (unsigned i = 0; i < n; i++) {
			read_text(c, &objects[i], &page, text, sizeof(text));
			if (strcmp(text, last[i]) != 0)
				printf("%" PRId64 " %s %s\n", now_us(), words[i], text);
			strcpy(last[i], text);
		}
	}
}

struct read {
	struct mo_client *client;
	struct object object;
	struct mo_page page;
};

static bool read_once(void *ctx)
{
	struct read *r = ctx;
	char text[1024];

	read_text(r->client, &r->object, &r->page, text, sizeof(text));
	return strcmp(text, "-") != 0;
}

static int do_times(struct mo_client *c, char **words)
{
	static struct times times;
	struct read r = {.client = c, .object = object(words[1])};

	times_print(&times, strtol(words[0], NULL, 10), read_once, &r);
	mo_page_free(&r.page);
	return 0;
}

/* Do all rows of the page have the same value in this column? */
static bool is_uniform(const struct mo_page *page, const struct mo_column *col)
{
	struct mo_value first, other;

	for (unsigned i = 0; i < page->n_rows; i++)
		if (!mo_page_value(page, i, col, i ? &other : &first) ||
		    (i && other.num != first.num))
			return false;
	return page->n_rows > 0;
}

static int do_same(struct mo_client *c, char **words)
{
	const struct mo_index start = {0};
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(words[1], &table);
	int64_t end = times_now_us() + strtol(words[0], NULL, 10) * 1000;
	unsigned n = 0, failed = 0, different = 0;
	struct mo_page page = {0};

	if (!col)
		die(words[1]);
	for (; times_now_us() < end; n++) {
		if (mo_client_read(c, table->id, 0, &start, UINT16_MAX, &page) != MO_CLIENT_OK)
			failed++;
		else if (!is_uniform(&page, col))
			different++;
	}
	mo_page_free(&page);
	printf("%u %u %u\n", n, failed, different);
	return 0;
}

static volatile sig_atomic_t ended;

static void on_term(int sig)
{
	(void)sig;
	ended = 1;
}

/* Four milliseconds from page to page, for the other programs of the test: a few walks a second. */
static int do_walk(struct mo_client *c)
{
	const struct sigaction action = {.sa_handler = on_term};
	const struct timespec gap = {.tv_nsec = 4000000};
	const struct mo_index start = {0};
	struct mo_page page = {0};

	sigaction(SIGTERM, &action, NULL);
	for (unsigned t = 0; !ended; t = (t + 1) % MO_TABLES) {
		(void)mo_client_read(c, (enum mo_table_id)t, 0, &start, UINT16_MAX, &page);
		nanosleep(&gap, NULL);
	}
	mo_page_free(&page);
	return 0;
}

/* --- writing ---------------------------------------------------------------------- */

static struct mo_varbind varbind(const struct object *o, const char *value)
{
	struct mo_varbind vb = {.table = o->table->id, .subid = o->col->subid, .index = o->index};

	if (!mo_parse(o->col, value, &vb.value))
		die(value);
	return vb;
}

static enum mo_error transact(struct mo_client *c, const struct mo_varbind *vbs, unsigned n)
{
	static uint32_t txid;
	enum mo_client_status status;
	enum mo_error error = MO_NO_ERROR, ignored;
	unsigned at;

	status = mo_client_test(c, ++txid, vbs, n, &error, &at);
	if (status == MO_CLIENT_OK) {
		status = mo_client_commit(c, txid, &error, &at);
		if (status == MO_CLIENT_REFUSED)
			(void)mo_client_undo(c, txid, &ignored);
	}
	if (status != MO_CLIENT_OK && status != MO_CLIENT_REFUSED)
		die(mo_client_strerror(c));
	(void)mo_client_cleanup(c, txid);
	return status == MO_CLIENT_OK ? MO_NO_ERROR : error;
}

static int do_set(struct mo_client *c, char **words)
{
	struct mo_varbind vbs[SET_MAX];
	unsigned n = 0;
	enum mo_error error;
	int64_t before;

	for (; words[0] && words[1] && n < SET_MAX; words += 2) {
		struct object o = object(words[0]);

		vbs[n++] = varbind(&o, words[1]);
	}
	before = now_us();
	error = transact(c, vbs, n);
	printf("%" PRId64 " %" PRId64 " %s\n", before, now_us(), mo_strerror(error));
	return error != MO_NO_ERROR;
}

/* Puts one variable binding for each VALUE of OBJECT.INDEX=VALUE,VALUE... and returns their number.
 */
static unsigned choices(char *word, struct mo_varbind *vbs, unsigned room)
{
	char *values = strchr(word, '=');
	struct object o;
	unsigned n = 0;

	if (!values)
		die(word);
	*values++ = '\0';
	o = object(word);
	for (char *v = strtok(values, ","); v && n < room; v = strtok(NULL, ","))
		vbs[n++] = varbind(&o, v);
	return n;
}

static int do_storm(struct mo_client *c, char **words)
{
	struct mo_varbind vbs[SET_MAX][CHOICES_MAX];
	unsigned n_values[SET_MAX], n = 0, accepted = 0, refused = 0;
	unsigned count = (unsigned)strtoul(words[0], NULL, 10);

	srandom((unsigned)strtoul(words[1], NULL, 10));
	for (words += 2; *words && n < SET_MAX; words++, n++) {
		n_values[n] = choices(*words, vbs[n], CHOICES_MAX);
		if (n_values[n] == 0)
			die(*words);
	}
	if (n == 0)
		die("expected OBJECT.INDEX=VALUE");
	while (accepted + refused < count) {
		unsigned i = (unsigned)random() % n;

		if (transact(c, &vbs[i][(unsigned)random() % n_values[i]], 1) == MO_NO_ERROR)
			accepted++;
		else
			refused++;
	}
	printf("%u %u\n", accepted, refused);
	return 0;
}

static int do_march(struct mo_client *c, char **words)
{
	unsigned count = (unsigned)strtoul(words[0], NULL, 10), accepted = 0;
	struct mo_varbind vbs[SET_MAX];
	char value[16];

	for (unsigned i = 1; i <= count; i++) {
		unsigned n = 0;

		snprintf(value, sizeof(value), "%u", i);
		for (char **word = words + 1; *word && n < SET_MAX; word++) {
			struct object o = object(*word);

			vbs[n++] = varbind(&o, value);
		}
		accepted += transact(c, vbs, n) == MO_NO_ERROR;
	}
	printf("%u %u\n", accepted, count - accepted);
	return 0;
}

int main(int argc, char **argv)
{
	struct mo_client *c;
	int rc;

	if (argc < 3)
		die("usage: mo_probe get|set|watch|times|storm|march|same|walk SOCKET ...");
	c = mo_client_new(argv[2], TIMEOUT_MS);
	if (!c)
		die("out of memory");
	mo_client_commit_within(c, COMMIT_MS);
	if (strcmp(argv[1], "walk") == 0)
		rc = do_walk(c);
	else if (strcmp(argv[1], "get") == 0)
		rc = do_get(c, argv + 3);
	else if (strcmp(argv[1], "set") == 0)
		rc = do_set(c, argv + 3);
	else if (strcmp(argv[1], "watch") == 0)
		do_watch(c, argv + 3);
	else if (strcmp(argv[1], "times") == 0 && argc > 4)
		rc = do_times(c, argv + 3);
	else if (strcmp(argv[1], "storm") == 0 && argc > 5)
		rc = do_storm(c, argv + 3);
	else if (strcmp(argv[1], "march") == 0 && argc > 4)
		rc = do_march(c, argv + 3);
	else if (strcmp(argv[1], "same") == 0 && argc > 4)
		rc = do_same(c, argv + 3);
	else
		die(argv[1]);
	mo_client_free(c);
	return rc;
}
