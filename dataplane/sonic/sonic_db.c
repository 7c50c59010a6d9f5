/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of hiredis this uses the parser and the formatter. Its own sockets wait for each read for the
 * whole timeout, and its own replies take an allocation for each string, of any number of them.
 * Here the parser fills one arena, which has limits.
 */
#include "dataplane/sonic/sonic_db.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/clock.h"

#define READ_OCTETS 16384
#define SCAN_COUNT  "1000"

#if HIREDIS_MAJOR >= 1
typedef size_t array_size;
#else
typedef int array_size;
#endif

/* The answer that is being read. */
struct arena {
	char *octets;
	size_t n_octets, room_octets;
	size_t *at; /* of each value in octets; SIZE_MAX: none */
	const char **values;
	unsigned n, room;
	bool is_error; /* of redis: the value is its text */
	bool too_long, no_memory;
};

struct sonic_db {
	int fd, stop_fd;
	uint32_t timeout_ms;
	redisReader *reader;
	struct arena arena;
	char socket[sizeof(((struct sockaddr_un *)0)->sun_path)];
	bool handed; /* the arena has a message that was handed over */
	bool failed;
	char error[SONIC_DB_ERROR];
};

struct sonic_commands {
	char *octets; /* as they are sent */
	size_t n_octets, room_octets;
	size_t *ends; /* of each command */
	unsigned n, room;
};

/* --- the arena ----------------------------------------------------------------------------- */

/* Makes room for need elements. Returns false if out of memory. */
static bool make_room(void **of, size_t size, size_t need, size_t *room)
{
	size_t more = *room ? *room * 2 : 64;
	void *at;

	if (need <= *room)
		return true;
	if (more < need)
		more = need;
	at = realloc(*of, more * size);
	if (!at)
		return false;
	*of = at;
	*room = more;
	return true;
}

static bool has_room(struct arena *a, size_t len)
{
	size_t room = a->room;
	void *octets = a->octets, *at = a->at;
	bool ok;

	if (a->n >= SONIC_DB_VALUES || len > SONIC_DB_OCTETS - a->n_octets) {
		a->too_long = true;
		return false;
	}
	ok = make_room(&octets, 1, a->n_octets + len + 1, &a->room_octets);
	a->octets = octets;
	ok = ok && make_room(&at, sizeof(*a->at), a->n + 1u, &room);
	a->at = at;
	a->room = (unsigned)room;
	a->no_memory |= !ok;
	return ok;
}

/* Adds a value. Returns NULL, at which the parser stops, if there is no room. */
static void *add_value(struct arena *a, const char *text, size_t len)
{
	if (!has_room(a, len))
		return NULL;
	a->at[a->n++] = a->n_octets;
	for (size_t i = 0; i < len; i++)
		a->octets[a->n_octets++] =
		    (unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~' ? '?' : text[i];
	a->octets[a->n_octets++] = '\0';
	return a;
}

static void *on_string(const redisReadTask *task, char *text, size_t len)
{
	struct arena *a = task->privdata;

	a->is_error |= task->type == REDIS_REPLY_ERROR;
	return add_value(a, text, len);
}

static void *on_array(const redisReadTask *task, array_size n)
{
	struct arena *a = task->privdata;

	if ((size_t)n <= SONIC_DB_VALUES)
		return a;
	a->too_long = true;
	return NULL;
}

static void *on_integer(const redisReadTask *task, long long value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%lld", value);

	return add_value(task->privdata, text, (size_t)n);
}

static void *on_nil(const redisReadTask *task)
{
	struct arena *a = task->privdata;

	if (!has_room(a, 0))
		return NULL;
	a->at[a->n++] = SIZE_MAX;
	return a;
}

static void on_free(void *object)
{
	(void)object; /* of the arena */
}

static redisReplyObjectFunctions functions = {
    .createString = on_string,
    .createArray = on_array,
    .createInteger = on_integer,
    .createNil = on_nil,
    .freeObject = on_free,
};

static void clear(struct arena *a)
{
	a->n = 0;
	a->n_octets = 0;
	a->is_error = false;
}

/* Makes the values of a whole answer. Returns false if out of memory. */
static bool finish(struct arena *a, struct sonic_reply *out)
{
	const char **values = realloc(a->values, (a->n + 1u) * sizeof(*values));

	if (!values)
		return false;
	a->values = values;
	for (unsigned i = 0; i < a->n; i++)
		values[i] = a->at[i] == SIZE_MAX ? NULL : a->octets + a->at[i];
	*out = (struct sonic_reply){.values = values, .n = a->n};
	return true;
}

/* --- failures ------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static bool fail(struct sonic_db *db, const char *fmt, ...)
{
	int n = snprintf(db->error, sizeof(db->error), "redis at %s: ", db->socket);
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < sizeof(db->error))
		vsnprintf(db->error + n, sizeof(db->error) - (size_t)n, fmt, ap);
	va_end(ap);
	db->failed = true;
	return false;
}

const char *sonic_db_error(const struct sonic_db *db)
{
	return db->error;
}

/* Writes the first words of a command: two, but one if the second is a secret. */
static void label(const char *command, char *out, size_t size)
{
	char first[24] = "", second[64] = "";

	/* As redisFormatCommandArgv() makes it: *N, then $LENGTH and the word for each word. */
	(void)sscanf(command, "*%*d\r\n$%*d\r\n%23[^\r]\r\n$%*d\r\n%63[^\r]", first, second);
	if (second[0] == '\0' || strcmp(first, "AUTH") == 0)
		snprintf(out, size, "%s", first);
	else
		snprintf(out, size, "%s %s", first, second);
}

/* An error of redis: what the operator can do about it. */
static const char *remedy(const char *text)
{
	if (strncmp(text, "NOAUTH", 6) == 0)
		return "; expected a password: sonic.password_file";
	if (strncmp(text, "NOPERM", 6) == 0)
		return "; expected that the user may read all databases";
	return "";
}

/* --- exchanges ----------------------------------------------------------------------------- */

/* Returns 1 with the next answer of what has been received, 0 if it is not whole, -1 on failure. */
static int next_reply(struct sonic_db *db, struct sonic_reply *out)
{
	void *object = NULL;

	if (redisReaderGetReply(db->reader, &object) != REDIS_OK) {
		if (db->arena.too_long)
			fail(db, "an answer has more than %d values or %d octets", SONIC_DB_VALUES,
			     SONIC_DB_OCTETS);
		else
			fail(db, "%.80s",
			     db->arena.no_memory ? "out of memory" : db->reader->errstr);
		return -1;
	}
	if (!object)
		return 0;
	if (finish(&db->arena, out))
		return 1;
	fail(db, "out of memory");
	return -1;
}

/* Receives without waiting. Returns false on failure; nothing to receive is none. */
static bool receive(struct sonic_db *db)
{
	char octets[READ_OCTETS];
	ssize_t n = recv(db->fd, octets, sizeof(octets), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n < 0)
		return fail(db, "%s", strerror(errno));
	if (n == 0)
		return fail(db, "it closed the connection");
	if (db->reader->len - db->reader->pos > SONIC_DB_OCTETS)
		return fail(db, "an answer has more than %d octets", SONIC_DB_OCTETS);
	if (redisReaderFeed(db->reader, octets, (size_t)n) != REDIS_OK)
		return fail(db, "out of memory");
	return true;
}

static bool send_some(struct sonic_db *db, const char *octets, size_t len, size_t *sent)
{
	ssize_t n = send(db->fd, octets + *sent, len - *sent, MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return fail(db, "%s", strerror(errno));
	*sent += n > 0 ? (size_t)n : 0;
	return true;
}

/* Waits until the connection can go on. Returns false on failure, at the end of the time. */
static bool wait_for(struct sonic_db *db, short events, struct dcb_time end)
{
	struct pollfd fds[] = {{.fd = db->fd, .events = events},
			       {.fd = db->stop_fd, .events = POLLIN}};
	int64_t left = dcb_time_diff_ns(end, clock_now());

	if (left <= 0)
		return fail(db, "no answer within %u ms", db->timeout_ms);
	if (poll(fds, 2, (int)(left / DCB_NS_PER_MS) + 1) < 0 && errno != EINTR)
		return fail(db, "%s", strerror(errno));
	return fds[1].revents ? fail(db, "stopped") : true;
}

static struct dcb_time deadline(const struct sonic_db *db)
{
	return dcb_time_add_ns(clock_now(), db->timeout_ms * DCB_NS_PER_MS);
}

/* Hands over the answers that are whole. *done: commands that have theirs. */
static bool take_replies(struct sonic_db *db, const struct sonic_commands *c, unsigned *done,
			 void (*take)(void *, unsigned, const struct sonic_reply *), void *arg)
{
	struct sonic_reply reply;
	char what[96];
	int got;

	while (*done < c->n && (got = next_reply(db, &reply)) != 0) {
		if (got < 0)
			return false;
		if (db->arena.is_error) {
			label(c->octets + (*done ? c->ends[*done - 1] : 0), what, sizeof(what));
			return fail(db, "%s: %.96s%s", what, reply.values[0],
				    remedy(reply.values[0]));
		}
		if (take)
			take(arg, *done, &reply);
		clear(&db->arena);
		(*done)++;
	}
	return true;
}

bool sonic_db_run(struct sonic_db *db, const struct sonic_commands *c,
		  void (*take)(void *arg, unsigned i, const struct sonic_reply *reply), void *arg)
{
	const struct dcb_time end = deadline(db);
	unsigned done = 0;
	size_t sent = 0;

	while (!db->failed && done < c->n) {
		/* Answers are read meanwhile: else redis has to keep them. */
		if ((sent == c->n_octets || send_some(db, c->octets, c->n_octets, &sent)) &&
		    wait_for(db, (short)(sent < c->n_octets ? POLLIN | POLLOUT : POLLIN), end) &&
		    receive(db))
			(void)take_replies(db, c, &done, take, arg);
	}
	return !db->failed;
}

/* --- lists of commands --------------------------------------------------------------------- */

struct sonic_commands *sonic_commands_new(void)
{
	return calloc(1, sizeof(struct sonic_commands));
}

static bool append(struct sonic_commands *c, const char *octets, size_t len)
{
	void *to = c->octets, *ends = c->ends;
	size_t room = c->room;
	bool ok = make_room(&to, 1, c->n_octets + len + 1, &c->room_octets);

	c->octets = to;
	ok = ok && make_room(&ends, sizeof(*c->ends), c->n + 1u, &room);
	c->ends = ends;
	c->room = (unsigned)room;
	if (!ok)
		return false;
	memcpy(c->octets + c->n_octets, octets, len);
	c->n_octets += len;
	c->octets[c->n_octets] = '\0';
	c->ends[c->n++] = c->n_octets;
	return true;
}

bool sonic_commands_add(struct sonic_commands *c, unsigned n, const char *const words[])
{
	char *octets = NULL;
	/* The declaration of hiredis lacks a const. */
	int len = redisFormatCommandArgv(&octets, (int)n, (const char **)(uintptr_t)words, NULL);
	bool ok = len >= 0 && append(c, octets, (size_t)len);

	if (len >= 0)
		free(octets);
	return ok;
}

unsigned sonic_commands_count(const struct sonic_commands *c)
{
	return c->n;
}

void sonic_commands_free(struct sonic_commands *c)
{
	if (!c)
		return;
	free(c->octets);
	free(c->ends);
	free(c);
}

/* Runs one command. */
static bool run_one(struct sonic_db *db, unsigned n, const char *const words[],
		    void (*take)(void *, unsigned, const struct sonic_reply *), void *arg)
{
	struct sonic_commands *c = sonic_commands_new();
	bool ok;

	if (!c || !sonic_commands_add(c, n, words))
		ok = fail(db, "out of memory");
	else
		ok = sonic_db_run(db, c, take, arg);
	sonic_commands_free(c);
	return ok;
}

/* --- opening ------------------------------------------------------------------------------- */

static bool connect_to(struct sonic_db *db)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	memcpy(to.sun_path, db->socket, sizeof(to.sun_path));
	db->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (db->fd < 0)
		return fail(db, "%s", strerror(errno));
	/* Of a local socket it does not wait: EAGAIN if redis accepts no more. */
	if (connect(db->fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		return fail(db, "%s%s", strerror(errno),
			    errno == EACCES ? "; expected dcbd's user in the group of the socket"
					    : "");
	return true;
}

static bool greet(struct sonic_db *db, const struct sonic_db_params *params)
{
	const char *const auth[] = {"AUTH", params->password};
	char number[16];
	const char *const select[] = {"SELECT", number};

	snprintf(number, sizeof(number), "%u", params->number);
	if (params->password && params->password[0] && !run_one(db, 2, auth, NULL, NULL))
		return false;
	return run_one(db, 2, select, NULL, NULL);
}

struct sonic_db *sonic_db_open(const struct sonic_db_params *params, char *err, size_t errlen)
{
	struct sonic_db *db = calloc(1, sizeof(*db));

	if (db) {
		db->fd = -1;
		db->stop_fd = params->stop_fd;
		db->timeout_ms = params->timeout_ms;
		db->reader = redisReaderCreateWithFunctions(&functions);
	}
	if (!db || !db->reader ||
	    snprintf(db->socket, sizeof(db->socket), "%s", params->socket) >=
		(int)sizeof(db->socket)) {
		snprintf(err, errlen, "redis at %.80s: out of memory", params->socket);
		sonic_db_close(db);
		return NULL;
	}
	db->reader->privdata = &db->arena;
	if (connect_to(db) && greet(db, params))
		return db;
	snprintf(err, errlen, "%s", db->error);
	sonic_db_close(db);
	return NULL;
}

void sonic_db_close(struct sonic_db *db)
{
	if (!db)
		return;
	if (db->reader)
		redisReaderFree(db->reader);
	if (db->fd >= 0)
		close(db->fd);
	free(db->arena.octets);
	free(db->arena.at);
	free(db->arena.values);
	free(db);
}

/* --- scanning ------------------------------------------------------------------------------ */

struct scan {
	bool (*take)(void *arg, const char *key);
	void *arg;
	char cursor[32];
	bool go_on;
};

static void take_keys(void *arg, unsigned i, const struct sonic_reply *reply)
{
	struct scan *s = arg;

	(void)i;
	snprintf(s->cursor, sizeof(s->cursor), "%s",
		 reply->n > 0 && reply->values[0] ? reply->values[0] : "0");
	for (unsigned k = 1; k < reply->n && s->go_on; k++)
		if (reply->values[k])
			s->go_on = s->take(s->arg, reply->values[k]);
}

bool sonic_db_scan(struct sonic_db *db, const char *pattern,
		   bool (*take)(void *arg, const char *key), void *arg)
{
	struct scan s = {.take = take, .arg = arg, .cursor = "0", .go_on = true};
	const char *const words[] = {"SCAN", s.cursor, "MATCH", pattern, "COUNT", SCAN_COUNT};

	for (unsigned n = 0; n < SONIC_DB_KEYS / 1000; n++) {
		if (!run_one(db, 6, words, take_keys, &s))
			return false;
		if (!s.go_on || strcmp(s.cursor, "0") == 0)
			return s.go_on;
	}
	return fail(db, "SCAN: more than %d keys", SONIC_DB_KEYS);
}

/* --- messages ------------------------------------------------------------------------------ */

/* Sends a command whose answers, n of them, are messages. */
static bool subscribe(struct sonic_db *db, const char *command, unsigned n,
		      const char *const names[])
{
	const char *words[2] = {command, NULL};
	struct sonic_commands *c = sonic_commands_new();
	bool ok = c != NULL;

	for (unsigned i = 0; i < n && ok; i++) {
		words[1] = names[i];
		ok = sonic_commands_add(c, 2, words);
	}
	ok = ok ? sonic_db_run(db, c, NULL, NULL) : fail(db, "out of memory");
	sonic_commands_free(c);
	return ok;
}

bool sonic_db_subscribe(struct sonic_db *db, unsigned n_channels, const char *const channels[],
			unsigned n_patterns, const char *const patterns[])
{
	return subscribe(db, "SUBSCRIBE", n_channels, channels) &&
	       subscribe(db, "PSUBSCRIBE", n_patterns, patterns);
}

int sonic_db_fd(const struct sonic_db *db)
{
	return db->fd;
}

int sonic_db_message(struct sonic_db *db, const char **channel, const char **text)
{
	struct sonic_reply m;
	int got;

	if (db->handed)
		clear(&db->arena);
	db->handed = false;
	if (db->failed)
		return -1;
	got = next_reply(db, &m);
	if (got == 0 && receive(db) && !db->failed)
		got = next_reply(db, &m);
	if (got <= 0 || db->failed)
		return db->failed ? -1 : 0;
	/* "message", channel, text; "pmessage", pattern, channel, text; or an error. */
	if (db->arena.is_error || m.n < 3 || !m.values[m.n - 2] || !m.values[m.n - 1]) {
		fail(db, "%.64s", m.n && m.values[0] ? m.values[0] : "an empty message");
		return -1;
	}
	db->handed = true;
	*channel = m.values[m.n - 2];
	*text = m.values[m.n - 1];
	return 1;
}
