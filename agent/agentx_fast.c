/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_fast.h"

#include "agent/agentx_answer.h"
#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

/*
 * A longer wait is not the master's reaction time: another process was
 * scheduled, or the manager paused. It is left out of the mean.
 */
#define WAIT_TOO_LONG_NS 1000000

/* How to wait for the next GetNext of a GETBULK, see agentx_fast.h. */
enum way { ASLEEP, AWAKE, WAYS };

/* What to do about the octets at the start of the buffer. */
enum head {
	HEAD_INCOMPLETE, /* incomplete PDU, wait for more octets */
	HEAD_ANSWERED,   /* answered and removed, continue */
	HEAD_LIBRARY,    /* PDU for the library */
};

static struct {
	struct mib *mib;
	netsnmp_transport *transport;
	bool closed;        /* the connection has ended or failed */
	size_t for_library; /* octets of the PDU at start still to be passed to the library */
	size_t start, end;  /* occupied part of in */
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
} fast;

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

void agentx_fast_init(struct mib *mib)
{
	fast.mib = mib;
}

int agentx_fast_fd(void)
{
	return fast.transport ? fast.transport->sock : -1;
}

/* --- socket ------------------------------------------------------------------ */

/*
 * Sends all octets, because the library writes whole PDUs to the same socket.
 * If the master does not read, or on an error, shuts the connection down: the
 * library then finds its end and reconnects.
 */
static void send_all(const uint8_t *octets, size_t len)
{
	int fd = fast.transport->sock;

	while (len > 0) {
		ssize_t n = send(fd, octets, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0) {
			octets += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};

			if (poll(&p, 1, AGENTX_FAST_SEND_MS) == 0) {
				log_warn("agentx",
					 "master does not read responses, closing session");
				shutdown(fd, SHUT_RDWR);
				return;
			}
		} else if (errno != EINTR) {
			shutdown(fd, SHUT_RDWR);
			return;
		}
	}
}

/* Receives octets into the buffer; flags are those of recv(). false: none received. */
static bool fill_with(int flags)
{
	ssize_t n;

	if (fast.start == fast.end)
		fast.start = fast.end = 0;
	if (fast.start > 0 && sizeof(fast.in) - fast.end < AGENTX_PDU_MAX) {
		memmove(fast.in, fast.in + fast.start, fast.end - fast.start);
		fast.end -= fast.start;
		fast.start = 0;
	}
	if (fast.closed || fast.end == sizeof(fast.in))
		return false;
	n = recv(fast.transport->sock, fast.in + fast.end, sizeof(fast.in) - fast.end, flags);
	if (n > 0) {
		fast.end += (size_t)n;
		return true;
	}
	fast.closed = n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
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
	} while (!fast.closed && now_ns() < deadline_ns);
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
	if (fast.way == AWAKE)
		return fill_awake(fast.answered_ns + AGENTX_FAST_SPIN_US * INT64_C(1000));
	return fill_asleep();
}

/*
 * Updates the mean with the waits of the last GETBULK and chooses how to wait
 * in this one. Awake is chosen only if it saves at least a quarter of the wait,
 * because it uses CPU time.
 */
static void choose_way(void)
{
	int64_t *mean = &fast.mean_ns[fast.way];

	if (fast.waits)
		*mean += (fast.waited_ns / fast.waits - *mean) / (*mean ? 4 : 1);
	fast.waited_ns = fast.waits = 0;
	if (fast.one_cpu) {
		fast.way = ASLEEP;
		return;
	}
	fast.way = fast.mean_ns[AWAKE] * 4 < fast.mean_ns[ASLEEP] * 3 ? AWAKE : ASLEEP;
	if (++fast.bulks % AGENTX_FAST_TRY == 0)
		fast.way = fast.way == AWAKE ? ASLEEP : AWAKE;
}

/* --- PDUs -------------------------------------------------------------------- */

/*
 * Detects a GETBULK: consecutive GetNexts with the same transaction identifier.
 * h is the header of a PDU that was read at read_ns and has been answered.
 */
static void note_answered(const struct agentx_header *h, int64_t read_ns)
{
	bool was_in_bulk = fast.in_bulk;
	bool is_next = h->type == AGENTX_GET_NEXT;

	fast.in_bulk = is_next && fast.last_was_next && fast.last_transaction == h->transaction;
	fast.last_was_next = is_next;
	fast.last_transaction = h->transaction;
	if (fast.in_bulk && !was_in_bulk) {
		choose_way();
	} else if (fast.in_bulk && read_ns - fast.answered_ns < WAIT_TOO_LONG_NS) {
		fast.waited_ns += read_ns - fast.answered_ns;
		fast.waits++;
	}
	if (fast.in_bulk)
		fast.answered_ns = now_ns();
}

static enum head serve_head(void)
{
	struct octets_out out = octets_out(fast.out, sizeof(fast.out));
	const uint8_t *pdu = fast.in + fast.start;
	size_t have = fast.end - fast.start;
	struct agentx_header h;
	int64_t read_ns;

	if (fast.for_library)
		return have ? HEAD_LIBRARY : HEAD_INCOMPLETE;
	if (have < AGENTX_HEADER)
		return HEAD_INCOMPLETE;
	if (!agentx_get_header(pdu, &h) || (h.type != AGENTX_GET && h.type != AGENTX_GET_NEXT) ||
	    h.length > AGENTX_PDU_MAX - AGENTX_HEADER) {
		fast.for_library = AGENTX_HEADER + (size_t)h.length;
		return HEAD_LIBRARY;
	}
	if (have < AGENTX_HEADER + h.length)
		return HEAD_INCOMPLETE;
	read_ns = now_ns();
	if (!agentx_answer(fast.mib, read_ns / 1000000, &h, pdu + AGENTX_HEADER, &out)) {
		fast.for_library = AGENTX_HEADER + (size_t)h.length;
		return HEAD_LIBRARY;
	}
	fast.start += AGENTX_HEADER + h.length;
	send_all(out.start, out.len);
	note_answered(&h, read_ns);
	return HEAD_ANSWERED;
}

/* Answers the PDUs in the buffer. false: the next one is for the library. */
static bool serve_buffered(void)
{
	enum head head;

	do
		head = serve_head();
	while (head == HEAD_ANSWERED);
	return head != HEAD_LIBRARY;
}

bool agentx_fast_serve(void)
{
	bool more = fill();

	while (more) {
		if (!serve_buffered())
			return false;
		more = fast.in_bulk && fill_soon();
	}
	return !fast.closed;
}

bool agentx_fast_has_pending(void)
{
	return fast.transport && (fast.closed || (fast.for_library && fast.end > fast.start));
}

/* --- receive function of the transport ------------------------------------------- */

/* Copies octets of the PDU for the library to buf, at most size. */
static size_t copy_for_library(uint8_t *buf, size_t size)
{
	size_t n = fast.end - fast.start;

	if (n > fast.for_library)
		n = fast.for_library;
	if (n > size)
		n = size;
	memcpy(buf, fast.in + fast.start, n);
	fast.start += n;
	fast.for_library -= n;
	return n;
}

/*
 * The transport's f_recv. Returning 0 means "no octets now" with
 * NETSNMP_TRANSPORT_FLAG_EMPTY_PKT set, else the end of the connection. Hands
 * over all octets for the library at once: while the library waits for the
 * Response to a ping or a registration it sleeps in select(), which does not
 * report octets in this buffer.
 */
static int fast_recv(netsnmp_transport *t, void *buf, int size, void **opaque, int *olength)
{
	size_t n = 0, room = (size_t)size;

	*opaque = NULL;
	*olength = 0;
	if (t != fast.transport)
		return (int)recv(t->sock, buf, room, 0);
	fill();
	while (!serve_buffered() && n < room)
		n += copy_for_library((uint8_t *)buf + n, room - n);
	if (n == 0 && !fast.closed)
		t->flags |= NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
	return (int)n;
}

void agentx_fast_attach(netsnmp_transport *transport)
{
	const struct timeval asleep = {.tv_usec = AGENTX_FAST_SLEEP_MS * 1000};
	cpu_set_t cpus;

	/* From now on fast_recv() receives everything; the library's calls do not wait in it. */
	(void)setsockopt(transport->sock, SOL_SOCKET, SO_RCVTIMEO, &asleep, sizeof(asleep));
	fast.one_cpu = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1;
	fast.transport = transport;
	fast.closed = false;
	fast.for_library = fast.start = fast.end = 0;
	fast.last_was_next = fast.in_bulk = false;
	transport->f_recv = fast_recv;
}

void agentx_fast_detach(void)
{
	fast.transport = NULL;
}
