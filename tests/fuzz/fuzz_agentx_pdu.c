/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PDUs of a master with any content, one after the other. Each is answered from
 * a few rows, sets some, or is refused. Every response must be well-formed.
 */
#include "agent/agentx_answer.h"
#include "agent/mib_cache.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/fake_mo_client.h"

static struct agentx_objects objects;

static void start(void)
{
	struct mib_cache *cache;

	fake_dcbd_reset();
	for (unsigned t = 0; t < MO_TABLES; t++)
		fake_dcbd_fill((enum mo_table_id)t, mo_table((enum mo_table_id)t)->n_index ? 3 : 1,
			       1, 2);
	fake_dcbd.hole_every = 5;
	cache = mib_cache_new(NULL);
	objects.mib = cache ? mib_new(cache) : NULL;
	FUZZ_ASSERT(objects.mib && mib_add_module(objects.mib, "CISCO-PFC-EXT-MIB"));
	objects.txn = mib_txn_new(objects.mib, cache, NULL);
	FUZZ_ASSERT(objects.txn);
}

static uint32_t number(const uint8_t *p, const struct agentx_header *h)
{
	uint32_t v = get_be32(p);

	return h->flags & AGENTX_NETWORK_BYTE_ORDER ? v : __builtin_bswap32(v);
}

/* Checks that a response matches its request and ends with its last varbind. */
static void check_answer(const struct agentx_header *h, const struct octets_out *out)
{
	struct octets_in in = octets_in(out->start, out->len);
	struct agentx_header answer;

	FUZZ_ASSERT(!out->overrun && out->len >= AGENTX_HEADER + 8 && out->len % 4 == 0);
	FUZZ_ASSERT(agentx_get_header(out->start, &answer));
	FUZZ_ASSERT(answer.type == AGENTX_RESPONSE && answer.packet == h->packet &&
		    answer.session == h->session && answer.transaction == h->transaction);
	FUZZ_ASSERT(answer.length == out->len - AGENTX_HEADER);
	octets_in_take(&in, AGENTX_HEADER + 8);
	while (in.left > 0) {
		const uint8_t *type = octets_in_take(&in, 4);
		const uint8_t *oid = octets_in_take(&in, 4);
		uint32_t kind = type ? type[0] | type[1] : 0; /* one of them is 0 */
		const uint8_t *len;

		FUZZ_ASSERT(type && oid && oid[0] <= MIB_OID_MAX);
		octets_in_take(&in, oid[0] * 4u);
		if (kind == 4) {
			len = octets_in_take(&in, 4);
			FUZZ_ASSERT(len && number(len, h) <= MO_OCTETS_MAX);
			octets_in_take(&in, (number(len, h) + 3) & ~3u);
		} else if (kind < 128) {
			octets_in_take(&in, kind == 70 ? 8 : 4);
		}
		FUZZ_ASSERT(!in.overrun);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t buf[AGENTX_PDU_MAX];
	static int64_t now_ms;
	struct octets_in in = octets_in(data, size);

	if (!objects.txn)
		start();
	for (;;) {
		struct octets_out out = octets_out(buf, sizeof(buf));
		const uint8_t *head = octets_in_take(&in, AGENTX_HEADER), *payload;
		struct agentx_header h;

		if (!head || !agentx_get_header(head, &h) || h.length > in.left)
			return 0;
		payload = octets_in_take(&in, h.length);
		if (agentx_answer(&objects, now_ms += 10, &h, payload, &out))
			check_answer(&h, &out);
	}
}
