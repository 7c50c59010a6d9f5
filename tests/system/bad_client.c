/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client of dcbd's sockets that does what none should, for clients.sh.
 *
 *   bad_client SOCKET garbage MS SEED
 *     connects and sends random octets, again and again for MS milliseconds; prints how many
 *     connections that were
 *   bad_client SOCKET flood MS
 *     reads whole tables on as many connections as it gets, for MS milliseconds; prints the
 *     number of replies
 *   bad_client SOCKET open COUNT
 *     connects COUNT times, prints how many of the connections are served, and waits
 *   bad_client SOCKET half
 *     sends every proper beginning of a TEST, each on a connection of its own; prints how many
 *     were answered by other than CLOSE. Then connects, sends nothing, and waits
 *   bad_client SOCKET notifier
 *     subscribes as dcb-agentx does; prints "subscribed" or the reason of the refusal
 *   bad_client SOCKET tested|committed OBJECT.INDEX VALUE
 *     begins a transaction, and stops itself (SIGSTOP) in this phase
 *   bad_client SOCKET subscribed
 *     subscribes to events, and stops itself
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "lib/mo/mo_client.h"

#define TIMEOUT_S       10
#define CONNECTIONS_MAX 1024

static const char *path;
static uint8_t reply[MO_MSG_MAX];

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "bad_client: %s: %s\n", what, why);
	exit(1);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* --- messages --------------------------------------------------------------------------- */

static int dial(void)
{
	const struct timeval tv = {.tv_sec = TIMEOUT_S};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("socket", strerror(errno));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		die(path, strerror(errno));
	return fd;
}

/* Returns the operation of the next message without MO_MSG_REPLY; 0: there is none. */
static unsigned receive(int fd, struct octets_in *in)
{
	ssize_t n = recv(fd, reply, sizeof(reply), 0);
	struct mo_msg_header h;

	if (n < 0 && errno == ECONNRESET)
		n = recv(fd, reply, sizeof(reply), 0);
	*in = octets_in(reply, n > 0 ? (size_t)n : 0);
	return mo_msg_get_header(in, &h) ? h.op & (unsigned)~MO_MSG_REPLY : 0;
}

static unsigned ask(int fd, const struct octets_out *request, struct octets_in *in)
{
	(void)!send(fd, request->start, request->len, MSG_NOSIGNAL);
	return receive(fd, in);
}

static struct octets_out begin(uint8_t *buf, size_t size, enum mo_msg_op op, unsigned table)
{
	struct octets_out out = octets_out(buf, size);

	mo_msg_put_header(&out,
			  &(struct mo_msg_header){.op = (uint8_t)op, .table = (uint16_t)table});
	return out;
}

/* --- misbehavior ------------------------------------------------------------------------- */

static void do_garbage(int64_t ms, unsigned seed)
{
	int64_t end = now_ms() + ms;
	unsigned long n = 0;
	uint8_t buf[300];

	srandom(seed);
	for (; now_ms() < end; n++) {
		size_t len = 1 + (size_t)random() % sizeof(buf);
		struct octets_in in;
		int fd = dial();

		for (size_t i = 0; i < len; i++)
			buf[i] = (uint8_t)random();
		if (send(fd, buf, len, MSG_NOSIGNAL) > 0)
			(void)receive(fd, &in);
		close(fd);
	}
	printf("%lu\n", n);
}

/* Connects n times. Returns how many of them are served; their file descriptors are in fds. */
static unsigned open_many(int fds[CONNECTIONS_MAX], unsigned n)
{
	uint8_t buf[MO_MSG_HEADER];
	struct octets_out hello = begin(buf, sizeof(buf), MO_OP_HELLO, 0);
	struct octets_in in;
	unsigned served = 0;

	for (unsigned i = 0; i < n && i < CONNECTIONS_MAX; i++) {
		int fd = dial();

		if (ask(fd, &hello, &in) == MO_OP_HELLO)
			fds[served++] = fd;
		else
			close(fd);
	}
	return served;
}

static void do_flood(int64_t ms)
{
	uint8_t buf[MO_MSG_HEADER + 4];
	struct octets_out out = begin(buf, sizeof(buf), MO_OP_READ, MO_pfc_pri);
	static int fds[CONNECTIONS_MAX];
	unsigned n = open_many(fds, 64);
	unsigned long replies = 0;
	struct octets_in in;
	int64_t end = now_ms() + ms;

	octets_out_u8(&out, 0);
	octets_out_be16(&out, UINT16_MAX);
	octets_out_u8(&out, 0);
	while (now_ms() < end) {
		for (unsigned i = 0; i < n; i++)
			(void)!send(fds[i], buf, out.len, MSG_NOSIGNAL);
		for (unsigned i = 0; i < n; i++)
			replies += receive(fds[i], &in) == MO_OP_READ;
	}
	printf("%lu\n", replies);
}

static _Noreturn void wait_for_the_end(void)
{
	fflush(stdout);
	for (;;)
		pause();
}

static _Noreturn void do_open(unsigned n)
{
	static int fds[CONNECTIONS_MAX];

	printf("%u\n", open_many(fds, n));
	wait_for_the_end();
}

static _Noreturn void do_half(void)
{
	uint8_t buf[256];
	struct octets_out out = begin(buf, sizeof(buf), MO_OP_TEST, 0), part;
	struct octets_in in;
	unsigned n = 0;

	octets_out_be32(&out, 1);
	octets_out_be16(&out, 1);
	mo_msg_put_varbind(&out,
			   &(struct mo_varbind){.table = MO_cn_com_pri,
						.subid = 10,
						.index = {2, {1, 3}},
						.value = {.syntax = MO_ROW_STATUS, .num = 4}});
	for (part = out, part.len = 1; part.len < out.len; part.len++) {
		int fd = dial();

		n += ask(fd, &part, &in) != MO_OP_CLOSE;
		close(fd);
	}
	(void)dial();
	printf("%u\n", n);
	wait_for_the_end();
}

static void do_notifier(void)
{
	uint8_t buf[MO_MSG_HEADER + 13];
	struct octets_out out = begin(buf, sizeof(buf), MO_OP_SUBSCRIBE, 0);
	char why[MO_TEXT_MAX + 1] = "no answer";
	struct octets_in in;
	unsigned op;

	octets_out_u8(&out, MO_SUBSCRIBE_NOTIFIER);
	octets_out_be32(&out, 0);
	octets_out_be64(&out, 0);
	op = ask(dial(), &out, &in);
	if (op == MO_OP_CLOSE)
		mo_msg_get_text(&in, why);
	puts(op == MO_OP_SUBSCRIBE ? "subscribed" : why);
}

static struct mo_client *connect_client(void)
{
	struct mo_client *c = mo_client_new(path, TIMEOUT_S * 1000);

	if (!c)
		die(path, "out of memory");
	return c;
}

static void do_transaction(bool commit, const char *object, const char *value)
{
	const char *dot = strchr(object, '.');
	struct mo_client *c = connect_client();
	struct mo_varbind vb = {.subid = 0};
	const struct mo_table *table;
	const struct mo_column *col;
	enum mo_error error;
	unsigned varbind;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", dot ? (int)(dot - object) : 0, object);
	col = mo_column_by_name(name, &table);
	if (!col || !mo_index_parse(dot + 1, &vb.index) || !mo_parse(col, value, &vb.value))
		die(object, value);
	vb.table = table->id;
	vb.subid = col->subid;
	if (mo_client_test(c, 1, &vb, 1, &error, &varbind) != MO_CLIENT_OK ||
	    (commit && mo_client_commit(c, 1, &error, &varbind) != MO_CLIENT_OK))
		die(object, mo_client_strerror(c));
	raise(SIGSTOP);
	mo_client_free(c);
}

static void do_subscribe(void)
{
	struct mo_client *c = connect_client();

	if (mo_client_subscribe(c, 0) != MO_CLIENT_OK)
		die("subscribe", mo_client_strerror(c));
	raise(SIGSTOP);
	mo_client_free(c);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";

	if (argc < 3)
		die("usage", "bad_client SOCKET WHAT ...");
	path = argv[1];
	if (strcmp(what, "garbage") == 0 && argc == 5)
		do_garbage(atol(argv[3]), (unsigned)atol(argv[4]));
	else if (strcmp(what, "flood") == 0 && argc == 4)
		do_flood(atol(argv[3]));
	else if (strcmp(what, "open") == 0 && argc == 4)
		do_open((unsigned)atol(argv[3]));
	else if (strcmp(what, "half") == 0)
		do_half();
	else if (strcmp(what, "notifier") == 0)
		do_notifier();
	else if ((strcmp(what, "tested") == 0 || strcmp(what, "committed") == 0) && argc == 5)
		do_transaction(what[0] == 'c', argv[3], argv[4]);
	else if (strcmp(what, "subscribed") == 0)
		do_subscribe();
	else
		die("unknown", what);
	return 0;
}
