/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/roce.h"

#include "lib/octets.h"

#include <string.h>

#define PSN_MASK      UINT32_C(0xffffff)
#define ACKNOWLEDGE   0x80   /* of the octet before the PSN */
#define PARTITION     0xffff /* the default one */
#define AETH_ACK      0x1f   /* no limit of packets in flight */
#define AETH_NAK      0x60   /* PSN sequence error */
#define AETH_NAK_MASK 0xe0

/* --- headers ------------------------------------------------------------------------------- */

void roce_put_bth(uint8_t p[ROCE_BTH_OCTETS], const struct roce_bth *bth)
{
	p[0] = bth->opcode;
	p[1] = 0;
	put_be16(p + 2, PARTITION);
	put_be32(p + 4, bth->qp & PSN_MASK);
	put_be32(p + 8, bth->sequence & PSN_MASK);
	if (bth->acknowledge)
		p[8] = ACKNOWLEDGE;
}

struct roce_bth roce_get_bth(const uint8_t p[ROCE_BTH_OCTETS])
{
	return (struct roce_bth){
	    .opcode = p[0],
	    .acknowledge = p[8] & ACKNOWLEDGE,
	    .qp = get_be32(p + 4) & PSN_MASK,
	    .sequence = get_be32(p + 8) & PSN_MASK,
	};
}

void roce_put_aeth(uint8_t p[ROCE_AETH_OCTETS], bool negative)
{
	memset(p, 0, ROCE_AETH_OCTETS);
	p[0] = negative ? AETH_NAK : AETH_ACK;
}

bool roce_is_negative(const uint8_t p[ROCE_AETH_OCTETS])
{
	return (p[0] & AETH_NAK_MASK) == AETH_NAK;
}

/* Returns how far the packet with this PSN is from packet at: within 2^23 before or after it. */
static int64_t distance(uint64_t at, uint32_t sequence)
{
	int64_t ahead = (int64_t)((sequence - at) & PSN_MASK);

	return ahead > PSN_MASK / 2 ? ahead - PSN_MASK - 1 : ahead;
}

/* --- sender -------------------------------------------------------------------------------- */

void roce_sender_init(struct roce_sender *s)
{
	*s = (struct roce_sender){.expiry = DCB_TIME_NEVER};
}

bool roce_asks(const struct roce_sender *s, bool last, struct dcb_time now)
{
	return last || !dcb_time_before(now, s->ask);
}

void roce_sent(struct roce_sender *s, bool asked, struct dcb_time now)
{
	if (asked)
		s->ask = dcb_time_add_ns(now, ROCE_ACK_NS);
	if (s->acked == s->next)
		s->expiry = dcb_time_add_ns(now, ROCE_TIMEOUT_NS);
	s->next++;
	if (s->next > s->top)
		s->top = s->next;
	else
		s->resent++;
}

bool roce_answered(struct roce_sender *s, uint32_t sequence, bool negative, struct dcb_time now)
{
	int64_t more = distance(s->acked, sequence) + (negative ? 0 : 1);

	if (more < !negative || (uint64_t)more > s->top - s->acked)
		return false;
	s->acked += (uint64_t)more;
	if (negative || s->next < s->acked)
		s->next = s->acked;
	s->expiry = s->acked < s->next ? dcb_time_add_ns(now, ROCE_TIMEOUT_NS) : DCB_TIME_NEVER;
	return true;
}

void roce_advance(struct roce_sender *s, struct dcb_time now)
{
	if (dcb_time_before(now, s->expiry))
		return;
	s->next = s->acked;
	s->ask = now;
	s->expiry = DCB_TIME_NEVER;
}

/* --- receiver ------------------------------------------------------------------------------ */

enum roce_answer roce_received(struct roce_receiver *r, const struct roce_bth *bth, bool *in_order,
			       uint32_t *sequence)
{
	int64_t ahead = distance(r->expected, bth->sequence);

	*in_order = ahead == 0;
	if (ahead > 0) {
		*sequence = (uint32_t)r->expected & PSN_MASK;
		if (r->refused)
			return ROCE_SILENT;
		r->refused = true;
		return ROCE_NAK;
	}
	if (*in_order) {
		r->expected++;
		r->refused = false;
	}
	*sequence = (uint32_t)(r->expected - 1) & PSN_MASK;
	return bth->acknowledge ? ROCE_ACK : ROCE_SILENT;
}
