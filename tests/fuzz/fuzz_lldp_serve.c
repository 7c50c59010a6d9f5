/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcb-lldp's end of the socket pair with dcbd: any messages of dcbd, while an LLDP agent finds,
 * changes and loses neighbors and its connection, and dcbd does not read. Properties: the requests
 * that reach the client of the agent are valid; the messages to dcbd are valid and in the order
 * that dcbd requires, within the window; and when dcbd has read and acknowledged all of them, it
 * knows the neighbors that the agent has.
 *
 * This file and its lldp_serve.o are compiled with the calls of the system replaced by fuzz_...,
 * and libevent and the client of lldpd are replaced.
 */
#include "lldp/process/lldp_serve.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/socket.h>

#include "lib/log.h"
#include "lib/octets.h"
#include "lldp/process/lldp_order.h"
#include "tests/fuzz/event_loop.h"

#define FD        100 /* dcb-lldp's end of the socket pair */
#define STEPS_MAX 512 /* of one input */
#define NEIGHBORS 8

static struct octets_in input;
static unsigned steps;

/* dcbd: the messages that it sends, and a record of those that it has received. */
static struct {
	const uint8_t *message; /* that it has sent, and dcb-lldp has not received; NULL: none */
	size_t message_len;
	bool deaf;   /* its socket is full */
	bool closed; /* it has closed the socket */
	struct lldp_order order;
	uint32_t ttl[NEIGHBORS]; /* of the neighbors that it knows; 0: not known */
} dcbd;

/* The LLDP agent and its client. */
static struct agent {
	struct lldp_client client;
	const struct lldp_events *events;
	void *ctx;
	bool connected, all_reported, destroyed, released;
	uint32_t ttl[NEIGHBORS]; /* of its neighbors; 0: none */
} agent;

/* --- the system ------------------------------------------------------------------------------- */

void log_line(enum log_level level, const char *token, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	(void)level;
	(void)token;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
}

LOOP_FUNCTION bool loop_is_ready(evutil_socket_t fd, short what)
{
	FUZZ_ASSERT(fd == FD);
	return what & EV_WRITE ? !dcbd.deaf || dcbd.closed : dcbd.message || dcbd.closed;
}

ssize_t recv(int fd, void *to, size_t room, int flags)
{
	size_t n = dcbd.message_len < room ? dcbd.message_len : room;

	FUZZ_ASSERT(fd == FD && flags & MSG_DONTWAIT);
	if (!dcbd.message) {
		errno = EAGAIN;
		return dcbd.closed ? 0 : -1;
	}
	memcpy(to, dcbd.message, n);
	dcbd.message = NULL;
	return (ssize_t)n;
}

static struct lldp_remote neighbor_at(unsigned i, uint32_t ttl)
{
	struct lldp_remote r = {
	    .ifname = "swp1",
	    .chassis = {7, 1, {(uint8_t)(i / 2)}},
	    .port = {LLDP_PORT_MAC, 6, {(uint8_t)i}},
	    .ttl = ttl,
	};

	if (i % 2)
		r.ifname[3] = '2';
	return r;
}

static unsigned number_of(const struct lldp_remote *r)
{
	FUZZ_ASSERT(r->port.octets[0] < NEIGHBORS);
	return r->port.octets[0];
}

/* dcbd forgets the neighbors of a connection that is lost; a new process reports all. */
static void take(const struct lldp_msg *m)
{
	switch (m->type) {
	case LLDP_MSG_STATE:
		memset(dcbd.ttl, 0, sizeof(dcbd.ttl));
		break;
	case LLDP_MSG_REMOTE:
		dcbd.ttl[number_of(&m->remote)] = m->remote.ttl;
		break;
	case LLDP_MSG_GONE:
		dcbd.ttl[number_of(&m->remote)] = 0;
		break;
	default:
		break;
	}
}

ssize_t send(int fd, const void *octets, size_t n, int flags)
{
	static struct lldp_msg m;

	FUZZ_ASSERT(fd == FD && flags & MSG_NOSIGNAL && flags & MSG_DONTWAIT);
	FUZZ_ASSERT(!lldp_msg_decode(octets, n, LLDP_MSG_FROM_PROCESS, &m));
	if (dcbd.deaf || dcbd.closed) {
		errno = dcbd.closed ? EPIPE : EAGAIN;
		return -1;
	}
	FUZZ_ASSERT(!lldp_order_take(&dcbd.order, &m));
	take(&m);
	return (ssize_t)n;
}

/* --- the client of the LLDP agent ------------------------------------------------------------- */

static void check_ifname(const char *ifname)
{
	FUZZ_ASSERT(!agent.destroyed);
	FUZZ_ASSERT(ifname[0] && strlen(ifname) < IF_NAMESIZE && !strchr(ifname, '/'));
}

static void agent_set(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		      size_t n, uint32_t mtu)
{
	(void)c;
	(void)mtu;
	check_ifname(ifname);
	FUZZ_ASSERT(n <= LLDP_TLVS_MAX);
	for (size_t i = 0; i < n; i++) {
		FUZZ_ASSERT(memcmp(tlvs[i].oui, "\x00\x80\xc2", 3) == 0);
		FUZZ_ASSERT(tlvs[i].len <= LLDP_TLV_INFO_OCTETS);
	}
}

static void agent_about(struct lldp_client *c, const char *ifname)
{
	(void)c;
	check_ifname(ifname);
}

/* Reports the neighbors again, from within the request, as the client of lldpd may. */
static void agent_replay(struct lldp_client *c, const char *ifname, bool recent)
{
	(void)c;
	(void)recent;
	check_ifname(ifname);
	for (unsigned i = 0; agent.connected && i < NEIGHBORS; i++) {
		struct lldp_remote r = neighbor_at(i, agent.ttl[i]);

		if (agent.ttl[i] && strcmp(r.ifname, ifname) == 0)
			agent.events->remote(agent.ctx, &r);
	}
}

static void agent_read(const struct lldp_client *c, struct lldp_stats *out)
{
	(void)c;
	*out = (struct lldp_stats){.connects = 1, .batches = UINT64_MAX};
}

static void agent_destroy(struct lldp_client *c)
{
	(void)c;
	FUZZ_ASSERT(!agent.destroyed);
	agent.destroyed = true;
}

static void agent_describe(struct lldp_client *c, const struct lldp_system *system)
{
	(void)c;
	FUZZ_ASSERT(strlen(system->management) < sizeof(system->management));
}

static const struct lldp_client_ops ops = {
    .set = agent_set,
    .refresh = agent_about,
    .replay = agent_replay,
    .forget = agent_about,
    .describe = agent_describe,
    .read = agent_read,
    .destroy = agent_destroy,
};

struct lldp_client *lldp_client_lldpd(struct event_base *base, const char *socket, bool holds,
				      const struct lldp_events *events, void *ctx)
{
	(void)base;
	(void)socket;
	(void)holds;
	agent = (struct agent){.client = {&ops}, .events = events, .ctx = ctx};
	return &agent.client;
}

void lldp_client_lldpd_release(struct lldp_client *c)
{
	FUZZ_ASSERT(c == &agent.client && !agent.released);
	agent.released = true;
}

const char *lldp_client_lldpd_why(const struct lldp_client *c)
{
	(void)c;
	return "why\n\xff";
}

const char *lldp_client_lldpd_library(void)
{
	return "library";
}

/* --- the input -------------------------------------------------------------------------------- */

static void deliver(const uint8_t *octets, size_t len)
{
	static struct lldp_msg m;
	bool valid = len > 0 && !lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &m);

	if (len == 0)
		return;
	if (valid && m.type == LLDP_MSG_PING) {
		dcbd.order.pinged = true;
		dcbd.order.ping = m.number;
	}
	/* A message that acknowledges too much is refused, and the process ends. */
	if (valid && m.type == LLDP_MSG_ACK && m.number <= dcbd.order.unacknowledged)
		dcbd.order.unacknowledged -= m.number;
	dcbd.message = octets;
	dcbd.message_len = len;
	loop_run();
}

static void deliver_ack(uint32_t n)
{
	const struct lldp_msg m = {.type = LLDP_MSG_ACK, .number = n};
	uint8_t octets[16];

	deliver(octets, lldp_msg_encode(&m, octets, sizeof(octets)));
}

static void connect_agent(bool up)
{
	if (agent.connected == up)
		return;
	agent.connected = up;
	agent.all_reported = false;
	agent.events->state(agent.ctx, up ? LLDP_CONNECTED : LLDP_CONNECTING);
	if (up)
		for (unsigned i = 0; i < NEIGHBORS; i++)
			if (agent.ttl[i])
				agent.events->remote(agent.ctx, &(struct lldp_remote[]){neighbor_at(
								    i, agent.ttl[i])}[0]);
}

static void change_neighbor(unsigned i, uint32_t ttl)
{
	struct lldp_remote r = neighbor_at(i, ttl);

	/* The client does not check what lldpd says. */
	if (ttl > UINT16_MAX)
		r.chassis.subtype = 9;
	else
		agent.ttl[i] = ttl;
	if (!agent.connected)
		return;
	if (ttl)
		agent.events->remote(agent.ctx, &r);
	else
		agent.events->gone(agent.ctx, &r);
}

enum { MESSAGE, NEIGHBOR, AGENT, DCBD, ACK, STEPS };

static void step(void)
{
	uint8_t what = octets_in_u8(&input), arg;
	const uint8_t *octets;
	size_t len;

	switch (what % STEPS) {
	case MESSAGE:
		len = octets_in_be16(&input);
		octets = octets_in_take(&input, len);
		if (octets)
			deliver(octets, len);
		break;
	case NEIGHBOR:
		arg = octets_in_u8(&input);
		change_neighbor(what / STEPS % NEIGHBORS, arg == 0xff ? 70000 : arg);
		break;
	case AGENT:
		arg = octets_in_u8(&input);
		if (agent.connected && !agent.all_reported && arg & 2) {
			agent.all_reported = true;
			agent.events->all_reported(agent.ctx);
		}
		connect_agent(arg & 1);
		break;
	case DCBD:
		arg = octets_in_u8(&input);
		dcbd.deaf = arg & 1;
		dcbd.closed = (arg & 0xfe) == 0xfe;
		break;
	default:
		deliver_ack(dcbd.order.unacknowledged);
		break;
	}
	loop_run();
}

/* dcbd reads and acknowledges everything. */
static void check_neighbors(void)
{
	dcbd.deaf = false;
	loop_run();
	for (unsigned i = 0; i < 4 && dcbd.order.unacknowledged > 0; i++)
		deliver_ack(dcbd.order.unacknowledged);
	FUZZ_ASSERT(dcbd.order.unacknowledged == 0 && !loop.broken);
	FUZZ_ASSERT((dcbd.order.state == LLDP_CONNECTED) == agent.connected);
	FUZZ_ASSERT(dcbd.order.all_reported == agent.all_reported);
	for (unsigned i = 0; i < NEIGHBORS; i++)
		FUZZ_ASSERT(dcbd.ttl[i] == (agent.connected ? agent.ttl[i] : 0));
}

/* The event loop of dcb-lldp is the input; at its end dcbd ends. */
int event_base_dispatch(struct event_base *base)
{
	(void)base;
	while (!loop.broken && steps++ < STEPS_MAX && input.left > 0)
		step();
	if (!loop.broken && !dcbd.closed)
		check_neighbors();
	dcbd.closed = true;
	loop_run();
	FUZZ_ASSERT(loop.broken);
	return 0;
}

struct event_base *event_base_new(void)
{
	static char base;

	return (struct event_base *)(void *)&base;
}

int event_base_loopbreak(struct event_base *base)
{
	(void)base;
	loop.broken = true;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum lldp_serve_end end;

	log_level = LOG_LEVEL_DEBUG;
	loop_reset();
	memset(&dcbd, 0, sizeof(dcbd));
	input = octets_in(data, size);
	steps = 0;
	end = lldp_serve(FD, "/socket", true);
	FUZZ_ASSERT((end == LLDP_SERVE_END) == agent.destroyed);
	FUZZ_ASSERT((end == LLDP_SERVE_GONE) == agent.released);
	for (unsigned i = 0; i < LOOP_EVENTS; i++)
		FUZZ_ASSERT(!loop.events[i].used);
	return 0;
}
