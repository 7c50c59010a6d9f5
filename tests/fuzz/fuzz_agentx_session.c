/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Octets of a master in pieces of any size, as recv() returns them to the fast read path: the first
 * octet of the input chooses the sizes. Get and GetNext are answered, the library receives all
 * other PDUs, both in the order of arrival, as if each PDU had arrived alone and complete.
 *
 * This file and its agentx_fast.o are compiled with send, recv and sched_getaffinity
 * replaced by fuzz_send, fuzz_recv and fuzz_getaffinity.
 */
#include "agent/agentx_answer.h"
#include "agent/agentx_fast.h"
#include "agent/mib_cache.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/fake_mo_client.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

static struct mib *mib;

/* Octets in order: their number and a hash. */
struct digest {
	size_t n;
	uint64_t hash;
};

static struct master {
	struct octets_in in;
	uint32_t random;
	unsigned piece_max;
	bool nothing_yet; /* the next recv() finds no octets */
	struct digest responses;
} master;

static void add(struct digest *d, const uint8_t *octets, size_t n)
{
	d->n += n;
	for (size_t i = 0; i < n; i++)
		d->hash = (d->hash ^ octets[i]) * UINT64_C(0x100000001b3);
}

static void start(void)
{
	struct mib_cache *cache;

	fake_dcbd_reset();
	for (unsigned t = 0; t < MO_TABLES; t++)
		fake_dcbd_fill((enum mo_table_id)t, mo_table((enum mo_table_id)t)->n_index ? 3 : 1,
			       1, 2);
	fake_dcbd.hole_every = 5;
	cache = mib_cache_new(NULL);
	mib = cache ? mib_new(cache) : NULL;
	FUZZ_ASSERT(mib);
	agentx_fast_init(mib);
}

ssize_t send(int fd, const void *octets, size_t n, int flags)
{
	(void)fd;
	(void)flags;
	add(&master.responses, octets, n);
	return (ssize_t)n;
}

ssize_t recv(int fd, void *to, size_t room, int flags)
{
	size_t n;

	(void)fd;
	(void)flags;
	master.nothing_yet = !master.nothing_yet && master.in.left > 0;
	if (master.nothing_yet) {
		errno = EAGAIN;
		return -1;
	}
	master.random = master.random * 1103515245 + 12345;
	n = 1 + (master.random >> 8) % master.piece_max;
	if (n > room)
		n = room;
	if (n > master.in.left)
		n = master.in.left;
	if (n > 0)
		memcpy(to, octets_in_take(&master.in, n), n);
	return (ssize_t)n;
}

/* One CPU: the fast read path does not poll for the next GetNext. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	(void)pid;
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(0, size, cpus);
	return 0;
}

/* The event loop of dcb-agentx, until the master has closed the connection. */
static void serve(struct digest *library)
{
	static uint8_t buf[AGENTX_PDU_MAX];
	netsnmp_transport transport = {.sock = -1, .flags = NETSNMP_TRANSPORT_FLAG_STREAM};
	void *opaque;
	int olength, n;

	agentx_fast_attach(&transport);
	for (;;) {
		if (agentx_fast_serve() && !agentx_fast_has_pending())
			continue;
		transport.flags &= ~NETSNMP_TRANSPORT_FLAG_EMPTY_PKT;
		n = transport.f_recv(&transport, buf, sizeof(buf), &opaque, &olength);
		FUZZ_ASSERT(n >= 0 && (size_t)n <= sizeof(buf));
		add(library, buf, (size_t)n);
		if (n == 0 && !(transport.flags & NETSNMP_TRANSPORT_FLAG_EMPTY_PKT))
			break;
	}
	agentx_fast_detach();
}

/* The same octets without a session: PDU after PDU. */
static void expect(struct octets_in in, struct digest *responses, struct digest *library)
{
	static uint8_t buf[AGENTX_PDU_MAX];
	struct agentx_header h;

	while (in.left >= AGENTX_HEADER) {
		struct octets_out out = octets_out(buf, sizeof(buf));
		bool ours = agentx_get_header(in.p, &h) &&
			    (h.type == AGENTX_GET || h.type == AGENTX_GET_NEXT) &&
			    h.length <= AGENTX_PDU_MAX - AGENTX_HEADER;
		size_t whole = AGENTX_HEADER + (size_t)h.length;

		if (ours && in.left < whole)
			return; /* never complete */
		if (ours && agentx_answer(mib, 0, &h, in.p + AGENTX_HEADER, &out))
			add(responses, out.start, out.len);
		else
			add(library, in.p, whole < in.left ? whole : in.left);
		octets_in_take(&in, whole < in.left ? whole : in.left);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct digest responses = {0}, library = {0}, received = {0};
	struct octets_in in = octets_in(data, size);
	uint8_t sizes = octets_in_u8(&in);

	if (!mib)
		start();
	expect(in, &responses, &library);
	master = (struct master){.in = in, .random = sizes, .piece_max = 1u << sizes % 13};
	serve(&received);
	FUZZ_ASSERT(received.n == library.n && received.hash == library.hash);
	FUZZ_ASSERT(master.responses.n == responses.n && master.responses.hash == responses.hash);
	return 0;
}
