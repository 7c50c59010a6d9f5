/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbd's end of the socket pair with dcb-lldp: processes that send any messages in any order, read
 * nothing, end, hang or do not start, while ports set and forget their TLVs. Properties: dcbd's
 * callbacks are called as struct lldp_events says, with valid neighbors; no more of them are
 * unacknowledged than the window allows; the messages of dcbd are valid; and at last a process that
 * keeps the rules gets the TLVs that each port has set.
 *
 * This file and its lldp_process.o are compiled with the calls of the system replaced by fuzz_...,
 * and libevent and lldp_spawn.o are replaced. The clock advances as the input says.
 */
#include "lldp/process/lldp_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <time.h>

#include "lib/log.h"
#include "lib/octets.h"
#include "lldp/process/lldp_msg.h"
#include "lldp/process/lldp_spawn.h"
#include "tests/fuzz/event_loop.h"

#define FD        100 /* dcbd's end of the socket pair */
#define STEPS_MAX 512 /* of one input */
#define PORTS     4
#define NO_TLVS   UINT32_MAX /* of a port that is forgotten, or was never set */

static const char *const names[PORTS] = {"swp1", "swp2", "p", "fifteen-octets1"};

/* The process at the other end. */
static struct child {
	pid_t pid;
	bool open;              /* dcbd's end is */
	bool alive;             /* it has not ended */
	bool deaf;              /* its socket is full */
	bool closed;            /* it has closed its end */
	bool ended;             /* dcbd has sent END */
	bool hangs;             /* it does not end by itself when dcbd has closed the socket */
	bool fails;             /* its status is not 0 */
	const uint8_t *message; /* that it has sent, and dcbd has not received; NULL: none */
	size_t message_len;
	uint32_t tlvs[PORTS]; /* of the last SET of each port */
	bool pinged;
	uint32_t ping;
	unsigned unacknowledged;
} child;

static struct {
	enum lldp_state state;
	bool all_reported;
	uint32_t tlvs[PORTS]; /* that each port has set */
	bool cannot_start;
} world;

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

bool log_permitted(struct log_limit *limit, unsigned interval_ms, unsigned *suppressed)
{
	(void)limit;
	(void)interval_ms;
	*suppressed = 0;
	return true;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){loop.now_ms / 1000, loop.now_ms % 1000 * 1000000};
	return 0;
}

int nanosleep(const struct timespec *interval, struct timespec *left)
{
	(void)left;
	loop.now_ms += interval->tv_nsec / 1000000;
	return 0;
}

LOOP_FUNCTION bool at_end(void)
{
	return !child.alive || child.closed;
}

LOOP_FUNCTION bool loop_is_ready(evutil_socket_t fd, short what)
{
	FUZZ_ASSERT(fd == FD && child.open);
	return what & EV_WRITE ? !child.deaf || at_end() : child.message || at_end();
}

/* dcbd polls when it destroys the client: to send END, then to read. */
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	FUZZ_ASSERT(n == 1 && child.open && timeout > 0);
	fds->revents = (short)((loop_is_ready(FD, EV_WRITE) && !child.ended ? POLLOUT : 0) |
			       (loop_is_ready(FD, EV_READ) ? POLLIN : 0));
	if (fds->revents)
		return 1;
	loop.now_ms += timeout;
	return 0;
}

static void clear_sets(uint32_t tlvs[PORTS])
{
	for (unsigned i = 0; i < PORTS; i++)
		tlvs[i] = NO_TLVS;
}

bool lldp_spawn(const char *const *argv, struct lldp_spawned *out)
{
	FUZZ_ASSERT(!child.open && argv[0]);
	if (world.cannot_start) {
		errno = ENOENT;
		return false;
	}
	child = (struct child){.pid = child.pid + 1, .open = true, .alive = true};
	clear_sets(child.tlvs);
	*out = (struct lldp_spawned){child.pid, FD};
	return true;
}

bool lldp_spawn_ended(pid_t pid, char *text, size_t textlen, bool *failed)
{
	FUZZ_ASSERT(pid == child.pid && !child.open);
	if (child.alive && child.hangs)
		return false;
	snprintf(text, textlen, "ended");
	*failed = child.fails;
	child.alive = false;
	return true;
}

bool lldp_spawn_beside(const char *name, char *path, size_t pathlen)
{
	snprintf(path, pathlen, "/%s", name);
	return true;
}

int kill(pid_t pid, int sig)
{
	FUZZ_ASSERT(pid == child.pid && sig == SIGKILL);
	child.alive = false;
	return 0;
}

int close(int fd)
{
	FUZZ_ASSERT(fd == FD && child.open);
	child.open = false;
	return 0;
}

ssize_t recv(int fd, void *to, size_t room, int flags)
{
	size_t n = child.message_len < room ? child.message_len : room;

	FUZZ_ASSERT(fd == FD && child.open && flags & MSG_DONTWAIT);
	if (!child.message) {
		errno = EAGAIN;
		return at_end() ? 0 : -1;
	}
	if (n)
		memcpy(to, child.message, n);
	child.message = NULL;
	return (ssize_t)n;
}

static unsigned port_of(const char *ifname)
{
	for (unsigned i = 0; i < PORTS; i++)
		if (strcmp(names[i], ifname) == 0)
			return i;
	FUZZ_ASSERT(!"a port of the test");
	return 0;
}

/* A number for the TLVs of a SET: the MTU has their seed. */
static void take(const struct lldp_msg *m)
{
	switch (m->type) {
	case LLDP_MSG_SET:
		child.tlvs[port_of(m->remote.ifname)] = m->mtu;
		FUZZ_ASSERT(m->remote.n_tlvs == m->mtu % 3);
		break;
	case LLDP_MSG_FORGET:
		child.tlvs[port_of(m->remote.ifname)] = NO_TLVS;
		break;
	case LLDP_MSG_ACK:
		FUZZ_ASSERT(m->number > 0 && m->number <= child.unacknowledged);
		child.unacknowledged -= m->number;
		break;
	case LLDP_MSG_PING:
		FUZZ_ASSERT(!child.pinged);
		child.pinged = true;
		child.ping = m->number;
		break;
	case LLDP_MSG_DESCRIBE:
		FUZZ_ASSERT(m->system.bridge && strcmp(m->system.management, names[0]) == 0);
		break;
	case LLDP_MSG_END:
		child.ended = true;
		child.closed = !child.hangs;
		break;
	default:
		FUZZ_ASSERT(m->type == LLDP_MSG_REFRESH || m->type == LLDP_MSG_REPLAY);
		break;
	}
}

ssize_t send(int fd, const void *octets, size_t n, int flags)
{
	static struct lldp_msg m;

	FUZZ_ASSERT(fd == FD && child.open && flags & MSG_NOSIGNAL && flags & MSG_DONTWAIT);
	FUZZ_ASSERT(!lldp_msg_decode(octets, n, LLDP_MSG_FROM_DCBD, &m));
	if (child.deaf || at_end()) {
		errno = at_end() ? EPIPE : EAGAIN;
		return -1;
	}
	take(&m);
	return (ssize_t)n;
}

/* --- dcbd ------------------------------------------------------------------------------------- */

static void on_state(void *ctx, enum lldp_state state)
{
	(void)ctx;
	FUZZ_ASSERT(state >= LLDP_CONNECTING && state <= LLDP_MISMATCH && state != world.state);
	world.state = state;
	world.all_reported = false;
}

static void on_all_reported(void *ctx)
{
	(void)ctx;
	FUZZ_ASSERT(world.state == LLDP_CONNECTED && !world.all_reported);
	world.all_reported = true;
}

static void on_remote(void *ctx, const struct lldp_remote *remote)
{
	(void)ctx;
	FUZZ_ASSERT(world.state == LLDP_CONNECTED && !lldp_remote_check(remote));
	FUZZ_ASSERT(child.unacknowledged <= LLDP_MSG_WINDOW);
}

static void on_gone(void *ctx, const struct lldp_remote *remote)
{
	struct lldp_remote about = *remote;

	(void)ctx;
	about.ttl = 1;
	FUZZ_ASSERT(world.state == LLDP_CONNECTED && !lldp_remote_check(&about));
	FUZZ_ASSERT(child.unacknowledged <= LLDP_MSG_WINDOW);
}

static unsigned on_tlvs(void *ctx, const char *ifname, struct lldp_tlv *tlvs, uint32_t *mtu)
{
	static const struct lldp_tlv two[2] = {{{0x00, 0x80, 0xc2}, 8, 2, {1, 2}},
					       {{0x00, 0x80, 0xc2}, 11, 2, {3, 4}}};

	(void)ctx;
	*mtu = world.tlvs[port_of(ifname)];
	FUZZ_ASSERT(*mtu != NO_TLVS);
	memcpy(tlvs, two, sizeof(two));
	return *mtu % 3;
}

static const struct lldp_events events = {on_state, on_all_reported, on_remote, on_gone, on_tlvs};

/* --- the input -------------------------------------------------------------------------------- */

static void request(struct lldp_client *c, uint8_t what, unsigned port)
{
	struct lldp_system system = {.bridge = true};
	const char *name = names[port];

	switch (what % 6) {
	case 0:
		c->ops->forget(c, name);
		world.tlvs[port] = NO_TLVS;
		break;
	case 1:
		c->ops->refresh(c, name);
		break;
	case 2:
		c->ops->replay(c, name, what & 0x80);
		break;
	case 3:
		snprintf(system.management, sizeof(system.management), "%s", names[0]);
		c->ops->describe(c, &system);
		break;
	default:
		world.tlvs[port] = what;
		c->ops->set(c, name, NULL, what % 3, what);
		break;
	}
}

/* A message of the process; its events count before dcbd has received them. */
static void deliver(const uint8_t *octets, size_t len)
{
	static struct lldp_msg m;

	if (!child.open || at_end() || len == 0)
		return;
	if (!lldp_msg_decode(octets, len, LLDP_MSG_FROM_PROCESS, &m)) {
		child.unacknowledged += lldp_msg_is_event(m.type);
		child.pinged &= m.type != LLDP_MSG_PONG;
	}
	child.message = octets;
	child.message_len = len;
	loop_run();
	/* dcbd closes the socket of a process that exceeds the window. */
	FUZZ_ASSERT(!child.open || child.unacknowledged <= LLDP_MSG_WINDOW);
}

static void deliver_msg(const struct lldp_msg *m)
{
	uint8_t octets[128];

	deliver(octets, lldp_msg_encode(m, octets, sizeof(octets)));
	child.message = NULL;
}

enum { MESSAGE, ADVANCE, REQUEST, CHILD, PONG, STEPS };

static void step(struct lldp_client *c, struct octets_in *in)
{
	uint8_t what = octets_in_u8(in), arg;
	const uint8_t *octets;
	size_t len;

	switch (what % STEPS) {
	case MESSAGE:
		len = octets_in_be16(in);
		octets = octets_in_take(in, len);
		if (octets)
			deliver(octets, len);
		break;
	case ADVANCE:
		loop_advance((int64_t)(octets_in_u8(in)) * (what & 0x80 ? 100 : 1));
		break;
	case REQUEST:
		request(c, octets_in_u8(in), what / STEPS % PORTS);
		break;
	case CHILD:
		arg = octets_in_u8(in);
		child.deaf = arg & 1;
		child.hangs = arg & 2;
		child.closed |= arg & 4;
		child.alive &= !(arg & 8);
		world.cannot_start = arg & 16;
		child.fails = arg & 32;
		break;
	default:
		deliver_msg(&(struct lldp_msg){.type = LLDP_MSG_PONG, .number = child.ping});
		break;
	}
	loop_run();
}

/* A process that keeps the rules, once dcbd has started one, gets the TLVs of each port. */
static void check_sets(void)
{
	world.cannot_start = false;
	child.alive = false;
	loop_run();
	for (unsigned i = 0; i < 100 && !child.open; i++)
		loop_advance(100);
	FUZZ_ASSERT(child.open && child.alive);
	deliver_msg(&(struct lldp_msg){.type = LLDP_MSG_HELLO, .text = "sound"});
	loop_advance(500);
	FUZZ_ASSERT(child.open && child.pinged);
	for (unsigned i = 0; i < PORTS; i++)
		FUZZ_ASSERT(child.tlvs[i] == world.tlvs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in in = octets_in(data, size);
	bool settles = octets_in_u8(&in) & 1;
	struct lldp_client *c;
	struct lldp_stats stats;

	log_level = LOG_LEVEL_DEBUG;
	loop_reset();
	memset(&child, 0, sizeof(child));
	memset(&world, 0, sizeof(world));
	clear_sets(world.tlvs);
	world.state = LLDP_CONNECTING;
	c = lldp_process_new(NULL, NULL, "/socket", true, &events, NULL);
	FUZZ_ASSERT(c);
	loop_run();
	for (unsigned i = 0; i < STEPS_MAX && in.left > 0; i++)
		step(c, &in);
	if (settles)
		check_sets();
	c->ops->read(c, &stats);
	c->ops->destroy(c);
	FUZZ_ASSERT(!child.open && !child.alive);
	for (unsigned i = 0; i < LOOP_EVENTS; i++)
		FUZZ_ASSERT(!loop.events[i].used);
	return 0;
}
