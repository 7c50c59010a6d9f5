/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_answer.h"

#include <stdlib.h>

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

struct range {
	struct mib_oid start, end;
	bool include, ended; /* ended: endOfMibView */
};

/*
 * RFC 2741, 7.2.3.2: endOfMibView has the name of the request. If there is an object, the range
 * begins behind it afterwards, for the next repetition. false: genErr.
 */
static bool answer_next(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
			struct range *r, struct octets_out *out)
{
	struct mo_value value;
	struct mib_oid next;

	switch (mib_next(mib, now_ms, &r->start, r->include, &r->end, &next, &value)) {
	case MIB_OK:
		agentx_put_varbind(out, h, &next, &value);
		r->start = next;
		r->include = false;
		return true;
	case MIB_END:
		agentx_put_exception(out, h, &r->start, AGENTX_END_OF_MIB_VIEW);
		r->ended = true;
		return true;
	default:
		return false;
	}
}

/* Get and GetNext. */
static unsigned answer_read(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
			    struct octets_in *in, struct octets_out *out, unsigned *index)
{
	unsigned error = MO_NO_ERROR;
	struct range r;

	for (unsigned n = 1; in->left > 0; n++) {
		bool good;

		if (!agentx_get_range(in, h, &r.start, &r.include, &r.end)) {
			*index = 0;
			return AGENTX_PARSE_ERROR;
		}
		if (error != MO_NO_ERROR || out->overrun)
			continue; /* decode the rest only to check it */
		if (h->type == AGENTX_GET)
			good = answer_get(mib, now_ms, h, &r.start, out);
		else
			good = answer_next(mib, now_ms, h, &r, out);
		if (good)
			continue;
		error = MO_GEN_ERR;
		*index = n;
	}
	return error;
}

/* --- GetBulk -------------------------------------------------------------------------------- */

/* Decodes the ranges up to the end. Returns their number; 0: malformed, or there is none. */
static unsigned get_ranges(struct octets_in in, const struct agentx_header *h, struct range *r)
{
	struct range one = {.ended = false};
	unsigned n = 0;

	for (; in.left > 0; n++) {
		struct range *at = r ? &r[n] : &one;

		at->ended = false;
		if (!agentx_get_range(&in, h, &at->start, &at->include, &at->end))
			return 0;
	}
	return n;
}

/*
 * RFC 2741, 7.2.3.3: one successor of each of the first non_repeaters ranges, then up to
 * repetitions of each of the other ranges; as many as fit. Returns an error, and in *index the
 * range that it is about.
 */
static enum mo_error put_repetitions(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
				     struct range *r, unsigned n, unsigned non_repeaters,
				     unsigned repetitions, struct octets_out *out, unsigned *index)
{
	bool more = true;

	for (unsigned turn = 0; more && (turn == 0 || turn < repetitions); turn++) {
		unsigned end = repetitions ? n : non_repeaters;

		more = false;
		for (unsigned i = turn ? non_repeaters : 0; i < n && i < end; i++) {
			size_t len = out->len;

			if (!answer_next(mib, now_ms, h, &r[i], out)) {
				*index = i + 1;
				return MO_GEN_ERR;
			}
			if (out->overrun && (turn > 0 || i > 0)) {
				out->overrun = false;
				out->len = len;
				return MO_NO_ERROR;
			}
			more |= i >= non_repeaters && !r[i].ended;
		}
	}
	return MO_NO_ERROR;
}

/* Net-SNMP's master sends GetNexts instead, other masters need not. */
static unsigned answer_bulk(struct mib *mib, int64_t now_ms, const struct agentx_header *h,
			    struct octets_in *in, struct octets_out *out, unsigned *index)
{
	uint16_t non_repeaters, repetitions;
	struct range *r;
	unsigned error, n;

	agentx_get_repetitions(in, h, &non_repeaters, &repetitions);
	n = get_ranges(*in, h, NULL);
	if (n == 0)
		return in->overrun || in->left > 0 ? AGENTX_PARSE_ERROR : MO_NO_ERROR;
	r = calloc(n, sizeof(*r));
	if (!r)
		return AGENTX_PROCESSING_ERROR;
	(void)get_ranges(*in, h, r);
	error = put_repetitions(mib, now_ms, h, r, n, non_repeaters, repetitions, out, index);
	free(r);
	return error;
}

/* --- SET: RFC 2741, 7.2.4 ------------------------------------------------------------------- */

/* Adds the varbinds to the transaction. Returns the error of the first wrong one. */
static unsigned add_varbinds(struct mib_txn *txn, const struct agentx_header *h,
			     struct octets_in *in, unsigned *index)
{
	unsigned first = in->left > 0 ? MO_NO_ERROR : MO_GEN_ERR;

	for (unsigned n = 1; in->left > 0; n++) {
		enum agentx_value kind;
		enum mo_error error;
		struct mo_value value;
		struct mib_oid name;

		if (!agentx_get_varbind(in, h, &name, &kind, &value)) {
			*index = 0;
			return AGENTX_PARSE_ERROR;
		}
		error = mib_txn_add(txn, h->transaction, n, &name,
				    kind == AGENTX_NO_VALUE ? NULL : &value);
		if (error == MO_NO_ERROR && kind == AGENTX_LONG_VALUE)
			error = MO_WRONG_LENGTH;
		if (error == MO_NO_ERROR || first != MO_NO_ERROR)
			continue;
		first = error;
		*index = n;
	}
	return first;
}

/* If all varbinds are valid, dcbd tests them together; else there is no transaction. */
static unsigned test_set(struct mib_txn *txn, const struct agentx_header *h, struct octets_in *in,
			 unsigned *index)
{
	unsigned error;

	mib_txn_begin(txn, h->transaction);
	error = add_varbinds(txn, h, in, index);
	if (error == MO_NO_ERROR)
		return mib_txn_test(txn, h->transaction, index);
	mib_txn_end(txn, h->transaction);
	return error;
}

/* An error that is about no varbind in particular has index 1: see agentx_put_too_big(). */
static unsigned take_step(struct mib_txn *txn, const struct agentx_header *h, unsigned *index)
{
	unsigned error = h->type == AGENTX_COMMIT_SET ? mib_txn_commit(txn, h->transaction, index)
						      : mib_txn_undo(txn, h->transaction);

	if (error != MO_NO_ERROR && *index == 0)
		*index = 1;
	return error;
}

/* --- all requests --------------------------------------------------------------------------- */

bool agentx_answer(const struct agentx_objects *objects, int64_t now_ms,
		   const struct agentx_header *h, const uint8_t *payload, struct octets_out *out)
{
	struct octets_in in = octets_in(payload, h->length);
	unsigned error = MO_NO_ERROR, index = 0;

	if (h->type == AGENTX_CLEANUP_SET)
		mib_txn_end(objects->txn, h->transaction);
	if (h->type < AGENTX_GET || h->type >= AGENTX_CLEANUP_SET)
		return false;
	agentx_begin_response(out, h);
	if (h->flags & AGENTX_NON_DEFAULT_CONTEXT)
		error = AGENTX_UNSUPPORTED_CONTEXT;
	else if (h->type == AGENTX_GET || h->type == AGENTX_GET_NEXT)
		error = answer_read(objects->mib, now_ms, h, &in, out, &index);
	else if (h->type == AGENTX_GET_BULK)
		error = answer_bulk(objects->mib, now_ms, h, &in, out, &index);
	else if (h->type == AGENTX_TEST_SET)
		error = test_set(objects->txn, h, &in, &index);
	else
		error = take_step(objects->txn, h, &index);
	agentx_end_response(out, h, error, (uint16_t)(error == MO_NO_ERROR ? 0 : index));
	return true;
}
