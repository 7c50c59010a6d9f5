/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_answer.h"

/* RFC 2741, 7.2.3.1. false: genErr. */
static bool answer_get(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
		       const struct mib_oid *name, struct octets_out *out)
{
	struct mo_value value;

	switch (mib_get(mib, now_ms, name, &value)) {
	case MIB_OK:
		agentx_put_varbind(out, h, name, &value);
		return true;
	case MIB_NO_SUCH_OBJECT:
		agentx_put_exception(out, h, name, AGENTX_NO_SUCH_OBJECT);
		return true;
	case MIB_NO_SUCH_INSTANCE:
		agentx_put_exception(out, h, name, AGENTX_NO_SUCH_INSTANCE);
		return true;
	case MIB_END:
	case MIB_GEN_ERR:
	case MIB_LATE:
		break;
	}
	return false;
}

/* RFC 2741, 7.2.3.2: endOfMibView has the name of the request. false: genErr. */
static bool answer_next(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
			const struct mib_oid *start, bool include, const struct mib_oid *end,
			struct octets_out *out)
{
	struct mo_value value;
	struct mib_oid next;

	switch (mib_next(mib, now_ms, start, include, end, &next, &value)) {
	case MIB_OK:
		agentx_put_varbind(out, h, &next, &value);
		return true;
	case MIB_END:
		agentx_put_exception(out, h, start, AGENTX_END_OF_MIB_VIEW);
		return true;
	default:
		return false;
	}
}

bool agentx_answer(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
		   const uint8_t *payload, struct octets_out *out)
{
	struct octets_in in = octets_in(payload, h->length);
	enum mo_error error = MO_NO_ERROR;
	uint16_t index = 0;

	if ((h->type != AGENTX_GET && h->type != AGENTX_GET_NEXT) ||
	    (h->flags & AGENTX_NON_DEFAULT_CONTEXT) || in.left == 0)
		return false;
	agentx_begin_response(out, h);
	while (in.left > 0) {
		struct mib_oid start, end;
		bool include, good;

		if (!agentx_get_range(&in, h, &start, &include, &end))
			return false;
		if (error != MO_NO_ERROR || out->overrun)
			continue; /* decode the rest only to check it */
		index++;
		if (h->type == AGENTX_GET)
			good = answer_get(mib, now_ms, h, &start, out);
		else
			good = answer_next(mib, now_ms, h, &start, include, &end, out);
		if (!good)
			error = MO_GEN_ERR;
	}
	agentx_end_response(out, h, error, error ? index : 0);
	return true;
}
