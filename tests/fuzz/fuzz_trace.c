/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of snmpbulkwalk, for each walk, which its first octet names: ports ascend by ifIndex,
 * texts are printable, and each address is one that can be asked.
 */
#include <string.h>

#include "agent/cli/trace.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text, size_t room)
{
	FUZZ_ASSERT(strnlen(text, room) < room);
	for (; *text; text++)
		FUZZ_ASSERT(*text >= ' ' && *text <= '~');
}

static void check_neighbor(const struct trace_neighbor *n)
{
	char target[TRACE_TARGET_OCTETS];

	check_text(n->chassis, sizeof(n->chassis));
	check_text(n->port, sizeof(n->port));
	check_text(n->name, sizeof(n->name));
	check_text(n->address, sizeof(n->address));
	FUZZ_ASSERT(n->address[0] == '\0' || trace_target(n->address, target));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_system s = {.is_local = false};

	if (size == 0)
		return 0;
	/* Names and addresses are taken for ports that have counters. */
	(void)trace_port(&s, 7);
	trace_take(&s, (enum trace_walk)(data[0] % TRACE_WALKS), data[0] / TRACE_WALKS % 2,
		   (const char *)data + 1, size - 1);
	trace_measure(&s, 1);
	for (size_t i = 0; i < s.n_ports; i++) {
		const struct trace_port *port = &s.ports[i];

		FUZZ_ASSERT(i == 0 || s.ports[i - 1].ifindex < port->ifindex);
		FUZZ_ASSERT(trace_port_of(&s, port->ifindex) == port);
		check_text(port->name, sizeof(port->name));
		check_text(port->if_name, sizeof(port->if_name));
		FUZZ_ASSERT(port->mac[0] == '\0' || strlen(port->mac) == 17);
		for (unsigned p = 0; p < TRACE_PRIORITIES; p++)
			FUZZ_ASSERT(port->pause[p].percent <= 100);
	}
	for (size_t i = 0; i < s.n_neighbors; i++)
		check_neighbor(&s.neighbors[i]);
	trace_system_free(&s);
	return 0;
}
