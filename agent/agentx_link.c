/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_link.h"

#include "lib/clock.h"
#include "lib/log.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * A longer wait is not the master's reaction time: another process was
 * scheduled, or the manager paused. It is left out of the mean.
 */
#define WAIT_TOO_LONG_NS 1000000

/* How to wait for the next GetNext of a GETBULK, see agentx_link.h. */
enum way { ASLEEP, AWAKE, WAYS };

/* What to do about the octets at the start of the buffer. */
enum head {
	HEAD_INCOMPLETE, /* wait for more octets */
	HEAD_HANDLED,    /* handled and removed, continue */
};

static struct {
	struct agentx_link_config config;
	int fd;
	const char *error; /* why the connection is useless; NULL: it is not */
	unsigned received;
	bool has_session;
	uint32_t session;  /* of all PDUs */
	size_t start, end; /* occupied part of in */
	uint64_t skip;     /* octets of a long PDU still to be dropped */
	bool last_was_next;
	uint32_t last_transaction;
	bool in_bulk; /* the last two PDUs were GetNexts of one transaction */
	enum way way; /* in this GETBULK */
	int64_t answered_ns;
	int64_t waited_ns; /* in this GETBULK: sum and number of waits */
	unsigned waits;
	int64_t mean_ns[WAYS]; /* moving average of a wait; 0: not measured */
	unsigned bulks;
	bool one_cpu; /* this process is bound to one CPU */
	uint8_t in[2 * AGENTX_PDU_MAX];
	uint8_t out[AGENTX_PDU_MAX];
} l = {.fd = -1};

/* --- socket ------------------------------------------------------------------ */

void agentx_link_fail(const char *why)
{
	if (!l.error)
		l.error = why;
}

const char *agentx_link_error(void)
{
	return l.error ? l.error : "no error";
}

unsigned agentx_link_received(void)
{
	return l.received;
}

void agentx_link_send(const uint8_t *octets, size_t len)
{
	while (len > 0 && l.fd >= 0 && !l.error) {
		ssize_t n = send(l.fd, octets, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0) {
			octets += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd p = {.fd = l.fd, .events = POLLOUT};

			if (poll(&p, 1, AGENTX_LINK_SEND_MS) == 0)
				agentx_link_fail("master does not read responses");
		} else if (errno != EINTR) {
			agentx_link_fail("closed by the master");
		}
	}
}

/* Receives octets into the buffer; flags are those of recv(). false: none received. */
static bool fill_with(int flags)
{
	ssize_t n;

	if (l.start == l.end)
		l.start = l.end = 0;
	if (l.start > 0 && sizeof(l.in) - l.end < AGENTX_PDU_MAX) {
		memmove(l.in, l.in + l.start, l.end - l.start);
		l.end -= l.start;
		l.start = 0;
	}
	if (l.error || l.end == sizeof(l.in))
		return false;
	n = recv(l.fd, l.in + l.end, sizeof(l.in) - l.end, flags);
	if (n > 0) {
		l.end += (size_t)n;
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
		agentx_link_fail("closed by the master");
	return false;
}

static bool fill(void)
{
	return fill_with(MSG_DONTWAIT);
}

/* --- waiting ----------------------------------------------------------------- */

static bool fill_awake(int64_t deadline_ns)
{
	do {
		sched_yield();
		if (fill())
			return true;
	} while (!l.error && clock_now().ns < deadline_ns);
	return false;
}

/* Waits in recv() itself: a poll() before it would add half of its cost. */
static bool fill_asleep(void)
{
	return fill_with(0);
}

/*
 * Waits for the next GetNext of a GETBULK, which the master sends when it has
 * read the last Response.
 */
static bool fill_soon(void)
{
	if (l.way == AWAKE)
		return fill_awake(l.answered_ns + AGENTX_LINK_SPIN_US * INT64_C(1000));
	return fill_asleep();
}

/*
 * Updates the mean with the waits of the last GETBULK and chooses how to wait
 * in this one. Awake is chosen only if it saves at least a quarter of the wait,
 * because it uses CPU time.
 */
static void choose_way(void)
{
	int64_t *mean = &l.mean_ns[l.way];

	if (l.waits)
		*mean += (l.waited_ns / l.waits - *mean) / (*mean ? 4 : 1);
	l.waited_ns = l.waits = 0;
	if (l.one_cpu) {
		l.way = ASLEEP;
		return;
	}
	l.way = l.mean_ns[AWAKE] * 4 < l.mean_ns[ASLEEP] * 3 ? AWAKE : ASLEEP;
	if (++l.bulks % AGENTX_LINK_TRY == 0)
		l.way = l.way == AWAKE ? ASLEEP : AWAKE;
}

/* --- PDUs -------------------------------------------------------------------- */

/*
 * Detects a GETBULK: consecutive GetNexts with the same transaction identifier.
 * h is the header of a PDU that was read at read_ns and has been answered.
 */
static void note_answered(const struct agentx_header *h, int64_t read_ns)
{
	bool was_in_bulk = l.in_bulk;
	bool is_next = h->type == AGENTX_GET_NEXT;

	l.in_bulk = is_next && l.last_was_next && l.last_transaction == h->transaction;
	l.last_was_next = is_next;
	l.last_transaction = h->transaction;
	if (l.in_bulk && !was_in_bulk) {
		choose_way();
	} else if (l.in_bulk && read_ns - l.answered_ns < WAIT_TOO_LONG_NS) {
		l.waited_ns += read_ns - l.answered_ns;
		l.waits++;
	}
	if (l.in_bulk)
		l.answered_ns = clock_now().ns;
}

static bool is_request(const struct agentx_header *h)
{
	return h->type >= AGENTX_GET && h->type <= AGENTX_TEST_SET;
}

/* Refuses a PDU that does not fit into the buffer; its octets are dropped. */
static enum head refuse_long(const struct agentx_header *h)
{
	struct octets_out out = octets_out(l.out, sizeof(l.out));

	if (h->length > AGENTX_LINK_SKIP_MAX) {
		agentx_link_fail("invalid header of a PDU");
		return HEAD_INCOMPLETE;
	}
	log_debug("agentx", "PDU of type %u with %u octets refused", h->type, h->length);
	l.skip = AGENTX_HEADER + (uint64_t)h->length;
	if (is_request(h)) {
		agentx_put_too_big(&out, h);
		agentx_link_send(out.start, out.len);
	}
	return HEAD_HANDLED;
}

static enum head skip_octets(size_t have)
{
	size_t n = have < l.skip ? have : (size_t)l.skip;

	l.skip -= n;
	l.start += n;
	return l.skip ? HEAD_INCOMPLETE : HEAD_HANDLED;
}

/* Handles a whole PDU at pdu. */
static void handle(const struct agentx_header *h, const uint8_t *pdu)
{
	struct octets_out out = octets_out(l.out, sizeof(l.out));
	const uint8_t *payload = pdu + AGENTX_HEADER;
	int64_t read_ns = clock_now().ns;

	l.received++;
	if (h->type == AGENTX_RESPONSE) {
		l.config.response(h, payload);
	} else if (h->type == AGENTX_CLOSE) {
		agentx_link_fail("closed by the master");
	} else if (agentx_answer(&l.config.objects, read_ns / 1000000, h, payload, &out)) {
		agentx_link_send(out.start, out.len);
		note_answered(h, read_ns);
	}
}

static enum head serve_head(void)
{
	const uint8_t *pdu = l.in + l.start;
	size_t have = l.end - l.start;
	struct agentx_header h;

	if (l.error)
		return HEAD_INCOMPLETE;
	if (l.skip)
		return skip_octets(have);
	if (have < AGENTX_HEADER)
		return HEAD_INCOMPLETE;
	if (!agentx_get_header(pdu, &h) || h.type > AGENTX_RESPONSE ||
	    (l.has_session && h.session != l.session)) {
		agentx_link_fail("invalid header of a PDU");
		return HEAD_INCOMPLETE;
	}
	if (h.length > AGENTX_PDU_MAX - AGENTX_HEADER)
		return refuse_long(&h);
	if (have < AGENTX_HEADER + h.length)
		return HEAD_INCOMPLETE;
	l.start += AGENTX_HEADER + h.length;
	handle(&h, pdu);
	return HEAD_HANDLED;
}

bool agentx_link_serve(void)
{
	bool more = fill();

	while (more) {
		while (serve_head() == HEAD_HANDLED)
			;
		more = l.in_bulk && fill_soon();
	}
	return !l.error;
}

/* --- start and end ------------------------------------------------------------- */

void agentx_link_init(const struct agentx_link_config *config)
{
	l.config = *config;
}

void agentx_link_attach(int fd)
{
	const struct timeval asleep = {.tv_usec = AGENTX_LINK_SLEEP_MS * 1000};
	cpu_set_t cpus;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &asleep, sizeof(asleep));
	l.one_cpu = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1;
	l.fd = fd;
	l.error = NULL;
	l.received = 0;
	l.has_session = false;
	l.skip = 0;
	l.start = l.end = 0;
	l.last_was_next = l.in_bulk = false;
}

void agentx_link_expect(uint32_t session)
{
	l.has_session = true;
	l.session = session;
}

void agentx_link_detach(void)
{
	if (l.fd >= 0)
		close(l.fd);
	l.fd = -1;
}
