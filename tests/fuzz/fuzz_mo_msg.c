/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo_event.h"
#include "tests/fuzz/fuzz.h"

/* Checks that a message encodes to the octets it was decoded from. */
static void check_same(const uint8_t *data, const struct octets_in *in,
		       const struct octets_out *out)
{
	size_t taken = (size_t)(in->p - data);

	FUZZ_ASSERT(!out->overrun && out->len == taken);
	FUZZ_ASSERT(memcmp(out->start, data, taken) == 0);
}

static void check_index(const uint8_t *data, size_t size, uint8_t *buf)
{
	struct octets_in in = octets_in(data, size);
	struct octets_out out = octets_out(buf, MO_MSG_MAX);
	struct mo_index index;

	mo_msg_get_index(&in, &index);
	FUZZ_ASSERT(index.n <= MO_INDEX_MAX);
	if (in.overrun)
		return;
	mo_msg_put_index(&out, &index);
	check_same(data, &in, &out);
}

static void check_value(const uint8_t *data, size_t size, uint8_t *buf)
{
	struct octets_in in = octets_in(data, size);
	struct octets_out out = octets_out(buf, MO_MSG_MAX);
	struct mo_value value;

	if (!mo_msg_get_value(&in, &value)) {
		FUZZ_ASSERT(in.overrun || data[0] == MO_MSG_NO_VALUE);
		return;
	}
	FUZZ_ASSERT(!in.overrun && value.syntax <= MO_SYNTAX_LAST);
	mo_msg_put_value(&out, &value);
	check_same(data, &in, &out);
}

/* Reads the varbinds of a TEST body, from their number on, until one is incomplete. */
static void check_varbinds(const uint8_t *data, size_t size, uint8_t *buf)
{
	struct octets_in in = octets_in(data, size);
	struct octets_out out = octets_out(buf, MO_MSG_MAX);
	struct octets_in before;
	struct mo_varbind vb;

	do {
		before = in;
		mo_msg_get_varbind(&in, &vb);
		if (in.overrun)
			break;
		FUZZ_ASSERT(vb.table < MO_TABLES && vb.index.n <= MO_INDEX_MAX);
		mo_msg_put_varbind(&out, &vb);
	} while (!out.overrun);
	if (!out.overrun)
		check_same(data, &before, &out);
}

static void check_event(const uint8_t *data, size_t size, uint8_t *buf)
{
	struct octets_in in = octets_in(data, size);
	struct octets_out out = octets_out(buf, MO_MSG_MAX);
	static char text[MO_EVENT_TEXT];
	struct mo_event ev;

	mo_msg_get_event(&in, &ev);
	FUZZ_ASSERT(ev.n <= MO_EVENT_VARBINDS);
	if (in.overrun)
		return;
	mo_msg_put_event(&out, &ev);
	check_same(data, &in, &out);
	mo_event_name(&ev, text, sizeof(text));
	FUZZ_ASSERT(text[0] != '\0');
	mo_event_objects(&ev, text, sizeof(text));
	FUZZ_ASSERT(strlen(text) < sizeof(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t buf[MO_MSG_MAX];
	struct octets_in in = octets_in(data, size);
	struct octets_out out = octets_out(buf, sizeof(buf));
	struct mo_msg_header header;

	if (!mo_msg_get_header(&in, &header))
		return 0;
	mo_msg_put_header(&out, &header);
	check_same(data, &in, &out);
	switch (header.op & ~MO_MSG_REPLY) {
	case MO_OP_READ:
		check_index(in.p, in.left, buf);
		break;
	case MO_OP_TEST:
		check_varbinds(in.p, in.left, buf);
		break;
	case MO_OP_EVENT:
		check_event(in.p, in.left, buf);
		break;
	default:
		check_value(in.p, in.left, buf);
		break;
	}
	return 0;
}
