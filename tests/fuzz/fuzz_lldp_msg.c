/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of dcb-lldp one after the other, each with its length before it. A
 * message that is accepted is valid and encodes to the same octets. No order of
 * messages leads to more events than the window allows. The same octets are
 * also decoded as messages of dcbd.
 */
#include <string.h>

#include "lib/octets.h"
#include "lldp/process/lldp_order.h"
#include "tests/fuzz/fuzz.h"

static void check_same(const struct lldp_msg *m, const uint8_t *octets, size_t len)
{
	static uint8_t buf[LLDP_MSG_MAX];

	FUZZ_ASSERT(lldp_msg_encode(m, buf, sizeof(buf)) == len);
	FUZZ_ASSERT(memcmp(buf, octets, len) == 0);
}

static void check_valid(const struct lldp_msg *m)
{
	FUZZ_ASSERT(strlen(m->remote.ifname) < IF_NAMESIZE);
	FUZZ_ASSERT(m->remote.n_tlvs <= LLDP_TLVS_MAX);
	for (unsigned i = 0; i < m->remote.n_tlvs; i++)
		FUZZ_ASSERT(m->remote.tlvs[i].len <= LLDP_TLV_INFO_OCTETS);
	for (const char *c = m->text; *c; c++)
		FUZZ_ASSERT(*c >= ' ' && *c <= '~');
	if (m->type == LLDP_MSG_REMOTE)
		FUZZ_ASSERT(!lldp_remote_check(&m->remote));
}

static void check_order(struct lldp_order *o, const struct lldp_msg *m)
{
	const char *wrong = lldp_order_take(o, m);

	if (wrong) {
		*o = (struct lldp_order){0};
		return;
	}
	FUZZ_ASSERT(o->hello && o->unacknowledged <= LLDP_MSG_WINDOW);
	FUZZ_ASSERT(m->type != LLDP_MSG_REMOTE || o->state == LLDP_CONNECTED);
}

static void check(struct lldp_order *o, const uint8_t *octets, size_t len)
{
	static struct lldp_msg m;

	if (!lldp_msg_decode(octets, len, LLDP_MSG_FROM_DCBD, &m)) {
		check_valid(&m);
		check_same(&m, octets, len);
	}
	if (!lldp_msg_decode(octets, len, LLDP_MSG_FROM_PROCESS, &m)) {
		check_valid(&m);
		check_same(&m, octets, len);
		check_order(o, &m);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in in = octets_in(data, size);
	struct lldp_order order = {0};
	const uint8_t *octets;
	size_t len;

	while (in.left > 0) {
		len = octets_in_be16(&in);
		octets = octets_in_take(&in, len);
		if (!octets)
			break;
		check(&order, octets, len);
	}
	return 0;
}
