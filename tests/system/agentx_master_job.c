/* SPDX-License-Identifier: BSD-3-Clause */
/* The scripted master of one subagent: connections, PDUs, and how it fails. */
#include "tests/system/agentx_master.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HEADER          20
#define BIG_ENDIAN_FLAG 0x10

enum {
	PDU_OPEN = 1,
	PDU_CLOSE,
	PDU_REGISTER,
	PDU_UNREGISTER,
	PDU_GET_NEXT = 6,
	PDU_PING = 13,
	PDU_RESPONSE = 18
};
enum { ERROR_NOT_OPEN = 257, ERROR_DUPLICATE = 263, ERROR_UNKNOWN = 264 };

const char *const kind_names[KINDS] = {"dies",  "stops",   "hangs",  "truncates",
				       "loses", "repeats", "delays", "announces"};

static uint64_t random_state = 1;

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "agentx_master: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

void random_start(uint64_t seed)
{
	random_state = seed * 2 + 1;
}

uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static uint32_t load32(const uint8_t *p, uint8_t flags)
{
	if (flags & BIG_ENDIAN_FLAG)
		return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void store32(uint8_t *p, uint32_t v, uint8_t flags)
{
	for (int i = 0; i < 4; i++)
		p[flags & BIG_ENDIAN_FLAG ? 3 - i : i] = (uint8_t)(v >> 8 * i);
}

static void store16(uint8_t *p, unsigned v, uint8_t flags)
{
	p[flags & BIG_ENDIAN_FLAG ? 1 : 0] = (uint8_t)v;
	p[flags & BIG_ENDIAN_FLAG ? 0 : 1] = (uint8_t)(v >> 8);
}

static void put_header(uint8_t *p, uint8_t type, const struct conn *c, uint32_t transaction,
		       uint32_t packet, uint32_t length)
{
	p[0] = 1;
	p[1] = type;
	p[2] = c->flags & BIG_ENDIAN_FLAG;
	p[3] = 0;
	store32(p + 4, c->session, c->flags);
	store32(p + 8, transaction, c->flags);
	store32(p + 12, packet, c->flags);
	store32(p + 16, length, c->flags);
}

/* --- connections and sockets ------------------------------------------------------ */

static void close_conn(struct job *j, struct conn *c)
{
	if (c->fd < 0)
		return;
	close(c->fd);
	c->fd = -1;
	for (unsigned i = j->n_nodes; i-- > 0;)
		if (j->nodes[i].session == c->session)
			j->nodes[i] = j->nodes[--j->n_nodes];
	for (unsigned i = j->n_late; i-- > 0;)
		if (&j->conns[j->late[i].conn] == c)
			j->late[i] = j->late[--j->n_late];
}

void job_close_all(struct job *j)
{
	for (int i = 0; i < CONNS_MAX; i++)
		close_conn(j, &j->conns[i]);
}

void job_listen(struct job *j)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", j->path);
	unlink(j->path);
	j->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (j->listener < 0 || bind(j->listener, (struct sockaddr *)&sa, sizeof(sa)) < 0 ||
	    listen(j->listener, 5) < 0)
		die("%s: %m", j->path);
}

void job_accept(struct job *j)
{
	int fd = accept4(j->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int i = 0;

	if (fd < 0)
		return;
	while (i < CONNS_MAX && j->conns[i].fd >= 0)
		i++;
	if (i == CONNS_MAX)
		die("job %d: %d connections at a time", j->number, CONNS_MAX);
	j->conns[i] = (struct conn){.fd = fd, .victim = j->active && !j->failed};
}

/* --- failures ---------------------------------------------------------------------- */

static void announce(struct conn *c)
{
	static uint8_t octets[65536];

	put_header(octets, PDU_GET_NEXT, c, 1, 1, 0xfffffff0);
	while (send(c->fd, octets, sizeof(octets), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
	c->hung = true;
}

/* The master fails at this octet of the victim; kinds that concern a whole Response: respond(). */
static void fail_now(struct job *j, struct conn *c)
{
	int64_t now = now_ms();

	j->failed = true;
	j->idle = false;
	j->sound_ms = now;
	switch (j->kind) {
	case DIES:
		job_close_all(j);
		close(j->listener);
		j->listener = -1;
		j->listen_ms = j->sound_ms = now + (int64_t)random_below(61);
		break;
	case STOPS:
		j->continue_ms = j->sound_ms = now + (int64_t)random_below(1201);
		break;
	case HANGS:
		c->hung = true;
		j->idle = true;
		break;
	case TRUNCATES:
		c->ignore = c->n_rest == 0;
		c->n_rest = 0;
		break;
	case ANNOUNCES:
		announce(c);
		break;
	default:
		break;
	}
}

static bool is_whole_response_kind(enum kind kind)
{
	return kind == LOSES || kind == REPEATS || kind == DELAYS;
}

/* The number of octets until the master fails on this connection. */
static uint64_t octets_left(const struct job *j, const struct conn *c)
{
	if (!c->victim || j->failed || is_whole_response_kind(j->kind))
		return UINT64_MAX;
	return j->cut - c->octets;
}

static void send_octets(struct job *j, struct conn *c, const uint8_t *octets, size_t len)
{
	uint64_t left = octets_left(j, c);
	size_t n = left < len ? (size_t)left : len;

	if (send(c->fd, octets, n, MSG_NOSIGNAL) != (ssize_t)n) {
		close_conn(j, c);
		return;
	}
	c->octets += n;
	if (left > len)
		return;
	c->n_rest = len - n;
	memcpy(c->rest, octets + n, c->n_rest < RESPONSE ? c->n_rest : RESPONSE);
	fail_now(j, c);
}

/* Sends a Response, or fails in a way that concerns all of it. */
static void respond(struct job *j, struct conn *c, const uint8_t pdu[RESPONSE])
{
	bool now = c->victim && !j->failed && is_whole_response_kind(j->kind) &&
		   j->cut <= c->octets + RESPONSE;
	struct late *late = &j->late[j->n_late];

	if (!now) {
		send_octets(j, c, pdu, RESPONSE);
		return;
	}
	fail_now(j, c);
	if (j->kind == LOSES) {
		c->octets += RESPONSE;
	} else if (j->kind == REPEATS) {
		send_octets(j, c, pdu, RESPONSE);
		if (c->fd >= 0)
			send_octets(j, c, pdu, RESPONSE);
	} else if (j->n_late < LATE_MAX) {
		late->conn = (int)(c - j->conns);
		late->due_ms = j->sound_ms = now_ms() + (int64_t)random_below(701);
		memcpy(late->pdu, pdu, RESPONSE);
		j->n_late++;
	}
}

/* --- PDUs ---------------------------------------------------------------------------- */

static struct node *find_node(struct job *j, const uint8_t *octets, size_t len)
{
	for (unsigned i = 0; i < j->n_nodes; i++)
		if (j->nodes[i].len == len && memcmp(j->nodes[i].octets, octets, len) == 0)
			return &j->nodes[i];
	return NULL;
}

static unsigned register_node(struct job *j, const struct conn *c, const uint8_t *oid, size_t len)
{
	struct node *n = &j->nodes[j->n_nodes];

	if (find_node(j, oid, len))
		return ERROR_DUPLICATE;
	if (j->n_nodes == ROOTS_MAX || len > NODE_MAX)
		die("job %d: more than %d registrations", j->number, ROOTS_MAX);
	memcpy(n->octets, oid, len);
	n->len = len;
	n->session = c->session;
	j->n_nodes++;
	return 0;
}

/* As Net-SNMP's master: whichever session asks. */
static unsigned unregister_node(struct job *j, const uint8_t *oid, size_t len)
{
	struct node *n = find_node(j, oid, len);

	if (!n)
		return ERROR_UNKNOWN;
	*n = j->nodes[--j->n_nodes];
	return 0;
}

static bool has_all_roots(const struct job *j, const struct conn *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < j->n_nodes; i++)
		n += c->session && j->nodes[i].session == c->session;
	return n == j->roots;
}

/* Sends a GetNext of all roots. */
static void send_check(struct job *j, struct conn *c)
{
	uint8_t pdu[PDU_MAX] = {0};
	size_t len = HEADER;

	for (unsigned i = 0; i < j->n_nodes; i++) {
		memcpy(pdu + len, j->nodes[i].octets, j->nodes[i].len);
		len += j->nodes[i].len + 4; /* no end */
	}
	c->check = ++j->last_packet;
	c->check_ms = now_ms();
	put_header(pdu, PDU_GET_NEXT, c, c->check, c->check, (uint32_t)(len - HEADER));
	/* Not part of the conversation in which the master fails. */
	if (send(c->fd, pdu, len, MSG_NOSIGNAL) != (ssize_t)len)
		close_conn(j, c);
}

static void on_check_response(struct job *j, struct conn *c)
{
	if (j->active && j->failed && c->check_ms >= j->sound_ms && has_all_roots(j, c))
		j->answered = true;
	c->check = 0;
}

static void on_pdu(struct job *j, struct conn *c)
{
	uint8_t type = c->in[1], response[RESPONSE] = {0};
	uint32_t packet = load32(c->in + 12, c->in[2]);
	const uint8_t *oid = c->in + HEADER + 4;
	size_t oid_len = c->have > HEADER + 4 ? c->have - HEADER - 4 : 0;
	unsigned error = 0;

	if (type == PDU_RESPONSE) {
		if (c->check && packet == c->check)
			on_check_response(j, c);
		return;
	}
	if (type == PDU_CLOSE) {
		close_conn(j, c);
		return;
	}
	if (type == PDU_OPEN) {
		c->session = ++j->last_session;
		c->flags = c->in[2];
	} else if (!c->session || load32(c->in + 4, c->in[2]) != c->session) {
		error = ERROR_NOT_OPEN;
	} else if (type == PDU_REGISTER) {
		error = register_node(j, c, oid, oid_len);
	} else if (type == PDU_UNREGISTER) {
		error = unregister_node(j, oid, oid_len);
	}
	put_header(response, PDU_RESPONSE, c, load32(c->in + 8, c->in[2]), packet,
		   RESPONSE - HEADER);
	store16(response + 24, error, c->flags);
	respond(j, c, response);
	/* The first conversation shows how many octets there are. */
	if (type == PDU_PING && !j->total && c->fd >= 0 && has_all_roots(j, c))
		j->total = c->octets;
}

/* Receives at most to the end of a PDU, and to the octet at which the master fails. */
static void receive(struct job *j, struct conn *c)
{
	size_t want = HEADER;
	uint64_t left = octets_left(j, c);
	ssize_t n;

	if (c->hung) {
		n = recv(c->fd, c->in, sizeof(c->in), 0);
		if (n > 0 && j->idle)
			j->sound_ms = now_ms();
		j->idle = j->idle && n <= 0;
		if (n == 0 || (n < 0 && errno != EAGAIN))
			close_conn(j, c);
		return;
	}
	if (c->have >= HEADER)
		want = HEADER + load32(c->in + 16, c->in[2]);
	if (want > sizeof(c->in))
		die("job %d: the subagent sent a PDU of %zu octets", j->number, want);
	want -= c->have;
	n = recv(c->fd, c->in + c->have, left < want ? (size_t)left : want, 0);
	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			close_conn(j, c);
		return;
	}
	c->have += (size_t)n;
	/* The Response to a check is not part of the conversation. */
	if (c->have < 2 || c->in[1] != PDU_RESPONSE)
		c->octets += (uint64_t)n;
	if (octets_left(j, c) == 0)
		fail_now(j, c);
}

/* Handles a PDU that is complete. */
static void handle(struct job *j, struct conn *c)
{
	if (c->fd < 0 || c->hung || j->continue_ms || c->have < HEADER ||
	    c->have < HEADER + load32(c->in + 16, c->in[2]))
		return;
	if (!c->ignore)
		on_pdu(j, c);
	c->ignore = false;
	c->have = 0;
}

void job_receive(struct job *j, int fd)
{
	for (int i = 0; i < CONNS_MAX && !j->continue_ms; i++) {
		struct conn *c = &j->conns[i];

		if (c->fd < 0 || c->fd != fd)
			continue;
		receive(j, c);
		handle(j, c);
		return;
	}
}

/* --- time ------------------------------------------------------------------------------ */

static void continue_now(struct job *j, int64_t now)
{
	j->continue_ms = 0;
	j->sound_ms = now;
	for (int i = 0; i < CONNS_MAX; i++) {
		struct conn *c = &j->conns[i];
		size_t n = c->n_rest;

		c->n_rest = 0;
		if (c->fd >= 0 && n > 0)
			send_octets(j, c, c->rest, n);
		handle(j, c); /* complete when the master stopped */
	}
}

static void send_late(struct job *j, int64_t now)
{
	for (unsigned i = j->n_late; i-- > 0;) {
		struct late late = j->late[i];

		if (i >= j->n_late || now < late.due_ms)
			continue;
		j->late[i] = j->late[--j->n_late];
		send_octets(j, &j->conns[late.conn], late.pdu, RESPONSE);
	}
}

void job_tick(struct job *j, int64_t now)
{
	if (j->listener < 0 && now >= j->listen_ms) {
		job_listen(j);
		j->sound_ms = now_ms();
	}
	if (j->continue_ms && now >= j->continue_ms)
		continue_now(j, now);
	send_late(j, now);
	for (int i = 0; i < CONNS_MAX && !j->continue_ms; i++) {
		struct conn *c = &j->conns[i];

		if (c->fd >= 0 && !c->hung && !c->check && has_all_roots(j, c) && j->active &&
		    j->failed && now >= j->sound_ms)
			send_check(j, c);
	}
}
