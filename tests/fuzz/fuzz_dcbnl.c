/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A datagram of netlink messages about DCB. Each message that is accepted has a name, a result or
 * an errno that the kernel could have meant, and no member that has does not name. What an
 * interface has can be written as a change.
 */
#include <string.h>

#include "dataplane/kernel/dcbnl.h"
#include "tests/fuzz/fuzz.h"

/* Whether a member has only zeros, or has names it. */
#define ABSENT_IS_ZERO(port, bit, member) \
	FUZZ_ASSERT((port)->has &(bit) || is_zero(&(port)->member, sizeof((port)->member)))

static bool is_zero(const void *octets, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((const uint8_t *)octets)[i])
			return false;
	return true;
}

static void check_apps(const struct dcbnl_apps *apps)
{
	FUZZ_ASSERT(apps->n <= DCBNL_APPS_MAX);
	FUZZ_ASSERT(!apps->more || apps->n == DCBNL_APPS_MAX);
	FUZZ_ASSERT(is_zero(apps->of + apps->n, (DCBNL_APPS_MAX - apps->n) * sizeof(apps->of[0])));
}

static void check_port(const struct dcbnl_message *m, const struct dcbnl_port *port)
{
	static uint32_t request[DCBNL_REQUEST_OCTETS / 4];
	static struct dcbnl_port again;
	const struct dcbnl_change change = {
	    .sets = port->has,
	    .ets = &port->ets,
	    .maxrate = &port->maxrate,
	    .qcn = &port->qcn,
	    .pfc = &port->pfc,
	    .buffer = &port->buffer,
	    .apps = port->apps.of,
	    .n_apps = port->apps.n,
	};
	struct dcbnl_message back;
	size_t len, used;

	FUZZ_ASSERT(m->name[0] && strnlen(m->name, IF_NAMESIZE) < IF_NAMESIZE);
	FUZZ_ASSERT(port->has < DCBNL_PEER_APPS << 1);
	ABSENT_IS_ZERO(port, DCBNL_ETS, ets);
	ABSENT_IS_ZERO(port, DCBNL_PFC, pfc);
	ABSENT_IS_ZERO(port, DCBNL_MAXRATE, maxrate);
	ABSENT_IS_ZERO(port, DCBNL_QCN, qcn);
	ABSENT_IS_ZERO(port, DCBNL_QCN_STATS, qcn_stats);
	ABSENT_IS_ZERO(port, DCBNL_BUFFER, buffer);
	ABSENT_IS_ZERO(port, DCBNL_DCBX, dcbx);
	ABSENT_IS_ZERO(port, DCBNL_APPS, apps);
	ABSENT_IS_ZERO(port, DCBNL_PEER_ETS, peer_ets);
	ABSENT_IS_ZERO(port, DCBNL_PEER_PFC, peer_pfc);
	ABSENT_IS_ZERO(port, DCBNL_PEER_APPS, peer_apps);
	check_apps(&port->apps);
	check_apps(&port->peer_apps);
	/* A change has the attributes that a notification has, and reads as one. */
	len = dcbnl_write_set(request, m->name, m->seq, &change);
	FUZZ_ASSERT(len <= sizeof(request));
	FUZZ_ASSERT(dcbnl_read(request, len, &used, &back, &again) && used == len);
	FUZZ_ASSERT(back.kind == DCBNL_IS_PORT && strcmp(back.name, m->name) == 0);
	FUZZ_ASSERT(memcmp(&again.ets, &port->ets, sizeof(again.ets)) == 0);
	FUZZ_ASSERT(memcmp(&again.pfc, &port->pfc, sizeof(again.pfc)) == 0);
	FUZZ_ASSERT(memcmp(&again.qcn, &port->qcn, sizeof(again.qcn)) == 0);
	FUZZ_ASSERT(memcmp(&again.maxrate, &port->maxrate, sizeof(again.maxrate)) == 0);
	FUZZ_ASSERT(memcmp(&again.buffer, &port->buffer, sizeof(again.buffer)) == 0);
	FUZZ_ASSERT(again.apps.n == port->apps.n);
	FUZZ_ASSERT(memcmp(again.apps.of, port->apps.of, sizeof(again.apps.of)) == 0);
}

static void check_message(const struct dcbnl_message *m, const struct dcbnl_port *port)
{
	switch (m->kind) {
	case DCBNL_IS_PORT:
		FUZZ_ASSERT(m->result.error == 0 && m->result.status == 0);
		check_port(m, port);
		return;
	case DCBNL_IS_RESULT:
		FUZZ_ASSERT(m->result.error >= 0 && m->result.error <= 128);
		FUZZ_ASSERT(m->result.status < 128 && (!m->result.status || !m->result.error));
		return;
	case DCBNL_IS_ACK:
		FUZZ_ASSERT(m->result.error >= 0 && m->result.error < 4096);
		FUZZ_ASSERT(m->result.status == 0);
		return;
	}
	FUZZ_ASSERT(false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dcbnl_port port;
	struct dcbnl_message m;
	uint8_t *copy = malloc(size ? size : 1); /* aligned, and ends where the input ends */
	size_t used = 0;

	FUZZ_ASSERT(copy);
	if (size > 0)
		memcpy(copy, data, size);
	memset(&port, 0x5a, sizeof(port));
	for (size_t at = 0; at < size; at += used) {
		if (dcbnl_read(copy + at, size - at, &used, &m, &port))
			check_message(&m, &port);
		if (used == 0)
			break;
		FUZZ_ASSERT(used <= size - at);
	}
	free(copy);
	return 0;
}
