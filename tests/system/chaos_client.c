/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clients of dcbd's control socket that do what clients should not, until ended:
 *
 *   chaos_client SOCKET SEED
 *
 * Each has its own connection and a random kind: it sends octets at random, or requests with random
 * bodies; it sends requests and reads no reply; it subscribes and reads no event; it is idle; it
 * leaves a transaction after TEST or after COMMIT. It closes the connection after a random time.
 * The transactions set dcbNotifyRateLimit to its default.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "lib/mo/mo_msg.h"

#define CLIENTS    24
#define TURN_NS    5000000 /* between two turns; a client acts in each turn */
#define TURNS_MAX  60      /* of one connection */
#define RATE_LIMIT 120     /* default of dcbNotifyRateLimit */

enum kind { OCTETS, BODIES, READS, SUBSCRIBES, IDLE, TESTS, COMMITS, KINDS };

struct client {
	int fd; /* -1: not connected */
	enum kind kind;
	unsigned turns; /* left */
	bool is_open;   /* its transaction */
};

static struct client clients[CLIENTS];
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static uint8_t buf[MO_MSG_MAX];

static unsigned below(unsigned n)
{
	return (unsigned)random() % n;
}

static void send_octets(struct client *c, size_t len)
{
	if (send(c->fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN)
		c->turns = 0;
}

static void randomize(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		buf[i] = (uint8_t)random();
}

/* Starts a message. The caller appends the body. */
static struct octets_out request(enum mo_msg_op op, uint16_t table)
{
	struct octets_out out = octets_out(buf, sizeof(buf));

	mo_msg_put_header(
	    &out, &(struct mo_msg_header){.op = (uint8_t)op, .table = table, .seq = below(9)});
	return out;
}

static void send_random_octets(struct client *c)
{
	size_t len = below(20) ? below(400) : sizeof(buf);

	randomize(0, len);
	send_octets(c, len);
}

static void send_random_body(struct client *c)
{
	struct octets_out out =
	    request((enum mo_msg_op)(1 + below(MO_OP_LAST)), (uint16_t)below(99));
	size_t len = out.len + below(64);

	randomize(out.len, len);
	send_octets(c, len);
}

static void send_read(struct client *c)
{
	struct octets_out out = request(MO_OP_READ, (uint16_t)below(MO_TABLES));

	octets_out_u8(&out, 0);
	octets_out_be16(&out, 500);
	mo_msg_put_index(&out, &(struct mo_index){0});
	send_octets(c, out.len);
}

static void send_subscribe(struct client *c)
{
	struct octets_out out = request(MO_OP_SUBSCRIBE, 0);

	octets_out_u8(&out, 0);
	octets_out_be32(&out, 0);
	octets_out_be64(&out, 0);
	send_octets(c, out.len);
}

static void send_transaction(struct client *c)
{
	struct octets_out out = request(MO_OP_TEST, 0);
	struct mo_index index;
	const struct mo_table *table;
	const struct mo_column *column = mo_column_by_name("dcbNotifyRateLimit", &table);
	struct mo_varbind vb;

	if (!column || !mo_index_parse("0", &index))
		abort();
	vb = (struct mo_varbind){.table = table->id,
				 .subid = column->subid,
				 .index = index,
				 .value = {.syntax = column->syntax, .num = RATE_LIMIT}};

	octets_out_be32(&out, 1);
	octets_out_be16(&out, 1);
	mo_msg_put_varbind(&out, &vb);
	send_octets(c, out.len);
	if (c->kind == TESTS)
		return;
	out = request(MO_OP_COMMIT, 0);
	octets_out_be32(&out, 1);
	send_octets(c, out.len);
}

static void open_client(struct client *c)
{
	c->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	c->kind = (enum kind)below(KINDS);
	c->turns = 1 + below(TURNS_MAX);
	c->is_open = false;
	if (c->fd >= 0 && connect(c->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		close(c->fd);
		c->fd = -1;
	}
}

static void act(struct client *c)
{
	switch (c->kind) {
	case OCTETS:
		send_random_octets(c);
		break;
	case BODIES:
		send_random_body(c);
		break;
	case READS:
		send_read(c);
		break;
	case SUBSCRIBES:
	case TESTS:
	case COMMITS:
		if (!c->is_open && c->kind == SUBSCRIBES)
			send_subscribe(c);
		else if (!c->is_open)
			send_transaction(c);
		c->is_open = true;
		break;
	default:
		break;
	}
}

static void turn(struct client *c)
{
	if (c->fd < 0) {
		open_client(c);
		return;
	}
	if (c->turns > 0) {
		c->turns--;
		act(c);
		return;
	}
	close(c->fd);
	c->fd = -1;
}

int main(int argc, char **argv)
{
	if (argc != 3 || strlen(argv[1]) >= sizeof(address.sun_path)) {
		fputs("usage: chaos_client SOCKET SEED\n", stderr);
		return 2;
	}
	strcpy(address.sun_path, argv[1]);
	srandom((unsigned)strtoul(argv[2], NULL, 10));
	for (unsigned i = 0; i < CLIENTS; i++)
		clients[i].fd = -1;
	for (;;) {
		for (unsigned i = 0; i < CLIENTS; i++)
			turn(&clients[i]);
		nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
	}
}
