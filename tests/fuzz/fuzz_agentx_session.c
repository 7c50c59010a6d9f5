/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Octets of a master, in pieces of any size, as recv() returns them: what dcb-agentx answers,
 * and the Responses that it hands over, do not depend on the pieces. The first octet of the input
 * chooses their sizes.
 *
 * This file and its agentx_link.o are compiled with send, recv, close and sched_getaffinity
 * replaced by fuzz_send, fuzz_recv, fuzz_close and fuzz_getaffinity.
 */
#include "agent/agentx_link.h"
#include "agent/mib_cache.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/fake_mo_client.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What came out, in order: the number of octets and a hash. */
struct digest {
	size_t n;
	uint64_t hash;
};

enum { SENT, RESPONSE };

static struct master {
	struct octets_in in;
	uint32_t random;
	unsigned piece_max;
	bool nothing_yet; /* the next recv() finds no octets */
	struct digest out;
} master;

static void add(uint8_t kind, const void *octets, size_t n)
{
	const uint8_t *p = octets;
	struct digest *d = &master.out;

	d->n += n;
	d->hash = (d->hash ^ kind) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < n; i++)
		d->hash = (d->hash ^ p[i]) * UINT64_C(0x100000001b3);
}

static void on_response(const struct agentx_header *h, const uint8_t *payload)
{
	add(RESPONSE, payload, h->length);
}

static struct mib_txn *txn;

static void start(void)
{
	struct agentx_link_config config = {.response = on_response};
	struct mib_cache *cache;

	fake_dcbd_reset();
	for (unsigned t = 0; t < MO_TABLES; t++)
		fake_dcbd_fill((enum mo_table_id)t, mo_table((enum mo_table_id)t)->n_index ? 3 : 1,
			       1, 2);
	fake_dcbd.hole_every = 5;
	cache = mib_cache_new(NULL);
	config.objects.mib = cache ? mib_new(cache) : NULL;
	FUZZ_ASSERT(config.objects.mib);
	config.objects.txn = txn = mib_txn_new(config.objects.mib, cache, NULL);
	FUZZ_ASSERT(txn);
	agentx_link_init(&config);
}

ssize_t send(int fd, const void *octets, size_t n, int flags)
{
	(void)fd;
	(void)flags;
	add(SENT, octets, n);
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

int close(int fd)
{
	(void)fd;
	return 0;
}

/* The event loop of dcb-agentx, until the connection ends. */
static struct digest serve(struct octets_in in, uint32_t random, unsigned piece_max)
{
	master = (struct master){.in = in, .random = random, .piece_max = piece_max};
	agentx_link_attach(0);
	while (agentx_link_serve())
		;
	FUZZ_ASSERT(agentx_link_error());
	agentx_link_detach();
	mib_txn_session_lost(txn);
	return master.out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool started;
	struct octets_in in = octets_in(data, size);
	uint8_t sizes = octets_in_u8(&in);
	struct digest pieces, whole;

	if (!started)
		start();
	started = true;
	pieces = serve(in, sizes, 1u << sizes % 13);
	whole = serve(in, 0, UINT16_MAX);
	FUZZ_ASSERT(pieces.n == whole.n && pieces.hash == whole.hash);
	return 0;
}
